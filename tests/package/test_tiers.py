"""Samples of sweeps: nothing is lost in the deep tier, and the others meet every side."""

from __future__ import annotations

import pytest

from tests import tiers
from tests.tiers import some, spread, turn


def kept(params: list) -> list:
    return [p.values for p in params if not p.marks]


@pytest.mark.parametrize("every", [1, 2, 5, 7])
def test_a_sample_has_the_ends_and_the_sweep_all(every):
    """The first and the last case stay in the sample; every case is in the sweep, once and in order."""
    params = some(range(8), every)
    assert [p.values for p in params] == [(i,) for i in range(8)]
    assert {(0,), (7,)} <= set(kept(params))
    assert len(kept(params)) <= 8 // every + 2


@pytest.mark.parametrize(("rows", "columns", "every"), [(3, 3, 2), (26, 8, 4), (8, 11, 8), (1, 1, 1), (26, 8, None)])
def test_a_spread_sample_meets_every_row_and_every_column(rows, columns, every):
    """About one pair in so many, and no row or column without one."""
    params = spread(range(rows), range(columns), every)
    assert len(params) == rows * columns
    pairs = kept(params)
    assert {i for i, _ in pairs} == set(range(rows))
    assert {j for _, j in pairs} == set(range(columns))
    assert len(pairs) <= rows * columns / (every or min(rows, columns)) + 1


def test_a_sample_that_would_miss_a_row_is_refused():
    """One in four of three columns leaves a row without a case."""
    with pytest.raises(AssertionError):
        spread(range(5), range(3), every=4)


@pytest.fixture
def measured(monkeypatch):
    """What cases take, as if it had been measured."""
    found = {"test_quick": 0.02, "test_slow": 1.0, "test_one::test_twice": 0.2, "test_two::test_twice": 1.0}
    monkeypatch.setattr(tiers, "costs", lambda: found)


@pytest.mark.usefixtures("measured")
def test_slow_cases_are_for_the_deep_tier_but_where_users_rely_on_them():
    """Of one name in two files each has its own cost; what is new takes nothing."""
    slow = {x for x in ("quick", "slow", "new") if tiers.is_slow(f"tests/laws/test_x.py::test_{x}")}
    assert slow == {"slow"}
    assert not tiers.is_slow("tests/web/test_x.py::test_slow")
    assert [tiers.is_slow(f"tests/laws/test_{x}.py::test_twice") for x in ("one", "two")] == [False, True]


@pytest.mark.usefixtures("measured")
def test_a_budget_keeps_the_first_and_the_last_case():
    """As many cases as the time allows, spread over all; all of what is new."""
    name = "tests/laws/test_x.py::test_"
    assert tiers.affordable(f"{name}quick", range(100)) == [0, 16, 33, 49, 66, 82, 99]
    assert tiers.affordable("tests/laws/test_one.py::test_twice", range(100)) == [0, 99]
    assert tiers.affordable(f"{name}new", range(100)) == list(range(100))


def test_turns_meet_every_case_between_them(monkeypatch):
    """Three tests in turn see each case once, and each sees all in the deep tier."""
    monkeypatch.setattr(tiers, "tier", "test")
    assert sorted(x for at in range(4, 7) for x in turn(range(8), at, 3)) == list(range(8))
    monkeypatch.setattr(tiers, "tier", "deep")
    assert turn(range(8), 1, 3) == list(range(8))
