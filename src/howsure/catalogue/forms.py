"""Metrics as data: expressions over named cells, and the numerical form that is read off them.

The form is found by exact rational arithmetic: M is a quotient of two linear forms in given features (the cells,
products of recall and specificity, ...) exactly when M·(bottom·features) = top·features at every table, a linear
system whose null space tells. So every way to write a formula leads to the same route: 2·p·r/(p+r) is F1.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from howsure.catalogue.expressions import CELLS, Expression, cells, evaluate, expression
from howsure.errors import BadSetting


def Ratio(top: Expression, bottom: Expression) -> Expression:  # noqa: N802 - reads as a type in the public API
    """A quotient of two linear forms in the cells, which has an exact posterior.

    >>> from howsure.catalogue.expressions import cells
    >>> tp, fp, fn, tn = cells
    >>> str(Ratio(tp, tp + fp))
    'tp / (tp + fp)'
    """
    formula = expression(top) / expression(bottom)
    if not isinstance(read(formula).form, Linear):
        raise BadSetting(
            f"a Ratio needs linear forms of the cells, with no negative weight in the denominator; got {formula}."
        )
    return formula


# -- forms

Quad = tuple[float, float, float, float]
Square = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Linear:
    """top·cells / bottom·cells, bottom without negative weights; order tp, fp, fn, tn."""

    top: Quad
    bottom: Quad


@dataclass(frozen=True)
class TwoRates:
    """A bilinear quotient of two independent rates, monotone in each: (u, 1-u)·P·(v, 1-v) over Q.

    rows: u = recall (tp, fn), v = specificity (tn, fp). columns: u = precision (tp, fp), v = npv (tn, fn).
    `up` tells in which rates the measure rises.
    """

    chart: str
    top: Square
    bottom: Square
    up: tuple[bool, bool]


@dataclass(frozen=True)
class Rising:
    """A quotient of quadratic forms in tp, fp, fn that rises with tp at a fixed fp:fn."""

    top: tuple[float, ...]
    bottom: tuple[float, ...]


@dataclass(frozen=True)
class PhiOrKappa:
    """phi or Cohen's kappa, however they are written."""

    kind: Literal["phi", "kappa"]


@dataclass(frozen=True)
class Other:
    """No exact route: draws."""


Form = Linear | TwoRates | Rising | PhiOrKappa | Other


@dataclass(frozen=True)
class Reading:
    """What is read off an expression: its form, the monotone function outside it, and its range."""

    form: Form
    outer: str = ""
    bounds: tuple[float, float] = field(default=(-math.inf, math.inf))
    symmetric: bool = False


_FEATURES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "linear": (("tp",), ("fp",), ("fn",), ("tn",)),
    "rows": (("tp", "tn"), ("tp", "fp"), ("fn", "tn"), ("fn", "fp")),
    "columns": (("tp", "tn"), ("tp", "fn"), ("fp", "tn"), ("fp", "fn")),
    "ray": (("tp", "tp"), ("tp", "fp"), ("tp", "fn"), ("fp", "fp"), ("fp", "fn"), ("fn", "fn")),
}


@lru_cache(maxsize=512)
def read(e: Expression) -> Reading:
    """The numerical form of an expression, with its range."""
    if e.over_classes:
        return Reading(Other(), "", _scanned_bounds(e.of_two_classes()), True)
    core, outer = (e.args[0], e.op) if e.op in ("sqrt", "log") else (e, "")
    form: Form = Other()
    if not any(x.op in ("sqrt", "log", "function") for x in core.walk()):
        form = _linear(core) or _rates(core, "rows") or _rates(core, "columns") or _ray(core) or Other()
    if not outer and isinstance(form, Other):
        form = _agreement(core) or form
    if outer and not isinstance(form, Other) and _form_bounds(form)[0] < 0:
        form = Other()
    return Reading(form, outer, _bounds(e, form, outer), _symmetric(e))


