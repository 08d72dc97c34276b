"""Two classes and a threshold: measures, best thresholds, triple points; against closed forms, grids, scikit-learn."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as sk

import howsure as hs
from howsure.errors import HowsureError
from howsure.relations import mixed, mixture, normal, uniform
from tests.tiers import examples, spread

BIMODAL = mixture(
    mixed((0.6, normal(0.35, 0.15)), (0.4, normal(0.85, 0.03))), normal(0.7, 0.2), prevalence=0.6, answer="below"
)
MODELS = [
    mixture(normal(1, 1), normal(-1, 1), prevalence=0.5),
    mixture(normal(1, 1), normal(-1, 2), prevalence=0.01),
    mixture(normal(0.4, 0.1), normal(0.6, 0.1), prevalence=0.5, answer="below"),
    BIMODAL,
    mixture(mixed((0.5, normal(0, 1)), (0.5, normal(8, 0.3))), normal(4, 1), prevalence=0.4),
    mixture(uniform(0.2, 1.2), uniform(0, 1), prevalence=0.4),
    mixture(uniform(0.2, 1.2), normal(0.3, 0.2), prevalence=0.4),
    mixture(np.round(np.random.default_rng(0).normal(1, 1, 50), 1), normal(0, 1), prevalence=0.3),
]  # fmt: skip
NAMES = (
    "accuracy",
    "f1",
    "f2",
    "informedness",
    "phi",
    "kappa",
    "fallout",
    "markedness",
    "jaccard",
    "macro-f1",
    "utility",
)


@pytest.mark.parametrize(("model", "name"), spread(range(len(MODELS)), NAMES))
def test_no_threshold_beats_the_best(model, name):
    """On 20,001 thresholds, at every break and beside it, no value is better; the best value is that of its place."""
    m = MODELS[model]
    top = m.best(name)
    ends = m.at()
    width = ends[-1] - ends[0]
    t = np.linspace(ends[0] - 0.3 * width, ends[-1] + 0.3 * width, 20_001)
    t = np.concatenate([t, *(np.nextafter(m._points.breaks, x) for x in (-np.inf, np.inf)), m._points.breaks])
    values = m.measure(name, t if m.answer == "above" else -t)
    better = 1 if name != "fallout" else -1
    assert np.nanmax(better * values) <= better * top.value + 1e-12
    if math.isfinite(top.low) and math.isfinite(top.high):
        beside = [top.threshold, *(np.nextafter(top.threshold, side) for side in (-np.inf, np.inf))]
        assert np.min(np.abs(m.measure(name, np.array(beside)) - top.value)) <= 1e-12


@pytest.mark.parametrize("prevalence", [0.5, 0.2, 0.03, 1e-6])
@pytest.mark.parametrize("answer", ["above", "below"])
def test_the_best_threshold_of_two_normal_classes_is_known(prevalence, answer):
    """Accuracy is best where the weighted densities cross, informedness where the densities do: to 1e-10."""
    sign = 1 if answer == "above" else -1
    m = mixture(normal(sign * 1.0, 1), normal(-sign * 1.0, 1), prevalence=prevalence, answer=answer)
    assert m.best("accuracy").threshold == pytest.approx(
        sign * 0.5 * math.log((1 - prevalence) / prevalence), abs=1e-10
    )
    assert m.best("informedness").threshold == pytest.approx(0, abs=1e-10)


def test_the_best_f1_is_where_its_derivative_is_0_in_forty_digits():
    """The threshold of the best F1 of two normal classes, solved by mpmath at 40 digits."""
    import mpmath as mp

    with mp.workdps(40):

        def f1(t):
            tp = mp.mpf("0.3") * (1 - mp.ncdf(t - 1))
            fp = mp.mpf("0.7") * (1 - mp.ncdf((t + mp.mpf("0.5")) / mp.mpf("0.8")))
            return 2 * tp / (tp + fp + mp.mpf("0.3"))

        root = mp.findroot(lambda t: mp.diff(f1, t), 0.3)
        expected, value = float(root), float(f1(root))
    m = mixture(normal(1, 1), normal(-0.5, 0.8), prevalence=0.3)
    top = m.best("f1")
    assert top.threshold == pytest.approx(expected, abs=1e-10)
    assert top.value == pytest.approx(value, abs=1e-14)


def test_the_higher_of_two_peaks_is_found():
    """A target of two modes has two peaks of accuracy; both are listed, the higher first, whichever side it is on."""
    for weight, where in ((0.7, 0), (0.3, 10)):
        m = mixture(mixed((weight, normal(0, 1)), (1 - weight, normal(10, 1))), normal(5, 1), prevalence=0.5)
        turned = mixture(m.positive, m.negative, prevalence=0.5, answer="below")
        found = {a: x.peaks("accuracy") for a, x in (("above", m), ("below", turned))}
        assert len(found["below"]) >= 2
        values = [p.value for p in found["below"]]
        assert values == sorted(values, reverse=True)
        top = found["below" if where == 0 else "above"][0]
        assert abs(top.threshold - where) < 5


@examples(20, 60)
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=30), st.lists(st.integers(0, 12), min_size=1, max_size=30),
    st.sampled_from(["f1", "accuracy", "balanced-accuracy", "phi"]),
)  # fmt: skip
def test_given_scores_agree_with_scikit_learn_at_every_threshold(pos, neg, name):
    """Scores of items with many ties: measures at all distinct scores and the best of them, against scikit-learn."""
    function = {"f1": sk.f1_score, "accuracy": sk.accuracy_score, "balanced-accuracy": sk.balanced_accuracy_score,
                "phi": sk.matthews_corrcoef}[name]  # fmt: skip
    m = mixture(np.array(pos) / 10, np.array(neg) / 10)
    y = np.r_[np.ones(len(pos)), np.zeros(len(neg))].astype(int)
    x = np.r_[pos, neg] / 10
    at = np.append(np.unique(x), 9.0)
    theirs = np.array([function(y, (x >= t).astype(int)) for t in at])
    ours = m.measure(name, at)
    known = ~np.isnan(ours)
    assert np.allclose(ours[known], theirs[known], atol=1e-12)
    if not known.any():
        with pytest.raises(HowsureError, match="has no value at any threshold"):
            m.best(name)
        return
    top = m.best(name)
    assert top.value == pytest.approx(np.max(theirs[known]), abs=1e-12)
    if math.isfinite(top.low) and math.isfinite(top.high):
        assert m.measure(name, top.threshold) == pytest.approx(top.value, abs=1e-12)


@pytest.mark.parametrize("m", MODELS[:5], ids=repr)
@pytest.mark.parametrize("name", ["precision", "f1", "phi", "kappa", "tetrachoric", "odds-ratio"])
def test_slopes_are_differences_of_the_measure(m, name):
    """The derivative by a complex step against a central difference."""
    t = m.at()[5:16]
    h = 1e-5 * (t[-1] - t[0])
    difference = (m.measure(name, t + h) - m.measure(name, t - h)) / (2 * h)
    size = np.maximum(1.0, np.abs(m.measure(name, t))) / (t[-1] - t[0])
    assert np.allclose(m.slope(name, t), difference, atol=2e-4 * np.max(size), rtol=2e-4)


def test_the_triple_point_needs_prevalence_one_half():
    """Recall = precision = accuracy at prevalence 1/2 (Alvarez 2.4); else only r = p, and a = 1 - 2λ(1 - r)."""
    laws = normal(0.4, 0.1), normal(0.6, 0.15)
    even = mixture(*laws, prevalence=0.5, answer="below").break_even()
    assert even.triple
    assert even.recall == pytest.approx(even.accuracy, abs=1e-13)
    for prevalence in (0.3, 0.7, 0.01):
        other = mixture(*laws, prevalence=prevalence, answer="below").break_even()
        assert not other.triple
        assert other.recall == pytest.approx(other.precision, abs=1e-12)
        assert other.accuracy == pytest.approx(1 - 2 * prevalence * (1 - other.recall), abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "prevalence", "constant"),
    [
        (uniform(0, 1), uniform(0.4, 1.4), 0.5, True),
        (uniform(0, 1), uniform(0.4, 1.2), 0.5, False),
        (uniform(0, 1), uniform(0.4, 1.4), 0.4, False),
        (uniform(0, 1), uniform(0.4, 0.9), 2 / 3, True),
    ],
)
def test_uniform_classes_have_constant_accuracy_only_with_equal_heights(a, b, prevalence, constant):
    """Equal priors take equal widths (erratum to Alvarez 4.3); else priors in proportion to widths."""
    m = mixture(a, b, prevalence=prevalence, answer="below")
    low, high = 0.4, min(a.high, b.high)
    span = m.flat("accuracy")
    assert bool(span) == constant
    if constant:
        assert span[0] == pytest.approx((low, high))
        if prevalence == 0.5:
            top = m.best("accuracy")
            assert (top.low, top.high) == pytest.approx((low, high))
        t = np.linspace(low, high, 9)
        curve = hs.tradeoff(accuracy=float(m.measure("accuracy", 0.7)), prevalence=prevalence)
        assert np.allclose(curve.precision(m.measure("recall", t)), m.measure("precision", t))


def test_recall_and_precision_rise_together_over_the_upper_mode():
    """Alvarez' figs 4 and 5 with the bimodal class as the target: from about .8 to .9, and nowhere else in sight."""
    inner = [s for s in BIMODAL.rising_together() if BIMODAL.measure("recall", s[1]) > 0.01]
    assert len(inner) == 1
    low, high = inner[0]
    assert (low, high) == (pytest.approx(0.8, abs=0.02), pytest.approx(0.9, abs=0.02))
    t = np.linspace(low, high, 30)
    assert (np.diff(BIMODAL.measure("precision", t)) > 0).all()
    assert (np.diff(BIMODAL.measure("recall", t)) > 0).all()
    for end, side in ((low, -1), (high, 1)):
        beside = np.array([end, end + side * 1e-3])
        assert np.diff(BIMODAL.measure("precision", beside))[0] * side < 0


