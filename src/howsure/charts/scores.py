"""Charts of scores: the density of one row or a forest of many, the confusion matrix, and other priors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from howsure.charts.chart import Chart, panels
from howsure.charts.density import density
from howsure.charts.forest import forest
from howsure.charts.heat import LETTER, heat
from howsure.messages.numbers import by_weight, count, short
from howsure.render import findings

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]
_CELL: Final = 96  # pixels of a cell of a confusion matrix, at least


def score(document: Document, outlines: Outlines) -> Drawn:
    """One row is a density; more are a forest."""
    made: Drawn = {}
    if "law" in outlines and len(document["rows"]) == 1:
        made["density"] = lambda: one(document, outlines["law"]())
    else:
        made["forest"] = lambda: many(document)
    table = outlines["confusion"]() if "confusion" in outlines else None
    if table is not None:
        made["confusion"] = lambda: confusion(document, table)
    elif document.get("confusions"):
        made["confusion"] = lambda: confusions(document)
    if "priors" in outlines:
        made["priors"] = lambda: priors(
            [document | {"prior": {"name": row["prior"]}, "rows": [row]} for row in outlines["priors"]()]
        )
    return made


def one(document: Document, law: Document) -> Chart:
    """The posterior of one score."""
    (row,) = document["rows"]
    return density(
        [law], name="density", title=f"How sure is {findings.named(row)}?",
        says=findings.of_row(row, document["level"]), caption=findings.caption(document), measure=row["asked"],
    )  # fmt: skip


# -- many rows


def lines_of(rows: Sequence[Document], named: Callable[[Document], str] = findings.named) -> list[Document]:
    """The lines of a forest."""
    return [
        {"label": named(row), "told": findings.numbers_of(row), "strong": bool(row.get("overall") or row.get("marked"))}
        | {k: row[k] for k in ("score", "low", "high")}
        for row in rows
    ]


def many(document: Document, name: str = "forest", says: str | None = None) -> Chart:
    """The scores of several measures, classes, slices or systems; measures of other scales have panels of their own."""
    rows = _sorted(document["rows"])
    said = findings.of_rows(document) if says is None else says
    bases = list(dict.fromkeys(_base(row) for row in rows))
    by = _column(rows)
    title = (
        f"{findings.listed(bases, 4)}{f' by {by}' if by else ''} with {findings.percent(document['level'])} intervals"
    )
    parts = [_panel(own, name, title, said, document) for own in of_one_scale(rows, "asked")]
    if len(parts) == 1:
        return parts[0]
    told = dict.fromkeys(x for part in parts for x in part.caption.split("; "))
    return panels(parts, name=name, title=title, says=said, caption="; ".join(told))


def _panel(rows: list[Document], name: str, title: str, says: str, document: Document) -> Chart:
    """The rows of one scale."""
    measures = list(dict.fromkeys(row["asked"] for row in rows))
    alone = len(measures) == 1
    limits = {row.get("above") for row in rows}
    log = rows[0].get("range", [0, 1])[1] is None and all((row["low"] or 0) > 0 for row in rows)
    called = partial(_without_measure, by=_column(rows)) if alone and len(rows) > 1 else findings.named
    lines = lines_of(rows, called)
    if len(limits) > 1:
        lines = [line | {"limit": row.get("above")} for line, row in zip(lines, rows, strict=True)]
    endless = sum(row["low"] is None or row["high"] is None for row in rows)
    caption = findings.caption(document) + (f"; {endless} intervals have no end and are not drawn" if endless else "")
    return forest(
        lines, name=name, title=title, says=says, caption=caption, measure=measures[0] if alone else "score",
        reference=limits.pop() if len(limits) == 1 else None, within=within(rows), log=log,
    )  # fmt: skip


def _column(rows: Sequence[Document]) -> str | None:
    """The column that all slices are made by, where it is one."""
    names = {tuple(row["slice"]) for row in rows if row.get("slice")}
    return str(next(iter(names))[0]) if len(names) == 1 and len(next(iter(names))) == 1 else None


def _without_measure(row: Document, by: str | None) -> str:
    where = findings.slice_value(row["slice"][by]) if by and row.get("slice") else findings.place(row)
    parts = [x for x in (row.get("system"), where) if x]
    return ", ".join(parts) or str(row["asked"])


def of_one_scale(rows: Sequence[Document], measure: str) -> list[list[Document]]:
    """Rows that share an axis: shares and correlations, and any other measure by itself; `measure` is its field."""
    groups: dict[Any, list[Document]] = {}
    for row in rows:
        low, high = row.get("range") or (0.0, 1.0)
        fits = low is not None and high is not None and low >= -1 and high <= 1
        groups.setdefault(None if fits else row[measure], []).append(row)
    return list(groups.values())


def within(rows: Sequence[Document]) -> tuple[float | None, float | None]:
    """What all the measures of these rows can be: no end where one of them has none."""
    ranges: list[tuple[Any, Any]] = [row.get("range") or (None, None) for row in rows]
    low, high = [x[0] for x in ranges], [x[1] for x in ranges]
    return None if None in low else min(low), None if None in high else max(high)


def _sorted(rows: Sequence[Document]) -> list[Document]:
    """Slices and measures stay in their order, which says something; systems and classes go by their score."""
    if any(row.get("slice") for row in rows):
        return list(rows)
    order = {asked: k for k, asked in enumerate(dict.fromkeys(_base(row) for row in rows))}
    falling = dict.fromkeys(order, -1.0)
    return sorted(rows, key=lambda row: (
        bool(row["score"] is None) if len(order) == 1 else False, order[_base(row)],
        falling[_base(row)] * (row["score"] if row["score"] is not None else float("-inf")),
    ))  # fmt: skip


def _base(row: Document) -> str:
    """The measure without its class."""
    return str(row["asked"]).partition(":")[0] if row.get("class") is not None else str(row["asked"])


# -- confusions


def confusion(document: Document, table: Document) -> Chart:
    """Every cell with its share of the true class and the interval of it."""
    labels = [str(x) for x in table["labels"]]
    cells = [
        {
            "row": c["truth"], "column": c["answer"], "value": c["share"] or 0.0,
            "label": f"{count(c['count'])}" + ("" if c["share"] is None else f" · {short(c['share'])}"),
            "told": findings.span(c),
        }
        for c in table["cells"]
    ]  # fmt: skip
    wrong = [c for c in table["cells"] if c["truth"] != c["answer"] and c["count"]]
    says = "No item is taken for another class."
    if wrong:
        worst = max(wrong, key=lambda c: (c["count"], -c["truth"]))
        says = f"Most often {labels[worst['truth']]} is taken for {labels[worst['answer']]}: {_told(worst, document)}."
    title, told = (
        "Which class is taken for which?",
        f"in each cell: {_counted(document)}, their share of the true class and its interval",
    )
    return heat(
        cells, names=labels, columns=labels, name="confusion", title=title, says=says,
        caption=f"{findings.caption(document)}; {told}", row_title="truth", column_title="answer",
        wide=max(_CELL, *(LETTER * len(c["label"]) + 20 for c in cells)), high=44,
    )  # fmt: skip


def _counted(document: Document) -> str:
    return "weights" if by_weight(document.get("data") or {}) else "items"


def _told(cell: Document, document: Document) -> str:
    """How many of a class are taken for another, or what they weigh."""
    items = "by weight" if _counted(document) == "weights" else "items"
    return f"{count(cell['count'])} of {count(cell['of'])} {items}, a share of {findings.span(cell)}"


def confusions(document: Document) -> Chart:
    """The most frequent mistakes of many classes."""
    listed = document["confusions"]
    lines = [
        {"label": f"{c['truth']} taken for {c['answer']}", "low": c["low"], "high": c["high"],
         "score": c["count"] / c["of"] if c["of"] else None,
         "told": f"{count(c['count'])} of {count(c['of'])} [{short(c['low'])}, {short(c['high'])}]"}
        for c in listed
    ]  # fmt: skip
    first = listed[0]
    says = f"Most often {first['truth']} is taken for {first['answer']}: {_told(first, document)}."
    classes = len((document.get("data") or {}).get("labels") or ())
    told = f"the {len(listed)} most frequent mistakes" + (f" among {classes} classes" if classes else "")
    return forest(
        lines, name="confusion", title="Which class is taken for which?", says=says,
        caption=f"{findings.caption(document)}; {told}", measure="share of the true class", within=(0.0, 1.0),
    )  # fmt: skip


# -- priors


def priors(documents: Sequence[Document]) -> Chart:
    """The headline under each prior, one document for each: how much of the answer is the prior's; also differences."""
    rows = [_headline(document) for document in documents]
    lines = [
        {"label": f"prior {document['prior']['name']}", "score": row["median"],
         "told": f"median {findings.numbers_of(row | {'score': row['median']})}",
         "low": row["low"], "high": row["high"]}
        for document, row in zip(documents, rows, strict=True)
    ]  # fmt: skip
    called, within = rows[0]["called"], rows[0]["range"]
    log = within[0] == 0 and within[1] is None and all((row["low"] or 0) > 0 for row in rows)
    first = documents[0]
    caption = findings.caption({k: first.get(k) for k in ("data", "level", "interval", "rows")})
    return forest(
        lines, name="priors", title=f"How much does the prior matter to {called}?", says=_moved(rows, called, log),
        caption=f"{caption}; points are medians", measure=f"median and interval of {called}",
        within=within, reference=rows[0]["reference"], log=log,
    )  # fmt: skip


def _moved(rows: Sequence[Document], called: str, log: bool) -> str:
    """How far the ends of an interval go with the prior: a factor, where the axis is one of factors."""
    ends = [[row[k] for row in rows] for k in ("low", "high")]
    if any(x is None for own in ends for x in own):
        return f"Under some of these priors the interval of {called} has no end."
    widest = max(max(own) / min(own) if log else max(own) - min(own) for own in ends)
    by = f"a factor of {short(widest)}" if log else short(widest)
    return f"Between these priors the ends of the interval of {called} move by {by} at most."


def _headline(document: Document) -> Document:
    """The only row, or the difference of a comparison."""
    row: Document = document["rows"][0]
    if "difference" in row:
        a, b = (row[k].get("system") or k for k in ("first", "second"))
        return dict(row["difference"]) | {
            "called": f"{row['metric']}, {a} less {b}",
            "range": (None, None),
            "reference": 0.0,
        }
    return row | {"called": findings.named(row), "range": tuple(row.get("range") or (None, None)),
                  "reference": row.get("above")}  # fmt: skip
