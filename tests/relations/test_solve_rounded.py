"""solve with rounded digits: no true report is called impossible, and no range leaves out the truth."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import HowsureError
from howsure.relations import boxes as covering
from howsure.relations.boxes import line
from howsure.relations.enclosures import SIGNED, Boxes, cell_signs, enclosed
from howsure.relations.quantities import Target, quantity, shown
from howsure.relations.system import when_filled
from howsure.relations.values import given
from tests.relations.reports import CURVED, NAMES, report, score_by_rule, scored_report
from tests.tiers import some

TRUE = {
    "jaccard and kappa": ({"jaccard": "0.3054", "kappa": "-0.0933"}, (1438, 2884, 387, 291)),
    "one rate and balanced accuracy": ({"balanced-accuracy": "0.656", "specificity": "0.429"}, (760, 80, 100, 60)),
    "a margin of 0": ({"accuracy": "0.80", "precision": "0.00", "phi": "-0.05"}, (0, 190, 10, 800)),
    "one empty cell": ({"tetrachoric": "1.00", "prevalence": "0.00", "macro-f1": "0.41"}, (2, 756, 0, 1645)),
    "a cell of a million": ({"phi": "0.0006", "recall": "0.5000", "npv": "1.0000"}, (1, 299000, 1, 700998)),
}


def outside(s: hs.relations.Solution, table: np.ndarray, counted: bool) -> list[str]:
    """The measures and cells whose true value is not in its range."""
    missed = []
    for q in (*map(quantity, ("tp", "fp", "fn", "tn")), *shown()):
        value = float(q.at(table)) / (table.sum() if q.sized and not counted else 1.0)
        if np.isfinite(value):
            low, high = s.ranges[q.name]
            slack = 1e-9 * max(1.0, abs(value))
            missed += [] if low - slack <= value <= high + slack else [q.name]
    return missed


@pytest.mark.parametrize("name", some(TRUE, every=2))
def test_reports_that_are_true(name):
    """They were called infeasible, or ranges left out the table."""
    values, table = TRUE[name]
    for measure, x in values.items():
        assert given(measure, x).holds(quantity(measure).at(np.array(table)))
    s = hs.solve(values)
    assert s.status == "undetermined"
    assert outside(s, np.array(table, dtype=float), False) == []


@pytest.mark.parametrize("first", some(range(0, 2000, 50), every=20))
def test_no_true_report_is_infeasible(first):
    """Of 2,000 random reports none is called impossible, and at most 1% are not solved."""
    found = [hs.solve(r.values, n=r.n).status for r in map(report, range(first, first + 50))]
    assert "infeasible" not in found
    assert found.count("not-found") <= 1


@pytest.mark.parametrize("seed", some(range(2000), every=500))
def test_the_truth_is_within_every_range(seed):
    """The table behind a report lies in the ranges of all measures and cells."""
    r = report(seed)
    s = hs.solve(r.values, n=r.n)
    if s.status == "undetermined":
        assert outside(s, r.table, r.n is not None) == []


PRINTED = {  # tables with an empty cell, whose tetrachoric correlation score prints with that cell filled
    "four positives": ({"tetrachoric": "0.484", "jaccard": "0.002", "balanced-accuracy": "0.882", "recall": "1.000"},
                       (4, 2159, 0, 7028)),
    "no answer wrong": ({"tetrachoric": "0.98", "f0.5": "1.00", "f1": "1.00", "kappa": "1.00"}, (2, 0, 0, 1645)),
    "the other sign": ({"tetrachoric": "0.124", "recall": "0.000", "fallout": "0.048"}, (0, 5, 7, 100)),
    "three items": ({"tetrachoric": "-0.397", "recall": "0.500", "kappa": "0.400"}, (1, 0, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", some(PRINTED, every=3))
def test_scores_with_a_filled_cell_are_no_contradiction(name):
    """Our own output was called infeasible; whole numbers find the table too, and a filled cell has its limits."""
    values, table = PRINTED[name]
    cells = np.array(table, dtype=float)
    assert given("tetrachoric", values["tetrachoric"]).holds(score_by_rule(cells))
    s = hs.solve(values)
    assert s.status == "undetermined"
    assert s.ranges["tetrachoric"][0] <= score_by_rule(cells) <= s.ranges["tetrachoric"][1]
    assert set(outside(s, cells, False)) <= {"tetrachoric"}  # as a limit it is 1 or -1
    counted = hs.solve(values, n=sum(table))
    assert counted.status == "undetermined"
    whole = hs.solve(values, n=sum(table), integers=True)
    assert dict(zip(("tp", "fp", "fn", "tn"), table, strict=True)) in whole.tables


def test_a_filled_cell_explains_only_so_much():
    """1/2 of a million items moves little: what that cannot give is still impossible."""
    values = {"tetrachoric": "0.300", "recall": "1.0000", "precision": "0.600", "prevalence": "0.300"}
    assert hs.solve(values, n=1_000_000).status == "infeasible"
    assert hs.solve(values | {"tetrachoric": "-0.300"}).status == "infeasible"


def test_the_range_of_the_tetrachoric_correlation_holds_its_score():
    """Not given itself, with an empty cell: from the score of a few items to the limit of many."""
    s = hs.solve(jaccard="0.002", balanced_accuracy="0.882", recall="1.000")
    low, high = s.ranges["tetrachoric"]
    assert low <= score_by_rule(np.array([4.0, 2159.0, 0.0, 7028.0])) <= high == 1


@pytest.mark.parametrize("first", some(range(0, 400, 20), every=19))
def test_no_scored_report_is_infeasible(first):
    """Random reports of tables with empty cells, with the tetrachoric correlation as score prints it."""
    found = [hs.solve(r.values, n=r.n).status for r in map(scored_report, range(first, first + 20))]
    assert "infeasible" not in found
    assert found.count("not-found") <= 1


def test_what_is_called_impossible_is():
    """Random digits of two or three measures: where solve says infeasible, no table of up to 14 items has them."""
    tables = np.array([t for t in itertools.product(range(15), repeat=4) if 0 < sum(t) <= 14])
    rng = np.random.default_rng(8)
    seen = {"infeasible": 0, "undetermined": 0, "not-found": 0}
    for _ in range(40):
        names = rng.choice(CURVED, 1).tolist() + rng.choice(NAMES, 2).tolist()
        values = {x: f"{rng.uniform(*np.clip(quantity(x).bounds, -2, 2)):.1f}" for x in names}
        status = hs.solve(values).status
        seen[status] += 1
        if status == "infeasible":
            agree = np.ones(len(tables), dtype=bool)
            for x, text in values.items():
                agree &= np.asarray(given(x, text).holds(quantity(x).at(tables)))
            assert not agree.any()
    assert min(seen["infeasible"], seen["undetermined"]) >= 5
    assert seen["not-found"] <= 2


def test_a_search_in_vain_is_not_called_infeasible(monkeypatch, capsys):
    """Neither a table nor a proof: a status of its own, in Python, JSON, text and exit code."""
    monkeypatch.setattr(covering, "_BUDGET", 0)
    s = hs.solve(jaccard="0.3054", kappa="-0.0933")
    assert (s.status, s.tables, s.ranges) == ("not-found", (), {})
    assert s.why.startswith("no table with jaccard 0.3054 and kappa -0.0933 was found, but it is not certain")
    document = json.loads(json.dumps(s.to_dict()))
    assert (document["schema"], document["status"], document["rows"]) == ("howsure.solve/2", "not-found", [])
    with pytest.raises(HowsureError, match="not certain"):
        _ = s.table
    for kind in ("table", "markdown", "latex", "html", "csv", "json"):
        assert app.run(["solve", "jaccard=.3054", "kappa=-.0933", "--format", kind]) == 0
        out, err = capsys.readouterr()
        assert "not-found" in out
        assert "give n" in out
        assert err == ""


# -- bounds over boxes


def some_boxes(rng: np.random.Generator, count: int) -> Boxes:
    width = 2.0 ** -rng.integers(0, 12, (count, 3))
    low = np.floor(rng.random((count, 3)) ** 3 / width) * width
    return Boxes(rng.integers(0, 24, count), low, low + width)


@pytest.mark.parametrize("name", [*NAMES, "chi-square"])
def test_bounds_hold_every_table_of_a_box(name):
    """In the middle, at the sides and at the vertices of boxes of all shapes."""
    rng = np.random.default_rng(6)
    boxes = some_boxes(rng, 400)
    target = Target(quantity(name), quantity("n") if name == "chi-square" else None)
    low, high = enclosed(target, boxes)
    for _ in range(20):
        part = rng.random((400, 3))
        part = np.where(rng.random(part.shape) < 0.3, np.round(part), part)
        t = np.maximum((boxes.low + part * (boxes.high - boxes.low)) ** 2, 1e-40)
        value = target.at(boxes.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2]))
        slack = 1e-12 * np.maximum(1.0, np.abs(value))
        assert ((value >= low - slack) & (value <= high + slack))[~np.isnan(value)].all()


@pytest.mark.parametrize("fewest", [1.0, 30.0])
def test_bounds_hold_the_filled_cells_of_a_box(fewest):
    """On the faces where the smallest cell is empty, or two cells across, for tables of any number of items."""
    rng = np.random.default_rng(11)
    boxes = some_boxes(rng, 600)
    two = rng.random(600) < 0.3
    which = np.where(two, 1, 2)
    high = boxes.high - np.where(np.arange(3) == which[:, None], boxes.low, 0.0)
    boxes = Boxes(boxes.cube, np.where(np.arange(3) == which[:, None], 0.0, boxes.low), high)
    low, high = enclosed(Target(quantity("tetrachoric"), fewest=fewest), boxes)
    seen = 0
    for _ in range(20):
        t = (boxes.low + rng.random((600, 3)) * (boxes.high - boxes.low)) ** 2
        t[np.arange(600), which] = 0.0
        table = boxes.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2])
        value = when_filled(table, fewest * 10.0 ** rng.choice([0.0, 0.5, 3.0], 600))
        known = ~np.isnan(value)
        seen += known.sum()
        assert ((value >= low - 1e-12) & (value <= high + 1e-12))[known].all()
    assert seen > 8000


@pytest.mark.parametrize("name", CURVED)
def test_what_is_said_to_rise_with_a_cell_does(name):
    """On tables of all kinds, by a difference: the signs that bounds rely on; and one turn at most along t2."""
    q = quantity(name)
    signs = cell_signs(q)
    if signs is None:
        return
    rng = np.random.default_rng(9)
    count = 300 if name == "tetrachoric" else 20_000
    tables = 10.0 ** rng.uniform(-9, 0, (count, 4))
    value = q.at(tables)
    for i, sign in enumerate(signs):
        more = tables.copy()
        more[:, i] *= 1.5
        change = q.at(more) - value
        assert (sign * change >= -1e-12 * np.maximum(1e-3, np.abs(value))).all()
        assert sign != 0 or (np.abs(change) <= 1e-12 * np.abs(value)).all()
    for pair in ((0, 1), (0, 2), (3, 1), (3, 2)):
        scale = np.ones((41, 1, 4))
        scale[:, :, pair] = 10.0 ** np.linspace(-6, 6, 41)[:, None, None]
        values = q.at(tables[:2000] * scale)
        along = np.diff(np.abs(values) if name in SIGNED else values, axis=0)
        along = np.sign(np.where(np.abs(along) > 1e-11 * np.maximum(1e-3, np.abs(value[:2000])), along, 0.0))
        for way in along.T:
            steps = way[way != 0]
            assert (np.diff(steps) != 0).sum() <= 1
            assert name not in SIGNED or (np.diff(steps) <= 0).all()  # away from 0, then back to it


@pytest.mark.parametrize("name", [x for x in (*NAMES, "chi-square") if x != "tetrachoric"])
def test_lines_are_as_far_off_as_they_say(name):
    """Over boxes of all shapes: the value in the middle, the change to the sides, and the rest."""
    rng = np.random.default_rng(7)
    boxes = some_boxes(rng, 400)
    target = Target(quantity(name), quantity("n") if name == "chi-square" else None)
    found = line(target, boxes)
    low, high = (np.log(x) for x in boxes.steps)
    known = np.isfinite(found.rest)
    assert known.mean() > 0.5
    for _ in range(10):
        part = rng.uniform(-1, 1, (400, 3))
        t = np.exp(0.5 * (low + high) + part * 0.5 * (high - low))
        value = target.at(boxes.cells(t[:, 0], t[:, 1], t[:, 1], t[:, 2]))
        off = np.abs(value - found.value - (found.change * part.T).sum(axis=0))
        assert (off <= found.rest + 1e-12 * np.maximum(1.0, np.abs(value)))[known].all()
