"""Goutte & Gaussier 2005, sections 2 to 2.2: the law of precision and recall, and the example of two systems."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, factorial, gamma
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.catalogue import parse
from howsure.papers.item import (
    Agreement,
    Finding,
    Register,
    apart,
    claim,
    close,
    equals,
    in_proportion,
    result,
    rounds,
)
from howsure.papers.oracles import GRID, WORKED, beats, beta_cdf, law, point, table, versus, worked

item = Register("goutte", "Goutte & Gaussier 2005")

SYSTEM_1: Final = {"tp": 10, "fp": 10}
SYSTEM_2: Final = {"tp": 3, "fp": 2}
WEIGHTS: Final = (0.25, 0.5, 1.0, 2.0)


def _scores(t: hs.Tally, *names: str) -> list[Any]:
    """Point scores as a report gives them; None where undefined."""
    return [row["score"] for row in hs.score(t, metrics=names).to_dict()["rows"]]


@item("query-151", "section 2", "What one document of 22 is worth",
      "one of 22 relevant documents moves recall by around 5%")  # fmt: skip
def one_of_22() -> Finding:
    """The step of recall when one more of 22 is found."""
    low, high = (hs.Tally.binary(tp=k, fp=0, fn=22 - k, tn=0) for k in (11, 12))
    step = point(high, "recall") - point(low, "recall")
    return result(f"1/22 = {step:.2%}", [rounds(step, "5%")], step=step)


@item("eq-1", "eq. 1", "Precision and recall of a table", "p = TP/(TP+FP), r = TP/(TP+FN)")
def definitions() -> Finding:
    """Point scores of the worked table against the fractions."""
    p, r = _scores(worked(), "precision", "recall")
    text = f"TP 80, FP 20, FN 30: p = {p:.4f}, r = {r:.4f}"
    return result(text, [equals(p, Fraction(80, 100)), equals(r, Fraction(80, 110))], precision=p, recall=r)


@item("eq-2", "eq. 2", "F-score, from p and r and from the counts",
      "F = (1+β²)pr/(r+β²p) = (1+β²)TP/((1+β²)TP+β²FN+FP)")  # fmt: skip
def two_forms_of_f() -> Finding:
    """Both printed forms against the catalogue's F for several β."""
    p, r = point(worked(), "precision"), point(worked(), "recall")
    checks, values = [], {}
    for beta in (0.5, 1, 2, 3):
        f = point(worked(), f"fbeta({beta:g})")
        top = (1 + beta**2) * WORKED["tp"]
        by_counts = top / (top + beta**2 * WORKED["fn"] + WORKED["fp"])
        checks += [equals(f, (1 + beta**2) * p * r / (r + beta**2 * p)), equals(f, by_counts)]
        values[f"f{beta:g}"] = f
    shown = ", ".join(f"{k} = {v:.4f}" for k, v in values.items())
    return result(f"{shown}: both forms {apart(*checks)}", checks, **values)


@item("eq-3", "eq. 3", "Precision and recall as conditional probabilities", "p = P(l=+ | z=+), r = P(z=+ | l=+)",
      "The point score is an estimate of the probability: the posterior closes in on it as the "
      "table grows.")  # fmt: skip
def conditional_probabilities() -> Finding:
    """Shares counted over single items, and the posterior mean of a table a million times as large."""
    cells = {"tp": (1, 1), "fp": (0, 1), "fn": (1, 0), "tn": (0, 0)}
    label, answer = np.array([cells[c] for c, k in WORKED.items() for _ in range(k)]).T
    p, r = (row["score"] for row in hs.score(label, answer, metrics=["precision", "recall"]).to_dict()["rows"])
    large = {c: k * 10**6 for c, k in WORKED.items()}
    checks = [
        equals(p, label[answer == 1].mean()),
        equals(r, answer[label == 1].mean()),
        close(law("precision", **large).mean, p, 1e-7),
        close(law("recall", **large).mean, r, 1e-7),
    ]
    text = f"over 1,000 items: share of l=+ among z=+ {p:.4f}, of z=+ among l=+ {r:.4f}"
    return result(text, checks, precision=p, recall=r)


