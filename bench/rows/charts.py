"""Charts: from a result to the specification of its chart, for each kind; drawing it is not part of that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race
from howsure import relations

_LIMIT: Final = 0.05  # seconds


def _results() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    one, two = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), hs.Tally.binary(tp=85, fp=20, fn=25, tn=870)
    truth = rng.integers(0, 2, 600)
    answers = {f"model {k}": np.where(rng.random(600) < 0.75 + 0.02 * k, truth, 1 - truth) for k in range(6)}
    positive = rng.random(2_000) < 0.3
    return {
        "density": hs.score(one, metrics=["f1"], above=0.8),
        "forest": hs.score(one),
        "confusion": hs.score(hs.Tally.matrix(rng.integers(1, 60, (8, 8)))),
        "difference": hs.compare(one, two, metric="f1", equal_within=0.01),
        "systems": hs.compare(one, two, metric="f1"),
        "ranks": hs.leaderboard(truth, answers, positive=1),
        "roc": hs.curve(positive, rng.normal(size=2_000) + positive),
        "curve": hs.plan(metric="rate", pilot=hs.Outcomes.rate(hits=40, of=50), width=0.1),
        "steps": hs.forecast(one, n=100, metric="f1"),
        "requirements": hs.gate(one, ["f1 > 0.7", "recall > 0.8"]),
        "panels": relations.mixture(relations.normal(1, 1), relations.normal(-1, 1), prevalence=0.3),
        "contours": relations.surface("phi", "precision", "recall", fallout=0.01),
    }


def _spec(result: Any, kind: str) -> dict[str, Any]:
    """A specification, from the laws and the document that the result holds already."""
    return dict(result.plot(kind).spec)


@group("charts", "From a result to the specification of its chart")
def rows(run: Run) -> Iterator[Row]:
    """Each kind under 50 ms."""
    for kind, result in _results().items():
        result.to_dict()
        laps = race({"ours": partial(_spec, result, kind)}, run.rules(rounds=7, seconds=5))
        yield Row(kind, laps["ours"], target=Under(_LIMIT))
