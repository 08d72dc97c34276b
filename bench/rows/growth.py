"""How cost grows: a row for the largest size of each line; all sizes go to bench/growth.json and docs: growth."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from typing import Any

from bench import provenance
from bench.growth import chart, page
from bench.growth.cases import CASES
from bench.growth.fitting import exponent
from bench.growth.measuring import measured
from bench.memory import Peak
from bench.registry import Row, Run, group
from bench.timing import Cost
from howsure.atomic import write_text


@group(
    "growth", "How cost grows: the largest size of each line; all sizes and charts are in docs/contributing/growth.md"
)
def growth(run: Run) -> Iterator[Row]:
    for case in CASES:
        found: dict[str, Any] = {"key": case.key, "title": case.title, "axis": case.axis, "lines": []}
        for line in case.lines:
            run.say(f"growth: {case.key}, {line.name}")
            points = measured(case, line, quick=run.quick)
            found["lines"].append({"name": line.name, "points": points})
            slope = exponent([p["size"] for p in points], [p["seconds"] for p in points])
            grows = "flat" if slope is None else f"as {case.axis}^{slope:.2f}"
            last = points[-1]
            peak = None if last["megabytes"] is None else Peak(last["megabytes"])
            cost = Cost(last["seconds"], peak)
            yield Row(f"{line.name}, {last['size']:,} {case.axis}", cost, note=f"time grows {grows}")
        run.growth.append(found)


def document(run: Run, commit: str, load: str) -> dict[str, Any]:
    """What was measured, with where it comes from."""
    return {
        "commit": commit,
        "date": provenance.today(),
        "version": provenance.version("howsure"),
        "python": platform.python_version(),
        "machine": provenance.machine(),
        "load": load,
        "quick": run.quick,
        "cases": run.growth,
    }


def write(run: Run, commit: str, load: str) -> None:
    """The data, the charts and the page."""
    found = document(run, commit, load)
    page.FIGURES.mkdir(exist_ok=True)
    for case in found["cases"]:
        chart.save(case, page.FIGURES / f"growth-{case['key']}.svg")
    write_text(page.DATA, json.dumps(found, indent=1) + "\n")
    write_text(page.ROOT / "docs" / "contributing" / "growth.md", page.page())
