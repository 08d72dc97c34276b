"""Solution: what solve found, as tables, ranges and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.layout import number
from howsure.expressions import CELLS
from howsure.notes import note
from howsure.relations.quantities import quantity, shown
from howsure.relations.region import Faces, Region
from howsure.relations.values import Given
from howsure.result import Result
from howsure.rows import real

Array = NDArray[np.float64]
Cells = dict[str, Any]
_COLUMNS = ("precision", "recall", "f1", "accuracy", "prevalence", "phi")
_SHARES = note("shares", "no count is given, so the cells are shares of all items")

_FRACTIONS = note("fractions", "the cells are not all whole; if the values are rounded, look for tables with integers")


@dataclass(frozen=True)
class Outcome:
    """A status with what belongs to it: tables, a region, or what made it fail."""

    status: str
    tables: Array = field(default_factory=lambda: np.zeros((0, 4)))
    region: Region | Faces | None = None
    complete: bool = True
    point: Array | None = None  # where the equations would put the shares, outside of what can be
    undefined: Given | None = None  # what is 0/0 throughout
    fractions: bool = False  # whether tables of fractions agree
    unexplained: bool = False  # no whole table, and it is not yet asked whether one of fractions agrees


@dataclass(frozen=True)
class Solution(Result):
    """The tables behind reported measures: `status` is unique, several, undetermined or infeasible."""

    given: tuple[Given, ...]
    outcome: Outcome = field(repr=False)
    integers: bool = False

    @property
    def status(self) -> str:
        """unique, several, undetermined or infeasible."""
        return self.outcome.status

    @property
    def complete(self) -> bool:
        """Whether all tables are listed."""
        return self.outcome.complete

    @cached_property
    def tables(self) -> tuple[Cells, ...]:
        """Every table that agrees with the report, as tp, fp, fn, tn; shares when no count is given."""
        return tuple(dict(zip(CELLS, map(number, row), strict=True)) for row in self.outcome.tables)

    @property
    def table(self) -> Cells:
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
            raise BadSetting("a Tally needs whole numbers: give n, or use integers=True (--integers).")
        whole = counts.astype(np.int64)
        columns = whole[0] if self.status == "unique" else whole.T
        return Tally.binary(**dict(zip(CELLS, columns, strict=True)))

    @property
    def counted(self) -> bool:
        """Whether a count is given, so that cells are counts and no shares."""
        return any(one.quantity.sized and one.high > 0 for one in self.given)

    @cached_property
    def why(self) -> str:
        """The answer in a sentence."""
        from howsure.relations import explain, solving

        found = solving.without_whole(self.given) if self.outcome.unexplained else self.outcome
        if found.fractions:
            return explain.nothing_whole(self.given)
        if found.undefined is not None:
            return explain.zero_by_zero(self.given, found.undefined)
        if self.status == "infeasible":
            return explain.infeasible(self.given, found.point)
        if self.outcome.region is not None:
            return explain.undetermined(self.outcome.region, self.given)
        kind = "whole-number tables" if self.integers else "tables"
        if self.status == "unique":
            return f"one {kind.removesuffix('s')} has these values."
        more = "" if self.complete else " or more"
        return f"{len(self.outcome.tables):,}{more} {kind} have these values."

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Measures that the report leaves free."""
        from howsure.relations import explain

        return () if self.outcome.region is None else explain.free(self.outcome.region)

    @cached_property
    def settling(self) -> tuple[str, ...]:
        """Measures of which one more value would settle the table."""
        from howsure.relations import explain

        return () if self.outcome.region is None else explain.settling(self.outcome.region)

    @cached_property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The lowest and highest value of every count and measure over all tables that agree."""
        listed = (*(quantity(x) for x in ("tp", "fp", "fn", "tn", "n")), *shown())
        if self.outcome.region is not None:
            spans = self.outcome.region.spans(listed)
        else:
            spans = [_span(np.asarray(q.at(self.outcome.tables))) for q in listed]
        return {q.name: span for q, span in zip(listed, spans, strict=True) if span is not None}

    def measure(self, name: str) -> Any:
        """The value of a measure or count at the table, or at each of the tables."""
        values = np.asarray(quantity(name).at(self.outcome.tables))
        return real(values[0]) if self.status == "unique" else values

    def posterior(self, metric: str = "f1", *, prior: Any = "even", seed: int = 0) -> Distribution:
        """The posterior of a measure given the report: over all its whole-number tables, by their probability."""
        from howsure.relations.posterior_over_tables import blended

        return blended(self, metric, prior, seed)

    # -- document

    @property
    def notes(self) -> Notes:
        notes = []
        if not self.counted and self.status != "infeasible":
            notes.append(_SHARES)
        elif self.counted and (self.outcome.tables != np.round(self.outcome.tables)).any():
            notes.append(_FRACTIONS)
        if not self.complete:
            notes.append(note("incomplete", "there are more tables than were listed; raise most=, or give more digits"))
        return tuple(notes)

    def _make(self) -> dict[str, Any]:
        from howsure.version import VERSION

        return {
            "schema": "howsure.solve/1",
            "version": VERSION,
            "status": self.status,
            "why": self.why,
            "given": [
                {"name": g.name, "shown": g.shown, "low": float(g.low), "high": float(g.high)} for g in self.given
            ],
            "integers": self.integers,
            "complete": self.complete,
            "tables": [dict(t) for t in self.tables],
            "free": list(self.free),
            "settled_by": list(self.settling),
            "rows": self._rows(),
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row a table, or a row a measure where tables are too many to list."""
        if self.status == "undetermined":
            return [{"metric": k, "low": real(a), "high": real(b)} for k, (a, b) in self.ranges.items()]
        columns = {name: np.asarray(quantity(name).at(self.outcome.tables)) for name in ("n", *_COLUMNS)}
        return [
            {**cells, "n": number(columns["n"][i]), **{k: real(columns[k][i]) for k in _COLUMNS}}
            for i, cells in enumerate(self.tables)
        ]

    def __repr__(self) -> str:
        if self.status == "unique":
            return f"Solution({', '.join(f'{k}={v:.10g}' for k, v in self.table.items())})"
        return f"Solution({self.status}: {self.why.rstrip('.')})"


def _span(values: Array) -> tuple[float, float] | None:
    values = values[~np.isnan(values)]
    return (float(values.min()), float(values.max())) if values.size else None
