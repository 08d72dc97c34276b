"""Many classes: point scores, notes, closed forms, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import howsure as hs
from howsure.catalogue import DEFAULT_BINARY, parse

POWERS = [[50, 3, 2], [10, 20, 5], [5, 2, 3]]
THREE = hs.Tally.matrix(POWERS, labels=["a", "b", "c"])
FIG_3 = [[145, 1, 2, 1, 0], [5, 256, 22, 9, 6], [5, 24, 234, 36, 19], [1, 18, 32, 243, 25], [1, 5, 9, 38, 254]]


def point(t: hs.Tally, name: str) -> float:
    return float(hs.posterior(t).point(name))


def answers(k: int, seed: int, lost: tuple[int, ...] = (), unasked: tuple[int, ...] = ()):
    """Truths without the classes of `lost` and answers without those of `unasked`, half of them right."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    truth = rng.choice([j for j in range(k) if j not in lost], n)
    other = rng.choice([j for j in range(k) if j not in unasked], n)
    copied = (rng.random(n) < 0.5) & ~np.isin(truth, unasked)
    return truth, np.where(copied, truth, other)


def held(k: int, truth, answer) -> hs.Tally:
    """The tally with no positive class, two classes or more."""
    return hs.tally(truth, answer, labels=list(range(k))).with_positive(None)


BASES = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f2": lambda *a, **o: sk.fbeta_score(*a, beta=2, **o),
    "jaccard": sk.jaccard_score,
}
# classes, seed, classes without a true item, classes without an answer
CASES = [(k, k, (), ()) for k in range(2, 13)]
CASES += [(3, 31, (2,), ()), (4, 32, (), (1,)), (5, 33, (0,), (0,)), (7, 34, (1, 4), (4, 6)), (12, 35, (3, 11), (3,))]
CASES += [(2, 36, (1,), ()), (2, 37, (), (0,))]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("kind", ["micro", "macro", "weighted"])
def test_averages_are_those_of_scikit_learn(kind, case):
    """Micro, macro and weighted averages, labels absent from truth, from answers or from both; 0/0 counts as 0."""
    k, seed, lost, unasked = case
    truth, answer = answers(k, seed, lost, unasked)
    t = held(k, truth, answer)
    for name, theirs in BASES.items():
        want = theirs(truth, answer, labels=range(k), average=kind, zero_division=0)
        got = point(t, f"{kind}-{name}")
        assert got == pytest.approx(want, abs=1e-12), name


@pytest.mark.parametrize("case", [c for c in CASES if not c[2] and not c[3]], ids=str)
def test_measures_of_all_classes_are_those_of_scikit_learn(case):
    """Accuracy, balanced accuracy, kappa and R_K."""
    k, seed, _, _ = case
    truth, answer = answers(k, seed)
    t = held(k, truth, answer)
    assert point(t, "accuracy") == pytest.approx(sk.accuracy_score(truth, answer), abs=1e-12)
    assert point(t, "error-rate") == pytest.approx(1 - sk.accuracy_score(truth, answer), abs=1e-12)
    assert point(t, "balanced-accuracy") == pytest.approx(sk.balanced_accuracy_score(truth, answer), abs=1e-12)
    assert point(t, "kappa") == pytest.approx(sk.cohen_kappa_score(truth, answer), abs=1e-12)
    assert point(t, "mcc") == pytest.approx(sk.matthews_corrcoef(truth, answer), abs=1e-12)


@pytest.mark.parametrize("case", [c for c in CASES if c[0] > 2 and (c[2] or c[3])], ids=str)
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
def test_absent_classes_do_not_count_in_balanced_accuracy(case):
    """Balanced accuracy is the mean over classes that occur, and kappa and R_K do not see a class that does not."""
    k, seed, lost, unasked = case
    truth, answer = answers(k, seed, lost, unasked)
    t = held(k, truth, answer)
    assert point(t, "balanced-accuracy") == pytest.approx(sk.balanced_accuracy_score(truth, answer), abs=1e-12)
    assert point(t, "kappa") == pytest.approx(sk.cohen_kappa_score(truth, answer), abs=1e-12)
    assert point(t, "mcc") == pytest.approx(sk.matthews_corrcoef(truth, answer), abs=1e-12)


