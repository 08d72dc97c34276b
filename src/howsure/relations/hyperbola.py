"""Recall against precision at constant accuracy and prevalence: Alvarez 5.

With accuracy a and prevalence λ held, tp - fp = n(λ + a - 1) whatever is answered positive. So λr + (λ + a - 1)p = 2λpr
(Alvarez eq. 1) is one curve for each e = (λ + a - 1)/λ = (tp - fp)/(tp + fn): p = r/(2r - e), the hyperbola
(r - e/2)(p - 1/2) = e/4. Precision falls as recall rises just where e > 0, that is tp > fp. (Alvarez calls p = 1/2
random guessing; random precision is λ, so better than random does not suffice.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from reprlib import repr as brief
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.catalogue import Metric
from howsure.errors import BadSetting
from howsure.evidence.protocol import number
from howsure.relations.quantities import measure_of, unboxed
from howsure.relations.values import given, is_number, numbers, short_number
from howsure.results.result import Result, envelope, real

ROUND_OFF = 1e-12  # a recall this close to an end of the arc is that end
POINTS = 11


class Arc(NamedTuple):
    """The tables that exist: recall from low to high, and the precisions at these two ends."""

    recall: tuple[float, float]
    precision: tuple[float, float]


@dataclass(frozen=True)
class Change:
    """What recall does when precision and accuracy move: eq. 31, the same without the approximation, and a verdict.

    `estimate` is the linear part of eq. 31; `exact` is NaN where no table is left. `trades_off` tells whether recall
    moves against precision; `most_accuracy` is the change in accuracy at which it just does not (eq. 32, which as
    printed holds for p > 1/2 and a rise of precision only).
    """

    estimate: float
    exact: float
    trades_off: bool
    most_accuracy: float


@dataclass(frozen=True)
class Tradeoff(Result):
    """The recall-precision curve at constant accuracy and prevalence.

    >>> t = Tradeoff(Fraction(9, 10), Fraction(1, 5))
    >>> t.trades_off, t.arc
    (True, Arc(recall=(0.5, 1.0), precision=(1.0, 0.6666666666666666)))
    >>> t.precision(0.8), t.recall(0.75)
    (0.7272727272727273, 0.75)
    """

    exact_accuracy: Fraction
    exact_prevalence: Fraction
    point: tuple[float, float] | None = None  # recall and precision of the system itself
    recalls: tuple[float, ...] | None = None  # that the rows show

    # -- the curve

    @property
    def accuracy(self) -> float:
        return float(self.exact_accuracy)

    @property
    def prevalence(self) -> float:
        return float(self.exact_prevalence)

    @property
    def _e(self) -> Fraction:
        return (self.exact_prevalence + self.exact_accuracy - 1) / self.exact_prevalence

    @property
    def excess(self) -> float:
        """(tp - fp)/(tp + fn), which stays the same along the curve and alone gives its shape."""
        return float(self._e)

    @property
    def centre(self) -> tuple[float, float]:
        """Recall and precision at the centre of the hyperbola."""
        return float(self._e / 2), 0.5

    @property
    def constant(self) -> float:
        """c' of eqs 24 and 25: positive where precision falls as recall rises."""
        return float(self._e / 2)

    @property
    def rotated_centre(self) -> tuple[float, float]:
        """c'_r and c'_p of eq. 25: the centre in the coordinates of eq. 23."""
        return float(1 + self._e) / math.sqrt(8), float(1 - self._e) / math.sqrt(8)

    @staticmethod
    def rotated(recall: ArrayLike, precision: ArrayLike) -> tuple[Any, Any]:
        """r' and p' of eq. 23, in which the curve is (r' - c'_r)² - (p' - c'_p)² = c' (eq. 24)."""
        r, p = np.asarray(recall, dtype=float), np.asarray(precision, dtype=float)
        return unboxed((p + r) / math.sqrt(2)), unboxed((p - r) / math.sqrt(2))

    @property
    def trades_off(self) -> bool:
        """Whether precision falls as recall rises: tp > fp, or accuracy + prevalence > 1."""
        return self._e > 0

    @property
    def verdict(self) -> str:
        """How recall and precision go together, in words."""
        if self.arc.recall[0] == self.arc.recall[1]:
            return "one point: no other recall has this accuracy"
        if self._e == 0:
            return "precision is 1/2 at every recall: tp = fp"
        return "trade-off: tp > fp" if self._e > 0 else "no trade-off: recall and precision rise together, tp < fp"

    @property
    def arc(self) -> Arc:
        """The ends of what is feasible: no fp, or no tp, at the lower one; no fn, or no tn, at the upper one."""
        low = max(Fraction(0), self._e)
        high = min(Fraction(1), self.exact_accuracy / self.exact_prevalence)
        ends = tuple(float(self._exact_precision(r)) for r in (low, high))
        return Arc((float(low), float(high)), ends)  # type: ignore[arg-type]

    def _exact_precision(self, r: Fraction) -> Fraction | float:
        """At the ends; where nothing is answered positive, the limit along the curve, if it has one."""
        if 2 * r != self._e:
            return r / (2 * r - self._e)
        return Fraction(1, 2) if self.exact_prevalence < 1 else math.nan

    def feasible(self, recall: ArrayLike) -> Any:
        """Whether a table with this recall has the accuracy and prevalence."""
        r = share("recall", recall)
        low, high = self.arc.recall
        inside = (r >= low - ROUND_OFF) & (r <= high + ROUND_OFF)
        return bool(inside) if inside.ndim == 0 else inside

    def precision(self, recall: ArrayLike) -> Any:
        """The precision at a recall (eq. 18); in an array NaN where no table has that recall."""
        r = share("recall", recall)
        low, high = self.arc.recall
        if r.ndim == 0 and not self.feasible(r):
            raise BadSetting(
                f"recall {short_number(float(r))} is out of reach at {self._held}: it lies between "
                f"{short_number(low)} and {short_number(high)}."
            )
        if r.ndim == 0 and 2 * float(r) == self.excess:
            raise BadSetting("at recall 0 nothing is answered positive here: precision is 0/0.")
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.clip(r / (2 * r - self.excess), 0.0, 1.0)
        return unboxed(np.where(self.feasible(r), value, np.nan))

    def recall(self, precision: ArrayLike) -> Any:
        """The recall at a precision (eq. 17); in an array NaN where no table, or more than one, has that precision."""
        p = share("precision", precision)
        with np.errstate(divide="ignore", invalid="ignore"):
            r = self.excess * p / (2 * p - 1)
        low, high = self.arc.recall
        good = (r >= low - ROUND_OFF) & (r <= high + ROUND_OFF) & (self._e != 0)
        if p.ndim == 0 and not good:
            raise BadSetting(self._no_recall(float(p)))
        return unboxed(np.where(good, np.clip(r, low, high), np.nan))

    def _no_recall(self, p: float) -> str:
        if self._e == 0:
            return f"at {self._held} precision is 1/2 at every recall: no one recall belongs to {short_number(p)}."
        low, high = sorted(self.arc.precision)
        return (
            f"precision {short_number(p)} is out of reach at {self._held}: it lies between {short_number(low)} and "
            f"{short_number(high)}."
        )

    @property
    def _held(self) -> str:
        return f"accuracy {short_number(self.exact_accuracy)} and prevalence {short_number(self.exact_prevalence)}"

    def measure(self, metric: str | Metric, recall: ArrayLike) -> Any:
        """Any measure of the catalogue, or your own, along the curve; NaN where undefined, or no table has that recall.

        >>> round(Tradeoff(Fraction(9, 10), Fraction(1, 5)).measure("phi", 0.75), 6)
        0.6875
        """
        r, e, prevalence = share("recall", recall), self.excess, self.prevalence
        cells = np.stack([prevalence * r, prevalence * (r - e), prevalence * (1 - r), self.accuracy - prevalence * r])
        value = measure_of(metric).at(np.moveaxis(np.maximum(cells, 0.0), 0, -1))
        return unboxed(np.where(self.feasible(r), value, np.nan))

    # -- how much one costs of the other

    def precision_by_recall(self, recall: ArrayLike) -> Any:
        """dp/dr along the curve: what a little more recall does to precision; NaN where one recall is all."""
        return self._derivative(recall, lambda r, e: -e / (2 * r - e) ** 2)

    def recall_by_precision(self, recall: ArrayLike) -> Any:
        """∂r/∂p, eq. 29, at a point of the curve; NaN where precision is 1/2 throughout, or one recall is all."""
        return self._derivative(recall, lambda r, e: -((2 * r - e) ** 2) / e)

    def recall_by_accuracy(self, recall: ArrayLike) -> Any:
        """∂r/∂a at constant precision, eq. 30; NaN where precision is 1/2 throughout, or one recall is all."""
        return self._derivative(recall, lambda r, e: r / (e * self.prevalence))

    def _derivative(self, recall: ArrayLike, of: Any) -> Any:
        self.precision(recall)  # a single recall out of reach is told
        r = share("recall", recall)
        low, high = self.arc.recall
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(of(r, np.float64(self.excess)))
        return unboxed(np.where(self.feasible(r) & np.isfinite(value) & (low < high), value, np.nan))

    def change(self, recall: float, *, precision: float, accuracy: float = 0.0) -> Change:
        """What recall does when precision and accuracy change by so much from this point (eqs 31 and 32).

        >>> c = Tradeoff(Fraction(9, 10), Fraction(1, 5)).change(0.75, precision=0.01, accuracy=0.001)
        >>> round(c.estimate, 6), round(c.exact, 6), c.trades_off
        (-0.0125, -0.011923, True)
        """
        if self._e == 0:
            raise BadSetting(f"at {self._held} precision is 1/2 at every recall: eqs 29 and 30 divide by 0.")
        if self.arc.recall[0] == self.arc.recall[1]:
            raise BadSetting(
                f"at {self._held} there is one recall, {short_number(self.arc.recall[0])}: it cannot move."
            )
        recall = one_share("recall", recall)
        precision, accuracy = _step("precision", precision), _step("accuracy", accuracy)
        p = self.precision(recall)
        by_precision, by_accuracy = self.recall_by_precision(recall), self.recall_by_accuracy(recall)
        estimate = by_precision * precision + by_accuracy * accuracy
        to_p, to_a = p + precision, self.accuracy + accuracy
        exact = math.nan
        if 0 <= to_a <= 1 and 0 <= to_p <= 1:
            there = Tradeoff(Fraction(to_a), self.exact_prevalence)
            exact = float(there.recall(np.array([to_p]))[0]) - recall
        most = -by_precision * precision / by_accuracy if recall else math.nan
        return Change(float(estimate), exact, bool(estimate * precision < 0), float(most))

    # -- document

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        return {"curve": self.points}

    def points(self, size: int = 121) -> dict[str, Any]:
        """Recall and precision along the whole curve, for charts."""
        low, high = self.arc.recall
        r = np.linspace(low, high, size)
        r = r[(2 * r != self.excess) | (self.excess == 0)]
        p = np.full(r.shape, 0.5) if self.excess == 0 else self.precision(r)
        return {"x": r.tolist(), "y": p.tolist()}

    def at(self) -> Array:
        """The recalls of the rows: those asked for, or evenly spread from end to end."""
        if self.recalls is not None:
            return np.array(self.recalls)
        low, high = self.arc.recall
        return np.unique([low, *nice(low, high), high])

    def _make(self) -> dict[str, Any]:
        r = self.at()
        columns = {
            "recall": r,
            "precision": self.precision(r),
            "f1": self.measure("f1", r),
            "precision_by_recall": self.precision_by_recall(r),
        }
        rows = [{k: real(x[i]) for k, x in columns.items()} for i in range(len(r))]
        own = {"verdict": self.verdict, "trades_off": self.trades_off, "curve": self.curve()}
        return envelope("howsure.tradeoff/1", rows) | own

    def curve(self) -> dict[str, Any]:
        """The numbers of the hyperbola, for documents."""
        arc = self.arc
        return {
            "accuracy": number(self.accuracy), "prevalence": number(self.prevalence), "excess": self.excess,
            "centre": list(self.centre), "constant": self.constant, "rotated_centre": list(self.rotated_centre),
            "recall": list(arc.recall), "precision": [real(x) for x in arc.precision],
            "point": None if self.point is None else [real(x) for x in self.point],
        }  # fmt: skip

    def __repr__(self) -> str:
        low, high = (short_number(x) for x in self.arc.recall)
        return f"Tradeoff({self._held}: {self.verdict}; recall {low} to {high})"


