"""Comparing two systems: independent tests, the same items, and wins only."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.cli.app import run
from howsure.errors import BadLabels, BadSetting, HowsureError, UnknownName
from howsure.evidence.classes import Tally
from tests.tiers import tolerance

CELLS = ("tp", "fp", "fn", "tn")
METRICS = [m for m in hs.metrics() if m.name != "rate" and not m.any_of]
SQUARE = [m for m in METRICS if not m.over_classes]
QUICK = [m for m in METRICS if m.route == "closed form"]
A, B = (84, 18, 26, 872), (70, 25, 40, 865)


def table(cells: tuple[int, ...]) -> Tally:
    """A Tally from tp, fp, fn, tn."""
    return Tally.binary(**dict(zip(CELLS, cells, strict=True)))


def joint(n: int = 300, seed: int = 1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Truths and the answers of two correlated systems."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.85, y, 1 - y)
    b = np.where(rng.random(n) < 0.12, 1 - a, a)
    return y, {"a": a, "b": b}


# -- independent


def test_the_example_of_goutte() -> None:
    """Precision 3 of 5 against 10 of 20: 0.652222372208884 (section 2.2, exact value from mpmath)."""
    c = hs.compare(table((3, 2, 0, 0)), table((10, 10, 0, 0)), metric="precision")
    assert c.p_better == pytest.approx(0.65222237220888356, abs=1e-14)


@cache
def compared(metric: hs.Metric) -> hs.Comparison:
    """A against B, with few draws if the metric is sampled: its stated error is larger for it."""
    return hs.compare(table(A), table(B), metric=metric, tolerance=tolerance(0.1))


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_probability_agrees_with_draws(metric: hs.Metric) -> None:
    """P(A > B) of every metric agrees with 100,000 draws of each system within five standard errors."""
    c = compared(metric)
    n = 100_000
    x = c.first.distribution.draws(n, seed=11)
    y = c.second.distribution.draws(n, seed=12)
    assert abs(c.p_above - (x > y).mean()) < 5 * np.sqrt(0.25 / n) + c.error.probability
    assert c.p_above + c.p_below == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_swapping_the_systems_swaps_the_answer(metric: hs.Metric) -> None:
    """P(A > B) + P(B > A) = 1 to 1e-12 on exact routes, and the difference changes its sign."""
    one, two = compared(metric), hs.compare(table(B), table(A), metric=metric, tolerance=tolerance(0.1))
    exact = one.route != "sampled"
    assert one.p_above == pytest.approx(two.p_below, abs=1e-12 if exact else 3 * one.error.probability)
    if np.isfinite(one.difference.mean):
        room = 1e-12 if one.difference.route != "sampled" else 0.05 * one.difference.std
        assert one.difference.mean == pytest.approx(-two.difference.mean, abs=room)


@pytest.mark.parametrize("metric", ["f1", "precision", "f2", "informedness"])
def test_equal_systems_are_even(metric: str) -> None:
    """Identical tables: P = 0.5 and a difference centred on 0."""
    c = hs.compare(table(A), table(A), metric=metric)
    assert c.p_better == pytest.approx(0.5, abs=1e-12)
    if c.difference.route != "sampled":
        assert c.difference.median == pytest.approx(0.0, abs=1e-12)


def test_very_different_sizes() -> None:
    """n = 10 against n = 2e9: the large one is a point, and the answer the small one's tail there."""
    small, large = table((4, 3, 2, 1)), table((10**9, 5 * 10**8, 10**8, 10**9))
    for metric in ("f1", "f2", "informedness"):
        c = hs.compare(small, large, metric=metric)
        at = c.second.distribution.mean
        assert c.p_above == pytest.approx(c.first.distribution.sf(at), abs=1e-7)


def test_tiny_probabilities_keep_their_digits() -> None:
    """Answers near 0 and 1 are right in their own scale: 1e-15 and 1 - 1e-15 (mpmath, P of two Betas)."""
    import mpmath

    a, b = (60.5, 5.5), (5.5, 60.5)
    c = hs.compare(table((5, 60, 0, 0)), table((60, 5, 0, 0)), metric="precision")
    with mpmath.workdps(40):
        density = lambda x: x ** (a[0] - 1) * (1 - x) ** (a[1] - 1) / mpmath.beta(*a)  # noqa: E731
        below = lambda x: mpmath.betainc(*b, x, 1, regularized=True)  # noqa: E731
        want = mpmath.quad(lambda x: density(x) * below(x), [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1])
    assert c.p_above == pytest.approx(float(want), rel=1e-8)
    assert c.p_above < 1e-15


