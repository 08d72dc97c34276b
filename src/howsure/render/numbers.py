"""Numbers for people: three significant decimals, and never a 1.000 that is not 1."""

from __future__ import annotations

import math


def short(x: float | None, gap: float | None = None, digits: int = 3) -> str:
    """A number in a few characters; values that would round to 0 or 1 show how far off they are.

    >>> short(0.75857), short(1 - 2e-7), short(3.2e-9), short(None), short(1234.5), short(1.0)
    ('0.759', '1 - 2e-07', '3.2e-09', '-', '1234.5', '1')
    """
    if x is None:
        return "-"
    if math.isinf(x):
        return "infinite"
    if x in (0.0, 1.0, -1.0) and not gap:
        return f"{x + 0.0:.0f}"
    close = abs(gap) if gap is not None else abs(1.0 - x)
    if abs(x - 1.0) < 0.5 * 10**-digits:
        if close > 0.5e-5:
            return f"{x:.{digits + 2}f}".rstrip("0")
        return f"1 - {close:.2g}" if x <= 1 else f"1 + {close:.2g}"
    if abs(x + 1.0) < 0.5 * 10**-digits:
        return "-" + short(-x, gap, digits)
    if abs(x) < 10 ** (1 - digits):
        return f"{x:.2g}"
    if abs(x) < 10:
        return f"{x:.{digits}f}"
    return f"{x:.1f}" if abs(x) < 1e5 else f"{x:.4g}"


def probability(p: float | None) -> str:
    """A probability; near 1 it shows its distance, near 0 its size.

    >>> probability(0.937), probability(0.99998), probability(0.0)
    ('0.937', '0.99998', '0')
    """
    return short(p)


def count(n: float) -> str:
    """A count with thin grouping; weighted counts keep a decimal.

    >>> count(1234567), count(12.5)
    ('1,234,567', '12.5')
    """
    return f"{int(n):,}" if float(n).is_integer() else f"{n:,.1f}"
