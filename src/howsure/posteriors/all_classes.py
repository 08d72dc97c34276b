"""All classes at once: macro and weighted averages and agreement of many classes, sampled with a control variate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import Expression
from howsure.catalogue.expressions import slopes as formula_slopes
from howsure.catalogue.metric import Metric
from howsure.distributions.classes import Classes, ClassSlopes, all_measured
from howsure.distributions.control_variate import Controlled
from howsure.distributions.future_scores import multinomials
from howsure.distributions.sampling import generator
from howsure.messages import coverage
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import chance, class_samples, future_tables
from howsure.posteriors.cells import of_all_classes, score_over_classes, table_notes
from howsure.posteriors.class_samples import (
    MANY_TABLES,
    MOST_CLASS_NUMBERS,
    ClassDrawing,
    Drawing,
    move_to,
    moved,
    sampler_of,
)
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Chance, Estimand, Gap, NextScore, Places, drawn_gap
from howsure.posteriors.future_items import LEAST_DRAWS, called, drawn_score
from howsure.posteriors.sampling import GROWN, apart, difference_law, sampled_law, shared_draws
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law
    from howsure.posteriors.state import Outlook


# -- class control
#
# Measures of all classes by draws with a control: the linear part of the measure at the mean table.
#
# Its law is exact (distributions/control_variate.py), so draws are needed only for what it does not explain:
# thousands where order statistics take hundreds of thousands. Half of them are tilted to either side, where the ends
# of intervals are. Tables whose measure is far from linear, or lies at an end of its range, keep their order
# statistics (None).

Measured = Callable[[dict[str, Array]], Array]

SIDES: Final = (-1.5, 1.5)  # standard deviations of the linear part, to which draws are tilted
FIRST: Final = 400  # draws of each side, to begin with
FEWER: Final = 150  # where each takes very many numbers
MANY: Final = 3000
TURNS: Final = 4
WORTH: Final = 0.08  # of the draws that order statistics need, at most: beyond, what the fit misses counts too
EXPLAINED: Final = 0.6  # of the variance, that a control must explain
STEP: Final = 1e-4  # relative, of derivatives
AT_A_TIME: Final = 2_000_000  # numbers


def controlled_law(
    state: State, plan: Classes, measure: Measured, bounds: tuple[float, float], formula: Expression
) -> Controlled | None:
    """The law with as many draws as keep equal-tailed ends within the tolerance; None where the control is poor."""
    if plan.systems != 1 or plan.scales is not None or not np.isfinite(bounds).all():
        return None
    slopes = slopes_of(plan, measure, formula)
    linear = plan.linear(slopes)
    control = linear.law() if np.isfinite(linear.std) and linear.std > 0 else None
    if control is None:
        return None
    most = WORTH * state.wanted_draws()
    sides, found, n = [plan.tilted(slopes, linear, s) for s in SIDES], [], 0
    wanted = [FIRST if plan.cost < MANY else FEWER] * 2
    for turn in range(TURNS):
        seed = state.seed + turn * GROWN
        found += [_drawn(sides[i], measure, m, seed + i) for i, m in enumerate(wanted)]
        n += sum(wanted)
        x, y = (np.concatenate(part) for part in zip(*found, strict=True))
        law = Controlled.fitted(linear, control, (x, y), bounds, EXPLAINED)
        if law is None:
            return None
        ends = np.array([float(law.quantile_error(p)) for p in (0.025, 0.975)]) / float(law.std())
        if ends.max() <= state.tolerance * 1.05:
            return law
        square = float((ends**2).mean()) / state.tolerance**2  # the worse end gets more of the draws
        needed = max(1.15 * n * square / law.fit.doubt, 1.3 * n)  # a doubt may be chance
        if not needed <= most:
            return None
        share = ends**2 / (ends**2).sum()
        wanted = np.maximum(needed * share - n / 2, 0.05 * needed).astype(int).tolist()
    return None


def _drawn(plan: Classes, measure: Measured, n: int, seed: int) -> tuple[Array, Array]:
    """Draws of the linear part and of the measure."""
    parts = [(tables.linear, measure(tables.cells(0))) for tables in plan.draws(n, seed)]
    linear, values = (np.concatenate(x) for x in zip(*parts, strict=True))
    return linear, values


def slopes_of(plan: Classes, measure: Measured, formula: Expression) -> ClassSlopes:
    """How a measure follows the right, the missed and the false answers of each class."""
    k, mean = plan.k, plan.expected()
    tp = mean.tp[0]
    base = np.concatenate([tp, mean.row - tp, mean.col[0] - tp])
    cells = _cells(base[:, 0], k)
    found = formula_slopes(formula, cells)
    if found is None:
        return _by_differences(base, measure)
    rest = np.where(cells["tn"] > 0, found["tn"], 0.0)  # an item of a class is one more of all
    right, missed = (found[x] + rest.sum() - rest for x in ("tp", "fn"))
    return ClassSlopes(right, missed, found["fp"] - rest)


def _by_differences(base: Array, measure: Measured) -> ClassSlopes:
    """The same by central differences, for formulas with functions of their own."""
    k = len(base) // 3
    step = STEP * base[:, 0]
    out = np.empty(3 * k)
    size = max(1, AT_A_TIME // (6 * k))
    for first in range(0, 3 * k, size):
        which = np.arange(first, min(first + size, 3 * k))
        move = np.zeros((3 * k, which.size))
        move[which, np.arange(which.size)] = step[which]
        up, down = (measure(_cells(base + sign * move, k)) for sign in (1.0, -1.0))
        out[which] = (up - down) / (2.0 * step[which])
    out = np.where(np.isfinite(out), out, 0.0)
    return ClassSlopes(out[:k], out[k : 2 * k], out[2 * k :])


def _cells(parts: Array, k: int) -> dict[str, Array]:
    tp, fn, fp = parts[:k], parts[k : 2 * k], parts[2 * k :]
    total = tp.sum(axis=0) + fn.sum(axis=0)
    return {"tp": tp, "fp": fp, "fn": fn, "tn": np.maximum(total - tp - fn - fp, 0.0)}


# -- all classes
#
# All classes at once: macro and weighted averages, kappa, phi, informedness and markedness of many classes, by draws.
#
# Measures in which classes count alike have the pooled prior, all others weight 1 on right and 1 on wrong answers,
# shared equally among their cells (posteriors/class_samples.py).

NEXT_STREAM: Final = 90_011
NEXT_NUMBERS: Final = 10_000_000  # drawn for the next items
_PREDICTED: Final = "averages over at most 32 classes for one system, without weights, under a flat prior"
LEAST_DOUBTED: Final = 5  # classes from which intervals of averages can fall short
MOST_SIMULATED: Final = 120  # classes; with more, averages over classes are off by more than their intervals allow


@dataclass(frozen=True, eq=False, repr=False)
class AllClasses(Estimand):
    """A measure of all classes of a tally."""

    metric: Metric
    formula: Expression

    differences_drawn = True

    @property
    def drawing(self) -> Drawing:
        """What is drawn."""
        alike = self.metric.classes_count_alike
        return ClassDrawing(self.state.evidence, self.state.prior, alike, self._lost)

    @property
    def _lost(self) -> bool:
        """Whether a missing answer is a false one of every class."""
        return bool(self.metric.average)

    @cached_property
    def score(self) -> Array:
        """The formula of the counts; of none, nothing."""
        return score_over_classes(self.state.evidence, self.metric, self.formula, self._lost)

    @cached_property
    def _moved(self) -> tuple[class_samples.ClassSampler, Any]:
        """The law by draws, moved to where its mean is to be, and the sampler of such draws."""
        t = self.state.evidence
        sampler, middle = sampler_of(t, self.drawing, self.metric, self.formula, self._lost)
        plan = None if t.shape else self.drawing.plan()
        if isinstance(plan, Classes):
            found = controlled_law(self.state, plan, sampler.measure, self.metric.bounds, self.formula)
            if found is not None and middle is not None:
                found = found.moved_to(float(middle))
                sampler = replace(sampler, shift=np.asarray(found.shift))
            if found is not None:
                return sampler, found
        law = sampled_law(self.state, self.metric.bounds, sampler, sampler.tables, sampler.most)
        if middle is None:
            return sampler, law
        shift = move_to(law.draws, middle, self.metric.bounds)
        return replace(sampler, shift=shift), replace(law, draws=moved(law.draws, shift, self.metric.bounds))

    def law(self) -> tuple[Law, str]:
        """By draws."""
        return self._moved[1], "sampled"

    def draws(self, n: int, seed: int) -> Array:
        """Moved as the law is."""
        return replace(self._moved[0], apart=True)(n, seed)

    # -- the next items

    def next_score(self, n: int) -> NextScore:
        """By draws of all cells of the table, then of n items from these; they are scores, and are not moved."""
        t, k = self.state.evidence, len(self.state.evidence.labels)
        if len(t.systems) > 1 or t.weighted or self.state.prior.two_level or k * k > class_samples.SMALL:
            raise self._unpredicted(_PREDICTED)
        size = min(self.state.wanted_draws(), max(LEAST_DRAWS, NEXT_NUMBERS // (k * k * max(1, t.tables))))
        draws = partial(self._next_draws, n)
        return drawn_score(draws, size, self.state.seed, self.metric.bounds, called(self.metric, n))

    def next_difference(self, n: int) -> NextScore:
        """Refused: joint tables of all classes are not drawn cell by cell."""
        del n
        raise self._unpredicted(_PREDICTED)

    def _next_draws(self, n: int, size: int, seed: int) -> Array:
        """Scores of the next n items of every table, (size, *batch)."""
        t, columns = self.state.evidence, []
        for j in range(t.tables):
            codes, shapes = class_samples.whole_table(t, self.state.prior, self.drawing.pooled, j, size, seed)
            rng = generator(seed, NEXT_STREAM, n, j, shapes[0])
            counts = multinomials(rng.standard_gamma(shapes), n, rng)
            cells = Classes(codes, counts[0], len(t.labels), lost=self._lost).summed(counts.T).cells(0)
            with np.errstate(all="ignore"):
                columns.append(np.asarray(self.formula(**cells)))
        return np.stack(columns, axis=-1).reshape(size, *t.shape)

    # -- what is to come

    def outlook(self, seed: int, stated: Array | None = None) -> Outlook:
        """By the law of each future table."""
        return future_tables.of_one(self, future_tables.population(self.state, seed, stated))

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> Outlook:
        """By the law of the difference in each future table."""
        found = future_tables.population(self.state, seed, stated)
        return future_tables.of_difference(self, found, by, disagreement)

    # -- systems on the same items

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same tables, (n, systems, *batch); systems that answer alike are moved together."""
        t = self.state.evidence
        if t.shape:
            each = [replace(self, state=self.state.seeing(t.at(j, ()))) for j in np.ndindex(t.shape)]
            return np.stack([q.joint_draws(n, seed) for q in each], axis=-1).reshape(n, len(t.systems), *t.shape)
        bounds, drawing, measure = self.metric.bounds, self.drawing, self._measure
        x = shared_draws(
            self, n, seed, self._drawn_alike,
            lambda asked: all_measured(drawing.plan(), n, seed, [q._measure for q in asked], class_samples.silent),
        )  # fmt: skip
        if not drawing.pooled or not np.isfinite(bounds).all():
            return x
        for same in self._alike():
            one = replace(
                self, state=self.state.seeing(self.state.evidence.system(self.state.evidence.systems[same[0]]))
            )
            middle = class_samples.centres(one.state.evidence, one.drawing, measure, self._lost)
            shift = move_to(x[:, same].reshape(-1), middle, bounds)
            x[:, same] = moved(x[:, same], shift, bounds)
        return x

    @property
    def _measure(self) -> class_samples.Bounded:
        """The measure of drawn cells."""
        return class_samples.Bounded(self.formula, *self.metric.bounds)

    def _drawn_alike(self, other: Estimand) -> bool:
        """Whether another question looks at the same tables."""
        mine = (self.metric.classes_count_alike, self._lost)
        return type(other) is type(self) and (other.metric.classes_count_alike, other._lost) == mine

    def _alike(self) -> list[list[int]]:
        """Groups of systems with the same answers, whose draws are mostly ties and are moved together."""
        t = self.state.evidence
        answers = t.cells[t.counts > 0][:, 1:]
        _, same = np.unique(answers, axis=1, return_inverse=True)
        return [np.flatnonzero(same.reshape(-1) == g).tolist() for g in range(int(same.max()) + 1)]

    @property
    def gap_draws(self) -> int:
        """What the budget allows, on the same items or on different ones."""
        n, tables = self.state.wanted_draws(1.3), prod(self.state.evidence.shape)
        least = 10_000 if tables <= MANY_TABLES else 1_000
        most: int = MOST_CLASS_NUMBERS // (tables * self.drawing.plan().cost)
        return max(min(n, least), min(n, most))

    def difference(self) -> Gap:
        """By joint draws."""
        law = difference_law(self.metric.bounds, self._gap_draws(self.gap_draws, self.state.seed))
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return apart(first, second)

    def chance(self, at: Places = None) -> Chance | None:
        """Against guessing at the margins of all classes."""
        return chance.of_all_classes(self.formula, self.metric, self.state, at)

    def matches(self, other: Estimand) -> None:
        """Both need the same classes."""
        chance.refuse_other_classes(self.state.evidence, other.state.evidence, True)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """Pooled, or shared equally among cells."""
        if self.state.prior.name != "even":
            return None
        rule = "pooled" if self.metric.classes_count_alike else "shared"
        return note("prior", rule=rule, of=(self.asked,))

    @property
    def remarks(self) -> Notes:
        """Empty and rare classes, and what intervals of such tables held."""
        of_all = of_all_classes(self.state, self.metric, self.asked)
        return (*table_notes(self.state), *of_all, *self._empty_classes(), *self._coverage())

    def _empty_classes(self) -> Notes:
        t, notes = self.state.evidence, []
        flat = {c: x.reshape(len(t.labels), -1).sum(axis=1) for c, x in t.by_class().items()}
        for what, here in (("true item", flat["tp"] + flat["fn"]), ("answer", flat["tp"] + flat["fp"])):
            empty = tuple(t.labels[i] for i in np.flatnonzero(here == 0).tolist())
            if empty:
                notes.append(note("empty-class", labels=empty, what=what))
        return tuple(notes)

    def _coverage(self) -> Notes:
        """What intervals of this measure covered in simulated tests of such tables, where it was too little."""
        t, name = self.state.evidence, self.metric.name
        if t.shape or self.state.prior.name != "even" or name in ("macro-recall", "balanced-accuracy"):
            return ()
        if self.metric.average == "weighted" and len(t.labels) >= 100:
            name = "weighted-f1"
        elif not self.metric.classes_count_alike:
            return ()
        if len(t.labels) > MOST_SIMULATED:
            return (note("many-classes", count=len(t.labels), most=MOST_SIMULATED),)
        if coverage.held("classes", "many", name) is None:
            name = "macro-precision"  # other averages were not studied: this is the worst of those that were
        spans = {why: coverage.held("classes", why, name) for why in doubts(t)}
        found = [(*span, why) for why, span in spans.items() if span is not None]
        if not found:
            return ()
        low, high, why = min(found)
        return (note("coverage", why=why, metric=name, low=low, high=high),)


