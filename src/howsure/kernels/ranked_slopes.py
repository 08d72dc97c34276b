"""How the area under the ROC curve and average precision follow the weight of each item: their linear parts.

Statement: at given weights a measure M has a slope in the weight of every item, and in the prior's above and below all.
M is the same whatever all weights are multiplied by, so Σ slope·weight is 0 there, and M - Σ slope·weight is flat: of
many items little is left but the sum, whose law is exact (control.py).
Formula: of the AUC, DeLong's components less the AUC, over the total of the class. Of average precision, with gains g
at cuts: (precision at its cut + Σ g·fp/(tp + fp)² from there on - AP)/P for a positive item, -Σ g·tp/(tp + fp)²/P for
a negative one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.kernels import ranked
from howsure.kernels.ranked import Cuts

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankedSlopes:
    """In the weights of positive and of negative items, from the top, each between the prior's above and below all."""

    positive: Array
    negative: Array

    def linear(self, c: Cuts) -> Array:
        """Σ slope·weight of each draw, by sums of weights cumulated from the top."""
        out = c.positives * self.positive[-1] + c.negatives * self.negative[-1]
        out -= c.up @ np.diff(self.positive)
        return np.asarray(out - c.down @ np.diff(self.negative))


def slopes_of_auc(c: Cuts) -> RankedSlopes:
    """At the weights of the first draw."""
    tp, fp, total, other = _sums(c)
    value = float(ranked.auc(c)[0])
    beyond = 1.0 - 0.5 * (fp[1:] + fp[:-1]) / other  # of the negative weight, for a positive item at each cut
    ahead = 0.5 * (tp[1:] + tp[:-1]) / total
    yes = np.append(1.0 - 0.5 * fp[0] / other, beyond) - value
    no = np.append(0.5 * tp[0] / total, ahead) - value
    return _of_items(c, yes / total, no / other)


def slopes_of_average_precision(c: Cuts) -> RankedSlopes:
    """At the weights of the first draw."""
    tp, fp, total, _ = _sums(c)
    tp, fp = tp[1:], fp[1:]
    gain = np.diff(tp, prepend=0.0)
    precision = tp / (tp + fp)
    value = float((gain * precision).sum() / total)
    later = [np.cumsum((gain * x / (tp + fp) ** 2)[::-1])[::-1] for x in (fp, tp)]
    yes, no = (precision + later[0] - value) / total, -later[1] / total
    return _of_items(c, np.append(yes[0], yes), np.append(no[0], no))


SLOPES: Final[dict[str, Callable[[Cuts], RankedSlopes]]] = {"auc": slopes_of_auc, "AP": slopes_of_average_precision}


def _sums(c: Cuts) -> tuple[Array, Array, float, float]:
    """tp and fp above all cuts, at each, and at the end; and the totals."""
    o = c.order
    tp = np.concatenate([c.up[0, :1], c.up[0, o.found], c.positives[:1]])
    fp = np.concatenate([c.down[0, :1], c.down[0, o.alarms], c.negatives[:1]])
    return tp, fp, float(c.positives[0]), float(c.negatives[0])


def _of_items(c: Cuts, positive: Array, negative: Array) -> RankedSlopes:
    """From slopes above all, at each cut and below all to those of the items."""
    o = c.order
    parts = []
    for slopes, found, size in ((positive, o.found, o.positives.size), (negative, o.alarms, o.negatives.size)):
        cut = np.searchsorted(found, np.arange(1, size + 1))
        parts.append(np.concatenate([slopes[:1], slopes[1:][cut], slopes[-1:]]))
    return RankedSlopes(*parts)
