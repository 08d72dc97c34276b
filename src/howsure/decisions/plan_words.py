"""A plan in a sentence."""

from __future__ import annotations

from typing import Any, Final

from howsure.render.numbers import short

_ONE: Final = {"items": "item", "clusters": "cluster", "queries": "query"}


def verdict(p: Any) -> str:
    """How many to label and what they give, or what a given number gives."""
    units, sure = f"{p.n:,} {p.unit if p.n != 1 else _ONE[p.unit]}", f"with probability {p.assurance:g}"
    if p.given:
        return f"With {units} {_given(p, sure)}"
    kind, value, needed = (p.goal[key] for key in ("kind", "value", "probability"))
    if kind == "width":
        said = f"then the {_percent(p.level)} interval of {p.metric} is at most {value:g} wide {sure}"
    elif kind == "difference":
        said = f"then P(first better) is at least {needed:g} {sure}, if it is better by {value:g} in {p.metric}"
    else:
        said = f"then {_claim(p)} is at least {needed:g} {sure}"
    average = "never on average" if p.n_average is None else f"on average from {p.n_average:,} on"
    return f"Label {units}: {said} ({average})"


def _given(p: Any, sure: str) -> str:
    kind, value, needed = (p.goal[key] for key in ("kind", "value", "probability"))
    if p.smallest is not None:
        shown = f"P(first better) is then at least {needed:g} {sure}"
        return f"a difference of {short(p.smallest)} in {p.metric} is the smallest that shows: {shown}"
    if kind == "width":
        wide = f"is {short(p.width_average)} wide on average, and at most {short(p.width_assured)} {sure}"
        said = f"the {_percent(p.level)} interval of {p.metric} {wide}"
        return said if value is None else f"{said}; at most {value:g} with probability {short(p.power)}"
    reached = f"is at least {needed:g} with probability {short(p.power)}"
    if kind == "difference":
        return f"P(first better) {reached}, if it is better by {value:g} in {p.metric}"
    return f"{_claim(p)} {reached}"


def _claim(p: Any) -> str:
    sign = ">" if p.goal["kind"] == "above" else "<"
    return f"P({p.metric} {sign} {p.goal['value']:g})"


def _percent(level: float) -> str:
    return f"{100 * level:.12g}%"
