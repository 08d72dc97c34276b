"""TREC files line by line, as trec_eval reads them: any white space, comments, and text after a run's tag.

Also any packing, and the number of the line that is wrong.
"""

from __future__ import annotations

import io
import math
import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import Integers
from howsure.errors import BadFile, BadLabels, plural
from howsure.io.streams import kept_file, packing_of, unpacked

Rows = tuple[list[str], list[str], list[Any]]
_FORMS: Final = {"qrels": "query 0 document grade", "run": "query Q0 document rank score tag"}
_CALLED: Final = {"qrels": "judgments (qrels)", "run": "a run"}
_MARK: Final = "\ufeff".encode()
_BLANKS: Final = " \t\n\v\f\r"  # white space of C; str.split() would cut ids at other blanks too
_FIELD: Final = re.compile(f"[^{_BLANKS}]+")
HIGHEST: Final = 2**31 - 1  # of grades
_LONGEST: Final = 2_000_000  # bytes of a line
_CHUNK: Final = 1 << 24
_MOST_TIMES: Final = 50  # as large unpacked as packed
_PLENTY: Final = 1 << 26  # bytes that any file may hold


class Irregular(Exception):
    """DuckDB cannot read the file as it stands."""


def packing(path: Path) -> str:
    """How a file is packed, by its first bytes: gzip, bzip2, xz or none."""
    try:
        folder = path.is_dir()
        first = b""
        if not folder:
            with path.open("rb") as file:
                first = file.read(8)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(f"cannot read {_cut(str(path))}: {reason}.") from None
    if folder:
        raise BadFile(f"{str(path)!r} is a directory; give a file.")
    found = packing_of(first)
    if found == "zstd":
        raise BadFile(f"{str(path)!r} is compressed with zstd, which cannot be read here; decompress it, or use gzip.")
    return found


@contextmanager
def plain(path: Path) -> Iterator[Path]:
    """The file unpacked, on disk meanwhile; Irregular where it holds far more than a file of its size would.

    Runs and judgments pack about 5 times, a file of repeated lines 1,000 times.
    """
    packed = packing(path)
    if packed == "none":
        yield path
        return
    most = max(_PLENTY, _MOST_TIMES * path.stat().st_size)
    with kept_file(_within(most, unpacked(path, packed, str(path))), str(path)) as target:
        yield target


