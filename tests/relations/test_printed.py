"""solve on 2,000 random reports: the verdicts stay as they were, and are those of trying every table."""

from __future__ import annotations

import time

import pytest

from tests.relations.printed import COUNT, by_brute_force, kept, printed, verdict
from tests.tiers import some

LARGEST = 60  # items of which every table is tried
LONGEST = 5.0  # seconds of the processor for one verdict
BATCHES = some(range(0, COUNT, 20), every=50)  # in `make test` the first, the last and one between


@pytest.mark.parametrize("first", BATCHES)
def test_verdicts_are_those_that_were_kept(first):
    """Status, tables and the numbers of the explanation, in at most five seconds each."""
    for seed, before in zip(range(first, first + 20), kept()[first:], strict=False):
        start = time.process_time()
        now = verdict(printed(seed))
        assert time.process_time() - start < LONGEST, printed(seed)
        assert now.agrees(before), f"report {seed}: {now}, and was {before}: {printed(seed)}"


@pytest.mark.parametrize("first", BATCHES)
def test_whole_tables_are_those_of_brute_force(first):
    """Of reports of up to 60 items: every table with these values is listed, and no other."""
    for r in map(printed, range(first, first + 20)):
        if r.integers and (r.n or 0) <= LARGEST and "tetrachoric" not in r.values:
            s = r.solve()
            assert s.complete
            assert {tuple(map(int, t)) for t in s.outcome.tables} == by_brute_force(r), r


def test_true_reports_are_solved():
    """No report of a table, with its digits rounded, is called infeasible."""
    true = [v for seed, v in enumerate(kept()) if printed(seed).true and printed(seed).form != "truncated"]
    assert "infeasible" not in {v.status for v in true}
