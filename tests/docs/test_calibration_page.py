"""The page of calibration is what its data file gives, and the machinery of the study counts as plain sums do."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from bench.calibrate import cases_page, classes, data, figures, methods, page, pairs, rates, summary, tables
from bench.calibrate.samples import INTERVALS, VERDICTS, Sample, intervals, stream, verdicts
from bench.coverage_data import text

ROOT = Path(__file__).parents[2]
DOCUMENT = data.read()


# -- the page --------------------------------------------------------------------------------------


def test_the_data_file_has_its_form() -> None:
    """The file is as the study writes it, and every cell has the figures that its table names."""
    assert (ROOT / data.DATA).read_text(encoding="utf-8") == text(DOCUMENT) + "\n"
    assert DOCUMENT["schema"] == data.SCHEMA
    wanted = {name for groups in (summary.INTERVAL_GROUPS, summary.TEST_GROUPS) for name, _ in groups.values()}
    assert set(DOCUMENT["tables"]) == {*wanted, "rate curve"} == set(DOCUMENT["run"])
    for table in DOCUMENT["tables"].values():
        assert tuple(table["figures"]) in (INTERVALS, VERDICTS)
        assert all(len(cell) == len(table["figures"]) for row in table["rows"] for cell in row["held"].values())


@pytest.mark.parametrize(("path", "written"), [(page.PAGE, page.text), (cases_page.PAGE, cases_page.text)])
def test_the_pages_are_what_the_data_give(path: Path, written: object) -> None:
    """When they drift apart, `python -m bench.calibrate --page` writes them again."""
    assert callable(written)
    assert (ROOT / path).read_text(encoding="utf-8") == written(DOCUMENT)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_the_figures_show_the_data(name: str) -> None:
    """A figure bears the mark of the points that the data give; the page has words for those who cannot see it."""
    svg = (ROOT / figures.path(name)).read_text(encoding="utf-8")
    assert svg.splitlines()[-1] == figures.mark(figures.FIGURES[name].points(DOCUMENT))
    assert svg.startswith("<svg")
    alt = {b: a for a, b in re.findall(r"!\[([^]]+)\]\(([^)]+)\)", (ROOT / page.PAGE).read_text(encoding="utf-8"))}
    assert len(alt[f"../figures/{name}.svg"]) > 40


def test_a_changed_figure_changes_the_page() -> None:
    """No share of howsure in the prose is typed by hand: with other data the sentences differ."""
    other = {**DOCUMENT, "tables": {**DOCUMENT["tables"]}}
    rows = [
        {**row, "held": {"rate": [0.5, *row["held"]["rate"][1:]]}} if row["method"] == "howsure" else row
        for row in DOCUMENT["tables"]["rates"]["rows"]
    ]
    other["tables"]["rates"] = {**DOCUMENT["tables"]["rates"], "rows": rows}
    was, now = (page.text(x) for x in (DOCUMENT, other))
    assert was.partition("## Intervals")[0] != now.partition("## Intervals")[0]
    assert "| howsure | .500 | .500 |" in now


# -- the machinery ---------------------------------------------------------------------------------


def test_walds_coverage_is_the_known_one() -> None:
    """By enumeration, Wald's interval of 40 items at a true rate of one half holds .919: Brown, Cai & DasGupta 2001."""
    row = next(r for r in rates.of_case(0.5, 40, rates.plain) if r.method == "Wald")
    n, held = 40, 0.0
    for k in range(n + 1):
        half = 1.959963984540054 * math.sqrt(k / n * (1 - k / n) / n)
        held += math.comb(n, k) / 2**n * (abs(k / n - 0.5) <= half)
    assert row.held["rate"][0] == pytest.approx(held, abs=5e-5)
    assert round(held, 3) == 0.919


def test_what_is_counted() -> None:
    """Six intervals of a truth of .5: held, below, above, none, of no width, outside the range."""
    low = [0.4, 0.1, 0.6, np.nan, 0.5, -0.1]
    high = [0.6, 0.3, 0.8, np.nan, 0.5, 0.9]
    sample = Sample(np.arange(6), np.full(6, 1 / 6), 6)
    got = dict(zip(INTERVALS, intervals(sample, (low, high), 0.5, (0.0, 1.0)), strict=True))
    shares = {"coverage": 3, "too low": 1, "too high": 1, "none": 1, "zero": 1, "outside": 1}
    assert {k: round(6 * got[k], 2) for k in shares} == shares
    assert got["error"] == pytest.approx(math.sqrt(0.25 / 6), rel=1e-3)
    assert got["width"] == pytest.approx((0.2 + 0.2 + 0.2 + 0.0 + 1.0) / 5, rel=1e-3)
    assert got["score"] == pytest.approx((0.2 + (0.2 + 8) + (0.2 + 4) + 1 + 0 + 1) / 6, rel=1e-3)


