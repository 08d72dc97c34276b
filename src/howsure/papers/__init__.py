"""What the papers print, recomputed through howsure and set beside the print.

>>> from howsure import papers
>>> (item,) = papers.select("goutte-eq-9")
>>> item.printed
'mean (TP+λ)/(TP+FP+2λ), mode (TP+λ-1)/(TP+FP+2λ-2)'
>>> item.compute().verdict
'agrees'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

from howsure.papers.item import MEANINGS, VERDICTS, Finding, Item

__all__ = ["MEANINGS", "VERDICTS", "Finding", "Item", "Result", "document", "items", "render", "select"]

Result = Finding  # as it was first called

PAPERS: Final = ("goutte", "ishioka", "powers", "alvarez", "zhang")


def items() -> tuple[Item, ...]:
    """Every item, in the order of the papers; nothing is computed yet."""
    return tuple(x for key in PAPERS for x in import_module(f"howsure.papers.{key}").ITEMS)


def select(text: str | None = None) -> tuple[Item, ...]:
    """The item of that id, all that an id or a paper opens ("goutte-eq", "powers"), or every item for None.

    >>> [x.id for x in select("goutte-eq-1")]
    ['goutte-eq-1']
    """
    everything = items()
    if text is None:
        return everything
    name = "-".join(text.strip().lower().replace("_", " ").split())
    exact = tuple(x for x in everything if x.id == name)
    found = exact or tuple(x for x in everything if name and x.id.startswith(f"{name}-")) or _of_equation(name)
    if found:
        return found
    from howsure.errors import UnknownName, nearest

    hint = nearest(name, [*PAPERS, *(x.id for x in everything)])
    raise UnknownName(f"no paper or item of a paper named {text!r}.{hint} See: howsure papers")


def _of_equation(name: str) -> tuple[Item, ...]:
    """The items of an equation that shares one with its neighbours, such as "eqs 17 to 19" for alvarez-eq-18."""
    asked = re.fullmatch(r"(\w+)-eq-(\d+)", name)
    if asked is None:
        return ()
    found = []
    for x in items():
        range_ = re.search(r"eqs?\.? (\d+)(?: (?:to|and) (\d+))?$", x.where)
        if range_ and x.id.startswith(f"{asked[1]}-"):
            first, last = int(range_[1]), int(range_[2] or range_[1])
            found += [x] if first <= int(asked[2]) <= last else []
    return tuple(found)


def document(chosen: Iterable[Item]) -> dict[str, Any]:
    """The JSON document (schema howsure.papers/1); the computing happens here."""
    from howsure.papers import show

    return show.document(chosen)


def render(chosen: Iterable[Item], kind: str = "table", width: int | None = None) -> str:
    """The items, computed, as table, json, markdown or html; a page shows every figure and takes the extra charts."""
    from howsure.papers import show

    if kind == "html":
        from howsure.charts.chart import check_installed

        check_installed()  # before the computing

    return show.render(show.document(chosen), kind, width)
