"""solve: tables from measures, exact, rounded and whole; the words of its answers; several systems; the command."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import HowsureError
from howsure.papers import goutte_tables as goutte
from howsure.relations.posterior_over_tables import table_weights
from howsure.relations.quantities import quantity, shown
from howsure.relations.values import given
from tests.tiers import spread

BASE = {"tp": 30, "fp": 10, "fn": 20, "tn": 140}
VALUES = {
    "recall": 0.6, "precision": 0.75, "accuracy": 0.85, "prevalence": 0.25, "bias": 0.2, "fallout": 1 / 15,
    "specificity": 14 / 15, "f1": 2 / 3, "f2": 0.625, "phi": 1 / math.sqrt(3), "informedness": 8 / 15,
    "markedness": 0.625,
}  # fmt: skip
UNIQUE = [  # shared/checks/relations.json
    "recall precision fallout", "recall precision prevalence", "recall precision accuracy",
    "precision prevalence accuracy", "recall specificity prevalence", "recall fallout bias",
    "precision prevalence bias", "bias prevalence phi", "f1 f2 prevalence",
]  # fmt: skip


@pytest.mark.parametrize("names", UNIQUE)
def test_three_measures_and_n_give_back_the_table(names):
    """Every determining set of the check cases leads to the table it came from."""
    s = hs.solve({name: VALUES[name] for name in names.split()}, n=200)
    assert s.status == "unique"
    assert s.table == BASE


def test_ten_digits_are_enough():
    """Values printed with ten digits still fit each other, and whole cells are whole."""
    assert hs.solve(bias=0.2, prevalence=0.25, phi=0.5773502692, n=200).table == BASE
    values = {"recall": 0.6, "precision": 0.75, "prevalence": 0.25, "fallout": 0.0666666666667}
    assert hs.solve(values, n=200).table == BASE


def test_both_roots_are_found():
    """Recall, fallout and phi leave two tables, one of whole numbers."""
    s = hs.solve(recall=0.6, fallout=1 / 15, phi=1 / math.sqrt(3), n=200)
    assert s.status == "several"
    np.testing.assert_allclose(s.outcome.tables, [[30, 10, 20, 140], [52.5, 7.5, 35, 105]], rtol=1e-9)
    assert "fractions" in [note.code for note in s.notes]


@pytest.mark.parametrize("r", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("p", [0.55, 0.75, 0.95])
@pytest.mark.parametrize("prevalence", [0.1, 0.4])
def test_alvarez_17_to_19(r, p, prevalence):
    """Each of recall, precision and accuracy from the two others and generality, as in eqs 17 to 19."""
    a = 1 - prevalence * (p + r - 2 * p * r) / p  # eq. 19
    s = hs.solve(recall=r, precision=p, prevalence=prevalence)
    assert s.measure("accuracy") == pytest.approx(a, abs=1e-12)
    s = hs.solve(precision=p, accuracy=a, prevalence=prevalence)
    assert s.measure("recall") == pytest.approx((prevalence + a - 1) * p / (prevalence * (2 * p - 1)), abs=1e-9)
    s = hs.solve(recall=r, accuracy=a, prevalence=prevalence)
    assert s.measure("precision") == pytest.approx(prevalence * r / (prevalence * (2 * r - 1) + 1 - a), abs=1e-9)


@pytest.mark.parametrize(("r", "p", "a"), [(0.4, 0.5, 0.01), (0.4, 0.95, 0.2), (0.9, 0.05, 0.1)])
def test_ishioka_7_to_12(r, p, a):
    """The four cells from recall, precision, fallout and n, as in eqs 7 to 12."""
    n = 1000
    f11 = n / (1 / p + 1 / r - 1 + (1 / p - 1) * (1 / a - 1))
    expected = [f11, f11 * (1 / p - 1), f11 * (1 / r - 1), f11 * (1 / p - 1) * (1 / a - 1)]
    np.testing.assert_allclose(hs.solve(recall=r, precision=p, fallout=a, n=n).outcome.tables[0], expected, rtol=1e-10)
    c = 1 / p - 1 + (1 / p - 1) * (1 / a - 1)
    assert f11 == pytest.approx(n / (1 / r + c))


CURVED = {
    "chi-square": ({"chi-square": 200 / 3, "prevalence": 0.25, "bias": 0.2}, BASE),
    "kappa": ({"kappa": 4 / 7, "recall": 0.6, "prevalence": 0.25}, BASE),
    "informedness and markedness": ({"informedness": 8 / 15, "markedness": 0.625, "prevalence": 0.25}, BASE),
    "three curves": ({"informedness": 8 / 15, "g-mean": math.sqrt(0.56), "kappa": 4 / 7}, BASE),
    "zero": ({"g-mean": 0, "accuracy": 0.5, "prevalence": 0.5}, None),
    "perfect": ({"phi": 1, "prevalence": 0.25}, {"tp": 50, "fp": 0, "fn": 0, "tn": 150}),
}


@pytest.mark.parametrize("name", CURVED)
def test_measures_that_are_no_quotients(name):
    """Curves in one, two and three unknowns lead back to the table, at the ends of their ranges too."""
    values, expected = CURVED[name]
    s = hs.solve(values, n=200)
    assert s.status in ("unique", "several")
    if expected is not None:
        assert expected in s.tables


def test_counts_set_the_scale():
    """Any count does in the place of n; without one the cells are shares."""
    assert hs.solve(tp=30, precision=0.75, recall=0.6, accuracy=0.85).table == BASE
    assert hs.solve(tp=30, fp=10, positives=50, n=200).table == BASE
    assert hs.solve({"chi2": 200 / 3}, phi=1 / math.sqrt(3), prevalence=0.25, bias=0.2).table == BASE
    s = hs.solve(precision=0.75, recall=0.6, accuracy=0.85)
    np.testing.assert_allclose(s.outcome.tables, [[0.15, 0.05, 0.1, 0.7]], rtol=1e-12)
    assert [note.code for note in s.notes] == ["shares"]
    assert hs.solve(tn=0, precision=0.75, recall=0.6, n=100).status == "unique"


def test_repeated_information_does_no_harm():
    """A value that follows from the others changes nothing."""
    s = hs.solve(precision=0.75, fdr=0.25, recall=0.6, sensitivity=0.6, accuracy=0.85, error_rate=0.15, n=200)
    assert s.table == BASE


def test_undetermined_says_what_is_free():
    """The free measure, what settles it and the range of every other measure, with the check case's tables inside."""
    s = hs.solve(recall=0.8, specificity=0.8, accuracy=0.8, n=100)
    assert s.status == "undetermined"
    assert s.free == ("prevalence",)
    assert "bias" in s.settling
    assert "accuracy" not in s.settling
    assert s.ranges["tp"] == pytest.approx((0, 80))
    assert s.ranges["informedness"] == pytest.approx((0.6, 0.6))
    for table in ([8, 18, 2, 72], [40, 10, 10, 40]):
        for q in shown():
            low, high = s.ranges[q.name]
            assert low - 1e-6 <= q.at(np.array(table)) <= high + 1e-6, q.name
    one = hs.solve(recall=0.8, specificity=0.8, accuracy=0.8, n=100, prevalence=0.1)
    assert one.table == {"tp": 8, "fp": 18, "fn": 2, "tn": 72}


