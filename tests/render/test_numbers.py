"""Numbers for people: short, and never a 1.000 that is not 1."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.messages.numbers import count, ends, in_full, probability, short, within
from howsure.render.formats import render, view


@pytest.fixture(autouse=True)
def many_digits(request):
    """Most of these tests are of the digits that --verbose shows; those of tables say so by their name."""
    with in_full(not request.node.name.startswith("test_in_tables")):
        yield


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.75857, "0.759"), (0.0, "0.000"), (1.0, "1.000"), (1 - 2e-7, ">0.999"), (-1 + 2e-7, "<-0.999"),
        (-0.0, "0.000"), (1.0004, "1.000"), (2.0, "2.000"), (12.345, "12.3"), (3.2e-9, "3.2e-09"),
    ],
)  # fmt: skip
def test_in_tables_numbers_have_three_decimals(value, shown):
    """0 and 1 are shown only where the number is that; what is next to them is a bound."""
    assert short(value) == shown


@given(st.floats(-1, 1), st.floats(0, 1))
def test_in_tables_ends_look_different_and_share_a_format(low, width):
    """Both ends have as many decimals, three unless these would show one number, and no bound is false."""
    high = min(low + width, 1.0)
    first, last = ends(low, high)
    if "e" in first + last:
        return
    places = {len(x.partition(".")[2]) for x in (first, last)}
    assert len(places) == 1
    assert places == {3} or high - low < 1e-3
    assert first != last or high - low < 1e-12 or {low, high} & {-1.0, 0.0, 1.0} or max(places) > 12
    for x, text in ((low, first), (high, last)):
        if text[0] in "<>":
            assert x < float(text[1:]) if text[0] == "<" else x > float(text[1:])
        else:
            assert abs(float(text) - x) <= 0.5 * 10.0 ** -max(places) + 1e-15


def test_in_tables_probabilities_have_three_decimals():
    """However many draws there were; a bound is none that the draws cannot carry."""
    assert [probability(p) for p in (0.5, 0.0001, 0.99999, 1e-120)] == ["0.500", "<0.001", ">0.999", "<0.001"]
    assert probability(1.0, 0.01, 0.004) == ">0.996"
    assert probability(0.93712, 0.01) == "0.937"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.75857, "0.759"), (0.0, "0"), (1.0, "1"), (0.5, "0.500"), (-0.25, "-0.250"), (None, "-"),
        (math.inf, "infinite"), (3.2e-9, "3.2e-09"), (0.00049, "0.00049"), (0.9996, "0.9996"), (0.99999, "0.99999"),
        (1 - 2e-7, "1 - 2e-07"), (1 + 2e-7, "1 + 2e-07"), (1.0004, "1.0004"), (2.0, "2.000"), (12.345, "12.3"),
        (1234.56, "1234.6"), (123456.7, "1.235e+05"), (2.1e23, "2.1e+23"),
    ],
)  # fmt: skip
def test_short(value, shown):
    """Three decimals in the middle of the range, more where they matter, powers of ten beyond."""
    assert short(value) == shown


def test_short_shows_the_gap_when_the_number_rounds_to_1():
    """A quantile that rounds to 1 is shown by its distance from 1."""
    assert short(1.0, 3.4e-20) == "1 - 3.4e-20"
    assert short(1.0, 0.0) == "1"


def reading(text: str) -> float:
    """The number that a person reads."""
    if found := re.fullmatch(r"(-?1) ([-+]) (\S+)", text):
        return float(found[1]) + float(found[2] + found[3])
    return float(text)


@given(st.floats(0, 1) | st.floats(0.999, 1) | st.floats(1e-300, 1e-3) | st.floats(1, 1e12))
@settings(deadline=None)
def test_what_is_shown_is_close(x):
    """The number shown is within half of its last digit, or five per cent of its distance from 0 or 1."""
    room = 0.05 * x if x < 5e-4 else 5.1e-4 if x < 10 else 0.051
    assert reading(short(x)) == pytest.approx(x, abs=room, rel=1e-3)


@given(
    st.floats(1, 10),
    st.integers(-300, 299) | st.integers(-6, 9),
    st.floats(-12, 0.3),
    st.booleans(),
    st.sampled_from([0.0, 1e-9, 0.3, 100.0]),
)
@settings(deadline=None)
def test_the_ends_of_an_interval_are_told_apart(digits, power, relative, negative, error):
    """However large, small or narrow: ends that differ look different, and rounding is a tenth of the width at most.

    Errors up to a thousandth of the width take no digit that matters, and larger ones never both.
    """
    low = float(f"{digits}e{power}")
    high = low * (1 + 10.0**relative)
    if negative:
        low, high = -high, -low
    width = high - low
    first, last = ends(low, high, errors=(error * 1e-3 * width, error * 1e-3 * width))
    assert first != last
    if error <= 1:
        for x, text in ((low, first), (high, last), (low / 2 + high / 2, short(low / 2 + high / 2, width=width))):
            assert abs(reading(text) - x) <= 0.1001 * width + 2 * math.ulp(x)


@given(st.floats(-17, -3), st.floats(-12, 0.3), st.sampled_from([1, -1]))
@settings(deadline=None)
def test_ends_near_1_are_told_apart(gap, relative, side):
    """Ends that are both close to 1, or to -1, differ where the numbers do."""
    low, high = sorted(side * (1 - 10.0**gap * x) for x in (1.0, 1 + 10.0**relative))
    first, last = ends(low, high)
    assert (first == last) == (low == high)
    if low == high:
        return
    assert abs(reading(first) - low) <= 0.1001 * (high - low) + 1e-6 * 10**gap + 1e-16
    assert abs(reading(last) - high) <= 0.1001 * (high - low) + 1e-6 * 10**gap + 1e-16


def test_an_interval_of_large_numbers_has_a_width_in_every_format() -> None:
    """A mean of 100,000 or of a million is shown to the digits that its interval leaves: everywhere."""
    report = hs.score(hs.graded([100_001.0, 100_002.0, 100_004.0]))
    found = [report.to_text(kind, verbose=True) for kind in ("table", "markdown", "latex", "html")]
    for text in (*found, repr(report), repr(report.rows[0].distribution)):
        assert "1e+05" not in text
        assert re.search(r"(99999|10000[0-2])(\.\d+)?, 10000[3-6](\.\d+)?", text), text
    million = np.random.default_rng(0).normal(1.2e6, 500, 200)
    assert "1.2e+06" not in repr(hs.score(hs.graded(million)))
    assert "1.2e+06" not in hs.gate(hs.graded(million), ["mean > 1200003 with 0.6"]).to_text("markdown", verbose=True)
    two = hs.compare(hs.graded({"a": million, "b": million + 3.0 * np.arange(200)}), "a", "b")
    assert "1.2e+06" not in two.to_text("markdown", verbose=True)
    tiny = hs.score(
        hs.posterior(hs.Tally.binary(tp=10**8, fp=2, fn=10**15, tn=0), prior=1e-3), metrics="utility(2,-1,0,0)"
    )
    (row,) = tiny.to_dict()["rows"]
    found = re.search(r"\[(\S+), (\S+)\]", repr(tiny))
    assert [float(x) for x in found.groups()] == pytest.approx(
        [row["low"], row["high"]], abs=0.1 * (row["high"] - row["low"])
    )


def test_what_has_no_value_is_said_in_words() -> None:
    """No nan and no inf is printed, on either side of nought."""
    assert within(math.nan, -math.inf, math.inf) == "undefined [-infinite, infinite]"


@given(st.floats(0, 1) | st.floats(0.9999, 1))
@settings(deadline=None)
def test_only_0_and_1_are_shown_as_0_and_1(x):
    """A number that is not 0 or 1 never looks like it."""
    looks = re.fullmatch(r"-?[01](\.0+)?", short(x)) is not None
    assert looks == (x in (0.0, 1.0))


@pytest.mark.parametrize(
    ("p", "shown"), [(0.937, "0.937"), (0.99998, "0.99998"), (0.0, "0"), (1e-120, "1e-120"), (None, "-")]
)
def test_probability(p, shown):
    """Probabilities near 0 and 1 keep their size."""
    assert probability(p) == shown


@pytest.mark.parametrize(
    ("n", "shown"), [(0, "0"), (1234567, "1,234,567"), (12.0, "12"), (12.5, "12.5"), (2**53, "9,007,199,254,740,992")]
)
def test_count(n, shown):
    """Counts are grouped by thousands; sums of weights keep a decimal."""
    assert count(n) == shown


def test_minus_zero_is_zero():
    """A negative zero, such as the utility of nothing found, is 0."""
    assert short(-0.0) == "0"


def test_minus_one_is_told_from_what_is_near():
    """The lower end of informedness or phi is treated as the upper one is."""
    assert short(-1.0) == "-1"
    assert short(-0.99999) != "-1.000"
    assert short(-1 + 2.5e-7) == "-1 + 2.5e-07"
    assert short(-1 - 2.5e-7) == "-1 - 2.5e-07"


def test_what_is_above_minus_one_is_shown_above_it() -> None:
    """A phi of -1 but for a little is never shown below the range."""
    shown = hs.score(
        hs.Tally.binary(tp=0, fp=100_000, fn=100_000, tn=0), metrics=["phi"], interval="equal-tailed"
    ).to_markdown()
    assert "[-1 + 2.5e-07, " in shown.replace("\\", "")


@pytest.mark.parametrize("x", [0.00057, 0.00149, 0.0025])
def test_small_numbers_keep_two_digits(x):
    """A small rate is not shown at nearly twice its size."""
    assert float(short(x)) == pytest.approx(x, rel=0.05)


# -- digits follow the error


def test_no_digit_is_beyond_the_error() -> None:
    """A value is shown with digits of which its error is at most half a unit; an exact one with three, as ever."""
    assert short(0.79761, error=0.0008) == "0.80"
    assert short(0.79761, error=0.0005) == "0.798"
    assert short(0.79761, error=0.02) == "0.8"
    assert short(0.79761, error=3.0) == "0.8"
    assert short(0.79761, error=1e-12) == "0.798"
    assert short(123.456, error=0.04) == "123.5"
    assert short(123.456, error=3.0) == "120"
    assert short(-0.004, error=0.01) == "-0.004"  # one digit is always left
    assert short(3e-17, error=0.01) == short(-5e-5, error=0.01) == "0.0"  # nothing but error
    assert short(-70.48, error=1e10) == "-70"
    assert short(3_834_369.8, error=4e5) == "4e+06"
    assert short(3_834_369.8, error=4e3) == "3.83e+06"
    assert short(0.00123, error=0.00004) == "0.0012"
    assert short(0.00123, error=0.0004) == "0.001"
    assert short(1 - 2e-7, error=1e-9) == "1 - 2e-07"
    assert short(1.0, error=0.0) == "1"


@pytest.mark.parametrize("gap", [1e-5, 3e-4, 0.002, 0.02])
@pytest.mark.parametrize("error", [1e-5, 1e-4, 1e-3, 0.01])
def test_a_sampled_end_close_to_1_is_a_bound(gap: float, error: float) -> None:
    """Never 1.00 for what is not 1: either digits that differ from it, or a bound that the error allows."""
    text = short(1 - gap, gap, error=error)
    if text.startswith(">"):
        assert float(text[1:]) <= 1 - gap - error + 1e-12
        assert 1 - float(text[1:]) <= 2 * (gap + error)
    else:
        assert abs(float(text) - (1 - gap)) <= max(error, 1e-5)
        assert float(text) < 1


@pytest.mark.parametrize("n", [1, 100, 20_000, 160_401])
def test_a_probability_of_draws_carries_its_floor(n: int) -> None:
    """None of n draws beyond: a bound by the rule of three, on either side; never a 0 or a 1."""
    for k in (0, 1, 2, 10, n // 3, n // 2, n - 2, n):
        p = min(max((k + 0.5) / (n + 1), 0.0), 1.0)
        text = probability(p, 1.5 / np.sqrt(n))
        assert text not in ("0", "1")
        if text[0] in "<>":
            bound = float(text[1:])
            assert bound >= p if text[0] == "<" else bound <= p
        else:
            assert 0 < float(text) < 1
            assert 2.6 * 10.0 ** -(len(text) - 2) >= 3 * np.sqrt(p * (1 - p) / n)
    assert probability(0.5 / 20_001, 1.5 / np.sqrt(20_000)) == "<0.0002"
    assert probability(1 - 0.5 / 20_001, 1.5 / np.sqrt(20_000)) == ">0.9998"


def test_every_probability_of_draws_is_shown_alike() -> None:
    """p_above, P(better), P(best) and P(better than chance) of draws that all fall on one side: bounds, in each."""
    good, bad = np.array([[60, 1, 0], [1, 60, 1], [0, 1, 60]]), np.array([[20, 30, 10], [30, 20, 12], [11, 29, 21]])
    a, b = (hs.posterior(hs.Tally.matrix(x), tolerance=0.2) for x in (good, bad))
    score = hs.score(a, metrics=["macro-f1"], above=0.2, chance=True).to_markdown()
    assert re.search(r"P\(above 0\.2\) > 0\.99", score.replace("&gt;", ">").replace("\\", ""))
    compared = hs.compare(a, b, metric="macro-f1")
    assert "(probability >0.99" in compared.verdict
    assert ">0.99" in compared.to_markdown().replace("&gt;", ">").replace("\\", "")
    board = hs.leaderboard({"a": a, "b": b}, metric="macro-f1", draws=2_000)
    assert "(probability >0.99" in board.verdict
    assert "<0.00" in board.to_markdown().replace("&lt;", "<").replace("\\", "")


def test_a_heavy_tail_hides_neither_end_of_an_interval() -> None:
    """A mean that does not exist is a dash, whatever the draws' own mean; ends are rounded by their own errors."""
    truth, worse = [1] * 6 + [0] * 6, [1] * 5 + [0] * 6 + [1]
    found = hs.compare(truth, {"a": truth, "b": worse}, metric="odds-ratio")
    (row,) = found.to_dict()["rows"]
    assert found.difference.mean == np.inf
    assert row["difference"]["mean"] is None
    assert row["error"]["low"] < 20 < 1e4 < row["error"]["high"] < 1e7
    shown = found.to_text("markdown", columns="mean").replace("\\", "")
    assert re.search(r"\| infinite \| - \| \[-[678]0, [345]e\+06\] \|", shown)
    assert re.search(r"difference infinite \[-[678]0, [345]e\+06\]", repr(found))
    other = hs.compare(truth, {"b": worse, "a": truth}, metric="odds-ratio")
    assert other.difference.mean == -np.inf


