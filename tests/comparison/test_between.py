"""Slices of one system compared with each other: two as independent systems, many by their largest gap."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run

RNG = np.random.default_rng(3)
N = 300
SEX = RNG.integers(0, 2, N)
FRAME = {
    "y": RNG.integers(0, 2, N), "ok": (RNG.random(N) < 0.6 + 0.2 * SEX).astype(int), "score": RNG.random(N),
    "value": RNG.random(N), "sex": np.where(SEX == 1, "m", "f"), "region": RNG.integers(0, 6, N),
    "ward": RNG.integers(0, 30, N) * 2 + SEX, "doctor": RNG.integers(0, 30, N),
}  # fmt: skip
KINDS = {
    "outcome": ({"outcome": "ok"}, "rate"), "classes": ({"truth": "y", "pred": "ok"}, "f1"),
    "macro": ({"truth": "y", "pred": "ok"}, "macro-f1"),
    "cut": ({"truth": "y", "score": "score", "threshold": 0.5}, "f1"),
    "scores": ({"truth": "y", "score": "score"}, "auc"), "values": ({"value": "value"}, "mean"),
    "clusters": ({"outcome": "ok", "cluster": "ward"}, "rate"),
    "clusters of values": ({"value": "value", "cluster": "ward"}, "mean"),
}  # fmt: skip


def part(name: str) -> dict[str, np.ndarray]:
    """The rows of one slice."""
    return {k: np.asarray(x)[FRAME["sex"] == name] for k, x in FRAME.items()}


def made(frame, columns):
    """Evidence of columns of any kind."""
    if "value" in columns:
        return hs.graded(frame, **columns)
    return (
        hs.curve(frame, **columns) if "score" in columns and "threshold" not in columns else hs.tally(frame, **columns)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_two_slices_are_two_systems_on_different_items(kind):
    """As if each slice had been read alone, for every kind of data."""
    columns, metric = KINDS[kind]
    found = hs.compare(FRAME, **columns, between="sex", names=("m", "f"), metric=metric, tolerance=0.1)
    alone = hs.compare(*(made(part(x), columns) for x in ("m", "f")), metric=metric, tolerance=0.1)
    assert found.systems == ("m", "f")
    assert not found.paired
    assert abs(found.p_better - alone.p_better) <= found.error.probability + alone.error.probability
    apart = np.abs(np.array(found.difference.interval()) - np.array(alone.difference.interval()))
    assert (apart <= 2 * float(found.error.value + alone.error.value) + 1e-9).all()


def test_slices_that_share_clusters_are_paired_by_cluster():
    """A doctor sees both sexes: as two systems matched by cluster, and clusters that one lacks count too."""
    found = hs.compare(FRAME, outcome="ok", between="sex", cluster="doctor", names=("m", "f"))
    assert found.paired
    assert "clusters" in {n.code for n in found.notes}
    lone = {k: np.append(x, x[:1]) for k, x in FRAME.items()}
    lone["doctor"][-1] = 99
    again = hs.compare(lone, outcome="ok", between="sex", cluster="doctor", names=("m", "f"))
    assert again.p_better == pytest.approx(found.p_better, abs=0.02)
    with pytest.raises(hs.HowsureError, match="share clusters"):
        hs.compare(FRAME, truth="y", score="score", between="sex", cluster="doctor", metric="auc")


def test_many_equal_slices_show_no_gap():
    """The highest and the lowest of 40 equal slices look apart when they are singled out, and not when pooled."""
    hits = np.random.default_rng(5).binomial(100, 0.8, 40)
    tally = hs.Tally.rate(hits=hits, of=100)
    pooled = hs.compare(tally, between="batch")
    ends = str(hits.argmax()), str(hits.argmin())
    assert hs.compare(tally, between="batch", names=ends).p_better > 0.99
    assert pooled.p_better < 0.975  # from where on it would be "better"
    assert "largest-gap" in {n.code for n in pooled.notes}


def test_a_real_gap_among_many_slices_shows():
    """One slice far below the others is found, and the better one comes first, in the direction of the metric."""
    tally = hs.Tally.rate(hits=[90, 88, 91, 40, 89, 92], of=100)
    found = hs.compare(tally, between="batch")
    assert found.systems[1] == "3"
    assert found.p_better > 0.999
    low, high = found.difference.interval()
    assert 0.2 < low < float(found.difference.mean) < high
    y = np.repeat([1, 0], [600, 600])
    frame = {"y": y, "p": np.where(RNG.random(1200) < 0.1, 1 - y, y), "r": np.tile(np.arange(6), 200)}
    frame["p"] = np.where((frame["r"] == 2) & (y == 0), 1, frame["p"])  # slice 2 calls all negatives positive
    assert hs.compare(frame, truth="y", pred="p", between="r", metric="fallout").systems[1] == "2"


def test_three_slices_pool_less_when_they_differ():
    """Slices far apart keep what they show: the pooled difference is near the difference of the scores."""
    found = hs.compare(hs.Tally.rate(hits=[900, 500, 100], of=1000), between="batch")
    assert float(found.difference.mean) == pytest.approx(0.8, abs=0.01)


def test_metrics_may_have_their_largest_gap_between_different_slices():
    """The table then names the slices of each row."""
    columns = {"truth": "y", "pred": "ok", "between": "region"}
    found = hs.compare(FRAME, **columns, metrics=["recall", "precision", "fallout"])
    pairs = {(row["first"]["system"], row["second"]["system"]) for row in found.to_dict()["rows"]}
    assert len(pairs) > 1
    assert all(", ".join(pair) in str(found) for pair in pairs)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"between": "sex", "by": "region"}, "leave out by="),
        ({"between": "sex", "names": ("m", "x")}, "'x'"),
        ({"between": "region", "cluster": "doctor"}, "name two with names="),
        ({"between": "sex", "method": "sample"}, "leave out method="),
        ({"between": "sex", "where": "sex=m"}, "needs two slices"),
    ],
)
def test_what_has_no_answer_is_refused(given, said):
    """In a sentence."""
    with pytest.raises(hs.HowsureError, match=said):
        hs.compare(FRAME, outcome="ok", **given)


def test_only_compare_takes_between():
    """Elsewhere it is no option."""
    with pytest.raises(hs.HowsureError, match="between"):
        hs.score(FRAME, outcome="ok", between="sex")


def test_pooled_slices_have_no_ratio_and_no_other_prior():
    """What would pass over the pooling is refused."""
    found = hs.compare(FRAME, outcome="ok", between="region")
    for ask in (lambda: found.ratio, found.under_priors):
        with pytest.raises(hs.HowsureError, match="name two of them"):
            ask()


def test_the_command_says_the_same(tmp_path, capsys):
    """Of two slices, of the largest gap, and with names."""
    path = tmp_path / "rows.csv"
    rows = zip(*(x.tolist() for x in FRAME.values()), strict=True)
    path.write_text("\n".join(",".join(map(str, r)) for r in [tuple(FRAME), *rows]))
    for extra, own in (
        ([], {}),
        (["--between", "region"], {}),
        (["--name", "m", "--name", "f"], {"names": ("m", "f")}),
    ):
        column = "region" if "--between" in extra else "sex"
        words = ["compare", str(path), "--outcome", "ok", "--format", "json", *extra]
        assert run(words if "--between" in extra else [*words, "--between", "sex"]) == 0
        typed = json.loads(capsys.readouterr().out)
        asked = hs.compare(str(path), outcome="ok", between=column, **own).to_dict()
        assert typed["rows"] == asked["rows"]
        assert typed["data"]["between"] == column
