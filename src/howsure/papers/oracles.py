"""What the items ask of howsure: point scores, laws, comparisons; and integrals of their own to check them by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.catalogue import parse

WORKED: Final[Mapping[str, int]] = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
GRID: Final = np.linspace(0.005, 0.995, 199)


def worked() -> hs.Tally:
    """The table that the examples of these pages share."""
    return hs.Tally.binary(**WORKED)


def many(seed: int = 5, size: int = 300) -> hs.Tally:
    """A batch of tables without empty cells, on which an identity must hold at every place."""
    tp, fp, fn, tn = np.random.default_rng(seed).integers(1, 60, size=(4, size))
    return hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)


def point(t: hs.Tally, name: str) -> Any:
    """The point score of a measure, under any of its names, at every table of a tally."""
    value = np.asarray(parse(name).score(t.named()))
    return value.item() if value.ndim == 0 else value


def table(**counts: Any) -> hs.Tally:
    """A 2x2 table; cells that are not named are empty."""
    return hs.Tally.binary(**{"tp": 0, "fp": 0, "fn": 0, "tn": 0, **counts})


def law(name: str | hs.Metric, prior: float = 0.5, **counts: Any) -> hs.Distribution:
    """The posterior of a measure; cells that are not named are empty."""
    return hs.posterior(table(**counts), prior=prior)[name]


def versus(name: str, first: Mapping[str, Any], second: Mapping[str, Any], **how: Any) -> hs.Comparison:
    """Two independently tested systems on a measure, under Jeffreys' prior.

    >>> round(versus("precision", {"tp": 3, "fp": 2}, {"tp": 10, "fp": 10}).p_better, 12)
    0.652222372209
    """
    return hs.compare(table(**first), table(**second), metric=name, prior=0.5, **how)


@lru_cache(maxsize=1)
def nodes(size: int = 240) -> tuple[Array, Array]:
    """Points and weights of an integral over (0, 1): Gauss-Legendre in the angle of x = sin² of it.

    Half-integer powers of x and 1-x at the ends, which Jeffreys' prior brings, are smooth in the angle.
    """
    u, w = np.polynomial.legendre.leggauss(size)
    angle = 0.25 * np.pi * (u + 1)
    return np.sin(angle) ** 2, 0.25 * np.pi * w * np.sin(2 * angle)


def beats(first: hs.Distribution, second: hs.Distribution) -> float:
    """P(first > second) of two independent laws on (0, 1), integrated here to check what hs.compare gives.

    >>> round(beats(law("precision", tp=3, fp=2), law("precision", tp=10, fp=10)), 12)
    0.652222372209
    """
    x, w = nodes()
    return float(np.sum(w * first.pdf(x) * second.cdf(x)))


def beta_cdf(a: Any, b: Any, x: Array) -> Array:
    """The Beta law, from scipy: the outside reference."""
    from scipy import special

    return np.asarray(special.betainc(a, b, x))
