"""Limits that a chosen threshold has to keep: on these items, or beyond them with a probability.

A limit beyond these items looks at the law of the table at every threshold, which is closed: recall has the Beta of
tp + ½ and fn + ½. How often such limits are kept where the threshold is chosen: docs/why/032.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Mask
from howsure.catalogue import Metric
from howsure.catalogue.retrieval import table_metric
from howsure.distributions.moebius import Moebius
from howsure.distributions.ranked import Cuts, from_nothing
from howsure.errors import BadSetting
from howsure.evidence.protocol import THRESHOLD
from howsure.messages.language import spelled
from howsure.messages.numbers import probability, short
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.thresholds import table_of
from howsure.ranking.bands import closed
from howsure.validate import finite

Given = Mapping[str, float | tuple[float, float]] | None  # limits, some with a probability
_RATES: Final = {
    ("recall", "at least"): ("tp", "fn"),
    ("miss-rate", "at most"): ("tp", "fn"),
    ("specificity", "at least"): ("tn", "fp"),
    ("fallout", "at most"): ("tn", "fp"),
}


@dataclass(frozen=True)
class Limit:
    """A measure, the side it has to be on, and the probability that it is so beyond these items, if that is asked."""

    metric: Metric
    side: str
    value: float
    asked: float | None = None

    @property
    def sign(self) -> float:
        """+1 for "at least", -1 for "at most"."""
        return 1.0 if self.side == "at least" else -1.0

    def __str__(self) -> str:
        return f"{self.metric} {self.side} {self.value:g}"

    @property
    def of_one_class(self) -> bool:
        """Whether it bounds a rate of one class from its worse side: then it moves one way with the threshold."""
        return (self.metric.name, self.side) in _RATES

    def floor(self, cells: Mapping[str, Any]) -> float:
        """P(a limit of one class is kept) at least, at a threshold that lies at any of the items (Wilks 1941)."""
        from scipy.special import betaincc

        good, bad = (float(cells[x]) for x in _RATES[self.metric.name, self.side])
        least = self.value if self.side == "at least" else 1.0 - self.value
        return float(betaincc(good, bad + 1.0, least)) if good else 0.0


@dataclass(frozen=True, eq=False)
class Sure:
    """Which cuts keep limits beyond the items, each with its probability."""

    posterior: Posterior
    limits: tuple[Limit, ...]

    def __call__(self, c: Cuts, squares: Cuts | None) -> Mask:
        kept = [self._keeps(x, *self._law(x, c, squares)) for x in self.limits]
        return np.asarray(np.logical_and.reduce(kept)).reshape(len(c.positives), -1)

    def chance(self, limit: Limit, c: Cuts, squares: Cuts | None) -> Array:
        """P(the limit is kept) where nothing is found, and at every cut; 0 where the measure is 0/0."""
        law, defined = self._law(limit, c, squares)
        chance = np.asarray(law.sf(limit.value) if limit.sign > 0 else law.cdf(limit.value), dtype=float)
        return np.where(defined, chance, 0.0)

    def _keeps(self, limit: Limit, law: Distribution, defined: Mask) -> Mask:
        asked = float(limit.asked or 0.0)
        if not isinstance(law.law, Moebius):
            chance = law.sf(limit.value) if limit.sign > 0 else law.cdf(limit.value)
            return np.asarray((chance >= asked) & defined)
        kept = law.law.above(limit.value, asked) if limit.sign > 0 else ~law.law.above(limit.value, 1.0 - asked)
        return np.asarray(kept & defined)

    def _law(self, limit: Limit, c: Cuts, squares: Cuts | None) -> tuple[Distribution, Mask]:
        """The laws at all cuts, and where the measure is defined; part of the items count as much as all of them."""
        p, counts, total = self.posterior, _tables(c), c.positives + c.negatives
        size = float(p.evidence.effective.sum() if squares is None else p.evidence.totals)
        scale = (size / np.maximum(total, 1e-300))[:, None, None]
        second = None if squares is None else (_tables(squares) * (counts > 0) * scale).reshape(-1, 4)
        batch = ((THRESHOLD, tuple(range(counts.shape[0] * counts.shape[1]))),)
        table = table_of(p.evidence, (counts * scale).reshape(-1, 4), second, batch)
        with np.errstate(all="ignore"):
            score = np.asarray(limit.metric.at(table.named()), dtype=float)
        return p.seeing(table)[limit.metric], ~np.isnan(score)


def _tables(c: Cuts) -> Array:
    """tn, fp, fn, tp where nothing is found, and at every cut: (draws, cuts + 1, 4)."""
    tp, fp = from_nothing(c)
    fn, tn = c.positives[:, None] - tp, c.negatives[:, None] - fp
    made = np.stack([tn, fp, fn, tp], axis=-1)
    made[made < 1e-12 * (c.positives + c.negatives)[:, None, None]] = 0.0  # traces that differences of sums leave
    return made


def read(given: Any, side: str) -> tuple[Limit, ...]:
    """Limits as they are given: {'recall': 0.9}, or {'recall': (0.9, 0.95)} with a probability."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise BadSetting(f"{side.replace(' ', '_')}= must be a mapping such as {{'recall': 0.9}}; got {given!r}.")
    return tuple(_limit(table_metric(name), side, value) for name, value in given.items())


