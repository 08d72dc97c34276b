"""A choice of a threshold, tried again: how much better a measure looks where it was chosen than it is.

`folds`: the items are dealt into fifths, the threshold is chosen on four of them and tried on the last, each in turn,
and what the fifths show is one table; the mean of the tables of many deals is that of a threshold chosen on other
items than it is tried on. `resample`: populations are drawn from the posterior, a sample of the same size from each,
the threshold is chosen on the sample, and the measure there is read off both; sample minus population is the optimism
(Efron 1983, with a posterior in place of the data). A drawn population is as rugged as the items, and a threshold
follows its ruggedness: about half of the optimism is not found. `split`: the threshold is chosen on a random half of
the items and tried on the other, many times; half as many items make for more optimism than there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.errors import BadSetting
from howsure.evidence.scored import Scored
from howsure.kernels import ranked
from howsure.kernels.draws import generator
from howsure.kernels.ranked import Cuts
from howsure.model.class_draws import logit
from howsure.model.posterior import Posterior
from howsure.model.score_draws import score_draws
from howsure.ranking.limits import Sure

Array = NDArray[np.float64]

CORRECTIONS: Final = ("folds", "resample", "split", "none")
DRAWS: Final = 2_000  # of populations and samples, at the usual tolerance
USUAL: Final = 0.02
BUDGET: Final = 40_000_000  # items in them
CHUNK: Final = 2_000_000  # of them at a time
FOLDS: Final = 5
DEALS: Final = 20  # at least
DEALT: Final = 4_000_000  # items in the deals beyond one in twenty of the draws
HALF: Final = 7_919
ENOUGH: Final = 50  # trials that have a value


@dataclass(frozen=True)
class Pick:
    """The best cut for a measure among those that keep the limits: its value there, and which cut it is."""

    metric: Metric
    sign: float
    limits: tuple[tuple[Metric, float, float], ...]
    sure: Sure | None = None  # limits beyond the items

    def __call__(self, c: Cuts, squares: Cuts | None = None) -> tuple[Array, NDArray[np.intp]]:
        kept = self.plainly(c)
        if self.sure is not None:
            kept &= self.sure(c, squares)
        return ranked.choose(c, self.metric.formula, self.sign, kept)

    def plainly(self, c: Cuts) -> NDArray[np.bool_]:
        """Which cuts keep the limits on the items."""
        return ranked.keeping(c, [(m.formula, side, value) for m, side, value in self.limits])

    def among(self, d: Scored, amounts: Array) -> tuple[Array, NDArray[np.intp]]:
        """The best cut for some of the items, each row of amounts for itself."""
        squares = None if self.sure is None or d.squares is None else cuts_of(d, d.squares * (amounts > 0))
        return self(cuts_of(d, amounts), squares)


@dataclass(frozen=True, eq=False)
class Trial:
    """How much better the measure looks than it is, three standard errors of that, and the move it asks for."""

    optimism: float = 0.0
    error: float = 0.0
    shift: float = 0.0  # of logits, where the measure has a range
    further: float = 0.0  # that move, with three standard errors more of optimism
    cells: Array | None = None  # tn, fp, fn, tp of items that the threshold was not chosen on
    squares: Array | None = None  # sums of their squared weights, where they have weights
    spread: Array | None = None  # how the cells change with three standard errors of the measure
    trials: int = 0


def draws(p: Posterior) -> int:
    """How often a choice is tried: for the tolerance, within the budget."""
    wanted = DRAWS * (USUAL / p.tolerance) ** 2
    return int(max(200, min(wanted, BUDGET // p.evidence.rows)))


def tried(p: Posterior, pick: Pick, how: str, score: float) -> Trial:
    """The choice made again, in this way."""
    if how == "none":
        return Trial()
    if how == "folds":
        return _folds(p, pick, score)
    n = draws(p)
    whole = p.evidence.clusters is not None  # clusters are resampled whole, as they are everywhere
    alone = how == "resample" and not whole
    seen, true = _resampled(p, pick, n) if alone else _elsewhere(p, pick, n, how)
    kept = np.isfinite(seen) & np.isfinite(true)
    if kept.sum() < ENOUGH:
        _refuse(pick, int(kept.sum()), n)
    gap, before, after = seen[kept] - true[kept], float(seen[kept].mean()), float(true[kept].mean())
    error = float(3.0 * gap.std() / np.sqrt(gap.size))
    shift, further = (_shift(p, pick.metric, before, after - x) for x in (0.0, error))
    return Trial(float(gap.mean()), error, shift, further, trials=gap.size)


def _refuse(pick: Pick, kept: int, n: int) -> None:
    raise BadSetting(f"too few items to try a choice of {pick.metric} again: only {kept} of {n} trials have one.")


def _shift(p: Posterior, m: Metric, seen: float, true: float) -> float:
    low, high = m.bounds
    if not np.isfinite(high - low):
        return seen - true
    size = float(p.evidence.effective.sum())
    edge = (high - low) * min(0.25, 0.5 / size)  # half an item: logits stay finite
    one, two = (logit(np.asarray(np.clip(x, low + edge, high - edge)), m.bounds) for x in (seen, true))
    return float(one - two)


def _generator(p: Posterior, *more: int) -> np.random.Generator:
    """A stream of these scores, which follows how they order the items."""
    return generator(p.seed, HALF, score_draws(p).key, *more)


# -- folds


def _folds(p: Posterior, pick: Pick, score: float) -> Trial:
    """All fifths of many deals, each tried with the threshold of the others."""
    d = p.evidence if p.evidence.weighted else p.evidence.tidy
    rng = _generator(p, FOLDS)
    deals = max(DEALS, draws(p) // (4 * FOLDS), min(draws(p) // 4, DEALT // (FOLDS * d.rows)))
    cells, kept = np.zeros((deals, 2, 4)), 0
    for k in range(deals):
        held = _dealt(d, rng)
        cut = pick.among(d, d.amounts - held)[1]
        kept += int((cut > -2).sum())
        parts = [held] if d.squares is None else [held, d.squares * (held > 0)]
        for i, part in enumerate(parts):
            cells[k, i] = _table(cuts_of(d, part), cut)
    if kept < ENOUGH:
        _refuse(pick, kept, deals * FOLDS)
    found = cells[cells[:, 0].sum(axis=1) > 0]
    found *= float(d.totals) / found[:, 0].sum(axis=1)[:, None, None]
    found, squares = found[:, 0], None if d.squares is None else found[:, 1].mean(axis=0)
    with np.errstate(all="ignore"):
        each, all_of = (_value(pick.metric, x) for x in (found, found.mean(axis=0)))
    if not np.isfinite(all_of):
        _refuse(pick, 0, deals * FOLDS)
    good = np.isfinite(each)
    error, spread = _spread(found[good], each[good])
    true = float(all_of)
    shift, further = (_shift(p, pick.metric, score, true - x) for x in (0.0, error))
    return Trial(score - true, error, shift, further, found.mean(axis=0), squares, spread, len(found))


def _spread(cells: Array, values: Array) -> tuple[float, Array]:
    """Three standard errors of the mean of values, and how the mean of the cells changes with them."""
    if not values.size or not values.std() > 0:
        return 0.0, np.zeros(4)
    scale = 3.0 / np.sqrt(values.size)
    along = (values - values.mean()) @ (cells - cells.mean(axis=0)) / (values.size * values.std())
    return float(scale * values.std()), np.asarray(scale * along)


def cuts_of(d: Scored, amounts: Array) -> Cuts:
    """The items with these amounts, a row each."""
    return Cuts.weigh(d.orders[0], amounts[:, d.truth], amounts[:, ~d.truth])


def _table(c: Cuts, cut: NDArray[np.intp]) -> Array:
    """tn, fp, fn, tp of all folds that have a threshold, each at its own."""
    tp, fp = c.at(cut)
    return np.asarray(np.stack([c.negatives - fp, fp, c.positives - tp, tp])[:, cut > -2].sum(axis=1))


def _value(m: Metric, cells: Array) -> Array:
    tn, fp, fn, tp = np.moveaxis(cells, -1, 0)
    return np.asarray(m.formula(tp=tp, fp=fp, fn=fn, tn=tn), dtype=float)


def _dealt(d: Scored, rng: np.random.Generator) -> Array:
    """Amounts of the rows in each fifth, (5, rows): items of either class dealt out evenly, or whole clusters."""
    if d.clusters is not None:
        fold = rng.permutation(int(d.clusters.max()) + 1) % FOLDS
        return np.asarray(d.amounts * (fold[d.clusters] == np.arange(FOLDS)[:, None]))
    out = np.zeros((FOLDS, d.rows))
    for mask in (d.truth, ~d.truth):
        (rows,) = np.nonzero(mask)
        if d.counts is not None and not d.weighted:
            out[:, rows] = _dealt_counts(d.amounts[rows].astype(np.int64), rng)
            continue
        fold = (rng.permutation(rows.size) + rng.integers(FOLDS)) % FOLDS
        out[fold, rows] = d.amounts[rows]
    return out


def _dealt_counts(counts: NDArray[np.int64], rng: np.random.Generator) -> Array:
    """Rows that stand for many items each, dealt out an item at a time."""
    total, left = int(counts.sum()), counts.copy()
    sizes = np.diff((np.arange(FOLDS + 1) * total + int(rng.integers(FOLDS))) // FOLDS)
    out = np.zeros((FOLDS, len(counts)))
    for k, size in enumerate(sizes[:-1].tolist()):
        out[k] = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= out[k].astype(np.int64)
    out[-1] = left
    return out


# -- samples and halves


def _resampled(p: Posterior, pick: Pick, n: int) -> tuple[Array, Array]:
    """The measure on samples from drawn populations, and in these, at the threshold of the sample."""
    size = float(p.evidence.effective.sum())

    def again(c: Cuts) -> Array:
        # chunks run in threads: each takes its stream from its own random weights
        rng = np.random.Generator(np.random.SFC64([p.seed, int(c.positives[:1].view(np.uint64)[0])]))
        sample = ranked.resampled(c, size, rng)
        seen, cut = pick(sample)
        return np.stack([seen, ranked.value_at(c, pick.metric.formula, cut)])

    seen, true = score_draws(p).through(again, n, p.seed + 1)[0]
    return seen, true


def _elsewhere(p: Posterior, pick: Pick, n: int, how: str) -> tuple[Array, Array]:
    """The measure on the items that the threshold was chosen on, and on others: n times."""
    d = p.evidence
    rng = _generator(p)
    seen, true = [], []
    size = max(1, min(n, CHUNK // d.rows))
    for start in range(0, n, size):
        parts = _halves(d, min(size, n - start), rng) if how == "split" else _clusters(d, min(size, n - start), rng)
        value, cut = pick.among(d, parts[0])
        seen.append(value)
        true.append(ranked.value_at(cuts_of(d, parts[1]), pick.metric.formula, cut))
    return np.concatenate(seen), np.concatenate(true)


def _halves(d: Scored, many: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Weights of a random half of the items (or clusters), and of the other half."""
    if d.clusters is None and d.counts is not None and not d.weighted:
        one = rng.binomial(d.amounts.astype(np.int64), 0.5, (many, d.rows)).astype(float)
        return one, d.amounts - one
    units = d.rows if d.clusters is None else int(d.clusters.max()) + 1
    coin = rng.random((many, units)) < 0.5
    one = d.amounts * (coin if d.clusters is None else coin[:, d.clusters])
    return one, d.amounts - one


def _clusters(d: Scored, many: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Weights of a sample of whole clusters, and of the population it is from, drawn by the Bayesian bootstrap."""
    of = np.asarray(d.clusters)
    shares = rng.standard_exponential((many, int(of.max()) + 1))
    shares /= shares.mean(axis=1, keepdims=True)
    return d.amounts * rng.poisson(shares)[:, of], d.amounts * shares[:, of]
