"""Findings: what a document says, in a sentence, and what a chart of it has to state beneath."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from howsure.messages.numbers import by_weight, count, endless, ends_of, probability, short, size, stated, width_of
from howsure.messages.verdicts import decisive

Document = dict[str, Any]
_NAMED: Final = 3  # names in a sentence


def percent(level: float) -> str:
    """A level as people say it.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.12g}%"


def sentence(text: object) -> str:
    """A text with its full stop; its first letter stays, as it may be a name of the user's."""
    said = str(text).strip()
    return said if not said or said.endswith((".", "?", "!")) else f"{said}."


def caption(document: Document) -> str:
    """What the numbers rest on: n or a sum of weights, the prior, and the kind and level of the intervals."""
    told, prior, level = document.get("data") or {}, document.get("prior") or {}, document.get("level")
    said = [_n(document)]
    said.append(f"{count(told['folds'])} folds" if told.get("folds") else "")
    said.append(f"prior {prior['name']}" if prior.get("name") else "")
    kind = " hdi" if document.get("interval") == "hdi" else ""
    said.append(f"{percent(level)}{kind} intervals" if level else "")
    hidden = document.get("hidden")
    said.append(f"{count(hidden['tables'])} more are not drawn" if hidden else "")
    return "; ".join(x for x in said if x)


def _n(document: Document) -> str:
    """How many items, of each system where they are not the same."""
    data = document.get("data") or {}
    if data.get("n") is not None:
        return size(data)
    own = sizes(document)
    what = "total weight" if by_weight(data) else "n ="
    return f"{what} {listed([f'{count(x)} ({name})' for name, x in own.items()])}" if own else ""


def sizes(document: Document) -> dict[str, float]:
    """The items of each system, as the rows tell that are of all items."""
    whole = [row for row in document.get("rows") or () if row.get("overall") or not row.get("slice")]
    sides = [side for row in whole for side in (row.get("first"), row.get("second"), row) if isinstance(side, dict)]
    return {str(x["system"]): x["n"] for x in sides if x.get("system") and x.get("n") is not None}


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Names as people say them, of many the first few.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    shown = list(names[:most])
    if len(names) > most:
        return f"{', '.join(shown)} and {count(len(names) - most)} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


# -- headlines


def of_scores(document: Document, items: str) -> str:
    """The score that matters most: f1 0.969 (95% interval 0.947 to 0.982), 569 items."""
    rows = headlines(document)
    if not rows:
        return items
    first, level = rows[0], percent(document["level"])
    kind = " hdi" if document.get("interval") == "hdi" else ""
    if len(rows) == 1:
        target = above_of(first)
        said = f"{of_metric(first)} {score_of(first)} ({level}{kind} interval {span(first)})"
        return ", ".join(x for x in (said, target, items, _standing_out(document, first)) if x)
    if all((row.get("system") and not row.get("slice")) or row.get("overall") for row in rows):
        each = listed([f"{row['system']} {score_of(row)}" for row in rows])
        return ", ".join(x for x in (f"{first['asked']}: {each}", items) if x)
    known = [row for row in rows if row.get("score") is not None]
    if not known:
        return f"{first['asked']} is undefined in all of {items}"
    low, high = (pick(known, key=lambda row: row["score"]) for pick in (min, max))
    return ", ".join(x for x in (f"{first['asked']} from {score_of(low)} to {score_of(high)}", items) if x)


def of_metric(row: Document) -> str:
    """The metric of a row, and its system if there is one."""
    return f"{row['asked']} of {row['system']}" if row.get("system") else str(row["asked"])


def above_of(row: Document) -> str:
    """The probability of being above or below a value, if one was asked about."""
    said = []
    for side, word in (("below", "below"), ("above", "above")):
        if row.get(side) is not None and row.get(f"p_{side}") is not None:
            error = row.get("error") or {}
            shown = probability(row[f"p_{side}"], error.get("probability"), error.get("floor"))
            said.append(stated(f"P({word} {row[side]:g})", shown))
    return ", ".join(said)


