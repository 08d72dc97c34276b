"""howsure.sklearn held against scikit-learn: the report, scorers, and verbs that are given estimators."""

from __future__ import annotations

import copy
import math
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import howsure as hs
from howsure.errors import BadLabels, BadSetting, HowsureError, UnknownName
from howsure.sklearn import Scorer, scorer
from howsure.sklearn import classification_report as full_report

RNG = np.random.default_rng(11)
NAMES = np.array(["eggs", "ham", "spam"])
TRUE = NAMES[RNG.integers(0, 3, 160)]
SAID = np.where(RNG.random(160) < 0.75, TRUE, NAMES[RNG.integers(0, 3, 160)])
TABLE, TABLE_SAID = RNG.integers(0, 2, (2, 60, 4))
WEIGHT = RNG.random(160) + 0.1

# -- the report


def classification_report(*data, tolerance=0.5, **options):
    """With fewer draws."""
    return full_report(*data, tolerance=tolerance, **options)


DATA = {
    "three classes": (TRUE, SAID, {}),
    "weights": (TRUE, SAID, {"sample_weight": WEIGHT}),
    "0 and 1": (np.array([0, 1] * 10), np.array([0, 1, 1, 1, 0] * 4), {}),
    "bools": ([True, False, True, True], [True, True, False, True], {}),
    "a class that is never true": (["a", "b", "a"], ["a", "c", "a"], {}),
    "a class that is never answered": (["a", "b", "c", "a"], ["a", "b", "b", "a"], {}),
    "one class": ([1, 1, 1], [1, 1, 1], {}),
    "an order of labels": (TRUE, SAID, {"labels": ["spam", "eggs", "ham"]}),
    "some of the labels": (TRUE, SAID, {"labels": ["spam", "ham"]}),
    "one of the labels": (TRUE, SAID, {"labels": ["eggs"]}),
    "a label more": (TRUE, SAID, {"labels": ["beans", "eggs", "ham", "spam"]}),
    "names": (TRUE, SAID, {"target_names": ["Eggs", "Ham", "Spam"]}),
    "many labels": (TABLE, TABLE_SAID, {}),
    "many labels, sparse": (csr_matrix(TABLE), csr_matrix(TABLE_SAID), {}),
    "some of many labels": (TABLE, TABLE_SAID, {"labels": [2, 0]}),
    "Series": (pd.Series(TRUE), pd.Series(SAID), {}),
}
every = pytest.mark.parametrize("case", DATA)


def theirs(case: str, **more):
    true, said, options = DATA[case]
    return metrics.classification_report(true, said, zero_division=0, **options, **more)


@every
def test_numbers_are_those_of_scikit_learn(case):
    """Every key of its dictionary, to the last digit but rounding; ends of intervals stand beside."""
    true, said, options = DATA[case]
    found = classification_report(true, said, output_dict=True, zero_division=0, **options)
    expected = theirs(case, output_dict=True)
    if "samples avg" in expected and len(options.get("labels", range(4))) < 4:
        del expected["samples avg"]  # of some labels: not told
    assert list(expected) == [x for x in found if not x.startswith("accuracy_")]
    for name, row in expected.items():
        if not isinstance(row, dict):
            assert found[name] == pytest.approx(row, abs=1e-15)
            assert found[f"{name}_low"] < found[f"{name}_high"]
            continue
        assert {k: found[name][k] for k in row} == pytest.approx(row, rel=4e-15, abs=4e-15)
        for column in ("precision", "recall", "f1-score"):
            low, high = found[name][f"{column}_low"], found[name][f"{column}_high"]
            assert (
                math.isnan(low) if "labels" in options and len(options["labels"]) < 3 and "avg" in name else low < high
            )


@every
def test_the_layout_is_that_of_scikit_learn(case):
    """Without the intervals and the last line, the text is the same but for blanks."""
    true, said, options = DATA[case]
    text = classification_report(true, said, zero_division=0, **options)
    bare = re.sub(r" \[[-0-9., ]+\]", "", text.rpartition("95% intervals, prior even")[0])
    expected = theirs(case)
    if case == "some of many labels":
        expected = expected.replace("".join(x for x in expected.splitlines() if "samples" in x), "")
    if case != "weights":  # supports are printed with all digits there
        assert [x.split() for x in bare.splitlines() if x] == [x.split() for x in expected.splitlines() if x]


