"""The cases: for each kind of size the calls that are timed, each with the sizes it is given.

A line's `make` prepares the data of a size and returns the call; only the call is timed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs

SEED = 18
ITEMS = 100_000  # of the cases with classes
MEMBERS = 5  # of a cluster
Call = Callable[[], Any]


@dataclass(frozen=True)
class Line:
    """One line of a chart: its name, what makes a call of a size in a folder, and the sizes."""

    name: str
    make: Callable[[int, Path], Call]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One chart: what grows, its axis and its lines."""

    key: str
    title: str
    axis: str
    lines: tuple[Line, ...]


def _decades(low: int, high: int) -> tuple[int, ...]:
    return tuple(10**k for k in range(low, high + 1))


def _interval(evidence: Any, metric: str, **settings: Any) -> hs.Interval:
    return hs.posterior(evidence, **settings)[metric].interval()


def _counted(*data: Any, **columns: Any) -> hs.Interval:
    """F1 from rows, their counting included."""
    return _interval(hs.tally(*data, **columns), "f1")


def _one_by_one(table: hs.Tally) -> hs.Interval:
    """F1 of every class against the rest."""
    return _interval(table.versus_each(), "f1")


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


# -- items -----------------------------------------------------------------------------------------


def _labels(n: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Truths and answers in the proportions 80, 20, 30, 870."""
    at = _rng().integers(0, 1000, n, dtype=np.int16)
    y, z = at < 110, (at < 80) | ((at >= 110) & (at < 130))
    return y.view(np.int8), z.view(np.int8)


def _arrays(n: int, _: Path) -> Call:
    y, z = _labels(n)
    return partial(_counted, y, z)


def _file(suffix: str) -> Callable[[int, Path], Call]:
    def make(n: int, folder: Path) -> Call:
        import duckdb

        path = folder / f"rows.{suffix}"
        path.unlink(missing_ok=True)
        with duckdb.connect() as con:
            con.execute("SELECT setseed(0.5)")
            truths = f"SELECT (random() < 0.11)::TINYINT AS y FROM range({n})"
            rows = f"SELECT y, CASE WHEN random() < 0.9 THEN y ELSE 1 - y END AS z FROM ({truths})"
            con.execute(f"COPY ({rows}) TO '{path}' (FORMAT {suffix})")
        return partial(_counted, str(path), truth="y", pred="z")

    return make


# -- classes, slices -------------------------------------------------------------------------------


def _table(k: int) -> hs.Tally:
    rng = _rng()
    y = rng.integers(0, k, ITEMS)
    z = np.where(rng.random(ITEMS) < 0.8, y, rng.integers(0, k, ITEMS))
    return hs.tally(y, z, labels=range(k))


def _macro(k: int, _: Path) -> Call:
    t = _table(k)
    return partial(_interval, t, "macro-f1")


def _each(k: int, _: Path) -> Call:
    t = _table(k)
    return partial(_one_by_one, t)


def _slices(many: int, _: Path) -> Call:
    tp, fp, fn, tn = _rng().multinomial(200, [0.08, 0.02, 0.03, 0.87], many).T
    t = hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)
    return partial(_interval, t, "f1")


def _shrunken(many: int, _: Path) -> Call:
    rng = _rng()
    n = rng.integers(5, 200, many)
    t = hs.Tally.rate(hits=rng.binomial(n, rng.beta(14, 6, many)), of=n)
    return partial(_interval, t, "rate", prior="shared")


# -- systems, queries, clusters --------------------------------------------------------------------


def _answers(systems: int) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    rng = _rng()
    y = rng.integers(0, 2, 1000)
    return y, {f"s{i}": np.where(rng.random(1000) < 0.8 + 0.0005 * i, y, 1 - y) for i in range(systems)}


def _same_items(systems: int, _: Path) -> Call:
    t = hs.tally(*_answers(systems))
    return lambda: hs.leaderboard(t, metric="f1").p_best


def _other_items(systems: int, _: Path) -> Call:
    y, answers = _answers(systems)
    tables = {name: hs.tally(y, z) for name, z in answers.items()}
    return lambda: hs.leaderboard(tables, metric="f1").p_best


def _runs(queries: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Twenty documents a query, all of them judged."""
    rng = _rng()
    names = [f"d{j}" for j in range(20)]
    grades = rng.integers(0, 3, (queries, 20)).tolist()
    judged = {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(grades)}
    runs = {}
    for run in ("a", "b"):
        scores = rng.random((queries, 20)).tolist()
        runs[run] = {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(scores)}
    return judged, runs


def _values(queries: int, _: Path) -> Call:
    judged, runs = _runs(queries)
    return lambda: hs.trec(judged, runs, metrics=["nDCG@10", "AP"])


def _compared(queries: int, _: Path) -> Call:
    v = hs.trec(*_runs(queries), metrics=["nDCG@10"])
    return lambda: hs.compare(v, "a", "b", metric="nDCG@10").p_better


def _clusters(metric: str) -> Callable[[int, Path], Call]:
    def make(many: int, _: Path) -> Call:
        rng = _rng()
        y = rng.integers(0, 2, MEMBERS * many)
        z = np.where(rng.random(y.size) < 0.8, y, 1 - y)
        t = hs.tally(y, z, cluster=np.repeat(np.arange(many), MEMBERS))
        return partial(_interval, t, metric)

    return make


CLASSES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
CASES = (
    Case("items", "F1 with its interval, of more and more items", "items", (
        Line("two arrays", _arrays, _decades(3, 8)),
        Line("a Parquet file", _file("parquet"), _decades(3, 8)),
        Line("a CSV file", _file("csv"), _decades(3, 7)),
    )),
    Case("classes", f"{ITEMS:,} items of more and more classes", "classes", (
        Line("macro-F1 with its interval", _macro, CLASSES),
        Line("the interval of F1 of every class", _each, CLASSES),
    )),
    Case("slices", "Intervals of more and more slices", "slices", (
        Line("F1 of each slice", _slices, _decades(0, 6)),
        Line("rates that lend strength", _shrunken, _decades(1, 5)),
    )),
    Case("systems", "A leaderboard on F1 of more and more systems, 1,000 items", "systems", (
        Line("on the same items", _same_items, (2, 5, 10, 20, 50, 100, 200)),
        Line("each on its own items", _other_items, (2, 5, 10, 20, 50, 100, 200)),
    )),
    Case("queries", "Two runs of more and more queries, 20 documents each", "queries", (
        Line("nDCG@10 and AP of all queries", _values, _decades(1, 5)),
        Line("which run is better", _compared, _decades(1, 5)),
    )),
    Case("clusters", f"More and more clusters of {MEMBERS} items", "clusters", (
        Line("recall with its interval", _clusters("recall"), _decades(1, 5)),
        Line("F1 with its interval", _clusters("f1"), _decades(1, 5)),
    )),
)  # fmt: skip