def test_informedness_and_markedness_of_many_classes():
    """Powers: weighted by bias and by prevalence."""
    assert point(THREE, "informedness") == pytest.approx(0.5200910201, abs=5e-11)
    assert point(THREE, "markedness") == pytest.approx(0.5767277167, abs=5e-11)


def test_two_definitions_of_macro_f1():
    """The mean of F1 and the F1 of means are different numbers, with different posteriors."""
    a, b = point(THREE, "macro-f1"), point(THREE, "f1-of-means")
    p, r = (point(THREE, f"macro-{x}") for x in ("precision", "recall"))
    assert b == pytest.approx(2 * p * r / (p + r), abs=1e-15)
    assert abs(a - b) > 0.005
    d = hs.posterior(THREE, tolerance=0.05)
    assert abs(d["macro-f1"].mean - d["f1-of-means"].mean) > 3 * (d["macro-f1"].mean_error())


@pytest.mark.parametrize("prior", ["even", "jeffreys", 0.3])
def test_a_class_is_what_it_is_when_collapsed_first(prior):
    """Rows of the default table, f1:b, and hs.score of the 2x2 table have the same numbers."""
    rows = {row["metric"]: row for row in hs.score(THREE, prior=prior, tolerance=0.3).to_dict()["rows"]}
    p = hs.posterior(THREE, prior)
    for label in "abc":
        alone = hs.score(THREE.versus_rest(label), metrics=["precision", "recall", "f1"], prior=prior).to_dict()
        for row in alone["rows"]:
            mine = rows[f"{row['metric']}:{label}"]
            for key in ("score", "mean", "std", "median", "mode", "low", "high"):
                assert mine[key] == pytest.approx(row[key], rel=1e-11)
            assert mine["route"] == "closed form"
            assert p[f"{row['metric']}:{label}"].mean == pytest.approx(row["mean"], rel=1e-12)


@pytest.mark.parametrize("k", [3, 4, 10])
def test_accuracy_is_a_beta(k):
    """Accuracy and the micro averages are Beta(right + 1, wrong + 1) under even, whatever the number of classes."""
    t = held(k, *answers(k, 50 + k))
    right, wrong = (float(x) for x in t.right_wrong())
    law = stats.beta(right + 1, wrong + 1)
    for name in ("accuracy", "micro-f1", "micro-precision", "micro-recall"):
        d = hs.posterior(t)[name]
        assert d.route == "closed form"
        assert d.mean == pytest.approx(law.mean(), rel=1e-13)
        assert tuple(d.interval()) == pytest.approx(law.ppf([0.025, 0.975]), rel=1e-11)
    jaccard = hs.posterior(t)["micro-jaccard"]  # a/(2 - a)
    assert jaccard.cdf(0.3) == pytest.approx(law.cdf(0.6 / 1.3), rel=1e-11)


def test_averages_of_two_classes_are_written_out():
    """At K = 2 macro-recall is balanced accuracy, exactly; micro-f1 is accuracy; macro-f1 is its own 2x2 formula."""
    tp, fp, fn, tn = hs.cells
    t = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
    p = hs.posterior(t)
    both = p["macro-recall"], p["balanced-accuracy"]
    assert [d.route for d in both] == ["quadrature", "quadrature"]
    assert tuple(both[0].interval()) == pytest.approx(tuple(both[1].interval()), rel=1e-12)
    assert tuple(p["micro-f1"].interval()) == pytest.approx(tuple(p["accuracy"].interval()), rel=1e-12)
    mine = hs.Metric("mine", (2 * tp / (2 * tp + fp + fn) + 2 * tn / (2 * tn + fp + fn)) / 2)
    np.testing.assert_allclose(p["macro-f1"].draws(500, seed=3), p[mine].draws(500, seed=3), rtol=1e-12)
    truth = np.repeat([0, 0, 1, 1], [870, 20, 30, 80])
    answer = np.repeat([0, 1, 0, 1], [870, 20, 30, 80])
    for kind in ("macro", "weighted"):
        assert point(t, f"{kind}-f1") == pytest.approx(sk.f1_score(truth, answer, average=kind), abs=1e-12)


# -- two levels


