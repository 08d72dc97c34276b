"""Trade-off, mixture and surfaces at the edge of what they take: extremes, and options that would be lost."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import integrate, special

import howsure as hs
from howsure.catalogue.expressions import cells
from howsure.cli.app import app
from howsure.errors import BadSetting
from howsure.relations import break_even, eleven_point, mixed, mixture, normal, surface, uniform


def test_p_feasible_keeps_its_digits_where_accuracy_is_far_below_prevalence() -> None:
    """P(feasible) = P(reach >= r) - P(e > r); at recall 1 the first is P(tn > fn), which has a closed form."""
    t = hs.Tally.binary(tp=400, fp=10, fn=500, tn=90)
    band = hs.tradeoff(t)
    exact = special.betainc(500.5, 90.5, 0.5)  # P(fn/(fn + tn) < 1/2)
    assert 0 < exact < 1e-60
    assert band.p_feasible(1.0) == pytest.approx(exact, rel=1e-6, abs=0)


def test_p_feasible_by_an_integral_of_its_own() -> None:
    """Both tails: given recall x, e = x - fp/(tp + fn) and reach = x + tn/(tp + fn), fp and tn apart from x."""
    tp, fp, fn, tn = 30.5, 2.5, 60.5, 3.5
    r = 0.6

    def kept(x: float) -> float:
        # cells: positives P ~ Beta(91, 6); recall x ~ Beta(30.5, 60.5); share of fp among negatives ~ Beta(2.5, 3.5)
        def given(s: float) -> float:
            # e <= r: P(x - r) <= (1-P)s ; reach >= r: P(r - x) <= (1-P)(1-s)
            part = s if x > r else 1 - s
            most = part / (part + abs(x - r))
            return float(special.betainc(tp + fn, fp + tn, most) * s ** (fp - 1) * (1 - s) ** (tn - 1))

        inner = integrate.quad(given, 0, 1, epsabs=0, epsrel=1e-9)[0] / special.beta(fp, tn)
        return float(inner * x ** (tp - 1) * (1 - x) ** (fn - 1) / special.beta(tp, fn))

    exact = integrate.quad(kept, 0, 1, points=[0.34, 0.5, r], epsabs=0, epsrel=1e-8, limit=200)[0]
    band = hs.tradeoff(hs.Tally.binary(tp=30, fp=2, fn=60, tn=3))
    assert band.p_feasible(r) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("option", [["--prior", "foo"], ["--level", "95"], ["--interval", "hdi"], ["--seed", "3"]])
def test_settings_of_a_posterior_are_refused_without_one(option: list[str]) -> None:
    """An exact curve has no prior, level or seed: the command says so instead of leaving them aside."""
    found = CliRunner().invoke(app, ["tradeoff", "accuracy=.9", "prevalence=.2", *option])
    assert isinstance(found.exception, BadSetting)
    assert option[0] in str(found.exception)


def test_percentages_are_taken_as_values_of_an_axis() -> None:
    """10% means 0.1 on an axis, as it does for the fixed measure."""
    found = CliRunner().invoke(
        app, ["surface", "fallout=1%", "--x-values", "10%:20%:2", "--y-values", "30%", "--format", "json"]
    )
    assert [row["x"] for row in json.loads(found.output)["rows"]] == [0.1, 0.2]


def test_a_measure_of_your_own_along_the_curve() -> None:
    """Tradeoff.measure takes what Mixture.measure takes."""
    tp, fp, fn, _ = cells
    own = hs.Metric("careful", 2 * tp / (2 * tp + 3 * fp + fn), "higher", "false alarms cost three times as much")
    table = {"tp": 0.14, "fp": 0.04, "fn": 0.06}
    expected = 2 * table["tp"] / (2 * table["tp"] + 3 * table["fp"] + table["fn"])
    assert hs.tradeoff(accuracy=0.9, prevalence=0.2).measure(own, 0.7) == pytest.approx(expected, rel=1e-12)


def test_a_value_that_every_threshold_has_is_told_in_words() -> None:
    """Two equal classes: accuracy is the same at any threshold, and the table says so."""
    text = str(mixture(normal(0, 1), normal(0, 1), prevalence=0.5))
    assert "best accuracy 0.500 at any threshold" in text
    assert "threshold -\n" not in text


def test_stretches_end_at_the_ends_of_the_laws() -> None:
    """A stretch found between breaks is told by the breaks, not by their neighbours among the numbers."""
    assert mixture(uniform(0, 1), uniform(2, 3), prevalence=0.5).rising_together() == ((0.0, 1.0),)


def test_the_best_f1_of_a_class_that_is_hardly_there() -> None:
    """Values are told apart by their digits, however small prevalence makes them."""
    for prevalence in (1e-3, 1e-30, 1e-290):
        top = mixture(normal(-1, 1), normal(1, 1), prevalence=prevalence).best("f1")
        assert top.high < 0, "all are answered positive, or nearly"
        assert top.value == pytest.approx(2 * prevalence / (1 + prevalence), rel=1e-9)


@pytest.mark.parametrize("name", ["f1", *(pytest.param(x, marks=pytest.mark.deep) for x in ("accuracy", "phi"))])
def test_many_normal_laws_side_by_side_are_looked_at_once(name: str) -> None:
    """A density estimate of 200 laws needs hardly more points than one of 20, and its best threshold is the best."""
    x = np.random.default_rng(7).normal(size=200)
    few, many = (
        mixture(
            mixed(*((1, normal(v + 1, 0.3)) for v in x[:k])),
            mixed(*((1, normal(v, 0.3)) for v in x[:k])),
            prevalence=0.4,
        )
        for k in (20, 200)
    )
    assert len(many.positive.grid) < 1.5 * len(few.positive.grid)
    t = np.linspace(-4, 4, 20001)
    top = many.best(name)
    assert top.value >= np.max(many.measure(name, t)) - 1e-12
    assert many.measure(name, top.threshold) == pytest.approx(top.value, abs=1e-12)


def test_laws_at_the_ends_of_what_is_taken_give_no_warnings() -> None:
    """Widths 300 orders of magnitude apart: numbers, and no overflow on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = mixture(normal(0, 1e-150), normal(0, 1e150), prevalence=0.5)
        assert m.best("accuracy").value == pytest.approx(0.75, abs=1e-9)
        assert m.measure("recall", 1e300) == 0
        json.dumps(m.to_dict(), allow_nan=False)


