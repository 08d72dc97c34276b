"""Streams: standard input, pipes and FIFOs are read once, in every command and in Python; nothing of them is lost."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import BadFile, BadSetting
from tests.refusals import one_sentence

ROWS = 6_000  # well over the 64 KiB that a pipe holds
CSV = "id,y,a,b,s,q\n" + "".join(
    f"{i},{i % 2},{i // 2 % 2},{i // 3 % 2},0.{i % 97:02d},{i % 50}\n" for i in range(ROWS)
)
QRELS = "".join(f"q{i // 10} 0 d{i} {i % 2}\n" for i in range(5_000))
RUN = "".join(f"q{i // 10} Q0 d{i} 1 {i % 7}.5 t\n" for i in range(5_000))


@contextlib.contextmanager
def piped(*contents):
    """Pipes, by the names that a shell gives them, with somebody who writes into each."""
    ends = [os.pipe() for _ in contents]
    writers = [
        threading.Thread(target=_write, args=(w, x), daemon=True) for (_, w), x in zip(ends, contents, strict=True)
    ]
    for writer in writers:
        writer.start()
    try:
        yield [f"/dev/fd/{r}" for r, _ in ends]
    finally:
        for r, _ in ends:
            os.close(r)
        for writer in writers:
            writer.join(5)


def _write(end, content):
    data = content if isinstance(content, bytes) else content.encode()
    with contextlib.suppress(BrokenPipeError), os.fdopen(end, "wb") as file:
        file.write(data)


@contextlib.contextmanager
def fifo(path, content):
    """A FIFO with somebody who writes into it."""
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: _write(os.open(path, os.O_WRONLY), content), daemon=True)
    writer.start()
    yield str(path)
    writer.join(5)


def command(capsys, *arguments):
    """The document that the command prints."""
    code = app.run([*map(str, arguments), "--format", "json"])
    got = capsys.readouterr()
    assert code == 0, got.err
    assert not got.err
    return json.loads(got.out)


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


COMMANDS = {
    "score": ["score", "FILE", "--truth", "y", "--pred", "a", "--metric", "recall"],
    "score of cuts": ["score", "FILE", "--truth", "y", "--score", "s", "--threshold", "0.5", "--metric", "recall"],
    "score of values": ["score", "FILE", "--value", "s"],
    "score of clusters": ["score", "FILE", "--truth", "y", "--pred", "a", "--cluster", "q", "--metric", "recall"],
    "compare": ["compare", "FILE", "--truth", "y", "--pred", "a", "--pred", "b", "--metric", "recall"],
    "leaderboard": ["leaderboard", "FILE", "--truth", "y", "--pred", "a", "--pred", "b", "--metric", "recall"],
    "curve": ["curve", "FILE", "--truth", "y", "--score", "s", "--metric", "auc"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_reads_all_of_a_pipe(name, plain, capsys):
    """What comes through a pipe gives the document of the file, byte for byte."""
    line = COMMANDS[name]
    expected = command(capsys, *[plain if x == "FILE" else x for x in line])
    with piped(CSV) as (path,):
        assert command(capsys, *[path if x == "FILE" else x for x in line]) == expected


FILES = {
    "joined": ["--on", "id", "--outcome", "y"],
    "joined by cluster": ["--cluster", "q", "--outcome", "y"],
    "apart": ["--independent", "--outcome", "y"],
}


@pytest.mark.parametrize("name", FILES)
def test_several_pipes_are_read_one_after_the_other(name, plain, capsys):
    """Two streams, or a stream beside a file."""
    flipped = CSV.replace(",1,", ",0,", 500)
    other = plain.with_name("b.csv")
    other.write_text(flipped, encoding="utf-8")
    names = ["--name", "one", "--name", "two"]
    expected = command(capsys, "compare", plain, other, *FILES[name], *names)
    with piped(CSV, flipped) as (first, second):
        assert command(capsys, "compare", first, second, *FILES[name], *names) == expected
    with piped(flipped) as (second,):
        assert command(capsys, "compare", plain, second, *FILES[name], *names) == expected


def test_shards_and_python(plain, tmp_path):
    """Lists of paths, mappings of systems, packed streams, a FIFO whose name tells its format."""
    whole = hs.tally(plain, truth="y", pred="a")
    with piped(CSV, gzip.compress(CSV.encode())) as paths:
        assert hs.tally(paths, truth="y", pred="a") == whole + whole
    with fifo(tmp_path / "x.jsonl", "".join(f'{{"y": {i % 2}}}\n' for i in range(ROWS))) as path:
        assert hs.tally(path, outcome="y").n == ROWS
    both = hs.score({"one": plain, "two": plain}, outcome="y", on="id").to_dict()
    with piped(CSV, CSV) as (first, second):
        assert hs.score({"one": first, "two": second}, outcome="y", on="id").to_dict() == both
    with plain.open("rb") as file:  # a descriptor of a plain file
        assert hs.tally(f"/dev/fd/{file.fileno()}", truth="y", pred="a") == whole


def test_matrices_come_through_pipes(tmp_path, capsys):
    """--matrix takes what any FILE may be."""
    path = tmp_path / "m.csv"
    path.write_text("8,1\n2,9\n", encoding="utf-8")
    expected = command(capsys, "compare", "--matrix", path, "--matrix", path)
    with piped("8,1\n2,9\n", "8,1\n2,9\n") as (first, second):
        assert command(capsys, "compare", "--matrix", first, "--matrix", second) == expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_judgments_and_runs_come_through_pipes(pack, tmp_path, capsys):
    """All lines of them, however they are read; each stream once, and named in messages."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    line = ["--name", "bm25", "--metric", "AP", "--metric", "P@5"]
    for more in ([], ["--unjudged", "bounds"]):
        expected = command(capsys, "trec", qrels, run, *line, *more)
        with piped(pack(QRELS.encode()), pack(RUN.encode())) as (first, second):
            found = command(capsys, "trec", first, second, *line, *more)
        assert found["rows"] == expected["rows"]
        assert found["data"]["n"] == expected["data"]["n"] == 500
    with piped(pack(QRELS.encode()), pack(RUN.encode() + b"q1 Q0 d1\n")) as (first, second):
        assert app.run(["trec", first, second]) == 2
        assert capsys.readouterr().err.startswith(f"howsure: line 5,001 of {second!r} has 3 fields")
    assert app.run(["trec", "-", "-"]) == 2
    assert "standard input is given twice" in capsys.readouterr().err