# -- 2.1: the model

CELLS: Final = {"tp": Fraction(3, 10), "fp": Fraction(1, 10), "fn": Fraction(1, 5), "tn": Fraction(2, 5)}
SIZE: Final = 6


def outcomes() -> list[tuple[int, int, int, Fraction]]:
    """Every table of six items as (TP, FP, FN, probability), by the multinomial law in exact fractions."""
    found = []
    for a, b, c in product(range(SIZE + 1), repeat=3):
        d = SIZE - a - b - c
        if d >= 0:
            ways = factorial(SIZE) // (factorial(a) * factorial(b) * factorial(c) * factorial(d))
            pi = CELLS["tp"] ** a * CELLS["fp"] ** b * CELLS["fn"] ** c * CELLS["tn"] ** d
            found.append((a, b, c, ways * pi))
    return found


def binomial(k: int, n: int, p: Fraction) -> Fraction:
    """The binomial law in exact fractions."""
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def given(total: int, other: str) -> list[Fraction]:
    """P(TP = k | TP + the other cell = total) for k from 0 to the total, by enumeration."""
    at = {"fp": 1, "fn": 2}[other]
    kept = [(row[0], row[3]) for row in outcomes() if row[0] + row[at] == total]
    whole = sum((p for _, p in kept), Fraction(0))
    return [sum((p for k, p in kept if k == j), Fraction(0)) / whole for j in range(total + 1)]


def _binomial_given(metric: str, other: str) -> Agreement:
    """Whether TP given a margin is binomial with the metric's value at the cell probabilities, exactly."""
    rate = Fraction(parse(metric).formula(**CELLS))
    same = (given(m, other) == [binomial(k, m, rate) for k in range(m + 1)] for m in range(SIZE + 1))
    return claim(all(same))


@item("eq-4", "eq. 4, properties 1 and 2", "Multinomial counts make TP binomial given a margin",
      "TP given TP+FP is binomial with p; TP given TP+FN is binomial with r",
      "Counted out from eq. 4 as printed; of howsure it needs only what precision and recall are.")  # fmt: skip
def multinomial() -> Finding:
    """All tables of six items, in exact fractions."""
    checks = [_binomial_given("precision", "fp"), _binomial_given("recall", "fn")]
    checks.append(claim(sum(row[3] for row in outcomes()) == 1))
    how = "exactly so" if all(c.holds for c in checks) else "not so"
    text = f"{how} on all {len(outcomes())} tables of {SIZE} items at cells .3, .1, .2, .4"
    return result(text, checks, tables=len(outcomes()), size=SIZE)


def _likelihood(p: Any) -> Any:
    return p ** SYSTEM_2["tp"] * (1 - p) ** SYSTEM_2["fp"]


@item("eq-5", "eq. 5", "Likelihood of precision", "L(p) ∝ p^TP (1-p)^FP")
def likelihood() -> Finding:
    """Under the flat prior λ = 1 the posterior density is the likelihood, up to a constant."""
    density = law("precision", 1.0, **SYSTEM_2).pdf(GRID)
    constant = float((density / _likelihood(GRID)).mean())
    text = f"3 and 2, λ 1: density over L(p) the same at 199 points, {constant:.6g} = 1/B(TP+1, FP+1)"
    whole = gamma(7) / (gamma(4) * gamma(3))
    return result(text, [in_proportion(density, _likelihood(GRID)), close(constant, whole, 1e-9)], constant=constant)


@item("eq-6", "eq. 6", "Bayes' rule", "P(p|D) ∝ P(D|p) P(p)")
def bayes() -> Finding:
    """Posterior density over likelihood times prior density, the prior being the law of the empty table."""
    checks = []
    for weight in WEIGHTS:
        before, after = (law("precision", weight, **counts).pdf(GRID) for counts in ({}, SYSTEM_2))
        checks.append(in_proportion(after, _likelihood(GRID) * before))
    how = "constant" if all(c.holds for c in checks) else "not constant"
    return result(f"posterior over likelihood times prior: {how} for λ = ¼, ½, 1, 2", checks)


