"""Verbs are declared once, in their own files; the registry finds them and the kinds of their result dicts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs
from howsure.errors import BadSetting
from howsure.render.kinds import kind_of
from howsure.results import verbs

SOURCES = sorted(Path(hs.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("name", verbs.names())
def test_a_verb_is_declared_in_its_own_file(name):
    """Under its name, with the public function, a summary of one line, examples, and a kind of that name."""
    found = verbs.verb(name)
    assert found.name == name
    assert found.function is getattr(hs, name)
    assert re.fullmatch(r"[A-Z].{10,60}[.?]", verbs.summary(name))
    assert found.examples
    assert name in {kind.name for kind in found.kinds}


def test_every_schema_is_of_a_declared_kind():
    """Each result dict that the package makes has its kind; a schema that nobody declares is refused."""
    made = {
        x for p in SOURCES for x in re.findall(r'\n[^>]*envelope\(\s*"(howsure\.[a-z-]+/\d)"', p.read_text("utf-8"))
    }
    assert len(made) > 12
    for schema in made:
        assert schema.startswith(f"howsure.{kind_of({'schema': schema}).name}/")
    with pytest.raises(BadSetting, match=r"^this is no result of howsure: its schema is 'howsure\.nothing/1'"):
        kind_of({"schema": "howsure.nothing/1"})


def test_summaries_import_no_verb():
    """The help lists all verbs, and stays quick: their files are read, not run."""
    code = (
        "import json, sys; from howsure.results import verbs; before = set(sys.modules);"
        "[verbs.summary(x) for x in verbs.names()]; print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert [x for x in json.loads(made.stdout) if x.startswith("howsure._") or x == "numpy"] == []