def test_messages_name_the_stream(tmp_path):
    """Not the temporary file."""
    ragged = CSV[:100_000].rpartition("\n")[0] + "\n1,2\n"
    for content, said in (
        (ragged, "has 2 fields"), ("", "is empty"), (CSV.replace("y,", "z,", 1), "no column named 'y'"),
        (gzip.compress(CSV.encode())[:-9], "truncated gzip"), (b"[{}," * 9, "does not end"),
    ):  # fmt: skip
        with piped(content) as (path,), pytest.raises(hs.errors.HowsureError, match=said) as error:
            hs.tally(path, truth="y", pred="a")
        assert repr(path) in str(error.value)
        assert "howsure-" not in str(error.value)


def test_a_stream_given_twice_is_refused(plain, tmp_path, capsys, monkeypatch):
    """It would be read empty the second time."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    line = ["--outcome", "y"]
    for paths, more in (
        (["-", "-"], ["--independent"]), (["-", "-"], ["--on", "id"]), (["-", "/dev/stdin"], ["--cluster", "q"]),
        (["-", plain, "-"], ["--pool"]),
    ):  # fmt: skip
        assert app.run(["compare", *map(str, paths), *line, *more]) == 2
        assert "standard input is given twice" in capsys.readouterr().err
    assert app.run(["compare", "--matrix", "-", "--matrix", "-"]) == 2
    assert "standard input is given twice" in capsys.readouterr().err
    os.mkfifo(tmp_path / "f")
    with pytest.raises(BadFile, match="is given twice"):
        hs.tally([tmp_path / "f", tmp_path / "f"], outcome="y")
    with pytest.raises(BadFile, match="is given twice"):
        hs.score({"a": "-", "b": "-"}, outcome="y", cluster="q")


def test_devices_are_refused_and_nothing_is_empty(capsys):
    """What never ends is not read; /dev/null is an empty file."""
    for line in (["score", "/dev/zero", "--outcome", "y"], ["score", "--matrix", "/dev/zero"]):
        assert app.run(line) == 2
        assert capsys.readouterr().err.startswith("howsure: '/dev/zero' is a device")
    for line in (["score", "/dev/null", "--outcome", "y"], ["score", "--matrix", "/dev/null"]):
        assert app.run(line) == 2
        assert "'/dev/null' is empty" in capsys.readouterr().err


def test_a_device_as_standard_input_is_refused_without_advice_to_do_so(capsys, monkeypatch):
    """What was done already is no way out."""
    for line in (["score", "-", "--outcome", "y"], ["score", "--matrix", "-"]):
        with open("/dev/zero", encoding="utf-8") as endless:  # noqa: PTH123 - a device
            monkeypatch.setattr(sys, "stdin", endless)
            assert app.run(line) == 2
        says = "howsure: 'standard input' is a device, which may never end; give a file or a pipe.\n"
        assert capsys.readouterr().err == says


def test_a_folder_of_that_name_does_not_stand_in_the_way_of_standard_input(tmp_path, monkeypatch):
    """A dash is standard input, whatever lies in the folder."""
    (tmp_path / "-").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert hs.tally("-", truth="y", pred="a").n == ROWS


def test_streams_are_called_what_a_reader_understands(plain, tmp_path, capsys, monkeypatch):
    """Standard input, and the first or second stream that is given; never a dash or the number of a descriptor."""
    columns = ("--on", "id", "--truth", "y", "--pred", "a")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert command(capsys, "compare", "-", plain, *columns)["data"]["systems"] == ["standard input", "a"]
    with piped(CSV, CSV) as ends:
        found = command(capsys, "compare", *reversed(ends), *columns)
    assert found["data"]["systems"] == ["stream 1", "stream 2"]
    with piped(CSV) as ends:
        assert command(capsys, "compare", plain, *ends, *columns)["data"]["systems"] == ["a", "stream"]
    (tmp_path / "q").write_text(QRELS, encoding="utf-8")
    with piped(RUN, RUN) as ends:
        assert hs.trec(tmp_path / "q", ends, metrics=["AP"]).systems == ("stream 1", "stream 2")


def test_spark_takes_no_streams():
    """It reads by itself, elsewhere."""
    with piped("y\n1\n") as (path,), pytest.raises(BadSetting, match="read only once, and Spark"):
        hs.tally(path, outcome="y", engine="spark")
    with pytest.raises(BadSetting, match="'-' can be read only once, and Spark"):
        hs.tally(["-"], outcome="y", engine="spark")


# -- as processes


def howsure(*arguments, **settings):
    """The command in a process of its own."""
    settings = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 60, **settings}
    if "input" in settings:
        del settings["stdin"]
    return subprocess.run([sys.executable, "-m", "howsure", *map(str, arguments)], check=False, **settings)


LINE = ("--truth", "y", "--pred", "a", "--metric", "recall", "--format", "json")


def test_standard_input_by_any_name(plain):
    """- as a pipe, and /dev/stdin as a file beside another file."""
    got = howsure("score", "-", *LINE, input=CSV)
    assert (got.returncode, got.stderr) == (0, "")
    assert json.loads(got.stdout)["data"]["n"] == ROWS
    with plain.open() as file:
        got = howsure("score", "/dev/stdin", plain, "--pool", *LINE, stdin=file)
    assert json.loads(got.stdout)["data"]["n"] == 2 * ROWS


def test_a_closed_standard_input_is_one_sentence():
    """As after <&-."""
    for name, said in (("-", "cannot read 'standard input': it is closed"), ("/dev/stdin", "'/dev/stdin'")):
        got = howsure("score", name, *LINE, stdin=None, preexec_fn=lambda: os.close(0))
        assert got.returncode == 2, got.stderr
        assert one_sentence(got.stderr)
        assert said in got.stderr


def test_a_full_temporary_folder_is_one_sentence(tmp_path):
    """And nothing is left in it."""
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    got = howsure("score", "-", *LINE, input=CSV, preexec_fn=small, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert got.returncode == 2, got.stderr
    assert got.stderr.startswith(f"howsure: 'standard input' cannot be kept in the temporary folder {str(tmp_path)!r}")
    assert one_sentence(got.stderr)
    assert not list(tmp_path.iterdir())


def test_waiting_for_a_writer_can_be_interrupted(tmp_path):
    """A FIFO that nobody writes to is waited for; Ctrl-C ends it with 130, and no trace."""
    os.mkfifo(tmp_path / "f.csv")
    waiting = subprocess.Popen(
        [sys.executable, "-m", "howsure", "score", str(tmp_path / "f.csv"), *LINE],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("howsure-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    assert waiting.poll() is None
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out, err.strip()) == (130, b"", b"")
    assert not list(tmp_path.glob("howsure-*"))
