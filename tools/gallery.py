"""The drawings of docs/how-to/charts.md: `python tools/gallery.py` writes them to docs/figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs
from howsure import relations

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def gallery() -> dict[str, Any]:
    """Charts by the name of their file."""
    one, two = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), hs.Tally.binary(tp=85, fp=20, fn=25, tn=870)
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.3
    scored = hs.curve(truth, rng.normal(size=300) + 1.2 * truth)
    systems = {
        name: hs.Outcomes.rate(hits=hits, of=60) for name, hits in zip("abcdef", (52, 50, 47, 46, 44, 31), strict=True)
    }
    board = hs.leaderboard(systems)
    table = hs.Tally.matrix([[50, 3, 2], [4, 40, 6], [1, 2, 30]], labels=["cat", "dog", "bird"])
    return {
        "density": hs.score(one, metrics=["f1"], above=0.8).plot(),
        "difference": hs.compare(one, two, metric="f1", equal_within=0.01).plot(),
        "readme": hs.compare(
            "examples/breast_cancer.csv", truth="truth", pred=["logistic", "tree"], positive="malignant", metric="f1"
        ).plot(),
        "systems": hs.compare(one, two, metric="f1").plot("systems"),
        "forest": board.plot("forest"),
        "ranks": board.plot(),
        "confusion": hs.score(table).plot("confusion"),
        "roc": scored.plot("roc"),
        "pr": scored.plot("pr"),
        "plan": hs.plan(metric="f1", pilot=one, width=0.05).plot(),
        "steps": hs.forecast(hs.Outcomes.rate(hits=40, of=50), n=30, below=0.7).plot(),
        "gate": hs.gate(one, ["f1 > 0.7 with 0.9", "recall > 0.8", "precision > 0.8"]).plot(),
        "priors": hs.score(hs.Tally.binary(tp=8, fp=2, fn=3, tn=87), metrics=["f1"]).plot("priors"),
        "tradeoff": hs.tradeoff(one).plot(),
        "mixture": relations.mixture(relations.normal(1, 1), relations.normal(-1, 1), prevalence=0.3).plot(),
        "contours": relations.surface("phi", "precision", "recall", fallout=0.01, size=51).plot(),
    }  # fmt: skip


def main() -> None:
    """Write every drawing."""
    FIGURES.mkdir(exist_ok=True)
    for name, chart in gallery().items():
        chart.save(FIGURES / f"{name}.svg")


if __name__ == "__main__":
    main()