def test_verdicts_are_counted() -> None:
    """Of four, one calls the first better, one the second, one nothing, and one says nothing."""
    got = verdicts(Sample(np.arange(4), np.full(4, 0.25), 4), [0.99, 0.01, 0.5, np.nan])
    assert dict(zip(VERDICTS, got, strict=True)) == {"called": 0.5, "error": 0.25, "wrong way": 0.25, "none": 0.25}


def test_all_tables_and_simulated_ones_agree() -> None:
    """All tables of 12 items have the mean that simulated ones have, and few of many are drawn by their shares."""
    p = tables.cells(0.3, 0.8, 0.7)
    whole = tables.all_tables(12, p)
    drawn = whole.few(400, stream("test"))
    assert whole.shares @ whole.data == pytest.approx(12 * p)
    assert (whole.tests, drawn.tests) == (0, 400)
    assert drawn.shares @ drawn.data == pytest.approx(12 * p, abs=0.4)


def test_wilson_and_wald_are_those_of_statsmodels() -> None:
    """Also as the delta method of tables, for precision and recall."""
    k, n = np.array([0, 3, 17, 20]), np.full(4, 20)
    for name, ends in (("wilson", methods.wilson(k, n)), ("normal", methods.wald_rate(k, n))):
        wanted = [proportion_confint(a, b, method=name) for a, b in zip(k, n, strict=True)]
        inside = np.clip(np.array(ends).T, 0.0, 1.0)  # statsmodels cuts at the ends of the range
        assert inside == pytest.approx(np.array(wanted), abs=1e-12)
    table = np.array([[17, 3, 5, 40], [8, 2, 1, 9]])
    for name, (tp, rest) in {"precision": (0, 1), "recall": (0, 2)}.items():
        wanted = methods.wald_rate(table[:, tp], table[:, tp] + table[:, rest])
        assert np.array(methods.wald(table, name)) == pytest.approx(np.array(wanted), abs=1e-12)


def test_bootstraps_of_rates_are_limits_of_simulated_ones() -> None:
    """The exact percentile and BCa ends of 40 of 50 are those of 999 resamples, within an item and a half."""
    drawn = methods.bootstraps(np.array([[40, 10, 0, 0]]), ("precision",), stream("test"))
    exact = {"percentile": methods.percentile_rate(np.array([40]), 50), "BCa": methods.bca_rate(np.array([40]), 50)}
    for how, ends in exact.items():
        assert np.array(ends) == pytest.approx(np.array(drawn[how]["precision"]), abs=0.031)


def test_the_delta_method_of_macro_f1() -> None:
    """Its slopes are those of small differences."""
    table = np.array([[30.0, 4.0, 2.0], [3.0, 20.0, 1.0], [2.0, 5.0, 12.0]])

    def macro(t: np.ndarray) -> float:
        return float(np.mean(2 * np.diag(t) / (t.sum(axis=0) + t.sum(axis=1))))

    n, p = table.sum(), table / table.sum()
    slopes = np.empty((3, 3))
    for i, j in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[i, j] = 1e-6
        slopes[i, j] = (macro(p + step) - macro(p - step)) / 2e-6
    half = methods.Z * math.sqrt(((p * slopes**2).sum() - (p * slopes).sum() ** 2) / n)
    low, high = classes.wald(table[None])
    assert (high[0] - low[0]) / 2 == pytest.approx(half, rel=1e-6)
    assert (high[0] + low[0]) / 2 == pytest.approx(macro(table))
    wider = np.pad(table, (0, 1))  # a class that never occurs has an F1 of 0, and the interval stays a number
    assert np.array(classes.wald(wider[None])) == pytest.approx(np.array([low, high]) * 3 / 4)


@pytest.mark.parametrize(("b", "c"), [(7, 2), (1, 9), (5, 5), (12, 3)])
def test_tests_of_pairs_are_those_of_others(b: int, c: int) -> None:
    """McNemar's exact test, the paired t test and Wilcoxon's by the normal law, as statsmodels and scipy have them."""
    gap = np.repeat([1.0, -1.0, 0.0], [b, c, 30 - b - c])
    one, two, n = np.array([b]), np.array([c]), np.array([30])
    wanted = {
        "exact": mcnemar([[10, b], [c, 10]]).pvalue,
        "t": stats.ttest_1samp(gap, 0.0).pvalue,
        "ranks": stats.wilcoxon(gap, method="asymptotic").pvalue,
        "mid-p": min(1.0, mcnemar([[10, b], [c, 10]]).pvalue - stats.binom.pmf(min(b, c), b + c, 0.5)),
    }
    got = {
        "exact": pairs.mcnemar(one, two), "t": pairs.student(one, two, n), "ranks": pairs.wilcoxon(one, two),
        "mid-p": pairs.mid_p(one, two),
    }  # fmt: skip
    for name, p in got.items():
        two_sided = 2 * min(float(p[0]), 1 - float(p[0]))
        if not (name == "mid-p" and b == c):  # the test by two tails counts the middle twice
            assert two_sided == pytest.approx(wanted[name], abs=1e-9), name
        assert (float(p[0]) >= 0.5) == (b >= c)
