"""Small hostile files, each with its rows as plain Python reads them: what a command must count.

Every file holds one and the same table in another form, or a table with one odd column, or it is damaged. Rows are
counted by the generator, or by Python's csv and json, never by what howsure reads with.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]
ITEMS = 40


@dataclass(frozen=True)
class Made:
    """A file: its name, its bytes, and its rows as plain Python reads them; None where nobody can."""

    name: str
    data: bytes
    rows: list[Row] | None

    def write(self, folder: Path) -> str:
        (folder / self.name).write_bytes(self.data)
        return self.name


# -- the table


def table(seed: int = 7, items: int = ITEMS) -> list[Row]:
    """Every kind of column that a command takes, without flaws."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(items):
        truth, kind = int(rng.random() < 0.5), "xyz"[rng.integers(3)]
        right, also = bool(rng.random() < 0.8), bool(rng.random() < 0.6)
        score = round(0.5 * truth + 0.5 * float(rng.random()), 3)
        made.append({
            "id": f"q{i}", "g": f"g{i // 4}", "r": "north" if i % 3 else "south", "age": 20 + i % 30,
            "y": truth, "z": truth if right else 1 - truth, "w": truth if also else 1 - truth,
            "k": kind, "l": kind if right else "xyz"[rng.integers(3)], "m": kind if also else "x",
            "o": "pass" if right else "fail", "p": "pass" if also else "fail",
            "v": round(float(rng.random()), 3), "u": round(float(rng.random()), 3),
            "s": score, "t": round(float(rng.random()), 3), "n": int(rng.integers(1, 5)),
            "q": round(float(rng.uniform(0.5, 2)), 2), "a": f"{kind};x", "b": kind,
        })  # fmt: skip
    return made


TABLE = table()


# -- CSV


def as_csv(
    rows: list[Row], *, delimiter: str = ",", end: str = "\n", quoting: int = csv.QUOTE_MINIMAL, head: bool = True
) -> str:
    out = io.StringIO()
    made = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    if head:
        made.writerow(rows[0])
    made.writerows([list(row.values()) for row in rows])
    return out.getvalue()


def read_csv(data: bytes, delimiter: str = ",") -> list[Row]:
    """The rows by Python's csv: lines may end in any way, blank ones are none."""
    text = io.StringIO(data.decode("utf-8-sig"), newline=None)
    csv.field_size_limit(1 << 26)
    rows = [row for row in csv.reader(text, delimiter=delimiter) if row]
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]


def of_csv(name: str, text: str | bytes, delimiter: str = ",") -> Made:
    data = text if isinstance(text, bytes) else text.encode()
    return Made(name, data, read_csv(data, delimiter))


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _with_text(text: str, every: int = 1) -> str:
    """The table with a column that nobody asks for, with one text in some rows."""
    return as_csv([{"note": "" if i % every else text, **row} for i, row in enumerate(TABLE)])


def csv_forms() -> list[Made]:
    """The table in forms that are all right, though rarely seen."""
    plain = as_csv(TABLE)
    lines = _lines(plain)
    blank = lines[0] + "".join(x + "\n" * (i % 7 == 3) for i, x in enumerate(lines[1:]))
    wide = [{**row, **{f"extra{i}": "" for i in range(800)}} for row in TABLE]
    padded = as_csv([{f" {k} " if k == "y" else k: x for k, x in row.items()} for row in TABLE])
    return [
        of_csv("plain.csv", plain),
        of_csv("crlf.csv", as_csv(TABLE, end="\r\n")),
        of_csv("cr.csv", as_csv(TABLE, end="\r")),
        of_csv("bom.csv", b"\xef\xbb\xbf" + plain.encode()),
        of_csv("bom-quoted.csv", b"\xef\xbb\xbf" + as_csv(TABLE, quoting=csv.QUOTE_ALL).encode()),
        of_csv("quoted.csv", as_csv(TABLE, quoting=csv.QUOTE_ALL, end="\r\n")),
        of_csv("semicolons.csv", as_csv(TABLE, delimiter=";"), ";"),
        of_csv("pipes.csv", as_csv(TABLE, delimiter="|"), "|"),
        of_csv("tabs.tsv", as_csv(TABLE, delimiter="\t"), "\t"),
        of_csv("no-suffix", plain),
        of_csv("no-last-end.csv", plain.rstrip("\n")),
        of_csv("blank-lines.csv", blank),
        of_csv("blank-first.csv", "\n\n" + plain),
        of_csv("blank-last.csv", plain + "\n\n\n"),
        of_csv("newlines-within.csv", _with_text('one\ntwo, "three"\r\nfour')),
        of_csv("delimiters-within.csv", _with_text(";,\t|" * 9)),
        of_csv("quotes-within.csv", _with_text('"')),
        of_csv("huge-field.csv", _with_text("x" * 200_000, 20)),
        of_csv("escapes-within.csv", _with_text("\x1b[31m\u202e=cmd|' /C calc'!A0")),
        of_csv("same-heads.csv", as_csv(TABLE).replace("id,g,", "g,g,", 1)),
        of_csv("empty-heads.csv", as_csv(TABLE).replace("id,", ",", 1)),
        of_csv("blanks-in-heads.csv", padded),
        of_csv("wide.csv", as_csv(wide)),
        of_csv("one's [name] 50% ;x.csv", plain),
    ]


