"""One command line in this process: what it gave, and everything about it that must not be."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sys
import time
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.cli.app import run

LONGEST = 30  # seconds that a line may take
FOREIGN = re.compile(
    r"Traceback|\b\w*(?:Error|Exception|Warning):|\b(?:Binder|Conversion|Parser|Catalog|Invalid Input|Out of Range|IO|"
    r"Internal|Not implemented|Constraint|Serialization|Invalid|Mismatch|Type) (?:Error|Exception)|"
    r"duckdb[.:]|DuckDB|CSV Error|state machine|GZIP|universal-newline|"
    r"\bhs\.|y_true|y_pred|y_score|numpy|np\.|pyarrow|<class |object at 0x|NoneType|LINE 1:|"
    r"\bSELECT\b|read_csv|read_json|read_parquet|"
    r"\bVARCHAR\b|\bTRY_CAST\b|try_cast|\bSTRUCT\(",
)
PROBABLE = re.compile(r"p_\w+|p|probability")
AT_ONCE = 1e-9


@dataclass(frozen=True)
class Ran:
    """What a command line gave."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    warned: tuple[str, ...]
    seconds: float

    @property
    def document(self) -> Any:
        """The JSON document; NaN and Infinity are refused."""
        return json.loads(self.out, parse_constant=_refused)

    @property
    def rows(self) -> dict[str, Any]:
        """What the document says of the rows that were read."""
        return dict(self.document["data"]["rows"])


class TooLong(BaseException):
    """No error of the command's own, so that it cannot be caught there."""


