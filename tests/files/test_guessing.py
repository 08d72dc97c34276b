"""Columns that nobody named are taken by their usual names, and the result says so; what is not clear is asked."""

from __future__ import annotations

import io
import json
import shlex
import sqlite3

import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadLabels, BadSetting
from howsure.io import roles
from howsure.io.entrance import evidence
from howsure.io.first_rows import USUAL, guess, usual_id
from howsure.io.request import Wanted
from howsure.io.roles import preview
from tests.refusals import one_sentence


@pytest.mark.parametrize("role", USUAL)
def test_every_usual_name_is_found_whatever_its_case_and_signs_between(role) -> None:
    """y_true, Y_TRUE, y-true, Y True and ytrue are one name; a longer name is another one."""
    for name in USUAL[role]:
        for written in (name, name.upper(), name.replace("_", "-"), name.replace("_", " ").title(), f" {name}"):
            assert guess(["x", written, f"{name}_2"], role) == [written]


def test_no_usual_name_stands_for_two_roles() -> None:
    """Each tells its role."""
    names = [name for own in USUAL.values() for name in own]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([["id", "pred"], ["pred", "id"]], "id"),
        ([["qid", "id"], ["id", "item"], ["id"]], "id"),  # only one is in all
        ([["ID"], ["ID"]], "ID"),
        ([["ID"], ["id"]], None),  # one name joins all files
        ([["id", "item"], ["id", "item"]], None),  # either could be meant
        ([["name"], ["name"]], None),
        ([["id"], []], None),
        ([], None),
    ],
)
def test_the_id_that_joins_files_is_the_one_that_all_have(files, found) -> None:
    """Only where it is clear."""
    assert usual_id(files) == found


# -- the command

SPAM = "id,label,answer\n1,spam,spam\n2,ham,spam\n3,ham,ham\n4,spam,spam\n"


