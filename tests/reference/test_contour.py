"""The law of a mean of many values against mpmath: partial fractions for shapes of 1, a line of its own for others.

With shapes of 1 and different c = top - t·bottom, P(Σ c·G > 0) = Σ over c_i > 0 of Π_{j≠i} c_i/(c_i - c_j): no
integral, but hundreds of digits cancel. Other shapes: the integral of exp(K(s))/s on a straight line beside the saddle
with 40 digits, by two sums that must agree.
"""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from howsure.kernels import contour
from howsure.kernels.contour import GammaQuotient
from howsure.kernels.integral import Integral
from howsure.kernels.linear_quotient import LinearQuotient

Array = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
TAILS = (1e-60, 1e-30, 1e-15, 1e-9, 1e-4, 0.025, 0.3, 0.5)


def steps(law: GammaQuotient, t: float, upper: bool) -> list[Any]:
    """c, exact, turned so that the tail asked for is P(Σ c·G > 0)."""
    c = [mp.mpf(a) - mp.mpf(t) * mp.mpf(b) for a, b in zip(law.top.tolist(), law.bottom.tolist(), strict=True)]
    return c if upper else [-x for x in c]


def by_fractions(law: GammaQuotient, t: float, upper: bool) -> Any:
    """The tail for shapes of 1; taken on the side with fewer terms, whose sum cancels less."""
    assert (law.shapes == 1).all()
    with mp.workdps(120 + 3 * law.shapes.size):
        c = steps(law, t, upper)
        turned = sum(x > 0 for x in c) > len(c) / 2
        if turned:
            c = [-x for x in c]
        total = mp.mpf(0)
        for i, x in enumerate(c):
            if x > 0:
                total += 1 / mp.fprod((x - y) / x for j, y in enumerate(c) if j != i)
        return 1 - total if turned else total


def by_line(law: GammaQuotient, t: float, upper: bool) -> Any:
    """The tail for any shapes, by two trapezoid sums that must agree."""
    with mp.workdps(40):
        c, a = steps(law, t, upper), [mp.mpf(x) for x in law.shapes.tolist()]
        pole, low, high = 1 / max(c), mp.mpf(-50), mp.mpf(50)
        for _ in range(30):
            y = (low + high) / 2
            s = pole / (1 + mp.exp(-y))
            if sum(w * x / (1 - s * x) for w, x in zip(a, c, strict=True)) > 1 / s:
                high = y
            else:
                low = y
        saddle = mp.mpf("0.98") * pole / (1 + mp.exp(-low))
        width = 1 / mp.sqrt(sum(w * (x / (1 - saddle * x)) ** 2 for w, x in zip(a, c, strict=True)) + 1 / saddle**2)
        width = min(width, pole - saddle)

        def term(x: Any) -> Any:
            s = mp.mpc(saddle, width * mp.sinh(x))
            k = sum(w * mp.log(1 - s * v) for w, v in zip(a, c, strict=True))
            return (mp.exp(-k) / s).real * width * mp.cosh(x)

        def half(first: Any, step: Any) -> Any:
            total, x, least = term(first) / (2 if first == 0 else 1), first + step, 0
            while least < 4:
                value = term(x)
                total, x = total + value, x + step
                least = least + 1 if abs(value) < mp.mpf(10) ** -22 * abs(total) else 0
            return total * step

        step = mp.mpf(1) / 32
        one, two = half(mp.mpf(0), step), half(step / 2, step)
        assert abs(one - two) < mp.mpf(10) ** -13 * abs(one)
        return (one + two) / 2 / mp.pi


def points(law: GammaQuotient, tails: tuple[float, ...] = TAILS) -> list[float]:
    """Points with these tails on both sides, inside the range."""
    q = np.array(tails)
    found = np.concatenate([law.quantile(q, 1 - q)[0], law.quantile(1 - q, q)[0]])
    return [t for t in sorted(set(found.tolist())) if law.lower < t < law.upper]