def test_batches_compare_entry_by_entry() -> None:
    """A batch gives what each pair gives alone."""
    tp = np.array([3, 50, 84])
    c = hs.compare(Tally.binary(tp=tp, fp=18, fn=26, tn=872), table(B), metric="f1", equal_within=0.02)
    for i, x in enumerate(tp.tolist()):
        one = hs.compare(table((x, 18, 26, 872)), table(B), metric="f1", equal_within=0.02)
        assert c.p_better[i] == pytest.approx(one.p_better, rel=1e-10)
        assert c.p_equal[i] == pytest.approx(one.p_equal, rel=1e-8)
    assert len(c.to_dict()["rows"]) == 3


@given(st.tuples(*[st.integers(0, 60)] * 4), st.tuples(*[st.integers(0, 60)] * 4))
@settings(max_examples=15, deadline=None)
def test_the_difference_is_a_law(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Its cdf at 0 is P(B > A), its quantiles undo its cdf, and its mean is the difference of means."""
    c = hs.compare(table(a), table(b), metric="f1")
    d = c.difference
    assert d.cdf(0.0) == pytest.approx(c.p_below, abs=1e-10)
    assert d.mean == pytest.approx(c.first.distribution.mean - c.second.distribution.mean, abs=1e-14)
    for q in (0.025, 0.5, 0.975):
        assert d.cdf(d.ppf(q)) == pytest.approx(q, abs=1e-9)


def test_the_papers_own_method() -> None:
    """method="sample" is the share of draws, within its stated error of the exact value."""
    exact = hs.compare(table(A), table(B), metric="f1")
    drawn = hs.compare(table(A), table(B), metric="f1", method="sample", draws=10_000)
    assert drawn.route == "sampled"
    assert abs(drawn.p_better - exact.p_better) < drawn.error.probability


def test_direction() -> None:
    """p_better follows the metric's direction; a metric without one has none, and says so."""
    up, down = (hs.compare(table(A), table(B), metric=m) for m in ("specificity", "fallout"))
    assert up.p_better == pytest.approx(down.p_better, abs=1e-12)
    assert down.p_above < 0.5 < down.p_better
    none = hs.compare(table(A), table(B), metric="prevalence")
    assert none.p_better is None
    assert [n.code for n in none.notes if n.code == "no-direction"]
    assert none.to_dict()["rows"][0]["p_better"] is None


def test_priors_may_differ() -> None:
    """A pair of priors belongs to the two systems."""
    c = hs.compare(table(A), table(A), metric="recall", prior=(0.5, 50.0))
    assert c.first.distribution.mean > c.second.distribution.mean


# -- the same items


@pytest.mark.parametrize("metric", SQUARE, ids=str)
def test_each_systems_own_posterior_is_what_it_is_alone(metric: hs.Metric) -> None:
    """Drawn from the joint table, each system's measure has the law that hs.posterior gives it alone."""
    y, answers = joint()
    drawn = hs.posterior(hs.tally(y, answers)).resolve(metric).ratio_draws(40_000, 5)
    for side, name in enumerate(("a", "b")):
        alone = hs.posterior(hs.tally(y, answers[name]), tolerance=0.1)[metric]
        x = drawn[side]
        for q in (0.1, 0.5, 0.9):
            assert (x <= alone.ppf(q)).mean() == pytest.approx(q, abs=0.025 if alone.route == "sampled" else 0.012)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "specificity", "f1", "phi"])
def test_paired_exact_agrees_with_joint_draws(metric: str) -> None:
    """The probability and the interval of the difference agree with draws of the joint cells."""
    y, answers = joint()
    c = hs.compare(y, answers, metric=metric)
    x = c.difference.draws(100_000, seed=77)
    assert c.p_above == pytest.approx((x > 0).mean(), abs=0.006)
    np.testing.assert_allclose(tuple(c.difference.interval()), np.quantile(x, [0.025, 0.975]), atol=0.05 * x.std())


