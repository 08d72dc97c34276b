"""Goutte & Gaussier 2005: precision, recall and F-score as probabilities. Sections 2.1 to 2.3 and the appendix."""

from __future__ import annotations

from typing import Final

from howsure.papers import goutte_fscore, goutte_precision
from howsure.papers.item import Item

ITEMS: Final[tuple[Item, ...]] = (*goutte_precision.item.items, *goutte_fscore.item.items)
