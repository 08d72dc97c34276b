"""Files of several systems: joined on ids, or matched by cluster; what does not match is refused or left out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadFile, BadLabels, BadSetting, HowsureError, UnknownName
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.graded import Graded
from howsure.evidence.protocol import Account
from howsure.io.entrance import evidence
from howsure.io.pairing import clusters_joined
from howsure.io.request import make
from howsure.messages.notes import note
from tests.engines.data import polars_frame

FRAME = polars_frame().with_row_index("id").with_columns(pl.col("id").cast(pl.Int64), pl.col("kind").cast(pl.String))


@pytest.fixture
def files(tmp_path):
    """The same items in two files, the second in another order and another format."""
    one = FRAME.select("id", "pair", "animal", "region", "weight", "grade", "group", answer="animal_a", ok="passed")
    two = FRAME.select("id", "pair", "animal", "group", grade="margin", answer="kind", ok="solved")
    two = two.sample(fraction=1.0, shuffle=True, seed=3)
    one.write_ndjson(tmp_path / "one.jsonl")
    two.write_csv(tmp_path / "two.csv")
    return {"one": tmp_path / "one.jsonl", "two": tmp_path / "two.csv"}, one, two


def test_files_are_joined_on_ids(files):
    """The joint evidence is that of a frame joined by hand: classes, outcomes in slices, weights, values with ids."""
    paths, one, two = files
    both = one.join(two, on="id", suffix="_2")
    wide = {"names": ["one", "two"]}
    made = evidence(paths, truth="animal", pred="answer", on="id")
    assert made == evidence(both, truth="animal", pred=["answer", "answer_2"], **wide)
    made = evidence(paths, outcome="ok", by="region", on=["id", "pair"])
    assert made == evidence(both, outcome=["ok", "ok_2"], by="region", **wide)
    made = evidence(paths, outcome="ok", weight="weight", on="id")
    assert made == evidence(both, outcome=["ok", "ok_2"], weight="weight", **wide)
    made = evidence(paths, value="grade", on="id", weight="weight", bounds=(-9, 9))
    ordered = both.sort("id")
    assert made.ids == tuple(range(len(FRAME)))
    assert np.array_equal(made.values, ordered.select("grade", "grade_2").to_numpy())
    assert np.array_equal(made.weights, ordered["weight"].to_numpy())
    assert (made.systems, made.measure.name) == (("one", "two"), "mean-grade")


def test_ids_of_two_columns_ask_about_clusters(files):
    """Items that two columns tell apart may belong together by the first."""
    paths, _, _ = files
    made = evidence(paths, outcome="ok", on=["pair", "id"])
    assert made.notes == (note("ids-repeat", column="pair", ids=120),)
    assert evidence(paths, outcome="ok", on=["id", "pair"]).notes == ()


def test_a_column_for_each_file(files):
    """Files may call their answers differently."""
    paths, _, two = files
    two.rename({"answer": "other"}).write_csv(paths["two"])
    made = evidence(paths, truth="animal", pred=["answer", "other"], on="id")
    assert made.systems == ("one", "two")
    with pytest.raises(BadSetting, match="2 files need one column of answers for all, or one per file; got 3"):
        evidence(paths, truth="animal", pred=["answer", "other", "third"], on="id")


def test_items_that_cannot_be_paired(files):
    """Ids twice, missing, in one file only, truths that disagree: counted, listed, and dropped only when told so."""
    paths, _, two = files
    extra = two[:1].with_columns(id=pl.lit(9999, dtype=pl.Int64))
    bad = pl.concat([
        two.with_columns(animal=pl.when(pl.col("id") == 7).then(pl.lit("emu")).otherwise("animal")),
        two.filter(pl.col("id") == 5), extra, extra.with_columns(id=pl.lit(None, dtype=pl.Int64)),
    ]).filter(pl.col("id").is_null() | ~pl.col("id").is_in(list(range(20, 28))))  # fmt: skip
    bad.write_csv(paths["two"])
    asked = {"truth": "animal", "pred": "answer", "on": "id"}
    with pytest.raises(BadFile) as said:
        evidence(paths, **asked)
    for part in ("1 row has no id (in ", "1 id occurs more than once in ", "('5')", "8 ids are only in ",
                 "('20', '21', '22', '23', '24', …)", "('9999')", "1 id has truths that disagree ('7')",
                 "give unmatched='drop'", "give cluster= instead of on="):  # fmt: skip
        assert part in str(said.value)
    made = evidence(paths, **asked, unmatched="drop")
    assert made.n == len(FRAME) - 10
    codes = ["repeated-units", "ids-missing", "ids-twice", "ids-unmatched", "ids-unmatched", "truths-disagree"]
    assert [n.code for n in made.notes] == codes
    assert all(n.text.startswith("left out: ") for n in made.notes[1:])
    with pytest.raises(HowsureError, match=r"unmatched='dropp' is not known\. Did you mean 'drop'"):
        evidence(paths, **asked, unmatched="dropp")


def _written(folder, form, column, **systems):
    """A file for each system with this column of three items; a file without it where None is given for all."""
    paths = {}
    for name, own in systems.items():
        table = {"id": [0, 1, 2], "ok": [1, 0, 1], "v": [0.5, 0.25, 1.0]}
        frame = pl.DataFrame(table if own is None else {**table, column: own})
        paths[name] = folder / f"{name}.{form}"
        getattr(frame, {"jsonl": "write_ndjson", "csv": "write_csv", "parquet": "write_parquet"}[form])(paths[name])
    return paths


FORMS = pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
AMOUNTS = [({"outcome": "ok"}, "weight"), ({"outcome": "ok"}, "count"), ({"value": "v", "bounds": (0, 1)}, "weight")]


@FORMS
@pytest.mark.parametrize(("kind", "amount"), AMOUNTS)
def test_amounts_that_differ_between_files(tmp_path, form, kind, amount):
    """Refused whichever file comes first, also where another file lacks that of the item."""
    for own in ({"a": [1, 2, 1], "b": [1, 3, 1]}, {"a": [1, 3, 1], "b": [1, 2, 1]}, {"a": [1, 0, 1], "b": [1, 1, 1]},
                {"a": [1, None, 1], "b": [1, 2, 1], "c": [1, 3, 1]}):  # fmt: skip
        paths = _written(tmp_path, form, "w", **own)
        for more in ({}, {"missing": "drop"}, {"unmatched": "drop"}):
            with pytest.raises(BadLabels, match=r"column 'w' differs between the files in 1 item \('1'\)"):
                evidence(paths, **kind, on="id", **{amount: "w"}, **more)


@FORMS
@pytest.mark.parametrize(("kind", "amount"), AMOUNTS)
def test_an_amount_that_one_file_lacks_for_an_item(tmp_path, form, kind, amount):
    """Refused, or left out with the rows of all files, whichever file lacks it."""
    for own in ({"a": [2, None, 2], "b": [2, 1, 2]}, {"a": [2, 1, 2], "b": [2, None, 2]}):
        paths = _written(tmp_path, form, "w", **own)
        asked = {**kind, "on": "id", amount: "w"}
        with pytest.raises(BadLabels, match=r"1 (is|are) missing in column 'w'|1 of 3 items has no weight"):
            evidence(paths, **asked)
        made = evidence(paths, **asked, missing="drop")
        assert made.account == Account(6, {"missing": 2})
        total = made.weights.sum() if isinstance(made, Graded) else made.n
        assert total == 4


@FORMS
def test_an_amount_of_a_file_that_is_no_number(tmp_path, form):
    """Refused in any file."""
    paths = _written(tmp_path, form, "w", a=[1, 1, 2], b=["1", "x", "2"])
    with pytest.raises(BadLabels, match="column 'w' holds 'x', which is not a number"):
        evidence(paths, outcome="ok", weight="w", on="id")


@FORMS
def test_shared_columns_of_some_files(tmp_path, form):
    """Weights, counts and slices are taken from the files that have the column; one of them must."""
    for own in ({"a": [1, 2, 4], "b": None}, {"a": None, "b": [1, 2, 4]}, {"a": None, "b": [1, 2, 4], "c": [1, 2, 4]}):
        paths = _written(tmp_path, form, "w", **own)
        for amount in ("weight", "count"):
            assert evidence(paths, outcome="ok", **{amount: "w"}, on="id").n == 7
        assert evidence(paths, value="v", bounds=(0, 1), weight="w", on="id").weights.tolist() == [1, 2, 4]
        made = evidence(paths, outcome="ok", by="w", on="id")
        assert made.batch[0][1].levels == ((1, 2, 4),)
    with pytest.raises(UnknownName, match=r"no column named 'ww' in '.*a\.\w+'"):
        evidence(paths, outcome="ok", weight="ww", on="id")


@FORMS
def test_slices_that_differ_between_files(tmp_path, form):
    """An item lies in one slice; the same number may be spelled in two ways."""
    for other in (["x", "x", "y"], ["x", None, "y"]):
        paths = _written(tmp_path, form, "g", a=["x", "y", "y"], b=other)
        with pytest.raises(BadLabels, match=r"column 'g' differs between the files in 1 item \('1'\)"):
            evidence(paths, outcome="ok", by="g", on="id")
    paths = _written(tmp_path, form, "g", a=[1, 2, None], b=[1.0, 2.0, None])
    assert evidence(paths, outcome="ok", by="g", on="id").batch[0][1].levels == ((1, 2, None),)


def test_rows_are_never_paired_by_their_order(files):
    """Without ids and clusters, files of systems are refused; so are kinds that cannot be joined."""
    paths, one, _ = files
    one.rename({"id": "key"}).write_ndjson(paths["one"])
    with pytest.raises(BadSetting, match="rows are never paired by their order"):
        evidence(paths, outcome="ok")
    one.write_ndjson(paths["one"])
    with pytest.raises(BadSetting, match="need pred=, outcome= or value="):
        evidence(paths, truth="animal", score="grade", positive="owl", on="id")
    with pytest.raises(BadSetting, match="joined on ids are read by engine='duckdb'"):
        evidence(paths, outcome="ok", on="id", engine="spark")


# -- matched by cluster


@pytest.fixture
def samples(tmp_path):
    """Three questions, asked another number of times of each system; ids repeat."""
    rows = {"a": [("q1", 1), ("q1", 0), ("q1", 1), ("q2", 0), ("q3", 1)],
            "b": [("q3", 1), ("q1", 1), ("q2", 1), ("q2", 0)]}  # fmt: skip
    paths = {}
    for name, own in rows.items():
        paths[name] = tmp_path / f"{name}.jsonl"
        lines = [
            {"q": q, "ok": bool(x), "grade": x / 2 + i / 10, "y": "x", "z": "xy"[x]} for i, (q, x) in enumerate(own)
        ]
        paths[name].write_text("\n".join(map(json.dumps, lines)))
    return paths, rows


def test_systems_are_matched_by_cluster(samples):
    """Each system keeps its own number of samples in every question."""
    paths, rows = samples
    made = evidence(paths, outcome="ok", cluster="q")
    assert isinstance(made, Clustered)
    assert made.systems == ("a", "b")
    for name, part in zip(made.systems, made.parts, strict=True):
        for i, q in enumerate(("q1", "q2", "q3")):
            own = [x for asked, x in rows[name] if asked == q]
            assert part.counts[i].tolist() == [own.count(0), own.count(1)]
    classes = evidence(paths, truth="y", pred="z", cluster="q", positive="y")
    assert classes.labels == ("x", "y")
    assert [part.positive for part in classes.parts] == ["y", "y"]
    request = make(truth="y", pred=["z", "other"], positive="y", names=list(paths))
    assert classes == clusters_joined(list(paths.values()), request, ["z", "z"], "q")


def test_values_are_matched_by_cluster(samples):
    """A row a question, the mean of its samples and their number; the units are those of the samples in clusters."""
    paths, rows = samples
    made = evidence(paths, value="grade", cluster="q", bounds=(0, 1))
    assert isinstance(made, Graded)
    assert made.ids == ("q1", "q2", "q3")
    assert made.sizes.tolist() == [[3, 1], [1, 2], [1, 1]]
    for j, name in enumerate(made.systems):
        grades = [x / 2 + i / 10 for i, (_, x) in enumerate(rows[name])]
        alone = hs.graded(grades, cluster=[q for q, _ in rows[name]])
        for ours, theirs in zip(made.units, alone.units, strict=True):
            np.testing.assert_allclose(ours if ours.ndim == 1 else ours[:, [j]], theirs, rtol=1e-14)


def test_clusters_that_not_every_system_has(samples):
    """Refused with the first five, or dropped with a note."""
    paths, _ = samples
    with paths["a"].open("a") as file:
        for i in range(7):
            file.write("\n" + json.dumps({"q": f"r{i}", "ok": True, "grade": 0.5, "y": "x", "z": "x"}))
    for asked in ({"outcome": "ok"}, {"value": "grade"}, {"truth": "y", "pred": "z"}):
        with pytest.raises(
            BadFile, match=r"7 clusters of 'q' are not in every system \('r0', 'r1', 'r2', 'r3', 'r4', …\)"
        ):
            evidence(paths, **asked, cluster="q")
        made = evidence(paths, **asked, cluster="q", unmatched="drop")
        assert made.notes == (note("clusters-unmatched", count=7, first="'r0', 'r1', 'r2', 'r3', 'r4', …"),)
        assert (made.clustered if isinstance(made, Graded) else made.clusters) == 3


def test_clusters_of_other_types_meet_as_text(tmp_path):
    """Numbers of a CSV file and texts of a JSON file are the same clusters."""
    (tmp_path / "a.csv").write_text("q,ok\n1,1\n2,0\n2,1\n")
    (tmp_path / "b.jsonl").write_text('{"q": "1", "ok": 1}\n{"q": "2", "ok": 0}\n')
    made = evidence({"a": tmp_path / "a.csv", "b": tmp_path / "b.jsonl"}, outcome="ok", cluster="q")
    assert list(made.parts[0].batch[0][1]) == ["1", "2"]
    assert [part.counts.tolist() for part in made.parts] == [[[0, 1], [1, 1]], [[0, 1], [1, 0]]]


def test_one_question_is_too_few(tmp_path):
    """Whole clusters are resampled: it takes two."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("q,ok,v\n1,1,0.5\n1,0,0.7\n")
    paths = {name: tmp_path / f"{name}.csv" for name in "ab"}
    for asked in ({"outcome": "ok"}, {"value": "v"}):
        with pytest.raises(BadLabels, match="all items are in one cluster"):
            evidence(paths, **asked, cluster="q")


