"""Tables along a line, and all of them at which a formula has a given value.

Along a line the cells are linear in t, so a formula of sums, products, quotients and one square root is
(P/Q)·√R with polynomials P, Q, R, and its value is m where P²·R_top - m²·Q²·R_bottom = 0: all roots of one polynomial,
of which those of the other sign fall away. Formulas with logarithms or several roots are scanned instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyadd
from numpy.typing import NDArray

from howsure.expressions import CELLS, Expression
from howsure.relations import vector_roots

Array = NDArray[np.float64]
Polynomial = Any  # numpy arrays of coefficients, lowest power first
_NEAR = 1e-6  # a double root splits this far
_SAME = 1e-7
_TURN = 1e-4
_ROUNDED = 1e-12  # values are not known better
_ONE = np.ones(1)


class NotAlgebraic(Exception):
    """The formula has no such polynomial."""


@dataclass(frozen=True)
class Radical:
    """top/bottom times the root of under/over."""

    top: Polynomial
    bottom: Polynomial
    under: Polynomial = None
    over: Polynomial = None

    @property
    def plain(self) -> bool:
        return self.under is None


def radical(e: Expression, at: dict[str, Polynomial]) -> Radical:
    """The formula as a Radical, the cells being polynomials."""
    if e.op == "cell":
        return Radical(at[str(e.value)], _ONE)
    if e.op == "number":
        return Radical(np.array([float(e.value)]), _ONE)
    if e.op == "sqrt":
        inner = radical(e.args[0], at)
        if not inner.plain:
            raise NotAlgebraic
        return Radical(_ONE, _ONE, inner.top, inner.bottom)
    if e.op == "^":
        base, times = radical(e.args[0], at), int(float(e.args[1].value))
        out = base
        for _ in range(times - 1):
            out = _times(out, base)
        return out
    if e.op not in "+-*/":
        raise NotAlgebraic
    a, b = (radical(x, at) for x in e.args)
    if e.op == "*":
        return _times(a, b)
    if e.op == "/":
        return _times(a, Radical(b.bottom, b.top, b.over, b.under))
    return _plus(a, b, -1.0 if e.op == "-" else 1.0)


def _times(a: Radical, b: Radical) -> Radical:
    top, bottom = np.convolve(a.top, b.top), np.convolve(a.bottom, b.bottom)
    if a.plain or b.plain:
        root = b if a.plain else a
        return Radical(top, bottom, root.under, root.over)
    return Radical(top, bottom, np.convolve(a.under, b.under), np.convolve(a.over, b.over))


def _plus(a: Radical, b: Radical, sign: float) -> Radical:
    if not (a.plain and b.plain):
        raise NotAlgebraic
    if a.bottom.size == b.bottom.size and (a.bottom == b.bottom).all():
        return Radical(polyadd(a.top, sign * b.top), a.bottom)
    top = polyadd(np.convolve(a.top, b.bottom), sign * np.convolve(b.top, a.bottom))
    return Radical(top, np.convolve(a.bottom, b.bottom))


def roots(formula: Expression, value: float, start: Array, end: Array) -> tuple[Array, bool]:
    """The tables between two at which the formula has the value; and whether it has it all along."""

    def at(t: Any) -> Any:
        return start + np.asarray(t)[..., None] * (end - start)

    def miss(tables: Array) -> Any:
        with np.errstate(all="ignore"):
            return formula(**{c: tables[..., i] for i, c in enumerate(CELLS)}) - value

    def off(t: Any) -> Any:
        return miss(at(t))

    inner = off(np.array([0.137, 0.381, 0.523, 0.777, 0.912]))
    scale = max(1.0, abs(value))
    if (np.abs(inner) < 1e-9 * scale).all():
        return np.zeros((0, 4)), True
    try:
        cells = {c: np.array([start[i], end[i] - start[i]]) for i, c in enumerate(CELLS)}
        candidates = _polynomial_roots(_equation(radical(formula, cells), value))
    except NotAlgebraic:
        segment = start[None], end[None]
        found = vector_roots.roots(lambda rows, s: miss(vector_roots.between(*segment, rows, s)), np.array([scale]))
        return vector_roots.between(*segment, found.rows, found.places), False
    near = np.abs(off(candidates)) if candidates.size else candidates
    polished = [
        float(t) if y <= 1e-15 * scale else _polish(off, float(t)) for t, y in zip(candidates, near, strict=True)
    ]
    kept: list[float] = []
    for t in sorted(polished):
        if abs(off(t)) < 1e-9 * scale and not any(abs(t - x) < _SAME for x in kept):
            if kept and t - kept[-1] < _TURN and abs(off(0.5 * (t + kept[-1]))) < _ROUNDED * scale:
                kept[-1] = 0.5 * (t + kept[-1])  # a double root, which the rounding of the value has split
            else:
                kept.append(t)
    return at(np.array(kept)), False


def _equation(r: Radical, value: float) -> Polynomial:
    if r.plain:
        return polyadd(r.top, -value * r.bottom)
    if value == 0:
        return np.convolve(r.top, r.under)
    square = np.convolve(np.convolve(r.top, r.top), r.under)
    return polyadd(square, -(value**2) * np.convolve(np.convolve(r.bottom, r.bottom), r.over))


def _polynomial_roots(p: Polynomial) -> Array:
    """Real roots in [0, 1], double ones that rounding made complex among them."""
    size = np.abs(p).max()
    if size == 0:
        return np.zeros(0)
    p = np.where(np.abs(p) < 1e-14 * size, 0.0, p / size)
    found = np.roots(p[::-1])
    real = found.real[np.abs(found.imag) < 1e-5]
    inside = real[(real > -_NEAR) & (real < 1 + _NEAR)]
    return np.asarray(np.clip(inside, 0.0, 1.0))


def _polish(off: Callable[[Any], Any], t: float) -> float:
    """Secant steps that stay in [0, 1] and only ever come closer."""
    best, miss = t, abs(float(off(t)))  # a double root has no bracket, as searches.root needs
    h = 1e-7
    for _ in range(8):
        if not np.isfinite(miss) or miss == 0:
            break
        a, b = max(best - h, 0.0), min(best + h, 1.0)
        low, now, high = off(np.array([a, best, b]))
        slope = (high - low) / (b - a)
        if not np.isfinite(slope) or slope == 0:
            break
        step = float(min(max(best - now / slope, 0.0), 1.0))
        found = abs(float(off(step)))
        if not found < miss:
            break
        best, miss = step, found
    return best
