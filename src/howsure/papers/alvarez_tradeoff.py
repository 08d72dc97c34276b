"""Alvarez 2002, section 5: the trade-off of recall and precision, at constant accuracy and when accuracy moves."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

import howsure as hs
from howsure.papers.alvarez_relation import both_sides
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result
from howsure.relations import Mixture, Tradeoff, mixed, mixture, normal

item = Register("alvarez", "Alvarez 2002")

PAIRS: Final = ((0.9, 0.2), (0.7, 0.5), (0.95, 0.1), (0.6, 0.3), (0.3, 0.8), (0.5, 0.4))  # accuracy, generality
FIG_3: Final = (0.6, 0.7, 0.8, 0.9)  # accuracies; the paper prints none
THRESHOLDS: Final = np.linspace(0.0, 1.2, 121)


@lru_cache(maxsize=1)
def curves() -> tuple[Tradeoff, ...]:
    """Curves with and without a trade-off."""
    return tuple(hs.tradeoff(accuracy=a, prevalence=g) for a, g in PAIRS)


def _along(t: Tradeoff, size: int = 41) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Recalls from end to end of the arc, the ends left out."""
    low, high = t.arc.recall
    return np.linspace(low, high, size + 2)[1:-1]


# -- 5.1: constant accuracy ----------------------------------------------------------------------------------------


@item("eq-22", "eq. 22", "Recall against precision at constant accuracy", "c_r r + c_p p = c p r")
def bilinear() -> Finding:
    """c_r = λ, c_p = λ + a - 1, c = 2λ on six curves."""
    checks = [both_sides(_along(t), t.precision(_along(t)), t.accuracy, t.prevalence) for t in curves()]
    return result(f"six curves, 41 points each: {apart(*checks)}", checks)


@item("eq-23", "eq. 23", "Rotated coordinates", "r = (r' - p')/√2, p = (r' + p')/√2",
      "r' is the coordinate along the diagonal r = p: points turn clockwise, the axes counter-clockwise.")  # fmt: skip
def rotation() -> Finding:
    """There and back."""
    checks = []
    for t in curves():
        r = _along(t)
        p = t.precision(r)
        x, y = t.rotated(r, p)
        checks += [equals(r, (x - y) / np.sqrt(2)), equals(p, (x + y) / np.sqrt(2))]
    return result(f"six curves: {apart(*checks)}", checks)


@item("eq-25", "eqs 24 and 25", "A hyperbola",
      "(r'-c'_r)² - (p'-c'_p)² = c'; c'_r = (2λ+a-1)/(2√2λ), c'_p = (1-a)/(2√2λ), c' = (λ+a-1)/(2λ)",
      "In r and p: (r - e/2)(p - 1/2) = e/4 with e = (λ+a-1)/λ = (tp-fp)/(tp+fn), which gives the curve.")  # fmt: skip
def hyperbola() -> Finding:
    """Both sides on six curves, and the printed constants against centre and constant of hs.tradeoff."""
    checks, rows = [], []
    for t in curves():
        a, g = t.accuracy, t.prevalence
        printed = ((2 * g + a - 1) / (2 * np.sqrt(2) * g), (1 - a) / (2 * np.sqrt(2) * g), (g + a - 1) / (2 * g))
        checks.append(equals([*t.rotated_centre, t.constant], printed))
        x, y = t.rotated(_along(t), t.precision(_along(t)))
        checks.append(equals((x - printed[0]) ** 2 - (y - printed[1]) ** 2, printed[2]))
        rows.append({"accuracy": a, "generality": g, "constants": printed, "centre": t.centre})
    first = curves()[0]
    text = f"six curves: {apart(*checks)}; a .9, λ .2: centre {first.centre}, c' {first.constant:g}"
    return result(text, checks, curves=rows)


@item("fig-3", "fig. 3", "Precision-recall tradeoff at constant accuracy",
      "curves that fall, one for each of several accuracies",
      "The paper prints no numbers: these have generality 1/2. Each ends where a count would be negative.")  # fmt: skip
