"""Every case on Spark, classic or Connect, in a process of its own: `python -m tests.engines.spark_cases connect DIR`.

Classic and Connect sessions cannot live in one process. Writes the evidence of each case, and of files that Spark
reads, to DIR/found. Conditions on rows are held against plain Python in the classic one.
"""

from __future__ import annotations

import math
import pickle
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from howsure.io.entrance import evidence
from tests import tiers
from tests.engines.data import CASES, COLUMNS, FEW, nameless
from tests.engines.spark_conditions import check_conditions

QUICK = {  # small data: compiling a plan costs more than running it
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
}
ASKED = (*FEW, "label sets")
KINDS = {bool: "boolean", int: "long", float: "double", str: "string", list: "array<string>"}


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
    types = {k: KINDS[type(next(x for x in v if x is not None))] for k, v in COLUMNS.items()}
    rows = list(zip(*COLUMNS.values(), strict=True))
    return spark.createDataFrame(rows, ", ".join(f"{k} {t}" for k, t in types.items())).coalesce(1).cache()


def main() -> None:
    warnings.simplefilter("ignore")
    assert any(math.isnan(x) for x in COLUMNS["digit_nan"])
    mode, folder, tiers.tier = sys.argv[1:]
    spark = session(mode)
    data = frame(spark)
    found: dict[str, Any] = {}
    for name in own(ASKED, mode):
        made = evidence(data, **CASES[name])
        assert made.library == "pyspark"
        found[name] = nameless(made)
    engine = {"engine": "spark", "remote": "local[2]" if mode == "connect" else None}
    for name, (place, case) in own(files(Path(folder)).items(), mode):
        found[name] = evidence(place, **case, **engine)
    if mode == "classic":
        check_conditions(spark, Path(folder, "conditions"))
    spark.stop()
    Path(folder, "found").write_bytes(pickle.dumps(found))


def own(cases: Iterable[Any], mode: str) -> list[Any]:
    """The cases of a mode: half of them each, all when deep."""
    return tiers.turn(cases, int(mode == "classic"), 2)


def files(folder: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Files and what to ask of them, the same for DuckDB and Spark."""
    text = {"truth": "animal", "pred": "animal_a", "positive": "owl"}
    two = {"a": str(folder / "a.csv"), "b": str(folder / "b.parquet")}
    return {
        "CSV": (f"{folder}/a.csv", {"truth": "bit", "pred": "bit_a", "by": "region", "where": "year=2023"}),
        "Parquet": (f"{folder}/a.parquet", {**text, "weight": "weight", "where": ["region!=north", "score>=0.3"]}),
        "JSON": (f"{folder}/a.jsonl", {"truth": "animal", "pred": "nested.guess", "by": "year", "missing": "drop"}),
        "lists": (f"{folder}/a.jsonl", {"truth": "tags", "pred": "tags_a", "cluster": "group"}),
        "split texts of CSV": (f"{folder}/a.csv", {"truth": "words", "pred": "words_a", "sep": ";"}),
        "scores of CSV": (f"{folder}/a.csv", {"truth": "flag", "score": ["score", "flag_a"], "weight": "weight"}),
        "values of CSV": (f"{folder}/a.csv", {"value": "grade_gaps", "cluster": "group", "missing": "drop"}),
        "weights with gaps of CSV": (
            f"{folder}/a.csv",
            {"truth": "bit", "pred": "bit_a", "weight": "grade_gaps", "missing": "drop"},
        ),
        "systems": (two, {"outcome": "passed", "cluster": "group"}),
        "values of systems": (two, {"value": "grade", "cluster": "group"}),
    }


if __name__ == "__main__":
    main()
