"""AUC and average precision with their linear part as a control: slopes, and laws against many plain draws."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.control_variate import Controlled
from howsure.distributions.ranked import SLOPES, Cuts, order_of
from howsure.distributions.sampled import Sampled
from howsure.evidence.scored import Scored
from howsure.posteriors.score_samples import score_draws


def scored(n: int, share: float, apart: float, seed: int = 3) -> Scored:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return Scored(y, (rng.normal(size=n) + apart * y)[:, None])


@pytest.mark.parametrize("name", ["auc", "AP"])
@pytest.mark.parametrize("ties", [False, True])
def test_slopes_are_those_of_small_steps(name: str, ties: bool) -> None:
    """In the weight of every item and of the prior above and below all, against central differences."""
    rng = np.random.default_rng(5)
    y = rng.random(24) < 0.4
    s = rng.normal(size=24) + y
    order = order_of(y, np.round(s) if ties else s)
    sizes = [int(y.sum()), int((~y).sum())]
    base = rng.uniform(0.5, 2.0, 24 + 4)

    def cuts(w: np.ndarray) -> Cuts:
        """Weights from the top: positive items, negative ones, and the prior's four."""
        own = [np.empty((len(w), k)) for k in sizes]
        own[0][:, order.positives], own[1][:, order.negatives] = w[:, : sizes[0]], w[:, sizes[0] : 24]
        return Cuts.weigh(order, *own, w[:, 24:])

    step = 1e-5 * np.eye(28)
    measure = hs.posterior(Scored(y, s[:, None])).measure(name).evaluate
    slopes = (measure(cuts(base + step)) - measure(cuts(base - step))) / 2e-5
    found = SLOPES[name](cuts(base[None]))
    np.testing.assert_allclose(found.positive[1:-1], slopes[: sizes[0]], atol=1e-8)
    np.testing.assert_allclose(found.negative[1:-1], slopes[sizes[0] : 24], atol=1e-8)
    ends = [found.positive[0], found.positive[-1], found.negative[0], found.negative[-1]]
    np.testing.assert_allclose(ends, slopes[24:], atol=1e-8)
    w = rng.uniform(0.5, 2.0, (3, 28))
    np.testing.assert_allclose(found.linear(cuts(w)), w @ slopes, atol=1e-8)
    assert abs(float(found.linear(cuts(base[None]))[0])) < 1e-12


@pytest.mark.parametrize(
    ("n", "share", "apart"),
    [(800, 0.1, 2.5), *(pytest.param(3_000, *x, marks=pytest.mark.deep) for x in ((0.1, 1.5), (0.4, 0.3)))],
)
def test_few_draws_with_a_control_are_surer_than_many(n: int, share: float, apart: float) -> None:
    """Ends and mean of the law lie within the stated errors of 20,000 plain draws, and the errors are smaller."""
    p = hs.posterior(scored(n, share, apart))
    plain = score_draws(p).of([p.measure(x) for x in ("auc", "AP")], 20_000, 77)
    kinds = []
    for name, draws in zip(("auc", "AP"), plain, strict=True):
        d, x = p[name], np.sort(draws[:, 0])
        reference = Sampled(x, 0.0, 1.0)
        kinds.append(isinstance(d.law, Controlled))
        for q in (0.025, 0.5, 0.975):
            apart_by = abs(float(d.ppf(q)) - float(np.quantile(x, q)))
            assert apart_by < 1.4 * float(reference.quantile_error(q)) + float(np.max(d.error.value)), (name, q)
        assert d.mean == pytest.approx(x.mean(), abs=4 * x.std() / np.sqrt(20_000) + float(np.max(d.error.value)))
        if kinds[-1]:
            own = Sampled(np.sort(score_draws(p).of([p.measure(name)], score_draws(p).number, 0)[0][:, 0]), 0.0, 1.0)
            assert max(map(float, d.law.end_errors(0.95, False))) < max(map(float, own.end_errors(0.95, False)))
    assert kinds[0]


def test_enough_draws_need_no_control() -> None:
    """Where the budget holds all draws that the tolerance asks for, order statistics stay."""
    assert isinstance(hs.posterior(scored(100, 0.3, 1.0))["auc"].law, Sampled)


@pytest.mark.filterwarnings("error")
def test_a_perfect_order_keeps_its_draws() -> None:
    """A law that leans on the end of its range has no use for a linear part, and nothing is warned of."""
    p = hs.posterior(Scored(np.arange(400) >= 300, np.arange(400.0)[:, None]), tolerance=0.05)
    for name in ("auc", "AP"):
        assert isinstance(p[name].law, Sampled)
        assert p[name].interval(kind="equal-tailed").high < 1
