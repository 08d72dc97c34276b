"""Every case on Spark, classic or Connect, in a process of its own: `python -m tests.engines.spark_cases connect`.

Classic and Connect sessions cannot live in one process. Prints one JSON object: the tally of each case.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
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
    found = {name: hs.tally(data, **case).to_dict() for name, case in CASES.items()}
    spark.stop()
    print("RESULT " + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
