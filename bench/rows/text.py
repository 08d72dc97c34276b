"""Files of text beside Parquet, many bins, and many labels: cost follows what is read and asked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs
from bench.registry import Row, Run, Under, Within, group
from bench.timing import race
from howsure.io.entrance import evidence

SEED = 14


def _written(folder: str, columns: dict[str, Any]) -> dict[str, str]:
    """The same rows as CSV and as Parquet."""
    import polars as pl

    frame = pl.DataFrame(columns)
    paths = {kind: str(Path(folder) / f"rows.{kind}") for kind in ("csv", "parquet")}
    frame.write_csv(paths["csv"])
    frame.write_parquet(paths["parquet"])
    return paths


def _scores(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    truth = rng.random(n) < 0.3
    return {"y": truth.astype(np.int64), "s": rng.normal(size=n) + truth}


@group("text-a", "Binned scores of CSV against Parquet, to what a curve is made of")
def binned(run: Run) -> Iterator[Row]:
    asked = {"truth": "y", "score": "s", "kind": "scores"}
    for n in (200_000,) if run.quick else (1_300_000, 10_000_000):
        bins = 65_536 if run.quick else None  # many distinct scores are binned by themselves
        with tempfile.TemporaryDirectory() as folder:
            paths = _written(folder, _scores(n))
            calls = {kind: partial(evidence, path, bins=bins, **asked) for kind, path in paths.items()}
            laps = race(calls, run.rules(rounds=3, seconds=60))
            if laps["csv"].value.n != n:
                raise RuntimeError("rows were lost")
            what = f"CSV of {n:,} distinct scores"
            yield Row(what, laps["csv"], "the same as Parquet", laps["parquet"], Within(8), own_peer=True)
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, _scores(100_000))["csv"]
        calls = {name: partial(evidence, path, bins=b, **asked) for name, b in (("many", 65_536), ("none", None))}
        laps = race(calls, run.rules(rounds=3, seconds=30))
        what = "CSV of 100,000 scores in 65,536 bins"
        yield Row(what, laps["many"], "without bins", laps["none"], Within(3), own_peer=True)


@group("text-b", "A report of many labels: every class, macro and weighted averages, and its text")
def labels(run: Run) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    k, n = (500, 20_000) if run.quick else (5_000, 200_000)
    truth = rng.integers(0, k, n)
    answer = np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n))
    names = np.array([f"c{i:04d}" for i in range(k)])
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, {"y": names[truth], "z": names[answer]})["csv"]
        report = race({"ours": lambda: hs.score(path, truth="y", pred="z").to_text()}, run.rules(rounds=2, seconds=60))[
            "ours"
        ]
        yield Row(f"score of {n:,} rows of {k:,} labels", report, target=Under(30))