def _within(most: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        most -= len(piece)
        if most < 0:
            raise Irregular
        yield piece


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, a piece of the file at a time; ids that are no UTF-8 keep their bytes."""
    n, rest = 0, b""
    for piece in chain(unpacked(path, packing(path), str(path)), (b"",)):
        data = rest + piece
        end = len(data) - data.endswith(b"\r") if piece else len(data)  # \r may be the half of a line end
        cut = max(data.rfind(b"\n", 0, end), data.rfind(b"\r", 0, end)) + 1 if piece else len(data)
        whole, rest = data[:cut], data[cut:]
        if len(rest) > _LONGEST:
            raise BadFile(f"line {n + _many(whole) + 1:,} of {str(path)!r} is longer than 2 MB; is it the right file?")
        if not whole.strip():  # there may be gigabytes of it
            n += _many(whole)
            continue
        text = whole.removeprefix(_MARK) if n == 0 else whole
        for line in io.StringIO(text.decode(errors="surrogateescape"), newline=None):
            n += 1
            yield n, line


def _many(data: bytes) -> int:
    """How many lines end here."""
    return data.count(b"\n") + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


class Lines:
    """The lines of a plain file that are not empty, by their number; for names that are wanted of some of them."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        view = np.frombuffer(self.raw, dtype=np.uint8)
        start = len(_MARK) if self.raw[:3] == _MARK else 0
        found = []
        for a in range(0, len(view), _CHUNK):
            ends = np.flatnonzero(view[a : a + _CHUNK] == ord("\n")) + a
            if a + _CHUNK >= len(view) and view[-1] != ord("\n"):
                ends = np.append(ends, len(view))
            if len(ends):
                found.append(_full(view, np.append(start, ends[:-1] + 1), ends))
                start = ends[-1] + 1
        self.starts, self.ends = np.concatenate(found, axis=1)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def mixed(self) -> bool:
        """Whether there is white space of several kinds, of which one would be taken for a part of a name."""
        blank, tab, *others = (self.raw.find(x) >= 0 for x in (b" ", b"\t", b"\v", b"\f"))
        return bool((blank and tab) or any(others))

    def names(self, numbers: Integers) -> list[list[bytes]]:
        """Query, next field and document of these lines, and the rest of each."""
        raw = self.raw
        ends = self.ends[numbers].tolist()
        return [raw[a:b].split(None, 3) for a, b in zip(self.starts[numbers].tolist(), ends, strict=True)]


def _full(view: NDArray[np.uint8], starts: Integers, ends: Integers) -> Integers:
    """Starts and ends of lines that are not empty."""
    some = (ends - starts > 1) | ((ends > starts) & (view[np.minimum(starts, len(view) - 1)] != ord("\r")))
    return np.stack([starts[some], ends[some]])


def read_lines(path: Path, kind: str) -> dict[str, dict[str, Any]]:
    """A qrels or run file as dicts of dicts, or one sentence on the first line that is wrong."""
    return lines_and_comments(path, kind)[0]


def lines_and_comments(path: Path, kind: str) -> tuple[dict[str, dict[str, Any]], int]:
    """A qrels or run file as dicts of dicts, and how many of its lines are comments."""
    number, at = (_grade, 3) if kind == "qrels" else (_score, 4)
    out: dict[str, dict[str, Any]] = {}
    comments = 0
    for n, line in numbered(path):
        parts = _FIELD.findall(line)
        if not parts:
            continue
        if _is_comment(line, kind):
            comments += 1
            continue
        if not _whole(len(parts), kind):
            raise BadFile(_other_fields(path, kind, n, line, len(parts), first=not out))
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
        what = "holds comments only" if comments else "is empty"
        raise BadFile(f"{str(path)!r} {what}; a line of {_CALLED[kind]} is: {_FORMS[kind]}.")
    return out, comments


def _is_comment(line: str, kind: str) -> bool:
    """Lines that start with #: in a run after any blanks, in judgments at once (trec_eval 10)."""
    return (line if kind == "qrels" else line.lstrip(_BLANKS)).startswith("#")


def _whole(fields: int, kind: str) -> bool:
    """Whether a line has its fields: a run's may have more after the tag, which are passed over."""
    needed = len(_FORMS[kind].split())
    return fields == needed if kind == "qrels" else fields >= needed


def _other_fields(path: Path, kind: str, n: int, line: str, many: int, first: bool) -> str:
    """A sentence on a line with the wrong number of fields; files of the other kind and of no text are told."""
    if "\0" in line or any("\udc80" <= x <= "\udcff" for x in line):
        return f"line {n:,} of {str(path)!r} is not text; a line of {_CALLED[kind]} is: {_FORMS[kind]}."
    other = next((k for k in _FORMS if k != kind and _whole(many, k)), None)
    if other is not None and first:
        return (
            f"{str(path)!r} has the {many} fields of {_CALLED[other]} on line {n:,}, not those of {_CALLED[kind]}, "
            f"{_FORMS[kind]}; judgments come first, then runs."
        )
    fields = plural(many, "field")
    return f"line {n:,} of {str(path)!r} has {fields}: {_cut(line)}; a line of {_CALLED[kind]} is: {_FORMS[kind]}."


def _cut(line: str) -> str:
    shown = line.strip()
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")


def _grade(text: str, n: int, path: Path) -> int:
    value = _number(text)
    if value is None or not math.isfinite(value) or value != math.floor(value):
        raise BadFile(f"line {n:,} of {str(path)!r}: a grade is a whole number; got {text!r}.")
    if abs(value) > HIGHEST:
        raise BadFile(f"line {n:,} of {str(path)!r}: a grade is at most {HIGHEST:,}; got {text!r}.")
    return int(value)


def _score(text: str, n: int, path: Path) -> float:
    value = _number(text)
    if value is None or not math.isfinite(value):
        what = "a number" if value is None else "a finite number"
        raise BadFile(f"line {n:,} of {str(path)!r}: a score is {what}; got {text!r}.")
    return value


def _number(text: str) -> float | None:
    """A number, which may be infinite or NaN; None for what is none."""
    if "_" in text or not text.isascii():  # what Python takes for digits and C does not
        return None
    try:
        return float(text)
    except ValueError:
        return None


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
            raise BadLabels(f"document {twice!r} of query {query!r} appears twice in {name}; keep one of them.")
        out[query], start = found, end
    return out
