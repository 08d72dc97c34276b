"""TREC files line by line: any white space, any packing, and the number of the line that is wrong."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np

from howsure.errors import BadFile, BadLabels

Rows = tuple[list[str], list[str], list[Any]]
_OPENERS: Final[dict[str, Callable[..., Any]]] = {
    ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".lzma": lzma.open,
}  # fmt: skip
_FORMS: Final = {"qrels": "query 0 document grade", "run": "query Q0 document rank score tag"}


def readable(path: Path) -> None:
    """Refuse a path that cannot be opened."""
    if path.is_dir():
        raise BadFile(f"{str(path)!r} is a directory; give a file.")
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror or error}.") from None


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The text of a file, unpacked by its suffix."""
    try:
        with _OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8-sig", errors="surrogateescape") as file:
            yield file
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"cannot read {str(path)!r}: {reason}.") from None


def read_lines(path: Path, kind: str) -> dict[str, dict[str, Any]]:
    """A qrels or run file as dicts of dicts, or one sentence on the first line that is wrong."""
    form = _FORMS[kind]
    fields, number = len(form.split()), _grade if kind == "qrels" else _score
    at = 3 if kind == "qrels" else 4
    out: dict[str, dict[str, Any]] = {}
    with opened(path) as file:
        for n, line in enumerate(file, 1):
            parts = line.split()
            if not parts:
                continue
            if len(parts) != fields:
                raise BadFile(f"line {n:,} of {str(path)!r} has {len(parts)} fields: {_cut(line)}; a line is: {form}.")
            query, document, value = parts[0], parts[2], number(parts[at], n, path)
            of_query = out.setdefault(query, {})
            if document in of_query:
                twice = "is judged twice" if kind == "qrels" else "is there twice"
                raise BadFile(
                    f"document {document!r} of query {query!r} {twice} in {str(path)!r}, again on line {n:,}; keep one "
                    "of them."
                )
            of_query[document] = value
    if not out:
        raise BadFile(f"{str(path)!r} is empty; a line of {'qrels' if kind == 'qrels' else 'a run'} is: {form}.")
    return out


def _cut(line: str) -> str:
    shown = line.strip()
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")


def _grade(text: str, n: int, path: Path) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadFile(f"line {n:,} of {str(path)!r}: a grade is a whole number; got {text!r}.") from None


def _score(text: str, n: int, path: Path) -> float:
    try:
        value = float(text)
    except ValueError:
        raise BadFile(f"line {n:,} of {str(path)!r}: a score is a number; got {text!r}.") from None
    if not math.isfinite(value):
        raise BadFile(f"line {n:,} of {str(path)!r}: a score is a finite number; got {text!r}.")
    return value


def grouped(queries: list[str], documents: list[str], values: list[Any], name: str) -> dict[str, dict[str, Any]]:
    """Columns as dicts of dicts; a document occurs once for a query."""
    place = {q: k for k, q in enumerate(dict.fromkeys(queries))}
    code = np.fromiter(map(place.__getitem__, queries), dtype=np.int64, count=len(queries))
    if not (code[1:] >= code[:-1]).all():
        order = np.argsort(code, kind="stable")
        code, at = code[order], order.tolist()
        documents, values = [documents[i] for i in at], [values[i] for i in at]
    ends = np.searchsorted(code, np.arange(1, len(place) + 1)).tolist()
    out, start = {}, 0
    for query, end in zip(place, ends, strict=True):
        found = dict(zip(documents[start:end], values[start:end], strict=True))
        if len(found) < end - start:
            seen: set[str] = set()
            twice = next(d for d in documents[start:end] if d in seen or seen.add(d))  # type: ignore[func-returns-value]
            raise BadLabels(f"document {twice!r} of query {query!r} is there twice in {name}; keep one of them.")
        out[query], start = found, end
    return out
