"""Zhang, Wang & Zhao 2015: posteriors of micro- and macro-averaged F1; in the order of the paper."""

from __future__ import annotations

from typing import Final

from howsure.papers import zhang_beyond, zhang_model
from howsure.papers.item import Item

_PARTS = (zhang_model, zhang_beyond)

ITEMS: Final[tuple[Item, ...]] = tuple(x for part in _PARTS for x in part.item.items)
