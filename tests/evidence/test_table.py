"""Tally: what it holds, how it merges, what it refuses."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import howsure as hs
from howsure.errors import BadCounts, BadLabels, UnknownName

GOUTTE = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
THREE = [[5, 1, 0], [2, 7, 1], [0, 3, 9]]
counts_2x2 = st.fixed_dictionaries({name: st.integers(0, 10**6) for name in GOUTTE})


def named(t: hs.Tally) -> dict[str, int]:
    return {name: getattr(t, name) for name in ("tp", "fp", "fn", "tn")}


# -- makers -------------------------------------------------------------------------------------------------------


@given(counts_2x2)
def test_binary_gives_back_its_counts(counts):
    """The four counts come back under their names, as Python integers, and sum to n."""
    t = hs.Tally.binary(**counts)
    assert named(t) == counts
    assert t.n == sum(counts.values())
    assert all(type(x) is int for x in [t.n, *named(t).values()])
    assert (t.labels, t.positive, t.shape) == ((0, 1), 1, ())


def test_binary_takes_only_names():
    """Four bare numbers are refused, because their order differs from library to library."""
    with pytest.raises(TypeError):
        hs.Tally.binary(80, 20, 30, 870)


def test_binary_arrays_broadcast_to_a_batch():
    """Arrays of different shapes broadcast as in numpy and become batch axes."""
    t = hs.Tally.binary(tp=[[1], [2], [3]], fp=[10, 20], fn=0, tn=5)
    assert t.shape == (3, 2)
    assert [name for name, _ in t.batch] == ["batch", "batch1"]
    assert [list(axis) for _, axis in t.batch] == [[0, 1, 2], [0, 1]]
    np.testing.assert_array_equal(t.tp, [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(t.fp, [[10, 20]] * 3)
    np.testing.assert_array_equal(t.n, [[16, 26], [17, 27], [18, 28]])


def test_binary_refuses_shapes_that_do_not_broadcast():
    """Shapes that cannot be brought to one are named in the message."""
    with pytest.raises(BadCounts, match=r"tp \(2,\).*fp \(3,\)"):
        hs.Tally.binary(tp=[1, 2], fp=[1, 2, 3], fn=0, tn=0)


@pytest.mark.parametrize("kind", [int, float, np.int8, np.uint8, np.uint64, np.float32, object])
def test_counts_of_any_number_type_are_the_same_table(kind):
    """Whole numbers of any numeric type give one and the same table."""
    counts = {name: np.array(value, dtype=kind) for name, value in {"tp": 80, "fp": 20, "fn": 30, "tn": 87}.items()}
    assert hs.Tally.binary(**counts) == hs.Tally.binary(tp=80, fp=20, fn=30, tn=87)


def test_counts_are_exact_to_2_to_the_53():
    """2^53 is taken exactly; one more is refused, as an int and as a numpy integer."""
    most = 2**53
    assert hs.Tally.binary(tp=most, fp=1, fn=0, tn=0).tp == most
    for more in (most + 1, np.int64(most + 1), np.uint64(2**63), 10**30, 1e300):
        with pytest.raises(BadCounts, match=r"2\^53"):
            hs.Tally.binary(tp=more, fp=0, fn=0, tn=0)


@pytest.mark.parametrize("value", [-1, -0.5, 0.5, float("nan"), float("inf"), "3", None, 1 + 2j, [1, -1]])
@pytest.mark.parametrize("name", list(GOUTTE))
def test_bad_counts_are_refused_by_name(name, value):
    """A count that is no count is refused in a sentence that begins with its name."""
    with pytest.raises(BadCounts, match=f"^{name} "):
        hs.Tally.binary(**{**GOUTTE, name: value})


def test_matrix_reads_truth_by_rows_and_transposes():
    """Rows are the truth; rows="pred" gives the same table from the transpose."""
    t = hs.Tally.matrix(THREE, labels=["a", "b", "c"])
    assert (t.versus_rest("b").fp, t.versus_rest("b").fn) == (4, 3)
    assert hs.Tally.matrix(np.transpose(THREE), labels=["a", "b", "c"], rows="pred") == t
    np.testing.assert_array_equal(t.dense(), THREE)


def test_matrix_of_two_is_the_binary_table():
    """A 2x2 matrix of 0 and 1 has 1 as its positive class."""
    assert hs.Tally.matrix([[870, 20], [30, 80]]) == hs.Tally.binary(**GOUTTE)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [(None, 1), ([0, 1], 1), ([1, 0], 1), ([False, True], True), ([-1, 1], 1), ([1, 2], None), (["0", "1"], None)],
)
def test_matrix_positive_class_rule(labels, positive):
    """1 or True is positive when the labels lie in {0,1}, {False,True} or {-1,1}; otherwise no class is."""
    t = hs.Tally.matrix([[870, 20], [30, 80]], labels=labels)
    assert t.positive == positive
    assert type(t.positive) is type(positive)


def test_matrix_of_reversed_labels_finds_the_positive_row():
    """With labels (1, 0) the first row holds the positive items."""
    assert named(hs.Tally.matrix([[80, 30], [20, 870]], labels=[1, 0])) == GOUTTE


def test_matrix_labels_may_be_numpy_values():
    """Labels from numpy become plain Python values, whole floats become ints."""
    t = hs.Tally.matrix(THREE, labels=np.array([0.0, 1.0, 2.0]))
    assert t.labels == (0, 1, 2)
    assert all(type(x) is int for x in t.labels)


def test_matrix_batch_keeps_every_table():
    """Leading axes of a stack of matrices are batch axes."""
    stack = np.arange(2 * 3 * 3).reshape(2, 3, 3)
    t = hs.Tally.matrix(stack)
    assert t.shape == (2,)
    np.testing.assert_array_equal(t.dense(), stack)
    np.testing.assert_array_equal(t.versus_rest(0).tp, stack[:, 0, 0])


@pytest.mark.parametrize("table", [[[1, 2, 3], [4, 5, 6]], [1, 2], [[5]], 7])
def test_matrix_must_be_square(table):
    """A table that is not square, or of one class, is refused with its shape."""
    with pytest.raises(BadCounts, match="square"):
        hs.Tally.matrix(table)


def test_matrix_checks_labels_and_rows():
    """Too few labels, a repeated label and an unknown rows= are refused."""
    with pytest.raises(BadLabels, match="3 classes; got 2 labels"):
        hs.Tally.matrix(THREE, labels=["a", "b"])
    with pytest.raises(BadLabels, match="'a' is given twice"):
        hs.Tally.matrix(THREE, labels=["a", "b", "a"])
    with pytest.raises(UnknownName, match="rows='columns'"):
        hs.Tally.matrix(THREE, rows="columns")


def test_rate_holds_hits_and_trials():
    """A rate has as many items as trials, and its repr says both numbers."""
    t = hs.Tally.rate(hits=47, of=50)
    assert (t.n, t.tp, t.fn, t.outcome) == (50, 47, 3, True)
    assert repr(t) == "Outcomes(47 hits of 50)"
    assert hs.Tally.rate(hits=[1, 2], of=4).shape == (2,)


def test_rate_refuses_more_hits_than_trials():
    """The first pair with more hits than trials is named."""
    with pytest.raises(BadCounts, match="5 hits of 4"):
        hs.Tally.rate(hits=[1, 5, 9], of=4)


# -- merging ------------------------------------------------------------------------------------------------------


@given(st.lists(counts_2x2, min_size=1, max_size=6))
def test_sum_adds_cell_by_cell(tables):
    """sum() of tallies adds each cell, whatever the order."""
    tallies = [hs.Tally.binary(**c) for c in tables]
    total = sum(tallies)
    assert named(total) == {name: sum(c[name] for c in tables) for name in GOUTTE}
    assert total == sum(reversed(tallies))


def test_plus_takes_the_union_of_labels():
    """Tables of different classes merge to the table of all of them, in either order."""
    a = hs.Tally.matrix([[3, 1], [0, 2]], labels=["ham", "spam"])
    b = hs.Tally.matrix([[4, 2], [1, 5]], labels=["eggs", "spam"])
    merged = a + b
    assert merged.labels == ("eggs", "ham", "spam")
    np.testing.assert_array_equal(merged.dense(), [[4, 0, 2], [0, 3, 1], [1, 0, 7]])
    assert merged == b + a


def test_plus_aligns_labels_in_another_order():
    """The same classes listed in another order are the same classes."""
    a = hs.Tally.matrix([[3, 1], [0, 2]], labels=["ham", "spam"])
    b = hs.Tally.matrix([[2, 0], [1, 3]], labels=["spam", "ham"])
    np.testing.assert_array_equal((a + b).dense(), [[6, 2], [0, 4]])


def test_plus_merges_batches_of_one_shape():
    """Two batches of one shape add table by table; other shapes are refused."""
    a = hs.Tally.binary(tp=[1, 2], fp=0, fn=0, tn=0)
    np.testing.assert_array_equal((a + a).tp, [2, 4])
    with pytest.raises(BadCounts, match="different batches"):
        _ = a + hs.Tally.binary(tp=[1, 2, 3], fp=0, fn=0, tn=0)


def test_plus_refuses_what_must_agree():
    """Different positive classes, different systems, and outcomes with classes are refused."""
    a = hs.Tally.matrix([[3, 1], [0, 2]], labels=["ham", "spam"], positive="spam")
    with pytest.raises(BadLabels, match="'spam', 'ham'"):
        _ = a + a.with_positive("ham")
    one = hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]})
    with pytest.raises(BadLabels, match="'a', 'b' and 'a', 'c'"):
        _ = one + hs.tally([0, 1], {"a": [0, 1], "c": [1, 1]})
    with pytest.raises(BadLabels, match="outcomes"):
        _ = hs.Tally.rate(hits=1, of=2) + hs.Tally.binary(**GOUTTE)


def test_plus_refuses_strangers():
    """A number other than sum's own 0 is no tally."""
    with pytest.raises(TypeError):
        _ = hs.Tally.binary(**GOUTTE) + 1


