"""Classical tests of two systems on the same items: p-values, each with what it is a test of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.model.question import Question


class Tests(dict[str, float | None]):
    """p-values by the name of the test; `of` says what each is a test of.

    >>> Tests({"mcnemar-exact": 0.5, "permutation": 0.04}, {"mcnemar-exact": "accuracy", "permutation": "f1"})
    Tests(mcnemar-exact of accuracy: 0.5, permutation of f1: 0.04)
    """

    def __init__(self, p_values: Mapping[str, float | None], of: Mapping[str, str]) -> None:
        super().__init__(p_values)
        self.of = dict(of)

    def __repr__(self) -> str:
        return f"Tests({', '.join(f'{name} of {self.of[name]}: {p}' for name, p in self.items())})"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data: for each test what it tests, and p."""
        return {name: {"tests": self.of[name], "p": p} for name, p in self.items()}


def classical(joint: Question) -> Tests:
    """The tests that a question about two systems has.

    McNemar's look at right and wrong answers, whatever the measure; permutations swap the answers and follow it. The
    sign test counts the items on which either has the better value, and Wilcoxon's ranks their differences.
    """
    own = str(joint.asked)
    right = _right(joint)
    of = {
        "mcnemar-exact": right, "mcnemar-mid-p": right, "permutation": own, "delong": own,
        "sign": "which has the better value more often", "wilcoxon": "whether differences lie evenly around 0",
    }  # fmt: skip
    found = joint.classical_tests()
    return Tests(found, {name: of[name] for name in found})


def _right(joint: Question) -> str:
    """What counts as a right answer to McNemar's tests, as the measure that is its share."""
    metric: Any = joint.metric
    known = joint.state.evidence.describe()
    labels = known.get("labels") or ()
    label = metric.label if metric.label is not None else known.get("positive") if len(labels) > 2 else None
    if label is not None and not getattr(metric, "agreement", False) and not getattr(metric, "average", ""):
        return "accuracy" if len(labels) == 2 else f"accuracy of {label} against the rest"
    return str(joint.asked) if known.get("outcome") or getattr(metric, "any_of", False) else "accuracy"
