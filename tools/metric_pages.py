"""One page for each measure of the catalogue, read off its declaration, with its posterior of an example."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure.catalogue import metrics
from howsure.catalogue.repeated import repeated
from howsure.catalogue.retrieval import Ranking, rankings
from howsure.render import listing

ADVICE: dict[str, str] = json.loads((Path(__file__).parent / "metric_advice.json").read_text(encoding="utf-8"))
_SETUP = {
    "table": "p = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))",
    "rate": "p = hs.posterior(hs.Tally.rate(hits=47, of=50))",
    "classes": "table = [[50, 5, 2], [6, 30, 4], [1, 3, 19]]  # truth by rows\n"
    'p = hs.posterior(hs.Tally.matrix(table, labels=["cat", "dog", "owl"]))',
    "sets": 'truth = [["a"], ["a", "b"], ["b"], ["c"], ["a", "c"], ["b", "c"]] * 10\n'
    'answer = [["a"], ["a"], ["b", "c"], ["c"], ["a", "c"], ["b", "c"]] * 10\n'
    "p = hs.posterior(hs.Tally.multilabel(truth, answer))",
    "scores": "y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 0] * 6\n"
    "scores = [x / 100 - i / 1000 for i in range(6) for x in (95, 90, 80, 70, 60, 50, 40, 30, 20, 10)]\n"
    "p = hs.curve(y, scores)",
    "samples": "counts = hs.Tally.rate(hits=[0, 3, 10, 7, 9, 10, 1, 10, 6, 8] * 4, of=10)  # of 40 questions\n"
    'p = hs.posterior(hs.Clustered.of({"model": counts}))',
}
_DATA = {
    "table": "the table tp 80, fp 20, fn 30, tn 870",
    "rate": "47 passes of 50",
    "classes": "120 items of three classes",
    "sets": "60 items with up to two labels each",
    "scores": "60 items with scores, 24 of them positive",
    "samples": "40 questions with ten samples each",
}


def measures() -> list[Any]:
    """Every measure that has a page."""
    return [*metrics(), *rankings(), *repeated()]


def kind(metric: Any) -> str:
    """Which of the examples it is a measure of."""
    return str(metric.subject)


def slug(name: str) -> str:
    """The name of its files."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower().replace("^", "-all-")).strip("-").replace(".", "_")


@cache
def _posterior(of: str) -> Any:
    import howsure as hs

    names: dict[str, Any] = {"hs": hs}
    exec(_SETUP[of], names)
    return names["p"]


def figure(metric: Any) -> str:
    """The posterior of the example, as SVG."""
    law, _ = _answers(metric)
    return f"{law.plot().to_svg()}\n"


def _answers(metric: Any) -> tuple[Any, float | None]:
    """The law of the example, and what chance gives where that is known."""
    p = _posterior(kind(metric))
    if isinstance(metric, Ranking):
        return p[str(metric)], None
    question = p.resolve(str(metric))
    chance = question.chance()
    return question.distribution, None if chance is None else float(chance.score)


def page(metric: Any) -> str:
    """Formula, facts, advice, an example, and what it has to do with others."""
    (row,) = listing.document([metric], True)["rows"]
    name, of = row["metric"], kind(metric)
    law, chance = _answers(metric)
    facts = [
        ("range", listing.span(row["range"])),
        ("better", row["better"] or "neither direction"),
        ("divides by 0", "never" if row["undefined"] == "never" else f"if {row['undefined']}"),
        ("positive class", listing.positive(row)),
        ("posterior", listing.posterior(row)),
        ("chance level", "" if chance is None else f"{chance:.3g} for {_DATA[of]}"),
        ("also called", ", ".join(f"`{x}`" for x in row["aliases"])),
        ("source", row["source"]),
    ]
    example = f'import howsure as hs\n\n{_SETUP[of]}\nprint(p["{name}"])  # {law}'
    parts = [
        f"# {name}",
        _sentence(row["meaning"]),
        f"$$\n{row['latex']}\n$$",
        "| | |\n|---|---|\n" + "\n".join(f"| {a} | {_cell(b)} |" for a, b in facts if b),
        *([ADVICE[name]] if name in ADVICE else []),
        f"![The posterior of {name} for {_DATA[of]}]({slug(name)}.svg)",
        f"The posterior for {_DATA[of]}; the filled part is the 95% interval:",
        f"```python\n{example}\n```",
        *_section("## Beside other measures", _relations(metric)),
        f"In LaTeX:\n\n```latex\n{row['latex']}\n```",
        "[All measures](../metrics.md). Generated from the declaration by `make docs`.",
    ]
    return "\n\n".join(parts) + "\n"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _section(title: str, lines: list[str]) -> list[str]:
    return [title, "\n".join(f"- {line}" for line in lines)] if lines else []


@cache
def _tables() -> dict[str, np.ndarray]:
    """Random 2x2 tables: two measures that agree on all of them agree."""
    cells = np.random.default_rng(5).uniform(1, 100, (4, 400))
    return dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))


_EXCHANGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "with the classes swapped": lambda t: {"tp": t["tn"], "fp": t["fn"], "fn": t["fp"], "tn": t["tp"]},
    "with truth and answer exchanged": lambda t: {**t, "fp": t["fn"], "fn": t["fp"]},
}


def _relations(metric: Any) -> list[str]:
    """What it is to other measures of a 2x2 table: found at random tables, so true of the formulas."""
    if isinstance(metric, Ranking):
        return [] if metric.base is None else [f"{_link(metric.base)} of the items, cut by their scores"]
    if kind(metric) in ("classes", "sets") and metric.base is not None:
        return [f"made of {_link(metric.base)}"]
    if kind(metric) != "table":
        return []
    t = _tables()
    mine = metric.score(t)
    return [words for m in metrics() if kind(m) == "table" and str(m) != str(metric) for words in _pair(mine, m, t)]


def _pair(mine: Any, other: Any, t: dict[str, Any]) -> list[str]:
    values, link = other.score(t), _link(other)
    if np.allclose(mine, 1 - values):
        return [f"one minus {link}"]
    for words, exchange in _EXCHANGES.items():
        if np.allclose(mine, other.score(exchange(t))):
            return [f"{link} {words}"]
    if np.array_equal(np.argsort(mine), np.argsort(values)):
        return [f"puts all tables in the same order as {link}"]
    if np.array_equal(np.argsort(mine), np.argsort(-values)):
        return [f"puts all tables in the opposite order to {link}"]
    return []


def _link(metric: Any) -> str:
    return f"[{metric}]({slug(str(metric))}.md)"


def by_kind() -> dict[str, list[Any]]:
    """All measures, by what they are measures of."""
    made: dict[str, list[Any]] = {f"Of {listing.SUBJECTS[of]}": [] for of in _DATA}
    for metric in measures():
        made[f"Of {listing.SUBJECTS[kind(metric)]}"].append(metric)
    return made


def table(found: list[Any]) -> str:
    """One line for each, its name a link to its page."""
    head = ("measure", "meaning", "formula", "better", "posterior", "also called")
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in listing.document(found, True)["rows"]:
        name = listing.markdown.escape(row["metric"])
        cells = (
            row["meaning"],
            row["formula"],
            row["better"] or "-",
            listing.posterior(row),
            ", ".join(row["aliases"]),
        )
        shown = [f"[{name}](measures/{slug(row['metric'])}.md)", *map(listing.markdown.escape, cells)]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)