def _standing_out(document: Document, first: Document) -> str:
    """How many of many slices differ from the others by more than chance, if they were looked at."""
    same = (first["asked"], first.get("system"))
    own = [row for row in document["rows"] if (row["asked"], row.get("system")) == same]
    marks = [row["marked"] for row in own if row.get("marked") is not None]
    return f"{count(sum(map(bool, marks)))} of {count(len(marks))} slices stand out" if marks else ""


def of_verdicts(document: Document) -> str:
    """Of several comparisons which system is ahead: logistic is better on 2 of 2 metrics."""
    rows = [row for row in document["rows"] if row.get("overall")] or document["rows"]
    if len(rows) == 1:
        return str(rows[0]["verdict"])
    (a, b), what = document["data"]["systems"][:2], "metrics"
    if any(row.get("slice") for row in rows):
        what = "slices" if len({row["metric"] for row in rows}) == 1 else "rows"
    limit = decisive(document["level"])
    won = {x: sum((row.get(key) or 0.0) >= limit for row in rows) for x, key in ((a, "p_better"), (b, "p_worse"))}
    better = [f"{x} is better on {count(n)} of {count(len(rows))} {what}" for x, n in won.items() if n]
    return " and ".join(better) or f"{a} against {b}: too close to call on all {count(len(rows))} {what}"


# -- rows of scores


def span(row: Document) -> str:
    """The interval of a row: 0.691 to 0.819."""
    return " to ".join(ends_of(row))


def score_of(row: Document) -> str:
    """The point score of a row, or why it has none."""
    if row["score"] is None:
        return endless(row, "score") or "undefined"
    return short(row["score"], width=width_of(row.get("low"), row.get("high"), row["score"]))


def numbers_of(row: Document) -> str:
    """The score of a row and its interval: 0.762 [0.691, 0.819]."""
    return f"{score_of(row)} [{span(row).replace(' to ', ', ')}]"


def slice_value(value: object) -> str:
    """The value that a slice is of, where it may be missing."""
    return "(missing)" if value is None else str(value)


def place(row: Document, sign: str = " ") -> str:
    """The slice of a row: region north; or all items.

    >>> place({"slice": {"region": "north"}}), place({"slice": {"region": None}}, "=")
    ('region north', 'region=(missing)')
    """
    where = row.get("slice") or {}
    parts = [f"{k}{sign}{slice_value(v)}" for k, v in where.items()]
    return ", ".join(parts) or ("all items" if row.get("overall") else "")


def named(row: Document) -> str:
    """What a row is of: its measure, its system and its slice."""
    own = " ".join(x for x in (str(row["asked"]), row.get("system") and f"of {row['system']}") if x)
    where = place(row)
    return f"{own}, {where}" if where else own


def of_row(row: Document, level: float) -> str:
    """A score in words, with what is known of the value it is held against."""
    on = " on these items" if row["score"] is None else ""
    said = f"{named(row)} is {score_of(row)}{on} ({percent(level)} interval {span(row)})"
    if row.get("above") is None or row.get("p_above") is None:
        return f"{said}."
    p, error, limit = row["p_above"], row.get("error") or {}, row["above"]
    shown = probability(p, error.get("probability"), error.get("floor"), 1.0 - p)
    return f"{said}. {stated(f'P(above {limit:g})', shown)}."


