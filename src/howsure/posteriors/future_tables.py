"""What future tables show, from the posterior or from a stated population."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Final, Self

import numpy as np

from howsure.arrays import AnyArray, Array, Index, Mask
from howsure.catalogue.expressions import CELLS
from howsure.distributions import future_counts
from howsure.distributions.difference import difference_of
from howsure.distributions.three_moments import of_formula, positive, slopes_of
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.messages.language import option
from howsure.posteriors.priors import Prior
from howsure.posteriors.state import OfDifference, Seen

# -- population
#
# Population: the patterns that future items can show, with probabilities that a pilot leaves open or that are stated.
#
# After a pilot the probabilities have the posterior of the pilot, a Dirichlet with the prior's weight on every pattern;
# stated ones are fixed. Two systems that are to differ by a given amount: of systems tested apart, the second makes
# more errors of every kind, by one factor; of systems on the same items, they disagree as before, and of every kind
# of disagreement the first has the larger share.


LISTED: Final = 64  # patterns up to which all are taken, whether or not they occur


@dataclass(frozen=True, eq=False)
class Population:
    """Patterns of one table (`evidence`), and the shapes of their probabilities, or these themselves."""

    evidence: Any
    shapes: Array | None
    fixed: Array | None
    seed: int

    @classmethod
    def after(cls, evidence: Any, prior: Prior, seed: int) -> Self:
        """What a pilot leaves open."""
        if not isinstance(evidence, (Tally, Outcomes)):
            told = "a table of classes, outcomes, graded items or clusters of them"
            raise BadSetting(f"a pilot of a plan is {told}; got {type(evidence).__name__}.")
        if evidence.weighted or evidence.shape:
            what = f"weights: leave out {option('weight')}" if evidence.weighted else "slices"
            raise BadSetting(f"a pilot of a plan is one table of items that count alike; this one has {what}.")
        full = _full(evidence)
        return cls(full, full.counts + _weights(full, prior), None, seed)

    @classmethod
    def stated(cls, evidence: Any, shares: Array, seed: int) -> Self:
        """Of known probabilities of the patterns."""
        return cls(evidence, None, np.asarray(shares, dtype=float)[None], seed)

    @property
    def patterns(self) -> int:
        """How many there are."""
        return len(self.evidence.cells)

    @property
    def systems(self) -> int:
        """How many systems answer."""
        return len(self.evidence.systems)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the systems."""
        found: tuple[str, ...] = self.evidence.systems
        return found

    # -- data sets

    def batch(self, counts: Array) -> Any:
        """Tables of these counts, (data sets, patterns)."""
        return replace(self.evidence, counts=counts, batch=(("future", range(len(counts))),))

    def single(self, counts: Array) -> Any:
        """One of these tables."""
        return replace(self.evidence, counts=counts, batch=())

    def counts(
        self, n: int, many: int, fresh: int, turned: Callable[[Array], Array] | None = None, other: bool = False
    ) -> AnyArray:
        """Future counts, (data sets, patterns); the same points at every n. `other` are items of their own."""
        seed, k, before = self.seed + 7919 * fresh, self.patterns, self._open
        if before + 2 * (k - 1) > future_counts.MOST_DIMENSIONS:
            return self._drawn(n, many, seed, turned, other)
        at = future_counts.points(many, before + 2 * (k - 1), seed)
        shares = self._shares(at[:, :before])
        own = at[:, before + k - 1 :] if other else at[:, before : before + k - 1]
        return future_counts.counts(own, n, shares if turned is None else turned(shares))

    @property
    def _open(self) -> int:
        """Coordinates of a point that settle the probabilities."""
        return 0 if self.shapes is None else len(self.shapes) - 1

    def _shares(self, at: Array) -> Array:
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            return self.fixed
        return future_counts.shares(at, np.maximum(self.shapes, 1e-9))

    def _drawn(self, n: int, many: int, seed: int, turned: Callable[[Array], Array] | None, other: bool) -> AnyArray:
        """Of many patterns, plainly at random."""
        rng = np.random.default_rng([seed, 161_803])
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            shares = np.broadcast_to(self.fixed, (many, self.fixed.shape[1]))
        else:
            mass = rng.standard_gamma(self.shapes, (many, len(self.shapes)))
            shares = mass / mass.sum(axis=1, keepdims=True)
        if other:
            rng = np.random.default_rng([seed, 141_421])
        return rng.multinomial(n, shares if turned is None else turned(shares))

    def every(self, n: int) -> tuple[Array, Array] | None:
        """All data sets of two patterns and their probabilities; None where they are too many."""
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            if n > 10 * _MOST_LISTED:
                return None
            hits, weights = future_counts.every_count(n, float(self.fixed[0, 1]))
        elif n <= _MOST_LISTED:
            hits, weights = future_counts.every_mixed_count(n, float(self.shapes[1]), float(self.shapes[0]))
        else:
            return None
        return np.stack([n - hits, hits], axis=1), weights

    # -- two systems that differ

    @cached_property
    def _right(self) -> Mask:
        """Which answers are right, (patterns, systems)."""
        e = self.evidence
        wanted = e.cells[:, [0]] if e.truths else np.ones((len(e.cells), 1), dtype=int)
        return np.asarray(e.cells[:, e.truths :] == wanted)

    def with_more_errors(self, shares: Array, step: Array) -> Array:
        """One system's shares with more errors: of every kind by the same factor, at step 1 as many as there can be."""
        right, rows = self._right[:, 0], self._rows
        most = np.full(len(shares), np.inf)
        for row in rows:
            wrong = shares[:, row & ~right].sum(axis=1)
            with np.errstate(divide="ignore"):
                most = np.minimum(most, np.where(wrong > 0, shares[:, row & right].sum(axis=1) / wrong, np.inf))
        most = np.where(np.isfinite(most), most, 0.0)
        new = shares * np.where(right, 1.0, 1.0 + (step * most)[:, None])
        for row in rows:
            grown = new[:, row & ~right].sum(axis=1) - shares[:, row & ~right].sum(axis=1)
            good = shares[:, row & right].sum(axis=1)
            part = np.where(good > 0, 1.0 - grown / np.maximum(good, 1e-300), 1.0)
            new[:, row & right] = shares[:, row & right] * np.maximum(part, 0.0)[:, None]
        return new

    @property
    def _rows(self) -> list[Mask]:
        """The patterns of each truth."""
        e = self.evidence
        truths = e.cells[:, 0] if e.truths else np.zeros(len(e.cells), dtype=int)
        return [truths == y for y in np.unique(truths)]

    def favouring(self, shares: Array, step: Array) -> Array:
        """Two systems' shares that disagree as before: at step 1 the first is right wherever one alone is."""
        both = shares + shares[:, self._swapped]
        lean = self._right[:, 0].astype(float) - self._right[:, 1]
        return np.asarray(0.5 * both * (1.0 + step[:, None] * lean))

    @property
    def middle(self) -> Array:
        """The stated probabilities, or the means of those that are open, (1, patterns)."""
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            return self.fixed
        return np.asarray(self.shapes / self.shapes.sum())[None]

    def disagreements(self, first: Array, second: Array) -> tuple[float, float]:
        """The least and the most on which two systems with these shares can disagree."""
        right = self._right[:, 0]
        one, two = (float(x[0, ~right].sum()) for x in (first, second))
        return two - one, min(two + one, 1.0)

    def paired(self) -> Self:
        """Two systems on the same items, the probabilities still those of the first alone."""
        e = self.evidence
        if e.width != 2 or self.systems != 1:
            raise BadSetting("a stated disagreement is for two classes or outcomes of one system; give a joint pilot.")
        codes = np.array(list(product(range(2), repeat=e.truths + 2)))
        names = (e.systems[0], "another" if e.systems[0] != "another" else "the other")
        joint = replace(e, cells=codes, counts=np.zeros(len(codes), dtype=np.int64), systems=names)
        return replace(self, evidence=joint)

    def together(self, alone: Population, first: Array, second: Array, disagreement: float) -> Array:
        """Joint shares of two systems with these shares each, that differ in so many answers.

        The second is right on the same part of the first one's errors in every truth row.
        """
        right = alone._right[:, 0]
        wrong_one, wrong_two = first[:, ~right].sum(axis=1), second[:, ~right].sum(axis=1)
        part = np.clip((disagreement - (wrong_two - wrong_one)) / np.maximum(2 * wrong_one, 1e-300), 0.0, 1.0)
        out = np.zeros((len(first), self.patterns))
        for row, mine in zip(alone._rows, self._rows, strict=True):
            good, bad, worse = (x[:, m].sum(axis=1) for x, m in ((first, row & right), (first, row & ~right),
                                                                   (second, row & ~right)))  # fmt: skip
            only_two = part * bad
            only_one = np.clip(worse - bad + only_two, 0.0, good)
            each = {(True, True): good - only_one, (True, False): only_one, (False, True): only_two,
                    (False, False): bad - only_two}  # fmt: skip
            for (a, b), share in each.items():
                here = mine & (self._right[:, 0] == a) & (self._right[:, 1] == b)
                out[:, here] = share[:, None]
        return out

    @cached_property
    def _swapped(self) -> Index:
        """The place of each pattern with the systems in each other's place."""
        e = self.evidence
        codes = {tuple(row): i for i, row in enumerate(e.cells.tolist())}
        return np.array([codes[(*row[: e.truths], *row[e.truths :][::-1])] for row in e.cells.tolist()])


