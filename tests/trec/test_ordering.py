"""Segments of flat arrays against plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.distributions.ordering import (
    above_and_level,
    all_falling,
    falling_maximum,
    matches,
    order_by,
    sort_segments,
    within_segments,
)
from tests.tiers import examples

SEGMENTS = st.lists(st.lists(st.integers(-3, 3).map(float), max_size=9), min_size=1, max_size=7)


@examples(66, 200)
@given(SEGMENTS)
def test_segments_sort_and_search_as_lists_do(parts):
    """Each segment is sorted alone; every value counts those above and those equal in its own segment."""
    sizes, flat = [len(p) for p in parts], np.array([x for p in parts for x in p])
    rising = sort_segments(flat, sizes)
    assert rising.tolist() == [x for p in parts for x in sorted(p)]
    assert all_falling(flat, sizes) == all(p == sorted(p, reverse=True) for p in parts)
    segment = np.repeat(np.arange(len(parts)), sizes)
    above, level = above_and_level(rising, sizes, segment, flat)
    assert above.tolist() == [sum(y > x for y in p) for p in parts for x in p]
    assert level.tolist() == [p.count(x) for p in parts for x in p]
    assert within_segments(segment, len(parts)).tolist() == [i for p in parts for i in range(len(p))]
    assert falling_maximum(flat, segment).tolist() == [max(p[i:]) for p in parts for i in range(len(p))]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=30))
def test_order_by_two_numbers_is_that_of_pairs(pairs):
    """One number for both sorts as the pairs do."""
    major, minor = (np.array([p[k] for p in pairs], dtype=np.int64) for k in (0, 1))
    assert [pairs[i] for i in order_by(major, minor)] == sorted(pairs)


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40), max_size=40), st.sets(st.integers(0, 40), min_size=1))
def test_matches_are_the_common_numbers(lines, known):
    """Every line whose number is known is found, with the place of that number; 2^44 apart or next to each other."""
    numbers = np.array([*known, *(x << 44 for x in known if x)], dtype=np.uint64)
    at, found = matches(np.array(lines, dtype=np.uint64), numbers)
    expected = [i for i, x in enumerate(lines) if x in set(numbers.tolist())]
    assert sorted(found.tolist()) == expected
    assert [int(numbers[k]) for k in at] == [lines[i] for i in found]