@given(st.floats(-3, 3), st.floats(0.05, 0.95))
def test_eq_1_holds_at_every_threshold(t, prevalence):
    """The table of a threshold satisfies Alvarez' eq. 1, and its shares add to 1."""
    m = mixture(normal(1, 1), mixed((1, normal(-1, 2)), (2, uniform(-1, 1))), prevalence=prevalence)
    assert sum(m.table(t).values()) == pytest.approx(1)
    r, p, a = (m.measure(x, t) for x in ("recall", "precision", "accuracy"))
    assert prevalence * r + (prevalence + a - 1) * p == pytest.approx(2 * prevalence * p * r, abs=1e-12)


def test_a_measure_of_ones_own_has_a_best_threshold():
    """A Metric that is not in the catalogue, and one that is better low."""
    tp, fp, fn, tn = hs.cells
    mine = hs.Metric("mine", (tp - 3 * fp) / (tp + fp + fn + tn))
    m = mixture(normal(1, 1), normal(-1, 1), prevalence=0.5)
    assert m.best(mine).threshold == pytest.approx(math.log(3) / 2, abs=1e-10)
    assert m.best("error-rate").value == pytest.approx(1 - m.best("accuracy").value)


def test_turned_scores_and_answers_give_the_same():
    """Minus the scores with the answer below is the same model."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(1, 1, 80), rng.normal(0, 1, 90)
    one, two = mixture(a, b), mixture(-a, -b, answer="below")
    x, y = one.best("f1"), two.best("f1")
    assert (x.value, x.low, x.high) == (y.value, -y.high, -y.low)
    assert one.break_even().threshold == pytest.approx(-two.break_even().threshold)


def test_documents_are_finite_and_have_all_formats():
    """JSON has no NaN, infinite thresholds are null, every format is made."""
    for m in (*MODELS, mixture([1.0], [1.0]), mixture([0.9, 0.8], [0.1])):
        json.dumps(m.to_dict(), allow_nan=False)
        for text in (str(m), m.to_markdown(), m.to_latex(), m.to_csv(), m.to_html(), m._repr_html_()):
            assert "nan" not in text.lower()
        assert len(m.to_frame()) == 21


def test_rows_are_at_the_thresholds_that_were_asked_for():
    """thresholds= chooses the rows."""
    m = mixture(normal(1, 1), normal(-1, 1), prevalence=0.5, thresholds=[-1, 0, 1])
    assert [r["threshold"] for r in m.to_dict()["rows"]] == [-1, 0, 1]


def test_far_out_a_wider_law_takes_over():
    """Precision turns to 1 where recall is 1e-200: the negatives are further up, but their law is narrower."""
    positive = mixed((0.48, normal(1.89, 0.079)), (0.52, uniform(0.735, 1.058)))
    m = mixture(positive, mixed((0.3, normal(2.83, 0.046)), (0.7, uniform(1.38, 1.61))), prevalence=0.1)
    top = m.best("precision")
    assert top.value == pytest.approx(1)
    assert top.high == math.inf
    assert 0 < m.measure("recall", top.threshold) < 1e-100


part = st.one_of(
    st.builds(normal, st.floats(-3, 3), st.floats(0.05, 3)),
    st.builds(lambda a, w: uniform(a, a + w), st.floats(-3, 3), st.floats(0.1, 4)),
)
laws = st.lists(st.tuples(st.floats(0.1, 1), part), min_size=1, max_size=3).map(lambda parts: mixed(*parts))


@examples(10, 25)
@example(  # phi is highest just above a jump of the density: between the break and the next point of the grid
    mixed((1.0, normal(2.84375, 2.34375)), (0.375, normal(0.0, 2.25))),
    mixed((0.703125, normal(0.0, 2.765625)), (0.140625, uniform(0.84375, 1.1875))),
    0.175781,
    "phi",
)
@given(laws, laws, st.floats(0.02, 0.98), st.sampled_from(["accuracy", "f1", "phi", "precision"]))
def test_no_threshold_beats_the_best_of_any_mixed_laws(positive, negative, prevalence, name):
    """Random mixtures with several peaks and corners: 6,000 thresholds, the points looked at, and many near breaks."""
    m = mixture(positive, negative, prevalence=prevalence)
    at = np.sort(np.concatenate([m._points.at, m._points.breaks]))
    near = m._points.breaks[:, None] + 0.05 * np.linspace(-1, 1, 201) ** 3
    t = np.concatenate([at, 0.5 * (at[1:] + at[:-1]), near.ravel(), np.linspace(-12, 12, 6001)])
    values = np.asarray(m.measure(name, t))
    assert np.nanmax(values) <= m.best(name).value + 1e-11
