"""hs.tally: lists, arrays and Series of labels, in every type that holds them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

import howsure as hs
from howsure.errors import BadLabels, UnknownName
from howsure.evidence.classes import Tally
from howsure.messages.notes import note

Y = [1, 0, 1, 1, 0, 0, 1, 0]
Z = [1, 0, 0, 1, 1, 0, 1, 0]
CELLS = {"tp": 3, "fp": 1, "fn": 1, "tn": 3}
TEXT = {0: "ham", 1: "spam"}


def cells(t: Tally) -> dict[str, int]:
    return {name: getattr(t, name) for name in CELLS}


def text(values):
    return [TEXT[x] for x in values]


NUMBERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "list of floats": lambda v: [float(x) for x in v],
    "list of numpy ints": lambda v: [np.int64(x) for x in v],
    "list of int and bool": lambda v: [bool(x) if i % 2 else x for i, x in enumerate(v)],
    **{f"numpy {kind}": lambda v, kind=kind: np.array(v, dtype=kind)
       for kind in ("int8", "int16", "int64", "uint8", "uint32", "float16", "float32", "float64", "object")},
    "numpy column": lambda v: np.array(v).reshape(-1, 1),
    "numpy strided": lambda v: np.repeat(v, 2)[::2],
    "pandas int64": pd.Series,
    "pandas float64": lambda v: pd.Series(v, dtype="float64"),
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas UInt8": lambda v: pd.Series(v, dtype="UInt8"),
    "pandas Float64": lambda v: pd.Series(v, dtype="Float64"),
    "pandas int category": lambda v: pd.Series(v, dtype="category"),
    "pandas other index": lambda v: pd.Series(v, index=range(100, 100 + len(v))),
    "pandas Index": pd.Index,
    "polars Int64": pl.Series,
    "polars UInt8": lambda v: pl.Series(v, dtype=pl.UInt8),
    "polars Float64": lambda v: pl.Series(v, dtype=pl.Float64),
}  # fmt: skip
BOOLS = {
    "list": lambda v: [bool(x) for x in v],
    "numpy bool": lambda v: np.array(v, dtype=bool),
    "numpy object": lambda v: np.array([bool(x) for x in v], dtype=object),
    "pandas bool": lambda v: pd.Series(v, dtype="bool"),
    "pandas boolean": lambda v: pd.Series([bool(x) for x in v], dtype="boolean"),
    "polars Boolean": lambda v: pl.Series([bool(x) for x in v], dtype=pl.Boolean),
}
TEXTS = {
    "list": text,
    "numpy <U": lambda v: np.array(text(v)),
    "numpy object": lambda v: np.array(text(v), dtype=object),
    "pandas str": lambda v: pd.Series(text(v)),
    "pandas object": lambda v: pd.Series(text(v), dtype=object),
    "pandas string": lambda v: pd.Series(text(v), dtype="string"),
    "pandas category": lambda v: pd.Series(text(v), dtype="category"),
    "polars String": lambda v: pl.Series(text(v)),
    "polars Categorical": lambda v: pl.Series(text(v), dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(text(v), dtype=pl.Enum(["spam", "ham"])),
}


# -- one answer for every type ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_type_give_one_tally(make):
    """0 and 1 in every container give the tally of the plain list."""
    t = hs.tally(make(Y), make(Z))
    assert t == hs.tally(Y, Z)
    assert cells(t) == CELLS
    assert all(type(x) is int for x in t.labels)


@pytest.mark.parametrize("make", BOOLS.values(), ids=BOOLS)
def test_booleans_of_any_type_give_one_tally(make):
    """False and True in every container give one tally, True positive."""
    t = hs.tally(make(Y), make(Z))
    assert cells(t) == CELLS
    assert t.labels == (False, True)
    assert t.positive is True
    assert t == hs.tally([bool(x) for x in Y], [bool(x) for x in Z])


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_text_of_any_type_gives_one_tally(make):
    """Text in every container gives one tally, its labels in order of the alphabet."""
    t = hs.tally(make(Y), make(Z), positive="spam")
    assert t == hs.tally(text(Y), text(Z), positive="spam")
    assert cells(t) == CELLS
    assert t.labels == ("ham", "spam")
    assert all(type(x) is str for x in t.labels)


def test_types_of_truth_and_prediction_may_differ():
    """A list of ints against an array of floats or booleans is the same 0 and 1."""
    for z in (np.array(Z, dtype=float), np.array(Z, dtype=bool), pl.Series(Z), pd.Series(Z, dtype="boolean")):
        assert cells(hs.tally(Y, z)) == CELLS


def test_uint64_labels_are_counted():
    """Unsigned 64-bit labels, as DuckDB and polars give them, count like any others."""
    assert hs.tally(np.array(Y, dtype=np.uint64), np.array(Z, dtype=np.uint64)) == hs.tally(Y, Z)


@pytest.mark.parametrize(
    "values",
    [
        [10**6, 5, 10**6, 5],
        [-(2**62), 2**62, 0, 0],
        [-3, -1, -3, 7],
        pytest.param([2**63, 5, 2**63, 5]),
        pytest.param([1e300, 1.0, 1e300, 1.0]),
    ],
    ids=str,
)
def test_numbers_far_apart_are_labels_too(values):
    """Any whole number may be a label, however large."""
    t = hs.tally(values, values[::-1])
    assert t.labels == tuple(sorted({int(x) for x in values}))
    assert t.n == 4


# -- the positive class -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "z", "labels", "positive"),
    [
        ([0, 1], [1, 1], (0, 1), 1),
        ([0, 0], [0, 0], (0, 1), 1),
        ([1, 1], [1, 1], (0, 1), 1),
        ([-1, 1], [1, -1], (-1, 1), 1),
        ([-1, -1], [-1, -1], (-1, 1), 1),
        ([True, True], [True, True], (False, True), True),
        ([1, 2], [2, 1], (1, 2), None),
        ([0, 1, 2], [0, 1, 2], (0, 1, 2), None),
        (["a", "b"], ["b", "b"], ("a", "b"), None),
        (["0", "1"], ["0", "1"], ("0", "1"), None),
    ],
)
def test_positive_class_by_rule(y, z, labels, positive):
    """1 or True is positive when the labels lie in {0,1}, {False,True} or {-1,1}; a missing partner is completed."""
    t = hs.tally(y, z)
    assert (t.labels, t.positive) == (labels, positive)


@pytest.mark.parametrize("given_as", [1, 1.0, True, "1", np.int64(1), np.float64(1.0), np.bool_(True)])
def test_positive_may_be_spelled_in_any_type(given_as):
    """The positive class is found whatever type it is given in, and kept as the data spell it."""
    t = hs.tally(Y, Z, positive=given_as)
    assert cells(t) == CELLS
    assert type(t.positive) is int


def test_positive_zero_swaps_the_table():
    """Asking for 0 as the positive class swaps hits and correct rejections."""
    assert cells(hs.tally(Y, Z, positive=0)) == {"tp": 3, "fp": 1, "fn": 1, "tn": 3}
    t = hs.tally([0, 0, 1], [0, 1, 1], positive=0)
    assert cells(t) == {"tp": 1, "fp": 0, "fn": 1, "tn": 1}


def test_a_positive_class_that_never_occurs_is_refused():
    """A positive class nobody has, and nobody answers, is a slip; the nearest label is offered."""
    with pytest.raises(UnknownName, match=r"no class named 'spm'\. Did you mean 'spam'\? Classes: 'ham', 'spam'"):
        hs.tally(text(Y), text(Z), positive="spm")


# -- labels= ------------------------------------------------------------------------------------------------------


def test_labels_fix_order_and_add_classes():
    """labels= sets the order and may name classes that do not occur."""
    t = hs.tally(["b", "a"], ["b", "b"], labels=["c", "b", "a"])
    assert t.labels == ("c", "b", "a")
    np.testing.assert_array_equal(t.dense(), [[0, 0, 0], [0, 1, 0], [0, 1, 0]])


def test_a_label_that_is_not_among_labels_is_refused():
    """A label outside labels= is named with the side it is on and the nearest one."""
    with pytest.raises(BadLabels, match=r"label 'spam' in y_true is not among labels= \('ham', 'spamm'\).*'spamm'"):
        hs.tally(["ham", "spam"], ["ham", "ham"], labels=["ham", "spamm"])
    with pytest.raises(BadLabels, match="label 2 in the predictions"):
        hs.tally([0, 1], [0, 2], labels=[0, 1])


# -- what is refused ----------------------------------------------------------------------------------------------

SCORES = {
    "list": list,
    "numpy": np.array,
    "numpy float32": lambda v: np.array(v, dtype=np.float32),
    "numpy object": lambda v: np.array(v, dtype=object),
    "pandas": pd.Series,
    "pandas Float64": lambda v: pd.Series(v, dtype="Float64"),
    "polars": pl.Series,
    "list with None": lambda v: [*v[:-1], None],
}


@pytest.mark.parametrize("make", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("side", ["truth", "prediction"])
def test_scores_are_not_labels(make, side):
    """Fractions are refused with advice, in every container and on either side."""
    scores = make([0.0, 0.25, 1.0])
    y, z = (scores, [0, 1, 1]) if side == "truth" else ([0, 1, 1], scores)
    with pytest.raises(BadLabels, match=r"0\.25: these look like scores; give a threshold"):
        hs.tally(y, z, missing="drop")


def test_lengths_must_agree():
    """Both lengths are named, and the system when there are several."""
    with pytest.raises(BadLabels, match="3 truths but 2 predictions"):
        hs.tally([0, 1, 1], [0, 1])
    with pytest.raises(BadLabels, match="2 truths but 3 predictions of 'b'"):
        hs.tally([0, 1], {"a": [0, 1], "b": [0, 1, 1]})


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series], ids=["list", "numpy", "pandas", "polars"])
def test_no_items_are_refused(make):
    """Empty data of any kind are refused."""
    with pytest.raises(BadLabels, match="there are no items"):
        hs.tally(make([]), make([]))


@pytest.mark.parametrize("bad", ["abc", b"abc", None])
def test_one_text_is_not_a_sequence_of_labels(bad):
    """A bare text is no column; it is refused by the name of its argument."""
    with pytest.raises(BadLabels, match="y_true must be a sequence of labels"):
        hs.tally(bad, [0])
    with pytest.raises(BadLabels, match="y_pred must be a sequence of labels"):
        hs.tally([0], bad)


def test_tables_are_not_columns():
    """Two-dimensional data are refused with their shape."""
    with pytest.raises(BadLabels, match=r"y_true must have one dimension; got shape \(2, 2\)"):
        hs.tally(np.eye(2), [0, 1])
    with pytest.raises(BadLabels, match="one label per item"):
        hs.tally([[0], [1]], [0, 1])
    with pytest.raises(BadLabels, match="one label per item; got the set of 'x', 'y', 'z'"):  # whatever the hash seed
        hs.tally(["x", {"y", "z", "x"}], [0, 1])


def test_a_data_frame_of_one_column_is_counted_or_refused():
    """A DataFrame in place of a Series never gives a tally of something else."""
    frame = pd.DataFrame({"label": Y})
    try:
        t = hs.tally(frame, pd.DataFrame({"label": Z}))
    except hs.HowsureError:
        return
    assert t == hs.tally(Y, Z)


def test_masked_items_are_missing():
    """A masked label is missing and is refused like any other missing label."""
    y = np.ma.masked_array([0, 1, 1], mask=[False, False, True])
    with pytest.raises(BadLabels, match="1 missing truth"):
        hs.tally(y, [0, 1, 0])


def test_text_against_numbers_is_refused():
    """'1' is not 1: truths and predictions of different kinds are told apart, not tallied as all wrong."""
    with pytest.raises(BadLabels, match="truths such as '1', predictions such as 1"):
        hs.tally(["1", "1"], [1, 1])


def test_mixed_labels_within_a_column_keep_their_types():
    """Text and numbers in one column are different classes."""
    assert hs.tally([1, "1", "a"], ["1", "1", "a"]).labels == (1, "1", "a")


def test_labels_without_an_order_are_refused():
    """Labels that cannot be sorted are refused with the way out."""
    values = [complex(1, 2), complex(1, 3)]
    with pytest.raises(BadLabels, match="Give labels="):
        hs.tally(values, values)


def test_labels_without_an_order_are_taken_in_the_order_given():
    """labels= gives an order to labels that have none."""
    values = [complex(1, 2), complex(1, 3)]
    assert hs.tally(values, values, labels=values).labels == tuple(values)


# -- missing labels -----------------------------------------------------------------------------------------------

HOLES = {
    "list of None": ([1, None, 0, 1], [1, 1, 0, None]),
    "list of NaN": ([1.0, float("nan"), 0.0, 1.0], [1, 1, 0, float("nan")]),
    "numpy float": (np.array([1, np.nan, 0, 1]), np.array([1, 1, 0, np.nan])),
    "numpy object": (np.array([1, None, 0, 1], dtype=object), np.array([1, 1, 0, np.nan], dtype=object)),
    "pandas float": (pd.Series([1, None, 0, 1]), pd.Series([1, 1, 0, None])),
    "pandas Int64": (pd.Series([1, None, 0, 1], dtype="Int64"), pd.Series([1, 1, 0, pd.NA], dtype="Int64")),
    "pandas boolean": (
        pd.Series([True, None, False, True], dtype="boolean"),
        pd.Series([True, True, False, None], dtype="boolean"),
    ),
    "polars Int64": (pl.Series([1, None, 0, 1]), pl.Series([1, 1, 0, None])),
    "polars Boolean": (pl.Series([True, None, False, True]), pl.Series([True, True, False, None])),
    "text": (["b", None, "a", "b"], ["b", "b", "a", None]),
    "pandas text": (pd.Series(["b", None, "a", "b"]), pd.Series(["b", "b", "a", None])),
    "pandas string": (
        pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
        pd.Series(["b", "b", "a", pd.NA], dtype="string"),
    ),
    "pandas category": (
        pd.Series(["b", None, "a", "b"], dtype="category"),
        pd.Series(["b", "b", "a", None], dtype="category"),
    ),
    "polars text": (pl.Series(["b", None, "a", "b"]), pl.Series(["b", "b", "a", None])),
    "polars Categorical": (
        pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
        pl.Series(["b", "b", "a", None], dtype=pl.Categorical),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("y", "z"), HOLES.values(), ids=HOLES)
def test_missing_labels_are_counted_and_refused(y, z):
    """Missing labels of every kind are counted on both sides and refused."""
    with pytest.raises(BadLabels, match=r"1 missing truth and 1 missing prediction\. Give missing='drop'"):
        hs.tally(y, z)


@pytest.mark.parametrize(("y", "z"), HOLES.values(), ids=HOLES)
def test_missing_labels_are_dropped_and_said(y, z):
    """missing="drop" leaves the two complete items and says so in a note."""
    t = hs.tally(y, z, missing="drop")
    np.testing.assert_array_equal(t.dense(), np.eye(2))
    assert t.notes == (note("missing-dropped", form="label", truths=1, predictions=1),)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_missing_prediction_can_count_as_wrong(classes):
    """missing="wrong" keeps the item; it is never right, and a note says so."""
    y, z = [0, 1, 1, 0], [0, 1, None, None]
    labels = list(range(classes))
    t = hs.tally(y, z, missing="wrong", labels=labels)
    assert t.n == 4
    right, wrong = t.right_wrong()
    assert (float(right), float(wrong)) == (2, 2)
    assert t.notes[0] == note("missing-wrong", count=2, what="prediction")
    assert (t + t).n == 8


def test_a_missing_truth_cannot_count_as_wrong():
    """An item without a truth has no right answer; "wrong" refuses it and points to "drop"."""
    with pytest.raises(BadLabels, match="1 missing truth; an item without a truth cannot be scored"):
        hs.tally([0, None], [0, 1], missing="wrong")


def test_nothing_left_after_dropping_is_refused():
    """When every item lacks a label there is nothing to tally."""
    with pytest.raises(BadLabels, match="no other item is left"):
        hs.tally([None, 1], [1, None], missing="drop")


def test_missing_takes_three_words():
    """An unknown word for missing= gets the nearest one."""
    with pytest.raises(UnknownName, match=r"missing='dropp' is not known\. Did you mean 'drop'"):
        hs.tally([0], [0], missing="dropp")


def test_missing_labels_are_counted_in_full():
    """The number of missing labels is kept with all of its digits."""
    t = hs.tally(pl.DataFrame({"y": [1, 1], "z": [None, 1], "n": [1_234_567, 1]}), truth="y", pred="z", count="n",
                 missing="drop")  # fmt: skip
    assert t.notes[0]["predictions"] == 1_234_567


# -- weights ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series], ids=["list", "numpy", "pandas", "polars"])
@pytest.mark.parametrize("named", [False, True], ids=["numbers", "text"])
def test_weights_add_up_by_cell(make, named):
    """Each cell holds the sum of its weights, and the sum of their squares."""
    y, z, w = [1, 1, 0, 0], [1, 1, 1, 0], make([0.5, 1.5, 2.0, 4.0])
    if named:
        y, z = text(y), text(z)
    t = hs.tally(y, z, weight=w, positive="spam" if named else None)
    assert cells(t) == {"tp": 2.0, "fp": 2.0, "fn": 0.0, "tn": 4.0}
    np.testing.assert_array_equal(t.squares, [16.0, 4.0, 0.0, 2.5])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], r"3 items but weights of shape \(2,\)"),
        ([[1, 2, 3]], r"shape \(1, 3\)"),
        ([1, -2, 3], r"cannot be negative; got -2\.0"),
        ([1, float("nan"), 3], "finite"),
        ([1, float("inf"), 3], "finite"),
        ([1, None, 3], "finite"),
        ([0, 0, 0], "all weights are 0"),
        (["a", "b", "c"], "weights must be numbers"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    """Weights that are no weights are refused with what is wrong with them."""
    with pytest.raises(BadLabels, match=message):
        hs.tally([0, 1, 1], [0, 1, 0], weight=weight)


def test_items_of_weight_zero_still_name_their_class():
    """Numbers and text agree on the classes when some items weigh nothing."""
    y, w = [0, 1, 2], [1, 1, 0]
    numbers = hs.tally(y, y, weight=w)
    words = hs.tally([str(x) for x in y], [str(x) for x in y], weight=w)
    assert [str(x) for x in numbers.labels] == list(words.labels)


# -- several systems ----------------------------------------------------------------------------------------------


def test_a_mapping_of_predictions_is_joint():
    """Every pattern of truth and answers is counted, in the order of the mapping."""
    t = hs.tally([0, 1, 1, 1], {"b": [0, 1, 0, 0], "a": [0, 1, 1, 1]})
    assert t.systems == ("b", "a")
    assert t.n == 4
    patterns = {tuple(c): int(n) for c, n in zip(t.cells.tolist(), t.counts, strict=True)}
    assert patterns == {(0, 0, 0): 1, (1, 1, 1): 1, (1, 0, 1): 2}


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_many_systems_agree_with_each_alone(systems, seed):
    """However many systems share the items, each one's table is that of its own predictions."""
    rng = np.random.default_rng(seed)
    y, z = rng.integers(0, 3, 30), rng.integers(0, 3, (systems, 30))
    joint = hs.tally(y, {f"s{i}": row for i, row in enumerate(z)}, labels=[0, 1, 2])
    for i, row in enumerate(z):
        np.testing.assert_array_equal(joint.system(f"s{i}").dense(), hs.tally(y, row, labels=[0, 1, 2]).dense())


