"""`howsure gate`: exit codes, baselines, options from files, refusals; and howsure.testing.require."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.testing import require
from tests.refusals import one_sentence

TABLE = ["--counts", "80,20,30,870"]
FILE = ["new.csv", "--truth", "y", "--pred", "z"]
T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lines(name: str, answers: list[int], first: int = 0, region: str = "ns") -> str:
    rows = [f"{first + i},{i % 2},{x},{region[i % len(region)]}" for i, x in enumerate(answers)]
    Path(name).write_text("\n".join(["id,y,z,region", *rows]) + "\n", encoding="utf-8")
    return name


def new() -> str:
    return lines("new.csv", [int(i % 2 == 1 or i % 9 == 0) for i in range(90)])


def old() -> str:
    return lines("old.csv", [int(i % 2 == 1 or i % 4 == 0) for i in range(90)])


def asked(*words: str) -> list[str]:
    return [x for word in words for x in ("--require", word)]


def found(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = run(["gate", *words, "--format", "json"])
    out, err = capsys.readouterr()
    assert err == ""
    return code, json.loads(out)


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["gate", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert one_sentence(err)
    return err


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["f1 > 0.6"], 0, "pass"),
        (["f1 > 0.6", "recall > 0.95"], 1, "fail"),
        (["f1 > 0.77", "recall > 0.95"], 1, "fail"),
        (["f1 > 0.6", "f1 > 0.77"], 3, "inconclusive"),
    ],
)
def test_exit_codes(words, code, status, capsys):
    """0 pass, 1 fail, 3 inconclusive; the document is that of Python."""
    got, document = found(capsys, *TABLE, *asked(*words))
    assert (got, document["status"]) == (code, status)
    assert document["rows"] == hs.gate(T, words).to_dict()["rows"]


@pytest.mark.parametrize("kind", ["table", "markdown", "csv", "html", "latex"])
def test_the_code_does_not_depend_on_the_format(kind, capsys, tmp_path):
    """Nor on whether the output goes to a file."""
    words = ["gate", *TABLE, *asked("f1 > 0.77"), "--format", kind]
    assert run(words) == 3
    assert "inconclusive" in capsys.readouterr().out
    assert run([*words, "--out", str(tmp_path / "out")]) == 3


def test_a_reader_that_goes_away_leaves_the_answer(monkeypatch, capsys):
    """`| head` must not turn a fail into a pass."""

    def gone(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("howsure.cli.output.write", gone)
    assert run(["gate", *TABLE, *asked("f1 > 0.95")]) == 1
    assert capsys.readouterr().err == ""


# -- baselines


def test_a_baseline_is_joined_by_ids(capsys):
    """The same as two columns of one file; whatever the order of its rows."""
    new(), old()
    rows = Path("old.csv").read_text().splitlines()
    Path("old.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    columns = ["--truth", "y", "--pred", "z", "--on", "id", "--tolerance", "0.3"]
    code, document = found(
        capsys, "new.csv", "--baseline", "old.csv", *columns, *asked("f1 not worse by 0.01 with 0.9")
    )
    assert code == 0
    assert document["data"]["systems"] == ["new", "old"]
    assert document["data"]["paired"] is True
    both = [x + "," + y.split(",")[2] for x, y in zip(Path("new.csv").read_text().split(), rows, strict=True)]
    Path("both.csv").write_text("\n".join(["id,y,new,region,old", *both[1:]]) + "\n")
    paired = hs.gate("both.csv", "f1 not worse by 0.01 with 0.9", truth="y", pred=["new", "old"], tolerance=0.3)
    assert document["rows"] == paired.to_dict()["rows"]
    joined = hs.gate(
        "new.csv", "f1 not worse by 0.01 with 0.9", baseline="old.csv", truth="y", pred="z", on="id", tolerance=0.3
    )
    assert document["rows"] == joined.to_dict()["rows"]


def test_a_baseline_of_other_items(capsys):
    """--independent takes each file for itself; without shared ids it is refused in one sentence."""
    new(), lines("old.csv", [int(i % 2 == 1 or i % 4 == 0) for i in range(60)], first=1000)
    words = ["new.csv", "--baseline", "old.csv", "--truth", "y", "--pred", "z", *asked("f1 not worse")]
    said = refusal(capsys, *words, "--on", "id")
    assert "No id is in every file" in said
    assert "--independent" in said
    code, document = found(capsys, *words, "--independent")
    assert document["data"]["paired"] is False
    tallies = [hs.tally(x, truth="y", pred="z") for x in ("new.csv", "old.csv")]
    assert document["rows"] == hs.gate(tallies[0], "f1 not worse", baseline=tallies[1]).to_dict()["rows"]
    assert document["rows"][0]["probability"] == pytest.approx(hs.compare(*tallies, metric="f1").p_better, rel=1e-12)
    assert code == {"pass": 0, "fail": 1, "inconclusive": 3}[document["status"]]


def test_slices_of_both_sides(capsys):
    """A slice of the joined items, and of independent ones."""
    new(), old()
    words = ["new.csv", "--baseline", "old.csv", "--truth", "y", "--pred", "z", "--tolerance", "0.3"]
    for more in (["--on", "id"], ["--independent"]):
        _, document = found(capsys, *words, *more, *asked("recall not worse in region=s", "f1 > 0.5"))
        assert [row["n"] for row in document["rows"]] == [45, 90]


OLD = ["--baseline", "old.csv", "--on", "id"]
BASELINES = {
    "that no requirement speaks of": (["--baseline", "old.csv", *asked("f1 > .8")], "--baseline"),
    "that is needed": (asked("f1 not worse"), "needs a baseline"),
    "that is the same file": (["--baseline", "new.csv", *asked("f1 not worse")], "'new.csv'"),
    "that is not there": (["--baseline", "no.csv", "--on", "id", *asked("f1 not worse")], "no.csv"),
    "with pooled files": (["--baseline", "old.csv", "--pool", *asked("f1 not worse")], "--pool"),
    "with several files": (["third.csv", "--baseline", "old.csv", *asked("f1 not worse")], "2 files"),
    "with names of independent files": (
        ["--baseline", "old.csv", "--independent", "--name", "a", "--name", "b", *asked("f1 not worse")], "--name",
    ),
    "of a measure without direction": ([*OLD, *asked("prevalence not worse")], "direction"),
    "by more than can be": ([*OLD, *asked("f1 not worse by 5")], "5%"),
}  # fmt: skip


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_that_are_refused(name, capsys):
    """In one sentence each."""
    new(), old()
    words, said = BASELINES[name]
    assert said in refusal(capsys, *FILE, *words)


REFUSED = {
    "no requirement": (TABLE, "--require"),
    "a requirement that cannot be read": ([*TABLE, *asked("f1 > eighty")], "a number, such as 0.8"),
    "a requirement without quotes": ([*TABLE, *asked("f1 > .8"), "with", "0.9"], "in quotes"),
    "a sign that the shell took": ([*TABLE, *asked("f1")], "in quotes"),
    "an unknown measure": ([*TABLE, *asked("f1x > 0.8")], "'f1x'"),
    "a percentage": ([*TABLE, *asked("f1 > 80")], "80%"),
    "a limit at the end": ([*TABLE, *asked("f1 < 1")], "between 0 and 1"),
    "a slice of counts": ([*TABLE, *asked("f1 > 0.8 in region=north")], "region"),
    "a name of one system": ([*TABLE, "--name", "x", *asked("f1 > 0.8")], "--name"),
    "three systems": ([*FILE, "--pred", "y", "--pred", "region", *asked("f1 > .8")], "3"),
    "two systems for one": ([*FILE, "--pred", "y", *asked("f1 > .8")], "'not worse'"),
    "a slice that is not there": ([*FILE, *asked("f1 > .8 in region=x")], "'n', 's'"),
    "a column that is not there": ([*FILE, *asked("f1 > .8 in regin=n")], "'region'"),
    "a positive class": (
        ["new.csv", "--truth", "region", "--pred", "region", *asked("f1 > .8")], "--positive",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, capsys):
    """In one sentence each, with exit code 2."""
    new()
    words, said = REFUSED[name]
    assert said in refusal(capsys, *words)


# -- options from a file


@pytest.mark.parametrize("name", ["howsure.toml", "pyproject.toml", "ci/other.toml"])
def test_options_from_a_file(name, capsys):
    """All options of the command; files beside the file that names them; a note says where they came from."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    (path.parent / "new.csv").write_text(Path(new()).read_text())
    head = "[tool.howsure]\n" if name == "pyproject.toml" else ""
    path.write_text(
        f'{head}files = "new.csv"\nrequire = ["f1 > 0.6", "accuracy > 0.5 in region=n"]\ntruth = "y"\npred = ["z"]\n'
    )
    words = ["--config", name] if path.parent != Path() else []
    code, document = found(capsys, *words)
    assert code == 0
    assert (
        document["rows"]
        == hs.gate("new.csv", ["f1 > 0.6", "accuracy > 0.5 in region=n"], truth="y", pred="z").to_dict()["rows"]
    )
    told = [n["text"] for n in document["notes"] if n["code"] == "configured"]
    assert told == [f"options were read from {name}"]


