"""All tables in 24 cubes, and boxes of them.

A cube holds the tables whose cells come in one order, largest first: c1 = 1, c2 = t1, c3 = t1·t2, c4 = t1·t2·t3, each
t from 0 to 1. What a table approaches as cells or margins vanish is a face of a cube, t = 0, with all ratios of cells
as they are on the way there; so no quotient is 0/0 in a cube, and a box of it needs no exceptions. Places are u = √t,
since measures such as phi go with the root of a small cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]

ORDERS: Final[Whole] = np.array(list(permutations(range(4))), dtype=np.int64)  # of the cells in each cube
_RANKS: Final[Whole] = np.argsort(ORDERS, axis=1)
VANISHING: Final = 1e-40  # stands for t = 0: roots of it are still nothing
_NEXT_TO_NOTHING: Final = 1e-30
_VERTICES: Final[Whole] = np.array(list(product((0, 1), repeat=3)), dtype=np.int64)


@dataclass(frozen=True)
class Boxes:
    """Boxes of tables: the cube of each, and its ends in the places u."""

    cube: Whole
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.cube)

    def __getitem__(self, which: Mask | Whole | slice) -> Boxes:
        return Boxes(self.cube[which], self.low[which], self.high[which])

    @property
    def steps(self) -> tuple[Array, Array]:
        """The ends in t."""
        return np.maximum(self.low**2, VANISHING), np.maximum(self.high**2, VANISHING)

    def vertices(self) -> Array:
        """The tables at the eight vertices of each box, cells along the last axis."""
        ends = np.stack(self.steps)
        t = np.stack([ends[_VERTICES[:, j], :, j] for j in range(3)], axis=-1)
        return self.cells(t[..., 0], t[..., 1], t[..., 1], t[..., 2])

    def cells(self, first: Array, second: Array, second_too: Array, third: Array) -> Array:
        """Tables of steps t1, t2 and t3; c3 and c4 may each have a t2 of their own."""
        ranked = np.stack([np.ones_like(first), first, first * second, first * second_too * third], axis=-1)
        ranks = np.broadcast_to(_RANKS[self.cube], ranked.shape)
        return np.take_along_axis(ranked, ranks, axis=-1)

    def middles(self) -> Array:
        """The table in the middle of each box."""
        t = np.maximum((0.5 * (self.low + self.high)) ** 2, VANISHING)
        return self.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2])

    def halves(self, along: Whole) -> Boxes:
        """Each box cut in two across one direction."""
        at = np.arange(len(self)), along
        middle = 0.5 * (self.low[at] + self.high[at])
        low, high = self.low.copy(), self.high.copy()
        low[at], high[at] = middle, middle
        return Boxes(
            np.concatenate([self.cube, self.cube]),
            np.concatenate([self.low, low]),
            np.concatenate([high, self.high]),
        )

    def across(self) -> Array:
        """Tables in the middle of both faces across each direction: pairs, directions, boxes, cells."""
        middle = 0.5 * (self.low + self.high)
        u = np.broadcast_to(middle, (2, 3, *middle.shape)).copy()
        for j in range(3):
            u[0, j, :, j], u[1, j, :, j] = self.low[:, j], self.high[:, j]
        t = np.maximum(u**2, VANISHING)
        return self.cells(t[..., 0], t[..., 1], t[..., 1], t[..., 2])

    def widest(self) -> Whole:
        """The direction in which each box is the longest."""
        return np.asarray((self.high - self.low).argmax(axis=1))


def joined(parts: list[Boxes]) -> Boxes:
    """Boxes of several lots in one."""
    return Boxes(
        np.concatenate([x.cube for x in parts]),
        np.concatenate([x.low for x in parts]),
        np.concatenate([x.high for x in parts]),
    )


def around(tables: Array) -> Boxes:
    """A box for each table, of no size; steps of next to nothing are none."""
    order = np.argsort(-tables, axis=1)
    cube = (order[:, None] == ORDERS).all(axis=2).argmax(axis=1)
    ranked = np.take_along_axis(tables, order, axis=1)
    t = ranked[:, 1:] / ranked[:, :-1]
    places = np.sqrt(np.where(t < _NEXT_TO_NOTHING, 0.0, t))
    return Boxes(cube, places, places)


def all_tables() -> Boxes:
    """The 24 cubes."""
    return Boxes(np.arange(24), np.zeros((24, 3)), np.ones((24, 3)))
