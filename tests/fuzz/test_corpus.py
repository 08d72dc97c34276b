"""Every kept input of the fuzzed parsers is read, or refused in a sentence: no crash, no hang, exit 70 never."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from howsure.web.answers import Job, Reply
from tests.fuzz import requests
from tests.fuzz.targets import MOST, TARGETS
from tests.tiers import turn

KEPT = Path(__file__).parent / "corpus"
LONGEST = 30  # seconds for an input


def inputs(name: str) -> list[Path]:
    return sorted((KEPT / name).iterdir())


def chosen(name: str) -> list[Path]:
    """The plain ones, and a third of the others, another for each parser."""
    plain, others = ([x for x in inputs(name) if x.name.startswith("plain") is wanted] for wanted in (True, False))
    return [*plain, *turn(others, list(TARGETS).index(name), 3)]


@pytest.mark.whole
@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs(name: str) -> None:
    """A parser's, one after the other, all when deep; the plain ones are read; an alarm ends what hangs."""
    signal.alarm(0)
    for path in chosen(name):
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


ASKED = b"POST /api/file/score?name=x.csv\n\ny,z\n1,1\n"


def _replied(status: int, kind: str, body: bytes) -> Callable[[Job], Reply]:
    return lambda job: Reply(status, kind, body)


def _littering(job: Job) -> Reply:
    Path(job.folder or "", "..", "left").touch()
    return Reply(200, "text/plain", b"")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (_replied(500, "application/json", b'{"error": {"code": "bug", "message": "this is a bug."}}'), "status=500"),
        (_replied(422, "application/json", b'{"error": {"code": "x", "message": "KeyError: 3."}}'), "foreign"),
        (_replied(422, "application/json", b'{"error": {"code": "x", "message": "a\\u001bb cannot be."}}'), "control"),
        (_replied(200, "application/json", b'{"document": {"mean": NaN}}'), "no JSON"),
        (_replied(200, "text/html", b"<p>a<script>b</p>"), "script"),
        (_littering, "left"),
    ],
    ids=["500", "foreign", "control", "nan", "script", "left"],
)
def test_an_answer_that_must_not_be_is_found(wrong, says, monkeypatch) -> None:
    """Codes that blame the server, words of Python, NaN, markup of users and files that stay break the target."""
    monkeypatch.setattr(requests, "answer", wrong)
    with pytest.raises((AssertionError, ValueError), match=says):
        TARGETS["upload"](ASKED)
