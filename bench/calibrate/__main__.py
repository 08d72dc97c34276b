"""Run the study: `python -m bench.calibrate` (make calibrate), under twenty minutes of one core; see --help."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.calibrate import (
    classes,
    data,
    paired_classes,
    paired_tables,
    paired_values,
    pairs,
    rates,
    tables,
    values,
)
from bench.coverage_data import ROOT, Table, this_run

FAMILIES: Final[Mapping[str, Callable[[bool], Iterator[tuple[str, Table]]]]] = {
    "rates": rates.study,
    "tables": tables.study,
    "classes": classes.study,
    "values": values.study,
    "pairs": pairs.study,
    "paired-tables": paired_tables.study,
    "paired-classes": paired_classes.study,
    "paired-values": paired_values.study,
}


def run(root: Path, names: list[str], quick: bool) -> None:
    """Each family in turn; each table is written as soon as it is there."""
    for family in names:
        start = time.process_time()
        for name, table in FAMILIES[family](quick):
            spent = round(time.process_time() - start)
            data.write(root, name, table, {"source": this_run(), "seconds": spent})
            print(f"  … {name}: {len(table.rows)} rows, {spent} s", file=sys.stderr, flush=True)
            start = time.process_time()


def main() -> None:
    options = _options()
    if options.quick and options.root.resolve() == ROOT:
        sys.exit("A quick run is not for the data file of the project: give --root a folder of your own.")
    warnings.simplefilter("ignore")  # those of the other packages
    (options.root / "bench").mkdir(parents=True, exist_ok=True)
    if not options.page:
        run(options.root, options.only or list(FAMILIES), options.quick)
    from bench.calibrate import figures, page

    figures.draw(options.root)
    page.write(options.root)
    print(f"Wrote {data.DATA}, {page.PAGE} and {len(figures.FIGURES)} figures in {options.root}.", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few cases and tests, under 30 seconds; needs --root")
    parser.add_argument("--only", nargs="+", choices=list(FAMILIES), help="these families; the others stay as they are")
    parser.add_argument("--page", action="store_true", help="run nothing: write the page and the figures again")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder under which files are written")
    return parser.parse_args()


if __name__ == "__main__":
    main()
