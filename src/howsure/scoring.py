"""score: from a tally or two arrays to a Report, one row a measure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.catalogue import DEFAULT_BINARY, DEFAULT_CLASS, Metric, parse
from howsure.distribution import Distribution, Note, check_kind, check_level
from howsure.document import Notes, Result, Row, data_of, envelope, make_row, row_documents
from howsure.errors import BadSetting, HowsureError, UnknownName, listing
from howsure.items import Items, Mean
from howsure.model import Known, Posterior, posterior
from howsure.table import Tally


@dataclass(frozen=True)
class Report(Result):
    """The scores of a tally with their posteriors; prints as a table."""

    posterior: Known
    level: float
    interval: str
    rows: tuple[Row, ...]
    notes: Notes

    def __getitem__(self, metric: str | Metric) -> Distribution:
        """The Distribution of a row, by the name asked for or its canonical name."""
        for row in self.rows:
            if metric in (row.asked, str(row.metric)) or _same(metric, row.metric):
                return row.distribution
        raise UnknownName(f"no row {str(metric)!r} in this report; rows: {listing([r.asked for r in self.rows])}.")

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        rows = row_documents(self.rows, p.source)
        return envelope("howsure.score/1", p, self.level, self.interval, p.seed, data_of(p.source), rows, self.notes)

    def __repr__(self) -> str:
        if len(self.rows) == 1 and not self.posterior.source.shape:
            return repr(self.rows[0].distribution)
        return f"Report({', '.join(r.asked for r in self.rows)}; {self.posterior.source!r})"


def _same(asked: Any, metric: Metric | Mean) -> bool:
    try:
        return parse(asked) == metric
    except HowsureError:
        return False


def score(
    data: Any,
    y_pred: Any = None,
    *,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    above: float | Mapping[str, float] | None = None,
    level: float = 0.95,
    interval: str = "equal-tailed",
    prior: Any = "even",
    positive: Any = None,
    labels: Any = None,
    weight: Any = None,
    missing: str = "refuse",
    tolerance: float = 0.02,
    seed: int = 0,
) -> Report:
    """Score a Tally, or truths and predictions: each measure with its posterior.

    Predictions may be a mapping from system to predictions: each system gets its rows.

    >>> r = score(Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"], above=0.7)
    >>> r
    f1 0.759 [0.691, 0.819] 95% equal-tailed, closed form
    """
    t = _as_source(data, y_pred, positive=positive, labels=labels, weight=weight, missing=missing)
    p: Known = posterior(t, prior, tolerance=tolerance, seed=seed)
    check_level(level)
    kind = check_kind(interval)
    single = len(t.systems) == 1
    asked = _asked(p if single else p.system(t.systems[0]), metrics)
    limits = _limits(above, asked, p)
    own: dict[str | None, Known] = {None: p} if single else {name: p.system(name) for name in t.systems}
    rows = tuple(
        make_row(q, name, level, kind, limit, system)
        for system, q in own.items()
        for name, limit in zip(asked, limits, strict=True)
    )
    notes = dict.fromkeys(itertools.chain(_prior_notes(p, rows), *(row.notes for row in rows)))
    return Report(p, level, kind, rows, _gathered(tuple(notes)))


def _gathered(notes: Notes) -> Notes:
    """Many undefined scores in one sentence."""
    undefined = [note for note in notes if note.code == "undefined-score"]
    if len(undefined) < 3:
        return notes
    names = ", ".join(note.text.partition(" is undefined")[0] for note in undefined)
    one = Note("undefined-score", f"0/0: {names} are undefined here; their posteriors are not")
    return (*(note for note in notes if note.code != "undefined-score"), one)


def _as_source(data: Any, y_pred: Any, **options: Any) -> Any:
    if isinstance(data, (Tally, Items)):
        if y_pred is not None:
            raise BadSetting(f"give {type(data).__name__}, or truths and predictions, not both.")
        extra = [k for k, v in options.items() if v is not None and k not in ("positive", "missing")]
        if extra:
            made = "a tally; this one is" if isinstance(data, Tally) else "items; these are"
            raise BadSetting(f"{extra[0]}= belongs to the making of {made} made already.")
        if options["positive"] is None:
            return data
        if isinstance(data, Items):
            raise BadSetting("graded values have no positive class.")
        if data.outcome:
            raise BadSetting("outcomes have no positive class to choose: hits are what is scored.")
        return data.with_positive(options["positive"])
    if y_pred is None:
        raise BadSetting("score needs a Tally, or truths and predictions: hs.score(y_true, y_pred).")
    from howsure.ingest.arrays import tally

    return tally(data, y_pred, **options)


def _asked(p: Known, metrics: Any) -> list[str | Metric]:
    """The measures asked for, or the default table of the kind of tally."""
    if metrics is not None:
        if not isinstance(metrics, (str, Metric, Iterable)):
            raise BadSetting(f"metrics= takes names, Metrics or a list of them; got {metrics!r}.")
        names = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
        if not names:
            raise BadSetting("metrics= is empty; leave it out for the default table.")
        return names
    if not isinstance(p, Posterior):
        return list(p)
    t = p.tally
    if t.outcome:
        return ["rate"]
    if t.positive is not None:
        return list(DEFAULT_BINARY)
    per_class: list[str | Metric] = [parse(m).of(label) for label in t.labels for m in DEFAULT_CLASS]
    whole = ["accuracy"] + (["balanced-accuracy", "phi"] if len(t.labels) == 2 else [])
    return per_class + whole


def _limits(above: Any, asked: list[str | Metric], p: Known) -> list[float | None]:
    """The reference value of each row."""
    if above is None:
        return [None] * len(asked)
    if isinstance(above, Mapping):
        mine = [p.measure(name) for name in asked]
        own = {str(m): m for m in mine}
        wanted = {own.get(k) or p.measure(k): _finite(v) for k, v in above.items()}
        unused = [str(m) for m in wanted if m not in mine]
        if unused:
            raise UnknownName(
                f"above= names {unused[0]!r}, which is not among the rows: {listing([str(m) for m in mine])}."
            )
        return [wanted.get(m) for m in mine]
    return [_finite(above)] * len(asked)


def _finite(x: Any) -> float:
    number = isinstance(x, (int, float, np.integer, np.floating)) and not isinstance(x, bool)
    if not number or not -1e300 < x < 1e300:
        raise BadSetting(f"above= must be a finite number, or a mapping from metric to number; got {x!r}.")
    return float(x)


def _prior_notes(p: Known, rows: tuple[Row, ...]) -> Notes:
    """What the prior puts on the cells that the rows look at."""
    if not isinstance(p, Posterior):
        text = "weight 1 on each bound of the values" if p.data.bounds else "none: the Bayesian bootstrap of the items"
        return (Note("prior", f"prior {text}"),)
    if p.prior.name != "even":
        return ()
    t = p.tally
    by_class = [r for r in rows if not (isinstance(r.metric, Metric) and r.metric.agreement and len(t.labels) != 2)]
    notes = []
    if t.outcome:
        notes.append("prior even: weight 1 on a hit and 1 on a miss")
    elif by_class:
        single = any(r.metric.label is not None for r in by_class)
        of = " of class against rest" if single and len(t.labels) > 2 else ""
        notes.append(f"prior even: weight 1/2 on each cell of the 2x2 table{of}")
    if len(by_class) < len(rows) and not t.outcome:
        notes.append("accuracy and error-rate: weight 1 on right and 1 on wrong answers")
    return tuple(Note("prior", text) for text in notes)
