"""The first screen against the numbers of the document, for each verb."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.messages.numbers import short
from howsure.render import findings
from tests.report.pages import MAKERS, Page, T, answers, page, result


def said(name: str) -> dict[str, list[str]]:
    return page(name).answers()


def test_a_score_is_told_with_its_interval():
    """What was measured, the score, both ends, and yes or no to the target."""
    (row,) = result("one").to_dict()["rows"]
    assert page("one").of("title") == ["How sure is f1?"]
    assert page("one").of("h1")[0].startswith("f1 0.762 (95% interval 0.691 to 0.819)")
    assert said("one")["What was measured?"] == ["f1, on 1,000 items."]
    ends = f"{short(row['low'])} to {short(row['high'])}"
    assert said("one")["How sure is it?"] == [f"f1 is {short(row['score'])} (95% interval {ends})."]
    assert said("one")["Is it above the target?"] == [
        f"Probably: f1 is above 0.7 with probability {short(row['p_above'])}."
    ]


@pytest.mark.parametrize(
    ("above", "word"),
    [(0.5, "Yes: "), (0.7, "Probably: "), (0.76, "Too close to call: "), (0.82, "Probably not: "), (0.9, "No: ")],
)
def test_targets_are_answered_as_surely_as_they_are_known(above, word):
    """From .99 on it is yes or no, from .9 on probably, else there is no telling."""
    r = hs.score(T, metrics=["f1"], above=above)
    p = r.to_dict()["rows"][0]["p_above"]
    sure, likely = p >= 0.99 or p <= 0.01, p >= 0.9 or p <= 0.1
    assert (sure, likely) == {"Yes: ": (True, True), "No: ": (True, True)}.get(word, (False, "Prob" in word))
    assert word in r.to_html()


def test_without_a_target_nothing_is_said_of_one():
    """A target that nobody gave is no part of an answer."""
    assert not any("target" in question for question in said("default"))


@pytest.mark.parametrize("metric", ["f1", "error-rate"])
def test_the_better_system_is_told_of_first(metric):
    """Whichever way the metric goes, and whichever came first."""
    y = [1, 1, 1, 0, 0, 0, 1, 0] * 4
    good, bad = [1, 1, 1, 0, 0, 0, 1, 1] * 4, [1, 0, 0, 1, 0, 0, 1, 1] * 4
    told = Page(hs.score(y, {"bad": bad, "good": good}, metrics=[metric]).to_html()).answers()
    assert "good" in told["How sure is it?"][0]
    assert "bad" in told["How sure is it?"][1]


def test_targets_of_what_is_to_be_low_are_below():
    """An error rate surely above its target has failed it; what is to be high and what is to be low are asked apart."""
    r = hs.score(T, metrics=["error-rate", "recall"], above={"error-rate": 0.01, "recall": 0.5})
    told = Page(r.to_html()).answers()
    assert told["Is it below the target?"] == ["No: error-rate is below 0.01 with probability below 0.0001."]
    assert told["Is it above the target?"][0].startswith("Yes: recall is above 0.5")
    p = r.to_dict()["rows"][0]["p_above"]
    assert p > 0.9999
    once = hs.forecast(hs.posterior(T), n=50, metric="error-rate", above=0.1)
    chance = short(1 - once.to_dict()["rows"][0]["p_above"])
    sentence = f"Probably: error-rate is at or below 0.1 with probability {chance}."
    assert Page(once.to_html()).answers()["Is it below the target?"] == [sentence]


def test_the_usual_measure_is_the_headline():
    """f1 of two classes, macro-f1 of more, and the one with a target before others."""
    assert said("default")["How sure is it?"][0].startswith("f1 is ")
    assert said("classes")["How sure is it?"][0].startswith("macro-f1 is ")
    aimed = hs.score(T, above={"recall": 0.5}).to_html()
    assert '<dd dir="auto">recall is ' in aimed


def test_slices_that_are_surely_worse_are_named():
    """The one that was made worse, by its whole interval, and no other."""
    document = result("slices").to_dict()
    whole = next(row for row in document["rows"] if row["overall"] and row["asked"] == "f1")
    worse = [
        row["slice"]["region"] for row in document["rows"]
        if row["slice"] and row["asked"] == "f1" and row["high"] < whole["score"] and row["marked"]
    ]  # fmt: skip
    sentence, *others = said("slices")["Which slices are surely worse?"]
    assert worse == ["r2"]
    assert sentence.startswith("region=r2: f1 0.")
    assert sentence.endswith(f", overall {short(whole['score'])}.")
    assert all(x.startswith("region=r2: ") for x in others if "more" not in x)


def test_a_slice_without_a_name_is_called_missing():
    """In sentences as in the table: never None."""
    y, z = answers(300, 0.9, 8)
    g = [None if i % 3 == 0 else f"r{i % 3}" for i in range(300)]
    z = [1 - b if g[i] is None else a for i, (a, b) in enumerate(zip(z, y, strict=True))]
    r = hs.score({"y": y, "z": z, "g": g}, truth="y", pred="z", by="g", metrics=["accuracy"])
    told = Page(r.to_html()).answers()["Which slices are surely worse?"]
    assert told[0].startswith("g=(missing): accuracy 0.")
    assert findings.named(next(row for row in r.to_dict()["rows"] if row["slice"] == {"g": None})) == (
        "accuracy, g (missing)"
    )


def test_slices_of_a_measure_that_is_to_be_low():
    """Of an error rate the surely worse slices are above."""
    y, z = answers(600, 0.9, 8)
    g = [f"r{i % 3}" for i in range(600)]
    z = [1 - b if (i % 3 == 0) else a for i, (a, b) in enumerate(zip(z, y, strict=True))]
    r = hs.score({"y": y, "z": z, "g": g}, truth="y", pred="z", by="g", metrics=["error-rate"])
    assert "g=r0: error-rate " in r.to_html()


def test_a_batch_has_no_slices_and_no_whole():
    """Tables of a batch are told one by one: none of them is all items, and none is worse than the first."""
    r = hs.score(hs.Tally.binary(tp=[5, 6], fp=[1, 2], fn=[3, 4], tn=[80, 90]), metrics=["f1"])
    told = Page(r.to_html()).answers()
    assert "Which slices are surely worse?" not in told
    assert told["What was measured?"] == ["f1, on 191 items in 2 tables."]
    assert [x.partition(" is ")[0] for x in told["How sure is it?"]] == ["f1, batch 0", "f1, batch 1"]


def test_of_several_systems_the_leader_is_named():
    """By its score, with where to ask how sure that is."""
    rows = [row for row in result("systems").to_dict()["rows"] if row["asked"] == "f1"]
    lead = max(rows, key=lambda row: row["score"])
    (sentence,) = said("systems")["Which is best?"]
    assert (
        sentence == f"{lead['system']} has the highest f1 ({findings.numbers_of(lead)}); hs.leaderboard says how sure."
    )


def test_of_many_systems_the_best_are_told_and_the_others_counted():
    """Best first, so that the leader is among those told, and how many more there are, also of measures."""
    y, _ = answers(300, 1.0, 3)
    wrong = {f"s{i}": [1 - a if k % 20 < 9 - i else a for k, a in enumerate(y)] for i in range(7)}
    told = Page(hs.score(y, wrong, metrics=["f1", "recall"]).to_html()).answers()
    assert [x.partition(" is ")[0] for x in told["How sure is it?"]] == [
        "f1 of s6", "f1 of s5", "f1 of s4", "f1 of s3", "3 more systems are in the table.", "1 more measure"
    ]  # fmt: skip
    assert told["Which is best?"][0].startswith("s6 has the highest f1")


def test_what_is_left_out_is_counted():
    """Measures of comparisons, rows of predictions, and requirements."""
    metrics = ["f1", "recall", "precision", "accuracy", "specificity", "phi"]
    pair = hs.compare(*(hs.Tally.binary(tp=40 + k, fp=9, fn=13, tn=88) for k in (0, 5)), metrics=metrics)
    told = Page(pair.to_html()).answers()
    assert told["Which is best?"][4:] == told["By how much?"][4:] == ["2 more measures are in the table."]
    gate = hs.gate(hs.posterior(T), [f"{m} > 0.99" for m in metrics[:5]])
    assert Page(gate.to_html()).answers()["What does not pass?"][4:] == ["1 more requirement is in the table."]


@pytest.mark.parametrize("name", ["compare", "several", "wins", "folds"])
def test_comparisons_give_their_verdict_and_the_difference(name):
    """The verdict of the document, and the interval of the difference, for each measure."""
    rows = result(name).to_dict()["rows"]
    assert said(name)["Which is best?"] == [f"{row['verdict']}." for row in rows]
    for row, sentence in zip(rows, said(name)["By how much?"], strict=True):
        gap, error = row["difference"], row["error"]
        low, high = (short(gap[k], error=error.get(k, error["value"])) for k in ("low", "high"))
        assert f"between {low} and {high} (95% interval)" in sentence


def test_systems_on_different_items_have_an_n_each():
    """In the first screen and under the charts; folds are counted too."""
    a, b = hs.Tally.binary(tp=50, fp=10, fn=3, tn=1080), hs.Tally.binary(tp=40, fp=1, fn=13, tn=88)
    for made in (hs.compare(a, b, names=("a", "b"), metrics=["f1"]), hs.leaderboard({"a": a, "b": b}, metrics=["f1"])):
        told = Page(made.to_html()).answers()
        assert told["What was measured?"] == ["f1 of a and b, on different items: 1,143 of a and 142 of b."]
        assert all("n = 1,143 (a) and 142 (b)" in chart.caption for chart in made.charts().values())
    assert said("folds")["What was measured?"] == ["score of a and b, on the same 3 folds."]


@pytest.mark.parametrize("name", ["leaderboard", "trec"])
def test_boards_name_the_best(name):
    """The verdict of the document, and how sure the leader's score is."""
    document = result(name).to_dict()
    assert said(name)["Which is best?"][0] == f"{document['verdict']}."
    assert short(document["rows"][0]["score"]) in said(name)["How sure is it?"][0]


