"""Zhang, Wang & Zhao 2015: Table 1 comes out, and the paper's own chain agrees with the direct draws."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import howsure as hs
from howsure import papers
from howsure.papers import zhang_model as zhang
from howsure.papers.item import AGREES, CANNOT, HOLDS, SAMPLING, SHOWN, WRONG
from tests.papers.metropolis import chain, effective_size
from tests.papers.test_papers import row as found

STEPS, BURNED = 6_000, 500


PEERS = {  # computed outside the project (shared/checks/peers.json)
    "zhang-table-1-mif1": {"mean": 0.8027387, "std": 0.010576, "below": 0.3929, "low": 0.7818, "high": 0.8233},
    "zhang-table-1-maf1": {"mean": 0.81538, "std": 0.00993, "below": 0.0631, "low": 0.7957, "high": 0.8346},
}
WITHIN = {"mean": 5e-5, "std": 5e-5, "below": 0.002, "low": 3e-4, "high": 3e-4}


@pytest.mark.parametrize("name", PEERS)
def test_table_1_comes_out(name: str) -> None:
    """Score, mean, std, Monte Carlo error and HDI round to the print; P(below) is as computed elsewhere."""
    data = found(name)["data"]
    assert {k: data[k] for k in WITHIN} == {k: pytest.approx(v, abs=WITHIN[k]) for k, v in PEERS[name].items()}
    printed = data["print"]
    for key in ("score", "mean", "std", "mc_error", "low", "high"):
        assert f"{data[key]:.3f}" == printed[key], key
    assert found(name)["verdict"] == SAMPLING  # 39.6% printed, 39.3% exact; 6.1% and 6.3%


@pytest.mark.parametrize("name", ["micro-f1", "macro-f1"])
def test_table_1_at_the_default_tolerance(name: str) -> None:
    """What a user gets without asking for more draws prints the same interval."""
    row = hs.score(zhang.matrix(), metrics=name, prior="two-level", above=0.8, interval="hdi").to_dict()["rows"][0]
    printed = dict(zip(zhang.COLUMNS, zhang.TABLE_1[name], strict=True))
    assert [f"{row[k]:.3f}" for k in ("score", "mean", "std", "low", "high")] == [
        printed[k] for k in ("score", "mean", "std", "low", "high")
    ]


def test_the_mean_of_micro_f1_is_closed() -> None:
    """Σ (n_j+1)/(N+M)·(c_jj+1)/(n_j+M), to the last digits."""
    assert found("zhang-table-1-mif1")["data"]["closed_mean"] == pytest.approx(0.8027387247617159, rel=1e-14)


def test_the_second_form_of_the_multinomial_is_wrong() -> None:
    """Γ(Σ(n_j+1)) is (N+M-1)!: at 2, 3 it is six times 5!."""
    assert found("zhang-2.1-sizes")["verdict"] == WRONG
    assert found("zhang-2.1-sizes")["data"]["times"] == pytest.approx(6)


@pytest.mark.parametrize("name", ["zhang-fig-4", "zhang-fig-5"])
def test_figures_have_their_series(name: str) -> None:
    """A histogram that integrates to 1, a density on the same points, and a trace without trend."""
    data = found(name)["data"]
    steps = np.diff(data["edges"])
    assert np.sum(steps * np.array(data["density"])) == pytest.approx(1, abs=1e-9)
    assert np.sum(steps * np.array(data["curve"])) == pytest.approx(1, abs=0.01)
    trace = np.array(data["trace"])
    assert trace.size == zhang.SHOWN
    assert abs(np.corrcoef(trace, np.arange(trace.size))[0, 1]) < 4 / np.sqrt(trace.size)
    assert data["ess"] == data["n"] == 50_000


def test_the_published_prior_costs_coverage() -> None:
    """Uniform rows cover a few percent of simulated tests at five classes and none at ten; even covers them."""
    rows = {row["classes"]: row for row in found("zhang-prior-cost")["data"]["coverage"]}
    assert rows[5]["published"] < 0.15
    assert rows[10]["published"] < 0.02
    assert all(row["even"] > 0.88 for row in rows.values())


def test_a_wrong_model_loses_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is hard-coded: with other weights behind it Table 1 is not reproduced."""
    honest = hs.two_level
    zhang.report.cache_clear()
    monkeypatch.setattr(hs, "two_level", lambda within=1.0, between=1.0: honest(5 * within, between))
    try:
        for item in papers.select("zhang-table-1"):
            assert item.compute().verdict == CANNOT
    finally:
        zhang.report.cache_clear()


# -- the paper's own method


@cache
def run() -> dict[str, Any]:
    return {name: x[BURNED:] for name, x in chain(zhang.FIG_3, STEPS, seed=4).items()}


@pytest.mark.parametrize("name", ["micro-f1", "macro-f1"])
def test_the_chain_agrees_with_direct_draws(name: str) -> None:
    """Mean, std and P(below .8) of a Metropolis chain lie within four of its own standard errors of the direct ones."""
    x, law = run()[name], zhang.report(name)[name]
    size = effective_size(x)
    assert abs(x.mean() - law.mean) < 4 * law.std / np.sqrt(size)
    assert abs(x.std() / law.std - 1) < 4 / np.sqrt(2 * size)
    below = law.cdf(0.8)
    assert abs((x < 0.8).mean() - below) < 4 * np.sqrt(below * (1 - below) / effective_size((x < 0.8).astype(float)))


@pytest.mark.parametrize("name", ["micro-f1", "macro-f1"])
def test_a_chain_is_worth_few_draws(name: str) -> None:
    """The chain's effective size is a small part of its steps; that of direct draws is their number."""
    n = STEPS - BURNED
    ours = zhang.draws(name)[:n]
    assert effective_size(run()[name]) < 0.2 * n
    assert effective_size(ours) == pytest.approx(n, rel=0.1)


def test_effective_size_of_a_known_process() -> None:
    """An autoregression with coefficient .9 has n·(1-.9)/(1+.9)."""
    rng = np.random.default_rng(1)
    e, x = rng.standard_normal(200_000), np.empty(200_000)
    x[0] = 0.0
    for i in range(1, x.size):
        x[i] = 0.9 * x[i - 1] + e[i]
    assert effective_size(x) == pytest.approx(x.size / 19, rel=0.1)


def test_verdicts_of_the_model() -> None:
    """The equations of the model agree, but for the factor of the likelihood; what is said of Goutte's holds."""
    verdicts = {x.id: found(x.id)["verdict"] for x in papers.select("zhang-2.1")}
    others = {k: v for k, v in verdicts.items() if v != AGREES}
    assert others == {"zhang-2.1-sizes": WRONG, "zhang-2.1-two-classes": HOLDS}


def test_what_is_ours_alone_agrees_with_nothing() -> None:
    """The chain is a method, the figures are drawings, and the coverage of the prior is measured here only."""
    for name in ("2.2-chain", "fig-4", "fig-5", "4-f-beta", "4-any-of", "prior-cost"):
        assert found(f"zhang-{name}")["verdict"] == SHOWN