def test_known_bounds_come_out():
    """Ranges of measures given others are the bounds of the check cases."""
    ranges = hs.solve(prevalence=0.3, bias=0.4, n=100).ranges
    assert ranges["accuracy"] == pytest.approx((abs(1 - 0.3 - 0.4), 1 - abs(0.3 - 0.4)))
    assert ranges["phi"][1] == pytest.approx(math.sqrt(0.3 * 0.6 / (0.4 * 0.7)), abs=1e-7)
    assert hs.solve(recall=0.4).ranges["f1"][1] == pytest.approx(2 * 0.4 / 1.4)
    low = hs.solve(recall=0.6, prevalence=0.3).ranges["precision"][0]
    assert low == pytest.approx(0.6 * 0.3 / (0.6 * 0.3 + 0.7))


INFEASIBLE = [  # shared/checks/relations.json, with the words that must be there
    ({"precision": 0.6, "prevalence": 0.1, "accuracy": 0.99}, "recall would be 2.7"),
    ({"recall": 0.9, "prevalence": 0.5, "accuracy": 0.3}, "tn would be -150"),
    ({"recall": 0.8, "specificity": 0.9, "accuracy": 0.95}, "accuracy lies between 0.8 and 0.9"),
    ({"prevalence": 0.1, "bias": 0.5, "phi": 0.6}, "phi is at most 0.333333"),
    ({"f1": 0.9, "recall": 0.4}, "f1 is at most 0.571429"),
    ({"precision": 0.75, "fdr": 0.5}, "0.5"),
    ({"recall": 0, "precision": 0.5}, "precision is 0 with recall 0"),
    ({"positives": 1200}, "positives is at most 1000 with n 1000"),
]


