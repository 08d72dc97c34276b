"""Solving tables from measures: exact values, whole numbers up to a million items, and a peer on its own case."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator
from typing import Any

import howsure as hs
from bench.registry import AtLeast, Row, Run, Under, group
from bench.timing import race

EXACT = {"precision": 0.75, "recall": 0.6, "accuracy": 0.85}
CURVE = {"prevalence": 0.25, "bias": 0.2, "phi": 0.5773502691896258}
DIGITS = {
    "five digits": {"precision": "0.75124", "recall": "0.60343", "accuracy": "0.85234"},
    "three digits": {"precision": "0.751", "recall": "0.603", "accuracy": "0.852"},
    "phi and F1": {"f1": "0.6667", "phi": "0.57735", "positives": 250_000},
}
OURS = {
    "prec": "precision", "sens": "recall", "acc": "accuracy", "spec": "specificity", "f1": "f1", "npv": "npv",
    "fm": "fowlkes-mallows", "bacc": "balanced-accuracy", "mcc": "phi", "kappa": "kappa", "gm": "g-mean",
}  # fmt: skip
# What, positives, negatives, scores by the peer's names, and how far they may be off.
KNOWN: tuple[tuple[str, int, int, dict[str, float], float], ...] = (
    ("precision, recall, accuracy; 50 of 200", 50, 150, {"prec": 0.75, "sens": 0.60, "acc": 0.85}, 0.005),
    ("four digits of three rates; 100 of 300", 100, 200, {"acc": 0.6233, "sens": 0.92, "spec": 0.475}, 0.0001),
    ("five scores that fit; 530 of 1,432", 530, 902,
     {"acc": 0.62, "sens": 0.22, "spec": 0.86, "f1": 0.3, "fm": 0.32}, 0.01),
    ("five scores that do not; 530 of 1,432", 530, 902,
     {"acc": 0.92, "sens": 0.22, "spec": 0.86, "f1": 0.3, "fm": 0.32}, 0.01),
    ("balanced accuracy, phi, F1; 530 of 1,432", 530, 902, {"bacc": 0.54, "mcc": 0.1, "f1": 0.3}, 0.01),
    ("kappa, g-mean, npv; 530 of 1,432", 530, 902, {"kappa": 0.09, "gm": 0.435, "npv": 0.653}, 0.01),
    ("accuracy, recall, F1; 5,000 of 55,000", 5_000, 50_000, {"acc": 0.8, "sens": 0.7, "f1": 0.389}, 0.001),
)  # fmt: skip


@group(
    "solve",
    "The table behind reported measures",
    "mlscorecheck tells whether digits are consistent when positives and negatives are known; ours lists the tables.",
)
def solve(run: Run) -> Iterator[Row]:
    from bench.rows.core import _rules

    run.say("solve: exact values")
    for what, values in (("precision, recall, accuracy and n", EXACT), ("prevalence, bias, phi and n", CURVE)):
        lap = race({"ours": lambda values=values: hs.solve(values, n=200).tables}, _rules(run, 1000))["ours"]
        yield Row(what, lap, target=Under(0.001))
    for what, digits in DIGITS.items():
        run.say(f"solve: whole tables of a million items, {what}")
        call = _whole(digits, 1_000_000)
        lap = race({"ours": call}, run.rules(rounds=5, seconds=10))["ours"]
        found = lap.value
        note = f"{len(found.outcome.tables):,} tables listed{'' if found.complete else ', there are more'}"
        yield Row(f"whole tables, n = 1,000,000, {what}", lap, target=Under(1.0), note=note)
    for what, positives, negatives, scores, eps in KNOWN:
        run.say(f"solve: {what}")
        yield _against(run, what, positives, negatives, scores, eps)


def _against(run: Run, what: str, positives: int, negatives: int, scores: dict[str, float], eps: float) -> Row:
    """Whether scores can be true of so many positives and negatives: all tables by ours, yes or no by the peer."""
    from bench.rows.core import _rules

    ranges = {OURS[k]: (round(x - eps, 12), round(x + eps, 12)) for k, x in scores.items()}
    contenders = {"ours": _whole({**ranges, "positives": positives}, positives + negatives)}
    if importlib.util.find_spec("mlscorecheck") is not None:
        contenders["mlscorecheck"] = _peer({"p": positives, "n": negatives}, scores, eps)
    laps = race(contenders, _rules(run, 1000))
    note = f"{len(laps['ours'].value.outcome.tables):,} tables"
    if "mlscorecheck" not in laps:
        return Row(what, laps["ours"], note=note)
    peer = laps["mlscorecheck"]
    assert peer.value["inconsistency"] == (laps["ours"].value.status == "infeasible")
    return Row(what, laps["ours"], "mlscorecheck", peer, AtLeast(1), note=note)


def _whole(values: dict[str, Any], n: int) -> Callable[[], Any]:
    return lambda: hs.solve(values, n=n, integers=True)


def _peer(testset: dict[str, int], scores: dict[str, float], eps: float) -> Callable[[], Any]:
    from mlscorecheck.check.binary import check_1_testset_no_kfold  # type: ignore[import-not-found]

    logging.getLogger("mlscorecheck").setLevel(logging.ERROR)
    return lambda: check_1_testset_no_kfold(testset=testset, scores=scores, eps=eps)
