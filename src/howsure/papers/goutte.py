"""Goutte & Gaussier 2005: precision, recall and F-score as probabilities. All sections and the appendix."""

from __future__ import annotations

from typing import Final

from howsure.papers import goutte_appendix, goutte_fscore, goutte_paired, goutte_precision, goutte_results
from howsure.papers.item import Item

_PARTS = (goutte_precision, goutte_fscore, goutte_paired, goutte_results, goutte_appendix)

ITEMS: Final[tuple[Item, ...]] = tuple(x for part in _PARTS for x in part.item.items)
