"""Draws of Gamma and Dirichlet variables that do not underflow at small shapes.

Statement: log G = log G' + log(U)/a with G' ~ Gamma(a+1) and U uniform (Devroye 1986, IV.6.4): exact for a < 1, where
numpy's own draws are exactly 0 for 47% of cases at shape .001. Shares are normalised by log-sum-exp.
Streams are keyed by the seed and by what is drawn: different tables have streams of their own, so that their errors are
not off together, and equal ones have the same numbers wherever they stand. Whoever needs two independent copies of one
table gives another seed or place.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

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


def rows_by_shape(shapes: Array) -> list[tuple[float, Rows]]:
    """The different shapes, with the rows that have them."""
    kinds, which = np.unique(shapes, return_inverse=True)
    order = np.argsort(which, kind="stable")
    return list(zip(kinds.tolist(), np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True))


def gammas_by_shape(kinds: list[tuple[float, Rows]], rows: int, m: int, rng: np.random.Generator) -> Array:
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
