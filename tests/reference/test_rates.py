"""Metrics of two rates, and F_beta, of random tables: no probability is further off than stated."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from tests import tiers
from tests.reference.agreement_referee import random_table
from tests.reference.rates_referee import CHARTS, probabilities

TABLES = 5_000 if tiers.tier == "deep" else 200
AGREE = 1e-8


@pytest.mark.whole
@pytest.mark.parametrize("name", [*CHARTS, "fbeta(2)", "fbeta(0.3)"])
def test_no_probability_is_further_off_than_stated(name: str) -> None:
    """The referee judges the package's quantiles of each table, where its own charts and steps agree."""
    rng = np.random.default_rng([35, len(name)])
    counts = np.array([random_table(rng) for _ in range(TABLES)]).T
    d = hs.posterior(hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True))), "jeffreys")[name]
    p = np.array([[0.025], [0.6], [0.975]])
    t = d.ppf(p)
    tp, fp, fn, tn = counts + 0.5
    found, apart = probabilities(name, (tp, fp, fn, tn), t)
    judged = apart <= AGREE
    assert judged.mean() >= 0.5
    slack = d.error.probability + d.error.value * d.pdf(t) + 2 * apart + 1e-9
    assert (np.abs(found - p) <= slack)[judged].all()
