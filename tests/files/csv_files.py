"""Random CSV files, and what Python's csv module reads in them."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections import Counter
from dataclasses import dataclass
from functools import partial

LINE_ENDS = ("\n", "\r\n", "\r")
SUFFIXES = {",": (".csv", ".txt", ""), "\t": (".tsv", ".tab", ".csv"), ";": (".csv",), "|": (".csv", ".txt")}
_PLAIN = ("a", "b", "b", "no", "a b", "é", "x y z", "1", "2", "=1+1", "'q'", "#", "\\", "\\n")
_QUOTED = ("{end}", "one{end}two", "{end}a", "a{end}", 'say "yes"', '"', '""', "a{by}b", "{by}", '{end}"{end}')


def zstd(data: bytes) -> bytes:
    """A zstd frame that keeps the bytes as they are (RFC 8878: raw blocks of at most 128 KB)."""
    pieces = [data[i : i + (1 << 17)] for i in range(0, len(data), 1 << 17)] or [b""]
    blocks = [((len(x) << 3) | (i == len(pieces) - 1)).to_bytes(3, "little") + x for i, x in enumerate(pieces)]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(blocks)  # a window of 2 MB


PACKINGS = {"": bytes, ".gz": partial(gzip.compress, compresslevel=1), ".zst": zstd}


@dataclass(frozen=True)
class RandomFile:
    """A CSV file before it is packed, the end of its name, and the numbers of the two columns to count."""

    data: bytes
    delimiter: str
    suffix: str
    packing: str
    truth: int
    pred: int

    def write(self, folder):
        """Write the file, packed; return its path."""
        path = folder / f"a{self.suffix}{self.packing}"
        path.write_bytes(PACKINGS[self.packing](self.data))
        return path

    def expected(self) -> tuple[str, str, Counter[tuple[str, str]]]:
        """The names of the two columns and the count of each pair of labels; lines with nothing on them are no rows."""
        text = io.StringIO(self.data.decode("utf-8-sig"), newline="")
        names, *rows = (x for x in csv.reader(text, delimiter=self.delimiter, strict=True) if x)
        pairs = Counter((x[self.truth], x[self.pred]) for x in rows)
        return names[self.truth].strip(), names[self.pred].strip(), pairs


def random_file(seed: int) -> RandomFile:
    """Draw every choice that a writer of CSV has."""
    rng = random.Random(seed)
    delimiter, end = rng.choice(list(SUFFIXES)), rng.choice(LINE_ENDS)
    width = rng.randint(2, 6)
    names = [_cell(rng, delimiter, 0.3) + f"{i}" for i in range(width)]
    odd, quoted = rng.choice((0.0, 0.1, 0.5)), rng.choice((0.0, 0.3, 1.0))
    size = rng.choice((1, 2, 5, 30, 300, 3000))
    rows = [names, *([_cell(rng, delimiter, odd) for _ in names] for _ in range(size))]
    lines = [delimiter.join(_written(x, rng.random() < quoted) for x in row) for row in rows]
    text = end * rng.choice((0, 0, 0, 1, 3)) + end.join(lines) + end * rng.choice((0, 0, 1, 1, 2, 3))
    mark = "\ufeff" if rng.random() < 0.4 else ""
    suffix, packing = rng.choice(SUFFIXES[delimiter]), rng.choice(list(PACKINGS))
    truth, pred = rng.sample(range(width), 2)
    return RandomFile((mark + text).encode(), delimiter, suffix, packing, truth, pred)


def _cell(rng: random.Random, delimiter: str, odd: float) -> str:
    """A value; one that must be quoted with probability `odd`."""
    if rng.random() >= odd:
        return rng.choice(_PLAIN)
    return rng.choice(_QUOTED).format(end=rng.choice(LINE_ENDS), by=delimiter)


def _written(cell: str, always: bool) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if always or any(x in cell for x in '"\r\n,\t;|') else cell
