"""Gamma and Dirichlet samples on the log scale, and stick-breaking for unseen patterns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from howsure.arrays import Array, Integers

# -- draws
#
# Draws of Gamma and Dirichlet variables that do not underflow at small shapes.
#
# Statement: log G = log G' + log(U)/a with G' ~ Gamma(a+1) and U uniform (Devroye 1986, IV.6.4): exact for a < 1, where
# numpy's own draws are exactly 0 for 47% of cases at shape .001. Shares are normalised by log-sum-exp.
# Streams are keyed by the seed and by what is drawn: different tables have streams of their own, so that their errors
# are not off together, and equal ones have the same numbers wherever they stand. Whoever needs two independent copies
# of one table gives another seed or place.


_THREADS_ABOVE = 50_000


def stream(seed: int, *parts: Any) -> int:
    """A seed of its own for draws of these arrays, numbers and dataclasses of them; the same on any machine."""
    digest = blake2b(digest_size=8)
    _feed(digest.update, parts)
    return seed + (int.from_bytes(digest.digest(), "little") << 64)


def generator(seed: int, place: int, *parts: Any) -> np.random.Generator:
    """Random numbers of the stream of these parts; the place tells apart what else is drawn for them."""
    return np.random.Generator(np.random.SFC64([stream(seed, *parts), place]))


def _feed(add: Callable[[bytes], Any], part: Any) -> None:
    if isinstance(part, np.ndarray):
        add(repr(part.shape).encode())
        with np.errstate(over="ignore", under="ignore"):
            add(np.ascontiguousarray(part, dtype=np.float32).tobytes())  # sums of weights may differ in last digits
    elif isinstance(part, (tuple, list)):
        add(b"(")
        for x in part:
            _feed(add, x)
    elif is_dataclass(part):
        _feed(add, [getattr(part, f.name) for f in fields(part)])
    else:
        add((f"{part:.6g}" if isinstance(part, (float, np.floating)) else repr(part)).encode())


def log_gamma_draws(shape: float, n: int, rng: np.random.Generator) -> Array:
    """n draws of log Gamma(shape); -inf for shape 0 (an impossible cell)."""
    if shape == 0:
        return np.full(n, -np.inf)
    if shape >= 1:
        return np.log(rng.standard_gamma(shape, n))
    lifted = np.log(rng.standard_gamma(shape + 1.0, n))
    return lifted - rng.standard_exponential(n) / shape


def shares(shapes: Array, n: int, seed: int, place: int = 0, scales: Array | None = None) -> tuple[Array, Array | None]:
    """n draws of Dirichlet(shapes), as an array (cells, n), and their logs when a shape below 1 asks for them.

    A shape of 0 is an empty cell. Each place, which tells equal tables apart, and each cell has a stream of its own.
    Gammas may have scales, which their shares then follow.
    """
    small = bool((shapes < 1).any())
    own = stream(seed, shapes, scales)
    streams = [np.random.Generator(np.random.SFC64([own, place, i])) for i in range(shapes.size)]

    def one(i: int) -> Array:
        a = float(shapes[i])
        return log_gamma_draws(a, n, streams[i]) if small else streams[i].standard_gamma(a, n)

    if n >= _THREADS_ABOVE:
        with ThreadPoolExecutor(2) as pool:
            cells = np.stack(list(pool.map(one, range(shapes.size))))
    else:
        cells = np.stack([one(i) for i in range(shapes.size)])
    if scales is not None:
        cells = cells + np.log(scales)[:, None] if small else cells * scales[:, None]
    if not small:
        cells /= cells.sum(axis=0)
        return cells, None
    largest = cells.max(axis=0)
    cells -= largest + np.log(np.exp(cells - largest).sum(axis=0))
    return np.exp(cells), cells


def log_shares(shapes: Array, n: int, seed: int, place: int = 0, scales: Array | None = None) -> Array:
    """Logs of n draws of Dirichlet(shapes), as an array (cells, n); -inf for an empty cell."""
    plain, logs = shares(shapes, n, seed, place, scales)
    return logs if logs is not None else np.log(plain)


def together(*logs: Array) -> tuple[Array, ...]:
    """Shares of these cells among themselves, from their logs: right even where all of them underflow."""
    largest = np.maximum.reduce(logs)
    parts = [np.exp(x - largest) for x in logs]
    total = np.add.reduce(parts)
    return tuple(x / total for x in parts)


def gammas(shapes: Array, m: int, rng: np.random.Generator) -> Array:
    """m draws of Gammas, one row a shape; small shapes are lifted, so that few of them underflow."""
    return gammas_by_shape(rows_by_shape(shapes), shapes.size, m, rng)


def rows_by_shape(shapes: Array) -> list[tuple[float, Integers]]:
    """The different shapes, with the rows that have them."""
    kinds, which = np.unique(shapes, return_inverse=True)
    order = np.argsort(which, kind="stable")
    return list(zip(kinds.tolist(), np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True))


def gammas_by_shape(kinds: list[tuple[float, Integers]], rows: int, m: int, rng: np.random.Generator) -> Array:
    """The same, of shapes whose rows are known."""
    if len(kinds) == 1:
        return _of_one_shape(kinds[0][0], (rows, m), rng)
    out = np.empty((rows, m))
    for shape, at in kinds:
        if at.size == 1 and shape > 1.0:
            rng.standard_gamma(shape, out=out[at[0]])
        else:
            out[at] = _of_one_shape(shape, (at.size, m), rng)
    return out


def _of_one_shape(shape: float, size: tuple[int, int], rng: np.random.Generator) -> Array:
    if shape == 1.0:
        return rng.standard_exponential(size)
    if shape > 1.0:
        return rng.standard_gamma(shape, size)
    if shape <= 0.0:
        return np.zeros(size)
    with np.errstate(under="ignore"):
        return np.asarray(rng.standard_gamma(shape + 1.0, size) * np.exp(-rng.standard_exponential(size) / shape))


def gamma_each(shapes: Array, rng: np.random.Generator) -> Array:
    """One draw for each of the shapes; small ones lifted."""
    with np.errstate(under="ignore"):
        lifted = rng.standard_gamma(shapes + 1.0)
        return np.asarray(lifted * np.exp(-rng.standard_exponential(shapes.shape) / np.maximum(shapes, 1e-300)))


# -- sticks
#
# Stick-breaking: the mass of a Dirichlet process in atoms (Sethuraman 1994); and the jumps of a Gamma process.
#
# Statement: what is left after a stick is a uniform to the power 1/weight of what was left before; each atom takes the
# difference. After j sticks a share of (w/(1 + w))^j is left on average, and goes to the last atom.
# What is left is again such a mass, independent of the sticks: under a large weight, which would take as many sticks,
# the rest after ATOMS of them is not broken; coins on it are drawn apart, each by its own Beta. Jumps of a Gamma
# process above x come as E1(x) of them a unit of weight (the Lévy density is exp(-x)/x); they are the masses of cells
# that share a Gamma's weight evenly, when the cells are very many.
# Domain: weights of at least 0; below 1e-9 all the mass is one atom. Jumps are those above SMALLEST; the mean of all
# that is left out is SMALL_JUMPS a unit of weight.

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


def jumps(rng: np.random.Generator, weights: Array) -> tuple[Integers, Array]:
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