def test_intervals_are_those_of_the_measures():
    """Of each class, and of averages over all."""
    found = classification_report(TRUE, SAID, output_dict=True, level=0.8, interval="hdi", prior="uniform")
    p = hs.posterior(hs.tally(TRUE, SAID), prior="uniform", tolerance=0.5)
    pairs = {
        "recall:ham": ("ham", "recall"),
        "f1:spam": ("spam", "f1-score"),
        "macro-f1": ("macro avg", "f1-score"),
        "weighted-precision": ("weighted avg", "precision"),
    }
    for metric, (row, column) in pairs.items():
        low, high = p[metric].interval(0.8, kind="hdi")
        assert (found[row][f"{column}_low"], found[row][f"{column}_high"]) == (low, high)
    assert found["accuracy_low"] == p["accuracy"].interval(0.8, kind="hdi").low
    assert found != full_report(TRUE, SAID, output_dict=True, level=0.8, interval="hdi", prior="uniform")
    assert "80% hdi intervals, prior uniform" in classification_report(
        TRUE, SAID, level=0.8, interval="hdi", prior="uniform"
    )


def test_priors_that_differ_from_class_to_class():
    """A two-level prior has laws of its own for each class."""
    prior = hs.two_level(within=2, between=3)
    found = classification_report(TRUE, SAID, output_dict=True, prior=prior)
    p = hs.posterior(hs.tally(TRUE, SAID), prior=prior)
    assert found["eggs"]["recall_high"] == p["recall:eggs"].interval().high


def test_what_is_undefined_is_told():
    """A dash in the text, NaN in the dictionary; 0 only where it was asked for."""
    true, said = ["a", "b", "c", "a"], ["a", "b", "b", "a"]
    assert math.isnan(classification_report(true, said, output_dict=True)["c"]["precision"])
    assert re.search(r"c +- \[0\.", classification_report(true, said))
    assert classification_report(true, said, output_dict=True, zero_division=0)["c"]["precision"] == 0


def test_digits_and_widths():
    """As many digits as are asked for; three classes fit 80 columns."""
    assert "0.7500 [0." in classification_report([1, 1, 1, 0], [1, 1, 1, 1], digits=4)
    assert max(map(len, classification_report(TRUE, SAID).splitlines())) <= 80


def test_names_cannot_command_a_terminal():
    """Control characters of labels are shown, not sent."""
    assert "\x1b" not in classification_report(["\x1b[31ma", "b"], ["b", "b"])


