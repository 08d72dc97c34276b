"""The files of twenty everyday jobs, made from fixed seeds; what is drawn is returned beside what is written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

LABELS = np.array(["ham", "spam"])
REGIONS = ("east", "north", "south", "west")
ANIMALS = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay")


def write_csv(path: Path, columns: dict[str, Any]) -> Path:
    """A CSV file of columns."""
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))
    return path


def write_lines(path: Path, columns: dict[str, Any]) -> Path:
    """A JSON-lines file of columns."""
    listed = {k: v.tolist() if isinstance(v, np.ndarray) else list(v) for k, v in columns.items()}
    rows = (dict(zip(listed, row, strict=True)) for row in zip(*listed.values(), strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def flipped(rng: np.random.Generator, truth: np.ndarray, wrong: float) -> np.ndarray:
    """Two-valued answers of which a share is wrong."""
    return np.where(rng.random(truth.size) < wrong, 1 - truth, truth)


def two_models(rng: np.random.Generator, n: int = 600) -> dict[str, np.ndarray]:
    """Spam and ham, the answers of two models, and a region."""
    truth = (rng.random(n) < 0.3).astype(int)
    return {
        "id": np.arange(n),
        "label": LABELS[truth],
        "old": LABELS[flipped(rng, truth, 0.15)],
        "new": LABELS[flipped(rng, truth, 0.10)],
        "region": np.array(REGIONS)[rng.integers(0, 4, n)],
    }


def passes(rng: np.random.Generator, ids: np.ndarray, rate: float, categories: int = 20) -> dict[str, np.ndarray]:
    """Passes and fails of items in categories."""
    return {
        "id": ids,
        "category": np.array([f"task {i % categories:02d}" for i in ids]),
        "passed": rng.random(ids.size) < rate,
    }


def twelve_models(rng: np.random.Generator, n: int = 400) -> dict[str, np.ndarray]:
    """A truth and the answers of twelve models, each worse than the one before."""
    truth = (rng.random(n) < 0.4).astype(int)
    answers = {f"model_{k:02d}": LABELS[flipped(rng, truth, 0.05 + 0.02 * k)] for k in range(12)}
    return {"id": np.arange(n), "label": LABELS[truth], **answers}


def animals(rng: np.random.Generator, n: int = 500) -> dict[str, np.ndarray]:
    """Ten classes; a fifth of the answers is drawn anew."""
    truth = rng.integers(0, 10, n)
    answer = np.where(rng.random(n) < 0.2, rng.integers(0, 10, n), truth)
    return {"truth": np.array(ANIMALS)[truth], "prediction": np.array(ANIMALS)[answer]}


def label_sets(rng: np.random.Generator, n: int = 200) -> tuple[list[list[str]], list[list[str]]]:
    """Some of five labels per item, and answers that miss or add some."""
    names = ANIMALS[:5]
    truth = rng.random((n, 5)) < 0.3
    answer = truth ^ (rng.random((n, 5)) < 0.1)
    return tuple([[names[j] for j in np.flatnonzero(row)] for row in table] for table in (truth, answer))  # type: ignore[return-value]


def scores(rng: np.random.Generator, n: int = 500) -> dict[str, np.ndarray]:
    """A truth of 0 and 1, and a probability that goes with it."""
    truth = (rng.random(n) < 0.3).astype(int)
    probability = 1 / (1 + np.exp(-(rng.normal(size=n) + 3 * truth - 1.5)))
    return {"label": truth, "probability": probability.round(4)}


def grades(rng: np.random.Generator, n: int = 80) -> dict[str, np.ndarray]:
    """Grades 1 to 5 of two models."""
    hard = rng.normal(size=n)
    a, b = (np.clip(np.rint(3 + shift + hard + 0.5 * rng.normal(size=n)), 1, 5).astype(int) for shift in (0.4, 0.0))
    return {"question": np.arange(n), "a": a, "b": b}


def runs(rng: np.random.Generator, folder: Path, queries: int = 30) -> tuple[Path, Path, Path]:
    """Judgments and two runs of twenty documents per query."""
    qrels, good, poor = [], [], []
    for q in range(queries):
        grade = rng.integers(0, 3, 20)
        qrels += [f"q{q} 0 d{d} {grade[d]}" for d in range(20)]
        for lines, noise in ((good, 0.7), (poor, 2.0)):
            value = grade + noise * rng.normal(size=20)
            lines += [f"q{q} Q0 d{d} 0 {value[d]:.5f} run" for d in range(20)]
    found = []
    for name, lines in (("qrels.txt", qrels), ("good.run", good), ("poor.run", poor)):
        (folder / name).write_text("\n".join(lines) + "\n")
        found.append(folder / name)
    return found[0], found[1], found[2]
