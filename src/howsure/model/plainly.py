"""What most kinds of evidence have in common: nothing to prepare, nothing beyond the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.model.question import Question
from howsure.model.state import State
from howsure.notes import Notes


def prepare(questions: Sequence[Question]) -> None:
    """Nothing is shared."""
    del questions


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """Nothing beyond the rows."""
    del state, level
    return {}, ()
