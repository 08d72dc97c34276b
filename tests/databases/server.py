"""A PostgreSQL server for the tests, one for each worker, and a new database for whoever asks.

It is made in a temporary folder, reached by a socket, run by a user who is not root, and stopped by tests/conftest.py.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


def _program(name: str) -> str:
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(places[-1]) if places else shutil.which(name)
    assert found, f"there is no {name}: make system installs PostgreSQL"
    return found


def _owner() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


_RUNNING: list[tuple[dict[str, object], Callable[[], None]]] = []
_NUMBERS = itertools.count()


@contextlib.contextmanager
def postgres() -> Iterator[dict[str, object]]:
    """How to connect to a new, empty database."""
    import psycopg

    if not _RUNNING:
        _RUNNING.append(_started())
    where = _RUNNING[0][0]
    name = f"own{next(_NUMBERS)}"
    with psycopg.connect(**where, autocommit=True) as con:
        con.execute(f"CREATE DATABASE {name}")
    yield where | {"dbname": name}


def stop() -> None:
    """End the server, if there is one, and remove its files."""
    while _RUNNING:
        _RUNNING.pop()[1]()


def _started() -> tuple[dict[str, object], Callable[[], None]]:
    """How to connect to a new server, and what ends it."""
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="howsure-pg-"))
    if owner is not None:
        shutil.chown(folder, owner)
    data, log = str(folder / "data"), str(folder / "log")

    def run(*line: str) -> None:
        done = subprocess.run(line, user=owner, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def end() -> None:
        try:
            run(_program("pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off -c shared_buffers=16MB"
    run(_program("initdb"), "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
    run(_program("pg_ctl"), "-D", data, "-l", log, "-w", "-o", options, "start")
    return {"host": str(folder), "user": "tester", "dbname": "postgres"}, end
