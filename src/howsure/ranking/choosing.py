"""The best threshold of a score, how sure it is, and what the measure is worth there.

A threshold that is chosen as the best of many looks better than it is: it was chosen on the same items. Choosing again
(trying.py) tells what it is worth on items that it was not chosen on. By `folds` that is a table, and the corrected
law is the posterior of that table. Where tables have no law of their own (clusters, prior none), and by the other ways,
the posterior at the threshold is moved by the optimism, on the logit scale of the measure's range.
How often 95% intervals of F1 held the true value before and after: docs/coverage.md, "F1 where chosen".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.catalogue.retrieval import at_threshold, table_metric
from howsure.catalogue.retrieval import parse as parse_ranking
from howsure.distribution import Distribution
from howsure.envelope import envelope
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.evidence import account
from howsure.evidence.layout import number
from howsure.kernels.draws import generator
from howsure.kernels.estimated import Estimated
from howsure.kernels.sampled import Sampled
from howsure.model.class_draws import moved
from howsure.model.posterior import Posterior
from howsure.model.score_draws import score_draws
from howsure.model.scored import Thresholds
from howsure.model.thresholds import table_of, tally_at
from howsure.notes import Notes, note
from howsure.outlines import outline
from howsure.ranking.limits import Given, Limit, Sure, check_lawful, closest, read
from howsure.ranking.trying import CORRECTIONS, Pick, Trial, cuts_of, draws, tried
from howsure.render.numbers import ends, short
from howsure.result import Result
from howsure.rows import real
from howsure.settings import AUTO

Array = NDArray[np.float64]

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
            data=p.evidence.describe(), notes=self.notes, account=account.document([p.evidence]),
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

    def cuts(self, n: int, seed: int) -> NDArray[np.intp]:
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
