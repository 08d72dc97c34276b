"""Rates, pairs of rates and reports, against statsmodels, evalstats and pycm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import howsure as hs
from bench import exact
from bench.peers import LEVEL, Ends
from bench.registry import Error, Row, Run, Within, group
from bench.rows.core import _rules
from bench.timing import race

HITS, OF = 47, 50
SEED = 22


def _rate(prior: str) -> Ends:
    low, high = hs.posterior(hs.Tally.rate(hits=HITS, of=OF), prior=prior)["rate"].interval()
    return float(low), float(high)


def _statsmodels(method: str) -> Ends:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(HITS, OF, alpha=1 - LEVEL, method=method)
    return float(low), float(high)


def _evalstats() -> Ends:
    import evalstats  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return evalstats.bayes_binary_ci_1d(np.repeat([1.0, 0.0], [HITS, OF - HITS]), 1 - LEVEL)  # type: ignore[no-any-return]


@group(
    "rates",
    f"The 95% interval of a rate, {HITS} of {OF}, and of many rates",
    "Exact: the quantiles of the Beta posterior, from mpmath with 40 digits, under the prior of each row: weight 1 on "
    "hits and misses (evalstats, and our default), or 1/2 (jeffreys). Wilson's interval aims at coverage, so not all "
    "of its distance is numerical. For one rate the peers call scipy and do no more; ours makes a posterior.",
)
def rates(run: Run) -> Iterator[Row]:
    run.say("rates: one rate")
    peers: dict[str, tuple[Callable[[], Ends], str]] = {
        "evalstats bayes_binary_ci_1d": (_evalstats, "even"),
        "statsmodels proportion_confint, jeffreys": (partial(_statsmodels, "jeffreys"), "jeffreys"),
        "statsmodels proportion_confint, wilson": (partial(_statsmodels, "wilson"), "even"),
    }
    own = {f"ours, {prior}": partial(_rate, prior) for prior in ("even", "jeffreys")}
    laps = race({**own, **{name: call for name, (call, _) in peers.items()}}, _rules(run, 1000))
    for name, (_, prior) in peers.items():
        mine, lap = laps[f"ours, {prior}"], laps[name]
        ends = exact.rate_interval(HITS, OF, 1.0 if prior == "even" else 0.5)
        yield Row(
            f"rate of {HITS} in {OF}, prior {prior}", mine, name, lap,
            our_error=exact.error(mine.value, ends), peer_error=exact.error(lap.value, ends),
        )  # fmt: skip
    yield _many_rates(run)


def _many_rates(run: Run) -> Row:
    from statsmodels.stats.proportion import proportion_confint

    many = 10_000 if run.quick else 100_000
    run.say(f"rates: {many:,} rates")
    rng = np.random.default_rng(SEED)
    of = rng.integers(1, 1000, many)
    hits = rng.binomial(of, 0.8)

    def ours() -> Any:
        return np.stack(hs.posterior(hs.Tally.rate(hits=hits, of=of), prior="jeffreys")["rate"].interval())

    def peer() -> Any:
        return np.stack(proportion_confint(hits, of, alpha=1 - LEVEL, method="jeffreys"))

    laps = race({"ours": ours, "peer": peer}, run.rules(rounds=5, seconds=20))
    apart = np.abs(laps["ours"].value - laps["peer"].value)
    inner = (hits > 0) & (hits < of)  # at the edges statsmodels puts the end on the edge itself
    note = f"its ends lie within {max(float(apart[:, inner].max()), 1e-16):.0e} of ours where hits and misses occur"
    name = "statsmodels proportion_confint, jeffreys"
    return Row(f"{many:,} rates, prior jeffreys", laps["ours"], name, laps["peer"], Within(1), note=note)


# -- two systems -----------------------------------------------------------------------------------


def _pair(evidence: Any, *names: str) -> tuple[float, float, float]:
    found = hs.compare(evidence, *names) if names else hs.compare(*evidence)
    low, high = found.difference.interval()
    return float(low), float(high), float(found.p_better)


def _answers() -> tuple[Any, Any]:
    """Passes and fails of two systems on the same 500 items; one in five is answered anew by the second."""
    rng = np.random.default_rng(SEED)
    a = rng.random(500) < 0.80
    return a, np.where(rng.random(500) < 0.20, rng.random(500) < 0.73, a)


@group(
    "rates-pairs",
    "Two systems, passes and fails: the 95% interval of the difference, and P(A better than B)",
    "Our error is the one that we state; theirs, the distance from our ends. evalstats draws 10,000 times from a model "
    "of its own (two normals), and Newcombe's interval aims at coverage, so not all of their distance is numerical. "
    "McNemar's test gives a p-value and no interval.",
)
def pairs(run: Run) -> Iterator[Row]:
    import evalstats
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.proportion import confint_proportions_2indep

    run.say("rates-pairs: the same items, and different ones")
    a, b = _answers()
    joint = hs.tally({"a": a.astype(int), "b": b.astype(int)}, outcome=["a", "b"])
    apart = (hs.Tally.rate(hits=HITS, of=OF), hs.Tally.rate(hits=40, of=OF))
    table = [[int((a & b).sum()), int((a & ~b).sum())], [int((~a & b).sum()), int((~a & ~b).sum())]]
    x, y = a.astype(float), b.astype(float)
    laps = race(
        {
            "ours, paired": lambda: _pair(joint, "a", "b"),
            "evalstats": lambda: evalstats.bayes_paired_diff_ci(x, y, 1 - LEVEL, rng=np.random.default_rng(0)),
            "mcnemar": lambda: float(mcnemar(table, exact=True).pvalue),
            "ours, apart": lambda: _pair(apart),
            "newcombe": lambda: confint_proportions_2indep(HITS, OF, 40, OF, method="newcomb", compare="diff"),
        },
        _rules(run, 1000),
    )
    what = "difference of 500 paired passes"
    mine = laps["ours, paired"]
    stated = _stated(mine.value, hs.compare(joint, "a", "b").difference.error.value)
    note = f"its P(A > B) is {laps['evalstats'].value[2]:.4f}, ours {mine.value[2]:.4f}"
    name = "evalstats bayes_paired_diff_ci, 10,000 draws"
    off = _off(laps["evalstats"].value, mine.value)
    yield Row(what, mine, name, laps["evalstats"], our_error=stated, peer_error=off, note=note)
    note = f"its p-value is {laps['mcnemar'].value:.4f}"
    yield Row(what, mine, "statsmodels mcnemar, exact", laps["mcnemar"], our_error=stated, note=note)
    mine = laps["ours, apart"]
    stated = _stated(mine.value, hs.compare(*apart).difference.error.value)
    off = _off(laps["newcombe"].value, mine.value)
    name = "statsmodels confint_proportions_2indep, Newcombe"
    what = f"difference of {HITS} and 40 in {OF}"
    yield Row(what, mine, name, laps["newcombe"], our_error=stated, peer_error=off)


def _stated(found: tuple[float, ...], bound: float) -> Error:
    return Error(float(bound), found[1] - found[0])


def _off(theirs: Any, ours: tuple[float, ...]) -> Error:
    return Error(max(abs(float(theirs[i]) - ours[i]) for i in (0, 1)), ours[1] - ours[0])


# -- reports ---------------------------------------------------------------------------------------


@group(
    "reports-pycm",
    "A report from two arrays as text, against pycm",
    "pycm states over a hundred measures, most without an interval; ours the usual ones, each with its interval.",
)
def reports(run: Run) -> Iterator[Row]:
    import pycm  # type: ignore[import-untyped]

    for k, n in ((2, 1_000), (2, 100_000), (10, 1_000), (10, 100_000)):
        run.say(f"reports-pycm: {k} classes, n = {n:,}")
        rng = np.random.default_rng(SEED)
        y = rng.integers(0, k, n)
        z = np.where(rng.random(n) < 0.85, y, rng.integers(0, k, n))
        calls = {"ours": lambda y=y, z=z: str(hs.score(y, z)), "peer": lambda y=y, z=z: str(pycm.ConfusionMatrix(y, z))}
        laps = race(calls, run.rules(rounds=20, seconds=8))
        score, theirs = hs.score(y, z, metrics=["accuracy"])["accuracy"].score, pycm.ConfusionMatrix(y, z).Overall_ACC
        if abs(score - theirs) > 1e-12:
            raise RuntimeError(f"accuracy is {score} here and {theirs} there")
        what = f"str(hs.score(y, z)), {k} classes, n = {n:,}"
        yield Row(what, laps["ours"], "pycm ConfusionMatrix", laps["peer"])