@pytest.mark.parametrize(
    ("x", "said", "in_latex"),
    [
        (-0.99999975, "-1 + 2.5e-07", r"-1 + $2.5\times 10^{-7}$"),
        (-1.00000025, "-1 - 2.5e-07", r"-1 - $2.5\times 10^{-7}$"),
        (0.99999975, "1 - 2.5e-07", r"1 - $2.5\times 10^{-7}$"),
        (1.00000025, "1 + 2.5e-07", r"1 + $2.5\times 10^{-7}$"),
    ],
)
def test_numbers_near_one_on_both_sides_of_nought(x, said, in_latex):
    """What stands behind -1 goes the other way than behind 1; LaTeX writes both as mathematics."""
    assert short(x) == said
    row = {"metric": "phi", "asked": "phi", "score": x, "slice": None, "system": None, "mean": x, "low": x, "high": x,
           "high_gap": 1 - x, "range": [-1.0, 1.0], "above": None, "route": "sampled"}  # fmt: skip
    document = {"schema": "howsure.score/1", "level": 0.95, "interval": "equal-tailed", "prior": None, "data": {},
                "rows": [row], "notes": []}  # fmt: skip
    for kind in ("table", "html"):
        assert render(document, kind, view(verbose=True)).count(said) >= 3
    assert render(document, "latex", view(verbose=True)).count(in_latex) >= 3
    assert render(document, "markdown", view(verbose=True)).count(said) >= 3


@pytest.mark.parametrize("total", [1.0, 1e-7, 3.0])
def test_sums_of_small_weights_keep_their_digits(total):
    """Weights normalised to 1, or far below it: no cell is shown as 0 that is not, and the cells add up to the sum."""
    weight = np.full(8, total / 8)
    head = hs.score([1, 1, 1, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0, 1, 1], weight=weight, metrics="f1").to_text()
    found = re.search(r", 8 rows of total weight (\S+)\ntp (\S+), fp (\S+), fn (\S+), tn (\S+)\n", head)
    shown = [float(x) for x in found.groups()]
    assert shown == pytest.approx([total, total / 2, total / 8, total / 8, total / 4], rel=5e-3)