REFUSED = {
    "a name too few": ({"target_names": ["x", "y"]}, "target_names= has 2 names for 3 classes"),
    "a level": ({"level": 95}, "Did you mean 0.95?"),
    "an interval": ({"interval": "hdpi"}, "Did you mean 'hdi'?"),
    "digits": ({"digits": 2.5}, "digits= is a whole number"),
    "another zero": ({"zero_division": 1}, "zero_division= is 0, or nan"),
    "a warning": ({"zero_division": "warn"}, "zero_division= is 0, or nan"),
    "a name twice": ({"target_names": ["x", "x", "y"], "output_dict": True}, "two rows are named 'x'"),
    "weights of another length": ({"sample_weight": [1, 2]}, "weights of shape (2,)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_make_no_sense(case):
    """One sentence that names the option."""
    options, words = REFUSED[case]
    with pytest.raises(HowsureError) as error:
        classification_report(TRUE, SAID, **options)
    assert words in str(error.value)


def test_weights_and_unknown_labels_of_many():
    """Sets of labels have no weights, and labels must occur."""
    with pytest.raises(BadSetting, match="sample_weight= goes with one label per item"):
        classification_report(TABLE, TABLE_SAID, sample_weight=np.ones(60))
    with pytest.raises(UnknownName, match="labels= names 9"):
        classification_report(TABLE, TABLE_SAID, labels=[9])


# -- scorers

X, Y = make_classification(160, 5, flip_y=0.2, random_state=3)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
FITTED = clone(MODEL).fit(X[:100], Y[:100])
SAME = {  # a name of ours, or theirs, and what scikit-learn calls it
    "f1": "f1", "f1_macro": "f1_macro", "weighted-precision": "precision_weighted", "recall_score": "recall",
    "balanced_accuracy": "balanced_accuracy", "matthews_corrcoef": "matthews_corrcoef", "accuracy": "accuracy",
    "jaccard": "jaccard", "roc_auc": "roc_auc", "auc": "roc_auc", "average_precision": "average_precision",
    "AP": "average_precision",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_point_scores_are_those_of_scikit_learn(name):
    """In cross-validation of a Pipeline, by our names and by theirs."""
    found = cross_val_score(MODEL, X, Y, scoring=scorer(name), cv=3)
    assert found == pytest.approx(cross_val_score(MODEL, X, Y, scoring=SAME[name], cv=3), abs=1e-12)


def test_ends_and_means_are_those_of_the_posterior():
    """A plain float each, and in order."""
    p = hs.posterior(hs.tally(Y[100:], FITTED.predict(X[100:])))["f1"]
    low, high = p.interval(0.9, kind="hdi")
    told = {"level": 0.9, "interval": "hdi"}
    found = [scorer("f1", of=of, **more)(FITTED, X[100:], Y[100:])
             for of, more in (("low", told), ("mean", {}), ("score", {}), ("high", told))]  # fmt: skip
    assert found == [low, p.mean, p.score, high]
    assert [type(x) for x in found] == [float] * 4


def test_a_search_by_the_pessimistic_end():
    """A grid search in a Pipeline ranks by the low end, and may be cloned."""
    search = GridSearchCV(MODEL, {"logisticregression__C": [1e-3, 1.0]}, scoring=scorer("f1", of="low"), cv=3)
    found = clone(search).fit(X, Y)
    expected = cross_val_score(
        clone(MODEL).set_params(logisticregression__C=1.0), X, Y, scoring=scorer("f1", of="low"), cv=3
    )
    assert found.cv_results_["mean_test_score"][1] == pytest.approx(expected.mean())
    assert found.cv_results_["mean_test_score"][1] < cross_val_score(MODEL, X, Y, scoring="f1", cv=3).mean()
    assert found.score(X, Y) == scorer("f1", of="low")(found.best_estimator_, X, Y)


def test_several_scorers_at_once():
    """A mapping of scorers, theirs among them."""
    both = {"point": scorer("f1"), "low": scorer("f1", of="low"), "theirs": "f1"}
    found = cross_validate(MODEL, X, Y, scoring=both, cv=3)
    assert found["test_point"] == pytest.approx(found["test_theirs"], abs=1e-15)
    assert (found["test_low"] < found["test_point"]).all()


def test_scorers_travel():
    """Pickled, copied and compared, for processes and clones."""
    made = scorer("f1", of="low", level=0.9, positive=1, prior="uniform")
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert isinstance(made, Scorer)
    assert repr(made) == "scorer('f1', of='low')"
    assert pickle.loads(pickle.dumps(made))(FITTED, X, Y) == made(FITTED, X, Y)


def test_lower_is_better_with_the_other_sign():
    """As scikit-learn's neg_ scorers: higher is better, and low is the worse end."""
    p = hs.posterior(hs.tally(Y, FITTED.predict(X)))["fallout"]
    low, high = p.interval()
    assert scorer("fallout")(FITTED, X, Y) == -p.score
    assert scorer("fallout", of="low")(FITTED, X, Y) == -high
    assert scorer("fallout", of="high")(FITTED, X, Y) == -low


def test_undefined_scores_are_nan_with_a_warning():
    """0/0 is no 0; the posterior is there all the same."""
    never = DummyClassifier(strategy="constant", constant=0).fit(X, Y)
    with pytest.warns(UndefinedMetricWarning, match="precision is undefined"):
        assert math.isnan(scorer("precision")(never, X, Y))
    assert 0 < scorer("precision", of="low")(never, X, Y) < 0.01
    with pytest.warns(UndefinedMetricWarning, match="auc is undefined"):
        assert math.isnan(scorer("auc")(FITTED, X[Y == 1], Y[Y == 1]))


def test_weights_reach_the_scorer():
    """As an argument, and by metadata routing."""
    w = np.linspace(0.1, 2.0, 160)
    weighed = scorer("f1")(FITTED, X, Y, sample_weight=w)
    assert weighed == pytest.approx(metrics.f1_score(Y, FITTED.predict(X), sample_weight=w), abs=1e-15)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        ours = scorer("f1").set_score_request(sample_weight=True)
        real = metrics.make_scorer(metrics.f1_score).set_score_request(sample_weight=True)
        found, expected = (
            cross_validate(model, X, Y, scoring=s, cv=3, params={"sample_weight": w})["test_score"]
            for s in (ours, real)
        )
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_positive_class_that_is_a_text():
    """By name; of scores either class may be the positive one."""
    named = np.where(Y == 1, "spam", "ham")
    model = clone(MODEL).fit(X[:100], named[:100])
    truth = named[100:] == "ham"
    assert scorer("f1", positive="ham")(model, X[100:], named[100:]) == pytest.approx(
        metrics.f1_score(truth, model.predict(X[100:]) == "ham"), abs=1e-15
    )
    for fitted in (model, GaussianNB().fit(X[:100], named[:100]), LinearSVC().fit(X[:100], named[:100])):
        way = (
            fitted.decision_function(X[100:])
            if hasattr(fitted, "decision_function")
            else fitted.predict_proba(X[100:])[:, 1]
        )
        expected = metrics.roc_auc_score(truth, -way)
        assert scorer("auc", positive="ham")(fitted, X[100:], named[100:]) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(HowsureError, match="positive"):
        scorer("f1")(model, X, named)


def test_scores_of_one_class_of_three():
    """One class against the rest, by the probabilities."""
    x, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=1)
    model = LogisticRegression().fit(x, y)
    expected = metrics.roc_auc_score(y == 2, model.predict_proba(x)[:, 2])
    assert scorer("auc", positive=2)(model, x, y) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(BadSetting, match="this LogisticRegression has 3 classes, 0, 1, 2: give positive="):
        scorer("auc")(model, x, y)


WRONG = {
    "no metric": ({"metric": "f11x"}, "no metric named 'f11x'"),
    "no end": ({"of": "lowest"}, "Did you mean 'low'?"),
    "no direction": ({"metric": "prevalence"}, "no better direction"),
    "a level of a point": ({"level": 0.9}, "level= goes with of='low'"),
    "an interval of a mean": ({"of": "mean", "interval": "hdi"}, "interval= goes with of='low'"),
    "a prior of a point": ({"prior": "uniform"}, "prior= goes with of='low'"),
    "no prior": ({"of": "low", "prior": "unifrom"}, "Did you mean 'uniform'?"),
    "a level in per cent": ({"of": "low", "level": 95}, "Did you mean 0.95?"),
}


@pytest.mark.parametrize("case", WRONG)
def test_scorers_that_make_no_sense_are_refused_when_made(case):
    """Not in a search, where an error becomes a score."""
    options, words = WRONG[case]
    with pytest.raises(HowsureError) as error:
        scorer(**options)
    assert words in str(error.value)


# -- verbs


def test_estimators_are_asked_for_their_answers():
    """The same report as of truths and predictions."""
    found = hs.score(FITTED, X, Y, metrics=["f1", "phi"], above=0.7)
    assert found == hs.score(Y, FITTED.predict(X), metrics=["f1", "phi"], above=0.7, labels=[0, 1])
    assert hs.score(FITTED, X, y=Y, weight=np.ones(160), metrics="f1").rows[0].score == found["f1"].score


def test_classes_that_do_not_occur_are_known():
    """From classes_; and one that was never learned counts as wrong."""
    x, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=1)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, NAMES[y])
    some = model.predict(x) != "eggs"
    assert hs.score(model, x[some], np.full(some.sum(), "ham")).posterior.evidence.labels == ("eggs", "ham", "spam")
    other = hs.score(model, x, np.where(y == 0, "beans", NAMES[y]), metrics="accuracy").posterior.evidence
    assert other.labels == ("beans", "eggs", "ham", "spam")


