"""Connections that stall: the server closes them in time, and goes on answering the others."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from howsure.web import guard, server
from tests.web.conftest import serving

HURRY = """
from howsure.web import guard, server
server.HEAD_TIME, server.IDLE_TIME, server.READ_TIME = 1.0, 2, 1.5
guard._PIECE_TIME, guard._BODY_TIME = 1.0, 2.0
"""
SLACK = 8.0  # seconds that a busy machine may add to a second
GET = b"GET /api HTTP/1.1\r\nHost: HOST\r\n\r\n"
POST = b"POST /api/file/preview HTTP/1.1\r\nHost: HOST\r\nContent-Type: text/csv\r\nContent-Length: 900\r\n\r\na,b\n"


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose limits of time are a second or two."""
    with serving(folder=tmp_path_factory.mktemp("web"), before=HURRY) as (address, _):
        assert httpx.get(f"{address}/api/metrics", timeout=60).status_code == 200
        yield address


@contextmanager
def connected(address: str, sent: bytes = b"") -> Iterator[socket.socket]:
    """A connection on which some bytes were sent."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=SLACK) as connection:
        connection.sendall(sent.replace(b"HOST", place.netloc.encode()))
        yield connection


def all_of(connection: socket.socket) -> tuple[bytes, float]:
    """What comes until the server closes, and the seconds until then."""
    begun, pieces = time.monotonic(), []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces), time.monotonic() - begun


def status(answer: bytes) -> tuple[int, str]:
    """The status and the code of a refusal."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]["code"]


def a_connection_that_sends_nothing_is_closed(hurried):
    """Without a word: browsers open some in advance."""
    with connected(hurried) as connection:
        answer, seconds = all_of(connection)
    assert answer == b""
    assert seconds > 0.8


def half_a_head_is_refused(hurried):
    """With the reason, in the one shape of errors."""
    for sent in (b"G", b"GET /api HTTP/1.1\r\n", GET[:-2]):
        with connected(hurried, sent) as connection:
            assert status(all_of(connection)[0]) == (408, "too-slow")


def dripped(connection: socket.socket) -> bytes:
    """What the server answers to a byte every tenth of a second."""
    connection.settimeout(0.1)
    end, answer = time.monotonic() + SLACK, b""
    while not answer and time.monotonic() < end:
        connection.sendall(b"1")
        with suppress(TimeoutError):
            answer = connection.recv(65536)
    connection.settimeout(SLACK)
    return answer + all_of(connection)[0]


def more_bytes_do_not_prolong_a_head(hurried):
    """A head that comes byte by byte has the same time as any other."""
    with connected(hurried, b"GET /api HTTP/1.1\r\nX-Slow: ") as connection:
        assert status(dripped(connection)) == (408, "too-slow")


def half_a_head_after_an_answer_is_refused(hurried):
    """On a connection that is kept, a byte is the start of the next request."""
    with connected(hurried, GET) as connection:
        assert connection.recv(12) == b"HTTP/1.1 200"
        connection.sendall(b"GET /")
        answer, _ = all_of(connection)
    assert status(answer[answer.rindex(b"HTTP/1.1") :]) == (408, "too-slow")


def an_idle_connection_is_closed(hurried):
    """After an answer, in silence; until then it takes requests."""
    with connected(hurried, GET) as connection:
        assert connection.recv(12) == b"HTTP/1.1 200"
        time.sleep(0.5)
        connection.sendall(GET.replace(b"HOST", urlsplit(hurried).netloc.encode()))
        answer, seconds = all_of(connection)
    assert answer.count(b"HTTP/1.1 200") == 1
    assert b"HTTP/1.1 4" not in answer
    assert seconds > 1.5


def an_idle_connection_is_closed_after_a_late_body(hurried):
    """A body that comes once the request is answered does not keep the connection open for ever."""
    head = b"POST /nothing HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"
    with connected(hurried, head) as connection:
        assert connection.recv(12) == b"HTTP/1.1 404"
        connection.sendall(b"{}")
        assert b"HTTP/1.1" not in all_of(connection)[0]


def the_rest_of_an_answered_request_has_a_limit(hurried):
    """Nor does a body of which a part never comes."""
    head = b"POST /nothing HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    with connected(hurried, head) as connection:
        assert connection.recv(12) == b"HTTP/1.1 404"
        connection.sendall(b"{")
        assert b"HTTP/1.1" not in all_of(connection)[0]


def a_body_that_stops_is_refused(hurried):
    """After a pause; what came is not answered."""
    with connected(hurried, POST) as connection:
        assert status(all_of(connection)[0]) == (408, "too-slow")


def a_body_that_never_pauses_has_a_limit(hurried):
    """Byte by byte, until the time for all of it is over."""
    begun = time.monotonic()
    with connected(hurried, POST) as connection:
        assert status(dripped(connection)) == (408, "too-slow")
    assert time.monotonic() - begun > 1.5


def a_client_that_does_not_read_is_cut_off(hurried):
    """Answers that nobody takes do not pile up."""
    place = urlsplit(hurried)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(SLACK)
        connection.connect((place.hostname, place.port))
        connection.sendall(GET.replace(b"/api", b"/api/openapi.json").replace(b"HOST", place.netloc.encode()) * 300)
        time.sleep(4.0)
        answers = b""
        with suppress(ConnectionError):
            answers, _ = all_of(connection)
    assert answers.count(b"HTTP/1.1 200") < 300


def others_are_answered_meanwhile(hurried):
    """Many connections that send half a head take no place of those that ask."""
    held = [socket.create_connection((urlsplit(hurried).hostname, urlsplit(hurried).port)) for _ in range(100)]
    try:
        for connection in held:
            connection.sendall(b"GET /")
        assert httpx.get(f"{hurried}/api", timeout=SLACK).status_code == 200
        for connection in held:
            connection.settimeout(SLACK)
            assert status(all_of(connection)[0]) == (408, "too-slow")
    finally:
        for connection in held:
            connection.close()


CASES = [
    a_connection_that_sends_nothing_is_closed,
    half_a_head_is_refused,
    more_bytes_do_not_prolong_a_head,
    half_a_head_after_an_answer_is_refused,
    an_idle_connection_is_closed,
    an_idle_connection_is_closed_after_a_late_body,
    the_rest_of_an_answered_request_has_a_limit,
    a_body_that_stops_is_refused,
    a_body_that_never_pauses_has_a_limit,
    a_client_that_does_not_read_is_cut_off,
    others_are_answered_meanwhile,
]


@pytest.fixture(scope="module")
def begun(hurried):
    """All connections stall at the same time: they mostly wait."""
    with ThreadPoolExecutor(len(CASES)) as pool:
        yield {case: pool.submit(case, hurried) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_what_stalls_is_ended(begun, case):
    """As the case says, in its words."""
    begun[case].result(60)


def test_the_usual_limits():
    """Those of the docs: a head in 10 s, a body in 120 s without a pause of 20 s, an idle connection for 30 s."""
    assert (server.HEAD_TIME, server.IDLE_TIME, server.READ_TIME) == (10, 30, 120)
    assert (guard._PIECE_TIME, guard._BODY_TIME) == (20, 120)
