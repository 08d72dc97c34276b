"""Measures of four cells: what the ways of looking at a 2x2 table, or at right and wrong answers, have in common.

A measure is asked of the cells tp, fp, fn, tn with a Dirichlet (or two-level) law: exact where its form has a route, by
draws where not. `light` is the measure in that light: an average of two classes is written out, a micro average of many
is one of right and wrong answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.arrays import Array, Index
from howsure.catalogue.forms import Linear
from howsure.catalogue.metric import Metric
from howsure.errors import BadSetting
from howsure.evidence.protocol import same_fields
from howsure.messages.notes import Notes, note
from howsure.posteriors.distribution import Distribution, number_or_array
from howsure.posteriors.estimand import EXACT, Estimand, Gap, NextScore, drawn_gap, exact_gap
from howsure.posteriors.routes import Model, Shapes, exact_part, values
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.paired_quotients import PairedQuotients
    from howsure.distributions.protocol import Law
    from howsure.distributions.sampled import Sampled
    from howsure.posteriors.paired import Answers
    from howsure.posteriors.state import Outlook


MORE_DRAWS = 100_000
MANY_TABLES, MOST_DIFFERENT = (
    200,
    0.8,
)  # a batch in which equal tables are looked for, and the share of different ones in it
SURE = 1e-4  # error of a paired probability that is not drawn
SURE_ENDS = 1e-4  # error of a tail at the ends of an interval, up to which it is not drawn


def used_classes(t: Any) -> Any:
    """Return which classes averages are over, (classes, *batch): all that were given, else those in either column."""
    cells = t.by_class()
    return (cells["tp"] + cells["fp"] + cells["fn"] > 0) | t.labels_given


def score_over_classes(t: Any, metric: Metric, formula: Any, lost: bool) -> Array:
    """A formula of all classes at the counts; of no items, NaN.

    Averages in which classes count alike run over the classes that occur in either column, or over all given ones.
    """
    cells = {c: x.astype(float) for c, x in t.by_class(lost=lost).items()}
    with np.errstate(all="ignore"):
        found = np.array(formula(**cells), dtype=float)
        used = used_classes(t) if metric.classes_count_alike else np.ones(1, dtype=bool)
        for j in np.ndindex(t.shape) if not used.all() else ():
            here = used[(slice(None), *j)]
            if not here.all() and here.any():
                found[j] = formula(**{c: x[(slice(None), *j)][here] for c, x in cells.items()})
    return np.where(t.totals > 0, found, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class CellEstimand(Estimand):
    """A measure of four cells of one system, or of two and more on the same items."""

    metric: Metric
    light: Metric

    drawn_pairs = 4

    # -- what each way of looking tells

    def counts(self) -> Shapes:
        """The raw counts that the point score is computed from."""
        raise self._unasked("counts")

    @cached_property
    def model(self) -> Model:
        """The shapes of the cells."""
        raise self._unasked("a model")

    def answers(self) -> Answers:
        """What the systems said to the same items."""
        raise self._unasked("joint answers")

    @property
    def draws_key(self) -> tuple[Any, ...]:
        """Measures with the same key share their draws of cells."""
        return (type(self).__name__, self.metric.label)

    # -- one system

    @cached_property
    def score(self) -> Array:
        """The measure of the counts."""
        return np.asarray(self.light.at(self.counts()), dtype=float)

    def law(self) -> tuple[Law, str]:
        """Exact where the form of the formula has a route, else by draws."""
        m = self.model
        equal = self._equal_tables(m)
        if equal is None:
            return self._law_of(m)
        from howsure.distributions.stacked import RepeatedTables

        law, route = self._law_of(m.picked(equal[0]))
        return RepeatedTables(law, equal[1]), route

    def _closed(self, m: Model) -> bool:
        """Whether laws are closed, and so as quick as looking for equal tables."""
        return isinstance(self.light.reading.form, Linear) and exact_part(self.light, m)[1] == "closed form"

    def _equal_tables(self, m: Model) -> tuple[Index, Index] | None:
        """The first of all equal tables, and the place of each among these, where a large batch has many."""
        if len(m.shape) != 1 or m.size() < MANY_TABLES or self._closed(m):
            return None
        first, place = m.distinct()
        return None if len(first) > MOST_DIFFERENT * m.size() else (np.array(first), place)

    def _law_of(self, m: Model) -> tuple[Law, str]:
        """Exact of the tables that have such a law, and by draws of the others."""
        law, route, served = exact_part(self.light, m)
        if law is not None and served.all():
            return law, route
        from howsure.posteriors.sampling import sampled_law

        rest = m if law is None else m.picked(~served)
        drawn = sampled_law(self.state, self.light.bounds, partial(self._law_draws, rest), rest.size())
        if law is None:
            return drawn, "sampled"
        from howsure.distributions.stacked import Stacked

        places = np.flatnonzero(served), np.flatnonzero(~served)
        return Stacked((law, drawn), places, (route, "sampled")), "sampled"

    def draws(self, n: int, seed: int) -> Array:
        """The measure at draws of the cells, table by table of a batch."""
        m = self.model
        if not m.shape:
            return values(self.light, *self._table(0, n, seed))
        columns = [values(self.light, *drawn) for drawn in m.tables(n, seed)]
        return np.stack(columns, axis=-1).reshape(n, *m.shape)

    def _law_draws(self, m: Model, n: int, seed: int) -> Array:
        """The same of these tables, but equal ones have equal draws, made once."""
        if not m.shape:
            return self.draws(n, seed)
        first, place = m.distinct()
        columns = np.stack([values(self.light, *m.table(j, n, seed)) for j in first], axis=-1)
        return columns[:, place].reshape(n, *m.shape)

    def _table(self, j: int, n: int, seed: int) -> tuple[Shapes, Shapes | None]:
        """Draws of the cells of one table; those of a single table are kept for the measures that share them."""
        from howsure.posteriors.sampling import GROWN

        if seed >= GROWN:
            return self.model.table(j, n, seed)
        key = ("cells", *self.draws_key)
        found = self.state.kept.get(key)
        if found is None or found[0] != (n, seed):
            found = self.state.kept[key] = ((n, seed), self.model.table(j, n, seed))
        return found[1]

    # -- the next items

    def observed(self, counts: Shapes) -> Array:
        """The score that items with these counts show; NaN where it is 0/0."""
        return np.asarray(self.light.at(counts), dtype=float)

    def next_score(self, n: int) -> NextScore:
        """Exact for quotients of few groups of cells, else by draws of shares and of n items from these."""
        from howsure.posteriors.future_items import (
            called,
            chance_undefined,
            drawn_score,
            draws_of_tables,
            exact_score,
            table_scores,
            urn_of_cells,
        )

        m = self.model
        flat = not m.by_rows and m.scales is None
        draws = partial(table_scores, m, self.observed, n)
        law = urn_of_cells(self.light, m.cells, n) if flat and not self.metric.over_classes else None
        if law is not None:
            return replace(exact_score(law, draws), notes=self._next_notes)
        lost = chance_undefined(self.observed, m.cells, n) if flat else None
        size, what = draws_of_tables(self.state), called(self.metric, n)
        found = drawn_score(draws, size, self.state.seed, self.light.bounds, what, lost)
        return replace(found, notes=self._next_notes)

    def next_difference(self, n: int) -> NextScore:
        """Exact where both share their denominator and few groups are left, else by draws of joint patterns."""
        from howsure.posteriors.future_items import (
            called,
            drawn_score,
            draws_of_tables,
            exact_score,
            pair_scores,
            urn_of_pair,
        )

        answers, (low, high) = self.answers(), self.light.bounds
        draws = partial(pair_scores, answers, self.observed, n)
        law = None if self.metric.over_classes else urn_of_pair(answers, self.light, n)
        if law is not None:
            return replace(exact_score(law, draws), notes=self._next_notes)
        size, what = draws_of_tables(self.state), f"the difference of {called(self.metric, n)}"
        found = drawn_score(draws, size, self.state.seed, (low - high, high - low), what)
        return replace(found, notes=self._next_notes)

    @property
    def _next_notes(self) -> Notes:
        return (note("next-weighted"),) if self.state.evidence.weighted else ()

    # -- systems on the same items

    def difference(self) -> Gap:
        """Exact where both systems share their denominator, by integrals for quotients, else by joint draws."""
        name = f"difference of {self.metric}"
        answers = self.answers()
        law = answers.exact_difference(self.light)
        if law is not None:
            gap = exact_gap(Distribution(name, law, "quadrature", self._gap_draws), "closed form")
            wins = answers.pair_wins(self.light)
            return gap if wins is None else replace(gap, above=number_or_array(wins[0]), below=number_or_array(wins[1]))
        laws = answers.paired_laws(self.light)
        if any(x is not None and x.zero_error <= SURE for x in laws):
            return self._paired_gap(name, laws)
        return drawn_gap(self._drawn_difference(name))

    def _drawn_difference(self, name: str) -> Distribution:
        from howsure.posteriors.sampling import difference_law

        x = self._gap_draws(self.state.wanted_draws(1.3), self.state.seed)
        return Distribution(name, difference_law(self.light.bounds, x), "sampled", self._gap_draws)

    def _drawn_tables(self, tables: list[int]) -> dict[int, Sampled]:
        """Laws by draws, of some tables of a batch."""
        from howsure.posteriors.sampling import apart, difference_law

        one, two = self.answers().pair_draws(self.light, self.state.wanted_draws(1.3), self.state.seed, tables)
        return {j: difference_law(self.light.bounds, apart(one[:, k], two[:, k])) for k, j in enumerate(tables)}

    def _paired_gap(self, name: str, laws: list[PairedQuotients | None]) -> Gap:
        """Probabilities by integrals, tables that these are not sure of by draws; the difference when asked for."""
        shape = self.state.evidence.shape
        unsure = [j for j, x in enumerate(laws) if x is None or x.zero_error > SURE]
        found: list[Any] = list(laws)
        for j, law in self._drawn_tables(unsure).items() if unsure else ():
            found[j] = law
        above, below = (np.reshape(x, shape) for x in zip(*(law.signs() for law in found), strict=True))
        error = max(float(x.error[1]) if j in unsure else x.zero_error for j, x in enumerate(found))
        made = partial(self._paired_difference, name, found, unsure)
        return Gap(number_or_array(above), number_or_array(below), made, "sampled" if unsure else "quadrature", error)

    def _paired_difference(self, name: str, laws: list[Any], drawn: list[int]) -> Distribution:
        """By integrals where these are sure at the ends of the interval too, else by draws."""
        from howsure.distributions.stacked import Stacked

        shape = self.state.evidence.shape
        found = [x if j in drawn else x.for_ends() for j, x in enumerate(laws)]
        unsure = [j for j, x in enumerate(found) if j not in drawn and x.ends_error > SURE_ENDS]
        if len(shape) > 1 or len(unsure) + len(drawn) == len(found):
            return self._drawn_difference(name)
        for j, law in self._drawn_tables(unsure).items() if unsure else ():
            found[j] = law
        routes = tuple("sampled" if j in unsure or j in drawn else "quadrature" for j in range(len(found)))
        route = "sampled" if unsure or drawn else "quadrature"
        return Distribution(name, Stacked(tuple(found), routes=routes) if shape else found[0], route, self._gap_draws)

    def _gap_draws(self, n: int, seed: int) -> Array:
        from howsure.posteriors.sampling import apart

        first, second = self.ratio_draws(n, seed)
        return apart(first, second)

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Both measures from the same joint cells."""
        return self.answers().pair_draws(self.light, n, seed)

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same patterns."""
        from howsure.posteriors.sampling import shared_draws

        answers = self.answers()

        def alike(other: Estimand) -> bool:
            return isinstance(other, CellEstimand) and same_fields(other.answers(), answers)

        def drawn(asked: list[Any]) -> list[Array]:
            return self.draw_systems(answers, [q.light for q in asked], n, seed)

        return shared_draws(self, n, seed, alike, drawn)

    def draw_systems(self, answers: Answers, metrics: list[Metric], n: int, seed: int) -> list[Array]:
        """Draws of each measure of every system, (n, systems), all from the same cells."""
        from howsure.posteriors.paired import joint_draws

        return joint_draws(answers, metrics, n, seed)

    def pair_chances(self) -> tuple[Array, float] | None:
        """All at once where it is a matter of wins."""
        found = None if self.state.evidence.shape else self.answers().chances(self.light)
        return None if found is None else (found, EXACT)

    @property
    def joint_budget(self) -> int:
        """Of few systems, whose patterns are listed."""
        from howsure.posteriors.paired import FEW

        return MORE_DRAWS if len(self.state.evidence.systems) <= FEW else 0

    @property
    def pairs_differ(self) -> bool:
        """Measures of one truth row: no prior of this weight gives every pair of three systems and more ½ and ½."""
        return len(self.state.evidence.systems) > 2 and self.answers().row is not None

    # -- what is to come

    def outlook(self, seed: int, stated: Array | None = None) -> Outlook:
        """By the law of each future table."""
        from howsure.posteriors import future_tables

        return future_tables.of_one(self, future_tables.population(self.state, seed, stated))

    def outlook_of_difference(
        self, by: float, seed: int, disagreement: float | None = None, stated: Array | None = None
    ) -> Outlook:
        """By the law of the difference in each future table."""
        from howsure.posteriors import future_tables

        found = future_tables.population(self.state, seed, stated)
        return future_tables.of_difference(self, found, by, disagreement)

    def classical_tests(self) -> dict[str, float | None]:
        """McNemar's tests and a permutation test."""
        from howsure.posteriors.paired import p_values

        refuse_tests(self.state)
        return p_values(self.answers(), self.light, self.state.seed)

    @property
    def remarks(self) -> Notes:
        """What was remarked of the data, and what weights do."""
        return table_notes(self.state)


