"""Judged items: labels that a fallible judge gave, with human labels of a validated part beside them.

Judge and human of an item are one code, 3·judge + 1 + human, where human is -1 for an item that nobody validated. Of
verdicts on the outputs of systems every system has such a code, -1 for an item that it was not judged on; of labels
that systems predict (`JudgedTally`) the items have one code, and the systems answer 0 or 1.
A stratum is what is known of every item: the verdict, or the judge's label and the system's answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from howsure.arrays import AnyArray, Integers, Mask
from howsure.errors import BadLabels, BadSetting
from howsure.evidence import patterns
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.patterns import Patterns, out
from howsure.evidence.protocol import SQUARE, number
from howsure.validate import Label, find


def code(judge: Any, human: Any) -> Any:
    """One code for what the judge (0 or 1) and the human (0, 1, or -1 for nobody) say."""
    return 3 * judge + 1 + human


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedItems(Patterns):
    """What the two forms have in common; immutable; `a + b` merges."""

    external: bool = False  # the validated items are of another population, and tell of the judge's errors only
    shared: bool = False  # one validation tells of the verdicts on all systems

    strata: ClassVar[int] = 2  # what is known of every item: so many cases
    outcome: ClassVar[bool] = True

    @property
    def width(self) -> int:
        """The number of codes that a cell can have."""
        return 6

    def seen(self, k: int) -> tuple[Integers, Integers]:
        """Of every pattern, the stratum of the system at a place (-1: not judged) and the human label (-1: none)."""
        own = self.cells[:, k]
        return np.where(own < 0, -1, own // 3), np.where(own < 0, -1, own % 3 - 1)

    def known(self) -> AnyArray:
        """Validated items of one system, (…, stratum, human)."""
        self.single()
        stratum, human = self.seen(0)
        cells = [[(stratum == s) & (human == h) for h in (0, 1)] for s in range(self.strata)]
        return np.stack([np.stack([self.sum_where(x, False) for x in row], axis=-1) for row in cells], axis=-2)

    def unknown(self) -> AnyArray:
        """Items of one system that nobody validated, (…, stratum)."""
        self.single()
        stratum, human = self.seen(0)
        return np.stack([self.sum_where((stratum == s) & (human < 0), False) for s in range(self.strata)], axis=-1)

    @property
    def validated(self) -> Any:
        """How many items of one system have a human label."""
        return out(self.known().sum(axis=(-1, -2)))

    def judge_table(self) -> AnyArray:
        """Validated items of one system by (human, judge)."""
        known = self.known()
        by_judge = known.reshape(*known.shape[:-2], 2, self.strata // 2, 2).sum(axis=-2)
        return np.swapaxes(by_judge, -1, -2)

    @property
    def totals(self) -> AnyArray:
        """The number of items; those of a validation from elsewhere are none."""
        return np.asarray(self.counts[..., self.own].sum(axis=-1))

    @property
    def own(self) -> Mask:
        """Patterns of the items that are scored."""
        if not self.external:
            return np.ones(len(self.cells), dtype=bool)
        first = self.cells if self.truths == 0 else self.cells[:, :1]
        return np.asarray(((first >= 0) & (first % 3 == 0)).any(axis=1))

    @property
    def n(self) -> Any:
        """The number of items."""
        return out(self.totals)

    def single(self) -> None:
        """Refuse judged items of several systems."""
        if len(self.systems) != 1:
            raise BadSetting(
                f"these are judged items of {len(self.systems)} systems: choose one with .system({self.systems[0]!r})."
            )

    def _described(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "n": number(self.totals.sum()),
            "labels": list(self.labels),
            "positive": self.positive,
            "systems": list(self.systems),
            "tables": self.tables,
            "weighted": False,
        }
        if not self.shape and len(self.systems) == 1:
            data["validated"] = number(self.validated)
        return data

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes."""
        return ("fail", "pass")

    @property
    def positive(self) -> Label:
        """The positive class."""
        return self.labels[1]

    def _added(self, other: object) -> Any:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, type(self)):
            return patterns.refused(self, other)
        alike = ("labels", "external", "shared")
        if any(getattr(self, x) != getattr(other, x) for x in alike):
            raise BadLabels("judged items of different classes or validations cannot be added.")
        a, b = patterns.aligned(self, other)
        return patterns.checked(patterns.added(a, b, np.concatenate([a.cells, b.cells])).tidy())

    def __add__(self, other: object) -> Self:
        return self._added(other)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JudgedItems):
            return NotImplemented
        return type(self) is type(other) and patterns.same(self, other, ("labels", "external", "shared"))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedOutcomes(JudgedItems):
    """A judge's verdicts, pass or fail, on the outputs of systems."""

    truths: ClassVar[int] = 0

    def tidy(self) -> Self:
        """Patterns in order, without those of items that none of the systems was judged on."""
        found = super().tidy()
        kept = (found.cells >= 0).any(axis=1)
        return found if kept.all() else replace(found, cells=found.cells[kept], counts=found.counts[..., kept])

    def human_only(self) -> Outcomes:
        """What the human labels of one system say alone."""
        miss, hit = np.moveaxis(self.known().sum(axis=-2), -1, 0)
        return Outcomes(
            cells=np.array([[0], [1]]), counts=np.stack([miss, hit], axis=-1), systems=self.systems, batch=self.batch
        )

    def with_positive(self, label: Label | None) -> Self:
        """Refused: passes are what is scored."""
        del label
        raise BadSetting("verdicts have no positive class to choose: passes are what is scored.")

    def describe(self) -> dict[str, Any]:
        """Size, and how many were validated."""
        return self._described() | {"outcome": True}

    def __repr__(self) -> str:
        return f"JudgedOutcomes({_size(self)})"


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedTally(JudgedItems):
    """A judge's labels of items that systems classify into two classes; the second one is positive."""

    classes: tuple[Label, Label]

    truths: ClassVar[int] = 1
    strata: ClassVar[int] = 4
    outcome: ClassVar[bool] = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The two classes."""
        return self.classes

    def seen(self, k: int) -> tuple[Integers, Integers]:
        """Strata are 2·judge + answer."""
        own, answer = self.cells[:, 0], self.cells[:, 1 + k]
        return 2 * (own // 3) + answer, own % 3 - 1

    def human_only(self) -> Tally:
        """What the human labels of one system say alone."""
        known = self.known()
        table = known[..., :2, :] + known[..., 2:, :]  # (answer, human)
        counts = np.stack([table[..., answer, human] for human, answer in SQUARE.tolist()], axis=-1)
        return Tally(
            cells=SQUARE, counts=counts, labels=self.labels, positive=self.positive, systems=self.systems,
            batch=self.batch, positive_given=True, labels_given=True,
        )  # fmt: skip

    def with_positive(self, label: Label | None) -> Self:
        """The same with another positive class."""
        if label is None or find(label, self.labels) == 1:
            return self
        own = self.cells[:, 0]
        judge, human = own // 3, own % 3 - 1
        swapped = code(1 - judge, np.where(human < 0, -1, 1 - human))
        cells = np.column_stack([swapped, 1 - self.cells[:, 1:]])
        return replace(self, cells=cells, classes=(self.classes[1], self.classes[0])).tidy()

    def describe(self) -> dict[str, Any]:
        """Size, classes, and how many were validated."""
        return self._described()

    def __repr__(self) -> str:
        return f"JudgedTally({_size(self)})"


def _size(e: JudgedItems) -> str:
    if e.shape:
        return f"batch {e.shape}"
    many = f"{e.n:,} items"
    return f"{many}, {len(e.systems)} systems" if len(e.systems) > 1 else f"{many}, {e.validated:,} validated"
