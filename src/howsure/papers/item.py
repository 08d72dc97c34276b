"""An item of a paper: what is printed, how to compute it, and the verdict that the comparison gives.

A verdict is never written down: it follows from checks, each the distance between print and computation and the
distance that may be. What a check has on its printed side, a number, a formula or words, decides what "true" is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

AGREES: Final = "agrees"
SAMPLING: Final = "within the paper's sampling error"
HOLDS: Final = "holds"
WRONG: Final = "print is wrong, corrected form given"
CANNOT: Final = "cannot be reproduced"
SHOWN: Final = "no number printed"
MEANINGS: Final = {
    AGREES: "howsure computes the number, or the value of the formula, that is printed, in all printed digits.",
    SAMPLING: "the printed numbers were drawn at random; howsure's are within four standard errors of them.",
    HOLDS: "a statement, not a value; it was checked against what howsure computes, and is true.",
    WRONG: "what is printed does not hold; what holds is in the column of howsure or in the note.",
    CANNOT: "howsure does not arrive at the printed numbers; the note says what is missing.",
    SHOWN: "the paper has nothing here to compare with; howsure shows what it computes.",
}
VERDICTS: Final = tuple(MEANINGS)

ROUND_OFF: Final = 1e-12

# What stands on the printed side of a check
NUMBER: Final = "number"
FORMULA: Final = "formula"
WORDS: Final = "words"
NOTHING: Final = "nothing"  # two ways of our own


@dataclass(frozen=True)
class Finding:
    """What howsure computes for an item: a text, the verdict on the print, and the numbers behind both."""

    computed: str
    verdict: str
    data: dict[str, Any] = field(default_factory=dict)
    checks: tuple[Agreement, ...] = ()


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
    basis: str = NOTHING
    printed: Any = None
    computed: Any = None
    what: str = ""

    @property
    def holds(self) -> bool:
        """Whether they are the same, rounding aside; never so for a gap that is not a number."""
        return self.gap <= self.allowed

    @property
    def likely(self) -> bool:
        """Whether the sampling error of the print covers what rounding does not."""
        return self.gap <= self.allowed + self.noise


def close(got: Any, expected: Any, within: float = ROUND_OFF) -> Agreement:
    """Numbers or arrays that should be equal, neither of them printed.

    >>> close(0.1 + 0.2, 0.3).holds, close(0.5, 0.6).holds
    (True, False)
    """
    import numpy as np

    return Agreement(float(np.max(np.abs(np.asarray(got, dtype=float) - np.asarray(expected, dtype=float)))), within)


def equals(computed: Any, printed: Any, within: float = ROUND_OFF) -> Agreement:
    """What howsure computes against the values of a printed formula.

    >>> equals(0.1 + 0.2, 0.3).holds
    True
    """
    check = close(computed, printed, within)
    return Agreement(check.gap, within, 0.0, FORMULA, printed, computed)


def in_proportion(computed: Any, printed: Any, within: float = 1e-11) -> Agreement:
    """What howsure computes against a formula that is printed up to a constant.

    >>> in_proportion([2.0, 4.0], [1.0, 2.0]).holds
    True
    """
    import numpy as np

    ratio = np.asarray(computed, dtype=float) / np.asarray(printed, dtype=float)
    return equals(ratio / ratio.flat[0], np.ones(ratio.shape), within)


def unit_of(printed: str) -> float:
    """One unit in the last printed place.

    >>> unit_of("0.503"), unit_of("58%"), unit_of("117240")
    (0.001, 0.01, 1.0)
    """
    scale = 0.01 if printed.endswith("%") else 1.0
    return scale * float(10.0 ** -len(printed.rstrip("%").partition(".")[2]))


def rounds(got: float, printed: str, error: float = 0.0, what: str = "") -> Agreement:
    """A number against its printed digits, halves rounded away from 0; `error` is the standard error of the print.

    >>> rounds(0.5833, "58%").holds, rounds(0.59, "58%").holds
    (True, False)
    >>> rounds(0.625, "63%").holds, rounds(0.625, "62%").holds
    (True, False)
    """
    value = float(printed.rstrip("%")) * (0.01 if printed.endswith("%") else 1.0)
    slack = 1e-9 if abs(got) < abs(value) else -1e-9  # a half that a double cannot hold is a half
    return Agreement(abs(got - value), 0.5 * unit_of(printed) * (1 + slack), 4 * error, NUMBER, printed, got, what)


def claim(holds: object) -> Agreement:
    """A statement in words that is true or false."""
    return Agreement(0.0 if holds else 1.0, basis=WORDS)


def judge(printed: Sequence[Agreement], corrected: Sequence[Agreement] = ()) -> str:
    """The verdict that the checks of the print, and of the corrected form if there is one, give.

    >>> judge([claim(False)], [claim(True)])
    'print is wrong, corrected form given'
    >>> judge([claim(True)]), judge([close(1, 1)]), judge([equals(1, 1), claim(True)])
    ('holds', 'no number printed', 'agrees')
    """
    if all(c.holds for c in printed):
        bases = {c.basis for c in printed}
        return AGREES if bases & {NUMBER, FORMULA} else HOLDS if WORDS in bases else SHOWN
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
    return Finding(computed, judge(printed, corrected), {**data, **gaps}, tuple(printed))


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
