"""Reports for tests: results of every kind, and a parser that reads a page as a browser would."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np

import howsure as hs
from howsure.results.result import Result

VOID = {"meta", "br"}
T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)


class Page(HTMLParser):
    """Elements as (tag, attributes, path), texts by tag, and every tag closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts.append((self.open[-1], data.strip()))

    def of(self, *tags: str) -> list[str]:
        """The texts of elements of these tags."""
        return [text for tag, text in self.texts if tag in tags]

    def answers(self) -> dict[str, list[str]]:
        """The first screen: questions with their sentences."""
        found: dict[str, list[str]] = {}
        for tag, text in self.texts:
            if tag == "dt":
                found[text] = []
            elif tag == "dd" and found:
                found[list(found)[-1]].append(text)
        return found

    def attributes(self, name: str) -> list[str | None]:
        return [attrs[name] for _, attrs, _ in self.elements if name in attrs]


def answers(n: int, share: float, seed: int, k: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return y, np.where(rng.random(n) < share, y, (y + 1) % k)


@cache
def result(name: str) -> Result:
    """A result of each kind."""
    return MAKERS[name]()


@cache
def page(name: str) -> Page:
    return Page(html(name))


@cache
def html(name: str) -> str:
    return result(name).to_html()


def _sliced() -> Result:
    y, z = answers(600, 0.85, 1)
    g = np.arange(600) % 6
    z = np.where(g == 2, 1 - y, z)  # a slice that is surely worse
    return hs.score({"y": y, "z": z, "region": [f"r{i}" for i in g]}, truth="y", pred="z", by="region", above=0.5)


def _pair(**more: Any) -> Result:
    y, a = answers(400, 0.9, 2)
    _, b = answers(400, 0.9, 2)
    return hs.compare(y, {"a": a, "b": np.where(np.arange(400) % 5 == 0, 1 - b, b)}, tolerance=0.1, **more)


def _board(many: int) -> Result:
    y, _ = answers(300, 1.0, 3)
    rng = np.random.default_rng(3)
    return hs.leaderboard(
        y, {f"s{i}": np.where(rng.random(300) < 0.7 + 0.2 * (i == 4), y, 1 - y) for i in range(many)}, tolerance=0.1
    )


def _curve() -> hs.Curve:
    y, _ = answers(120, 1.0, 4)
    return hs.curve(y, y + np.random.default_rng(4).normal(size=120), metrics=["auc"], tolerance=0.1)


def _runs() -> Result:
    from howsure._trec import evaluate

    queries = [f"q{i}" for i in range(12)]
    qrels = {q: {"d1": 1, "d2": 0, "d3": 1} for q in queries}
    runs = {
        "good": {q: {"d1": 3.0, "d3": 2.0, "d2": 1.0} for q in queries},
        "bad": {q: {"d2": 3.0, "d1": 2.0, "d3": 1.0} for q in queries},
    }
    return evaluate(hs.trec(qrels, runs, metrics=["AP"]), ())


MAKERS: dict[str, Any] = {
    "one": lambda: hs.score(T, metrics=["f1"], above=0.7),
    "default": lambda: hs.score(T),
    "rate": lambda: hs.score(hs.Tally.rate(hits=47, of=50), above=0.9),
    "infinite": lambda: hs.score(hs.Tally.binary(tp=80, fp=0, fn=30, tn=870), metrics=["lr-plus"]),
    "classes": lambda: hs.score(hs.Tally.matrix([[50, 2, 1], [4, 40, 3], [2, 2, 60]], labels=["a", "b", "c"])),
    "slices": _sliced,
    "systems": lambda: hs.score(answers(400, 0.9, 5)[0], {"x": answers(400, 0.9, 5)[1], "y": answers(400, 0.7, 5)[1]}),
    "compare": _pair,
    "several": lambda: _pair(metrics=["f1", "recall"], equal_within=0.02),
    "wins": lambda: hs.compare_wins(first=17, second=4, same=3278),
    "leaderboard": lambda: _board(5),
    "curve": _curve,
    "band": lambda: _curve().band("recall"),
    "trec": _runs,
    "folds": lambda: hs.compare_folds({"a": [0.8, 0.82, 0.79], "b": [0.7, 0.78, 0.75]}, test_share=0.1),
    "gate": lambda: hs.gate(hs.posterior(T), ["f1 > 0.7 with 0.95", "recall > 0.9"]),
    "plan": lambda: hs.plan(metric="f1", pilot=T, width=0.2),
    "forecast": lambda: hs.forecast(hs.posterior(T), n=50, metric="f1", above=0.7),
    "solve": lambda: hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=200),
    "infeasible": lambda: hs.solve(precision=0.75, recall=0.6, f1=0.9),
    "tradeoff": lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2),
    "items": lambda: hs.score(hs.graded({"a": [0.1 * (i % 7) for i in range(40)]})),
}
