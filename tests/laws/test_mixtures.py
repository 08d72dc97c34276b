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
from howsure.evidence.graded import Graded
from howsure.io.entrance import evidence
from howsure.messages.notes import note

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
    if isinstance(a, Graded):
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
        with pytest.raises(BadLabels, match=f"column 'y' holds both text and numbers, such as '{bad}' and [01]; make"):
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
    with pytest.raises(BadLabels, match=r"column 'y' holds both text and numbers, such as 'x' and [01]; make them all"):
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


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        (["9007199254740992", "1.5", "2"], ["9007199254740993", "1.5", "2"], 2),  # one double
        (["1.1", "1.10", "1.2"], ["1.1", "1.10", "1.2"], 3),  # numbers of sections
        (["1.1", "1.10", "1.2", "2"], ["1.1", "1.10", "1.2", "2.0"], 3),
        (["0.1", "0.10000000000000001", "2"], ["0.1", "0.10000000000000001", "2.0"], 3),
        (["1e3", "1000.5", "1"], ["1000", "1000.5", "1.0"], 2),
        (["1.5", "2", "+3"], ["1.5", "2.0", "3"], 3),
    ],
)
def test_ids_that_are_spelled_apart_are_apart(tmp_path, a, b, shared):
    """One id with a fraction made doubles of all: different ids were one item, or one id twice."""
    for name, ids in (("a", a), ("b", b)):
        (tmp_path / f"{name}.csv").write_text("id,y,p\n" + "".join(f"{x},{i % 2},1\n" for i, x in enumerate(ids)))
    files = {x: str(tmp_path / f"{x}.csv") for x in "ab"}
    if shared < max(len(a), len(b)):
        with pytest.raises(BadFile, match="1 id is only in"):
            evidence(files, truth="y", pred="p", on="id")
    found = evidence(files, truth="y", pred="p", on="id", unmatched="drop")
    assert (found.n, found.account.left_out) == (shared, {} if shared == len(a) else {"unmatched": 2})
    values = evidence(files, value="y", on="id", unmatched="drop")
    assert len(set(values.ids)) == shared


def test_slices_that_are_spelled_apart_are_apart(tmp_path):
    """Versions 1.1 and 1.10 were one slice; numbers as Python writes them are numbers, beside typed numbers all are."""
    path, numbers = tmp_path / "a.csv", tmp_path / "a.parquet"
    path.write_text("y,p,v\n1,1,1.1\n0,1,1.10\n1,1,2\n")
    assert hs.tally(str(path), truth="y", pred="p", cluster="v").clusters == 3
    assert list(hs.tally(str(path), truth="y", pred="p", by="v").batch[0][1]) == ["1.1", "1.10", "2"]
    path.write_text("y,p,v\n1,1,0.5\n0,1,2.0\n1,1,9007199254740993\n")
    assert list(hs.tally(str(path), truth="y", pred="p", by="v").batch[0][1]) == [0.5, 2, 2**53 + 1]
    path.write_text("y,p,v\n1,1,0.50\n0,1,2\n")
    pl.DataFrame({"y": [1], "p": [1], "v": [0.5]}).write_parquet(numbers)
    assert list(hs.tally([str(path), str(numbers)], truth="y", pred="p", by="v").batch[0][1]) == [0.5, 2]
    path.write_text("y,p\n1,0.50\n0,0.10\n")
    with pytest.raises(BadLabels, match="these look like scores"):
        hs.tally(str(path), truth="y", pred="p")


# -- classes that are spelled differently


SHARDS: dict[str, tuple[str, str]] = {"1": ("1", "0"), "1.0": ("1.0", "0.0"), "true": ("true", "false")}


@pytest.mark.parametrize("b", SHARDS)
@pytest.mark.parametrize("a", SHARDS)
def test_shards_that_spell_their_classes_differently(tmp_path, a, b):
    """Two classes, whatever the shards are; 1/0 beside true/false were four where both were text."""
    y, p = [0, 1, 1, 0, 0], [0, 1, 0, 0, 1]
    whole = hs.tally([bool(x) for x in y * 2], [bool(x) for x in p * 2])
    made: dict[str, dict[str, str]] = {}
    for place, way in (("first", a), ("second", b)):
        rows = [(SHARDS[way][1 - t], SHARDS[way][1 - s]) for t, s in zip(y, p, strict=True)]
        own = made[place] = {x: str(tmp_path / f"{place}.{x}") for x in ("csv", "parquet", "jsonl")}
        Path(own["csv"]).write_text("y,p\n" + "".join(f"{t},{s}\n" for t, s in rows))
        pl.DataFrame(rows, schema=["y", "p"], orient="row").write_parquet(own["parquet"])
        Path(own["jsonl"]).write_text("".join(f'{{"y": {t}, "p": {s}}}\n' for t, s in rows))
    for one, two in (("csv", "csv"), ("csv", "parquet"), ("parquet", "csv"), ("csv", "jsonl"), ("jsonl", "jsonl")):
        found = hs.tally([made["first"][one], made["second"][two]], truth="y", pred="p")
        assert len(found.labels) == 2, (one, two, found.labels)
        assert found.counts.tolist() == whole.counts.tolist(), (one, two)
    found = hs.tally([made["first"]["parquet"], made["second"]["parquet"]], truth="y", pred="p")  # meant as text
    assert len(found.labels) == (2 if a == b else 4)
    assert [n.code for n in found.notes if n.code == "similar-labels"] == ["similar-labels"] * (a != b)


def test_classes_of_one_value_among_words_are_asked_about(tmp_path):
    """A column of text, for it holds a word: 1 and 1.0, or 1 and true, may be one class."""
    for other in ("1.0", "true", "TRUE"):
        (tmp_path / "a.csv").write_text(f"y,p\n1,1\n{other},1\nx,x\n")
        found = hs.tally(str(tmp_path / "a.csv"), truth="y", pred="p")
        assert set(found.labels) == {"1", other, "x"}
        assert "similar-labels" in {n.code for n in found.notes}


# -- labels given as text


@pytest.mark.parametrize("text", ["true", "TRUE", "True", "1", "1.0"])
def test_a_class_may_be_given_as_it_is_spelled(text):
    """--positive and --labels are texts; the data hold true/false."""
    assert hs.tally([True, False], [True, True], positive=text).positive is True
    table = hs.tally([True, False], [True, True], labels=["false", text], positive=text)
    assert (table.labels, table.positive) == ((False, True), True)
    assert hs.tally([1, 0], [1, 1], positive=text if text[0] == "1" else 1).positive == 1
