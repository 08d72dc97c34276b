"""The choice of a threshold, with the optimism of choosing and testing on the same items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Index, Integers, Mask
from howsure.catalogue import Metric
from howsure.catalogue.retrieval import at_threshold, table_metric
from howsure.catalogue.retrieval import parse as parse_ranking
from howsure.distributions import ranked
from howsure.distributions.estimated import Estimated
from howsure.distributions.ranked import Cuts
from howsure.distributions.sampled import Sampled
from howsure.distributions.sampling import generator
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.evidence import protocol
from howsure.evidence.protocol import number
from howsure.evidence.scored import Scored
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import ends, short
from howsure.posteriors.class_samples import logit, moved
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.scored import Thresholds
from howsure.posteriors.thresholds import table_of, tally_at
from howsure.ranking.limits import Given, Limit, Sure, check_lawful, closest, read
from howsure.render import columns as col
from howsure.render.kinds import Assumption, ResultDict, ResultKind, TableColumn, later
from howsure.results.outlines import outline
from howsure.results.result import Result, envelope, real
from howsure.validate import AUTO

# -- trying
#
# A choice of a threshold, tried again: how much better a measure looks where it was chosen than it is.
#
# `folds`: the items are dealt into fifths, the threshold is chosen on four of them and tried on the last, each in turn,
# and what the fifths show is one table; the mean of the tables of many deals is that of a threshold chosen on other
# items than it is tried on. `resample`: populations are drawn from the posterior, a sample of the same size from each,
# the threshold is chosen on the sample, and the measure there is read off both; sample minus population is the optimism
# (Efron 1983, with a posterior in place of the data). A drawn population is as rugged as the items, and a threshold
# follows its ruggedness: about half of the optimism is not found. `split`: the threshold is chosen on a random half of
# the items and tried on the other, many times; half as many items make for more optimism than there is.


CORRECTIONS: Final = ("folds", "resample", "split", "none")
DRAWS: Final = 2_000  # of populations and samples, at the usual tolerance
USUAL: Final = 0.02
BUDGET: Final = 40_000_000  # items in them
CHUNK: Final = 2_000_000  # of them at a time
FOLDS: Final = 5
DEALS: Final = 20  # at least
DEALT: Final = 4_000_000  # items in the deals beyond one in twenty of the draws
HALF: Final = 7_919
ENOUGH: Final = 50  # trials that have a value


@dataclass(frozen=True)
class Pick:
    """The best cut for a measure among those that keep the limits: its value there, and which cut it is."""

    metric: Metric
    sign: float
    limits: tuple[tuple[Metric, float, float], ...]
    sure: Sure | None = None  # limits beyond the items

    def __call__(self, c: Cuts, squares: Cuts | None = None) -> tuple[Array, Index]:
        kept = self.plainly(c)
        if self.sure is not None:
            kept &= self.sure(c, squares)
        return ranked.choose(c, self.metric.formula, self.sign, kept)

    def plainly(self, c: Cuts) -> Mask:
        """Which cuts keep the limits on the items."""
        return ranked.keeping(c, [(m.formula, side, value) for m, side, value in self.limits])

    def among(self, d: Scored, amounts: Array) -> tuple[Array, Index]:
        """The best cut for some of the items, each row of amounts for itself."""
        squares = None if self.sure is None or d.squares is None else cuts_of(d, d.squares * (amounts > 0))
        return self(cuts_of(d, amounts), squares)


@dataclass(frozen=True, eq=False)
class Trial:
    """How much better the measure looks than it is, three standard errors of that, and the move it asks for."""

    optimism: float = 0.0
    error: float = 0.0
    shift: float = 0.0  # of logits, where the measure has a range
    further: float = 0.0  # that move, with three standard errors more of optimism
    cells: Array | None = None  # tn, fp, fn, tp of items that the threshold was not chosen on
    squares: Array | None = None  # sums of their squared weights, where they have weights
    spread: Array | None = None  # how the cells change with three standard errors of the measure
    trials: int = 0


def draws(p: Posterior) -> int:
    """How often a choice is tried: for the tolerance, within the budget."""
    wanted = DRAWS * (USUAL / p.tolerance) ** 2
    return int(max(200, min(wanted, BUDGET // p.evidence.rows)))


def tried(p: Posterior, pick: Pick, how: str, score: float) -> Trial:
    """The choice made again, in this way."""
    if how == "none":
        return Trial()
    if how == "folds":
        return _folds(p, pick, score)
    n = draws(p)
    whole = p.evidence.clusters is not None  # clusters are resampled whole, as they are everywhere
    alone = how == "resample" and not whole
    seen, true = _resampled(p, pick, n) if alone else _elsewhere(p, pick, n, how)
    kept = np.isfinite(seen) & np.isfinite(true)
    if kept.sum() < ENOUGH:
        _refuse_untried(pick, int(kept.sum()), n)
    gap, before, after = seen[kept] - true[kept], float(seen[kept].mean()), float(true[kept].mean())
    error = float(3.0 * gap.std() / np.sqrt(gap.size))
    shift, further = (_shift(p, pick.metric, before, after - x) for x in (0.0, error))
    return Trial(float(gap.mean()), error, shift, further, trials=gap.size)


def _refuse_untried(pick: Pick, kept: int, n: int) -> None:
    raise BadSetting(f"too few items to try a choice of {pick.metric} again: only {kept} of {n} trials have one.")


def _shift(p: Posterior, m: Metric, seen: float, true: float) -> float:
    low, high = m.bounds
    if not np.isfinite(high - low):
        return seen - true
    size = float(p.evidence.effective.sum())
    edge = (high - low) * min(0.25, 0.5 / size)  # half an item: logits stay finite
    one, two = (logit(np.asarray(np.clip(x, low + edge, high - edge)), m.bounds) for x in (seen, true))
    return float(one - two)


def _generator(p: Posterior, *more: int) -> np.random.Generator:
    """A stream of these scores, which follows how they order the items."""
    return generator(p.seed, HALF, score_draws(p).key, *more)


# -- folds


def _folds(p: Posterior, pick: Pick, score: float) -> Trial:
    """All fifths of many deals, each tried with the threshold of the others."""
    d = p.evidence if p.evidence.weighted else p.evidence.tidy
    rng = _generator(p, FOLDS)
    deals = max(DEALS, draws(p) // (4 * FOLDS), min(draws(p) // 4, DEALT // (FOLDS * d.rows)))
    cells, kept = np.zeros((deals, 2, 4)), 0
    for k in range(deals):
        held = _dealt(d, rng)
        cut = pick.among(d, d.amounts - held)[1]
        kept += int((cut > -2).sum())
        parts = [held] if d.squares is None else [held, d.squares * (held > 0)]
        for i, part in enumerate(parts):
            cells[k, i] = _table(cuts_of(d, part), cut)
    if kept < ENOUGH:
        _refuse_untried(pick, kept, deals * FOLDS)
    found = cells[cells[:, 0].sum(axis=1) > 0]
    found *= float(d.totals) / found[:, 0].sum(axis=1)[:, None, None]
    found, squares = found[:, 0], None if d.squares is None else found[:, 1].mean(axis=0)
    with np.errstate(all="ignore"):
        each, all_of = (_value(pick.metric, x) for x in (found, found.mean(axis=0)))
    if not np.isfinite(all_of):
        _refuse_untried(pick, 0, deals * FOLDS)
    good = np.isfinite(each)
    error, spread = _spread(found[good], each[good])
    true = float(all_of)
    shift, further = (_shift(p, pick.metric, score, true - x) for x in (0.0, error))
    return Trial(score - true, error, shift, further, found.mean(axis=0), squares, spread, len(found))


def _spread(cells: Array, values: Array) -> tuple[float, Array]:
    """Three standard errors of the mean of values, and how the mean of the cells changes with them."""
    if not values.size or not values.std() > 0:
        return 0.0, np.zeros(4)
    scale = 3.0 / np.sqrt(values.size)
    along = (values - values.mean()) @ (cells - cells.mean(axis=0)) / (values.size * values.std())
    return float(scale * values.std()), np.asarray(scale * along)


def cuts_of(d: Scored, amounts: Array) -> Cuts:
    """The items with these amounts, a row each."""
    return Cuts.weigh(d.orders[0], amounts[:, d.truth], amounts[:, ~d.truth])


def _table(c: Cuts, cut: Index) -> Array:
    """tn, fp, fn, tp of all folds that have a threshold, each at its own."""
    tp, fp = c.at(cut)
    return np.asarray(np.stack([c.negatives - fp, fp, c.positives - tp, tp])[:, cut > -2].sum(axis=1))


def _value(m: Metric, cells: Array) -> Array:
    tn, fp, fn, tp = np.moveaxis(cells, -1, 0)
    return np.asarray(m.formula(tp=tp, fp=fp, fn=fn, tn=tn), dtype=float)


def _dealt(d: Scored, rng: np.random.Generator) -> Array:
    """Amounts of the rows in each fifth, (5, rows): items of either class dealt out evenly, or whole clusters."""
    if d.clusters is not None:
        fold = rng.permutation(int(d.clusters.max()) + 1) % FOLDS
        return np.asarray(d.amounts * (fold[d.clusters] == np.arange(FOLDS)[:, None]))
    out = np.zeros((FOLDS, d.rows))
    for mask in (d.truth, ~d.truth):
        (rows,) = np.nonzero(mask)
        if d.counts is not None and not d.weighted:
            out[:, rows] = _dealt_counts(d.amounts[rows].astype(np.int64), rng)
            continue
        fold = (rng.permutation(rows.size) + rng.integers(FOLDS)) % FOLDS
        out[fold, rows] = d.amounts[rows]
    return out


def _dealt_counts(counts: Integers, rng: np.random.Generator) -> Array:
    """Rows that stand for many items each, dealt out an item at a time."""
    total, left = int(counts.sum()), counts.copy()
    sizes = np.diff((np.arange(FOLDS + 1) * total + int(rng.integers(FOLDS))) // FOLDS)
    out = np.zeros((FOLDS, len(counts)))
    for k, size in enumerate(sizes[:-1].tolist()):
        out[k] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= out[k].astype(np.int64)
    out[-1] = left
    return out


# -- samples and halves


def _resampled(p: Posterior, pick: Pick, n: int) -> tuple[Array, Array]:
    """The measure on samples from drawn populations, and in these, at the threshold of the sample."""
    size = float(p.evidence.effective.sum())

    def again(c: Cuts) -> Array:
        # chunks run in threads: each takes its stream from its own random weights
        rng = np.random.Generator(np.random.SFC64([p.seed, int(c.positives[:1].view(np.uint64)[0])]))
        sample = ranked.resampled(c, size, rng)
        seen, cut = pick(sample)
        return np.stack([seen, ranked.value_at(c, pick.metric.formula, cut)])

    seen, true = score_draws(p).through(again, n, p.seed + 1)[0]
    return seen, true


def _elsewhere(p: Posterior, pick: Pick, n: int, how: str) -> tuple[Array, Array]:
    """The measure on the items that the threshold was chosen on, and on others: n times."""
    d = p.evidence
    rng = _generator(p)
    seen, true = [], []
    size = max(1, min(n, CHUNK // d.rows))
    for start in range(0, n, size):
        parts = _halves(d, min(size, n - start), rng) if how == "split" else _clusters(d, min(size, n - start), rng)
        value, cut = pick.among(d, parts[0])
        seen.append(value)
        true.append(ranked.value_at(cuts_of(d, parts[1]), pick.metric.formula, cut))
    return np.concatenate(seen), np.concatenate(true)


def _halves(d: Scored, many: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Weights of a random half of the items (or clusters), and of the other half."""
    if d.clusters is None and d.counts is not None and not d.weighted:
        one = rng.binomial(d.amounts.astype(np.int64), 0.5, (many, d.rows)).astype(float)
        return one, d.amounts - one
    units = d.rows if d.clusters is None else int(d.clusters.max()) + 1
    coin = rng.random((many, units)) < 0.5
    one = d.amounts * (coin if d.clusters is None else coin[:, d.clusters])
    return one, d.amounts - one


