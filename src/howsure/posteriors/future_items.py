"""The next items: exact laws of the score that they will show where it is a quotient of few groups, draws otherwise.

Items to come are exchangeable with those seen: given the shares of a population, of which the posterior knows, the next
n are a multinomial; over the posterior they are Pólya's urn. Draws are of the shares first, then of n items from these,
then of the score of those items, as the score of data is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Mask
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.metric import Metric
from howsure.distributions.future_counts import Group, UrnQuotient
from howsure.distributions.future_scores import DrawnScores, multinomials, next_sums
from howsure.distributions.sampling import generator
from howsure.distributions.stretched import Stretch
from howsure.errors import BadSetting, plural
from howsure.posteriors.estimand import NextScore
from howsure.posteriors.paired import NAMES, Answers
from howsure.posteriors.sampling import GROWN, apart
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.posteriors.routes import Model


Shapes = dict[str, Array]
Sampler = Callable[[int, int], Array]  # draws and a seed to scores, NaN where they are undefined
Groups = Mapping[tuple[float, float], Array]  # what an item adds above and below the line, and the shape

STREAM: Final = 90_007
MOST_OF_TWO, MOST_OF_THREE = 1_000_000, 20_000  # items up to which two and three groups are summed exactly
NUMBERS: Final = 20_000_000  # drawn at most, where items or clusters are drawn one by one
LEAST_DRAWS: Final = 2_000
LEAST_WEIGHT: Final = 0.02  # of all items seen, where a stretch would leave none
MOST_TURNS: Final = 1_000
OTHER_SEED: Final = 1_000_000_007  # independent systems are drawn from other streams
_EXACT_BITS: Final = 2.0**20  # coefficients that are multiples of 1 over this have exact sums


# -- exact


def urn_of(groups: Groups, n: int) -> UrnQuotient | None:
    """The exact law of a quotient of the counts of two groups, or of three of which one is outer; None otherwise."""
    used = {k: np.asarray(x, dtype=float) for k, x in groups.items() if np.any(x)}
    parts = [Group(x, top, bottom) for (top, bottom), x in used.items() if top or bottom]
    silent = used.get((0.0, 0.0))
    if any(g.bottom <= 0 for g in parts) or not all((_EXACT_BITS * c).is_integer() for k in used for c in k):
        return None
    parts.sort(key=lambda g: g.top / g.bottom)
    if len(parts) == 2 and n <= (MOST_OF_TWO if silent is None else MOST_OF_THREE):
        outer = None if silent is None else Group(silent, 0.0, 0.0)
        return UrnQuotient(n, parts[1], parts[0], outer)
    if len(parts) == 3 and silent is None and n <= MOST_OF_THREE and len({g.bottom for g in parts}) == 1:
        return UrnQuotient(n, parts[2], parts[0], parts[1])
    return None


def urn_of_cells(metric: Metric, cells: Shapes, n: int) -> UrnQuotient | None:
    """The same of a measure of four cells."""
    form = metric.reading.form
    if not isinstance(form, Linear) or metric.reading.outer:
        return None
    groups: dict[tuple[float, float], Array] = {}
    for c, top, bottom in zip(CELLS, form.top, form.bottom, strict=True):
        groups[top, bottom] = groups.get((top, bottom), np.zeros(())) + cells[c]
    return urn_of(groups, n)


def urn_of_pair(answers: Answers, metric: Metric, n: int) -> UrnQuotient | None:
    """The same of the difference of two systems that share their denominator."""
    keys = answers.keys(metric) if answers.scales is None and answers.as_tested else None
    if keys is None:
        return None
    groups: dict[tuple[float, float], Array] = {}
    for key, shape in zip(keys, answers.pair_shapes(), strict=True):
        groups[key] = groups.get(key, np.zeros(())) + shape
    return urn_of(groups, n)


def exact_score(law: UrnQuotient, draws: Sampler) -> NextScore:
    """Of an exact law."""
    return NextScore(law, "closed form", law.undefined, partial(defined, draws))


# -- P(undefined) of four cells


def chance_undefined(score: Callable[[Shapes], Array], cells: Shapes, n: int) -> Array | None:
    """P(the score of the next n items is 0/0), exactly, where it depends on which cells are empty alone; else None.

    P(all items in a set of cells) is a ratio of rising factorials; sets with signs give P(just these cells).
    """
    known = {s: _is_lost(score, s) for size in range(1, 5) for s in combinations(CELLS, size)}
    if None in known.values():
        return None
    total = np.zeros(np.shape(cells["tp"]))
    for chosen in (s for s, lost in known.items() if lost):
        for size in range(1, len(chosen) + 1):
            for part in combinations(chosen, size):
                total = total + (-1.0) ** (len(chosen) - size) * _all_in(part, cells, n)
    return np.clip(total, 0.0, 1.0)


def _is_lost(score: Callable[[Shapes], Array], filled: tuple[str, ...]) -> bool | None:
    """Whether a score is 0/0 where just these cells are filled; None where that depends on their counts."""
    tables = {c: np.array([3.0, 1.0, 7.0, 2.0]) * (1 + i) if c in filled else np.zeros(4) for i, c in enumerate(CELLS)}
    found = np.isnan(score(tables))
    return bool(found[0]) if (found == found[0]).all() else None


def _all_in(part: tuple[str, ...], cells: Shapes, n: int) -> Array:
    """P(the next n items fall into these cells): Γ(a + n)Γ(s)/(Γ(a)Γ(s + n))."""
    from scipy.special import betaln

    inside, outside = (np.asarray(sum(cells[c] for c in CELLS if (c in part) == yes)) for yes in (True, False))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.exp(betaln(inside + n, outside) - betaln(inside, outside))
    return np.asarray(np.where(outside == 0, 1.0, np.where(inside == 0, 0.0, found)))


# -- draws


def defined(draws: Sampler, size: int, seed: int) -> Array:
    """As many draws of scores that are defined, (size, *batch)."""
    found = draws(size, seed)
    for turn in range(1, MOST_TURNS):
        lost = np.isnan(found)
        if not lost.any():
            return found
        more = draws(size, seed + turn * GROWN)
        found = np.where(lost, more, found)
    raise BadSetting("so few of the next items have a part in the score that draws of it find none; give a larger n.")


def drawn_score(
    draws: Sampler, size: int, seed: int, bounds: tuple[float, float], what: str, undefined: Array | None = None,
    unit: str = "item",
) -> NextScore:  # fmt: skip
    """The law by draws; P(undefined) as it is known, else as the share of draws."""
    found = draws(size, seed)
    lost = np.isnan(found)
    known = lost.mean(axis=0) if undefined is None else undefined
    law = DrawnScores(*_within(_kept(found, lost, what), bounds))
    return NextScore(law, "sampled", np.asarray(known), partial(defined, draws), unit)


def _kept(found: Array, lost: Mask, what: str) -> Array:
    """Sorted draws that are defined, as many of every table."""
    least = int((~lost).sum(axis=0).min())
    if not least:
        raise BadSetting(f"{what} is 0/0 in every draw; give a larger n.")
    if not lost.any():
        return np.sort(found, axis=0)
    columns = [x[~np.isnan(x)][:least] for x in found.reshape(len(found), -1).T]
    return np.sort(np.stack(columns, axis=-1), axis=0).reshape(least, *found.shape[1:])


def _within(draws: Array, bounds: tuple[float, float]) -> tuple[Array, float, float]:
    return draws, min(bounds[0], float(draws.min())), max(bounds[1], float(draws.max()))


def table_scores(model: Model, score: Callable[[Shapes], Array], n: int, size: int, seed: int) -> Array:
    """Scores of the next n items of every table, (size, *batch)."""
    columns = []
    for j, before in enumerate(model.equals_before()) if model.shape else [(0, 0)]:
        cells, _ = model.table(j, size, seed, before)
        rng = generator(seed, STREAM, n, before, *(np.ravel(model.cells[c])[j] for c in CELLS))
        counts = multinomials(np.stack([cells[c] for c in CELLS], axis=1), n, rng)
        columns.append(score(dict(zip(CELLS, counts.T, strict=True))))
    return np.stack(columns, axis=-1).reshape(size, *model.shape)


def pair_scores(answers: Answers, score: Callable[[Shapes], Array], n: int, size: int, seed: int) -> Array:
    """Differences of the scores of two systems on the same next n items, (size, *batch)."""
    shapes, scales = answers.pair_gammas()
    shape = np.broadcast_shapes(*(x.shape for x in shapes))
    flat, by = (np.stack([np.broadcast_to(s, shape).ravel() for s in x]) for x in (shapes, scales or shapes))
    columns = []
    for j in range(flat.shape[1]):
        logs = answers.pair_logs(flat[:, j], size, seed, None if scales is None else by[:, j], j)
        counts = multinomials(np.exp(logs).T, n, generator(seed, STREAM, n, j, flat[:, j]))
        first, second = (score(_cells_of(answers, counts, side)) for side in (0, 1))
        columns.append(apart(first, second))
    return np.stack(columns, axis=-1).reshape(size, *shape)


def _cells_of(answers: Answers, counts: Array, side: int) -> Shapes:
    """The counts of one of two systems from those of the joint patterns."""
    cells = {c: np.zeros(len(counts)) for c in CELLS}
    for i, pattern in enumerate(answers.pairs):
        cells[NAMES[pattern[0], pattern[1 + side]]] += counts[:, i]
    return cells


def draws_of_tables(state: State) -> int:
    """As many as the tolerance needs, fewer of many tables."""
    tables = int(np.prod(state.evidence.shape, dtype=int))
    return min(state.wanted_draws(), max(LEAST_DRAWS, NUMBERS // max(1, tables)))


def number_of_draws(state: State, n: int, atoms: int) -> int:
    """As many as the tolerance needs, fewer where items or clusters are drawn one by one."""
    return min(state.wanted_draws(), max(LEAST_DRAWS, NUMBERS // (atoms + min(n, atoms))))


def sums_scores(features: Array, shapes: Array, score: Callable[[Array], Array], n: int, size: int, seed: int) -> Array:
    """Scores of sums over the next n items or clusters, which have these features."""
    rng = generator(seed, STREAM, n, features, shapes)
    return np.concatenate([score(x) for x in next_sums(features, shapes, n, size, rng)])


def wider(shapes: Array, stretch: Stretch) -> Array:
    """Shapes of Gammas with less weight in all, so that a mean under them has the variance that the stretch gives it.

    Next items must come from a distribution of items; one of the stretched mean alone has none.
    """
    total, factor = float(shapes.sum()), float(np.max(stretch.effective))
    return shapes * max(((total + 1.0) / factor**2 - 1.0) / total, LEAST_WEIGHT / total) if factor > 1.0 else shapes


def divided(sums: Array) -> Array:
    """What is above the line over what is below it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1])


