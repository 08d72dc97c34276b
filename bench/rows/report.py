"""The report: from a file of predictions to one page with charts, within a process and as a whole one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import howsure as hs
from bench.registry import Row, Run, Under, group
from bench.timing import race

DATA = Path(__file__).parents[2] / "examples" / "breast_cancer.csv"
ASKED = ("score", str(DATA), "--pred", "logistic", "--positive", "malignant", "--by", "size", "--above", "f1=0.9")


def _warm() -> str:
    made = hs.score(DATA, truth="truth", pred="logistic", by="size", positive="malignant", above={"f1": 0.9})
    return made.to_html()


def _process() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-m", "howsure", *ASKED, "--out", str(out)], check=True)
        return out.read_bytes()


@group("report", "The report of the example: seven measures in three slices, with its charts")
def report(run: Run) -> Iterator[Row]:
    laps = race({"warm": _warm, "process": _process}, run.rules(rounds=3, seconds=30))
    if b'role="img"' not in laps["process"].value or 'role="img"' not in laps["warm"].value:
        raise RuntimeError("the report has no chart")
    yield Row("score and to_html, warm", laps["warm"].seconds, target=Under(2))
    yield Row("howsure score --out report.html, a whole process", laps["process"].seconds, target=Under(2))
