"""What a report can give: metrics of the catalogue, and counts (cells, margins, n, chi-square).

Every quantity is a formula over tp, fp, fn, tn. Metrics do not change when all cells are doubled; counts double.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np

from howsure.catalogue import Metric, metrics, parse
from howsure.catalogue.expressions import CELLS, Expression, cells
from howsure.catalogue.forms import Linear, read
from howsure.catalogue.retrieval import is_ranking
from howsure.errors import BadSetting, UnknownName, nearest

Weights = tuple[int, ...]

tp, fp, fn, tn = cells
_CHI_SQUARE = (
    (tp + fp + fn + tn)
    * (tp * tn - fp * fn) ** 2
    / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
)  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """A formula with a name; `sized` counts double when the table doubles."""

    name: str
    formula: Expression
    sized: bool = False

    def __str__(self) -> str:
        return self.name

    @cached_property
    def linear(self) -> tuple[Weights, Weights] | None:
        """Integers weights of the cells in the top and in the bottom, if it is a quotient of two sums of cells."""
        if self.sized:
            return (_COUNTS[self.name], (0, 0, 0, 0)) if self.name in _COUNTS else None
        reading = read(self.formula)
        if not isinstance(reading.form, Linear) or reading.outer:
            return None
        return tuple(map(int, reading.form.top)), tuple(map(int, reading.form.bottom))  # read scales them to be whole

    @cached_property
    def weights(self) -> tuple[Any, Any] | None:
        """The weights of `linear` as arrays."""
        return None if self.linear is None else (np.array(self.linear[0], float), np.array(self.linear[1], float))

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value over all tables."""
        return (0.0, float("inf")) if self.sized else read(self.formula).bounds

    def at(self, table: Any) -> Any:
        """The value at tables given with the cells along the last axis; NaN where it is undefined."""
        x = np.asarray(table)
        x = x if x.dtype.kind == "c" else x.astype(float, copy=False)
        with np.errstate(all="ignore"):
            if self.weights is not None:
                top, bottom = self.weights
                value = x @ top
                return value if self.sized else value / (x @ bottom)
            return self.formula(**{c: x[..., i] for i, c in enumerate(CELLS)})

    @property
    def undefined(self) -> str:
        """When it is 0/0, in words."""
        return " or ".join(f"{d} = 0" for d in self.formula.denominators())


@dataclass(frozen=True)
class Target:
    """A metric, or a count per another count: it does not change when all cells double."""

    quantity: Quantity
    per: Quantity | None = None
    fewest: float = field(default=1.0, compare=False)  # items that a table has at least: the less a filled cell is

    @property
    def linear(self) -> tuple[Weights, Weights] | None:
        """Integers weights of a quotient of sums."""
        if self.per is None or self.quantity.linear is None or self.per.linear is None:
            return None if self.per is not None else self.quantity.linear
        return self.quantity.linear[0], self.per.linear[0]

    @cached_property
    def weights(self) -> tuple[Any, Any] | None:
        """The weights of `linear` as arrays."""
        return None if self.linear is None else (np.array(self.linear[0], float), np.array(self.linear[1], float))

    def at(self, tables: Any) -> Any:
        """The value at tables of any size."""
        value = self.quantity.at(tables)
        if self.per is None:
            return np.asarray(value)
        with np.errstate(all="ignore"):
            return np.asarray(value / self.per.at(tables))


