"""Rows and documents: what reports, comparisons and leaderboards have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.catalogue.retrieval import Ranking
from howsure.distribution import Distribution, Note
from howsure.items import Items, Mean
from howsure.model import Known, Posterior
from howsure.result import Result as Result  # noqa: PLC0414 - results still import it from here
from howsure.scored import Scored
from howsure.slices import Slices
from howsure.table import THRESHOLD, Tally

Array = NDArray[np.float64]
Notes = tuple[Note, ...]
Measure = Metric | Mean | Ranking
Source = Tally | Items | Scored


@dataclass(frozen=True)
class Row:
    """One measure of every table of the batch, as arrays of the batch shape."""

    metric: Measure
    asked: str
    distribution: Distribution
    score: Array
    low: Array
    high: Array
    low_gap: Array
    high_gap: Array
    above: float | None
    end_errors: tuple[Any, Any]
    notes: Notes
    system: str | None = None
    posterior: Known | None = None  # what the row is of
    classes: tuple[Any, ...] | None = None  # the arrays have a first axis over these classes


def make_row(
    p: Known, name: str | Measure, level: float, kind: str, above: float | None, system: str | None = None
) -> Row:
    """A measure of a posterior, with its interval and what is to be said of it."""
    metric = p.measure(name)
    d = p[name]
    got = d.interval(level, kind=kind)
    value = p.point(metric)
    ends = d.end_errors(level, kind)
    notes = [*d.notes, *got.notes]
    if np.isnan(value).any():
        some = "" if value.ndim == 0 else " for some tables"
        notes.append(Note("undefined-score", f"{name} is undefined{some} ({metric.undefined}); its posterior is not"))
    if np.isinf(np.asarray(d.mean)).any():
        notes.append(Note("infinite-mean", f"the mean of {name} is infinite: its tail is too heavy; use the median"))
    if (
        isinstance(metric, Metric)
        and metric.empty_cell_rule
        and isinstance(p, Posterior)
        and p.empty_cell(metric).any()
    ):
        some = "a cell is empty" if value.ndim == 0 else "some tables have an empty cell"
        notes.append(
            Note("zero-cell", f"{some}: the score of {name} is that of the rule {metric.empty_cell_rule}, {_RULE}")
        )
    if d.route == "sampled" and not np.isfinite(metric.bounds).all():
        notes.append(
            Note("unbounded", f"{name} has no bound: its mean may not exist, and a sample cannot tell; use the median")
        )
    if d.route == "sampled":
        notes.append(Note("sampled", _sampled_note(str(name), d, ends)))
    low, high, low_gap, high_gap = (np.asarray(x, dtype=float) for x in (*got, got.low_gap, got.high_gap))
    return Row(metric, str(name), d, value, low, high, low_gap, high_gap, above, ends, tuple(notes), system, p)


_RULE = "which moves 1/2 into it and keeps the margins; the posterior needs no rule"


def class_row(p: Posterior, name: str, level: float, kind: str, above: float | None, system: str | None) -> Row:
    """A measure of every class against the rest at once, classes first."""
    each = replace(p, tally=p.tally.versus_each(), _cache={})
    row = make_row(each, name, level, kind, above, system)
    undefined = np.asarray(np.isnan(row.score).reshape(len(p.tally.labels), -1).any(axis=1))
    notes = [note for note in row.notes if note.code != "undefined-score"]
    notes += [
        Note("undefined-score", f"{name}:{label} is undefined ({row.metric.undefined}); its posterior is not")
        for label, lost in zip(p.tally.labels, undefined, strict=True)
        if lost
    ]
    return replace(row, classes=p.tally.labels, notes=tuple(notes))


def _sampled_note(name: str, d: Distribution, ends: tuple[Any, Any]) -> str:
    worst = float(np.max(np.asarray(ends)))
    return (
        f"{name} is sampled with {d.law.n:,} draws: interval ends are within {worst:.1g}, "
        f"probabilities within {d.error.probability:.1g}"
    )


def envelope(
    schema: str, p: Known, level: float, interval: str, seed: int, data: Any, rows: Any, notes: Notes
) -> dict[str, Any]:
    """The frame that every document shares."""
    from howsure.version import VERSION

    return {
        "schema": schema,
        "version": VERSION,
        "prior": p.prior_document,
        "level": level,
        "interval": interval,
        "seed": seed,
        "data": data,
        "rows": rows,
        "notes": [{"code": note.code, "text": note.text} for note in notes],
    }


def data_of(t: Source) -> dict[str, Any]:
    """What was tallied: size, labels, and the named cells when there are four."""
    if isinstance(t, Scored):
        return {
            "n": number(t.totals), "labels": [as_json(x) for x in t.labels], "positive": as_json(t.positive),
            "positives": number(t.positives), "systems": list(t.systems), "weighted": t.weighted,
            "clusters": None if t.clusters is None else int(t.clusters.max()) + 1, "bins": t.bins or None,
        }  # fmt: skip
    if isinstance(t, Items):
        return {
            "n": max(part.n for part in t.parts), "labels": [], "positive": None, "systems": list(t.systems),
            "value": t.measure.of, "weighted": t.weighted, "clusters": None if t.clusters is None else len(t.units[2]),
            "bounds": None if t.bounds is None else list(t.bounds),
        }  # fmt: skip
    single = not t.shape and len(t.systems) == 1
    data: dict[str, Any] = {
        "n": number(_items(t).sum()),
        "labels": [as_json(x) for x in t.labels],
        "positive": as_json(t.positive),
        "systems": list(t.systems),
        "outcome": t.outcome,
        "tables": int(np.prod(t.shape, dtype=int)),
        "weighted": t.weighted,
    }
    if single and t.outcome:
        counts = t.named()
        data["cells"] = {"hits": number(counts["tp"]), "misses": number(counts["fn"])}
    elif single and t.positive is not None:
        two = t if len(t.labels) == 2 else t.versus_rest(t.positive)
        data["cells"] = {k: number(v) for k, v in two.named().items()}
        value, p = two.chi_square()
        data["chi_square"] = {"value": value, "p": p}
    return data


def _items(t: Tally) -> Any:
    """Counts in which every item occurs once: the tables of several thresholds share their items."""
    counts = t.counts
    for k, (name, axis) in reversed(list(enumerate(t.batch))):
        if name == THRESHOLD and not isinstance(axis, Slices):
            counts = counts.take(0, axis=k)
    return counts


Place = tuple[int, ...]
Places = Callable[[Row, int | None], Iterable[Place]]


def row_documents(rows: Iterable[Row], t: Source, places: Places | None = None) -> list[dict[str, Any]]:
    """One score row for each measure and each table of the batch; `places` chooses and orders the tables of a row."""
    every = list(np.ndindex(t.shape)) if places is None else []
    chosen: Places = places if places is not None else lambda _row, _class: every
    totals = t.totals
    out: list[dict[str, Any]] = []

    def add(row: Row, columns: dict[str, Array], i: int | None, extra: dict[str, Any]) -> None:
        where = list(chosen(row, i))
        places = [at if i is None else (i, *at) for at in where]
        for at, place, chance in zip(where, places, _chances(row, places), strict=True):
            values = {k: v[place] for k, v in columns.items()} | chance
            n = t.only(row.metric).n if isinstance(t, Items) else number(totals[at])
            out.append(_one(row, values, slice_of(t, at) or None, n) | extra)

    for (_, classes), group in groupby(rows, key=lambda row: (row.system, row.classes)):
        tables = [(row, _columns(row)) for row in group]
        if classes is None:
            for row, columns in tables:
                add(row, columns, None, {})
            continue
        for i, label in enumerate(classes):
            for row, columns in tables:
                add(row, columns, i, _of_class(row, label))
    return out


def slice_of(t: Source, at: Place) -> dict[str, Any]:
    """The place of one table of the batch: each slice column, or other axis, with its value."""
    found: dict[str, Any] = {}
    for (name, axis), i in zip(t.batch, at, strict=True):
        found |= axis.where(i) if isinstance(axis, Slices) else {name: axis[i]}
    return {name: as_json(value) for name, value in found.items()}


def _of_class(row: Row, label: Any) -> dict[str, Any]:
    return {"metric": f"{row.metric}:{label}", "asked": f"{row.asked}:{label}", "class": as_json(label)}


def _columns(row: Row) -> dict[str, Array]:
    """Every number of the row, as arrays of the batch shape."""
    d = row.distribution
    p_above = np.nan if row.above is None else d.prob_above(row.above)
    columns = {
        "score": row.score, "mean": d.mean, "std": d.std, "median": d.median, "mode": d.mode,
        "low": row.low, "high": row.high, "low_gap": row.low_gap, "high_gap": row.high_gap,
        "p_above": p_above, "value": d.error.value, "probability": d.error.probability,
        "mean_error": d.mean_error() if d.route == "sampled" else d.error.value,
        "low_error": row.end_errors[0], "high_error": row.end_errors[1],
    }  # fmt: skip
    return {k: np.broadcast_to(np.asarray(v, dtype=float), d.shape) for k, v in columns.items()}


def _chances(row: Row, places: Sequence[Place]) -> list[dict[str, Any]]:
    """What random guessing gives at these tables, P(better than that), and how far this may be off."""
    names = ("chance", "p_above_chance", "chance_error")
    p, found = row.posterior, None
    if isinstance(p, Posterior) and isinstance(row.metric, Metric) and places:
        at = tuple(np.array(x) for x in zip(*places, strict=True)) or None
        found = p.against_chance(row.metric, at)
    if found is None:
        return [dict.fromkeys(names, np.nan)] * len(places)
    columns = (np.ravel(x).tolist() for x in found)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


_SHOWN = ("score", "mean", "std", "median", "mode", "low", "high")


def _one(row: Row, values: dict[str, Any], where: dict[str, Any] | None, n: Any) -> dict[str, Any]:
    low, high = row.distribution.range
    return {
        "metric": str(row.metric),
        "asked": row.asked,
        "system": row.system,
        "slice": where,
        "class": as_json(row.metric.label),
        "n": n,
        **{k: real(values[k]) for k in _SHOWN},
        "low_gap": real(values["low_gap"]),
        "high_gap": real(values["high_gap"]),
        "above": row.above,
        "p_above": real(values["p_above"]),
        "chance": real(values["chance"]),
        "p_above_chance": real(values["p_above_chance"]),
        "error": {
            "value": real(values["value"]),
            "probability": real(values["probability"]),
            "mean": real(values["mean_error"]),
            "low": real(values["low_error"]),
            "high": real(values["high_error"]),
            "chance": real(values["chance_error"]),
        },
        "route": row.distribution.route,
        "range": [real(low), real(high)],
        "infinite": [k for k in _SHOWN if np.isinf(values[k])],
        **({"trec_eval": row.metric.trec_eval} if isinstance(row.metric, Mean) and row.metric.called else {}),
    }


def real(x: Any) -> float | None:
    """A finite number, or null."""
    value = float(x)
    return value if np.isfinite(value) else None


def number(x: Any) -> int | float:
    """A count: whole where it is."""
    value = np.asarray(x).item()
    return int(value) if float(value).is_integer() else float(value)


def as_json(x: Any) -> Any:
    """A label as JSON has it."""
    return x if x is None or isinstance(x, (bool, int, float, str)) else str(x)
