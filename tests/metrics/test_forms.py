"""Forms: what is read off an expression, however it is written."""

from __future__ import annotations

import math
import re
import signal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import howsure as hs
from howsure.catalogue.expressions import CELLS, Expression
from howsure.catalogue.forms import Linear, Other, Rising, TwoRates, read
from howsure.errors import BadSetting
from tests.tiers import examples

tp, fp, fn, tn = hs.cells
n = tp + fp + fn + tn
precision, recall, specificity, npv = tp / (tp + fp), tp / (tp + fn), tn / (tn + fp), tn / (tn + fn)
SQUARE = [m for m in hs.metrics() if not m.over_classes and not m.any_of]
RATIONAL = [m for m in SQUARE if not any(x.op in ("sqrt", "log", "function") for x in m.formula.walk())]
POINT = {"tp": Fraction(7, 3), "fp": Fraction(5, 2), "fn": Fraction(11, 7), "tn": Fraction(13, 5)}


# -- the same formula in other words ------------------------------------------------------------------------------

weights = st.tuples(*[st.integers(0, 4)] * 4).filter(any)
rewritings = st.lists(
    st.tuples(st.sampled_from(["by", "twice", "complement", "cancel", "mean", "scale", "shift"]), weights), max_size=3
)


def linear(w: tuple[int, ...]) -> Expression:
    return w[0] * tp + w[1] * fp + w[2] * fn + w[3] * tn


def rewrite(e: Expression, how: str, w: tuple[int, ...]) -> Expression:
    """Another way to write the same function."""
    x, c = linear(w), sum(w)
    match how:
        case "by":
            return (e * x) / x
        case "twice":
            return 1 / (1 / e)
        case "complement":
            return 1 - (1 - e)
        case "cancel":
            return (e + x / n) - x / n
        case "mean":
            return (c * e + e) / (c + 1)
        case "scale":
            return e / Fraction(1, c) / c
        case _:
            return (e - c) + c


@given(st.sampled_from(RATIONAL), rewritings)
@examples(20, 60)
def test_every_way_to_write_a_formula_has_one_form(metric, steps):
    """Rational rewriting changes neither form, nor range, nor symmetry."""
    e = metric.formula
    for how, w in steps:
        e = rewrite(e, how, w)
    assert read(e) == read(metric.formula)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (2 * precision * recall / (precision + recall), 2 * tp / (2 * tp + fp + fn)),
        (2 / (1 / precision + 1 / recall), 2 * tp / (2 * tp + fp + fn)),
        (5 * precision * recall / (4 * precision + recall), 5 * tp / (5 * tp + 4 * fn + fp)),
        (recall - fp / (fp + tn), recall + specificity - 1),
        (1 / (1 + (fp + fn) / tp), tp / (tp + fp + fn)),
        ((tp / (fp + tp + fn)), 1 - (fp + fn) / (tp + fp + fn)),
        (recall / (1 - specificity), (tp / fp) * ((fp + tn) / (tp + fn))),
        (1 - (fp + fn) / n, (tp + tn) / n),
    ],
    ids=str,
)
def test_textbook_identities_are_seen(written, plain):
    """F1 as a harmonic mean, informedness as a difference and their like have the form of the plain formula."""
    assert read(written) == read(plain)


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        (precision, Linear),
        (2 * tp / (2 * tp + fp + fn), Linear),
        (5 * tp / (5 * tp + 4 * fn + fp), Linear),
        ((2 * tp - fp) / n, Linear),
        (recall + specificity - 1, TwoRates),
        (precision + npv - 1, TwoRates),
        (recall / (1 - specificity), TwoRates),
        (tp * tn / (fp * fn), TwoRates),
        ((precision + recall) / 2, Rising),
        (precision * recall, Rising),
        (precision * npv * recall, Other),
        (tp * tn / n, Other),
        (hs.sqrt(recall) + hs.sqrt(precision), Other),
        (tp - fp, Other),
        (tp / (fp - fn), Other),
    ],
    ids=str,
)
def test_form_of_a_formula(formula, kind):
    """Each formula falls in the form that has a kernel, or in none."""
    assert isinstance(read(formula).form, kind)


def test_linear_form_holds_its_weights():
    """The weights of a linear quotient come out as small whole numbers in the order tp, fp, fn, tn."""
    assert read(2 * precision * recall / (precision + recall)).form == Linear((2, 0, 0, 0), (2, 1, 1, 0))
    assert read(Fraction(1, 3) * precision).form == Linear((1, 0, 0, 0), (3, 3, 0, 0))


def test_outer_functions_are_peeled():
    """A square root or logarithm around an exact form keeps that form."""
    for outer, f in (("sqrt", hs.sqrt), ("log", hs.log)):
        reading = read(f(precision))
        assert (reading.form, reading.outer) == (read(precision).form, outer)
    assert isinstance(read(hs.log(recall + specificity - 1)).form, Other)