@pytest.mark.parametrize(("values", "words"), INFEASIBLE)
def test_infeasible_says_which_bound_is_broken(values, words):
    """One sentence with the bound and what was given."""
    s = hs.solve(values, n=1000)
    assert s.status == "infeasible"
    assert words in s.why
    assert s.tables == ()
    assert len(s.why) <= 200


def test_rounded_values_that_contradict_as_exact_ones_are_explained():
    """0.667 for 2/3 is a contradiction when exact, with a hint, and none when it is text."""
    s = hs.solve(f1=0.667, precision=0.75, recall=0.6, n=200)
    assert s.status == "infeasible"
    assert s.why.endswith("give them as text.")
    assert hs.solve(f1="0.667", precision="0.75", recall="0.60", n=200).status == "undetermined"


def test_text_means_its_digits():
    """Text 0.75 is [0.745, 0.755), 0.750 a tenth of it, 75% the same as 0.75; counts are what they are."""
    assert (float(given("precision", "0.75").low), float(given("precision", "0.75").high)) == (0.745, 0.755)
    assert float(given("precision", "0.750").high) == 0.7505
    assert given("precision", "75%").low == given("precision", "0.75").low
    assert given("n", "200").exact
    assert given("precision", "3/4").exact
    one = given("precision", "0.75")
    assert [bool(one.holds(x)) for x in (0.745, 0.7549, 0.755)] == [True, True, False]
    assert bool(given("precision", "0.75", ties="either").holds(0.755))


def test_rounded_reports_give_ranges():
    """Without whole numbers the digits leave a region, whose ranges hold the table."""
    s = hs.solve(precision="0.75", recall="0.60", accuracy="0.85", n=200)
    assert s.status == "undetermined"
    assert s.free == ()
    assert "digits" in s.why
    low, high = s.ranges["tp"]
    assert low < 30 < high
    assert s.ranges["precision"] == pytest.approx((0.745, 0.755))


# -- whole numbers


def brute(sizes: range, values: dict[str, str], ties: str = "up") -> set[tuple[int, ...]]:
    """All tables of the sizes with these digits, by trying every one."""
    tables = np.array(
        [(a, b, c, n - a - b - c) for n in sizes for a in range(n + 1) for b in range(n + 1 - a)
         for c in range(n + 1 - a - b)]
    )  # fmt: skip
    for name, text in values.items():
        one = given(name, text, ties=ties)
        tables = tables[np.asarray(one.holds(one.quantity.at(tables)))]
    return {tuple(map(int, row)) for row in tables}


REPORTS = [
    (range(20, 21), {"precision": "0.75", "recall": "0.6", "accuracy": "0.8"}),
    (range(21, 25), {"accuracy": "0.8", "fdr": "0.429"}),
    (range(18, 19), {"phi": "0.4", "prevalence": "0.3"}),
    (range(15, 18), {"f1": "0.667", "informedness": "0.5"}),
    (range(16, 17), {"kappa": "0.25", "bias": "0.50"}),
    (range(12, 13), {"markedness": "0.1", "f2": "0.5", "npv": "0.6"}),
    (range(16, 17), {"accuracy": "0.12"}),
]


