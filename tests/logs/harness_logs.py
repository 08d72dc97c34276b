"""The logs that harnesses wrote, and what the harnesses say of them."""

from __future__ import annotations

import json
from pathlib import Path

LOGS = Path(__file__).parents[2] / "examples" / "logs"
BASE, TUNED = LOGS / "lm_eval" / "demo__base", LOGS / "lm_eval" / "demo__tuned"
QUIZ, BETTER = LOGS / "inspect" / "base", LOGS / "inspect" / "tuned"


def results(folder: Path) -> dict[str, dict[str, float]]:
    """What lm_eval wrote of each task."""
    found: dict[str, dict[str, float]] = json.loads(next(folder.glob("results_*.json")).read_text())["results"]
    return found
