"""Tables: from a result dict to the texts that every format for people shows: headline, columns, rows, bars, notes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from howsure.errors import BadSetting, UnknownName, nearest, plural
from howsure.messages.language import option
from howsure.messages.numbers import by_weight, count, in_full, probability, short
from howsure.messages.user_text import visible
from howsure.render import findings
from howsure.render.columns import USUAL_PRIORS
from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict, Row, TableColumn, kind_of

# -- notes

TECHNICAL: Final = frozenset(  # how numbers were found, where that does not change how to read them
    (
        "binned", "chance-sampled", "clusters", "delong", "folds", "infinite-mean", "interval-to-end", "labels",
        "micro", "no-mean", "pairs-prior", "prior", "prior-from-data", "recall-rule", "rounds-to-edge", "rule",
        "sampled", "simultaneous", "unbounded",
    )
)  # fmt: skip
_SHOWN: Final = 5e-4  # half a unit of the last digit that is shown
WARNED: Final = "warning: "  # how the text of a warning begins


def in_words(notes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts of notes; a warning says that it is one.

    >>> in_words([{"level": "warning", "text": "ids repeat"}, {"level": "note", "text": "f1 is sampled"}])
    ['warning: ids repeat', 'f1 is sampled']
    """
    return [f"{WARNED if n['level'] == 'warning' else ''}{n['text']}" for n in notes]


COLUMNS: Final = "columns-guessed"  # says which columns were taken; it stands beneath the headline


def notes_of(document: Mapping[str, Any], detail: Detail = USUAL) -> list[str]:
    """Return the notes in words: all of them, or those that change how to read the numbers."""
    return in_words(
        n for n in document["notes"]
        if n["code"] != COLUMNS and (detail.verbose or n["code"] not in TECHNICAL or _reaches(document, n["code"]))
    )  # fmt: skip


def _reaches(document: Mapping[str, Any], code: str) -> bool:
    """Whether the error of sampling reaches the digits that are shown."""
    if code != "sampled":
        return False
    rows = [row for row in document["rows"] if isinstance(row.get("error"), Mapping)]
    ends = ("low", "high")
    return any(
        (row["error"].get(k) or 0.0) >= _SHOWN
        for row in rows
        for k in (*ends, *(("probability",) if _shown_probability(row) else ()))
    )


def _shown_probability(row: Mapping[str, Any]) -> bool:
    return any(row.get(key) is not None for key in ("p_above", "p_below", "p_better", "probability"))


# -- bars
#
# Intervals drawn as ├──●──┤ on one scale for all rows of a table, with the value to compare them with.

Span = tuple[float, float | None, float]  # low end, point score, high end


@dataclass(frozen=True)
class Signs:
    """What bars are drawn with: both ends, the line, the point, the reference, and what stands for letters left out."""

    left: str
    right: str
    line: str
    point: str
    reference: str
    dots: str


LINES: Final = Signs("├", "┤", "─", "●", "┆", "…")
ASCII: Final = Signs("|", "|", "-", "o", ":", "~")


