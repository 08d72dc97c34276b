"""The figures of a whole run as JSON (bench/baseline.json), and the comparison of a later run with them.

Machines and their loads differ, so where a row has a peer the comparison takes the ratio of ratios: ours to the peer
now, over ours to the peer then. A row without a peer, or whose peer is our own code too, is compared by its seconds.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import provenance
from bench.memory import Peak
from bench.registry import Row
from bench.report import Origin, Results, duration

LIMIT = 1.1  # a row that takes more than so many times its baseline is a regression
Figures = Mapping[str, Mapping[str, Any]]


class Unreadable(Exception):
    """A baseline that cannot be read; the text says why."""


def document(results: Results, origin: Origin) -> dict[str, Any]:
    """All rows with where they come from; a ratio is that of our time to the peer's."""
    return {
        "commit": origin.commit,
        "date": provenance.today(),
        "version": provenance.version("howsure"),
        "python": platform.python_version(),
        "machine": provenance.machine(),
        "load": origin.load,
        "rows": figures(results),
    }


def figures(results: Results) -> dict[str, dict[str, Any]]:
    """The figures of each row by its key; two rows of one key are refused."""
    found: dict[str, dict[str, Any]] = {}
    for group, rows in results:
        for row in rows:
            key = f"{group.key}: {row.what}" + (f", against {row.against}" if row.against else "")
            if key in found:
                raise ValueError(f"two rows of the benchmark are called {key!r}: give one another name")
            found[key] = _figures(row)
    return found


def _figures(row: Row) -> dict[str, Any]:
    peer = row.peer
    return {
        "seconds": row.ours.seconds,
        "peer_seconds": None if peer is None else peer.seconds,
        "ratio": None if peer is None else row.ours.seconds / peer.seconds,
        "own_peer": row.own_peer,
        **_memory("", row.ours.peak),
        **_memory("peer_", None if peer is None else peer.peak),
    }


def _memory(whose: str, peak: Peak | None) -> dict[str, Any]:
    """The megabytes, and whether they are those of a whole process."""
    if peak is None:
        return {f"{whose}memory_mb": None}
    return {f"{whose}memory_mb": round(peak.megabytes, 3), f"{whose}memory_of": "process" if peak.whole else "call"}


def read(path: Path) -> dict[str, Any]:
    """A document that a whole run wrote; Unreadable if it is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Unreadable(f"there is no {path}: a whole run writes bench/baseline.json, type make bench") from None
    except (OSError, ValueError) as why:
        raise Unreadable(f"{path} cannot be read: {why}") from None
    if not isinstance(found, dict) or not isinstance(found.get("rows"), dict):
        raise Unreadable(f"{path} has no rows: give the bench/baseline.json that a whole run wrote")
    return found


# -- comparison ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A row now over its baseline: `times` as much, by the ratio to its peer or by seconds."""

    key: str
    times: float
    by_ratio: bool

    @property
    def regressed(self) -> bool:
        return self.times > LIMIT


def changes(now: Figures, then: Figures) -> list[Change]:
    """The rows that both have, in the order of now."""
    return [_change(key, row, then[key]) for key, row in now.items() if key in then]


def _change(key: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> Change:
    ours = now["seconds"] / then["seconds"]
    external = not (now["own_peer"] or then["own_peer"]) and now["peer_seconds"] and then["peer_seconds"]
    return Change(key, ours * then["peer_seconds"] / now["peer_seconds"] if external else ours, bool(external))


def comparison(now: Figures, then: Figures, groups: Sequence[str]) -> list[str]:
    """A line a row, then the rows that only one side has (of these groups), then the count of regressions."""
    found = changes(now, then)
    lines = [_line(change, now[change.key], then[change.key]) for change in found]
    lines += [f"new, not in the baseline: {key}" for key in now if key not in then]
    lines += [f"in the baseline alone: {key}" for key in then if key.split(": ")[0] in groups and key not in now]
    bad = [change.key.split(": ")[0] for change in found if change.regressed]
    if not bad:
        return [*lines, f"No regression: {len(found)} rows are at most {LIMIT:g} times their baseline."]
    again = " ".join(dict.fromkeys(bad))
    count = f"{len(bad)} of {len(found)} rows are over {LIMIT:g} times their baseline."
    return [*lines, f"{count} To tell noise from a change, run these again at a quiet time: --only {again}"]


def _line(change: Change, now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    mark = "REGRESSION" if change.regressed else ""
    by = "ratio" if change.by_ratio else "seconds"
    times = f"{duration(now['seconds'])}, was {duration(then['seconds'])}"
    megabytes = [f"{x['memory_mb']:,.1f} MB" if x["memory_mb"] is not None else "–" for x in (now, then)]
    return f"{change.times:6.2f}  {by:7}  {mark:10}  {change.key}: {times}; {megabytes[0]}, was {megabytes[1]}"
