"""A PostgreSQL server for the tests: made in a temporary folder, reached by a socket, run by a user who is not root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
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


@contextlib.contextmanager
def postgres() -> Iterator[dict[str, object]]:
    """How to connect to a new, empty server; it is gone afterwards."""
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="howsure-pg-"))
    if owner is not None:
        shutil.chown(folder, owner)
    data, log = str(folder / "data"), str(folder / "log")

    def run(*line: str) -> None:
        done = subprocess.run(line, user=owner, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off -c shared_buffers=16MB"
    try:
        run(_program("initdb"), "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        run(_program("pg_ctl"), "-D", data, "-l", log, "-w", "-o", options, "start")
        try:
            yield {"host": str(folder), "user": "tester", "dbname": "postgres"}
        finally:
            run(_program("pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
