"""Batches of which some tables have an exact law and others are drawn, or in which tables occur again."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.posteriors.distribution import Distribution

# ordinary; one occupied cell, twice; a cell next to 1e10 others; few items
TABLES = [(80, 20, 30, 870), (5, 0, 0, 0), (0, 0, 0, 7), (10**10, 3, 1, 10**9), (3, 1, 2, 1)]
ROUTES = ["quadrature", "sampled", "sampled", "sampled", "quadrature"]
ASKED = (0.1, 0.6)


def batch(tables: list[tuple[int, ...]]) -> hs.Tally:
    return hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), np.array(tables).T, strict=True)))


def numbers(d: Distribution) -> np.ndarray:
    """What is asked of a law, one row each."""
    found = [d.mean, d.std, d.median, *d.interval(0.9), *(d.cdf(x) for x in ASKED), *d.interval(kind="hdi")]
    return np.array([np.asarray(x, dtype=float) for x in found])


@pytest.mark.parametrize("name", ["phi", "kappa"])
def test_tables_have_the_law_that_they_have_alone(name: str) -> None:
    """Exact ones to the last digits, drawn ones within their errors; each row has its own route and error."""
    rows = hs.score(batch(TABLES), metrics=[name], tolerance=0.1).to_dict()["rows"]
    assert [x["route"] for x in rows] == ROUTES
    assert ["floor" in x["error"] for x in rows] == [x == "sampled" for x in ROUTES]
    whole = hs.posterior(batch(TABLES), tolerance=0.1)[name]
    assert whole.route == "sampled"
    for i, (table, route) in enumerate(zip(TABLES, ROUTES, strict=True)):
        alone = hs.posterior(batch([table]), tolerance=0.1)[name]
        one, own = numbers(whole)[:, i], numbers(alone)[:, 0]
        if route == "quadrature":
            np.testing.assert_allclose(one, own, rtol=1e-9)
        else:
            room = np.full(9, float(np.ravel(alone.error.value)[0] + np.ravel(whole.error.value)[i]))
            room[5:7] = float(np.ravel(alone.error.probability)[0] + np.ravel(whole.error.probability)[i])
            room[7:] *= 4  # ends of shortest intervals of draws are off by more
            assert (np.abs(one - own) <= room + 1e-12).all()


def test_cells_too_small_for_a_rule_are_drawn_alone() -> None:
    """Measures of tp, fp and fn jump where a cell has next to no weight; tables beside it keep their integral."""
    d = hs.posterior(batch([(80, 20, 30, 0), (5, 0, 0, 0)]), 0.01, tolerance=0.2)["fowlkes-mallows"]
    alone = hs.posterior(batch([(80, 20, 30, 0)]), 0.01)["fowlkes-mallows"]
    assert (d.route, alone.route) == ("sampled", "quadrature")
    assert float(d.interval().low[0]) == pytest.approx(float(alone.interval().low[0]), rel=1e-12)


@pytest.mark.parametrize("name", ["informedness", "phi", "tetrachoric"])
def test_equal_tables_are_looked_at_once(name: str) -> None:
    """In a large batch with few different tables every number is that of a batch of these."""
    few = [(80, 20, 30, 870), (3, 1, 2, 1), (0, 0, 0, 7)]
    place = np.random.default_rng(3).integers(0, 3, 300)
    many = hs.posterior(batch([few[i] for i in place]), tolerance=0.3)[name]
    once = hs.posterior(batch(few), tolerance=0.3)[name]
    np.testing.assert_array_equal(numbers(many), numbers(once)[:, place])
    np.testing.assert_array_equal(many.ppf([[0.1], [0.8]]), np.asarray(once.ppf([[0.1], [0.8]]))[:, place])
    own = np.linspace(0.01, 0.9, 300)
    np.testing.assert_allclose(many.cdf(own), [once.cdf(x)[i] for x, i in zip(own, place, strict=True)], rtol=1e-12)


def test_exact_tables_of_a_mixed_batch_say_what_they_say_alone() -> None:
    """That an end rounds to that of the range; draws may well lie on it."""
    alone = hs.posterior(batch([(10**7, 0, 0, 10**7)]), 0.03)["phi"]
    mixed = hs.posterior(batch([(10**7, 0, 0, 10**7), (5, 0, 0, 0)]), 0.03, tolerance=0.3)["phi"]
    codes = [[x.code for x in d.interval(kind="equal-tailed").notes] for d in (alone, mixed)]
    assert codes == [["rounds-to-edge"], ["rounds-to-edge"]]


def test_bounds_found_on_a_grid_refuse_nothing_that_may_be_reached() -> None:
    """The highest value, 27/64 at fp = 3 tp, lies between two points of the grid."""
    tp, fp, _, _ = hs.cells
    bent = hs.Metric("bent", 4 * tp * fp * fp * fp / ((tp + fp) * (tp + fp) * (tp + fp) * (tp + fp)))
    report = hs.score(hs.Tally.binary(tp=10, fp=30, fn=1, tn=1), metrics=[bent], above=0.415, tolerance=0.2)
    assert report.to_dict()["rows"][0]["p_above"] > 0.1
    with pytest.raises(hs.HowsureError, match="lies between"):
        hs.score(hs.Tally.binary(tp=10, fp=30, fn=1, tn=1), metrics=[bent], above=2, tolerance=0.2)


@pytest.mark.parametrize(
    ("counts", "metric"), [([0, 55, 0, 0, 0, 0, 250, 229], "specificity"), ([0, 0, 9287, 5, 0, 0, 15226, 0], "recall")]
)
def test_a_group_that_is_empty_in_some_tables_only(counts, metric):
    """Pairs that never disagree one way: in a batch they have the law that they have alone, to the last digits."""
    cells = np.array([(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)])
    others = [[12, 5, 7, 3, 9, 4, 8, 6], [100, 2, 3, 4, 5, 600, 7, 8000], [0, 1, 0, 0, 5, 0, 0, 2]]

    def difference(n):
        t = hs.Tally(cells=cells, counts=np.array(n), systems=("a", "b"), labels=(0, 1), positive=1)
        return hs.compare(t, "a", "b", metric=metric).difference

    together = difference([counts, *others])
    for i, n in enumerate([counts, *others]):
        alone = difference(n)
        for p in (0.001, 0.025, 0.5, 0.9):
            assert alone.cdf(together.ppf(p)[i]) == pytest.approx(p, abs=1e-10)
        assert together.mean[i] == pytest.approx(alone.mean, abs=1e-9 * alone.std)
