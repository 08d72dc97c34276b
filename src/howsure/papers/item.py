"""An item of a paper: what is printed, how to compute it, and the verdict that the comparison gives.

A verdict is never written down: it follows from checks, each the distance between print and computation and the
distance that may be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

AGREES: Final = "agrees"
SAMPLING: Final = "within the paper's sampling error"
WRONG: Final = "print is wrong, corrected form given"
CANNOT: Final = "cannot be reproduced"
VERDICTS: Final = (AGREES, SAMPLING, WRONG, CANNOT)

ROUND_OFF: Final = 1e-12


@dataclass(frozen=True)
class Finding:
    """What howsure computes for an item: a text, the verdict on the print, and the numbers behind both."""

    computed: str
    verdict: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """A printed equation, table, figure or number; nothing is computed before `compute` is called."""

    id: str
    paper: str
    where: str
    title: str
    printed: str
    compute: Callable[[], Finding]
    note: str = ""


@dataclass(frozen=True)
class Agreement:
    """One comparison: how far print and computation are apart, what may be, and four standard errors of the print."""

    gap: float
    allowed: float = 0.0
    noise: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether they are the same, rounding aside; never so for a gap that is not a number."""
        return self.gap <= self.allowed

    @property
    def likely(self) -> bool:
        """Whether the sampling error of the print covers what rounding does not."""
        return self.gap <= self.allowed + self.noise


def close(got: Any, expected: Any, within: float = ROUND_OFF) -> Agreement:
    """Numbers or arrays that should be equal.

    >>> close(0.1 + 0.2, 0.3).holds, close(0.5, 0.6).holds
    (True, False)
    """
    import numpy as np

    return Agreement(float(np.max(np.abs(np.asarray(got, dtype=float) - np.asarray(expected, dtype=float)))), within)


def rounds(got: float, printed: str, error: float = 0.0) -> Agreement:
    """A number against its printed digits: half a unit of the last one is allowed; `error` is its standard error.

    >>> rounds(0.5833, "58%").holds, rounds(0.59, "58%").holds
    (True, False)
    """
    scale = 0.01 if printed.endswith("%") else 1.0
    digits = printed.rstrip("%")
    unit = scale * 10.0 ** -len(digits.partition(".")[2])
    return Agreement(abs(got - scale * float(digits)), 0.5 * unit * (1 + 1e-9), 4 * error)


def claim(holds: object) -> Agreement:
    """A statement that is true or false."""
    return Agreement(0.0 if holds else 1.0)


def judge(printed: Sequence[Agreement], corrected: Sequence[Agreement] = ()) -> str:
    """The verdict that the checks of the print, and of the corrected form if there is one, give.

    >>> judge([claim(False)], [claim(True)])
    'print is wrong, corrected form given'
    """
    if all(c.holds for c in printed):
        return AGREES
    if all(c.likely for c in printed):
        return SAMPLING
    if corrected and all(c.holds for c in corrected):
        return WRONG
    return CANNOT


def result(computed: str, printed: Sequence[Agreement], corrected: Sequence[Agreement] = (), **data: Any) -> Finding:
    """A Finding with its verdict and the largest differences found."""
    gaps = {"difference": max(c.gap for c in printed)}
    if corrected:
        gaps["difference_corrected"] = max(c.gap for c in corrected)
    return Finding(computed, judge(printed, corrected), {**data, **gaps})


def apart(*checks: Agreement) -> str:
    """The largest difference in words that stay the same on every machine.

    >>> apart(close(0.1 + 0.2, 0.3)), apart(close(1, 3))
    ('equal within 1e-12', 'up to 2 apart')
    """
    gap = max(c.gap for c in checks)
    return f"equal within {ROUND_OFF:.0e}" if gap <= ROUND_OFF else f"up to {gap:.3g} apart"


Maker = Callable[[Callable[[], Finding]], Callable[[], Finding]]


@dataclass(frozen=True)
class Register:
    """The items of one paper, in the order of their declaration."""

    key: str
    paper: str
    items: list[Item] = field(default_factory=list)

    def __call__(self, place: str, where: str, title: str, printed: str, note: str = "") -> Maker:
        """A decorator that makes an item of the function that computes it."""

        def keep(compute: Callable[[], Finding]) -> Callable[[], Finding]:
            self.items.append(Item(f"{self.key}-{place}", self.paper, where, title, printed, compute, note))
            return compute

        return keep
