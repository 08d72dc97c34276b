"""The order of the pages in the side bar. A page that no pattern names is listed at the end: none is forgotten."""

from __future__ import annotations

from fnmatch import fnmatch

SECTIONS: dict[str, tuple[str, ...]] = {
    "Start here": ("README", *(f"docs/start/{x}" for x in ("csv", "arrays", "evals", "search", "medical", "*"))),
    "Understand": (
        "docs/posterior", "docs/pairing", "docs/priors", "docs/small-samples", "docs/looking-again", "docs/methods",
        "docs/reporting", "docs/glossary",
    ),
    "How to": (
        "docs/comparison", "docs/slices", "docs/shrinking", "docs/clusters", "docs/samples", "docs/judges",
        "docs/classes", "docs/thresholds", "docs/curves", "docs/prevalence", "docs/planning", "docs/forecast",
        "docs/gates", "docs/folds",
    ),
    "Data in, results out": (
        "docs/data", "docs/engines", "docs/formats", "docs/charts", "docs/report", "docs/serve",
    ),
    "Recipes": (
        "docs/recipes/README", "docs/recipes/lm-eval", "docs/recipes/inspect", "docs/recipes/promptfoo", "docs/sklearn",
        "docs/recipes/evaluate", "docs/trec", "docs/recipes/*",
    ),
    "Studies": (
        "docs/studies/README", *(f"docs/studies/{x}" for x in ("medical-test", "spam", "two-models", "search", "*")),
        "examples/README",
    ),
    "Reference": ("docs/command", "docs/metrics", "docs/api", "CHANGELOG"),
    "Between measures": ("docs/relations", "docs/tradeoff", "docs/surfaces"),
    "How sure we are": (
        "docs/accuracy", "docs/coverage", "docs/coverage-*", "docs/calibration", "docs/calibration-*", "docs/papers",
        "docs/robustness", "bench/RESULTS", "docs/growth",
    ),
    "Inside": ("docs/architecture", "docs/why/README", "CONTRIBUTING", "SECURITY"),
}  # fmt: skip
TITLES = {"README": "What it does", "bench/RESULTS": "Benchmarks", "docs/sklearn": "scikit-learn", "docs/trec": "TREC"}
ELSEWHERE = ("docs/README", "docs/why/*", "docs/measures/*")  # the root, and what docs/why/README and docs/metrics list


def sections(pages: list[str]) -> dict[str, list[str]]:
    """The pages of each section, in its order."""
    left = sorted(page for page in pages if page != "docs/README")
    made: dict[str, list[str]] = {}
    for title, patterns in SECTIONS.items():
        made[title] = []
        for pattern in patterns:
            found = [page for page in left if fnmatch(page, pattern)]
            made[title] += found
            left = [page for page in left if page not in found]
    rest = [page for page in left if not any(fnmatch(page, pattern) for pattern in ELSEWHERE)]
    return {title: found for title, found in {**made, "More": rest}.items() if found}


def listed(page: str, pages: list[str]) -> str:
    """What Sphinx is told at the end of a page: the pages below it. A forge never sees it."""
    if page == "docs/README":
        return "".join(_toctree(found, title) for title, found in sections(pages).items())
    folder = {"docs/metrics": "docs/measures/", "docs/why/README": "docs/why/"}.get(page)
    inside = sorted(x for x in pages if folder and x.startswith(folder) and x != page)
    return _toctree(inside) if inside else ""


def _toctree(pages: list[str], caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return "\n\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(map(_entry, pages)) + "\n```\n"


def _entry(page: str) -> str:
    return f"{TITLES[page]} </{page}>" if page in TITLES else f"/{page}"
