"""Metric: a name, a formula, a direction and a meaning; everything else is read off the formula."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, Protocol

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import CELLS, Expression, cells
from howsure.catalogue.forms import Linear, Other, Reading, read
from howsure.errors import BadCounts, BadSetting, listing
from howsure.validate import amounts, together

# -- metric
#
# Metric: a name, a formula, a direction and a meaning; everything else is read off the formula.

Better = Literal["higher", "lower"] | None


@dataclass(frozen=True)
class Metric:
    """A measure of a 2x2 table, declared by its formula.

    >>> from howsure.catalogue.expressions import cells
    >>> tp, fp, fn, tn = cells
    >>> m = Metric("lift", (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn)))
    >>> m.bounds, m.needs_positive
    ((0.0, inf), True)
    """

    name: str
    formula: Expression
    better: Better = "higher"
    meaning: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    label: Hashable = None
    multiclass: Expression | None = None  # its form from three classes on, where that is no class against rest
    classes_count_alike: bool = False  # however rare: its prior is then pooled over classes
    any_of: bool = False  # only for items with any number of labels
    empty_cell_rule: str = (
        ""  # the rule that fills empty cells for the point score (distributions/tetrachoric.py); posteriors need none
    )
    average: str = ""  # micro, macro, weighted or samples, of `base`
    base: Metric | None = None
    written: Expression | None = None  # the formula as people read it, where its cells are not those of a 2x2 table

    def __post_init__(self) -> None:
        if not isinstance(self.formula, Expression):
            raise BadSetting(f"the formula of {self.name!r} must be made of cells, such as tp / (tp + fp).")
        if self.better is not None and (not isinstance(self.better, str) or self.better not in ("higher", "lower")):
            raise BadSetting(f"better= is 'higher', 'lower' or None; got {self.better!r}.")
        if not isinstance(self.name, str) or not self.name.strip():
            raise BadSetting(f"a metric needs a name; got {self.name!r}.")
        if self.formula.function is None:  # those are our own
            self._check_values()

    def _check_values(self) -> None:
        values, doubled = self._probe().tolist()
        if any(math.isfinite(v) and not math.isclose(v, w, rel_tol=1e-9) for v, w in zip(values, doubled, strict=True)):
            raise BadSetting(
                f"the formula of {self.name!r} changes when every cell is doubled: {self.formula}. "
                "Divide by a sum of cells, such as n = tp + fp + fn + tn."
            )
        if not any(math.isfinite(v) for v in values):
            raise BadSetting(f"the formula of {self.name!r} has no value at any table: {self.formula}.")
        if all(math.isclose(v, values[0], rel_tol=1e-12) for v in values):
            raise BadSetting(f"the formula of {self.name!r} has the same value at every table: {self.formula}.")

    def _probe(self) -> Array:
        """Values at a few tables, and at the same with all cells doubled."""
        formula = self.formula.of_two_classes() if self.over_classes else self.formula
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(formula(**_tables()), dtype=float), (2, 5))

    def __repr__(self) -> str:
        return f"Metric({str(self)!r}, {self.formula})"

    def __str__(self) -> str:
        return self.name if self.label is None else f"{self.name}:{self.label}"

    def of(self, label: Hashable) -> Metric:
        """The same measure of one class against the rest."""
        if self.over_classes:
            hint = "" if self.base is None else f" Ask for {self.base}:{label}."
            raise BadSetting(
                f"{self.name} is a measure of all classes: it cannot be asked of the class {label!r} alone.{hint}"
            )
        return self._labelled(label)

    def without_label(self) -> Metric:
        """The same measure of no class in particular."""
        return self._labelled(None)

    def _labelled(self, label: Hashable) -> Metric:
        """The same formula, which was checked and read already, with another label."""
        made = object.__new__(Metric)
        made.__dict__.update(self.__dict__, label=label)
        return made

    @cached_property
    def reading(self) -> Reading:
        """The numerical form of the formula."""
        return read(self.formula)

    @property
    def scanned(self) -> bool:
        """Whether the bounds were found on a grid of tables, and so may be a little too narrow."""
        return isinstance((self if self.base is None else self.base).reading.form, Other)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value over all tables.

        An average lies between the values of its base, with 0 for classes where that is undefined: bounds found at two
        classes need not hold for more.
        """
        if self.base is None:
            return self.reading.bounds
        low, high = self.base.bounds
        return min(low, 0.0), max(high, 0.0)

    @property
    def needs_positive(self) -> bool:
        """Whether the value changes when the two classes swap; what counts no cells of classes has none."""
        return not self.reading.symmetric and self.written is None

    @cached_property
    def over_classes(self) -> bool:
        """Whether the formula itself sums over classes, as an average does."""
        return self.formula.over_classes

    def of_classes(self, k: int) -> Expression | None:
        """The formula over k classes when the measure is one of all of them together, else None."""
        if self.label is not None or k == 2:
            return None
        return self.formula if self.over_classes else self.multiclass

    def of_two(self) -> Metric:
        """The same measure of two classes, its sums written out."""
        return replace(self, formula=self.formula.of_two_classes(), average="", base=None, aliases=(), written=None)

    @cached_property
    def agreement(self) -> bool:
        """Whether it depends on right and wrong answers only, and so extends to any number of classes."""
        form = self.reading.form
        if not isinstance(form, Linear) or self.reading.outer:
            return False
        return all(k[0] == k[3] and k[1] == k[2] for k in (form.top, form.bottom))

    @property
    def unbounded(self) -> bool:
        """Whether it is a ratio or odds, with no upper end: its shortest intervals are taken on the log scale."""
        low, high = self.bounds
        return low == 0 and high == math.inf

    @property
    def subject(self) -> str:
        """What it is a measure of, by a word (render/listing.py): sets of labels, classes, outcomes or a 2x2 table."""
        if self.any_of:
            return "sets"
        return "rate" if self.name == "rate" else "classes" if self.over_classes else "table"

    @property
    def shown(self) -> Expression:
        """The formula as people read it."""
        return self.formula if self.written is None else self.written

    @property
    def undefined(self) -> str:
        """When the point score is 0/0, in words."""
        return " or ".join(f"{d} = 0" for d in self.shown.denominators()) or "never"

    @property
    def text(self) -> str:
        """The formula as text."""
        return str(self.shown)

    @property
    def latex(self) -> str:
        """The formula in LaTeX."""
        return self.shown.latex

    def score(self, counts: Mapping[str, Any]) -> Any:
        """The point score at counts or shares tp, fp, fn, tn; NaN where undefined, infinite where it divides by 0.

        >>> from howsure.catalogue import fbeta
        >>> float(fbeta(1).score({"tp": 3, "fp": 1, "fn": 1, "tn": 5}))
        0.75
        """
        return self.at(_amounts(self, counts))

    def at(self, counts: Mapping[str, Any]) -> Any:
        """The same at counts of our own, which need no check."""
        form, outer = self.reading.form, self.reading.outer
        values = {c: np.asarray(counts[c], dtype=float) for c in CELLS}
        if self.empty_cell_rule:
            from howsure.distributions.tetrachoric import without_zeros

            tp, fp, fn, tn = (values[c] for c in CELLS)
            values = dict(zip(CELLS, without_zeros(tp, fp, fn, tn, self.empty_cell_rule), strict=True))
        with np.errstate(all="ignore"):
            if not isinstance(form, Linear):
                return np.asarray(self.formula(**values), dtype=float)
            top, bottom = (
                sum(values[c] if k == 1.0 else k * values[c] for k, c in zip(part, CELLS, strict=True) if k)
                for part in (form.top, form.bottom)
            )
            value = np.asarray(top / bottom)
            return {"sqrt": np.sqrt, "log": np.log}[outer](value) if outer else value

    @property
    def route(self) -> str:
        """How its posterior is computed under the flat model; a micro average is one of items with one class each."""
        if self.any_of and self.over_classes:  # a mean over items, or over items and labels
            return "quadrature"
        if self.average == "micro" and self.base is not None:
            right = read(added_up(self.base.formula, 3))
            return _route(right) if isinstance(right.form, Linear) and not right.outer else "sampled"
        return _route(self.reading)

    @property
    def route_of_label_sets(self) -> str | None:
        """The same for items with any number of labels, where that is another."""
        if self.average != "micro" or self.base is None:
            return None
        reading = self.base.reading
        return "quadrature" if isinstance(reading.form, Linear) and not reading.outer else "sampled"


