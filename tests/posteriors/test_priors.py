"""Priors: how much weight each puts on the cells, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure as hs
from howsure.errors import BadSetting, UnknownName
from howsure.posteriors import priors

COUNTS = {"tp": 8, "fp": 2, "fn": 3, "tn": 87}
T = hs.Tally.binary(**COUNTS)
THREE = hs.Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 3, 9]], labels=["a", "b", "c"])
sizes = st.integers(2, 30)


# -- weights ------------------------------------------------------------------------------------------------------


@given(sizes)
def test_even_weighs_right_and_wrong_alike(k):
    """At any number of classes even puts weight 1 on right answers and 1 on wrong ones, shared equally."""
    w = priors.make("even").cells(k)
    off = w[~np.eye(k, dtype=bool)]
    assert np.trace(w) == pytest.approx(1)
    assert off.sum() == pytest.approx(1)
    assert np.ptp(np.diag(w)) == np.ptp(off) == 0
    assert priors.make("even").right_wrong(k) == (1, 1)
    assert priors.make("even").total(k) == 2


def test_even_is_jeffreys_at_two_classes():
    """With two classes even is half an item in each cell."""
    np.testing.assert_allclose(priors.make("even").cells(2), priors.make("jeffreys").cells(2))


@pytest.mark.parametrize(
    ("given_as", "weight"),
    [
        ("jeffreys", 0.5),
        ("uniform", 1.0),
        (0.25, 0.25),
        (3, 3.0),
        (np.float64(0.5), 0.5),
        (np.int64(2), 2.0),
        ("0.7", 0.7),
    ],
)
@pytest.mark.parametrize("k", [2, 5])
def test_flat_priors_weigh_every_cell_alike(given_as, weight, k):
    """A name or a number is one weight for all cells of a table of any size."""
    prior = priors.make(given_as)
    np.testing.assert_array_equal(prior.cells(k), np.full((k, k), weight))
    assert prior.total(k) == pytest.approx(weight * k * k)


@pytest.mark.parametrize("name", ["Even", " JEFFREYS ", "two_level", "Two-Level", "uniform"])
def test_case_and_underscores_are_forgiven(name):
    """Names of priors are read as names of metrics are."""
    assert priors.make(name) == priors.make(name.strip().lower().replace("_", "-"))


def test_four_weights_are_tp_fp_fn_tn():
    """Four numbers go to the cells of those names, whichever class is positive."""
    for positive in (0, 1):
        p = hs.posterior(T.with_positive(positive), [1, 2, 3, 4])
        c = {name: getattr(p.evidence, name) for name in COUNTS}
        assert p["precision"].mean == pytest.approx((c["tp"] + 1) / (c["tp"] + c["fp"] + 3))
        assert p["npv"].mean == pytest.approx((c["tn"] + 4) / (c["tn"] + c["fn"] + 7))


def test_a_square_of_weights_has_truth_by_rows():
    """A table of weights is laid out as the table of counts, truth by rows."""
    w = np.array([[4.0, 2.0], [3.0, 1.0]])  # tn fp / fn tp
    np.testing.assert_array_equal(priors.make(w).cells(2), w)
    assert hs.posterior(T, w)["f1"].mean == pytest.approx(hs.posterior(T, [1, 2, 3, 4])["f1"].mean)
    swapped = hs.posterior(T.with_positive(0), w)["recall"].mean
    assert swapped == pytest.approx((87 + 4) / (87 + 2 + 4 + 2))


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_a_square_of_weights_collapses_with_its_classes(label):
    """A class against the rest gets the weights that collapse with the counts."""
    w = np.arange(1.0, 10.0).reshape(3, 3)
    i = "abc".index(label)
    counts = THREE.versus_rest(label)
    tp = counts.tp + w[i, i]
    assert hs.posterior(THREE, w)[f"recall:{label}"].mean == pytest.approx(tp / (tp + counts.fn + w[i].sum() - w[i, i]))
    assert hs.posterior(THREE, w)[f"precision:{label}"].mean == pytest.approx(
        tp / (tp + counts.fp + w[:, i].sum() - w[i, i])
    )


@pytest.mark.parametrize("name", ["even", "jeffreys", "uniform", 0.3])
@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_a_class_has_the_posterior_of_its_own_table(name, label):
    """f1:spam is what a user gets who collapses the table to spam against the rest first."""
    whole = hs.posterior(THREE, name)[f"f1:{label}"]
    alone = hs.posterior(THREE.versus_rest(label), name)["f1"]
    assert whole.mean == pytest.approx(alone.mean, rel=1e-12)
    assert whole.interval() == alone.interval()


@pytest.mark.parametrize(("prior", "mean"), [("even", 4 / 7), ("jeffreys", 3.5 / 6), ("uniform", 4 / 7), (2, 5 / 9)])
def test_outcomes_have_a_weight_a_side(prior, mean):
    """A rate of 3 in 5 has Beta(3 + w, 2 + w) as its posterior."""
    assert hs.posterior(hs.Tally.rate(hits=3, of=5), prior)["rate"].mean == pytest.approx(mean)


def test_even_is_one_rule_for_rate_accuracy_and_tables():
    """Rate, accuracy of two classes and accuracy of many agree on the same items."""
    rate = hs.posterior(hs.Tally.rate(hits=21, of=28))["rate"]
    three = hs.posterior(THREE)["accuracy"]
    two = hs.posterior(hs.Tally.binary(tp=10, fp=4, fn=3, tn=11))["accuracy"]
    for x in (0.5, 0.75, 0.9):
        assert rate.cdf(x) == pytest.approx(three.cdf(x), rel=1e-12) == pytest.approx(two.cdf(x), rel=1e-12)


def test_two_level_weighs_rows_and_shares():
    """Under two_level recall is Beta(tp + within, fn + within), prevalence Beta(positives + between, ...)."""
    p = hs.posterior(T, hs.two_level(within=2, between=5))
    assert p["recall"].mean == pytest.approx((8 + 2) / (11 + 4))
    assert p["specificity"].mean == pytest.approx((87 + 2) / (89 + 4))
    assert p["prevalence"].mean == pytest.approx((11 + 5) / (100 + 10))
    assert hs.two_level().name == "two-level(1, 1)"
    assert hs.two_level().two_level
    assert not priors.make("even").two_level


# -- an earlier posterior -----------------------------------------------------------------------------------------

tables = st.fixed_dictionaries({name: st.integers(0, 1000) for name in COUNTS})


@given(tables, tables, st.sampled_from(["even", "jeffreys", "uniform", 0.1]))
def test_an_earlier_posterior_is_a_prior(first, second, prior):
    """Updating on one table and then another is the posterior of both at once, in either order."""
    a, b = hs.Tally.binary(**first), hs.Tally.binary(**second)
    both = hs.posterior(a + b, prior)
    for chained in (
        hs.posterior(b, hs.posterior(a, prior)),
        hs.posterior(a, hs.posterior(b, prior)),
        hs.posterior(a, prior).update(b),
    ):
        assert chained["f1"].mean == both["f1"].mean
        assert chained["recall"].ppf(0.025) == both["recall"].ppf(0.025)


def test_update_leaves_the_earlier_one_alone():
    """An update returns a new posterior."""
    p = hs.posterior(T)
    before = p["f1"].mean
    p.update(T)
    assert p["f1"].mean == before
    assert p.evidence == T


# -- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0, -1, 0.0, float("nan"), float("inf"), "0", "-2", "nan", "inf"])
def test_a_prior_needs_weight(weight):
    """A weight of 0 or below, or one that is not finite, is refused."""
    with pytest.raises(BadSetting, match="must be a weight above 0"):
        hs.posterior(T, weight)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2, 3], r"shape \(3,\)"),
        ([[1, 2, 3], [4, 5, 6]], r"shape \(2, 3\)"),
        ([1, 1, 1, 0], "above 0, from 1e-6 to 1e12, in every cell"),
        ([1, 1, 1, float("nan")], "above 0, from 1e-6 to 1e12, in every cell"),
        ([[1, 1], [-1, 1]], "above 0, from 1e-6 to 1e12, in every cell"),
        ({"tp": 1}, "a prior must be a name, a number, an array of weights or a posterior"),
        (None, "a prior must be a name, a number"),
        (True, "a prior must be a name, a number"),
    ],
)
def test_bad_arrays_of_weights_are_refused(weights, message):
    """An array of weights must be four numbers or a square, all above 0."""
    with pytest.raises(BadSetting, match=message):
        hs.posterior(T, weights)


@pytest.mark.parametrize("within", [0, -1, float("nan")])
def test_two_level_needs_weight(within):
    """Both weights of the two-level prior are checked by name."""
    with pytest.raises(BadSetting, match="within must be a weight above 0"):
        hs.two_level(within=within)
    with pytest.raises(BadSetting, match="between must be a weight above 0"):
        hs.two_level(between=within)


@pytest.mark.parametrize(("name", "hint"), [("jefreys", "jeffreys"), ("unifrom", "uniform"), ("evn", "even")])
def test_unknown_priors_get_a_hint(name, hint):
    """A misspelled prior gets the nearest name."""
    with pytest.raises(UnknownName, match=f"no prior named '{name}'. Did you mean '{hint}'"):
        hs.posterior(T, name)


def test_a_square_of_the_wrong_size_is_refused():
    """A table of weights must have the classes of the data."""
    with pytest.raises(BadSetting, match="3 x 3 weights but the table has 2 classes"):
        _ = hs.posterior(T, np.ones((3, 3)))["f1"]
    with pytest.raises(BadSetting, match="2 x 2 weights but the table has 3 classes"):
        _ = hs.posterior(THREE, np.ones((2, 2)))["accuracy"]


def test_a_square_of_weights_does_not_fit_outcomes():
    """Outcomes have two cells; a table of weights is refused."""
    with pytest.raises(BadSetting, match="does not fit outcomes"):
        _ = hs.posterior(hs.Tally.rate(hits=1, of=2), [1, 1, 1, 1])["rate"]


# -- faults found once, held down ----------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_a_square_of_the_wrong_size_is_refused_for_a_class_too(label):
    """Four weights do not fit three classes, whichever class is asked for."""
    with pytest.raises(BadSetting, match="3 classes"):
        _ = hs.posterior(THREE, [1, 1, 1, 1])[f"f1:{label}"]


def test_posteriors_of_different_weights_differ():
    """Equality of posteriors sees the weights of the prior."""
    assert hs.posterior(T, [1, 1, 1, 1]) != hs.posterior(T, [9, 9, 9, 9])


def test_a_prior_does_not_change_with_the_array_it_was_made_from():
    """Writing to the array afterwards leaves the posterior as it was."""
    w = np.ones((2, 2))
    p = hs.posterior(T, w)
    w[:] = 1000
    assert p["recall"].mean == pytest.approx(9 / 13)


@pytest.mark.parametrize("prior", ["jeffreys", "uniform", 0.3])
def test_every_prior_weighs_wrong_answers(prior):
    """Even when a single class occurs, an answer can be wrong, so accuracy is never certain."""
    assert priors.make(prior).right_wrong(1)[1] > 0


def test_settings_apply_after_an_earlier_posterior():
    """seed= and tolerance= given with an earlier posterior are used."""
    p = hs.posterior(T, hs.posterior(T), seed=5, tolerance=0.5)
    assert (p.seed, p.tolerance) == (5, 0.5)
