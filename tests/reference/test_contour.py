"""The law of a mean of many values against mpmath (make_contour.py), other kernels and itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from howsure.distributions import contour
from howsure.distributions.contour import GammaQuotient
from howsure.distributions.integral import Integral
from howsure.distributions.linear_quotient import LinearQuotient
from tests.reference.make_contour import by_fractions, made, ones, points, tail
from tests.tiers import some

Array = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
LAWS = {case["name"]: case for case in json.loads((Path(__file__).parent / "contour.json").read_text("utf-8"))["laws"]}


def doubles(given: str | list[str], n: int) -> Array:
    return np.ones(n) if given == "ones" else np.array([float.fromhex(x) for x in given])


def law_of(case: dict[str, Any]) -> GammaQuotient:
    n = len(case["top"])
    return GammaQuotient(*(doubles(case[part], n) for part in ("top", "bottom", "shapes")))


def check(law: GammaQuotient, where: list[float], upper: list[bool], want: list[float]) -> None:
    """Both claims of the kernel at the exact doubles t: 1e-12 and rounding, and eight digits of small tails."""
    below, above = law.tails(np.array(where))
    got = np.where(upper, above, below)
    pdf = law.pdf(np.array(where))
    for i, t in enumerate(where):
        assert abs(got[i] - want[i]) <= 1e-12 + 8 * EPS * (abs(t) + 1) * pdf[i], (t, got[i], want[i])
        assert want[i] > 1e-6 or abs(got[i] / want[i] - 1) <= 1e-8, (t, got[i], want[i])


@pytest.mark.parametrize("name", LAWS)
def test_against_mpmath(name: str) -> None:
    """Tails from a half to 1e-60 on both sides, of values, clusters, weighted items and ties.

    Among the values one that is far out, where a straight line fails; clusters have unequal bottoms, weighted items
    shapes that are no whole numbers. With one weight above all the density has no bound at the ends.
    """
    at = LAWS[name]["at"]
    check(
        law_of(LAWS[name]),
        [float.fromhex(x["t"]) for x in at],
        [x["tail"] == "upper" for x in at],
        [float(x["p"]) for x in at],
    )


def test_there_are_enough_cases() -> None:
    """More values than the kernel sums one by one, tails of 1e-60, unequal bottoms and shapes."""
    assert max(len(case["top"]) for case in LAWS.values()) > contour._FEW
    assert min(float(x["p"]) for case in LAWS.values() for x in case["at"]) < 1e-59
    assert sum(case["bottom"] != "ones" for case in LAWS.values()) == 3
    assert sum(case["shapes"] != "ones" for case in LAWS.values()) == 4


@pytest.mark.deep
@pytest.mark.parametrize("name", LAWS)
def test_the_file_is_what_mpmath_gives(name: str) -> None:
    """Every value of contour.json, computed again."""
    law = law_of(LAWS[name])
    for x in LAWS[name]["at"]:
        again = tail(law, float.fromhex(x["t"]), x["tail"] == "upper")
        assert float(again) == pytest.approx(float(x["p"]), rel=1e-13)


@pytest.mark.parametrize("n", [5, 100])
def test_next_to_the_ends(n: int) -> None:
    """The doubles next to the ends of the range: tiny tails, never NaN."""
    v = np.sort(made("even", n)) + 1.0
    size = np.arange(1.0, n + 1)
    for law in (ones(v), GammaQuotient(v * size, size, np.ones(n))):
        ends = [float(np.nextafter(law.lower, np.inf)), float(np.nextafter(law.upper, -np.inf))]
        if n == 5:
            check(law, ends, [False, True], [float(by_fractions(law, t, t > v[2])) for t in ends])
        below, above = law.tails(np.array([law.lower - 1, law.lower, *ends, law.upper, law.upper + 1]))
        np.testing.assert_allclose(below + above, 1.0)
        assert (np.diff(below) >= 0).all()
        assert below[1] == 0 == above[-2]
        assert below[2] < 1e-50
        assert above[3] < 1e-50


def test_four_values_by_the_other_kernel() -> None:
    """On four values the contour gives what the nested Beta integrals of linear_quotient.py give."""
    top, shapes = np.array([0.1, 0.35, 0.6, 1.0]), np.array([3.0, 1.5, 4.0, 2.0])
    many = GammaQuotient(top, np.ones(4), shapes)
    groups = Integral(LinearQuotient(tuple(np.asarray(x) for x in shapes), tuple(top.tolist()), (1.0,) * 4))
    t = np.array([0.15, 0.3, 0.45, 0.55, 0.8, 0.95])
    np.testing.assert_allclose(many.tails(t), groups.tails(t), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([many.mean(), many.std()], [groups.mean(), groups.std()], rtol=1e-10)


HEAVY = {
    "normal": lambda r, n: r.standard_normal(n),
    "lognormal": lambda r, n: np.exp(2 * r.standard_normal(n)),
    "very heavy": lambda r, n: np.exp(4 * r.standard_normal(n)),
    "cauchy": lambda r, n: r.standard_cauchy(n),
    "outlier": lambda r, n: np.append(r.random(n - 1), 1e15),
}


@pytest.mark.parametrize("kind", some(HEAVY, every=2))
@pytest.mark.parametrize("n", [4_000, pytest.param(20_000, marks=pytest.mark.deep)])
def test_the_series_of_many_values(n: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of values by power sums and by sums over all: tails to 1e-15 within 1e-11 relative."""
    v = HEAVY[kind](np.random.default_rng(1), n)
    law = ones(v)
    q = np.array([1e-15, 1e-7, 0.025, 0.5])
    t = np.array([*law.quantile(q, 1 - q)[0], *law.quantile(1 - q, q)[0]])
    fast, density = np.minimum(*law.tails(t)), law.pdf(t)
    monkeypatch.setattr(contour, "_FEW", n)
    slow = ones(v)
    np.testing.assert_allclose(fast, np.minimum(*slow.tails(t)), rtol=1e-11)
    np.testing.assert_allclose(density, slow.pdf(t), rtol=1e-11)
    np.testing.assert_allclose(fast, [*q, *q], rtol=1e-9)


