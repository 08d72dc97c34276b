"""Slips on the command line: one sentence, exit code 2, and what to type instead."""

from __future__ import annotations

import json

import pytest

from howsure.cli import app

TABLE = ["score", "--counts", "8,2,3,9"]
SLIPS = {
    "command": (["scor"], "Did you mean 'score'?"),
    "option": ([*TABLE, "--levle", ".9"], "no option named '--levle'. Did you mean --level? See: howsure score --help"),
    "metric": ([*TABLE, "--metric", "presision"], "Did you mean 'precision'?"),
    "f of eleven": ([*TABLE, "--metric", "f11"], "Did you mean 'f1'?"),
    "level": ([*TABLE, "--level", "95"], "between 0 and 1, such as 0.95; got 95.0. Did you mean 0.95?"),
    "level of a word": ([*TABLE, "--level", "high"], "--level needs a share, such as 0.95 or 95%; got 'high'"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_one_sentence_that_says_what_to_type(name, capsys):
    """On standard error, with nothing on standard output."""
    arguments, words = SLIPS[name]
    assert app.run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_a_level_may_be_a_percentage(capsys):
    """95% is 0.95."""
    assert app.run([*TABLE, "--level", "90%", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["level"] == 0.9