@given(st.sampled_from(RATIONAL), st.lists(st.fractions(Fraction(1, 9), 50, max_denominator=9), min_size=4, max_size=4))
def test_the_form_has_the_value_of_the_formula(metric, values):
    """The form that was read off gives the formula's own value at every table, in exact arithmetic."""
    at = dict(zip(CELLS, values, strict=True))
    form = metric.reading.form
    if isinstance(form, Linear):
        features = values
        top, bottom = form.top, form.bottom
    elif isinstance(form, TwoRates):
        a, b, c, d = (at[x] for x in (("tp", "fn", "tn", "fp") if form.chart == "rows" else ("tp", "fp", "tn", "fn")))
        features = [b * d, b * c, a * d, a * c]
        top, bottom = ([x for row in part for x in row] for part in (form.top, form.bottom))
    elif isinstance(form, Rising):
        x, y, z = at["tp"], at["fp"], at["fn"]
        features = [x * x, x * y, x * z, y * y, y * z, z * z]
        top, bottom = form.top, form.bottom
    else:
        assume(False)
    value = sum(Fraction(k) * x for k, x in zip(top, features, strict=True))
    value /= sum(Fraction(k) * x for k, x in zip(bottom, features, strict=True))
    assert value == metric.formula(**at)


# -- text and LaTeX -----------------------------------------------------------------------------------------------

constants = st.one_of(st.integers(-5, 5), st.sampled_from([0.5, 0.25, Fraction(1, 3), Fraction(-7, 6)]))


def _grow(inner):
    pair = st.tuples(inner, st.one_of(inner, constants), st.booleans())
    return st.one_of(
        pair.map(lambda x: x[0] + x[1] if x[2] else x[1] + x[0]),
        pair.map(lambda x: x[0] - x[1] if x[2] else x[1] - x[0]),
        pair.map(lambda x: x[0] * x[1] if x[2] else x[1] * x[0]),
        pair.map(lambda x: x[0] / x[1] if x[2] else x[1] / x[0]),
        inner.map(lambda x: -x),
        inner.map(lambda x: x**2),
    )


expressions = st.recursive(st.sampled_from(hs.cells), _grow, max_leaves=6)


def _exact(text: str) -> Fraction:
    """The value of a formula's text, read as Python with every number a Fraction."""
    code = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)", r"Fraction('\1')", text.replace("^", "**"))
    code = re.sub(r"\*\*Fraction\('(\d+)'\)", r"**\1", code)
    return eval(code, {"Fraction": Fraction, **POINT})


@given(expressions)
@example(tp - (fp + fn))
@example(tp / Fraction(1, 3))
@examples(100, 300)
def test_the_text_of_a_formula_means_the_formula(e):
    """Reading the text back gives the value of the expression."""
    try:
        value = e(**POINT)
    except ZeroDivisionError:
        assume(False)
    assert _exact(str(e)) == value


@given(st.sampled_from(RATIONAL))
def test_the_text_of_the_catalogue_means_its_formulas(metric):
    """Every formula of the catalogue reads back to its value; passes are in the cell tp, fails in fn."""
    text = metric.text.replace("passes", "tp").replace("fails", "fn")
    assert _exact(text) == metric.formula(**POINT)


@pytest.mark.parametrize(
    ("formula", "text", "latex"),
    [
        (precision, "tp / (tp + fp)", r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}"),
        (tp - (fp - fn), "tp - (fp - fn)", r"\mathrm{TP} - \left(\mathrm{FP} - \mathrm{FN}\right)"),
        (tp / (fp / fn), "tp / (fp / fn)", r"\frac{\mathrm{TP}}{\frac{\mathrm{FP}}{\mathrm{FN}}}"),
        ((tp + fp) * fn, "(tp + fp) * fn", r"\left(\mathrm{TP} + \mathrm{FP}\right) \cdot \mathrm{FN}"),
        ((tp + fp) ** 2, "(tp + fp)^2", r"\left(\mathrm{TP} + \mathrm{FP}\right)^{2}"),
        (hs.sqrt(tp * fp), "sqrt(tp * fp)", r"\sqrt{\mathrm{TP} \cdot \mathrm{FP}}"),
        (hs.log(tp + 1), "log(tp + 1)", r"\log\left(\mathrm{TP} + 1\right)"),
        (tp**0.5, "sqrt(tp)", r"\sqrt{\mathrm{TP}}"),
        (0.1 * tp, "0.1 * tp", r"0.1 \cdot \mathrm{TP}"),
        (1 * tp, "tp", r"\mathrm{TP}"),
        pytest.param(
            tp - (fp + fn), "tp - (fp + fn)", r"\mathrm{TP} - \left(\mathrm{FP} + \mathrm{FN}\right)"
        ),
        pytest.param(
            tp / Fraction(1, 3), "tp / (1/3)", r"\frac{\mathrm{TP}}{1/3}"
        ),
        pytest.param(
            precision**2, "(tp / (tp + fp))^2", r"\left(\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}\right)^{2}"
        ),
    ],
)  # fmt: skip
def test_text_and_latex(formula, text, latex):
    """The formula in text and in LaTeX."""
    assert (str(formula), formula.latex) == (text, latex)


