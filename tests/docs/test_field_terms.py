"""The field's own words lead to the page about the thing."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {  # a page, and what people would search for to find it
    "how-to/forecast": ["posterior predictive"],
    "how-to/partial-pooling": ["partial pooling", "multiple comparisons", "shrinkage"],
    "explanation/peeking": ["optional stopping", "sequential"],
    "how-to/compare": ["ROPE", "practical equivalence", "McNemar"],
    "how-to/gate": ["non-inferiority"],
    "how-to/rank": ["leaderboard", "ranking"],
    "how-to/graded-values": ["Likert", "Bayesian bootstrap"],
    "explanation/priors": ["pseudo-count", "empirical Bayes"],
    "explanation/methods": ["control variate"],
    "explanation/posterior": ["credible interval"],
    "explanation/coverage": ["Wilson", "bootstrap"],
    "how-to/plan": ["sample size", "power"],
    "how-to/curves": ["AUC", "ROC", "average precision"],
    "how-to/pass-at-k": ["pass@k"],
    "how-to/judge": ["LLM judge", "Rogan"],
    "how-to/cross-validation": ["cross-validation"],
    "how-to/multiclass": ["macro average", "multilabel"],
    "how-to/diagnostic-table": ["STARD"],
    "how-to/clusters": ["design effect", "intraclass correlation", "repeated measures"],
    "how-to/prevalence": ["base rate", "label shift"],
    "how-to/trec": ["nDCG"],
    "reference/accuracy": ["Monte Carlo error"],
}


@pytest.mark.whole
@pytest.mark.parametrize("page", PAGES)
def test_field_terms_stand_on_their_page(page: str) -> None:
    """Each term is on the page that explains it, so that a search finds it."""
    text = " ".join((DOCS / f"{page}.md").read_text(encoding="utf-8").split()).lower()
    absent = [term for term in PAGES[page] if term.lower() not in text]
    assert absent == []
