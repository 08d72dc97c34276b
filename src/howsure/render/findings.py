"""Findings: what a document says, in a sentence, and what a chart of it has to state beneath."""

from __future__ import annotations

from typing import Any

from howsure.render.numbers import probability, short

Document = dict[str, Any]


def percent(level: float) -> str:
    """A level as people say it.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.12g}%"


def caption(document: Document) -> str:
    """What the numbers rest on: n, the prior, and the kind and level of the intervals."""
    told, prior, level = document.get("data") or {}, document.get("prior") or {}, document.get("level")
    said = [f"n = {told['n']:,}" if told.get("n") is not None else ""]
    said.append(f"prior {prior['name']}" if prior.get("name") else "")
    said.append(f"{percent(level)} {document.get('interval') or ''} intervals" if level else "")
    return "; ".join(x for x in said if x)


def span(row: Document) -> str:
    """The interval of a row: 0.691 to 0.819."""
    error = row.get("error") or {}
    low = short(row["low"], row.get("low_gap"), error=error.get("low"))
    high = "infinite" if row["high"] is None else short(row["high"], row.get("high_gap"), error=error.get("high"))
    return f"{low} to {high}"


def score_of(row: Document) -> str:
    """The point score of a row, or why it has none."""
    if row["score"] is None:
        return "infinite" if "score" in (row.get("infinite") or ()) else "undefined"
    return short(row["score"])


def numbers_of(row: Document) -> str:
    """The score of a row and its interval: 0.762 [0.691, 0.819]."""
    return f"{score_of(row)} [{span(row).replace(' to ', ', ')}]"


def named(row: Document) -> str:
    """What a row is of: its measure, its system and its slice."""
    parts = [str(row["asked"]), None if row.get("system") is None else f"of {row['system']}"]
    where = row.get("slice") or {}
    parts += [f"{k} {v}" for k, v in where.items()]
    parts += ["all items"] if row.get("overall") else []
    return ", ".join(x for x in (" ".join(p for p in parts[:2] if p), *parts[2:]) if x)


def of_row(row: Document, level: float) -> str:
    """A score in words, with what is known of the value it is held against."""
    ends = span(row).replace(" to ", " and ")
    said = f"{named(row)} is {score_of(row)}; with probability {percent(level)} it lies between {ends}"
    if row.get("above") is None or row.get("p_above") is None:
        return f"{said}."
    p, error = row["p_above"], (row.get("error") or {}).get("probability")
    return f"{said}. P(above {row['above']:g}) = {probability(p, error, rest=1.0 - p)}."
