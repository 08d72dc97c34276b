"""Outcomes: the evidence of passes and fails. Counts of the patterns (pass or fail of each system) that occur."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import AnyArray
from howsure.errors import BadCounts, BadSetting
from howsure.evidence import patterns
from howsure.evidence.patterns import Patterns, out
from howsure.evidence.protocol import number, plain_axes
from howsure.validate import Label, whole_counts

if TYPE_CHECKING:
    from howsure.evidence.strata import Stratified

FAIL, PASS = 0, 1
_BOTH: Final = np.array([[FAIL], [PASS]])
_BOTH.setflags(write=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes(Patterns):
    """Passes and fails; codes are 1 and 0; immutable; `a + b` merges.

    >>> Outcomes.rate(hits=47, of=50)
    Outcomes(47 hits of 50)
    """

    truths: ClassVar[int] = 0
    labels: ClassVar[tuple[Label, ...]] = ("fail", "pass")
    positive: ClassVar[Label] = "pass"
    outcome: ClassVar[bool] = True

    @classmethod
    def rate(cls, *, hits: ArrayLike, of: ArrayLike) -> Outcomes:
        """So many hits of so many trials; arrays make a batch."""
        parts = whole_counts(hits, "hits"), whole_counts(of, "of")
        try:
            good, total = np.broadcast_arrays(*parts)
        except ValueError:
            raise BadCounts(
                f"hits and of must have the same shape; got {parts[0].shape} and {parts[1].shape}."
            ) from None
        if np.any(good > total):
            at = np.argmax((good > total).ravel())
            raise BadCounts(f"hits cannot exceed trials; got {good.ravel()[at]} hits of {total.ravel()[at]} trials.")
        counts = np.stack([total - good, good], axis=-1)
        return cls(cells=_BOTH, counts=counts, batch=plain_axes(counts.shape[:-1]))

    # -- what it holds

    @property
    def hits(self) -> AnyArray:
        """Passes of one system, as an array of the batch shape."""
        return self.right_wrong(effective=False)[0]

    def right_wrong(self, *, effective: bool = True) -> tuple[AnyArray, AnyArray]:
        """Counts of passes and of fails."""
        self.single()
        passed = self.cells[:, 0] == PASS
        return self.sum_where(passed, effective), self.sum_where(~passed, effective)

    def right_alone(self) -> tuple[float, float]:
        """Items on which the first of two systems alone passes, and the second."""
        one, two = (self.cells[:, k] == PASS for k in (0, 1))
        return float(self.counts[one & ~two].sum()), float(self.counts[two & ~one].sum())

    def named(self, *, effective: bool = False) -> dict[str, AnyArray]:
        """Passes as tp, fails as fn: the cells that a rate is declared with."""
        hit, miss = self.right_wrong(effective=effective)
        return {"tp": hit, "fp": np.zeros_like(hit), "fn": miss, "tn": np.zeros_like(hit)}

    @property
    def tp(self) -> Any:
        """Passes."""
        return out(self.named()["tp"])

    @property
    def fn(self) -> Any:
        """Fails."""
        return out(self.named()["fn"])

    def single(self) -> None:
        """Refuse outcomes of several systems."""
        if len(self.systems) != 1:
            raise BadSetting(
                f"these are outcomes of {len(self.systems)} systems: choose one with .system({self.systems[0]!r})."
            )

    def describe(self) -> dict[str, Any]:
        """Size, and hits and misses of a single table."""
        data: dict[str, Any] = {
            "n": number(self.counts.sum()),
            "labels": list(self.labels),
            "positive": self.positive,
            "systems": list(self.systems),
            "outcome": True,
            "tables": self.tables,
            "weighted": self.weighted,
        }
        if not self.shape and len(self.systems) == 1:
            hit, miss = self.right_wrong(effective=False)
            data["cells"] = {"hits": number(hit), "misses": number(miss)}
        return data

    # -- views

    def tidy(self) -> Self:
        """Patterns in order, equal ones merged; both of one system, whether or not they occur."""
        found = self.merged()
        if len(self.systems) > 1 or len(found.cells) == 2:
            return found
        at = found.cells[:, 0]
        squares = None if found.squares is None else _padded(found.squares, at)
        return replace(found, cells=_BOTH, counts=_padded(found.counts, at), squares=squares)

    def with_positive(self, label: Label | None) -> Self:
        """Refused: hits are what is scored."""
        del label
        raise BadSetting("outcomes have no positive class to choose: hits are what is scored.")

    def stratified(self, sizes: Mapping[Any, float]) -> Stratified:
        """A stratified sample: the tables of the batch are strata with these population sizes, put together."""
        from howsure.evidence.strata import stratified

        return stratified(self, sizes)

    # -- algebra and travel

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Outcomes):
            return patterns.refused(self, other)  # type: ignore[no-any-return]
        a, b = patterns.aligned(self, other)
        return patterns.checked(patterns.added(a, b, np.concatenate([a.cells, b.cells])).tidy())  # type: ignore[return-value]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        return patterns.same(self, other) if isinstance(other, Outcomes) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.shape:
            return f"Outcomes(batch {self.shape})"
        if len(self.systems) > 1:
            return f"Outcomes({out(self.totals):,} trials, {len(self.systems)} systems)"
        return f"Outcomes({out(self.hits)} hits of {self.n})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: `Tally.from_dict(t.to_dict()) == t`; the truth of every item is to pass."""
        from howsure.evidence import documents

        cells = np.concatenate([np.full((len(self.cells), 1), PASS, dtype=np.int64), self.cells], axis=1)
        return documents.document(self, cells, labels=self.labels, positive=self.positive, outcome=True)

    def to_json(self) -> str:
        """to_dict as text."""
        from howsure.evidence import documents

        return documents.text(self.to_dict())


def _padded(values: AnyArray, at: AnyArray) -> AnyArray:
    full = np.zeros((*values.shape[:-1], 2), dtype=values.dtype)
    full[..., at] = values
    return full
