"""The study of classes as tables of the data file, from the results of its single cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.coverage_cases import COLUMNS, EQUAL, METHODS, SHARED, Case
from bench.coverage_data import LEVEL, Row, Study, Table, shares, span, this_run
from bench.coverage_page import HIGH, LOW

Found = Sequence[dict[str, Any]]

BY: Final = "bench/coverage.py"
ANY: Final = "any of them"
MORE: Final = "3 or more"
CROWD: Final = 100  # from so many classes on, weighted averages have a warning too
CROWDED: Final = f"{CROWD} classes or more"
REASONS: Final = {  # in the order in which a case with several is counted
    "never": "a class that is never right",
    "rare": "half of the classes are rare beside the number of mistakes",
    "many": "many classes with few items",
}
WARNED: Final = {  # measures whose intervals were seen to fall short, and so have a warning
    "never": ("macro-precision", "f1-of-means", "informedness", "markedness"),
    "rare": ("macro-f1", "macro-precision", "f1-of-means", "informedness", "markedness"),
    "many": ("macro-f1", "macro-precision", "f1-of-means", "informedness", "markedness"),
}


@dataclass(frozen=True)
class Results:
    """What was kept of single cases, by kind."""

    kept: Mapping[str, Any]

    def kind(self, name: str) -> Found:
        return [x for key, x in self.kept.items() if key.startswith(name + " ")]

    def cases(self) -> Found:
        return [*self.kind("grid"), *self.kind("corner"), *self.kind("warning")]

    def grid(self, where: Callable[[Case], bool]) -> Found:
        return [x for x in self.kind("grid") if where(Case(**x["case"]))]


def classes_study(r: Results) -> Study:
    """Everything that the data file has of classes."""
    tables = {
        **by_sizes(r),
        "by items": by_items(r),
        "by classes": by_classes(r),
        **outside(r.kind("grid")),
        "crowded": crowded(r),
        "warnings": warnings(r),
        "warning cases": Table(["coverage"], [x for c in r.kind("warning") for x in _single(c, (*EQUAL, *SHARED))]),
        "corners": Table(["coverage"], [x for c in r.kind("corner") for x in _single(c, COLUMNS)]),
        **apart(r),
    }
    return Study(BY, this_run(), tables, summary(r))


# -- groups of cases -------------------------------------------------------------------------------


def coverage(found: Iterable[Mapping[str, Any]], method: str, name: str, what: str = "coverage") -> list[float]:
    got = (x["methods"].get(method, {}).get(name) for x in found)
    return [x[what] for x in got if x is not None]


def group(
    found: Found,
    case: Mapping[str, Any],
    figures: Sequence[str] = ("mean", "lowest"),
    methods: Sequence[str] = METHODS,
    names: Sequence[str] = COLUMNS,
) -> list[Row]:
    """A row for each method that has any of the measures."""
    rows = []
    for method in methods:
        got = {x: coverage(found, method, x) for x in names}
        held = {x: shares(figures, y) for x, y in got.items() if y}
        if held:
            rows.append(Row(case, method, _tests(found, method), held, cases=max(map(len, got.values()))))
    return rows


def _tests(found: Found, method: str) -> list[int]:
    """Numbers of tests; measures of single classes count every class, so that the smallest number is that of tests."""
    here = [x["methods"][method].values() for x in found if x["methods"].get(method)]
    return sorted({int(min(y["of"] for y in x)) for x in here})


def _single(x: Mapping[str, Any], names: Sequence[str]) -> list[Row]:
    case = {**Case(**x["case"]).described, "warned": {k: round(v, 3) for k, v in x["warned"].items()}}
    return group([dict(x)], case, ("coverage",), names=names)


def by_sizes(r: Results) -> dict[str, Table]:
    """The grid by method: balanced and Zipf sizes of three classes and more, and two classes."""
    figures = ("mean", "lowest")
    several = {
        s: Table(figures, group(r.grid(lambda c, s=s: c.k > 2 and c.sizes == s), {"classes": MORE, "sizes": s}))
        for s in ("balanced", "zipf")
    }
    return {**several, "two classes": Table(figures, group(r.grid(lambda c: c.k == 2), {"classes": 2}))}


def by_items(r: Results) -> Table:
    """The grid by method and items a class."""
    rows = []
    for s, m in itertools.product(("balanced", "zipf"), (3, 10, 50)):
        found = r.grid(lambda c, s=s, m=m: c.k > 2 and (c.sizes, c.m) == (s, m))
        rows += group(found, {"classes": MORE, "sizes": s, "items_per_class": m})
    return Table(("mean", "lowest"), rows)


def by_classes(r: Results) -> Table:
    """`even` by number of classes."""
    rows = []
    for s, k in itertools.product(("balanced", "zipf"), (3, 5, 10, 20, 50)):
        found = r.grid(lambda c, s=s, k=k: (c.sizes, c.k) == (s, k))
        rows += group(found, {"classes": k, "sizes": s}, methods=("even",))
    return Table(("mean", "lowest"), rows)


def outside(found: Found) -> dict[str, Table]:
    """How many cases of `even` leave .93 to .97 by more than two standard errors, and all methods in its lowest."""
    below: dict[str, set[int]] = {x: set() for x in COLUMNS}
    above: dict[str, set[int]] = {x: set() for x in COLUMNS}
    rows = []
    for name in COLUMNS:
        got = coverage(found, "even", name)
        for i, x in enumerate(got):
            error = math.sqrt(LEVEL * (1 - LEVEL) / _tests(found[i : i + 1], "even")[0])
            below[name] |= {i} if x < LOW - 2 * error else set()
            above[name] |= {i} if x > HIGH + 2 * error else set()
        worst = found[got.index(min(got))]
        rows += group([worst], Case(**worst["case"]).described, ("coverage",), names=(name,))
    either = [len(set().union(*x.values())) for x in (below, above)]
    held = {**{x: [len(below[x]), len(above[x])] for x in COLUMNS}, ANY: either}
    counts = Row({}, "even", _tests(found, "even"), held, cases=len(found))
    return {"outside": Table(("below", "above"), [counts]), "lowest": Table(["coverage"], rows)}


def crowded(r: Results) -> Table:
    """`even` where many classes have few items."""
    found = [x for x in r.cases() if x["case"]["k"] >= 20]
    rows = []
    for k, m in sorted({(x["case"]["k"], x["case"]["m"]) for x in found}):
        here = [x for x in found if (x["case"]["k"], x["case"]["m"]) == (k, m)]
        rows += spans(here, {"classes": k, "items_per_class": m})
    return Table(("lowest", "highest"), rows)


def spans(found: Found, case: Mapping[str, Any]) -> list[Row]:
    """The lowest and the highest case of `even`."""
    return group(found, case, ("lowest", "highest"), ("even",), (*EQUAL, *SHARED))


# -- warnings --------------------------------------------------------------------------------------


def reasons(r: Results) -> dict[str, list[dict[str, Any]]]:
    """Cases of three classes and more by the reason for a warning, the first that most of their tests have."""
    groups: dict[str, list[dict[str, Any]]] = {why: [] for why in (*REASONS, CROWDED, "none")}
    for x in r.cases():
        if x["case"]["k"] > 2 and x["case"]["accuracy"] < 0.98:
            groups[next((why for why in REASONS if x["warned"].get(why, 0.0) > 0.5), "none")].append(x)
    groups[CROWDED] = [x for x in groups["many"] if x["case"]["k"] >= CROWD]
    return groups


def warnings(r: Results) -> Table:
    """`even` by the reason for a warning."""
    rows = []
    for why, found in reasons(r).items():
        rows += spans(found, {"warned": "many", "classes": CROWDED} if why == CROWDED else {"warned": why})
    return Table(("lowest", "highest"), rows)


def summary(r: Results) -> dict[str, dict[str, Any]]:
    """The ranges that notes quote."""
    found = reasons(r)
    quoted: dict[str, dict[str, Any]] = {
        why: {"reason": REASONS[why], "held": {x: span(coverage(found[why], "even", x)) for x in WARNED[why]}}
        for why in REASONS
        if found[why]
    }
    if found[CROWDED]:
        quoted["many"]["held"]["weighted-f1"] = span(coverage(found[CROWDED], "even", "weighted-f1"))
    return quoted


# -- labels ----------------------------------------------------------------------------------------


def apart(r: Results) -> dict[str, Table]:
    """Many labels an item."""
    labels = []
    for x in r.kind("labels"):
        methods, names = ("even", "labels apart", "percentile"), ("macro-f1", "micro-f1", "samples-f1")
        labels += group([x], {"labels": x["k"], "items": x["n"]}, ("coverage",), methods, names)
    return {"labels": Table(["coverage"], labels)}
