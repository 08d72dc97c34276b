"""One-dimensional laws of a score: normal, uniform, a mixed law, and the scores of given items.

All that a threshold needs to know: P(x < t) and P(x >= t), each with its own digits, the density where there is one,
the points at which the law is not smooth, and points close enough together to see everything it does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as brief
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from howsure.arrays import Array
from howsure.errors import BadSetting
from howsure.relations.values import is_number, numbers

# Places of a normal law, out to where its tails are the smallest numbers there are: far out a wider law takes over.
_FINEST = 0.02
_PLACES = np.concatenate([np.arange(-37.4, -8.0, 0.1), np.arange(-8.0, 8.0, _FINEST), np.arange(8.0, 37.45, 0.1)])

_FAR = 1e150  # numbers up to this size can be squared, and taken from each other


class Attribute(Protocol):
    """A law of the score x."""

    def tails(self, x: Array) -> tuple[Array, Array]:
        """P(score < x) and P(score >= x)."""

    def pdf(self, x: Array) -> Array:
        """The density; 0 where there is none."""

    def mirrored(self) -> Attribute:
        """The law of minus the score."""

    @property
    def breaks(self) -> Array:
        """Where it is not smooth."""

    @property
    def grid(self) -> Array:
        """Points that resolve it."""

    @property
    def text(self) -> str:
        """What it is, in a few words."""


@dataclass(frozen=True)
class Normal:
    """A normal law."""

    mean: float
    std: float

    def tails(self, x: Array) -> tuple[Array, Array]:
        z = self._z(x)
        return special.ndtr(z), special.ndtr(-z)

    def _z(self, x: Array) -> Array:
        with np.errstate(over="ignore"):  # so far out that it is infinite
            return np.asarray((x - self.mean) / self.std)

    def pdf(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            z = self._z(x)
            return np.asarray(np.exp(-0.5 * z * z) / (self.std * math.sqrt(2 * math.pi)))

    def mirrored(self) -> Normal:
        return Normal(-self.mean, self.std)

    @property
    def breaks(self) -> Array:
        return np.zeros(0)

    @property
    def grid(self) -> Array:
        return self.mean + self.std * _PLACES

    @property
    def text(self) -> str:
        return f"normal({self.mean:g}, {self.std:g})"


@dataclass(frozen=True)
class Uniform:
    """A uniform law."""

    low: float
    high: float

    def tails(self, x: Array) -> tuple[Array, Array]:
        inside = np.clip(x, self.low, self.high)
        width = self.high - self.low
        return (inside - self.low) / width, (self.high - inside) / width

    def pdf(self, x: Array) -> Array:
        return np.where((x > self.low) & (x < self.high), 1 / (self.high - self.low), 0.0)

    def mirrored(self) -> Uniform:
        return Uniform(-self.high, -self.low)

    @property
    def breaks(self) -> Array:
        return np.array([self.low, self.high])

    @property
    def grid(self) -> Array:
        return np.linspace(self.low, self.high, 101)

    @property
    def text(self) -> str:
        return f"uniform({self.low:g}, {self.high:g})"


@dataclass(frozen=True)
class MixedLaw:
    """A law that is one of several, with given weights."""

    weights: tuple[float, ...]
    parts: tuple[Attribute, ...]

    def tails(self, x: Array) -> tuple[Array, Array]:
        below, above = zip(*(part.tails(x) for part in self.parts), strict=True)
        return self._sum(below), self._sum(above)

    def _sum(self, values: Sequence[Array]) -> Array:
        return np.asarray(sum(w * v for w, v in zip(self.weights, values, strict=True)))

    def pdf(self, x: Array) -> Array:
        return self._sum([part.pdf(x) for part in self.parts])

    def mirrored(self) -> MixedLaw:
        return MixedLaw(self.weights, tuple(part.mirrored() for part in self.parts))

    @property
    def breaks(self) -> Array:
        return np.concatenate([part.breaks for part in self.parts])

    @property
    def grid(self) -> Array:
        """The points of all parts; where many normal laws of about one width lie side by side, as many as they need."""
        alike: dict[int, list[Array]] = {}
        for part in self.parts:
            if isinstance(part, Normal):
                alike.setdefault(math.frexp(part.std)[1], []).append(part.grid)
        found = [part.grid for part in self.parts if not isinstance(part, Normal)]
        for width, grids in alike.items():
            x = np.concatenate(grids)
            found.append(x[np.unique(np.floor(x / math.ldexp(_FINEST, width - 1)), return_index=True)[1]])
        return np.concatenate(found)

    @property
    def text(self) -> str:
        return " + ".join(f"{w:g} {part.text}" for w, part in zip(self.weights, self.parts, strict=True))


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of given items, each as likely as the next."""

    values: Array  # sorted

    def tails(self, x: Array) -> tuple[Array, Array]:
        n = len(self.values)
        below = np.searchsorted(self.values, x, side="left")
        return below / n, (n - below) / n

    def pdf(self, x: Array) -> Array:
        return np.zeros(np.shape(x))

    def mirrored(self) -> Scores:
        return Scores(-self.values[::-1])

    @property
    def breaks(self) -> Array:
        return self.values

    @property
    def grid(self) -> Array:
        return np.zeros(0)

    @property
    def text(self) -> str:
        return f"{len(self.values):,} scores"


