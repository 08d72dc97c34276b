"""Charts of 2x2 tables: what reported measures leave open, how truth and answer go together, and identities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from howsure.charts.chart import Chart
from howsure.charts.forest import forest
from howsure.charts.heat import heat
from howsure.messages.numbers import count, probability, short
from howsure.render import findings

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]
_CELLS: Final = ("tp", "fp", "fn", "tn")
_TOLERANCE: Final = 1e-9
_LEAST: Final = 1e-17  # nothing closer is told apart from equal


def solve(document: Document, outlines: Outlines) -> Drawn:
    """The ranges of measures over all tables that agree; of one table its cells."""
    if "systems" in document:
        return {"ranges": lambda: _joint_ranges(document)} if document["rows"] else {}
    del outlines
    made: Drawn = {}
    if document["posterior"]:
        made["posterior"] = lambda: _posterior(document)
    if document["ranges"]:
        made["ranges"] = lambda: _ranges(document)
    if not (document["ranges"] or document["tables"]):
        made["given"] = lambda: _given(document)
    if len(document["tables"]) == 1 and document["status"] == "unique":
        made["table"] = lambda: _table(document["tables"][0], document["why"])
    return made


def _ranges(document: Document) -> Chart:
    given = {g["name"] for g in document["given"]}
    rows = [r for r in document["ranges"] if _shown(r)]
    lines = [
        {"label": r["metric"] + (" (given)" if r["metric"] in given else ""), "low": r["low"], "high": r["high"],
         "score": r["low"] if r["low"] == r["high"] else None, "told": _between(r["low"], r["high"])}
        for r in rows
    ]  # fmt: skip
    left = len(document["ranges"]) - len(rows)
    told = "each bar is the range of a measure over all tables that agree with the report"
    told += f"; {left} counts and measures of other scales are left out" if left else ""
    told += "" if document["complete"] else "; not all tables are listed"
    return forest(
        lines, name="ranges", title="What does the report leave open?",
        says=findings.sentence(document["why"]), caption=told,
        measure="value", within=(-1.0, 1.0),
    )  # fmt: skip


def _given(document: Document) -> Chart:
    """What was reported, where no table agrees with it."""
    rows = [g for g in document["given"] if g["low"] >= -1.0 and g["high"] <= 1.0]
    lines = [
        {"label": g["name"], "low": g["low"], "high": g["high"], "score": 0.5 * (g["low"] + g["high"]),
         "told": g["shown"]}
        for g in rows
    ]  # fmt: skip
    others = [f"{g['name']} {g['shown']}" for g in document["given"] if g not in rows]
    told = "; ".join(["each bar is what the printed digits mean", *others])
    return forest(
        lines, name="given", title="No table agrees with the report",
        says=findings.sentence(document["why"]), caption=told,
        measure="value", within=(-1.0, 1.0),
    )  # fmt: skip


def _shown(r: Document) -> bool:
    """Measures between -1 and 1; counts and ratios have other scales."""
    known = r["low"] is not None and r["high"] is not None
    return known and r["metric"] not in (*_CELLS, "n") and r["low"] >= -1.0 - 1e-9 and r["high"] <= 1.0 + 1e-9


def _between(low: float, high: float) -> str:
    return short(low) if low == high else f"{short(low)} to {short(high)}"


def _table(cells: Document, why: str, name: str = "table") -> Chart:
    """One table of truths and answers."""
    grid = (("tp", "fn"), ("fp", "tn"))
    sums = [sum(cells[c] for c in row) for row in grid]
    made = [
        {"row": i, "column": j, "value": cells[c] / sums[i] if sums[i] else 0.0,
         "label": f"{c.upper()} {_number(cells[c])}", "told": short(cells[c] / sums[i]) if sums[i] else ""}
        for i, row in enumerate(grid) for j, c in enumerate(row)
    ]  # fmt: skip
    total = sum(sums)
    caption = f"n = {_number(total)}; the second line is the share of the true class"
    return heat(
        made, names=["positive", "negative"], columns=["positive", "negative"], name=name,
        title="The table behind the report", says=findings.sentence(why), caption=caption, row_title="truth",
        column_title="answer", wide=110, high=48,
    )  # fmt: skip


def _number(x: float) -> str:
    return count(x) if float(x).is_integer() else f"{x:.6g}"


def _posterior(document: Document) -> Chart:
    lines = [
        {"label": r["metric"], "score": r.get("median"), "low": r["low"], "high": r["high"],
         "told": f"{short(r.get('median'))} [{short(r['low'])}, {short(r['high'])}]"}
        for r in document["posterior"]
    ]  # fmt: skip
    return forest(
        lines, name="posterior", title="What the report says beyond its own items",
        says=findings.sentence(document["why"]),
        caption=f"{findings.caption(document)}; points are medians", measure="value",
    )  # fmt: skip


def _joint_ranges(document: Document) -> Chart:
    values: dict[tuple[str, str], list[float]] = {}
    for row in document["rows"]:
        for key in ("precision", "recall", "f1"):
            if row.get(key) is not None:
                values.setdefault((str(row["system"]), key), []).append(row[key])
    lines = [
        {"label": f"{key} of {system}", "low": min(v), "high": max(v), "score": v[0] if len(set(v)) == 1 else None,
         "told": _between(min(v), max(v))}
        for (system, key), v in values.items()
    ]  # fmt: skip
    told = "each bar is the range of a measure over all solutions" + (
        "" if document["complete"] else " that are listed"
    )
    return forest(
        lines, name="ranges", title="The systems behind the report",
        says=findings.sentence(document["why"]), caption=told,
        measure="value", within=(0.0, 1.0),
    )  # fmt: skip


# -- association

_ASSOCIATED: Final = ("phi", "informedness", "markedness", "tetrachoric")


def association(document: Document, outlines: Outlines) -> Drawn:
    """Measures of association on one scale from -1 to 1."""
    del outlines
    return {"forest": lambda: _associated(document)}


def _associated(document: Document) -> Chart:
    rows = [r for r in document["rows"] if r["measure"] in _ASSOCIATED]
    lines = []
    for r in rows:
        low, high = r["low"], r["high"]
        if r["measure"] == "tetrachoric" and r["error"] is not None and r["value"] is not None:
            low, high = max(-1.0, r["value"] - r["error"]), min(1.0, r["value"] + r["error"])
        where = findings.place(r)
        ends = "" if low is None else f" [{short(low)}, {short(high)}]"
        lines.append({"label": r["measure"] + (f", {where}" if where else ""), "score": r["value"], "low": low,
                      "high": high, "told": f"{short(r['value'])}{ends}"})  # fmt: skip
    sure = next((r["value"] for r in document["rows"] if r["measure"] == "P(positive)"), None)
    phi = next((r["value"] for r in rows if r["measure"] == "phi"), None)
    says = f"phi is {short(phi)}" if phi is not None else "phi is undefined: a margin is empty"
    if sure is not None:
        chance = probability(sure, rest=1.0 - sure)
        says += f"; truth and answer go together better than by chance with probability {chance}"
    told = (
        "the bar of phi is what its margins allow, that of the tetrachoric correlation one standard error on each side"
    )
    return forest(
        lines, name="forest", title="How do truth and answer go together?", says=f"{says}.",
        caption=f"{findings.caption(document)}; {told}; chi-square and p-value are in the table", measure="association",
        within=(-1.0, 1.0), reference=0.0,
    )  # fmt: skip


# -- identities


def identities(document: Document, outlines: Outlines) -> Drawn:
    """How far both sides of each identity are apart."""
    del outlines
    return {"forest": lambda: _checked(document)}


def _checked(document: Document) -> Chart:
    rows = document["rows"]
    lines = [
        {"label": r["text"], "score": None if r["error"] is None else max(r["error"], _LEAST),
         "strong": r["holds"] is False, "told": _apart(r)}
        for r in rows
    ]  # fmt: skip
    broken = [r["identity"] for r in rows if r["holds"] is False]
    says = (
        f"{findings.listed(broken)} do not hold."
        if broken
        else f"All {len(rows)} identities hold on this table, rounding aside."
    )
    open_ = sum(r["holds"] is None for r in rows)
    says += f" {open_} have a side that is undefined here." if open_ else ""
    return forest(
        lines, name="forest", title="Do the identities hold?", says=says, log=True, reference=_TOLERANCE,
        caption=f"{findings.caption(document)}; dashed: {_TOLERANCE:g}, what rounding may do; 0 is drawn at {_LEAST:g}",
        measure="difference of both sides",
    )  # fmt: skip


def _apart(r: Document) -> str:
    if r["holds"] is None or r["error"] is None:
        return "undefined"
    return "equal" if r["error"] == 0 else f"{r['error']:.1g} apart"