def test_rate_accuracy_joint_and_wins_agree() -> None:
    """The same items counted four ways give one probability (design: one model for all of it)."""
    y, answers = joint(200)
    right = {k: (v == y) for k, v in answers.items()}
    wins = hs.compare_wins(
        first=int((right["a"] & ~right["b"]).sum()),
        second=int((right["b"] & ~right["a"]).sum()),
        same=int((right["a"] == right["b"]).sum()),
    )
    by_class = hs.compare(y, answers, metric="accuracy")
    names = np.array(["x", "y"])
    by_text = hs.compare(names[y], {k: names[v] for k, v in answers.items()}, metric="accuracy")
    assert by_class.p_better == pytest.approx(wins.p_better, abs=1e-12)
    assert by_text.p_better == pytest.approx(wins.p_better, abs=1e-12)
    assert by_class.difference.interval().low == pytest.approx(wins.difference.interval().low, abs=1e-10)


def test_identical_answers_are_even() -> None:
    """No disagreement: one half, never certain."""
    y, answers = joint(50)
    same = hs.compare(y, {"a": answers["a"], "b": answers["a"]}, metric="accuracy")
    assert same.p_better == pytest.approx(0.5, abs=1e-12)
    assert hs.compare_wins(first=0, second=0, same=50).p_better == pytest.approx(0.5, abs=1e-15)


def test_pairing_is_said_to_gain() -> None:
    """A note sets the paired probability beside that of independent tests."""
    y, answers = joint()
    notes = {n.code: n.text for n in hs.compare(y, answers, metric="accuracy").notes}
    assert "different items" in notes["pairing"]
    right = {name: [z == t for z, t in zip(answers[name], y, strict=True)] for name in ("a", "b")}
    alone = [sum(x and not z for x, z in zip(right[p], right[q], strict=True)) for p, q in (("a", "b"), ("b", "a"))]
    assert notes["pairing"].startswith(f"on the same items, a alone is right on {alone[0]} and b alone on {alone[1]};")


def test_classical_tests_beside_the_posterior() -> None:
    """McNemar's p-values are those of statsmodels; a permutation test of accuracy agrees with them."""
    from statsmodels.stats.contingency_tables import mcnemar

    y, answers = joint()
    right = {k: v == y for k, v in answers.items()}
    table_ = [
        [(right["a"] & right["b"]).sum(), (right["a"] & ~right["b"]).sum()],
        [(~right["a"] & right["b"]).sum(), (~right["a"] & ~right["b"]).sum()],
    ]
    found = hs.compare(y, answers, metric="accuracy").tests()
    assert found["mcnemar-exact"] == pytest.approx(mcnemar(table_, exact=True).pvalue, rel=1e-9)
    assert found["mcnemar-mid-p"] < found["mcnemar-exact"]
    assert found["permutation"] == pytest.approx(found["mcnemar-exact"], abs=0.05)
    same = hs.compare(y, {"a": answers["a"], "b": answers["a"]}, metric="accuracy").tests()
    assert same["mcnemar-exact"] == 1.0


def test_each_classical_test_says_what_it_tests() -> None:
    """McNemar's look at right answers, of all classes or of the one asked for; the permutation test at the measure."""
    y, answers = joint()
    f1, accuracy, one = (hs.compare(y, answers, metric=name).tests() for name in ("f1", "accuracy", "f1:1"))
    assert f1.of == {"mcnemar-exact": "accuracy", "mcnemar-mid-p": "accuracy", "permutation": "f1"}
    assert one.of["mcnemar-exact"] == "accuracy"  # of two classes one is as right as the other
    assert f1["mcnemar-exact"] == accuracy["mcnemar-exact"]
    assert repr(f1).startswith(f"Tests(mcnemar-exact of accuracy: {f1['mcnemar-exact']}, ")
    assert f1.to_dict()["permutation"] == {"tests": "f1", "p": f1["permutation"]}
    three = np.arange(90) % 3
    systems = {"a": np.where(np.arange(90) % 7, three, 0), "b": np.where(np.arange(90) % 5, three, 1)}
    said = {m: hs.compare(three, systems, metric=m).tests().of["mcnemar-mid-p"] for m in ("recall:2", "micro-f1")}
    assert said == {"recall:2": "accuracy of 2 against the rest", "micro-f1": "accuracy"}
    passed = {k: (v == three).astype(int) for k, v in systems.items()}
    assert hs.compare(passed, outcome=["a", "b"]).tests().of["mcnemar-exact"] == "rate"
    graded = hs.compare(hs.graded({"a": [0.1, 0.4, 0.3], "b": [0.2, 0.2, 0.1]}), "a", "b").tests()
    assert graded.of["permutation"] == "mean"
    assert graded.of["sign"] == "which has the better value more often"


