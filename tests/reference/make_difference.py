"""P(A - B <= t) of independent laws by mpmath, at 30 digits (one integral) or 18 (three nested ones).

The values are those of tests/comparison/test_difference.py.

Informedness is u + v - 1 and lr-plus u/(1 - v) of two independent Betas: one integral for the cdf of A and the density
of B each, and one over B, all by tanh-sinh between the points where an integrand is not smooth. Run by hand:

    python tests/reference/make_difference.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 30
Beta = tuple[float, float]


def density(x: Any, shape: Beta) -> Any:
    a, b = (mp.mpf(s) for s in shape)
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b) if 0 < x < 1 else mp.mpf(0)


def cdf(x: Any, shape: Beta) -> Any:
    if x <= 0 or x >= 1:
        return mp.mpf(x >= 1)
    return mp.betainc(*shape, 0, x, regularized=True)


def pieces(f: Callable[[Any], Any], low: Any, high: Any, *cuts: Any) -> Any:
    """The integral of f between low and high, split at the cuts within."""
    inner = sorted({low, high, *(c for c in cuts if low < c < high)})
    return mp.quad(f, inner) if high > low else mp.mpf(0)


def sum_cdf(x: Any, u: Beta, v: Beta) -> Any:
    """P(U + V - 1 <= x)."""
    low, high = max(mp.mpf(0), x), min(mp.mpf(1), 1 + x)
    return pieces(lambda p: density(p, u) * cdf(x + 1 - p, v), low, high, mp.mpf(u[0]) / (u[0] + u[1])) + cdf(x, u)


def sum_pdf(x: Any, u: Beta, v: Beta) -> Any:
    low, high = max(mp.mpf(0), x), min(mp.mpf(1), 1 + x)
    return pieces(lambda p: density(p, u) * density(x + 1 - p, v), low, high, (low + high) / 2)


def informedness(t: Any, a: tuple[Beta, Beta], b: tuple[Beta, Beta]) -> Any:
    """P(A - B <= t), both U + V - 1."""
    t = mp.mpf(t)
    return pieces(lambda x: sum_pdf(x, *b) * sum_cdf(x + t, *a), mp.mpf(-1), mp.mpf(1), mp.mpf(0), -t, -1 - t, 1 - t)


def ratio_cdf(x: Any, u: Beta, w: Beta) -> Any:
    """P(U/W <= x)."""
    if x <= 0:
        return mp.mpf(0)
    one = min(mp.mpf(1), 1 / x)
    return pieces(lambda p: density(p, w) * cdf(x * p, u), mp.mpf(0), one, one / 2) + 1 - cdf(one, w)


def ratio_pdf(x: Any, u: Beta, w: Beta) -> Any:
    one = min(mp.mpf(1), 1 / x)
    return pieces(lambda p: p * density(p, w) * density(x * p, u), mp.mpf(0), one, one / 2)


def likelihood(t: Any, a: tuple[Beta, Beta], b: tuple[Beta, Beta]) -> Any:
    """P(A - B <= t), both U/W."""
    t = mp.mpf(t)
    return mp.quad(
        lambda x: ratio_pdf(x, *b) * ratio_cdf(x + t, *a),
        sorted({x for x in (mp.mpf(0), mp.mpf(1), 1 - t, -t, mp.mpf(8)) if x >= 0} | {mp.inf}),
    )


def narrow(t: Any, a: tuple[Beta, Beta], b: tuple[Beta, Beta]) -> Any:
    """P(A - B <= t) for a B so narrow that the second order of its variance is below 1e-17."""
    x = sum(mp.mpf(p) / (mp.mpf(p) + q) for p, q in b) - 1 + mp.mpf(t)
    var = sum(mp.mpf(p) * q / ((mp.mpf(p) + q) ** 2 * (mp.mpf(p) + q + 1)) for p, q in b)
    return sum_cdf(x, *a) + mp.diff(lambda y: sum_pdf(y, *a), x) * var / 2


if __name__ == "__main__":
    small = ((3.5, 1.5), (4.5, 2.5)), ((4.5, 2.5), (1.5, 3.5))
    empty = ((0.5, 0.5), (0.5, 0.5))
    big = ((1e9 + 0.5, 1e8 + 0.5), (1e9 + 0.5, 5e8 + 0.5))
    print("narrow", mp.nstr(narrow(0, small[0], big), 20), mp.nstr(narrow(-0.25, small[0], big), 20), flush=True)
    mp.mp.dps = 18
    print("small", mp.nstr(informedness(0, *small), 16), flush=True)
    print("small .3", mp.nstr(informedness("0.3", *small), 16), flush=True)
    print("empty", mp.nstr(informedness("-0.3", empty, small[0]), 16), flush=True)
    print("ratio", mp.nstr(likelihood(2, ((3.5, 1.5), (2.5, 4.5)), ((4.5, 2.5), (3.5, 1.5))), 16), flush=True)
    print("ratio empty", mp.nstr(likelihood(2, empty, ((4.5, 2.5), (3.5, 1.5))), 16), flush=True)
