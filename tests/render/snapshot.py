"""Texts kept beside the tests. To write them anew after a wanted change:

HOWSURE_RENEW=1 .venv/bin/python -m pytest tests/bad_input/test_messages.py tests/render
"""

from __future__ import annotations

import os
from pathlib import Path

RENEW = "HOWSURE_RENEW"


def held(path: Path, text: str) -> str:
    """The text that is kept in the file; with HOWSURE_RENEW set, the file takes the new text first."""
    if os.environ.get(RENEW):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")
