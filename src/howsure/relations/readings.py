"""Other readings of reported digits: where no table rounds to them, one may with ties rounded down, or digits cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.evidence.layout import number
from howsure.expressions import CELLS
from howsure.language import spelled
from howsure.relations.outcomes import Outcome, outcome, whole_outcome
from howsure.relations.values import Given

_MOST: Final = 100  # tables of another reading that are listed


@dataclass(frozen=True)
class Alternative:
    """Tables that agree with the same digits read otherwise: `reading` is ties-either or truncated."""

    reading: str
    outcome: Outcome

    @property
    def why(self) -> str:
        """Which tables, under which reading."""
        tables = self.outcome.tables
        if self.outcome.region is not None:
            which = "some tables do"
        elif len(tables) == 1:
            which = f"{'/'.join(f'{x:.10g}' for x in tables[0])} (tp/fp/fn/tn) does"
        else:
            which = f"{'' if self.outcome.complete else 'more than '}{len(tables)} tables do"
        how = spelled("ties='either'", "--ties either")
        when = f"ties may round down ({how})" if self.reading == "ties-either" else "digits are truncated"
        return f"{which} if {when}"

    @property
    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        tables = [dict(zip(CELLS, map(number, row), strict=True)) for row in self.outcome.tables]
        return {"reading": self.reading, "tables": tables, "complete": self.outcome.complete}


def alternative(known: tuple[Given, ...], integers: bool) -> Alternative | None:
    """The first other reading of these digits that some table agrees with."""
    for reading in ("ties-either", "truncated"):
        reread = tuple(g.reread(reading) for g in known)
        if reread == known:
            continue
        try:
            found = whole_outcome(reread, _MOST) if integers else outcome(reread)
        except BadSetting:  # too large to be searched
            continue
        if found.status not in ("infeasible", "not-found"):
            return Alternative(reading, found)
    return None
