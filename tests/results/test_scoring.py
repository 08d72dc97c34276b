"""score: the default tables, the document, and every way to write it out."""

from __future__ import annotations

import copy
import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import BadSetting, NeedsPositive, UnknownName

COUNTS = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
T = hs.Tally.binary(**COUNTS)
TWO = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
THREE = hs.Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 3, 9]], labels=["a", "b", "c"])
EXACT = ["precision", "recall", "f1"]

ENVELOPE = {"schema", "version", "prior", "level", "interval", "seed", "data", "rows", "notes"}
DATA = {"n", "labels", "positive", "systems"}
ROW = {
    "metric", "asked", "system", "slice", "class", "n", "score", "mean", "std", "median", "mode", "low", "high",
    "above", "p_above", "p_above_chance", "error", "route",
}  # fmt: skip


def names(report: hs.Report) -> list[str]:
    return [row["asked"] for row in report.to_dict()["rows"]]


def notes(report: hs.Report) -> dict[str, str]:
    return {note["code"]: note["text"] for note in report.to_dict()["notes"]}


@pytest.fixture(scope="module")
def default() -> hs.Report:
    return hs.score(T, above=0.8)


# -- default tables -----------------------------------------------------------------------------------------------


def test_default_table_of_two_classes_with_a_positive_one(default):
    """Precision, recall, f1, specificity, accuracy, balanced accuracy and mcc."""
    assert names(default) == ["precision", "recall", "f1", "specificity", "accuracy", "balanced-accuracy", "mcc"]


def test_default_table_of_two_classes_without_a_positive_one():
    """Without a positive class each class has its rows, then what is the same for both."""
    rows = names(hs.score(TWO, tolerance=0.2))
    per_class = [f"{m}:{c}" for c in ("ham", "spam") for m in EXACT]
    assert rows == [*per_class, "accuracy", "balanced-accuracy", "mcc"]


def test_default_table_of_many_classes():
    """Each class has precision, recall and f1; accuracy, macro-f1 and weighted-f1 close the table."""
    whole = ["accuracy", "macro-f1", "weighted-f1"]
    assert names(hs.score(THREE)) == [*(f"{m}:{c}" for c in "abc" for m in EXACT), *whole]


def test_default_table_of_outcomes():
    """Hits of trials have one row, the rate."""
    report = hs.score(hs.Tally.rate(hits=47, of=50))
    assert names(report) == ["rate"]
    row = report.to_dict()["rows"][0]
    assert (row["score"], row["n"]) == (0.94, 50)
    assert row["mean"] == pytest.approx(48 / 52)


def test_c_and_i_are_outcomes():
    """Correct and incorrect, in letters as Inspect writes them or in full; other letters are refused, not counted."""
    for right, wrong in (("C", "I"), ("correct", "incorrect")):
        report = hs.score(pd.DataFrame({"grade": [right, wrong, right]}), outcome="grade")
        assert report.to_dict()["rows"][0]["score"] == 2 / 3
    for letter in "PNY":  # partly, no answer (not "no"), and a letter of another pair
        with pytest.raises(hs.HowsureError, match=f"holds '{letter}' beside C and I"):
            hs.tally(pd.DataFrame({"grade": ["C", "I", letter]}), outcome="grade")
    assert hs.tally(pd.DataFrame({"grade": ["Y", "N", "N"]}), outcome="grade").n == 3


def test_a_positive_class_among_many_gives_the_binary_table():
    """With a positive class among three, f1 means f1 of that class against the rest."""
    report = hs.score(THREE, positive="b", metrics=["f1", "f1:b", "accuracy"])
    first, second, accuracy = report.to_dict()["rows"]
    assert first["mean"] == second["mean"]
    assert accuracy["score"] == 21 / 28
    assert report.to_dict()["data"]["cells"] == {"tp": 7, "fp": 4, "fn": 3, "tn": 14}


def test_arrays_are_scored_as_their_tally():
    """score(y, z) is score(tally(y, z))."""
    y, z = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    assert hs.score(y, z, metrics=EXACT).to_dict() == hs.score(hs.tally(y, z), metrics=EXACT).to_dict()
    text = hs.score(["b", "a"], ["b", "b"], positive="b", labels=["a", "b"], weight=[1, 2], metrics="f1")
    assert text.to_dict()["data"]["weighted"] is True


