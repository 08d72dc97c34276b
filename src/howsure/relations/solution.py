"""The answer of solve: tables, readings of printed digits, and why there are several or none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import CELLS
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.protocol import number
from howsure.messages.language import spelled
from howsure.messages.notes import Notes, note
from howsure.posteriors.distribution import Distribution
from howsure.relations.integers import linear_spans
from howsure.relations.posterior_over_tables import PosteriorRows, over_tables, rows_over_tables
from howsure.relations.quantities import Quantity, full_name, quantity, shown
from howsure.relations.region import Outcome, Region, Regions, outcome, region, whole_outcome
from howsure.relations.system import system
from howsure.relations.values import Given, short_number
from howsure.results.result import Result, envelope, real
from howsure.validate import AUTO

# -- readings
#
# Other readings of reported digits: where no table rounds to them, one may with ties rounded down, or digits cut.

_MOST: Final = 100  # tables of another reading that are listed


@dataclass(frozen=True)
class Alternative:
    """Tables that agree with the same digits read otherwise: `reading` is ties-either or truncated."""

    reading: str
    outcome: Outcome

    @property
    def why(self) -> str:
        """Which tables, under which reading."""
        tables = self.outcome.tables
        if self.outcome.region is not None:
            which = "some tables do"
        elif len(tables) == 1:
            which = f"{'/'.join(f'{x:.10g}' for x in tables[0])} (tp/fp/fn/tn) does"
        else:
            which = f"{'' if self.outcome.complete else 'more than '}{len(tables)} tables do"
        how = spelled("ties='either'", "--ties either")
        when = f"ties may round down ({how})" if self.reading == "ties-either" else "digits are truncated"
        return f"{which} if {when}"

    @property
    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        tables = [dict(zip(CELLS, map(number, row), strict=True)) for row in self.outcome.tables]
        return {"reading": self.reading, "tables": tables, "complete": self.outcome.complete}


def alternative(known: tuple[Given, ...], integers: bool) -> Alternative | None:
    """The first other reading of these digits that some table agrees with."""
    for reading in ("ties-either", "truncated"):
        reread = tuple(g.reread(reading) for g in known)
        if reread == known:
            continue
        try:
            found = whole_outcome(reread, _MOST) if integers else outcome(reread)
        except BadSetting:  # too large to be searched
            continue
        if found.status not in ("infeasible", "not-found"):
            return Alternative(reading, found)
    return None


# -- explain
#
# In words: which bound a contradictory report breaks, and which value would settle an open one.

FAMILIAR: Final = (
    "prevalence", "bias", "recall", "precision", "specificity", "accuracy", "f1", "npv", "phi", "informedness",
    "markedness", "kappa", "jaccard",
)  # fmt: skip
_SLACK: Final = Fraction(1, 200)
_RATES: Final = ("recall", "precision", "specificity", "npv", "prevalence", "bias", "accuracy")


def infeasible(known: tuple[Given, ...], shares: Array | None) -> str:
    """The smallest set of values that contradict each other, and the bound that one of them breaks."""
    core = _smallest(known)
    if all(g.quantity.sized and g.high == 0 for g in core):
        return f"a table has at least one item; {_join(core)} leave none."
    message = _broken(core)
    whole = {g.name for g in core} >= {g.name for g in known if not g.quantity.sized}
    would = _would_be(known, shares) if shares is not None and whole else ""
    if not message:
        message = f"no table has {_join(core)}"
    return f"{message}{would}.{_hint(core)}"


def _hint(core: Sequence[Given]) -> str:
    """Values with three digits and more that nearly fit are often rounded."""
    near = [g for g in core if _short(g) and g.middle.denominator > 20]
    return _rounded() if near and _nearly(core) else ""


def _short(g: Given) -> bool:
    """An exact metric that has too few digits to be a float, and may be rounded."""
    return g.exact and not g.full and not g.quantity.sized


def _rounded() -> str:
    return f" If the values are rounded, {spelled('give them as text', 'leave out --exact')}."


def _nearly(core: Sequence[Given]) -> bool:
    loose = tuple(g if g.quantity.sized else Given(g.quantity, g.low - _SLACK, g.high + _SLACK, g.shown) for g in core)
    return _region(loose) is not None


def zero_by_zero(known: tuple[Given, ...], one: Given) -> str:
    """A value is given for what the others make 0/0."""
    core = _smallest(known)
    message = _broken(core)
    if message and len(core) > 1:
        return f"{message}."
    others = [g for g in known if g is not one]
    return f"{one.name} would be 0/0 ({one.quantity.undefined}) with {_join(others)}."


def _region(known: tuple[Given, ...]) -> Region | None:
    """Where these values can be true, or None if it is certain that they cannot."""
    where = region(system(known)) if known else None
    if where is None or where.void is not None or (where.curves and where.found.empty):
        return None
    return where


def _smallest(known: tuple[Given, ...]) -> tuple[Given, ...]:
    """Leave out what the contradiction does not need."""
    core = known
    for one in sorted(known, key=lambda g: (not g.quantity.sized, g.name)):
        rest = tuple(g for g in core if g is not one)
        if rest and _region(rest) is None:
            core = rest
    return core


def _broken(core: tuple[Given, ...]) -> str:
    """The range of one value given the others, the least simple metric first."""
    for one in sorted(core, key=lambda g: (g.quantity.sized, g.quantity.linear is not None, _place(g))):
        rest = tuple(g for g in core if g is not one)
        if one.quantity.sized and not any(g.quantity.sized for g in rest):
            continue
        where = _region(rest) if rest else None
        span = None if where is None else where.spans((one.quantity,))[0]
        if span is None or (float(one.low) <= span[1] + 1e-9 and float(one.high) >= span[0] - 1e-9):
            continue
        return f"{one.name} {_range(span, one)} with {_join(rest)}; got {one.shown}"
    return ""


def _place(g: Given) -> int:
    """Sums of everything (accuracy, F) are told by their parts (recall, prevalence), not the other way round."""
    order = ("accuracy", "f1", "bias", "prevalence")
    return order.index(g.name) if g.name in order else (0 if g.name.startswith(("f0", "f2", "fbeta")) else 2)


def _range(span: tuple[float, float], one: Given) -> str:
    low, high = (short_number(x) for x in span)
    if low == high:
        return f"is {low}"
    between = one.quantity.linear is not None and not one.quantity.sized
    if float(one.low) > span[1]:
        between &= span[0] > one.quantity.bounds[0] + 1e-9
        return f"lies between {low} and {high}" if between else f"is at most {high}"
    between &= span[1] < one.quantity.bounds[1] - 1e-9
    return f"lies between {low} and {high}" if between else f"is at least {low}"


def _would_be(known: tuple[Given, ...], shares: Array) -> str:
    """The cell that would be negative and the rate that would leave 0 to 1."""
    size = float(system(known).size(shares))
    parts = []
    names = {g.name for g in known}
    for name in _RATES:
        value = float(quantity(name).at(shares))
        if name not in names and np.isfinite(value) and not -1e-9 <= value <= 1 + 1e-9:
            parts.append(f"{name} would be {short_number(round(value, 9))}")
            break
    lowest = int(np.argmin(shares))
    if shares[lowest] < -1e-9:
        share = " of all" if size == 1 else ""
        parts.append(f"{CELLS[lowest]} would be {short_number(round(float(shares[lowest]) * size, 6))}{share}")
    return f" ({', '.join(parts)})" if parts else ""


def _join(known: Sequence[Given]) -> str:
    texts = [str(g) for g in known]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def not_found(known: tuple[Given, ...]) -> str:
    """Neither a table nor a proof that there is none."""
    tables = spelled("give n and integers=True", "give n, without --exact")
    return (
        f"no table with {_join(known)} was found, but it is not certain that there is none: {tables}, "
        "which looks at every table of whole numbers, or give fewer digits."
    )


def nothing_whole(known: tuple[Given, ...], fractions: bool) -> str:
    """Whole numbers do not do; fractions would, if it is known."""
    hint = _rounded() if any(map(_short, known)) else ""
    though = ", though fractions of items would" if fractions else ""
    return f"no table of whole numbers has {_join(known)}{though}.{hint}"


# -- too few values


def free(where: Regions) -> tuple[str, ...]:
    """As many familiar metrics as are free, each independent of those before it."""
    chosen: list[Quantity] = []
    left = where.freedom
    for name in FAMILIAR:
        if left == 0:
            break
        after = where.settled_by((*chosen, quantity(name)))
        if after < left:
            chosen.append(quantity(name))
            left = after
    return tuple(q.name for q in chosen)


def settling(where: Regions) -> tuple[str, ...]:
    """The familiar metrics of which one more would settle the table."""
    if where.freedom != 1:
        return ()
    return tuple(name for name in FAMILIAR if where.settled_by((quantity(name),)) == 0)


def undetermined(where: Regions, known: tuple[Given, ...]) -> str:
    """What is free, and what would settle it."""
    names = free(where)
    if not names:
        loose = [g for g in known if not g.exact]
        if all(g.printed for g in loose):
            return f"the digits of {_join(loose)} leave a range of tables."
        return f"with {_join(loose)} there is a range of tables."
    rest = "" if all(g.exact for g in known) else " up to the ranges given"
    if len(names) == 1:
        some = settling(where)
        other = [x for x in some if x != names[0]][:2]
        more = ", ".join([names[0], *other[:-1]]) + (f" or {other[-1]}" if other else "")
        return f"{names[0]} is free with {_join(known)}: one more value, such as {more}, would settle the table{rest}."
    text = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{text} are free with {_join(known)}: {len(names)} more values, such as these, would settle the table{rest}."
    )


# -- solution
#
# Solution: what solve found, as tables, ranges and words.

CellCounts = dict[str, Any]
_COLUMNS: Final = ("precision", "recall", "f1", "accuracy", "prevalence", "phi")
_SHARES: Final = note("shares", "no count is given, so the cells are shares of all items")
_FRACTIONS: Final = note("fractions")
_INCOMPLETE: Final = note("incomplete", form="tables")
_OPEN: Final = note("no-posterior", "a posterior needs tables, and these values leave the table open")
_NONE: Final = note("no-posterior", "a posterior needs tables, and there are none")


@dataclass(frozen=True)
class Solution(Result):
    """The tables behind reported metrics: `status` is unique, several, undetermined, infeasible or not-found."""

    given: tuple[Given, ...]
    outcome: Outcome = field(repr=False)
    integers: bool = False
    posteriors: PosteriorRows = field(default_factory=PosteriorRows, repr=False)  # that the document has
    unanswered: bool = False  # whether posteriors were asked for that cannot be given
    remarks: Notes = ()  # on how the report was read

    @property
    def status(self) -> str:
        """unique, several, undetermined, infeasible (which is certain) or not-found (which is not)."""
        return self.outcome.status

    @property
    def complete(self) -> bool:
        """Whether all tables are listed."""
        return self.outcome.complete

    @cached_property
    def tables(self) -> tuple[CellCounts, ...]:
        """Every table that agrees with the report, as tp, fp, fn, tn; shares when no count is given."""
        return tuple(dict(zip(CELLS, map(number, row), strict=True)) for row in self.outcome.tables)

    @property
    def table(self) -> CellCounts:
        """The table, when there is one."""
        if self.status != "unique":
            raise BadSetting(f"there is no single table: {self.why}")
        return self.tables[0]

    @property
    def tally(self) -> Tally:
        """The table, or the batch of tables, as a Tally."""
        if not len(self.outcome.tables):
            raise BadSetting(f"there is no table to tally: {self.why}")
        counts = self.outcome.tables
        if not self.counted or (counts != np.round(counts)).any():
            how = spelled("give n, or use integers=True", "give n, and leave out --exact")
            raise BadSetting(f"{spelled('a Tally', 'a posterior')} needs tables of whole numbers: {how}.")
        whole = counts.astype(np.int64)
        columns = whole[0] if self.status == "unique" else whole.T
        return Tally.binary(**dict(zip(CELLS, columns, strict=True)))

    @property
    def counted(self) -> bool:
        """Whether a count is given, so that cells are counts and no shares."""
        return any(one.quantity.sized and one.high > 0 for one in self.given)

    @cached_property
    def alternative(self) -> Alternative | None:
        """Where no table rounds to the digits: those that do with ties rounded either way, or with digits truncated."""
        return alternative(self.given, self.integers) if self.status == "infeasible" else None

    @cached_property
    def why(self) -> str:
        """The answer in a sentence."""
        found = self.outcome
        if self.alternative is not None:
            return f"no table rounds to these digits; {self.alternative.why}."
        if self.integers and self.status == "infeasible":  # it is not yet asked whether tables of fractions agree
            try:
                found = outcome(self.given)
            except BadSetting:  # too large for tables of fractions
                return nothing_whole(self.given, False)
            if found.status != "infeasible":
                return nothing_whole(self.given, found.status != "not-found")
        if found.undefined is not None:
            return zero_by_zero(self.given, found.undefined)
        if found.status == "not-found":
            return not_found(self.given)
        if found.status == "infeasible":
            return infeasible(self.given, found.point)
        if found.region is not None:
            return undetermined(found.region, self.given)
        if self.status == "unique" or not self.integers:
            return f"{self._count}."
        ranges = [f"{c} {_between(*self.ranges[c])}" for c in CELLS if c in self.ranges]
        return f"{self._count}: {', '.join(ranges)}."

    @property
    def _count(self) -> str:
        """How many tables agree, in words."""
        kind = "whole-number table" if self.integers else "table"
        what = "these digits" if any(g.printed for g in self.given) else "these values"
        if self.status == "unique":
            return f"exactly one {kind} has {what}"
        more = "" if self.complete else "more than "
        return f"{more}{len(self.outcome.tables):,} {kind}s have {what}"

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Metrics that the report leaves free."""
        return () if self.outcome.region is None else free(self.outcome.region)

    @cached_property
    def settling(self) -> tuple[str, ...]:
        """Metrics of which one more value would settle the table."""
        return () if self.outcome.region is None else settling(self.outcome.region)

    @cached_property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The lowest and highest value of every count and metric over all tables that agree, or a little beyond."""
        listed = (*(quantity(x) for x in (*CELLS, "n")), *shown())
        if self.outcome.region is not None:
            spans = self.outcome.region.spans(listed)
        elif not self.complete:
            return self._wider(listed)
        else:
            spans = [_span(np.asarray(q.at(self.outcome.tables))) for q in listed]
        return {q.name: span for q, span in zip(listed, spans, strict=True) if span is not None}

    def _wider(self, listed: Sequence[Quantity]) -> dict[str, tuple[float, float]]:
        """Ranges over all tables, whole or not, where not all whole ones are listed; counts in whole numbers."""
        try:
            real_ones = outcome(self.given, proved=False).region
        except BadSetting:  # too large for tables of fractions
            real_ones = None
        if real_ones is None:
            found = linear_spans(self.given, listed)
        else:
            spans = zip(listed, real_ones.spans(listed), strict=True)
            found = {q.name: span for q, span in spans if span is not None}
        sums = {q.name for q in listed if q.sized}
        return {k: (math.ceil(a - 1e-6), math.floor(b + 1e-6)) if k in sums else (a, b) for k, (a, b) in found.items()}

    def measure(self, name: str) -> Any:
        """The value of a metric or count at the table, or at each of the tables."""
        values = np.asarray(quantity(full_name(name)).at(self.outcome.tables))
        return real(values[0]) if self.status == "unique" else values

    # -- posterior

    def posterior(self, metric: str = "f1", *, prior: Any = "even", seed: int = 0) -> Distribution:
        """The posterior of a metric given the report: over all its whole-number tables, by their probability."""
        return over_tables(self._whole(), self.complete, metric, prior, seed)

    def with_posterior(
        self,
        metrics: str | Sequence[str] = "f1",
        *,
        prior: Any = "even",
        level: float = 0.95,
        interval: str = AUTO,
        seed: int = 0,
    ) -> Solution:
        """The same solution with the posteriors of some metrics in its document, and under its table.

        >>> from howsure.relations import solve
        >>> s = solve(precision="0.75", recall="0.60", n=50, integers=True).with_posterior("f1")
        >>> [(row["metric"], round(row["low"], 3), round(row["high"], 3)) for row in s.to_dict()["posterior"]]
        [('f1', 0.334, 0.857)]
        """
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        rows = rows_over_tables(self._whole(), self.complete, names, prior, level, interval, seed)
        return replace(self, posteriors=rows)

    def _whole(self) -> Array:
        """The tables, if there are some and all are of whole numbers."""
        if not len(self.outcome.tables):
            raise BadSetting(f"a posterior needs tables, and there are none: {self.why}")
        _ = self.tally  # tells what is missing
        return self.outcome.tables

    # -- document

    @property
    def notes(self) -> Notes:
        """What is to be said of the tables."""
        fractions = (self.outcome.tables != np.round(self.outcome.tables)).any()
        made = (
            (_SHARES, not self.counted and self.status not in ("infeasible", "not-found")),
            (_FRACTIONS, self.counted and fractions),
            (_INCOMPLETE, not self.complete),
            (_OPEN if self.status == "undetermined" else _NONE, self.unanswered),
        )
        return (*self.remarks, *(note for note, there in made if there))

    def _make(self) -> dict[str, Any]:
        document = envelope("howsure.solve/2", self._rows(), notes=self.notes, **self.posteriors.settings)
        return document | {
            "status": self.status,
            "why": self.why,
            "alternative": None if self.alternative is None else self.alternative.document,
            "given": [
                {"name": g.name, "shown": g.shown, "low": float(g.low), "high": float(g.high)} for g in self.given
            ],
            "integers": self.integers,
            "complete": self.complete,
            "tables": [dict(t) for t in self.tables],
            "ranges": self._ranges() if self.status in ("several", "undetermined") else [],
            "free": list(self.free),
            "settled_by": list(self.settling),
            "posterior": list(self.posteriors.rows),
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row per table, or a row per metric where tables are too many to list."""
        if self.status == "undetermined":
            return self._ranges()
        columns = {name: np.asarray(quantity(name).at(self.outcome.tables)) for name in ("n", *_COLUMNS)}
        return [
            {**cells, "n": number(columns["n"][i]), **{k: real(columns[k][i]) for k in _COLUMNS}}
            for i, cells in enumerate(self.tables)
        ]

    def _ranges(self) -> list[dict[str, Any]]:
        return [{"metric": k, "low": real(a), "high": real(b)} for k, (a, b) in self.ranges.items()]

    def __repr__(self) -> str:
        if self.status == "unique":
            return f"Solution({', '.join(f'{k}={v:.10g}' for k, v in self.table.items())})"
        if self.status == "several":
            return f"Solution(several: {self._count})"
        return f"Solution({self.status}: {self.why.rstrip('.')})"


def _between(low: float, high: float) -> str:
    """88 to 92, or one number."""
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _span(values: Array) -> tuple[float, float] | None:
    values = values[~np.isnan(values)]
    return (float(values.min()), float(values.max())) if values.size else None
