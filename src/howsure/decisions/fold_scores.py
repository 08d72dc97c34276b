"""Scores of cross-validation as they are given: lists, arrays of repeats by folds, frames; to one table of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.counting import refuse_unlike
from howsure.errors import BadCounts, BadLabels, BadSetting, listing
from howsure.language import option
from howsure.settings import finite

Array = NDArray[np.float64]

LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One column per system, one row per fold of every repeat."""

    values: Array
    systems: tuple[str, ...]
    repeats: int | None  # where the scores came as repeats by folds


def read(scores: Any) -> FoldScores:
    """The scores of two systems or more, on the same folds."""
    given = _by_system(scores)
    found = {str(name): _numbers(str(name), own) for name, own in given.items()}
    if len(found) < len(given):
        raise BadLabels(f"every system needs a name of its own; got {listing(given)}.")
    if len(found) < 2:
        only = "; got none" if not found else f"; got {listing(found)} alone"
        raise BadLabels(f"folds compares systems: give the scores of two or more{only}.")
    shapes = {name: x.shape for name, x in found.items()}
    first = next(iter(shapes))
    odd = next((name for name in shapes if shapes[name] != shapes[first]), None)
    if odd is not None:
        one, two = (" x ".join(map(str, shapes[x])) for x in (first, odd))
        raise BadLabels(f"all systems need scores of the same folds: {first!r} has {one}, and {odd!r} has {two}.")
    shape = shapes[first]
    if int(np.prod(shape)) < 2:
        raise BadCounts(f"folds needs the scores of 2 folds or more; got {int(np.prod(shape))}.")
    values = np.stack([x.ravel() for x in found.values()], axis=1)
    return FoldScores(values, tuple(found), shape[0] if len(shape) == 2 else None)


def share_tested(given: Any, scores: FoldScores) -> float:
    """The share of the data that each fold tests on: as given, or 1 of all folds of a repeat."""
    folds = None if scores.repeats is None else len(scores.values) // scores.repeats
    if given is None and folds is not None and folds > 1:
        return 1.0 / folds
    if given is None:
        raise BadSetting(
            f"folds needs {option('test_share')}, the share of the data that each fold tests on, such as 0.1 for "
            "10-fold cross-validation; or give the scores as an array of repeats x folds."
        )
    if not 0 < finite(given) < 1:
        hint = f" Did you mean {1 / given:g}?" if finite(given) > 1 else ""
        raise BadSetting(f"{option('test_share')} is a share of the data, between 0 and 1; got {given!r}.{hint}")
    return finite(given)


def _by_system(scores: Any) -> Mapping[Any, Any]:
    if isinstance(scores, Mapping):
        return scores
    names = getattr(scores, "columns", None)
    if names is None or isinstance(scores, type):
        raise BadSetting(
            "folds needs scores by system, {'a': [...], 'b': [...]}, or a data frame with a column per system; got "
            f"{type(scores).__name__}."
        )
    if len(set(names)) < len(names):
        raise BadLabels(f"every system needs a name of its own; got columns {listing(names)}.")
    return {name: scores[name] for name in names}


def _numbers(name: str, own: Any) -> Array:
    """The scores of one system: a list, or a table of repeats by folds; of scikit-learn's cross_validate its tests."""
    given = own["test_score"] if isinstance(own, Mapping) and "test_score" in own else own
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise BadSetting(f"the scores of {name!r} must be a list or an array of numbers; got {type(given).__name__}.")
    refuse_unlike(given, f"the scores of {name!r}", BadSetting)
    try:
        array = np.asarray(given if hasattr(given, "__array__") else list(given))
        numbers = array.astype(float)
    except (TypeError, ValueError):
        raise BadSetting(f"the scores of {name!r} must be numbers, one for each fold, or repeats x folds.") from None
    if array.dtype.kind not in "iuf" and not all(isinstance(x, (int, float)) for x in array.ravel()):
        raise BadSetting(f"the scores of {name!r} must be numbers; got {array.ravel().tolist()[0]!r}.")
    if numbers.ndim not in (1, 2):
        raise BadSetting(f"the scores of {name!r} must be a list, or repeats x folds; got {numbers.ndim} dimensions.")
    lost = ~(np.abs(numbers) <= LARGEST)
    if lost.any():
        at = int(np.argmax(lost.ravel()))
        raise BadCounts(
            f"the score of fold {at + 1} of {name!r} is {numbers.ravel()[at]:g}; every fold needs a number. Did a fit "
            "fail?"
        )
    return numbers