def check(law: GammaQuotient, where: list[float], reference: Any) -> None:
    """Both claims of the kernel at the exact doubles t."""
    below, above = law.tails(np.array(where))
    pdf = law.pdf(np.array(where))
    for i, t in enumerate(where):
        upper = bool(below[i] > above[i])
        want, got = float(reference(law, t, upper)), float((above if upper else below)[i])
        assert abs(got - want) <= 1e-12 + 8 * EPS * (abs(t) + 1) * pdf[i], (t, got, want)
        assert want > 1e-6 or abs(got / want - 1) <= 1e-8, (t, got, want)


def ones(v: Array) -> GammaQuotient:
    return GammaQuotient(v, np.ones(v.size), np.ones(v.size))


def made(kind: str, n: int) -> Array:
    rng = np.random.default_rng(n)
    if kind == "outlier":
        return np.append(rng.random(n - 1), 1000.0)
    return {"even": rng.random(n), "skewed": np.exp(3 * rng.standard_normal(n)), "far": 1e6 + rng.random(n)}[kind]


@pytest.mark.parametrize("kind", ["even", "skewed", "outlier", "far"])
@pytest.mark.parametrize("n", [5, 12, 40, 100])
def test_values_against_partial_fractions(kind: str, n: int) -> None:
    """Tails from a half to 1e-60, on both sides; one far value too, where a straight line fails."""
    law = ones(made(kind, n))
    check(law, points(law), by_fractions)


def test_many_values_against_partial_fractions() -> None:
    """700 values: more than the kernel sums one by one."""
    law = ones(made("skewed", 700))
    check(law, points(law, (1e-15, 0.3))[1:3], by_fractions)


@pytest.mark.parametrize("n", [5, 30, 100])
def test_clusters_against_partial_fractions(n: int) -> None:
    """Unequal bottoms: sums over clusters of different sizes."""
    rng = np.random.default_rng(n)
    size = rng.integers(1, 9, n).astype(float)
    law = GammaQuotient(size * rng.random(n), size, np.ones(n))
    check(law, points(law), by_fractions)


@pytest.mark.parametrize("n", [5, 16])
def test_shapes_of_weighted_items(n: int) -> None:
    """Shapes that are no whole numbers, as Kish's effective size gives them."""
    rng = np.random.default_rng(n)
    w = rng.random(n) * 3
    law = GammaQuotient(np.exp(rng.standard_normal(n)), np.ones(n), w * w.sum() / (w**2).sum())
    check(law, points(law, (1e-15, 1e-4, 0.3)), by_line)


def test_one_weight_above_all() -> None:
    """Four values of hardly any weight: a density that has no bound at the ends, total shape 1."""
    w = np.array([1.0, 1.0, 1000.0, 1.0, 1.0])
    law = GammaQuotient(np.array([0.1, 0.4, 0.5, 0.7, 0.9]), np.ones(5), w * w.sum() / (w**2).sum())
    check(law, [0.100001, 0.45, 0.501], by_line)


def test_ties() -> None:
    """Repeated values are one value of a larger shape."""
    law = GammaQuotient(np.arange(6.0), np.ones(6), np.array([1.0, 7.0, 2.0, 30.0, 1.0, 4.0]))
    check(law, points(law, (1e-15, 1e-4, 0.3)), by_line)


@pytest.mark.parametrize("n", [5, 100])
def test_next_to_the_ends(n: int) -> None:
    """The doubles next to the ends of the range: tiny tails, never NaN."""
    v = np.sort(made("even", n)) + 1.0
    size = np.arange(1.0, n + 1)
    for law in (ones(v), GammaQuotient(v * size, size, np.ones(n))):
        ends = [np.nextafter(law.lower, np.inf), np.nextafter(law.upper, -np.inf)]
        if n == 5:
            check(law, [float(t) for t in ends], by_fractions)
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


@pytest.mark.parametrize("kind", HEAVY)
def test_the_series_of_many_values(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 values by power sums and by sums over all: tails to 1e-15 within 1e-11 relative."""
    n = 20_000
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


@pytest.mark.parametrize("n", [5, 60, 3000])
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
    x, w = np.polynomial.legendre.leggauss(400)
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
