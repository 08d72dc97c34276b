"""The opening of a report: its verdict and headline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from howsure.messages.language import spelled
from howsure.messages.numbers import by_weight, count, probability, short
from howsure.messages.verdicts import decisive, likely
from howsure.render import findings
from howsure.render.kinds import Answers, Directions, ResultDict, kind_of
from howsure.render.tables import in_parts, text_table

# -- measured
#
# What was measured: the measures, the systems, and the items of each.


def of_systems(systems: Sequence[str]) -> str:
    """The systems that have a name: of a and b."""
    named = [x for x in systems if x != "system"]
    return f" of {findings.listed(named)}" if named else ""


def measured(result: ResultDict, files: Sequence[str] = ()) -> list[str]:
    """The measures, the systems, the data and where these came from."""
    data, rows = result.get("data") or {}, result["rows"]
    on = _on(result)
    if on is None:
        return []
    names = list(dict.fromkeys(str(row.get("asked") or row.get("metric")) for row in rows if row.get("metric")))
    if not names and result.get("metric"):
        names = [str(result["metric"])]
    systems = [str(x) for x in data.get("systems") or ()]
    said = findings.listed(names, 4) + of_systems(systems) if names else "What is known"
    said += f", on {on}" + (f" from {findings.listed(files)}" if files else "")
    return [f"{said}.", *_classes(data), *_judge(result)]


def judged(result: ResultDict) -> bool:
    """Whether labels are a judge's, corrected by those of people."""
    codes = (str(n["code"]) for n in result.get("notes") or ())
    return bool(result.get("judge")) or "validated" in (result.get("data") or {}) or "judge" in codes


def elsewhere(result: ResultDict) -> bool:
    """Whether the judge was validated on items of another population."""
    return any(n["code"] == "judge-external" for n in result.get("notes") or ())


def _judge(result: ResultDict) -> list[str]:
    """Whose labels they are, and how many of people correct them."""
    if not judged(result):
        return []
    sizes = [(x["system"], x["validated"]) for x in result.get("judge") or ()]
    each = [f"{count(n)}{'' if name is None else f' of {name}'}" for name, n in sizes]
    many = f"on {findings.listed(each)} items" if each else "on some of the items"
    where = " from elsewhere" if elsewhere(result) else ""
    return [f"Labels are a judge's; what people said {many}{where} corrects for its errors."]


def _on(result: ResultDict) -> str | None:
    """The items, or those of each system where they are not the same, or the folds."""
    data = result.get("data") or {}
    if data.get("n") is not None:
        return _units(result)
    if data.get("folds"):
        return ("the same " if len(data.get("systems") or ()) > 1 else "") + f"{count(data['folds'])} folds"
    sizes = findings.sizes(result)
    if not sizes:
        return None
    what = "different items by weight" if by_weight(data) else "different items"
    return f"{what}: {findings.listed([f'{count(n)} of {name}' for name, n in sizes.items()], 4)}"


def _units(result: ResultDict) -> str:
    data = result["data"]
    n = data["n"]
    many = units_of(n, kind_of(result).unit)
    if not any(row.get("overall") for row in result["rows"]):
        many += in_parts(result)
    if data.get("clusters"):
        many += f" in {count(data['clusters'])} clusters"
    if by_weight(data):
        many += " by weight"
    return f"the same {many}" if data.get("paired") and len(data.get("systems") or ()) > 1 else many


def units_of(n: float, unit: str) -> str:
    """Return so many units: 2 items, 1 query.

    >>> units_of(2, "item"), units_of(1, "query"), units_of(4, "query")
    ('2 items', '1 query', '4 queries')
    """
    return f"{count(n)} {unit if n == 1 else several(unit)}"


def several(unit: str) -> str:
    """Return the plural of a unit."""
    return "queries" if unit == "query" else f"{unit}s"


def _classes(data: ResultDict) -> list[str]:
    labels, positive = data.get("labels") or [], data.get("positive")
    if data.get("outcome") or len(labels) < 2 or (labels == [0, 1] and positive == 1):
        return []
    said = f"Classes: {findings.listed([str(x) for x in labels], 6)}"
    return [f"{said}; the positive one is {positive}." if positive is not None else f"{said}."]


# -- opening
#
# The first screen of a report: what was measured, how sure it is, what is best, and which slices are surely worse.

_MOST: Final = 4  # sentences that answer one question


def title(result: ResultDict) -> str:
    """Return the question that the report answers."""
    kind, systems = kind_of(result), [str(x) for x in (result.get("data") or {}).get("systems") or ()]
    made = kind.title if isinstance(kind.title, str) else kind.title(result, systems)
    return made or f"What {kind.name} shows"


def answers(result: ResultDict, directions: Directions, files: Sequence[str] = ()) -> Answers:
    """Return the questions that this result can answer, in the order in which people ask them."""
    own = kind_of(result).answers or _plain
    every = [("What was measured?", measured(result, files)), *own(result, directions)]
    return [(question, sentences) for question, sentences in every if sentences]


