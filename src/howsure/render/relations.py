"""Tables of relations among metrics, surfaces and plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from howsure.messages.numbers import count, ends, short, within
from howsure.render.tables import USUAL_PRIORS, TextTable, in_words, level_of, page

# -- plans
#
# Tables of plans: the answer, and beneath it what other numbers of items give.

_TITLES: Final = {
    "width_average": "width on average",
    "width_assured": "width at {assurance:g}",
    "p_average": "mean P",
    "power": "P(reached)",
}


def plan(document: dict[str, Any]) -> TextTable:
    """Widths, or the probability of reaching the goal, around n."""
    rows = document["rows"]
    keys = [k for k in _TITLES if any(r[k] is not None for r in rows)]
    titles = [_TITLES[k].format(assurance=document["assurance"]) for k in keys]
    chosen = {document["n"], document["n_average"]}
    some = [r for i, r in enumerate(rows) if r["n"] in chosen or i % 3 == 0]
    body = [(f"{r['n']:,}", *(short(r[k]) for k in keys)) for r in some]
    error = document["error"]["power"]
    within = (
        [f"P(reached) is a share of future data sets that were drawn: it may be off by {short(error)}"]
        if error > 1e-6
        else []
    )
    name = document["prior"]["name"]
    prior = "" if name in USUAL_PRIORS else f"; prior {name}"
    return page(
        f"{document['verdict']}{prior}", (document["unit"], *titles), 0, body, [*in_words(document["notes"]), *within]
    )


# -- surfaces
#
# Surfaces as grids that people can read: a row for each y, a column for each x, a few of each.

_MOST_COLUMNS: Final = 11
_NOISE: Final = 1e-13  # what rounding leaves of 0 or 1
NONE: Final = "·"


def surface(document: dict[str, Any]) -> TextTable:
    """Up to 11 x 11 of the values, evenly spread; all of them are in JSON and CSV."""
    nx, ny = document["size"]
    rows = document["rows"]
    columns, lines = _some(nx), _some(ny)
    head = (f"{document['y']} \\ {document['x']}", *(f"{rows[i]['x']:.4g}" for i in columns))
    body = tuple((f"{rows[j * nx]['y']:.4g}", *(_cell(rows[j * nx + i]) for i in columns)) for j in lines)
    fixed = "".join(f", {name} {value:g}" for name, value in document["fixed"].items())
    headline = f"{document['z']} by {document['x']} and {document['y']}{fixed}; {document['feasible']:.1%} feasible"
    notes = in_words(document["notes"])
    if any(NONE in line for line in body):
        notes.insert(0, f"{NONE} no table")
    if len(columns) < nx or len(lines) < ny:
        notes.append(f"{len(columns)} x {len(lines)} of {nx} x {ny} values are shown; JSON and CSV have all")
    return page(headline, head, 0, body, notes)


def eleven_point(document: dict[str, Any]) -> TextTable:
    """A row for each value, a column for each fallout: averaged precision, and the share of levels that have it."""
    rows = document["rows"]
    fallouts = list(dict.fromkeys(r["fallout"] for r in rows))
    width = len(rows) // len(fallouts)
    body = tuple(
        (f"{rows[j]['value']:.4g}", *(_average(rows[i * width + j]) for i in range(len(fallouts))))
        for j in range(width)
    )
    gaps = ("mean gap", *(short(x) for x in document["gap"]))
    head = (document["measure"], *(f"fallout {a:g}" for a in fallouts))
    headline = f"11-point averaged precision by {document['measure']}; rule {document['rule']} (share of levels)"
    return page(headline, head, 0, (*body, gaps), in_words(document["notes"]))


def _average(row: dict[str, Any]) -> str:
    return NONE if row["mean"] is None else f"{short(row['mean'])} ({row['share']:.0%})"


def _some(size: int) -> list[int]:
    """Places spread evenly, both ends among them."""
    k = min(size, _MOST_COLUMNS)
    return [round(i * (size - 1) / (k - 1)) for i in range(k)] if k > 1 else [0]


def _cell(row: dict[str, Any]) -> str:
    if row["z"] is not None:
        near = round(row["z"])
        return short(float(near) if abs(row["z"] - near) < _NOISE else row["z"])
    if row["status"] == "none":
        return NONE
    if row["low"] is None and row["high"] is None:
        return "infinite" if row["status"] == "one" else "0/0"
    low, high = (_end(row[k]) for k in ("low", "high"))
    return f"{low}|{high}" if row["status"] == "several" else f"{low}…{high}"


def _end(x: float | None) -> str:
    if x is None:
        return "∞"
    return f"{x:.2f}" if abs(x) < 1000 else f"{x:.4g}"


# -- relations
#
# Tables of solutions and of checked identities.

_MOST = 40  # tables shown to people; JSON and CSV have all
_CELLS = ("tp", "fp", "fn", "tn", "n")
_MEASURES = ("precision", "recall", "f1", "accuracy", "prevalence", "phi")


def solution(document: dict[str, Any]) -> TextTable:
    """The tables found, the ranges of what is left open, or the values that contradict each other."""
    notes = [*in_words(document["notes"]), *map(_law, document.get("posterior", ()))]
    given = ", ".join(f"{g['name']} {g['shown']}" for g in document.get("given", ()))
    said = document["why"].rstrip(".")
    headline = said if document["status"] in ("unique", "several") else f"{document['status']}: {said}"
    rows: list[tuple[str, ...]]
    if document["status"] == "undetermined":
        return _spans(f"undetermined; given {given}", document["rows"], [*notes, said])
    if document["status"] in ("infeasible", "not-found"):
        rows = [(g["name"], g["shown"]) for g in document.get("given", ())]
        return page(headline, ("given", "value"), 1, rows, notes)
    many = len(document["rows"])
    if document.get("ranges") and (many > _MOST or not document["complete"]):
        listed = f"JSON and CSV list {'all' if document['complete'] else many} of them"
        return _spans(f"{said}; given {given}", document["ranges"], [*notes, listed])
    some = document["rows"][:_MOST]
    if len(document["rows"]) > _MOST:
        notes.append(f"{len(document['rows']) - _MOST:,} more rows are left out here; JSON and CSV have them")
    named = tuple(k for k in ("solution", "system") if some and k in some[0])
    measures = tuple(k for k in _MEASURES if some and k in some[0])
    rows = [
        (*(str(r[k]) for k in named), *(_count(r[k]) for k in _CELLS), *(_value(r[k]) for k in measures)) for r in some
    ]
    headline = f"{headline}; given {given}" if given else headline
    return page(headline, (*named, *_CELLS, *measures), len(named), rows, notes)


def _spans(headline: str, ranges: list[dict[str, Any]], notes: list[str]) -> TextTable:
    """The lowest and highest value of every count and measure."""
    rows = [(r["metric"], _number(r["low"]), _number(r["high"])) for r in ranges]
    return page(headline, ("measure", "lowest", "highest"), 1, rows, notes)


def identities(document: dict[str, Any]) -> TextTable:
    """Each identity with both sides."""
    said = {True: "holds", False: "BROKEN", None: "0/0"}
    rows = [(r["text"], _value(r["left"]), _value(r["right"]), said[r["holds"]], r["source"]) for r in document["rows"]]
    headline = "all identities hold" if document["holds"] else "an identity is broken"
    columns = ("identity", "left", "right", "", "source")
    table = page(headline, columns, 1, rows, in_words(document["notes"]))
    return replace(table, right=(False, True, True, False, False))


def tradeoff(document: dict[str, Any]) -> TextTable:
    """Precision at each recall, of one curve or with its posterior."""
    rows = document["rows"]
    notes = in_words(document["notes"])
    if document["prior"] is None:
        columns: tuple[str, ...] = ("recall", "precision", "f1", "precision by recall")
        low, high = document["curve"]["recall"]
        cells = [
            (
                _value(r["recall"]),
                *(_value(r[k]) if low <= r["recall"] <= high else "out of reach" for k in list(r)[1:]),
            )
            for r in rows
        ]
        return page(f"{_curve(document['curve'])}; {document['verdict']}", columns, 0, cells, notes)
    columns = ("recall", "precision", level_of(document), "P(feasible)")
    missing = "undefined" if document["curve"] is None else "out of reach"
    cells = [
        (_value(r["recall"]), missing if r["precision"] is None else short(r["precision"]),
         "-" if r["low"] is None else f"[{', '.join(ends(r['low'], r['high']))}]", short(r["p_feasible"]))
        for r in rows
    ]  # fmt: skip
    named = ", ".join(f"{k} {count(v)}" for k, v in document["data"]["cells"].items())
    about = named if document["curve"] is None else f"{named}; {_curve(document['curve'])}"
    prior = document["prior"]["name"]
    told = "" if prior in USUAL_PRIORS else f"; prior {prior}"
    return page(f"{document['verdict']}; {about}{told}", columns, 0, cells, notes)


def mixture(document: dict[str, Any]) -> TextTable:
    """Measures at each threshold, and the best thresholds."""
    sign = ">=" if document["answer"] == "above" else "<="
    laws = f"positive {document['positive']}, negative {document['negative']}"
    headline = f"{laws}; prevalence {short(document['prevalence'])}; answered positive where score {sign} threshold"
    columns = tuple(document["rows"][0])
    rows = [tuple(_value(r[k]) for k in columns) for r in document["rows"]]
    even = document["break_even"]
    notes = [f"best {x['metric']} {short(x['value'])} {_threshold(x)}" for x in document["best"]]
    same = f", and accuracy {short(even['accuracy'])}" if even["triple"] else ""
    met = f"recall {_value(even['recall'])}, precision {_value(even['precision'])}{same}"
    notes.append(f"break-even at threshold {short(even['threshold'])}: {met}")
    notes += [
        f"recall and precision rise together from threshold {short(a)} to {short(b)}"
        for a, b in document["rising_together"] or ()
    ]
    return page(headline, columns, 0, rows, [*notes, *in_words(document["notes"])])


def _threshold(x: dict[str, Any]) -> str:
    if x["low"] is None and x["high"] is None:
        return "at any threshold" if x["threshold"] is not None else "as the threshold goes out"
    if x["low"] == x["high"]:
        return f"at threshold {short(x['low'])}"
    low, high = ends(x["low"], x["high"])
    low, high = "lowest" if x["low"] is None else low, "highest" if x["high"] is None else high
    return f"at threshold {low} to {high}"


def _curve(x: dict[str, Any]) -> str:
    low, high = (short(v) for v in x["recall"])
    reach = f"recall {low} to {high}" if low != high else f"recall {low}"
    return f"accuracy {short(x['accuracy'])}, prevalence {short(x['prevalence'])}: {reach}"


def _law(x: dict[str, Any]) -> str:
    level = f"{100 * x['level']:.12g}%"
    return f"{x['metric']} {within(x['mean'], x['low'], x['high'])} {level} {x['interval']}: {x['about']}"


def _value(x: float | None) -> str:
    return "undefined" if x is None else short(x)


def _number(x: float | None) -> str:
    if x is None:
        return "infinite"
    return f"{int(x):,}" if float(x).is_integer() else short(x)


def _count(x: float) -> str:
    """A count or a share; long fractions are cut."""
    return f"{x:,}" if isinstance(x, int) else f"{x:.6g}"