def test_plus_refuses_sums_above_2_to_the_53():
    """A merge whose cell would no longer be exact is refused, not rounded."""
    a = hs.Tally.binary(tp=2**53, fp=0, fn=0, tn=0)
    with pytest.raises(BadCounts, match=str(2**53 + 1)):
        _ = a + hs.Tally.binary(tp=1, fp=0, fn=0, tn=0)


def test_plus_of_weighted_and_plain_counts_carries_squares():
    """Plain items weigh 1 each, so their squares are their counts when they join weighted ones."""
    plain = hs.tally([0, 1, 1], [0, 1, 0])
    heavy = hs.tally([0, 1], [0, 1], weight=[2.0, 3.0])
    merged = plain + heavy
    assert merged.n == 8
    assert merged.squares.sum() == 3 + 4 + 9


pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=40)


@given(pairs, st.data())
def test_any_split_of_text_labels_merges_to_the_whole(items, data):
    """However items are dealt to shards, the shards' tallies sum to the tally of all items."""
    shard = data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    parts = [[x for x, s in zip(items, shard, strict=True) if s == k] for k in range(4)]
    assert sum(hs.tally(*zip(*part, strict=True)) for part in parts if part) == hs.tally(*zip(*items, strict=True))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.5, 1.0, 3.0]))),
    st.booleans(),
    st.integers(1, 4),
)
def test_any_split_of_known_labels_merges_to_the_whole(items, weighted, shards):
    """With labels= given, joint and weighted tallies of any shards sum to the tally of all items."""

    def count(rows):
        y, a, b, w = zip(*rows, strict=True)
        return hs.tally(y, {"a": a, "b": b}, labels=[0, 1, 2, 3], weight=w if weighted else None)

    parts = [items[k::shards] for k in range(shards)]
    if items:
        assert sum(count(part) for part in parts if part) == count(items)


