"""Write agreement.json: tails of phi and kappa of four Dirichlet cells, by another split than the package takes.

Prevalence, recall and fallout are independent Betas, and both measures rise with recall: P(M <= t) is the mean over
prevalence and fallout of the Beta tail at the recall where M = t, here found by halving. The mean is a trapezoid rule
on the logits of both, 601 nodes each, over all but 1e-20 of their mass. Two step sizes are held against each other.
About ten minutes on one core.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

TABLES = [
    (80, 20, 30, 870), (8, 2, 3, 87), (400, 100, 100, 400), (0, 0, 0, 10), (5, 0, 0, 5), (0, 5, 5, 90), (0, 0, 10, 90),
    (14, 0, 3, 1), (1, 1, 1, 1), (0, 0, 0, 0), (1, 0, 0, 1000), (0, 50, 50, 0), (2, 63, 26, 25), (30, 5, 200, 4000),
    (900, 50, 3, 2), (12, 40, 35, 13), (3, 0, 7, 20000),
]  # fmt: skip
NODES = 601
KEPT = 1e-9  # with empty cells a value of this rule may be rougher than that: it is left out


def nodes(a: float, b: float, n: int) -> tuple[Array, Array, Array]:
    """Logits that cover the law, its shares there, and the weights of a trapezoid rule."""
    centre, scale = np.log(a / b), np.sqrt(1 / a + 1 / b)
    z = np.linspace(max(centre - 14 * scale - 46 / a, -650), min(centre + 14 * scale + 46 / b, 650), n)
    log = a * -np.logaddexp(0, -z) + b * -np.logaddexp(0, z) - special.betaln(a, b)
    keep = log > log.max() - 50
    z = np.linspace(z[keep][0], z[keep][-1], n)
    log = a * -np.logaddexp(0, -z) + b * -np.logaddexp(0, z) - special.betaln(a, b)
    weight = np.exp(log) * (z[1] - z[0])
    return z, special.expit(-z), weight


def tail(kind: str, shapes: tuple[float, ...], t: float, n: int = NODES) -> float:
    """P(M <= t)."""
    tp, fp, fn, tn = shapes
    zp, q, wp = nodes(tp + fn, fp + tn, n)
    zf, g, wf = nodes(fp, tn, n)
    p, f = special.expit(zp), special.expit(zf)
    p, q, f, g = p[:, None], q[:, None], f[None], g[None]
    low, high = np.full((n, n), -700.0), np.full((n, n), 700.0)
    for _ in range(60):
        z = 0.5 * (low + high)
        r, m = special.expit(z), special.expit(-z)
        a, b, c, d = p * r, q * f, p * m, q * g
        if kind == "phi":
            value = (a * d - b * c) / np.sqrt((a + b) * (c + d)) / np.sqrt(p * q)
        else:
            value = 2 * (a * d - b * c) / ((a + b) * q + p * (c + d))
        low, high = np.where(value <= t, z, low), np.where(value <= t, high, z)
    inner = special.betainc(tp, fn, special.expit(0.5 * (low + high)))
    weight = wp[:, None] * wf[None]
    return float((weight * inner).sum() / weight.sum())


def main() -> None:
    rng = np.random.default_rng(4)
    rows = []
    for table in TABLES:
        shapes = tuple(x + 0.5 for x in table)
        cells = rng.dirichlet(shapes, 4000).T
        a, b, c, d = cells
        values = {
            "phi": (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d)),
            "kappa": 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d)),
        }
        for kind, x in values.items():
            for q in (0.005, 0.025, 0.5, 0.975):
                t = float(np.quantile(x, q))
                one, two = (tail(kind, shapes, t, n) for n in (NODES, 451))
                print(table, kind, q, t, one, one - two, flush=True)
                if abs(one - two) <= KEPT:
                    rows.append({"table": table, "kind": kind, "t": t, "cdf": one, "agrees": abs(one - two)})
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    text = f'{{"about": {json.dumps(__doc__)},\n "rows": [\n  {lines}\n]}}\n'
    (Path(__file__).parent / "agreement.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
