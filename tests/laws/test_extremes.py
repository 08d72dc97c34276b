"""Every measure on tables with empty cells, one cell only, or 1e15 items, under priors from 1e-6 to 1,000.

Nothing but one of our own refusals, no warning, no NaN, no value outside the range, whatever the verb.
"""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.laws.extremes import (
    BIG,
    PRIORS,
    TABLES,
    keeps_to_its_range,
    keeps_to_numbers,
    no_warnings,
    tally,
)
from tests.tiers import some, tier

BINARY = [m for m in hs.metrics() if m.name != "rate" and not m.any_of]
NAMES = [m.name for m in BINARY]
CLOSED = [m.name for m in BINARY if m.route == "closed form"]
ROUGH = {"tolerance": 0.5}
DEEP = tier == "deep"
JOINT = np.array(list(product((0, 1), repeat=3)))  # truth, a, b


def rng(*key: int) -> np.random.Generator:
    return np.random.default_rng([20_261_116, *key])


@pytest.mark.whole
@pytest.mark.parametrize(
    "line",
    [
        "score --counts 10,0,0,10 --metric phi --prior 0.01",
        "score --counts 5,0,0,0 --metric phi --prior 0.01",
        "score --counts 100000000,0,0,100000000 --metric tetrachoric --tolerance 0.2",
        "compare --counts 1,1,0,0 --counts 0,1,1,1 --metric bias --prior 1e-6",
    ],
)
def test_commands_that_once_failed(line, capsys):
    """Exit 0, nothing on standard error, and every number in its range."""
    with no_warnings():
        assert run([*line.split(), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert not err
    keeps_to_numbers(json.loads(out))


@pytest.mark.parametrize("name", NAMES)
def test_laws_of_extreme_tables(name):
    """A third of the tables at once where the law is closed, else fewer, under one prior; all of both when deep."""
    at = NAMES.index(name)
    chosen = PRIORS if DEEP else PRIORS[at % 6 :][:1]
    tables = TABLES if DEEP else TABLES[at % 3 :: 3] if name in CLOSED else TABLES[at % 6 :: 6]
    with no_warnings():
        for prior in chosen:
            d = hs.posterior(tally(tables), prior, **ROUGH)[name]
            keeps_to_its_range(d, ("equal-tailed", "hdi") if DEEP else ("equal-tailed",))


@pytest.mark.parametrize("name", some(NAMES, every=6))
def test_differences_of_extreme_tables(name):
    """Tested on different items: probabilities are some, and the difference keeps to its range."""
    own = rng(1, NAMES.index(name))
    for _ in range(24 if DEEP else 2):
        one, two = (tally(TABLES[i]) for i in own.integers(0, len(TABLES), 2))
        prior = PRIORS[own.integers(len(PRIORS))]
        with no_warnings():
            c = hs.compare(one, two, metric=name, prior=prior, **ROUGH)
            keeps_to_its_range(c.difference)
            keeps_to_numbers(c.to_dict())


@pytest.mark.parametrize("name", some(NAMES, every=6, start=3))
def test_pairs_of_extreme_tables(name):
    """The same on the same items, where a pattern of both systems may be empty or hold 1e15."""
    own = rng(2, NAMES.index(name))
    for _ in range(24 if DEEP else 2):
        counts = own.choice([0, 0, 0, 1, 5, 10**6, 10**12, BIG], 8)
        prior = PRIORS[own.integers(len(PRIORS))]
        t = hs.Tally(cells=JOINT, counts=counts, systems=("a", "b"), labels=(0, 1), positive=1)
        with no_warnings():
            c = hs.compare(t, "a", "b", metric=name, prior=prior, **ROUGH)
            keeps_to_its_range(c.difference)
            keeps_to_numbers(c.to_dict())


def test_quantiles_of_a_difference_far_narrower_than_its_range():
    """Of 2e12 items five tell the systems apart: the ends are those of a normal law, in order."""
    counts = [1, 1, 10**6, BIG, 10**12, 5, 0, 10**12]
    t = hs.Tally(cells=JOINT, counts=np.array(counts), systems=("a", "b"), labels=(0, 1), positive=1)
    d = hs.compare(t, "a", "b", metric="recall", prior=1000.0).difference
    low, high = d.interval()
    assert low == pytest.approx(d.mean - 1.959964 * d.std, rel=1e-3)
    assert high == pytest.approx(d.mean + 1.959964 * d.std, rel=1e-3)


def test_the_shortest_interval_of_a_difference_of_huge_tables():
    """Equal tables of 4e15 items: about as long as the equal-tailed one."""
    one = tally(TABLES[-1])
    d = hs.compare(one, one, metric="jaccard", prior=1e6).difference
    short, even = d.interval(kind="hdi"), d.interval()
    assert short.high - short.low == pytest.approx(even.high - even.low, rel=1e-4)


@pytest.mark.parametrize("name", some(["f1", "lr-plus", "phi", "odds-ratio", "recall", "accuracy"], 6))
def test_ranks_of_extreme_tables(name):
    """Of systems on different items and on the same: shares of 1, in every row and column."""
    own = rng(3, len(name))
    for prior in PRIORS if DEEP else PRIORS[2:6:3]:
        apart = {str(i): tally(TABLES[i]) for i in own.choice(len(TABLES), 3, replace=False)}
        counts = own.choice([0, 0, 1, 5, 10**6, BIG], 8)
        joint = hs.Tally(cells=JOINT, counts=counts, systems=("a", "b"), labels=(0, 1), positive=1)
        for data in (apart, joint):
            with no_warnings():
                board = hs.leaderboard(data, metric=name, prior=prior, **ROUGH)
                keeps_to_numbers(board.to_dict())
            np.testing.assert_allclose(board.rank_probabilities.sum(axis=0), 1.0, atol=1e-6)
            np.testing.assert_allclose(board.rank_probabilities.sum(axis=1), 1.0, atol=1e-6)


WEIGHTS = ([1.0] * 6, [1e-6, 1e15, 1.0, 1e-6, 1e15, 1.0], [1e-90] * 6, [1e90] * 6, [1e-12, 1, 1, 1, 1, 1e12])


@pytest.mark.parametrize("name", some(["f1", "phi", "kappa", "accuracy", "macro-f1", "informedness", "lr-plus"], 3))
@pytest.mark.parametrize("prior", some([1e-6, "even", 1000.0], 2))
def test_weights_of_any_size(name, prior):
    """Six items, of weights that differ by up to 1e21, or are all very small or very large."""
    y, z = np.array([0, 1, 1, 0, 1, 0]), np.array([0, 1, 0, 1, 1, 0])
    for weight in WEIGHTS:
        with no_warnings():
            report = hs.score(hs.tally(y, z, weight=weight), metrics=[name], prior=prior, **ROUGH)
            keeps_to_numbers(report.to_dict())


@pytest.mark.parametrize("prior", some([1e-6, "even", 0.01, 1000.0], 3))
@pytest.mark.parametrize("name", some(["phi", "f1", "accuracy", "recall", "informedness"], 4))
def test_strata_and_clusters_of_few_items(name, prior):
    """A stratum or a cluster of one item, or of one class only."""
    y, z = np.array([1, 1, 1, 0, 0, 0, 1]), np.array([1, 1, 1, 0, 0, 0, 0])
    group = np.array([0, 0, 1, 1, 2, 2, 3])
    with no_warnings():
        clustered = hs.tally(y, z, cluster=group)
        keeps_to_numbers(hs.score(clustered, metrics=[name], prior=prior, **ROUGH).to_dict())
        strata = hs.tally({"y": y, "z": z, "g": group}, truth="y", pred="z", by=["g"])
        mixed = strata.stratified({0: 1e-9, 1: 1.0, 2: 5.0, 3: 1e9})
        keeps_to_numbers(hs.score(mixed, metrics=[name], prior=prior, **ROUGH).to_dict())


TINY_SCORES = (
    ([0, 1], [0.5, 0.5]), ([0, 1], [0.1, 0.9]), ([0, 1], [0.9, 0.1]), ([1, 1, 0], [0.0, 0.0, 0.0]),
    ([0, 1, 1, 0], [1e-300, 1e300, -1e300, 0.0]), ([0, 0, 0, 1], [1, 2, 3, 4]),
    ([0, 1], [np.nextafter(1, 0), 1.0]), ([0, 1], [0.0, 5e-324]),
)  # fmt: skip


@pytest.mark.parametrize(("y", "scores"), TINY_SCORES)
@pytest.mark.parametrize("prior", some(["none", "even", 1000.0, 1e-6], 3))
def test_curves_of_few_scores(y, scores, prior):
    """Two items are a curve: its areas and bands are numbers; a sentence says why not where there is hardly a prior."""
    curve = hs.curve(np.array(y), np.array(scores, dtype=float), prior=prior, **ROUGH)
    try:
        with no_warnings():
            keeps_to_numbers(curve.to_dict())
            keeps_to_numbers(curve.band("recall").to_dict())
    except hs.HowsureError as refusal:
        told = str(refusal)
        assert prior in ("none", 1e-6)
        assert "they cannot say how sure that is" in told
