"""Where systems stand: the probability of every rank.

Of two systems by their difference, of independent ones by integrals, of more on the same items by joint draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.law import Law
from howsure.kernels.rank_integrals import ranked

Array = NDArray[np.float64]
Places = NDArray[np.int32]

SIGMAS: Final = 3.0
MOST_INTEGRALS: Final = 40  # systems; their cost grows with the square, that of draws does not


@dataclass(frozen=True, eq=False)
class Standing:
    """P(system i has rank r) and P(system i better than j); systems that tie share their ranks equally."""

    ranks: Array
    pairs: Array
    error: float  # of the probabilities of ranks
    pairs_error: float
    draws: Array | None = None  # of the measure, (draws, systems), where ranks are their shares
    drawn: int | None = None  # the number of draws behind the ranks, if any
    floor: float | None = None  # what these cannot tell from 0, if that is not the rule of three of the error

    @property
    def expected(self) -> Array:
        """The mean rank of each system, 1 the best."""
        return np.asarray(1.0 + self.ranks @ np.arange(self.ranks.shape[1]))

    def ordered(self, order: list[int]) -> Standing:
        """The systems in another order."""
        draws = None if self.draws is None else self.draws[:, order]
        return replace(self, ranks=self.ranks[order], pairs=self.pairs[np.ix_(order, order)], draws=draws)


def by_difference(pairs: Array, error: float, drawn: int | None = None) -> Standing:
    """Of two systems: the better one is the best."""
    first = np.array([pairs[0, 1], pairs[1, 0]])
    return Standing(np.stack([first, first[::-1]], axis=1), pairs, error, error, drawn=drawn)


def by_laws(laws: Sequence[Law], lower_is_better: bool) -> Standing | None:
    """Of independent systems, from their laws; None where these cannot tell."""
    found = None if len(laws) > MOST_INTEGRALS else ranked(laws)
    if found is None:
        return None
    fewest = min((x.n for x in laws if x.n is not None), default=None)
    ranks, pairs = (found.above[:, ::-1], found.pairs.T) if lower_is_better else (found.above, found.pairs)
    floor = None if fewest is None else max(x.floor for x in laws)
    ranks, pairs = (np.clip(x, 0.0, 1.0) for x in (ranks, pairs))  # integrals are off by a little
    return Standing(ranks, pairs, found.error, found.error, drawn=fewest, floor=floor)


def by_draws(draws: Array, lower_is_better: bool, pairs: tuple[Array, float] | None) -> Standing:
    """Shares of the draws; none is ever 0 or 1: one more draw is dealt as if nothing were known."""
    x = draws if lower_is_better else -draws
    n, many = x.shape
    ahead, tied = _places(x)
    ranks = _doubted(_shares(ahead, tied), 1.0 / many, n)
    error = _error(ranks.cumsum(axis=1), n)
    if pairs is None:
        table = _doubted(_wins(ahead, bool((tied > 1).any())), 0.5, n)
        np.fill_diagonal(table, 0.5)
        pairs = table, _error(table, n)
    return Standing(ranks, pairs[0], error, pairs[1], draws, n)


def _places(x: Array) -> tuple[Places, Places]:
    """How many systems are before each system in each draw, and how many share its place; one row for each system."""
    ahead, tied = np.empty(x.T.shape, dtype=np.int32), np.empty(x.T.shape, dtype=np.int32)
    for k, row in enumerate(x):
        ordered = np.sort(row)
        ahead[:, k] = np.searchsorted(ordered, row)
        tied[:, k] = np.searchsorted(ordered, row, side="right") - ahead[:, k]
    return ahead, tied


def _shares(ahead: Places, tied: Places) -> Array:
    """The share of the draws in which each system has each rank; those that are tied share theirs out."""
    many, n = ahead.shape
    found = np.zeros((many, many))
    for size in np.unique(tied):
        for i in range(many):
            first = np.bincount(ahead[i, tied[i] == size], minlength=many)
            found[i] += np.convolve(first, np.ones(size))[:many] / size
    return np.asarray(found / n)


def _wins(ahead: Places, ties: bool) -> Array:
    """The share of the draws in which each system is before each other; a tie is half of one."""
    many, n = ahead.shape
    table = np.zeros((many, many))
    for i in range(many):
        below = np.count_nonzero(ahead[i] < ahead[i + 1 :], axis=1)
        even = np.count_nonzero(ahead[i] == ahead[i + 1 :], axis=1) if ties else 0
        table[i, i + 1 :] = below + 0.5 * even
        table[i + 1 :, i] = n - table[i, i + 1 :]
    return np.asarray(table / n)


def _doubted(share: Array, prior: float, n: int) -> Array:
    return np.asarray((n * share + prior) / (n + 1.0))


def _error(p: Array, n: int) -> float:
    """Three standard errors of any of these shares, and what a share of nothing may hide."""
    return min(1.0, float(SIGMAS * np.sqrt((p * (1.0 - p)).max() / n) + 1.0 / n))
