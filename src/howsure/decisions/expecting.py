"""What is expected of a system, as the table that future items are drawn from: measures to shares of its cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric, parse
from howsure.catalogue.retrieval import is_ranking
from howsure.errors import BadSetting, HowsureError
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.expressions import CELLS
from howsure.forms import Linear
from howsure.language import option, spelled
from howsure.relations.quantities import quantity
from howsure.relations.solution import Solution
from howsure.relations.solving import solve
from howsure.settings import finite

Array = NDArray[np.float64]

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
