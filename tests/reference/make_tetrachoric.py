"""Write tetrachoric.json: correlations and standard errors of 2x2 tables by mpmath, 60 digits.

Another road than the kernel's: the small quadrant is the integral of φ(x)·Φ((k - ρx)/√(1 - ρ²)) over x, set equal to
the small cell by secant steps; the standard error is the delta method with the gradient taken cell by cell. The
kernel's value is only where the search starts; the last step, with more nodes, must be below 1e-19 of tan(v/2).

    python tests/reference/make_tetrachoric.py      (about five minutes)
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mpmath as mp
from numpy.polynomial.legendre import leggauss

from howsure.distributions.tetrachoric import correlation

HERE = Path(__file__).parent
mp.mp.dps = 60
Table = tuple[float, float, float, float]


def quantile(p: mp.mpf) -> mp.mpf:
    """The upper p-point of the normal law, p <= 1/2."""
    if p == mp.mpf(1) / 2:
        return mp.mpf(0)
    x = mp.sqrt(-2 * mp.log(p)) if p < 0.1 else (mp.mpf(1) / 2 - p) * 2.5
    return mp.findroot(lambda x: mp.log(mp.erfc(x / mp.sqrt(2)) / 2) - mp.log(p), x)


def quadrant(h: mp.mpf, k: mp.mpf, t: mp.mpf, nodes: int, fine: int) -> mp.mpf:
    """log P(X > h, Y < k) at ρ = (1 - t²)/(1 + t²)."""
    rho, root = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)

    def inner(x: mp.mpf) -> mp.mpf:
        return mp.exp(-x * x / 2) * mp.erfc(-(k - rho * x) / (root * mp.sqrt(2)))

    width = min(root, 1 / (1 + abs(h)), root / (1 + abs(k - rho * h) / root))
    total, low, size = mp.mpf(0), mp.mpf(h), width / 2 / fine
    while True:
        part = size / 2 * sum(w * inner(low + size / 2 * (1 + x)) for x, w in rule(nodes))
        total += part
        low += size
        if part < mp.mpf(10) ** -30 * total:
            return mp.log(total) - mp.log(2 * mp.sqrt(2 * mp.pi))
        size = min(size * (1 + mp.mpf(3) / 5 / fine), 1 / (1 + abs(low) / 4))


@cache
def rule(nodes: int) -> list[tuple[mp.mpf, mp.mpf]]:
    """Gauss and Legendre."""
    out = []
    for start in leggauss(nodes)[0].tolist():
        x = mp.mpf(start)
        for _ in range(3):
            value, before = mp.legendre(nodes, x), mp.legendre(nodes - 1, x)
            slope = nodes * (x * value - before) / (x * x - 1)
            x -= value / slope
        out.append((x, 2 / ((1 - x * x) * slope**2)))
    return out


def bisect(h: mp.mpf, k: mp.mpf, want: mp.mpf) -> mp.mpf:
    """A start for the secant steps where ρ is 1 to all digits of a double."""
    low, high = mp.mpf(-80), mp.mpf(-10)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if quadrant(h, k, mp.exp(middle), 24, 1) > want else (middle, high)
    return mp.exp(low)


def secant(h: mp.mpf, k: mp.mpf, want: mp.mpf, t: mp.mpf, fine: int = 1) -> mp.mpf:
    """The T at which the log of the quadrant is as wanted."""
    x0, x1 = mp.log(t), mp.log(t) + mp.mpf(1e-7)
    f0, f1 = (quadrant(h, k, mp.exp(x), 24, fine) - want for x in (x0, x1))
    for _ in range(40):
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
        f1 = quadrant(h, k, mp.exp(x1), 24, fine) - want
        if abs(x1 - x0) < 1e-13:
            break
    slope = (f1 - f0) / (x1 - x0)
    last = (quadrant(h, k, mp.exp(x1), 32, fine) - want) / slope
    if abs(last) > 1e-19:
        if fine > 8:
            raise ValueError(f"no convergence: {last}")
        return secant(h, k, want, mp.exp(x1), 3 * fine)
    return mp.exp(x1 - last)


def solve(table: Table) -> tuple[mp.mpf, mp.mpf, mp.mpf]:
    """ρ, 1 - |ρ| and the standard error."""
    a, b, c, d = (mp.mpf(x) for x in table)
    n, sign = a + b + c + d, 1
    if a + c > b + d:
        a, b, c, d, sign = b, a, d, c, -sign
    if a + b > c + d:
        a, b, c, d, sign = c, d, a, b, -sign
    if b < c:
        b, c = c, b
    h, k = quantile((a + c) / n), quantile((a + b) / n)
    if a * d < b * c:
        a, b, c, d, sign, k = c, d, a, b, -sign, -k
    if a * d == b * c:
        t = mp.mpf(1)
    else:
        start = mp.mpf(abs(float(correlation(*table))))
        want = mp.log(c / n)
        t = mp.sqrt((1 - start) / (1 + start)) if start < 1 - 1e-15 else bisect(h, k, want)
        t = secant(h, k, want, t)
    rho, root = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    one = mp.erfc((k - rho * h) / root / mp.sqrt(2)) / 2
    two = mp.erfc((h - rho * k) / root / mp.sqrt(2)) / 2
    slopes = (1 - one - two, -one, -two, 0)  # by the cells ++, +-, -+, --
    shares = (a / n, c / n, b / n, d / n)
    mean = sum(p * g for p, g in zip(shares, slopes, strict=True))
    variance = sum(p * g * g for p, g in zip(shares, slopes, strict=True)) - mean**2
    density = mp.exp(-(h * h - 2 * rho * h * k + k * k) / (2 * root**2)) / (2 * mp.pi * root)
    return sign * rho, 2 * t * t / (1 + t * t), mp.sqrt(variance / n) / density


def four(cell: Callable[[], float]) -> Table:
    """Four cells."""
    return cell(), cell(), cell(), cell()


def tables() -> list[tuple[str, Table]]:
    """Tables of every regime."""
    rng = random.Random(20)
    out: list[tuple[str, Table]] = []
    out += [("counts", four(lambda: float(round(10 ** rng.uniform(0, 8.4))))) for _ in range(70)]
    out += [("small counts", four(lambda: float(rng.randint(1, 60)))) for _ in range(30)]
    for n in (1e2, 1e4, 1e6, 4e8):
        for b, c in ((1, 1), (1, 2), (3, 40), (1, n // 10)):
            out.append(("near 1", (n, float(b), float(c), n)))
            out.append(("near -1", (float(b), n, n // 7, float(c))))
            out.append(("near 1, rare", (n // 100 + 1, float(b), float(c), n)))
    for n in (10.0, 1e4, 1e8):
        out += [("near 0", (n + 1, n, n, n)), ("near 0", (n, n + 1, n, n)), ("near 0", (n, n, n, n))]
        out.append(("near 0", (n, 3 * n + 1, 7 * n, 21 * n)))
    for tp in (1.0, 30.0, 400.0, 900.0, 999.0):
        for fp in (1.0, 1000.0, 1e5):
            out.append(("margins of 1e-6", (tp, fp, 1000.0 - tp, 1e9 - 1000.0 - fp)))
    spans = (3.0, 12.0, 30.0)
    out += [("shares", four(lambda: 10 ** -rng.uniform(0.0, rng.choice(spans)))) for _ in range(40)]
    return out


def main() -> None:
    """Solve all cases and write them."""
    cases = []
    for name, table in tables():
        rho, rest, error = solve(table)
        cases.append({"kind": name, "table": [float(x).hex() for x in table], "rho": mp.nstr(rho, 25),
                      "rest": mp.nstr(rest, 20), "se": mp.nstr(error, 20)})  # fmt: skip
        print(len(cases), name, table, mp.nstr(rho, 20), float(correlation(*table)) - float(rho), file=sys.stderr)
    about = "rho, rest = 1 - |rho| and the delta-method standard error; cells tp, fp, fn, tn as hexadecimal doubles"
    lines = ",\n".join(json.dumps(x) for x in cases)
    (HERE / "tetrachoric.json").write_text(f'{{"about": "{about}", "cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
