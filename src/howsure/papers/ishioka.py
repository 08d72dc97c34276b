"""Ishioka, Evaluation of Criteria for Information Retrieval: F, break-even point and 11-point average by phi and ρ."""

from __future__ import annotations

from typing import Final

from howsure.papers import ishioka_association, ishioka_eleven, ishioka_measures
from howsure.papers.item import Item

_PARTS = (ishioka_measures, ishioka_association, ishioka_eleven)

ITEMS: Final[tuple[Item, ...]] = tuple(x for part in _PARTS for x in part.item.items)
