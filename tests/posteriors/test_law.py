"""What every law answers for itself, and what a Distribution and its Interval make of it."""

from __future__ import annotations

import importlib
import inspect
import math
import pickle
import pkgutil
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import beta

import howsure as hs
from howsure import distributions
from howsure.distributions.agreement import AgreementLaw
from howsure.distributions.beta_mixture import BetaMixture, shared_nodes
from howsure.distributions.continuous import Continuous, Stepped, WithMoments
from howsure.distributions.contour import GammaQuotient
from howsure.distributions.control_variate import Controlled, Fit, GammaSum, Weighted
from howsure.distributions.difference import Difference, difference_of
from howsure.distributions.estimated import Estimated
from howsure.distributions.future_counts import UrnQuotient
from howsure.distributions.future_scores import DrawnScores
from howsure.distributions.integral import Integral, Transformed
from howsure.distributions.linear_quotient import LinearQuotient
from howsure.distributions.mellin import AcrossRows
from howsure.distributions.moebius import Moebius
from howsure.distributions.paired_quotients import PairedQuotients
from howsure.distributions.protocol import Law, Searchable, Steppable
from howsure.distributions.sampled import Sampled
from howsure.distributions.stacked import RepeatedTables, Stacked
from howsure.distributions.stretched import Stretch, Stretched
from howsure.distributions.student import Student
from howsure.distributions.truncated import Truncated
from howsure.distributions.two_betas import Bilinear, Ray
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.posteriors.distribution import Interval

A, B, C, D = (np.array(x) for x in ([3.5, 20.5], [7.5, 4.5], [2.5, 9.5], [30.5, 12.5]))
ONE, ZERO, END = np.ones(2), np.zeros(2), np.array([0.4, 0.9])
RATE, PART = Moebius(A, B, 1.0, 1.0, 0.0, 1.0), Integral(LinearQuotient((A, B, C), (1.0, 0.0, 0.0), (1.0, 1.0, 4.0)))


def _controlled() -> Controlled:
    """A bent function of a Gamma, plus noise, by regression on the Gamma."""
    rng = np.random.default_rng(1)
    law = GammaSum(Weighted(np.ones(1), np.array([40.0]))).law()
    assert law is not None
    x = rng.normal(0.0, 1.5, 2000)
    x = x[np.abs(x) < 3]
    y = 0.4 + 0.05 * x - 0.002 * x**2 + 0.01 * rng.standard_normal(x.size)
    return Controlled(Fit.of(x, y, (-3.0, 3.0)), law, x.size, 0.0, 1.0)


def _paired() -> Law:
    """The difference of F1 of two systems on the same items."""
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.4
    a, b = (np.where(rng.random(400) < right, y, ~y) for right in (0.9, 0.8))
    law = hs.posterior(hs.tally(y, {"a": a, "b": b})).resolve("f1").difference().difference.law
    assert isinstance(law, PairedQuotients)
    return law


DRAWN = Sampled(np.sort(np.random.default_rng(18).beta(A[1], B[1], (4000, 1)), axis=0), 0.0, 1.0)
LAWS: list[Law] = [
    RATE,
    PART,
    Integral(Bilinear((A, B), (C, D), ((0.0, 0.5), (0.5, 1.0)), ((1.0, 1.0), (1.0, 1.0)))),
    Integral(Ray((A, B + C), (B, C), (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 1.0, 0.0))),
    Transformed(RATE, "sqrt"),
    Transformed(PART, "sqrt"),
    Truncated(Moebius(A[0], B[0], 1.0, 1.0, 0.0, 1.0), 0.1 * ONE, END, (ONE, -0.1 * ONE, ZERO, END - 0.1)),
    AcrossRows((A, B), (C, D), (B, A)),
    Student(np.array([0.0, 2.0]), np.array([1.0, 0.5]), np.array([4.0, 9.0])),
    BetaMixture(A, B, shared_nodes(A, B, (0.5, 0.5))),
    GammaQuotient(np.array([0.1, 0.4, 0.5, 0.9]), np.ones(4), np.array([3.0, 2.0, 1.0, 4.0])),
    Difference(RATE, PART),
    AgreementLaw("phi", (A, B, C, D)),
    RepeatedTables(Moebius(A, B, 1.0, 1.0, 0.0, 1.0), np.array([1, 0])),
    Stacked((Moebius(A[0], B[0], 1.0, 1.0, 0.0, 1.0), Moebius(C[0], D[0], 1.0, 1.0, 0.0, 1.0))),
    _paired(),
    Stretched(RATE, Stretch(np.array([0.3, 0.8]), np.array([1.3, 1.1]), 0.0, 1.0)),
    Stacked((Moebius(A[:1], B[:1], 1.0, 1.0, 0.0, 1.0), DRAWN), (np.array([1]), np.array([0]))),
    _controlled(),
    Estimated(RATE, Moebius(A + 1e-4, B, 1.0, 1.0, 0.0, 1.0), 400),
    Sampled(np.sort(np.random.default_rng(0).beta(A, B, (4000, 2)), axis=0), 0.0, 1.0),
]
NAMES = [f"{type(law).__name__}{i}" for i, law in enumerate(LAWS)]
CELLS = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}


