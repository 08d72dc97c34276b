"""Comparison: P(first better than second), the law of the difference, and the verdict in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.distribution import Distribution, Error, Note
from howsure.document import Measure, Notes, Result, Row, envelope, make_row, real, row_documents
from howsure.errors import BadSetting
from howsure.model import Known, Posterior, Ranked, Resampled
from howsure.render.numbers import probability, short

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """One of the systems: its name, its posterior and, when asked for, its row."""

    name: str
    posterior: Known
    metric: Measure
    level: float
    interval: str

    @cached_property
    def distribution(self) -> Distribution:
        """The law of the measure for this system."""
        return self.posterior[self.metric]

    @cached_property
    def row(self) -> Row:
        """The score row, as in a report."""
        return make_row(self.posterior, self.metric, self.level, self.interval, None, self.name)


@dataclass(frozen=True)
class Comparison(Result):
    """first against second on one measure; numbers for one pair of tables, arrays for a batch."""

    metric: Measure
    first: Side
    second: Side
    paired: bool
    p_above: Any
    p_below: Any
    difference: Distribution
    route: str
    p_error: float
    level: float
    interval: str
    equal_within: float | None
    between: Callable[[float], Any]
    own_notes: Notes
    joint: Known | None = None
    gain: Callable[[], Notes] | None = None  # what pairing told, worked out when the notes are asked for

    @cached_property
    def notes(self) -> Notes:
        """What is to be said of the comparison and of both systems."""
        gain = () if self.gain is None else self.gain()
        if np.isnan(np.asarray(self.difference.mean, dtype=float)).any():
            gain = (*gain, Note("no-mean", f"the difference of {self.metric} has no mean: both are infinite"))
        return tuple(dict.fromkeys((*self.own_notes, *gain, *self.first.row.notes, *self.second.row.notes)))

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
        return None if self.equal_within is None else self.between(self.equal_within)

    @cached_property
    def ratio(self) -> Distribution:
        """The law of first/second, by draws; for measures that start at 0."""
        from howsure.comparison import independent, paired
        from howsure.kernels.sampled import Sampled

        a, b = self.first.distribution, self.second.distribution
        if a.range[0] < 0 or b.range[0] < 0:
            raise BadSetting(f"a ratio of {self.metric} makes no sense: it can be negative.")

        def divide(x: Array, y: Array) -> Array:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(np.where(y > 0, x / np.where(y > 0, y, 1.0), np.inf))

        if self.paired and self.joint is not None:
            sampler = paired.sampler(self.joint, self.metric, divide)
        else:
            sampler = independent.sampler_of(a, b, divide)
        n = min(200_000, *(getattr(x.sampler, "most", 200_000) for x in (a, b)))
        draws = np.sort(sampler(n, self.first.posterior.seed), axis=0)
        return Distribution(f"ratio of {self.metric}", Sampled(draws, 0.0, np.inf), "sampled", sampler, log_scale=True)

    @cached_property
    def proportion(self) -> Distribution:
        """The posterior of a sampled P(first above second): Beta, whose std is the paper's "+/-" (after eq. 13)."""
        from howsure.kernels.sampled import Sampled
        from howsure.model import posterior
        from howsure.table import Tally

        law = self.difference.law
        if self.route != "sampled" or not isinstance(law, Sampled):
            raise BadSetting("this probability was computed, not sampled: it has no sampling error.")
        return posterior(Tally.rate(hits=(law.draws > 0).sum(axis=0), of=law.n), "jeffreys")["rate"]

    @cached_property
    def wins(self) -> Any:
        """On how many items either system has the better value, as hs.compare_wins; None for tables of classes."""
        from howsure.comparison.wins import compare_wins

        if not isinstance(self.joint, Resampled):
            return None
        one, two = self.joint.data.only(self.metric).chosen(self.first.name, self.second.name).values.T
        up, down = int((one > two).sum()), int((one < two).sum())
        first, second = (down, up) if self.metric.better == "lower" else (up, down)
        names = (self.first.name, self.second.name)
        return compare_wins(first, second, len(one) - up - down, names=names, level=self.level)

    def tests(self) -> dict[str, float | None]:
        """p-values for readers of journals: McNemar exact (the sign test) and mid-p, and a paired permutation test.

        For graded values: the sign test, Wilcoxon's signed ranks, and a paired permutation test of the mean. For the
        AUC of scores: DeLong's test.
        """
        from howsure.comparison import classical_tests, paired

        if not self.paired or self.joint is None:
            raise BadSetting("these tests are for two systems on the same items.")
        if np.ndim(self.p_above) or self.joint.source.weighted:
            raise BadSetting("these tests take a single table of unweighted items.")
        if isinstance(self.joint, Ranked):
            return classical_tests.ranked(self.joint, str(self.metric))
        if not isinstance(self.joint, Posterior):
            return classical_tests.graded(self.joint.data.only(self.metric), self.first.posterior.seed)
        assert isinstance(self.metric, Metric)  # noqa: S101 - narrows the type
        if self.joint.view(self.metric).kind in paired.WHOLE:
            raise BadSetting(f"these tests take a measure of a 2x2 table or of right answers, not {self.metric}.")
        joint = paired.joint_of(self.joint, self.metric)
        counts = tuple(int(c) for c in joint.counts)
        return classical_tests.p_values(joint, counts, self.metric, self.first.posterior.seed)

    @property
    def error(self) -> Error:
        """Bounds: of the difference's numbers, and of every probability."""
        return Error(self.difference.error.value, self.p_error)

    @property
    def verdict(self) -> Any:
        """The finding in words; a list for a batch."""
        better, equal = np.asarray(self.p_better, dtype=object), np.asarray(self.p_equal, dtype=object)
        if better.ndim == 0:
            return self._words(better.item(), equal.item())
        equal = np.broadcast_to(equal, better.shape)
        return [self._words(p, q) for p, q in zip(better.ravel(), equal.ravel(), strict=True)]

    def _words(self, p: float | None, equal: float | None) -> str:
        a, b, on = self.first.name, self.second.name, self.metric
        if p is None:
            said = f"{a} and {b} differ on {on}, which has no better direction"
        elif abs(p - 0.5) < 1e-9:
            said = f"{a} and {b} are even on {on}: each is the better one with probability 0.500"
        elif p >= 0.5:
            said = f"{a} beats {b} on {on} with probability {probability(p)}"
        else:
            said = f"{b} beats {a} on {on} with probability {probability(1 - p)}"
        if equal is not None:
            said += f"; they are within {self.equal_within:g} of each other with probability {probability(equal)}"
        return said

    def _make(self) -> dict[str, Any]:
        p = self.first.posterior
        one, two = (row_documents([s.row], s.posterior.source) for s in (self.first, self.second))
        data = {"systems": [self.first.name, self.second.name], "paired": self.paired, "n": None}
        if self.paired:
            data["n"] = one[0]["n"] if len(one) == 1 else None
        rows = self._rows(one, two)
        return envelope("howsure.compare/1", p, self.level, self.interval, p.seed, data, rows, self.notes)

    def _rows(self, one: list[dict[str, Any]], two: list[dict[str, Any]]) -> list[dict[str, Any]]:
        d = self.difference
        low, high = d.interval(self.level, kind=self.interval)
        size = np.shape(self.p_above)
        many = int(np.prod(size, dtype=int))
        one, two = (x * many if len(x) == 1 else x for x in (one, two))  # one table against each of a batch
        columns = {
            "mean": d.mean, "std": d.std, "median": d.median, "low": low, "high": high,
            "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal, "value": d.error.value,
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
                **{k: at(k, i) for k in ("p_better", "p_worse", "p_equal")},
                "equal_within": self.equal_within,
                "difference": {k: at(k, i) for k in ("mean", "std", "median", "low", "high")},
                "error": {"value": at("value", i), "probability": self.p_error},
                "route": self.route,
                "verdict": words[i],
                **self._won(),
            }
            for i, (a, b) in enumerate(zip(one, two, strict=True))
        ]

    def _won(self) -> dict[str, Any]:
        """Items on which either has the better value."""
        if self.wins is None:
            return {}
        first, second, same = (int(x) for x in self.wins.counts)
        return {"wins": {"first": first, "second": second, "same": same, "p_better": real(self.wins.p_better)}}

    def __repr__(self) -> str:
        if np.ndim(self.p_above):
            return f"Comparison({self.first.name}, {self.second.name}, {self.metric}, batch {np.shape(self.p_above)})"
        low, high = self.difference.interval(self.level)
        return f"{self.verdict}; difference {short(self.difference.median)} [{short(low)}, {short(high)}]"


def check_margin(margin: Any) -> float | None:
    """equal_within: a finite number from 0 on, or None."""
    if margin is None:
        return None
    if isinstance(margin, bool) or not isinstance(margin, (int, float, np.number)) or not 0 <= margin < np.inf:
        raise BadSetting(f"equal_within must be a number, 0 or more; got {margin!r}.")
    return float(margin)


def direction_note(metric: Measure) -> Notes:
    """What to say of a measure without a direction."""
    if metric.better is not None:
        return ()
    return (Note("no-direction", f"{metric} has no better direction: only the difference is given"),)
