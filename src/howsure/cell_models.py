"""Models of the cells of a table: the shapes of their law, and draws of them.

Flat: cell probabilities are Dirichlet. Two-level (Zhang, Wang & Zhao 2015): each truth row is, and so are the class
shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from howsure.expressions import CELLS

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Shapes = dict[str, Array]


@dataclass(frozen=True)
class Model:
    """Shapes of the four cells; `shares` are the shapes of the class shares when they are not the row sums.

    `scales` tell what a unit of each cell weighs, and of each class share, where items have weights that differ.
    """

    cells: Shapes
    shares: tuple[Array, Array] | None = None
    scales: Shapes | None = None
    share_scales: tuple[Array, Array] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.cells["tp"])

    def size(self) -> int:
        """The number of tables."""
        return int(np.prod(self.shape, dtype=int))

    def picked(self, tables: Mask | NDArray[np.intp]) -> Model:
        """Some tables of a batch with one axis."""

        def own(x: Array) -> Array:
            return np.broadcast_to(x, self.shape)[tables]

        def cells(x: Shapes | None) -> Shapes | None:
            return None if x is None else {c: own(values) for c, values in x.items()}

        def pair(x: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
            return None if x is None else (own(x[0]), own(x[1]))

        return replace(
            self,
            cells=cells(self.cells) or {},
            shares=pair(self.shares),
            scales=cells(self.scales),
            share_scales=pair(self.share_scales),
        )

    def distinct(self) -> tuple[list[int], NDArray[np.intp]]:
        """The first of all equal tables, and the place of each table among these."""
        parts = [*self.cells.values(), *(self.shares or ()), *(self.scales or {}).values(), *(self.share_scales or ())]
        rows = np.stack([np.broadcast_to(x, self.shape).ravel() for x in parts], axis=1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first.tolist(), place.reshape(-1)

    def equals_before(self) -> list[int]:
        """How many tables before each table are equal to it."""
        first, place = self.distinct()
        seen, before = [0] * len(first), []
        for k in place.tolist():
            before.append(seen[k])
            seen[k] += 1
        return before

    def tables(self, n: int, seed: int) -> Iterator[tuple[Shapes, Shapes | None]]:
        """n draws of every table of the batch, all independent."""
        for j, before in enumerate(self.equals_before()):
            yield self.table(j, n, seed, before)

    def table(self, j: int, n: int, seed: int, place: int = 0, rows: int = 0) -> tuple[Shapes, Shapes | None]:
        """n draws of the cell probabilities of one table of the batch, and their logs when small shapes need them.

        Equal tables have equal draws; other places give independent ones. Another number of `rows` gives independent
        ones within the truth rows, at the same class shares, where these are known apart.
        """
        from howsure.kernels import draws

        cells = np.array([np.broadcast_to(self.cells[c], self.shape).ravel()[j] for c in CELLS])
        scale = None
        if self.scales is not None:
            scale = np.array([np.broadcast_to(self.scales[c], self.shape).ravel()[j] for c in CELLS])
        if self.by_rows:
            yes, no = self.class_shares(j, n, seed, place)
            one, two, own = [0, 2], [3, 1], seed + rows
            row = draws.log_shares(cells[one], n, own + 1_000_003, place, None if scale is None else scale[one])
            other = draws.log_shares(cells[two], n, own + 2_000_003, place, None if scale is None else scale[two])
            joined = np.stack([yes + row[0], no + other[1], yes + row[1], no + other[0]])
            plain, logs = np.exp(joined), joined
        else:
            plain, logs = draws.shares(cells, n, seed, place, scale)  # type: ignore[assignment]
        named = dict(zip(CELLS, plain, strict=True))
        return named, None if logs is None else dict(zip(CELLS, logs, strict=True))

    @property
    def by_rows(self) -> bool:
        """Whether the class shares are known apart from the truth rows."""
        return self.shares is not None

    def class_shares(self, j: int, n: int, seed: int, place: int = 0) -> Array:
        """Logs of n draws of the class shares of one table, yes and no."""
        from howsure.kernels import draws

        shapes = np.array([float(np.ravel(x)[j]) for x in self.shares or ()])
        by = None if self.share_scales is None else np.array([float(np.ravel(x)[j]) for x in self.share_scales])
        return draws.log_shares(shapes, n, seed, place, by)


@dataclass(frozen=True)
class Mixed:
    """Strata with posteriors of their own, put together by their shares of the population."""

    strata: Model
    shares: tuple[float, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    def size(self) -> int:
        """One table."""
        return 1

    def table(self, j: int, n: int, seed: int) -> tuple[Shapes, Shapes | None]:
        """n draws of the cell probabilities of the population."""
        del j
        parts = [self.strata.table(h, n, seed, h)[0] for h in range(self.strata.size())]
        mixed = {c: sum(w * part[c] for w, part in zip(self.shares, parts, strict=True)) for c in CELLS}
        return {c: np.asarray(x) for c, x in mixed.items()}, None
