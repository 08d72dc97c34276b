"""Results of promptfoo, as JSON or as lines: providers are systems, tests are items, and repeats are of one test."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from howsure.io.logs.packed import damaged, read_json, records, text_of
from howsure.io.logs.run import LONG, Harness, Sample, TaskRun, facts, number

_FIRST: Final = re.compile(rb'\s*\{\s*("evalId"\s*:|"results"\s*:\s*\{\s*"(version|timestamp|results|stats)"\s*:)')
_LINE: Final = (b'"promptIdx"', b'"testCase"')
_AT: Final = ("results", "results")
_ERROR: Final = 2  # as a reason of failure: the provider or the assertion broke, so there is nothing to judge
_USUAL: Final = "pass"


def _looks(path: Path, head: bytes) -> bool:
    if path.suffix == ".jsonl":
        return all(x in head for x in _LINE)
    return path.suffix == ".json" and _FIRST.match(head) is not None


def _runs(paths: Sequence[Path]) -> list[TaskRun]:
    """Of two files with the same results, one as lines, the JSON is read."""
    whole = {x.with_suffix("") for x in paths if x.suffix == ".json"}
    return [run for x in paths if x.suffix == ".json" or x.with_suffix("") not in whole for run in _of_file(x)]


def _of_file(path: Path) -> list[TaskRun]:
    if path.suffix == ".jsonl":
        return _of_results(path, [_short(x) for x in records(path)], {})
    found = read_json(path, text_of(path), _AT, _short)
    inner = found.get("results")
    if not isinstance(inner, dict) or not isinstance(inner.get("results"), list):
        raise damaged(path, "it has no results")
    return _of_results(path, inner["results"], found | inner)


def _short(x: Mapping[str, Any]) -> dict[str, Any]:
    """What is needed of a result, without the texts of prompts and answers."""
    case, provider, prompt = x.get("testCase") or {}, x.get("provider") or {}, x.get("prompt") or {}
    asked = case.get("vars") or x.get("vars") or {}
    provider = provider if isinstance(provider, Mapping) else {"id": provider}
    lost = x.get("failureReason") == _ERROR or (
        "failureReason" not in x and x.get("error") and "gradingResult" not in x
    )
    named = {str(name): number(value) for name, value in (x.get("namedScores") or {}).items()}
    scores = {_USUAL: number(x.get("success")), "score": number(x.get("score")), **named}
    return {
        "system": str(provider.get("label") or provider.get("id")), "prompt": str(prompt.get("label") or ""),
        "column": x.get("promptIdx", 0), "sample": (_name(case.get("description"), asked), {} if lost else scores),
        "facts": facts(case.get("metadata"), asked),
    }  # fmt: skip


def _name(description: Any, asked: Any) -> str:
    """What a test is called: the same in every repeat, and in the results of another day."""
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    called = f"{description}: {text}" if description else text
    return called if len(called) <= LONG else f"{called[:80]}... {hashlib.sha256(called.encode()).hexdigest()[:12]}"


def _of_results(path: Path, results: Iterable[Mapping[str, Any]], whole: Mapping[str, Any]) -> list[TaskRun]:
    """A run for each provider, or for each provider and prompt where there are several prompts."""
    columns: dict[Any, list[Mapping[str, Any]]] = {}
    for x in results:
        columns.setdefault(x["column"], []).append(x)
    if not columns:
        raise damaged(path, "it has no results")
    providers = [own[0]["system"] for own in columns.values()]
    prompts = whole.get("prompts") or []
    found = []
    for column, own in sorted(columns.items(), key=lambda x: str(x[0]).zfill(9)):
        first = own[0]
        shared = providers.count(first["system"]) > 1
        system = f"{first['system']} ({first['prompt'] or f'prompt {column}'})" if shared else first["system"]
        of = prompts[column] if isinstance(column, int) and column < len(prompts) else {}
        seen: dict[str, int] = {}
        samples = []
        for x in own:
            name, scores = x["sample"]
            seen[name] = seen.get(name, 0) + 1
            samples.append(Sample(name, scores, seen[name], x["facts"]))
        found.append(TaskRun(
            system, _task(whole), samples, str(path), when=str(whole.get("timestamp", "")), scorer=_USUAL,
            reported=_reported(of.get("metrics") or {}),
        ))  # fmt: skip
    return found


def _task(whole: Mapping[str, Any]) -> str:
    config = whole.get("config")
    return str((config.get("description") if isinstance(config, Mapping) else None) or "tests")


def _reported(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The share of passes among all results, errors included."""
    passed, *others = (metrics.get(f"test{x}Count") or 0 for x in ("Pass", "Fail", "Error"))
    total = passed + sum(others)
    return {_USUAL: passed / total} if total else {}


HARNESS: Final = Harness("promptfoo", _looks, _runs, "it counts errors as failures")