def test_a_curve_has_its_area_and_its_threshold():
    """The score of the first measure, and what is told of the best threshold where there is one."""
    row = result("curve").to_dict()["rows"][0]
    assert said("curve")["How sure is it?"][0].startswith(f"auc is {short(row['score'])} (")


def test_gates_plans_predictions_and_solutions_answer():
    """Each in the words of its document."""
    gate = result("gate").to_dict()
    assert said("gate")["Does it pass?"] == [f"{gate['verdict']}."]
    assert all(x.startswith("recall > 0.9") for x in said("gate")["What does not pass?"])
    assert said("plan")["What was found?"] == [f"{result('plan').to_dict()['verdict']}."]
    row = result("forecast").to_dict()["rows"][0]
    assert f"between {short(row['low'])} and {short(row['high'])}" in said("forecast")["What is to be expected?"][0]
    assert said("infeasible")["What follows?"][0].startswith("infeasible: ")
    assert "tp 30, fp 10, fn 20, tn 140." in said("solve")["What follows?"]


def test_what_has_no_end_is_called_infinite():
    """A likelihood ratio with no false positive is not undefined."""
    assert said("infinite")["How sure is it?"][0].startswith("lr-plus is infinite on these items (")


def test_other_priors_are_computed_and_not_copied():
    """The headline under each usual prior, as hs.score gives it."""
    texts = page("one").of("td", "th")
    for prior in ("even", "jeffreys", "uniform"):
        row = hs.score(T, metrics=["f1"], prior=prior).to_dict()["rows"][0]
        assert findings.span(row) in texts
    assert "even (used here)" in texts


