"""Wins only (Goutte & Gaussier, section 3): how often one system was right where the other was wrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from howsure.comparison.result import check_margin
from howsure.counting import whole
from howsure.distribution import Distribution, Error, check_kind, check_level, number_or_array
from howsure.document import Result, number, real
from howsure.errors import BadSetting
from howsure.kernels import beta, draws
from howsure.kernels.groups import Groups
from howsure.kernels.integral import Integral
from howsure.kernels.moebius import Moebius
from howsure.kernels.through import Through
from howsure.render.numbers import probability


@dataclass(frozen=True)
class Wins(Result):
    """first won so many items, second so many, the rest were the same; numbers, or arrays for a batch."""

    counts: tuple[Any, Any, Any]
    weights: tuple[float, float, float]
    names: tuple[str, str]
    level: float
    interval: str
    equal_within: float | None

    @cached_property
    def _shapes(self) -> tuple[Any, Any, Any]:
        shape = np.broadcast_shapes(*(np.shape(c) for c in self.counts))
        a, b, c = (np.broadcast_to(x + w, shape).astype(float) for x, w in zip(self.counts, self.weights, strict=True))
        return a, b, c

    @cached_property
    def p_better(self) -> Any:
        """P(first wins more often) = 1 - I_½(first + α1, second + α2): closed; no draws are needed."""
        half = np.asarray(0.5)
        return number_or_array(beta.tails(self._shapes[0], self._shapes[1], half, half)[1])

    @cached_property
    def p_worse(self) -> Any:
        """P(second wins more often), by its own tail."""
        half = np.asarray(0.5)
        return number_or_array(beta.tails(self._shapes[0], self._shapes[1], half, half)[0])

    @cached_property
    def difference(self) -> Distribution:
        """The law of Δ = π1 - π2 (eq. 20 gives its mean)."""
        law = Integral(Groups(self._shapes, (1.0, -1.0, 0.0), (1.0, 1.0, 1.0)))

        def sampler(n: int, seed: int) -> Any:
            return self._draw(n, seed, lambda x: x[0] - x[1])

        return Distribution("difference of win rates", law, "quadrature", sampler)

    @cached_property
    def log_odds(self) -> Distribution:
        """The law of ρ = log(π1/π2); its mean is ψ(first + α1) - ψ(second + α2) (eq. 21)."""
        a, b, _ = self._shapes

        def sampler(n: int, seed: int) -> Any:
            return self._draw(n, seed, lambda x: np.log(x[0]) - np.log(x[1]))

        return Distribution(
            "log odds of wins", LogOdds(Moebius(a, b, 1.0, 0.0, 0.0, 1.0), "log"), "closed form", sampler
        )

    def _draw(self, n: int, seed: int, of: Any) -> Any:
        flat = np.stack([x.ravel() for x in self._shapes])
        columns = [of(draws.shares(flat[:, j], n, seed, j)[0]) for j in range(flat.shape[1])]
        return np.stack(columns, axis=-1).reshape(n, *self._shapes[0].shape)

    @cached_property
    def p_equal(self) -> Any:
        """P(the win rates differ by at most equal_within)."""
        if self.equal_within is None:
            return None
        d = self.difference
        return number_or_array(np.asarray(d.cdf(self.equal_within)) - np.asarray(d.cdf(-self.equal_within)))

    @property
    def error(self) -> Error:
        """Bounds of the difference's numbers and of every probability."""
        return Error(self.difference.error.value, 1e-12)

    @property
    def verdict(self) -> str:
        """The finding in words, for one pair of counts."""
        if np.ndim(self.p_better):
            raise BadSetting("a batch of wins has no single verdict; look at p_better.")
        a, b = self.names
        first, p = (a, self.p_better) if self.p_better >= 0.5 else (b, self.p_worse)
        other = b if first == a else a
        said = f"{first} beats {other} on wins with probability {probability(p)}"
        if self.equal_within is not None:
            said += f"; their win rates are within {self.equal_within:g} with probability {probability(self.p_equal)}"
        return said

    def _make(self) -> dict[str, Any]:
        from howsure.version import VERSION

        if np.ndim(self.p_better):
            raise BadSetting("a batch of wins has no single document; take them one by one.")
        low, high = self.difference.interval(self.level, kind=self.interval)
        d = self.difference
        first, second, same = (number(c) for c in self.counts)
        row = {
            "metric": "wins", "better": "higher", "paired": True, "first": {"system": self.names[0], "wins": first},
            "second": {"system": self.names[1], "wins": second}, "slice": None,
            "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal,
            "equal_within": self.equal_within,
            "difference": {"mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high},
            "log_odds": {"mean": real(self.log_odds.mean), "std": real(self.log_odds.std)},
            "error": {"value": real(d.error.value), "probability": 1e-12}, "route": "closed form",
            "verdict": self.verdict,
        }  # fmt: skip
        return {
            "schema": "howsure.compare/1",
            "version": VERSION,
            "prior": {"name": "wins", "total": sum(self.weights)},
            "level": self.level,
            "interval": self.interval,
            "seed": 0,
            "data": {"n": first + second + same, "systems": list(self.names), "paired": True, "same": same},
            "rows": [row],
            "notes": [],
        }

    def __repr__(self) -> str:
        return self.verdict if np.ndim(self.p_better) == 0 else f"Wins(batch {np.shape(self.p_better)})"


@dataclass(frozen=True)
class LogOdds(Through):
    """The log of a ratio of two Gammas, with its closed moments."""

    def mean(self) -> Any:
        from scipy import special

        return special.digamma(self._beta.a) - special.digamma(self._beta.b)

    def std(self) -> Any:
        from scipy import special

        return np.sqrt(special.polygamma(1, self._beta.a) + special.polygamma(1, self._beta.b))

    @property
    def _beta(self) -> Any:
        return self.inner


def compare_wins(
    first: Any,
    second: Any,
    same: Any = 0,
    *,
    prior: tuple[float, float, float] = (0.5, 0.5, 1.0),
    names: tuple[str, str] = ("first", "second"),
    equal_within: float | None = None,
    level: float = 0.95,
    interval: str = "equal-tailed",
) -> Wins:
    """Which of two systems wins more often, from the items on which exactly one of them was right.

    >>> compare_wins(first=17, second=4, same=3278)
    first beats second on wins with probability 0.998
    """
    a, b, c = (whole(x, name) for x, name in ((first, "first"), (second, "second"), (same, "same")))
    try:
        np.broadcast_shapes(a.shape, b.shape, c.shape)
    except ValueError:
        raise BadSetting("first, second and same must have one shape, or broadcast to one.") from None
    try:
        weights = tuple(float(w) for w in prior)
    except (TypeError, ValueError):
        weights = ()
    if len(weights) != 3 or not all(1e-6 <= w <= 1e12 for w in weights):
        raise BadSetting(f"prior takes three weights above 0, for first, second and same; got {prior!r}.")
    if isinstance(names, str) or len(set(names)) != 2:
        raise BadSetting(f"names takes two different names; got {names!r}.")
    shown = (str(names[0]), str(names[1]))
    kind, margin = check_kind(interval), check_margin(equal_within)
    return Wins((a, b, c), (weights[0], weights[1], weights[2]), shown, check_level(level), kind, margin)
