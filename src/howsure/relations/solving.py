"""solve: from reported measures to the 2x2 tables behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from howsure.errors import BadSetting
from howsure.language import option
from howsure.relations.joint import JointSolution, solve_together
from howsure.relations.outcomes import outcome, whole_outcome
from howsure.relations.solution import Solution
from howsure.relations.values import givens


@overload
def solve(
    measures: Mapping[str, Mapping[str, Any]],
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int = ...,
    ties: str = ...,
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = ...,
    **named: Any,
) -> JointSolution: ...
@overload
def solve(
    measures: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int = ...,
    ties: str = ...,
    wins: None = ...,
    **named: Any,
) -> Solution: ...
def solve(
    measures: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = None,
    integers: bool = False,
    most: int = 10_000,
    ties: str = "up",
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = None,
    **named: Any,
) -> Solution | JointSolution:
    """The 2x2 tables behind reported measures: one, several, undetermined or none.

    A number is exact; text such as "0.75" means every value that prints so, [0.745, 0.755); a pair is a range.
    With `integers=True` every whole-number table that agrees is listed, `most` at most; n may be a range (low, high).
    `ties="either"` allows both roundings of a tie. A mapping of mappings gives several systems tested on the same
    items, with what they share as keywords and `wins={("a", "b"): (only a right, only b right)}`.

    >>> solve(precision=0.75, recall=0.6, accuracy=0.85, n=200).table
    {'tp': 30, 'fp': 10, 'fn': 20, 'tn': 140}
    >>> solve(recall=0.8, specificity=0.8, accuracy=0.8, n=100).status
    'undetermined'
    """
    _check(measures, most)
    if measures and all(isinstance(x, Mapping) for x in measures.values()):
        shared = givens(None, n, named, ties=ties) if named or n is not None else ()
        return solve_together(measures, shared, wins or {}, most, ties)
    if wins:
        raise BadSetting(f"{option('wins')} is for several systems: give a mapping from each system to its measures.")
    known = givens(measures, n, named, ties=ties)
    if integers:
        return Solution(known, whole_outcome(known, most), integers=True)
    return Solution(known, outcome(known))


def _check(measures: Any, most: Any) -> None:
    """Settings of the right kind."""
    if measures is not None and not isinstance(measures, Mapping):
        raise BadSetting(f"measures are a mapping from names to values; got {type(measures).__name__}.")
    kinds = {isinstance(x, Mapping) for x in (measures or {}).values()}
    if len(kinds) > 1:
        alone = next(name for name, x in (measures or {}).items() if not isinstance(x, Mapping))
        raise BadSetting(f"several systems need a mapping each; {alone!r} has none: give what they share as keywords.")
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise BadSetting(f"{option('most')} is a whole number from 1; got {most!r}.")