def test_what_is_typed_comes_first(capsys):
    """Requirements on the command line replace those of the file; other options of it stay."""
    Path("howsure.toml").write_text(
        'require = ["f1 > 0.99"]\nprior = "uniform"\nlevel = 0.9\ncounts = "80,20,30,870"\n'
    )
    code, document = found(capsys, *asked("f1 > 0.6"), "--level", "0.8")
    assert (code, document["level"], document["prior"]["name"]) == (0, 0.8, "uniform")
    assert [row["requirement"] for row in document["rows"]] == ["f1 > 0.6 with 0.95"]


def test_a_pyproject_of_others_says_nothing(capsys):
    """No [tool.howsure], no note; howsure.toml comes before pyproject.toml."""
    Path("pyproject.toml").write_text('[project]\nname = "x"\n[tool.ruff]\nline-length = 100\n')
    _, document = found(capsys, *TABLE, *asked("f1 > 0.6"))
    assert "configured" not in [n["code"] for n in document["notes"]]
    Path("pyproject.toml").write_text('[tool.howsure]\nrequire = ["f1 > 0.99"]\n')
    Path("howsure.toml").write_text('require = ["f1 > 0.6"]\n')
    assert found(capsys, *TABLE)[0] == 0


FILES = {
    "unknown key": ('requre = ["f1 > 0.6"]', "Did you mean 'require'?"),
    "no TOML": ("require = [", "is not TOML"),
    "a table for a text": ("[truth]\nx = 1", "'truth'"),
    "a truth value for a text": ("positive = true", "a text or a number"),
    "a text for a truth value": ('pool = "yes"', "true or false"),
    "a list for a text": ('truth = ["y", "z"]', "'truth'"),
    "a requirement that cannot be read": ('require = ["f1 above 0.8"]', "f1 above 0.8"),
    "an option of output": ('format = "json"', "'format'"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_refused(name, capsys):
    """In one sentence each."""
    text, said = FILES[name]
    Path("howsure.toml").write_text(text)
    assert said in refusal(capsys, *TABLE, *([] if "require " in text else asked("f1 > 0.6")))


def test_a_file_that_is_named_must_say_something(capsys):
    """--config of a file that is not there, or has no [tool.howsure]."""
    assert "'no.toml'" in refusal(capsys, *TABLE, "--config", "no.toml")
    Path("pyproject.toml").write_text("[tool.ruff]\n")
    assert "[tool.howsure]" in refusal(capsys, *TABLE, "--config", "pyproject.toml")


def test_no_input_is_overwritten(capsys):
    """--out is neither the baseline nor the file of options."""
    new(), old()
    Path("gate.md").write_text("")
    Path("old.csv").rename("old.txt")
    words = [*FILE, "--on", "id", "--baseline", "old.txt", *asked("f1 not worse")]
    assert "'old.txt'" in refusal(capsys, *words, "--out", "old.txt")
    Path("options.md").write_text('require = ["f1 > 0.6"]\n')
    assert "'options.md'" in refusal(capsys, *TABLE, "--config", "options.md", "--out", "options.md")


# -- tests of users


def test_require_returns_the_gate_that_passes():
    """From evidence, a posterior, or a file with its columns."""
    assert require(T, "f1 > 0.6", "recall > 0.5 with 0.9").status == "pass"
    assert require(hs.posterior(T), "f1 > 0.6").rows[0].status == "pass"
    assert require(new(), "f1 > 0.6", truth="y", pred="z").status == "pass"


def left(*asked, **how):
    """How `require` leaves a test; what skips must not skip the test here."""
    with pytest.raises(BaseException, match="f1") as found:  # of any kind
        require(T, *asked, **how)
    return found.value


def test_require_fails_with_the_table():
    """An AssertionError; inconclusive fails too, unless told otherwise."""
    found = left("f1 > 0.95", inconclusive="skip")
    assert isinstance(found, AssertionError)
    assert re.search(r"Fail: 1 failed(?s:.*)f1 > 0\.95", str(found))
    with pytest.raises(AssertionError, match="Inconclusive: 1 undecided"):
        require(T, "f1 > 0.77")


@pytest.mark.parametrize(("way", "outcome"), [("skip", pytest.skip.Exception), ("xfail", pytest.xfail.Exception)])
def test_require_leaves_a_test_that_is_inconclusive(way, outcome):
    """As pytest does; a fail is a fail all the same."""
    with pytest.raises(outcome, match="Inconclusive"):
        require(T, "f1 > 0.77", inconclusive=way)
    found = left("f1 > 0.95", "f1 > 0.77", inconclusive=way)
    assert isinstance(found, AssertionError)
    assert "Fail:" in str(found)


def test_require_without_pytest(monkeypatch):
    """Failing needs no pytest; skipping says that it does."""
    monkeypatch.setitem(__import__("sys").modules, "pytest", None)
    with pytest.raises(AssertionError):
        require(T, "f1 > 0.77")
    with pytest.raises(hs.HowsureError, match="needs pytest"):
        require(T, "f1 > 0.77", inconclusive="skip")


def test_require_knows_three_ways():
    """A fourth is refused, with the nearest."""
    with pytest.raises(hs.HowsureError, match="Did you mean 'skip'"):
        require(T, "f1 > 0.6", inconclusive="skipp")


def test_what_a_file_names_gives_way_to_what_is_typed(capsys):
    """Counts for its files, a requirement without `not worse` for its baseline; options of output are typed."""
    Path("howsure.toml").write_text(f'files = "{new()}"\ntruth = "y"\npred = "z"\nbaseline = "{old()}"\n')
    assert found(capsys, *asked("f1 > 0.5"))[1]["data"]["n"] == 90
    Path("howsure.toml").write_text('files = "new.csv"\nbaseline = "old.csv"\n')
    assert found(capsys, *TABLE, *asked("f1 > 0.5"))[1]["data"]["n"] == 1000
    Path("howsure.toml").write_text('format = "json"\n')
    assert "type --format" in refusal(capsys, *TABLE, *asked("f1 > 0.5"))


def test_require_takes_a_list_and_words_any_case():
    """As hs.gate does."""
    assert require(T, ["f1 > 0.5 WITH 0.9", "recall > 0.5"]).status == "pass"


@pytest.mark.parametrize(
    ("limit", "code", "element"), [(0.6, 0, "system-out"), (0.76, 3, "error"), (0.9, 1, "failure")]
)
def test_junit_and_the_exit_code_say_the_same(capsys, limit, code, element):
    """--out gate.xml and --format junit hold one case, and the code is that of any format."""
    words = ["gate", *TABLE, *asked(f"f1 > {limit}")]
    assert run([*words, "--out", "gate.xml"]) == code
    assert run([*words, "--format", "junit"]) == code
    printed = capsys.readouterr().out
    assert Path("gate.xml").read_text(encoding="utf-8") == printed
    (case,) = ElementTree.fromstring(printed.encode()).iter("testcase")
    assert [x.tag for x in case] == [element]


def test_other_commands_have_no_junit(capsys):
    """A score refuses the suffix and the name, and writes nothing."""
    for words in (["--out", "x.xml"], ["--format", "junit"]):
        assert run(["score", *TABLE, *words]) == 2
        assert one_sentence(capsys.readouterr().err)
    assert not Path("x.xml").exists()
