"""The page for users about coverage quotes figures that a generated page has."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_quoted_coverages_are_on_the_pages_behind() -> None:
    """Every decimal and every count "n of m" of the page is on one of the pages of tables."""
    page = (DOCS / "explanation" / "coverage.md").read_text(encoding="utf-8")
    names = ("calibration", "calibration-cases", "coverage", "coverage-clusters")
    behind = " ".join("\n".join((DOCS / "contributing" / f"{x}.md").read_text(encoding="utf-8") for x in names).split())
    quoted = {*re.findall(r"(?<![\d.])0?\.\d\d+", page), *re.findall(r"\d+ of \d+", page)}
    assert len(quoted) > 20
    assert {x for x in quoted if not re.search(rf"(?<!\d){re.escape(x)}(?!\d)", behind)} == set()