def scores(result: ResultDict, directions: Directions) -> Answers:
    """Return how sure scores are, of which systems and in which slices."""
    whole = [row for row in result["rows"] if row.get("overall")] or [
        row for row in result["rows"] if not row.get("slice")
    ]
    main = _best_first(findings.headlines(result), directions)
    targets = targets_of(whole or result["rows"], directions, result["level"])
    return [
        ("How sure is it?", [*_sure_of(main, result["level"]), *_more(_others(whole, main), "measure")]),
        *targets,
        ("Which is best?", _leading(main, directions)),
        *_slices(result, [*main, *(row for row in whole if row["asked"] != main[0]["asked"])], directions),
    ]


def _best_first(rows: Sequence[ResultDict], directions: Directions) -> list[ResultDict]:
    """Systems by their score, where one side is better; what has no score is last, and tables stay in their order."""
    direction = directions.get(rows[0]["metric"]) if rows else None
    if direction is None or not all(row.get("system") for row in rows):
        return list(rows)
    sign = -1.0 if direction == "higher" else 1.0
    return sorted(rows, key=lambda row: (row["score"] is None, sign * (row["score"] or 0.0)))


def _sure_of(rows: Sequence[ResultDict], level: float) -> list[str]:
    """The scores of one measure in words, of many the first few."""
    what = "system" if any(row.get("system") for row in rows) else "table"
    return first_few([_in_words(row, level) for row in rows], what)


def _others(rows: Sequence[ResultDict], main: Sequence[ResultDict]) -> int:
    """How many measures there are beside the headline."""
    return len({row["asked"] for row in rows} - {row["asked"] for row in main})


def _in_words(row: ResultDict, level: float) -> str:
    """A score in words; the target has an answer of its own."""
    return findings.of_row(row | {"above": None, "overall": None}, level)


def targets_of(rows: Sequence[ResultDict], directions: Directions, level: float) -> Answers:
    """What is known of each target: to be above it, or below it where the measure is to be low."""
    found: dict[str, list[str]] = {}
    for row in rows:
        of = findings.named(row | {"overall": None})
        for side in ("above", "below"):
            limit, p = row.get(side), row.get(f"p_{side}")
            if limit is None or p is None:
                continue
            turned = side == "above" and directions.get(row["metric"]) == "lower"
            p, word = (1.0 - p, "below") if turned else (p, side)
            at = "at or below" if turned and row.get("next") else word  # what comes next may be the value itself
            said = f"{_sure(p, level)} {of} is {at} {limit:g} with probability {chance(p, row)}."
            found.setdefault(f"Is it {word} the target?", []).append(said)
    return [(question, first_few(said, "target")) for question, said in found.items()]


def chance(p: float, row: ResultDict) -> str:
    """A probability for a sentence: what is beyond four digits is in the table.

    >>> chance(0.99999985, {}), chance(0.957, {})
    ('over 0.9999', '0.957')
    """
    if not 1e-4 <= p <= 1.0 - 1e-4:
        return "over 0.9999" if p > 0.5 else "below 0.0001"
    return probability(p, (row.get("error") or {}).get("probability"), rest=1.0 - p)


def _sure(p: float, level: float) -> str:
    """Yes or no, as sure as a probability is."""
    for limit, yes, no in ((decisive(level), "Yes:", "No:"), (likely(level), "Probably:", "Probably not:")):
        if p >= limit:
            return yes
        if p <= 1.0 - limit:
            return no
    return "Too close to call:"


def _leading(rows: Sequence[ResultDict], directions: Directions) -> list[str]:
    """Of several systems the one with the best score, and what would say how sure that is."""
    scored = [row for row in rows if row.get("system") and row.get("score") is not None]
    direction = directions.get(scored[0]["metric"]) if scored else None
    if len(scored) < 2 or direction is None:
        return []
    lead = (max if direction == "higher" else min)(scored, key=lambda row: row["score"])
    said = f"{lead['system']} has the {'highest' if direction == 'higher' else 'lowest'} {lead['asked']}"
    return [f"{said} ({findings.numbers_of(lead)}); {spelled('hs.leaderboard', 'howsure leaderboard')} says how sure."]


def _slices(result: ResultDict, wholes: Sequence[ResultDict], directions: Directions) -> Answers:
    """Slices whose whole interval is on the worse side of the score of all items, and that stand out among many.

    Without a row of all items, as in a batch of tables, there is nothing to be worse than.
    """
    found: list[str] = []
    none: list[str] = []
    for whole in (row for row in wholes if row.get("overall")):
        direction = directions.get(whole["metric"])
        own = [
            row for row in result["rows"]
            if not row["overall"] and (row["asked"], row.get("system")) == (whole["asked"], whole.get("system"))
        ]  # fmt: skip
        if own and whole.get("score") is not None and direction is not None:
            worse = _surely_worse(own, whole, direction)
            found += worse
            of = findings.named(whole | {"overall": None})
            none += [] if worse else [f"{of}: no slice is clearly worse than overall."]
    said = [*first_few(found, "slice"), *(none[:1] if not found else [])]
    if (found or none) and result.get("hidden"):
        said.append(f"{count(result['hidden']['tables'])} slices between the worst and the best are not shown.")
    return [("Which slices are surely worse?", said)]


