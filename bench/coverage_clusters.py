"""How often 95% intervals hold when items come in clusters: `nice .venv/bin/python bench/coverage_clusters.py`.

Items of one question, document, patient or user are not independent. The posterior is the Bayesian bootstrap of whole
clusters, weight Exp(1) each, plus pseudo-clusters that carry the prior. This study compares rules for the size and the
make-up of the pseudo-clusters (bench/clusters); docs/why/013 says which was chosen. numpy only: laws are drawn, 999
draws a test, with the places of the ends corrected for their number. The seeds are not those of the choice.

    --quick       100 tests a case: two minutes, coarse figures, nothing is kept
    --only pairs  some of: rates, tables, classes, totals, pairs, corners; or none: the rest is read from the file
    --write       put the tables into docs/coverage-clusters.md as well

All cases are kept in build/coverage_clusters.json. The whole study takes about 19 minutes of one core.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from bench.clusters.five_classes import EQUAL, SHARED, classes, totals  # noqa: E402
from bench.clusters.simulated import Case  # noqa: E402
from bench.clusters.two_classes import pairs, rates, tables  # noqa: E402

PAGE, KEPT = HERE.parent / "docs" / "coverage-clusters.md", HERE.parent / "build" / "coverage_clusters.json"
MARKS = "<!-- clusters: written by bench/coverage_clusters.py -->", "<!-- end of clusters -->"
CORRELATIONS, SIZES, CLUSTERS = (0.0, 0.1, 0.3, 0.6, 0.9), ("5", "20", "1..20"), (20, 50, 200)
LEVELS, SHARES, ENOUGH = (0.6, 0.8, 0.95), (0.5, 0.2, 0.05), 0.92
BINARY = ("recall", "specificity", "precision", "f1", "accuracy", "balanced-accuracy", "phi")
Result = dict[str, Any]  # the fields of a Case, and figures by rule and measure


# -- cases ------------------------------------------------------------------------------------------


def worlds(correlations: Sequence[float], truths: Sequence[str] = ("one", "mixed")) -> list[tuple[str, str, float]]:
    """Sizes, truth and correlation; single items have no correlation."""
    return [("1", "one", 0.0), *product(SIZES, truths, correlations)]


def rate_cases() -> list[Case]:
    return [Case(c, s, t, 0.5, a, r) for c, a, (s, t, r) in product(CLUSTERS, LEVELS, worlds(CORRELATIONS, ("one",)))]


def table_cases() -> list[Case]:
    grid = product(CLUSTERS, SHARES, LEVELS, worlds(CORRELATIONS))
    return [Case(c, s, t, share, a, r) for c, share, a, (s, t, r) in grid]


def class_cases() -> list[Case]:
    """Accuracy and the kind of wrong answers change from case to case."""
    grid = enumerate(product(CLUSTERS, (1.0, 0.0), worlds((0.0, 0.3, 0.9))))
    return [Case(c, s, t, share, LEVELS[i % 3], r, ("alike", "spread")[i % 2]) for i, (c, share, (s, t, r)) in grid]


def mixed_cases() -> list[Case]:
    return [c for c in class_cases() if c.truth == "mixed"]


def pair_cases() -> list[Case]:
    """Accuracy and the share of positives change from case to case."""
    grid = enumerate(product(CLUSTERS, ("common", "own", "fewer"), worlds((0.0, 0.3, 0.9)), (0, 1)))
    return [Case(c, s, t, SHARES[(i + j) % 2], LEVELS[i % 3], r, also) for i, (c, also, (s, t, r), j) in grid]


def corner_cases() -> list[Case]:
    """Very uneven sizes, large clusters that are harder, and sparse positives."""
    grid = product((20, 50, 200), ("heavy", "harder"), ("one", "mixed"), (0.0, 0.3))
    return [Case(c, s, t, 0.3, 0.9, r) for c, s, t, r in grid]


STUDIES: dict[str, tuple[Callable[[], list[Case]], Callable[[Case, int], Any], int]] = {
    "rates": (rate_cases, rates, 2000),
    "tables": (table_cases, tables, 1000),
    "classes": (class_cases, classes, 1000),
    "totals": (mixed_cases, totals, 1000),
    "pairs": (pair_cases, pairs, 1000),
    "corners": (corner_cases, tables, 1000),
}


def simulated(name: str, quick: bool) -> list[Result]:
    """All cases of a study."""
    make, run, tests = STUDIES[name]
    cases, start = make(), time.process_time()
    found = [asdict(c) | {"figures": run(c, 100 if quick else tests).figures()} for c in cases]
    print(f"{name}: {len(cases)} cases, {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)
    return found


# -- tables -----------------------------------------------------------------------------------------


def number(x: float, digits: int = 3) -> str:
    return f"{x:.{digits}f}".removeprefix("0") if x < 1 else f"{x:.2f}" if x > 1 else "1"


def coverage(found: list[Result], rule: str, name: str, worst: Callable[[Any], Any] = np.min) -> str:
    """Mean and worst case."""
    held = [x["figures"][rule][name][0] for x in found if name in x["figures"].get(rule, {})]
    return f"{number(float(np.mean(held)))} ({number(float(worst(held)))})" if held else "–"


def below(found: list[Result], rule: str, name: str) -> str:
    """The share of cases in which too few intervals hold."""
    return number(float(np.mean([x["figures"][rule][name][0] < ENOUGH for x in found])), 2)


def width(found: list[Result], rule: str, name: str, other: str) -> str:
    """Widths against another rule's, the geometric mean over cases; `best` is the narrowest that holds."""
    ratios = []
    for x in found:
        figures = x["figures"]
        against = figures.get(other, {}).get(name)
        if other == "best":
            held = [y[name] for y in figures.values() if name in y and y[name][0] >= ENOUGH]
            against = min(held, key=lambda y: y[1]) if held else None
        if against is not None:
            ratios.append(max(figures[rule][name][1], 1e-9) / against[1])
    return f"{np.exp(np.mean(np.log(ratios))):.2f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    rule = ["---" if i < left else "---:" for i in range(len(heads))]
    return "\n".join(f"| {' | '.join(r)} |" for r in (heads, rule, *rows))


