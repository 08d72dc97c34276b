"""The figures of the README: times from bench/RESULTS.md, and counts of what the package holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from howsure import papers
from howsure.catalogue import metrics

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "RESULTS.md"
BEGIN, END = "<!-- speed: written by make docs from bench/RESULTS.md -->", "<!-- end of speed -->"


@dataclass(frozen=True)
class Figure:
    """A row of the README: its words, and the row of RESULTS.md that has its numbers."""

    said: str
    group: str
    what: str
    against: str
    peer: str


FIGURES = (
    Figure("F1 with its interval, from two arrays of ten million labels", "core-a",
           "F1 interval, int labels, n = 10,000,000", "sklearn f1_score", "scikit-learn's `f1_score`, which has none"),
    Figure("the same of 1,000 labels, exact to the last digits", "core-e",
           "F1 of 80, 20, 30, 870", "scipy bootstrap (1,000), vectorised", "a vectorised bootstrap, off by {error}"),
    Figure("mean and interval of F1 of 100,000 tables", "core-c", "F1 mean and interval, 100,000 tables",
           "loop: beta(a, b), interval; mean by hyp2f1", "a loop over `scipy.stats.beta`"),
    Figure("a Parquet file of 100 million rows, counted", "data-a", "hs.tally of 100,000,000 rows",
           "pandas + sklearn confusion_matrix, per row", "pandas and scikit-learn"),
    Figure("15 measures of 1,000 queries with 1,000 documents each, from files", "trec",
           "from files, 1,000 queries x 1,000 documents", "pytrec-eval", "pytrec-eval, which has 13 of them"),
)  # fmt: skip
COUNTS = {  # a sentence of the README, and the number that belongs there
    r"`howsure metrics` lists (\d+) measures of tables": lambda: len(metrics()),
    r"`howsure papers` recomputes\s+(\d+) formulas,": lambda: len(papers.items()),
}


def results(text: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """The rows of RESULTS.md by group, what and against."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    key, head = "", []
    for line in text.splitlines():
        if line.startswith("## "):
            key = line[3:].partition(":")[0]
        elif line.startswith("| what "):
            head = _cells(line)
        elif line.startswith("| ") and not line.startswith("| ---"):
            row = dict(zip(head, _cells(line), strict=True))
            found[key, row["what"], row["against"]] = row
    return found


def _cells(line: str) -> list[str]:
    return [x.strip() for x in line.strip().strip("|").split("|")]


def speed(text: str) -> str:
    """The table of the README."""
    rows = results(text)
    lines = ["| what | time | and |", "|---|---:|---|"]
    for figure in FIGURES:
        place = (figure.group, figure.what, figure.against)
        if place not in rows:
            raise KeyError(f"bench/RESULTS.md has no row {place}: name another in tools/figures.py")
        row = rows[place]
        error = re.sub(r".*\((.*)\).*", r"\1", row.get("its error", ""))
        lines.append(f"| {figure.said} | {row['ours']} | {row['ratio']} than {figure.peer.format(error=error)} |")
    return "\n".join(lines)


def readme_page() -> str:
    """The README as it was written by hand, with the figures of now."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    if not begin:
        raise ValueError(f"the README has no line {BEGIN}")
    text = f"{before}{BEGIN}\n{speed(RESULTS.read_text(encoding='utf-8'))}\n{END}{rest.partition(END)[2]}"
    for sentence, count in COUNTS.items():
        match = re.search(sentence, text)
        if match is None:
            raise ValueError(f"the README has no sentence {sentence!r}: change it in tools/figures.py too")
        text = f"{text[: match.start(1)]}{count()}{text[match.end(1) :]}"
    return text
