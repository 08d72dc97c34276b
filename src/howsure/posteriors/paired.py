"""Systems that classified the same items: differences in pairs, and joint samples of any number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from howsure.arrays import Array, Integers, Mask
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.metric import Metric
from howsure.distributions import sampling as drawing
from howsure.distributions.sampling import ATOMS, atoms, coin_shares, count
from howsure.distributions.weights import added_at, gamma_of, scale_of
from howsure.posteriors.routes import TINY, Model, exact_law, linear_groups_law, values, weighed_groups_law

if TYPE_CHECKING:
    from howsure.distributions.paired_quotients import Key, PairedQuotients
    from howsure.distributions.protocol import Law


# -- answers
#
# Answers: what systems said to the same items, as yes and no against a truth of yes and no.
#
# The prior weight of a joint pattern is w(y, a)·w(y, b)·…/w(y, ·)^(S-1), so each system's own posterior is what it is
# alone. A measure of one truth row (recall, specificity) has all of that row's weight on the most balanced splits of
# the systems instead: ½ on each discordant pattern of two, as wins have it (docs/why/017). Each system keeps its own
# weights. For two systems the joint patterns are listed: where both measures have the same denominator (recall,
# accuracy, specificity, a rate) the difference is a linear quotient and exact; otherwise both are taken from the same
# draws. Draws of more systems are in `joint_answers`.

Pattern = tuple[int, int, int]  # truth, first, second
Cells = dict[str, Array]

NOTHING: Final = 1e-9  # the shape of a group that is empty in some tables of a batch only
SPEAKING: Final = ((1, 1, 0), (0, 0, 1)), ((1, 0, 1), (0, 1, 0))  # for the first, for the second: truth, first, second
NO_KEY: Final = (0.0, 0.0, 0.0, 0.0)
NAMES: Final = {(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}  # truth, answer


@dataclass(frozen=True, eq=False)
class Answers:
    """Patterns of truth and answers with their counts, and the prior's weights of (no, yes) for each truth."""

    truth: Integers
    says: Mask  # (patterns, systems)
    shapes: Array  # (*batch, patterns): counts that drive the posterior
    counts: Array  # the raw ones
    rows: dict[int, tuple[float, float]]
    row: int | None = None  # the truth row that the measure looks at, where it is one
    scales: Array | None = None  # what a unit of each pattern weighs, where items have weights that differ

    as_tested: ClassVar[bool] = True  # whether classes have the shares that they had in the test

    # -- two systems

    @property
    def pairs(self) -> tuple[Pattern, ...]:
        """The joint patterns of two systems: truth, first, second."""
        return tuple(product(sorted(self.rows), (0, 1), (0, 1)))

    def _here(self, pattern: Pattern) -> Mask:
        y, a, b = pattern
        return np.asarray((self.truth == y) & (self.says[:, 0] == a) & (self.says[:, 1] == b))

    def pair_shapes(self) -> list[Array]:
        """Shapes of the joint patterns, with the prior's weight of each."""
        return [
            np.asarray(self.shapes[..., self._here((y, a, b))].sum(axis=-1) + self.weight(y, a, b))
            for y, a, b in self.pairs
        ]

    def pair_gammas(self) -> tuple[list[Array], list[Array] | None]:
        """The same with their scales, if they have any; items of the prior weigh what those of their truth do."""
        if self.scales is None:
            return self.pair_shapes(), None
        units = self.units()
        made = [gamma_of(*self.sums(self._here(p)), prior=self.weight(*p), unit=units[p[0]]) for p in self.pairs]
        return [shape for shape, _ in made], [scale for _, scale in made]

    def sums(self, where: Any = slice(None)) -> tuple[Array, Array]:
        """Sums of weights and of their squares over some patterns, in units of the table's scale."""
        mass = self.shapes * (1.0 if self.scales is None else self.scales)
        square = mass * (1.0 if self.scales is None else self.scales)
        return mass[..., where].sum(axis=-1), square[..., where].sum(axis=-1)

    def units(self) -> dict[int, Array]:
        """What an item of the prior weighs in each truth row: as the row's own items do, else as those of the table."""
        whole = scale_of(*self.sums())
        return {y: scale_of(*self.sums(self.truth == y), where_empty=whole) for y in self.rows}

    def weight(self, y: int, *says: int) -> float:
        """The prior's weight of a pattern."""
        return pattern_weight(self.rows[y], y == self.row, says)

    def pair_counts(self) -> list[int]:
        """Items of each joint pattern."""
        return [int(self.counts[..., self._here(p)].sum(axis=-1)) for p in self.pairs]

    def keys(self, metric: Metric) -> list[tuple[float, float]] | None:
        """(Difference of the tops, bottom) of each joint pattern, where both systems share their denominator."""
        form = metric.reading.form
        if not isinstance(form, Linear) or metric.reading.outer:
            return None
        top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
        cells = [(NAMES[y, a], NAMES[y, b]) for y, a, b in self.pairs]
        if any(bottom[one] != bottom[two] for one, two in cells):
            return None
        return [(top[one] - top[two], bottom[one]) for one, two in cells]

    def _groups(self, metric: Metric) -> dict[tuple[float, float], Array] | None:
        """Shapes by (difference of the tops, bottom); None where the systems have denominators of their own."""
        keys = self.keys(metric)
        if keys is None:
            return None
        groups: dict[tuple[float, float], Array] = {}
        for key, shape in zip(keys, self.pair_shapes(), strict=True):
            if any(key) and np.any(shape):
                groups[key] = groups.get(key, np.zeros(())) + shape
        return groups

    def exact_difference(self, metric: Metric) -> Law | None:
        """The law of the difference when both systems share their denominator; None otherwise."""
        if self.scales is not None:
            return self._weighed_difference(metric)
        groups = self._groups(metric)
        if groups is None:
            return None
        parted = _by_what_is_there(groups)
        if parted is not None:
            return parted
        found = linear_groups_law({k: np.maximum(x, NOTHING) for k, x in groups.items()})
        return None if found is None else found[0]

    def _weighed_difference(self, metric: Metric) -> Law | None:
        """The same of weighted items, where every joint pattern has a scale of its own."""
        keys, (shapes, scales) = self.keys(metric), self.pair_gammas()
        parts = [x for x in zip(keys or (), shapes, scales or (), strict=False) if any(x[0]) and np.any(x[1])]
        found = weighed_groups_law([(k, np.maximum(a, NOTHING), s) for k, a, s in parts]) if parts else None
        return None if found is None else found[0]

    def paired_laws(self, metric: Metric) -> list[PairedQuotients | None]:
        """The laws of the difference of two quotients, a table of a batch each; None or nothing where there is none."""
        form, bounds = metric.reading.form, metric.bounds
        if self.scales is not None or not isinstance(form, Linear) or metric.reading.outer:
            return []
        if not np.isfinite(bounds).all():
            return []
        top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
        keys = {p: _key(p, top, bottom) for p in self.pairs}
        first, second = ((keys.get(one, NO_KEY), keys.get(two, NO_KEY)) for one, two in SPEAKING)
        if len({*first, *second, NO_KEY}) < 5:
            return []
        shapes = dict(zip(self.pairs, np.broadcast_arrays(*self.pair_shapes()), strict=True))
        from howsure.distributions.paired_quotients import chart, paired_quotients

        mean = np.ravel(self._mean_difference(metric, shapes))
        low, high = bounds
        laws: list[PairedQuotients | None] = []
        for j in range(mean.size):
            groups: dict[Key, float] = {}
            for p, key in keys.items():
                if any(key):
                    groups[key] = groups.get(key, 0.0) + float(np.ravel(shapes[p])[j])
            small = min(groups.values()) < TINY
            way = chart(first, second, groups)
            laws.append(None if small else paired_quotients(way, (low - high, high - low), float(mean[j])))
        return laws

    def _mean_difference(self, metric: Metric, shapes: dict[Pattern, Array]) -> Array:
        """The mean of the first less that of the second, each by its own law."""
        means = []
        for side in (0, 1):
            cells = {c: np.zeros(()) for c in CELLS}
            for p, shape in shapes.items():
                cells[NAMES[p[0], p[1 + side]]] = cells[NAMES[p[0], p[1 + side]]] + shape
            law = exact_law(metric, Model(cells))[0]
            assert law is not None  # noqa: S101 - a linear quotient of a flat table has one
            means.append(law.mean())
        return np.asarray(means[0] - means[1])

    def pair_wins(self, metric: Metric) -> tuple[Array, Array] | None:
        """P(first above) and P(second above) where that is which of two Gammas is larger; None otherwise."""
        groups = {} if self.scales is not None else self._groups(metric) or {}
        gains = {abs(gain) for gain, _ in groups} - {0.0}
        if len(gains) != 1:
            return None
        up, down = (sum(x for (gain, _), x in groups.items() if sign * gain > 0) for sign in (1, -1))
        return _larger(np.asarray(up), np.asarray(down))

    def pair_draws(self, metric: Metric, n: int, seed: int, tables: list[int] | None = None) -> tuple[Array, Array]:
        """Draws of both systems' measures from the same joint cells, (n, *batch) each; (n, tables) of some tables."""
        shapes, scales = self.pair_gammas()
        shape = np.broadcast_shapes(*(s.shape for s in shapes))
        flat, by = (np.stack([np.broadcast_to(s, shape).ravel() for s in x]) for x in (shapes, scales or shapes))
        places = list(range(flat.shape[1])) if tables is None else tables
        out = np.empty((2, n, len(places)))
        for k, j in enumerate(places):
            logs = self.pair_logs(flat[:, j], n, seed, None if scales is None else by[:, j], j)
            for side in (0, 1):
                cells = self.pair_cells(logs, side)
                out[side, :, k] = values(metric, {c: np.exp(x) for c, x in cells.items()}, cells)
        first, second = out.reshape(2, n, *shape) if tables is None else out
        return first, second

    def pair_logs(self, shapes: Array, n: int, seed: int, scales: Array | None, j: int) -> Array:
        """Logs of draws of the joint patterns of the table at a place of the batch."""
        del j
        return drawing.log_shares(shapes, n, seed, 0, scales)

    def pair_cells(self, logs: Array, side: int) -> Cells:
        """Logs of the cells of one of two systems from those of the joint patterns."""
        cells: Cells = {}
        for c in CELLS:
            mine = [logs[i] for i, p in enumerate(self.pairs) if NAMES[p[0], p[1 + side]] == c]
            cells[c] = np.logaddexp.reduce(mine) if mine else np.full(logs.shape[1], -np.inf)
        return cells

    def chances(self, metric: Metric) -> Array | None:
        """P(system i above j) for all pairs, where that is which of two Gammas is larger; None otherwise."""
        form = metric.reading.form
        if not isinstance(form, Linear) or self.shapes.ndim > 1 or self.scales is not None:
            return None
        top, bottom = (dict(zip(CELLS, part, strict=True)) for part in (form.top, form.bottom))
        gains = {y: top[NAMES[y, 1]] - top[NAMES[y, 0]] for y in self.rows}
        if (
            any(bottom[NAMES[y, 1]] != bottom[NAMES[y, 0]] for y in self.rows)
            or len(set(map(abs, gains.values())) - {0.0}) != 1
        ):
            return None
        wins = np.zeros((self.says.shape[1],) * 2)
        for y, gain in gains.items():
            if gain:
                here = self.truth == y
                says = (self.says[here] == (gain > 0)).astype(float)
                wins += (says.T * self.shapes[here]) @ (1.0 - says) + self.weight(y, 0, 1)
        return _larger(wins, wins.T)[0]