@dataclass(frozen=True)
class Bars:
    """The spans of the rows (None where there is nothing to draw), their scale, and the reference value, if any."""

    spans: tuple[Span | None, ...]
    low: float
    high: float
    reference: float | None

    def head(self, width: int) -> str:
        """The ends of the scale over their places, and the reference where there is room."""
        left, right = f"{self.low:.6g}", f"{self.high:.6g}"
        cells = list(left + " " * (width - len(left) - len(right)) + right)
        if self.reference is not None:
            label = f"{self.reference:.6g}"
            at = min(max(self._place(self.reference, width) - len(label) // 2, 0), width - len(label))
            if all(c == " " for c in cells[max(at - 1, 0) : at + len(label) + 1]):
                cells[at : at + len(label)] = label
        return "".join(cells)

    def draw(self, row: int, width: int, signs: Signs) -> str:
        """The bar of a row."""
        cells = [" "] * width
        if self.reference is not None:
            cells[self._place(self.reference, width)] = signs.reference
        span = self.spans[row]
        if span is None:
            return "".join(cells)
        low, high = (self._place(x, width) for x in (span[0], span[2]))
        for i in range(low, high + 1):
            cells[i] = signs.line if cells[i] == " " else signs.reference
        cells[low], cells[high] = signs.left, signs.right
        if span[1] is not None:
            cells[self._place(span[1], width)] = signs.point
        return "".join(cells)

    def share(self, x: float) -> float:
        """How far along the scale a value is, from 0 to 1."""
        return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 0.5

    def _place(self, x: float, width: int) -> int:
        return round(self.share(x) * (width - 1))


def _bars(result: ResultDict, rows: Sequence[Row], part: str) -> Bars | None:
    """Return the bars of the rows, of their differences or of their scores; None if no interval can be drawn."""
    pairs = part == "difference"
    spans = [_span(r["difference"] if pairs else r) for r in rows]
    if any(x is not None and max(map(abs, _ends(x))) <= 1.0 for x in spans):  # others would set the scale for these
        spans = [x if x is not None and max(map(abs, _ends(x))) <= 1.0 else None for x in spans]
    drawn = [x for x in spans if x is not None]
    if not drawn:
        return None
    reference = 0.0 if pairs else _reference(result, rows)
    values = [y for x in drawn for y in _ends(x)] + ([] if reference is None else [reference])
    return Bars(tuple(spans), *_scale(min(values), max(values)), reference)


def _ends(span: Span) -> list[float]:
    return [x for x in span if x is not None]


def _span(found: dict[str, Any]) -> Span | None:
    low, high = found.get("low"), found.get("high")
    return None if low is None or high is None else (low, found.get("score"), high)


def _reference(result: dict[str, Any], rows: Sequence[dict[str, Any]]) -> float | None:
    """The limit or the chance that all rows share."""
    for key in ("above", "chance") if "chance" in result.get("columns", ()) else ("above",):
        first = rows[0].get(key)
        if first is not None and all(r.get(key) == first for r in rows):
            return float(first)
    return None


def _scale(low: float, high: float) -> tuple[float, float]:
    """Round ends that hold all values.

    >>> _scale(0.639, 0.986), _scale(-0.035, 0.159), _scale(0.5, 0.5)
    ((0.6, 1.0), (-0.04, 0.16), (0.4, 0.6))
    """
    if high <= low:
        low, high = low - 0.1 * max(abs(low), 1.0), high + 0.1 * max(abs(high), 1.0)
    rough = (high - low) / 10.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * (1 - 1e-9))
    ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    rounded = float(f"{ends[0]:.12g}"), float(f"{ends[1]:.12g}")
    return rounded if rounded[0] <= low < high <= rounded[1] else ends


# -- tables


@dataclass(frozen=True)
class TextTable:
    """A table of texts that are safe to show; the cells of each row are in the order of the columns."""

    headline: str  # what was found
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    bars: Bars | None = None
    about: str = ""  # what it rests on: counts, the positive class, columns
    lead: TextTable | None = None  # a table that stands before it
    names: tuple[str, ...] = ()  # of systems

    @property
    def titles(self) -> tuple[str, ...]:
        """What stands over the columns."""
        return tuple(c.title for c in self.columns)

    @property
    def right(self) -> tuple[bool, ...]:
        """Which columns are aligned to the right."""
        return tuple(c.right for c in self.columns)


def text_table(result: ResultDict, detail: Detail = USUAL) -> TextTable:
    """Return the table of a result dict that has rows."""
    with in_full(detail.verbose):
        kind = kind_of(result)
        lead, rows = kind.lead(result), kind.rows(result)
        every = [[] if not x else kind.columns(result, x) for x in (lead, rows)]
        both = [c for columns in every for c in columns]
        _check(detail, [c.key for c in both if not c.shown], [c.key for c in both if c.shown])
        shown = [[c for c in columns if c.shown or detail.wants(c.key)] for columns in every]
        notes = kind.notes(result, notes_of(result, replace(detail, verbose=detail.verbose or kind.every_note)))
        said = headline(result) if kind.headline is None else kind.headline(result)
        about = "; ".join([*(_about(result) if kind.about is None else kind.about(result)), *_settings(result, detail)])
        made = safe_table(said, shown[1], rows, notes, about)
        first = safe_table("", shown[0], lead) if lead else None
    bars = [None if kind.bars is None or not x else _bars(result, x, kind.bars) for x in (lead, rows)]
    systems = (result.get("data") or {}).get("systems") or ()
    return _with_gap(
        result,
        replace(
            made,
            bars=bars[1],
            lead=None if first is None else replace(first, bars=bars[0]),
            names=tuple(visible(str(x)) for x in systems),
        ),
    )


def safe_table(
    headline: str, columns: Iterable[TableColumn], rows: Iterable[Row], notes: Iterable[str] = (), about: str = ""
) -> TextTable:
    """Return a table in which texts of users are visible, never obeyed."""
    shown = tuple(replace(c, title=visible(c.title)) for c in columns)
    body = tuple(tuple(visible(c.cell(row)) for c in shown) for row in rows)
    return TextTable(visible(headline), shown, body, tuple(map(visible, notes)), about=visible(about))


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


def _with_gap(result: ResultDict, table: TextTable) -> TextTable:
    """Return the table with a line between the ends of a long list that says how many rows are hidden there."""
    hidden = result.get("hidden")
    if not hidden or not table.rows:
        return table
    at, bars = hidden["row"], table.bars
    more = (f"… {count(hidden['tables'])} more …", *[""] * (len(table.columns) - 1))
    return replace(
        table,
        rows=(*table.rows[:at], more, *table.rows[at:]),
        bars=None if bars is None else replace(bars, spans=(*bars.spans[:at], None, *bars.spans[at:])),
    )


# -- headline
#
# What was found, in one line, and beneath it what that rests on.


def headline(result: ResultDict) -> str:
    """What was found: the verdict, or the score that matters most with its interval."""
    rows = result["rows"]
    verdict = result.get("verdict") or (rows[0].get("verdict") if rows else None)
    if verdict is None and not (rows and "asked" in rows[0]):
        return many(result)
    if verdict is None:
        return findings.of_scores(result, many(result))
    if not result.get("verdict") and len(rows) > 1:
        verdict = findings.of_verdicts(result)
    items = many(result)
    return f"{verdict}, {items}" if items and "status" not in result else str(verdict)


def many(result: ResultDict) -> str:
    """How many items there are, or what they weigh: 569 items in 3 slices; nothing if systems have different ones."""
    data, unit = result.get("data") or {}, kind_of(result).unit
    n = data.get("n")
    if n is None:
        return f"{count(data['folds'])} folds" if data.get("folds") else ""
    if by_weight(data):
        rows = (data.get("rows") or {}).get("kept") if len(data.get("systems", ())) == 1 else None
        weight = f"total weight {count(n)}" if rows is None else f"{plural(rows, 'row')} of total weight {count(n)}"
        return f"{weight}{in_parts(result)}"
    if data.get("clusters") and n == data["clusters"]:
        unit = "cluster"
    return f"{units(n, unit)}{in_parts(result)}"


def units(n: float, unit: str) -> str:
    """So many units: 2 items, 1 query.

    >>> units(2, "item"), units(1, "query"), units(4, "query")
    ('2 items', '1 query', '4 queries')
    """
    several = "queries" if unit == "query" else f"{unit}s"
    return f"{count(n)} {unit if n == 1 else several}"


def _about(result: ResultDict) -> list[str]:
    """How systems were tested, the counts, the positive class, and which columns were taken."""
    data, parts = result.get("data") or {}, []
    if data.get("folds"):
        parts.append(f"the same folds, {100 * data['test_share']:.3g}% of the data tested in each")
    elif data.get("paired"):
        parts.append(f"the same {count(data['clusters'])} clusters" if data.get("clusters") else "the same items")
    elif data.get("paired") is False:
        parts.append("different items")
    elif data.get("clusters") and data["clusters"] != data.get("n"):
        parts.append(f"{count(data['clusters'])} clusters")
    if data.get("cells"):
        parts.append(", ".join(f"{k} {count(v)}" for k, v in data["cells"].items()))
    if data.get("positive") not in (None, 1) and not data.get("outcome"):
        parts.append(f"positive class {data['positive']}")
    if data.get("prevalence"):
        parts.append(_target(data["prevalence"]))
    return [*parts, *(n["text"] for n in result["notes"] if n["code"] == COLUMNS)]


def in_parts(result: ResultDict) -> str:
    """In how many slices or tables the items are, or at how many thresholds they were cut; nothing of one table."""
    many = result["data"].get("tables") or 1
    if many < 2:
        return ""
    rows = result["rows"]
    if any(row.get("overall") is not None for row in rows):
        return f" in {count(many)} slices"
    cut = {tuple(row.get("slice") or ()) for row in rows} == {("threshold",)}
    return f" at {count(many)} thresholds" if cut else f" in {count(many)} tables"


def _target(told: dict[str, Any]) -> str:
    """The share of positives that the numbers are for."""
    if told["form"] == "counted":
        return f"for prevalence as in {count(told['positives'])} of {count(told['items'])}"
    known = told["form"] == "fixed"
    return f"for prevalence {told['share']:g}" if known else f"for prevalence {told['low']:g} to {told['high']:g}"


def _settings(result: ResultDict, detail: Detail) -> list[str]:
    """Chi-square and prior, where they are asked for; a prior that is not the usual one always."""
    parts = []
    test, prior = (result.get("data") or {}).get("chi_square"), result.get("prior")
    if detail.verbose and test and test["value"] is not None:
        parts.append(f"chi-square {short(test['value'])} (p {probability(test['p'])})")
    if prior is not None and (detail.verbose or prior["name"] not in USUAL_PRIORS):
        parts.append(f"prior {prior['name']}")
    return parts
