"""Scored items under the Bayesian bootstrap (Rubin 1981), with a little prior weight above and below all scores.

The prior puts its weight a cell on each of four patterns, positive or negative, scored above all or below all. So at
every threshold the 2x2 table has exactly the posterior that it has alone, with that weight in each cell: a measure at a
threshold is closed, and a curve, its area and its break-even point come from draws of the same model. For systems on
the same items a joint pattern carries w·w/(2w) …, so that each system's own posterior is the same whether or not it is
compared. Weight 0 is the plain Bayesian bootstrap.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure import priors
from howsure.catalogue.retrieval import DEFAULT, Ranking, parse
from howsure.distribution import Distribution, Note, check_draws, check_seed
from howsure.errors import BadSetting, HowsureError, listing
from howsure.kernels.delong import delong
from howsure.kernels.ranked import Cuts
from howsure.kernels.sampled import Sampled
from howsure.kernels.sticks import sticks
from howsure.model.export import to_arviz
from howsure.model.tables import END_ERROR, Posterior
from howsure.model.thresholds import tally_at
from howsure.scored import Scored

Array = NDArray[np.float64]

CHUNK: Final = 1 << 18  # weights drawn at a time, by each thread
BUDGET: Final = 40_000_000  # weights drawn for one answer
MOST_ITEMS: Final = 2_000_000  # for DeLong's interval
LEAST: Final = 1_000  # draws, however many items
FEW_SYSTEMS: Final = 6  # up to here the prior's joint patterns are listed
LEFT: Final = 1e-6  # of the prior's mass, for its last atom
STREAM: Final = 30_011


@dataclass(frozen=True)
class Ranked(Mapping[str, Distribution]):
    """What is known of a ranking by scores; maps a measure's name to its Distribution.

    >>> truth, scores = np.array([True, True, False, True, False]), np.array([[0.9], [0.8], [0.7], [0.6], [0.2]])
    >>> Ranked(Scored(truth, scores))["recall@0.5"]
    recall@0.5 0.875 [0.464, 0.99985] 95% equal-tailed, closed form
    """

    data: Scored
    weight: float = 0.5
    prior_name: str = "even"
    tolerance: float = 0.02
    seed: int = 0
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source(self) -> Scored:
        """The data."""
        return self.data

    @property
    def prior_document(self) -> dict[str, Any]:
        """Name and total weight of the prior."""
        return {"name": self.prior_name, "total": 4.0 * self.weight}

    def update(self, items: Scored) -> Ranked:
        """The posterior after more items."""
        return replace(self, data=self.data + items, _cache={})

    def system(self, name: str) -> Ranked:
        """The posterior of one system."""
        key = ("system", name)
        if key not in self._cache:
            self._cache[key] = replace(self, data=self.data.system(name), _cache={})
        return self._cache[key]  # type: ignore[no-any-return]

    def chosen(self, *names: str) -> Ranked:
        """The joint posterior of these systems."""
        return replace(self, data=self.data.chosen(*names), _cache={})

    def measure(self, name: Any) -> Ranking:
        """The measure of a name."""
        return parse(name)

    # -- mapping

    def __getitem__(self, metric: Any) -> Distribution:
        self._single()
        m = parse(metric)
        if m not in self._cache:
            self.prepare([m])
        found: Distribution = self._cache[m]
        return found if str(metric) == found.name else replace(found, name=str(metric))

    def __contains__(self, metric: object) -> bool:
        try:
            parse(metric)
        except HowsureError:
            return False
        return len(self.data.systems) == 1

    def get(self, metric: str, default: Any = None) -> Any:
        """The Distribution of a measure, or the default where there is none."""
        return self[metric] if metric in self else default  # noqa: SIM401 - this is get

    def __iter__(self) -> Iterator[str]:
        return iter(DEFAULT)

    def __len__(self) -> int:
        return len(DEFAULT)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}

    def __repr__(self) -> str:
        return f"Ranked({self.data!r}, prior={self.prior_name!r})"

    __hash__ = None  # type: ignore[assignment]

    def _single(self) -> None:
        if len(self.data.systems) != 1:
            raise BadSetting(
                f"these scores are of {len(self.data.systems)} systems, {listing(self.data.systems)}: take one, "
                f"posterior.system({self.data.systems[0]!r}), or name two to compare."
            )

    # -- points and laws

    def point(self, metric: Any) -> Array:
        """The measure of the items themselves; NaN where it is undefined."""
        self._single()
        return np.asarray(parse(metric).evaluate(self._point_cuts[0])[0])

    @cached_property
    def _point_cuts(self) -> tuple[Cuts, ...]:
        """The cuts of each system, with the items' own weights."""
        amounts, truth = self.data.amounts[None], self.data.truth
        yes, no = amounts[:, truth], amounts[:, ~truth]
        return tuple(Cuts.weigh(order, yes, no, relevant=self._relevant) for order in self.data.orders)

    def _bin_note(self, m: Ranking) -> str:
        """How far a measure of bins can be from that of the scores."""
        worst = np.nan if m.bound is None else max(float(m.bound(c)[0]) for c in self._point_cuts)
        if not np.isfinite(worst):
            return f"{m} is that of {self.data.bins:,} bins of scores; there is no bound for its distance from theirs"
        unit = 10.0 ** np.floor(np.log10(worst)) if worst > 0 else 1.0
        shown = f"{np.ceil(worst / unit) * unit:.2g}"  # rounded up: it is a bound
        return f"{m} of {self.data.bins:,} bins of scores is within {shown} of that of the scores themselves"

    def prepare(self, metrics: Iterable[Any]) -> None:
        """Compute the laws of several measures from one pass of draws."""
        wanted = [m for m in dict.fromkeys(parse(x) for x in metrics) if m not in self._cache]
        for m in [m for m in wanted if self._closed(m)]:
            self._cache[m] = self._table_law(m)
        drawn = [m for m in wanted if m not in self._cache]
        if not drawn:
            return
        values = self.joint_draws(drawn, self.number_of_draws, self.seed)
        for m, x in zip(drawn, values, strict=True):
            self._cache[m] = self._sampled(m, x[:, 0])

    def _closed(self, m: Ranking) -> bool:
        """Whether it is a measure of the table at a threshold, which has a law of its own."""
        return m.threshold is not None and self.weight > 0 and self.data.clusters is None

    def _table_law(self, m: Ranking) -> Distribution:
        assert m.threshold is not None  # noqa: S101 - narrows the type
        t = tally_at(self.data, [m.threshold])
        t = replace(t, counts=t.counts[0], squares=None if t.squares is None else t.squares[0], batch=())
        found = Posterior(t, priors.make(self.prior_name), self.tolerance, self.seed)[m.base]
        notes = found.notes if self.data.weighted else self._notes(m)
        return replace(found, name=str(m), sampler=self._sampler(m), notes=notes)

    def _sampled(self, m: Ranking, draws: Array) -> Distribution:
        self._refuse_draws(f"{m} is", draws)
        low, high = m.bounds
        law = Sampled(np.sort(draws), min(low, float(draws.min())), max(high, float(draws.max())), self._known_mean(m))
        return Distribution(str(m), law, "sampled", self._sampler(m), m.unbounded, self._notes(m))

    def _refuse_draws(self, what: str, draws: Array) -> None:
        """Draws that make no law: all the same, or 0/0."""
        advice = "ask for another point or measure" if self.weight else "use the prior even"
        lost = float((~np.isfinite(draws)).mean())
        if lost:
            raise BadSetting(f"{what} 0/0 or infinite in {lost:.3g} of the draws of the items; {advice}.")
        low, high = np.quantile(draws, [0.001, 0.999])
        if low == high:
            raise BadSetting(
                f"{what} {low:g} however the items are resampled: they cannot tell how sure that is; {advice}."
            )

    def _known_mean(self, m: Ranking) -> Array | None:
        """AUC is bilinear in two independent Dirichlet weights: its mean is that of their means."""
        if m != parse("auc") or self.data.clusters is not None:
            return None
        d = self.data.tidy
        shapes = d.effective[None]
        prior = np.full((1, 4), self.weight)
        return np.asarray(m.evaluate(Cuts.weigh(d.orders[0], shapes[:, d.truth], shapes[:, ~d.truth], prior))[0])

    def _sampler(self, m: Ranking) -> Sampler:
        return Sampler(self, m, self.number_of_draws)

    def _notes(self, m: Ranking) -> tuple[Note, ...]:
        notes = [Note(code, text) for code, text in self.data.notes]
        if m.about:
            notes.append(Note("rule", m.about))
        if self.weight and m.name.endswith(("@recall=1", "@miss-rate=0")):
            notes.append(Note("full-recall", FULL_RECALL))
        if self.data.bins:
            notes.append(Note("bins", self._bin_note(m)))
        if m.best_of:
            notes.append(Note("best-of-many", f"{m} {_BEST_OF}"))
        if m == parse("auc"):
            notes += self._delong_note
        if self.data.weighted:
            notes.append(Note("weighted", _WEIGHTED))
        if self.data.clusters is not None:
            many = int(self.data.clusters.max()) + 1
            notes.append(Note("clusters", f"whole clusters are resampled: {many:,} of them"))
        return tuple(notes)

    def delong(self) -> tuple[Array, Array] | None:
        """The AUC of each system and their covariance by DeLong's method, as a check; None where it does not apply."""
        d = self.data
        few = min(d.positives, d.negatives) < 2
        if d.weighted or d.clusters is not None or few or d.n > MOST_ITEMS or d.bins:
            return None
        if d.counts is None:
            return delong(d.truth, d.scores)
        times = d.counts.astype(np.int64)
        return delong(np.repeat(d.truth, times), np.repeat(d.scores, times, axis=0))

    @property
    def _delong_note(self) -> list[Note]:
        """DeLong's interval of one AUC, or of the difference of two."""
        found = self.delong()
        if found is None or len(self.data.systems) > 2:
            return []
        auc, covariance = found
        side = np.array([1.0]) if auc.size == 1 else np.array([1.0, -1.0])
        value, error = float(side @ auc), float(np.sqrt(max(0.0, side @ covariance @ side)))
        (name, *others) = self.data.systems
        what = " of the difference" if others else "" if name == "system" else f" of {name}"
        low, high = value - 1.959963984540054 * error, value + 1.959963984540054 * error
        text = (
            f"DeLong's 95% interval{what}, for a check: {value:.3f} [{low:.3f}, {high:.3f}], standard error {error:.2g}"
        )
        if error == 0.0:
            text = f"DeLong's standard error{what} is 0 here: no interval"
        return [Note("delong", text)]

    # -- draws

    @property
    def number_of_draws(self) -> int:
        """Draws that keep equal-tailed ends within the tolerance, as far as the budget goes."""
        wanted = int(np.ceil((3 * END_ERROR / self.tolerance) ** 2))
        return min(wanted, max(LEAST, BUDGET // (self._units.rows * len(self.data.systems))))

    @cached_property
    def _units(self) -> Scored:
        """What is resampled, in an order of its own."""
        return self.data.tidy

    @cached_property
    def _relevant(self) -> float:
        return float(self.data.effective[self.data.truth].sum())

    def draws(self, n: int, *, seed: int = 0, metrics: Any = DEFAULT) -> dict[str, Array]:
        """n joint draws of measures, each of shape (n,), or (n, systems) for several."""
        names = [metrics] if isinstance(metrics, (str, Ranking)) else list(metrics)
        values = self.joint_draws([parse(x) for x in names], check_draws(n), check_seed(seed))
        single = len(self.data.systems) == 1
        return {str(name): x[:, 0] if single else x for name, x in zip(names, values, strict=True)}

    def joint_draws(self, metrics: list[Ranking], n: int, seed: int) -> list[Array]:
        """n draws of each measure for every system, (n, systems), all from the same weights of the items."""
        parts = self.through(lambda c: np.stack([m.evaluate(c) for m in metrics]), n, seed)
        return list(parts.transpose(1, 2, 0))

    def through(self, function: Any, n: int, seed: int) -> Array:
        """function(cuts) of every system at n draws of the weights, its last axis the draws: (systems, …, n).

        Chunks of draws have streams of their own, so the numbers do not depend on the number of threads; the first
        draws of a longer run are those of a shorter one.
        """
        size = max(1, min(4096, CHUNK // self._units.rows))
        starts = range(0, n, size)

        def one(k: int) -> Array:
            many = min(size, n - k * size)
            prior = self._prior(np.random.Generator(np.random.SFC64([seed, STREAM + 1, k])), size)[:many]
            with np.errstate(divide="ignore", invalid="ignore"):  # a class of next to no weight: the laws refuse it
                return np.stack([function(c) for c in self._cuts(many, seed, k, prior)])

        if len(starts) == 1:
            return one(0)
        with ThreadPoolExecutor(_cores()) as pool:
            return np.concatenate(list(pool.map(one, range(len(starts)))), axis=-1)

    def _cuts(self, n: int, seed: int, k: int, prior: Array) -> Iterator[Cuts]:
        """The k-th chunk of draws: the weights at the cuts of each system."""
        d = self._units
        mass = self._mass(np.random.Generator(np.random.SFC64([seed, STREAM, k])), n)
        yes = int(d.truth.sum())
        split = bool(d.truth[:yes].all())
        positive, negative = (mass[:, :yes], mass[:, yes:]) if split else (mass[:, d.truth], mass[:, ~d.truth])
        for s, order in enumerate(d.orders):
            yield Cuts.weigh(order, positive, negative, prior[:, s], self._relevant)

    def _mass(self, rng: np.random.Generator, n: int) -> Array:
        """Weights of the rows: Gammas of what they stand for, or whole clusters."""
        d = self._units
        if d.clusters is not None:
            groups = rng.standard_exponential((n, int(d.clusters.max()) + 1))
            return np.asarray(groups[:, d.clusters] * (d.amounts / d.amounts.mean()))
        shapes = d.effective
        if d.counts is None:
            return rng.standard_exponential((n, d.rows))
        return rng.standard_gamma(shapes, (n, d.rows))

    def _prior(self, rng: np.random.Generator, n: int) -> Array:
        """Prior weights (draws, systems, 4): positive above and below, negative above and below."""
        systems = len(self.data.systems)
        out = np.zeros((n, systems, 4))
        if self.weight == 0:
            return out
        for y in (0, 1):
            if systems <= FEW_SYSTEMS:
                sides = np.array(list(product((True, False), repeat=systems)))
                mass = rng.standard_gamma(2.0 * self.weight / len(sides), (n, len(sides)))
                out[:, :, 2 * y], out[:, :, 2 * y + 1] = mass @ sides, mass @ ~sides
                continue
            total = 2.0 * self.weight
            mass = (sticks(rng, np.array([total]), n, LEFT)[0] * rng.standard_gamma(total, n)).T
            above = rng.random((*mass.shape, systems)) < 0.5
            for side, here in enumerate((above, ~above)):
                out[:, :, 2 * y + side] = np.einsum("nk,nks->ns", mass, here)
        return out

    def difference(self, metric: Any) -> Distribution:
        """The law of the difference of two systems on the same items."""
        m = parse(metric)
        first, second = self.data.systems
        (x,) = self.joint_draws([m], self.number_of_draws, self.seed)
        with np.errstate(invalid="ignore"):
            gap = x[:, 0] - x[:, 1]
        self._refuse_draws(f"on {m} {first} and {second} differ by", gap)
        low, high = m.bounds
        law = Sampled(np.sort(gap), low - high, high - low)
        sampler = Sampler(self, m, self.number_of_draws, np.subtract)
        return Distribution(f"difference of {m}", law, "sampled", sampler, notes=self._notes(m))

    def to_arviz(self, metrics: Any = None, *, draws: int = 1000, chains: int = 4, seed: int = 0) -> Any:
        """Independent draws of measures as ArviZ's InferenceData, with dimensions chain and draw (extra `arviz`)."""
        return to_arviz(self, list(self) if metrics is None else metrics, draws, chains, seed)


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws of one measure, or of two systems' measures combined; `most` is what the budget allows."""

    posterior: Ranked
    metric: Ranking
    most: int
    combine: Any = None

    def __call__(self, n: int, seed: int) -> Array:
        (x,) = self.posterior.joint_draws([self.metric], n, seed)
        return np.asarray(x[:, 0] if self.combine is None else self.combine(x[:, 0], x[:, 1]))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def of_scores(data: Scored, prior: Any, tolerance: float, seed: int) -> Ranked:
    """The posterior of scored items under a prior that treats cells alike."""
    if isinstance(prior, str) and prior.strip().lower() == "none":
        return Ranked(data, 0.0, "none", tolerance, seed)
    made = priors.make(prior)
    if made.two_level or made.table is not None:
        raise BadSetting(
            f"scores take a prior with one weight for every cell: even, none or a number; got {made.name}."
        )
    weight = 0.5 if made.weight is None else made.weight
    return Ranked(data, float(weight), made.name, tolerance, seed)


FULL_RECALL: Final = (
    "at recall 1 the prior's weight below all scores is found too: the interval is that of calling every item "
    "positive; prior none is about these items' scores alone"
)
_BEST_OF = (
    "is the best of all thresholds of these items, and so too good: in most simulated tests 95% intervals of max-f1 "
    "held the true value 84 to 92% of the time (docs/coverage.md); curve.choose and --best correct for the choice"
)
_WEIGHTED = (
    "weighted items: the posterior uses counts times the sum of weights over the sum of squared weights "
    "(Kish's effective sample size)"
)
