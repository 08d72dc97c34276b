"""Comparison: two systems, their difference and the probability of being better."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from howsure._wins import EVEN, Wins, compare_wins
from howsure.arrays import AnyArray, Array
from howsure.distributions.difference import difference_of, order_of
from howsure.distributions.sampled import Sampled
from howsure.distributions.stacked import Stacked, table_routes
from howsure.errors import BadSetting
from howsure.evidence import protocol
from howsure.evidence.outcomes import Outcomes
from howsure.messages import verdicts
from howsure.messages.notes import Notes, at_level, merged, note
from howsure.messages.numbers import ends, probability, within
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution, Error, number_or_array
from howsure.posteriors.estimand import Estimand, Gap, drawn_gap
from howsure.posteriors.posterior import Posterior, posterior
from howsure.posteriors.priors import NAMES
from howsure.results.outlines import outline
from howsure.results.result import Result, envelope, real
from howsure.verbs import slices
from howsure.verbs.largest_gap import PooledSlices
from howsure.verbs.rows import Row, row_documents, told_alike, unlike_scales
from howsure.verbs.slices import SliceMarks, dealt, marks

# -- slicing
#
# Slices of a comparison: their order, which stand out by their difference, and what a page shows of many.

Pair = tuple[Row, Row]


def marked(rows: Pair, wholes: Pair, joint: Posterior | None) -> SliceMarks | None:
    """Which slices stand out by the difference of the two; both are dealt together where they had the same items."""
    apart: Any = [row.question.state for row in rows]
    deal = dealt([joint] if joint is not None else apart, apart[0].seed)
    if deal is None:
        return None
    parts = []
    for k, row in enumerate(rows):
        own = deal.posteriors[k] if joint is None else deal.posteriors[0].system(str(row.system))
        parts.append(row.put_to(own).score)
    with np.errstate(invalid="ignore"):
        whole = float(wholes[0].score - wholes[1].score)
        return marks(deal, rows[0].score - rows[1].score, parts[0] - parts[1], whole)


def ordered(sort: str, direction: str | None, better: Any, d: Distribution, sizes: AnyArray) -> list[int]:
    """The slices, flat, in the order asked for; by name where the measure has no direction."""
    if sort == "n":
        return np.argsort(-np.ravel(sizes), kind="stable").tolist()  # type: ignore[no-any-return]
    if sort == "name" or direction is None:
        return list(range(int(np.size(d.mean))))
    mean, std = np.ravel(d.mean), np.ravel(d.std)
    if direction == "lower":
        mean = -mean
    if sort == "difference":
        return np.argsort(mean, kind="stable").tolist()  # type: ignore[no-any-return]
    sign = 1.0 if sort == "worse" else -1.0
    with np.errstate(all="ignore"):  # equal probabilities, as of draws, go by how far the difference is from 0
        z = np.nan_to_num(mean / std)
    return np.lexsort((sign * z, sign * np.ravel(better))).tolist()  # type: ignore[no-any-return]


def page(document: dict[str, Any], each: int = 1) -> dict[str, Any]:
    """Of the rows of many tables only the first and the last; a table has so many rows each."""
    rows = document["rows"]
    overall = sum(bool(row.get("overall")) for row in rows)
    tables = (len(rows) - overall) // each
    if tables <= slices.MOST:
        return document
    ends, hidden = slices.ENDS * each, slices.gap(tables, overall, each)
    return document | {"rows": [*rows[: overall + ends], *rows[-ends:]], "hidden": hidden}


def grouped(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of several measures, those of a slice together; slices in the order of the first measure."""
    place = {_key(row): k for k, row in enumerate(documents[0]["rows"])}
    rows = [row for document in documents for row in document["rows"]]
    return sorted(rows, key=lambda row: place.get(_key(row), len(place)))


def _key(row: dict[str, Any]) -> str:
    return json.dumps([row.get("overall"), row.get("slice")])


# -- classical
#
# Classical tests of two systems on the same items: p-values, each with what it is a test of.


