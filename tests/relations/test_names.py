"""Names inside the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import howsure
from howsure import relations

SOURCE = Path(howsure.__file__).parent


def test_no_class_of_relations_shares_its_name() -> None:
    """A class of relations is the only one of its name in all of howsure, so that a traceback or a search finds one."""
    homes = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(SOURCE).as_posix())
    shared = {name: at for name, at in homes.items() if len(at) > 1 and any(x.startswith("relations/") for x in at)}
    assert not shared


def test_every_public_name_is_found() -> None:
    """Names are looked up when they are first asked for: each has a home, and a home has no other names."""
    assert sorted(relations._HOME) == sorted(relations.__all__)
    assert all(getattr(relations, name).__name__ == name for name in relations.__all__)
    with pytest.raises(AttributeError, match="'solved'"):
        _ = relations.solved
