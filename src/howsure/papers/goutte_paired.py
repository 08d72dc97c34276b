"""Goutte & Gaussier 2005, section 3: two systems on the same items, by the items that one of them alone gets right."""

from __future__ import annotations

from fractions import Fraction
from math import comb, lgamma
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.papers.goutte_tables import BLOCKS, ITEMS_TESTED, wins
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, in_proportion, result
from howsure.papers.oracles import beta_cdf, nodes, table

item = Register("goutte", "Goutte & Gaussier 2005")

PRIORS: Final = ((0.5, 0.5, 1.0), (1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (2.0, 3.0, 1.5))
FEW: Final = (8, 3, 9)  # the wins of money-sup; few ties, so that plain integrals over the simplex see all of them
L: Final = 10_000


def table_2() -> hs.Wins:
    """All 39 pairs of wins of Table 2 as one batch; ties make up the 3,299 test documents."""
    first, second = np.array([wins(block)[c][:2] for block in BLOCKS for c in wins(block)]).T
    return hs.compare_wins(first, second, ITEMS_TESTED - first - second)


def _dirichlet(a: Any, x: Array, y: Array, z: Array) -> Array:
    """The density of eq. 15 at π = (x, y, z)."""
    scale = lgamma(sum(a)) - sum(lgamma(k) for k in a)
    logs = (a[0] - 1) * np.log(x) + (a[1] - 1) * np.log(y) + (a[2] - 1) * np.log(z)
    return np.asarray(np.exp(scale + logs))


def _density_of_difference(a: Any, d: Array) -> Array:
    """The density of π1 - π2 at d: the Dirichlet density integrated over π1 + π2, from |d| to 1."""
    x, w = nodes()
    room = 1 - np.abs(d)
    total = np.abs(d) + np.multiply.outer(x, room)
    values = _dirichlet(a, (total + d) / 2, (total - d) / 2, np.multiply.outer(1 - x, room))
    return np.asarray(0.5 * room * (w @ values))


# -- the model


@item("eq-14", "eq. 14", "Likelihood of the wins", "P(Z|π) ∝ π1^N1 π2^N2 π3^N3")
def likelihood_of_wins() -> Finding:
    """Density of ln(π1/π2) after the data over that before: π1^N1 π2^N2 of the items won, whatever the ties."""
    rho = np.linspace(-3, 4, 141)
    share = 1 / (1 + np.exp(-rho))
    checks = []
    for prior in PRIORS:
        before, after = (hs.compare_wins(*n, prior=prior).log_odds for n in ((0, 0, 0), FEW))
        checks.append(in_proportion(after.pdf(rho), before.pdf(rho) * share ** FEW[0] * (1 - share) ** FEW[1]))
    how = "constant" if all(c.holds for c in checks) else "not constant"
    text = f"8 to 3: law of ln(π1/π2) over prior times likelihood, 141 points, four priors: {how}"
    return result(text, checks)


DIFFERENCES: Final = np.concatenate([np.linspace(-0.95, -0.05, 19), np.linspace(0.05, 0.95, 19)])


@item("eq-15", "eq. 15", "The Dirichlet prior",
      "density Γ(α1+α2+α3)/(Γ(α1)Γ(α2)Γ(α3)) π^(α1-1) π2^(α2-1) π3^(α3-1); uniform for α = 1, "
      "non-informative for α = 1/2",
      "In the copy we hold the first π lacks its index 1. With α = 1 the difference π1-π2 has the density "
      "1-|Δ|.")  # fmt: skip
def dirichlet_prior() -> Finding:
    """The law of the difference without data against an integral over the printed density."""
    checks = []
    for prior in PRIORS:
        found = hs.compare_wins(0, 0, 0, prior=prior).difference.pdf(DIFFERENCES)
        checks.append(equals(found, _density_of_difference(prior, DIFFERENCES), 1e-9))
    flat = hs.compare_wins(0, 0, 0, prior=(1, 1, 1)).difference.pdf(DIFFERENCES)
    checks.append(close(flat, 1 - np.abs(DIFFERENCES)))
    how = "at most 1e-9 apart" if all(c.holds for c in checks) else apart(*checks)
    return result(f"density of π1-π2 on 38 points, four priors: {how}; α = 1: {apart(checks[-1])}", checks)


@item("eq-16", "eq. 16", "Posterior of the wins", "π|Z ~ D(N1+α1, N2+α2, N3+α3)")
def dirichlet_posterior() -> Finding:
    """The law of the difference after 8 wins, 3 losses and 9 ties against an integral over the printed density."""
    checks = []
    for prior in PRIORS:
        shapes = [n + a for n, a in zip(FEW, prior, strict=True)]
        found = hs.compare_wins(*FEW, prior=prior).difference.pdf(DIFFERENCES)
        checks.append(equals(found, _density_of_difference(shapes, DIFFERENCES), 1e-9))
    how = "at most 1e-9 apart" if all(c.holds for c in checks) else apart(*checks)
    return result(f"8, 3 and 9: density of π1-π2 on 38 points, four priors: {how}", checks)


# -- which is better


def _exactly(first: int, second: int) -> Fraction:
    """P(π1 > π2) under α = 1: of first + second + 1 fair coins at most `first` fall one way."""
    n = first + second + 1
    return Fraction(sum(comb(n, k) for k in range(first + 1)), 2**n)


@item("eq-17", "eq. 17", "P(system 1 is superior)", "P(π1 > π2) = E(I(π1 > π2))",
      "With α = 1 the mean is a sum of binomial coefficients, which fractions hold exactly.")  # fmt: skip
def superior() -> Finding:
    """The mean over the posterior in exact fractions, for the 39 pairs of Table 2 under α = 1."""
    first, second, same = table_2().counts
    flat = hs.compare_wins(first, second, same, prior=(1, 1, 1)).p_better
    fractions = [float(_exactly(a, b)) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    check = equals(flat, fractions)
    p = hs.compare_wins(*FEW, prior=(1, 1, 1)).p_better
    return result(f"8 to 3, α 1: {p:.10f}; the 39 pairs of table 2 {apart(check)}", [check], p_better=p)


def _triangle(a: Any) -> float:
    """Eq. 18 as printed: π1 over (0, 1), π2 from 0 to min(π1, 1-π1), split where the minimum changes."""
    x, w = nodes()
    total = 0.0
    for start in (0.0, 0.5):
        p1 = start + 0.5 * x
        top = np.minimum(p1, 1 - p1)
        p2 = np.multiply.outer(x, top)
        p3 = (1 - p1 - top) + np.multiply.outer(1 - x, top)
        total += 0.5 * float(w @ _dirichlet(a, p1 + 0 * p2, p2, p3) @ (w * top))
    return total


@item("eq-18", "eq. 18", "The same as a double integral", "∫ from 0 to 1 ∫ from 0 to min(π1, 1-π1) of the posterior")
def over_the_triangle() -> Finding:
    """The printed integral, evaluated, against howsure."""
    checks = []
    for prior in PRIORS:
        shapes = [n + a for n, a in zip(FEW, prior, strict=True)]
        checks.append(equals(hs.compare_wins(*FEW, prior=prior).p_better, _triangle(shapes)))
    p = hs.compare_wins(*FEW).p_better
    return result(f"8 to 3 with 9 ties: {p:.10f}; four priors {apart(*checks)}", checks, p_better=p)


@item("3-analytic", "section 3", "Whether eq. 18 has a closed form", "this can not be carried out analytically",
      "It can: π1/(π1+π2) ~ Beta(N1+α1, N2+α2) whatever the ties, so P(π1 > π2) = 1 - I_½(N1+α1, N2+α2), one "
      "incomplete beta.")  # fmt: skip
def closed_form_of_wins() -> Finding:
    """One incomplete beta against the printed double integral, which does not know of it."""
    checks = []
    for prior in PRIORS:
        a, b, c = (n + w for n, w in zip(FEW, prior, strict=True))
        closed = 1 - beta_cdf(a, b, np.array(0.5))
        checks += [close(closed, _triangle([a, b, c])), close(hs.compare_wins(*FEW, prior=prior).p_better, closed)]
    known = all(c.holds for c in checks)
    p = hs.compare_wins(*FEW).p_better
    text = f"1 - I_½(8.5, 3.5) = {p:.10f}; the double integral, four priors: {apart(*checks)}"
    return result(text, [claim(not known)], checks, p_better=p)


@item("eq-19", "eq. 19", "The share of draws of π",
      "P(M1 > M2) is estimated by the share of L draws with π1 > π2",
      "The shares that the paper drew are in table 2: goutte-table-2-ltc-nnn and the two after it.")  # fmt: skip
def share_of_wins() -> Finding:
    """The draws of all 39 pairs of Table 2 against the closed form, each within four of its standard errors."""
    batch = table_2()
    shares = (batch.difference.draws(L, seed=0) > 0).mean(axis=0)
    error = np.sqrt(batch.p_better * batch.p_worse / L)
    near = [Agreement(abs(s - p), 4 * e + 0.5 / L) for s, p, e in zip(shares, batch.p_better, error, strict=True)]
    far = float(np.max(np.abs(shares - batch.p_better) / np.maximum(error, 0.5 / L)))
    text = f"{L:,} draws of each of 39 pairs: at most {far:.1f} standard errors off"
    return result(
        text, [claim(all(c.holds for c in near))], shares=shares, exact=batch.p_better, standard_errors=far, draws=L
    )


# -- difference and log odds


@item("eq-20", "eq. 20", "Mean of the difference", "E(Δ) = (N1+α1-N2-α2) / (N+α1+α2+α3)")
def mean_difference() -> Finding:
    """All 39 pairs of Table 2 against the printed form with α = (½, ½, 1)."""
    batch = table_2()
    first, second, same = batch.counts
    check = equals(batch.difference.mean, (first + 0.5 - second - 0.5) / (first + second + same + 0.5 + 0.5 + 1))
    mean = hs.compare_wins(17, 4, 3278).difference.mean
    return result(f"17 to 4 of 3,299: {mean:.6f}; 39 pairs {apart(check)}", [check], mean=mean)


def _harmonic(first: int, second: int) -> Fraction:
    """Ψ(first+½) - Ψ(second+½) = the sum of 1/(k+½) from second to first-1, as Ψ(x+1) = Ψ(x) + 1/x."""
    if first < second:
        return -_harmonic(second, first)
    return sum((Fraction(2, 2 * k + 1) for k in range(second, first)), Fraction(0))


@item("eq-21", "eq. 21", "Mean of the log odds ratio", "E(ρ) = Ψ(N1+α1) - Ψ(N2+α2)")
def mean_log_odds() -> Finding:
    """All 39 pairs of Table 2 against sums of fractions."""
    batch = table_2()
    first, second, _ = (c.tolist() for c in batch.counts)
    check = equals(batch.log_odds.mean, [float(_harmonic(a, b)) for a, b in zip(first, second, strict=True)])
    mean = hs.compare_wins(17, 4, 3278).log_odds.mean
    return result(f"17 to 4: {mean:.6f}; 39 pairs {apart(check)}", [check], mean=mean)


@item("3-signs", "section 3", "Three ways to say better", "P(Δ > 0) = P(ρ > 0) = P(π1 > π2)")
def signs() -> Finding:
    """The two laws above zero, for all 39 pairs of Table 2."""
    batch = table_2()
    checks = [equals(d.prob_above(0.0), batch.p_better) for d in (batch.difference, batch.log_odds)]
    p = hs.compare_wins(17, 4, 3278)
    both = p.difference.prob_above(0.0), p.log_odds.prob_above(0.0)
    text = f"17 to 4: {both[0]:.8f}, {both[1]:.8f}, {p.p_better:.8f}; the 39 pairs of table 2 {apart(*checks)}"
    return result(text, checks)


# -- more data


@item("3-update", "note in section 3", "A second collection",
      "after D1, then D2: D(N1²+N1¹+α1, N2²+N2¹+α2, N3²+N3¹+α3), as after D2, then D1, or after both at once",
      "So for tables (posterior.update) and for wins (an earlier posterior is the next prior).")  # fmt: skip
def updating() -> Finding:
    """The three ways for the laws of a table's measures, and for wins."""
    one, two = (table(tp=a, fp=b, fn=c, tn=900) for a, b, c in ((80, 20, 30), (7, 5, 1)))
    empty = hs.posterior(table(), prior=0.5)
    ways = [empty.update(one).update(two), empty.update(two).update(one), hs.posterior(one + two, prior=0.5)]
    ways.append(hs.posterior(two, prior=hs.posterior(one, prior=0.5)))
    points = np.linspace(0.5, 0.95, 10)
    checks = [equals(p[m].cdf(points), ways[2][m].cdf(points)) for p in ways for m in ("precision", "recall", "f1")]
    n1, n2, prior = (17, 4, 60), (3, 8, 20), (0.5, 0.5, 1.0)
    both = hs.compare_wins(*np.add(n1, n2), prior=prior)
    for first, then in ((n1, n2), (n2, n1)):
        a, b, c = (n + w for n, w in zip(first, prior, strict=True))
        found = hs.compare_wins(*then, prior=(a, b, c))
        checks += [equals(found.p_better, both.p_better), equals(found.difference.mean, both.difference.mean)]
        checks.append(equals(found.difference.cdf(points - 0.5), both.difference.cdf(points - 0.5)))
    text = f"17:4 of 81, then 3:8 of 31: {both.p_better:.6f} in either order and at once; all laws {apart(*checks)}"
    return result(text, checks, p_better=both.p_better)
