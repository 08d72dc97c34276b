"""Tables of plans: the answer, and beneath it what other numbers of items give."""

from __future__ import annotations

from typing import Any, Final

from howsure.render.numbers import short
from howsure.render.tables import TextTable, page, texts
from howsure.render.view import USUAL_PRIORS

_TITLES: Final = {
    "width_average": "width on average",
    "width_assured": "width at {assurance:g}",
    "p_average": "mean P",
    "power": "P(reached)",
}


def plan(document: dict[str, Any]) -> TextTable:
    """Widths, or the probability of reaching the goal, around n."""
    rows = document["rows"]
    keys = [k for k in _TITLES if any(r[k] is not None for r in rows)]
    titles = [_TITLES[k].format(assurance=document["assurance"]) for k in keys]
    chosen = {document["n"], document["n_average"]}
    some = [r for i, r in enumerate(rows) if r["n"] in chosen or i % 3 == 0]
    body = [(f"{r['n']:,}", *(short(r[k]) for k in keys)) for r in some]
    error = document["error"]["power"]
    within = (
        [f"P(reached) is a share of future data sets that were drawn: it may be off by {short(error)}"]
        if error > 1e-6
        else []
    )
    name = document["prior"]["name"]
    prior = "" if name in USUAL_PRIORS else f"; prior {name}"
    return page(f"{document['verdict']}{prior}", (document["unit"], *titles), 0, body, [*texts(document), *within])
