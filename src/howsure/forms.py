"""Metrics as data: expressions over named cells, and the numerical form that is read off them.

The form is found by exact rational arithmetic: M is a quotient of two linear forms in given features (the cells,
products of recall and specificity, ...) exactly when M·(bottom·features) = top·features at every table, a linear
system whose null space tells. So every way to write a formula leads to the same route: 2·p·r/(p+r) is F1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from howsure.errors import BadSetting

CELLS: Final = ("tp", "fp", "fn", "tn")
_BINDS: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_LATEX_CELL: Final = {name: rf"\mathrm{{{name.upper()}}}" for name in CELLS}


# -- expressions


@dataclass(frozen=True)
class Expression:
    """A formula over tp, fp, fn and tn; combine with + - * / ** and sqrt, log."""

    op: str
    args: tuple[Expression, ...] = ()
    value: Fraction | str = ""

    def __add__(self, other: object) -> Expression:
        return _binary("+", self, other)

    def __radd__(self, other: object) -> Expression:
        return _binary("+", other, self)

    def __sub__(self, other: object) -> Expression:
        return _binary("-", self, other)

    def __rsub__(self, other: object) -> Expression:
        return _binary("-", other, self)

    def __mul__(self, other: object) -> Expression:
        return _binary("*", self, other)

    def __rmul__(self, other: object) -> Expression:
        return _binary("*", other, self)

    def __truediv__(self, other: object) -> Expression:
        return _binary("/", self, other)

    def __rtruediv__(self, other: object) -> Expression:
        return _binary("/", other, self)

    def __neg__(self) -> Expression:
        return _binary("*", -1, self)

    def __pow__(self, power: object) -> Expression:
        if power == 0.5:
            return self.sqrt()
        if isinstance(power, int) and 1 <= power <= 8:
            return Expression("^", (self, _constant(power)))
        raise BadSetting(f"a formula takes powers 1 to 8 and 0.5; got {power!r}.")

    def sqrt(self) -> Expression:
        """The square root (numpy.sqrt calls this)."""
        return Expression("sqrt", (self,))

    def log(self) -> Expression:
        """The natural logarithm (numpy.log calls this)."""
        return Expression("log", (self,))

    def __call__(self, **cells: Any) -> Any:
        """The value at the given cells: numbers, fractions or arrays."""
        return _evaluate(self, cells)

    def __str__(self) -> str:
        return _text(self)

    @property
    def latex(self) -> str:
        """The formula in LaTeX."""
        return _latex(self)

    def walk(self) -> Iterator[Expression]:
        """Every part of the formula."""
        yield self
        for part in self.args:
            yield from part.walk()

    def denominators(self) -> tuple[Expression, ...]:
        """What the formula divides by, without repeats."""
        return tuple(dict.fromkeys(x.args[1] for x in self.walk() if x.op == "/" and x.args[1].op != "number"))


class Cells(NamedTuple):
    """The four cells of a 2x2 table, as parts of a formula."""

    tp: Expression
    fp: Expression
    fn: Expression
    tn: Expression


cells: Final = Cells(*(Expression("cell", value=name) for name in CELLS))


def sqrt(x: Expression) -> Expression:
    """The square root of a formula."""
    return _expression(x).sqrt()


def log(x: Expression) -> Expression:
    """The natural logarithm of a formula."""
    return _expression(x).log()


def Ratio(top: Expression, bottom: Expression) -> Expression:  # noqa: N802 - reads as a type in the public API
    """A quotient of two linear forms in the cells, which has an exact posterior.

    >>> tp, fp, fn, tn = cells
    >>> str(Ratio(tp, tp + fp))
    'tp / (tp + fp)'
    """
    formula = _expression(top) / _expression(bottom)
    if not isinstance(read(formula).form, Linear):
        raise BadSetting(f"a Ratio needs linear forms of the cells with no negative weight below; got {formula}.")
    return formula


def _constant(x: object) -> Expression:
    if isinstance(x, bool) or not isinstance(x, (int, float, Fraction, np.integer, np.floating)):
        raise BadSetting(f"a formula is made of cells and numbers; got {x!r}.")
    if isinstance(x, (float, np.floating)) and not math.isfinite(x):
        raise BadSetting(f"a formula needs finite numbers; got {x!r}.")
    exact = (
        x if isinstance(x, Fraction) else Fraction(repr(float(x)) if isinstance(x, (float, np.floating)) else int(x))
    )
    return Expression("number", value=exact)


def _expression(x: object) -> Expression:
    return x if isinstance(x, Expression) else _constant(x)


_ONE: Final = Expression("number", value=Fraction(1))


def _binary(op: str, a: object, b: object) -> Expression:
    left, right = _expression(a), _expression(b)
    if op == "*" and left == _ONE:
        return right
    return Expression(op, (left, right))


_OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a ** int(b),
    "sqrt": np.sqrt,
    "log": np.log,
}


def _evaluate(e: Expression, at: dict[str, Any]) -> Any:
    if e.op == "cell":
        return at[str(e.value)]
    if e.op == "number":
        assert isinstance(e.value, Fraction)  # noqa: S101 - narrows the type
        exact = any(isinstance(x, Fraction) for x in at.values())
        return e.value if exact else float(e.value)
    return _OPERATIONS[e.op](*(_evaluate(x, at) for x in e.args))


def _number(x: Fraction) -> str:
    if x.denominator == 1:
        return str(x.numerator)
    short = repr(float(x))
    return short if Fraction(short) == x else f"{x.numerator}/{x.denominator}"


def _text(e: Expression, outer: int = 0, right: bool = False) -> str:
    """Infix text; parentheses where the outer operation binds closer, or equally from the left of a - or /."""
    if e.op == "cell":
        return str(e.value)
    if e.op == "number":
        shown = _number(e.value)  # type: ignore[arg-type]
        own = 2 if "/" in shown else 9
        return f"({shown})" if (shown.startswith("-") and outer) or own < outer or (right and own == outer) else shown
    if e.op in ("sqrt", "log"):
        return f"{e.op}({_text(e.args[0])})"
    if _negated(e):
        return f"(-{_text(e.args[1], 3)})" if outer else f"-{_text(e.args[1], 3)}"
    own = _BINDS[e.op]
    if e.op == "^":
        inner = _text(e.args[0], 5)
        return f"({inner})^{_text(e.args[1])}" if e.args[0].op == "^" else f"{inner}^{_text(e.args[1])}"
    body = f"{_text(e.args[0], own)} {e.op} {_text(e.args[1], own, e.op in '-/')}"
    return f"({body})" if own < outer or (right and own == outer) else body


def _negated(e: Expression) -> bool:
    return e.op == "*" and e.args[0].op == "number" and e.args[0].value == -1


def _latex(e: Expression, outer: int = 0, right: bool = False) -> str:
    """As the text; a fraction needs no parentheses but under a power."""
    if e.op == "cell":
        return _LATEX_CELL[str(e.value)]
    if e.op == "number":
        shown = _number(e.value)  # type: ignore[arg-type]
        return rf"\left({shown}\right)" if shown.startswith("-") and outer else shown
    if e.op == "sqrt":
        return rf"\sqrt{{{_latex(e.args[0])}}}"
    if e.op == "log":
        return rf"\log\left({_latex(e.args[0])}\right)"
    own = _BINDS[e.op]
    if e.op == "/":
        body, own = rf"\frac{{{_latex(e.args[0])}}}{{{_latex(e.args[1])}}}", 4
    elif _negated(e):
        body, own = f"-{_latex(e.args[1], 3)}", 0
    elif e.op == "^":
        body = f"{_latex(e.args[0], 5)}^{{{_latex(e.args[1])}}}"
    else:
        sign = r" \cdot " if e.op == "*" else f" {e.op} "
        body = f"{_latex(e.args[0], own)}{sign}{_latex(e.args[1], own, e.op == '-')}"
    return rf"\left({body}\right)" if own < outer or (right and own == outer) else body


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
class Other:
    """No exact route: draws."""


Form = Linear | TwoRates | Rising | Other


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
    core, outer = (e.args[0], e.op) if e.op in ("sqrt", "log") else (e, "")
    form: Form = Other()
    if not any(x.op in ("sqrt", "log") for x in core.walk()):
        form = _linear(core) or _rates(core, "rows") or _rates(core, "columns") or _ray(core) or Other()
    if outer and not isinstance(form, Other) and _form_bounds(form)[0] < 0:
        form = Other()
    return Reading(form, outer, _bounds(e, form, outer), _symmetric(e))


def _point(rng: random.Random) -> dict[str, Fraction]:
    return {name: Fraction(rng.randint(1, 60), rng.randint(1, 7)) for name in CELLS}


def _quotient(e: Expression, kind: str) -> tuple[list[Fraction], list[Fraction]] | None:
    """top and bottom with M = top·features / bottom·features at every table, or None."""
    features = _FEATURES[kind]
    m = len(features)
    rng = random.Random(20050000 + m)
    rows: list[list[Fraction]] = []
    for _ in range(40 * m):
        if len(rows) == 2 * m + 4:
            break
        at = _point(rng)
        try:
            value = _evaluate(e, dict(at))
        except ZeroDivisionError:
            continue
        phi = [math.prod((at[c] for c in names), start=Fraction(1)) for names in features]
        rows.append([Fraction(value) * x for x in phi] + [-x for x in phi])
    vector = _null_vector(rows) if len(rows) == 2 * m + 4 else None
    if vector is None:
        return None
    bottom, top = vector[:m], vector[m:]
    if all(x <= 0 for x in bottom):
        bottom, top = [-x for x in bottom], [-x for x in top]
    return (top, bottom) if all(x >= 0 for x in bottom) else None


def _null_vector(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The null vector of a matrix when its null space is one-dimensional, scaled to small whole numbers."""
    rows = [r[:] for r in rows]
    width = len(rows[0])
    pivots: list[int] = []
    for column in range(width):
        at = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if at is None:
            continue
        i = len(pivots)
        rows[i], rows[at] = rows[at], rows[i]
        scale = rows[i][column]
        rows[i] = [x / scale for x in rows[i]]
        for j, row in enumerate(rows):
            if j != i and row[column]:
                factor = row[column]
                rows[j] = [x - factor * y for x, y in zip(row, rows[i], strict=True)]
        pivots.append(column)
    free = [c for c in range(width) if c not in pivots]
    if len(free) != 1:
        return None
    vector = [Fraction(0)] * width
    vector[free[0]] = Fraction(1)
    for i, column in enumerate(pivots):
        vector[column] = -rows[i][free[0]]
    scale = Fraction(math.lcm(*(x.denominator for x in vector)), math.gcd(*(x.numerator for x in vector)) or 1)
    return [x * scale for x in vector]


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
            a, b = (float(_evaluate(e, x)) for x in (at, swapped))
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
            return False
    return True