def test_no_law_is_left_out() -> None:
    """Every distribution that has tails is among the laws above, or a base of them, or a law of steps."""
    found = set()
    for module in pkgutil.iter_modules(distributions.__path__):
        loaded = importlib.import_module(f"howsure.distributions.{module.name}")
        found |= {x for _, x in inspect.getmembers(loaded, inspect.isclass) if hasattr(x, "tails")}
    found -= {UrnQuotient, DrawnScores}  # they have no density: tests/reference/test_next_scores.py
    assert found - {Law, Searchable, Steppable, Continuous, Stepped, WithMoments} == {type(law) for law in LAWS}


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_answers_have_the_shape_of_the_batch(law: Law) -> None:
    """Points, ends, errors and probabilities, for every entry of the batch."""
    single = [law.mean(), law.std(), law.median(), law.mode(), law.mean_error(), law.standard_error()]
    pairs = [*law.equal_tailed(0.9), *law.shortest(0.9), *law.signs(), *law.end_errors(0.9, True)]
    for x in (*single, *pairs, law.error[0]):
        assert np.shape(x) == law.shape
    assert np.broadcast_shapes(np.shape(law.error[1]), law.shape) == law.shape


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_answers_agree_with_each_other(law: Law) -> None:
    """Tails at the median, the mass of both intervals and which is shorter, a mode with no density above its own."""
    room = 1e-9 if law.n is None else 3e-3
    below, above = law.tails(law.median())
    np.testing.assert_allclose((below, above), 0.5, atol=room)
    low, high, low_gap, high_gap = law.equal_tailed(0.9)
    np.testing.assert_allclose(law.tails(low)[0], 0.05, atol=room)
    np.testing.assert_allclose(law.tails(high)[1], 0.05, atol=room)
    np.testing.assert_allclose((low_gap, high_gap), (low - law.lower, law.upper - high), atol=1e-12)
    left, right, unbounded = law.shortest(0.9)
    assert not unbounded.any()
    np.testing.assert_allclose(law.tails(right)[0] - law.tails(left)[0], 0.9, atol=max(room, 1e-6))
    assert (right - left <= high - low + 1e-9).all()
    grid = np.linspace(low, high, 201)
    assert (law.pdf(law.mode()) >= law.pdf(grid).max(axis=0) * (1 - 1e-9)).all()


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_rows_are_the_law_of_the_entries(law: Law) -> None:
    """The second entry alone has the quantiles it has in the batch."""
    if not isinstance(law, Continuous):
        return
    p = np.array([[0.01], [0.5], [0.9]])
    alone = law.rows(np.array([False, True]), (2,)).quantile(p, 1 - p)[0]
    np.testing.assert_allclose(alone[:, 0], law.quantile(p, 1 - p)[0][:, -1], rtol=1e-12)


def test_draws_tell_their_number_and_errors() -> None:
    """Three standard errors of the mean; none where it is known; twice a quantile's for a shortest interval."""
    law = LAWS[-1]
    assert isinstance(law, Sampled)
    np.testing.assert_allclose(law.mean_error(), 3 * law.draws.std(axis=0) / np.sqrt(4000))
    np.testing.assert_allclose(law.standard_error(), law.mean_error() / 3)
    known = replace(law, known_mean=A / (A + B))
    assert (known.standard_error() == 0).all()
    assert known.mean_error().max() < 1e-14
    for short, even in zip(law.end_errors(0.95, True), law.end_errors(0.95, False), strict=True):
        np.testing.assert_allclose(short, 2 * even)
    assert law.n == 4000
    assert [x.n for x in LAWS[:-4]] == [None] * (len(LAWS) - 4)


def test_a_difference_needs_laws_without_draws() -> None:
    """None where one of them is known by draws only."""
    assert difference_of(LAWS[0], LAWS[-1]) is None
    assert isinstance(difference_of(LAWS[0], LAWS[1]), Difference)


