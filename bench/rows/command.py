"""The command: whole processes from start to end, for the questions that users put to a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.registry import Row, Run, Under, group
from bench.rows.core import command, importing
from bench.timing import commands, race

DATA: Final = str(Path(__file__).parents[2] / "examples" / "breast_cancer.csv")
TWO: Final = ("--pred", "logistic", "--pred", "tree", "--positive", "malignant")
LINES: Final = {  # and the seconds that they may take
    "howsure --help": (("--help",), 0.5),
    "howsure score FILE": (("score", DATA, "--pred", "logistic", "--positive", "malignant"), 1.0),
    "howsure compare FILE, F1 of two systems": (("compare", DATA, *TWO, "--metric", "f1"), 1.0),
    "howsure leaderboard FILE, F1 of three systems": (
        ("leaderboard", DATA, *TWO, "--pred", "naive_bayes", "--metric", "f1"), 1.5,
    ),
    "howsure gate FILE, a requirement": (
        ("gate", DATA, "--require", "f1 > 0.9", "--pred", "logistic", "--positive", "malignant"), 1.0,
    ),
}  # fmt: skip


@group(
    "command",
    "The command on the example of 569 items, as a whole process",
    "The peer is what every such process needs first; it makes runs on different machines comparable.",
)
def command_lines(run: Run) -> Iterator[Row]:
    special = "import numpy, scipy.special"
    lines = {f"ours, {what}": [*command(), *words] for what, (words, _) in LINES.items()}
    run.say("command: fresh processes")
    with tempfile.TemporaryDirectory() as folder:
        laps = race(commands({**lines, special: importing(special)}, folder), run.rules(rounds=7, seconds=1e9))
    for what, (_, most) in LINES.items():
        yield Row(what, laps[f"ours, {what}"], special, laps[special], Under(most))