def figure_3() -> Finding:
    """Curves from end to end of their arcs; each falls, and the higher the accuracy the higher it lies."""
    drawn = {a: hs.tradeoff(accuracy=a, prevalence=0.5) for a in FIG_3}
    points = {a: np.linspace(*t.arc.recall, 41) for a, t in drawn.items()}
    checks = [claim((np.diff(t.precision(points[a])) < 0).all()) for a, t in drawn.items()]
    at = [t.precision(0.9) for t in drawn.values()]
    checks.append(claim(at == sorted(at)))
    arcs = ", ".join(f"{a:g}: {t.arc.recall[0]:.1f} to {t.arc.recall[1]:g}" for a, t in drawn.items())
    data = {f"{a:g}": {"recall": points[a], "precision": t.precision(points[a])} for a, t in drawn.items()}
    return result(f"recall by accuracy {arcs}", checks, generality=0.5, curves=data)


# -- 5.2: the condition --------------------------------------------------------------------------------------------


@item("eq-26", "eqs 26 and 27", "The condition for a trade-off", "c' > 0, or λ + a - 1 > 0, or p > 1/2",
      "That is tp > fp, which stays the same along the curve.")  # fmt: skip
def condition() -> Finding:
    """The signs of the slope of precision, of λ + a - 1 and of 2p - 1 along 2,352 curves."""
    slopes, signs, above = [], [], []
    for a in range(1, 50):
        for g in range(1, 50):
            t = hs.tradeoff(accuracy=a / 50, prevalence=g / 50)
            if t.constant == 0 or t.arc.recall[1] - t.arc.recall[0] < 1e-9:
                continue
            r = _along(t, 5)
            slopes.append(np.sign(t.precision_by_recall(r)))
            signs.append(np.sign(a / 50 + g / 50 - 1))
            above.append(np.sign(2 * t.precision(r) - 1))
    printed, n = np.array(signs)[:, np.newaxis], len(signs)
    checks = [equals(-np.array(slopes), printed), equals(above, printed)]
    return result(f"on {n:,} curves: precision falls just where λ + a > 1, and p > 1/2 there", checks, curves=n)


@item("5.2-random", "section 5.2", "Trade-off and random guessing",
      "p = 1/2 is a fair coin; any system better than random guessing has a trade-off",
      "A fair coin has p = λ (the paper's own 4.1). Better than random is p > λ; a trade-off is tp > fp.")  # fmt: skip
def random() -> Finding:
    """Systems of all kinds that are better than random: which of them trade off?"""
    systems = [(r, f, g) for g in (0.05, 0.1, 0.3, 0.5, 0.8) for r in (0.3, 0.6, 0.9) for f in (0.05, 0.2) if r > f]
    printed, read, rising = [], [], []
    for r, f, g in systems:
        t = hs.tradeoff(recall=r, fallout=f, prevalence=g)
        here = float(t.precision_by_recall(r))
        printed.append(claim(here < 0))
        read.append(claim((here < 0) == (g * r > (1 - g) * f)))
        if here > 0:
            rising.append({"recall": r, "fallout": f, "generality": g, "precision": t.point and t.point[1]})
    coin = hs.relations.chance(prevalence=0.2, bias=0.5, names=["precision"])["precision"]
    printed.append(close(coin, 0.5))
    read.append(close(coin, 0.2))
    text = f"{len(rising)} of {len(systems)} systems better than random rise in both; a coin at λ = .2 has p = {coin:g}"
    return result(text, printed, read, rising=rising)


@item("5.2-phase", "section 5.2", "Below precision 1/2", "recall and precision may rise together at constant accuracy")
def phase() -> Finding:
    """Curves with tp < fp rise."""
    rising = [t for t in curves() if not t.trades_off]
    checks = [claim((t.precision_by_recall(_along(t)) > 0).all()) for t in rising]
    shown = ", ".join(f"a {t.accuracy:g}, λ {t.prevalence:g}" for t in rising)
    return result(f"{shown}: precision rises with recall and stays below 1/2", checks)


