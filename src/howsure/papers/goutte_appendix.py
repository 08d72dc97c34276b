"""Goutte & Gaussier 2005, appendix A: the proofs of properties 1 and 2."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from howsure.catalogue import parse
from howsure.papers.goutte_precision import CELLS, SIZE, binomial, given, outcomes
from howsure.papers.item import Finding, Register, apart, claim, close, result
from howsure.papers.oracles import point, worked

item = Register("goutte", "Goutte & Gaussier 2005")


@item("eq-23", "eq. 23", "Margins of a multinomial table", "TP+FP ~ B(n; π1+π2), TP+FN ~ B(n; π1+π3)",
      "Counted out from eq. 22 as printed; of howsure it needs only what bias and prevalence are.")  # fmt: skip
def margins() -> Finding:
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
def before_simplifying() -> Finding:
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
def which_is_given() -> Finding:
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
