"""Tallies travel: through pickle, small, and through JSON, unchanged."""

from __future__ import annotations

import json
import pickle
from datetime import date

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadCounts
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.slices import Slices
from tests.engines.data import CASES, polars_frame, reference


@pytest.mark.parametrize("case", CASES)
def test_evidence_survives_json_and_pickle(case):
    """Equal after a round trip; tables are the same text again, and clusters are refused as text."""
    t = reference(case)
    again = pickle.loads(pickle.dumps(t))
    assert again == t
    assert again.notes == t.notes
    if isinstance(t, Clustered):
        with pytest.raises(BadCounts, match="clusters cannot be written as JSON: send the tally by cluster"):
            t.to_json()
    elif hasattr(t, "to_json"):
        text = t.to_json()
        again = Tally.from_json(text)
        assert again == t
        assert again.notes == t.notes
        assert again.to_json() == text
        assert json.loads(text)["schema"] == "howsure.tally/1"


def test_a_pickle_is_small():
    """A 2x2 table takes under a kilobyte, a thousand slices a few bytes each."""
    assert len(pickle.dumps(Tally.binary(tp=80, fp=20, fn=30, tn=870))) < 1_000
    frame = pl.DataFrame({"id": np.arange(1000), "y": [1, 0] * 500, "z": [1, 1] * 500})
    assert len(pickle.dumps(hs.tally(frame, truth="y", pred="z", by="id"))) < 30_000


def test_dates_are_slices_too():
    """A column of dates makes slices in their order, through JSON and back."""
    days = [date(2024, 5, 2), date(2024, 5, 1)]
    t = hs.tally(pl.DataFrame({"day": days, "y": [1, 0], "z": [1, 1]}), truth="y", pred="z", by="day")
    assert list(t.batch[0][1]) == sorted(days)
    assert Tally.from_json(t.to_json()) == t
    assert t.batch[0][1].where(0) == {"day": date(2024, 5, 1)}


def test_slices_are_named_column_by_column():
    """Every slice says its value of each column; a missing one is None, and comes last."""
    axis = hs.tally(polars_frame(), truth="bit", pred="bit_a", by=["year", "place"]).batch[0][1]
    found = [axis.where(i) for i in range(3)]
    assert found == [{"year": 2023, "place": "x"}, {"year": 2023, "place": "y"}, {"year": 2023, "place": None}]


def test_too_many_combinations_for_one_number():
    """Columns whose levels multiply past 2^62 are still told apart."""
    n = 300
    columns = {f"c{k}": [i * (k + 1) % n for i in range(n)] for k in range(9)}
    t = hs.tally(pl.DataFrame({**columns, "y": [1] * n, "z": [1] * n}), truth="y", pred="z", by=list(columns))
    assert t.shape == (n,)
    axis = t.batch[0][1]
    assert isinstance(axis, Slices)
    assert list(axis) == sorted(zip(*columns.values(), strict=True))
