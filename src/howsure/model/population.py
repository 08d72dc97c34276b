"""Population: the patterns that future items can show, with probabilities that a pilot leaves open or that are stated.

After a pilot the probabilities have the posterior of the pilot, a Dirichlet with the prior's weight on every pattern;
stated ones are fixed. Two systems that are to differ by a given amount: of systems tested apart, the second makes more
errors of every kind, by one factor; of systems on the same items, they disagree as before, and of every kind of
disagreement the first has the larger share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.kernels import future_counts
from howsure.language import option
from howsure.priors import Prior

Array = NDArray[np.float64]

LISTED: Final = 64  # patterns up to which all are taken, whether or not they occur


@dataclass(frozen=True, eq=False)
class Population:
    """Patterns of one table (`evidence`), and the shapes of their probabilities, or these themselves."""

    evidence: Any
    shapes: Array | None
    fixed: Array | None
    seed: int

    @classmethod
    def after(cls, evidence: Any, prior: Prior, seed: int) -> Self:
        """What a pilot leaves open."""
        if not isinstance(evidence, (Tally, Outcomes)):
            told = "a table of classes, outcomes, graded items or clusters of them"
            raise BadSetting(f"a pilot of a plan is {told}; got {type(evidence).__name__}.")
        if evidence.weighted or evidence.shape:
            what = f"weights: leave out {option('weight')}" if evidence.weighted else "slices"
            raise BadSetting(f"a pilot of a plan is one table of items that count alike; this one has {what}.")
        full = _full(evidence)
        return cls(full, full.counts + _weights(full, prior), None, seed)

    @classmethod
    def stated(cls, evidence: Any, shares: Array, seed: int) -> Self:
        """Of known probabilities of the patterns."""
        return cls(evidence, None, np.asarray(shares, dtype=float)[None], seed)

    @property
    def patterns(self) -> int:
        """How many there are."""
        return len(self.evidence.cells)

    @property
    def systems(self) -> int:
        """How many systems answer."""
        return len(self.evidence.systems)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the systems."""
        found: tuple[str, ...] = self.evidence.systems
        return found

    # -- data sets

    def batch(self, counts: Array) -> Any:
        """Tables of these counts, (data sets, patterns)."""
        return replace(self.evidence, counts=counts, batch=(("future", range(len(counts))),))

    def single(self, counts: Array) -> Any:
        """One of these tables."""
        return replace(self.evidence, counts=counts, batch=())

    def counts(
        self, n: int, many: int, fresh: int, turned: Callable[[Array], Array] | None = None, other: bool = False
    ) -> NDArray[Any]:
        """Future counts, (data sets, patterns); the same points at every n. `other` are items of their own."""
        seed, k, before = self.seed + 7919 * fresh, self.patterns, self._open
        if before + 2 * (k - 1) > future_counts.MOST_DIMENSIONS:
            return self._drawn(n, many, seed, turned, other)
        at = future_counts.points(many, before + 2 * (k - 1), seed)
        shares = self._shares(at[:, :before])
        own = at[:, before + k - 1 :] if other else at[:, before : before + k - 1]
        return future_counts.counts(own, n, shares if turned is None else turned(shares))

    @property
    def _open(self) -> int:
        """Coordinates of a point that settle the probabilities."""
        return 0 if self.shapes is None else len(self.shapes) - 1

    def _shares(self, at: Array) -> Array:
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            return self.fixed
        return future_counts.shares(at, np.maximum(self.shapes, 1e-9))

    def _drawn(
        self, n: int, many: int, seed: int, turned: Callable[[Array], Array] | None, other: bool
    ) -> NDArray[Any]:
        """Of many patterns, plainly at random."""
        rng = np.random.default_rng([seed, 161_803])
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            shares = np.broadcast_to(self.fixed, (many, self.fixed.shape[1]))
        else:
            mass = rng.standard_gamma(self.shapes, (many, len(self.shapes)))
            shares = mass / mass.sum(axis=1, keepdims=True)
        if other:
            rng = np.random.default_rng([seed, 141_421])
        return rng.multinomial(n, shares if turned is None else turned(shares))

    def every(self, n: int) -> tuple[Array, Array] | None:
        """All data sets of two patterns and their probabilities; None where they are too many."""
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            if n > 10 * _MOST_LISTED:
                return None
            hits, weights = future_counts.every_count(n, float(self.fixed[0, 1]))
        elif n <= _MOST_LISTED:
            hits, weights = future_counts.every_mixed_count(n, float(self.shapes[1]), float(self.shapes[0]))
        else:
            return None
        return np.stack([n - hits, hits], axis=1), weights

    # -- two systems that differ

    @cached_property
    def _right(self) -> NDArray[np.bool_]:
        """Which answers are right, (patterns, systems)."""
        e = self.evidence
        wanted = e.cells[:, [0]] if e.truths else np.ones((len(e.cells), 1), dtype=int)
        return np.asarray(e.cells[:, e.truths :] == wanted)

    def with_more_errors(self, shares: Array, step: Array) -> Array:
        """One system's shares with more errors: of every kind by the same factor, at step 1 as many as there can be."""
        right, rows = self._right[:, 0], self._rows
        most = np.full(len(shares), np.inf)
        for row in rows:
            wrong = shares[:, row & ~right].sum(axis=1)
            with np.errstate(divide="ignore"):
                most = np.minimum(most, np.where(wrong > 0, shares[:, row & right].sum(axis=1) / wrong, np.inf))
        most = np.where(np.isfinite(most), most, 0.0)
        new = shares * np.where(right, 1.0, 1.0 + (step * most)[:, None])
        for row in rows:
            grown = new[:, row & ~right].sum(axis=1) - shares[:, row & ~right].sum(axis=1)
            good = shares[:, row & right].sum(axis=1)
            part = np.where(good > 0, 1.0 - grown / np.maximum(good, 1e-300), 1.0)
            new[:, row & right] = shares[:, row & right] * np.maximum(part, 0.0)[:, None]
        return new

    @property
    def _rows(self) -> list[NDArray[np.bool_]]:
        """The patterns of each truth."""
        e = self.evidence
        truths = e.cells[:, 0] if e.truths else np.zeros(len(e.cells), dtype=int)
        return [truths == y for y in np.unique(truths)]

    def favouring(self, shares: Array, step: Array) -> Array:
        """Two systems' shares that disagree as before: at step 1 the first is right wherever one alone is."""
        both = shares + shares[:, self._swapped]
        lean = self._right[:, 0].astype(float) - self._right[:, 1]
        return np.asarray(0.5 * both * (1.0 + step[:, None] * lean))

    @property
    def middle(self) -> Array:
        """The stated probabilities, or the means of those that are open, (1, patterns)."""
        if self.shapes is None:
            assert self.fixed is not None  # noqa: S101 - narrows the type
            return self.fixed
        return np.asarray(self.shapes / self.shapes.sum())[None]

    def disagreements(self, first: Array, second: Array) -> tuple[float, float]:
        """The least and the most on which two systems with these shares can disagree."""
        right = self._right[:, 0]
        one, two = (float(x[0, ~right].sum()) for x in (first, second))
        return two - one, min(two + one, 1.0)

    def paired(self) -> Self:
        """Two systems on the same items, the probabilities still those of the first alone."""
        e = self.evidence
        if e.width != 2 or self.systems != 1:
            raise BadSetting("a stated disagreement is for two classes or outcomes of one system; give a joint pilot.")
        codes = np.array(list(product(range(2), repeat=e.truths + 2)))
        names = (e.systems[0], "another" if e.systems[0] != "another" else "the other")
        joint = replace(e, cells=codes, counts=np.zeros(len(codes), dtype=np.int64), systems=names)
        return replace(self, evidence=joint)

    def together(self, alone: Population, first: Array, second: Array, disagreement: float) -> Array:
        """Joint shares of two systems with these shares each, that differ in so many answers.

        The second is right on the same part of the first one's errors in every truth row.
        """
        right = alone._right[:, 0]
        wrong_one, wrong_two = first[:, ~right].sum(axis=1), second[:, ~right].sum(axis=1)
        part = np.clip((disagreement - (wrong_two - wrong_one)) / np.maximum(2 * wrong_one, 1e-300), 0.0, 1.0)
        out = np.zeros((len(first), self.patterns))
        for row, mine in zip(alone._rows, self._rows, strict=True):
            good, bad, worse = (x[:, m].sum(axis=1) for x, m in ((first, row & right), (first, row & ~right),
                                                                   (second, row & ~right)))  # fmt: skip
            only_two = part * bad
            only_one = np.clip(worse - bad + only_two, 0.0, good)
            each = {(True, True): good - only_one, (True, False): only_one, (False, True): only_two,
                    (False, False): bad - only_two}  # fmt: skip
            for (a, b), share in each.items():
                here = mine & (self._right[:, 0] == a) & (self._right[:, 1] == b)
                out[:, here] = share[:, None]
        return out

    @cached_property
    def _swapped(self) -> NDArray[np.intp]:
        """The place of each pattern with the systems in each other's place."""
        e = self.evidence
        codes = {tuple(row): i for i, row in enumerate(e.cells.tolist())}
        return np.array([codes[(*row[: e.truths], *row[e.truths :][::-1])] for row in e.cells.tolist()])


