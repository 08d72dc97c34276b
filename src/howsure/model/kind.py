"""Kind: what the model of a kind of evidence tells. Each is a module of functions, next to its ways of looking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from howsure.catalogue.measure import Measure
from howsure.model.question import Question
from howsure.model.state import State
from howsure.notes import Notes
from howsure.priors import Prior


class Kind(Protocol):
    """The functions of a model module."""

    def settle_prior(self, evidence: Any, given: Any) -> Prior:
        """The prior that was given, or a refusal of one that does not fit."""

    def prior_total(self, state: State) -> float:
        """The prior's weight in all."""

    def parse(self, state: State, name: Any) -> Measure:
        """The measure of a name."""

    def question(self, state: State, metric: Any, asked: str) -> Question:
        """The measure put to the evidence, in the way of looking that fits."""

    def names(self, state: State) -> Sequence[str]:
        """The measures that a posterior lists."""

    def table(self, state: State) -> Sequence[str | Measure]:
        """The measures of the default report."""

    def default(self, state: State) -> str:
        """The measure that systems are compared on."""

    def draws(self, state: State, n: int, seed: int, metrics: Any) -> Any:
        """Joint draws of what the measures are computed from."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Work out what several questions to one posterior share."""

    def extras(self, state: State, level: float) -> tuple[dict[str, Any], Notes]:
        """What a report tells beyond its rows: parts of the document, and notes."""
