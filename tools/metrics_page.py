"""docs/reference/metrics.md: every metric of the catalogue, from its declaration, with its posterior on an example."""

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

_ABOUT = (
    "Names are the same in Python, on the command line and in JSON; case and `_` do not matter. `f1:spam` is F1 of one "
    "class against the rest. `f0.5`, `f1`, `f2` and, for any other β, `fbeta(3)` (in Python also `hs.fbeta(3)`) are "
    "F_β; `utility(2,-1,0,0)` and `cost(0,1,5,0)` take your weights for tp, fp, fn, tn. Metrics of scores (auc, AP, "
    "BEP, AP11 and those with `@` or `max-`) are for `hs.curve`. There, any metric of a 2x2 table can be taken at a "
    "threshold (`phi@0.5`), at a point of the curve (`precision@recall=0.9`, `f1@fallout=0.1`) or at its best "
    "threshold (`max-phi`, `min-error-rate`). Metrics of search runs (nDCG@10, RR, …) are on the page about "
    "[TREC](../how-to/trec.md). `make docs` writes this page from the declarations in `src/howsure/catalogue`."
)
ADVICE: dict[str, str] = json.loads((Path(__file__).parent / "metric_advice.json").read_text(encoding="utf-8"))
_EXAMPLE = {
    "table": "p = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))",
    "rate": "p = hs.posterior(hs.Tally.rate(hits=47, of=50))",
    "classes": "table = [[50, 5, 2], [6, 30, 4], [1, 3, 19]]  # true labels by rows\n"
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


def catalogue() -> list[Any]:
    """Every metric of the page."""
    return [*metrics(), *rankings(), *repeated()]


def kind(metric: Any) -> str:
    """Which example a metric is computed on."""
    return str(metric.subject)


def anchor(name: str) -> str:
    """What the heading of that metric is called in an address, on a forge and on the site."""
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


@cache
def _posterior(of: str) -> Any:
    import howsure as hs

    names: dict[str, Any] = {"hs": hs}
    exec(_EXAMPLE[of], names)
    return names["p"]


def _answers(metric: Any) -> tuple[Any, float | None]:
    """The posterior on the example, and the chance level if there is one."""
    p = _posterior(kind(metric))
    if isinstance(metric, Ranking):
        return p[str(metric)], None
    question = p.resolve(str(metric))
    chance = question.chance()
    return question.distribution, None if chance is None else float(chance.score)


def page() -> str:
    """Return the page: how names work, a table of all metrics, and a section for each."""
    parts = ["# Metrics", _ABOUT]
    for title, found in by_kind().items():
        of = kind(found[0])
        code = f'import howsure as hs\n\n{_EXAMPLE[of]}\nprint(p["{found[0]}"])  # {_answers(found[0])[0]}'
        example = f"The examples of this section use {_DATA[of]}:\n\n```python\n{code}\n```"
        parts += [f"## {title}", table(found), example]
        parts += [section(metric) for metric in found]
    return "\n\n".join(parts) + "\n"


def section(metric: Any) -> str:
    """Return the formula, facts, advice and an example of one metric, and how it relates to others."""
    (row,) = listing.document([metric], True)["rows"]
    name = row["metric"]
    distribution, chance = _answers(metric)
    facts = [
        ("Range", listing.span(row["range"])),
        ("better", row["better"] or "neither direction"),
        ("undefined", row["undefined"] if row["undefined"] == "never" else f"if {row['undefined']}"),
        ("positive class", listing.positive(row)),
        ("route", listing.posterior(row)),
        ("chance level", "" if chance is None else f"{chance:.3g} in the example"),
        ("source", row["source"]),
    ]
    parts = [
        f"### {name}",
        _sentence(row["meaning"]),
        f"$$\n{row['latex']}\n$$",
        "; ".join(f"{a}: {_cell(b)}" for a, b in facts if b) + ".",
        *([ADVICE[name]] if name in ADVICE else []),
        f"Example: `{distribution}`.",
        *(["Related: " + "; ".join(found) + "."] if (found := _relations(metric)) else []),
    ]
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


@cache
def _tables() -> dict[str, np.ndarray]:
    """Random 2x2 tables: two metrics that agree on all of them agree."""
    cells = np.random.default_rng(5).uniform(1, 100, (4, 400))
    return dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))


_EXCHANGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "with the classes swapped": lambda t: {"tp": t["tn"], "fp": t["fn"], "fn": t["fp"], "tn": t["tp"]},
    "with true and predicted labels exchanged": lambda t: {**t, "fp": t["fn"], "fn": t["fp"]},
}


def _relations(metric: Any) -> list[str]:
    """How a metric relates to others of a 2x2 table; found on random tables, so true of the formulas."""
    if isinstance(metric, Ranking):
        return [] if metric.base is None else [f"{_link(metric.base)} of the items with scores at or above a threshold"]
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
    return f"[{metric}](#{anchor(str(metric))})"


def by_kind() -> dict[str, list[Any]]:
    """All metrics, by the data they are for."""
    made: dict[str, list[Any]] = {f"Of {listing.SUBJECTS[of]}": [] for of in _DATA}
    for metric in catalogue():
        made[f"Of {listing.SUBJECTS[kind(metric)]}"].append(metric)
    return made


def table(found: list[Any]) -> str:
    """One line for each metric, its name a link to its section."""
    head = ("metric", "meaning", "formula", "better", "route", "also called")
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
        shown = [f"[{name}](#{anchor(row['metric'])})", *map(listing.markdown.escape, cells)]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)
