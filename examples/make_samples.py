"""Make the example files of repeated answers: 200 questions, five answers to each by two classifiers.

A question is a handwritten digit of scikit-learn's own; the five answers to it are those of one kind of classifier that
learned from five different samples of the other digits. Run it with `python examples/make_samples.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

HERE = Path(__file__).parent
QUESTIONS, SAMPLES, LEARNED = 200, 5, 250
MODELS: dict[str, Any] = {"neighbours": KNeighborsClassifier(5), "logistic": LogisticRegression(max_iter=300)}


def answers(name: str) -> pl.DataFrame:
    """One row for each question and sample."""
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    asked, rest = order[:QUESTIONS], order[QUESTIONS:]
    parts = []
    for sample in range(1, SAMPLES + 1):
        seed = [sample, 1 + list(MODELS).index(name)]
        learned = np.random.default_rng(seed).choice(rest, LEARNED, replace=False)
        said = MODELS[name].fit(x[learned], y[learned]).predict(x[asked])
        columns = {"question": asked + 1, "sample": sample, "truth": y[asked], "answer": said}
        parts.append(pl.DataFrame(columns).with_columns(passed=pl.col("truth") == pl.col("answer")))
    return pl.concat(parts).sort("question", "sample")


def main() -> None:
    """Write both files beside this script, and say how good each classifier is."""
    for name in MODELS:
        table = answers(name)
        table.write_ndjson(HERE / f"{name}.jsonl")
        print(f"{name}: {table.height} rows, {table['passed'].sum() / table.height:.3f} right")


if __name__ == "__main__":
    main()
