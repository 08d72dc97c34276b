"""solve on what people mistype, contradict and leave open: no trace, no hang, no table that the values rule out."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.catalogue import parse
from howsure.catalogue.expressions import CELLS
from howsure.cli import app
from howsure.errors import HowsureError
from howsure.relations.posterior_over_tables import table_weights
from howsure.relations.quantities import quantity
from tests.tiers import some, tolerance

TWO = {"a": {"f1": "0.50"}, "b": {"f1": "0.60"}}
REFUSED = {
    "a huge exponent": ({"n": "1e999999999"}, "1e999999999"),
    "a huge number": ({"precision": "1e400"}, "1e400"),
    "a tiny number": ({"precision": "1e-400"}, "1e-400"),
    "a huge Decimal": ({"precision": Decimal("1e999999")}, "1E\\+999999"),
    "a signalling NaN": ({"precision": Decimal("sNaN")}, "finite"),
    "thousands with a comma": ({"n": "1,000", "precision": 0.5}, "Did you mean 1000"),
    "a comma for the point": ({"precision": "0,75"}, "Did you mean 0.75"),
    "a share for a count": ({"tp": "50%", "n": 10}, "tp is a count"),
    "a word for an end": ({"precision": ("low", 0.8)}, "both ends"),
    "ends the wrong way round": ({"precision": (0.8, 0.7)}, "0.8 to 0.7"),
    "digits and a number": ({"recall": 0.5, "sensitivity": "0.5"}, "as 0.5 and as '0.5'"),
    "no tables wanted": ({"precision": 0.5, "n": 10, "integers": True, "most": 0}, "most="),
    "a share of tables": ({"precision": 0.5, "n": 10, "integers": True, "most": 1.5}, "most="),
    "more items than are searched": ({"precision": ".75", "recall": ".6", "n": 10**15, "integers": True}, "n = 1,000,"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_sentence(name):
    """What was given is in the message; nothing runs on."""
    values, said = REFUSED[name]
    with pytest.raises(HowsureError, match=said):
        hs.solve(**values)


@pytest.mark.parametrize("measures", ["precision", [("precision", 0.5)], 5, {"a": {"f1": 0.5}, "b": 0.4}])
def test_measures_of_another_kind(measures):
    """No mapping, or one of measures and systems mixed, is told apart from an unknown name."""
    with pytest.raises(HowsureError, match="mapping"):
        hs.solve(measures)


SYSTEMS = {
    "wins as a list": ({"wins": [("a", "b")]}, "wins="),
    "a number for a system": ({"wins": {("a", 5): (1, 2)}}, "no system named 5"),
    "wins twice": ({"wins": {("a", "b"): (1, 2), ("b", "a"): (2, 1)}}, "twice"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_wins_of_another_kind(name):
    """Wins that are no mapping of pairs are refused; the same pair in both orders too."""
    more, said = SYSTEMS[name]
    with pytest.raises(HowsureError, match=said):
        hs.solve(TWO, n=10, **more)


def test_systems_without_values_or_with_another_n():
    """A system with nothing to say, and one that contradicts what all share."""
    with pytest.raises(HowsureError, match="'a' has no values"):
        hs.solve({"a": {}}, n=10)
    with pytest.raises(HowsureError, match="n is 10 for all systems, but 5 for 'a'"):
        hs.solve({"a": {"n": 5, "f1": "0.50"}}, n=10)


def test_misfits_are_named():
    """Wins that cannot be, and systems that cannot share their items, are told by name."""
    assert "wins 50 and 1 of a and b" in hs.solve(TWO, n=10, wins={("a", "b"): (50, 1)}).why
    s = hs.solve({"a": {"positives": 3, "tp": 2}, "b": {"positives": 4, "tp": 2}, "c": {"tp": 1}}, n=10)
    assert "a and b cannot" in s.why


COMMANDS = {
    "an empty system": ["--system", "", "n=10"],
    "a setting for a measure": ["most=20", "n=10", "--system", "a f1=.5"],
    "a superscript for wins": ["n=10", "--system", "a f1=.5", "--system", "b f1=.6", "--wins", "a,b=²,1"],
    "wins twice": [
        "n=20",
        *("--system", "a f1=.5", "--system", "b f1=.6"),
        *("--wins", "a,b=2,1", "--wins", "a,b=1,2"),
    ],
    "a posterior of fractions": ["P=.75", "R=.61", "acc=.85", "n=200", "--exact", "--posterior", "f1"],
    "exact systems": ["n=10", "--system", "a f1=.5", "--exact"],
    "most of no tables": ["P=.75", "R=.61", "--most", "3"],
    "ties of exact values": ["P=.75", "R=.61", "n=200", "--exact", "--ties", "either"],
    "a huge exponent": ["n=1e999999999", "precision=.5"],
    "a percentage of a count": ["n=50%", "precision=.5"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_end_in_one_line_and_code_2(name, capsys):
    """Never code 70, never a value that is quietly left out."""
    assert app.run(["solve", *COMMANDS[name]]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("text", some(["phi=-.6..-.5", "phi=-.6 to -.5", "phi=-60%..-50%", "phi=-.6--.5"], every=2))
def test_ranges_of_negative_values(text, capsys):
    """A range may be below 0, on the command line too."""
    app.run(["solve", "recall=.5", text, "--format", "csv"])
    lines = dict(x.split(",", 1) for x in capsys.readouterr().out.splitlines())
    assert [round(float(x), 6) for x in lines["phi"].split(",")] == [-0.6, -0.5]


def test_the_same_value_twice_is_no_contradiction(capsys):
    """As with two names of one measure."""
    twice = ["precision=.75", "precision=.75", "ppv=.75", "recall=.6", "accuracy=.85", "n=200"]
    assert app.run(["solve", *twice]) == 0
    assert "140" in capsys.readouterr().out


# -- counts against each other


@pytest.mark.parametrize("n", [None, 100, (50, 100)])
@pytest.mark.parametrize("tp", [5, (5, 6)])
def test_more_hits_than_positives(tp, n):
    """A cell above its margin is impossible whatever the scale: one number, a range or none."""
    s = hs.solve(tp=tp, positives=3 if tp == 5 else (3, 4), n=n)
    assert s.status == "infeasible"
    assert s.why.startswith("tp is at most")


@pytest.mark.parametrize("n", [None, 10])
def test_a_table_of_no_items(n):
    """Four empty cells are no table, and the message says so."""
    s = hs.solve(tp=0, fp=0, fn=0, tn=0, n=n)
    assert s.status == "infeasible"
    assert "at least one item" in s.why


def test_chi_square_of_0_is_independence():
    """0 is not the end of a range that an empty cell reaches; digits of 0 are no negative number."""
    assert hs.solve(chi_square=0).status == "undetermined"
    table = {"tp": 10, "fp": 40, "fn": 10, "tn": 40}
    assert hs.solve(chi_square=0, prevalence=0.2, bias=0.5, n=100).table == table
    assert table in hs.solve(chi_square="0.00", prevalence=0.2, bias=0.5, n=100, integers=True, ties="either").tables
    low, high = hs.solve(chi_square="0.00", prevalence=0.2, bias=0.5, n=50).ranges["phi"]
    assert (low, high) == pytest.approx((-0.01, 0.01), abs=1e-6)  # √(0.005/50)


def test_a_range_of_n_leaves_a_range_of_counts():
    """Shares that are settled have no single table while n is a range."""
    s = hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=(100, 200))
    assert s.status == "undetermined"
    assert s.ranges["tp"] == pytest.approx((15, 30))
    assert s.ranges["accuracy"] == pytest.approx((0.85, 0.85))
    two = hs.solve(recall=0.6, fallout=1 / 15, phi=3**-0.5, n=(100, 200))
    assert two.ranges["tp"] == pytest.approx((15, 52.5))


# -- whole numbers


def test_large_searches_find_tables():
    """Too many tables to list: as many as were asked for, each with its digits."""
    for values in ({"phi": ".5"}, {"odds-ratio": "12.5"}, {"kappa": ".5", "phi": ".5"}, {"phi": ".51", "recall": ".6"}):
        s = hs.solve(values, n=10**6, integers=True, most=500)
        assert (len(s.tables), s.complete) == (500, False)
        for name, text in values.items():
            got = s.measure(name)
            half = 0.5 * 10.0 ** -len(text.partition(".")[2])
            assert (np.abs(got - float(text)) <= half * (1 + 1e-9)).all()


def test_whole_tables_with_curves_are_all_there():
    """Counted against every table of 24 items: phi, kappa and the tetrachoric correlation by their digits."""
    grid = np.array([(a, b, c, 24 - a - b - c) for a, b, c in product(range(25), repeat=3) if a + b + c <= 24], float)
    for name, low, high, text in (
        ("phi", 0.45, 0.55, "0.5"),
        ("kappa", 0.25, 0.35, "0.3"),
        ("tetrachoric", 0.75, 0.85, "0.8"),
    ):
        printed = parse(name).score(dict(zip(CELLS, grid.T, strict=True)))  # empty cells filled
        both = np.stack([quantity(name).at(grid), printed])
        wanted = grid[((both >= low) & (both < high)).any(axis=0)]
        found = hs.solve({name: text}, n=24, integers=True)
        assert found.complete
        assert {tuple(x) for x in found.outcome.tables} == {tuple(x) for x in wanted}


# -- mixtures


@pytest.mark.parametrize("metric", ["f2", "informedness", "phi", "tetrachoric"])
def test_mixtures_of_many_tables_are_those_of_each(metric):
    """Mean and tails of a sampled mixture are those of the tables, weighted, within its stated error."""
    s = hs.solve(precision=".5", n=9, integers=True)
    d = s.posterior(metric)
    weights = table_weights(s.outcome.tables)
    each = hs.posterior(s.tally, tolerance=tolerance(0.1, 0.05))[metric]
    assert (len(weights) > 12, d.route) == (True, "sampled")
    assert d.mean == pytest.approx(float(weights @ each.mean), abs=2 * d.error.value)
    for x in d.interval(0.9):
        assert d.cdf(x) == pytest.approx(float(weights @ each.cdf(x)), abs=2 * d.error.probability)


def test_mixture_of_a_ratio_keeps_infinite_moments():
    """Where one table's mean does not exist, that of the mixture does not."""
    s = hs.solve(precision=".5", n=30, integers=True)
    d = s.posterior("odds-ratio")
    assert (d.mean, d.std) == (np.inf, np.inf)
    assert np.isfinite(d.error.value)
    assert d.draws(50_000).shape == (50_000,)


