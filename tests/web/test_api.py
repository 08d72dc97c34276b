"""The API gives the documents of Python and of the command, and errors in one shape."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.messages.language import SPOKEN
from howsure.render import findings
from howsure.web.models import MEDIA_TYPES
from tests.web.questions import BAD, FOUR, QUESTIONS

ROUNDING = 1e-12
BYTES = {"content-type": "application/octet-stream"}


def asked(client, verb, question, **how):
    return client.post(f"/api/{verb}", json=question, params=how)


def close(one, two):
    """The same document; numbers may differ by rounding, where one reads 0.9 as a fraction and one as a float."""
    if isinstance(one, float) and isinstance(two, (int, float)):
        return one == pytest.approx(two, rel=ROUNDING, abs=ROUNDING)
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(close(x, two[k]) for k, x in one.items())
    if isinstance(one, list):
        return len(one) == len(two) and all(map(close, one, two))
    return one == two


def without_words(document):
    """A document without its notes and without how a value was written, which differ in Python."""
    kept = {k: x for k, x in document.items() if k not in ("notes", "why")}
    if "given" in kept:
        kept["given"] = [{k: x for k, x in g.items() if k != "shown"} for g in kept["given"]]
    return kept


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder to run lines in, with the files that they read."""
    monkeypatch.chdir(tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")

    return write


@pytest.mark.whole
@pytest.mark.parametrize(("verb", "question"), QUESTIONS, ids=[f"{v}-{i}" for i, (v, _) in enumerate(QUESTIONS)])
def test_lines_give_the_document(client, elsewhere, verb, question):
    """The Python line and the shell line, run, give what the API gave."""
    response = asked(client, verb, question)
    assert response.status_code == 200, response.text
    answer = response.json()
    elsewhere(answer["lines"]["files"])
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run([*shlex.split(answer["lines"]["shell"])[1:], "--format", "json"]) in (0, 1, 3)  # a gate may fail
    assert close(json.loads(out.getvalue()), answer["document"])
    spoken = SPOKEN.set("command")
    try:
        result = eval(answer["lines"]["python"], {"hs": hs})
        assert close(without_words(result.to_dict()), without_words(answer["document"]))
    finally:
        SPOKEN.reset(spoken)
    assert answer["finding"].endswith(".")


def test_the_shell_line_runs_in_a_shell(client, elsewhere, tmp_path):
    """As typed, quotes and all."""
    answer = asked(client, "score", QUESTIONS[7][1]).json()
    elsewhere(answer["lines"]["files"])
    line = answer["lines"]["shell"].replace("howsure", f"{shlex.quote(sys.executable)} -m howsure", 1)
    made = subprocess.run(
        ["sh", "-c", f"{line} --format json"], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert json.loads(made.stdout) == answer["document"]


@pytest.mark.parametrize(("verb", "question", "says"), BAD)
def test_errors_have_one_shape(client, verb, question, says):
    """A code and one sentence, with the status that fits."""
    response = asked(client, verb, question)
    assert response.status_code == 422
    error = response.json()
    assert error.keys() == {"error"}
    assert error["error"].keys() == {"code", "message"}
    assert re.fullmatch(r"[a-z-]+", error["error"]["code"])
    assert says in error["error"]["message"]
    assert error["error"]["message"].endswith((".", "?")) or "\n  " in error["error"]["message"]


def test_the_sentence_is_that_of_the_command(client):
    """What the command says after its name."""
    said = asked(client, "score", {"counts": FOUR, "metrics": ["precison"]}).json()["error"]["message"]
    with contextlib.redirect_stderr(io.StringIO()) as err:
        assert run(["score", "--counts", "80,20,30,870", "--metric", "precison"]) == 2
    assert err.getvalue() == f"howsure: {said}\n"


@pytest.mark.parametrize(
    ("form", "begins"),
    [("json", b"{"), ("csv", b"metric"), ("html", b"<!doctype html>"),
     ("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")],
)  # fmt: skip
def test_formats_begin_as_they_should(client, form, begins):
    """A name means the format that it is called after."""
    response = asked(client, "score", {"counts": FOUR, "metrics": ["f1"]}, format=form)
    assert response.content.lower().startswith(begins.lower())


@pytest.mark.parametrize("form", MEDIA_TYPES)
def test_formats(client, form):
    """What the command writes in any format that is text, and the chart as a picture."""
    response = asked(client, "score", {"counts": FOUR, "metrics": ["f1"]}, format=form)
    assert response.status_code == 200
    assert response.headers["content-type"].split(";")[0] == MEDIA_TYPES[form]
    assert len(response.content) > 50


def test_charts_come_when_asked(client):
    """Specifications with their texts beside them."""
    assert asked(client, "score", {"counts": FOUR, "metrics": ["f1"]}).json()["charts"] is None
    chart, *_ = asked(client, "score", {"counts": FOUR, "metrics": ["f1"], "charts": True}).json()["charts"]
    drawn = hs.score(hs.Tally.binary(**FOUR), metrics=["f1"]).plot()
    assert chart == {"name": drawn.name, "title": drawn.title, "says": drawn.says, "caption": drawn.caption,
                     "spec": drawn.bare, "narrow": drawn.bare_narrow}  # fmt: skip


@pytest.mark.parametrize(
    ("metrics", "above", "chief"),
    [(["recall", "f1"], None, "f1"), (["recall", "f1"], {"recall": 0.7}, "recall"), (None, None, "f1")],
)
def test_the_finding_is_the_headline_of_the_report(client, metrics, above, chief):
    """The page and the report that it shows speak of the same measure first, however many were asked for."""
    given = {k: x for k, x in (("metrics", metrics), ("above", above)) if x is not None}
    found = asked(client, "score", {"counts": FOUR, **given}).json()
    (row,) = findings.headlines(found["document"])
    assert row["asked"] == chief
    assert found["finding"] == findings.of_row(row, 0.95)


@pytest.mark.parametrize("setting", ["charts", "report"])
def test_what_only_the_full_answer_has_goes_with_no_other_format(client, setting):
    """Refused, not passed over: neither JSON nor an address."""
    says = f"{setting} goes with the full answer: leave out {setting}, or format=csv."
    asked_for = {setting: True, "format": "csv"}
    refused = [client.post("/api/file/score", params=asked_for, content=FILE, headers=BYTES)]
    if setting == "charts":
        refused.append(asked(client, "score", {"counts": FOUR, "charts": True}, format="csv"))
    for response in refused:
        assert response.status_code == 422
        assert response.json()["error"]["message"] == says


def test_a_file_whose_last_line_is_too_long_is_refused(client):
    """Not scored without it."""
    content = b"label,pred,text\n1,1,a\n0,0,b\n1,0," + b"x" * 40_000_000
    refused = client.post("/api/file/score", params={"name": "p.csv"}, content=content, headers=BYTES)
    assert refused.status_code == 422
    assert refused.json()["error"]["message"] == "line 4 of 'p.csv' is longer than 2 MB; is it the right file?"


FILE = b"label,pred,city,score\n" + b"1,1,a,.9\n0,0,b,.2\n0,1,a,.6\n1,1,b,.7\n1,1,a,.5\n" * 10
SYSTEMS = "id,model,ok\n" + "".join(f"{i},a,{int(i % 3 > 0)}\n{i},b,1\n" for i in range(30))


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("forecast", {"n": 20, "metric": "f1", "below": 0.7}),
        ("gate", {"require": ["f1 > 0.5", "recall > 0.9 with 0.8"]}),
        ("curve", {"best": "f1"}),
        ("compare", {"truth": "label", "pred": ["pred", "label"], "metric": "f1", "prior": "uniform", "seed": 3}),
        ("leaderboard", {"truth": "label", "pred": ["pred", "label"], "metric": ["f1", "recall"], "level": 0.9}),
        ("gate", {"require": "f1 > 0.5 in city=a", "level": 0.9}),
        ("compare", {"outcome": "ok", "system": "model", "item": "id"}),
    ],
)
def test_decisions_about_a_file_are_those_of_the_lines(client, elsewhere, tmp_path, verb, options):
    """What comes next, and requirements, of the columns of a file: as Python and the command answer."""
    content = SYSTEMS.encode() if "system" in options else FILE
    response = client.post(f"/api/file/{verb}", params={"name": "p.csv", **options}, content=content, headers=BYTES)
    assert response.status_code == 200, response.text
    answer = response.json()
    (tmp_path / "p.csv").write_bytes(content)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run([*shlex.split(answer["lines"]["shell"])[1:], "--format", "json"]) in (0, 1, 3)
    assert close(without_words(json.loads(out.getvalue())), without_words(answer["document"]))
    python = eval(answer["lines"]["python"], {"hs": hs}).to_dict()
    assert close(without_words(python), without_words(answer["document"]))


