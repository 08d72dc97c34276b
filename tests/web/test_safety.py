"""Who may ask, how much, and for how long; nothing is left behind."""

from __future__ import annotations

import asyncio
import html
import http.client
import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from howsure.web import guard as guarding
from howsure.web import uploads
from howsure.web.guard import MOST_FILE
from tests.web import processes
from tests.web.conftest import serving
from tests.web.questions import FOUR

QUESTION = {"counts": FOUR, "metrics": ["f1"]}
BYTES = {"content-type": "application/octet-stream"}
_MANY = ["macro-f1", "kappa", "macro-precision", "macro-jaccard", "macro-informedness", "macro-phi", "macro-f2"]
SLOW = {"matrix": {"counts": [[100] * 100] * 100}, "metrics": _MANY, "tolerance": 0.005}


def code(response):
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "evil.example:80"}, {"origin": "http://evil.example"}, {"origin": "null"},
     {"sec-fetch-site": "cross-site"}, {"origin": "http://127.0.0.1:1"}],
    ids=str,
)  # fmt: skip
def test_other_sites_are_refused(client, headers):
    """Neither by another name of this machine (rebinding) nor across sites."""
    response = client.post("/api/score", json=QUESTION, headers=headers)
    assert code(response) in ((403, "host"), (403, "origin"))
    assert client.get("/api/metrics", headers=headers).status_code == 403


def test_a_refusal_arrives_while_a_body_is_sent(address):
    """A connection that is closed with bytes unread is reset, and the client reads no reason."""
    place = urlsplit(address)
    head = "POST /api/score HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 200000\r\n\r\n"
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(head.encode())
        time.sleep(0.3)
        connection.sendall(b" " * 100_000)
        time.sleep(0.3)
        connection.sendall(b" " * 100_000)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 403")
    assert b'"code": "host"' in answer


def test_our_own_page_may_ask(client, address):
    """The same origin, and a link from elsewhere to the page."""
    own = {"origin": address, "sec-fetch-site": "same-origin"}
    assert client.post("/api/score", json=QUESTION, headers=own).status_code == 200
    linked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=linked).status_code == 200


