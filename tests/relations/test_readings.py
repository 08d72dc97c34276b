"""solve reads digits as programs print them: floats whole, rounded in three ways, or truncated."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

import howsure as hs
from howsure._solve import solve_printed
from howsure.cli import app

FLOATS: dict[str, Callable[[float], str]] = {
    "repr": repr,
    "%.15g": lambda x: f"{x:.15g}",
    "%.17g": lambda x: f"{x:.17g}",
    "percent": lambda x: f"{100 * x!r}%",
}


def random_tables(seed: int, count: int) -> list[tuple[int, int, int, int]]:
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        n = rng.choice([12, 40, 200, 1000, 20_000])
        cuts = sorted(rng.randint(0, n) for _ in range(3))
        table = (cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], n - cuts[2])
        if min(table) > 0:
            found.append(table)
    return found


def float_measures(table: tuple[int, int, int, int]) -> dict[str, float]:
    """As people compute them: means from precision and recall, with the rounding of floats."""
    tp, fp, fn, tn = table
    p, r, s, n = tp / (tp + fp), tp / (tp + fn), tn / (tn + fp), sum(table)
    chance = ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)) / n**2
    return {
        "precision": p, "recall": r, "specificity": s, "accuracy": 1 - (fp + fn) / n, "f1": 2 * p * r / (p + r),
        "f2": 5 * p * r / (4 * p + r), "jaccard": 1 / (1 / p + 1 / r - 1), "npv": tn / (tn + fn),
        "kappa": ((tp + tn) / n - chance) / (1 - chance), "informedness": r + s - 1,
        "phi": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }  # fmt: skip


@pytest.mark.parametrize("form", FLOATS)
def test_floats_pasted_whole_lead_back_to_their_table(form):
    """Text with 15 digits or more is a float: every true table is found, on the command's route and in Python."""
    rng = random.Random(form)
    for table in random_tables(5, 40):
        values = float_measures(table)
        names = rng.sample(sorted(values), 3)
        texts = {name: FLOATS[form](values[name]) for name in names} | {"n": str(sum(table))}
        for found in (solve_printed(texts), hs.solve(texts, integers=True)):
            assert not found.complete or table in {tuple(t.values()) for t in found.tables}, (texts, table, found.why)


def test_floats_in_python_may_be_off_by_a_few_units_in_the_last_place():
    """A harmonic mean of floats is not always the float next to its fraction; whole tables are found all the same."""
    for table in random_tables(8, 40):
        values = float_measures(table)
        some = {name: values[name] for name in ("precision", "recall", "f1", "accuracy")}
        assert hs.solve(some, n=sum(table), integers=True).status == "unique", (table, some)


def test_floats_of_large_tables_are_ranges_of_a_few_units():
    """With more items than a fraction has digits for, the tables within the float's rounding are kept."""
    table = (149_400_017, 49_472_003, 98_184_011, 702_943_969)
    tp, fp, fn, tn = table
    n = sum(table)
    texts = {"precision": repr(tp / (tp + fp)), "recall": repr(tp / (tp + fn)), "accuracy": repr((tp + tn) / n)}
    assert [tuple(t.values()) for t in solve_printed(texts | {"n": str(n)}).tables] == [table]


def test_fourteen_digits_are_rounded_digits():
    """14 digits are read as digits, and a curve with so many is still found."""
    assert solve_printed({"informedness": "0.34065934065934", "f1": ".76923", "npv": ".571", "n": "20"}).status == (
        "unique"
    )


def rounded(x: Fraction, how: str, digits: int) -> str:
    """A fraction as a program prints it."""
    if how == "printf":
        return f"{float(x):.{digits}f}"
    exact = Decimal(x.numerator * 10**digits) / Decimal(x.denominator)
    whole = exact.to_integral_value(ROUND_HALF_UP if how == "half-up" else ROUND_DOWN)
    return str(whole.scaleb(-digits))


@pytest.mark.parametrize("how", ["printf", "half-up", "truncated"])
def test_true_tables_are_never_just_infeasible(how):
    """A true table is found as printed, or named as what another reading of the digits gives."""
    said = 0
    for tp, fp, fn, tn in random_tables(3, 150):
        n = tp + fp + fn + tn
        measures = {"P": Fraction(tp, tp + fp), "R": Fraction(tp, tp + fn), "acc": Fraction(tp + tn, n)}
        texts = {name: rounded(x, how, 3) for name, x in measures.items()}
        found = solve_printed({**texts, "n": str(n)})
        if found.status == "infeasible":
            assert how != "half-up"
            assert found.alternative is not None, (texts, n)
            tables = found.to_dict()["alternative"]["tables"]
            if how == "truncated" and found.alternative.reading == "ties-either":
                continue  # another table explains the digits too
            assert {"tp": tp, "fp": fp, "fn": fn, "tn": tn} in tables
            said += 1
    assert said > 10 or how != "truncated"


def test_the_alternative_is_in_words_and_in_json(capsys):
    """Infeasible stays infeasible; the table that ties rounded down would give is named, with what to type."""
    assert app.run(["solve", "recall=.12", "tp=2", "positives=16", "n=16", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["tables"]) == ("infeasible", [])
    assert document["why"] == (
        "no table rounds to these digits; 2/0/14/0 (tp/fp/fn/tn) does if ties may round down (--ties either)."
    )
    table = {"tp": 2, "fp": 0, "fn": 14, "tn": 0}
    assert document["alternative"] == {"reading": "ties-either", "tables": [table], "complete": True}
    cut = hs.solve(tp=2, positives=3, recall="0.66", n=3, integers=True)
    assert cut.why == "no table rounds to these digits; 2/0/1/0 (tp/fp/fn/tn) does if digits are truncated."
    below = hs.solve(tp=1, positives=3, informedness="-0.66", tn=0, n=4, integers=True)
    assert below.to_dict()["alternative"]["reading"] == "truncated"  # toward 0
    assert hs.solve(f1=0.9, recall=0.4, n=100).to_dict()["alternative"] is None  # exact values have one reading
    assert hs.solve(f1=0.5, recall=0.5, n=100).to_dict()["alternative"] is None
