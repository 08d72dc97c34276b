"""Other packages as they come: their intervals of one table, of values, and their verdict on two systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.calibrate.methods import RATES
from bench.calibrate.samples import LEVEL, Array
from bench.coverage import _tried as tried

Pair = tuple[float, float]
NONE: Final = (np.nan, np.nan)
DRAWS: Final = 2_000  # of prob_conf_mat, whose default is 10,000

_SAMPLED: Final = {"accuracy": "acc", "phi": "mcc", "macro-f1": "f1@macro"}


def labels(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Truths and answers of a square table, rows the truth."""
    y, z = (np.repeat(x, table.ravel()) for x in np.indices(table.shape).reshape(2, -1))
    return y, z


def square(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """tp, fp, fn, tn as a table with the positive class last."""
    tp, fp, fn, tn = cells
    return np.array([[tn, fp], [fn, tp]])


# -- confidenceinterval ----------------------------------------------------------------------------


def confidenceinterval(table: NDArray[np.int64], names: Sequence[str]) -> dict[str, Pair]:
    """Its default methods: Wilson's for rates, the delta method for F1."""
    import confidenceinterval as peer  # type: ignore[import-untyped]

    y, z = labels(table)
    asked: dict[str, Callable[[], Any]] = {
        "accuracy": lambda: peer.accuracy_score(y, z, confidence_level=LEVEL)[1],
        "precision": lambda: peer.ppv_score(y, z, confidence_level=LEVEL)[1],
        "recall": lambda: peer.tpr_score(y, z, confidence_level=LEVEL)[1],
        "f1": lambda: peer.f1_score(y, z, confidence_level=LEVEL, average="binary")[1],
        "macro-f1": lambda: peer.f1_score(y, z, confidence_level=LEVEL, average="macro")[1],
    }
    return {name: tried(asked[name]) for name in names if name in asked}


# -- prob_conf_mat ---------------------------------------------------------------------------------


def prob_conf_mat(table: NDArray[np.int64], names: Sequence[str], seed: int) -> dict[str, Pair]:
    """Its default prior (nothing added) and its interval of highest density."""
    from prob_conf_mat.io import ConfMatIOError
    from prob_conf_mat.stats import hdi_estimator
    from prob_conf_mat.study import Study

    study = Study(seed=seed, num_samples=DRAWS, ci_probability=LEVEL)
    try:
        study.add_experiment("a/a", confusion_matrix=table)
    except ConfMatIOError:  # it refuses tables with an empty row
        return dict.fromkeys(names, NONE)

    def one(name: str) -> Pair:
        study.add_metric(_SAMPLED.get(name, name))
        values = study.get_metric_samples(_SAMPLED.get(name, name), "a/a", "posterior").values
        low, high = hdi_estimator(values[:, -1], prob=LEVEL)  # of the positive class, which is the last
        return float(low), float(high)

    return {name: tried(lambda name=name: one(name)) for name in names}


def prob_conf_mat_better(a: NDArray[np.int64], b: NDArray[np.int64], name: str, seed: int) -> float:
    """Its P(first better) of two tables, which it takes for independent tests."""
    from prob_conf_mat.io import ConfMatIOError
    from prob_conf_mat.study import Study

    study = Study(seed=seed, num_samples=DRAWS, ci_probability=LEVEL)
    try:
        for system, table in (("a/a", a), ("b/b", b)):
            study.add_experiment(system, confusion_matrix=table)
    except ConfMatIOError:
        return float("nan")
    study.add_metric(_SAMPLED.get(name, name))
    x, y = (study.get_metric_samples(_SAMPLED.get(name, name), s, "posterior").values[:, -1] for s in ("a/a", "b/b"))
    return float(np.mean(x > y) + np.mean(x == y) / 2) if np.isfinite(x + y).all() else float("nan")


# -- evalstats -------------------------------------------------------------------------------------


def evalstats_mean(values: Array, score_range: Pair | None = None) -> Pair:
    """Its interval of a mean, by the method that it chooses."""
    import evalstats

    if len(values) == 0:
        return NONE
    found = evalstats.mean_ci(values, score_range=score_range, rng=0)
    return float(found.ci_low), float(found.ci_high)


def evalstats_rates(cells: NDArray[np.int64], names: Sequence[str]) -> dict[str, Pair]:
    """Rates of a table: it takes means only, so precision is that of the items that were called positive."""
    found = {}
    for name in names:
        if name in RATES:
            right, counted = (int(cells[list(x)].sum()) for x in RATES[name])
            found[name] = tried(lambda k=right, n=counted: evalstats_mean((np.arange(n) < k).astype(float)))
    return found


def evalstats_better(a: Array, b: Array) -> float:
    """Its p-value of two systems on the same items, made one-sided; none if it refuses."""
    import evalstats
    import pandas as pd

    n = len(a)
    frame = pd.DataFrame(
        {"item": np.tile(np.arange(n), 2), "model": ["a"] * n + ["b"] * n, "score": np.concatenate([a, b])}
    )
    try:
        found = evalstats.compare(evalstats.load_from(frame), factors="model").to_dict()["pairwise"][0]
    except (evalstats.InsufficientItemsError, ValueError):
        return float("nan")
    gap = found["diff"] if found["a"] == "a" else -found["diff"]
    return one_sided(found["p_value"], gap)


def one_sided(p_value: Any, gap: Any) -> Any:
    """Where a two-sided p-value stands among P(first better): near 1 if the first is better by this test."""
    return np.where(np.asarray(gap) >= 0, 1 - np.asarray(p_value) / 2, np.asarray(p_value) / 2)[()]


def by_name(found: Sequence[Mapping[str, Pair]]) -> dict[str, tuple[Array, Array]]:
    """Ends by measure, of many tables."""
    names = found[0] if found else {}
    return {x: tuple(np.array([f[x] for f in found], dtype=float).T) for x in names}  # type: ignore[misc]
