"""Columns of probabilities, or of other numbers, that are given as predictions: refused, with what to write instead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import numpy as np

from howsure.errors import BadLabels, Remedy, listing
from howsure.io.columns import Column
from howsure.io.groups import Groups
from howsure.io.request import Request
from howsure.io.typed_text import typed
from howsure.messages.language import option, spelled
from howsure.validate import completed, in_order, usual_positive

_LARGEST: Final = 1e300  # of numbers that are looked at as such


def refuse_scores(g: Groups, request: Request) -> None:
    """Refuse truths and predictions that are fractions."""
    if request.kind != "classes" or request.sep is not None or g.truth.sets:
        return
    told = _fraction(g.truth)
    if told is not None:
        way = f"Scores go with {option('score')}, graded values with {option('value')}."
        raise BadLabels(f"column {request.truth!r} holds {told} as a truth; truths are labels. {way}")
    for name, answer in zip(request.answers, g.answers, strict=True):
        x = None if answer.sets or (request.labels is not None and _texts(answer)) else _fraction(answer)
        if x is not None:
            _refuse(g, request, name, answer, x)


def _texts(column: Column) -> bool:
    return any(isinstance(x, str) for x in column.present)


def _numbers(column: Column) -> Mapping[Any, Any]:
    """The distinct values as numbers, of texts those that they spell; nothing where one is none."""
    levels = [column.levels[i] for i in column.used if i >= 0]
    values = typed(levels) if all(isinstance(x, str) for x in levels) else {x: x for x in levels}
    known = {x: v for x, v in values.items() if v is not None}
    return known if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known.values()) else {}


def _fraction(column: Column) -> Any:
    """The least value that is no whole number, as it is written, where all are numbers."""
    numbers = {x: v for x, v in _numbers(column).items() if math.isfinite(v)}
    if not all(abs(v) < _LARGEST for v in numbers.values()):
        return None  # names
    found = {x: v for x, v in numbers.items() if isinstance(v, float) and not v.is_integer()}
    return min(found, key=lambda x: found[x], default=None)


def _refuse(g: Groups, request: Request, name: str, answer: Column, x: Any) -> NoReturn:
    truths = in_order(frozenset(g.truth.present))
    said = f"column {name!r} holds {x}"
    if len(truths) > 2:
        told = f"{said}, which is no label of {request.truth!r} ({listing(truths)})"
        raise BadLabels(f"{told}; give a column of labels, or graded values as {option('value')}.")
    own: dict[str, Any] = {"truth": request.truth, "score": name}
    if request.positive is None and usual_positive(completed(set(truths))) is None:
        own["positive"] = _highest(g, answer)
    elif request.positive is not None:
        own["positive"] = request.positive
    cut = {**own, "threshold": _middle(_numbers(answer))}
    way = f"{option('score')} and {option('threshold')} in place of {option('pred')}"
    curve = spelled("hs.curve", "howsure curve")
    raise BadLabels(
        f"{said}: these look like scores; give {way}, or see {curve}.",
        remedies=[]
        if request.system is not None
        else [Remedy(cut, ("pred",), verb="score"), Remedy(own, verb="curve")],
    )


def _highest(g: Groups, answer: Column) -> Any:
    """The class whose numbers are the highest on average."""
    numbers = _numbers(answer)
    values = np.array([*(float(numbers.get(x, np.nan)) for x in answer.levels), np.nan])[answer.codes]
    used = ~np.isnan(values) & ~g.truth.missing
    means = {
        x: np.average(values[used & own], weights=g.counts[used & own])
        for i, x in enumerate(g.truth.levels)
        if g.counts[used & (own := g.truth.codes == i)].sum() > 0
    }
    return max(means, key=lambda x: means[x], default=next(iter(g.truth.levels), None))


def _middle(numbers: Mapping[Any, Any]) -> float:
    """A threshold to begin with: half of probabilities, 0 between numbers below and above it, else the median."""
    low, high = min(numbers.values()), max(numbers.values())
    if low >= 0 and high <= 1:
        return 0.5
    return 0.0 if low < 0 < high else float(f"{np.median(list(numbers.values())):.3g}")
