"""The command `howsure serve`: every option is heard, and what cannot be is one sentence."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import httpx
import pytest

from howsure.cli.app import app, run
from howsure.web import server as web_serving
from tests.refusals import one_sentence
from tests.web.conftest import serving

TRIED = {"--port", "--host", "--no-browser"}


@pytest.fixture
def started(monkeypatch):
    """What would be served, without serving it: the socket is real."""
    import uvicorn

    seen = {}

    def serve_nothing(self, sockets):
        seen["at"] = sockets[0].getsockname()
        seen["guard"] = self.config.app

    monkeypatch.setattr(uvicorn.Server, "run", serve_nothing)
    monkeypatch.setattr(web_serving.webbrowser, "open", lambda address: seen.update(opened=address))
    return seen


def test_every_option_is_tried_here():
    """A new option needs a test."""
    assert {p.opts[0] for p in app.commands["serve"].params} == TRIED


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_port(started, capsys):
    """The one that was asked for; a free one for 0; a taken one is told."""
    port = free_port()
    assert run(["serve", "--port", str(port), "--no-browser"]) == 0
    assert started["at"] == ("127.0.0.1", port)
    assert f"http://127.0.0.1:{port}/" in capsys.readouterr().out
    assert run(["serve", "--port", "0", "--no-browser"]) == 0
    assert started["at"][1] not in (0, port)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        capsys.readouterr()
        assert run(["serve", "--port", str(taken.getsockname()[1]), "--no-browser"]) == 2
        assert one_sentence(capsys.readouterr().err)
    assert run(["serve", "--port", "70000", "--no-browser"]) == 2


def test_a_free_port_where_the_usual_one_is_taken(started):
    """Two servers side by side, without an option."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 8017))
        taken.listen()
        assert run(["serve", "--no-browser"]) == 0
        assert started["at"][1] != 8017


ALONE = ["127.0.0.1", "127.0.0.2", "127.1", "localhost", "LOCALHOST", "::1", "0:0:0:0:0:0:0:1", "a-name-of-loopback"]
OPEN = ["0.0.0.0", "::", "::ffff:127.0.0.1", "a-name-of-all"]


@pytest.fixture
def names(monkeypatch):
    """Two host names: one for this machine only, one for all that can reach it."""
    known = {"a-name-of-loopback": "127.0.0.3", "a-name-of-all": "0.0.0.0"}

    class Named(socket.socket):
        def bind(self, address):
            super().bind((known.get(address[0], address[0]), address[1]))

    monkeypatch.setattr(web_serving.socket, "socket", Named)


def start(host, started):
    """Start at an address; machines without IPv6 cannot."""
    if ":" in host and not has_ipv6():
        pytest.skip("there is no IPv6 here")
    assert run(["serve", "--port", "0", "--no-browser", "--host", host]) == 0
    return started["guard"], started["at"][1]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as found:
            found.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ALONE)
def test_loopback_needs_no_token(started, names, capsys, host):
    """Whatever it is called; it answers to that name, to the address, and to the usual names of this machine."""
    guard, port = start(host, started)
    assert guard.token is None
    assert "token" not in capsys.readouterr().out
    written = f"[{host}]" if ":" in host else host.lower()
    bound = started["at"][0]
    for name in (written, f"[{bound}]" if ":" in bound else bound, "127.0.0.1", "localhost", "[::1]"):
        assert f"{name}:{port}" in guard.hosts


@pytest.mark.parametrize("host", OPEN)
def test_all_else_needs_a_token(started, names, capsys, host):
    """Made at random, and printed in the address."""
    guard, _ = start(host, started)
    assert guard.hosts is None
    assert len(guard.token) >= 24
    assert f"/?token={guard.token}" in capsys.readouterr().out


@pytest.mark.parametrize("host", ["no.such.host.invalid", "", "127.0.0.256"])
def test_what_is_no_address_is_one_sentence(started, capsys, host):
    """With what was given."""
    assert run(["serve", "--host", host, "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert repr(host) in said


def test_another_loopback_address_is_answered(tmp_path):
    """By its own name."""
    with serving("--host", "127.0.0.2", folder=tmp_path) as (address, _):
        assert address.startswith("http://127.0.0.2:")
        assert httpx.get(address, timeout=60).status_code == 200


def test_browser(started):
    """Opened at the address, unless told not to."""
    assert run(["serve", "--port", "0", "--no-browser"]) == 0
    assert "opened" not in started
    assert run(["serve", "--port", "0"]) == 0
    end = time.monotonic() + 10
    while "opened" not in started and time.monotonic() < end:
        time.sleep(0.01)
    assert started["opened"] == f"http://127.0.0.1:{started['at'][1]}/"


def test_a_missing_extra_is_one_sentence(monkeypatch, capsys):
    """With the line that installs it."""
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "uvicorn" else real(name, *rest)
    )
    assert run(["serve", "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert one_sentence(said)
    assert "pip install 'howsure[web]'" in said


def test_the_command_starts_as_before():
    """Nothing of the page is imported unless it is served."""
    code = (
        "import sys; from howsure.cli.app import run; run(['--help']); "
        "sys.exit(any(x in sys.modules for x in ('fastapi', 'uvicorn', 'pydantic', 'asyncio')))"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env={**os.environ})
    assert made.returncode == 0
