"""How wide intervals and how sure decisions will be with future items, for plans."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from howsure._solve import solve
from howsure.arrays import Array, Mask
from howsure.catalogue import Metric, parse
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.retrieval import is_ranking
from howsure.distributions.future_counts import GROUPS
from howsure.errors import BadSetting, HowsureError
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.messages.language import option, spelled
from howsure.messages.verdicts import decisive
from howsure.posteriors.state import Outlook, Seen
from howsure.relations.quantities import quantity
from howsure.relations.solution import Solution
from howsure.validate import finite

# -- expecting
#
# What is expected of a system, as the table that future items are drawn from: measures to shares of its cells.


_GROUPS: Final = {  # sums of cells that measures tell
    **{frozenset({c}): c for c in CELLS},
    frozenset({"tp", "tn"}): "accuracy",
    frozenset({"fp", "fn"}): "error-rate",
    frozenset({"tp", "fn"}): "prevalence",
    frozenset({"tp", "fp"}): "bias",
}
_SETTLED: Final = 1e-9
_SUCH: Final = "recall, precision and prevalence"
_SETTLING: Final = {"prevalence": 0.2, "precision": 0.8, "recall": 0.8, "specificity": 0.8, "bias": 0.2}  # as examples
_MEANT: Final = {"prevalence": " (the share of positives)", "bias": " (the share called positive)"}
_TRIED: Final = (0.2, 0.5, 0.8, 0.05)  # of which one mostly goes with the others


def expected_table(expected: Any, metric: Any) -> tuple[Any, Array, str]:
    """An empty table of the kind that the measures are of, the shares of its patterns, and the measure asked for."""
    given = _checked(expected)
    _refuse_of_scores([*given, *([metric] if isinstance(metric, str) else [])])
    if list(given) == ["rate"]:
        rate = given["rate"]
        if not 0.0 < rate < 1.0:
            raise BadSetting(f"the expected rate lies between 0 and 1, such as 0.8; got {rate:g}.")
        return Outcomes.rate(hits=0, of=0), np.array([1.0 - rate, rate]), "rate" if metric is None else metric
    asked = "f1" if metric is None else metric
    cells = _cells(given, asked)
    empty = Tally.binary(tp=0, fp=0, fn=0, tn=0)
    return empty, np.array([cells[c] for c in ("tn", "fp", "fn", "tp")]), asked


def _checked(expected: Any) -> dict[str, float]:
    if not isinstance(expected, Mapping) or not expected:
        example = "{'recall': 0.8, 'precision': 0.7, 'prevalence': 0.1}"
        raise BadSetting(f"{option('expected')} is a mapping from measures to values, such as {example}; "
                         f"got {expected!r}.")  # fmt: skip
    found: dict[str, float] = {}
    for name, x in expected.items():
        value = finite(x)
        if math.isnan(value):
            raise BadSetting(f"the expected {name} must be a number; got {x!r}.")
        found[str(name).strip().lower() if str(name).strip().lower() == "rate" else str(name)] = value
    if "rate" in found and len(found) > 1:
        raise BadSetting(f"rate is of passes and fails, and stands alone: leave out {_others(found)}, or the rate.")
    return found


def _refuse_of_scores(names: Iterable[str]) -> None:
    """Measures of scores have no table of four shares."""
    of_scores = next((x for x in names if is_ranking(x)), None)
    if of_scores is not None:
        told = f"{of_scores} is of scores, and {option('expected')} tells the shares of a table"
        way = f"Give {_SUCH}, or rate; or a pilot, cut with {option('threshold')}"
        raise BadSetting(f"no plan is made for an expected {of_scores}: {told}. {way}.")


def _others(found: Mapping[str, float]) -> str:
    return " and ".join(name for name in found if name != "rate")


def _cells(given: dict[str, float], asked: Any) -> dict[str, float]:
    """The shares of the four cells, as far as the measure looks at them."""
    solved = solve(given)
    if solved.status == "unique":
        if solved.counted:
            raise BadSetting(f"{option('expected')} takes measures, not counts: leave out n and counts of cells.")
        return {c: float(x) for c, x in solved.table.items()}
    if solved.status == "undetermined":
        found = _groups(solved, parse(asked))
        if found is not None:
            return found
        got, lacks = " and ".join(given), _lacking(given, asked)
        if lacks is not None:
            more = spelled(f"{{{lacks!r}: {_SETTLING[lacks]}}}", f"{lacks}={_SETTLING[lacks]}")
            told = f"what n items tell of {asked} depends on {lacks}{_MEANT.get(lacks, '')} too"
            raise BadSetting(f"{option('expected')} gives {got} alone, and {told}: add it, such as {more}.")
        told = f"{option('expected')} gives {got} alone, which many tables have"
        raise BadSetting(f"{told}. Give measures that settle the table, such as {_SUCH}.")
    if solved.status == "several":
        raise BadSetting(f"{option('expected')} fits several tables: {solved.why.rstrip('.')}; add one more measure.")
    raise BadSetting(f"{option('expected')} contradicts itself: {solved.why}")


def _lacking(given: Mapping[str, float], asked: Any) -> str | None:
    """The one measure that would settle what is asked for, whatever its value; None where it takes more."""
    for name in (x for x in _SETTLING if quantity(x) not in map(quantity, given)):
        for value in _TRIED:
            found = solve({**given, name: value})
            if found.status == "unique" or (
                found.status == "undetermined" and _groups(found, parse(asked)) is not None
            ):
                return name
    return None


def _groups(solved: Solution, metric: Metric) -> dict[str, float] | None:
    """Shares of the cells where the sums that a quotient looks at are settled, whatever is within them."""
    where = solved.outcome.region
    try:
        form = metric.reading.form
    except HowsureError:
        return None
    if where is None or not isinstance(form, Linear):
        return None
    kinds: dict[tuple[float, float], list[str]] = {}
    for cell, above, below in zip(CELLS, form.top, form.bottom, strict=True):
        kinds.setdefault((above, below), []).append(cell)
    out: dict[str, float] = {}
    for cells in kinds.values():
        name, left = _GROUPS.get(frozenset(cells)), frozenset(CELLS) - frozenset(cells)
        span = where.spans((quantity(name if name is not None else _GROUPS[left]),))[0]
        if span is None or span[1] - span[0] > _SETTLED:
            return None
        share = 0.5 * (span[0] + span[1])
        out |= dict.fromkeys(cells, (share if name is not None else 1.0 - share) / len(cells))
    return out


# -- foresight
#
# Foresight: the smallest number of units with which a goal is reached, from what future data sets would show.
#
# With `assurance` the share of data sets that reach the goal is at least so much; on average it is reached where the
# mean width, or the mean probability, reaches it. Data sets of different sizes go together (posteriors/state.py), so
# both move smoothly with n, and n is found by false position on the logarithm of n, on scales on which they are
# nearly straight.

Kind = Literal["width", "above", "below", "difference"]

FIRST: Final = 100  # units that are tried first
_CLOSE: Final = 2e-3  # how far n may be off, as a share, where data sets are drawn
_MOST_LISTED: Final = 20_000
_SURE: Final = 1e-9
_CURVE: Final = 19
_SHORT_CURVE: Final = 7
_QUICK: Final = 256  # data sets, from which laws are quick
_COARSER: Final = 4  # fewer data sets for a point of the curve


@dataclass(frozen=True)
class Goal:
    """What is to be reached, and with what level and assurance."""

    kind: Kind
    value: float | None
    level: float
    interval: str
    assurance: float

    @property
    def needed(self) -> float:
        """The probability that shows the claim; that one system is better, as verdicts have it."""
        return decisive(self.level) if self.kind == "difference" else self.level

    def document(self) -> dict[str, Any]:
        """As JSON has it; a width needs no probability."""
        return {"kind": self.kind, "value": self.value, "probability": None if self.kind == "width" else self.needed}


@dataclass(frozen=True)
class Glimpse:
    """What n units give: the width on average and with the assurance, P(goal reached), the mean probability."""

    n: int
    width_average: float | None
    width_assured: float | None
    power: float | None
    p_average: float | None
    error: float  # of the power: three standard errors

    def row(self) -> dict[str, Any]:
        """As it stands in a document."""
        return {
            "n": self.n, "width_average": self.width_average, "width_assured": self.width_assured,
            "power": self.power, "p_average": self.p_average,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Foresight:
    """An outlook with a goal; points that were looked at are kept."""

    outlook: Outlook
    goal: Goal
    seen: dict[tuple[int, int, int], Glimpse] = field(default_factory=dict)

    def at(self, n: int, part: int = 1, fresh: int = 0) -> Glimpse:
        """What n units give."""
        key = (n, part, fresh)
        if key not in self.seen:
            self.seen[key] = self._look(n, part, fresh)
        return self.seen[key]

    def _look(self, n: int, part: int, fresh: int) -> Glimpse:
        g = self.goal
        if g.kind == "width":
            found = self.outlook.widths(n, g.level, g.interval, part, fresh)
            reached = None if g.value is None else found.values <= g.value
            share, error = (None, 0.0) if reached is None else _share(reached, found.weights)
            return Glimpse(n, _mean(found), _quantile(found, g.assurance), share, None, error)
        limit = 0.0 if g.kind == "difference" or g.value is None else g.value
        found = self.outlook.chances(n, limit, part, fresh)
        found = found._replace(values=1.0 - found.values) if g.kind == "below" else found
        share, error = _share(found.values >= g.needed, found.weights)
        return Glimpse(n, None, None, share, _mean(found), error)

    # -- how far from the goal, on a scale on which n^½ is nearly straight

    def assured(self, p: Glimpse) -> float:
        """Above 0 where the goal is reached with the assurance."""
        if self.goal.kind == "width":
            return _log_ratio(self.goal.value, p.width_assured)
        return _probit(p.power) - _probit(self.goal.assurance)

    def averaged(self, p: Glimpse) -> float:
        """Above 0 where it is reached on average."""
        if self.goal.kind == "width":
            return _log_ratio(self.goal.value, p.width_average)
        return _probit(p.p_average) - _probit(self.goal.needed)

    def smallest(self, margin: Callable[[Glimpse], float]) -> int | None:
        """The smallest n from which on the goal is reached; None where no n is large enough."""
        low, high = self._bracket(margin)
        if high is None:
            return None
        ends = 0  # how often the same end was moved, with its sign
        while high - low > (1 if self._listed(low) else max(1, int(_close(low) * low))):
            n = self._between(margin, low, high, ends)
            if margin(self.at(n)) >= 0:
                high, ends = n, max(ends, 0) + 1
            else:
                low, ends = n, min(ends, 0) - 1
        return self._lasting(margin, high)

    def _bracket(self, margin: Callable[[Glimpse], float]) -> tuple[int, int | None]:
        """A number that is too small (0, if none is) and one that is large enough, from what was looked at."""
        margins = {n: margin(p) for (n, part, fresh), p in self.seen.items() if (part, fresh) == (1, 0)}
        enough = [n for n, x in margins.items() if x >= 0]
        few = [n for n, x in margins.items() if x < 0 and n < min(enough, default=n + 1)]
        low, high = max(few, default=0), min(enough, default=None)
        while high is None:
            n = self._more(low, margins.get(low, 0.0))
            if margin(self.at(n)) >= 0:
                high = n
            elif n >= self.outlook.most:
                return n, None
            else:
                low, margins[n] = n, margin(self.at(n))
        while low == 0 and high > 1:  # what was tried first is large enough
            fewer = self._fewer(high, margin(self.at(high)))
            if margin(self.at(fewer)) >= 0:
                high = fewer
            else:
                low = fewer
        return low, high

    def _more(self, n: int, short: float) -> int:
        """A number that may be large enough: widths fall with the root of n."""
        if n == 0:
            return min(FIRST, self.outlook.most)
        grown = math.exp(min(-2.0 * short, 12.0)) * 1.02 if self.goal.kind == "width" else 4.0
        return min(max(int(n * grown), n + 1), self.outlook.most)

    def _fewer(self, n: int, over: float) -> int:
        shrunk = math.exp(-2.0 * over) * 0.98 if self.goal.kind == "width" else 0.25
        return max(min(int(n * max(shrunk, 0.05)), n - 1), 1)

    def _between(self, margin: Callable[[Glimpse], float], low: int, high: int, ends: int) -> int:
        """By interpolation; a little beyond it where one end has been moved before, so that the other comes too."""
        if low == 0:
            return max((low + high) // 2, 1)
        a, b = margin(self.at(low)), margin(self.at(high))
        share = -a / (b - a) if np.isfinite([a, b]).all() and b > a else 0.5
        if abs(ends) > 2:
            share = 0.5
        straight: Any = (math.log, math.exp) if self.goal.kind == "width" else (math.sqrt, lambda x: x * x)
        n = straight[1]((1 - share) * straight[0](low) + share * straight[0](high))
        aside = 0.5 if self._listed(n) else 0.4 * _close(n) * n
        n += -aside if ends > 0 else aside if ends < 0 else 0.0
        return int(min(max(round(n), low + 1), high - 1))

    def _listed(self, n: float) -> bool:
        """Whether every n is looked at by itself: data sets are listed, and not too many."""
        return self.outlook.exact and n <= _MOST_LISTED

    def _lasting(self, margin: Callable[[Glimpse], float], n: int) -> int:
        """Of listed data sets, where the share goes up and down from n to n + 1: where it stays up."""
        if not self._listed(n):
            return n
        ahead = n
        while ahead <= n + 5 + int(1.5 * math.sqrt(n)):
            if margin(self.at(ahead)) < 0:
                n = ahead + 1
            ahead += 1
        return n

    def curve(self, n: int) -> tuple[Glimpse, ...]:
        """Points around n: from an eighth of it to eight times as many, n among them; fewer of laws that take long."""
        many, part = (_CURVE, _COARSER) if self.outlook.pace >= _QUICK else (_SHORT_CURVE, 1)
        each = np.unique(np.round(n * 2.0 ** np.linspace(-3, 3, many)).astype(int))
        kept = [int(x) for x in each if 1 <= x <= self.outlook.most]
        return tuple(self.at(x) if x == n else self.at(x, part) for x in sorted({*kept, n}))


def _close(n: float) -> float:
    """How far n may be off, as a share: widths of large data sets hardly differ, and tell n apart well."""
    return min(_CLOSE, 0.1 / math.sqrt(max(n, 1.0)))


def _mean(found: Seen) -> float:
    return float(np.average(found.values, weights=found.weights))


def _quantile(found: Seen, q: float) -> float:
    """The smallest value that at least a share q does not exceed."""
    order = np.argsort(found.values)
    weights = np.full(len(order), 1.0 / len(order)) if found.weights is None else found.weights[order]
    at = int(np.searchsorted(np.cumsum(weights), q - _SURE))
    return float(found.values[order[min(at, len(order) - 1)]])


def _share(reached: Mask, weights: Array | None) -> tuple[float, float]:
    """The share of data sets, and three standard errors of it: from groups that are drawn apart."""
    if weights is not None:
        return min(float(weights[reached].sum()), 1.0) if not reached.all() else 1.0, 1e-9
    share, many = float(reached.mean()), len(reached)
    if many % GROUPS:
        return share, 3.0 * math.sqrt(max(share * (1.0 - share), 1.0 / many) / many)
    each = reached.reshape(GROUPS, -1).mean(axis=1)
    return share, max(3.0 * float(each.std(ddof=1)) / math.sqrt(GROUPS), 3.0 / many)


def _probit(p: float | None) -> float:
    from scipy import special

    return float(special.ndtri(min(max(0.0 if p is None else p, 1e-12), 1 - 1e-12)))


def _log_ratio(wanted: float | None, found: float | None) -> float:
    if wanted is None or found is None or not found > 0:
        return 0.0
    return math.log(wanted / found) if math.isfinite(found) else -6.0
