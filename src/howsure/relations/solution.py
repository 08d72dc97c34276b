"""Solution: what solve found, as tables, ranges and words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution
from howsure.envelope import envelope
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.layout import number
from howsure.expressions import CELLS
from howsure.language import spelled
from howsure.notes import Notes, note
from howsure.relations import explain
from howsure.relations.integers import linear_spans
from howsure.relations.outcomes import Outcome, outcome
from howsure.relations.posterior_over_tables import PosteriorRows, over_tables, rows_over_tables
from howsure.relations.quantities import Quantity, full_name, quantity, shown
from howsure.relations.readings import Alternative, alternative
from howsure.relations.values import Given
from howsure.result import Result
from howsure.rows import real
from howsure.settings import AUTO

Array = NDArray[np.float64]
CellCounts = dict[str, Any]
_COLUMNS: Final = ("precision", "recall", "f1", "accuracy", "prevalence", "phi")
_SHARES: Final = note("shares", "no count is given, so the cells are shares of all items")
_FRACTIONS: Final = note("fractions")
_INCOMPLETE: Final = note("incomplete", form="tables")
_OPEN: Final = note("no-posterior", "a posterior needs tables, and these values leave the table open")
_NONE: Final = note("no-posterior", "a posterior needs tables, and there are none")


@dataclass(frozen=True)
class Solution(Result):
    """The tables behind reported measures: `status` is unique, several, undetermined, infeasible or not-found."""

    given: tuple[Given, ...]
    outcome: Outcome = field(repr=False)
    integers: bool = False
    posteriors: PosteriorRows = field(default_factory=PosteriorRows, repr=False)  # that the document has
    unanswered: bool = False  # whether posteriors were asked for that cannot be given
    remarks: Notes = ()  # on how the report was read

    @property
    def status(self) -> str:
        """unique, several, undetermined, infeasible (which is certain) or not-found (which is not)."""
        return self.outcome.status

    @property
    def complete(self) -> bool:
        """Whether all tables are listed."""
        return self.outcome.complete

    @cached_property
    def tables(self) -> tuple[CellCounts, ...]:
        """Every table that agrees with the report, as tp, fp, fn, tn; shares when no count is given."""
        return tuple(dict(zip(CELLS, map(number, row), strict=True)) for row in self.outcome.tables)

    @property
    def table(self) -> CellCounts:
        """The table, when there is one."""
        if self.status != "unique":
            raise BadSetting(f"there is no single table: {self.why}")
        return self.tables[0]

    @property
    def tally(self) -> Tally:
        """The table, or the batch of tables, as a Tally."""
        if not len(self.outcome.tables):
            raise BadSetting(f"there is no table to tally: {self.why}")
        counts = self.outcome.tables
        if not self.counted or (counts != np.round(counts)).any():
            how = spelled("give n, or use integers=True", "give n, and leave out --exact")
            raise BadSetting(f"{spelled('a Tally', 'a posterior')} needs tables of whole numbers: {how}.")
        whole = counts.astype(np.int64)
        columns = whole[0] if self.status == "unique" else whole.T
        return Tally.binary(**dict(zip(CELLS, columns, strict=True)))

    @property
    def counted(self) -> bool:
        """Whether a count is given, so that cells are counts and no shares."""
        return any(one.quantity.sized and one.high > 0 for one in self.given)

    @cached_property
    def alternative(self) -> Alternative | None:
        """Where no table rounds to the digits: those that do with ties rounded either way, or with digits truncated."""
        return alternative(self.given, self.integers) if self.status == "infeasible" else None

    @cached_property
    def why(self) -> str:
        """The answer in a sentence."""
        found = self.outcome
        if self.alternative is not None:
            return f"no table rounds to these digits; {self.alternative.why}."
        if self.integers and self.status == "infeasible":  # it is not yet asked whether tables of fractions agree
            try:
                found = outcome(self.given)
            except BadSetting:  # too large for tables of fractions
                return explain.nothing_whole(self.given, False)
            if found.status != "infeasible":
                return explain.nothing_whole(self.given, found.status != "not-found")
        if found.undefined is not None:
            return explain.zero_by_zero(self.given, found.undefined)
        if found.status == "not-found":
            return explain.not_found(self.given)
        if found.status == "infeasible":
            return explain.infeasible(self.given, found.point)
        if found.region is not None:
            return explain.undetermined(found.region, self.given)
        if self.status == "unique" or not self.integers:
            return f"{self._count}."
        ranges = [f"{c} {_between(*self.ranges[c])}" for c in CELLS if c in self.ranges]
        return f"{self._count}: {', '.join(ranges)}."

    @property
    def _count(self) -> str:
        """How many tables agree, in words."""
        kind = "whole-number table" if self.integers else "table"
        what = "these digits" if any(g.printed for g in self.given) else "these values"
        if self.status == "unique":
            return f"exactly one {kind} has {what}"
        more = "" if self.complete else "more than "
        return f"{more}{len(self.outcome.tables):,} {kind}s have {what}"

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Measures that the report leaves free."""
        return () if self.outcome.region is None else explain.free(self.outcome.region)

    @cached_property
    def settling(self) -> tuple[str, ...]:
        """Measures of which one more value would settle the table."""
        return () if self.outcome.region is None else explain.settling(self.outcome.region)

    @cached_property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The lowest and highest value of every count and measure over all tables that agree, or a little beyond."""
        listed = (*(quantity(x) for x in (*CELLS, "n")), *shown())
        if self.outcome.region is not None:
            spans = self.outcome.region.spans(listed)
        elif not self.complete:
            return self._wider(listed)
        else:
            spans = [_span(np.asarray(q.at(self.outcome.tables))) for q in listed]
        return {q.name: span for q, span in zip(listed, spans, strict=True) if span is not None}

    def _wider(self, listed: Sequence[Quantity]) -> dict[str, tuple[float, float]]:
        """Ranges over all tables, whole or not, where not all whole ones are listed; counts in whole numbers."""
        try:
            real_ones = outcome(self.given, proved=False).region
        except BadSetting:  # too large for tables of fractions
            real_ones = None
        if real_ones is None:
            found = linear_spans(self.given, listed)
        else:
            spans = zip(listed, real_ones.spans(listed), strict=True)
            found = {q.name: span for q, span in spans if span is not None}
        sums = {q.name for q in listed if q.sized}
        return {k: (math.ceil(a - 1e-6), math.floor(b + 1e-6)) if k in sums else (a, b) for k, (a, b) in found.items()}

    def measure(self, name: str) -> Any:
        """The value of a measure or count at the table, or at each of the tables."""
        values = np.asarray(quantity(full_name(name)).at(self.outcome.tables))
        return real(values[0]) if self.status == "unique" else values

    # -- posterior

    def posterior(self, metric: str = "f1", *, prior: Any = "even", seed: int = 0) -> Distribution:
        """The posterior of a measure given the report: over all its whole-number tables, by their probability."""
        return over_tables(self._whole(), self.complete, metric, prior, seed)

    def with_posterior(
        self,
        metrics: str | Sequence[str] = "f1",
        *,
        prior: Any = "even",
        level: float = 0.95,
        interval: str = AUTO,
        seed: int = 0,
    ) -> Solution:
        """The same solution with the posteriors of some measures in its document, and under its table.

        >>> from howsure.relations import solve
        >>> s = solve(precision="0.75", recall="0.60", n=50, integers=True).with_posterior("f1")
        >>> [(row["metric"], round(row["low"], 3), round(row["high"], 3)) for row in s.to_dict()["posterior"]]
        [('f1', 0.334, 0.857)]
        """
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        rows = rows_over_tables(self._whole(), self.complete, names, prior, level, interval, seed)
        return replace(self, posteriors=rows)

    def _whole(self) -> Array:
        """The tables, if there are some and all are of whole numbers."""
        if not len(self.outcome.tables):
            raise BadSetting(f"a posterior needs tables, and there are none: {self.why}")
        _ = self.tally  # tells what is missing
        return self.outcome.tables

    # -- document

    @property
    def notes(self) -> Notes:
        """What is to be said of the tables."""
        fractions = (self.outcome.tables != np.round(self.outcome.tables)).any()
        said = (
            (_SHARES, not self.counted and self.status not in ("infeasible", "not-found")),
            (_FRACTIONS, self.counted and fractions),
            (_INCOMPLETE, not self.complete),
            (_OPEN if self.status == "undetermined" else _NONE, self.unanswered),
        )
        return (*self.remarks, *(note for note, there in said if there))

    def _make(self) -> dict[str, Any]:
        document = envelope("howsure.solve/2", self._rows(), notes=self.notes, **self.posteriors.settings)
        return document | {
            "status": self.status,
            "why": self.why,
            "alternative": None if self.alternative is None else self.alternative.document,
            "given": [
                {"name": g.name, "shown": g.shown, "low": float(g.low), "high": float(g.high)} for g in self.given
            ],
            "integers": self.integers,
            "complete": self.complete,
            "tables": [dict(t) for t in self.tables],
            "ranges": self._ranges() if self.status in ("several", "undetermined") else [],
            "free": list(self.free),
            "settled_by": list(self.settling),
            "posterior": list(self.posteriors.rows),
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row per table, or a row per measure where tables are too many to list."""
        if self.status == "undetermined":
            return self._ranges()
        columns = {name: np.asarray(quantity(name).at(self.outcome.tables)) for name in ("n", *_COLUMNS)}
        return [
            {**cells, "n": number(columns["n"][i]), **{k: real(columns[k][i]) for k in _COLUMNS}}
            for i, cells in enumerate(self.tables)
        ]

    def _ranges(self) -> list[dict[str, Any]]:
        return [{"metric": k, "low": real(a), "high": real(b)} for k, (a, b) in self.ranges.items()]

    def __repr__(self) -> str:
        if self.status == "unique":
            return f"Solution({', '.join(f'{k}={v:.10g}' for k, v in self.table.items())})"
        if self.status == "several":
            return f"Solution(several: {self._count})"
        return f"Solution({self.status}: {self.why.rstrip('.')})"


def _between(low: float, high: float) -> str:
    """88 to 92, or one number."""
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _span(values: Array) -> tuple[float, float] | None:
    values = values[~np.isnan(values)]
    return (float(values.min()), float(values.max())) if values.size else None