_COUNTS: Final[dict[str, Weights]] = {
    "tp": (1, 0, 0, 0), "fp": (0, 1, 0, 0), "fn": (0, 0, 1, 0), "tn": (0, 0, 0, 1), "n": (1, 1, 1, 1),
    "positives": (1, 0, 1, 0), "negatives": (0, 1, 0, 1),
    "predicted-positives": (1, 1, 0, 0), "predicted-negatives": (0, 0, 1, 1),
    "right": (1, 0, 0, 1), "wrong": (0, 1, 1, 0),
}  # fmt: skip
_ALIASES: Final = {
    "total": "n", "items": "n", "relevant": "positives", "rp": "positives", "rn": "negatives",
    "retrieved": "predicted-positives", "pp": "predicted-positives", "pn": "predicted-negatives",
    "correct": "right", "errors": "wrong", "chi2": "chi-square", "chi-squared": "chi-square", "x2": "chi-square",
}  # fmt: skip
_PRINTED: Final = {
    "P": "precision", "p": "precision", "prec": "precision", "pr": "precision",
    "R": "recall", "r": "recall", "rec": "recall", "re": "recall", "sens": "recall", "se": "recall",
    "F": "f1", "f": "f1", "A": "accuracy", "spec": "specificity", "sp": "specificity", "J": "informedness",
    "κ": "kappa", "φ": "phi", "prev": "prevalence", "bal-acc": "balanced-accuracy", "err": "error-rate",
    "pos": "positives", "neg": "negatives",
}  # fmt: skip
COUNT_NAMES: Final = (*_COUNTS, "chi-square")


def full_name(name: str) -> str:
    """The name of what reports print for short; only solve takes these. Single letters go by their case.

    >>> full_name("P"), full_name("Sens"), full_name("kappa")
    ('precision', 'recall', 'kappa')
    """
    plain = re.sub(r"[\s_]+", "-", name.strip())
    return _PRINTED.get(plain if len(plain) == 1 else plain.lower(), name)


@lru_cache(maxsize=1024)
def quantity(name: str) -> Quantity:
    """The quantity of a name: a count, or any metric of the catalogue.

    >>> quantity("Sensitivity").name, quantity("relevant").name, quantity("chi2").sized
    ('recall', 'positives', True)
    """
    plain = re.sub(r"[\s_]+", "-", str(name).strip().lower())
    plain = _ALIASES.get(plain, plain)
    if plain in _COUNTS:
        parts = [c for c, w in zip(cells, _COUNTS[plain], strict=True) if w]
        return Quantity(plain, sum(parts[1:], start=parts[0]), True)
    if plain == "chi-square":
        return Quantity(plain, _CHI_SQUARE, True)
    try:
        metric = parse(name)
    except UnknownName:
        if is_ranking(str(name)):
            raise UnknownName(f"{name} is a measure of scores, and not of a table of counts.") from None
        known = [*COUNT_NAMES, *_ALIASES, *(x for m in metrics() for x in (m.name, *m.aliases))]
        hint = nearest(plain, known)
        raise UnknownName(f"no measure or count named {name!r}.{hint} See: howsure metrics") from None
    return of_metric(metric)


def of_metric(metric: Metric) -> Quantity:
    """A metric as a quantity; averages are those of two classes."""
    if metric.label is not None:
        raise BadSetting(f"solve looks for one 2x2 table: leave out the class of {metric}, and solve each class alone.")
    if metric.any_of or metric.average == "samples":
        raise BadSetting(f"{metric} is for items with many labels; solve looks for one 2x2 table.")
    if metric.over_classes:
        metric = replace(metric, formula=metric.formula.of_two_classes())
    return Quantity(metric.name, metric.formula)


def quantity_of(name: str | Metric) -> Quantity:
    """The quantity of a name or of a metric."""
    return of_metric(name) if isinstance(name, Metric) else quantity(name)


@lru_cache(maxsize=1)
def shown() -> tuple[Quantity, ...]:
    """The metrics whose values or ranges a solution lists."""
    left_out = ("rate", "utility(2,-1,0,0)")
    binary = [m for m in metrics() if not m.over_classes and not m.any_of and m.name not in left_out]
    return tuple(of_metric(m) for m in binary)


def unboxed(x: Any) -> Any:
    """A float for one number, else an array of them."""
    values = np.asarray(x, dtype=float)
    return float(values) if values.ndim == 0 else values
