"""State: evidence with its prior and settings. Every question is put to one; nothing derives these anew."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

from howsure.evidence.protocol import Evidence
from howsure.priors import Prior

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
