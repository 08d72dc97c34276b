"""Many clients at once."""

from __future__ import annotations

from bench.load import load


def test_fifty_clients(address):
    """Each gets the answer to its own question, and none fails; bench/load.py does the same for 20 s."""
    found = load(address, 50, 2.0)
    assert found.failed == 0
    assert len(found.times) >= 50
