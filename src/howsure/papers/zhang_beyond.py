"""Zhang, Wang & Zhao 2015, section 4 and beyond: other F measures, many labels, and what the published prior costs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.papers.item import Agreement, Finding, Register, apart, close, result
from howsure.papers.oracles import GRID, beta_cdf
from howsure.papers.zhang_model import FIG_3, matrix, score

item = Register("zhang", "Zhang, Wang & Zhao 2015")


@item("4-f-beta", "section 4", "Other F measures", "F_β, β ≥ 0, can be dealt with in the same way; no example",
      "Of the matrix of fig. 3, with the paper's priors.")  # fmt: skip
def f_beta() -> Finding:
    """Macro-F2 and macro-F0.5 from class precision and recall; their posteriors are there by name."""
    c = np.array(FIG_3, dtype=float)
    n = c.sum(axis=1)
    p, r = np.diagonal(c) / c.sum(axis=0), np.diagonal(c) / n
    found, checks = {}, []
    for beta, name in ((2.0, "macro-f2"), (0.5, "macro-f0.5")):
        value = float(np.mean((1 + beta**2) * p * r / (beta**2 * p + r)))
        law = hs.posterior(matrix(), hs.two_level(), tolerance=0.05)[name]
        checks += [close(score(matrix(), name), value), close(law.cdf(value) > 0.5, 1.0)]
        found[name] = {"score": value, "mean": law.mean, "std": law.std}
    text = "; ".join(f"{k} {v['score']:.4f}, mean {v['mean']:.3f}" for k, v in found.items())
    return result(text, checks, found=found)


# Five labels of 200 documents each, any number a document: hits, false alarms, misses, the rest.
TOPICS: Final = {
    "tp": (40, 12, 9, 60, 3),
    "fp": (6, 3, 8, 15, 2),
    "fn": (9, 5, 2, 10, 4),
    "tn": (145, 180, 181, 115, 191),
}


@item("4-any-of", "section 4", "Many labels a document",
      "Beta/Binomial distributions, one for each class, replace Dirichlet/Multinomial: independent binary classifiers; "
      "no example",
      "The five labels are ours. Labels of one document are seldom independent: macro-F1 "
      "is then less sure than this says.")  # fmt: skip
def any_of() -> Finding:
    """Each label a 2x2 table of its own: recall and prevalence are Beta, and macro-F1 is the mean of independent F1."""
    t = hs.Tally.binary(**{k: np.array(v) for k, v in TOPICS.items()})
    p = hs.posterior(t, hs.two_level(within=1, between=1), tolerance=0.05)
    tp, fn, n = np.array(TOPICS["tp"]), np.array(TOPICS["fn"]), np.asarray(t.n)
    grid = GRID[:, None]
    checks = [
        close(p["recall"].cdf(grid), beta_cdf(tp + 1, fn + 1, grid)),
        close(p["prevalence"].cdf(grid), beta_cdf(tp + fn + 1, n - tp - fn + 1, grid)),
    ]
    x = p["f1"].draws(20_000, seed=0)
    mean, std = float(x.mean(axis=1).mean()), float(x.mean(axis=1).std())
    apart_std = float(np.sqrt((x.std(axis=0) ** 2).sum())) / x.shape[1]
    checks.append(Agreement(abs(std / apart_std - 1), 4 * (0.5 / x.shape[0]) ** 0.5 * 2))
    text = f"recall and prevalence of each label Beta: {apart(*checks[:2])}; macro-F1 {mean:.3f} ± {std:.3f}"
    return result(text, checks, f1=x.mean(axis=0), macro_f1=mean, std=std)


# Classes, items, accuracy: equal classes, errors spread.
TRUTHS: Final = ((3, 60, 0.85), (5, 100, 0.8), (10, 200, 0.9))
REPEATS: Final = 100


@lru_cache
def _covered(k: int, n: int, right: float, prior: Any) -> float:
    """How often the 95% interval holds the true macro-F1, which is the accuracy here, over simulated tests."""
    p = np.where(np.eye(k, dtype=bool), right / k, (1 - right) / (k * (k - 1)))
    tables = np.random.default_rng(k).multinomial(n, p.ravel(), size=REPEATS).reshape(REPEATS, k, k)
    law = hs.posterior(hs.Tally.matrix(tables), prior, tolerance=1)["macro-f1"]
    below = (law.draws(400, seed=1) < right).mean(axis=0)
    return float(((below >= 0.025) & (below <= 0.975)).mean())


@item("prior-cost", "section 2.1, the priors", "What the uniform priors cost",
      "without prior knowledge, simply α_j = (1, …, 1) and β = (1, …, 1); no coverage is printed",
      "M cells of weight 1 in each row pull every recall towards 1/M: with ten classes and 20 items a class the "
      "interval never holds the truth. The default prior, even, is beside it. Simulated with a fixed seed, equal "
      "classes, errors spread.")  # fmt: skip
def prior_cost() -> Finding:
    """Shares of simulated tests whose 95% interval of macro-F1 holds the truth, by the paper's prior and by even.

    What is checked is the default prior: the paper's choice is no statement that could be wrong.
    """
    found = [(_covered(*truth, hs.two_level()), _covered(*truth, "even")) for truth in TRUTHS]
    allowed = 3 * float(np.sqrt(0.95 * 0.05 / REPEATS))
    checks = [Agreement(abs(even - 0.95), allowed) for _, even in found]
    sizes = ", ".join(str(k) for k, _, _ in TRUTHS)
    theirs, mine = (", ".join(f"{pair[i]:.2f}" for pair in found) for i in (0, 1))
    text = f"95% intervals at {sizes} classes hold the truth in {theirs}; with even in {mine}"
    table = [
        {"classes": k, "n": n, "accuracy": a, "published": x, "even": y}
        for (k, n, a), (x, y) in zip(TRUTHS, found, strict=True)
    ]
    return result(text, checks, coverage=table, repeats=REPEATS)