def test_headers(client):
    """A strict policy, and no leave for other sites to read."""
    for path in ("/", "/page.js", "/api", "/api/metrics", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
    assert client.get("/api/metrics").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_form_can_send_is_refused(client, kind):
    """Other sites can send these without being asked back."""
    for path in ("/api/score", "/api/file/score", "/api/file/preview"):
        assert code(client.post(path, content=b"{}", headers={"content-type": kind})) == (415, "media-type")


# -- sizes


def test_a_file_of_200_mb_is_refused(client):
    """With a sentence, whether its length is said or not, and no byte of it is kept."""
    piece = b"a,b\n" * 250_000
    response = client.post("/api/file/preview", content=(piece for _ in range(200)), headers=BYTES)
    assert code(response) == (413, "too-large")
    assert "at most 100 MB are taken" in response.json()["error"]["message"]
    response = client.post(
        "/api/file/score",
        content=(piece for _ in range(200)),
        headers={**BYTES, "content-length": str(200 * len(piece))},
    )
    assert code(response) == (413, "too-large")
    assert "this is 200.0 MB" in response.json()["error"]["message"]
    assert MOST_FILE == 100_000_000


# -- files


def test_no_path_of_a_client_is_opened(client, tmp_path):
    """A name is a label: the bytes that were sent are read, whatever it is called."""
    secret = tmp_path / "secret.csv"
    secret.write_text("label,pred\n1,1\n0,0\n")
    for name in (str(secret), f"../../../../{secret}", "/etc/passwd", "a\x00b.csv", "*.csv", "-", "<img src=x>.csv"):
        response = client.post("/api/file/preview", params={"name": name}, content=b"x,y\n1,2\n", headers=BYTES)
        assert response.status_code == 200, response.text
        assert [c["name"] for c in response.json()["columns"]] == ["x", "y"]
        assert "/" not in response.json()["file"]


@pytest.mark.parametrize(
    ("held", "says"),
    [(b"", "empty"), (b"PAR1 not at all", ""), (b"\x00\x01\x02", ""), (b'{"a": ', ""), (b"\xff\xfe" * 50, "")],
)
def test_files_that_are_none(client, held, says):
    """Refused with one sentence that names no place of this machine."""
    response = client.post("/api/file/score", params={"name": "x.csv"}, content=held, headers=BYTES)
    assert response.status_code == 422
    message = response.json()["error"]["message"]
    assert says in message
    assert "howsure-web" not in message


def test_the_report(client):
    """At an address that cannot be guessed, without scripts, and with labels that are shown."""
    held = "label,pred\n" + "<script>alert(1)</script>,<script>alert(1)</script>\nb,b\n" * 5
    response = client.post(
        "/api/file/score", params={"name": "<b>.csv", "report": True}, content=held.encode(), headers=BYTES
    )
    assert response.status_code == 200, response.text
    report = client.get(response.json()["report"])
    assert report.status_code == 200
    assert "sandbox" in report.headers["content-security-policy"]
    assert "script-src" not in report.headers["content-security-policy"]
    assert "<script>alert" not in report.text
    assert "&lt;script&gt;alert(1)" in report.text
    assert code(client.get("/report/other")) == (404, "not-found")


def test_a_report_tells_how_to_make_it_again(client):
    """With the file as its owner calls it, quoted; the lines beside it too."""
    held = b"label,pred\n" + b"1,1\n0,0\n1,0\n" * 5
    asked = {"name": "my preds (1).csv", "metric": "accuracy", "report": True}
    answer = client.post("/api/file/score", params=asked, content=held, headers=BYTES).json()
    shell = "howsure score 'my preds (1).csv' --metric accuracy"
    assert answer["lines"]["shell"] == shell
    assert answer["lines"]["python"] == "hs.score('my preds (1).csv', metric='accuracy')"
    assert f"{shell} --out report.html" in html.unescape(client.get(answer["report"]).text)
    told = client.post("/api/file/score", params={**asked, "metric": "nothing"}, content=held, headers=BYTES)
    assert "my_preds" not in told.text


# -- an end


@contextmanager
def alone(tmp_path, *words):
    with serving(*words, folder=tmp_path) as (address, process), httpx.Client(timeout=60) as client:
        client.base_url = address.split("?")[0].rstrip("/")
        yield client, process, address


def left(folder):
    return [x for x in folder.glob("howsure-web-*/server-*/*") if x.name != "in-use"]


def until(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def sent_in_part(address):
    """A connection on which a file has begun to come."""
    place = urlsplit(address)
    connection = socket.create_connection((place.hostname, place.port))
    head = [
        "POST /api/file/preview HTTP/1.1", f"Host: {place.netloc}", "Content-Type: application/octet-stream",
        "Content-Length: 90000", "", "",
    ]  # fmt: skip
    connection.sendall("\r\n".join(head).encode() + b"a,b\n" * 1000)
    return connection


def test_files_are_gone(tmp_path):
    """After an answer; after a connection that was cut; and, where the server was killed, once the next one starts."""
    with alone(tmp_path) as (client, process, address):
        assert client.post("/api/file/preview", content=b"x,y\n1,2\n", headers=BYTES).status_code == 200
        assert left(tmp_path) == []
        connection = sent_in_part(address)
        until(lambda: left(tmp_path))
        connection.close()
        until(lambda: not left(tmp_path))
        connection = sent_in_part(address)
        until(lambda: left(tmp_path))
        workers = processes.below(process.pid)
        process.kill()
        process.wait()
        connection.close()
        assert left(tmp_path)
        until(lambda: not any(map(processes.alive, workers)))
    with alone(tmp_path) as (client, process, _):
        assert client.get("/").status_code == 200
        assert left(tmp_path) == []
        assert len(list(tmp_path.glob("howsure-web-*/server-*"))) == 1
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) in (0, 130)
        assert time.monotonic() - begun < 3
        assert process.stderr.read().strip() == ""
    assert list(tmp_path.glob("howsure-web-*/server-*")) == []


def test_cancelled_work_stops(tmp_path):
    """Nobody waits for the answer: the worker that computed it is ended, and the others go on."""
    with alone(tmp_path) as (client, process, address):
        assert client.post("/api/score", json=QUESTION).status_code == 200
        before = processes.below(process.pid)
        place = urlsplit(address)
        connection = http.client.HTTPConnection(place.hostname, place.port)
        connection.request("POST", "/api/score", json.dumps(SLOW), {"content-type": "application/json"})
        time.sleep(0.7)
        assert before.keys() <= processes.below(process.pid).keys()
        connection.close()
        until(lambda: not before.keys() <= processes.below(process.pid).keys())
        assert client.post("/api/score", json=QUESTION).status_code == 200


def test_nothing_is_left_by_a_report_that_nobody_waits_for(tmp_path):
    """The connection is cut while the report is made; and SIGTERM leaves no folder of processes."""
    held = ("label,pred,who\n" + "".join(f"{i % 2},{i % 3 % 2},p{i % 40}\n" for i in range(2_000))).encode()
    with alone(tmp_path) as (client, process, address):
        assert client.post("/api/score", json=QUESTION).status_code == 200
        workers = processes.below(process.pid)
        place = urlsplit(address)
        for pause in (0.5, 1.0, 1.5):
            connection = http.client.HTTPConnection(place.hostname, place.port)
            connection.request("POST", "/api/file/score?name=x.csv&by=who&report=true", held, BYTES)
            time.sleep(pause)
            connection.close()
            until(lambda: not left(tmp_path))
        assert workers.keys() != processes.below(process.pid).keys()  # one was ended at its work
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 128 + signal.SIGTERM
        assert process.stderr.read().strip() == ""
    assert [x.name for x in tmp_path.iterdir() if not x.name.startswith("howsure-web-")] == []
    assert list(tmp_path.glob("howsure-web-*/server-*")) == []


def test_it_ends_with_open_requests(tmp_path):
    """Control-C while something is computed and something is sent: in two seconds, in silence."""
    with alone(tmp_path) as (client, process, address):
        assert client.post("/api/score", json=QUESTION).status_code == 200
        place = urlsplit(address)
        connection = http.client.HTTPConnection(place.hostname, place.port)
        connection.request("POST", "/api/score", json.dumps(SLOW), {"content-type": "application/json"})
        sending = sent_in_part(address)
        time.sleep(0.3)
        workers = processes.below(process.pid)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) in (0, 130)
        assert time.monotonic() - begun < 4  # two, on a machine that does nothing else
        until(lambda: not any(map(processes.alive, workers)))
        assert process.stderr.read().strip() == ""
        sending.close()
        connection.close()
    assert list(tmp_path.glob("howsure-web-*/server-*")) == []


