"""Small inputs of every kind, drawn from one seed: files to read, and the same rows as names for calls in Python."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import howsure as hs

Row = dict[str, Any]

ITEMS = 40
SYSTEMS = {"a": 0.85, "b": 0.65, "c": 0.72}  # shares of right answers
OWN = {"answer": "", "grade": "v", "passed": "o", "p": "p"}  # column of one system -> prefix of those of all


@cache
def rows() -> list[Row]:
    """Items with the truth in two classes, three classes and sets of labels, and the answers of three systems."""
    rng = np.random.default_rng(20_270_117)
    made = []
    for i in range(ITEMS):
        spam, kind = bool(rng.random() < 0.45), "xyz"[rng.integers(3)]
        tags = sorted({kind, "xyz"[rng.integers(3)]})
        row: Row = {
            "id": f"q{i}", "question": f"g{i // 4}", "region": "north" if i % 3 else "south", "half": i % 2,
            "label": int(spam), "word": "spam" if spam else "ham", "kind": kind, "tags": ";".join(tags),
            "w": round(float(rng.uniform(0.5, 2.0)), 2), "n": int(rng.integers(1, 4)),
        }  # fmt: skip
        for name, share in SYSTEMS.items():
            right = bool(rng.random() < share)
            row[name] = row["label"] if right else 1 - row["label"]
            row[f"w{name}"] = "spam" if row[name] else "ham"
            row[f"k{name}"] = kind if right else "xyz"[rng.integers(3)]
            row[f"v{name}"] = round(0.6 * right + 0.4 * float(rng.random()), 3)
            row[f"o{name}"] = "pass" if rng.random() < share - 0.1 * (i // 4 % 3) else "fail"
            row[f"p{name}"] = round(0.4 * row[name] + 0.6 * float(rng.random()), 3)
            row[f"t{name}"] = ";".join(tags if right else tags[:1] + ["z"] * (tags[0] != "z"))
        made.append(row | _judged(row, i))
    return made


def _judged(row: Row, i: int) -> Row:
    """The truth by a judge, and by people for every other item; what people say of the answers."""
    people: Row = {f"h{x}": row[f"o{x}"] if i % 8 != 4 else _other(row[f"o{x}"]) for x in SYSTEMS}
    people["human"] = row["label"]
    judge = 1 - row["label"] if i % 7 == 3 else row["label"]
    return {"judge": judge, **{k: x if i % 2 == 0 else None for k, x in people.items()}}


def _other(outcome: str) -> str:
    return "fail" if outcome == "pass" else "pass"


def of_system(name: str) -> list[Row]:
    """The rows of one system: its answers are in columns that all systems share."""
    return [row | {column: row[f"{prefix}{name}"] for column, prefix in OWN.items()} | {"model": name}
            for row in rows()]  # fmt: skip


def _with_holes(row: Row) -> Row:
    answers = [k for k in row if k[-1] in SYSTEMS and k[:-1] in ("", "k", "v", "o", "p", "t", "w")]
    return row | dict.fromkeys(answers) if row["id"] in ("q1", "q5") else row


TABLES = {"three": [[9, 1, 2], [3, 8, 1], [0, 2, 7]], "other": [[8, 2, 2], [3, 6, 3], [1, 2, 6]]}
QRELS = {f"q{q}": {f"d{d}": (q * d + d) % 3 for d in range(8)} for q in range(6)} | {"q6": {"d0": 0}}
RUNS = {
    name: {
        q: {f"d{d}": 1.0 + (step * d + i) % 7 + d * 1e-9 for d in range(10)} for i, q in enumerate(QRELS) if i < most
    }
    for name, step, most in (("bm25", 3, 7), ("dense", 5, 5), ("mixed", 2, 7))
}


LOGS = Path(__file__).parents[2] / "examples" / "logs"


def write_files(folder: Path) -> None:
    """Every file that a call reads."""
    usual = [{"id": r["id"], "truth": r["word"], "pred": r["wa"], "passed": r["oa"], "score": r["pa"],
              "region": r["region"]} for r in rows()]  # fmt: skip
    lines = {
        "rows": rows(), "usual": usual, "holes": [_with_holes(r) for r in rows()], "twice": [*rows(), *rows()[:3]],
        "run-a": of_system("a"), "run-b": of_system("b"), "run-c": of_system("c"), "short": of_system("b")[:34],
        "long": [r for pair in zip(of_system("a"), of_system("b"), strict=True) for r in pair], "none": [],
    }  # fmt: skip
    for name, own in lines.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in own), encoding="utf-8")
    frame = pl.DataFrame(rows())
    frame.write_csv(folder / "rows.csv")
    frame.write_csv(folder / "rows.tsv", separator="\t")
    frame.write_parquet(folder / "rows.parquet")
    (folder / "rows.json").write_text(json.dumps(rows()), encoding="utf-8")
    _write_database(folder / "rows.db")
    for name, table in TABLES.items():
        (folder / f"{name}.csv").write_text("\n".join(",".join(map(str, row)) for row in table) + "\n")
    (folder / "named.csv").write_text(",ham,spam\nham,87,2\nspam,3,8\n")
    (folder / "options.toml").write_text("level = 0.6\nrequire = ['f1 > 0.2']\n", encoding="utf-8")
    (folder / "bad.csv").write_text("label,pred\n1,1\n0\n", encoding="utf-8")
    _write_trec(folder)
    for name in ("base", "tuned"):
        shutil.copytree(LOGS / "lm_eval" / f"demo__{name}", folder / f"{name}-log", dirs_exist_ok=True)


def _write_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as con:
        for name, own in (("items", rows()), ("fewer", rows()[:25])):
            con.execute(f"CREATE TABLE {name} ({', '.join(own[0])})")
            con.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(own[0]))})", [(*r.values(),) for r in own]
            )
        con.commit()


def _write_trec(folder: Path) -> None:
    judged = [f"{q} 0 {d} {grade}" for q, docs in QRELS.items() for d, grade in docs.items()]
    (folder / "qrels.txt").write_text("\n".join(judged) + "\n")
    for name, run in RUNS.items():
        found = [f"{q} Q0 {d} 1 {value!r} {name}" for q, docs in run.items() for d, value in docs.items()]
        (folder / f"{name}.run").write_text("\n".join(found) + "\n")


class Answering:
    """An estimator as scikit-learn has them, which answers with the first feature."""

    classes_ = (0, 1)

    def predict(self, items: list[list[Any]]) -> list[Any]:
        return [row[0] for row in items]


@cache
def names() -> dict[str, Any]:
    """What calls in Python may name."""
    columns = {k: [r[k] for r in rows()] for k in rows()[0]}
    tp, fp, fn, tn = hs.cells
    half = hs.Metric("half", hs.Ratio(0.5 * tp, tp + 2 * fp), "higher", meaning="for trying", aliases=("h",))
    sets = {k: [set(x.split(";")) for x in columns[k]] for k in ("tags", "ta", "tb")}
    two = {"a": columns["a"], "b": columns["b"]}
    return {
        "hs": hs, "np": np, "pd": pd, "pl": pl, "col": columns, "sets": sets, "two": two,
        "three": two | {"c": columns["c"]}, "y": columns["label"], "frame": pd.DataFrame(columns),
        "polar": pl.DataFrame(rows()),
        "long": pl.DataFrame([r for pair in zip(of_system("a"), of_system("b"), strict=True) for r in pair]),
        "counts": hs.Tally.binary(tp=80, fp=20, fn=30, tn=870),
        "small": hs.Tally.binary(tp=30, fp=6, fn=4, tn=20), "less": hs.Tally.binary(tp=20, fp=9, fn=14, tn=17),
        "matrix": hs.Tally.matrix(TABLES["three"], labels=["x", "y", "z"]),
        "batch": hs.Tally.binary(tp=[8, 3, 0], fp=[2, 3, 0], fn=[3, 4, 0], tn=[7, 9, 0]),
        "rate": hs.Tally.rate(hits=47, of=50), "joint": hs.tally(columns["label"], two),
        "graded": hs.graded({"a": columns["va"], "b": columns["vb"]}),
        "curve": hs.curve(columns["label"], {"a": columns["pa"], "b": columns["pb"]}, tolerance=0.5),
        "qrels": QRELS, "runs": RUNS, "half": half, "tp": tp, "fp": fp, "fn": fn, "tn": tn, "Answering": Answering,
        "folds": {"a": [0.8, 0.7, 0.9, 0.8, 0.6, 0.7, 0.8, 0.9], "b": [0.7, 0.7, 0.8, 0.9, 0.5, 0.6, 0.8, 0.7]},
        "verdicts": {"a": [1, 0, 1, 1] * 9, "b": [0, 1, 1, 0] * 9},
        "validated": {"a": ([1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 1] * 2),
                      "b": ([0, 1, 1, 0, 1, 1, 1, 0], [0, 1, 1, 0] * 2)},
    }  # fmt: skip
