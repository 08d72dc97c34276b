"""The data file of the study, bench/calibration.json, in the form of the coverage study: tables of rows of figures.

    {"schema": "howsure.calibration/1", "level": 0.95, "run": …, "tables": {name: {"figures": […], "rows": […]}}}

A row has the `case`, the `method`, `tests` (simulated; 0 if all outcomes were taken with their probabilities) and, in
`held`, a cell for each measure, which lists the figures of its table. A figure that is not known is null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bench.coverage_data import ROOT, Row, Table, text
from howsure.atomic import write_text

DATA: Final = Path("bench/calibration.json")
SCHEMA: Final = "howsure.calibration/1"


def read(root: Path = ROOT) -> dict[str, Any]:
    """The document; one without tables if there is no file yet."""
    path = root / DATA
    if not path.exists():
        return {"schema": SCHEMA, "level": 0.95, "run": {}, "tables": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def tables(document: Mapping[str, Any]) -> dict[str, Table]:
    """Its tables."""
    return {k: Table(x["figures"], [Row(**row) for row in x["rows"]]) for k, x in document["tables"].items()}


def write(root: Path, name: str, table: Table, run: Mapping[str, Any]) -> None:
    """Put a table in place of what the file had of it, and tell the run."""
    document = read(root)
    document["tables"][name] = json.loads(json.dumps(asdict(table)))  # tuples become lists, as in the file
    document["run"][name] = dict(run)
    write_text(root / DATA, text(document) + "\n")
