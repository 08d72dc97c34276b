"""The HTTP protocol of the server: uvicorn's, with one shape of errors and an end to connections that stall."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from howsure.web.answering import Reply, refusal

HEAD_TIME: Final = 10.0  # seconds for the head of a request, from the connection or from its first byte on
IDLE_TIME: Final = 30  # seconds that a connection may wait for its next request
READ_TIME: Final = 120.0  # seconds in which a client must read what it is sent
_NOT_HTTP: Final = refusal(400, "not-http", "this is not a readable HTTP request; its head may be too long.")
_TOO_SLOW: Final = refusal(408, "too-slow", "the head of the request did not arrive in time.")


class _Timer:
    """A call that comes later unless it is stopped; to start it again while it runs changes nothing."""

    _handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, call: Callable[[], None]) -> None:
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(seconds, call)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class JsonProtocol(H11Protocol):
    """One connection; while a request is being answered, the guard limits how long its body may take."""

    def connection_made(self, transport: Any) -> None:
        """Expect the head of a request."""
        self._request, self._reply = _Timer(), _Timer()
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # writing pauses whenever the client has not read everything
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        self._request.stop()
        self._reply.stop()
        self._unset_keepalive_if_required()

    def handle_events(self) -> None:
        """Read what has arrived."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of one that was answered before all of it was read."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Give the client a limited time to read."""
        super().pause_writing()
        self._reply.start(READ_TIME, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read everything."""
        super().resume_writing()
        self._reply.stop()

    def send_400_response(self, msg: str) -> None:
        """Say that a request cannot be read, and close; no application has seen it."""
        del msg  # plain text, for whoever runs a server
        self._refuse(_NOT_HTTP)

    def _watch(self) -> None:
        """Limit the time of a request that has begun and is not being answered; more bytes do not prolong it."""
        answered = self.cycle is None or self.cycle.response_complete
        idle = self.cycle is not None and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        if self.transport.is_closing() or not answered:
            self._request.stop()
        elif not idle:
            self._request.start(HEAD_TIME, self._close_late)
        else:
            self._request.stop()
            if self.timeout_keep_alive_task is None:  # uvicorn starts it with the response, and any byte stops it
                wait = asyncio.get_running_loop().call_later
                self.timeout_keep_alive_task = wait(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _close_late(self) -> None:
        """Close; a client that sent part of a head is told why."""
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._refuse(_TOO_SLOW)
        self.transport.close()

    def _refuse(self, reply: Reply) -> None:
        headers = [("content-type", reply.kind), ("content-length", str(len(reply.body))), ("connection", "close")]
        head = h11.Response(status_code=reply.status, headers=headers)
        parts = (head, h11.Data(data=reply.body), h11.EndOfMessage())
        self.transport.write(b"".join(self.conn.send(part) or b"" for part in parts))
        self.transport.close()
