"""How to make a report again: the command as it was typed, or one that gives the same numbers."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, Final

from howsure.errors import hidden
from howsure.language import SPOKEN, TYPED
from howsure.report.measured import kind_of
from howsure.settings import AUTO

Document = dict[str, Any]
_PARTS: Final = ("numpy", "scipy", "altair", "vl-convert-python", "jinja2")
_CELLS: Final = ("tp", "fp", "fn", "tn")
_PRIORS: Final = ("even", "jeffreys", "uniform")
_LINE: Final = 80  # characters of a command before it goes on below


@dataclass(frozen=True)
class Remade:
    """A command, if there is one, and what is to be said of it."""

    command: str | None
    says: str


def remade(document: Document, typed: Mapping[str, Any] | None = MappingProxyType({})) -> Remade:
    """The words of the command line with its file; from Python the command for a single table, if it is one.

    `typed` are the settings of the command that a document does not tell, by name; None where no command can say what
    was asked for.
    """
    words = TYPED.get().words
    if SPOKEN.get() == "command" and words:
        said = "In the folder that it was run in, with the same files, this makes the same report."
        command = hidden(_joined(["howsure", *words]))
        if "***" in command:
            said += " Passwords are left out."
        return Remade(command, said)
    found = None if typed is None else _of_table(document, typed)
    if found is not None:
        return Remade(_joined(found), "It was made in Python; this command gives the same numbers from the counts.")
    return Remade(
        None,
        "It was made in Python: the same data, call, seed and versions give the same report, by"
        ' result.save("report.html").',
    )


def _of_table(document: Document, typed: Mapping[str, Any]) -> list[str] | None:
    """The words that score the counts of a document, where it is of one plain table."""
    data, rows, prior = document.get("data") or {}, document["rows"], document.get("prior") or {}
    plain = kind_of(document) == "score" and prior.get("name") in _PRIORS and not document.get("shrink")
    bare = not (data.get("weighted") or data.get("prevalence") or data.get("clusters"))
    if not (plain and bare and data.get("tables") == 1):
        return None
    if any(row["slice"] or row["system"] or row["class"] is not None for row in rows):
        return None
    counts = _counts(data)
    if counts is None:
        return None
    words = ["howsure", "score", *counts]
    for row in rows:
        words += ["--metric", str(row["asked"])]
    for row in rows:
        if row["above"] is not None:
            words += ["--above", f"{row['asked']}={row['above']!r}"]
    settings = {"prior": (prior["name"], "even"), "level": (document["level"], 0.95), "seed": (document["seed"], 0),
                "interval": (document["interval"], AUTO),
                "tolerance": (typed.get("tolerance", 0.02), 0.02)}  # fmt: skip
    for name, (value, usual) in settings.items():
        words += [] if value == usual else [f"--{name}", str(value)]
    words += ["--chance"] if "chance" in document.get("columns", ()) else []
    return [*words, "--out", "report.html"]


def _counts(data: Document) -> list[str] | None:
    """A table of four cells as it is given to the command."""
    cells = data.get("cells")
    if not cells or any(not float(x).is_integer() for x in cells.values()):
        return None
    whole = {k: int(x) for k, x in cells.items()}
    if set(cells) == {"hits", "misses"}:
        return ["--rate", f"{whole['hits']}/{whole['hits'] + whole['misses']}"]
    return ["--counts", ",".join(f"{k}={x}" for k, x in whole.items())] if set(cells) == set(_CELLS) else None


def _joined(words: list[str]) -> str:
    """Words for a shell; a long command goes on after a backslash, before an option."""
    lines = [""]
    for word in words:
        quoted = shlex.quote(word)
        if len(lines[-1]) + len(quoted) > _LINE and word.startswith("-"):
            lines[-1] += " \\"
            lines.append(f"    {quoted}")
        else:
            lines[-1] += f" {quoted}" if lines[-1] else quoted
    return "\n".join(lines)


def versions(own: str) -> list[tuple[str, str]]:
    """What computed and drew it, each with its version."""
    return [("howsure", own), ("Python", platform.python_version()), *((x, v) for x in _PARTS if (v := _version(x)))]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
