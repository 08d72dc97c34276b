"""In words: which bound a contradictory report breaks, and which value would settle an open one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import CELLS
from howsure.language import spelled
from howsure.relations.quantities import Quantity, quantity
from howsure.relations.region import Region, Regions, region
from howsure.relations.system import system
from howsure.relations.values import Given, short_number

Array = NDArray[np.float64]
FAMILIAR: Final = (
    "prevalence", "bias", "recall", "precision", "specificity", "accuracy", "f1", "npv", "phi", "informedness",
    "markedness", "kappa", "jaccard",
)  # fmt: skip
_SLACK: Final = Fraction(1, 200)
_RATES: Final = ("recall", "precision", "specificity", "npv", "prevalence", "bias", "accuracy")


def infeasible(known: tuple[Given, ...], shares: Array | None) -> str:
    """The smallest set of values that contradict each other, and the bound that one of them breaks."""
    core = _smallest(known)
    if all(g.quantity.sized and g.high == 0 for g in core):
        return f"a table has at least one item; {_join(core)} leave none."
    said = _broken(core)
    whole = {g.name for g in core} >= {g.name for g in known if not g.quantity.sized}
    would = _would_be(known, shares) if shares is not None and whole else ""
    if not said:
        said = f"no table has {_join(core)}"
    return f"{said}{would}.{_hint(core)}"


def _hint(core: Sequence[Given]) -> str:
    """Values with three digits and more that nearly fit are often rounded."""
    near = [g for g in core if _short(g) and g.middle.denominator > 20]
    return _rounded() if near and _nearly(core) else ""


def _short(g: Given) -> bool:
    """An exact measure that has too few digits to be a float, and may be rounded."""
    return g.exact and not g.full and not g.quantity.sized


def _rounded() -> str:
    return f" If the values are rounded, {spelled('give them as text', 'leave out --exact')}."


def _nearly(core: Sequence[Given]) -> bool:
    loose = tuple(g if g.quantity.sized else Given(g.quantity, g.low - _SLACK, g.high + _SLACK, g.shown) for g in core)
    return _region(loose) is not None


def zero_by_zero(known: tuple[Given, ...], one: Given) -> str:
    """A value is given for what the others make 0/0."""
    core = _smallest(known)
    said = _broken(core)
    if said and len(core) > 1:
        return f"{said}."
    others = [g for g in known if g is not one]
    return f"{one.name} would be 0/0 ({one.quantity.undefined}) with {_join(others)}."


def _region(known: tuple[Given, ...]) -> Region | None:
    """Where these values can be true, or None if it is certain that they cannot."""
    where = region(system(known)) if known else None
    if where is None or where.void is not None or (where.curves and where.found.empty):
        return None
    return where


def _smallest(known: tuple[Given, ...]) -> tuple[Given, ...]:
    """Leave out what the contradiction does not need."""
    core = known
    for one in sorted(known, key=lambda g: (not g.quantity.sized, g.name)):
        rest = tuple(g for g in core if g is not one)
        if rest and _region(rest) is None:
            core = rest
    return core


def _broken(core: tuple[Given, ...]) -> str:
    """The range of one value given the others, the least simple measure first."""
    for one in sorted(core, key=lambda g: (g.quantity.sized, g.quantity.linear is not None, _place(g))):
        rest = tuple(g for g in core if g is not one)
        if one.quantity.sized and not any(g.quantity.sized for g in rest):
            continue
        where = _region(rest) if rest else None
        span = None if where is None else where.spans((one.quantity,))[0]
        if span is None or (float(one.low) <= span[1] + 1e-9 and float(one.high) >= span[0] - 1e-9):
            continue
        return f"{one.name} {_range(span, one)} with {_join(rest)}; got {one.shown}"
    return ""


def _place(g: Given) -> int:
    """Sums of everything (accuracy, F) are told by their parts (recall, prevalence), not the other way round."""
    order = ("accuracy", "f1", "bias", "prevalence")
    return order.index(g.name) if g.name in order else (0 if g.name.startswith(("f0", "f2", "fbeta")) else 2)


def _range(span: tuple[float, float], one: Given) -> str:
    low, high = (short_number(x) for x in span)
    if low == high:
        return f"is {low}"
    between = one.quantity.linear is not None and not one.quantity.sized
    if float(one.low) > span[1]:
        between &= span[0] > one.quantity.bounds[0] + 1e-9
        return f"lies between {low} and {high}" if between else f"is at most {high}"
    between &= span[1] < one.quantity.bounds[1] - 1e-9
    return f"lies between {low} and {high}" if between else f"is at least {low}"


def _would_be(known: tuple[Given, ...], shares: Array) -> str:
    """The cell that would be negative and the rate that would leave 0 to 1."""
    size = float(system(known).size(shares))
    said = []
    names = {g.name for g in known}
    for name in _RATES:
        value = float(quantity(name).at(shares))
        if name not in names and np.isfinite(value) and not -1e-9 <= value <= 1 + 1e-9:
            said.append(f"{name} would be {short_number(round(value, 9))}")
            break
    lowest = int(np.argmin(shares))
    if shares[lowest] < -1e-9:
        share = " of all" if size == 1 else ""
        said.append(f"{CELLS[lowest]} would be {short_number(round(float(shares[lowest]) * size, 6))}{share}")
    return f" ({', '.join(said)})" if said else ""


def _join(known: Sequence[Given]) -> str:
    texts = [str(g) for g in known]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def not_found(known: tuple[Given, ...]) -> str:
    """Neither a table nor a proof that there is none."""
    tables = spelled("give n and integers=True", "give n, without --exact")
    return (
        f"no table with {_join(known)} was found, but it is not certain that there is none: {tables}, "
        "which looks at every table of whole numbers, or give fewer digits."
    )


def nothing_whole(known: tuple[Given, ...], fractions: bool) -> str:
    """Whole numbers do not do; fractions would, if it is known."""
    hint = _rounded() if any(map(_short, known)) else ""
    though = ", though fractions of items would" if fractions else ""
    return f"no table of whole numbers has {_join(known)}{though}.{hint}"


# -- too few values


def free(where: Regions) -> tuple[str, ...]:
    """As many familiar measures as are free, each independent of those before it."""
    chosen: list[Quantity] = []
    left = where.freedom
    for name in FAMILIAR:
        if left == 0:
            break
        after = where.settled_by((*chosen, quantity(name)))
        if after < left:
            chosen.append(quantity(name))
            left = after
    return tuple(q.name for q in chosen)


def settling(where: Regions) -> tuple[str, ...]:
    """The familiar measures of which one more would settle the table."""
    if where.freedom != 1:
        return ()
    return tuple(name for name in FAMILIAR if where.settled_by((quantity(name),)) == 0)


def undetermined(where: Regions, known: tuple[Given, ...]) -> str:
    """What is free, and what would settle it."""
    names = free(where)
    if not names:
        loose = [g for g in known if not g.exact]
        if all(g.printed for g in loose):
            return f"the digits of {_join(loose)} leave a range of tables."
        return f"with {_join(loose)} there is a range of tables."
    rest = "" if all(g.exact for g in known) else " up to the ranges given"
    if len(names) == 1:
        some = settling(where)
        other = [x for x in some if x != names[0]][:2]
        more = ", ".join([names[0], *other[:-1]]) + (f" or {other[-1]}" if other else "")
        return f"{names[0]} is free with {_join(known)}: one more value, such as {more}, would settle the table{rest}."
    text = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{text} are free with {_join(known)}: {len(names)} more values, such as these, would settle the table{rest}."
    )
