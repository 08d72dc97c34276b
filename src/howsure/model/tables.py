"""Posterior: the law of the cell probabilities after the data, and a mapping from metric to Distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure import priors
from howsure.catalogue import Metric, metrics, parse
from howsure.distribution import Distribution, Note, check_draws, check_seed
from howsure.errors import BadSetting, HowsureError, NeedsPositive, listing
from howsure.expressions import CELLS
from howsure.priors import Prior
from howsure.routes import Model, Shapes, exact_law, values
from howsure.table import Tally

Array = NDArray[np.float64]

END_ERROR = 2.67  # standard error of a normal law's 2.5% point, times √n, in standard deviations
MOST_DRAWS = 2_000_000
MOST_NUMBERS = 40_000_000  # kept at a time for a batch


@dataclass(frozen=True)
class Posterior(Mapping[str, Distribution]):
    """What is known of the cells after the data; maps a metric's name to its Distribution.

    >>> p = Posterior(Tally.binary(tp=80, fp=20, fn=30, tn=870), priors.make("even"))
    >>> p["f1"]
    f1 0.759 [0.691, 0.819] 95% equal-tailed, closed form
    """

    tally: Tally
    prior: Prior
    tolerance: float = 0.02
    seed: int = 0
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source(self) -> Tally:
        """The data."""
        return self.tally

    @property
    def prior_document(self) -> dict[str, Any]:
        """Name and total weight of the prior."""
        t = self.tally
        return {"name": self.prior.name, "total": self.prior.total(max(2, len(t.labels)), t.outcome)}

    def measure(self, name: Any) -> Metric:
        """The metric of a name."""
        return parse(name)

    def point(self, metric: Any) -> Array:
        """The score of the counts themselves; NaN where it is undefined."""
        m = parse(metric)
        return np.asarray(m.score(self.counts(m)), dtype=float)

    def update(self, tally: Tally) -> Posterior:
        """The posterior after more data; the order of updates does not matter (Goutte & Gaussier, note in 3)."""
        if not isinstance(tally, Tally):
            raise BadSetting(f"update takes a Tally; got {type(tally).__name__}.")
        return replace(self, tally=self.tally + tally, _cache={})

    def system(self, name: str) -> Posterior:
        """The posterior of one system's table."""
        return replace(self, tally=self.tally.system(name), _cache={})

    # -- mapping

    def __getitem__(self, metric: Any) -> Distribution:
        key = metric if isinstance(metric, str) else str(metric)
        if isinstance(metric, str) and key in self._cache:
            return self._cache[key]  # type: ignore[no-any-return]
        found = self._distribution(parse(metric), key)
        if isinstance(metric, str):
            self._cache[key] = found
        return found

    def __contains__(self, metric: object) -> bool:
        try:
            self._model(parse(metric))  # type: ignore[arg-type]
        except HowsureError:
            return False
        return True

    def get(self, metric: str, default: Any = None) -> Any:
        """The Distribution of a metric, or the default where there is none."""
        return self[metric] if metric in self else default  # noqa: SIM401 - this is get

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    def __iter__(self) -> Iterator[str]:
        return (str(m) for m in metrics() if str(m) in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Posterior({self.tally!r}, prior={self.prior.name!r})"

    __hash__ = None  # type: ignore[assignment]

    # -- models

    def _view(self, metric: Metric) -> tuple[Tally, int] | None:
        """The 2x2 table a metric looks at and the place of its class; None for right and wrong answers of many."""
        t = self.tally
        if metric == parse("rate"):
            raise BadSetting("rate is for outcomes (hits of trials); for a table of classes ask for accuracy.")
        if metric.label is None and metric.agreement and len(t.labels) != 2:
            return None
        label = metric.label if metric.label is not None else t.positive
        if label is None and not metric.needs_positive and len(t.labels) == 2:
            label = t.labels[1]
        if label is None:
            raise NeedsPositive(_need(metric, t))
        place = t.find(label)
        same = len(t.labels) == 2 and t.positive == t.labels[place]
        return (t if same else t.versus_rest(t.labels[place])), place

    def _model(self, metric: Metric) -> Model:
        """The shapes of the cells this metric looks at."""
        if self.tally.outcome:
            return self._outcome_model(metric)
        view = self._view(metric)
        return self._agreement_model() if view is None else self._binary_model(*view)

    def _outcome_model(self, metric: Metric) -> Model:
        if not _only_hits(metric) and not metric.agreement:
            raise BadSetting(f"this tally holds outcomes, hits and misses; ask for rate, not {metric}.")
        counts = self.tally.named(effective=True)
        hit, miss = self.prior.outcome()
        zero = np.zeros(self.tally.shape)
        return Model({"tp": counts["tp"] + hit, "fn": counts["fn"] + miss, "fp": zero, "tn": zero})

    def _agreement_model(self) -> Model:
        right, wrong = self.tally.right_wrong()
        w_right, w_wrong = self.prior.right_wrong(len(self.tally.labels))
        if self.prior.two_level and len(self.tally.labels) > 2:
            raise BadSetting("accuracy of many classes under a two-level prior comes with the many-class measures.")
        zero = np.zeros(self.tally.shape)
        return Model({"tp": right + w_right, "fp": wrong + w_wrong, "fn": zero, "tn": zero})

    def _binary_model(self, t: Tally, place: int) -> Model:
        counts = t.named(effective=True)
        weights = self.prior.binary(place, len(self.tally.labels), self._positive_place)
        cells = {c: np.asarray(counts[c] + weights[c], dtype=float) for c in CELLS}
        if not self.prior.two_level:
            return Model(cells)
        assert self.prior.between is not None  # noqa: S101 - narrows the type
        yes = counts["tp"] + counts["fn"] + self.prior.between
        no = counts["fp"] + counts["tn"] + self.prior.between
        return Model(cells, (np.asarray(yes), np.asarray(no)))

    @property
    def _positive_place(self) -> int:
        t = self.tally
        return 1 if t.positive is None else t.find(t.positive)

    def counts(self, metric: str | Metric) -> Shapes:
        """The raw counts that the metric's point score is computed from."""
        t = self.tally
        if t.outcome:
            return t.named()
        view = self._view(parse(metric))
        if view is not None:
            return view[0].named()
        right, wrong = t.right_wrong(effective=False)
        zero = np.zeros_like(right)
        return {"tp": right, "fp": wrong, "fn": zero, "tn": zero}

    # -- distributions

    def _distribution(self, metric: Metric, shown: str) -> Distribution:
        model = self._model(metric)
        if self.tally.outcome and not _only_hits(metric):  # right and wrong answers, as accuracy names them
            model = Model({**model.cells, "fp": model.cells["fn"], "fn": model.cells["fp"]})
        law, route = exact_law(metric, model)
        sampler = Sampler(self, metric, model)
        notes = self._notes()
        if law is None:
            law = self._sampled_law(metric, sampler)
            route = "sampled"
        return Distribution(shown, law, route, sampler, metric.unbounded, notes)

    def _notes(self) -> tuple[Note, ...]:
        notes = [Note(code, text) for code, text in self.tally.notes]
        if self.tally.weighted:
            notes.append(Note("weighted", _WEIGHTED))
        if not self.tally.shape and not self.tally.counts.any():
            notes.append(Note("no-data", "the table is empty: these are the prior's own numbers"))
        return tuple(notes)

    def _table(self, metric: Metric, model: Model, j: int, n: int, seed: int) -> tuple[Shapes, Shapes | None]:
        """Draws of the cells of one table; those of a single table are kept for the metrics that share them."""
        if model.shape:
            return model.table(j, n, seed)
        folded = metric.agreement and len(self.tally.labels) != 2
        key = ("draws", metric.label, folded or (self.tally.outcome and not _only_hits(metric)))
        kept = self._cache.get(key)
        if kept is None or kept[0] != (n, seed):
            kept = self._cache[key] = ((n, seed), model.table(j, n, seed))
        return kept[1]

    def _sampled_law(self, metric: Metric, sampler: Callable[[int, int], Array]) -> Any:
        """As many draws as keep equal-tailed ends within the tolerance, three standard errors counted."""
        from howsure.kernels.sampled import Sampled

        tables = max(1, int(np.prod(self.tally.shape, dtype=int)))
        most = max(10_000, min(MOST_DRAWS, MOST_NUMBERS // tables))
        n = min(most, int(np.ceil((3 * END_ERROR / self.tolerance) ** 2)))
        while True:
            draws = sampler(n, self.seed)
            low, high = metric.bounds  # found on a grid for such formulas: the draws may know better
            law = Sampled(np.sort(draws, axis=0), min(low, float(draws.min())), max(high, float(draws.max())))
            with np.errstate(divide="ignore", invalid="ignore"):
                worst = max(float(np.max(law.quantile_error(p) / law.std())) for p in (0.025, 0.975))
            if worst <= self.tolerance * 1.05 or n >= most or not np.isfinite(worst):
                return law
            n = int(min(most, n * max(1.3, 1.1 * (worst / self.tolerance) ** 2)))

    def draws(self, n: int, *, seed: int = 0) -> dict[str, Array]:
        """n joint draws of the cell probabilities tp, fp, fn, tn (outcomes: tp, fn), each of shape (n, *batch).

        Independent posteriors need different seeds: with the same one their draws go together.
        """
        check_draws(n)
        check_seed(seed)
        name = "rate" if self.tally.outcome else "phi"
        model = self._model(parse(name))
        tables = [model.table(j, int(n), seed)[0] for j in range(model.size())]
        used = ("tp", "fn") if self.tally.outcome else CELLS
        return {c: np.stack([x[c] for x in tables], axis=-1).reshape(n, *model.shape) for c in used}


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws of one measure of a posterior."""

    posterior: Posterior
    metric: Metric
    model: Model

    def __call__(self, n: int, seed: int) -> Array:
        m, p = self.model, self.posterior
        columns = [values(self.metric, *p._table(self.metric, m, j, n, seed)) for j in range(m.size())]
        return np.stack(columns, axis=-1).reshape(n, *m.shape)


def _only_hits(metric: Metric) -> bool:
    """Whether it is the rate, or a user's own formula of tp and fn alone."""
    if metric == parse("rate"):
        return True
    return metric not in metrics() and {str(x.value) for x in metric.formula.walk() if x.op == "cell"} <= {"tp", "fn"}


_WEIGHTED = (
    "weighted items: the posterior uses counts times the sum of weights over the sum of squared weights "
    "(Kish's effective sample size)"
)


def _need(metric: Metric, t: Tally) -> str:
    if len(t.labels) == 2:
        a, b = t.labels
        return (
            f"{metric} needs a positive class: {a!r} or {b!r}. Give positive=, or ask for {metric}:{b} "
            f"(or {metric}:{a})."
        )
    return (
        f"{metric} of {len(t.labels)} classes needs a class: ask for {metric}:{t.labels[0]} "
        f"(classes: {listing(t.labels)})."
    )


def of_table(tally: Tally, prior: Any, tolerance: float, seed: int) -> Posterior:
    """The posterior of a tally under a prior, or after an earlier Posterior."""
    if isinstance(prior, Posterior):
        return replace(prior.update(tally), tolerance=tolerance, seed=seed)
    return Posterior(tally, priors.make(prior), tolerance, seed)