def test_unbounded_at_both_ends() -> None:
    """There the law says so, and the interval is the equal-tailed one, with a note."""
    d = hs.posterior(Tally.rate(hits=np.array([0, 5]), of=np.array([0, 9])), 0.3)["rate"]
    assert d.law.shortest(0.9)[2].tolist() == [True, False]
    short, even = d.interval(0.9, kind="hdi"), d.interval(0.9)
    assert (short.low[0], short.high[0]) == (even.low[0], even.high[0])
    assert short.high[1] - short.low[1] < even.high[1] - even.low[1]
    assert [note.code for note in short.notes] == ["hdi-unbounded"]


# -- Interval


def test_an_interval_is_a_pair() -> None:
    """It unpacks, is indexed, has two ends, and tells what lies in it."""
    i = hs.posterior(Tally.binary(**CELLS))["f1"].interval()
    assert (i[0], i[1], i[-1]) == (i.low, i.high, i.high)
    assert tuple(i) == (i.low, i.high)
    assert len(i) == 2
    assert 0.75 in i
    with pytest.raises(IndexError):
        i[2]


def test_an_interval_pickles_and_compares() -> None:
    """Also that of a batch."""
    for hits in (47, np.array([47, 3])):
        i = hs.posterior(Tally.rate(hits=hits, of=50))["rate"].interval()
        assert pickle.loads(pickle.dumps(i)) == i
        assert replace(i, level=0.9) != i


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.3, 0.2), (np.array([0.1, 0.5]), np.array([0.2, 0.4])), (np.nan, 0.2), (np.array([0.1, np.nan]), np.ones(2))],
)
def test_an_interval_cannot_run_backwards(low: object, high: object) -> None:
    """Neither one nor one of a batch, nor with one end that is not a number."""
    with pytest.raises(BadSetting, match="from its low end up to its high end"):
        Interval(low, high, 0.95, "hdi")


def test_an_interval_without_numbers_is_one() -> None:
    """Where both ends are unknown; and a single point is an interval."""
    assert np.isnan(Interval(np.array([np.nan, 0.1]), np.array([np.nan, 0.1]), 0.95, "hdi").low[0])


# -- Distribution


@pytest.mark.parametrize("metric", ["f1", "f2", "informedness", "g-mean", "lr-plus", "phi"])
def test_a_distribution_pickles(metric: str) -> None:
    """With what it has worked out, and its draws: closed, by quadrature, and sampled."""
    d = hs.posterior(Tally.binary(**CELLS))[metric]
    mode = d.mode
    back = pickle.loads(pickle.dumps(d))
    assert back == d
    assert back.interval(kind="hdi") == d.interval(kind="hdi")
    assert (back.mode, back.error) == (mode, d.error)
    assert (back.draws(10, seed=2) == d.draws(10, seed=2)).all()


def test_equal_distributions() -> None:
    """By name, route, batch and quantiles: those of the same counts are the same, others are not."""
    one, two, other = (hs.posterior(Tally.binary(**CELLS | {"tp": tp})) for tp in (80, 80, 81))
    for metric in ("f1", "f2", "phi"):
        assert one[metric] == two[metric]
        assert hash(one[metric]) == hash(two[metric])
        assert one[metric] != other[metric]
    assert one["f1"] != one["f2"]
    assert one["f1"] != replace(one["f1"], name="F")
    assert one["f1"] != 0.75
    batch = hs.posterior(Tally.binary(**{c: np.array([n, n]) for c, n in CELLS.items()}))["f1"]
    assert batch != one["f1"]
    assert batch == replace(batch)


@pytest.mark.parametrize("prior", [0.25, 0.5, 1.0, 2.0])
def test_the_density_of_a_square_root_at_0_is_its_limit(prior):
    """Infinite, a number or 0 by the weight on the cell that goes to 0; the number is that of Gammas and Betas."""
    fp, fn, tn = 5 + prior, 7 + prior, 30 + prior
    p = hs.posterior(Tally.binary(tp=[0, 1, 80], fp=[5] * 3, fn=[7] * 3, tn=[30] * 3), prior)
    # near 0 fowlkes-mallows is G_tp / sqrt(G_fp·G_fn), and g-mean sqrt(recall) times sqrt(specificity)
    near = {
        "fowlkes-mallows": (1.0, math.gamma(fp + 0.5) / math.gamma(fp) * math.gamma(fn + 0.5) / math.gamma(fn)),
        "g-mean": (0.5, 2.0 / beta(0.5, fn) * beta(tn - 0.5, fp) / beta(tn, fp)),
    }
    for name, (power, number) in near.items():
        wanted = np.inf if prior < power else number if prior == power else 0.0
        assert p[name].pdf(0.0) == pytest.approx([wanted, 0.0, 0.0], rel=1e-12)
        alone = p[name].pdf(np.array([[0.0], [1e-9]]))[:, 0]
        assert alone[1] > 1e3 if wanted == np.inf else alone[1] == pytest.approx(wanted, rel=1e-6, abs=1e-6)
