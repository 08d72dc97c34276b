"""Relations among the measures of one table: solve, identities, association, chance, surfaces, trade-off."""

from __future__ import annotations

from howsure.relations.association import Association, associate, chance
from howsure.relations.attributes import mixed, normal, uniform
from howsure.relations.band import Band
from howsure.relations.eleven import ElevenPoint, eleven_point
from howsure.relations.hyperbola import Tradeoff
from howsure.relations.identities import Check, check
from howsure.relations.joint import JointSolution
from howsure.relations.solution import Solution
from howsure.relations.solving import solve
from howsure.relations.surfaces import Surface, break_even, surface
from howsure.relations.threshold import Mixture, mixture
from howsure.relations.trading import tradeoff

__all__ = [
    "Association", "Band", "Check", "ElevenPoint", "JointSolution", "Mixture", "Solution", "Surface", "Tradeoff",
    "associate", "break_even", "chance", "check", "eleven_point", "mixed", "mixture", "normal", "solve", "surface",
    "tradeoff", "uniform",
]  # fmt: skip
