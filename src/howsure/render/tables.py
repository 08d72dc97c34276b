"""From a document to the table that text, Markdown and LaTeX share: a headline, columns, rows and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from howsure.render.harmless import visible
from howsure.render.numbers import count, probability, share, short


@dataclass(frozen=True)
class TextTable:
    """Texts only; `right` marks the columns that hold numbers."""

    headline: str
    columns: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


Row = dict[str, Any]
Column = tuple[str, bool, Callable[[Row], str]]


_PAGES = {  # documents whose tables are made elsewhere
    "solve": ("relations", "solution"),
    "identities": ("relations", "identities"),
    "tradeoff": ("relations", "tradeoff"),
    "mixture": ("relations", "mixture"),
    "surface": ("surfaces", "surface"),
    "eleven-point": ("surfaces", "eleven_point"),
}


def from_document(document: dict[str, Any]) -> TextTable:
    """The table of any howsure document that has rows."""
    rows = document["rows"]
    kind = document["schema"].partition(".")[2].partition("/")[0]
    if kind in _PAGES:
        module, function = _PAGES[kind]
        made: TextTable = getattr(import_module(f"howsure.render.{module}"), function)(document)
        return made
    make = {
        "compare": _compare_columns,
        "leaderboard": _leaderboard_columns,
        "association": _association_columns,
        "threshold": _threshold_columns,
        "band": _band_columns,
    }
    if kind == "trec" and len(document["data"]["systems"]) > 1:
        make[kind] = _trec_columns
    columns = make.get(kind, _score_columns)(document, rows)
    return TextTable(
        visible(headline(document)),
        tuple(visible(c[0]) for c in columns),
        tuple(c[1] for c in columns),
        _with_gaps(document, tuple(tuple(visible(c[2](row)) for c in columns) for row in rows)),
        tuple(map(visible, texts(document))),
    )


def page(
    headline: str, columns: Sequence[str], named: int, rows: Iterable[Sequence[str]], notes: Iterable[str]
) -> TextTable:
    """A table of clean texts: the first columns, as many as are `named`, hold words, the others numbers."""
    right = tuple(i >= named for i in range(len(columns)))
    body = tuple(tuple(visible(x) for x in row) for row in rows)
    return TextTable(visible(headline), tuple(map(visible, columns)), right, body, tuple(map(visible, notes)))


def texts(document: dict[str, Any]) -> list[str]:
    """The notes of a document, in words."""
    return [note["text"] for note in document["notes"]]


def _with_gaps(document: dict[str, Any], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A line between the ends of a long list that says how many are hidden there."""
    hidden = document.get("hidden")
    if not hidden:
        return rows
    ends, out = hidden["ends"], []
    for i, row in enumerate(rows):
        out.append(row)
        if i % (2 * ends) == ends - 1:
            out.append((f"… {count(hidden['tables'])} more …", *[""] * (len(row) - 1)))
    return tuple(out)


def headline(document: dict[str, Any]) -> str:
    """What was scored, in one line."""
    data = document["data"]
    parts = []
    rows = document["rows"]
    if "verdict" in (rows[0] if rows else ()) and len(rows) == 1:
        parts.append(rows[0]["verdict"])
    if document.get("verdict"):
        parts.append(document["verdict"])
    if data.get("paired"):
        parts.append(f"on the same {count(data['clusters'])} clusters" if data.get("clusters") else "on the same items")
    if data.get("n") is not None:
        many = data.get("tables", 1)
        parts.append(f"n = {count(data['n'])}" + (f" in {count(many)} tables" if many > 1 else ""))
    if data.get("cells"):
        parts.append(", ".join(f"{k} {count(v)}" for k, v in data["cells"].items()))
    if data.get("positive") is not None and not data.get("outcome"):
        parts.append(f"positive {data['positive']}")
    if data.get("chi_square") and data["chi_square"]["value"] is not None:
        x = data["chi_square"]
        parts.append(f"chi-square {short(x['value'])} (p {probability(x['p'])})")
    if document.get("prior") is not None:
        parts.append(f"prior {document['prior']['name']}")
    return "; ".join(parts)


def _score_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:
    level = level_of(document)
    columns: list[Column] = [("metric", False, lambda r: str(r["asked"]))]
    if any(r["slice"] for r in rows):
        columns.insert(0, ("slice", False, lambda r: _slice(r["slice"])))
    if any(r["system"] for r in rows):
        columns.insert(0, ("system", False, lambda r: str(r["system"])))
    columns += [
        ("score", True, lambda r: _value(r, "score", "undefined")),
        ("mean", True, lambda r: _value(r, "mean", "infinite")),
        (level, True, _interval),
    ]
    if any(r["above"] is not None for r in rows):
        columns.append(("P(above)", True, _above))
    if "chance" in document.get("columns", ()):
        columns.append(("chance", True, lambda r: "" if r["chance"] is None else short(r["chance"])))
        columns.append(("P(better than chance)", True, _above_chance))
    columns.append(("route", False, lambda r: str(r["route"])))
    return columns


def _threshold_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:
    del rows
    return [
        ("", False, lambda r: str(r["what"])),
        ("on these items", True, lambda r: "" if r["value"] is None else short(r["value"])),
        ("mean", True, lambda r: short(r["mean"], error=_error(r, "mean"))),
        (level_of(document), True, _ends),
        ("route", False, lambda r: str(r["route"])),
    ]


