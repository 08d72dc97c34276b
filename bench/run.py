"""Run the benchmark: `make bench`, or `.venv/bin/python bench/run.py --quick`; see --help."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)  # so that the parts are `bench.…`, wherever it is started

from bench import report, rows  # noqa: E402
from bench.registry import GROUPS, Group, Row, Run  # noqa: E402

RESULTS = HERE / "RESULTS.md"


def main() -> None:
    for module in pkgutil.iter_modules(rows.__path__):
        importlib.import_module(f"bench.rows.{module.name}")
    options = _options()
    run = Run(quick=options.quick)
    results: list[tuple[Group, list[Row]]] = []
    for key in options.only or GROUPS:
        print(report.heading(GROUPS[key]), flush=True)
        made = []
        for row in GROUPS[key].make(run):
            print(report.line(row), flush=True)
            made.append(row)
        results.append((GROUPS[key], made))
    print("", *report.summary(results), sep="\n")
    if options.write or not (options.quick or options.only):
        RESULTS.write_text(report.page(results, run), encoding="utf-8")
        print(f"\nWrote bench/{RESULTS.name}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare howsure with other packages, in one run.")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repeats; RESULTS.md is left alone")
    parser.add_argument("--only", nargs="+", metavar="GROUP", choices=list(GROUPS), help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md after --quick or --only too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
