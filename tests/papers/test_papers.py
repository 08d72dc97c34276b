"""What the papers print, recomputed: every verdict is kept, and every number is computed when asked."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from howsure import papers
from howsure.cli.app import app
from howsure.errors import UnknownName
from howsure.papers.item import (
    AGREES,
    CANNOT,
    HOLDS,
    MEANINGS,
    SAMPLING,
    SHOWN,
    VERDICTS,
    WRONG,
    claim,
    close,
    equals,
    judge,
    rounds,
)

SNAPSHOT = Path(__file__).with_name("verdicts.json")
ALL = papers.items()
ONCE = {x.id: replace(x, compute=cache(x.compute)) for x in ALL}  # the same items, each computed once


def row(name: str) -> dict[str, Any]:
    (found,) = papers.document([ONCE[name]])["rows"]
    return found


def data(name: str) -> dict[str, Any]:
    return row(name)["data"]


def test_the_snapshot_holds_no_item_that_is_gone() -> None:
    assert list(json.loads(SNAPSHOT.read_text(encoding="utf-8"))) == [x.id for x in ALL]


def test_ids_are_unique_and_begin_with_the_paper() -> None:
    ids = [x.id for x in ALL]
    assert len(set(ids)) == len(ids)
    assert all(x.split("-")[0] in papers.PAPERS for x in ids)


EXACT = [
    ("goutte-2.2-probability", "p_better", 0.652222372208884),
    ("goutte-fig-1", "p_first_better", 1 - 0.652222372208884),
    ("goutte-2.3-f-beta", "p_f2", 0.154507784879716),
    ("goutte-2.2-system-2", "mean", 3.5 / 6),
    ("goutte-2.2-system-2", "mode", 0.625),
    ("goutte-2.2-system-1", "mean", 0.5),
    ("goutte-2.2-system-1", "mode", 0.5),
    ("goutte-eq-12", "p_better", 0.6176209195399872),
    ("goutte-2.3-exact", "p_swapped", 1 - 0.6176209195399872),
    ("goutte-3-analytic", "p_better", 0.935973953557446),
    ("goutte-eq-18", "p_better", 0.935973953557446),
    ("goutte-eq-20", "mean", 13 / 3301),
    ("goutte-eq-21", "mean", sum(2 / (2 * k + 1) for k in range(4, 17))),
    ("goutte-5-money-fx", "by_wins", 0.9324207499057972),
    ("goutte-eq-9", "mean", 80.5 / 101),
    ("goutte-eq-9", "mode", 79.5 / 99),
    ("alvarez-fig-2", "best", 0.5),
    ("alvarez-2.4-triple", "value", 0.8413447460685429),
    ("alvarez-4.3-uniform", "accuracy", 0.7),
    ("powers-eq-5", "chi_square", 1000 * 69000**2 / (110 * 890 * 100 * 900)),
]


@pytest.mark.parametrize(("name", "key", "value"), EXACT)
def test_numbers_are_exact(name: str, key: str, value: float) -> None:
    assert data(name)[key] == pytest.approx(value, rel=1e-12, abs=0)


def test_class_averages_are_those_of_the_errata() -> None:
    found = data("powers-2.4-classes")
    assert found["informedness"] == pytest.approx(0.5200910201, abs=5e-11)
    assert found["markedness"] == pytest.approx(0.5767277167, abs=5e-11)


ERRATA = {"2.3-cdf", "2.4-accuracy", "4.3-identities", "4.3-uniform", "5.2-random", "fig-4", "fig-5", "eq-32"}


def test_alvarez_is_wrong_just_where_the_errata_say_so() -> None:
    """Eight prints of Alvarez are wrong, each with a corrected form that holds; all others stand."""
    found = {x.id.removeprefix("alvarez-"): row(x.id)["verdict"] for x in papers.select("alvarez")}
    assert {k for k, verdict in found.items() if verdict == WRONG} == ERRATA
    assert {verdict for k, verdict in found.items() if k not in ERRATA} == {AGREES, HOLDS, SHOWN}
    assert [k for k, verdict in found.items() if verdict == SHOWN] == ["fig-1"]


def test_the_figures_of_alvarez_are_data() -> None:
    """Densities and curves of figs 1 to 5, each on its own points."""
    measures = ("recall", "precision", "accuracy")
    figures = {"fig-1": ("a", "b"), "fig-2": measures, "fig-4": ("bimodal", "unimodal"), "fig-5": measures}
    for name, keys in figures.items():
        found = data(f"alvarez-{name}")
        assert {len(found[k]) for k in keys} == {len(found["x"])}
    assert list(data("alvarez-fig-3")["curves"]) == ["0.6", "0.7", "0.8", "0.9"]
    assert 0.79 < data("alvarez-fig-5")["low"] < data("alvarez-fig-5")["high"] < 0.91


def test_figure_1_has_two_densities_on_201_points() -> None:
    found = data("goutte-fig-1")
    assert [len(found[k]) for k in ("x", "first", "second")] == [201] * 3
    for name in ("first", "second"):  # a density integrates to 1: the trapezoid rule is good to 1e-5 here
        assert sum(found[name]) / 200 == pytest.approx(1, abs=1e-5)


def test_the_mode_condition_fails_at_a_table_with_small_tp_and_fn() -> None:
    weight, tp, fp, fn, mode = data("goutte-after-eq-9")["failing"][0]
    assert tp + fn < 2 - 2 * weight
    assert 0 < mode < 1
    assert mode == pytest.approx((tp + weight - 1) / (tp + fp + 2 * weight - 2))


def test_ci_covers_far_less_than_it_should_and_the_posterior_does_not() -> None:
    rows = data("powers-eq-5-coverage")["coverage"]
    assert min(r["ci"] for r in rows) < 0.3
    assert max(r["ci"] for r in rows) < 0.94
    assert all(0.92 < r["posterior"] < 0.98 for r in rows)


# -- verdicts follow from the checks ------------------------------------------------------------------------------


def test_verdicts_are_derived() -> None:
    assert judge([rounds(0.5833, "58%")]) == AGREES
    assert judge([rounds(0.625, "63%")]) == AGREES
    assert judge([rounds(0.625, "62%")]) == CANNOT
    assert judge([rounds(-0.625, "-63%")]) == AGREES
    assert judge([equals(0.5, 0.5), claim(True), close(1, 1)]) == AGREES
    assert judge([claim(True), close(1, 1)]) == HOLDS
    assert judge([close(1, 1)]) == SHOWN
    assert judge([close(1, 2)]) == CANNOT
    assert judge([rounds(0.6, "58%")]) == CANNOT
    assert judge([rounds(0.99767, "99.77%", 0.0005), rounds(0.9632, "96.41%", 0.0019)]) == SAMPLING
    assert judge([rounds(0.08771, "9.76%", 0.0030)]) == SAMPLING
    assert judge([rounds(0.08550, "9.76%", 0.0030)]) == CANNOT
    assert judge([claim(False)], [claim(True)]) == WRONG
    assert judge([claim(False)], [claim(True), claim(False)]) == CANNOT
    assert judge([close(float("nan"), 1.0)]) == CANNOT


def test_a_wrong_library_loses_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is hard-coded: with another law behind it, the probability is another and the verdict falls."""
    from howsure.papers import goutte_precision

    honest = goutte_precision.law
    monkeypatch.setattr(goutte_precision, "law", lambda name, prior=0.5, **counts: honest(name, 20.0, **counts))
    for name in ("goutte-2.2-probability", "goutte-2.2-system-2", "goutte-fig-1", "goutte-eq-9"):
        (item,) = papers.select(name)
        assert item.compute().verdict == CANNOT


