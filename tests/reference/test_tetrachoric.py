"""The tetrachoric correlation and its standard error against mpmath, and against values from outside."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.distributions import tetrachoric
from howsure.distributions.tetrachoric import correlation, with_error, without_zeros

HERE = Path(__file__).parent
CASES = json.loads((HERE / "tetrachoric.json").read_text())["cases"]
SHARED = json.loads((HERE / "tetrachoric_shared.json").read_text())
KINDS = sorted({case["kind"] for case in CASES})
Rows = list[dict[str, Any]]


def tables(cases: Rows) -> np.ndarray:
    """Cells by rows."""
    return np.array([[float.fromhex(x) for x in case["table"]] for case in cases]).T


def errors(cases: Rows, rho: np.ndarray, error: np.ndarray) -> tuple[float, float, float]:
    """Distance of ρ, relative distance of 1 - |ρ| beyond rounding, relative distance of the standard error."""
    off = rest = se = 0.0
    for case, r, e in zip(cases, rho, error, strict=True):
        off = max(off, abs(float(Fraction(float(r)) - Fraction(case["rho"]))))
        gap = float(case["rest"])
        rest = max(rest, max(0.0, abs((1 - abs(float(r))) - gap) - 2.3e-16) / gap)
        se = max(se, abs(float(e) / float(case["se"]) - 1))
    return off, rest, se


@pytest.mark.parametrize("kind", KINDS)
def test_in_batches(kind: str) -> None:
    """ρ within 4e-15, 1 - |ρ| within 1e-13 and the standard error within 2e-9 relative, computed all at once."""
    cases = [case for case in CASES if case["kind"] == kind]
    off, rest, se = errors(cases, *with_error(*tables(cases)))
    assert off <= 4e-15
    assert rest <= 1e-13
    assert se <= 2e-9


@pytest.mark.parametrize("kind", KINDS)
def test_alone(kind: str) -> None:
    """The same for a table alone, which is computed without arrays."""
    cases = [case for case in CASES if case["kind"] == kind]
    got = np.array([with_error(*table) for table in tables(cases).T])
    off, rest, se = errors(cases, *got.T)
    assert off <= 4e-15
    assert rest <= 1e-13
    assert se <= 2e-9


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_values_from_outside(case: dict[str, Any]) -> None:
    """ρ and its standard error as another program found them, to the digits that it printed."""
    rho, error = with_error(*map(float, case["table"]))
    assert abs(float(Fraction(float(rho)) - Fraction(case["rho"]))) < 1e-15
    assert float(error) == pytest.approx(float(case["se"]), rel=2e-8)


@pytest.mark.parametrize("case", SHARED["zero_cell"], ids=lambda case: str(case["table"]))
def test_rules_for_empty_cells(case: dict[str, Any]) -> None:
    """Each rule gives the value from outside; none gives ±1 without a standard error."""
    names = {"half": "replace_zero_by_half", "keep-margins": "keep_margins", "half-all": "half_to_all"}
    for rule, key in names.items():
        got = correlation(*without_zeros(*map(float, case["table"]), rule))
        assert float(got) == pytest.approx(case[key], abs=1e-9)
    rho, error = with_error(*without_zeros(*map(float, case["table"]), "none"))
    assert rho == np.sign(case["keep_margins"])
    assert np.isnan(error)


def test_keep_margins_keeps_them() -> None:
    """The margins stay, no cell is left empty or below 0, and tables without an empty cell stay as they are."""
    rng = np.random.default_rng(1)
    c = rng.integers(0, 3, (4, 500)).astype(float) * rng.choice([0.3, 1.0, 7.0], (1, 500))
    a, b, d, e = without_zeros(*c, "keep-margins")
    np.testing.assert_allclose(a + b, c[0] + c[1], atol=1e-12)
    np.testing.assert_allclose(a + d, c[0] + c[2], atol=1e-12)
    np.testing.assert_allclose(a + b + d + e, c.sum(axis=0), atol=1e-12)
    margins = (c[0] + c[1]) * (c[0] + c[2]) * (c[1] + c[3]) * (c[2] + c[3]) > 0
    assert np.all(np.min([a, b, d, e], axis=0)[margins] > 0)
    full = c.min(axis=0) > 0
    np.testing.assert_array_equal(np.array([a, b, d, e])[:, full], c[:, full])


def test_both_margins_one_half() -> None:
    """With both margins 1/2, ρ = sin(2π(tp/n - 1/4)) (Sheppard 1899): 100,000 tables."""
    x = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 50_001), 10.0 ** -np.linspace(0.31, 12, 50_000)])
    rho = correlation(x / 2, (1 - x) / 2, (1 - x) / 2, x / 2)
    np.testing.assert_allclose(rho, np.sin(np.pi * (x - 0.5)), atol=2e-15)


counts = st.integers(1, 10**9).map(float) | st.floats(1e-20, 1.0)


@given(st.tuples(counts, counts, counts, counts))
def test_signs_and_swaps(table: tuple[float, float, float, float]) -> None:
    """Turning truth or answer changes the sign, swapping both nothing; ρ lies in [-1, 1] with the sign of ad - bc."""
    a, b, c, d = table
    rho, error = with_error(a, b, c, d)
    assert -1 <= rho <= 1
    exact = Fraction(a) * Fraction(d) - Fraction(b) * Fraction(c)
    assert rho * (1 if exact > 0 else -1 if exact < 0 else 0) >= 0
    for turned, sign in (((b, a, d, c), -1), ((c, d, a, b), -1), ((d, c, b, a), 1), ((a, c, b, d), 1)):
        again, spread = with_error(*turned)
        assert float(again) == pytest.approx(float(sign * rho), abs=1e-14)
        assert float(spread) == pytest.approx(float(error), rel=1e-6)


@given(st.tuples(counts, counts, counts, counts))
def test_alone_as_in_batches(table: tuple[float, float, float, float]) -> None:
    """A table alone has the value that it has in a batch."""
    one = with_error(*table)
    many = with_error(*(np.array([x, 1.0]) for x in table))
    assert float(one[0]) == pytest.approx(float(many[0][0]), abs=1e-14)
    assert float(one[1]) == pytest.approx(float(many[1][0]), rel=1e-6)


def test_derivatives() -> None:
    """Along any step of the cells the derivative is that of differences; a complex step of the measure gives it too."""
    from howsure.catalogue import parse

    rng = np.random.default_rng(2)
    c, step = rng.uniform(1, 50, (4, 200)), rng.normal(size=(4, 200))
    _, slope = tetrachoric.along(tuple(c), tuple(step))
    h = 1e-5
    by_difference = (correlation(*(c + h * step)) - correlation(*(c - h * step))) / (2 * h)
    np.testing.assert_allclose(slope, by_difference, atol=1e-8)
    moved = parse("tetrachoric").formula(**dict(zip(("tp", "fp", "fn", "tn"), c + 1e-30j * step, strict=True)))
    np.testing.assert_allclose(np.imag(moved) / 1e-30, slope)


def test_empty_margins_have_no_value() -> None:
    """NaN, in a batch and alone, and nothing else of the batch is lost."""
    rho = correlation(
        np.array([0.0, 0.0, 5.0, 3.0]), np.array([0.0, 0, 5, 2]), np.array([0.0, 3, 0, 1]), np.array([0.0, 9, 0, 5])
    )
    assert np.isnan(rho[:3]).all()
    assert rho[3] == pytest.approx(0.65900226650466463956, abs=1e-15)
    assert np.isnan(correlation(0.0, 0.0, 3.0, 9.0))


def test_shapes() -> None:
    """Arrays broadcast and keep their shape, longer than a chunk too."""
    assert correlation(np.ones((3, 1)), np.ones(4), 2.0, 3.0).shape == (3, 4)
    n = tetrachoric._CHUNK + 5
    assert np.ptp(correlation(np.full(n, 2.0), np.ones(n), np.ones(n), np.full(n, 2.0))) < 1e-15
    assert correlation(np.zeros((0,)), 1.0, 1.0, 1.0).shape == (0,)
