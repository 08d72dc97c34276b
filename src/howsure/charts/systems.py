"""Charts of systems: two over one another and their difference, ranks, and all pairs of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from howsure.charts.chart import Chart
from howsure.charts.density import density
from howsure.charts.forest import forest
from howsure.charts.heat import heat
from howsure.charts.scores import many, priors
from howsure.messages import verdicts
from howsure.messages.numbers import probability, short, stated
from howsure.messages.verdicts import decisive
from howsure.render import findings

Document = dict[str, Any]
Outlines = Mapping[str, Callable[[], Any]]
Drawn = dict[str, Callable[[], Chart]]


# -- two systems


def compare(document: Document, outlines: Outlines) -> Drawn:
    """The difference of two systems, and both; a forest of slices or measures."""
    made: Drawn = {}
    if len(document["rows"]) == 1 and "difference" in outlines:
        made["difference"] = lambda: difference(document, outlines["difference"]())
        if "systems" in outlines:
            made["systems"] = lambda: overlaid(document, outlines["systems"]())
    else:
        made["forest"] = lambda: differences(document)
    if "priors" in outlines:
        made["priors"] = lambda: priors(outlines["priors"]())
    return made


def difference(document: Document, law: Document) -> Chart:
    """The posterior of first less second, with 0 and the region in which they count as equal."""
    (row,) = document["rows"]
    a, b = _names(row)
    error = (row.get("error") or {}).get("probability")
    sides = {}
    if row["p_better"] is not None:
        up, down = (a, b) if row["better"] == "higher" else (b, a)
        p = {a: (row["p_better"], row["p_worse"]), b: (row["p_worse"], row["p_better"])}
        sides = {
            f"{side}_says": stated(f"P({name} better)", probability(p[name][0], error, rest=p[name][1]))
            for side, name in (("above", up), ("below", down))
        }
    law = dict(law) | {"reference": dict(law["reference"]) | sides, "score": row["difference"].get("score")}
    region, margin = None, row.get("equal_within")
    if margin is not None and row["p_equal"] is not None:
        equal = probability(row["p_equal"], (row.get("error") or {}).get("equal", error), rest=1.0 - row["p_equal"])
        region = {"low": -margin, "high": margin, "label": stated(f"P(within ±{margin:g})", equal)}
    asks = f"Is {a} better than {b}" if row["p_better"] is not None else f"How far are {a} and {b} apart"
    return density(
        [law], name="difference", title=f"{asks} on {_measure(row)}?", says=_verdict(row),
        caption=_caption(document), measure=f"{_measure(row)}: {a} minus {b}", region=region,
    )  # fmt: skip


def overlaid(document: Document, laws: Sequence[Document]) -> Chart:
    """Both posteriors over one another."""
    (row,) = document["rows"]
    a, b = _names(row)
    return density(
        laws, name="systems", title=f"{_measure(row)} of {a} and {b}", says=_verdict(row),
        caption=_caption(document), measure=_measure(row),
    )  # fmt: skip


def differences(document: Document, name: str = "forest") -> Chart:
    """The differences of slices, measures or pairs, each with its interval, and 0."""
    rows = document["rows"]
    lines = [
        {
            "label": _place(row, rows), "score": row["difference"].get("score"), "low": row["difference"]["low"],
            "high": row["difference"]["high"], "told": _told(row), "strong": row.get("overall") or row.get("marked"),
        }
        for row in rows
    ]  # fmt: skip
    a, b = _names(rows[0])
    same = len({_names(row) for row in rows}) == 1
    measures = {_measure(row) for row in rows}
    on = f" on {measures.copy().pop()}" if len(measures) == 1 else ""
    title = f"{a} less {b}{on}" if same else f"Differences of all pairs{on}"
    margins = {row.get("equal_within") for row in rows}
    margin = margins.pop() if len(margins) == 1 else None
    return forest(
        lines, name=name, title=title, says=_of_differences(document, rows), caption=_caption(document),
        measure=f"difference{on.replace(' on', ' of')}", reference=0.0,
        region=None if margin is None else (-margin, margin),
    )  # fmt: skip


def _of_differences(document: Document, rows: Sequence[Document]) -> str:
    """How many differences are sure, and which slices stand out."""
    level, own = document["level"], [row for row in rows if not row.get("overall")]
    marked = [_place(row, rows) for row in own if row.get("marked")]
    sure = [
        row for row in own if row["p_better"] is not None and max(row["p_better"], row["p_worse"]) >= decisive(level)
    ]
    if not any(row["p_better"] is not None for row in own):
        return f"{len(own)} differences, each with its {findings.percent(level)} interval."
    said = f"{len(sure)} of {len(own)} differences have a sure direction at {findings.percent(level)}"
    if 0 < len(sure) <= 3:
        said += f": {findings.listed([_place(row, rows) for row in sure])}"
    if any(row.get("marked") is not None for row in own):
        said += f". {findings.listed(marked)} stand out" if marked else ". No slice stands out by more than chance"
    return f"{said}."


def _place(row: Document, rows: Sequence[Document]) -> str:
    """What tells a row from the others: its slice, its measure, or its systems."""
    parts = [findings.place(row)]
    if len({_measure(r) for r in rows}) > 1:
        parts.insert(0, _measure(row))
    if len({_names(r) for r in rows}) > 1:
        parts.insert(0, " less ".join(_names(row)))
    return ", ".join(x for x in parts if x) or " less ".join(_names(row))


def _told(row: Document) -> str:
    d = row["difference"]
    ends = f"[{short(d['low'])}, {short(d['high'])}]" if d["low"] is not None else ""
    score = "undefined" if d.get("score") is None else short(d["score"])
    return f"{score} {ends}".strip()


def _names(row: Document) -> tuple[str, str]:
    first, second = (row[k] if isinstance(row[k], dict) else {"system": row[k]} for k in ("first", "second"))
    return str(first.get("system") or "first"), str(second.get("system") or "second")


def _measure(row: Document) -> str:
    if row["metric"] == "wins":
        return "win rate"
    first = row["first"]
    return str(first.get("asked") or row["metric"]) if isinstance(first, dict) else str(row["metric"])


def _verdict(row: Document) -> str:
    return findings.sentence(row["verdict"])


def _caption(document: Document) -> str:
    data = document.get("data") or {}
    own = findings.caption(document)
    if data.get("paired") is None:
        return own
    return f"{own}; {'on the same items' if data['paired'] else 'on different items'}".removeprefix("; ")


# -- several systems


def leaderboard(document: Document, outlines: Outlines) -> Drawn:
    """The probabilities of ranks, and the scores; of several measures for each."""
    del outlines
    boards = _boards(document)
    if len(boards) == 1:
        return {"ranks": lambda: ranks(document), "forest": lambda: standing(document)}
    made: Drawn = {"forest": lambda: many(document, says=_all_pairs(boards))}
    return made | {f"ranks {metric}": partial(ranks, board) for metric, board in boards.items()}


def evaluation(document: Document, outlines: Outlines) -> Drawn:
    """Runs on several measures: their scores, the ranks of each measure, and the comparisons asked for."""
    if not document.get("pairs"):
        return {"forest": lambda: many(document)}
    made = leaderboard(document, outlines)
    if document.get("comparisons"):
        rows = document["comparisons"]
        made["differences"] = lambda: differences(document | {"rows": rows}, "differences")
    return made


def _boards(document: Document) -> dict[str, Document]:
    """The parts of a document of several measures."""
    made = {}
    for metric in dict.fromkeys(row["metric"] for row in document["rows"]):
        own = {k: [x for x in document[k] if x["metric"] == metric] for k in ("rows", "pairs")}
        made[str(metric)] = document | own | {"verdict": _leads(own["rows"], document["level"])}
    return made


def _leads(rows: Sequence[Document], level: float) -> str:
    """Which system of a measure is ahead, and how surely."""
    best = max(rows, key=lambda row: float(row["p_best"]))
    error = best.get("error") or {}
    shown = probability(best["p_best"], error.get("best"), error.get("best_floor"))
    return verdicts.best(str(best["system"]), len(rows), best["asked"], best["p_best"], shown, level)


def _all_pairs(boards: Mapping[str, Document]) -> str:
    """What can be told apart, measure by measure; of many measures the first, and how many more there are."""
    told = [f"{metric}: {findings.of_pairs(b['pairs'], b['level'])}" for metric, b in boards.items()]
    more = len(told) - _MOST_TOLD
    return " ".join(told if more <= 0 else [*told[:_MOST_TOLD], f"And {more} more measures: see their ranks."])


def standing(document: Document) -> Chart:
    """The scores of the systems, and which of them can be told apart."""
    return many(document, says=findings.of_pairs(document["pairs"], document["level"]))


_MOST_RANKS = 15
_MOST_TOLD = 6  # measures whose pairs are put into words


def ranks(document: Document) -> Chart:
    """P(rank) of each system as a strip, with its score beside it."""
    rows = document["rows"][:_MOST_RANKS]
    cells = [
        {"row": i, "column": j, "value": p, "label": _share(p)}
        for i, row in enumerate(rows) for j, p in enumerate(row["ranks"][:_MOST_RANKS])
    ]  # fmt: skip
    caption = f"{_caption(document)}; in each cell: the probability of that rank, in percent"
    if len(document["rows"]) > _MOST_RANKS:
        caption += f"; the first {_MOST_RANKS} of {len(document['rows'])} systems and ranks are drawn"
    says = _verdict({"verdict": document["verdict"]}) + " " + findings.of_pairs(document["pairs"], document["level"])
    measure = str(rows[0]["asked"])
    return heat(
        cells, names=[str(row["system"]) for row in rows],
        columns=[str(j + 1) for j in range(len(rows[0]["ranks"][:_MOST_RANKS]))], name="ranks",
        title=f"Which system is best on {measure}?", says=says, caption=caption, row_title="system",
        column_title="rank", beside=[findings.numbers_of(row) for row in rows], wide=46, high=26,
    )  # fmt: skip


def _share(p: float) -> str:
    """A probability in percent that fits a cell; never a 0 or 100 that is none."""
    if p <= 0.0:
        return "0"
    if p < 0.005:
        return "<1"
    return f"{100 * p:.0f}" if p <= 0.995 or p == 1.0 else ">99"


# -- folds


def folds(document: Document, outlines: Outlines) -> Drawn:
    """Two systems as any two are compared; of more their means and all pairs."""
    if len(document["rows"]) == 1:
        return compare(document, outlines)
    return {"pairs": lambda: differences(document, "pairs"), "forest": lambda: _means(document)}


def _means(document: Document) -> Chart:
    sides = {side["system"]: side for row in document["rows"] for side in (row["first"], row["second"])}
    lines = [
        {"label": name, "score": side["score"], "low": side["low"], "high": side["high"],
         "told": short(side["score"]) if side["low"] is None else findings.numbers_of(side | {"infinite": ()})}
        for name, side in sides.items()
    ]  # fmt: skip
    pairs = [{"first": row["first"]["system"], "second": row["second"]["system"], "p_better": row["p_better"]}
             for row in document["rows"]]  # fmt: skip
    measure = str(document["rows"][0]["metric"])
    return forest(
        lines, name="forest", title=f"Mean {measure} over folds", says=findings.of_pairs(pairs, document["level"]),
        caption=_caption(document), measure=measure,
    )  # fmt: skip
