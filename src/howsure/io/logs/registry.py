"""Which logs lie at some paths: every format that is known, one line each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from howsure.errors import BadFile, BadSetting, listing
from howsure.io.files import LOGS
from howsure.io.logs import every_eval_ever, inspect_ai, junit, lm_eval, promptfoo
from howsure.io.logs.packed import head
from howsure.io.logs.run import Harness, TaskRun, latest

HARNESSES: Final = (
    lm_eval.HARNESS,
    inspect_ai.HARNESS,
    promptfoo.HARNESS,
    every_eval_ever.HARNESS,
    junit.HARNESS,
)
MOST_FILES: Final = 10_000


def harness_of(path: str | Path) -> Harness | None:
    """The harness that wrote a log, or the logs in a folder; None if there is none."""
    found = {h.name: h for _, h in _files(Path(path))}
    if len(found) > 1:
        raise BadFile(f"{str(path)!r} holds logs of {' and '.join(found)}: give the folder or file of one of them.")
    return next(iter(found.values()), None)


def _files(path: Path) -> Iterator[tuple[Path, Harness]]:
    """The logs at a path, with what wrote them."""
    every = [path] if not path.is_dir() else _below(path)
    for one in every:
        if one.name.lower().endswith(LOGS):
            first = head(one)
            found = next((h for h in HARNESSES if h.looks(one, first)), None)
            if found is not None:
                yield one, found


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(x for x in folders if not x.startswith("."))
        found += [Path(here) / x for x in sorted(names) if not x.startswith(".")]
        if len(found) > MOST_FILES:
            raise BadFile(f"{str(folder)!r} holds more than {MOST_FILES:,} files; give the folder of one run.")
    return found


def runs_at(path: str | Path, harness: Harness) -> tuple[list[TaskRun], list[TaskRun]]:
    """The runs in the logs at a path, and those that later ones took the place of."""
    runs = harness.runs([x for x, _ in _files(Path(path))])
    return (runs, []) if harness.repeats else latest(runs)


def named(
    given: Sequence[tuple[str | None, str]], each: Sequence[Sequence[TaskRun]], places: Sequence[str]
) -> list[TaskRun]:
    """The runs with the names of their systems: what the logs say, if that tells the paths apart; else the paths' own.

    `given` has for each path the name that the user gave it, if any; `places` what is different about the paths.
    """
    pairs = [(run.system, run.task, run.filter) for runs in each for run in runs]
    by_model = all(run.system is not None for runs in each for run in runs) and len(set(pairs)) == len(pairs)
    found: list[TaskRun] = []
    for (name, _), place, runs in zip(given, places, each, strict=True):
        own = name if name is not None else place
        several = len({run.system for run in runs}) > 1
        for run in runs:
            called = run.system if by_model and name is None else own
            found.append(replace(run, system=f"{own} {run.system}" if several and called == own else called))
    return found


def refuse_mixed(paths: Sequence[str], harnesses: Sequence[Harness | None]) -> None:
    """Refuse paths of which some are logs and some are not, and logs of several harnesses."""
    plain = [p for p, h in zip(paths, harnesses, strict=True) if h is None]
    names = list(dict.fromkeys(h.name for h in harnesses if h is not None))
    if plain:
        raise BadSetting(
            f"{listing(plain)} is no log, and the others are logs of {' and '.join(names)}: give logs only."
        )
    if len(names) > 1:
        raise BadSetting(f"these are logs of {' and '.join(names)}, which score in their own ways: give logs of one.")
