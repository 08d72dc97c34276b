"""docs/contributing/calibration.md, written from the data file alone: every figure in its prose is looked up there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.calibrate import cases_page, data, figures, interval_part, summary, test_part
from bench.calibrate.summary import INTERVAL_GROUPS, TEST_GROUPS, Cell
from bench.calibrate.words import listed, page
from bench.coverage_data import ROOT
from bench.coverage_page import short
from howsure.atomic import write_text

PAGE: Final = Path("docs/contributing/calibration.md")
_MARK: Final = "<!-- written by make calibrate from bench/calibration.json; edit bench/calibrate/page.py instead -->"
_INTRODUCTION: Final = (
    "Goutte & Gaussier end by setting their posteriors beside the tests in use, Zhang, Wang & Zhao beside the "
    "bootstrap; neither counts which errs less often. This page counts. Truths are chosen, tests are simulated or "
    "enumerated, and each method says what it says: how often does a 95% interval hold the truth, how wide is it, "
    "on which side does it miss; how often are two equal systems called different, and how often is a better one "
    "found?\n\n"
    "Every figure here, also in the sentences, is computed from one data file, `bench/calibration.json`, which "
    "`make calibrate` measures anew. All cases, each with its standard error: [case by case](calibration-cases.md). "
    "Coverage of howsure on more designs: [coverage](coverage.md)."
)


def write(root: Path = ROOT) -> None:
    """Both pages, from the data file."""
    document = data.read(root)
    write_text(root / PAGE, text(document))
    write_text(root / cases_page.PAGE, cases_page.text(document))


def text(document: Mapping[str, Any]) -> str:
    """The whole page."""
    tables = data.tables(document)
    intervals, tests = (summary.cells(tables, x) for x in (INTERVAL_GROUPS, TEST_GROUPS))
    cells = [*intervals, *tests]
    parts = ["# Does it beat the old ways?", _MARK, _INTRODUCTION]
    parts += ["## In short", _points(interval_part.in_short(intervals) + test_part.in_short(tests))]
    parts += ["## Intervals", _figure("calibration-coverage"), interval_part.how_to_read(intervals)]
    parts += [x for group in INTERVAL_GROUPS for x in interval_part.of_measure(intervals, group)]
    parts += ["### Rates, exactly", _figure("calibration-rates"), interval_part.curve(tables)]
    parts += ["### Which way they err", _figure("calibration-direction"), interval_part.directions(intervals)]
    parts += ["### Where another is nearer to .95", interval_part.others_win(intervals)]
    parts += ["### Intervals that are none", interval_part.failures(intervals)]
    parts += ["## Two systems on the same items", _figure("calibration-false-alarms"), test_part.how_to_read(tests)]
    parts += [x for group in TEST_GROUPS for x in test_part.of_kind(tests, group)]
    parts += ["### Power", _figure("calibration-power"), test_part.power(tests)]
    parts += ["## How it was done", _points([_run(document, cells), *_designs(cells), _METHODS])]
    return page(parts)


def _figure(name: str) -> str:
    return f"![{figures.FIGURES[name].alt}](../figures/{name}.svg)"


def _points(found: Sequence[str]) -> str:
    return "\n".join(f"- {x}" for x in found)


_METHODS: Final = (
    "**Methods**: howsure as shipped (prior `even`, default interval; phi and macro-F1 with fewer draws). Wald: the "
    "delta method, and the mean with 1.96 standard errors. Bootstrap: items resampled, 0/0 as 0. "
    "confidenceinterval, prob_conf_mat and evalstats as they come: Wilson's and the delta method; no prior, and the "
    "interval of highest density; Wilson's, and a t interval on the logit scale. evalstats takes means only, so "
    "precision and recall are given to it as rates, and it refuses to compare fewer than 15 items."
)


def _run(document: Mapping[str, Any], cells: Sequence[Cell]) -> str:
    """When it was measured, and how much of it is exact."""
    run = document["run"].values()
    seconds, sources = sum(x["seconds"] for x in run), sorted({x["source"] for x in run})
    exact = sum(c.tests == 0 for c in cells)
    return (
        f"**Run**: {listed(sources)}; {seconds / 60:.0f} minutes of one core. The seeds are this study's own. Of "
        f"{len(cells):,} cells {exact:,} are exact: all outcomes with their probabilities. Slow methods have fewer "
        "tests, and so larger standard errors."
    )


def _designs(cells: Sequence[Cell]) -> list[str]:
    """What was simulated."""

    def seen(group: str, name: str) -> str:
        values = dict.fromkeys(c.case[name] for c in summary.where(cells, group=group) if name in c.case)
        return listed([x if isinstance(x, str) else f"{x:,}" if x >= 1 else short(x) for x in values])

    return [
        f"**Rates**: true rates of {seen('rate', 'rate')}; {seen('rate', 'items')} items.",
        (
            f"**2x2 tables**: positives to negatives {seen('phi', 'odds')}; a fair system (recall .8, precision .7) "
            f"and a good one (.95, .95); {seen('phi', 'items')} items. Tables of up to 30 items are enumerated, for "
            "slow methods drawn."
        ),
        (
            f"**K classes**: true tables of the [coverage](coverage.md) study, {seen('macro-F1', 'classes')} "
            "classes, balanced and Zipf, and three on which that study says that the pooled prior falls short (one "
            "class of 95% of the items, classes that are never right, many rare classes)."
        ),
        (
            f"**Graded values and queries**: laws of the coverage study; {seen('graded mean', 'items')} items, "
            f"{seen('query mean', 'items')} queries. howsure's coverage is by an integral of its law that the "
            "package does not use, held against the package in the first tests of each case; all widths are those "
            "of these first tests."
        ),
        (
            f"**Pairs**: systems that differ on {seen('right or wrong', 'discordant')} of the items; a better system "
            "has fewer errors of its own, the others are in common; graded values and AP of queries as in the "
            "coverage study. Wilcoxon's test is by the normal law where there are ties."
        ),
    ]
