"""Serving the page on this machine: an address, a token where others may come, and an end when asked."""

from __future__ import annotations

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

from howsure.errors import BadSetting
from howsure.language import option

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
    from howsure.web.speaking import IDLE_TIME, JsonProtocol

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
