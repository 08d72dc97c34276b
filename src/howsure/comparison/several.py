"""Several: results of one verb on several measures, as one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from howsure.errors import UnknownName, listing
from howsure.result import Result


@dataclass(frozen=True, eq=False)
class Several(Result):
    """Comparisons, or leaderboards, of the same systems on several measures; by the name of a measure, each alone."""

    parts: tuple[Any, ...]

    def __getitem__(self, metric: str) -> Any:
        for part in self.parts:
            if str(metric) in (str(part.metric), part.asked):
                return part
        raise UnknownName(f"no measure {metric!r} here; there are {listing([str(p.metric) for p in self.parts])}.")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def _library(self) -> str | None:
        return self.parts[0]._library  # type: ignore[no-any-return]

    def _make(self) -> dict[str, Any]:
        made = [part._document for part in self.parts]
        notes = list({(n["code"], n["text"]): n for document in made for n in document["notes"]}.values())
        whole: dict[str, Any] = made[0] | {
            "rows": [row for document in made for row in document["rows"]],
            "notes": notes,
        }
        if "pairs" in made[0]:
            whole["pairs"] = [pair for document in made for pair in document["pairs"]]
            whole["verdict"] = "; ".join(document["verdict"] for document in made)
        return whole

    def __repr__(self) -> str:
        return "\n".join(repr(part) for part in self.parts)
