"""Reports of random tables: 10 to a million items, cells of all sizes, some empty, two to four rounded measures."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

from howsure.catalogue import parse
from howsure.catalogue.expressions import CELLS
from howsure.relations.quantities import quantity, shown

NAMES = (*(q.name for q in shown()), "macro-f1", "macro-precision", "weighted-f1", "fbeta(3)")
CURVED = tuple(name for name in NAMES if quantity(name).linear is None)
EMPTY = ((0,), (1,), (2,), (3,), (0, 2), (0, 1), (1, 3), (2, 3))  # a cell, or a margin


class Report(NamedTuple):
    """The table, and what was printed of it."""

    table: Any
    values: dict[str, str]
    n: int | None


def report(seed: int) -> Report:
    """One report; four in five have a measure that is no quotient, three in ten tell n."""
    rng = random.Random(seed)
    table = _table(rng)
    count, digits = rng.randint(2, 4), rng.randint(2, 4)
    names = rng.sample(NAMES, len(NAMES))
    if rng.random() < 0.8:
        names.insert(0, rng.choice(CURVED))
    values: dict[str, str] = {}
    for name in names:
        value = float(quantity(name).at(table))
        if np.isfinite(value) and len(values) < count:
            values[name] = f"{value:.{digits}f}"
    return Report(table, values, int(table.sum()) if rng.random() < 0.3 else None)


def scored_report(seed: int) -> Report:
    """One report of a table with an empty cell, or two across, with the tetrachoric correlation as score prints it."""
    rng = random.Random(seed)
    table = np.maximum(_table(rng), 1.0)
    table[list(rng.choice(((0,), (1,), (2,), (3,), (0, 3), (1, 2))))] = 0.0
    digits = rng.randint(2, 4)
    names = ["tetrachoric", *rng.sample([x for x in NAMES if x != "tetrachoric"], rng.randint(1, 3))]
    values = {x: float(quantity(x).at(table)) for x in names} | {"tetrachoric": score_by_rule(table)}
    told = {x: f"{value:.{digits}f}" for x, value in values.items() if np.isfinite(value)}
    return Report(table, told, int(table.sum()) if rng.random() < 0.3 else None)


def score_by_rule(table: Any) -> float:
    """The tetrachoric correlation as a point score, empty cells filled."""
    return float(parse("tetrachoric").score(dict(zip(CELLS, table, strict=True))))


def _table(rng: random.Random) -> Any:
    n, kind = 10 ** rng.uniform(1, 6), rng.random()
    if kind < 0.5:
        weights = [rng.gammavariate(1, 1) for _ in range(4)]
    elif kind < 0.8:
        weights = [10 ** rng.uniform(-5, 0) for _ in range(4)]
    else:
        p, r, f = 10 ** rng.uniform(-3, -0.3), rng.uniform(0.3, 1), 10 ** rng.uniform(-4, 0)
        weights = [p * r, (1 - p) * f, p * (1 - r), (1 - p) * (1 - f)]
    table = np.round(np.array(weights) * n / sum(weights))
    if rng.random() < 0.15:
        table[list(rng.choice(EMPTY))] = 0
    return table if table.sum() else np.array([10.0, 0, 0, 0])
