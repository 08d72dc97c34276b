"""Surfaces, break-even sections and the 11-point average: against solve, against closed forms, at the edges."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import howsure as hs
from howsure.catalogue.expressions import CELLS
from howsure.relations import break_even, eleven_point, surface
from howsure.relations import surfaces as rendered
from howsure.relations.enclosures import Boxes
from howsure.relations.quantities import quantity, shown
from howsure.relations.roots import roots
from howsure.relations.surfaces import LEVELS
from tests.tiers import some

NAMES = [q.name for q in shown()]
LINEAR = [q.name for q in shown() if q.linear is not None]


def solved(values: dict[str, float], z: str) -> tuple[int, float, float]:
    """What solve says: the number of tables (-1 for a continuum), and the lowest and highest z."""
    found = hs.solve(values).outcome
    if found.region is not None:
        return (-1, *(found.region.spans((quantity(z),))[0] or (np.nan, np.nan)))
    z_values = np.asarray(quantity(z).at(found.tables))
    z_values = z_values[~np.isnan(z_values)]
    return (len(found.tables), *((z_values.min(), z_values.max()) if z_values.size else (np.nan, np.nan)))


def chosen(rng: random.Random) -> tuple[dict[str, float], str]:
    """Three measures with the values of a random table, sometimes changed, and a fourth to ask for."""
    table = np.array([rng.choice([0.0, 1.0, 10 * rng.random(), 10 ** rng.uniform(-3, 2)]) for _ in range(4)])
    names = [*rng.sample(LINEAR, 2), rng.choice(NAMES)]
    values = {}
    for name in rng.sample(names, 3):
        value = float(quantity(name).at(table)) if table.any() else np.nan
        low, high = quantity(name).bounds
        values[name] = value if np.isfinite(value) and rng.random() < 0.7 else round(rng.uniform(low, min(high, 20)), 2)
    return values, rng.choice(NAMES)


@pytest.mark.parametrize("seed", some(range(60), every=6))
def test_a_surface_is_solve_at_every_point(seed: int) -> None:
    """Number of tables and values are those of solve, for random measures at random values."""
    values, z = chosen(random.Random(seed))
    if len(values) < 3:
        return
    (x, at_x), (y, at_y), (name, at) = values.items()
    s = surface(z, x, y, {name: at}, x_values=[at_x], y_values=[at_y])
    tables, low, high = solved(values, z)
    assert s.tables.item() == tables
    within = 1e-6 if tables >= 0 else 1e-3  # solve searches a continuum
    if not (z == "tetrachoric" and tables < 0):  # where it tends to a limit as slowly as 1/log
        assert [s.low.item(), s.high.item()] == pytest.approx([low, high], rel=within, abs=within, nan_ok=True)


@pytest.mark.parametrize("seed", some(range(8), every=3))
def test_a_whole_grid_is_solve_at_its_points(seed: int) -> None:
    """The same on grids with the ends of the ranges among their values."""
    rng = random.Random(seed)
    sets = [("precision", "recall", "fallout"), ("phi", "bias", "prevalence"), ("kappa", "recall", "precision"),
            ("accuracy", "f1", "informedness"), ("recall", "specificity", "accuracy"), ("npv", "g-mean", "bias"),
            ("f2", "markedness", "jaccard"), ("lr-plus", "precision", "miss-rate")]  # fmt: skip
    x, y, third = sets[seed]
    at = round(rng.uniform(0.05, 0.6), 2)
    s = surface("f0.5", x, y, {third: at}, size=5)
    for j, i in np.ndindex(5, 5):
        tables, low, high = solved({x: float(s.x_values[i]), y: float(s.y_values[j]), third: at}, "f0.5")
        assert s.tables[j, i] == tables, (s.x_values[i], s.y_values[j])
        assert [s.low[j, i], s.high[j, i]] == pytest.approx([low, high], rel=1e-5, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize(
    ("z", "axes", "fixed"),
    [
        ("phi", ("break-even", "fallout"), {}),
        ("tetrachoric", ("break-even", "kappa"), {}),
        ("kappa", ("break-even", "f1"), {}),
        ("phi", ("precision", "recall"), {"fallout": 0.01}),
        ("kappa", ("recall", "specificity"), {"accuracy": 0.75}),
        ("kappa", ("phi", "recall"), {"precision": 0.0}),
        ("g-mean", ("phi", "kappa"), {"precision": 0.0}),
    ],
)
def test_surfaces_halve_no_boxes(
    monkeypatch: pytest.MonkeyPatch, z: str, axes: tuple[str, str], fixed: dict[str, float]
) -> None:
    """Bounds that are proved take a hundred times as long as a point of a surface should, a continuum included."""
    halved: list[int] = []
    halves = Boxes.halves
    monkeypatch.setattr(Boxes, "halves", lambda boxes, along: halved.append(len(boxes)) or halves(boxes, along))
    x, y = axes
    s = surface(z, x, y, fixed, size=5) if fixed else break_even(z, y, size=5)
    assert (s.tables == -1).any()
    assert not halved
    if y == "f1":  # the count does count
        solved({"precision": 0.5, "phi": 0.3}, "recall")
        assert halved


@pytest.mark.parametrize(
    ("values", "z", "ends"),
    [
        ({"recall": 1, "precision": 1, "fallout": 0}, "phi", (1, 1)),  # prevalence is free, and no error is made
        ({"recall": 1, "precision": 1, "fallout": 0}, "tetrachoric", (1, 1)),
        ({"recall": 0, "precision": 0, "fallout": 1}, "phi", (-1, -1)),
        ({"recall": 0, "precision": 0, "fallout": 0.02}, "tetrachoric", (-1, -1)),  # no table has a tp
        ({"recall": 0, "precision": 0, "fallout": 0.02}, "phi", (-(0.02**0.5), 0)),  # limits at no and all positives
        ({"recall": 0.8, "specificity": 0.8, "accuracy": 0.8}, "phi", (0, 0.6)),
        ({"recall": 0.8, "specificity": 0.8, "accuracy": 0.8}, "kappa", (0, 0.6)),
        ({"recall": 0.8, "specificity": 0.8, "accuracy": 0.8}, "tetrachoric", (0, np.sin(0.3 * np.pi))),  # at a half
        ({"precision": 0.5, "recall": 0.4}, "phi", (-(0.3**0.5), 0.2**0.5)),  # tn from nothing to everything
    ],
)
def test_ends_over_a_segment_of_tables_are_reached_or_limits(
    values: dict[str, float], z: str, ends: tuple[float, float]
) -> None:
    """A single direction is free: solve and surfaces have the same ends, by hand."""
    tables, low, high = solved(values, z)
    assert tables == -1
    assert [low, high] == pytest.approx(ends, abs=1e-9)
    if len(values) == 3:
        (x, at_x), (y, at_y), third = values.items()
        s = surface(z, x, y, dict([third]), x_values=[at_x], y_values=[at_y])
        assert [s.low.item(), s.high.item()] == pytest.approx(ends, abs=1e-9)


@given(*[st.integers(1, 10**6)] * 4)
def test_shares_are_exact(tp: int, fp: int, fn: int, tn: int) -> None:
    """Cofactors lose no digits: z from floats is z of the table in fractions, for cells of any size."""
    table = dict(zip(CELLS, map(Fraction, (tp, fp, fn, tn)), strict=True))
    p, r, a = (float(quantity(m).formula(**table)) for m in ("precision", "recall", "fallout"))
    s = surface("phi", "precision", "recall", x_values=p, y_values=r, fallout=a)
    wanted = float(quantity("phi").at([tp, fp, fn, tn]))
    assert s.values.item() == pytest.approx(wanted, abs=1e-13 + 4e-16 / min(1 - p, 1 - r, 1 - a) / min(p, r, a))


def test_the_papers_differences() -> None:
    """Ishioka 3.1: tetrachoric minus phi at recall 0.4, fallout 0.01, precision 0.05, 0.5, 0.95."""
    at = {"x_values": [0.05, 0.5, 0.95], "y_values": 0.4, "fallout": 0.01}
    gap = surface("tetrachoric", **at).values - surface("phi", **at).values
    assert gap.round(3).tolist() == [[0.503, 0.381, 0.346]]


def test_corrected_equation_14() -> None:
    """phi from recall, precision and fallout in closed form, over a whole surface but its edges."""
    p = r = np.linspace(0.01, 0.99, 99)
    for a in (1e-6, 0.01, 0.2):
        s = surface(x_values=p, y_values=r, fallout=a)
        root = (1 - p) / (r[:, None] * (a * (1 / r[:, None] - 1) + (1 / p - 1) * (1 - a)))
        np.testing.assert_allclose(s.values, (r[:, None] - a) * np.sqrt(root), rtol=1e-12, atol=1e-15)
        assert s.feasible == 1


# -- holes


def test_infeasible_points_are_masked() -> None:
    """Accuracy lies between recall and specificity, or equals both; elsewhere JSON has null, and the share is told."""
    s = surface("precision", "recall", "specificity", accuracy=0.8, size=21)
    x, y = np.meshgrid(s.x_values, s.y_values)
    between = (np.round(x - 0.8, 9) * np.round(y - 0.8, 9) < 0) | (np.round(np.abs(x - 0.8) + np.abs(y - 0.8), 9) == 0)
    np.testing.assert_array_equal(s.tables != 0, between)
    assert s.feasible == between.mean()
    rows = s.to_dict()["rows"]
    assert [row["z"] is None for row in rows] == s.mask.ravel().tolist()
    assert "no table has these measures at 312 of 441 points" in str(s)


def test_two_tables_are_told() -> None:
    """Recall 0.6, fallout 1/15 and phi 1/√3 have two tables: precision 0.75 and 0.875, and neither is picked."""
    s = surface("precision", "recall", "fallout", x_values=0.6, y_values=1 / 15, phi=3**-0.5)
    assert s.tables.item() == 2
    assert np.isnan(s.values.item())
    assert [s.low.item(), s.high.item()] == pytest.approx([0.75, 0.875], abs=1e-12)
    assert s.status.item() == "several"
    same = surface("informedness", "recall", "fallout", x_values=0.6, y_values=1 / 15, phi=3**-0.5)
    assert same.tables.item() == 2
    assert same.values.item() == pytest.approx(0.6 - 1 / 15)


def test_a_continuum_is_told() -> None:
    """Recall = specificity = accuracy leaves the prevalence free: a span for precision, one value of informedness."""
    at = {"x": "recall", "y": "specificity", "x_values": 0.8, "y_values": 0.8, "accuracy": 0.8}
    s = surface("precision", **at)
    assert s.status.item() == "free"
    assert s.tables.item() == -1
    assert np.isnan(s.values.item())
    assert [s.low.item(), s.high.item()] == pytest.approx([0, 1])
    assert surface("informedness", **at).values.item() == pytest.approx(0.6, abs=1e-6)
    along = surface("precision", "recall", "fallout", informedness=0.5, x_values=[0.5, 0.8], y_values=[0.3])
    assert along.status.tolist() == [["none", "free"]]
    assert along.solved == 0
    assert [along.low[0, 1], along.high[0, 1]] == pytest.approx([0, 1])


def test_undefined_and_infinite_values() -> None:
    """0/0 and infinity have names of their own, and are null in JSON."""
    s = surface("odds-ratio", "recall", "fallout", prevalence=0.5, size=3)
    assert s.status.tolist() == [["undefined", "one", "one"], ["one"] * 3, ["one", "one", "undefined"]]
    assert np.isinf(s.values[0, 1])
    document = json.loads(json.dumps(s.to_dict(), allow_nan=False))
    assert [row["z"] for row in document["rows"]] == [None, None, None, 0, 1, None, 0, 0, None]
    assert "infinite" in str(s)
    assert "0/0" in str(s)


def test_extremes() -> None:
    """Very small values keep their digits; an empty cell gives a tetrachoric correlation of ±1."""
    a = 1e-9
    s = surface("prevalence", x_values=0.5, y_values=[0.25, 1.0], fallout=a)
    tp = 1 / (1 / 0.25 + 1 / a)
    assert s.values[0, 0] == pytest.approx(4 * tp, rel=1e-12)
    assert surface("tetrachoric", x_values=0.5, y_values=1.0, fallout=0.1).values.item() == 1
    assert surface("phi", x_values=1.0, y_values=0.5, fallout=0.1).tables.item() == 0


def test_measures_that_are_no_quotients() -> None:
    """With less than two quotients of sums every point is solved on its own, on a coarser grid, and this is told."""
    s = surface("precision", "phi", "kappa", prevalence=0.5, x_values=[0.3], y_values=[0.2, 0.25])
    assert s.solved == 2
    assert "solved one by one: 2 of 2 points" in str(s)
    for j, kappa in enumerate(s.y_values):
        tables, low, high = solved({"phi": 0.3, "kappa": float(kappa), "prevalence": 0.5}, "precision")
        assert (s.tables[j, 0], s.low[j, 0], s.high[j, 0]) == pytest.approx((tables, low, high), rel=1e-6)


def test_counts_with_n() -> None:
    """Counts are measures when n is given, on any axis."""
    s = surface("tn", "tp", "fp", x_values=[30], y_values=[10], recall=0.6, n=200)
    assert s.values.item() == pytest.approx(140)
    chi = surface("recall", "chi-square", "positives", x_values=[200 / 3], y_values=[50], bias=0.2, n=200)
    assert chi.low.item() == pytest.approx(0, abs=1e-9) or chi.high.item() == pytest.approx(0.6)


# -- break-even


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_at_break_even_phi_is_recall_minus_fallout(tp: int, wrong: int, tn: int) -> None:
    """With fp = fn, phi = informedness = markedness = recall - fallout, in exact fractions squared."""
    table = dict(zip(CELLS, map(Fraction, (tp, wrong, wrong, tn)), strict=True))
    r, a, i, m = (quantity(q).formula(**table) for q in ("recall", "fallout", "informedness", "markedness"))
    assert i == m == r - a
    assert quantity("precision").formula(**table) == r
    phi = float(quantity("phi").at([tp, wrong, wrong, tn]))
    assert phi == pytest.approx(float(r - a), abs=1e-12)


def test_break_even_sections() -> None:
    """The section is the diagonal of the surface; phi, informedness and markedness are v - fallout on it."""
    v, a = np.linspace(0.02, 0.98, 49), np.array([0.01, 0.1, 0.2])
    for name in ("phi", "informedness", "markedness"):
        s = break_even(name, x_values=v, y_values=a)
        np.testing.assert_allclose(s.values, v - a[:, None], atol=1e-14)
        assert (s.x, s.y, s.fixed) == ("break-even", "fallout", {})
    whole = surface("tetrachoric", x_values=v, y_values=v, fallout=0.1)
    np.testing.assert_allclose(break_even("tetrachoric", x_values=v, y_values=0.1).values[0], np.diag(whole.values))
    assert break_even("accuracy", "prevalence", x_values=0.8, y_values=0.25).values.item() == pytest.approx(0.9)


# -- 11 points


def test_eleven_points_at_full_recall() -> None:
    """At recall 1 phi² = (1 - fallout)·precision: one solution; at recall 0 there is none."""
    e = eleven_point("phi", [0.3, 0.6], fallout=[0.05])
    np.testing.assert_allclose(e.precision[0, :, -1], np.array([0.09, 0.36]) / 0.95, rtol=1e-9)
    assert np.isnan(e.precision[0, :, 0]).all()
    assert not e.reachable[0, :, 0].any()


@pytest.mark.parametrize("measure", ["phi", "tetrachoric", "kappa"])
def test_eleven_points_have_the_target(measure: str) -> None:
    """Every precision found gives the measure its target; lowest and highest lie on the two sides of the peak."""
    low, high = (eleven_point(measure, [0.4, 0.8], fallout=[0.01, 0.1], rule=rule) for rule in ("lowest", "highest"))
    np.testing.assert_array_equal(low.reachable, high.reachable)
    assert 0 < low.share.min() < 1
    assert (low.precision[low.reachable] <= high.precision[low.reachable]).all()
    for e in (low, high):
        for i, j, k in np.argwhere(e.reachable & (LEVELS < 1)):
            p = e.precision[i, j, k]
            s = surface(measure, x_values=p, y_values=LEVELS[k], fallout=e.fallout[i])
            assert s.values.item() == pytest.approx(e.values[j], abs=2e-7 / (1 - p))


def test_no_target_is_missed() -> None:
    """At recall r and fallout a phi peaks at √(r(1-a)) - √(a(1-r)): targets up to there are reached, none above."""
    e = eleven_point("phi", fallout=[0.02, 0.1])
    for i, a in enumerate(e.fallout):
        peak = np.sqrt(LEVELS * (1 - a)) - np.sqrt(a * (1 - LEVELS))
        reached = (e.values[:, None] <= peak + 1e-9) & (LEVELS > 0)
        reached[:, -1] = e.values < peak[-1]
        np.testing.assert_array_equal(e.reachable[i], reached)
    assert np.sqrt(0.5 * 0.98) - np.sqrt(0.02 * 0.5) == pytest.approx(
        0.6, abs=1e-15
    )  # a target that is the peak itself
    assert e.reachable[0, 11, 5]
    assert e.values[11] == pytest.approx(0.6)


def test_the_papers_bisection() -> None:
    """It agrees with the lowest solution where phi rises up to the middle of the range, and answers without one too."""
    low, halved = (eleven_point("phi", [0.3], fallout=[0.05], rule=rule) for rule in ("lowest", "bisection"))
    assert not np.isnan(halved.precision).any()
    assert halved.precision[0, 0, 5:] == pytest.approx(low.precision[0, 0, 5:], abs=1e-9)
    assert halved.precision[0, 0, 0] == pytest.approx(0.99)
    np.testing.assert_array_equal(low.share, halved.share)


# -- results


def test_surfaces_are_results() -> None:
    """Long frame, CSV, JSON, Markdown, LaTeX, HTML; a table of 11 x 11 at most; a line when asked for its name."""
    s = surface(fallout=0.01)
    assert repr(s) == "Surface(phi by precision and recall, fallout 0.01: 101 x 101, 97.1% feasible)"
    frame = s.to_frame()
    assert list(frame.columns) == ["x", "y", "z", "low", "high", "tables", "status"]
    assert len(frame) == 101 * 101
    at = frame[(frame.x == 0.5) & (frame.y == 0.4)]
    assert at.z.item() == s.values[40, 50]
    lines = str(s).splitlines()
    assert sum(line[:20].strip().replace(".", "").isdigit() for line in lines) == 11
    assert max(map(len, lines)) < 120
    json.dumps(s.to_dict(), allow_nan=False)
    assert s.to_csv().startswith("x,y,z,low,high,tables,status\n")
    for text in (s.to_markdown(), s.to_latex(), s.to_html()):
        assert "0.435" in text
    e = eleven_point("phi")
    json.dumps(e.to_dict(), allow_nan=False)
    assert "rule lowest" in str(e)
    assert len(e.to_frame()) == 4 * 19
    assert repr(e) == "ElevenPoint(phi, lowest: 19 values, 4 fallouts, 52.8% of levels feasible)"


def test_shown_places_are_even() -> None:
    """Of 101 values every tenth is shown, of few all."""
    assert rendered._some(101) == list(range(0, 101, 10))
    assert rendered._some(4) == [0, 1, 2, 3]
    assert rendered._some(1) == [0]


# -- roots


def test_roots_of_many_functions() -> None:
    """Roots at the ends, close pairs, a touch and none: all are found, and what is 0 throughout is told."""
    functions = [
        lambda t: t - 0.25,
        lambda t: (t - 0.5) ** 2 - 1e-10,
        lambda t: (t - 0.5) ** 2,
        lambda t: (t - 0.5) ** 2 + 1e-3,
        lambda t: t * (1 - t),
        lambda t: 0 * t,
        lambda t: np.sin(20 * t),
        lambda t: t - 1e-12,
    ]

    def off(rows, s):
        t = expit(s)
        return np.stack([functions[r](x) for r, x in zip(rows, t, strict=True)]) if rows.size else np.zeros(s.shape)

    found = roots(off, np.ones(len(functions)))
    got = [expit(found.places[found.rows == k]) for k in range(len(functions))]
    assert found.throughout.tolist() == [5]
    assert got[0] == pytest.approx([0.25], abs=1e-15)
    assert got[1] == pytest.approx([0.5 - 1e-5, 0.5 + 1e-5], abs=1e-9)
    assert got[2] == pytest.approx([0.5], abs=1e-4)
    assert got[3].size == 0
    assert got[4].tolist() == [0, 1]
    assert got[6] == pytest.approx(np.arange(7) * np.pi / 20, abs=1e-12)
    assert got[7] == pytest.approx([0], abs=1e-11)
