"""Rows: an estimand with its interval and notes, and the entries of the result dict that rows become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, permutations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.errors import HowsureError, UnknownName
from howsure.evidence.protocol import Evidence, as_json, number
from howsure.evidence.slices import Slices, slice_of
from howsure.messages.notes import Notes, at_level, note
from howsure.posteriors.distribution import Distribution, Interval
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.posterior import Posterior, posterior
from howsure.posteriors.priors import NAMES
from howsure.results.result import real

if TYPE_CHECKING:
    from howsure import atomic

# -- rows
#
# Rows: a question with its interval and what is to be said of it, and the documents that rows become.

Place = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Row:
    """One measure of every table of the batch, as arrays of the batch shape."""

    question: Estimand
    level: float
    kind: str
    above: float | None = None
    system: str | None = None

    @property
    def asked(self) -> str:
        """The name asked for."""
        return self.question.asked

    @property
    def metric(self) -> Any:
        """The measure."""
        return self.question.metric

    @property
    def canonical(self) -> str:
        """The measure's own name."""
        return self.question.canonical

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes along the first axis, where there is one."""
        return self.question.classes

    @property
    def distribution(self) -> Distribution:
        """The law."""
        return self.question.distribution

    @property
    def score(self) -> Array:
        """The point score."""
        return self.question.score

    def put_to(self, p: Posterior) -> Estimand:
        """The same question, put to another posterior of the same kind."""
        if self.classes is None:
            return p.kind.question(p, self.metric, self.asked)
        return p.kind.question(p, self.metric.of("*"), f"{self.asked}:*")

    @cached_property
    def interval(self) -> Interval:
        """The interval of the level and kind asked for."""
        return self.distribution.interval(self.level, kind=self.kind)

    @cached_property
    def shared(self) -> dict[str, Any] | None:
        """What slices tell each other; None where each stands alone."""
        return self.question.shared(self.level)

    @cached_property
    def end_errors(self) -> tuple[Any, Any]:
        """How far the ends of the interval may be off."""
        return self.distribution.end_errors(self.level, self.kind)

    @cached_property
    def notes(self) -> Notes:
        """What is to be said of it."""
        d, value, name = self.distribution, self.score, self.asked
        notes = [*self.warnings, *at_level(d.notes, self.level), *self.interval.notes, *self._undefined()]
        if np.isinf(np.asarray(d.mean)).any():
            notes.append(note("infinite-mean", of=name))
        if self.question.empty_cell.any():
            rule = self.metric.empty_cell_rule
            notes.append(note("zero-cell", of=name, rule=rule, single=value.ndim == 0))
        if d.route == "sampled" and not np.isfinite(self.metric.bounds).all():
            notes.append(note("unbounded", of=name))
        if d.ess is not None:
            worst = float(np.max(np.asarray(self.end_errors)))
            ends, chance = (float(f"{x:.1g}") for x in (worst, float(np.max(d.error.probability))))
            notes.append(note("sampled", of=(name,), draws=d.ess, ends=ends, probability=chance))
        return tuple(notes)

    @cached_property
    def warnings(self) -> Notes:
        """Return what speaks against the question itself: an AUC that is surely worse than guessing."""
        if str(self.metric) != "auc" or not np.all(np.asarray(self.interval.high) < 0.5):
            return ()
        of = "" if self.system is None else f" of {self.system}"
        return (note("auc-reversed", of=f"{self.asked}{of}", level=f"{100 * self.level:.12g}%"),)

    def _undefined(self) -> Notes:
        lost = np.isnan(self.score)
        if not lost.any():
            return ()
        when = (self.question.undefined,)
        if self.classes is None:
            return (note("undefined-score", of=(self.asked,), when=when, single=lost.ndim == 0),)
        some = np.asarray(lost.reshape(len(self.classes), -1).any(axis=1)).tolist()
        return tuple(
            note("undefined-score", of=(f"{self.asked}:{label}",), when=when, single=True)
            for label, here in zip(self.classes, some, strict=True)
            if here
        )


def unlike_scales(rows: Sequence[Row]) -> Notes:
    """Warn about the first two systems of which the middle values of one lie beyond all values of the other."""
    spreads = [row.question.spread() for row in rows]
    for (row, own), (other, theirs) in permutations(zip(rows, spreads, strict=True), 2):
        if own is None or theirs is None or not (own.low > theirs.most or own.high < theirs.least):
            continue
        if min(own.least, theirs.least) < 0 or max(own.most, theirs.most) > 1:  # shares are of one scale
            ends = {"low": own.low, "high": own.high, "least": theirs.least, "most": theirs.most}
            facts: dict[str, Any] = {"first": row.system, "second": other.system, **ends}
            return (note("unlike-scales", **facts),)
    return ()


# -- documents


def told_alike(rows: Iterable[Row], paired: bool) -> dict[str, Any]:
    """What the evidence of all systems tells alike beyond its size: clusters of the same items, a target."""
    told = [row.question.state.evidence.describe() for row in rows]
    names = ("clusters", "prevalence") if paired else ("prevalence",)
    same = {k: told[0][k] for k in names if told[0].get(k) is not None and all(x.get(k) == told[0][k] for x in told)}
    weighted = all(x.get("weighted") and "value" not in x for x in told)  # n is then a sum of weights
    return same | ({"weighted": True} if weighted else {})


COSTLY: Final = frozenset({"std", "median", "mode", "chance"})  # what the usual table does not show, and takes time


def row_documents(
    rows: Iterable[Row], places: Sequence[Place] | None = None, without: Set[str] = frozenset()
) -> list[dict[str, Any]]:
    """One score row for each table of the batch and each metric of it; `places` chooses and orders the tables.

    Numbers of COSTLY that are named in `without` are not computed: they are null.
    """
    return [x for table in zip(*_series(rows, places, without), strict=True) for x in table]


def row_parts(rows: Iterable[Row]) -> list[tuple[Row, int | None]]:
    """What a table has a line for, in order: each row, or each of its classes with the rows that have them."""
    out: list[tuple[Row, int | None]] = []
    for (_, classes), group in groupby(rows, key=lambda row: (row.system, row.classes)):
        same = list(group)
        out += [(row, i) for i in ([None] if classes is None else range(len(classes))) for row in same]
    return out


def _series(
    rows: Iterable[Row], places: Sequence[Place] | None, without: Set[str] = frozenset()
) -> list[list[dict[str, Any]]]:
    """For each line that a table has, the documents of all tables."""
    listed = list(rows)
    made = {id(row): _documents(row, places, without) for row in listed}
    out = []
    for row, i in row_parts(listed):
        own = made[id(row)][i or 0]
        out.append(own if i is None or row.classes is None else [x | _of_class(row, row.classes[i]) for x in own])
    return out


def _documents(row: Row, places: Sequence[Place] | None, without: Set[str]) -> list[list[dict[str, Any]]]:
    """For each class of the row, or once, the documents of its tables; columns are turned to numbers at once."""
    evidence = row.question.state.evidence.only(row.metric)
    totals = evidence.totals
    where = list(np.ndindex(evidence.shape)) if places is None else places
    full = [where] if row.classes is None else [[(i, *x) for x in where] for i in range(len(row.classes))]
    every = [x for own in full for x in own]
    columns = _columns(row, every, without) | _chances(row, every, "chance" not in without)
    infinite = _infinite(columns, len(every))
    routes = _routes(row, every)
    values = (
        dict(zip(columns, numbers, strict=True)) | {"route": route}
        for numbers, route in zip(_reals(np.stack(list(columns.values()), axis=-1)), routes, strict=True)
    )
    slices, sizes = [slice_of(evidence, x) or None for x in where], [number(totals[x]) for x in where]
    fixed = _fixed(row)
    return [
        [_one(row, fixed, next(values), next(infinite), x, n) for x, n in zip(slices, sizes, strict=True)] for _ in full
    ]


def _of_class(row: Row, label: Any) -> dict[str, Any]:
    return {"metric": f"{row.metric}:{label}", "asked": f"{row.asked}:{label}", "class": as_json(label)}


def _columns(row: Row, places: Sequence[Place], without: Set[str]) -> dict[str, Array]:
    """Every number of the row at these tables."""
    from howsure.distributions.stacked import table_floors, table_routes

    d, ends, at = row.distribution, row.interval, tuple(np.array(x) for x in zip(*places, strict=True))
    few, drawn = _some(d, at), table_routes(d.law, d.route) == "sampled"
    p_above = np.nan if row.above is None else d.prob_above(row.above)
    columns = {
        "score": row.score, "mean": None, "std": None, "median": None, "mode": None,
        "low": ends.low, "high": ends.high, "low_gap": ends.low_gap, "high_gap": ends.high_gap,
        "p_above": p_above, "value": d.error.value, "probability": d.error.probability,
        "mean_error": np.where(drawn, d.mean_error(), d.error.value) if drawn.any() else d.error.value,
        "low_error": row.end_errors[0], "high_error": row.end_errors[1], "floor": table_floors(d.law),
        **row.question.by_table,
    }  # fmt: skip
    wanted = [k for k, v in columns.items() if v is None and k not in without]
    of_few = {k: getattr(few[0], k) for k in wanted} if few else {}
    found = {k: getattr(d, k) if k in wanted else np.nan if v is None else v
             for k, v in columns.items() if k not in of_few}  # fmt: skip
    each = {k: np.broadcast_to(np.asarray(v, dtype=float), d.shape)[at] for k, v in found.items()} | of_few
    return {k: np.ravel(each[k]) for k in columns}


def _routes(row: Row, places: Sequence[Place]) -> Iterator[str]:
    """How the law of each of these tables is known."""
    from howsure.distributions.stacked import table_routes

    found = table_routes(row.distribution.law, row.distribution.route)
    return iter([str(found[x]) for x in places])


def _some(d: Distribution, at: tuple[Index, ...]) -> tuple[Distribution, ...]:
    """The law at a few tables of a large batch, where the others' numbers need not be found; nothing elsewhere."""
    from howsure.distributions.continuous import Continuous

    if len(d.shape) != 1 or 4 * at[0].size > d.shape[0] or not isinstance(d.law, Continuous):
        return ()
    return (replace(d, law=d.law.rows(at[0], d.shape), point=None),)


