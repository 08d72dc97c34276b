"""One requirement against its posterior: P(it holds), the answer, and how many more items would likely give one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from howsure.catalogue.measure import Measure
from howsure.decisions.requiring import Requirement, short
from howsure.decisions.settling import more_items
from howsure.decisions.sides import Sides
from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.layout import number
from howsure.evidence.protocol import Evidence
from howsure.notes import DEPENDENT, Notes, at_level, note
from howsure.render.numbers import error_at
from howsure.rows import Row, real, unlike_scales

PASS: Final = "pass"
FAIL: Final = "fail"
OPEN: Final = "inconclusive"
_COMPUTED: Final = 1e-6  # an error below is none of draws


@dataclass(frozen=True, eq=False)
class Ruling:
    """A requirement with its answer: the law it is put to, P(it holds), and how far that may be off."""

    requirement: Requirement
    metric: str
    law: Distribution  # of the measure, or of its difference from the baseline
    score: float
    probability: float
    error: float
    n: Any
    size: float  # units and the prior's weight
    unit: str  # what is exchangeable, and what `more` counts: items, or clusters of them
    notes: Notes = ()
    reason: str | None = None  # the code of a warning on which no requirement passes

    @property
    def _slack(self) -> float:
        """How far draws leave the probability open."""
        return self.error if self.error > _COMPUTED else 0.0

    @property
    def status(self) -> str:
        """`pass`, `fail` or `inconclusive`; the last if draws cannot tell, or the data cannot carry the question."""
        p = self.requirement.p
        if self.probability + self._slack <= 1.0 - p and self.reason not in DEPENDENT:
            return FAIL
        return PASS if self.probability - self._slack >= p and self.reason is None else OPEN

    @property
    def near(self) -> bool:
        """Whether more draws may give the answer, rather than more items."""
        p = self.requirement.p
        high, low = self.probability + self._slack, self.probability - self._slack
        return self.status == OPEN and self.reason is None and (high >= p or low <= 1.0 - p)

    @property
    def more(self) -> int | None:
        """How many more units settle it with probability 0.8; None where it is settled, or needs draws first."""
        if self.status != OPEN or self.reason is not None:
            return None
        return more_items(self.probability, self.requirement.p, self.size)

    def document(self, level: float, kind: str) -> dict[str, Any]:
        """The row of the document."""
        r, d = self.requirement, self.law
        ends, off = d.interval(level, kind=kind), d.end_errors(level, kind)
        return {
            "requirement": str(r), "status": self.status, "reason": self.reason, "metric": self.metric,
            "asked": r.metric, "slice": dict(r.where) or None, "kind": r.kind, "sign": r.sign,
            "limit": None if r.compares else r.number, "margin": r.number if r.compares else None,
            "p": r.p, "probability": real(self.probability), "n": self.n, "score": real(self.score),
            "mean": real(d.mean), "std": real(d.std), "median": real(d.median),
            "low": real(ends.low), "high": real(ends.high),
            "low_gap": real(ends.low_gap), "high_gap": real(ends.high_gap), "more": self.more,
            "more_unit": None if self.more is None else self.unit,
            "error": {
                "value": real(d.error.value), "probability": real(self.error),
                "mean": real(d.mean_error()) if d.route == "sampled" else real(d.error.value),
                "low": real(off[0]), "high": real(off[1]),
            },
            "route": d.route, "range": [real(x) for x in d.range],
            "infinite": _endless(
                score=self.score, mean=d.mean, std=d.std, median=d.median, low=ends.low, high=ends.high
            ),
        }  # fmt: skip


def _endless(**numbers: Any) -> list[str]:
    """The names of numbers that have no end, with a minus where they are below all others."""
    return [f"{'-' if x < 0 else ''}{name}" for name, x in numbers.items() if np.isinf(x)]


def judged(sides: Sides, r: Requirement, level: float, kind: str) -> list[Ruling]:
    """The answers to a requirement; f1:* has one for each class."""
    return [_judged(sides, r.of(str(m)), level, kind) for m in sides.judged.spelled_out([r.metric])]


def _judged(sides: Sides, r: Requirement, level: float, kind: str) -> Ruling:
    question = sides.judged.resolve(r.metric)
    if question.classes is not None:
        raise BadSetting(f"{r.metric} is a measure of every class: require each by its name, as in 'f1:spam > 0.8'.")
    r = r.of(question.asked)
    own = sides.judged.evidence.only(question.metric)
    check(r, question.metric)
    if r.compares:
        law, score, found, error, notes = _against(sides, r, level, kind)
    else:
        row, law = Row(question, level, kind), question.distribution
        score, found, notes = float(row.score), holds(law, r.sign, r.number), (*row.notes, *_odd(r, question.metric))
        error = _off(found, law)
    prior = question.prior_note
    told = notes if prior is None else (prior, *notes)
    units, unit = _units(own)
    size = units + float(sides.judged.prior_document["total"])
    return Ruling(r, str(question.metric), law, score, found, error, number(own.totals), size, unit, told)


def _units(own: Evidence) -> tuple[float, str]:
    """How many there are of what is exchangeable, and what it is; the prior's weight is in these too."""
    clusters = own.describe().get("clusters")
    return (float(own.totals), "items") if clusters is None else (float(clusters), "clusters")


