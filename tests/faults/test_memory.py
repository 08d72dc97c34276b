"""A file far larger than the memory: what is kept of it does not grow with it; too little memory is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.nursery import ROOT
from tests.refusals import one_sentence

BLOCK = "1,0,text of a row that nobody asks for,0.25\n0,1,other text of another row,0.75\n1,1,x,0.5\n" * 20_000
LIMIT = 512 << 20
# A process has the memory of the one that it was forked from in its record: a small one has to start it.
STARTER = """
import os, pathlib, resource, subprocess, sys
kind, most = getattr(resource, sys.argv[1]), int(sys.argv[2])
resource.setrlimit(kind, (most, most))
child = subprocess.Popen(sys.argv[4:])
_, status, used = os.wait4(child.pid, 0)
pathlib.Path(sys.argv[3]).write_text(f"{os.waitstatus_to_exitcode(status)} {used.ru_maxrss}")
"""


def made(path: Path, size: int) -> int:
    """A file of at least that many bytes; its rows."""
    with path.open("w") as file:
        file.write("y,z,t,s\n")
        blocks = -(-size // len(BLOCK))
        for _ in range(blocks):
            file.write(BLOCK)
    return blocks * 60_000


def run(path: Path, limit: str = "RLIMIT_DATA", size: int = LIMIT) -> tuple[int, bytes, str, int]:
    """Exit code, output, messages and the most memory that was in use, in bytes, where the system gives so much."""
    line = [sys.executable, "-m", "howsure", "score", str(path), "--truth", "y", "--pred", "z", "--format", "json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    told = path.with_suffix(".told")
    starter = [sys.executable, "-c", STARTER, limit, str(size), str(told), *line]
    done = subprocess.run(starter, env=env, capture_output=True, check=False)
    code, most = map(int, told.read_text().split())
    return code, done.stdout, done.stderr.decode(), most * 1024


@pytest.mark.parametrize(
    "size", [pytest.param(200_000_000, id="200 MB"), pytest.param(2_000_000_000, id="2 GB", marks=pytest.mark.deep)]
)
def test_memory_does_not_grow_with_the_file(size, tmp_path) -> None:
    """All rows are counted by a process that gets 512 MB; a file takes a quarter of its size, or 128 MB at most."""
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    made(small, 1000)
    rows = made(large, size)
    least, (code, out, err, most) = run(small)[3], run(large)
    assert (code, err) == (0, "")
    assert json.loads(out)["data"]["rows"]["read"] == rows
    assert most < LIMIT
    assert most - least < 128 << 20
    large.unlink()


@pytest.mark.deep  # how much is left for DuckDB varies with the libraries: one of them may end the process first
def test_too_little_memory_is_one_sentence(tmp_path) -> None:
    """With 420 MB of addresses DuckDB cannot read a file of two blocks: the sentence is ours, and says what to do."""
    path = tmp_path / "x.csv"
    rows = made(path, 100_000_000)
    code, out, err, _ = run(path, "RLIMIT_AS", 420 << 20)
    if code == 0:  # fewer cores take less
        assert json.loads(out)["data"]["rows"]["read"] == rows
        return
    assert (code, out) == (2, b"")
    assert one_sentence(err)
    assert "too little memory" in err
