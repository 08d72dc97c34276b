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


# -- what killed processes leave


@pytest.fixture
def writing():
    """Start processes that write to a path until they are ended."""
    started = []

    def start(path):
        process = subprocess.Popen([sys.executable, "-c", _SLOW, path], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == b"writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait(timeout=60)
        process.stdout.close()


def leftovers(folder):
    return [x for x in names(folder) if x.startswith(".howsure-")]


def test_the_next_write_removes_what_a_killed_process_left(tmp_path, writing):
    """Of any file in the same folder; writing elsewhere removes nothing."""
    process = writing(tmp_path / "x.txt")
    process.kill()
    process.wait(timeout=60)
    assert len(leftovers(tmp_path)) == 1
    (tmp_path / "sub").mkdir()
    atomic.write_text(tmp_path / "sub" / "y.txt", "new")
    assert len(leftovers(tmp_path)) == 1
    atomic.write_text(tmp_path / "y.txt", "new")
    assert names(tmp_path) == ["sub", "y.txt"]


def test_a_running_writer_keeps_its_file(tmp_path, writing):
    """However old its file is, another writer in the folder leaves it, in this process and in others."""
    writing(tmp_path / "x.txt")
    (left,) = leftovers(tmp_path)
    os.utime(tmp_path / left, (0, 0))
    with atomic.whole(tmp_path / "y.txt") as place:
        os.utime(place, (0, 0))
        atomic.write_text(tmp_path / "z.txt", "new")
        place.write_text("new")
    assert names(tmp_path) == sorted([left, "y.txt", "z.txt"])


_MANY = """
import sys, time
from pathlib import Path
from howsure import atomic
folder, own = Path(sys.argv[1]), sys.argv[2]
end = time.monotonic() + 3
for i in range(10_000):
    if time.monotonic() > end:
        break
    atomic.check(folder / f"{own}.txt")
    atomic.write_text(folder / f"{own}.txt", f"{own} {i}")
    atomic.write_text(folder / "shared.txt", f"{own} {i}")
print(i)
"""


def test_writers_at_once_lose_nothing(tmp_path, writing):
    """Processes that write to one folder again and again, beside one that is slow and leftovers that come anew."""
    slow = writing(tmp_path / "slow.txt")
    (left,) = leftovers(tmp_path)
    many = [
        subprocess.Popen(
            [sys.executable, "-c", _MANY, tmp_path, f"w{i}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for i in range(4)
    ]
    killed = writing(tmp_path / "killed.txt")
    killed.kill()
    for process in many:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b"")
        assert int(out) > 0
    assert names(tmp_path) == sorted([left, "shared.txt", *(f"w{i}.txt" for i in range(4))])
    assert slow.poll() is None


def test_a_file_that_vanishes_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """Another process may take it for a leftover in that moment."""
    lock, calls = atomic._lock, []

    def late(number):
        calls.append(number)
        if len(calls) == 1:
            next(tmp_path.glob(".howsure-*")).unlink()
        return lock(number) if len(calls) != 2 else False

    monkeypatch.setattr(atomic, "_lock", late)
    atomic.write_text(tmp_path / "x.txt", "new")
    assert len(calls) == 3
    assert names(tmp_path) == ["x.txt"]
    assert (tmp_path / "x.txt").read_text() == "new"


def test_only_our_own_leftovers_are_removed(tmp_path, monkeypatch):
    """Other names, links, folders, pipes, files of others, and fresh files of another machine stay."""
    machine, other = atomic._machine(), "0" * 8
    kept = [".howsure-", ".howsure-abc", f".howsure-{machine}ABCDEF01", f".howsure-{machine}0123456g", "howsure-x",
            f".howsure-{machine}012345678", f"x.howsure-{machine}01234567", f".howsure-{other}01234567"]  # fmt: skip
    for name in kept:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, None if name.startswith(f".howsure-{other}") else (0, 0))
    (tmp_path / f".howsure-{machine}00000001").mkdir()
    (tmp_path / f".howsure-{machine}00000002").symlink_to(tmp_path / "howsure-x")
    os.mkfifo(tmp_path / f".howsure-{machine}00000003")
    before = names(tmp_path)
    for name in (f".howsure-{machine}00000004", f".howsure-{other}00000005"):
        (tmp_path / name).write_text("half")
    os.utime(tmp_path / f".howsure-{other}00000005", (0, 0))
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        atomic.write_text(tmp_path / "x.txt", "new")
    assert len(names(tmp_path)) == len(before) + 3
    atomic.write_text(tmp_path / "x.txt", "new")
    assert names(tmp_path) == sorted([*before, "x.txt"])


def test_without_locks_leftovers_go_after_a_day(tmp_path, monkeypatch):
    """On a disk that has none, or a system."""
    monkeypatch.setattr(atomic, "_lock", lambda _: None)
    for digits, age in (("00000001", 3600), ("00000002", 90_000)):
        path = tmp_path / f".howsure-{atomic._machine()}{digits}"
        path.touch()
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    atomic.write_text(tmp_path / "x.txt", "new")
    assert names(tmp_path) == [f".howsure-{atomic._machine()}00000001", "x.txt"]


def test_leftovers_that_cannot_be_removed_do_not_stop_a_write(tmp_path, monkeypatch):
    """They stay."""

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    name = f".howsure-{atomic._machine()}00000001"
    (tmp_path / name).touch()
    monkeypatch.setattr(os, "unlink", refuse)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        atomic.write_text(tmp_path / "x.txt", "new")
    assert names(tmp_path) == [name, "x.txt"]
