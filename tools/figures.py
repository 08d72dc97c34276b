"""The figures of the README: times from bench/RESULTS.md, and the number of recomputed items of the papers."""

from __future__ import annotations

import re
from pathlib import Path

from howsure import papers

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "RESULTS.md"
BEGIN, END = "<!-- speed: written by make docs from bench/RESULTS.md -->", "<!-- end of speed -->"


SPEED = {  # the group and what of a row in RESULTS.md, its peer, and the words around its time and ratio
    ("core-a", "F1 interval, int labels, n = 10,000,000", "sklearn f1_score"):
        "F1 with its interval from ten million labels takes {ours} ({ratio} than scikit-learn's `f1_score`)",
    ("data-a", "hs.tally of 100,000,000 rows", "pandas + sklearn confusion_matrix, per row"):
        "a Parquet file of 100 million rows is counted in {ours}",
}  # fmt: skip
COUNTS = {  # a sentence of the README, and the number that belongs there
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
    """Return the sentence of the README on speed."""
    rows, parts = results(text), []
    for place, words in SPEED.items():
        if place not in rows:
            raise KeyError(f"bench/RESULTS.md has no row {place}: name another in tools/figures.py")
        parts.append(words.format(**{key: rows[place][key] for key in ("ours", "ratio")}))
    return f"**Fast.** On two cores, {'; '.join(parts)}."


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
