"""The reference of all public names: a list that reads anywhere, and what autodoc adds to it on the site."""

from __future__ import annotations

import inspect
import re

import howsure

GROUPS: dict[str, tuple[str, ...]] = {
    "Verbs": (
        "score", "compare", "compare_wins", "leaderboard", "curve", "trec", "gate", "plan", "forecast", "shift",
        "correct_judge", "compare_folds", "solve", "tradeoff", "surface",
    ),
    "Data": ("tally", "graded", "Tally", "Outcomes", "Multilabel", "Graded", "Scored", "Stratified", "Clustered"),
    "Posteriors": ("posterior", "Posterior", "two_level", "Distribution", "Interval"),
    "Metrics": ("metrics", "Metric", "Ratio", "cells", "fbeta", "utility", "sqrt", "log"),
    "Results": ("Report", "Comparison", "Wins", "Leaderboard", "Curve", "Gate", "Plan", "Forecast", "Folds"),
}  # fmt: skip


def public() -> list[str]:
    """Every public name of the package but modules, which have pages of their own."""
    return [name for name in howsure.__all__ if not inspect.ismodule(getattr(howsure, name))]


def groups() -> dict[str, list[str]]:
    """All of them, those that no group names at the end."""
    named = {name for names in GROUPS.values() for name in names}
    made = {title: [name for name in names if name in public()] for title, names in GROUPS.items()}
    return {**made, "Others": [name for name in public() if name not in named]}


def page() -> str:
    """docs/reference/api.md: a line for each name."""
    about = (
        "All public names, `import howsure as hs`. On the site of the docs (`make docs`) each is followed by its "
        "signature, its docstring and its members; in Python `help(hs.score)` shows the same. `howsure.sklearn` is "
        "described in [scikit-learn](../how-to/scikit-learn.md), `howsure.testing` in [gates](../how-to/gate.md), "
        "`howsure.relations` in [reconstructing counts](../how-to/reconstruct-counts.md). `make docs` writes this page "
        "from the docstrings."
    )
    parts = ["# The API", about]
    for title, names in groups().items():
        parts += [f"## {title}", "\n".join(f"- `hs.{name}`: {_first(name)}" for name in names)]
    return "\n\n".join(parts) + "\n"


def _first(name: str) -> str:
    """The first paragraph of a docstring."""
    text = inspect.getdoc(getattr(howsure, name)) or ""
    return " ".join(text.partition("\n\n")[0].split())


def in_full(listed: str) -> str:
    """The page as the site has it: each name leads to its signature and docstring further down."""
    linked = re.sub(r"^- `hs\.(\w+)`", r"- {py:obj}`hs.\1 <howsure.\1>`", listed, flags=re.MULTILINE)
    directives = "\n".join(_directive(name) for names in groups().values() for name in names)
    return f"{linked}\n\n## In full\n\n```{{eval-rst}}\n{directives}\n```\n"


def _directive(name: str) -> str:
    """What autodoc is asked for: Sphinx writes docstrings in the markup of its own, not in Markdown."""
    thing = getattr(howsure, name)
    if inspect.isclass(thing):
        more = "" if issubclass(thing, Exception) else "   :members:\n"
        return f".. autoclass:: howsure.{name}\n{more}"
    if callable(thing):
        return f".. autofunction:: howsure.{name}\n"
    return f".. autodata:: howsure.{name}\n   :no-value:\n"