def csv_damaged() -> list[Made]:
    """Files that are refused, or counted as plain Python counts them; which of both is told by the lines."""
    plain = as_csv(TABLE)
    lines = _lines(plain)
    mixed = "".join(x.rstrip("\n") + ("\r\n", "\n")[i % 2] for i, x in enumerate(lines))
    short, long = lines[:], lines[:]
    short[9], long[9] = "q8,g2,north\n", long[9].rstrip("\n") + ",more,and more\n"
    lone, open_ = lines[:], lines[:]
    lone[5], open_[5] = lone[5].replace("north", 'no"rth').replace("south", 'so"uth'), '"' + open_[5]
    nul = lines[:]
    nul[5] = nul[5].replace("north", "no\0rth").replace("south", "so\0uth")
    return [
        Made("short-row.csv", "".join(short).encode(), None),
        Made("long-row.csv", "".join(long).encode(), None),
        of_csv("mixed-ends.csv", mixed),
        of_csv("lone-quote.csv", "".join(lone)),
        Made("open-quote.csv", "".join(open_).encode(), None),
        Made("nul.csv", "".join(nul).encode(), TABLE),
        Made("latin-1.csv", plain.replace("north", "nörth").encode("latin-1"), None),
        Made("late-latin-1.csv", (plain + plain.partition("\n")[2].replace("north", "nörth")).encode("latin-1"), None),
        Made("utf-16.csv", plain.encode("utf-16"), None),
        Made("empty.csv", b"", None),
        Made("blank.csv", b" \n\n \n", None),
        Made("head-only.csv", lines[0].encode(), []),
        Made("too-long-line.csv", _with_text("x" * 2_100_000, 30).encode(), None),
        Made("binary.csv", bytes(range(256)) * 40, None),
        Made("json-in.csv", as_lines(TABLE).encode(), None),
        Made("csv-in.jsonl", plain.encode(), None),
        Made("csv-in.parquet", plain.encode(), None),
    ]


# -- JSON


def as_lines(rows: list[Row], end: str = "\n") -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows)


def read_lines(data: bytes) -> list[Row]:
    """The records by Python's json: one a line."""
    return [json.loads(line) for line in data.decode("utf-8-sig").splitlines() if line.strip()]


def of_lines(name: str, text: str | bytes) -> Made:
    data = text if isinstance(text, bytes) else text.encode()
    return Made(name, data, read_lines(data))


def json_forms() -> list[Made]:
    """The table as JSON, in forms that are all right."""
    shapes = [{k: row[k] for k in (list(row) if i % 2 else reversed(row))} for i, row in enumerate(TABLE)]
    late = [{**row, **({"late": {"x": i}} if i > 30 else {})} for i, row in enumerate(TABLE)]
    nested = [{**row, "in": {"y": row["y"], "deep": [{"z": [row["z"]]}]}, "null": None} for row in TABLE]
    twice = "".join(json.dumps(row)[:-1] + ', "note": 1, "note": 2}\n' for row in TABLE)
    huge = "".join(json.dumps(row)[:-1] + f', "note": {"9" * 400}}}\n' for row in TABLE)
    escaped = "".join(json.dumps({**row, "note": "é\u202e\x1b[1m\ud83d\ude00"}) + "\n" for row in TABLE)
    array = json.dumps(TABLE)
    return [
        of_lines("lines.jsonl", as_lines(TABLE)),
        of_lines("crlf.jsonl", as_lines(TABLE, "\r\n")),
        of_lines("no-last-end.jsonl", as_lines(TABLE).rstrip("\n")),
        of_lines("blank-lines.jsonl", as_lines(TABLE, "\n\n")),
        of_lines("shapes.jsonl", as_lines(shapes)),
        of_lines("late.jsonl", as_lines(late)),
        of_lines("nested.jsonl", as_lines(nested)),
        of_lines("twice.jsonl", twice),
        of_lines("huge-number.jsonl", huge),
        of_lines("escaped.jsonl", escaped),
        of_lines("lines.json", as_lines(TABLE)),
        Made("array.json", array.encode(), json.loads(array)),
        Made("pretty.json", json.dumps(TABLE, indent=2).encode(), TABLE),
        Made("no-suffix-json", as_lines(TABLE).encode(), TABLE),
    ]


