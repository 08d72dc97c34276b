"""The files of results: numbers.json, structure.json and words.json; and where an answer differs from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.answers.running import Answer

RELATIVE = 1e-12  # how far exact numbers may be apart; absolute below 1
FLAT = 1e-9  # the same of a mode: a density is flat there, so that a search knows the place to half the digits

Part = dict[str, dict[str, Any]]  # call -> place -> what is there


def path(kind: str) -> Path:
    """The file of one of the three kinds."""
    return Path(__file__).with_name(f"{kind}.json")


def read(kind: str) -> Part:
    """What is kept of a kind; nothing if there is no file yet."""
    found: Part = json.loads(path(kind).read_text(encoding="utf-8")) if path(kind).exists() else {}
    return found


def write(kind: str, part: Part) -> None:
    """One line for each place, so that a difference of two versions can be read."""
    path(kind).write_text(_object({call: _object(places, 1) for call, places in part.items()}, 0) + "\n", "utf-8")


def _object(x: dict[str, Any], deep: int) -> str:
    shown = ((json.dumps(k, ensure_ascii=False), v if deep == 0 else json.dumps(v, ensure_ascii=False))
             for k, v in x.items())  # fmt: skip
    blank = " " * deep
    return "{\n" + ",\n".join(f"{blank} {k}: {v}" for k, v in shown) + f"\n{blank}}}" if x else "{}"


def differences(kind: str, before: dict[str, Any] | None, now: Answer) -> list[str]:
    """Lines that say what is new, gone or other: old -> new."""
    found = json.loads(json.dumps(now.part(kind)))
    if before is None:
        return ["no result is kept of this call: record it"]
    lines = [f"{place}: {_short(before[place])} -> nothing" for place in before if place not in found]
    lines += [f"{place}: nothing -> {_short(found[place])}" for place in found if place not in before]
    for place in before:
        if place in found:
            compare = {"numbers": _numbers, "structure": _fields, "words": _lines}[kind]
            lines += [f"{place}{x}" for x in compare(before[place], found[place])]
    if kind == "structure" and not lines and list(before) != list(found):
        lines.append(f"order of places: {list(before)} -> {list(found)}")
    return lines


def _short(x: Any) -> str:
    text = x if isinstance(x, str) else json.dumps(x, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} …"


def _numbers(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        if not agree(old.get(key), new.get(key), FLAT if key == "mode" else 0.0):
            yield f".{key}: {_short(old.get(key))} -> {_short(new.get(key))}"


def agree(old: Any, new: Any, off: float = 0.0) -> bool:
    """Whether two numbers are as near as the errors of both and `off` allow; lists of them, each to each."""
    if isinstance(old, dict) and isinstance(new, dict):  # sampled: {"is": number or list, "off": error}
        return _near(old["is"], new["is"], old["off"] + new["off"])
    if isinstance(old, dict) or isinstance(new, dict):
        sampled, exact = (old, new) if isinstance(old, dict) else (new, old)
        return _near(sampled["is"], exact, sampled["off"])
    return _near(old, new, off)


def _near(old: Any, new: Any, off: float) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(_near(a, b, off) for a, b in zip(old, new, strict=True))
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return abs(old - new) <= max(off, RELATIVE * max(1.0, abs(old), abs(new)))
    return bool(old == new)


def _fields(old: str, new: str) -> Iterator[str]:
    if old != new:
        yield f": {old} -> {new}"


def _lines(old: Any, new: Any) -> Iterator[str]:
    was, now = (x if isinstance(x, list) else [x] for x in (old, new))
    for i in range(max(len(was), len(now))):
        a, b = was[i] if i < len(was) else None, now[i] if i < len(now) else None
        if a != b:
            yield f" line {i + 1}: {a!r}\n    -> {b!r}"
