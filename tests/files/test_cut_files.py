"""Files that were cut or damaged: read to a proper end, or refused in a sentence; a row is never lost in silence."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
import struct
import subprocess
import sys

import polars as pl
import pytest

import howsure as hs
from bench.memory import OWN_PEAK
from howsure.cli import app
from howsure.errors import BadFile, HowsureError
from howsure.io.streams import check_zstd, unpacked
from howsure.io.trec import rank, read_qrels, read_run
from tests.files.test_files import zstd

ROWS = 400
_rng = random.Random(5)
RECORDS = [{"y": _rng.randint(0, 1), "z": _rng.randint(0, 1), "t": f"{_rng.random():.9f}"} for _ in range(ROWS)]
CSV = ("y,z,t\n" + "".join(f"{r['y']},{r['z']},{r['t']}\n" for r in RECORDS)).encode()
JSONL = "".join(json.dumps(r) + "\n" for r in RECORDS).encode()
ARRAY = json.dumps(RECORDS).encode()
LINES = json.dumps(RECORDS, indent=1).encode()
COLUMNS = {"truth": "y", "pred": "z"}


def zst(data, folder):
    """Packed by DuckDB, as Python cannot."""
    zstd(data, folder / "made")
    return (folder / "made").read_bytes()


def counted(path):
    """How many rows there are, or None where it is refused; in one sentence of our own."""
    try:
        return hs.tally(path, **COLUMNS).n
    except HowsureError as error:
        said = str(error)
        assert "\n" not in said
        assert len(said) < 300
        assert not any(x in said for x in ("Malformed", "state machine", "GZIP", "auto-detect", "Invalid Input"))
        return None


def cuts(size):
    """In the header, at the ends, and in between."""
    return sorted({*range(1, 20), *range(size - 20, size), *(size * i // 23 for i in range(1, 23))})


PACKED = ("a.csv.gz", "a.csv.zst", "a.jsonl.gz", "a.jsonl.zst", "a.json.gz", "a.json.zst", "a.json", "a.parquet")


def packed(name, folder):
    content = {"csv": CSV, "jsonl": JSONL, "json": LINES if name.endswith("zst") else ARRAY}
    if name == "a.parquet":
        pl.DataFrame(RECORDS).write_parquet(folder / "made")
        return (folder / "made").read_bytes()
    _, kind, *packing = name.split(".")
    if packing == ["zst"]:
        return zst(content[kind], folder)
    return gzip.compress(content[kind]) if packing else content[kind]


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_or_structured_file_that_was_cut_is_refused(name, tmp_path):
    """Wherever the cut is: header, middle, trailer, after a comma, within a record."""
    whole, path = packed(name, tmp_path), tmp_path / name
    path.write_bytes(whole)
    assert counted(path) == ROWS
    taken = []
    for size in cuts(len(whole)):
        path.write_bytes(whole[:size])
        if counted(path) is not None:
            taken.append(size)
    assert taken == []


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst", "a.jsonl.gz", "a.jsonl.zst"])
def test_the_second_of_two_packed_parts_may_not_be_cut(name, tmp_path):
    """Parts that are packed one after the other are one file; whole ones are read, garbage after them is refused."""
    kind = CSV if ".csv" in name else JSONL
    half = kind.index(b"\n", len(kind) // 2) + 1
    pack = gzip.compress if name.endswith("gz") else lambda x: zst(x, tmp_path)
    first, second, path = pack(kind[:half]), pack(kind[half:]), tmp_path / name
    path.write_bytes(first + second)
    assert counted(path) == ROWS
    for size in (*range(1, 9), len(second) // 2, len(second) - 1):
        path.write_bytes(first + second[:size])
        assert counted(path) is None, size
    for garbage in (b"x", b"garbage", b"\0" * 7 + b"x"):
        path.write_bytes(first + second + garbage)
        assert counted(path) is None, garbage


def test_a_gzip_file_with_other_bytes_is_refused(tmp_path):
    """Its sum is looked at: a byte that changed may have been the end of a row."""
    raw, path = gzip.compress(b"y\n" + b"1\n0\n" * 300, 0), tmp_path / "a.csv.gz"  # 0: as it is
    path.write_bytes(raw)
    assert hs.tally(path, outcome="y").n == 600
    at = raw.index(b"1\n0\n1\n0") + 3
    path.write_bytes(raw[:at] + b" " + raw[at + 1 :])
    with pytest.raises(BadFile, match="damaged or truncated gzip"):
        hs.tally(path, outcome="y", where=["y!=0 1"])
    path.write_bytes(raw[:-4] + struct.pack("<I", 7))
    with pytest.raises(BadFile, match="damaged or truncated gzip"):
        hs.tally(path, outcome="y")


def test_a_json_array_ends_with_its_bracket(tmp_path):
    """After a comma, within a record, without the bracket, with something after it: refused; blanks are none."""
    path = tmp_path / "a.json"
    comma = ARRAY.index(b"}, {", len(ARRAY) // 2) + 2
    for data in (ARRAY[:comma], ARRAY[: comma + 1], ARRAY[: comma - 1], ARRAY[: comma + 5], ARRAY[:-1], ARRAY + b"x",
                 ARRAY + ARRAY, ARRAY + b"\n{}", ARRAY[:-1] + b",]"):  # fmt: skip
        path.write_bytes(data)
        assert counted(path) is None, data[-20:]
    path.write_bytes(ARRAY + b" \n" * 5_000)
    assert counted(path) == ROWS
    for name, pack in (("b.json.gz", gzip.compress), ("b.json.zst", lambda x: zst(x, tmp_path))):
        (tmp_path / name).write_bytes(pack(LINES[: LINES.index(b"},\n", 9000) + 3]))
        with pytest.raises(BadFile, match="does not end with"):
            hs.tally(tmp_path / name, **COLUMNS)


def test_rows_of_a_plain_file_are_never_fewer_than_its_lines(tmp_path):
    """A file that was cut within a row is refused, or has that row; between rows nobody can know."""
    path = tmp_path / "a.csv"
    for kind, name in ((CSV, "a.csv"), (JSONL, "a.jsonl")):
        path = tmp_path / name
        for size in (*range(20, 44, 2), *range(len(kind) - 22, len(kind) + 1)):
            path.write_bytes(kind[:size])
            found = counted(path)
            lines = len(kind[:size].splitlines()) - (name == "a.csv")
            assert found in (None, lines), size
            if kind[:size].endswith(b"\n"):
                assert found == lines, size


def test_an_open_quote_is_refused_with_its_line(tmp_path):
    """At the end of the file, and before it."""
    path = tmp_path / "a.csv"
    for bad, line in (
        (CSV + b'1,0,"0.5', ROWS + 2),
        (CSV + b'1,0,"0.5\n', ROWS + 2),
        (CSV[:6] + b'"1,0,0\n' + CSV[6:], 2),
    ):
        path.write_bytes(bad)
        with pytest.raises(BadFile, match=f"a quote of line {line} of "):
            hs.tally(path, **COLUMNS)


ENDS = {"\\n": b"\n", "\\r\\n": b"\r\n", "\\r": b"\r"}


@pytest.mark.parametrize("usual", ENDS)
def test_line_ends_of_one_kind_are_read_and_mixed_ones_told(usual, tmp_path):
    """Any of the three; a line that ends another way is named, wherever it is, also where it is empty."""
    lines, path = CSV.split(b"\n")[:-1], tmp_path / "a.csv"
    path.write_bytes(ENDS[usual].join([*lines, b""]))
    assert counted(path) == ROWS
    path.write_bytes(ENDS[usual].join(lines))
    assert counted(path) == ROWS
    path.write_bytes(ENDS[usual].join([*lines[:9], b"", b"", *lines[9:], b"", b""]))
    assert counted(path) == ROWS
    for other in set(ENDS) - {usual}:
        for at in (1, 2, 150, ROWS):
            path.write_bytes(ENDS[usual].join(lines[:at]) + ENDS[other] + ENDS[usual].join([*lines[at:], b""]))
            with pytest.raises(BadFile, match="ends with") as error:
                hs.tally(path, **COLUMNS)
            told = f"line {at} of {str(path)!r} ends with {other} where the first ends with {usual};"
            swapped = f"line 2 of {str(path)!r} ends with {usual} where the first ends with {other};"
            assert str(error.value).startswith(swapped if at == 1 else told)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(BadFile, match="ends with"):
        hs.tally(tmp_path / "b.csv.gz", **COLUMNS)


def test_text_that_is_no_utf8(tmp_path):
    """UTF-16, NUL bytes early and late: refused; a mark at the start is no part of the first name."""
    path = tmp_path / "a.csv"
    late = CSV + b"1,0,x\n" * 20_000
    for data in (CSV.decode().encode("utf-16"), CSV.decode().encode("utf-16-le"), CSV[:99] + b"\0" + CSV[99:],
                 late + b"1\0,0,x\n"):  # fmt: skip
        path.write_bytes(data)
        assert counted(path) is None
    path.write_bytes(b"\xef\xbb\xbf" + CSV)
    assert counted(path) == ROWS


def test_a_matrix_that_was_cut(tmp_path, capsys):
    """A row too few, a number too few, an open quote."""
    path = tmp_path / "m.csv"
    whole = 'x,"a","b"\na,8,1\nb,2,9\n'
    path.write_text(whole, encoding="utf-8")
    assert app.run(["score", "--matrix", str(path)]) == 0
    for size in (3, 8, 9, 13, 14, 15, 16, 19, 20):
        path.write_text(whole[:size], encoding="utf-8")
        assert app.run(["score", "--matrix", str(path)]) == 2, whole[:size]
    path.write_text('x,"a","b"\na,8,1\nb,2,"9\n', encoding="utf-8")
    assert app.run(["score", "--matrix", str(path)]) == 2
    assert capsys.readouterr().err.count("Traceback") == 0


def test_a_tally_that_was_cut():
    """Its JSON is whole, or refused."""
    text = hs.Tally.binary(tp=8, fp=1, fn=2, tn=9).to_json()
    for size in range(len(text)):
        with pytest.raises(HowsureError):
            hs.Tally.from_json(text[:size])


def raw_frame(data, *, checksum=False, size=True):
    """A frame of zstd that holds its data as they are, in blocks of three bytes and one that repeats a byte."""
    head = b"\x28\xb5\x2f\xfd" + (bytes([0x20 | checksum << 2, len(data) + 5]) if size else bytes([checksum << 2, 0]))
    blocks = [data[i : i + 3] for i in range(0, len(data), 3)]
    parts = [(len(x) << 3).to_bytes(3, "little") + x for x in blocks]
    return head + b"".join(parts) + (5 << 3 | 2 | 1).to_bytes(3, "little") + b"y" + b"sums" * checksum


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("size", [False, True])
def test_frames_are_stepped_over(checksum, size, tmp_path):
    """Frames with and without size and sum, frames without data between them; every cut but those between is seen."""
    frame, path = raw_frame(b"12345678", checksum=checksum, size=size), tmp_path / "x"
    between = b"\x5f\x2a\x4d\x18\x03\x00\x00\x00abc"
    whole = frame + between + frame
    whole_at = {len(frame), len(frame) + len(between), len(whole)}
    for cut in range(1, len(whole) + 1):
        path.write_bytes(whole[:cut])
        if cut in whole_at:
            check_zstd(path, "x")
        else:
            with pytest.raises(BadFile, match="'x' is a damaged or truncated zstd file"):
                check_zstd(path, "x")


@pytest.mark.whole
def test_bytes_come_in_pieces(tmp_path):
    """However much a packed file holds, a piece is at most a megabyte."""
    data = b"\n" * 2_500_000
    for packing, pack in (("gzip", gzip.compress), ("bzip2", bz2.compress), ("xz", lzma.compress), ("none", bytes)):
        path = tmp_path / packing
        path.write_bytes(pack(data) + pack(data[:9]))
        pieces = [len(x) for x in unpacked(path, packing, "x")]
        assert (sum(pieces), max(pieces)) == (2_500_009, 1 << 20), packing
        for wrong in (pack(data)[:-1], pack(data) + b"x", pack(data) + pack(data)[:9]):
            path.write_bytes(wrong)
            if packing != "none":
                with pytest.raises(BadFile, match=f"damaged or truncated {packing}"):
                    list(unpacked(path, packing, "x"))


QRELS = b"".join(b"q%d 0 d%d %d\n" % (i // 10, i, i % 2) for i in range(600))
RUN = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i // 10, i, i % 7) for i in range(600))


def ranked(qrels, run):
    """How many lines of a run are read, or None where it is refused."""
    try:
        return int(rank(read_run(run, "run"), read_qrels(qrels)).retrieved.sum())
    except HowsureError:
        return None


def test_runs_and_judgments_that_were_cut(tmp_path):
    """Packed ones are refused; of plain ones no line is lost."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS)
    for packing in (gzip.compress, bz2.compress, lzma.compress):
        whole = packing(RUN)
        run.write_bytes(whole)
        assert ranked(qrels, run) == 600
        for size in cuts(len(whole))[::3]:
            run.write_bytes(whole[:size])
            assert ranked(qrels, run) is None, size
        judged = packing(QRELS)
        (tmp_path / "packed").write_bytes(judged[:-3])
        run.write_bytes(RUN)
        assert ranked(tmp_path / "packed", run) is None
    for size in range(len(RUN) - 40, len(RUN) + 1):
        run.write_bytes(RUN[:size])
        assert ranked(qrels, run) in (None, len(RUN[:size].splitlines())), size


