"""JUnit of gates: a case for each requirement, failures and errors counted, whatever texts of users hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import howsure as hs
from howsure.results.result import Document

T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
GATE = hs.gate(T, ["f1 > 0.6", "f1 > 0.76", "recall > 0.9"])


def cases(text):
    """The suite of a text, and its cases."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    (suite,) = root
    return suite, suite.findall("testcase")


def test_every_requirement_is_a_case():
    """A pass has no other element than what it says, a fail is a failure, and what is inconclusive an error."""
    suite, found = cases(GATE.to_junit())
    counted = {"name": "howsure gate", "tests": "3", "failures": "1", "errors": "1", "skipped": "0", "time": "0"}
    assert suite.attrib == counted
    assert [x.get("name") for x in found] == [str(row.requirement) for row in GATE.rows]
    assert [[y.tag for y in x] for x in found] == [["system-out"], ["error"], ["failure"]]
    assert suite.find("system-out").text.startswith("Fail: 1 failed, 1 passed, 1 undecided\n")


def test_messages_tell_what_the_table_does():
    """P and what is needed, the score, the interval, and how many more items would settle it."""
    _, (passed, left, failed) = cases(GATE.to_junit())
    assert failed[0].attrib["type"] == "fail"
    assert failed[0].get("message").endswith(", 0.95 is needed; score 0.727, 95% interval [0.639, 0.804]")
    assert left[0].attrib["type"] == "inconclusive"
    assert [x[0].text for x in (left, failed)] == [x[0].get("message") for x in (left, failed)]
    assert left[0].get("message").endswith(" more items would likely settle it")
    assert passed[0].text.startswith("P(it holds) = ")
    shown = str(GATE).replace(" ", "")
    for said in (failed[0].get("message"), left[0].get("message"), passed[0].text):
        assert said.split(",")[0].removeprefix("P(it holds) = ").replace(" ", "") in shown


def test_a_difference_is_called_so():
    """Against a baseline score and interval are of the difference."""
    _, (case,) = cases(hs.gate(T, ["f1 not worse by 0.2"], baseline=T).to_junit())
    assert "score of the difference 0" in case[0].text


@pytest.mark.parametrize("label", ["<b>&\"'", "]]>x", "a\x00\x1b[31m\nb", "\ud800", "\ufffe", "\u202e", "日本"])
def test_texts_of_users_stay_texts(label):
    """Labels with marks, control characters and half characters are XML that can be read, and written to a file."""
    t = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", label])
    text = hs.gate(t, [f"f1:{label} > 0.6"]).to_junit()
    _, (case,) = cases(text.encode())
    assert case.get("name").startswith("f1:")
    assert len(case) == 1


def test_other_letters_are_references():
    """So the text is right in whatever encoding it is written."""
    text = hs.gate(hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "é"]), ["f1:é > 0.6"]).to_junit()
    assert text.isascii()
    assert cases(text)[1][0].get("name").startswith("f1:é ")


def test_files_and_documents(tmp_path):
    """.xml is JUnit of a gate, and of a document that was made earlier."""
    GATE.save(tmp_path / "gate.xml")
    assert (tmp_path / "gate.xml").read_text(encoding="utf-8") == GATE.to_junit()
    Document(GATE.to_dict()).save(tmp_path / "again.xml")
    assert (tmp_path / "again.xml").read_bytes() == (tmp_path / "gate.xml").read_bytes()