def _said(capsys, *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


def test_nothing_but_a_file_is_enough(folder, capsys) -> None:
    """The same numbers as with the columns named, and a note that says what was taken; nothing beside JSON."""
    path = folder("preds.csv", SPAM)
    code, out, err = _said(capsys, "score", path, "--format", "json")
    named = json.loads(_said(capsys, "score", path, "--truth", "label", "--pred", "answer", "--format", "json")[1])
    got = json.loads(out)
    assert (code, err) == (0, "")
    assert got["rows"] == named["rows"]
    added = [n for n in got["notes"] if n not in named["notes"]]
    told = "using column 'label' as the true label and column 'answer' as the prediction"
    assert added == [{"code": "columns-guessed", "level": "note", "text": told}]
    table = _said(capsys, "score", path)[1]
    assert table.count("using column 'label' as the true label and column 'answer' as the prediction") == 1


@pytest.mark.parametrize(
    ("head", "row", "more", "taken"),
    [
        ("label,answer,passed", "a,b,1", (), {"truth": "label", "pred": "answer", "also": "passed"}),
        ("label,passed", "a,1", (), {"outcome": "passed"}),
        ("label,passed,prob", "1,1,0.3", (), {"outcome": "passed"}),
        ("Y True,prob", "1,0.3", (), {"truth": "Y True", "score": "prob"}),
        ("label,answer,prob", "1,1,0.3", ("--threshold", ".5"), {"truth": "label", "score": "prob"}),
        ("label,model,answer", "a,b,a", ("--pred", "model"), {"truth": "label"}),
        ("target,label,answer", "a,b,a", ("--truth", "target"), {"pred": "answer"}),
        ("label,target,answer", "a,b,a", ("--where", "target=b"), {"truth": "label", "pred": "answer"}),
        ("label,target,answer", "a,b,a", ("--by", "target"), {"truth": "label", "pred": "answer"}),
        ("question,correct,answer,passed", "a,B,A,1", (), {"outcome": "passed"}),  # the correct answer is no outcome
    ],
)
def test_only_what_is_lacking_is_guessed_in_the_order_of_preference(folder, head, row, more, taken) -> None:
    """Predictions, then outcomes, then scores; what is given, and what is used elsewhere, is left alone."""
    path = folder("x.csv", f"{head}\n{row}\n{row.replace('1', '0')}\n")
    given = {more[i].lstrip("-"): more[i + 1] for i in range(0, len(more), 2)}
    if "threshold" in given:
        given["threshold"] = float(given["threshold"])
    (found,) = (n for n in evidence(path, **given).notes if n.code == "columns-guessed")
    assert dict(found.facts) == taken


def test_columns_of_clusters_are_found(folder) -> None:
    """Several answers per question: the note of what was taken is there once, for one file and for two."""
    path = folder("one.csv", "question,label,pred\n1,a,a\n1,a,b\n2,b,b\n2,b,b\n3,a,a\n3,a,a\n")
    for data in (path, {"one": path, "two": path}):
        found = [n for n in evidence(data, cluster="question").notes if n.code == "columns-guessed"]
        assert [dict(n.facts) for n in found] == [{"truth": "label", "pred": "pred"}]


@pytest.mark.parametrize(
    ("verb", "head", "rows", "said", "command"),
    [
        ("score", "label,target,answer", ["a,b,a", "b,b,a"], "'label' and 'target' could both be the truth",
         "howsure score 'my file.csv' --truth label --pred answer"),
        ("score", "id,truth,one,two", ["1,a,a,b", "2,b,b,b"], "has a usual name for predictions, outcomes or scores",
         "howsure score 'my file.csv' --truth truth --pred one --pred two"),
        ("compare", "id,truth,one,two,x", ["1,a,a,b,a", "2,b,b,b,b"], "has a usual name for predictions",
         "howsure compare 'my file.csv' --truth truth --pred one --pred two"),
        ("compare", "label,pred,other", ["a,a,b", "b,b,b"], "compare needs two systems, and 'pred' is one",
         "howsure compare 'my file.csv' --truth label --pred pred --pred other"),
        ("compare", "label,pred", ["a,a", "b,b"], "is one: give a second file, or a second column",
         "howsure score 'my file.csv' --truth label --pred pred"),
        ("score", "y,answer", ["a,b", "b,b", "a,a", "b,a"], "has a usual name for the truth",
         "howsure score 'my file.csv' --truth y --pred answer"),
        ("score", "name,grade", ["x,3.5", "y,4.5"], "have usual names", "howsure score 'my file.csv' --value grade"),
        ("curve", "label,p", ["ham,0.2", "spam,0.8"], "has a usual name for scores",
         "howsure curve 'my file.csv' --truth label --score p --positive spam"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_asked_with_a_list_and_the_command(
    folder, capsys, verb, head, rows, said, command
) -> None:
    """Exit 2, nothing on standard output, every column with its kind and an example, and a command that works."""
    path = folder("my file.csv", "\n".join([head, *rows]) + "\n")
    code, out, err = _said(capsys, verb, path)
    assert (code, out) == (2, "")
    assert said in err
    assert one_sentence(err)
    lines = [line.split() for line in err.splitlines() if line.startswith("  ")]
    assert [line[0] for line in lines[:-1]] == head.split(",")
    assert all(example in err for example in rows[0].split(","))
    assert " ".join(lines[-1]) == command
    assert _said(capsys, *shlex.split(command)[1:])[0] == 0


@pytest.mark.parametrize("verb", ["score", "compare", "leaderboard", "curve"])
@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("y,z", ["a,b", "b,b", "a,a", "b,a"]),
        ("a,b,c", ["3,4,3", "4,4,5", "5,3,4", "3,3,3"]),
        ("region,p,pred_id", ["ham,0.2,1", "spam,0.8,2", "ham,0.4,3", "spam,0.9,4"]),
        ("region,pred", ["north,a", "south,b", "north,b", "south,a"]),  # a usual name, but other labels
    ],
)
def test_two_columns_without_usual_names_are_never_truth_and_prediction(folder, capsys, verb, head, rows) -> None:
    """Neither by a command to type, nor in the list of columns, nor in a preview."""
    path = folder("free.csv", "\n".join([head, *rows]) + "\n")
    err = _said(capsys, verb, path)[2]
    words = shlex.split(err.splitlines()[-1])
    named = {words[i + 1] for i, word in enumerate(words) if word in ("--truth", "--pred", "--score")}
    assert named <= {"COLUMN", "pred"}
    assert not any(line.endswith("--truth") for line in err.splitlines())
    assert "truth" not in preview(path)["guessed"]


LAYOUTS = {
    "model_a,model_b,winner,question_id": (
        ["gpt,llama,model_a,7", "llama,gpt,tie,8"], "pairwise preferences (model_a, model_b, winner)",
        "howsure compare --wins WINS,LOSSES,TIES"),
    "doc,TP,FP,FN": (
        ["d1,3,1,0", "d2,2,0,4"], "a table of counts in each row (TP, FP, FN)",
        "howsure score --counts tp=TP,fp=FP,fn=FN,tn=0"),
    "utterance,errors,words": (
        ["u1,2,19", "u2,0,7"], "word errors (errors, words)",
        "howsure {verb} x.csv --value COLUMN"),
    "id,judge,human": (
        ["1,1,1", "2,0,1", "3,1,"], "labels by a judge and by humans (judge, human)",
        "howsure score x.csv --judge judge --human human"),
}  # fmt: skip


@pytest.mark.parametrize("verb", ["score", "compare"])
@pytest.mark.parametrize("head", LAYOUTS)
def test_known_layouts_are_named_for_what_they_are(folder, capsys, head, verb) -> None:
    """Also those that howsure cannot use yet; in Python and in a preview too."""
    rows, what, command = LAYOUTS[head]
    path = folder("x.csv", "\n".join([head, *rows]) + "\n")
    code, out, err = _said(capsys, verb, path)
    assert (code, out) == (2, "")
    assert one_sentence(err)
    assert f"'x.csv' holds {what}: " in err
    assert err.endswith(f"\n  {command.format(verb=verb)}\n")
    with pytest.raises(BadSetting, match=what.partition(" (")[0]):
        hs.score(path)
    found = preview(path)
    assert what in found["message"]
    assert found["guessed"] == {}


def test_the_command_for_a_judge_works(folder, capsys) -> None:
    """It corrects the labels of the judge."""
    rows = "".join(f"{i},{i % 2},{i % 3 % 2 if i < 40 else ''}\n" for i in range(80))
    path = folder("x.csv", f"id,judge,human\n{rows}")
    command = _said(capsys, "score", path)[2].splitlines()[-1]
    assert _said(capsys, *shlex.split(command)[1:])[0] == 0


@pytest.mark.parametrize("columns", ["success,provider,test", "passed,model,question_id", "correct,Run,prompt"])
def test_a_column_of_systems_is_found_in_rows_of_several(folder, capsys, columns) -> None:
    """compare names the column that says which system, and the id that joins its rows; the command works."""
    rows = "".join(f"{i % 5 % 2},{name},{i}\n" for i in range(30) for name in ("gpt", "llama"))
    path = folder("x.csv", f"{columns}\n{rows}")
    outcome, system, item = columns.split(",")
    code, _, err = _said(capsys, "compare", path)
    assert code == 2
    assert f"compare needs two systems, and {outcome!r} is one; {system!r} may say which system each row is of" in err
    command = f"howsure compare x.csv --outcome {outcome} --system {system} --on {item}"
    assert err.endswith(f"\n  {command}\n")
    assert _said(capsys, *shlex.split(command)[1:])[0] == 0


def test_grades_of_unlike_scales_are_not_suggested_for_a_comparison(folder, capsys) -> None:
    """Nor are ids grades."""
    path = folder("x.csv", "case_id,tokens,gpt,llama\n1,200,3.5,4\n2,320,4.5,2.5\n")
    assert _said(capsys, "compare", path)[2].endswith("howsure score x.csv --value tokens\n")
    path = folder("x.csv", "case_id,gpt,tokens,llama\n1,3.5,200,4\n2,4.5,320,2.5\n")
    assert _said(capsys, "compare", path)[2].endswith("howsure compare x.csv --value gpt --value llama\n")


def test_a_wrong_name_keeps_the_hint_and_gets_the_list(folder, capsys) -> None:
    """And the command with the right one."""
    code, out, err = _said(capsys, "score", folder("x.csv", SPAM), "--truth", "lable")
    assert (code, out) == (2, "")
    assert "no column named 'lable' in 'x.csv'. Did you mean 'label'?" in err
    assert "  label   text          spam  --truth\n" in err
    assert err.endswith("Type:\n  howsure score x.csv --truth label\n")


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("spam", "ham")])
def test_probabilities_are_no_predictions(folder, capsys, yes, no) -> None:
    """Texts beside them too: exit 2, and the commands by --score and by curve, both of which work."""
    path = folder("p.csv", f"y,p\n{yes},0.9\n{no},0.2\n{yes},0.7\n{no},0.4\n")
    code, out, err = _said(capsys, "score", path, "--truth", "y", "--pred", "p")
    assert (code, out) == (2, "")
    assert "'p' holds 0.2: these look like scores; give --score and --threshold in place of --pred" in err
    commands = [line.strip() for line in err.splitlines() if line.startswith("  ")]
    positive = "" if yes == "1" else " --positive spam"
    assert commands == [
        f"howsure score p.csv --truth y --score p{positive} --threshold 0.5",
        f"howsure curve p.csv --truth y --score p{positive}",
    ]
    assert [_said(capsys, *shlex.split(x)[1:])[0] for x in commands] == [0, 0]
    with pytest.raises(BadLabels, match=r"hs\.score\(.*score='p'.*threshold=0.5\) or hs\.curve\("):
        hs.score(path, truth="y", pred="p")


