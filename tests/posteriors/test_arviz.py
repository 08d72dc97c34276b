"""Posteriors as ArviZ has them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import howsure as hs

MATRIX = [[145, 1, 2, 1, 0], [5, 256, 22, 9, 6], [5, 24, 234, 36, 19], [1, 18, 32, 243, 25], [1, 5, 9, 38, 254]]
P = hs.posterior(hs.Tally.matrix(MATRIX), hs.two_level(), tolerance=0.1)


@pytest.fixture(scope="module")
def arviz():
    """It takes a second to import, so not before it is needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ArviZ's own imports
        import arviz
    return arviz


def test_arviz_takes_the_draws(arviz):
    """Every measure is a variable with dimensions chain and draw, and ArviZ summarises it as howsure does."""
    data = P.to_arviz(["macro-f1", "micro-f1"], draws=2000, chains=4)
    assert dict(data["posterior"].sizes) == {"chain": 4, "draw": 2000}
    table = arviz.summary(data, round_to="none")
    for name in ("macro-f1", "micro-f1"):
        d = P[name]
        assert table.loc[name, "mean"] == pytest.approx(d.mean, abs=5 * d.std / np.sqrt(8000))
        assert table.loc[name, "sd"] == pytest.approx(d.std, rel=0.05)
        assert table.loc[name, "r_hat"] == pytest.approx(1.0, abs=0.01)


def test_ess_and_mc_error_agree_with_arviz(arviz):
    """Independent draws: ArviZ finds about as many effective draws as there are, and the same standard error."""
    d = P["f1:1"]
    data = P.to_arviz("f1:1", draws=d.ess // 4, chains=4)
    x = np.asarray(data["posterior"]["f1:1"])
    assert np.asarray(arviz.ess(x)).item() == pytest.approx(d.ess, rel=0.1)
    assert np.asarray(arviz.mcse(x)).item() == pytest.approx(d.mc_error, rel=0.1)


def test_a_control_makes_draws_worth_more(arviz):
    """As many draws of macro-f1 without its control have a standard error several times as large."""
    d = P["macro-f1"]
    x = np.asarray(P.to_arviz("macro-f1", draws=d.ess // 4, chains=4)["posterior"]["macro-f1"])
    assert d.mc_error < 0.3 * np.asarray(arviz.mcse(x)).item()


def test_exact_routes_have_no_sampling_error():
    """A closed form has no effective sample size and a Monte Carlo error of 0."""
    d = P["recall:2"]
    assert d.ess is None
    assert d.mc_error == 0


@pytest.mark.deep  # matplotlib takes seconds to load
def test_plots_accept_it(arviz):
    """ArviZ's own trace and posterior plots draw it."""
    import matplotlib as mpl

    mpl.use("Agg")
    data = P.to_arviz("macro-f1", draws=200, chains=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert arviz.plot_trace(data) is not None
        assert arviz.plot_posterior(data) is not None
