"""The order of the pages in the side bar. A page that no pattern names is listed at the end: none is forgotten."""

from __future__ import annotations

from fnmatch import fnmatch

SECTIONS: dict[str, tuple[str, ...]] = {
    "Tutorials": (
        *(f"docs/tutorials/{x}" for x in ("first-score", "arrays", "evals", "search", "diagnostic-test", "*")),
        "docs/studies/README", "docs/studies/*",
    ),
    "How to": (
        *(
            f"docs/how-to/{x}"
            for x in (
                "load-data", "large-data", "harness-logs",
                "compare", "rank", "graded-values", "slices", "partial-pooling", "clusters",
                "pass-at-k", "ratios", "noise", "judge", "multiclass", "thresholds", "curves", "prevalence", "plan",
                "forecast", "gate", "cross-validation", "reconstruct-counts", "scikit-learn", "trec", "charts",
                "report", "report-results", "*",
            )
        ),
    ),
    "Explanation": (
        *(
            f"docs/explanation/{x}"
            for x in (
                "posterior", "priors", "pairing", "small-samples", "peeking", "coverage", "tradeoff", "surfaces",
                "methods", "*",
            )
        ),
    ),
    "Reference": (
        *(f"docs/reference/{x}" for x in ("command", "api", "metrics", "formats", "web-app", "accuracy", "glossary")),
        "docs/reference/*",
        "CHANGELOG", "SECURITY",
    ),
    "Contributing": (
        "CONTRIBUTING", *(f"docs/contributing/{x}" for x in ("README", "architecture", "*")), "docs/why/README",
        "bench/RESULTS", "examples/README",
    ),
}  # fmt: skip
TITLES = {"bench/RESULTS": "Benchmarks", "docs/how-to/scikit-learn": "scikit-learn", "docs/how-to/trec": "TREC"}
ELSEWHERE = ("README", "docs/README", "docs/why/*")  # the root, and what docs/why/README lists


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
    """The pages below one page, as Sphinx wants them at its end. A forge never shows it."""
    if page == "docs/README":
        return "".join(_toctree(found, title) for title, found in sections(pages).items())
    inside = sorted(x for x in pages if x.startswith("docs/why/") and x != page) if page == "docs/why/README" else []
    return _toctree(inside) if inside else ""


def _toctree(pages: list[str], caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return "\n\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(map(_entry, pages)) + "\n```\n"


def _entry(page: str) -> str:
    return f"{TITLES[page]} </{page}>" if page in TITLES else f"/{page}"
