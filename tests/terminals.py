"""What a terminal receives, for tests that look at it."""

from __future__ import annotations

import os


def received(end: int) -> bytes:
    """All that comes in at this end of a pseudo-terminal, until the other is closed; this one is closed then, too."""
    found = b""
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        found += piece
    os.close(end)
    return found
