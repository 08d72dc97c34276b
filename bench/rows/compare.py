"""Comparing two systems, and the mean of many values: exact numbers against draws and against peers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

import howsure as hs
from bench import exact, peers
from bench.registry import AtLeast, Error, Row, Run, Under, Within, group
from bench.rows.core import _rules
from bench.timing import race

A, B = (84, 18, 26, 872), (80, 20, 30, 870)
CELLS = ("tp", "fp", "fn", "tn")


def _table(cells: tuple[int, ...]) -> hs.Tally:
    return hs.Tally.binary(**dict(zip(CELLS, cells, strict=True)))


@group(
    "compare",
    "P(A better than B) on F1, systems tested on different items",
    "Exact: the integral of one Beta cdf under another, from mpmath with 30 digits.",
    "A permutation test answers another question, with a p-value; its error is the standard error of that p-value.",
)
def independent(run: Run) -> Iterator[Row]:
    run.say("compare: one pair of tables")
    a, b = _table(A), _table(B)
    others = {
        "numpy, 10,000 draws": peers.f1_draws(A, B),
        "prob_conf_mat, 10,000 draws": peers.prob_conf_mat_compare(A, B),
        "scipy permutation_test, 9,999 resamples": peers.permutation(A, B),
    }
    laps = race({"ours": lambda: float(hs.compare(a, b, metric="f1").p_better), **others}, _rules(run, 1000))
    ours, want = laps["ours"], exact.f1_beats(A, B)
    for name in others:
        lap = laps[name]
        if name.startswith("scipy"):
            error = float(np.sqrt(lap.value * (1 - lap.value) / 9_999))
            said = f"its p-value is {lap.value:.4f} with a standard error of {error:.1e}"
        else:
            said = f"its P(A > B) is {lap.value:.4f}, off by {abs(lap.value - want):.1e}"
        note = f"{said}; ours is {ours.value:.4f}, off by {max(abs(ours.value - want), 1e-16):.1e}"
        target = Under(0.001) if name.startswith("numpy") else None
        yield Row("P(A > B) on F1", ours, name, lap, target, note=note)
    run.say("compare: 10,000 pairs of tables")
    counts = np.random.default_rng(1).integers(0, 500, (8, 10_000))
    many = [hs.Tally.binary(**dict(zip(CELLS, part, strict=True))) for part in (counts[:4], counts[4:])]
    batch = race({"ours": lambda: hs.compare(*many, metric="f1").p_better}, _rules(run, 10_000_000))
    yield Row("P(A > B) on F1, 10,000 pairs", batch["ours"])


@group(
    "compare-paired",
    "Two systems on the same items, and the best of several on different ones",
    "The peer draws the joint table 100,000 times in numpy; its error is three standard errors of a share. "
    "Ours is the error that we state (tests/comparison/test_paired_quotients.py and test_ranks.py hold it).",
)
def paired(run: Run) -> Iterator[Row]:
    run.say("compare-paired: F1 and precision of two systems, P(best) of three and ten")
    patterns = np.array(list(product((0, 1), (0, 1), (0, 1))))  # truth, a, b
    counts = np.array([860, 12, 15, 10, 20, 15, 25, 70])
    t = hs.Tally(cells=patterns, counts=counts, systems=("a", "b"), labels=(0, 1), positive=1)

    def drawn() -> float:
        """The share of joint draws in which the F1 of the first is larger."""
        mass = np.random.default_rng(0).standard_gamma(counts + 0.25, (100_000, 8))
        y, answers = patterns[:, 0], patterns[:, 1:]
        scores = [2 * mass @ (y * a) / (mass @ y + mass @ a) for a in answers.T]
        return float((scores[0] > scores[1]).mean())

    ours = {m: (lambda m=m: hs.compare(t, "a", "b", metric=m).p_better) for m in ("f1", "precision")}
    laps = race({**ours, "numpy, 100,000 joint draws": drawn}, _rules(run, 1000))
    stated = {m: hs.compare(t, "a", "b", metric=m).error.probability for m in ours}
    peer = laps["numpy, 100,000 joint draws"]
    error = 3 * float(np.sqrt(peer.value * (1 - peer.value) / 100_000))
    note = (
        f"its P(A > B) is {peer.value:.4f} within {error:.1e}; ours is {laps['f1'].value:.6f} within {stated['f1']:.0e}"
    )
    yield Row(
        "P(A > B) on F1, the same items", laps["f1"], "numpy, 100,000 joint draws", peer, Under(0.01),
        note=note,
    )  # fmt: skip
    note = f"ours is {laps['precision'].value:.6f} within {stated['precision']:.0e}"
    yield Row("P(A > B) on precision, the same items", laps["precision"], target=Under(0.01), note=note)
    rng = np.random.default_rng(2)
    many = {str(i): _table(tuple(int(x) for x in rng.integers(20, 60, 4))) for i in range(10)}
    boards = {
        "3": lambda: hs.leaderboard({k: many[k] for k in ("0", "1", "2")}, metric="f1").p_best,
        "10": lambda: hs.leaderboard(many, metric="f1").p_best,
    }
    best = race(boards, _rules(run, 1000))
    for k, what in (("3", "three"), ("10", "ten")):
        bound = hs.leaderboard({x: many[x] for x in list(many)[: int(k)]}, metric="f1").error.probability
        note = f"probabilities within {bound:.0e}"
        yield Row(f"P(best) and ranks on F1 of {what} independent systems", best[k], note=note)


@group(
    "compare-items",
    "Graded values: the mean of 10,000 items, and two systems on the same items",
    "Our error is the bound that we state (tests/reference/test_contour.py holds it); theirs, distances from our ends. "
    "scipy's bootstrap has the same aim with weights of whole numbers, so not all of its distance is numerical. "
    "evalstats and statsmodels state Student's interval, symmetric about the mean of values that are not.",
)
def items(run: Run) -> Iterator[Row]:
    rng = np.random.default_rng(3)
    values = np.exp(rng.standard_normal(10_000))
    run.say("compare-items: the mean of 10,000 items")

    def ours() -> peers.Ends:
        low, high = hs.posterior(hs.graded(values), prior="none")["mean"].interval()  # as the peers: no prior
        return low, high

    others = {
        "numpy, 10,000 draws of Dirichlet weights": peers.bayesian_bootstrap(values),
        "scipy bootstrap, 9,999 resamples": peers.bootstrap_mean(values),
        "evalstats mean_ci": peers.evalstats_mean(values),
        "statsmodels tconfint_mean": peers.statsmodels_mean(values),
    }
    laps = race({"ours": ours, **others}, run.rules(rounds=5, seconds=30))
    ends = laps["ours"].value
    width = ends[1] - ends[0]
    d = hs.posterior(hs.graded(values), prior="none")["mean"]
    mine = Error(d.error.value, width)
    for name in others:
        off = max(abs(x - y) for x, y in zip(laps[name].value, ends, strict=True))
        target = AtLeast(10) if name.startswith(("numpy", "scipy")) else None  # the others are one formula
        yield Row(
            "95% interval of the mean of 10,000 items", laps["ours"], name, laps[name], target,
            our_error=mine, peer_error=Error(off, width),
        )  # fmt: skip
    run.say("compare-items: 200 items of two systems")
    a = rng.random(200)
    both = hs.graded({"a": a, "b": np.clip(a + rng.normal(0, 0.1, 200), 0, 1)})
    calls = {
        "ours": lambda: hs.compare(both, "a", "b").p_better,
        "ours, all": lambda: hs.compare(both, "a", "b").to_dict(),
    }
    pair = race(calls, _rules(run, 1000))
    yield Row("P(A > B), 200 items of two systems", pair["ours"], target=Under(0.05))
    yield Row("the same, with all that a document holds", pair["ours, all"])


@group(
    "leaderboard-prior",
    "A leaderboard under a prior of much weight",
    "What a prior costs must not follow its weight: both in one run, 300 items of ten systems, or of two in clusters.",
)
def heavy_priors(run: Run) -> Iterator[Row]:
    run.say("leaderboard-prior: the default prior and weights up to 1,000 a cell")
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    answers = {f"s{i}": np.where(rng.random(300) < 0.2 + 0.01 * i, 1 - y, y) for i in range(10)}
    two = {name: answers[name] for name in ("s0", "s5")}
    boards = {
        "ten systems": hs.tally(y, answers),
        "two systems in clusters": hs.tally(y, two, cluster=np.arange(300) // 5),
    }
    for what, evidence in boards.items():
        priors = {"ours": "even", "ours, 99": 99.0, "ours, 1000": 1_000.0}
        calls = {
            name: (lambda prior=prior, evidence=evidence: hs.leaderboard(evidence, metric="f1", prior=prior).p_best)
            for name, prior in priors.items()
        }
        laps = race(calls, run.rules(rounds=3, seconds=60))
        for name in ("ours, 99", "ours, 1000"):
            yield Row(
                f"P(best) on F1 of {what}, prior {priors[name]:g}", laps[name], "ours, the default prior",
                laps["ours"], Within(8), own_peer=True,
            )  # fmt: skip


@group("leaderboard-items", "A leaderboard of many graded items")
def many_items(run: Run) -> Iterator[Row]:
    run.say("leaderboard-items: ten systems on 100,000 items")
    rng = np.random.default_rng(5)
    evidence = hs.graded({f"s{i}": rng.beta(5 + 0.1 * i, 2, 100_000) for i in range(10)})
    laps = race({"ours": lambda: hs.leaderboard(evidence).p_best}, run.rules(rounds=3, seconds=60))
    yield Row("P(best) of ten systems, 100,000 graded items", laps["ours"], target=Under(10))
