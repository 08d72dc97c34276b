"""Association of truth and answer, what chance gives, and the probability of being better than chance."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.catalogue import Metric, parse
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import beyond_chance, by_chance
from howsure.distributions.tetrachoric import correlation
from howsure.errors import HowsureError
from howsure.relations import associate, chance
from howsure.relations.association import phi_bounds

T = hs.Tally.binary(tp=3, fp=2, fn=1, tn=5)
K3 = hs.Tally.matrix([[8, 5, 3], [4, 6, 4], [3, 3, 4]])
tp, fp, fn, tn = hs.cells
n = tp + fp + fn + tn
counts = st.integers(1, 300)
tables = st.tuples(counts, counts, counts, counts)
TWO = [m for m in hs.metrics() if m.name != "rate" and not m.any_of]
RATIONAL = [m for m in TWO if not any(x.op in ("sqrt", "log", "function") for x in m.formula.walk())]


# -- the measure


def test_the_measure_is_the_kernels_correlation() -> None:
    """Score, posterior, comparison and leaderboard take tetrachoric by any of its names."""
    rows = hs.score(T, metrics=["tetrachoric", "rho"], tolerance=0.2).to_dict()["rows"]
    assert rows[0]["score"] == pytest.approx(0.65900226650466463956, abs=1e-15)
    assert rows[1]["metric"] == "tetrachoric"
    p = hs.posterior(T, tolerance=0.2)
    x = p["tetrachoric"].draws(500, seed=4)
    cells = p.draws(500, seed=4)
    np.testing.assert_allclose(x, correlation(*(cells[c] for c in CELLS)))
    other = hs.Tally.binary(tp=30, fp=2, fn=1, tn=50)
    assert hs.compare(other, T, metric="tetrachoric", tolerance=0.2).p_better > 0.8
    truth = [1] * 8 + [0] * 12
    answers = {"b": [1, 0] * 10, "a": [1] * 7 + [0] * 13}
    assert hs.leaderboard(hs.tally(truth, answers), metric="tetrachoric", draws=500).names == ("a", "b")


def test_one_declaration() -> None:
    """Text, LaTeX, range, undefined condition and symmetry are read off; a metric can be pickled; averages work."""
    m = next(m for m in hs.metrics() if m.name == "tetrachoric")
    assert m.text == "tetrachoric(tp, fp, fn, tn)"
    assert m.latex.startswith(r"\rho_\mathrm{tet}\left(\mathrm{TP}, ")
    assert m.bounds == (-1.0, 1.0)
    assert not m.needs_positive
    assert m.undefined == "tp + fp = 0 or tp + fn = 0 or fp + tn = 0 or fn + tn = 0"
    assert pickle.loads(pickle.dumps(m)) == m
    assert hs.score(K3, metrics=["macro-tetrachoric"], tolerance=0.3)["macro-tetrachoric"].mean > 0


def test_an_empty_cell_is_filled_by_a_named_rule() -> None:
    """The point score has the default rule, and the report says so; a table with no empty cell has no such note."""
    r = hs.score(hs.Tally.binary(tp=10, fp=5, fn=0, tn=20), metrics=["tetrachoric"], tolerance=0.3)
    assert r.to_dict()["rows"][0]["score"] == pytest.approx(0.9162653041, abs=1e-9)
    (note,) = [x["text"] for x in r.to_dict()["notes"] if x["code"] == "zero-cell"]
    assert note == (
        "a cell is empty: the score of tetrachoric follows the rule keep-margins, which moves 1/2 into it and "
        "keeps the margins; the posterior needs no rule"
    )
    assert "zero-cell" not in [
        x["code"] for x in hs.score(T, metrics=["tetrachoric"], tolerance=0.3).to_dict()["notes"]
    ]
    undefined = hs.score(hs.Tally.binary(tp=0, fp=0, fn=3, tn=20), metrics=["tetrachoric"], tolerance=0.3).to_dict()
    assert undefined["rows"][0]["score"] is None
    assert "zero-cell" not in [x["code"] for x in undefined["notes"]]


def test_solve_takes_it() -> None:
    """A tetrachoric correlation and the margins give the table back."""
    given = {"tetrachoric": 0.59581556914737743, "prevalence": 1604 / 2081, "bias": 1945 / 2081}
    s = hs.solve(given, n=2081)
    assert s.status == "unique"
    assert s.tables[0] == pytest.approx({"tp": 1562, "fp": 383, "fn": 42, "tn": 94}, rel=1e-9)
    assert hs.solve(tetrachoric="0.596", prevalence="0.7708", bias="0.9346", n=2081).status == "undetermined"


# -- better than chance


@pytest.mark.parametrize("metric", TWO, ids=str)
def test_better_than_chance_is_one_event(metric: Metric) -> None:
    """Every measure with a direction is better than chance exactly where tp·tn > fp·fn; prevalence and bias never."""
    want = {"higher": 1, "lower": -1, None: 0}[metric.better]
    assert beyond_chance(metric.formula) == want


@given(st.sampled_from(RATIONAL), tables)
def test_the_event_in_exact_arithmetic(metric: Metric, table: tuple[int, int, int, int]) -> None:
    """Measure minus chance has the sign of tp·tn - fp·fn, with fractions, at any table."""
    at = {c: Fraction(x) for c, x in zip(CELLS, table, strict=True)}
    formula = metric.formula.of_two_classes() if metric.over_classes else metric.formula
    gap = formula(**at) - by_chance(formula)(**at)
    d = at["tp"] * at["tn"] - at["fp"] * at["fn"]
    sign = {"higher": 1, "lower": -1, None: 0}[metric.better]
    assert (gap > 0) - (gap < 0) == sign * ((d > 0) - (d < 0))


def test_where_the_event_is_another() -> None:
    """Utilities may turn it, or have none; a measure with a peak within the range has its own."""
    assert beyond_chance(hs.utility(fp=1, fn=1).formula) == -1
    assert beyond_chance(hs.utility(tp=1, fp=1).formula) == 0
    assert beyond_chance(tp * fp / n**2) is None


EXACT = ["precision", "recall", "f1", "accuracy", "kappa", "phi", "informedness", "tetrachoric", "lr-minus", "fallout"]


@pytest.mark.parametrize("prior", ["even", "two-level"])
def test_all_rows_share_one_exact_probability(prior: str) -> None:
    """p_above_chance is P(informedness > 0) in every row, with the error of an integral, and agrees with draws."""
    r = hs.score(T, metrics=EXACT, prior=prior, tolerance=0.3)
    rows = r.to_dict()["rows"]
    want = float(hs.posterior(T, prior)["informedness"].sf(0.0))
    for row in rows:
        assert row["p_above_chance"] == pytest.approx(want, abs=1e-12)
        assert row["error"]["chance"] <= 1e-12
    x = hs.posterior(T, prior).draws(100_000, seed=5)
    share = np.mean(x["tp"] * x["tn"] > x["fp"] * x["fn"])
    assert share == pytest.approx(want, abs=5 * np.sqrt(0.25 / 1e5))


def test_against_mpmath() -> None:
    """P(recall > fallout) of the table 3, 2, 1, 5: the integral of one Beta's density times the other's cdf."""
    import mpmath as mp

    a, b, c, d = (mp.mpf(x) + 0.5 for x in (3, 1, 2, 5))
    want = mp.quad(
        lambda x: x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b) * mp.betainc(c, d, 0, x, regularized=True),
        [0, 0.5, 1],
    )
    assert float(hs.posterior(T).against_chance("f1")[1]) == pytest.approx(float(want), abs=1e-12)  # type: ignore[index]


def test_utilities_follow_their_sign() -> None:
    """A utility that pays for mistakes is above chance where the table is below it."""
    p = hs.posterior(T)
    up, down = (float(p.against_chance(m)[1]) for m in (hs.utility(tp=1), hs.utility(fp=1)))  # type: ignore[index]
    assert up + down == pytest.approx(1.0, abs=1e-12)
    assert p.against_chance(hs.utility(tp=1, fp=1)) is None


def test_other_events_are_drawn() -> None:
    """A measure of one's own whose event is another: a share of draws within its stated error."""
    mine = hs.Metric("mine", tp * fp / n**2)
    value, share, error = hs.posterior(T).against_chance(mine)  # type: ignore[misc]
    x = hs.posterior(T).draws(200_000, seed=9)
    at = (x["tp"] + x["fn"]) * (x["tp"] + x["fp"]) * (x["fp"] + x["tn"]) * (x["tp"] + x["fp"])
    assert share == pytest.approx(np.mean(x["tp"] * x["fp"] > at), abs=float(error) + 0.004)
    assert 1e-4 < error < 0.02
    assert value == pytest.approx(4 * 5 / 11 * 5 * 7 / 11 / 121)


