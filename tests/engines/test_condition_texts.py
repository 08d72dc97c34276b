"""Texts as numbers and times: the expressions that engines compute say what one value in Python says."""

from __future__ import annotations

import random

import pytest

from howsure.errors import BadSetting
from howsure.io.where import Steps, judged, parse
from tests import tiers

ODD = (
    "inf", "-Infinity", "+inf", "nan", "-NaN", "true", "False ", "", " ", "1_000", "0x1F", "1,000", "--5", ".", "e5",
    "1e", "1e400", "-1e400", "1e-400", "١", "N/A", "\t5", "5\n", "5 6", "0000-01-01", "2024-02-30", "1900-02-29",
    "2000-02-29T23:59:59.9999999-00:30", "0001-01-01T00:00+14", "9999-12-31 23:59:59Z", "2024-01-31T24:00",
)  # fmt: skip


def texts(rng, n):
    """Numbers of any size and form, times of any year and zone, and what is nearly one."""

    def number():
        digits = rng.choice([3, 15, 16, 17, 30])
        whole = str(rng.choice([rng.randrange(10**digits), 2**53 + rng.randrange(-2, 3)]))
        return rng.choice(["", "-", "+", "0", " "]) + whole + rng.choice(["", ".", ".0", ".50", "e3", "E-20", " "])

    def time():
        day = f"{rng.choice([1, 1600, 1969, 1970, 2023, 2024]):04}-{rng.randrange(14):02}-{rng.randrange(33):02}"
        clock = f"{rng.choice('T t')}{rng.randrange(25):02}:{rng.choice([0, 30, 60]):02}"
        clock += rng.choice(["", ":00", ":59.5", ":01.123456", ":01.1234567", ":60"])
        return day + rng.choice(["", clock + rng.choice(["", "Z", "+02:00", "-0330", "+14", "+24", "z"])])

    return [rng.choice([number, time, lambda: rng.choice(ODD)])() for _ in range(n)]


def frames(values):
    """A column of these texts, with gaps, in each kind of frame that reads texts in its own way."""
    import duckdb
    import pandas as pd
    import polars as pl

    frame = pl.DataFrame({"t": pl.Series(values, dtype=pl.String), "i": range(len(values))})
    yield "polars", frame
    yield "polars", frame.lazy()
    yield "pyarrow", frame.to_arrow()
    yield "duckdb", duckdb.from_arrow(frame.to_arrow())
    yield "pandas", frame.to_pandas()
    yield "pandas", pd.DataFrame({"t": pd.Series(values, dtype=object), "i": range(len(values))})


@pytest.mark.parametrize("seed", tiers.some(range(6), 6))
def test_texts_are_judged_alike(seed):
    """Rows that an expression keeps, or cannot tell, are those of `Condition.judge`; each kind of frame in turn."""
    import narwhals as nw

    rng = random.Random(seed)
    values = [None if rng.random() < 0.05 else x for x in texts(rng, 150)]
    asked = 0
    for text in texts(rng, 24):
        try:
            c = parse(f"t{rng.choice(['=', '!=', '<', '<=', '>', '>='])}{text}", ("t",))
        except BadSetting:  # no order of such a value
            continue
        asked += 1
        wanted = [c.judge(x) for x in values]
        for library, native in tiers.turn(frames(values), asked, 6):
            steps = Steps(nw.from_native(native), "step", nan=True, library=library)
            found = judged(steps, c, "t")
            picked = {"holds": found.holds} | ({} if found.unreadable is None else {"open": found.unreadable})
            rows = (
                steps.frame.select("i", *(x.alias(name) for name, x in picked.items()))
                .lazy()
                .sort("i")
                .collect("polars")
            )
            holds = [x is True for x in rows["holds"].to_list()]
            open_ = [x is True for x in rows["open"].to_list()] if "open" in picked else [False] * len(values)
            told = [None if b else a for a, b in zip(holds, open_, strict=True)]
            assert told == wanted, (
                library,
                c.text,
                [x for x in zip(values, told, wanted, strict=True) if x[1] != x[2]],
            )
    assert asked > 5
