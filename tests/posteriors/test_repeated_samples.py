"""pass@k and all-pass@k: the values against fractions, the law against graded items, names and refusals."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from bench import coverage_samples as study
from howsure.catalogue import described, parse
from howsure.catalogue.repeated import parse as repeated
from howsure.cli.app import run
from howsure.errors import HowsureError

RNG = np.random.default_rng(41)
SIZES = RNG.integers(5, 12, 40)
PASSES = {name: RNG.binomial(SIZES, RNG.beta(0.7, 0.7, 40)) for name in "abc"}


def clustered(systems="a", sizes=SIZES):
    return hs.Clustered.of({s: hs.Tally.rate(hits=PASSES[s], of=sizes) for s in systems})


def frame(systems="a"):
    rows = [
        {"model": s, "question": f"q{q}", "passed": i < hits}
        for s in systems
        for q, (n, hits) in enumerate(zip(SIZES, PASSES[s], strict=True))
        for i in range(n)
    ]
    return pl.DataFrame(rows)


# -- values


@pytest.mark.parametrize("n", [1, 2, 5, 20, 137, 1000])
def test_values_against_fractions(n):
    """Within rounding of the quotient of binomial coefficients, relative to the value, however small it is."""
    passed = sorted({0, 1, 2, n // 3, n // 2, n - 1, n} & set(range(n + 1)))
    for k in sorted({1, 2, 3, n // 2, n - 1, n} & set(range(1, n + 1))):
        some, every = (repeated(f"{x}@{k}").values(n, passed) for x in ("pass", "all-pass"))
        for c, one, two in zip(passed, some, every, strict=True):
            for found, exact in (
                (one, 1 - Fraction(comb(n - c, k), comb(n, k))),
                (two, Fraction(comb(c, k), comb(n, k))),
            ):
                if exact < Fraction(1, 10**300):
                    assert found <= 1e-299 if exact else found == 0
                else:
                    assert abs(Fraction(float(found)) / exact - 1) < 2e-15 * max(20, -float(np.log(float(exact))))


def test_values_are_shares_of_subsets():
    """By counting all choices of 3 of 6 samples, 4 of which pass."""
    chosen = list(combinations([1, 1, 1, 1, 0, 0], 3))
    assert repeated("pass@3").values(6, 4) == pytest.approx(np.mean([any(x) for x in chosen]), rel=1e-14)
    assert repeated("pass^3").values(6, 4) == pytest.approx(np.mean([all(x) for x in chosen]), rel=1e-14)


def test_large_numbers_of_samples_neither_overflow_nor_lose_digits():
    """One pass in a billion samples is found in a thousand of them with probability 1e-6."""
    assert repeated("pass@1000").values(10**9, 1) == pytest.approx(1e-6, rel=1e-14)
    assert repeated("all-pass@1000000").values(10**7, 10**7 - 1) == pytest.approx(0.9, rel=1e-12)
    found = repeated("pass@1000").values(np.full(3, 10**6), [0, 10**3, 10**6])
    assert found[0] == 0
    assert found[1] == pytest.approx(1 - 0.3675, abs=1e-3)
    assert found[2] == 1


def test_the_mean_over_samples_of_samples_is_unbiased():
    """Averaged over the binomial law of c, the value is 1 - (1 - p)^k and p^k."""
    n, p, c = 12, 0.23, np.arange(13)
    weight = np.array([comb(n, int(x)) * p**x * (1 - p) ** (n - x) for x in c])
    for k in (1, 4, 12):
        assert weight @ repeated(f"pass@{k}").values(n, c) == pytest.approx(1 - (1 - p) ** k, rel=1e-13)
        assert weight @ repeated(f"pass^{k}").values(n, c) == pytest.approx(p**k, rel=1e-13)


# -- laws


def test_pass_at_1_of_equal_samples_is_the_rate():
    """With one prior: of each system, of their difference, and of 0 and 1 as graded values."""
    p = hs.posterior(clustered("ab", np.full(40, 12)))
    for s in "ab":
        one, two = p.system(s)["pass@1"], p.system(s)["rate"]
        np.testing.assert_allclose(
            (one.mean, one.std, *one.interval()), (two.mean, two.std, *two.interval()), rtol=1e-9
        )
    one, two = (hs.compare(p, "a", "b", metric=m) for m in ("pass@1", "rate"))
    np.testing.assert_allclose(
        (one.p_better, *one.difference.interval()), (two.p_better, *two.difference.interval()), rtol=1e-9
    )
    passed = np.concatenate([np.arange(12) < hits for hits in PASSES["a"]])
    graded = hs.posterior(hs.graded(passed, cluster=np.repeat(np.arange(40), 12), bounds=(0, 1)))["mean"]
    np.testing.assert_allclose(tuple(graded.interval()), tuple(p.system("a")["rate"].interval()), rtol=1e-9)


@pytest.mark.parametrize("metric", ["pass@1", "pass@5", "all-pass@3"])
def test_draws_are_those_of_the_distribution(metric):
    """Of one system, and of the difference of two."""
    p = hs.posterior(clustered("ab"))
    for d in (p.system("a")[metric], hs.compare(p, "a", "b", metric=metric).difference):
        x = d.draws(40_000, seed=3)
        for q in (0.025, 0.5, 0.975):
            assert (x <= d.ppf(q)).mean() == pytest.approx(q, abs=0.008)


def test_one_sample_per_question_is_a_rate():
    """pass@1 and all-pass@1 are then the rate without clusters."""
    passed = np.array([1] * 17 + [0] * 6)
    p = hs.posterior(hs.Clustered.of({"a": hs.Tally.rate(hits=passed, of=1)}))
    plain = hs.posterior(hs.Tally.rate(hits=17, of=23))["rate"]
    for name in ("pass@1", "all-pass@1"):
        np.testing.assert_allclose(tuple(p[name].interval()), tuple(plain.interval()), rtol=1e-12)


def test_pass_at_1_counts_questions_and_rate_counts_samples():
    """The note says so where, and only where, questions have different numbers of samples."""
    report = hs.score(clustered(), metrics=["pass@1", "rate"])
    first, second = report.to_dict()["rows"]
    assert first["score"] == pytest.approx((PASSES["a"] / SIZES).mean(), rel=1e-13)
    assert second["score"] == pytest.approx(PASSES["a"].sum() / SIZES.sum(), rel=1e-13)
    assert first["score"] != pytest.approx(second["score"], abs=1e-6)
    assert [n["text"] for n in report.to_dict()["notes"] if n["code"] == "samples-differ"] == [
        "clusters have from 5 to 11 samples: pass@1 counts every cluster alike, rate every sample"
    ]
    even = hs.score(clustered(sizes=np.full(40, 12)), metrics=["pass@1", "pass@3"])
    assert not any(n.code == "samples-differ" for n in even.notes)
    assert not any(n.code == "samples-differ" for n in hs.score(clustered(), metrics="pass@3").notes)


def test_pass_rises_and_all_pass_falls_with_k():
    """Means and both ends."""
    p = hs.posterior(clustered())
    for base, sign in (("pass", 1), ("all-pass", -1)):
        found = np.array([(p[f"{base}@{k}"].mean, *p[f"{base}@{k}"].interval()) for k in (1, 2, 3, 5)])
        assert (sign * np.diff(found, axis=0) > 0).all()


def test_all_pass_or_none_still_has_an_interval():
    """As wide as that of a rate of as many questions."""
    for hits in (0, 6):
        d = hs.posterior(hs.Clustered.of({"a": hs.Tally.rate(hits=np.full(20, hits), of=6)}))["pass@3"]
        rate = hs.posterior(hs.Tally.rate(hits=20 if hits else 0, of=20))["rate"]
        np.testing.assert_allclose(tuple(d.interval()), tuple(rate.interval()), rtol=1e-12)


def test_classes_and_sets_of_labels_pass_where_they_are_right():
    """A sample passes where its answer is the truth."""
    y, z = RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)
    q = np.repeat(np.arange(12), 5)
    right = hs.posterior(hs.tally(pd.DataFrame({"p": y == z, "q": q}), outcome="p", cluster="q"))["pass@2"]
    classes = hs.posterior(hs.tally(y, z, cluster=q))["pass@2"]
    lists = pl.DataFrame({"y": [[str(x)] for x in y], "z": [[str(x)] for x in z], "q": q})
    sets = hs.tally(lists, truth="y", pred="z", cluster="q")
    for d in (classes, hs.posterior(sets)["pass@2"]):
        assert tuple(d.interval()) == tuple(right.interval())


@pytest.mark.parametrize("metric", ["pass@3", "all-pass@3"])
def test_three_systems_are_ranked(metric):
    """From a long frame as from counts; pairs are those of two systems alone."""
    board = hs.leaderboard(frame("abc"), outcome="passed", cluster="question", system="model", metric=metric)
    other = hs.leaderboard(clustered("abc"), metric=metric)
    assert board.systems == other.systems
    np.testing.assert_allclose(board.pairs, other.pairs, rtol=1e-12)
    np.testing.assert_allclose(board.p_best, other.p_best, atol=0.02)
    pair = hs.compare(clustered("abc"), "a", "b", metric=metric)
    at = [board.systems.index(s) for s in "ab"]
    assert board.pairs[at[0], at[1]] == pytest.approx(pair.p_better, rel=1e-9)


def test_the_command_reads_long_files_and_two_files(tmp_path, capsys):
    """The same numbers as in Python."""
    frame("ab").write_csv(tmp_path / "long.csv")
    for s in "ab":
        frame(s).write_csv(tmp_path / f"{s}.csv")
    told = ["--outcome", "passed", "--cluster", "question", "--metric", "pass^2", "--format", "csv"]
    assert run(["compare", str(tmp_path / "long.csv"), "--system", "model", *told]) == 0
    one = capsys.readouterr().out
    assert run(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), *told]) == 0
    two = capsys.readouterr().out
    assert one == two
    p = hs.compare(clustered("ab"), "a", "b", metric="all-pass@2").p_better
    assert f"{p:.10f}"[:10] in one


def test_independent_tests_are_compared():
    """Of different questions, and different numbers of them."""
    one, two = clustered("a"), hs.Clustered.of({"b": hs.Tally.rate(hits=[3, 0, 5, 2], of=5)})
    c = hs.compare(one, two, metric="pass@3")
    assert 0 < c.p_better < 1
    assert not c.paired


def test_what_comes_next_are_questions():
    """As of graded items, but counted as clusters."""
    p = hs.posterior(clustered())
    items = hs.posterior(hs.graded(repeated("pass@3").values(SIZES, PASSES["a"]), bounds=(0, 1)))
    one, two = hs.forecast(p, n=60, metric="pass@3"), hs.forecast(items, n=60)
    assert one.unit == "cluster"
    assert one.mean == pytest.approx(two.mean, abs=0.01)
    assert tuple(one.interval()) == pytest.approx(tuple(two.interval()), abs=0.02)


# -- names


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("pass@5", "pass@5"), ("PASS_AT_5", "pass@5"), ("pass at 5", "pass@5"), ("pass @ k=5", "pass@5"),
        ("Pass@05", "pass@5"), ("all-pass@2", "all-pass@2"), ("all_pass@2", "all-pass@2"), ("pass^2", "all-pass@2"),
        ("pass_hat_2", "all-pass@2"), ("All pass ^ 2", "all-pass@2"), ("allpass@2", "all-pass@2"),
    ],
)  # fmt: skip
def test_names(name, canonical):
    """Case and separators are forgiven; the canonical name reads as itself."""
    found = described(name)
    assert str(found) == canonical
    assert described(str(found)) == found
    assert all(described(x) == found for x in found.aliases)
    assert name in hs.posterior(clustered())


@pytest.mark.parametrize("name", ["P@10", "AP@5", "f1@0.5", "passion@3", "recal@0.5"])
def test_other_names_are_not_taken_for_samples(name):
    """They are refused as what they were before."""
    with pytest.raises(HowsureError) as error:
        parse(name)
    assert "several samples" not in str(error.value)
    assert "pass@" not in str(error.value).replace(name, "")


def test_the_catalogue_lists_them(capsys):
    """With direction, range and source."""
    assert run(["metrics", "pass@7"]) == 0
    shown = capsys.readouterr().out
    assert "Chen et al. 2021" in shown
    assert "0 to 1; higher is better" in shown
    assert run(["metrics"]) == 0
    assert {"pass@5", "all-pass@5"} <= set(capsys.readouterr().out.split())


# -- refusals


def test_the_question_with_too_few_samples_is_named():
    """The one with the fewest, its system, and how many more there are."""
    short = hs.Clustered.of({"a": hs.Tally.rate(hits=[2, 1], of=5), "b": hs.Tally.rate(hits=[2, 1], of=[5, 3])})
    with pytest.raises(HowsureError, match=r"pass@4 needs 4 samples of every question; batch 1 of b has 3\. Ask"):
        hs.compare(short, "a", "b", metric="pass@4")
    row = hs.compare(short, "a", "b", metric="pass@3", tolerance=0.2).to_dict()["rows"][
        0
    ]  # 0.9 and 0.6 against 0.9 and 1
    assert row["difference"]["score"] == pytest.approx(-0.2, rel=1e-12)
    others = int((SIZES < 11).sum()) - 1
    with pytest.raises(HowsureError, match=rf"question 'q\d+' has 5, and {others} others have fewer than 11\. Ask"):
        hs.score(frame(), outcome="passed", cluster="question", metrics="pass@11")


# -- simulation


def test_the_rule_of_the_study_is_that_of_the_package():
    """The drawn intervals of bench/coverage_samples.py against the law."""
    for world in study.WORLDS[1:3]:
        rng = np.random.default_rng(7)
        passed = rng.binomial(10, world.draw(rng, (1, 30)))
        metric = repeated("pass@3")
        d = hs.posterior(hs.Clustered.of({"a": hs.Tally.rate(hits=passed[0], of=10)}))["pass@3"]
        seen, grades = study.counts(passed, 10), metric.values(10, np.arange(11))
        found = np.array([study.howsure_rule(rng, seen, grades, 10 / 3) for _ in range(40)])[:, :, 0].mean(axis=0)
        np.testing.assert_allclose(found, tuple(d.interval()), atol=0.05 * d.std)


def test_the_truth_of_the_study_is_the_mean_over_questions():
    """By many questions."""
    rng = np.random.default_rng(3)
    for world in study.WORLDS:
        p = world.draw(rng, (400_000,))
        assert world.truth(repeated("pass@5")) == pytest.approx((1 - (1 - p) ** 5).mean(), abs=0.004)
        assert world.truth(repeated("all-pass@5")) == pytest.approx((p**5).mean(), abs=0.004)


@pytest.mark.deep
@pytest.mark.parametrize("world", study.WORLDS, ids=lambda w: w.name)
@pytest.mark.parametrize("questions", [30, 100])
def test_intervals_hold(world, questions):
    """1,000 tests: 92.5% on average over samples and k, 87% everywhere, and as much as the t interval but for noise."""
    held = []
    for n in (5, 10, 20):
        for metric, found in study.covered(world, questions, n, 1000):
            assert found["howsure"][0] >= max(0.87, found["t"][0] - 0.025), (metric, n, found)
            held.append(found["howsure"][0])
    assert np.mean(held) >= 0.925


@pytest.mark.deep
@pytest.mark.parametrize("world", study.WORLDS, ids=lambda w: w.name)
def test_equal_systems_are_rarely_told_apart(world):
    """P(better) is beyond 97.5% in about 5% of tests."""
    for same in (True, False):
        assert study.equal_systems(world, 30, 10, repeated("pass@3"), 1000, same)[0] <= 0.07


@pytest.mark.parametrize("name", ["pass@-5", "pass^-1", "all-pass@-2", "pass-at--3"])
def test_a_number_of_samples_is_no_negative_one(name):
    """Its sign is not taken for a hyphen."""
    with pytest.raises(HowsureError):
        repeated(name)