@pytest.mark.parametrize("n", [5, 60, 1000, pytest.param(3000, marks=pytest.mark.deep)])
def test_densities(n: int) -> None:
    """The density is the slope of the cdf, for equal and unequal bottoms."""
    rng = np.random.default_rng(n)
    size = rng.integers(1, 5, n).astype(float)
    for law in (ones(rng.random(n)), GammaQuotient(size * rng.random(n), size, np.ones(n))):
        t = np.array(points(law, (1e-8, 1e-3, 0.1, 0.4)))
        h = 1e-3 * float(law.std())
        at = [np.where(t > law._centre, -law.tails(t + k * h)[1], law.tails(t + k * h)[0]) for k in (-2, -1, 1, 2)]
        slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
        np.testing.assert_allclose(law.pdf(t), slope, rtol=1e-6)


@pytest.mark.parametrize("n", [5, 80])
def test_moments_with_unequal_bottoms(n: int) -> None:
    """Mean and standard deviation of a quotient are those of its own density; of equal bottoms the closed ones."""
    rng = np.random.default_rng(n)
    size = rng.integers(1, 30, n).astype(float)
    law = GammaQuotient(size * rng.random(n), size, np.ones(n))
    x, w = special.roots_legendre(400)
    low, high = (float(law.quantile(np.asarray(q), np.asarray(1 - q))[0]) for q in (1e-16, 1 - 1e-16))
    low, high = (law.lower, law.upper) if n == 5 else (low, high)
    t = 0.5 * (low + high) + 0.5 * (high - low) * x
    mass = 0.5 * (high - low) * w * law.pdf(t)
    mean = float((mass * t).sum())
    tolerance = 1e-5 if n == 5 else 1e-9  # at five values the density has corners
    assert float(law.mean()) == pytest.approx(mean, rel=tolerance)
    assert float(law.std()) == pytest.approx(float(np.sqrt((mass * (t - mean) ** 2).sum())), rel=10 * tolerance)
    plain = ones(rng.random(n))
    nearly = GammaQuotient(plain.top * (1 + 1e-13), np.where(np.arange(n) == 0, 1 + 1e-13, 1.0), plain.shapes)
    assert float(nearly.mean()) == pytest.approx(float(plain.mean()), rel=1e-10)
    assert float(nearly.std()) == pytest.approx(float(plain.std()), rel=1e-9)


def test_a_million_values() -> None:
    """A million values take a series of power sums: the normal law is close, and the tails add to 1."""
    v = np.random.default_rng(0).random(1_000_000)
    law = ones(v)
    low, high = law.quantile(np.array([0.025, 0.975]), np.array([0.975, 0.025]))[0]
    assert (high - low) / float(law.std()) == pytest.approx(2 * 1.959963984540054, rel=1e-5)


def test_units_do_not_matter() -> None:
    """Values of 1e-90 and of 1e90 give the same tails."""
    v = made("even", 20)
    want = ones(v).tails(np.array([0.3, 0.5, 0.7]))
    for unit in (1e-90, 1e90):
        np.testing.assert_allclose(ones(v * unit).tails(np.array([0.3, 0.5, 0.7]) * unit), want, rtol=1e-11)
