"""LaTeX tables with booktabs; user text is escaped."""

from __future__ import annotations

import re

from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import ResultDict
from howsure.render.tables import text_table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_NUMBERS = re.compile(r"\[.*\]|-?1 [-+] .*|-?\d[\d.]*e[-+]\d+|P\(.*")
_POWER = re.compile(r"(-?\d(?:\.\d+)?)e([+-]?\d+)")


def escape(text: str) -> str:
    r"""Text that LaTeX shows as it is.

    >>> print(escape("a_b & 5%"))
    a\_b \& 5\%
    """
    return "".join(_SPECIAL.get(c, c) for c in " ".join(text.split()))


def render(result: ResultDict, detail: Detail = USUAL) -> str:
    """A tabular for the booktabs package, headline and notes as comments."""
    t = text_table(result, detail)
    lines = [f"% {escape(x)}" for x in (t.headline, *([t.about] if t.about else []), *t.notes)]
    for part in (t.lead, t):
        if part is not None:
            lines.append(r"\begin{tabular}{" + "".join("r" if right else "l" for right in part.right) + "}")
            lines += [r"\toprule", " & ".join(escape(c) for c in part.titles) + r" \\", r"\midrule"]
            lines += [" & ".join(_cell(x) for x in row) + r" \\" for row in part.rows]
            lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Brackets are guarded (a row end may take an option); powers of ten become mathematics."""
    shown = escape(text)
    if _NUMBERS.fullmatch(text):  # a number or an interval, not a label that looks like one
        shown = _POWER.sub(lambda m: rf"${m[1]}\times 10^{{{int(m[2])}}}$", shown)
    return "{" + shown + "}" if shown.startswith("[") else shown


def escaped(character: str) -> str:
    """Return a character that an output lacks as text."""
    return character.encode("ascii", "backslashreplace").decode("ascii").replace("\\", r"\textbackslash{}")