def test_ratio_and_sampling_error() -> None:
    """The ratio's median is near the ratio of medians; the sampled share has the paper's standard error."""
    c = hs.compare(table(A), table(B), metric="f1")
    want = c.first.distribution.median / c.second.distribution.median
    assert c.ratio.median == pytest.approx(want, rel=0.01)
    y, answers = joint()
    c = hs.compare(y, answers, metric="f1")
    want = c.first.distribution.median / c.second.distribution.median
    assert abs(np.log(want)) > 0.02
    assert c.ratio.median == pytest.approx(want, rel=0.01)
    assert c.ratio.interval().low > 0.5
    drawn = hs.compare(table(A), table(B), metric="f1", method="sample", draws=10_000)
    p = drawn.p_better
    assert drawn.proportion.std == pytest.approx(np.sqrt(p * (1 - p) / 10_000), rel=0.02)
    with pytest.raises(BadSetting, match="not sampled"):
        _ = c.proportion
    with pytest.raises(BadSetting, match="negative"):
        _ = hs.compare(table(A), table(B), metric="informedness").ratio


@pytest.mark.deep
@pytest.mark.parametrize("n", [100, 1000, 5000])
def test_calibration(n: int) -> None:
    """Both systems drawn from the prior: among comparisons of probability p, the first is better in a share p."""
    rng = np.random.default_rng(n)
    m = 4000
    shares = rng.dirichlet([0.5] * 4, (2, m))
    counts = np.stack([[rng.multinomial(n, x) for x in side] for side in shares])
    f1 = 2 * shares[..., 0] / (2 * shares[..., 0] + shares[..., 1] + shares[..., 2])
    a, b = (Tally.binary(**dict(zip(CELLS, side.T, strict=True))) for side in counts)
    p = hs.compare(a, b, metric="f1", prior="jeffreys").p_better
    truth = f1[0] > f1[1]
    for low in np.arange(0.0, 1.0, 0.05):
        here = (p >= low) & (p < low + 0.05)
        if here.sum() > 50:
            spread = np.sqrt(p[here].mean() * (1 - p[here].mean()) / here.sum()) + 0.002
            assert abs(truth[here].mean() - p[here].mean()) < 4 * spread, low


@pytest.mark.parametrize("n", [100, 1000, 5000])
def test_seeds_agree(n: int) -> None:
    """Eight seeds of a sampled paired comparison lie within twice the stated error of each other."""
    y, answers = joint(n, seed=n)
    found = [hs.compare(y, answers, metric="f1", tolerance=0.05, seed=k) for k in range(8)]
    p = [c.p_better for c in found]
    assert max(p) - min(p) < 2 * found[0].error.probability


# -- wins


def test_wins_have_closed_moments() -> None:
    """E[Δ] and E[ρ] are those of Goutte & Gaussier, eqs 20 and 21."""
    from scipy.special import digamma

    w = hs.compare_wins(first=17, second=4, same=3278)
    assert w.p_better == pytest.approx(0.9983015627320135, abs=1e-14)
    assert w.difference.mean == pytest.approx(13 / 3301, rel=1e-12)
    assert w.log_odds.mean == pytest.approx(digamma(17.5) - digamma(4.5), rel=1e-12)
    x = w.log_odds.draws(100_000, seed=1)
    assert w.log_odds.std == pytest.approx(x.std(), rel=0.02)
    assert w.p_better + w.p_worse == pytest.approx(1.0, abs=1e-14)


def test_wins_in_batches() -> None:
    """Arrays of wins make a batch."""
    w = hs.compare_wins(first=[17, 4], second=[4, 17], same=100)
    assert w.p_better[0] == pytest.approx(w.p_worse[1], abs=1e-14)


def test_wins_in_batches_have_documents() -> None:
    """A batch has a verdict and a row for each pair of counts: those of the pair alone."""
    w = hs.compare_wins(first=[17, 4, 0], second=[4, 17, 0], same=100, equal_within=0.01)
    rows = w.to_dict()["rows"]
    assert [row["slice"] for row in rows] == [{"batch": i} for i in range(3)]
    assert w.verdict == [row["verdict"] for row in rows]
    for i, (a, b) in enumerate(((17, 4), (4, 17), (0, 0))):
        (alone,) = hs.compare_wins(first=a, second=b, same=100, equal_within=0.01).to_dict()["rows"]
        assert alone["verdict"] == rows[i]["verdict"]
        assert rows[i]["difference"] == pytest.approx(alone["difference"], abs=1e-10)
    assert w.to_dict()["data"]["n"] == 342
    for text in (str(w), w.to_markdown(), w.to_latex(), w.to_html(), w.to_csv()):
        assert "wins" in text