_MOST_LISTED: Final = 20_000  # items up to which the data sets of a rate are listed, where its chance is not known


def _full(evidence: Any) -> Any:
    """The same table with all patterns that can occur, or of many classes those that do, and their mirror images."""
    e = evidence
    columns = e.cells.shape[1]
    if e.width**columns <= LISTED and (e.cells >= 0).all():
        wanted = list(product(range(e.width), repeat=columns))
    else:
        rows = [tuple(r) for r in e.cells.tolist()]
        wanted = list(dict.fromkeys([*rows, *((*r[: e.truths], *r[e.truths :][::-1]) for r in rows)]))
    at = {code: i for i, code in enumerate(wanted)}
    counts = np.zeros(len(wanted))
    for row, count in zip(e.cells.tolist(), e.counts.tolist(), strict=True):
        counts[at[tuple(row)]] += count
    cells = np.array(wanted)
    return replace(e, cells=e.cells if np.array_equal(cells, e.cells) else cells, counts=counts)


def _weights(e: Any, prior: Prior) -> Array:
    """The prior's weight of every pattern: that of each system alone is what it is without the others."""
    systems = len(e.systems)
    if not e.truths:
        miss, hit = prior.outcome()[::-1]
        own = np.where(e.cells == 1, hit, miss)
        return np.asarray(own.prod(axis=1) / (hit + miss) ** (systems - 1))
    cells = prior.cells(max(2, len(e.labels)))
    answers = e.cells[:, 1:]
    own = np.where(answers >= 0, cells[e.cells[:, [0]], np.maximum(answers, 0)], 0.0)
    return np.asarray(own.prod(axis=1) / cells.sum(axis=1)[e.cells[:, 0]] ** (systems - 1))


