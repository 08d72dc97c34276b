"""Powers, Evaluation Evaluation: the family of 2x2 measures, informedness, markedness and their significance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.arrays import Array
from howsure.papers.item import Agreement, Finding, Item, Register, apart, claim, close, equals, result
from howsure.papers.oracles import GRID, WORKED, law, many, point, worked

item = Register("powers", "Powers 2007")


def _every(*pairs: tuple[Any, Any]) -> list[Agreement]:
    """Values of howsure and of a printed formula."""
    return [equals(a, b) for a, b in pairs]


def _said(checks: list[Agreement]) -> list[Agreement]:
    """The same for what the paper says in words."""
    return [claim(c.holds) for c in checks]


def _on_many(checks: list[Agreement]) -> str:
    return f"on {many().shape[0]} tables: {apart(*checks)}"


# -- 2 and 2.1: notations and rates -------------------------------------------------------------------------------


@item(
    "table-1", "table 1", "The two notations of a contingency table",
    "rows +P: tp fp | pp, -P: fn tn | pn; margins rp rn | 1; the same as A B C D, summing to N",
    "The rows are the predictions: the transpose of a table with the truth by rows.",
)  # fmt: skip
def table_1() -> Finding:
    """A table given by rows of predictions, in counts and in shares, with margins from bias and prevalence."""
    a, b, c, d = (WORKED[k] for k in ("tp", "fp", "fn", "tn"))
    t = hs.Tally.matrix([[a, b], [c, d]], labels=["+", "-"], positive="+", rows="pred")
    n = t.n
    counts = [t.tp, t.fp, t.fn, t.tn]
    pp, rp = point(t, "bias"), point(t, "prevalence")
    checks = [
        claim(counts == [a, b, c, d]),
        equals([n * pp, n * (1 - pp), n * rp, n * (1 - rp)], [a + b, c + d, a + c, b + d], 1e-9),
        close(sum(x / n for x in counts), 1.0),
    ]
    shares = {k: x / n for k, x in zip(("tp", "fp", "fn", "tn"), counts, strict=True)}
    shown = ", ".join(f"{k} {x:g}" for k, x in shares.items())
    text = f"A B C D = {a} {b} {c} {d}, N {n}: {shown}, pp {pp:g}, rp {rp:g}"
    return result(text, checks, counts=counts, shares=shares, pp=pp, pn=1 - pp, rp=rp, rn=1 - rp)


def _names(names: tuple[str, ...], top: str, margin: str) -> Finding:
    """One rate under all its names against a cell over a margin, at many tables."""
    t = many()
    wanted = t.named()[top] / t.n / point(t, margin)
    checks = _every(*((point(t, name), wanted) for name in names))
    return result(f"{_on_many(checks)}; worked table {point(worked(), names[0]):.4f}", checks)


@item("eq-1", "eq. 1", "Recall and its names", "Recall = Sensitivity = tpr = tp/rp")
def recall() -> Finding:
    """All names, and tp over the prevalence."""
    return _names(("recall", "sensitivity", "tpr"), "tp", "prevalence")


@item("eq-2", "eq. 2", "Precision and its names", "Precision = Confidence = tpa = tp/pp")
def precision() -> Finding:
    """All names, and tp over the bias."""
    return _names(("precision", "confidence", "tpa"), "tp", "bias")


@item("2.1-means", "section 2.1", "Three means of recall and precision", "A, G and F = G²/A")
def means() -> Finding:
    """Arithmetic, geometric and harmonic mean."""
    t = many()
    p, r = point(t, "precision"), point(t, "recall")
    a, g, f = (point(t, name) for name in ("a-measure", "fowlkes-mallows", "f1"))
    checks = _every((a, (p + r) / 2), (g, np.sqrt(p * r)), (f, g**2 / a))
    values = {k: point(worked(), m) for k, m in (("A", "a-measure"), ("G", "fowlkes-mallows"), ("F", "f1"))}
    shown = ", ".join(f"{k} {v:.4f}" for k, v in values.items())
    return result(f"{_on_many(checks)}; worked table {shown}", checks, **values)


@item("2.1-inverse", "section 2.1", "Inverse recall",
      "recall of the negative class = specificity = true negative rate",
      "The paper refers to its (3) for it, but eq. 3 is informedness.")  # fmt: skip
def inverse() -> Finding:
    """Measures of the table with the classes swapped, and real negatives predicted negative over real negatives."""
    t = many()
    swapped, c = t.with_positive(0), t.named()
    names = ("specificity", "inverse-recall", "true-negative-rate")
    checks = _every(*((point(t, name), c["tn"] / (c["tn"] + c["fp"])) for name in names))
    checks += _every((point(swapped, "recall"), point(t, "specificity")))
    checks += _every((point(swapped, "precision"), point(t, "inverse-precision")))
    return result(f"{_on_many(checks)}; worked table {point(worked(), 'specificity'):.4f}", _said(checks))


@item("2.1-accuracy", "section 2.1", "Accuracy as a weighted average",
      "a weighted average of precision and inverse precision, and of recall and inverse recall",
      "The weights are the bias and the prevalence.")  # fmt: skip
def accuracy() -> Finding:
    """Both averages, weighted by bias and by prevalence."""
    t = many()
    bias, prevalence = point(t, "bias"), point(t, "prevalence")
    by_answer = bias * point(t, "precision") + (1 - bias) * point(t, "inverse-precision")
    by_truth = prevalence * point(t, "recall") + (1 - prevalence) * point(t, "inverse-recall")
    checks = _every((point(t, "accuracy"), by_answer), (point(t, "accuracy"), by_truth))
    return result(f"{_on_many(checks)}; worked table {point(worked(), 'accuracy'):.4f}", _said(checks))


@item("2.1-jaccard", "section 2.1", "What Jaccard leaves out", "Jaccard (Tanimoto) ignores TN")
def jaccard() -> Finding:
    """The score and the whole posterior with other true negatives."""
    few, more = ({**WORKED, "tn": k} for k in (0, 10**6))
    checks = _every(
        (law("jaccard", **few).cdf(GRID), law("tanimoto", **more).cdf(GRID)),
        (point(hs.Tally.binary(**few), "jaccard"), point(hs.Tally.binary(**more), "jaccard")),
    )
    return result(f"TN 0 and TN 1,000,000: score and law {apart(*checks)}", _said(checks))


@item("2.1-complements", "section 2.1", "Error rates as complements",
      "fallout is the complement of inverse recall, miss rate that of recall",
      "Each measure of 2.1 has such a complement; the posteriors mirror each other as well.")  # fmt: skip
def complements() -> Finding:
    """Four pairs of rates and accuracy: scores add to 1, and each cdf is the mirror of the other."""
    pairs = {
        "fallout": "inverse-recall",
        "miss-rate": "recall",
        "fdr": "precision",
        "for": "npv",
        "error-rate": "accuracy",
    }
    t = many()
    checks = _every(*((point(t, a) + point(t, b), 1.0) for a, b in pairs.items()))
    checks += _every(*((law(a, **WORKED).cdf(GRID), law(b, **WORKED).sf(1 - GRID)) for a, b in pairs.items()))
    return result(f"five pairs, scores {_on_many(checks[:5])}; laws {apart(*checks[5:])}", _said(checks))


# -- 2.2: prevalence and bias -------------------------------------------------------------------------------------


def _balanced() -> hs.Tally:
    """Tables with FP = FN, which is prevalence = bias."""
    c = many().named()
    return hs.Tally.binary(tp=c["tp"], fp=c["fp"], fn=c["fp"], tn=c["tn"])


@item("2.2-equal", "section 2.2", "Prevalence = bias",
      "rp = pp gives Recall = Precision (= A = G = F) and Inverse Recall = Inverse Precision")  # fmt: skip
def equal_margins() -> Finding:
    """All of them at tables with equal margins."""
    t = _balanced()
    names = ("precision", "a-measure", "fowlkes-mallows", "f1")
    checks = _every((point(t, "prevalence"), point(t, "bias")), *((point(t, m), point(t, "recall")) for m in names))
    checks += _every((point(t, "inverse-recall"), point(t, "inverse-precision")))
    one = hs.Tally.binary(tp=80, fp=20, fn=20, tn=880)
    shown = " ".join(f"{point(one, m):.4f}" for m in ("recall", *names, "inverse-recall", "inverse-precision"))
    return result(f"{_on_many(checks)}; TP 80, FP 20, FN 20, TN 880: {shown}", checks)


@item("2.2-fallout", "section 2.2", "Prevalence = bias, and the error rates", "rp = pp gives Fallout = Miss Rate",
      "FP = FN as counts only: fallout divides by the negatives, miss rate by the positives. What holds is "
      "fallout·(1-prevalence) = miss rate·prevalence, and miss rate = 1-precision.")  # fmt: skip
def fallout_and_miss_rate() -> Finding:
    """The rates at tables with equal margins, and what is equal in their place."""
    t = _balanced()
    f, m, share = point(t, "fallout"), point(t, "miss-rate"), point(t, "prevalence")
    corrected = _every((f * (1 - share), m * share), (t.fp, t.fn), (m, 1 - point(t, "precision")))
    example = hs.Tally.binary(tp=80, fp=20, fn=20, tn=880)
    a, b = point(example, "fallout"), point(example, "miss-rate")
    text = f"TP 80, FP 20, FN 20, TN 880: fallout {a:.4f}, miss rate {b:.4f}"
    return result(text, [close(f, m)], corrected, fallout=a, miss_rate=b)


# -- 2.3: the ROC point -------------------------------------------------------------------------------------------


def _area(t: hs.Tally) -> Any:
    """The area under the two segments from (0, 0) over the point (fpr, tpr) to (1, 1), by trapezoids."""
    x, y = np.asarray(point(t, "fpr")), np.asarray(point(t, "tpr"))
    return x * y / 2 + (1 - x) * (y + 1) / 2


@item("2.3-auc", "section 2.3", "Area under the curve of one point", "AUC = 1 - (fpr + fnr)/2")
def auc() -> Finding:
    """The trapezoids against the printed form and against balanced accuracy."""
    t = many()
    printed = 1 - (point(t, "fpr") + point(t, "fnr")) / 2
    checks = [close(_area(t), printed), *_every((point(t, "single-point-auc"), printed))]
    return result(f"{_on_many(checks)}; worked table {point(worked(), 'single-point-auc'):.4f}", checks)


@item("2.3-minimize", "section 2.3", "What is done with the AUC", "the usual aim is to minimize the AUC",
      "Maximize: the area is 1 for a system that is always right and 0 for one that is always wrong.")  # fmt: skip
def maximize() -> Finding:
    """The area of the best and of the worst table."""
    best, worst = hs.Tally.binary(tp=50, fp=0, fn=0, tn=50), hs.Tally.binary(tp=0, fp=50, fn=50, tn=0)
    good, bad = point(best, "single-point-auc"), point(worst, "single-point-auc")
    text = f"always right {good:g}, always wrong {bad:g}"
    return result(text, [claim(good < bad)], [claim(good > bad)], best=good, worst=bad)


# -- 2.4: informedness and markedness -----------------------------------------------------------------------------


@item("eq-3", "eq. 3", "Informedness in five forms",
      "Recall + Inverse Recall - 1 = tpr - fpr = 1 - fnr - fpr = 2AUC - 1 = "
      "(Recall - Bias)/(1 - Prevalence)")  # fmt: skip
def informedness() -> Finding:
    """Every form at many tables; for 2AUC - 1 the whole law too."""
    t = many()
    v = point(t, "informedness")
    r, fpr, fnr = point(t, "recall"), point(t, "fpr"), point(t, "fnr")
    auc_form = 2 * point(t, "single-point-auc") - 1
    last = (r - point(t, "bias")) / (1 - point(t, "prevalence"))
    checks = _every((v, r + point(t, "inverse-recall") - 1), (v, r - fpr), (v, 1 - fnr - fpr), (v, auc_form), (v, last))
    laws = close(law("informedness", **WORKED).cdf(GRID), law("single-point-auc", **WORKED).cdf((GRID + 1) / 2), 1e-11)
    text = f"{_on_many(checks)}; worked table {point(worked(), 'informedness'):.4f}"
    return result(text, [*checks, laws], informedness=point(worked(), "informedness"))


@item("eq-4", "eq. 4", "Markedness in four forms",
      "Precision + Inverse Precision - 1 = tpa - fna = 1 - fpa - fna = "
      "(Precision - Prevalence)/(1 - Bias)")  # fmt: skip
def markedness() -> Finding:
    """Every form at many tables."""
    t = many()
    v, p, fna = point(t, "markedness"), point(t, "tpa"), point(t, "fna")
    last = (p - point(t, "prevalence")) / (1 - point(t, "bias"))
    checks = _every((v, p + point(t, "inverse-precision") - 1), (v, p - fna), (v, 1 - point(t, "fpa") - fna), (v, last))
    text = f"{_on_many(checks)}; worked table {point(worked(), 'markedness'):.4f}"
    return result(text, checks, markedness=point(worked(), "markedness"))


@item("2.4-deltap", "section 2.4", "Names in psychology", "Markedness is DeltaP, Informedness is DeltaP'",
      "DeltaP: P(+R given +P) - P(+R given -P). DeltaP': P(+P given +R) - P(+P given -R).")  # fmt: skip
def deltap() -> Finding:
    """The measures by these names against the differences of shares, from counts."""
    t = many()
    tp, fp, fn, tn = (t.named()[k] for k in ("tp", "fp", "fn", "tn"))
    forward, backward = tp / (tp + fp) - fn / (fn + tn), tp / (tp + fn) - fp / (fp + tn)
    checks = _every((point(t, "deltap"), forward), (point(t, "deltap'"), backward))
    checks += _every((point(t, "markedness"), forward), (point(t, "informedness"), backward))
    shown = f"{point(worked(), 'deltap'):.4f} and {point(worked(), 'informedness'):.4f}"
    return result(f"{_on_many(checks)}; worked table {shown}", _said(checks))


ROWS: Final = ((50, 3, 2), (10, 20, 5), (5, 2, 3))


def _by_hand(rows: Any, transposed: bool) -> Fraction:
    """Σ bias·(recall - bias)/(1 - prevalence) in exact fractions; transposed, the roles of the margins change."""
    table = [list(row) for row in (zip(*rows, strict=True) if transposed else rows)]
    n = sum(map(sum, table))
    total = Fraction(0)
    for i, row in enumerate(table):
        bias = Fraction(sum(r[i] for r in table), n)
        total += bias * (Fraction(row[i], sum(row)) - bias) / (1 - Fraction(sum(row), n))
    return total


@item("2.4-classes", "section 2.4", "More than two classes",
      "informedness averaged over labels by bias, markedness over classes by prevalence; no example",
      "The paper gives no example; the table is ours: truth by rows, 50 3 2 / 10 20 5 / 5 2 3. "
      "With two classes the averages are the two-class measures.")  # fmt: skip
def many_classes() -> Finding:
    """The measures of many classes, against the last forms of eqs. 3 and 4, weighted so, in exact fractions."""
    i, m = (float(hs.posterior(hs.Tally.matrix(ROWS)).point(name)) for name in ("informedness", "markedness"))
    two = ((WORKED["tn"], WORKED["fp"]), (WORKED["fn"], WORKED["tp"]))
    checks = [
        close(i, _by_hand(ROWS, False)),
        close(m, _by_hand(ROWS, True)),
        close(_by_hand(two, False), point(worked(), "informedness")),
        close(_by_hand(two, True), point(worked(), "markedness")),
    ]
    return result(f"informedness {i:.10f}, markedness {m:.10f}", checks, informedness=i, markedness=m)


@item("eq-5", "eq. 5", "Chi-square from informedness and markedness", "χ² = N · Informedness · Markedness")
def chi_square() -> Finding:
    """Against Pearson's chi-square of the table, both divided by N."""
    tables = many(), worked()
    checks = [equals(t.chi_square()[0] / t.n, point(t, "informedness") * point(t, "markedness")) for t in tables]
    value = worked().chi_square()[0]
    text = f"χ² of the worked table {value:.4f}; I·M and χ²/N {_on_many(checks)}"
    return result(text, checks, chi_square=value)


