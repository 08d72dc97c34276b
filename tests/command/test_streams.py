"""Standard streams that are closed, full, gone, or of an encoding that lacks characters. Real processes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from html import unescape

import pytest

from howsure.cli import app

F1 = "score --counts tp=80,fp=20,fn=30,tn=870 --metric f1"
CLOSED = "howsure: cannot write to standard output: it is closed.\n"
FULL = "howsure: cannot write to standard output: No space left on device.\n"


def shell(line: str, **environment: str) -> tuple[int, str, str]:
    """A line of sh, in which howsure is the command."""
    function = f'howsure() {{ "{sys.executable}" -m howsure "$@"; }}\n'
    run = subprocess.run(
        ["sh", "-c", function + line],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        check=False,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
    )
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize(
    ("place", "says", "arguments"),
    [
        *(("/dev/full", FULL, x) for x in (F1, "--version", "score --help", "metrics")),
        *((None, CLOSED, x) for x in (F1, "metrics")),
    ],
)
def test_output_that_is_not_taken_is_one_sentence(monkeypatch, capsys, place, says, arguments):
    """A full disk and a closed output are no errors of howsure's own, whatever was to be written."""
    with monkeypatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setattr(sys, "stdout", place and stack.enter_context(Full(place, "w")))
        code = app.run(arguments.split())
    assert (code, capsys.readouterr().err) == (2, says)


class Full(io.FileIO):
    """A device, or a full disk, as text; nothing is kept back, so that nothing is written when it is closed."""

    encoding = "utf-8"

    def write(self, text):
        return super().write(text.encode())


@pytest.mark.parametrize(
    ("line", "code", "says"), [(f"{F1} > /dev/full", 2, FULL), ("score --help >&-", 2, CLOSED), (f"{F1} 2>&-", 0, "")]
)
def test_streams_of_a_process_that_are_not_taken(line, code, says):
    """The same in a process of its own; without a place for messages there may be an output."""
    got, out, err = shell(f"howsure {line}")
    assert (got, err) == (code, says)
    assert bool(out) == (code == 0)


@pytest.mark.parametrize(("arguments", "code"), [("score --counts 1,2,3", 2), ("score", 2), (F1, 0)])
@pytest.mark.parametrize("place", ["/dev/full", None])
def test_messages_that_are_not_taken_leave_the_code(monkeypatch, capsys, arguments, code, place):
    """Without a place for messages the code says it, and there may be an output."""
    with monkeypatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setattr(sys, "stderr", place and stack.enter_context(Full(place, "w")))
        assert app.run(arguments.split()) == code
    assert bool(capsys.readouterr().out) == (code == 0)


def test_nobody_misses_a_standard_input_that_is_closed(command):
    """Where it is not read; tests/files/test_streams.py has it where it is."""
    assert shell(f"howsure {F1} <&-") == command(*F1.split())


def test_all_streams_closed_and_a_file(tmp_path):
    """The numbers of closed streams are not those of the files that are opened next."""
    data, out = tmp_path / "data.csv", tmp_path / "x.json"
    data.write_text("y,p\n1,0\n1,1\n")
    assert shell(f"howsure score {data} --truth y --pred p --out {out} <&- >&- 2>&-") == (0, "", "")
    assert json.loads(out.read_text())["data"]["n"] == 2
    assert data.read_text() == "y,p\n1,0\n1,1\n"


@pytest.mark.parametrize("arguments", ["metrics", f"{F1} --out /dev/stdout"])
def test_a_reader_that_goes_away_is_silent(arguments):
    """As with any other tool in a pipe."""
    assert shell(f"{{ howsure {arguments}; echo $? >&2; }} | true") == (0, "", "0\n")


def test_the_open_output_is_written_where_it_stands(command, tmp_path):
    """--out /dev/stdout adds to the file that standard output goes to; it would have been replaced."""
    path = tmp_path / "x.txt"
    code, _, err = shell(f"{{ echo before; howsure {F1} --out /dev/stdout; echo after; }} > {path}")
    assert (code, err) == (0, "")
    assert path.read_text() == f"before\n{command(*F1.split())[1]}after\n"


def test_what_a_device_does_not_take_is_one_sentence(command):
    """Of texts and of columns."""
    for kind in ("json", "parquet"):
        says = "howsure: cannot write '/dev/full': No space left on device.\n"
        assert command(*F1.split(), "--format", kind, "--out", "/dev/full") == (2, "", says)
        assert command(*F1.split(), "--format", kind, "--out", "/dev/null") == (0, "", "")


LABEL = "süß→😀"


@pytest.fixture
def named(tmp_path):
    """A file with labels that ASCII and Latin-1 lack."""
    path = tmp_path / "data.csv"
    path.write_text(f"y,p\nx,x\n{LABEL},x\nx,x\n{LABEL},{LABEL}\n", encoding="utf-8")
    return ["score", str(path), "--truth", "y", "--pred", "p", "--metric", f"f1:{LABEL}"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("kind", ["table", "json", "csv", "html", "markdown", "latex"])
def test_characters_that_the_encoding_lacks(named, monkeypatch, encoding, kind):
    """They are written as the escapes of the format, so that JSON and HTML still say the same; others show escapes."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert app.run([*named, "--format", kind]) == 0
    text = stream.buffer.getvalue().decode(encoding)
    if kind == "json":
        assert json.loads(text)["rows"][0]["class"] == LABEL
    elif kind == "html":
        assert f'<th scope="row" class="l">f1:{LABEL}' in unescape(text)
    else:
        shown = LABEL.encode(encoding, "backslashreplace").decode(encoding)
        assert (shown.replace("\\", r"\textbackslash{}") if kind == "latex" else shown) in text


def test_an_encoding_that_lacks_characters(named):
    """A message that quotes a label is still a message."""
    code, out, err = shell(f"howsure {' '.join(named)} --positive →", PYTHONIOENCODING="latin-1")
    assert (code, out) == (2, "")
    assert "\\u2192" in err
