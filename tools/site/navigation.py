"""The order of the pages in the side bar. A page that no pattern names is listed at the end: none is forgotten."""

from __future__ import annotations

from fnmatch import fnmatch

SECTIONS: dict[str, tuple[str, ...]] = {
    "Start here": ("README", "docs/start/csv", "docs/start/arrays", "docs/start/evals", "docs/start/*"),
    "How to": (
        "docs/posterior", "docs/pairing", "docs/comparison", "docs/priors", "docs/small-samples", "docs/slices",
        "docs/shrinking", "docs/clusters", "docs/samples", "docs/thresholds", "docs/curves", "docs/calibration",
        "docs/classes", "docs/prevalence", "docs/planning", "docs/growth", "docs/prediction", "docs/looking-again",
        "docs/gates", "docs/judges", "docs/folds", "docs/trec", "docs/robustness", "docs/data", "docs/engines",
        "docs/formats", "docs/charts", "docs/report", "docs/serve", "docs/sklearn",
    ),
    "Recipes": ("docs/recipes/README", "docs/recipes/*"),
    "Studies": ("docs/studies/README", "docs/studies/*", "examples/README"),
    "Reference": ("docs/metrics", "docs/command", "docs/api", "docs/glossary", "CHANGELOG"),
    "Between measures": ("docs/relations", "docs/tradeoff", "docs/surfaces", "docs/papers"),
    "How sure we are": ("docs/accuracy", "docs/coverage", "docs/coverage-*", "bench/RESULTS"),
    "Inside": ("docs/architecture", "docs/why/README", "CONTRIBUTING", "SECURITY"),
}  # fmt: skip
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
    return f"What it does </{page}>" if page == "README" else f"/{page}"