@item("eq-7", "eq. 7", "The prior", "p ~ Beta(λ, λ), density Γ(2λ)/Γ(λ)² p^(λ-1) (1-p)^(λ-1)")
def prior() -> Finding:
    """The law of the empty table against the printed density."""
    checks = []
    for weight in WEIGHTS:
        printed = gamma(2 * weight) / gamma(weight) ** 2 * (GRID * (1 - GRID)) ** (weight - 1)
        checks.append(equals(law("precision", weight).pdf(GRID), printed, 1e-11))
    how = "the printed density" if all(c.holds for c in checks) else "another density"
    return result(f"posterior of the empty table: {how} for λ = ¼, ½, 1, 2", checks)


def _beta_checks(metric: str, wrong: str) -> list[Agreement]:
    """The law of a rate against the printed density, and against scipy's incomplete beta, for several λ."""
    checks, middle = [], GRID[60:180]  # where the density is not lost in rounding
    for w in WEIGHTS:
        a, b = WORKED["tp"] + w, WORKED[wrong] + w
        d = law(metric, w, **WORKED)
        checks += [equals(d.cdf(GRID), beta_cdf(a, b, GRID))]
        checks += [in_proportion(d.pdf(middle), middle ** (a - 1) * (1 - middle) ** (b - 1), 1e-9)]
    return checks


@item("eq-8", "eq. 8", "Posterior of precision", "P(p|D) ∝ p^(TP+λ-1) (1-p)^(FP+λ-1): p|D ~ Beta(TP+λ, FP+λ)")
def posterior_of_precision() -> Finding:
    """Density and cdf on a grid against the printed ones."""
    checks, p = _beta_checks("precision", "fp"), float(law("precision", **WORKED).cdf(0.8))
    text = f"TP 80, FP 20, λ ½: P(p <= 0.8) = {p:.6f}; cdf and Beta law on 199 points, four λ: {apart(*checks[::2])}"
    return result(text, checks, cdf=p)


@item("2.1-recall", "section 2.1", "Posterior of recall", "r|D ~ Beta(TP+λ, FN+λ)")
def posterior_of_recall() -> Finding:
    """Density and cdf on a grid against the printed ones."""
    checks, p = _beta_checks("recall", "fn"), float(law("recall", **WORKED).cdf(0.7))
    text = f"TP 80, FN 30, λ ½: P(r <= 0.7) = {p:.6f}; cdf and Beta law on 199 points, four λ: {apart(*checks[::2])}"
    return result(text, checks, cdf=p)


@item("eq-9", "eq. 9", "Mean and mode of precision", "mean (TP+λ)/(TP+FP+2λ), mode (TP+λ-1)/(TP+FP+2λ-2)")
def mean_and_mode() -> Finding:
    """Mean and mode of the worked table for several λ."""
    checks = []
    for w in WEIGHTS:
        d = law("precision", w, **WORKED)
        checks += [equals(d.mean, (80 + w) / (100 + 2 * w)), equals(d.mode, (79 + w) / (98 + 2 * w))]
    d = law("precision", **WORKED)
    text = f"TP 80, FP 20, λ ½: mean {d.mean:.4f}, mode {d.mode:.4f}; four λ: {apart(*checks)}"
    return result(text, checks, mean=d.mean, mode=d.mode)


def _mode_grid(weight: float) -> tuple[Any, Any, Any, Any]:
    """Small tables TP, FP, FN and the mode of precision at each."""
    tp, fp, fn = (x.ravel() for x in np.meshgrid(np.arange(5), np.arange(7), np.arange(5), indexing="ij"))
    return tp, fp, fn, np.asarray(law("precision", weight, tp=tp, fp=fp, fn=fn).mode)


@item("after-eq-9", "after eq. 9", "When the mode is 0 or 1", "mode is 0 or 1 for TP+FN < 2-2λ or TP < 1-λ",
      "It is TP+FP that counts. FP < 1-λ makes the mode 1 too; either TP < 1-λ or FP < 1-λ is the whole condition, "
      "and eq. 9 holds for all other tables (but the empty one under λ = 1, which is flat).")  # fmt: skip
