"""The figures of the papers, drawn again from the numbers that their items compute."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

from howsure.charts.chart import Chart, panels
from howsure.charts.contours import contours
from howsure.charts.curves import curves
from howsure.charts.heat import heat
from howsure.charts.relations import hyperbolas
from howsure.messages.numbers import count
from howsure.papers.traces import trace

Row = dict[str, Any]  # of the document of an item
_UNIT: Final = (0.0, 1.0)


def drawn(row: Row) -> tuple[Chart, ...]:
    """The charts of an item: none but of a figure."""
    name, data = row["id"], row["data"]
    for start, make in _MAKERS.items():
        if name == start or (name.startswith(start) and name[len(start) :] in "abcd"):
            return make(row, data)
    return ()


def _texts(row: Row, note: str = "") -> dict[str, Any]:
    """Title, finding and caption of a figure."""
    return {
        "name": row["id"],
        "title": f"{row['where']}: {row['title']}",
        "says": f"{row['computed']}.",
        "caption": note,
    }


# -- lines


def _densities(labels: dict[str, str], x_title: str) -> Callable[[Row, Any], tuple[Chart, ...]]:
    """Densities on common points."""

    def make(row: Row, data: Any) -> tuple[Chart, ...]:
        series = [{"label": label, "x": data["x"], "y": data[key]} for key, label in labels.items()]
        top = 1.06 * max(v for s in series for v in s["y"] if v is not None)
        ends = (data["x"][0], data["x"][-1])
        return (curves(series, **_texts(row), x_title=x_title, y_title="density", x_ends=ends, y_ends=(0.0, top)),)

    return make


def _measures(row: Row, data: Any) -> tuple[Chart, ...]:
    """Recall, precision and accuracy by the threshold."""
    series = [{"label": k, "x": data["x"], "y": data[k]} for k in ("recall", "precision", "accuracy")]
    ends = (data["x"][0], data["x"][-1])
    lines = [{"x": data[k]} for k in ("triple", "low", "high") if data.get(k) is not None]
    told = "dashed: where the three meet" if "triple" in data else "dashed: between them recall and precision both rise"
    return (curves(series, **_texts(row, told), x_title="threshold", y_title="value", x_ends=ends, y_ends=_UNIT,
                   lines=lines),)  # fmt: skip


def _tradeoff(row: Row, data: Any) -> tuple[Chart, ...]:
    lines = [{"label": f"accuracy {a}", "x": c["recall"], "y": c["precision"]} for a, c in data["curves"].items()]
    texts = _texts(row, f"generality {data['generality']:g}; each curve ends where a count would be negative")
    return (hyperbolas(lines, title=texts["title"], says=texts["says"], caption=texts["caption"]),)


# -- surfaces


def _surface(z: str, symbol: str, x: str = "precision", y: str = "recall") -> Callable[[Row, Any], tuple[Chart, ...]]:
    """Lines of equal value over two axes."""

    def make(row: Row, data: Any) -> tuple[Chart, ...]:
        across, down = (np.asarray(data[k], dtype=float) for k in (x, y))
        values = np.array([[np.nan if v is None else v for v in line] for line in data[z]], dtype=float)
        told = f"lines of equal {symbol}"
        titles = {"x_title": x.replace("_", "-"), "y_title": y}
        return (contours(across, down, values, **_texts(row, told), **titles),)

    return make


def _eleven(row: Row, data: Any) -> tuple[Chart, ...]:
    """The averaged precision by the target for each fallout: as the paper computes it, and by a sound rule."""
    made = []
    for rule, told in (("bisection", "the paper's bisection"), ("lowest", "the lowest precision with the target")):
        means = np.array([[np.nan if v is None else v for v in line] for line in data[rule]], dtype=float)
        series = [{"label": f"fallout {a:g}", "x": data["targets"], "y": [None if v != v else v for v in means[i]]}
                  for i, a in enumerate(data["fallout"])]  # fmt: skip
        texts = _texts(row, "dashed: equal") | {"title": told}
        made.append(curves(
            series, **texts, x_title="ρ" if row["id"].endswith("6") else "φ", y_title="averaged precision",
            x_ends=_UNIT, y_ends=_UNIT, lines=[{"from": (0.0, 0.0), "to": (1.0, 1.0)}],
        ))  # fmt: skip
    return (panels(made, **_texts(row, "dashed: equal")),)


# -- the confusion matrix, posteriors and traces of Zhang, Wang and Zhao


def _matrix(row: Row, data: Any) -> tuple[Chart, ...]:
    table = np.asarray(data["matrix"], dtype=float)
    names = [str(k + 1) for k in range(len(table))]
    shares = table / table.sum(axis=1, keepdims=True)
    cells = [
        {"row": i, "column": j, "value": float(shares[i, j]), "label": count(float(table[i, j]))}
        for i, j in np.ndindex(table.shape)
    ]
    texts = _texts(row, f"n = {count(data['n'])}; shaded by the share of the true class")
    return (
        heat(cells, names=names, columns=names, **texts, row_title="truth", column_title="answer", wide=56, high=34),
    )


def _posterior_and_trace(row: Row, data: Any) -> tuple[Chart, ...]:
    """The histogram of the draws with the density, and the first draws in their order."""
    edges, density = data["edges"], data["density"]
    steps_x = [v for a, b in pairwise(edges) for v in (a, b)]
    steps_y = [v for h in density for v in (h, h)]
    series = [
        {"label": "density", "x": data["x"], "y": data["curve"]},
        {"label": "histogram of draws", "x": steps_x, "y": steps_y},
    ]
    top = 1.06 * max(*density, *data["curve"])
    texts = _texts(row)
    posterior = curves(
        series, **(texts | {"title": "posterior"}), x_title="score", y_title="density", x_ends=(edges[0], edges[-1]),
        y_ends=(0.0, top), lines=[{"x": 0.8, "label": "0.8"}],
    )  # fmt: skip
    told = f"the first {count(len(data['trace']))} of {count(data['n'])} draws"
    chain = trace(data["trace"], name="trace", title="trace and running mean", says="", caption="", measure="score")
    return (panels([posterior, chain], **(texts | {"caption": told})),)


_MAKERS: Final[dict[str, Callable[[Row, Any], tuple[Chart, ...]]]] = {
    "goutte-fig-1": _densities({"first": "system 1", "second": "system 2"}, "precision"),
    "ishioka-fig-1": _surface("rho", "ρ"),
    "ishioka-fig-2": _surface("phi", "φ"),
    "ishioka-fig-3": _surface("f", "F"),
    "ishioka-fig-4": _surface("rho", "ρ", "break_even", "fallout"),
    "ishioka-fig-5": _surface("phi", "φ", "break_even", "fallout"),
    "ishioka-fig-6": _eleven,
    "ishioka-fig-7": _eleven,
    "alvarez-fig-1": _densities({"a": "class A", "b": "class B"}, "x"),
    "alvarez-fig-2": _measures,
    "alvarez-fig-3": _tradeoff,
    "alvarez-fig-4": _densities({"bimodal": "bimodal class", "unimodal": "unimodal class"}, "x"),
    "alvarez-fig-5": _measures,
    "zhang-fig-3": _matrix,
    "zhang-fig-4": _posterior_and_trace,
    "zhang-fig-5": _posterior_and_trace,
}
