"""The posterior of a metric given a report that several tables agree with.

Given the report and n, a table's weight is its probability before any data: the Dirichlet-multinomial of the prior
(each n of a range counts alike). Given the table the metric has its usual posterior. So the answer is a mixture of
distributions: tails and densities are weighted sums, quantiles are roots, and all is exact where the distributions
are in closed form, or a few integrals. Many integrals would take minutes: these mixtures are sampled, as are those of
sampled distributions, each draw from a table that is drawn itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from scipy import special

from howsure.arrays import Array
from howsure.catalogue import Metric, parse
from howsure.catalogue.expressions import CELLS
from howsure.distributions.continuous import Continuous
from howsure.distributions.protocol import Law, Pick
from howsure.distributions.sampled import Sampled
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.messages.notes import Note, note
from howsure.posteriors.cells import CellEstimand
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior, posterior
from howsure.posteriors.priors import make
from howsure.posteriors.routes import exact_law, values
from howsure.relations.quantities import full_name
from howsure.relations.roots import root
from howsure.results.result import real
from howsure.validate import AUTO, check_kind, check_level

DRAWS: Final = 160_000  # ends within about a fiftieth of the standard deviation, as elsewhere
FEW: Final = 4  # integrals that are mixed exactly
MOST: Final = 2_000  # tables mixed exactly; of more, this many evenly spread ones stand for their neighbours


@dataclass(frozen=True)
class Blend(Continuous):
    """A mixture of the distributions of a batch, as one distribution."""

    parts: Law  # the distribution of the batch
    weights: Array
    unimodal: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def lower(self) -> float:
        return float(self.parts.lower)

    @property
    def upper(self) -> float:
        return float(self.parts.upper)

    def rows(self, pick: Pick, shape: tuple[int, ...]) -> Blend:
        """The distribution itself: there is no batch to pick from."""
        del pick, shape
        return self

    def _mixed(self, values: Array) -> Array:
        return np.asarray(np.asarray(values) @ self.weights)

    def tails(self, t: Array, t_low: Array | float = 0.0) -> tuple[Array, Array]:
        low = t_low if np.ndim(t_low) == 0 else np.asarray(t_low)[..., None]
        below, above = self.parts.tails(np.asarray(t)[..., None], low)
        return self._mixed(below), self._mixed(above)

    def pdf(self, t: Array, t_low: Array | float = 0.0) -> Array:
        low = t_low if np.ndim(t_low) == 0 else np.asarray(t_low)[..., None]
        return self._mixed(self.parts.pdf(np.asarray(t)[..., None], low))

    def mean(self) -> Array:
        return self._mixed(self.parts.mean())

    def std(self) -> Array:
        each, spread = np.asarray(self.parts.mean()), np.asarray(self.parts.std())
        if not np.isfinite(each).all():
            return np.asarray(np.inf)
        return np.sqrt(self._mixed(spread**2 + (each - self.mean()) ** 2))

    def quantile(self, p: Array, q: Array) -> tuple[Array, Array, Array]:
        """Between the least and the greatest quantile of the parts, by the smaller tail."""
        p, q = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(q, dtype=float))
        each = np.asarray(self.parts.quantile(p[..., None], q[..., None])[0])

        def off(x: Array, p: Array, q: Array) -> Array:
            below, above = self.tails(x)
            return np.where(p <= q, below - p, q - above)

        value = root(off, each.min(axis=-1), each.max(axis=-1), p, q)
        return value, value - self.lower, self.upper - value

    def mode(self) -> Array:
        """The highest point on a fine grid."""
        ends = self.quantile(np.array([1e-4, 1 - 1e-4]), np.array([1 - 1e-4, 1e-4]))[0]
        grid = np.linspace(float(ends[0]), float(ends[1]), 1001)
        return np.asarray(grid[int(np.argmax(self.pdf(grid)))])


def over_tables(tables: Array, complete: bool, metric: str, prior: Any, seed: int) -> Distribution:
    """The posterior of a metric over whole-number tables, `complete` if there are no more of them."""
    if len(tables) == 1 and complete:
        return _of(tables[0], prior, seed)[full_name(metric) if isinstance(metric, str) else metric]
    some, weights = _spread(tables, table_weights(tables, prior))
    p = _of(some.T, prior, seed)
    parsed = parse(full_name(metric) if isinstance(metric, str) else metric)
    question = p.resolve(parsed)
    if not isinstance(question, CellEstimand):
        raise BadSetting(f"{parsed} is not a measure of a 2x2 table.")
    light, model = question.light, question.model
    exact, route = exact_law(light, model)

    def draw(size: int, with_seed: int) -> Array:
        rng = np.random.default_rng(with_seed)
        often = rng.multinomial(size, weights)
        parts = [values(light, *model.table(int(j), int(often[j]), with_seed)) for j in np.flatnonzero(often).tolist()]
        return np.asarray(rng.permutation(np.concatenate(parts)))

    law: Law
    if exact is None or (route != "closed form" and len(some) > FEW):
        known = None if exact is None else Blend(exact, weights)
        law, route = _sampled(draw(DRAWS, seed), parsed, known), "sampled"
    else:
        law = Blend(exact, weights)
    name = metric if isinstance(metric, str) else str(parsed)
    return Distribution(name, law, route, draw, parsed.unbounded, (_mixed(len(some), len(tables), complete),))


def check_asked(
    metrics: Sequence[str], prior: Any = "even", level: float = 0.95, interval: str = AUTO, seed: int = 0
) -> None:
    """Refuse what no table has a posterior of, before any table is looked for."""
    check_level(level)
    check_kind(interval)
    p = _of(np.ones(4), prior, seed)
    for name in metrics:
        p.resolve(full_name(name))


def _of(columns: Array, prior: Any, seed: int) -> Posterior:
    """The posterior of one table, or of a batch, given by tp, fp, fn and tn."""
    return posterior(Tally.binary(**dict(zip(CELLS, columns.astype(np.int64), strict=True))), prior, seed=seed)


def _mixed(used: int, total: int, complete: bool) -> Note:
    some = f"{used:,} of " if used < total else ""
    more = "" if complete else " listed (there are more)"
    return note("mixed", f"mixed over {some}{total:,} tables{more}, each weighted by its prior probability given n")


def _sampled(draws: Array, metric: Metric, known: Blend | None) -> Sampled:
    """The distribution of draws; without an upper end the moments are those known, which may be infinite."""
    low, high = metric.bounds
    moments = (known.mean(), known.std()) if known is not None and metric.unbounded else (None, None)
    return Sampled(np.sort(draws), min(low, float(draws.min())), max(high, float(draws.max())), *moments)


@dataclass(frozen=True)
class PosteriorRows:
    """Posteriors of some metrics as a document has them, and the settings that they share."""

    rows: tuple[dict[str, Any], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)  # prior, level, interval and seed


def rows_over_tables(
    tables: Array, complete: bool, metrics: Sequence[str], prior: Any, level: float, interval: str, seed: int
) -> PosteriorRows:
    """The posteriors of some metrics over whole-number tables, for a document."""
    rows = []
    weight = _of(tables[0], prior, seed).prior_document
    for name in metrics:
        d = over_tables(tables, complete, name, prior, seed)
        got = d.interval(level, kind=interval)
        about = [note.text for note in d.notes if note.code == "mixed"] or ["of the one table"]
        rows.append({
            "metric": full_name(name), "mean": real(d.mean), "std": real(d.std), "median": real(d.median),
            "low": real(got.low), "high": real(got.high), "level": level, "interval": got.kind, "prior": weight["name"],
            "route": d.route, "tables": len(tables), "about": about[0],
        })  # fmt: skip
    return PosteriorRows(tuple(rows), {"prior": weight, "level": level, "interval": interval, "seed": seed})


def table_weights(tables: Array, prior: Any = "even") -> Array:
    """The probability of each table before any data, given n; they add to 1, each n counting alike."""
    cells = make(prior).binary(1, 2)
    a = np.array([float(cells[c]) for c in CELLS])
    log = (special.gammaln(tables + a) - special.gammaln(tables + 1)).sum(axis=1)
    n = tables.sum(axis=1)
    log = log - special.gammaln(n + a.sum()) + special.gammaln(n + 1)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


def _spread(tables: Array, weights: Array) -> tuple[Array, Array]:
    """At most MOST tables; where there are more, evenly spread ones, each with its weight scaled up."""
    if len(tables) <= MOST:
        return tables, weights
    pick = np.unique(np.linspace(0, len(tables) - 1, MOST).round().astype(int))
    return tables[pick], weights[pick] / weights[pick].sum()
