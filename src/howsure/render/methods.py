"""A methods paragraph for a paper, written from the result dict alone, so that it agrees with the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from howsure.messages.numbers import count
from howsure.messages.user_text import visible
from howsure.render.kinds import ResultDict, kind_of

_PRIORS: Final = {
    "even": "pseudo-count 1 on right and 1 on wrong predictions, shared equally among their cells",
    "jeffreys": "pseudo-count 1/2 in each cell",
    "uniform": "pseudo-count 1 in each cell",
}
_INTERVALS: Final = {
    "auto": "equal-tailed; if a score is at an end of its range, the interval runs to that end",
    "equal-tailed": "equal-tailed",
    "hdi": "the shortest interval (highest density)",
}
_ROUTES: Final = {"closed form": "in closed form", "quadrature": "by numerical integration", "sampled": "by sampling"}


def render(result: ResultDict) -> str:
    """Return one paragraph: units, intervals, prior, pairing, how the numbers were computed, version."""
    kind = kind_of(result)
    if kind.sampled and result.get("prior"):
        sentences = [*_sample(result, kind.unit), *_posterior(result), *_computed(result)]
    else:
        sentences = ["These values hold by arithmetic; there is no posterior"]
    sentences.append(f"Software: howsure {result.get('version')}")
    return " ".join(f"{visible(sentence)}." for sentence in sentences) + "\n"


def _sample(result: ResultDict, unit: str) -> Iterator[str]:
    data = result.get("data") or {}
    systems, n, clusters = data.get("systems") or (), data.get("n"), data.get("clusters")
    if n is not None:
        where = f" in {count(clusters)} clusters" if clusters else ""
        many = f"{len(systems)} systems were" if len(systems) > 1 else "The system was"
        yield f"{many} evaluated on {count(n)} {unit}s{where}"
    left = (data.get("rows") or {}).get("left_out") or {}
    if left:
        reasons = ", ".join(f"{count(number)} ({reason})" for reason, number in left.items())
        yield f"Rows left out: {reasons}"
    if clusters:
        yield "Clusters, not single items, were resampled (Bayesian bootstrap)"
    if len(systems) > 1 and data.get("paired") is not None:
        yield (
            "All systems were given the same items, and were compared by their joint posterior"
            if data["paired"]
            else "The systems were given different items, and were compared as independent samples"
        )


def _posterior(result: ResultDict) -> Iterator[str]:
    if result.get("level") is not None:
        kind = _INTERVALS.get(result.get("interval") or "", str(result.get("interval")))
        yield f"Intervals are {100 * result['level']:g}% credible intervals of the posterior ({kind})"
    name = result["prior"].get("name") or "given"
    texts = [note["text"] for note in result.get("notes") or () if str(note["code"]).startswith("prior")]
    if texts:
        yield f"Prior ({name}): {'; '.join(text.removeprefix(f'prior {name}: ') for text in texts)}"
    else:
        yield f"Prior ({name}){': ' + _PRIORS[name] if name in _PRIORS else ''}"


def _computed(result: ResultDict) -> Iterator[str]:
    by_route: dict[str, dict[str, None]] = {}
    worst = 0.0
    for row in _scores(result["rows"]):
        by_route.setdefault(str(row["route"]), {})[str(row.get("asked") or row["metric"])] = None
        if row["route"] == "sampled":
            worst = max(worst, float((row.get("error") or {}).get("value") or 0))
    for route, metrics in by_route.items():
        yield f"Computed {_ROUTES.get(route, f'by {route}')}: {', '.join(metrics)}"
    if worst:
        yield f"The Monte Carlo error of interval ends is at most {worst:.1g} (seed {result.get('seed')})"


def _scores(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows that have a metric with a route; those of both sides of a comparison."""
    for row in rows:
        sides = [side for side in (row.get("first"), row.get("second")) if isinstance(side, dict)]
        yield from (side for side in sides or [row] if side.get("route") and side.get("metric"))
