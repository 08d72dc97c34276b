"""Logs as columns: a row for each sample, and the roles that its columns have; from here on they are data like any."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadFile, BadLabels, BadSetting, Remedy, listing, plural
from howsure.io.formats import system_names
from howsure.io.logs.choices import chosen
from howsure.io.logs.registry import harness_of, named, refuse_mixed, runs_at
from howsure.io.logs.run import Harness, TaskRun
from howsure.io.request import column_names
from howsure.messages.language import option
from howsure.messages.notes import Note, note

CHOICES: Final = ("task", "filter", "scorer")
_ANSWERS: Final = ("truth", "pred", "outcome", "value", "score", "judge", "human", "threshold")
_JOINS: Final = ("system", "item", "cluster", "on", "count", "weight", "sep")
_OWN: Final = ("system", "task", "id", "item", "epoch")
_SHOWN: Final = 6  # tasks that a note lists


@dataclass(frozen=True)
class Logged:
    """The columns of some logs, the options that say what they are, and what there is to say."""

    columns: Mapping[str, list[Any]]
    options: Mapping[str, Any]
    names: tuple[str, ...]
    notes: tuple[Note, ...]


def logged(data: Any, options: Mapping[str, Any], names: Sequence[str], kind: str | None) -> Logged | None:
    """The logs at one path, at several, or at one for each system; None if there are none."""
    given = [(str(name), str(p)) for name, p in data.items()] if isinstance(data, Mapping) else _paths(data, names)
    if not reads([p for _, p in given], options):
        return None
    found = [harness_of(p) for _, p in given]
    refuse_mixed([p for _, p in given], found)
    _refuse_named(options, kind)
    harness = next(h for h in found if h is not None)
    read = [runs_at(p, harness) for _, p in given]
    places = system_names([p for _, p in given])
    runs = named(given, [own for own, _ in read], places)
    picked_names = {x: column_names(options[x], x) for x in CHOICES if x in options}
    picked_runs = chosen(runs, picked_names)
    if not picked_runs:
        raise BadFile(f"the logs of {given[0][1]!r} hold no samples.")
    old = [run for _, own in read for run in own]
    notes = [note("log-older", count=len(old), first=old[0].path)] if old else []
    return _logged(picked_runs, harness, options, names, notes)


def _paths(data: Any, names: Sequence[str]) -> list[tuple[str | None, str]]:
    paths = [str(p) for p in (data if isinstance(data, (list, tuple)) else [data])]
    each = names if len(names) == len(paths) > 1 else [None] * len(paths)
    return list(zip(each, paths, strict=True))


def reads(paths: Sequence[str | Path], options: Mapping[str, Any]) -> bool:
    """Whether some of these are logs, and not lines of JSON with their columns named."""
    picked = next((x for x in CHOICES if x in options), None)
    plain = all(str(p).endswith(".jsonl") for p in paths) and any(x in options for x in _ANSWERS)
    if not plain and any(harness_of(p) is not None for p in paths):
        return True
    if picked is not None:
        raise BadSetting(f"{option(picked)} is for logs of evaluation harnesses; leave it out.")
    return False


def _refuse_named(options: Mapping[str, Any], kind: str | None) -> None:
    role = next((x for x in _ANSWERS if x in options), None)
    stray = role or next((x for x in _JOINS if x in options), None)
    if stray is not None:
        told = f"choose a score with {option('scorer')}" if role else "they name their own items and systems"
        raise BadSetting(f"logs have no columns to name: leave out {option(stray)}; {told}.")
    if kind == "scores":
        raise BadSetting("logs hold scores of answers, not of classes: take howsure score, compare or leaderboard.")


def _logged(
    picked: Sequence[tuple[TaskRun, str]],
    harness: Harness,
    options: Mapping[str, Any],
    names: Sequence[str],
    notes: list[Note],
) -> Logged:
    rows = _rows(picked)
    values = [x for x in rows["score"] if x is not None]
    if not values:
        raise BadLabels(
            f"no sample of these logs has a score that is a number, of {plural(len(rows['score']), 'sample')}."
        )
    passes = all(x in (0, 1) for x in values)
    scorers = list(dict.fromkeys(scorer for _, scorer in picked))
    name = scorers[0] if len(scorers) == 1 else "score"
    name = f"{name} of the log" if name in rows and name != "score" else name
    rows = {(name if x == "score" else x): own for x, own in rows.items()}
    rows[name] = [None if x is None else int(x) for x in rows[name]] if passes else rows[name]
    systems = tuple(dict.fromkeys(rows["system"]))
    repeats = max(Counter(zip(rows["system"], rows["item"], strict=True)).values()) > 1
    found = _roles(picked, name, passes, systems, repeats, options)
    order = tuple(x for x in (names or systems) if x in systems) if len(systems) > 1 else ()
    if names and order != tuple(names) and len(systems) > 1:
        raise BadSetting(f"these logs are of the systems {listing(systems, most=20)}; got {listing(names)}.")
    told = _said(harness, picked, rows[name], rows["system"], "where" in options)
    return Logged(rows, found, order, (*told, *notes))


def _rows(picked: Sequence[tuple[TaskRun, str]]) -> dict[str, list[Any]]:
    """A row for each sample; columns of facts are empty where a sample has none."""
    tasks = len({run.task for run, _ in picked}) > 1
    rows: dict[str, list[Any]] = {name: [] for name in (*_OWN, "score")}
    extra: dict[str, dict[int, Any]] = {}
    prints: dict[str, tuple[str, str]] = {}
    at = 0
    for run, scorer in picked:
        for x in run.samples:
            item = f"{run.task}/{x.id}" if tasks else str(x.id)
            if x.print is not None and prints.setdefault(item, (x.print, run.path))[0] != x.print:
                where = f"in {prints[item][1]!r} and another in {run.path!r}"
                raise BadFile(f"{item!r} is one document {where}: were both runs of the same task?")
            for name, own in zip(rows, (run.system, run.task, x.id, item, x.epoch, x.scores.get(scorer)), strict=True):
                rows[name].append(own)
            for name, own in x.facts.items():
                extra.setdefault(name, {})[at] = own
            at += 1
    return rows | {x: [own.get(i) for i in range(at)] for x, own in extra.items() if x not in rows and x != "filter"}


def _roles(
    picked: Sequence[tuple[TaskRun, str]], name: str, passes: bool, systems: Sequence[str], repeats: bool,
    options: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What the columns are, and how samples without a score are taken; what the user said comes first."""
    found: dict[str, Any] = {"outcome" if passes else "value": name}
    found |= {"cluster": "item"} if repeats else {"item": "item"}
    found |= {"system": "system"} if len(systems) > 1 else {}
    bounds = [run.bounds.get(scorer) for run, scorer in picked]
    if not passes:
        lower = {scorer in run.lower for run, scorer in picked}
        if len(lower) > 1:
            raise _unlike("in some of these tasks more is better, in others less", picked)
        found |= {"better": "lower"} if lower == {True} else {}
        found |= {"bounds": bounds[0]} if len(set(bounds)) == 1 and bounds[0] is not None else {}
    known = passes or "bounds" in found or "bounds" in options
    found["missing"] = "bounds" if known else "drop"
    return found | {x: own for x, own in options.items() if x not in CHOICES}


