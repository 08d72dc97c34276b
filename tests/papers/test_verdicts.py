"""The law of verdicts: what is said to agree has something printed beside something that the library computed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import howsure as hs
from howsure import papers
from howsure._wins import Wins
from howsure.catalogue.metric import Metric
from howsure.evidence.classes import Tally
from howsure.papers import goutte_tables
from howsure.papers.item import (
    AGREES,
    FORMULA,
    HOLDS,
    NOTHING,
    NUMBER,
    SAMPLING,
    SHOWN,
    WORDS,
    Agreement,
    equals,
    judge,
    rounds,
    unit_of,
)
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.relations.recall_precision import Tradeoff
from howsure.relations.surfaces import Surface
from howsure.relations.threshold import Mixture
from tests.papers.test_papers import ALL, ONCE, SNAPSHOT, row

TABLES = goutte_tables._TABLE_1 + goutte_tables._TABLE_2  # whose cells the column of what is printed sums up
KEPT = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
AGREEING = pytest.mark.parametrize("item", [x for x in ALL if KEPT[x.id] == AGREES], ids=lambda item: item.id)


def found(item: papers.Item) -> papers.Finding:
    return ONCE[item.id].compute()


def bases(item: papers.Item) -> set[str]:
    return {c.basis for c in found(item).checks}


# -- what a verdict rests on


@pytest.mark.whole
@pytest.mark.parametrize("item", ALL, ids=lambda item: item.id)
def test_each_item_computes_and_keeps_its_verdict(item: papers.Item) -> None:
    """The verdict is the one kept beside the test, and follows from what is printed.

    Numbers and formulas agree; words hold; where nothing is printed, something is shown. Numbers are compared digit by
    digit as they stand in the text of the item, or in the tables that it sums up, with finite numbers.
    """
    shown = row(item.id)
    verdict, printed = shown["verdict"], bases(item)
    assert verdict == KEPT[item.id], shown["computed"]
    assert all(shown[k] for k in ("printed", "computed", "title"))
    json.dumps(shown, allow_nan=False)
    if verdict in (AGREES, SAMPLING):
        assert printed & {NUMBER, FORMULA}
    if verdict == HOLDS:
        assert WORDS in printed <= {WORDS, NOTHING}
    if verdict == SHOWN:
        assert printed == {NOTHING}
    for check in found(item).checks:
        if check.basis == NUMBER:
            digits = check.printed.rstrip("%")
            assert digits in item.printed or digits in TABLES.split(), digits
        if check.basis in (NUMBER, FORMULA):
            assert np.isfinite(np.asarray(check.computed, dtype=float)).all()
        if check.basis == FORMULA:
            assert np.isfinite(np.asarray(check.printed, dtype=float)).all()
    if verdict == AGREES:
        another_print_does_not_agree(found(item).checks)


# -- another print


def by_one(check: Agreement, step: int) -> Agreement:
    """The check if the printed number were another by one in its last place."""
    percent = check.printed.endswith("%")
    places = len(check.printed.rstrip("%").partition(".")[2])
    moved = float(check.printed.rstrip("%")) + step * 10.0**-places
    return rounds(check.computed, f"{moved:.{places}f}{'%' if percent else ''}", check.noise / 4)


def other_prints(check: Agreement) -> list[Agreement]:
    """The check with another print; none for what is not printed."""
    if check.basis == NUMBER:
        return [by_one(check, step) for step in (-1, 1)]
    if check.basis == FORMULA:
        values = np.asarray(check.printed, dtype=float)
        return [
            equals(check.computed, values + step * (1e-3 * np.abs(values) + 1e-3), check.allowed) for step in (-1, 1)
        ]
    return []


def another_print_does_not_agree(checks: Sequence[Agreement]) -> None:
    """One more or less in the last place of a number, or a thousandth of a formula's value: the verdict changes."""
    assert judge(list(checks)) == AGREES
    for i, check in enumerate(checks):
        for other in other_prints(check):
            assert judge([*checks[:i], other, *checks[i + 1 :]]) != AGREES, check


