"""gate: does it pass? Each requirement has three answers, pass, fail and inconclusive, by its posterior probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from howsure.catalogue import known
from howsure.columns import ColumnsAndTarget
from howsure.decisions.judging import FAIL, OPEN, PASS, Ruling, judged
from howsure.decisions.requiring import requirements as read
from howsure.decisions.sides import Sides, check_sides, refuse_idle_baseline, sides_of
from howsure.envelope import envelope
from howsure.errors import BadSetting
from howsure.evidence import account
from howsure.notes import BLOCKING, SHARED_ITEMS, Note, Notes, merged, note
from howsure.render.harmless import visible
from howsure.render.numbers import probability
from howsure.result import Result
from howsure.settings import check_kind, check_level


@dataclass(frozen=True, eq=False)
class Gate(Result):
    """Requirements with their answers; prints as a table. `status` is `pass`, `fail` or `inconclusive`."""

    sides: Sides
    level: float
    interval: str
    rows: tuple[Ruling, ...]
    told: Notes = ()  # of where the requirements came from

    @property
    def status(self) -> str:
        """Any fail is a fail, else any inconclusive is inconclusive."""
        found = {row.status for row in self.rows}
        return next(x for x in (FAIL, OPEN, PASS) if x in found)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        every, failed, left = len(self.rows), self._many(FAIL), self._many(OPEN)
        of = "the requirement" if every == 1 else f"{{}} of {every} requirements"
        if failed:
            rest = f", {left} {'is' if left == 1 else 'are'} {OPEN}" if left else ""
            return f"{FAIL}: {of.format(failed)} {'fails' if failed == 1 else 'fail'}{rest}"
        reason = next((row.reason for row in self.rows if row.reason and row.status == OPEN), None)
        if reason is not None:
            return f"{OPEN}: {BLOCKING[reason]}"
        if left:
            rest = ", none fails" if every > 1 else ""
            return f"{OPEN}: {of.format(left)} {'is' if left == 1 else 'are'} {OPEN}{rest}"
        every_one = {1: "the requirement holds", 2: "both requirements hold"}
        return f"{PASS}: {every_one.get(every, f'all {every} requirements hold')}"

    def _blocked(self) -> Gate:
        """The same with the answers left open that the data cannot carry."""
        sides = [x for x in (self.sides.joint or self.sides.judged, self.sides.other) if x is not None]
        notes = [n for side in sides for n in side.evidence.notes]
        return replace(self, rows=tuple(_blocked(row, notes) for row in self.rows))

    def _many(self, status: str) -> int:
        return sum(row.status == status for row in self.rows)

    def noted(self, *notes: Any) -> Gate:
        """The same with more to be said."""
        return replace(self, told=(*self.told, *notes))

    @cached_property
    def notes(self) -> Notes:
        """What is to be said, each thing once."""
        own = [note("gate-near", of=str(row.requirement)) for row in self.rows if row.near]
        if any(row.requirement.compares for row in self.rows):
            own.append(note("gate-difference", first=self.sides.names[0], second=self.sides.names[1]))
        form = "same" if self.sides.other is None else "both"
        left = [row for row in self.rows if row.more is not None]
        sliced = any(row.requirement.where for row in left)
        own += [note("gate-more", form=f"{form}-sliced" if sliced else form, unit=row.unit) for row in left]
        told = [n for row in self.rows for n in row.notes if n.code != SHARED_ITEMS or row.reason == SHARED_ITEMS]
        return merged([*self.told, *own, *told])

    @property
    def _library(self) -> str | None:
        return self.sides.judged.library

    @property
    def _kind(self) -> str:
        return "gate"

    def _measures(self) -> list[Any]:
        return known(row.metric for row in self.rows)

    def _make(self) -> dict[str, Any]:
        whole = self.sides.slice(()).judged
        compared = self.sides.compared
        data = {**whole.evidence.describe(), "paired": self.sides.joint is not None if compared else None}
        made = envelope(
            "howsure.gate/1", [row.document(self.level, self.interval) for row in self.rows],
            prior=whole.prior_document, level=self.level, interval=self.interval, seed=whole.seed,
            data=data | ({"systems": list(self.sides.names)} if compared else {}),
            notes=self.notes, account=account.document([(self.sides.joint or whole).evidence]),
        )  # fmt: skip
        return made | {"status": self.status, "verdict": self.verdict}

    def to_junit(self) -> str:
        """JUnit XML, a test case for each requirement; one that is inconclusive is an error."""
        return self._render("junit")

    def __bool__(self) -> bool:
        raise BadSetting("a gate has three answers, so it is neither true nor false: look at its .status.")

    def __repr__(self) -> str:
        each = "; ".join(
            f"{row.requirement}: {row.status} ({probability(row.probability, row.error)})" for row in self.rows
        )
        return f"Gate({visible(f'{self.status}; {each}')})"


def _blocked(row: Ruling, notes: Sequence[Note]) -> Ruling:
    """An answer that is open for a reason, where a warning gives one; slices that share items can be judged singly."""
    codes = [n.code for n in (*notes, *row.notes) if n.code in BLOCKING]
    if row.requirement.where:
        codes = [x for x in codes if x != SHARED_ITEMS]
    return replace(row, reason=codes[0]) if codes else row


def gate(
    data: Any,
    requirements: Any,
    *,
    baseline: Any = None,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
    **columns: Unpack[ColumnsAndTarget],
) -> Gate:
    """Does it pass? Each requirement passes if it holds with its probability, and fails if the opposite does.

    A requirement is a text: "f1 > 0.8 with 0.95", "recall:fraud > 0.9 in region=north with 0.9", or, against a
    baseline, "f1 not worse by 0.01 with 0.9" (0.95 and a margin of 0 unless given). `data` is evidence, a posterior, or
    a frame, a file or a database with its columns named. A baseline is the second of two systems in the data, another
    file joined on the ids of items (`on=`), or evidence or a posterior of different items.

    >>> from howsure.evidence.classes import Tally
    >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
    >>> gate(t, ["f1 > 0.7 with 0.9", "recall > 0.8"]).status
    'fail'
    """
    asked = read(requirements)
    if baseline is not None:
        refuse_idle_baseline(asked)
    own: dict[str, Any] = {"prior": prior, "tolerance": tolerance, "seed": seed}
    given, sides = sides_of(data, baseline, asked, {k: v for k, v in columns.items() if v is not None}, own)
    wanted = check_level(given.level if level is None else level)
    kind = check_kind(given.interval if interval is None else interval)
    check_sides(sides, asked)
    rows = [row for r in asked for row in judged(sides.slice(r.where), r, wanted, kind)]
    return Gate(sides, wanted, kind, tuple(rows))._blocked()
