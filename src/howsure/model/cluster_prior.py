"""The prior of clusters: how many items a unit of prior weight stands for, and how far a distribution is stretched.

A unit of prior weight is a made-up cluster. If all items of a cluster are alike, it is as large as the clusters seen.
If items are independent, it is a single item. In between it has 1 + (s - 1)·correlation items, s being the mean size
of a cluster and the correlation an estimate from the data. Few clusters tell less than as many independent items: the
distribution is stretched around its centre by Student's t of the clusters over Student's t of the independent items
they are worth (docs/why/045).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels.stretched import Stretch

Array = NDArray[np.float64]

ROUNDING: Final = 1e-12  # of the disagreement between all items, what rounding may leave within clusters
TAIL: Final = 0.975  # Student's t of the usual interval


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Of each cluster: its items, their sums above and below the line of a quotient, and those of squares."""

    items: Array
    top: Array
    bottom: Array
    squares: tuple[Array, Array, Array]  # of top², top·bottom and bottom²
    item: float = 1.0  # what one item counts: Σw²/Σw where items have weights

    @classmethod
    def of_hits(cls, hits: Array, items: Array, item: float = 1.0) -> ClusterSums:
        """Right and wrong items."""
        return cls(items, hits, items, (hits, hits, items), item)

    @classmethod
    def of_patterns(cls, counts: Array, top: Array, bottom: Array, item: float = 1.0) -> ClusterSums:
        """Items of patterns that add so much above and below the line; `counts` is (clusters, patterns)."""
        squares = counts @ top**2, counts @ (top * bottom), counts @ bottom**2
        return cls(counts.sum(axis=1), counts @ top, counts @ bottom, squares, item)

    @property
    def clusters(self) -> int:
        """How many clusters have items."""
        return int((self.items > 0).sum())

    @property
    def size(self) -> float:
        """The mean number of items of a cluster that has any."""
        return float(self.items.sum()) / self.item / max(self.clusters, 1)

    @property
    def correlation(self) -> float:
        """The correlation of the items of one cluster."""
        total, below = float(self.items.sum()), float(self.bottom.sum())
        if not below:
            return 1.0
        p = float(self.top.sum()) / below
        each = self.squares[0] - 2.0 * p * self.squares[1] + p * p * self.squares[2]
        away = ((self.top - p * self.bottom) / self.item) ** 2
        return _correlation(self.items / self.item, each / self.item, away, (below / total) ** 2)

    @property
    def share(self) -> float:
        """A made-up cluster, as a share of the mean cluster."""
        return share_of(self.correlation, self.size) if self.clusters else 1.0

    @property
    def factor(self) -> float:
        """How far the distribution of the quotient is stretched."""
        return stretch_factor(self.clusters, self.share)


def _correlation(items: Array, each: Array, away: Array, one: float) -> float:
    """One minus the disagreement within clusters over the disagreement expected of independent items.

    `each` are squared residuals of the items, summed by cluster; `away` squares of the sums of residuals. `one` is the
    disagreement of one more item, so that a single one that differs is no proof: 1 where none are seen to differ.
    """
    here = items > 0
    n, each, away = items[here], each[here], away[here]
    total = float(n.sum())
    within, all_items = float((each - away / n).sum()), float(each.sum())
    if within <= ROUNDING * all_items:
        return 1.0
    expected = (all_items / total + float(away.sum()) / total**2) * (total - len(n)) + one
    return float(np.clip(1.0 - within / expected, 0.0, 1.0))


def pattern_correlation(counts: Array, item: float = 1.0) -> float:
    """The correlation of items of several patterns, from their numbers in each cluster, (clusters, patterns).

    >>> pattern_correlation(np.array([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]))
    1.0
    """
    counts = counts / item
    n = counts.sum(axis=1)
    p = counts.sum(axis=0) / n.sum()
    each = counts.sum(axis=1) - 2.0 * counts @ p + n * float(p @ p)
    return _correlation(n, each, ((counts - np.outer(n, p)) ** 2).sum(axis=1), 2.0)


def share_of(correlation: float, size: float) -> float:
    """A made-up cluster of 1 + (size - 1)·correlation items, as a share of `size`; clusters of one item have one."""
    return 1.0 - max(1.0 - 1.0 / size, 0.0) * (1.0 - correlation)


def difference_share(gap: Array, size: Array, floor: float) -> float:
    """A made-up cluster on which two systems differ wholly, as a share of the mean cluster.

    `gap` is the difference of the systems in each cluster, as a share of the largest there can be, and is averaged with
    itself and the size for weights; one more cluster differs wholly. The `floor` is the share of one item.
    """
    part = size > 0
    apart = np.abs(gap[part]) * (size[part] / size[part].mean()) if part.any() else np.zeros(0)
    many = int((apart > 0).sum())
    if not many:
        return 1.0
    typical = float((apart**2).sum() / apart.sum())
    return float(np.clip((many * typical + 1.0) / (many + 1.0), min(floor, 1.0), 1.0))


def stretch_factor(clusters: float, share: float) -> float:
    """Student's t of so many clusters over that of the independent items they are worth; 1 where these are equal.

    The Bayesian bootstrap of k units has the variance of k + 1, the estimate from them that of k - 1: both roots enter.

    >>> stretch_factor(80, 1.0), round(stretch_factor(20, 0.1), 4)
    (1.0, 1.1103)
    """
    if clusters < 2 or share >= 1.0:
        return 1.0
    from scipy.special import stdtrit

    worth = clusters / max(share, 1e-12)
    ratio = float(stdtrit(clusters - 1.0, TAIL) / stdtrit(worth - 1.0, TAIL))
    return ratio * float(np.sqrt((clusters + 1.0) / (clusters - 1.0) * (worth - 1.0) / (worth + 1.0)))


def of_difference(centre: Array | float, factor: float, bounds: tuple[float, float]) -> Stretch:
    """The stretch of a difference of two values between these bounds."""
    low, high = bounds
    return Stretch(centre, factor, low - high, high - low)


def stretch_pair(draws: Array, stretch: Stretch) -> Array:
    """Draws of two systems, (draws, 2), whose difference is stretched; their mean stays."""
    if stretch.is_none:
        return draws
    middle, half = draws.mean(axis=1), 0.5 * stretch(draws[:, 0] - draws[:, 1])
    return np.stack([middle + half, middle - half], axis=1)
