"""For pytest: `require` states what must hold in the words of a gate, and fails, skips or xfails with its table.

>>> from howsure.evidence.classes import Tally
>>> require(Tally.binary(tp=80, fp=20, fn=30, tn=870), "f1 > 0.6 with 0.95").status
'pass'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, Unpack

from howsure._gate import Gate, gate
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.validate import ColumnsAndTarget

Choice = Literal["fail", "skip", "xfail"]
_CHOICES: Final = ("fail", "skip", "xfail")


def require(
    data: Any,
    *requirements: str | Sequence[str],
    inconclusive: Choice = "fail",
    baseline: Any = None,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
    **columns: Unpack[ColumnsAndTarget],
) -> Gate:
    """The gate of these requirements if it passes; else an AssertionError that shows it.

    Data, baseline and settings are those of hs.gate. What is inconclusive fails too, unless `inconclusive` says that
    the test is to be skipped or expected to fail ("skip", "xfail": these need pytest); a requirement that fails always
    fails.
    """
    __tracebackhide__ = True
    if inconclusive not in _CHOICES:
        hint = nearest(str(inconclusive), _CHOICES)
        raise UnknownName(f"inconclusive= is 'fail', 'skip' or 'xfail'; got {inconclusive!r}.{hint}")
    listed: Any = requirements[0] if len(requirements) == 1 else requirements
    made = gate(
        data, listed, baseline=baseline, level=level, interval=interval, prior=prior, tolerance=tolerance,
        seed=seed, **columns,
    )  # fmt: skip
    if made.status == "pass":
        return made
    if made.status == "fail" or inconclusive == "fail":
        raise AssertionError(str(made))
    _leave(inconclusive, made)
    return made


def _leave(way: Choice, made: Gate) -> None:
    """End the test as pytest does."""
    __tracebackhide__ = True
    try:
        import pytest
    except ImportError:
        raise BadSetting(f"inconclusive={way!r} needs pytest: pip install pytest") from None
    leave: Any = pytest.skip if way == "skip" else pytest.xfail
    leave(str(made) if way == "skip" else made.verdict)