class Tests(dict[str, float | None]):
    """p-values by the name of the test; `of` says what each is a test of.

    >>> Tests({"mcnemar-exact": 0.5, "permutation": 0.04}, {"mcnemar-exact": "accuracy", "permutation": "f1"})
    Tests(mcnemar-exact of accuracy: 0.5, permutation of f1: 0.04)
    """

    def __init__(self, p_values: Mapping[str, float | None], of: Mapping[str, str]) -> None:
        super().__init__(p_values)
        self.of = dict(of)

    def __repr__(self) -> str:
        return f"Tests({', '.join(f'{name} of {self.of[name]}: {p}' for name, p in self.items())})"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data: for each test what it tests, and p."""
        return {name: {"tests": self.of[name], "p": p} for name, p in self.items()}


def classical(joint: Estimand) -> Tests:
    """The tests that a question about two systems has.

    McNemar's look at right and wrong answers, whatever the measure; permutations swap the answers and follow it. The
    sign test counts the items on which either has the better value, and Wilcoxon's ranks their differences.
    """
    own = str(joint.asked)
    right = _right(joint)
    of = {
        "mcnemar-exact": right, "mcnemar-mid-p": right, "permutation": own, "delong": own,
        "sign": "which has the better value more often", "wilcoxon": "whether differences lie evenly around 0",
    }  # fmt: skip
    found = joint.classical_tests()
    return Tests(found, {name: of[name] for name in found})


def _right(joint: Estimand) -> str:
    """What counts as a right answer to McNemar's tests, as the measure that is its share."""
    metric: Any = joint.metric
    known = joint.state.evidence.describe()
    labels = known.get("labels") or ()
    label = metric.label if metric.label is not None else known.get("positive") if len(labels) > 2 else None
    if label is not None and not getattr(metric, "agreement", False) and not getattr(metric, "average", ""):
        return "accuracy" if len(labels) == 2 else f"accuracy of {label} against the rest"
    return str(joint.asked) if known.get("outcome") or getattr(metric, "any_of", False) else "accuracy"


# -- independent
#
# Two systems tested on different items: P(A > B) is the mean of one cdf under the other law (Goutte 2.3).


OTHER_SEED: Final = 1_000_000_007  # independent systems are drawn from other streams


@dataclass(frozen=True, eq=False)
class Apart:
    """Draws of the difference (or the ratio) of two laws: independent ones, but for what the questions share."""

    first: Estimand
    second: Estimand
    combine: Callable[[Array, Array], Array] = np.subtract

    def __call__(self, n: int, seed: int) -> Array:
        return self.combine(*draws_apart([self.first, self.second], n, seed))


def draws_apart(questions: Sequence[Estimand], n: int, seed: int) -> list[Array]:
    """Draws of systems tested on different items."""
    lead, *others = questions
    linked = lead.linked_draws(others)
    if linked is not None:
        return linked(n, seed)
    return [q.distribution.draws(n, seed=seed + k * OTHER_SEED) for k, q in enumerate(questions)]


def gap(one: Estimand, two: Estimand, draws: int | None = None) -> Gap:
    """First against second: one integral where both laws are computed; a number of draws is the paper's own way."""
    a, b = one.distribution, two.distribution
    linked = one.linked_draws([two]) is not None
    law = difference_of(a.law, b.law) if draws is None and not linked else None
    if law is None:
        return drawn_gap(_drawn(one, two, draws))
    if law.usual or law.closes:
        difference = Distribution(f"difference of {a.name}", law, "quadrature", Apart(one, two))
    elif law.closed:
        difference = _drawn(one, two, None)
    else:
        return drawn_gap(_drawn(one, two, None))
    above, below = law.signs()
    return Gap(
        number_or_array(above), number_or_array(below), difference, "quadrature", float(np.max(law.chance_error()))
    )


def chances(one: Estimand, two: Estimand) -> tuple[float, float, float]:
    """P(A > B) and P(A < B) alone, and their error."""
    a, b = one.distribution, two.distribution
    alone = one.linked_draws([two]) is None
    law = difference_of(a.law, b.law) if alone else None
    if law is not None and (law.usual or law.closes or law.closed):
        above, below = law.signs()
        return number_or_array(above), number_or_array(below), float(np.max(law.chance_error()))
    ordered = order_of(a.law, b.law) if alone else None
    if ordered is not None:
        return ordered
    found = drawn_gap(_drawn(one, two, None))
    return found.above, found.below, found.error


