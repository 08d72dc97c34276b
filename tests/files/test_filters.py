"""Items that are there once for each filter, as lm-evaluation-harness writes them, are not counted as so many items."""

from __future__ import annotations

import json

import polars as pl
import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadFile, BadSetting

ROWS = [
    {"doc_id": i, "filter": name, "exact_match": float((i + k) % 3 > 0)}
    for k, name in enumerate(("strict-match", "flexible-extract"))
    for i in range(40)
]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "samples.jsonl", ROWS)


def test_items_under_two_filters_are_refused_with_the_filter_to_choose(file, capsys):
    """The sentence names the filters and the option in the reader's language, and the command that it shows runs."""
    said = r"^40 items have a row for each 'filter' \('flexible-extract', 'strict-match'\).*where='filter=flex"
    for data in (file, pl.DataFrame(ROWS)):
        with pytest.raises(BadSetting, match=said):
            hs.score(data, outcome="exact_match")
    assert run(["score", file, "--outcome", "exact_match"]) == 2
    told = capsys.readouterr().err
    assert "choose one with --where filter=flexible-extract; or give --by filter" in told
    assert run(told.strip().splitlines()[-1].split()[1:]) == 0
    assert "40 items" in capsys.readouterr().out


@pytest.mark.parametrize("how", [{"where": "filter=strict-match"}, {"by": ["filter"]}, {"cluster": "doc_id"}])
def test_what_was_said_of_filters_is_taken(file, how):
    """A filter that is chosen, slices by it, or rows that belong together."""
    assert hs.score(file, outcome="exact_match", **how).to_dict()["rows"]


@pytest.mark.parametrize(
    "rows",
    [
        [row | {"filter": "none"} for row in ROWS[:40]],  # one filter
        [row | {"doc_id": i} for i, row in enumerate(ROWS)],  # other items under each
        [row | {"doc_hash": f"{row['filter']} {row['doc_id']}"} for row in ROWS],  # ids of two tasks begin anew
        [{"doc_id": i, "filter": None, "exact_match": 1.0} for i in range(9)],
    ],
)
def test_other_files_with_a_column_of_that_name_are_counted(tmp_path, rows):
    """One filter, other items under each filter, tasks whose ids begin anew, and no filter at all."""
    found = hs.score(written(tmp_path / "other.jsonl", rows), outcome="exact_match").to_dict()
    assert found["data"]["n"] == len(rows)


def test_two_files_under_two_filters_are_told_to_choose_one(tmp_path, file):
    """Pairing refuses ids that occur twice, and says which filter to choose."""
    other = written(tmp_path / "other.jsonl", ROWS)
    with pytest.raises(BadFile, match=r"occur more than once.*choose one with where='filter=flexible-extract'\."):
        hs.compare({"a": file, "b": other}, outcome="exact_match", on="doc_id")
    made = hs.compare({"a": file, "b": other}, outcome="exact_match", on="doc_id", where="filter=flexible-extract")
    assert made.to_dict()["data"]["n"] == 40


def test_systems_may_have_filters_of_their_own():
    """In a long table each system has one row for each item, under the filter that suits it."""
    names = {"strict-match": "a", "flexible-extract": "b"}
    frame = pl.DataFrame([row | {"model": names[row["filter"]]} for row in ROWS])
    c = hs.compare(frame, outcome="exact_match", system="model", item="doc_id")
    assert c.to_dict()["data"]["n"] == 40
