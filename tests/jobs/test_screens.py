"""The command on a terminal and in a pipe: widths, characters and colours."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from tests.jobs import making
from tests.terminals import received

COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
HOWSURE = [sys.executable, "-m", "howsure"]


def on_terminal(words: list[str], folder, columns: int, **environment: str) -> str:
    """What a terminal of that width receives."""
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    set_ = {**inherited, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
    with subprocess.Popen([*HOWSURE, *words], cwd=folder, stdout=theirs, stderr=theirs, env=set_) as process:
        os.close(theirs)
        text = received(own).decode()
    assert process.returncode == 0, text
    return text.replace("\r\n", "\n")


COMPARE = ["compare", "preds.csv", "--truth", "label", "--pred", "new", "--pred", "old", "--positive", "spam"]


@pytest.mark.parametrize("columns", [40, 200])
def test_tables_fit_the_terminal(columns, tmp_path, rng):
    """No line is longer than the screen, no word is broken, and the score and its interval are there."""
    making.write_csv(tmp_path / "preds.csv", making.two_models(rng))
    shown = on_terminal([*COMPARE, "--by", "region", "--tolerance", "0.1"], tmp_path, columns, NO_COLOR="1")
    assert "\x1b[3" not in shown
    lines = COLOURS.sub("", shown).splitlines()
    assert max(map(len, lines)) <= columns
    words = set(re.findall(r"[a-z]+", " ".join(lines)))
    assert {"new", "old", *making.REGIONS} <= words


def test_a_bar_on_the_terminal_only(tmp_path):
    """One scale for all rows; tests/render/test_screens.py has the pipe."""
    words = ["score", "--counts", "tp=80,fp=20,fn=30,tn=870"]
    bars = [line for line in on_terminal(words, tmp_path, 100).splitlines() if "●" in line]
    assert len(bars) == 7


def test_a_pipe_in_and_a_pipe_out(tmp_path, rng):
    """From standard input to a reader that takes one line; and to a program that reads JSON."""
    path = making.write_csv(tmp_path / "preds.csv", making.animals(rng))
    line = f"cat {path.name} | {' '.join(HOWSURE)} score - | head -n 1"
    got = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "500" in got.stdout
    assert not got.stderr
    line = f"cat {path.name} | {' '.join(HOWSURE)} score - --format json"
    got = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(got.stdout)["data"]["n"] == 500
