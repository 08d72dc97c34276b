"""Laws of weighted items: every part of a table has the effective size of its own items."""

from __future__ import annotations

import pickle

import mpmath as mp
import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.distributions.weights import gamma_of
from howsure.posteriors.weighing import weighed

MEASURES = (
    "precision", "recall", "specificity", "f1", "f2", "jaccard", "accuracy", "error-rate", "prevalence", "informedness",
    "markedness", "balanced-accuracy", "g-mean", "lr-plus", "lr-minus", "odds-ratio", "fowlkes-mallows", "a-measure",
    "utility(2,-1,0,0)", "phi", "kappa",
)  # fmt: skip
EXACT = MEASURES[:-2]
CELLS = ("tp", "fp", "fn", "tn")


def items(tp: int, fp: int, fn: int, tn: int) -> tuple[np.ndarray, np.ndarray]:
    y, z = np.repeat([[1, 1], [0, 1], [1, 0], [0, 0]], [tp, fp, fn, tn], axis=0).T
    return y, z


def uneven() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Items whose weights follow nothing, the truth and the answer at once."""
    y, z = items(60, 9, 14, 90)
    w = np.random.default_rng(5).exponential(size=y.size) * np.where(y == 1, 1.0, 4.0) * np.where(z == 1, 1.0, 2.5)
    return y, z, w


def test_recall_has_the_size_of_the_positive_items():
    """Positives of weight 1 beside negatives of weight 99, and the other way: 90 of 100 found is 90 of 100 found."""
    y, z = items(90, 5, 10, 95)
    plain = hs.posterior(hs.tally(y, z))["recall"].interval()
    assert plain == pytest.approx((0.8299, 0.9474), abs=1e-4)
    for weight in (np.where(y == 1, 1.0, 99.0), np.where(y == 1, 99.0, 1.0)):
        p = hs.posterior(hs.tally(y, z, weight=weight))
        assert p["recall"].interval() == plain
        assert p["specificity"].interval() == hs.posterior(hs.tally(y, z))["specificity"].interval()


@pytest.mark.parametrize("size", [0.1, 7.0, 1e-60, 1e60])
def test_equal_weights_are_no_weights(size):
    """To the last digit, and by the same route."""
    y, z = items(60, 9, 0, 90)
    plain, same = (hs.posterior(hs.tally(y, z, weight=w)) for w in (None, np.full(y.size, size)))
    for name in MEASURES:
        a, b = plain[name], same[name]
        assert (a.interval(), a.mean, a.route) == (b.interval(), b.mean, b.route), name


def test_equal_weights_are_no_weights_of_outcomes():
    ok = np.repeat([1, 0], [40, 3])
    frame = pd.DataFrame({"ok": ok, "w": np.full(43, 0.3)})
    plain, same = (hs.posterior(hs.tally(frame, outcome="ok", weight=w))["rate"] for w in (None, "w"))
    assert plain.interval() == same.interval()


@pytest.mark.parametrize("prior", ["even", "uniform", hs.two_level(1, 1)])
def test_only_ratios_of_weights_matter(prior):
    y, z, w = uneven()
    one, other = (hs.posterior(hs.tally(y, z, weight=x), prior) for x in (w, 1e40 * w))
    for name in MEASURES:
        assert other[name].interval() == pytest.approx(one[name].interval(), rel=1e-9), name


@pytest.mark.parametrize("name", EXACT)
def test_exact_laws_are_those_of_the_draws(name):
    """Cdf, mean and spread against draws of the Gammas themselves; the density against differences of the cdf."""
    y, z, w = uneven()
    p = hs.posterior(hs.tally(y, z, weight=w))
    law, n = p[name], 200_000
    assert law.route != "sampled"
    x = np.sort(p.resolve(name).draws(n, 11))
    for q in (0.025, 0.5, 0.975):
        assert abs(float(law.cdf(x[int(q * n)])) - q) < 4 * np.sqrt(q * (1 - q) / n)
    if name not in ("lr-plus", "odds-ratio"):  # their spread has no draws to be held to
        assert abs(law.mean - x.mean()) < 4 * x.std() / np.sqrt(n)
        assert law.std == pytest.approx(x.std(), rel=0.02)
    at, step = x[n // 3], 1e-5 * x.std()
    assert float(law.pdf(at)) == pytest.approx(float(law.cdf(at + step) - law.cdf(at - step)) / (2 * step), rel=1e-4)


def test_scaled_quotients_against_mpmath():
    """Precision by one incomplete beta, F1 and informedness by one integral of it, at 30 digits."""
    y, z, w = uneven()
    p = hs.posterior(hs.tally(y, z, weight=w))
    model = p.resolve("f1").model
    a, s = ({c: mp.mpf(float(x[c])) for c in CELLS} for x in (model.cells, model.scales))

    def beta_cdf(one, two, odds):
        return mp.betainc(one, two, 0, odds / (1 + odds), regularized=True)

    def density(one, two, v):
        return v ** (one - 1) * (1 - v) ** (two - 1) / mp.beta(one, two)

    with mp.workdps(30):
        t = mp.mpf(0.75)
        exact = beta_cdf(a["tp"], a["fp"], t / (1 - t) * s["fp"] / s["tp"])
        assert float(p["precision"].cdf(0.75)) == pytest.approx(float(exact), abs=1e-13)

        def f1_below(v):  # tp against fp and fn together, a share v of which is fp
            odds = t / (2 * (1 - t)) * (v * s["fp"] + (1 - v) * s["fn"]) / s["tp"]
            return density(a["fp"], a["fn"], v) * beta_cdf(a["tp"], a["fp"] + a["fn"], odds)

        exact = mp.quad(f1_below, mp.linspace(0, 1, 9))
        assert float(p["f1"].cdf(0.75)) == pytest.approx(float(exact), abs=1e-11)

        def informed_below(v):  # v: the Beta behind specificity
            specificity = s["tn"] * v / (s["tn"] * v + s["fp"] * (1 - v))
            recall = t + 1 - specificity
            if recall >= 1:
                return density(a["tn"], a["fp"], v)
            return density(a["tn"], a["fp"], v) * beta_cdf(a["tp"], a["fn"], recall / (1 - recall) * s["fn"] / s["tp"])

        corner = t * s["fp"] / (s["tn"] * (1 - t) + t * s["fp"])
        exact = mp.quad(informed_below, [0, corner, (1 + corner) / 2, 0.9, 0.95, 1])
        assert float(p["informedness"].cdf(0.75)) == pytest.approx(float(exact), abs=1e-10)


def test_tables_of_a_batch_are_those_alone():
    y, z, w = uneven()
    by = np.random.default_rng(2).integers(0, 3, y.size)
    frame = {"y": y, "z": z, "w": w, "by": by}
    whole = hs.posterior(_sliced(frame))
    for name in ("precision", "f1", "informedness", "fowlkes-mallows", "odds-ratio"):
        low, high = whole[name].interval()
        mean, mode = whole[name].mean, whole[name].mode
        for j in range(3):
            alone = hs.posterior(hs.tally(y[by == j], z[by == j], weight=w[by == j]))[name]
            assert (low[j], high[j]) == pytest.approx(alone.interval(), rel=1e-9)
            assert mean[j] == pytest.approx(alone.mean, rel=1e-9)
            assert mode[j] == pytest.approx(alone.mode, rel=1e-4)  # found by search, and the top is flat


def _sliced(frame):
    return hs.tally(pd.DataFrame(frame), truth="y", pred="z", weight="w", by="by")


def test_parts_and_documents_carry_both_sums():
    """Halves added, JSON and pickles give the posterior of the whole."""
    y, z, w = uneven()
    t = hs.tally(y, z, weight=w)
    half = hs.tally(y[::2], z[::2], weight=w[::2]) + hs.tally(y[1::2], z[1::2], weight=w[1::2])
    expected = hs.posterior(t)["f1"].interval()
    for other in (half, hs.Tally.from_json(t.to_json()), pickle.loads(pickle.dumps(t))):
        assert hs.posterior(other)["f1"].interval() == pytest.approx(expected, rel=1e-12)


def test_items_of_the_prior_weigh_what_their_neighbours_foretell():
    """An empty cell: the row's weight where weights follow the truth, the column's where they follow the answer."""

    def scale(y, z, w):
        model = hs.posterior(hs.tally(y, z, weight=w)).resolve("f1").model
        return model.cells["fn"], model.scales["fn"] / model.scales["tp"]

    y, z = items(40, 10, 0, 50)
    assert scale(y, z, np.where(y == 1, 1.0, 20.0)) == pytest.approx((0.5, 1.0))
    assert scale(y, z, np.where(z == 1, 1.0, 20.0)) == pytest.approx((0.5, 20.0))
    y, z = items(40, 0, 0, 50)  # nothing to tell one from the other: the row
    assert scale(y, z, np.where(y == 1, 1.0, 20.0)) == pytest.approx((0.5, 1.0))
    shapes, scales = weighed({"tp": 3.0, "fp": 0.0, "fn": 0.0, "tn": 0.0}, dict.fromkeys(CELLS, 0.0) | {"tp": 6.0},
                             dict.fromkeys(CELLS, 0.5))  # fmt: skip
    assert [float(shapes[c]) for c in CELLS] == [2.0, 0.5, 0.5, 0.5]
    assert [float(scales[c]) for c in CELLS] == [1.0] * 4


def test_a_gamma_has_the_mean_and_variance_of_its_items():
    w = np.array([0.2, 3.0, 1.1, 1.1])
    shape, scale = gamma_of(w.sum(), (w**2).sum(), 0.5, np.asarray(2.0))
    assert shape * scale == pytest.approx(w.sum() + 1.0)
    assert shape * scale**2 == pytest.approx((w**2).sum() + 2.0)


# -- systems on the same items, and many classes


def paired() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [60, 140])
    return y, {name: np.where(rng.random(200) < good, y, 1 - y) for name, good in (("a", 0.85), ("b", 0.75))}


@pytest.mark.parametrize("metric", ["recall", "accuracy", "f1"])
def test_equal_weights_are_no_weights_of_two_systems(metric):
    y, answers = paired()
    plain, same = (hs.compare(y, answers, metric=metric, weight=w) for w in (None, np.full(200, 0.7)))
    assert (plain.p_better, plain.difference.interval()) == (same.p_better, same.difference.interval())


def test_paired_recall_has_the_size_of_the_positive_items():
    y, answers = paired()
    plain, follows = (hs.compare(y, answers, metric="recall", weight=w) for w in (None, np.where(y == 1, 1.0, 50.0)))
    assert follows.difference.interval() == pytest.approx(plain.difference.interval(), abs=1e-9)
    assert follows.p_better == pytest.approx(plain.p_better, abs=1e-9)


@pytest.mark.parametrize("metric", ["recall", "accuracy", "error-rate"])
def test_exact_differences_are_those_of_the_draws(metric):
    y, answers = paired()
    weight = np.random.default_rng(3).exponential(size=200) * np.where(y == 1, 1.0, 3.0)
    c = hs.compare(y, answers, metric=metric, weight=weight)
    p = hs.posterior(hs.tally(y, answers, weight=weight))
    x = p.resolve(metric).joint_draws(100_000, 5)
    gap = np.sort(x[:, 0] - x[:, 1])
    assert c.difference.route == "quadrature"
    for q in (0.025, 0.5, 0.975):
        assert abs(float(c.difference.cdf(gap[int(q * gap.size)])) - q) < 4 * np.sqrt(q * (1 - q) / gap.size)


@pytest.mark.parametrize("systems", [3, 7])
def test_recall_of_several_systems_has_the_size_of_the_positive_items(systems):
    """Draws of all systems at once, listed and by sticks, with weights that follow the truth."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [50, 150])
    answers = {f"s{i}": np.where(rng.random(200) < 0.7 + 0.03 * i, y, 1 - y) for i in range(systems)}
    plain, follows = (
        hs.posterior(hs.tally(y, answers, weight=w)).resolve("recall").joint_draws(40_000, 3)
        for w in (None, np.where(y == 1, 30.0, 1.0))
    )
    np.testing.assert_allclose(follows.mean(axis=0), plain.mean(axis=0), atol=0.003)
    np.testing.assert_allclose(np.cov(follows.T), np.cov(plain.T), rtol=0.1, atol=1e-4)