def test_several_estimators():
    """By name, on the same items."""
    models = {"line": FITTED, "tree": DecisionTreeClassifier(max_depth=2).fit(X[:100], Y[:100])}
    answers = {name: model.predict(X[100:]) for name, model in models.items()}
    x, y = X[100:], Y[100:]
    assert hs.compare(models, x, y, metric="f1").p_better == hs.compare(y, answers, metric="f1").p_better
    assert hs.leaderboard(models, x, y, metric="f1") == hs.leaderboard(y, answers, metric="f1", labels=[0, 1])
    assert [row.system for row in hs.score(models, x, y, metrics="recall").rows] == ["line", "tree"]


def test_scores_of_estimators():
    """Curves, and measures of scores asked for by their name."""
    scores = FITTED.decision_function(X)
    assert hs.curve(FITTED, X, Y, metrics="auc", tolerance=0.5) == hs.curve(Y, scores, metrics="auc", tolerance=0.5)
    found = hs.score(FITTED, X, Y, metrics=["auc", "AP"], tolerance=0.5)
    assert found["auc"].score == pytest.approx(metrics.roc_auc_score(Y, scores), abs=1e-12)
    models = {"line": FITTED, "bayes": GaussianNB().fit(X[:100], Y[:100])}
    by_name = {"line": scores, "bayes": models["bayes"].predict_proba(X)[:, 1]}
    expected = hs.compare(hs.curve(Y, by_name, tolerance=0.5), "line", "bayes", metric="auc").p_better
    assert hs.compare(models, X, Y, metric="auc", tolerance=0.5).p_better == expected


