"""How the pages of the study say things: cases, lists, shares with their errors, and prose in lines."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bench.calibrate.summary import Cell
from bench.coverage_page import short

WIDTH: Final = 125  # of a line
_TOLD: Final = {
    "items": "{:,} items", "rate": "true rate {:g}", "odds": "{}", "system": "{} system", "classes": "{} classes",
    "mean": "true mean {:g}", "discordant": "{:g} discordant", "gap": "gap {:g}", "accuracy": "accuracy {:g}",
    "errors": "errors {}", "rates": "rates {}",
}  # fmt: skip


def case_words(case: Mapping[str, Any]) -> str:
    """A case in words."""
    shown = (_TOLD.get(k, "{}").format(x) for k, x in case.items() if k != "items_per_class" and (k, x) != ("gap", 0))
    return ", ".join(shown)


def with_error(share: float, c: Cell) -> str:
    """A share with its standard error, if it was simulated."""
    return f"{short(share)} ±{short(c.error)}" if c.tests else short(share)


def width(c: Cell) -> str:
    """The mean width of intervals."""
    return "–" if c["width"] is None else f"{c['width']:.3g}"


def signed(x: float | None) -> str:
    """A gain or a loss."""
    return "–" if x is None else f"{x:+.3f}".replace("0.", ".", 1)


def listed(found: Sequence[str], none: str = "none") -> str:
    """a, b and c."""
    return ", ".join(found[:-1]) + f" and {found[-1]}" if len(found) > 1 else "".join(found) or none


def first_up(x: str) -> str:
    """With a capital, the rest as it is."""
    return x[:1].upper() + x[1:]


def page(parts: Sequence[str]) -> str:
    """The parts one below the other."""
    return "\n\n".join(map(wrapped, parts)) + "\n"


def wrapped(part: str) -> str:
    """A part with its prose in lines; tables, figures and titles stay as they are."""
    return "\n".join(x if x.startswith(("|", "!", "#", "<")) else _in_lines(x) for x in part.split("\n"))


def _in_lines(x: str) -> str:
    indent = "  " if x.startswith("- ") else ""
    return textwrap.fill(x, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
