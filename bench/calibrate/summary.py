"""What the tables of the study come to: figures by measure and method, and where another method is nearer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from bench.coverage_data import Row, Table

LEVEL, ALARM = 0.95, 0.05
LOW, HIGH = 0.93, 0.97  # coverage outside by more than two standard errors is said to be low, or high
MOST_ALARMS: Final = 0.06
OURS, HDI = "howsure", "howsure, hdi"
METHODS: Final = (
    OURS, HDI, "Wald", "Wilson", "Student's t", "percentile", "BCa", "confidenceinterval", "prob_conf_mat", "evalstats",
)  # fmt: skip
PACKAGES: Final = METHODS[-3:]
TESTS: Final = (
    OURS, "McNemar, exact", "McNemar, mid-p", "sign test", "Student's t", "Wilcoxon", "bootstrap", "permutation",
    "prob_conf_mat", "evalstats",
)  # fmt: skip
INTERVAL_GROUPS: Final[Mapping[str, tuple[str, str]]] = {  # what the page calls it: the table, and the measure
    "rate": ("rates", "rate"), "accuracy": ("tables", "accuracy"), "precision": ("tables", "precision"),
    "recall": ("tables", "recall"), "F1": ("tables", "f1"), "phi": ("tables", "phi"),
    "macro-F1": ("classes", "macro-f1"), "graded mean": ("graded", "mean"), "query mean": ("queries", "mean"),
}  # fmt: skip
TEST_GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "right or wrong": ("pairs", "rate"), "F1": ("paired tables", "f1"), "macro-F1": ("paired classes", "macro-f1"),
    "graded values": ("paired values", "mean"), "queries (AP)": ("paired queries", "mean"),
}  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """What one method did in one case."""

    group: str
    method: str
    case: Mapping[str, Any]
    tests: int
    figures: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.figures[name]

    @property
    def coverage(self) -> float:
        return float(self.figures["coverage"])

    @property
    def error(self) -> float:
        return float(self.figures["error"])

    @property
    def low(self) -> bool:
        """Whether coverage is below .93, by more than two standard errors."""
        return self.coverage < LOW - 2 * self._error_at(LOW)

    @property
    def high(self) -> bool:
        """Whether coverage is above .97, by more than two standard errors."""
        return self.coverage > HIGH + 2 * self._error_at(HIGH)

    @property
    def alarms(self) -> bool:
        """Whether there are more false alarms than .06, by more than two standard errors."""
        return float(self.figures["called"]) > MOST_ALARMS + 2 * self._error_at(MOST_ALARMS)

    @property
    def power(self) -> float:
        """How often the better system was called better."""
        return float(self.figures["called"]) - float(self.figures["wrong way"])

    @cached_property
    def key(self) -> tuple[Any, ...]:
        return tuple(self.case.items())

    def _error_at(self, share: float) -> float:
        return math.sqrt(share * (1 - share) / self.tests) if self.tests else 0.0


def cells(tables: Mapping[str, Table], groups: Mapping[str, tuple[str, str]]) -> list[Cell]:
    """All cells of some groups of measures."""
    return [
        cell
        for group, (name, measure) in groups.items()
        if name in tables
        for cell in _of(tables[name], group, measure)
    ]


def _of(table: Table, group: str, measure: str) -> Iterator[Cell]:
    for row in table.rows:
        if measure in row.held:
            yield Cell(
                group, row.method, row.case, _tests(row), dict(zip(table.figures, row.held[measure], strict=True))
            )


def _tests(row: Row) -> int:
    return int(row.tests[0])


def where(found: Sequence[Cell], **what: Any) -> list[Cell]:
    """The cells with this group, method, or property of the case."""
    own = ("group", "method")
    return [c for c in found if all((getattr(c, k) if k in own else c.case.get(k)) == x for k, x in what.items())]


def by_case(found: Sequence[Cell], method: str = OURS) -> dict[tuple[Any, ...], Cell]:
    """The cells of a method, by case."""
    return {(c.group, c.key): c for c in found if c.method == method}


# -- intervals -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """One method over the cases of a measure."""

    method: str
    cases: int
    mean: float  # coverage
    lowest: float
    below: int  # cases with low coverage
    above: int
    given: float | None  # of the intervals that were given, how many held, on average
    distance: float  # of coverage from .95, on average
    too_low: float
    too_high: float
    width: float | None  # times that of howsure, the middle case
    score: float | None  # the interval score times that of howsure, the geometric mean over cases
    error: float  # the largest standard error of a case


def held(found: Sequence[Cell], group: str, method: str) -> Held | None:
    """Over the cases of a measure."""
    here, ours = where(found, group=group, method=method), by_case(where(found, group=group))
    if not here:
        return None
    x = np.array([c.coverage for c in here])
    given = [c.coverage / (1 - c["none"]) for c in here if c["none"] < 0.99]
    return Held(
        method, len(here), float(x.mean()), float(x.min()), sum(c.low for c in here), sum(c.high for c in here),
        float(np.mean(given)) if given else None, float(np.abs(x - LEVEL).mean()),
        float(np.mean([c["too low"] for c in here])), float(np.mean([c["too high"] for c in here])),
        _ratio(here, ours, "width", np.median), _ratio(here, ours, "score", _geometric),
        max(c.error for c in here),
    )  # fmt: skip


def _ratio(here: Sequence[Cell], ours: Mapping[Any, Cell], name: str, middle: Any) -> float | None:
    found = [(c[name], ours[c.group, c.key][name]) for c in here if (c.group, c.key) in ours]
    known = [a / b for a, b in found if a is not None and b]
    return float(middle(known)) if known else None


def _geometric(x: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(np.maximum(x, 1e-300)))))


def ranked(found: Sequence[Cell], group: str) -> list[Held]:
    """The methods of a measure, that whose coverage is nearest to .95 on average first."""
    here = where(found, group=group)
    known = (held(here, group, m) for m in METHODS)
    return sorted((h for h in known if h is not None), key=lambda h: h.distance)


def beaten(found: Sequence[Cell], margin: float = 0.01) -> list[tuple[Cell, Cell]]:
    """Cases of howsure outside .93 to .97 in which another is nearer to .95, by the margin and two standard errors.

    With the other that leads most surely.
    """
    out: list[tuple[Cell, Cell]] = []
    there: dict[Any, list[Cell]] = {}
    for c in found:
        there.setdefault((c.group, c.key), []).append(c)
    for key, own in by_case(found).items():
        if own.low or own.high:
            others = [c for c in there[key] if c.method not in (OURS, HDI)]
            best = max(others, key=lambda c: _lead(c, own))
            if _lead(best, own) > margin:
                out.append((own, best))
    return sorted(out, key=lambda x: -abs(x[0].coverage - LEVEL))


def _lead(other: Cell, own: Cell) -> float:
    """How much nearer to .95 the other is, at least: less two standard errors."""
    return abs(own.coverage - LEVEL) - abs(other.coverage - LEVEL) - 2 * math.hypot(own.error, other.error)


def failures(found: Sequence[Cell], method: str, group: str) -> dict[str, tuple[float, int]]:
    """How many of the simulated tests had no interval, one of no width, or one outside the range; and of how many."""
    here = [c for c in where(found, group=group, method=method) if c.tests]
    tests = sum(c.tests for c in here)
    return {x: (sum(c[x] * c.tests for c in here), tests) for x in ("none", "zero", "outside")}


# -- comparisons -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Called:
    """One test over the designs of a kind."""

    method: str
    cases: int
    alarms: float  # false ones, on average
    most: float
    above: int  # designs with more than .06
    power: float | None
    gain: float | None  # of power over howsure's, on average over designs
    doubt: float  # two standard errors of the gain
    wrong: float | None  # better systems called worse, at most
    none: float
    error: float


def called(found: Sequence[Cell], group: str, method: str) -> Called | None:
    """Over the designs of a kind."""
    equal, better = (where(found, group=group, method=method, systems=x) for x in ("equal", "better"))
    if not equal:
        return None
    ours = by_case(where(found, group=group, systems="better"))
    gain = [c.power - ours[c.group, c.key].power for c in better]
    doubt = 2 * math.hypot(*(x.error for c in better for x in (c, ours[c.group, c.key]))) / max(len(better), 1)
    x = [float(c["called"]) for c in equal]
    return Called(
        method, len(equal), float(np.mean(x)), max(x), sum(c.alarms for c in equal),
        float(np.mean([c.power for c in better])) if better else None, float(np.mean(gain)) if gain else None, doubt,
        max((float(c["wrong way"]) for c in better), default=None),
        float(np.mean([c["none"] for c in (*equal, *better)])), max(c.error for c in (*equal, *better)),
    )  # fmt: skip


def twin(found: Sequence[Cell], cell: Cell) -> Cell | None:
    """The design with equal systems that belongs to one with a better system, of the same method."""
    case = {k: x for k, x in cell.case.items() if k not in ("systems", "gap")}
    return next(iter(where(found, group=cell.group, method=cell.method, systems="equal", **case)), None)