@pytest.mark.parametrize("metric", ["prevalence", "bias"])
def test_no_chance_for_margins(metric: str) -> None:
    """What chance keeps as it is has neither a chance value nor a probability."""
    row = hs.score(T, metrics=[metric]).to_dict()["rows"][0]
    assert row["chance"] is None
    assert row["p_above_chance"] is None
    assert row["error"]["chance"] is None


def test_no_chance_for_outcomes_and_labels() -> None:
    """Hits of trials, graded values and averages over many labels have none."""
    rate = hs.score(hs.Tally.rate(hits=3, of=4)).to_dict()["rows"][0]
    labels = hs.score(hs.Tally.multilabel([["a"], ["a", "b"], []], [["a"], ["b"], ["b"]])).to_dict()["rows"]
    assert rate["p_above_chance"] is None
    by_name = {row["asked"]: row["p_above_chance"] for row in labels}
    assert by_name["f1:a"] is not None
    assert by_name["macro-f1"] is by_name["samples-f1"] is by_name["subset-accuracy"] is None


def test_chance_of_the_point() -> None:
    """Each row's chance is the measure of the table of the same margins and no association."""
    rows = {
        row["asked"]: row
        for row in hs.score(T, metrics=["precision", "recall", "accuracy", "f1", "kappa"], tolerance=0.3).to_dict()[
            "rows"
        ]
    }
    assert rows["precision"]["chance"] == pytest.approx(4 / 11)
    assert rows["recall"]["chance"] == pytest.approx(5 / 11)
    assert rows["accuracy"]["chance"] == pytest.approx((4 * 5 + 7 * 6) / 121)
    assert rows["f1"]["chance"] == pytest.approx(2 * 4 * 5 / 11 / 9)
    assert rows["kappa"]["chance"] == 0


