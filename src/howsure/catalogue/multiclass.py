"""Measures of many classes: averages of any measure of a class against the rest, and those that are no average.

In the formulas tp, fp, fn and tn are the cells of a class against the rest; total and mean run over classes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from howsure.catalogue.expressions import CELLS, Expression, cells, counted, mean, mean_over_items, total
from howsure.catalogue.metric import Metric, added_up
from howsure.errors import BadSetting

tp, fp, fn, tn = cells
n: Final[Expression] = tp + fp + fn + tn

precision, recall = mean(tp / (tp + fp)), mean(tp / (tp + fn))

AVERAGES: Final = {
    "micro": "{} of the cells of all classes added up",
    "macro": "mean of {} over classes, each counting alike",
    "weighted": "mean of {} over classes, each by its share of the items",
    "samples": "mean of {} over items with many labels",
}
ZHANG = "Zhang, Wang & Zhao 2015"

DECLARED: Final = (
    Metric("f1-of-means", 2 * precision * recall / (precision + recall),
           meaning="harmonic mean of macro-precision and macro-recall; not the mean of F1 over classes",
           source="Opitz & Burst 2019", aliases=("macro-f1-of-means", "f1-of-averages"), classes_count_alike=True),
    Metric("hamming-loss", mean((fp + fn) / n), "lower", "share of (item, label) pairs that are wrong",
           "Schapire & Singer 2000", ("hamming",), classes_count_alike=True, any_of=True),
)  # fmt: skip


@lru_cache(maxsize=512)
def averaged(kind: str, base: Metric) -> Metric:
    """An average of a measure of one class against the rest.

    >>> from howsure.catalogue import parse
    >>> str(averaged("macro", parse("f1")))
    'macro-f1'
    """
    if base.over_classes or base.label is not None or base.name == "rate":
        raise BadSetting(f"an average is taken of a measure of one class against the rest, such as f1; got {base}.")
    formula = {
        "micro": lambda: base.formula.replaced({c: total(x) for c, x in zip(CELLS, cells, strict=True)}),
        "macro": lambda: mean(base.formula),
        "weighted": lambda: total((tp + fn) * base.formula) / total(tp + fn),
        "samples": lambda: mean(base.formula),
    }[kind]()
    return Metric(
        f"{kind}-{base.name}", formula, base.better, AVERAGES[kind].format(base.name),
        ZHANG if base.name == "f1" and kind in ("micro", "macro") else base.source,
        _aliases(kind, base), classes_count_alike=kind == "macro", any_of=kind == "samples", average=kind, base=base,
        written=mean_over_items(base.formula) if kind == "samples" else None,
    )  # fmt: skip


def _aliases(kind: str, base: Metric) -> tuple[str, ...]:
    if (kind, base.name) == ("macro", "recall"):
        return ("mean-recall",)
    return {("micro", "f1"): ("mif1",), ("macro", "f1"): ("maf1", "mean-f1")}.get((kind, base.name), ())


right, wrong = counted("right"), counted("wrong")
SUBSET = Metric("subset-accuracy", (tp + tn) / n, meaning="share of items whose labels are all right",
                source="Zhu et al. 2005", aliases=("exact-match",), any_of=True,
                written=right / (right + wrong))  # fmt: skip


def of_right_and_wrong(metric: Metric, k: int) -> Metric:
    """A micro average where each item has one class: the cells add up to right and wrong answers."""
    base = metric.base
    assert base is not None  # noqa: S101 - narrows the type
    return Metric(metric.name, added_up(base.formula, k), metric.better, metric.meaning)
