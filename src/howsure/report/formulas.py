"""Formulas as MathML, which browsers set without a script, and as plain text for those that do not."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import Final

from howsure.expressions import CELLS, OVER_CLASSES, OVER_ITEMS, Expression
from howsure.render.harmless import visible

_WIDE: Final = 40  # letters of a formula that may be wider than a phone
_BINDS: Final = {"+": 1, "-": 1, "*": 2, "^": 4}
_SIGNS: Final = {"+": "+", "-": "−", "*": "·"}


def mathml(e: Expression, text: str) -> str:
    """A formula as a block of MathML; `text` is what it says where nothing is drawn."""
    reach = ' tabindex="0"' if len(text) > _WIDE else ""  # on a phone it scrolls, which keys must be able to do
    return f'<math display="block" aria-label="{escape(visible(text))}"{reach}>{_row(_part(e))}</math>'


def _part(e: Expression, outer: int = 0, right: bool = False) -> str:
    if e.op == "cell":
        name = str(e.value).upper() if e.value in CELLS else str(e.value)
        return f'<mi mathvariant="normal">{escape(name)}</mi>'
    if e.op == "number":
        return _number(e.value, outer)
    if e.op == "/":
        made = f"<mfrac>{_row(_part(e.args[0]))}{_row(_part(e.args[1]))}</mfrac>"
        return _fenced(made) if outer >= _BINDS["^"] else made
    if e.op == "sqrt":  # without a font for mathematics browsers draw no sign for <msqrt>
        return f'<mo stretchy="false">√</mo>{_fenced(_part(e.args[0]))}'
    if e.op in (*OVER_CLASSES, OVER_ITEMS):
        return _over_several(e)
    if e.op == "log" or e.function is not None:
        name = "log" if e.function is None else e.function.name
        return f"<mi>{escape(visible(name))}</mi>{_fenced('<mo>,</mo>'.join(_part(x) for x in e.args))}"
    if e.op == "^":
        return f"<msup>{_row(_part(e.args[0], 5))}{_row(_part(e.args[1]))}</msup>"
    own = _BINDS[e.op]
    if e.op == "*" and e.args[0].value == -1:
        made = f"<mo>−</mo>{_part(e.args[1], 3)}"
        return _fenced(made) if outer else made
    made = f"{_part(e.args[0], own)}<mo>{_SIGNS[e.op]}</mo>{_part(e.args[1], own, e.op == '-')}"
    return _fenced(made) if own < outer or (right and own == outer) else made


def _over_several(e: Expression) -> str:
    """A sum or a mean over classes, or over items; the mean of defined ones divides by how many these are."""
    many = {"total": "", "mean": "K", "mean of defined": "K′", OVER_ITEMS: "n"}[e.op]
    share = f"<mfrac><mn>1</mn><mi>{many}</mi></mfrac>" if many else ""
    return f"{share}<munder><mo>∑</mo><mi>{'i' if e.op == OVER_ITEMS else 'k'}</mi></munder>{_fenced(_part(e.args[0]))}"


def _number(value: Fraction | str, outer: int) -> str:
    value = Fraction(value)
    if value.denominator == 1:
        made = f"<mn>{abs(value.numerator)}</mn>"
    else:
        size, short = abs(value), repr(abs(float(value)))
        exact = "e" not in short and Fraction(short) == size
        made = f"<mn>{short}</mn>" if exact else f"<mfrac><mn>{size.numerator}</mn><mn>{size.denominator}</mn></mfrac>"
    return made if value >= 0 else _fenced(f"<mo>−</mo>{made}") if outer else f"<mo>−</mo>{made}"


def _row(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"


def _fenced(inside: str) -> str:
    return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"