def test_whole_numbers_written_with_a_point_stay_labels(folder) -> None:
    """1.0 is 1; a number that is no label of many classes is refused too."""
    path = folder("w.csv", "y,p\n1,1.0\n0,0.0\n1,0.0\n")
    assert repr(hs.tally(path, truth="y", pred="p")) == repr(hs.tally([1, 0, 1], [1, 0, 0]))
    other = folder("m.csv", "y,p\n1,1.5\n2,2.5\n3,2\n")
    with pytest.raises(BadLabels, match=r"'p' holds 1\.5, which is no label of 'y'"):
        hs.tally(other, truth="y", pred="p")


# -- every place


def test_every_place_guesses_alike(folder, tmp_path, monkeypatch) -> None:
    """CSV, JSON lines, JSON, Parquet, standard input, frames, batches that come by once, databases."""
    rows = [{"y_true": 1, "output": 1}, {"y_true": 0, "output": 1}, {"y_true": 1, "output": 0}]
    frame = pl.DataFrame(rows)
    frame.write_parquet("a.parquet")
    lines = folder("a.jsonl", "".join(json.dumps(x) + "\n" for x in rows))
    con = sqlite3.connect(":memory:")
    con.execute("create table t (y_true integer, output integer)")
    con.executemany("insert into t values (?, ?)", [tuple(x.values()) for x in rows])
    want = hs.tally(frame, truth="y_true", pred="output")
    files = [folder("a.csv", frame.write_csv()), lines, folder("a.json", json.dumps(rows)), "a.parquet"]
    for data in (*files, frame, frame.lazy(), frame.to_pandas()):
        got = hs.tally(data)
        assert got.cells.tolist() == want.cells.tolist()
        assert got.counts.tolist() == want.counts.tolist()
        assert got.notes[0].text == "using column 'y_true' as the true label and column 'output' as the prediction"
    assert hs.tally(con, table="t").counts.tolist() == want.counts.tolist()
    assert hs.tally(iter([frame[:1], frame[1:]]), truth="y_true").counts.tolist() == want.counts.tolist()
    con.close()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(frame.write_csv().encode())))
    assert evidence("-").counts.tolist() == want.counts.tolist()


