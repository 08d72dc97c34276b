"""One small result of every kind, made once: what the tests of charts look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import howsure as hs
from howsure import relations
from howsure.relations.association import check

HOSTILE = "<script>alert(1)</script>\"'&${x}"
LONG = "a label that is far too long to stand beside a plot and has to be cut"
RIGHT_TO_LEFT = "מזרח"
TABLE = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
OTHER = hs.Tally.binary(tp=85, fp=20, fn=25, tn=870)


@cache
def _scored() -> hs.Curve:
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.4
    return hs.curve(y, np.round(rng.normal(size=60) + 1.2 * y, 2))


@cache
def _answers() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    return truth, {name: np.where(rng.random(200) < p, truth, 1 - truth)
                   for name, p in ((HOSTILE, 0.75), (LONG, 0.8), (RIGHT_TO_LEFT, 0.9))}  # fmt: skip


def _slices(many: int) -> hs.Report:
    rng = np.random.default_rng(2)
    size = 12 * many
    truth = rng.integers(0, 2, size)
    data = {"truth": truth, "pred": np.where(rng.random(size) < 0.8, truth, 1 - truth),
            "part": [f"part {k % many:03d}" for k in range(size)]}  # fmt: skip
    import pandas as pd

    return hs.score(pd.DataFrame(data), truth="truth", pred="pred", by=["part"], positive=1, metrics=["accuracy"])


def _trec() -> Any:
    qrels = {f"q{k}": {"d1": 1, "d2": 0, "d3": 1} for k in range(8)}
    rng = np.random.default_rng(3)
    runs = {
        name: {q: {d: float(rng.random()) for d in ("d1", "d2", "d3")} for q in qrels} for name in ("bm25", "dense")
    }
    from howsure._trec import evaluate

    return evaluate(hs.trec(qrels, runs, metrics=["AP", "P@1"]))


def _two_of(names: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
    truth, answers = _answers()
    return truth, {name: answers[name] for name in names}


_FOLDS = {"a": [0.80, 0.82, 0.79, 0.81, 0.80], "b": [0.78, 0.80, 0.77, 0.80, 0.79], "c": [0.70, 0.72, 0.73, 0.69, 0.70]}
_PAIR = (HOSTILE, RIGHT_TO_LEFT)

MAKERS: dict[str, Callable[[], Any]] = {
    "score": lambda: hs.score(TABLE, metrics=["f1"], above=0.8),
    "scores": lambda: hs.score(TABLE, metrics=["f1", "recall", "lr-plus"]),
    "classes": lambda: hs.score(hs.Tally.matrix([[50, 3, 2], [4, 40, 6], [1, 2, 30]], labels=[HOSTILE, LONG, "c"])),
    "slices": lambda: _slices(8),
    "systems": lambda: hs.score(*_answers(), positive=1, metrics=["accuracy"]),
    "compare": lambda: hs.compare(TABLE, OTHER, metric="f1", equal_within=0.01),
    "paired": lambda: hs.compare(*_two_of(_PAIR), positive=1, metric="accuracy"),
    "several": lambda: hs.compare(*_two_of(_PAIR), positive=1, metrics=["accuracy", "recall"]),
    "wins": lambda: hs.compare_wins(17, 4, 100, equal_within=0.05),
    "leaderboard": lambda: hs.leaderboard(*_answers(), positive=1, metric="accuracy"),
    "leaderboards": lambda: hs.leaderboard(*_answers(), positive=1, metrics=["accuracy", "recall"]),
    "trec": _trec,
    "curve": _scored,
    "band": lambda: _scored().band("recall"),
    "choice": lambda: _scored().choose("f1"),
    "gate": lambda: hs.gate(TABLE, ["f1 > 0.7 with 0.9", "recall > 0.8"]),
    "plan": lambda: hs.plan(metric="rate", pilot=hs.Outcomes.rate(hits=40, of=50), width=0.1),
    "plan above": lambda: hs.plan(metric="rate", pilot=hs.Outcomes.rate(hits=40, of=50), above=0.7),
    "forecast": lambda: hs.forecast(hs.Outcomes.rate(hits=40, of=50), n=20, below=0.7),
    "forecast f1": lambda: hs.forecast(TABLE, n=50, metric="f1"),
    "folds": lambda: hs.compare_folds({k: _FOLDS[k] for k in "ab"}, test_share=0.2, equal_within=0.01),
    "folds of three": lambda: hs.compare_folds(_FOLDS, test_share=0.2),
    "solve": lambda: hs.solve(precision="0.75", recall="0.60", n=50, integers=True),
    "solve one": lambda: hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=200),
    "solve none": lambda: hs.solve(precision=0.75, recall=0.6, accuracy=0.2, n=200),
    "solve two": lambda: hs.solve({"a": {"f1": "0.80"}, "b": {"f1": "0.67"}}, n=8),
    "tradeoff": lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2),
    "tradeoff of counts": lambda: hs.tradeoff(TABLE),
    "mixture": lambda: relations.mixture(relations.normal(1, 1), relations.normal(-1, 1), prevalence=0.3),
    "mixture of scores": lambda: relations.mixture([0.9, 0.8, 0.4], [0.7, 0.3, 0.2, 0.1]),
    "surface": lambda: relations.surface("phi", "precision", "recall", fallout=0.01, size=21),
    "section": lambda: relations.surface("phi", "precision", "recall", fallout=0.01, y_values=[0.5], size=11),
    "eleven-point": lambda: relations.eleven_point("phi", [0.2, 0.4, 0.6]),
    "association": lambda: relations.associate(TABLE),
    "identities": lambda: check(TABLE),
}


@cache
def result(name: str) -> Any:
    """The result of that name."""
    return MAKERS[name]()


@cache
def charts(name: str) -> dict[str, Any]:
    """Its charts."""
    return dict(result(name).charts())


def many_slices(many: int) -> hs.Report:
    """A report of so many slices."""
    return _slices(many)