def test_values_of_files(tmp_path):
    """Numbers in any spelling; text that spells none is named; true and false are 1 and 0."""
    path = tmp_path / "a.csv"
    path.write_text("v,w,b\n0.5,1,true\n1e-1,2,FALSE\n7,1,true\n0.5,1,true\n")
    made = hs.graded(path, value="v")
    assert (made.values.ravel().tolist(), made.counts.tolist()) == ([0.1, 0.5, 7.0], [1, 2, 1])
    assert hs.graded(path, value="b").values.ravel().tolist() == [0.0, 1.0]
    assert hs.graded(path, value="v", weight="w").weights.tolist() == [2, 1, 1, 1]
    path.write_text("v\n0.5\ngood\n")
    with pytest.raises(BadLabels, match="column 'v' holds 'good', which is not a number"):
        hs.graded(path, value="v")
    path.write_text("v\n")
    with pytest.raises(BadLabels, match="got 0"):
        hs.graded(path, value="v")


def test_shards_of_label_sets(tmp_path):
    """Lists of a JSON file and of a Parquet file are one data set; an empty field of CSV has no labels."""
    data = pl.DataFrame({"y": [["a", "b"], ["b"], [], ["c"]], "z": [["b", "a"], [], ["a"], ["c"]]})
    data[:2].write_ndjson(tmp_path / "a.jsonl")
    data[2:].write_parquet(tmp_path / "b.parquet")
    whole = hs.tally(data, truth="y", pred="z")
    assert hs.tally([tmp_path / "a.jsonl", tmp_path / "b.parquet"], truth="y", pred="z") == whole
    (tmp_path / "c.csv").write_text('y,z\na|b,"b| a"\nb,\n,a\nc,c\n')
    assert hs.tally(tmp_path / "c.csv", truth="y", pred="z", sep="|") == whole
    lists = Tally.multilabel(data["y"].to_list(), {"z": data["z"].to_list()})
    assert whole == lists


