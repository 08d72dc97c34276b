"""What was measured: the measures, the systems, and the items of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.language import TYPED
from howsure.render import findings
from howsure.render.numbers import by_weight, count
from howsure.render.tables import in_parts

Document = dict[str, Any]


def kind_of(document: Document) -> str:
    """What a document is of: score, compare, ..."""
    return str(document["schema"].partition(".")[2].partition("/")[0])


def of_systems(systems: Sequence[str]) -> str:
    """The systems that have a name: of a and b."""
    named = [x for x in systems if x != "system"]
    return f" of {findings.listed(named)}" if named else ""


def measured(document: Document) -> list[str]:
    """The measures, the systems, the data and where these came from."""
    data, rows = document.get("data") or {}, document["rows"]
    on = _on(document)
    if on is None:
        return []
    names = list(dict.fromkeys(str(row.get("asked") or row.get("metric")) for row in rows if row.get("metric")))
    if not names and document.get("metric"):
        names = [str(document["metric"])]
    files = [str(x) for x in TYPED.get().files]
    systems = [str(x) for x in data.get("systems") or ()]
    said = findings.listed(names, 4) + of_systems(systems) if names else "What is known"
    said += f", on {on}" + (f" from {findings.listed(files)}" if files else "")
    return [f"{said}.", *_classes(data), *_judge(document)]


def judged(document: Document) -> bool:
    """Whether labels are a judge's, corrected by those of people."""
    codes = (str(n["code"]) for n in document.get("notes") or ())
    return bool(document.get("judge")) or "validated" in (document.get("data") or {}) or "judge" in codes


def elsewhere(document: Document) -> bool:
    """Whether the judge was validated on items of another population."""
    return any(n["code"] == "judge-external" for n in document.get("notes") or ())


def _judge(document: Document) -> list[str]:
    """Whose labels they are, and how many of people correct them."""
    if not judged(document):
        return []
    sizes = [(x["system"], x["validated"]) for x in document.get("judge") or ()]
    each = [f"{count(n)}{'' if name is None else f' of {name}'}" for name, n in sizes]
    many = f"on {findings.listed(each)} items" if each else "on some of the items"
    where = " from elsewhere" if elsewhere(document) else ""
    return [f"Labels are a judge's; what people said {many}{where} corrects for its errors."]


def _on(document: Document) -> str | None:
    """The items, or those of each system where they are not the same, or the folds."""
    data = document.get("data") or {}
    if data.get("n") is not None:
        return _units(document)
    if data.get("folds"):
        return ("the same " if len(data.get("systems") or ()) > 1 else "") + f"{count(data['folds'])} folds"
    sizes = findings.sizes(document)
    if not sizes:
        return None
    what = "different items by weight" if by_weight(data) else "different items"
    return f"{what}: {findings.listed([f'{count(n)} of {name}' for name, n in sizes.items()], 4)}"


def _units(document: Document) -> str:
    data = document["data"]
    n = data["n"]
    unit = "query" if kind_of(document) == "trec" else "item"
    many = f"{count(n)} {unit if n == 1 else 'queries' if unit == 'query' else 'items'}"
    if not any(row.get("overall") for row in document["rows"]):
        many += in_parts(document)
    if data.get("clusters"):
        many += f" in {count(data['clusters'])} clusters"
    if by_weight(data):
        many += " by weight"
    return f"the same {many}" if data.get("paired") and len(data.get("systems") or ()) > 1 else many


def _classes(data: Document) -> list[str]:
    labels, positive = data.get("labels") or [], data.get("positive")
    if data.get("outcome") or len(labels) < 2 or (labels == [0, 1] and positive == 1):
        return []
    said = f"Classes: {findings.listed([str(x) for x in labels], 6)}"
    return [f"{said}; the positive one is {positive}." if positive is not None else f"{said}."]