def pattern_weight(row: tuple[float, float], balanced: bool, says: tuple[int, ...]) -> float:
    """The weight of a pattern of answers under (no, yes): a product, or a part of the balanced splits of a row."""
    no, yes = row
    total, systems = no + yes, len(says)
    if not total:
        return 0.0
    if not balanced:
        return float(total * np.prod([(yes if a else no) / total for a in says]))
    low, part = balance(yes / total, systems)
    chance = {low: 1.0 - part, low + 1: part}.get(sum(says), 0.0)
    return total * chance / comb(systems, sum(says))


def balance(rate: float, systems: int) -> tuple[int, float]:
    """How many systems say yes in the most balanced splits with this mean rate: so many, or one more with a chance."""
    low = min(int(np.floor(rate * systems)), systems - 1)
    return low, rate * systems - low


def _larger(up: Array, down: Array) -> tuple[Array, Array]:
    """P(one Gamma is larger than another) and P(it is smaller)."""
    from howsure.distributions import beta

    half = np.full(up.shape, 0.5)
    return beta.tails(down, up, half, half)


def _key(pattern: Pattern, top: dict[str, float], bottom: dict[str, float]) -> Key:
    """What a pattern counts for in both quotients."""
    y, a, b = pattern
    one, two = NAMES[y, a], NAMES[y, b]
    return top[one], bottom[one], top[two], bottom[two]


