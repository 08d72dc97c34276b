"""Conditions on files that Spark reads, in a process of its own: `python -m tests.engines.spark_conditions DIR`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from tests.engines.condition_cases import ASKED
from tests.engines.spark_cases import session
from tests.engines.test_conditions import check


def main() -> None:
    """A sample of the conditions on each kind of file, and on a frame: a query takes most of a second."""
    warnings.simplefilter("ignore")
    spark, folder = session("classic"), Path(sys.argv[1])
    for k, name in enumerate(("a.csv", "a.jsonl", "a.parquet")):
        path = str(folder / name)
        check(lambda _, path=path: (path, {"engine": "spark"}), folder, ASKED[k::6])
    frame = spark.read.parquet(str(folder / "a.parquet"))
    check(lambda _: (frame, {}), folder, ASKED[5::9])
    spark.stop()


if __name__ == "__main__":
    main()
