"""The public names of the package, the names of its classes, and what a start of it loads."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import subprocess
import sys
import types
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

import howsure as hs

HEAVY = {"duckdb", "narwhals", "pandas", "polars", "psycopg", "pyarrow", "rich", "scipy.stats", "sqlite3"}
START = """
import json, sys
import numpy
before = {name.partition(".")[0] for name in sys.modules}
import howsure
after = {name.partition(".")[0] for name in sys.modules} - before - set(sys.stdlib_module_names)
from howsure.cli.app import run
code = run("score --counts tp=80,fp=20,fn=30,tn=870".split())
print(json.dumps([code, sorted(after), list(sys.modules)]), file=sys.stderr)
"""


@pytest.mark.parametrize("name", hs.__all__)
def test_public_names_resolve_and_are_documented(name: str) -> None:
    """Each name in __all__ is there, is the same thing twice, and says what it is if it can be called."""
    value = getattr(hs, name)
    assert value is getattr(hs, name)
    assert not callable(value) or inspect.getdoc(value)


def test_dir_lists_the_public_names() -> None:
    """dir() shows every public name, sorted, before it was ever used."""
    assert set(hs.__all__) <= set(dir(hs))
    assert dir(hs) == sorted(dir(hs))


def test_unknown_names_are_attribute_errors() -> None:
    """A name that is not there raises AttributeError, so that hasattr works."""
    assert not hasattr(hs, "nothing_of_that_name")
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = hs.nothing_of_that_name


def test_version_is_that_of_the_package() -> None:
    """__version__ is what the installed package says."""
    assert hs.__version__ == version("howsure")


def test_no_module_bears_the_name_of_a_public_function() -> None:
    """Importing howsure.tally would replace hs.tally, so no module is called like a public name."""
    for package in (hs, hs.relations, hs.papers):
        modules = {m.name for m in pkgutil.iter_modules(package.__path__)}
        values = {name for name in package.__all__ if not isinstance(getattr(package, name), types.ModuleType)}
        assert modules
        assert not modules & values


def test_class_names_occur_once() -> None:
    """A class is known by its name: no two in the package share one."""
    files = Path(hs.__file__).parent.rglob("*.py")
    names = Counter(
        name for file in files for name in re.findall(r"^ *class (\w+)", file.read_text("utf-8"), re.MULTILINE)
    )
    assert len(names) > 50
    assert [name for name, many in names.items() if many > 1] == []


def test_a_start_loads_no_heavy_library() -> None:
    """import howsure loads itself and numpy, and to score counts needs no frames, databases, colours or scipy.stats."""
    made = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True, timeout=60)
    code, imported, loaded = json.loads(made.stderr)
    assert code == 0
    assert imported == ["howsure"]
    assert "scipy.special" in loaded
    assert HEAVY.isdisjoint(loaded)
