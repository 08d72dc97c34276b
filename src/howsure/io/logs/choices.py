"""What a log leaves to the user: tasks, and of each task one filter of answers and one scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from howsure.errors import BadSetting, Remedy, UnknownName, listing, nearest
from howsure.io.logs.run import TaskRun
from howsure.messages.language import option


def chosen(runs: Sequence[TaskRun], given: Mapping[str, Sequence[str]]) -> list[tuple[TaskRun, str]]:
    """The runs that count, each with its scorer; where there are several, the user has to choose."""
    kept = [run for run in runs if _wanted(run.task, given.get("task", ()))]
    _refuse_unknown("task", given.get("task", ()), [run.task for run in runs])
    kept = _one_of_each(kept, "filter", given, lambda run: [] if run.filter is None else [run.filter])
    found = _one_of_each(kept, "scorer", given, lambda run: run.scorers)
    return [(run, _scorer(run, given.get("scorer", ()))) for run in found]


def _wanted(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(name == x or fnmatchcase(name, x) for x in patterns)


def _refuse_unknown(what: str, given: Sequence[str], there: Sequence[str]) -> None:
    """A name that is in no log."""
    every = list(dict.fromkeys(there))
    unknown = next((x for x in given if not any(_wanted(y, (x,)) for y in every)), None)
    if unknown is not None:
        known = f"{what.capitalize()}s: {listing(every, most=20)}." if every else f"These logs have no {what}s."
        raise UnknownName(f"{option(what, unknown)} is in none of these logs.{nearest(unknown, every)} {known}")


def _one_of_each(
    runs: Sequence[TaskRun], what: str, given: Mapping[str, Sequence[str]], names: Callable[[TaskRun], list[str]]
) -> list[TaskRun]:
    """The runs of a task under one filter, or that have one scorer to take."""
    said = given.get(what, ())
    every = {run.task: dict.fromkeys(x for own in runs if own.task == run.task for x in names(own)) for run in runs}
    _refuse_unknown(what, said, [x for own in every.values() for x in own])
    kept: list[TaskRun] = []
    for run in runs:
        known = list(every[run.task])
        usual = run.scorer if what == "scorer" and not said else None
        picked = [x for x in known if x in said] if len(known) > 1 else known
        if len(known) > 1 and len(picked) != 1 and usual not in known:
            raise _undecided(what, run.task, picked or known, given)
        if what == "scorer" or not picked or run.filter == picked[0]:
            kept.append(run)
    return kept


def _undecided(what: str, task: str, known: Sequence[str], given: Mapping[str, Any]) -> BadSetting:
    """Which there are, and what to type."""
    others = [x for x in given.get(what, ()) if x not in known]
    why = "the same answers under another filter are no more evidence" if what == "filter" else "each is a score"
    return BadSetting(
        f"task {task!r} has {len(known)} {what}s: {listing(known, most=20)}; {why}: choose one with {option(what)}.",
        remedies=[Remedy({what: [*others, known[0]]}, (what,), example=True)],
    )


def _scorer(run: TaskRun, given: Sequence[str]) -> str:
    known = run.scorers
    return next((x for x in known if x in given), run.scorer if run.scorer in known else known[0] if known else "score")