def _clusters(d: Scored, many: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Weights of a sample of whole clusters, and of the population it is from, drawn by the Bayesian bootstrap."""
    of = np.asarray(d.clusters)
    shares = rng.standard_exponential((many, int(of.max()) + 1))
    shares /= shares.mean(axis=1, keepdims=True)
    return d.amounts * rng.poisson(shares)[:, of], d.amounts * shares[:, of]


# -- choosing
#
# The best threshold of a score, how sure it is, and what the measure is worth there.
#
# A threshold that is chosen as the best of many looks better than it is: it was chosen on the same items. Choosing
# again (trying.py) tells what it is worth on items that it was not chosen on. By `folds` that is a table, and the
# corrected law is the posterior of that table. Where tables have no law of their own (clusters, prior none), and by
# the other ways, the posterior at the threshold is moved by the optimism, on the logit scale of the measure's range.
# How often 95% intervals of F1 held the true value before and after: docs/explanation/coverage.md, "F1 where chosen".

QUANTILES: Final = 20_000  # by which a corrected law is known
KNOTS: Final = 181  # of them computed
STREAM: Final = 7_919
SLACK: Final = 0.05  # by which a limit may be kept less often than was asked for, before it is said


@dataclass(frozen=True, eq=False)
class Choice(Result):
    """A threshold chosen on the data; answers are positive from that score on.

    `best` is the law of the threshold that is best in the population; `apparent` that of the measure at the chosen
    one, as if it had been given; `corrected` the same without the optimism of choosing it on these items.
    """

    posterior: Posterior
    metric: Metric
    limits: tuple[Limit, ...]
    threshold: float
    cells: dict[str, int | float]
    score: float
    best: Distribution
    apparent: Distribution
    corrected: Distribution
    optimism: float
    optimism_error: float
    p_none: float
    p_lost: float
    correct: str
    level: float
    interval: str
    by_default: bool = False  # no measure was named
    curve: Any = field(default=None, repr=False)  # that it was chosen on, to be drawn

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        found: dict[str, Callable[[], Any]] = {"laws": self._both}
        if self.curve is not None:
            found["curve"] = lambda: (
                self._document | {"points": self.curve._point_documents("system"), "says": f"{self!r}."}
            )
        return found

    def _both(self) -> list[dict[str, Any]]:
        """The law of the measure at the threshold, and the one without the optimism of the choice."""
        named = ("on these items", self.apparent), ("corrected for the choice", self.corrected)
        shown = named if self.correct != "none" else named[:1]
        return [outline(d, self.level, self.interval, label=label) for label, d in shown]

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        rows = [
            {"what": "threshold", "value": real(self.threshold), **self._law(self.best, ends=False)},
            {"what": str(self.metric), "value": real(self.score), **self._law(self.apparent)},
        ]
        if self.correct != "none":
            rows.append({"what": f"{self.metric}, corrected", "value": None, **self._law(self.corrected)})
        document = envelope(
            "howsure.threshold/1", rows, prior=p.prior_document, level=self.level, interval=self.interval, seed=p.seed,
            data=p.evidence.describe(), notes=self.notes, account=protocol.document([p.evidence]),
        )  # fmt: skip
        more = {
            "metric": str(self.metric),
            "limits": [
                {"metric": str(x.metric), "is": x.side, "value": x.value, "with": x.asked, "p": real(self.p_kept(i))}
                for i, x in enumerate(self.limits)
            ],
            "threshold": real(self.threshold),
            "cells": self.cells,
            "score": real(self.score),
            "optimism": None if self.correct == "none" else real(self.optimism),
            "optimism_error": None if self.correct == "none" else real(self.optimism_error),
            "correct": self.correct,
            "p_none": real(self.p_none),
            "verdict": repr(self),
        }
        return document | more

    @property
    def _highest(self) -> float:
        return float(self.posterior.evidence.orders[0].thresholds[0])

    def p_kept(self, i: int = 0) -> float:
        """P(the i-th limit is kept beyond these items), at the threshold."""
        x = self.limits[i]
        d = self.posterior[at_threshold(x.metric, self.threshold)]
        return float(d.sf(x.value) if x.sign > 0 else d.cdf(x.value))

    def _of_limit(self, x: Limit, p: float) -> Notes:
        facts: dict[str, Any] = {"metric": str(x.metric), "side": x.side, "value": x.value, "p": p}
        if x.asked is None:
            return (note("limit", **facts),)
        here = float(np.asarray(x.metric.at(self.cells)))
        found = note("limit", **facts, asked=x.asked, score=here)
        if not x.of_one_class:
            return found, note("limit-of-many", metric=str(x.metric))
        floor = x.asked if self.posterior.evidence.weighted else x.floor(self.cells)
        return (found,) if floor > x.asked - SLACK else (found, note("limit-at-item", metric=str(x.metric), p=floor))

    def _law(self, d: Distribution, ends: bool = True) -> dict[str, Any]:
        low, high = d.interval(self.level, kind=self.interval)
        numbers = {"mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high}
        error = {"mean": real(float(d.mean_error()))}
        if ends:  # those of the threshold are scores that occur
            error |= dict(zip(("low", "high"), map(real, d.end_errors(self.level, self.interval)), strict=True))
        return {k: real(x) for k, x in numbers.items()} | {"error": error, "route": d.route}

    @property
    def notes(self) -> Notes:
        """What choosing did, what the limits are worth, and what is unusual."""
        m, notes = str(self.metric), list(self.apparent.notes)
        notes += [note("by-default", metric=m)] if self.by_default else []
        moved = self.correct != "folds" or not _lawful(self.posterior)
        found = note(
            "optimism", metric=m, how=self.correct, optimism=self.optimism, error=self.optimism_error, moved=moved
        )
        notes.append(found)
        for i, x in enumerate(self.limits):
            notes += self._of_limit(x, self.p_kept(i))
        if self.threshold > self._highest:
            notes.append(note("nothing", metric=m))
        if self.p_none > 0:
            notes.append(note("none", p=self.p_none))
        if self.p_lost > 0:
            kept = tuple((str(x.metric), x.side, x.value) for x in self.limits)
            notes.append(note("limits", limits=kept, p=self.p_lost))
        return tuple(notes)

    def __repr__(self) -> str:
        d = self.apparent if self.correct == "none" else self.corrected
        low, high = d.interval(self.level, kind=self.interval)
        word = "" if self.correct == "none" else ", corrected for the choice,"
        left, right = d.end_errors(self.level, self.interval)
        return (
            f"threshold {self.threshold:.6g}: {self.metric} {short(self.score)} on these items; "
            f"{short(d.mean, error=float(d.mean_error()))}{word} "
            f"[{', '.join(ends(low, high, errors=(left, right)))}] {100 * self.level:.12g}%"
        )


def choose(
    p: Posterior,
    metric: str | Metric | None = None,
    *,
    at_least: Given = None,
    at_most: Given = None,
    correct: str | None = "folds",
    level: float = 0.95,
    interval: str = AUTO,
) -> Choice:
    """The threshold at which a measure is best, among those that keep the limits.

    >>> import howsure as hs
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(300) < 0.3
    >>> from howsure.evidence.scored import Scored
    >>> c = choose(hs.posterior(Scored(y, (rng.normal(size=300) + 1.5 * y)[:, None])), "f1", at_least={"recall": 0.8})
    >>> c.cells["tp"] / (c.cells["tp"] + c.cells["fn"]) >= 0.8
    True
    """
    Thresholds(p, parse_ranking("auc"), "auc").refuse_several()
    how = "none" if correct is None else correct
    if how not in CORRECTIONS:
        hint = nearest(str(correct), CORRECTIONS)
        raise UnknownName(f"no correction {correct!r}.{hint} Corrections: {', '.join(CORRECTIONS)}.")
    m = table_metric("f1" if metric is None else metric)
    if m.better is None:
        raise BadSetting(f"{m} has no better direction: there is no best threshold of it.")
    sign = 1.0 if m.better == "higher" else -1.0
    named = (*read(at_least, "at least"), *read(at_most, "at most"))
    pick = _pick(p, m, sign, named)
    score, cut = (x[0] for x in pick.among(p.evidence, p.evidence.amounts[None]))
    if cut == -2:
        _refuse(p, pick, named)
    if np.isinf(score) and how != "none":
        raise BadSetting(
            f"{m} is infinite at a threshold of these items: there is no better one, and what choosing it is worth "
            "elsewhere is no number. Choose by a measure that has a highest value, such as informedness, or give "
            "correct=None."
        )
    (order,) = p.evidence.orders
    threshold = float(np.nextafter(order.thresholds[0], np.inf) if cut < 0 else order.thresholds[cut])
    best, p_none, p_lost = _best(p, replace(pick, limits=_signed(named), sure=None))
    apparent = p[at_threshold(m, threshold)]
    found = tried(p, pick, how, float(score))
    return Choice(
        p, m, named, threshold, _cells(p, threshold), float(score), best, apparent, _corrected(p, m, apparent, found),
        found.optimism, found.error, p_none, p_lost, how, level, interval, metric is None,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chosen:
    """Draws of the population, each with the cut that is best there."""

    posterior: Posterior
    pick: Pick
    thresholds: Array

    def cuts(self, n: int, seed: int) -> Index:
        return np.asarray(score_draws(self.posterior).through(lambda c: self.pick(c)[1], n, seed)[0])

    def __call__(self, n: int, seed: int) -> Array:
        found = self.cuts(n, seed)
        return np.asarray(self.thresholds[found[found > -2]])


@dataclass(frozen=True, eq=False)
class Shifted:
    """Draws of a law that is moved back by the optimism of the choice."""

    law: Distribution
    metric: Metric
    shift: float

    def back(self, x: Array) -> Array:
        low, high = self.metric.bounds
        return moved(x, -self.shift, (low, high)) if np.isfinite(high - low) else np.asarray(x - self.shift)

    def __call__(self, n: int, seed: int) -> Array:
        rng = generator(seed, STREAM, float(self.law.mean), float(self.law.std), self.shift)
        return self.back(np.asarray(self.law.ppf(rng.random(n))))


def _signed(limits: Iterable[Limit]) -> tuple[tuple[Metric, float, float], ...]:
    return tuple((x.metric, x.sign, x.value) for x in limits)


def _pick(p: Posterior, m: Metric, sign: float, limits: tuple[Limit, ...]) -> Pick:
    beyond = tuple(x for x in limits if x.asked is not None)
    check_lawful(p, beyond)
    plain = _signed(x for x in limits if x.asked is None)
    return Pick(m, sign, plain, Sure(p, beyond) if beyond else None)


def _refuse(p: Posterior, pick: Pick, limits: tuple[Limit, ...]) -> None:
    """No threshold will do: which limits are not kept, and what comes closest."""
    if not limits:
        raise BadSetting(
            f"{pick.metric} is undefined at every threshold of these items; more items, or other scores, are needed."
        )
    d = p.evidence
    here, squares = cuts_of(d, d.amounts[None]), None if d.squares is None else cuts_of(d, d.squares[None])
    plain = pick.plainly(here)
    kept = " and ".join(str(x) for x in limits if x.asked is None)
    if pick.sure is None or not plain.any():
        raise BadSetting(f"no threshold has {kept} on these items; ask for less.")
    raise BadSetting(closest(pick.sure, here, squares, plain, kept))


def _cells(p: Posterior, threshold: float) -> dict[str, int | float]:
    t = tally_at(p.evidence, [threshold])
    return {name: number(np.asarray(x)[0]) for name, x in t.named().items()}


def _best(p: Posterior, pick: Pick) -> tuple[Distribution, float, float]:
    """The law of the threshold that is best in the population, P(nothing positive is best), P(no threshold will do)."""
    (order,) = score_draws(p).units.orders
    scores = np.append(order.thresholds, np.nextafter(order.thresholds[0], np.inf))  # the last: above all
    sampler = Chosen(p, pick, scores)
    cut = sampler.cuts(draws(p), p.seed)
    kept = cut[cut > -2]
    if not kept.size:
        raise BadSetting("no draw of the posterior has a threshold that keeps these limits; ask for less.")
    law = Sampled(np.sort(scores[kept]), float(scores[-2]), float(scores[-1]))
    found = Distribution("best threshold", law, "sampled", sampler)
    return found, float((kept == -1).mean()), float((cut == -2).mean())


def _lawful(p: Posterior) -> bool:
    """Whether tables have laws of their own: of independent items under a prior such as even."""
    return bool(score_draws(p).weight) and p.evidence.clusters is None


def _corrected(p: Posterior, m: Metric, apparent: Distribution, trial: Trial) -> Distribution:
    """The law of the table of other items, where it has one; else the law at the threshold, moved."""
    if trial.cells is None or not _lawful(p):
        found, further = (_moved(apparent, m, x) for x in (trial.shift, trial.further))
        return _estimated(found, further, trial)
    move = np.zeros(4) if trial.spread is None else trial.spread
    tables = [np.maximum(trial.cells + x, 0.0) for x in (np.zeros(4), move)]
    found, further = (p.seeing(table_of(p.evidence, x, trial.squares))[m] for x in tables)
    return _estimated(replace(found, name=f"{m}, corrected"), further, trial)


def _estimated(found: Distribution, further: Distribution, trial: Trial) -> Distribution:
    """With the error of the trials, where these differ."""
    if trial.error == 0.0:
        return found
    return replace(found, law=Estimated(found.law, further.law, trial.trials), route="sampled")


def _moved(d: Distribution, m: Metric, shift: float) -> Distribution:
    """The law without the optimism, by its quantiles."""
    if shift == 0.0:
        return d
    sampler = Shifted(d, m, shift)
    law = d.law.draws if isinstance(d.law, Sampled) else _quantiles(d)
    x = sampler.back(law)
    low, high = m.bounds
    found = Sampled(x, min(low, float(x[0])), max(high, float(x[-1])))
    return Distribution(f"{m}, corrected", found, "sampled", sampler, d.log_scale)


def _quantiles(d: Distribution) -> Array:
    """Evenly spaced quantiles of a law, from some of them by lines between normal scores."""
    from scipy.special import ndtr, ndtri

    scores = np.linspace(-4.5, 4.5, KNOTS)
    return np.asarray(np.interp(ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES), scores, d.ppf(ndtr(scores))))


# -- what is shown


def _columns(result: ResultDict, _rows: Sequence[Any]) -> list[TableColumn]:
    mean = TableColumn("mean", "mean", lambda r: col.value(r, "mean", "-"), shown=False, leaves=5)
    return [
        TableColumn("what", "", lambda r: str(r["what"]), "words"),
        TableColumn("score", "value", _best_value),
        mean,
        TableColumn("interval", col.level_of(result), col.plain_interval, "interval"),
        col.route(),
    ]


def _best_value(row: dict[str, Any]) -> str:
    """Return what was found on these items; corrected for the choice, it is a mean."""
    return col.value(row, "mean" if row["value"] is None else "value", "-")


def chosen(result: ResultDict) -> list[Assumption]:
    """Return what is assumed of a threshold that was chosen on the items."""
    told = (
        "A threshold that was chosen on these items is judged on others.",
        "Reading the score at the best threshold as what it will be: it was picked because it looked good.",
    )
    return [told] if any(n["code"] in ("best", "best-of-many") for n in result["notes"]) else []


KIND: Final = ResultKind(
    "threshold",
    _columns,
    charts=later("charts.thresholds:choice"),
    title="Which threshold is best?",
    assumptions=chosen,
)