def test_no_systems_are_refused():
    """An empty mapping holds no predictions."""
    with pytest.raises(BadLabels, match="no predictions were given"):
        hs.tally([0, 1], {})


# -- against other counters ---------------------------------------------------------------------------------------


def against_counter(t: Tally, y, z) -> None:
    patterns = {(t.labels[a], t.labels[b]): int(n) for (a, b), n in zip(t.cells.tolist(), t.counts, strict=True) if n}
    assert patterns == dict(Counter(zip(y.tolist(), z.tolist(), strict=True)))


@pytest.mark.parametrize("classes", [2, 30, 1000])
@pytest.mark.parametrize("alphabet", ["class-", "κλάση ", "😀", ""], ids=["ascii", "greek", "emoji", "digits"])
def test_large_text_arrays_equal_a_counter(classes, alphabet):
    """Hashing fixed-width text in pieces counts exactly what a Counter counts."""
    rng = np.random.default_rng(classes)
    names = np.array([f"{alphabet}{i * i}" for i in range(classes)])
    y, z = (names[rng.integers(0, classes, 50_000)] for _ in range(2))
    against_counter(hs.tally(y, z), y, z)


def test_large_text_arrays_with_weights_and_other_widths():
    """Columns of different width and weights give the weighted sums of the slow way."""
    rng = np.random.default_rng(5)
    y = np.array(["no", "perhaps"])[rng.integers(0, 2, 50_000)]
    z = np.array(["no", "perhaps", "a much longer answer than that"])[rng.integers(0, 3, 50_000)]
    w = rng.integers(1, 9, 50_000) / 4
    assert hs.tally(y, z, weight=w) == hs.tally(y.tolist(), z.tolist(), weight=w)


