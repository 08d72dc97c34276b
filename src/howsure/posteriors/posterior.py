"""Posterior: what is known after the data, for every kind of evidence alike."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, cast

from howsure.arrays import AnyArray
from howsure.catalogue.metric import Measure, with_weights
from howsure.errors import BadSetting, HowsureError
from howsure.messages.notes import Notes
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.priors import Prior
from howsure.posteriors.state import TOGETHER, State
from howsure.validate import check_draws, check_seed, finite

if TYPE_CHECKING:
    from howsure.catalogue.metric import Measure
    from howsure.evidence.protocol import Evidence
    from howsure.posteriors.estimand import Chance, Estimand, Places
    from howsure.results.result import Result


# -- kind
#
# Kind: what the model of a kind of evidence tells. Each is a module of functions, next to its ways of looking.


class Kind(Protocol):
    """The functions of a model module."""

    def settle_prior(self, evidence: Any, given: Any) -> Prior:
        """The prior that was given, or a refusal of one that does not fit."""

    def prior_total(self, state: State) -> float:
        """The prior's weight in all."""

    def parse(self, state: State, name: Any) -> Measure:
        """The measure of a name."""

    def question(self, state: State, metric: Any, asked: str) -> Estimand:
        """The measure put to the evidence, in the way of looking that fits."""

    def names(self, state: State) -> Sequence[str]:
        """The measures that a posterior lists."""

    def table(self, state: State) -> Sequence[str | Measure]:
        """The measures of the default report."""

    def default(self, state: State) -> str:
        """The measure that systems are compared on."""

    def draws(self, state: State, n: int, seed: int, metrics: Any) -> Any:
        """Joint draws of what the measures are computed from."""

    def prepare(self, questions: Sequence[Estimand]) -> None:
        """Work out what several questions to one posterior share."""

    def extras(self, state: State, level: float) -> tuple[dict[str, Any], Notes]:
        """What a report tells beyond its rows: parts of the document, and notes."""


# -- export
#
# Draws of measures for other libraries.


def to_arviz(p: Mapping[str, Distribution], metrics: Any, draws: int, chains: int, seed: int) -> Any:
    """Independent draws of measures as ArviZ's InferenceData (a DataTree from ArviZ 1 on), one variable a measure."""
    try:
        import arviz
    except ImportError:
        raise BadSetting("to_arviz needs ArviZ: pip install 'howsure[arviz]'") from None
    names = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
    size = check_draws(draws) * check_draws(chains)
    values = {}
    for name in names:
        x = p[name].draws(size, seed=check_seed(seed))
        values[str(name)] = x.reshape(chains, draws, *x.shape[1:])
    if "posterior" in signature(arviz.from_dict).parameters:
        return arviz.from_dict(posterior=values)
    return arviz.from_dict({"posterior": values})


# -- posterior
#
# Posterior: what is known after the data, for every kind of evidence; a mapping from metric name to Distribution.

KINDS: Final = {  # evidence -> the module of its model
    "Tally": "classes",
    "Outcomes": "outcomes",
    "Multilabel": "label_sets",
    "ShiftedTally": "shifted",
    "Stratified": "strata",
    "Clustered": "clusters",
    "Graded": "items",
    "Sliced": "sliced",
    "Dealt": "sliced",
    "Scored": "scored",
    "JudgedOutcomes": "judged",
    "JudgedTally": "judged",
}


def kind_of(observed: type) -> Kind:
    """The model of a kind of evidence."""
    return _kind(observed)


@cache
def _kind(observed: Hashable) -> Kind:
    assert isinstance(observed, type)  # noqa: S101 - narrows the type
    name = KINDS.get(observed.__name__)
    if name is None or not observed.__module__.startswith("howsure.evidence."):
        raise BadSetting(
            f"posterior needs a Tally, Graded or a curve; got {observed.__name__}. Make one with hs.tally, "
            "hs.Tally.binary, hs.graded or hs.curve."
        )
    return cast("Kind", import_module(f"howsure.posteriors.{name}"))