@pytest.mark.parametrize("ties", ["up", "either"])
@pytest.mark.parametrize(("sizes", "values"), REPORTS)
def test_every_whole_table_is_listed_and_no_other(sizes, values, ties):
    """The search finds what trying all tables finds."""
    n = sizes[0] if len(sizes) == 1 else (sizes[0], sizes[-1])
    s = hs.solve(values, n=n, integers=True, ties=ties)
    assert {tuple(t.values()) for t in s.tables} == brute(sizes, values, ties)
    assert s.complete


def test_a_tie_counts_up_unless_either_is_allowed():
    """2/16 = 0.125 prints as 0.13, or as 0.12 where ties go to even."""
    assert hs.solve(tp=2, positives=16, recall="0.12", n=16, integers=True).status == "infeasible"
    assert hs.solve(tp=2, positives=16, recall="0.12", n=16, integers=True, ties="either").status == "unique"


def test_large_n_with_digits_enough():
    """A million items with five digits: every table has these digits, and the truth is among them."""
    truth = np.array([149400, 49472, 98184, 702944])
    names = ("precision", "recall", "accuracy")
    values = {name: f"{float(quantity(name).at(truth)):.5f}" for name in names}
    s = hs.solve(values, n=1_000_000, integers=True)
    assert s.complete
    assert tuple(map(int, truth)) in {tuple(t.values()) for t in s.tables}
    for name, text in values.items():
        assert np.asarray(given(name, text).holds(quantity(name).at(s.outcome.tables))).all()


def test_too_many_tables_are_cut_and_said_to_be():
    """Two digits of a million items fit more tables than anyone lists."""
    s = hs.solve(precision="0.75", recall="0.60", accuracy="0.85", n=1_000_000, integers=True, most=100)
    assert (s.status, len(s.tables), s.complete) == ("several", 100, False)
    assert "incomplete" in [note.code for note in s.notes]


def test_no_whole_table_though_fractions_would_do():
    """The words tell a contradiction from a mere lack of whole numbers."""
    s = hs.solve(precision="0.33", recall="0.33", accuracy="0.99", n=4, integers=True)
    assert s.status == "infeasible"
    assert "whole numbers" in s.why


# -- posterior


def test_posterior_of_one_table_is_its_own():
    """With one table the posterior is that of its counts."""
    s = hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=200)
    assert s.posterior("f1").mean == hs.posterior(s.tally)["f1"].mean


def test_posterior_mixes_the_tables_by_their_prior_probability():
    """cdf, mean and quantiles are those of the mixture with Dirichlet-multinomial weights."""
    s = hs.solve(f1="0.667", positives=50, n=200, integers=True)
    weights = table_weights(s.outcome.tables)
    each = hs.posterior(s.tally)["precision"]
    d = s.posterior("precision")
    assert weights.sum() == pytest.approx(1)
    assert d.cdf(0.7) == pytest.approx(float(weights @ each.cdf(0.7)), abs=1e-12)
    assert d.mean == pytest.approx(float(weights @ each.mean), abs=1e-12)
    assert d.cdf(d.ppf(0.3)) == pytest.approx(0.3, abs=1e-9)
    draws = d.draws(20_000)
    assert draws.mean() == pytest.approx(d.mean, abs=5 * d.std / math.sqrt(20_000))
    assert d.std > min(np.asarray(each.std))
    assert d.interval(kind="hdi").high <= 1


def test_weights_are_those_of_the_prior():
    """Two tables of the same n: the ratio of their Dirichlet-multinomial probabilities, at the uniform prior 1."""
    tables = np.array([[3.0, 1, 2, 4], [4.0, 1, 1, 4]])
    np.testing.assert_allclose(table_weights(tables, "uniform"), [0.5, 0.5])


# -- several systems


