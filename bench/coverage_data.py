"""The data file of measured coverage, src/howsure/data/coverage.json: its form, and how a study writes its part.

    {"schema": "howsure.messages.coverage/1", "level": 0.95, "studies": {name: study, …}}

- study: `by`, the script that writes it; `source`, the run that measured it; `tables`; `summary`.
- table: `figures`, what a cell lists (coverage; mean and lowest case; lowest and highest; …); `rows`.
- row: `case`, what the simulated tests have in common; `cases`, how many kinds of tests these are; `method`; `tests`,
  the numbers of simulated tests of a case; `held`, a cell for each measure. A figure that is not known is null.
- summary: {why: {`reason`, `held`: {measure: {`lowest`, `highest`, `cases`}}}}, the ranges that notes quote.

Coverage is a share from 0 to 1, in thousandths: more digits would be noise. A study adds its part with `write`, which
also writes its section of docs/contributing/coverage.md. Nothing else in the project types a measured coverage.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure.version import VERSION

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = Path("src/howsure/data/coverage.json")
SCHEMA: Final = "howsure.messages.coverage/1"
LEVEL: Final = 0.95
FIGURES: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "coverage": lambda x: x[0],  # of one case
    "mean": lambda x: float(np.mean(x)),
    "lowest": min,
    "highest": max,
}
SHARES: Final = (*FIGURES, "too high", "too low")

Cell = Sequence[float | None]


@dataclass(frozen=True)
class Row:
    """What one method held in a group of cases."""

    case: Mapping[str, Any]
    cases: int = field(default=1, kw_only=True)
    method: str
    tests: Sequence[int]
    held: Mapping[str, Cell]


@dataclass(frozen=True)
class Table:
    """Rows whose cells list the same figures."""

    figures: Sequence[str]
    rows: Sequence[Row]

    def where(self, method: str | None = None, **case: Any) -> Table:
        """The rows of a method whose case has these properties."""
        return Table(
            self.figures,
            [
                row
                for row in self.rows
                if method in (None, row.method) and all(row.case.get(k) == x for k, x in case.items())
            ],
        )

    def column(self, *measures: str, figure: str = "coverage") -> list[float]:
        """The known figures of these measures, row by row; of all measures, if none is named."""
        at = self.figures.index(figure)
        cells = [row.held.get(x) for row in self.rows for x in measures or row.held]
        return [x for cell in cells if cell is not None and (x := cell[at]) is not None]


@dataclass(frozen=True)
class Study:
    """One study: what it found, and the ranges that notes quote."""

    by: str
    source: str
    tables: Mapping[str, Table]
    summary: Mapping[str, Mapping[str, Any]]


def shares(figures: Sequence[str], got: Sequence[float]) -> list[float]:
    """The cell of some cases' coverage."""
    return [round(float(FIGURES[x](got)), 3) for x in figures]


def span(got: Sequence[float]) -> dict[str, float | int]:
    """The range that a note quotes."""
    lowest, highest = shares(("lowest", "highest"), got)
    return {"lowest": lowest, "highest": highest, "cases": len(got)}


def this_run() -> str:
    """The source of figures that are measured now."""
    return f"a run of {datetime.now(UTC):%Y-%m-%d}, howsure {VERSION}"


# -- the file --------------------------------------------------------------------------------------


