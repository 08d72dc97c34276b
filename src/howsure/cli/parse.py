"""From the texts of the command line to tallies and limits."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.errors import BadCounts, BadSetting
from howsure.evidence.classes import Tally, is_margin, refuse_margin, typed_cells
from howsure.validate import Label, typed_count, typed_number, whole_number

if TYPE_CHECKING:
    from howsure.evidence.outcomes import Outcomes

_MOST_BYTES = 64_000_000
_ENDS = re.compile(r"\s*\.\.\.?\s*|\s+to\s+|(?<=[\d.%])\s*[-–]\s*(?=[\d.])")  # between the ends of a range


def tables(
    counts: tuple[str, ...],
    rates: tuple[str, ...],
    matrices: tuple[Path, ...],
    rows: str,
    labels: str | None,
    positive: str | None,
) -> list[Tally | Outcomes]:
    """Tables of counts, rates or confusion matrices, one for each system."""
    if rates:
        return [outcome(x) for x in rates]
    if matrices:
        from howsure.io.streams import refuse_twice

        refuse_twice(matrices)
    classes = None if labels is None else listed(labels)
    found = [Tally.binary(**typed_cells(x)) for x in counts] or [read_matrix(path, rows, classes) for path in matrices]
    return [t if positive is None else t.with_positive(positive) for t in found]


def listed(text: str) -> list[str]:
    """a,b,c as a list."""
    return [x.strip() for x in text.split(",")]


def listed_number(text: str, flag: str) -> float:
    """One number of a list."""
    try:
        return typed_number(text)
    except ValueError:
        raise BadSetting(f"{flag} needs numbers, such as 0.8; got {text!r}") from None


def bounds(text: str) -> tuple[float, float]:
    """0,1 as two numbers."""
    try:
        low, high = (float(x) for x in text.split(","))
    except ValueError:
        raise BadSetting(f"--bounds needs two numbers, such as 0,1; got {text!r}") from None
    return low, high


def sizes(text: str) -> dict[str, float]:
    """a=9000,b=200 as population sizes."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, size = part.rpartition("=")
        try:
            found[name.strip()] = float(size)
        except ValueError:
            equals = ""
        if not equals:
            raise BadSetting(f"--population needs stratum=size, such as a=9000,b=200; got {part!r}")
    return found


def system_names(names: tuple[str, ...], many: int, usual: tuple[str, ...]) -> tuple[str, ...]:
    """The names given, one for each system, or the usual ones."""
    refuse_names(names, many)
    return names or usual


def refuse_names(names: tuple[str, ...], many: int) -> None:
    """Names that are not one for each system, or occur twice."""
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise BadSetting(f"--name {twice!r} is given twice; give each of the {many} systems its own name")
    if names and len(names) != many:
        raise BadSetting(f"give one different --name per system, {many} here; got {len(names)}")


def outcome(text: str) -> Outcomes:
    """47/50: hits of trials."""
    from howsure.evidence.outcomes import Outcomes

    hits, slash, trials = text.partition("/")
    if not slash:
        raise BadCounts(f"--rate needs hits and trials, such as 47/50; got {text!r}")
    return Outcomes.rate(hits=typed_count(hits, "hits"), of=typed_count(trials, "trials"))


def prevalence(text: str) -> Any:
    """0.01 or 1%, a range such as 0.005..0.02, or positives of the items of a sample: 12/3000.

    >>> prevalence("1%"), prevalence("0.5%..2%"), prevalence("0.005 to 0.02")
    (0.01, (0.005, 0.02), (0.005, 0.02))
    """
    from howsure.evidence.outcomes import Outcomes

    if "/" in text:
        positives, items = (typed_count(x, "a count of --prevalence") for x in text.split("/", 1))
        if positives > items:
            raise BadCounts(f"--prevalence needs positives of items, such as 12/3000; got {text!r}")
        return Outcomes.rate(hits=positives, of=items)
    ends = _ENDS.split(text.strip())
    try:
        found = tuple(typed_number(x) for x in ends)
    except ValueError:
        found = ()
    if len(found) not in (1, 2):
        raise BadSetting(
            "--prevalence needs a share, such as 0.01 or 1%, a range such as 0.005..0.02, or positives of items such "
            f"as 12/3000; got {text!r}"
        )
    return found[0] if len(found) == 1 else found


def limits(given: tuple[str, ...], called: str = "--above") -> Any:
    """--above 0.8 for every row, or --above f1=0.8 for one."""
    if not given:
        return None
    named: dict[str, float] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise BadSetting(f"{called} needs a number, or metric=number; got {text!r}") from None
        if not equals:
            if len(given) > 1:
                raise BadSetting(f"{called} needs one plain number, or several metric=number")
            return number
        named[name] = number
    return named


def read_matrix(path: Path, rows: str, labels: list[str] | None) -> Tally:
    """A CSV confusion matrix: numbers only, or with a head line and a first column of labels."""
    table = _table(path)
    corner = not _is_number(table[0][0]) and _named_twice(table)  # numbers may be labels beside it
    head = side = None
    if corner or not all(_is_number(x) for x in table[0][1:]):
        head, table = table[0], table[1:]
    if table and (corner or not all(_is_number(row[0]) for row in table)):
        side = [row[0] for row in table]
        table = [row[1:] for row in table]
    if not table or not table[0]:
        raise BadCounts(f"{str(path)!r} holds no rows of counts")
    width = len(table[0])
    names: list[Label] | None = None
    if head is not None:
        names = list(head[-width:])
    for number, row in enumerate(table, 1):
        if len(row) != width:
            raise BadCounts(f"row {number} of {str(path)!r} has {len(row)} counts, but the first has {width}")
    counts = [[typed_count(x, f"a count in {str(path)!r}") for x in row] for row in table]
    if side is not None and names is not None and list(names) != side:
        refuse_margin(counts, side, names, repr(str(path)), " If it is a class, give it a {} too.")
        raise BadCounts(f"{str(path)!r} names columns {list(names)} but rows {side}; they must agree")
    names = list(side) if names is None and side is not None else names
    numbers = [whole_number(str(x)) for x in names or ()]
    if names is not None and None not in numbers:
        names = list(numbers)
    return Tally.matrix(counts, labels=labels if labels is not None else names, rows=rows)


def _named_twice(table: list[list[str]]) -> bool:
    """Whether both sides have names: one is as long as the other, or has a margin more."""
    lines, across = len(table), len(table[0])
    if lines > across:
        return any(is_margin(row[0]) for row in table[1:])
    return lines == across or any(map(is_margin, table[0][1:]))


def _table(path: Path) -> list[list[str]]:
    from howsure.io.streams import read_at_most

    raw = read_at_most(path, _MOST_BYTES)
    if len(raw) > _MOST_BYTES:
        raise BadCounts(f"{str(path)!r} is too large for a confusion matrix")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadCounts(f"{str(path)!r} is not a text file") from None
    sample = text[:4096]
    mark = max(",;\t", key=sample.count)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=None), delimiter=mark, strict=True))
    except csv.Error as error:
        raise BadCounts(f"{str(path)!r} is not a confusion matrix: {error}") from None
    table = [[x.strip() for x in row] for row in lines if any(x.strip() for x in row)]
    if not table:
        raise BadCounts(f"{str(path)!r} is empty")
    return table


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
