"""Judged items: metrics against the human labels when most labels are a judge's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from howsure.arrays import Array, Integers
from howsure.distributions import sampling as drawing
from howsure.distributions.judge_errors import Verdicts, rate_draws
from howsure.distributions.sampling import atoms
from howsure.errors import BadSetting
from howsure.evidence.judged import JudgedItems
from howsure.evidence.protocol import number
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors import classes, outcomes, priors
from howsure.posteriors.cells import CellEstimand
from howsure.posteriors.class_against_rest import only_hits
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand, Gap, drawn_gap, nothing_shared
from howsure.posteriors.priors import Prior, refuse_shared
from howsure.posteriors.routes import values
from howsure.posteriors.sampling import apart, difference_law, sampled_law
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.protocol import Law
    from howsure.evidence.judged import JudgedItems
    from howsure.posteriors.state import State


# -- judge draws
#
# Draws of judged items whose validated part is a random one: P(what the judge says) times P(human | what it says).
#
# Judge, answers and human labels have one Dirichlet law over all patterns, of which those without a human label are
# seen in the first two only. Sums over a stratum (a verdict; a judge's label and an answer) and the shares of human
# labels among its validated items are then independent: a Beta or Dirichlet of all items, and a Beta of the validated
# ones. So nothing is inverted, and no rate leaves [0, 1]. Several systems have their patterns in common; the prior's
# weight is dealt to patterns by stick-breaking, and each system alone has the law that it has by itself.


CHUNK: Final = 4_000
LEFT: Final = 1e-6


def strata_draws(
    known: Array, unknown: Array, weights: Array, n: int, seed: int, place: int
) -> tuple[Array, Array, Array]:
    """Draws of one table: the share of every stratum, and of human labels 1 and 0 within it, (strata, n) each."""
    shapes = np.concatenate([unknown, known[:, 0] + weights[:, 0], known[:, 1] + weights[:, 1]])
    none, no, yes = np.split(drawing.log_shares(shapes.astype(float), n, seed, place), 3)
    share, rest = drawing.together(yes, no)
    return np.exp(none) + np.exp(no) + np.exp(yes), share, rest


def joint_strata(e: JudgedItems, counts: Array, weights: Array, n: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Draws of all systems, some at a time: shares of strata, of human label 1 in them, (draws, system, stratum)."""
    rng = drawing.generator(seed, 30_011, e.cells, counts, weights)
    systems = range(len(e.systems))
    places = [_slots(e, k) for k in systems]
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        mass = drawing.gammas(counts.astype(float), size, rng).T
        found = np.stack([mass @ place for place in places], axis=1).reshape(size, len(systems), e.strata, 3)
        found[..., 1:] += _prior_mass(e, weights, size, rng)
        share = found.sum(axis=-1)
        both = found[..., 1:].sum(axis=-1)
        coin = (rng.random(both.shape) < 0.5).astype(float)  # what a Beta of two tiny weights is
        with np.errstate(divide="ignore", invalid="ignore"):
            yes = np.where(both > 0, found[..., 2] / both, coin)
        yield share / share.sum(axis=-1, keepdims=True), yes


def _slots(e: JudgedItems, k: int) -> Array:
    """Which patterns count for each stratum and human label (none, 0, 1) of a system, (patterns, strata · 3)."""
    stratum, human = e.seen(k)
    slot = np.where(stratum < 0, -1, 3 * stratum + human + 1)
    return np.asarray(slot[:, None] == np.arange(3 * e.strata), dtype=float)


def _prior_mass(e: JudgedItems, weights: Array, size: int, rng: np.random.Generator) -> Array:
    """What the prior adds to the validated items of every system, (size, systems, strata, 2)."""
    systems, total = len(e.systems), float(weights.sum())
    (parts,), rest = atoms(rng, np.array([total]), size, LEFT)
    slots = _atom_slots(e, weights, (size, len(parts)), rng)
    mass = rng.standard_gamma(total, (size, 1))
    flat = np.stack([np.einsum("kn,nks->ns", parts, (slots == c).astype(float)) for c in range(weights.size)], axis=-1)
    if rest is not None:  # of a heavy prior: dealt to each system apart
        apart = drawing.gamma_each(np.broadcast_to(weights.ravel(), flat.shape), rng)
        flat += rest.T[..., None] * apart / apart.sum(axis=-1, keepdims=True)
    return np.asarray(mass[..., None] * flat).reshape(size, systems, *weights.shape)


