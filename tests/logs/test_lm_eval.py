"""Folders of lm-evaluation-harness are read as they are, and give the rates that the harness wrote."""

from __future__ import annotations

import json
import shutil

import pytest

import howsure as hs
from howsure.errors import BadFile, BadSetting
from tests.logs.harness_logs import BASE, LOGS, TUNED, results

FILTERS = ("strict-match", "flexible-extract")


@pytest.mark.parametrize("chosen", FILTERS)
def test_each_task_has_the_score_of_the_results_file(chosen):
    """By task, for both models of a folder of folders; the first row is all samples together."""
    report = hs.score(BASE.parent, filter=chosen, by="task").to_dict()
    for model, folder in (("demo/base", BASE), ("demo/tuned", TUNED)):
        theirs = results(folder)
        ours = {(x["slice"] or {}).get("task"): x for x in report["rows"] if x["system"] == model}
        for task in ("sums", "differences", "products"):
            assert ours[task]["score"] == pytest.approx(theirs[task][f"exact_match,{chosen}"], abs=1e-12)
            assert ours[task]["n"] == theirs[task]["sample_len"]
        assert next(iter(ours.values()))["n"] == 50


def test_the_pooled_rate_counts_samples_and_the_harness_is_quoted_beside_it():
    """50 samples of three tasks; the harness's own average weighs tasks alike, and the note says its number."""
    report = hs.score(BASE, filter="flexible-extract").to_dict()
    (row,) = report["rows"]
    assert (row["metric"], row["n"], row["score"]) == ("rate", 50, 0.4)
    theirs = results(BASE)["arithmetic"]["exact_match,flexible-extract"]
    told = next(x["text"] for x in report["notes"] if x["code"] == "log-reported")
    assert f"{theirs:.3f}" in told
    assert "every task alike" in told


def test_one_attempt_compares_two_runs(command):
    """Two folders are two systems, paired by document; the first attempt says what to type, which then runs."""
    code, _, err = command("compare", BASE, TUNED)
    assert code == 2
    assert all(repr(x) in err for x in FILTERS)
    again = err.strip().splitlines()[-1].split()
    assert again[-2:] == ["--filter", "strict-match"]
    code, out, _ = command(*again[1:], "--format", "json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    assert row["paired"]
    assert [row[x]["system"] for x in ("first", "second")] == ["demo/base", "demo/tuned"]
    assert (row["first"]["n"], row["second"]["n"]) == (50, 50)


def test_a_question_under_two_filters_counts_once():
    """Without a filter there is no answer; with one, as many items as documents."""
    with pytest.raises(BadSetting, match=r"2 filters: 'strict-match', 'flexible-extract'.*filter='strict-match'"):
        hs.score(BASE)
    assert hs.score(BASE, filter="strict-match", task="sums").to_dict()["data"]["n"] == 24


def test_a_task_with_two_metrics_asks_for_one():
    """acc or acc_norm; each has the value of the results file."""
    folder = LOGS / "lm_eval-choice"
    with pytest.raises(BadSetting, match="2 scorers: 'acc', 'acc_norm'"):
        hs.score(folder)
    theirs = results(next(folder.iterdir()))["parity"]
    for name in ("acc", "acc_norm"):
        (row,) = hs.score(folder, scorer=name).to_dict()["rows"]
        assert row["score"] == pytest.approx(theirs[f"{name},none"], abs=1e-12)


def test_a_file_of_the_run_stands_for_the_run_or_for_its_task():
    """results_*.json is all of its tasks, samples_*.jsonl is one."""
    everything = hs.score(next(BASE.glob("results_*.json")), filter="strict-match").to_dict()["data"]["n"]
    one = hs.score(next(BASE.glob("samples_sums_*.jsonl")), filter="strict-match").to_dict()["data"]["n"]
    assert (everything, one) == (50, 24)


def test_two_filters_are_refused_with_one_to_type():
    """The advice names one filter, not the two that were given and one of them again."""
    with pytest.raises(BadSetting, match=r"Give filter='strict-match'"):
        hs.score(BASE, filter=list(FILTERS))


def test_names_that_are_not_there_are_refused_with_those_that_are():
    """A filter and a task by their names; patterns match several tasks."""
    with pytest.raises(hs.HowsureError, match="'strict-match', 'flexible-extract'"):
        hs.score(BASE, filter="strict")
    with pytest.raises(hs.HowsureError, match="Did you mean 'sums'"):
        hs.score(BASE, task="sum", filter="strict-match")
    assert hs.score(BASE, task="*s", filter="strict-match").to_dict()["data"]["n"] == 50


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(BASE, tmp_path / "run")


def test_a_later_run_of_a_task_takes_the_place_of_an_earlier_one(copy):
    """lm_eval writes both into one folder; the older is left out, and a note says so."""
    for path in list(copy.iterdir()):
        shutil.copy(path, copy / path.name.replace("2026-11-19", "2026-11-20"))
    report = hs.score(copy, filter="strict-match").to_dict()
    assert report["data"]["n"] == 50
    assert "log-older" in [x["code"] for x in report["notes"]]


def test_a_cut_line_an_empty_file_and_results_alone_are_refused(copy, tmp_path):
    """In one sentence that names the file."""
    path = next(copy.glob("samples_sums_*"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(BadFile, match="line 48 is not a JSON record"):
        hs.score(copy, filter="strict-match")
    path.write_bytes(whole)
    alone = shutil.copy(next(copy.glob("results_*")), tmp_path / next(copy.glob("results_*")).name)
    with pytest.raises(BadFile, match="--log_samples"):
        hs.score(alone)


def test_a_folder_without_the_samples_of_one_task_is_refused(copy):
    """The rate of the other tasks is not the rate of the run; a file of samples alone is still read."""
    next(copy.glob("samples_products_*")).unlink()
    with pytest.raises(BadFile, match="no samples of 'products' beside it"):
        hs.score(copy, filter="strict-match")
    alone = hs.score(next(copy.glob("samples_sums_*")), filter="strict-match")
    assert alone.to_dict()["data"]["n"] == 24


def test_documents_that_differ_under_one_number_are_not_paired(copy):
    """Another set of questions has other hashes: doc_id alone would pair them in silence."""
    path = next(copy.glob("samples_sums_*"))
    path.write_text(path.read_text().replace('"doc_hash": "', '"doc_hash": "x'))
    with pytest.raises(BadFile, match="another in"):
        hs.compare(str(copy), str(TUNED), filter="strict-match")


def test_lines_of_samples_stay_plain_json_where_columns_are_named():
    """--outcome names a column, so the file is a table like any."""
    path = next((LOGS / "lm_eval-choice").rglob("samples_*.jsonl"))
    assert hs.score(path, outcome="acc").to_dict()["rows"][0]["score"] == pytest.approx(7 / 12)
