"""Make wine.qrels, wine-color.run and wine-full.run: a small retrieval test on scikit-learn's bundled wine data.

Wines are the documents; a query is one wine. A wine of the same cultivar is relevant (grade 1), and highly so
(grade 2) when it is also among the 15 nearest in flavanoids and proline. `wine-color.run` ranks by color intensity
and alcohol, `wine-full.run` by all 13 measurements, scaled; each has its 30 best. What neither has in its first 15 was
judged one time in five: the rest is unjudged, as documents outside a pool are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

HERE = Path(__file__).parent
QUERIES, DEPTH, POOL, NEAR = 50, 30, 15, 15


def main() -> None:
    """Write the three files."""
    rng = np.random.default_rng(7)
    data = load_wine()
    x = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    color = [data.feature_names.index(n) for n in ("color_intensity", "alcohol")]
    taste = [data.feature_names.index(n) for n in ("flavanoids", "proline")]
    chosen = np.sort(rng.choice(len(x), QUERIES, replace=False))
    runs = {"color": x[:, color], "full": x}
    lines: dict[str, list[str]] = {name: [] for name in (*runs, "qrels")}
    for q in chosen.tolist():
        pool: set[int] = set()
        for name, space in runs.items():
            far = np.linalg.norm(space - space[q], axis=1)
            far[q] = np.inf
            best = np.argsort(far, kind="stable")[:DEPTH]
            pool |= set(best[:POOL].tolist())
            lines[name] += [
                f"wine{q:03d} Q0 wine{d:03d} {i} {1 / (1 + far[d]):.4f} {name}" for i, d in enumerate(best.tolist(), 1)
            ]
        near = set(np.argsort(np.linalg.norm((x - x[q])[:, taste], axis=1), kind="stable")[1 : NEAR + 1].tolist())
        for d in range(len(x)):
            if d != q and (d in pool or rng.random() < 0.2):
                same = data.target[d] == data.target[q]
                lines["qrels"].append(f"wine{q:03d} 0 wine{d:03d} {int(same) + int(same and d in near)}")
    for name, text in lines.items():
        file = "wine.qrels" if name == "qrels" else f"wine-{name}.run"
        (HERE / file).write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