def one_row(metric: Metric) -> int | None:
    """The truth row that a measure looks at, where it looks at one: 1 for recall, 0 for specificity."""
    form = metric.reading.form
    if isinstance(form, Linear):
        used = {c for c, t, b in zip(CELLS, form.top, form.bottom, strict=True) if t or b}
    else:
        used = {str(x.value) for x in metric.formula.walk() if x.op == "cell"}
    return 1 if used <= {"tp", "fn"} else 0 if used <= {"fp", "tn"} else None


def p_values(answers: Answers, metric: Metric, seed: int) -> dict[str, Any]:
    """McNemar's tests and a paired permutation test, by kernels/classical_tests."""
    from howsure.distributions.classical_tests import of_answers

    return of_answers(answers.pairs, answers.pair_counts(), metric.formula, seed)


def _by_what_is_there(groups: dict[tuple[float, float], Array]) -> Law | None:
    """The law of a batch in which some groups are empty in some tables: of tables with the same groups, one each.

    A shape of next to nothing in place of an empty group would be felt in the ninth digit.
    """
    shape = np.broadcast_shapes(*(x.shape for x in groups.values()))
    shapes = {k: np.broadcast_to(x, shape) for k, x in groups.items()}
    empty = np.stack([x == 0 for x in shapes.values()])
    if len(shape) != 1 or not empty.any():
        return None
    patterns, at = np.unique(empty, axis=1, return_inverse=True)
    places = tuple(np.flatnonzero(at.ravel() == j) for j in range(patterns.shape[1]))
    laws = []
    for gone, here in zip(patterns.T, places, strict=True):
        found = linear_groups_law({k: x[here] for (k, x), lost in zip(shapes.items(), gone, strict=True) if not lost})
        if found is None:
            return None
        laws.append(found[0])
    from howsure.distributions.stacked import Stacked

    return Stacked(tuple(laws), places)


