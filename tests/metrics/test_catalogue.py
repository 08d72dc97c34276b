"""The catalogue: names, aliases, and measures that users declare."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import howsure as hs
from howsure.catalogue import described, parse
from howsure.catalogue.retrieval import parse as parse_scores
from howsure.errors import BadCounts, BadSetting, UnknownName

tp, fp, fn, tn = hs.cells
CATALOGUE = hs.metrics()
COUNTS = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
T = hs.Tally.binary(**COUNTS)
THREE = hs.Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 3, 9]], labels=["a", "b", "c"])
MINE = hs.Metric("lift", (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn)), meaning="precision over prevalence")

CANONICAL = [
    "precision",
    "recall",
    "specificity",
    "npv",
    "fallout",
    "miss-rate",
    "fdr",
    "for",
    "accuracy",
    "error-rate",
    "prevalence",
    "bias",
    "f1",
    "f2",
    "f0.5",
    "jaccard",
    "a-measure",
    "fowlkes-mallows",
    "informedness",
    "markedness",
    "balanced-accuracy",
    "g-mean",
    "phi",
    "kappa",
    "lr-plus",
    "lr-minus",
    "odds-ratio",
    "utility",
    "rate",
]  # design.md 3, without tetrachoric
ALIASES = {
    "sensitivity": "recall", "tpr": "recall", "hit rate": "recall", "confidence": "precision", "ppv": "precision",
    "tpa": "precision", "inverse recall": "specificity", "tnr": "specificity", "selectivity": "specificity",
    "inverse precision": "npv", "tna": "npv", "fpr": "fallout", "fnr": "miss-rate", "fpa": "fdr", "fna": "for",
    "Rand accuracy": "accuracy", "generality": "prevalence", "predicted-prevalence": "bias", "Tanimoto": "jaccard",
    "threat score": "jaccard", "youden": "informedness", "deltap'": "informedness", "bookmaker": "informedness",
    "deltap": "markedness", "mcc": "phi", "dice": "f1", "f-measure": "f1",
}  # fmt: skip


# -- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_names_read_back(metric):
    """parse(str(m)) == m, alone and of a class."""
    assert parse(str(metric)) == metric
    assert parse(metric) is metric
    if metric.over_classes:
        with pytest.raises(hs.HowsureError, match="measure of all classes"):
            metric.of("spam")
    else:
        assert parse(str(metric.of("spam"))) == metric.of("spam")


@pytest.mark.parametrize("name", CANONICAL)
def test_every_name_of_the_design_is_there(name):
    """Each canonical name is known, and is the name it is shown by (utility shows its weights)."""
    assert str(parse(name)).partition("(")[0] == name


@pytest.mark.parametrize(("alias", "name"), ALIASES.items(), ids=list(ALIASES))
def test_aliases_of_the_papers(alias, name):
    """The synonyms of the papers and of other fields lead to one measure."""
    assert str(parse(alias)) == name


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_every_alias_leads_home(metric):
    """Every alias an entry declares is parsed to that entry, and no two entries share one."""
    assert [parse(alias) for alias in metric.aliases] == [metric] * len(metric.aliases)


def test_no_name_is_declared_twice():
    """Names and aliases are all different."""
    names = [name for m in CATALOGUE for name in (m.name, *m.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_names_are_lower_case_with_hyphens(metric):
    """Canonical names are written in one way."""
    assert metric.name == metric.name.lower()
    assert "_" not in metric.name
    assert " " not in metric.name


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_case_and_underscores_are_forgiven(metric):
    """Upper case, underscores and blanks are forgiven on input."""
    for spelled in (metric.name.upper(), metric.name.replace("-", "_"), f"  {metric.name.title()} "):
        if "(" not in spelled or spelled == metric.name.upper():
            assert parse(spelled) == metric


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_every_entry_says_what_it_means(metric):
    """A measure has a meaning, a source, and a direction or none."""
    assert metric.meaning
    assert metric.source
    assert metric.better in ("higher", "lower", None)


LOWER = {"fallout", "miss-rate", "fdr", "for", "error-rate", "lr-minus", "hamming-loss"}


@pytest.mark.parametrize("metric", CATALOGUE, ids=str)
def test_direction(metric):
    """Rates of error and lr-minus are better when lower; shares of the table have no direction."""
    expected = "lower" if metric.name in LOWER else None if metric.name in ("prevalence", "bias") else "higher"
    assert metric.better == expected


@given(st.floats(0.001, 1000) | st.integers(1, 1000))
def test_every_beta_reads_back(beta):
    """F of any beta in reach has a name that reads back to it."""
    assert parse(str(hs.fbeta(beta))) == hs.fbeta(beta)


@pytest.mark.parametrize(
    ("text", "beta"),
    [
        ("f0.5", 0.5),
        ("F_0.5", 0.5),
        ("f.5", 0.5),
        ("fbeta(3)", 3),
        ("Fbeta( 3.0 )", 3),
        ("F_beta(beta=3)", 3),
        ("fbeta(2)", 2),
        ("f1score", 1),
        ("f2-measure", 2),
        ("f-2", 2),
    ],
)
def test_f_of_any_beta(text, beta):
    """Spellings of F-beta are one metric."""
    assert parse(text) == hs.fbeta(beta)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("f11", "Did you mean 'f1'? F with β = 11 is fbeta(11)."),
        ("f12", "Did you mean 'f1'?"),
        ("f22", "Did you mean 'f2'?"),
        ("f05", "Did you mean 'f0.5'?"),
        ("f0", "Did you mean 'f0.5'?"),
        ("f1e9", "Did you mean 'f1'?"),
        ("f3", "Did you mean 'fbeta(3)'?"),
        ("f10", "Did you mean 'fbeta(10)'?"),
        ("f1.5", "Did you mean 'fbeta(1.5)'?"),
        ("macro-f11", "Did you mean 'macro-f1'?"),
        ("macro-f3", "Did you mean 'macro-fbeta(3)'?"),
        ("f3:spam", "Did you mean 'fbeta(3)'?"),
        ("max-f11", "Did you mean 'max-f1'?"),
        ("f3@recall=0.9", "Did you mean 'fbeta(3)@recall=0.9'?"),
        ("fbeta", "such as fbeta(3)"),
        ("fbeta(x)", "such as fbeta(3)"),
    ],
)
def test_a_slip_of_f_is_not_a_measure(text, meant):
    """An f with a number that is no name is refused, with what may be meant."""
    with pytest.raises((UnknownName, BadSetting)) as refused:
        described(text)
    assert meant in str(refused.value)


@pytest.mark.parametrize("text", ["fbeta(3)", "macro-fbeta(3)", "fbeta(0.25):spam", "samples-fbeta(3)"])
def test_f_of_another_beta_has_one_name(text):
    """What is printed is what is parsed, in averages and of classes."""
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["max-fbeta(3)", "fbeta(3)@0.5", "fbeta(3)@recall=0.9"])
def test_f_of_another_beta_at_thresholds(text):
    """So are measures of scores that are made of it."""
    assert str(described(text)) == text


def test_f_of_another_beta_in_a_document():
    """The document, the table and LaTeX show the same name, and the score is that of the formula."""
    report = hs.score(T, metrics=["fbeta(3)"])
    assert report.to_dict()["rows"][0]["metric"] == "fbeta(3)"
    assert report.to_dict()["rows"][0]["score"] == pytest.approx(10 * 80 / (10 * 80 + 9 * 30 + 20), rel=1e-15)
    assert "fbeta(3)" in str(report)
    assert "fbeta(3)" in report.to_latex()


def test_fbeta_weighs_recall():
    """F-beta is (1+b²)PR/(b²P+R), so f2 leans to recall and f0.5 to precision."""
    p, r = 80 / 100, 80 / 110
    for beta in (0.5, 1, 2, 3, 0.1):
        expected = (1 + beta**2) * p * r / (beta**2 * p + r)
        assert float(hs.fbeta(beta).score(COUNTS)) == pytest.approx(expected)


@pytest.mark.parametrize("beta", [0, -1, float("nan"), float("inf"), 1e7, "2", None, True])
def test_bad_beta_is_refused(beta):
    """Beta must be a number above 0."""
    with pytest.raises(BadSetting, match="beta must be a number from 1e-6 to 1e6"):
        hs.fbeta(beta)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("utility(2,-1,0,0)", hs.utility(tp=2, fp=-1)),
        ("utility(tp=2,fp=-1)", hs.utility(tp=2, fp=-1)),
        ("utility(fp=-1,tp=2)", hs.utility(tp=2, fp=-1)),
        ("UTILITY(TP=2,FP=-1)", hs.utility(tp=2, fp=-1)),
        ("utility", hs.utility(tp=2, fp=-1)),
        ("cost(fp=1,fn=10)", hs.utility(fp=1, fn=10, cost=True)),
        ("cost(0,0.5,2.5,0)", hs.utility(fp=0.5, fn=2.5, cost=True)),
        ("utility(1e-7,0,0,0)", hs.utility(tp=1e-7)),
    ],
)
def test_utility_and_cost(text, metric):
    """A linear utility or cost is named by its weights, in cell order or by name."""
    assert parse(text) == metric
    assert parse(str(metric)) == metric
    assert metric.better == ("lower" if text.startswith("cost") else "higher")


def test_utility_is_the_mean_weight():
    """The utility of a table is the mean weight of its cells."""
    m = hs.utility(tp=2, fp=-1, fn=-0.5, tn=0.25)
    assert float(m.score(COUNTS)) == pytest.approx((160 - 20 - 15 + 217.5) / 1000)
    assert m.bounds == (-1, 2)


def test_utility_without_weights_is_shown_with_those_it_takes():
    """Nobody gave them, so each result says which they are; both names lead to the row."""
    full, t = "utility(2,-1,0,0)", hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
    report = hs.score(t, metrics=["utility", "sensitivity"], above={"utility": 0.1})
    assert [row["asked"] for row in report.to_dict()["rows"]] == [full, "sensitivity"]
    assert report["utility"].mean == report[full].mean
    two = hs.compare(t, hs.Tally.binary(tp=70, fp=20, fn=40, tn=870), metrics="utility")
    assert full in two.to_text()
    assert hs.score(t, metrics="utility:1").to_dict()["rows"][0]["asked"] == f"{full}:1"
    assert f"{full} >= 0.1" in hs.gate(t, "utility >= 0.1").to_text()


@pytest.mark.parametrize("number", [np.int64, np.int8, np.float32, np.float64])
def test_weights_may_be_numbers_of_numpy(number):
    """They are numbers as any other; a truth value is none."""
    assert hs.utility(tp=number(2), fp=number(-1)) == hs.utility(tp=2, fp=-1)
    assert str(hs.utility(tp=number(2))) == "utility(2,0,0,0)"
    with pytest.raises(BadSetting, match="weights of tp"):
        hs.utility(tp=np.bool_(True))


@pytest.mark.parametrize("cost", ["x", 1, None, "no"])
def test_cost_is_a_flag(cost):
    """'no' is not taken for yes, nor any other thing for a flag."""
    with pytest.raises(BadSetting, match=r"^cost= takes True or False; got "):
        hs.utility(tp=2, fp=-1, cost=cost)


ODD_COUNTS = {
    "no mapping": (T, "f1 is taken of counts by their names"),
    "nothing": ({}, "lacks 'tp', 'fp', 'fn', 'tn'"),
    "one missing": ({"tp": 1, "fp": 1, "fn": 1}, "it lacks 'tn'"),
    "one too many": ({**COUNTS, "n": 3}, "'n' is none of them"),
    "text": ({**COUNTS, "tp": "8"}, "tp must be a number; got '8'"),
    "negative": ({**COUNTS, "fn": -1}, "fn cannot be negative"),
    "nan": ({**COUNTS, "fn": [1, float("nan")]}, "fn must be finite"),
    "infinite": ({**COUNTS, "tn": float("inf")}, "tn must be finite"),
    "none": ({**COUNTS, "tn": None}, "tn must be a number; got None"),
    "shapes": ({**COUNTS, "tn": [1, 2], "tp": [1, 2, 3]}, "must have the same shape"),
}


@pytest.mark.parametrize("case", ODD_COUNTS)
def test_odd_counts_of_a_score_are_refused(case):
    """A measure is taken of four counts by name, finite and not negative; all else is refused in a sentence."""
    counts, said = ODD_COUNTS[case]
    with pytest.raises(BadCounts, match=re.escape(said)):
        parse("f1").score(counts)


def test_scores_of_classes_need_an_entry_for_each():
    """macro-f1 of one table of four counts is refused; of arrays over classes it is their mean."""
    with pytest.raises(BadCounts, match=r"^macro-f1 is a measure of all classes"):
        parse("macro-f1").score(COUNTS)
    two = {"tp": [80, 870], "fp": [20, 30], "fn": [30, 20], "tn": [870, 80]}
    assert float(parse("macro-f1").score(two)) == pytest.approx(hs.posterior(T)["macro-f1"].score)


@pytest.mark.parametrize("text", ["utility()", "cost", "utility(1,2)", "utility(tp=x)", "utility(xp=1)", "cost(tp)"])
def test_bad_weights_are_refused(text):
    """Weights that cannot be read are refused with the two ways to write them."""
    with pytest.raises(BadSetting, match=r"needs the weights of tp, fp, fn, tn"):
        parse(text)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("precison", "precision"),
        ("recal", "recall"),
        ("specifity", "specificity"),
        ("jacard", "jaccard"),
        ("mmc", "mcc"),
    ],
)
def test_unknown_names_get_a_hint(name, hint):
    """A misspelled measure gets the nearest name and the command that lists all."""
    with pytest.raises(UnknownName) as error:
        parse(name)
    assert str(error.value) == f"no metric named {name!r}. Did you mean {hint!r}? See: howsure metrics"


@pytest.mark.parametrize("name", ["", "zzzzzz", "f", "f0x", "🙂", "f1@3", 5, None, b"f1"])
def test_nonsense_is_refused(name):
    """What is no name at all is refused as unknown."""
    with pytest.raises(UnknownName):
        parse(name)


@pytest.mark.parametrize("label", ["spam", "a:b", "A_b", "x y", "f1", "(", "1", "ä"])
def test_the_class_is_taken_verbatim(label):
    """Everything after the first colon is the class, in its own case and spelling."""
    metric = parse(f"F1:{label}")
    assert (metric.name, metric.label) == ("f1", label)
    assert str(metric) == f"f1:{label}"


def test_a_colon_needs_a_class():
    """A name that ends in a colon names no class."""
    with pytest.raises(UnknownName, match="names no class"):
        parse("f1:")


# -- values -------------------------------------------------------------------------------------------------------

SKLEARN = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f2": lambda y, z: sk.fbeta_score(y, z, beta=2),
    "f0.5": lambda y, z: sk.fbeta_score(y, z, beta=0.5),
    "accuracy": sk.accuracy_score,
    "balanced-accuracy": sk.balanced_accuracy_score,
    "jaccard": sk.jaccard_score,
    "phi": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "error-rate": sk.zero_one_loss,
    "lr-plus": lambda y, z: sk.class_likelihood_ratios(y, z)[0],
    "lr-minus": lambda y, z: sk.class_likelihood_ratios(y, z)[1],
}


@pytest.mark.parametrize("name", SKLEARN)
def test_point_scores_are_those_of_scikit_learn(name):
    """The score of a measure is what scikit-learn computes from the same labels."""
    y = np.repeat([1, 0, 1, 0], [80, 20, 30, 870])
    z = np.repeat([1, 1, 0, 0], [80, 20, 30, 870])
    assert float(parse(name).score(COUNTS)) == pytest.approx(SKLEARN[name](y, z), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("specificity", 870 / 890), ("npv", 870 / 900), ("fallout", 20 / 890), ("miss-rate", 30 / 110),
        ("fdr", 20 / 100), ("for", 30 / 900), ("prevalence", 0.11), ("bias", 0.1), ("a-measure", (0.8 + 8 / 11) / 2),
        ("fowlkes-mallows", (0.8 * 8 / 11) ** 0.5), ("informedness", 8 / 11 + 87 / 89 - 1),
        ("markedness", 0.8 + 87 / 90 - 1), ("g-mean", (8 / 11 * 87 / 89) ** 0.5), ("odds-ratio", 80 * 870 / 600),
        ("rate", 80 / 110),
    ],
)  # fmt: skip
def test_point_scores_by_hand(name, value):
    """The measures scikit-learn lacks have the value of their textbook formula."""
    assert float(parse(name).score(COUNTS)) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "counts", "value"),
    [
        ("precision", (0, 0, 3, 4), np.nan),
        ("recall", (0, 1, 0, 4), np.nan),
        ("f1", (0, 0, 0, 4), np.nan),
        ("f1", (0, 1, 0, 4), 0.0),
        ("lr-plus", (3, 0, 1, 4), np.inf),
        ("odds-ratio", (3, 0, 1, 4), np.inf),
        ("odds-ratio", (0, 0, 1, 4), np.nan),
        ("accuracy", (0, 0, 0, 0), np.nan),
    ],
)
def test_undefined_scores_are_nan_and_infinite_ones_infinite(name, counts, value):
    """0/0 is undefined, x/0 infinite; neither is a silent 0."""
    got = float(parse(name).score(dict(zip(("tp", "fp", "fn", "tn"), counts, strict=True))))
    np.testing.assert_equal(got, value)


ROUTES = {
    "closed form": "precision recall specificity npv fallout miss-rate fdr for accuracy error-rate prevalence bias "
    "jaccard f1 rate",
    "quadrature": "f2 f0.5 a-measure fowlkes-mallows informedness markedness balanced-accuracy g-mean lr-plus lr-minus "
    "odds-ratio phi kappa",
    "sampled": "tetrachoric",
}


@pytest.mark.parametrize(("route", "names"), ROUTES.items())
def test_routes_are_those_of_the_plan(route, names):
    """Each measure takes the best route there is for its form, and its Distribution says the same."""
    for name in names.split():
        t = hs.Tally.rate(hits=3, of=5) if name == "rate" else T
        assert parse(name).route == route
        assert hs.posterior(t)[name].route == route


def test_routes_of_averages_are_those_of_their_laws():
    """Of items with one class each, and of items with several labels, whatever the average is of."""
    one = hs.posterior(hs.Tally.matrix([[50, 5, 2], [6, 30, 4], [1, 3, 19]]))
    several = hs.posterior(hs.Tally.multilabel([["a"], ["a", "b"], ["c"]] * 9, [["a"], ["a"], ["b", "c"]] * 9))
    for base in ("f1", "f2", "jaccard", "informedness", "kappa", "g-mean", "fowlkes-mallows", "phi"):
        micro = parse(f"micro-{base}")
        assert (micro.route, micro.route_of_label_sets) == (one[micro].route, several[micro].route)
        assert parse(f"samples-{base}").route == several[f"samples-{base}"].route == "quadrature"
    for name in ("hamming-loss", "subset-accuracy", "macro-f1", "weighted-f1"):
        assert parse(name).route == several[name].route
        assert parse(name).route_of_label_sets is None


@pytest.mark.parametrize(
    ("name", "text", "latex", "undefined"),
    [
        ("samples-f1", "mean over items(2 * tp / (2 * tp + fn + fp))", r"\frac{1}{n}\sum_i", "2 * tp + fn + fp = 0"),
        ("rate", "passes / (passes + fails)", r"\frac{\mathrm{passes}}", "passes + fails = 0"),
        ("subset-accuracy", "right / (right + wrong)", r"\frac{\mathrm{right}}", "right + wrong = 0"),
    ],
)
def test_formulas_name_what_is_counted(name, text, latex, undefined):
    """A mean over items is none over classes; passes, and items that are entirely right, are no cells of a table."""
    metric = parse(name)
    assert (metric.text, metric.undefined) == (text, undefined)
    assert metric.latex.startswith(latex)
    assert not metric.needs_positive


@pytest.mark.parametrize("name", ["brier", "Log_Loss", "mse", "Mean absolute error"])
def test_means_of_items_are_told_how_to_be_had(name):
    """A mean of a value per item is no slip of a measure of tables; curves say the same."""
    for ask in (parse, described, parse_scores):
        with pytest.raises(UnknownName, match="mean of a value of each item") as error:
            ask(name)
        assert str(error.value).endswith("write that value into a column, and give value='NAME', better='lower'.")
    assert described("hamming").name == "hamming-loss"


@pytest.mark.parametrize("name", ["ECE", "rmse", "r2", "calibration"])
def test_what_is_not_offered_is_told(name):
    """No other measure is suggested in its place."""
    told = f"{name!r} is not offered: it is no measure of a table, and no mean of a value of each item."
    with pytest.raises(UnknownName, match=re.escape(told)):
        parse(name)


# -- a user's own measure -----------------------------------------------------------------------------------------


def test_an_own_measure_is_read_like_any_other():
    """Range, formula and undefined condition are read off an unregistered measure."""
    assert MINE.bounds == (0, np.inf)
    assert MINE.text == "tp / (tp + fp) / ((tp + fn) / (tp + fp + fn + tn))"
    assert MINE.needs_positive
    assert "tp + fp = 0" in MINE.undefined
    assert str(MINE) == "lift"


def test_an_own_measure_works_in_posterior_and_score():
    """A declared measure has a posterior, a row, a class variant and a probability above."""
    p = hs.posterior(T)
    d = p[MINE]
    assert 0 < d.interval().low < 0.8 / 0.11 < d.interval().high
    assert MINE in p
    row = hs.score(T, metrics=[MINE, "f1"], above={MINE: 5}).to_dict()["rows"][0]
    assert (row["metric"], row["above"]) == ("lift", 5)
    assert row["p_above"] == pytest.approx(d.prob_above(5))
    assert hs.score(THREE, metrics=[MINE.of("b")]).to_dict()["rows"][0]["class"] == "b"
    assert hs.score(T, metrics=MINE)["lift"].mean == d.mean


def test_an_own_closed_form_is_exact():
    """A weighted precision declared by the user has the law of a Beta after a Möbius map."""
    own = hs.Metric("weighted", hs.Ratio(3 * tp, 3 * tp + fp))
    d, precision = hs.posterior(T)[own], hs.posterior(T)["precision"]
    assert d.route == "closed form"
    for x in (0.7, 0.9, 0.95):
        assert d.cdf(x) == pytest.approx(precision.cdf(x / (3 - 2 * x)), rel=1e-12)


def test_an_own_name_does_not_hide_a_known_one():
    """A user's measure called f1 is the user's; the catalogue keeps its own."""
    own = hs.Metric("f1", tp / (tp + fp + tn))
    p = hs.posterior(T)
    assert p[own].mean != p["f1"].mean
    assert p["f1"].mean == hs.posterior(T)["f1"].mean


def test_an_own_measure_may_be_lower_better_or_neither():
    """Direction is one of three; anything else is refused."""
    assert hs.Metric("x", fp / (fp + tn), better="lower").better == "lower"
    assert hs.Metric("x", fp / (fp + tn), better=None).better is None
    with pytest.raises(BadSetting, match="better= is 'higher', 'lower' or None; got 'up'"):
        hs.Metric("x", fp / (fp + tn), better="up")


# -- faults found once, held down ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["utility(tp=2, fp=-1)", "utility(2, -1, 0, 0)", " utility( 2,-1,0,0 ) "])
def test_blanks_between_weights_are_forgiven(text):
    """Weights may be written with blanks after the commas."""
    assert parse(text) == hs.utility(tp=2, fp=-1)


def test_a_blank_does_not_change_the_sign_of_a_weight():
    """A blank before a weight is no minus sign."""
    assert parse("utility(2, 1, 0, 0)") == hs.utility(tp=2, fp=1)


@pytest.mark.parametrize("beta", [1e-5, 1e6, 5e5 * 2])
def test_extreme_betas_read_back(beta):
    """Every beta that fbeta takes has a name that reads back."""
    assert parse(str(hs.fbeta(beta))) == hs.fbeta(beta)


@pytest.mark.parametrize("beta", [np.float64(0.5), np.float32(0.5), np.int64(2)], ids=repr)
def test_beta_may_come_from_numpy(beta):
    """numpy numbers are numbers."""
    assert hs.fbeta(beta) == hs.fbeta(beta.item())


def test_a_class_keeps_its_trailing_blank():
    """A label is taken verbatim, blanks and all."""
    assert parse("f1:x ").label == "x "


def test_an_own_measure_is_found_by_name_in_above():
    """above={"lift": 5} finds the user's own row by its name, as report["lift"] does."""
    assert hs.score(T, metrics=[MINE], above={"lift": 5}).to_dict()["rows"][0]["above"] == 5
