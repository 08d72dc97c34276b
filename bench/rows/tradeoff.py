"""The trade-off band of a table, and the best threshold of given scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import howsure as hs
from bench.registry import AtLeast, Row, Run, Under, group
from bench.timing import race


@group("tradeoff", "Trade-off and thresholds")
def tradeoff(run: Run) -> Iterator[Row]:
    from sklearn.metrics import precision_recall_curve

    from bench.rows.core import _rules

    run.say("tradeoff: the curve")
    lap = race({"ours": lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).to_dict()}, _rules(run, 1000))["ours"]
    yield Row("curve of accuracy and prevalence, with its document", lap, target=Under(0.002))
    run.say("tradeoff: the band")
    for what, cells in (("80, 20, 30, 870", (80, 20, 30, 870)), ("60, 20, 20, 5 (sampled rows)", (60, 20, 20, 5))):
        t = hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        lap = race({"ours": lambda t=t: hs.tradeoff(t).to_dict()}, run.rules(rounds=5, seconds=5))["ours"]
        yield Row(f"band of {what}", lap, target=Under(0.5))
    run.say("tradeoff: best F1 of 200,000 scores")
    rng = np.random.default_rng(0)
    yes, no = rng.normal(1, 1, 40_000), rng.normal(0, 1, 160_000)
    truth, score = np.r_[np.ones(40_000), np.zeros(160_000)], np.r_[yes, no]

    def peer() -> float:
        p, r, _ = precision_recall_curve(truth, score)
        return float(np.max(2 * p * r / (p + r)))

    laps = race(
        {"ours": lambda: hs.relations.mixture(yes, no).best("f1").value, "peer": peer},
        run.rules(rounds=5, seconds=5),
    )
    note = f"best F1 {laps['ours'].value:.6f}; scikit-learn's {laps['peer'].value:.6f}"
    yield Row("best F1 of 200,000 scores", laps["ours"], "scikit-learn", laps["peer"], AtLeast(1), note=note)
