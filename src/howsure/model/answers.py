"""Answers: what systems said to the same items, as yes and no against a truth of yes and no.

The prior weight of a joint pattern is w(y, a)·w(y, b)·…/w(y, ·)^(S-1), so each system's own posterior is what it is
alone. For two systems the joint patterns are listed: where both measures have the same denominator (recall, accuracy,
specificity, a rate) the difference is a linear quotient and exact; otherwise both are taken from the same draws.
For more systems occupied patterns carry Gammas of their counts, and the prior's weight is one Gamma dealt by
stick-breaking from the prior itself (y, then each system's answer given y), so that patterns not yet seen need no
enumeration and the cost follows the distinct ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.expressions import CELLS
from howsure.forms import Linear
from howsure.kernels import draws as drawing
from howsure.kernels.sticks import count, sticks
from howsure.routes import linear_groups_law, values

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]
Cells = dict[str, Array]

CHUNK: Final = 2_000  # draws at a time
NUMBERS: Final = 20_000_000  # answers of atoms at a time
LEFT: Final = 1e-6  # of the prior's mass, for the last atom
MOST_STICKS: Final = 100_000
NAMES: Final = {(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}  # truth, answer


@dataclass(frozen=True, eq=False)
class Answers:
    """Patterns of truth and answers with their counts, and the prior's weights of (no, yes) for each truth."""

    truth: NDArray[np.int64]
    says: NDArray[np.bool_]  # (patterns, systems)
    shapes: Array  # (*batch, patterns): counts that drive the posterior
    counts: Array  # the raw ones
    rows: dict[int, tuple[float, float]]

    # -- two systems

    @property
    def pairs(self) -> tuple[tuple[int, int, int], ...]:
        """The joint patterns of two systems: truth, first, second."""
        return tuple(product(sorted(self.rows), (0, 1), (0, 1)))

    def _here(self, pattern: tuple[int, int, int]) -> NDArray[np.bool_]:
        y, a, b = pattern
        return np.asarray((self.truth == y) & (self.says[:, 0] == a) & (self.says[:, 1] == b))

    def pair_shapes(self) -> list[Array]:
        """Shapes of the joint patterns, with the prior's weight of each."""
        return [
            np.asarray(self.shapes[..., self._here((y, a, b))].sum(axis=-1) + self._weight(y, a, b))
            for y, a, b in self.pairs
        ]

    def _weight(self, y: int, a: int, b: int) -> float:
        row = self.rows[y]
        return row[a] * row[b] / sum(row)

    def pair_counts(self) -> list[int]:
        """Items of each joint pattern."""
        return [int(self.counts[..., self._here(p)].sum(axis=-1)) for p in self.pairs]

    def exact_difference(self, metric: Metric) -> Law | None:
        """The law of the difference when both systems share their denominator; None otherwise."""
        form = metric.reading.form
        if not isinstance(form, Linear) or metric.reading.outer:
            return None
        top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
        groups: dict[tuple[float, float], Array] = {}
        for (y, a, b), shape in zip(self.pairs, self.pair_shapes(), strict=True):
            one, two = NAMES[y, a], NAMES[y, b]
            if bottom[one] != bottom[two]:
                return None
            key = (top[one] - top[two], bottom[one])
            if any(key):
                groups[key] = groups.get(key, np.zeros(())) + shape
        found = linear_groups_law(groups)
        return None if found is None else found[0]

    def pair_draws(self, metric: Metric, n: int, seed: int) -> tuple[Array, Array]:
        """Draws of both systems' measures from the same joint cells, (n, *batch) each."""
        shapes = self.pair_shapes()
        shape = np.broadcast_shapes(*(s.shape for s in shapes))
        flat = np.stack([np.broadcast_to(s, shape).ravel() for s in shapes])
        out = np.empty((2, n, flat.shape[1]))
        for j in range(flat.shape[1]):
            logs = drawing.log_shares(flat[:, j], n, seed, j)
            for side in (0, 1):
                cells = self.pair_cells(logs, side)
                out[side, :, j] = values(metric, {c: np.exp(x) for c, x in cells.items()}, cells)
        first, second = out.reshape(2, n, *shape)
        return first, second

    def pair_cells(self, logs: Array, side: int) -> Cells:
        """Logs of the cells of one of two systems from those of the joint patterns."""
        cells: Cells = {}
        for c in CELLS:
            mine = [logs[i] for i, p in enumerate(self.pairs) if NAMES[p[0], p[1 + side]] == c]
            cells[c] = np.logaddexp.reduce(mine) if mine else np.full(logs.shape[1], -np.inf)
        return cells

    # -- any number of systems

    def cell_draws(self, n: int, seed: int) -> Iterator[Cells]:
        """Draws of the cells of every system, some at a time, (draws, systems) each; they are not normalised."""
        kept = self.shapes > 0
        truth, says, shapes = self.truth[kept], self.says[kept], self.shapes[kept]
        rng = np.random.Generator(np.random.SFC64([seed, 10_007]))
        rows = {y: self.rows.get(y, (0.0, 0.0)) for y in (0, 1)}
        weight = np.array([sum(rows[y]) for y in (0, 1)])
        rate = np.array([rows[y][1] / sum(rows[y]) if sum(rows[y]) else 0.0 for y in (0, 1)])
        sticks_needed = count(float(weight.sum()), LEFT, MOST_STICKS)
        most = max(1, min(CHUNK, NUMBERS // (sticks_needed * says.shape[1])))
        for start in range(0, n, most):
            size = min(most, n - start)
            mass = rng.standard_gamma(shapes, (size, shapes.size))
            parts, y, a = dealt(rng, size, weight, rate, says.shape[1])
            cells = {}
            for name, yes, said in (("tp", 1, True), ("fn", 1, False), ("fp", 0, True), ("tn", 0, False)):
                seen = mass[:, truth == yes] @ (says[truth == yes] == said)
                unseen = np.einsum("nk,nks->ns", parts * (y == yes), (a == said).astype(float))
                cells[name] = seen + unseen
            yield cells

    def joint_draws(self, metric: Metric, n: int, seed: int) -> Array:
        """Draws of the measure of every system, (n, systems)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.concatenate([np.asarray(metric.formula(**cells)) for cells in self.cell_draws(n, seed)])


def dealt(
    rng: np.random.Generator, size: int, weight: Array, rate: Array, systems: int
) -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """The prior's mass in atoms: their weights, their truths and the systems' answers."""
    total = float(weight.sum())
    parts = sticks(rng, np.array([total]), size, LEFT, MOST_STICKS)[0].T * rng.standard_gamma(total, (size, 1))
    y = (rng.random(parts.shape) < weight[1] / total).astype(np.int64)
    return parts, y, rng.random((*parts.shape, systems)) < rate[y][..., None]


def p_values(answers: Answers, metric: Metric, seed: int) -> dict[str, Any]:
    """McNemar's tests and a paired permutation test, by kernels/classical_tests."""
    from howsure.kernels.classical_tests import of_answers

    return of_answers(answers.pairs, answers.pair_counts(), metric.formula, seed)
