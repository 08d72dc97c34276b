"""Figures of the papers that the docs show, as howsure draws them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from howsure import papers
from howsure.papers.figures import drawn
from howsure.papers.show import document

SHOWN = ("goutte-1", "alvarez-2", "alvarez-3", "zhang-5")


def figure(name: str) -> str:
    """The first drawing of a figure, as SVG."""
    (row,) = document(papers.select(name.replace("-", "-fig-")))["rows"]
    return f"{drawn(row)[0].to_svg()}\n"


FIGURES: dict[str, Callable[[], str]] = {f"figures/{name}.svg": partial(figure, name) for name in SHOWN}