# -- joint answers
#
# Draws of any number of systems that answered the same items.
#
# Of few systems all patterns are listed, with the prior's weight of each. Of more, occupied patterns carry Gammas of
# their counts, and the prior's weight is one Gamma dealt by stick-breaking from the prior itself (y, then the systems'
# answers given y), so that patterns not yet seen need no enumeration and the cost follows the distinct ones. Where that
# weight is large it would take as many sticks: then what the first ones leave is dealt to each system apart, by the law
# that it has alone; the dependence of higher order, which that leaves out, fades with the weight.


FEW: Final = 5  # systems whose patterns are listed
CHUNK: Final = 2_000  # draws at a time
NUMBERS: Final = 20_000_000  # answers of atoms at a time
LEFT: Final = 1e-6  # of the prior's mass, for the last atom


def cell_draws(answers: Answers, n: int, seed: int) -> Iterator[Cells]:
    """Draws of the cells of every system, some at a time, (draws, systems) each; they are not normalised."""
    own = drawing.stream(seed, answers.truth, answers.says, answers.shapes)
    rng = np.random.Generator(np.random.SFC64([own, 10_007]))
    systems = answers.says.shape[1]
    if systems <= FEW:
        truth, says, shapes, scales = listed(answers)
        for start in range(0, n, CHUNK):
            size = min(CHUNK, n - start)
            mass = drawing.gammas(shapes, size, rng).T
            yield _added(truth, says, mass if scales is None else mass * scales)
        return
    kept = answers.shapes > 0
    truth, says, shapes = answers.truth[kept], answers.says[kept], answers.shapes[kept]
    needed = sum(count(sum(row), LEFT, ATOMS) for row in answers.rows.values())
    most = max(1, min(CHUNK, NUMBERS // (max(1, needed) * systems)))
    units = dict.fromkeys(answers.rows, 1.0) if answers.scales is None else answers.units()
    weigh = {NAMES[y, a]: unit for y, unit in units.items() for a in (0, 1)}
    for start in range(0, n, most):
        size = min(most, n - start)
        mass = rng.standard_gamma(shapes, (size, shapes.size))
        cells = _added(truth, says, mass if answers.scales is None else mass * answers.scales[kept])
        added = prior_cells(rng, size, answers.rows, systems, answers.row)
        yield {c: x + added[c] * weigh[c] if c in added else x for c, x in cells.items()}


def joint_draws(answers: Answers, metrics: Sequence[Metric], n: int, seed: int) -> list[Array]:
    """Draws of each measure of every system, (n, systems), all from the same cells."""
    if answers.says.shape[1] <= FEW and min(listed(answers)[2]) < TINY:
        return [_by_logs(answers, metric, n, seed) for metric in metrics]
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = [[np.asarray(m.formula(**cells)) for m in metrics] for cells in cell_draws(answers, n, seed)]
    return [np.concatenate(parts) for parts in zip(*drawn, strict=True)]


def _by_logs(answers: Answers, metric: Metric, n: int, seed: int) -> Array:
    """The same at shapes that underflow."""
    truth, says, shapes, scales = listed(answers)
    logs = drawing.log_shares(shapes, n, seed, 0, scales)
    out = np.empty((n, says.shape[1]))
    for k in range(says.shape[1]):
        cells: Cells = {}
        for (y, said), name in NAMES.items():
            mine = logs[(truth == y) & (says[:, k] == said)]
            cells[name] = np.logaddexp.reduce(mine) if len(mine) else np.full(n, -np.inf)
        out[:, k] = values(metric, {c: np.exp(x) for c, x in cells.items()}, cells)
    return out


def _added(truth: Integers, says: Mask, mass: Array) -> Cells:
    """Cells of every system from the masses of patterns, (draws, patterns)."""
    cells = {}
    for (y, said), name in NAMES.items():
        here = truth == y
        cells[name] = mass[:, here] @ (says[here] == said)
    return cells


# -- few systems: every pattern


def listed(answers: Answers) -> tuple[Integers, Mask, Array, Array | None]:
    """All patterns that weigh something: truths, answers, counts with the prior's weights added, and scales if any."""
    systems = answers.says.shape[1]
    patterns = list(product(sorted(answers.rows), *[(0, 1)] * systems))
    place = {p: i for i, p in enumerate(patterns)}
    added = np.array([answers.weight(p[0], *p[1:]) for p in patterns])
    rows = np.column_stack([answers.truth, answers.says]).astype(int).tolist()
    at = [place[tuple(r)] for r in rows]
    shapes, scales = added.copy(), None
    if answers.scales is None:
        np.add.at(shapes, at, answers.shapes)
    else:
        mass, units = answers.shapes * answers.scales, answers.units()
        sums, squares = (added_at(np.array(at), x, len(patterns)) for x in (mass, mass * answers.scales))
        shapes, scales = gamma_of(sums, squares, added, np.array([float(units[p[0]]) for p in patterns]))
    kept = shapes > 0
    codes = np.array(patterns)[kept]
    return codes[:, 0], codes[:, 1:] == 1, shapes[kept], None if scales is None else scales[kept]


# -- many systems: the prior's mass by sticks


def prior_cells(
    rng: np.random.Generator, size: int, rows: dict[int, tuple[float, float]], systems: int, row: int | None = None
) -> Cells:
    """What the prior adds to the cells of each system, (size, systems); `row` is the one with balanced splits."""
    cells: Cells = {}
    for y, weights in rows.items():
        total = rng.standard_gamma(sum(weights), (size, 1))
        share = _shares(rng, size, weights, systems, y == row)
        cells[NAMES[y, 1]], cells[NAMES[y, 0]] = total * share, total * (1.0 - share)
    return cells


def _shares(rng: np.random.Generator, size: int, row: tuple[float, float], systems: int, balanced: bool) -> Array:
    """The share of a row's prior mass on which each system says yes, (size, systems)."""
    no, yes = row
    total, rate = no + yes, yes / (no + yes)
    (parts,), rest = atoms(rng, np.array([total]), size, LEFT)
    draws = rng.random((*parts.T.shape, systems), dtype=np.float32)
    says = _balanced(rng, draws, rate) if balanced else draws < rate
    share = np.einsum("kn,nks->ns", parts, says.astype(float))
    if rest is not None:
        apart = coin_shares(rng, yes, no, (size, systems))
        share += rest.T * (np.clip(_centred(apart, rate), 0.0, 1.0) if balanced else apart)
    return np.asarray(share)


def _balanced(rng: np.random.Generator, draws: NDArray[np.float32], rate: float) -> Mask:
    """Splits of the systems, as balanced as the rate allows, every one as likely as the others."""
    low, part = balance(rate, draws.shape[-1])
    order = np.partition(draws, (max(low - 1, 0), low), axis=-1)[..., max(low - 1, 0) : low + 1]
    more = rng.random(draws.shape[:-1]) < part
    last = np.where(more, order[..., -1], order[..., 0] if low else -1.0)
    return np.asarray(draws <= last[..., None])


def _centred(shares: Array, rate: float) -> Array:
    """Shares of systems whose sum is fixed, with the spread that they have alone."""
    systems = shares.shape[1]
    return np.asarray(rate + (shares - shares.mean(axis=1, keepdims=True)) * np.sqrt(systems / (systems - 1.0)))
