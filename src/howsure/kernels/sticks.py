"""Stick-breaking: the mass of a Dirichlet process in atoms (Sethuraman 1994); and the jumps of a Gamma process.

Statement: what is left after a stick is a uniform to the power 1/weight of what was left before; each atom takes the
difference. After j sticks a share of (w/(1 + w))^j is left on average, and goes to the last atom.
What is left is again such a mass, independent of the sticks: under a large weight, which would take as many sticks, the
rest after ATOMS of them is not broken; coins on it are drawn apart, each by its own Beta.
Jumps of a Gamma process above x come as E1(x) of them a unit of weight (the Lévy density is exp(-x)/x); they are the
masses of cells that share a Gamma's weight evenly, when the cells are very many.
Domain: weights of at least 0; below 1e-9 all the mass is one atom. Jumps are those above SMALLEST; the mean of all that
is left out is SMALL_JUMPS a unit of weight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEFT = 1e-3
MOST = 400
ATOMS = 64  # sticks, where the rest can be dealt without them
SMALLEST = 1e-3
_BELOW_ONE, _ABOVE_ONE = -float(np.log(SMALLEST)), float(np.exp(-1.0))
SMALL_JUMPS = 1.0 - float(np.exp(-SMALLEST))
JUMPS = 6.33153936  # E1(SMALLEST): jumps a unit of weight


def count(weight: float, left: float = LEFT, most: int = MOST) -> int:
    """Sticks until no more than this share of the mass is left.

    >>> count(2.0), count(2.0, left=1e-6)
    (18, 35)
    """
    if weight <= 1e-9:
        return 1
    return int(np.clip(np.ceil(np.log(left) / np.log(weight / (1.0 + weight))), 1, most))


def sticks(rng: np.random.Generator, weights: Array, m: int, left: float = LEFT, most: int = MOST) -> Array:
    """Shares of the mass of each row in atoms, (rows, sticks, m), m draws of them; weights (rows,) or (rows, m)."""
    return _broken(rng, weights, m, count(float(weights.mean() + weights.std()), left, most))


def _broken(rng: np.random.Generator, weights: Array, m: int, j: int) -> Array:
    """j sticks, the last with all that is left."""
    rest = rng.standard_exponential((len(weights), j, m))  # minus the logarithm of a uniform
    for i in range(1, j):
        rest[:, i] += rest[:, i - 1]
    power = -1.0 / np.maximum(weights, 1e-12)
    rest *= power[:, None, :] if weights.ndim == 2 else power[:, None, None]
    with np.errstate(under="ignore"):
        np.exp(rest, out=rest)
    parts = np.empty_like(rest)
    parts[:, 0] = 1.0 - rest[:, 0]
    np.subtract(rest[:, :-1], rest[:, 1:], out=parts[:, 1:])
    parts[:, -1] += rest[:, -1]
    return parts


def atoms(rng: np.random.Generator, weights: Array, m: int, left: float = LEFT) -> tuple[Array, Array | None]:
    """At most ATOMS sticks, (rows, sticks, m), and what is left then, (rows, m); None where the last has it."""
    j = count(float(weights.mean() + weights.std()), left, ATOMS + 1)
    parts = _broken(rng, weights, m, j)
    if j <= ATOMS:
        return parts, None
    return parts[:, :-1], parts[:, -1]


def coin_shares(rng: np.random.Generator, yes: float, no: float, shape: tuple[int, ...]) -> Array:
    """The share of a mass of weight yes + no on which a coin shows yes: a Beta, or 0 or 1 where that is certain."""
    if min(yes, no) <= 0:
        return np.full(shape, float(yes > no))
    return np.asarray(rng.beta(yes, no, shape))


def jumps(rng: np.random.Generator, weights: Array) -> tuple[NDArray[np.int64], Array]:
    """The jumps of a Gamma process of each weight: the place of the weight, and the size.

    More than there are come with density 1/x below 1 and exp(-x) above, and are kept with chance exp(-x) and 1/x.
    """
    place = np.arange(weights.size)
    small = np.repeat(place, rng.poisson(weights * _BELOW_ONE))
    x = rng.random(small.size)
    x *= -_BELOW_ONE
    np.exp(x, out=x)
    kept = rng.standard_exponential(x.size) > x
    large = np.repeat(place, rng.poisson(weights * _ABOVE_ONE))
    y = 1.0 + rng.standard_exponential(large.size)
    also = rng.random(y.size) * y < 1.0
    return np.concatenate([small[kept], large[also]]), np.concatenate([x[kept], y[also]])
