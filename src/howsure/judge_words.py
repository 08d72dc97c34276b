"""Words of the notes on a judge: how it did on validated items, whether it helps, and the estimate beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from howsure.errors import plural
from howsure.render.numbers import short, within


def _judge(f: Mapping[str, Any]) -> str:
    of = f" of {f['system']}" if f["system"] is not None else ""
    where = "items from elsewhere" if f["external"] else f"of {plural(f['items'], 'item')}"
    rates = " and ".join(f"{name} {short(f[name])}" for name in ("recall", "specificity") if f[name] is not None)
    return f"judge{of}: {rates} on {f['validated']:,} {where} that have a human label"


def _weak(f: Mapping[str, Any]) -> str:
    of = f" of {f['system']}" if f["system"] is not None else ""
    why = {"here": "by the human labels alone the interval is about as wide", "external": "it errs too often to tell"}
    said = f"the judge hardly helps with {f['of']}{of}: {why[f['where']]}"
    if f["more"] is None:
        return f"{said}; not even a human label of every item would halve it: it takes more items"
    return f"{said}; about {plural(f['more'], 'more human label')} would halve it"


def _powered(f: Mapping[str, Any]) -> str:
    each = [
        f"{'' if system is None else system + ' '}{within(mean, low, high)}" for system, mean, low, high in f["rates"]
    ]
    level = f"{100 * f['level']:.12g}%"
    return f"prediction-powered estimate (PPI++; {level} confidence, may leave [0, 1]): {', '.join(each)}"


WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "judge": _judge, "judge-weak": _weak, "ppi": _powered,
}  # fmt: skip