_MOST_LISTED: Final = 20_000  # items up to which the data sets of a rate are listed, where its chance is not known


def _full(evidence: Any) -> Any:
    """The same table with all patterns that can occur, or of many classes those that do, and their mirror images."""
    e = evidence
    columns = e.cells.shape[1]
    if e.width**columns <= LISTED and (e.cells >= 0).all():
        wanted = list(product(range(e.width), repeat=columns))
    else:
        rows = [tuple(r) for r in e.cells.tolist()]
        wanted = list(dict.fromkeys([*rows, *((*r[: e.truths], *r[e.truths :][::-1]) for r in rows)]))
    at = {code: i for i, code in enumerate(wanted)}
    counts = np.zeros(len(wanted))
    for row, count in zip(e.cells.tolist(), e.counts.tolist(), strict=True):
        counts[at[tuple(row)]] += count
    cells = np.array(wanted)
    return replace(e, cells=e.cells if np.array_equal(cells, e.cells) else cells, counts=counts)


def _weights(e: Any, prior: Prior) -> Array:
    """The prior's weight of every pattern: that of each system alone is what it is without the others."""
    systems = len(e.systems)
    if not e.truths:
        miss, hit = prior.outcome()[::-1]
        own = np.where(e.cells == 1, hit, miss)
        return np.asarray(own.prod(axis=1) / (hit + miss) ** (systems - 1))
    cells = prior.cells(max(2, len(e.labels)))
    answers = e.cells[:, 1:]
    own = np.where(answers >= 0, cells[e.cells[:, [0]], np.maximum(answers, 0)], 0.0)
    return np.asarray(own.prod(axis=1) / cells.sum(axis=1)[e.cells[:, 0]] ** (systems - 1))
