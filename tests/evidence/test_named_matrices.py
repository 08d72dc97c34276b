"""Confusion matrices of data frames: counts are taken by the names of rows and columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.cli.parse import read_matrix
from howsure.errors import BadCounts, BadLabels

COUNTS = [[5, 1, 0], [2, 7, 1], [0, 3, 9]]
NAMES = ["cat", "dog", "owl"]
TABLE = hs.Tally.matrix(COUNTS, labels=NAMES)


def test_columns_are_brought_into_the_order_of_the_rows() -> None:
    """A crosstab with its columns in another order gives the accuracy of its pairs, and keeps the names."""
    truth, pred = ["cat", "dog", "cat", "dog", "dog"], ["dog", "dog", "cat", "dog", "cat"]
    crossed = pd.crosstab(pd.Series(truth), pd.Series(pred))[["dog", "cat"]]
    t = hs.Tally.matrix(crossed, positive="dog")
    assert (t.tp, t.fp, t.fn, t.tn) == (2, 1, 1, 1)
    assert t.labels == ("cat", "dog")
    assert hs.score(t, metrics="accuracy")["accuracy"].score == 0.6


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_names_of_rows_and_columns_are_the_labels(order: list[int]) -> None:
    """Rows and columns in any order are the same table, as it is given and transposed."""
    frame = pd.DataFrame(COUNTS, index=NAMES, columns=NAMES)
    mixed = frame.iloc[order, order[::-1]]
    assert hs.Tally.matrix(mixed, labels=NAMES) == TABLE
    assert hs.Tally.matrix(mixed).versus_rest("dog") == TABLE.versus_rest("dog")
    assert hs.Tally.matrix(mixed.T, rows="pred", labels=NAMES) == TABLE


def test_names_on_one_side_are_for_both() -> None:
    """Numbers that only count rows, or columns, are no names; as names of both sides they are matched."""
    assert hs.Tally.matrix(pd.DataFrame(COUNTS, columns=NAMES)) == TABLE
    assert hs.Tally.matrix(pd.DataFrame(COUNTS, index=NAMES)) == TABLE
    assert hs.Tally.matrix(pd.DataFrame(COUNTS)).labels == (0, 1, 2)
    assert hs.Tally.matrix(pd.DataFrame(COUNTS), labels=NAMES) == TABLE
    turned = pd.DataFrame(COUNTS).loc[[2, 0, 1]]
    assert hs.Tally.matrix(turned).versus_rest(2) == hs.Tally.matrix(COUNTS).versus_rest(2)


def test_texts_of_numbers_match_numbers() -> None:
    """As in a file that was read with its first column as the index: columns are texts, rows numbers."""
    frame = pd.DataFrame([[7, 1], [2, 5]], index=[0, 1], columns=["0", "1"])[["1", "0"]]
    assert hs.Tally.matrix(frame) == hs.Tally.binary(tp=5, fp=1, fn=2, tn=7)
    turned = hs.Tally.matrix(frame.T)
    assert (turned.tp, turned.fp, turned.fn, turned.tn) == (5, 2, 1, 7)


@pytest.mark.parametrize("columns", [["x", "y", "z"], ["cat", "dog", "cow"]])
def test_other_names_of_rows_and_columns_are_refused(columns: list[str]) -> None:
    """Counts of classes that are not the same cannot be a confusion matrix."""
    with pytest.raises(BadCounts, match=r"names columns .* but rows .* must agree"):
        hs.Tally.matrix(pd.DataFrame(COUNTS, index=NAMES, columns=columns))


def test_a_class_that_no_one_answered_is_refused_by_name() -> None:
    """The message has the way out, which works."""
    frame = pd.DataFrame(np.array(COUNTS)[:, :2], index=NAMES, columns=NAMES[:2])
    with pytest.raises(BadCounts, match="reindex"):
        hs.Tally.matrix(frame)
    assert hs.Tally.matrix(frame.reindex(index=NAMES, columns=NAMES, fill_value=0)).n == 18


def test_labels_that_are_not_the_names_are_refused() -> None:
    """Which name goes with which label is not known."""
    with pytest.raises(BadLabels, match="labels= has"):
        hs.Tally.matrix(pd.DataFrame(COUNTS, index=NAMES, columns=NAMES), labels=["a", "b", "c"])


@pytest.mark.parametrize("name", ["All", "total", "my sums", 99])
@pytest.mark.parametrize("place", [3, 0])
def test_margins_are_no_class(name: object, place: int) -> None:
    """A crosstab with margins is refused, whatever they are called and wherever they stand; without them counted."""
    frame = pd.DataFrame(COUNTS, index=NAMES, columns=NAMES)
    summed = pd.concat([frame, frame.sum().to_frame(name).T])
    summed[name] = summed.sum(axis=1)
    order = [*range(place), 3, *range(place, 3)]
    with pytest.raises(BadCounts, match=rf"^row and column {name!r} of the matrix hold the sums of the others"):
        hs.Tally.matrix(summed.iloc[order, order])
    with pytest.raises(BadCounts, match="leave such margins out"):
        hs.Tally.matrix(summed.T, rows="pred")
    assert hs.Tally.matrix(summed.drop(index=name, columns=name)) == TABLE


def test_margins_of_a_crosstab_and_of_named_counts() -> None:
    """As pandas makes them, also of one class only; of counts with labels by their name."""
    truth, pred = pd.Series(list("aabb")), pd.Series(list("abbb"))
    for crossed in (pd.crosstab(truth, pred, margins=True), pd.crosstab(truth[:1], pred[:1], margins=True)):
        with pytest.raises(BadCounts, match=r"column 'All' of the matrix hold the sums of the others and are no class"):
            hs.Tally.matrix(crossed)
        with pytest.raises(BadCounts, match=r"column 'All' of the matrix hold the sums"):
            hs.Tally.matrix(crossed.to_numpy(), labels=crossed.index.tolist())


MARGINS = pd.crosstab(pd.Series(list("aabbccab")), pd.Series(list("abbbcaab")), margins=True)
NUMBERED = pd.crosstab(pd.Series([0, 1, 1, 0, 1]), pd.Series([0, 1, 0, 0, 1]), margins=True)


@pytest.mark.parametrize("crossed", [MARGINS, NUMBERED, MARGINS.rename_axis(index=""), MARGINS.iloc[[0, -1], [0, -1]]])
@pytest.mark.parametrize("side", ["row", "column"])
def test_a_margin_on_one_side_is_no_class(crossed: pd.DataFrame, side: str, tmp_path: Path) -> None:
    """The message does not advise to make it one; and one that was made a class is refused by its name."""
    if len(crossed) == 2:
        crossed = pd.DataFrame([[3, 3], [3, 3]], index=["a", "All"], columns=["a", "All"])  # of one class
    left = crossed.iloc[:, :-1] if side == "row" else crossed.iloc[:-1]
    filled = left.reindex(index=crossed.index, columns=crossed.columns, fill_value=0)
    left.to_csv(tmp_path / "left.csv")
    filled.to_csv(tmp_path / "filled.csv")
    for given, told in ((left, "looks like a margin.*; leave it out.$"), (filled, "is no class; leave 'All' out")):
        for rows in ("truth", "pred"):
            with pytest.raises(BadCounts, match=rf"^{side} 'All' of .*{told}"):
                hs.Tally.matrix(given, rows=rows)
            with pytest.raises(BadCounts, match=rf"^{side} 'All' of .*{told}"):
                read_matrix(tmp_path / ("left.csv" if given is left else "filled.csv"), rows, None)


def test_sums_on_one_side_under_another_name() -> None:
    """They may be a class that was never answered, or never true; the message has both ways."""
    left = MARGINS.rename(index={"All": "d"}).iloc[:, :-1]
    with pytest.raises(BadCounts, match=r"^row 'd' of the matrix looks like a margin.* a column too, with table.reind"):
        hs.Tally.matrix(left)
    assert hs.Tally.matrix(left.reindex(columns=list("abcd"), fill_value=0)).n == 16
    with pytest.raises(BadCounts, match="must agree"):
        hs.Tally.matrix(pd.DataFrame([[5], [5]], index=["a", "b"], columns=["a"]))
    assert hs.Tally.matrix([[3, 2], [3, 2]], labels=["none", "all"]).n == 10


def test_tables_that_look_like_margins_are_counted() -> None:
    """Counts without names, a class of that name that is none, and two equal classes beside one without items."""
    sums = [[5, 2, 7], [1, 4, 5], [6, 6, 12]]
    assert hs.Tally.matrix(sums).n == 48
    assert hs.Tally.matrix(sums, labels=["a", "b", "c"]).n == 48
    assert hs.Tally.matrix(COUNTS, labels=["a", "b", "All"]).n == 28
    equal = pd.DataFrame([[0, 0, 0], [0, 7, 7], [0, 7, 7]], index=NAMES, columns=NAMES)
    assert hs.Tally.matrix(equal).n == 28
    assert hs.Tally.matrix(equal * 0).n == 0
