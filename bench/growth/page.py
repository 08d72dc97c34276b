"""docs/contributing/growth.md, from bench/growth.json alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.growth.fitting import exponent

ROOT = Path(__file__).parents[2]
DATA = ROOT / "bench" / "growth.json"
FIGURES = ROOT / "docs" / "figures"
_ABOUT = (
    "What a call costs when it is given more. Each time is the best of several calls in a warm process, one process a "
    "line; memory is what the peak of that process rises by during a call, over what the data hold already. Both axes "
    "of each chart are logarithmic: a straight line of slope 1 is cost in proportion to size. The exponent is that "
    "slope, by least squares over the sizes that cost at least twice the least; “flat” means that fewer than three "
    "do: the size is not felt."
)


def page() -> str:
    """The page; it changes only when the data do."""
    document = json.loads(DATA.read_text(encoding="utf-8"))
    parts = ["# How cost grows", _ABOUT, _origin(document)]
    for case in document["cases"]:
        parts += [f"## {case['title']}", f"![{_alt(case)}](../figures/growth-{case['key']}.svg)", _table(case)]
    return "\n\n".join(parts) + "\n"


def _origin(document: dict[str, Any]) -> str:
    quick = " **A quick pass**: small sizes and few calls; its figures say little." if document["quick"] else ""
    return (
        f"Written by `make docs` from bench/growth.json, which `make bench` measured on {document['date']} at commit "
        f"`{document['commit']}` (howsure {document['version']}, Python {document['python']}, {document['machine']}; "
        f"{document['load']}).{quick}"
    )


def _alt(case: dict[str, Any]) -> str:
    found = [f"{line['name']}: {_grows(line, 'seconds')}" for line in case["lines"]]
    return f"Time and memory by number of {case['axis']}. Exponents of time: {'; '.join(found)}."


def _table(case: dict[str, Any]) -> str:
    lines = [
        f"| what | {case['axis']} | time | exponent of time | memory at most | exponent of memory |",
        "|---|---|---|---|---:|---|",
    ]
    for line in case["lines"]:
        first, last = line["points"][0], line["points"][-1]
        told = [p["megabytes"] for p in line["points"] if p["megabytes"] is not None]
        memory = f"{max(told):,.0f} MB" if told else "not told"
        lines.append(
            f"| {line['name']} | {first['size']:,} to {last['size']:,} | {_time(first['seconds'])} to "
            f"{_time(last['seconds'])} | {_grows(line, 'seconds')} | {memory} | {_grows(line, 'megabytes')} |"
        )
    return "\n".join(lines)


def _grows(line: dict[str, Any], field: str) -> str:
    points = [p for p in line["points"] if p[field] is not None]
    if field == "megabytes":
        points = [{**p, field: max(p[field], 1.0)} for p in points]  # below that it is the noise of the allocator
    found = exponent([p["size"] for p in points], [p[field] for p in points]) if points else None
    return "flat" if found is None else f"{found:.2f}"


def _time(seconds: float) -> str:
    unit, size = ("s", 1.0) if seconds >= 1 else ("ms", 1e-3) if seconds >= 1e-3 else ("µs", 1e-6)
    return f"{seconds / size:.3g} {unit}"
