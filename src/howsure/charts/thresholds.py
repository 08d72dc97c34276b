"""Charts of scores at thresholds: ROC and precision-recall curves with their bands, a band, and a chosen threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from howsure.charts.chart import Chart
from howsure.charts.curves import MOST, SIDE, curves, extent
from howsure.charts.density import density
from howsure.charts.scores import many
from howsure.messages.numbers import at_least, short
from howsure.render import findings

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]
_UNIT = (0.0, 1.0)


def curve(document: Document, outlines: Outlines) -> Drawn:
    """ROC, precision against recall, and the summary."""
    del outlines
    made: Drawn = {"roc": lambda: _plane(document, "roc"), "pr": lambda: _plane(document, "pr")}
    if len(document["rows"]) > 1:
        made["forest"] = lambda: many(document)
    return made


_PLANES = {
    "roc": ("fallout", "recall", "ROC curve", ("auc",)),
    "pr": ("recall", "precision", "Precision against recall", ("AP",)),
}


def _plane(document: Document, kind: str) -> Chart:
    x, y, title, area = _PLANES[kind]
    systems = list(dict.fromkeys(p["system"] for p in document["points"]))
    series = []
    for name in systems:
        points = [p for p in document["points"] if p["system"] == name]
        start = {x: 0.0, y: 0.0, f"{y}_low": 0.0, f"{y}_high": 0.0}
        points = [start, *points] if kind == "roc" else [p for p in points if p[y] is not None]
        series.append({"label": name or "system", "x": [p[x] for p in points], "y": [p[y] for p in points],
                       "low": [p.get(f"{y}_low") for p in points],
                       "high": [p.get(f"{y}_high") for p in points]})  # fmt: skip
    lines = [{"from": (0.0, 0.0), "to": (1.0, 1.0)}] if kind == "roc" else [_guessing(document)]
    marks = [mark | {"left": kind == "pr"} for mark in _chosen(document, x, y)] if len(systems) == 1 else []
    return curves(
        series, name=kind, title=title, says=document.get("says") or _area(document, area),
        caption=_caption(document, kind, y, bool(marks)),
        x_title="false positive rate (fallout)" if kind == "roc" else x, y_title=y, x_ends=_UNIT,
        y_ends=_UNIT, square=True, lines=[line for line in lines if line], marks=marks,
    )  # fmt: skip


def _guessing(document: Document) -> Document | None:
    """The precision of guessing: the share of positive items."""
    data = document["data"]
    if not data.get("positives") or not data.get("n"):
        return None
    share = data["positives"] / data["n"]
    return {"y": share, "label": f"guessing: {short(share)}"}


def _area(document: Document, names: tuple[str, ...]) -> str:
    rows = [row for row in document["rows"] if row["metric"] in names]
    if not rows:
        return f"{len(document['points'])} points of the curve with their intervals."
    said = [findings.of_row(row, document["level"]) for row in rows[:1]]
    said = said if len(rows) == 1 else [f"{findings.named(row)} {findings.numbers_of(row)}" for row in rows[:MOST]]
    return said[0] if len(rows) == 1 else "; ".join(said) + "."


_WHY = {"highest f1": "highest F1: ", "chosen": "chosen: ", "asked": ""}


def _chosen(document: Document, x: str, y: str) -> list[Document]:
    """Cuts that the document names (those asked for or chosen, else that with the highest F1), and a few others."""
    points = [p for p in document["points"] if p[x] is not None and p[y] is not None]
    marks = [
        {"x": cut[x], "y": cut[y], "strong": True, "below": True,
         "label": f"{_WHY[cut['why']]}{at_least(cut['threshold'])}"}
        for cut in document.get("cuts") or () if cut[x] is not None and cut[y] is not None
    ]  # fmt: skip
    return marks + _spread(points, x, y, marks) if points else marks


def _spread(points: list[Document], x: str, y: str, taken: list[Document]) -> list[Document]:
    """A few thresholds that stand apart from each other on the plane, and whose words do."""
    shown, made = list(taken), []
    for share in (0.1, 0.3, 0.5, 0.75):
        p = points[round(share * (len(points) - 1))]
        mark = {"x": p[x], "y": p[y], "label": f"{p['threshold']:.3g}", "below": True}
        if all(_apart(mark, other, y == "precision") for other in shown):
            shown.append(mark)
            made.append(mark)
    return made


def _apart(one: Document, two: Document, left: bool) -> bool:
    """Whether two marks are some way from each other, and their words do not touch."""
    if abs(one["x"] - two["x"]) + abs(one["y"] - two["y"]) <= 0.17:
        return False
    ends = [extent(mark | {"left": left}, _UNIT, SIDE) for mark in (one, two)]
    return abs(one["y"] - two["y"]) * SIDE > 16 or ends[0][1] + 10 < ends[1][0] or ends[1][1] + 10 < ends[0][0]


def _caption(document: Document, kind: str, y: str, marked: bool) -> str:
    said = f"the band holds {y} at each threshold, one by one"
    said += "; dashed: guessing" if kind == "roc" else ""
    said += "; numbers along the line are thresholds" if marked else ""
    return f"{findings.caption(document)}; {said}"


# -- a band


def band(document: Document, outlines: Outlines) -> Drawn:
    """A measure along thresholds, recalls or fallouts, with its band."""
    del outlines
    return {"band": lambda: _banded(document)}


def _banded(document: Document) -> Chart:
    rows, along = document["rows"], document["along"]
    known = sorted((r for r in rows if r[along] is not None), key=lambda r: r[along])
    measure = str(rows[0]["metric"])
    series: Document = {"label": measure, "x": [r[along] for r in known], "y": [r["score"] for r in known],
              "low": [r["low"] for r in known], "high": [r["high"] for r in known]}  # fmt: skip
    values = [v for r in known for v in (r["score"], r["low"], r["high"]) if v is not None]
    low, high = min(values), max(values)
    ends = _UNIT if low >= 0 and high <= 1 else (low - 0.04 * (high - low), high + 0.04 * (high - low))
    which = "all at once" if document["simultaneous"] else "at each point, one by one"
    open_ = len(rows) - len(known)
    caption = f"{findings.caption(document)}; the band holds {which}" + (
        f"; {open_} points at no number are left out" if open_ else ""
    )
    top = max((r for r in known if r["score"] is not None), key=lambda r: r["score"], default=None)
    says = f"{measure} at {len(known):,} values of {along}"
    if top is not None:
        says += f"; highest {short(top['score'])} [{short(top['low'])}, {short(top['high'])}] at {top[along]:.4g}"
    places = series["x"]
    x_ends = (places[0], places[-1]) if len(known) > 1 else (places[0] - 0.5, places[0] + 0.5)
    return curves(
        [series], name="band", title=f"{measure} by {along}", says=f"{says}.", caption=caption, x_title=along,
        y_title=measure, x_ends=x_ends, y_ends=ends,
    )  # fmt: skip


# -- a chosen threshold


def choice(document: Document, outlines: Outlines) -> Drawn:
    """The measure at the threshold as it looks and corrected for the choice, and where the threshold stands."""
    made: Drawn = {}
    if "laws" in outlines:
        made["measure"] = lambda: _corrected(document, outlines["laws"]())
    if "curve" in outlines:
        made["roc"] = lambda: _plane(outlines["curve"]() | {"cuts": [_cells(document)]}, "roc")
        made["pr"] = lambda: _plane(outlines["curve"]() | {"cuts": [_cells(document)]}, "pr")
    return made


def _cells(document: Document) -> Document:
    """Where the chosen threshold stands; a rate of no items is no number."""
    tp, fp, fn, tn = (document["cells"][k] for k in ("tp", "fp", "fn", "tn"))
    rates = {"recall": (tp, fn), "fallout": (fp, tn), "precision": (tp, fp)}
    at = {"threshold": document["threshold"], "why": "chosen"}
    return at | {k: a / (a + b) if a + b else None for k, (a, b) in rates.items()}


def _corrected(document: Document, laws: list[Document]) -> Chart:
    measure = str(document["metric"])
    return density(
        laws, name="measure", title=f"{measure} at the threshold {document['threshold']:.6g}",
        says=findings.sentence(document["verdict"]), caption=findings.caption(document), measure=measure,
    )  # fmt: skip