def _reals(numbers: Array) -> list[list[float | None]]:
    """Finite numbers, or null, line by line."""
    finite = np.isfinite(numbers)
    found: list[list[float | None]] = (numbers if finite.all() else np.where(finite, numbers, np.array(None))).tolist()
    return found


def _infinite(columns: dict[str, Array], many: int) -> Iterator[list[str]]:
    """For each table the names of the numbers that have no end."""
    marks = {k: np.isinf(columns[k]) for k in _SHOWN}
    names = [k for k, x in marks.items() if x.any()]
    return iter([[k for k in names if marks[k][i]] for i in range(many)])


def _chances(row: Row, places: Sequence[Place], wanted: bool) -> dict[str, Array]:
    """What random guessing gives at these tables, P(better than that), and how far this may be off."""
    names = ("chance", "p_above_chance", "chance_error")
    at = tuple(np.array(x) for x in zip(*places, strict=True)) or None
    found = row.question.chance(at) if places and wanted else None
    if found is None:
        return dict.fromkeys(names, np.full(len(places), np.nan))
    numbers = (np.ravel(x) for x in (found.score, found.better, found.error))
    return {k: np.broadcast_to(np.asarray(x, dtype=float), len(places)) for k, x in zip(names, numbers, strict=True)}


_SHOWN = ("score", "mean", "std", "median", "mode", "low", "high")