@dataclass(frozen=True, eq=False)
class Posterior(State, Mapping[str, Distribution]):
    """What is known after the data; maps a metric's name to its Distribution.

    >>> from howsure.evidence.classes import Tally
    >>> p = posterior(Tally.binary(tp=80, fp=20, fn=30, tn=870))
    >>> p["f1"]
    f1 0.762 [0.691, 0.819] 95% equal-tailed, closed form
    """

    @property
    def kind(self) -> Kind:
        """The model of the evidence."""
        return kind_of(type(self.evidence))

    # -- questions

    def resolve(self, metric: Any) -> Estimand:
        """A measure put to this posterior: parsed once, kept, and answered when asked."""
        key = ("question", metric) if isinstance(metric, str) else None
        if key in self.kept:
            return self.kept[key]  # type: ignore[no-any-return]
        measure = self.kind.parse(self, metric)
        found = self.kind.question(self, measure, with_weights(str(metric), measure))
        if key is not None:
            self.kept[key] = found
        return found

    def questions(self, metrics: Iterable[Any]) -> list[Estimand]:
        """Several measures, which work out together what they share."""
        found = [self.resolve(m) for m in metrics]
        self.kind.prepare(found)
        return found

    def together(self, metrics: Iterable[Any]) -> None:
        """Say that these measures will be asked: systems on the same items are then drawn once for all of them."""
        self.kept[TOGETHER] = tuple(self.resolve(m) for m in metrics)

    def spelled_out(self, metrics: Iterable[Any], at_once: bool = False) -> list[Any]:
        """The measures with f1:* as one for each class; it stays, if wanted, where all classes are taken at once."""
        return [x for m in metrics for x in self._each_class(m, at_once)]

    def _each_class(self, metric: Any, at_once: bool) -> list[Any]:
        base, colon, label = metric.partition(":") if isinstance(metric, str) else (metric, "", "")
        labels = [str(x) for x in self.evidence.describe()["labels"]] if (colon, label) == (":", "*") else ["*"]
        if "*" in labels or not labels:  # a class that is called so is meant
            return [metric]
        each = [f"{base}:{label}" for label in labels]
        for told, name in (([metric], metric), (each, each[0])) if at_once else ((each, each[0]),):
            with contextlib.suppress(HowsureError):
                self.resolve(name)
                return told
        return [metric]

    def measure(self, name: Any) -> Measure:
        """The measure of a name."""
        return self.resolve(name).metric

    def point(self, metric: Any) -> AnyArray:
        """The score of the data themselves; NaN where it is undefined."""
        return self.resolve(metric).score

    def against_chance(self, metric: Any, at: Places = None) -> Chance | None:
        """What random guessing at the same margins gives, P(better than that at the margins of each draw), its error.

        None where there is no such thing: prevalence and bias, outcomes, items with many labels. `at` are indices into
        the batch, for those tables only.

        >>> from howsure.evidence.classes import Tally
        >>> found = posterior(Tally.binary(tp=80, fp=20, fn=30, tn=870)).against_chance("precision")
        >>> round(float(found.score), 9), round(float(found.better), 9)
        (0.11, 1.0)
        """
        return self.resolve(metric).chance(at)

    @property
    def library(self) -> str | None:
        """The library of the frame that the evidence was read from."""
        found: str | None = self.evidence.library
        return found

    @property
    def default_metric(self) -> str:
        """The measure that systems are compared on."""
        return self.kind.default(self)

    @property
    def default_table(self) -> list[str | Measure]:
        """The measures of the default report."""
        return list(self.kind.table(self))

    @property
    def prior_document(self) -> dict[str, Any]:
        """Name and total weight of the prior."""
        total = self.kind.prior_total(self)
        return {"name": self.prior.name, "total": int(total) if total == int(total) else total}

    def confusion(self, level: float, interval: str) -> dict[str, Any] | None:
        """The table of truths and answers with the share of each cell and its interval; None of other evidence."""
        made = getattr(self.kind, "confusion_table", None)
        return None if made is None else cast("dict[str, Any] | None", made(self, level, interval))

    def extras(self, level: float) -> tuple[dict[str, Any], Notes]:
        """What a report tells beyond its rows."""
        return self.kind.extras(self, level)

    # -- other posteriors

    def update(self, more: Evidence) -> Self:
        """The posterior after more data; the order of updates does not matter (Goutte & Gaussier, note in 3)."""
        if type(more) is not type(self.evidence):
            raise BadSetting(f"update needs {type(self.evidence).__name__}; got {type(more).__name__}.")
        return self.seeing(self.evidence + more)

    def whole(self, axis: int) -> Self:
        """The posterior of what all places of a batch axis show together, which lend nothing to each other."""
        return replace(self, evidence=self.evidence.together(axis), prior=self.prior.alone, kept={})

    def system(self, name: str) -> Self:
        """The posterior of one system."""
        return self.pick((name,))

    def pick(self, names: Sequence[str]) -> Self:
        """The joint posterior of these systems."""
        wanted = tuple(names)
        if wanted == self.evidence.systems:
            return self
        key = ("systems", wanted)
        if key not in self.kept:
            self.kept[key] = self.seeing(self.evidence.pick(wanted))
        return self.kept[key]  # type: ignore[no-any-return]

    # -- mapping

    def __getitem__(self, metric: Any) -> Distribution:
        return self.resolve(metric).distribution

    def __contains__(self, metric: object) -> bool:
        if len(self.evidence.systems) != 1:
            return False
        try:
            self.resolve(metric)
        except HowsureError:
            return False
        return True

    def get(self, metric: str, default: Any = None) -> Any:
        """The Distribution of a metric, or the default where there is none."""
        return self[metric] if metric in self else default  # noqa: SIM401 - this is get

    def __iter__(self) -> Iterator[str]:
        return iter(self.kind.names(self) if len(self.evidence.systems) == 1 else ())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Posterior):
            return NotImplemented
        mine, theirs = ((p.evidence, p.prior, p.tolerance, p.seed) for p in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Posterior({self.evidence!r}, prior={self.prior.name!r})"

    # -- draws

    def draws(self, n: int, *, seed: int = 0, metrics: Any = None) -> Any:
        """n joint draws of what the measures are computed from.

        Of a table the cell probabilities tp, fp, fn, tn (outcomes: tp, fn), each of shape (n, *batch); of many classes
        without a positive one the cells of each class against the rest, (n, classes); of graded values the mean of
        every system, (n, systems), each with the law that it has alone; of scores the measures named. Independent
        posteriors need different seeds: with the same one their draws go together.
        """
        return self.kind.draws(self, check_draws(n), check_seed(seed), metrics)

    def to_arviz(self, metrics: Any = None, *, draws: int = 1000, chains: int = 4, seed: int = 0) -> Any:
        """Independent draws of measures as ArviZ's InferenceData, with dimensions chain and draw (extra `arviz`)."""
        return to_arviz(self, list(self) if metrics is None else metrics, draws, chains, seed)


def posterior(data: Evidence | Result, prior: Any = "even", *, tolerance: float = 0.02, seed: int = 0) -> Posterior:
    """The posterior of evidence under a prior: a name, a weight, an array of weights, or an earlier Posterior.

    Items have the Bayesian bootstrap for a posterior, with the prior's weight at the ends of the values seen. Scored
    items have it too, with weight above and below all scores. "none" leaves these weights out.
    """
    within, seed = finite(tolerance), check_seed(seed)
    if not 1e-4 <= within <= 1:
        raise BadSetting(f"tolerance must be a share of the standard deviation, from 0.0001 to 1; got {tolerance!r}.")
    inside = getattr(data, "posterior", None)  # of a result that has one, such as a curve
    evidence: Any = inside.evidence if isinstance(inside, Posterior) else data
    if isinstance(prior, Posterior):
        return replace(prior.update(evidence), tolerance=within, seed=seed, kept={})
    return Posterior(evidence, kind_of(type(evidence)).settle_prior(evidence, prior), within, seed)
