"""Zhang, Wang & Zhao 2015: a posterior of micro- and macro-averaged F1, in a model of class sizes and of truth rows.

The model is conjugate: the paper samples it by 50,000 steps of Metropolis-Hastings; here the shares of the classes and
the rows are drawn directly, each draw independent of the last.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import comb, lgamma
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.papers.item import Agreement, Finding, Item, Register, apart, claim, close, result, rounds
from howsure.papers.oracles import GRID, Array, beta_cdf

item = Register("zhang", "Zhang, Wang & Zhao 2015")

FIG_3: Final = (
    (145, 1, 2, 1, 0),
    (5, 256, 22, 9, 6),
    (5, 24, 234, 36, 19),
    (1, 18, 32, 243, 25),
    (1, 5, 9, 38, 254),
)
M: Final = len(FIG_3)
STEPS: Final = 50_000  # of the paper's chain
REFERENCE: Final = 0.8
SHOWN: Final = 500  # draws of a trace that are listed


def matrix() -> hs.Tally:
    """Fig. 3, truth by rows."""
    return hs.Tally.matrix(FIG_3)


@lru_cache(maxsize=1)
def posterior() -> hs.Posterior:
    """The paper's model on its matrix, α_j = (1, …, 1), β = (1, …, 1), with few draws for what is not exact."""
    return hs.posterior(matrix(), hs.two_level(within=1, between=1), tolerance=0.2)


@lru_cache(maxsize=2)
def report(name: str) -> hs.Report:
    """The paper's summary of a measure, twice as sharp as by default."""
    prior = hs.two_level(within=1, between=1)
    return hs.score(matrix(), metrics=name, prior=prior, above=REFERENCE, interval="hdi", tolerance=0.01)


@lru_cache(maxsize=2)
def draws(name: str) -> Array:
    """As many draws as the paper's chain has steps."""
    return posterior()[name].draws(STEPS, seed=0)


def score(t: hs.Tally, name: str) -> float:
    """The point score of a measure of many classes."""
    return float(hs.posterior(t).point(name))


def _sizes() -> tuple[Array, Array]:
    """The counts of Fig. 3 and its class sizes."""
    c = np.array(FIG_3, dtype=float)
    return c, c.sum(axis=1)


# -- 1: introduction ----------------------------------------------------------------------------------------------


@item("1-documents", "section 1", "The same score on more documents",
      "miF1 0.81 on 100 documents is little ground to say above 0.80; on 100,000 it is far more",
      "The paper gives no probability. These are of the share of right answers, prior even.")  # fmt: skip
def documents() -> Finding:
    """P(accuracy above .8) after 81 of 100 and after 81,000 of 100,000."""
    few, more = (float(hs.posterior(hs.Tally.rate(hits=81 * k, of=100 * k))["rate"].sf(REFERENCE)) for k in (1, 1000))
    text = f"P(above 0.8): {few:.3f} after 100, 1 - {1 - more:.0e} after 100,000"
    return result(text, [claim(0.5 < few < 0.7), claim(0.999 < more < 1)], p_100=few, p_100000=more)


# -- 2.1: the model -----------------------------------------------------------------------------------------------


@item("2.1-sizes", "section 2.1", "Class sizes given their shares",
      "n ~ Mult(N, μ): N!/∏n_j! ∏μ_j^n_j = Γ(Σ(n_j+1))/∏Γ(n_j+1) ∏μ_j^n_j",
      "Γ(Σ(n_j+1)) is Γ(N+M): right is Γ(N+1) = N!. The factor does not hold μ, so the posterior is the same. "
      "The same slip is in the likelihood of the rows c_j.")  # fmt: skip
def sizes() -> Finding:
    """Both printed factors, and the one with Γ(N+1), on small sizes where N!/∏n! counts arrangements."""
    printed, read = [], []
    for sizes in ((1, 1), (2, 3), (2, 1, 4), (3, 0, 2, 1, 1)):
        ways, left = 1, sum(sizes)
        for n in sizes:
            ways, left = ways * comb(left, n), left - n
        below = sum(lgamma(n + 1) for n in sizes)
        printed.append(close(np.exp(lgamma(sum(n + 1 for n in sizes)) - below) / ways, 1.0, 1e-9))
        read.append(close(np.exp(lgamma(sum(sizes) + 1) - below) / ways, 1.0, 1e-9))
    times = printed[1].gap + 1
    return result(f"sizes 2, 3: the second factor is {times:.0f} times the first", printed, read, times=times)


