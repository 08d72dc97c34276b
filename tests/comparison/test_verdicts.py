"""What comparisons say in words: no winner where there is none, and no digits that are noise."""

from __future__ import annotations

import re

import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadSetting, HowsureError

Y = [1, 0] * 20
Z = [1, 0, 0, 0] * 10


@pytest.mark.parametrize("metric", ["f1", "recall", "phi", "odds-ratio", "tetrachoric"])
def test_the_same_answers_are_even(metric: str) -> None:
    """Whether the probability is computed or drawn, nobody beats a system that says the same."""
    found = hs.compare(Y, {"a": Z, "b": Z}, metric=metric)
    assert found.verdict.startswith(f"too close to call on {metric}: a and b are even (probability 0.50")


def test_a_half_by_draws_is_even() -> None:
    """A probability of a half but for the error of its draws is a half."""
    a = hs.Tally.binary(tp=30, fp=10, fn=10, tn=50)
    found = hs.compare(a, a, metric="f1", method="sample", draws=2_000)
    assert 0 < abs(found.p_better - 0.5) < found.error.probability
    assert "are even" in found.verdict
    better = hs.compare(hs.Tally.binary(tp=36, fp=5, fn=4, tn=55), a, metric="f1", method="sample", draws=2_000)
    assert better.verdict.startswith("first is better than second on f1 (probability 0.98")


@pytest.mark.parametrize("n", [0, 7, 10**15])
def test_equal_wins_are_even(n: int) -> None:
    """Equal counts, from none to very many; one more win is not even."""
    assert hs.compare_wins(n, n, 0).verdict.startswith("too close to call on wins: first and second are even")
    assert "P(first better than second) = 0." in hs.compare_wins(8, 7, 0).verdict
    assert "P(second better than first) = 0." in hs.compare_wins([7, 7], [7, 8], 0).verdict[1]


def test_none_of_equals_stands_out() -> None:
    """Systems whose P(best) is the same within its error are named together, a better one alone."""
    equal = hs.leaderboard(Y, {"a": Z, "b": Z, "c": Z}, metric="f1")
    assert (
        equal.verdict
        == "too close to call which of 3 is best on f1: a, b and c are each the best with probability 0.333"
    )
    two = hs.leaderboard(Y, {"a": Z, "b": Z}, metric="f1")
    assert two.verdict == "too close to call which of 2 is best on f1: a and b are each the best with probability 0.500"
    many = hs.leaderboard(Y, dict.fromkeys("abcde", Z), metric="f1")
    assert many.verdict.startswith(
        "too close to call which of 5 is best on f1: 5 of 5 systems are each the best with probability 0.2"
    )
    some = hs.leaderboard(Y, {"a": Z, "b": Z, "c": Y}, metric="f1")
    assert some.verdict.startswith("c is the best of 3 on f1")


def test_the_note_on_pairs_has_the_digits_of_the_verdict() -> None:
    """The same probability is shown alike in both places; that of different items has no more digits."""
    truth, worse = [1] * 6 + [0] * 6, [1] * 5 + [0] * 6 + [1]
    found = hs.compare(truth, {"a": truth, "b": worse}, metric="odds-ratio")
    said = re.search(r"probability ([^\s)]+)", found.verdict)
    text = next(n.text for n in found.notes if n.code == "pairing")
    found_in = re.search(r"would be (\S+) instead of (\S+)$", text)
    assert found_in is not None
    there, here = found_in.groups()
    assert said is not None
    assert found.route == "sampled"
    assert here == said[1]
    assert len(there) == len(here) == len("0.942")


def test_few_draws_are_refused() -> None:
    """Ranks of two draws tell nothing."""
    systems = {"a": hs.Tally.rate(hits=3, of=5), "b": hs.Tally.rate(hits=4, of=5)}
    with pytest.raises(BadSetting, match="at least 100"):
        hs.leaderboard(systems, draws=2)
    assert hs.leaderboard(systems, draws=100).draws is not None


def test_the_prior_of_values_that_are_all_the_same() -> None:
    """Its weight is on the bounds, and so the note says; without a prior bounds are of no use."""
    text = next(n.text for n in hs.score(hs.graded([1, 1, 1], bounds=(0, 1))).notes if "prior" in n.code)
    assert text == "prior even: weight 1 on each bound, because all values are the same"
    apart = next(n.text for n in hs.score(hs.graded([1, 1, 0.5], bounds=(0, 1))).notes if "prior" in n.code)
    assert "a tenth of the way" in apart
    with pytest.raises(BadSetting, match="Use prior='even'"):
        hs.score(hs.graded([0.5] * 5, bounds=(0, 1)), prior="none")
    with pytest.raises(BadSetting, match="Give the bounds"):
        hs.score(hs.graded([0.5] * 5), prior="none")


def test_keywords_near_a_known_one_are_guessed() -> None:
    """metrix for metrics."""
    with pytest.raises(HowsureError, match="Did you mean 'metric"):
        hs.score(Y, Z, metrix="f1")  # type: ignore[call-arg]


@pytest.mark.parametrize("verb", ["compare", "leaderboard"])
def test_a_name_given_twice_is_named(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says which name it was."""
    assert run([verb, "--counts", "8,2,3,7", "--counts", "1,2,3,4", "--name", "a", "--name", "a"]) == 2
    assert "--name 'a' is given twice" in capsys.readouterr().err


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_better_is_where_the_interval_excludes_zero(level: float) -> None:
    """A system is called better exactly if the equal-tailed interval of the difference excludes 0."""
    words = set()
    for wins in range(20, 41):
        found = hs.compare_wins(wins, 20, 5, level=level)
        called = "is better than" in found.verdict
        assert (
            called == (found.p_better >= 1 - (1 - level) / 2) == (found.to_dict()["rows"][0]["difference"]["low"] > 0)
        )
        assert ("too close to call" in found.verdict) == (found.p_better < 0.9)
        words.add(found.verdict[:8])
    assert {"first is", "too clos"} <= words


def test_a_plan_aims_at_what_compare_calls_better() -> None:
    """A plan for a difference says which P(better) it aims at: the one from which on compare says "is better"."""
    for level, needed in ((0.95, 0.975), (0.9, 0.95)):
        made = hs.plan(expected={"rate": 0.8}, difference=0.1, level=level)
        assert made.to_dict()["goal"]["probability"] == needed
        assert f"P(first better) is at least {needed}" in made.verdict
        assert any(f"better from P(better) {needed} on" in n.text for n in made.notes)
    with pytest.raises(BadSetting, match="apart"):
        hs.leaderboard({"a": hs.Tally.rate(hits=3, of=5), "b": hs.Tally.rate(hits=4, of=5)}, apart=0.4)
