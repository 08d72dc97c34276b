"""Several: results of one verb on several measures, as one document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from howsure.catalogue import Metric
from howsure.comparison.slicing import grouped, page
from howsure.errors import BadSetting, UnknownName, listing
from howsure.model.posterior import Posterior
from howsure.notes import merged
from howsure.result import Result

One = str | Metric
Many = list[Any] | tuple[Any, ...]  # of names and Metrics; no Sequence, since a name is one of texts
R = TypeVar("R")


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
        notes = _together(self.parts, made)
        whole: dict[str, Any] = made[0] | {
            "rows": grouped(made) if "slice" in made[0]["rows"][0] else [row for x in made for row in x["rows"]],
            "notes": notes,
        }
        if "pairs" in made[0]:
            whole["pairs"] = [pair for document in made for pair in document["pairs"]]
            whole["verdict"] = "; ".join(document["verdict"] for document in made)
        return whole

    def page(self) -> dict[str, Any]:
        """The document for people: of many slices only the first and the last in their order."""
        sliced = any(row.get("slice") for row in self._document["rows"])
        return page(self._document, len(self.parts)) if sliced else self._document

    def _outlines(self) -> Mapping[str, Callable[[], Any]]:
        """One measure of several is drawn as it would be alone."""
        found: Mapping[str, Callable[[], Any]] = self.parts[0]._outlines() if len(self.parts) == 1 else {}
        return found

    def _measures(self) -> list[Any]:
        return [m for part in self.parts for m in part._measures()]

    def __repr__(self) -> str:
        return "\n".join(repr(part) for part in self.parts)


def _together(parts: Sequence[Any], made: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The notes of all documents, each once; those that say the same of several measures are one."""
    own = [[(n, n.document) for n in part.notes] for part in parts]
    kept = merged(n for each, document in zip(own, made, strict=True) for n, x in each if x in document["notes"])
    told = [x for each in own for _, x in each]
    rest = [x for document in made for x in document["notes"] if x not in told]
    return list({(x["code"], x["text"]): x for x in [*(n.document for n in kept), *rest]}.values())


def each_measure(
    posteriors: Sequence[Posterior],
    asked: Any,
    made: Callable[[Any], R],
    joint: Posterior | None = None,
) -> R | Several:
    """What a verb makes of one metric, the default one if none is given, or all that it makes of a list.

    `asked` is one metric, a list of them or None, as metrics_given finds it. `posteriors` are those of each system;
    what several metrics share is worked out once, of the joint one too.
    """
    first = posteriors[0]
    if not isinstance(asked, list):
        alone = first.spelled_out([first.default_metric if asked is None else asked])
        if len(alone) > 1:
            raise BadSetting(f"{asked} is a metric for each of {len(alone)} classes: give metrics=[{asked!r}].")
        return made(alone[0])
    every = first.spelled_out(asked)
    for p in posteriors:
        p.questions(every)
    if joint is not None:
        joint.together(every)
    return Several(tuple(made(m) for m in every))
