"""Many systems at once: P(best), the distribution of ranks, all pairs, and groups that cannot be told apart.

Systems on the same items are drawn together: the occupied answer patterns carry Gammas of their counts, and the
prior's weight is one Gamma dealt by stick-breaking from the prior itself (y, then each system's answer given y), so
patterns not yet seen need no enumeration and the cost follows the distinct patterns. Systems on different items are
drawn apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.comparison.independent import OTHER_SEED
from howsure.comparison.paired import WHOLE, binary_weights, two_classes
from howsure.comparison.result import Side
from howsure.comparison.verbs import KINDS, default_metric, of_class
from howsure.distribution import Note, check_draws, check_kind, check_level, check_seed
from howsure.document import Measure, Notes, Result, Source, envelope, real, row_documents
from howsure.errors import BadSetting
from howsure.kernels.sticks import count, sticks
from howsure.model import Known, Posterior, Ranked, Resampled, posterior
from howsure.render.numbers import probability
from howsure.scored import scored_of

Array = NDArray[np.float64]

CHUNK = 2_000  # draws at a time
NUMBERS = 20_000_000  # answers of atoms at a time
LEFT = 1e-6  # of the prior's mass, for the last atom
MOST_STICKS = 100_000
TOPS = (1, 3, 5, 10)  # places whose probabilities a document gives, where there are more systems than that


@dataclass(frozen=True)
class Leaderboard(Result):
    """Systems in the order of their expected rank."""

    metric: Measure
    sides: tuple[Side, ...]
    draws: Array
    paired: bool
    level: float
    interval: str
    apart: float
    notes: Notes

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """For each system in each draw: how many are better, and how many are level with it, itself counted."""
        x = self._signed
        ahead = np.stack([(x < x[:, [i]]).sum(axis=1) for i in range(x.shape[1])], axis=1)
        level = np.stack([(x == x[:, [i]]).sum(axis=1) for i in range(x.shape[1])], axis=1)
        return ahead.astype(float), level.astype(float)

    @cached_property
    def _ranks(self) -> Array:
        """Rank of each system in each draw, 1 the best; ties share their ranks."""
        ahead, level = self._places
        return ahead + 0.5 * level + 0.5

    @cached_property
    def _signed(self) -> Array:
        """Draws, turned so that less is better."""
        return self.draws if self.metric.better == "lower" else -self.draws

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, best expected rank first."""
        return tuple(s.name for s in self.sides)

    @cached_property
    def p_best(self) -> Array:
        """P(each system is the best); a tie for the first place is shared."""
        first = self._signed == self._signed.min(axis=1, keepdims=True)
        return self._doubted((first / first.sum(axis=1, keepdims=True)).mean(axis=0), 1.0 / len(self.sides))

    def _doubted(self, share: Array, prior: float) -> Array:
        """A share of the draws, never 0 or 1: one more draw is dealt as if nothing were known."""
        n = len(self.draws)
        return np.asarray((n * share + prior) / (n + 1.0))

    def p_top(self, k: int) -> Array:
        """P(each system is among the best k); systems that tie share the places left, so that the sum is k."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= len(self.sides):
            raise BadSetting(f"k is a whole number from 1 to the {len(self.sides)} systems; got {k!r}.")
        ahead, level = self._places
        share = np.clip((k - ahead) / level, 0.0, 1.0).mean(axis=0)
        return self._doubted(share, k / len(self.sides)) if k < len(self.sides) else np.ones(len(self.sides))

    @cached_property
    def expected_rank(self) -> Array:
        """The mean rank of each system."""
        return np.asarray(self._ranks.mean(axis=0))

    @cached_property
    def rank_probabilities(self) -> Array:
        """P(system i has rank r), one row a system; systems that tie share their ranks equally."""
        x = self._signed
        ahead = np.stack([(x < x[:, [i]]).sum(axis=1) for i in range(x.shape[1])], axis=1)
        tied = np.stack([(x == x[:, [i]]).sum(axis=1) for i in range(x.shape[1])], axis=1)
        ranks = range(len(self.sides))
        shares = np.stack([(((ahead <= r) & (r < ahead + tied)) / tied).mean(axis=0) for r in ranks], axis=1)
        return self._doubted(shares, 1.0 / len(self.sides))

    @cached_property
    def pairs(self) -> Array:
        """P(system i better than system j); a half on the diagonal."""
        x = self._signed
        table = np.array(
            [(x[:, [i]] < x).mean(axis=0) + 0.5 * (x[:, [i]] == x).mean(axis=0) for i in range(x.shape[1])]
        )
        np.fill_diagonal(table, 0.5)
        return self._doubted(table, 0.5)

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """A new group starts where the first system of the last one is better with the stated probability."""
        groups, lead = [1], 0
        for i in range(1, len(self.sides)):
            if self.pairs[lead, i] >= self.apart:
                lead = i
                groups.append(groups[-1] + 1)
            else:
                groups.append(groups[-1])
        return tuple(groups)

    @property
    def p_error(self) -> float:
        """Three standard errors of any probability here, at most."""
        return 1.5 / float(np.sqrt(len(self.draws)))

    @property
    def verdict(self) -> str:
        """The finding in words."""
        best = int(np.argmax(self.p_best))
        p = probability(self.p_best[best])
        return f"{self.names[best]} is the best of {len(self.names)} on {self.metric} with probability {p}"

    def _make(self) -> dict[str, Any]:
        p = self.sides[0].posterior
        rows = []
        top = {str(k): self.p_top(k) for k in TOPS if k < len(self.sides)}
        for i, side in enumerate(self.sides):
            (row,) = row_documents([side.row], side.posterior.source)
            extra = {
                "p_best": real(self.p_best[i]),
                "p_top": {k: real(p[i]) for k, p in top.items()},
                "expected_rank": real(self.expected_rank[i]),
                "group": self.groups[i],
            }
            rows.append(row | extra | {"ranks": [real(x) for x in self.rank_probabilities[i]]})
        data = {"systems": list(self.names), "paired": self.paired, "n": rows[0]["n"] if self.paired else None}
        document = envelope("howsure.leaderboard/1", p, self.level, self.interval, p.seed, data, rows, self.notes)
        document["pairs"] = [
            {"first": a, "second": b, "p_better": real(self.pairs[i, j])}
            for i, a in enumerate(self.names)
            for j, b in enumerate(self.names)
            if i < j
        ]
        return document | {"verdict": self.verdict}

    def __repr__(self) -> str:
        return self.verdict


def leaderboard(
    data: Any,
    *,
    metric: str | Metric | None = None,
    prior: Any = "even",
    apart: float = 0.95,
    level: float = 0.95,
    interval: str = "equal-tailed",
    draws: int = 20_000,
    positive: Any = None,
    seed: int = 0,
) -> Leaderboard:
    """Rank the systems of a joint tally, or of a mapping from name to tally (tested on different items).

    >>> from howsure.table import Tally
    >>> t = {"a": Tally.rate(hits=40, of=50), "b": Tally.rate(hits=30, of=50), "c": Tally.rate(hits=48, of=50)}
    >>> leaderboard(t).names
    ('c', 'a', 'b')
    """
    check_level(level)
    kind, n, seed = check_kind(interval), check_draws(draws), check_seed(seed)
    if isinstance(apart, bool) or not isinstance(apart, (int, float)) or not 0.5 < apart < 1:
        raise BadSetting(f"apart is a probability between 0.5 and 1; got {apart!r}.")
    joint, tallies = _given(data, positive)
    first = next(iter(tallies.values()))
    own: dict[str, Known] = {name: posterior(t, prior, seed=seed) for name, t in tallies.items()}
    m = next(iter(own.values())).measure(metric if metric is not None else default_metric(first))
    if m.better is None:
        raise BadSetting(f"{m} has no better direction: there is nothing to rank by.")
    if joint is not None:
        whole: Known = posterior(joint, prior, seed=seed)
        n = min(n, whole.number_of_draws) if isinstance(whole, Ranked) else n
        x = _together(whole, m, n, seed)
    else:
        n = min(n, *(getattr(p[m].sampler, "most", n) for p in own.values()))
        x = np.stack([p[m].draws(n, seed=seed + k * OTHER_SEED) for k, p in enumerate(own.values())], axis=1)
    signed = x if m.better == "lower" else -x
    order = signed.argsort(axis=1).argsort(axis=1).mean(axis=0).argsort(kind="stable").tolist()
    listed = [list(own)[k] for k in order]
    sides = tuple(Side(name, own[name], m, level, kind) for name in listed)
    sampled = Note("sampled", f"ranks are sampled with {n:,} draws: probabilities within {1.5 / np.sqrt(n):.1g}")
    told = dict.fromkeys(Note(code, text) for t in tallies.values() for code, text in t.notes)
    notes = (sampled, *told)
    return Leaderboard(m, sides, x[:, order], joint is not None, level, kind, float(apart), notes)


def _given(data: Any, positive: Any) -> tuple[Source | None, dict[str, Any]]:
    """The joint tally, if it is one, and the tally of each system."""
    joint: Source | None = None
    data = {k: scored_of(v) for k, v in data.items()} if isinstance(data, Mapping) else scored_of(data)
    if isinstance(data, KINDS):
        joint = of_class(data, positive)
        tallies = {name: joint.system(name) for name in joint.systems}
    elif isinstance(data, Mapping) and any(all(isinstance(t, k) for t in data.values()) for k in KINDS):
        tallies = {str(k): of_class(t, positive) for k, t in data.items()}
    else:
        raise BadSetting(
            "leaderboard needs a joint tally, items of several systems, or a mapping from name to tally (or items)."
        )
    if len(tallies) < 2:
        raise BadSetting(f"a leaderboard needs two systems or more; got {len(tallies)}.")
    if any(t.shape for t in tallies.values()):
        raise BadSetting("a leaderboard takes single tables, not batches.")
    return joint, tallies


# -- systems on the same items


def _together(p: Known, metric: Measure, n: int, seed: int) -> Array:
    """Draws of the measure for every system, (n, systems)."""
    if isinstance(p, Resampled):
        return p.only(metric).draws(n, seed=seed)
    if isinstance(p, Ranked):
        return p.joint_draws([p.measure(metric)], n, seed)[0]
    assert isinstance(metric, Metric)  # noqa: S101 - narrows the type
    view = p.view(metric)
    if view.kind in WHOLE:
        return p.joint_draws(view.metric, n, seed)
    if p.prior.two_level:
        raise BadSetting(
            "systems on the same items need a flat prior such as even; a two-level prior has no joint form."
        )
    truth, answers, counts, rows = _patterns(p, metric)
    metric = view.metric
    rng = np.random.Generator(np.random.SFC64([seed, 10_007]))
    weight = np.array([sum(rows[y]) for y in (0, 1)])
    rate = np.array([rows[y][1] / sum(rows[y]) if sum(rows[y]) else 0.0 for y in (0, 1)])
    out = []
    most = max(1, min(CHUNK, NUMBERS // (count(float(weight.sum()), LEFT, MOST_STICKS) * answers.shape[1])))
    for start in range(0, n, most):
        size = min(most, n - start)
        mass = rng.standard_gamma(counts, (size, counts.size))
        parts, y, a = _dealt(rng, size, weight, rate, answers.shape[1])
        cells = {}
        for name, yes, says in (("tp", 1, True), ("fn", 1, False), ("fp", 0, True), ("tn", 0, False)):
            seen = mass[:, truth == yes] @ (answers[truth == yes] == says)
            unseen = np.einsum("nk,nks->ns", parts * (y == yes), (a == says).astype(float))
            cells[name] = seen + unseen
        with np.errstate(divide="ignore", invalid="ignore"):
            out.append(np.asarray(metric.formula(**cells)))
    return np.concatenate(out)


def _dealt(
    rng: np.random.Generator, size: int, weight: Array, rate: Array, systems: int
) -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """The prior's mass in atoms: their weights, their truths and the systems' answers."""
    total = float(weight.sum())
    parts = sticks(rng, np.array([total]), size, LEFT, MOST_STICKS)[0].T * rng.standard_gamma(total, (size, 1))
    y = (rng.random(parts.shape) < weight[1] / total).astype(np.int64)
    return parts, y, rng.random((*parts.shape, systems)) < rate[y][..., None]


def _patterns(p: Posterior, metric: Metric) -> tuple[Any, Any, Array, dict[int, tuple[float, float]]]:
    """Truth and answers of the occupied patterns as 0 and 1, their counts, and the prior's weights of a row."""
    t, view = p.tally, p.view(metric)
    if view.kind in ("outcome", "right-wrong"):
        truth = np.ones(len(t.cells), dtype=int)
        answers = t.cells[:, 1:] == (1 if t.outcome else t.cells[:, [0]])
        hit, miss = p.prior.outcome() if t.outcome else p.prior.right_wrong(len(t.labels))
        rows = {1: (miss, hit), 0: (0.0, 0.0)}
    else:
        w = binary_weights(p, view.place)
        t = two_classes(t, view.place)
        truth = t.cells[:, 0]
        answers = np.where(t.cells[:, 1:] < 0, 1 - truth[:, None], t.cells[:, 1:]) == 1
        rows = {1: (w["fn"], w["tp"]), 0: (w["tn"], w["fp"])}
    counts = t.effective
    kept = counts > 0
    return truth[kept], answers[kept], counts[kept], rows
