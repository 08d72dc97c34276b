"""Many systems at once: ranks, pairs and groups."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadSetting

RATES = {name: hs.Tally.rate(hits=h, of=50) for name, h in (("a", 40), ("b", 30), ("c", 41))}


def joint(systems: int = 4, n: int = 400) -> hs.Tally:
    """Systems of slightly different quality on the same items."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    return hs.tally(y, {f"s{k}": np.where(rng.random(n) < 0.75 + 0.04 * k, y, 1 - y) for k in range(systems)})


def test_probabilities_add_up() -> None:
    """P(best) and each row of rank probabilities sum to 1; pairs of opposites sum to 1; all are in the top S."""
    b = hs.leaderboard(RATES)
    assert b.p_best.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(b.rank_probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(b.pairs + b.pairs.T, 1.0)
    np.testing.assert_allclose(b.p_top(3), 1.0)
    assert b.expected_rank.sum() == pytest.approx(6.0)
    assert b.names == ("c", "a", "b")


def test_places_at_the_top() -> None:
    """P(in the top k) sums to k, ties or not; k = 1 is P(best); documents have k = 1, 3, 5, 10 below the systems."""
    y = [1, 0, 1, 1, 0, 1]
    tied = hs.leaderboard(hs.tally(y, {"a": y, "b": y, "c": y, "d": [0] * 6}), metric="accuracy", draws=2000)
    for b in (hs.leaderboard(RATES), tied):
        for k in range(1, len(b.names) + 1):
            assert b.p_top(k).sum() == pytest.approx(k)
        np.testing.assert_allclose(b.p_top(1), b.p_best)
        for k in (0, 1.5, len(b.names) + 1):
            with pytest.raises(BadSetting, match="whole number from 1"):
                b.p_top(k)
    for systems, places in ((2, ["1"]), (4, ["1", "3"]), (12, ["1", "3", "5", "10"])):
        rows = hs.leaderboard(joint(systems), metric="accuracy", draws=1000).to_dict()["rows"]
        assert all(list(row["p_top"]) == places for row in rows)
        assert sum(row["p_top"]["1"] for row in rows) == pytest.approx(1.0)


def test_pairs_agree_with_compare() -> None:
    """P(i better than j) is what compare gives, independent and paired, within the stated errors."""
    b = hs.leaderboard(RATES)
    i, j = b.names.index("a"), b.names.index("b")
    assert b.pairs[i, j] == pytest.approx(hs.compare(RATES["a"], RATES["b"]).p_better, abs=b.error.probability)
    t = joint()
    for metric in ("f1", "accuracy", "fallout", "phi"):
        b = hs.leaderboard(t, metric=metric)
        c = hs.compare(t, "s1", "s3", metric=metric)
        i, j = b.names.index("s1"), b.names.index("s3")
        assert b.pairs[i, j] == pytest.approx(c.p_better, abs=b.error.probability + c.error.probability), metric


@pytest.mark.parametrize("metric", ["f1", "precision", "accuracy", "informedness"])
def test_each_systems_draws_follow_its_own_posterior(metric: str) -> None:
    """Drawn together with sticks for unseen patterns, a system's measure keeps the law it has alone."""
    t = joint(3, 30)
    b = hs.leaderboard(t, metric=metric, draws=40_000)
    for k, name in enumerate(b.names):
        alone = hs.posterior(t.system(name))[metric]
        for q in (0.05, 0.5, 0.95):
            assert (b.draws[:, k] <= alone.ppf(q)).mean() == pytest.approx(q, abs=0.012)


def test_equal_systems_share_the_first_place() -> None:
    """Identical answers: P(best) is shared (only unseen patterns differ), one group."""
    y = [1, 0, 1, 1, 0, 1]
    b = hs.leaderboard(hs.tally(y, {"a": y, "b": y, "c": y}), metric="accuracy")
    np.testing.assert_allclose(b.p_best, 1 / 3, atol=2 * b.error.probability)
    assert b.groups == (1, 1, 1)


def test_ties_of_many_systems_are_half_a_win_each() -> None:
    """More systems than are compared one by one: pairs are shares of draws, and those of equal systems a half."""
    values = np.array([0.1, 0.5, 0.9, 0.4])
    b = hs.leaderboard(hs.graded({f"s{i}": values for i in range(26)}), prior="none", draws=100)
    np.testing.assert_allclose(b.pairs, 0.5, atol=1e-12)


def test_direction_and_groups() -> None:
    """Lower is better for fallout; a clear gap starts a new group."""
    tables = {k: hs.Tally.binary(tp=50, fp=f, fn=5, tn=500) for k, f in (("clean", 2), ("fair", 4), ("dirty", 90))}
    b = hs.leaderboard(tables, metric="fallout")
    assert b.names == ("clean", "fair", "dirty")
    assert b.groups == (1, 1, 2)


def test_two_hundred_systems() -> None:
    """Many systems on one joint table: the cost follows the patterns that occur, not their number."""
    b = hs.leaderboard(joint(200, 300), metric="accuracy", draws=1000)
    assert len(b.names) == 200
    assert b.p_best.sum() == pytest.approx(1.0)


def test_document_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON has the keys of the contract; the command prints a table."""
    arguments = ["leaderboard", "--rate", "40/50", "--rate", "30/50", "--rate", "48/50", "--format"]
    assert run([*arguments, "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "howsure.leaderboard/1"
    assert {"p_best", "expected_rank", "group", "score", "low", "high"} <= set(document["rows"][0])
    assert len(document["pairs"]) == 3
    assert run([*arguments, "table"]) == 0
    assert "system 3 is the best of 3 on rate" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: hs.leaderboard({"a": RATES["a"]}), "two or more systems"),
        (lambda: hs.leaderboard(5), "joint tally"),
        (lambda: hs.leaderboard(RATES, apart=0.2), "between 0.5 and 1"),
        (lambda: hs.leaderboard(joint(), metric="prevalence"), "no better direction"),
        (lambda: hs.leaderboard({"a": hs.Tally.rate(hits=[1, 2], of=3), "b": RATES["a"]}), "not batches"),
    ],
)
def test_bad_input(call: object, says: str) -> None:
    """One clear sentence each."""
    with pytest.raises(BadSetting, match=says):
        call()  # type: ignore[operator]