def test_one_name_or_metric_will_do():
    """metrics= takes a single name or Metric as well as a list."""
    assert names(hs.score(T, metrics="f1")) == names(hs.score(T, metrics=hs.fbeta(1))) == ["f1"]


def test_the_name_asked_for_is_shown():
    """An alias is shown as asked and named canonically beside."""
    row = hs.score(T, metrics=["Sensitivity"]).to_dict()["rows"][0]
    assert (row["asked"], row["metric"]) == ("Sensitivity", "recall")


# -- the document -------------------------------------------------------------------------------------------------


def test_document_has_the_keys_of_the_contract(default):
    """Envelope, data and every row have the keys that the design lists."""
    document = default.to_dict()
    assert set(document) >= ENVELOPE
    assert set(document["data"]) >= DATA
    assert document["schema"] == "howsure.score/1"
    assert document["prior"] == {"name": "even", "total": 2}
    assert (document["level"], document["interval"], document["seed"]) == (0.95, "auto", 0)
    for row in document["rows"]:
        assert set(row) >= ROW
        assert {"value", "probability"} <= set(row["error"])
    assert all(set(note) == {"code", "level", "text"} for note in document["notes"])


def test_document_is_plain_json(default):
    """The document goes through strict JSON and comes back equal."""
    document = default.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_rows_hold_what_the_distribution_says(default):
    """Every number of a row is the Distribution's own."""
    for row in default.to_dict()["rows"]:
        d = default[row["asked"]]
        low, high = d.interval()
        expected = (d.mean, d.std, d.median, d.mode, low, high, d.prob_above(0.8), d.error.value, d.error.probability)
        got = [row[k] for k in ("mean", "std", "median", "mode", "low", "high", "p_above")]
        got += [row["error"]["value"], row["error"]["probability"]]
        assert got == pytest.approx(expected, rel=1e-12)
        assert row["low"] < row["median"] < row["high"]
        assert row["route"] == d.route


def test_report_repeats_the_cells(default):
    """The four cells and chi-square stand in the document and in the headline."""
    data = default.to_dict()["data"]
    assert data["cells"] == COUNTS
    assert data["chi_square"]["value"] == pytest.approx(T.chi_square()[0])
    assert "tp 80, fp 20, fn 30, tn 870" in str(default).splitlines()[1]


@pytest.mark.parametrize("name", ["even", "jeffreys", "uniform", 0.25, "two-level"])
def test_document_names_its_prior(name):
    """The prior stands in the document under its name, with its total weight."""
    prior = hs.score(T, metrics="recall", prior=name).to_dict()["prior"]
    assert prior["name"].startswith(str(name))
    assert prior["total"] > 0


def test_notes_name_the_prior_of_each_row():
    """Class rows and accuracy of many classes say which weights they have."""
    texts = [note["text"] for note in hs.score(THREE).to_dict()["notes"] if note["code"] == "prior"]
    assert texts == [
        "prior even: weight 1/2 on each cell of the 2x2 table of class against rest",
        "accuracy, error-rate and micro averages: weight 1 on right and 1 on wrong answers",
        (
            "macro-f1: weight 1 per class, split into right and wrong as in all classes together; "
            "calibrated (docs/explanation/priors.md)"
        ),
        "weighted-f1: weight 1 on right and 1 on wrong answers, shared equally among their cells",
    ]


def test_sampled_rows_say_so(default):
    """A sampled measure says how many draws and how far it may be off; none of the default table is sampled."""
    report = hs.score(T, metrics=["f1", "tetrachoric"], tolerance=0.2)
    assert "tetrachoric is sampled with" in notes(report)["sampled"]
    assert [r["route"] for r in report.to_dict()["rows"]] == ["closed form", "sampled"]
    assert "sampled" not in {r["route"] for r in default.to_dict()["rows"]}


