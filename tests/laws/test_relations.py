"""Laws of the relations among measures: identities hold on every table, and solve leads back to where it came from."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure as hs
from howsure.relations.quantities import shown
from tests.tiers import examples, some

cells = st.one_of(st.integers(0, 3), st.integers(0, 200), st.integers(0, 10**9))
tables = st.tuples(cells, cells, cells, cells)


@given(tables)
def test_identities_hold_on_every_table(table):
    """No identity is broken on any table, however small or large."""
    tp, fp, fn, tn = table
    assert hs.relations.check(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)).holds


def test_identities_hold_on_a_batch():
    """A batch is checked at once, and its document says that all hold."""
    rng = np.random.default_rng(3)
    tp, fp, fn, tn = rng.integers(1, 1000, (4, 5000))
    checked = hs.relations.check(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))
    assert all(row.holds for row in checked.rows)
    assert checked.to_dict()["holds"]
    assert max(row.error for row in checked.rows) < 1e-11


def test_a_broken_identity_is_told():
    """A side that is off by 1e-6 is called broken."""
    from dataclasses import replace

    rows = hs.relations.check(hs.Tally.binary(tp=3, fp=1, fn=2, tn=4)).rows
    broken = replace(rows[0], right=rows[0].right + 1e-6)
    assert rows[0].holds
    assert broken.holds is False


@pytest.mark.parametrize("seed", some(range(40), every=5))
def test_solve_leads_back_to_the_table(seed):
    """Any measures of a random table are solved by that table: it is listed, or lies within every range."""
    rng = random.Random(seed)
    table = np.array([rng.randint(seed % 4 > 0, rng.choice([5, 50, 1000, 10**6])) for _ in range(4)], dtype=float)
    table[rng.randrange(4)] += 1
    chosen = rng.sample(shown(), 3)
    values = {q.name: float(q.at(table)) for q in chosen if np.isfinite(q.at(table))}
    s = hs.solve(values, n=int(table.sum()))
    assert s.status != "infeasible", s.why
    if s.status == "undetermined":
        return
    assert any(np.abs(x - table).max() <= 1e-5 * table.sum() for x in s.outcome.tables)
    for x in s.outcome.tables:
        for q in chosen:
            if q.name in values:
                assert float(q.at(x)) == pytest.approx(values[q.name], rel=1e-6, abs=1e-6)


@examples(15, 40)
@given(st.tuples(*[st.integers(0, 8)] * 4), st.integers(1, 3), st.integers(0, 10**6))
def test_the_true_table_has_its_own_digits(table, digits, seed):
    """Whatever a table's measures print as, the table is among those that the digits allow."""
    x = np.array(table)
    if not x.sum():
        return
    rng = random.Random(seed)
    values = {}
    for q in rng.sample(shown(), 3):
        value = float(q.at(x))
        if np.isfinite(value):
            values[q.name] = f"{value:.{digits}f}"
    s = hs.solve(values, n=int(x.sum()), integers=True, ties="either")
    assert tuple(table) in {tuple(t.values()) for t in s.tables}
