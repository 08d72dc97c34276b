"""Rows of every type with conditions on them, and a filter in plain Python that owes nothing to the library.

The filter compares exact fractions, and times of Python; what it cannot put in the order asked for it counts apart.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

BIG = 1_700_000_000_000_000_000
EDGE = 2**53  # the first whole number that doubles do not tell from the next
HALF = 2**52 + 1  # from 2^52 on they have no fractions
ROWS: list[dict[str, Any]] = [
    {
        "id": i, "y": i % 2, "z": 1,
        "ns": BIG + i % 5 - 2 if i % 7 else None,
        "age": None if i % 6 == 5 else (i * 37) % 1500,
        "price": None if i % 9 == 8 else (i % 40) / 8,
        "at": None if i % 8 == 7 else datetime(2024, 1, 30 + i % 2, i % 24, 15 * (i % 4)),
        "day": None if i % 8 == 3 else date(2023 + i % 3, 1 + i % 12, 1 + i % 28),
        "ok": None if i % 5 == 4 else i % 3 == 0,
        "code": ["7", "007", "7.0", "A1", "north AND south", "", None, "1e1", "-3", "12"][i % 10],
        "long": [str(BIG + 1), str(BIG), "-" + str(BIG), "5", "9" * 30, None, "0" + str(BIG + 1)][i % 7],
        "when": ["2024-01-31", "2024-01-31T10:00", "2024-01-31T12:30+02:00", "2024-02-01 00:00:00Z", None][i % 5],
        "mixed": ["5", "N/A", "11", None, "3.5"][i % 5],
        "edge": [str(EDGE), str(EDGE + 1), str(EDGE + 2), f"{EDGE}.5", f"-{EDGE}", None, f"-{EDGE}.5"][i % 7],
        "exact": None if i % 8 == 7 else Decimal(
            [f"{EDGE + 1}.50", f"{EDGE + 1}", f"{EDGE}.50", "-0.25", f"-{EDGE + 1}.50", f"{HALF}.25", f"{EDGE}"][i % 8]
        ),
    }
    for i in range(120)
]  # fmt: skip
TYPES = {  # of SQL; text is the rest
    "id": "BIGINT", "y": "INTEGER", "z": "INTEGER", "ns": "BIGINT", "age": "INTEGER", "price": "DOUBLE PRECISION",
    "at": "TIMESTAMP", "day": "DATE", "ok": "BOOLEAN", "exact": "DECIMAL(20, 2)",
}  # fmt: skip
ASKED: list[list[str]] = [
    [f"ns>{BIG}"], [f"ns<={BIG - 1}"], [f"ns={BIG + 1}"], [f"ns!={BIG}"], ["ns<1" + "0" * 40], ["age>=1000"],
    ["age<>500"], ["age<99.5", "id>3"], ["age=37.0"], ["age>1e400"], ["age<1e400"], ["price>=2.125"], ["price!=1"],
    ["price=0.25"], ["at>2024-01-30T12:00"], ["at>=2024-01-31T14:00+02:00"], ["at=2024-01-30"], ["at!=2024-01-30"],
    ["day>=2024-06-01"], ["day<2024-06-01T12:00"], ["day=2024-08-08"], ["day!=2024-08-08"], ["ok=true"], ["ok!=TRUE"],
    ["ok=1"], ["code=7"], ["code=007"], ["code!=7"], ['code="7"'], ['code!="north AND south"'], ["code=10"], ["code>5"],
    [f"long>{BIG}"], [f"long<=-{BIG}"], [f"long={BIG + 1}"], [f"long!={BIG + 1}"], ["when>2024-01-31T10:00"],
    ["when<=2024-01-31T10:30Z"], ["when=2024-02-01"], ["mixed>4"], ["mixed>4", "mixed!=N/A"], ["mixed<4", "id<60"],
    ["code=x", "mixed>4"], ["id>=0"], ["age=north"], ["day!=north", "id<9"],
    [f"edge={EDGE}"], [f"edge>{EDGE}"], [f"edge<=-{EDGE}"], [f"edge!={EDGE}"], [f"edge>={EDGE + 1}"],
    [f"exact={EDGE + 1}"], [f"exact>{EDGE + 1}"], [f"exact<={EDGE}"], [f"exact!={EDGE + 1}"], [f"exact<-{EDGE + 1}"],
    [f"exact={HALF}"], [f"exact>{HALF}"], ["exact>=0"], ["exact=-0.25"], [f"exact<1{'0' * 40}"],
]  # fmt: skip


def number(x: Any) -> Fraction | None:
    """What spells a number, exactly."""
    if isinstance(x, str):
        text = x.strip()
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
            return None
        return Fraction(text)
    return Fraction(x) if isinstance(x, (int, float, Decimal)) else None


def moment(x: Any) -> datetime | None:
    """A time with a zone."""
    if isinstance(x, str):
        if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ].*)?", x):
            return None
        x = datetime.fromisoformat(x)
    if isinstance(x, datetime):
        return x if x.tzinfo else x.replace(tzinfo=UTC)
    return datetime(x.year, x.month, x.day, tzinfo=UTC) if isinstance(x, date) else None


def holds(x: Any, sign: str, value: str) -> bool | None:
    """One condition on one value; None where an order cannot be told."""
    if x is None or x == "":
        return False
    quoted = value[0] == '"'
    text = value.strip('"')
    named = quoted or bool(re.match(r"[+-]?0\d", text))
    a: Any = x
    b: Any = text
    if isinstance(x, bool):
        a, b = (x, text.lower() == "true") if text.lower() in ("true", "false") else (Fraction(int(x)), number(text))
    elif not isinstance(x, str) or not named:
        for read in (number, moment):
            if read(text) is not None:
                a, b = read(x), read(text)
                if a is None:
                    return None if sign not in ("=", "!=") else sign == "!="
                break
    tests = {"=": a == b, "!=": a != b}
    if sign in tests:
        return tests[sign]
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


def expected(where: list[str]) -> tuple[set[int], int, int]:
    """The ids that are kept, how many rows fail, and how many cannot be told."""
    kept, failed, open_ = set(), 0, 0
    for row in ROWS:
        found = []
        for text in where:
            column, sign, value = re.fullmatch(r"(\w+)(!=|<>|<=|>=|=|<|>)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
            found.append(holds(row[column], {"<>": "!="}.get(sign, sign), value))
        if False in found:
            failed += 1
        elif None in found:
            open_ += 1
        else:
            kept.add(row["id"])
    return kept, failed, open_