def test_same_seed_same_numbers():
    """Sampled rows are the same for one seed and differ for another."""
    reports = (hs.score(T, metrics="tetrachoric", tolerance=0.2, seed=s) for s in (3, 3, 4))
    a, b, c = (report.to_dict()["rows"][0]["mean"] for report in reports)
    assert a == b != c


# -- settings -----------------------------------------------------------------------------------------------------


def test_above_a_number_is_for_every_row():
    """A plain number is the limit of each row."""
    rows = hs.score(T, metrics=EXACT, above=0.75).to_dict()["rows"]
    assert [r["above"] for r in rows] == [0.75] * 3
    assert rows[0]["p_above"] == pytest.approx(hs.posterior(T)["precision"].sf(0.75))


def test_above_a_mapping_is_by_metric():
    """A mapping sets the limit of the rows it names, by any alias, and leaves the others null."""
    rows = hs.score(T, metrics=EXACT, above={"Sensitivity": 0.7, hs.fbeta(1): 0.75}).to_dict()["rows"]
    assert [r["above"] for r in rows] == [None, 0.7, 0.75]
    assert rows[0]["p_above"] is None


def test_above_must_name_a_row():
    """A limit for a measure that is not in the table is a slip."""
    with pytest.raises(UnknownName, match="above= names 'kappa', which is not among the rows"):
        hs.score(T, metrics=EXACT, above={"kappa": 0.5})


@pytest.mark.parametrize("above", ["0.8", True, float("nan"), float("inf"), [0.8], {"f1": "x"}])
def test_bad_limits_are_refused(above):
    """A limit is a finite number."""
    with pytest.raises(BadSetting, match="above= must be a finite number"):
        hs.score(T, metrics=EXACT, above=above)


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, 95, float("nan"), "0.95", True])
def test_level_lies_between_0_and_1(level):
    """A level outside (0, 1) is refused."""
    with pytest.raises(BadSetting, match="a level lies between 0 and 1"):
        hs.score(T, metrics=EXACT, level=level)


def test_level_and_kind_change_the_interval():
    """A higher level is wider, and the hdi is no longer than the equal-tailed interval."""

    def width(**settings):
        row = hs.score(T, metrics="precision", **settings).to_dict()["rows"][0]
        return row["high"] - row["low"]

    assert width(level=0.5) < width(level=0.95) < width(level=0.999)
    assert width(interval="hdi") < width(interval="equal-tailed")
    assert width(interval="Equal_Tailed") == width()


def test_data_are_given_once():
    """A Tally with predictions, labels or weights beside it, or nothing at all, is refused."""
    with pytest.raises(BadSetting, match="not both"):
        hs.score(T, [0, 1])
    with pytest.raises(BadSetting, match="labels= is for making evidence"):
        hs.score(T, labels=[0, 1])
    with pytest.raises(BadSetting, match="weight= is for making evidence"):
        hs.score(T, weight=[0, 1])
    with pytest.raises(BadSetting, match="score needs evidence, or truths and predictions"):
        hs.score([0, 1])
    with pytest.raises(BadSetting, match="metrics= is empty"):
        hs.score(T, metrics=[])


def test_several_systems_get_their_rows():
    """A joint tally gives each system the rows it has alone."""
    joint = hs.tally([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]})
    rows = hs.score(joint, metrics=["f1", "recall"]).to_dict()["rows"]
    assert [(r["system"], r["metric"]) for r in rows] == [("a", "f1"), ("a", "recall"), ("b", "f1"), ("b", "recall")]
    alone = hs.score(joint.system("b"), metrics="f1").to_dict()["rows"][0]
    assert (rows[2]["low"], rows[2]["high"]) == (alone["low"], alone["high"])


# -- the positive class -------------------------------------------------------------------------------------------