def mode_condition() -> Finding:
    """Both conditions on 175 small tables for each of four λ; elsewhere the mode is that of eq. 9."""
    printed, corrected, failing = [], [], []
    for w in (0.1, 0.25, 0.5, 0.75):
        tp, fp, fn, mode = _mode_grid(w)
        end = (mode == 0) | (mode == 1)
        as_printed = (tp + fn < 2 - 2 * w) | (tp < 1 - w)
        holds = (tp + fp < 2 - 2 * w) | (tp < 1 - w)
        whole = holds | (fp < 1 - w)
        bad = as_printed & ~end
        failing += [(w, *(int(x[i]) for x in (tp, fp, fn)), float(mode[i])) for i in np.flatnonzero(bad)]
        inner = np.where(whole, mode, (tp + w - 1) / np.where(whole, 1.0, tp + fp + 2 * w - 2))
        printed.append(claim(not bad.any()))
        corrected += [claim(end[holds].all()), claim(np.array_equal(end, whole)), close(mode, inner)]
    text = "no table fails"
    if failing:
        w, a, b, c, mode = next((x for x in failing if x[0] == 0.25), failing[0])
        text = f"λ {w:g}, TP {a}, FP {b}, FN {c}: TP+FN = {a + c} < {2 - 2 * w:g}, yet mode {mode:.4f}"
    return result(text, printed, corrected, failing=failing)


@item("2.1-jeffreys", "section 2.1", "Jeffreys' prior keeps its form when p is transformed",
      "the λ = ½ prior of f(p) is the transformed λ = ½ prior of p; λ = 1 has no such property")  # fmt: skip
def jeffreys() -> Finding:
    """On the odds p/(1-p): the prior density against the root of the Fisher information, and against a flat one."""
    odds = hs.Metric("odds-of-precision", hs.cells.tp / hs.cells.fp)
    o = np.geomspace(0.01, 100, 81)
    information = o / (1 + o) * (1 / o - 1 / (1 + o)) ** 2 + 1 / (1 + o) / (1 + o) ** 2
    half = law(odds, 0.5).pdf(o) / np.sqrt(information)
    one = law(odds, 1.0).pdf(o)
    kept, flat = close(half / half[0], 1.0, 1e-11), close(one / one[0], 1.0, 1e-11)
    text = (
        f"on the odds: λ ½ {'keeps' if kept.holds else 'loses'} its form, λ 1 is {'' if flat.holds else 'not '}uniform"
    )
    return result(text, [claim(kept.holds), claim(not flat.holds)], constant=half[0])


@item("2.1-uniform", "section 2.1", "The uniform prior", "λ = 1: mode TP/(TP+FP), mean (TP+1)/(TP+FP+2)")
def uniform() -> Finding:
    """Mode against the point score, mean against Laplace's rule."""
    d = law("precision", 1.0, **WORKED)
    checks = [equals(d.mode, Fraction(80, 100)), equals(d.mean, Fraction(81, 102))]
    return result(f"TP 80, FP 20: mode {d.mode:.4f}, mean {d.mean:.4f}", checks, mode=d.mode, mean=d.mean)


@item("2.1-intervals", "section 2.1", "Intervals of precision and recall",
      "to be had from Beta tables or numerically; none is printed",
      "The table is ours: TP 80, FP 20, FN 30; Jeffreys' prior, 95%, equal tails.")  # fmt: skip
def intervals() -> Finding:
    """Equal-tailed ends against the inverse of the incomplete beta."""
    from scipy import special

    checks, data = [], {}
    for metric, wrong in (("precision", "fp"), ("recall", "fn")):
        low, high = law(metric, **WORKED).interval(0.95)
        a, b = WORKED["tp"] + 0.5, WORKED[wrong] + 0.5
        checks += [close([low, high], special.betaincinv(a, b, [0.025, 0.975]))]
        data[metric] = [low, high]
    shown = ", ".join(f"{k} [{v[0]:.3f}, {v[1]:.3f}]" for k, v in data.items())
    return result(f"{shown}; quantiles of the Beta law {apart(*checks)}", checks, **data)


