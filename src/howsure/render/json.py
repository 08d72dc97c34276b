"""JSON: the result dict itself, without NaN and Infinity."""

from __future__ import annotations

import json
from typing import Any

from howsure.messages.user_text import json_escaped


def render(document: dict[str, Any]) -> str:
    """Return the result dict as JSON; texts stay as they are."""
    return json_escaped(json.dumps(document, allow_nan=False, ensure_ascii=False, indent=2)) + "\n"


def escaped(character: str) -> str:
    """Return a character that an output lacks as an escape; outside texts JSON is ASCII."""
    return json.dumps(character)[1:-1]
