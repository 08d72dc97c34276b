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
REPORT = {"precision": "0.75", "recall": "0.60", "accuracy": "0.85"}


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
        yield Row(what, lap.seconds, target=Under(0.001))
    for what, digits in DIGITS.items():
        run.say(f"solve: whole tables of a million items, {what}")
        call = _whole(digits, 1_000_000)
        lap = race({"ours": call}, run.rules(rounds=5, seconds=10))["ours"]
        found = lap.value
        note = f"{len(found.outcome.tables):,} tables listed{'' if found.complete else ', there are more'}"
        yield Row(f"whole tables, n = 1,000,000, {what}", lap.seconds, target=Under(1.0), note=note)
    run.say("solve: known positives and negatives")
    contenders: dict[str, Callable[[], Any]] = {"ours": _whole({**REPORT, "positives": 50}, 200)}
    if importlib.util.find_spec("mlscorecheck") is not None:
        contenders["mlscorecheck"] = _peer()
    laps = race(contenders, _rules(run, 1000))
    peer = laps["mlscorecheck"].seconds if "mlscorecheck" in laps else None
    yield Row(
        "digits of precision, recall, accuracy; 50 of 200 positive", laps["ours"].seconds,
        "mlscorecheck" if peer else "", peer, AtLeast(1) if peer else None,
    )  # fmt: skip


def _whole(values: dict[str, Any], n: int) -> Callable[[], Any]:
    return lambda: hs.solve(values, n=n, integers=True)


def _peer() -> Callable[[], Any]:
    from mlscorecheck.check.binary import check_1_testset_no_kfold  # type: ignore[import-not-found]

    logging.getLogger("mlscorecheck").setLevel(logging.ERROR)
    scores = {"prec": 0.75, "sens": 0.60, "acc": 0.85}
    return lambda: check_1_testset_no_kfold(testset={"p": 50, "n": 150}, scores=scores, eps=0.005)
