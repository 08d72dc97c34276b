"""Expressions over named cells: formulas with text, LaTeX, values and slopes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from howsure.arrays import Array
from howsure.errors import BadSetting
from howsure.validate import finite

# -- expressions
#
# Formulas over the named cells of a 2x2 table: built by operators, read as text, LaTeX or a function.
#
# total(x), mean(x) and mean_of_defined(x) run over classes: each class against the rest has its own four cells.

CELLS: Final = ("tp", "fp", "fn", "tn")
_DEEPEST: Final = 100  # a sum of a thousand terms can be written as a sum of sums
_SMALLEST, _LARGEST = Fraction(1, 10**150), Fraction(10**300)
OVER_CLASSES: Final = ("total", "mean", "mean of defined")
OVER_ITEMS: Final = "mean over items"  # written, never evaluated: an item with many labels has four cells of its own
_SAID: Final = {"total": "sum over classes", OVER_ITEMS: OVER_ITEMS}
_SIGNS: Final = {"total": r"\sum_k", OVER_ITEMS: r"\frac{1}{n}\sum_i"}
_BINDS: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_LATEX_CELL: Final = {name: rf"\mathrm{{{name.upper()}}}" for name in CELLS}


@dataclass(frozen=True)
class Expression:
    """A formula over tp, fp, fn and tn; combine with + - * / ** and sqrt, log."""

    op: str
    args: tuple[Expression, ...] = ()
    value: Fraction | str = ""
    function: Function | None = None
    depth: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        depth = 1 + max([x.depth for x in self.args], default=0)
        if depth > _DEEPEST:
            raise BadSetting(
                f"a formula may be nested {_DEEPEST} deep: write a long sum as a sum of shorter ones in parentheses."
            )
        object.__setattr__(self, "depth", depth)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Expression:
        """What numpy does with formulas, and with its own numbers beside them."""
        operation = _UFUNCS.get(ufunc.__name__)
        if operation is None or method != "__call__" or settings:
            raise _no_formula(f"numpy.{ufunc.__name__}")
        return operation(*inputs)

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

    def __pos__(self) -> Expression:
        return self

    def __pow__(self, power: object) -> Expression:
        if isinstance(power, (float, Fraction, np.floating)) and power == 0.5:
            return self.sqrt()
        if isinstance(power, (int, np.integer)) and not isinstance(power, bool) and 1 <= power <= 8:
            return Expression("^", (self, _constant(int(power))))
        raise BadSetting(f"powers in a formula are 1 to 8 and 0.5; got {power!r}.")

    def sqrt(self) -> Expression:
        """The square root (numpy.sqrt calls this)."""
        return Expression("sqrt", (self,))

    def log(self) -> Expression:
        """The natural logarithm (numpy.log calls this)."""
        return Expression("log", (self,))

    def __call__(self, **cells: Any) -> Any:
        """The value at the given cells: numbers, fractions or arrays."""
        try:
            return evaluate(self, cells)
        except KeyError as missing:
            raise BadSetting(f"the formula {self} needs a value for {missing.args[0]}.") from None

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

    @cached_property
    def over_classes(self) -> bool:
        """Whether it sums over classes."""
        return self.op in OVER_CLASSES or any(x.over_classes for x in self.args)

    def replaced(self, cells: dict[str, Expression]) -> Expression:
        """The formula with other formulas in the places of its cells."""
        if self.op == "cell":
            return cells[str(self.value)]
        return replace(self, args=tuple(x.replaced(cells) for x in self.args))

    def of_two_classes(self) -> Expression:
        """The formula with its sums over two classes written out; the second has the cells of the first, turned."""
        if self.op not in OVER_CLASSES:
            return replace(self, args=tuple(x.of_two_classes() for x in self.args))
        inner = self.args[0].of_two_classes()
        both = inner + inner.replaced({"tp": cells.tn, "tn": cells.tp, "fp": cells.fn, "fn": cells.fp})
        return both if self.op == "total" else both / 2

    def denominators(self) -> tuple[Expression, ...]:
        """What the formula divides by, or needs to be positive, without repeats."""
        found: list[Expression] = []
        for x in self.walk():
            if x.op == "/" and x.args[1].op != "number":
                found.append(x.args[1])
            elif x.function is not None:
                found += [x.args[i] + x.args[j] for i, j in x.function.divides]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Function:
    """A named function of formulas that + - * / cannot write; called with formulas it is one.

    `of` takes the values of the arguments, numbers or arrays. `divides` are the pairs of arguments whose sum must not
    be 0.
    """

    name: str
    latex: str
    of: Callable[..., Any]
    divides: tuple[tuple[int, int], ...] = ()

    def __call__(self, *args: object) -> Expression:
        return Expression("function", tuple(expression(x) for x in args), function=self)


class Cells(NamedTuple):
    """The four cells of a 2x2 table, as parts of a formula."""

    tp: Expression
    fp: Expression
    fn: Expression
    tn: Expression


cells: Final = Cells(*(Expression("cell", value=name) for name in CELLS))


def sqrt(x: Expression) -> Expression:
    """The square root of a formula."""
    return expression(x).sqrt()


def log(x: Expression) -> Expression:
    """The natural logarithm of a formula."""
    return expression(x).log()


def total(x: Expression) -> Expression:
    """The sum of a formula over all classes; a class for which it is undefined adds nothing."""
    return Expression("total", (expression(x),))


def mean(x: Expression) -> Expression:
    """The mean of a formula over all classes; a class for which it is undefined counts as 0."""
    return Expression("mean", (expression(x),))


def mean_of_defined(x: Expression) -> Expression:
    """The mean of a formula over the classes for which it is defined."""
    return Expression("mean of defined", (expression(x),))


def mean_over_items(x: Expression) -> Expression:
    """The mean of a formula over items, for what is written of a measure of items with many labels."""
    return Expression(OVER_ITEMS, (expression(x),))


def counted(name: str) -> Expression:
    """What is counted where that is no cell of a 2x2 table, by its name: for what is written of a measure.

    >>> passes, fails = counted("passes"), counted("fails")
    >>> str(passes / (passes + fails))
    'passes / (passes + fails)'
    """
    return Expression("cell", value=name)


def _constant(x: object) -> Expression:
    if isinstance(x, bool) or not isinstance(x, (int, float, Fraction, np.integer, np.floating)):
        raise BadSetting(f"a formula is made of cells and numbers; got {x!r}.")
    if isinstance(x, (float, np.floating)) and not math.isfinite(x):
        raise BadSetting(f"a formula needs finite numbers; got {x!r}.")
    exact = (
        x if isinstance(x, Fraction) else Fraction(repr(finite(x)) if isinstance(x, (float, np.floating)) else int(x))
    )
    if exact and not _SMALLEST <= abs(exact) <= _LARGEST:
        raise BadSetting("a formula takes 0 and numbers of a size from 1e-150 to 1e300; one is beyond that.")
    return Expression("number", value=exact)


def expression(x: object) -> Expression:
    """A formula from a formula or a number."""
    return x if isinstance(x, Expression) else _constant(x)


_ONE: Final = Expression("number", value=Fraction(1))


def _binary(op: str, a: object, b: object) -> Expression:
    left, right = expression(a), expression(b)
    if op == "*" and left == _ONE:
        return right
    return Expression(op, (left, right))


def _no_formula(name: str) -> BadSetting:
    return BadSetting(f"a formula is made of cells and numbers by + - * / ** sqrt and log; {name} is not among these.")


_UFUNCS: Final[dict[str, Callable[..., Expression]]] = {
    "add": lambda a, b: _binary("+", a, b),
    "subtract": lambda a, b: _binary("-", a, b),
    "multiply": lambda a, b: _binary("*", a, b),
    "divide": lambda a, b: _binary("/", a, b),
    "power": lambda a, b: expression(a) ** b,
    "square": lambda a: a**2,
    "negative": lambda a: -a,
    "positive": lambda a: +a,
    "sqrt": lambda a: a.sqrt(),
    "log": lambda a: a.log(),
}
_REFUSED: Final = {
    "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__abs__": "abs", "__bool__": "and, or, not or if",
    "__floordiv__": "//", "__rfloordiv__": "//", "__mod__": "%", "__rmod__": "%", "__rpow__": "a formula as a power",
    "__matmul__": "@", "__rmatmul__": "@", "__round__": "round", "__float__": "float", "__int__": "int",
    "__complex__": "complex", "__iter__": "a list", "__divmod__": "divmod", "__rdivmod__": "divmod",
    "__trunc__": "trunc", "__floor__": "floor", "__ceil__": "ceil",
}  # fmt: skip


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(_self: Expression, *_others: object) -> NoReturn:
        raise _no_formula(name)

    return refuse


for _method, _name in _REFUSED.items():
    setattr(Expression, _method, _refusal(_name))

_OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": lambda a, b: a ** int(b),
    "sqrt": np.sqrt,
    "log": np.log,
    "total": lambda x: np.where(np.isnan(x), 0.0, x).sum(axis=0),
    "mean": lambda x: np.where(np.isnan(x), 0.0, x).mean(axis=0),
    "mean of defined": lambda x: np.where(np.isnan(x), 0.0, x).sum(axis=0) / (~np.isnan(x)).sum(axis=0),
}


def evaluate(e: Expression, at: dict[str, Any]) -> Any:
    """The value at the given cells; exact when these are fractions. Sums over classes run along the first axis."""
    return _evaluated(e, at, Fraction in map(type, at.values()))


def _evaluated(e: Expression, at: dict[str, Any], exact: bool) -> Any:
    if e.op == "cell":
        return at[str(e.value)]
    if e.op == "number":
        assert isinstance(e.value, Fraction)  # noqa: S101 - narrows the type
        return e.value if exact else float(e.value)
    operation = _OPERATIONS[e.op] if e.function is None else e.function.of
    return operation(*[_evaluated(x, at, exact) for x in e.args])


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
    if e.function is not None:
        return f"{e.function.name}({', '.join(_text(x) for x in e.args)})"
    if e.op in (*OVER_CLASSES, OVER_ITEMS):
        return f"{_SAID.get(e.op, f'{e.op} over classes')}({_text(e.args[0])})"
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
        return _LATEX_CELL.get(str(e.value), rf"\mathrm{{{e.value}}}")
    if e.op == "number":
        shown = _number(e.value)  # type: ignore[arg-type]
        return rf"\left({shown}\right)" if shown.startswith("-") and outer else shown
    if e.op == "sqrt":
        return rf"\sqrt{{{_latex(e.args[0])}}}"
    if e.function is not None:
        return rf"{e.function.latex}\left({', '.join(_latex(x) for x in e.args)}\right)"
    if e.op == "log":
        return rf"\log\left({_latex(e.args[0])}\right)"
    if e.op in (*OVER_CLASSES, OVER_ITEMS):
        sign = _SIGNS.get(e.op, r"\frac{1}{K}\sum_k")
        return rf"{sign}\left({_latex(e.args[0])}\right)"
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


# -- gradients
#
# How a formula over classes follows each cell of each class: all slopes in one pass back through its tree.


def slopes(e: Expression, at: dict[str, Array]) -> dict[str, Array] | None:
    """The derivative by each cell of each class, at cells of shape (classes,); None where a function has none of ours.

    >>> from howsure.catalogue.expressions import cells, mean
    >>> at = {"tp": np.array([1.0, 3.0]), "fp": np.array([1.0, 1.0]), "fn": np.zeros(2), "tn": np.zeros(2)}
    >>> slopes(mean(cells.tp / (cells.tp + cells.fp)), at)["tp"].tolist()
    [0.125, 0.03125]
    """
    if not _known(e):
        return None
    out = {c: np.zeros_like(at[c]) for c in CELLS}
    with np.errstate(all="ignore"):
        _back(e, np.ones(()), at, out)
    return {c: np.where(np.isfinite(x), x, 0.0) for c, x in out.items()}


def _known(e: Expression) -> bool:
    return e.function is None and all(_known(x) for x in e.args)


def _back(e: Expression, slope: Any, at: dict[str, Array], out: dict[str, Array]) -> None:
    """Add what the formula's arguments do to it; `slope` is what it does to the whole."""
    if e.op == "cell":
        out[str(e.value)] += slope
        return
    args = [np.asarray(evaluate(x, at), dtype=float) for x in e.args]
    for x, own, inner in zip(e.args, args, _inner(e.op, args), strict=True):
        if x.op != "number":
            down = slope * inner
            _back(x, down.sum() if np.ndim(down) > np.ndim(own) else down, at, out)


def _inner(op: str, args: list[Any]) -> list[Any]:
    """The derivative of an operation by each of its arguments."""
    a, b = (*args, np.ones(()))[:2]
    if op in OVER_CLASSES:
        defined = (~np.isnan(a)).astype(float)
        size = {"total": 1.0, "mean": float(len(a))}.get(op, defined.sum())
        return [defined / size]
    one = np.ones(())
    found = {
        "+": [one, one], "-": [one, -one], "*": [b, a], "/": [one / b, -a / b**2], "^": [b * a ** (b - 1.0), one],
        "sqrt": [0.5 / np.sqrt(a)], "log": [one / a],
    }  # fmt: skip
    return found[op]
