"""Tables 1 and 2 of Goutte & Gaussier 2005: every cell against values computed outside the project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import howsure as hs
from howsure import papers
from howsure.papers import goutte_results, goutte_tables
from howsure.papers.item import AGREES, CANNOT, SAMPLING, WRONG
from tests.papers.test_papers import data

BLOCKS = ("ltc-nnn", "kernel-nnn", "kernel-ltc")

# P(first > second) = 1 - I_½(first + ½, second + ½) by mpmath, for ltc > nnn, lin > p2 on nnn, lin > p2 on ltc.
# Source: shared/checks/goutte.json, "table2".
TABLE_2 = {
    "earn": (0.9983015627320135, 0.9999992143133254, 0.08771290932385212),
    "acq": (0.9628487992719225, 1.0, 0.3914587667491838),
    "money-fx": (0.9793604492941428, 0.9324207499057972, 0.8878360846311937),
    "crude": (0.8413241605707862, 0.9999978478153394, 0.7910261816537514),
    "grain": (0.8717528461809967, 0.999999712786718, 0.9851367474416391),
    "trade": (0.5591413536052586, 0.49999999999999944, 0.04503133062366127),
    "interest": (0.5000000000000004, 0.9869838000209924, 0.7586899392477792),
    "wheat": (0.5903278126867477, 0.5760690261522072, 0.03314550026377361),
    "ship": (0.11216391536880643, 0.9998877291729505, 0.83953054526271),
    "corn": (0.6175863360217179, 0.9999635644984242, 0.8183098861837906),
    "dlr": (0.9470759192731649, 1.0, 0.7586899392477792),
    "oilseed": (0.7431183364239582, 0.9924657582536988, 0.669765272631355),
    "money-sup": (0.935973953557446, 0.41397351172690744, 0.03314550026377361),
}

# P on F1 by mpmath for the same comparisons; and the counts (tp, fp, fn) of ltc linear, nnn linear, nnn poly, ltc poly.
# Source: shared/checks/goutte.json, "table1".
TABLE_1 = {
    "crude": (0.6176209195399872, 0.9999966675342725, 0.6016373365269218),
    "interest": (0.1683237359095273, 0.988291388702867, 0.647111744482215),
    "wheat": (0.370981113730504, 0.7464566664558782, 0.3700190294972815),
    "corn": (0.4639737509936815, 0.9968442572150855, 0.5789917966559182),
    "dlr": (0.6982453858334319, 0.9999999999972934, 0.7451386239250992),
    "money-sup": (0.6350703953298383, 0.38360298623678507, 0.3541779471284625),
}
COUNTS = {
    "crude": ((160, 19, 29), (168, 33, 21), (117, 23, 72), (157, 18, 32)),
    "interest": ((91, 24, 40), (113, 46, 18), (87, 37, 44), (86, 21, 45)),
    "wheat": ((53, 10, 18), (61, 19, 10), (51, 10, 20), (53, 7, 18)),
    "corn": ((42, 3, 14), (46, 8, 10), (33, 12, 23), (41, 3, 15)),
    "dlr": ((32, 6, 12), (36, 17, 8), (36, 206, 8), (27, 3, 17)),
    "money-sup": ((23, 8, 11), (25, 15, 9), (27, 16, 7), (23, 5, 11)),
}


def lines(name: str) -> dict[str, dict[str, Any]]:
    return {line["category"]: line for line in data(name)["lines"]}


def every_line() -> list[tuple[str, dict[str, Any]]]:
    names = [f"goutte-table-{k}-{b}" for k in (1, 2) for b in BLOCKS]
    return [(name, line) for name in [*names, "goutte-table-1-micro"] for line in lines(name).values()]


@pytest.mark.parametrize("at", range(3), ids=BLOCKS)
def test_table_2_is_exact(at: int) -> None:
    found = lines(f"goutte-table-2-{BLOCKS[at]}")
    assert list(found) == list(TABLE_2)
    for category, values in TABLE_2.items():
        assert found[category]["p_low"] == found[category]["p_high"] == pytest.approx(values[at], abs=1e-12, rel=0)


@pytest.mark.parametrize("at", range(3), ids=BLOCKS)
def test_table_1_is_exact_where_counts_are_given(at: int) -> None:
    found = lines(f"goutte-table-1-{BLOCKS[at]}")
    assert list(found) == list(TABLE_2)
    for category, values in TABLE_1.items():
        assert found[category]["p_low"] == found[category]["p_high"] == pytest.approx(values[at], abs=1e-9, rel=0)


@pytest.mark.parametrize("category", COUNTS)
def test_the_search_finds_the_counts_that_are_given_and_no_others(category: str) -> None:
    assert goutte_tables.solutions(category) == (COUNTS[category],)


def test_the_print_leaves_one_solution_for_eleven_categories() -> None:
    ways = {c: len(goutte_tables.solutions(c)) for c in goutte_tables.CATEGORIES}
    assert {c: n for c, n in ways.items() if n > 1} == {"earn": 606, "acq": 4}
    assert all(ways.values())
    assert len(goutte_tables.pooled()) == 6


def test_solutions_print_the_scores_and_differ_by_the_wins() -> None:
    for category in goutte_tables.CATEGORIES:
        for way in goutte_tables.solutions(category):
            for t, printed in zip(way, goutte_tables.printed_f1(category), strict=True):
                assert t.tp + t.fn == goutte_tables.SIZES[category]
                assert min(t) >= 0
                assert f"{200 * t.tp / (2 * t.tp + t.fp + t.fn):.2f}" == printed
            for block, (i, j) in goutte_tables.BLOCKS.items():
                first, second = goutte_tables.wins(block)[category][:2]
                assert (way[j].fp + way[j].fn) - (way[i].fp + way[i].fn) == first - second


@pytest.mark.parametrize(
    ("a", "b", "wins", "possible"),
    [
        ((5, 1, 1), (4, 1, 2), (1, 0), True),
        ((5, 1, 1), (4, 1, 2), (2, 1), True),
        ((5, 1, 1), (4, 1, 2), (4, 3), False),  # the second has only two misses and one false alarm
        ((5, 1, 1), (4, 1, 2), (0, 0), False),
        ((5, 0, 1), (4, 0, 2), (0, 1), False),
    ],
)
def test_which_wins_two_tables_can_have(a: Any, b: Any, wins: tuple[int, int], possible: bool) -> None:
    first, second = goutte_tables.Counts(*a), goutte_tables.Counts(*b)
    assert goutte_tables.consistent(first, second, *wins) is possible


def test_every_printed_cell_has_its_line() -> None:
    assert len(every_line()) == 39 + 39 + 3


def test_printed_percentages_are_within_four_standard_errors() -> None:
    for name, line in every_line():
        assert line["verdict"] in (AGREES, SAMPLING), (name, line)
        for p in (line["p_low"], line["p_high"]):
            error = 100 * (p * (1 - p) / 10_000) ** 0.5
            assert abs(line["printed_percent"] - 100 * p) <= 4 * max(error, line["plus_minus"]) + 0.005, (name, line)


def test_one_cell_is_more_than_three_standard_errors_off() -> None:
    far = [(name, line) for name, line in every_line() if line["standard_errors"] > 3]
    ((name, line),) = far
    assert (name, line["category"], line["wins"]) == ("goutte-table-2-kernel-ltc", "earn", [1, 4])
    assert line["printed_percent"] == 9.76
    assert line["p_low"] == pytest.approx(0.08771290932385212, abs=1e-12)
    assert line["standard_errors"] == pytest.approx(3.5, abs=0.01)


def test_verdicts_of_cells_are_those_of_the_digits() -> None:
    for _, line in every_line():
        shown = {f"{100 * line[k]:.2f}" for k in ("p_low", "p_high")}
        assert (line["verdict"] == AGREES) == (shown == {f"{line['printed_percent']:.2f}"}), line


def test_micro_average_pools_all_thirteen() -> None:
    found = lines("goutte-table-1-micro")
    assert list(found) == list(BLOCKS)
    assert [f"{100 * x:.2f}" for line in found.values() for x in line["f1"]] == [
        "90.56", "89.86", "89.86", "79.44", "90.56", "90.28",
    ]  # fmt: skip
    assert found["ltc-nnn"]["p_low"] == pytest.approx(0.8845, abs=1e-4)
    assert found["ltc-nnn"]["p_high"] == pytest.approx(0.8867, abs=1e-4)
    assert found["kernel-nnn"]["p_low"] > 1 - 1e-12
    assert found["kernel-ltc"]["p_low"] == pytest.approx(0.6805, abs=1e-4)


def test_the_text_of_section_5() -> None:
    (item,) = papers.select("goutte-5-eight-to-three")
    found = item.compute()
    assert found.verdict == WRONG
    assert found.data["lowest_f1"] == pytest.approx(138 / 194)  # tp 77 and 51 errors: 8 fewer hits, 5 more errors
    assert found.data["p"]["8:3"] == pytest.approx(TABLE_2["money-sup"][0], abs=1e-12)
    assert found.data["p"]["58:43"] == pytest.approx(TABLE_2["money-fx"][1], abs=1e-12)
    assert list(found.data["p"]) == ["58:43", "8:3", "47:32"]


@pytest.fixture
def no_memory() -> Iterator[None]:
    """Nothing is remembered from before, and nothing wrong is remembered after."""
    kept = (goutte_results.f1_test, goutte_results.wins_test, goutte_results.micro)
    for f in kept:
        f.cache_clear()
    yield
    for f in kept:
        f.cache_clear()


@pytest.mark.usefixtures("no_memory")
def test_a_wrong_comparison_loses_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is hard-coded: with other probabilities behind them, the tables do not agree."""
    compare, compare_wins = hs.compare, hs.compare_wins
    monkeypatch.setattr(hs, "compare", lambda *a, **k: compare(*a, **{**k, "prior": 20.0}))
    monkeypatch.setattr(hs, "compare_wins", lambda *a, **k: compare_wins(*a, **{**k, "prior": (20.0, 20.0, 1.0)}))
    names = ["goutte-table-1", "goutte-table-2", "goutte-eq-12", "goutte-eq-17", "goutte-3-update", "goutte-4-table-2"]
    for item in (x for name in names for x in papers.select(name)):
        assert item.compute().verdict == CANNOT, item.id
