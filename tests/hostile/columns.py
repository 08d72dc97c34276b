"""Odd columns: values that spell something else, each in CSV, JSON lines and Parquet, to be asked for in every role."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pyarrow as pa

from tests.hostile.files import Made, as_csv, as_lines, as_parquet, of_csv, of_lines

ROWS = 24

TEXTS: dict[str, list[str]] = {  # texts of a CSV column, repeated over the rows
    "formulas": ["=1+1", "@SUM(A1)", "+1", "-1"],
    "escapes": ["\x1b[31mred\x1b[0m", "\x07bell", "back\x08"],
    "bidi": ["\u202eevil", "zero\u200bwidth", "\ufeffmark"],
    "emoji": ["👩‍👩‍👧", "🇩🇪", "é", "e\u0301"],
    "markup": ["<script>alert(1)</script>", "a|b", "\\input{x}", "$x_1^2$ & 50% #1 ~{}"],
    "metric marks": ["a:b", "a@b", "a=b", "a,b", "a-b"],
    "quotes": ['say "x"', "it's", "`", "''"],
    "ends": ["one\ntwo", "one\r\ntwo", "tab\there"],
    "blanks": [" x", "x ", "x", "  "],
    "cases": ["Yes", "yes", "YES", "no"],
    "ones": ["1", "1.0", "01", "true"],
    "whole and text": ["1", "2", "x"],
    "flags": ["True", "false", "TRUE"],
    "zero and minus zero": ["0", "-0", "0.0", "-0.0"],
    "leading zeros": ["007", "07", "7"],
    "not available": ["N/A", "NA", "n/a", "1"],
    "nulls": ["null", "NULL", "None", "none"],
    "not a number": ["NaN", "nan", "1", "0"],
    "infinite": ["inf", "-inf", "Infinity", "1"],
    "too large": ["1e400", "-1e400", "1"],
    "too small": ["1e-400", "5e-324", "1"],
    "beyond 2^53": ["9007199254740993", "9007199254740992"],
    "beyond 2^63": ["9223372036854775808", "9223372036854775807", "18446744073709551616"],
    "beyond 10^400": ["1" + "0" * 400, "1"],
    "fractions": ["0.1", "0.25", ".5", "1e-3"],
    "negative": ["-1", "-2", "3"],
    "exponents": ["1e5", "1E5", "100000"],
    "thousands": ["1,000", "1_000", "1 000"],
    "other digits": ["١", "２", "Ⅷ"],
    "percent": ["50%", "10%"],
    "dates": ["2024-01-01", "2024-02-30", "1e1000"],
    "empty": [""],
    "some empty": ["", "1", "0"],
    "one value": ["only"],
    "many values": [f"v{i}" for i in range(ROWS)],
    "long": ["x" * 5000, "y" * 5000],
    "sql": ["'; DROP TABLE x; --", "c0", "$files", "NULL) --"],
    "braces": ["{}", "[]", '{"a": 1}', "[1, 2]"],
    "separators": ["a;b", ";", "a;;b", ""],
    "words of numpy": ["nan", "NaT", "<NA>", "NA"],
}
VALUES: dict[str, list[Any]] = {  # values of a JSON field
    "whole": [1, 0],
    "flags and ones": [True, 1, 0, False],
    "fractions": [0.5, 0.25, 1],
    "texts and numbers": ["1", 1],
    "nulls": [None],
    "some nulls": [1, None, 0],
    "lists": [["a"], ["a", "b"], []],
    "lists of lists": [[["a"]], [["b"]]],
    "lists of nulls": [[None], ["a"]],
    "lists and texts": [["a"], "a"],
    "records": [{"a": 1}, {"b": [2]}],
    "records and nulls": [{"a": 1}, None],
    "all kinds": [1, "a", None, [1], {"a": 1}, True, 0.5],
    "large": [2**53 + 1, 2**63, 2**64, -(2**63)],
    "dates": ["2024-01-01T00:00:00Z", "2024-01-01"],
    "empty": ["", "a"],
    "escapes": ["\x1b[31m", "\u202e", "\u0000"],
}


def _typed() -> dict[str, pa.Array]:
    """A column of every type of Parquet."""
    day, D = dt.datetime(2024, 1, 1, 12), decimal.Decimal
    many: dict[str, tuple[Any, list[Any]]] = {
        "int8": (pa.int8(), [1, 0]),
        "uint64": (pa.uint64(), [2**64 - 1, 0]),
        "int64": (pa.int64(), [-(2**63), 2**63 - 1]),
        "float16": (pa.float16(), [0.5, 1.0]),
        "float32": (pa.float32(), [0.1, 1.0]),
        "float64": (pa.float64(), [float("nan"), float("inf"), 1.0, -0.0]),
        "bool": (pa.bool_(), [True, False]),
        "decimal": (pa.decimal128(10, 2), [D("1.00"), D("0.25")]),
        "whole decimal": (pa.decimal128(38, 0), [D(10**37), D(1)]),
        "decimal256": (pa.decimal256(60, 0), [D(10**50), D(1)]),
        "string": (pa.string(), ["a", "b"]),
        "large string": (pa.large_string(), ["a", "b"]),
        "coded": (pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
        "coded numbers": (pa.dictionary(pa.int8(), pa.int64()), [1, 0]),
        "binary": (pa.binary(), [b"\x00\xff", b"a"]),
        "fixed binary": (pa.binary(2), [b"\x00\xff", b"ab"]),
        "date": (pa.date32(), [day.date(), dt.date(1, 1, 1)]),
        "timestamp": (pa.timestamp("us"), [day, dt.datetime(9999, 12, 31)]),
        "timestamp in a zone": (pa.timestamp("ns", "Europe/Berlin"), [day, day + dt.timedelta(1)]),
        "time": (pa.time64("us"), [dt.time(1), dt.time(23, 59)]),
        "list": (pa.list_(pa.string()), [["a"], [], ["a", "b"]]),
        "list of numbers": (pa.list_(pa.int64()), [[1], [1, None]]),
        "struct": (pa.struct({"a": pa.int64()}), [{"a": 1}, {"a": None}]),
        "map": (pa.map_(pa.string(), pa.int64()), [[("a", 1)], []]),
        "null": (pa.null(), [None]),
        "some nulls": (pa.int64(), [1, None, 0]),
        "texts and nulls": (pa.string(), ["a", None, ""]),
    }
    return {name: pa.array((values * ROWS)[:ROWS], type=kind) for name, (kind, values) in many.items()}


TYPED = _typed()


def _rest(i: int) -> dict[str, Any]:
    return {"id": i, "y": i % 2, "z": int(i % 3 == 0), "s": round(i / ROWS, 3), "g": f"g{i // 4}", "o": i % 2}


def odd_files() -> list[tuple[str, Made]]:
    """A name for each odd column, and the file in which it is called odd."""
    found = []
    for name, texts in TEXTS.items():
        rows = [{**_rest(i), "odd": texts[i % len(texts)]} for i in range(ROWS)]
        found.append((f"csv {name}", of_csv(f"text-{name}.csv", as_csv(rows))))
    for name, values in VALUES.items():
        rows = [{**_rest(i), "odd": values[i % len(values)]} for i in range(ROWS)]
        found.append((f"json {name}", of_lines(f"json-{name}.jsonl", as_lines(rows))))
    for name, column in TYPED.items():
        rest = {k: [_rest(i)[k] for i in range(ROWS)] for k in _rest(0)}
        rows = [{"odd": x} for x in column.to_pylist()]
        found.append((f"parquet {name}", Made(f"parquet-{name}.parquet", as_parquet({**rest, "odd": column}), rows)))
    return found


ROLES = {  # a command line in which the odd column has each role it can have
    "truth and pred": "score {} --truth odd --pred odd --metric accuracy",
    "truth": "score {} --truth odd --pred z --metric accuracy",
    "pred": "score {} --truth y --pred odd --metric accuracy",
    "outcome": "score {} --outcome odd",
    "value": "score {} --value odd",
    "score": "curve {} --truth y --score odd --metric auc --tolerance 0.5",
    "threshold": "score {} --truth y --score odd --threshold 0.5 --metric recall",
    "by": "score {} --truth y --pred z --metric f1 --by odd",
    "cluster": "score {} --outcome o --cluster odd --tolerance 0.5",
    "weight": "score {} --truth y --pred z --metric f1 --weight odd",
    "count": "score {} --truth y --pred z --metric f1 --count odd",
    "where number": "score {} --truth y --pred z --metric f1 --where odd=1",
    "where text": "score {} --truth y --pred z --metric f1 --where odd!=a",
    "where order": "score {} --truth y --pred z --metric f1 --where odd<2",
    "labels": "score {} --truth odd --pred odd --sep ; --metric micro-f1 --tolerance 0.5",
    "item": "compare {0} {0} --on odd --outcome o --name a --name b",
    "system": "leaderboard {} --system odd --on id --outcome o",
    "dropped": "score {} --truth odd --pred odd --missing drop --metric accuracy",
    "stratum": "score {} --truth y --pred z --metric accuracy --stratum odd --population 1=100,0=100",
}
