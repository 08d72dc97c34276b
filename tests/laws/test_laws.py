"""Laws that hold for every metric of the catalogue and for every table."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.catalogue import Metric
from howsure.evidence.classes import Tally
from howsure.posteriors.distribution import Distribution
from tests.tiers import examples, spread

BINARY = [m for m in hs.metrics() if m.name != "rate" and not m.any_of]
EXACT = [m for m in BINARY if m.route != "sampled"]
TABLES = [(80, 20, 30, 870), (3, 2, 1, 5), (0, 0, 0, 0), (10, 0, 0, 10), (0, 5, 7, 100), (100000, 3, 40, 2000000)]
counts = st.integers(0, 300)
tables = st.tuples(counts, counts, counts, counts)


def of(table: tuple[int, int, int, int], prior: object = "even", **settings: object) -> hs.Posterior:
    """The posterior of a table given as tp, fp, fn, tn."""
    tp, fp, fn, tn = table
    return hs.posterior(Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn), prior, **settings)  # type: ignore[arg-type]


@cache
def rough(metric: Metric, table: tuple[int, int, int, int]) -> Distribution:
    """The law of a metric, with few draws if it is sampled; made once for all laws that are asked of it."""
    return of(table, tolerance=0.2)[metric]


@pytest.mark.parametrize(("metric", "table"), spread(BINARY, TABLES))
def test_cdf_rises_from_0_to_1(metric: Metric, table: tuple[int, int, int, int]) -> None:
    """The cdf never falls, is 0 below the range and 1 at its end, and cdf + sf = 1."""
    d = rough(metric, table)
    low, high = d.range
    points = np.sort(np.asarray(d.ppf(np.linspace(0.001, 0.999, 21))))
    cdf, sf = d.cdf(points), d.sf(points)
    assert np.all(np.diff(cdf) >= -1e-12)
    np.testing.assert_allclose(cdf + sf, 1.0, atol=1e-12)
    if np.isfinite(low):
        assert d.cdf(low - 1) == 0.0
    if np.isfinite(high):
        assert d.cdf(high) == 1.0
        assert d.sf(high + 1) == 0.0


@pytest.mark.parametrize(("metric", "table"), spread(EXACT, TABLES))
def test_ppf_undoes_cdf(metric: Metric, table: tuple[int, int, int, int]) -> None:
    """cdf(ppf(q)) = q, from the deep lower tail to the upper one; at rounding, q lies between the neighbours' cdf."""
    d = of(table)[metric]
    q = np.array([1e-12, 1e-6, 0.025, 0.5, 0.975, 1 - 1e-9])
    x = d.ppf(q)
    below, above = d.cdf(np.nextafter(x, -np.inf)), d.cdf(np.nextafter(x, np.inf))
    slack = 1e-11 * np.maximum(q * (1 - q), 1e-12) + 1e-13 * q
    assert np.all((below - slack <= q) & (q <= above + slack)), (q, x, d.cdf(x))


@pytest.mark.parametrize(("metric", "table"), spread(BINARY, TABLES))
def test_intervals_hold_their_mass(metric: Metric, table: tuple[int, int, int, int]) -> None:
    """Both kinds hold the level, lie in the range and have a width; the hdi is not wider than the equal-tailed one."""
    d = rough(metric, table)
    even, short = d.interval(0.9), d.interval(0.9, kind="hdi")
    exact = d.route != "sampled"
    for i in (even, short):
        assert d.range[0] <= i.low < i.high <= d.range[1]
        assert d.cdf(i.high) - d.cdf(i.low) == pytest.approx(0.9, abs=1e-9 if exact else 0.02)
    if "hdi-unbounded" not in [note.code for note in short.notes]:
        ruler = np.log if d.log_scale else np.asarray
        with np.errstate(divide="ignore"):
            p = np.linspace(0.0, 0.1, 41)
            widths = ruler(d.ppf(p + 0.9)) - ruler(d.ppf(p))
            assert ruler(short.high) - ruler(short.low) <= min(widths) * (1 + 1e-9) + (0.0 if exact else 1e-3)


@pytest.mark.parametrize("table", [(80, 20, 30, 870), (5, 4, 3, 9)], ids=str)
@pytest.mark.parametrize("metric", EXACT, ids=str)
def test_every_route_agrees_with_draws(metric: Metric, table: tuple[int, int, int, int]) -> None:
    """Exact mean, quantiles and density agree with 200,000 draws of the same posterior within five standard errors."""
    d = of(table)[metric]
    n = 200_000
    x = np.sort(d.draws(n, seed=7))
    for q in (0.05, 0.5, 0.95):
        share = np.searchsorted(x, d.ppf(q)) / n
        assert abs(share - q) < 5 * np.sqrt(q * (1 - q) / n)
    if np.isfinite(d.std):
        assert abs(x.mean() - d.mean) < 5 * d.std / np.sqrt(n)
    low, high = d.ppf(0.4), d.ppf(0.6)
    grid = np.linspace(low, high, 41)
    mass = np.trapezoid(d.pdf(grid), grid)
    assert mass == pytest.approx(0.2, abs=2e-4)


