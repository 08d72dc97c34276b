"""Relations among the measures of one table: solve it from measures, check identities, association and chance."""

from __future__ import annotations

from howsure.relations.association import Association, associate, chance
from howsure.relations.identities import Check, check
from howsure.relations.joint import JointSolution
from howsure.relations.result import Solution
from howsure.relations.solving import solve

__all__ = ["Association", "Check", "JointSolution", "Solution", "associate", "chance", "check", "solve"]
