"""How often 95% intervals hold when items come in clusters: `nice .venv/bin/python bench/coverage_clusters.py`.

Items of one question, document, patient or user are not independent. The posterior is the Bayesian bootstrap of whole
clusters, weight Exp(1) each, plus made-up clusters that carry the prior, and is stretched. This study sets the rule of
the package beside the one it had before and the usual t interval (bench/clusters); docs/why/045 says why.
Distributions are sampled with numpy, 999 draws a test, with the places of the ends corrected for their number; label
sets and two systems by averages over classes are asked of the package. The seeds are not those of the choice.

    --quick       100 tests a case: coarse figures, nothing is kept
    --only pairs  some of: plain, rates, tables, classes, pairs, power, corners, labels, averages (or none): the rest
                  is read from the file
    --write       put the tables into docs/contributing/coverage-clusters.md as well

All cases are kept in build/coverage_clusters.json. The whole study takes about 12 minutes of one core.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from bench.clusters.averages import SETS, averages, label_sets  # noqa: E402
from bench.clusters.five_classes import EQUAL, SHARED, classes  # noqa: E402
from bench.clusters.simulated import Case  # noqa: E402
from bench.clusters.two_classes import PAIRED, pairs, rates, tables  # noqa: E402

PAGE = HERE.parent / "docs" / "contributing" / "coverage-clusters.md"
KEPT = HERE.parent / "build" / "coverage_clusters.json"
MARKS = "<!-- clusters: written by bench/coverage_clusters.py -->", "<!-- end of clusters -->"
CORRELATIONS, SIZES, CLUSTERS = (0.0, 0.1, 0.3, 0.6, 0.9), ("5", "20", "1..20"), (20, 50, 200)
LEVELS, SHARES, ENOUGH = (0.6, 0.8, 0.95), (0.5, 0.2, 0.05), 0.93
RULES = ("seen", "whole", "t", "ignored")
BINARY = ("recall", "specificity", "precision", "f1", "accuracy", "balanced-accuracy", "phi")
Result = dict[str, Any]  # the fields of a Case, and figures by rule and measure


# -- cases ------------------------------------------------------------------------------------------


def worlds(correlations: Sequence[float], truths: Sequence[str] = ("one", "mixed")) -> list[tuple[str, str, float]]:
    """Sizes, truth and correlation; single items have no correlation."""
    return [("1", "one", 0.0), *product(SIZES, truths, correlations)]


def rate_cases() -> list[Case]:
    return [Case(c, s, t, 0.5, a, r) for c, a, (s, t, r) in product(CLUSTERS, LEVELS, worlds(CORRELATIONS, ("one",)))]


def table_cases() -> list[Case]:
    grid = product(CLUSTERS, SHARES, LEVELS, worlds((0.0, 0.3, 0.9)))
    return [Case(c, s, t, share, a, r) for c, share, a, (s, t, r) in grid]


def class_cases() -> list[Case]:
    """Accuracy and the kind of wrong answers change from case to case."""
    grid = enumerate(product(CLUSTERS, (1.0, 0.0), worlds((0.0, 0.3, 0.9))))
    return [Case(c, s, t, share, LEVELS[i % 3], r, ("alike", "spread")[i % 2]) for i, (c, share, (s, t, r)) in grid]


def pair_cases() -> list[Case]:
    """Accuracy and the share of positives change from case to case."""
    grid = enumerate(product(CLUSTERS, ("common", "own", "fewer"), worlds((0.0, 0.3, 0.9)), (0, 1)))
    return [Case(c, s, t, SHARES[(i + j) % 2], LEVELS[i % 3], r, also) for i, (c, also, (s, t, r), j) in grid]


def corner_cases() -> list[Case]:
    """Very uneven sizes, large clusters that are harder, and sparse positives."""
    grid = product((20, 50, 200), ("heavy", "harder"), ("one", "mixed"), (0.0, 0.3))
    return [Case(c, s, t, 0.3, 0.9, r) for c, s, t, r in grid]


def plain_cases() -> list[Case]:
    """Clusters of one size whose items are independent, or nearly so."""
    grid = product(((10, "10"), (20, "10"), (80, "12")), (0.8, 0.9, 0.95), (0.0, 0.1))
    return [Case(c, s, "one", 0.5, a, r) for (c, s), a, r in grid]


def label_cases() -> list[Case]:
    """Items with any of five labels: a label is true of .3 of them."""
    return [Case(c, "1..20", "mixed", 0.3, a, r) for c, a, r in product((20, 50), (0.8, 0.95), (0.0, 0.3))]


def average_cases() -> list[Case]:
    grid = product((20, 50), ("common", "own"), (0.0, 0.3))
    return [Case(c, "1..20", "mixed", 0.3, 0.8, r, also) for c, also, r in grid]


def power_cases() -> list[Case]:
    """The second system is worse by .05."""
    return [replace(c, behind=0.05) for c in pair_cases() if c.sizes != "1" and c.accuracy < 0.95]


STUDIES: dict[str, tuple[Callable[[], list[Case]], Callable[[Case, int], Any], int]] = {
    "plain": (plain_cases, rates, 10_000),
    "rates": (rate_cases, rates, 2000),
    "tables": (table_cases, tables, 1000),
    "classes": (class_cases, classes, 250),
    "pairs": (pair_cases, pairs, 500),
    "power": (power_cases, pairs, 250),
    "corners": (corner_cases, tables, 1000),
    "labels": (label_cases, label_sets, 500),
    "averages": (average_cases, averages, 200),
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


def values(found: list[Result], rule: str, name: str, what: str = "held") -> list[float]:
    return [x["figures"][rule][name][what] for x in found if name in x["figures"].get(rule, {})]


def coverage(found: list[Result], rule: str, name: str, worst: Callable[[Any], Any] = np.min) -> str:
    """Mean and worst case."""
    held = values(found, rule, name)
    return f"{number(float(np.mean(held)))} ({number(float(worst(held)))})" if held else "–"


def below(found: list[Result], rule: str, name: str) -> str:
    """The share of cases in which too few intervals cover."""
    return number(float(np.mean([x < ENOUGH for x in values(found, rule, name)])), 2)


def width(found: list[Result], rule: str, name: str) -> str:
    """Widths against those of the rule before, the geometric mean over cases."""
    pairs = zip(*(values(found, r, name, "width") for r in (rule, "whole")), strict=True)
    return f"{np.exp(np.mean([np.log(max(x, 1e-9) / y) for x, y in pairs])):.2f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    rule = ["---" if i < left else "---:" for i in range(len(heads))]
    return "\n".join(f"| {' | '.join(r)} |" for r in (heads, rule, *rows))


def plain_table(found: list[Result]) -> str:
    """Coverage, width, and how often a gate at the true rate fails and passes."""
    rows = []
    for x in found:
        cells = [f"{x['clusters']} of {x['sizes']}", f"{x['accuracy']:g}", f"{x['correlation']:g}"]
        for rule in RULES[:3]:
            own = x["figures"][rule]["rate"]
            cells += [number(own["held"]), number(own["width"]), f"{number(own['fails'])}, {number(own['passes'])}"]
        rows.append(cells)
    heads = [f"{r}: {what}" for r in RULES[:3] for what in ("covers", "width", "gate fails, passes")]
    return table(("clusters", "rate", "correlation", *heads), rows, 3)


def rate_table(found: list[Result]) -> str:
    rows = []
    for c, a in product(CLUSTERS, LEVELS):
        part = [x for x in found if (x["clusters"], x["accuracy"]) == (c, a)]
        rows.append([str(c), f"{a:g}", *(coverage(part, r, "rate") for r in RULES)])
    for low, high, text in ((0, 0, "correlation 0"), (0.1, 0.3, ".1, .3"), (0.6, 0.9, ".6, .9")):
        part = [x for x in found if x["sizes"] != "1" and low <= x["correlation"] <= high]
        rows.append([text, "", *(coverage(part, r, "rate") for r in RULES)])
    several = [x for x in found if x["sizes"] != "1"]
    rows.append(["below .93", "", *(below(several, r, "rate") for r in RULES)])
    rows.append(["width", "", *(width(several, r, "rate") for r in RULES)])
    return table(("clusters", "rate", *RULES), rows, 2)


def binary_tables(found: list[Result]) -> list[str]:
    several = [x for x in found if x["sizes"] != "1"]
    shown: list[tuple[str, Callable[[list[Result], str, str], str]]] = [
        ("", coverage), (", cases below .93", below), (", width", width),
    ]  # fmt: skip
    rows = [[f"{r}{text}", *(of(several, r, n) for n in BINARY)] for text, of in shown for r in RULES]
    return [table(("", *BINARY), rows), chosen_table(found)]


def chosen_table(found: list[Result]) -> str:
    """The rule of the package by what was simulated."""
    rows = []
    for key in ("clusters", "sizes", "truth", "share", "accuracy", "correlation"):
        for value in dict.fromkeys(x[key] for x in found):
            part = [x for x in found if x[key] == value and (key in ("clusters", "sizes") or x["sizes"] != "1")]
            rows.append([f"{key} {value}", *(coverage(part, "seen", n) for n in BINARY)])
    return table(("", *BINARY), rows)


def class_table(found: list[Result]) -> str:
    rows, names = [], (*EQUAL, *SHARED)
    for text, kept in (("one truth a cluster", "one"), ("mixed truths", "mixed")):
        part = [x for x in found if x["truth"] == kept and x["sizes"] != "1"]
        for r in RULES:
            cells = [coverage(part, r, n) for n in names]
            rows.append([text if r == RULES[0] else "", r, *cells, width(part, r, "macro-f1")])
    single = [x for x in found if x["sizes"] == "1"]
    rows.append(["size 1", "seen", *(coverage(single, "seen", n) for n in names), ""])
    return table(("", "", *names, "width, macro-f1"), rows, 2)


def pair_table(found: list[Result], power: list[Result]) -> str:
    """How often P(A > B) of equal systems is outside .025 to .975: mean and highest; and of systems .05 apart."""
    rules, rows = RULES[:3], []
    parts: list[tuple[str, Callable[[Result], bool]]] = [
        *((f"{c} clusters", lambda x, c=c: x["clusters"] == c) for c in CLUSTERS),
        *((f"chances: {a}", lambda x, a=a: x["also"] == a) for a in ("common", "own", "fewer")),
        *((f"correlation {r:g}", lambda x, r=r: x["correlation"] == r) for r in (0.0, 0.3, 0.9)),
        ("all", lambda x: x["sizes"] != "1"),
        ("size 1", lambda x: x["sizes"] == "1"),
    ]
    shown = list(product(PAIRED, rules))
    for text, kept in parts:
        part = [x for x in found if kept(x) and (text == "size 1" or x["sizes"] != "1")]
        rows.append([text, *(coverage(part, r, n, np.max) for n, r in shown)])
    several = [x for x in found if x["sizes"] != "1"]
    rows.append(
        ["cases above .08", *(number(float(np.mean(np.array(values(several, r, n)) > 0.08)), 2) for n, r in shown)]
    )
    rows.append(["found at .05 apart", *(number(float(np.mean(values(power, r, n)))) for n, r in shown)])
    return table(("", *(f"{n}, {r}" for n, r in shown)), rows)


def corner_table(found: list[Result]) -> str:
    rows = []
    for sizes, rule, r in product(("heavy", "harder"), RULES[:3], CLUSTERS):
        part = [x for x in found if x["sizes"] == sizes and x["clusters"] == r]
        rows.append([f"{sizes}, {r} clusters", rule, *(coverage(part, rule, n) for n in BINARY)])
    return table(("", "", *BINARY), rows, 2)


def label_table(found: list[Result]) -> str:
    """By rate and correlation; widths are those of `seen` over those of t."""
    rows = []
    for a, r in product((0.8, 0.95), (0.0, 0.3)):
        part = [x for x in found if (x["accuracy"], x["correlation"]) == (a, r)]
        rows += [[f"{a:g}", f"{r:g}", rule, *(coverage(part, rule, n) for n in SETS)] for rule in ("seen", "t")]
    widths = [float(np.mean(values(found, "seen", n, "width")) / np.mean(values(found, "t", n, "width"))) for n in SETS]
    rows.append(["width, seen over t", "", "", *(f"{w:.2f}" for w in widths)])
    return table(("rate", "correlation", "rule", *SETS), rows, 3)


def average_table(found: list[Result]) -> str:
    names, rows = list(found[0]["figures"]["seen"]), []
    for also, r in product(("common", "own"), (0.0, 0.3)):
        part = [x for x in found if (x["also"], x["correlation"]) == (also, r)]
        cells = [coverage(part, rule, n, np.max) for n, rule in product(names, ("seen", "t"))]
        rows.append([f"chances: {also}", f"{r:g}", *cells])
    rows.append(["all", "", *(coverage(found, rule, n, np.max) for n, rule in product(names, ("seen", "t")))])
    return table(("", "correlation", *(f"{n}, {rule}" for n, rule in product(names, ("seen", "t")))), rows, 2)


def report(kept: dict[str, list[Result]]) -> str:
    by_rule, chosen = binary_tables(kept["tables"])
    parts = [
        "## Items that are hardly alike", plain_table(kept["plain"]),
        "## Outcomes", rate_table(kept["rates"]),
        "## Two classes", by_rule,
        "## Two classes, by case", chosen,
        "## Five classes", class_table(kept["classes"]),
        "## Two systems: P(A > B) outside .025 to .975", pair_table(kept["pairs"], kept["power"]),
        "## Very uneven clusters", corner_table(kept["corners"]),
        "## Label sets", label_table(kept["labels"]),
        "## Two systems by averages: P(A > B) outside .025 to .975", average_table(kept["averages"]),
    ]  # fmt: skip
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage with clusters; about 12 minutes of one core.")
    parser.add_argument("--quick", action="store_true", help="100 tests a case; nothing is kept")
    parser.add_argument(
        "--only", nargs="*", choices=tuple(STUDIES), default=tuple(STUDIES), help="some studies, or none"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the section of docs/contributing/coverage-clusters.md"
    )
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
