"""Batches with equal tables: numbers are found once for each different table, and are those of the batch as it is."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.stacked import RepeatedTables
from howsure.posteriors import cells


def batch(many: int = 240) -> hs.Tally:
    """So many tables, of which twelve are different."""
    counts = np.random.default_rng(4).integers(2, 12, (4, 12))[:, np.arange(many) % 12]
    return hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True)))


@pytest.mark.parametrize("interval", ["equal-tailed", "hdi"])
def test_documents_are_those_of_the_batch_as_it_is(interval: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number of every row, but for rounding, with equal tables looked at once and one by one."""
    settings = {"metrics": ["balanced-accuracy", "f1"], "interval": interval, "above": 0.7}
    once = hs.score(batch(), **settings)
    assert isinstance(once["balanced-accuracy"].law, RepeatedTables)
    monkeypatch.setattr(cells, "MANY_TABLES", 10**9)
    each = hs.score(batch(), **settings)
    assert not isinstance(each["balanced-accuracy"].law, RepeatedTables)
    for one, other in zip(once.to_dict()["rows"], each.to_dict()["rows"], strict=True):
        assert {k: v for k, v in one.items() if isinstance(v, float)} == pytest.approx(
            {k: v for k, v in other.items() if isinstance(v, float)}, abs=1e-9
        )


def test_points_of_their_own_are_asked_of_every_table() -> None:
    """Tails and quantiles at other points for equal tables, and the law of some of them."""
    d = hs.posterior(batch())["balanced-accuracy"]
    x = np.linspace(0.45, 0.75, 240)
    np.testing.assert_allclose(d.ppf(d.cdf(x)), x, atol=1e-7)
    some = d.law.rows(np.array([13, 1]), d.law.shape)
    np.testing.assert_allclose(some.mean(), d.mean[[1, 1]])


def test_a_copy_of_a_document_is_nobody_elses() -> None:
    """What is changed in one copy is not in the next."""
    report = hs.score(hs.Tally.binary(tp=8, fp=2, fn=3, tn=87), metrics=["f1"])
    first = report.to_dict()
    kept = json.dumps(first)
    first["rows"][0]["error"]["value"] = None
    first["rows"][0]["range"][0] = None
    assert json.dumps(report.to_dict()) == kept