BOMBS = {
    "bytes of 0": (b"\0" * (1 << 20), "is longer than 2 MB"),
    "empty lines": (b"\n" * (1 << 20), "is empty"),
    "one line": (b"q1 Q0 d1 1 1.0 t\n" * 60_000, "again on line 2"),
    "one line without end": (b"q1 Q0 d1 ", "has 2,700 fields|is longer than 2 MB"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_memory_follows_the_lines_not_the_bytes(name, tmp_path):
    """320 MB that a small file unpacks to are read in pieces: 60 MB more at most."""
    piece, said = BOMBS[name]
    member = gzip.compress(piece * max(1, (64 << 20) // len(piece)), 9)
    path = tmp_path / "run.gz"
    path.write_bytes(member * 5)
    (tmp_path / "qrels").write_bytes(QRELS)
    code = (
        "import sys, howsure as hs, duckdb\n"
        "hs.trec(sys.argv[1], {'x': {'q1': {'d1': 1.0}}}, metrics=['AP'])\n"
        f"before = {OWN_PEAK}\n"
        "try:\n    hs.trec(sys.argv[1], [sys.argv[2]], metrics=['AP'])\n"
        "except ValueError as error:\n    print(error)\n"
        f"print(({OWN_PEAK} - before) // 1024)\n"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "qrels"), str(path)]
    told, more = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    assert re.search(said, told), told
    assert int(more) < 60


def raw_zst(data):
    """A frame of zstd with one block that is stored as it is, and no checksum (RFC 8878)."""
    assert len(data) < 256
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + (len(data) << 3 | 1).to_bytes(3, "little") + data


def test_a_zstd_file_may_hold_any_sign(tmp_path):
    """Control signs are text like any other: no sign of a text parts its lines."""
    signs = "".join(chr(x) for x in range(1, 128) if chr(x) not in '\r\n,"')
    rows = f"y,z,t\n1,1,{signs}\n0,0,c\n"
    (tmp_path / "a.csv.zst").write_bytes(raw_zst(rows.encode()))
    assert counted(tmp_path / "a.csv.zst") == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"y,z\n1,\xe9\n", "line 2 of '{}' is not UTF-8 text."),
        (b"y,z\n1,a\0b\n", "'{}' is a binary file; give CSV, JSON lines (both UTF-8) or Parquet."),
        (b"y,z\r\n1,1\n0,0\r", "'{}' mixes line ends; write it with one kind of line end."),
    ],
)
def test_what_is_wrong_within_a_zstd_file_is_said(data, said, tmp_path):
    """A whole file with an odd text is not called a damaged one."""
    path = tmp_path / "a.csv.zst"
    path.write_bytes(raw_zst(data))
    with pytest.raises(BadFile, match=re.escape(said.format(path))):
        hs.tally(path, **COLUMNS)


