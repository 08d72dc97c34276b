"""The cells of a target: recall and specificity as tested, and a share of positives that is known apart.

The share is a number, uniform between two, or a Beta after a sample of the target. At a known share every linear
quotient of the cells, and kappa, is a quotient of two independent rates (forms.at_prevalence), one exact integral.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue.metric import Metric
from howsure.cell_models import Model
from howsure.forms import at_prevalence, carries_over
from howsure.routes import exact_law, outside, rates_law

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]

SMALL = 0.1  # below, rates of both classes underflow together, and their quotient is 0/0


@dataclass(frozen=True)
class TargetModel(Model):
    """Shapes of the four cells as tested; the share of positives lies between low and high, or is Beta(shares)."""

    low: float = 0.5
    high: float = 0.5

    @property
    def by_rows(self) -> bool:
        """The share is never that of the items tested."""
        return True

    @property
    def known(self) -> bool:
        """Whether the share is a number."""
        return self.shares is None and self.low == self.high

    @property
    def tested(self) -> Model:
        """The cells as tested, for what depends on recall and specificity alone."""
        return Model(self.cells, scales=self.scales)

    def class_shares(self, j: int, n: int, seed: int, place: int = 0) -> Array:
        """Logs of n draws of the share of positives, and of the rest."""
        if self.shares is not None:
            return super().class_shares(j, n, seed, place)
        if self.known:
            return np.tile(np.log([[self.low], [1.0 - self.low]]), (1, n))
        from howsure.kernels.draws import generator

        part = generator(seed, place, self.low, self.high).random(n)
        yes = self.low + (self.high - self.low) * part
        return np.log(np.stack([yes, (1.0 - self.high) + (self.high - self.low) * (1.0 - part)]))


def target_law(metric: Metric, model: TargetModel) -> tuple[Law | None, str]:
    """The law of a measure in the target, or None where only draws are left."""
    form, outer = metric.reading.form, metric.reading.outer
    if carries_over(form):
        return exact_law(metric, model.tested)
    if model.known:
        tiny = any(np.any(x < SMALL) for x in model.cells.values())
        rates = None if tiny else at_prevalence(form, model.low)
        return outside(None if rates is None else rates_law(rates, model.cells, model.scales), outer)
    if model.shares is not None:
        return exact_law(metric, model)
    return None, "sampled"
