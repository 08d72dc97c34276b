"""Evaluation: runs on several measures in one document, with ranks and the comparisons asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from howsure.comparison.ranks import Leaderboard, leaderboard
from howsure.comparison.result import Comparison
from howsure.comparison.verbs import compare
from howsure.errors import BadSetting, listing
from howsure.evidence.graded import Graded
from howsure.language import option
from howsure.model.posterior import Posterior, posterior
from howsure.notes import Notes, note
from howsure.result import Result
from howsure.scoring import Report, score


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """A report of all measures, a leaderboard of each where there are several runs, and comparisons of pairs."""

    report: Report
    boards: tuple[Leaderboard, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def posterior(self) -> Posterior:
        """Of all runs and measures."""
        return self.report.posterior

    @cached_property
    def notes(self) -> Notes:
        """The comparisons in words, what is to be said of the measures, and how ranks were found."""
        ranks = tuple(n for board in self.boards[:1] for n in board.notes if n.code == "sampled")
        weight = self.posterior.prior.outcome()[0]
        own = (note("prior-from-data", form="pairs", weight=weight),) if self.comparisons and weight else ()
        return (*map(_told, self.comparisons), *own, *self.report.notes, *ranks)

    def _measures(self) -> Iterable[Any]:
        return self.report._measures()

    def _make(self) -> dict[str, Any]:
        made = self.report.to_dict() | {"schema": "howsure.trec/1"}
        made["data"] = {**made["data"], "measures": list(self.posterior.evidence.measures)}
        if not self.boards:
            return made
        boards = [board.to_dict() for board in self.boards]
        made["rows"] = [row for board in boards for row in board["rows"]]
        made["pairs"] = [pair for board in boards for pair in board["pairs"]]
        made["verdict"] = boards[0]["verdict"]
        made["comparisons"] = [row for c in self.comparisons for row in c.to_dict()["rows"]]
        made["notes"] = [n.document for n in self.notes]
        return made

    def __repr__(self) -> str:
        return repr(self.boards[0]) if self.boards else repr(self.report)


def evaluate(
    items: Graded, pairs: Sequence[tuple[str, str]] = (), *, equal_within: float | None = None, prior: Any = "even",
    seed: int = 0, **how: Any,
) -> Evaluation:  # fmt: skip
    """Every measure of the runs; the pairs that are named are compared, and the only two where there are no more."""
    if len(items.systems) == 1 and (pairs or equal_within is not None):
        stray = "compare" if pairs else "equal_within"
        raise BadSetting(f"{option(stray)} is for two runs or more; got one.")
    unknown = next((name for pair in pairs for name in pair if name not in items.systems), None)
    if unknown is not None:
        raise BadSetting(f"no run named {unknown!r}; there are {listing(items.systems)}.")
    p = posterior(items, prior, seed=seed)
    report = score(p, **how)
    if len(items.systems) == 1:
        return Evaluation(report, (), ())
    if not pairs and len(items.systems) == 2:
        pairs = [(items.systems[0], items.systems[1])]
    if equal_within is not None and not pairs:
        raise BadSetting(f"{option('equal_within')} is for runs that are compared: name two with {option('compare')}.")
    boards = tuple(leaderboard(p, metric=m, **how) for m in items.measures)
    compared = tuple(
        compare(p, a, b, metric=m, equal_within=equal_within, **how) for a, b in pairs for m in items.measures
    )
    return Evaluation(report, boards, compared)


def _told(c: Comparison) -> Any:
    """A comparison in one sentence."""
    low, high = c.difference.interval(c.level, kind=c.interval)
    first, second, same = (int(x) for x in c.wins.counts) if c.wins is not None else (0, 0, 0)
    gap = (float(c.first.score) - float(c.second.score), float(low), float(high))
    return note("comparison", verdict=c.verdict, systems=c.systems, gap=gap, wins=(first, second, same))
