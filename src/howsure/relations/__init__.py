"""Relations among the measures of one table: solve it from measures, check identities, association, surfaces."""

from __future__ import annotations

from howsure.relations.association import Association, associate, chance
from howsure.relations.eleven import ElevenPoint, eleven_point
from howsure.relations.identities import Check, check
from howsure.relations.joint import JointSolution
from howsure.relations.result import Solution
from howsure.relations.solving import solve
from howsure.relations.surfaces import Surface, break_even, surface

__all__ = [
    "Association", "Check", "ElevenPoint", "JointSolution", "Solution", "Surface",
    "associate", "break_even", "chance", "check", "eleven_point", "solve", "surface",
]  # fmt: skip
