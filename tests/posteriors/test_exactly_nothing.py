"""Tables without items have no score, and what two systems share does not differ, not even by rounding."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from tests.laws.kinds import KINDS


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("metric", ["phi", "kappa", "macro-f1", "macro-recall", "weighted-f1", "informedness"])
def test_an_empty_table_has_no_score(classes, metric):
    """Not 0: undefined, with the reason, whatever the number of classes."""
    empty = hs.Tally.matrix(np.zeros((classes, classes), dtype=int), positive=1)
    report = hs.score(empty, metrics=[metric], tolerance=0.3)
    assert report.to_dict()["rows"][0]["score"] is None
    assert "undefined-score" in [n.code for n in report.notes]


def test_a_batch_has_scores_where_there_are_items():
    """An empty slice beside a full one."""
    y, z = np.array([0, 1, 2, 2]), np.array([0, 1, 2, 1])
    t = hs.tally(y, z, labels=[0, 1, 2, 3])
    both = hs.Tally(
        cells=t.cells, counts=np.stack([t.counts, 0 * t.counts]), labels=t.labels, batch=(("s", ("a", "b")),)
    )
    full, none = (r["score"] for r in hs.score(both, metrics=["macro-f1"], tolerance=0.3).to_dict()["rows"])
    assert full == pytest.approx((1 + 2 / 3 + 2 / 3 + 0) / 4)
    assert none is None


@pytest.mark.parametrize("kind", ["classes of two", "strata of classes", "clusters of two classes"])
def test_prevalence_of_the_same_items_does_not_differ(kind):
    """Two systems on the same items have one truth: the difference is 0, not a few units of rounding."""
    c = hs.compare(KINDS[kind](), "a", "b", metric="prevalence", tolerance=0.2)
    low, high = c.difference.interval()
    assert (c.difference.mean, c.difference.std, low, high) == (0.0, 0.0, 0.0, 0.0)
    assert c.verdict == "a and b have the same prevalence"
