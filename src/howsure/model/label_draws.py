"""Draws of all labels of items with any number of them: whole items are resampled, or each label alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from howsure.errors import BadSetting
from howsure.evidence.label_sets import Multilabel
from howsure.expressions import CELLS
from howsure.kernels.class_tables import PooledAccuracy
from howsure.kernels.multilabel import AnyOf, EachLabel
from howsure.priors import Prior

MICRO: Final = 0.5  # the prior's weight on each cell of the table of all labels added up


@dataclass(frozen=True, eq=False)
class LabelDrawing:
    """Draws of all labels: whole items, or each label alone."""

    evidence: Multilabel
    prior: Prior
    alike: bool

    @property
    def pooled(self) -> bool:
        """Measures in which labels count alike, under even, of whole items."""
        return self.alike and self.prior.name == "even" and not self.evidence.independent

    def plan(self, j: int = 0) -> AnyOf | EachLabel:
        """Items with their shapes and memberships, or a table for each label."""
        del j
        t, prior = self.evidence, self.prior
        if t.shape:
            raise BadSetting("measures of all labels need a single table, not a batch.")
        refuse_tables(prior)
        k = len(t.labels)
        if t.independent:
            if len(t.systems) > 1:
                raise BadSetting(
                    "labels taken on their own have no joint form; leave out independent=True to compare systems."
                )
            cells = t.by_class(effective=True)
            weight = 0.5 if prior.name == "even" else float(prior.weight or 0.0)
            return EachLabel(np.stack([cells[c] for c in CELLS]) + weight)
        truth, answers, both = t.memberships()
        shapes = t.effective
        if prior.name != "even":
            return AnyOf(shapes, k, truth, answers, both, 2.0 * float(prior.weight or 0.0))
        if self.alike:
            return AnyOf(shapes, k, truth, answers, both, 1.0, self.pools()[0])
        return AnyOf(shapes, k, truth, answers, both, 2.0 * MICRO / k)

    def pools(self) -> list[PooledAccuracy]:
        """The share of true labels that are found: true labels weighted so that each label counts about alike."""
        t = self.evidence
        (pattern, label), _, both = t.memberships()
        k, counts = len(t.labels), t.effective
        size = np.bincount(label, counts[pattern], k)
        weights = counts[pattern] / (size[label] + 1.0)
        key = pattern * k + label
        found = np.stack([np.isin(key, x[0] * k + x[1]) for x in both], axis=1)
        right, which = np.unique(found, axis=0, return_inverse=True)
        if not len(right):
            return [PooledAccuracy(np.zeros((1, len(both)), dtype=bool), np.zeros(1), 1.0, k / 3.0)]
        return [PooledAccuracy(right, np.asarray(np.bincount(np.ravel(which), weights), dtype=float), 1.0, k / 3.0)]

    def units(self) -> None:
        """Label sets have no weights."""


def refuse_tables(prior: Prior) -> None:
    """Priors that differ from cell to cell."""
    if prior.two_level or prior.table is not None:
        raise BadSetting(
            f"items with several labels need the prior even, jeffreys, uniform or a weight; got {prior.name}."
        )
