"""Settings of numpy's types are those of Python, and nothing but True and False is a flag."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadSetting

TABLE = hs.Tally.binary(tp=5, fp=2, fn=1, tn=9)
MATRIX = hs.Tally.matrix([[5, 1, 1], [2, 5, 1], [1, 1, 7]])
QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}
RUN = {"a": {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d1": 0.8, "d2": 0.1}}}


def _scored(seed: int) -> object:
    return hs.curve([0, 1, 0, 1, 1], [0.1, 0.5, 0.3, 0.6, 0.7], seed=seed)


@pytest.mark.parametrize(
    "ask",
    [
        lambda seed: hs.score(MATRIX, metrics="macro-f1", seed=seed),
        lambda seed: hs.score(hs.posterior(TABLE, seed=seed), metrics="phi"),
        lambda seed: hs.compare(TABLE, TABLE, metric="phi", seed=seed),
        lambda seed: hs.leaderboard({"a": TABLE, "b": TABLE}, metric="phi", seed=seed),
        _scored,
        lambda seed: hs.score(
            hs.correct(hs.Tally.rate(hits=70, of=100), hs.Tally.binary(tp=60, fp=12, fn=3, tn=25), seed=seed)
        ),
        lambda seed: hs.score(hs.trec(QRELS, RUN, metrics=["AP"], seed=seed), seed=seed),
        lambda seed: hs.gate(TABLE, ["phi > 0.1"], seed=seed),
        lambda seed: hs.plan(expected={"rate": 0.8}, width=0.1, seed=seed),
    ],
)
def test_a_seed_of_numpy_is_a_seed(ask) -> None:
    """Every verb gives the document of the same Python number."""
    assert json.loads(ask(np.int64(3)).to_json()) == json.loads(ask(3).to_json())


SHORT = np.float32


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: hs.score(TABLE, metrics="f1", level=f(0.9), above=f(0.3), prior=f(0.1)),
        lambda f: hs.score(TABLE, metrics="f1", above={"f1": f(0.3)}, prior=hs.two_level(f(0.1), f(0.3))),
        lambda f: hs.score(MATRIX, metrics="macro-f1", tolerance=f(0.1)),
        lambda f: hs.leaderboard({"a": TABLE, "b": TABLE}, apart=f(0.9)),
        lambda f: hs.compare(TABLE, TABLE, equal_within=f(0.1)),
        lambda f: hs.compare_wins(first=17, second=4, same=30, level=f(0.9), equal_within=f(0.1)),
        lambda f: hs.plan(expected={"rate": f(0.8)}, width=f(0.1), assurance=f(0.7), level=f(0.9)),
        lambda f: hs.predict(TABLE, n=100, metric="f1", above=f(0.3)),
        lambda f: hs.score(hs.shift(TABLE, prevalence=f(0.01)), metrics="ppv"),
        lambda f: hs.folds({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}, test_share=f(0.1)),
        lambda f: hs.solve(precision=f(0.75), recall=f(0.6), accuracy=f(0.85), n=200),
        lambda f: hs.gate(TABLE, ["f1 > 0.5"], level=f(0.9)),
    ],
)
def test_a_short_float_is_the_number_that_it_is_written_as(ask) -> None:
    """0.9 of 32 bits is a 90% level, and no setting refuses it or shows its eighth digit."""
    assert json.loads(ask(SHORT).to_json()) == json.loads(ask(float).to_json())


@pytest.mark.parametrize("level", [True, "0.9", 0, 1, 1.5, float("nan"), SHORT(1.5), []])
def test_what_is_no_level_is_still_none(level) -> None:
    """The same refusals as ever."""
    with pytest.raises(BadSetting, match="a level lies between"):
        hs.score(TABLE, metrics="f1", level=level)