def test_estimators_of_many_labels():
    """Truths with a column per label."""
    x, y = make_multilabel_classification(80, 6, n_classes=3, random_state=0)
    tree = DecisionTreeClassifier(max_depth=3).fit(x[:50], y[:50])
    found = hs.score(tree, x[50:], y[50:], metrics=["micro-f1", "samples-f1"])
    assert found["micro-f1"].score == pytest.approx(
        metrics.f1_score(y[50:], tree.predict(x[50:]), average="micro"), abs=1e-15
    )
    frame = pd.DataFrame(y[50:], columns=["a", "b", "c"])
    assert hs.score(tree, x[50:], frame).posterior.evidence.labels == ("a", "b", "c")
    assert scorer("f1_micro")(tree, x[50:], y[50:]) == found["micro-f1"].score


class Told:
    """An estimator of no library: answers only."""

    def predict(self, x):
        return [row[0] for row in x]


def test_whatever_predicts_will_do():
    """It need not be of scikit-learn."""
    assert hs.score(Told(), [["a"], ["b"], ["a"]], ["a", "b", "b"], metrics="accuracy")["accuracy"].score == 2 / 3


CALLS = {
    "not fitted": (lambda: hs.score(MODEL, X, Y), BadSetting, "this Pipeline is not fitted yet"),
    "a model not fitted": (
        lambda: hs.curve(LogisticRegression(), X, Y),
        BadSetting,
        "LogisticRegression is not fitted",
    ),
    "a class": (lambda: hs.score(LogisticRegression, X, Y), BadSetting, "LogisticRegression is a class of estimators"),
    "no predict": (lambda: hs.score(StandardScaler().fit(X), X, Y), BadSetting, "StandardScaler has no predict"),
    "no truths": (lambda: hs.score(FITTED, X), BadSetting, "hs.score(estimator, X, y)"),
    "no items": (lambda: hs.leaderboard({"a": FITTED}), BadSetting, "hs.leaderboard({name: estimator}, X, y)"),
    "two without names": (lambda: hs.compare(FITTED, FITTED, X), BadSetting, 'hs.compare({"a": one, "b": two}, X, y)'),
    "one to rank": (lambda: hs.leaderboard(FITTED, X, Y), BadSetting, "takes estimators by name"),
    "a third array": (lambda: hs.score(Y, Y, Y), BadSetting, "a third argument goes with an estimator"),
    "no scores": (lambda: hs.curve(Told(), X, Y), BadSetting, "neither decision_function nor predict_proba"),
    "another length": (lambda: hs.score(FITTED, X, Y[:5]), BadLabels, "5 truths but 160 predictions"),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_that_make_no_sense(case):
    """One sentence that says what to write."""
    call, kind, words = CALLS[case]
    with pytest.raises(kind) as error:
        call()
    assert words in str(error.value)


def test_other_mistakes_are_told_by_the_estimator():
    """A wrong number of columns is scikit-learn's to explain."""
    with pytest.raises(ValueError, match="features"):
        hs.score(FITTED, X[:, :2], Y)


def test_frames_are_no_estimators():
    """Though a column of theirs may be called predict."""
    frame = pd.DataFrame({"predict": [1, 0, 1], "fit": [1, 1, 1]})
    assert hs.score(frame, truth="fit", pred="predict", metrics="recall")["recall"].score == 2 / 3


def test_scikit_learn_is_not_needed():
    """Neither for the report nor for scorers."""
    code = """
import sys, warnings
sys.modules["sklearn"] = None
import howsure as hs
print(hs.sklearn.classification_report([0, 1, 1], [0, 1, 0]))
class Never:
    classes_ = [0, 1]
    def predict(self, x):
        return [0 for _ in x]
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(hs.sklearn.scorer("precision")(Never(), [1, 2], [0, 1]), told[0].category.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "nan UserWarning"
    assert "weighted avg" in done.stdout


def test_nothing_warns():
    """Reports of undefined numbers neither."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classification_report(["a", "b"], ["b", "b"])
        classification_report(["a", "b", "c"], ["b", "b", "c"], labels=["a", "d"])


def test_decisions_between_pairs_of_classes_are_no_scores():
    """Three classes have three pairs: a column per pair must not be read as a column per class."""
    from sklearn.svm import SVC

    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 40)
    x = rng.normal(size=(120, 2)) + np.c_[np.cos(2 * y), np.sin(2 * y)]
    with pytest.raises(BadSetting, match="between pairs of classes"):
        hs.score(SVC(decision_function_shape="ovo").fit(x, y), x, y, metrics="auc", positive=1)
    made = hs.score(SVC(decision_function_shape="ovr").fit(x, y), x, y, metrics="auc", positive=1)
    assert made.to_dict()["rows"][0]["score"] > 0.7