def test_files_of_systems_share_one_guess(folder) -> None:
    """A column must be in all of them."""
    for name in "ab":
        folder(f"{name}.csv", f"id,label,pred,{name}\n1,1,1,0\n2,0,1,0\n")
    found = evidence({"a": "a.csv", "b": "b.csv"}, on=["id"])
    assert [n.text for n in found.notes] == [
        "using column 'label' as the true label and column 'pred' as the prediction"
    ]
    own = evidence({"a": "a.csv", "b": "b.csv"}).notes
    assert [n.text for n in own] == [
        "using column 'label' as the true label, column 'pred' as the prediction and column 'id' as the id"
    ]
    folder("b.csv", "id,label,answer\n1,1,1\n2,0,1\n")
    with pytest.raises(BadSetting, match="usual name for predictions"):
        evidence({"a": "a.csv", "b": "b.csv"}, on=["id"])


def test_sentences_give_way_to_outcomes(folder) -> None:
    """Free texts are no classes where passes and fails are told."""
    rows = "".join(f"the answer {i},it is {i},{i % 2}\n" for i in range(30))
    found = hs.tally(folder("llm.csv", f"expected,output,passed\n{rows}"))
    assert found.notes[0].text == "using column 'passed' as the outcome"


def test_numbers_beyond_any_double_do_not_break_a_list(folder, capsys) -> None:
    """A refusal stays one, whatever the columns hold."""
    path = folder("x.csv", f"label,p\nspam,1{'0' * 280}\nham,0.5\nham,\n")
    assert _said(capsys, "curve", path)[0] == 2
    (folder("x.jsonl", '{"label": "spam", "p": 1' + "0" * 400 + '}\n{"label": "ham", "p": 0.5}\n'))
    assert _said(capsys, "curve", "x.jsonl")[0] == 2
    doubled = folder("d.csv", "a,a\n1,1\n")
    assert "Columns:\n  2, all named more than once\n" in _said(capsys, "score", doubled)[2]


