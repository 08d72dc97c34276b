"""Numbers for people: short, and never a 1.000 that is not 1."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.render.numbers import count, probability, short


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.75857, "0.759"), (0.0, "0"), (1.0, "1"), (0.5, "0.500"), (-0.25, "-0.250"), (None, "-"),
        (math.inf, "infinite"), (3.2e-9, "3.2e-09"), (0.00049, "0.00049"), (0.9996, "0.9996"), (0.99999, "0.99999"),
        (1 - 2e-7, "1 - 2e-07"), (1 + 2e-7, "1 + 2e-07"), (1.0004, "1.0004"), (2.0, "2.000"), (12.345, "12.3"),
        (1234.56, "1234.6"), (123456.7, "1.235e+05"), (2.1e23, "2.1e+23"),
    ],
)  # fmt: skip
def test_short(value, shown):
    """Three decimals in the middle of the range, more where they matter, powers of ten beyond."""
    assert short(value) == shown


def test_short_shows_the_gap_when_the_number_rounds_to_1():
    """A quantile that rounds to 1 is shown by its distance from 1."""
    assert short(1.0, 3.4e-20) == "1 - 3.4e-20"
    assert short(1.0, 0.0) == "1"


def reading(text: str) -> float:
    """The number that a person reads."""
    if found := re.fullmatch(r"1 ([-+]) (\S+)", text):
        return 1 + float(found[1] + found[2])
    return float(text)


@given(st.floats(0, 1) | st.floats(0.999, 1) | st.floats(1e-300, 1e-3) | st.floats(1, 1e12))
@settings(deadline=None)
def test_what_is_shown_is_close(x):
    """The number shown is within half of its last digit, or five per cent of its distance from 0 or 1."""
    room = 0.05 * x if x < 5e-4 else 5.1e-4 if x < 10 else 0.051
    assert reading(short(x)) == pytest.approx(x, abs=room, rel=1e-3)


@given(st.floats(0, 1) | st.floats(0.9999, 1))
@settings(deadline=None)
def test_only_0_and_1_are_shown_as_0_and_1(x):
    """A number that is not 0 or 1 never looks like it."""
    looks = re.fullmatch(r"-?[01](\.0+)?", short(x)) is not None
    assert looks == (x in (0.0, 1.0))


@pytest.mark.parametrize(
    ("p", "shown"), [(0.937, "0.937"), (0.99998, "0.99998"), (0.0, "0"), (1e-120, "1e-120"), (None, "-")]
)
def test_probability(p, shown):
    """Probabilities near 0 and 1 keep their size."""
    assert probability(p) == shown


@pytest.mark.parametrize(
    ("n", "shown"), [(0, "0"), (1234567, "1,234,567"), (12.0, "12"), (12.5, "12.5"), (2**53, "9,007,199,254,740,992")]
)
def test_count(n, shown):
    """Counts are grouped by thousands; sums of weights keep a decimal."""
    assert count(n) == shown


def test_minus_zero_is_zero():
    """A negative zero, such as the utility of nothing found, is 0."""
    assert short(-0.0) == "0"


def test_minus_one_is_told_from_what_is_near():
    """The lower end of informedness or phi is treated as the upper one is."""
    assert short(-1.0) == "-1"
    assert short(-0.99999) != "-1.000"


@pytest.mark.parametrize("x", [0.00057, 0.00149, 0.0025])
def test_small_numbers_keep_two_digits(x):
    """A small rate is not shown at nearly twice its size."""
    assert float(short(x)) == pytest.approx(x, rel=0.05)