def test_two_levels_are_exact_where_they_can_be():
    """Recall, miss rate and prevalence of a class are Beta; the mean of accuracy is closed; the rest is sampled."""
    t, c = hs.Tally.matrix(FIG_3), np.array(FIG_3)
    p = hs.posterior(t, hs.two_level(within=0.7, between=2), tolerance=0.1)
    n = c.sum(axis=1)
    for j in range(5):
        own = stats.beta(c[j, j] + 0.7, n[j] - c[j, j] + 4 * 0.7)
        share = stats.beta(n[j] + 2, n.sum() - n[j] + 8)
        assert tuple(p[f"recall:{j}"].interval()) == pytest.approx(own.ppf([0.025, 0.975]), rel=1e-11)
        assert p[f"miss-rate:{j}"].mean == pytest.approx(1 - own.mean(), rel=1e-12)
        assert tuple(p[f"prevalence:{j}"].interval()) == pytest.approx(share.ppf([0.025, 0.975]), rel=1e-11)
    mean = float(np.sum((n + 2) / (n.sum() + 10) * (np.diagonal(c) + 0.7) / (n + 5 * 0.7)))
    for name in ("accuracy", "micro-f1", "micro-recall"):
        assert p[name].mean == pytest.approx(mean, rel=1e-13)
        assert p[name].mean_error() < 1e-14
        x = p[name].draws(20_000, seed=5)
        assert abs(x.mean() - mean) < 4 * x.std() / np.sqrt(x.size)
    assert p["f1:0"].route == p["macro-f1"].route == "sampled"


def test_two_levels_of_two_classes():
    """Recall and specificity are those of the uniform prior; prevalence counts the classes."""
    t = hs.Tally.matrix([[870, 20], [30, 80]], positive=1)
    p = hs.posterior(t, hs.two_level())
    assert p["recall"].mean == pytest.approx(81 / 112, rel=1e-12)
    assert p["specificity"].mean == pytest.approx(871 / 892, rel=1e-12)
    assert p["prevalence"].mean == pytest.approx(111 / 1002, rel=1e-12)


# -- what is said


def test_empty_classes_are_said():
    """A class without a true item and a class without an answer each get a sentence; the posterior is there."""
    r = hs.score(hs.Tally.matrix([[5, 0, 1], [0, 0, 0], [2, 0, 4]], labels=["a", "b", "c"]), tolerance=0.1)
    said = [note.text for note in r.notes if note.code == "empty-class"]
    assert said == [
        f"class 'b' has no {what}: its numbers come from the prior alone, and it counts as a class in every average"
        for what in ("true item", "answer")
    ]
    two = hs.score(hs.Tally.matrix([[5, 0, 0], [0, 0, 0], [0, 0, 0]], labels=["a", "b", "c"]), tolerance=0.1)
    said = [note.text for note in two.notes if note.code == "empty-class"]
    assert said == [
        f"classes 'b', 'c' have no {what}: their numbers come from the prior alone, and each counts as a class "
        "in every average"
        for what in ("true item", "answer")
    ]
    rows = {row["metric"]: row for row in r.to_dict()["rows"]}
    assert rows["recall:b"]["score"] is None
    assert (rows["recall:b"]["low"], rows["recall:b"]["high"]) == pytest.approx((0.00154, 0.99846), abs=1e-5)
    assert 0 < rows["macro-f1"]["low"] < rows["macro-f1"]["high"] < 1
    json.dumps(r.to_dict(), allow_nan=False)


def test_an_empty_table_gives_the_prior_back():
    """No item at all: every number is the prior's, none is NaN, and the note says so."""
    r = hs.score(hs.Tally.matrix(np.zeros((3, 3), dtype=int)), tolerance=0.1)
    rows = {row["metric"]: row for row in r.to_dict()["rows"]}
    assert rows["accuracy"]["mean"] == 0.5
    assert 0.2 < rows["macro-f1"]["mean"] < 0.6
    assert "no-data" in {note.code for note in r.notes}
    for prior in ("jeffreys", hs.two_level()):
        assert (
            0.2
            < hs.posterior(hs.Tally.matrix(np.zeros((4, 4), dtype=int)), prior, tolerance=0.2)["macro-f1"].mean
            < 0.4
        )


