"""Grids: a row for each class or slice, a column for each metric, where a list of rows would be long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from howsure.messages.numbers import count
from howsure.render import columns as col
from howsure.render import findings
from howsure.render.kinds import ResultDict, Row, TableColumn

_GRID: Final = "grid"  # the rows of a line, by their metrics


def lead(result: ResultDict) -> Sequence[Row]:
    """Return the rows that stand before a grid of classes: averages over them, and what is of all classes."""
    return [row for row in result["rows"] if row.get("class") is None] if _of_classes(result) else ()


def rows(result: ResultDict) -> Sequence[Row]:
    """Return the lines of a grid if there is one, else the rows."""
    found: list[Row] = result["rows"]
    if _of_classes(result):
        return _lines([row for row in found if row.get("class") is not None], result)
    sliced = any(row.get("slice") for row in found)
    several = len({row["asked"] for row in found}) > 1 and all(row["above"] is None for row in found)
    return _lines(found, result) if sliced and several and "columns" not in result else found


def _of_classes(result: ResultDict) -> bool:
    """Whether three or more classes have several metrics each, and no row is of a slice or has a limit."""
    own = [row for row in result["rows"] if row.get("class") is not None]
    plain = all(row["slice"] is None and row["above"] is None for row in result["rows"])
    several = len({_place(row) for row in own}) > 2 and len({_base(row) for row in own}) > 1
    return plain and several and "columns" not in result


def _place(row: Row) -> tuple[Any, ...]:
    return row.get("system"), str(row.get("class")), tuple((row.get("slice") or {}).items()), row.get("overall")


def _base(row: Row) -> str:
    """Return the metric of a row without its class."""
    name = str(row["asked"])
    return name if row.get("class") is None else name.removesuffix(f":{row['class']}")


def _lines(found: Sequence[Row], result: ResultDict) -> list[Row]:
    support = dict(result.get("support") or ())
    lines: dict[tuple[Any, ...], Row] = {}
    for row in found:
        line = lines.setdefault(_place(row), {k: row.get(k) for k in ("system", "class", "slice", "overall", "n")})
        line.setdefault(_GRID, {})[_base(row)] = row
        line["marked"] = line.get("marked") or row.get("marked")
        line["support"] = support.get(row.get("class"))
    return list(lines.values())


def columns(result: ResultDict, lines: Sequence[Row]) -> list[TableColumn] | None:
    """Return the columns of the lines of a grid; None if these rows are none."""
    if not lines or _GRID not in lines[0]:
        return None
    names = dict.fromkeys(name for line in lines for name in line[_GRID])
    label = f" [{findings.percent(result['level'])}{' hdi' if result['interval'] == 'hdi' else ''}]"
    made = [col.words("system")] if any(line["system"] for line in lines) else []
    classes = any(line["class"] is not None for line in lines)
    made += [col.words("class")] if classes else col.slices(lines)
    made += [] if classes else [col.items(result, shown=True)]
    made += [
        TableColumn(name, name + (label if i == 0 else ""), lambda r, name=name: _cell(r[_GRID].get(name)), "interval")  # type: ignore[misc]
        for i, name in enumerate(names)
    ]
    if any(line["support"] is not None for line in lines):
        made.append(TableColumn("support", "items", lambda r: count(r["support"] or 0), "count"))
    return made


def _cell(row: Row | None) -> str:
    return "" if row is None else f"{col.value(row, 'score', 'undefined')} {col.interval(row)}"
