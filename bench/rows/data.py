"""Data of any size: Parquet against the bare group-by, arrays against bincount, a million slices, Spark by hand."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs
from bench import memory
from bench.memory import OWN_PEAK, Peak
from bench.registry import AtLeast, Row, Run, Under, Within, group
from bench.timing import Cost, race

SEED = 5


def _parquet(folder: Path, rows: int) -> str:
    """Two columns of labels in ten classes, right three times of four."""
    import duckdb

    path = folder / "labels.parquet"
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT y, CASE WHEN random() < 0.75 THEN y ELSE (random() * 10)::INT % 10 END AS z FROM "
            f"(SELECT (random() * 10)::INT % 10 AS y FROM range({rows}))) TO '{path}' (FORMAT parquet)"
        )
    return str(path)


def _bare(path: str) -> Any:
    import duckdb

    with duckdb.connect() as con:
        return con.execute("SELECT y, z, count(*) FROM read_parquet($1) GROUP BY y, z", [[path]]).fetchall()


def _pandas(path: str) -> Any:
    import pandas as pd
    from sklearn.metrics import confusion_matrix

    frame = pd.read_parquet(path)
    return confusion_matrix(frame["y"], frame["z"])


@group(
    "data-a",
    "Parquet of two label columns, to a tally",
    "pandas and scikit-learn are timed on a tenth of the rows; their time here is ten times that.",
)
def parquet(run: Run) -> Iterator[Row]:
    rows = 10**6 if run.quick else 10**8
    with tempfile.TemporaryDirectory() as folder:
        run.say(f"data-a: writing {rows:,} rows")
        path = _parquet(Path(folder), rows)
        small = Path(folder) / "small"
        small.mkdir()
        tenth = _parquet(small, rows // 10)
        run.say("data-a: counting")
        ours = partial(hs.tally, path, truth="y", pred="z")
        laps = race({"ours": ours, "bare": partial(_bare, path)}, run.rules(rounds=5, seconds=60))
        if laps["ours"].value.n != rows:
            raise RuntimeError("rows were lost")
        own = laps["ours"]
        whole = f"peak memory of a fresh process {_peak(path)} MB (limit 300)"
        what = f"hs.tally of {rows:,} rows"
        yield Row(what, own, "bare DuckDB GROUP BY", laps["bare"], Within(1.15), note=whole)
        peer = race({"peer": partial(_pandas, tenth)}, run.rules(rounds=2, seconds=30))["peer"]
        yield Row(what, own, "pandas + sklearn confusion_matrix, per row", peer.times(10), AtLeast(20))


def _peak(path: str) -> int:
    """Peak memory of a process that does nothing else."""
    line = f"import sys, howsure as hs; hs.tally(sys.argv[1], truth='y', pred='z'); print({OWN_PEAK})"
    done = subprocess.run([sys.executable, "-c", line, path], capture_output=True, text=True, check=True)
    return int(done.stdout) // 1024


@group("data-b", "Arrays in memory, to a tally")
def arrays(run: Run) -> Iterator[Row]:
    from sklearn.metrics import confusion_matrix

    n = 10**5 if run.quick else 10**7
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 10, n)
    z = np.where(rng.random(n) < 0.75, y, rng.integers(0, 10, n))

    def bincount() -> Any:
        low, high = min(y.min(), z.min()), max(y.max(), z.max())
        k = int(high) + 1
        if low < 0:
            raise RuntimeError("no codes")
        return np.bincount(k * y + z, minlength=k * k)

    laps = race({"ours": partial(hs.tally, y, z), "bare": bincount}, run.rules(rounds=7))
    own, bare = laps["ours"], laps["bare"]
    yield Row(f"hs.tally of whole numbers, n = {n:,}", own, "bincount(K*y + z), min and max", bare, Within(1.5))
    names = np.array([f"class {i}" for i in range(10)])
    text = {"y": names[y], "z": names[z]}
    peer = partial(confusion_matrix, text["y"], text["z"])
    laps = race({"ours": partial(hs.tally, text["y"], text["z"]), "peer": peer}, run.rules(rounds=2, seconds=30))
    own, theirs = laps["ours"], laps["peer"]
    yield Row(f"hs.tally of text, n = {n:,}", own, "sklearn confusion_matrix", theirs, AtLeast(20))


@group(
    "data-c",
    "A million slices of four columns: F1 with mean and interval for each, written as Parquet",
    "The second row is the time after the rows are counted: posteriors and the file.",
)
def slices(run: Run) -> Iterator[Row]:
    import duckdb

    side = 10 if run.quick else 32  # side^4 slices
    rows = 10 * side**4
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/slices.parquet"
        columns = ", ".join(f"(range // {side**k}) % {side} AS s{k}" for k in range(3))
        with duckdb.connect() as con:
            con.execute(
                f"COPY (SELECT {columns}, 's' || (range // {side**3}) % {side} AS s3, (random() < 0.4)::INT AS y, "
                f"(random() < 0.5)::INT AS z FROM range({rows})) TO '{path}' (FORMAT parquet)"
            )
        by = ["s0", "s1", "s2", "s3"]

        def bare() -> Any:
            with duckdb.connect() as con:
                keys = ", ".join([*by, "y", "z"])
                found = con.execute(f"SELECT {keys}, count(*) FROM read_parquet($1) GROUP BY {keys}", [[path]])
                return found.fetchnumpy()

        counting = partial(hs.tally, path, truth="y", pred="z", by=by)
        run.say(f"data-c: {side**4:,} slices")
        laps = race({"ours": counting, "bare": bare}, run.rules(rounds=3, seconds=60))
        t = laps["ours"].value
        yield Row(f"hs.tally, {t.shape[0]:,} slices", laps["ours"], "bare GROUP BY", laps["bare"])

        def table() -> None:
            hs.score(t, metrics=["f1"]).write(f"{folder}/out.parquet")

        own = race({"ours": table}, run.rules(rounds=3, seconds=60))["ours"]
        coding = max(0.0, laps["ours"].seconds - laps["bare"].seconds)
        cost = Cost(own.seconds + coding, own.peak)
        yield Row(f"F1 of {t.shape[0]:,} slices, with what hs.tally adds", cost, target=Under(5))


@group(
    "data-d",
    "Spark, local: Parquet to a tally",
    "The peak memory is that of the Python process and of Spark's together, for both contenders.",
)
def spark(run: Run) -> Iterator[Row]:
    rows = 10**5 if run.quick else 10**7
    with tempfile.TemporaryDirectory() as folder:
        path = _parquet(Path(folder), rows)
        line = [sys.executable, "-m", "bench.rows.data", path]
        run.say("data-d: starting Spark")
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        ours, bare, peak = (float(x) for x in done.stdout.split()[-3:])
        cost = Cost(ours, Peak(peak, whole=True))
        yield Row(f"hs.tally on Spark, {rows:,} rows", cost, "the group-by by hand", Cost(bare), Within(1.2))


def _spark_times(path: str) -> tuple[float, float, float]:
    """Best of several turns of both, in a process of its own, and its peak memory with that of Spark's."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    frame = session.read.parquet(path)

    def bare() -> Any:
        return frame.groupBy("y", "z").count().toArrow()

    best = {"ours": float("inf"), "bare": float("inf")}
    calls = {"ours": partial(hs.tally, frame, truth="y", pred="z"), "bare": bare}
    for _ in range(7):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    peak = memory.of_running(os.getpid()).megabytes
    session.stop()
    return best["ours"], best["bare"], peak


if __name__ == "__main__":
    print(*_spark_times(sys.argv[1]))
