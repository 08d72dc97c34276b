"""P(best) and ranks of systems tested on different items: integrals, held against draws, closed values and compare."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import howsure as hs
from howsure.distributions.control_variate import Controlled
from howsure.distributions.rank_integrals import ranked

CELLS = ("tp", "fp", "fn", "tn")


def tables(*counts: tuple[int, ...]) -> dict[str, hs.Tally]:
    """Systems s0, s1, … with these cells."""
    return {f"s{i}": hs.Tally.binary(**dict(zip(CELLS, c, strict=True))) for i, c in enumerate(counts)}


CASES = {
    "close": tables((84, 18, 26, 872), (80, 20, 30, 870), (70, 25, 40, 865), (82, 22, 28, 868)),
    "small and huge": tables((4, 3, 2, 1), (10**9, 5 * 10**8, 10**8, 10**9), (50, 20, 30, 900)),
    "empty": tables((0, 0, 0, 0), (5, 0, 0, 3), (3, 0, 1, 0)),
}


@pytest.mark.parametrize("metric", ["f1", "recall", "fallout", "f2", "informedness"])
@pytest.mark.parametrize("case", CASES)
def test_ranks_agree_with_draws(case: str, metric: str) -> None:
    """P(rank r) of every system within five standard errors of 200,000 draws; sums are 1; nothing is sampled."""
    b = hs.leaderboard(CASES[case], metric=metric)
    assert b.draws is None
    assert b.error.probability < 1e-7
    assert "sampled" not in [n.code for n in b.notes if n.get("form") == "ranks"]
    n = 200_000
    x = np.stack([row.distribution.draws(n, seed=100 + i) for i, row in enumerate(b.rows)], axis=1)
    order = (x if metric == "fallout" else -x).argsort(axis=1).argsort(axis=1)
    shares = np.stack([(order == r).mean(axis=0) for r in range(len(b.rows))], axis=1)
    np.testing.assert_allclose(b.rank_probabilities, shares, atol=5 * 0.5 / np.sqrt(n))
    np.testing.assert_allclose(b.rank_probabilities.sum(axis=0), 1.0, atol=1e-8)
    np.testing.assert_allclose(b.rank_probabilities.sum(axis=1), 1.0, atol=1e-8)
    np.testing.assert_allclose(b.expected_rank, 1.0 + b.pairs.T.sum(axis=1) - 0.5, atol=1e-8)


@pytest.mark.parametrize("metric", ["f1", "recall", "fallout", "f2"])
def test_pairs_of_independent_systems_are_those_of_compare(metric: str) -> None:
    """To 1e-9; and of two systems P(best) is P(better), number by number."""
    given = CASES["close"]
    b = hs.leaderboard(given, metric=metric)
    for i, j in ((0, 1), (3, 1), (2, 0)):
        c = hs.compare(given[b.names[i]], given[b.names[j]], metric=metric)
        assert b.pairs[i, j] == pytest.approx(c.p_better, abs=1e-9)
    two = {k: given[k] for k in ("s0", "s2")}
    c = hs.compare(given["s0"], given["s2"], metric=metric)
    found = hs.leaderboard(two, metric=metric)
    assert found.p_best[found.names.index("s0")] == c.p_better


def test_ranks_of_laws_by_regression_are_as_sure_as_these() -> None:
    """Macro-F1 of four systems: all sums are 1, P(best) is that of many draws, and the error is that of the laws."""
    rng = np.random.default_rng(4)
    cells = [np.where(np.eye(6, dtype=bool), right / 6, (1 - right) / 30) for right in (0.8, 0.81, 0.78, 0.83)]
    given = {f"s{i}": hs.Tally.matrix(rng.multinomial(600, c.ravel()).reshape(6, 6)) for i, c in enumerate(cells)}
    b = hs.leaderboard(given, metric="macro-f1")
    laws = [row.distribution.law for row in b.rows]
    assert all(isinstance(law, Controlled) for law in laws)
    np.testing.assert_allclose(b.rank_probabilities.sum(axis=0), 1.0, atol=1e-9)
    np.testing.assert_allclose(b.rank_probabilities.sum(axis=1), 1.0, atol=1e-9)
    assert b.error.probability < 2 * max(float(law.error[1]) for law in laws)
    n = 100_000
    x = np.stack([row.distribution.draws(n, seed=50 + i) for i, row in enumerate(b.rows)], axis=1)
    best = np.bincount(x.argmax(axis=1), minlength=4) / n
    np.testing.assert_allclose(b.p_best, best, atol=b.error.probability + 1.5 / np.sqrt(n))
    floor = b.to_dict()["rows"][0]["error"]["best_floor"]
    assert floor == max(law.floor for law in laws)
    assert any(f"those below {floor:.1g} may be 0" in note["text"] for note in b.to_dict()["notes"])


def test_three_betas_by_mpmath() -> None:
    """P(best) of three rates from an integral of its own with 30 digits."""
    rates = [(40, 50), (30, 40), (12, 15)]
    b = hs.leaderboard({str(h): hs.Tally.rate(hits=h, of=n) for h, n in rates})
    with mpmath.workdps(30):
        shapes = [(h + 1, n - h + 1) for h, n in rates]

        def density(x: mpmath.mpf) -> mpmath.mpf:
            a, c = shapes[0]
            return x ** (a - 1) * (1 - x) ** (c - 1) / mpmath.beta(a, c)

        def below(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.fprod(mpmath.betainc(a, c, 0, x, regularized=True) for a, c in shapes[1:])

        want = mpmath.quad(lambda x: density(x) * below(x), [0, 0.5, 0.7, 0.8, 0.9, 1])
    assert b.p_best[b.names.index("40")] == pytest.approx(float(want), abs=1e-10)


@pytest.mark.parametrize("metric", ["f1", "precision", "informedness"])
def test_identical_systems_share_every_rank(metric: str) -> None:
    """Three of a kind: ⅓ for each rank, one group."""
    b = hs.leaderboard(tables(*[(84, 18, 26, 872)] * 3), metric=metric)
    np.testing.assert_allclose(b.rank_probabilities, 1 / 3, atol=1e-9)
    np.testing.assert_allclose(b.pairs, 0.5, atol=1e-9)
    assert b.groups == (1, 1, 1)


def test_asked_draws_are_taken() -> None:
    """A number of draws gives their shares, within the stated error of the integrals."""
    exact = hs.leaderboard(CASES["close"], metric="f1")
    drawn = hs.leaderboard(CASES["close"], metric="f1", draws=5000)
    assert drawn.draws is not None
    assert drawn.draws.shape == (5000, 4)
    assert drawn.names == exact.names
    np.testing.assert_allclose(drawn.p_best, exact.p_best, atol=drawn.error.probability)
    assert drawn.p_best.tolist() != exact.p_best.tolist()


def test_laws_by_draws_are_ranked_by_their_quantiles() -> None:
    """Sampled measures: all draws of each law against those of the others; errors and the floor are stated."""
    b = hs.leaderboard(CASES["close"], metric="g-mean", tolerance=0.05)
    c = hs.leaderboard(CASES["close"], metric="tetrachoric", tolerance=0.05)
    assert b.p_best.sum() == pytest.approx(1.0)
    assert c.p_best.sum() == pytest.approx(1.0)
    (told,) = [n for n in c.notes if n.get("form") == "ranks"]
    assert "may be 0" in told.text
    x = np.stack([row.distribution.draws(200_000, seed=50 + i) for i, row in enumerate(c.rows)], axis=1)
    best = np.bincount(x.argmax(axis=1), minlength=4) / len(x)
    np.testing.assert_allclose(c.p_best, best, atol=c.error.probability + 0.006)
    np.testing.assert_allclose(c.pairs + c.pairs.T, 1.0)


def test_ties_at_an_end_are_left_to_draws() -> None:
    """Shapes of 1e-6 pile up at both ends, where no integral can tell systems apart."""
    laws = [hs.posterior(hs.Tally.rate(hits=0, of=0), 1e-6)["rate"].law for _ in range(3)]
    assert ranked(laws) is None
    b = hs.leaderboard({k: hs.Tally.rate(hits=0, of=0) for k in "abc"}, prior=1e-6)
    np.testing.assert_allclose(b.p_best, 1 / 3, atol=b.error.probability)


@pytest.mark.parametrize("metric", ["phi", "kappa", "f1", "recall"])
def test_counts_from_nothing_to_a_million_millions(metric: str) -> None:
    """Side by side, with the smallest prior: an answer, and probabilities that add up."""
    big = 10**12
    given = tables((0, 0, 0, 0), (big, 0, 0, big), (5, big, 0, 3), (0, 0, big, 1))
    b = hs.leaderboard(given, metric=metric, prior=1e-6)
    assert b.p_best.sum() == pytest.approx(1.0)
    assert b.p_best[b.names.index("s1")] > 0.3
    assert b.to_dict()["rows"]


def test_forty_systems_and_more() -> None:
    """Beyond forty systems ranks are shares of draws, which agree with the integrals of a part of them."""
    rng = np.random.default_rng(1)
    given = tables(*[tuple(rng.integers(20, 60, 4)) for _ in range(41)])
    b = hs.leaderboard(given, metric="recall")
    assert b.draws is not None
    first = b.names[:6]
    part = hs.leaderboard({k: given[k] for k in first}, metric="recall")
    i, j = part.names.index(first[0]), part.names.index(first[5])
    assert b.pairs[0, 5] == pytest.approx(part.pairs[i, j], abs=b.error.probability)
