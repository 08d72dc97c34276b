"""Formulas that users write: they work, or are refused in a sentence of ours."""

from __future__ import annotations

import math
import operator
import random
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import howsure as hs
from howsure.errors import BadSetting
from tests.tiers import some

TP, FP, FN, TN = hs.cells
TABLE = hs.Tally.binary(tp=8, fp=2, fn=3, tn=7)
NUMBERS = [
    0, 1, 2, -1, 0.5, -3.25, 1e308, 1e-308, 10**400, Fraction(1, 3), Fraction(10**400, 3), np.float64(2), np.int64(3),
    np.float32(0.1), True, None, "x", Decimal("1.5"), 1j, math.nan, math.inf, [1], np.array([1, 2]),
]  # fmt: skip
OF_ONE = {
    "abs": abs, "round": round, "int": int, "float": float, "math.log": math.log, "math.floor": math.floor,
    "bool": bool, "list": list, "np.exp": np.exp, "np.abs": np.abs, "np.isnan": np.isnan, "2 to it": lambda x: 2**x,
    "power 0": lambda x: x**0, "power -1": lambda x: x**-1, "power 9": lambda x: x**9, "power true": lambda x: x**True,
    "modulus": lambda x: x % 2, "floor": lambda x: x // 2, "@": lambda x: x @ x, "sorted": lambda x: sorted([x, FP]),
    "array": lambda x: x + np.array([1, 2]),
}  # fmt: skip
COMPARED = [operator.lt, operator.le, operator.gt, operator.ge, max, min, divmod, np.maximum, np.greater]


@pytest.mark.parametrize("name", OF_ONE)
def test_what_no_formula_is_made_of(name):
    """Functions that a formula has not are named in a sentence, whoever defines them."""
    with pytest.raises(BadSetting, match="formula"):
        OF_ONE[name](TP / (TP + FP))


@pytest.mark.parametrize("compare", COMPARED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("others", [(TP, FP), (TP, 0), (TP, np.float64(2))], ids=["cell", "number", "of numpy"])
def test_formulas_are_not_compared(compare, others):
    """A formula has no size before it has a table."""
    with pytest.raises(BadSetting, match="is not among these"):
        compare(*others)


def test_numbers_of_numpy_on_both_sides():
    """numpy's numbers do what Python's do, wherever they stand; and its functions what ours do."""
    assert np.float64(2) * TP == 2 * TP
    assert TP * np.float64(2) == TP * 2
    assert np.int64(1) - TP / np.float32(4) == 1 - TP / 4
    assert np.sqrt(TP) == hs.sqrt(TP)
    assert np.log(TP) == hs.log(TP)
    assert np.square(TP) == TP ** np.int64(2)
    assert np.negative(TP) == -TP
    assert +TP == TP


@pytest.mark.parametrize("number", [10**400, -(10**400), Fraction(10**400, 3), Fraction(1, 10**400), 1e-308, 1e308])
def test_numbers_beyond_doubles(number):
    """They were an OverflowError, or a warning, once the formula met a table."""
    with pytest.raises(BadSetting, match="one is beyond that"):
        TP * number


def test_long_formulas():
    """A sum of 5,000 terms one by one is refused; as a sum of sums it is a formula."""
    with pytest.raises(BadSetting, match="a sum of shorter ones"):
        sum([TP / (TP + FP)] * 5000)
    terms = [TP / (TP + FP)] * 4096
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)]
    assert terms[0](tp=1, fp=3, fn=0, tn=0) == pytest.approx(1024)
    deepest = TP / (TP + FP)
    for _ in range(60):
        deepest = deepest + 1
    assert str(deepest).count("+ 1") == 60
    assert hs.score(TABLE, metrics=[hs.Metric("m", deepest)]).to_dict()["rows"][0]["score"] == pytest.approx(60.8)


def test_a_formula_without_a_cell():
    """A table that lacks a cell is told which."""
    with pytest.raises(BadSetting, match=r"tp / \(tp \+ fp\) needs a value for fp"):
        (TP / (TP + FP))(tp=1)


def made(rng: random.Random, depth: int):
    """A random formula."""
    if depth == 0:
        return rng.choice(hs.cells) if rng.random() < 0.9 else rng.choice(NUMBERS)
    if rng.random() < 0.15:
        inner = made(rng, depth - 1)
        known = (np.sqrt, np.log, operator.neg, lambda x: x**2, lambda x: x**0.5)
        return (rng.choice(known) if rng.random() < 0.7 else rng.choice(list(OF_ONE.values())))(TP + inner)
    act = rng.choice([operator.add, operator.sub, operator.mul, operator.truediv])
    return act(made(rng, depth - 1), FP + made(rng, depth - 1))


@pytest.mark.parametrize("seed", some(range(100), every=12))
def test_random_formulas(seed):
    """Each is scored and shown, without a warning, or refused."""
    rng = random.Random(seed)
    for _ in range(20):
        try:
            formula = made(rng, rng.choice([1, 2, 2, 3]))
            measure = hs.Metric("m", formula / (TP + FP + FN + TN) if rng.random() < 0.7 else formula)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                shown = hs.score(TABLE, metrics=[measure])
                assert "m" in str(shown)
                assert shown.to_json()
                assert measure.latex
        except hs.HowsureError as error:
            assert len(str(error)) < 5000  # noqa: PT017 - the others are checked above