def _half_widths(t: hs.Tally, measure: str) -> tuple[float, float]:
    """CI or CM as printed, and with |I| or |M| inside the numerator."""
    size, root = abs(point(t, measure)), np.sqrt(t.n - 1)
    return float(1 - size / root), float((1 - size) / root)


@item("eq-5-ci", "eq. 5, CI and CM", "Confidence in informedness and markedness",
      "CI = 1 - |Informedness|/√|N-1|; CM = 1 - |Markedness|/√|N-1|",
      "As printed it grows towards 1 with N. Read (1-|I|)/√(N-1), which falls as a standard error must. "
      "For reference only: see powers-eq-5-coverage.")  # fmt: skip
def confidence() -> Finding:
    """A standard error falls by √N: both readings at the worked table and at one a hundred times as large."""
    small, large = worked(), hs.Tally.binary(**{k: 100 * v for k, v in WORKED.items()})
    wanted = np.sqrt((large.n - 1) / (small.n - 1))
    printed, read, data = [], [], {}
    for name in ("informedness", "markedness"):
        (p1, r1), (p2, r2) = _half_widths(small, name), _half_widths(large, name)
        printed.append(close(p1 / p2, wanted, 1e-9))
        read.append(close(r1 / r2, wanted, 1e-9))
        data[name] = {"printed": [p1, p2], "read": [r1, r2], "posterior_std": law(name, **WORKED).std}
    (p1, p2), (r1, r2) = data["informedness"]["printed"], data["informedness"]["read"]
    text = f"N 1,000 and 100,000: as printed CI {p1:.4f} and {p2:.4f}; as read {r1:.5f} and {r2:.5f}"
    return result(text, printed, read, **data)