@pytest.mark.parametrize("y", [[0, 1, 2], [0, 2], [-1, 1], [1, 2], [0, 1, 1, 2, 5]], ids=str)
def test_shards_of_whole_number_labels_merge_to_the_whole(y):
    """Shards of one item each sum to the whole also where the labels are numbers."""
    assert sum(hs.tally([x], [x]) for x in y) == hs.tally(y, y)


@pytest.mark.parametrize(
    "others",
    [hs.tally([2, 0], [2, 0]), hs.Tally.matrix(THREE), hs.Tally.matrix(THREE, labels=["a", "b", "c"])],
    ids=["shard", "numbers", "text"],
)
def test_a_given_positive_class_is_kept_or_refused(others):
    """Merging with a tally of other classes keeps the positive class that was given, or is refused."""
    chosen = hs.tally([0, 1, 1], [0, 1, 0], positive=1)
    try:
        merged = chosen + others
    except BadLabels:
        return
    assert merged.positive == 1


# -- views --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_versus_rest_counts_one_class_against_all_others(label):
    """tp, fp, fn and tn of a class are its diagonal, column, row and the rest."""
    m, i = np.array(THREE), "abc".index(label)
    t = hs.Tally.matrix(m, labels=["a", "b", "c"]).versus_rest(label)
    tp, fp, fn = m[i, i], m[:, i].sum() - m[i, i], m[i].sum() - m[i, i]
    assert named(t) == {"tp": tp, "fp": fp, "fn": fn, "tn": m.sum() - tp - fp - fn}
    assert (t.labels, t.positive) == (("rest", label), label)


