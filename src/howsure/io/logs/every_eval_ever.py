"""Logs in the format of Every Eval Ever: `ID.json` about an evaluation, and `ID_samples.jsonl` with its samples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadFile
from howsure.io.logs.packed import head, read_json, records, text_of
from howsure.io.logs.run import Harness, Sample, TaskRun, facts, number

_FIRST: Final = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*"[^"]*"\s*,\s*"evaluation_id"\s*:')
_END: Final = "_samples.jsonl"


def _looks(path: Path, first: bytes) -> bool:
    return path.suffix in (".json", ".jsonl") and _FIRST.match(first) is not None


def _runs(paths: Sequence[Path]) -> list[TaskRun]:
    """A run for each file of samples; what the evaluation is about lies beside it."""
    samples: dict[Path, None] = {}
    for path in paths:
        own = path if path.suffix == ".jsonl" else path.with_name(path.stem + _END)
        if not own.exists():
            raise BadFile(f"{str(path)!r} has no samples beside it: {own.name!r} is needed, with a record for each.")
        samples[own] = None
    return [_of_samples(path) for path in samples]


def _of_samples(path: Path) -> TaskRun:
    about = path.with_name(path.name.removesuffix(_END) + ".json")
    whole = read_json(about, text_of(about)) if path.name.endswith(_END) and _looks(about, head(about)) else {}
    results = [x for x in whole.get("evaluation_results") or () if isinstance(x, Mapping)]
    samples: dict[tuple[str, str], dict[str, Any]] = {}
    epochs: dict[tuple[str, str], int] = {}
    first: Mapping[str, Any] = {}
    for x in records(path):
        first = first or x
        scorer = str(x.get("evaluation_result_id") or x.get("evaluation_name") or "score")
        item = str(x.get("sample_id"))
        epochs[item, scorer] = epoch = epochs.get((item, scorer), 0) + 1
        own = samples.setdefault((item, str(epoch)), {"scores": {}, "epoch": epoch, "facts": facts(x.get("metadata"))})
        own["scores"][scorer] = None if x.get("error") else _score(x.get("evaluation"))
        own["print"] = x.get("sample_hash")
    if not samples:
        raise BadFile(f"{str(path)!r} is empty: it has no samples.")
    model = whole.get("model_info") or {}
    task = next((t for x in results if (t := (x.get("source_data") or {}).get("dataset_name"))), None)
    return TaskRun(
        str(first.get("model_id") or model.get("id") or "") or None,
        str(task or str(first.get("evaluation_name", "samples")).partition("/")[0]),
        [Sample(item, own["scores"], own["epoch"], own["facts"], own["print"]) for (item, _), own in samples.items()],
        str(path),
        when=str(whole.get("evaluation_timestamp", "")),
        reported={
            _called(x): y for x in results if (y := number((x.get("score_details") or {}).get("score"))) is not None
        },
        lower=frozenset(_called(x) for x in results if (x.get("metric_config") or {}).get("lower_is_better")),
        bounds={_called(x): z for x in results if (z := _bounds(x.get("metric_config") or {})) is not None},
    )


def _called(x: Mapping[str, Any]) -> str:
    return str(x.get("evaluation_result_id") or x.get("evaluation_name"))


def _score(evaluation: Any) -> float | None:
    own = evaluation if isinstance(evaluation, Mapping) else {}
    score = number(own.get("score"))
    return number(own.get("is_correct")) if score is None else score


def _bounds(config: Mapping[str, Any]) -> tuple[float, float] | None:
    low, high = number(config.get("min_score")), number(config.get("max_score"))
    return (low, high) if low is not None and high is not None and low < high else None


HARNESS: Final = Harness("Every Eval Ever", _looks, _runs)
