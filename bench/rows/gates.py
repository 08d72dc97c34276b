"""What a gate adds to the count of a file: requirements share one posterior, and slices one group-by."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import Cost, race

ASKED: Final = ("f1 > 0.7", "recall > 0.7 with 0.9", "precision > 0.7", "f1 > 0.7 in region=north")
PAIRED: Final = ("f1 not worse by 0.01",)


def _file(folder: str, rows: int) -> str:
    """Truths, the answers of two systems and regions."""
    import duckdb

    path = Path(folder) / "preds.parquet"
    with duckdb.connect() as con:
        con.execute("SELECT setseed(0.5)")
        con.execute(
            "COPY (SELECT y, CASE WHEN random() < 0.8 THEN y ELSE 1 - y END AS new, CASE WHEN random() < 0.79 THEN y "
            "ELSE 1 - y END AS old, CASE WHEN random() < 0.3 THEN 'north' ELSE 'south' END AS region FROM (SELECT "
            f"(random() < 0.4)::INT AS y FROM range({rows}))) TO '{path}' (FORMAT parquet)"
        )
    return str(path)


def _whole(path: str, asked: tuple[str, ...], pred: str | list[str]) -> object:
    return hs.gate(path, asked, truth="y", pred=pred).to_dict()


@group(
    "gate",
    "A gate on a Parquet file of two classes",
    "The time is that of hs.gate and its document, less that of hs.tally alone; the peak memory is that of both.",
)
def gates(run: Run) -> Iterator[Row]:
    rows = 10**5 if run.quick else 10**6
    with tempfile.TemporaryDirectory() as folder:
        path = _file(folder, rows)
        for asked, columns, by in ((ASKED, "new", "region"), (PAIRED, ["new", "old"], None)):
            laps = race(
                {
                    "ours": partial(_whole, path, asked, columns),
                    "count": partial(hs.tally, path, truth="y", pred=columns, by=by),
                },
                run.rules(rounds=7, seconds=30),
            )
            whole, count = laps["ours"].seconds, laps["count"].seconds
            told = "a requirement against a baseline" if by is None else f"{len(asked)} requirements, one of a slice"
            yield Row(
                f"{told}, {rows:,} rows",
                Cost(whole - count, laps["ours"].peak),
                target=Under(0.1),
                note=f"{whole:.3f} s, of which the count {count:.3f} s",
            )
