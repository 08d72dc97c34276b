"""The state of a posterior, and what its future items show."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, Self

from howsure.arrays import Array
from howsure.errors import BadSetting
from howsure.evidence.protocol import Evidence
from howsure.posteriors.priors import Prior

# -- state
#
# State: evidence with its prior and settings. Every question is put to one; nothing derives these anew.

TOGETHER = "asked together"  # where a state keeps the questions that are
END_ERROR = 2.67  # standard error of a normal law's 2.5% point, times √n, in standard deviations


@dataclass(frozen=True, eq=False)
class State:
    """What is known: the evidence, what was put in before it, and how exact draws have to be."""

    evidence: Any  # an Evidence of the kind that the model is for
    prior: Prior
    tolerance: float = 0.02
    seed: int = 0
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)  # draws that measures share

    def seeing(self, evidence: Evidence) -> Self:
        """The same prior and settings with other evidence."""
        return replace(self, evidence=evidence, kept={})

    def wanted_draws(self, factor: float = 1.0) -> int:
        """Draws that keep equal-tailed ends within the tolerance, three standard errors counted."""
        return -int(-(factor * (3 * END_ERROR / self.tolerance) ** 2) // 1)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "kept": {}}


# -- outlook
#
# Outlook: what future data sets would show of a measure, drawn from what a pilot leaves open or from stated shares.
#
# An outlook gives, for so many future items, one number for each of many data sets: the width of the interval, or the
# probability of the claim that is to be shown. The analysis of each is the one that the data will have.


class Seen(NamedTuple):
    """A number for each of many data sets, and their weights; none where all weigh the same, in groups of points."""

    values: Array
    weights: Array | None


class Outlook(Protocol):
    """What can be foreseen of n units: items, or clusters of them."""

    @property
    def exact(self) -> bool:
        """Whether all data sets are listed, and none drawn."""

    @property
    def pace(self) -> int:
        """How many data sets are looked at."""

    @property
    def most(self) -> int:
        """How many units can be asked for."""

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """The width of the interval."""

    def chances(self, n: int, limit: float, part: int = 1, fresh: int = 0) -> Seen:
        """The probability that the measure, or the difference, is above a limit."""


class OfDifference:
    """Of two systems a difference is shown, and no width is planned."""

    def widths(self, n: int, level: float, interval: str, part: int = 1, fresh: int = 0) -> Seen:
        """Refused: a plan for two systems is about their difference being shown."""
        del n, level, interval, part, fresh
        raise BadSetting("a plan for the width of a difference is not made; give the difference to be shown.")