# -- ids that nobody named, and what several files are


@FORMS
def test_the_usual_id_joins_files(tmp_path, form, run_json):
    """A column of the usual names that all files have is taken, and a note says so; else as with --on."""
    paths = _written(tmp_path, form, "g", a=["x", "y", "y"], b=["x", "y", "y"], c=["x", "y", "y"])
    made, told = evidence(paths, outcome="ok"), evidence(paths, outcome="ok", on="id")
    assert made == replace(told, notes=made.notes)
    assert [(n.code, n.text) for n in made.notes] == [("columns-guessed", "using column 'id' as the id")]
    got, want = (run_json("leaderboard", *paths.values(), "--outcome", "ok", *x) for x in ([], ["--on", "id"]))
    assert got["rows"] == want["rows"]
    assert "columns-guessed" in [n["code"] for n in got["notes"]]


def test_files_whose_names_differ_in_digits_only(tmp_path, capsys, run_json):
    """Shards or systems: asked, and each is one edit away."""
    for i, rows in ((1, "1,1\n2,0\n"), (2, "1,0\n2,0\n")):
        (tmp_path / f"part-{i:03}.csv").write_text(f"id,ok\n{rows}")
    files = [str(tmp_path / f"part-00{i}.csv") for i in (1, 2)]
    for command in ("score", "compare", "leaderboard"):
        assert run([command, *files, "--outcome", "ok"]) == 2
        said = capsys.readouterr().err
        for way in ("differ in digits only", "--pool", "part-*.csv'", "--on", "--name"):
            assert way in said
        assert said.count("\n") == 1
    for more in (["--on", "id"], ["--name", "a", "--name", "b"]):
        assert run_json("score", *files, "--outcome", "ok", *more)["data"]["n"] == 2
    for given in ([*files, "--pool"], [str(tmp_path / "part-*.csv")]):
        got = run_json("score", *given, "--outcome", "ok")
        assert (got["data"]["n"], got["rows"][0]["score"]) == (4, 0.25)