@pytest.mark.parametrize("category", [c for c in goutte.CATEGORIES if c not in ("earn", "acq")])
def test_goutte_tables_give_back_the_counts(category):
    """F1 with four digits, the size of the category and the wins of Table 2 leave one set of tables."""
    names = ("ltc_linear", "nnn_linear", "nnn_poly", "ltc_poly")
    wins = {(names[i], names[j]): goutte.wins(block)[category][:2] for block, (i, j) in goutte.BLOCKS.items()}
    f1 = {name: {"f1": f"{x}%"} for name, x in zip(names, goutte.printed_f1(category), strict=True)}
    s = hs.solve(f1, n=goutte.ITEMS_TESTED, positives=goutte.SIZES[category], wins=wins)
    assert s.status == "unique"
    got = tuple((t["tp"], t["fp"], t["fn"]) for t in s.table.values())
    assert got == tuple(tuple(x) for x in goutte.solutions(category)[0])


CRUDE = {"ltc_linear": (160, 19, 29), "nnn_linear": (168, 33, 21), "nnn_poly": (117, 23, 72), "ltc_poly": (157, 18, 32)}


def test_crude_has_the_counts_of_the_check_file():
    """The counts that were found outside the project."""
    wins = {("ltc_linear", "nnn_linear"): (21, 15), ("nnn_linear", "nnn_poly"): (62, 21)}
    wins["ltc_linear", "ltc_poly"] = (4, 2)
    f1 = {"ltc_linear": "86.96%", "nnn_linear": "86.15%", "nnn_poly": "71.12%", "ltc_poly": "86.26%"}
    s = hs.solve({k: {"f1": v} for k, v in f1.items()}, n=3299, positives=189, wins=wins)
    assert {k: (t["tp"], t["fp"], t["fn"]) for k, t in s.table.items()} == CRUDE


def test_systems_share_an_unknown_margin():
    """With positives unknown, only tables with the same n and positives go together."""
    s = hs.solve({"a": {"f1": "0.80", "tp": 8}, "b": {"f1": "0.50", "tp": 4}}, n=40)
    assert s.status == "several"
    for tables in s.tables:
        assert tables["a"]["tp"] + tables["a"]["fn"] == tables["b"]["tp"] + tables["b"]["fn"]


def test_wins_that_do_not_fit_are_infeasible():
    """Errors of the systems must differ by their wins."""
    s = hs.solve({"a": {"tp": 8, "fp": 1}, "b": {"tp": 6, "fp": 1}}, n=40, positives=10, wins={("a", "b"): (9, 0)})
    assert s.status == "infeasible"
    assert "wins" in s.why
    assert hs.solve({"a": {"tp": 8, "fp": 1}, "b": {"tp": 6, "fp": 1}}, n=40, positives=10,
                    wins={("a", "b"): (2, 0)}).status == "unique"  # fmt: skip


# -- results and the command


def test_document():
    """Schema, status, tables and rows; no NaN, and to_frame has a row a table."""
    doc = hs.solve(recall=0.6, fallout=1 / 15, phi=1 / math.sqrt(3), n=200).to_dict()
    assert doc["schema"] == "howsure.solve/2"
    assert doc["tables"][0] == BASE
    json.dumps(doc, allow_nan=False)
    frame = hs.solve(precision="0.75", recall="0.60", accuracy="0.85", n=(100, 110), integers=True).to_frame()
    assert len(frame) > 1
    json.dumps(hs.solve(tp=30, precision=0.75).to_dict(), allow_nan=False)


