"""The reader's language: Python speaks of `positive=`, the command of `--positive`.

Errors and notes name options through `option`, or through marks such as `<missing=drop>` in a text that `spoken` reads;
the surfaces (Python, the command, the web app) set SPOKEN, and only this package reads it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal

from howsure.errors import HowsureError, Remedy

Language = Literal["python", "command"]

SPOKEN: Final[ContextVar[Language]] = ContextVar("howsure_language", default="python")


_MARK: Final = r"<([a-z][a-z_]*)(?:=([^<>]*))?>"
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
    return re.sub(_MARK, lambda m: option(m[1], _value(m[2])), text)


def _value(text: str | None) -> Any:
    return True if text == "True" else text


# -- remedies of errors as whole commands to type, made from the command that was typed


@dataclass
class Typed:
    """A command as it was typed: the words after its name, without --debug, and which of them are files."""

    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def line(self, remedy: Remedy) -> str | None:
        """The command that follows a remedy; None if that cannot be told from the words."""
        if remedy.word is not None:
            return self._corrected(*remedy.word)
        if remedy.verb is None or self.words[:1] == (remedy.verb,):
            return self._again(remedy)
        return self._instead(remedy.verb, remedy.options) if len(self.files) == 1 else None

    def _again(self, remedy: Remedy) -> str:
        """The same command with more options, and without others."""
        words = _without(self.words, [option(name) for name in remedy.without])
        at = words.index("--") if "--" in words else len(words)
        new = {name: x for name, x in remedy.options.items() if not _has(words[:at], option(name))}
        return shlex.join(["howsure", *words[:at], *_flags(new), *words[at:]])

    def _instead(self, verb: str, options: Mapping[str, Any]) -> str:
        """Another command on the same files."""
        guard = ["--"] if any(x.startswith("-") and x != "-" for x in self.files) else []
        ahead, behind = ((), self.files) if guard else (self.files, ())
        return shlex.join(["howsure", verb, *ahead, *_flags(options), *guard, *behind])

    def _corrected(self, wrong: str, right: str) -> str | None:
        words = [
            right if x == wrong else re.sub(rf"=({re.escape(wrong)})$", lambda _: f"={right}", x) for x in self.words
        ]
        return shlex.join(["howsure", *words]) if words != list(self.words) else None


def at_shell(error: HowsureError, typed: Typed) -> str:
    """The message of an error, and below it the commands to type."""
    lines = [line for x in error.remedies if (line := typed.line(x)) is not None]
    if not lines:
        return error.message
    lead = "Type, for example:" if any(x.example for x in error.remedies) else "Type:"
    return "\n  ".join([f"{error.message}\n{lead}", *lines])


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Options as words of a command line."""
    return [word for name, x in options.items() for one in _several(x) for word in (option(name), str(one))]


def _has(words: Sequence[str], flag: str) -> bool:
    return any(x == flag or x.startswith(f"{flag}=") for x in words)


def _several(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _without(words: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The words without some options and their values."""
    kept: list[str] = []
    after = False
    for word in words:
        if not after and not word.startswith(tuple(f"{x}=" for x in flags)) and word not in flags:
            kept.append(word)
        after = not after and word in flags
    return kept
