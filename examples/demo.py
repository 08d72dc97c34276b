"""Score two models' shipped predictions of the breast cancer data with the Python library."""

from __future__ import annotations

import csv
from pathlib import Path

import howsure as hs


def main() -> None:
    """Print a table for each model."""
    with (Path(__file__).parent / "breast_cancer.csv").open(encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    truth = [row["truth"] for row in rows]
    for model in ("logistic", "tree"):
        report = hs.score(truth, [row[model] for row in rows], positive="malignant", above={"f1": 0.95})
        print(f"\n{model}:\n{report}")


if __name__ == "__main__":
    main()