@pytest.mark.parametrize("metric", EXACT, ids=str)
def test_batched_equals_looped(metric: Metric) -> None:
    """A batch gives, entry by entry, what each table gives alone."""
    tp, fp, fn, tn = np.array(TABLES).T
    batch = hs.posterior(Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))[metric]
    low, high = batch.interval(0.9)
    for i, table in enumerate(TABLES):
        one = of(table)[metric]
        assert batch.mean[i] == pytest.approx(one.mean, rel=1e-12)
        assert low[i] == pytest.approx(one.interval(0.9).low, rel=1e-11, abs=1e-300)
        assert high[i] == pytest.approx(one.interval(0.9).high, rel=1e-11)


def test_draws_of_a_batch_are_independent() -> None:
    """Two equal tables of one batch have draws of their own: P(A > B) is a half, not 0."""
    d = hs.posterior(Tally.binary(tp=[80, 80], fp=20, fn=30, tn=870), tolerance=0.5)["phi"]
    x = d.draws(20_000, seed=3)
    assert abs(np.corrcoef(x.T)[0, 1]) < 0.03
    assert (x[:, 0] > x[:, 1]).mean() == pytest.approx(0.5, abs=0.02)
    np.testing.assert_array_equal(x[:, 0], of((80, 20, 30, 870))["phi"].draws(20_000, seed=3))


PRIORS = [1e-3, 0.05, 0.1, 0.3, 1.0, 1e3]


@pytest.mark.parametrize(
    ("metric", "prior"),
    spread(["f2", "odds-ratio", "lr-plus", "informedness", "g-mean", "a-measure"], PRIORS, every=2),
)
def test_ppf_undoes_cdf_for_any_prior(metric: str, prior: float) -> None:
    """Quantiles are right and finite numbers for prior weights from .001 to 1000, data or none."""
    for table in ((5, 0, 0, 5), (0, 0, 0, 0), (50, 0, 3, 50)):
        d = of(table, prior)[metric]
        q = np.array([0.025, 0.5, 0.975])
        x = d.ppf(q)
        assert not np.isnan(x).any()
        inside = np.isfinite(x) & (d.range[0] < x) & (x < d.range[1]) & (np.abs(x) > 1e-290) & (np.abs(x) < 1e290)
        q, x = q[inside], x[inside]
        low, high = d.cdf(np.nextafter(x, -np.inf)), d.cdf(np.nextafter(x, np.inf))
        slack = 1e-9 if prior > 0.01 else 1e-5  # docs/reference/accuracy.md
        assert d.route == "sampled" or np.all((low - slack <= q) & (q <= high + slack)), (table, q, x)


def test_all_draws_lie_in_the_range() -> None:
    """A formula without an exact form is never cut off by a guessed range."""
    tp, _, fn, _ = hs.cells
    recall = tp / (tp + fn)
    d = of((7500, 0, 2500, 0))[hs.Metric("peaked", recall**3 * (1 - recall))]
    low, high = d.interval(kind="equal-tailed")
    assert low < 27 / 256 <= high * 1.0001
    assert d.cdf(high) == pytest.approx(0.975, abs=0.003)


