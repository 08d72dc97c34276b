"""Write folds.json: what baycomp says of scores of cross-validation, for tests of hs.compare_folds.

baycomp 1.0.3 (Benavoli, Corani, Demšar & Zaffalon 2017): CorrelatedTTest(x, y, rope, runs) has the law of y - x, and
gives P(x better by more than the rope), P(within it), P(y better by more).

    python tests/reference/make_folds.py      (where baycomp is installed; it is not needed otherwise)
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np


def case(
    rng: np.random.Generator, repeats: int, folds: int, gap: float, spread: float, rope: float
) -> dict[str, object]:
    shared = 0.8 + 0.05 * rng.standard_normal(repeats * folds)
    x = np.round(shared + gap + spread * rng.standard_normal(len(shared)), 6)
    y = np.round(shared + spread * rng.standard_normal(len(shared)), 6)
    import baycomp

    made = baycomp.CorrelatedTTest(y, x, rope=rope, runs=repeats)  # the law of x - y
    return {
        "repeats": repeats, "folds": folds, "rope": rope, "x": x.tolist(), "y": y.tolist(),
        "mean": float(made.mean), "variance": float(made.var), "freedom": int(made.df),
        "probabilities": [float(p) for p in made.probs()],
    }  # fmt: skip


def main() -> None:
    rng = np.random.default_rng(2017)
    grid = ((1, 2, 0.1, 0.05, 0.01), (1, 5, 0.0, 0.02, 0.01), (1, 10, 0.02, 0.02, 0.0), (10, 10, 0.01, 0.01, 0.01),
            (5, 2, -0.02, 0.03, 0.005), (10, 10, 0.0, 0.03, 0.01))  # fmt: skip
    found = [case(rng, *x) for x in grid]
    text = json.dumps({"source": f"baycomp {version('baycomp')}", "cases": found}, indent=1)
    Path(__file__).with_name("folds.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
