"""Relations among the measures of one table: solve it from measures, check identities."""

from __future__ import annotations

from howsure.relations.result import Solution
from howsure.relations.solving import solve

__all__ = ["Solution", "solve"]
