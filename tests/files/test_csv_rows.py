"""CSV files have the rows that Python's csv module reads, or are refused: never fewer in silence."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadFile
from tests import tiers
from tests.files.csv_files import LINE_ENDS, PACKINGS, random_file
from tests.tiers import some

BLOCK = 40  # files of one case
FILES = 2000 if tiers.tier == "deep" else BLOCK
LONG = 40_000_000


def pairs(tally):
    """How often each true label goes with each prediction."""
    table = tally.dense()
    names = [str(x) for x in tally.labels]
    return Counter({(names[i], names[j]): int(table[i, j]) for i, j in zip(*table.nonzero(), strict=True)})


@pytest.mark.parametrize("first", range(0, FILES, BLOCK))
def test_random_files_have_the_counts_of_the_csv_module(first, tmp_path):
    """Line ends, quotes, byte order marks, delimiters, inner line ends, blank lines, packings."""
    for seed in range(first, first + BLOCK):
        file = random_file(seed)
        truth, pred, want = file.expected()
        assert pairs(hs.tally(file.write(tmp_path), truth=truth, pred=pred)) == want, seed


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "mark"])
def test_a_quoted_name_may_hold_any_line_end(mark, packing, tmp_path):
    """The three rows are read whatever ends the lines; two such files have six."""
    for end, inner in product(LINE_ENDS, LINE_ENDS):
        paths = [tmp_path / f"{x}.csv{packing}" for x in "ab"]
        for path in paths:
            text = end.join([f'{mark}"the{inner}truth",pred', "1,1", "0,1", "0,0"])
            path.write_bytes(PACKINGS[packing](text.encode()))
        columns = {"truth": f"the{inner}truth", "pred": "pred"}
        assert hs.tally(paths[0], **columns).n == 3, (end, inner)
        assert hs.tally(paths, **columns).n == 6, (end, inner)


LONG_LAST = {
    "plain": "1,0," + "x" * LONG,
    "shorter": "0,1,a\n" * 3_750_000 + "1,0," + "x" * 9_510_000,  # crosses what DuckDB reads at once
    "quoted lines": '1,0,"' + ("x" * 99 + "\n") * (LONG // 100) + '"',
    "open quote": '1,0,"' + "0,1,a\n" * 6_000_000,
}


@pytest.mark.parametrize(("kind", "packing"), tiers.spread(LONG_LAST, PACKINGS, every=3))
def test_a_last_line_that_is_too_long_is_refused(kind, packing, tmp_path, capsys):
    """With exit 2 and the limit; before, it was left out without a word."""
    path = tmp_path / f"a.csv{packing}"
    path.write_bytes(PACKINGS[packing](f"y,z,t\n0,0,a\n1,1,b\n{LONG_LAST[kind]}".encode()))
    assert run(["score", str(path), "--truth", "y", "--pred", "z"]) == 2
    assert "2 MB" in capsys.readouterr().err


@pytest.mark.parametrize("packing", some(PACKINGS, every=3))
def test_a_long_line_within_the_limit_is_read(packing, tmp_path):
    """Where DuckDB goes from one piece of the file to the next, and at the end."""
    path, long = tmp_path / f"a.csv{packing}", "1,0," + "x" * 1_900_000
    rows = ["0,1," + "y" * 995] * 31_000
    path.write_bytes(PACKINGS[packing]("\n".join(["y,z,t", *rows, long, *rows, long]).encode()))
    assert hs.tally(path, truth="y", pred="z").n == 62_002


def test_a_zstd_file_with_an_open_quote_is_refused(tmp_path):
    """However small: one thread of DuckDB would leave the row out."""
    for rows in (1, 400_000):
        path = tmp_path / "a.csv.zst"
        path.write_bytes(PACKINGS[".zst"](b'y,z,t\n0,0,a\n1,0,"' + b"0,1,a\n" * rows))
        with pytest.raises(BadFile, match="a quote of line 3"):
            hs.tally(path, truth="y", pred="z")