def level_of(document: dict[str, Any]) -> str:
    """The name of the column of intervals."""
    kind = "" if document["interval"] == "equal-tailed" else f" {document['interval']}"
    return f"{100 * document['level']:.12g}%{kind} interval"


def _compare_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:
    a, b = document["data"]["systems"]
    columns: list[Column] = [("metric", False, lambda r: str(r["metric"]))]
    if any(r["slice"] for r in rows):
        columns.insert(0, ("slice", False, lambda r: _slice(r["slice"])))
    columns += [
        (a, True, lambda r: _side(r["first"])),
        (b, True, lambda r: _side(r["second"])),
        ("difference", True, lambda r: _of_difference(r, "mean")),
        (level_of(document), True, lambda r: f"[{_of_difference(r, 'low')}, {_of_difference(r, 'high')}]"),
        (f"P({a} better)", True, lambda r: probability(r["p_better"], r["error"]["probability"])),
    ]
    if any(r["p_equal"] is not None for r in rows):
        columns.append((f"P(within {rows[0]['equal_within']:g})", True, _p_equal))
    columns.append(("route", False, lambda r: str(r["route"])))
    return columns


def _of_difference(row: Row, key: str) -> str:
    return short(row["difference"][key], error=row["error"].get(key, row["error"]["value"]))


def _p_equal(row: Row) -> str:
    return probability(row["p_equal"], row["error"].get("equal", row["error"]["probability"]))


def _p_best(row: Row) -> str:
    return probability(row["p_best"], row["error"].get("best"), row["error"].get("best_floor"))


def _side(row: Row) -> str:
    return count(row["wins"]) if "wins" in row else _value(row, "score", "undefined")


def _leaderboard_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:
    several = len({r["metric"] for r in rows}) > 1
    named: list[Column] = [("metric", False, lambda r: str(r["metric"]))] if several else []
    return [
        *named,
        ("system", False, lambda r: str(r["system"])),
        ("score" if several else str(rows[0]["metric"]), True, lambda r: _value(r, "score", "undefined")),
        (level_of(document), True, _interval),
        ("P(best)", True, _p_best),
        ("expected rank", True, lambda r: f"{r['expected_rank']:.2f}"),
        ("group", True, lambda r: str(r["group"])),
    ]


def _trec_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:  # noqa: ARG001 - as the others
    return [
        ("metric", False, lambda r: str(r["metric"])),
        ("run", False, lambda r: str(r["system"])),
        ("score", True, lambda r: _value(r, "score", "undefined")),
        (level_of(document), True, _interval),
        ("P(best)", True, _p_best),
        ("group", True, lambda r: str(r["group"])),
    ]


def _association_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:  # noqa: ARG001 - as the others
    columns: list[Column] = [("measure", False, lambda r: str(r["measure"]))]
    if any(r["slice"] for r in rows):
        columns.insert(0, ("slice", False, lambda r: _slice(r["slice"])))
    return [
        *columns,
        ("value", True, lambda r: _value(r, "value", "undefined")),
        ("bounds", True, lambda r: "" if r["low"] is None else f"[{short(r['low'])}, {short(r['high'])}]"),
        ("standard error", True, lambda r: "" if r["error"] is None else short(r["error"])),
        ("what", False, lambda r: str(r["what"])),
    ]


def _band_columns(document: dict[str, Any], rows: list[Row]) -> list[Column]:
    along = document["along"]
    kind = " simultaneous" if document["simultaneous"] else ""
    return [
        (along, True, lambda r: f"{r[along]:.6g}"),
        (str(rows[0]["metric"]), True, lambda r: _value(r, "score", "undefined")),
        (f"{level_of(document)}{kind}", True, lambda r: f"[{short(r['low'])}, {short(r['high'])}]"),
    ]


def _value(row: Row, key: str, empty: str) -> str:
    """A number of a row; the score is exact, means and ends have errors."""
    if row[key] is None:
        return "infinite" if key in row.get("infinite", ()) else empty
    return short(row[key], error=_error(row, key))


def _error(row: Row, key: str) -> float | None:
    """How far a number of a row can be off, where the row says so."""
    errors = row.get("error")
    return errors.get(key) if isinstance(errors, dict) else None


def _interval(row: Row) -> str:
    unit = row["range"] == [0.0, 1.0]
    low = short(row["low"], 1 - row["low"] if unit and row["low"] is not None else None, error=_error(row, "low"))
    high = short(row["high"], row["high_gap"] if unit else None, error=_error(row, "high"))
    return f"[{low}, {'infinite' if row['high'] is None else high}]"


def _ends(row: Row) -> str:
    low, high = (short(row[key], error=_error(row, key)) for key in ("low", "high"))
    return f"[{low}, {high}]"


def _above(row: Row) -> str:
    if row["above"] is None:
        return ""
    return f"P(> {row['above']:g}) = {probability(row['p_above'], _error(row, 'probability'), _error(row, 'floor'))}"


def _above_chance(row: Row) -> str:
    p, error = row["p_above_chance"], _error(row, "chance")
    if p is None:
        return ""
    return share(p, error) if error is not None and error > 1e-6 else probability(p)


def _slice(at: dict[str, Any] | None) -> str:
    return ", ".join(f"{k}={'(missing)' if v is None else v}" for k, v in at.items()) if at else ""
