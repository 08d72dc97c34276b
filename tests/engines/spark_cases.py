"""Every case on Spark, classic and Connect, in processes of their own: `python -m tests.engines.spark_cases FOLDER`.

Classic and Connect sessions cannot live in one process, but one JVM serves both: the classic session starts it with a
Connect server inside, and a second process talks to that server. With an address as second argument the process is
that second one. Prints one JSON object: the tally of each case and the rows of each command, by mode.
"""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import howsure as hs
from tests.engines.data import CASES, COLUMNS

JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it lives for seconds: compiling well costs more than it gains
QUICK = {  # small data: compiling a plan costs more than running it
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
PORT = "spark.connect.grpc.binding.port"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def session(address: str | None) -> Any:
    """A client of the Connect server at the address; without one a classic session that is such a server too."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if address is None:
        server = {"spark.ui.enabled": "false", "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin"}
        spark = builder.master("local[2]").config(map={**server, PORT: str(free_port())}).getOrCreate()
    else:
        spark = builder.remote(address).getOrCreate()
    for name, value in QUICK.items():
        spark.conf.set(name, value)
    return spark


def frame(spark: Any) -> Any:
    """Rows with a schema, so that pandas has no part in it."""
    kinds = {bool: "boolean", int: "long", float: "double", str: "string"}
    types = {k: kinds[type(next(x for x in v if x is not None))] for k, v in COLUMNS.items()}
    rows = list(zip(*COLUMNS.values(), strict=True))
    return spark.createDataFrame(rows, ", ".join(f"{k} {t}" for k, t in types.items())).coalesce(1).cache()


def main(folder: str, address: str | None = None) -> None:
    warnings.simplefilter("ignore")
    assert any(math.isnan(x) for x in COLUMNS["digit_nan"])
    spark = session(address)
    data = frame(spark)
    found: dict[str, Any] = {name: hs.tally(data, **case).to_dict() for name, case in CASES.items()}
    remote = [] if address is None else ["--remote", address]
    found["commands"] = [scored([*line, "--engine", "spark", *remote]) for line in commands(folder)]
    modes = {"classic": found, **connected(spark, folder)} if address is None else {"connect": found}
    spark.stop()
    print("RESULT " + json.dumps(modes), flush=True)


def connected(spark: Any, folder: str) -> dict[str, Any]:
    """What a second process finds through the Connect server of this one."""
    address = f"sc://127.0.0.1:{spark.conf.get(PORT)}"
    line = [sys.executable, "-m", "tests.engines.spark_cases", folder, address]
    return result(subprocess.run(line, capture_output=True, text=True, timeout=600, check=False))


def result(done: subprocess.CompletedProcess[str]) -> Any:
    """What such a process printed."""
    found = [x for x in done.stdout.splitlines() if x.startswith("RESULT ")]
    assert found, done.stderr[-4000:]
    return json.loads(found[-1].removeprefix("RESULT "))


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
    main(*sys.argv[1:])
