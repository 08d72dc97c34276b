"""Measures that the engine does not have, computed by ir-measures (extra `trec`), by its rules."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.errors import BadSetting, UnknownName

_HIGHEST: Final = 1000  # of grades: its programs count, and loop over, all grades up to the highest
_RANGES: Final = {  # of parameters that it would take whatever they are
    "cutoff": (1, 10**9), "rel": (1, _HIGHEST), "min_rel": (0, _HIGHEST), "max_rel": (1, _HIGHEST), "p": (0, 1),
    "alpha": (0, 1), "beta": (0, 1e6), "T": (1e-6, 1e6), "recall": (0, 1),
}  # fmt: skip


@dataclass(frozen=True)
class Foreign:
    """A measure of ir-measures."""

    measure: Any
    trec_eval: str | None = None

    def __str__(self) -> str:
        return str(self.measure)

    def values(self, qrels: Mapping[str, Any], run: Mapping[str, Any], queries: Sequence[str]) -> Array:
        """The value of every query, NaN where ir-measures gives none; mostly it has 0 where the run lacks a query."""
        import ir_measures

        numbers = {str(k): q for k, q in enumerate(queries, 1)}  # some of its programs take no other names of queries
        judged = {k: {d: int(grade) for d, grade in qrels[q].items()} for k, q in numbers.items()}
        ranked = {k: {d: float(x) for d, x in run[q].items()} for k, q in numbers.items() if run.get(q)}
        highest = max((max(grades.values()) for grades in judged.values()), default=0)
        if highest > _HIGHEST:
            raise BadSetting(
                f"ir-measures takes grades up to {_HIGHEST:,} for {self}; the highest here is {highest:,}."
            )
        try:
            with _in_silence():
                found = {numbers[x.query_id]: x.value for x in ir_measures.iter_calc([self.measure], judged, ranked)}
                values = np.array([found.get(q, np.nan) for q in queries], dtype=np.float64)
        except Exception as error:  # noqa: BLE001 - whatever happens in there, it is no mistake of ours
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise BadSetting(f"ir-measures cannot compute {self} here: {reason}") from None
        if np.isinf(values).any():
            raise BadSetting(f"ir-measures gives {self} an infinite value here.")
        return values


@contextlib.contextmanager
def _in_silence() -> Iterator[None]:
    """Its warnings, logs and prints are kept off the terminal: what is to be said is in notes."""
    loggers = [logging.getLogger(name) for name in ("ir_measures", "ir_measures.cwl_eval")]
    before = [logger.disabled for logger in loggers]
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.disabled = True
        try:
            yield
        finally:
            for logger, was in zip(loggers, before, strict=True):
                logger.disabled = was


def is_measure(x: Any) -> bool:
    """Whether this is a measure of ir-measures itself, as ir_measures.nDCG @ 10 is."""
    return type(x).__module__.partition(".")[0] == "ir_measures"


def foreign(given: Any, error: UnknownName | None = None, own: Collection[str] = ()) -> Foreign:
    """A measure of ir-measures, or that of a name it knows; else the error of the engine, which has `own` measures."""
    try:
        import ir_measures
    except ImportError:
        first = str(error).partition(" Own measures")[0]
        raise UnknownName(f"{first} Measures beyond our own need ir-measures: pip install 'howsure[trec]'.") from None
    with _in_silence():
        measure = given if is_measure(given) else _parsed(ir_measures, given)
        wrong = "" if measure is None else _wrong(measure)
    if measure is not None and not wrong and measure.NAME == "NumQ":
        raise UnknownName("NumQ is the number of queries, the same for every run: `queries` in the data has it.")
    if error is not None and (measure is None or (wrong and measure.NAME in own)):
        raise error
    if wrong:
        raise BadSetting(f"{measure.NAME} is a measure of ir-measures, which refuses these parameters: {wrong}.")
    return Foreign(measure)


def _wrong(measure: Any) -> str:
    """What is wrong with its parameters, "" for nothing; its texts need parameters that it knows."""
    try:
        measure.validate_params()
        str(measure)
    except (AssertionError, KeyError, TypeError) as error:
        return " ".join(str(error).split())
    for name, value in measure.params.items():
        low, high = _RANGES.get(name, (0, 0))
        if name in _RANGES and (isinstance(value, bool) or not low <= value <= high):
            return f"{name} is a number from {low:g} to {high:,g}, not {value!r}"
        if name == "gains" and not all(_whole(x) for pair in value.items() for x in pair):
            return f"gains go from grade to gain, both whole numbers from 0 to {_HIGHEST:,}"
    return ""


def _whole(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and 0 <= x <= _HIGHEST


def _parsed(library: Any, name: str) -> Any:
    with contextlib.suppress(Exception):
        return library.parse_measure(name)
    try:
        found = library.parse_trec_measure(name)
    except Exception:  # noqa: BLE001 - a name that it does not know, or stumbles over
        return None
    return found[0] if len(found) == 1 else None
