"""Thresholds: measures of items with scores, whose cut is left open: areas, break-even, points of the curve.

A measure at a threshold is that of the 2x2 table there, whose law is closed; the others come from draws of the same
model (posteriors/score_samples.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.retrieval import DEFAULT, RULES, Ranking
from howsure.catalogue.retrieval import parse as parse_ranking
from howsure.distributions.sampled import Sampled
from howsure.errors import BadLabels, BadSetting, listing
from howsure.evidence.scored import Scored
from howsure.messages import coverage
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import classes, priors
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand, Gap, drawn_gap, nothing_more
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.sampling import GROWN, apart, difference_law, more_draws, shared_draws
from howsure.posteriors.score_control import (
    FEW_PAIRED,
    PairDraws,
    control_of,
    controlled_law,
    gap_law,
    more_controlled,
    pair_draws,
)
from howsure.posteriors.score_samples import ScoreDraws, score_draws
from howsure.posteriors.state import State
from howsure.posteriors.thresholds import answers_at, extreme_thresholds, tally_at
from howsure.posteriors.weighing import followed

if TYPE_CHECKING:
    from howsure.distributions.control_variate import Controlled
    from howsure.distributions.protocol import Law


Drawn = tuple[Array, Array | None]  # a measure, and its control where it has one

LEAST_SIZE: Final = 1.5  # effective items of a class that can be resampled


@dataclass(frozen=True, eq=False, repr=False)
class Thresholds(Estimand):
    """A measure of a ranking by scores."""

    metric: Ranking
    drawn_pairs = FEW_PAIRED

    @property
    def items(self) -> Scored:
        """The scored items."""
        return self.state.evidence  # type: ignore[no-any-return]

    @property
    def drawn(self) -> ScoreDraws:
        """The draws that all measures share."""
        return score_draws(self.state)

    @property
    def most_draws(self) -> int:  # type: ignore[override]
        """What the budget allows."""
        return self.drawn.number

    def refuse_several(self) -> None:
        """Refuse scores of several systems."""
        if len(self.items.systems) != 1:
            raise BadSetting(
                f"these are the scores of {len(self.items.systems)} systems, {listing(self.items.systems)}: take one, "
                f"posterior.system({self.items.systems[0]!r}), or name two to compare."
            )

    @cached_property
    def score(self) -> Array:
        """The measure of the items themselves."""
        self.refuse_several()
        return np.asarray(self.metric.evaluate(self.drawn.point_cuts[0])[0])

    # -- laws

    @property
    def closed(self) -> bool:
        """Whether it is a measure of the table at a threshold, which has a law of its own."""
        return self.metric.threshold is not None and self.drawn.weight > 0 and self.items.clusters is None

    def law(self) -> tuple[Law, str]:
        """Closed at a threshold, else by draws."""
        self.refuse_several()
        if self.closed:
            found = self._at_threshold.distribution
            return found.law, found.route
        prepare([self])
        draws, control = self.state.kept["draws of", self.metric]
        self._refuse(f"{self.metric} is", draws)
        return self._law_of(draws, control), "sampled"

    def _law_of(self, draws: Array, control: Array | None) -> Sampled | Controlled:
        """By order statistics, or by a control that is surer of its ends."""
        low, high = self.metric.bounds
        known = self._known_mean()
        plain = Sampled(np.sort(draws), min(low, float(draws.min())), max(high, float(draws.max())), known)
        surer = None if control is None else controlled_law(self.drawn, self.metric, control, draws, plain)
        return plain if surer is None else surer

    def lacking(self, draws: Array, control: Array | None) -> int:
        """How many more draws keep equal-tailed ends within the tolerance; none where the control does."""
        if control is not None and np.isfinite(draws).all():
            law = self._law_of(draws, control)
            if not isinstance(law, Sampled):
                return more_controlled(law, self.state.tolerance, self.drawn.most)
        return more_draws(draws, self.state.tolerance, self.drawn.most)

    @cached_property
    def _at_threshold(self) -> Estimand:
        """The measure of the 2x2 table at the threshold, or of the answers that two systems give there."""
        at = self.metric.threshold
        assert at is not None  # noqa: S101 - closed looked
        assert self.metric.base is not None  # noqa: S101 - a threshold has one
        one = len(self.items.systems) == 1
        t = tally_at(self.items, [at]).at(0, ()) if one else answers_at(self.items, at)
        t = replace(t, notes=(*t.notes, *self._extreme))
        return classes.question(self.state.seeing(t), self.metric.base, str(self.metric))

    @cached_property
    def _extreme(self) -> Notes:
        """A warning if almost nothing, or almost everything, is called positive at the threshold."""
        at, data = self.metric.threshold, self.items
        if at is None:
            return ()
        codes = [2 * data.truth + (column >= at) for column in data.scores.T]
        tables = [np.bincount(x, data.amounts, 4).reshape(2, 2) for x in codes]
        return tuple(n for table in tables for n in extreme_thresholds([at], table[None]))

    def _refuse(self, what: str, draws: Array) -> None:
        """Draws that make no law: all the same, or 0/0; or of a class that weights leave a single item."""
        advice = "ask for another point or measure" if self.drawn.weight else "use the prior even"
        if self.items.weighted and not self.drawn.weight:
            for which, size in zip(("positive", "negative"), self.drawn.effective_sizes, strict=True):
                if size < LEAST_SIZE:
                    raise BadSetting(
                        f"the weights leave the {which} items an effective size of {size:.3g} (Kish): one is far above "
                        f"the others; {advice}."
                    )
        lost = float((~np.isfinite(draws)).mean())
        if lost:
            raise BadSetting(f"{what} 0/0 or infinite in {lost:.3g} of the draws of the items; {advice}.")
        low, high = np.quantile(draws, [0.001, 0.999])
        if low == high:
            raise BadSetting(
                f"{what} {low:g} however the items are resampled, so they cannot say how sure that is; {advice}."
            )

    def _known_mean(self, system: int = 0, drawn: ScoreDraws | None = None) -> Array | None:
        """AUC is bilinear in the shares of the weights within both classes: its mean is that of their means."""
        if self.metric.name != "auc" or self.items.clusters is not None:
            return None
        if self.drawn.of_one_scale:
            return np.asarray(self.metric.evaluate((drawn or self.drawn).mean_cuts(system))[0])
        cuts = self.drawn.expected_cuts(system) if drawn is None else None
        return None if cuts is None else np.asarray(self.metric.evaluate(cuts)[0])

    # -- draws

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the items."""

        def drawn(asked: list[Thresholds]) -> list[Array]:
            return self.drawn.of([q.metric for q in asked], n, seed)

        return shared_draws(self, n, seed, lambda q: isinstance(q, Thresholds), drawn)

    def difference(self) -> Gap:
        """That of the answers at a threshold, else by joint draws, with a control where there is one."""
        name = f"difference of {self.metric}"
        if self.closed:
            gap = self._at_threshold.difference()
            return replace(gap, found=lambda: replace(gap.difference, name=name))
        known = self._known_gap()
        surer = gap_law(self._pair, self.metric, self.state.tolerance, known) if self.metric.area else None
        law = self._drawn_gap_law() if surer is None else surer
        return drawn_gap(Distribution(name, law, "sampled", self._gap_draws, notes=self.remarks))

    def _drawn_gap_law(self) -> Sampled:
        first, second = self.items.systems
        with np.errstate(invalid="ignore"):
            gap = self._gap_draws(self.drawn.number, self.state.seed)
        self._refuse(f"on {self.metric} {first} and {second} differ by", gap)
        return difference_law(self.metric.bounds, gap)

    def _known_gap(self) -> float | None:
        """The mean of a difference of areas."""
        if not self.metric.area:
            return None
        means = [self._known_mean(s, self._pair) for s in (0, 1)]
        return None if means[0] is None or means[1] is None else float(means[0] - means[1])

    @property
    def _pair(self) -> PairDraws:
        """The draws of the difference of an area."""
        return pair_draws(self.state, self.metric)

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self._pair.of([self.metric], n, seed)[0].T if self.metric.area else self.ratio_draws(n, seed)
        return apart(first, second)

    @property
    def pairs_differ(self) -> bool:
        """The difference of an area has a prior of its own."""
        return self.metric.area and 2 < len(self.items.systems) <= self.drawn_pairs

    def matches(self, other: Estimand) -> None:
        """Both need the same positive class."""
        one, two = self.items.positive, other.state.evidence.positive
        if one != two:
            raise BadLabels(f"the positive classes differ: {one!r} and {two!r}; give both the same.")

    def classical_tests(self) -> dict[str, float | None]:
        """DeLong's test of two AUCs."""
        from howsure.distributions.classical_tests import of_areas

        if self.items.weighted:
            raise BadSetting("these tests need a single table of unweighted items.")
        found = self.drawn.delong() if self.metric.name == "auc" else None
        if found is None:
            raise BadSetting(
                f"the test for scores is DeLong's, for auc on unweighted items without clusters; got {self.metric}."
            )
        return of_areas(*found)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """Above and below all scores; of areas mostly with the outermost items; or none."""
        w = self.drawn.weight
        near: dict[str, Any] = {"of": (self.asked,)} if w and self.metric.area and self.drawn.near_share.any() else {}
        return note("prior", rule="scores" if w else "none", weight=w, prior=self.state.prior.name, **near)

    @property
    def remarks(self) -> Notes:
        """Rules, bins, checks, weights and clusters."""
        if self.closed and self.items.weighted:
            return self._at_threshold.remarks
        m, notes = self.metric, [*self.items.notes, *self._extreme]
        if m.rule:
            notes.append(note("rule", metric=m.name, rule=m.rule, meaning=RULES[m.rule]))
        if self.drawn.weight and m.name.endswith(("@recall=1", "@miss-rate=0")):
            notes.append(note("full-recall"))
        if self.items.bins:
            notes.append(self._bins())
        if m.best_of:
            low, high = coverage.held("scores", "best-of", "max-f1") or (0, 100)
            notes.append(note("best-of-many", metric=m.name, low=low, high=high))
        if m.name == "auc":
            notes += self._delong()
        if self.items.weighted:
            notes.append(note("weighted", of="counts"))
            if followed(self.items.amounts, self.items.squares, self.items.truth[:, None]):
                notes.append(note("weights-follow", what="truth"))
        if self.items.clusters is not None:
            notes.append(note("clusters", count=self.items.clustered))
        return tuple(notes)

    def _bins(self) -> Note:
        """How far a measure of bins can be from that of the scores."""
        m = self.metric
        worst = np.nan if m.bound is None else max(float(m.bound(c)[0]) for c in self.drawn.point_cuts)
        if not np.isfinite(worst):
            return note("bins", metric=m.name, bins=self.items.bins, form="no-bound")
        unit = 10.0 ** np.floor(np.log10(worst)) if worst > 0 else 1.0
        within = float(f"{np.ceil(worst / unit) * unit:.2g}")  # rounded up: it is a bound
        return note("bins", of=(m.name,), bins=self.items.bins, within=(within,))

    def _delong(self) -> list[Note]:
        """DeLong's value and standard error of one AUC, or of the difference of two."""
        found = self.drawn.delong()
        if found is None or len(self.items.systems) > 2:
            return []
        auc, covariance = found
        side = np.array([1.0]) if auc.size == 1 else np.array([1.0, -1.0])
        value, error = float(side @ auc), float(np.sqrt(max(0.0, side @ covariance @ side)))
        name, *others = self.items.systems
        of = "difference" if others else "" if name == "system" else name
        least = -1.0 if others else 0.0
        return [note("delong", system=of, value=value, error=error, least=least, interval_level=0.95)]


