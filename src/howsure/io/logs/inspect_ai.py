"""Logs of Inspect: `.eval`, a zip archive with a summary of every sample, and `.json` with all of each sample."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from howsure.io.logs.packed import archive, damaged, member, read_json, text_of
from howsure.io.logs.run import Harness, Sample, TaskRun, facts, number

_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL: Final = re.compile(r"_journal/summaries/(\d+)\.json")  # what a run that was killed has in place of summaries
_FIRST: Final = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"(status|eval)"\s*:')
_LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_DONE: Final = "success"


def _looks(path: Path, head: bytes) -> bool:
    if path.suffix == ".eval":
        return True
    return path.suffix == ".json" and _FIRST.match(head) is not None and b'"task_id"' in head


def _runs(paths: Sequence[Path]) -> list[TaskRun]:
    return [_of_archive(path) if path.suffix == ".eval" else _of_json(path) for path in paths]


def _of_archive(path: Path) -> TaskRun:
    with archive(path) as archived:
        names = set(archived.namelist())
        first = next((x for x in (_HEADER, _START) if x in names), None)
        if first is None:
            raise damaged(path, "it has neither a header nor the start of a journal")
        header = read_json(path, member(archived, first))
        every = {(x.get("id"), x.get("epoch")): x for x in _summaries(path, archived, names)}
        return _run(path, header, [_sample(x) for x in every.values()])


def _summaries(path: Path, archived: zipfile.ZipFile, names: set[str]) -> Iterator[dict[str, Any]]:
    """The summaries of all samples; of a run that was killed those that it had written down."""
    journal = sorted((int(found[1]), x) for x in names if (found := _JOURNAL.fullmatch(x)))
    for name in [_SUMMARIES] if _SUMMARIES in names else [x for _, x in journal]:
        try:
            found = json.loads(member(archived, name))
        except (ValueError, RecursionError):
            raise damaged(path, f"{name} is not JSON") from None
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            raise damaged(path, f"{name} is not a list of samples")
        yield from found


def _of_json(path: Path) -> TaskRun:
    header = read_json(path, text_of(path), ("samples",), _sample)
    return _run(path, header, header.get("samples") or [])


def _sample(x: Mapping[str, Any]) -> Sample:
    """A sample, or its summary."""
    scores: dict[str, float | None] = {}
    for name, score in (x.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
        scores |= {f"{name}.{key}": _value(own) for key, own in parts}
        if not isinstance(value, (Mapping, list)):
            scores[name] = _value(value)
    return Sample(x.get("id", 0), scores, int(x.get("epoch") or 1), facts(x.get("metadata")))


def _value(x: Any) -> float | None:
    """A score as Inspect's own value_to_float takes it; other texts are no scores."""
    if not isinstance(x, str):
        return number(x)
    known = _LETTERS.get(x, _LETTERS.get(x.lower()) if len(x) > 1 else None)
    try:
        return number(float(x)) if known is None else known
    except ValueError:
        return None


def _run(path: Path, header: Mapping[str, Any], samples: list[Sample]) -> TaskRun:
    spec = header.get("eval")
    if not isinstance(spec, Mapping):
        raise damaged(path, "it does not tell what was evaluated")
    results, status = header.get("results") or {}, header.get("status", "started")
    ids, epochs = (spec.get("dataset") or {}).get("sample_ids") or (), (spec.get("config") or {}).get("epochs") or 1
    there = {(x.id, x.epoch) for x in samples}
    absent = [Sample(x, {}, k) for k in range(1, epochs + 1) for x in ids if (x, k) not in there]
    beyond = {name for x in samples for name, value in x.scores.items() if value is not None and not 0 <= value <= 1}
    reported, accuracies = _reported(results.get("scores") or ())
    return TaskRun(
        spec.get("model"), str(spec.get("task_display_name") or spec.get("task")), [*samples, *absent], str(path),
        when=str(spec.get("created", "")), missing=len(absent), planned=len(samples) + len(absent),
        status=None if status == _DONE else str(status),
        reported=reported, bounds=dict.fromkeys(accuracies - beyond, (0.0, 1.0)),
    )  # fmt: skip


def _reported(scores: Iterable[Mapping[str, Any]]) -> tuple[dict[str, float], set[str]]:
    """The accuracy or mean of each scorer, over questions whose epochs were reduced to their mean; and which of them
    are accuracies, whose scores lie from 0 to 1.
    """
    found: dict[str, float] = {}
    accuracies: set[str] = set()
    for x in scores:
        name, scorer, metrics = x.get("name"), x.get("scorer"), x.get("metrics") or {}
        which = next((m for m in ("accuracy", "mean") if m in metrics), None)
        value = None if which is None else number(metrics[which].get("value"))
        if value is not None and x.get("reducer") in (None, "mean"):
            called = str(name) if name == scorer else f"{scorer}.{name}"
            found[called] = value
            accuracies |= {called} if which == "accuracy" else set()
    return found, accuracies


HARNESS: Final = Harness("Inspect", _looks, _runs, "it averages over questions, of each the mean of its epochs")
