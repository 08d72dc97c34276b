"""Conditions on files and frames of Spark, in the process of spark_cases.py: starting Spark takes most of the time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.engines.condition_cases import ASKED
from tests.engines.test_conditions import check, csv_file, json_file, parquet_file


def check_conditions(spark: Any, folder: Path) -> None:
    """A sample of the conditions on each kind of file, and on a frame: a query takes most of a second."""
    folder.mkdir()
    for make in (csv_file, json_file, parquet_file):
        make(folder)
    for k, name in enumerate(("a.csv", "a.jsonl", "a.parquet")):
        path = str(folder / name)
        check(lambda _, path=path: (path, {"engine": "spark"}), folder, ASKED[k::6])
    frame = spark.read.parquet(str(folder / "a.parquet"))
    check(lambda _: (frame, {}), folder, ASKED[5::9])