def read(root: Path = ROOT) -> dict[str, Any]:
    """The document; an empty one if there is no file yet."""
    path = root / DATA
    if not path.exists():
        return {"schema": SCHEMA, "level": LEVEL, "studies": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def study(document: Mapping[str, Any], name: str) -> Study:
    """A study of the document."""
    part = document["studies"][name]
    tables = {k: Table(x["figures"], [Row(**row) for row in x["rows"]]) for k, x in part["tables"].items()}
    return Study(part["by"], part["source"], tables, part["summary"])


def write(root: Path, name: str, part: Study) -> None:
    """Put a study in place of what the file had of it; the other studies stay as they are."""
    document = read(root)
    document["studies"][name] = json.loads(json.dumps(asdict(part)))  # tuples become lists, as in the file
    wrong = faults(document)
    if wrong:
        raise ValueError(f"{DATA} would not have its form: {'; '.join(wrong)}.")
    (root / DATA).parent.mkdir(parents=True, exist_ok=True)
    (root / DATA).write_text(text(document) + "\n", encoding="utf-8")


def text(value: Any, depth: int = 0) -> str:
    """JSON with one row a line, so that a change of a figure is a change of one line."""
    if depth == 6 or not isinstance(value, dict | list) or not any(isinstance(x, dict | list) for x in _inside(value)):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {text(x, depth + 1)}" for k, x in value.items()]
    else:
        parts = [text(x, depth + 1) for x in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    inner = ",\n".join(" " * (depth + 1) + x for x in parts)
    return f"{first}\n{inner}\n{' ' * depth}{last}"


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


# -- its form --------------------------------------------------------------------------------------


def faults(document: Mapping[str, Any]) -> list[str]:
    """Where a document leaves the form above, in words; nothing if it keeps it."""
    head = {"schema": SCHEMA, "level": LEVEL}
    found = [f"{k} is {document.get(k)!r}, not {x!r}" for k, x in head.items() if document.get(k) != x]
    studies = document.get("studies")
    if not isinstance(studies, dict):
        return [*found, "there are no studies"]
    for name, part in studies.items():
        found += _keys(name, part, {"by": str, "source": str, "tables": dict, "summary": dict}) or [
            *(x for k, table in part["tables"].items() for x in _table(f"{name}, {k}", table)),
            *(x for why, quoted in part["summary"].items() for x in _quoted(f"{name}, {why}", quoted)),
        ]
    return found


def _table(where: str, table: Any) -> list[str]:
    found = _keys(where, table, {"figures": list, "rows": list})
    if found:
        return found
    kinds = {"case": dict, "cases": int, "method": str, "tests": list, "held": dict}
    for i, row in enumerate(table["rows"]):
        here = f"{where}, row {i + 1}"
        found += _keys(here, row, kinds) or [
            *([] if row["cases"] > 0 else [f"{here}: no cases"]),
            *([] if row["tests"] and all(_whole(x) and x > 0 for x in row["tests"]) else [f"{here}: no tests"]),
            *(f"{here}: {name} {fault}" for name, x in row["held"].items() for fault in _cell(table["figures"], x)),
        ]
    return found


def _cell(figures: Sequence[str], cell: Any) -> list[str]:
    if not isinstance(cell, list) or len(cell) != len(figures):
        return [f"has {cell!r} for the figures {', '.join(figures)}"]
    known = [(name, x) for name, x in zip(figures, cell, strict=True) if x is not None]
    return [
        f"has {x!r} for {name}"
        for name, x in known
        if not (_share(x) if name in SHARES else _number(x) and x >= 0)
    ]  # fmt: skip


def _quoted(where: str, quoted: Any) -> list[str]:
    found = _keys(where, quoted, {"reason": str, "held": dict})
    for name, x in {} if found else quoted["held"].items():
        here = f"{where}, {name}"
        found += _keys(here, x, {"lowest": float, "highest": float, "cases": int}) or (
            []
            if _share(x["lowest"]) and _share(x["highest"]) and x["lowest"] <= x["highest"] and x["cases"] > 0
            else [f"{here}: {x} is no range of shares"]
        )
    return found


def _keys(where: str, part: Any, kinds: Mapping[str, type]) -> list[str]:
    if not isinstance(part, dict) or set(part) != set(kinds):
        return [f"{where} must have {', '.join(kinds)}"]
    return [f"{where}: {k} is no {kind.__name__}" for k, kind in kinds.items() if not isinstance(part[k], kind)]


def _whole(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _number(x: Any) -> bool:
    return _whole(x) or (isinstance(x, float) and math.isfinite(x))


def _share(x: Any) -> bool:
    return _number(x) and 0 <= x <= 1 and round(x, 3) == x
