"""Warnings about data that cannot answer the question: shifted labels, ids as predictions, thresholds, scales."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.messages.notes import WARNINGS
from tests.tiers import rough

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, 120)
SCORES = RNG.random(400)
HIT = RNG.random(400) < SCORES
GRADES = RNG.random(40)


def _codes(result: Any) -> list[str]:
    """Return the codes of the warnings of a result."""
    return [n.code for n in result.notes if n.level == "warning"]


# -- labels


@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize("kind", [int, str])
def test_labels_shifted_by_one_are_warned_about(by: int, kind: type) -> None:
    """Classes counted from 0 and from 1, as numbers or as texts, with a few other mistakes."""
    pred = np.where(np.arange(120) % 20 == 0, TRUTH, TRUTH + by)
    found = hs.score([kind(x) for x in TRUTH + 1], [kind(x) for x in pred + 1], metrics="accuracy")
    assert _codes(found) == ["shifted-labels"]
    text = next(n.text for n in found.notes if n.code == "shifted-labels")
    assert text.startswith(f"predictions are the true labels {by:+d} for 95% of items (true labels 1 to 3, predictions")


def test_shifted_labels_are_found_in_clusters_slices_and_systems() -> None:
    """The system that is shifted is named."""
    frame = {"y": TRUTH, "a": TRUTH, "b": TRUTH + 1, "part": np.arange(120) % 4}
    text = hs.tally(frame, truth="y", pred=["a", "b"], by="part").notes[0].text
    assert text.startswith("predictions of b are the true labels +1 for 100% of items")
    assert _codes(hs.tally(frame, truth="y", pred="b", cluster="part")) == ["shifted-labels"]


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        (TRUTH, TRUTH),
        (TRUTH, np.where(np.arange(120) % 5 == 0, TRUTH, TRUTH + 1)),  # 80%
        (TRUTH, (TRUTH + 1) % 3),  # two thirds: classes swapped in a circle
        (np.zeros(50, dtype=int), np.ones(50, dtype=int)),  # a classifier that is always wrong
        ([0, 1, 2, 3], [1, 2, 3, 4]),  # four items tell nothing
        (list("abcabcabc"), list("bcdbcdbcd")),
    ],
)
def test_other_mistakes_are_not_called_shifted(truth: Any, pred: Any) -> None:
    """Only a shift of nearly all items, of two labels or more."""
    assert "shifted-labels" not in _codes(hs.tally(truth, pred))


@pytest.mark.parametrize("ids", [np.arange(120), [f"row-{i}" for i in range(120)]], ids=["numbers", "texts"])
def test_ids_in_place_of_predictions_are_warned_about(ids: Any) -> None:
    """Nearly every predicted value occurs once, and true labels repeat."""
    truth = TRUTH if isinstance(ids, np.ndarray) else [f"row-{x}" for x in TRUTH]
    found = hs.score(truth, ids, metrics=["accuracy"])
    assert _codes(found) == ["id-predictions"]
    assert "of 120 predictions, 120 occur only once, though true labels repeat" in str(found)


ROWS = [f"{x},{i + 100},{i // 4 + 100}" for i, x in enumerate(TRUTH)]


@pytest.mark.parametrize(
    ("head", "pred", "column"),
    [
        ("label,id,case_id", "id", "id"),
        ("label,row_no,caseId", "caseId", "caseId"),  # an id that repeats
        ("label,id,case_id,pred", "pred", "id"),
        ("label,number,case_id,pred", "pred", "number"),  # whole numbers that occur once
    ],
)
def test_predictions_that_equal_an_id_column_are_warned_about(
    head: str, pred: str, column: str, tmp_path: Path
) -> None:
    """The column is named, one warning per system; the same of files and frames, and of one of two systems."""
    rows = ROWS if "pred" not in head else [f"{row},{row.split(',')[1]}" for row in ROWS]
    path = tmp_path / "ids.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    columns: dict[str, Any] = dict(
        zip(head.split(","), zip(*(map(int, r.split(",")) for r in rows), strict=True), strict=True)
    )
    for data in (path, columns):
        found = [n for n in hs.tally(data, truth="label", pred=pred).notes if n.code == "id-predictions"]
        assert [n["column"] for n in found] == [column]
        assert found[0].text.startswith(f"predictions are the values of column {column!r}, which looks like ids: ")
    both = hs.tally({**columns, "other": columns["label"]}, truth="label", pred=["other", pred]).notes
    assert [n["system"] for n in both if n.code == "id-predictions"] == [f" of {pred}"]


def test_equal_columns_that_are_no_ids_have_no_warning() -> None:
    """A copy of the predictions, ids among the true labels, and predictions that are mostly right."""
    texts = [f"answer {i}" for i in range(60)]
    gold = [x if i % 3 == 0 else f"gold {i}" for i, x in enumerate(texts)]
    assert _codes(hs.tally({"gold": gold, "pred": texts, "raw": texts}, truth="gold", pred="pred")) == []
    ids = list(range(60))
    assert _codes(hs.tally({"gold": ids, "pred": ids, "id": ids}, truth="gold", pred="pred")) == []


def test_predictions_of_the_next_or_the_previous_row_are_warned_about(tmp_path: Path) -> None:
    """In arrays, frames and files; labels that are swapped, and sorted rows, are no shift."""
    labels = ["ham" if x else "spam" for x in RNG.random(300) < 0.6]
    late, early = [labels[0], *labels[:-1]], [*labels[1:], labels[0]]
    path = tmp_path / "rows.csv"
    path.write_text("label,pred\n" + "".join(f"{x},{y}\n" for x, y in zip(labels, early, strict=True)))
    for found, row in (
        (hs.score(labels, late, positive="spam"), "previous"),
        (hs.score(labels, early), "next"),
        (hs.score(np.equal(labels, "ham"), np.equal(early, "ham")), "next"),
        (hs.score(path, positive="spam"), "next"),
        (hs.tally({"y": labels, "p": early}, truth="y", pred="p"), "next"),
        (hs.tally({"y": labels, "p": early, "c": np.arange(300) // 3}, truth="y", pred="p", cluster="c"), "next"),
        (hs.tally(labels, early, cluster=np.arange(300) // 3), "next"),
    ):
        assert [n["row"] for n in found.notes if n.code == "shifted-labels"] == [row]
    swapped = ["ham" if x == "spam" else "spam" for x in ["ham", "spam"] * 30]
    for truth, pred in ((["ham", "spam"] * 30, swapped), (sorted(labels), sorted(late)), (labels, labels)):
        assert _codes(hs.score(truth, pred, positive="spam", metrics="accuracy")) == []


def test_free_texts_that_are_as_rare_as_the_truths_are_no_ids() -> None:
    """Answers that are matched word by word, and a few items, have no warning."""
    texts = [f"answer {i}" for i in range(60)]
    assert _codes(hs.tally(texts, [*texts[:40], *(f"other {i}" for i in range(20))])) == []
    assert _codes(hs.tally([0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5])) == []


# -- scores


@pytest.mark.parametrize(("at", "called"), [(50, 0), (-1, 400)])
def test_a_threshold_off_the_scale_of_the_scores_is_warned_about(at: float, called: int) -> None:
    """As an option of tables, and as part of a metric, of one system and of two."""
    want = f"threshold {at} calls {called} of 400 items positive: is the threshold on the scale of the scores?"
    frame = {"y": HIT.astype(int), "s": SCORES}
    curve, two = hs.curve(HIT, SCORES), hs.curve(HIT, {"a": SCORES, "b": SCORES**2})
    for found in (
        hs.score(frame, truth="y", score="s", threshold=at),
        hs.score(curve, metrics=[f"f1@{at}"]),
        hs.compare(two, metric=f"f1@{at}"),
        hs.gate(curve, [f"recall@{at} > 0.01"]),
    ):
        assert [n.text for n in found.notes if n.level == "warning"] == [want]
    several = hs.score(frame, truth="y", score="s", threshold=[0.5, at])
    assert [n["threshold"] for n in several.notes if n.code == "threshold-extreme"] == [at]


def test_rare_positives_that_are_called_so_are_no_reason_to_warn() -> None:
    """A cut that few items reach is right where few are positive."""
    scores = np.linspace(0, 1, 10_000)
    frame = {"y": (scores > 0.998).astype(int), "s": scores}
    assert _codes(hs.score(frame, truth="y", score="s", threshold=0.997)) == []
    assert _codes(hs.score(frame, truth="y", score="s", threshold=0.99999)) == ["threshold-extreme"]


def test_an_auc_below_one_half_asks_whether_scores_are_reversed() -> None:
    """In scores, curves, comparisons, boards and gates; not where the interval reaches one half."""
    given = {"metrics": "auc", "tolerance": 0.2}
    curve, two = hs.curve(HIT, 1 - SCORES, **given), hs.curve(HIT, {"up": SCORES, "down": 1 - SCORES}, **given)
    text = "the whole 95% interval of auc is below 0.5, worse than guessing: are the scores reversed?"
    assert next(n.text for n in hs.score(curve).notes if n.level == "warning").startswith(text)
    for found in (curve, hs.gate(curve, ["auc > 0.1"]), hs.compare(two), hs.leaderboard(two)):
        assert _codes(found) == ["auc-reversed"]
    assert "interval of auc of down is" in hs.leaderboard(two).notes[0].text
    assert _codes(hs.score(hs.curve(HIT, SCORES, **given))) == []
    assert _codes(hs.score(hs.curve(HIT, RNG.random(400), **given))) == []


# -- true negatives

FOUND = (("x", "x"),) * 80 + (("o", "x"),) * 12 + (("x", "o"),) * 9


def test_metrics_of_true_negatives_are_not_shown_for_data_that_have_none() -> None:
    """Spans that were found or should have been, as counts, columns, clusters and slices; whoever asks sees them."""
    truth, pred = map(list, zip(*FOUND, strict=True))
    frame = {"y": truth, "p": pred, "q": pred, "part": np.arange(len(truth)) % 7}
    for found in (
        hs.score(hs.Tally.binary(tp=80, fp=12, fn=9, tn=0)),
        hs.score(truth, pred, positive="x"),
        hs.score(frame, truth="y", pred=["p", "q"], positive="x"),
        hs.score(frame, truth="y", pred="p", positive="x", by="part"),
        hs.score(frame, truth="y", pred="p", positive="x", cluster="part"),
    ):
        assert {row["metric"] for row in found.to_dict()["rows"]} == {"precision", "recall", "f1"}
        (text,) = (n.text for n in found.notes if n.code == "no-true-negatives")
        assert "specificity, accuracy, balanced-accuracy, mcc are not shown" in text
    asked = hs.score(truth, pred, positive="x", metrics=["accuracy", "f1"])
    assert [row["metric"] for row in asked.to_dict()["rows"]] == ["accuracy", "f1"]
    assert "no-true-negatives" not in {n.code for n in asked.notes}


@pytest.mark.parametrize("cells", [(80, 12, 9, 1), (80, 12, 0, 0), (8, 2, 1, 0), (2, 50, 50, 0)])
def test_classifiers_without_a_true_negative_show_all_metrics(cells: tuple[int, ...]) -> None:
    """One that always says yes, one that has seen hardly any negative, and one whose labels are swapped."""
    found = hs.score(hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))))
    assert len(found.rows) == 7


# -- graded values


@pytest.mark.parametrize("verb", [hs.compare, hs.leaderboard])
def test_graded_values_of_unlike_scales_are_warned_about(verb: Any) -> None:
    """Shares against percentages; score shows both, each by itself."""
    unlike = hs.graded({"share": GRADES, "percent": 100 * GRADES + 1})
    assert _codes(verb(unlike)) == ["unlike-scales"]
    assert _codes(hs.score(unlike)) == []
    assert _codes(verb(hs.graded({"a": GRADES / 10, "b": 1 - GRADES / 10}))) == []  # both are shares
    assert _codes(verb(hs.graded({"a": 4 * GRADES + 1, "b": 9 * GRADES + 1}))) == []  # they overlap


def test_unlike_scales_are_found_in_files_of_different_items_and_in_slices() -> None:
    """Whether items are paired or not."""
    apart = hs.compare(hs.graded(list(GRADES)), hs.graded(list(100 * GRADES + 1)))
    assert _codes(apart) == ["unlike-scales"]
    frame = {"a": GRADES, "b": 100 * GRADES + 1, "part": np.arange(40) % 2}
    assert _codes(hs.compare(frame, value=["a", "b"], by="part")) == ["unlike-scales"]


# -- gates


GATED = {
    "auc-reversed": (hs.curve(HIT, -SCORES), "auc < 0.4", "auc > 0.6", {}),
    "threshold-extreme": (
        {"y": (np.arange(400) < 60).astype(int), "s": SCORES}, "accuracy > 0.5", "accuracy > 0.95",
        {"truth": "y", "score": "s", "threshold": 50},
    ),
    "unlike-scales": (
        {"a": 100 * GRADES + 1, "b": GRADES, "c": GRADES}, "mean not worse", None, {"value": ["a", "b"]}
    ),
    "similar-labels": (
        {"y": ["a", "b"] * 30, "p": ["a", "b"] * 29 + ["a ", "b"]}, "accuracy > 0.5", "accuracy < 0.2",
        {"truth": "y", "pred": "p"},
    ),
    "no-common-label": (
        {"y": ["no", "yes"] * 30, "p": ["n", "y"] * 30}, "accuracy < 0.9", "accuracy > 0.5", {"truth": "y", "pred": "p"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", GATED)
def test_no_gate_passes_on_a_warning_and_failures_stay(code: str) -> None:
    """Numbers that may mean something else are no reason to pass; what is not good enough still fails."""
    data, passing, failing, columns = GATED[code]
    (row,) = hs.gate(data, passing, **columns).to_dict()["rows"]
    assert (row["status"], row["reason"], row["more"]) == ("inconclusive", code, None)
    assert failing is None or hs.gate(data, failing, **columns).status == "fail"


def test_averages_over_more_classes_than_were_simulated_are_warned_about() -> None:
    """Accuracy, macro-recall and single classes are not."""
    y = np.tile(np.arange(150), 4)
    z = np.where(np.arange(600) % 10, y, 0)
    for metric, want in (("macro-f1", ["many-classes"]), ("accuracy", []), ("macro-recall", []), ("f1:3", [])):
        assert _codes(hs.score(y, z, metrics=[metric], tolerance=0.01)) == want, metric
    assert hs.gate(hs.tally(y, z), "macro-f1 > 0.1", tolerance=0.01).status == "inconclusive"


# -- the command


def test_warnings_of_the_command_are_refused_with_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has their level; --strict exits with 2."""
    path = tmp_path / "shifted.csv"
    path.write_text("label,pred\n" + "".join(f"{x},{x + 1}\n" for x in TRUTH))
    assert run(["score", str(path), "--format", "json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [n["code"] for n in notes if n["level"] == "warning"] == ["shifted-labels"]
    assert run(["score", str(path), "--strict"]) == 2
    assert "predictions are the true labels +1" in capsys.readouterr().err


EXAMPLES = (
    "score breast_cancer.csv --truth truth --pred logistic --pred texture --positive malignant --by size",
    "score wine.csv --truth truth --pred naive_bayes --pred colour",
    "score digits.parquet --truth truth --pred tree --cluster ink",
    "score breast_cancer.csv --truth truth --score p_tree --threshold 0.5 --positive malignant",
    "compare breast_cancer.csv --value p_logistic --value p_tree",
    "curve breast_cancer.csv --truth truth --score p_logistic --score p_texture --positive malignant",
    "leaderboard digits.parquet --truth truth --pred neighbours --pred logistic --pred tree",
    "compare logistic.jsonl neighbours.jsonl --truth truth --pred answer --cluster question",
    "gate wine.csv --truth truth --pred tree --require accuracy>0.5",
    "score studies/spam_test.csv --truth label --score p_spam --threshold 0.5 --positive spam",
    "score studies/medical.csv --truth disease --pred new --positive positive --missing drop",
)


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_shipped_examples_have_no_warning(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Good data pass with --strict, and no metric of theirs is left out."""
    words = [str(Path("examples") / x) if (Path("examples") / x).exists() else x for x in line.split()]
    strict = [] if "curve" in words else ["--strict"]
    assert run(rough([*words, *strict, "--format", "json"])) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [n for n in notes if n["level"] == "warning" or n["code"] == "no-true-negatives"] == []


@pytest.mark.parametrize("by", [1, -1])
def test_gates_have_the_warnings_of_their_data(by: int) -> None:
    """Labels that are shifted, ids, and an AUC below one half; a gate that is met all the same is to be doubted."""
    truth, ids = TRUTH + 1, np.arange(120)
    assert _codes(hs.gate(hs.tally(truth, truth + by), ["accuracy < 0.5"]))[0] == "shifted-labels"
    assert "id-predictions" in _codes(hs.gate(hs.tally(truth, ids), ["accuracy < 0.5"]))
    assert "auc-reversed" in _codes(hs.gate(hs.curve(HIT, 1 - SCORES), ["auc > 0.01"]))


def test_every_warning_is_documented() -> None:
    """The page on formats lists each code."""
    page = Path("docs/reference/formats.md").read_text(encoding="utf-8")
    assert [code for code in sorted(WARNINGS) if f"`{code}`" not in page] == []
