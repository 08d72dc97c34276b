"""Formats: one registry of what a result can be written as. Renderers see documents (plain dicts) only.

A new format is one entry of REGISTRY: the choices of `--format`, the suffixes of `--out` and `Result.save` follow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import option
from howsure.render.view import USUAL, Detail

if TYPE_CHECKING:
    from howsure.render.data import Columns


@dataclass(frozen=True)
class Format:
    """What a result can be written as: a text made from its document, or a file of its columns."""

    name: str
    suffixes: tuple[str, ...]
    for_people: bool  # who can do with a page where the document is long; programs get all of it
    text: Callable[..., str] | None = None  # of the document, and for people of a view
    page: Callable[..., str] | None = None  # what a file holds, where that is more than the text
    file: Callable[[Columns, Path], None] | None = None
    of: tuple[str, ...] = ()  # the kinds of documents that it is for, where it is not for all

    def fits(self, kind: str) -> bool:
        """Whether a document of that kind, such as score, can be written so."""
        return not self.of or kind in self.of


def _renderer(name: str) -> Callable[..., Any]:
    """The function of that name, "module:function"; its module is imported when the function is called."""
    module, _, function = name.partition(":")

    def rendered(*given: Any) -> Any:
        return getattr(import_module(f"howsure.render.{module}"), function)(*given)

    return rendered


REGISTRY: Final = (
    Format("table", (".txt",), for_people=True, text=_renderer("text:table")),
    Format("json", (".json",), for_people=False, text=_renderer("data:json_text")),
    Format("markdown", (".md", ".markdown"), for_people=True, text=_renderer("markdown:table")),
    Format("latex", (".tex",), for_people=True, text=_renderer("latex:table")),
    Format("csv", (".csv",), for_people=False, text=_renderer("data:csv_text")),
    Format("html", (".html", ".htm"), for_people=True, text=_renderer("html:table"), page=_renderer("html:page")),
    Format("parquet", (".parquet", ".pq"), for_people=False, file=_renderer("data:parquet_file")),
    Format("junit", (".xml",), for_people=False, text=_renderer("junit:suite"), of=("gate",)),
)
TEXTS: Final = tuple(f for f in REGISTRY if f.text is not None and not f.of)  # of every document
FORMATS: Final = tuple(f.name for f in TEXTS)


def fitting(kind: str, columnar: bool = False) -> tuple[Format, ...]:
    """What a document of that kind can be written as; files of columns only where it has columns.

    >>> [f.name for f in fitting("gate") if f not in TEXTS]
    ['junit']
    """
    return tuple(f for f in REGISTRY if f.fits(kind) and (columnar or f.file is None))


def kind_of(document: dict[str, Any]) -> str:
    """What a document is, by its schema: score, gate, ..."""
    return str(document.get("schema") or "").removeprefix("howsure.").partition("/")[0]


def render(document: dict[str, Any], kind: str, view: Detail = USUAL, in_file: bool = False) -> str:
    """A document in one of the formats that are text, ending in a newline; a file of HTML is a page of its own."""
    form = for_view(kind, view)
    if form.text is None:
        raise BadSetting(f"{kind} is not a text format; the text formats are {', '.join(FORMATS)}.")
    if not form.fits(kind_of(document)):
        whose = " and ".join(f"howsure {x}" for x in form.of)
        raise BadSetting(f"{kind} is a format of {whose}; this result can be written as {', '.join(FORMATS)}.")
    make = form.page if in_file and form.page is not None else form.text
    return make(document) if view.usual else make(document, view)


def for_view(kind: str, view: Detail) -> Format:
    """The format of that name; programs get every column and note, and have no view."""
    form = named(kind)
    if not view.usual and not form.for_people:
        given = option("columns" if view.columns else "verbose")
        people = ", ".join(f.name for f in REGISTRY if f.for_people)
        raise BadSetting(f"{given} is for people, who read {people}; {kind} is for programs: leave it out.")
    return form


def named(kind: str) -> Format:
    """The format of that name."""
    found = next((f for f in REGISTRY if isinstance(kind, str) and f.name == kind), None)
    if found is None:
        names = [f.name for f in REGISTRY]
        raise UnknownName(f"no format {kind!r}.{nearest(str(kind), names)} Formats: {', '.join(names)}.")
    return found


def by_suffix(
    path: str | os.PathLike[str], among: Sequence[Format] = REGISTRY, otherwise: str = "give kind="
) -> Format:
    """The format that the suffix of a file stands for; `otherwise` is what to do where it cannot tell.

    >>> by_suffix("table.TEX").name
    'latex'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise BadSetting(f"a file is named by text or a path; got {path!r}.")
    suffix = Path(path).suffix.lower()
    found = next((f for f in REGISTRY if suffix in f.suffixes), None)
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
    """What files may end in: the first suffix of each format, and which format that is where it does not tell."""
    shown = [f.suffixes[0] + ("" if f.suffixes[0] == f".{f.name}" else f" ({f.name})") for f in among]
    return f"{', '.join(shown[:-1])} or {shown[-1]}"
