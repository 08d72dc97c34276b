"""Best-of-N timing that interleaves the contenders, so that noise of the machine falls on all of them.

A round gives every contender one slot: one call, or as many calls as fit in the slot when a call is short.
The order turns round each time. The figure is the best single call over all rounds, so the first round is
the warm-up.
"""

from __future__ import annotations

import contextlib
import gc
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# For the text of a program: the most memory that it held, in kB. getrusage counts that of what started it, too.
OWN_PEAK = "next(int(x.split()[1]) for x in open('/proc/self/status') if x.startswith('VmHWM'))"
OURS = "ours"  # contenders whose names start so keep their warnings; those of all others are silenced


@dataclass(frozen=True)
class Lap:
    """The best time of a contender in seconds, what its last call returned, and how many calls were timed."""

    seconds: float
    value: Any
    calls: int


@dataclass(frozen=True)
class Rules:
    """How long a race lasts: `rounds`, or fewer once `seconds` have passed, but never fewer than `least`."""

    rounds: int = 7
    seconds: float = float("inf")
    least: int = 3
    slot: float = 0.0


def race(
    contenders: Mapping[str, Callable[[], Any]],
    rules: Rules,
    *,
    before: Callable[[], None] | None = None,
) -> dict[str, Lap]:
    """The best time of each contender; `before` runs untimed ahead of every call."""
    laps: dict[str, Lap] = {}
    start = time.perf_counter()
    for turn in range(rules.rounds):
        if turn >= rules.least and time.perf_counter() - start > rules.seconds:
            break
        for name in list(contenders)[:: -1 if turn % 2 else 1]:
            with _silence(name):
                lap = _slot(contenders[name], rules.slot, before)
            laps[name] = lap if name not in laps else _better(laps[name], lap)
    return laps


def commands(lines: Mapping[str, Sequence[str]], folder: str) -> dict[str, Callable[[], None]]:
    """Contenders that each start a fresh process in `folder` and wait for its end."""

    def starter(line: Sequence[str]) -> Callable[[], None]:
        def start() -> None:
            done = subprocess.run(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if done.returncode:
                raise RuntimeError(f"{' '.join(line)} ended with {done.returncode}: {done.stderr.decode()}")

        return start

    return {name: starter(line) for name, line in lines.items()}


def _slot(call: Callable[[], Any], slot: float, before: Callable[[], None] | None) -> Lap:
    best, spent, calls, value = float("inf"), 0.0, 0, None
    while calls == 0 or spent < slot:
        if before is not None:
            before()
        value = None  # the memory of the last answer is free again before the next call
        with _no_collection():
            start = time.perf_counter()
            value = call()
            took = time.perf_counter() - start
        best, spent, calls = min(best, took), spent + took, calls + 1
    return Lap(best, value, calls)


def _better(old: Lap, new: Lap) -> Lap:
    return Lap(min(old.seconds, new.seconds), new.value, old.calls + new.calls)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


@contextlib.contextmanager
def _silence(name: str) -> Iterator[None]:
    if name.startswith(OURS):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
