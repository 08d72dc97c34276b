"""Graded values of items: the Bayesian bootstrap in score, compare and leaderboard."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.errors import BadSetting
from tests.comparison.stretching import stretched
from tests.tiers import spread

RNG = np.random.default_rng(7)
A = RNG.random(60)
B = np.clip(A + RNG.normal(0.02, 0.15, 60), 0, 1)
BOTH = {"a": A, "b": B}


def pair(**options: Any) -> hs.Graded:
    return hs.graded(BOTH, **options)


# -- values of 0 and 1 are outcomes


@given(st.integers(0, 30), st.integers(0, 30))
@example(13, 1)  # rounding once made this a stretched mean
@settings(max_examples=20, deadline=None)
def test_right_and_wrong_is_a_rate(hits: int, misses: int) -> None:
    """Values of 0 and 1 with these bounds have exactly the posterior of Tally.rate."""
    if hits + misses < 2:
        return
    d = hs.posterior(hs.graded([1] * hits + [0] * misses, bounds=(0, 1)))["mean"]
    want = hs.posterior(hs.Tally.rate(hits=hits, of=hits + misses))["rate"]
    assert d.route == "closed form"
    assert (d.mean, d.std) == pytest.approx((want.mean, want.std), rel=1e-13)
    assert tuple(d.interval()) == pytest.approx(tuple(want.interval()), rel=1e-13)
    assert d.sf(0.7) == pytest.approx(want.sf(0.7), rel=1e-12)


@pytest.mark.parametrize("kind", [bool, int, float])
def test_pairs_of_right_and_wrong_are_a_joint_table(kind: type) -> None:
    """Paired values of 0 and 1 compare as the joint table of outcomes does, and as wins do."""
    rng = np.random.default_rng(1)
    a = rng.random(120) < 0.8
    b = np.where(rng.random(120) < 0.15, ~a, a)
    c = hs.compare(hs.graded({"a": a.astype(kind), "b": b.astype(kind)}, bounds=(0, 1)), "a", "b", equal_within=0.02)
    y = rng.integers(0, 2, 120)
    joint = hs.compare(
        y, {"a": np.where(a, y, 1 - y), "b": np.where(b, y, 1 - y)}, metric="accuracy", equal_within=0.02
    )
    wins = hs.compare_wins(int((a & ~b).sum()), int((b & ~a).sum()), int((a == b).sum()), equal_within=0.02)
    for other in (joint, wins):
        assert c.p_better == pytest.approx(other.p_better, abs=1e-12)
        assert c.p_equal == pytest.approx(other.p_equal, abs=1e-10)
        assert tuple(c.difference.interval()) == pytest.approx(tuple(other.difference.interval()), abs=1e-10)
    assert c.first.distribution.mean == pytest.approx(hs.posterior(hs.Tally.rate(hits=a.sum(), of=120))["rate"].mean)


# -- laws


@pytest.mark.parametrize("options", [{}, {"bounds": (0, 1)}, {"cluster": np.arange(60) // 4}, {"weight": 1 + A}])
@pytest.mark.parametrize("paired", [True, False])
def test_swapping_the_systems_swaps_the_answer(options: dict[str, Any], paired: bool) -> None:
    """P(A > B) + P(B > A) = 1 to 1e-12, and the difference changes its sign."""
    items = pair(**options)
    if paired:
        one, two = hs.compare(items, "a", "b"), hs.compare(items, "b", "a")
    else:
        one, two = (hs.compare(items.system(x), items.system(y)) for x, y in ("ab", "ba"))
    assert one.p_better + one.p_worse == pytest.approx(1.0, abs=1e-12)
    assert one.p_better + two.p_better == pytest.approx(1.0, abs=1e-12)
    assert one.difference.mean == pytest.approx(-two.difference.mean, abs=1e-12)
    assert one.difference.ppf(0.1) == pytest.approx(-two.difference.ppf(0.9), abs=1e-9)
    assert one.difference.cdf(0.0) == pytest.approx(one.p_worse, abs=1e-10)


def test_a_system_has_the_posterior_it_has_alone() -> None:
    """In a comparison, a leaderboard or a report each system's law is that of its own values."""
    items = pair(bounds=(0, 1), weight=1 + A, cluster=np.arange(60) // 3)
    alone = hs.posterior(hs.graded(A, bounds=(0, 1), weight=1 + A, cluster=np.arange(60) // 3))["mean"]
    c = hs.compare(items, "a", "b").first.distribution
    rows = [hs.score(items).to_dict()["rows"][0], hs.leaderboard(items).to_dict()["rows"]]
    rows[1] = next(row for row in rows[1] if row["system"] == "a")
    for low, mean in ((c.interval().low, c.mean), *((row["low"], row["mean"]) for row in rows)):
        assert (low, mean) == pytest.approx((alone.interval().low, alone.mean), abs=1e-12)
    x = hs.posterior(items).draws(40_000)[:, 0]
    for q in (0.05, 0.5, 0.95):
        assert (x <= alone.ppf(q)).mean() == pytest.approx(q, abs=0.01)


def test_identical_systems_are_even() -> None:
    """The same values: one half, an interval of some width, and a note that says where it is from."""
    c = hs.compare(hs.graded({"a": A, "b": A}))
    assert c.p_better == pytest.approx(0.5, abs=1e-12)
    assert c.difference.interval().low < 0 < c.difference.interval().high
    assert "identical" in [n.code for n in c.notes]
    bounded = hs.compare(hs.graded({"a": A, "b": A}, bounds=(0, 1)))
    assert bounded.p_better == pytest.approx(0.5, abs=1e-12)
    apart = hs.compare(hs.graded(A), hs.graded(A))
    assert apart.p_better == pytest.approx(0.5, abs=1e-12)


def test_a_constant_difference_is_not_certain() -> None:
    """Always better by the same: near certain, with a width; rounding of the values does not count as spread."""
    for shift in (1.0, 0.1):
        c = hs.compare(hs.graded({"a": A + shift, "b": A}))
        assert c.p_worse == pytest.approx(hs.compare_wins(60, 0, 0).p_worse, rel=1e-9)
        assert 0 < c.p_worse < 1e-15
        assert c.difference.interval().low < shift
        assert "differ by" in next(n.text for n in c.notes if n.code == "identical")


def test_one_far_value_is_not_rounding() -> None:
    """A value of 1e15 in both systems does not hide the differences of the others."""
    c = hs.compare(hs.graded({"a": [*A, 1e15], "b": [*B, 1e15]}))
    want = hs.compare(hs.graded({"a": [*A, 0], "b": [*B, 0]}))
    assert c.p_better == pytest.approx(want.p_better, abs=1e-9)


def drawn(rng: np.random.Generator, values: np.ndarray, atoms: list[float], weights: list[float]) -> np.ndarray:
    """Draws of a mean under Dirichlet weights, 1 for each value."""
    w = rng.dirichlet([*np.ones(len(values)), *weights], 60_000)
    return np.asarray(w @ np.array([*values, *atoms]))


@pytest.mark.parametrize("n", [3, 4, 6, 20, 60])
@pytest.mark.parametrize("prior", ["even", "none"])
@pytest.mark.parametrize("paired", [True, False])
def test_laws_agree_with_draws(n: int, paired: bool, prior: str) -> None:
    """P(A > B) and the interval of the difference agree with draws of the Dirichlet weights."""
    items = hs.graded({"a": A[:n], "b": B[:n]})
    both = ("a", "b") if paired else (items.system("b"),)
    c = hs.compare(items if paired else items.system("a"), *both, prior=prior)
    rng = np.random.default_rng(n)
    if paired:
        gap = A[:n] - B[:n]
        size = float(np.abs(gap).max())
        x = drawn(rng, gap, *(([size, -size, 0.0], [0.5, 0.5, 1.0]) if prior == "even" else ([], [])))
    else:
        ends = [
            [v[:n].min() - 0.1 * np.ptp(v[:n]), v[:n].max() + 0.1 * np.ptp(v[:n])] if prior == "even" else []
            for v in (A, B)
        ]
        one, two = (drawn(rng, v[:n], e, [1.0] * len(e)) for v, e in zip((A, B), ends, strict=True))
        x = one - two
    assert c.p_better == pytest.approx((x > 0).mean(), abs=0.01)
    assert tuple(c.difference.interval()) == pytest.approx(tuple(np.quantile(x, [0.025, 0.975])), abs=0.06 * x.std())


@pytest.mark.parametrize("values", [A, np.exp(3 * A), np.append(A, 30.0)], ids=["even", "skewed", "outlier"])
def test_apart_is_an_integral_of_the_laws(values: np.ndarray) -> None:
    """Systems tested on different items: P(A > B) is the mean of one cdf under the other law, summed here plainly."""
    c = hs.compare(hs.graded(values), hs.graded(values + 0.05 * values.std()))
    a, b = c.first.distribution, c.second.distribution
    ends = [a.range[0], *(a.ppf(q) for q in (1e-16, 1e-8, 1e-3, 0.1, 0.5, 0.9, 0.999)), a.range[1]]
    ends += [0.5 * (x + y) for x, y in pairwise(ends[1:-1])] + [a.ppf(1 - 1e-8), a.ppf(1 - 1e-14)]
    x, w = np.polynomial.legendre.leggauss(40)
    total = 0.0
    for low, high in pairwise(sorted(ends)):
        t = 0.5 * (low + high) + 0.5 * (high - low) * x
        total += 0.5 * (high - low) * float((w * a.pdf(t) * b.cdf(t)).sum())
    assert c.p_better == pytest.approx(total, abs=1e-9)


def test_very_different_means_keep_their_digits() -> None:
    """Systems far apart: a tiny probability, not 0, and the other one 1."""
    c = hs.compare(hs.graded(A), hs.graded(A + 0.25))
    assert 0 < c.p_better < 1e-5
    assert c.p_worse > 1 - 1e-5


def test_pairing_is_said_to_gain() -> None:
    """The note gives the probability as if tested on different items, which is that of such a comparison."""
    from howsure.messages.numbers import probability

    items = pair()
    note = next(n.text for n in hs.compare(items, "a", "b").notes if n.code == "pairing")
    apart = hs.compare(items.system("a"), items.system("b")).p_better
    assert note.endswith(
        f"P(a better) would be {probability(apart)} instead of {probability(hs.compare(items, 'a', 'b').p_better)}"
    )


def test_lower_is_better_for_seconds() -> None:
    """better='lower' turns the probability, not the difference; None has no direction."""
    up, down = (hs.compare(pair(better=x), "a", "b") for x in ("higher", "lower"))
    assert up.p_better == down.p_worse
    assert up.difference.mean == down.difference.mean
    assert hs.leaderboard(pair(better="lower")).names == hs.leaderboard(pair()).names[::-1]
    none = hs.compare(pair(better=None), "a", "b")
    assert none.p_better is None
    with pytest.raises(BadSetting, match="no better direction"):
        hs.leaderboard(pair(better=None))


# -- weights, clusters, missing values, parts


def test_equal_weights_change_nothing() -> None:
    """Equal weights of any size are no weights; unequal ones have the Bayesian bootstrap of weighted items."""
    plain, same = hs.posterior(hs.graded(A))["mean"], hs.posterior(hs.graded(A, weight=np.full(60, 7.0)))["mean"]
    assert tuple(same.interval()) == pytest.approx(tuple(plain.interval()), abs=1e-10)
    w = np.where(np.arange(60) % 2, 1.0, 3.0)
    unit, ends = (w**2).sum() / w.sum(), [A.min() - 0.1 * np.ptp(A), A.max() + 0.1 * np.ptp(A)]
    for prior, v, size in (("none", A, w), ("even", np.array([*A, *ends]), np.array([*w, unit, unit]))):
        d = hs.posterior(hs.graded(A, weight=w), prior)["mean"]
        mass = size * np.random.default_rng(6).exponential(size=(400_000, size.size))
        x = mass @ v / mass.sum(axis=1)
        if prior == "even":
            x = stretched(x, size @ v / size.sum(), w.sum() / unit, A)
        assert d.mean == pytest.approx(x.mean(), abs=4 * x.std() / 632)
        assert d.std == pytest.approx(x.std(), rel=0.005)
        assert tuple(d.interval()) == pytest.approx(tuple(np.quantile(x, [0.025, 0.975])), abs=0.02 * d.std)
    assert "weighted" in [n.code for n in d.notes]


def test_clusters_are_resampled_whole() -> None:
    """Copies of an item in one cluster add nothing; clusters of one are items; like answers widen the interval."""
    once = hs.posterior(hs.graded(A))["mean"]
    copies = hs.posterior(hs.graded(np.repeat(A, 3), cluster=np.repeat(np.arange(60), 3)))["mean"]
    single = hs.posterior(hs.graded(A, cluster=[f"q{i}" for i in range(60)]))["mean"]
    for d in (copies, single):
        assert tuple(d.interval()) == pytest.approx(tuple(once.interval()), abs=1e-10)
    assert hs.posterior(hs.graded(np.repeat(A, 3)))["mean"].std < 0.7 * copies.std
    uneven = hs.graded(A, cluster=np.sort(np.arange(60) ** 2 % 11))
    d = hs.posterior(uneven)["mean"]
    x = d.draws(100_000, seed=3)
    assert (d.mean, d.std) == pytest.approx((x.mean(), x.std()), rel=0.01)
    assert tuple(d.interval()) == pytest.approx(tuple(np.quantile(x, [0.025, 0.975])), abs=0.05 * d.std)
    assert uneven.units[2].sum() == len(set((np.arange(60) ** 2 % 11).tolist()))


def test_missing_values_are_dropped_on_request() -> None:
    """An item without a value for one system is left out for both, and a note says how many."""
    gaps = {"a": [*A[:30], None, 0.5], "b": [*B[:30], 0.3, float("nan")]}
    items = hs.graded(gaps, missing="drop", cluster=range(32), weight=[1] * 32)
    assert items.n == 30
    c = hs.compare(items, "a", "b")
    assert c.p_better == pytest.approx(hs.compare(hs.graded({"a": A[:30], "b": B[:30]})).p_better, abs=1e-12)
    assert "2 of 32 items were left out" in next(n.text for n in c.notes if n.code == "missing-dropped")


def test_parts_add_to_the_whole() -> None:
    """Shards merge: sum(parts) has the posterior of all items; update is the same."""
    parts = [hs.graded({"a": A[k::3], "b": B[k::3]}) for k in range(3)]
    whole = hs.compare(pair(), "a", "b")
    assert hs.compare(sum(parts), "a", "b").p_better == pytest.approx(whole.p_better, abs=1e-12)
    p = hs.posterior(parts[0]).update(parts[1]).update(parts[2])
    assert p.system("a")["mean"].median == pytest.approx(whole.first.distribution.median, abs=1e-12)


# -- frames

WIDE = pd.DataFrame({"id": [f"q{i}" for i in range(60)], "a": A, "b": B, "w": 1 + A, "user": np.arange(60) // 5})
LONG = WIDE.melt(id_vars=["id", "w", "user"], value_vars=["a", "b"], var_name="model", value_name="grade")
FRAMES = {
    "pandas": lambda x: x,
    "polars": lambda x: pl.DataFrame({k: x[k].to_list() for k in x}),
    "lazy polars": lambda x: pl.LazyFrame({k: x[k].to_list() for k in x}),
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("engine", FRAMES)
@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"cluster": "user"}], ids=["plain", "weight", "cluster"])
def test_frames_of_every_kind_agree(engine: str, more: dict[str, str]) -> None:
    """Long and wide, shuffled or not, in every library: the numbers of the arrays."""
    make = FRAMES[engine]
    arrays = {"weight": WIDE["w"], "cluster": WIDE["user"]}
    want = hs.compare(pair(**{k: arrays[k] for k in more}), "a", "b")
    wide = hs.graded(make(WIDE), value=["a", "b"], item="id", **more)
    long = hs.graded(
        make(LONG.sample(frac=1, random_state=1)), value="grade", item="id", system="model", bounds=None, **more
    )
    for items in (wide, long):
        c = hs.compare(items, "a", "b")
        assert c.p_better == pytest.approx(want.p_better, abs=1e-12)
        assert tuple(c.difference.interval()) == pytest.approx(tuple(want.difference.interval()), abs=1e-10)
    assert str(long.measure) == "mean-grade"
    single = hs.graded(make(WIDE), value="a", **more)
    assert hs.score(single).to_dict()["rows"][0]["metric"] == "mean-a"


def test_items_are_matched_by_several_columns() -> None:
    """item= may name several columns, and the rows may come in any order."""
    frame = LONG.assign(part=LONG["id"].str[:2], rest=LONG["id"].str[2:]).sample(frac=1, random_state=2)
    items = hs.graded(frame, value="grade", item=["part", "rest"], system="model")
    assert items.n == 60
    assert hs.compare(items, "a", "b").p_better == pytest.approx(hs.compare(pair(), "a", "b").p_better, abs=1e-12)


def test_missing_rows_of_a_long_frame() -> None:
    """An item that one system lacks is refused, or dropped on request."""
    lost = LONG[~((LONG["id"] == "q3") & (LONG["model"] == "b"))]
    items = hs.graded(lost, value="grade", item="id", system="model", missing="drop")
    assert items.n == 59
    assert "q3" not in items.ids


# -- many systems


def systems(n: int, count: int, **options: Any) -> hs.Graded:
    rng = np.random.default_rng(0)
    hard = rng.random(n)
    return hs.graded({f"s{k:02}": np.clip(hard + rng.normal(0.01 * k, 0.2, n), 0, 1) for k in range(count)}, **options)


def test_leaderboard() -> None:
    """Pairs agree with compare within the stated error; P(best) sums to 1."""
    items = systems(80, 4)
    b = hs.leaderboard(items)
    assert b.p_best.sum() == pytest.approx(1.0)
    for i, x in enumerate(b.names):
        for j, y in enumerate(b.names):
            if i != j:
                assert b.pairs[i, j] == pytest.approx(hs.compare(items, x, y).p_better, abs=b.error.probability)
    apart = hs.leaderboard({name: items.system(name) for name in items.systems})
    assert apart.names[0] == b.names[0]
    assert not apart.paired


def test_many_systems_with_bounds() -> None:
    """Forty systems would have 2^40 corners of the prior: it is dealt by sticks, and each law stays what it is."""
    items = systems(12, 40, bounds=(0, 1))
    x = hs.posterior(items).draws(20_000)
    assert x.shape == (20_000, 40)
    for k in (0, 39):
        alone = hs.posterior(items.system(items.systems[k]))["mean"]
        for q in (0.05, 0.5, 0.95):
            assert (x[:, k] <= alone.ppf(q)).mean() == pytest.approx(q, abs=0.012)
    few = hs.posterior(items.pick(items.systems[:2]))
    listed, dealt = (float(y) for y in (np.cov(few.draws(40_000).T)[0, 1], np.cov(x[:, :2].T)[0, 1]))
    assert dealt == pytest.approx(listed, rel=0.1)


# -- what is shown


@pytest.mark.parametrize("options", [{}, {"bounds": (0, 1), "cluster": np.arange(60) // 2, "weight": 1 + A}])
def test_documents_and_formats(options: dict[str, Any]) -> None:
    """Every result has a JSON document without NaN, and shows itself in every format."""
    items = pair(**options)
    results = [hs.score(items, above=0.5), hs.compare(items, "a", "b", equal_within=0.01), hs.leaderboard(items)]
    for result, kind in zip(results, ("score", "compare", "leaderboard"), strict=True):
        document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert document["schema"] == f"howsure.{kind}/1"
        for text in (str(result), result.to_markdown(), result.to_latex(), result.to_html(), result.to_csv()):
            assert "mean" in text
        assert len(result.to_frame()) == len(document["rows"])
    data = results[0].to_dict()["data"]
    assert (data["n"], data["systems"], data["weighted"]) == (60, ["a", "b"], "weight" in options)
    assert data["clusters"] == (30 if options else None)


def test_intervals_of_both_kinds() -> None:
    """The shortest interval has its level and is no longer than the equal-tailed one."""
    d = hs.posterior(hs.graded(np.exp(2 * A)))["mean"]
    even, short = d.interval(), d.interval(kind="hdi")
    assert d.cdf(short.high) - d.cdf(short.low) == pytest.approx(0.95, abs=1e-7)
    assert short.high - short.low < even.high - even.low


def test_classical_tests_beside_the_posterior() -> None:
    """The sign test, Wilcoxon's and a permutation test point the same way as the posterior."""
    found = hs.compare(hs.graded({"a": A, "b": A - 0.1 - 0.01 * B}), "a", "b").tests()
    assert set(found) == {"sign", "wilcoxon", "permutation"}
    assert all(p < 0.01 for p in found.values())


def test_items_that_are_alike_are_counted_each() -> None:
    """Grades that repeat are one row in a frame, and as many items in wins and in the classical tests."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 4, 90), rng.integers(1, 4, 90)
    frame = hs.compare(hs.graded(pl.DataFrame({"a": a, "b": b}), value=["a", "b"]), "a", "b")
    arrays = hs.compare(hs.graded({"a": a, "b": b}), "a", "b")
    assert tuple(frame.wins.counts) == ((a > b).sum(), (a < b).sum(), (a == b).sum())
    for name in ("sign", "wilcoxon"):
        assert frame.tests()[name] == pytest.approx(arrays.tests()[name], rel=1e-12)


# -- calibration


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "prior"), spread(["even", "skewed"], ["even", "none"], 2))
def test_coverage(kind: str, prior: str) -> None:
    """95% intervals from 50 values hold the true mean about 93 to 97 times of 100 (a little less for skewed values)."""
    rng = np.random.default_rng(11)
    runs = 1200
    draw, truth = {"even": (rng.random, 0.5), "skewed": (rng.standard_exponential, 1.0)}[kind]
    held = [0.025 < hs.posterior(hs.graded(draw(50)), prior)["mean"].cdf(truth) < 0.975 for _ in range(runs)]
    low, high = {"even": (0.92, 0.965), "skewed": (0.90, 0.95)}[kind]
    more = 0.01 if prior == "even" else 0.0  # two items more, at the ends of what was seen
    assert low + more < np.mean(held) < high + more


def test_a_million_items() -> None:
    """A million items: the interval is the normal one, in a second or so."""
    v = np.random.default_rng(0).random(1_000_000)
    low, high = hs.score(hs.graded(v)).rows[0].distribution.interval()
    half = 1.959963984540054 * v.std() / 1000
    assert (low, high) == pytest.approx((v.mean() - half, v.mean() + half), abs=1e-3 * half)
