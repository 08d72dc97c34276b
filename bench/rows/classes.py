"""Many classes: the paper's matrix against prob_conf_mat and Metropolis chains, a thousand classes, many slices."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import howsure as hs
from bench.memory import OWN_PEAK, Peak
from bench.registry import AtLeast, Row, Run, Under, group
from bench.timing import Cost, Lap, race
from howsure.papers.zhang_model import FIG_3
from howsure.posteriors.state import END_ERROR
from tests.papers.metropolis import chain, effective_size

DRAWS = 50_000
TOLERANCE = 0.036  # of interval ends in standard deviations, three standard errors: that of 50,000 draws
MEMORY = 1500  # MB
SYSTEMS = {"a": 0.8, "b": 0.78}  # and their shares of right answers
COLUMNS = ("score", "mean", "std", "p_above", "low", "high")


# -- the matrix of Zhang, Wang & Zhao, Fig. 3 ------------------------------------------------------


def _ours() -> dict[str, Any]:
    """The paper's summary: score, mean, std, P(above .8), 95% HDI."""
    report = hs.score(
        hs.Tally.matrix(FIG_3), metrics="macro-f1", prior=hs.two_level(), above=0.8, interval="hdi", tolerance=TOLERANCE
    )
    (row,) = report.to_dict()["rows"]
    d = report["macro-f1"]
    ends = max(d.end_errors(0.95, "equal-tailed")) / d.std
    if ends > 1.05 * TOLERANCE:
        raise RuntimeError(f"interval ends are off by {ends:.3f} standard deviations")
    return {"n": d.ess, "ends": ends, **{k: row[k] for k in COLUMNS}}


def _prob_conf_mat() -> Any:
    """Its draws and its own summary, with the same weights: 1 on each cell of a row, 1 on each class."""
    from prob_conf_mat.study import Study

    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    study.add_experiment("a/a", confusion_matrix=FIG_3, prevalence_prior=1.0, confusion_prior=1.0)
    study.add_metric("f1@macro")
    study.report_metric_summaries(metric="f1@macro", class_label=0, table_fmt="records")
    return study.get_metric_samples("f1@macro", "a/a", "posterior").values[:, 0]


def _pymc(steps: int) -> Callable[[], Any]:
    """The paper's program: its model in PyMC, Metropolis, one chain, no burn-in; the model is built outside."""
    import pymc as pm

    c = np.array(FIG_3)
    with pm.Model() as model:
        share = pm.Dirichlet("share", np.ones(len(c)))
        pm.Multinomial("sizes", n=c.sum(), p=share, observed=c.sum(axis=1))
        rows = [pm.Dirichlet(f"row{j}", np.ones(len(c))) for j in range(len(c))]
        for j, row in enumerate(rows):
            pm.Multinomial(f"answers{j}", n=c[j].sum(), p=row, observed=c[j])
        mass = share[:, None] * pm.math.stack(rows)
        right = pm.math.stack([mass[j, j] for j in range(len(c))])
        pm.Deterministic("macro", (2 * right / (mass.sum(axis=0) + mass.sum(axis=1))).mean())

    def call() -> Any:
        with model:
            found = pm.sample(
                steps, tune=0, chains=1, cores=1, step=pm.Metropolis(), progressbar=False, random_seed=0,
                compute_convergence_checks=False, quiet=True,
            )  # fmt: skip
        return found.posterior["macro"].to_numpy()[0]

    return call


