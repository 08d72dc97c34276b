"""The exact 95% equal-tailed interval of F1 and of a rate, and P(A > B) on F1, by mpmath alone: nothing of howsure."""

from __future__ import annotations

from typing import Any

from bench.registry import Error

DIGITS = 40


def f1_interval(tp: int, fp: int, fn: int) -> tuple[float, float]:
    """tp/(tp + fp + fn) is Beta(tp + 1/2, fp + fn + 1) under weight 1/2 a cell; F1 = 2x/(1 + x) rises with it."""
    low, high = (_quantile(tp + 0.5, fp + fn + 1, tail) for tail in ("0.025", "0.975"))
    return float(2 * low / (1 + low)), float(2 * high / (1 + high))


def rate_interval(hits: int, of: int, weight: float) -> tuple[float, float]:
    """That of a rate under so much weight on hits, and on misses."""
    low, high = (_quantile(hits + weight, of - hits + weight, tail) for tail in ("0.025", "0.975"))
    return float(low), float(high)


def _quantile(a: float, b: float, tail: str) -> Any:
    """Of Beta(a, b), by halving."""
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workdps(DIGITS):
        wanted, low, high = mpmath.mpf(tail), mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(70):
            middle = (low + high) / 2
            if mpmath.betainc(mpmath.mpf(a), mpmath.mpf(b), 0, middle, regularized=True) < wanted:
                low = middle
            else:
                high = middle
        return low


def f1_beats(one: tuple[int, ...], two: tuple[int, ...]) -> float:
    """P(A > B): F1 rises with tp/(tp + fp + fn), so that two Betas are compared; tp, fp, fn first in both tables."""
    import mpmath

    with mpmath.workdps(30):
        (a, b), (c, d) = ((mpmath.mpf(x[0]) + 0.5, mpmath.mpf(x[1] + x[2]) + 1) for x in (one, two))
        middle, width = a / (a + b), 12 * mpmath.sqrt(a * b / (a + b + 1)) / (a + b)
        cuts = [max(middle - width, 0), middle - width / 3, middle, middle + width / 3, min(middle + width, 1)]

        def density(x: mpmath.mpf) -> mpmath.mpf:
            return x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)

        value = mpmath.quad(lambda x: density(x) * mpmath.betainc(c, d, 0, x, regularized=True), cuts)
        return float(value)


def error(given: tuple[float, float], exact: tuple[float, float]) -> Error:
    """How far an interval is off, and what is odd about it."""
    low, high = given
    width = exact[1] - exact[0]
    if low != low or high != high:
        return Error(float("nan"), width)
    faults = []
    if low == high:
        faults.append("zero width")
    if low < 0 or high > 1:
        faults.append(f"reaches {high:.3f}" if high > 1 else f"reaches {low:.3f}")
    return Error(max(abs(low - exact[0]), abs(high - exact[1])), width, tuple(faults))
