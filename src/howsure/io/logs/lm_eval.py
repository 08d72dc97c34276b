"""Logs of lm-evaluation-harness: `results_TIME.json` beside a file `samples_TASK_TIME.jsonl` for each task.

A line of samples is one document under one filter of answers; ids begin anew in every task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadFile, listing
from howsure.io.logs.packed import read_json, records, text_of
from howsure.io.logs.run import Harness, Sample, TaskRun, facts, number

_TIME: Final = r"(?:_(\d{4}-\d\d-\d\dT[0-9.:+-]+))?"
_SAMPLES: Final = re.compile(rf"samples_(.+?){_TIME}\.jsonl")
_RESULTS: Final = re.compile(rf"results{_TIME}\.json")
_FIRST: Final = re.compile(rb'\s*\{\s*"results"\s*:\s*\{\s*"[^"]*"\s*:\s*\{')
_FIELDS: Final = frozenset(("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
                            "doc_hash", "prompt_hash", "target_hash"))  # fmt: skip


def _looks(path: Path, head: bytes) -> bool:
    if _SAMPLES.fullmatch(path.name):
        return b'"doc_id"' in head
    return _RESULTS.fullmatch(path.name) is not None and _FIRST.match(head) is not None


def _runs(paths: Sequence[Path]) -> list[TaskRun]:
    """The runs of all files, those of samples with the results of the same folder and time."""
    samples = {path: None for path in paths if _SAMPLES.fullmatch(path.name)}
    for path in (x for x in paths if x not in samples):
        beside = [x for x in sorted(path.parent.glob("samples_*.jsonl")) if _time(_SAMPLES, x) == _time(_RESULTS, path)]
        if not beside:
            raise BadFile(f"{str(path)!r} has no samples beside it: run lm_eval again with --log_samples.")
        _refuse_absent(path, beside)
        samples |= dict.fromkeys(beside)
    kept: dict[Path, dict[str, Any]] = {}
    found = []
    for path in samples:
        time = _time(_SAMPLES, path)
        beside = [x for x in sorted(path.parent.glob("results*.json")) if _time(_RESULTS, x) == time]
        results = kept.setdefault(beside[0], read_json(beside[0], text_of(beside[0]))) if beside else {}
        found += _of_task(path, results)
    return found


def _time(name: re.Pattern[str], path: Path) -> str | None:
    found = name.fullmatch(path.name)
    return "" if found is None else found[found.re.groups]


def _refuse_absent(path: Path, beside: Sequence[Path]) -> None:
    """Refuse results of a task whose samples are not beside them; files have _ for other signs in names of tasks."""
    there = {re.sub(r"\W", "_", named[1]) for x in beside if (named := _SAMPLES.fullmatch(x.name))}
    tasks = read_json(path, text_of(path)).get("n-samples") or {}
    absent = [x for x in tasks if re.sub(r"\W", "_", x) not in there]
    if absent:
        which = listing(absent, most=20)
        raise BadFile(f"{str(path)!r} has no samples of {which} beside it: copy them too, or give one file of samples.")


def _of_task(path: Path, results: Mapping[str, Any]) -> list[TaskRun]:
    """A run for each filter of a file of samples."""
    named = _SAMPLES.fullmatch(path.name)
    task = named[1] if named else path.stem
    filters: dict[str, list[Sample]] = {}
    metrics: list[str] | None = None
    for line in records(path):
        metrics = metrics or line.get("metrics") or [x for x in line if x not in _FIELDS]
        scores = {x: number(line.get(x)) for x in metrics}
        own = Sample(line.get("doc_id", 0), scores, facts=facts(line.get("doc")), print=line.get("doc_hash"))
        filters.setdefault(str(line.get("filter", "none")), []).append(own)
    if not filters:
        raise BadFile(f"{str(path)!r} is empty: it has no samples.")
    return [_run(path, task, name, own, results) for name, own in filters.items()]


def _run(path: Path, task: str, filtered: str, samples: list[Sample], results: Mapping[str, Any]) -> TaskRun:
    expected = _at(results, "n-samples", task).get("effective", 0)
    better = _at(results, "higher_is_better", task)
    group, members = _group(task, results.get("group_subtasks", {}))
    return TaskRun(
        results.get("model_name") or None,
        task,
        samples,
        str(path),
        filtered,
        _time(_SAMPLES, path) or "",
        missing=max(expected - len(samples), 0),
        planned=expected,
        reported=_reported(_at(results, "results", task), filtered),
        group=group,
        members=members,
        of_group=_reported(_at(results, "groups", str(group)), filtered),
        lower=frozenset(x for x, higher in better.items() if higher is False),
    )


def _at(results: Mapping[str, Any], part: str, task: str) -> Mapping[str, Any]:
    found = results.get(part, {}).get(task, {})
    return found if isinstance(found, Mapping) else {}


def _reported(scores: Mapping[str, Any], filtered: str) -> dict[str, float]:
    """By metric, from names such as "exact_match,strict-match"."""
    names = {x: x.rpartition(",") for x in scores}
    return {m: x for name, (m, _, f) in names.items() if f == filtered and (x := number(scores[name])) is not None}


def _group(task: str, subtasks: Mapping[str, Any]) -> tuple[str | None, frozenset[str]]:
    """The largest group that a task is in, and all tasks of it."""

    def leaves(name: str, above: frozenset[str] = frozenset()) -> frozenset[str]:
        own = subtasks.get(name)
        if not own or name in above:
            return frozenset((name,))
        return frozenset().union(*(leaves(x, above | {name}) for x in own))

    every = {name: leaves(name) for name, own in subtasks.items() if own}
    mine = {name: x for name, x in every.items() if task in x}
    best = max(mine, key=lambda x: len(mine[x]), default=None)
    return best, mine[best] if best is not None else frozenset()


HARNESS: Final = Harness("lm-evaluation-harness", _looks, _runs)
