"""Recall against precision at constant accuracy: the curve, and its posterior given the counts of a test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from reprlib import repr as brief
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.catalogue import Metric
from howsure.catalogue.expressions import cells
from howsure.distributions.sampled import Sampled
from howsure.distributions.truncated import Truncated
from howsure.errors import BadSetting
from howsure.evidence.protocol import number
from howsure.messages.notes import note
from howsure.messages.numbers import probability, stated
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.state import END_ERROR
from howsure.relations.quantities import quantity_of, unboxed
from howsure.relations.values import given, is_number, numbers, short_number
from howsure.results.result import Result, envelope, real
from howsure.validate import AUTO

# -- curve
#
# Recall against precision at constant accuracy and prevalence: Alvarez 5.
#
# With accuracy a and prevalence λ held, tp - fp = n(λ + a - 1) whatever is answered positive. So λr + (λ + a - 1)p =
# 2λpr (Alvarez eq. 1) is one curve for each e = (λ + a - 1)/λ = (tp - fp)/(tp + fn): p = r/(2r - e), the hyperbola (r
# - e/2)(p - 1/2) = e/4. Precision falls as recall rises just where e > 0, that is tp > fp. (Alvarez calls p = 1/2
# random guessing; random precision is λ, so better than random does not suffice.)

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
        """Any metric of the catalogue, or your own, along the curve; NaN where undefined, or no table has that recall.

        >>> round(Tradeoff(Fraction(9, 10), Fraction(1, 5)).measure("phi", 0.75), 6)
        0.6875
        """
        r, e, prevalence = share("recall", recall), self.excess, self.prevalence
        cells = np.stack([prevalence * r, prevalence * (r - e), prevalence * (1 - r), self.accuracy - prevalence * r])
        value = quantity_of(metric).at(np.moveaxis(np.maximum(cells, 0.0), 0, -1))
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


# -- band
#
# The trade-off curve of a system whose accuracy and prevalence are known from a test only.
#
# The curve p = r/(2r - e) depends on the table by e = (tp - fp)/(tp + fn) alone, a linear quotient of the cells, whose
# posterior is exact. So precision at a given recall is that distribution through a Möbius map, given that the recall is
# feasible: e <= r (else fp would be negative) and r <= (tp + tn)/(tp + fn) (else tn would be). A table cannot break
# both: one needs recall above r, the other recall below it. So P(feasible) is 1 minus two exact tails. The distribution
# of precision leaves out the second event and counts its probability as its error; where that is too much (accuracy
# below or about prevalence, or few items) it is a sample instead.

_tp, _fp, _fn, _tn = cells
EXCESS: Final = Metric(
    "excess", (_tp - _fp) / (_tp + _fn), None, "tp - fp per positive item: the lowest recall, if above 0"
)
REACH: Final = Metric(
    "reach", (_tp + _tn) / (_tp + _fn), None, "accuracy over prevalence: the highest recall, if below 1"
)
NEGLIGIBLE: Final = 1e-13
LEAST: Final = 1e-6  # P(feasible) below which nothing is said of precision
MOST_DRAWS: Final = 2_000_000
CHUNK: Final = 200_000  # tables drawn at a time
GROWN: Final = 10**9  # between the seeds of such chunks
RARE: Final = 0.01  # P(feasible) below which draws are not made by rejection
FEWEST: Final = 200  # draws that a distribution can be made of
_NUMBERS: Final = ("mean", "std", "median", "low", "high", "value", "probability")
_HELD: Final = note(
    "held",
    "precision if the system gave more or fewer positive answers with its accuracy unchanged; "
    "trade-off means tp > fp: precision falls as recall rises",
)
_FEASIBLE: Final = note(
    "feasible",
    "P(feasible) is the probability that a table with this recall has the accuracy and prevalence; "
    "the other columns are given that it has",
)
Value = Callable[[Any], Any]
Keep = Callable[[Array, Array], Any]


@dataclass(frozen=True)
class Band(Result):
    """The posterior of the trade-off curve: precision at every recall, P(feasible), and P(trade-off).

    `curve` is the curve of the counts themselves; None where they have no accuracy or no positive item.
    """

    posterior: Posterior
    curve: Tradeoff | None
    recalls: tuple[float, ...] | None = None
    level: float = 0.95
    interval: str = AUTO

    # -- distributions

    @cached_property
    def excess(self) -> Distribution:
        """(tp - fp)/(tp + fn), which alone gives the curve: the recall at which precision is 1, where it is above 0."""
        return self.posterior[EXCESS]

    @cached_property
    def reach(self) -> Distribution:
        """(tp + tn)/(tp + fn): the highest feasible recall, where it is below 1."""
        return self.posterior[REACH]

    @cached_property
    def p_tradeoff(self) -> float:
        """P(tp > fp), that is P(precision > 1/2): a closed form."""
        return float(self.posterior["precision"].sf(0.5))

    @property
    def p_tradeoff_error(self) -> float:
        """How far it may be off."""
        return float(self.posterior["precision"].error.probability)

    def p_feasible(self, recall: ArrayLike) -> Any:
        """P(some table with this recall has the accuracy and prevalence)."""
        r = share("recall", recall)
        (below, above), (short, far) = self.excess.law.tails(r), self.reach.law.tails(r)
        value = np.clip(np.where(short < 0.5, below - short, far - above), 0.0, 1.0)  # small tails keep their digits
        return float(value) if np.ndim(value) == 0 else np.asarray(value)

    def precision(self, recall: float) -> Distribution:
        """The posterior of precision at this recall, accuracy and prevalence held, given that it is feasible."""
        r = one_share("recall", recall)
        if r == 0:
            raise BadSetting("at recall 0 no positive item is found: precision is 0, or 0/0. Give a recall above 0.")
        p = self.p_feasible(r)
        if p < LEAST:
            raise BadSetting(f"recall {short_number(r)} is out of reach: {self._rare(p)}")
        name = f"precision at recall {short_number(r)}"
        if self._plain(r, p):
            return self._precision(name, np.asarray(r), self._missed(r, p))
        return self._sampled(name, lambda e: r / (2 * r - e), lambda e, reach: (e <= r) & (reach >= r), p)

    def _precision(self, name: str, r: Array, missed: Array) -> Distribution:
        """The exact distribution of precision, of one recall or of a batch."""
        return self._exact(name, np.full(r.shape, -np.inf), r, (0 * r, r, 0 * r - 1, 2 * r), missed)

    def _plain(self, r: Any, p: Any) -> Any:
        """Whether the distribution of excess gives that of precision, but for a share that is counted as its error."""
        return (self.excess.route != "sampled") & (self._missed(r, p) <= self.posterior.tolerance / 100)

    def _missed(self, r: Any, p: Any) -> Array:
        """P(reach < r) over P(feasible): how far the distribution of excess alone can be off."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.asarray(self.reach.cdf(r)) / np.asarray(p)
        return np.asarray(np.where(share < NEGLIGIBLE, 0.0, np.where(np.isnan(share), np.inf, share)))

    def _exact(
        self, name: str, low: Array, high: Array, moebius: tuple[Array, Array, Array, Array], missed: Array
    ) -> Distribution:
        """The distribution of excess between two ends, seen through a Möbius map."""
        a, b, c, d = moebius
        law = Truncated(self.excess.law, low, high, moebius, missed)
        draw = self._sampler(lambda e: (a * e + b) / (c * e + d), lambda e, _: (e >= low) & (e <= high))
        return Distribution(name, law, self.excess.route, draw if np.min(law.kept) > RARE else _by_quantiles(law))

    def recall(self, precision: float) -> Distribution:
        """The posterior of recall at this precision, accuracy and prevalence held, given that some recall has it."""
        p = one_share("precision", precision)
        if p in (0.0, 0.5):
            raise BadSetting(f"at precision {p:g} recall is not settled: every recall has it, or none above 0.")
        k = p / (2 * p - 1)
        low, high = sorted((0.0, 1 / k))
        inside = float(self.excess.cdf(high) - self.excess.cdf(low))
        if inside < LEAST:
            raise BadSetting(f"precision {short_number(p)} is out of reach: {self._rare(inside)}")
        name = f"recall at precision {short_number(p)}"
        if not self._plain(1.0, inside):
            return self._sampled(name, lambda e: k * e, lambda e, reach: _between(k * e, reach), inside)
        one = np.ones(())
        return self._exact(name, low * one, high * one, (k * one, 0 * one, 0 * one, one), self._missed(1.0, inside))

    @property
    def _about(self) -> str:
        t = self.posterior.evidence
        return ", ".join(f"{c} {short_number(float(x))}" for c, x in t.named().items())

    def _rare(self, p: float) -> str:
        return f"P(feasible) is {p:.2g} with the accuracy and prevalence of {self._about}."

    def _tables(self, seed: int, turn: int) -> tuple[Array, Array]:
        """Draws of excess and reach, of the same tables; those of the own seed are kept."""
        key = (seed, turn)
        if key not in self._drawn:
            at = seed + turn * GROWN
            made = self.excess.draws(CHUNK, seed=at), self.reach.draws(CHUNK, seed=at)
            if seed != self.posterior.seed:
                return made
            self._drawn[key] = made
        return self._drawn[key]

    @cached_property
    def _drawn(self) -> dict[tuple[int, int], tuple[Array, Array]]:
        return {}

    def _sampler(self, value: Value, keep: Keep, most: int | None = None) -> Callable[[int, int], Array]:
        """Draws of a value of excess, given that the table is one to keep."""

        def draw(n: int, seed: int) -> Array:
            found: list[Array] = []
            for turn in count():
                if sum(map(len, found)) >= n or (most is not None and turn * CHUNK >= most):
                    break
                e, reach = self._tables(seed, turn)
                kept = keep(e, reach)
                found.append(np.asarray(value(e[kept])))
            return np.concatenate(found)[:n]

        return draw

    def _sampled(self, name: str, value: Value, keep: Keep, p: float) -> Distribution:
        """As many draws as the tolerance asks for, fewer where the event is rare."""
        n = max(10 * FEWEST, int(np.ceil((3 * END_ERROR / self.posterior.tolerance) ** 2)))
        draws = self._sampler(value, keep, most=MOST_DRAWS)(
            min(n, int(max(MOST_DRAWS * p / 4, 1))), self.posterior.seed
        )
        if len(draws) < FEWEST:
            raise BadSetting(f"{name} is out of reach: {self._rare(p)}")
        return Distribution(name, Sampled(np.sort(draws), 0.0, 1.0), "sampled", self._sampler(value, keep))

    # -- document

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        return {} if self.curve is None else {"curve": self.curve.points}

    def at(self) -> Array:
        """The recalls of the rows: those asked for, or round ones that are feasible with some probability."""
        if self.recalls is not None:
            return np.array(self.recalls)
        low = max(0.0, float(self.excess.ppf(0.005)))
        high = min(1.0, float(self.reach.ppf(0.995)))
        found = nice(low, high)
        return found[found > 0]

    def _rows(self) -> list[dict[str, Any]]:
        """A row per recall; the exact distributions all at once."""
        r = self.at()
        p = np.atleast_1d(self.p_feasible(r))
        point = np.full(r.shape, np.nan) if self.curve is None else self.curve.precision(r)
        columns = {k: np.full(r.shape, np.nan) for k in _NUMBERS}
        routes = np.full(r.shape, None, dtype=object)
        plain = (r > 0) & (p >= LEAST) & self._plain(r, p)
        if plain.any():
            routes[plain] = self.excess.route
            self._fill(columns, plain, self._precision("precision", r[plain], self._missed(r, p)[plain]))
        for i in np.flatnonzero((r > 0) & (p >= FEWEST / MOST_DRAWS * 8) & ~plain).tolist():
            self._fill(columns, i, self.precision(float(r[i])))
            routes[i] = "sampled"
        rows = []
        for i, route in enumerate(routes.tolist()):
            values = {k: real(x[i]) for k, x in columns.items()}
            error = {"value": values.pop("value"), "probability": values.pop("probability")}
            row = {"recall": real(r[i]), "precision": real(point[i]), "p_feasible": real(p[i])}
            rows.append({**row, **values, "error": error, "route": route})
        return rows

    def _fill(self, columns: dict[str, Array], at: Any, d: Distribution) -> None:
        low, high = d.interval(self.level, kind=self.interval)
        numbers = (d.mean, d.std, d.median, low, high, d.error.value, d.error.probability)
        for k, x in zip(_NUMBERS, numbers, strict=True):
            columns[k][at] = x

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        rows = self._rows()
        notes = [_HELD]
        if any(row["p_feasible"] < 0.9995 for row in rows):
            notes.append(_FEASIBLE)
        sampled = [row for row in rows if row["route"] == "sampled"]
        if sampled:
            worst = max(row["error"]["value"] for row in sampled)
            notes.append(note("sampled", f"{len(sampled)} of {len(rows)} rows are sampled: values within {worst:.1g}"))
        document = envelope(
            "howsure.tradeoff/1", rows, prior=p.prior_document, level=self.level, interval=self.interval, seed=p.seed,
            data=p.evidence.describe(), notes=notes,
        )  # fmt: skip
        return document | {
            "verdict": self.verdict,
            "p_tradeoff": {"value": self.p_tradeoff, "error": self.p_tradeoff_error},
            "trades_off": None if self.curve is None else self.curve.trades_off,
            "curve": None if self.curve is None else self.curve.curve(),
        }

    @property
    def verdict(self) -> str:
        """Whether precision falls as recall rises, in words."""
        return stated("P(trade-off)", probability(self.p_tradeoff))

    def __repr__(self) -> str:
        return f"Band({self.verdict}; {self._about})"


def _by_quantiles(law: Any) -> Callable[[int, int], Array]:
    """Draws of a distribution by its quantiles, where too few tables would be kept."""

    def draw(n: int, seed: int) -> Array:
        u = np.random.default_rng(seed).uniform(size=n)
        return np.asarray(law.quantile(u, 1.0 - u)[0])

    return draw


def _between(recall: Array, reach: Array) -> Any:
    return (recall >= 0) & (recall <= 1) & (recall <= reach)
