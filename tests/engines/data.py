"""One fixture for all engines: columns of every type of label, questions to ask of them, a frame of each engine."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import howsure as hs

N = 240
_RANDOM = random.Random(7)


def _noisy(values: list[Any], others: list[Any], share: float) -> list[Any]:
    return [_RANDOM.choice(others) if _RANDOM.random() < share else v for v in values]


def _gaps(values: list[Any], share: float = 0.1, gap: Any = None) -> list[Any]:
    return [gap if _RANDOM.random() < share else v for v in values]


def _columns() -> dict[str, list[Any]]:
    bits = [int(_RANDOM.random() < 0.4) for _ in range(N)]
    animal = [_RANDOM.choice(["cat", "dog", "owl"]) for _ in range(N)]
    digits = [_RANDOM.choice([3, 5, 12]) for _ in range(N)]
    guess = _noisy(animal, ["cat", "dog", "owl"], 0.3)
    return {
        "bit": bits,
        "bit_a": _noisy(bits, [0, 1], 0.3),
        "bit_b": _noisy(bits, [0, 1], 0.4),
        "flag": [bool(x) for x in bits],
        "flag_a": [bool(x) for x in _noisy(bits, [0, 1], 0.3)],
        "digit": digits,
        "digit_a": _noisy(digits, [3, 5, 12], 0.3),
        "digit_gaps": _gaps(_noisy(digits, [3, 5, 12], 0.3)),
        "digit_nan": [float(x) for x in _gaps(_noisy(digits, [3, 5, 12], 0.3), gap=float("nan"))],
        "animal": animal,
        "animal_a": guess,
        "animal_gaps": _gaps(guess),
        "truth_gaps": _gaps(animal),
        "kind": animal,  # these two are categories where the engine has them
        "kind_a": guess,
        "region": [_RANDOM.choice(["north", "south", "<b>east</b>"]) for _ in range(N)],
        "year": [_RANDOM.choice([2023, 2024]) for _ in range(N)],
        "place": _gaps([_RANDOM.choice(["x", "y"]) for _ in range(N)]),
        "weight": [_RANDOM.choice([0.5, 1.0, 2.25]) for _ in range(N)],
        "n": [_RANDOM.choice([0, 1, 2, 40]) for _ in range(N)],
        "score": [round(_RANDOM.random() * 0.5 + 0.4 * b, 2) for b in bits],
        "score_gaps": _gaps([round(_RANDOM.random(), 2) for _ in range(N)]),
        "passed": [_RANDOM.choice([True, False]) for _ in range(N)],
        "solved": [_RANDOM.choice(["yes", "no", "Pass", "FAIL"]) for _ in range(N)],
        "ones": [_RANDOM.choice([0, 1]) for _ in range(N)],
        "passed_gaps": _gaps([_RANDOM.choice(["pass", "fail"]) for _ in range(N)]),
    }


COLUMNS = _columns()
CATEGORIES = ("kind", "kind_a")
CASES: dict[str, dict[str, Any]] = {
    "whole numbers": {"truth": "bit", "pred": "bit_a"},
    "booleans": {"truth": "flag", "pred": "flag_a"},
    "booleans and numbers": {"truth": "flag", "pred": "bit_a"},
    "many numbers": {"truth": "digit", "pred": "digit_a"},
    "text": {"truth": "animal", "pred": "animal_a"},
    "text with a positive class": {"truth": "animal", "pred": "animal_a", "positive": "owl"},
    "labels in an order": {"truth": "animal", "pred": "animal_a", "labels": ["owl", "emu", "dog", "cat"]},
    "categories": {"truth": "kind", "pred": "kind_a"},
    "nulls dropped": {"truth": "animal", "pred": "animal_gaps", "missing": "drop"},
    "nulls wrong": {"truth": "animal", "pred": "animal_gaps", "missing": "wrong"},
    "null truths": {"truth": "truth_gaps", "pred": "animal_gaps", "missing": "drop"},
    "null numbers": {"truth": "digit", "pred": "digit_gaps", "missing": "wrong"},
    "NaN": {"truth": "digit", "pred": "digit_nan", "missing": "drop"},
    "joint": {"truth": "bit", "pred": ["bit_a", "bit_b"]},
    "joint with gaps": {"truth": "animal", "pred": ["animal_a", "animal_gaps"], "missing": "wrong"},
    "one slice column": {"truth": "bit", "pred": "bit_a", "by": "region"},
    "three slice columns": {"truth": "animal", "pred": "animal_a", "by": ["region", "year", "place"]},
    "sliced by the truth": {"truth": "bit", "pred": "bit_a", "by": ["bit", "flag"]},
    "sliced and joint": {"truth": "bit", "pred": ["bit_a", "bit_b"], "by": ["region"]},
    "weights": {"truth": "bit", "pred": "bit_a", "weight": "weight"},
    "whole weights in slices": {"truth": "animal", "pred": "animal_a", "weight": "n", "by": "year"},
    "counts": {"truth": "bit", "pred": "bit_a", "count": "n"},
    "one threshold": {"truth": "bit", "score": "score", "threshold": 0.5},
    "thresholds": {"truth": "bit", "score": "score", "threshold": [0.7, 0.25, 0.5]},
    "thresholds in slices": {"truth": "flag", "score": "score", "threshold": [0.25, 0.5], "by": ["region", "year"]},
    "null scores": {"truth": "bit", "score": "score_gaps", "threshold": [0.3, 0.6], "missing": "wrong"},
    "weighted thresholds": {"truth": "bit", "score": "score", "threshold": [0.3, 0.6], "weight": "weight"},
    "outcomes": {"outcome": "passed"},
    "outcomes in words": {"outcome": "solved", "by": "region"},
    "joint outcomes": {"outcome": ["passed", "ones", "solved"]},
    "outcomes with gaps": {"outcome": "passed_gaps", "missing": "wrong"},
    "counted outcomes": {"outcome": "passed", "count": "n", "by": ["region", "year"]},
}


@cache
def pandas_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame({k: v for k, v in COLUMNS.items() if k != "digit_gaps"})
    frame["digit_gaps"] = pd.array(COLUMNS["digit_gaps"], dtype="Int64")
    return frame.astype(dict.fromkeys(CATEGORIES, "category"))


@cache
def plain_pandas() -> Any:
    """Object columns and floats, as pandas made them for years."""
    import pandas as pd

    text = {k: "object" for k, v in COLUMNS.items() if any(isinstance(x, str) for x in v)}
    return pd.DataFrame(COLUMNS).astype(text)


@cache
def arrow_pandas() -> Any:
    return pandas_frame().astype(dict.fromkeys(CATEGORIES, "str")).convert_dtypes(dtype_backend="pyarrow")


@cache
def polars_frame() -> Any:
    import polars as pl

    return pl.DataFrame(COLUMNS).with_columns(pl.col(*CATEGORIES).cast(pl.Categorical))


@cache
def arrow_table() -> Any:
    import pyarrow as pa

    arrays = {k: pa.array(v) for k, v in COLUMNS.items()}
    return pa.table({k: v.dictionary_encode() if k in CATEGORIES else v for k, v in arrays.items()})


@cache
def relation() -> Any:
    import duckdb

    table = arrow_table()
    base = duckdb.from_arrow(table)
    return base.project("* replace (kind::enum('owl', 'cat', 'dog') as kind)")


@cache
def dask_frame() -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(pandas_frame(), npartitions=3)


@cache
def ibis_table() -> Any:
    import ibis

    return ibis.memtable(pandas_frame().astype(dict.fromkeys(CATEGORIES, "str")))


def batches() -> Any:
    return (polars_frame()[i : i + 7] for i in range(0, N, 7))


def mixed_batches() -> Any:
    """Two engines in one iterator."""
    yield pandas_frame()[:100]
    yield polars_frame()[100:]


ENGINES = {
    "pandas": pandas_frame,
    "pandas, object columns": plain_pandas,
    "pandas, pyarrow columns": arrow_pandas,
    "polars": polars_frame,
    "polars, lazy": lambda: polars_frame().lazy(),
    "pyarrow": arrow_table,
    "pyarrow reader": lambda: arrow_table().to_reader(max_chunksize=50),
    "DuckDB": relation,
    "Dask": dask_frame,
    "Ibis": ibis_table,
    "generator of batches": batches,
    "batches of two engines": mixed_batches,
    "list of frames": lambda: [polars_frame()[:50], polars_frame()[50:]],
}


@cache
def reference(case: str) -> hs.Tally:
    """The answer of one engine, which other tests hold against loops over rows."""
    return hs.tally(polars_frame(), **CASES[case])
