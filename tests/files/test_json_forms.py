"""JSON that is valid but not one record per line: the message says what the file is and what to give instead."""

from __future__ import annotations

import json

import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadFile
from tests.files.csv_files import PACKINGS

COLUMNS = {"truth": "y", "pred": "z"}
RECORDS = [{"y": 1, "z": 1}, {"y": 0, "z": 1}]
RECORDS_NEEDED = "give a file of records: a JSON array, or one record per line."
WITHIN = "'results.all items' holds 2 records; write them to a file of their own."
AGAIN = "correct it, or copy the file again."


def lines(*values):
    return "\n".join(json.dumps(x, indent=2) for x in values)


CASES = {
    "one object": (
        lines({"results": {"accuracy": 0.5}, "config": {}, "n": 3}),
        f"'{{}}' is one JSON object (keys 'results', 'config', 'n'); {RECORDS_NEEDED}",
    ),
    "records within": (
        lines({"results": {"all items": RECORDS}}),
        f"'{{}}' is one JSON object (key 'results'); {RECORDS_NEEDED} {WITHIN}",
    ),
    "records over lines": (lines(*RECORDS), "'{}' holds 2 JSON values over several lines; write one record per line."),
    "damaged": ('{\n "y": 1,\n "z": }\n', f"line 3 of '{{}}' is not JSON: expecting value; {AGAIN}"),
    "cut line": ('{"y": 1, "z": 1}\n{"y": 1,\n', f"line 2 of '{{}}' is not JSON: unexpected end of data; {AGAIN}"),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("case", CASES)
def test_the_message_says_what_the_file_is(case, packing, tmp_path):
    """Whether packed or not."""
    text, message = CASES[case]
    path = tmp_path / f"a.json{packing}"
    path.write_bytes(PACKINGS[packing](text.encode()))
    with pytest.raises(BadFile) as refused:
        hs.tally(path, **COLUMNS)
    assert str(refused.value) == message.format(path)


def test_the_command_shows_what_to_type(tmp_path, capsys, monkeypatch):
    """For a file that jq can read."""
    monkeypatch.chdir(tmp_path)
    for text, command in (
        (CASES["records within"][0], """(jq '.results["all items"]' a.json > records.json)."""),
        (CASES["records over lines"][0], "(jq -c . a.json > records.json)."),
    ):
        (tmp_path / "a.json").write_text(text)
        assert run(["score", "a.json", "--truth", "y", "--pred", "z"]) == 2
        assert command in capsys.readouterr().err


def test_a_record_of_columns_is_refused(tmp_path):
    """Two labels for each of one item would be the other reading, which nobody writes."""
    path = tmp_path / "columns.json"
    path.write_text('{"label": [1, 0, 1], "pred": [1, 1, 1]}')
    with pytest.raises(BadFile, match="one record whose fields are lists, which looks like columns"):
        hs.score(path)
    assert hs.score(json.loads(path.read_text())).rows[0].question.state.evidence.n == 3
    path.write_text('{"label": [1, 0], "pred": [1]}\n{"label": [0], "pred": [0]}\n')
    assert hs.tally(path).n == 2
