"""A settings file names no place to write, nothing to connect to, and only data in its own folder."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from howsure.cli import settings_file
from howsure.cli.app import app, run
from tests.refusals import one_sentence

ROWS = "y,z\n" + "1,1\n" * 40 + "0,0\n" * 50
GATE = ["gate", "--truth", "y", "--pred", "z", "--positive", "1", "--require", "f1 > 0.5"]
TABLE = ["gate", "--counts", "80,20,30,870", "--require", "f1 > 0.5"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with data, and data beside it that it must not reach."""
    home = tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    for path in (tmp_path / "outside.csv", home / "new.csv", home / "sub" / "more.csv"):
        path.write_text(ROWS)
    monkeypatch.chdir(home)
    return home


def refusal(capsys, *words):
    assert run(list(words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert one_sentence(err)
    return err


def keys():
    """Every option and argument of commands that read a settings file, as the file would spell it."""
    for command in app.commands.values():
        for parameter in command.params if any(x.name == "config" for x in command.params) else ():
            yield parameter.opts[0].removeprefix("--"), parameter


def test_every_option_is_classified():
    """A new option has to be decided: allowed in a settings file, refused there, or a path of data."""
    sets = [settings_file.ALLOWED, settings_file.REFUSED, settings_file.DATA]
    for key, _ in keys():
        assert sum(key in own for own in sets) == 1, f"decide about {key!r} in howsure.cli.settings_file"
    assert {key for key, _ in keys()} >= settings_file.ALLOWED | settings_file.DATA


def test_no_option_that_takes_a_file_is_simply_allowed():
    """A path is data in the folder, or refused."""
    for key, parameter in keys():
        takes_file = isinstance(parameter.type, (click.Path, click.File)) or parameter.metavar == "FILE"
        assert not (takes_file and key in settings_file.ALLOWED), key


@pytest.mark.parametrize("where", ["howsure.toml", "pyproject.toml", "other.toml"])
@pytest.mark.parametrize("key", sorted(settings_file.REFUSED))
def test_what_writes_connects_or_shows_is_refused(capsys, folder, where, key):
    """One sentence: the file, the key and what to type; nothing is written."""
    (folder / "new.csv").write_text(ROWS)
    Path(where).write_text(f'[tool.howsure]\n{key} = "new.csv"\n')
    said = refusal(capsys, *TABLE, *(["--config", where] if where == "other.toml" else []))
    assert repr(where) in said
    assert f"sets {key!r}, but a settings file cannot choose {settings_file.REFUSED[key]}: take it out" in said
    if any(x.opts[0] == f"--{key}" for x in app.commands["gate"].params):
        assert f"type --{key}." in said
    assert (folder / "new.csv").read_text() == ROWS


def test_a_key_with_an_underscore_is_the_same_key(capsys):
    """`no_browser` is `no-browser`."""
    Path("howsure.toml").write_text("no_browser = true\n")
    assert "cannot choose a server" in refusal(capsys, *TABLE)


def test_a_plot_of_a_settings_file_overwrites_nothing(capsys, folder):
    """The file that it names stays as it was."""
    (folder / "precious.svg").write_text("precious")
    Path("howsure.toml").write_text('plot = "precious.svg"\n')
    assert "type --plot" in refusal(capsys, *TABLE)
    assert (folder / "precious.svg").read_text() == "precious"


@pytest.mark.parametrize("name", ["new.csv", "./new.csv", "sub/more.csv", "*.csv", "sub/*.csv", "{home}/new.csv"])
def test_data_in_the_folder_is_read(capsys, folder, name):
    """Names, patterns, and absolute paths that stay inside."""
    Path("howsure.toml").write_text(f'files = "{name.format(home=folder)}"\n')
    assert run(GATE) == 0
    capsys.readouterr()


def test_data_starts_from_the_folder_of_the_file(capsys, folder, monkeypatch):
    """--config of another folder."""
    (folder / "howsure.toml").write_text('files = "new.csv"\n')
    monkeypatch.chdir(folder.parent)
    assert run([*GATE, "--config", "home/howsure.toml"]) == 0
    capsys.readouterr()


OUTSIDE = [
    "../outside.csv", "sub/../../outside.csv", "sub/../new.csv", "{home}/../outside.csv", "{home}.csv", "/etc/passwd",
    "/dev/stdin", "link.csv", "linked/outside.csv", "lin*.csv", "*/outside.csv", "**/outside.csv", "../*.csv",
    "linked", "https://example.org/x.csv", "s3://bucket/x.parquet", "sqlite:x.db", "duckdb:///x.duckdb",
    "file:/etc/passwd", "hdfs:/x", "{{new.csv,/etc/passwd}}", "{{new.csv,../outside.csv}}", "x\\u0000.csv", "folder",
]  # fmt: skip


@pytest.mark.parametrize("key", ["files", "baseline", "matrix"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_data_outside_of_the_folder_is_refused(capsys, folder, key, name):
    """Links, patterns, `..`, absolute paths, addresses and braces."""
    (folder / "link.csv").symlink_to(folder.parent / "outside.csv")
    (folder / "linked").symlink_to(folder.parent, target_is_directory=True)
    (folder / "folder").mkdir()
    (folder / "folder" / "link.csv").symlink_to(folder.parent / "outside.csv")
    Path(f"{folder}.csv").write_text(ROWS)
    Path("howsure.toml").write_text(f'{key} = "{name.format(home=folder)}"\n')
    said = refusal(capsys, *GATE, *([] if key == "files" else ["new.csv"]))
    assert f"{key!r} in 'howsure.toml' must name data in the folder of that file" in said
    assert "type its name on the command line" in said


def test_one_of_several_files_outside_is_enough(capsys):
    """Each name of a list is looked at."""
    Path("howsure.toml").write_text('files = ["new.csv", "../outside.csv"]\n')
    assert "got '../outside.csv'" in refusal(capsys, *GATE)


def test_what_is_typed_may_lie_anywhere(capsys):
    """The rule is for settings files."""
    Path("howsure.toml").write_text('prior = "uniform"\n')
    assert run([*GATE, os.path.join("..", "outside.csv")]) == 0  # noqa: PTH118
    capsys.readouterr()