def rate_table(found: list[Result]) -> str:
    rules = ("mean", "cell", "one", "none", "ignored")
    rows = []
    for c, a in product(CLUSTERS, LEVELS):
        part = [x for x in found if (x["clusters"], x["accuracy"]) == (c, a)]
        rows.append([str(c), f"{a:g}", *(coverage(part, r, "rate") for r in rules)])
    for low, high, text in ((0, 0, "correlation 0"), (0.1, 0.3, ".1, .3"), (0.6, 0.9, ".6, .9")):
        part = [x for x in found if x["sizes"] != "1" and low <= x["correlation"] <= high]
        rows.append([text, "", *(coverage(part, r, "rate") for r in rules)])
    rows.append(["width", "", *(width(found, r, "rate", "mean") for r in rules)])
    return table(("clusters", "accuracy", *rules), rows, 2)


def binary_tables(found: list[Result]) -> list[str]:
    rules = ("row", "mean", "cell", "two", "one", "none", "ignored")
    several = [x for x in found if x["sizes"] != "1"]
    by_rule = table(("", *BINARY), [[r, *(coverage(several, r, n) for n in BINARY)] for r in rules])
    few = table(("", *BINARY), [[r, *(below(several, r, n) for n in BINARY)] for r in rules])
    rows = [[r, *(width(several, r, n, "row") for n in BINARY)] for r in rules]
    rows.append(["row, against the narrowest that holds", *(width(several, "row", n, "best") for n in BINARY)])
    return [by_rule, few, table(("", *BINARY), rows), chosen_table(found)]


def chosen_table(found: list[Result]) -> str:
    """The chosen rules by what was simulated: accuracy has the rule of outcomes."""
    rows = []
    for key in ("clusters", "sizes", "truth", "share", "accuracy", "correlation"):
        for value in dict.fromkeys(x[key] for x in found):
            part = [x for x in found if x[key] == value and (key in ("clusters", "sizes") or x["sizes"] != "1")]
            cells = [coverage(part, "mean" if n == "accuracy" else "row", n) for n in BINARY]
            rows.append([f"{key} {value}", *cells])
    return table(("", *BINARY), rows)


