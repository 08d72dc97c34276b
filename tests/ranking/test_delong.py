"""DeLong's covariance against its definition, pair by pair, and against scikit-learn's AUC."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from howsure.kernels.delong import delong


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
