"""Draws of any number of systems that answered the same items.

Of few systems all patterns are listed, with the prior's weight of each. Of more, occupied patterns carry Gammas of
their counts, and the prior's weight is one Gamma dealt by stick-breaking from the prior itself (y, then the systems'
answers given y), so that patterns not yet seen need no enumeration and the cost follows the distinct ones. Where that
weight is large it would take as many sticks: then what the first ones leave is dealt to each system apart, by the law
that it has alone; the dependence of higher order, which that leaves out, fades with the weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.kernels import draws as drawing
from howsure.kernels.sticks import ATOMS, atoms, coin_shares, count
from howsure.kernels.weights import added_at, gamma_of
from howsure.model.answers import NAMES, Answers, Array, Cells, balance
from howsure.routes import TINY, values

Yes = NDArray[np.bool_]

FEW: Final = 5  # systems whose patterns are listed
CHUNK: Final = 2_000  # draws at a time
NUMBERS: Final = 20_000_000  # answers of atoms at a time
LEFT: Final = 1e-6  # of the prior's mass, for the last atom


def cell_draws(answers: Answers, n: int, seed: int) -> Iterator[Cells]:
    """Draws of the cells of every system, some at a time, (draws, systems) each; they are not normalised."""
    own = drawing.stream(seed, answers.truth, answers.says, answers.shapes)
    rng = np.random.Generator(np.random.SFC64([own, 10_007]))
    systems = answers.says.shape[1]
    if systems <= FEW:
        truth, says, shapes, scales = listed(answers)
        for start in range(0, n, CHUNK):
            size = min(CHUNK, n - start)
            mass = drawing.gammas(shapes, size, rng).T
            yield _added(truth, says, mass if scales is None else mass * scales)
        return
    kept = answers.shapes > 0
    truth, says, shapes = answers.truth[kept], answers.says[kept], answers.shapes[kept]
    needed = sum(count(sum(row), LEFT, ATOMS) for row in answers.rows.values())
    most = max(1, min(CHUNK, NUMBERS // (max(1, needed) * systems)))
    units = dict.fromkeys(answers.rows, 1.0) if answers.scales is None else answers.units()
    weigh = {NAMES[y, a]: unit for y, unit in units.items() for a in (0, 1)}
    for start in range(0, n, most):
        size = min(most, n - start)
        mass = rng.standard_gamma(shapes, (size, shapes.size))
        cells = _added(truth, says, mass if answers.scales is None else mass * answers.scales[kept])
        added = prior_cells(rng, size, answers.rows, systems, answers.row)
        yield {c: x + added[c] * weigh[c] if c in added else x for c, x in cells.items()}


def joint_draws(answers: Answers, metrics: Sequence[Metric], n: int, seed: int) -> list[Array]:
    """Draws of each measure of every system, (n, systems), all from the same cells."""
    if answers.says.shape[1] <= FEW and min(listed(answers)[2]) < TINY:
        return [_by_logs(answers, metric, n, seed) for metric in metrics]
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = [[np.asarray(m.formula(**cells)) for m in metrics] for cells in cell_draws(answers, n, seed)]
    return [np.concatenate(parts) for parts in zip(*drawn, strict=True)]


def _by_logs(answers: Answers, metric: Metric, n: int, seed: int) -> Array:
    """The same at shapes that underflow."""
    truth, says, shapes, scales = listed(answers)
    logs = drawing.log_shares(shapes, n, seed, 0, scales)
    out = np.empty((n, says.shape[1]))
    for k in range(says.shape[1]):
        cells: Cells = {}
        for (y, said), name in NAMES.items():
            mine = logs[(truth == y) & (says[:, k] == said)]
            cells[name] = np.logaddexp.reduce(mine) if len(mine) else np.full(n, -np.inf)
        out[:, k] = values(metric, {c: np.exp(x) for c, x in cells.items()}, cells)
    return out


def _added(truth: NDArray[np.int64], says: Yes, mass: Array) -> Cells:
    """Cells of every system from the masses of patterns, (draws, patterns)."""
    cells = {}
    for (y, said), name in NAMES.items():
        here = truth == y
        cells[name] = mass[:, here] @ (says[here] == said)
    return cells


# -- few systems: every pattern


def listed(answers: Answers) -> tuple[NDArray[np.int64], Yes, Array, Array | None]:
    """All patterns that weigh something: truths, answers, counts with the prior's weights added, and scales if any."""
    systems = answers.says.shape[1]
    patterns = list(product(sorted(answers.rows), *[(0, 1)] * systems))
    place = {p: i for i, p in enumerate(patterns)}
    added = np.array([answers.weight(p[0], *p[1:]) for p in patterns])
    rows = np.column_stack([answers.truth, answers.says]).astype(int).tolist()
    at = [place[tuple(r)] for r in rows]
    shapes, scales = added.copy(), None
    if answers.scales is None:
        np.add.at(shapes, at, answers.shapes)
    else:
        mass, units = answers.shapes * answers.scales, answers.units()
        sums, squares = (added_at(np.array(at), x, len(patterns)) for x in (mass, mass * answers.scales))
        shapes, scales = gamma_of(sums, squares, added, np.array([float(units[p[0]]) for p in patterns]))
    kept = shapes > 0
    codes = np.array(patterns)[kept]
    return codes[:, 0], codes[:, 1:] == 1, shapes[kept], None if scales is None else scales[kept]


# -- many systems: the prior's mass by sticks


def prior_cells(
    rng: np.random.Generator, size: int, rows: dict[int, tuple[float, float]], systems: int, row: int | None = None
) -> Cells:
    """What the prior adds to the cells of each system, (size, systems); `row` is the one with balanced splits."""
    cells: Cells = {}
    for y, weights in rows.items():
        total = rng.standard_gamma(sum(weights), (size, 1))
        share = _shares(rng, size, weights, systems, y == row)
        cells[NAMES[y, 1]], cells[NAMES[y, 0]] = total * share, total * (1.0 - share)
    return cells


def _shares(rng: np.random.Generator, size: int, row: tuple[float, float], systems: int, balanced: bool) -> Array:
    """The share of a row's prior mass on which each system says yes, (size, systems)."""
    no, yes = row
    total, rate = no + yes, yes / (no + yes)
    (parts,), rest = atoms(rng, np.array([total]), size, LEFT)
    draws = rng.random((*parts.T.shape, systems), dtype=np.float32)
    says = _balanced(rng, draws, rate) if balanced else draws < rate
    share = np.einsum("kn,nks->ns", parts, says.astype(float))
    if rest is not None:
        apart = coin_shares(rng, yes, no, (size, systems))
        share += rest.T * (np.clip(_centred(apart, rate), 0.0, 1.0) if balanced else apart)
    return np.asarray(share)


def _balanced(rng: np.random.Generator, draws: NDArray[np.float32], rate: float) -> Yes:
    """Splits of the systems, as balanced as the rate allows, every one as likely as the others."""
    low, part = balance(rate, draws.shape[-1])
    order = np.partition(draws, (max(low - 1, 0), low), axis=-1)[..., max(low - 1, 0) : low + 1]
    more = rng.random(draws.shape[:-1]) < part
    last = np.where(more, order[..., -1], order[..., 0] if low else -1.0)
    return np.asarray(draws <= last[..., None])


def _centred(shares: Array, rate: float) -> Array:
    """Shares of systems whose sum is fixed, with the spread that they have alone."""
    systems = shares.shape[1]
    return np.asarray(rate + (shares - shares.mean(axis=1, keepdims=True)) * np.sqrt(systems / (systems - 1.0)))
