"""Best-of-N timing that interleaves the contenders, so that noise of the machine falls on all of them.

A round gives every contender one slot: one call, or as many calls as fit in the slot when a call is short.
The order turns round each time. The figure is the best single call over all rounds, so the first round is
the warm-up.

One untimed call more of each contender, after all rounds, measures its peak memory (bench/memory.py), so that it costs
no time of a timed call. A call of over LONG seconds is measured in its rounds after the first instead: there the
preparation is no part of its time either, and little beside it.
"""

from __future__ import annotations

import contextlib
import gc
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench import memory
from bench.memory import Peak

LONG = 2.0  # seconds of a call whose memory is measured in its timed rounds
TOO_LONG = 20.0  # seconds of a call that is not repeated for its memory alone
OURS = "ours"  # contenders whose names start so keep their warnings; those of all others are silenced


@dataclass(frozen=True)
class Cost:
    """What a call costs: seconds, and its peak memory if that was measured."""

    seconds: float
    peak: Peak | None = None

    def times(self, factor: float) -> Cost:
        """The time of so many such calls, for a contender that is timed on a part; the memory is not known then."""
        return Cost(self.seconds * factor)


@dataclass(frozen=True)
class Lap(Cost):
    """The best time of a contender, its peak, what its last call returned, and how many calls were timed."""

    value: Any = None
    calls: int = 0


@dataclass(frozen=True)
class Command:
    """A contender that starts a fresh process in `folder` and waits for its end."""

    line: Sequence[str]
    folder: str

    def __call__(self) -> None:
        done = subprocess.run(
            self.line, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(self.line)} ended with {done.returncode}: {done.stderr.decode()}")


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
    """The best time of each contender, and its peak memory; `before` runs ahead of every call and is in neither."""
    laps: dict[str, Lap] = {}
    start = time.perf_counter()
    for turn in range(rules.rounds):
        if turn >= rules.least and time.perf_counter() - start > rules.seconds:
            break
        for name in list(contenders)[:: -1 if turn % 2 else 1]:
            call = contenders[name]
            watch = name in laps and laps[name].seconds > LONG and not isinstance(call, Command)
            with _silence(name):
                lap = _slot(call, rules.slot, before, watch=watch)
            laps[name] = lap if name not in laps else _better(laps[name], lap)
    for name, call in contenders.items():
        if laps[name].peak is None and laps[name].seconds <= TOO_LONG:
            with _silence(name):
                laps[name] = replace(laps[name], peak=_peak(call, before))
    return laps


def commands(lines: Mapping[str, Sequence[str]], folder: str) -> dict[str, Command]:
    """Contenders that each start a fresh process in `folder` and wait for its end."""
    return {name: Command(line, folder) for name, line in lines.items()}


def _peak(call: Callable[[], Any], before: Callable[[], None] | None) -> Peak | None:
    """The peak memory of one call more."""
    if isinstance(call, Command):
        return memory.of_command(call.line, call.folder)
    return _slot(call, 0.0, before, watch=True).peak


def _slot(call: Callable[[], Any], slot: float, before: Callable[[], None] | None, *, watch: bool) -> Lap:
    best, spent, calls, value, peak = float("inf"), 0.0, 0, None, None
    while calls == 0 or spent < slot:
        if before is not None:
            before()
        value = None  # the memory of the last answer is free again before the next call
        with _no_collection():
            held = memory.begin() if watch else None
            start = time.perf_counter()
            value = call()
            took = time.perf_counter() - start
            peak = memory.rise(held)
        best, spent, calls = min(best, took), spent + took, calls + 1
    return Lap(best, peak, value, calls)


def _better(old: Lap, new: Lap) -> Lap:
    return Lap(min(old.seconds, new.seconds), new.peak or old.peak, new.value, old.calls + new.calls)


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