@pytest.mark.parametrize("prior", [0.1, [[1, 2], [3, 4]], "uniform"], ids=str)
def test_the_prior_used_is_among_the_others(prior):
    """Also one that has no name; the chart and the table are of the headline, and show the same."""
    r = hs.score(T, prior=prior)
    document = r.to_dict()
    used, made = document["prior"]["name"], Page(r.to_html())
    row = next(row for row in document["rows"] if row["asked"] == "f1")
    at = made.of("td", "th").index(f"{used} (used here)")
    numbers = [short(row["score"]), short(row["median"]), findings.span(row)]
    assert made.of("td", "th")[at : at + 4] == [f"{used} (used here)", *numbers]
    drawn = r.plot("priors")
    assert drawn.title == "How much does the prior matter to f1?"
    labels = [x["label"] for layer in drawn.body["layer"] for x in layer["data"]["values"] if "label" in x]
    assert f"median {findings.numbers_of(row | {'score': row['median']})}" in labels
    assert [x for x in labels if x.startswith("prior ")] == [f"prior {x}" for x in dict.fromkeys(
        [*([] if used == "uniform" else [used]), "even", "jeffreys", "uniform"])]  # fmt: skip


def test_priors_of_a_ratio_are_told_by_a_factor():
    """A likelihood ratio has a logarithmic axis, and its ends move by a factor."""
    r = hs.score(hs.Tally.binary(tp=8, fp=1, fn=3, tn=80), metrics=["lr-plus"])
    highs = [x.to_dict()["rows"][0]["high"] for x in r.under_priors()]
    drawn = r.plot("priors")
    assert drawn.says.endswith(f"lr-plus move by a factor of {short(max(highs) / min(highs))} at most.")
    scales = [layer["encoding"]["x"]["scale"] for layer in drawn.body["layer"] if "scale" in layer["encoding"]["x"]]
    assert {scale["type"] for scale in scales} == {"log"}


