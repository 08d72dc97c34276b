"""The one entrance: which options each kind and each place takes, what is refused, and what arrays give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadLabels, BadSetting, HowsureError, NeedsPositive, UnknownName
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.graded import Graded
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.scored import Scored
from howsure.io.arrays import scored
from howsure.io.entrance import COLUMNS, PLACES, READING, evidence
from howsure.io.request import OPTIONS
from howsure.messages.language import SPOKEN
from howsure.messages.notes import note
from tests.engines.data import COLUMNS as DATA
from tests.engines.data import polars_frame

FRAME = polars_frame()
ASKED = {
    "classes": {"truth": "bit", "pred": "bit_a"},
    "label sets": {"truth": "tags", "pred": "tags_a"},
    "outcomes": {"outcome": "passed"},
    "cuts": {"truth": "bit", "score": "score", "threshold": 0.5},
    "scores": {"truth": "bit", "score": "score"},
    "values": {"value": "grade"},
    "judged outcomes": {"judge": "bit_a", "human": "bit"},
    "judged classes": {"pred": "bit_b", "judge": "bit_a", "human": "bit", "positive": 1},
}
GIVEN = {
    "truth": "bit", "pred": "bit_a", "outcome": "passed", "value": "grade", "score": "score", "threshold": 0.5,
    "by": "region", "cluster": "group", "weight": "weight", "count": "copies", "missing": "drop", "where": "year=2023",
    "labels": [0, 1], "positive": 1, "sep": ";", "bounds": (0, 1), "better": "lower", "bins": 50, "item": "pair",
    "system": "model", "judge": "bit_a", "human": "bit", "independent_rows": True,
    "between": "region",
}  # fmt: skip
WORDS = {"truth": "words", "pred": "words_a"}
ALSO = {  # what an option of a kind needs beside it
    ("classes", "sep"): WORDS,
    ("classes", "system"): {"truth": "pair_truth", "item": "pair"},
    ("label sets", "sep"): WORDS,
    ("label sets", "labels"): {"labels": ["red", "green", "blue"]},
    ("label sets", "system"): {"cluster": "group"},
    ("outcomes", "system"): {"item": "pair"},
    ("values", "system"): {"item": "pair"},
    ("values", "item"): {"item": ["pair", "model"]},
}


def test_the_table_knows_every_option():
    """The options of the walk below are those of the table, and no option is of columns and of reading."""
    assert set(GIVEN) == set(COLUMNS)
    assert not COLUMNS & READING


@pytest.mark.parametrize("name", sorted(COLUMNS))
@pytest.mark.parametrize("kind", OPTIONS)
def test_options_that_do_not_apply_are_refused(kind, name):
    """What the table says a kind takes is taken; all else is one sentence that names the option."""
    asked = {name: GIVEN[name], **ASKED[kind], **ALSO.get((kind, name), {})}
    if name in OPTIONS[kind]:
        found = evidence(FRAME, **asked)
        each = found.values() if isinstance(found, dict) else [found]  # of slices that are compared
        assert all(np.all(x.totals > 0) for x in each)
        return
    if kind == "scores" and name == "threshold":
        return  # these are the scores that are cut
    if kind == "judged outcomes" and name == "pred":
        return  # the judge then labels the truths
    with pytest.raises(HowsureError) as said:
        evidence(FRAME, **asked)
    assert f"{name}=" in str(said.value)
    assert str(said.value).count(". ") <= 1


PLACE = {"names": ["x"], "table": "t", "query": "SELECT 1", "engine": "spark", "remote": "local", "watch": len,
         "on": "id", "unmatched": "drop", "task": "x", "filter": "x", "scorer": "x"}  # fmt: skip
HELD = {"arrays": ([1, 0], [1, 1]), "frames": (FRAME,), "files": ("a.csv",), "files of systems": ({"a": "a.csv"},)}


@pytest.mark.parametrize("name", sorted(READING))
@pytest.mark.parametrize("where", HELD)
def test_options_of_reading_go_with_their_places(where, name):
    """An option of reading that a place does not take is one sentence that names it."""
    if name in PLACES[where]:
        return
    columns = {} if where == "arrays" else ASKED["outcomes"]
    with pytest.raises(BadSetting, match=f"{name}=.* (is|are) for"):
        evidence(*HELD[where], **columns, **{name: PLACE[name]})


@pytest.mark.parametrize("engine", ["duckdb", "spark", "polars", ["duckdb"]])
@pytest.mark.parametrize("where", ["arrays", "frames"])
def test_an_engine_is_heard_or_refused(where, engine):
    """What holds its rows already is read by nothing, not even by the usual engine of files."""
    columns = {} if where == "arrays" else ASKED["outcomes"]
    with pytest.raises(
        BadSetting, match=rf"^engine= is for files and files of systems, not for {where}; leave it out\.$"
    ):
        evidence(*HELD[where], **columns, engine=engine)


def test_files_that_are_joined_know_their_engines(tmp_path):
    """An engine that is none is refused where files are joined on ids, as where they are read alone."""
    files = {name: str(tmp_path / f"{name}.csv") for name in ("a", "b")}
    for path in files.values():
        Path(path).write_text("id,label,pred\n1,1,1\n2,0,1\n3,1,0\n")
    for data, more in ((files, {"on": "id"}), (files["a"], {})):
        assert evidence(data, truth="label", pred="pred", engine="duckdb", **more).n == 3
        with pytest.raises(BadSetting, match=r"^engine= is 'duckdb' or 'spark'; got 'x'\.$"):
            evidence(data, truth="label", pred="pred", engine="x", **more)


def test_an_option_that_is_none():
    """The nearest name is offered."""
    with pytest.raises(UnknownName, match=r"no option outcom=\. Did you mean 'outcome'"):
        evidence(FRAME, outcom="passed")


def test_evidence_that_is_made_passes_through():
    """As it is; options of its making are refused."""
    t = Tally.binary(tp=1, fp=2, fn=3, tn=4)
    assert evidence(t) is t
    with pytest.raises(BadSetting, match="weight= is for making evidence from data; this Tally"):
        evidence(t, weight=[1])
    with pytest.raises(BadSetting, match="not both"):
        evidence(t, [1, 0])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"truth": "bit", "pred": "bit_a", "weight": "n", "count": "n"}, "give weight= or count=, not both"),
        ({"truth": "bit", "score": "score", "threshold": [0.2, 0.5], "cluster": "group"}, "give one threshold="),
        ({"outcome": "passed", "system": "model"}, "system= also needs item="),
        ({"outcome": "passed", "where": 3}, "where= must be a condition"),
        ({"outcome": "passed", "where": "region>3"}, "asks for an order, and column 'region' holds '"),
        ({"value": "region"}, "column 'region' must be numbers; it holds String"),
        ({"truth": "bit", "score": "region"}, "column 'region' must be numbers"),
        ({"truth": "tags", "pred": "animal"}, "column 'tags' holds lists of labels and column 'animal' does not"),
        ({"truth": "tags", "pred": "tags_a", "sep": ";"}, "sep= splits texts"),
        ({"truth": "tags", "pred": "tags_a", "missing": "wrong"}, "missing='wrong' is not known for lists"),
        ({"truth": "tags", "pred": "tags_a", "labels": ["red"]}, "label 'blue' is not among labels="),
        ({"truth": "bit", "pred": "bit_a", "by": "tags"}, "column 'tags' holds lists"),
        ({"outcome": "passed", "cluster": "group_gaps"}, "have no cluster; every item needs one. Give missing="),
        ({"outcome": "ones", "item": "group", "system": "model"}, "items occur twice for one system"),
        ({"outcome": "ones", "item": "pair", "system": "model", "count": "n"}, "leave out count="),
        (
            {"outcome": "ones", "item": "pair", "system": "model", "weight": "weight"},
            "'weight' differs between the rows",
        ),
        ({"truth": "bit", "score": "score", "bins": 1}, "bins= must be a whole number from 2"),
        ({"truth": "bit", "score": "score", "missing": "wrong"}, "missing='wrong' is not known here"),
        ({"outcome": "passed", "names": ["a", "b"]}, "one different name per system, 1 here"),
        (
            {"outcome": "passed", "system": "model", "cluster": "group", "names": ["d"]},
            "names='d' is not in column 'model'. It has ",
        ),
    ],
)
def test_what_is_refused(given, said):
    """One sentence: what was given, what is needed, what to do."""
    with pytest.raises(HowsureError) as error:
        evidence(FRAME, **given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_messages_speak_the_readers_language():
    """The command's reader is told of --missing, Python's of missing=."""
    token = SPOKEN.set("command")
    try:
        with pytest.raises(BadLabels, match="Give --missing drop to leave"):
            hs.tally([1, None], [1, 0])
        with pytest.raises(NeedsPositive, match="with --positive"):
            scored(["a", "b"], [1, 2])
    finally:
        SPOKEN.reset(token)


# -- arrays


def test_arrays_of_every_kind():
    """Truths and answers, truths and scores, values; mappings have systems."""
    y, z = DATA["bit"], DATA["bit_a"]
    assert evidence(y, z) == hs.tally(y, z)
    assert evidence(y, {"a": z, "b": y}).systems == ("a", "b")
    assert isinstance(evidence(y, DATA["score"], kind="scores"), Scored)
    assert evidence(DATA["grade"]) == hs.graded(DATA["grade"])
    assert isinstance(evidence({"a": DATA["grade"], "b": DATA["stars"]}), Graded)
    assert isinstance(evidence({"ok": DATA["passed"]}, outcome="ok"), Outcomes)


def test_frames_and_arrays_give_the_same_tables():
    """Counting arrays and counting columns agree, with and without clusters and weights."""
    y, z = DATA["animal"], {"animal_a": DATA["animal_a"]}
    assert hs.tally(y, z) == hs.tally(FRAME, truth="animal", pred="animal_a")
    weighted = hs.tally(y, z, weight=DATA["weight"])
    assert weighted == hs.tally(FRAME, truth="animal", pred="animal_a", weight="weight")
    for weight in (None, DATA["weight"]):
        made = hs.tally(y, z, cluster=DATA["group"], weight=weight)
        named = hs.tally(FRAME, truth="animal", pred="animal_a", cluster="group", weight=weight and "weight")
        assert isinstance(made, Clustered)
        assert [p.counts.tolist() for p in made.parts] == [p.counts.tolist() for p in named.parts]
        assert made.parts[0].batch[0][1].levels == named.parts[0].batch[0][1].levels
        assert made.whole == replace(named.whole, library=None)


def test_clusters_of_arrays_need_one_entry_an_item():
    """Lengths, missing ones and a single cluster."""
    with pytest.raises(BadLabels, match="3 items but 2 entries of cluster"):
        hs.tally([1, 0, 1], [1, 0, 1], cluster=["a", "b"])
    with pytest.raises(BadLabels, match="1 item has no cluster"):
        hs.tally([1, 0, 1], [1, 0, 1], cluster=["a", "b", None])
    dropped = hs.tally([1, 0, 1], [1, 0, 1], cluster=["a", "b", None], missing="drop")
    assert dropped.n == 2
    assert dropped.notes == (note("missing-dropped", form="cluster", count=1),)
    with pytest.raises(BadLabels, match="all items are in one cluster"):
        hs.tally([1, 0], [1, 0], cluster=[7, 7])
    with pytest.raises(BadLabels, match=r"cluster must hold numbers or text; got \[1\]"):
        hs.tally([1, 0], [1, 0], cluster=[[1], [2]])


def test_the_order_of_rows_changes_nothing():
    """Clusters are in the order of their names, whatever row comes first, in every kind."""
    rng = np.random.default_rng(3)
    order = rng.permutation(len(FRAME))
    for asked in ({"truth": "bit", "pred": "bit_a"}, {"value": "grade"}, {"truth": "bit", "score": "score"}):
        assert evidence(FRAME, cluster="group", **asked) == evidence(FRAME[order], cluster="group", **asked)
    y, s, c = (np.array(DATA[x]) for x in ("bit", "score", "group"))
    a, b = scored(y, s, cluster=c), scored(y[order], s[order], cluster=c[order])
    assert np.array_equal(a.clusters[order], b.clusters)


# -- long frames and ids


def test_a_long_frame_is_the_wide_one():
    """Rows of two systems, paired by item, are the columns of a frame joined by hand."""
    long = FRAME.select("pair", "model", "pair_truth", "pair_answer", "ones", "grade", "year")
    a, b = (long.filter(pl.col("model") == x) for x in ("a", "b"))
    wide = a.join(b, on=["pair", "pair_truth"], suffix="_b")
    made = hs.tally(long, truth="pair_truth", pred="pair_answer", item="pair", system="model")
    assert made == replace(
        hs.tally(wide, truth="pair_truth", pred=["pair_answer", "pair_answer_b"]), systems=("a", "b")
    )
    made = hs.tally(long, outcome="ones", item="pair", system="model")
    assert made == replace(hs.tally(wide, outcome=["ones", "ones_b"]), systems=("a", "b"))
    weighed = {"outcome": "ones", "weight": "heavy"}
    heavy = long.with_columns(heavy=1.5 + pl.col("pair") % 3)
    made = hs.tally(heavy, **weighed, item="pair", system="model")
    wide = wide.with_columns(heavy=1.5 + pl.col("pair") % 3)
    assert made == replace(hs.tally(wide, outcome=["ones", "ones_b"], weight="heavy"), systems=("a", "b"))
    values = hs.graded(long, value="grade", item="pair", system="model")
    assert values.ids == tuple(range(120))
    assert np.array_equal(values.values, wide.sort("pair").select("grade", "grade_b").to_numpy())
    assert values.measure.name == "mean-grade"
    with pytest.raises(BadLabels, match="column 'year' differs between the rows of item"):
        hs.tally(long, outcome="ones", item="pair", system="model", by="year")


def test_items_that_a_system_lacks_are_refused_or_dropped():
    """The first are listed."""
    long = FRAME.select("pair", "model", "ones", "grade")[3:]
    with pytest.raises(BadLabels, match="2 of 120 items have no row for some system, such as 0, 1; give unmatched="):
        hs.tally(long.filter(pl.col("pair") > 0).vstack(FRAME.select("pair", "model", "ones", "grade")[:1]),
                 outcome="ones", item="pair", system="model")  # fmt: skip
    for how in ({"missing": "drop"}, {"unmatched": "drop"}):
        made = evidence(long, outcome="ones", item="pair", system="model", **how)
        assert made.n == 118
        assert made.notes == (note("ids-unmatched", form="system", count=1, first="1"),)
    lost = FRAME.filter((pl.col("group") != "g1") | (pl.col("model") == "a"))
    with pytest.raises(BadFile, match=r"1 cluster of 'group' is not in every system \('g1'\)"):
        evidence(lost, outcome="ones", cluster="group", system="model")
    assert evidence(lost, outcome="ones", cluster="group", system="model", unmatched="drop").clusters == 4
    with pytest.raises(BadSetting, match="unmatched= goes with system="):
        evidence(FRAME, outcome="ones", unmatched="drop")


def test_ids_that_repeat_are_asked_about():
    """Rows of one id may belong together: a note asks, unless clusters say so."""
    asked = {"outcome": "ones", "item": "pair"}
    assert evidence(FRAME, **asked).notes == (note("ids-repeat", column="pair", ids=120),)
    assert evidence(FRAME, **asked, cluster="pair").notes == ()
    assert evidence(FRAME.with_row_index("id"), outcome="ones", item="id").notes == ()
    long = evidence(FRAME.with_row_index("id"), outcome="ones", item=["group", "pair"], system="model", missing="drop")
    assert [n.code for n in long.notes] == ["ids-unmatched", "ids-repeat"]


def test_values_of_clusters_weigh_as_their_samples():
    """One row a cluster, with the number of samples, resamples what the samples in clusters do."""
    asked = {"value": "grade", "cluster": "group"}
    rows = evidence(FRAME, **asked, system="model")
    for j, name in enumerate(rows.systems):
        samples = evidence(FRAME.filter(pl.col("model") == name), **asked)
        for ours, theirs in zip(rows.units, samples.units, strict=True):
            column = ours if ours.ndim == 1 else ours[:, [j]]
            np.testing.assert_allclose(column, theirs, rtol=1e-13)
    assert rows.clustered == samples.clustered == 5


# -- notes


def test_every_note_has_its_sentence():
    """Facts fill the sentence of each code that the cases of the suite make."""
    from tests.engines.data import CASES, reference

    found = {n for name in CASES for n in reference(name).notes}
    assert {n.code for n in found} >= {"missing-dropped", "missing-wrong", "binned"}
    assert all(n.text for n in found)
