"""Formats: the one registry of what a result can be written as, and how much of it people are shown.

A new format is a module of `howsure.render` and one entry of FORMATS: `--format`, the suffix of `--out`, `Result.save`,
the web API and docs/reference/formats.md follow. Renderers see result dicts only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import Typed, option
from howsure.render.kinds import ResultDict, kind_name
from howsure.validate import flag

# -- detail
#
# How much people are shown of a result dict. Programs get all of it: JSON, CSV and Parquet know no detail.

VERBOSE: Final = ("mean", "route")  # columns that come with every note


@dataclass(frozen=True)
class Detail:
    """The columns that people ask for beside the usual ones, and whether they see every note and setting.

    `typed` is the command that asks, which a report repeats; None in Python.
    """

    columns: tuple[str, ...] = ()
    verbose: bool = False
    typed: Typed | None = field(default=None, compare=False)

    def wants(self, key: str) -> bool:
        """Whether a column that is not shown by default is asked for."""
        return key in self.columns or (self.verbose and key in VERBOSE)


USUAL: Final = Detail()


def view(columns: str | Iterable[str] = (), verbose: bool = False) -> Detail:
    """Return the detail that names of columns ask for: texts, or one text with commas.

    >>> view("mean, route").columns
    ('mean', 'route')
    """
    given = (
        columns.split(",") if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else [None]
    )
    if isinstance(columns, Mapping) or not all(isinstance(name, str) for name in given):
        raise BadSetting(f"{option('columns')} takes names of columns, such as mean and route; got {columns!r}.")
    names = dict.fromkeys(name.strip().lower() for name in given if name is not None and name.strip())
    return Detail(tuple(names), flag(verbose, "verbose"))


# -- formats


@dataclass(frozen=True)
class Format:
    """What a result can be written as, and the module of `howsure.render` that does it.

    The module has a function `render` of the result dict (and of the Detail, if the format is for people), or, where a
    format is of `columns`, a function `write` of these and the file. It may have `page`, for a file that is more than
    the text, and `escaped`, for a character that an output lacks.
    """

    name: str
    suffixes: tuple[str, ...]
    media_type: str
    about: str  # its line in docs/reference/formats.md
    for_people: bool = False  # programs get all of a long result
    columns: bool = False  # a file of columns, which not every result has
    of: tuple[str, ...] = ()  # the kinds of results that it is for, where it is not for all
    module: str = ""  # by default of the same name

    @property
    def renderer(self) -> Any:
        """The module, imported when it is needed."""
        return import_module(f"howsure.render.{self.module or self.name}")

    def fits(self, kind: str) -> bool:
        """Whether a result of that kind, such as score, can be written so."""
        return not self.of or kind in self.of


FORMATS: Final = (
    Format("table", (".txt",), "text/plain", "the aligned table that `print` shows", for_people=True, module="text"),
    Format("json", (".json",), "application/json", "the result dict itself; never NaN or Infinity"),
    Format("markdown", (".md", ".markdown"), "text/markdown", "a table for a pull request", for_people=True),
    Format("latex", (".tex",), "application/x-tex", "a booktabs table for a paper", for_people=True),
    Format("csv", (".csv",), "text/csv", "one line per row, full precision, nested parts joined by a dot"),
    Format("html", (".html", ".htm"), "text/html", "the [report](../how-to/report.md), one page with charts; without "
           "the extra `charts` a table with bars", for_people=True),
    Format("methods", (".methods",), "text/plain", "the [methods paragraph]"
           "(../how-to/report-results.md#the-methods-paragraph) of a paper: sample, intervals, prior, pairing, "
           "computation, version"),
    Format("parquet", (".parquet", ".pq"), "application/vnd.apache.parquet", "the columns of a report, fit for "
           "millions of slices", columns=True),
    Format("junit", (".xml",), "application/xml", "a [gate](../how-to/gate.md#in-continuous-integration) as a "
           "test suite, with a test case for each requirement", of=("gate",)),
)  # fmt: skip
TEXTS: Final = tuple(f for f in FORMATS if not f.columns and not f.of)  # of every result
PICTURES: Final = {  # what a chart is written as, by its suffix: the method of Chart is to_svg, to_png, ...
    "svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "html": "text/html",
    "json": "application/json",
}  # fmt: skip


def fitting(kind: str, columns: bool = False) -> tuple[Format, ...]:
    """Return what a result of that kind can be written as; files of columns only where it has columns.

    >>> [f.name for f in fitting("gate") if f not in TEXTS]
    ['junit']
    """
    return tuple(f for f in FORMATS if f.fits(kind) and (columns or not f.columns))


def render(result: ResultDict, name: str, detail: Detail = USUAL, in_file: bool = False) -> str:
    """Return a result dict in one of the formats that are text, ending in a newline."""
    form = for_detail(name, detail)
    if form.columns:
        raise BadSetting(f"{name} is not a text format; the text formats are {names(TEXTS)}.")
    if not form.fits(kind_name(result)):
        whose = " and ".join(f"howsure {x}" for x in form.of)
        raise BadSetting(f"{name} is a format of {whose}; this result can be written as {names(TEXTS)}.")
    module = form.renderer
    made: str = getattr(module, "page" if in_file and hasattr(module, "page") else "render")(
        result, *([detail] if form.for_people else [])
    )
    return made


def for_detail(name: str, detail: Detail) -> Format:
    """Return the format of that name; programs get every column and note, and take no detail."""
    form = named(name)
    if detail != USUAL and not form.for_people:
        given = option("columns" if detail.columns else "verbose")
        people = names([f for f in FORMATS if f.for_people])
        raise BadSetting(f"{given} is for people, who read {people}; {name} is for programs: leave it out.")
    return form


def names(among: Iterable[Format]) -> str:
    """Return the names of formats, as a sentence lists them."""
    return ", ".join(f.name for f in among)


def named(name: str) -> Format:
    """Return the format of that name."""
    found = next((f for f in FORMATS if isinstance(name, str) and f.name == name), None)
    if found is None:
        near = nearest(str(name), [f.name for f in FORMATS])
        raise UnknownName(f"no format {name!r}.{near} Formats: {names(FORMATS)}.")
    return found


def by_suffix(path: str | os.PathLike[str], among: Sequence[Format] = FORMATS, otherwise: str = "give kind=") -> Format:
    """Return the format that the suffix of a file stands for; `otherwise` is what to do where it cannot tell.

    >>> by_suffix("table.TEX").name
    'latex'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise BadSetting(f"a file is named by text or a path; got {path!r}.")
    suffix = Path(path).suffix.lower()
    found = next((f for f in FORMATS if suffix in f.suffixes), None)
    if found is not None and found in among:
        return found
    name = repr(os.fspath(path))
    if found is not None:
        wrong = f"this output cannot be written as {found.name}; got {name}"
    else:
        wrong = (
            f"no format has the suffix {suffix!r} of {name}" if suffix else f"{name} has no suffix to tell its format"
        )
    raise UnknownName(f"{wrong}. Use {_suffixes(among)}, or {otherwise}.")


def _suffixes(among: Sequence[Format]) -> str:
    """Return the first suffix of each format, and its name where the suffix does not tell."""
    shown = [f.suffixes[0] + ("" if f.suffixes[0] == f".{f.name}" else f" ({f.name})") for f in among]
    return f"{', '.join(shown[:-1])} or {shown[-1]}"
