"""Figures of the papers, drawn anew from what howsure computes for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from howsure import papers
from tools import drawings


def _data(name: str) -> Any:
    (item,) = papers.select(name)
    return item.compute().data


def goutte() -> str:
    """Goutte & Gaussier, fig. 1."""
    d = _data("goutte-fig-1")
    told = f"densities of precision of two systems; the first wins with probability {d['p_first_better']:.3f}"
    return drawings.lines(
        {"system 1": (d["x"], d["first"]), "system 2": (d["x"], d["second"])}, "precision", "density", told
    )


def alvarez_threshold() -> str:
    """Alvarez, fig. 2."""
    d = _data("alvarez-fig-2")
    series = {name: (d["x"], d[name]) for name in ("recall", "precision", "accuracy")}
    return drawings.lines(
        series, "threshold", "", "recall rises and precision falls with the threshold; accuracy has one peak"
    )


def alvarez_tradeoff() -> str:
    """Alvarez, fig. 3."""
    curves = _data("alvarez-fig-3")["curves"]
    series = {f"accuracy {name}": (c["recall"], c["precision"]) for name, c in curves.items()}
    return drawings.lines(series, "recall", "precision", "precision falls as recall rises, one curve for each accuracy")


def zhang() -> str:
    """Zhang, Wang & Zhao, fig. 5."""
    d = _data("zhang-fig-5")
    return drawings.lines({"macro-f1": (d["x"], d["curve"])}, "macro-f1", "density", "posterior density of macro-f1")


FIGURES: dict[str, Callable[[], str]] = {
    "figures/goutte-1.svg": goutte,
    "figures/alvarez-2.svg": alvarez_threshold,
    "figures/alvarez-3.svg": alvarez_tradeoff,
    "figures/zhang-5.svg": zhang,
}