def test_a_metric_that_needs_a_positive_class_says_so():
    """Without a positive class f1 offers both classes and both ways out; symmetric measures do not ask."""
    with pytest.raises(
        NeedsPositive, match=r"f1 needs a positive class: 'ham' or 'spam'\. Give positive=, or ask for f1:spam"
    ):
        hs.score(TWO, metrics="f1")
    with pytest.raises(
        NeedsPositive,
        match="f1 of 3 classes needs a class: ask for macro-f1 of all of them, or f1:a of one, or give positive=",
    ):
        hs.score(THREE, metrics="f1")
    hs.score(TWO, metrics=["accuracy", "informedness", "odds-ratio"])
    assert hs.score(TWO, metrics="f1", positive="spam")["f1"].mean == hs.score(T, metrics="f1")["f1"].mean


def test_outcomes_and_classes_are_told_apart():
    """f1 of outcomes and rate of classes are refused with what to ask for instead."""
    with pytest.raises(BadSetting, match="ask for rate, not f1"):
        hs.score(hs.Tally.rate(hits=1, of=2), metrics="f1")
    with pytest.raises(BadSetting, match="ask for accuracy"):
        hs.score(T, metrics="rate")


# -- what does not exist ------------------------------------------------------------------------------------------


def test_an_undefined_score_is_null_and_its_posterior_is_there():
    """0/0 is null in JSON and "undefined" in the table, with a note; the interval is still there."""
    report = hs.score(hs.Tally.binary(tp=0, fp=0, fn=3, tn=4), metrics=["precision", "recall"])
    row = report.to_dict()["rows"][0]
    assert row["score"] is None
    assert 0 <= row["low"] < row["high"] <= 1
    assert "undefined" in str(report)
    assert notes(report)["undefined-score"] == "precision is undefined (tp + fp = 0); its posterior is not"


def test_an_infinite_mean_is_null_and_listed():
    """A mean that does not exist is null, listed as infinite, shown as "infinite" and explained."""
    report = hs.score(hs.Tally.binary(tp=3, fp=0, fn=1, tn=4), metrics=["lr-plus"])
    row = report.to_dict()["rows"][0]
    assert row["mean"] is None
    assert row["score"] is None
    assert {"mean", "score"} <= set(row["infinite"])
    assert np.isinf(report["lr-plus"].mean)
    assert row["low"] < row["median"] < row["high"]
    assert "infinite" in str(report)
    assert "median" in notes(report)["infinite-mean"]


def test_an_empty_table_gives_the_prior_back():
    """All zeros are the prior's own numbers, said in a note."""
    report = hs.score(hs.Tally.binary(tp=0, fp=0, fn=0, tn=0), metrics=["precision", "accuracy"])
    assert [r["mean"] for r in report.to_dict()["rows"]] == pytest.approx([0.5, 0.5])
    assert "from the prior alone" in notes(report)["no-data"]


EVERY = [m for m in hs.metrics() if m.name != "rate" and not m.any_of and m.route != "sampled"]
QUICK = [m for m in EVERY if m.route == "closed form" or m.name in ("lr-plus", "lr-minus", "odds-ratio")]
HARD = [
    ({"tp": 0, "fp": 0, "fn": 0, "tn": 0}, EVERY),
    ({"tp": 5, "fp": 0, "fn": 0, "tn": 0}, EVERY),
    ({"tp": 0, "fp": 5, "fn": 5, "tn": 0}, QUICK),
    ({"tp": 10**12, "fp": 0, "fn": 1, "tn": 10**12}, QUICK),
    ({"tp": 2**53, "fp": 0, "fn": 0, "tn": 2**53}, QUICK),
]


@pytest.mark.parametrize(("counts", "metrics"), HARD, ids=lambda x: str(x) if isinstance(x, dict) else "")
def test_no_document_holds_a_nan(counts, metrics):
    """The measures of the catalogue on hard tables: strict JSON, and every interval has a width."""
    document = hs.score(hs.Tally.binary(**counts), metrics=metrics, above=0.5).to_dict()
    json.dumps(document, allow_nan=False)
    for row in document["rows"]:
        assert row["high"] is None or row["low"] < row["high"], row["asked"]
        assert 0 <= row["p_above"] <= 1


def test_weighted_items_are_said():
    """Weights are noted, and a sum of weights is the n of the document."""
    report = hs.score([0, 1, 1], [0, 1, 0], weight=[0.5, 1, 1], metrics="f1")
    assert "Kish" in notes(report)["weighted"]
    assert report.to_dict()["data"]["n"] == 2.5