@given(tables, tables)
@settings(max_examples=30, deadline=None)
def test_updating_is_pooling(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Updating on D1 then D2 equals the union, in either order (Goutte & Gaussier, note in section 3)."""
    a = Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), first, strict=True)))
    b = Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), second, strict=True)))
    whole = hs.posterior(a + b, "jeffreys")
    for p in (hs.posterior(a, "jeffreys").update(b), hs.posterior(a, prior=hs.posterior(b, "jeffreys"))):
        assert p.evidence == whole.evidence
        assert p["f1"].mean == whole["f1"].mean


@given(tables)
@settings(max_examples=25, deadline=None)
def test_swapping_classes(table: tuple[int, ...]) -> None:
    """Symmetric measures do not change when the classes swap; recall becomes specificity."""
    tp, fp, fn, tn = table
    p, swapped = of((tp, fp, fn, tn)), of((tn, fn, fp, tp))
    for name in ("accuracy", "informedness", "markedness", "odds-ratio"):
        assert p[name].median == pytest.approx(swapped[name].median, rel=1e-9, abs=1e-12)
    assert p["recall"].median == pytest.approx(swapped["specificity"].median, rel=1e-12)


@given(tables, st.floats(0.02, 0.98))
@examples(15, 40)
def test_second_routes(table: tuple[int, ...], t: float) -> None:
    """F1 by the two-group form equals F1 by the three-group integral; complements and rescalings agree."""
    from howsure.distributions.integral import Integral
    from howsure.distributions.linear_quotient import LinearQuotient
    from howsure.distributions.two_betas import Ray

    p = of(table)  # type: ignore[arg-type]
    tp, fp, fn, tn = (np.asarray(x + 0.5) for x in table)
    three = Integral(LinearQuotient((tp, fp, fn), (2.0, 0.0, 0.0), (2.0, 1.0, 1.0)))
    # F1 with top and bottom multiplied by tp + fp + fn
    ray = Integral(Ray((tp, fp + fn), (fp, fn), (2.0, 2.0, 2.0, 0, 0, 0), (2.0, 3.0, 3.0, 1.0, 2.0, 1.0)))
    four = Integral(LinearQuotient((tp, fp, fn, tn), (2.0, 0.0, 0.0, 0.0), (2.0, 1.0, 1.0, 1e-13)))
    assert three.tails(np.asarray(t))[0] == pytest.approx(p["f1"].cdf(t), abs=1e-12)
    assert ray.tails(np.asarray(t))[0] == pytest.approx(p["f1"].cdf(t), abs=1e-12)
    assert four.tails(np.asarray(t))[0] == pytest.approx(p["f1"].cdf(t), abs=1e-8)
    assert p["precision"].cdf(t) == pytest.approx(p["fdr"].sf(1 - t), abs=1e-12)
    assert p["informedness"].cdf(2 * t - 1) == pytest.approx(p["balanced-accuracy"].cdf(t), abs=1e-12)
    assert p["f1"].cdf(t) == pytest.approx(p["jaccard"].cdf(t / (2 - t)), abs=1e-12)


@given(tables)
@settings(max_examples=15, deadline=None)
def test_large_beta_is_recall(table: tuple[int, ...]) -> None:
    """F_β goes to recall as β grows and to precision as β vanishes."""
    p = of(table)  # type: ignore[arg-type]
    assert p[hs.fbeta(1e6)].median == pytest.approx(p["recall"].median, abs=1e-5)
    assert p[hs.fbeta(1e-6)].median == pytest.approx(p["precision"].median, abs=1e-5)


@given(tables)
@examples(15, 40)
def test_chi_square_is_n_times_informedness_times_markedness(table: tuple[int, ...]) -> None:
    """chi² = N·informedness·markedness and phi² = informedness·markedness (Powers eq. 5)."""
    tp, fp, fn, tn = (x + 1 for x in table)
    t = Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)
    score = {name: _point(name, t) for name in ("informedness", "markedness", "phi")}
    assert t.chi_square()[0] == pytest.approx(t.n * score["informedness"] * score["markedness"], rel=1e-9, abs=1e-9)
    assert score["phi"] ** 2 == pytest.approx(score["informedness"] * score["markedness"], rel=1e-9, abs=1e-12)


def _point(name: str, t: Tally) -> float:
    from howsure.catalogue import parse

    return float(parse(name).score(t.named()))


def test_any_way_to_write_a_formula_is_the_same_metric() -> None:
    """A user's own metric gets the built-in route: 2pr/(p+r) is F1, exactly."""
    tp, fp, fn, _ = hs.cells
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    mine = hs.Metric("mine", 2 * precision * recall / (precision + recall))
    p = of((80, 20, 30, 870))
    assert p[mine].route == "closed form"
    assert tuple(p[mine].interval()) == tuple(p["f1"].interval())


def test_two_level_model_keeps_the_rates() -> None:
    """In Zhang's model recall, specificity and prevalence are Beta; precision takes one integral, F1 draws."""
    p = of((80, 20, 30, 870), hs.two_level(1, 1))
    flat = of((80, 20, 30, 870), "uniform")
    assert p["recall"].mean == flat["recall"].mean
    assert p["informedness"].route == "quadrature"
    assert p["prevalence"].mean == pytest.approx(111 / 1002, rel=1e-12)
    assert p["precision"].route == "quadrature"
    assert p["f1"].route == "sampled"
    shares = p["prevalence"].draws(50_000, seed=1)
    assert shares.mean() == pytest.approx(111 / 1002, abs=5 * shares.std() / np.sqrt(50_000))


@pytest.mark.parametrize(
    ("table", "metric", "want"),
    [((80, 20, 30, 870), "f1", (0.69087, 0.81892)), ((80, 20, 30, 870), "precision", (0.71372, 0.86921))],
)
def test_known_intervals(table: tuple[int, int, int, int], metric: str, want: tuple[float, float]) -> None:
    """Figures computed outside the project."""
    assert tuple(of(table)[metric].interval()) == pytest.approx(want, abs=5e-6)


def test_known_probability() -> None:
    """P(F2 <= .7) for (80, 20, 30), to the last digit (mpmath)."""
    assert of((80, 20, 30, 870))["f2"].cdf(0.7) == pytest.approx(0.154507784879716, abs=2e-15)


@pytest.mark.parametrize("name", ["phi", "kappa"])
def test_sampled_error_bounds(name: str) -> None:
    """A sampled route's stated errors hold against ten times as many draws of another seed, ends within 2% of sd."""
    d = of((80, 20, 30, 870), hs.two_level())[name]
    x = np.sort(d.draws(2_000_000, seed=99))
    low, high = d.interval()
    assert d.error.value <= 0.0211 * d.std
    for got, q in ((low, 0.025), (d.median, 0.5), (high, 0.975)):
        assert abs(got - x[int(q * x.size)]) <= d.error.value * 1.2
    assert abs(d.mean - x.mean()) <= d.mean_error() * 1.2
    at = d.ppf(0.3)
    assert abs(d.cdf(at) - np.searchsorted(x, at) / x.size) <= d.error.probability


@pytest.mark.parametrize(
    ("a", "b", "edge"), [(0, 5, 0.0), (5, 0, 1.0), (0, 0, 0.0)], ids=["no hits", "all hits", "no data"]
)
def test_mode_at_the_edges(a: int, b: int, edge: float) -> None:
    """No inner mode: 0 or 1 (Goutte & Gaussier, after eq. 9), under Jeffreys."""
    d = of((a, b, 3, 3), "jeffreys")["precision"]
    assert d.mode in ((edge,) if a + b else (0.0, 1.0))


def test_one_sided_hdi() -> None:
    """All hits: the shortest interval ends at 1; no hits: it starts at 0; unbounded at both ends: equal-tailed."""
    assert of((10, 0, 3, 3))["precision"].interval(kind="hdi").high == 1.0
    assert of((0, 10, 3, 3))["precision"].interval(kind="hdi").low == 0.0
    d = of((0, 0, 3, 3))["precision"]
    both = d.interval(kind="hdi")
    assert [n.code for n in both.notes] == ["hdi-unbounded"]
    assert tuple(both) == tuple(d.interval())


def test_small_shapes_draw_without_underflow() -> None:
    """At prior weight .001 no draw is 0/0 and the mean is right."""
    d = of((0, 0, 0, 0), 0.001)["precision"]
    x = d.draws(50_000, seed=5)
    assert np.isfinite(x).all()
    assert x.mean() == pytest.approx(0.5, abs=0.02)


def test_edges_keep_their_gap() -> None:
    """An end that rounds to 1 keeps its distance to 1, and the interval keeps a width."""
    i = of((10**12, 0, 0, 0), 0.001)["precision"].interval()
    assert i.low < i.high <= 1.0
    assert 0 <= i.high_gap < 1e-100


@pytest.mark.parametrize("name", ["a-measure", "fowlkes-mallows"])
def test_tiny_shapes_are_sampled(name: str) -> None:
    """With prior weight .001 and no data these are drawn on the log scale, and the stated error holds the mean."""
    p = of((0, 0, 1, 0), 0.001)
    d = p[name]
    assert d.route == "sampled"
    if name == "a-measure":
        assert abs(d.mean - 0.5 * (p["precision"].mean + p["recall"].mean)) <= d.mean_error()
    assert of((0, 0, 0, 0), 0.001)["a-measure"].cdf(0.25) == pytest.approx(1 / 3, abs=0.005)


@pytest.mark.parametrize("function", [hs.sqrt, hs.log], ids=["sqrt", "log"])
def test_a_function_of_precision_has_its_law_in_the_two_level_model(function) -> None:  # type: ignore[no-untyped-def]
    """Root and logarithm of precision have its quantiles, seen through them, and the moments of draws."""
    p = of((8, 2, 3, 87), hs.two_level(1, 1))
    tp, fp, _, _ = hs.cells
    d, plain = p[Metric("seen-through", function(tp / (tp + fp)))], p["precision"]
    q = np.array([0.025, 0.5, 0.975])
    seen = {hs.sqrt: np.sqrt, hs.log: np.log}[function]
    np.testing.assert_allclose(d.ppf(q), seen(plain.ppf(q)), rtol=1e-9)
    x = seen(plain.draws(200_000, seed=1))
    assert d.mean == pytest.approx(x.mean(), abs=5 * x.std() / np.sqrt(200_000))
    assert d.std == pytest.approx(x.std(), rel=0.02)
