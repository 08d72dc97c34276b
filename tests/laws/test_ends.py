"""Densities at the ends of their range: the limit from inside, infinite where there is none."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import howsure as hs
from howsure.distributions.agreement import AgreementLaw

CELLS = ("tp", "fp", "fn", "tn")
EMPTY = {c: np.array(x) for c, x in zip(CELLS, zip(*product((0, 7), repeat=4), strict=True), strict=True)}
MEASURES = [str(m) for m in hs.metrics() if m.subject == "table" and m.route != "sampled"]
AGREEMENT = ("kappa", "phi")  # some of their tables have no exact law
PRIORS = (0.1, 0.5, 0.95, 1.0)
NEAR, NEXT, STEADY = 1e-7, 1e-8, 0.02


def limits_hold(d: hs.Distribution, end: float, step: float) -> None:
    """The density at an end is infinite, 0 or as it is next to it, by the power that it has there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        far, near = (np.asarray(d.pdf(end + step * gap)) for gap in (NEAR, NEXT))
        power = np.log(far / near) / np.log(NEAR / NEXT)
    at = np.asarray(d.pdf(end))
    assert np.all((at == np.inf) == (power < -STEADY)), (d.name, end)
    assert np.all((at == 0) == ((near == 0) | (power > STEADY))), (d.name, end)
    steady = np.abs(power) <= STEADY
    assert np.allclose(at[steady], near[steady], rtol=1e-4), (d.name, end)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", [m for m in MEASURES if m not in AGREEMENT])
def test_densities_at_the_ends(name, prior):
    """Of every measure with an exact law, at tables with every choice of empty cells."""
    d = hs.posterior(hs.Tally.binary(**EMPTY), prior)[name]
    for end, step in ((d.law.lower, 1.0), (d.law.upper, -1.0)):
        if np.isfinite(end):
            limits_hold(d, end, step)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (0, 7, 7, 0), (7, 0, 0, 7), (7, 0, 3, 7), (300, 0, 0, 10)])
@pytest.mark.parametrize("name", AGREEMENT)
def test_densities_of_agreement_at_the_ends(name, counts, prior):
    """phi is unbounded at 1 where fp and fn weigh less than 1, and at -1 where tp and tn do; kappa at 1 only."""
    d = hs.posterior(hs.Tally.binary(**dict(zip(CELLS, counts, strict=True))), prior)[name]
    if d.route == "sampled":  # some tables with hardly any weight: there is no density at a point
        assert prior == PRIORS[0]
        return
    limits_hold(d, 1.0, -1.0)
    if name == "phi":
        limits_hold(d, -1.0, 1.0)


@pytest.mark.parametrize(("prior", "found"), [(0.2, np.inf), (0.25, 4.9957), (0.3, 0.0), (0.5, 0.0)])
def test_density_of_kappa_at_its_lowest_value(prior, found):
    """It needs no right answer and as many wrong ones of both kinds: the weight of the right is held against 1/2."""
    law = AgreementLaw("kappa", tuple(np.asarray(x + prior) for x in (0, 7, 7, 0)))
    assert law.pdf(np.asarray(-1.0)) == pytest.approx(found, rel=1e-4)
    if prior == 0.25:
        assert law.pdf(-1.0 + np.linspace(1e-4, 4e-3, 40)).mean() == pytest.approx(found, rel=0.05)


@pytest.mark.parametrize("prior", PRIORS)
def test_densities_of_rates_at_the_ends(prior):
    """Of outcomes, none, some or all of which passed."""
    d = hs.posterior(hs.Tally.rate(hits=[0, 0, 7, 7], of=[0, 7, 7, 14]), prior)["rate"]
    limits_hold(d, 0.0, 1.0)
    limits_hold(d, 1.0, -1.0)


@pytest.mark.parametrize("name", ["informedness", "f2", "g-mean"])
def test_a_law_as_narrow_as_doubles_allow_has_its_limit_at_the_end(name):
    """A trillion right answers and no wrong one: within 1e-12 of 1 the density still has its way to go."""
    many = {"tp": 10**12, "fp": 0, "fn": 0, "tn": 10**12}
    found = [float(hs.posterior(hs.Tally.binary(**many), prior)[name].pdf(1.0)) for prior in (0.3, 0.5, 1.0)]
    assert found[0] == np.inf
    assert 5e11 < found[1] < 5e12
    assert found[2] == 0


@pytest.mark.parametrize(
    ("counts", "prior", "found"),
    [
        ((0, 10**8, 10**8, 1), 1, (10**8 + 1) ** 2),  # (fp + 1)·(fn + 1)/tn: as narrow as this is high
        ((0, 7, 7, 0), [[1.05, 1], [1, 1]], 8 * 8 / 0.05),
        ((0, 7, 7, 0), 0.9995, np.inf),
        ((0, 7, 7, 0), 1.0005, 0.0),
        ((0, 7, 7, 0), 1, np.inf),
        ((0, 7, 7, 9), 1, 8 * 8 / 9),
    ],
)
def test_density_of_the_odds_ratio_at_0(counts, prior, found):
    """By the lower of the weights of tp and tn; with a weight of 1, the product of the others over what tn leaves."""
    d = hs.posterior(hs.Tally.binary(**dict(zip(CELLS, counts, strict=True))), prior)["odds-ratio"]
    assert d.pdf(0) == pytest.approx(found, rel=1e-12)


def test_kappa_at_its_lowest_value_does_not_warn():
    """A thousand items: what is not asked for there overflowed."""
    assert hs.posterior(hs.Tally.binary(tp=400, fp=400, fn=400, tn=400))["kappa"].pdf(-1) == 0.0
