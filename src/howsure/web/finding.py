"""What a document says, as the one sentence that stands above everything on the page."""

from __future__ import annotations

from typing import Any

from howsure.render import findings
from howsure.render.numbers import count, probability, short

Document = dict[str, Any]


def of(document: Document) -> str:
    """The finding of a document of any command.

    >>> of({"schema": "howsure.solve/2", "why": "no table has these digits.", "tables": []})
    'No table has these digits.'
    """
    kind = document["schema"].partition(".")[2].partition("/")[0]
    told = {"solve": _solved, "tradeoff": _traded}.get(kind)
    said = (told or _usual)(document).strip().rstrip(".")
    said = said if told is None else said[:1].upper() + said[1:]  # a name of the user's comes first in the others only
    return findings.sentence(said)


def _usual(document: Document) -> str:
    """A verdict where there is one, else the headline of the report."""
    rows = document.get("rows") or [{}]
    said = document.get("verdict") or rows[0].get("verdict")
    if said is not None:
        return str(said)
    row = findings.headlines(document)[0] if "asked" in rows[0] else {}
    return findings.of_row(row, document["level"]) if row.get("low") is not None else ""


def _solved(document: Document) -> str:
    """The only table, or why there are several or none."""
    said, tables = str(document["why"]).rstrip("."), document["tables"]
    if len(tables) != 1:
        return said
    return f"{said}: " + ", ".join(f"{name} {count(x)}" for name, x in tables[0].items())


def _traded(document: Document) -> str:
    """What becomes of precision at the recall that was asked for first, and whether more recall costs precision."""
    row, curve = document["rows"][0], document["curve"]
    p = document.get("p_tradeoff")
    costs = "more recall costs precision" if document["trades_off"] else "more recall does not cost precision"
    if p is not None:
        costs = f"more recall costs precision with probability {probability(p['value'], p['error'])}"
    held = "" if curve is None else f"at accuracy {curve['accuracy']:.4g} and prevalence {curve['prevalence']:.4g} "
    at = f"{held}{costs}"  # counts without positive items have no curve of their own, but a posterior of one
    known = row.get("median") if row.get("precision") is None else row["precision"]  # as the table beneath has it
    if known is None:
        return f"{at}; no table has recall {row['recall']:.4g}"
    span = "" if row.get("low") is None else f" ({findings.span(row)})"
    return f"{at}; at recall {row['recall']:.4g} precision is {short(known)}{span}"
