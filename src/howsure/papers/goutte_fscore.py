"""Goutte & Gaussier 2005, section 2.3: the F-score as a ratio of Gammas, and two systems compared on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result, rounds
from howsure.papers.oracles import GRID, WORKED, beats, beta_cdf, law, nodes, versus

item = Register("goutte", "Goutte & Gaussier 2005")


@item("2.3-scale", "section 2.3", "What the Gammas share", "X ~ Γ(α, h), Y ~ Γ(β, h) share the shape parameter h",
      "h is the scale. With equal scales X/(X+Y) ~ Beta(α, β) for every h; with equal shapes it is not.")  # fmt: skip
def shared_scale() -> Finding:
    """X/(X+Y) with a shared shape h and scales α, β, and with shapes α, β and any shared scale, against Beta(α, β)."""
    a, b = 3.5, 2.5
    tp, fp = hs.cells.tp, hs.cells.fp
    weighted = hs.Metric("shared-shape", Fraction(a) * tp / (Fraction(a) * tp + Fraction(b) * fp))
    wanted = beta_cdf(a, b, GRID)
    as_printed = [close(law(weighted, h).cdf(GRID), wanted) for h in (0.5, 1.0, 2.0)]
    for_any_h = [hs.Metric(f"scaled-{h}", h * tp / (h * tp + h * fp)) for h in (1, 2, 7)]
    corrected = [close(law(m, 0.5, tp=3, fp=2).cdf(GRID), wanted) for m in for_any_h]
    text = f"α 3.5, β 2.5, cdf against Beta: shared shape {apart(*as_printed)}; shared scale {apart(*corrected)}"
    return result(text, as_printed, corrected, alpha=a, beta=b)


def _root_of_pr(t: Array) -> Array:
    """P(√(pr) <= t) as printed, over Y/(Y+Z) = w: then 1/(pr) = (1+uw)(1+u(1-w)) rises with u = (Y+Z)/X."""
    from scipy import special

    a, b, c = (WORKED[k] + 0.5 for k in ("tp", "fp", "fn"))
    w, weight = nodes()
    density = np.exp((b - 1) * np.log(w) + (c - 1) * np.log1p(-w) - special.betaln(b, c))
    both, more = w * (1 - w), (1 / t**2 - 1)[:, np.newaxis]
    u = 2 * more / (1 + np.sqrt(1 + 4 * both * more))
    return np.asarray(special.betainc(a, b + c, 1 / (1 + u)) @ (weight * density))


@item("eq-10", "eq. 10", "Precision and recall from three Gammas", "p = X/(X+Y), r = X/(X+Z), one X in both",
      "√(pr), the Fowlkes-Mallows measure, has another law if precision and recall have an X each.")  # fmt: skip
def three_gammas() -> Finding:
    """The law of √(pr) against an integral over the three Gammas; independent precision and recall have another."""
    d = law("fowlkes-mallows", **WORKED)
    check = equals(d.cdf(GRID), _root_of_pr(GRID))
    means = [law(name, **WORKED) for name in ("precision", "recall")]
    x, w = nodes()
    root = [float(np.sum(w * m.pdf(x) * np.sqrt(x))) for m in means]
    text = f"TP 80, FP 20, FN 30: mean of √(pr) {d.mean:.6f}; with an X each it would be {root[0] * root[1]:.6f}"
    differ = claim(abs(d.mean - root[0] * root[1]) > 1e-4)
    return result(text, [check, differ], mean=d.mean, separate=root[0] * root[1])


def _two_gammas(t: Array) -> Array:
    """P(U/(U+V) <= t) as printed, integrated over V: U ~ Γ(TP+λ, 2h), V ~ Γ(FP+FN+2λ, h), h = 1."""
    from scipy import special

    a, c = WORKED["tp"] + 0.5, WORKED["fp"] + WORKED["fn"] + 1.0
    x, w = nodes()
    v = 4 * c * x
    density = np.exp((c - 1) * np.log(v) - v - special.gammaln(c))
    return np.asarray(special.gammainc(a, np.multiply.outer(t / (2 * (1 - t)), v)) @ (4 * c * w * density))


@item("eq-11", "eq. 11", "F1 from two Gammas", "F1 = U/(U+V), U ~ Γ(TP+λ, 2h), V ~ Γ(FP+FN+2λ, h)")
def two_gammas() -> Finding:
    """The cdf of F1 against an integral over the printed Gammas."""
    d = law("f1", **WORKED)
    check = equals(d.cdf(GRID), _two_gammas(GRID))
    text = f"cdf and integral over V on 199 points: {apart(check)}; mean {d.mean:.4f}"
    return result(text, [check], mean=d.mean, cdf_at_three_quarters=d.cdf(0.75))


@item("2.3-analytic", "section 2.3", "Whether the law of F1 is known", "the law of F1 is not known analytically",
      "It is: F1 = 2B/(1+B) with B ~ Beta(TP+λ, FP+FN+2λ), so P(F1 <= t) is the incomplete beta at "
      "t/(2-t).")  # fmt: skip
def closed_form() -> Finding:
    """The closed form against howsure and against the integral over the Gammas, which does not know of it."""
    d = law("f1", **WORKED)
    closed = beta_cdf(WORKED["tp"] + 0.5, WORKED["fp"] + WORKED["fn"] + 1, GRID / (2 - GRID))
    checks = [close(d.cdf(GRID), closed), close(_two_gammas(GRID), closed), claim(d.route == "closed form")]
    known = all(c.holds for c in checks)
    text = f"{d.route}: P(F1 <= 0.75) = {d.cdf(0.75):.6f}; {apart(*checks[:2])}"
    return result(text, [claim(not known)], checks, cdf_at_three_quarters=d.cdf(0.75))


# Category crude of Table 1, linear kernel, ltc and nnn weighting: see goutte_tables.
LTC: Final = {"tp": 160, "fp": 19, "fn": 29}
NNN: Final = {"tp": 168, "fp": 33, "fn": 21}
L: Final = 10_000


def _double_integral(first: hs.Distribution, second: hs.Distribution) -> float:
    """Eq. 12 as printed, from the two densities alone: the inner integral runs over what the indicator leaves."""
    x, w = nodes()
    inner = (second.pdf(np.multiply.outer(x, x)) * x[:, np.newaxis]) @ w
    return float(np.sum(w * first.pdf(x) * inner))


def _of_draws(p: float, exact: float, size: int = L) -> Agreement:
    """A share of draws against the probability: four standard errors are allowed."""
    return Agreement(abs(p - exact), 4 * float(np.sqrt(exact * (1 - exact) / size)))


@item("eq-12", "eq. 12", "P(one F1 is above another) as an integral", "∫∫ I(F1a > F1b) P(F1a) P(F1b) dF1a dF1b")
def as_an_integral() -> Finding:
    """The comparison against the printed double integral over the two densities."""
    p = versus("f1", LTC, NNN).p_better
    check = equals(p, _double_integral(law("f1", **LTC), law("f1", **NNN)))
    return result(f"crude, ltc against nnn: {p:.10f}; the double integral {apart(check)}", [check], p_better=p)


@item("2.3-exact", "section 2.3", "Whether eq. 12 can be evaluated", "we cannot evaluate (12) exactly",
      "It can: with the law of F1 in closed form one integral of a smooth function is left.")  # fmt: skip
def evaluated() -> Finding:
    """By quadrature, by an integral of this page, with the systems swapped, and by draws."""
    found, swapped = versus("f1", LTC, NNN), versus("f1", NNN, LTC)
    p = found.p_better
    checks = [
        claim(found.route == "quadrature"),
        close(p, beats(law("f1", **LTC), law("f1", **NNN))),
        close(p + swapped.p_better, 1.0),
        _of_draws(versus("f1", LTC, NNN, method="sample", draws=L).p_better, p),
    ]
    known = all(c.holds for c in checks)
    text = f"{found.route}: {p:.10f}, swapped {swapped.p_better:.10f}; an integral of our own {apart(checks[1])}"
    return result(text, [claim(not known)], checks, p_better=p, p_swapped=swapped.p_better)


@item("eq-13", "eq. 13", "The share of draws, and the Beta posterior of it",
      "P is estimated by the share of L draws, its reliability by a Beta posterior; table 1, crude: 61.53 +/- 0.49",
      "L is not printed; 10,000 gives every +/- of the tables (goutte-4-plus-minus). The counts behind crude: TP 160, "
      "FP 19, FN 29 and TP 168, FP 33, FN 21 (goutte-table-1-ltc-nnn).")  # fmt: skip
def share_of_draws() -> Finding:
    """The printed share against the exact probability, and the printed +/- against the Beta posterior of the share."""
    exact = versus("f1", LTC, NNN).p_better
    share = hs.posterior(hs.Tally.rate(hits=6153, of=L), prior=0.5)["rate"]
    checks = [rounds(exact, "61.53%", share.std, "P(ltc > nnn)"), rounds(share.std, "0.49%", what="+/-")]
    checks.append(_of_draws(versus("f1", LTC, NNN, method="sample", draws=L).p_better, exact))
    text = f"exact {exact:.3%}; Beta posterior of 6,153 of {L:,} draws: {share.mean:.2%} +/- {share.std:.2%}"
    return result(text, checks, draws=L, share=share.mean, std=share.std, exact=exact)


def _f_beta_cdf(beta: float, t: float) -> float:
    """P(F_β <= t): given Y/(Y+Z) = w the bound on X/(X+Y+Z) is known, so it is a mean of incomplete betas."""
    from scipy import special

    a, b, c = (WORKED[k] + 0.5 for k in ("tp", "fp", "fn"))
    w, weight = nodes()
    density = np.exp((b - 1) * np.log(w) + (c - 1) * np.log1p(-w) - special.betaln(b, c))
    bound = t / ((1 + beta**2) * (1 - t)) * (w + beta**2 * (1 - w))
    return float(np.sum(weight * density * special.betainc(a, b + c, bound / (1 + bound))))


@item("2.3-f-beta", "section 2.3", "F_β for β other than 1",
      "its expression is not as simple as (11) and involves three Gammas; none is printed",
      "No simulation is needed: given Y/(Y+Z), the law is an incomplete beta, so the cdf is one integral. The table is "
      "ours: TP 80, FP 20, FN 30.")  # fmt: skip
def f_beta() -> Finding:
    """P(F2 <= 0.7) and P(F0.5 <= 0.7) of the worked table, each by two routes."""
    p2, p_half = law("f2", **WORKED).cdf(0.7), law("f0.5", **WORKED).cdf(0.7)
    checks = [close(p2, _f_beta_cdf(2, 0.7)), close(p_half, _f_beta_cdf(0.5, 0.7))]
    text = f"P(F2 <= 0.7) = {p2:.12f}, by the mean over Y/(Y+Z): {apart(*checks)}"
    return result(text, checks, p_f2=p2, p_f05=p_half)


@item("2.3-f-beta-compare", "section 2.3", "Two systems compared on F_β", "by Monte Carlo simulation again; no example",
      "One integral over the two laws does it; the draws agree within their error.")  # fmt: skip
def f_beta_compared() -> Finding:
    """P(F2 of one system above F2 of the other) by quadrature, by an integral of this page, and by draws."""
    found = versus("f2", LTC, NNN)
    drawn = versus("f2", LTC, NNN, method="sample", draws=L).p_better
    again = beats(law("f2", **LTC), law("f2", **NNN))
    checks = [_of_draws(drawn, found.p_better), close(found.p_better, again, 1e-10)]
    text = f"crude, ltc against nnn on F2: {found.p_better:.4%} by {found.route}, {drawn:.2%} by {L:,} draws"
    return result(text, checks, p_better=found.p_better, drawn=drawn, draws=L)