def test_a_wrong_curve_loses_the_verdicts_on_alvarez(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a precision that is off by 1% along the curve, eqs 22 and 25 can no longer be reproduced."""
    from howsure.relations import Tradeoff

    honest = Tradeoff.precision
    monkeypatch.setattr(Tradeoff, "precision", lambda self, recall: 0.99 * honest(self, recall))
    for name in ("alvarez-eq-22", "alvarez-eq-25", "alvarez-eq-17"):
        (item,) = papers.select(name)
        assert item.compute().verdict == CANNOT


# -- select and render --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("paper", "last"), [("alvarez", 32), ("ishioka", 14)])
def test_every_equation_is_found_by_its_number(paper: str, last: int) -> None:
    """Equations that share an item with their neighbours lead to it too; what is no equation does not."""
    for number in range(1, last + 1):
        found = papers.select(f"{paper}-eq-{number}")
        assert found, number
        assert all(x.id.startswith(f"{paper}-") for x in found)
    with pytest.raises(UnknownName):
        papers.select(f"{paper}-eq-{last + 1}")
    assert [x.where for x in papers.select("alvarez-eq-18")] == ["eqs 17 to 19"]
    assert [x.where for x in papers.select("alvarez-eq-5")] == ["eqs 4 to 7"]


def test_select_by_nothing_paper_item_and_beginning() -> None:
    assert papers.select(None) == papers.select() == ALL
    assert [x.id for x in papers.select("goutte-eq-9")] == ["goutte-eq-9"]
    assert [x.id for x in papers.select(" Goutte_EQ 9 ")] == ["goutte-eq-9"]
    assert [x.id for x in papers.select("powers-eq-5")] == ["powers-eq-5"]
    assert {x.paper for x in papers.select("goutte")} == {"Goutte & Gaussier 2005"}
    assert sum(len(papers.select(name)) for name in papers.PAPERS) == len(ALL)
    assert [x.id for x in papers.select("powers-2.2")] == ["powers-2.2-equal", "powers-2.2-fallout"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [("goute", " Did you mean 'goutte'?"), ("goutte-eq-99", " Did you mean 'goutte-eq-9'?"), ("zzz", ""), ("", "")],
)
def test_an_unknown_item_gets_a_hint(text: str, hint: str) -> None:
    with pytest.raises(UnknownName) as caught:
        papers.select(text)
    assert str(caught.value) == f"no paper or item of a paper named {text!r}.{hint} See: howsure papers"


def test_json_is_whole_and_finite() -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in the JSON text")

    found = json.loads(papers.render(tuple(ONCE.values()), "json"), parse_constant=refuse)
    assert list(found) == ["schema", "version", "rows", "notes"]
    assert found["schema"] == "howsure.papers/1"
    assert found["notes"] == []
    keys = ["id", "paper", "where", "title", "printed", "computed", "verdict", "note", "data", "compared"]
    assert all(list(r) == keys for r in found["rows"])
    assert [r["id"] for r in found["rows"]] == [x.id for x in ALL]


def test_numbers_that_are_not_finite_become_null() -> None:
    odd = papers.Item("x", "p", "w", "t", "1", lambda: papers.Result("2", CANNOT, {"a": [float("nan"), 1.0]}))
    assert papers.document([odd])["rows"][0]["data"] == {"a": [None, 1.0]}


def test_text_fits_and_shows_every_item_and_note() -> None:
    text = papers.render(tuple(ONCE.values()), "table")
    table, _, notes = text.partition("\n- ")
    lines = table.splitlines()
    assert all(len(line) <= 132 for line in lines[2:])
    assert all(any(line.startswith(x.id) for line in lines) for x in ALL)
    under = " ".join(line[:28].strip() for line in lines)
    assert all(f"{x.id} {x.where}: {x.title}" in under for x in ALL)
    assert all(f"{verdict}: {text}" in f"- {notes}" for verdict, text in MEANINGS.items())
    told = dict(reversed(note.split(": ", 1)) for note in notes.rstrip("\n").split("\n- "))
    assert all(x.id in told[x.note].split(", ") for x in ALL if x.note)
    assert lines[0].startswith(
        f"{len(ALL)} items of Goutte & Gaussier 2005, Ishioka, Powers 2007, Alvarez 2002, "
        "Zhang, Wang & Zhao 2015. agrees: "
    )


def test_text_of_one_item_says_where_it_is() -> None:
    text = papers.render(papers.select("goutte-eq-8"), "table")
    assert text.splitlines()[0] == "Goutte & Gaussier 2005, eq. 8: Posterior of precision"


def test_numbers_of_one_item_are_set_side_by_side() -> None:
    """Each printed number with the computed one; the verdict is said in words."""
    text = papers.render([ONCE["ishioka-2.1-search"]], "table")
    lines = [line.split() for line in text.splitlines()]
    assert ["f11", "117240", "31654.80", "differs"] in lines
    assert ["a", "0.008", "0.00214", "differs"] in lines
    assert f"- {WRONG}: {MEANINGS[WRONG]}" in text
    compared = row("goutte-2.2-system-2")["compared"]
    assert [(c["what"], c["printed"], c["verdict"]) for c in compared] == [
        ("mean", "58%", AGREES),
        ("mode", "63%", AGREES),
    ]
    assert [c["computed"] for c in compared] == pytest.approx([3.5 / 6, 0.625])


def test_the_help_names_every_verdict() -> None:
    assert all(verdict in (app.commands["papers"].help or "") for verdict in VERDICTS)


def test_markdown_is_a_table_with_escaped_cells() -> None:
    lines = papers.render(papers.select("goutte-eq-3"), "markdown").splitlines()
    assert lines[2] == "| item | where | what | printed | howsure | verdict |"
    assert r"p = P(l=+ \| z=+)" in lines[4]
    assert lines[-1].startswith("- goutte-eq-3: ")


def test_an_unknown_format_gets_a_hint() -> None:
    with pytest.raises(UnknownName, match=r"no format 'jsn'\. Did you mean 'json'"):
        papers.render(papers.select("goutte-eq-1"), "jsn")


def test_importing_papers_loads_no_numerics() -> None:
    code = "import sys, howsure.papers; print(sorted({'numpy', 'scipy', 'howsure.papers.goutte'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_page_counts_the_verdicts() -> None:
    """Every verdict with its meaning, and as many items as there are."""
    page = (Path(__file__).parents[2] / "docs" / "contributing" / "papers.md").read_text(encoding="utf-8")
    kept = list(json.loads(SNAPSHOT.read_text(encoding="utf-8")).values())
    for verdict, meaning in MEANINGS.items():
        assert f"| {verdict} | {kept.count(verdict)} | {meaning} |" in page
    assert f"through {len(kept)} of their" in page
