"""Logs of Inspect are read as they are: scorers, epochs as clusters, errored samples as bounds, runs that were cut."""

from __future__ import annotations

import json
import zipfile

import pytest

import howsure as hs
from howsure.errors import BadFile, BadSetting
from howsure.io.logs.packed import archive, member
from tests.logs.harness_logs import BETTER, LOGS, QUIZ

SCORERS = ("match", "grader", "closeness", "checks.right", "checks.length")
LOG = next(QUIZ.glob("*.eval"))


def reported(path):
    """What Inspect itself says, by scorer."""
    with archive(path) as found:
        scores = json.loads(member(found, "header.json"))["results"]["scores"]
    names = [x["name"] if x["name"] == x["scorer"] else f"{x['scorer']}.{x['name']}" for x in scores]
    return {name: next(iter(x["metrics"].values()))["value"] for name, x in zip(names, scores, strict=True)}


@pytest.mark.parametrize("scorer", SCORERS)
def test_the_mean_over_questions_is_what_inspect_reports(scorer):
    """From the same samples: Inspect averages over questions, howsure over samples, and quotes Inspect."""
    report = hs.score(LOG, scorer=scorer)
    assert report.to_dict()["rows"][0]["n"] == 35
    assert f"Inspect itself reports {reported(LOG)[scorer]:.3f}" in str(report)


def test_a_choice_of_scorers_is_asked_for_with_a_line_to_type(command):
    """All five are listed; dicts have one for each key."""
    code, _, err = command(LOG)
    assert code == 2
    assert all(repr(x) in err for x in SCORERS)
    code, out, _ = command(*err.strip().splitlines()[-1].split()[1:])
    assert code == 0
    assert "hits 9, misses 26" in out


def test_epochs_are_clusters_and_lost_samples_are_bounds():
    """12 questions in three epochs, one sample errored: 9 of 35, between 9 and 10 of 36."""
    report = hs.score(QUIZ, scorer="match")
    assert "rate 0.257 (0.250 if the 1 lost sample fails, 0.278 if it passes)" in str(report)
    row = report.to_dict()["rows"][0]
    assert row["score"] == pytest.approx(9 / 35)
    assert row["high"] - row["low"] > 0.4  # as of 12 questions, not of 35 samples


def test_two_runs_are_compared_over_the_same_questions():
    """A file each, with the names of their models."""
    c = hs.compare(str(QUIZ), str(BETTER), scorer="match")
    row = c.to_dict()["rows"][0]
    assert [row[x]["system"] for x in ("first", "second")] == ["mockllm/base", "mockllm/tuned"]
    assert c.p_better < 0.01
    assert row["second"]["score"] == pytest.approx(32 / 35)


def test_metadata_are_columns_for_slices_and_conditions():
    """By topic with the epochs as clusters, or one topic; what Inspect says of all is not quoted for a part."""
    sliced = hs.score(QUIZ, scorer="match", by="topic").to_dict()["rows"]
    assert {x["slice"]["topic"]: x["n"] for x in sliced if x["slice"]} == {"law": 12, "arithmetic": 12, "geography": 11}
    one = hs.score(QUIZ, scorer="match", where="topic=law").to_dict()
    assert one["rows"][0]["n"] == 12
    assert "log-reported" not in [x["code"] for x in one["notes"]]


def test_letters_are_grades_with_bounds():
    """P is half, I and N are nothing, as in Inspect's accuracy."""
    text = str(hs.score(QUIZ, scorer="grader"))
    assert "mean grader 0.314 (0.306 if the lost value is 0, 0.333 if 1)" in text
    both = str(hs.compare(str(QUIZ), str(BETTER), scorer="grader"))
    assert "mean grader of mockllm/base 0.314 (" in both
    assert "mean grader of mockllm/tuned " in both


def test_json_logs_are_read_without_a_question():
    """One scorer, one epoch: pass or fail, paired by sample."""
    folders = [LOGS / "inspect-json" / x for x in ("base", "tuned")]
    row = hs.compare(*map(str, folders)).to_dict()["rows"][0]
    assert (row["paired"], row["first"]["score"], row["second"]["n"]) == (True, 0.5, 6)


def test_a_cancelled_run_is_read_and_says_what_is_missing():
    """10 of 36 samples were written; the bounds are of all 36."""
    text = str(hs.score(LOGS / "inspect-cancelled", scorer="match"))
    assert "the run ended as 'cancelled': 26 of 36 samples are not in the log" in text
    assert "rate 0.300 (0.083 if the 26 lost samples all fail, 0.806 if all pass)" in text


def rewritten(path, target, keep):
    """The archive with some of its members, packed as they were."""
    with zipfile.ZipFile(path) as old, archive(path) as found, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if keep(name):
                new.writestr(name, member(found, name))
    return target


def test_a_run_that_was_killed_is_read_from_its_journal(tmp_path):
    """Without header and summaries there are the start of the journal and the summaries written so far."""
    killed = rewritten(
        LOG, tmp_path / "killed.eval", lambda x: x.startswith("_journal") and x != "_journal/summaries/4.json"
    )
    text = str(hs.score(killed, scorer="match"))
    assert "the run ended as 'started': 6 of 36 samples are not in the log" in text


def test_damaged_archives_are_refused(tmp_path):
    """Without its directory, with a member cut, and without what tells the task: one sentence each."""
    data = LOG.read_bytes()
    cases = {"cut.eval": data[: len(data) // 2], "empty.eval": b"", "text.eval": b"not a zip"}
    for name, content in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(BadFile, match="damaged or half-written log"):
            hs.score(path, scorer="match")
    with pytest.raises(BadFile, match="neither a header"):
        hs.score(rewritten(LOG, tmp_path / "x.eval", lambda x: x == "summaries.json"), scorer="match")


def test_a_member_that_claims_less_than_it_holds_is_refused(tmp_path):
    """A few bytes that unpack to gigabytes: the size is checked before they are unpacked."""
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("header.json", "{}")
    raw = bytearray(path.read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = (0x7FFFFFFF).to_bytes(4, "little")
    path.write_bytes(bytes(raw))
    with pytest.raises(BadFile, match="larger than 1,024 MB"):
        hs.score(path)


def test_what_is_no_log_and_columns_of_logs_are_refused():
    """A log names its own columns, and other files have no scorer."""
    with pytest.raises(BadSetting, match="logs have no columns to name: leave out outcome="):
        hs.score(LOG, outcome="match")
    with pytest.raises(BadSetting, match="scorer= is for logs of evaluation harnesses"):
        hs.score(LOGS.parent / "wine.csv", truth="truth", pred="tree", scorer="match")
    with pytest.raises(BadSetting, match="is no log, and the others are logs of Inspect"):
        hs.compare(str(LOG), str(LOGS.parent / "wine.csv"), scorer="match")
