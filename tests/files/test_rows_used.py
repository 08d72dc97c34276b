"""Rows of data: what is told to be kept is what was used, for every kind of data and every way of pairing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadLabels
from howsure.evidence.protocol import Account
from howsure.io import pairing
from howsure.io.entrance import evidence
from howsure.messages.notes import note
from howsure.results.result import envelope

HEAD = "id,m,ok,w\n"
PAIRED = {"outcome": "ok", "system": "m", "item": "id", "weight": "w"}


def _long(path: Path, *weights: str) -> Path:
    """Three items of two systems, with these weights of the third."""
    first, second = weights
    path.write_text(f"{HEAD}1,a,1,1\n2,a,0,1\n3,a,1,{first}\n1,b,1,1\n2,b,1,1\n3,b,0,{second}\n")
    return path


@pytest.mark.parametrize("weights", [("", ""), ("", "5"), ("5", "")])
def test_an_item_without_a_weight_is_refused_or_left_out(tmp_path, run_json, weights):
    """The same in either order of the systems, and the rows of both are told."""
    path = _long(tmp_path / "a.csv", *weights)
    with pytest.raises(BadLabels, match=r"weights must be finite numbers; 1 is missing in column 'w'; give"):
        evidence(str(path), **PAIRED)
    options = ["--system", "m", "--on", "id", "--weight", "w", "--missing", "drop"]
    for role in (["--outcome", "ok"], ["--value", "ok", "--bounds", "0,1"]):
        found = run_json("compare", path, *options, *role)
        assert found["data"]["rows"] == {"read": 6, "kept": 4, "left_out": {"missing": 2}}
        told = [n["text"] for n in found["notes"] if n["code"] == "missing-dropped"]
        assert told == ["6 rows read: 2 left out for missing values; 4 kept"]


def test_weights_that_differ_are_refused(tmp_path):
    """Also where one of three is missing, in any order."""
    path = tmp_path / "a.csv"
    for order in (("", "5", "6"), ("5", "", "6"), ("5", "6", "")):
        rows = [f"{i},{m},1,{w if i == 3 else 1}\n" for m, w in zip("abc", order, strict=True) for i in (1, 2, 3)]
        path.write_text(HEAD + "".join(rows))
        for missing in ("refuse", "drop"):
            with pytest.raises(BadLabels, match="column 'w' differs between the rows of item 3"):
                evidence(str(path), **PAIRED, missing=missing)


def test_an_unmatched_item_without_a_weight_is_left_out_once(tmp_path):
    """For the first reason; and no weight is asked of it."""
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}1,a,1,1\n2,a,0,2\n3,a,1,\n1,b,1,1\n2,b,1,2\n4,b,1,\n")
    for missing in ("refuse", "drop"):
        found = evidence(str(path), **PAIRED, unmatched="drop", missing=missing)
        assert found.account == Account(6, {"unmatched": 2})
        assert found.n == 3


@pytest.mark.parametrize("amount", ["--weight", "--count"])
def test_clusters_with_a_missing_amount(tmp_path, run_json, amount):
    """Left out with a note, of one system and of several."""
    path = tmp_path / "a.csv"
    path.write_text("q,m,ok,w\n1,a,1,1\n2,a,0,2\n3,a,1,\n1,a,1,1\n1,b,1,1\n2,b,1,2\n2,b,1,\n3,b,1,\n")
    options = ["--cluster", "q", "--outcome", "ok", amount, "w", "--missing", "drop"]
    for verb, system in (("score", ()), ("compare", ("--system", "m"))):
        found = run_json(verb, path, *options, *system)
        assert found["data"]["rows"] == {"read": 8, "kept": 5, "left_out": {"missing": 3}}
        assert "missing-dropped" in {n["code"] for n in found["notes"]}
    given = {"cluster": "q", "outcome": "ok", amount[2:]: "w", "missing": "drop", "system": "m"}
    told = [n.text for n in evidence(str(path), **given).notes if n.code == "missing-dropped"]
    assert told == [f"3 rows without a {amount[2:]} were left out"]


KINDS: dict[str, dict[str, Any]] = {
    "classes": {"truth": "t", "pred": "p"}, "outcomes": {"outcome": "p"}, "scores": {"truth": "t", "score": "s"},
    "cuts": {"truth": "t", "score": "s", "threshold": 0.5}, "binned": {"truth": "t", "score": "s", "bins": 4},
    "values": {"value": "s"},
}  # fmt: skip


def _rows() -> dict[str, list[Any]]:
    """Clusters 1 to 4 of which 3 weighs nothing, and 4 nothing but an item without an answer."""
    return {
        "q": [1, 1, 1, 2, 2, 2, 3, 3, 4, 4], "t": [1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
        "p": [1, 0, 0, 1, 1, 0, 1, 1, 1, None], "s": [0.9, 0.1, 0.8, 0.3, 0.4, 0.7, 0.2, 0.6, 0.5, None],
        "w": [1, 0, 1, 2, 1, 1, 0, 0, 0, 1],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "amount"),
    [(k, a) for k in KINDS for a in ("weight", "count") if (k, a) != ("values", "weight")],
)
def test_clusters_of_no_weight_are_told(kind, amount):
    """Their rows are left out, for a reason of their own; a row of weight 0 in another cluster is kept.

    Values refuse weights of 0.
    """
    found = evidence(_rows(), **KINDS[kind], cluster="q", missing="drop", **{amount: "w"})
    assert found.account == Account(10, {"missing": 1, "weightless": 3})
    assert found.clusters == 2 if isinstance(found.clusters, int) else len(set(np.asarray(found.clusters))) == 2


def test_clusters_of_no_weight_are_in_the_note():
    """The one on rows."""
    data = {"o": [1, 0, 1, 0, 1, 1], "q": [1, 1, 2, 2, 3, 3], "w": [1, 1, 1, 1, 0, 0]}
    found = hs.score(data, outcome="o", cluster="q", weight="w").to_dict()
    assert found["data"]["rows"] == {"read": 6, "kept": 4, "left_out": {"weightless": 2}}
    told = "6 rows read: 2 left out because their whole cluster has weight or count 0; 4 kept"
    assert told in [n["text"] for n in found["notes"]]


@pytest.mark.parametrize("amount", ["weight", "count"])
def test_nothing_of_weight_is_left(amount):
    """Where all items that weigh something have no answer."""
    with pytest.raises(BadLabels, match="no other item is left"):
        evidence({"o": [1, None], "w": [0, 1]}, outcome="o", missing="drop", **{amount: "w"})


def test_texts_are_looked_for_where_a_number_is_missing(tmp_path, monkeypatch):
    """Files of systems whose numbers are all there are read once."""
    looked: list[str] = []
    real = pairing.refuse_text
    monkeypatch.setattr(pairing, "refuse_text", lambda *x: (looked.append(x[2]), real(*x)))
    paths = {name: tmp_path / f"{name}.csv" for name in "ab"}
    asked = {"value": "s", "weight": "w", "on": "id"}
    for number, expected in (("0.5", []), ("n/a", ["s"]), ("half", ["s"])):
        looked.clear()
        for name, path in paths.items():
            value = number if name == "b" else "0.25"
            path.write_text(f"id,s,w\n1,0.1,1\n2,0.7,2\n3,{value},1\n")
        if number == "0.5":
            evidence({k: str(x) for k, x in paths.items()}, **asked)
        else:
            with pytest.raises(BadLabels, match="'half', which is not a number" if number == "half" else "no value"):
                evidence({k: str(x) for k, x in paths.items()}, **asked)
        assert looked == expected
    paths["a"].write_text("id,s,w\n1,0.1,heavy\n2,0.7,2\n3,0.2,1\n")
    with pytest.raises(BadLabels, match="'heavy', which is not a number"):
        evidence({k: str(x) for k, x in paths.items()}, **asked)


def test_rows_of_weighted_arrays_are_counted_by_their_codes(monkeypatch):
    """As many as a loop finds, and no value is looked at twice."""
    rng = np.random.default_rng(5)
    truth, answer = (np.where(rng.random(2000) < 0.1, np.nan, rng.integers(0, 3, 2000)) for _ in range(2))
    many = int((np.isnan(truth) | np.isnan(answer)).sum())
    from howsure.io import columns, label_arrays

    seen: list[Any] = []
    real = columns.lost
    for module in (columns, label_arrays):
        monkeypatch.setattr(module, "lost", lambda x: seen.append(x) or real(x))
    t = hs.tally(truth, answer, weight=rng.random(2000) + 0.5, missing="drop")
    assert t.account == Account(2000, {"missing": many})
    assert len(seen) < 200


def test_items_that_a_mapping_lacks_are_told():
    """Values by item: those that some system has not are accounted for, with a note."""
    data = {"a": {1: 0.5, 2: 0.25, 3: 0.75, 4: 1.0}, "b": {1: 0.25, 2: 0.5, 3: 1.0, 5: 0.0}}
    found = hs.graded(data, missing="drop")
    assert found.account == Account(5, {"unmatched": 2})
    assert "left out: 2 items have no row for some system (4, 5)" in [n.text for n in found.notes]


def test_a_note_on_what_is_missing_stays_where_no_row_tells_it():
    """One note on rows stands for all others only where it speaks of missing values."""
    left = note("missing-dropped", form="amount", count=2, what="weight")
    by_where = "6 rows read: 1 left out by where='a>1'; 5 kept"
    for lost, told in (({}, [left.text]), ({"where": 1}, [left.text, by_where])):
        account = Account(6, lost, ("a>1",) if lost else ()).document()
        assert [n["text"] for n in envelope("s", [], notes=[left], account=account)["notes"]] == told
    account = Account(6, {"missing": 2}).document()
    assert [n["text"] for n in envelope("s", [], notes=[left], account=account)["notes"]] == [
        "6 rows read: 2 left out for missing values; 4 kept"
    ]
