"""Measures of a 2x2 table: one declaration each. To add a measure, add one entry here (see CONTRIBUTING)."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any, Final

import numpy as np

from howsure.catalogue.expressions import Expression, Function, cells, counted, mean_of_defined, sqrt, total
from howsure.catalogue.metric import Metric
from howsure.errors import BadSetting
from howsure.validate import flag

tp, fp, fn, tn = cells
n: Final[Expression] = tp + fp + fn + tn
recall, specificity = tp / (tp + fn), tn / (tn + fp)
precision, npv = tp / (tp + fp), tn / (tn + fn)
passes, fails = counted("passes"), counted("fails")

prevalence, bias = (tp + fn) / n, (tp + fp) / n
chance = total(prevalence * bias)  # agreement of independent answers with the same shares


def _tetrachoric(*table: Any) -> Any:
    from howsure.distributions.tetrachoric import along, correlation

    if any(np.iscomplexobj(x) for x in table):  # a derivative by a complex step
        rho, slope = along(tuple(np.real(x) for x in table), tuple(np.imag(x) for x in table))
        return rho + 1j * slope
    return correlation(*table)


tetrachoric = Function("tetrachoric", r"\rho_\mathrm{tet}", _tetrachoric, divides=((0, 1), (0, 2), (1, 3), (2, 3)))

GOUTTE = "Goutte & Gaussier 2005"
POWERS = "Powers 2007"

DECLARED: Final = (
    Metric("precision", precision, meaning="share of positive answers that are right",
           source=f"{GOUTTE} eq. 1; {POWERS} eq. 2",
           aliases=("confidence", "ppv", "tpa", "positive-predictive-value", "true-positive-accuracy")),
    Metric("recall", recall, meaning="share of positive items that are found",
           source=f"{GOUTTE} eq. 1; {POWERS} eq. 1",
           aliases=("sensitivity", "tpr", "hit-rate", "true-positive-rate")),
    Metric("specificity", specificity, meaning="share of negative items that are answered negative",
           source=f"{POWERS} eq. 3", aliases=("inverse-recall", "tnr", "selectivity", "true-negative-rate")),
    Metric("npv", npv, meaning="share of negative answers that are right", source=f"{POWERS} 2.1",
           aliases=("inverse-precision", "tna", "negative-predictive-value", "true-negative-accuracy")),
    Metric("fallout", fp / (fp + tn), "lower", "share of negative items that are answered positive",
           f"{POWERS} 2.1", ("fpr", "false-positive-rate")),
    Metric("miss-rate", fn / (fn + tp), "lower", "share of positive items that are missed",
           f"{POWERS} 2.1", ("fnr", "false-negative-rate")),
    Metric("fdr", fp / (fp + tp), "lower", "share of positive answers that are wrong", f"{POWERS} eq. 4",
           ("fpa", "false-discovery-rate", "false-positive-accuracy")),
    Metric("for", fn / (fn + tn), "lower", "share of negative answers that are wrong", f"{POWERS} eq. 4",
           ("fna", "false-omission-rate", "false-negative-accuracy")),
    Metric("accuracy", (tp + tn) / n, meaning="share of answers that are right", source=f"{POWERS} 2.1",
           aliases=("rand-accuracy", "acc"), multiclass=total(tp / n)),
    Metric("error-rate", (fp + fn) / n, "lower", "share of answers that are wrong", f"{POWERS} 2.1",
           ("misclassification-rate",), multiclass=1 - total(tp / n)),
    Metric("prevalence", (tp + fn) / n, None, "share of items that are positive", f"{POWERS} 2.2",
           ("generality",)),
    Metric("bias", (tp + fp) / n, None, "share of answers that are positive", f"{POWERS} 2.2",
           ("predicted-prevalence",)),
    Metric("jaccard", tp / (tp + fp + fn), meaning="positive and found, among all that are positive or found",
           source=f"{POWERS} 2.1", aliases=("tanimoto", "threat-score", "csi", "iou")),
    Metric("a-measure", (precision + recall) / 2, meaning="arithmetic mean of precision and recall",
           source=f"{POWERS} 2.1"),
    Metric("fowlkes-mallows", sqrt(precision * recall), meaning="geometric mean of precision and recall",
           source=f"{POWERS} 2.1", aliases=("g-measure", "fm-index")),
    Metric("informedness", recall + specificity - 1, meaning="how much better than chance the answer knows the truth",
           source=f"{POWERS} eq. 3",
           aliases=("youden", "youden-j", "youden's-j", "deltap-prime", "bookmaker", "deltap'"),
           multiclass=total(bias * (recall + specificity - 1)), classes_count_alike=True),
    Metric("markedness", precision + npv - 1, meaning="how much better than chance the truth marks the answer",
           source=f"{POWERS} eq. 4", aliases=("deltap",),
           multiclass=total(prevalence * (precision + npv - 1)), classes_count_alike=True),
    Metric("balanced-accuracy", (recall + specificity) / 2, meaning="mean of recall and specificity: AUC of one point",
           source=f"{POWERS} 2.3", aliases=("single-point-auc", "bacc"), multiclass=mean_of_defined(recall),
           classes_count_alike=True),
    Metric("g-mean", sqrt(recall * specificity), meaning="geometric mean of recall and specificity",
           source="Kubat & Matwin 1997", aliases=("gmean",)),
    Metric("phi", (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
           meaning="correlation of truth and answer", source="Ishioka eq. 6, corrected",
           aliases=("mcc", "matthews", "matthews-correlation", "r-k"),
           multiclass=(total(tp / n) - chance) / sqrt((1 - total(prevalence**2)) * (1 - total(bias**2)))),
    Metric("kappa", 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
           meaning="agreement beyond what equal margins would give by chance", source="Cohen 1960",
           aliases=("cohen-kappa",), multiclass=(total(tp / n) - chance) / (1 - chance)),
    Metric("lr-plus", recall / (fp / (fp + tn)), meaning="odds factor of a positive answer",
           source="Altman & Bland 1994", aliases=("positive-likelihood-ratio", "plr", "lr+")),
    Metric("lr-minus", fn / (tp + fn) / specificity, "lower", "odds factor of a negative answer",
           "Altman & Bland 1994", ("negative-likelihood-ratio", "nlr", "lr-")),
    Metric("odds-ratio", tp * tn / (fp * fn), meaning="lr-plus divided by lr-minus", source="Glas et al. 2003",
           aliases=("diagnostic-odds-ratio", "dor")),
    Metric("tetrachoric", tetrachoric(tp, fp, fn, tn), empty_cell_rule="keep-margins",
           meaning="correlation of two normal variables that truth and answer are cuts of",
           source="Pearson 1900; Ishioka 3", aliases=("rho", "four-fold-correlation", "tetrachoric-correlation")),
    Metric("rate", tp / (tp + fn), meaning="share of trials that pass", source=f"{GOUTTE} eq. 8",
           aliases=("pass-rate", "success-rate"), written=passes / (passes + fails)),
)  # fmt: skip


SHORT_BETAS: Final = (0.5, 1, 2)  # which have names of their own
LEAST_BETA, MOST_BETA = 1e-6, 1e6


def fbeta(beta: float) -> Metric:
    """F_β: the weighted harmonic mean of precision and recall; β > 1 weighs recall more.

    >>> str(fbeta(3)), str(fbeta(2))
    ('fbeta(3)', 'f2')
    """
    beta = beta.item() if isinstance(beta, np.generic) else beta
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not LEAST_BETA <= beta <= MOST_BETA:
        raise BadSetting(f"beta must be a number from 1e-6 to 1e6; got {beta!r}.")
    b2 = Fraction(repr(beta)) ** 2
    aliases = {1: ("f-measure", "f-score", "f-factor", "dice")}.get(int(beta) if beta == int(beta) else 0, ())
    number = f"{beta:g}" if float(f"{beta:g}") == beta else f"{beta!r}"
    return Metric(
        f"f{number}" if beta in SHORT_BETAS else f"fbeta({number})",
        (1 + b2) * tp / ((1 + b2) * tp + b2 * fn + fp),
        meaning="harmonic mean of precision and recall"
        if beta == 1
        else f"harmonic mean of precision and recall, recall weighing {beta:g} times as much",
        source=f"{GOUTTE} eq. 2",
        aliases=aliases,
    )


def utility(*, tp: float = 0, fp: float = 0, fn: float = 0, tn: float = 0, cost: bool = False) -> Metric:
    """A linear utility per item (or cost, with `cost=True`): the mean of the weight of the cell it falls in.

    >>> str(utility(tp=2, fp=-1))
    'utility(2,-1,0,0)'
    """
    weights = tuple(w.item() if isinstance(w, np.generic) else w for w in (tp, fp, fn, tn))
    if any(
        isinstance(w, bool) or not isinstance(w, (int, float)) or (w and not 1e-9 <= abs(w) <= 1e9) for w in weights
    ):
        raise BadSetting(f"weights of tp, fp, fn, tn are 0 or numbers of size 1e-9 to 1e9; got {weights!r}.")
    name = "cost" if flag(cost, "cost") else "utility"
    parts = [w * c for w, c in zip(weights, cells, strict=True) if w]
    formula = reduce(lambda a, b: a + b, parts) if parts else 0 * cells.tp
    return Metric(
        f"{name}({','.join(f'{w:g}' if float(f'{w:g}') == w else repr(w) for w in weights)})",
        formula / n,
        "lower" if name == "cost" else "higher",
        f"mean {name} per item, weights for tp, fp, fn, tn",
        f"{GOUTTE} 2 (TREC utility); {POWERS} 2.2 (cost)",
    )
