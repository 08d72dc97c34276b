"""Averages over classes run over those that occur in either column, as in scikit-learn, or over the labels given."""

from __future__ import annotations

import random
import warnings

import pytest

import howsure as hs
from tests.tiers import some

metrics = pytest.importorskip("sklearn.metrics")
SCORES = {"f1": metrics.f1_score, "precision": metrics.precision_score, "recall": metrics.recall_score}
POOLS = [[0, 1], [0, 1, 2], ["a", "b", "c"], [True, False], [-1, 1], ["a"], [1], [0], [2, 5]]


def peers(truth, pred, name, **more):
    average, base = name.split("-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SCORES[base](truth, pred, average=average, zero_division=0, **more)


def scored(truth, pred, name, **more):
    return [row["score"] for row in hs.score(truth, pred, metrics=[name], **more).to_dict()["rows"]]


@pytest.mark.parametrize("seed", some(range(40), 12))
def test_averages_of_small_cases_are_those_of_scikit_learn(seed):
    """One class only, classes that are never true or never predicted, one item: all as scikit-learn has them."""
    rng = random.Random(seed)
    pool, n = POOLS[seed % len(POOLS)], rng.randint(1, 5)
    truth, pred = ([rng.choice(pool) for _ in range(n)] for _ in range(2))
    for name in (f"{average}-{base}" for average in ("macro", "weighted", "micro") for base in SCORES):
        assert scored(truth, pred, name) == [pytest.approx(peers(truth, pred, name))], (truth, pred, name)


def test_one_class_is_its_own_average():
    """The interval of an average over one class is that of the class."""
    for truth in ([1, 1], [0, 0], ["a", "a"]):
        rows = hs.score(truth, truth, metrics=["macro-f1", f"f1:{truth[0]}"]).to_dict()["rows"]
        assert [row["score"] for row in rows] == [1, 1]
        assert rows[0]["low"] == rows[1]["low"] > 0.3


def test_labels_that_are_given_all_count():
    """labels= keeps classes that do not occur, as it does in scikit-learn."""
    for truth, labels in (([1, 1], [0, 1]), (["a", "b"], ["a", "b", "c"])):
        assert scored(truth, truth, "macro-f1", labels=labels) == [peers(truth, truth, "macro-f1", labels=labels)]
        assert scored(truth, truth, "macro-f1", labels=labels)[0] < 1


def test_a_slice_is_averaged_over_its_own_classes():
    """A class that a slice lacks does not lower its average, and the score lies within its interval."""
    truth = ["a", "b"] * 20 + ["c", "d", "e"] * 20
    pred = ["a", "b"] * 18 + ["b", "a"] * 2 + ["c", "d", "e"] * 16 + ["d", "e", "c"] * 4
    where = ["x"] * 40 + ["y"] * 60
    data = {"truth": truth, "pred": pred, "where": where}
    report = hs.score(data, truth="truth", pred="pred", by="where", metrics=["macro-f1"]).to_dict()["rows"]
    for row in report:
        here = [i for i, x in enumerate(where) if row["slice"] is None or x == row["slice"]["where"]]
        assert row["score"] == pytest.approx(peers([truth[i] for i in here], [pred[i] for i in here], "macro-f1"))
        assert row["low"] < row["score"] < row["high"]


def test_a_comparison_counts_the_same_classes_for_both():
    """A class that only one system answers counts for both, and the difference is that of the scores shown."""
    truth, odd = ["a", "b"] * 10, [*["a", "b"] * 9, "a", "z"]
    row = hs.compare(truth, {"one": truth, "two": odd}, metric="macro-f1").to_dict()["rows"][0]
    assert row["first"]["score"] == pytest.approx(2 / 3)
    assert row["difference"]["score"] == pytest.approx(row["first"]["score"] - row["second"]["score"])
    same = hs.compare([1, 1], {"one": [1, 1], "two": [1, 1]}, metric="macro-f1").to_dict()["rows"][0]
    assert same["first"]["score"] == 1


def test_items_with_several_labels():
    """Averages over labels, where items may have several of them, are those of scikit-learn too."""
    labels = ["a", "b", "c"]
    truth, pred = [{"a"}, {"a", "b"}, {"c"}], [{"a"}, {"b"}, set()]
    rows = [[[int(x in found) for x in labels] for found in side] for side in (truth, pred)]
    found = hs.score(hs.Tally.multilabel(truth, pred), metrics=["macro-f1"]).to_dict()["rows"][0]["score"]
    assert found == pytest.approx(peers(*rows, "macro-f1"))