def many_classes(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(k)
    y = np.repeat(np.arange(k), rng.integers(15, 40, k))
    z = np.where(rng.random(y.size) < 0.75, y, rng.integers(0, k, y.size))
    return y, z, 5.0 ** (y % 3)


@pytest.mark.parametrize("k", [4, 12])
@pytest.mark.parametrize("prior", ["even", hs.two_level(1, 1), 0.3])
def test_measures_within_classes_do_not_see_weights_of_classes(k, prior):
    """Weights that follow the truth leave recalls, their mean and mistakes within a class as they are."""
    y, z, w = many_classes(k)
    plain, follows = (hs.posterior(hs.tally(y, z, weight=x), prior, tolerance=0.05) for x in (None, w))
    for c in (0, 1, k - 1):
        assert follows[f"recall:{c}"].interval() == pytest.approx(plain[f"recall:{c}"].interval(), abs=1e-9)
    a, b = plain["macro-recall"], follows["macro-recall"]
    assert b.mean == pytest.approx(a.mean, abs=0.1 * a.std)
    assert b.std == pytest.approx(a.std, rel=0.05)


def test_mistakes_have_the_size_of_their_class():
    y, z, w = many_classes(4)
    plain, follows = (hs.score(hs.tally(y, z, weight=x), metrics="accuracy").confusions for x in (None, w))
    known = {(c.truth, c.answer): c.share.interval() for c in plain}
    assert all(known[c.truth, c.answer] == pytest.approx(c.share.interval(), abs=1e-9) for c in follows)
    weight = np.random.default_rng(0).exponential(size=y.size)
    c = hs.score(hs.tally(y, z, weight=weight), metrics="accuracy").confusions[0]
    assert c.share.draws(100_000).mean() == pytest.approx(c.share.mean, abs=4 * c.share.std / 300)


@pytest.mark.parametrize("prior", ["even", hs.two_level(1, 1), 0.3])
def test_equal_weights_are_no_weights_of_many_classes(prior):
    y, z, _ = many_classes(5)
    plain, same = (hs.posterior(hs.tally(y, z, weight=x), prior) for x in (None, np.full(y.size, 0.3)))
    for name in ("macro-f1", "weighted-f1", "kappa", "accuracy", "f1:2"):
        assert plain[name].interval() == same[name].interval(), name


def test_weights_follow_the_point_score_of_many_classes():
    """The posterior lies around the weighted score, not around that of the counts."""
    y, z, w = many_classes(6)
    p = hs.posterior(hs.tally(np.tile(y, 20), np.tile(z, 20), weight=np.tile(w, 20)))
    for name in ("macro-f1", "weighted-f1", "kappa", "macro-precision"):
        q = p.resolve(name)
        assert abs(float(q.score) - q.distribution.mean) < 0.3 * q.distribution.std, name


# -- scores and graded values


def scores() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [40, 90])
    return y, y + rng.normal(size=130)