def _against(sides: Sides, r: Requirement, level: float, kind: str) -> tuple[Distribution, float, float, float, Notes]:
    """Not worse than the baseline by more than the margin; to be equal is not to be worse."""
    c = sides.comparison(r.metric, level, kind)
    law, up = c.difference, c.metric.better == "higher"
    notes = (*unlike_scales((c.first, c.second)), *at_level(law.notes, level), *c.first.notes, *c.second.notes)
    score = float(c.first.score) - float(c.second.score)
    if r.number == 0.0 and c.route != "sampled":  # known better than by the law of the difference
        return law, score, float(c.p_better), float(c.gap.error), notes
    found = holds(law, ">=" if up else "<=", -r.number if up else r.number)
    return law, score, found, _off(found, law), notes


def holds(law: Distribution, sign: str, limit: float) -> float:
    """P(the law is on that side of the limit); only draws can lie on it."""
    if law.ess is not None and sign in (">=", "<"):
        limit = float(np.nextafter(limit, -np.inf))
    return float(law.sf(limit) if sign[0] == ">" else law.cdf(limit))


def _off(found: float, law: Distribution) -> float:
    """How far a probability may be off: of draws, at its own size."""
    error = float(law.error.probability)
    return error if law.law.n is None else error_at(found, error, law.law.floor)


def check(r: Requirement, metric: Measure) -> None:
    """Refuse a limit that the measure cannot be on both sides of, and a margin of no meaning, or that none exceeds."""
    if r.compares and metric.better is None:
        told = f"{metric} has no better direction, so {str(r)!r} means nothing"
        raise BadSetting(f"{told}: give a limit, as in '{r.metric} > 0.5'.")
    low, high = metric.bounds
    hint = f" Did you mean {short(r.number)}%?" if (low, high) == (0.0, 1.0) and 1 < r.number <= 100 else ""
    if r.compares and not r.number < high - low:
        raise BadSetting(f"{r.metric} cannot differ by {short(r.number)}: give a smaller margin.{hint}")
    if not r.compares and not low < r.number < high:
        told = f"{r.metric} lies between {short(low)} and {short(high)}"
        raise BadSetting(f"{told}, so {str(r)!r} asks nothing: give a limit between them.{hint}")


def _odd(r: Requirement, metric: Measure) -> Notes:
    """A limit against the measure's direction, which may be a slip."""
    against = {"above": "lower", "below": "higher"}[r.kind]
    return (note("gate-direction", of=r.metric, better=against, asked=str(r)),) if metric.better == against else ()
