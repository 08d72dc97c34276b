"""A data set written in any mixture of packings, formats and spellings gives the answer that it gives in one file."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadLabels
from howsure.evidence.items import Items
from howsure.ingest.entrance import evidence
from howsure.notes import note

Row = dict[str, Any]
_DRAW = np.random.default_rng(14)


def _rows(n: int = 60) -> list[Row]:
    found = []
    for i in range(n):
        y = int(_DRAW.integers(0, 3))
        other = int(_DRAW.integers(0, 3))
        found.append({
            "id": i, "y": y, "p": y if i % 3 else other, "flag": y > 0, "said": (y if i % 4 else other) > 0,
            "word": "abc"[y], "wrote": "abc"[other], "region": 1 + i % 2 * 9, "group": i // 5, "copies": 1 + i % 3,
            "half": 0.5 * (i % 3),
        })  # fmt: skip
    return found


ROWS = _rows()


def _as_text(x: Any, style: str) -> str:
    if isinstance(x, bool):
        return str(x).upper() if style == "float" else str(x)
    return f"{x}.0" if isinstance(x, int) and style == "float" else str(x)


def _csv(rows: Sequence[Row], style: str = "python", sign: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sign)
    writer.writerow(rows[0])
    writer.writerows([_as_text(x, style) for x in row.values()] for row in rows)
    return out.getvalue().encode()


def _json(rows: Sequence[Row], number: Callable[[int], Any] = int) -> bytes:
    made = [{k: number(x) if type(x) is int else x for k, x in row.items()} for row in rows]
    return "".join(json.dumps(row) + "\n" for row in made).encode()


def _parquet(rows: Sequence[Row], path: Path, number: Any = None) -> None:
    frame = pl.DataFrame(list(rows))
    if number is not None:
        frame = frame.with_columns(pl.col("id", "y", "p", "region", "group", "copies").cast(number))
    frame.write_parquet(path)


WAYS: dict[str, tuple[str, Callable[[Sequence[Row], Path], object]]] = {
    "csv": ("csv", lambda rows, path: path.write_bytes(_csv(rows))),
    "csv packed": ("csv.gz", lambda rows, path: path.write_bytes(gzip.compress(_csv(rows)))),
    "csv of floats": ("tsv", lambda rows, path: path.write_bytes(_csv(rows, "float", "\t"))),
    "json": ("jsonl", lambda rows, path: path.write_bytes(_json(rows))),
    "json of floats": ("jsonl.gz", lambda rows, path: path.write_bytes(gzip.compress(_json(rows, float)))),
    "parquet": ("parquet", _parquet),
    "parquet of floats": ("parquet", lambda rows, path: _parquet(rows, path, pl.Float64)),
}
ASKED: dict[str, dict[str, Any]] = {
    "numbers": {"truth": "y", "pred": "p"},
    "numbers by slice": {"truth": "y", "pred": "p", "by": "region"},
    "flags": {"truth": "flag", "pred": "said", "by": ["region", "flag"]},
    "words by half": {"truth": "word", "pred": "wrote", "by": "half"},
    "clusters": {"truth": "y", "pred": "p", "cluster": "group"},
    "counts": {"truth": "y", "pred": "p", "count": "copies"},
    "outcomes": {"outcome": "said", "by": "region"},
    "values": {"value": "half", "item": "id"},
}


def _written(folder: Path, parts: Sequence[tuple[str, Sequence[Row]]]) -> list[str]:
    paths = []
    for i, (way, rows) in enumerate(parts):
        suffix, write = WAYS[way]
        path = folder / f"part{i}.{suffix}"
        write(rows, path)
        paths.append(str(path))
    return paths


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Items):
        return a.ids == b.ids and np.array_equal(a.values, b.values)
    return bool(a == b)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_any_mixture_of_files_is_one_file(tmp_path, asked):
    """Every pair of ways to write it, and every single one of them, gives the same evidence."""
    whole = evidence(_written(tmp_path, [("parquet", ROWS)]), **asked)
    for a, b in (*combinations(WAYS, 2), *((a, a) for a in WAYS)):
        parts = _written(tmp_path, [(a, ROWS[:25]), (b, ROWS[25:])])
        assert _same(evidence(parts, **asked), whole), (a, b)


def test_shards_of_text_are_typed_together(tmp_path):
    """One shard spells numbers only, the other also a word: text in both, as in one file; 01 is not 1."""
    (tmp_path / "a.csv").write_text("y,p,r\n1,1,1\n2,1,01\n1,2,2\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"y,p,r\n1,1,1\nx,1,2\n2,2,02\n"))
    (tmp_path / "one.csv").write_text("y,p,r\n1,1,1\n2,1,01\n1,2,2\n1,1,1\nx,1,2\n2,2,02\n")
    parts = hs.tally([str(tmp_path / "a.csv"), str(tmp_path / "b.csv.gz")], truth="y", pred="p", by="r")
    assert parts.labels == ("1", "2", "x")
    assert list(parts.batch[0][1]) == ["01", "02", "1", "2"]
    assert parts == hs.tally(str(tmp_path / "one.csv"), truth="y", pred="p", by="r")


def test_text_beside_numbers_is_read_or_refused(tmp_path):
    """Texts that spell the numbers of other files are these; any other text, or a name such as 01, is refused."""
    numbers, texts = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pl.DataFrame({"y": [1, 0, 1], "p": [1, 1, 1]}).write_parquet(numbers)
    pl.DataFrame({"y": ["1", "0", "0"], "p": ["1", "0", "1"]}).write_parquet(texts)
    assert hs.tally([numbers, texts], truth="y", pred="p") == hs.tally([1, 0, 1, 1, 0, 0], {"p": [1, 1, 1, 1, 0, 1]})
    for bad in ("x", "01"):
        (tmp_path / "c.csv").write_text(f"y,p\n1,1\n{bad},0\n")
        with pytest.raises(BadLabels, match=f"column 'y' holds both text and numbers, such as '{bad}' and [01]; write"):
            hs.tally([numbers, tmp_path / "c.csv"], truth="y", pred="p")
    (tmp_path / "d.jsonl").write_text('{"y": "1", "p": "0"}\n{"y": "0", "p": "0"}\n')
    (tmp_path / "e.csv").write_text("y,p\n1,0\n0,1\n")
    assert hs.tally([tmp_path / "d.jsonl", tmp_path / "e.csv"], truth="y", pred="p").labels == ("0", "1")


BATCHES: dict[str, Callable[[Sequence[Row]], Any]] = {
    "pandas": pd.DataFrame,
    "objects": lambda rows: pd.DataFrame(rows).astype(object),
    "floats": lambda rows: pd.DataFrame(rows).astype({"y": float, "p": float, "region": float}),
    "texts": lambda rows: pd.DataFrame(rows).astype({"y": str, "p": str, "region": str}),
    "polars": lambda rows: pl.DataFrame(list(rows)),
    "arrow": lambda rows: pl.DataFrame(list(rows)).with_columns(pl.col("y").cast(pl.Int8)).to_arrow(),
}


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in BATCHES for b in BATCHES if (a, b) != ("texts", "texts")])
def test_batches_of_any_types_are_one_frame(a, b):
    """An iterator of frames whose columns have different types in each."""
    asked = {"truth": "y", "pred": "p", "by": "region"}
    whole = hs.tally(pd.DataFrame(ROWS), **asked)
    assert hs.tally(iter([BATCHES[a](ROWS[:25]), BATCHES[b](ROWS[25:])]), **asked) == whole


def test_batches_of_numbers_and_of_words_are_refused():
    """pandas types each chunk of a file by itself: what was 1 in one may have been 01 in the file."""
    parts = [pd.DataFrame({"y": [1, 0], "p": [1, 1]}), pd.DataFrame({"y": ["1", "x"], "p": [1, 0]})]
    with pytest.raises(BadLabels, match=r"column 'y' holds both text and numbers, such as 'x' and [01]; write"):
        hs.tally(iter(parts), truth="y", pred="p")


def test_a_number_and_its_text_do_not_become_two_classes_in_silence():
    """Tallies that are added are refused; in one column, where somebody may have meant it, there is a question."""
    with pytest.raises(BadLabels, match="labels '0' and 0 are a text and a number"):
        hs.tally([1, 0], [1, 1]) + hs.tally(["1", "0"], ["1", "1"])
    one, two = ({"y": [1, 0], "p": [1, 1], "r": r} for r in ([1, 2], ["1", "2"]))
    with pytest.raises(BadLabels, match="slices of 'r': '1' and 1 are a text and a number"):
        hs.tally(one, truth="y", pred="p", by="r") + hs.tally(two, truth="y", pred="p", by="r")
    with pytest.raises(BadLabels, match="labels '1' and 1 are a text and a number"):
        hs.Tally.multilabel([[1], [2]], [[1], [2]]) + hs.Tally.multilabel([["1"], ["2"]], [["1"], ["2"]])
    both = hs.tally([1, "1", "a"], ["1", "1", "a"])
    assert both.notes == (note("similar-labels", first=1, second="1"),)
    assert (both + both).labels == both.labels


# -- files of systems


SYSTEMS = {
    "numbers": {"truth": "y", "pred": "p", "on": "id"},
    "flags": {"truth": "flag", "pred": "said", "on": ["group", "id"]},
    "outcomes": {"outcome": "said", "on": "id", "by": "region"},
    "values": {"value": "half", "on": "id"},
    "clusters": {"truth": "y", "pred": "p", "cluster": "group"},
}


@pytest.mark.parametrize("asked", SYSTEMS.values(), ids=SYSTEMS)
def test_systems_in_files_of_different_kinds(tmp_path, asked):
    """Ids, truths and answers of systems meet, however each file spells them."""
    others = [
        row | {"p": (row["p"] + i % 2) % 3, "said": i % 3 > 0, "half": 0.25 * (i % 4)} for i, row in enumerate(ROWS)
    ]
    first: Any = None
    for a, b in (("parquet", "parquet"), *combinations(WAYS, 2), *((a, a) for a in WAYS)):
        one, two = _written(tmp_path, [(a, ROWS), (b, others[::-1])])
        found = evidence({"a": one, "b": two}, **asked)
        first = found if first is None else first
        assert _same(found, first), (a, b)


def test_ids_that_are_names_stay_apart(tmp_path):
    """01 and 1 are two ids; so are 1.0 and 1 where another id is a word."""
    for name, ids in (("a", "01"), ("b", "1")):
        (tmp_path / f"{name}.csv").write_text(f"id,y,p\n{ids},1,1\n2,0,1\n")
    with pytest.raises(BadFile, match="'01'"):
        evidence({x: str(tmp_path / f"{x}.csv") for x in "ab"}, truth="y", pred="p", on="id")
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,y,p\n1,1,1\n1.0,0,1\nx,0,1\n")
    found = evidence({x: str(tmp_path / f"{x}.csv") for x in "ab"}, truth="y", pred="p", on="id")
    assert found.n == 3


# -- labels given as text


@pytest.mark.parametrize("text", ["true", "TRUE", "True", "1", "1.0"])
def test_a_class_may_be_given_as_it_is_spelled(text):
    """--positive and --labels are texts; the data hold true/false."""
    assert hs.tally([True, False], [True, True], positive=text).positive is True
    table = hs.tally([True, False], [True, True], labels=["false", text], positive=text)
    assert (table.labels, table.positive) == ((False, True), True)
    assert hs.tally([1, 0], [1, 1], positive=text if text[0] == "1" else 1).positive == 1
