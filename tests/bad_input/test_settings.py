"""Settings of numpy's types are those of Python, and nothing but True and False is a flag."""

from __future__ import annotations

import json

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadSetting

TABLE = hs.Tally.binary(tp=5, fp=2, fn=1, tn=9)
MATRIX = hs.Tally.matrix([[5, 1, 1], [2, 5, 1], [1, 1, 7]])
QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}
RUN = {"a": {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d1": 0.8, "d2": 0.1}}}


def _scored(seed: int) -> object:
    return hs.curve([0, 1, 0, 1, 1], [0.1, 0.5, 0.3, 0.6, 0.7], metrics="auc", seed=seed, tolerance=0.3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda seed: hs.score(MATRIX, metrics="macro-f1", seed=seed, tolerance=0.3),
        lambda seed: hs.score(hs.posterior(TABLE, seed=seed, tolerance=0.3), metrics="phi"),
        lambda seed: hs.compare(TABLE, TABLE, metric="phi", seed=seed, tolerance=0.3),
        lambda seed: hs.leaderboard({"a": TABLE, "b": TABLE}, metric="phi", seed=seed, tolerance=0.3),
        _scored,
        lambda seed: hs.score(
            hs.correct_judge(hs.Tally.rate(hits=70, of=100), hs.Tally.binary(tp=60, fp=12, fn=3, tn=25), seed=seed)
        ),
        lambda seed: hs.score(hs.trec(QRELS, RUN, metrics=["AP"], seed=seed), seed=seed),
        lambda seed: hs.gate(TABLE, ["phi > 0.1"], seed=seed, tolerance=0.3),
        lambda seed: hs.plan(expected={"rate": 0.8}, width=0.1, seed=seed),
    ],
)
def test_a_seed_of_numpy_is_a_seed(ask) -> None:
    """Every verb gives the document of the same Python number."""
    assert json.loads(ask(np.int64(3)).to_json()) == json.loads(ask(3).to_json())


SHORT = np.float32


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: hs.score(TABLE, metrics="f1", level=f(0.9), above=f(0.3), prior=f(0.1)),
        lambda f: hs.score(TABLE, metrics="f1", above={"f1": f(0.3)}, prior=hs.two_level(f(0.1), f(0.3))),
        lambda f: hs.score(MATRIX, metrics="macro-f1", tolerance=f(0.1)),
        lambda f: hs.leaderboard({"a": TABLE, "b": TABLE}, apart=f(0.9)),
        lambda f: hs.compare(TABLE, TABLE, equal_within=f(0.1)),
        lambda f: hs.compare_wins(first=17, second=4, same=30, level=f(0.9), equal_within=f(0.1)),
        lambda f: hs.plan(expected={"rate": f(0.8)}, width=f(0.1), assurance=f(0.7), level=f(0.9)),
        lambda f: hs.forecast(TABLE, n=100, metric="f1", above=f(0.3)),
        lambda f: hs.score(hs.shift(TABLE, prevalence=f(0.01)), metrics="ppv"),
        lambda f: hs.compare_folds({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}, test_share=f(0.1)),
        lambda f: hs.solve(precision=f(0.75), recall=f(0.6), accuracy=f(0.85), n=200),
        lambda f: hs.gate(TABLE, ["f1 > 0.5"], level=f(0.9)),
    ],
)
def test_a_short_float_is_the_number_that_it_is_written_as(ask) -> None:
    """0.9 of 32 bits is a 90% level, and no setting refuses it or shows its eighth digit."""
    assert json.loads(ask(SHORT).to_json()) == json.loads(ask(float).to_json())


@pytest.mark.parametrize("level", [True, "0.9", 0, 1, 1.5, float("nan"), SHORT(1.5), []])
def test_what_is_no_level_is_still_none(level) -> None:
    """The same refusals as ever."""
    with pytest.raises(BadSetting, match="a level lies between"):
        hs.score(TABLE, metrics="f1", level=level)


