"""Labels: plain values in a settled order, and the rule of the positive class."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, cast

import numpy as np

from howsure.errors import BadLabels, UnknownName, listing, nearest
from howsure.language import option

Label = Hashable
PASS: Final = frozenset({"true", "1", "yes", "y", "pass", "passed", "t", "correct", "c"})
FAIL: Final = frozenset({"false", "0", "no", "n", "fail", "failed", "f", "incorrect", "i"})


def plain(label: Any) -> Label:
    """A label as a plain Python value; whole floats become ints."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return cast("Label", value)


def whole(text: str) -> int | None:
    """The whole number that a text spells; longer ones than any count or id are names.

    >>> whole("-5"), whole("--5"), whole("²")
    (-5, None, None)
    """
    return int(text) if re.fullmatch(r"-?[0-9]{1,300}", text) else None


def spells(text: Any, label: Label) -> bool:
    """Whether a text, such as one of a command line, means a label that is no text: true, TRUE and 1 mean True.

    >>> spells("TRUE", True), spells("0", False), spells("1.0", 1), spells("1.0", "1")
    (True, True, True, False)
    """
    if not isinstance(text, str) or not isinstance(label, (bool, int)):
        return False
    said = text.strip().lower()
    number = whole(said.partition(".0")[0]) if re.fullmatch(r"-?[0-9]+(\.0+)?", said) else None
    return said == str(label).lower() or (number is not None and number == label)


def twins(values: Iterable[Any]) -> tuple[str, Any] | None:
    """A text and a number, or a truth value, that it spells, where both occur.

    >>> twins(["a", 1, "1"]), twins(["a", 1, "b"])
    (('1', 1), None)
    """
    texts: dict[str, str] = {}
    numbers: dict[str, Any] = {}
    for x in values:
        if isinstance(x, str):
            texts[x.strip().lower()] = x
        elif isinstance(x, (bool, int, float)):
            numbers[str(x).lower()] = x
    both = texts.keys() & numbers.keys()
    return (texts[min(both)], numbers[min(both)]) if both else None


def refuse_number_and_text(one: Iterable[Any], two: Iterable[Any], what: str) -> None:
    """One sentence about a number on one side, and a text on the other that spells it."""
    found = twins({*one, *two})
    if found is not None and twins(one) is None and twins(two) is None:
        raise BadLabels(f"{what} {found[0]!r} and {found[1]!r} are a text and a number; make them all the same type.")


def in_order(labels: set[Label] | frozenset[Label]) -> tuple[Label, ...]:
    """Labels sorted within their types, so that any order of merging gives the same tuple."""
    kind = {bool: "0", int: "1", float: "1"}
    return tuple(sorted(labels, key=lambda x: (kind.get(type(x), type(x).__name__), cast("Any", x))))


def completed(seen: set[Label]) -> tuple[Label, ...]:
    """Labels that occur, in order; 0 or 1 alone, False or True alone, -1 or 1 alone are joined by their partner."""
    if seen and all(isinstance(x, bool) for x in seen):
        return (False, True)
    if seen and all(isinstance(x, (int, bool)) for x in seen):
        numbers = {int(x) for x in seen}  # type: ignore[call-overload]
        for pair in ((0, 1), (-1, 1)):
            if numbers <= set(pair):
                return pair
        return in_order(numbers)
    return in_order(seen)


def usual_positive(labels: Sequence[Label]) -> Label | None:
    """1 or True when the labels lie in {0, 1}, {False, True} or {-1, 1}; otherwise none."""
    if len(labels) == 2 and all(isinstance(x, (int, bool)) for x in labels) and set(labels) in ({0, 1}, {-1, 1}):
        return next(x for x in labels if x == 1)
    return None


def check_labels(labels: Any) -> tuple[Label, ...]:
    """Labels given by the user: a sequence of distinct plain values."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise BadLabels(f"{option('labels')} must be a list of class names; got {labels!r}.")
    names = tuple(plain(x) for x in labels)
    _distinct(names)
    for x in names:
        named(x)
    return names


def named(label: Label) -> Label:
    """The label, if it is one: None and NaN say that a label is missing."""
    if not isinstance(label, Hashable):
        raise BadLabels(f"a label must be a plain value such as text or a number; got {label!r}.")
    if label is None or label != label:  # NaN differs from itself
        raise BadLabels(f"{label!r} means that a label is missing; give the class another name.")
    return label


def _distinct(labels: Sequence[Label]) -> None:
    seen: set[Label] = set()
    if not all(isinstance(x, Hashable) for x in labels):
        raise BadLabels(f"class names must be plain values such as text or numbers; got {list(labels)!r}.")
    for label in labels:
        if label in seen:
            raise BadLabels(f"label {label!r} is given twice; every class needs its own name.")
        seen.add(label)


def find(label: Any, labels: Sequence[Label]) -> int:
    """The place of a label; text that spells a label will do.

    >>> find("1", (0, 1)), find("true", (False, True))
    (1, 1)
    """
    wanted = plain(label)
    if not isinstance(wanted, Hashable):
        raise BadLabels(f"a class must be named by one value; got {type(label).__name__}.")
    for i, own in enumerate(labels):
        if own == wanted and isinstance(own, bool) == isinstance(wanted, bool):
            return i
    for i, own in enumerate(labels):
        if own == wanted or str(own) == str(wanted) or spells(wanted, own):
            return i
    names = [str(x) for x in labels]
    raise UnknownName(f"no class named {label!r}.{nearest(str(label), names)} Classes: {listing(labels)}.")


def places(names: Iterable[Any], systems: Sequence[str]) -> list[int]:
    """Where these systems stand among all of them.

    >>> places(["b", "a"], ("a", "b", "c"))
    [1, 0]
    """
    found = []
    for name in names:
        if name not in systems:
            raise UnknownName(f"no system named {name!r}.{nearest(str(name), systems)} Given: {listing(systems)}.")
        found.append(systems.index(name))
    return found
