"""Relations among the measures of one table: solve it from measures, check identities."""

from __future__ import annotations

from howsure.relations.identities import Check, check
from howsure.relations.joint import JointSolution
from howsure.relations.result import Solution
from howsure.relations.solving import solve

__all__ = ["Check", "JointSolution", "Solution", "check", "solve"]