def test_bisection_without_fallout_finds_nothing() -> None:
    """At fallout 0 there is no false positive, so no precision below 1: no number is made up for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e = eleven_point("phi", [0.5], fallout=[0.0, 0.1], rule="bisection")
    assert np.isnan(e.precision[0]).all()
    assert np.isnan(e.mean[0, 0])
    assert not np.isnan(e.precision[1]).any()


def test_sizes_of_numpy_are_sizes() -> None:
    """A whole number is one, whoever made it."""
    assert surface(fallout=0.1, size=np.int64(3)).values.shape == (3, 3)


def test_one_is_shown_as_one() -> None:
    """What rounding leaves of 1 is not shown."""
    assert "1 - " not in str(break_even("phi", "phi", size=4))


def test_break_even_of_scores_is_between_them() -> None:
    """The threshold is in the middle of those with the same answers, and recall is precision wherever they can meet."""
    assert mixture([2.0, 3.0], [0.0, 1.0]).break_even().threshold == 1.5
    assert mixture([2.0, 3.0], [0.0, 1.0], answer="below").break_even().threshold == 1.5
    assert mixture([1.0], [1.0]).break_even().threshold == 1.0
    rng = np.random.default_rng(1)
    m = mixture(rng.normal(1, 1, 40), rng.normal(0, 1, 90))
    even = m.break_even()
    assert even.recall == pytest.approx(even.precision, abs=1e-12)
    assert m.table(even.threshold)["fp"] == pytest.approx(m.table(even.threshold)["fn"], abs=1e-12)


def test_a_wide_tolerance_does_not_put_a_recall_out_of_reach() -> None:
    """However few draws the tolerance asks for, enough are made to say something of a recall that is feasible."""
    t = hs.Tally.binary(tp=2, fp=9, fn=1, tn=0)
    rough, fine = (hs.tradeoff(t, tolerance=x).precision(0.2) for x in (1, 0.02))
    assert rough.mean == pytest.approx(fine.mean, abs=5 * rough.std / 2000**0.5)
