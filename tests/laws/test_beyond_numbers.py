"""Ends of intervals that no double can show: those of the range, outwards, and never silently."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs

PRIORS = (1, 0.1, 0.01, 0.005, 0.002, 0.001, 1e-6)
RATIOS = ("lr-plus", "lr-minus", "odds-ratio")
SURE = {"tp": 17, "fp": 0, "fn": 0, "tn": 20}


def codes(interval: hs.Interval) -> list[str]:
    """What the notes of an interval are about."""
    return [note.code for note in interval.notes]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("metric", RATIOS)
def test_the_interval_of_a_ratio_holds_its_level_under_any_prior(prior: float, metric: str) -> None:
    """Small prior weights put a ratio beyond all doubles: the interval goes to the end of the range, and says so."""
    d = hs.posterior(hs.Tally.binary(**SURE), prior=prior)[metric]
    for kind in ("equal-tailed", "hdi"):
        found = d.interval(kind=kind)
        held = 1.0 - d.cdf(found.low) - d.sf(found.high)
        beyond = found.low == 0 or found.high == np.inf
        assert held == pytest.approx(0.95, abs=1e-6) or (held > 0.95 and beyond), (kind, held)
        assert beyond == bool({"rounds-to-edge", "beyond-numbers", "hdi-beyond"} & {*codes(found)})
        assert found.low < found.high


@pytest.mark.parametrize("metric", RATIOS)
def test_a_batch_goes_beyond_as_its_tables_do(metric: str) -> None:
    """Each table of a batch has the ends, the median and the quantiles that it has alone."""
    each = [SURE, {"tp": 5, "fp": 2, "fn": 1, "tn": 9}]
    alone = [hs.posterior(hs.Tally.binary(**x), prior=0.001)[metric] for x in each]
    both = hs.posterior(hs.Tally.binary(**{k: [x[k] for x in each] for k in SURE}), prior=0.001)[metric]
    for i, d in enumerate(alone):
        assert (both.interval().low[i], both.interval().high[i]) == pytest.approx(tuple(d.interval()), rel=1e-6)
        assert both.median[i] == pytest.approx(d.median, rel=1e-6)


def test_a_quantile_beyond_all_numbers_is_infinite() -> None:
    """The median of a ratio that lies beyond is not the last point that a search looks at."""
    d = hs.posterior(hs.Tally.binary(**SURE), prior=1e-6)["odds-ratio"]
    assert d.median == d.ppf(0.5) == np.inf
    assert hs.posterior(hs.Tally.binary(**SURE), prior=1e-6)["lr-minus"].median == 0.0


def test_results_with_an_infinite_end_are_shown() -> None:
    """Tables, differences and charts have a word for it, and JSON a null."""
    p = hs.posterior(hs.Tally.binary(**SURE), prior=0.001)
    report = hs.score(p, metrics=[*RATIOS])
    row = report.to_dict()["rows"][0]
    assert row["high"] is None
    assert "high" in row["infinite"]
    assert "infinite]" in report.to_text()
    assert "beyond-numbers" in [x["code"] for x in report.to_dict()["notes"]]
    other = hs.posterior(hs.Tally.binary(tp=15, fp=1, fn=2, tn=20), prior=0.001)
    assert ", infinite]" in hs.compare(p, other, metric="lr-plus").to_text()
    assert "to infinite, " in p["lr-plus"].plot().says
    with pytest.raises(hs.HowsureError, match="cannot be drawn"):
        hs.posterior(hs.Tally.binary(**SURE), prior=1e-6)["odds-ratio"].plot()


@pytest.mark.parametrize("prior", [0.05, 0.01, 0.005, 0.001, 1e-6])
@pytest.mark.parametrize("flip", [False, True])
def test_every_end_on_an_edge_has_a_note(prior: float, flip: bool) -> None:
    """Of a law without draws no quantile is an end of the range: where it looks like one, a note says why."""
    cells = {"tp": 9, "fp": 3, "fn": 0, "tn": 20} if flip else {"tp": 0, "fp": 3, "fn": 9, "tn": 20}
    p = hs.posterior(hs.Tally.binary(**cells), prior=prior)
    for metric in ("recall", "miss-rate", "f1", "precision", "jaccard"):
        found = p[metric].interval(kind="equal-tailed")
        assert ("rounds-to-edge" in codes(found)) == (found.low == 0.0 or found.high == 1.0), metric


def test_a_shortest_interval_that_begins_at_an_edge_needs_no_note() -> None:
    """There the density is highest, and the end is just there."""
    found = hs.posterior(hs.Tally.binary(tp=0, fp=3, fn=9, tn=20))["recall"].interval(kind="hdi")
    assert found.low == 0.0
    assert codes(found) == []


@pytest.mark.parametrize(("metric", "n"), [("tetrachoric", 10**9), ("phi", 10**15), ("kappa", 10**15)])
def test_draws_that_all_round_to_an_edge_have_a_note(metric: str, n: int) -> None:
    """Of a table so large and so right the interval is a few of the last numbers before 1."""
    found = hs.posterior(hs.Tally.binary(tp=n, fp=0, fn=0, tn=n))[metric].interval(kind="equal-tailed")
    assert found.high == 1.0
    assert codes(found) == ["rounds-to-edge"]


@pytest.mark.parametrize("n", [10**6, 10**9, 10**11])
@pytest.mark.parametrize("metric", ["informedness", "markedness", "f2", "recall"])
def test_a_shortest_interval_beside_a_pole_holds_its_level(metric: str, n: int) -> None:
    """The density has no bound at the end of the range, however many items there are."""
    d = hs.posterior(hs.Tally.binary(tp=n, fp=0, fn=0, tn=n))[metric]
    low, high = d.interval(kind="hdi")
    assert high == 1.0
    assert d.sf(low) == pytest.approx(0.95, abs=1e-6)


def test_infinite_draws_leave_the_density_of_the_others():
    """Some draws of a ratio with an empty cell are infinite under a small prior: mode and density are of the rest."""
    first = hs.Tally.binary(tp=0, fp=0, fn=23980709317, tn=0)
    second = hs.Tally.binary(tp=6669623090, fp=25851209, fn=37292781826, tn=2509070464852)
    d = hs.compare(first, second, metric="lr-plus", prior=0.0028164, tolerance=0.5).difference
    assert np.isinf(d.law.draws).any()
    assert d.law.draws[0] <= d.mode <= d.ppf(0.9)
    assert d.pdf(d.mode) > 0


def test_weights_far_apart_make_no_overflow():
    """Items of weights from 1e-6 to 900 under small priors: products on the path would be beyond all doubles."""
    t = hs.tally([0, 0, 1, 0, 0, 0], [1, 1, 0, 0, 1, 1], labels=[0, 1], positive=1,
                 weight=[61.1386, 5.36988e-06, 1.73406e-05, 0.00354226, 0.963923, 906.946])  # fmt: skip
    d = hs.posterior(t, [[0.00102603, 0.289329], [16.2012, 0.00181768]])["accuracy"]
    p = np.array([0.3, 0.5, 0.9, 0.9995])
    at = d.ppf(p)
    assert d.cdf(at) == pytest.approx(p, abs=1e-12)
    seen = np.searchsorted(np.sort(d.draws(20_000, seed=1)), at) / 20_000
    assert (np.abs(seen - p) < 5 * np.sqrt(p * (1 - p) / 20_000)).all()
