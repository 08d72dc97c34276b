"""Draws of judged items whose validated part is a random one: P(what the judge says) times P(human | what it says).

Judge, answers and human labels have one Dirichlet law over all patterns, of which those without a human label are seen
in the first two only. Sums over a stratum (a verdict; a judge's label and an answer) and the shares of human labels
among its validated items are then independent: a Beta or Dirichlet of all items, and a Beta of the validated ones. So
nothing is inverted, and no rate leaves [0, 1]. Several systems have their patterns in common; the prior's weight is
dealt to patterns by stick-breaking, and each system alone has the law that it has by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import draws as drawing
from howsure.kernels.sticks import atoms

if TYPE_CHECKING:
    from howsure.evidence.judged import JudgedItems

Array = NDArray[np.float64]

CHUNK: Final = 4_000
LEFT: Final = 1e-6


def strata_draws(
    known: Array, unknown: Array, weights: Array, n: int, seed: int, place: int
) -> tuple[Array, Array, Array]:
    """Draws of one table: the share of every stratum, and of human labels 1 and 0 within it, (strata, n) each."""
    shapes = np.concatenate([unknown, known[:, 0] + weights[:, 0], known[:, 1] + weights[:, 1]])
    none, no, yes = np.split(drawing.log_shares(shapes.astype(float), n, seed, place), 3)
    share, rest = drawing.together(yes, no)
    return np.exp(none) + np.exp(no) + np.exp(yes), share, rest


def joint_strata(e: JudgedItems, counts: Array, weights: Array, n: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Draws of all systems, some at a time: shares of strata, of human label 1 in them, (draws, system, stratum)."""
    rng = drawing.generator(seed, 30_011, e.cells, counts, weights)
    systems = range(len(e.systems))
    places = [_slots(e, k) for k in systems]
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        mass = drawing.gammas(counts.astype(float), size, rng).T
        found = np.stack([mass @ place for place in places], axis=1).reshape(size, len(systems), e.strata, 3)
        found[..., 1:] += _prior_mass(e, weights, size, rng)
        share = found.sum(axis=-1)
        both = found[..., 1:].sum(axis=-1)
        coin = (rng.random(both.shape) < 0.5).astype(float)  # what a Beta of two tiny weights is
        with np.errstate(divide="ignore", invalid="ignore"):
            yes = np.where(both > 0, found[..., 2] / both, coin)
        yield share / share.sum(axis=-1, keepdims=True), yes


def _slots(e: JudgedItems, k: int) -> Array:
    """Which patterns count for each stratum and human label (none, 0, 1) of a system, (patterns, strata · 3)."""
    stratum, human = e.seen(k)
    slot = np.where(stratum < 0, -1, 3 * stratum + human + 1)
    return np.asarray(slot[:, None] == np.arange(3 * e.strata), dtype=float)


def _prior_mass(e: JudgedItems, weights: Array, size: int, rng: np.random.Generator) -> Array:
    """What the prior adds to the validated items of every system, (size, systems, strata, 2)."""
    systems, total = len(e.systems), float(weights.sum())
    (parts,), rest = atoms(rng, np.array([total]), size, LEFT)
    slots = _atom_slots(e, weights, (size, len(parts)), rng)
    mass = rng.standard_gamma(total, (size, 1))
    flat = np.stack([np.einsum("kn,nks->ns", parts, (slots == c).astype(float)) for c in range(weights.size)], axis=-1)
    if rest is not None:  # of a heavy prior: dealt to each system apart
        apart = drawing.gamma_each(np.broadcast_to(weights.ravel(), flat.shape), rng)
        flat += rest.T[..., None] * apart / apart.sum(axis=-1, keepdims=True)
    return np.asarray(mass[..., None] * flat).reshape(size, systems, *weights.shape)


def _atom_slots(e: JudgedItems, weights: Array, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.int64]:
    """The stratum and human label of each atom of the prior for each system, as places among the weights."""
    systems = len(e.systems)
    if not e.truths:
        return _dealt(weights.ravel() / weights.sum(), (*shape, systems), rng)
    own = weights.reshape(2, 2, 2)  # judge, answer, human
    pair = _dealt(own.sum(axis=1).ravel() / own.sum(), shape, rng)
    yes = (own[:, 1] / own.sum(axis=1)).ravel()[pair]
    answer = rng.random((*shape, systems)) < yes[..., None]
    judge, human = pair // 2, pair % 2
    return np.asarray(2 * (2 * judge[..., None] + answer) + human[..., None], dtype=np.int64)


def _dealt(shares: Array, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(np.cumsum(shares), rng.random(shape), side="right"), shares.size - 1)
