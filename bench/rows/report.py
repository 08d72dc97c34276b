"""The report: from a file of predictions to one page with charts, within a process and as a whole one."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import commands, race

DATA = Path(__file__).parents[2] / "examples" / "breast_cancer.csv"
ASKED = ("score", str(DATA), "--pred", "logistic", "--positive", "malignant", "--by", "size", "--above", "f1=0.9")


def _warm() -> str:
    made = hs.score(DATA, truth="truth", pred="logistic", by="size", positive="malignant", above={"f1": 0.9})
    return made.to_html()


@group("report", "The report of the example: seven measures in three slices, with its charts")
def report(run: Run) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        process = commands({"process": [sys.executable, "-m", "howsure", *ASKED, "--out", "report.html"]}, folder)
        laps = race({"warm": _warm, **process}, run.rules(rounds=3, seconds=30))
        written = (Path(folder) / "report.html").read_text(encoding="utf-8")
    if 'role="img"' not in written or 'role="img"' not in laps["warm"].value:
        raise RuntimeError("the report has no chart")
    yield Row("score and to_html, warm", laps["warm"], target=Under(2))
    yield Row("howsure score --out report.html, a whole process", laps["process"], target=Under(2))