def _atom_slots(e: JudgedItems, weights: Array, shape: tuple[int, int], rng: np.random.Generator) -> Integers:
    """The stratum and human label of each atom of the prior for each system, as places among the weights."""
    systems = len(e.systems)
    if not e.truths:
        return _dealt(weights.ravel() / weights.sum(), (*shape, systems), rng)
    own = weights.reshape(2, 2, 2)  # judge, answer, human
    pair = _dealt(own.sum(axis=1).ravel() / own.sum(), shape, rng)
    yes = (own[:, 1] / own.sum(axis=1)).ravel()[pair]
    answer = rng.random((*shape, systems)) < yes[..., None]
    judge, human = pair // 2, pair % 2
    return np.asarray(2 * (2 * judge[..., None] + answer) + human[..., None], dtype=np.int64)


def _dealt(shares: Array, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
    return np.minimum(np.searchsorted(np.cumsum(shares), rng.random(shape), side="right"), shares.size - 1)


# -- judge notes
#
# What is known of a judge: its recall and specificity, whether it helps, how many more human labels would, and PPI++.
#
# Prediction-powered inference (Angelopoulos, Duchi & Zrnic 2023, PPI++) estimates a mean by all verdicts and corrects
# it by the validated ones, with the weight of the verdicts that makes the variance least. Its interval is a normal
# one: a frequentist answer to set beside the posterior, which may leave [0, 1].

WEAK: Final = 0.95  # of the width by human labels alone: from here on the verdicts hardly help
TOO_WIDE: Final = 0.7  # of a 95% interval that would be 0.95 wide without any data
_DRAWS: Final = 20_000


class Powered(NamedTuple):
    """A prediction-powered estimate, its standard error, and the weight of the verdicts in it."""

    estimate: float
    error: float
    weight: float


def powered(known: Array, unknown: Array) -> Powered | None:
    """PPI++ of a rate from counts (verdict, human) and of verdicts without a human label.

    None for too few labels, and if all human labels agree: its standard error would be 0.
    """
    few, many = float(known.sum()), float(unknown.sum())
    if few < 2 or not many or not known.sum(axis=0).all():
        return None
    human, said, both = known[:, 1].sum() / few, known[1].sum() / few, known[1, 1] / few
    every = (known[1].sum() + unknown[1]) / (few + many)
    spread = every * (1.0 - every)
    together = (both - human * said) * few / (few - 1.0)
    weight = float(np.clip(together / (spread * (1.0 + few / many)), 0.0, 1.0)) if spread else 0.0
    elsewhere = unknown[1] / many
    rest = human * (1 - human) - 2 * weight * (both - human * said) + weight**2 * said * (1 - said)
    variance = weight**2 * elsewhere * (1 - elsewhere) / many + rest / (few - 1.0)
    return Powered(float(human + weight * (elsewhere - said)), float(np.sqrt(variance)), weight)


def agreement(e: JudgedItems) -> tuple[float | None, float | None]:
    """Recall and specificity of the judge on the validated items of one system."""
    (tn, fp), (fn, tp) = e.judge_table().tolist()
    return tp / (tp + fn) if tp + fn else None, tn / (tn + fp) if tn + fp else None


# -- notes


class Asked(Protocol):
    """A measure of one system's judged items, with what people alone say of it."""

    @property
    def evidence(self) -> JudgedItems: ...

    @property
    def called(self) -> str: ...

    def widths(self) -> tuple[float, float]:
        """Of the 95% interval, and of that by human labels alone."""

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and the part of it that falls with the number of human labels."""


def remarks(asked: Asked) -> Notes:
    """Of one system: how the judge did on the validated items, and whether it helps."""
    e = asked.evidence
    if e.shape or len(e.systems) > 1:
        return ()
    recall, specificity = agreement(e)
    system = None if e.systems == ("system",) or e.shared or not e.outcome else e.systems[0]
    told = note(
        "judge", system=system, external=e.external, validated=number(e.validated), items=number(e.totals),
        recall=recall, specificity=specificity,
    )  # fmt: skip
    unchecked = "recall" if recall is None else "specificity" if specificity is None else None
    one_class = () if unchecked is None else (note("judge-one-class", what=unchecked, validated=number(e.validated)),)
    return (told, *one_class, *(_help(asked, system) if e.unknown().sum() else (note("all-validated"),)))


def _help(asked: Asked, system: str | None) -> Notes:
    """Where the verdicts hardly help: how many more human labels would halve the interval."""
    external = asked.evidence.external
    width, alone = asked.widths()
    if width <= (TOO_WIDE if external else WEAK * alone):
        return ()
    where = "external" if external else "here"
    return (note("judge-weak", of=asked.called, system=system, where=where, more=more_labels(asked)),)


def more_labels(asked: Asked) -> int | None:
    """More human labels that would halve the interval; None where even a label of every item would not.

    The variance has a part that falls with the number of validated items, and one that falls with all of them.
    """
    whole, part = asked.variances(_DRAWS)
    rest = max(whole - part, 0.0)
    few, left = float(asked.evidence.validated), float(asked.evidence.unknown().sum())
    if whole / 4 <= rest:
        return None
    more = few * (part / (whole / 4 - rest) - 1.0)
    return int(np.ceil(more)) if asked.evidence.external or more <= left else None


# -- beside the rows


def judge_notes(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """What a document says of the judge of every system; and, of verdicts, the prediction-powered estimates."""
    e = state.evidence
    if e.shape:
        return {}, ()
    own = [(name, e.system(name)) for name in e.systems]
    made, told = [], []
    for name, one in own:
        recall, specificity = agreement(one)
        found: dict[str, Any] = {
            "system": None if name == "system" else name, "validated": number(one.validated),
            "items": number(one.totals), "recall": recall, "specificity": specificity, "ppi": None,
        }  # fmt: skip
        ppi = powered(one.known(), one.unknown()) if one.outcome and not one.external else None
        if ppi is not None:
            low, high = _normal(ppi, level)
            found["ppi"] = {"estimate": ppi.estimate, "low": low, "high": high, "weight": ppi.weight}
            told.append((found["system"], ppi.estimate, low, high))
        made.append(found)
    return {"judge": made}, ((note("ppi", level=level, rates=tuple(told)),) if told else ())


def _normal(ppi: Powered, level: float) -> tuple[float, float]:
    from scipy.special import ndtri

    reach = float(-ndtri((1.0 - level) / 2)) * ppi.error
    return ppi.estimate - reach, ppi.estimate + reach


# -- corrected
#
# Judged items: measures against the human labels, where most labels are a judge's.
#
# The human labels that nobody gave follow those of validated items that the judge said the same of (and the system
# answered the same to). Measures are asked of the four cells of human label and answer that this implies.

Cells = dict[str, Array]


@dataclass(frozen=True, eq=False, repr=False)
class Corrected(Estimand):
    """A measure against human labels, most of which a judge stands for."""

    human: CellEstimand  # the same measure of the human labels alone (of the first system)

    differences_drawn = True

    @property
    def evidence(self) -> JudgedItems:
        """What was judged."""
        return self.state.evidence  # type: ignore[no-any-return]

    @cached_property
    def weights(self) -> Array:
        """The prior's weight on each stratum and human label, (stratum, human)."""
        return prior_weights(self.state.prior, self.evidence)

    def cells(self, share: Array, yes: Array, no: Array) -> Cells:
        """The cells of human label and answer, from shares of strata and of labels in them, strata first."""
        hit, miss = share * yes, share * no
        if self.evidence.outcome:
            lost = "fn" if only_hits(self.human.metric) else "fp"
            zero = np.zeros(share.shape[1:])
            return {"tp": zero, "fp": zero, "fn": zero, "tn": zero} | {"tp": hit.sum(axis=0), lost: miss.sum(axis=0)}
        said = np.arange(self.evidence.strata) % 2 == 1
        found = {"tp": hit[said], "fp": miss[said], "fn": hit[~said], "tn": miss[~said]}
        turned = {"tp": "tn", "fp": "fn", "fn": "fp", "tn": "tp"} if getattr(self.human, "place", 1) == 0 else {}
        return {c: found[turned.get(c, c)].sum(axis=0) for c in found}

    # -- one system

    @cached_property
    def score(self) -> Array:
        """Human labels of validated items, for all items of their stratum; undefined where some have none."""
        known, unknown = self.evidence.known(), self.evidence.unknown()
        both = known.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            yes = np.where(both > 0, known[..., 1] / both, np.where(unknown > 0, np.nan, 0.5))
        share, yes = (np.moveaxis(np.asarray(x, dtype=float), -1, 0) for x in (unknown + both, yes))
        return np.asarray(self.human.light.at(self.cells(share, yes, 1.0 - yes)), dtype=float)

    @property
    def undefined(self) -> str:
        """When the point score is undefined."""
        return "items that the judge labelled alike have no human label among them, or " + super().undefined

    def law(self) -> tuple[Law, str]:
        """By draws."""
        return self._law, "sampled"

    @cached_property
    def _law(self) -> Law:
        return sampled_law(self.state, self.human.light.bounds, self._law_draws, self.evidence.tables)

    def draws(self, n: int, seed: int) -> Array:
        """The measure at draws of the cells, table by table of a batch."""
        return self._drawn(n, seed, alike=False)

    def _law_draws(self, n: int, seed: int) -> Array:
        """The same, but equal tables of a batch have equal draws."""
        return self._drawn(n, seed, alike=True)

    def _drawn(self, n: int, seed: int, alike: bool) -> Array:
        e = self.evidence
        tables = range(e.tables)
        found = [values(self.human.light, self.drawn_cells(j, n, seed, 0 if alike else j), None) for j in tables]
        return np.stack(found, axis=-1).reshape(n, *e.shape)

    def drawn_cells(self, j: int, n: int, seed: int, place: int = 0) -> Cells:
        """Draws of the cells of one table of the batch."""
        known, unknown = self._tables
        return self.cells(*strata_draws(known[j], unknown[j], self.weights, n, seed, place))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        e = self.evidence
        return e.known().reshape(-1, e.strata, 2), e.unknown().reshape(-1, e.strata)

    # -- systems on the same items

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same patterns."""
        return self._joint(0, n, seed)

    def _joint(self, j: int, n: int, seed: int) -> Array:
        """Of one table of the batch, (n, systems)."""
        e = self.evidence
        parts = []
        for share, yes in joint_strata(e, e.counts.reshape(-1, len(e.cells))[j], self.weights, n, seed):
            s, y = (np.moveaxis(x, -1, 0) for x in (share, yes))
            parts.append(values(self.human.light, self.cells(s, y, 1.0 - y), None))
        return np.concatenate(parts)

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Both systems from the same patterns of every table."""
        e = self.evidence
        found = np.stack([self._joint(j, n, seed) for j in range(e.tables)], axis=-1).reshape(n, 2, *e.shape)
        return found[:, 0], found[:, 1]

    def difference(self) -> Gap:
        """By joint draws."""
        x = self._gap_draws(self.state.wanted_draws(1.3), self.state.seed)
        law = difference_law(self.human.light.bounds, x)
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        return apart(*self.ratio_draws(n, seed))

    @property
    def called(self) -> str:
        """As asked for."""
        return self.asked

    def widths(self) -> tuple[float, float]:
        """Of the 95% interval, and of that by human labels alone."""
        low, high, *_ = self._law.equal_tailed(0.95)
        return float(high - low), float(self.human.distribution.interval().width)

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and of it where the shares of all strata are known: that part falls with human labels."""
        (known,), (unknown,) = self._tables
        share, yes, no = strata_draws(known, unknown, self.weights, n, self.state.seed, 0)
        fixed = np.broadcast_to(share.mean(axis=1, keepdims=True), share.shape)
        whole, part = (values(self.human.light, self.cells(x, yes, no), None) for x in (share, fixed))
        return float(np.nanvar(whole)), float(np.nanvar(part))

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they know no judge."""
        raise BadSetting("these tests need a label of every item; here a judge stands for most of them.")

    def matches(self, other: Estimand) -> None:
        """Both need the same positive class."""
        self.human.matches(other)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """The weight of each stratum and human label."""
        if self.state.prior.name != "even":
            return None
        return note("prior", rule="judge-verdicts" if self.evidence.outcome else "judge-labels")

    @property
    def remarks(self) -> Notes:
        """What was remarked, and what is known of the judge."""
        return (*self.evidence.notes, *remarks(self))


def prior_weights(prior: Prior, e: JudgedItems) -> Array:
    """Weight on every stratum and human label: what a human label has alone, shared by what the judge may say."""
    if e.outcome:
        hit, miss = prior.outcome()
        return np.array([[miss, hit]] * 2) / 2
    if prior.two_level:
        raise BadSetting("judged items need a flat prior such as even; a two-level prior has no form for a judge.")
    w = prior.binary(1, 2)
    return np.array([[w["tn"], w["fn"]], [w["fp"], w["tp"]]] * 2) / 2


# -- corrected elsewhere
#
# Judged items whose validation comes from elsewhere: its recall and specificity carry over, and nothing else.


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedElsewhere(Corrected):
    """A measure of passes by people, with Betas for the errors of the judge and a uniform law for the rate."""

    @cached_property
    def score(self) -> Array:
        """Rogan and Gladen's estimate, kept within 0 and 1; undefined where the judge does no better than chance."""
        (recall, specificity), unknown = agreement(self.evidence), self.evidence.unknown()
        if recall is None or specificity is None or recall + specificity <= 1.0 or not unknown.sum():
            return np.asarray(np.nan)
        rate = (unknown[1] / unknown.sum() + specificity - 1.0) / (recall + specificity - 1.0)
        return self._values(np.asarray(np.clip(rate, 0.0, 1.0)))

    @property
    def undefined(self) -> str:
        """When the point score is undefined."""
        return "the judge did no better than chance on the validation, or its human labels are all the same"

    def _values(self, rate: Array) -> Array:
        """The measure at rates of passes."""
        one, zero = np.ones_like(rate), np.zeros_like(rate)
        shares = np.stack([1.0 - rate, rate])
        return values(self.human.light, self.cells(shares, np.stack([zero, one]), np.stack([one, zero])), None)

    def drawn_cells(self, j: int, n: int, seed: int, place: int = 0) -> Cells:
        """Draws of passes and fails."""
        del j, place
        rate = self._rates(n, seed)[:, 0]
        return self.cells(np.stack([1.0 - rate, rate]), np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]))

    def _joint(self, j: int, n: int, seed: int) -> Array:
        """The measure of every system, (n, systems)."""
        del j
        return self._values(self._rates(n, seed))

    def _rates(self, n: int, seed: int) -> Array:
        """Draws of the rates of all systems; with one judge for all they share its errors."""
        e = self.evidence
        own = [e.system(name) for name in e.systems]
        if e.shared or len(own) == 1:
            return self._of_one_judge(own[0].judge_table(), np.stack([x.unknown() for x in own]), n, seed)
        apart = [self._of_one_judge(x.judge_table(), x.unknown()[None], n, seed, k) for k, x in enumerate(own)]
        return np.concatenate(apart, axis=1)

    def _of_one_judge(self, table: Array, unknown: Array, n: int, seed: int, place: int = 0) -> Array:
        (miss, hit), _ = self.weights
        recall, specificity = table[1, ::-1] + hit, table[0] + miss
        seen = Verdicts(unknown[:, 1].astype(float), unknown.sum(axis=1).astype(float), self._correlation(len(unknown)))
        rng = drawing.generator(seed, 40_009, place, table, unknown, self.weights)
        found = rate_draws(recall, specificity, seen, n, rng) if _possible(recall, specificity, seen) else None
        if found is None:
            raise BadSetting(
                "these verdicts cannot come from a judge with the recall and specificity of the validation: the judge "
                "does otherwise here; validate some of these items."
            )
        return found

    def _correlation(self, systems: int) -> Array:
        """Of the verdicts on systems judged on the same items; 0 where these are not."""
        e = self.evidence
        if systems == 1:
            return np.ones((1, 1))
        own = e.own & (e.cells >= 0).all(axis=1)
        weight = e.counts[own].astype(float)
        if not weight.sum():
            return np.eye(systems)
        said = (e.cells[own] // 3).astype(float)
        centred = said - np.average(said, axis=0, weights=weight)
        spread = (centred * weight[:, None]).T @ centred / weight.sum()
        scale = np.sqrt(np.diag(spread))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = spread / np.outer(scale, scale)
        found = np.where(np.isfinite(found), found, 0.0)
        np.fill_diagonal(found, 1.0)
        return np.asarray(found)

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and of what the judge's errors add to it."""
        drawn = self.draws(n, self.state.seed)
        (recall, specificity), unknown = agreement(self.evidence), self.evidence.unknown()
        passed, gap = unknown[1] / unknown.sum(), (recall or 0.0) + (specificity or 0.0) - 1.0
        whole = float(np.var(drawn))
        rest = passed * (1.0 - passed) / unknown.sum() / gap**2 if gap > 0 else 0.0
        return whole, max(whole - float(rest), 0.0)


_TRIED, _LEAST = 20_000, 1e-3


def _possible(recall: Array, specificity: Array, seen: Verdicts) -> bool:
    """Whether the shares of passes can lie between fallout and recall: in at least one in a thousand draws of them."""
    rng = np.random.default_rng(40_010)
    ends = np.sort(
        np.stack([rng.beta(recall[0], recall[1], _TRIED), rng.beta(specificity[1], specificity[0], _TRIED)]), axis=0
    )
    shares = rng.beta(seen.passes + 0.5, seen.trials - seen.passes + 0.5, (_TRIED, len(seen.passes)))
    between = (shares >= ends[0][:, None]) & (shares <= ends[1][:, None])
    return bool((between.mean(axis=0) >= _LEAST).all())


# -- judged
#
# The kind of judged items: which way of looking a measure takes, and what a report of them shows.

prepare = nothing_shared


def settle_prior(evidence: Any, given: Any) -> Prior:
    """As of classes; slices of judged items lend nothing."""
    return classes.settle_prior(evidence, refuse_shared(priors.make(given), "these items were labelled by a judge"))


def _inner(e: JudgedItems) -> Any:
    """The model of human labels alone."""
    return outcomes if e.outcome else classes


def _human(state: State) -> State:
    e = state.evidence
    return state.seeing((e if len(e.systems) == 1 else e.system(e.systems[0])).human_only())


def prior_total(state: State) -> float:
    """Of all strata and human labels."""
    return float(prior_weights(state.prior, state.evidence).sum())


def parse(state: State, name: Any) -> Any:
    """A measure of a table."""
    return _inner(state.evidence).parse(state, name)


def question(state: State, metric: Any, asked: str) -> Corrected:
    """A measure of two classes, or of passes."""
    prior_weights(state.prior, state.evidence)  # refuses a prior that does not fit
    human = _inner(state.evidence).question(_human(state), metric, asked)
    if not isinstance(human, CellEstimand):
        raise BadSetting(f"judged items have measures of one class against the other; {asked} is none.")
    made = CorrectedElsewhere if state.evidence.external else Corrected
    return made(state, metric, asked, human)


def names(state: State) -> Sequence[str]:
    """The measures that human labels alone have."""
    return classes.answered(state, question) if not state.evidence.outcome else outcomes.names(state)


def table(state: State) -> Sequence[Any]:
    """As of human labels alone."""
    return list(_inner(state.evidence).table(_human(state)))


def default(state: State) -> str:
    """As of human labels alone."""
    return str(_inner(state.evidence).default(_human(state)))


def draws(state: State, n: int, seed: int, metrics: Any) -> dict[str, Any]:
    """n joint draws of the cells of human label and answer."""
    classes.refuse_metrics(state, metrics)
    asked, e = question(state, parse(state, default(state)), default(state)), state.evidence
    drawn = [asked.drawn_cells(j, n, seed, j) for j in range(e.tables)]
    wanted = ("tp", "fn") if e.outcome else tuple(drawn[0])
    return {c: np.stack([x[c] for x in drawn], axis=-1).reshape(n, *e.shape) for c in wanted}


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """What is known of the judge, and the prediction-powered estimate beside the rate."""
    parts, notes = judge_notes(state, level)
    human = _human(state).evidence
    return parts, (*notes, *(classes.extraction_notes(human) if _inner(state.evidence) is classes else ()))
