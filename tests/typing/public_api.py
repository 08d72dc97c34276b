"""The public API as a user writes it, for mypy --strict only: nothing here runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import howsure as hs
from howsure._compare import Several
from howsure.sklearn import classification_report, scorer
from howsure.testing import require


def makers() -> hs.Tally:
    """Tallies from counts, matrices, rates and labels."""
    t = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
    assert_type(t, hs.Tally)
    hs.Tally.binary(tp=[1, 2], fp=np.array([3, 4]), fn=0, tn=5)
    hs.Tally.matrix([[1, 2], [3, 4]])
    hs.Tally.matrix(np.eye(3, dtype=np.int64), labels=["a", "b", "c"], positive="a", rows="pred")
    hs.Tally.rate(hits=47, of=50)
    y: list[str] = ["ham", "spam"]
    z: npt.NDArray[np.str_] = np.array(["ham", "ham"])
    assert_type(hs.tally(y, z, positive="spam", labels=["ham", "spam"], weight=[1.0, 2.0], missing="drop"), hs.Tally)
    hs.tally(y, {"a": z, "b": z})
    return t


def algebra(t: hs.Tally) -> None:
    """Merging, views and what a tally holds."""
    assert_type(t + t, hs.Tally)
    total = sum([t, t], start=t)
    assert_type(total, hs.Tally)
    assert_type(t.system("a"), hs.Tally)
    assert_type(t.versus_rest("spam"), hs.Tally)
    assert_type(t.shape, tuple[int, ...])
    assert_type(t.systems, tuple[str, ...])
    assert_type(t.weighted, bool)
    n: int = t.n
    value, p = t.chi_square()
    print(n, value, p, t == total)


def posteriors(t: hs.Tally) -> hs.Posterior:
    """Priors of every kind, updates, and the mapping."""
    p = hs.posterior(t)
    assert_type(p, hs.Posterior)
    for prior in ("even", 0.5, [1.0, 1.0, 1.0, 1.0], np.ones((2, 2)), hs.two_level(within=1, between=2), p):
        hs.posterior(t, prior=prior, tolerance=0.05, seed=7)
    assert_type(p.update(t), hs.Posterior)
    for prevalence in (0.01, (0.005, 0.02), t, hs.Tally.rate(hits=12, of=3000), {"ham": 0.99, "spam": 0.01}):
        assert_type(hs.shift(p, prevalence=prevalence), hs.Posterior)
    hs.shift(t, 0.01)
    f = hs.compare_folds({"a": [0.9, 0.8], "b": [0.7, 0.9]}, test_share=0.5, equal_within=0.01)
    assert_type(f, hs.Folds)
    assert_type(f.p_better, float)
    assert_type(f["a"], hs.Distribution)
    as_mapping: Mapping[str, hs.Distribution] = p
    names: Iterator[str] = iter(as_mapping)
    assert_type("f1" in p, bool)
    cells = p.draws(100, seed=0)
    shares: npt.NDArray[np.float64] = cells["tp"]
    print(next(names), shares)
    return p


def distributions(p: hs.Posterior) -> None:
    """A distribution, its functions and its intervals."""
    d = p["f1"]
    assert_type(d, hs.Distribution)
    assert_type(p[hs.fbeta(3)], hs.Distribution)
    mean: float = d.mean
    points: npt.NDArray[np.float64] = d.cdf([0.1, 0.2])
    probability: float = d.prob_above(0.8)
    assert_type(d.route, str)
    assert_type(d.shape, tuple[int, ...])
    assert_type(d.range, tuple[float, float])
    draws: npt.NDArray[np.float64] = d.draws(1000, seed=0)
    bound: float = d.error.value
    interval = d.interval(0.95, kind="hdi")
    assert_type(interval, hs.Interval)
    low, high = interval
    inside: bool = 0.5 in interval
    print(d.score, mean, d.std, d.median, d.mode, d.sf(0.5), d.pdf(0.5), d.ppf(0.5), points, probability, draws, bound)
    print(low, high, interval.low, interval.high, interval.width, interval.level, inside)


def reports(t: hs.Tally) -> None:
    """Scores with every setting, and every way to write them out."""
    r = hs.score(t)
    assert_type(r, hs.Report)
    hs.score([0, 1], [1, 1], metrics=["f1", hs.fbeta(2)], above=0.8, level=0.9, interval="hdi", prior="jeffreys")
    hs.score(t, metrics="f1", above={"f1": 0.8}, positive=1, seed=3, tolerance=0.1)
    assert_type(r.to_dict(), dict[str, Any])
    for text in (r.to_markdown(), r.to_latex(), r.to_csv(), r.to_html(), r.to_json(), r._repr_html_(), str(r)):
        assert_type(text, str)
    assert_type(r.to_text("latex"), str)
    assert_type(r.page(), dict[str, Any])
    r.save("report.md")
    r.save(Path("report"), kind="json")
    assert_type(r == hs.score(t), bool)
    assert_type(r["f1"], hs.Distribution)
    assert_type(hs.score(t, metric="f1"), hs.Report)
    hs.score(t, metric=["f1", hs.fbeta(2)])
    r.to_frame()


def one_or_several(t: hs.Tally) -> None:
    """`metric` and `metrics` mean the same; a name gives one result, a list or a tuple several."""
    assert_type(hs.compare(t, t, metrics="f1"), hs.Comparison)
    assert_type(hs.compare(t, t, metric=["f1", hs.fbeta(2)]), Several)
    assert_type(hs.compare(t, t, metrics=("f1", "recall")), Several)
    assert_type(hs.leaderboard({"a": t, "b": t}, metrics=hs.fbeta(2)), hs.Leaderboard)
    assert_type(hs.leaderboard({"a": t, "b": t}, metric=["f1"]), Several)
    assert_type(hs.forecast(t, n=50, metrics="mcc"), hs.Forecast)
    assert_type(hs.forecast(t, n=50, metric=["mcc", "fpr"]), Several)
    hs.plan(metrics="f1", pilot=t, width=0.1)
    hs.compare_folds({"a": [0.9, 0.8], "b": [0.7, 0.9]}, test_share=0.5, metrics="accuracy")
    hs.curve([1, 0], [0.9, 0.2], metric="auc")
    hs.trec({"q": {"d": 1}}, {"a": {"q": {"d": 0.5}}}, metric="AP")
    scorer(metrics="f1")


def prediction(t: hs.Tally, p: hs.Posterior) -> None:
    """What the next items will show: a Distribution, and a result."""
    d = hs.forecast(t, n=500, metric="f1", below=0.75)
    assert_type(d, hs.Forecast)
    law: hs.Distribution = d
    low, high = d.interval(0.9)
    print(law.cdf(0.7), d.prob_below(0.7), d.undefined, low, high, d.to_markdown())
    hs.forecast(p, "a", "b", n=50)
    hs.forecast(p, p, n=50, names=("old", "new"))
    hs.forecast(t, n=50, metrics=["f1", "recall"], above={"f1": 0.8}).to_dict()


def for_scikit_learn(estimator: object) -> None:
    """The report is a text or a dictionary, a scorer gives a float, and verbs take estimators."""
    assert_type(classification_report([0, 1], [1, 1], digits=3), str)
    assert_type(classification_report([0, 1], [1, 1], output_dict=True), dict[str, Any])
    made = scorer("f1", of="low", level=0.9)
    assert_type(made(estimator, [[0], [1]], [0, 1]), float)
    assert_type(hs.score(estimator, [[0], [1]], [0, 1]), hs.Report)
    hs.leaderboard({"a": estimator, "b": estimator}, [[0], [1]], [0, 1], metric="f1")
    hs.compare({"a": estimator, "b": estimator}, [[0], [1]], [0, 1], metric="f1")
    assert_type(hs.curve(estimator, [[0], [1]], [0, 1]), hs.Curve)


def metrics() -> hs.Metric:
    """A measure of one's own, and those there are."""
    tp, fp, fn, tn = hs.cells
    lift = hs.Metric("lift", (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn)), better="higher", meaning="lift")
    hs.Metric("half", hs.Ratio(0.5 * tp, tp + 2 * fp), "lower", aliases=("h",))
    hs.Metric("root", hs.sqrt(tp / (tp + fp)) - hs.log(1 + Fraction(1, 3) * tn) ** 2, None)
    assert_type(lift.of("spam"), hs.Metric)
    assert_type(lift.bounds, tuple[float, float])
    assert_type(lift.latex, str)
    assert_type(hs.metrics(), tuple[hs.Metric, ...])
    assert_type(hs.utility(tp=2, fp=-1, cost=False), hs.Metric)
    return lift