@pytest.mark.parametrize(
    ("verb", "options", "says"),
    [
        ("forecast", {}, "forecast needs n, such as 500."),
        ("gate", {}, "gate needs require, such as f1 > 0.8 with 0.95."),
        (
            "gate",
            {"require": "f1 > 0.5", "metric": "f1"},
            "metric goes with score, compare, leaderboard, forecast and curve: leave it out of gate.",
        ),
        ("score", {"n": 5}, "n goes with forecast: leave it out of score."),
        ("curve", {"above": 0.5}, "above goes with score and forecast: leave it out of curve."),
        ("score", {"best": "f1"}, "best goes with curve: leave it out of score."),
        ("score", {"metrics": "f1"}, "no setting 'metrics' in the address. Did you mean 'metric'? Known: 'name', "),
        ("score", {"zzz": "f1"}, "no setting 'zzz' in the address. Known: 'name', "),
    ],
)
def test_options_of_other_verbs_are_refused(client, verb, options, says):
    """What a verb does not take, or lacks, is told."""
    response = client.post(f"/api/file/{verb}", params=options, content=FILE, headers=BYTES)
    assert response.status_code == 422
    assert response.json()["error"]["message"].startswith(says)


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/csv"])
def test_the_refusal_of_a_type_says_which_header_does(client, kind):
    """What curl sends by itself is refused with the types that are taken."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    refused = client.post("/api/file/score", params={"name": "p.csv"}, content=FILE, headers=form)
    assert refused.status_code == 415
    assert kind in refused.json()["error"]["message"]
    told = client.post("/api/file/score", params={"name": "p.csv"}, content=FILE, headers={"content-type": kind})
    assert told.status_code == 200


def test_the_page_about_the_api_shows_lines_of_curl_that_are_taken():
    """Every line that sends a file says its type."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "web-app.md").read_text(encoding="utf-8")
    lines = [x for x in page.replace("\\\n", " ").splitlines() if x.startswith("$ curl")]
    assert len([x for x in lines if "--data-binary" in x]) == 1
    assert all("-H 'content-type: application/" in x for x in lines)
    assert "`curl --data-binary`" not in page


