"""The methods paragraph says what the result dict says."""

from __future__ import annotations

import howsure as hs
from howsure.render.formats import render

Y = [1, 0, 1, 1, 0, 1, 0, 1] * 5
A = [1, 0, 1, 0, 0, 1, 1, 1] * 5
B = [1, 1, 1, 0, 0, 1, 1, 0] * 5


def test_a_score_names_sample_prior_interval_and_route() -> None:
    """Items, level, prior, route and version of a score are those of its result dict."""
    report = hs.score(Y, A, metrics=["f1"], prior="jeffreys", level=0.9, interval="hdi")
    text = render(report.to_dict(), "methods")
    assert text.startswith("The system was evaluated on 40 items. Intervals are 90% credible intervals")
    assert "(the shortest interval (highest density))" in text
    assert "Prior (jeffreys)" in text
    assert "Computed in closed form: f1." in text
    assert text.endswith(f"Software: howsure {hs.__version__}.\n")


def test_a_comparison_says_whether_it_is_paired() -> None:
    """Systems on the same items are called so, and independent ones are not."""
    same = render(hs.compare(Y, {"a": A, "b": B}, metric="f1").to_dict(), "methods")
    apart = render(hs.compare(hs.tally(Y, A), hs.tally(Y, B), metric="f1").to_dict(), "methods")
    assert "given the same items" in same
    assert "independent samples" in apart


def test_sampled_metrics_carry_their_error_and_the_seed() -> None:
    """A sampled metric states its Monte Carlo error, and clusters are named as what was resampled."""
    labels, predicted = [0, 1, 2] * 20, [0, 1, 2] * 15 + [1, 2, 0] * 5
    text = render(hs.score(labels, predicted, metrics=["macro-f1"], seed=3, tolerance=0.1).to_dict(), "methods")
    assert "Computed by sampling: macro-f1." in text
    assert "(seed 3)" in text


def test_results_without_a_posterior_say_so() -> None:
    """What holds by arithmetic claims no prior and no interval."""
    text = render(hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=200).to_dict(), "methods")
    assert text.startswith("These values hold by arithmetic; there is no posterior.")
    assert "Prior" not in text
