"""Run the benchmark: `make bench`, or `.venv/bin/python bench/run.py --quick`; see --help."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)  # so that the parts are `bench.…`, wherever it is started

from bench import baseline, provenance, report, rows  # noqa: E402
from bench.registry import GROUPS, Group, Row, Run  # noqa: E402
from howsure.atomic import write_text  # noqa: E402

RESULTS, BASELINE = HERE / "RESULTS.md", HERE / "baseline.json"


def main() -> int:
    """All groups, or some; what is written is of one run and of one commit, whole or not at all."""
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"bench.rows.{module.name}")
    options = _options()
    run = Run(quick=options.quick)
    whole = not options.only
    writes = not options.quick and not options.against and (whole or options.only == ["growth"])
    try:
        commit = provenance.commit() if writes else ""
        then = baseline.read(options.against) if options.against else None
    except (provenance.Mixed, baseline.Unreadable) as why:
        print(f"bench: {why}", file=sys.stderr)
        return 2
    load, start = provenance.load(), time.perf_counter()
    keys = options.only or list(GROUPS)
    results, failed = _made(keys, run)
    took = time.perf_counter() - start
    print("", *report.summary(results), f"\nThe run took {took / 60:.1f} minutes ({load}).", sep="\n")
    worse = then is not None and _compared(results, then, keys, load)
    if failed:
        print(f"Nothing was written: {', '.join(failed)} did not end well.", file=sys.stderr)
        return 1
    if worse:
        return 1
    return _write(run, results, report.Origin(commit, load, took), whole) if writes else 0


def _made(keys: list[str], run: Run) -> tuple[list[tuple[Group, list[Row]]], list[str]]:
    """The rows of each group, and the groups that failed: one that does must not cost the others."""
    results: list[tuple[Group, list[Row]]] = []
    failed = []
    for key in keys:
        print(report.heading(GROUPS[key]), flush=True)
        made: list[Row] = []
        start = time.perf_counter()
        try:
            for row in GROUPS[key].make(run):
                print(report.line(row), flush=True)
                made.append(row)
        except Exception:  # noqa: BLE001 - peers raise what they like; it is shown, and nothing is written
            traceback.print_exc()
            failed.append(key)
        print(f"    {key} took {time.perf_counter() - start:.0f} s", flush=True)
        results.append((GROUPS[key], made))
    return results, failed


def _compared(results: report.Results, then: dict[str, Any], keys: list[str], load: str) -> bool:
    """Whether a row is slower than in the baseline, after all of them were printed."""
    now = baseline.figures(results)
    where = f"{then['date']} at commit {then['commit']} on {then['machine']}, {then['load']}"
    print(f"\nNow ({load}) over the baseline of {where}:")
    print(*baseline.comparison(now, then["rows"], keys), sep="\n")
    return any(change.regressed for change in baseline.changes(now, then["rows"]))


def _write(run: Run, results: list[tuple[Group, list[Row]]], origin: report.Origin, whole: bool) -> int:
    from bench.rows import growth

    try:
        now = provenance.commit()
    except provenance.Mixed as why:
        now = str(why)
    if now != origin.commit:
        print(f"bench: the files changed during the run ({now}): nothing was written", file=sys.stderr)
        return 1
    growth.write(run, origin.commit, origin.load)
    print("\nWrote bench/growth.json, docs/contributing/growth.md and docs/figures/growth-*.svg.")
    if whole:
        write_text(RESULTS, report.page(results, run, origin))
        write_text(BASELINE, json.dumps(baseline.document(results, origin), indent=1, ensure_ascii=False) + "\n")
        print("Wrote bench/RESULTS.md and bench/baseline.json; make docs takes the README's figures from RESULTS.md.")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Compare howsure with other packages, in one run. RESULTS.md and baseline.json are written by a "
        "run of all groups, the charts of growth by one of all groups or of growth alone; both need the files of a "
        "commit. With --against nothing is written, and the exit code is 1 if a row regressed."
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, few repeats; nothing is written")
    parser.add_argument("--only", nargs="+", metavar="GROUP", choices=list(GROUPS), help=f"of {', '.join(GROUPS)}")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="compare each row with this baseline, such as bench/baseline.json"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