def _limit(m: Metric, side: str, given: Any) -> Limit:
    value, asked = given, None
    if isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise BadSetting(
                f"{m} {side} needs a number, or a pair such as (0.9, 0.95): the limit, and the probability with which "
                f"it is to hold in the population; got {given!r}."
            )
        value, asked = given
    if math.isnan(finite(value)):
        raise BadSetting(f"{m} {side} needs a number; got {value!r}.")
    value = finite(value)
    low, high = m.bounds
    if not low <= value <= high:
        near = f" Did you mean {value / 100:g}?" if high == 1 and 10 <= value <= 100 else ""
        raise BadSetting(f"{m} lies between {low:g} and {high:g}; got {side} {value:g}.{near}")
    return Limit(m, side, float(value), None if not isinstance(given, (tuple, list)) else _probability(asked))


def _probability(asked: Any) -> float:
    found = finite(asked)
    if not 0.0 < found < 1.0:
        near = f" Did you mean {found / 100:g}?" if 50.0 <= found < 100.0 else ""
        where = spelled("the second number of a limit", "what follows 'with'")
        raise BadSetting(f"{where} is a probability between 0 and 1; got {_shown(asked)}.{near}")
    return found


def _shown(x: Any) -> str:
    return f"{x:g}" if isinstance(x, float) else repr(x)


def check_lawful(p: Posterior, limits: tuple[Limit, ...]) -> None:
    """Refuse a probability of a limit where the tables at thresholds have no closed law of the measure."""
    plainly = spelled("a plain number as the limit", "the limit without 'with'")
    advice = f"give {plainly}: a note tells the probability at the threshold that is chosen."
    if limits and (not score_draws(p).weight or p.evidence.clusters is not None):
        why = "under the prior none" if p.evidence.clusters is None else "of clusters"
        raise BadSetting(f"tables {why} have no law that is known at every threshold; {advice}")
    for x in limits:
        if not closed(x.metric, p.evidence.weighted):
            kind = " of weighted items" if p.evidence.weighted else ""
            raise BadSetting(
                f"a limit with a probability needs a measure with a closed law, such as recall, specificity or "
                f"precision, and {x.metric}{kind} has none; {advice}"
            )


def closest(sure: Sure, c: Cuts, squares: Cuts | None, plain: Mask, kept: str) -> str:
    """No threshold keeps the limits beyond the items: which cut that keeps the plain ones comes closest."""
    chances = [sure.chance(x, c, squares) for x in sure.limits]
    lacking = np.max([float(x.asked or 0.0) - chance for x, chance in zip(sure.limits, chances, strict=True)], axis=0)
    at = int(np.where(plain[0], lacking, np.inf).argmin())
    thresholds = sure.posterior.evidence.orders[0].thresholds
    where = "calling nothing positive" if at == 0 else f"threshold {thresholds[at - 1]:.6g}"
    wanted = " and ".join(f"{x} with probability {x.asked:g}" for x in sure.limits)
    cells = dict(zip(("tn", "fp", "fn", "tp"), _tables(c)[0, at], strict=True))
    found = [
        f"{x} with probability {probability(float(chance[at]))} ({short(float(x.metric.at(cells)))} on these items)"
        for x, chance in zip(sure.limits, chances, strict=True)
    ]
    among = f" with {kept} on these items" if kept else ""
    return (
        f"no threshold{among} has {wanted} in the population; the closest, {where}, has {' and '.join(found)}: "
        "ask for less, or bring more items."
    )
