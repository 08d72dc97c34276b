"""Relations among the metrics of one table: solve, identities, association, chance, surfaces, trade-off."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure._solve import solve
    from howsure._tradeoff import tradeoff
    from howsure.relations.association import Association, Check, associate, chance, check
    from howsure.relations.joint import JointSolution
    from howsure.relations.recall_precision import Band, Tradeoff
    from howsure.relations.solution import Solution
    from howsure.relations.surfaces import ElevenPoint, Surface, break_even, eleven_point, surface
    from howsure.relations.threshold import Mixture, mixed, mixture, normal, uniform

__all__ = [
    "Association", "Band", "Check", "ElevenPoint", "JointSolution", "Mixture", "Solution", "Surface", "Tradeoff",
    "associate", "break_even", "chance", "check", "eleven_point", "mixed", "mixture", "normal", "solve", "surface",
    "tradeoff", "uniform",
]  # fmt: skip

_HOME = {
    "Association": "association", "Band": "recall_precision", "Check": "association", "ElevenPoint": "surfaces",
    "JointSolution": "joint", "Mixture": "threshold", "Solution": "solution", "Surface": "surfaces",
    "Tradeoff": "recall_precision", "associate": "association", "break_even": "surfaces", "chance": "association",
    "check": "association", "eleven_point": "surfaces", "mixed": "threshold", "mixture": "threshold",
    "normal": "threshold", "solve": "_solve", "surface": "surfaces", "tradeoff": "_tradeoff", "uniform": "threshold",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Each name when it is first asked for: who solves does not wait for surfaces."""
    if name not in _HOME:
        raise AttributeError(f"module 'howsure.relations' has no attribute {name!r}")
    home = _HOME[name] if _HOME[name].startswith("_") else f"relations.{_HOME[name]}"  # public verbs lie at the top
    globals()[name] = value = getattr(import_module(f"howsure.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