# Size, prevalence, recall, specificity: from little informed to well informed, even and rare positives.
TRUTHS: Final = ((200, 0.5, 0.55, 0.55), (200, 0.5, 0.8, 0.8), (1000, 0.1, 0.8, 0.9), (1000, 0.1, 0.95, 0.95))
REPEATS: Final = 800


def _coverage(n: int, prevalence: float, r: float, s: float, seed: int) -> tuple[float, float]:
    """How often ±1.96 CI, and our 95% interval, hold the true informedness, over simulated tables."""
    cells = (prevalence * r, (1 - prevalence) * (1 - s), prevalence * (1 - r), (1 - prevalence) * s)
    tp, fp, fn, tn = np.random.default_rng(seed).multinomial(n, cells, size=REPEATS).T
    t = hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)
    truth, found = r + s - 1, np.asarray(point(t, "informedness"))
    theirs = np.abs(found - truth) <= 1.96 * (1 - np.abs(found)) / np.sqrt(n - 1)
    below: Array = np.asarray(hs.posterior(t)["informedness"].cdf(truth))
    return float(theirs.mean()), float(((below >= 0.025) & (below <= 0.975)).mean())


@item("eq-5-coverage", "eq. 5, CI", "What ±1.96 CI covers",
      "CI is to estimate the confidence in Informedness; no coverage is printed",
      "Simulated with a fixed seed, (1-|I|)/√(N-1) taken as a standard error. It is far too small for well informed "
      "systems and rare positives: it is here for reference only. Use the posterior interval.")  # fmt: skip
def coverage() -> Finding:
    """Shares of simulated tables whose interval holds the truth, by the formula as read and by the posterior.

    What is checked is the posterior: the paper gives nothing to hold the formula to.
    """
    shares = [_coverage(*truth, seed=k) for k, truth in enumerate(TRUTHS)]
    error = 3 * np.sqrt(0.95 * 0.05 / REPEATS)
    checks = [Agreement(abs(ours - 0.95), error) for _, ours in shares]
    low, high = (f(x for x, _ in shares) for f in (min, max))
    ours = [x for _, x in shares]
    held = f"{low:.0%} to {high:.0%} of simulated tables"
    text = f"±1.96 CI holds the truth in {held}, our 95% interval in {min(ours):.0%} to {max(ours):.0%}"
    rows = [
        {"n": n, "prevalence": q, "recall": r, "specificity": s, "ci": their, "posterior": mine}
        for (n, q, r, s), (their, mine) in zip(TRUTHS, shares, strict=True)
    ]
    return result(text, checks, coverage=rows, repeats=REPEATS)


ITEMS: Final[tuple[Item, ...]] = tuple(item.items)