def test_other_priors_take_the_headline_alone(monkeypatch):
    """Slices are not computed again under each prior: the chart and the table share one row for each."""
    monkeypatch.setattr(hs.Report, "_under", lambda *_: pytest.fail("the whole report was computed again"))
    r = MAKERS["slices"]()
    assert r.plot("priors").title == "How much does the prior matter to f1?"
    assert r._under_priors() is r._under_priors()


def test_priors_of_the_headline_are_those_of_the_whole_report():
    """Each line of the table of priors is the row that the report has under that prior, of the system it names."""
    y, z = [1, 0, 1, 1, 0, 0, 1, 0] * 5, [1, 0, 0, 1, 0, 1, 1, 0] * 5
    for r in (hs.score(T), hs.score(y, {"a": z, "b": y}, metrics=["recall", "f1"])):
        for line, whole in zip(r._under_priors(), r.under_priors(), strict=True):
            row = next(x for x in whole.to_dict()["rows"] if (x["asked"], x["system"]) == ("f1", line["system"]))
            assert {k: x for k, x in line.items() if k != "prior"} == row
            assert line["prior"] == whole.to_dict()["prior"]["name"]


def test_the_headline_of_a_curve_is_at_the_threshold_that_was_asked_for():
    """It is what was asked for; without a threshold it is the area."""
    y, s = [1, 0, 1, 1, 0, 0], [0.9, 0.2, 0.4, 0.8, 0.5, 0.1]
    for metrics, chief in ((["auc", "recall@0.45"], "recall@0.45"), (["AP", "precision@recall=0.9", "auc"], "auc")):
        (row,) = findings.headlines(hs.curve(y, s, metrics=metrics, tolerance=0.2).to_dict())
        assert row["asked"] == chief


def test_the_matrix_has_its_sums():
    """Cells in the places of their names, with both margins."""
    text = page("one").of("td", "th")
    at = text.index("truth")
    assert text[at : at + 16] == [
        "truth", "answered positive", "answered negative", "all",
        "positive", "80", "30", "110", "negative", "20", "870", "890", "all", "100", "900", "1,000",
    ]  # fmt: skip


def test_assumptions_are_those_of_the_result():
    """Slices, pairs, thresholds, gates and sums each have theirs, and no other has them."""
    kinds = {
        "Slices were chosen": {"slices"},
        "All systems answered the same items.": {"compare", "several", "wins", "leaderboard"},
        "Requirements were set": {"gate"},
        "The next items come": {"forecast"},
        "Future items are like": {"plan"},
        "All reported values are of one table": {"solve"},
        "Scores of folds": {"folds"},
        "Judgments are right": {"trec"},
    }
    every = ("one", "classes", "slices", "compare", "several", "wins", "leaderboard", "gate", "forecast", "plan",
             "solve", "folds", "trec")  # fmt: skip
    for text, names in kinds.items():
        assert {name for name in every if any(x.startswith(text) for x in page(name).of("strong"))} == names


