"""A sweep: with missing="drop" the evidence is that of the rows that a plain loop keeps, and they are counted."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest

from howsure.io.entrance import evidence
from tests.tiers import turn

Row = dict[str, Any]
KINDS: dict[str, tuple[str, ...]] = {  # the roles of columns t, p, s
    "classes": ("truth", "pred"), "outcomes": ("outcome",), "values": ("value",), "scores": ("truth", "score"),
    "cuts": ("truth", "score"),
}  # fmt: skip
COLUMNS = {"truth": "t", "pred": "p", "outcome": "p", "value": "s", "score": "s"}
LAYOUTS = ("plain", "cluster", "paired", "matched", "files on", "files cluster")
SEEDS = (0, 1, 13)
AMOUNTS = (None, "weight", "count")


def _possible(kind: str, layout: str, amount: str | None) -> bool:
    if kind in ("scores", "cuts") and layout not in ("plain", "cluster"):
        return False
    return amount != "count" or (layout != "paired" and (kind, layout) != ("values", "files on"))


CASES = [x for x in itertools.product(KINDS, LAYOUTS, AMOUNTS) if _possible(*x)]


def _rows(seed: int, kind: str, layout: str, amount: str | None) -> list[Row]:
    """Items of two systems (or of one), with gaps in every column; rows of an item share truth, weight and cluster."""
    rng = np.random.default_rng(seed)
    made = []
    least = 1 if (kind, amount) == ("values", "weight") else 0
    systems = "a" if layout in ("plain", "cluster") else "ab"
    for i in range(30):
        shared = {"id": i, "q": int(rng.integers(6)), "t": int(rng.integers(2)), "w": int(rng.integers(least, 4))}
        if shared["q"] == 5:
            shared["w"] = least
        gap = layout in ("plain", "cluster") or "on" not in layout
        if gap and kind not in ("outcomes", "values") and rng.random() < 0.1:
            shared["t"] = None
        if layout == "cluster" and rng.random() < 0.1:
            shared["q"] = None
        for m in systems:
            if len(systems) == 2 and rng.random() < 0.1:
                continue
            row = shared | {"m": m, "p": int(rng.integers(2)), "s": int(rng.integers(1, 16)) / 16}
            for name in ("p", "s", "w"):
                if rng.random() < 0.1:
                    row[name] = None
            made.append(row)
    return made


def _used(rows: list[Row], kind: str, layout: str, amount: str | None) -> list[Row]:
    """The rows that count, by a plain loop."""
    columns = [COLUMNS[x] for x in KINDS[kind]] + ["w"] * (amount is not None) + ["q"] * ("cluster" in layout)
    kept = [r for r in rows if all(r[c] is not None for c in columns)]
    if layout in ("paired", "files on"):
        have = defaultdict(set)
        for r in kept:
            have[r["id"]].add(r["m"])
        return [r for r in kept if len(have[r["id"]]) == 2]
    if layout == "plain":
        return kept
    weight: dict[Any, int] = defaultdict(int)
    for r in kept:
        weight[r["m"], r["q"]] += 1 if amount is None else r["w"]
    systems = {r["m"] for r in rows}
    return [r for r in kept if all(weight[m, r["q"]] > 0 for m in systems)]


def _evidence(rows: list[Row], kind: str, layout: str, amount: str | None, folder: Any, **more: Any) -> Any:
    given: dict[str, Any] = {role: COLUMNS[role] for role in KINDS[kind]} | more
    given |= {} if amount is None else {amount: "w"}
    given |= {"threshold": 0.5} if kind == "cuts" else {}
    given |= {"cluster": "q"} if layout in ("cluster", "matched", "files cluster") else {}
    given |= {"item": "id", "system": "m"} if layout == "paired" else {}
    given |= {"system": "m"} if layout == "matched" else {}
    given |= {"on": "id"} if layout == "files on" else {}
    frame = pl.DataFrame(rows)
    if not layout.startswith("files"):
        return [evidence(x, **given) for x in (frame, frame.to_dict(as_series=False), _csv(frame, folder / "all.csv"))]
    own = {m: _csv(frame.filter(pl.col("m") == m), folder / f"{m}.csv") for m in "ab"}
    return [evidence(own, **given)]


def _csv(frame: pl.DataFrame, path: Any) -> str:
    frame.write_csv(path)
    return str(path)


def _seen(x: Any) -> dict[str, Any]:
    return {name: v for name, v in x.describe().items() if name != "rows"}


@pytest.mark.parametrize(("kind", "layout", "amount"), CASES)
def test_rows_add_up_to_what_was_used(tmp_path, kind, layout, amount):
    """Read, kept and left out; and what is kept is what the evidence is of."""
    place = CASES.index((kind, layout, amount))
    for seed in turn(SEEDS, place + place // 3, 3):  # so that no amount keeps to one seed
        rows = _rows(seed, kind, layout, amount)
        used = _used(rows, kind, layout, amount)
        more = {"missing": "drop"} | ({} if layout in ("plain", "cluster") else {"unmatched": "drop"})
        given, whole = (_evidence(x, kind, layout, amount, tmp_path, **y) for x, y in ((rows, more), (used, {})))
        for found, bare in zip(given, whole, strict=True):
            assert (found.account.read, found.account.kept) == (len(rows), len(used)), found.account
            assert bare.account.kept == len(used)
            assert _seen(found) == _seen(bare)
            told = {n.code for n in found.notes}
            assert ("missing-dropped" in told) == ("missing" in found.account.left_out), (told, found.account)
