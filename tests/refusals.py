"""What a refusal of the command looks like: one sentence, and where it helps a list and commands to type below it."""

from __future__ import annotations


def one_sentence(err: str) -> bool:
    """One line from howsure; what follows is indented, or the line that leads to commands to type."""
    first, *rest = err.splitlines()
    return first.startswith("howsure: ") and all(
        x.startswith("  ") or x in ("Type:", "Type, for example:") for x in rest
    )