def difference_apart(first: NextScore, second: NextScore, size: int, seed: int) -> NextScore:
    """First less second, each on next items of its own, by draws; undefined where either is."""
    draws = partial(_minus, first.sampler, second.sampler)
    undefined = 1.0 - (1.0 - first.undefined) * (1.0 - second.undefined)
    ends = first.law.lower - second.law.upper, first.law.upper - second.law.lower
    law = DrawnScores(*_within(np.sort(draws(size, seed), axis=0), ends))
    return NextScore(law, "sampled", np.asarray(undefined), draws, first.unit)


def _minus(first: Sampler, second: Sampler, size: int, seed: int) -> Array:
    return apart(first(size, seed), second(size, seed + OTHER_SEED))


def beside(parts: Sequence[NextScore]) -> NextScore:
    """Laws by draws of several slices, as many draws of each."""
    laws: list[Any] = [x.law for x in parts]
    least = min(x.n for x in laws)
    own = [generator(0, STREAM, k).permutation(x.draws)[:least] for k, x in enumerate(laws)]
    ends = min(x.lower for x in laws), max(x.upper for x in laws)
    law = DrawnScores(np.sort(np.stack(own, axis=-1), axis=0), *ends)
    undefined = np.stack([x.undefined for x in parts])
    return NextScore(law, "sampled", undefined, partial(_beside, tuple(x.sampler for x in parts)), parts[0].unit)


def _beside(samplers: Sequence[Sampler], size: int, seed: int) -> Array:
    return np.stack([draw(size, seed + k * GROWN) for k, draw in enumerate(samplers)], axis=-1)


def called(metric: Any, n: int, unit: str = "item") -> str:
    """The score of the next items, in words."""
    return f"{metric} of the next {unit if n == 1 else plural(n, unit)}"
