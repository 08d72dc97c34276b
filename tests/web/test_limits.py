"""Every limit that docs/reference/web-app.md names: as much is taken, and one more is refused with a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from howsure.web import api, guard, models, server, uploads, workers
from tests.web.conftest import serving
from tests.web.questions import FOUR
from tests.web.test_safety import BYTES, SLOW, until

JSON = {"content-type": "application/json"}
DOCS = Path(__file__).parents[2] / "docs" / "reference" / "web-app.md"
RATE = {"rate": {"hits": 1, "of": 2}}


def test_the_limits_are_those_of_the_docs():
    """Each row of the table, from the numbers that hold."""
    page = DOCS.read_text(encoding="utf-8")
    for row in (
        f"| JSON | {guard.MOST_JSON // 10**6} MB |",
        f"| a file | {guard.MOST_FILE // 10**6} MB |",
        f"| classes | {models.MOST_CLASSES} |",
        f"| slices | {models.MOST_SLICES:,} |",
        f"| systems | {models.MOST_SYSTEMS} |",
        f"| metrics in one request | {models.MOST_METRICS} |",
        f"| items in JSON | {models.MOST_ITEMS:,} |",
        f"| computing | {api._QUESTION_TIME:g} s, {api._FILE_TIME:g} s for a file |",
        f"| the head of a request | {server.HEAD_TIME:g} s |",
        f"| its body | {guard._BODY_TIME:g} s, and {guard._PIECE_TIME:g} s without a byte |",
        f"| an idle connection | {server.IDLE_TIME} s |",
        f"| a client that does not read its answer | {server.READ_TIME:g} s |",
        f"| requests at once | {guard.MOST_AT_ONCE:,} |",
        f"| reports kept | {uploads._MOST}, for {uploads._LONGEST_KEPT / 60:g} minutes |",
        f"its share of the memory of the machine, {workers._LEAST_MEMORY // 10**9} GB at least |",
    ):
        assert row in page, row


@pytest.mark.parametrize("said", [True, False], ids=["length said", "in pieces"])
def test_size_of_a_question(client, said):
    """Refused by the length that is said, and by what comes."""

    def sent(size):
        body = json.dumps({"counts": FOUR, "metrics": ["f1"]}).encode()
        body += b" " * (size - len(body))
        pieces = (body[i : i + 65536] for i in range(0, size, 65536))
        return client.post("/api/score", content=body if said else pieces, headers=JSON)

    assert sent(guard.MOST_JSON).status_code == 200
    refused = sent(guard.MOST_JSON + 1)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too-large")


def ordered(n):
    return [i % 2 for i in range(n)]


def square(n):
    return {"counts": [[int(i == j) for j in range(n)] for i in range(n)]}


def items(n, k):
    answers = [i % k for i in range(n)]
    return {"items": {"truth": answers, "first": answers, "second": answers}, "metrics": ["accuracy"]}


def requirements(n):
    return [f"f1 > 0.{100 + i}" for i in range(n)]


TYPED = [
    ("score", lambda n: {"matrix": square(n), "metrics": ["accuracy"]}, models.MOST_CLASSES, "classes"),
    ("compare", lambda n: items(2 * n, n), models.MOST_CLASSES, "classes"),
    ("leaderboard", lambda n: {"systems": {f"s{i}": RATE for i in range(n)}}, models.MOST_SYSTEMS, "systems"),
    ("score", lambda n: {"counts": FOUR, "metrics": ["f1"] * n}, models.MOST_METRICS, "metrics"),
    (
        "gate",
        lambda n: {"counts": FOUR, "require": requirements(n)},
        models.MOST_METRICS,
        "require",
    ),
    ("compare", lambda n: items(n, 2), models.MOST_ITEMS, "items"),
    ("curve", lambda n: {"truth": ordered(n), "scores": [*range(n)], "metrics": ["auc"]}, models.MOST_ITEMS, "truth"),
]


@pytest.mark.parametrize(("verb", "question", "most", "what"), TYPED, ids=[f"{x[0]}-{x[3]}" for x in TYPED])
def test_numbers_in_json(client, verb, question, most, what):
    """Classes, systems, metrics and items that are typed or pasted."""
    taken = client.post(f"/api/{verb}", json=question(most))
    assert taken.status_code == 200, taken.text
    refused = client.post(f"/api/{verb}", json=question(most + 1))
    assert refused.status_code == 422
    message = refused.json()["error"]["message"]
    assert what in message
    assert f"{most:,}" in message


@pytest.mark.parametrize(
    ("verb", "question"),
    [("score", {"counts": {**FOUR, "tp": 10**12 + 1}}), ("score", {"counts": FOUR, "tolerance": 0.0049}),
     ("solve", {"values": {"n": "1"}, "most": 10_001}), ("forecast", {**RATE, "n": 10**9 + 1})],
)  # fmt: skip
def test_other_numbers_have_an_end(client, verb, question):
    """Counts, draws, tables that are listed, and items to come."""
    assert client.post(f"/api/{verb}", json=question).status_code == 422


def too_many(what, most):
    """What is said about one more than the limit."""
    limit = f"there are {most + 1:,} {what}; the web app takes {most:,} at most"
    return f"{limit}. Use the command, which takes any number: howsure score FILE."


def of_classes(n):
    return "label,pred,other\n" + "".join(f"c{i},c{i},c{(i + 1) % n}\n" for i in range(n))


def of_slices(n):
    return "label,pred,who\n" + "".join(f"{i % 2},1,p{i % n}\n" for i in range(2 * n))


def of_system_rows(n):
    return "item,system,won\n" + "".join(f"{i},s{j},{(i + j) % 2}\n" for i in range(4) for j in range(n))


def of_system_columns(n):
    head = ",".join(["label", *(f"m{j}" for j in range(n))])
    return head + "\n" + "".join(",".join(str((i * j) % 2) for j in range(n + 1)) + "\n" for i in range(4))


BOTH = {"pred": ["pred", "other"], "metric": "accuracy"}
IN_FILES = [
    ("score", of_classes, {"pred": "pred", "metric": "accuracy"}, "classes"),
    ("compare", of_classes, BOTH, "classes"),
    ("leaderboard", of_classes, BOTH, "classes"),
    ("forecast", of_classes, {"pred": "pred", "metric": "accuracy", "n": 5}, "classes"),
    ("gate", of_classes, {"pred": "pred", "require": "accuracy > 0.5"}, "classes"),
    ("score", of_slices, {"by": "who", "metric": "accuracy"}, "slices"),
    ("leaderboard", of_system_rows, {"item": "item", "system": "system", "outcome": "won"}, "systems"),
    ("leaderboard", of_system_columns, {"truth": "label", "pred": "m*", "metric": "accuracy"}, "systems"),
    ("score", of_system_columns, {"truth": "label", "pred": "m*", "metric": "accuracy"}, "systems"),
]
MOST = {"classes": models.MOST_CLASSES, "slices": models.MOST_SLICES, "systems": models.MOST_SYSTEMS}


@pytest.mark.whole
@pytest.mark.parametrize(("verb", "held", "asked", "what"), IN_FILES, ids=[f"{x[0]}-{x[1].__name__}" for x in IN_FILES])
def test_numbers_in_a_file(client, verb, held, asked, what):
    """Classes, slices and systems, with the sentence that typed ones get, before anything is computed."""
    most, params = MOST[what], {"name": "x.csv", **asked}
    taken = client.post(f"/api/file/{verb}", params=params, content=held(most).encode(), headers=BYTES)
    assert taken.status_code == 200, taken.text
    refused = client.post(f"/api/file/{verb}", params=params, content=held(most + 1).encode(), headers=BYTES)
    assert refused.status_code == 422
    assert refused.json()["error"]["message"] == too_many(what, most)


def test_typed_classes_get_the_same_sentence(client):
    """As those of a file."""
    said = {
        client.post(f"/api/{verb}", json=question(most + 1)).json()["error"]["message"]
        for verb, question, most, what in TYPED
        if what == "classes"
    }
    assert said == {too_many("classes", models.MOST_CLASSES)}


def test_metrics_of_a_file(client):
    """Repeated in the address."""
    for many, status in ((models.MOST_METRICS, 200), (models.MOST_METRICS + 1, 422)):
        params = {"name": "x.csv", "metric": ["f1"] * many}
        held = b"label,pred\n1,1\n0,0\n1,0\n"
        assert client.post("/api/file/score", params=params, content=held, headers=BYTES).status_code == status


def test_time_of_a_question(tmp_path):
    """What takes longer is ended, with the limit in the sentence and when to come back; the next one is answered."""
    before = "from howsure.web import api\napi._QUESTION_TIME, api._FILE_TIME = 0.3, 0.001"
    with serving(folder=tmp_path, before=before) as (address, _), httpx.Client(base_url=address, timeout=60) as client:
        until(lambda: client.post("/api/score", json={"counts": FOUR}).status_code == 200)
        for path, how, limit in (
            ("score", {"json": SLOW}, "0.3 s"),
            ("file/score", {"content": of_classes(100).encode(), "headers": BYTES}, "0.001 s"),
        ):
            late = client.post(f"/api/{path}", **how)
            assert (late.status_code, late.json()["error"]["code"]) == (503, "too-long")
            assert limit in late.json()["error"]["message"]
            assert late.headers["retry-after"] == "1"
        until(lambda: client.post("/api/score", json={"counts": FOUR}).status_code == 200)


def test_reports_are_forgotten(monkeypatch):
    """The first of nine at once, and all after a quarter of an hour."""
    now = [1000.0]
    monkeypatch.setattr(uploads.time, "monotonic", lambda: now[0])
    reports = uploads.Reports()
    names = [reports.keep(f"page {i}").rpartition("/")[2] for i in range(9)]
    assert [reports.page(x) for x in names] == [None, *(f"page {i}" for i in range(1, 9))]
    now[0] += 900
    assert reports.page(names[8]) == "page 8"
    now[0] += 1
    assert reports.page(names[8]) is None
