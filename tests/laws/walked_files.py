"""Tiny files in which every column matters, in a form without flaws and in forms that an option mends."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]

ITEMS = 48
LATE = [f"q{i}" for i in range(39, ITEMS)]
SYSTEMS = {"a": 0.8, "b": 0.6, "c": 0.7}
ANSWERS = {"answer": "", "grade": "v", "passed": "o", "p": "p"}  # column of one system -> prefix of those of all
FILES = ("rows", "long", "run-a", "run-b")
FORMS: dict[str, Callable[[list[Row]], list[Row]]] = {
    "plain": lambda own: own,
    "holes": lambda own: [_without_answers(row) if row["id"] == "q1" else row for row in own],
    "short": lambda own: [row for row in own if row.get("model") != "a" or row["id"] not in LATE],
    "twice": lambda own: [*own, *own[:3]],
}


@cache
def rows(which: str = "rows", form: str = "plain") -> list[Row]:
    """One row an item with the answers of all systems, one row for each item and system, or those of one system."""
    if form != "plain":
        return FORMS[form](rows(which))
    if which == "rows":
        return _items()
    systems = "ab" if which == "long" else which[-1]
    return [_own(row, system) for row in rows() for system in systems]


def _items() -> list[Row]:
    """Items with the answers of all systems; all columns differ."""
    rng = np.random.default_rng(5)
    made = []
    for i in range(ITEMS):
        truth, kind = int(rng.random() < 0.45), "xyz"[rng.integers(3)]
        tags = sorted({kind, "xyz"[rng.integers(3)]})
        row: Row = {
            "id": f"q{i}", "question": f"g{i // 4}", "region": "north" if i % 3 else "south", "label": truth,
            "other": int(rng.random() < 0.5), "half": "first" if i // 4 % 2 else "second",
            "kind": kind, "tags": ";".join(tags),
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
        made.append(row | _validated(row, i))
    return made


def _validated(row: Row, i: int) -> Row:
    """A judge's label of the truth, and human labels of every other item: of the truth, and of what a and b gave."""
    seen, wrong = i % 2 == 0, i % 7 == 3
    people: Row = {
        f"h{x}": ("fail" if row[f"o{x}"] == "pass" else "pass") if i % 8 == 4 else row[f"o{x}"] for x in "abc"
    }
    people["human"] = row["label"]
    judge = 1 - row["label"] if wrong else row["label"]
    return {"judge": judge, **{k: x if seen else None for k, x in people.items()}}


def _own(row: Row, system: str) -> Row:
    """The row of one system, with its answers in columns that all systems share."""
    return {**row, **{column: row[f"{prefix}{system}"] for column, prefix in ANSWERS.items()}, "model": system}


def _without_answers(row: Row) -> Row:
    answers = [*ANSWERS, *(f"{x}{s}" for x in ("", "k", "v", "o", "p", "t") for s in SYSTEMS)]
    return row | {k: None for k in answers if k in row}


def write_files(folder: Path) -> None:
    """All files in all forms, confusion matrices, judgments and runs."""
    for name in FILES:
        for form in FORMS:
            path = folder / (f"{name}.jsonl" if form == "plain" else f"{name}.{form}.jsonl")
            path.write_text("".join(json.dumps(row) + "\n" for row in rows(name, form)), encoding="utf-8")
    for form in FORMS:
        _write_database(folder / ("rows.db" if form == "plain" else f"rows.{form}.db"), rows("rows", form))
    tables = {"three": [[9, 1, 2], [3, 8, 1], [0, 2, 7]], "other": [[8, 2, 2], [3, 6, 3], [1, 2, 6]]}
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(",".join(map(str, row)) for row in table) + "\n")
    (folder / "options.toml").write_text("level = 0.6\n", encoding="utf-8")
    _write_trec(folder)


def _write_database(path: Path, own: list[Row]) -> None:
    """A table of all rows, and one of fewer."""
    with contextlib.closing(sqlite3.connect(path)) as con:
        for name, part in (("items", own), ("fewer", own[:40])):
            con.execute(f"CREATE TABLE {name} ({', '.join(own[0])})")
            con.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(own[0]))})", [(*r.values(),) for r in part]
            )
        con.commit()


def _write_trec(folder: Path) -> None:
    """Judgments, none relevant for one query, and runs: one lacks a query, all have ties and unjudged documents."""
    rng = np.random.default_rng(3)
    judged = {(q, d): int(rng.integers(0, 3)) for q in range(6) for d in range(8)}
    lines = [f"q{q} 0 d{d} {grade}" for (q, d), grade in judged.items()] + ["q6 0 d0 0"]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for run, lift in (("bm25", 0.5), ("dense", 0.3), ("mixed", 0.1)):
        found = []
        for q in range(6 if run != "dense" else 5):
            for d in range(10):
                score = 1.0 + rng.integers(0, 3) * 1e-9 + lift * round(float(rng.random()) * judged.get((q, d), 1), 1)
                found.append(f"q{q} Q0 d{d} 1 {float(score)!r} {run}")
        (folder / f"{run}.run").write_text("\n".join(found) + "\n")


def document(made: Any) -> Any:
    """What a document tells, without its version and the echo of its settings."""
    return {k: v for k, v in made.items() if k not in ("version", "level", "interval", "prior", "seed")}