# -- outlook of tables
#
# Outlook of items that are counted by pattern: classes and outcomes, of one system, of two, or of two tested apart.

Turn = Callable[[Array], Array]

MOST: Final = 10**8  # items
NUMEROUS: Final = 3000  # items from which the linear part of a difference tells its probability, if laws take long
_COARSE: Final = 0.1  # tolerance of laws that are drawn, of each of the data sets
_MANY: Final = 4096  # data sets that are judged by moments
_QUICK: Final = 2048  # data sets whose laws are closed
_FEW: Final = 512  # different data sets, whose laws are all looked at
_SLOW: Final = 64  # data sets whose laws take long, one by one
_NAMES: Final = {(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}  # truth, answer
_EQUAL: Final = 1e-12
_FLAT: Final = 1e-3  # spread of points through which no line is laid


@dataclass(frozen=True, eq=False)
class OfTables:
    """One system, whose items are counted by pattern; `pace` is the number of data sets that are looked at.

    Where each law takes long, widths and probabilities are those of the linear part of the measure, moved to where the
    laws of some of the data sets are.
    """

    question: Any
    population: Population
    pace: int
    linear: bool = False  # whether they are found so

    most = MOST

    @property
    def exact(self) -> bool:
        """A rate has few data sets."""
        return self.population.patterns == 2

    def _tables(self, n: int, part: int, fresh: int) -> tuple[Array, Array | None]:
        found = self.population.every(n) if self.exact else None
        return (self.population.counts(n, self.pace // part, fresh), None) if found is None else found

    def _put(self, counts: Array) -> Any:
        return seeing(self.question, self.population.batch(counts))

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """By the law of each table."""
        counts, weights = self._tables(n, part, fresh)
        if not self.linear:
            return Seen(np.asarray(self._put(counts).distribution.interval(level, kind=interval).width), weights)
        some = counts[:: max(1, len(counts) // _SLOW)]
        law = np.asarray(self._put(some).distribution.interval(level, kind=interval).width)
        spread, own = (np.sqrt(moments(self._put(x))[1]) for x in (counts, some))
        return Seen(spread * float(np.exp(np.mean(np.log(law / own)))), weights)

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """By the law of each table."""
        counts, weights = self._tables(n, part, fresh)
        if not self.linear:
            return Seen(np.asarray(self._put(counts).distribution.sf(limit)), weights)
        some = counts[:: max(1, len(counts) // _SLOW)]
        law = np.asarray(self._put(some).distribution.sf(limit))
        found, own = (_over(limit, *moments(self._put(x))) for x in (counts, some))
        return Seen(moved(found, own, law), weights)


@dataclass(frozen=True, eq=False)
class OfTwo(OfDifference, ABC):
    """Two systems, of which the first is better by what is stated.

    Probabilities are those of the linear part of the measure, moved to where the laws of some of the data sets are;
    those of the laws themselves where data sets are few, as of few items, or where there is no linear part.
    """

    question: Any
    population: Population
    turned: Turn
    pace: int
    linear: bool  # whether the measure has such a part
    quick: bool  # whether the laws are

    exact = False
    most = MOST

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """P(the first is better than the second)."""
        del limit
        tables = self._tables(n, self.pace // part, fresh)
        if not self.linear:
            return Seen(self._by_law(tables), None)
        if self.quick:
            few, back = _distinct(tables)
            if len(few[0]) <= _FEW:
                return Seen(self._by_law(few)[back], None)
        found = self._by_moments(tables)
        if not self._compared(n):
            return Seen(found, None)
        step = max(1, len(found) // _SLOW)
        return Seen(moved(found, found[::step], self._by_law([x[::step] for x in tables])), None)

    def _compared(self, n: int) -> bool:
        """Whether the linear part is held against laws."""
        return self.quick or n < NUMEROUS

    @abstractmethod
    def _tables(self, n: int, many: int, fresh: int) -> list[Array]:
        """Counts of the future data sets."""

    @abstractmethod
    def _by_law(self, tables: list[Array]) -> Array:
        """P(the first is better) by the laws of these data sets."""

    @abstractmethod
    def _by_moments(self, tables: list[Array]) -> Array:
        """The same by the linear part."""

    def _put(self, counts: Array) -> Any:
        return seeing(self.question, self.population.batch(counts))


class OfPairs(OfTwo):
    """On the same items."""

    def _tables(self, n: int, many: int, fresh: int) -> list[Array]:
        return [self.population.counts(n, many, fresh, self.turned)]

    def _by_law(self, tables: list[Array]) -> Array:
        lower = lower_is_better(self.question)
        if not self.question.differences_drawn:
            gap = self._put(tables[0]).difference()
            return np.asarray(gap.below if lower else gap.above)
        gaps = [seeing(self.question, self.population.single(one)).difference() for one in tables[0]]
        return np.array([float(g.below if lower else g.above) for g in gaps])

    def _by_moments(self, tables: list[Array]) -> Array:
        mean, variance, third = pair_moments(self._put(tables[0]))
        sign = -1.0 if lower_is_better(self.question) else 1.0
        return positive(sign * mean, variance, sign * third)


class OfTwoTests(OfTwo):
    """On items of their own, n each."""

    def _compared(self, n: int) -> bool:
        """An integral over two laws that are integrals takes too long."""
        del n
        return self.quick

    def _tables(self, n: int, many: int, fresh: int) -> list[Array]:
        return [
            self.population.counts(n, many, fresh),
            self.population.counts(n, many, fresh, self.turned, other=True),
        ]

    def _by_law(self, tables: list[Array]) -> Array:
        one, two = (self._put(x).distribution for x in tables)
        above, below = difference_of(one.law, two.law).signs()  # type: ignore[union-attr]
        return np.asarray(below if lower_is_better(self.question) else above)

    def _by_moments(self, tables: list[Array]) -> Array:
        (a, u, s), (b, v, t) = (moments(self._put(x)) for x in tables)
        sign = -1.0 if lower_is_better(self.question) else 1.0
        return positive(sign * (a - b), u + v, sign * (s - t))


def special() -> Any:
    """scipy's functions, when they are needed."""
    from scipy import special as found

    return found


def _probit(p: Array) -> Array:
    return np.asarray(special().ndtri(np.clip(p, 1e-12, 1 - 1e-12)))


def _over(limit: float, value: Array, variance: Array, third: Array) -> Array:
    """P(the measure > the limit), by its linear part."""
    return positive(value - limit, variance, third)


def moved(found: Array, some: Array, law: Array) -> Array:
    """Probabilities, moved on the normal scale by the line from `some` of them to what the laws of these tell.

    The line is fitted by least squares, in which probabilities far from any level weigh little.
    """
    x, y = _probit(some), _probit(law)
    weights = np.exp(-(x**2) / 8.0)
    weights /= weights.sum()
    middle, off = float(weights @ x), float(weights @ (y - x))
    spread = float(weights @ (x - middle) ** 2)
    lean = float(weights @ ((x - middle) * (y - x - off))) / spread if spread > _FLAT else 0.0
    at = _probit(found)
    return np.asarray(special().ndtr(at + off + lean * (at - middle)))


def _distinct(tables: list[Array]) -> tuple[list[Array], Index]:
    """Data sets that differ, and for each of all its place among them."""
    each, back = np.unique(np.concatenate(tables, axis=1), axis=0, return_inverse=True)
    return np.split(each, len(tables), axis=1), back.ravel()


def moments(q: Any) -> tuple[Array, Array, Array]:
    """A measure of four cells, about: its value, and the variance and third moment of its linear part."""
    found = {c: np.asarray(x, dtype=float) for c, x in q.model.cells.items()}
    return of_formula(q.light.formula, found)


def pair_moments(q: Any) -> tuple[Array, Array, Array]:
    """The same of the difference of two systems on the same items."""
    answers = q.answers()
    shapes = dict(zip(answers.pairs, answers.pair_shapes(), strict=True))
    values, slopes = [], []
    for s in (0, 1):
        cells = {name: np.zeros(q.state.evidence.shape) for name in CELLS}
        for pattern, shape in shapes.items():
            cells[_NAMES[pattern[0], pattern[1 + s]]] = cells[_NAMES[pattern[0], pattern[1 + s]]] + shape
        value, slope = slopes_of(q.light.formula, cells)
        values.append(value)
        slopes.append(slope)
    variance = third = np.zeros_like(values[0])
    for (y, a, b), shape in shapes.items():
        lean = slopes[0][_NAMES[y, a]] - slopes[1][_NAMES[y, b]]
        variance, third = variance + shape * lean**2, third + 2.0 * shape * lean**3
    return values[0] - values[1], np.maximum(variance, 1e-300), third


def lower_is_better(question: Any) -> bool:
    """Whether the better of two systems has the lower value."""
    return bool(question.metric.better == "lower")


def seeing(question: Any, evidence: Any) -> Any:
    """The same question of other evidence; laws that are drawn are drawn coarsely."""
    state = question.state.seeing(evidence)
    return replace(question, state=replace(state, tolerance=max(state.tolerance, _COARSE), kept={}))


# -- from questions to outlooks


def population(state: Any, seed: int, stated: Array | None) -> Population:
    """Of what a pilot leaves open, or of stated probabilities."""
    if stated is None:
        return Population.after(state.evidence, state.prior, seed)
    return Population.stated(state.evidence, stated, seed)


def of_one(question: Any, population: Population) -> OfTables:
    """The outlook of one system."""
    route = _route(question, population)
    if route == "closed form":
        return OfTables(question, population, _QUICK)
    linear = has_moments(question)
    return OfTables(question, population, _MANY if linear else _SLOW, linear)


def has_moments(question: Any) -> bool:
    """Whether a measure is a formula of four cells under a flat prior, all of whose steps have slopes."""
    light = getattr(question, "light", None)
    return (
        light is not None
        and not question.state.prior.two_level
        and all(x.function is None for x in light.formula.walk())
    )


def _route(question: Any, population: Population) -> str:
    found: str = seeing(question, population.batch(population.counts(100, 8, 0))).distribution.route
    return found


def of_difference(question: Any, population: Population, by: float, disagreement: float | None) -> OfPairs | OfTwoTests:
    """The outlook of two systems that differ by so much in the measure: the first is the better one."""
    if population.systems == 2:
        return _of_pairs(question, population, _solved(question, population, by, population.favouring))
    second = _solved(question, population, by, population.with_more_errors)
    if disagreement is not None:
        joint = population.paired()
        _refuse_disagreement(population, second, by, disagreement)

        def turned(shares: Array) -> Array:
            return joint.together(population, shares, second(shares), disagreement)

        return _of_pairs(question, joint, turned)
    route = _route(question, population)
    if route == "sampled":
        raise BadSetting(
            f"no plan is made for two tests on {question.asked}, whose law is drawn: give another measure."
        )
    linear, quick = has_moments(question), route == "closed form"
    return OfTwoTests(question, population, second, _pace(linear, quick), linear, quick)


def _pace(linear: bool, quick: bool) -> int:
    return _MANY if linear else _QUICK // 2 if quick else _SLOW


def _of_pairs(question: Any, population: Population, turned: Turn) -> OfPairs:
    if question.differences_drawn:
        return OfPairs(question, population, turned, _SLOW, False, False)
    route = seeing(question, population.batch(population.counts(100, 8, 0, turned))).difference().route
    linear, quick = has_moments(question), route == "closed form"
    return OfPairs(question, population, turned, _pace(linear, quick), linear, quick)


def _refuse_disagreement(population: Population, second: Turn, by: float, disagreement: float) -> None:
    """Systems that differ must disagree, and no more than their errors allow."""
    first = population.middle
    low, high = population.disagreements(first, second(first))
    if not low - 1e-9 <= disagreement <= high + 1e-9:
        raise BadSetting(
            f"systems that differ by {by:g} and err as expected disagree on {low:.3g} to {high:.3g} of the items; "
            f"got {option('disagreement', disagreement)}."
        )


def _solved(question: Any, population: Population, by: float, moved: Callable[[Array, Array], Array]) -> Turn:
    """A change of shares after which the systems differ by so much."""
    names = population.names

    def score(shares: Array, name: str) -> Array:
        one = population.batch(shares)
        return np.asarray(seeing(question, one.system(name) if len(names) > 1 else one).score, dtype=float)

    def gap(shares: Array, step: Array) -> Array:
        new = moved(shares, step)
        first, second = (shares, new) if len(names) == 1 else (new, new)
        return np.abs(score(first, names[0]) - score(second, names[-1]))

    def turned(shares: Array) -> Array:
        low, high = np.zeros(len(shares)), np.ones(len(shares))
        short = ~(gap(shares, high) >= by - _EQUAL)
        if short.mean() > 0.5:
            reach = float(np.nanmedian(gap(shares, high)))
            raise BadSetting(
                f"a difference of {by:g} is out of reach: systems as expected differ by {reach:.3g} at most."
            )
        for _ in range(50):
            middle = 0.5 * (low + high)
            enough = gap(shares, middle) >= by
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return moved(shares, high)

    return turned
