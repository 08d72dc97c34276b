"""Layouts of files that howsure knows by the names of their columns, though these names give no roles.

A refusal says what such a file holds and what to type, also if howsure cannot use the file as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from howsure.ingest.guessing import plain_name
from howsure.language import again, instead, spelled, spoken


@dataclass(frozen=True)
class Layout:
    """What a file holds, in which columns, and what to do with it; `roles` are the options that these columns have."""

    columns: tuple[str, ...]
    what: str
    advice: str
    python: str = ""
    shell: str = ""
    roles: tuple[str, ...] = ()

    @property
    def uses(self) -> dict[str, list[str]]:
        """The options that each column may be meant for."""
        return {x: list(self.roles[i : i + 1]) for i, x in enumerate(self.columns)}

    def command(self) -> str:
        """Return what to type."""
        if self.roles:
            return instead("score", dict(zip(self.roles, self.columns, strict=True)))
        return spelled(self.python, self.shell) or again({"value": ["COLUMN"]})


_KNOWN: Final = (
    Layout(
        ("model_a", "model_b", "winner"),
        "pairwise preferences",
        "howsure does not rank systems by preferences yet; for one pair of systems, count wins, losses and ties",
        "hs.compare_wins(WINS, LOSSES, TIES)",
        "howsure compare --wins WINS,LOSSES,TIES",
    ),
    Layout(
        ("tp", "fp", "fn"),
        "a table of counts in each row",
        "howsure does not read such rows yet; add up each column, which takes all items as independent",
        "hs.Tally.binary(tp=TP, fp=FP, fn=FN, tn=0)",
        "howsure score --counts tp=TP,fp=FP,fn=FN,tn=0",
    ),
    Layout(
        ("errors", "words"),
        "word errors",
        "howsure has no word error rate yet; for the mean rate of rows, add a column of errors / words as <value>",
    ),
    Layout(
        ("judge", "human"),
        "labels by a judge and by humans",
        "human labels of some items correct the labels of the judge",
        roles=("judge", "human"),
    ),
)


def recognised(names: Iterable[str]) -> Layout | None:
    """Return the layout whose columns are all among some names; case, hyphens and underscores do not matter.

    >>> recognised(["id", "Model A", "model_b", "winner"]).what
    'pairwise preferences'
    >>> recognised(["label", "pred"]) is None
    True
    """
    known = {plain_name(x): x for x in names}
    for layout in _KNOWN:
        columns = tuple(known[x] for x in map(plain_name, layout.columns) if x in known)
        if len(columns) == len(layout.columns):
            return replace(layout, columns=columns, advice=spoken(layout.advice))
    return None
