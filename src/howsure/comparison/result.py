"""Comparison: P(first better than second), the law of the difference, and the verdict in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.comparison import slicing
from howsure.comparison.classical import Tests, classical
from howsure.comparison.independent import Apart, chances, most_draws
from howsure.comparison.independent import gap as gap_of
from howsure.comparison.wins import EVEN, Wins, compare_wins
from howsure.distribution import Distribution, Error
from howsure.envelope import envelope
from howsure.errors import BadSetting
from howsure.evidence import account
from howsure.evidence.outcomes import Outcomes
from howsure.kernels.sampled import Sampled
from howsure.model.posterior import Posterior, posterior
from howsure.model.question import Gap, Question
from howsure.notes import Notes, at_level, merged, note
from howsure.outlines import outline
from howsure.priors import NAMES
from howsure.render import verdicts
from howsure.render.harmless import visible
from howsure.render.numbers import ends, probability, within
from howsure.result import Result
from howsure.rows import Row, real, row_documents, told_alike, unlike_scales
from howsure.slice_marks import SliceMarks

Array = NDArray[np.float64]

RATIO_DRAWS = 200_000


@dataclass(frozen=True, eq=False)
class Divided:
    """Draws of first/second on the same items."""

    joint: Question

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
    joint: Question | None = None  # of both systems, where they had the same items
    sort: str = "worse"
    overall: Comparison | None = None  # of all items, where there are slices

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
        return slicing.marked((self.first, self.second), (self.overall.first, self.overall.second), own)

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
            found = gap_of(one, two)
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
        if not self.posterior.prior.shared and self.first.question.state.prior == self.second.question.state.prior:
            own = () if self.posterior.prior.name in NAMES else (self,)
            found["priors"] = lambda: [c._document for c in (*own, *self.under_priors())]
        return found

    @property
    def verdict(self) -> Any:
        """The finding in words; a list for a batch."""
        better, equal = np.asarray(self.p_better, dtype=object), np.asarray(self.p_equal, dtype=object)
        if better.ndim == 0:
            return self._words(better.item(), self.p_worse, equal.item())
        better, worse, equal = np.broadcast_arrays(better, np.asarray(self.p_worse, dtype=object), equal)
        return [self._words(*each) for each in zip(better.ravel(), worse.ravel(), equal.ravel(), strict=True)]

    def _words(self, p: float | None, worse: float | None, equal: float | None) -> str:
        (a, b), on, error = self.systems, self.asked, self.gap.error
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
        within, beyond = (probability(x, self._equal_error, rest=1.0 - x) for x in (equal, 1.0 - equal))
        return f"{said}; {verdicts.within('they', self.equal_within, equal, within, beyond, self.level)}"

    @property
    def _equal_error(self) -> float:
        """Of P(the two differ by at most equal_within): that of the draws of the difference, where it is drawn."""
        d = self.difference
        return self.gap.error if d.law.n is None else max(self.gap.error, float(np.max(d.error.probability)))

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
        data = {"systems": list(self.systems), "paired": self.paired, "n": alone[0]["n"] if len(alone) == 1 else None}
        return envelope(
            "howsure.compare/1", [*first, *rows], prior=p.prior_document, level=self.level,
            interval=self.interval, seed=p.seed, notes=self.notes,
            data=data | told_alike((self.first, self.second), self.paired),
            account=account.document(row.question.state.evidence for row in (self.first, self.second)),
        )  # fmt: skip

    def page(self) -> dict[str, Any]:
        """The document for people: of many tables only the first and the last in their order."""
        return slicing.page(self._document)

    def _order(self) -> list[int]:
        """The slices in the order asked for."""
        sizes = self.first.question.state.evidence.totals
        return slicing.ordered(self.sort, self.metric.better, self.p_better, self.difference, sizes)

    def _listed(self) -> list[dict[str, Any]]:
        """A row for each table, in the order of their names."""
        return self._rows(*(row_documents([row]) for row in (self.first, self.second)))

    def _rows(self, one: list[dict[str, Any]], two: list[dict[str, Any]]) -> list[dict[str, Any]]:
        d = self.difference
        low, high = d.interval(self.level, kind=self.interval)
        left, right = d.end_errors(self.level, self.interval)
        size = np.shape(self.p_above)
        many = int(np.prod(size, dtype=int))
        one, two = (x * many if len(x) == 1 else x for x in (one, two))  # one table against each of a batch
        columns = {
            "mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high,
            "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal, "value": d.error.value,
            "mean error": d.mean_error() if d.route == "sampled" else d.error.value,
            "low error": left, "high error": right,
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
                    "probability": self.gap.error,
                    **{k: at(f"{k} error", i) for k in ("mean", "low", "high")},
                    **({} if self.equal_within is None else {"equal": self._equal_error}),
                },
                "route": self.route,
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
