"""Result: what every answer can do with its result dict, its frame, and files of columns."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.notes import WARNING, Note, note
from howsure.render.formats import (
    TEXTS,
    USUAL,
    Detail,
    by_suffix,
    fitting,
    for_detail,
    named,
    names,
    render,
    view,
)
from howsure.render.kinds import kind_name, kind_of
from howsure.validate import flag

if TYPE_CHECKING:
    from howsure.charts.chart import Chart


# -- envelope
#
# The frame that every document shares.

MISSING: Final = "missing-dropped"


def envelope(
    schema: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    prior: Mapping[str, Any] | None = None,
    level: float | None = None,
    interval: str | None = None,
    seed: int | None = None,
    data: Mapping[str, Any] | None = None,
    notes: Iterable[Note] = (),
    account: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A document: null where a thing does not apply; notes in words, in the reader's language, warnings first.

    The account of rows is part of the data, and a note where some were left out: one for all that were missing.
    """
    from howsure.version import VERSION

    if account is not None:
        data = {**(data or {}), "rows": account}
        told = MISSING if "missing" in account["left_out"] else None  # by one note for all
        notes = [*(n for n in notes if n.code != told), *_left_out(account)]
    return {
        "schema": schema,
        "version": VERSION,
        "prior": prior,
        "level": level,
        "interval": interval,
        "seed": seed,
        "data": data,
        "rows": rows,
        "notes": [n.document for n in sorted(notes, key=lambda n: n.level != WARNING)],
    }


def _left_out(account: Mapping[str, Any]) -> list[Note]:
    """One note on the rows that were left out, if any were."""
    lost = account["left_out"]
    if not lost:
        return []
    code = MISSING if "missing" in lost else "rows-left-out"
    facts = {"read": account["read"], "kept": account["kept"], "where": tuple(account.get("where", ()))}
    return [note(code, form="rows", lost=tuple(lost.items()), **facts)]


# -- result
#
# Result: what every answer can do with its document, and rows as data frames.


@runtime_checkable
class Columnar(Protocol):
    """A result that has its rows as arrays too, for files of columns."""

    def to_table(self) -> dict[str, Any]:
        """Arrays of one length, by name."""
        ...


_PLAIN: Final = frozenset({str, float, int, bool, type(None)})


def _copied(x: Any) -> Any:
    """A document anew: copy.deepcopy, which remembers whatever it meets, takes ten times as long for many rows."""
    if type(x) is dict:
        return {k: v if type(v) in _PLAIN else _copied(v) for k, v in x.items()}
    if type(x) is list:
        return [v if type(v) in _PLAIN else _copied(v) for v in x]
    return copy.deepcopy(x)


