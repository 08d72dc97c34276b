"""Tiny files in which every column matters, and command lines that read each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

ITEMS = 48
LATE = [f"q{i}" for i in range(39, ITEMS)]  # items that system a lacks in files of the form short
SYSTEMS = {"a": 0.8, "b": 0.6, "c": 0.7}
ANSWERS = {"answer": "", "many": "k", "grade": "v", "passed": "o", "p": "p", "tag": "t"}  # column of a system -> prefix


def _rows() -> list[dict[str, Any]]:
    """Items with the answers of all systems, one column each; all columns differ."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(ITEMS):
        truth, kind = int(rng.random() < 0.45), "xyz"[rng.integers(3)]
        tags = sorted({kind, "xyz"[rng.integers(3)]})
        row: dict[str, Any] = {
            "id": f"q{i}", "question": f"g{i // 4}", "pair": f"g{i // 2}", "region": "north" if i % 3 else "south",
            "label": truth, "other": int(rng.random() < 0.5), "kind": kind, "sort": "xyz"[rng.integers(3)],
            "tags": ";".join(tags), "marks": ";".join(sorted({"xyz"[rng.integers(3)], "xyz"[rng.integers(3)]})),
            "w": round(float(rng.uniform(0.5, 2.0)), 2), "n": int(rng.integers(1, 4)),
        }  # fmt: skip
        for name, share in SYSTEMS.items():
            right = bool(rng.random() < share)
            row[name] = truth if right else 1 - truth
            row[f"k{name}"] = kind if right else "xyz"[rng.integers(3)]
            row[f"v{name}"] = round(0.6 * right + 0.4 * float(rng.random()), 3)
            row[f"o{name}"] = "pass" if rng.random() < share - 0.1 * (i // 4 % 3) else "fail"
            row[f"p{name}"] = round(0.4 * (truth if right else 1 - truth) + 0.6 * float(rng.random()), 3)
            row[f"t{name}"] = ";".join(tags if right else tags[:1] + ["z"] * (tags[0] != "z"))
        rows.append(row)
    return rows


def _own(row: dict[str, Any], system: str) -> dict[str, Any]:
    """The row of one system, with its answers in columns that all systems share."""
    return {**row, **{column: row[f"{prefix}{system}"] for column, prefix in ANSWERS.items()}, "model": system}


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _with_holes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with an answer of every kind missing in the second item."""
    answers = [*ANSWERS, *(f"{x}{s}" for x in ANSWERS.values() for s in SYSTEMS)]
    return [row | {k: None for k in answers if k in row and row["id"] == "q1"} for row in rows]


def write_files(folder: Path) -> None:
    """All files, each in a form without flaws, and in others that an option mends."""
    rows = _rows()
    files = {
        "rows": rows,
        "long": [_own(row, s) for row in rows for s in ("a", "b")],
        "systems": [_own(row, s) for row in rows for s in SYSTEMS],
        **{f"run-{s}": [_own(row, s) for row in rows] for s in SYSTEMS},
    }
    for name, own in files.items():
        _write(folder / f"{name}.jsonl", own)
        _write(folder / f"{name}.holes.jsonl", _with_holes(own))
        _write(folder / f"{name}.short.jsonl", [row for row in own if row.get("model") != "a" or row["id"] not in LATE])
        _write(folder / f"{name}.twice.jsonl", [*own, *own[:3]])
    tables = {"three": [[9, 1, 2], [3, 8, 1], [0, 2, 7]], "other": [[8, 2, 2], [3, 6, 3], [1, 2, 6]]}
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(",".join(map(str, row)) for row in table) + "\n")
    _write_trec(folder)


def _write_trec(folder: Path) -> None:
    """Judgments, and runs that differ: b lacks a query, all have ties and documents that nobody judged."""
    rng = np.random.default_rng(3)
    judged = {(q, d): int(rng.integers(0, 3)) for q in range(6) for d in range(8)}
    lines = [f"q{q} 0 d{d} {grade}" for (q, d), grade in judged.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for run, lift in (("bm25", 0.5), ("dense", 0.3), ("mixed", 0.1)):
        found = []
        for q in range(6 if run != "dense" else 5):
            for d in range(10):
                score = 1.0 + rng.integers(0, 3) * 1e-9 + lift * round(float(rng.random()) * judged.get((q, d), 1), 1)
                found.append(f"q{q} Q0 d{d} 1 {float(score)!r} {run}")
        (folder / f"{run}.run").write_text("\n".join(found) + "\n")


def document(text: str) -> Any:
    """What a document tells, without its version and the echo of its settings."""
    made = json.loads(text)
    return {k: v for k, v in made.items() if k not in ("version", "level", "interval", "prior", "seed")}
