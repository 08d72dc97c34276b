"""Weighted items: the Gammas of the cells that a measure looks at, each with the effective size of its own items.

One factor for a whole table (Kish's) is that of its heaviest part: positives of weight 1 beside negatives of weight 99
would make recall as unsure as the few negatives are. So the mass of a cell is a Gamma of its own shape and scale
(distributions/weights.py), and measures see its scale.

The prior's items in a cell have the weight that its neighbours foretell: that of the cell in the same truth row times
that in the same column over that of the opposite cell, kept between the first two. So they weigh what the items of the
row do where weights follow the truth, and what those of the column do where they follow the answer. Where the row has
one weight, or a neighbour is empty, they weigh what the row's items do, else what those of the table do (docs/why/018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.distributions.weights import ALIKE, added_at, gamma_of, scale_of

Shapes = dict[str, Array]

STRONG: Final = 1.25  # how much of the effective size weights that follow something cost, from which it is said
LEAST: Final = 5.0  # effective items of a group that can tell

NEIGHBOURS: Final = {  # in the row, in the column, opposite
    "tp": ("fn", "fp", "tn"), "fp": ("tn", "tp", "fn"), "fn": ("tp", "tn", "fp"), "tn": ("fp", "fn", "tp"),
}  # fmt: skip


def weighed(sums: Mapping[str, Any], squares: Mapping[str, Any], prior: Mapping[str, Any]) -> tuple[Shapes, Shapes]:
    """Shapes and scales of the four cells of a table, or of a batch, from the sums of weights and of their squares."""
    sums, squares, _ = relative(sums, squares)
    units = _foretold(sums, squares)
    made = {c: gamma_of(sums[c], squares[c], prior[c], units[c]) for c in sums}
    return {c: x[0] for c, x in made.items()}, {c: x[1] for c, x in made.items()}


def relative(sums: Mapping[str, Any], squares: Mapping[str, Any]) -> tuple[Shapes, Shapes, Array]:
    """The sums in units of the table's own scale, which goes with them: only ratios of weights matter."""
    one = scale_of(np.asarray(sum(sums.values()), dtype=float), np.asarray(sum(squares.values()), dtype=float))
    return {c: sums[c] / one for c in sums}, {c: squares[c] / one / one for c in squares}, one


def _foretold(sums: Shapes, squares: Shapes) -> Shapes:
    """What an item of the prior weighs in each cell."""
    found = {}
    for c, (row, column, opposite) in NEIGHBOURS.items():
        beside, below, across = (scale_of(sums[x], squares[x], np.nan) for x in (row, column, opposite))
        between = np.clip(beside * below / across, np.fmin(beside, below), np.fmax(beside, below))
        own = scale_of(sums[c], squares[c], np.ones_like(beside))
        alone = np.where(np.isnan(beside), own, beside)
        known = np.isnan(beside + below + across) | np.isclose(own, beside, rtol=ALIKE, atol=0.0)
        found[c] = np.where(known, alone, between)
    return found


def uneven(scales: Mapping[str, Array]) -> dict[str, Array] | None:
    """The scales, those that differ by rounding made the same; None where all are the same."""
    settled: dict[str, Array] = {}
    for c, x in scales.items():
        known = x
        for other in settled.values():
            known = np.where(np.isclose(known, other, rtol=ALIKE, atol=0.0), other, known)
        settled[c] = known
    first = next(iter(settled.values()))
    return None if all(np.array_equal(x, first) for x in settled.values()) else settled


def of_patterns(sums: Any, squares: Any | None) -> tuple[Array, Array | None]:
    """Effective sizes of the patterns of a table (the last axis), and their scales where these differ."""
    if squares is None:
        return np.asarray(sums, dtype=float), None
    one = scale_of(sums.sum(axis=-1), squares.sum(axis=-1))[..., None]
    shapes, scales = gamma_of(sums / one, squares / one / one, 0.0, np.ones_like(sums))
    settled = np.where(np.isclose(scales, 1.0, rtol=ALIKE, atol=0.0), 1.0, scales)
    return shapes, None if (settled == 1.0).all() else settled


def scales_of_rows(shapes: Array, scales: Array, truth: Any, rows: int) -> Array:
    """What a unit weighs in each truth row of a table; in a row without items, as in the table."""
    mass = shapes * scales
    sums, squares = (added_at(truth, x, rows) for x in (mass, mass * scales))
    return scale_of(sums, squares, scale_of(sums.sum(), squares.sum()))


def followed(sums: Array, squares: Any, codes: Any) -> str | None:
    """What weights follow strongly, where they do: the truth (the first column of the codes), or an answer.

    Told by how much smaller the effective size of all items is than those of the groups together.
    """
    names = ["truth", *["answer"] * (codes.shape[1] - 1)]
    lost = [_lost(sums, squares, codes[:, j].astype(np.int64)) for j in range(codes.shape[1])]
    most = int(np.argmax(lost))
    return names[most] if lost[most] >= STRONG else None


def _lost(sums: Array, squares: Array, groups: Any) -> float:
    """The groups' effective sizes, added up, over that of all their items; 1 of groups too small to tell."""
    s, q = (added_at(groups - groups.min(), x, int(np.ptp(groups)) + 1) for x in (sums, squares))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(s > 0, s * s / q, 0.0)
    told = size >= LEAST
    return float(size[told].sum() * q[told].sum() / s[told].sum() ** 2) if told.sum() > 1 else 1.0
