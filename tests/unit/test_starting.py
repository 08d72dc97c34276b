"""What the command does not import: its start is felt every time."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HEAVY = ("rich", "duckdb", "narwhals", "pandas", "polars", "pyarrow", "psycopg", "sqlite3", "scipy.stats")
_CODE = """
import sys
from howsure.cli.app import run
code = run(sys.argv[1:])
print(code, *(x for x in {heavy!r} if x in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("--version", ("scipy.special",)),
        ("--help", ("scipy.special",)),
        ("score --counts tp=80,fp=20,fn=30,tn=870", ()),
    ],
)
def test_heavy_parts_are_left_alone(line, more):
    """Neither frames nor databases nor colours are needed to score counts into a pipe."""
    code = _CODE.format(heavy=_HEAVY + more)
    made = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True, check=False)
    assert made.stderr.strip() == "0"