# -- the kind


extras = nothing_more


def settle_prior(evidence: Scored, given: Any) -> Prior:
    """A prior that treats cells alike, or none."""
    del evidence
    made = refuse_shared(priors.make(given), "these are scores to rank by")
    if made.two_level or made.table is not None:
        raise BadSetting(
            f"scores need a prior with the same weight for every cell: even, none or a number; got {made.name}."
        )
    return made


def prior_total(state: State) -> float:
    """On positive and negative items, above and below all scores."""
    return 4.0 * (0.5 if state.prior.weight is None else state.prior.weight)


def parse(state: State, name: Any) -> Ranking:
    """A measure of scores."""
    del state
    return parse_ranking(name)


def question(state: State, metric: Ranking, asked: str) -> Thresholds:
    """A measure of the ranking."""
    return Thresholds(state, metric, asked)


def names(state: State) -> tuple[str, ...]:
    """The measures of the default table."""
    del state
    return DEFAULT


table = names


def default(state: State) -> str:
    """The area under the ROC curve."""
    del state
    return "auc"


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Array]:
    """n joint draws of measures, each of shape (n,), or (n, systems) for several."""
    given = DEFAULT if metrics is None else metrics
    listed = [given] if isinstance(given, (str, Ranking)) else list(given)
    values = score_draws(state).of([parse_ranking(x) for x in listed], n, seed)
    single = len(state.evidence.systems) == 1
    return {str(name): x[:, 0] if single else x for name, x in zip(listed, values, strict=True)}