def errors(t: hs.Tally) -> str:
    """One family of errors, under ValueError; the version is a text."""
    try:
        hs.posterior(t, prior="nonsense")
    except hs.HowsureError as error:
        caught: ValueError = error
        return str(caught)
    return hs.__version__


def refused(t: hs.Tally) -> None:
    """What a type checker must refuse; mypy reports an ignore that is not needed."""
    hs.Tally.binary(80, 20, 30, 870)  # type: ignore[call-arg]
    hs.Tally.binary(tp=1, fp=2, fn=3)  # type: ignore[call-arg]
    hs.posterior([1, 2, 3, 4])  # type: ignore[arg-type]
    hs.score(t, level="high")  # type: ignore[arg-type]
    t.labels = ("a",)  # type: ignore[misc]
    hs.Metric("x", "tp")  # type: ignore[arg-type]
    hs.Metric("x", hs.cells.tp, better="up")  # type: ignore[arg-type]
    hs.fbeta("2")  # type: ignore[arg-type]


def relations(t: hs.Tally) -> None:
    """Solving and checking."""
    s = hs.solve({"false-positive-rate": 0.1}, precision=0.75, recall="0.60", n=(100, 200), integers=True)
    assert_type(s.status, str)
    cells: dict[str, Any] = s.table
    d: hs.Distribution = s.posterior("f1", prior="uniform")
    joint = hs.solve({"a": {"f1": "0.87"}, "b": {"f1": "0.86"}}, wins={("a", "b"): (21, 15)}, n=100, positives=9)
    assert_type(joint, hs.relations.JointSolution)
    assert_type(s, hs.relations.Solution)
    print(cells, d, joint.tables, hs.relations.check(t).holds)
    surface = hs.relations.surface("phi", "precision", hs.fbeta(2), {"lr+": 3}, x_values=[0.1, 0.2], size=(2, 5))
    assert_type(surface, hs.relations.Surface)
    assert_type(hs.relations.break_even("phi", y_values=0.01).feasible, float)
    points: npt.NDArray[np.float64] = hs.relations.eleven_point("phi", [0.5], fallout=[0.01], rule="bisection").mean
    print(surface.values, points)
    assert_type(hs.tradeoff(accuracy=0.9, prevalence=0.2), hs.relations.Tradeoff)
    made = hs.plan(metric="f1", pilot=t, width=0.1, assurance=0.8)
    assert_type(made, hs.Plan)
    assert_type(made.n, int)
    band = hs.tradeoff(t, prior="uniform", recalls=[0.5, 0.9])
    assert_type(band, hs.relations.Band)
    assert_type(band.precision(0.9), hs.Distribution)
    m = hs.relations.mixture(hs.relations.normal(1, 1), [0.1, 0.2], prevalence=0.5)
    assert_type(m, hs.relations.Mixture)
    assert_type(m.best("f1").threshold, float)