def _fixed(row: Row) -> dict[str, Any]:
    """What all tables of a row have alike."""
    low, high = row.distribution.range
    return {
        "metric": str(row.metric),
        "class": as_json(row.metric.label),
        "range": (real(low), real(high)),
        "columns": row.question.columns,
        "by_table": tuple(row.question.by_table),
    }


def _one(
    row: Row, fixed: dict[str, Any], values: dict[str, Any], infinite: list[str], where: dict[str, Any] | None, n: Any
) -> dict[str, Any]:
    return {
        "metric": fixed["metric"],
        "asked": row.asked,
        "system": row.system,
        "slice": where,
        "overall": None,
        "class": fixed["class"],
        "n": n,
        "marked": None,
        **{k: values[k] for k in _SHOWN},
        "low_gap": values["low_gap"],
        "high_gap": values["high_gap"],
        "above": row.above,
        "p_above": values["p_above"],
        "chance": values["chance"],
        "p_above_chance": values["p_above_chance"],
        "error": {
            "value": values["value"],
            "probability": values["probability"],
            "mean": values["mean_error"],
            "low": values["low_error"],
            "high": values["high_error"],
            "chance": values["chance_error"],
            **({"floor": values["floor"]} if values["floor"] else {}),
        },
        "route": values["route"],
        "range": list(fixed["range"]),
        "infinite": infinite,
        **fixed["columns"],
        **{k: values[k] for k in fixed["by_table"]},
    }


# -- prior rows
#
# Rows of a report under other priors: all of them, or the headline, for its table and its chart.

Document = dict[str, Any]
FEW_CLASSES: Final = 20  # from more on, priors on every cell outweigh the data, and take long


