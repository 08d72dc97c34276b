"""Laws of the score of the next items, against all tables that can come, in fractions and with mpmath."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Any

import mpmath
import numpy as np
import pytest

from howsure.distributions.future_counts import ERROR, Group, UrnQuotient, beta_binomial, cdf_along
from howsure.distributions.future_scores import DrawnScores, next_sums
from tests.tiers import spread

Counts = tuple[int, ...]
Score = Callable[[Counts], Fraction | None]


def rising(a: Fraction, k: int) -> Fraction:
    return prod((a + i for i in range(k)), start=Fraction(1))


def tables(n: int, shapes: tuple[Fraction, ...]) -> Iterator[tuple[Counts, Fraction]]:
    """Every table of n items with its chance under Pólya's urn."""
    for counts in product(range(n + 1), repeat=len(shapes) - 1):
        if sum(counts) <= n:
            whole = (*counts, n - sum(counts))
            ways = Fraction(factorial(n), prod(factorial(x) for x in whole))
            yield whole, ways * prod(rising(a, x) for a, x in zip(shapes, whole, strict=True)) / rising(sum(shapes), n)


def law(n: int, shapes: tuple[Fraction, ...], score: Score) -> tuple[dict[Fraction, Fraction], Fraction]:
    """Scores with their chances given that they are defined, and P(undefined)."""
    found: dict[Fraction, Fraction] = {}
    lost = Fraction(0)
    for counts, p in tables(n, shapes):
        value = score(counts)
        if value is None:
            lost += p
        else:
            found[value] = found.get(value, Fraction(0)) + p
    return {k: found[k] / (1 - lost) for k in sorted(found)}, lost


def quotient(*groups: tuple[int, int]) -> Score:
    def score(counts: Counts) -> Fraction | None:
        top, bottom = (sum(x * g[i] for x, g in zip(counts, groups, strict=True)) for i in (0, 1))
        return None if bottom == 0 else Fraction(top, bottom)

    return score


FORMS = {  # high, low, outer: what an item adds above and below the line
    "accuracy": ((1, 1), (0, 1)),
    "right over right and twice wrong": ((1, 1), (0, 2)),
    "recall": ((1, 1), (0, 1), (0, 0)),
    "f1": ((2, 2), (0, 1), (0, 0)),
    "difference": ((1, 1), (-1, 1), (0, 1)),
    "utility": ((2, 1), (-1, 1), (1, 1)),
}
SHAPES = [(8.5, 6.0, 87.5), (0.5, 0.5, 0.5), (1.0, 1.0, 0.001), (3.5, 0.001, 40.0), (1e12, 2e12, 1e12)]


@pytest.mark.parametrize(("form", "shapes"), spread(FORMS, SHAPES))
@pytest.mark.parametrize("n", [1, 2, 11])
def test_the_law_is_that_of_all_tables(form, shapes, n):
    """P(<= x) and P(< x) at every score, quantiles, moments and P(undefined)."""
    groups = FORMS[form]
    exact = tuple(Fraction(x) for x in shapes[: len(groups)])
    want, lost = law(n, exact, quotient(*groups))
    parts = (Group(np.asarray(float(a)), float(u), float(v)) for a, (u, v) in zip(exact, groups, strict=True))
    made = UrnQuotient(n, *parts)
    assert float(made.undefined) == pytest.approx(float(lost), rel=1e-9, abs=1e-300)
    values, chances = list(want), list(want.values())
    upto = [sum(chances[: i + 1]) for i in range(len(chances))]
    points = np.array([float(x) for x in values])
    below, above = made.tails(points)
    before, _ = made.tails(np.nextafter(points, -np.inf))
    np.testing.assert_allclose(below, [float(x) for x in upto], rtol=0, atol=ERROR)
    np.testing.assert_allclose(above, [float(1 - x) for x in upto], rtol=0, atol=ERROR)
    np.testing.assert_allclose(before, [0.0, *(float(x) for x in upto[:-1])], rtol=0, atol=ERROR)
    for p in (0.001, 0.025, 0.3, 0.5, 0.9, 0.975):
        first = next(k for k, x in zip(values, upto, strict=True) if x >= Fraction(p) - Fraction(1, 10**13))
        assert float(made.quantile(np.asarray(p), np.asarray(1 - p))[0]) == float(first)
    mean = sum(k * v for k, v in want.items())
    var = sum((k - mean) ** 2 * v for k, v in want.items())
    assert float(made.mean()) == pytest.approx(float(mean), abs=1e-12)
    assert float(made.std()) == pytest.approx(float(var) ** 0.5, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("n", "t"), [(60, 0.75), (120, 2 / 3), (120, 0.7999)])