# -- what a newcomer met


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        (("--where", "label=spam"), "using column 'label' as the true label and column 'answer' as the prediction"),
        (("--by", "label"), "using column 'label' as the true label and column 'answer' as the prediction"),
        (
            ("--where", "answer!=eggs", "--by", "label"),
            "using column 'label' as the true label and column 'answer' as the prediction",
        ),
    ],
)
def test_columns_of_conditions_and_slices_come_back_where_nothing_else_is_there(folder, capsys, more, taken) -> None:
    """The truth may be what rows are chosen by."""
    path = folder("one.csv", SPAM)
    code, out, err = _said(capsys, "score", path, *more)
    assert (code, err) == (0, "")
    assert taken in out


def test_no_column_is_suggested_for_two_roles(folder, capsys) -> None:
    """One column of classes leaves the other to the reader."""
    err = _said(capsys, "score", folder("x.csv", "id,pred\n1,a\n2,b\n3,a\n4,b\n"))[2]
    assert "usual name for the truth" in err
    assert err.endswith("howsure score x.csv --truth COLUMN --pred pred\n")


def _rows(head: str, *rows: str, times: int = 6) -> str:
    """A file whose rows repeat, with an id before each."""
    body = "".join(f"{i},{row}\n" for i, row in enumerate(rows * times))
    return f"id,{head}\n{body}"


@pytest.mark.parametrize(
    ("verb", "text", "said", "command"),
    [
        ("compare", _rows("gpt,lla", "1,2", "3,3", "5,4", "2,5", "4,1"), "have usual names", "--value gpt --value lla"),
        ("compare", _rows("ok_a,ok_b", "1,0", "0,0", "1,1"), "have usual names", "--outcome ok_a --outcome ok_b"),
        ("score", _rows("labels,pred", "a;b,a", "b,b;c", "c,a;b;c", "b;c,c"), "name for the truth, such as label",
         "--truth labels --pred pred --sep ';'"),
        ("score", _rows("passed", "yes", "no", "maybe", "yes"), "'passed' of 'x.csv' holds 'maybe', 'no', 'yes'",
         "--outcome passed --where 'passed!=maybe'"),
    ],
)  # fmt: skip
def test_the_command_that_is_shown_works(folder, capsys, verb, text, said, command) -> None:
    """Grades are no classes, cells of several labels need their sign, and other values than passes are named."""
    path = folder("x.csv", text)
    code, _, err = _said(capsys, verb, path)
    assert code == 2
    assert said in err
    assert err.endswith(f"howsure {verb} x.csv {command}\n")
    assert _said(capsys, verb, path, *shlex.split(command))[0] == 0


def test_a_condition_may_leave_out_what_is_no_outcome(folder, capsys) -> None:
    """Then the usual name is enough."""
    path = folder("x.csv", _rows("passed", "yes", "no", "maybe", "yes"))
    code, out, _ = _said(capsys, "score", path, "--where", "passed!=maybe")
    assert code == 0
    assert "using column 'passed' as the outcome" in out


