"""Tallies as JSON that somebody damaged: read as they are, or refused in a sentence of ours."""

from __future__ import annotations

import copy
import json
import math
import random
from datetime import date
from typing import Any

import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadCounts
from tests.tiers import some

FRAME = pl.DataFrame({"t": ["a;b", "", "b"], "p": ["a", "b", "b"], "r": ["u", None, "u"]})
SOUND = {
    "binary": hs.Tally.binary(tp=8, fp=2, fn=3, tn=7),
    "classes": hs.Tally.matrix([[7, 1, 0], [2, 5, 1], [1, 0, 3]], labels=["a", date(2024, 5, 1), "c"]),
    "two systems": hs.tally([1, 0, 1, 1], {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]}),
    "outcomes": hs.Tally.rate(hits=4, of=9),
    "batch": hs.Tally.binary(tp=[8, 1], fp=[2, 1], fn=[3, 1], tn=[7, 1]),
    "weights": hs.tally(["x", "y", "x"], ["x", "x", "y"], weight=[0.5, 1e100, 1e-100]),
    "missing is wrong": hs.tally(["a", "b", "a"], ["a", None, "b"], missing="wrong"),
    "slices": hs.tally(FRAME, truth="t", pred="p", by=["r"]),
    "label sets": hs.tally(FRAME, truth="t", pred="p", sep=";"),
}
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
VALUES = [
    None, True, -1, 0, 1, 1.5, 10**400, -(10**400), 2**63, 2**64, 1e308, math.nan, math.inf, "", "x", "1", "\ud800", [],
    [[]], [None], [1, 2], [[1, 2]], ["a", "a"], [1, [2, [3]]], {}, {"a": 1}, {"date": "x"}, {"date": 5}, DEEP,
]  # fmt: skip


def places(x: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a document."""
    inner = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()
    return [at, *(p for k, v in inner if len(at) < 6 for p in places(v, (*at, k)))]


def damaged(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A copy with one to three places deleted, doubled, in another order, or of another value."""
    made = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 2, 3])):
        *way, last = rng.choice([p for p in places(made) if p])
        home = made
        for k in way:
            home = home[k]
        deed = rng.random()
        if deed < 0.2:
            del home[last]
        elif deed < 0.35 and isinstance(home, list):
            home.append(copy.deepcopy(home[last]))
        elif deed < 0.45 and isinstance(home, list):
            rng.shuffle(home)
        else:
            home[last] = rng.choice(VALUES)
    return made


@pytest.mark.parametrize("name", SOUND)
def test_sound_documents_are_read(name):
    """Each kind comes back as it was, from a document and from text."""
    whole = SOUND[name]
    assert hs.Tally.from_dict(whole.to_dict()).to_dict() == whole.to_dict()
    assert hs.Tally.from_json(whole.to_json()).to_dict() == whole.to_dict()


@pytest.mark.parametrize("seed", some(range(100), every=33))
@pytest.mark.parametrize("name", SOUND)
def test_damage_is_refused_or_harmless(name, seed):
    """What is read can be scored, written, merged and shown; everything else is a BadCounts."""
    rng = random.Random(f"{name} {seed}")
    document = SOUND[name].to_dict()
    for _ in range(5):
        made = damaged(document, rng)
        try:
            t = hs.Tally.from_dict(made)
        except BadCounts:
            continue
        try:
            shown = hs.score(t, tolerance=0.3)
            json.loads(shown.to_json())
            assert str(shown)
            assert shown.to_csv()
            assert repr(t + t)
            assert hs.Tally.from_json(t.to_json()).to_dict() == t.to_dict()
        except hs.HowsureError:
            continue


DAMAGE = {
    "a huge count": ({"counts": [10**400, 1, 1, 1]}, "its counts cannot be"),
    "a count of text": ({"counts": ["1", "1", "1", "1"]}, "its counts cannot be"),
    "infinity": ({"counts": [math.inf, 1, 1, 1]}, "its counts cannot be"),
    "a cell twice": ({"cells": [[0, 0], [0, 0], [1, 0], [1, 1]]}, "its cells cannot be"),
    "a cell below 0": ({"cells": [[0, 0], [-1, 0], [1, 0], [1, 1]]}, "its cells cannot be"),
    "another positive": ({"positive": 7}, "its positive cannot be"),
    "labels alike": ({"labels": [1, 1]}, "its labels cannot be"),
    "systems of numbers": ({"systems": [1]}, "its systems cannot be"),
    "weights of another table": ({"squares": [1.0]}, "its squares cannot be"),
    "no labels": ({"labels": None}, "its labels cannot be"),
    "notes of nobody": ({"notes": [["nobody", "x", {"a": 1}]]}, "is damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(name):
    """The sentence says which part cannot be."""
    change, says = DAMAGE[name]
    with pytest.raises(BadCounts, match=says):
        hs.Tally.from_dict(SOUND["binary"].to_dict() | change)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff", "1" * 5000, "null", "[]", None, 5], ids=repr)
def test_texts_that_are_no_tally(text):
    """Whatever the text, one sentence."""
    with pytest.raises(BadCounts, match="this is not a tally"):
        hs.Tally.from_json(text)
