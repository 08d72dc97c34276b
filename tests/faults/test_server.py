"""The server and its files: ended by any signal while one is sent and one is read, or with a disk that is full."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from howsure.web import uploads
from tests.fuzz import requests
from tests.web import processes
from tests.web.conftest import QUESTION, serving
from tests.web.test_safety import BYTES, left, sent_in_part, until

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals here")
STAYS = {"starting"}  # an empty file whose lock keeps two servers from starting at once; and the script of charts
SLICES = ("label,pred,who\n" + "".join(f"{i % 2},{i % 3 % 2},p{i % 400}\n" for i in range(20_000))).encode()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for temporary files whose path is as short as usual: sockets take no long ones."""
    found = Path(tempfile.mkdtemp(prefix="t-"))
    yield found
    shutil.rmtree(found)


def there(place: Path) -> set[str]:
    """All that is in the folder of servers, and beside it."""
    own = [x for folder in place.glob("howsure-web-*") for x in folder.iterdir()]
    beside = [x for x in place.iterdir() if not x.name.startswith("howsure-web-")]
    return {x.name for x in (*own, *beside) if not x.name.startswith("vega-")}


def read_in_part(address: str) -> http.client.HTTPConnection:
    """A connection on which an answer about a whole file is waited for."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port)
    connection.request("POST", "/api/file/score?name=x.csv&by=who&metric=phi&report=true", SLICES, BYTES)
    return connection


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda x: x.name)
def test_nothing_stays_of_a_server_that_is_ended(sign, place) -> None:
    """Neither files nor sockets nor workers; what was killed is tidied up by the next server, and only then."""
    with serving(folder=place) as (address, process):
        assert httpx.post(f"{address}/api/score", json=QUESTION, timeout=60).status_code == 200
        reading, sending = read_in_part(address), sent_in_part(address)
        until(lambda: len(left(place)) == 2)
        below = processes.below(process.pid)
        process.send_signal(sign)
        code = process.wait(timeout=30)
        assert code == (-sign if sign == signal.SIGKILL else 128 + sign)
        assert process.stderr.read().strip() == ""
        until(lambda: not any(map(processes.alive, below)))
        reading.close()
        sending.close()
    if sign == signal.SIGKILL:
        assert there(place) > STAYS
        with serving(folder=place) as (address, process):
            assert httpx.get(address, timeout=60).status_code == 200
            assert left(place) == []
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 128 + signal.SIGTERM
    assert there(place) == STAYS


def test_an_ignored_hang_up_stays_ignored(place) -> None:
    """A server that was started under nohup goes on when its terminal closes."""
    before = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with serving(folder=place, before=before) as (address, process):
        assert httpx.get(address, timeout=60).status_code == 200
        process.send_signal(signal.SIGHUP)
        assert httpx.post(f"{address}/api/score", json=QUESTION, timeout=60).status_code == 200
        assert process.poll() is None


@pytest.mark.parametrize("step", ["folder", "open", "write"])
def test_a_disk_that_is_full_while_a_file_is_sent(step, monkeypatch) -> None:
    """Said in a sentence with a code that blames nobody's question, and nothing of the file is left."""

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    def folder(**how: Any) -> str:
        return full() if how["prefix"] == "file-" else made(**how)

    made = tempfile.mkdtemp
    if step == "folder":
        monkeypatch.setattr(uploads, "tempfile", _Like(tempfile, mkdtemp=folder))
    if step == "open":
        monkeypatch.setattr(uploads, "label", full)
    if step == "write":
        monkeypatch.setattr("asyncio.to_thread", full)
    asked = requests.read(b"POST /api/file/preview?name=x.csv\n\na,b\n1,2\n", BYTES["content-type"].encode())
    answer = requests.answered(asked)  # which looks for what is left
    told = json.loads(answer.body)["error"]
    assert (answer.status, told["code"]) == (507, "no-room")
    assert "No space left on device" in told["message"]


class _Like:
    """A module with another function in it."""

    def __init__(self, module: Any, **other: Any) -> None:
        self._module, self._other = module, other

    def __getattr__(self, name: str) -> Any:
        return self._other.get(name) or getattr(self._module, name)