def _sizes(ours: Lap, theirs: Lap, steps: str) -> str:
    """What the draws of each are worth, and whether they agree."""
    x = np.asarray(theirs.value)
    x = x[x.size // 50 :]  # the start of a chain that has no burn-in
    size = effective_size(x)
    off = abs(x.mean() - ours.value["mean"]) / (ours.value["std"] / np.sqrt(size))
    if off > 5:
        raise RuntimeError(f"the means are {off:.1f} standard errors apart")
    theirs_ends = 3 * END_ERROR / np.sqrt(size)
    return (
        f"interval ends within {ours.value['ends']:.3f} standard deviations with {ours.value['n']:,} draws, against "
        f"{theirs_ends:.3f} with {steps} (effective size {size:,.0f}); "
        f"means {ours.value['mean']:.4f} and {x.mean():.4f}"
    )


@group(
    "classes-a",
    "Macro-F1 of a 5-class matrix (Zhang, Wang & Zhao, Fig. 3), two-level model: the paper's summary at equal error",
    "The chain in numpy is the one of tests/papers/metropolis.py: all blocks proposed at once, no model to compile.",
    "PyMC's time is that of pm.sample, which compiles the model; building it is left out.",
)
def summary(run: Run) -> Iterator[Row]:
    what = "macro-F1 summary"
    run.say("classes-a: prob_conf_mat")
    laps = race({"ours": _ours, "peer": _prob_conf_mat}, run.rules(rounds=40, seconds=20))
    ours = laps["ours"]
    note = _sizes(ours, laps["peer"], f"{DRAWS:,} draws")
    yield Row(what, ours, "prob_conf_mat (50,000 draws)", laps["peer"], AtLeast(3), note=note)
    run.say("classes-a: Metropolis in numpy")
    lap = race({"peer": lambda: chain(FIG_3, DRAWS)["macro-f1"]}, run.rules(rounds=1))["peer"]
    note = _sizes(ours, lap, f"{DRAWS:,} steps")
    yield Row(what, ours, "Metropolis in numpy (50,000 steps)", lap, note=note)
    if importlib.util.find_spec("pymc") is None:
        run.say("classes-a: pymc is not installed, its row is left out")
        return
    steps = 2_000 if run.quick else DRAWS
    run.say(f"classes-a: PyMC, {steps:,} steps")
    lap = race({"peer": _pymc(steps)}, run.rules(rounds=1))["peer"]
    note = _sizes(ours, lap, f"{steps:,} steps")
    target = None if run.quick else AtLeast(1000)
    yield Row(what, ours, f"PyMC Metropolis ({steps:,} steps)", lap, target, note=note)


# -- a thousand classes ----------------------------------------------------------------------------

_THOUSAND = """
import json, sys, time
import numpy as np
import howsure as hs
k, n = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
y = rng.integers(0, k, n)
near = (y + rng.integers(1, 6, n)) % k
z = np.where(rng.random(n) < 0.76, y, np.where(rng.random(n) < 0.7, near, rng.integers(0, k, n)))
start = time.perf_counter()
t = hs.tally(y, z, labels=range(k))
p = hs.posterior(t)
macro, accuracy = p["macro-f1"], p["accuracy"]
each = hs.posterior(t.versus_each())["f1"].interval()
took = time.perf_counter() - start
found = {"seconds": took, "peak": OWN_PEAK // 1024, "cells": len(t.cells),
         "draws": macro.ess, "ends": max(macro.end_errors(0.95, "equal-tailed")) / macro.std,
         "macro": [macro.mean, *macro.interval()],
         "accuracy": [accuracy.mean, *accuracy.interval()],
         "each": [each.low.size, float((each.high - each.low).mean())]}
print(json.dumps(found))
""".replace("OWN_PEAK", OWN_PEAK)


@group("classes-b", "1,000 classes, 50,000 items: macro-F1, accuracy and the interval of F1 of every class")
def thousand(run: Run) -> Iterator[Row]:
    k, n = (200, 10_000) if run.quick else (1000, 50_000)
    run.say(f"classes-b: {k:,} classes, in a process of its own")
    line = [sys.executable, "-c", _THOUSAND, str(k), str(n)]
    found = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    if found["ends"] > 0.03 or found["each"][0] != k:
        raise RuntimeError(f"ends further off, or fewer classes, than asked for: {found}")
    cells, draws, peak = (f"{found[key]:,}" for key in ("cells", "draws", "peak"))
    note = f"{cells} occupied cells, {draws} draws, peak memory {peak} MB (limit {MEMORY:,})"
    cost = Cost(found["seconds"], Peak(found["peak"], whole=True))
    yield Row(f"{k:,} classes, {n:,} items, all of it", cost, target=Under(15), note=note)


@group("classes-c", "Many slices of a 10-class table: the interval of F1 of every class in every slice")
def slices(run: Run) -> Iterator[Row]:
    many = 1_000 if run.quick else 10_000
    rng = np.random.default_rng(1)
    p = np.where(np.eye(10, dtype=bool), 0.08, 0.2 / 90)
    t = hs.Tally.matrix(rng.multinomial(300, p.ravel(), many).reshape(many, 10, 10))

    def ours() -> Any:
        return hs.posterior(t.versus_each())["f1"].interval()

    run.say(f"classes-c: {many:,} slices")
    laps = race({"ours": ours}, run.rules(rounds=5, seconds=30))
    if laps["ours"].value.low.shape != (10, many):
        raise RuntimeError("not every class of every slice has an interval")
    start = time.perf_counter()
    few = min(many, 50)
    for i in range(few):
        one = hs.posterior(hs.Tally.matrix(t.dense()[i]))
        for j in range(10):
            one[f"f1:{j}"].interval()
    loop = (time.perf_counter() - start) / few * many
    what = f"F1 intervals, {many:,} slices of 10 classes"
    yield Row(
        what, laps["ours"], "a loop over slices and classes", Cost(loop), note=f"the loop is timed on {few} slices",
        own_peer=True,
    )  # fmt: skip


@group("classes-d", "1,000 classes, 12,000 items, two systems on the same items: hs.compare on macro-F1 with its notes")
def two_systems(run: Run) -> Iterator[Row]:
    k, n = (200, 2_400) if run.quick else (1000, 12_000)
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    answers = {name: np.where(rng.random(n) < right, y, rng.integers(0, k, n)) for name, right in SYSTEMS.items()}
    run.say(f"classes-d: {k:,} classes")

    def ours() -> Any:
        return hs.compare(y, answers, metric="macro-f1").to_dict()

    lap = race({"ours": ours}, run.rules(rounds=3, seconds=60))["ours"]
    error = lap.value["rows"][0]["error"]["probability"]
    yield Row(f"{k:,} classes, {n:,} items", lap, target=Under(8), note=f"P(better) within {error:.3f}")