X_FEW = RNG.normal(size=(40, 3))
Y_FEW = (X_FEW[:, 0] > 0).astype(int)


def test_truths_of_another_type_are_refused_as_those_of_arrays_are():
    """Texts of numbers never equal the numbers that an estimator answers."""
    model = LogisticRegression().fit(X_FEW, Y_FEW)
    with pytest.raises(BadLabels) as by_arrays:
        hs.score(Y_FEW.astype(str), model.predict(X_FEW))
    with pytest.raises(BadLabels) as by_estimator:
        hs.score(model, X_FEW, Y_FEW.astype(str))
    assert str(by_estimator.value) == str(by_arrays.value)


@pytest.mark.parametrize("metrics", [None, "auc"])
@pytest.mark.parametrize(
    ("items", "says"),
    [(X_FEW[:, :2], "X has 2 features"), (np.where(X_FEW > 1, np.nan, X_FEW), "Input X contains NaN")],
)
def test_what_an_estimator_refuses_is_told_in_a_sentence(items, says, metrics):
    """The first line of what scikit-learn says, as an error of ours."""
    with pytest.raises(BadSetting, match=f"this LogisticRegression does not take these items: {says}") as refused:
        hs.score(LogisticRegression().fit(X_FEW, Y_FEW), items, Y_FEW, metrics=metrics)
    assert len(str(refused.value).splitlines()) == 1
