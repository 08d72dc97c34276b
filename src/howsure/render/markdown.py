"""Markdown tables, fit for a pull request; user text is escaped."""

from __future__ import annotations

import re

from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict
from howsure.render.tables import text_table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#&~])")
_LIST = re.compile(r"^(\d*)([-+.)])")  # at the start of a line they begin a list


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> print(escape("a|b <i>"))
    a\|b \<i\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def render(result: ResultDict, detail: Detail = USUAL) -> str:
    """The result dict as a table with its headline and notes."""
    t = text_table(result, detail)
    lines = [_headline(result, t.headline), *(["", _LIST.sub(r"\1\\\2", escape(t.about))] if t.about else [])]
    for part in (t.lead, t):
        if part is not None:
            lines += ["", "| " + " | ".join(escape(c) for c in part.titles) + " |"]
            lines.append("|" + "|".join("---:" if right else "---" for right in part.right) + "|")
            lines += ["| " + " | ".join(_cell(x) for x in row) + " |" for row in part.rows]
    lines += ["", *(f"- {escape(note)}" for note in t.notes)] if t.notes else []
    return "\n".join(lines) + "\n"


def _headline(result: ResultDict, text: str) -> str:
    """What was found; the word that decides, such as pass or fail, in bold."""
    shown = _LIST.sub(r"\1\\\2", escape(text))
    word = str(result.get("status") or "").capitalize()
    return f"**{word}**{shown.removeprefix(word)}" if word and shown.startswith(f"{word}:") else shown


def _cell(text: str) -> str:
    """Interval brackets need no escape in a cell; everything else is escaped."""
    return text if re.fullmatch(r"([\d.]+ )?\[[^\[\]<>|`*_\\]*\]", text) else escape(text)
