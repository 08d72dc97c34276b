"""Requests to the web page as bytes, answered in this process: the application as it is, without its workers.

A request is written nearly as HTTP has it: `POST /api/file/score?name=x.csv`, lines of headers, an empty line, and the
body. Host and content type are filled in where they are not given; `cut: yes` is a client that goes away half-way.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, unquote

from howsure.web.answers import Job, Reply, answer
from howsure.web.api import Serving
from howsure.web.application import application
from howsure.web.guard import Guard
from howsure.web.uploads import Folder, Reports
from tests.hostile.running import Ran, wrong_with

_HOST = b"127.0.0.1:8017"
_METHOD = re.compile(rb"[A-Z]+")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff]*)")
_NEVER = re.compile(rb"<\s*(script|iframe|object|embed|base|form|x-)|<[^<>\"']*\son\w+\s*=|javascript:", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A request as a server hands it on: what HTTP cannot carry does not get so far."""

    method: str
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""

    @property
    def scope(self) -> dict[str, Any]:
        """What ASGI calls it."""
        path, _, query = self.target.partition(b"?")
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": self.method, "scheme": "http",
            "path": unquote(path.decode("latin-1")), "raw_path": path, "query_string": query, "root_path": "",
            "headers": self.headers, "client": None, "server": None,
        }  # fmt: skip

    @property
    def words(self) -> tuple[str, ...]:
        """What the user wrote, which may stand in a message."""
        query = parse_qsl(self.target.partition(b"?")[2].decode("latin-1"))
        return ("asked", *(x for pair in query for x in pair), *(v.decode("latin-1") for _, v in self.headers))


@dataclass
class Answered:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    whole: bool = False
    warned: tuple[str, ...] = ()


def read(data: bytes, kind: bytes) -> Asked:
    """The request that bytes mean; `kind` is the content type of those that name none."""
    head, _, body = data.partition(b"\n\n")
    first, *rest = head.split(b"\n")
    method, _, target = first.partition(b" ")
    given = [(m[1].lower(), m[2].strip()) for x in rest if (m := _HEADER.fullmatch(x))]
    names = {name for name, _ in given}
    usual = [(b"host", _HOST), (b"content-type", kind)]
    target = b"/" + re.sub(rb"[^\x21-\x7e]", lambda m: b"%%%02X" % m[0][0], target).partition(b"#")[0].lstrip(b"/")
    return Asked(
        (method if _METHOD.fullmatch(method) else b"POST").decode(), target,
        [*(x for x in usual if x[0] not in names), *given], body,
    )  # fmt: skip


def answered(asked: Asked) -> Answered:
    """The answer of the application; nothing may be left of what was asked."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as place, _temporary(place), closing(Folder()) as folder:
        guard = _application()
        guard.app.state.serving = Serving(_Here(), folder, Reports())  # type: ignore[arg-type]
        guard.app.state.bundle = SimpleNamespace(script=_no_script)
        with ThreadPoolExecutor(1) as own:  # the thread of the tests may have the loop of a browser
            made = own.submit(lambda: asyncio.run(_asked(guard, asked))).result()
        left = sorted(x.name for x in Path(place).rglob("*"))
        assert left == sorted([folder.path.parent.name, folder.path.name, "in-use", "starting"]), left
    assert Path.cwd() == here, "the worker is elsewhere now"
    return made


@cache
def _application() -> Guard:
    return application(hosts=frozenset({_HOST.decode()}))


async def _no_script(_serving: Serving) -> bytes:
    return b"// Vega, which takes seconds to make"


class _Here:
    """In place of workers: what they run, in this process; a job of theirs comes and goes as bytes."""

    async def run(self, job: Job, _gone: asyncio.Future[Any], _limit: float) -> Reply:
        sent: Job = ForkingPickler.loads(ForkingPickler.dumps(job))
        reply: Reply = ForkingPickler.loads(ForkingPickler.dumps(answer(sent)))
        return reply


@contextmanager
def _temporary(place: str) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, place
    try:
        yield
    finally:
        tempfile.tempdir = before


async def _asked(guard: Guard, asked: Asked) -> Answered:
    """One request, and the report that its answer points to."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        made = await _once(guard, asked)
        report = _document(made).get("report") if made.status == 200 and _is_json(made) else None
        if report is not None:
            page = await _once(guard, Asked("GET", report.encode(), [(b"host", _HOST)]))
            assert page.status == 200, page
            _check_page(page)
    made.warned = tuple(f"{w.category.__name__}: {w.message} ({Path(w.filename).name}:{w.lineno})" for w in warned)
    return made


async def _once(guard: Guard, asked: Asked) -> Answered:
    made, half = Answered(), len(asked.body) // 2
    cut = (b"cut", b"yes") in asked.headers
    coming = iter([(asked.body[:half], True), (asked.body[half:], False)][: 1 if cut else 2])

    async def receive() -> dict[str, Any]:
        body, more = next(coming, (b"", None))
        if more is not None:
            return {"type": "http.request", "body": body, "more_body": more}
        if not cut:
            await asyncio.Event().wait()  # a client that waits for its answer sends nothing
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        assert not made.whole
        if message["type"] == "http.response.start":
            assert not made.status
            made.status = message["status"]
            made.headers = {k.decode().lower(): v.decode() for k, v in message["headers"]}
        else:
            made.body += message.get("body", b"")
            made.whole = not message.get("more_body", False)

    await asyncio.wait_for(guard(asked.scope, receive, send), 60)
    return made


# -- what must not be


def check(asked: Asked, made: Answered) -> bool:
    """Whether it was answered; else it was refused in a sentence, with a code that says that it was the asker's."""
    assert made.whole, "half an answer"
    assert not made.warned, made.warned
    assert made.status in (200, 303, 304) or 400 <= made.status < 500, made
    assert "content-security-policy" in made.headers
    if made.status >= 400 and asked.method != "HEAD":
        error = _document(made)["error"]
        told = Ran(asked.words, 2, "", f"howsure: {error['message']}\n", (), 0.0)
        assert not wrong_with(told), wrong_with(told)
        assert set(error) == {"code", "message"}
        assert "howsure-web" not in error["message"]
    elif _is_json(made):
        _check_document(made)
    elif made.headers.get("content-type", "").startswith("text/html") and asked.scope["path"].startswith("/api/"):
        _check_page(made)
    return made.status < 400


def _is_json(made: Answered) -> bool:
    return made.headers.get("content-type") == "application/json" and bool(made.body)


def _document(made: Answered) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.body, parse_constant=_no_number)
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _check_document(made: Answered) -> None:
    """Numbers that can be, and rows that add up, as of the command."""
    found = _document(made)
    text = json.dumps(found.get("document", found))
    wrong = wrong_with(Ran(("score", "--format", "json"), 0, text, "", (), 0.0))
    assert not wrong, wrong


def _check_page(made: Answered) -> None:
    """What users wrote is no part of the page's own markup."""
    found = _NEVER.search(made.body)
    assert found is None, made.body[max(0, found.start() - 80) : found.end() + 80]
