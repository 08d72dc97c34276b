"""What a call answers, in three parts: numbers, structure and words.

An answer is a document: that of a result, of a file it wrote, or of a text. Numbers go by the object that holds them,
structure is one line an object, words are lines. A sampled number stands with how far it may be off: [value, error].
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import howsure as hs
from howsure.cli.app import app, run
from tests.answers.calls import INTERRUPTED, PIPED
from tests.answers.make_inputs import names

KINDS = ("numbers", "structure", "words")
SPOKEN = frozenset({
    "text", "verdict", "headline", "message", "why", "meaning", "source", "printed", "howsure", "comment", "undefined",
    "latex", "formula", "repr", "error", "title", "reason", "told", "print", "said",
})  # fmt: skip
SETTINGS = frozenset({"n", "level", "seed", "above", "range", "group", "equal_within", "count"})
DRAWN = 1e-9  # an error above this is not of rounding
LEFT_OUT = frozenset({"version"})


@dataclass
class Answer:
    """The three parts of an answer; each by place, such as rows[0]."""

    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    structure: dict[str, str] = field(default_factory=dict)
    words: dict[str, Any] = field(default_factory=dict)
    sampled: bool = False

    def part(self, kind: str) -> dict[str, Any]:
        """One of the three."""
        found: dict[str, Any] = getattr(self, kind)
        return found


@cache
def answer(call: str) -> Answer:
    """What a call answers; the folder of the inputs is the present one."""
    return _apart(_made(call))


def _made(call: str) -> dict[str, Any]:
    line = call.removeprefix("$ ")
    if call in INTERRUPTED:
        return _typed(line.partition(" > ")[0], _Broken(INTERRUPTED[call]))
    if call in PIPED:
        return _piped(*line.rsplit(" < ", 1))
    return _commanded(line) if line != call else _called(call)


# -- calls in Python


def _called(expression: str) -> dict[str, Any]:
    try:
        value = eval(expression, dict(names()))
    except hs.HowsureError as error:
        return {"class": type(error).__name__, "message": str(error)}
    printed = str(value) if hasattr(value, "to_markdown") else None
    return {"value": _plain(value)} | ({} if printed is None else {"print": printed})


def _plain(value: Any) -> Any:
    """A value as a document."""
    if hasattr(value, "to_markdown"):
        return value.to_dict()
    if isinstance(value, hs.Distribution):
        return _distribution(value)
    if isinstance(value, hs.Interval):
        return {"low": value.low, "high": value.high, "level": value.level}
    if isinstance(value, hs.Metric):
        return {"name": str(value), "text": value.text, "better": value.better, "bounds": list(value.bounds)}
    if isinstance(value, (dict, hs.Posterior)):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if hasattr(value, "describe"):
        return {"class": type(value).__name__} | _plain(value.describe())
    if hasattr(value, "columns") and hasattr(value, "to_dict"):  # a data frame
        return {"columns": [str(c) for c in value.columns], "rows": _plain(_records(value))}
    return value if value is None or isinstance(value, (str, bool, int, float)) else {"repr": repr(value)}


def _records(frame: Any) -> Any:
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")


def _distribution(d: hs.Distribution) -> dict[str, Any]:
    low, high = d.interval(0.9)
    made = {k: getattr(d, k) for k in ("score", "mean", "std", "median", "mode")}
    error = {k: getattr(d.error, k) for k in ("value", "probability")}
    return _plain(made | {"low": low, "high": high, "p_above": d.prob_above(0.5), "error": error, "route": d.route})


# -- the command


def _commanded(line: str) -> dict[str, Any]:
    """The line as it is typed; as JSON, where it asks for no format or file."""
    words = shlex.split(line)
    command = app.commands.get(words[0])
    options = {x for p in command.params for x in p.opts} if command else ()
    plain = "--format" not in options or {"--format", "--out", "--help"} & set(words)
    return _typed(line if plain else f"{line} --format json")


def _typed(line: str, out: io.StringIO | None = None) -> dict[str, Any]:
    before = _times()
    out, err = out or io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(shlex.split(line))
    return _seen(line, code, out.getvalue(), err.getvalue(), before)


def _piped(line: str, file: str) -> dict[str, Any]:
    """The same in a process of its own, which reads a file on its standard input."""
    before = _times()
    with Path(file).open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "howsure", *shlex.split(line)], stdin=stdin, capture_output=True, text=True,
            encoding="utf-8", timeout=60, check=False,
            env=dict(os.environ),  # readline, which pytest may import, sets COLUMNS where only a child can see it
        )  # fmt: skip
    return _seen(line, done.returncode, done.stdout, done.stderr, before)


def _times() -> dict[str, int]:
    return {x.name: x.stat().st_mtime_ns for x in Path().iterdir()}


def _seen(line: str, code: int, out: str, err: str, before: dict[str, int]) -> dict[str, Any]:
    words = shlex.split(line)
    kind = words[words.index("--format") + 1] if "--format" in words else "table"
    made: dict[str, Any] = {"exit": str(code), "out": _read(out, kind) if code != 2 else out}
    if err:
        made["message"] = err
    for path in sorted(x for x, time in _times().items() if before.get(x) != time):
        made[path] = _of_file(Path(path))
        Path(path).unlink()
    return made


class _Broken(io.StringIO):
    """A stream that raises as it is written to."""

    def __init__(self, raised: type[BaseException]) -> None:
        super().__init__()
        self.raised = raised

    def write(self, _text: str) -> int:
        raise self.raised("the stream broke")


def _of_file(path: Path) -> Any:
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        return {"columns": frame.columns, "rows": _plain(frame.to_dicts())}
    if path.suffix in (".svg", ".png", ".pdf"):
        return {"begins": path.read_bytes()[:4].decode("latin-1")}
    if path.stem == "chart":  # what charts hold: tests/charts
        return {"holds": sorted(json.loads(path.read_text(encoding="utf-8")))}
    kinds = {".json": "json", ".csv": "csv", ".html": "html"}
    return _read(path.read_text(encoding="utf-8"), kinds.get(path.suffix, "table"))


def _read(text: str, kind: str) -> Any:
    """A text as a document."""
    if kind == "json":
        return json.loads(text)
    if kind == "csv":
        head, *body = list(csv.reader(io.StringIO(text)))
        return {"columns": head, "rows": [dict(zip(head, map(_cell, row), strict=True)) for row in body]}
    if kind == "html":
        page = _Page()
        page.feed(text)
        return {"outline": page.outline, "print": "\n".join(page.text)}
    return {"print": text}


def _cell(text: str) -> Any:
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError):
        return float(text)
    return text


class _Page(HTMLParser):
    """The outline of a page, and its text without scripts, styles and drawings."""

    def __init__(self) -> None:
        super().__init__()
        self.outline: list[str] = []
        self.text: list[str] = []
        self.inside = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside += tag in ("script", "style", "svg")
        if not self.inside and tag not in ("span", "meta", "br", "td", "tr", "col", "a", "code"):
            given = dict(attrs)
            self.outline.append(".".join([tag, *str(given.get("class") or "").split()]))

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag in ("script", "style", "svg")

    def handle_data(self, data: str) -> None:
        if not self.inside and data.strip():
            self.text.append(" ".join(data.split()))


# -- a document in three parts


def _apart(document: dict[str, Any]) -> Answer:
    made = Answer()
    _walk(document, "", None, made)
    made.structure = {k: v for k, v in made.structure.items() if v != made.structure.get(_before(k))}
    for place, text in made.words.items():
        shown = _masked(text) if made.sampled else text
        lines = shown.replace(str(Path.cwd()), "FOLDER").replace(hs.__version__, "VERSION").split("\n")
        made.words[place] = lines if len(lines) > 1 else lines[0]
    return made


def _once(notes: list[Any]) -> list[Any]:
    """Notes that say how much was drawn are one: how they are put together is up to the draws."""
    drawn = [n for n in notes if isinstance(n, dict) and n.get("code") == "sampled"]
    return [n for n in notes if n not in drawn] + [{"code": "sampled"}] * bool(drawn)


def _walk(x: dict[str, Any], place: str, off: dict[str, Any] | None, made: Answer) -> None:
    """An object: its line of structure, its numbers, its words; then what it holds."""
    off = _off(x, off)
    parts: list[str] = []
    numbers: dict[str, Any] = {}
    inner: list[tuple[str, Any]] = []
    for key, value in x.items():
        if key in LEFT_OUT:
            continue
        if key == "notes" and isinstance(value, list):
            value = _once(value)
        if isinstance(value, str) and key in SPOKEN:
            made.words[_at(place, key)] = value
            parts.append(f"{key}=text")
        elif isinstance(value, (dict, list)) and not _flat(value):
            inner.append((key, value))
            parts.append(f"{key}={'{}' if isinstance(value, dict) else f'[{len(value)}]'}")
        else:
            parts.append(f"{key}={_shape(value)}")
            number = _number(value)
            if number is not None:
                error = 0.0 if key in SETTINGS else _error(key, value, x, off)
                made.sampled |= error > 0.0
                numbers[key] = {"is": number, "off": error} if error else number
    made.structure[place or "."] = " ".join(parts)
    if numbers:
        made.numbers[place or "."] = numbers
    for key, value in inner:
        _inside(value, _at(place, key), _ranked(x) if key == "p_top" else off, made)


def _inside(value: Any, place: str, off: dict[str, Any] | None, made: Answer) -> None:
    if isinstance(value, dict):
        _walk(value, place, off, made)
        return
    for i, one in enumerate(value):
        _inside(one if isinstance(one, (dict, list)) and not _flat(one) else {"": one}, f"{place}[{i}]", off, made)


def _before(place: str) -> str:
    """The same place in the one before of a list: what has the structure of that one is not listed again."""
    return re.sub(r"\[(\d+)\](?!.*\[)", lambda x: f"[{int(x[1]) - 1}]", place) if "[" in place else ""


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _flat(x: Any) -> bool:
    """Whether it is a list of numbers, texts and nothing, and goes on one line."""
    return isinstance(x, list) and all(v is None or isinstance(v, (str, int, float)) for v in x)


def _shape(x: Any) -> str:
    """The type of a number, all of a text."""
    if isinstance(x, list):
        shapes = [_shape(v) for v in x]
        return f"[{len(x)} x {shapes[0]}]" if len(x) > 4 and len(set(shapes)) == 1 else f"[{', '.join(shapes)}]"
    if isinstance(x, str):
        return x if re.fullmatch(r"[\w.:@<>/+-]+", x) else json.dumps(x, ensure_ascii=False)
    if x is None or isinstance(x, bool):
        return json.dumps(x)
    return "float" if math.isfinite(x) and isinstance(x, float) else "int" if isinstance(x, int) else str(x)


def _number(x: Any) -> Any:
    """The number, or the list of them where there are any."""
    if isinstance(x, list):
        listed = [str(v) if isinstance(v, float) and not math.isfinite(v) else v for v in x]
        return listed if any(_number(v) is not None for v in x) else None
    return x if isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x) else None


# -- what is sampled


def _off(x: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """How far numbers of this object may be off: its own error if it is sampled, else that of what holds it."""
    if "route" not in x:
        return before
    if "sampled" not in str(x["route"]):
        return None
    return x.get("error") or {}


def _ranked(x: dict[str, Any]) -> dict[str, Any] | None:
    """How far the probabilities of the first ranks of a row may be off, where they were drawn."""
    best = (x.get("error") or {}).get("best")
    return {"value": best} if best else None


def _error(key: str, value: Any, x: dict[str, Any], off: dict[str, Any] | None) -> float:
    """How far a number may be off: an interval's ends and the like by `value`, probabilities by `probability`."""
    own = x["error"] if isinstance(x.get("error"), dict) else {}
    best, chance = own.get("best") or 0.0, own.get("chance") or 0.0
    if key in ("p_best", "ranks"):
        return float(best)
    if key == "expected_rank":
        return float(best) * len(x.get("ranks") or ())
    if key == "p_above_chance" and chance > DRAWN:
        return float(chance)
    if key == "chance" and x is not off:  # a number of its own, or the error of p_above_chance
        return float(value) if "probability" in x and value > DRAWN else 0.0
    if off is None:
        return 0.0
    if x is off:  # how far off is itself drawn
        return abs(value) if isinstance(value, float) else 0.0
    return float(off.get("probability" if key.startswith("p_") else "value") or 0.0)


def _masked(text: str) -> str:
    """Where draws made some numbers: without fractions, percentages, widths of columns, and how much was drawn."""
    lines = [x for x in text.split("\n") if " sampled with " not in x]
    text = re.sub(r"[<>≈]?[-−]?\d[\d,]*\.\d+(e[-+]?\d+)?%?|[<>]?\d+%", "#", "\n".join(lines))
    return re.sub(r"--+", "--", re.sub(r"(?<=\S) {2,}", "  ", text))
