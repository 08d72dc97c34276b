"""The two of many slices that are furthest apart, by partial pooling: slices that are alike show no gap.

The metric of slice k is θ_k on a scale without ends, the logit of a metric of a range. What its own items tell of it is
taken as normal, with their mean y_k and standard deviation s_k on that scale. Slices are normal around μ with the
spread τ, and both are integrated over: μ is flat, and s²/(s² + τ²) is uniform, s² being the harmonic mean of the s_k²
(Daniels 1999; Christiansen & Morris 1997). So the largest of many gaps is shrunk by as much as chance would make it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from howsure.arrays import Array
from howsure.distributions.sampled import Sampled
from howsure.distributions.sampling import generator
from howsure.errors import BadSetting
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand, Gap, drawn_gap

STREAM: Final = 190_034
NODES: Final = 256  # of the share that slices are pooled
POINTS: Final = 24  # of the distribution of one slice


@dataclass(frozen=True, eq=False)
class PooledSlices:
    """The same metric of several slices."""

    questions: tuple[Estimand, ...]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        low, high = self.questions[0].metric.bounds
        return float(low), float(high)

    def _open(self, x: Array) -> Array:
        """Values on the scale without ends."""
        low, high = self._ends
        with np.errstate(divide="ignore"):
            below = np.log(np.maximum(x - low, 1e-300)) if np.isfinite(low) else 0.0
            above = np.log(np.maximum(high - x, 1e-300)) if np.isfinite(high) else 0.0
        return np.asarray(below - above if np.isfinite(low) or np.isfinite(high) else x)

    def _closed(self, y: Array) -> Array:
        """Values of that scale as those of the metric."""
        low, high = self._ends
        if np.isfinite(low) and np.isfinite(high):
            return np.asarray(low + (high - low) / (1.0 + np.exp(-y)))
        if np.isfinite(low) or np.isfinite(high):
            return np.asarray(low + np.exp(y) if np.isfinite(low) else high - np.exp(-y))
        return y

    @cached_property
    def _told(self) -> tuple[Array, Array]:
        """What the items of each slice tell: mean and standard deviation."""
        from scipy.special import ndtr

        z, weight = np.polynomial.hermite_e.hermegauss(POINTS)
        weight = weight / weight.sum()
        values = self._open(np.array([np.asarray(q.distribution.ppf(ndtr(z)), dtype=float) for q in self.questions]))
        mean = values @ weight
        return mean, np.sqrt((values - mean[:, None]) ** 2 @ weight)

    @cached_property
    def _nodes(self) -> tuple[Array, Array, Array, Array]:
        """Of each spread: its probability, the mean of all slices and its precision, and how far each is pooled."""
        y, s = self._told
        if not np.all(s > 0):
            raise BadSetting("a slice without any uncertainty cannot be pooled with others.")
        shares = (np.arange(NODES) + 0.5) / NODES
        variances = s**2 + ((1.0 - shares) / shares / np.mean(1.0 / s**2))[:, None]
        precision = (1.0 / variances).sum(axis=1)
        mean = (y / variances).sum(axis=1) / precision
        logs = -0.5 * (np.log(variances) + (y - mean[:, None]) ** 2 / variances).sum(axis=1) - 0.5 * np.log(precision)
        mass = np.exp(logs - logs.max())
        return mass / mass.sum(), mean, precision, s**2 / variances

    @cached_property
    def furthest(self) -> tuple[int, int]:
        """The slices with the highest and the lowest pooled mean."""
        mass, mean, _, pull = self._nodes
        pooled = mass @ ((1.0 - pull) * self._told[0] + pull * mean[:, None])
        return int(pooled.argmax()), int(pooled.argmin())

    @property
    def pull(self) -> float:
        """How much of the way a slice of the median precision is moved to the mean of all."""
        mass, _, _, pull = self._nodes
        return float(np.median(mass @ pull))

    def gap(self, first: int, second: int) -> Gap:
        """The difference of two of them, given all."""
        low, high = self._ends
        reach = high - low
        name, state = self.questions[first].asked, self.questions[first].state

        def draws(n: int, seed: int) -> Array:
            mass, mean, precision, pull = self._nodes
            (y, s), rng = self._told, generator(seed, STREAM, *self._told)
            at = rng.choice(NODES, n, p=mass)
            middle = mean[at] + rng.standard_normal(n) / np.sqrt(precision[at])
            pair = []
            for k in (first, second):
                own = pull[at, k]
                spread = s[k] * np.sqrt(1.0 - own)
                pair.append(self._closed((1.0 - own) * y[k] + own * middle + spread * rng.standard_normal(n)))
            return np.asarray(pair[0] - pair[1])

        x = np.sort(draws(state.wanted_draws(1.3), state.seed))
        return drawn_gap(Distribution(f"difference of {name}", Sampled(x, -reach, reach), "sampled", draws))
