"""Limits of scores to come: the values whose probabilities a prediction tells, one for all measures or by measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import BadSetting, UnknownName, listing
from howsure.language import option
from howsure.ranges import reached, refuse_beyond
from howsure.settings import finite

Forecast = Any  # howsure.decisions.forecast.Forecast


@dataclass(frozen=True)
class ScoreLimit:
    """A score whose probability is wanted: one for all measures, or by measure."""

    name: str
    given: Any

    def of(self, d: Forecast) -> float | None:
        """The limit of a measure."""
        if isinstance(self.given, Mapping):
            found = next((v for k, v in self.given.items() if str(k) in (d.asked, str(d.metric))), None)
        else:
            found = self.given
        if found is None:
            return None
        value = finite(found)
        if not -1e300 < value < 1e300:
            told = f"{option(self.name)} must be a finite number, or a mapping from metric to number"
            raise BadSetting(f"{told}; got {found!r}.")
        low, high = reached(d.metric)
        both = len(d.systems) > 1  # a difference goes as far as its measure is wide, either way
        bounds = (low - high, high - low) if both else (low, high)
        refuse_beyond(f"a difference of {d.asked}" if both else d.asked, bounds, value, self.name)
        return value

    def refuse_unused(self, parts: Sequence[Forecast]) -> None:
        """A mapping that names a measure which is not asked for."""
        known = [x for d in parts for x in (d.asked, str(d.metric))]
        unused = [str(k) for k in (self.given if isinstance(self.given, Mapping) else ()) if str(k) not in known]
        if unused:
            shown = listing(list(dict.fromkeys(d.asked for d in parts)))
            raise UnknownName(f"{option(self.name)} names {unused[0]!r}, which is not among the measures: {shown}.")