def test_files_without_an_id_ask(tmp_path, capsys):
    """One sentence with what can be done."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("ok\n1\n0\n")
    assert run(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--outcome", "ok"]) == 2
    said = capsys.readouterr().err
    assert all(way in said for way in ("--on", "--independent", "--pool", "rows are never paired by their order"))


def test_systems_of_a_column_are_compared_from_the_leader_on(tmp_path, capsys):
    """Table and headline subtract in the same order: the better one first, unless names give an order."""
    rows = [(i, system, int(i % (3 if system == "a" else 7) > 0), "xy"[i % 2]) for i in range(60) for system in "ab"]
    path = tmp_path / "long.csv"
    path.write_text("id,model,passed,part\n" + "".join(f"{i},{s},{p},{x}\n" for i, s, p, x in rows))
    given = ["compare", str(path), "--outcome", "passed", "--system", "model", "--on", "id"]
    columns = {"outcome": "passed", "system": "model", "item": "id"}

    def shown(*more):
        assert run([*given, *more, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)["rows"][0]

    for row in (shown(), shown("--by", "part"), hs.compare(str(path), **columns).to_dict()["rows"][0]):
        assert (row["first"]["system"], row["second"]["system"]) == ("b", "a")
        assert row["difference"]["score"] > 0
        assert row["p_better"] > 0.5
    named = shown("--name", "a", "--name", "b")
    assert named["first"]["system"] == "a"
    assert named["difference"]["score"] < 0
