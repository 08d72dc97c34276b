"""Command lines in children of one process, so that each costs a fork and not a start; what they left is told as JSON.

python -m tests.faults.nursery reads a list of lines from standard input: words, the folder they run in, and a fault.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LONGEST = 60  # seconds for a line


@dataclass(frozen=True)
class Line:
    """A command line, and what befalls it: an interrupt at a function, a limit of the size of files, threads."""

    words: Sequence[str]
    folder: str
    interrupt: str = ""  # module:name; a method as module:Class.name
    after: int = 0  # an interrupt after that many calls of functions of ours
    most_bytes: int = 0
    threads: int = 0


@dataclass(frozen=True)
class Left:
    """What a line left behind."""

    code: int
    out: str
    err: str
    files: list[str] = field(default_factory=list)  # in its folder, that were not there before


def ran(lines: Sequence[Line], **environment: str) -> list[Left]:
    """All lines, one after the other."""
    given = json.dumps([asdict(x) for x in lines])
    made = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.faults.nursery"],
        input=given, capture_output=True, text=True, cwd=ROOT, check=False, timeout=LONGEST * (1 + len(lines)),
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **environment},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return [Left(**x) for x in json.loads(made.stdout)]


def _child(line: Line, out: int, err: int) -> None:
    from howsure.cli.app import run
    from howsure.cli.interrupts import heeded

    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - a device, for the life of the process
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    os.chdir(line.folder)
    signal.alarm(LONGEST)
    if line.interrupt:
        _interrupt_at(*line.interrupt.split(":"))
    if line.after:
        _interrupt_after(line.after)
    if line.most_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (line.most_bytes, line.most_bytes))
    if line.threads:
        _with_threads(line.threads)
    code = 70
    try:
        code = heeded(run, list(line.words))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _interrupt_at(module: str, name: str) -> None:
    """Control-C at the start of that function."""
    from importlib import import_module

    owner: Any = import_module(module)
    *way, last = name.split(".")
    for part in way:
        owner = getattr(owner, part)
    given = getattr(owner, last)

    def first(*a: Any, **k: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return given(*a, **k)

    setattr(owner, last, first)


def _interrupt_after(calls: int) -> None:
    """Control-C somewhere in the middle, the same place each time."""
    ours, left = os.path.join(ROOT, "src", "howsure"), calls  # noqa: PTH118 - compared with names of code

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal left
        if event == "call" and frame.f_code.co_filename.startswith(ours):
            left -= 1
            if not left:
                sys.setprofile(None)
                os.kill(os.getpid(), signal.SIGINT)

    sys.setprofile(count)


def _with_threads(many: int) -> None:
    from howsure.io import duck

    given = duck.connect

    def connect(*a: Any, **k: Any) -> Any:
        con = given(*a, **k)
        con.execute(f"SET threads = {many}")
        return con

    duck.connect = connect


def _one(line: Line) -> Left:
    before = {x.name for x in Path(line.folder).iterdir()}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            _child(line, out.fileno(), err.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for stream in (out, err):
            stream.seek(0)
        told = [x.read().decode(errors="replace") for x in (out, err)]
    return Left(code, *told, sorted(x.name for x in Path(line.folder).iterdir() if x.name not in before))


def main() -> None:
    """Modules are imported once, before the first fork; DuckDB starts its threads in the children."""
    import duckdb  # noqa: F401
    import scipy.special  # noqa: F401

    lines = [Line(**x) for x in json.loads(sys.stdin.read())]
    json.dump([asdict(_one(x)) for x in lines], sys.stdout)


if __name__ == "__main__":
    main()