def of_rows(document: Document) -> str:
    """What a list of scores shows: which slices stand out, or the highest and the lowest."""
    rows = [row for row in document["rows"] if not row.get("overall")]
    marked = [row for row in rows if row.get("marked")]
    if any(row.get("marked") is not None for row in rows):
        if not marked:
            return f"None of {len(rows)} stands out from the rest by more than chance."
        stands = "stands" if len(marked) == 1 else "stand"
        return (
            f"{len(marked)} of {len(rows)} {stands} out by more than chance: {listed([named(row) for row in marked])}."
        )
    known = [row for row in rows if row.get("score") is not None]
    measures = {row["asked"] for row in rows}
    over = [row for row in rows if row.get("p_above") is not None and row["p_above"] >= document["level"]]
    tested = [row for row in rows if row.get("p_above") is not None]
    if tested:
        limit = f"{tested[0]['above']:g}" if len({row["above"] for row in tested}) == 1 else "their limits"
        return f"{len(over)} of {len(tested)} scores are above {limit} ({percent(document['level'])} sure)."
    if len(measures) > 1 and len(known) <= _NAMED:
        return "; ".join(f"{named(row)} {numbers_of(row)}" for row in rows) + "."
    if len(measures) > 1 or len(known) < 2:
        return f"{len(rows)} scores, each with its {percent(document['level'])} interval."
    top, least = max(known, key=lambda row: row["score"]), min(known, key=lambda row: row["score"])
    return f"Highest: {named(top)}, {numbers_of(top)}. Lowest: {named(least)}, {numbers_of(least)}."


# -- the rows that matter most

_AT_THRESHOLD: Final = re.compile(r"@-?[0-9.]+(e-?[0-9]+)?$")
_USUAL: Final = ("f1", "macro-f1", "rate", "mean", "micro-f1", "auc", "AP")  # what people ask for first


def chief(names: Sequence[str]) -> str:
    """The metric that people look at first.

    >>> chief(["precision", "recall", "f1"]), chief(["recall", "mcc"])
    ('f1', 'recall')
    """
    return next((x for x in _USUAL if x in names), names[0])


def headlines(document: Document) -> list[Document]:
    """The rows that matter most: of all items, the usual measure or the one with a target, one for each system.

    Of a curve it is the measure at the threshold that was asked for. Of a batch of tables, which has no row of all
    items, every table has its row.
    """
    rows = [row for row in document["rows"] if row.get("overall")] or document["rows"]
    names = list(dict.fromkeys(row["asked"] for row in rows))
    usual = [chief(names)] if names else []
    aimed = [row["asked"] for row in rows if row.get("above") is not None]
    cut = any(x["why"] == "asked" for x in document.get("cuts") or ())
    placed = [x for x in names if cut and _AT_THRESHOLD.search(x)]
    first = next((x for x in usual if x in aimed), (aimed + placed + usual)[0] if names else None)
    found: dict[Any, Document] = {}
    for row in rows:
        if row["asked"] == first:
            part = None if row.get("overall") else tuple((row.get("slice") or {}).items())
            found.setdefault((row.get("system"), part or None), row)
    return list(found.values())


# -- systems


def of_pairs(pairs: Iterable[Document], level: float) -> str:
    """Which pairs of systems are told apart at a level: no pair of these six can be told apart at 95%."""
    found = list(pairs)
    systems = list(dict.fromkeys(x[k] for x in found for k in ("first", "second")))
    known = [x for x in found if x.get("p_better") is not None]
    sure = [(x["first"], x["second"]) if x["p_better"] >= 0.5 else (x["second"], x["first"])
            for x in known if max(x["p_better"], 1.0 - x["p_better"]) >= decisive(level)]  # fmt: skip
    at = percent(level)
    if not known:
        return "The measure has no better direction: there is nothing to tell apart."
    if not sure:
        if len(systems) == 2:
            return f"{systems[0]} and {systems[1]} cannot be told apart at {at}."
        return f"No pair of these {_number(len(systems))} can be told apart at {at}."
    if len(sure) == len(known):
        each = f"All {len(known)} pairs of these {_number(len(systems))} are told apart at {at}."
        return each if len(systems) > 2 else f"{sure[0][0]} is better than {sure[0][1]} at {at}."
    below: dict[str, list[str]] = {}
    for better, worse in sure:
        below.setdefault(better, []).append(worse)
    said = "; ".join(f"{a} is better than {listed(b)}" for a, b in list(below.items())[:_NAMED])
    more = f"; {len(below) - _NAMED} more lead others" if len(below) > _NAMED else ""
    return f"At {at}, {said}{more}. {len(known) - len(sure)} of {len(known)} pairs cannot be told apart."


_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"
