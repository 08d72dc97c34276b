"""JSON: the result dict itself, without NaN and Infinity."""

from __future__ import annotations

import json

from howsure.messages.user_text import json_escaped
from howsure.render.kinds import ResultDict


def render(result: ResultDict) -> str:
    """Return the result dict as JSON; texts stay as they are."""
    return json_escaped(json.dumps(result, allow_nan=False, ensure_ascii=False, indent=2)) + "\n"


def escaped(character: str) -> str:
    """Return a character that an output lacks as an escape; outside texts JSON is ASCII."""
    return json.dumps(character)[1:-1]
