"""Spark starts in the background with the first test of the engines: it waits more than it works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests import tiers
from tests.engines.data import LISTS, polars_frame

ROOT = Path(__file__).parents[2]
MODES = ("connect", "classic")


@pytest.fixture(scope="session", autouse=True)
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which spark_cases.py works, once for all workers: MODE/code is there when a mode has ended."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "spark"
    started = []
    if any("on_spark" in item.name for item in request.session.items):
        try:
            folder.mkdir()
        except FileExistsError:  # another worker has started it
            pass
        else:
            started = [_started(folder / mode, mode) for mode in MODES]
    yield folder
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _started(folder: Path, mode: str) -> subprocess.Popen[bytes]:
    """Its files, and a process of its own for each mode: classic and Connect sessions cannot live in one."""
    folder.mkdir()
    frame = polars_frame().with_columns(pl.col("kind", "kind_a").cast(pl.String))
    frame.drop(LISTS).write_csv(folder / "a.csv")
    frame.write_parquet(folder / "a.parquet")
    frame[40:].write_parquet(folder / "b.parquet")
    nested = frame.with_columns(nested=pl.struct(guess="animal_gaps")).drop("digit_nan")
    nested.write_ndjson(folder / "a.jsonl")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "SPARK_LOCAL_IP": "127.0.0.1"}
    env.pop("SPARK_REMOTE", None)
    env["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it ends before better code pays
    line = ["sh", "-c", '"$@" >"$0/messages" 2>&1; echo $? >"$0/ended" && mv "$0/ended" "$0/code"', str(folder)]
    line += [sys.executable, "-m", "tests.engines.spark_cases", mode, str(folder), tiers.tier]
    return subprocess.Popen(line, env=env, cwd=ROOT, start_new_session=True)