@item("2.1-shares", "section 2.1", "The shares of the classes", "μ ~ Dir(β), conjugate to the Multinomial")
def shares() -> Finding:
    """The posterior share of each class is Beta(n_j + β, N - n_j + (M-1)β): howsure against the Beta law."""
    _, n = _sizes()
    checks = []
    for weight in (1.0, 0.4):
        p = hs.posterior(matrix(), hs.two_level(within=1, between=weight))
        for j, size in enumerate(n):
            law = p[f"prevalence:{j}"]
            checks.append(close(law.cdf(GRID), beta_cdf(size + weight, n.sum() - size + (M - 1) * weight, GRID)))
    means = [float(posterior()[f"prevalence:{j}"].mean) for j in range(M)]
    shown = ", ".join(f"{x:.4f}" for x in means)
    return result(f"Beta for β 1 and 0.4: {apart(*checks)}; means {shown}", checks, means=means)


@item("2.1-rows", "section 2.1", "The answers to one class", "θ_j ~ Dir(α_j), conjugate to the Multinomial")
def rows() -> Finding:
    """Recall R_j = θ_jj is Beta(c_jj + α, n_j - c_jj + (M-1)α)."""
    c, n = _sizes()
    checks = []
    for weight in (1.0, 0.4):
        p = hs.posterior(matrix(), hs.two_level(within=weight, between=1))
        for j, size in enumerate(n):
            law = p[f"recall:{j}"]
            checks.append(close(law.cdf(GRID), beta_cdf(c[j, j] + weight, size - c[j, j] + (M - 1) * weight, GRID)))
    means = [float(posterior()[f"recall:{j}"].mean) for j in range(M)]
    shown = ", ".join(f"{x:.4f}" for x in means)
    return result(f"Beta for α 1 and 0.4: {apart(*checks)}; means {shown}", checks, means=means)


@item("2.1-cells", "section 2.1", "The contingency table of each class",
      "tp_j = Nμ_jθ_jj, fp_j = Σ_{u≠j} Nμ_uθ_uj, fn_j = Σ_{v≠j} Nμ_jθ_jv, tn_j = Σ_{u≠j}Σ_{v≠j} Nμ_uθ_uv")  # fmt: skip