# -- what is shown


def test_document_and_formats() -> None:
    """The keys of the contract are there, and every format shows the verdict or the numbers."""
    c = hs.compare(table(A), table(B), metric="f1", names=("new", "old"), equal_within=0.01)
    row = c.to_dict()["rows"][0]
    keys = "metric better paired first second slice p_better p_worse p_equal equal_within difference error verdict"
    assert set(keys.split()) <= set(row)
    assert set(row["difference"]) == {"score", "mean", "std", "median", "low", "high"}
    assert row["verdict"].startswith("new is better than old on f1 (probability 0.98")
    for text in (str(c), c.to_markdown(), c.to_latex(), c.to_html(), c.to_csv()):
        assert "f1" in text


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (
            ["--counts", "84,18,26,872", "--counts", "70,25,40,865", "--equal-within", "0.01"],
            0,
            "first is better than second",
        ),
        (
            ["--wins", "17,4,3278", "--name", "ltc", "--name", "nnn"],
            0,
            "ltc is better than nnn on wins (probability 0.998)",
        ),
        (["--rate", "47/50", "--rate", "40/50"], 0, "first is better than second on rate (probability 0.979)"),
        (["--counts", "1,2,3,4"], 2, "compare needs two systems; got 1"),
        (["--wins", "1"], 2, "first,second,same"),
        (["--wins", "1,2", "--metric", "f1"], 2, "--metric does not go with --wins"),
        (["--counts", "1,2,3,4", "--rate", "1/2"], 2, "--counts cannot be combined with --rate: leave one out"),
        (["--counts", "1,2,3,4", "--counts", "1,2,3,4", "--equal-within", "-1"], 2, "0 or more"),
    ],
)
def test_the_command(arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """howsure compare answers, or complains in one sentence with exit code 2."""
    assert run(["compare", *arguments]) == code
    shown = capsys.readouterr()
    assert says in (shown.out if code == 0 else shown.err)


# -- bad input


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: hs.compare(*[hs.tally(*joint())] * 1, "a", "c"), UnknownName, "no system named 'c'"),
        (lambda: hs.compare(hs.tally(joint()[0], {"a": joint()[0]})), BadSetting, "two different systems"),
        (lambda: hs.compare(hs.tally(joint()[0], dict.fromkeys("abc", joint()[0]))), BadSetting, "leaderboard"),
        (lambda: hs.compare(table(A), table(B), table(A)), BadSetting, "three or more"),
        (lambda: hs.compare(table(A), table(B), equal_within=-0.1), BadSetting, "0 or more"),
        (lambda: hs.compare(table(A), 5), HowsureError, "got int"),
        (lambda: hs.compare([1, 0], {"a": [1, 0], "b": ["x", "y"]}), HowsureError, "labels|match"),
        (lambda: hs.compare([1, 0], {"a": [1, 0], "b": [1]}), BadLabels, "2 truths but 1 prediction of 'b'"),
        (lambda: hs.compare(table(A), table(B), method="magic"), UnknownName, "no method 'magic'"),
        (lambda: hs.compare(table(A), table(B), names=("a", "a")), BadSetting, "two different names"),
        (lambda: hs.compare_wins(-1, 2, 3), HowsureError, "negative"),
        (lambda: hs.compare_wins(1, 2, 3, prior=0.5), BadSetting, "three weights"),
        (lambda: hs.compare_wins(1, 2, 3, names="ab"), BadSetting, "two different names"),
    ],
)
def test_bad_input(call: object, error: type[Exception], says: str) -> None:
    """One clear sentence each."""
    with pytest.raises(error, match=says):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("metric", ["phi", "kappa"])
def test_a_comparison_is_no_surer_than_its_laws(metric: str) -> None:
    """Laws that state an error of their own hand it on, to P(A better) and to ranks."""
    tables = {str(tp): Tally.binary(tp=tp, fp=60, fn=50, tn=300) for tp in (80, 90, 120)}
    own = {k: float(hs.posterior(t)[metric].error.probability) for k, t in tables.items()}
    c = hs.compare(tables["80"], tables["90"], metric=metric)
    assert c.route == "quadrature"
    assert c.error.probability >= own["80"] + own["90"] > 1e-6
    board = hs.leaderboard(tables, metric=metric)
    assert sum(own.values()) <= board.error.probability < 1e-4