def test_f1_of_many_items_by_mpmath(n, t):
    """The double sum with 40 digits, term by term, over all counts of tp and of fp + fn."""
    a, e, r = 80.5, 51.0, 870.5
    with mpmath.workdps(40):
        logs = {
            s: [mpmath.loggamma(s + i) - mpmath.loggamma(i + 1) - mpmath.loggamma(s) for i in range(n + 1)]
            for s in (a, e, r)
        }
        whole = mpmath.loggamma(a + e + r + n) - mpmath.loggamma(n + 1) - mpmath.loggamma(a + e + r)
        some, less = mpmath.mpf(0), mpmath.mpf(0)
        for m in range(1, n + 1):
            for x in range(m + 1):
                p = mpmath.exp(logs[a][x] + logs[e][m - x] + logs[r][n - m] - whole)
                some += p
                less += p if 2 * x / (x + m) <= t else 0
        want = float(less / some)
    made = UrnQuotient(n, *(Group(np.asarray(s), u, v) for s, u, v in ((a, 2.0, 2.0), (e, 0.0, 1.0), (r, 0.0, 0.0))))
    assert float(made.tails(np.asarray(t))[0]) == pytest.approx(want, abs=ERROR)


def test_a_batch_is_its_tables():
    """Laws of several tables, and points that broadcast against them."""
    shapes = np.array([8.5, 80.5, 0.5]), np.array([6.0, 51.0, 0.5]), np.array([87.5, 870.5, 3.0])
    coefs = ((2.0, 2.0), (0.0, 1.0), (0.0, 0.0))
    whole = UrnQuotient(30, *(Group(s, *c) for s, c in zip(shapes, coefs, strict=True)))
    t = np.array([0.2, 0.5, 0.75])[:, None]
    for j in range(3):
        one = UrnQuotient(30, *(Group(s[j], *c) for s, c in zip(shapes, coefs, strict=True)))
        np.testing.assert_array_equal(whole.tails(t)[0][:, j], one.tails(t[:, 0])[0])
        assert whole.equal_tailed(0.9)[0][j] == one.equal_tailed(0.9)[0]
        assert whole.mean()[j] == one.mean()
        assert whole.undefined[j] == one.undefined


@pytest.mark.parametrize("first", [0, 5, 17])
def test_the_walk_starts_anywhere(first):
    """P(X_m <= k_m) along a line is the sum of P(X_m = x), wherever the line starts."""
    a, b, n = np.asarray(3.5), np.asarray(1.25), 60
    k = np.floor(0.7 * np.arange(n + 1)).astype(np.int64)
    want = [beta_binomial(m, a, b)[: k[m] + 1].sum() for m in range(first, n + 1)]
    np.testing.assert_allclose(cdf_along(k[first:], a, b, first), want, rtol=0, atol=1e-14)


def test_beta_binomial_of_large_shapes():
    """At shapes of 1e12 the urn is a coin: the binomial."""
    found = beta_binomial(20, np.asarray(3e12), np.asarray(1e12))
    want = [comb(20, x) * 0.75**x * 0.25 ** (20 - x) for x in range(21)]
    np.testing.assert_allclose(found, want, rtol=1e-9)


def test_far_tails_keep_their_size():
    """P(all of 200 next items right) of a system that was right in 1 of 400, not a silent 0."""
    made = UrnQuotient(200, Group(np.asarray(2.0), 1.0, 1.0), Group(np.asarray(400.0), 0.0, 1.0))
    assert 0 < beta_binomial(200, np.asarray(2.0), np.asarray(400.0))[-1] < 1e-100
    assert float(made.tails(np.asarray(1.0))[0]) == 1.0


@pytest.mark.parametrize("n", [2, 9])
def test_sums_over_next_items_are_of_the_urn(n):
    """More items than atoms, and fewer: means and variances of the sums as the urn has them."""
    shapes, features = np.array([1.0, 2.5, 0.5, 4.0]), np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 3.0]])
    draws = np.concatenate(list(next_sums(features, shapes, n, 200_000, np.random.default_rng(5))))
    p, s = shapes / shapes.sum(), shapes.sum()
    mean = n * p @ features
    cov = n * (s + n) / (s + 1) * (features.T @ (np.diag(p) - np.outer(p, p)) @ features)
    error = np.sqrt(np.diag(cov) / len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 4.5 * error).all()
    np.testing.assert_allclose(np.cov(draws.T), cov, rtol=0.03, atol=0.03)


def test_quantiles_of_draws_are_draws():
    """The smallest draw with a share of p or more at or below it, and an error that holds the next ranks."""
    made: Any = DrawnScores(np.sort(np.repeat([0.0, 0.25, 0.5, 1.0], [10, 20, 30, 40])), 0.0, 1.0)
    at = np.array([0.1, 0.1001, 0.3, 0.31, 0.6, 0.61, 1.0])
    np.testing.assert_array_equal(made.quantile(at, 1 - at)[0], [0.0, 0.25, 0.25, 0.5, 0.5, 1.0, 1.0])
    assert float(made.quantile_error(0.3)) == 0.25
    assert float(made.quantile_error(0.8)) == 0.0
