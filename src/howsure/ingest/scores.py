"""Truths and scores of arrays, or of the columns of frames, files and databases: what curves are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.errors import BadSetting
from howsure.evidence.scored import Scored
from howsure.labels import Label
from howsure.language import option


def scored(
    data: Any,
    scores: Any = None,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    positive: Label | None = None,
    weight: Any = None,
    cluster: Any = None,
    missing: str = "refuse",
    bins: int | None = None,
    **more: Any,
) -> Scored:
    """Truths and scores: two sequences, a mapping from system to scores, or a frame (or files) with columns named.

    `more` are the other options of columns: count=, where=, table=, query=, engine=, remote=, names= and watch=.

    >>> scored([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    Scored(4 items, 2 positive)
    """
    if isinstance(data, Scored):
        return data
    if more.get("threshold") is not None:
        raise BadSetting(f"a curve looks at every threshold: leave out {option('threshold')}.")
    from howsure.ingest.entrance import evidence

    settings: dict[str, Any] = {"positive": positive, "weight": weight, "cluster": cluster, "bins": bins}
    found = evidence(data, scores, kind="scores", truth=truth, score=score, missing=missing, **settings, **more)
    assert isinstance(found, Scored)  # noqa: S101 - narrows the type
    return found
