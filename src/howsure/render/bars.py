"""Bars: intervals drawn as ├──●──┤ on one scale for all rows of a table, with the value they are held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from howsure.render.formats import kind_of

Span = tuple[float, float | None, float]  # low end, point score, high end


@dataclass(frozen=True)
class Signs:
    """What bars are drawn with: both ends, the line, the point, the reference, and what stands for letters left out."""

    left: str
    right: str
    line: str
    point: str
    reference: str
    dots: str


LINES: Final = Signs("├", "┤", "─", "●", "┆", "…")
ASCII: Final = Signs("|", "|", "-", "o", ":", "~")


@dataclass(frozen=True)
class Bars:
    """The spans of the rows (None where there is nothing to draw), their scale, and the reference value, if any."""

    spans: tuple[Span | None, ...]
    low: float
    high: float
    reference: float | None

    def head(self, width: int) -> str:
        """The ends of the scale over their places, and the reference where there is room."""
        left, right = f"{self.low:.6g}", f"{self.high:.6g}"
        cells = list(left + " " * (width - len(left) - len(right)) + right)
        if self.reference is not None:
            label = f"{self.reference:.6g}"
            at = min(max(self._place(self.reference, width) - len(label) // 2, 0), width - len(label))
            if all(c == " " for c in cells[max(at - 1, 0) : at + len(label) + 1]):
                cells[at : at + len(label)] = label
        return "".join(cells)

    def draw(self, row: int, width: int, signs: Signs) -> str:
        """The bar of a row."""
        cells = [" "] * width
        if self.reference is not None:
            cells[self._place(self.reference, width)] = signs.reference
        span = self.spans[row]
        if span is None:
            return "".join(cells)
        low, high = (self._place(x, width) for x in (span[0], span[2]))
        for i in range(low, high + 1):
            cells[i] = signs.line if cells[i] == " " else signs.reference
        cells[low], cells[high] = signs.left, signs.right
        if span[1] is not None:
            cells[self._place(span[1], width)] = signs.point
        return "".join(cells)

    def share(self, x: float) -> float:
        """How far along the scale a value is, from 0 to 1."""
        return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 0.5

    def _place(self, x: float, width: int) -> int:
        return round(self.share(x) * (width - 1))


def bars_of(document: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Bars | None:
    """The bars of a document's rows; None for tables without intervals of scores or of differences."""
    kind = kind_of(document)
    if kind not in ("score", "compare", "leaderboard", "curve", "trec", "folds", "forecast"):
        return None
    pairs = kind in ("compare", "folds")
    spans = [_span(r["difference"] if pairs else r) for r in rows]
    if any(x is not None and max(map(abs, _ends(x))) <= 1.0 for x in spans):  # others would set the scale for these
        spans = [x if x is not None and max(map(abs, _ends(x))) <= 1.0 else None for x in spans]
    drawn = [x for x in spans if x is not None]
    if not drawn:
        return None
    reference = 0.0 if pairs else _reference(document, rows)
    values = [y for x in drawn for y in _ends(x)] + ([] if reference is None else [reference])
    return Bars(tuple(spans), *_scale(min(values), max(values)), reference)


def _ends(span: Span) -> list[float]:
    return [x for x in span if x is not None]


def _span(found: dict[str, Any]) -> Span | None:
    low, high = found.get("low"), found.get("high")
    return None if low is None or high is None else (low, found.get("score"), high)


def _reference(document: dict[str, Any], rows: Sequence[dict[str, Any]]) -> float | None:
    """The limit or the chance that all rows share."""
    for key in ("above", "chance") if "chance" in document.get("columns", ()) else ("above",):
        first = rows[0].get(key)
        if first is not None and all(r.get(key) == first for r in rows):
            return float(first)
    return None


def _scale(low: float, high: float) -> tuple[float, float]:
    """Round ends that hold all values.

    >>> _scale(0.639, 0.986), _scale(-0.035, 0.159), _scale(0.5, 0.5)
    ((0.6, 1.0), (-0.04, 0.16), (0.4, 0.6))
    """
    if high <= low:
        low, high = low - 0.1 * max(abs(low), 1.0), high + 0.1 * max(abs(high), 1.0)
    rough = (high - low) / 10.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough * (1 - 1e-9))
    ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    rounded = float(f"{ends[0]:.12g}"), float(f"{ends[1]:.12g}")
    return rounded if rounded[0] <= low < high <= rounded[1] else ends