@pytest.mark.parametrize(("r", "f"), [(0.6, 1 / 15), (0.8, 0.2), (0.9, 0.05)])
@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 4e-13])
def test_a_double_root_is_one_table(r, f, off):
    """phi is greatest where the odds of the prevalence are √(f(1-f)/(r(1-r))); its last digits split no root there."""
    p = 1 / (1 + (r * (1 - r) / (f * (1 - f))) ** 0.5)
    tp, fp, fn, tn = p * r, (1 - p) * f, p * (1 - r), (1 - p) * (1 - f)
    phi = (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
    s = hs.solve(recall=r, fallout=f, phi=phi * (1 - off))
    assert s.status == "unique"
    np.testing.assert_allclose(s.outcome.tables[0], [tp, fp, fn, tn], atol=1e-6)
    assert len(hs.solve(recall=r, fallout=f, phi=phi * (1 - 1e-9)).tables) == 2


# -- real tables


def test_cells_are_made_whole_only_where_the_values_still_agree():
    """Of 700,000 items a cell of 0.0003 is next to 0, but the likelihood ratio needs it."""
    values = {"lr-minus": 1.0205370923875252, "accuracy": 0.006223869796930993}
    s = hs.solve(values | {"fowlkes-mallows": 0.0002520159409610172}, n=696512)
    assert {"tp": 2, "fp": 89, "fn": 692088, "tn": 4333} in s.tables
    np.testing.assert_allclose(s.measure("lr-minus"), values["lr-minus"], rtol=1e-6)


@pytest.mark.parametrize(
    "values",
    [{"balanced-accuracy": 0.6, "predicted-negatives": 1, "n": 8}, {"bias": 1 / 3, "a-measure": 0.75}, {"phi": 0.3}],
)
def test_tetrachoric_of_tables_with_an_empty_cell_is_in_its_range(values):
    """It is 1 with an empty cell, though tables with nearly empty cells stay below."""
    assert hs.solve(values).ranges["tetrachoric"][1] == 1


def test_one_more_value_settles_only_up_to_ranges():
    """With a range among the values, one more value leaves that range; with numbers alone it leaves nothing."""
    assert hs.solve(precision=(0.7, 0.8), recall=0.6).why.endswith("would settle the table up to the ranges given.")
    assert hs.solve(precision=0.7, recall=0.6).why.endswith("would settle the table.")
