"""The web app on this machine: its address, token, protocol and end."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.web.answers import Reply, refusal

# -- speaking
#
# The HTTP protocol of the server: uvicorn's, with one shape of errors and an end to connections that stall.

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


# -- serving
#
# Serving the page on this machine: an address, a token where others may come, and an end when asked.

_USUAL_PORT: Final = 8017
_LEAVE: Final = 1  # seconds for open requests at the end


def check_installed() -> None:
    """One sentence where the extra is missing."""
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "vl_convert")):
        raise BadSetting("the page needs fastapi, uvicorn and vl-convert-python: pip install 'howsure[web]'.")


def serve(
    host: str, port: int | None, browser: bool, say: Callable[[str], None], *, workers: int | None = None
) -> None:
    """Serve until interrupted; `say` is told the address."""
    check_installed()
    import uvicorn

    from howsure.web import uploads
    from howsure.web.application import application

    uploads.root()  # where files cannot be kept, that is said before an address is
    with _bound(host, port) as listening:
        bound, number = listening.getsockname()[:2]
        token = None if is_loopback(bound) else secrets.token_urlsafe(24)
        address = f"http://{_written(host)}:{number}/"
        shown = address if token is None else f"{address}?token={token}"
        app = application(hosts=_hosts((host, bound), number) if token is None else None, token=token, workers=workers)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, server_header=False, date_header=True, lifespan="on",
            timeout_graceful_shutdown=_LEAVE, timeout_keep_alive=IDLE_TIME, ws="none", proxy_headers=False,
            http=JsonProtocol,
        )  # fmt: skip
        say(shown)  # the socket is open: who comes early waits
        if browser:
            threading.Thread(target=webbrowser.open, args=(shown,), daemon=True).start()
        with _ended_in_order():
            uvicorn.Server(config).run(sockets=[listening])


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM ends Python as an exit does, so that what multiprocessing keeps in the temporary folder is deleted.

    uvicorn closes all, and then raises the signal once more, which would end the process on the spot. It does not heed
    SIGHUP, and swallows what a handler of that raises while a request is answered.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def end(number: int, _frame: Any) -> None:
        sys.exit(128 + (asked or [number])[0])

    def hang_up(number: int, _frame: Any) -> None:
        asked.append(number)
        signal.raise_signal(signal.SIGTERM)

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) not in (signal.SIG_IGN, None):
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_loopback(address: str) -> bool:
    """Whether an address that a socket listens on is reached from this machine only.

    >>> [is_loopback(x) for x in ("127.0.0.1", "127.8.9.10", "::1")]
    [True, True, True]
    >>> [is_loopback(x) for x in ("0.0.0.0", "::", "192.0.2.1", "::ffff:127.0.0.1")]
    [False, False, False, False]
    """
    found = ipaddress.ip_address(address)
    return found in ipaddress.ip_network("127.0.0.0/8") or found == ipaddress.ip_address("::1")


def _hosts(own: tuple[str, ...], port: int) -> frozenset[str]:
    names = ("127.0.0.1", "localhost", "[::1]", *(_written(x).lower() for x in own))
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket at the port, or at a free one where none was asked for and the usual one is taken."""
    if not host.strip():
        raise BadSetting(f"{option('host')} needs an address, such as 127.0.0.1; got {host!r}.")
    tried = [port] if port is not None else [_USUAL_PORT, 0]
    for one in tried:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, one))
            found.listen(512)
        except (OSError, TypeError, UnicodeError) as error:
            found.close()
            if one == tried[-1]:
                told = getattr(error, "strerror", None) or error
                raise BadSetting(f"cannot listen at {host!r} port {one}: {told}.") from None
        else:
            return found
    raise BadSetting(f"no port is free at {host}.")