@item("2.1-empty", "section 2.1", "Nothing returned, or nothing relevant",
      "TP+FP = 0 or TP+FN = 0: eq. 1 is not valid, the mean of eq. 9 is 1/2")  # fmt: skip
def empty() -> Finding:
    """Point scores are undefined, posterior means are a half."""
    none_returned = hs.Tally.binary(tp=0, fp=0, fn=30, tn=870)
    none_relevant = hs.Tally.binary(tp=0, fp=20, fn=0, tn=870)
    (p,), (r,) = _scores(none_returned, "precision"), _scores(none_relevant, "recall")
    means = hs.posterior(none_returned)["precision"].mean, hs.posterior(none_relevant)["recall"].mean
    checks = [claim(p is None), claim(r is None), equals(means, Fraction(1, 2))]
    words = "undefined" if p is None and r is None else f"{p}, {r}"
    return result(
        f"scores {words}; means {means[0]:g} and {means[1]:g}",
        checks,
        mean_precision=means[0],
        mean_recall=means[1],
    )


# -- 2.2: the example


@item("2.2-points", "section 2.2", "Precision of the two systems", "system 1: p = 1/2; system 2: p = 3/5")
def points() -> Finding:
    """Point scores of 10 and 10, and of 3 and 2."""
    p1, p2 = (point(table(**s), "precision") for s in (SYSTEM_1, SYSTEM_2))
    return result(f"{p1:g} and {p2:g}", [equals(p1, Fraction(1, 2)), equals(p2, Fraction(3, 5))], first=p1, second=p2)


@item("2.2-system-1", "section 2.2", "Posterior of system 1", "mode = mean = 50%")
def system_1() -> Finding:
    """Jeffreys' prior, 10 true and 10 false positives."""
    d = law("precision", **SYSTEM_1)
    return result(
        f"mean {d.mean:.2%}, mode {d.mode:.2%}",
        [rounds(d.mean, "50%", what="mean"), rounds(d.mode, "50%", what="mode")],
        mean=d.mean,
        mode=d.mode,
    )


@item("2.2-system-2", "section 2.2", "Posterior of system 2", "mean 58%, mode 63%")
def system_2() -> Finding:
    """Jeffreys' prior, 3 true and 2 false positives."""
    d = law("precision", **SYSTEM_2)
    return result(
        f"mean {d.mean:.2%}, mode {d.mode:.2%}",
        [rounds(d.mean, "58%", what="mean"), rounds(d.mode, "63%", what="mode")],
        mean=d.mean,
        mode=d.mode,
    )


@item("2.2-probability", "section 2.2", "Whether system 2 is better", "P(system 2 better) around 65%",
      "One integral, the mean of one cdf under the other law; no sampling.")  # fmt: skip
def probability() -> Finding:
    """The comparison of the two tables against an integral over their laws."""
    p = versus("precision", SYSTEM_2, SYSTEM_1).p_better
    again = beats(law("precision", **SYSTEM_2), law("precision", **SYSTEM_1))
    return result(f"{p:.4%}", [rounds(p, "65%"), close(p, again)], p_better=p)


@item(
    "fig-1",
    "fig. 1",
    "Densities of precision of the two systems",
    "system 1 is worse on average and varies much less; it wins in as much as 35% of cases",
)
def figure_1() -> Finding:
    """Both densities on 201 points, and the probability of the caption."""
    first, second = law("precision", **SYSTEM_1), law("precision", **SYSTEM_2)
    p, x = versus("precision", SYSTEM_1, SYSTEM_2).p_better, np.linspace(0, 1, 201)
    checks = [rounds(p, "35%"), close(p, beats(first, second))]
    checks += [claim(first.mean < second.mean), claim(first.std < second.std)]
    text = (
        f"system 1 wins in {p:.4%}; means {first.mean:.2%} and {second.mean:.2%}, standard deviations {first.std:.2%} "
        f"and {second.std:.2%}"
    )
    data = {"p_first_better": p, "std_first": first.std, "std_second": second.std}
    return result(text, checks, **data, x=x, first=first.pdf(x), second=second.pdf(x))
