"""What a row of the benchmark is, the three kinds of target, and the groups that make rows.

A new row: in a module of bench/rows, write a function that yields Rows and put `@group(key, title)` over it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from bench.timing import Cost, Rules


class Target(Protocol):
    """What a row is meant to reach."""

    @property
    def text(self) -> str:
        """The target in a few words."""

    def met(self, ours: float, peer: float | None) -> bool:
        """Whether these times, in seconds, reach it."""


@dataclass(frozen=True)
class AtLeast:
    """So many times faster than the peer, or more."""

    times: float

    @property
    def text(self) -> str:
        return f"at least {self.times:g}× faster"

    def met(self, ours: float, peer: float | None) -> bool:
        return peer is not None and peer >= self.times * ours


@dataclass(frozen=True)
class Within:
    """At most so many times the peer's time."""

    times: float

    @property
    def text(self) -> str:
        return "no slower" if self.times == 1 else f"at most {self.times:g}× its time"

    def met(self, ours: float, peer: float | None) -> bool:
        return peer is not None and ours <= self.times * peer


@dataclass(frozen=True)
class Under:
    """Less than so many seconds, whatever others need."""

    seconds: float

    @property
    def text(self) -> str:
        return f"under {self.seconds:g} s"

    def met(self, ours: float, peer: float | None) -> bool:  # noqa: ARG002 - one shape for all targets
        return ours < self.seconds


@dataclass(frozen=True)
class Error:
    """The largest distance of an interval's end from the exact one, the exact width, and its faults."""

    value: float
    width: float
    faults: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        number = "no interval" if self.value != self.value else f"{self.value:.1e} ({self._share} of the width)"
        return "; ".join((number, *self.faults))

    @property
    def _share(self) -> str:
        share = 100 * self.value / self.width
        return f"{share:.0f}%" if share >= 10 else f"{share:.2g}%" if share >= 0.01 else "<0.01%"


@dataclass(frozen=True)
class Row:
    """One comparison: what ours costs and what the peer does; without a peer only our time counts.

    Where the peer is our own code too (`own_peer`), a change of the code moves both.
    """

    what: str
    ours: Cost
    against: str = ""
    peer: Cost | None = None
    target: Target | None = None
    our_error: Error | None = None
    peer_error: Error | None = None
    note: str = ""
    own_peer: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times faster ours is; below 1 it is slower."""
        return None if self.peer is None else self.peer.seconds / self.ours.seconds

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.target.met(self.ours.seconds, None if self.peer is None else self.peer.seconds)


@dataclass(frozen=True)
class Run:
    """The settings of a run: a quick one takes small sizes and few repeats; `growth` gathers what its group finds."""

    quick: bool = False
    growth: list[dict[str, Any]] = field(default_factory=list)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (10**3, 10**5) if self.quick else (10**3, 10**5, 10**7)

    def rules(self, *, rounds: int, seconds: float = 20.0, slot: float = 0.0) -> Rules:
        """Those of a race, cut down for a quick run."""
        if self.quick:
            return Rules(min(rounds, 3), 3.0, min(rounds, 2), min(slot, 0.02))  # the first round may import
        return Rules(rounds, seconds, min(rounds, 3), slot)

    def say(self, text: str) -> None:
        """Progress, on stderr."""
        print(f"  … {text}", file=sys.stderr, flush=True)


Maker = Callable[[Run], Iterator[Row]]


@dataclass(frozen=True)
class Group:
    """Rows under one heading; `remarks` are printed below them."""

    key: str
    title: str
    make: Maker
    remarks: tuple[str, ...] = field(default=())


GROUPS: dict[str, Group] = {}


def group(key: str, title: str, *remarks: str) -> Callable[[Maker], Maker]:
    """Add the rows that a function yields to the benchmark."""

    def add(make: Maker) -> Maker:
        if key in GROUPS:
            raise ValueError(f"there is already a group {key!r}")
        GROUPS[key] = Group(key, title, make, remarks)
        return make

    return add
