"""The command as a process of its own, where that matters: pipes, closed streams, encodings, interrupts, odd places."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.hostile import columns, files
from tests.hostile.running import FOREIGN, ran, wrong_with
from tests.refusals import one_sentence
from tests.terminals import received

PLAIN = next(x for x in files.whole() if x.name == "plain.csv")
LINE = "score {} --truth y --pred z --metric f1 --format json"
HOWSURE = [sys.executable, "-W", "error", "-m", "howsure"]  # a warning is an error here
COMMAND = shlex.join(HOWSURE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for made in (PLAIN, *(x for x in files.packed_forms() if x.name in ("one.csv.gz", "one.jsonl.zst"))):
        made.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shell(text: str, **more) -> subprocess.CompletedProcess[bytes]:
    """A line of the shell, in which HOWSURE is the command."""
    env = {**os.environ, **more.pop("env", {})}
    made = subprocess.run(
        ["bash", "-c", text.replace("HOWSURE", COMMAND)], capture_output=True, timeout=120, env=env, check=False, **more
    )
    assert b"Traceback" not in made.stderr + made.stdout, made.stderr.decode(errors="replace")
    assert b"Warning" not in made.stderr
    return made


def refused(made: subprocess.CompletedProcess[bytes], *said: str) -> None:
    text = made.stderr.decode(errors="replace")
    assert (made.returncode, made.stdout) == (2, b""), text
    assert one_sentence(text)
    assert text.endswith("\n")
    assert text.splitlines()[0].endswith((".", "?", "Columns:", "Type:"))
    assert not FOREIGN.search(text)
    assert all(x in text for x in said), text


def rows(made: subprocess.CompletedProcess[bytes]) -> dict:
    assert (made.returncode, made.stderr) == (0, b""), made.stderr
    return json.loads(made.stdout)["data"]["rows"]


# -- what comes in


@pytest.mark.parametrize(
    "given",
    [
        "cat plain.csv | HOWSURE {}".format(LINE.format("-")),
        "HOWSURE {} < plain.csv".format(LINE.format("/dev/stdin")),
        "cat one.csv.gz | HOWSURE {}".format(LINE.format("/dev/stdin")),
        "HOWSURE {}".format(LINE.format("<(cat plain.csv)")),
        "cat one.jsonl.zst | HOWSURE {}".format(LINE.format("-")),
        "mkfifo pipe; cat plain.csv > pipe & HOWSURE {}".format(LINE.format("pipe")),
    ],
)
def test_streams_are_read_once_and_whole(folder, given):
    """Whatever can be read only once gives all of its rows."""
    assert rows(shell(given)) | {"where": []} == {"read": 40, "kept": 40, "left_out": {}, "where": []}


def test_streams_as_shards(folder):
    """Standard input is a shard like any other."""
    made = shell(f"cat plain.csv | HOWSURE {LINE.format('- one.csv.gz <(cat one.jsonl.zst)')} --pool")
    assert rows(made)["read"] == 120


@pytest.mark.parametrize("given", ["< /dev/null", "<&-"])
def test_nothing_comes_in(folder, given):
    """Empty or closed standard input is refused."""
    refused(shell(f"HOWSURE {LINE.format('-')} {given}"), "standard input")


@pytest.mark.deep
def test_large_stream(folder):
    """More than any pipe or buffer holds."""
    (folder / "large.csv").write_text(files.as_csv(files.TABLE) + files.as_csv(files.TABLE * 999, head=False))
    assert rows(shell(f"cat large.csv | HOWSURE {LINE.format('-')}"))["read"] == 40_000


def test_no_place_to_keep_a_stream(folder):
    """A folder for temporary files that is none: another is taken."""
    made = shell(f"cat plain.csv | HOWSURE {LINE.format('-')}", env={"TMPDIR": "/nowhere", "TMP": "/nowhere"})
    assert rows(made)["read"] == len(PLAIN.rows)


# -- what goes out


def test_output_that_nobody_reads(folder):
    """A pipe that is closed is silent."""
    made = shell(f"HOWSURE {LINE.format('plain.csv')} --by id | true; echo ${{PIPESTATUS[0]}}")
    assert (made.stdout, made.stderr) == (b"0\n", b"")


def test_output_that_cannot_be_written(folder):
    """Standard output on a full disk is refused in one sentence."""
    refused(shell(f"HOWSURE {LINE.format('plain.csv')} > /dev/full"), "standard output")


def test_closed_output(folder):
    """Without standard output there is one sentence; without standard error there is still the exit code."""
    refused(shell(f"HOWSURE {LINE.format('plain.csv')} >&-"), "standard output")
    assert shell("HOWSURE score nothing.csv --outcome o 2>&-").returncode == 2
    assert shell(f"HOWSURE {LINE.format('plain.csv')} 2>&-").returncode == 0


ASCII = {"PYTHONIOENCODING": "ascii"}


@pytest.mark.whole
@pytest.mark.parametrize(
    ("env", "form"),
    [(ASCII, "table"), (ASCII, "json"), ({"LC_ALL": "C", "PYTHONUTF8": "0"}, "table"),
     ({"PYTHONIOENCODING": "latin-1"}, "table")],
)  # fmt: skip
def test_output_in_other_encodings(folder, env, form):
    """Signs that the terminal does not know are written otherwise, and are no error."""
    made = dict(columns.odd_files())["csv emoji"]
    made.write(folder)
    found = shell(f"HOWSURE score '{made.name}' --truth y --pred z --by odd --metric f1 --format {form}", env=env)
    assert (found.returncode, found.stderr) == (0, b"")


def test_a_refusal_in_another_encoding(folder):
    """Signs that the terminal does not know are no error in a sentence either."""
    refused(shell("HOWSURE score plain.csv --outcome 'é👩‍👩‍👧'", env=ASCII))


def test_escapes_on_a_terminal(folder):
    """What is on a terminal obeys nobody but us."""
    made = dict(columns.odd_files())["csv escapes"]
    made.write(folder)
    main, other = pty.openpty()
    words = [*HOWSURE, *shlex.split(f"score {made.name} --truth odd --pred odd --metric accuracy --by odd")]
    found = subprocess.run(words, stdout=other, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    os.close(other)
    text = received(main)
    assert found.returncode == 0
    assert b"red" in text
    assert b"\x1b[31mred" not in text
    assert b"\x07" not in text


# -- names and places


def test_odd_names(folder):
    """Names with signs of the shell, and those that look like options; bytes that are no text are refused."""
    names = ("-x.csv", "a\nb.csv", "[1]*.csv", "$HOME'\".csv")
    for name in names:
        (folder / name).write_bytes(PLAIN.data)
    words = [*HOWSURE, "score", "--truth", "y", "--pred", "z", "--metric", "f1", "--format", "json", "--pool", "--"]
    assert rows(subprocess.run([*words, *names], capture_output=True, check=False))["read"] == 40 * len(names)
    (folder / os.fsdecode(b"\xff.csv")).write_bytes(PLAIN.data)
    found = subprocess.run([*HOWSURE, "score", b"\xff.csv", "--outcome", "o"], capture_output=True, check=False)
    refused(found, "not UTF-8 text")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINE.format("inner"), "directory"),
        (LINE.format("plain.csv/x"), "plain.csv/x"),
        ("score --matrix inner", "inner"),
        ("trec inner plain.csv", "inner"),
        ("score plain.csv --outcome o --out /dev/full", "/dev/full"),
        ("score plain.csv --outcome o --out /nowhere/x.json", "/nowhere"),
    ],
)
@pytest.mark.whole
def test_places_that_cannot_be(folder, line, said):
    """A folder in place of a file, a file in place of a folder, a full disk, a folder that is not there."""
    (folder / "inner").mkdir()
    r = ran(shlex.split(line))
    assert (r.code, r.out) == (2, "")
    assert wrong_with(r) == []
    assert said in r.err


# -- interrupts


def test_interrupt(folder):
    """Ctrl-C ends it at once with 130, and says nothing."""
    os.mkfifo("slow")
    keep = threading.Thread(target=_hold, args=(Path("slow"),), daemon=True)
    keep.start()
    words = [*HOWSURE, *shlex.split(LINE.format("slow"))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        keep.join(60)  # until it has opened the pipe
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()  # or a run that ignores interrupts would wait for ever
    assert (running.returncode, out, err.strip()) == (130, b"", b"")


def _hold(pipe: Path) -> None:
    """Opens a pipe when somebody reads it, and keeps it open with half a file in it."""
    held = os.open(pipe, os.O_WRONLY)
    os.write(held, PLAIN.data[:700])
