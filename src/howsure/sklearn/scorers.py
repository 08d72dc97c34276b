"""Scorers: what scikit-learn's cross-validation and searches call with a fitted estimator, X and y."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from howsure.catalogue import Metric, parse, retrieval
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.posteriors import priors
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.validate import AUTO, check_kind, check_level, one_metric
from howsure.verbs.inputs import answered, entered, of_scores

OF: Final = ("score", "low", "high", "mean")
_AVERAGED: Final = re.compile(r"^(.+)_(micro|macro|weighted|samples)$")
_NAMES: Final = {"matthews_corrcoef": "phi", "cohen_kappa": "kappa"}


@dataclass(frozen=True)
class Scorer:
    """What `scorer` makes: call it with a fitted estimator, X and y for one number, higher being better."""

    metric: str | Metric
    of: str
    level: float
    interval: str
    positive: Any
    prior: Any
    sign: int
    request: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        told = {"positive": self.positive, "weight": sample_weight}
        told = {name: value for name, value in told.items() if value is not None}
        if of_scores(self.metric) and len({*np.asarray(y).ravel().tolist()}) < 2:
            return self._undefined()
        data, answers, told = answered("score", estimator, X, y, told, self.metric)
        p = entered("score", data, answers, told, prior=self.prior).posterior
        if self.of == "score":
            found = float(p.resolve(self.metric).score)
            return self._undefined() if math.isnan(found) else self.sign * found
        return self.sign * self._of(p[self.metric])

    def _of(self, d: Distribution) -> float:
        """The mean, or an end of the interval; low is the worse end, also where lower is better."""
        if self.of == "mean":
            return float(d.mean)
        low, high = d.interval(self.level, kind=self.interval)
        return float(low if (self.of == "low") == (self.sign > 0) else high)

    def _undefined(self) -> float:
        """0/0, as scikit-learn tells it where it does not take 0 for it."""
        try:
            from sklearn.exceptions import UndefinedMetricWarning as Warned
        except ImportError:
            Warned = UserWarning
        warnings.warn(f"{self.metric} is undefined on these items (0/0), and the score is nan.", Warned, stacklevel=3)
        return math.nan

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """With scikit-learn's metadata routing: whether sample_weight is to come here, and under which name."""
        return replace(self, request=sample_weight)

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing asks."""
        from sklearn.utils.metadata_routing import MetadataRequest

        asked = MetadataRequest(owner=self)
        asked.score.add_request(param="sample_weight", alias=self.request)
        return asked

    def __repr__(self) -> str:
        return f"scorer({str(self.metric)!r}, of={self.of!r})"


def scorer(
    metric: str | Metric | None = None,
    *,
    metrics: str | Metric | None = None,
    of: str = "score",
    level: float | None = None,
    interval: str | None = None,
    positive: Any = None,
    prior: Any = None,
) -> Scorer:
    """A scorer for cross_val_score, cross_validate, GridSearchCV and the like: scoring=scorer("f1").

    `metric` and `metrics` mean the same: one metric, f1 if none is given.

    It gives the point score as a float, or with `of` the low end of the interval (the pessimistic choice), the high
    end, or the posterior mean. Measures of which lower is better come with the other sign, as scikit-learn's neg_ ones,
    so that low is always the worse end. Names are howsure's or scikit-learn's (macro-f1, f1_macro, roc_auc).

    >>> class Always:
    ...     classes_ = [0, 1]
    ...
    ...     def predict(self, X):
    ...         return [1 for _ in X]
    >>> X, y = [[0], [0], [0], [0]], [1, 1, 1, 0]
    >>> scorer("precision")(Always(), X, y), round(scorer("precision", of="low")(Always(), X, y), 3)
    (0.75, 0.284)
    """
    asked = one_metric("scorer", metric, metrics)
    known = _named("f1" if asked is None else asked)
    if of not in OF:
        raise UnknownName(f"no end {of!r}.{nearest(str(of), OF)} Give of= one of {', '.join(OF)}.")
    measure = retrieval.parse(known) if of_scores(known) else parse(known)
    if measure.better is None:
        raise BadSetting(f"{measure} has no better direction, so it cannot choose among estimators.")
    ends = of in ("low", "high")
    stray = next((name for name, x in (("level", level), ("interval", interval)) if x is not None and not ends), None)
    if stray is not None:
        raise BadSetting(f"{stray}= goes with of='low' or of='high'; got of={of!r}.")
    if prior is not None and of == "score":
        raise BadSetting("prior= goes with of='low', 'high' or 'mean'; a point score has none.")
    if prior is not None and not isinstance(prior, Posterior):
        priors.make(prior)
    return Scorer(
        known, of, check_level(0.95 if level is None else level),
        check_kind(AUTO if interval is None else interval),
        positive, prior, -1 if measure.better == "lower" else 1,
    )  # fmt: skip


def _named(metric: Any) -> str | Metric:
    """The measure, from a name of howsure's or of scikit-learn's."""
    if not isinstance(metric, str):
        return parse(metric)
    bare = metric.removesuffix("_score")
    found = _AVERAGED.match(bare)
    return _NAMES.get(bare, f"{found[2]}-{found[1]}" if found else bare)
