"""Stratified samples: every stratum keeps its posterior, and rates are those of the population."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run

RATE = hs.Tally.rate(hits=[9, 2], of=[10, 10])
TABLES = hs.Tally.binary(tp=[30, 5], fp=[10, 1], fn=[5, 20], tn=[55, 474])


def test_a_rate_is_the_mixture_of_its_strata():
    """Mean and interval are those of a weighted sum of independent Betas."""
    d = hs.posterior(RATE.stratified({0: 1000, 1: 9000}))["rate"]
    rng = np.random.default_rng(0)
    x = 0.1 * rng.beta(10, 2, 400_000) + 0.9 * rng.beta(3, 9, 400_000)
    assert d.mean == pytest.approx(0.1 * 10 / 12 + 0.9 * 3 / 12, abs=0.001)
    np.testing.assert_allclose(tuple(d.interval()), np.quantile(x, [0.025, 0.975]), atol=0.004)


def test_the_score_is_reweighted():
    """The point score is that of the population: shares of strata times rates in them."""
    r = hs.score(RATE.stratified({0: 1000, 1: 9000})).to_dict()
    assert r["rows"][0]["score"] == pytest.approx(0.1 * 0.9 + 0.9 * 0.2)
    assert r["rows"][0]["n"] == 20
    assert "strata" in [note["code"] for note in r["notes"]]


def test_precision_of_a_search_over_a_huge_collection():
    """Precision weighs each stratum's answers by its size, and equal shares give back the pooled table's score."""
    p = hs.posterior(TABLES.stratified({0: 10_000, 1: 1_000_000}))
    tp = 10_000 * 30 / 100 + 1_000_000 * 5 / 500
    fp = 10_000 * 10 / 100 + 1_000_000 * 1 / 500
    assert float(p.point("precision")) == pytest.approx(tp / (tp + fp))
    as_sampled = hs.posterior(TABLES.stratified({0: 100, 1: 500}))
    pooled = hs.Tally.binary(tp=35, fp=11, fn=25, tn=529)
    assert float(as_sampled.point("f1")) == pytest.approx(float(hs.posterior(pooled).point("f1")))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RATE.stratified({0: 1000}), "1 has none"),
        (lambda: RATE.stratified({0: 1, 1: 2, 2: 3}), "'2' is not in the sample"),
        (lambda: RATE.stratified({0: 1, 1: -2}), "above 0"),
        (lambda: hs.Tally.rate(hits=1, of=2).stratified({}), "one batch axis"),
        (lambda: hs.Tally.rate(hits=[1, 0], of=[2, 0]).stratified({0: 1, 1: 1}), "every stratum needs items"),
        (lambda: RATE.stratified({0: 1, 1: 1}) + RATE.stratified({0: 1, 1: 1}), "cannot be added"),
    ],
)
def test_bad_strata(make, said):
    """One sentence each."""
    with pytest.raises(hs.HowsureError, match=said):
        make()


def test_the_command(tmp_path, capsys):
    """--stratum and --population on a file."""
    file = tmp_path / "s.csv"
    file.write_text("y,z,s\n" + "\n".join(f"{i % 2},{i % 3 > 0:d},{'web' if i % 5 else 'mail'}" for i in range(60)))
    base = ["score", str(file), "--truth", "y", "--pred", "z", "--stratum", "s", "--metric", "accuracy"]
    assert run([*base, "--population", "web=10,mail=1000"]) == 0
    assert "strata" in capsys.readouterr().out
    assert run(base) == 2
    assert "--population" in capsys.readouterr().err
    assert run([*base, "--population", "web"]) == 2
    assert "stratum=size" in capsys.readouterr().err


def test_a_ratio_that_is_infinite_in_most_draws_is_told_without_a_warning():
    """A hardly weighted stratum has the only negatives that could be called positive; warnings are errors here."""
    truth = [1] * 5 + [0] * 9 + [1, 0]
    frame = {"y": truth, "z": truth, "s": ["a"] * 14 + ["b"] * 2}
    strata = hs.tally(frame, truth="y", pred="z", by="s").stratified({"a": 1, "b": 10**12})
    row = hs.score(strata, metrics=["lr-plus"], prior=1e-6).to_dict()["rows"][0]
    assert row["mode"] is None
    assert row["mean"] is None
    assert hs.posterior(strata, 1e-6)["lr-plus"].mode == float("inf")
