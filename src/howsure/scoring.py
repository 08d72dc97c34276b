"""score: from a tally or two arrays to a Report, one row a measure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from howsure import slice_order
from howsure.catalogue import DEFAULT_BINARY, DEFAULT_CLASS, DEFAULT_LABELS, DEFAULT_WHOLE, Metric, parse
from howsure.distribution import Distribution, Note, check_kind, check_level
from howsure.document import (
    Measure,
    Notes,
    Place,
    Result,
    Row,
    as_json,
    class_row,
    data_of,
    envelope,
    make_row,
    number,
    real,
    row_documents,
)
from howsure.errors import BadSetting, HowsureError, UnknownName, listing
from howsure.export import columns_of, flat_metrics, write_columns
from howsure.items import Items, Mean
from howsure.model import Known, Posterior, Ranked, posterior
from howsure.render import render
from howsure.render.numbers import short
from howsure.scored import Scored, scored_of
from howsure.table import Tally


@dataclass(frozen=True)
class Report(Result):
    """The scores of a tally with their posteriors; prints as a table."""

    posterior: Known
    level: float
    interval: str
    rows: tuple[Row, ...]
    notes: Notes
    sort: str = "worse"
    chance: bool = False  # whether tables show what chance gives; the document always tells

    def __getitem__(self, metric: str | Metric) -> Distribution:
        """The Distribution of a row, by the name asked for or its canonical name."""
        for row in self.rows:
            if row.classes is not None:
                m = _known(self.posterior, metric)
                if m is not None and m.label is not None and m.name == row.metric.name:
                    return self.posterior[m]
                continue
            if metric in (row.asked, str(row.metric)) or _same(self.posterior, metric, row.metric):
                return row.distribution
        each = [r for r in self.rows if r.classes is not None and str(metric) in (r.asked, str(r.metric))]
        if each:
            raise UnknownName(f"{metric} has a row for each class: ask for {metric}:{each[0].classes[0]}.")  # type: ignore[index]
        raise UnknownName(f"no row {str(metric)!r} in this report; rows: {listing([r.asked for r in self.rows])}.")

    def _make(self, page: bool = False) -> dict[str, Any]:
        p = self.posterior

        def places(row: Row, i: int | None) -> list[Place]:
            found = slice_order.order(p, row, i, self.sort)
            return slice_order.ends(found) if page else found

        rows = row_documents(self.rows, p.source, places if p.source.shape else None)
        made = envelope("howsure.score/1", p, self.level, self.interval, p.seed, data_of(p.source), rows, self.notes)
        if self.chance:
            made["columns"] = ["chance"]
            made["notes"] += _drawn_chances(rows)
        tables = int(np.prod(p.source.shape, dtype=int))
        if page and tables > slice_order.MOST:
            made["hidden"] = {"tables": tables - 2 * slice_order.ENDS, "ends": slice_order.ENDS}
        if any(note.code == "confusions" for note in self.notes):
            made["confusions"] = [self._confusion(c) for c in self.confusions]
        return made

    def page(self) -> dict[str, Any]:
        """The document for people: of thousands of tables only the first and the last in their order."""
        return self._make(page=True) if int(np.prod(self.posterior.source.shape)) > slice_order.MOST else self._document

    def _render(self, kind: str) -> str:
        return render(self._document if kind in ("json", "csv") else self.page(), kind)

    def to_metrics(self) -> dict[str, float]:
        """Flat names and numbers for experiment trackers: f1, f1_low, f1_high; `/` for `:` and `@`; slices after it.

        >>> r = score(Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
        >>> {k: round(v, 3) for k, v in r.to_metrics().items()}
        {'f1': 0.762, 'f1_low': 0.691, 'f1_high': 0.819}
        """
        return flat_metrics(self._document["rows"])

    def to_table(self) -> dict[str, Any]:
        """Columns of one line for each table and measure: slices, metric, system, n, score, mean, low, high."""
        return columns_of(self.rows, self.posterior.source)

    def write(self, path: str | Path) -> None:
        """The columns of to_table as a Parquet or CSV file, whole or not at all; fit for millions of slices."""
        write_columns(self.to_table(), Path(path))

    @cached_property
    def confusions(self) -> tuple[Confusion, ...]:
        """The most frequent mistakes of many classes, each with the posterior of its share of the true class."""
        if not isinstance(self.posterior, Posterior) or self.posterior.tally.shape:
            raise BadSetting("confusions are listed for a single table of classes.")
        return confusions(self.posterior)

    def _confusion(self, c: Confusion) -> dict[str, Any]:
        low, high = c.share.interval(self.level)
        names = {"truth": as_json(c.truth), "answer": as_json(c.answer)}
        return {**names, "count": c.count, "of": c.of, "mean": real(c.share.mean), "low": real(low), "high": real(high)}

    def __repr__(self) -> str:
        if len(self.rows) == 1 and not self.posterior.source.shape:
            row = self.rows[0]
            d = row.distribution
            middle = d.mean if np.isfinite(d.mean) else d.median
            ends = f"[{short(float(row.low))}, {short(float(row.high))}]"
            return f"{row.asked} {short(middle)} {ends} {100 * self.level:.12g}% {self.interval}, {d.route}"
        return f"Report({', '.join(r.asked for r in self.rows)}; {self.posterior.source!r})"


def _drawn_chances(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Which probabilities of being better than chance are shares of draws."""
    drawn = {row["asked"]: row["error"]["chance"] for row in rows if (row["error"]["chance"] or 0.0) > 1e-9}
    if not drawn:
        return []
    text = f"P(better than chance) of {listing(list(drawn))} is a share of draws, within {max(drawn.values()):.1g}"
    return [{"code": "chance-sampled", "text": text}]


def _known(p: Known, asked: Any) -> Metric | None:
    """The metric of a name, if it is one of a table."""
    try:
        found = p.measure(asked)
    except HowsureError:
        return None
    return found if isinstance(found, Metric) else None


def _same(p: Known, asked: Any, metric: Measure) -> bool:
    if isinstance(metric, Mean):
        return metric.named(asked)
    try:
        return bool(p.measure(asked) == metric)
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
    chance: bool = False,
    tolerance: float = 0.02,
    seed: int = 0,
    sort: str = "worse",
) -> Report:
    """Score a Tally, or truths and predictions: each measure with its posterior.

    Predictions may be a mapping from system to predictions: each system gets its rows. Slices are listed from those
    most surely worse than the rest on (`sort`: worse, better, name, n or score). `chance=True` adds to the table what
    random guessing at the same margins gives, and the probability of being better.

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
    for q in own.values():
        if isinstance(q, Ranked):
            q.prepare(asked)  # all from one pass of draws
    if _by_class(p, metrics, above):
        limit = None if above is None else _finite(above)
        rows = tuple(row for system, q in own.items() for row in _class_table(q, level, kind, limit, system))
    else:
        rows = tuple(
            make_row(q, name, level, kind, limit, system)
            for system, q in own.items()
            for name, limit in zip(asked, limits, strict=True)
        )
    notes = dict.fromkeys(itertools.chain(prior_notes(p, rows), *(row.notes for row in rows), _confused(p)))
    return Report(p, level, kind, rows, gathered(tuple(notes)), slice_order.check_sort(sort), bool(chance))


def _by_class(p: Known, metrics: Any, above: Any) -> bool:
    """Whether the default table of many classes is due, its classes computed all at once."""
    if not isinstance(p, Posterior) or metrics is not None or isinstance(above, Mapping):
        return False
    t = p.tally
    special = p.prior.two_level or p.prior.table is not None  # priors that differ from class to class
    return not t.outcome and t.positive is None and (len(t.labels) > 2 or t.sets is not None) and not special


def _class_table(p: Any, level: float, kind: str, above: float | None, system: str | None) -> Iterator[Row]:
    for name in DEFAULT_CLASS:
        yield class_row(p, name, level, kind, above, system)
    for name in DEFAULT_WHOLE if p.tally.sets is None else DEFAULT_LABELS:
        yield make_row(p, name, level, kind, above, system)


@dataclass(frozen=True)
class Confusion:
    """Items of one class that were taken for another: how many, and the posterior of their share of the class."""

    truth: Any
    answer: Any
    count: Any
    of: Any
    share: Distribution


def confusions(p: Posterior, top: int = 10) -> tuple[Confusion, ...]:
    """The most frequent mistakes of one table, with weight 1/2 on each and 1/2 on the rest of the class."""
    from howsure.kernels.moebius import Moebius

    t = p.tally
    wrong = np.flatnonzero((t.cells[:, 0] != t.cells[:, 1]) & (t.cells[:, 1] >= 0) & (t.counts > 0))
    order = wrong[np.argsort(-t.counts[wrong], kind="stable")][:top]
    size, raw = (np.bincount(t.cells[:, 0], x, len(t.labels)) for x in (t.effective, t.counts))
    out = []
    for i in order.tolist():
        y, z = (int(x) for x in t.cells[i])
        hit = float(t.effective[i])
        law = Moebius(np.asarray(hit + 0.5), np.asarray(max(size[y] - hit, 0.0) + 0.5), 1.0, 1.0, 0.0, 1.0)
        share = Distribution("share", law, "closed form", _beta_draws(law))
        out.append(Confusion(t.labels[y], t.labels[z], number(t.counts[i]), number(raw[y]), share))
    return tuple(out)


def _beta_draws(law: Any) -> Any:
    def sampler(n: int, seed: int) -> Any:
        return np.random.Generator(np.random.SFC64([seed, 60_013])).beta(law.a, law.b, n)

    return sampler


def _confused(p: Known) -> Notes:
    """The three most frequent mistakes of many classes, in words."""
    if not isinstance(p, Posterior) or p.tally.outcome or p.tally.shape or len(p.tally.systems) > 1:
        return ()
    if len(p.tally.labels) <= 2 or p.tally.sets is not None:
        return ()
    said = []
    for c in confusions(p, 3):
        low, high = c.share.interval()
        said.append(f"{c.truth} taken for {c.answer} {short(c.share.mean)} [{short(low)}, {short(high)}]")
    return (
        (Note("confusions", f"most frequent mistakes, as shares of the true class: {'; '.join(said)}"),) if said else ()
    )


_BINNED = re.compile(r"(.+) of ([\d,]+) bins of scores is within (\S+) of that of the scores themselves")
_SAMPLED = re.compile(r"(.+) is sampled with ([\d,]+) draws: interval ends are within (\S+), (probabilities .+)")


def gathered(notes: Notes) -> Notes:
    """Many undefined scores in one sentence, and many sampled measures."""
    notes = _gathered_samples(notes)
    undefined = [note for note in notes if note.code == "undefined-score"]
    if len(undefined) < 3:
        return notes
    every = [note.text.partition(" is undefined")[0] for note in undefined]
    names = ", ".join(every[:10]) + (f" and {len(every) - 10} more" if len(every) > 10 else "")
    one = Note("undefined-score", f"0/0: {names} are undefined here; their posteriors are not")
    return (*(note for note in notes if note.code != "undefined-score"), one)


def _gathered_samples(notes: Notes) -> Notes:
    """Measures that are sampled with the same number of draws, from three on, and what bins do to measures."""
    sampled = [match for note in notes if note.code == "sampled" and (match := _SAMPLED.fullmatch(note.text))]
    for draws in dict.fromkeys(match[2] for match in sampled):
        same = [match for match in sampled if match[2] == draws]
        if len(same) < 3:
            continue
        worst = max((match[3] for match in same), key=float)
        names = ", ".join(dict.fromkeys(match[1] for match in same))
        text = f"{names} are sampled with {draws} draws: interval ends are within {worst}, {same[0][4]}"
        notes = _in_place_of(notes, same, Note("sampled", text))
    binned = [match for note in notes if note.code == "bins" and (match := _BINNED.fullmatch(note.text))]
    if len(binned) > 2:
        each = ", ".join(f"{match[1]} within {match[3]}" for match in binned)
        text = f"{binned[0][2]} bins of scores: compared with the scores themselves {each}"
        notes = _in_place_of(notes, binned, Note("bins", text))
    return notes


def _in_place_of(notes: Notes, said: list[re.Match[str]], one: Note) -> Notes:
    gone = {match[0] for match in said}
    return (*(note for note in notes if note.text not in gone), one)


def _as_source(data: Any, y_pred: Any, **options: Any) -> Any:
    data = scored_of(data)
    if isinstance(data, (Tally, Items, Scored)):
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
        if isinstance(data, Scored):
            raise BadSetting("positive= belongs to the making of the curve; this one is made already.")
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
    if t.sets is not None:
        return [*(parse(m).of(label) for label in t.labels for m in DEFAULT_CLASS), *DEFAULT_LABELS]
    if t.positive is not None:
        return list(DEFAULT_BINARY)
    per_class: list[str | Metric] = [parse(m).of(label) for label in t.labels for m in DEFAULT_CLASS]
    if len(t.labels) == 1:
        return [*per_class, "accuracy"]
    return [*per_class, *(DEFAULT_WHOLE if len(t.labels) > 2 else ("accuracy", "balanced-accuracy", "phi"))]


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


_POOLED = "weight 1 a class, on its right and wrong answers as in all classes together (docs/coverage.md)"


def prior_notes(p: Known, rows: tuple[Row, ...]) -> Notes:
    """What the prior puts on the cells that the rows look at."""
    if isinstance(p, Ranked):
        if not p.weight:
            return (Note("prior", "prior none: the Bayesian bootstrap of the items"),)
        text = f"weight {p.weight:g} on positive and on negative items, above all scores and below all"
        return (Note("prior", f"prior {p.prior_name}: {text}"),)
    if not isinstance(p, Posterior):
        text = "weight 1 on each bound of the values" if p.data.bounds else "none: the Bayesian bootstrap of the items"
        return (Note("prior", f"prior {text}"),)
    if p.prior.name != "even":
        return ()
    t = p.tally
    k = len(t.labels)
    kinds = {p.view(r.metric).kind for r in rows if r.classes is None and isinstance(r.metric, Metric)}
    notes = []
    if t.outcome:
        notes.append("prior even: weight 1 on a hit and 1 on a miss")
    if "square" in kinds or any(r.classes is not None for r in rows):
        notes.append(f"prior even: weight 1/2 on each cell of the 2x2 table{' of class against rest' if k > 2 else ''}")
    if "right-wrong" in kinds and t.sets is None:
        notes.append("accuracy, error-rate and micro averages: weight 1 on right and 1 on wrong answers")
    if "added" in kinds:
        notes.append("micro averages: weight 1/2 on each cell of the table of all labels added up")
    if "items" in kinds or ("right-wrong" in kinds and t.sets is not None):
        notes.append("averages over items and subset-accuracy: weight 1 on each end of their range")
    whole = [r for r in rows if r.classes is None and isinstance(r.metric, Metric) and not t.outcome]
    whole = [r for r in whole if p.view(r.metric).kind == "classes"]  # type: ignore[arg-type]
    if t.independent:
        return tuple(
            Note("prior", text)
            for text in [*notes, f"{', '.join(r.asked for r in whole)}: weight 1/2 on each cell of every label"]
        )
    equal = [r.asked for r in whole if r.metric.classes_count_alike]  # type: ignore[union-attr]
    other = [r.asked for r in whole if r.asked not in equal]
    if equal:
        notes.append(f"{', '.join(equal)}: {_POOLED}")
    if other:
        spread = "weight 1 on right and 1 on wrong answers, shared equally among their cells"
        notes.append(
            f"{', '.join(other)}: {spread if t.sets is None else 'weight 1/2 on each cell, shared by the labels'}"
        )
    return tuple(Note("prior", text) for text in notes)
