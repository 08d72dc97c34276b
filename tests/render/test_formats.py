"""One report in every format, kept as files beside this test (to renew them see snapshot.py)."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import howsure as hs
from howsure.render.formats import TEXTS, render
from tests.render.snapshot import held

HERE = Path(__file__).parent
METRICS = ["precision", "recall", "f2", "fallout", "lr-plus"]


def reports() -> dict[str, hs.Report]:
    counts = {"fp": 0, "fn": 30, "tn": 870}
    return {
        "binary": hs.score(hs.Tally.binary(tp=80, **counts), metrics=METRICS, above={"recall": 0.7, "f2": 0.9}),
        "batch": hs.score(
            hs.Tally.binary(tp=[0, 80], **counts), metrics=["precision", "f1"], interval="hdi", level=0.9
        ),
        "rate": hs.score(hs.Tally.rate(hits=47, of=50), prior="jeffreys"),
    }


REPORTS = reports()


def rounded(text: str) -> str:
    """CSV with six digits, so that a change of the last digits is no change."""

    def six(x: str) -> str:
        try:
            return f"{float(x):.6g}"
        except ValueError:
            return x

    rows = [[six(x) if i else x for i, x in enumerate(row)] for row in csv.reader(io.StringIO(text))]
    head = rows[0]
    loose = {i for i, name in enumerate(head) if name.startswith("error.")}
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [["" if i in loose and k else x for i, x in enumerate(r)] for k, r in enumerate(rows)]
    )
    return out.getvalue()


@pytest.mark.parametrize("kind", ["table", "markdown", "latex", "html", "csv"])
@pytest.mark.parametrize("name", list(REPORTS))
def test_format_is_the_one_that_is_kept(name, kind):
    """The text of a report in each format is the one in the file."""
    text = render(REPORTS[name].to_dict(), kind)
    text = rounded(text) if kind == "csv" else text
    assert text == held(HERE / f"{name}.{kind}.txt", text)


@pytest.mark.parametrize("kind", [form.name for form in TEXTS])
@pytest.mark.parametrize("name", list(REPORTS))
def test_every_format_ends_in_one_newline(name, kind):
    """Outputs can be joined and compared: one newline at the end, no blanks at the end of a line."""
    text = render(REPORTS[name].to_dict(), kind)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("name", list(REPORTS))
def test_json_is_the_document(name):
    """The JSON text holds the document, strictly."""

    def refuse(text):
        raise AssertionError(text)

    document = REPORTS[name].to_dict()
    assert json.loads(render(document, "json"), parse_constant=refuse) == document


def test_text_columns_line_up():
    """Every line of the table has its columns where the rule has them."""
    lines = str(REPORTS["binary"]).splitlines()
    rule = lines[4]
    gaps = [i for i in range(len(rule) - 1) if rule[i : i + 2] == "  "]
    for line in lines[3:10]:
        assert all(line[i : i + 2].strip() == "" for i in gaps)


def test_the_kind_of_interval_is_said():
    """The head of the interval column names level and kind."""
    assert "[90% hdi]" in str(REPORTS["batch"])
    assert "95% interval" in str(REPORTS["binary"])