def curves(frame: Any) -> hs.Curve:
    """Scores, their measures and bands."""
    y, a = np.array([1, 0, 1, 0]), np.array([0.9, 0.2, 0.4, 0.6])
    c = hs.curve(y, a, positive=1, weight=[1.0, 2.0, 1.0, 1.0])
    assert_type(c, hs.Curve)
    assert_type(hs.curve(frame, truth="label", score=["p", "q"]).items, hs.Scored)
    assert_type(c["auc"], hs.Distribution)
    assert_type(c.tally, hs.Tally)
    low: npt.NDArray[np.float64] = c.band("precision", simultaneous=True).low
    fallout, recall, thresholds = c.roc
    hs.score(c, metrics=["auc", "AP11(rule='trec_eval-9')"])
    hs.compare(hs.curve(y, {"a": a, "b": a}), "a", "b", metric="AP")
    hs.leaderboard(hs.curve(y, {"a": a, "b": a}), metric="BEP")
    print(low, fallout, recall, thresholds, c.at(recall=[0.5, 0.9]).high, c.crossings)
    return c


def retrieval() -> hs.Comparison:
    """Judgments and runs to items, and the verbs on them."""
    v = hs.trec(
        {"q": {"d": 1}},
        {"a": {"q": {"d": 0.5}}},
        metrics=["AP", "nDCG@10"],
        only_common=True,
        no_relevant="zero",
        ties="float32",
    )
    assert_type(v, hs.Graded)
    assert_type(v.measures, tuple[str, ...])
    assert_type(v.only("map"), hs.Graded)
    return hs.compare(v, "a", "b", metric="AP")


def gates(t: hs.Tally, p: hs.Posterior) -> str:
    """Requirements, from evidence, posteriors and files; and in tests."""
    made = hs.gate(p, ["f1 > 0.8 with 0.95", "recall > 0.9 in region=north"])
    assert_type(made, hs.Gate)
    hs.gate(t, "f1 not worse by 0.01", baseline=t, level=0.9, prior="uniform", tolerance=0.1, seed=1)
    hs.gate(Path("new.csv"), ["f1 not worse"], baseline="old.csv", truth="y", pred="z", on="id")
    assert_type(require(t, "f1 > 0.5", "recall > 0.5 with 0.9", inconclusive="skip"), hs.Gate)
    assert_type(made.status, str)
    return made.to_markdown()


def judges(frame: Any) -> hs.Posterior:
    """Verdicts of a judge, corrected by people."""
    p = hs.correct_judge([1, 0, 1], ([1, 0], [1, 0]), external=False, prior="even", tolerance=0.05, seed=1)
    assert_type(p, hs.Posterior)
    hs.correct_judge({"a": hs.Outcomes.rate(hits=3, of=9)}, {"a": hs.Tally.binary(tp=1, fp=2, fn=3, tn=4)})
    hs.score(frame, judge="verdict", human="label")
    hs.compare(frame, judge="label", human="person", pred=["a", "b"])
    return p
