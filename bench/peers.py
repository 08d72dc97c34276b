"""The same questions put to other packages: the 95% interval of F1, P(A > B), the interval of a mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
Ends = tuple[float, float]
LEVEL = 0.95
TAILS = (0.025, 0.975)


def f1_of(x: Any) -> Any:
    """F1 from tp/(tp + fp + fn)."""
    return 2 * x / (1 + x)


# -- intervals of one table ------------------------------------------------------------------------


def bootstrap_sklearn(y: Labels, z: Labels) -> Callable[[], Ends]:
    """scipy.stats.bootstrap as its page shows it, with scikit-learn's f1_score as the statistic."""
    from sklearn.metrics import f1_score

    return lambda: _bootstrap(y, z, f1_score, vectorized=False)


def bootstrap_arrays(y: Labels, z: Labels) -> Callable[[], Ends]:
    """scipy.stats.bootstrap at its best: a statistic that takes all resamples in one call."""

    def f1(y: Labels, z: Labels, axis: int = -1) -> Any:
        return 2 * (y & z).sum(axis) / (y.sum(axis) + z.sum(axis))

    return lambda: _bootstrap(y, z, f1, vectorized=True)


def _bootstrap(y: Labels, z: Labels, statistic: Callable[..., Any], *, vectorized: bool) -> Ends:
    from scipy import stats

    done = stats.bootstrap(
        (y, z), statistic, n_resamples=1000, paired=True, vectorized=vectorized, confidence_level=LEVEL, rng=0
    )
    return float(done.confidence_interval.low), float(done.confidence_interval.high)


def confidenceinterval(y: Labels, z: Labels) -> Callable[[], Ends]:
    """The delta method of confidenceinterval, its default."""
    import confidenceinterval as peer  # type: ignore[import-untyped]

    def call() -> Ends:
        _, (low, high) = peer.f1_score(y, z, confidence_level=LEVEL, average="binary")
        return float(low), float(high)

    return call


def prob_conf_mat(y: Labels, z: Labels) -> Callable[[], Ends]:
    """10,000 draws of prob_conf_mat, with the weights that make its model ours: 1/2 a cell, so 1 a row."""
    from prob_conf_mat.study import Study

    def call() -> Ends:
        study = Study(seed=0, num_samples=10_000, ci_probability=LEVEL)
        study.add_experiment("a/a", y_true=y, y_pred=z, prevalence_prior=1.0, confusion_prior=0.5)
        study.add_metric("f1")
        draws = study.get_metric_samples("f1", "a/a", "posterior").values[:, 1]
        low, high = np.quantile(draws, TAILS)
        return float(low), float(high)

    return call


# -- loops over many tables ------------------------------------------------------------------------

Shapes = list[tuple[float, float]]
Summary = NDArray[np.float64]  # mean, low, high by rows


def loop_expect(shapes: Shapes) -> Summary:
    """All by scipy.stats.beta: a frozen law a table, `expect` for the mean, `interval` for the ends."""
    from scipy import stats

    out = np.empty((len(shapes), 3))
    for i, (a, b) in enumerate(shapes):
        law = stats.beta(a, b)
        low, high = law.interval(LEVEL)
        out[i] = law.expect(f1_of), f1_of(low), f1_of(high)
    return out


def loop_frozen(shapes: Shapes) -> Summary:
    """A frozen law a table for the ends; the mean by one hypergeometric function, not an integral."""
    from scipy import stats

    out = np.empty((len(shapes), 3))
    for i, (a, b) in enumerate(shapes):
        low, high = stats.beta(a, b).interval(LEVEL)
        out[i] = _mean(a, b), f1_of(low), f1_of(high)
    return out


def loop_lean(shapes: Shapes) -> Summary:
    """The cheapest loop there is: one unfrozen call of ppf for both ends."""
    from scipy import stats

    out = np.empty((len(shapes), 3))
    for i, (a, b) in enumerate(shapes):
        low, high = np.asarray(stats.beta.ppf(TAILS, a, b))
        out[i] = _mean(a, b), f1_of(low), f1_of(high)
    return out


def _mean(a: float, b: float) -> float:
    """E 2x/(1+x) for x ~ Beta(a, b), by Euler's integral."""
    from scipy import special

    return float(2 * a / (a + b) * special.hyp2f1(1, a + 1, a + b + 1, -1))


