"""Ishioka's items: their numbers, the data of the figures, and verdicts that fall when the library is wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from howsure import papers
from howsure.distributions import tetrachoric
from howsure.papers import ishioka_association, ishioka_eleven, ishioka_measures
from howsure.papers.item import CANNOT, HOLDS, WRONG
from tests.papers.test_papers import data, row


def compute(name: str) -> papers.Result:
    (item,) = papers.select(name)
    return item.compute()


def test_sites_that_were_retrieved_are_not_all_relevant() -> None:
    """117,240 sites are f.1: precision .27 makes 31,655 of them relevant; the paper has them all in f11."""
    found = data("ishioka-2.1-search")
    tp = Fraction(117_240) * 27 / 100
    cells = {"tp": tp, "fp": 117_240 - tp, "fn": tp * 3 / 2, "tn": 40_000_000 - 117_240 - tp * 3 / 2}
    assert {k: found[k] for k in cells} == {k: pytest.approx(float(v), rel=1e-12) for k, v in cells.items()}
    assert round(tp) == 31_655
    assert found["fallout"] == pytest.approx(float(cells["fp"] / (cells["fp"] + cells["tn"])), rel=1e-12)
    assert data("ishioka-2.1-reliability")["tp"] == pytest.approx(1_364 * 0.27, rel=1e-12)
    for name in ("2.1-search", "2.1-reliability", "4-ratios"):
        assert row(f"ishioka-{name}")["verdict"] == WRONG


def test_the_printed_cells_are_those_of_so_many_relevant_sites() -> None:
    """Nothing but the reading is wrong: with 117,240 relevant sites every printed cell comes out."""
    t = ishioka_measures.search_as_printed(117_240)
    assert [round(t[k]) for k in ("tp", "fn", "fp", "tn")] == [117_240, 175_860, 316_982, 39_389_918]


def test_errata_are_told_with_what_holds() -> None:
    """Every erratum of the paper is found wrong as printed and right as corrected; the averages have no correction."""
    for name in ("eq-6", "eq-14", "eq-4-beta", "3.1-phi-f1", "3.1-phi-f2"):
        found = row(f"ishioka-{name}")
        assert found["verdict"] == WRONG
        assert found["data"]["difference"] > 100 * found["data"]["difference_corrected"]
    for name in ("3.3-ave-rho", "3.3-ave-phi"):
        assert row(f"ishioka-{name}")["verdict"] == CANNOT
        assert len(data(f"ishioka-{name}")["readings"]) == 9


def test_figures_are_data() -> None:
    """Figures 1 to 7 hold their axes and values, in the shape of their grid."""
    for figure, key in (("1a", "rho"), ("1b", "rho"), ("2c", "phi"), ("3a", "f")):
        assert np.shape(data(f"ishioka-fig-{figure}")[key]) == (19, 19)
    for figure, key in (("4", "rho"), ("5", "phi")):
        assert np.shape(data(f"ishioka-fig-{figure}")[key]) == (20, 99)
    for figure in ("6", "7"):
        found = data(f"ishioka-fig-{figure}")
        assert np.shape(found["lowest"]) == np.shape(found["highest"]) == np.shape(found["share"]) == (4, 19)
        assert 0.3 < np.mean(found["share"]) < 0.6


def test_a_wrong_table_loses_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a surface that is off by a thousandth the differences no longer agree, even corrected."""
    honest = ishioka_association.across

    def moved(name: str, a: float) -> Any:
        return honest(name, a) + (1e-3 if name in ("phi", "tetrachoric") else 0.0) * (2 if name == "tetrachoric" else 1)

    monkeypatch.setattr(ishioka_association, "across", moved)
    assert compute("ishioka-3.1-rho-phi").verdict == CANNOT
    assert compute("ishioka-3.1-phi-f1").verdict == CANNOT


def test_a_wrong_kernel_loses_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quadrant of a wrong correlation is not tp/n."""
    honest = tetrachoric.with_error
    assert compute("ishioka-3-tetrachoric").verdict == HOLDS
    monkeypatch.setattr(
        "howsure.relations.association.with_error", lambda *cells: tuple(x * (1 + 1e-9) for x in honest(*cells))
    )
    assert compute("ishioka-3-tetrachoric").verdict == CANNOT


def test_averages_are_those_of_the_rules() -> None:
    """Ave(p̄ - φ) of the item is the gap of eleven_point, over 19 targets."""
    readings = {(r["rule"], r["targets"]): r["gap"] for r in data("ishioka-3.3-ave-phi")["readings"]}
    for rule in ishioka_eleven.RULES:
        assert readings[rule, "0.05 to 0.95"] == pytest.approx(ishioka_eleven.averaged("phi", rule).gap.tolist())
