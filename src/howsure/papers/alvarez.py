"""Alvarez 2002: recall, precision and accuracy; in the order of the paper."""

from __future__ import annotations

from typing import Final

from howsure.papers import alvarez_relation, alvarez_tradeoff
from howsure.papers.item import Item

_PARTS = (alvarez_relation, alvarez_tradeoff)

ITEMS: Final[tuple[Item, ...]] = tuple(x for part in _PARTS for x in part.item.items)
