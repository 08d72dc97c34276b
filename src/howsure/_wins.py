"""Wins only (Goutte & Gaussier, section 3): how often one system was right where the other was wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from howsure.distributions import beta, sampling
from howsure.distributions.integral import Integral, Transformed
from howsure.distributions.linear_quotient import LinearQuotient
from howsure.distributions.moebius import Moebius
from howsure.errors import BadCounts, BadSetting
from howsure.evidence.protocol import number
from howsure.messages import verdicts
from howsure.messages.language import option
from howsure.messages.numbers import probability
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution, Error, number_or_array
from howsure.results.outlines import outline
from howsure.results.result import Result, envelope, real
from howsure.validate import AUTO, check_kind, check_level, finite, typed_count, whole_counts

EVEN: Final = 1e-9  # closer to a half than this is a half


@dataclass(frozen=True, eq=False)
class Wins(Result):
    """first won so many items, second so many, the rest were the same; numbers, or arrays for a batch."""

    counts: tuple[Any, Any, Any]
    weights: tuple[float, float, float]
    systems: tuple[str, str]
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
        law = Integral(LinearQuotient(self._shapes, (1.0, -1.0, 0.0), (1.0, 1.0, 1.0)))

        return Distribution("difference of win rates", law, "quadrature", self._difference_draws)

    def _difference_draws(self, n: int, seed: int) -> Any:
        return self._draw(n, seed, lambda x: x[0] - x[1])

    @cached_property
    def log_odds(self) -> Distribution:
        """The law of ρ = log(π1/π2); its mean is ψ(first + α1) - ψ(second + α2) (eq. 21)."""
        a, b, _ = self._shapes
        law = LogOdds(Moebius(a, b, 1.0, 0.0, 0.0, 1.0), "log")
        return Distribution("log odds of wins", law, "closed form", self._odds_draws)

    def _odds_draws(self, n: int, seed: int) -> Any:
        return self._draw(n, seed, lambda x: np.log(x[0]) - np.log(x[1]))

    def _draw(self, n: int, seed: int, of: Any) -> Any:
        flat = np.stack([x.ravel() for x in self._shapes])
        columns = [of(sampling.shares(flat[:, j], n, seed, j)[0]) for j in range(flat.shape[1])]
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
    def verdict(self) -> Any:
        """The finding in words; a list for a batch."""
        if np.ndim(self.p_better) == 0:
            return self._words(self.p_better, self.p_worse, self.p_equal)
        equal = np.broadcast_to(np.asarray(self.p_equal, dtype=object), self.p_better.shape)
        return [
            self._words(*each) for each in zip(self.p_better.ravel(), self.p_worse.ravel(), equal.ravel(), strict=True)
        ]

    def _words(self, better: float, worse: float, equal: float | None) -> str:
        a, b = self.systems
        first, other, p, rest = (a, b, better, worse) if better >= 0.5 else (b, a, worse, better)
        said = verdicts.better(first, other, "wins", p, probability(p, rest=rest), self.level)
        if abs(better - 0.5) <= EVEN:
            said = verdicts.even(a, b, "wins", probability(0.5))
        if equal is None or self.equal_within is None:
            return said
        shown = probability(equal), probability(1.0 - equal, rest=equal)
        return f"{said}; {verdicts.within('their win rates', self.equal_within, equal, *shown, self.level)}"

    def _make(self) -> dict[str, Any]:
        total, same = (number(np.sum(np.broadcast_to(x, self._batch))) for x in (sum(self.counts), self.counts[2]))
        return envelope(
            "howsure.compare/1", self._rows(), prior={"name": "wins", "total": sum(self.weights)}, level=self.level,
            interval=self.interval, seed=0,
            data={"n": total, "systems": list(self.systems), "paired": True, "same": same},
        )  # fmt: skip

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        return (
            {} if self._batch else {"difference": lambda: outline(self.difference, self.level, self.interval, above=0)}
        )

    @property
    def _batch(self) -> tuple[int, ...]:
        return tuple(np.shape(self._shapes[0]))

    @property
    def _shares(self) -> Any:
        """The difference of the shares of items won; NaN where there are none."""
        first, second, same = (np.asarray(x, dtype=float) for x in self.counts)
        with np.errstate(invalid="ignore"):
            return (first - second) / (first + second + same)

    def _rows(self) -> list[dict[str, Any]]:
        """One row for each pair of counts."""
        d, odds = self.difference, self.log_odds
        low, high = d.interval(self.level, kind=self.interval)
        columns = {
            "first": self.counts[0], "second": self.counts[1], "same": self.counts[2],
            "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal,
            "score": self._shares, "mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high,
            "odds": odds.mean, "spread": odds.std, "value": d.error.value,
        }  # fmt: skip
        flat = {k: None if v is None else np.broadcast_to(v, self._batch) for k, v in columns.items()}
        words = [self.verdict] if not self._batch else self.verdict
        names = [f"batch{k}" if k else "batch" for k in range(len(self._batch))]

        def row(at: tuple[int, ...], verdict: str) -> dict[str, Any]:
            x = {k: None if v is None else real(v[at]) for k, v in flat.items()}
            return {
                "metric": "wins", "better": "higher", "paired": True,
                "first": {"system": self.systems[0], "wins": number(x["first"])},
                "second": {"system": self.systems[1], "wins": number(x["second"])},
                "slice": dict(zip(names, at, strict=True)) if at else None,
                "p_better": x["p_better"], "p_worse": x["p_worse"], "p_equal": x["p_equal"],
                "equal_within": self.equal_within,
                "difference": {k: x[k] for k in ("score", "mean", "std", "median", "low", "high")},
                "log_odds": {"mean": x["odds"], "std": x["spread"]},
                "error": {"value": x["value"], "probability": 1e-12}, "route": "closed form",
                "same": number(x["same"]), "verdict": verdict,
            }  # fmt: skip

        return [row(at, said) for at, said in zip(np.ndindex(self._batch), words, strict=True)]

    def __repr__(self) -> str:
        return visible(self.verdict) if np.ndim(self.p_better) == 0 else f"Wins(batch {np.shape(self.p_better)})"


@dataclass(frozen=True)
class LogOdds(Transformed):
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
    interval: str = AUTO,
) -> Wins:
    """Which of two systems wins more often, from the items on which exactly one of them was right.

    >>> compare_wins(first=17, second=4, same=3278)
    first is better than second on wins (probability 0.998)
    """
    a, b, c = (whole_counts(x, name) for x, name in ((first, "first"), (second, "second"), (same, "same")))
    try:
        np.broadcast_shapes(a.shape, b.shape, c.shape)
    except ValueError:
        raise BadSetting("first, second and same must have one shape, or broadcast to one.") from None
    try:
        weights = tuple(float(w) for w in prior)
    except (TypeError, ValueError):
        weights = ()
    if len(weights) != 3 or not all(1e-6 <= w <= 1e12 for w in weights):
        raise BadSetting(f"prior must be three weights above 0, for first, second and same; got {prior!r}.")
    if isinstance(names, str) or len(set(names)) != 2:
        raise BadSetting(f"names must be two different names; got {names!r}.")
    shown = (str(names[0]), str(names[1]))
    kind, margin = check_kind(interval), check_margin(equal_within)
    return Wins((a, b, c), (weights[0], weights[1], weights[2]), shown, check_level(level), kind, margin)


def win_counts(text: str) -> tuple[int, int, int]:
    """Items won by the first, by the second, and ties, which may be left out.

    >>> win_counts("17,4,3278")
    (17, 4, 3278)
    """
    parts = [x.strip() for x in text.split(",") if x.strip()]
    if len(parts) not in (2, 3):
        raise BadCounts(f"{option('wins')} needs first,second,same such as 17,4,3278; got {text!r}.")
    first, second, *same = (typed_count(x, f"a count of {option('wins')}") for x in parts)
    return first, second, same[0] if same else 0


def check_margin(margin: Any) -> float | None:
    """equal_within: a finite number from 0 on, or None."""
    if margin is None:
        return None
    found = finite(margin)
    if not found >= 0:
        raise BadSetting(f"{option('equal_within')} must be a number, 0 or more; got {margin!r}.")
    return found
