"""Ishioka's items: their numbers, the data of the figures, and verdicts that fall when the library is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from howsure import papers
from howsure.kernels import tetrachoric
from howsure.papers import ishioka_association, ishioka_eleven
from howsure.papers.item import AGREES, CANNOT, WRONG
from tests.papers.test_papers import data, row


def compute(name: str) -> papers.Result:
    (item,) = papers.select(name)
    return item.compute()


def test_the_web_search() -> None:
    """f21 and f22 come out as the paper rounds them."""
    found = data("ishioka-2.1-search")
    assert found["fp"] == pytest.approx(117_240 * (1 / 0.27 - 1), rel=1e-12)
    assert found["fallout"] == pytest.approx(0.00798305, abs=1e-8)


@pytest.mark.slow
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
    assert compute("ishioka-3-tetrachoric").verdict == AGREES
    monkeypatch.setattr(
        "howsure.relations.association.with_error", lambda *cells: tuple(x * (1 + 1e-9) for x in honest(*cells))
    )
    assert compute("ishioka-3-tetrachoric").verdict == CANNOT


def test_averages_are_those_of_the_rules() -> None:
    """Ave(p̄ - φ) of the item is the gap of eleven_point, over 19 targets."""
    readings = {(r["rule"], r["targets"]): r["gap"] for r in data("ishioka-3.3-ave-phi")["readings"]}
    for rule in ishioka_eleven.RULES:
        assert readings[rule, "0.05 to 0.95"] == pytest.approx(ishioka_eleven.averaged("phi", rule).gap.tolist())