def test_versus_rest_of_two_classes_keeps_both_names():
    """With two classes the rest is the other class, and swapping twice changes nothing."""
    t = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
    assert named(t.versus_rest("spam")) == GOUTTE
    assert named(t.versus_rest("ham")) == {"tp": 870, "fp": 30, "fn": 20, "tn": 80}
    assert set(t.versus_rest("ham").labels) == {"ham", "spam"}


def test_labels_are_found_by_their_spelling():
    """A class may be named by text that spells it, as on a command line."""
    t = hs.Tally.matrix(THREE)
    assert t.versus_rest("2") == t.versus_rest(2) == t.versus_rest(2.0)
    assert hs.Tally.binary(**GOUTTE).with_positive("0").positive == 0


def test_unknown_label_gets_a_hint():
    """A class that is not there is refused with the nearest one."""
    with pytest.raises(UnknownName, match=r"no class named 'spm'\. Did you mean 'spam'\?"):
        hs.Tally.matrix([[1, 0], [0, 1]], labels=["ham", "spam"]).versus_rest("spm")


def test_system_sums_the_others_out():
    """One system of a joint tally is the tally of that system alone."""
    y, answers = [0, 1, 1, 0, 1], {"a": [0, 1, 0, 0, 1], "b": [1, 1, 1, 0, 0]}
    joint = hs.tally(y, answers)
    for name, z in answers.items():
        alone = hs.tally(y, z)
        assert joint.system(name).systems == (name,)
        np.testing.assert_array_equal(joint.system(name).dense(), alone.dense())
    with pytest.raises(UnknownName, match="no system named 'c'"):
        joint.system("c")


def test_joint_tally_says_how_to_take_one_system():
    """Cells of a joint tally are refused with the call that takes one system."""
    with pytest.raises(BadLabels, match=r"t\.system\('a'\)"):
        _ = hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]}).tp


def test_no_positive_class_is_said_when_cells_are_asked_for():
    """A table without a positive class has no tp; the message lists the classes."""
    with pytest.raises(BadLabels, match="'ham', 'spam'"):
        _ = hs.Tally.matrix([[1, 0], [0, 1]], labels=["ham", "spam"]).tp


def test_right_wrong_counts_the_diagonal():
    """Right answers are the diagonal of a table of any size."""
    right, wrong = hs.Tally.matrix(THREE).right_wrong()
    assert (float(right), float(wrong)) == (21, 7)


# -- weights ------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=20))
def test_effective_counts_sum_to_kish_size(weights):
    """The effective counts of weighted items sum to (Σw)²/Σw² and keep their proportions."""
    y = [0, 1] * len(weights)
    w = [x for x in weights for _ in (0, 1)]
    t = hs.tally(y, y, weight=w)
    assert t.n == pytest.approx(sum(w))
    assert t.effective.sum() == pytest.approx(sum(w) ** 2 / sum(x * x for x in w))
    np.testing.assert_allclose(t.effective / t.effective.sum(), t.counts / t.counts.sum())