@pytest.mark.parametrize("prior", ["even", "none"])
def test_auc_has_the_sizes_of_both_classes(prior):
    """Weights that follow the truth leave AUC, recall and fallout at a threshold, and the ROC curve as they are."""
    y, s = scores()
    plain = hs.posterior(hs.curve(y, s).items, prior)
    names = ("auc", "recall@fallout=0.2", "recall@0.5")
    drawn = {name: plain.resolve(name).joint_draws(20_000, 1)[:, 0] for name in names}
    for weight in (np.where(y == 1, 1.0, 80.0), np.where(y == 1, 80.0, 1.0), np.full(130, 0.3)):
        follows = hs.posterior(hs.curve(y, s, weight=weight).items, prior)
        for name, one in drawn.items():
            other = follows.resolve(name).joint_draws(20_000, 1)[:, 0]
            assert other.mean() == pytest.approx(one.mean(), abs=0.05 * one.std()), name
            np.testing.assert_allclose(
                *(np.quantile(x, [0.025, 0.5, 0.975]) for x in (other, one)), atol=0.1 * one.std()
            )
        assert follows["auc"].mean == pytest.approx(plain["auc"].mean, rel=1e-9)


def test_weights_of_scores_are_merged_added_and_kept():
    """Rows that tie, halves put together, and pickles have the draws of the whole; those of old pickles are refused."""
    y, s = scores()
    s, w = np.round(s, 1), np.random.default_rng(9).exponential(size=130)
    whole = hs.curve(y, s, weight=w).items
    half = hs.curve(y[::2], s[::2], weight=w[::2]).items + hs.curve(y[1::2], s[1::2], weight=w[1::2]).items
    expected = hs.posterior(whole)["auc"].interval()
    for other in (half, whole.tidy, pickle.loads(pickle.dumps(whole))):
        assert hs.posterior(other)["auc"].interval() == pytest.approx(expected, rel=1e-9)
        assert other.squares.sum() == pytest.approx((w**2).sum())
    state = {k: v for k, v in whole.__getstate__().items() if k != "squares"}
    with pytest.raises(hs.HowsureError, match="earlier version"):
        whole.__class__.__new__(whole.__class__).__setstate__(state | {"square": 3.0})