def test_batches_and_classes_have_their_own() -> None:
    """A batch has one probability a table; each class of many is against the rest."""
    batch = hs.score(hs.Tally.binary(tp=[3, 1], fp=[2, 4], fn=1, tn=[5, 0]), metrics="f1").to_dict()["rows"]
    alone = hs.score(hs.Tally.binary(tp=1, fp=4, fn=1, tn=0), metrics="f1").to_dict()["rows"][0]
    assert batch[0]["p_above_chance"] > 0.5 > batch[1]["p_above_chance"]
    assert batch[1]["p_above_chance"] == pytest.approx(alone["p_above_chance"], abs=1e-12)
    rows = {row["asked"]: row for row in hs.score(K3, tolerance=0.3).to_dict()["rows"]}
    want = hs.posterior(K3.versus_rest(1))["informedness"].sf(0.0)
    assert rows["f1:1"]["p_above_chance"] == pytest.approx(want, abs=1e-12)


def test_many_classes_by_draws() -> None:
    """Accuracy is better than chance where kappa is above 0; balanced accuracy where it is above 1/K."""
    names = ["accuracy", "error-rate", "micro-f1", "kappa", "phi", "balanced-accuracy", "macro-f1"]
    r = hs.score(K3, metrics=names, tolerance=0.05)
    rows = {row["asked"]: row for row in r.to_dict()["rows"]}
    kappa = r["kappa"].sf(0.0)
    for name in names[:5]:
        assert rows[name]["p_above_chance"] == pytest.approx(kappa, abs=0.02), name
    assert rows["balanced-accuracy"]["chance"] == pytest.approx(1 / 3)
    assert rows["balanced-accuracy"]["p_above_chance"] == pytest.approx(r["balanced-accuracy"].sf(1 / 3), abs=0.02)
    assert 0.5 < rows["macro-f1"]["p_above_chance"] < 1
    assert rows["macro-f1"]["error"]["chance"] > 1e-4
    chance_right = sum((16, 14, 10)[i] * (15, 14, 11)[i] for i in range(3)) / 1600
    assert rows["accuracy"]["chance"] == pytest.approx(chance_right)


def test_the_table_shows_it_when_asked() -> None:
    """chance=True adds two columns and says what was drawn; the document always has the numbers."""
    plain, shown = (str(hs.score(T, metrics=["f1", "bias"], chance=x)) for x in (False, True))
    assert "chance" not in plain
    assert "P(better than chance)" in shown
    assert "0.404" in shown
    notes = hs.score(K3, chance=True, tolerance=0.3).to_dict()["notes"]
    assert any(x["code"] == "chance-sampled" and "accuracy" in x["text"] for x in notes)