MATRIX = hs.Tally.matrix([[50, 2, 1], [4, 40, 3], [2, 2, 60]], labels=["a", "b", "c"])


def _prior_told(result) -> str:
    (found,) = [x for x in Page(result.to_html()).of("strong") if x.startswith("Before the data")]
    return found.removeprefix("Before the data, what was known is the prior ")


@pytest.mark.parametrize(
    ("metrics", "prior", "told"),
    [
        (["macro-f1"], "even", "even, worth 3 items in all: 1 per class."),
        (["f1:a", "accuracy"], "even", "even, worth 2 items in all."),
        (["f1:a", "macro-f1"], "even", "even, worth 2 items in all, but for macro-f1 3 items in all: 1 per class."),
        (["f1:a", "accuracy"], "jeffreys",
         "jeffreys, worth 2 items in all for one class against the rest, and 4.5 items for all classes together."),
    ],
)  # fmt: skip
def test_the_prior_is_told_for_the_measures_shown(metrics, prior, told):
    """Averages in which classes count alike have weight 1 per class; one class has a table of its own."""
    assert _prior_told(hs.score(MATRIX, metrics=metrics, prior=prior)) == told


def test_the_prior_is_told_of_other_results_too():
    """Two classes weigh as much together as alone; comparisons, clusters and sets of labels have their own words."""
    assert _prior_told(hs.score(T, metrics=["f1", "macro-f1"], tolerance=0.2)) == "even, worth 2 items in all."
    y = np.arange(60) % 3
    answered = {"a": np.where(np.arange(60) % 7, y, 0), "b": np.where(np.arange(60) % 5, y, 1)}
    assert _prior_told(hs.compare(y, answered, tolerance=0.2)) == "even, worth 1 item per class."
    frame = {"y": y % 2, "z": answered["a"] % 2, "c": np.arange(60) // 3}
    clustered = hs.score(frame, truth="y", pred="z", cluster="c", metrics=["f1"])
    assert _prior_told(clustered) == "even, worth 2 clusters in all."
    sets = hs.Tally.multilabel([["a"], ["b", "a"], ["c"]], [["a"], ["b"], ["a"]])
    assert _prior_told(hs.score(sets, tolerance=0.2)) == "even; what it weighs in each measure is told below."


def test_a_judge_is_told_of_and_not_taken_at_its_word():
    """The first screen names the judge and the validation; the assumptions are on people, not on the judge."""
    sample, judge = hs.Tally.binary(tp=60, fp=12, fn=3, tn=25), hs.Tally.rate(hits=700, of=1000)
    here, there = (Page(hs.score(hs.correct_judge(judge, sample, external=x)).to_html()) for x in (False, True))
    corrected = "Labels are a judge's; what people said on 100 items{} corrects for its errors."
    assert here.answers()["What was measured?"][1:] == [corrected.format("")]
    assert there.answers()["What was measured?"][1:] == [corrected.format(" from elsewhere")]
    for made, text in ((here, "The items that people labelled are a random part"), (there, "The judge has the same")):
        assumed = made.of("strong")
        assert not any(x.startswith(("A pass is a pass", "The labels that are called truth")) for x in assumed)
        assert any(x.startswith("Labels of people are right") for x in assumed)
        assert sum(x.startswith(("The items that people", "The judge has")) for x in assumed) == 1
        assert any(x.startswith(text) for x in assumed)
    verdicts = {"a": [1, 0] * 50, "b": [1, 1] * 50}
    pair = Page(hs.compare(hs.correct_judge(verdicts, {"a": sample, "b": sample}), tolerance=0.2).to_html())
    assert pair.answers()["What was measured?"][1].startswith("Labels are a judge's; what people said on some")
    assert any(x.startswith("Labels of people are right") for x in pair.of("strong"))
