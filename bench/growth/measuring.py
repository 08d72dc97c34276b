"""Time and memory of each call, size after size, each line in a process of its own.

`python -m bench.growth.measuring CASE LINE SIZE ...` prints a JSON line a size. The time is the best of several calls.
The memory is what the peak of the process rises by during a call, over what its data hold already.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import memory
from bench.growth.cases import CASES, Call, Case, Line

ROOT = Path(__file__).parents[2]
SECONDS = 1.0  # of calls at each size, or three calls
TOO_LONG = 60.0  # a size is the last when a call took so many seconds
QUICK = 0.1  # of the seconds, and sizes whose first call takes more are the last


def measured(case: Case, line: Line, *, quick: bool) -> list[dict[str, Any]]:
    """A point a size: `size`, `seconds`, `megabytes` (None where the system does not tell)."""
    sizes = line.sizes[: max(3, len(line.sizes) - 2)] if quick else line.sizes
    limit = QUICK if quick else 1.0
    words = [case.key, str(case.lines.index(line)), str(limit), *map(str, sizes)]
    done = subprocess.run(
        [sys.executable, "-m", __name__, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{case.key}, {line.name}: {done.stderr.strip().splitlines()[-1]}")
    return [json.loads(text) for text in done.stdout.splitlines()]


def _points(line: Line, sizes: list[int], limit: float) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        line.make(sizes[0], Path(folder))()  # imports, and whatever is made once
        for size in sizes:
            call = line.make(size, Path(folder))
            gc.collect()
            first = _timed(call)
            point = {"size": size, "seconds": min(first, _best(call, first, limit)), "megabytes": _memory(call)}
            yield point
            if first > TOO_LONG * limit:
                return


def _timed(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _best(call: Call, first: float, limit: float) -> float:
    """Of three calls more, or of as many as fit; none where one took over ten seconds."""
    best, spent, calls = first, 0.0, 0
    while first < 10 and (calls < 3 or spent < SECONDS * limit) and spent < 20 * limit:
        took = _timed(call)
        best, spent, calls = min(best, took), spent + took, calls + 1
    return best


def _memory(call: Call) -> float | None:
    """Megabytes that the peak of this process rises by."""
    before = memory.begin()
    call()
    peak = memory.rise(before)
    return None if peak is None else round(peak.megabytes, 3)


def main() -> None:
    key, which, limit, *sizes = sys.argv[1:]
    line = next(case for case in CASES if case.key == key).lines[int(which)]
    for point in _points(line, [int(x) for x in sizes], float(limit)):
        print(json.dumps(point), flush=True)


if __name__ == "__main__":
    main()
