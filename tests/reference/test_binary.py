"""Exact routes against 2,400 values computed with mpmath (make_binary.py): both tails, moments and densities."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from howsure.catalogue import parse
from howsure.catalogue.expressions import CELLS
from howsure.posteriors.routes import Model, exact_law
from tests import tiers

CASES = json.loads((Path(__file__).parent / "binary.json").read_text())
EPS = np.finfo(float).eps
FOUR_GROUPS = "utility:3,-2,-1,0.5"  # a double integral, a second a case
FEW = 1 if tiers.tier == "deep" else 4  # one table in so many, where a case takes long


def law_of(name: str, shapes: tuple[str, ...]) -> Any:
    """The law of a metric at the given shapes of tp, fp, fn, tn."""
    metric = parse(f"utility({name[8:]})" if name.startswith("utility:") else name)
    cells = {c: np.asarray(float(s)) for c, s in zip(CELLS, shapes, strict=True)}
    return exact_law(metric, Model(cells))[0]


def sampled(name: str, shapes: tuple[str, ...]) -> bool:
    """These two are drawn, not integrated, when a shape is tiny."""
    return name in ("a-measure", "fowlkes-mallows") and min(float(s) for s in shapes[:3]) < 0.02


def grouped(kind: str) -> list[tuple[str, dict[tuple[str, ...], list[dict[str, str]]]]]:
    """The cases by metric and shapes."""
    groups: dict[str, dict[tuple[str, ...], list[dict[str, str]]]] = defaultdict(lambda: defaultdict(list))
    for case in CASES[kind]:
        groups[case["metric"]][tuple(case["shapes"])].append(case)
    return [(name, dict(cases)) for name, cases in groups.items()]


def test_there_are_enough_cases() -> None:
    """At least 2,000 tails, over every metric that has an exact route beyond renaming."""
    assert len(CASES["cdf"]) >= 2000
    assert {c["metric"] for c in CASES["cdf"]} >= {"f1", "f2", "fbeta(10)", "a-measure", "informedness", "odds-ratio"}


@pytest.mark.parametrize(("name", "cases"), grouped("cdf"), ids=lambda x: x if isinstance(x, str) else "")
def test_tails(name: str, cases: dict[tuple[str, ...], list[dict[str, str]]]) -> None:
    """cdf and sf within 1e-12 + 8·eps·(|t|+1)·pdf(t) at the exact double t; tails below 1e-6 within 1e-8 relative."""
    for shapes, rows in list(cases.items())[:: FEW if name == FOUR_GROUPS else 1]:
        if sampled(name, shapes):
            continue
        law = law_of(name, shapes)
        t = np.array([float.fromhex(row["t"]) for row in rows])
        cdf, sf = law.tails(t)
        bound = 1e-12 + 8 * EPS * (np.abs(t) + 1) * law.pdf(t)
        for i, row in enumerate(rows):
            want = float(row["cdf"]), float(row["sf"])
            assert abs(cdf[i] - want[0]) <= bound[i], (shapes, t[i])
            assert abs(sf[i] - want[1]) <= bound[i], (shapes, t[i])
            got, small = (cdf[i], want[0]) if want[0] < want[1] else (sf[i], want[1])
            assert small > 1e-6 or abs(got / small - 1) <= 1e-8, (shapes, t[i], got, small)


@pytest.mark.parametrize(("name", "cases"), grouped("cdf"), ids=lambda x: x if isinstance(x, str) else "")
def test_stated_errors_of_quantiles(name: str, cases: dict[tuple[str, ...], list[dict[str, str]]]) -> None:
    """ppf at the exact cdf gives t back within d.error.value, between the 2% and the 98% points."""
    from howsure.posteriors.distribution import Distribution

    for shapes, rows in list(cases.items())[::FEW]:
        law = law_of(name, shapes)
        if name == FOUR_GROUPS or min(float(s) for s in shapes) < 0.3:
            continue
        d = Distribution(name, law, "quadrature", lambda n, seed: np.zeros(n))
        for row in rows:
            q, t = float(row["cdf"]), float.fromhex(row["t"])
            if 0.02 < q < 0.98:
                assert abs(d.ppf(q) - t) <= d.error.value, (shapes, q)


@pytest.mark.parametrize(("name", "cases"), grouped("moments"), ids=lambda x: x if isinstance(x, str) else "")
def test_moments(name: str, cases: dict[tuple[str, ...], list[dict[str, str]]]) -> None:
    """Means within 1e-10 standard deviations (plus rounding), standard deviations within 2e-10; infinite where so."""
    for shapes, rows in cases.items():
        if sampled(name, shapes):
            continue
        law = law_of(name, shapes)
        mean, std = float(law.mean()), float(law.std())
        for row in rows:
            if row["mean"] is None:
                assert mean == np.inf
                continue
            spread = float(row["std"]) if row["std"] else abs(float(row["mean"]))
            assert abs(mean - float(row["mean"])) <= 1e-10 * spread + 4 * EPS * (abs(mean) + 1e-300), shapes
            if row["std"] is None:
                assert std == np.inf
            else:
                # M itself is rounded to eps: relative to a spread of 1e-7 that is all a double can hold
                room = 2e-10 + 8 * EPS * abs(mean) / spread
                assert abs(std / spread - 1) <= room, (shapes, std, spread)


@pytest.mark.parametrize(("name", "cases"), grouped("pdf"), ids=lambda x: x if isinstance(x, str) else "")
def test_densities(name: str, cases: dict[tuple[str, ...], list[dict[str, str]]]) -> None:
    """Densities within 1e-8 relative, 1e-12 apart."""
    for shapes, rows in cases.items():
        if min(float(s) for s in shapes) < 0.01:
            continue  # docs/reference/accuracy.md: densities are not bounded there
        law = law_of(name, shapes)
        t = np.array([float.fromhex(row["t"]) for row in rows])
        want = np.array([float(row["pdf"]) for row in rows])
        np.testing.assert_allclose(law.pdf(t), want, rtol=1e-8, atol=1e-12, err_msg=str(shapes))