def class_table(found: list[Result], mixed: list[Result]) -> str:
    rules, rows = ("whole", "row", "mean", "one", "none", "ignored"), []
    for text, kept in (("one truth a cluster", "one"), ("mixed truths", "mixed")):
        part = [x for x in found if x["truth"] == kept and x["sizes"] != "1"]
        for r in rules:
            cells = [coverage(part, r, n) for n in (*EQUAL, *SHARED)]
            rows.append([text if r == rules[0] else "", r, *cells, width(part, r, "macro-f1", "whole")])
    cells = [coverage(mixed, "at least 2", n) for n in (*EQUAL, *SHARED)]
    rows.append(["", "whole, at least 2", *cells, width(mixed, "at least 2", "macro-f1", "whole")])
    single = [x for x in found if x["sizes"] == "1"]
    rows.append(["size 1", "whole", *(coverage(single, "whole", n) for n in (*EQUAL, *SHARED)), ""])
    return table(("", "", *EQUAL, *SHARED, "width, macro-f1"), rows, 2)


def pair_table(found: list[Result]) -> str:
    """How often P(A > B) of equal systems is outside .025 to .975: mean and highest."""
    rules, rows = ("product", "one row", "one", "none", "ignored"), []
    parts: list[tuple[str, Callable[[Result], bool]]] = [
        *((f"{c} clusters", lambda x, c=c: x["clusters"] == c) for c in CLUSTERS),
        *((f"chances: {a}", lambda x, a=a: x["also"] == a) for a in ("common", "own", "fewer")),
        *((f"correlation {r:g}", lambda x, r=r: x["correlation"] == r) for r in (0.0, 0.3, 0.9)),
        ("size 1", lambda x: x["sizes"] == "1"),
    ]
    shown = [("rate", r) for r in rules if r != "one row"] + [("recall", r) for r in rules]
    shown += [("f1", r) for r in rules if r != "one row"]
    for text, kept in parts:
        part = [x for x in found if kept(x) and (text == "size 1" or x["sizes"] != "1")]
        rows.append([text, *(coverage(part, r, n, np.max) for n, r in shown)])
    return table(("", *(f"{n}, {r}" for n, r in shown)), rows)


def corner_table(found: list[Result]) -> str:
    rows = []
    for sizes, truth, r in product(("heavy", "harder"), ("row", "none"), CLUSTERS):
        part = [x for x in found if x["sizes"] == sizes and x["clusters"] == r]
        rule = {n: "mean" if n == "accuracy" and truth == "row" else truth for n in BINARY}
        rows.append([f"{sizes}, {r} clusters", truth, *(coverage(part, rule[n], n) for n in BINARY)])
    return table(("", "", *BINARY), rows, 2)


def report(kept: dict[str, list[Result]]) -> str:
    by_rule, few, widths, chosen = binary_tables(kept["tables"])
    parts = [
        "## Outcomes", rate_table(kept["rates"]),
        "## Two classes, by rule", by_rule, "Share of cases below .92:", few, "Widths, against `row`:", widths,
        "## Two classes, the chosen rule", chosen,
        "## Five classes", class_table(kept["classes"], kept["totals"]),
        "## Two equal systems: P(A > B) outside .025 to .975", pair_table(kept["pairs"]),
        "## Very uneven clusters", corner_table(kept["corners"]),
    ]  # fmt: skip
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage with clusters; about 19 minutes of one core.")
    parser.add_argument("--quick", action="store_true", help="100 tests a case; nothing is kept")
    parser.add_argument(
        "--only", nargs="*", choices=tuple(STUDIES), default=tuple(STUDIES), help="some studies, or none"
    )
    parser.add_argument("--write", action="store_true", help="write the section of docs/coverage-clusters.md")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() and not options.quick else {}
    for name in tuple(STUDIES) if options.quick else options.only:
        kept[name] = simulated(name, options.quick)
        if not options.quick:
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept), encoding="utf-8")
    text = report(kept)
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
        PAGE.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
