"""score: from a tally or two arrays to a Report, one row a measure."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import DEFAULT_BINARY, DEFAULT_CLASS, Metric, parse
from howsure.distribution import Distribution, Note, check_kind, check_level
from howsure.errors import BadSetting, UnknownName, listing
from howsure.model import Posterior, posterior
from howsure.table import Tally

Array = NDArray[np.float64]
Notes = tuple[Note, ...]


@dataclass(frozen=True)
class Row:
    """One measure of every table of the batch, as arrays of the batch shape."""

    metric: Metric
    asked: str
    distribution: Distribution
    score: Array
    low: Array
    high: Array
    low_gap: Array
    high_gap: Array
    above: float | None
    notes: Notes


@dataclass(frozen=True)
class Report:
    """The scores of a tally with their posteriors; prints as a table."""

    posterior: Posterior
    level: float
    interval: str
    rows: tuple[Row, ...]
    notes: Notes
    _document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, metric: str) -> Distribution:
        """The Distribution of a row, by the name asked for or its canonical name."""
        for row in self.rows:
            if metric in (row.asked, str(row.metric)):
                return row.distribution
        raise UnknownName(f"no row {metric!r} in this report; rows: {listing([r.asked for r in self.rows])}.")

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (schema howsure.score/1); never NaN or Infinity."""
        if not self._document:
            self._document.update(_document(self))
        return copy.deepcopy(self._document)

    def to_frame(self) -> Any:
        """A pandas DataFrame, or a polars one where pandas is not installed."""
        from howsure.render.raw import _flat

        return frame([_flat(row) for row in self.to_dict()["rows"]])

    def to_markdown(self) -> str:
        """A table for a pull request."""
        return self._render("markdown")

    def to_latex(self) -> str:
        """A booktabs table for a paper."""
        return self._render("latex")

    def to_csv(self) -> str:
        """One line a row, full precision."""
        return self._render("csv")

    def to_html(self) -> str:
        """An HTML table; user text is escaped."""
        return self._render("html")

    def _render(self, kind: str) -> str:
        from howsure.render import render

        return render(self.to_dict(), kind)

    _repr_html_ = to_html

    def __str__(self) -> str:
        return self._render("table")

    def __repr__(self) -> str:
        if len(self.rows) == 1 and not self.posterior.tally.shape:
            return repr(self.rows[0].distribution)
        return f"Report({', '.join(r.asked for r in self.rows)}; {self.posterior.tally!r})"


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

    >>> r = score(Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"], above=0.7)
    >>> r
    f1 0.760 [0.691, 0.819] 95% equal-tailed, closed form
    """
    t = _as_tally(data, y_pred, positive=positive, labels=labels, weight=weight, missing=missing)
    p = posterior(t, prior, tolerance=tolerance, seed=seed)
    check_level(level)
    kind = check_kind(interval)
    asked = _asked(p, metrics)
    limits = _limits(above, asked)
    rows = tuple(_row(p, name, level, kind, limit) for name, limit in zip(asked, limits, strict=True))
    notes = dict.fromkeys(itertools.chain(_prior_notes(p, rows), *(row.notes for row in rows)))
    return Report(p, level, kind, rows, tuple(notes))


def _as_tally(data: Any, y_pred: Any, **options: Any) -> Tally:
    if isinstance(data, Tally):
        if y_pred is not None:
            raise BadSetting("give a Tally, or truths and predictions, not both.")
        extra = [k for k, v in options.items() if v is not None and k not in ("positive", "missing")]
        if extra:
            raise BadSetting(f"{extra[0]}= belongs to the making of a tally; this one is made already.")
        return data if options["positive"] is None else data.with_positive(options["positive"])
    if y_pred is None:
        raise BadSetting("score needs a Tally, or truths and predictions: hs.score(y_true, y_pred).")
    from howsure.ingest.arrays import tally

    return tally(data, y_pred, **options)


def _asked(p: Posterior, metrics: Any) -> list[str | Metric]:
    """The measures asked for, or the default table of the kind of tally."""
    t = p.tally
    if len(t.systems) != 1:
        raise BadSetting(f"this tally holds {len(t.systems)} systems: score one with t.system({t.systems[0]!r}).")
    if metrics is not None:
        if not isinstance(metrics, (str, Metric, Iterable)):
            raise BadSetting(f"metrics= takes names, Metrics or a list of them; got {metrics!r}.")
        names = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
        if not names:
            raise BadSetting("metrics= is empty; leave it out for the default table.")
        return names
    if t.outcome:
        return ["rate"]
    if t.positive is not None:
        return list(DEFAULT_BINARY)
    per_class: list[str | Metric] = [parse(m).of(label) for label in t.labels for m in DEFAULT_CLASS]
    whole = ["accuracy"] + (["balanced-accuracy", "phi"] if len(t.labels) == 2 else [])
    return per_class + whole


def _limits(above: Any, asked: list[str | Metric]) -> list[float | None]:
    """The reference value of each row."""
    if above is None:
        return [None] * len(asked)
    if isinstance(above, Mapping):
        mine = [parse(name) for name in asked]
        own = {str(m): m for m in mine}
        wanted = {own.get(k) or parse(k): _finite(v) for k, v in above.items()}
        unused = [str(m) for m in wanted if m not in mine]
        if unused:
            raise UnknownName(
                f"above= names {unused[0]!r}, which is not among the rows: {listing([str(m) for m in mine])}."
            )
        return [wanted.get(m) for m in mine]
    return [_finite(above)] * len(asked)


def _finite(x: Any) -> float:
    if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not np.isfinite(x):
        raise BadSetting(f"above= must be a finite number, or a mapping from metric to number; got {x!r}.")
    return float(x)


def _row(p: Posterior, name: str | Metric, level: float, kind: str, above: float | None) -> Row:
    metric = parse(name)
    d = p[name]
    got = d.interval(level, kind=kind)
    value = np.asarray(metric.score(p.counts(metric)), dtype=float)
    notes = [*d.notes, *got.notes]
    if np.isnan(value).any():
        some = "" if value.ndim == 0 else " for some tables"
        notes.append(Note("undefined-score", f"{name} is undefined{some} ({metric.undefined}); its posterior is not"))
    if np.isinf(np.asarray(d.mean)).any():
        notes.append(Note("infinite-mean", f"the mean of {name} is infinite: its tail is too heavy; use the median"))
    if d.route == "sampled":
        notes.append(Note("sampled", _sampled_note(str(name), d)))
    low, high, low_gap, high_gap = (np.asarray(x, dtype=float) for x in (*got, got.low_gap, got.high_gap))
    return Row(metric, str(name), d, value, low, high, low_gap, high_gap, above, tuple(notes))


def _sampled_note(name: str, d: Distribution) -> str:
    worst = float(np.max(np.asarray(d.error.value)))
    return (
        f"{name} is sampled with {d.law.n:,} draws: interval ends are within {worst:.1g}, "
        f"probabilities within {d.error.probability:.1g}"
    )


def _prior_notes(p: Posterior, rows: tuple[Row, ...]) -> Notes:
    """What the prior puts on the cells that the rows look at."""
    if p.prior.name != "even":
        return ()
    t = p.tally
    by_class = [r for r in rows if not (r.metric.agreement and len(t.labels) != 2)]
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


# -- the document


def _document(report: Report) -> dict[str, Any]:
    p = report.posterior
    return envelope(
        "howsure.score/1",
        p,
        report.level,
        report.interval,
        p.seed,
        data_of(p.tally),
        _rows(report),
        report.notes,
    )


def envelope(
    schema: str, p: Posterior, level: float, interval: str, seed: int, data: Any, rows: Any, notes: Notes
) -> dict[str, Any]:
    """The frame that every document shares."""
    from howsure.version import VERSION

    total = p.prior.total(max(2, len(p.tally.labels)), p.tally.outcome)
    return {
        "schema": schema,
        "version": VERSION,
        "prior": {"name": p.prior.name, "total": total},
        "level": level,
        "interval": interval,
        "seed": seed,
        "data": data,
        "rows": rows,
        "notes": [{"code": note.code, "text": note.text} for note in notes],
    }


def data_of(t: Tally) -> dict[str, Any]:
    """What was tallied: size, labels, and the named cells when there are four."""
    single = not t.shape and len(t.systems) == 1
    data: dict[str, Any] = {
        "n": _number(t.counts.sum()),
        "labels": [_json(x) for x in t.labels],
        "positive": _json(t.positive),
        "systems": list(t.systems),
        "outcome": t.outcome,
        "weighted": t.weighted,
    }
    if single and t.outcome:
        counts = t.named()
        data["cells"] = {"hits": _number(counts["tp"]), "misses": _number(counts["fn"])}
    elif single and t.positive is not None:
        two = t if len(t.labels) == 2 else t.versus_rest(t.positive)
        data["cells"] = {k: _number(v) for k, v in two.named().items()}
        value, p = two.chi_square()
        data["chi_square"] = {"value": value, "p": p}
    return data


def _rows(report: Report) -> list[dict[str, Any]]:
    t = report.posterior.tally
    places = list(np.ndindex(t.shape))
    slices = [{name: _json(axis[i]) for (name, axis), i in zip(t.batch, at, strict=True)} for at in places]
    totals = np.asarray(t.counts.sum(axis=-1))
    out = []
    for row in report.rows:
        columns = _columns(row)
        for at, where in zip(places, slices, strict=True):
            values = {k: v[at] for k, v in columns.items()}
            out.append(_one(row, values, where or None, _number(totals[at])))
    return out


def _columns(row: Row) -> dict[str, Array]:
    """Every number of the row, as arrays of the batch shape."""
    d = row.distribution
    p_above = np.nan if row.above is None else d.prob_above(row.above)
    columns = {
        "score": row.score, "mean": d.mean, "std": d.std, "median": d.median, "mode": d.mode,
        "low": row.low, "high": row.high, "low_gap": row.low_gap, "high_gap": row.high_gap,
        "p_above": p_above, "value": d.error.value, "probability": d.error.probability,
        "mean_error": d.mean_error() if d.route == "sampled" else d.error.value,
    }  # fmt: skip
    return {k: np.broadcast_to(np.asarray(v, dtype=float), d.shape) for k, v in columns.items()}


_SHOWN = ("score", "mean", "std", "median", "mode", "low", "high")


def _one(row: Row, values: dict[str, Any], where: dict[str, Any] | None, n: Any) -> dict[str, Any]:
    low, high = row.distribution.range
    return {
        "metric": str(row.metric),
        "asked": row.asked,
        "system": None,
        "slice": where,
        "class": _json(row.metric.label),
        "n": n,
        **{k: _real(values[k]) for k in _SHOWN},
        "low_gap": _real(values["low_gap"]),
        "high_gap": _real(values["high_gap"]),
        "above": row.above,
        "p_above": _real(values["p_above"]),
        "p_above_chance": None,
        "error": {
            "value": _real(values["value"]),
            "probability": _real(values["probability"]),
            "mean": _real(values["mean_error"]),
        },
        "route": row.distribution.route,
        "range": [_real(low), _real(high)],
        "infinite": [k for k in _SHOWN if np.isinf(values[k])],
    }


def _real(x: Any) -> float | None:
    value = float(x)
    return value if np.isfinite(value) else None


def _number(x: Any) -> int | float:
    value = np.asarray(x).item()
    return int(value) if float(value).is_integer() else float(value)


def _json(x: Any) -> Any:
    return x if x is None or isinstance(x, (bool, int, float, str)) else str(x)


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame, else a polars one."""
    try:
        import pandas

        return pandas.DataFrame(rows)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(rows)
    except ImportError:
        raise BadSetting("to_frame needs pandas or polars: pip install pandas") from None