class Result:
    """A frozen result: one document, and the formats that are made from it.

    Results are equal when they are of one type and their documents are equal, and have no hash. Dataclasses among them
    say eq=False: they would compare and hash field by field.
    """

    def _make(self) -> dict[str, Any]:
        raise BadSetting("this result has no document.")  # every result makes its own

    @cached_property
    def _document(self) -> dict[str, Any]:
        return self._make()

    @property
    def _library(self) -> str | None:
        """The library of the frame that the result was made from."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """The JSON document; never NaN or Infinity."""
        found: dict[str, Any] = _copied(self._document)
        return found

    def page(self) -> dict[str, Any]:
        """The document for people: all of it, unless the result is long. To be read, not changed: it is no copy."""
        return self._document

    def page_for(self, view: Detail) -> dict[str, Any]:  # noqa: ARG002
        """The document for a table of that view: numbers that none of its columns shows may be missing."""
        return self.page()

    def to_frame(self, *, full: bool = False) -> Any:
        """A data frame of the rows, of the library of the input; else of pandas, else of polars.

        It has the columns that people read; `full=True` gives all that the JSON has, with nested keys joined by a dot.
        """
        from howsure.render.csv import flat

        rows = self._document["rows"]
        return frame([flat(row) for row in rows] if flag(full, "full") else readable(rows), self._library)

    def to_metrics(self) -> dict[str, float]:
        """Flat names and numbers for experiment trackers: f1, f1_low, f1_high; `/` for `:` and `@`; slices after it.

        A comparison gives both scores, the difference and P(better): a/f1, b/f1, f1/a-b, f1/a-b_p_better. Points of
        curves have no names and are left out; to_frame has them.
        """
        return metrics(self._document)

    def to_text(self, kind: str = "table", *, columns: str | Iterable[str] = (), verbose: bool = False) -> str:
        """The text in a format, by its name; the table is what print shows.

        `columns` adds some that are not shown by default, such as "mean" and "route"; `verbose` adds these and tells
        every note and setting. Formats for programs hold all of it, and take neither.
        """
        return self._render(kind, view(columns, verbose))

    def to_json(self) -> str:
        """The JSON document as text."""
        return self._render("json")

    def to_markdown(self) -> str:
        """A table for a pull request."""
        return self._render("markdown")

    def to_latex(self) -> str:
        """A booktabs table for a paper."""
        return self._render("latex")

    def to_methods(self) -> str:
        """Return a methods paragraph for a paper: sample, intervals, prior, pairing, computation, version."""
        return self._render("methods")

    def to_csv(self) -> str:
        """One line per row, full precision."""
        return self._render("csv")

    def to_html(self) -> str:
        """The report: one page with answers, charts and tables, that fetches nothing; a table without the extra charts.

        Notebooks show the table alone.
        """
        return self._render("html")

    # -- looks

    def _charts(self) -> Mapping[str, Callable[[], Chart]]:
        """The charts that the result can be looked at as, by name; the first one is what `plot` shows."""
        return kind_of(self._drawn_document).charts(self._drawn_document, self._outlines())

    @property
    def _kind(self) -> str:
        """What kind of document it has, where formats of its own are for it; known before any is made."""
        return ""

    @property
    def _drawn_document(self) -> dict[str, Any]:
        """The document that charts are made from."""
        return self._document

    def _outlines(self) -> Mapping[str, Callable[[], Any]]:
        """What charts show beyond the document, as plain numbers by name: the points of laws and lines."""
        return {}

    def plot(self, kind: str | None = None) -> Chart:
        """A chart of it, to be shown in a notebook or saved: result.plot().save("x.svg").

        `kind` names one of several: charts() lists them. It takes the extra charts: pip install 'howsure[charts]'.
        """
        drawn = self._charts()
        if not drawn:
            raise BadSetting(f"there is nothing to draw of this {type(self).__name__}.")
        if kind is None:
            return next(iter(drawn.values()))()
        if kind not in drawn:
            raise UnknownName(
                f"no chart {kind!r} of this {type(self).__name__}.{nearest(str(kind), list(drawn))}"
                f" Charts: {', '.join(drawn)}."
            )
        return drawn[kind]()

    def charts(self) -> dict[str, Chart]:
        """Every chart of it, by name."""
        return {name: make() for name, make in self._charts().items()}

    def _measures(self) -> Iterable[Any]:
        """The measures that the report tells of, with directions and formulas: those of its rows, or its only one."""
        rows = getattr(self, "rows", None) or (self,)
        found = (getattr(row, "metric", None) for row in rows)
        return [m for m in found if m is not None and not isinstance(m, str)]

    def _under_priors(self) -> list[dict[str, Any]]:
        """The row of the headline under each of the usual priors, with its `prior`, for the report."""
        return []

    def _command(self) -> Sequence[str] | None:
        """The words of a command that gives the same numbers; None where there is no such."""
        return None

    def _report(self, view: Detail, in_file: bool) -> str:
        """The report; without what draws it the table, with a word on what is missing."""
        from howsure.charts.chart import installed

        if not installed():
            told = [*self.page()["notes"], note("report-extra").document]
            return render(self.page() | {"notes": told}, "html", view, in_file)
        from howsure.report.page import Parts, report

        parts = Parts(self.charts(), tuple(self._measures()), self._under_priors(), self._command())
        return report(self.page(), parts, view)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        kind: str | None = None,
        columns: str | Iterable[str] = (),
        verbose: bool = False,
    ) -> None:
        """Write a file, whole or not at all, in the format of its suffix, or that `kind` names (docs: formats).

        Some formats need columns, which a Report has, or are for gates. `columns` and `verbose` are as in to_text.
        """
        self._save(path, kind, view(columns, verbose))

    def _save(self, path: str | os.PathLike[str], kind: str | None, asked: Detail) -> None:
        from howsure import atomic

        columnar = self if isinstance(self, Columnar) else None
        form = by_suffix(path, fitting(self._kind, columnar is not None)) if kind is None else named(kind)
        for_detail(form.name, asked)
        if not form.columns:
            atomic.write_text(path, self._render(form.name, asked, in_file=True))
        elif columnar is None:
            raise BadSetting(f"{form.name} needs columns, and a {type(self).__name__} has none; use {names(TEXTS)}.")
        else:
            table = columnar.to_table()
            with atomic.whole(path) as place:
                form.renderer.write(table, place)

    def _render(self, kind: str, view: Detail = USUAL, in_file: bool = False) -> str:
        if isinstance(kind, str) and kind == "html":
            return self._report(view, in_file)
        return render(self.page_for(view) if named(kind).for_people else self._document, kind, view, in_file)

    def _repr_html_(self) -> str:
        return render(self.page_for(USUAL), "html")

    def __str__(self) -> str:
        return self._render("table")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or type(other) is not type(self):
            return NotImplemented
        return self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """What can be derived again stays behind: it may be large, or hold functions that do not pickle."""
        derived = {k for c in type(self).__mro__ for k, v in vars(c).items() if isinstance(v, cached_property)}
        kept = {k: v for k, v in self.__dict__.items() if k not in derived}
        return kept | ({"_document": self._document} if "_document" in self.__dict__ else {})


@dataclass(frozen=True, eq=False)
class Document(Result):
    """A document that was put together already, with all that a result can do."""

    document: dict[str, Any]

    @property
    def _kind(self) -> str:
        return kind_name(self.document)

    def _make(self) -> dict[str, Any]:
        return self.document


LIBRARIES: Final = ("pandas", "polars")


def frame(rows: list[dict[str, Any]], library: str | None = None) -> Any:
    """Rows as a data frame of that library; of pandas, else of polars, where it is not installed or none is named."""
    for name in sorted(LIBRARIES, key=lambda x: x != library):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module.DataFrame(rows) if name == "pandas" else _polars(module, rows)
    raise BadSetting("to_frame needs pandas or polars: pip install pandas")


def _polars(polars: Any, rows: list[dict[str, Any]]) -> Any:
    """Column by column: the type is that of all values, where polars would look at the first rows only."""
    names = dict.fromkeys(key for row in rows for key in row)
    return polars.DataFrame({k: polars.Series(k, [row.get(k) for row in rows], strict=False) for k in names})


def real(x: Any) -> float | None:
    """A finite number, or null."""
    value = float(x)
    return value if np.isfinite(value) else None


# -- rows for programs
#
# The columns that people read, and flat names with numbers for experiment trackers.

Row = dict[str, Any]
_TECHNICAL: Final = frozenset({
    "asked", "overall", "class", "marked", "better", "paired", "std", "median", "mode", "low_gap", "high_gap",
    "p_worse", "chance", "p_above_chance", "route", "range", "infinite", "verdict", "same", "reason", "kind", "sign",
    "limit", "margin", "more_unit", "unit", "ranks", "trec_eval", "equal_within",
})  # fmt: skip
_PARTS: Final = {  # of the parts of a row, what people read; the other parts in full
    "first": ("system", "score", "wins"),
    "second": ("system", "score", "wins"),
    "difference": ("score", "low", "high"),
    **dict.fromkeys(("error", "p_top", "shares", "log_odds"), ()),
}
_ALWAYS: Final = frozenset({"score", "low", "high"})
_ENDINGS: Final = {"score": "", "value": "", "low": "_low", "high": "_high"} | {
    k: f"_{k}" for k in ("p_better", "p_best", "expected_rank", "probability")
}
_NAMES: Final = ("asked", "metric", "measure", "what")
_SETTINGS: Final = frozenset({"schema", "version", "level", "seed"})


def readable(rows: Iterable[Row]) -> list[Row]:
    """The rows without nesting, and without technical columns or columns that are empty throughout."""
    from howsure.render.csv import flat

    found = [flat({k: _part(k, v) for k, v in row.items() if k not in _TECHNICAL}) for row in rows]
    used = {k for row in found for k, v in row.items() if v is not None or k in _ALWAYS}
    return [{k: v for k, v in row.items() if k in used} for row in found]


def _part(key: str, value: Any) -> Any:
    if isinstance(value, dict) and key in _PARTS:
        return {k: value[k] for k in _PARTS[key] if k in value}
    return value


def metrics(document: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a result under flat names: f1, f1_low, f1_high; system/f1/spam/region=north_low.

    Names that repeat are numbered. Rows without a name (points of a curve, one of many tables) are left out.
    """
    rows = list(document["rows"])
    out = {k: v for k, v in document.items() if k not in _SETTINGS and _is_number(v)}
    found: dict[str, list[dict[str, float]]] = {}
    for name, own in (x for row in [*rows, *(document.get("ranges") or [])] for x in _named(row)):
        values = {end: own[k] for k, end in _ENDINGS.items() if _is_number(own.get(k))}
        if values not in found.setdefault(name, []):  # a system of two pairs has one score
            found[name].append(values)
    if len(rows) == 1 and not any(_named(rows[0])):
        out |= {k: v for k, v in rows[0].items() if _is_number(v)}
    for name, listed in found.items():
        for i, values in enumerate(listed, 1):
            out |= {(name if len(listed) == 1 else f"{name}/{i}") + end: v for end, v in values.items()}
    return out


def _named(row: Row) -> Iterator[tuple[str, Row]]:
    """The names of a row with the values that go under them: of two systems, each of them and the difference."""
    called = next((str(row[k]) for k in _NAMES if row.get(k) is not None), None)
    if called is None:
        return
    metric = called.replace(":", "/").replace("@", "/")
    where = [f"{k}={v}" for k, v in (row.get("slice") or {}).items()]
    sides = [row.get(k) for k in ("first", "second")]
    systems = [x.get("system") if isinstance(x, dict) else x for x in sides]
    for side, system in zip(sides, systems, strict=True):
        if isinstance(side, dict):
            yield "/".join([str(system), metric, *where]), side | {"value": side.get("wins")}
    own = row if row.get("difference") is None else row["difference"] | {"p_better": row.get("p_better")}
    if row.get("next") is not None:  # of future items the mean is expected, whatever the score so far
        own, where = row | {"score": row["mean"]}, [*where, f"next={row['next']}"]
    pair = [] if None in systems else [f"{systems[0]}-{systems[1]}"]
    system = [] if row.get("system") is None else [str(row["system"])]
    yield "/".join([*system, metric, *pair, *where]), own


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)