# -- 5.3: accuracy that moves --------------------------------------------------------------------------------------

TWO_MODES: Final = mixed((0.6, normal(0.35, 0.15)), (0.4, normal(0.85, 0.03)))
ONE_MODE: Final = normal(0.7, 0.2)


@lru_cache(maxsize=2)
def bimodal(target: bool) -> Mixture:
    """The mixture of figs 4 and 5, the bimodal class as the target or as the other one; P(A) = .6."""
    a, b = (TWO_MODES, ONE_MODE) if target else (ONE_MODE, TWO_MODES)
    return mixture(a, b, prevalence=0.6, answer="below")


@item("fig-4", "fig. 4", "Two-class mixture distribution",
      "class A (the target) unimodal, class B bimodal, A between the modes of B; caption: bimodal target class",
      "Text and caption disagree: what fig. 5 shows needs A to be the bimodal class (alvarez-fig-5). The paper prints "
      "no numbers; these were chosen so that fig. 5 shows what the text says of it.")  # fmt: skip
def figure_4() -> Finding:
    """Densities on 121 points; which reading has a precision near 1 at the lowest thresholds."""
    starts = [_start(bimodal(x)) for x in (False, True)]
    two, one = TWO_MODES.pdf(THRESHOLDS), ONE_MODE.pdf(THRESHOLDS)
    text = f"precision where recall is .02: A bimodal {starts[1]:.3f}, A unimodal {starts[0]:.3f}"
    return result(text, [claim(starts[0] > 0.9)], [claim(starts[1] > 0.9)], x=THRESHOLDS, bimodal=two, unimodal=one)


def _start(m: Mixture) -> float:
    """Precision at the threshold with recall .02."""
    t = np.linspace(-0.5, 0.8, 2601)
    return float(m.measure("precision", t[np.searchsorted(m.measure("recall", t), 0.02)]))


def _figure_5(m: Mixture) -> tuple[list[Agreement], tuple[float, float], float, float]:
    """What the text says of fig. 5, of one reading of fig. 4."""
    spans = [s for s in m.rising_together() if m.measure("recall", s[1]) > 0.02]
    low, high = spans[-1] if spans else (np.nan, np.nan)
    accuracy = np.asarray(m.measure("accuracy", np.linspace(-0.5, 1.5, 2001)))
    top = m.best("accuracy").value
    checks = [
        claim(_start(m) > 0.95),
        close(m.measure("precision", 2.0), 0.6, 0.01),
        Agreement(abs(low - 0.8), 0.02), Agreement(abs(high - 0.9), 0.02), claim(len(spans) == 1),
        Agreement(abs(top - 0.65), 0.02), Agreement(abs(float(accuracy.min()) - 0.4), 0.02),
    ]  # fmt: skip
    return checks, (float(low), float(high)), float(accuracy.min()), float(top)


@item("fig-5", "fig. 5", "Recall, precision, and accuracy (bimodal distribution for target class)",
      "precision from near 1 to 0.6 = P(A); accuracy between 0.4 and 0.65; both rise for about 0.8 < θ < 0.9",
      "As the text has it (A unimodal) precision starts near 0. With A bimodal and P(A) = .6 all comes out; means, "
      "spreads and weights are not printed and were chosen for that.")  # fmt: skip
def figure_5() -> Finding:
    """Curves on 121 points, and the numbers of the text under both readings of fig. 4."""
    printed, _, _, _ = _figure_5(bimodal(False))
    read, (low, high), least, most = _figure_5(bimodal(True))
    m = bimodal(True)
    data = {name: np.asarray(m.measure(name, THRESHOLDS)) for name in ("recall", "precision", "accuracy")}
    text = (
        f"A bimodal: precision {_start(m):.2f} to {float(m.measure('precision', 2.0)):.2f}, accuracy {least:.2f} to "
        f"{most:.2f}, both rise for {low:.3f} < θ < {high:.3f}"
    )
    return result(text, printed, read, x=THRESHOLDS, **data, low=low, high=high)


