"""Columns of types that no count expects: they are read as what they are, or refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import howsure as hs

TRUTH, PRED = [1, 0, 1, 1], [1, 0, 0, 1]
AS_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "value": lambda x: hs.graded(x, value="g"),
    "weight": lambda x: hs.tally(x, truth="t", pred="p", weight="g"),
    "count": lambda x: hs.tally(x, truth="t", pred="p", count="g"),
    "score": lambda x: hs.curve(x, truth="t", score="g"),
}
AS_LABELS: dict[str, Callable[[Any], Any]] = {
    "truth": lambda x: hs.tally(x, truth="g", pred="p"),
    "pred": lambda x: hs.tally(x, truth="t", pred="g"),
    "by": lambda x: hs.tally(x, truth="t", pred="p", by="g"),
    "cluster": lambda x: hs.tally(x, truth="t", pred="p", cluster="g"),
    "item": lambda x: hs.graded(x, value="v", item="g"),
    "system": lambda x: hs.graded(x, value="v", item="t", system="g"),
}
NO_NUMBERS = {
    "complex": [1 + 5j, 2, 3, 4],
    "periods": pd.period_range("2020-01", periods=4, freq="M"),
    "intervals": pd.interval_range(0, 4),
    "dates": pd.date_range("2020-01-01", periods=4),
    "lengths of time": pd.timedelta_range("1D", periods=4),
    "records": [{"a": 1}, {"a": 2}, {"a": 1}, {}],
}


def _frame(column: Any) -> pd.DataFrame:
    return pd.DataFrame({"t": TRUTH, "p": PRED, "v": [0.1, 0.2, 0.3, 0.4], "g": column})


@pytest.mark.parametrize("given", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("ask", AS_NUMBERS.values(), ids=AS_NUMBERS)
def test_columns_that_are_no_numbers_are_refused(ask: Callable[[Any], Any], given: Any) -> None:
    """No part of a value is lost on the way to a number, and no error of pandas gets through."""
    with pytest.raises(hs.HowsureError, match="column 'g' must be numbers"):
        ask(_frame(given))


@pytest.mark.parametrize("ask", AS_LABELS.values(), ids=AS_LABELS)
def test_records_are_no_labels(ask: Callable[[Any], Any]) -> None:
    """Cells that are dicts cannot be counted."""
    with pytest.raises(hs.HowsureError, match="column 'g' holds records"):
        ask(_frame(NO_NUMBERS["records"]))


@pytest.mark.parametrize("ask", [*AS_NUMBERS.values(), *AS_LABELS.values()], ids=[*AS_NUMBERS, *AS_LABELS])
def test_half_floats_are_floats(ask: Callable[[Any], Any]) -> None:
    """pandas has no group-by for them; what they hold is what floats of 64 bits hold."""
    halves = [1.0, 0.0, 1.0, 2.0]
    found, asked = (_told(ask, _frame(np.array(halves, dtype=kind))) for kind in (np.float16, np.float64))
    assert found == asked


def _told(ask: Callable[[Any], Any], frame: pd.DataFrame) -> str:
    try:
        return repr(ask(frame))
    except hs.HowsureError as refused:
        return str(refused)


@pytest.mark.parametrize("kind", ["eager", "lazy"])
def test_a_condition_on_lengths_of_time_of_polars_is_refused(kind: str) -> None:
    """polars has no texts of them to compare."""
    frame = pl.DataFrame({"t": TRUTH, "p": PRED, "g": [timedelta(1)] * 4})
    with pytest.raises(hs.HowsureError, match=r"Duration.*total_seconds"):
        hs.tally(frame if kind == "eager" else frame.lazy(), truth="t", pred="p", where="g=1")


def test_names_of_columns_have_sentences_of_their_own() -> None:
    """Names that occur twice, names of levels, and a weight that is text: what to do is said."""
    twice = pd.DataFrame([[1, 1, 0], [0, 0, 1]], columns=["truth", "pred", "pred"])
    levels = pd.DataFrame([[1, 1]], columns=pd.MultiIndex.from_tuples([("a", "truth"), ("a", "pred")]))
    for columns in ({}, {"truth": "truth", "pred": "pred"}):
        with pytest.raises(hs.HowsureError, match="column 'pred' of the frame is named twice"):
            hs.score(twice, **columns)
        with pytest.raises(hs.HowsureError, match=r"names of 2 levels.*flatten them first"):
            hs.score(levels, **columns)
    text = _frame(["1", "2", "3", "4"])
    with pytest.raises(hs.HowsureError, match=r"it holds String\. Turn it into numbers first: pandas.to_numeric"):
        hs.tally(text, truth="t", pred="p", weight="g")
    with pytest.raises(hs.HowsureError, match=r"polars.col\('g'\).cast"):
        hs.tally(pl.from_pandas(text), truth="t", pred="p", weight="g")


@pytest.mark.parametrize("place", [0, 1])
def test_records_of_numpy_are_no_labels(place: int) -> None:
    """A structured array has fields, one of which may be meant."""
    given: list[Any] = [[1, 0, 1], [1, 0, 1]]
    given[place] = np.zeros(3, dtype=[("a", int)])
    with pytest.raises(hs.HowsureError, match=r"holds records; give one of their fields, such as y\['a'\]"):
        hs.score(*given)


DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-02"], dtype="M8[D]")
LENGTHS = np.array([1, 2, 2], dtype="m8[D]")


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns"])
@pytest.mark.parametrize("given", [DAYS, LENGTHS], ids=["days", "lengths"])
def test_times_of_different_units_are_compared(given: Any, unit: str) -> None:
    """The same days, or lengths of time, in another unit are the same labels; a missing one is missing."""
    other = given.astype(f"{given.dtype.kind}8[{unit}]")
    assert hs.tally(given, other).dense().tolist() == [[1, 0], [0, 2]]
    other[0] = "NaT"
    with pytest.raises(hs.HowsureError, match="1 missing prediction"):
        hs.tally(given, other)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("given", [DAYS, LENGTHS], ids=["days", "lengths"])
def test_times_are_no_numbers(given: Any, unit: str) -> None:
    """Whatever the unit counts is not set beside whole numbers."""
    times = given.astype(f"{given.dtype.kind}8[{unit}]")
    with pytest.raises(hs.HowsureError, match="truths and predictions do not match"):
        hs.tally(times, times.astype(np.int64))


def test_arrays_of_pyarrow_are_taken() -> None:
    """Plain, in chunks, with gaps, as a dictionary, and as weights, clusters and columns of a mapping."""
    table = hs.tally(TRUTH, PRED)
    truth, pred = pa.array(TRUTH), pa.chunked_array([PRED[:2], PRED[2:]])
    assert hs.tally(truth, pred) == table
    assert (
        hs.tally({"truth": truth, "pred": pred}, truth="truth", pred="pred").dense().tolist() == table.dense().tolist()
    )
    texts = pa.array(["a", "b"]).dictionary_encode()
    assert hs.tally(texts, pa.array(["a", "a"])).dense().tolist() == [[1, 0], [1, 0]]
    assert hs.tally(pa.array([1, None, 0]), pa.array([1, 1, 0]), missing="drop").n == 2
    weighted = hs.tally(truth, pred, weight=pa.array([1, 2, 3, 4]), cluster=pa.array(["x", "x", "y", "z"]))
    assert weighted.describe()["clusters"] == 3
    assert hs.curve(truth, pa.array([0.9, 0.1, 0.4, 0.3]), metrics="auc")["auc"].score == 1.0


@pytest.mark.parametrize("kind", ["array", "frame", "file"])
def test_items_of_weight_0_add_nothing_to_a_mean(kind: str, tmp_path: Path) -> None:
    """Graded values with a weight of 0 give what is given without them, and their rows count as kept."""
    values, weights = [0.1, 0.5, 0.3, 0.9], [1.0, 0.0, 2.0, 1.0]
    frame = pd.DataFrame({"v": values, "w": weights})
    frame.to_csv(tmp_path / "w.csv", index=False)
    if kind == "array":
        found = hs.graded(values, weight=weights)
    else:
        found = hs.graded(frame if kind == "frame" else str(tmp_path / "w.csv"), value="v", weight="w")
    alone = hs.score(hs.graded([0.1, 0.3, 0.9], weight=[1.0, 2.0, 1.0]))["mean"]
    assert hs.score(found)["mean"].interval() == alone.interval()
    assert found.account is not None
    assert found.account.read == 4
    assert not found.account.left_out
    with pytest.raises(hs.HowsureError, match="all weights are 0"):
        hs.graded(values, weight=[0.0] * 4)


def test_a_parquet_file_with_a_name_twice_is_refused(tmp_path: Path) -> None:
    """As in other files, where that column is read; a name that only looks so is none, nor a field of a record."""
    record = [{"truth": 1, "pred": 2}] * 2
    twice = pa.table([record, [1, 0], [1, 1], [0, 1], [[1], [2]]], names=["r", "truth", "pred", "truth", "l"])
    once = pa.table([record, [1, 0], [1, 1], [0, 1], [[1], [2]]], names=["r", "truth", "pred", "truth_1", "l"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    pq.write_table(once, tmp_path / "once.parquet")
    for columns in ({}, {"truth": "truth", "pred": "pred"}):
        with pytest.raises(hs.HowsureError, match=r"column 'truth' of .* is named twice"):
            hs.score(str(tmp_path / "twice.parquet"), **columns)
        assert hs.score(str(tmp_path / "once.parquet"), metrics="accuracy", **columns)["accuracy"].score == 0.5
