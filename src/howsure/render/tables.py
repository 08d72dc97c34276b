"""Tables of each kind of result: their columns, cells, headline and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import option
from howsure.messages.numbers import (
    beside,
    by_weight,
    count,
    endless,
    ends,
    ends_of,
    probability,
    share,
    short,
    size,
    stated,
    width_of,
)
from howsure.messages.user_text import visible
from howsure.render.bars import Bars, bars_of
from howsure.render.formats import USUAL, Detail, kind_of

# -- shown
#
# The columns of the tables of each kind of document: those shown by default, and those for the asking.

Row = dict[str, Any]


@dataclass(frozen=True)
class Heading:
    """A column by its key, which people name it by; `more` are shown for the asking only."""

    key: str
    title: str
    cell: Callable[[Row], str]
    right: bool = True
    more: bool = False


def columns_of(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    """All columns that the table of a document can have, in their order."""
    kind = kind_of(document)
    make = {
        "compare": _compare, "leaderboard": _leaderboard, "association": _association, "threshold": _threshold,
        "band": _band, "folds": _folds, "gate": _gate, "forecast": _forecast,
    }  # fmt: skip
    if kind == "trec" and len(document["data"]["systems"]) > 1:
        make[kind] = _trec
    return make.get(kind, _score)(document, rows)


def level_of(document: dict[str, Any]) -> str:
    """The name of the column of intervals."""
    kind = " hdi" if document["interval"] == "hdi" else ""
    return f"{100 * document['level']:.12g}%{kind} interval"


def _words(key: str, of: str | None = None) -> Heading:
    return Heading(key, key, lambda r: str(r[of or key]), right=False)


def _slices(rows: list[Row]) -> list[Heading]:
    """Slices by one column are headed by its name, unless that would make a slice look like all items."""
    found = [r["slice"] for r in rows if r["slice"]]
    if not found:
        return []
    names = {name for at in found for name in at}
    if len(names) > 1 or any("all" in at.values() for at in found):
        return [Heading("slice", "slice", lambda r: _slice_of(r, _slice(r["slice"])), right=False)]
    return [Heading("slice", names.pop(), lambda r: _slice_of(r, _values(r["slice"])), right=False)]


def _law() -> list[Heading]:
    """What else is known of a posterior, for the asking."""
    names = ("mean", "median", "mode", "std")
    return [Heading(k, k, lambda r, k=k: _value(r, k, "infinite"), more=True) for k in names]  # type: ignore[misc]


def _route(document: dict[str, Any]) -> list[Heading]:
    del document
    return [Heading("route", "route", lambda r: str(r["route"]), right=False, more=True)]


def _n(shown: bool, document: dict[str, Any]) -> Heading:
    """The number of items; of weighted ones the sum of their weights."""
    title = "weight" if by_weight(document["data"]) else "n"
    return Heading("n", title, lambda r: "" if r["n"] is None else count(r["n"]), more=not shown)


def _score(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    sliced = _slices(rows)
    moved = any(r.get("shrink") is not None for r in rows)
    columns = [_words("system")] if any(r["system"] for r in rows) else []
    columns += [
        *sliced,
        Heading("metric", "metric", lambda r: str(r["asked"]), right=False),
        _n(bool(sliced), document),
        Heading("score", "score", lambda r: _value(r, "score", "undefined")),
        *(replace(x, more=x.more and not (moved and x.key == "mean")) for x in _law()),
        Heading("interval", level_of(document), _interval),
    ]
    if moved:
        columns.append(Heading("moved", "moved", lambda r: "" if r["shrink"] is None else f"{100 * r['shrink']:.0f}%"))
    if any(r["above"] is not None for r in rows):
        columns.append(Heading("above", "P(above)", _above))
    if "chance" in document.get("columns", ()):
        columns.append(Heading("chance", "chance", lambda r: "" if r["chance"] is None else short(r["chance"])))
        columns.append(Heading("above-chance", "P(better than chance)", _above_chance))
    return [*columns, *_route(document)]


def _forecast(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    sliced, of_two = _slices(rows), any(r["first"] for r in rows)
    columns = [_words("system")] if any(r["system"] for r in rows) else []
    title = f"{rows[0]['first']} - {rows[0]['second']} so far" if of_two else "score so far"
    columns += [
        *sliced,
        Heading("metric", "metric", lambda r: str(r["asked"]), right=False),
        _n(bool(sliced), document),
        Heading("score", title, lambda r: _value(r, "score", "undefined")),
        Heading("next", f"next {rows[0]['unit']}s", lambda r: count(r["next"])),
        Heading("mean", "mean", lambda r: _value(r, "mean", "infinite")),
        *(x for x in _law() if x.key in ("median", "std")),
        Heading("interval", level_of(document), _interval_of_steps),
    ]
    for side, sign in (("below", "<"), ("above", ">")):
        if any(r[side] is not None for r in rows):
            columns.append(Heading(side, f"P({side})", lambda r, side=side, sign=sign: _chance(r, side, sign)))  # type: ignore[misc]
    columns.append(Heading("undefined", "P(undefined)", lambda r: probability(r["p_undefined"]), more=True))
    return [*columns, *_route(document)]


def _interval_of_steps(row: Row) -> str:
    """Ends are scores that can be shown: those on an end of the range are just there."""
    low, high = ends(row["low"], row["high"], errors=(_error(row, "low"), _error(row, "high")))
    return f"[{low}, {'infinite' if row['high'] is None else high}]"


def _chance(row: Row, side: str, sign: str) -> str:
    if row[side] is None:
        return ""
    shown = probability(row[f"p_{side}"], _error(row, "probability"), _error(row, "floor"))
    return stated(f"P({sign} {row[side]:g})", shown)


def _threshold(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    del rows
    return [
        Heading("what", "", lambda r: str(r["what"]), right=False),
        Heading("score", "value", _chosen),
        Heading("mean", "mean", lambda r: _value(r, "mean", "-"), more=True),
        Heading("interval", level_of(document), _ends),
        *_route(document),
    ]


def _chosen(row: Row) -> str:
    """What was found on these items; corrected for the choice, it is a mean."""
    return _value(row, "mean" if row["value"] is None else "value", "-")


def _compare(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    a, b = document["data"]["systems"]
    sliced = _slices(rows)
    wins = any("wins" in r["first"] for r in rows)
    columns = [
        *sliced,
        Heading("metric", "metric", _asked_of_pair, right=False),
        *([] if wins else [replace(_n(bool(sliced), document), cell=_n_of_pair)]),
        Heading("first", a, lambda r: _sides(r)[0]),
        Heading("second", b, lambda r: _sides(r)[1]),
        Heading("difference", "difference of win rates" if wins else "difference", lambda r: _sides(r)[2]),
        Heading("mean", "mean difference", lambda r: _of_difference(r, "mean"), more=True),
        Heading("median", "median difference", lambda r: _of_difference(r, "median"), more=True),
        Heading("std", "std of the difference", lambda r: _of_difference(r, "std"), more=True),
        Heading("interval", level_of(document), _interval_of_difference),
        Heading("better", f"P({a} better)", _p_better),
    ]
    if any(r["p_equal"] is not None for r in rows):
        columns.append(Heading("equal", f"P(within {rows[0]['equal_within']:g})", _p_equal))
    return [*columns, *_route(document)]


def _asked_of_pair(row: Row) -> str:
    """The measure by the name that it was asked for."""
    return str(row["first"].get("asked") or row["metric"])


def _folds(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    """Two systems as compare shows them, several pair by pair; with a margin the three shares of probability."""
    names = document["data"]["systems"]
    two, margin = len(names) == 2, rows[0]["equal_within"]
    a, b = names if two else ("first", "second")
    columns = [
        *([_words("metric")] if two else [_system("leader", "first"), _system("other", "second")]),
        Heading("first", a if two else "first score", lambda r: _sides(r)[0], more=not two),
        Heading("second", b if two else "second score", lambda r: _sides(r)[1], more=not two),
        Heading("difference", "difference", lambda r: _sides(r)[2]),
        Heading("std", "std of the difference", _std_of_difference, more=True),
        Heading("interval", level_of(document), _interval_of_difference),
        Heading("better", f"P({a} better)", _p_better, more=margin is not None),
    ]
    if margin is not None:
        heads = {"better": f"P({a} by > {margin:g})", "equal": f"P(within {margin:g})",
                 "worse": f"P({b} by > {margin:g})"}  # fmt: skip
        columns += [Heading(f"share-{k}", head, _share_of(k)) for k, head in heads.items()]
    return [*columns, *_route(document)]


def _std_of_difference(row: Row) -> str:
    return "infinite" if row["difference"]["std"] is None else _of_difference(row, "std")


def _system(key: str, side: str) -> Heading:
    return Heading(key, side, lambda r: str(r[side]["system"]), right=False)


def _share_of(key: str) -> Callable[[Row], str]:
    return lambda r: probability(r["shares"][key], r["error"]["probability"])


def _n_of_pair(row: Row) -> str:
    one, two = (count(row[side]["n"]) for side in ("first", "second"))
    return one if one == two else f"{one}, {two}"


def _sides(row: Row) -> tuple[str, str, str]:
    """Both scores and their difference, which add up as they are shown."""
    one, two, gap = row["first"], row["second"], row["difference"].get("score")
    if "wins" in one:
        return count(one["wins"]), count(two["wins"]), short(gap)
    if one["score"] is None or two["score"] is None:
        a, b = _value(one, "score", "undefined"), _value(two, "score", "undefined")
        apart = {("infinite", b): "infinite", (a, "infinite"): "-infinite"}
        return a, b, "undefined" if a == b or "undefined" in (a, b) else apart[a, b]
    return beside(one["score"], two["score"])


def _of_difference(row: Row, key: str) -> str:
    gap, error = row["difference"], row["error"]
    return short(gap[key], error=error.get(key, error["value"]), width=width_of(gap["low"], gap["high"], gap[key]))


def _interval_of_difference(row: Row) -> str:
    gap, error = row["difference"], row["error"]
    left, right = (error.get(key, error["value"]) for key in ("low", "high"))
    low, high = ends(gap["low"], gap["high"], errors=(left, right))
    if (gap["low"] is None) != (gap["high"] is None):  # an end beyond all numbers; without both it is undefined
        low, high = "-infinite" if gap["low"] is None else low, "infinite" if gap["high"] is None else high
    return f"[{low}, {high}]"


def _p_better(row: Row) -> str:
    return probability(row["p_better"], row["error"]["probability"], rest=row["p_worse"])


def _p_equal(row: Row) -> str:
    return probability(row["p_equal"], row["error"].get("equal", row["error"]["probability"]))


def _p_best(row: Row) -> str:
    return probability(row["p_best"], row["error"].get("best"), row["error"].get("best_floor"))


def _ranked(document: dict[str, Any], title: str) -> list[Heading]:
    return [
        Heading("n", "n", lambda r: "" if r["n"] is None else count(r["n"]), more=True),
        Heading("score", title, lambda r: _value(r, "score", "undefined")),
        *_law(),
        Heading("interval", level_of(document), _interval),
        Heading("best", "P(best)", _p_best),
    ]


def _leaderboard(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    several = len({r["metric"] for r in rows}) > 1
    return [
        *([_words("metric", "asked")] if several else []),
        _words("system"),
        *_ranked(document, "score" if several else str(rows[0]["asked"])),
        Heading("rank", "expected rank", lambda r: f"{r['expected_rank']:.2f}"),
        Heading("group", "group", lambda r: str(r["group"])),
        *_route(document),
    ]


def _trec(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    del rows
    return [
        _words("metric"),
        _words("run", "system"),
        *_ranked(document, "score"),
        Heading("rank", "expected rank", lambda r: f"{r['expected_rank']:.2f}", more=True),
        Heading("group", "group", lambda r: str(r["group"])),
        *_route(document),
    ]


def _association(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    del document
    return [
        *_slices(rows),
        _words("measure"),
        Heading("value", "value", lambda r: _value(r, "value", "undefined")),
        Heading("bounds", "bounds", lambda r: "" if r["low"] is None else _ends(r)),
        Heading("error", "standard error", lambda r: "" if r["error"] is None else short(r["error"])),
        _words("what"),
    ]


def _band(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    along = document["along"]
    kind = " simultaneous" if document["simultaneous"] else ""
    title = f"{level_of(document)}{kind}"
    return [
        Heading(along, along, lambda r: f"{r[along]:.6g}"),
        Heading("score", str(rows[0]["metric"]), lambda r: _value(r, "score", "undefined")),
        Heading("interval", title, _ends),
    ]


def _gate(document: dict[str, Any], rows: list[Row]) -> list[Heading]:
    """Requirements; of a margin, score and interval are those of the difference."""
    return [
        _words("requirement"),
        _words("status"),
        Heading("probability", "P", lambda r: probability(r["probability"], _error(r, "probability"))),
        _n(False, document),
        Heading("measured", "score", lambda r: _value(r, "score", "undefined")),
        *(h for h in _law() if h.key != "mode"),
        Heading("ends", level_of(document), lambda r: _interval(r) if r["margin"] is None else _ends(r)),
        *_more(rows),
        *_route(document),
    ]


def _more(rows: list[Row]) -> list[Heading]:
    """How many more would settle it, of items or of clusters."""
    left = [r for r in rows if r["more"] is not None]
    units = {r["more_unit"]: None for r in left}
    title = f"more {' or '.join(units)}{' of the slice' if all(r['slice'] for r in left) else ''}"
    return [Heading("more", title, lambda r: "" if r["more"] is None else count(r["more"]))] if units else []


def _value(row: Row, key: str, empty: str) -> str:
    """A number of a row; the score is exact, means and ends have errors."""
    if row[key] is None:
        return endless(row, key) or empty
    return short(row[key], error=_error(row, key), width=width_of(row.get("low"), row.get("high"), row[key]))


def _error(row: Row, key: str) -> float | None:
    """How far a number of a row can be off, where the row says so."""
    errors = row.get("error")
    return errors.get(key) if isinstance(errors, dict) else None


def _interval(row: Row) -> str:
    low, high = ends_of(row)
    return f"[{low}, {'infinite' if row['high'] is None else high}]"


def _ends(row: Row) -> str:
    low, high = ends(row["low"], row["high"], errors=(_error(row, "low"), _error(row, "high")))
    low, high = endless(row, "low") or low, endless(row, "high") or high
    return f"[{low}, {high}]"


def _above(row: Row) -> str:
    return _chance(row, "above", ">")


def _above_chance(row: Row) -> str:
    p, error = row["p_above_chance"], _error(row, "chance")
    if p is None:
        return ""
    return share(p, error) if error is not None and error > 1e-6 else probability(p)


def _slice_of(row: Row, told: str) -> str:
    """A slice with its mark; all items together are no slice."""
    where = told or ("all" if row.get("overall") else "")
    return f"{where} *" if row.get("marked") else where


def _slice(at: dict[str, Any] | None) -> str:
    return ", ".join(f"{k}={_values({k: v})}" for k, v in at.items()) if at else ""


def _values(at: dict[str, Any] | None) -> str:
    return ", ".join("(missing)" if v is None else str(v) for v in at.values()) if at else ""


# -- tables
#
# From a document to the table that text, Markdown and LaTeX share: a headline, columns, rows and notes.


@dataclass(frozen=True)
class TextTable:
    """Texts only; `right` marks the columns that hold numbers."""

    headline: str
    columns: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    keys: tuple[str, ...] = ()  # of the columns, where they have names
    bars: Bars | None = None  # of the rows, for whoever draws them


_PAGES = {  # documents whose tables are made elsewhere
    "solve": ("relations", "solution"),
    "identities": ("relations", "identities"),
    "tradeoff": ("relations", "tradeoff"),
    "mixture": ("relations", "mixture"),
    "surface": ("relations", "surface"),
    "eleven-point": ("relations", "eleven_point"),
    "plan": ("relations", "plan"),
}


def from_document(document: dict[str, Any], view: Detail = USUAL) -> TextTable:
    """The table of any howsure document that has rows."""
    rows = document["rows"]
    kind = kind_of(document)
    if kind in _PAGES:
        module, function = _PAGES[kind]
        made: TextTable = getattr(import_module(f"howsure.render.{module}"), function)(document)
        return made
    every = columns_of(document, rows)
    _check(view, [c.key for c in every if c.more], [c.key for c in every if not c.more])
    columns = [c for c in every if not c.more or view.wants(c.key)]
    return TextTable(
        visible(headline(document, view)),
        tuple(visible(c.title) for c in columns),
        tuple(c.right for c in columns),
        _with_gaps(document, tuple(tuple(visible(c.cell(row)) for c in columns) for row in rows)),
        tuple(map(visible, notes_of(document, view))),
        tuple(c.key for c in columns),
        _barred(document, rows),
    )


def page(
    headline: str, columns: Sequence[str], named: int, rows: Iterable[Sequence[str]], notes: Iterable[str]
) -> TextTable:
    """A table of clean texts: the first columns, as many as are `named`, hold words, the others numbers."""
    right = tuple(i >= named for i in range(len(columns)))
    body = tuple(tuple(visible(x) for x in row) for row in rows)
    return TextTable(visible(headline), tuple(map(visible, columns)), right, body, tuple(map(visible, notes)))


# -- notes

TECHNICAL: Final = frozenset(  # how numbers were found, where that does not change how to read them
    (
        "binned", "chance-sampled", "clusters", "delong", "folds", "infinite-mean", "interval-to-end", "labels",
        "micro", "no-mean", "pairs-prior", "prior", "prior-from-data", "recall-rule", "rounds-to-edge", "rule",
        "sampled", "simultaneous", "unbounded",
    )
)  # fmt: skip
USUAL_PRIORS: Final = ("even", "wins")  # which need no word
WARNED: Final = "warning: "  # how the text of a warning begins


def in_words(notes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts of notes; a warning says that it is one.

    >>> in_words([{"level": "warning", "text": "ids repeat"}, {"level": "note", "text": "f1 is sampled"}])
    ['warning: ids repeat', 'f1 is sampled']
    """
    return [f"{WARNED if n['level'] == 'warning' else ''}{n['text']}" for n in notes]


