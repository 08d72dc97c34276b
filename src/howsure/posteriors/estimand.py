"""Estimand: a metric resolved against a posterior. One class for each way of looking at it.

Verbs (score, compare, leaderboard, charts, gates) talk to estimands only: what was asked, the point score, the law with
its route, joint draws over systems, the difference of two systems, what chance gives, what the prior puts on what the
measure looks at, and what is to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from howsure.arrays import Array, Index, Mask
from howsure.catalogue.metric import Measure
from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution, number_or_array
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law
    from howsure.evidence.graded import Spread
    from howsure.posteriors.state import Outlook


Places = tuple[Index, ...] | None

EXACT = 1e-12  # error of a probability that is computed


class Chance(NamedTuple):
    """What random guessing at the same margins gives, P(better than that), and how far this may be off."""

    score: Array
    better: Array
    error: Array


@dataclass(frozen=True, eq=False)
class Gap:
    """First against second: P(above), P(below), the law of the difference, its route, and a probability's error."""

    above: Any
    below: Any
    found: Distribution | Callable[[], Distribution]  # the law of the difference, or how to find it when asked
    route: str
    error: Any  # of one table, or of each table of a batch

    @cached_property
    def difference(self) -> Distribution:
        """The law of the difference."""
        return self.found if isinstance(self.found, Distribution) else self.found()

    def within(self, margin: float) -> Any:
        """P(the difference lies within a margin)."""
        d = self.difference
        if d.law.n is None:
            inside = d.law.tails(np.asarray(margin))[0] - d.law.tails(np.asarray(-margin))[0]
        else:
            inside = np.asarray(d.cdf(margin)) - np.asarray(d.cdf(np.nextafter(-margin, -np.inf)))
        return number_or_array(np.clip(inside, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class NextScore:
    """What the next items will show: the law of the score given that it is defined, and P(it is 0/0)."""

    law: Law
    route: str
    undefined: Array
    sampler: Callable[[int, int], Array]
    unit: str = "item"  # what is counted: clusters are what comes next where items belong together
    notes: Notes = ()


def exact_gap(difference: Distribution, route: str) -> Gap:
    """Of a law that is computed."""
    below, above = difference.law.tails(np.zeros(()))
    return Gap(number_or_array(above), number_or_array(below), difference, route, EXACT)


def drawn_gap(difference: Distribution) -> Gap:
    """Of a law by draws: ties are shared equally, and no share is exactly 0 or 1 (the proportion's Beta mean)."""
    above, below = difference.law.signs()
    error = float(difference.error.probability)
    return Gap(number_or_array(above), number_or_array(below), difference, "sampled", error)


@dataclass(frozen=True, eq=False, repr=False)
class Estimand:
    """A measure put to a posterior. Array-valued over a batch; of several systems only what they share is asked."""

    state: State
    metric: Measure
    asked: str

    classes: ClassVar[tuple[Any, ...] | None] = None  # where the first axis of all arrays is the classes
    most_draws: ClassVar[int | None] = None  # of one system, where each costs much
    drawn_pairs: ClassVar[int] = 2  # systems whose differences are worth drawing pair by pair
    differences_drawn: ClassVar[bool] = False  # whether differences of systems have no other way than draws

    @property
    def canonical(self) -> str:
        """The measure's own name."""
        return str(self.metric)

    @cached_property
    def score(self) -> Array:
        """The measure of the items themselves; NaN where it is 0/0."""
        raise self._unasked("a score")

    @cached_property
    def distribution(self) -> Distribution:
        """Its law, as asked for."""
        law, route = self.law()
        return Distribution(self.shown, law, route, self.draws, self.metric.unbounded, self.remarks, self._point)

    def _point(self) -> Array:
        return self.score

    @property
    def shown(self) -> str:
        """What its law is called."""
        return self.asked

    def law(self) -> tuple[Law, str]:
        """The law and the route it was found by."""
        raise self._unasked("a law")

    def draws(self, n: int, seed: int) -> Array:
        """n draws of one system's measure, (n, *batch)."""
        return self.joint_draws(n, seed)[:, 0]

    def joint_draws(self, n: int, seed: int) -> Array:
        """n draws of the measure for every system, (n, systems)."""
        del n, seed
        raise self._unasked("joint draws of systems")

    @property
    def gap_draws(self) -> int:
        """Draws of a difference, where no number of them is asked for."""
        return self.state.wanted_draws(1.3)

    def difference(self) -> Gap:
        """The difference of two systems on the same items."""
        raise self._unasked("a difference of systems")

    def next_score(self, n: int) -> NextScore:
        """The score that the next n items will show."""
        del n
        raise self._unpredicted()

    def next_difference(self, n: int) -> NextScore:
        """The difference of the scores that two systems will show on the same next n items."""
        del n
        raise self._unpredicted()

    def _unpredicted(self, takes: str = "outcomes, tables of classes, and graded values") -> BadSetting:
        kind = type(self.state.evidence).__name__
        of = f"label sets ({option('sep')})" if kind == "Multilabel" else f"{kind} evidence"
        return BadSetting(f"forecast cannot tell {self.metric} of the next items of {of}; it takes {takes}.")

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Draws of both systems of a pair, made together."""
        x = self.joint_draws(n, seed)
        return x[:, 0], x[:, 1]

    def linked_draws(self, others: Sequence[Estimand]) -> Callable[[int, int], list[Array]] | None:
        """Draws of this and of other questions to different items, made together; None where nothing is shared."""
        del others
        return None

    def pair_chances(self) -> tuple[Array, float] | None:
        """P(system i above j) of all pairs as `difference` has it, and its error; None where it takes one by one."""
        return None

    @property
    def joint_budget(self) -> int:
        """Draws of all systems that are cheap enough to take where ranks are in doubt."""
        return 0

    @property
    def pairs_differ(self) -> bool:
        """Whether the difference of two systems has another prior than all systems together."""
        return False

    def chance(self, at: Places = None) -> Chance | None:
        """What random guessing gives; None where there is no such thing. `at` are indices into the batch."""
        del at
        return None

    def matches(self, other: Estimand) -> None:
        """Refuse another question that cannot be compared: of other classes."""

    def outlook(self, seed: int, stated: Array | None = None) -> Outlook:
        """What future items would show; of stated probabilities of the patterns, or of what this pilot leaves open."""
        del seed, stated
        raise self._unplanned()

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> Outlook:
        """The same of two systems of which the first is better by so much."""
        del by, seed, disagreement, stated
        raise self._unplanned()

    def wins(self) -> tuple[int, int, int] | None:
        """Items on which the first of two systems has the better value, the second has, and neither."""
        return None

    def right_alone(self) -> tuple[float, float] | None:
        """Items on which the first of two systems alone is right, and the second; None where none is right."""
        found = getattr(self.state.evidence, "right_alone", None)
        return None if found is None else found()

    def spread(self) -> Spread | None:
        """Return the range of graded values and of their middle 90%; None for other evidence."""
        found = getattr(self.state.evidence.only(self.metric), "spread", None)
        return None if found is None else found()

    def classical_tests(self) -> dict[str, float | None]:
        """p-values for readers of journals, of two systems on the same items."""
        raise self._unasked("a classical test")

    @property
    def prior_note(self) -> Note | None:
        """What the prior puts on what the measure looks at."""
        return None

    @property
    def remarks(self) -> Notes:
        """What is to be said of the law."""
        return tuple(self.state.evidence.notes)

    @cached_property
    def empty_cell(self) -> Mask:
        """Which tables need a rule for an empty cell in the point score."""
        return np.zeros((), dtype=bool)

    @cached_property
    def by_table(self) -> dict[str, Array]:
        """More numbers of each table than all questions have, as arrays of the batch."""
        return {}

    def shared(self, level: float) -> dict[str, Any] | None:
        """What tables of a batch tell each other, for the document; None where each stands alone."""
        del level
        return None

    @property
    def undefined(self) -> str:
        """When the point score is 0/0, in words."""
        return str(self.metric.undefined)

    @property
    def columns(self) -> dict[str, Any]:
        """More of a row of the document than all questions have."""
        return {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({visible(self.asked)}, {self.state.evidence!r})"

    def _unplanned(self) -> BadSetting:
        kind = type(self.state.evidence).__name__
        cut = f" Cut the scores, with {option('threshold')}." if kind == "Scored" else ""
        return BadSetting(f"no plan is made for {self.asked} of {kind}: it is for tables, outcomes, graded items and "
                          f"quotients of clusters.{cut}")  # fmt: skip

    def _unasked(self, what: str) -> BadSetting:
        return BadSetting(f"{self.metric} of {type(self.state.evidence).__name__} has no {what.removeprefix('a ')}.")

    def __getstate__(self) -> dict[str, Any]:
        """What was worked out is left behind."""
        return {k: v for k, v in self.__dict__.items() if k in self.__dataclass_fields__}


# -- what most kinds of evidence have in common


def nothing_shared(questions: Sequence[Estimand]) -> None:
    """Several questions have nothing to work out together."""
    del questions


def nothing_more(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """A report has nothing to tell beyond its rows."""
    del state, level
    return {}, ()