def test_metrics(client):
    """The document of the command."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(["metrics", "mcc", "--format", "json"]) == 0
    assert client.get("/api/metrics/mcc").json() == json.loads(out.getvalue())
    assert len(client.get("/api/metrics").json()["rows"]) > 30
    assert client.get("/api/metrics/nothing").status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/api/nothing", 404, "not-found"), ("GET", "/api/score", 405, "method"),
     ("GET", "/page.css/../../secret", 404, "not-found"), ("DELETE", "/", 405, "method")],
)  # fmt: skip
def test_what_is_not_there(client, method, path, status, code):
    """Errors of the way have the same shape."""
    response = client.request(method, path)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 422), (b'{"counts": 1}', 422), (b"\xff", 400), (b'{"counts": {"tp": NaN}}', 422),
     (b'{"unknown": 1}', 422)],
)  # fmt: skip
def test_bodies_that_are_no_question(client, body, status):
    """Refused with a sentence, not with a trace."""
    response = client.post("/api/score", content=body, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "says"),
    [(b"[" * 100_000, "nested too deeply"), (b'{"counts": {"tp": ' + b"9" * 5_000 + b"}}", "too many digits"),
     (b"\xff", "UTF-8")],
)  # fmt: skip
def test_bodies_that_cannot_be_read(client, body, says):
    """The sentence says what is wrong with them."""
    response = client.post("/api/score", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400
    assert says in response.json()["error"]["message"]


JSON = {"content-type": "application/json"}
BYTES = {"content-type": "application/octet-stream"}
TWICE = b'{"counts": {"tp": 8, "fp": 2, "fn": 3, "tn": 87}, "metrics": ["f1"], "metrics": ["recall"]}'
DEEP = b'{"counts": {"tp": 8, "tp": 9, "fp": 2, "fn": 3, "tn": 87}}'


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/api/score?zzz=1", "no setting 'zzz' in the address. Known: 'format'."),
        ("/api/score?fromat=csv", "no setting 'fromat' in the address. Did you mean 'format'?"),
        ("/api/score?format=csv&format=png", "the setting 'format' of the address is given twice"),
        ("/api/file/preview?x=1", "no setting 'x' in the address. Known: 'name'."),
        ("/api/file/score?name=a.csv&name=b.csv", "the setting 'name' of the address is given twice"),
        ("/api/file/score?zzz=1", "no setting 'zzz' in the address."),
    ],
)
def test_settings_of_an_address_are_known_and_given_once(client, path, says):
    """What nobody reads, or of which one would win, is refused."""
    file = "/file/" in path
    body = b"y,z\n1,1\n0,0\n1,0\n" if file else json.dumps({"counts": FOUR}).encode()
    response = client.post(path, content=body, headers=BYTES if file else JSON)
    assert response.status_code == 422
    assert says in response.json()["error"]["message"]


def test_a_setting_with_several_values_is_given_several_times(client):
    """Columns, slices and measures of a file are lists."""
    path = "/api/file/score?truth=y&pred=z&metric=f1&metric=recall&positive=1"
    response = client.post(path, content=b"y,z\n1,1\n0,0\n1,0\n", headers=BYTES)
    assert response.status_code == 200, response.text
    assert [row["metric"] for row in response.json()["document"]["rows"]] == ["f1", "recall"]
    assert client.get("/api/metrics?zzz=1").status_code == 422


@pytest.mark.parametrize(("body", "says"), [(TWICE, "'metrics' is given twice"), (DEEP, "'tp' is given twice")])
def test_keys_of_a_body_are_given_once(client, body, says):
    """Of two values none would be the right one."""
    response = client.post("/api/score", content=body, headers=JSON)
    assert response.status_code == 422
    assert says in response.json()["error"]["message"]


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_bodies_are_in_utf8(client, name):
    """As the sentence says; the mark that some editors put first is no harm."""
    response = client.post("/api/score", content=json.dumps({"counts": FOUR}).encode(name), headers=JSON)
    assert response.status_code == (200 if name == "utf-8-sig" else 400)
    if name != "utf-8-sig":
        assert response.json()["error"]["message"] == "the body is not JSON: it must be in UTF-8."


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ([], "the body must be an object; got []."),
        ({"counts": 5}, "counts must be an object; got 5."),
        ({"counts": FOUR, "metrics": ["f1"] * 41}, "metrics may have 40 entries at most; got "),
        ({"counts": FOUR, "metrics": []}, "metrics must have 1 or more entries; got []."),
        ({"counts": FOUR, "metrics": ["x" * 201]}, "metrics.0 may have 200 characters at most; got "),
        ({"matrix": {"counts": [[]]}}, "matrix.counts.0 must have 1 or more entries; got []."),
    ],
)
def test_sentences_about_a_body_are_our_own(client, question, says):
    """No word of the library that checks it."""
    said = client.post("/api/score", json=question).json()["error"]["message"]
    assert said.startswith(says), said
    assert "input should" not in said.lower()


def test_whole_numbers_are_shown_as_such(client):
    """80.0 is 80 in the lines."""
    answer = asked(client, "score", {"counts": {**FOUR, "tp": 80.0}, "metrics": ["f1"]}).json()
    assert answer["lines"]["shell"] == "howsure score --counts tp=80,fp=20,fn=30,tn=870 --metric f1"


SLICED = "label,pred,other,won,grade,p,city\n" + "".join(
    f"{i % 2},{i % 3 % 2},{i % 5 % 2},{i % 4 // 3},{i % 7},0.{i % 9},{'abc'[i % 3]}\n" for i in range(90)
)


@pytest.mark.parametrize(
    "columns",
    [{"truth": "label", "pred": "pred"}, {"truth": "label", "pred": ["pred", "other"], "positive": "1"},
     {"outcome": "won", "above": 0.2, "prior": "jeffreys"}, {"value": "grade", "level": 0.9},
     {"truth": "label", "score": "p", "threshold": 0.5, "interval": "hdi"}],
    ids=str,
)  # fmt: skip
def test_slices_of_a_file_are_those_of_the_line(client, elsewhere, columns):
    """They are counted first, and the numbers are those that the lines give."""
    params = {"name": "own.csv", "by": "city", **columns}
    headers = {"content-type": "application/octet-stream"}
    response = client.post("/api/file/score", params=params, content=SLICED.encode(), headers=headers)
    elsewhere({"own.csv": SLICED})
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = run([*shlex.split(response.json()["lines"]["shell"])[1:], "--format", "json"])
    assert (response.status_code, status, err.getvalue()) == (200, 0, "")
    assert close(json.loads(out.getvalue()), response.json()["document"])