def test_a_print_far_off_is_not_the_sampling_error() -> None:
    """Nine standard errors beside what is drawn: the verdict changes for each printed number of each table."""
    for item in ALL:
        checks = list(found(item).checks)
        if found(item).verdict == SAMPLING:
            for i, check in enumerate(checks):
                if check.noise:
                    steps = int(np.ceil((check.allowed + 2.25 * check.noise) / unit_of(check.printed))) + 1
                    for step in (-steps, steps):
                        assert judge([*checks[:i], by_one(check, step), *checks[i + 1 :]]) != SAMPLING, check


# -- another library


def off(x: Any, factor: float = 1.3) -> Any:
    """A wrong value: neither the same nor in proportion."""
    if x is None or isinstance(x, (str, bool)):
        return x
    if isinstance(x, dict):
        return {k: off(v, factor) for k, v in x.items()}
    if hasattr(x, "_replace"):
        return x._replace(**{k: off(v, factor + i / 10) for i, (k, v) in enumerate(x._asdict().items())})
    if isinstance(x, tuple):
        return tuple(off(v, factor + i / 10) for i, v in enumerate(x))
    return factor * np.asarray(x) + 0.01


def wrong(owner: Any, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    """A method, a property or a function gives wrong values; those of a measure are wrong in a way of its own."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        honest = vars(owner)[name]
        if isinstance(honest, staticmethod):
            monkeypatch.setattr(owner, name, staticmethod(lambda *a, **k: off(honest.__func__(*a, **k))))
        elif callable(honest):

            def method(*a: Any, **k: Any) -> Any:
                which = str(getattr(a[0], "name", "") or (a[1] if len(a) > 1 and isinstance(a[1], str) else ""))
                return off(honest(*a, **k), 1.3 + crc32(which.encode()) % 7 / 20)

            monkeypatch.setattr(owner, name, method)
        else:
            getter = getattr(honest, "fget", None) or honest.func
            monkeypatch.setattr(owner, name, property(lambda self: off(getter(self))))

    return patch


def other_priors(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = hs.compare_wins
    monkeypatch.setattr(
        hs, "compare_wins", lambda *n, prior=(0.5, 0.5, 1.0), **k: honest(*n, prior=tuple(2.0 * w for w in prior), **k)
    )


def other_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = hs.relations.chance
    monkeypatch.setattr(hs.relations, "chance", lambda **k: off(honest(**k)))


MISTAKES = {
    "scores": wrong(Metric, "score"),
    "points": wrong(Posterior, "point"),
    **{f"laws: {k}": wrong(Distribution, k) for k in ("cdf", "pdf", "mean", "std")},
    "wins": wrong(Wins, "p_better"),
    "priors of wins": other_priors,
    "cells": wrong(Tally, "named"),
    "cells of classes": wrong(Tally, "by_class"),
    **{f"trade-off: {k}": wrong(Tradeoff, k) for k in ("precision", "rotated", "recall_by_precision")},
    "mixtures": wrong(Mixture, "measure"),
    "break-even": wrong(Mixture, "break_even"),
    "surfaces": wrong(Surface, "values"),
    "chances": other_chances,
}


TELLING = list(MISTAKES)  # the one that told last is tried first: items that follow each other are alike


def forget() -> None:
    """Nothing that the items keep is kept."""
    for name, module in list(sys.modules.items()):
        if name.startswith("howsure.papers."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def loses(item: papers.Item, mistake: Callable[[pytest.MonkeyPatch], None]) -> bool:
    with pytest.MonkeyPatch.context() as monkeypatch:
        mistake(monkeypatch)
        forget()
        try:
            return item.compute().verdict != AGREES
        except hs.HowsureError:  # a value that cannot be is refused: no verdict to lose
            return False
        finally:
            forget()


@AGREEING
def test_a_wrong_library_does_not_agree(item: papers.Item) -> None:
    """Of the ways to be wrong at least one loses the verdict: what is set beside the print is the library's own."""
    found = next((name for name in TELLING if loses(item, MISTAKES[name])), None)
    assert found is not None
    TELLING.remove(found)
    TELLING.insert(0, found)
