"""Scores at every threshold: exact bands, and draws of whole curves, against loops over scikit-learn and rocci."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from bench.memory import OWN_PEAK
from bench.registry import AtLeast, Row, Run, Under, Within, group
from bench.timing import Cost, race
from howsure.distributions import ranked
from howsure.distributions.ranked import Cuts
from howsure.posteriors.score_samples import score_draws

Array = NDArray[np.float64]

N, DRAWS, FEW, SEED = 100_000, 1_000, 10, 12
LEVELS = np.linspace(0.01, 1.0, 100)

_MEMORY = """
import json, sys
from bench.rows.curves import drawn, items
drawn(items(int(sys.argv[1]), "curve"), int(sys.argv[2]))
print(json.dumps(OWN_PEAK / 1024))
""".replace("OWN_PEAK", OWN_PEAK)


def items(n: int, what: str = "arrays") -> Any:
    """Normal scores of two classes, 1.5 apart, all distinct."""
    rng = np.random.default_rng(SEED)
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + 1.5 * y
    return (y, s) if what == "arrays" else hs.curve(y, s)


def bands(y: Any, s: Any) -> tuple[Any, ...]:
    """From arrays to the intervals of recall, fallout and precision at every threshold."""
    c = hs.curve(y, s)
    return tuple(c.band(name) for name in ("recall", "fallout", "precision"))


def drawn(c: hs.Curve, draws: int) -> Array:
    """AUC, average precision and precision at 100 recalls, of every draw."""

    def all_of(cuts: Cuts) -> Array:
        tp, fp = ranked.at_recall(cuts, LEVELS)
        return np.concatenate([[ranked.auc(cuts), ranked.average_precision(cuts)], tp / (tp + fp)])

    return score_draws(c.posterior).through(all_of, draws, 0)


def looped(y: Any, s: Any, draws: int) -> Array:
    """The same by scikit-learn with the weights of the Bayesian bootstrap."""
    from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

    rng = np.random.default_rng(SEED)
    out = []
    for _ in range(draws):
        w = rng.standard_exponential(len(y))
        precision, recall, _ = precision_recall_curve(y, s, sample_weight=w)
        line = np.interp(LEVELS, recall[::-1], precision[::-1])
        out.append([roc_auc_score(y, s, sample_weight=w), average_precision_score(y, s, sample_weight=w), *line])
    return np.array(out)


@group(
    "curves",
    "Scores of 100,000 items, all distinct: bands and draws of curves",
    f"The loop over scikit-learn is timed on {FEW} draws and extrapolated. rocci has a bootstrap of its own kind; "
    "both are per draw, 512 fallouts, simultaneous, with the memory of all draws.",
)
def curves(run: Run) -> Iterator[Row]:
    n, draws = (10_000, 200) if run.quick else (N, DRAWS)
    y, s = items(n)
    run.say("curves: bands")
    lap = race({"ours": lambda: bands(y, s)}, run.rules(rounds=15, seconds=15))["ours"]
    yield Row(f"ROC and PR bands, n = {n:,}", lap, target=None if run.quick else Under(0.1))
    run.say("curves: draws")
    c = items(n, "curve")
    racers: dict[str, Callable[[], Any]] = {"ours": lambda: drawn(c, draws), "peer": lambda: looped(y, s, FEW)}
    laps = race(racers, run.rules(rounds=3, seconds=60))
    peak = _peak(n, draws)
    note = f"the peak of a process that does it is {peak:,.0f} MB"
    what = f"AUC, AP and vertical band, {draws:,} draws, n = {n:,}"
    yield Row(what, laps["ours"], "loop over scikit-learn", laps["peer"].times(draws / FEW), AtLeast(20), note=note)
    if importlib.util.find_spec("rocci") is None:
        run.say("curves: rocci is not installed, its row is left out")
        return
    yield _band(run, c, y, s)


def _band(run: Run, c: hs.Curve, y: Any, s: Any) -> Row:
    from rocci import roc_band  # type: ignore[import-not-found,import-untyped,unused-ignore]

    run.say("curves: rocci")
    at = np.linspace(0.0, 1.0, 512)
    (own,) = (dict(x.facts)["draws"] for x in c.at(fallout=at, simultaneous=True).notes if x.code == "simultaneous")
    racers: dict[str, Callable[[], Any]] = {
        "ours": lambda: c.at(fallout=at, simultaneous=True),
        "peer": lambda: roc_band(y.astype(int), s, n_boot=own, random_state=0),
    }
    laps = race(racers, run.rules(rounds=3, seconds=40))
    ours, peer = (Cost(laps[k].seconds / own, laps[k].peak) for k in ("ours", "peer"))
    return Row(f"simultaneous ROC band, a draw, n = {len(y):,}", ours, "rocci", peer, Within(2))


def _peak(n: int, draws: int) -> float:
    """Megabytes at most of a fresh process that draws the curves."""
    line = [sys.executable, "-c", _MEMORY, str(n), str(draws)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout))
