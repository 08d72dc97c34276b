"""Frames of 0 and 1, a column per label: the columns are the labels, and are matched by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import howsure as hs
from howsure.errors import BadLabels

TRUTH = pd.DataFrame({"sports": [1, 0, 1, 1], "arts": [0, 0, 1, 0], "law": [1, 1, 0, 0]})
SAID = pd.DataFrame({"law": [1, 1, 0, 1], "sports": [1, 0, 0, 1], "arts": [0, 1, 1, 0]})
ENGINES = {
    "pandas": lambda x: x,
    "pandas, bools": lambda x: x.astype(bool),
    "pandas, floats": lambda x: x.astype(float),
    "pandas, nullable": lambda x: x.astype("Int64"),
    "polars": pl.from_pandas,
    "polars, lazy": lambda x: pl.from_pandas(x).lazy(),
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_are_labels(engine):
    """The same as sets of the names, on every engine, whatever the order of the columns."""
    t = hs.Tally.multilabel(ENGINES[engine](TRUTH), ENGINES[engine](SAID))
    sets = [[set(row.index[row == 1]) for _, row in x.iterrows()] for x in (TRUTH, SAID)]
    assert t.labels == ("sports", "arts", "law")
    assert t == hs.Tally.multilabel(*sets, labels=["sports", "arts", "law"])
    assert t.versus_rest("law").named() == {"tp": 2, "fp": 1, "fn": 0, "tn": 1}


def test_a_frame_names_the_columns_of_an_array():
    """Which must be in the order of the frame."""
    t = hs.Tally.multilabel(TRUTH, {"a": SAID, "b": SAID[TRUTH.columns].to_numpy()})
    assert t.labels == ("sports", "arts", "law")
    assert t.system("a").versus_rest("arts").named() == t.system("b").versus_rest("arts").named()


def test_labels_choose_the_order_or_rename():
    """The names of the columns in another order, or other names for them."""
    turned = hs.Tally.multilabel(TRUTH, SAID, labels=["law", "arts", "sports"])
    assert turned.labels == ("law", "arts", "sports")
    assert turned.versus_rest("law").tp == 2
    other = hs.Tally.multilabel(TRUTH, SAID, labels=["x", "y", "z"])
    assert other.versus_rest("z").tp == 2


def test_reports_keep_names_and_library():
    """Rows of a report are of the columns; a frame of it is of the library that came in."""
    r = hs.score(hs.Tally.multilabel(pl.from_pandas(TRUTH), pl.from_pandas(SAID)))
    assert {row["class"] for row in r.to_dict()["rows"]} >= {"sports", "arts", "law"}
    assert isinstance(r.to_frame(), pl.DataFrame)


REFUSED = {
    "a column less": (SAID[["law", "arts"]], {}, "the answers lack column 'sports' of the truths"),
    "another name": (SAID.rename(columns={"law": "laws"}), {}, "lack column 'law'"),
    "a column more": (SAID.assign(tech=0), {}, "have a column 'tech' more"),
    "texts": (SAID.assign(law="yes"), {}, "column 'law' of the answers holds 'yes'"),
    "scores": (SAID.assign(law=0.3), {}, "column 'law' of the answers holds 0.3"),
    "missing": (SAID.astype("Int64").replace({"law": {0: None}}), {}, "column 'law' of the answers holds None"),
    "columns twice": (SAID.set_axis(["law", "law", "arts"], axis=1), {}, "'law' 2 times"),
    "sets": ([{"law"}, {"law"}, set(), set()], {}, "give truths and answers in the same form"),
    "half of the labels": (SAID, {"labels": ["law", "arts", "sport"]}, "labels= names 'sport'"),
    "too few labels": (SAID, {"labels": ["law"]}, "have 3 columns but 1 label in labels="),
    "no columns": (SAID[[]], {}, "the answers have no columns"),
    "another length": (SAID[:2], {}, "the truths 4, the answers 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_match_is_refused(case):
    """By a sentence that names the column."""
    said, options, words = REFUSED[case]
    with pytest.raises(BadLabels) as error:
        hs.Tally.multilabel(TRUTH, said, **options)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_arrays_have_numbers_for_labels():
    """As before: nothing is named."""
    t = hs.Tally.multilabel(np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]]))
    assert t.labels == (0, 1)


def test_answers_that_are_never_a_truth_are_asked_about():
    """Labels of two spellings, or the wrong column: the first note asks; two labels may be all mistakes."""
    frame = pl.DataFrame({"y": ["no", "yes"] * 2, "p": ["n", "y", "y", "n"], "q": ["no", "no", "yes", "yes"]})
    first = next(x for x in str(hs.score(frame, truth="y", pred="p")).splitlines() if x.startswith("- "))
    assert first == (
        "- warning: no predicted label occurs among the true labels: are these the right columns, and labels spelled "
        "alike? (true labels 'no', 'yes'; predictions 'n', 'y')"
    )
    both = hs.tally(frame, truth="y", pred=["p", "q"]).notes
    said = [n.text.partition(":")[0] for n in both if n.code == "no-common-label"]
    assert said == ["no predicted label of p occurs among the true labels"]
    assert "no-common-label" not in {n.code for n in hs.tally(["no", "no"], ["yes", "yes"]).notes}