# -- association


@given(tables)
@settings(deadline=None)
def test_identities(table: tuple[int, int, int, int]) -> None:
    """chi² = n·informedness·markedness, phi² = informedness·markedness, and phi lies within what its margins allow."""
    t = hs.Tally.binary(**dict(zip(CELLS, table, strict=True)))
    a = associate(t)
    assert a.chi_square == pytest.approx(sum(table) * a.informedness * a.markedness, rel=1e-9, abs=1e-9)
    assert a.phi == pytest.approx(float(parse("phi").score(t.named())), abs=1e-12)
    assert a.phi_bounds[0] - 1e-12 <= a.phi <= a.phi_bounds[1] + 1e-12


@given(st.tuples(counts, counts), counts, counts)
def test_phi_bounds_are_reached(sizes: tuple[int, int], said: int, more: int) -> None:
    """The bounds are phi at the two tables with the same margins and an empty cell."""
    yes, no = sizes
    total = yes + no
    answers = 1 + (said * 7 + more) % (total - 1)
    low, high = phi_bounds(yes / total, answers / total)
    for hits, want in ((max(0, yes + answers - total), low), (min(yes, answers), high)):
        d = hits * (total - yes - answers + hits) - (answers - hits) * (yes - hits)
        assert want == pytest.approx(d / np.sqrt(yes * no * answers * (total - answers)), abs=1e-12)


def test_phi_bounds_by_trying_all_tables() -> None:
    """Over every table of up to 14 items with these margins, the least and the greatest phi are the bounds."""
    for total in range(2, 15):
        for yes, answers in np.ndindex(total - 1, total - 1):
            p, b = yes + 1, answers + 1
            hits = np.arange(max(0, p + b - total), min(p, b) + 1)
            d = hits * (total - p - b + hits) - (b - hits) * (p - hits)
            phi = d / np.sqrt(p * (total - p) * b * (total - b))
            assert phi_bounds(p / total, b / total) == pytest.approx((phi.min(), phi.max()), abs=1e-12)


def test_association_of_the_web_search() -> None:
    """Ishioka's 40 million pages: phi .3226, tetrachoric .7694 with its standard error."""
    a = associate(hs.Tally.binary(tp=117240, fp=316982, fn=175860, tn=39389918))
    assert a.phi == pytest.approx(0.322648747668343, abs=1e-13)
    assert a.tetrachoric == pytest.approx(0.7693986921391569724, abs=1e-14)
    assert a.tetrachoric_error == pytest.approx(0.000599249058975, rel=1e-10)
    assert a.powers_ci == pytest.approx((1 - a.informedness) / np.sqrt(4e7 - 1))
    assert repr(a) == "phi 0.323, tetrachoric 0.769 ± 0.001 (keep-margins)"


def test_association_is_a_result() -> None:
    """A table when printed, and JSON without NaN, of one table or of a batch with empty cells and margins."""
    one = associate(T)
    assert "tetrachoric" in str(one)
    assert "20 to 92%" in str(one)
    assert "| phi" in one.to_markdown()
    batch = associate(hs.Tally.binary(tp=[10, 0, 0], fp=[5, 0, 0], fn=[0, 5, 0], tn=[20, 5, 0]), zeros="none")
    document = batch.to_dict()
    json.dumps(document, allow_nan=False)
    assert document["schema"] == "howsure.association/1"
    assert list(batch.tetrachoric[:1]) == [1.0]
    assert np.isnan(batch.tetrachoric[1:]).all()
    assert associate(hs.Tally.binary(tp=10, fp=5, fn=0, tn=20), zeros="half").tetrachoric == pytest.approx(0.9291145304)


def test_association_of_classes() -> None:
    """Two classes need no positive one; more need a class."""
    two = hs.Tally.matrix([[5, 2], [1, 3]], labels=["a", "b"])
    assert associate(two).phi == pytest.approx(0.44854261357253, abs=1e-12)
    with pytest.raises(hs.HowsureError, match="one class against the rest"):
        associate(K3)
    with pytest.raises(hs.HowsureError, match=r"no rule 'halve' for empty cells. Did you mean 'half'\?"):
        associate(T, zeros="halve")
    with pytest.raises(hs.HowsureError, match="table of truths and answers"):
        associate(hs.Tally.rate(hits=3, of=4))
    with pytest.raises(hs.HowsureError, match="needs a Tally"):
        associate([1, 2])  # type: ignore[arg-type]


