"""Words of the notes on items that go together: two systems on the same items, clusters, and rows of one id."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

from howsure.errors import plural
from howsure.language import option, spelled
from howsure.render.numbers import count, probability
from howsure.sentences import SENTENCES, filled

_MOST: Final = 8  # measures that a note tells of


def _pairing(f: Mapping[str, Any]) -> str:
    """Who alone is right, once where measures agree on it, and what pairing changed for each of them."""
    of, what, (a, b) = f["of"], f["what"], f["systems"]
    counts: dict[Any, list[str]] = {}
    for name, won, right in zip(of, f["won"], f["right"], strict=True):
        counts.setdefault((won, right), []).append(name)
    told = [_won(won, right, a, b) + ("" if len(counts) == 1 else f" ({', '.join(x)})") for (won, right), x in
            counts.items() if won is not None]  # fmt: skip
    said = f"on the same {what}, {'; '.join(told)}" if told else f"both were tested on the same {what}"
    each = [_apart(*x) for x in zip(f["here"], f["apart"], f["error"], strict=True)]
    named = each if len(of) == 1 else [f"{x} for {name}" for name, x in zip(of, each, strict=True)]
    more = f" and others for {plural(len(named) - _MOST, 'more measure')}" if len(named) > _MOST else ""
    shown = ", ".join(named[:_MOST]) + more
    return f"{said}; had they been tested on different {what}, P({a} better) would be {shown}"


def _won(won: tuple[float, float], right: bool, a: str, b: str) -> str:
    first, second = map(count, won)
    of = "" if all(float(x).is_integer() for x in won) else "items of weight "
    how, alone = ("alone is right on", "alone ") if right else ("has the better value on", "")
    return f"{a} {how} {of}{first} and {b} {alone}on {second}"


def _apart(here: float, apart: float, error: float) -> str:
    said, other = probability(here, error), probability(apart, error)
    return "the same" if said == other else f"{other} instead of {said}"


def _design(f: Mapping[str, Any]) -> str:
    """An effect below 1 is mostly chance, and no gain."""
    found = sorted(zip(f["effect"], f["of"], f["worth"], strict=True))
    shown = found if len(found) <= 3 else (found[0], found[-1])
    each = [f"{effect:.3g} for {name} ({_worth(effect, worth)})" for effect, name, worth in shown]
    told = (" to " if len(found) > 3 else ", ").join(each)
    return f"design effect, {plural(round(f['items']), 'item')} in {plural(f['clusters'], 'cluster')}: {told}"


def _worth(effect: float, worth: float) -> str:
    none = "no loss: items of one cluster are no more alike than others"
    return none if effect <= 1.0 else f"worth {worth:,.0f} independent items"


def _column(name: str, column: str) -> str:
    """An option with a column, quoted as a shell needs it."""
    return option(name, spelled(column, shlex.quote(column)))


def _repeated(f: Mapping[str, Any]) -> str:
    """What repeats, and what to type about it."""
    column, free = f["column"], option("independent_rows", True)
    if f["what"] == "systems":
        unit = spelled("id", "ID") if f["unit"] is None else f["unit"]
        way = f"{_column('system', column)}{spelled(', ', ' ')}{_column('item', unit)}"
        facts = {**f, "way": way, "one": _column("where", f"{column}={f['first']}")}
    else:
        own = _column("cluster", column)
        apart = "" if f["by"] is None else f" with {option('where', f['by'] + '=VALUE')} in place of {option('by')}"
        facts = {**f, "way": own + apart}
    return filled(SENTENCES[f"repeated-units/{f['what']}"], {**facts, "free": free})


WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "pairing": _pairing, "design-effect": _design, "repeated-units": _repeated,
}  # fmt: skip