@cache
def _tables() -> dict[str, Array]:
    """The cells of a few tables, and of the same doubled."""
    rng = random.Random(3)
    some = np.array([[rng.uniform(0.5, 9.5) for _ in CELLS] for _ in range(5)])
    return dict(zip(CELLS, np.stack([some.T, 2.0 * some.T], axis=1), strict=True))


def _amounts(metric: Metric, counts: Any) -> dict[str, Any]:
    """The four counts that a measure is asked at, or one sentence about what they are not."""
    if not isinstance(counts, Mapping):
        raise BadCounts(
            f"{metric} is taken of counts by their names, such as {{'tp': 8, 'fp': 2, 'fn': 3, 'tn': 7}}; "
            f"got {type(counts).__name__}. For data give hs.score(data, metrics='{metric}')."
        )
    unknown = [x for x in counts if x not in CELLS]
    lacking = [c for c in CELLS if c not in counts]
    if unknown or lacking:
        said = f"it lacks {listing(lacking)}" if lacking else f"{unknown[0]!r} is none of them"
        raise BadCounts(f"{metric} is taken of the counts tp, fp, fn and tn, by these names; {said}.")
    found = {c: amounts(counts[c], c) for c in CELLS}
    together(found)
    if metric.over_classes and not any(x.ndim for x in found.values()):
        raise BadCounts(
            f"{metric} is a measure of all classes, which one table of four counts does not give: "
            "give arrays with an entry for each class."
        )
    return found