def table_notes(state: State) -> Notes:
    """What is to be said of every measure of a table."""
    e = state.evidence
    notes = list(e.notes)
    if e.weighted:
        notes.append(note("weighted", of="counts"))
        by = followed_by(e)
        if by is not None:
            notes.append(note("weights-follow", what=by))
    if not e.shape and not e.totals.any():
        notes.append(note("no-data"))
    return tuple(notes)


def of_all_classes(state: State, metric: Metric, asked: str) -> Notes:
    """That a measure is of all classes, where one of them is positive and others of the same report are of that one."""
    t = state.evidence
    if len(t.labels) < 3 or t.positive is None or metric.label is not None or metric.over_classes:
        return ()
    return (note("of-all-classes", of=(asked,), classes=len(t.labels), positive=str(t.positive)),)


def followed_by(t: Any) -> str | None:
    """What the weights of a table follow, of all tables of a batch together; None of outcomes, which have no truth."""
    from howsure.posteriors.weighing import followed

    if not t.truths:
        return None
    sums, squares = (np.asarray(x, dtype=float).reshape(-1, x.shape[-1]).sum(axis=0) for x in (t.counts, t.squares))
    return followed(sums, squares, t.cells)


def label_notes(state: State) -> Notes:
    """What is to be said of every measure of label sets."""
    before = len(state.evidence.notes)
    own = table_notes(state)
    return (*own[:before], note("labels", independent=state.evidence.independent), *own[before:])


def refuse_tests(state: State) -> None:
    """Classical tests take a single table of unweighted items."""
    if state.evidence.shape or state.evidence.weighted:
        raise BadSetting("these tests need a single table of unweighted items.")


def refuse_two_level(state: State) -> None:
    """Systems on the same items under a two-level prior."""
    if state.prior.two_level:
        raise BadSetting(
            "systems on the same items need a flat prior such as even; a two-level prior has no joint form."
        )
