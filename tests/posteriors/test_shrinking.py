"""Slices that lend strength to each other: what score tells of them, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadSetting

HITS, OF = [3, 38, 17, 90, 8, 0], [8, 44, 20, 100, 8, 0]


@pytest.fixture(scope="module")
def report() -> hs.Report:
    """Six slices, one of them without items."""
    return hs.score(hs.Tally.rate(hits=HITS, of=OF), shrink=True, above=0.8)


@pytest.fixture
def preds(tmp_path, monkeypatch):
    """Predictions of four regions; in one of them nobody is positive."""
    rng = np.random.default_rng(3)
    lines = ["region,label,pred,grade,w,q"]
    for region, n, right in (("north", 60, 0.8), ("south", 9, 0.5), ("east", 30, 0.9), ("west", 12, 0.8)):
        for i in range(n):
            y = int(rng.random() < 0.4 and region != "west")
            z = y if rng.random() < right else 1 - y
            lines.append(f"{region},{y},{z},{rng.random():.3f},{1 + i % 3},{i % 5}")
    (tmp_path / "preds.csv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / "preds.csv")


def test_rows_are_those_of_the_shared_posterior(report):
    """shrink=True is the prior shared; means lie between the slice's own and the shared rate, scores stay."""
    p = hs.posterior(hs.Tally.rate(hits=HITS, of=OF), prior="shared")
    rows = report.to_dict()["rows"]
    assert [r["mean"] for r in rows] == p["rate"].mean.tolist()
    assert [r["score"] for r in rows[:5]] == [h / n for h, n in zip(HITS[:5], OF[:5], strict=True)]
    assert rows[5]["score"] is None
    (shared,) = report.to_dict()["shrink"]
    for h, n, row in zip(HITS, OF, rows, strict=True):
        own = (h + 0.5) / (n + 1)
        low, high = sorted((own, shared["mean"]))
        assert low - 0.02 < row["mean"] < high + 0.02
        assert 0 < row["shrink"] < 1
        assert 0 < row["low"] < row["high"] <= 1
        assert row["route"] == "quadrature"
    moved = {n: row["shrink"] for n, row in zip(OF, rows, strict=True)}
    assert moved[0] > moved[8] > moved[20] > moved[44] > moved[100]


def test_document_tells_what_slices_share(report):
    """Mean, spread with its interval, and how much is lent."""
    made = report.to_dict()
    assert made["prior"] == {"name": "shared", "total": 1}
    (shared,) = made["shrink"]
    assert (shared["metric"], shared["system"], shared["slices"]) == ("rate", None, 6)
    assert 0 < shared["spread"]["low"] < shared["spread"]["median"] < shared["spread"]["high"] < 0.5
    notes = {n["code"]: n["text"] for n in made["notes"]}
    assert "is moved" in notes["shrunk"]
    assert notes["shrunk-empty"] == "1 slice has nothing that rate counts: its law is that of any slice like these"
    table = str(report)
    assert "moved" in table
    assert "mean" in table


def test_draws_of_slices_go_together(report):
    """Means of draws are those of the law, and slices share what they do not know."""
    drawn = report["rate"].draws(20_000, seed=1)
    assert drawn.shape == (20_000, 6)
    assert drawn.mean(axis=0) == pytest.approx(report["rate"].mean, abs=0.01)
    assert np.corrcoef(drawn[:, 0], drawn[:, 5])[0, 1] > 0.05
    assert np.array_equal(drawn, report["rate"].draws(20_000, seed=1))


def test_alike_slices_are_pooled_and_others_left_alone():
    """Many alike slices come close to all items together; slices far apart keep what they have alone."""
    alike = hs.score(hs.Tally.rate(hits=[40] * 30, of=[50] * 30), shrink=True)["rate"]
    low, high = alike.interval()
    assert np.all(high - low < 0.09)
    assert alike.mean == pytest.approx(np.full(30, 0.8), abs=0.003)
    far = hs.posterior(hs.Tally.rate(hits=[0, 50, 0, 50, 1, 49, 50, 0], of=[50] * 8), prior="shared")["rate"]
    single = hs.posterior(hs.Tally.rate(hits=[0, 50], of=[50, 50]), prior="jeffreys")["rate"]
    assert far.interval().high[0] == pytest.approx(single.interval().high[0], rel=0.05)
    assert far.interval().low[1] == pytest.approx(single.interval().low[1], rel=0.05)


def test_measures_and_their_complements(preds):
    """Every rate of a table is taken, error rates are accuracies turned around, and classes by their names."""
    t = hs.tally(preds, truth="label", pred="pred", by="region")
    p = hs.posterior(t, prior="shared")
    assert {"precision", "recall", "specificity", "npv", "accuracy", "error-rate", "jaccard", "prevalence"} <= set(p)
    assert not {"f1", "phi", "kappa", "balanced-accuracy", "lr-plus"} & set(p)
    assert p["error-rate"].mean == pytest.approx(1 - p["accuracy"].mean, abs=1e-6)
    assert p["recall:1"].mean.tolist() == p["recall"].mean.tolist()
    shown = {r["metric"] for r in hs.score(t, shrink=True).to_dict()["rows"]}
    assert shown == {"precision", "recall", "specificity", "accuracy"}
    assert "recall" in p
    assert len(p["recall"].interval().low) == 4