def ran(words: Sequence[str], given: bytes = b"") -> Ran:
    """Runs a command line, with bytes on standard input."""
    out, err = io.StringIO(), io.StringIO()
    start = time.perf_counter()
    with (
        warnings.catch_warnings(record=True) as warned,
        _standard_input(given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("always")
        with _limited():
            try:
                code = run(list(words))
            except TooLong:
                code = -1
    said = tuple(f"{w.category.__name__}: {w.message} ({Path(w.filename).name}:{w.lineno})" for w in warned)
    return Ran(tuple(words), code, out.getvalue(), err.getvalue(), said, time.perf_counter() - start)


@contextlib.contextmanager
def _standard_input(given: bytes) -> Iterator[None]:
    """Standard input, as a stream and as the file that the process has open as 0."""
    with open(os.devnull, "rb") as nothing, contextlib.ExitStack() as stack:  # noqa: PTH123 - a device
        source: Any = nothing
        if given:
            read, write = os.pipe()
            assert len(given) <= 60_000, "a pipe holds no more"
            os.write(write, given)
            os.close(write)
            source = stack.enter_context(os.fdopen(read, "rb"))
        kept, before = os.dup(0), sys.stdin
        os.dup2(source.fileno(), 0)
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
        try:
            yield
        finally:
            os.dup2(kept, 0)
            os.close(kept)
            sys.stdin = before


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


# -- what must not be


def wrong_with(r: Ran) -> list[str]:
    """Everything that no line may give; empty where all is well."""
    found = [f"warned: {w}" for w in r.warned]
    if r.code == -1:
        return [*found, f"took over {LONGEST} seconds"]
    answers = (0, 1, 3) if r.words[0] == "gate" else (0,)
    if r.code not in (2, *answers):
        found.append(f"exit {r.code}: {r.err.strip()}")
    elif r.code in answers and r.err:
        found.append(f"exit {r.code}, but said {r.err!r}")
    elif r.code == 2:
        found += _wrong_with_refusal(r)
    if r.code in answers:
        found += _wrong_with_output(r)
    return found


def _wrong_with_refusal(r: Ran) -> list[str]:
    """One sentence that names what was given, in our own words, and nothing else."""
    text, found = r.err, []
    if not re.fullmatch(r"howsure: [^\n]{3,1200}([.?]|:\n(  [^\n]+\n|Type(, for example)?:\n)*  [^\n]+)\n", text):
        found.append(f"no sentence: {text!r}")
    if r.out and r.words[0] != "solve":  # which also shows its document
        found.append(f"a refusal with output: {r.out[:100]!r}")
    said = _without(text, r.words)
    if FOREIGN.search(said):
        found.append(f"foreign speech {FOREIGN.search(said)!r}: {text!r}")
    if (mark := control_in(text)) is not None:
        found.append(f"control character {mark!r} in {text!r}")
    return found


def _without(text: str, words: Sequence[str]) -> str:
    """The text without what the user wrote."""
    for word in sorted(words, key=len, reverse=True):
        if len(word) > 2:
            text = text.replace(word, "").replace(repr(word)[1:-1], "")
    return text


def control_in(text: str) -> str | None:
    """The first character that a terminal would obey, or that cannot be written."""
    odd = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return next((c for c in text if c not in "\n\u200d\ufe0f" and unicodedata.category(c) in odd), None)


def _wrong_with_output(r: Ran) -> list[str]:
    kind = _format(r.words)
    if "--out" in r.words:
        return [f"output beside --out: {r.out[:100]!r}"] if r.out else []
    if kind == "json":
        try:
            document = r.document
        except ValueError as error:
            return [f"no JSON: {error}"]
        return [*_wrong_numbers(document), *_wrong_rows(document)]
    if kind != "csv" and (mark := control_in(r.out)) is not None:
        return [f"control character {mark!r} in the output"]
    if not r.out:
        return ["no output"]
    return []


def _format(words: Sequence[str]) -> str:
    return words[words.index("--format") + 1] if "--format" in words[:-1] else "table"


def _wrong_rows(part: Any) -> list[str]:
    """Wherever rows, lines or queries are accounted for, what was read is what was kept and what was left out."""
    if isinstance(part, list):
        return [x for one in part for x in _wrong_rows(one)]
    if not isinstance(part, dict):
        return []
    found = [x for one in part.values() for x in _wrong_rows(one)]
    if {"read", "kept", "left_out"} <= set(part):
        numbers = [part["kept"], *part["left_out"].values()]
        if part["read"] != sum(numbers) or min(numbers) < 0:
            found.append(f"rows do not add up: {part}")
    return found


def _wrong_numbers(part: Any, way: str = "") -> list[str]:
    """Ends the wrong way round, probabilities that are none, values out of the range of their measure."""
    if isinstance(part, list):
        return [x for i, one in enumerate(part) for x in _wrong_numbers(one, f"{way}[{i}]")]
    if not isinstance(part, dict):
        return []
    found = []
    for name, x in part.items():
        if name == "error":  # of each end, and not the ends
            continue
        found += _wrong_numbers(x, f"{way}.{name}")
        if PROBABLE.fullmatch(name) and _is_number(x) and not -AT_ONCE <= x <= 1 + AT_ONCE:
            found.append(f"{way}.{name} = {x} is no probability")
    low, high = part.get("low"), part.get("high")
    if _is_number(low) and _is_number(high) and low > high:
        found.append(f"{way}: low {low} > high {high}")
    if _is_number(part.get("std")) and part["std"] < 0:
        found.append(f"{way}: std {part['std']} < 0")
    better, worse = part.get("p_better"), part.get("p_worse")
    if _is_number(better) and _is_number(worse) and abs(better + worse - 1) > AT_ONCE:
        found.append(f"{way}: p_better {better} and p_worse {worse} do not add up to 1")
    return found + _out_of_range(part, way)


def _out_of_range(part: dict[str, Any], way: str) -> list[str]:
    ends = part.get("range")
    if not isinstance(ends, list) or len(ends) != 2:
        return []
    least, most = (-float("inf") if ends[0] is None else ends[0]), (float("inf") if ends[1] is None else ends[1])
    room = AT_ONCE * max(1.0, *(abs(x) for x in (least, most) if abs(x) < float("inf")), 0.0)
    names = ("score", "mean", "median", "mode", "low", "high")
    bad = [n for n in names if _is_number(part.get(n)) and not least - room <= part[n] <= most + room]
    return [f"{way}.{n} = {part[n]} is not in {ends}" for n in bad]


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)