def notes_of(document: Mapping[str, Any], detail: Detail = USUAL) -> list[str]:
    """Return the notes in words: all of them, or those that change how to read the numbers."""
    return in_words(n for n in document["notes"] if detail.verbose or n["code"] not in TECHNICAL)


# -- columns that people ask for


def _check(asked: Detail, more: Sequence[str], always: Sequence[str]) -> None:
    """Refuse columns that a table does not have, and a list that adds none."""
    for name in asked.columns:
        if name not in more and name not in always:
            raise UnknownName(f"no column {name!r} here.{nearest(name, [*more, *always])} {_takes_columns(more)}")
    if asked.columns and not any(name in more for name in asked.columns):
        raise BadSetting(f"{' and '.join(asked.columns)} {_are_shown(asked.columns)} anyway. {_takes_columns(more)}")


def _are_shown(names: Sequence[str]) -> str:
    return "is shown" if len(names) == 1 else "are shown"


def _takes_columns(more: Sequence[str]) -> str:
    if not more:
        return f"This table has no more columns: leave out {option('columns')}."
    return f"{option('columns')} takes {', '.join(more)}."


# -- parts of the table


def _with_gaps(document: dict[str, Any], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A line between the ends of a long list that says how many are hidden there."""
    hidden = document.get("hidden")
    if not hidden:
        return rows
    at, more = hidden["row"], f"… {count(hidden['tables'])} more …"
    return (*rows[:at], (more, *[""] * (len(rows[0]) - 1)), *rows[at:])


def _barred(document: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Bars | None:
    """The bars of the rows, and none on the line that says how many rows are hidden."""
    bars, hidden = bars_of(document, rows), document.get("hidden")
    if bars is None or not hidden:
        return bars
    at = hidden["row"]
    return replace(bars, spans=(*bars.spans[:at], None, *bars.spans[at:]))


def headline(document: dict[str, Any], view: Detail = USUAL) -> str:
    """What was scored, in one line."""
    data = document["data"]
    rows = document["rows"]
    parts = []
    if "verdict" in (rows[0] if rows else ()) and len(rows) == 1:
        parts.append(rows[0]["verdict"])
    elif "verdict" in (rows[0] if rows else ()) and not document.get("verdict"):
        measures = {row["metric"] for row in rows}
        parts.append(" against ".join(data["systems"]) + (f" on {measures.pop()}" if len(measures) == 1 else ""))
    if document.get("verdict"):
        parts.append(document["verdict"])
    if data.get("folds"):
        parts.append(
            f"on the same {count(data['folds'])} folds, {100 * data['test_share']:.3g}% of the data tested in each"
        )
    elif data.get("paired"):
        parts.append(f"on the same {count(data['clusters'])} clusters" if data.get("clusters") else "on the same items")
    elif data.get("paired") is False and not parts:
        parts.append("on different items")
    parts += _size(document)
    if data.get("cells"):
        parts.append(", ".join(f"{k} {count(v)}" for k, v in data["cells"].items()))
    if data.get("positive") not in (None, 1) and not data.get("outcome"):
        parts.append(f"positive {data['positive']}")
    if data.get("prevalence"):
        parts.append(_target(data["prevalence"]))
    return "; ".join([*parts, *_settings(document, view)])


def in_parts(document: dict[str, Any]) -> str:
    """In how many slices or tables the items are, or at how many thresholds they were cut; nothing of one table."""
    many = document["data"].get("tables") or 1
    if many < 2:
        return ""
    rows = document["rows"]
    if any(row.get("overall") is not None for row in rows):
        return f" in {count(many)} slices"
    cut = {tuple(row.get("slice") or ()) for row in rows} == {("threshold",)}
    return f" at {count(many)} thresholds" if cut else f" in {count(many)} tables"


def _size(document: dict[str, Any]) -> list[str]:
    """How many items there are, or what they weigh."""
    data = document["data"]
    n = data.get("n")
    if n is None or (data.get("paired") and n == data.get("clusters")):  # clusters of one value each stand above
        return []
    return [size(data, in_parts(document))]


def _target(told: dict[str, Any]) -> str:
    """The share of positives that the numbers are for."""
    if told["form"] == "counted":
        return f"for prevalence as in {count(told['positives'])} of {count(told['items'])}"
    known = told["form"] == "fixed"
    return f"for prevalence {told['share']:g}" if known else f"for prevalence {told['low']:g} to {told['high']:g}"


def _settings(document: dict[str, Any], view: Detail) -> list[str]:
    """Chi-square and prior, where they are asked for; a prior that is not the usual one always."""
    parts = []
    test, prior = document["data"].get("chi_square"), document.get("prior")
    if view.verbose and test and test["value"] is not None:
        parts.append(f"chi-square {short(test['value'])} (p {probability(test['p'])})")
    if prior is not None and (view.verbose or prior["name"] not in USUAL_PRIORS):
        parts.append(f"prior {prior['name']}")
    return parts
