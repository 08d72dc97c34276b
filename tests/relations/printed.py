"""Reports of random tables as programs and papers print them, all tables that agree, and solve's verdicts as kept.

`python -m tests.relations.printed` records the verdicts anew; that they changed needs a reason.
"""

from __future__ import annotations

import random
import re
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import howsure as hs
from howsure.errors import HowsureError
from howsure.relations.quantities import quantity
from tests.relations.reports import NAMES

COUNT = 2000
KEPT = Path(__file__).with_name("verdicts.txt")
FORMS = ("half up", "ties either way", "truncated", "float as text", "float")
ROUNDING = {"half up": ROUND_HALF_UP, "ties either way": ROUND_HALF_EVEN, "truncated": ROUND_DOWN}


class Printed(NamedTuple):
    """A table of `n` items, what was printed of it, and how solve is asked."""

    table: Any
    values: dict[str, Any]
    form: str
    n: int | None
    integers: bool
    true: bool  # whether the table has these values, read as they were printed

    def solve(self) -> hs.relations.Solution:
        """The tables with these values."""
        ties = "either" if self.form == "ties either way" and self.integers else None
        return hs.solve(self.values, n=self.n, integers=self.integers, ties=ties)


def printed(seed: int) -> Printed:
    """One report; half are of whole numbers, and in one of six a value is off."""
    rng = random.Random(seed)
    n = round(10 ** rng.uniform(np.log10(5), np.log10(60 if rng.random() < 0.3 else 5000)))
    weights = [rng.gammavariate(rng.choice([0.3, 1, 3]), 1) for _ in range(4)]
    cuts = np.round(np.cumsum(weights) * n / sum(weights))
    table = np.diff(cuts, prepend=0.0)
    form, count, digits = rng.choice(FORMS), rng.randint(2, 5), rng.randint(2, 4)
    values: dict[str, Any] = {}
    for name in rng.sample(NAMES, len(NAMES)):
        value = float(quantity(name).at(table))
        if np.isfinite(value) and len(values) < count:
            values[name] = _as_printed(value, form, digits)
    integers = rng.random() < 0.5
    off = rng.random() < 1 / 6
    if off:
        name = rng.choice(list(values))
        low, high = np.clip(quantity(name).bounds, -3, 3)
        values[name] = _as_printed(float(rng.uniform(low, high)), form, digits)
    return Printed(table, values, form, int(n) if integers or rng.random() < 0.4 else None, integers, not off)


def _as_printed(value: float, form: str, digits: int) -> Any:
    if form == "float":
        return value
    if form == "float as text":
        return repr(value)
    exact = Decimal(value).quantize(Decimal("1e-12"), ROUND_HALF_EVEN)  # a tie is one, whatever its float is off
    return str(exact.quantize(Decimal(1).scaleb(-digits), ROUNDING[form]))


@cache
def all_tables(n: int) -> Any:
    """Every table of n items."""
    a, b, c = (x.ravel() for x in np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij"))
    keep = a + b + c <= n
    a, b, c = a[keep], b[keep], c[keep]
    return np.stack([a, b, c, n - a - b - c], axis=1)


def by_brute_force(r: Printed) -> set[tuple[int, ...]]:
    """All tables of n items with the values, each read as it was printed; truncated digits are read as rounded."""
    tables = all_tables(r.n or 0)
    for name, shown in r.values.items():
        value = np.asarray(quantity(name).at(tables), dtype=float)
        if isinstance(shown, float) or len(Decimal(shown).as_tuple().digits) >= 15:
            agrees = np.abs(value - float(shown)) <= 1e-11 * max(1.0, abs(float(shown)))
        else:
            half = 0.5 * 10.0 ** int(Decimal(shown).as_tuple().exponent)
            low, high = float(shown) - half, float(shown) + half
            below = value <= high + 1e-12 if r.form == "ties either way" else value < high - 1e-12
            agrees = (value >= low - 1e-12) & below
        tables = tables[agrees]
    return {tuple(map(int, row)) for row in tables}


class Verdict(NamedTuple):
    """What solve says of a report, without its words: `sums` are those of the four cells over all tables."""

    status: str  # of the solution, or error
    complete: bool
    tables: int
    sums: tuple[float, ...]
    numbers: tuple[float, ...]  # in `why`, or in the message of an error

    def __str__(self) -> str:
        numbers = (" ".join(f"{x:.10g}" for x in some) for some in (self.sums, self.numbers))
        return "|".join((self.status, "all" if self.complete else "some", str(self.tables), *numbers))

    @classmethod
    def of(cls, text: str) -> Verdict:
        """As it was kept."""
        status, complete, tables, *numbers = text.rstrip("\n").split("|")
        sums, why = (tuple(map(float, x.split())) for x in numbers)
        return cls(status, complete == "all", int(tables), sums, why)

    def agrees(self, other: Verdict) -> bool:
        """Whether they are the same but for rounding."""
        same = all(
            len(a) == len(b) and np.allclose(a, b, rtol=1e-6, atol=1e-6)
            for a, b in zip(self[3:], other[3:], strict=True)
        )
        return self[:3] == other[:3] and same


def verdict(r: Printed) -> Verdict:
    """What solve says of a report."""
    try:
        s = r.solve()
        tables, why = s.outcome.tables, s.why
        return Verdict(s.status, s.complete, len(tables), tuple(tables.sum(axis=0).tolist()), _numbers(why))
    except HowsureError as error:
        return Verdict("error", True, 0, (), _numbers(str(error)))


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(x.replace(",", "")) for x in re.findall(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?", text))


def kept() -> list[Verdict]:
    """The verdicts on the first reports, as they were recorded."""
    return [Verdict.of(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    KEPT.write_text("".join(f"{verdict(printed(seed))}\n" for seed in range(COUNT)), encoding="utf-8")