def test_missing_labels_are_said():
    """What was done with missing labels stands in the notes."""
    report = hs.score([0, 1, None], [0, 1, 0], missing="drop", metrics="f1")
    assert notes(report)["missing-dropped"] == "3 rows read: 1 left out for missing values; 2 kept"


# -- batches ------------------------------------------------------------------------------------------------------


def test_a_batch_has_a_row_a_table():
    """Each table of a batch has its own row a measure, equal to scoring it alone."""
    batch = hs.score(hs.Tally.binary(tp=[80, 5], fp=20, fn=30, tn=870), metrics=["f1", "recall"], above=0.7)
    rows = batch.to_dict()["rows"]
    assert [(r["asked"], r["slice"]) for r in rows] == [
        ("f1", {"batch": 0}), ("recall", {"batch": 0}), ("f1", {"batch": 1}), ("recall", {"batch": 1})
    ]  # fmt: skip
    for tp, at in ((80, 0), (5, 1)):
        alone = hs.score(hs.Tally.binary(tp=tp, fp=20, fn=30, tn=870), metrics=["f1"], above=0.7).to_dict()["rows"][0]
        for key in ("score", "mean", "std", "median", "mode", "low", "high", "p_above", "n"):
            assert rows[2 * at][key] == pytest.approx(alone[key], rel=1e-10), key
    assert "batch" in str(batch).splitlines()[2]
    assert [line.split()[0] for line in str(batch).splitlines()[4:8]] == ["0", "0", "1", "1"]


def test_two_batch_axes_are_both_named():
    """A two-dimensional batch has a slice of two coordinates."""
    rows = hs.score(hs.Tally.binary(tp=[[1], [2]], fp=[1, 2, 3], fn=0, tn=0), metrics="precision").to_dict()["rows"]
    assert len(rows) == 6
    assert rows[-1]["slice"] == {"batch": 1, "batch1": 2}


# -- showing ------------------------------------------------------------------------------------------------------


def test_repr_is_one_line(default):
    """One measure shows its interval in the repr; several show their names."""
    assert repr(hs.score(T, metrics="f1")) == "f1 0.762 [0.691, 0.819] 95% equal-tailed, closed form"
    assert repr(default).startswith("Report(precision, recall, f1")
    assert "\n" not in repr(default)


def test_frame_has_a_line_a_row(default):
    """to_frame is a pandas DataFrame of the rows; full=True has nested parts too, joined by a dot."""
    frame = default.to_frame(full=True)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["asked"]) == names(default)
    assert {"mean", "low", "high", "error.value", "route"} <= set(frame.columns)
    assert frame.loc[2, "mean"] == pytest.approx(default["f1"].mean)


def test_csv_has_full_precision(default):
    """Numbers in CSV read back to the same doubles."""
    rows = list(csv.DictReader(io.StringIO(default.to_csv())))
    assert [r["asked"] for r in rows] == names(default)
    assert [float(r["mean"]) for r in rows] == [r["mean"] for r in default.to_dict()["rows"]]


@pytest.mark.parametrize("kind", ["markdown", "latex", "html", "csv"])
def test_every_format_has_every_row(default, kind):
    """Each format holds all rows and ends in a newline."""
    text = getattr(default, f"to_{kind}")()
    assert text.endswith("\n")
    assert all(name in text for name in names(default))


def test_notebooks_get_html(default):
    """_repr_html_ is the HTML table, which the report has too."""
    assert default._repr_html_().startswith('<div class="howsure">')
    assert "<table>" in default._repr_html_()
    assert "<table>" in default.to_html()


def test_rows_are_found_by_name(default):
    """report["f1"] is the Distribution; an unknown row lists those there are."""
    assert default["f1"].mean == hs.posterior(T)["f1"].mean
    with pytest.raises(UnknownName, match="no row 'kappa' in this report; rows: 'precision', 'recall'"):
        _ = default["kappa"]


# -- posterior as a mapping ---------------------------------------------------------------------------------------