def chief(p: Posterior, rows: Sequence[Row], documents: Sequence[Document]) -> tuple[Row, Document] | None:
    """The row of the headline, and what it says; None of a batch, of many classes, and of slices that share."""
    from howsure.render import findings

    if p.prior.shared or len(p.evidence.describe().get("labels") or ()) > FEW_CLASSES:
        return None
    said = next(iter(findings.headlines({"rows": list(documents)})), None)
    for row in rows:
        if said is None or row.system != said["system"] or len(row.distribution.shape) > (row.classes is not None):
            continue
        if said["asked"] in ([row.asked] if row.classes is None else [x["asked"] for x in row_documents([row])]):
            return row, said
    return None


def put_under(p: Posterior, rows: Sequence[Row], prior: Any) -> tuple[Posterior, tuple[Row, ...]]:
    """The posterior of the same evidence under another prior, and the same rows put to it."""
    other = posterior(p.evidence, prior, tolerance=p.tolerance, seed=p.seed)
    own = {name: other if name is None else other.system(name) for name in dict.fromkeys(row.system for row in rows)}
    return other, tuple(replace(row, question=row.put_to(own[row.system])) for row in rows)


def headline_under_priors(p: Posterior, row: Row, said: Document) -> list[Document]:
    """What was said, and the same under each of the usual priors; each has its `prior`."""
    own = p.prior.name
    names = NAMES if own in NAMES else (own, *NAMES)
    found = (said if name == own else _under(p, row, said, name) for name in names)
    return [made | {"prior": name} for name, made in zip(names, found, strict=True) if made is not None]


def _under(p: Posterior, row: Row, said: Document, name: str) -> Document | None:
    """A row under another prior; None where this kind of evidence has no such prior."""
    try:
        made = row_documents(put_under(p, [row], name)[1])
    except HowsureError:
        return None
    return next((x for x in made if x["asked"] == said["asked"]), None)


def columns_of(rows: Iterable[Row]) -> dict[str, Any]:
    """Arrays of one entry for each table and row."""
    parts: list[dict[str, Any]] = []
    for row in rows:
        evidence = row.question.state.evidence
        size = int(np.prod(evidence.shape, dtype=int))
        shared = {**_where(evidence), "n": np.asarray(evidence.totals).ravel()}
        low, high = row.interval
        values = {"score": row.score, "mean": row.distribution.mean, "low": low, "high": high}
        for i, label in enumerate(row.classes or (None,)):
            name = row.asked if label is None else f"{row.asked}:{label}"
            at = {k: np.asarray(v, dtype=float)[i] if label is not None else v for k, v in values.items()}
            flat = {k: np.broadcast_to(np.asarray(v, dtype=float), evidence.shape).ravel() for k, v in at.items()}
            named = {"metric": _same(name, size)}
            if row.system is not None:
                named["system"] = _same(row.system, size)
            parts.append({**{k: v for k, v in shared.items() if k != "n"}, **named, "n": shared["n"], **flat})
    return parts[0] if len(parts) == 1 else {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def _same(text: str, size: int) -> Any:
    out = np.empty(size, dtype=object)
    out.fill(text)
    return out


def _where(t: Evidence) -> dict[str, Any]:
    """Each slice column, or other axis, as an array of one entry a table."""
    found: dict[str, Any] = {}
    if not t.shape:
        return found
    index = np.indices(t.shape).reshape(len(t.shape), -1)
    for k, (name, axis) in enumerate(t.batch):
        if isinstance(axis, Slices):
            for j, column in enumerate(axis.columns):
                found[column] = axis.values(j)[index[k]]
        else:
            values = np.empty(len(axis), dtype=object)
            values[:] = list(axis)
            found[name] = values[index[k]]
    return {name: _narrow(values) for name, values in found.items()}


def _narrow(values: Any) -> Any:
    """Numbers as numbers, everything else as text."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        return values.astype(np.int64)
    if kinds <= {int, float}:
        return values.astype(float)
    if kinds <= {bool}:
        return values.astype(bool)
    if kinds <= {str, type(None)}:
        return values
    out = np.empty(len(values), dtype=object)
    out[:] = [None if x is None else str(x) for x in values]
    return out


def write_columns(columns: dict[str, Any], path: atomic.Name) -> None:
    """A Parquet or CSV file, by its suffix, written whole or not at all; without a suffix it is Parquet."""
    from howsure import atomic
    from howsure.render import csv, parquet
    from howsure.render.formats import named

    suffix = atomic.checked(path).suffix.lower()
    if suffix not in ("", *named("csv").suffixes, *named("parquet").suffixes):
        raise UnknownName(f"write() makes .parquet and .csv files; got {str(path)!r}. For other formats use save().")
    with atomic.whole(path) as place:
        (csv if suffix in named("csv").suffixes else parquet).write(columns, place)
