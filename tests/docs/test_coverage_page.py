"""The page of coverage and the data file of measured coverage say the same, and a study writes its part of both."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import coverage_data as data
from bench import coverage_page as page
from bench.coverage_cases import ALL, Case
from bench.coverage_data import Row, Study, Table
from bench.coverage_page import PAGE
from bench.coverage_tables import ANY, Results, classes_study
from howsure.messages.coverage import held

ROOT = Path(__file__).parents[2]
DOCUMENT = data.read()
STUDIES = {name: data.study(DOCUMENT, name) for name in DOCUMENT["studies"]}
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")


# -- the tables ------------------------------------------------------------------------------------


def test_the_file_has_its_form() -> None:
    """The packaged file keeps the form that bench/coverage_data.py tells, and is as that module writes it."""
    assert data.faults(DOCUMENT) == []
    assert (ROOT / data.DATA).read_text(encoding="utf-8") == data.text(DOCUMENT) + "\n"


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_shows_the_file(name: str) -> None:
    """The section of a study is what its figures give; when they drift apart, its script writes both again."""
    assert page.shown(TEXT, name, STUDIES[name].by) == page.section(name, STUDIES[name])
    assert (ROOT / STUDIES[name].by).exists()


def test_every_section_has_a_study() -> None:
    """Nothing between marks is typed by hand."""
    assert sorted(re.findall(r"<!-- (\S+): written by", TEXT)) == sorted(STUDIES)


def rows(text: str) -> list[list[str]]:
    """The cells of a Markdown table, without its rule."""
    found = [[x.strip() for x in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")]
    return [found[0], *found[2:]]


def percents(cell: str) -> tuple[int, ...]:
    """'.467 to 1' as (46, 100), from its digits."""
    return tuple(100 if x == "1" else int(f"{x:<04}"[1:3]) for x in cell.split(" to "))


def test_notes_quote_the_table_of_warnings() -> None:
    """What a note says of a reason and a measure stands in the table, read here by its digits."""
    section = TEXT.partition("### Warnings")[2].partition("\n\n")[2].partition("\n\n")[0]
    head, *body = rows(section)
    shown = {line[0].partition(":")[0]: dict(zip(head[1:], line[1:], strict=True)) for line in body}
    quoted = 0
    for why in ("many", "rare", "never"):
        for measure, cell in shown[why].items():
            crowd = measure == "weighted-f1" and why == "many"
            told = held("classes", why, measure)
            assert told in (None, percents(shown["many, 100 classes or more"][measure] if crowd else cell))
            quoted += told is not None
    assert quoted == sum(len(x["held"]) for x in STUDIES["classes"].summary.values())


@pytest.mark.parametrize(
    ("why", "measure", "column", "leave_out"),
    [
        ("best-of", "max-f1", "max-f1, even", ("3.5",)),
        ("chosen", "f1", "F1 where chosen, even", ()),
        ("corrected", "f1", "F1 where chosen, corrected", ()),
    ],
)
def test_notes_quote_the_table_of_scores(why: str, measure: str, column: str, leave_out: tuple[str, ...]) -> None:
    """Ranges of scores are those of a column, for the best threshold without the nearly perfect order."""
    head, *body = rows(page.shown(TEXT, "scores", STUDIES["scores"].by))
    found = [line[head.index(column)] for line in body if line[0] not in leave_out]
    assert held("scores", why, measure) == percents(f"{min(found)} to {max(found)}")
    assert STUDIES["scores"].summary[why]["held"][measure]["cases"] == len(found)


def test_quoted_ranges_of_queries_are_those_of_the_table() -> None:
    """Means below 0.1 and others, with the prior."""
    head, *body = rows(page.shown(TEXT, "queries", STUDIES["queries"].by))
    at = head.index("even: coverage")
    for why, low in (("low-mean", True), ("other-means", False)):
        found = [line[at] for line in body if (float(line[0]) < 0.1) == low]
        assert held("queries", why, "mean") == percents(f"{min(found)} to {max(found)}")


# -- writing ---------------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the data file and the page."""
    for path in (data.DATA, page.PAGE):
        (tmp_path / path).parent.mkdir(parents=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


MADE = Study(
    "bench/coverage_scores.py",
    "made up",
    {"scores": Table(["coverage"], [Row({"apart": 1}, "even", [10], {"auc": [0.7]})])},
    {"best-of": {"reason": "why not", "held": {"auc": {"lowest": 0.7, "highest": 0.7, "cases": 1}}}},
)


def test_a_study_writes_its_part_only(copy: Path) -> None:
    """Its entry of the file and its section of the page change, and nothing else."""
    page.publish(copy, "scores", MADE, full=False)
    new = data.read(copy)
    assert data.study(new, "scores") == MADE
    assert {k: x for k, x in new["studies"].items() if k != "scores"} == {
        k: x for k, x in DOCUMENT["studies"].items() if k != "scores"
    }
    text = (copy / PAGE).read_text(encoding="utf-8")
    table, tests = page.shown(text, "scores", MADE.by).split("\n\n")
    assert rows(table) == [["apart", "auc"], ["1", ".700"]]
    assert tests == "10 tests a case: a figure near .95 has a standard error of .069."
    assert text.replace(page.section("scores", MADE), page.section("scores", STUDIES["scores"])) == TEXT


def test_a_short_run_leaves_the_project_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a copy to write into, a run that is not in full only prints."""
    page.publish(ROOT, "scores", MADE, full=False)
    assert "nothing is written" in capsys.readouterr().err
    assert data.read() == DOCUMENT
    assert (ROOT / PAGE).read_text(encoding="utf-8") == TEXT


def test_a_new_study_needs_no_layout_of_its_own(copy: Path) -> None:
    """A study of another name is shown table by table, once the page has its marks."""
    found = [Row({"size": n}, m, [100], {"f1": [0.9, 0.1]}) for n in (5, 50) for m in ("even", "none")]
    tables = {"one": Table(["coverage", "width"], found), "two": Table(["coverage"], [])}
    made = Study("bench/other.py", "made up", tables, {})
    with pytest.raises(ValueError, match=r"must have the two lines <!-- other: written by bench/other.py -->"):
        page.publish(copy, "other", made, full=True)
    first, last = page.marks("other", made.by)
    (copy / PAGE).write_text(f"{TEXT}\n{first}\n{last}\n", encoding="utf-8")
    page.publish(copy, "other", made, full=True)
    text = (copy / PAGE).read_text(encoding="utf-8")
    assert text.startswith(TEXT)
    head, *body = rows(page.shown(text, "other", made.by))
    assert head == ["size", "even: coverage", "even: width", "none: coverage", "none: width"]
    assert body == [[size, ".900", ".100", ".900", ".100"] for size in ("5", "50")]
    assert data.study(data.read(copy), "other") == made


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return document  # type: ignore[no-any-return]


def first_row(document: dict[str, Any]) -> dict[str, Any]:
    return document["studies"]["scores"]["tables"]["scores"]["rows"][0]  # type: ignore[no-any-return]


def quoted(document: dict[str, Any]) -> dict[str, Any]:
    return document["studies"]["scores"]["summary"]["best-of"]["held"]["max-f1"]  # type: ignore[no-any-return]


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "schema": (lambda d: d.update(schema="howsure.messages.coverage/2"), "schema"),
    "level": (lambda d: d.pop("level"), "level is None"),
    "studies": (lambda d: d.pop("studies"), "no studies"),
    "source": (lambda d: d["studies"]["scores"].pop("source"), "scores must have by, source, tables, summary"),
    "key": (lambda d: first_row(d).update(more=1), "row 1 must have"),
    "percent": (lambda d: first_row(d)["held"].update(auc=[95.3]), "auc has 95.3 for coverage"),
    "digits": (lambda d: first_row(d)["held"].update(auc=[0.9531]), "0.9531"),
    "cell": (lambda d: first_row(d)["held"].update(auc=[0.9, 0.9]), "for the figures coverage"),
    "tests": (lambda d: first_row(d).update(tests=[]), "no tests"),
    "cases": (lambda d: first_row(d).update(cases=0), "no cases"),
    "range": (lambda d: quoted(d).update(lowest=0.99), "no range of shares"),
    "text": (lambda d: quoted(d).update(lowest="0.9"), "lowest is no float"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_file_is_told(name: str) -> None:
    """Each way to leave the form is found, and said once."""
    change, told = FAULTS[name]
    found = data.faults(broken(change))
    assert len(found) == 1
    assert told in found[0]


def test_a_study_of_the_wrong_form_is_not_written(copy: Path) -> None:
    """What would break the file is refused, and the file stays."""
    wrong = Study(MADE.by, "made up", {"scores": Table(["coverage"], [Row({}, "even", [], {"auc": [0.7]})])}, {})
    with pytest.raises(ValueError, match="no tests"):
        data.write(copy, "scores", wrong)
    assert data.read(copy) == DOCUMENT


# -- the tables of classes -------------------------------------------------------------------------


def kept(case: Case, share: float, warned: str | None) -> dict[str, Any]:
    """A result of one case in which every measure held in the same share of 100 tests."""
    held = {x: {"of": 100.0, "coverage": share} for x in ALL}
    held |= {x: {"of": 100.0 * case.k, "coverage": share} for x in page.PER_CLASS}
    return {"case": vars(case), "methods": {"even": held}, "warned": {warned: 1.0} if warned else {}}


def test_ranges_of_warnings_are_read_off_single_cases() -> None:
    """A case counts for the first of its reasons; weighted averages are quoted from 100 classes on."""
    found = {
        f"grid {i}": kept(Case(k, "zipf", "spread", "same", 0.8, 3), share, why)
        for i, (k, share, why) in enumerate(
            (
                (3, 0.95, None),
                (40, 0.5, "many"),
                (100, 0.7, "many"),
                (120, 0.8, "many"),
                (5, 0.2, "rare"),
                (2, 0.1, "rare"),
            )
        )
    }
    found["grid 5"]["warned"] = {"many": 1.0, "rare": 1.0}
    study = classes_study(Results(found))
    assert set(study.summary) == {"rare", "many"}
    assert study.summary["many"]["held"]["macro-f1"] == {"lowest": 0.5, "highest": 0.8, "cases": 3}
    assert study.summary["many"]["held"]["weighted-f1"] == {"lowest": 0.7, "highest": 0.8, "cases": 2}
    assert study.summary["rare"]["held"]["markedness"] == {"lowest": 0.2, "highest": 0.2, "cases": 1}
    assert "weighted-f1" not in study.summary["rare"]["held"]
    assert study.tables["two classes"].rows[0].tests == [100]
    assert study.tables["outside"].rows[0].held[ANY] == [5, 0]
    assert page.classes(study).startswith("6 cases.")
