"""Surfaces: a measure over two others on a grid, against solving its points one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import howsure as hs
from bench.registry import AtLeast, Row, Run, group
from bench.timing import race

# What is shown, its axes, the fixed measure and its value, points a side, and how much faster it is meant to be.
CASES: tuple[tuple[str, str, str, str, float, int, float], ...] = (
    ("phi", "precision", "recall", "fallout", 0.01, 101, 50),
    ("tetrachoric", "precision", "recall", "fallout", 0.01, 101, 20),
    ("precision", "recall", "fallout", "phi", 0.5, 51, 5),
    ("precision", "recall", "fallout", "tetrachoric", 0.5, 15, 5),
)


@group(
    "surfaces",
    "A measure over two others at a fixed third",
    "The other time is that of hs.solve at every point of the same grid, which finds the same tables.",
)
def surfaces(run: Run) -> Iterator[Row]:
    for z, x, y, third, at, size, times in CASES:
        side = min(size, 11) if run.quick else size
        values = np.linspace(0.005, 0.995, side)
        run.say(f"surfaces: {z} by {x} and {y}")
        laps = race(
            {"ours": _ours(z, x, y, third, at, values), "ours, one by one": _each(x, y, third, at, values)},
            run.rules(rounds=5, seconds=15),
        )
        ours, each = laps["ours"], laps["ours, one by one"]
        found, counted = ours.value.tables, np.array(each.value).reshape(side, side)
        same = float((found == counted).mean())
        yield Row(
            f"{z} by {x} and {y}, {third} {at:g}, {side} x {side}", ours, "hs.solve, one by one", each,
            AtLeast(times), own_peer=True,
            note=f"{ours.value.feasible:.0%} feasible; number of tables as by solve at {same:.1%}",
        )  # fmt: skip


def _ours(z: str, x: str, y: str, third: str, at: float, values: Any) -> Callable[[], Any]:
    return lambda: hs.relations.surface(z, x, y, {third: at}, x_values=values, y_values=values)


def _each(x: str, y: str, third: str, at: float, values: Any) -> Callable[[], list[int]]:
    """How many tables solve finds at each point."""
    return lambda: [len(hs.solve({x: float(a), y: float(b), third: at}).outcome.tables) for b in values for a in values]
