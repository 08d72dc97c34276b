"""Measures that the engine does not have, computed by ir-measures (extra `trec`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from subprocess import SubprocessError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting, UnknownName


@dataclass(frozen=True)
class Foreign:
    """A measure of ir-measures, by its name there."""

    name: str
    trec_eval: str | None = None

    def __str__(self) -> str:
        return self.name

    def values(self, qrels: Mapping[str, Any], run: Mapping[str, Any], queries: Sequence[str]) -> NDArray[np.float64]:
        """The value of every query, 0 where the run lacks it."""
        import ir_measures

        measure = _parsed(ir_measures, self.name)
        numbers = {str(k): q for k, q in enumerate(queries, 1)}  # some of its programs take no other names of queries
        judged = {k: dict(qrels[q]) for k, q in numbers.items()}
        ranked = {k: dict(run[q]) for k, q in numbers.items() if run.get(q)}
        try:
            found = {numbers[x.query_id]: float(x.value) for x in ir_measures.iter_calc([measure], judged, ranked)}
        except (ValueError, RuntimeError, TypeError, KeyError, AssertionError, OSError, SubprocessError) as error:
            reason = " ".join(str(error).split())[:200]
            raise BadSetting(f"ir-measures cannot compute {self.name} here: {reason}") from None
        return np.array([found.get(q, 0.0) for q in queries])


def is_measure(x: Any) -> bool:
    """Whether this is a measure of ir-measures itself, as ir_measures.nDCG @ 10 is."""
    return type(x).__module__.partition(".")[0] == "ir_measures"


def foreign(name: str, error: UnknownName) -> Foreign:
    """The measure of a name that ir-measures knows; else the error of the engine, with what else there is."""
    try:
        import ir_measures
    except ImportError:
        first = str(error).partition(" Own measures")[0]
        raise UnknownName(f"{first} Measures beyond our own need ir-measures: pip install 'howsure[trec]'.") from None
    measure = _parsed(ir_measures, name)
    if measure is None:
        raise error
    return Foreign(str(measure))


def _parsed(library: Any, name: str) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return library.parse_measure(name)
        except (ValueError, NameError, AssertionError, TypeError):
            pass
        try:
            found = library.parse_trec_measure(name)
        except (ValueError, KeyError):
            return None
    return found[0] if len(found) == 1 else None
