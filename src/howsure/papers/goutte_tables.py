"""Goutte & Gaussier 2005, Tables 1 and 2 as printed, and the counts behind Table 1, which are not printed.

A search finds the counts: what F1 prints fixes FP+FN given TP; the errors of two systems on the same documents differ
by their wins; and the number of relevant documents of a category is known. The law of F1 needs TP and FP+FN alone.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import ceil, floor
from typing import Final, NamedTuple

from howsure.papers.item import rounds

ITEMS_TESTED: Final = 3299

SYSTEMS: Final = ("ltc linear", "nnn linear", "nnn poly", "ltc poly")
BLOCKS: Final = {"ltc-nnn": (0, 1), "kernel-nnn": (1, 2), "kernel-ltc": (0, 3)}  # first and second of SYSTEMS

# F1 of the first, of the second, P(first > second) and its +/-; three times
_TABLE_1: Final = """
earn      98.66 98.07 93.71 0.24 98.07 96.36  99.96 0.02 98.66 98.80 34.68 0.48
acq       94.70 93.88 82.09 0.38 93.88 79.31 100.00 0.00 94.70 94.73 49.39 0.50
money-fx  76.40 75.12 63.31 0.48 75.12 64.40  99.64 0.06 76.40 73.90 75.45 0.43
crude     86.96 86.15 61.53 0.49 86.15 71.12 100.00 0.00 86.96 86.26 60.33 0.49
grain     89.61 88.22 69.55 0.46 88.22 73.99  99.99 0.01 89.61 86.57 85.66 0.35
trade     75.86 77.47 34.07 0.47 77.47 75.11  71.77 0.45 75.86 77.13 38.76 0.49
interest  73.98 77.93 17.03 0.38 77.93 68.24  98.83 0.11 73.98 72.27 64.72 0.48
wheat     79.10 80.79 36.81 0.48 80.79 77.27  75.14 0.43 79.10 80.92 36.45 0.48
ship      75.50 80.25 17.99 0.38 80.25 66.22  99.44 0.07 75.50 73.47 63.78 0.48
corn      83.17 83.64 46.73 0.50 83.64 65.35  99.76 0.05 83.17 82.00 58.15 0.49
dlr       78.05 74.23 69.34 0.46 74.23 25.17 100.00 0.00 78.05 72.97 74.18 0.44
oilseed   61.90 62.37 48.58 0.50 62.37 42.35  98.77 0.11 61.90 58.23 65.28 0.48
money-sup 70.77 67.57 64.53 0.48 67.57 70.13  38.19 0.49 70.77 74.19 36.06 0.48
Micro-avg 90.56 89.86 89.12 0.31 89.86 79.44 100.00 0.00 90.56 90.28 67.69 0.47
"""

# documents that the first alone gets right, that the second alone gets right, P(first > second) and its +/-
_TABLE_2: Final = """
earn      17  4 99.77 0.05  48 12 100.00 0.00  1 4  9.76 0.30
acq       43 28 96.41 0.19 282 14 100.00 0.00  6 7 39.68 0.49
money-fx  39 23 97.90 0.14  58 43  93.76 0.24 11 6 88.70 0.32
crude     21 15 84.32 0.36  62 21 100.00 0.00  4 2 78.66 0.41
grain     17 11 87.32 0.33  46 10 100.00 0.00  9 2 98.48 0.12
trade     23 22 55.75 0.50  28 28  49.19 0.50  2 7  4.36 0.20
interest  24 24 49.73 0.50  38 21  98.61 0.12  5 3 76.29 0.43
wheat     10  9 59.56 0.49  14 13  57.87 0.49  0 3  3.39 0.18
ship       6 11 11.38 0.32  22  4  99.97 0.02  3 1 83.71 0.37
corn       6  5 61.45 0.49  19  2  99.99 0.01  1 0 82.31 0.38
dlr       13  6 94.62 0.23 191  2 100.00 0.00  5 3 75.81 0.43
oilseed   12  9 74.31 0.44  24 10  99.23 0.09  3 2 66.66 0.47
money-sup  8  3 93.43 0.25  10 11  41.22 0.49  0 3  3.49 0.18
"""

# relevant documents in the test set of Reuters-21578, ModApte split (e.g. martin-thoma.com/nlp-reuters)
SIZES: Final = {
    "earn": 1087, "acq": 719, "money-fx": 179, "crude": 189, "grain": 149, "trade": 117, "interest": 131, "wheat": 71,
    "ship": 89, "corn": 56, "dlr": 44, "oilseed": 47, "money-sup": 34,
}  # fmt: skip
CATEGORIES: Final = tuple(SIZES)
MICRO: Final = "Micro-avg"


class Printed(NamedTuple):
    """A row of Table 1 for one comparison: what is printed."""

    first: str
    second: str
    percent: str
    error: str


class Counts(NamedTuple):
    """The table of one system on one category; all other documents are true negatives."""

    tp: int
    fp: int
    fn: int


def _rows(text: str, block: str) -> dict[str, list[str]]:
    start = 4 * list(BLOCKS).index(block)
    return {row[0]: row[1:][start : start + 4] for row in (line.split() for line in text.strip().splitlines())}


@lru_cache
def scores(block: str) -> dict[str, Printed]:
    """Table 1, one comparison: printed rows by category, the micro-average among them."""
    return {c: Printed(*row) for c, row in _rows(_TABLE_1, block).items()}


@lru_cache
def wins(block: str) -> dict[str, tuple[int, int, str, str]]:
    """Table 2, one comparison: wins of the first, of the second, percent and +/- by category."""
    return {c: (int(a), int(b), percent, error) for c, (a, b, percent, error) in _rows(_TABLE_2, block).items()}


def printed_f1(category: str) -> tuple[str, ...]:
    """The four F1 of a category, in the order of SYSTEMS."""
    one, two, three = (scores(block)[category] for block in BLOCKS)
    return one.first, one.second, two.second, three.second


# -- the counts


def prints(tp: int, errors: int, percent: str) -> bool:
    """Whether F1 = 2TP/(2TP+FP+FN) prints as these digits.

    >>> prints(160, 48, "86.96"), prints(161, 48, "86.96")
    (True, False)
    """
    return tp > 0 and rounds(2 * tp / (2 * tp + errors), f"{percent}%").holds


def _tables(errors: int, percent: str, size: int) -> list[Counts]:
    """Tables of a category with so many errors and this F1."""
    f, half = float(percent) / 100, 5.1e-5
    low, high = (errors * x / (2 * (1 - x)) for x in (f - half, f + half))
    fits = (tp for tp in range(floor(low), min(ceil(high), size) + 1) if prints(tp, errors, percent))
    return [Counts(tp, errors - (size - tp), size - tp) for tp in fits if errors >= size - tp]


def consistent(a: Counts, b: Counts, first: int, second: int) -> bool:
    """Whether a can be right alone on `first` documents and b on `second`: some of them relevant, the others not."""
    gain = a.tp - b.tp
    low = max(0, gain, first - b.fp, second + gain - a.fp)
    high = min(first, second + gain, b.fn, a.fn + gain)
    return low <= high and (b.fp + b.fn) - (a.fp + a.fn) == first - second


@lru_cache
def solutions(category: str) -> tuple[tuple[Counts, ...], ...]:
    """All tables of the four systems that print these F1 and can have these wins.

    >>> solutions("corn")
    ((Counts(tp=42, fp=3, fn=14), Counts(tp=46, fp=8, fn=10), Counts(tp=33, fp=12, fn=23), Counts(tp=41, fp=3, fn=15)),)
    """
    size, percents = SIZES[category], printed_f1(category)
    links = [(*BLOCKS[block], *wins(block)[category][:2]) for block in BLOCKS]
    shift = [0, 0, 0, 0]
    for i, j, first, second in links:
        shift[j] = shift[i] + first - second
    most = ceil(2 * size * (100.01 / float(percents[0]) - 1))
    found = []
    for errors in range(max(0, -min(shift)), most + 1):
        each = [_tables(errors + s, percent, size) for s, percent in zip(shift, percents, strict=True)]
        found += [x for x in product(*each) if all(consistent(x[i], x[j], m, n) for i, j, m, n in links)]
    return tuple(found)


@lru_cache
def pooled() -> tuple[dict[str, tuple[Counts, ...]], ...]:
    """One solution a category, in every way in which the four micro-averaged F1 print as they do."""
    percents = printed_f1(MICRO)
    kept = []
    for choice in product(*(solutions(c) for c in CATEGORIES)):
        sums = [(sum(x[k].tp for x in choice), sum(x[k].fp + x[k].fn for x in choice)) for k in range(4)]
        if all(prints(tp, errors, percent) for (tp, errors), percent in zip(sums, percents, strict=True)):
            kept.append(dict(zip(CATEGORIES, choice, strict=True)))
    return tuple(kept)
