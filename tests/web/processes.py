"""What runs below a process, as Linux tells it."""

from __future__ import annotations

from pathlib import Path


def _fields(pid: str) -> list[str]:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def below(pid: int) -> dict[int, float]:
    """All descendants that are not gone, with the seconds of processor that each used."""
    told = {int(p.name): _fields(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal()}
    alive = {p: x for p, x in told.items() if x and x[0] != "Z"}
    found: dict[int, float] = {}
    fresh = {pid}
    while fresh:
        fresh = {p for p, x in alive.items() if int(x[1]) in fresh and p not in found}
        found |= {p: (int(alive[p][11]) + int(alive[p][12])) / 100 for p in fresh}
    return found


def alive(pid: int) -> bool:
    """Whether a process runs."""
    found = _fields(str(pid))
    return bool(found) and found[0] != "Z"
