"""The figures of docs: coverage: each study has a section between marks, written from the data file alone."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench import coverage_data
from bench.coverage_data import LEVEL, ROOT, Cell, Row, Study, Table

PAGE: Final = Path("docs/contributing/coverage.md")
LOW, HIGH = 0.93, 0.97
PER_CLASS: Final = ("precision:class", "recall:class", "f1:class")
_PRIORS = ("even", "jeffreys", "uniform")  # shown as code: names that a user may give


# -- sections --------------------------------------------------------------------------------------


def section(name: str, part: Study) -> str:
    """What the page shows of a study: in its own layout, or all of its tables, one line a case."""
    return LAYOUTS.get(name, plain)(part)


def shown(page: str, name: str, by: str) -> str:
    """What a page has between the marks of a study."""
    return _split(page, name, by)[1].strip("\n")


def write(root: Path, name: str, part: Study) -> None:
    """Write the section of a study; the rest of the page stays as it is."""
    path = root / PAGE
    before, _, after = _split(path.read_text(encoding="utf-8"), name, part.by)
    first, last = marks(name, part.by)
    path.write_text(f"{before}{first}\n\n{section(name, part)}\n\n{last}{after}", encoding="utf-8")


def marks(name: str, by: str) -> tuple[str, str]:
    """The lines before and after the section of a study."""
    return f"<!-- {name}: written by {by} -->", f"<!-- end of {name} -->"


def _split(page: str, name: str, by: str) -> tuple[str, str, str]:
    first, last = marks(name, by)
    if page.count(first) != 1 or page.count(last) != 1 or page.index(last) < page.index(first):
        raise ValueError(f"{PAGE} must have the two lines {first} and {last}, once each and in this order.")
    before, _, rest = page.partition(first)
    middle, _, after = rest.partition(last)
    return before, middle, after


def add_root(parser: argparse.ArgumentParser) -> None:
    """The option that says where a study writes."""
    told = "the project folder whose data file and page are written; a short run writes into a copy only"
    parser.add_argument("--root", type=Path, default=ROOT, help=told)


def publish(root: Path, name: str, part: Study, full: bool) -> None:
    """Print the section of a study, and write it and its data; a short run writes into a copy only."""
    print(section(name, part))
    if not full and root.resolve() == ROOT:
        print("This was not a run in full, so nothing is written; --root writes into a copy.", file=sys.stderr)
        return
    write(root, name, part)
    coverage_data.write(root, name, part)
    print(f"Wrote the study {name} of {coverage_data.DATA} and its section of {PAGE}.", file=sys.stderr)


def plain(part: Study) -> str:
    """Every table under its name, and how many tests there were."""
    parts = []
    for name, table in part.tables.items():
        if table.rows:
            title = [f"### {name.capitalize()}"] if len(part.tables) > 1 else []
            parts += [*title, by_case(table), f"{_tests(table)}."]
    return "\n\n".join(parts)


def classes(part: Study) -> str:
    """Measures of classes: the grid by what its cases have in common, then single cases."""
    t = part.tables
    layouts: tuple[tuple[str, str, Callable[[Table], list[str]]], ...] = (
        ("balanced", "Balanced sizes, three classes and more", lambda x: [by_method(x, "all"), by_method(x, "single")]),
        ("zipf", "Zipf sizes, three classes and more", lambda x: [by_method(x, "all"), by_method(x, "single")]),
        ("two classes", "Two classes", lambda x: [by_method(x)]),
        ("by items", "By items a class, three classes and more",
         lambda x: [by_group(x, "{sizes}, {items_per_class}", only) for only in ("all", "single")]),
        ("by classes", "By number of classes", lambda x: [by_group(x, "{sizes}, {classes}")]),
        ("outside", f"Where `even` leaves {short(LOW)} to {short(HIGH)}", lambda x: [outside(x, t["lowest"])]),
        ("crowded", "Many classes with few items, `even`: lowest to highest case",
         lambda x: [lines(x, "K, items a class: cases", lambda r: _titled(r, "classes", "items_per_class"))]),
        ("warnings", "Warnings, `even`: lowest to highest case",
         lambda x: [lines(x, "reason: cases", lambda r: _titled(r, "warned", "classes"))]),
        ("warning cases", "", lambda x: [warning_cases(x)]),
        ("corners", "Corners", lambda x: [corners(x)]),
        ("labels", "Many labels an item", lambda x: [by_group(x, "{labels} labels, {items} items")]),
    )  # fmt: skip
    parts = [tests_of_classes(t)]
    for name, title, layout in layouts:
        if t[name].rows:
            parts += [f"### {title}"] if title else []
            parts += layout(t[name])
    return "\n\n".join(parts)


LAYOUTS: Final[Mapping[str, Callable[[Study], str]]] = {"classes": classes}


# -- tables ----------------------------------------------------------------------------------------


def by_case(table: Table) -> str:
    """One line a case; measures, methods and figures are columns."""
    cases: list[Mapping[str, Any]] = []
    for row in table.rows:
        if row.case not in cases:
            cases.append(row.case)
    rows = [[row for row in table.rows if row.case == case] for case in cases]
    heads = {x: None for row in table.rows for x in row.case}
    columns = {(x, row.method): None for row in table.rows for x in row.held}
    measures = {x: None for x, _ in columns}
    several = len(measures) > 1, len({x for _, x in columns}) > 1
    head, body = [*heads], [[_plain(case.get(x)) for x in heads] for case in cases]
    for measure, method in ((x, m) for x in measures for y, m in columns if x == y):
        for i, figure in enumerate(table.figures):
            found = [next((r.held[measure][i] for r in here if r.method == method and measure in r.held), None)
                     for here in rows]  # fmt: skip
            if any(x is not None for x in found):
                name = ", ".join(x for x, more in zip((measure, method), several, strict=True) if more) or measure
                head.append(f"{name}: {figure}" if len(table.figures) > 1 else name)
                for line, x in zip(body, found, strict=True):
                    line.append(short(x))
    return markdown(head, body)


def by_method(table: Table, only: str = "") -> str:
    """One line a method."""
    names = _measures(table, only)
    rows = ([f"`{r.method}`" if r.method in _PRIORS else r.method, *_cells(table, r, names)] for r in table.rows)
    return markdown(("", *names), (x for x in rows if set(x[1:]) != {"–"}))


def by_group(table: Table, title: str, only: str = "") -> str:
    """One line a method, groups of cases one below the other."""
    names, body = _measures(table, only), []
    last = None
    for row in table.rows:
        cells = _cells(table, row, names)
        if set(cells) != {"–"}:
            body.append(["" if row.case == last else title.format(**row.case), row.method, *cells])
            last = row.case
    return markdown(("", "", *names), body)


def lines(table: Table, head: str, title: Callable[[Row], str]) -> str:
    """One line a row."""
    names = _measures(table)
    return markdown((head, *names), ([title(row), *_cells(table, row, names)] for row in table.rows))


def outside(counts: Table, lowest: Table) -> str:
    """In how many cases of the grid `even` is outside, and its lowest case with the other that is nearest there."""
    body = []
    for name, cell in counts.rows[0].held.items():
        here = next((row for row in lowest.rows if row.method == "even" and name in row.held), None)
        if here is not None:
            best = nearest(lowest, here.case, name)
            there = f"{best[0]} {short(best[1])}" if best else "–"
            body.append([name, *(_plain(x) for x in cell), short(here.held[name][0]), told(here.case), there])
    return markdown(("measure", "below", "above", "lowest", "there", "nearest to .95 of the others there"), body)


def warning_cases(table: Table) -> str:
    """Single cases, with the share of their tests that have each reason for a warning."""
    names, body = _measures(table), []
    for row in table.rows:
        why = ", ".join(f"{x} {short(share)}" for x, share in row.case["warned"].items() if share > 0)
        body.append([told(row.case), why or "–", *_cells(table, row, names)])
    return markdown(("case", "warned", *names), body)


def corners(table: Table) -> str:
    """Single cases of `even`; where it is low, also the other method that is nearest to .95."""
    own = table.where("even")
    names, body = _measures(own), []
    for row in own.rows:
        cells = [short(row.held[x][0]) for x in names]
        for i, name in enumerate(names):
            if is_low(row.held[name][0], row.tests[0]):
                best = nearest(table, row.case, name)
                other = f", {best[0].removeprefix('even, ')} {short(best[1])}" if best else ""
                cells[i] = f"**{cells[i]}**{other}"
        body.append([told(row.case), *cells])
    return markdown(("case", *names), body)


def is_low(coverage: float | None, tests: int) -> bool:
    """Whether a coverage is below .93 by more than two standard errors."""
    return coverage is not None and coverage < LOW - 2 * math.sqrt(LOW * (1 - LOW) / tests)


def nearest(table: Table, case: Mapping[str, Any], name: str) -> tuple[str, float] | None:
    """The method other than `even` whose coverage is nearest to .95 in this case, and that coverage."""
    others = [row for row in table.rows if row.case == case and row.method != "even"]
    found = [(row.method, x) for row in others for x in row.held.get(name, ()) if x is not None]
    return min(found, key=lambda x: abs(x[1] - LEVEL), default=None)


# -- how many tests --------------------------------------------------------------------------------


def tests_of_classes(tables: Mapping[str, Table]) -> str:
    """The sentence on standard errors."""
    grid = [row for x in ("balanced", "zipf", "two classes") for row in tables[x].rows]

    def said(method: str) -> str:
        return ", ".join(map(_error, sorted({n for row in grid if row.method == method for n in row.tests})))

    fixed = {x: ", ".join(map(_error, sorted({n for row in tables[x].rows for n in row.tests})))
             for x in ("warning cases", "labels")}  # fmt: skip
    return (
        f"{tables['outside'].rows[0].cases} cases. Simulated tests of each, with the binomial standard error of a "
        f"figure near .95: `even` {said('even')}; other priors and the bootstrap {said('BCa')}, more up to ten "
        f"classes; the two packages {said('prob_conf_mat')}. A figure near .8 has nearly twice that error. Figures are "
        "means over cases, in brackets the lowest case. `:class` is the mean over classes too. Corners have as many "
        f"tests as the grid, the cases for warnings {fixed['warning cases']}, labels "
        f"{fixed['labels']}."
    )


def _tests(table: Table) -> str:
    tests = sorted({n for row in table.rows for n in row.tests})
    error = short(math.sqrt(LEVEL * (1 - LEVEL) / tests[0]))
    many = " or ".join(map(str, tests)) if len(tests) < 4 else f"{tests[0]} to {tests[-1]}"
    return f"{many} tests a case: a figure near .95 has a standard error of {error}"


def _error(tests: int) -> str:
    return f"{tests} (±{math.sqrt(LEVEL * (1 - LEVEL) / tests):.3f})"


# -- cells -----------------------------------------------------------------------------------------


def short(x: float | None) -> str:
    """A share in three digits."""
    if x is None:
        return "–"
    return "1" if 0.9995 < x <= 1 else f"{x:.3f}".lstrip("0") if x >= 0.0005 else "0"


def told(case: Mapping[str, Any]) -> str:
    """A true table of classes in words."""
    return "K {classes}, {sizes}, {errors}, {rates}, {accuracy:g}, {items_per_class} a class".format(**case)


def markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table; numbers to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(x) + " |" for x in (head, rule, *body))


def _cells(table: Table, row: Row, names: Sequence[str]) -> list[str]:
    return [_cell(table.figures, row.held.get(x), row.cases) for x in names]


def _cell(figures: Sequence[str], cell: Cell | None, cases: int) -> str:
    if cell is None:
        return "–"
    found = [short(x) for x in cell]
    if cases == 1:
        return found[0]
    return f"{found[0]} ({found[1]})" if list(figures) == ["mean", "lowest"] else " to ".join(found)


def _measures(table: Table, only: str = "") -> list[str]:
    """Measures that occur, in order: all of them, those of all classes, or those of single classes."""
    names = list({x: None for row in table.rows for x in row.held})
    return [x for x in names if not only or (x in PER_CLASS) == (only == "single")]


def _titled(row: Row, *names: str) -> str:
    return f"{', '.join(_plain(row.case[x]) for x in names if x in row.case)}: {row.cases}"


def _plain(x: Any) -> str:
    return "" if x is None else f"{x:g}" if isinstance(x, int | float) else str(x)
