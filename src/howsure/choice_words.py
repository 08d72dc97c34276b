"""Words of the notes on a chosen threshold: its optimism and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from howsure.language import spelled
from howsure.render.numbers import probability, short


def _optimism(f: Mapping[str, Any]) -> str:
    if f["how"] == "none":
        return f"{f['metric']} is measured on the items that the threshold was chosen on, so it looks too good"
    how = {
        "folds": "by choosing on four fifths of the items and testing on the rest",
        "split": "by choosing on half of the items and testing on the other half",
        "resample": "by choosing again on samples from the posterior",
    }
    way = "lower" if f["optimism"] < 0 else "higher"  # of costs and errors the good side is the lower one
    much = f"{short(abs(f['optimism']))} ± {short(f['error'])}"
    text = f"choosing on these items makes {f['metric']} look {way} by {much}"
    moved = "is shifted by that" if f["moved"] else "comes from the items tested on"
    return f"{text} (found {how[f['how']]}); the corrected row {moved}"


def _limit(f: Mapping[str, Any]) -> str:
    if f.get("asked") is not None:
        sure = f"{f['metric']} is {f['side']} {f['value']:g} in the population with probability {probability(f['p'])}"
        return f"{sure} ({f['asked']:g} was asked for); on these items it is {short(f['score'])}"
    kept = f"{f['metric']} is {f['side']} {f['value']:g} on these items"
    return f"{kept}, and in the population with probability {probability(f['p'])}"


def _limit_of_many(f: Mapping[str, Any]) -> str:
    return (
        f"one of many thresholds can keep a limit on {f['metric']} by luck: of limits on precision with 0.9 asked for, "
        "0.73 to 0.95 were kept in simulated tests with 100 positive items, and 0.04 to 0.91 with 30"
    )


def _limit_at_item(f: Mapping[str, Any]) -> str:
    return (
        f"with so few items the threshold follows single ones: allowing for that, the limit on {f['metric']} is kept "
        f"with probability {probability(f['p'])} at least"
    )


def _by_default(f: Mapping[str, Any]) -> str:
    way = spelled("choose(name)", "--best NAME")
    return f"no measure was named, so the threshold is the best one for {f['metric']}; {way} takes another measure"


def _limits(f: Mapping[str, Any]) -> str:
    kept = " and ".join(f"{m} {side} {value:g}" for m, side, value in f["limits"])
    return f"in {short(f['p'])} of the draws no threshold keeps {kept}"


WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "optimism": _optimism,
    "limit": _limit,
    "limit-of-many": _limit_of_many,
    "limit-at-item": _limit_at_item,
    "limits": _limits,
    "by-default": _by_default,
}
