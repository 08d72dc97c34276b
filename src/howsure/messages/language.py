"""The reader's language: Python speaks of `positive=`, the command of `--positive`.

Errors and notes name options through `option`, or through marks such as `<missing=drop>` in a text that `spoken` reads;
the surfaces (Python, the command, the web app) set SPOKEN, and only this package reads it.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Any, Final, Literal

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
