"""Control-C and requests to end, at any time: an exit code, no trace, nothing left behind. Real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.tiers import turn

SIGNALS = [signal.SIGINT, signal.SIGTERM]


def one_in_turn(at: int) -> list[signal.Signals]:
    """One signal, another for the next test; both when deep."""
    return turn(SIGNALS, at, 2)


COUNTS = ["score", "--counts", "tp=80,fp=20,fn=30,tn=870"]


def command(before: str, *arguments: str, folder: Path, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """The command in a process of its own, after some lines of Python."""
    code = f"{textwrap.dedent(before)}\nfrom howsure.cli import main\nmain()\n"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes], sign: int, folder: Path) -> None:
    """The process ended by the signal: its code, no output, at most an empty line of messages, an empty folder."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + sign, b"")
    assert err.strip() == b""
    assert list(folder.iterdir()) == []


_AT_IMPORT = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), {sign})

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("click", signal.SIGINT),
        ("numpy", signal.SIGINT),
        ("howsure._score", signal.SIGTERM),
        ("scipy.special._ufuncs", signal.SIGINT),
    ],
)
def test_a_signal_during_an_import(tmp_path, name, sign):
    """The first half second of the command is imports, some of which make errors of their own of an interrupt."""
    ended(command(_AT_IMPORT.format(name=name, sign=int(sign)), *COUNTS, folder=tmp_path), sign, tmp_path)


_IN_QUERY = """
import os, threading
from howsure.io.files import Files

def run(self, query, bound):
    threading.Timer(0.3, os.kill, (os.getpid(), {sign})).start()
    many = [self.files[0].path] * 5000
    return self.con.execute("SELECT y, count(*) FROM read_csv(?) GROUP BY y", [many]).fetchnumpy()

Files.run = run
"""


@pytest.mark.parametrize("sign", one_in_turn(0), ids=lambda s: s.name)
def test_a_signal_during_a_query(tmp_path, sign):
    """DuckDB calls an interrupt a RuntimeError; it is no bug."""
    data = tmp_path / "data.csv"
    data.write_text("y,p\n" + "1,0\n1,1\n" * 100_000)
    folder = tmp_path / "folder"
    folder.mkdir()
    arguments = ["score", str(data), "--truth", "y", "--pred", "p", "--out", "x.json"]
    ended(command(_IN_QUERY.format(sign=int(sign)), *arguments, folder=folder), sign, folder)


@pytest.mark.parametrize("sign", one_in_turn(1), ids=lambda s: s.name)
def test_a_signal_while_standard_input_is_read(tmp_path, sign):
    """What was kept of standard input is removed."""
    process = command("", "score", "-", "--truth", "y", "--pred", "p", folder=tmp_path, stdin=subprocess.PIPE)
    process.stdin.write(b"y,p\n1,0\n")
    process.stdin.flush()
    until(lambda: list(tmp_path.glob("howsure-*/input")))
    process.send_signal(sign)
    ended(process, sign, tmp_path)


_WHILE_WRITTEN = """
import os
from howsure import atomic

def settle(place, old):
    os.kill(os.getpid(), {sign})

atomic._settle = settle
"""


@pytest.mark.parametrize(("sign", "name"), [(signal.SIGHUP, "x.json"), (signal.SIGTERM, "x.parquet")])
def test_a_signal_while_a_file_is_written(tmp_path, sign, name):
    """Neither the file nor a half of it is there."""
    ended(command(_WHILE_WRITTEN.format(sign=int(sign)), *COUNTS, "--out", name, folder=tmp_path), sign, tmp_path)


_SWALLOWED = """
import os, howsure.cli.commands
given = howsure.cli.commands.show

class Deaf:
    def __del__(self):
        os.kill(os.getpid(), {sign})
        for _ in range(1000):
            pass

def score(*a, **k):
    Deaf()
    return given(*a, **k)

howsure.cli.commands.show = score
"""


def test_a_signal_where_nothing_can_be_raised(tmp_path):
    """An interrupt that Python itself swallows leaves no message, and the code is still that of an interrupt."""
    process = command(_SWALLOWED.format(sign=int(signal.SIGINT)), *COUNTS, folder=tmp_path)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, b"")


def test_commands_of_tests_start_with_the_usual_signals():
    """Also under nohup and in the background of a script, where the tests themselves inherit that some are ignored."""
    shown = "import signal; print([signal.getsignal(x).__str__() for x in (signal.SIGHUP, signal.SIGTERM)], "
    shown += "signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    made = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    usual = str(signal.SIG_DFL)
    assert made.stdout.strip() == f"{[usual, usual]} True"


def test_ignored_signals_stay_ignored(tmp_path):
    """Whoever started the command under nohup, or in the background, meant it."""
    before = f"import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n{_IN_BETWEEN}"
    process = command(before, *COUNTS, folder=tmp_path)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"precision" in out


_IN_BETWEEN = """
import howsure.cli.commands
given = howsure.cli.commands.show

def score(*a, **k):
    os.kill(os.getpid(), signal.SIGHUP)
    return given(*a, **k)

howsure.cli.commands.show = score
"""


def until(found) -> None:
    """Wait for it."""
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def leaderboard(tmp_path_factory) -> tuple[list[str], bytes]:
    """A command that works for a while, and what it prints when nobody interrupts it."""
    data = tmp_path_factory.mktemp("data") / "data.csv"
    data.write_text("y,p\n" + "1,0\n0,0\n1,1\n" * 300_000)
    line = [sys.executable, "-m", "howsure", "leaderboard", str(data), "--truth", "y", "--pred", "p", "--pred", "y"]
    return line, subprocess.run(line, capture_output=True, check=True).stdout


@pytest.mark.parametrize("delay", [0.2, 0.6, *(pytest.param(x, marks=pytest.mark.deep) for x in (0.1, 0.3, 0.9))])
def test_an_interrupt_at_any_time(leaderboard, delay):
    """From the first line of ours on; before it, it is Python that says what it says.

    The output is there as a whole or not at all. Between its last byte and the end of the command an interrupt is
    still one: there both codes are right.
    """
    line, whole = leaderboard
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    if b"howsure/" not in err and b"Traceback" in err:
        return
    assert err.strip() == b""
    before_any_handler = -signal.SIGINT
    assert (process.returncode, out) in ((130, b""), (before_any_handler, b""), (0, whole), (130, whole))
