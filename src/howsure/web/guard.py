"""What every request passes first: who may ask, from where, how much, and in which form."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from howsure.errors import listing, nearest, plural
from howsure.messages.user_text import visible
from howsure.web.answers import Reply, quoted, refusal

# -- guarding
#
# What every request passes first: who may ask, from where, and how much; and the headers of every response.

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST_JSON: Final = 1_000_000
MOST_FILE: Final = 100_000_000
MOST_AT_ONCE: Final = 1000  # requests; uvicorn has such a limit too, but refuses in plain text
_PIECE_TIME: Final = 20.0  # seconds without a byte
_BODY_TIME: Final = 120.0  # seconds for a whole body
_DRAINED: Final = 1_000_000_000  # bytes that are thrown away so that a browser gets to read why
_DIGITS: Final = 18  # of a length
_COOKIE: Final = "howsure_token"
_FILES: Final = "/api/file/"
REPORTS: Final = "/report/"

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups"
)
_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class Refused(HTTPException):
    """A request that goes no further."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(status, message)
        self.code = code


@dataclass(frozen=True)
class Guard:
    """An application of ASGI around another one. `hosts` are the names it answers to, all where it is None."""

    app: Any
    hosts: frozenset[str] | None
    token: str | None = None
    running: set[object] = field(default_factory=set)  # requests that have no answer yet

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse, or pass on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        answered, mine = _Headed(scope["path"], send), object()
        try:
            if len(self.running) >= MOST_AT_ONCE:
                raise Refused(503, "busy", "too many requests at once; ask again in a moment.")
            self.running.add(mine)
            self._check(scope, headers)
            cookie = self._enter(scope, headers)
            if cookie is not None:
                await _welcome(scope, cookie, answered)
                return
            limit = _limit(scope, headers)
            await self.app(scope, _Body(receive, limit).receive, answered)
        except Refused as no:
            await _refuse(scope, no, receive, answered)
        finally:
            self.running.discard(mine)

    def _check(self, scope: Message, headers: dict[str, str]) -> None:
        """A page of somebody else must not reach us: neither by another name of this machine, nor across sites."""
        host = headers.get("host", "")
        if self.hosts is not None and host.lower() not in self.hosts:
            raise Refused(403, "host", f"this server answers to {min(self.hosts)}, not to {quoted(host)}.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise Refused(403, "origin", f"pages of {quoted(origin)} may not ask this server.")
        elsewhere = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        opened = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if elsewhere and not (opened and scope["path"] == "/"):
            raise Refused(403, "origin", "other sites may link to the page, but not ask this server.")

    def _enter(self, scope: Message, headers: dict[str, str]) -> str | None:
        """Whether a token is there that fits; one of the address is to become a cookie."""
        if self.token is None:
            return None
        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if shown and scope["method"] == "GET":
            self._fits(shown[-1])
            return self.token
        way, _, bearer = headers.get("authorization", "").partition(" ")
        self._fits(bearer.strip() if way.lower() == "bearer" else _cookie(headers.get("cookie", "")))
        return None

    def _fits(self, given: str) -> None:
        if not hmac.compare_digest(given.encode("utf-8", "replace"), (self.token or "").encode()):
            raise Refused(401, "token", "a token is needed: open the address that howsure serve printed.")


def _cookie(text: str) -> str:
    try:
        found = SimpleCookie(text).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _limit(scope: Message, headers: dict[str, str]) -> int:
    """How large a body may be; what it is must be said."""
    if scope["method"] not in ("POST", "PUT", "PATCH"):
        return MOST_JSON
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    file = scope["path"].startswith(_FILES)
    if not file and kind != "application/json":
        told = "the body must be JSON, and say so: send the header content-type: application/json"
        raise Refused(415, "media-type", f"{told}; got {quoted(kind or 'nothing')}.")
    simple = ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
    if file and kind in simple:
        told = "send the bytes of the file as they are, with the header content-type: application/octet-stream"
        curl = "curl -H 'content-type: application/octet-stream' --data-binary @FILE"
        raise Refused(415, "media-type", f"{told} (or text/csv); got {quoted(kind or 'nothing')}. With curl: {curl}.")
    limit = MOST_FILE if file else MOST_JSON
    length = headers.get("content-length", "")
    if length.isdecimal() and len(length) > _DIGITS:  # more than a float holds, or than Python reads
        raise too_large(limit)
    if length.isdecimal() and int(length) > limit:
        raise too_large(limit, int(length))
    return limit


def too_large(limit: int, length: int | None = None) -> Refused:
    """What to do with more than is taken."""
    given = "this is more" if length is None else f"this is {length / 1e6:,.1f} MB"
    said = f"at most {plural(limit // 1_000_000, 'MB is', 'MB are')} taken; {given}."
    more = " For larger files use the command: howsure score FILE." if limit == MOST_FILE else ""
    return Refused(413, "too-large", said + more)


class _Body:
    """A body in pieces, of bounded size and time."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit = receive, limit
        self._end = time.monotonic() + _BODY_TIME
        self._read, self._done = 0, False

    async def receive(self) -> Message:
        if self._done:
            return await self._receive()
        left = min(_PIECE_TIME, self._end - time.monotonic())
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.001))
        except TimeoutError:
            raise Refused(408, "too-slow", "the body of the request did not arrive in time.") from None
        self._read += len(message.get("body", b""))
        if self._read > self._limit:
            raise too_large(self._limit)
        self._done = not message.get("more_body", False)
        return message


class _Headed:
    """Responses with the headers of all."""

    def __init__(self, path: str, send: Send) -> None:
        self._path, self._send, self.begun = path, send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            own = {k.lower() for k, _ in message["headers"]}
            policy = REPORT_POLICY if self._path.startswith(REPORTS) else POLICY
            more = [*_HEADERS, (b"content-security-policy", policy.encode())]
            more += [] if b"cache-control" in own else [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*message["headers"], *more]}
        await self._send(message)


async def _welcome(scope: Message, token: str, send: _Headed) -> None:
    """The token leaves the address and becomes a cookie that no script reads; the way on is to the page alone."""
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    query.pop("token", None)
    rest = urlencode(query, doseq=True)
    headers = [
        (b"location", f"/{'?' if rest else ''}{rest}".encode()),
        (b"set-cookie", f"{_COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/".encode()),
        (b"content-length", b"0"),
    ]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Message, no: Refused, receive: Receive, send: _Headed) -> None:
    """Say why. A browser reads that only once it has sent all, so what still comes is thrown away, up to a point."""
    if send.begun:
        raise no
    reply: Reply = refusal(no.status_code, no.code, str(no.detail))
    headers = [(b"content-type", reply.kind.encode()), (b"content-length", str(len(reply.body)).encode()),
               (b"connection", b"close")]  # fmt: skip
    headers += [(b"retry-after", b"1")] if no.status_code == 503 else []
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    body = b"" if scope["method"] == "HEAD" else reply.body
    if no.status_code not in (408, 503):  # a connection that is closed with bytes unread is reset
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await _drain(receive)
        body = b""
    await send({"type": "http.response.body", "body": body})


async def _drain(receive: Receive) -> None:
    end, read = time.monotonic() + _PIECE_TIME, 0
    while read < _DRAINED and time.monotonic() < end:
        try:
            message = await asyncio.wait_for(receive(), 2.0)
        except TimeoutError:
            return
        read += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


# -- checking
#
# Requests as they are described: every setting of the address known and given once, JSON in UTF-8, its keys too.


class CheckedRoute(APIRoute):
    """A path of the API, of which nothing that is sent is passed over."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer, known = super().get_route_handler(), _settings(self.dependant.query_params)

        async def checked(request: Request) -> Response:
            refuse_odd(known, [name for name, _ in request.query_params.multi_items()])
            return await answer(_Read(request.scope, request.receive))

        return checked


class _Read(Request):
    """A request whose JSON is read as it is described."""

    async def json(self) -> Any:
        """What it holds."""
        return read(await self.body())


def _settings(fields: Iterable[Any]) -> dict[str, bool]:
    """The settings of an address, and whether each may be given several times."""
    found: dict[str, bool] = {}
    for one in fields:
        kind = one.field_info.annotation
        own = kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else None
        if own is None:
            found[one.alias] = "list[" in str(kind)
        else:
            found |= {name: "list[" in str(x.annotation) for name, x in own.items()}
    return found


def refuse_odd(known: dict[str, bool], given: Sequence[str]) -> None:
    """Refuse a setting that is not known, or that is there twice and cannot be."""
    for name in given:
        told = visible(quoted(name))
        if name not in known:
            there = f" Known: {listing(known, 40)}." if known else " There are none here."
            raise Refused(422, "bad-request", f"no setting {told} in the address.{nearest(name, known)}{there}")
        if not known[name] and given.count(name) > 1:
            raise Refused(422, "bad-request", f"the setting {told} of the address is given twice; give it once.")


def read(body: bytes) -> Any:
    """A body as JSON; what cannot be read as such is an error of json."""
    if b"\0" in body[:4]:  # as in UTF-16 and UTF-32; no JSON has it
        raise Refused(400, "not-json", "the body is not JSON: it must be in UTF-8.")
    return json.loads(body.decode("utf-8-sig"), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values of one key none would be the right one."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Refused(422, "bad-request", f"{visible(quoted(key))} is given twice in the body; give it once.")
        found[key] = value
    return found
