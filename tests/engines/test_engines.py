"""One suite, one fixture, all engines: the same data give the same Tally."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import howsure as hs
from howsure.evidence.classes import Tally
from howsure.io.entrance import evidence
from tests.engines.conftest import MODES
from tests.engines.data import CASES, COLUMNS, ENGINES, FEW, N, batches, nameless, polars_frame, reference
from tests.engines.spark_cases import ASKED, files, own
from tests.tiers import turn


def asked(engine):
    """A sixth of the cases, others for each engine, and all when deep; of Dask, which takes its time, a few of each."""
    names = FEW if engine == "Dask" else turn(CASES, list(ENGINES).index(engine), 6)
    return {name: CASES[name] for name in names}


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "polars"])
def test_the_same_evidence_on_every_engine(engine):
    """Every kind of evidence equals that of eager polars, notes and all; its library is remembered."""
    for name, case in asked(engine).items():
        ours, theirs = evidence(ENGINES[engine](), **case), reference(name)
        assert nameless(ours) == theirs, name
        assert nameless(ours).notes == theirs.notes, name
        assert ours.library == LIBRARIES.get(engine), name


LIBRARIES = {
    "pandas": "pandas", "pandas, object columns": "pandas", "pandas, pyarrow columns": "pandas",
    "polars, lazy": "polars", "pyarrow": "pyarrow", "pyarrow reader": "pyarrow", "DuckDB": "duckdb", "Dask": "dask",
    "Ibis": "ibis",
    "generator of batches": "polars", "batches of two engines": "pandas", "list of frames": "polars",
}  # fmt: skip


def rows(*names):
    return zip(*(COLUMNS[name] for name in names), strict=True)


def test_counts_are_those_of_a_loop():
    """Cells of slices are what a loop over the rows counts."""
    t = hs.tally(polars_frame(), truth="animal", pred="animal_a", by=["region", "year"])
    seen = Counter(rows("region", "year", "animal", "animal_a"))
    ((name, axis),) = t.batch
    assert name == "region, year"
    assert list(axis) == sorted({key[:2] for key in seen})
    for i, at in enumerate(axis):
        for (y, z), n in zip(t.cells.tolist(), t.counts[i].tolist(), strict=True):
            assert n == seen[(*at, t.labels[y], t.labels[z])]
    assert t.counts.sum() == N


def test_weights_are_added_up_with_their_squares():
    """Sums of w and of w² by cell."""
    t = hs.tally(polars_frame(), truth="bit", pred="bit_a", weight="weight")
    for (y, z), total, square in zip(t.cells.tolist(), t.counts, t.squares, strict=True):
        w = [x for a, b, x in rows("bit", "bit_a", "weight") if (a, b) == (y, z)]
        assert np.isclose(total, sum(w))
        assert np.isclose(square, sum(x * x for x in w))


def test_thresholds_are_an_axis():
    """At every threshold the table is that of score >= threshold."""
    cuts = [0.7, 0.25, 0.5]
    t = hs.tally(polars_frame(), truth="bit", score="score", threshold=cuts)
    assert t.batch == (("threshold", tuple(cuts)),)
    for i, cut in enumerate(cuts):
        own = hs.tally(COLUMNS["bit"], [int(x >= cut) for x in COLUMNS["score"]])
        assert (t.tp[i], t.fp[i], t.fn[i], t.tn[i]) == (own.tp, own.fp, own.fn, own.tn)


def test_joint_outcomes_are_those_of_a_loop():
    """Each system's own hits, and the joint patterns."""
    t = hs.tally(polars_frame(), outcome=["passed", "ones", "solved"])
    good = {"yes", "pass"}
    seen = Counter((int(a), b, int(c.lower() in good)) for a, b, c in rows("passed", "ones", "solved"))
    assert {tuple(c): n for c, n in zip(t.cells.tolist(), t.counts.tolist(), strict=True)} == seen
    assert t.system("ones").named()["tp"] == sum(COLUMNS["ones"])


def test_a_column_of_one_outcome_has_both_cells():
    """All passed: the fails are a cell of 0, so that the interval is honest at n/n."""
    import pandas as pd

    t = hs.tally(pd.DataFrame({"ok": [True] * 20}), outcome="ok")
    assert t == replace(Tally.rate(hits=20, of=20), systems=("ok",))
    assert t.counts.tolist() == [0, 20]


@pytest.mark.parametrize("case", ["text", "three slice columns", "thresholds in slices", "weights", "joint outcomes"])
@pytest.mark.parametrize("cuts", [(1,), (120,), (3, 50, 51, 200), tuple(range(5, N, 5))])
def test_any_split_gives_the_same_tally(case, cuts):
    """The merge law: tallies of the parts add up to the tally of the whole."""
    frame = polars_frame()
    parts = [frame[a:b] for a, b in pairwise([0, *cuts, N])]
    assert sum(hs.tally(part, **CASES[case]) for part in parts) == hs.tally(frame, **CASES[case])


@pytest.mark.deep
def test_many_batches_are_added_up():
    """More batches than are kept apart give the same tally."""
    for name in ("three slice columns", "weights", "scores", "label sets"):
        assert nameless(evidence(batches(3), **CASES[name])) == reference(name)


@pytest.mark.deep
def test_a_million_slices_are_one_array():
    """A million slices take array time, not a loop's."""
    import polars as pl

    n = 1_000_000
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"id": np.arange(n), "y": rng.integers(0, 2, n), "z": rng.integers(0, 2, n)})
    t = hs.tally(frame, truth="y", pred="z", by="id")
    assert t.shape == (n,)
    assert t.n.sum() == n


@pytest.mark.whole
@pytest.mark.outside
@pytest.mark.parametrize("mode", MODES)
def test_the_same_evidence_on_spark(mode, spark):
    """Spark gives all that polars gives, of files all that DuckDB reads, and keeps the rows that conditions ask for.

    Spark Connect and classic Spark have half of the cases each, all when deep.
    """
    folder, end = spark / mode, time.monotonic() + 600
    while not (folder / "code").exists():
        assert time.monotonic() < end
        time.sleep(0.1)
    assert (folder / "code").read_text() == "0\n", (folder / "messages").read_text()[-3000:]
    found = pickle.loads((folder / "found").read_bytes())
    wanted = {name: reference(name) for name in own(ASKED, mode)}
    wanted |= {name: nameless(evidence(place, **case)) for name, (place, case) in own(files(folder).items(), mode)}
    assert set(found) == set(wanted)
    assert [name for name, one in wanted.items() if found[name] != one or found[name].notes != one.notes] == []