@pytest.mark.parametrize("formula", [tp - (-1) * fp, tp * -1, tp + (-2)], ids=str)
def test_latex_never_has_two_signs_in_a_row(formula):
    """A minus sign that follows another sign is set in parentheses."""
    assert not re.search(r"(?:[-+]|\\cdot) -", formula.latex)


# -- range, symmetry, undefined -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "low", "high"),
    [
        (precision, 0, 1),
        (recall + specificity - 1, -1, 1),
        (recall / (1 - specificity), 0, math.inf),
        ((2 * tp - fp) / n, -1, 2),
        (tp / (fp + fn), 0, math.inf),
        (hs.sqrt(precision * recall), 0, 1),
        (hs.log(precision), -math.inf, 0),
        (hs.log(tp * tn / (fp * fn)), -math.inf, math.inf),
        ((tp * tn - fp * fn) / hs.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)), -1, 1),
        (precision * npv * recall, 0, 1),
        (1 + 3 * precision, 1, 4),
    ],
    ids=str,
)
def test_bounds(formula, low, high):
    """The lowest and highest value over all tables."""
    assert read(formula).bounds == (low, high)


@given(st.sampled_from(SQUARE), st.lists(st.floats(1e-6, 1e6), min_size=4, max_size=4))
def test_no_table_leaves_the_bounds(metric, values):
    """Every table's value lies within the range that was read off the formula."""
    low, high = metric.bounds
    value = float(metric.score(dict(zip(CELLS, values, strict=True))))
    assert low - 1e-9 <= value <= high + 1e-9


SYMMETRIC = {
    "accuracy", "error-rate", "informedness", "markedness", "balanced-accuracy", "g-mean", "phi", "kappa", "odds-ratio",
    "tetrachoric",
}  # fmt: skip


@pytest.mark.parametrize("metric", SQUARE, ids=str)
def test_symmetric_measures_need_no_positive_class(metric):
    """Exactly the measures that stay the same when the classes swap need no positive class, and the rate has none."""
    assert metric.reading.symmetric == (metric.name in SYMMETRIC)
    assert metric.needs_positive != (metric.name in {*SYMMETRIC, "rate"})


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (precision, "tp + fp = 0"),
        (recall + specificity - 1, "tp + fn = 0 or tn + fp = 0"),
        ((precision + recall) / 2, "tp + fp = 0 or tp + fn = 0"),
    ],
)
def test_undefined_condition_is_read_off(formula, words):
    """What a formula divides by is what makes it undefined."""
    assert hs.Metric("mine", formula).undefined == words


# -- building -----------------------------------------------------------------------------------------------------


def test_formulas_take_numpy_numbers_and_functions():
    """numpy scalars, numpy.sqrt and numpy.log build formulas as the built-in ones do."""
    assert np.float64(2) * tp == 2 * tp
    assert tp * np.int64(2) == tp * 2
    assert np.sqrt(precision) == hs.sqrt(precision)
    assert np.log(precision) == hs.log(precision)


def test_formulas_evaluate_on_arrays():
    """A formula is a function of its cells, on numbers and arrays."""
    assert precision(tp=3, fp=1, fn=0, tn=0) == 0.75
    np.testing.assert_array_equal(recall(tp=np.array([1, 3]), fp=0, fn=1, tn=0), [0.5, 0.75])


def test_ratio_is_checked():
    """Ratio takes linear forms without negative weight below, and nothing else."""
    assert hs.Ratio(tp, tp + fp) == precision
    assert hs.Ratio(tp + tn, n) == (tp + tn) / n
    for top, bottom in ((tp * tn, n), (tp, fp - fn), (tp, hs.sqrt(fp))):
        with pytest.raises(BadSetting, match="a Ratio needs linear forms"):
            hs.Ratio(top, bottom)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tp + "x", "cells and numbers; got 'x'"),
        (lambda: tp * True, "got True"),
        (lambda: tp * float("nan"), "finite numbers; got nan"),
        (lambda: tp / float("inf"), "finite numbers; got inf"),
        (lambda: tp**9, "powers in a formula are 1 to 8 and 0.5; got 9"),
        (lambda: tp**0, "got 0"),
        (lambda: tp**-1, "got -1"),
        (lambda: hs.Metric("one", tp / tp), "same value at every table"),
        (lambda: hs.Metric("none", 3), "must be made of cells"),
        (lambda: hs.Metric("zero", precision - precision), "same value at every table"),
    ],
)
def test_what_is_no_formula_is_refused(build, message):
    """Texts, infinities, odd powers and constants are refused in one sentence."""
    with pytest.raises(BadSetting, match=message):
        build()


@pytest.mark.parametrize("build", [lambda: hs.Ratio(tp, fp - fp), lambda: hs.Metric("x", tp / (fp - fp)).bounds])
def test_dividing_by_nothing_ends(build):
    """A formula that divides by zero at every table is refused, and at once."""

    def late(*_):
        raise TimeoutError

    old = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(BadSetting):
            build()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_formula_without_a_value_is_refused():
    """The square root of a negative quantity has no value at any table."""
    with pytest.raises(BadSetting):
        hs.Metric("bad", hs.sqrt(0 - tp / (tp + fp)))
