"""Every case on Spark, classic or Connect, in a process of its own: `python -m tests.engines.spark_cases connect`.

Classic and Connect sessions cannot live in one process. Prints one JSON object: the tally of each case.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import howsure as hs
from tests.engines.data import CASES, COLUMNS

QUICK = {  # small data: compiling a plan costs more than running it
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}


def session(mode: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    builder = builder.remote("local[2]") if mode == "connect" else builder.master("local[2]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    for name, value in QUICK.items():
        spark.conf.set(name, value)
    return spark


def frame(spark: Any) -> Any:
    """Rows with a schema, so that pandas has no part in it."""
    kinds = {bool: "boolean", int: "long", float: "double", str: "string"}
    types = {k: kinds[type(next(x for x in v if x is not None))] for k, v in COLUMNS.items()}
    rows = list(zip(*COLUMNS.values(), strict=True))
    return spark.createDataFrame(rows, ", ".join(f"{k} {t}" for k, t in types.items())).coalesce(1).cache()


def main() -> None:
    warnings.simplefilter("ignore")
    assert any(math.isnan(x) for x in COLUMNS["digit_nan"])
    spark = session(sys.argv[1])
    data = frame(spark)
    found: dict[str, Any] = {name: hs.tally(data, **case).to_dict() for name, case in CASES.items()}
    remote = ["--engine", "spark", *(["--remote", "local[2]"] if sys.argv[1] == "connect" else [])]
    found["commands"] = [scored([*line, *remote]) for line in commands(sys.argv[2])]
    spark.stop()
    print("RESULT " + json.dumps(found), flush=True)


def commands(folder: str) -> list[list[str]]:
    """Command lines on files, the same for both engines of the command."""
    text = ["--truth", "animal", "--pred", "animal_a", "--positive", "owl", "--metric", "f1"]
    return [
        [f"{folder}/a.csv", "--truth", "bit", "--pred", "bit_a", "--by", "region", "--where", "year=2023"],
        [f"{folder}/a.parquet", *text, "--weight", "weight", "--where", "region!=north", "--where", "score>=0.3"],
        [f"{folder}/a.jsonl", "--truth", "animal", "--pred", "nested.guess", "--by", "year", "--missing", "drop"],
    ]


def scored(line: list[str]) -> Any:
    """The rows of howsure score, or what went wrong."""
    from howsure.cli import app

    target = Path(tempfile.mkdtemp()) / "out.json"
    code = app.run(["score", *line, "--format", "json", "--out", str(target)])
    return code or json.loads(target.read_text(encoding="utf-8"))["rows"]


if __name__ == "__main__":
    main()
