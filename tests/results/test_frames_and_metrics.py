"""to_frame has the columns that people read, and to_metrics gives every result's numbers flat names."""

from __future__ import annotations

import math

import pytest

import howsure as hs
from howsure.errors import BadSetting
from tests.charts.results import MAKERS, result

TABLE = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
OTHER = hs.Tally.binary(tp=90, fp=20, fn=20, tn=870)
CURVES = {"solve none", "solve two", "tradeoff", "tradeoff of counts", "eleven-point", "identities"}  # nothing is named


@pytest.mark.parametrize("name", MAKERS)
def test_frames_have_a_dozen_columns_and_metrics_flat_names(name):
    """Slices aside, at most twelve; full=True has every field of the JSON, and the same rows; metrics are finite."""
    found = result(name)
    few, full = found.to_frame(), found.to_frame(full=True)
    assert len([x for x in few.columns if not x.startswith("slice.")]) <= 12
    assert set(few.columns) <= set(full.columns)
    assert len(few) == len(full) == len(found.to_dict()["rows"])
    if "score" in full.columns:
        assert {"score", "low", "high"} <= set(few.columns)
    flat = found.to_metrics()
    assert (flat == {}) == (name in CURVES)
    assert all(isinstance(k, str) and k and math.isfinite(v) for k, v in flat.items())


def test_metrics_of_a_comparison():
    """Both scores, the difference with its interval, and P(better)."""
    found = hs.compare(TABLE, OTHER, names=("a", "b"), metric="f1")
    row, flat = found.to_dict()["rows"][0], found.to_metrics()
    assert flat["a/f1"] == row["first"]["score"]
    assert flat["f1/a-b"] == row["difference"]["score"]
    assert (flat["f1/a-b_low"], flat["f1/a-b_high"]) == (row["difference"]["low"], row["difference"]["high"])
    assert flat["f1/a-b_p_better"] == row["p_better"]


def test_metrics_of_plans_gates_and_predictions():
    """A plan has its n, a gate its probabilities, numbered where names repeat, a prediction the expected score."""
    plan = hs.plan(expected={"rate": 0.8}, width=0.1)
    assert plan.to_metrics()["n"] == plan.n
    gate = hs.gate(TABLE, ["f1 > 0.7 with 0.9", "f1 > 0.8 with 0.9"]).to_metrics()
    assert gate["f1/1_probability"] > gate["f1/2_probability"]
    predicted = hs.forecast(TABLE, n=500, metric="f1")
    assert predicted.to_metrics()["f1/next=500"] == predicted.to_dict()["rows"][0]["mean"]
    assert hs.solve(precision="0.75", recall="0.60", n=(100, 110)).to_metrics()["precision_low"] == 0.745


def test_full_is_true_or_false():
    """Anything else is refused."""
    with pytest.raises(BadSetting, match="full"):
        hs.score(TABLE).to_frame(full="yes")
