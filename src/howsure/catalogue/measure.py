"""Measure: what every measure is, of tables, of scores or of graded values, whatever it is declared by."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, Protocol


class Measure(Protocol):
    """A name with a direction and a range; str(measure) is its canonical name."""

    @property
    def better(self) -> Literal["higher", "lower"] | None:
        """The better direction, if it has one."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value."""

    @property
    def label(self) -> Hashable:
        """The class it is of, where it is of one."""

    @property
    def undefined(self) -> str:
        """When the point score is 0/0, in words."""

    @property
    def unbounded(self) -> bool:
        """Whether it is a ratio, with no upper end: its shortest intervals are taken on the log scale."""
