"""Several measures of one comparison or leaderboard: each as if asked alone, drawn once, one document."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.distributions.classes import Classes
from howsure.errors import BadSetting, UnknownName
from howsure.messages.notes import merged, note
from howsure.posteriors import paired
from tests.tiers import spread

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 3, 90)
ANSWERS = {name: np.where(RNG.random(90) < right, Y, RNG.integers(0, 3, 90)) for name, right in
           (("a", 0.6), ("b", 0.75), ("c", 0.7))}  # fmt: skip
TWO = {name: ANSWERS[name] for name in "ab"}
SCORES = {name: np.round(0.4 * (Y > 0) + RNG.random(90), 2) for name in "ab"}
LISTS = {name: [[int(v)] for v in x] for name, x in TWO.items()}
KINDS = {
    "classes": (hs.tally(Y, TWO), ["macro-f1", "macro-recall", "accuracy", "f1:2", "kappa"]),
    "two classes": (hs.tally((Y > 0).astype(int), {k: (x > 0).astype(int) for k, x in TWO.items()}), ["f1", "recall"]),
    "scores": (hs.curve((Y > 0).astype(int), SCORES, tolerance=0.5), ["auc", "AP", "f1@0.7"]),
    "label sets": (hs.Tally.multilabel([[int(v)] for v in Y], LISTS), ["macro-f1", "macro-recall", "samples-f1"]),
    "clusters": (hs.tally(Y, TWO, cluster=np.arange(90) // 3), ["macro-f1", "f1:0"]),
    "outcomes": (hs.tally({"a": Y > 0, "b": Y > 1}, outcome=["a", "b"]), ["rate", "error-rate"]),
}


@pytest.mark.parametrize(("kind", "verb"), spread(KINDS, ["compare", "leaderboard"]))
def test_each_measure_is_as_if_asked_alone(kind, verb):
    """Rows, pairs and notes of several measures are those of each, to the last digit."""
    data, metrics = KINDS[kind]
    more = {} if verb == "compare" else {"draws": 300}
    p = data if kind == "scores" else hs.posterior(data, tolerance=0.5)
    made = getattr(hs, verb)(p, metrics=metrics, **more)
    alone = [getattr(hs, verb)(data, tolerance=0.5, metric=m, **more) for m in metrics]
    assert [part.asked for part in made] == metrics
    for part, other in zip(made, alone, strict=True):
        assert part.to_dict() == other.to_dict(), part.asked
    whole = made.to_dict()
    assert whole["rows"] == [row for other in alone for row in other.to_dict()["rows"]]
    assert whole["schema"] == f"howsure.{verb}/1"
    assert made[metrics[1]].to_dict() == alone[1].to_dict()


def test_pairs_carry_their_measure():
    """One list of pairs, and one row for each measure and system."""
    made = hs.leaderboard(Y, ANSWERS, metrics=["accuracy", "f1:0"]).to_dict()
    assert [pair["metric"] for pair in made["pairs"]] == ["accuracy"] * 3 + ["f1:0"] * 3
    assert [(row["metric"], len(row["ranks"])) for row in made["rows"]] == [("accuracy", 3)] * 3 + [("f1:0", 3)] * 3


def test_tables_are_drawn_once_for_all_measures(monkeypatch):
    """Macro averages share their tables, measures of one class the patterns of its cells."""
    drawn = []
    real, cells = Classes.draws, paired.cell_draws

    def draws(self, n, seed):
        drawn.append(("tables", self.systems, n))
        return real(self, n, seed)

    def cell_draws(answers, n, seed):
        drawn.append(("cells", answers.says.shape[1], n))
        return cells(answers, n, seed)

    monkeypatch.setattr(Classes, "draws", draws)
    monkeypatch.setattr(paired, "cell_draws", cell_draws)
    hs.leaderboard(Y, ANSWERS, metrics=["macro-f1", "macro-recall", "macro-precision"], draws=500)
    assert [x for x in drawn if x[1] == 3] == [("tables", 3, 500)]
    drawn.clear()
    hs.leaderboard(Y, ANSWERS, metrics=["f1:0", "precision:0", "jaccard:0", "f1:1"], draws=500)
    assert [x for x in drawn if x[:2] == ("cells", 3)] == [("cells", 3, 500)] * 2


def test_every_class():
    """f1:* is f1 of each class, in every verb; in Python in a list, since it is several."""
    joint = hs.tally(Y, TWO)
    for verb in (hs.compare, hs.leaderboard):
        made = verb(joint, metrics=["f1:*", "accuracy"])
        assert [part.asked for part in made] == ["f1:0", "f1:1", "f1:2", "accuracy"]
        assert made.to_dict() == verb(joint, metrics=["f1:0", "f1:1", "f1:2", "accuracy"]).to_dict()
        with pytest.raises(BadSetting, match=r"f1:\* is a metric for each of 3 classes: give metrics=\['f1:\*'\]"):
            verb(joint, metric="f1:*")
    apart = hs.compare(joint.system("a"), joint.system("b"), metrics=["recall:*"])
    assert [row["metric"] for row in apart.to_dict()["rows"]] == ["recall:0", "recall:1", "recall:2"]
    clustered = hs.tally(Y, ANSWERS["a"], cluster=np.arange(90) // 3)
    rows = hs.score(clustered, metrics="precision:*", tolerance=0.5).to_dict()["rows"]
    assert [row["metric"] for row in rows] == ["precision:0", "precision:1", "precision:2"]


def test_a_class_that_is_called_star():
    """The label wins."""
    y, z = ["*", "x", "*", "x", "*"], {"a": ["*", "x", "x", "x", "*"], "b": ["*", "*", "x", "x", "x"]}
    made = hs.compare(hs.tally(y, z), metrics="f1:*").to_dict()["rows"]
    assert [row["metric"] for row in made] == ["f1:*"]
    assert made[0]["first"]["score"] == pytest.approx(4 / 5)  # two right of two answers and three truths
    assert hs.compare(hs.tally(y, z), metric="f1:*").to_dict()["rows"] == made


def test_measures_that_make_no_sense():
    """Refused as they are alone."""
    joint = hs.tally(Y, TWO)
    with pytest.raises(BadSetting, match="metric= and metrics= mean the same; got 'f1' and"):
        hs.compare(joint, metric="f1", metrics=["accuracy"])
    with pytest.raises(BadSetting, match="metrics= is empty; leave it out for the usual one"):
        hs.leaderboard(joint, metrics=[])
    with pytest.raises(UnknownName, match="no metric named 'accurcy'"):
        hs.compare(joint, metrics=["macro-f1", "accurcy"])
    with pytest.raises(BadSetting, match="ask for rate, not f1:\\*"):
        hs.compare(hs.tally({"a": Y > 0, "b": Y > 1}, outcome=["a", "b"]), metrics=["f1:*"])


def test_the_command_says_what_python_says(tmp_path, capsys):
    """--metric repeats."""
    path = tmp_path / "a.csv"
    frame = pl.DataFrame({"y": Y, **ANSWERS})
    frame.write_csv(path)
    for verb, preds, metrics in (
        ("compare", "ab", ["accuracy", "f1:*"]),
        ("leaderboard", "abc", ["f1:0", "accuracy"]),
        ("compare", "ab", ["accuracy"]),
    ):
        words = [w for m in metrics for w in ("--metric", m)] + [w for p in preds for w in ("--pred", p)]
        assert run([verb, str(path), "--truth", "y", *words, "--format", "json"]) == 0
        got = json.loads(capsys.readouterr().out)
        assert got == getattr(hs, verb)(frame, truth="y", pred=list(preds), metrics=metrics).to_dict()


def test_many_systems_on_two_measures_are_all_shown():
    """Only slices are shown by their ends."""
    tables = {f"s{k}": hs.Tally.binary(tp=20 + k % 7, fp=5, fn=9, tn=40) for k in range(55)}
    shown = str(hs.leaderboard(tables, metrics=["f1", "accuracy"], draws=200))
    assert "more" not in shown
    assert all(shown.count(f" s{k} ") == 2 for k in range(55))


def test_what_pairing_told_is_one_note_with_every_measure_named():
    """The counts of items once, and beside each number the measure that it is of; one measure alone is not named."""
    made = hs.compare(hs.tally(Y, TWO), metrics=["macro-f1", "accuracy", "f1:2"], tolerance=0.5)
    (told,) = [n["text"] for n in made.to_dict()["notes"] if n["code"] == "pairing"]
    each = {part.asked: next(n.text for n in part.notes if n.code == "pairing") for part in made}
    assert told.count("alone is right on") == 1
    for asked, text in each.items():
        start, _, number = text.partition(" would be ")
        assert told.startswith(start.partition(";")[0])
        assert f"{number} for {asked}" in told
    counts = {"accuracy": (3, 5), "f1:2": (1, 2)}
    notes = [note("pairing", of=(x,), here=(0.6,), apart=(0.6,), error=(0.0,), won=(won,), right=(True,), what="items",
                  systems=("a", "b")) for x, won in counts.items()]  # fmt: skip
    (both,) = merged(notes)
    assert both.text.startswith(
        "on the same items, a alone is right on 3 and b alone on 5 (accuracy); a alone is right on 1 and b alone on 2 "
        "(f1:2); had they"
    )
