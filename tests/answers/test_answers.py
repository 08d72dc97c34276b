"""Every answer of the corpus is the one that is kept: its numbers, its structure and its words (README.md)."""

from __future__ import annotations

import pytest

from tests.answers import kept
from tests.answers.calls import EVERY
from tests.answers.record import in_folder
from tests.answers.running import KINDS, answer


@pytest.fixture(scope="module", autouse=True)
def _inputs(tmp_path_factory):
    with in_folder(tmp_path_factory.mktemp("answers")):
        yield


@pytest.fixture(scope="module")
def results():
    """What is kept, of each kind."""
    return {kind: kept.read(kind) for kind in KINDS}


@pytest.mark.whole
@pytest.mark.parametrize("call", EVERY)
def test_the_answer_is_the_same(call, results):
    """What differs is printed, old -> new; if it is meant, record that kind anew."""
    now = answer(call)
    told = [
        f"\n{kind} of  {call}\n"
        + "\n".join(f"  {x}" for x in lines)
        + f"\n  If meant: python -m tests.answers.record {kind}"
        for kind in KINDS
        if (lines := kept.differences(kind, results[kind].get(call), now))
    ]
    if told:
        pytest.fail("\n".join(told), pytrace=False)


def test_calls_are_given_once():
    """A call is its own name."""
    assert len(set(EVERY)) == len(EVERY)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_is_kept(kind):
    """A result whose call is gone holds nothing still."""
    assert set(kept.read(kind)) == set(EVERY)