def json_damaged() -> list[Made]:
    """Files that are refused, or counted as they should be."""
    lines = _lines(as_lines(TABLE))
    return [
        of_lines("bom.jsonl", b"\xef\xbb\xbf" + as_lines(TABLE).encode()),
        Made("truncated.jsonl", "".join(lines)[:-30].encode(), None),
        Made("comma.jsonl", "".join([*lines[:5], lines[5].replace("}", ",}"), *lines[6:]]).encode(), None),
        Made("scalar.jsonl", "".join([*lines[:5], "17\n", *lines[6:]]).encode(), None),
        Made("list.jsonl", "".join([*lines[:5], "[1, 2]\n", *lines[6:]]).encode(), None),
        Made("null.jsonl", "".join([*lines[:5], "null\n", *lines[6:]]).encode(), None),
        Made("run-on.jsonl", "".join(x.rstrip("\n") for x in lines).encode(), TABLE),
        Made("pretty.jsonl", "".join(json.dumps(row, indent=1) + "\n" for row in TABLE).encode(), TABLE),
        Made("nan.jsonl", as_lines([{**row, "v": float("nan")} for row in TABLE]).encode(), None),
        Made(
            "surrogate.jsonl",
            "".join(
                [*lines[:5], lines[5].replace('"north"', r'"\ud800"').replace('"south"', r'"\ud800"'), *lines[6:]]
            ).encode(),
            None,
        ),
        Made("deep.jsonl", ("".join(lines) + '{"y":' + "[" * 3000 + "]" * 3000 + "}\n").encode(), None),
        Made("empty-array.json", b"[]", []),
        Made("open-array.json", json.dumps(TABLE).encode()[:-1], None),
        Made("array-and-more.json", json.dumps(TABLE).encode() + b"{}", None),
        Made("empty.jsonl", b"", None),
        Made("empty-records.jsonl", b"{}\n{}\n", None),
        Made("latin-1.jsonl", as_lines(TABLE).replace("north", "nörth").encode("latin-1"), None),
    ]


# -- Parquet


def as_parquet(columns: dict[str, Any], **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **how)
    return out.getvalue()


def parquet_forms() -> list[Made]:
    columns = {name: [row[name] for row in TABLE] for name in TABLE[0]}
    coded = {name: pa.array(x).dictionary_encode() for name, x in columns.items()}
    return [
        Made("table.parquet", as_parquet(columns), TABLE),
        Made("coded.parquet", as_parquet(coded), TABLE),
        Made("row-groups.parquet", as_parquet(columns, row_group_size=7, compression="gzip"), TABLE),
        Made("parquet-no-suffix", as_parquet(columns), TABLE),
    ]


def parquet_damaged() -> list[Made]:
    columns = {name: [row[name] for row in TABLE] for name in TABLE[0]}
    whole = as_parquet(columns)
    none = {name: pa.array(x)[:0] for name, x in columns.items()}
    return [
        Made("no-rows.parquet", as_parquet(none), []),
        Made("cut.parquet", whole[: len(whole) // 2], None),
        Made("headless.parquet", whole[4:], None),
    ]


# -- packed


def zstd(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as packed:
        packed.write(data)
    return bytes(out.getvalue().to_pybytes())


def packed_forms() -> list[Made]:
    """The table in one packed file, in one of several parts, and in parts that meet within a line."""
    plain, lines = as_csv(TABLE).encode(), as_lines(TABLE).encode()
    half = len(plain) // 2 + 7
    found = []
    for pack, ending in ((lambda x: gzip.compress(x, mtime=0), "gz"), (zstd, "zst")):
        found += [
            Made(f"one.csv.{ending}", pack(plain), TABLE),
            Made(f"one.jsonl.{ending}", pack(lines), TABLE),
            Made(f"parts.csv.{ending}", pack(plain[:half]) + pack(plain[half:]), TABLE),
            Made(f"parts.jsonl.{ending}", pack(lines[:half]) + pack(lines[half:]), TABLE),
            Made(f"head-apart.csv.{ending}", pack(plain[:3]) + pack(plain[3:]), TABLE),
            Made(f"{ending}-without-suffix.csv", pack(plain), TABLE),
        ]
    return found


def packed_damaged() -> list[Made]:
    plain = as_csv(table(items=4000)).encode()
    found = [
        Made("plain-in.csv.gz", as_csv(TABLE).encode(), TABLE),
        Made("plain-in.csv.zst", as_csv(TABLE).encode(), TABLE),
    ]
    for pack, ending in ((lambda x: gzip.compress(x, mtime=0), "gz"), (zstd, "zst")):
        whole = pack(plain)
        found += [
            Made(f"cut.csv.{ending}", whole[: len(whole) * 2 // 3], None),
            Made(f"cut-at-end.csv.{ending}", whole[:-3], None),
            Made(f"cut.jsonl.{ending}", pack(as_lines(TABLE).encode())[:-40], None),
            Made(f"more-behind.csv.{ending}", whole + b"more", None),
            Made(f"flipped.csv.{ending}", whole[:300] + bytes([whole[300] ^ 255]) + whole[301:], None),
            Made(f"nothing.csv.{ending}", pack(b""), None),
            Made(f"head-only.csv.{ending}", pack(plain.partition(b"\n")[0] + b"\n"), []),
        ]
    return found


def whole() -> list[Made]:
    """Files that hold the table: every command reads all of it."""
    return [*csv_forms(), *json_forms(), *parquet_forms(), *packed_forms()]


def damaged() -> list[Made]:
    """Files that are refused, or counted as plain Python counts them."""
    return [*csv_damaged(), *json_damaged(), *parquet_damaged(), *packed_damaged()]