def share(name: str, x: ArrayLike) -> Array:
    """Numbers from 0 to 1; a percentage is asked about."""
    values = numbers(x, f"{name} is a number or an array of numbers from 0 to 1")
    bad = ~((values >= 0) & (values <= 1))
    if bad.any():
        given(name, float(values[bad].flat[0]))  # says what is wrong with it
        raise BadSetting(f"{name} lies between 0 and 1; got {values[bad].flat[0]:g}.")
    return values


def one_share(name: str, x: Any) -> float:
    """One number from 0 to 1."""
    value = share(name, x)
    if value.ndim:
        raise BadSetting(f"{name} is one number here; got {value.size:,}: take them one by one.")
    return float(value)


def shares(name: str, x: ArrayLike) -> tuple[float, ...]:
    """A number or a list of numbers from 0 to 1."""
    values = np.atleast_1d(share(name.removesuffix("s"), x))
    if values.ndim != 1 or not values.size:
        raise BadSetting(f"{name}= is a number or a list of numbers from 0 to 1; got {brief(x)}.")
    return tuple(values.tolist())


def _step(name: str, x: Any) -> float:
    """A change of a share."""
    if not is_number(x) or not -1 <= x <= 1:
        raise BadSetting(f"a change of {name} is a number between -1 and 1; got {brief(x)}.")
    return float(x)


def nice(low: float, high: float) -> Array:
    """Round numbers between two shares, at most a dozen or so.

    >>> nice(0.47, 1.0)
    array([0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    """
    for step in (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first >= POINTS // 2:
            return np.round(np.arange(first, last + 1) * step, 4)
    return np.linspace(low, high, POINTS) if high > low else np.array([low])