def test_table_is_refused_when_there_is_none():
    """`table`, `tally` and `posterior` say why there is nothing."""
    s = hs.solve(recall=0.8, n=10)
    for call in (lambda: s.table, lambda: s.tally, lambda: s.posterior("f1")):
        with pytest.raises(HowsureError, match="free"):
            call()


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = app.run(["solve", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_command_prints_the_table(capsys):
    """What a paper prints gives back the cells, as text and as JSON."""
    code, out, err = run(capsys, "precision=.75", "recall=.60", "accuracy=.85", "n=200")
    assert (code, err) == (0, "")
    assert out.startswith("exactly one whole-number table has these digits")
    assert "30  10  20  140  200" in out
    code, out, _ = run(capsys, "precision=.75", "recall=.60", "accuracy=.85", "n=200", "--format", "json")
    assert json.loads(out)["tables"] == [BASE]


def document(capsys, *arguments: str) -> dict:
    code, out, err = run(capsys, *arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_command_exact(capsys):
    """--exact takes the numbers as they are: .6 is 0.6, and cells need not be whole."""
    doc = document(capsys, "precision=.75", "recall=.6", "accuracy=.85", "n=200", "--exact")
    assert (doc["status"], doc["tables"], doc["integers"]) == ("unique", [BASE], False)
    doc = document(capsys, "precision=.75", "recall=.61", "accuracy=.85", "n=200", "--exact")
    assert [n["text"] for n in doc["notes"]] == [
        "not all cells are whole numbers; if the values were rounded, leave out --exact"
    ]


def agreeing(n: int, *reports) -> list[dict[str, int]]:
    """All tables of n items by trial: a report is a function of the cells, a low end and a high end."""
    found = []
    for a, b, c in itertools.product(range(n + 1), repeat=3):
        d = n - a - b - c
        if d < 0:
            continue
        values = [f(a, b, c, d) for f, _, _ in reports]
        if all(v is not None and low <= v < high for v, (_, low, high) in zip(values, reports, strict=True)):
            found.append({"tp": a, "fp": b, "fn": c, "tn": d})
    return found


def quotient(top, bottom):
    return lambda *cells: Fraction(top(*cells), bottom(*cells)) if bottom(*cells) else None


PRECISION = quotient(lambda a, b, c, d: a, lambda a, b, c, d: a + b)
RECALL = quotient(lambda a, b, c, d: a, lambda a, b, c, d: a + c)


def test_command_lists_what_trying_all_tables_finds(capsys):
    """Digits are rounded digits, percentages too, and every whole table of n items that has them is listed."""
    expected = agreeing(
        24, (PRECISION, Fraction("0.745"), Fraction("0.755")), (RECALL, Fraction("0.55"), Fraction("0.65"))
    )
    doc = document(capsys, "P=75%", "R=.6", "n=24")
    assert doc["tables"] == expected
    assert doc["complete"]
    ranges = {r["metric"]: (r["low"], r["high"]) for r in doc["ranges"]}
    for cell in ("tp", "fp", "fn", "tn"):
        assert ranges[cell] == (min(t[cell] for t in expected), max(t[cell] for t in expected))
    assert f"{len(expected)} whole-number tables have these digits: tp {expected[0]['tp']} to" in doc["why"]


SHORT = {
    "P": "precision", "R": "recall", "F": "f1", "acc": "accuracy", "Acc": "accuracy", "sens": "recall", "Se": "recall",
    "spec": "specificity", "Sp": "specificity", "prec": "precision", "rec": "recall", "F1": "f1", "PPV": "precision",
    "p": "precision", "J": "informedness", "prev": "prevalence", "pos": "positives", "N": "n", "TP": "tp",
}  # fmt: skip


@pytest.mark.parametrize("name", SHORT)
def test_short_names_are_known_in_solve(name, capsys):
    """As papers print them, on the command line and in Python."""
    value = "12" if SHORT[name] in ("positives", "n", "tp") else ".75"
    more = [] if SHORT[name] == "n" else ["n=24"]
    assert document(capsys, f"{name}={value}", *more)["given"][0]["name"] == SHORT[name]
    assert hs.solve({name: value}).given[0].name == SHORT[name]


@pytest.mark.parametrize("name", ["P", "R", "F", "sens", "spec", "prec", "rec"])
def test_short_names_are_known_in_solve_only(name):
    """They are no names of measures elsewhere."""
    with pytest.raises(HowsureError):
        hs.score(hs.Tally.binary(**BASE), metrics=[name])


def test_many_tables_are_told_by_their_ranges(capsys):
    """Of too many tables to read, people see the lowest and highest of each count and measure."""
    doc = document(capsys, "P=.75", "R=.60", "n=300-302")
    assert doc["complete"]
    assert len(doc["tables"]) > 1000
    _, out, _ = run(capsys, "P=.75", "R=.60", "n=300-302")
    lines = out.splitlines()
    assert lines[0].startswith(f"{len(doc['tables']):,} whole-number tables have these digits: tp ")
    assert lines[3].split() == ["measure", "lowest", "highest"]
    f1 = [t["tp"] * 2 / (2 * t["tp"] + t["fp"] + t["fn"]) for t in doc["tables"]]
    shown = next(line.split() for line in lines if line.startswith("f1 "))
    assert shown[1:] == [f"{min(f1):.3f}", f"{max(f1):.3f}"]
    assert "JSON and CSV list all of them" in out
    assert len(run(capsys, "P=.75", "R=.60", "n=300-302", "--format", "csv")[1].splitlines()) == 1 + len(doc["tables"])


def test_a_million_items_are_told_by_ranges_that_hold_every_table(capsys):
    """Where not all tables are listed, ranges are those of all: wider than those listed, and reached by real tables."""
    doc = document(capsys, "P=.85", "R=.60", "acc=.90", "n=1000000")
    assert not doc["complete"]
    assert doc["why"].startswith("more than 10,000 whole-number tables have these digits: tp ")
    ranges = {r["metric"]: (r["low"], r["high"]) for r in doc["ranges"]}
    listed = [t["tp"] for t in doc["tables"]]
    assert ranges["tp"][0] <= min(listed)
    assert max(listed) <= ranges["tp"][1]
    most = 105_000 / (1 / 0.855 + 1 / 0.605 - 2)  # tp (1/P + 1/R - 2) = wrong, with all three at their high ends
    assert ranges["tp"][1] == math.floor(most)
    assert "more than 10,000" in repr(hs.solve({"P": ".85", "R": ".60", "acc": ".90"}, n=10**6, integers=True))


RANGED = {
    "no n": (["P=.85", "R=.60", "acc=.90"], "nothing given limits n"),
    "n beyond the search": (["P=.85", "R=.60", "acc=.90", "n=1e13"], "n is too large"),
}


@pytest.mark.parametrize("name", RANGED)
def test_ranges_stand_in_where_whole_tables_are_not_listed(name, capsys):
    """And a note says so."""
    values, words = RANGED[name]
    doc = document(capsys, *values)
    assert doc["status"] == "undetermined"
    assert doc["rows"] == doc["ranges"]
    assert any(n["code"] == "not-whole" and words in n["text"] for n in doc["notes"])


def test_fewer_digits_than_the_others_are_pointed_out(capsys):
    """A zero that was left out makes a range ten times as wide; a table that is settled anyway needs no hint."""
    doc = document(capsys, "P=.75", "R=.6", "acc=85%", "n=200")
    assert [n["text"] for n in doc["notes"]] == [
        "recall .6 means 0.55 to 0.65; keep zeros that were printed, as in .60"
    ]
    assert document(capsys, "P=.75", "R=.60", "acc=85%", "n=200")["notes"] == []


def test_a_bare_1_is_1(capsys):
    """Nobody prints a precision without decimals: 1 is no rounded 0.6; 1.0 is 0.95 and more."""
    assert {t["fp"] for t in document(capsys, "P=1", "R=.60", "n=30")["tables"]} == {0}
    assert {t["fp"] for t in document(capsys, "P=1.0", "R=.60", "n=30")["tables"]} == {0}
    assert {t["fp"] for t in document(capsys, "P=1.0", "R=.60", "n=40")["tables"]} == {0, 1}


def test_command_posterior(capsys):
    """--posterior mixes over the tables and says so."""
    arguments = ("precision=.75", "recall=.60", "accuracy=.85", "n=190-200", "--posterior", "F")
    code, out, _ = run(capsys, *arguments, "--format", "json")
    doc = json.loads(out)
    assert code == 0
    assert doc["status"] == "several"
    assert doc["posterior"][0]["tables"] == len(doc["tables"])
    assert doc["posterior"][0]["metric"] == "f1"
    code, out, _ = run(capsys, *arguments)
    assert "weighted by its prior probability" in out


def test_command_systems(capsys):
    """Several systems with wins, on the command line."""
    code, out, _ = run(
        capsys, "positives=189", "n=3299", "--system", "ltc f1=86.96%", "--system", "nnn f1=86.15%",
        "--wins", "ltc,nnn=21,15", "--format", "json",
    )  # fmt: skip
    assert code == 0
    assert {"tp": 160, "fp": 19, "fn": 29, "tn": 3091} in [t["ltc"] for t in json.loads(out)["tables"]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["precision=.5", "recall=.5"], "these values leave the table open"),
        (["precision=.75", "recall=.6", "accuracy=.1", "n=100"], "there are none"),
    ],
)
def test_a_posterior_that_cannot_be_given_is_noted(values, words, capsys):
    """The verdict stands, with exit code 0, and a note says why it has no posterior."""
    assert run(capsys, *values)[1].count("a posterior needs tables") == 0
    code, out, err = run(capsys, *values, "--posterior", "f1", "--format", "json")
    assert (code, err) == (0, "")
    assert [n["text"] for n in json.loads(out)["notes"] if n["code"] == "no-posterior"] == [
        f"a posterior needs tables, and {words}"
    ]


LARGE = {
    "four cells": {"tp": 10**15, "fp": 1, "fn": 1, "tn": 1},
    "four cells, up to what is exact": {"tp": 2**53 - 3, "fp": 1, "fn": 1, "tn": 1},
    "an empty cell": {"tp": 0, "fp": 2, "fn": 1, "tn": 10**15 + 7},
    "three cells and n": {"tp": 10**15 + 1, "fp": 1, "fn": 2, "n": 10**15 + 7},
    "margins": {"tp": 4 * 10**15 + 1, "positives": 4 * 10**15 + 3, "fp": 5, "n": 8 * 10**15 + 1},
    "cells and a rate": {"tp": 3, "fp": 1, "fn": 1, "specificity": Fraction(10**15 - 1, 10**15)},
    "a rate and n": {"tp": 1, "recall": Fraction(1, 2), "fp": 7, "n": 7 * 10**15 + 3},
}


@pytest.mark.parametrize("name", LARGE)
def test_tables_of_any_size_are_exact(name):
    """Beside 10^15 items one item is still one: cells are those given, and add up to the sums given."""
    given = LARGE[name]
    table = hs.solve(given).table
    sums = {"n": table.values(), "positives": (table["tp"], table["fn"])}
    for key, value in given.items():
        if key in table:
            assert table[key] == value
        elif key in sums:
            assert sum(map(int, sums[key])) == value
    if name == "cells and a rate":
        assert table["tn"] == 10**15 - 1
    if name == "a rate and n":
        assert table["fn"] == 1


def test_whole_counts_contradict_each_other_by_one_item():
    """Even one of 10^12: counts are not rounded, as measures may be."""
    assert hs.solve(tp=10**12, fp=1, fn=1, n=10**12 + 2).status == "unique"
    for n in (10**12 + 1, 10**12 - 1):
        assert hs.solve(tp=10**12, fp=1, fn=1, n=n).status == "infeasible"
    assert hs.solve(tp=10**12, fp=1, fn=1, tn=1, n=10**12 + 4).status == "infeasible"


VERDICTS = {
    "infeasible": (["precision=.75", "recall=.6", "accuracy=.1", "--exact"], "accuracy is at least 0.5"),
    "infeasible digits": (["precision=.7512", "n=10"], "precision"),
    "infeasible systems": (["n=10", "positives=1", "--system", "a tp=5", "--system", "b tp=1"], "positives"),
    "undetermined": (["precision=.75"], "2 more values"),
}


@pytest.mark.parametrize(
    ("name", "kind"), spread(VERDICTS, ["table", "json", "markdown", "latex", "csv", "html"], every=3)
)
def test_a_verdict_is_an_answer(name, kind, capsys):
    """That no table fits, or that many do, is found out and no fault of the input: exit code 0, in every format."""
    arguments, words = VERDICTS[name]
    code, out, err = run(capsys, *arguments, "--format", kind)
    assert (code, err) == (0, "")
    status = name.partition(" ")[0]
    assert status in out or (kind == "csv" and status == "undetermined")  # there CSV has the ranges
    assert words in out or kind == "csv"
