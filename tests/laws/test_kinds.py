"""Every kind of evidence x every verb: what one verb says of a system, all say."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

import howsure as hs
from tests import tiers
from tests.laws.kinds import KINDS, PARTS

SETTINGS = {"tolerance": 0.2}
SHOWN = ("metric", "asked", "n", "score", "mean", "std", "median", "mode", "low", "high", "error", "route", "range")


@cache
def evidence(kind):
    return KINDS[kind]()


@cache
def posterior(kind):
    return hs.posterior(evidence(kind), tolerance=0.2)


def measures(kind):
    """Those of the default table: all in the deep tier, else the first, the last and two between."""
    listed = posterior(kind).default_table
    every = 1 if tiers.tier == "deep" else max(1, (len(listed) - 1) // 3)
    return [*listed[:-1][::every], listed[-1]]


def own(row):
    """What all verbs say of a system: only a leaderboard has errors of P(best)."""
    error = {k: v for k, v in row["error"].items() if not k.startswith("best")}
    return {k: row[k] for k in SHOWN} | {"error": error}


each_kind = pytest.mark.parametrize("kind", KINDS)


def in_turn(at):
    """A third of the kinds, where a law takes long: others for each of three laws, and all when deep."""
    return pytest.mark.parametrize("kind", tiers.some(KINDS, every=3, start=at))


@each_kind
def test_all_verbs_say_the_same_of_a_system(kind):
    """The row of score is the side of compare and the row of leaderboard, number by number."""
    p = posterior(kind)
    metric = p.default_metric
    scores = {r["system"]: own(r) for r in hs.score(p, metrics=[metric]).to_dict()["rows"]}
    pair = hs.compare(p, "a", "b", metric=metric).to_dict()["rows"][0]
    board = {r["system"]: own(r) for r in hs.leaderboard(p, metric=metric, draws=500).to_dict()["rows"]}
    assert set(scores) == {"a", "b", "c"}
    assert own(pair["first"]) == scores["a"] == board["a"]
    assert own(pair["second"]) == scores["b"] == board["b"]
    assert board["c"] == scores["c"]


@in_turn(0)
def test_a_system_alone_is_the_system_among_others(kind):
    """Taking a subset of the systems changes nothing about those that are left."""
    p = posterior(kind)
    metrics = measures(kind)
    alone = hs.score(p.system("b"), metrics=metrics).to_dict()["rows"]
    among = [r for r in hs.score(p, metrics=metrics).to_dict()["rows"] if r["system"] == "b"]
    assert [own(r) for r in alone] == [own(r) for r in among]
    two = hs.score(evidence(kind).pick(("c", "b")), metrics=metrics, **SETTINGS).to_dict()["rows"]
    assert [own(r) for r in two if r["system"] == "b"] == [own(r) for r in among]


@each_kind
def test_swapping_the_systems_swaps_the_answer(kind):
    """P(a better than b) is P(b worse than a), and differences change their sign."""
    p = posterior(kind)
    one, two = hs.compare(p, "a", "b"), hs.compare(p, "b", "a")
    slack = 1e-9 if one.route != "sampled" else 2 * one.error.probability
    assert one.p_better == pytest.approx(two.p_worse, abs=slack)
    assert one.p_better + one.p_worse == pytest.approx(1.0, abs=1e-9 if one.route != "sampled" else 1e-3)
    spread = 1e-9 if one.route != "sampled" else one.error.value + two.error.value
    assert one.difference.mean == pytest.approx(-two.difference.mean, abs=float(spread))


@each_kind
def test_of_two_systems_the_better_one_is_the_best(kind):
    """A leaderboard of two systems agrees with their comparison."""
    p = posterior(kind).pick(("a", "b"))
    board, pair = hs.leaderboard(p, draws=4_000), hs.compare(p)
    at = board.systems.index("a")
    assert board.p_best[at] == pytest.approx(pair.p_better, abs=board.error.probability + pair.error.probability)


@pytest.mark.parametrize("kind", PARTS)
def test_parts_merge_to_the_whole(kind):
    """a + b, sum([a, b]) and an updated posterior are those of all items."""
    first, second = PARTS[kind]()
    whole = evidence(kind)
    assert hs.score(first + second, **SETTINGS) == hs.score(whole, **SETTINGS)
    assert hs.score(sum([first, second]), **SETTINGS) == hs.score(whole, **SETTINGS)
    updated = hs.posterior(first, tolerance=0.2).update(second)
    assert hs.score(updated) == hs.score(posterior(kind))
    assert (updated.tolerance, updated.seed, updated.prior) == (0.2, 0, posterior(kind).prior)


@in_turn(1)
def test_everything_pickles(kind):
    """Evidence, posterior and results come back equal, and answer as before."""
    p = posterior(kind)
    assert pickle.loads(pickle.dumps(evidence(kind))) == evidence(kind)
    again = pickle.loads(pickle.dumps(p))
    assert again == p
    for made in (hs.score(p, metrics=measures(kind)), hs.compare(p, "a", "b"), hs.leaderboard(p, draws=300)):
        back = pickle.loads(pickle.dumps(made))
        assert back == made
        assert back.to_dict() == made.to_dict()
    drawn = hs.compare(p, "a", "b")
    back = pickle.loads(pickle.dumps(drawn))
    assert back.difference.draws(20, seed=3).tolist() == drawn.difference.draws(20, seed=3).tolist()


@in_turn(2)
def test_equal_questions_have_equal_answers(kind):
    """The same evidence and settings give equal results, other settings do not."""
    p, metrics = posterior(kind), measures(kind)
    assert hs.score(p, metrics=metrics) == hs.score(hs.posterior(KINDS[kind](), tolerance=0.2), metrics=metrics)
    assert hs.score(p, metrics=metrics) != hs.score(p, metrics=metrics, level=0.8)
    assert hs.compare(p, "a", "b") == hs.compare(p, "a", "b")
    assert hs.compare(p, "a", "b") != hs.compare(p, "a", "c")
    assert hs.score(p, metrics=metrics) != hs.compare(p, "a", "b")


@in_turn(0)
def test_answers_do_not_depend_on_what_was_asked_before(kind):
    """All measures at once, and one by one from the last to the first, each at another level before."""
    at_once = hs.score(evidence(kind), metrics=measures(kind), **SETTINGS).to_dict()["rows"]
    p = hs.posterior(evidence(kind), tolerance=0.2)
    tables = []
    for m in reversed(measures(kind)):
        hs.score(p, metrics=[m], level=0.8).to_dict()
        tables.append(hs.score(p, metrics=[m]).to_dict()["rows"])
    one_by_one = {(r["system"], r["asked"]): own(r) for rows in tables for r in rows}
    assert {(r["system"], r["asked"]): own(r) for r in at_once} == one_by_one


@in_turn(1)
def test_two_threads_get_what_one_gets(kind):
    """One posterior may be asked from several threads at once."""
    p = hs.posterior(evidence(kind), tolerance=0.2)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: hs.score(p, metrics=measures(kind)).to_dict(), range(4)))
    alone = hs.score(posterior(kind), metrics=measures(kind)).to_dict()
    assert all(x == alone for x in made)


@each_kind
def test_the_protocol(kind):
    """What every kind can tell, and what a document says of it."""
    e = evidence(kind)
    assert e.systems == ("a", "b", "c")
    assert e.batch == () == e.shape
    assert e.totals.shape == ()
    assert e.system("b").systems == ("b",)
    assert e.pick(("c", "a")).systems == ("c", "a")
    assert e.n == e.system("a").n
    told = json.loads(json.dumps(e.describe(), allow_nan=False))
    assert told["systems"] == ["a", "b", "c"]
    assert told["n"] == e.n
    assert e + 0 is e
    with pytest.raises(hs.HowsureError, match="nobody"):
        e.system("nobody")
    assert repr(e).startswith(type(e).__name__)


@in_turn(2)
def test_settings_travel(kind):
    """Prior, tolerance and seed of a posterior, level and kind of a result, are those that were given."""
    prior = "none" if "items" in kind or kind == "queries" else "jeffreys"
    p = hs.posterior(evidence(kind), prior, tolerance=0.3, seed=7)
    document = hs.compare(p, "a", "b", level=0.8, interval="hdi").to_dict()
    assert document["prior"]["name"] == prior
    assert (document["seed"], document["level"], document["interval"]) == (7, 0.8, "hdi")
    again = hs.posterior(evidence(kind), prior, tolerance=0.3, seed=7)
    assert document == hs.compare(again, "a", "b", level=0.8, interval="hdi").to_dict()
