"""Names inside the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import howsure

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
