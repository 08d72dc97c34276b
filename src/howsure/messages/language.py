"""The reader's language: Python speaks of `positive=`, the command of `--positive`.

Errors and notes name options through `option`, or through marks such as `<missing=drop>` in a text that `spoken` reads;
the command sets SPOKEN once, when it starts, and TYPED, so that a message can show the whole command to type.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal

Language = Literal["python", "command"]

SPOKEN: Final[ContextVar[Language]] = ContextVar("howsure_language", default="python")


@dataclass(frozen=True)
class Typed:
    """The words of the command, after its name and without --debug, and which of them are files."""

    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


TYPED: Final[ContextVar[Typed]] = ContextVar("howsure_typed", default=Typed())  # noqa: B039 - frozen
_MARK: Final = re.compile(r"<([a-z][a-z_]*)(?:=([^<>]*))?>")
_COMMAND: Final = {"item": "on", "metrics": "metric", "names": "name"}  # keywords that have another name there


def option(name: str, value: Any = None) -> str:
    """An option, with a value or without, as the reader writes it.

    >>> option("missing", "drop"), option("positive"), option("only_common", True)
    ("missing='drop'", 'positive=', 'only_common=True')
    """
    if SPOKEN.get() == "python":
        return f"{name}=" if value is None else f"{name}={value!r}"
    flag = f"--{_COMMAND.get(name, name).replace('_', '-')}"
    return flag if value is None or value is True else f"{flag} {value}"


def spelled(python: str, command: str) -> str:
    """The one of two texts that is in the reader's language.

    >>> spelled("hs.curve", "howsure curve")
    'hs.curve'
    """
    return python if SPOKEN.get() == "python" else command


def spoken(text: str) -> str:
    """A text with its marks put into the reader's language; texts of users must not go through it.

    >>> spoken("give <missing=drop>, or name a class with <positive>")
    "give missing='drop', or name a class with positive="
    """
    return _MARK.sub(lambda m: option(m[1], _value(m[2])), text)


def _value(text: str | None) -> Any:
    return True if text == "True" else text


def again(options: Mapping[str, Any], without: Sequence[str] = ()) -> str:
    """What to write to have it with these options, and without others: the command as it was typed, or keywords.

    >>> again({"truth": "label", "pred": ["a", "b"]})
    "truth='label', pred=['a', 'b']"
    """
    if SPOKEN.get() == "python":
        return ", ".join(option(name, x[0] if _several(x) == x and len(x) == 1 else x) for name, x in options.items())
    words = _leaving(TYPED.get().words, [option(name) for name in without])
    at = words.index("--") if "--" in words else len(words)
    new = {name: x for name, x in options.items() if not _typed(words[:at], option(name))}
    return shlex.join(["howsure", *words[:at], *_flags(new), *words[at:]])


def instead(verb: str, options: Mapping[str, Any]) -> str:
    """What to write to ask another verb of the same data, with these options alone.

    >>> instead("curve", {"truth": "label", "score": "p"})
    "hs.curve(..., truth='label', score='p')"
    """
    if SPOKEN.get() == "python":
        return f"hs.{verb}(..., {again(options)})"
    files = TYPED.get().files
    guard = ["--"] if any(x.startswith("-") and x != "-" for x in files) else []
    return shlex.join(["howsure", verb, *([] if guard else files), *_flags(options), *guard, *(files if guard else ())])


def corrected(wrong: str, right: str) -> str | None:
    """The command as it was typed, with one word in place of another; None where that word was not typed."""
    words = TYPED.get().words
    mended = [right if x == wrong else re.sub(rf"=({re.escape(wrong)})$", lambda _: f"={right}", x) for x in words]
    return shlex.join(["howsure", *mended]) if mended != list(words) else None


def verb() -> str | None:
    """The verb of the command, such as score; None in Python."""
    return next(iter(TYPED.get().words), None)


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Options as words of a command line."""
    return [word for name, x in options.items() for one in _several(x) for word in (option(name), str(one))]


def _typed(words: Sequence[str], flag: str) -> bool:
    return any(x == flag or x.startswith(f"{flag}=") for x in words)


def _several(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _leaving(words: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The words without some options and their values."""
    kept: list[str] = []
    after = False
    for word in words:
        if not after and not word.startswith(tuple(f"{x}=" for x in flags)) and word not in flags:
            kept.append(word)
        after = not after and word in flags
    return kept