def test_text_of_another_byte_order_and_stride():
    """Arrays that are not contiguous, or of the other byte order, are counted alike."""
    rng = np.random.default_rng(6)
    y, z = (np.array(["ham", "spam"])[rng.integers(0, 2, 50_000)] for _ in range(2))
    assert hs.tally(y.astype(">U4"), z.astype(">U4")) == hs.tally(y, z)
    assert hs.tally(np.repeat(y, 2)[::2], np.repeat(z, 2)[::2]) == hs.tally(y, z)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int16, bool])
def test_large_number_arrays_equal_a_counter(kind):
    """Counting in cache-sized pieces loses nothing at the seams."""
    rng = np.random.default_rng(7)
    y, z = (rng.integers(0, 2 if kind is bool else 7, 3 * 65_536 + 17).astype(kind) for _ in range(2))
    against_counter(hs.tally(y, z), y, z)


label_sets = st.sampled_from([[0, 1], [-1, 1], [0, 1, 2, 3], [-5, 0, 2000], ["a", "b"], ["x", "y", "z"], [False, True]])


@given(label_sets, st.integers(1, 60), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=60)
def test_tables_are_those_of_scikit_learn(labels, n, seed, as_array):
    """The dense table is sklearn.metrics.confusion_matrix, for every kind of label."""
    rng = np.random.default_rng(seed)
    y, z = ([labels[i] for i in rng.integers(0, len(labels), n)] for _ in range(2))
    if as_array:
        y, z = np.array(y), np.array(z)
    np.testing.assert_array_equal(hs.tally(y, z, labels=labels).dense(), confusion_matrix(y, z, labels=labels))