def most_draws(n: int, *questions: Estimand) -> int:
    """At most as many draws as each of the questions can afford."""
    return min(n, *(q.most_draws or n for q in questions))


def _drawn(one: Estimand, two: Estimand, draws: int | None) -> Distribution:
    """The paper's own way (eq. 13): the share of draws."""
    a, b = one.distribution, two.distribution
    n = draws or most_draws(min(one.gap_draws, two.gap_draws), one, two)
    low, high = a.range[0] - b.range[1], a.range[1] - b.range[0]
    sampler = Apart(one, two)
    x = np.sort(sampler(n, one.state.seed), axis=0)
    return Distribution(f"difference of {a.name}", Sampled(x, low, high), "sampled", sampler)


# -- result
#
# Comparison: P(first better than second), the law of the difference, and the verdict in words.

RATIO_DRAWS = 200_000


@dataclass(frozen=True, eq=False)
class Divided:
    """Draws of first/second on the same items."""

    joint: Estimand

    def __call__(self, n: int, seed: int) -> Array:
        return _divide(*self.joint.ratio_draws(n, seed))


def _divide(x: Array, y: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf))


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """first against second on one measure; numbers for one pair of tables, arrays for a batch."""

    first: Row
    second: Row
    gap: Gap
    posterior: Posterior  # of both systems, or of the first
    equal_within: float | None
    joint: Estimand | None = None  # of both systems, where they had the same items
    sort: str = "worse"
    overall: Comparison | None = None  # of all items, where there are slices
    slices_of: str | None = None  # the column of which both are slices
    pooled: PooledSlices | None = None  # all slices, where these two are those furthest apart

    @property
    def metric(self) -> Any:
        """The measure."""
        return self.first.metric

    @property
    def asked(self) -> str:
        """The name asked for."""
        return self.first.asked

    @property
    def level(self) -> float:
        """Of the intervals."""
        return self.first.level

    @property
    def interval(self) -> str:
        """The kind of the intervals."""
        return self.first.kind

    @property
    def paired(self) -> bool:
        """Whether both had the same items."""
        return self.joint is not None

    @property
    def systems(self) -> tuple[str, str]:
        """The names of both."""
        return str(self.first.system), str(self.second.system)

    @cached_property
    def difference(self) -> Distribution:
        """The law of first - second; draws cannot tell that a moment does not exist, the laws of both sides can."""
        d, sides = self.gap.difference, (self.first.distribution, self.second.distribution)
        endless = [np.isinf(np.asarray(x.std, dtype=float)) for x in sides]
        if not isinstance(d.law, Sampled) or any(x.ess for x in sides) or not np.any(endless[0] | endless[1]):
            return d
        with np.errstate(invalid="ignore"):
            mean = np.broadcast_to(np.subtract(sides[0].mean, sides[1].mean), d.shape)
        std = np.where(endless[0] | endless[1], np.inf, d.law.std())
        return replace(d, law=replace(d.law, known_mean=mean, known_std=std))

    @property
    def route(self) -> str:
        """How the probabilities were found."""
        return self.gap.route

    @property
    def p_above(self) -> Any:
        """P(first above second)."""
        return self.gap.above

    @property
    def p_below(self) -> Any:
        """P(first below second)."""
        return self.gap.below

    @property
    def p_better(self) -> Any:
        """P(first better than second) in the metric's direction; None when it has none."""
        return {"higher": self.p_above, "lower": self.p_below, None: None}[self.metric.better]

    @property
    def p_worse(self) -> Any:
        """P(first worse than second); p_better + p_worse = 1."""
        return {"higher": self.p_below, "lower": self.p_above, None: None}[self.metric.better]

    @cached_property
    def p_equal(self) -> Any:
        """P(the two differ by at most equal_within); None when that was not given."""
        return None if self.equal_within is None else self.gap.within(self.equal_within)

    @property
    def error(self) -> Error:
        """Bounds: of the difference's numbers, and of every probability."""
        return Error(self.difference.error.value, self.gap.error)

    @cached_property
    def notes(self) -> Notes:
        """What is to be said of the comparison and of both systems."""
        own = list(at_level(self.difference.notes, self.level))
        if self.metric.better is None:
            own.insert(0, note("no-direction", of=self.asked))
        priors = [row.question.state.prior for row in (self.first, self.second)]
        if priors[0] != priors[1]:
            own.insert(0, note("priors-differ", first=priors[0].name, second=priors[1].name))
        own += self._pairing()
        if self.pooled is not None:
            (first, second), many = self.systems, len(self.pooled.questions)
            facts: dict[str, Any] = {"column": self.slices_of, "first": first, "second": second, "slices": many}
            own.insert(0, note("largest-gap", of=self.asked, moved=self.pooled.pull, **facts))
        if np.isnan(np.asarray(self.difference.mean, dtype=float)).any():
            own.append(note("no-mean", of=self.asked))
        found = [*unlike_scales((self.first, self.second)), *own, *self.first.notes, *self.second.notes]
        if self.overall is not None:
            codes = {n.code for n in found}
            found += [n for n in self.overall.notes if n.code not in codes]
        if self._marks is not None:
            found.append(self._marks.note(self.asked, None, "difference"))
        return merged(found)

    @cached_property
    def _marks(self) -> SliceMarks | None:
        """Which slices stand out by their difference; None where there are not many."""
        if self.overall is None:
            return None
        own = None if self.joint is None else self.posterior
        return marked((self.first, self.second), (self.overall.first, self.overall.second), own)

    def _pairing(self) -> Notes:
        """What pairing told: the probability as if the systems had been tested on different items."""
        if self.joint is None or np.ndim(self.p_above) or self.metric.better is None:
            return ()
        apart = chances(self.first.question, self.second.question)
        clusters = self.posterior.evidence.describe().get("clusters")
        other = apart[0 if self.metric.better == "higher" else 1]
        what, error = "clusters" if clusters else "items", max(self.gap.error, apart[2])
        alone = self.joint.right_alone()
        won = (None if self.wins is None else tuple(map(int, self.wins.counts[:2]))) if alone is None else alone
        return (
            note(
                "pairing", of=(self.asked,), here=(self.p_better,), apart=(other,), error=(error,), won=(won,),
                right=(alone is not None,), what=what, systems=self.systems,
            ),
        )  # fmt: skip

    @cached_property
    def ratio(self) -> Distribution:
        """The law of first/second, by draws; for measures that start at 0."""
        a, b = self.first.distribution, self.second.distribution
        if self.pooled is not None:
            raise BadSetting("slices that are pooled have a difference, and no ratio; name two of them.")
        if a.range[0] < 0 or b.range[0] < 0:
            raise BadSetting(f"a ratio of {self.asked} makes no sense: it can be negative.")
        one, two = self.first.question, self.second.question
        sampler = Apart(one, two, _divide) if self.joint is None else Divided(self.joint)
        draws = np.sort(sampler(most_draws(RATIO_DRAWS, one, two), one.state.seed), axis=0)
        return Distribution(f"ratio of {self.metric}", Sampled(draws, 0.0, np.inf), "sampled", sampler, log_scale=True)

    @cached_property
    def proportion(self) -> Distribution:
        """The posterior of a sampled P(first above second): Beta, whose std is the paper's "+/-" (after eq. 13)."""
        law = self.difference.law
        if self.route != "sampled" or not isinstance(law, Sampled):
            raise BadSetting("this probability was computed, not sampled: it has no sampling error.")
        return posterior(Outcomes.rate(hits=(law.draws > 0).sum(axis=0), of=law.n), "jeffreys")["rate"]

    @cached_property
    def wins(self) -> Wins | None:
        """On how many items either system has the better value, as hs.compare_wins; None for tables of classes."""
        counts = None if self.joint is None else self.joint.wins()
        if counts is None:
            return None
        first, second, same = counts
        return compare_wins(first, second, same, names=self.systems, level=self.level)

    def tests(self) -> Tests:
        """p-values by name: McNemar exact (the sign test) and mid-p, which test accuracy, and a permutation test of the
        measure; of graded values the sign test, Wilcoxon's and a permutation test of the mean; of the AUC DeLong's.

        `of` of the result says what each tests.
        """
        if self.joint is None:
            raise BadSetting("these tests are for two systems on the same items.")
        return classical(self.joint)

    def under_priors(self, names: Iterable[Any] = NAMES) -> tuple[Comparison, ...]:
        """The same comparison under each of some priors, to see how much they tell: even, jeffreys and uniform."""
        if self.pooled is not None:
            raise BadSetting("slices that are pooled are compared under the prior that they have; name two of them.")
        return tuple(self._under(name) for name in names)

    def _under(self, prior: Any) -> Comparison:
        def seen(old: Any) -> Posterior:
            return posterior(old.evidence, prior, tolerance=old.tolerance, seed=old.seed)

        overall = None if self.overall is None else self.overall._under(prior)
        if self.joint is not None:
            p = seen(self.posterior)
            joint = p.kind.question(p, self.metric, self.asked)
            one, two = (row.put_to(p.system(str(row.system))) for row in (self.first, self.second))
            found = joint.difference()
        else:
            p, other = (seen(row.question.state) for row in (self.first, self.second))
            joint, one, two = None, self.first.put_to(p), self.second.put_to(other)
            found = gap(one, two)
        rows = replace(self.first, question=one), replace(self.second, question=two)
        return replace(self, first=rows[0], second=rows[1], gap=found, posterior=p, joint=joint, overall=overall)

    @property
    def _library(self) -> str | None:
        return self.posterior.library

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        if np.ndim(self.p_above):
            return {}
        found: dict[str, Callable[[], Any]] = {
            "systems": lambda: [outline(row.distribution, self.level, self.interval, label=str(row.system))
                                for row in (self.first, self.second)],
            "difference": lambda: outline(self.difference, self.level, self.interval, above=0.0),
        }  # fmt: skip
        priors = [row.question.state.prior for row in (self.first, self.second)]
        if self.pooled is None and not self.posterior.prior.shared and priors[0] == priors[1]:
            own = () if self.posterior.prior.name in NAMES else (self,)
            found["priors"] = lambda: [c._document for c in (*own, *self.under_priors())]
        return found

    @property
    def verdict(self) -> Any:
        """The finding in words; a list for a batch."""
        told = (self.p_better, self.p_worse, self.p_equal, self.gap.error, self._equal_error)
        columns = np.broadcast_arrays(*(np.asarray(x, dtype=object) for x in told))
        if columns[0].ndim == 0:
            return self._words(*(x.item() for x in columns))
        return [self._words(*each) for each in zip(*(x.ravel() for x in columns), strict=True)]

    def _words(self, p: float | None, worse: float | None, equal: float | None, error: float, apart: float) -> str:
        (a, b), on = self.systems, self.asked
        if p is None and not np.any(self.difference.std):
            said = f"{a} and {b} have the same {on}"
        elif p is None and self.difference.shape:
            said = f"{on} has no better direction: the intervals say how far {a} and {b} are apart"
        elif p is None:
            low, high = ends(*self.difference.interval(self.level, kind=self.interval))
            said = verdicts.between(a, b, on, low, high, self.level)
        elif abs(p - 0.5) <= max(EVEN, error):
            said = verdicts.even(a, b, on, probability(0.5, error))
        else:
            first, other, p, rest = (a, b, p, worse) if p >= 0.5 else (b, a, 1.0 - p if worse is None else worse, p)
            said = verdicts.better(first, other, on, p, probability(p, error, rest=rest), self.level)
        if equal is None or self.equal_within is None:
            return said
        within, beyond = (probability(x, apart, rest=1.0 - x) for x in (equal, 1.0 - equal))
        return f"{said}; {verdicts.within('they', self.equal_within, equal, within, beyond, self.level)}"

    @property
    def _equal_error(self) -> Any:
        """Of P(the two differ by at most equal_within): that of the draws of the difference, where it is drawn."""
        d = self.difference
        return self.gap.error if d.law.n is None else number_or_array(np.maximum(self.gap.error, d.error.probability))

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        first = [] if self.overall is None else self.overall._listed()
        rows = self._listed()
        for row in first:
            row["overall"] = True
        if self.overall is not None:
            for k, row in enumerate(rows):
                row |= {"overall": False, "marked": None if self._marks is None else self._marks.at(k)}
            rows = [rows[k] for k in self._order()]
        alone = first or rows
        data: dict[str, Any] = {
            "systems": list(self.systems), "paired": self.paired, "n": alone[0]["n"] if len(alone) == 1 else None,
        }  # fmt: skip
        if self.slices_of is not None:
            many = 2 if self.pooled is None else len(self.pooled.questions)
            data |= {"between": self.slices_of, "slices": many}
        return envelope(
            "howsure.compare/1", [*first, *rows], prior=p.prior_document, level=self.level,
            interval=self.interval, seed=p.seed, notes=self.notes,
            data=data | told_alike((self.first, self.second), self.paired),
            account=protocol.document(row.question.state.evidence for row in (self.first, self.second)),
        )  # fmt: skip

    def page(self) -> dict[str, Any]:
        """The document for people: of many tables only the first and the last in their order."""
        return page(self._document)

    def _order(self) -> list[int]:
        """The slices in the order asked for."""
        sizes = self.first.question.state.evidence.totals
        return ordered(self.sort, self.metric.better, self.p_better, self.difference, sizes)

    def _listed(self) -> list[dict[str, Any]]:
        """A row for each table, in the order of their names."""
        return self._rows(*(row_documents([row]) for row in (self.first, self.second)))

    def _rows(self, one: list[dict[str, Any]], two: list[dict[str, Any]]) -> list[dict[str, Any]]:
        d = self.difference
        low, high = d.interval(self.level, kind=self.interval)
        left, right = d.end_errors(self.level, self.interval)
        size = np.shape(self.p_above)
        routes = table_routes(d.law, self.route) if isinstance(d.law, Stacked) else np.full(size, self.route)
        drawn = table_routes(d.law, d.route) == "sampled"
        many = int(np.prod(size, dtype=int))
        one, two = (x * many if len(x) == 1 else x for x in (one, two))  # one table against each of a batch
        columns = {
            "mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high,
            "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal, "value": d.error.value,
            "mean error": np.where(drawn, d.mean_error(), d.error.value) if drawn.any() else d.error.value,
            "low error": left, "high error": right, "probability error": self.gap.error,
            "equal error": None if self.equal_within is None else self._equal_error,
        }  # fmt: skip
        flat = {k: None if v is None else np.broadcast_to(v, size).ravel() for k, v in columns.items()}
        words = [self.verdict] if not size else self.verdict

        def at(key: str, i: int) -> float | None:
            values = flat[key]
            return None if values is None else real(values[i])

        return [
            {
                "metric": str(self.metric),
                "better": self.metric.better,
                "paired": self.paired,
                "first": a,
                "second": b,
                "slice": a["slice"],
                "overall": None,
                "n": a["n"] if self.paired and np.isclose(a["n"], b["n"], rtol=1e-9, atol=0.0) else None,
                "marked": None,
                **{k: at(k, i) for k in ("p_better", "p_worse", "p_equal")},
                "equal_within": self.equal_within,
                "difference": {
                    "score": None if None in (a["score"], b["score"]) else a["score"] - b["score"],
                    **{k: at(k, i) for k in ("mean", "std", "median", "low", "high")},
                },
                "error": {
                    "value": at("value", i),
                    "probability": at("probability error", i),
                    **{k: at(f"{k} error", i) for k in ("mean", "low", "high")},
                    **({} if self.equal_within is None else {"equal": at("equal error", i)}),
                },
                "route": "sampled" if np.ravel(drawn)[i % np.size(drawn)] else str(routes.flat[i]),
                "verdict": words[i],
                **self._won(i),
            }
            for i, (a, b) in enumerate(zip(one, two, strict=True))
        ]

    def _won(self, i: int) -> dict[str, Any]:
        """Items on which either has the better value."""
        if self.wins is None:
            return {}
        first, second, same = (int(np.ravel(x)[i]) for x in self.wins.counts)
        p_better = real(np.ravel(self.wins.p_better)[i])
        return {"wins": {"first": first, "second": second, "same": same, "p_better": p_better}}

    def __repr__(self) -> str:
        if np.ndim(self.p_above):
            a, b = self.systems
            return visible(f"Comparison({a}, {b}, {self.metric}, batch {np.shape(self.p_above)})")
        d = self.difference
        low, high = d.interval(self.level)
        gap = float(self.first.score) - float(self.second.score)
        told = within(gap, low, high, errors=d.end_errors(self.level, "equal-tailed"))
        return f"{visible(self.verdict)}; difference {told}"