def test_a_posterior_is_a_mapping_of_its_measures():
    """Names that make sense for the table are in it, others are not."""
    p = hs.posterior(TWO)
    assert "accuracy" in p
    assert "f1:spam" in p
    for name in ("f1", "rate", "nonsense", "f1:eggs", 5):
        assert name not in p
    assert "phi" in list(p)
    assert len(p) == len(list(p))
    assert list(hs.posterior(hs.Tally.rate(hits=1, of=2))) == ["accuracy", "error-rate", "rate"]


def test_cell_draws_are_shares():
    """Joint draws of the four cells are positive and sum to 1; the same seed repeats them."""
    draws = hs.posterior(T).draws(50, seed=3)
    assert set(draws) == set(COUNTS)
    np.testing.assert_allclose(sum(draws.values()), 1)
    np.testing.assert_array_equal(draws["tp"], hs.posterior(T).draws(50, seed=3)["tp"])


# -- faults found once, held down ----------------------------------------------------------------------------------


def test_draws_do_not_depend_on_what_was_asked_before():
    """Drawing accuracy first leaves the draws of the rate as they are."""
    t = hs.Tally.rate(hits=3, of=10)
    alone = hs.posterior(t)["rate"].draws(5)
    p = hs.posterior(t)
    p["accuracy"].draws(5)
    np.testing.assert_array_equal(p["rate"].draws(5), alone)


@pytest.mark.parametrize("label", ["", "a ", "b\t"], ids=repr)
def test_any_label_has_its_rows(label):
    """Empty labels and labels with blanks at the end have rows like others."""
    y = [label, "x", "y"]
    assert len(hs.score(y, y, tolerance=0.3).to_dict()["rows"]) == 12


def test_labels_that_are_spelled_alike_keep_their_own_rows():
    """The class 1 and the class '1' are different classes with different rows."""
    y, z = [1, 1, 1, 1, "1", "x"], [1, 1, "x", "x", "1", "x"]
    rows = hs.score(y, z, tolerance=0.3).to_dict()["rows"]
    assert sorted(r["score"] for r in rows if r["asked"].startswith("recall:")) == [0.5, 1.0, 1.0]


def test_a_report_does_not_change_with_the_document_it_gave():
    """Writing to a document leaves the report as it was."""
    report = hs.score(T, metrics="f1")
    kept = copy.deepcopy(report.to_dict())
    report.to_dict()["rows"].clear()
    assert report.to_dict() == kept


def test_membership_never_raises():
    """A joint tally has no f1 of its own: the answer is no, and iteration ends."""
    p = hs.posterior(hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]}))
    assert "f1" not in p
    assert list(p) == []


def test_chi_square_is_never_a_silent_nan():
    """An empty margin has no chi-square: it is refused or None, not NaN."""
    try:
        value, _ = hs.Tally.binary(tp=0, fp=0, fn=3, tn=4).chi_square()
    except hs.HowsureError:
        return
    assert value is None


@pytest.mark.parametrize("key", [hs.fbeta(2), "F2", "f2.0"], ids=str)
def test_rows_are_found_however_the_measure_is_named(key):
    """report[...] takes what metrics= takes."""
    report = hs.score(T, metrics=[hs.fbeta(2)])
    assert report[key].mean == hs.posterior(T)["f2"].mean


def test_get_has_a_default():
    """p.get(name, default) gives the default for a measure that the table does not have."""
    assert hs.posterior(T).get("nonsense", 3) == 3


def test_the_positive_outcome_can_be_chosen_or_is_refused():
    """positive="fail" scores failures, or is refused; it is not ignored."""
    try:
        report = hs.score(hs.Tally.rate(hits=1, of=5), positive="fail")
    except hs.HowsureError:
        return
    assert report.to_dict()["rows"][0]["score"] == 0.8


def test_series_are_scored_as_arrays_are():
    """A pandas Series has a method `items`, and is no curve for that."""
    import pandas as pd

    truth, answers = pd.Series([1, 0, 1, 1]), pd.Series([1, 0, 0, 1])
    assert hs.score(truth, answers, metrics="f1")["f1"].mean == hs.posterior(hs.tally(truth, answers))["f1"].mean