def normal(mean: float, std: float) -> Normal:
    """A normal law of the score.

    >>> normal(0.4, 0.1).text
    'normal(0.4, 0.1)'
    """
    if not _positive(std):
        raise BadSetting(
            f"the standard deviation of a normal law is a number above 0, from {1 / _FAR:g} to {_FAR:g}; "
            f"got {brief(std)}."
        )
    return Normal(_finite(mean, "the mean of a normal law"), float(std))


def uniform(low: float, high: float) -> Uniform:
    """A uniform law of the score."""
    a, b = _finite(low, "the lower end of a uniform law"), _finite(high, "the upper end of a uniform law")
    if not a < b:
        raise BadSetting(f"a uniform law goes from low to high; got {brief(low)} and {brief(high)}.")
    return Uniform(a, b)


def mixed(*parts: tuple[float, Any]) -> MixedLaw:
    """A mixed law: pairs of a weight and a law; the weights are made to add to 1.

    >>> mixed((1, normal(0, 1)), (3, normal(4, 1))).text
    '0.25 normal(0, 1) + 0.75 normal(4, 1)'
    """
    if not parts or any(not isinstance(x, tuple) or len(x) != 2 or not _positive(x[0]) for x in parts):
        raise BadSetting("a mixed law is made of pairs, a weight above 0 and a law: mixed((0.3, normal(0, 1)), ...).")
    total = sum(float(w) for w, _ in parts)
    return MixedLaw(
        tuple(float(w) / total for w, _ in parts), tuple(law_of(x, "a part of a mixed law") for _, x in parts)
    )


def law_of(x: Any, what: str) -> Attribute:
    """A law as it is, or that of an array of scores."""
    if isinstance(x, (Normal, Uniform, MixedLaw, Scores)):
        return x
    return scores(x, what)


def scores(x: ArrayLike, what: str = "scores") -> Scores:
    """The law of given scores."""
    values = numbers(x, f"{what} is a law (normal, uniform, mixed) or an array of scores").ravel()
    if values.size == 0:
        raise BadSetting(f"{what} has no scores.")
    if not np.isfinite(values).all():
        raise BadSetting(f"{what} has scores that are not finite: leave these items out, or give them a number.")
    if np.abs(values).max() > _FAR:
        raise BadSetting(f"{what} has scores beyond {_FAR:g} in size: take their logarithm, or another scale.")
    return Scores(np.sort(values))


def _finite(x: Any, what: str) -> float:
    if not is_number(x) or not abs(x) <= _FAR:
        raise BadSetting(f"{what} is a number of at most {_FAR:g} in size; got {brief(x)}.")
    return float(x)


def _positive(x: Any) -> bool:
    return is_number(x) and bool(1 / _FAR <= x <= _FAR)