@pytest.mark.parametrize("size", [0.001, 1.0, 7.0])
def test_equal_weights_count_items(size):
    """When all weights are equal the posterior sees the plain number of items."""
    y, z = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    np.testing.assert_allclose(hs.tally(y, z, weight=[size] * 5).effective, hs.tally(y, z).effective)
    assert hs.tally(y, z, weight=[size] * 5).weighted
    assert not hs.tally(y, z).weighted


# -- chi-square ---------------------------------------------------------------------------------------------------


@given(st.fixed_dictionaries({name: st.integers(1, 10**6) for name in GOUTTE}))
def test_chi_square_agrees_with_scipy(counts):
    """Chi-square and its p-value are scipy's, without the continuity correction."""
    value, p = hs.Tally.binary(**counts).chi_square()
    table = [[counts["tp"], counts["fn"]], [counts["fp"], counts["tn"]]]
    expected = stats.chi2_contingency(table, correction=False)
    assert value == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)


def test_chi_square_of_a_batch_is_one_per_table():
    """A batch has one chi-square a table."""
    batch = hs.Tally.binary(tp=[80, 5], fp=20, fn=30, tn=870).chi_square()[0]
    assert batch[0] == pytest.approx(hs.Tally.binary(**GOUTTE).chi_square()[0])
    assert batch.shape == (2,)


# -- values -------------------------------------------------------------------------------------------------------


def test_a_tally_does_not_change():
    """Neither its fields nor its arrays can be written, and the arrays it was made from are its own."""
    source = np.array([1, 2])
    t = hs.Tally.binary(tp=source, fp=0, fn=0, tn=0)
    source[:] = 99
    np.testing.assert_array_equal(t.tp, [1, 2])
    with pytest.raises(FrozenInstanceError):
        t.labels = (1, 0)
    for array in (t.counts, t.cells, t.tp):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_merging_leaves_both_as_they_were():
    """a + b makes a new tally."""
    a, b = hs.Tally.binary(**GOUTTE), hs.Tally.binary(tp=1, fp=1, fn=1, tn=1)
    _ = a + b
    assert named(a) == GOUTTE
    assert b.n == 4


def test_equality_is_of_content():
    """Equal content is equal; another count, label, positive class, system or weight is not."""
    t = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
    assert t == hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
    assert t != hs.Tally.matrix([[870, 20], [30, 81]], labels=["ham", "spam"])
    assert t != hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "eggs"])
    assert t != t.with_positive("spam")
    assert t != "a tally"
    y = [0, 1]
    assert hs.tally(y, {"a": y}) != hs.tally(y, {"b": y})
    assert hs.tally(y, y) != hs.tally(y, y, weight=[1, 1])
    assert hs.tally(y, y, weight=[1, 1]) == hs.tally(y, y, weight=[1.0, 1.0])


def test_a_tally_has_no_hash():
    """Arrays inside make a tally no key of a dictionary."""
    with pytest.raises(TypeError):
        hash(hs.Tally.binary(**GOUTTE))


@pytest.mark.parametrize(
    ("tally", "shown"),
    [
        (hs.Tally.binary(**GOUTTE), "Tally(tp=80, fp=20, fn=30, tn=870)"),
        (hs.Tally.binary(tp=[1, 2], fp=0, fn=0, tn=0), "Tally(2 classes, batch (2,))"),
        (hs.Tally.matrix(THREE), "Tally(3 classes)"),
        (hs.Tally.matrix(THREE, positive=2), "Tally(tp=9, fp=1, fn=3, tn=15)"),
        (hs.Tally.rate(hits=[1, 2], of=3), "Outcomes(batch (2,))"),
        (hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]}), "Tally(2 classes)"),
    ],
)
def test_repr_says_what_is_inside_in_one_line(tally, shown):
    """The repr names the cells where there are four, otherwise the size."""
    assert repr(tally) == shown
