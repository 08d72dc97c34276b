"""howsure: how sure are you of that score, and is B really better than A?

>>> import howsure as hs
>>> hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870))["f1"].interval()
Interval(low=0.6908699718141037, high=0.8189231800611242)
"""

TYPE_CHECKING = False  # importing typing would take a good part of the time until the command heeds Control-C

if TYPE_CHECKING:
    from howsure import papers as papers
    from howsure import relations as relations
    from howsure._compare import compare as compare
    from howsure._curve import Curve as Curve
    from howsure._curve import curve as curve
    from howsure._folds import Folds as Folds
    from howsure._folds import compare_folds as compare_folds
    from howsure._forecast import Forecast as Forecast
    from howsure._forecast import forecast as forecast
    from howsure._gate import Gate as Gate
    from howsure._gate import gate as gate
    from howsure._judge import correct_judge as correct_judge
    from howsure._leaderboard import Leaderboard as Leaderboard
    from howsure._leaderboard import leaderboard as leaderboard
    from howsure._plan import Plan as Plan
    from howsure._plan import plan as plan
    from howsure._score import Report as Report
    from howsure._score import score as score
    from howsure._shift import shift as shift
    from howsure._solve import solve as solve
    from howsure._tradeoff import tradeoff as tradeoff
    from howsure._trec import trec as trec
    from howsure._wins import Wins as Wins
    from howsure._wins import compare_wins as compare_wins
    from howsure.catalogue import fbeta as fbeta
    from howsure.catalogue import metrics as metrics
    from howsure.catalogue import utility as utility
    from howsure.catalogue.expressions import cells as cells
    from howsure.catalogue.expressions import log as log
    from howsure.catalogue.expressions import sqrt as sqrt
    from howsure.catalogue.forms import Ratio as Ratio
    from howsure.catalogue.metric import Metric as Metric
    from howsure.errors import HowsureError as HowsureError
    from howsure.evidence.classes import Tally as Tally
    from howsure.evidence.clusters import Clustered as Clustered
    from howsure.evidence.graded import Graded as Graded
    from howsure.evidence.label_sets import Multilabel as Multilabel
    from howsure.evidence.outcomes import Outcomes as Outcomes
    from howsure.evidence.scored import Scored as Scored
    from howsure.evidence.strata import Stratified as Stratified
    from howsure.io.arrays import graded as graded
    from howsure.io.arrays import tally as tally
    from howsure.posteriors.distribution import Distribution as Distribution
    from howsure.posteriors.distribution import Interval as Interval
    from howsure.posteriors.posterior import Posterior as Posterior
    from howsure.posteriors.posterior import posterior as posterior
    from howsure.posteriors.priors import two_level as two_level
    from howsure.relations.surfaces import surface as surface
    from howsure.verbs.comparison import Comparison as Comparison

__version__: str

_VERBS = {  # that have a command, in the order of its help; their declarations are in these modules
    "score": "_score", "compare": "_compare", "leaderboard": "_leaderboard", "gate": "_gate", "forecast": "_forecast",
    "curve": "_curve", "trec": "_trec", "plan": "_plan", "solve": "_solve", "tradeoff": "_tradeoff",
    "surface": "relations.surfaces",
}  # fmt: skip
_HOME = _VERBS | {
    "Clustered": "evidence.clusters", "Comparison": "verbs.comparison", "Curve": "_curve",
    "Distribution": "posteriors.distribution", "Folds": "_folds", "Forecast": "_forecast", "Gate": "_gate",
    "Graded": "evidence.graded", "HowsureError": "errors", "Interval": "posteriors.distribution",
    "Leaderboard": "_leaderboard", "Metric": "catalogue.metric", "Multilabel": "evidence.label_sets",
    "Outcomes": "evidence.outcomes", "Plan": "_plan", "Posterior": "posteriors.posterior", "Ratio": "catalogue.forms",
    "Report": "_score", "Scored": "evidence.scored", "Stratified": "evidence.strata", "Tally": "evidence.classes",
    "Wins": "_wins", "cells": "catalogue.expressions", "compare_folds": "_folds", "compare_wins": "_wins",
    "correct_judge": "_judge", "fbeta": "catalogue", "graded": "io.arrays", "log": "catalogue.expressions",
    "metrics": "catalogue", "posterior": "posteriors.posterior", "shift": "_shift", "sqrt": "catalogue.expressions",
    "tally": "io.arrays", "two_level": "posteriors.priors", "utility": "catalogue",
}  # fmt: skip

__all__ = [
    "Clustered", "Comparison", "Curve", "Distribution", "Folds", "Forecast", "Gate", "Graded", "HowsureError",
    "Interval", "Leaderboard", "Metric", "Multilabel", "Outcomes", "Plan", "Posterior", "Ratio", "Report", "Scored",
    "Stratified", "Tally", "Wins", "cells", "compare", "compare_folds", "compare_wins", "correct_judge", "curve",
    "fbeta", "forecast", "gate", "graded", "leaderboard", "log", "metrics", "papers", "plan", "posterior", "relations",
    "score", "shift", "solve", "sqrt", "surface", "tally", "tradeoff", "trec", "two_level", "utility",
]  # fmt: skip


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in ("papers", "relations", "sklearn", "testing"):
        return import_module(f"howsure.{name}")
    if name == "__version__":
        return import_module("howsure.version").VERSION
    if name in _HOME:
        value = getattr(import_module(f"howsure.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'howsure' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
