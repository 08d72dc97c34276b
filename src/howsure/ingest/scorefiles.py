"""Scores in files to Scored through DuckDB: counts of each distinct score, or of 65,536 bins where they are too many.

Edges of bins are quantiles of a sample of the scores (chosen by a hash of their values, so that it repeats), the
hundredths where scores lie between 0 and 1, and the highest score of a positive item. A bin holds the scores from its
edge up to the next; what that can do to a measure is bounded in kernels/binned.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.scored import Scored
from howsure.ingest import conditions, files
from howsure.ingest.files import Reader, Watch
from howsure.ingest.patterns import Column, known_labels, many, present
from howsure.ingest.request import WEIGHT_RANGE, Request
from howsure.ingest.scores import positive_items, refuse_one_class, refuse_scores
from howsure.labels import Label
from howsure.notes import Notes, note

Array = NDArray[np.float64]

MOST: Final = 1_000_000  # distinct rows that are kept as they are
BINS: Final = 65_536
JOINT_BINS: Final = 1_024  # of each of several systems
SAMPLE: Final = 400_000


@dataclass(frozen=True)
class Asked:
    """The columns and settings of one reading."""

    truth: str
    scores: tuple[str, ...]
    weight: str | None
    where: tuple[str, ...]
    watch: Watch | None

    def rows(self, r: Reader, plain: frozenset[str]) -> tuple[str, dict[str, Any]]:
        """A query for the rows: truth, s0, s1, … and w, with its bound values; `plain` are columns of numbers."""

        def number(column: str) -> str:
            return f"CAST({r.sql(column)} AS DOUBLE)" if column in plain else r.number(column)

        bound = dict(r.bound)
        wanted = [f"{r.sql(self.truth)} AS truth", *(f"{number(x)} AS s{i}" for i, x in enumerate(self.scores))]
        wanted.append(f"{'1.0' if self.weight is None else number(self.weight)} AS w")
        return f"SELECT {', '.join(wanted)} FROM {r.table}{files.filters(r, self.where, bound)}", bound

    @property
    def columns(self) -> list[str]:
        """Every column that is read."""
        extra = [] if self.weight is None else [self.weight]
        return [self.truth, *self.scores, *extra, *(conditions.parse(w).column for w in self.where)]


def scored_files(
    paths: Sequence[str | Path],
    truth: str,
    scores: Sequence[str],
    *,
    names: Sequence[str] = (),
    positive: Label | None = None,
    weight: str | None = None,
    missing: str = "refuse",
    where: Sequence[str] = (),
    bins: int | None = None,
    watch: Watch | None = None,
) -> Scored:
    """Truths and scores of one or more files, shards of one data set; `bins` asks for so many at most."""
    if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int) or not 2 <= bins <= MOST):
        raise BadSetting(f"bins= is a whole number from 2 to {MOST:,}; got {bins!r}.")
    ask = Asked(truth, tuple(scores), weight, tuple(where), watch)
    with files.opened(paths) as (con, sources):
        readers = [files.reader(con, group, ask.columns) for group in files.grouped(sources)]
        rows = [ask.rows(r, _numbers(con, r, ask)) for r in readers]
        edges = _edges(con, rows, ask, bins)
        parts = [_counted(con, r.kind, one, ask, edges) for r, one in zip(readers, rows, strict=True)]
    systems = tuple(names) or (tuple(scores) if len(scores) > 1 else ("system",))
    return _settled(parts, systems, positive, weight, missing, edges)


def _run(con: Any, query: str, bound: dict[str, Any], watch: Watch | None) -> dict[str, Any]:
    with watch(con) if watch is not None else contextlib.nullcontext():
        return dict(con.execute(query, bound).fetchnumpy())


def _numbers(con: Any, r: Reader, ask: Asked) -> frozenset[str]:
    """Which scores and weights are stored as numbers; text that spells none is refused."""
    plain = set()
    for column in (*ask.scores, *([] if ask.weight is None else [ask.weight])):
        bound = dict(r.bound)
        kind = con.execute(f"SELECT {r.sql(column)} FROM {r.table} LIMIT 0", bound).description[0][1]
        if str(kind).partition("(")[0] in _NUMERIC:
            plain.add(column)
            continue
        inner = (
            f"SELECT {r.text(column)} AS t, {r.number(column)} AS x FROM {r.table}{files.filters(r, ask.where, bound)}"
        )
        found = con.execute(f"SELECT t FROM ({inner}) WHERE x IS NULL AND trim(t) <> '' LIMIT 1", bound).fetchone()
        if found is not None:
            raise BadLabels(f"column {column!r} holds {str(found[0])[:40]!r}, which is no number; a score is one.")
    return frozenset(plain)


_NUMERIC: Final = frozenset(
    ("DOUBLE", "FLOAT", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
     "UBIGINT", "BOOLEAN")
)  # fmt: skip
Rows = list[tuple[str, dict[str, Any]]]


def _edges(con: Any, parts: Rows, ask: Asked, bins: int | None) -> list[Array] | None:
    """The edges of the bins of each score; None where every distinct score is kept."""
    size = len(ask.scores)
    key = ", ".join(f"s{i}" for i in range(size))
    distinct = 0
    for rows, bound in parts:
        found = _run(con, f"SELECT approx_count_distinct(hash({key})) AS n FROM ({rows})", bound, ask.watch)
        distinct += int(found["n"][0])
    if bins is None and distinct <= MOST:
        return None
    number = bins if bins is not None else BINS if size == 1 else JOINT_BINS
    return [_quantiles(con, parts, ask, i, number, max(1, distinct // SAMPLE)) for i in range(size)]


def _quantiles(con: Any, parts: Rows, ask: Asked, i: int, number: int, step: int) -> Array:
    """Edges from a sample of the distinct scores, and those that make measures exact where it is cheap."""
    sample, ends, tops = [], [], []
    for rows, bound in parts:
        every = " AND ".join(f"isfinite(s{j})" for j in range(len(ask.scores)))
        good = f"FROM ({rows}) WHERE {every} AND truth IS NOT NULL AND w > 0"  # rows that will count
        sample.append(_run(con, f"SELECT DISTINCT s{i} AS x {good} AND hash(s{i}) % {step} = 0", bound, ask.watch)["x"])
        ends.append(_run(con, f"SELECT min(s{i}) AS a, max(s{i}) AS b {good}", bound, ask.watch))
        tops.append(_run(con, f"SELECT max(s{i}) AS x {good} GROUP BY truth", bound, ask.watch)["x"])
    if not any(np.ma.count(e["a"]) for e in ends):
        return np.zeros(1)  # no row will count: refused when they are counted
    low = min(float(e["a"][0]) for e in ends if np.ma.count(e["a"]))
    high = max(float(e["b"][0]) for e in ends if np.ma.count(e["b"]))
    values = np.sort(np.concatenate(sample).astype(float))
    extra = np.concatenate([np.asarray(x, dtype=float) for x in tops])
    if low >= 0.0 and high <= 1.0 and number > 400:
        extra = np.append(extra, np.arange(101) / 100)
    room = max(1, number - extra.size - 1)
    at = np.unique(np.linspace(0, max(values.size - 1, 0), min(room, values.size)).round().astype(int))
    inner = np.unique(np.concatenate([values[at], extra]))
    return np.append(low, inner[(inner > low) & (inner <= high)])


def _counted(
    con: Any, kind: str, given: tuple[str, dict[str, Any]], ask: Asked, edges: list[Array] | None
) -> dict[str, Any]:
    """Rows by truth and scores, with their number and the sums of their weights."""
    rows, bound = given
    size = len(ask.scores)
    keys = [f"s{i}" for i in range(size)]
    source = f"({rows})"
    if edges is not None:
        for i, own in enumerate(edges):
            con.register(f"edges{i}", {"e": own})
            source = (
                f"(SELECT l.* EXCLUDE (s{i}), CASE WHEN isfinite(l.s{i}) THEN r.e ELSE l.s{i} END AS s{i} "
                f"FROM {source} l ASOF LEFT JOIN edges{i} r ON l.s{i} >= r.e)"
            )
    sums = "count(*) AS n, count(w) AS given, min(w) AS least, max(w) AS most, sum(w) AS w, sum(w * w) AS ww"
    found = _run(con, f"SELECT truth, {', '.join(keys)}, {sums} FROM {source} GROUP BY truth, {', '.join(keys)}", bound,
                 ask.watch)  # fmt: skip
    request = Request(ask.truth, ())
    return files.decoded(kind, request, found)


def _settled(
    parts: list[dict[str, Any]],
    systems: tuple[str, ...],
    positive: Label | None,
    weight: str | None,
    missing: str,
    edges: list[Array] | None,
) -> Scored:
    """The Scored of what was counted."""
    sums = {k: np.concatenate([np.ma.filled(p[k], np.nan).astype(float) for p in parts]) for k in _SUMS}
    scores = np.stack(
        [np.concatenate([np.ma.filled(p[f"s{i}"], np.nan).astype(float) for p in parts]) for i in range(len(systems))],
        axis=1,
    )
    if not sums["n"].any():
        raise BadLabels("there are no items: no row has a truth and a score.")
    columns = [p["truth"] for p in parts]
    lost = np.concatenate([c.codes < 0 for c in columns]) | np.isnan(scores).any(axis=1)
    _refuse_weights(sums, weight)
    notes: Notes = ()
    total, gone = int(sums["n"].sum()), int(sums["n"][lost].sum())
    if gone and missing == "refuse":
        raise BadLabels(
            f"{many(gone)} of {total:,} rows have no truth or no score; give missing='drop' to leave them out."
        )
    if gone:
        notes = (note("missing-dropped", form="score", count=gone, total=total),)
    keep = ~lost & (sums["w"] > 0)
    if not keep.any():
        raise BadLabels("there are no items: no row has a truth and a score.")
    known = known_labels(set().union(*(present(_kept(c, columns, k, keep)) for k, c in enumerate(columns))), [], None)
    made = [positive_items(c, known, positive) for c in columns]
    truth = np.concatenate([yes for yes, _ in made])[keep]
    refuse_scores(scores[keep])
    refuse_one_class(truth, made[0][1])
    if edges is not None:
        size = max(len(e) for e in edges)
        ends = tuple((float(e[0]), float(e[-1])) for e in edges)
        notes = (*notes, note("binned", bins=size, scores=len(edges), ends=ends))
    counts = sums["w"][keep]
    square = None if weight is None else float(sums["ww"][keep].sum())
    plain = weight is None and bool((counts == 1).all())
    return Scored(
        truth, scores[keep], systems, made[0][1], None if plain else counts, square, None, notes,
        0 if edges is None else max(len(e) for e in edges),
    )  # fmt: skip


_SUMS: Final = ("n", "given", "least", "most", "w", "ww")


def _kept(column: Column, columns: list[Column], k: int, keep: NDArray[np.bool_]) -> Column:
    start = sum(len(c.codes) for c in columns[:k])
    return Column(column.levels, column.codes[keep[start : start + len(column.codes)]])


def _refuse_weights(sums: dict[str, Array], weight: str | None) -> None:
    if weight is None:
        return
    empty = int((sums["n"] - sums["given"]).sum())
    if empty or not np.isfinite(sums["w"]).all():
        lost = f"{many(empty)} are missing" if empty else "at least one is NaN or infinite"
        raise BadLabels(f"weights must be finite numbers; {lost} in column {weight!r}.")
    if sums["least"].min() < 0:
        raise BadLabels(f"weights cannot be negative; got {sums['least'].min():g} in column {weight!r}.")
    if not sums["w"].any():
        raise BadLabels("all weights are 0.")
    if sums["most"].max() > 1e100 or ((sums["ww"] == 0) & (sums["w"] > 0)).any():
        raise BadLabels(WEIGHT_RANGE)
