"""Any measure as lists tell of it: of tables, scores and samples, which the catalogue has, and of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from howsure import catalogue
from howsure.catalogue import metrics
from howsure.catalogue.repeated import repeated
from howsure.catalogue.retrieval import Ranking, rankings
from howsure.errors import BadSetting, HowsureError, UnknownName
from howsure.ranking.measures import KINDS, RunMeasure
from howsure.ranking.naming import parse


@dataclass(frozen=True)
class OfRuns:
    """A measure of runs of search engines: the mean over queries of its value of each.

    >>> str(OfRuns(parse("ndcg_cut_10"))), OfRuns(parse("P@5")).aliases
    ('nDCG@10', ('P_5', 'precision@5'))
    """

    measure: RunMeasure

    text: None = None  # it is a procedure
    latex: None = None
    better: Literal["higher"] = "higher"
    needs_positive: bool = False
    source: None = None
    subject: str = "runs"

    def __str__(self) -> str:
        return str(self.measure)

    @property
    def bounds(self) -> tuple[float, float]:
        """From 0; a number of documents has no upper end."""
        return 0.0, math.inf if self.measure.declared.counts else 1.0

    @property
    def route(self) -> str:
        """How its posterior is computed."""
        return "sampled" if self.measure.unjudged == "rate" and not self.measure.micro else "quadrature"

    @property
    def undefined(self) -> str:
        """Which queries have no value."""
        none = "no document is relevant" if self.measure.recall_based else "never"
        return self.measure.declared.undefined or none

    @property
    def aliases(self) -> tuple[str, ...]:
        """The names in trec_eval and elsewhere."""
        m = self.measure
        found = [m.trec_eval] if m.trec_eval else []
        if not m.given and not m.micro:
            found += [str(m).replace(m.kind, name, 1) for name in m.declared.aliases]
        return tuple(dict.fromkeys(x for x in found if x != str(m)))

    @property
    def meaning(self) -> str:
        """In words, with its own cut-off."""
        at, what = self.measure.at, self.measure.declared.what
        return (
            what.replace("first k documents", "documents retrieved")
            if at is None
            else what.replace("first k", f"first {at}")
        )


def described(name: str) -> list[Any]:
    """The measures of a name: one, or of scores and of runs, where both have it.

    >>> [type(m).__name__ for x in ("f-measure", "nDCG@10", "AP") for m in described(x)]
    ['Metric', 'OfRuns', 'Ranking', 'OfRuns']
    """
    try:
        found: Any = catalogue.described(name)
    except HowsureError as error:
        try:
            return [OfRuns(parse(name))]
        except UnknownName:
            raise error from None
    return [found, *_of_runs_too(name)] if isinstance(found, Ranking) else [found]


def _of_runs_too(name: str) -> list[OfRuns]:
    try:
        return [OfRuns(parse(name))]
    except (BadSetting, UnknownName):
        return []


def listed() -> list[Any]:
    """Every measure that has a name of its own, and one of each family of others."""
    points = {"cutoff": "@10", "recall": "@0.1", "": ""}
    runs = [OfRuns(parse(f"{kind.name}{points[kind.at] if kind.at_needed else ''}")) for kind in KINDS]
    return [*metrics(), *rankings(), *repeated(), *runs]
