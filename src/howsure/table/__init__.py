"""Tally: counts of what the items showed."""

from __future__ import annotations

from howsure.table.counts import Tally
from howsure.table.layout import BINARY, SQUARE, THRESHOLD, Axis

__all__ = ["BINARY", "SQUARE", "THRESHOLD", "Axis", "Tally"]