def test_a_token_where_others_may_come(tmp_path):
    """Printed once; it becomes a cookie that no script reads; also as a bearer; without it nothing is answered."""
    with alone(tmp_path, "--host", "0.0.0.0") as (client, _, address):
        client.base_url = str(client.base_url).replace("0.0.0.0", "127.0.0.1")
        token = address.split("token=")[1]
        assert len(token) >= 24
        for path in ("/", "/api/metrics", "/?token=wrong", "/page.css"):
            assert code(client.get(path)) == (401, "token")
        bearer = client.get("/api/metrics", headers={"authorization": f"Bearer {token}"})
        assert bearer.status_code == 200
        entered = client.get(f"/?panel=plan&token={token}")
        assert (entered.status_code, entered.headers["location"]) == (303, "/?panel=plan")
        assert "HttpOnly" in entered.headers["set-cookie"]
        assert "SameSite=Strict" in entered.headers["set-cookie"]
        for path in ("/%5Cevil.example", "//evil.example", "/%0d%0aX-Y:1", "/api/metrics"):
            away = client.get(
                f"{address.split('?')[0].replace('0.0.0.0', '127.0.0.1').rstrip('/')}{path}?token={token}"
            )
            assert (away.status_code, away.headers["location"]) == (303, "/")
            assert "x-y" not in away.headers
        assert client.get("/").status_code == 200
        assert client.post("/api/score", json=QUESTION).status_code == 200
        assert client.post("/api/score", json=QUESTION, headers={"origin": "http://evil.example"}).status_code == 403


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")
def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    """A link in its place, or a folder that others may read."""
    monkeypatch.setattr(uploads.tempfile, "gettempdir", lambda: str(tmp_path))
    place = tmp_path / f"howsure-web-{os.getuid()}"
    place.mkdir(mode=0o755)
    assert uploads.root().stat().st_mode & 0o077 == 0
    place.rmdir()
    place.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(ValueError, match="belongs to somebody else"):
        uploads.root()


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nhost\r\n\r\n"])
def test_what_is_no_http_is_refused_as_all_is(address, sent):
    """A request that cannot even be read gets the one shape of errors, and the connection ends."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(sent)
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert b"application/json" in head
    told = json.loads(body)["error"]
    assert told["code"] == "not-http"
    assert told["message"].endswith(".")


def test_more_requests_than_are_taken_at_once(monkeypatch):
    """One more than the limit is refused as all is, with when to come back; once one has ended, there is room."""
    monkeypatch.setattr(guarding, "MOST_AT_ONCE", 2)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"x")], "query_string": b""}

    async def several():
        held, said = asyncio.Event(), []

        async def slow(_scope, _receive, send):
            await held.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def sent(message):
            said.append(message)

        guard = guarding.Guard(slow, None)
        waiting = [asyncio.ensure_future(guard(scope, None, sent)) for _ in range(2)]
        await asyncio.sleep(0)
        await guard(scope, None, sent)
        refused = list(said)
        held.set()
        await asyncio.gather(*waiting)
        await guard(scope, None, sent)
        return refused, said[len(refused) :]

    with ThreadPoolExecutor(1) as own:  # the thread of the tests may have the loop of a browser
        (start, body), rest = own.submit(asyncio.run, several()).result()
    assert start["status"] == 503
    assert (b"retry-after", b"1") in start["headers"]
    assert json.loads(body["body"])["error"] == {
        "code": "busy",
        "message": "too many requests at once; ask again in a moment.",
    }
    assert [x["status"] for x in rest] == [200, 200, 200]
