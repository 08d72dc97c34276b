"""The laws of phi and kappa against tails by another split of the table (make_agreement.py), and against themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import howsure as hs
from howsure.distributions import beta
from howsure.distributions.agreement import AgreementLaw
from howsure.distributions.agreement_rules import Kind, _by_size, _larger, _Trial, chosen, logit_tails
from howsure.distributions.quadrature import gauss_beta
from tests import tiers
from tests.reference.agreement_referee import probabilities, random_table
from tests.tiers import spread

ROWS = json.loads((Path(__file__).parent / "agreement.json").read_text("utf-8"))["rows"]
ORDINARY = 5


def law_of(kind: Kind, table: tuple[float, ...]) -> AgreementLaw:
    tp, fp, fn, tn = (np.asarray(x + 0.5) for x in table)
    return AgreementLaw(kind, (tp, fp, fn, tn))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['kind']}-{'-'.join(map(str, r['table']))}-{r['t']:.3f}")
def test_tails_agree_with_another_split(row: dict[str, Any]) -> None:
    law = law_of(row["kind"], row["table"])
    below, above = (float(x) for x in law.tails(np.asarray(row["t"])))
    stated = float(law.error[1]) + 10 * row["agrees"]
    assert abs(below - row["cdf"]) <= stated
    assert abs(above - (1.0 - row["cdf"])) <= stated
    within = 1e-3 if min(row["table"]) < ORDINARY else 1e-6 if row["t"] > 0 else 1e-5
    assert abs(below - row["cdf"]) <= within * float(law.pdf(np.asarray(row["t"])) * law.std()) + 10 * row["agrees"]


@pytest.mark.parametrize("kind", ["phi", "kappa"])
def test_a_plain_table_needs_no_trial(kind: Kind) -> None:
    """Rules that are trusted by their size differ from much larger ones by less than is stated."""
    rng = np.random.default_rng(202)
    tp, fp, fn, tn = np.floor(10 ** rng.uniform(np.log10(5), 4.5, (4, 1500)))[:, :600] + 0.5
    split, level = chosen(kind, (tp, fp, fn, tn), right=False)
    easy = np.flatnonzero(level.max(axis=1) <= 2)
    assert easy.size > 20
    for _, rule in _by_size(kind, (tp, fp, fn, tn), split, level + 2, easy):
        trial = _Trial(rule, _larger(_larger(rule)), 1.0)
        assert trial.off.max() < 1e-6
        assert trial.mean_off.max() < 1e-6
        assert trial.chance.max() < 1.25e-7


@pytest.mark.parametrize("kind", ["phi", "kappa"])
def test_quantiles_and_tails_are_inverse(kind: Kind) -> None:
    rng = np.random.default_rng(7)
    tp, fp, fn, tn = np.floor(10 ** rng.uniform(-0.5, 4, (4, 25 if tiers.tier == "deep" else 10))) + 0.5
    law = AgreementLaw(kind, (tp, fp, fn, tn))
    p = np.array([1e-6, 0.025, 0.3, 0.9, 0.999])[:, None]
    t, below, above = law.quantile(p, 1.0 - p)
    assert (np.diff(t, axis=0) > 0).all()
    np.testing.assert_allclose(below + above, 2.0, rtol=1e-14)
    got = law.tails(t)[0]
    slack = 1e-8 + 8e-16 * law.pdf(t) + 4 * law.error[1]  # rounding of t, and where two rules meet at 0
    assert (np.abs(got - p) <= slack).all()


@pytest.mark.parametrize("kind", ["phi", "kappa"])
def test_the_density_is_the_slope_of_the_tail(kind: Kind) -> None:
    law = law_of(kind, (8, 2, 3, 87))
    t = np.array([0.3, 0.5, 0.7, 0.9])
    step = 1e-5
    slope = (law.tails(t + step)[0] - law.tails(t - step)[0]) / (2 * step)
    np.testing.assert_allclose(law.pdf(t), slope, rtol=1e-6)


def test_moments_and_interval_of_plain_draws() -> None:
    """A million draws of the cells: mean, spread and ends within four standard errors."""
    table = (14, 0, 3, 1)
    a, b, c, d = np.random.default_rng(5).dirichlet(np.array(table) + 0.5, 1_000_000).T
    drawn = np.sort((a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d)))
    law = law_of("phi", table)
    assert abs(float(law.mean()) - drawn.mean()) < 4e-3 * drawn.std()
    assert float(law.std()) == pytest.approx(drawn.std(), rel=4e-3)
    low, high = law.equal_tailed(0.95)[:2]
    np.testing.assert_allclose([low, high], drawn[[25_000, 975_000]], atol=0.01 * drawn.std())


def test_phi_of_swapped_answers_is_turned() -> None:
    one, two = law_of("phi", (12, 40, 35, 13)), law_of("phi", (40, 12, 13, 35))
    p = np.array([0.01, 0.4, 0.8])
    np.testing.assert_allclose(one.quantile(p, 1 - p)[0], -two.quantile(1 - p, p)[0], rtol=1e-7)


def test_a_batch_is_its_tables() -> None:
    tables = [(80, 20, 30, 870), (0, 5, 5, 90), (0, 0, 0, 0), (2, 63, 26, 25)]
    tp, fp, fn, tn = np.array(tables, dtype=float).T + 0.5
    low, high = AgreementLaw("phi", (tp, fp, fn, tn)).equal_tailed(0.95)[:2]
    for i, table in enumerate(tables):
        alone = law_of("phi", table).equal_tailed(0.95)
        assert (low[i], high[i]) == pytest.approx((float(alone[0]), float(alone[1])), rel=1e-9)


def test_a_formula_is_known_however_it_is_written() -> None:
    tp, fp, fn, tn = hs.cells
    own = hs.Metric("own-phi", (tp * tn - fp * fn) / hs.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    posterior = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))
    assert posterior[own].route == posterior["phi"].route == "quadrature"
    assert posterior[own].interval().high == pytest.approx(0.797445171, abs=2e-8)
    assert posterior["kappa"].interval().low == pytest.approx(0.656389, abs=1e-6)


def test_tiny_priors_are_drawn() -> None:
    posterior = hs.posterior(hs.Tally.binary(tp=8, fp=0, fn=3, tn=87), prior=0.001)
    assert posterior["phi"].route == "sampled"


def test_gauss_rules_have_the_moments_of_their_law() -> None:
    a, b = np.array([0.5, 3.0, 1e6, 0.7]), np.array([0.5, 40.0, 2.0, 1e9])
    x, rest, weight = gauss_beta(a, b, 6)
    np.testing.assert_allclose(weight.sum(axis=-1), 1.0, rtol=1e-13)
    np.testing.assert_allclose((weight * x).sum(axis=-1), a / (a + b), rtol=1e-12)
    np.testing.assert_allclose((weight * rest**2).sum(axis=-1), b * (b + 1) / ((a + b) * (a + b + 1)), rtol=1e-11)


def test_interpolated_tails() -> None:
    rng = np.random.default_rng(1)
    a, b = (10 ** rng.uniform(0.7, 6, (500, 1)) for _ in range(2))
    spread = np.sqrt(1 / a + 1 / b)
    z = np.log(a / b) + spread * (rng.uniform(-2.5, 2.5, (500, 1)) + 3 * rng.uniform(-1, 1, (500, 60)))
    exact = beta.lower_tail(a, b, special.expit(z), special.expit(-z))
    assert np.abs(logit_tails(a, b, z) - exact).max() < 1e-8


SPARSE = [
    (0, 1, 3, 6053),
    (0, 0, 4708, 3),
    (0, 5, 5, 90),
    (14, 0, 3, 1),
    (100, 50, 0, 0),
    (0, 0, 5, 40),
    (2, 0, 9, 800),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("table", "name"), spread(SPARSE, ["phi", "kappa"], every=2))
def test_sparse_tables_have_their_mass_beyond_zero(table: tuple[int, ...], name: str) -> None:
    """P(M <= 0) is that of informedness; mean, spread and ends are those of a million draws, whatever the route."""
    tp, fp, fn, tn = table
    posterior = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))
    d = posterior[name]
    assert abs(d.cdf(0.0) - posterior["informedness"].cdf(0.0)) <= d.error.probability
    assert abs(d.cdf(-1e-12) - d.cdf(0.0)) <= 2 * d.error.probability
    a, b, c, e = np.random.default_rng(8).dirichlet(np.array(table) + 0.5, 1_000_000).T
    by_margins = np.sqrt((a + b) * (c + e) * (a + c) * (b + e))
    bottom = by_margins if name == "phi" else ((a + b) * (b + e) + (a + c) * (c + e)) / 2
    with np.errstate(invalid="ignore"):
        x = np.sort(np.nan_to_num((a * e - b * c) / bottom))
    slack = 0.006 * x.std()  # four standard errors of the draws, or more
    assert abs(d.mean - x.mean()) <= d.mean_error() + slack
    assert d.std == pytest.approx(x.std(), rel=0.01)
    low, high = d.interval()
    for got, want, off in ((low, x[25_000], d.end_errors(0.95, "equal-tailed")[0]), (high, x[975_000], d.error.value)):
        assert abs(got - want) <= off + 3 * slack


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["phi", "kappa"])
def test_odd_tables_have_ends_within_the_range(name: str) -> None:
    """Huge counts beside empty cells, and tiny priors: no warning, no NaN, no end beyond 1."""
    for table in ((0, 1e15, 1e15, 0), (1e15, 1e15, 0, 0), (60, 530813, 2247, 1267), (80, 0, 0, 870)):
        for prior in (1e-6, 0.01, "even"):
            tp, fp, fn, tn = table
            d = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn), prior, tolerance=0.2)[name]
            low, high = d.interval()
            assert -1.0 <= low < high <= 1.0
            assert -1.0 <= d.mean <= 1.0


def test_draws_of_tiny_priors_do_not_underflow() -> None:
    """With one item and hardly any prior phi is 0 or 1, by which cell comes second: one in three each."""
    d = hs.posterior(hs.Tally.binary(tp=1, fp=0, fn=0, tn=0), prior=1e-6)["phi"]
    assert d.mean == pytest.approx(1 / 3, abs=0.01)
    assert hs.posterior(hs.Tally.binary(tp=0, fp=0, fn=0, tn=0), prior=1e-6)["kappa"].mean == pytest.approx(
        1 / 6, abs=0.01
    )


def test_far_ends_state_more() -> None:
    """The .9995 quantile of phi of (4, 8, 6, 0) is .0857691 by 140 nodes in three splits."""
    d = hs.posterior(hs.Tally.binary(tp=4, fp=8, fn=6, tn=0))["phi"]
    off = abs(d.interval(0.999).high - 0.0857691)
    assert off <= d.end_errors(0.999, "equal-tailed")[1]


OFF_BEFORE = [(40, 1, 120, 7), (5, 48, 1, 14), (3, 3, 0, 2), (54, 17, 4, 5)]  # two rules agreed and were off
TAILS = np.array([0.025, 0.975])
PSEUDO_COUNTS = {"jeffreys": 0.5, "uniform": 1.0, 0.25: 0.25, 2: 2.0}


@pytest.mark.whole
@pytest.mark.parametrize("kind", ["phi", "kappa"])
@pytest.mark.parametrize("prior", PSEUDO_COUNTS)
def test_no_end_is_further_off_than_stated(prior: Any, kind: Kind) -> None:
    """The referee judges 64 tables, half of them random; 4,000 in the deep tier."""
    rng = np.random.default_rng([1918, list(PSEUDO_COUNTS).index(prior), len(kind)])
    tables = [*OFF_BEFORE, *(random_table(rng) for _ in range(500 if tiers.tier == "deep" else 4))]
    tp, fp, fn, tn = np.array(tables).T
    d = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn), prior, tolerance=0.2)[kind]
    ends, stated = (np.stack(x) for x in (tuple(d.interval(kind="equal-tailed")), d.end_errors(0.95, "equal-tailed")))
    judged, sizes = 0, (32, 64, 128) if tiers.tier == "deep" else (32, 64)
    for table, end, off in zip(tables, ends.T, stated.T, strict=True):
        points = np.clip(np.concatenate([end - off, end + off]), -1.0, 1.0)
        verdict = probabilities(kind, tuple(x + PSEUDO_COUNTS[prior] for x in table), points, 1e-5, sizes)
        if verdict is not None:
            before, after = verdict[0].reshape(2, 2)  # the tails below both ends, less and plus the stated error
            slack = 2 * verdict[1] + 1e-12
            assert (before - slack <= TAILS).all(), table
            assert (after + slack >= TAILS).all(), table
            judged += 1
    assert judged >= 0.4 * len(tables)


@pytest.mark.parametrize("table", OFF_BEFORE)
@pytest.mark.parametrize("kind", ["phi", "kappa"])
def test_the_error_of_values_covers_that_of_probabilities(kind: Kind, table: tuple[int, ...]) -> None:
    tp, fp, fn, tn = table
    d = hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))[kind]
    for end in d.interval(kind="equal-tailed"):
        assert d.error.value >= 0.999 * d.error.probability / d.pdf(end)


def test_the_low_end_of_kappa_below_0() -> None:
    """The end was -0.0293821543 with a stated error of 4.7e-7."""
    d = hs.posterior(hs.Tally.binary(tp=40, fp=1, fn=120, tn=7), "jeffreys")["kappa"]
    assert d.interval(kind="equal-tailed").low == pytest.approx(-0.0293766192, abs=2e-10)