def prepare(questions: Sequence[Estimand]) -> None:
    """Draw several measures from the same passes; each takes the first of the draws, as many as it needs by itself."""
    open_ones = [q for q in questions if isinstance(q, Thresholds) and not q.closed]
    wanted = {q.metric: q for q in open_ones if ("draws of", q.metric) not in q.state.kept}
    if not wanted:
        return
    state, drawn = open_ones[0].state, open_ones[0].drawn
    controls = {m: c for m in wanted if (c := control_of(drawn, m)) is not None}
    begin = {m: drawn.few if m in controls else drawn.number for m in wanted}
    first = _drawn(drawn, begin, controls, drawn.seed)
    more = {m: n for m, q in wanted.items() if (n := q.lacking(*first[m]))}
    added = _drawn(drawn, more, controls, drawn.seed + GROWN) if more else {}
    for m, found in first.items():
        state.kept["draws of", m] = _grown(found, added[m]) if m in more else found


def _drawn(
    drawn: ScoreDraws, wanted: Mapping[Ranking, int], controls: Mapping[Ranking, Ranking], seed: int
) -> dict[Ranking, Drawn]:
    """So many draws of each measure with its control, all from one pass."""
    asked = {**wanted, **{controls[m]: n for m, n in wanted.items() if m in controls}}
    values = {m: x[:, 0] for m, x in drawn.as_many(asked, seed).items()}
    return {m: (values[m], values[controls[m]] if m in controls else None) for m in wanted}


def _grown(first: Drawn, added: Drawn) -> Drawn:
    """Draws and more of them."""
    (draws, control), (more, further) = first, added
    both = None if control is None or further is None else np.concatenate([control, further])
    return np.concatenate([draws, more]), both