def test_alvarez() -> None:
    """Random guessing (4.1): recall 1/2, precision λ, accuracy 1/2; improved (4.2): λ, λ, λ² + (1 - λ)²."""
    coin, same = chance(prevalence=0.3, bias=0.5), chance(prevalence=0.3)
    assert [coin[x] for x in ("recall", "precision", "accuracy")] == pytest.approx([0.5, 0.3, 0.5])
    assert [same[x] for x in ("recall", "precision", "accuracy")] == pytest.approx([0.3, 0.3, 0.58])
    assert coin["informedness"] == coin["phi"] == coin["tetrachoric"] == 0
    assert coin["lr-plus"] == coin["odds-ratio"] == 1
    assert chance(T, names=["f1"])["f1"] == pytest.approx(40 / 99)
    assert chance(prevalence=[0.1, 0.3])["precision"].tolist() == [0.1, 0.3]
    for bad in ({}, {"prevalence": 1.2}, {"tally": T, "bias": 0.5}, {"prevalence": 0.5, "names": ["rate"]}):
        with pytest.raises(hs.HowsureError):
            chance(**bad)  # type: ignore[arg-type]


def test_places_of_a_large_batch() -> None:
    """Tables picked from a large batch have the numbers that all of them together give, in the order asked for."""
    from howsure.posteriors import chance as module

    rng = np.random.default_rng(3)
    c = rng.integers(0, 30, (4, module.LARGE + 1))
    p = hs.posterior(hs.Tally.binary(**dict(zip(CELLS, c, strict=True))))
    at = (np.array([7, 3, module.LARGE]),)
    some = p.against_chance("f1", at)
    assert some is not None
    for i, j in enumerate(at[0]):
        one = hs.posterior(hs.Tally.binary(**{k: int(x[j]) for k, x in zip(CELLS, c, strict=True)})).against_chance(
            "f1"
        )
        assert one is not None
        assert some[1][i] == pytest.approx(float(one[1]), abs=1e-12)


def test_strata_are_drawn() -> None:
    """A stratified sample has no exact law: its probability is a share of draws of the population's cells."""
    t = hs.Tally.binary(tp=[3, 4], fp=[2, 1], fn=[1, 2], tn=[5, 9])
    p = hs.posterior(t.stratified({0: 100, 1: 300}), tolerance=0.05)
    found = p.against_chance("f1")
    assert found is not None
    assert found[1] == pytest.approx(p["informedness"].sf(0.0), abs=float(found[2]) + 0.02)
    assert found[2] > 1e-4


CHANCE = {
    "a percentage": ({"prevalence": 20}, "Did you mean 0.2"),
    "a complex number": ({"prevalence": 1j}, "share from 0 to 1"),
    "two and three": ({"prevalence": [0.1, 0.2], "bias": [0.1, 0.2, 0.3]}, "one by one"),
    "a number for names": ({"prevalence": 0.2, "names": 5}, "names="),
    "both": ({"tally": hs.Tally.binary(tp=1, fp=1, fn=1, tn=1), "prevalence": 0.2}, "not both"),
}


@pytest.mark.parametrize("name", CHANCE)
def test_chance_refuses_with_a_sentence(name):
    """What cannot be margins or measures is told, never a trace of numpy."""
    values, said = CHANCE[name]
    with pytest.raises(HowsureError, match=said):
        hs.relations.chance(**values)


def test_chance_of_one_measure():
    """A single name needs no list."""
    assert hs.relations.chance(prevalence=0.2, bias=0.5, names="recall") == {"recall": 0.5}


def test_check_of_an_empty_table_claims_nothing():
    """Where no identity is defined, none is said to hold."""
    assert (
        repr(hs.relations.check(hs.Tally.binary(tp=0, fp=0, fn=0, tn=0))) == "Check(10 identities, all undefined here)"
    )


@pytest.mark.parametrize("metric", ["g-mean", "informedness"])
def test_mode_of_unbounded_densities_is_quiet(metric):
    """A density that is infinite at the ends has its mode there, without a warning of numpy."""
    d = hs.posterior(hs.Tally.binary(tp=0, fp=0, fn=0, tn=0), 0.1)[metric]
    assert d.mode in d.range
