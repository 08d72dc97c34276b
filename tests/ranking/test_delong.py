"""DeLong's covariance against its definition, pair by pair, and against scikit-learn's AUC."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special
from sklearn.metrics import roc_auc_score

import howsure as hs
from howsure.distributions.classical_tests import delong
from howsure.evidence.scored import Scored
from howsure.posteriors.score_samples import score_draws
from tests.tiers import tolerance


@pytest.mark.parametrize(("m", "n", "levels"), [(2, 2, 3), (5, 40, 4), (60, 30, 1000), (200, 300, 7)])
def test_delong_is_its_definition(m: int, n: int, levels: int) -> None:
    """Means and covariances of the two kinds of parts, from all pairs, ties counted half."""
    rng = np.random.default_rng(m * n)
    scores = rng.integers(0, levels, (m + n, 3)) + np.r_[np.full(m, levels // 4), np.zeros(n, int)][:, None] * 1.0
    truth = np.arange(m + n) < m
    yes, no = scores[:m], scores[m:]
    pairs = (yes[:, None] > no[None]) + 0.5 * (yes[:, None] == no[None])
    expected = np.cov(pairs.mean(axis=1), rowvar=False) / m + np.cov(pairs.mean(axis=0), rowvar=False) / n
    auc, covariance = delong(truth, scores)
    np.testing.assert_allclose(auc, pairs.mean(axis=(0, 1)), rtol=1e-13)
    np.testing.assert_allclose(auc, [roc_auc_score(truth, s) for s in scores.T], rtol=1e-13)
    np.testing.assert_allclose(covariance, expected, rtol=1e-10, atol=1e-16)


@pytest.mark.deep
def test_delong_stands_beside_the_bootstrap() -> None:
    """At 4,000 items both give the same interval of the AUC and of a difference, and the note tells it."""
    rng = np.random.default_rng(4)
    y = rng.random(4000) < 0.4
    base = rng.normal(size=4000)
    a, b = base + 1.2 * y, 0.7 * base + 0.7 * rng.normal(size=4000) + 1.1 * y
    d = Scored(y, np.stack([a, b], axis=1), ("a", "b"))
    p = hs.posterior(d, tolerance=tolerance(0.1))
    auc, covariance = score_draws(p).delong() or (None, None)
    one = p.system("a")["auc"]
    assert one.std == pytest.approx(np.sqrt(covariance[0, 0]), rel=0.03)
    assert one.mean == pytest.approx(auc[0], abs=0.1 * one.std)
    c = hs.compare(d, "a", "b", metric="auc", tolerance=tolerance(0.1))
    spread = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert c.difference.std == pytest.approx(spread, rel=0.03)
    assert any(note.code == "delong" and "of the difference" in note.text for note in c.notes)
    z = (auc[0] - auc[1]) / spread
    assert c.tests()["delong"] == pytest.approx(2 * special.ndtr(-abs(z)), rel=1e-9)
    assert min(c.p_better, c.p_worse) == pytest.approx(special.ndtr(-abs(z)), abs=0.01)


def test_delong_has_nothing_to_say_of_separated_scores() -> None:
    """A standard error of 0 is told as such, not as an interval of no width."""
    p = hs.posterior(Scored(np.arange(8) < 4, -np.arange(8.0)[:, None]))
    (note,) = [x for x in p["auc"].notes if x.code == "delong"]
    assert "standard error is 0" in note.text
