"""What a log holds: runs of a system on a task, with their samples; and what a format of logs must be able to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Plain = str | int | float | bool
LONG: Final = 200  # characters of a fact that may be a column; longer texts are questions and answers


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to one question: its scores by scorer, None or no entry where the harness could not score it."""

    id: Plain
    scores: Mapping[str, float | None]
    epoch: int = 1
    facts: Mapping[str, Plain] = field(default_factory=dict)  # columns for slices and conditions
    print: str | None = None  # a fingerprint of the question, where the harness writes one


@dataclass(frozen=True)
class TaskRun:
    """The samples of one system on one task, as one log has them, under one filter of answers."""

    system: str | None  # None: logs of this format do not say
    task: str
    samples: Sequence[Sample]
    path: str
    filter: str | None = None
    when: str = ""  # texts that sort by time
    missing: int = 0  # samples of the run that are not in the log
    planned: int = 0  # samples that the run was to have
    status: str | None = None  # of a run that did not end well
    skipped: int = 0  # samples that were not to be run
    scorer: str | None = None  # the one to take when the user names none
    reported: Mapping[str, float] = field(default_factory=dict)  # by scorer, what the harness says of the task
    group: str | None = None  # the harness's name for several tasks together
    of_group: Mapping[str, float] = field(default_factory=dict)  # by scorer, what it says of them
    members: frozenset[str] = frozenset()  # the tasks of the group
    lower: frozenset[str] = frozenset()  # scorers for which less is better
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def scorers(self) -> list[str]:
        """All scorers that scored a sample, in the order of the log."""
        return list(dict.fromkeys(name for x in self.samples for name, value in x.scores.items() if value is not None))


@dataclass(frozen=True)
class Harness:
    """A format of logs: how to know its files, and the runs in those that lie under one path."""

    name: str
    looks: Callable[[Path, bytes], bool]  # a file, by its path and its first bytes
    runs: Callable[[Sequence[Path]], list[TaskRun]]
    counts: str = "it counts in its own way"  # where the score of one task is not the mean of its samples
    repeats: bool = False  # whether two logs of one task by one system are repeats, not an old and a new one


def facts(*records: Any) -> dict[str, Plain]:
    """The plain short values of some records, by name; of a name that occurs twice the first.

    >>> facts({"topic": "law", "tags": ["a"]}, {"topic": 1, "hard": True}, None)
    {'topic': 'law', 'hard': True}
    """
    found: dict[str, Plain] = {}
    for record in records:
        for name, x in record.items() if isinstance(record, Mapping) else ():
            if isinstance(x, (bool, int, float)) or (isinstance(x, str) and len(x) <= LONG):
                found.setdefault(str(name), x)
    return found


def number(x: Any) -> float | None:
    """A score as a number; None for anything else, and for NaN.

    >>> number(True), number(0.5), number("C"), number(float("nan"))
    (1.0, 0.5, None, None)
    """
    return float(x) if isinstance(x, (bool, int, float)) and x == x else None


def latest(runs: Iterable[TaskRun]) -> tuple[list[TaskRun], list[TaskRun]]:
    """The last run of each system, task and filter, in the order of the logs; and the earlier ones."""
    last: dict[Any, TaskRun] = {}
    every = list(runs)
    for run in every:
        key = run.system, run.task, run.filter
        if key not in last or last[key].when <= run.when:
            last[key] = run
    kept = [run for run in every if last[run.system, run.task, run.filter] is run]
    return kept, [run for run in every if run not in kept]