def _quotient(e: Expression, kind: str) -> tuple[list[int], list[int]] | None:
    """top and bottom with M = top·features / bottom·features at every table, or None."""
    features = _FEATURES[kind]
    m = len(features)
    rng = random.Random(20050000 + m)
    rows: list[list[int]] = []
    for _ in range(40 * m):
        if len(rows) == 2 * m + 4:
            break
        at = {name: rng.randint(1, 420) for name in CELLS}
        try:
            value = Fraction(evaluate(e, {name: Fraction(x) for name, x in at.items()}))
        except ZeroDivisionError:
            continue
        phi = [math.prod(at[c] for c in names) for names in features]
        rows.append([value.numerator * x for x in phi] + [-value.denominator * x for x in phi])
    vector = _null_vector(rows) if len(rows) == 2 * m + 4 else None
    if vector is None:
        return None
    bottom, top = vector[:m], vector[m:]
    if all(x <= 0 for x in bottom):
        bottom, top = [-x for x in bottom], [-x for x in top]
    return (top, bottom) if all(x >= 0 for x in bottom) else None


def _null_vector(rows: list[list[int]]) -> list[int] | None:
    """The null vector of a matrix of whole numbers when its null space is one-dimensional, in lowest terms.

    Fraction-free elimination (Bareiss 1968): every entry stays a minor of the matrix, so each division is exact.
    """
    rows = [r[:] for r in rows]
    width, last = len(rows[0]), 1
    pivots: list[int] = []
    for column in range(width):
        i = len(pivots)
        at = next((j for j in range(i, len(rows)) if rows[j][column]), None)
        if at is None:
            continue
        rows[i], rows[at] = rows[at], rows[i]
        lead, pivot = rows[i], rows[i][column]
        for j, row in enumerate(rows):
            if j != i:
                factor = row[column]
                rows[j] = [(pivot * x - factor * y) // last for x, y in zip(row, lead, strict=True)]
        last = pivot
        pivots.append(column)
    free = [c for c in range(width) if c not in pivots]
    if len(free) != 1:
        return None
    vector = [0] * width
    vector[free[0]] = last  # every pivot is the last one now
    for row, column in zip(rows, pivots, strict=False):
        vector[column] = -row[free[0]]
    scale = math.gcd(*vector) * (1 if last > 0 else -1)
    return [x // scale for x in vector]


def _linear(e: Expression) -> Linear | None:
    found = _quotient(e, "linear")
    if found is None:
        return None
    top, bottom = ([float(x) for x in part] for part in found)
    return Linear(tuple(top), tuple(bottom))  # type: ignore[arg-type]


def _rates(e: Expression, chart: str) -> TwoRates | None:
    found = _quotient(e, chart)
    if found is None:
        return None
    p, q = (((x[3], x[2]), (x[1], x[0])) for x in found)  # [i][j]: i = 1 for u, j = 1 for v
    by_u = _direction(p, q)
    by_v = _direction(_transpose(p), _transpose(q))
    if by_u is None or by_v is None:
        return None
    top, bottom = (tuple(tuple(float(x) for x in row) for row in part) for part in (p, q))
    return TwoRates(chart, top, bottom, (by_u, by_v))  # type: ignore[arg-type]


def _transpose(p: Any) -> Any:
    return ((p[0][0], p[1][0]), (p[0][1], p[1][1]))


def _direction(p: Any, q: Any) -> bool | None:
    """Whether a bilinear quotient rises (True) or falls (False) in u for every v; None if it does neither."""
    signs = (
        p[1][1] * q[0][1] - p[0][1] * q[1][1],
        p[1][1] * q[0][0] + p[1][0] * q[0][1] - p[0][1] * q[1][0] - p[0][0] * q[1][1],
        p[1][0] * q[0][0] - p[0][0] * q[1][0],
    )
    if all(s >= 0 for s in signs) and any(signs):
        return True
    return False if all(s <= 0 for s in signs) and any(signs) else None


def _ray(e: Expression) -> Rising | None:
    found = _quotient(e, "ray")
    if found is None:
        return None
    p, q = found
    if not q[0]:
        return None
    rises = (
        p[0] * q[1] - p[1] * q[0], p[0] * q[2] - p[2] * q[0],
        *(p[0] * q[i] - p[i] * q[0] for i in (3, 4, 5)),
        p[1] * q[3] - p[3] * q[1], p[1] * q[4] + p[2] * q[3] - p[3] * q[2] - p[4] * q[1],
        p[1] * q[5] + p[2] * q[4] - p[4] * q[2] - p[5] * q[1], p[2] * q[5] - p[5] * q[2],
    )  # fmt: skip
    at_zero = {p[i] / q[i] for i in (3, 4, 5) if q[i]}
    loose = any(p[i] and not q[i] for i in (3, 4, 5))
    if loose or len(at_zero) != 1 or any(x < 0 for x in rises):
        return None
    return Rising(tuple(float(x) for x in p), tuple(float(x) for x in q))


def _agreement(e: Expression) -> PhiOrKappa | None:
    """phi and kappa, by their values at some tables."""
    rng = random.Random(13)
    at = {name: np.array([rng.randint(1, 50) + 0.5 for _ in range(8)]) for name in CELLS}
    tp, fp, fn, tn = (at[c] for c in CELLS)
    n = tp * tn - fp * fn
    known: dict[Literal["phi", "kappa"], Any] = {
        "phi": n / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "kappa": 2 * n / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
    }
    with np.errstate(all="ignore"):
        value = np.asarray(evaluate(e, at), dtype=float)
    return next((PhiOrKappa(kind) for kind, x in known.items() if np.allclose(value, x, rtol=1e-12, atol=1e-15)), None)


# -- other shares of the classes


def carries_over(form: Form) -> bool:
    """Whether a measure depends on recall and specificity alone, and so not on the share of positives."""
    if isinstance(form, TwoRates):
        return form.chart == "rows"
    if not isinstance(form, Linear):
        return False
    used = {c for c, t, b in zip(CELLS, form.top, form.bottom, strict=True) if t or b}
    return used <= {"tp", "fn"} or used <= {"fp", "tn"}


@lru_cache(maxsize=4096)
def at_prevalence(form: Form, share: float) -> TwoRates | None:
    """A measure of recall and specificity at a known share of positives; None where it is no quotient of both.

    A linear quotient of the cells is one of the two rates. So is kappa: both its parts are linear in the share of
    positive answers, which is linear in the rates.
    """
    yes = Fraction(share)
    no = 1 - yes
    if isinstance(form, Linear):
        top, bottom = (_reweighed(tuple(Fraction(x) for x in part), yes, no) for part in (form.top, form.bottom))
    elif form == PhiOrKappa("kappa"):
        said = {(i, j): yes * i + no * (1 - j) for i in (0, 1) for j in (0, 1)}  # the share of positive answers
        top = tuple(tuple(2 * yes * no * (i + j - 1) for j in (0, 1)) for i in (0, 1))
        bottom = tuple(tuple(yes + x - 2 * yes * x for x in (said[i, 0], said[i, 1])) for i in (0, 1))
    else:
        return None
    by_u, by_v = _direction(top, bottom), _direction(_transpose(top), _transpose(bottom))
    if by_u is None or by_v is None:
        return None
    p, q = (tuple(tuple(float(x) for x in row) for row in part) for part in (top, bottom))
    return TwoRates("rows", p, q, (by_u, by_v))  # type: ignore[arg-type]


def _reweighed(part: tuple[Fraction, ...], yes: Fraction, no: Fraction) -> Any:
    """A linear form of the cells as one of the two rates, [i][j]: i = 1 for recall, j = 1 for specificity."""
    tp, fp, fn, tn = part
    return tuple(tuple(yes * own + no * other for other in (fp, tn)) for own in (fn, tp))


# -- chance


def by_chance(e: Expression) -> Expression:
    """The measure of random guessing: of the table of independent truth and answer with the same margins."""
    tp, fp, fn, tn = cells
    return e.replaced(independent(tp, fp, fn, tn))


def independent(tp: Any, fp: Any, fn: Any, tn: Any) -> dict[str, Any]:
    """The cells of independent truth and answer with the margins of these: of numbers, arrays or formulas."""
    n = tp + fp + fn + tn
    yes, no, said, unsaid = tp + fn, fp + tn, tp + fp, fn + tn
    return {"tp": yes * said / n, "fp": no * said / n, "fn": yes * unsaid / n, "tn": no * unsaid / n}


@lru_cache(maxsize=512)
def beyond_chance(e: Expression) -> int | None:
    """Where a measure of two classes exceeds what chance gives: 1 if just where tp·tn > fp·fn, -1 if just where less.

    At fixed margins a table has one freedom, d = tp·tn - fp·fn, and measures that rise with d exceed their value at
    d = 0 just where d > 0. Found on tables of all kinds: 0 if the measure never differs from chance, None if its sign
    is not that of d.
    """
    e = e.of_two_classes() if e.over_classes else e
    rng = np.random.default_rng(11)
    tables = 10.0 ** rng.uniform(-2.0, 2.0, (4, 400))
    d = tables[0] * tables[3] - tables[1] * tables[2]
    tables, d = (x[..., np.abs(d) > 1e-3 * (tables[0] * tables[3] + tables[1] * tables[2])] for x in (tables, d))
    at = dict(zip(CELLS, tables, strict=True))
    with np.errstate(all="ignore"):
        here, chance = (np.asarray(evaluate(e, x), dtype=float) for x in (at, independent(**at)))
        sign = np.where(np.abs(here - chance) > 1e-11 * (np.abs(here) + np.abs(chance)), np.sign(here - chance), 0.0)
    if not sign.any():
        return 0
    turned = sign * np.sign(d)
    return 1 if (turned == 1).all() else -1 if (turned == -1).all() else None


# -- ranges


def _form_bounds(form: Form) -> tuple[float, float]:
    if isinstance(form, Linear):
        pairs = list(zip(form.top, form.bottom, strict=True))
    elif isinstance(form, TwoRates):
        pairs = [(form.top[i][j], form.bottom[i][j]) for i in (0, 1) for j in (0, 1)]
    elif isinstance(form, Rising):
        pairs = list(zip(form.top, form.bottom, strict=True))
    else:
        return -math.inf, math.inf
    ends = [t / b if b else math.copysign(math.inf, t) for t, b in pairs if t or b]
    return min(ends), max(ends)


def _bounds(e: Expression, form: Form, outer: str) -> tuple[float, float]:
    if isinstance(form, PhiOrKappa):
        return -1.0, 1.0
    if isinstance(form, Other):
        return _scanned_bounds(e)
    low, high = _form_bounds(form)
    if outer == "sqrt":
        return math.sqrt(max(low, 0.0)), math.sqrt(high)
    if outer == "log":
        return (math.log(low) if low > 0 else -math.inf), math.log(high)
    return low, high


def _scanned_bounds(e: Expression) -> tuple[float, float]:
    """The range over a grid of tables that reaches towards every edge, rounded to what it approaches."""
    levels = np.array([1e-40, 1e-20, 0.25, 0.5, 1.0, 2.0, 4.0])
    grid = [x.ravel() for x in np.meshgrid(levels, levels, levels, levels)]
    with np.errstate(all="ignore"):
        values = np.asarray(e(**dict(zip(CELLS, grid, strict=True))), dtype=float)
    values = values[~np.isnan(values)]
    if values.size == 0:
        return -math.inf, math.inf
    low, high = (round(float(x), 9) + 0.0 for x in (values.min(), values.max()))
    return (low if low > -1e9 else -math.inf), (high if high < 1e9 else math.inf)


def _symmetric(e: Expression) -> bool:
    """Whether the measure stays the same when the classes swap."""
    rng = random.Random(7)
    for _ in range(4):
        at = {name: np.float64(rng.randint(1, 50) + 0.5) for name in CELLS}
        swapped = {"tp": at["tn"], "tn": at["tp"], "fp": at["fn"], "fn": at["fp"]}
        with np.errstate(all="ignore"):
            a, b = (float(evaluate(e, x)) for x in (at, swapped))
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
            return False
    return True