def test_a_long_line_of_a_zstd_file_is_named(tmp_path):
    """One cause, and where it is."""
    zstd(b"y,z\n1,1\n1," + b"a" * 2_100_000 + b"\n0,0\n", tmp_path / "a.csv.zst")
    with pytest.raises(BadFile, match=r"line 3 of '.*a.csv.zst' is longer than 2 MB"):
        hs.tally(tmp_path / "a.csv.zst", **COLUMNS)


def test_what_no_one_can_see_of_packed_files_is_as_the_page_says(tmp_path):
    """A part that is missing whole, and other bytes in a zstd file that carries no sum."""
    first, second = gzip.compress(b"y,z\n1,1\n"), gzip.compress(b"0,0\n")
    (tmp_path / "a.csv.gz").write_bytes(first + second)
    (tmp_path / "b.csv.gz").write_bytes(first)
    assert (counted(tmp_path / "a.csv.gz"), counted(tmp_path / "b.csv.gz")) == (2, 1)
    (tmp_path / "a.csv.zst").write_bytes(raw_zst(b"y,z\n1,1\n0,0\n").replace(b"0,0", b"0,1"))
    assert hs.tally(tmp_path / "a.csv.zst", **COLUMNS).fp == 1


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl", b'{"y": 1, "z": 1}\n\nnull\n[1, 2]\n', "value 3 of '{}' is not a record but a JSON array"),
        ("a.json", b'[{"y": 1, "z": 1}, 5]', "value 2 of '{}' is not a record but a JSON "),
    ],
)  # fmt: skip
def test_a_json_value_that_is_no_record_is_named(name, data, said, tmp_path):
    """Where it is and what it is, not that a column is missing."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadFile, match=re.escape(said.format(tmp_path / name))):
        hs.tally(tmp_path / name, **COLUMNS)
