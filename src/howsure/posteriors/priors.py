"""Priors: weight added to the cells of a table before any data.

`even` puts weight 1 on right answers and 1 on wrong ones, shared equally among their cells: ½ a cell at two
classes (Jeffreys, as in Goutte & Gaussier), Beta(1, 1) for accuracy and for a rate at any number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import option
from howsure.validate import finite, refuse_unlike

NAMES = ("even", "jeffreys", "uniform")
SHARED = "shared"
LOWEST, HIGHEST = 1e-6, 1e12


@dataclass(frozen=True)
class Prior:
    """A named rule for the weight of each cell; `table` is set for a user's own array, truth by rows."""

    name: str
    weight: float | None = None
    table: Array | None = field(default=None, compare=False)
    weights: tuple[float, ...] = ()  # the same as the table, for comparison
    within: float | None = None
    between: float | None = None
    by_name: bool = False  # the table was given as tp, fp, fn, tn

    @property
    def two_level(self) -> bool:
        """Whether truth rows and class shares have weights of their own (Zhang, Wang & Zhao 2015)."""
        return self.within is not None

    @property
    def shared(self) -> bool:
        """Whether slices lend strength to each other."""
        return self.name == SHARED

    @property
    def alone(self) -> Prior:
        """The prior of a slice, or of all items, on its own."""
        return Prior("even") if self.shared else self

    def cells(self, k: int) -> Array:
        """Weights of the K x K cells, truth by rows."""
        if self.table is not None:
            if self.table.shape != (k, k):
                raise BadSetting(
                    f"the prior has {self.table.shape[0]} x {self.table.shape[1]} weights but the table has "
                    f"{k} classes."
                )
            return self.table
        if self.two_level:
            return np.full((k, k), self.within)
        if self.weight is not None:
            return np.full((k, k), self.weight)
        wrong = 1.0 / (k * (k - 1)) if k > 1 else 0.0
        return np.where(np.eye(k, dtype=bool), 1.0 / k, wrong)

    def diagonal(self, k: int) -> tuple[float, float]:
        """The weight of a cell on the diagonal and of one off it, for priors that treat classes alike."""
        if self.name == "even" or self.shared:
            return 1.0 / k, 1.0 / (k * (k - 1))
        weight = float(self.weight or self.within or 0.0)
        return weight, weight

    def right_wrong(self, k: int) -> tuple[float, float]:
        """Total weight of right and of wrong answers."""
        if self.name == "even":
            return 1.0, 1.0
        w = self.cells(max(k, 2))  # with one class seen, an answer could still be another
        right = float(np.trace(w))
        return right, float(w.sum() - right)

    def outcome(self) -> tuple[float, float]:
        """Weights of a hit and of a miss."""
        if self.name == "even":
            return 1.0, 1.0
        if self.table is not None:
            raise BadSetting("a prior given as a table does not fit outcomes; give a number or a name.")
        weight = self.within if self.two_level else self.weight
        return float(weight or 0.0), float(weight or 0.0)

    def collapsed(self, place: int, k: int) -> Prior:
        """The prior of one class against the rest: what a user gets who collapses the table first."""
        if self.table is None or k == 2:
            return self
        w = self.cells(k)
        tp, pred, truth, total = w[place, place], w[:, place].sum(), w[place].sum(), w.sum()
        table = np.array([[total - pred - truth + tp, pred - tp], [truth - tp, tp]])
        return Prior(self.name, table=table)

    def binary(self, place: int, k: int, positive: int = 1) -> dict[str, float]:
        """Weights of tp, fp, fn, tn when the class at that place is asked for; `positive` is the tally's own."""
        if self.table is None:
            right, wrong = self.diagonal(2)
            return {"tp": right, "fp": wrong, "fn": wrong, "tn": right}
        w = self.collapsed(place, k).cells(2)
        yes = 1
        if k == 2:
            yes = int(place == positive) if self.by_name else place
        no = 1 - yes
        return {"tp": w[yes, yes], "fp": w[no, yes], "fn": w[yes, no], "tn": w[no, no]}

    def total(self, k: int, outcome: bool = False) -> float:
        """The sum of all weights."""
        if outcome:
            return float(sum(self.outcome()))
        if self.name == "even":
            return 2.0
        return float(self.cells(k).sum())


def two_level(within: float = 1.0, between: float = 1.0) -> Prior:
    """Zhang's prior: weight `within` on each cell of a truth row, weight `between` on each class share.

    >>> two_level().name
    'two-level(1, 1)'
    """
    inside, outside = _positive(within, "within"), _positive(between, "between")
    return Prior(f"two-level({inside:g}, {outside:g})", within=inside, between=outside)


def make(given: Any) -> Prior:
    """A prior from a name, a number, an array of weights, or a Prior.

    >>> make("jeffreys").weight
    0.5
    """
    if isinstance(given, Prior):
        return given
    if isinstance(given, str):
        return _named(given)
    if isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool):
        weight = _positive(given, "the prior")
        return Prior(f"{weight:g}", weight=weight)
    return _table(given)


def refuse_shared(made: Prior, what: str) -> Prior:
    """The prior, but for that of slices which lend each other strength, where their scores are no rates."""
    if made.shared:
        raise BadSetting(
            f"{option('shrink')} is for rates, hits of trials, such as accuracy, recall or precision; {what}."
        )
    return made


def _named(text: str) -> Prior:
    name = text.strip().lower().replace("_", "-")
    if name == "even":
        return Prior("even")
    if name == "jeffreys":
        return Prior("jeffreys", weight=0.5)
    if name == "uniform":
        return Prior("uniform", weight=1.0)
    if name == "none":
        return Prior("none", weight=0.0)
    if name == SHARED:
        return Prior(SHARED)
    if name in ("two-level", "zhang"):
        return two_level()
    try:
        return make(float(name))
    except ValueError as error:
        if isinstance(error, BadSetting):
            raise
        hint = nearest(name, (*NAMES, "two-level"))
        raise UnknownName(
            f"no prior named {text!r}.{hint} Give even, jeffreys, uniform, two-level or a weight such as 0.5."
        ) from None


def _table(given: ArrayLike) -> Prior:
    refuse_unlike(given, "a prior", BadSetting)
    try:
        weights = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BadSetting(
            f"a prior must be a name, a number, an array of weights or a posterior; got {given!r}."
        ) from None
    if weights.ndim == 0:
        raise BadSetting(f"a prior must be a name, a number, an array of weights or a posterior; got {given!r}.")
    by_name = weights.shape == (4,)
    if by_name:  # tp, fp, fn, tn
        weights = np.array([[weights[3], weights[1]], [weights[2], weights[0]]])
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise BadSetting(
            f"prior weights must be four numbers (tp, fp, fn, tn) or a square table; got shape {weights.shape}."
        )
    if not np.all((weights >= LOWEST) & (weights <= HIGHEST)):
        raise BadSetting("prior weights must be finite and above 0, from 1e-6 to 1e12, in every cell.")
    weights = weights.copy()
    weights.setflags(write=False)
    return Prior("given", table=weights, weights=tuple(weights.ravel().tolist()), by_name=by_name)


def _positive(value: Any, what: str) -> float:
    found = finite(value)
    if not LOWEST <= found <= HIGHEST:
        raise BadSetting(
            f"{what} must be a weight above 0, from 1e-6 to 1e12; got {value!r}. For no opinion use 'even'."
        )
    return found
