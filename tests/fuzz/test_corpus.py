"""Every kept input of the fuzzed parsers is read, or refused in a sentence: no crash, no hang, exit 70 never."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.fuzz.targets import MOST, TARGETS

KEPT = Path(__file__).parent / "corpus"
LONGEST = 30  # seconds for an input


def inputs(name: str) -> list[Path]:
    return sorted((KEPT / name).iterdir())


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs(name: str) -> None:
    """All of a parser's, one after the other; the plain ones are read; an alarm ends what hangs."""
    signal.alarm(0)
    for path in inputs(name):
        signal.alarm(LONGEST)
        try:
            read = TARGETS[name](path.read_bytes())
            assert read or not path.name.startswith("plain")
        except BaseException as error:
            error.add_note(f"input: {path.relative_to(KEPT)}: {path.read_bytes()!r}")
            raise
        finally:
            signal.alarm(0)


def test_every_parser_has_inputs_and_every_folder_a_parser() -> None:
    """Small ones, so that all are tried each time."""
    assert {x.name for x in KEPT.iterdir()} == set(TARGETS)
    for name in TARGETS:
        kept = inputs(name)
        assert len(kept) >= 5, name
        assert all(x.stat().st_size <= MOST for x in kept)