Y, Z = [0, 1, 0, 1], [0, 1, 1, 1]
SCORES = [0.1, 0.5, 0.3, 0.6]
FRAME = {"y": Y, "z": Z, "r": ["n", "n", "s", "s"]}


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("chance", lambda x: hs.score(TABLE, metrics="f1", chance=x)),
        ("shrink", lambda x: hs.score(TABLE, metrics="f1", shrink=x)),
        ("verbose", lambda x: hs.score(TABLE, metrics="f1").to_text(verbose=x)),
        ("integers", lambda x: hs.solve(precision=0.5, recall=0.5, n=10, integers=x)),
        ("only_common", lambda x: hs.trec(QRELS, RUN, only_common=x)),
        ("independent", lambda x: hs.Tally.multilabel([{"a"}], [{"a"}], independent=x)),
        (
            "external",
            lambda x: hs.correct_judge(
                hs.Tally.rate(hits=7, of=10), hs.Tally.binary(tp=6, fp=1, fn=3, tn=5), external=x
            ),
        ),
    ],
)
def test_nothing_but_true_and_false_is_a_flag(name: str, ask) -> None:
    """A text that says no would be taken for yes."""
    for x in ("no", 1, None, []):
        with pytest.raises(BadSetting, match=f"{name}= takes True or False; got"):
            ask(x)
    ask(np.False_)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: hs.score(Y, Z, above={}),
        lambda: hs.score(Y, Z, metrics={"f1": 0.5}),
        lambda: hs.score(Y, Z, metrics=b"f1"),
        lambda: hs.compare(TABLE, TABLE, metrics=b"f1"),
        lambda: hs.leaderboard({"a": TABLE, "b": TABLE}, metrics={"f1": 1}),
        lambda: hs.curve(Y, SCORES, metrics={"auc": 1}),
        lambda: hs.curve(Y, SCORES, metrics=5),
        lambda: hs.trec(QRELS, RUN, metrics=b"AP"),
        lambda: hs.score(FRAME, truth="y", pred="z", where=[]),
        lambda: hs.tally(FRAME, truth="y", pred="z", where=[]),
        lambda: hs.tally({"y": Y, "z": Z}, truth="y", pred="z", where=()),
        lambda: hs.graded({"v": SCORES}, value="v", where=[]),
        lambda: hs.score(FRAME, truth="y", pred="z", by={"r": 1}),
        lambda: hs.Tally.multilabel([{"a": 1}], [{"a": 0}]),
        lambda: hs.score(TABLE, metrics="f1").under_priors([]),
    ],
)
def test_what_would_be_passed_over_is_refused(ask) -> None:
    """An empty list, or values beside names that nobody reads."""
    with pytest.raises(hs.HowsureError, match=r"is empty; |got b'|got {'|got 5"):
        ask()


@pytest.mark.parametrize("made", [lambda: hs.score(TABLE, metrics="f1"), lambda: hs.compare(TABLE, TABLE)])
@pytest.mark.parametrize("path", ["a\0.json", "\ud800.json", 5])
def test_a_result_is_saved_under_a_name_that_files_can_have(made, path) -> None:
    """Anything else is one sentence, of every result."""
    with pytest.raises(hs.HowsureError, match=r"no file can have that name|named by text or a path"):
        made().save(path)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r: r.to_text(columns=5), "columns= takes names of columns"),
        (lambda r: r.under_priors(5), "names= must be the names of priors"),
        (lambda r: r.write(5), "a file is named by text or a path"),
        (lambda r: r.write("a\0.csv"), "no file can have that name"),
        (lambda r: r["f1"].plot(above="x"), "above= must be a finite number"),
        (lambda r: r["f1"].plot(above=7), "f1 lies between 0 and 1; got above=7"),
    ],
)
def test_odd_arguments_of_results_are_refused_in_a_sentence(ask, said: str) -> None:
    """No TypeError, and no chart of a value that the measure cannot have."""
    with pytest.raises(hs.HowsureError, match=said):
        ask(hs.score(TABLE, metrics=["f1"]))


def test_one_prior_is_no_list_of_letters() -> None:
    """The name of one prior is taken for it."""
    (report,) = hs.score(TABLE, metrics=["f1"]).under_priors("jeffreys")
    assert report.posterior.prior.name == "jeffreys"