def test_all_items_stay_as_they_are(preds):
    """The row of all items has the prior even, with shrink and without."""
    plain, shrunk = (
        hs.score(preds, truth="label", pred="pred", by="region", metrics=["recall"], shrink=s).to_dict()["rows"]
        for s in (False, True)
    )
    assert {k: v for k, v in shrunk[0].items() if k != "shrink"} == plain[0]
    assert shrunk[0]["shrink"] is None
    assert all("shrink" not in row for row in plain)


def test_classes_and_systems(preds):
    """Each class, and each system, has slices of its own."""
    frame = {"y": list("abcabcabca") * 6, "r": list("nnsse") * 12}
    z = {"one": list("abcabcabcc") * 6, "two": list("abbabbabba") * 6}
    import pandas as pd

    data = pd.DataFrame({**frame, **z})
    made = hs.score(
        data, truth="y", pred=["one", "two"], by="r", shrink=True, metrics=["recall:*", "accuracy"]
    ).to_dict()
    assert {(x["metric"], x["system"]) for x in made["shrink"]} == {
        (m, s) for m in ("recall:a", "recall:b", "recall:c", "accuracy") for s in ("one", "two")
    }


def test_order_follows_the_shrunken_law():
    """One of two items wrong is not worse than thirty of a hundred."""
    frame = {"passed": [1, 0] + [1] * 70 + [0] * 30 + [1] * 190 + [0] * 10, "r": ["a"] * 2 + ["b"] * 100 + ["c"] * 200}
    import pandas as pd

    rows = hs.score(pd.DataFrame(frame), outcome="passed", by="r", shrink=True).to_dict()["rows"]
    assert [r["slice"] and r["slice"]["r"] for r in rows] == [None, "b", "a", "c"]


def test_command(preds, capsys):
    """The command has the same document as Python, and its table shows mean and move."""
    line = ["score", preds, "--truth", "label", "--pred", "pred", "--by", "region", "--metric", "recall", "--shrink"]
    assert run([*line, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    own = hs.score(preds, truth="label", pred="pred", by="region", metrics=["recall"], shrink=True).to_dict()
    assert told["rows"] == own["rows"]
    assert told["shrink"] == own["shrink"]
    assert run(line) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "moved" in out
    for kind in ("markdown", "latex", "csv", "html"):
        assert run([*line, "--format", kind]) == 0


TALLY = hs.Tally.rate(hits=[3, 5], of=[9, 9])
TABLE = hs.Tally.binary(tp=[3, 4], fp=[1, 2], fn=[2, 2], tn=[8, 9])
REFUSED = [
    (lambda: hs.score(hs.Tally.rate(hits=3, of=9), shrink=True), "there are none here: give by="),
    (lambda: hs.score(hs.Tally.rate(hits=[3], of=[9]), shrink=True), "there is only one here"),
    (lambda: hs.score(hs.Tally.rate(hits=[[3, 1]], of=[[9, 9]]), shrink=True), "these tables have 2"),
    (lambda: hs.score(TABLE, metrics=["f1"], shrink=True), "f1 is not one"),
    (lambda: hs.score(TABLE, metrics=["phi"], shrink=True), "phi is not one"),
    (lambda: hs.score(TABLE, metrics=["recall"], shrink=True, prior="uniform"), "uniform. Leave out one"),
    (lambda: hs.score(TABLE, metrics=["recall"], shrink=True, chance=True), "cannot tell chance="),
    (lambda: hs.score(TALLY, shrink="yes"), "takes True or False"),
    (lambda: hs.compare(TALLY, TALLY, prior="shared"), "leave out shrink="),
    (lambda: hs.posterior(TABLE, prior="shared").draws(10), "ask a measure for its draws"),
    (lambda: hs.posterior(hs.graded({"a": [0.1, 0.5, 0.7]}), prior="shared"), "these are graded values"),
    (lambda: hs.curve([0, 1, 0, 1], [0.1, 0.5, 0.4, 0.8], prior="shared"), "these are scores to rank by"),
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_refused(call, said):
    """One sentence for what cannot be."""
    with pytest.raises(BadSetting, match=said.replace(".", r"\.")):
        call()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--truth label --pred pred --shrink",
            "--shrink lends strength between slices, and there are none here: give --by",
        ),
        ("--value grade --by region --shrink", "these are graded values"),
        ("--truth label --pred pred --by region --weight w --shrink --metric recall", "these have weights"),
        ("--truth label --pred pred --cluster q --shrink --metric recall", "clusters are resampled whole"),
        ("--truth label --pred pred --by region --prior 2 --shrink --metric recall", "Leave out one of them"),
    ],
)
def test_refused_by_the_command(preds, capsys, options, said):
    """The same on a command line, in its words."""
    assert run(["score", preds, *options.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in " ".join(err.split())
