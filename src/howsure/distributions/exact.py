"""Error-free transformations: linear forms in a double, evaluated as if in twice the precision.

Statement: c0 + c1·t with one rounding at the end (Dekker 1971 for the product, Knuth 1969 for the sum).
Domain: finite doubles below 1e290 in size.
Error: about one unit in the last place of the result unless it underflows; plain evaluation loses
all digits where the form vanishes, which is where tails of distributions live.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Complex

_SPLIT = 134217729.0  # 2^27 + 1


def two_product(a: Array | float, b: Array | float) -> tuple[Array, Array]:
    """The product of two doubles as an unevaluated sum of two doubles."""
    p = np.multiply(a, b)
    a1 = np.multiply(_SPLIT, a)
    a_hi = a1 - (a1 - a)
    a_lo = a - a_hi
    b1 = np.multiply(_SPLIT, b)
    b_hi = b1 - (b1 - b)
    b_lo = b - b_hi
    return p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def two_sum(a: Array | float, b: Array | float) -> tuple[Array, Array]:
    """The sum of two doubles as an unevaluated sum of two doubles."""
    s = np.add(a, b)
    bb = s - a
    return s, (a - (s - bb)) + (b - bb)


def linear(c0: Array | float, c1: Array | float, t: Array | float, t_low: Array | float = 0.0) -> Array:
    """c0 + c1·(t + t_low), correct to the last place even where the terms cancel."""
    with np.errstate(over="ignore", invalid="ignore"):
        p, e = two_product(c1, t)
        s, r = two_sum(c0, p)
        low = r + (e + np.multiply(c1, t_low))
    return s + np.where(np.isfinite(low), low, 0.0)  # the splitting overflows near 1e300: nothing cancels there


def log1p(z: Complex) -> Complex:
    """log(1 + z), to the last digit also for small z; numpy's own loses the digits of the real part."""
    x, y = z.real, z.imag
    return np.asarray(0.5 * np.log1p(x * (2.0 + x) + y * y) + 1j * np.arctan2(y, 1.0 + x))
