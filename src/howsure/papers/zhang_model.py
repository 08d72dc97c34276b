"""Zhang, Wang & Zhao 2015, sections 1 to 3: micro- and macro-averaged F1 in a model of class sizes and of truth rows.

The model is conjugate: the paper samples it by 50,000 steps of Metropolis-Hastings; here the shares of the classes and
the rows are drawn directly, each draw independent of the last.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import comb, lgamma
from typing import Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result, rounds
from howsure.papers.oracles import GRID, beta_cdf

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
    """P(accuracy above .8) after 81 of 100, which is no 90%, and after 81,000 of 100,000."""
    few, more = (float(hs.posterior(hs.Tally.rate(hits=81 * k, of=100 * k))["rate"].sf(REFERENCE)) for k in (1, 1000))
    text = f"P(above 0.8): {few:.3f} after 100, 1 - {1 - more:.0e} after 100,000"
    return result(text, [claim(few < 0.9), claim(0.999 < more < 1)], p_100=few, p_100000=more)


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


@item("2.1-shares", "section 2.1", "The shares of the classes",
      "μ ~ Dir(β): Γ(Σβ_j)/∏Γ(β_j) ∏μ_j^(β_j-1), conjugate to the Multinomial",
      "Then μ_j is Beta(n_j + β_j, N - n_j + the other β) a posteriori, Beta(β_j, the other β) without "
      "data.")  # fmt: skip
def shares() -> Finding:
    """The posterior share of each class is Beta(n_j + β, N - n_j + (M-1)β): howsure against the Beta law."""
    _, n = _sizes()
    checks = []
    for weight in (1.0, 0.4):
        p = hs.posterior(matrix(), hs.two_level(within=1, between=weight))
        for j, size in enumerate(n):
            law = p[f"prevalence:{j}"]
            checks.append(equals(law.cdf(GRID), beta_cdf(size + weight, n.sum() - size + (M - 1) * weight, GRID)))
        before = hs.posterior(hs.Tally.matrix(np.zeros((M, M), dtype=int)), hs.two_level(within=1, between=weight))
        checks.append(equals(before["prevalence:0"].cdf(GRID), beta_cdf(weight, (M - 1) * weight, GRID)))
    means = [float(posterior()[f"prevalence:{j}"].mean) for j in range(M)]
    shown = ", ".join(f"{x:.4f}" for x in means)
    return result(f"Beta for β 1 and 0.4: {apart(*checks)}; means {shown}", checks, means=means)


@item("2.1-rows", "section 2.1", "The answers to one class",
      "θ_j ~ Dir(α_j): Γ(Σα_jk)/∏Γ(α_jk) ∏θ_jk^(α_jk-1), conjugate to the Multinomial",
      "Then θ_jj, the recall of class j, is Beta(c_jj + α_jj, n_j - c_jj + the other α) a posteriori.")  # fmt: skip
def rows() -> Finding:
    """Recall R_j = θ_jj is Beta(c_jj + α, n_j - c_jj + (M-1)α)."""
    c, n = _sizes()
    checks = []
    for weight in (1.0, 0.4):
        p = hs.posterior(matrix(), hs.two_level(within=weight, between=1))
        for j, size in enumerate(n):
            law = p[f"recall:{j}"]
            checks.append(equals(law.cdf(GRID), beta_cdf(c[j, j] + weight, size - c[j, j] + (M - 1) * weight, GRID)))
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
    checks = [equals(ours[k], printed[k], 1e-9) for k in printed]
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
    checks = [equals(scores, np.trace(c) / n.sum()), close([p[name].mean for name in MICRO], mean)]
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
    checks = [equals(score(matrix(), "macro-f1"), value), equals(score(large, "macro-f1"), value)]
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
    return result(
        text, [claim(gaps[0.5].holds), claim(not gaps[1.0].holds)], means={str(a): x.mean for a, x in laws.items()}
    )


# -- 2.2: implementation ------------------------------------------------------------------------------------------


def _correlations(x: Array, lags: int = 20) -> Array:
    """Autocorrelations at lags 1, 2, …"""
    y = (x - x.mean()) / x.std()
    return np.array([float(np.mean(y[k:] * y[:-k])) for k in range(1, lags + 1)])


@item("2.2-chain", "section 2.2", "Sampling",
      "Metropolis-Hastings, 50,000 samples, no burn-in, lag or multiple chains; a method, no result",
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
    "145 1 2 1 0 / 5 256 22 9 6 / 5 24 234 36 19 / 1 18 32 243 25 / 1 5 9 38 254; table 1 has miF1 0.814 and "
    "maF1 0.828 of it",
)
def figure_3() -> Finding:
    """Size, class sizes and answers, and the scores of Table 1 from it."""
    t, (c, n) = matrix(), _sizes()
    mi, ma = (score(t, name) for name in ("micro-f1", "macro-f1"))
    checks = [rounds(mi, "0.814", what="miF1"), rounds(ma, "0.828", what="maF1")]
    sizes, answers = (" ".join(str(int(x)) for x in a) for a in (n, c.sum(axis=0)))
    text = f"miF1 {mi:.5f}, maF1 {ma:.5f}; N = {t.n}, class sizes {sizes}, answers {answers}"
    return result(text, checks, matrix=FIG_3, n=t.n)


# score, mean, std, MC error, below, above, low, high
TABLE_1: Final = {
    "micro-f1": ("0.814", "0.803", "0.011", "0.000", "39.6%", "60.4%", "0.782", "0.823"),
    "macro-f1": ("0.828", "0.815", "0.010", "0.000", "6.1%", "93.9%", "0.796", "0.835"),
}
COLUMNS: Final = ("score", "mean", "std", "mc_error", "below", "above", "low", "high")
LABELS: Final = ("score", "mean", "std", "MC error", "below 0.8", "above 0.8", "HDI from", "HDI to")


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
    columns = zip(COLUMNS, TABLE_1[name], LABELS, strict=True)
    checks = [rounds(got[k], text, errors[k], what) for k, text, what in columns]
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
         f"posterior of {_short} as a histogram, and the trace of the chain; drawings, no numbers in the text",
         f"The data hold the histogram, a density, and the first {SHOWN} draws of the trace. Direct draws have no "
         "convergence to show: every draw is from the posterior itself.")(partial(_figure, _name))  # fmt: skip