def test_series_that_hold_the_same_rows_in_another_order_are_not_paired_by_position():
    """Truths, answers of each system, scores, weights, clusters: whatever the index. Other labels tell no order."""
    frame = pd.DataFrame({"y": [1, 0, 1, 1, 0, 0], "z": [1, 0, 0, 1, 1, 0], "p": [0.9, 0.2, 0.6, 0.7, 0.5, 0.1]})
    for rows in (frame, frame.set_axis(list("abcdef"))):
        turned = rows.iloc[::-1]
        for refused in (
            lambda a=rows, b=turned: hs.tally(a.y, b.z),
            lambda a=rows, b=turned: hs.tally(a.y, {"one": a.z, "two": b.z}),
            lambda a=rows, b=turned: hs.tally(a.y, a.z, weight=b.p),
            lambda a=rows, b=turned: hs.tally(a.y, a.z, cluster=b.p),
            lambda a=rows, b=turned: hs.curve(a.y, b.p),
            lambda a=rows, b=turned: hs.graded({"one": a.p, "two": b.p}),
        ):
            with pytest.raises(BadLabels, match="another order"):
                refused()
        plain = hs.tally([1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 1, 0])
        assert hs.tally(rows.y, rows.z) == plain
        assert hs.tally(rows.y, rows.z.copy()) == plain
        assert hs.tally(rows.y, turned.z.reindex(rows.index)) == plain
        assert hs.tally(rows.y, rows.z.set_axis(range(100, 106))) == plain  # other labels tell nothing of the order
        assert hs.tally(rows.y.set_axis([0] * 6), rows.z.set_axis([0] * 6)) == plain
        assert hs.tally(rows.y, turned.z.to_numpy()[::-1]) == plain


@pytest.mark.parametrize(
    ("y", "z", "taken"),
    [
        (["a", "b", "c"], ["a", None, "c"], True),
        (["a", None, "c"], ["a", "b", "c"], False),
        (["a", None, "c"], ["a", "b", None], False),
    ],
    ids=["prediction", "truth", "both"],
)
def test_wrong_is_offered_for_missing_labels_only_where_it_is_taken(y, z, taken):
    """A missing prediction can count as wrong; an item without a truth is neither right nor wrong."""
    with pytest.raises(BadLabels) as refused:
        hs.tally(y, z)
    assert ("'wrong'" in str(refused.value)) == taken
    if taken:
        assert hs.tally(y, z, missing="wrong").n == 3
    else:
        with pytest.raises(BadLabels, match="without a truth"):
            hs.tally(y, z, missing="wrong")
    frame = pl.DataFrame({"y": [["a"], ["b"]], "z": [["a"], None]})
    with pytest.raises(BadLabels) as refused:
        hs.tally(frame, truth="y", pred="z")
    assert "'wrong'" not in str(refused.value)  # lists of labels do not take it
