"""Values that no call expects: beyond doubles, of other types, endless. They work, or are refused in a sentence."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import howsure as hs
from tests.tiers import turn

BEYOND = 10**400
VALUES = {
    "beyond": BEYOND, "below": -BEYOND, "decimal": Decimal("1.5"), "decimal NaN": Decimal("nan"),
    "decimal beyond": Decimal("1e999"), "fraction": Fraction(3, 2), "fraction beyond": Fraction(BEYOND, 3),
    "complex": 1 + 2j, "none": None, "nan": float("nan"), "inf": float("inf"), "text": "no such thing",
    "long text": "x" * 10**6, "nested": [[1, [2]], 3], "list": [1, 2], "empty": [], "mapping": {}, "object": object(),
    "true": True, "array": np.zeros((2, 2)), "NaT": np.datetime64("NaT"), "bytes": b"x", "set": {1}, "function": len,
    "half a character": "\ud800", "zero byte": "a\0b", "2^63": 2**63, "float32": np.float32(0.5), "least": 5e-324,
}  # fmt: skip
T = hs.Tally.binary(tp=8, fp=2, fn=3, tn=7)
P = hs.posterior(T)
JOINT = hs.tally([1, 0, 1, 1], {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]})
CURVE = hs.curve([1, 0, 1, 0], [0.9, 0.2, 0.8, 0.4])
PRECISION = hs.cells.tp / (hs.cells.tp + hs.cells.fp)
F1 = hs.fbeta(1)
CALLS = {
    "binary": lambda v: hs.Tally.binary(tp=v, fp=1, fn=1, tn=1),
    "rate": lambda v: hs.score(hs.Tally.rate(hits=v, of=v)),
    "matrix": lambda v: hs.Tally.matrix([[1, v], [2, 3]]),
    "labels": lambda v: hs.Tally.matrix([[1, 2], [2, 3]], labels=v),
    "positive": lambda v: hs.Tally.matrix([[1, 2], [2, 3]], positive=v),
    "truths": lambda v: hs.score(hs.tally([v, 1, 0], [1, 1, 0])),
    "weight": lambda v: hs.score(hs.tally([1, 1, 0], [1, 1, 0], weight=[v, 1, 1])),
    "weights": lambda v: hs.tally([1, 1, 0], [1, 1, 0], weight=v),
    "missing": lambda v: hs.tally([1, 1, 0], [1, 1, 0], missing=v),
    "cluster": lambda v: hs.tally([1, 1, 0], [1, 1, 0], cluster=[v, 1, 2]),
    "graded": lambda v: hs.score(hs.graded([v, 0.2, 0.3])),
    "bounds": lambda v: hs.score(hs.graded([0.1, 0.2], bounds=(0, v))),
    "scores": lambda v: hs.curve([1, 0, 1, 0], [v, 0.2, 0.3, 0.4]),
    "scores' weight": lambda v: hs.curve([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], weight=[v, 1, 1, 1]),
    "band": CURVE.band,
    "at_least": lambda v: CURVE.choose("f1", at_least={"recall": v}),
    "at_least with": lambda v: CURVE.choose("f1", at_least={"recall": (0.1, v)}),
    "prior": lambda v: hs.score(hs.posterior(T, v)),
    "two_level": lambda v: hs.posterior(T, hs.two_level(within=v)),
    "tolerance": lambda v: hs.posterior(T, tolerance=v),
    "seed": lambda v: hs.posterior(T, seed=v),
    "name": lambda v: P[v],
    "cdf": P["f1"].cdf,
    "ppf": P["f1"].ppf,
    "pdf": P["f1"].pdf,
    "interval": P["f1"].interval,
    "kind": lambda v: P["f1"].interval(0.9, kind=v),
    "metrics": lambda v: hs.score(T, metrics=[v]),
    "above": lambda v: str(hs.score(T, above=v)),
    "above by name": lambda v: str(hs.score(T, above={"f1": v})),
    "level": lambda v: hs.score(T, level=v),
    "data": hs.score,
    "equal_within": lambda v: str(hs.compare(JOINT, equal_within=v)),
    "names": lambda v: str(hs.compare(T, T, names=(v, "b"))),
    "wins": lambda v: str(hs.compare_wins(first=v, second=1, same=1)),
    "apart": lambda v: hs.leaderboard(JOINT, apart=v),
    "solve": lambda v: str(hs.solve(precision=v, recall=0.5)),
    "solve n": lambda v: str(hs.solve(precision=0.5, recall=0.5, n=v)),
    "tradeoff": lambda v: str(hs.tradeoff(accuracy=0.9, prevalence=0.2, recalls=[v])),
    "fbeta": lambda v: str(hs.score(T, metrics=[hs.fbeta(v)])),
    "utility": lambda v: str(hs.score(T, metrics=[hs.utility(tp=v, fp=-1)])),
    "cost": lambda v: str(hs.utility(tp=1, cost=v)),
    "metric": lambda v: hs.Metric(v, PRECISION),
    "score of": F1.score,
    "score at": lambda v: F1.score({"tp": v, "fp": 1, "fn": 1, "tn": 1}),
    "formula": lambda v: hs.Metric("m", v),
    "better": lambda v: hs.Metric("m", PRECISION, better=v),
    "grades": lambda v: str(hs.trec({"q": {"d": v}}, {"r": {"q": {"d": 1.0}}})),
    "run": lambda v: str(hs.trec({"q": {"d": 1}}, {"r": {"q": {"d": v}}})),
    "file": lambda v: hs.score(T).save(v),
    "format": lambda v: hs.score(T).to_text(v),
}


@pytest.mark.parametrize("call", CALLS)
def test_odd_values_work_or_are_refused(call, tmp_path, monkeypatch):
    """No OverflowError, no TypeError from within, no warning, and no message of a million characters; in turn."""
    monkeypatch.chdir(tmp_path)
    for name, value in turn(VALUES.items(), list(CALLS).index(call), 4):
        try:
            CALLS[call](value)
        except hs.HowsureError as error:
            assert len(str(error)) < 5000, name  # noqa: PT017 - not all are refused


@pytest.mark.parametrize("n", [BEYOND, 10**30, 0, -1, 1.5, True, None])
def test_numbers_of_draws(n):
    """As many as a machine could hold."""
    with pytest.raises(hs.HowsureError, match=r"the number of draws must be a whole number|numbers are drawn at once"):
        P["f1"].draws(n)
