"""One fixture for all engines: columns of every type, questions of every kind, a frame of each engine."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

from howsure.io.entrance import evidence

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


def _more_columns() -> dict[str, list[Any]]:
    """Clusters, graded values, rows of two systems, and lists of labels."""
    rng = random.Random(8)
    groups = [rng.choice(["g1", "g2", "g3", "g4", "g5"]) for _ in range(N)]
    tags = [rng.sample(["red", "green", "blue"], rng.randrange(4)) for _ in range(N)]
    return {
        "group": groups,
        "group_gaps": [None if rng.random() < 0.1 else g for g in groups],
        "grade": [round(rng.random(), 1) for _ in range(N)],
        "stars": [rng.choice([1, 2, 3, 4, 5]) for _ in range(N)],
        "grade_gaps": [None if rng.random() < 0.1 else round(rng.random(), 2) for _ in range(N)],
        "copies": [rng.choice([1, 2, 3]) for _ in range(N)],
        "margin": [rng.gauss(0.0, 2.0) for _ in range(N)],
        "pair": [i // 2 for i in range(N)],
        "model": ["a" if i % 2 else "b" for i in range(N)],
        "pair_truth": [(i // 2) % 3 for i in range(N)],
        "pair_answer": [rng.choice([0, 1, 2]) for _ in range(N)],
        "words": [";".join(x) or "none" for x in tags],
        "words_a": [rng.choice(["red", "red;blue", "blue; green", "none"]) for _ in range(N)],
        "tags": tags,
        "tags_a": [rng.choice([[], ["red"], ["blue", "red"], ["green"]]) for _ in range(N)],
        "tags_gaps": [None if rng.random() < 0.1 else x for x in tags],
    }


COLUMNS = _columns()
LISTS = ("tags", "tags_a", "tags_gaps")
COLUMNS |= _more_columns()
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
    "conditions": {"truth": "bit", "pred": "bit_a", "where": ["year=2023", "region!=north", "score>=0.3", "flag=true"]},
    "clusters": {"truth": "animal", "pred": "animal_a", "cluster": "group"},
    "clusters of two systems": {"truth": "bit", "pred": ["bit_a", "bit_b"], "cluster": "group", "weight": "weight"},
    "clusters of outcomes": {"outcome": ["passed", "ones"], "cluster": "pair", "where": "year=2024"},
    "clusters with gaps": {"outcome": "passed", "cluster": "group_gaps", "missing": "drop"},
    "clusters at a threshold": {
        "truth": "bit",
        "score": "score",
        "threshold": 0.5,
        "cluster": "group",
        "count": "copies",
    },
    "scores": {"truth": "bit", "score": "score"},
    "scores of text": {"truth": "animal", "score": "score", "positive": "owl", "where": "year=2023"},
    "scores of two systems": {"truth": "bit", "score": ["score", "margin"], "weight": "weight"},
    "counted scores": {"truth": "flag", "score": "score", "count": "n"},
    "scores in clusters": {"truth": "bit", "score": "score", "cluster": "group"},
    "scores with gaps": {"truth": "bit", "score": "score_gaps", "missing": "drop"},
    "bins": {"truth": "bit", "score": "margin", "bins": 12},
    "bins of two systems": {"truth": "bit", "score": ["margin", "score_gaps"], "bins": 9, "missing": "drop"},
    "weighted bins": {"truth": "bit", "score": "score", "weight": "weight", "bins": 450},
    "values": {"value": "grade"},
    "whole values": {"value": "stars", "bounds": (1, 5), "better": "lower"},
    "values of two systems": {"value": ["grade", "stars"]},
    "weighted values": {"value": "grade", "weight": "weight"},
    "counted values": {"value": "stars", "count": "copies", "where": "place=x"},
    "values in clusters": {"value": ["grade", "margin"], "cluster": "group"},
    "values with gaps": {"value": "grade_gaps", "missing": "drop"},
    "values of named items": {"value": "grade", "item": ["pair", "model"]},
    "long classes": {"truth": "pair_truth", "pred": "pair_answer", "item": "pair", "system": "model"},
    "long outcomes": {"outcome": "ones", "item": "pair", "system": "model"},
    "long values": {"value": "grade", "item": "pair", "system": "model"},
    "systems by cluster": {"outcome": "passed", "cluster": "group", "system": "model"},
    "values of systems by cluster": {"value": "grade", "cluster": "group", "system": "model"},
    "split texts": {"truth": "words", "pred": "words_a", "sep": ";"},
    "split texts in clusters": {"truth": "words", "pred": "words_a", "sep": ";", "cluster": "group"},
    "label sets": {"truth": "tags", "pred": "tags_a"},
    "label sets with gaps": {"truth": "tags_gaps", "pred": "tags_a", "missing": "drop", "count": "copies"},
    "label sets in clusters": {"truth": "tags", "pred": ["tags_a", "tags"], "cluster": "group"},
}
FEW = (  # of every kind some, for engines that take their time
    "text", "nulls wrong", "NaN", "joint", "three slice columns", "weights", "thresholds in slices", "conditions",
    "outcomes with gaps", "clusters of two systems", "scores of two systems", "scores in clusters", "bins",
    "weighted values", "values in clusters", "long classes", "systems by cluster", "split texts",
)  # fmt: skip
PLAIN = {name: case for name, case in CASES.items() if case.get("truth") not in LISTS}  # for engines without lists


def pandas_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame({k: v for k, v in COLUMNS.items() if k != "digit_gaps"})
    frame["digit_gaps"] = pd.array(COLUMNS["digit_gaps"], dtype="Int64")
    return frame.astype(dict.fromkeys(CATEGORIES, "category"))


def plain_pandas() -> Any:
    """Object columns and floats, as pandas made them for years."""
    import pandas as pd

    text = {k: "object" for k, v in COLUMNS.items() if any(isinstance(x, str) for x in v)}
    text["grade_gaps"] = "object"  # numbers among objects
    return pd.DataFrame(COLUMNS).astype(text)


def arrow_pandas() -> Any:
    plain = pandas_frame().astype(dict.fromkeys(CATEGORIES, "str"))
    return plain.drop(columns=list(LISTS)).convert_dtypes(dtype_backend="pyarrow").join(plain[list(LISTS)])


def polars_frame() -> Any:
    import polars as pl

    return pl.DataFrame(COLUMNS).with_columns(pl.col(*CATEGORIES).cast(pl.Categorical))


def arrow_table() -> Any:
    import pyarrow as pa

    arrays = {k: pa.array(v) for k, v in COLUMNS.items()}
    return pa.table({k: v.dictionary_encode() if k in CATEGORIES else v for k, v in arrays.items()})


def relation() -> Any:
    import duckdb

    table = arrow_table()
    base = duckdb.from_arrow(table)
    return base.project("* replace (kind::enum('owl', 'cat', 'dog') as kind)")


def dask_frame() -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(pandas_frame().drop(columns=list(LISTS)), npartitions=3)


def ibis_table() -> Any:
    import ibis

    return ibis.memtable(pandas_frame().astype(dict.fromkeys(CATEGORIES, "str")))


def batches(size: int = 50) -> Any:
    return (polars_frame()[i : i + size] for i in range(0, N, size))


def mixed_batches() -> Any:
    """Two engines in one iterator."""
    yield pandas_frame()[:100]
    yield polars_frame()[100:]


def columns() -> Any:
    """A mapping from names to columns."""
    return COLUMNS


ENGINES = {
    "columns": columns,
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
def reference(name: str) -> Any:
    """The answer of one engine to a case, which other tests hold against loops over rows."""
    return nameless(evidence(polars_frame(), **CASES[name]))


def nameless(found: Any) -> Any:
    """Evidence without the library, and without the warning that not every engine looks for: all that may differ."""
    if hasattr(found, "parts") and not hasattr(found, "values"):
        return replace(found, parts=tuple(replace(part, library=None) for part in found.parts))
    return replace(found, library=None, notes=tuple(n for n in found.notes if n.code != "repeated-units"))