def test_tables_at_thresholds_have_sums_of_their_own():
    y, s = scores()
    w = np.random.default_rng(9).exponential(size=130) * np.where(s > 0.5, 1.0, 6.0)
    at = hs.posterior(hs.curve(y, s, weight=w).items)["f1@0.5"]
    table = hs.posterior(hs.tally(y, (s >= 0.5).astype(int), weight=w))["f1"]
    assert at.interval() == pytest.approx(table.interval(), rel=1e-9)


def test_graded_values_of_0_and_1_are_a_rate():
    """The same Gammas on either way, whatever the weights follow."""
    rng = np.random.default_rng(2)
    ok = (rng.random(90) < 0.8).astype(int)
    for weight in (rng.exponential(size=90), np.where(ok == 1, 1.0, 9.0)):
        frame = pd.DataFrame({"ok": ok, "w": weight})
        rate = hs.posterior(hs.tally(frame, outcome="ok", weight="w"))["rate"]
        mean = hs.posterior(hs.graded(ok, bounds=(0, 1), weight=weight))["mean"]
        assert mean.interval() == pytest.approx(rate.interval(), abs=1e-9)


def test_very_many_weighted_values_go_together():
    """Neighbours in one group change nothing that can be seen."""
    rng = np.random.default_rng(7)
    v, w = rng.beta(2, 5, 9000), rng.exponential(size=9000)
    d = hs.posterior(hs.graded(v, weight=w), "none")["mean"]
    mean = (w * v).sum() / w.sum()
    std = np.sqrt((w**2 * (v - mean) ** 2).sum()) / w.sum()
    assert d.mean == pytest.approx(mean, abs=0.01 * std)
    assert d.std == pytest.approx(std, rel=0.002)
    assert tuple(d.interval()) == pytest.approx((mean - 1.96 * std, mean + 1.96 * std), abs=0.03 * std)