def cells() -> Finding:
    """At μ_j = n_j/N and θ_jk = c_jk/n_j these are the tables of class against rest; of draws, they add to 1."""
    c, n = _sizes()
    mass = n.sum() * (n / n.sum())[:, None] * (c / n[:, None])
    tp, row, col = np.diagonal(mass), mass.sum(axis=1), mass.sum(axis=0)
    printed = {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": mass.sum() - row - col + tp}
    ours = matrix().by_class()
    checks = [close(printed[k], ours[k], 1e-9) for k in printed]
    drawn = posterior().draws(1000, seed=1)
    checks += [close(sum(drawn.values()), 1.0), close((drawn["tp"] + drawn["fn"]).sum(axis=1), 1.0)]
    text = "; ".join(f"{k} {' '.join(str(int(x)) for x in ours[k])}" for k in ours)
    return result(f"Fig. 3: {text}", checks, **{k: v.tolist() for k, v in ours.items()})


MICRO: Final = ("micro-precision", "micro-recall", "micro-f1", "accuracy")


@item("2.1-micro", "section 2.1", "The micro-average", "P = R = miF1 = Σ μ_jθ_jj, identical to accuracy")
def micro() -> Finding:
    """Scores, posterior means in closed form, and draws, of all four."""
    p, c, n = posterior(), *_sizes()
    scores = [score(matrix(), name) for name in MICRO]
    mean = float(np.sum((n + 1) / (n.sum() + M) * (np.diagonal(c) + 1) / (n + M)))
    checks = [close(scores, np.trace(c) / n.sum()), close([p[name].mean for name in MICRO], mean)]
    checks += [close(p[name].draws(2000, seed=2), p["accuracy"].draws(2000, seed=2)) for name in MICRO]
    text = f"all {scores[0]:.7f}; mean Σ (n_j+1)/(N+M)·(c_jj+1)/(n_j+M) = {mean:.7f}; draws {apart(*checks)}"
    return result(text, checks, score=scores[0], mean=mean)


@item("2.1-macro", "section 2.1", "The macro-average",
      "P_j = μ_jθ_jj/Σ_u μ_uθ_uj, R_j = θ_jj, maF1 = (Σ 2P_jR_j/(P_j+R_j))/M; N cancels")  # fmt: skip
def macro() -> Finding:
    """Written out from class shares and rows, against macro-f1; and the same for a table seven times as large."""
    c, n = _sizes()
    mu, theta = n / n.sum(), c / n[:, None]
    right = mu * np.diagonal(theta)
    p, r = right / (mu @ theta), np.diagonal(theta)
    value, f_of_means = float(np.mean(2 * p * r / (p + r))), score(matrix(), "f1-of-means")
    large = hs.Tally.matrix(7 * c.astype(int))
    checks = [close(score(matrix(), "macro-f1"), value), close(score(large, "macro-f1"), value)]
    text = f"maF1 {value:.7f}, {apart(*checks)}; F1 of macro-precision and -recall is another: {f_of_means:.7f}"
    return result(text, checks, macro_f1=value, f1_of_means=f_of_means)


@item("2.1-two-classes", "section 2.1", "Two classes",
      "a generalisation of the two-class model of Goutte & Gaussier",
      "Theirs is the case β_j = Σ_k α_jk. With all weights 1, as in the experiments, it is another model: Goutte's "
      "with weight 1/2 a cell is α = 1/2, β = 1.")  # fmt: skip
def two_classes() -> Finding:
    """F1 of 80, 20, 30, 870 by the two-level model with α = ½, β = 1 and α = β = 1, against the closed form."""
    t = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
    closed = hs.posterior(t, "jeffreys")["f1"]
    points = closed.ppf(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
    laws = {a: hs.posterior(t, hs.two_level(within=a, between=1))["f1"] for a in (0.5, 1.0)}
    gaps = {a: close(law.cdf(points), closed.cdf(points), 4 / 3 * law.error.probability) for a, law in laws.items()}
    text = f"cdf of F1: α 1/2, β 1 {gaps[0.5].gap:.1g} from Goutte's, α = β = 1 {gaps[1.0].gap:.2f}"
    return result(text, [gaps[0.5], claim(not gaps[1.0].holds)], means={str(a): x.mean for a, x in laws.items()})


# -- 2.2: implementation ------------------------------------------------------------------------------------------


def _correlations(x: Array, lags: int = 20) -> Array:
    """Autocorrelations at lags 1, 2, …"""
    y = (x - x.mean()) / x.std()
    return np.array([float(np.mean(y[k:] * y[:-k])) for k in range(1, lags + 1)])


@item("2.2-chain", "section 2.2", "Sampling", "Metropolis-Hastings, 50,000 samples, no burn-in, lag or multiple chains",
      "Not needed: μ and the θ_j are independent Dirichlets a posteriori and are drawn directly. Draws without "
      "autocorrelation have an effective size of their number; a chain written for the tests has a small part of "
      "its steps (tests/papers/test_zhang.py).")  # fmt: skip
def chain() -> Finding:
    """50,000 direct draws: autocorrelations at 20 lags are those of independent draws."""
    worst = {name: float(np.abs(_correlations(draws(name))).max()) for name in ("micro-f1", "macro-f1")}
    allowed = 4 / np.sqrt(STEPS)
    text = f"{STEPS:,} direct draws: autocorrelation at lags 1 to 20 at most {max(worst.values()):.3f}"
    return result(text, [Agreement(x, allowed) for x in worst.values()], worst=worst, allowed=allowed, n=STEPS)


# -- 3: experiments -----------------------------------------------------------------------------------------------


@item(
    "fig-3",
    "fig. 3",
    "The confusion matrix",
    "145 1 2 1 0 / 5 256 22 9 6 / 5 24 234 36 19 / 1 18 32 243 25 / 1 5 9 38 254",
)
def figure_3() -> Finding:
    """Size, class sizes and answers, and the scores of Table 1 from it."""
    t, (c, n) = matrix(), _sizes()
    checks = [claim(t.n == 1391), close(t.dense(), c), rounds(score(t, "micro-f1"), "0.814")]
    checks.append(rounds(score(t, "macro-f1"), "0.828"))
    sizes, answers = (" ".join(str(int(x)) for x in a) for a in (n, c.sum(axis=0)))
    return result(f"N = {t.n}; class sizes {sizes}; answers {answers}", checks, matrix=FIG_3, n=t.n)


# score, mean, std, MC error, below, above, low, high
TABLE_1: Final = {
    "micro-f1": ("0.814", "0.803", "0.011", "0.000", "39.6%", "60.4%", "0.782", "0.823"),
    "macro-f1": ("0.828", "0.815", "0.010", "0.000", "6.1%", "93.9%", "0.796", "0.835"),
}
COLUMNS: Final = ("score", "mean", "std", "mc_error", "below", "above", "low", "high")


def _summary(name: str) -> dict[str, float]:
    """The paper's summary: score, mean, std, Monte Carlo error of 50,000 draws, P(below, above), 95% HDI."""
    (row,) = report(name).to_dict()["rows"]
    above = row["p_above"]
    values = (row["score"], row["mean"], row["std"], row["std"] / STEPS**0.5, 1 - above, above, row["low"], row["high"])
    return dict(zip(COLUMNS, values, strict=True))


def _errors(name: str, got: dict[str, float]) -> dict[str, float]:
    """Standard errors that 50,000 draws, if they were independent, give the columns; a chain's are larger."""
    p, n, std = got["below"], STEPS, got["std"]
    share, end = float(np.sqrt(p * (1 - p) / n)), 2 * 2.67 * std / n**0.5
    law = report(name)[name]
    own = [float(np.max(e)) / 3 for e in law.end_errors(0.95, "hdi")]
    mean = std / n**0.5
    return {"score": 0.0, "mean": mean, "std": mean, "mc_error": mean, "below": share, "above": share,
            "low": float(np.hypot(end, own[0])), "high": float(np.hypot(end, own[1]))}  # fmt: skip


def _table_1(name: str) -> Finding:
    got = _summary(name)
    errors = _errors(name, got)
    checks = [rounds(got[k], text, errors[k]) for k, text in zip(COLUMNS, TABLE_1[name], strict=True)]
    equal = sum(c.holds for c in checks)
    text = (
        f"{got['score']:.3f}, {got['mean']:.4f}, {got['std']:.4f}, {got['mc_error']:.5f}, {got['below']:.1%} < 0.8 < "
        f"{got['above']:.1%}, [{got['low']:.3f}, {got['high']:.3f}]; {equal} of {len(checks)} equal in print"
    )
    known = posterior()["micro-f1"].mean if name == "micro-f1" else None
    return result(text, checks, (), print=dict(zip(COLUMNS, TABLE_1[name], strict=True)), closed_mean=known, **got)


for _name, _short in (("micro-f1", "miF1"), ("macro-f1", "maF1")):
    _printed = "score {}, mean {}, std {}, MC error {}, {} < 0.8 < {}, HDI [{}, {}]".format(*TABLE_1[_name])
    item(f"table-1-{_short.lower()}", "table 1", f"Estimation of {_short}", _printed,
         "The shares of a chain of 50,000 steps are off by more than those of 50,000 independent draws; four standard "
         "errors of the latter are allowed.")(partial(_table_1, _name))  # fmt: skip


def _figure(name: str) -> Finding:
    """The posterior as a histogram and a density, the draws in order as the trace, and checks on both."""
    x, law = draws(name), report(name)[name]
    density, edges = np.histogram(x, bins=60, density=True)
    middle = 0.5 * (edges[1:] + edges[:-1])
    fourths = x.reshape(4, -1).mean(axis=1)
    error = law.std / np.sqrt(x.size / 4)
    below, above = law.cdf(edges[:-1]), law.cdf(edges[1:])
    shares = close(density * np.diff(edges), above - below, 4 * float(np.sqrt(0.06 / STEPS)) + law.error.probability)
    checks = [Agreement(float(np.abs(fourths - law.mean).max()), 4 * error), shares]
    checks.append(Agreement(float(np.abs(_correlations(x)).max()), 4 / np.sqrt(x.size)))
    text = (
        f"histogram of {STEPS:,} draws, mode near {middle[density.argmax()]:.3f}; trace: means of its quarters within "
        f"{checks[0].gap:.5f} of the mean, effective size {STEPS:,}"
    )
    return result(
        text, checks, edges=edges, density=density, curve=law.pdf(middle), x=middle, trace=x[:SHOWN], n=STEPS, ess=STEPS
    )


for _number, _name, _short in ((4, "micro-f1", "miF1"), (5, "macro-f1", "maF1")):
    item(f"fig-{_number}", f"fig. {_number}", f"Posterior plot and trace plot of {_short}",
         f"posterior of {_short} as a histogram; the trace shows the convergence of sampling",
         f"The data hold the histogram, a density, and the first {SHOWN} draws of the trace. Direct draws have no "
         "convergence to show: every draw is from the posterior itself.")(partial(_figure, _name))  # fmt: skip


# -- 4: conclusions -----------------------------------------------------------------------------------------------


@item("4-f-beta", "section 4", "Other F measures", "F_β, β ≥ 0, in the same way")
def f_beta() -> Finding:
    """Macro-F2 and macro-F0.5 from class precision and recall; their posteriors are there by name."""
    c, n = _sizes()
    p, r = np.diagonal(c) / c.sum(axis=0), np.diagonal(c) / n
    found, checks = {}, []
    for beta, name in ((2.0, "macro-f2"), (0.5, "macro-f0.5")):
        value = float(np.mean((1 + beta**2) * p * r / (beta**2 * p + r)))
        law = hs.posterior(matrix(), hs.two_level(), tolerance=0.05)[name]
        checks += [close(score(matrix(), name), value), claim(law.cdf(value) > 0.5)]
        found[name] = {"score": value, "mean": law.mean, "std": law.std}
    text = "; ".join(f"{k} {v['score']:.4f}, mean {v['mean']:.3f}" for k, v in found.items())
    return result(text, checks, found=found)


# Five labels of 200 documents each, any number a document: hits, false alarms, misses, the rest.
LABELS: Final = {
    "tp": (40, 12, 9, 60, 3),
    "fp": (6, 3, 8, 15, 2),
    "fn": (9, 5, 2, 10, 4),
    "tn": (145, 180, 181, 115, 191),
}


@item("4-any-of", "section 4", "Many labels a document",
      "Beta/Binomial distributions, one for each class, replace Dirichlet/Multinomial: independent binary classifiers",
      "The paper gives no example; the five labels are ours. Labels of one document are seldom independent: macro-F1 "
      "is then less sure than this says.")  # fmt: skip
def any_of() -> Finding:
    """Each label a 2x2 table of its own: recall and prevalence are Beta, and macro-F1 is the mean of independent F1."""
    t = hs.Tally.binary(**{k: np.array(v) for k, v in LABELS.items()})
    p = hs.posterior(t, hs.two_level(within=1, between=1), tolerance=0.05)
    tp, fn, n = np.array(LABELS["tp"]), np.array(LABELS["fn"]), np.asarray(t.n)
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
      "without prior knowledge, simply α_j = (1, …, 1) and β = (1, …, 1)",
      "M cells of weight 1 in each row pull every recall towards 1/M: with ten classes and 20 items a class the "
      "interval never holds the truth. The default prior, even, is beside it. Simulated with a fixed seed, equal "
      "classes, errors spread.")  # fmt: skip
def prior_cost() -> Finding:
    """Shares of simulated tests whose 95% interval of macro-F1 holds the truth, by the paper's prior and by even."""
    found = [(_covered(*truth, hs.two_level()), _covered(*truth, "even")) for truth in TRUTHS]
    allowed = 3 * float(np.sqrt(0.95 * 0.05 / REPEATS))
    printed, ours = ([Agreement(abs(pair[i] - 0.95), allowed) for pair in found] for i in (0, 1))
    sizes = ", ".join(str(k) for k, _, _ in TRUTHS)
    theirs, mine = (", ".join(f"{pair[i]:.2f}" for pair in found) for i in (0, 1))
    text = f"95% intervals at {sizes} classes hold the truth in {theirs}; with even in {mine}"
    table = [
        {"classes": k, "n": n, "accuracy": a, "published": x, "even": y}
        for (k, n, a), (x, y) in zip(TRUTHS, found, strict=True)
    ]
    return result(text, printed, ours, coverage=table, repeats=REPEATS)


ITEMS: Final[tuple[Item, ...]] = tuple(item.items)