def test_missing_answers_are_wrong_for_every_class():
    """They lower recall of their class and precision of the others, never right; accuracy counts them wrong."""
    truth, answer = list("aabbccab"), ["a", None, "b", "c", "c", None, "a", "b"]
    t = hs.tally(truth, answer, missing="wrong")
    right, wrong = t.right_wrong()
    assert (right, wrong) == (5, 3)
    cells = t.by_class()
    assert cells["fn"].tolist() == [1, 1, 1]
    assert cells["fp"].tolist() == [1, 2, 2]  # the two missing answers are false alarms of each class but their own
    for i, label in enumerate("abc"):
        assert {k: int(v) for k, v in t.versus_rest(label).named().items()} == {k: int(v[i]) for k, v in cells.items()}
    p = hs.posterior(t, tolerance=0.1)
    assert p["accuracy"].mean == pytest.approx(6 / 10)
    x = p["macro-f1"].draws(4000)
    assert 0 < x.min() < x.max() <= 1
    x = p["weighted-f1"].draws(4000)
    assert 0 < x.min() < x.max() <= 1


def test_weighted_items_have_their_effective_size():
    """Equal weights change nothing but the note; unequal ones widen, by Kish's size; scores are scikit-learn's."""
    truth, answer = answers(4, 9)
    plain = hs.posterior(held(4, truth, answer), tolerance=0.1)
    doubled = hs.posterior(hs.tally(truth, answer, labels=range(4), weight=np.full(truth.size, 2.0)), tolerance=0.1)
    assert doubled["accuracy"].mean == pytest.approx(plain["accuracy"].mean, rel=1e-12)
    np.testing.assert_allclose(doubled["macro-f1"].draws(200), plain["macro-f1"].draws(200), rtol=1e-9)
    weight = np.random.default_rng(3).gamma(0.5, size=truth.size) + 0.01
    uneven = hs.posterior(hs.tally(truth, answer, labels=range(4), weight=weight), tolerance=0.1)
    assert point(uneven.evidence, "macro-f1") == pytest.approx(
        sk.f1_score(truth, answer, average="macro", sample_weight=weight), abs=1e-12
    )
    assert uneven["macro-f1"].std > 1.2 * plain["macro-f1"].std
    right = np.array([truth == answer, truth != answer])
    unit = (weight**2).sum() / weight.sum()  # of the prior's items, one right and one wrong
    mean, variance = right @ weight + unit, right @ weight**2 + unit**2
    x = np.random.default_rng(4).gamma((mean**2 / variance)[:, None], (variance / mean)[:, None], (2, 400_000))
    assert uneven["accuracy"].mean == pytest.approx((x[0] / x.sum(axis=0)).mean(), abs=4e-4)
    assert "weighted" in {note.code for note in uneven["macro-f1"].notes}


def test_one_class_is_not_many():
    """Agreement beyond chance needs two classes; accuracy, the one class and averages over it do not."""
    p = hs.posterior(hs.tally(["a", "a", "a"], ["a", "a", "a"]))
    with pytest.raises(hs.HowsureError, match=r"kappa needs two classes or more; only 'a' occurs\. Give labels="):
        p["kappa"]
    assert "kappa" not in p
    assert p["accuracy"].mean == pytest.approx(4 / 5)
    assert p["recall:a"].mean == pytest.approx(3.5 / 4)
    assert p["macro-recall"].mean == p["recall:a"].mean


def test_cell_draws_of_many_classes():
    """p.draws: cells of each class against the rest, shares that add to 1; rows add up over classes."""
    p = hs.posterior(THREE)
    x = p.draws(3000, seed=2)
    assert {k: v.shape for k, v in x.items()} == dict.fromkeys(("tp", "fp", "fn", "tn"), (3000, 3))
    np.testing.assert_allclose(sum(x.values()), 1.0, rtol=1e-12)
    np.testing.assert_allclose((x["tp"] + x["fn"]).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose((x["tp"] + x["fp"]).sum(axis=1), 1.0, rtol=1e-12)
    right = x["tp"].sum(axis=1)
    assert right.mean() == pytest.approx(74 / 102, abs=4 * right.std() / np.sqrt(3000))
    np.testing.assert_array_equal(p.draws(3000, seed=2)["tp"], x["tp"])
    with pytest.raises(hs.HowsureError, match="one system"):
        hs.posterior(hs.tally(list("abc"), {"x": list("abb"), "y": list("abc")})).draws(3)


def test_a_positive_class_among_many_keeps_averages():
    """With a positive class f1 is of that class, and macro-f1 is still of all."""
    p = hs.posterior(THREE.with_positive("b"), tolerance=0.1)
    assert p["f1"].mean == p["f1:b"].mean
    np.testing.assert_array_equal(p["macro-f1"].draws(50), hs.posterior(THREE, tolerance=0.1)["macro-f1"].draws(50))


# -- bounds and ratios


def test_bounds_of_averages_hold_for_more_than_two_classes():
    """An average is never cut off at bounds that hold for two classes only: Σ prevalence² can be 1/K."""
    d = hs.posterior(hs.Tally.matrix(np.eye(4, dtype=int) * 25), tolerance=0.1)["weighted-prevalence"]
    assert 0.25 <= d.interval().low < d.interval().high < 0.3
    assert parse("macro-f1").bounds == (0.0, 1.0)
    assert parse("weighted-informedness").bounds == (-1.0, 1.0)


def test_a_ratio_is_not_shifted():
    """Averages without a bound keep their draws: an odds ratio's mean may not exist, so it cannot place them."""
    d = hs.posterior(hs.Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 3, 9]]), tolerance=0.05)["macro-odds-ratio"]
    assert d.interval().low > 1
    assert d.draws(2000).min() > 0