# -- what is said


def test_a_note_points_to_strata_where_weights_follow_truth_or_answer():
    """Weights that differ much between truths, or between answers, are often those of a stratified sample."""
    y, z = items(60, 20, 20, 100)
    rng = np.random.default_rng(3)
    noise = rng.uniform(0.5, 1.5, y.size)

    def said(weight):
        notes = hs.score(hs.tally(y, z, weight=weight), metrics="f1").notes
        return [n["what"] for n in notes if n.code == "weights-follow"]

    assert said(noise * np.where(y == 1, 1.0, 8.0)) == ["truth"]
    assert said(noise * np.where(z == 1, 8.0, 1.0)) == ["answer"]
    for weight in (noise, rng.exponential(size=y.size), np.ones(y.size), np.where(y == 1, 1.0, 1.5)):
        assert said(weight) == []
    c = hs.curve(y, z + rng.normal(size=y.size), weight=np.where(y == 1, 1.0, 30.0))
    assert "weights-follow" in [n.code for n in c["AP"].notes]
    text = next(n.text for n in c["AP"].notes if n.code == "weights-follow")
    assert ".stratified(sizes)" in text


def test_bands_of_weighted_scores_are_the_laws_at_their_thresholds():
    """Closed where two cells count; others take fewer thresholds, as measures without a closed form do."""
    y, s = scores()
    w = np.random.default_rng(1).exponential(size=130)
    c = hs.curve(y, s, weight=w)
    for name in ("precision", "f1"):
        band = c.band(name, points=5)
        for j, t in enumerate(band.x):
            alone = c[f"{name}@{t}"].interval(kind="equal-tailed")
            assert (band.low[j], band.high[j]) == pytest.approx(alone, abs=1e-7), name
