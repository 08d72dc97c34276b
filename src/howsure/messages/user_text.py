"""Texts of users that neither a terminal nor a spreadsheet obeys: labels, names of systems, columns and files."""

from __future__ import annotations

import re
from typing import Final

from howsure.errors import hidden, shortened

_BIDI: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
_RAW: Final = rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]"  # compiled when first needed
_JSON: Final = rf"[\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]"  # JSON escapes the rest itself
_FORMULA: Final = r"[=+\-@\t\r\n＝＋－＠]"
_SHORT: Final = 400  # characters, below which nothing is shortened
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def visible(text: str) -> str:
    r"""A line in which every character is seen: others as the escapes that Python writes; long words are shortened.

    >>> visible("a\x1b[31m\n")
    'a\\x1b[31m\\n'
    """
    text = shortened(text) if len(text) > _SHORT else text
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def field(text: str) -> str:
    r"""A text for CSV: control characters as escapes, and an apostrophe before what a spreadsheet would compute.

    Numbers stay numbers; line ends and tabs inside a text stay too.

    >>> field("=1+1"), field("-0.5"), field("-x"), field("a\x1b[31m")
    ("'=1+1", '-0.5', "'-x", 'a\\x1b[31m')
    """
    guard = "'" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else ""
    return guard + re.sub(_RAW, lambda m: _escape(m[0]), text)


def json_escaped(text: str) -> str:
    """JSON that says the same, with escapes for what a terminal would obey."""
    return re.sub(_JSON, lambda m: f"\\u{ord(m[0]):04x}", text)


def laid_out(message: str) -> str:
    """One sentence; a list below it, whose lines begin with two blanks, keeps its lines."""
    lines = [""]
    for line in message.split("\n"):
        if line.startswith("  "):
            lines.append(visible(line.rstrip()))
            continue
        said = visible(" ".join(line.split()))
        if lines[-1].startswith("  "):
            lines.append(said)
        else:
            lines[-1] = f"{lines[-1]} {said}".strip()
    if not lines[-1].startswith("  "):
        last = lines[-1].rstrip(".")
        lines[-1] = last if last.endswith("?") else f"{last}."
    return shortened(hidden("\n".join(lines)))


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
