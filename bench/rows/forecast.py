"""What the next items will show: exact laws against draws in numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.rows.core import _rules
from bench.timing import race

NEXT = 500


@group(
    "forecast",
    f"The score of the next {NEXT} items: P(below a limit), exactly",
    "The peer draws 100,000 populations and tables in numpy; its error is three standard errors of a share. Ours is "
    "within 1e-12 of all tables that can come (tests/reference/test_next_scores.py).",
)
def predictions(run: Run) -> Iterator[Row]:
    run.say("forecast: a rate and F1")
    table = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))
    rate = hs.posterior(hs.Tally.rate(hits=47, of=50))

    def f1_draws() -> float:
        rng = np.random.default_rng(0)
        tp, fp, fn, _ = rng.multinomial(NEXT, rng.dirichlet([80.5, 20.5, 30.5, 870.5], 100_000)).T
        return float((2 * tp / (2 * tp + fp + fn) < 0.75).mean())

    def rate_draws() -> float:
        rng = np.random.default_rng(0)
        return float((rng.binomial(NEXT, rng.beta(48, 4, 100_000)) < 0.9 * NEXT).mean())

    calls = {
        "rate": lambda: hs.forecast(rate, n=NEXT).prob_below(0.9),
        "f1": lambda: hs.forecast(table, n=NEXT, metric="f1").prob_below(0.75),
        "interval": lambda: hs.forecast(table, n=NEXT, metric="f1").interval(),
    }
    laps = race({**calls, "rate, drawn": rate_draws, "f1, drawn": f1_draws}, _rules(run, 1000))
    for name, limit in (("rate", 0.9), ("f1", 0.75)):
        ours, peer = laps[name], laps[f"{name}, drawn"]
        error = 3 * (peer.value * (1 - peer.value) / 100_000) ** 0.5
        note = f"its share is {peer.value:.4f} within {error:.1e}; ours is {ours.value:.6f}"
        what = f"P({name} of the next {NEXT} items < {limit})"
        yield Row(what, ours, "numpy, 100,000 draws", peer, Under(0.001), note=note)
    yield Row(f"95% interval of F1 of the next {NEXT} items", laps["interval"])
