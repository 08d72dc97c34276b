"""Results of promptfoo, Every Eval Ever and JUnit XML are read as they are."""

from __future__ import annotations

import json
import shutil

import pytest

import howsure as hs
from howsure.errors import BadFile, BadSetting
from tests.logs.harness_logs import BASE, LOGS, results

PROMPTS, JUNIT, EVERY = LOGS / "promptfoo", LOGS / "junit", LOGS / "every_eval_ever"


def rows(report):
    """The rows of a report by system."""
    return {x["system"]: x for x in report.to_dict()["rows"]}


@pytest.mark.parametrize("name", ["results.json", "results.jsonl", "."])
def test_promptfoo_has_providers_as_systems_and_repeats_as_clusters(name):
    """The counts are promptfoo's own; an error is neither a pass nor a failure, and the tests are clusters of two."""
    report = hs.score(PROMPTS / name)
    found = rows(report)
    for prompt in json.loads((PROMPTS / "results.json").read_text())["results"]["prompts"]:
        counts = prompt["metrics"]
        judged = counts["testPassCount"] + counts["testFailCount"]
        row = found[prompt["provider"]]
        assert (row["n"], row["score"]) == (judged, pytest.approx(counts["testPassCount"] / judged))
    assert "rate of base 0.421 (0.400 if the 1 lost sample fails, 0.450 if it passes)" in str(report)
    assert "in 10 clusters" in str(report)


def test_promptfoo_quotes_the_rate_that_counts_errors_as_failures(command):
    """8 of 20, which is the lower bound."""
    code, out, _ = command("compare", PROMPTS / "results.json")
    assert code == 0
    assert "promptfoo itself reports 0.400 for base: it counts errors as failures" in out


def test_promptfoo_facts_are_columns():
    """Metadata of a test, and its short variables."""
    assert {x["n"] for x in rows(hs.score(PROMPTS / "results.json", where="size=large")).values()} == {10}


def test_junit_files_of_a_folder_are_repeats():
    """Three runs of 24 tests; errors are lost, skipped tests are left out, and two folders are two systems."""
    report = hs.score(JUNIT / "base")
    assert "rate 0.690 (0.681 if the 1 lost sample fails, 0.694 if it passes)" in str(report)
    assert "3 skipped samples were left out" in str(report)
    assert report.to_dict()["rows"][0]["n"] == 71
    c = hs.compare(str(JUNIT / "base"), str(JUNIT / "tuned"))
    assert "tuned is better than base" in c.verdict
    assert set(rows(hs.score(JUNIT))) == {"base", "tuned"}


def test_two_junit_files_are_two_systems():
    """Old and new, on the same tests."""
    row = hs.compare(*(str(JUNIT / x / "run-1.xml") for x in ("base", "tuned"))).to_dict()["rows"][0]
    assert (row["paired"], row["first"]["n"]) == (True, 24)


BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{0}"><!ENTITY b "{1}">]><testsuite name="&b;"></testsuite>'


def test_xml_that_declares_entities_is_refused(tmp_path):
    """No entity is unpacked, inner or outer; a cut file says in which line."""
    for name, text in {
        "bomb.xml": BOMB.format("lol" * 100, "&a;" * 100),
        "outer.xml": '<!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuite name="&b;"></testsuite>',
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(BadFile, match="declares a document type"):
            hs.score(tmp_path / name)
    whole = (JUNIT / "base" / "run-1.xml").read_bytes()
    (tmp_path / "cut.xml").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadFile, match="its XML ends or breaks in line"):
        hs.score(tmp_path / "cut.xml")


def test_every_eval_ever_has_the_scores_that_it_states():
    """From lm_eval's own runs, so the numbers are those of lm_eval; each result is a scorer to choose."""
    with pytest.raises(BadSetting, match="2 scorers: 'exact_match:strict-match', 'exact_match:flexible-extract'"):
        hs.score(EVERY)
    for filtered in ("strict-match", "flexible-extract"):
        report = hs.score(EVERY, scorer=f"exact_match:{filtered}", by="task").to_dict()
        ours = {x["slice"]["task"]: x["score"] for x in report["rows"] if x["system"] == "demo/base" and x["slice"]}
        theirs = {x: results(BASE)[x][f"exact_match,{filtered}"] for x in ("differences", "products")}
        assert ours == pytest.approx(theirs)


def test_a_description_without_samples_is_refused(tmp_path):
    """The scores alone have no items to resample."""
    about = next(EVERY.rglob("*[!s].json"))
    with pytest.raises(BadFile, match="no samples beside it"):
        hs.score(shutil.copy(about, tmp_path / about.name))


def test_damaged_json_is_refused(tmp_path):
    """A cut document, and one without results."""
    whole = (PROMPTS / "results.json").read_text()
    for text, why in ((whole[:-2000], "does not end as it should"), ('{"evalId": "x", "results": {}}', "no results")):
        (tmp_path / "results.json").write_text(text)
        with pytest.raises(BadFile, match=why):
            hs.score(tmp_path / "results.json")
