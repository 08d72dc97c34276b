"""Two systems right or wrong on the same items: all numbers of items that only one of them has right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import howsure as hs
from bench.calibrate import peers
from bench.calibrate.methods import RESAMPLES
from bench.calibrate.peers import one_sided
from bench.calibrate.samples import VERDICTS, Array, Sample, rows, stream, verdicts
from bench.coverage_data import Row, Table

SIZES: Final = (10, 30, 100, 1_000, 10_000)
DISCORDANT: Final = (0.3, 0.1, 0.01, 0.001)  # the share of items that only one system has right
FEWEST: Final = 3  # discordant items expected
POWER: Final = 2.8  # standard errors between the systems, where one is better: about .8 of such are found
EQUAL, BETTER = "equal", "better"
SIMULATED: Final = {"bootstrap": 600, "prob_conf_mat": 200, "evalstats": 10}


def discordant(n: int, share: float, gap: float, dust: float = 1e-9) -> Sample:
    """Numbers of items that only the first, and only the second, has right, with n."""
    p = (share + gap) / 2, (share - gap) / 2
    ends = [stats.binom.ppf([dust / 9, 1 - dust / 9], n, q).astype(int) if q > 0 else (0, 0) for q in p]
    b, c = (x.ravel() for x in np.meshgrid(*(np.arange(x[0], x[1] + 1) for x in ends), indexing="ij"))
    kept = b + c <= n
    b, c = b[kept], c[kept]
    chance = stats.binom.pmf(b, n, p[0]) * stats.binom.pmf(c, n - b, p[1] / (1 - p[0]))
    return Sample.all(np.stack([b, c, np.full_like(b, n)], axis=1), chance, dust)


# -- tests of b against c --------------------------------------------------------------------------


def mcnemar(b: Array, c: Array) -> Any:
    """The exact test, which is the sign test, and the exact permutation test of these data."""
    return one_sided(np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(b, c), b + c, 0.5)), b - c)


def mid_p(b: Array, c: Array) -> Any:
    """Half of the probability of what was seen."""
    less = np.minimum(b, c)
    tail = 2 * (stats.binom.cdf(less, b + c, 0.5) - 0.5 * stats.binom.pmf(less, b + c, 0.5))
    return one_sided(np.minimum(1.0, tail), b - c)


def student(b: Array, c: Array, n: Array) -> Any:
    """The paired t test of right as 1 and wrong as 0; none where no items differ."""
    mean = (b - c) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        t = mean / np.sqrt(((b + c) / n - mean**2) / (n - 1))
    return stats.t.cdf(t, n - 1)


def wilcoxon(b: Array, c: Array) -> Any:
    """Wilcoxon's, whose ranks are all tied here: by the normal law, as scipy has it beyond 13 differences."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return stats.norm.cdf((b - c) / np.sqrt(b + c))


def bootstrap(data: NDArray[np.int64], rng: np.random.Generator) -> Array:
    """Whether 0 is in the percentile interval of the difference: one half; else 1 or 0, the side on which it is."""
    found = []
    for b, c, n in data:
        x = rng.multinomial(n, [b / n, c / n, 1 - (b + c) / n], size=RESAMPLES)
        gap = x[:, 0] - x[:, 1]
        low, high = np.quantile(gap, [0.025, 0.975], method="weibull")
        found.append(1.0 if low > 0 else 0.0 if high < 0 else 0.5)
    return np.array(found)


def by_evalstats(sample: Sample, checked: int, rng: np.random.Generator) -> Any:
    """Its p-value, which is McNemar's mid-p, or none: on some data by itself, and if these agree so is the rest."""
    own = mid_p(*sample.data.T[:2])
    some = rng.choice(len(sample), size=checked, p=sample.shares)
    asked = np.array([peers.evalstats_better(*right(sample.data[i])) for i in some])
    if np.isnan(asked).all():
        return np.full(len(sample), np.nan)
    if np.abs(asked - own[some]).max() > 1e-9:
        raise ValueError(f"evalstats has {asked}, McNemar's mid-p {own[some]}.")
    return own


def right(counts: NDArray[np.int64]) -> tuple[Array, Array]:
    """Right and wrong of both systems, item by item; of the items on which they agree three in four are right."""
    b, c, n = counts
    rest = (np.arange(n - b - c) % 4 > 0).astype(float)
    return np.concatenate([np.ones(b), np.zeros(c), rest]), np.concatenate([np.zeros(b), np.ones(c), rest])


def by_prob_conf_mat(data: NDArray[np.int64]) -> Array:
    """Its P(first better) of accuracy; it knows no pairs. Every second item is positive."""
    found = []
    for i, row in enumerate(data):
        truth = np.arange(row[2]) % 2
        answers = (np.where(x > 0, truth, 1 - truth) for x in right(row))
        tables = [np.bincount(2 * truth + z, minlength=4).reshape(2, 2) for z in answers]
        found.append(peers.prob_conf_mat_better(*tables, "accuracy", i))
    return np.array(found)


def found(sample: Sample, rng: np.random.Generator, most: dict[str, int]) -> Iterator[tuple[str, Sample, Any]]:
    """Every method, the data that it was given, and where it puts the first."""
    b, c, n = sample.data.T.astype(float)
    yield "howsure", sample, hs.compare_wins(b, c, n - b - c).p_better
    yield "McNemar, exact", sample, mcnemar(b, c)
    yield "McNemar, mid-p", sample, mid_p(b, c)
    yield "Student's t", sample, student(b, c, n)
    yield "Wilcoxon", sample, wilcoxon(b, c)
    some = sample.few(most["bootstrap"], rng)
    yield "bootstrap", some, bootstrap(some.data, rng)
    some = sample.few(most["prob_conf_mat"], rng)
    yield "prob_conf_mat", some, by_prob_conf_mat(some.data)
    yield "evalstats", sample, by_evalstats(sample, most["evalstats"], rng)


def of_case(share: float, n: int, truth: str, most: dict[str, int]) -> list[Row]:
    """Systems that differ on a share of n items."""
    gap = 0.0 if truth == EQUAL else min(POWER * np.sqrt(share / n), 0.9 * share)
    rng = stream("pairs", share, n, truth)
    sample = discordant(n, share, gap)
    got = [(method, "rate", s.tests, verdicts(s, p)) for method, s, p in found(sample, rng, most)]
    return rows({"discordant": share, "items": n, "systems": truth, "gap": float(f"{gap:.3g}")}, got)


def study(quick: bool) -> Iterator[tuple[str, Table]]:
    """The table of right and wrong answers."""
    cases = [(d, n, t) for d in DISCORDANT for n in SIZES if n * d >= FEWEST for t in (EQUAL, BETTER)]
    most = dict.fromkeys(SIMULATED, 10) if quick else SIMULATED
    yield "pairs", Table(VERDICTS, [row for x in (cases[:4] if quick else cases) for row in of_case(*x, most)])