def test_the_file_that_lacks_a_column_is_named(folder, capsys) -> None:
    """Whichever comes first; the command names the column of each file, and works."""
    folder("one.csv", SPAM)
    folder("two.csv", SPAM.replace("answer", "guess"))
    for files, columns in ((("one.csv", "two.csv"), "answer guess"), (("two.csv", "one.csv"), "guess answer")):
        err = _said(capsys, "score", *files)[2]
        assert "no column of 'two.csv' has a usual name for predictions" in err
        assert "  guess  text" in err
        first, second = columns.split()
        command = f"score {' '.join(files)} --truth label --pred {first} --pred {second}"
        assert err.endswith(f"howsure {command}\n")
        assert _said(capsys, *shlex.split(command))[0] == 0


def test_a_file_that_is_given_twice_is_said_to_be(folder, capsys) -> None:
    """Not to differ in digits only, however it is written."""
    folder("a.csv", SPAM)
    for other in ("a.csv", "./a.csv"):
        code, _, err = _said(capsys, "compare", "a.csv", other)
        assert code == 2
        assert "the same file is given twice, a.csv" in err


def test_a_column_that_repeats_in_every_file_is_named_as_a_cluster(folder, capsys) -> None:
    """Five samples a question and no id; without such a column the way is named alone."""
    rows = [{"question": f"q{i // 5}", "sample": i % 5, "passed": i % 3 == 0} for i in range(60)]
    for name in "ab":
        folder(f"{name}.jsonl", "".join(json.dumps(x) + "\n" for x in rows))
    assert "give --cluster question if" in _said(capsys, "compare", "a.jsonl", "b.jsonl")[2]
    assert _said(capsys, "compare", "a.jsonl", "b.jsonl", "--cluster", "question")[0] == 0
    for name in "ab":
        folder(f"{name}.jsonl", "".join(json.dumps({"passed": x["passed"]}) + "\n" for x in rows))
    assert "give --cluster COLUMN if" in _said(capsys, "compare", "a.jsonl", "b.jsonl")[2]


def test_names_with_control_characters_are_aligned_and_not_suggested(folder, capsys) -> None:
    """A line that nobody can type helps nobody."""
    path = folder("x.csv", _rows("y\x1b[1m,z\x07,other", "a,a,q", "b,a,q"))
    err = _said(capsys, "score", path)[2]
    lines = [line for line in err.splitlines() if line.startswith("  ")]
    assert len({line.index(kind) for line in lines[:-1] for kind in ("text", "whole") if kind in line}) == 1
    assert err.endswith("howsure score x.csv --truth COLUMN --pred COLUMN\n")


@pytest.mark.parametrize("name", ["truth", "sep"])
def test_what_is_no_name_is_refused_before_anything_is_guessed(name) -> None:
    """A list in place of a name has no trace."""
    with pytest.raises(BadSetting, match=f"{name}= must be .*; got list"):
        hs.score(pl.DataFrame({"y": [1, 2], "z": [1, 1]}), **{name: ["y"]})


class _Counted(str):
    """A name that counts how often any of its kind is held against another."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        _Counted.compared += 1
        return str.__eq__(self, other)


class _Wide:
    """A source of so many columns."""

    called = "'wide.csv'"

    def __init__(self, columns):
        self.names = [_Counted(x) for x in ("label", "model", *(f"c{i}" for i in range(columns)))]

    def heading(self):
        return list(self.names)

    def first(self, columns, rows):
        return {str(x): ["1", "0"] for x in columns}


def test_work_grows_with_columns_and_not_with_their_square():
    """Each of thousands of names is looked at a few times, whether the columns are listed or looked for."""
    _Counted.compared, source = 0, _Wide(3_000)
    head = roles.head_of(source)
    assert "label" in head.values
    with pytest.raises(BadSetting, match="no column of"):
        roles.completed({"truth": "label"}, ("pred",), [source], Wanted())
    with pytest.raises(BadSetting, match="no column of"):
        roles.completed({"truth": "label"}, ("pred",), [source, _Wide(3_000)], Wanted())
    assert _Counted.compared < 60 * 3_000