def added_up(formula: Expression, k: int) -> Expression:
    """A formula of the cells of all k classes added up, where each item has one class, in right (tp) and wrong (fn).

    tp = right, fp = fn = wrong, tn = (K-1)·right + (K-2)·wrong.
    """
    right, wrong = cells.tp, cells.fn
    return formula.replaced({"tp": right, "fp": wrong, "fn": wrong, "tn": (k - 1) * right + (k - 2) * wrong})


def _route(reading: Reading) -> str:
    """The route of a form."""
    form = reading.form
    if isinstance(form, Other):
        return "sampled"
    if not isinstance(form, Linear):
        return "quadrature"
    groups = {pair for pair in zip(form.top, form.bottom, strict=True) if any(pair)}
    return "closed form" if len(groups) == 2 else "quadrature"


def with_weights(asked: str, measure: object) -> str:
    """The name that a measure is shown by: the one asked for, or its own where that one left its weights open.

    >>> from howsure.catalogue import parse
    >>> with_weights("utility", parse("utility")), with_weights("sensitivity", parse("sensitivity"))
    ('utility(2,-1,0,0)', 'sensitivity')
    """
    left_open = isinstance(measure, Metric) and "(" in measure.name and "(" not in asked.partition(":")[0]
    return str(measure) if left_open else asked


# -- measure
#
# Measure: what every measure is, of tables, of scores or of graded values, whatever it is declared by.


class Measure(Protocol):
    """A name with a direction and a range; str(measure) is its canonical name."""

    @property
    def better(self) -> Literal["higher", "lower"] | None:
        """The better direction, if it has one."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value."""

    @property
    def label(self) -> Hashable:
        """The class it is of, where it is of one."""

    @property
    def undefined(self) -> str:
        """When the point score is 0/0, in words."""

    @property
    def unbounded(self) -> bool:
        """Whether it is a ratio, with no upper end: its shortest intervals are taken on the log scale."""