@dataclass(frozen=True, eq=False, repr=False)
class RightAnswersByRows(AllClasses):
    """Accuracy of a two-level model: by draws, with a closed mean, Σ E[share]·E[recall]."""

    right: bool = True  # whether it is the share of right answers itself

    def law(self) -> tuple[Law, str]:
        """By draws, with the mean that is known."""
        law = self._moved[1]
        known = self.right and self.drawing.units() is None  # weights of their own leave it to the draws
        return replace(law, known_mean=self._closed()) if known else law, "sampled"

    def _closed(self) -> Array:
        prior, k = self.state.prior, len(self.state.evidence.labels)
        inside, outside = prior.within or 0.0, prior.between or 0.0
        cells = self.state.evidence.by_class(effective=True)
        size = cells["tp"] + cells["fn"]
        share = (size + outside) / (size.sum(axis=0) + k * outside)
        return np.asarray((share * (cells["tp"] + inside) / (size + k * inside)).sum(axis=0))


def doubts(t: Any) -> tuple[str, ...]:
    """What a table has in which intervals under the pooled prior were seen to fall short (docs: coverage).

    many: thirty classes or more with ten items a class or fewer. rare: half of the classes have no more true items than
    would be taken for them if wrong answers were spread evenly. never: a class is never right, although it has so many
    items that classes alike in accuracy would have a right one (999 in 1,000).
    """
    k, cells = len(t.labels), t.by_class()
    size, right = cells["tp"] + cells["fn"], cells["tp"]
    n = int(size.sum())
    if k < LEAST_DOUBTED or not n:
        return ()
    wrong = 1.0 - right.sum() / n
    found = {
        "many": k >= 30 and n <= 10 * k,
        "rare": 2 * int((size * (k - 1) <= wrong * n).sum()) >= k,
        "never": bool(((right == 0) & (wrong**size < 1e-3)).any()),
    }
    return tuple(name for name, here in found.items() if here)