def _unlike(why: str, picked: Sequence[tuple[TaskRun, str]]) -> BadSetting:
    task = picked[0][0].task
    return BadSetting(f"{why}: choose tasks that go together with {option('task')}.",
                      remedies=[Remedy({"task": task}, example=True)])  # fmt: skip


# -- what there is to say


def _said(
    harness: Harness,
    picked: Sequence[tuple[TaskRun, str]],
    values: Sequence[float | None],
    of: Sequence[str],
    where: bool,
) -> list[Note]:
    """What was read, what the harness itself says, and what is missing."""
    tasks = tuple(dict.fromkeys(run.task for run, _ in picked))
    filters = tuple(dict.fromkeys(run.filter for run, _ in picked if run.filter not in (None, "none")))
    scorers = tuple(dict.fromkeys(scorer for _, scorer in picked))
    said = [note("log-read", harness=harness.name, scorers=scorers, tasks=tasks, filters=filters)]
    systems = dict.fromkeys(of)
    rates: list[tuple[str | None, float]] = []
    for system in systems:
        own = [x for x, y in zip(values, of, strict=True) if y == system and x is not None]
        reported = _reported([(run, s) for run, s in picked if run.system == system])
        pooled = math.fsum(own) / len(own) if own else math.nan
        if reported is not None and not math.isclose(reported, pooled, rel_tol=1e-9, abs_tol=1e-12):
            rates.append((system if len(systems) > 1 else None, reported))
    if rates and not where:
        counts = "it counts every task alike" if len(tasks) > 1 else harness.counts
        said.append(note("log-reported", harness=harness.name, counts=counts, rates=tuple(rates)))
    for run, _ in picked:
        if run.status is not None or run.missing:
            which = f"{run.task} by {run.system}" if len(systems) > 1 else run.task
            said.append(note("log-ended", status=run.status, task=which, count=run.missing, total=run.planned))
    skipped = sum(run.skipped for run, _ in picked)
    return [*said, *([note("log-skipped", count=skipped)] if skipped else [])]


def _reported(own: Sequence[tuple[TaskRun, str]]) -> float | None:
    """What the harness says of all tasks of a system: of their group, if they are one, else the mean over tasks."""
    tasks = {run.task for run, _ in own}
    group = {run.of_group.get(scorer) for run, scorer in own if run.members == tasks}
    if len(group) == 1 and None not in group:
        return group.pop()
    each = [run.reported.get(scorer) for run, scorer in own]
    known = [x for x in each if x is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(each) else None
