"""Files without a verb: one is scored, two are compared, more are ranked; a verb beats a file of its name."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.logs.harness_logs import LOGS

FILES = [LOGS / "inspect-json" / x for x in ("base", "tuned")]


@pytest.mark.parametrize(("many", "verb"), [(1, "score"), (2, "compare")])
def test_the_number_of_files_is_the_verb(command, many, verb):
    """The answer is that of the verb."""
    code, out, _ = command(*FILES[:many], "--format", "json")
    assert code == 0
    assert json.loads(out)["schema"] == f"howsure.{verb}/1"
    assert command(verb, *FILES[:many], "--format", "json")[1] == out


def test_three_files_are_a_leaderboard(command, tmp_path):
    """The third is a copy, so that its model is not new and the paths tell the systems."""
    third = shutil.copytree(FILES[0], tmp_path / "third")
    code, out, _ = command(*FILES, third, "--format", "json")
    assert code == 0
    assert {x["system"] for x in json.loads(out)["rows"]} == {"base", "tuned", "third"}


def test_a_verb_beats_a_file_of_its_name(command, tmp_path, monkeypatch):
    """`score` is the verb, `./score` is the file; a word that is neither is a verb, spelled wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "score").write_text("passed\n1\n0\n1\n")
    assert "give a FILE" in command("score")[2]
    assert command("./score")[1] == command("score", "score")[1] != ""
    code, _, err = command("scroe", "x.csv")
    assert code == 2
    assert "'score'" in err
    assert "No such file" in command("nothere.csv")[2]