# -- comparisons -----------------------------------------------------------------------------------

Cells = tuple[int, int, int, int]  # tp, fp, fn, tn


def f1_draws(a: Cells, b: Cells) -> Callable[[], float]:
    """The share of 10,000 draws of both systems: numpy alone."""

    def call() -> float:
        rng = np.random.default_rng(0)
        x, y = (_drawn_f1(rng, cells, 10_000) for cells in (a, b))
        return float((x > y).mean())

    return call


def _drawn_f1(rng: np.random.Generator, cells: Cells, n: int) -> Any:
    tp, fp, fn = (rng.standard_gamma(c + 0.5, n) for c in cells[:3])
    return 2 * tp / (2 * tp + fp + fn)


def prob_conf_mat_compare(a: Cells, b: Cells) -> Callable[[], float]:
    """P(A > B) from the differences that prob_conf_mat draws, 10,000 of them; its model made ours, as above."""
    from prob_conf_mat.study import Study

    def call() -> float:
        study = Study(seed=0, num_samples=10_000, ci_probability=LEVEL)
        for name, (tp, fp, fn, tn) in (("a/a", a), ("b/b", b)):
            table = [[tn, fp], [fn, tp]]
            study.add_experiment(name, confusion_matrix=table, prevalence_prior=1.0, confusion_prior=0.5)
        study.add_metric("f1")
        found = study.get_pairwise_comparison("f1", 1, experiment_a="a/a", experiment_b="b/b", min_sig_diff=0.01)
        return float((np.asarray(found.diff_dist) > 0).mean())

    return call


def permutation(a: Cells, b: Cells) -> Callable[[], float]:
    """The p-value of scipy.stats.permutation_test: items change systems at random, 9,999 times, in one array."""
    from scipy import stats

    one, two = (np.repeat(np.arange(4, dtype=np.int8), cells) for cells in (a, b))  # 0 tp, 1 fp, 2 fn, 3 tn

    def f1(x: Any, axis: int) -> Any:
        tp = (x == 0).sum(axis)
        return 2 * tp / (2 * tp + (x == 1).sum(axis) + (x == 2).sum(axis))

    def gap(x: Any, y: Any, axis: int = -1) -> Any:
        return f1(x, axis) - f1(y, axis)

    def call() -> float:
        done = stats.permutation_test(
            (one, two), gap, vectorized=True, n_resamples=9_999, batch=500, alternative="greater", rng=0
        )
        return float(done.pvalue)

    return call


# -- the mean of many values -----------------------------------------------------------------------


def bayesian_bootstrap(values: NDArray[np.float64]) -> Callable[[], Ends]:
    """10,000 draws of Dirichlet weights: numpy alone, 500 at a time."""

    def call() -> Ends:
        rng = np.random.default_rng(0)
        means = []
        for _ in range(20):
            mass = rng.standard_exponential((500, values.size))
            means.append(mass @ values / mass.sum(axis=1))
        low, high = np.quantile(np.concatenate(means), TAILS)
        return float(low), float(high)

    return call


def bootstrap_mean(values: NDArray[np.float64]) -> Callable[[], Ends]:
    """scipy.stats.bootstrap of the mean by percentiles, its default 9,999 resamples."""
    from scipy import stats

    def call() -> Ends:
        done = stats.bootstrap((values,), np.mean, method="percentile", confidence_level=LEVEL, batch=500, rng=0)
        return float(done.confidence_interval.low), float(done.confidence_interval.high)

    return call


def evalstats_mean(values: NDArray[np.float64]) -> Callable[[], Ends]:
    """mean_ci of evalstats, by the method that it chooses itself: Student's interval for as many values."""
    import evalstats  # type: ignore[import-not-found,import-untyped,unused-ignore]

    def call() -> Ends:
        found = evalstats.mean_ci(values, alpha=1 - LEVEL, rng=0)
        return float(found.ci_low), float(found.ci_high)

    return call


def statsmodels_mean(values: NDArray[np.float64]) -> Callable[[], Ends]:
    """Student's interval of statsmodels."""
    from statsmodels.stats.weightstats import DescrStatsW

    def call() -> Ends:
        low, high = DescrStatsW(values).tconfint_mean(1 - LEVEL)
        return float(low), float(high)

    return call
