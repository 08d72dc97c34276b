"""Rows of a report under other priors: all of them, or the headline, for its table and its chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from howsure.errors import HowsureError
from howsure.model.posterior import Posterior, posterior
from howsure.priors import NAMES
from howsure.render import findings
from howsure.rows import Row, row_documents

Document = dict[str, Any]
FEW_CLASSES: Final = 20  # from more on, priors on every cell outweigh the data, and take long


def chief(p: Posterior, rows: Sequence[Row], documents: Sequence[Document]) -> tuple[Row, Document] | None:
    """The row of the headline, and what it says; None of a batch, of many classes, and of slices that share."""
    if p.prior.shared or len(p.evidence.describe().get("labels") or ()) > FEW_CLASSES:
        return None
    said = next(iter(findings.headlines({"rows": list(documents)})), None)
    for row in rows:
        if said is None or row.system != said["system"] or len(row.distribution.shape) > (row.classes is not None):
            continue
        if said["asked"] in ([row.asked] if row.classes is None else [x["asked"] for x in row_documents([row])]):
            return row, said
    return None


def put_under(p: Posterior, rows: Sequence[Row], prior: Any) -> tuple[Posterior, tuple[Row, ...]]:
    """The posterior of the same evidence under another prior, and the same rows put to it."""
    other = posterior(p.evidence, prior, tolerance=p.tolerance, seed=p.seed)
    own = {name: other if name is None else other.system(name) for name in dict.fromkeys(row.system for row in rows)}
    return other, tuple(replace(row, question=row.put_to(own[row.system])) for row in rows)


def headline_under_priors(p: Posterior, row: Row, said: Document) -> list[Document]:
    """What was said, and the same under each of the usual priors; each has its `prior`."""
    own = p.prior.name
    names = NAMES if own in NAMES else (own, *NAMES)
    found = (said if name == own else _under(p, row, said, name) for name in names)
    return [made | {"prior": name} for name, made in zip(names, found, strict=True) if made is not None]


def _under(p: Posterior, row: Row, said: Document, name: str) -> Document | None:
    """A row under another prior; None where this kind of evidence has no such prior."""
    try:
        made = row_documents(put_under(p, [row], name)[1])
    except HowsureError:
        return None
    return next((x for x in made if x["asked"] == said["asked"]), None)
