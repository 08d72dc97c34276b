"""The public face: names, laziness, and nothing heavy before it is needed."""

from __future__ import annotations

import inspect
import json
import pkgutil
import subprocess
import sys
import types

import pytest

import howsure as hs

DESIGNED = [
    "Tally",
    "tally",
    "posterior",
    "score",
    "Metric",
    "Ratio",
    "cells",
    "fbeta",
    "metrics",
    "two_level",
    "Distribution",
    "Interval",
    "Posterior",
    "Report",
    "HowsureError",
]


@pytest.mark.parametrize("name", hs.__all__)
def test_every_public_name_resolves(name):
    """Each name in __all__ is there, and is the same thing twice."""
    assert getattr(hs, name) is getattr(hs, name)


@pytest.mark.parametrize("name", DESIGNED)
def test_the_names_of_the_design_are_public(name):
    """What the design names is in __all__."""
    assert name in hs.__all__


def test_dir_lists_what_is_public():
    """dir() shows every public name, before it was ever used."""
    assert set(hs.__all__) <= set(dir(hs))
    assert dir(hs) == sorted(dir(hs))


def test_unknown_names_are_attribute_errors():
    """A name that is not there raises AttributeError, so that hasattr works."""
    assert not hasattr(hs, "nothing_of_that_name")
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = hs.nothing_of_that_name


def test_version_is_that_of_the_package():
    """__version__ is what the installed package says."""
    from importlib.metadata import version

    assert hs.__version__ == version("howsure")


def test_no_module_bears_the_name_of_a_public_function():
    """Importing howsure.tally would replace hs.tally, so no module is called like a public name."""
    for package in (hs, hs.relations, hs.papers):
        modules = {m.name for m in pkgutil.iter_modules(package.__path__)}
        values = {name for name in package.__all__ if not isinstance(getattr(package, name), types.ModuleType)}
        assert modules
        assert not modules & values


def test_importing_every_module_leaves_the_public_names():
    """After all modules are imported each public name is what it was."""
    code = (
        "import howsure as hs, pkgutil, importlib\n"
        "before = {n: getattr(hs, n) for n in hs.__all__ if n != 'papers'}\n"
        "for m in pkgutil.walk_packages(hs.__path__, 'howsure.'):\n"
        "    if not m.name.startswith(('howsure.papers', 'howsure.__main__')): importlib.import_module(m.name)\n"
        "assert all(getattr(hs, n) is v for n, v in before.items())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("name", [n for n in hs.__all__ if callable(getattr(hs, n))])
def test_public_names_are_documented(name):
    """Every public function and class says what it is."""
    assert inspect.getdoc(getattr(hs, name))


def loaded_by(code: str) -> list[str]:
    """Packages outside the standard library that the code loads, numpy's own left out."""
    program = (
        "import json, sys\nimport numpy\nbefore = {m.partition('.')[0] for m in sys.modules}\n"
        f"{code}\n"
        "after = {m.partition('.')[0] for m in sys.modules} - before - set(sys.stdlib_module_names)\n"
        "print(json.dumps([sorted(x for x in after if x[0] != '_'), 'scipy.stats' in sys.modules]))"
    )
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    names, stats = json.loads(run.stdout)
    assert not stats, "scipy.stats costs seconds"
    return names


def test_import_is_light():
    """import howsure loads nothing but itself and numpy."""
    assert loaded_by("import howsure") == ["howsure"]


def test_counting_is_light():
    """Making tallies needs nothing but numpy."""
    assert loaded_by("import howsure as hs; hs.tally([0, 1], [1, 1]); hs.Tally.matrix([[1, 2], [3, 4]])") == ["howsure"]


def test_a_closed_form_loads_scipy_special_only():
    """An exact interval needs scipy.special; frames, terminals and commands stay out."""
    code = "import howsure as hs; hs.posterior(hs.tally([0, 1], [1, 1]))['f1'].interval()"
    loaded = loaded_by(code)
    assert "scipy" in loaded
    assert not {"pandas", "polars", "rich", "click", "duckdb", "narwhals"} & set(loaded)
