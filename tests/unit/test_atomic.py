"""Files appear whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from howsure import atomic
from howsure.errors import BadFile


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def umask():
    """The umask of most machines, whatever it is here."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize("old", [None, "a longer text than the new one"])
def test_a_file_is_written(tmp_path, old):
    """A new file, or one in place of another, holds the text as it is, and nothing is left beside it."""
    path = tmp_path / "ü.txt"
    if old is not None:
        path.write_text(old)
    atomic.write_text(str(path), "line\r\n…\n")
    assert path.read_bytes() == "line\r\n…\n".encode()
    assert names(tmp_path) == ["ü.txt"]


def test_nothing_is_there_before_the_end(tmp_path):
    """The old text stays until the block has ended."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    with atomic.whole(path) as place:
        place.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, UnicodeError])
def test_an_error_leaves_what_was_there(tmp_path, old, error):
    """An error in the block is passed on; the file is as it was, and no half of the new one is left."""
    path = tmp_path / "x.txt"
    if old is not None:
        path.write_text(old)

    def fail():
        with atomic.whole(path) as place:
            place.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == ([] if old is None else ["x.txt"])
    assert old is None or path.read_text() == old


@pytest.mark.parametrize("step", ["write_text", "replace", "chmod"])
def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch, step):
    """A step that the disk refuses is a BadFile with the name and the reason; the old file stays, no other is left."""
    path = tmp_path / "x.txt"
    path.write_text("old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, full)
        with pytest.raises(BadFile) as caught:
            atomic.write_text(path, "new")
    assert str(caught.value) == f"cannot write {str(path)!r}: No space left on device."
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


def test_bytes_that_the_disk_takes_late_are_waited_for(tmp_path, monkeypatch):
    """A disk that finds out that it is full when the bytes are handed on leaves the old file."""
    path = tmp_path / "x.txt"

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadFile, match="No space left"):
        atomic.write_text(path, "new")
    assert names(tmp_path) == []


_SLOW = """
import sys, time
from howsure import atomic
with atomic.whole(sys.argv[1]) as place:
    place.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda x: x.name)
def test_a_killed_write_leaves_no_file(tmp_path, sign):
    """Whatever ends the process in the middle, no half file has the name; an interrupt leaves nothing at all."""
    path = tmp_path / "x.txt"
    with subprocess.Popen(
        [sys.executable, "-c", _SLOW, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(sign)
        assert process.wait(timeout=60) != 0
    assert not path.exists()
    if sign == signal.SIGINT:
        assert names(tmp_path) == []


@pytest.mark.usefixtures("umask")
def test_permissions_are_those_of_the_umask(tmp_path):
    """A new file may be read by whom the umask allows, as if it had been opened and written."""
    atomic.write_text(tmp_path / "x.txt", "new")
    assert stat.S_IMODE((tmp_path / "x.txt").stat().st_mode) == 0o644


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o666, 0o444])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    """A private file stays private, before its end too, and a shared one shared."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(mode)
    with atomic.whole(path) as place:
        assert not stat.S_IMODE(place.stat().st_mode) & ~(mode | stat.S_IWUSR)
        place.write_text("new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(tmp_path, there):
    """A link stays a link, and the file at its end is written."""
    (tmp_path / "data").mkdir()
    real, link = tmp_path / "data" / "real.txt", tmp_path / "link.txt"
    if there:
        real.write_text("old")
    link.symlink_to(real)
    atomic.write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert names(tmp_path / "data") == ["real.txt"]


def test_a_pipe_is_written_to(tmp_path):
    """A pipe cannot be replaced: its reader gets the text."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        atomic.write_text(path, "new")
        assert os.read(reader, 100) == b"new"
        assert stat.S_ISFIFO(path.stat().st_mode)
    finally:
        os.close(reader)
    assert names(tmp_path) == ["pipe"]


def test_a_device_is_written_to():
    """A device takes the text, or says why it does not."""
    atomic.write_text(os.devnull, "new")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    with pytest.raises(BadFile, match="cannot write '/dev/full': No space left on device"):
        atomic.write_text("/dev/full", "new")


def test_what_cannot_be_written_is_one_sentence(tmp_path):
    """A folder that is not there, a folder in place of a file, a file in place of a folder, links in a circle."""
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    before = names(tmp_path)
    for path, why in [
        (tmp_path / "none" / "x.txt", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (tmp_path / "file" / "x.txt", "Not a directory"),
        (tmp_path / "circle", "Too many levels of symbolic links"),
    ]:
        with pytest.raises(BadFile) as caught:
            atomic.write_text(path, "new")
        assert str(caught.value) == f"cannot write {str(path)!r}: {why}."
    assert names(tmp_path) == before
