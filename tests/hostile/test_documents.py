"""Damaged documents of evidence: refused in one sentence, or read as what they say; never a trace."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

import howsure as hs
from howsure.errors import HowsureError
from tests.tiers import some

OTHER: list[Any] = [None, -1, 1.5, "x", "", [], {}, [[]], True, 2**70, 1e300, -0.0, float("nan"), float("inf"), [None]]
KINDS = {
    "classes": hs.tally([1, 0, 1, 1], {"a": [1, 0, 0, 1], "b": [1, 1, 0, 1]}),
    "slices": hs.tally({"y": ["x", "y", "x"], "z": ["x", "x", "y"], "r": [1, 2, 2]}, truth="y", pred="z", by="r"),
    "outcomes": hs.Tally.rate(hits=3, of=7),
    "label sets": hs.Tally.multilabel([["a"], ["a", "b"]], [["a"], []]),
    "weights": hs.tally([1, 0, 1, 1], [1, 0, 0, 1], weight=[1, 2, 0.5, 3]),
}


def ways(part: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document."""
    yield so_far
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, x in inner:
        yield from ways(x, (*so_far, name))


def changed(document: Any, way: tuple[Any, ...], to: Any, drop: bool = False) -> Any:
    """A copy with another value in a place, or without it."""
    if not way:
        return to
    made = copy.deepcopy(document)
    inner = made
    for name in way[:-1]:
        inner = inner[name]
    if drop:
        del inner[way[-1]]
    else:
        inner[way[-1]] = to
    return made


def check(text: str) -> None:
    """It is refused with a sentence, or is evidence that can be scored or says why not."""
    try:
        evidence = hs.Tally.from_json(text)
        json.dumps(hs.score(evidence, metrics="rate" if isinstance(evidence, hs.Outcomes) else None).to_dict())
    except HowsureError as error:
        said = str(error)
        assert len(said) > 10, text
        assert "\n" not in said, text


CASES = [
    (kind, way, other)
    for kind, x in KINDS.items()
    for way in ways(json.loads(x.to_json()))
    for other in (*OTHER, "gone")
]


@pytest.mark.parametrize("case", some(range(len(CASES)), 47))
def test_damaged_documents(case):
    kind, way, other = CASES[case]
    document = json.loads(KINDS[kind].to_json())
    if other == "gone" and not way:
        return
    check(json.dumps(changed(document, way, other, drop=other == "gone")))


@pytest.mark.parametrize("text", ["", " ", "x", "{", "[]", "null", "1", '"x"', "{}", "NaN", "[" * 5000, "\ud800", "\0"])
def test_no_documents(text):
    with pytest.raises(HowsureError) as error:
        hs.Tally.from_json(text)
    assert str(error.value)[-1] in ".?"


@pytest.mark.parametrize("kind", KINDS)
def test_cut_documents(kind):
    """A document that ends too early."""
    text = KINDS[kind].to_json()
    for end in range(0, len(text), max(1, len(text) // 12)):
        with pytest.raises(HowsureError):
            hs.Tally.from_json(text[:end])
