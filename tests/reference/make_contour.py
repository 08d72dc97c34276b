"""Write contour.json: tails of means of many values by mpmath, at points of both tails.

With shapes of 1 and different c = top - t·bottom, P(Σ c·G > 0) = Σ over c_i > 0 of Π_{j≠i} c_i/(c_i - c_j): no
integral, but hundreds of digits cancel. Other shapes: the integral of exp(K(s))/s on a straight line beside the saddle
with 40 digits, by two sums that must agree. The kernel only chooses the points, by its quantiles, and the smaller tail.

    python tests/reference/make_contour.py      (under a minute)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from howsure.distributions.contour import GammaQuotient

HERE = Path(__file__).parent
Array = NDArray[np.float64]
TAILS = (1e-60, 1e-30, 1e-15, 1e-9, 1e-4, 0.025, 0.3, 0.5)
FEW = (1e-15, 1e-4, 0.3)


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


def ones(v: Array) -> GammaQuotient:
    return GammaQuotient(v, np.ones(v.size), np.ones(v.size))


def made(kind: str, n: int) -> Array:
    rng = np.random.default_rng(n)
    if kind == "outlier":
        return np.append(rng.random(n - 1), 1000.0)
    return {"even": rng.random(n), "skewed": np.exp(3 * rng.standard_normal(n)), "far": 1e6 + rng.random(n)}[kind]


def effective(w: Array) -> Array:
    """Shapes of weighted items, by Kish's effective size: no whole numbers."""
    return np.asarray(w * w.sum() / (w**2).sum())


def laws() -> Iterator[tuple[str, GammaQuotient, list[float]]]:
    """Every law by name, with its points; the names of the kinds are those of the tests."""
    for kind in ("even", "skewed", "outlier", "far"):
        for n in (5, 12, 40, 100):
            law = ones(made(kind, n))
            yield f"values: {kind}, {n}", law, points(law)
    law = ones(made("skewed", 700))
    yield "values: skewed, 700", law, points(law, (1e-15, 0.3))[1:3]
    for n in (5, 30, 100):
        rng = np.random.default_rng(n)
        size = rng.integers(1, 9, n).astype(float)
        law = GammaQuotient(size * rng.random(n), size, np.ones(n))
        yield f"clusters: {n}", law, points(law)
    for n in (5, 16):
        rng = np.random.default_rng(n)
        w = rng.random(n) * 3
        law = GammaQuotient(np.exp(rng.standard_normal(n)), np.ones(n), effective(w))
        yield f"weighted: {n}", law, points(law, FEW)
    law = GammaQuotient(
        np.array([0.1, 0.4, 0.5, 0.7, 0.9]), np.ones(5), effective(np.array([1.0, 1.0, 1000.0, 1.0, 1.0]))
    )
    yield "weighted: one above all", law, [0.100001, 0.45, 0.501]
    law = GammaQuotient(np.arange(6.0), np.ones(6), np.array([1.0, 7.0, 2.0, 30.0, 1.0, 4.0]))
    yield "ties: 6", law, points(law, FEW)


def tail(law: GammaQuotient, t: float, upper: bool) -> Any:
    """By fractions where the shapes allow it."""
    return (by_fractions if (law.shapes == 1).all() else by_line)(law, t, upper)


def hexed(x: Array) -> str | list[str]:
    """Doubles without loss; all ones in a word."""
    return "ones" if (x == 1).all() else [float(v).hex() for v in x]


def main() -> None:
    """Compute all tails and write them."""
    cases = []
    for name, law, where in laws():
        below, above = law.tails(np.array(where))
        tails = [
            {"t": t.hex(), "tail": "upper" if upper else "lower", "p": mp.nstr(tail(law, t, bool(upper)), 20)}
            for t, upper in zip(where, below > above, strict=True)
        ]
        cases.append(
            {"name": name, "top": hexed(law.top), "bottom": hexed(law.bottom), "shapes": hexed(law.shapes), "at": tails}
        )
    about = "tails of Σ top·G/Σ bottom·G at t, G independent Gammas of these shapes; doubles are hexadecimal"
    lines = ",\n".join(json.dumps(x) for x in cases)
    text = f'{{"about": "{about}", "laws": [\n{lines}\n]}}\n'
    (HERE / "contour.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
