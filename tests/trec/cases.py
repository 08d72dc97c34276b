"""Random qrels and runs: ties, graded relevance, unjudged documents, missing queries, queries without relevant ones."""

from __future__ import annotations

from hypothesis import strategies as st

DOCUMENTS = [f"d{i}" for i in range(14)] + ["D1", "d-1", "é", "z", "\U0001f600"]
SCORES = st.one_of(st.integers(0, 3).map(float), st.floats(-1e3, 1e3), st.sampled_from([0.1, 0.1 + 1e-12, 16777217.0]))


def table(values, *, least=0):
    """query -> document -> value."""
    documents = st.dictionaries(st.sampled_from(DOCUMENTS), values, min_size=least, max_size=len(DOCUMENTS))
    return st.dictionaries(st.sampled_from(["q1", "q2", "q10", "x"]), documents, min_size=1, max_size=4)


QRELS = table(st.integers(0, 3), least=1)  # pytrec-eval breaks down on negative grades
RUNS = table(SCORES, least=1)
