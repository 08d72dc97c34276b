"""Make the files of docs/recipes: results in the shapes that other programs write, with numbers of our own making.

Run it with `python examples/make_recipes.py`. Questions and answers are sums; a "model" gets the harder ones wrong more
often. Field names are those of the programs, values are short.
"""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent / "recipes"
MODELS = {"base": 0.55, "tuned": 0.75}  # the chance to get a question of middling difficulty right


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _questions(n: int, seed: int) -> list[tuple[str, int, float]]:
    """Sums, their results, and how hard each is."""
    rng = np.random.default_rng(seed)
    pairs, hardness = rng.integers(10, 99, (n, 2)), rng.normal(0, 1, n)
    return [(f"{a} + {b} =", int(a + b), float(h)) for (a, b), h in zip(pairs, hardness, strict=True)]


def _right(rng: np.random.Generator, share: float, hard: float) -> bool:
    chance = 1 / (1 + np.exp(-(np.log(share / (1 - share)) - hard)))
    return bool(rng.random() < chance)


def lm_eval() -> None:
    """Sample files of lm-evaluation-harness: one a model, each document once for every filter."""
    for number, (model, share) in enumerate(MODELS.items()):
        rng = np.random.default_rng([1, number])
        rows: list[dict[str, Any]] = []
        for i, (question, result, hard) in enumerate(_questions(60, 11)):
            right = _right(rng, share, hard)
            loose = right and rng.random() < 0.2  # the number is there, but not in the form that was asked for
            said = f"The answer is {result}." if loose else f"#### {result if right else result + 1}"
            for name, passed in (("strict-match", right and not loose), ("flexible-extract", right)):
                rows.append({
                    "doc_id": i, "doc": {"question": question, "answer": f"#### {result}"}, "target": f"#### {result}",
                    "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["\n"], "temperature": 0.0}}},
                    "resps": [[said]], "filtered_resps": [said.rsplit(maxsplit=1)[-1].strip(".")], "filter": name,
                    "metrics": ["exact_match"], "doc_hash": _hash(question), "prompt_hash": _hash("p" + question),
                    "target_hash": _hash(str(result)), "exact_match": float(passed),
                })  # fmt: skip
        rows.sort(key=lambda row: row["filter"] != "strict-match")
        folder = HERE / "lm_eval" / model
        folder.mkdir(parents=True, exist_ok=True)
        _lines(folder / "samples_sums_2026-02-01T09-00-00.000000.jsonl", rows)


def inspect() -> None:
    """What Inspect's samples_df gives with the columns of EvalModel and SampleSummary: three epochs a question."""
    columns = (
        "sample_id", "eval_id", "log", "model", "id", "epoch", "input", "target", "score_match", "total_time", "error",
    )  # fmt: skip
    with (HERE / "inspect_samples.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        for number, (model, share) in enumerate(MODELS.items()):
            rng = np.random.default_rng([2, number])
            for i, (question, result, hard) in enumerate(_questions(40, 12), start=1):
                for epoch in (1, 2, 3):
                    key = _hash(f"{model} {i} {epoch}")
                    score = "C" if _right(rng, share, hard) else "I"
                    seconds = round(float(rng.gamma(4, 0.5)), 2)
                    log = f"logs/{model}.eval"
                    row = (key, _hash(model), log, f"demo/{model}", i, epoch, question, result, score, seconds, "")
                    table.writerow(row)


def promptfoo() -> None:
    """The results of a promptfoo run, as its JSON document and as JSON lines."""
    rows = []
    for number, (model, share) in enumerate(MODELS.items()):
        rng = np.random.default_rng([3, number])
        for i, (question, result, hard) in enumerate(_questions(50, 13)):
            passed = _right(rng, share, hard)
            said = str(result if passed else result - 10)
            rows.append({
                "promptIdx": number, "testIdx": i, "provider": {"id": f"demo:{model}", "label": model},
                "prompt": {"raw": question, "label": "{{sum}}"}, "vars": {"sum": question},
                "testCase": {"vars": {"sum": question}, "metadata": {"carry": result > 99}},
                "response": {"output": said}, "success": passed, "score": float(passed),
                "failureReason": int(not passed),
                "gradingResult": {"pass": passed, "score": float(passed), "reason": "equals" if passed else "differs"},
                "latencyMs": int(rng.integers(200, 900)), "namedScores": {},
            })  # fmt: skip
    _lines(HERE / "promptfoo.jsonl", rows)
    summary = {"version": 3, "timestamp": "2026-02-01T09:00:00.000Z", "prompts": [], "results": rows}
    document = {"evalId": "eval-demo", "results": summary, "config": {}, "shareableUrl": None}
    (HERE / "promptfoo.json").write_text(json.dumps(document) + "\n", encoding="utf-8")


def stard() -> None:
    """A 2x2 table as papers print it, index test by rows, and one row of counts for each of four studies."""
    (HERE / "stard.csv").write_text("test,disease,no disease\ndisease,81,9\nno disease,19,191\n", encoding="utf-8")
    studies = {"Aalen": (45, 5, 9, 120), "Berg": (30, 2, 4, 60), "Coll": (88, 22, 17, 310), "Dorn": (12, 0, 3, 41)}
    lines = ["study,TP,FP,FN,TN", *(f"{name},{','.join(map(str, cells))}" for name, cells in studies.items())]
    (HERE / "stard_studies.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    """Write all of them beside this script."""
    HERE.mkdir(exist_ok=True)
    for make in (lm_eval, inspect, promptfoo, stard):
        make()


if __name__ == "__main__":
    main()
