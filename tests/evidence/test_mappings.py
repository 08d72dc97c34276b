"""Mappings of columns: what their names and values tell, where nothing else does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import BadSetting

TRUTH, PRED = [1, 0, 1, 1], [1, 0, 0, 1]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_usual_names_are_columns_of_truth_and_predictions(kind: type) -> None:
    """A mapping with a truth and predictions is scored as the frame of the same columns, with the same note."""
    columns = {"truth": TRUTH, "pred": PRED}
    found = hs.score({name: kind(x) for name, x in columns.items()}, metrics="accuracy")
    asked = hs.score(pd.DataFrame(columns), metrics="accuracy")
    assert found["accuracy"].score == asked["accuracy"].score == 0.75
    assert [n.code for n in found.notes] == [n.code for n in asked.notes]
    assert "columns-guessed" in [n.code for n in found.notes]


def test_usual_names_with_texts_are_columns() -> None:
    """Labels that are texts are no names of files, whether the columns are named or not."""
    columns = {"label": ["a", "b", "b"], "pred": ["a", "b", "a"]}
    assert hs.score(columns, metrics="accuracy")["accuracy"].score == 2 / 3
    other = {"q": columns["label"], "m": columns["pred"]}
    assert hs.tally(other, truth="q", pred="m").dense().tolist() == [[1, 0], [1, 1]]


def test_truths_and_scores_are_columns() -> None:
    """A curve takes a truth and scores under usual names."""
    scores = [0.9, 0.2, 0.6, 0.3]
    found = hs.curve({"y_true": TRUTH, "score": scores}, metrics="auc")
    assert found["auc"].score == hs.curve(TRUTH, scores, metrics="auc")["auc"].score


def test_other_names_are_systems() -> None:
    """Graded values of systems stay such, and hs.graded takes any names."""
    assert hs.score({"a": TRUTH, "b": PRED}).posterior.evidence.systems == ("a", "b")
    assert hs.graded({"truth": TRUTH, "pred": PRED}).systems == ("truth", "pred")


def test_texts_that_are_no_files_are_told_so() -> None:
    """The message says what they are, and how to name columns."""
    with pytest.raises(BadSetting, match=r"'gold one' holds texts such as 'a', which are not names of files; .*truth="):
        hs.score({"gold one": ["a", "b"], "model": ["a", "b"]})


def test_lists_of_files_stay_files(tmp_path: Path) -> None:
    """A mapping from system to files is read as such, whatever the systems are called."""
    for name in ("x", "y"):
        (tmp_path / name).write_text("id,passed\n1,1\n2,0\n3,1\n")
    files = {"a": [str(tmp_path / "x")], "b": [str(tmp_path / "y")]}
    assert hs.score(files, outcome="passed").posterior.evidence.systems == ("a", "b")
