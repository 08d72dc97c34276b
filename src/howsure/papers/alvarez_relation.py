"""Alvarez 2002, sections 1 to 4: the relation of recall, precision, accuracy and generality, and its examples."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result
from howsure.papers.oracles import many, point, worked
from howsure.relations import Mixture, mixture, normal, uniform

item = Register("alvarez", "Alvarez 2002")

FIG_1: Final = (normal(0.4, 0.1), normal(0.6, 0.1))  # the paper prints no numbers
SHARES: Final = np.linspace(0.02, 0.98, 49)
THRESHOLDS: Final = np.linspace(0.0, 1.0, 101)


def _on_many(checks: list[Agreement]) -> str:
    return f"on {many().shape[0]} tables: {apart(*checks)}"


def measures(t: hs.Tally) -> tuple[Any, ...]:
    """Recall, precision, accuracy and generality."""
    return tuple(point(t, name) for name in ("recall", "precision", "accuracy", "generality"))


def both_sides(r: Any, p: Any, a: Any, g: Any) -> Agreement:
    """Eq. 1, of measures that howsure computed."""
    return equals(g * r + (g + a - 1) * p, 2 * g * p * r)


@lru_cache(maxsize=8)
def gaussian(prevalence: float = 0.5) -> Mixture:
    """Section 2: two normal classes, the lower one retrieved."""
    return mixture(*FIG_1, prevalence=prevalence, answer="below")


# -- 1 ------------------------------------------------------------------------------------------------------------


@item("eq-1", "eq. 1", "The relation", "λr + (λ + a - 1)p = 2λpr")
def relation() -> Finding:
    """At many tables, from counts; and as one of the identities that hs.relations.check verifies."""
    t = many()
    (found,) = (x for x in hs.relations.check(t).rows if x.identity.name == "recall-precision-accuracy")
    checks = [both_sides(*measures(t)), claim(found.holds), both_sides(*measures(worked()))]
    left, right = checks[2].computed, checks[2].printed
    return result(f"{_on_many(checks[:1])}; worked table: left {left:.6f}, right {right:.6f}", checks)


@item("1-explicit", "section 1", "Any of r, p, a from the two others and λ",
      "Eq. 1 may be explicitly solved for any of the three measures")  # fmt: skip
def explicit() -> Finding:
    """hs.solve leads back to the table from each pair of the three measures and the generality."""
    names, t = ("recall", "precision", "accuracy"), worked()
    values = {name: point(t, name) for name in (*names, "prevalence")}
    checks = []
    for left_out in names:
        given = {k: v for k, v in values.items() if k != left_out}
        s = hs.solve(given, n=t.n)
        checks += [claim(s.status == "unique"), claim(abs(s.measure(left_out) - values[left_out]) < 1e-9)]
    return result("the worked table comes back from each two of r, p, a with λ and n", checks, **values)


# -- 2: the example ----------------------------------------------------------------------------------------------


@item("fig-1", "fig. 1", "Two-class Gaussian mixture distribution",
      "two normal densities, class A below class B; a drawing, no numbers",
      "The paper prints no means or spreads: these are .4 and .6, with .1 each.")  # fmt: skip
def figure_1() -> Finding:
    """Densities on 101 points."""
    a, b = (x.pdf(THRESHOLDS) for x in FIG_1)
    areas = [float(np.sum(0.5 * (y[1:] + y[:-1])) * 0.01) for y in (a, b)]
    checks = [close(areas, 1.0, 1e-3), close(THRESHOLDS[a.argmax()] < THRESHOLDS[b.argmax()], 1.0)]
    peaks = ", ".join(f"{THRESHOLDS[y.argmax()]:.1f}" for y in (a, b))
    return result(f"densities with peaks at {peaks}", checks, x=THRESHOLDS, a=a, b=b)


def _below_and_above(mean: float) -> tuple[Array, Array]:
    """P(x < θ) and P(x > θ) of a class of fig. 1, by scipy."""
    from scipy import special

    z = (THRESHOLDS - mean) / 0.1
    return np.asarray(special.ndtr(z)), np.asarray(special.ndtr(-z))


def _shares(m: Mixture) -> tuple[Array, Array, Array]:
    """Recall and the two candidates for F_A: P(x < θ | A) and P(x > θ | A)."""
    below, above = m.positive.tails(THRESHOLDS)
    return np.asarray(m.measure("recall", THRESHOLDS)), below, above


@item("eq-2", "eq. 2", "Retrieval by a threshold", "x < θ ⇒ A; x > θ ⇒ B")
def rule() -> Finding:
    """Shares of answers in each class, against the two laws by scipy."""
    t = gaussian().table(THRESHOLDS)
    (low_a, high_a), (low_b, high_b) = (_below_and_above(x) for x in (0.4, 0.6))
    checks = [close(t[k], x / 2) for k, x in (("tp", low_a), ("fn", high_a), ("fp", low_b), ("tn", high_b))]
    text = f"tp, fn, fp, tn of the mixture at 101 thresholds: {apart(*checks)}"
    return result(text, [claim(c.holds) for c in checks])


@item("2.3-cdf", "section 2.3", "The cumulative distribution functions",
      "F_A(θ) = P(x > θ | A), F_B(θ) = P(x > θ | B)",
      "Recall is F_A and A is retrieved below the threshold, so F_A(θ) = P(x < θ | A), and F_B alike.")  # fmt: skip
def cumulative() -> Finding:
    """Recall of the thresholding rule against both readings of F_A."""
    recall, below, above = _shares(gaussian())
    printed, read = close(recall, above), close(recall, below)
    return result(f"r = P(x < θ | A): {apart(read)}; P(x > θ | A): {apart(printed)}", [printed], [read])


@item("eq-3", "eq. 3", "Recall, precision and accuracy by the threshold",
      "r = F_A, p = P(A)F_A/(P(A)F_A + P(B)F_B), a = P(A)F_A + P(B)(1 - F_B)",
      "With F_A(θ) = P(x < θ | A): see alvarez-2.3-cdf. The classes are those of alvarez-fig-1.")  # fmt: skip
def by_threshold() -> Finding:
    """Both sides at 101 thresholds and four shares of class A."""
    checks = []
    for share in (0.5, 0.1, 0.6, 0.9):
        m = gaussian(share)
        fa, fb = (_below_and_above(x)[0] for x in (0.4, 0.6))
        p = share * fa / (share * fa + (1 - share) * fb)
        pairs = (("recall", fa), ("precision", p), ("accuracy", share * fa + (1 - share) * (1 - fb)))
        checks += [equals(m.measure(name, THRESHOLDS), y) for name, y in pairs]
    return result(f"at 101 thresholds, P(A) .5, .1, .6, .9: {apart(*checks)}", checks)


@item("fig-2", "fig. 2", "Recall, precision, and accuracy as functions of the decision threshold",
      "recall rises, precision falls, accuracy has one maximum; the three curves meet in a point",
      "Curves of the classes of alvarez-fig-1, P(A) = 1/2.")  # fmt: skip
def figure_2() -> Finding:
    """Curves on 101 points, slopes, peaks, and the triple point."""
    m = gaussian()
    curves = {name: np.asarray(m.measure(name, THRESHOLDS)) for name in ("recall", "precision", "accuracy")}
    peaks, even = m.peaks("accuracy"), m.break_even()
    checks = [
        claim((np.diff(curves["recall"]) > 0).all()), claim((np.diff(curves["precision"]) < 0).all()),
        claim(len(peaks) == 1), claim(even.triple), claim(not m.rising_together()),
    ]  # fmt: skip
    text = f"accuracy highest, {peaks[0].value:.4f}, at {peaks[0].threshold:.3f}; r = p = a = {even.recall:.4f} there"
    data: dict[str, Any] = {**curves, "best": peaks[0].threshold, "triple": even.threshold}
    return result(text, checks, (), x=THRESHOLDS, **data)


@item("2.4-accuracy", "section 2.4", "Accuracy where recall and precision are equal",
      "a(θ) = 2P(A)F_A(θ) + P(A) - P(B)",
      "The sign of P(A) - P(B) is reversed; at P(A) = 1/2 both are the same, so the triple point stands.")  # fmt: skip
def accuracy_there() -> Finding:
    """At the break-even threshold for several shares of class A."""
    printed, read, rows = [], [], []
    for share in (0.2, 0.4, 0.5, 0.7):
        even = gaussian(share).break_even()
        wrong, right = (2 * share * even.recall + s * (2 * share - 1) for s in (1, -1))
        printed.append(close(even.accuracy, wrong))
        read.append(close(even.accuracy, right))
        rows.append({"share": share, "threshold": even.threshold, "accuracy": even.accuracy, "printed": wrong})
    text = f"a = 2P(A)F_A + P(B) - P(A): {apart(*read)}; as printed {apart(*printed)}"
    return result(text, printed, read, points=rows)


@item("2.4-triple", "section 2.4", "The triple point", "P(A) = P(B) = 1/2: a = F_A = r = p where r = p")
def triple() -> Finding:
    """It is there at 1/2 and at no other share tried."""
    found = {share: gaussian(share).break_even() for share in (0.5, 0.2, 0.4, 0.7)}
    checks = [claim(even.triple == (share == 0.5)) for share, even in found.items()]
    even = found[0.5]
    checks.append(equals([even.recall, even.precision], even.accuracy))
    others = ", ".join(f"{share:g}" for share, x in found.items() if not x.triple)
    text = f"P(A) 1/2: all {even.recall:.10f} at θ = {even.threshold:.6f}; none at P(A) {others}"
    return result(text, checks, threshold=even.threshold, value=even.recall)


# -- 3: the main formula ------------------------------------------------------------------------------------------


@item("eq-7", "eqs 4 to 7", "Two partitions, four cells",
      "n1 = #S+∩U+ = tp, n2 = #S+∩U- = fp, n3 = #S-∩U+ = fn, n4 = #S-∩U- = tn; n1 + n2 + n3 + n4 = n")  # fmt: skip
def four() -> Finding:
    """Sizes of the sets of 400 items against the table that hs.tally makes of them; sums of many tables."""
    user, system = np.random.default_rng(4).random((2, 400)) < [[0.3], [0.4]]
    cells = hs.tally(user, system, positive=True).named()
    sets = {"tp": system & user, "fp": system & ~user, "fn": ~system & user, "tn": ~system & ~user}
    checks = [equals(cells[c], x.sum()) for c, x in sets.items()]
    t = many()
    checks.append(equals(t.n, sum(t.named().values())))
    return result(f"sets of 400 items; {_on_many(checks)}", checks)


@item("eq-8", "eq. 8", "The measures by counts", "p = n1/(n1+n2), r = n1/(n1+n3), a = (n1+n4)/n")
def by_counts() -> Finding:
    """Against the catalogue."""
    t = many()
    n1, n2, n3, n4 = (t.named()[c] for c in ("tp", "fp", "fn", "tn"))
    wanted = {"precision": n1 / (n1 + n2), "recall": n1 / (n1 + n3), "accuracy": (n1 + n4) / t.n}
    checks = [equals(point(t, name), x) for name, x in wanted.items()]
    shown = ", ".join(f"{name} {point(worked(), name):.4f}" for name in wanted)
    return result(f"{_on_many(checks)}; worked table {shown}", checks)


@item("eq-11", "eqs 9 to 11", "The measures as probabilities",
      "r = P(S+|U+), p = P(U+)P(S+|U+)/(P(U+)P(S+|U+) + P(U-)P(S+|U-)), a = P(U+)P(S+|U+) + P(U-)P(S-|U-)")  # fmt: skip
def as_probabilities() -> Finding:
    """From recall, fallout, specificity and prevalence."""
    t = many()
    r, p, a, g = measures(t)
    fallout, specificity = point(t, "fallout"), point(t, "specificity")
    checks = [equals(p, g * r / (g * r + (1 - g) * fallout)), equals(a, g * r + (1 - g) * specificity)]
    r, p, a, _ = measures(worked())
    return result(f"{_on_many(checks)}; worked table r {r:.4f}, p {p:.4f}, a {a:.4f}", checks)


@item("eq-15", "eqs 12 to 16", "The cells from r, p, a, λ and n",
      "n1 = rλn, n3 = (1-r)λn, n2 = (1-p)/p rλn, n4 = (a - rλ)n; their sum is n")  # fmt: skip
def from_measures() -> Finding:
    """The cells of many tables from their measures."""
    t = many()
    r, p, a, g = measures(t)
    cells = {"tp": r * g * t.n, "fn": (1 - r) * g * t.n, "fp": (1 - p) / p * r * g * t.n, "tn": (a - r * g) * t.n}
    checks = [equals(t.named()[c], x, 1e-9) for c, x in cells.items()]
    checks.append(equals(t.n, sum(cells.values()), 1e-9))
    return result(f"on {t.shape[0]} tables: largest difference of a count {max(c.gap for c in checks):.0e}", checks)


@item("eq-17", "eqs 17 to 19", "Each measure from the two others",
      "r = (λ+a-1)p/(λ(2p-1)), p = λr/(λ(2r-1)+1-a), a = 1 - λ(p+r-2pr)/p",
      "Eq. 17 has no value at p = 1/2, where every recall goes with the accuracy.")  # fmt: skip
def solved() -> Finding:
    """Tables with p off 1/2, and the curve that hs.tradeoff gives through the worked table."""
    t = many()
    r, p, a, g = (x[np.abs(point(t, "precision") - 0.5) > 0.01] for x in measures(t))
    checks = [equals(r, (g + a - 1) * p / (g * (2 * p - 1)), 1e-10)]
    checks += [equals(p, g * r / (g * (2 * r - 1) + 1 - a), 1e-10), equals(a, 1 - g * (p + r - 2 * p * r) / p)]
    r0, p0, a0, g0 = measures(worked())
    curve = hs.tradeoff(accuracy=a0, prevalence=g0)
    checks += [close(curve.precision(r0), p0), close(curve.recall(p0), r0)]
    return result(f"on {len(r)} tables with p off 1/2, and by hs.tradeoff: within {max(c.gap for c in checks):.0e}",
                  checks)  # fmt: skip


@item("eq-20", "eq. 20", "Precision above 1/2", "sign(λ + a - 1) = sign(2p - 1)")
def sign() -> Finding:
    """At many tables; both are the sign of tp - fp."""
    t = many()
    _, p, a, g = measures(t)
    n = t.named()
    wanted = np.sign(n["tp"] - n["fp"])
    near = 1e-12  # of 0, for rounded sums
    signs = [np.where(np.abs(x) < near, 0, np.sign(x)) for x in (g + a - 1, 2 * p - 1)]
    checks = [equals(signs[0], signs[1]), *(close(x, wanted) for x in signs)]
    return result("both are the sign of tp - fp; " + _on_many(checks), checks)


# -- 4: examples --------------------------------------------------------------------------------------------------


def _chance(bias: Any) -> dict[str, Any]:
    names = ("recall", "precision", "accuracy", "informedness")
    return hs.relations.chance(prevalence=SHARES, bias=bias, names=names)


@item("4.1", "section 4.1, eq. 21", "Random guessing", "labels by a fair coin: r = 1/2, p = λ, a = 1/2; eq. 1 holds")
def coin() -> Finding:
    """hs.relations.chance at bias 1/2 and 49 generalities."""
    got = _chance(0.5)
    checks = [equals(got["recall"], 0.5), equals(got["precision"], SHARES), equals(got["accuracy"], 0.5)]
    checks += [both_sides(got["recall"], got["precision"], got["accuracy"], SHARES), close(got["informedness"], 0.0)]
    return result(f"λ from .02 to .98: {apart(*checks)}", checks)


@item("4.2", "section 4.2", "Improved random guessing",
      "labels with probability λ: r = p = λ, a = λ² + (1-λ)², which is 1/2 or more; eq. 1 holds")  # fmt: skip
def improved() -> Finding:
    """hs.relations.chance at bias = prevalence."""
    got = _chance(None)
    checks = [equals(got["recall"], SHARES), equals(got["precision"], SHARES)]
    checks += [equals(got["accuracy"], SHARES**2 + (1 - SHARES) ** 2), claim((got["accuracy"] >= 0.5 - 1e-15).all())]
    checks.append(both_sides(got["recall"], got["precision"], got["accuracy"], SHARES))
    return result(f"λ from .02 to .98: {apart(*checks)}", checks)


@item("4.3-identities", "section 4.3", "The mixture model in the general notation",
      "P(S+|U+) = F_A, P(S+|U-) = 1 - F_B, P(U+) = P(A), P(U-) = P(B)",
      "P(S+|U-) = F_B: items of B below the threshold are retrieved. So eq. 3 is eq. 11, and eq. 1 holds.")  # fmt: skip
def identities() -> Finding:
    """Fallout of the mixture against both readings, and eq. 1 at every threshold."""
    m = gaussian(0.6)
    fallout = np.asarray(m.measure("fallout", THRESHOLDS))
    below = m.negative.tails(THRESHOLDS)[0]
    printed, read = close(fallout, 1 - below), close(fallout, below)
    r, p, a = (np.asarray(m.measure(x, THRESHOLDS)) for x in ("recall", "precision", "accuracy"))
    held = both_sides(r, p, a, 0.6)
    return result(f"fallout = F_B and eq. 1: {apart(read, held)}; 1 - F_B: {apart(printed)}", [printed], [read, held])


@item("4.3-uniform", "section 4.3", "Uniform classes",
      "equal priors, uniform distributions: accuracy is constant where the two overlap",
      "The growth of F_A and F_B cancels only if the widths are equal too: P(A)/width(A) = P(B)/width(B).")  # fmt: skip
def uniform_classes() -> Finding:
    """Where accuracy is flat for equal priors with several widths, and with equal widths."""
    a, spans = uniform(0, 1), {}
    for width in (1.0, 0.8, 1.6):
        spans[width] = mixture(a, uniform(0.4, 0.4 + width), prevalence=0.5, answer="below").flat("accuracy")
    printed = [claim(bool(x)) for x in spans.values()]
    read = [claim(bool(x) == (width == 1.0)) for width, x in spans.items()]
    ((low, high),) = spans[1.0]
    m = mixture(a, uniform(0.4, 1.4), prevalence=0.5, answer="below")
    read.append(close([low, high], [0.4, 1.0]))
    value = float(m.measure("accuracy", 0.7))
    text = f"widths 1 and 1: a = {value:.2f} from θ = {low:.1f} to {high:.1f}; widths 1 and .8, 1 and 1.6: nowhere"
    return result(text, printed, read, accuracy=value, low=low, high=high)
