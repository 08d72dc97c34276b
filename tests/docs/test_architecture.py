"""The map in docs/architecture.md is that of the tree."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tools.docs import BEGIN, END

ROOT = Path(__file__).parents[2]
HOME = ROOT / "src" / "howsure"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINE = re.compile(r"^- `([^`]+)`: (.*)$", re.MULTILINE)


def listed() -> list[tuple[str, str]]:
    """Files and what the page says of them."""
    return LINE.findall(PAGE[PAGE.index(BEGIN) : PAGE.index(END)])


def test_every_file_is_listed_once_and_no_other() -> None:
    """The list is the tree: nothing is missing, nothing is left over, nothing is there twice."""
    tree = {x.relative_to(HOME).as_posix() for x in HOME.rglob("*") if x.is_file() and "__pycache__" not in x.parts}
    assert tree == {name for name, _ in listed()}
    assert not [name for name, many in Counter(name for name, _ in listed()).items() if many > 1]


def test_every_file_says_what_it_holds() -> None:
    """No line is empty or a single word, and no two files hold the same thing."""
    for name, about in listed():
        assert len(about.split()) > 1, name
        assert about.rstrip().endswith((".", "?")), name
    assert len({about for _, about in listed()}) == len(listed())


def test_paths_in_the_text_lead_somewhere() -> None:
    """Files and folders that the guide names are there, in the package or in the project."""
    for path in re.findall(r"`([\w.]+/[\w./]*|\w+\.py)`", PAGE[: PAGE.index(BEGIN)]):
        assert (HOME / path).exists() or (ROOT / path).exists(), path


def test_names_in_the_text_are_there() -> None:
    """Registries that the guide sends the reader to are in the files it names."""
    for name, file in re.findall(r"`([A-Z]+)` of `([\w/]+\.py)`", PAGE):
        assert re.search(rf"^{name}\b", (HOME / file).read_text(encoding="utf-8"), re.MULTILINE), (name, file)