def _slopes(t: Tradeoff, r: float, h: float = 1e-6) -> tuple[float, float]:
    """∂r/∂p and ∂r/∂a by differences of the solved relation."""
    p = t.precision(r)
    by_p = (t.recall(p + h) - t.recall(p - h)) / (2 * h)
    near = [hs.tradeoff(accuracy=t.accuracy + s * h, prevalence=t.prevalence).recall(p) for s in (1, -1)]
    return by_p, (near[0] - near[1]) / (2 * h)


@item("eq-29", "eqs 28 to 30", "Sensitivity of recall",
      "∂r/∂p = (λ(1-2r)+a-1)/(λ(2p-1)), ∂r/∂a = p/(λ(2p-1))")  # fmt: skip
def sensitivity() -> Finding:
    """The printed forms against those of hs.tradeoff, and both against differences."""
    checks, rows = [], []
    for t in curves():
        for r in _along(t, 3):
            p, g, a = t.precision(r), t.prevalence, t.accuracy
            printed = ((g * (1 - 2 * r) + a - 1) / (g * (2 * p - 1)), p / (g * (2 * p - 1)))
            ours = (t.recall_by_precision(r), t.recall_by_accuracy(r))
            numeric = _slopes(t, float(r))
            checks += [
                equals(np.divide(ours, printed), [1.0, 1.0], 1e-9),
                close(np.divide(numeric, printed), 1.0, 1e-4),
            ]
            rows.append({"accuracy": a, "generality": g, "recall": float(r), "slopes": printed})
    text = f"18 points of six curves: equal; by differences within {max(c.gap for c in checks):.0e} of them"
    return result(text, checks, points=rows)


@item("eq-31", "eq. 31", "The total change", "Δr = ∂r/∂p Δp + ∂r/∂a Δa + o(|(Δp, Δa)|)")
def total() -> Finding:
    """The rest, over the size of the step, falls with it."""
    t = hs.tradeoff(accuracy=0.9, prevalence=0.2)
    rests, estimates = [], []
    p, room = t.precision(0.75), 0.2 * (2 * t.precision(0.75) - 1)
    by_p, by_a = (0.2 * (1 - 2 * 0.75) + 0.9 - 1) / room, p / room  # eqs 29 and 30
    for size in (1e-2, 1e-3, 1e-4):
        c = t.change(0.75, precision=size, accuracy=0.3 * size)
        rests.append(abs(c.exact - c.estimate) / size)
        estimates.append(equals(c.estimate / size, by_p + 0.3 * by_a))
    checks = [*estimates] + [claim(rests[i + 1] < 0.2 * rests[i]) for i in (0, 1)]
    steps = ", ".join(f"{x:.1e}" for x in rests)
    text = f"the two terms: {apart(*estimates)}; the rest over the step is {steps} for Δp .01, .001, .0001"
    return result(text, checks, rests=rests)


@item("eq-32", "eq. 32", "When recall still moves against precision", "p Δa < (λ(2r-1) + 1 - a) Δp",
      "Only for p > 1/2 and Δp > 0: with a fall of precision, or p < 1/2, the sign turns.")  # fmt: skip
def moving() -> Finding:
    """The condition against the exact change of recall, for small steps both ways on six curves."""
    printed, read, wrong = [], [], 0
    for t in curves():
        for r in _along(t, 3):
            p = t.precision(r)
            room = t.prevalence * (2 * r - 1) + 1 - t.accuracy
            for dp, share in ((s * 1e-6, k) for s in (1, -1) for k in (-0.5, 0.5, 2.0)):
                da = share * room * abs(dp) / p
                exact = t.change(float(r), precision=dp, accuracy=da).exact
                held = claim((p * da < room * dp) == (exact * dp < 0))
                printed.append(held)
                wrong += not held.holds
                if p > 0.5 and dp > 0:
                    read.append(held)
    left = sum(not x.holds for x in read)
    text = f"the print fails in {wrong} of {len(printed)} steps; for p > 1/2 and Δp > 0 in {left} of {len(read)}"
    return result(text, printed, read, steps=len(printed), wrong=wrong)
