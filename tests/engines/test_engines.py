"""One suite, one fixture, all engines: the same data give the same Tally."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import howsure as hs
from tests.engines.data import CASES, COLUMNS, ENGINES, N, polars_frame, reference
from tests.engines.spark_cases import JVM, commands, result, scored

ROOT = Path(__file__).parents[2]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "polars"])
def test_the_same_tally_on_every_engine(engine, case):
    """The tally equals that of eager polars, notes and all."""
    ours, theirs = hs.tally(ENGINES[engine](), **CASES[case]), reference(case)
    assert ours == theirs
    assert ours.notes == theirs.notes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The columns in files that Spark and DuckDB both read."""
    folder = tmp_path_factory.mktemp("files")
    frame = polars_frame().with_columns(pl.col("kind", "kind_a").cast(pl.String))
    frame.write_csv(folder / "a.csv")
    frame.write_parquet(folder / "a.parquet")
    nested = frame.with_columns(nested=pl.struct(guess="animal_gaps")).drop("digit_nan")
    nested.write_ndjson(folder / "a.jsonl")
    return str(folder)


def on_spark(*arguments):
    """Tallies and rows of commands by mode, as a process with Spark in it finds them."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1", "JAVA_TOOL_OPTIONS": JVM}
    env.pop("SPARK_REMOTE", None)
    line = [sys.executable, "-m", "tests.engines.spark_cases", *arguments]
    done = subprocess.run(line, env=env, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    return result(done)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "modes"),
    [
        pytest.param((), {"classic", "connect"}, id="one JVM"),
        pytest.param(("local[2]",), {"connect"}, id="a server of its own", marks=pytest.mark.deep),
    ],
)
def test_the_same_tally_on_spark(more, modes, folder):
    """Spark Connect and classic Spark give every tally that polars gives, and the command's rows are DuckDB's."""
    found = on_spark(folder, *more)
    assert set(found) == modes
    expected = [scored(line) for line in commands(folder)]
    for mode, results in found.items():
        assert results.pop("commands") == expected, mode
        tallies = {k: hs.Tally.from_dict(v) for k, v in results.items()}
        assert set(tallies) == set(CASES)
        assert [name for name in CASES if tallies[name] != reference(name)] == [], mode


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
    assert {tuple(c[1:]): n for c, n in zip(t.cells.tolist(), t.counts.tolist(), strict=True)} == seen
    assert t.system("ones").named()["tp"] == sum(COLUMNS["ones"])
    assert hs.compare(t, "passed", "ones").paired


def test_a_column_of_one_outcome_has_both_cells():
    """All passed: the fails are a cell of 0, so the interval is honest at n/n."""
    import pandas as pd

    t = hs.tally(pd.DataFrame({"ok": [True] * 20}), outcome="ok")
    assert t == replace(hs.Tally.rate(hits=20, of=20), systems=("ok",))
    assert 0.8 < hs.score(t).rows[0].low < 1


@pytest.mark.parametrize("case", ["text", "three slice columns", "thresholds in slices", "weights", "joint outcomes"])
@pytest.mark.parametrize("cuts", [(1,), (120,), (3, 50, 51, 200), tuple(range(5, N, 5))])
def test_any_split_gives_the_same_tally(case, cuts):
    """The merge law: tallies of the parts add up to the tally of the whole."""
    frame = polars_frame()
    parts = [frame[a:b] for a, b in pairwise([0, *cuts, N])]
    assert sum(hs.tally(part, **CASES[case]) for part in parts) == hs.tally(frame, **CASES[case])


@pytest.mark.slow
def test_a_million_slices_are_one_array():
    """A million slices take array time, not a loop's."""
    import polars as pl

    n = 1_000_000
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"id": np.arange(n), "y": rng.integers(0, 2, n), "z": rng.integers(0, 2, n)})
    t = hs.tally(frame, truth="y", pred="z", by="id")
    assert t.shape == (n,)
    assert t.n.sum() == n