def _surely_worse(own: Sequence[ResultDict], whole: ResultDict, direction: str) -> list[str]:
    """The slices that are surely worse by one metric, a line each, the worst first."""
    worse = [row for row in own if _worse(row, whole["score"], direction)]
    sign = 1.0 if direction == "higher" else -1.0
    worse.sort(key=lambda row: sign * (row["score"] if row["score"] is not None else row["median"]))
    of, overall = findings.named(whole | {"overall": None}), findings.score_of(whole)
    return [f"{findings.place(row, '=')}: {of} {findings.numbers_of(row)}, overall {overall}." for row in worse]


def _worse(row: ResultDict, score: float, direction: str) -> bool:
    if row.get("marked") is False or row.get("low") is None or row.get("high") is None:
        return False
    return bool(row["high"] < score if direction == "higher" else row["low"] > score)


def pairs(result: ResultDict, _directions: Directions) -> Answers:
    """Return which of two systems is better, by how much, and in which slices."""
    rows = [row for row in result["rows"] if not row.get("slice")]
    level = findings.percent(result["level"])
    said = [findings.sentence(row["verdict"]) for row in rows if row.get("verdict")]
    gaps = []
    for row in rows:
        gap, error = row["difference"], row.get("error") or {}
        low, high = (short(gap[k], error=error.get(k, error.get("value"))) for k in ("low", "high"))
        a, b = row["first"]["system"], row["second"]["system"]
        what = "difference of win rates" if "wins" in row["first"] else f"difference of {row['metric']}"
        gaps.append(f"The {what}, {a} minus {b}, is between {low} and {high} ({level} interval).")
    what = "measure" if len({row["metric"] for row in rows}) == len(rows) else "pair"
    return [("Which is best?", first_few(said, what)), ("By how much?", first_few(gaps, what)), *_sliced_pairs(result)]


def _sliced_pairs(result: ResultDict) -> Answers:
    """The slices in which one of two systems is surely better."""
    rows = [row for row in result["rows"] if row.get("slice") and row.get("p_better") is not None]
    if not rows:
        return []
    a = result["data"]["systems"][0]
    several, limit = len({row["metric"] for row in rows}) > 1, decisive(result["level"])
    found = []
    for key, word in (("p_worse", "worse"), ("p_better", "better")):
        sure = [
            findings.place(row, "=") + (f" by {row['metric']}" if several else "") for row in rows if row[key] >= limit
        ]
        none = f"{a} is clearly {word} in no slice shown."
        found.append(
            f"{a} is clearly {word} in {findings.listed(sure, 6)} (probability at least {limit:g})." if sure else none
        )
    if result.get("hidden"):
        found.append(f"{count(result['hidden']['tables'])} slices in between are not shown.")
    return [("Which slices are surely worse?", found)]


def ranked(result: ResultDict, directions: Directions) -> Answers:
    """Return which system is best, and how good the leader is."""
    if len(result["data"].get("systems") or ()) < 2:
        return scores(result, directions)
    verdict = result.get("verdict")
    rows = result["rows"]
    leaders = [next(row for row in rows if row["metric"] == m) for m in dict.fromkeys(row["metric"] for row in rows)]
    own = [row for row in rows if row["metric"] == leaders[0]["metric"] and row.get("group") == 1] if rows else []
    level = [] if len(own) < 2 else [f"Not to be told apart from the leader: {findings.listed(_systems(own[1:]), 8)}."]
    sure = first_few([_in_words(row, result["level"]) for row in leaders], "measure")
    return [("Which is best?", [findings.sentence(verdict), *level] if verdict else level), ("How sure is it?", sure)]


def _systems(rows: Sequence[ResultDict]) -> list[str]:
    return [str(row["system"]) for row in rows]


def _plain(result: ResultDict, _directions: Directions) -> Answers:
    """What the table says over its columns."""
    said = text_table(result).headline if result["rows"] else result.get("verdict") or ""
    n = (result.get("data") or {}).get("n")
    return [
        (
            "What was found?",
            [] if not said or (n is not None and said == f"n = {count(n)}") else [findings.sentence(said)],
        )
    ]


def first_few(said: Sequence[str], what: str, where: str = "in the table") -> list[str]:
    """The first few sentences, and how many more there are."""
    return [*said[:_MOST], *_more(len(said) - _MOST, what, where)]


def _more(many: int, what: str, where: str = "in the table") -> list[str]:
    if many <= 0:
        return []
    return [f"1 more {what} is {where}." if many == 1 else f"{count(many)} more {what}s are {where}."]
