"""forecast: exact and sampled distributions against all tables that can come, every entrance, and refusals."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.comparison.stretching import factor_of

TABLE = hs.Tally.binary(tp=8, fp=2, fn=3, tn=17)
LARGE = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
RNG = np.random.default_rng(20_261_116)
Y = RNG.integers(0, 2, 60)
A, B = (np.where(RNG.random(60) < share, Y, 1 - Y) for share in (0.85, 0.7))


def rising(a: Fraction, k: int) -> Fraction:
    return prod((a + i for i in range(k)), start=Fraction(1))


def coming(n, shapes):
    """Every table of n items over as many cells, with its chance."""
    total = rising(sum(shapes), n)
    for counts in product(range(n + 1), repeat=len(shapes) - 1):
        if sum(counts) <= n:
            whole = (*counts, n - sum(counts))
            ways = Fraction(factorial(n), prod(factorial(x) for x in whole))
            yield whole, float(ways * prod(rising(a, x) for a, x in zip(shapes, whole, strict=True)) / total)


def law(pairs):
    """Scores (None where they are undefined) with chances to sorted scores, their chances, and P(undefined)."""
    lost = sum(p for x, p in pairs if x is None)
    found: dict[float, float] = {}
    for x, p in pairs:
        if x is not None:
            found[round(x, 12)] = found.get(round(x, 12), 0.0) + p / (1 - lost)
    return np.array(sorted(found)), np.array([found[x] for x in sorted(found)]), lost


def held(d, values, chances):
    """Whether tails, mean and std are those of the law, within what is stated."""
    within = float(np.max(d.error.probability)) * (1 if d.ess is None else 1.5)  # at all points at once
    below = np.cumsum(chances)
    points = values + 1e-9
    assert np.abs(d.cdf(points) - below).max() <= within
    assert np.abs(d.sf(points) - (1 - below)).max() <= within
    mean = values @ chances
    assert abs(d.mean - mean) <= max(float(d.mean_error()), 1e-11)
    second, fourth = (chances @ (values - mean) ** k for k in (2, 4))
    off = 1e-9 if d.ess is None else 4.5 * np.sqrt((fourth - second**2) / d.ess) + 1e-9  # of a variance by draws
    assert abs(d.std**2 - second) <= off


SCORES = {
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None,
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn) if tp + fn else None,
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp) if tp + fp else None,
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "prevalence": lambda tp, fp, fn, tn: (tp + fn) / (tp + fp + fn + tn),
    "f2": lambda tp, fp, fn, tn: 5 * tp / (5 * tp + fp + 4 * fn) if tp + fp + fn else None,
    "balanced-accuracy": lambda tp, fp, fn, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2 if tp + fn and tn + fp else None,
    "phi": lambda tp, fp, fn, tn: (tp * tn - fp * fn) / d**0.5
    if (d := (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    else None,
}  # fmt: skip


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize("n", [2, 7])
def test_the_law_of_all_tables(metric, n):
    """Tails, moments and P(undefined) over every table of n items; those of few groups without draws."""
    half = Fraction(1, 2)
    shapes = [c + half for c in (8, 2, 3, 17)]
    values, chances, lost = law([(SCORES[metric](*c), p) for c, p in coming(n, shapes)])
    d = hs.forecast(TABLE, n=n, metric=metric, tolerance=0.05)
    assert (d.route == "closed form") == (metric not in ("f2", "balanced-accuracy", "phi"))
    assert d.undefined == pytest.approx(lost, rel=1e-9, abs=1e-15)
    held(d, values, chances)


def test_a_rate_is_beta_binomial():
    """47 of 50, the next 20: weight 1 on a hit and 1 on a miss."""
    values, chances, _ = law([(x[0] / 20, p) for x, p in coming(20, [Fraction(48), Fraction(4)])])
    d = hs.forecast(hs.Tally.rate(hits=47, of=50), n=20)
    held(d, values, chances)
    assert d.route == "closed form"
    assert d.undefined == 0.0
    low, high = d.interval(0.9)
    inside = chances[(values >= low - 1e-9) & (values <= high + 1e-9)].sum()
    assert inside >= 0.9
    assert chances[values < low - 1e-9].sum() < 0.05
    assert chances[values > high + 1e-9].sum() <= 0.05


def patterns(metric):
    """Every joint table of three next items of two systems, with the difference of their scores."""
    joint = hs.tally(Y, {"a": A, "b": B})
    names = {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}  # truth, answer: tp, fp, fn, tn
    keys = list(product((0, 1), (0, 1), (0, 1)))
    seen = [int(((y == Y) & (a == A) & (b == B)).sum()) for y, a, b in keys]
    shapes = [Fraction(1, 4) + c for c in seen]  # 1/2 · 1/2 over the weight 1 of a truth
    pairs = []
    for counts, p in coming(3, shapes):
        sides = []
        for side in (1, 2):
            cells = [0, 0, 0, 0]
            for key, c in zip(keys, counts, strict=True):
                cells[names[key[0], key[side]]] += c
            sides.append(SCORES[metric](*cells))
        pairs.append((None if None in sides else sides[0] - sides[1], p))
    return joint, law(pairs)


@pytest.mark.parametrize(
    ("metric", "route"), [("accuracy", "closed form"), ("f1", "sampled"), ("precision", "sampled")]
)
def test_the_difference_of_two_systems_on_the_same_items(metric, route):
    """Over all joint tables of the next items; a difference of right answers without draws."""
    joint, (values, chances, lost) = patterns(metric)
    d = hs.forecast(joint, "a", "b", n=3, metric=metric, tolerance=0.05)
    assert d.route == route
    held(d, values, chances)
    assert d.undefined == pytest.approx(lost, abs=1e-12 if route != "sampled" else 0.005)
    assert (d.below, d.above) == (0.0, 0.0)
    back = hs.forecast(joint, "b", "a", n=3, metric=metric, tolerance=0.05)
    assert back.mean == pytest.approx(-d.mean, abs=2e-2 if route == "sampled" else 1e-12)


def test_two_systems_on_items_of_their_own():
    """The difference of two independent rates, against the convolution of their laws."""
    one, two = (hs.Tally.rate(hits=h, of=50) for h in (47, 40))
    first, second = ([p for _, p in coming(10, [Fraction(h + 1), Fraction(51 - h)])][::1] for h in (47, 40))
    pairs = [((i - j) / 10, p * q) for i, p in enumerate(first) for j, q in enumerate(second)]
    values, chances, _ = law(pairs)
    d = hs.forecast(one, two, n=10, names=("new", "old"), tolerance=0.05)
    held(d, values, chances)
    assert d.systems == ("new", "old")


def test_graded_values_come_from_the_urn():
    """The mean of two next items: both may have any value seen, or one of the prior's ends, and go together.

    All weights are less than 1, so that a mean under them has the variance of the stretched mean.
    """
    values = np.array([0.2, 0.5, 0.9])
    items = hs.graded(values, bounds=(0, 1))
    ends = [0.2 - 0.02, 0.9 + 0.01]  # a tenth of the way to the bounds
    each = ((5 + 1) / factor_of(3, values, (0, 1)) ** 2 - 1) / 5
    at, shapes = [*values, *ends], [Fraction(each)] * 5
    pairs = [(float(np.dot(c, at)) / 2, p) for c, p in coming(2, shapes)]
    held(hs.forecast(items, n=2, tolerance=0.05), *law(pairs)[:2])


def test_clusters_come_whole():
    """The next cluster is one of those seen, or all right or all wrong of the usual size."""
    y, group = np.array([1, 1, 0, 1, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1, 2, 2, 2])
    t = hs.tally(y, np.array([1, 0, 0, 1, 1, 0, 1, 0]), cluster=group)
    d = hs.forecast(t, n=1, metric="accuracy", tolerance=0.05)
    assert d.unit == "cluster"
    shares = [2 / 3, 1 / 2, 2 / 3]
    pairs = [(x, 1 / 5) for x in (*shares, 0.0, 1.0)]
    held(d, *law(pairs)[:2])
    assert [n["code"] for n in d.to_dict()["notes"] if n["code"] == "next-clusters"]


def test_every_entrance_gives_the_same():
    """Counts, arrays, a frame, a posterior: one law."""
    import pandas as pd

    want = hs.forecast(hs.tally(Y, A), n=25, metric="f1")
    frame = pd.DataFrame({"y": Y, "a": A})
    found = [
        hs.forecast(Y, A, n=25, metric="f1"),
        hs.forecast(frame, truth="y", pred="a", n=25, metric="f1"),
        hs.forecast(hs.posterior(hs.tally(Y, A)), n=25, metric="f1"),
        hs.forecast(hs.tally(Y, {"a": A, "b": B}), "a", n=25, metric="f1"),
    ]
    for d in found:
        assert d.interval() == want.interval()
        assert d.cdf(0.8) == want.cdf(0.8)
        assert d.mean == want.mean


def test_slices_are_their_tables():
    """A batch has the laws of its tables, exact and drawn."""
    batch = hs.Tally.binary(tp=[8, 30], fp=[2, 5], fn=[3, 9], tn=[17, 100])
    for metric in ("f1", "phi"):
        whole = hs.forecast(batch, n=40, metric=metric, tolerance=0.1)
        for j, cells in enumerate([(8, 2, 3, 17), (30, 5, 9, 100)]):
            one = hs.forecast(hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))), n=40,
                             metric=metric, tolerance=0.1)  # fmt: skip
            assert whole.undefined[j] == pytest.approx(one.undefined, rel=1e-9)
            assert whole.cdf(0.6)[j] == pytest.approx(one.cdf(0.6), abs=1e-12 if metric == "f1" else 0.05)
        assert len(whole.to_dict()["rows"]) == 2
    assert whole.draws(5).shape == (5, 2)


def test_more_items_come_closer_to_the_posterior():
    """The observed score is wider than the posterior, and approaches it: its variance less that of n items."""
    p = hs.posterior(LARGE)
    widths = [hs.forecast(p, n=n, metric="f1").interval().width for n in (100, 1_000, 10_000)]
    assert widths[0] > widths[1] > widths[2] > p["f1"].interval().width
    far = hs.forecast(p, n=1_000_000, metric="f1", tolerance=0.05)
    assert far.std == pytest.approx(p["f1"].std, rel=0.03)
    rate = hs.posterior(hs.Tally.rate(hits=47, of=50))
    s, mean = 52.0, 48 / 52
    want = mean * (1 - mean) * (s + 200) / (200 * (s + 1))
    assert hs.forecast(rate, n=200).std == pytest.approx(want**0.5, rel=1e-9)


def test_draws_are_of_the_law():
    """Draws of an exact law, by the seed, and never undefined."""
    d = hs.forecast(TABLE, n=6, metric="recall")
    x = d.draws(40_000, seed=3)
    assert not np.isnan(x).any()
    assert np.array_equal(x, d.draws(40_000, seed=3))
    assert abs((x <= 0.5).mean() - d.cdf(0.5)) < 4.5 * 0.5 / 200
    drawn = [hs.forecast(TABLE, n=30, metric="phi", seed=seed, tolerance=0.2).mean for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_steps():
    """P(<= x) holds the step at x, prob_below does not; quantiles are scores; there is no density."""
    d = hs.forecast(TABLE, n=4, metric="accuracy")
    assert d.cdf(0.5) - d.prob_below(0.5) == pytest.approx(d.cdf(0.6) - d.cdf(0.4), abs=1e-12)
    assert d.sf(0.5) == pytest.approx(1 - d.cdf(0.5), abs=1e-12)
    assert set(np.ravel(d.ppf(np.linspace(0, 1, 50)))) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert d.prob_above(1.0) == 0.0
    sure = hs.forecast(hs.Tally.rate(hits=10_000, of=10_000), n=3)
    assert tuple(sure.interval()) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda d: d.pdf(0.5), "cdf"),
        (lambda d: d.mode, "median"),
        (lambda d: d.interval(kind="hdi"), "equal-tailed"),
    ],
)
def test_what_steps_do_not_have(ask, said):
    """One sentence that says what to ask for instead."""
    with pytest.raises(hs.HowsureError, match=said):
        ask(hs.forecast(TABLE, n=4, metric="f1"))


REFUSED = {
    "n is a whole number": lambda: hs.forecast(TABLE, n=0),
    "negative": lambda: hs.forecast(TABLE, n=-3),
    "half": lambda: hs.forecast(TABLE, n=2.5),
    "text": lambda: hs.forecast(TABLE, n="20"),  # type: ignore[call-overload]
    "true": lambda: hs.forecast(TABLE, n=True),
    "at most 1,000,000,000": lambda: hs.forecast(TABLE, n=10**10),
    "0/0": lambda: hs.forecast(TABLE, n=1, metric="phi"),
    "auc": lambda: hs.forecast({"y": Y, "s": A + 0.5 * B}, truth="y", score="s", n=9, metric="auc"),
    "Stratified": lambda: hs.forecast(
        hs.Tally.binary(tp=[3, 4], fp=2, fn=1, tn=5).stratified({0: 10, 1: 20}), n=9, metric="f1"
    ),
    "different systems": lambda: hs.forecast(hs.tally(Y, {"a": A, "b": B}), "a", "a", n=9),
    "the difference of two": lambda: hs.forecast(hs.tally(Y, {"a": A, "b": B, "c": Y}), n=9),
    "not among the measures": lambda: hs.forecast(TABLE, n=9, metric="f1", below={"recall": 0.5}),
    "finite": lambda: hs.forecast(TABLE, n=9, metric="f1", above=float("nan")),
    "names": lambda: hs.forecast(TABLE, n=9, metric="f1", names=("a", "b")),
    "level": lambda: hs.forecast(TABLE, n=9, metric="f1", level=95),
}


@pytest.mark.parametrize("why", REFUSED)
def test_refusals(why):
    """One sentence each."""
    words = {"negative": "n=", "half": "2.5", "text": "'20'", "true": "True", "n is a whole number": "whole number"}
    with pytest.raises(hs.HowsureError, match=words.get(why, why)) as refused:
        REFUSED[why]()
    assert str(refused.value).count("\n") == 0


def test_the_document():
    """All keys of a row, numbers that are those of the law, and every format."""
    d = hs.forecast(LARGE, n=500, metric="f1", below=0.75, above=0.8)
    made = d.to_dict()
    assert made["schema"] == "howsure.forecast/1"
    (row,) = made["rows"]
    keys = ("metric", "asked", "system", "slice", "n", "next", "mean", "std", "median", "low", "high", "below",
            "p_below", "above", "p_above", "p_undefined", "error", "route")  # fmt: skip
    assert set(keys) <= set(row)
    assert (row["next"], row["n"], row["p_below"], row["p_above"]) == (500, 1000, d.prob_below(0.75), d.sf(0.8))
    assert json.loads(d.to_json()) == made
    for text in (str(d), d.to_markdown(), d.to_latex(), d.to_csv(), d.to_html()):
        assert "0.634" in text
    assert repr(d) == "f1 of the next 500 items 0.757 [0.634, 0.860] 95% equal-tailed, closed form"
    again = pickle.loads(pickle.dumps(d))
    assert again == d
    assert d != hs.forecast(LARGE, n=501, metric="f1", below=0.75, above=0.8)
    assert d.to_frame()["next"][0] == 500


def test_undefined_is_said():
    """In a note, where it is likely enough to matter."""
    d = hs.forecast(LARGE, n=20, metric="recall")
    (told,) = [n["text"] for n in d.to_dict()["notes"] if n["code"] == "next-undefined"]
    assert told == "recall of the next 20 items is 0/0 with probability 0.098; all else is given that it is not"
    assert not [
        n for n in hs.forecast(LARGE, n=500, metric="recall").to_dict()["notes"] if n["code"] == "next-undefined"
    ]


def test_several_measures():
    """One document, and each alone by its name; limits by measure."""
    both = hs.forecast(LARGE, n=50, metrics=["f1", "recall"], below={"f1": 0.7})
    assert [r["metric"] for r in both.to_dict()["rows"]] == ["f1", "recall"]
    assert both["f1"].below == 0.7
    assert both["recall"].below is None


def test_the_command(capsys):
    """Counts, two rates, refusals."""
    assert run(["forecast", "--counts", "80,20,30,870", "--n", "500", "--metric", "f1", "--below", ".75"]) == 0
    assert "42.1% chance that f1 falls below 0.75" in capsys.readouterr().out
    assert run(["forecast", "--rate", "47/50", "--rate", "40/50", "--n", "20", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["first"], row["second"], row["below"]) == ("first", "second", 0.0)
    for words in (["--n", "0"], ["--n", "2.5"], [], ["--n", "5", "--below", "x"], ["--n", "9999999999999"]):
        assert run(["forecast", "--rate", "3/4", *words]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert told.err.count("\n") == 1


def test_weighted_items_count_alike_from_now_on():
    """A note says so."""
    t = hs.tally(Y, A, weight=np.linspace(0.5, 2, 60))
    d = hs.forecast(t, n=20, metric="f1", tolerance=0.1)
    assert [n for n in d.to_dict()["notes"] if n["code"] == "next-weighted"]
    assert d.route == "sampled"


def test_of_a_target():
    """Where half of the items are positive, half of the next ones are, and the scores are those of the target."""
    p = hs.shift(hs.posterior(LARGE), prevalence=0.5)
    d = hs.forecast(p, n=40, metric="prevalence", tolerance=0.05)
    assert abs(d.mean - 0.5) <= float(d.mean_error())
    assert d.std == pytest.approx(np.sqrt(0.25 / 40), rel=0.03)  # a coin, not an urn
    far = hs.forecast(p, n=1_000_000, metric="precision", tolerance=0.05)
    assert far.mean == pytest.approx(p["precision"].mean, abs=2 * float(far.mean_error()))
    joint = hs.shift(hs.posterior(hs.tally(Y, {"a": A, "b": B})), prevalence=0.9)
    assert hs.forecast(joint, n=40, metric="recall", tolerance=0.2).route == "sampled"


def test_averages_over_classes():
    """macro-f1 of two next items of three classes, against all pairs of cells under the prior of equal weights."""
    matrix = np.array([[9, 1, 2], [3, 8, 1], [0, 2, 7]])
    weight = 0.5
    shapes = (matrix + weight).ravel()
    total, pairs = shapes.sum(), []
    for i, j in product(range(9), repeat=2):
        table = np.zeros(9)
        table[[i]] += 1
        table[[j]] += 1
        found = hs.posterior(hs.Tally.matrix(table.reshape(3, 3).astype(int))).point("macro-f1")
        pairs.append((float(found), shapes[i] / total * (shapes[j] + (i == j)) / (total + 1)))
    d = hs.forecast(hs.Tally.matrix(matrix), n=2, metric="macro-f1", prior=weight, tolerance=0.05)
    held(d, *law(pairs)[:2])
    usual = hs.forecast(hs.Tally.matrix(matrix), n=200, tolerance=0.1)
    assert usual.asked == "macro-f1"
    assert abs(usual.mean - hs.posterior(hs.Tally.matrix(matrix))["macro-f1"].mean) < 0.03


def test_many_slices_are_refused_or_drawn_less():
    """Too many numbers at once are refused; a thousand slices have fewer draws each."""
    many = hs.Tally.binary(tp=np.arange(200_000) % 7 + 1, fp=2, fn=3, tn=9)
    with pytest.raises(hs.HowsureError, match="too many at once"):
        hs.forecast(many, n=1_000, metric="accuracy")
    assert hs.forecast(many, n=20, metric="accuracy").cdf(0.5).shape == (200_000,)
    some = hs.Tally.binary(tp=np.arange(300) % 7 + 1, fp=2, fn=3, tn=9)
    assert hs.forecast(some, n=20, metric="phi", tolerance=0.2).shape == (300,)


def test_steps_of_drawn_differences_are_single_numbers():
    """0.7 - 0.6 is 0.1: every step of the difference of two rates, by the exact convolution."""
    d = hs.forecast(hs.Tally.rate(hits=7, of=10), hs.Tally.rate(hits=3, of=10), n=10, tolerance=0.01)
    own = [hs.forecast(hs.Tally.rate(hits=k, of=10), n=10) for k in (7, 3)]
    steps = np.arange(11) / 10
    one, two = (np.diff([0.0, *(float(x.cdf(s + 1e-9)) for s in steps)]) for x in own)
    exact = np.convolve(one, two[::-1])  # at -1, -0.9, ..., 1
    for k, s in enumerate(np.round(np.arange(-10, 11) / 10, 1)):
        assert abs(float(d.cdf(s) - d.prob_below(s)) - exact[k]) < 0.01
        assert abs(float(d.cdf(s)) - exact[: k + 1].sum()) < 0.01


@pytest.mark.parametrize("metric", ["samples-f1", "micro-f1", "hamming-loss"])
def test_differences_over_items_with_many_labels(metric):
    """The next difference is the mean of the systems' forecasts, and wider than what is known of the systems."""
    rng = np.random.default_rng(4)
    sets = [[x for x in "xyz" if rng.random() < 0.6] or ["x"] for _ in range(90)]
    a, b = ([s if rng.random() < share else ["x"] for s in sets] for share in (0.8, 0.4))
    joint = hs.Tally.multilabel(sets, {"a": a, "b": b})
    d = hs.forecast(joint, "a", "b", metric=metric, n=40, tolerance=0.2)
    one, two = (hs.forecast(joint.system(name), metric=metric, n=40, tolerance=0.2) for name in "ab")
    assert float(d.mean) == pytest.approx(float(one.mean) - float(two.mean), abs=0.03)
    known = hs.compare(joint, "a", "b", metric=metric, tolerance=0.2).difference
    assert float(known.std) < float(d.std) < float(np.hypot(one.std, two.std))


def test_macro_averages_of_label_sets_are_refused():
    """With what can be asked instead; they ended in an error of shapes."""
    sets = hs.Tally.multilabel([["x"], ["x", "y"], ["z"]], [["x"], ["y"], ["z", "x"]])
    with pytest.raises(hs.HowsureError, match="single labels, micro and samples averages"):
        hs.forecast(sets, metric="macro-f1", n=10)