def test_a_batch_is_its_tables():
    """A batch of many-class tables has what each table has alone, measures of classes exactly."""
    tables = np.random.default_rng(2).integers(0, 20, (3, 4, 4))
    batch = hs.posterior(hs.Tally.matrix(tables), tolerance=0.2)
    each = hs.posterior(hs.Tally.matrix(tables).versus_each())["f1"].interval()
    for i, table in enumerate(tables):
        one = hs.posterior(hs.Tally.matrix(table), tolerance=0.2)
        assert batch["accuracy"].mean[i] == pytest.approx(one["accuracy"].mean, rel=1e-12)
        for j in range(4):
            assert batch[f"f1:{j}"].mean[i] == pytest.approx(one[f"f1:{j}"].mean, rel=1e-12)
            assert each.low[j, i] == pytest.approx(one[f"f1:{j}"].interval().low, rel=1e-11)
        error = batch["macro-f1"].mean_error()[i] + one["macro-f1"].mean_error()
        assert batch["macro-f1"].mean[i] == pytest.approx(one["macro-f1"].mean, abs=2 * error)


def test_the_table_of_classes_is_all_at_once():
    """The default table of 200 classes is three batched rows and three of the whole."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 200, 3000)
    z = np.where(rng.random(3000) < 0.7, y, rng.integers(0, 200, 3000))
    r = hs.score(hs.tally(y, z, labels=range(200)), tolerance=0.5)
    assert len(r.rows) == 6
    assert len(r.to_dict()["rows"]) == 603
    assert r["f1:17"].mean == pytest.approx(hs.posterior(r.posterior.evidence.versus_rest(17))["f1"].mean, rel=1e-12)


def test_the_report_of_a_positive_class_follows_from_its_four_cells():
    """With three classes a bare accuracy is of all of them: its table names the class."""
    t = hs.Tally.matrix([[145, 20, 2], [5, 256, 22], [5, 24, 234]], labels=["alt", "comp", "rec"], positive="rec")
    r = hs.score(t)
    cells = t.versus_rest("rec")
    two = hs.score(cells)
    own = [f"{m}:rec" if m in ("accuracy", "balanced-accuracy", "mcc") else m for m in DEFAULT_BINARY]
    assert [row.asked for row in r.rows] == own
    assert [float(row.score) for row in r.rows] == pytest.approx([float(row.score) for row in two.rows])
    assert not [n for n in r.notes if n.code == "of-all-classes"]
    (said,) = [n.text for n in hs.score(t, metrics=["accuracy", "phi", "f1", "macro-f1"]).notes if "classes" in n.code]
    assert said == "accuracy, phi are of all 3 classes together; accuracy:rec is of rec against the rest"
    assert "of-all-classes" not in {n.code for n in hs.score(cells, metrics=["accuracy"]).notes}


def test_a_measure_without_classical_tests_says_so():
    """In a sentence with one article."""
    y, a, b = ["x", "y", "z", "x"], ["x", "y", "z", "y"], ["x", "z", "z", "x"]
    c = hs.compare(hs.tally(y, {"a": a, "b": b}), metric="macro-f1")
    with pytest.raises(hs.HowsureError, match=r"^macro-f1 of Tally has no classical test\.$"):
        c.tests()
