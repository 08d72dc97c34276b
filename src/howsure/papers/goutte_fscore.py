"""Goutte & Gaussier 2005, section 2.3 and appendix A: the F-score as a ratio of Gammas, and the proofs."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Final

import numpy as np

import howsure as hs
from howsure.catalogue import parse
from howsure.papers.asking import GRID, WORKED, Array, beta_cdf, law, nodes, point, worked
from howsure.papers.goutte_precision import CELLS, SIZE, binomial, given, outcomes
from howsure.papers.item import Check, Register, Result, apart, claim, close, result

item = Register("goutte", "Goutte & Gaussier 2005")

SMALL: Final = {"tp": 16, "fp": 4, "fn": 6, "tn": 174}
DRAWS: Final = 40_000


@item("2.3-scale", "section 2.3", "What the Gammas share", "X ~ Γ(α, h), Y ~ Γ(β, h) share the shape parameter h",
      "h is the scale. With equal scales X/(X+Y) ~ Beta(α, β) for every h; with equal shapes it is not.")  # fmt: skip
def shared_scale() -> Result:
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


def _mean_of(values: Array, exact: float) -> Check:
    """A mean over our own draws against its exact value: four standard errors are allowed."""
    return Check(abs(float(values.mean()) - exact), 4 * float(values.std()) / np.sqrt(values.size))


@item("eq-10", "eq. 10", "Precision and recall from three Gammas", "p = X/(X+Y), r = X/(X+Z), one X in both",
      "The mean of (1/p-1)(1/r-1) = YZ/X² tells a shared X from two separate ones.")  # fmt: skip
def three_gammas() -> Result:
    """Means of p, r and YZ/X² over joint draws against closed forms that hold only for a shared X."""
    d = hs.posterior(hs.Tally.binary(**SMALL), prior=0.5).draws(DRAWS, seed=0)
    x, y, z = d["tp"], d["fp"], d["fn"]
    a, b, c = (SMALL[k] + 0.5 for k in ("tp", "fp", "fn"))
    shared, separate = b * c / ((a - 1) * (a - 2)), b * c / (a - 1) ** 2
    product = y * z / x**2
    checks = [
        _mean_of(x / (x + y), law("precision", **SMALL).mean),
        _mean_of(x / (x + z), law("recall", **SMALL).mean),
        _mean_of(product, shared),
        claim(not _mean_of(product, separate).holds),
    ]
    text = f"mean of YZ/X²: drawn {product.mean():.4f}, shared X {shared:.4f}, separate {separate:.4f}"
    return result(text, checks, drawn=product.mean(), shared=shared, separate=separate, draws=DRAWS)


def _two_gammas(t: Array) -> Array:
    """P(U/(U+V) <= t) as printed, integrated over V: U ~ Γ(TP+λ, 2h), V ~ Γ(FP+FN+2λ, h), h = 1."""
    from scipy import special

    a, c = WORKED["tp"] + 0.5, WORKED["fp"] + WORKED["fn"] + 1.0
    x, w = nodes()
    v = 4 * c * x
    density = np.exp((c - 1) * np.log(v) - v - special.gammaln(c))
    return np.asarray(special.gammainc(a, np.multiply.outer(t / (2 * (1 - t)), v)) @ (4 * c * w * density))


@item("eq-11", "eq. 11", "F1 from two Gammas", "F1 = U/(U+V), U ~ Γ(TP+λ, 2h), V ~ Γ(FP+FN+2λ, h)")
def two_gammas() -> Result:
    """The cdf of F1 against an integral over the printed Gammas."""
    d = law("f1", **WORKED)
    check = close(d.cdf(GRID), _two_gammas(GRID))
    text = f"cdf and integral over V on 199 points: {apart(check)}; mean {d.mean:.4f}"
    return result(text, [check], mean=d.mean, cdf_at_three_quarters=d.cdf(0.75))


@item("2.3-analytic", "section 2.3", "Whether the law of F1 is known", "the law of F1 is not known analytically",
      "It is: F1 = 2B/(1+B) with B ~ Beta(TP+λ, FP+FN+2λ), so P(F1 <= t) is the incomplete beta at "
      "t/(2-t).")  # fmt: skip
def closed_form() -> Result:
    """The closed form against howsure and against the integral over the Gammas, which does not know of it."""
    d = law("f1", **WORKED)
    closed = beta_cdf(WORKED["tp"] + 0.5, WORKED["fp"] + WORKED["fn"] + 1, GRID / (2 - GRID))
    checks = [close(d.cdf(GRID), closed), close(_two_gammas(GRID), closed), claim(d.route == "closed form")]
    known = all(c.holds for c in checks)
    text = f"{d.route}: P(F1 <= 0.75) = {d.cdf(0.75):.6f}; {apart(*checks[:2])}"
    return result(text, [claim(not known)], checks, cdf_at_three_quarters=d.cdf(0.75))


def _f_beta_cdf(beta: float, t: float) -> float:
    """P(F_β <= t): given Y/(Y+Z) = w the bound on X/(X+Y+Z) is known, so it is a mean of incomplete betas."""
    from scipy import special

    a, b, c = (WORKED[k] + 0.5 for k in ("tp", "fp", "fn"))
    w, weight = nodes()
    density = np.exp((b - 1) * np.log(w) + (c - 1) * np.log1p(-w) - special.betaln(b, c))
    bound = t / ((1 + beta**2) * (1 - t)) * (w + beta**2 * (1 - w))
    return float(np.sum(weight * density * special.betainc(a, b + c, bound / (1 + bound))))


@item("2.3-f-beta", "section 2.3", "F_β for β other than 1", "involves three Gammas; to be simulated",
      "No simulation is needed: given Y/(Y+Z), the law is an incomplete beta, so the cdf is one integral.")  # fmt: skip
def f_beta() -> Result:
    """P(F2 <= 0.7) and P(F0.5 <= 0.7) of the worked table, each by two routes."""
    p2, p_half = law("f2", **WORKED).cdf(0.7), law("f0.5", **WORKED).cdf(0.7)
    checks = [close(p2, _f_beta_cdf(2, 0.7)), close(p_half, _f_beta_cdf(0.5, 0.7))]
    text = f"P(F2 <= 0.7) = {p2:.12f}, by the mean over Y/(Y+Z): {apart(*checks)}"
    return result(text, checks, p_f2=p2, p_f05=p_half)


# -- appendix A ---------------------------------------------------------------------------------------------------


@item("eq-23", "eq. 23", "Margins of a multinomial table", "TP+FP ~ B(n; π1+π2), TP+FN ~ B(n; π1+π3)")
def margins() -> Result:
    """All tables of six items, in exact fractions, against bias and prevalence at the cell probabilities."""
    checks = []
    for metric, at in (("bias", 1), ("prevalence", 2)):
        rate = Fraction(parse(metric).formula(**CELLS))
        sums = [sum(row[3] for row in outcomes() if row[0] + row[at] == k) for k in range(SIZE + 1)]
        checks.append(claim(sums == [binomial(k, SIZE, rate) for k in range(SIZE + 1)]))
    how = "exactly so" if all(c.holds for c in checks) else "not so"
    return result(f"{how} on all {len(outcomes())} tables of {SIZE} items", checks)


def _quotient(m: int, k: int, step: Fraction, rest: Fraction) -> Fraction:
    """The right side of eq. 26 with a given rate of FP given TP, and a given rate of what is not returned."""
    first = comb(SIZE, k) * CELLS["tp"] ** k * (1 - CELLS["tp"]) ** (SIZE - k)
    second = comb(SIZE - k, m - k) * step ** (m - k) * (1 - step) ** (SIZE - m)
    returned = CELLS["tp"] + CELLS["fp"]
    return first * second / (comb(SIZE, m) * returned**m * rest ** (SIZE - m))


@item("eq-26", "eq. 26", "TP given TP+FP, before it is simplified", "FP given TP has rate π2/(π1+π2); (1-π1+π2) below",
      "In the copy we hold. Property 4 gives the rate π2/(1-π1), and the factor below is 1-π1-π2; with these it "
      "simplifies to eq. 27.")  # fmt: skip
def before_simplifying() -> Result:
    """Both forms against the enumerated law, in exact fractions."""
    p1, p2 = CELLS["tp"], CELLS["fp"]
    places = [(m, k, given(m, "fp")[k]) for m in range(SIZE + 1) for k in range(m + 1)]
    as_printed = [close(_quotient(m, k, p2 / (p1 + p2), 1 - p1 + p2), wanted) for m, k, wanted in places]
    corrected = [claim(_quotient(m, k, p2 / (1 - p1), 1 - p1 - p2) == wanted) for m, k, wanted in places]
    how = "exact" if all(c.holds for c in corrected) else "off"
    text = f"six items: as printed {apart(*as_printed)}; with π2/(1-π1) and 1-π1-π2 {how}"
    return result(text, as_printed, corrected)


@item("eq-28", "eq. 28", "Precision as a conditional probability", "p = P(z=+ | l=+), and P(l=+) = π1+π2",
      "That is recall. Precision is P(l=+ | z=+), as in eq. 3, and π1+π2 is P(z=+).")  # fmt: skip
def which_is_given() -> Result:
    """Both readings at the worked table."""
    t = worked()
    joint = t.tp / t.n
    p, returned = point(t, "precision"), point(t, "bias")
    given_label, given_answer = joint / point(t, "prevalence"), joint / returned
    sums = (t.tp + t.fp) / t.n
    as_printed = [close(p, given_label), close(point(t, "prevalence"), sums)]
    corrected = [close(p, given_answer), close(returned, sums)]
    text = f"precision {p:.4f}; P(z=+|l=+) = {given_label:.4f}, P(l=+|z=+) = {given_answer:.4f}"
    return result(text, as_printed, corrected, precision=p, given_label=given_label, given_answer=given_answer)
