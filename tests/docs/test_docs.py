"""Docs that cannot lie: examples run, generated pages are current, nothing public is undocumented."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import click
import pytest

from howsure.cli.app import app, run
from tests.tiers import rough
from tools import docs as generated
from tools.console import PRINTED

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.compile(  # what a comment says that a call prints: a number, a law, or the repr of a thing
    r"^print\((.*)\)  # (-?\d.*|\S+ -?\d\S* \[[^]]*\] \d.*|[A-Z]\w+\(.*\))$", re.MULTILINE
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[object]:
    """Fenced blocks of a language in README and docs."""
    found = []
    for page in PAGES:
        for i, (kind, body) in enumerate(FENCE.findall(page.read_text(encoding="utf-8"))):
            if kind == language and page.name != "CONTRIBUTING.md":
                found.append(pytest.param(body, id=f"{page.relative_to(ROOT).with_suffix('').as_posix()}-{i}"))
    return found


@cache
def printed() -> dict[str, str]:
    """Python examples that a text block follows at once, and that text."""
    return dict(pair for page in PAGES for pair in PRINTED.findall(page.read_text(encoding="utf-8")))


@pytest.mark.whole
@pytest.mark.parametrize("body", blocks("python"))
def test_python_examples_run(body: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> None:
    """Every Python example runs as it stands, and prints what its comments and the text block after it show."""
    if body not in printed() and not SHOWN.search(body):
        request.getfixturevalue("rough_sampling")
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(body, "example", "exec"), names)
    out = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines()) + "\n"
    assert printed().get(body, "") in out
    for call, shown in SHOWN.findall(body):
        assert str(eval(call, names)) == shown


def test_some_examples_show_what_they_print() -> None:
    """The text blocks after examples are found, and hold something."""
    assert len(printed()) > 20
    assert all(text.strip() for text in printed().values())


@pytest.mark.whole
@pytest.mark.parametrize("body", blocks("console"))
def test_console_examples_are_true(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints what the page shows (the page may leave out what follows)."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        assert words[0] == "howsure"
        assert run(words[1:]) in ((0, 1, 3) if words[1] == "gate" else (0,))
        out = capsys.readouterr().out
        assert out.startswith(shown.rstrip() + "\n")
        if ("console", body) in FENCE.findall(README):
            assert out.rstrip() == shown.rstrip(), "the first page shows all that is printed, notes too"


def test_rows_that_pages_show_are_in_the_files() -> None:
    """Rows of a CSV file that a page names and shows are the first rows of that file."""
    page = (ROOT / "docs/tutorials/first-score.md").read_text(encoding="utf-8")
    shown = next(body for kind, body in FENCE.findall(page) if kind == "text")
    assert (ROOT / "examples/breast_cancer.csv").read_text(encoding="utf-8").startswith(shown)


def test_the_demo_fits_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script of `make demo` shows four commands; they and the report work, and no line is wider."""
    for name, body in (("howsure", 'echo "$@" >>"$0.calls"'), ("python", "true")):  # which note what is to be run
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    made = subprocess.run(["sh", "examples/demo.sh"], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.count("\n$ howsure ") == 4
    lines = (tmp_path / "howsure.calls").read_text(encoding="utf-8").replace("build/", f"{tmp_path}/").splitlines()
    assert len(lines) == 5
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    for line in lines:
        assert run(rough(line.split())) == 0
    out, err = capsys.readouterr()
    assert err == f"wrote {tmp_path}/report.html\n"
    assert max(map(len, [*made.stdout.splitlines(), *out.splitlines()])) <= 80


@pytest.mark.whole
@pytest.mark.parametrize("name", generated.PAGES)
def test_generated_pages_are_current(name: str) -> None:
    """Generated pages, and the generated part of docs/contributing/architecture.md, are what `make docs` writes now."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == generated.PAGES[name](), "run make docs"


def test_every_command_is_in_the_readme_or_docs() -> None:
    """A command without a word in the docs fails."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in app.commands:
        assert f"howsure {name}" in text


def test_every_option_says_what_it_does() -> None:
    """Every option of every command has a help text."""
    for command in app.commands.values():
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, (command.name, option.name)


def test_files_that_pages_name_are_there() -> None:
    """A page that sends the reader to a file of the project names one that is there."""
    file = re.compile(r"\b(?:src/howsure|bench|tests|examples)/[\w/.-]+\.\w+")
    for page in PAGES:
        for name in file.findall(page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), (page.name, name)


def test_no_addresses_of_registries() -> None:
    """constraints.txt holds names and versions only."""
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert not line or line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z]+\])?==[\w.+!-]+", line), line
