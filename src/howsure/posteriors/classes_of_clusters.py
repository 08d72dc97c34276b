"""All classes of clusters: averages and other metrics of all classes or labels, whole clusters resampled, by draws.

Classes: a made-up cluster of class i has as many items of every class as the clusters that have class i, so far as
items of a cluster are alike, and a single item of class i, so far as they are not. All its items are right, or those
of class i are all taken for one other class and the rest are wrong too. Its weight is that of the cell without
clusters; whole clusters share it between their classes (docs/why/013, docs/why/045). Labels: each has a little prior
mass of its own, as without clusters, in units of the items that a made-up cluster has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue.expressions import CELLS
from howsure.distributions.classes import PooledAccuracy
from howsure.distributions.sampling import atoms
from howsure.distributions.stretched import Stretch
from howsure.posteriors.all_classes import AllClasses
from howsure.posteriors.class_samples import move_to, moved
from howsure.posteriors.cluster_prior import (
    ClusterSums,
    OfClusters,
    influence,
    pattern_correlation,
    share_of,
    stretch_factor,
)
from howsure.posteriors.over_items import MICRO, item_cells

Sums = tuple[Array, Array, Array]  # true items, right answers and answers of every class, (draws, classes)

FEW_SYSTEMS: Final = 6  # up to here patterns of right and wrong are listed
FEW_CLASSES: Final = 30  # up to here the wrong answers of a made-up cluster are drawn class by class


@dataclass(frozen=True, eq=False, repr=False)
class AllOfClusters(OfClusters):
    """A measure of all classes or labels: sums over clusters, and the prior's additions to them."""

    wholes: tuple[AllClasses, ...]

    def additions(self, rng: np.random.Generator, n: int) -> list[Sums]:
        """Draws of what the prior adds to each system."""
        del rng, n
        raise self._unasked("a prior")

    @property
    def classes_known(self) -> int:
        """The number of classes or labels."""
        return len(self.state.evidence.labels)

    @cached_property
    def sums(self) -> tuple[dict[str, Array], ...]:
        """Of each system: true items, right answers and answers of every class in each cluster, (clusters, classes)."""
        found = []
        for part in self.state.evidence.parts:
            c = {k: v.T.astype(float) for k, v in part.by_class(lost=bool(self.metric.average)).items()}
            total = (c["tp"] + c["fp"] + c["fn"] + c["tn"])[:, :1]
            found.append({"row": c["tp"] + c["fn"], "tp": c["tp"], "col": c["tp"] + c["fp"], "n": total})
        return tuple(found)

    @property
    def cost(self) -> int:
        """Numbers handled a draw."""
        return self.clusters + 4 * min(self.classes_known, FEW_CLASSES) * self.classes_known

    @property
    def most_draws(self) -> int:  # type: ignore[override]
        """What the budget allows."""
        return max(5_000, min(200_000, 60_000_000 // self.cost))

    @property
    def pooled(self) -> bool:
        """Whether the share of right answers is drawn, around that of all classes."""
        return self.metric.classes_count_alike and self.state.prior.name == "even"

    def measured(self, sums: Sums, total: Array) -> Array:
        """The measure of drawn sums, within its range."""
        row, tp, col = (x.T for x in sums)
        cells = {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": np.maximum(total.T - row - col + tp, 0.0)}
        with np.errstate(all="ignore"):
            value = np.asarray(self.wholes[0].formula(**cells))
        return np.clip(np.where(np.isnan(value), 0.0, value), *self.metric.bounds)

    @cached_property
    def correlation(self) -> float:
        """How alike the items of one cluster are, on average over the systems."""
        return float(np.mean([self.correlation_of(s) for s in range(len(self.sums))]))

    def correlation_of(self, system: int) -> float:
        """The same of one system."""
        del system
        raise self._unasked("a correlation")

    def centre(self, system: int) -> Array:
        """The metric at the mean of all masses."""
        del system
        raise self._unasked("a centre")

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """By the correlation of the items of one cluster."""
        found = []
        for s, (x, item) in enumerate(zip(self.sums, self.items, strict=True)):
            share = share_of(self.correlation, float(x["n"].mean()) / item)
            found.append(self.stretch(self.centre(s), stretch_factor(self.clusters, share)))
        return tuple(found)

    def plain_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the clusters."""
        out = []
        for rng, mass in self.masses(n, seed):
            columns = []
            for x, (row, tp, col) in zip(self.sums, self.additions(rng, len(mass)), strict=True):
                total = mass @ x["n"] + self.added_items(row)
                columns.append(
                    self.measured((mass @ x["row"] + row, mass @ x["tp"] + tp, mass @ x["col"] + col), total)
                )
            out.append(np.stack(columns, axis=1))
        return np.concatenate(out)

    def added_items(self, row: Array) -> Array:
        """Items that come with true items of the prior."""
        return np.asarray(row.sum(axis=1, keepdims=True))

    @cached_property
    def present(self) -> Array:
        """Clusters in which a class has an item of some system, (clusters, classes)."""
        return np.asarray(np.sum([x["row"] for x in self.sums], axis=0) > 0, dtype=float)

    @property
    def _independent(self) -> Array:
        """What the items of a class in a cluster are worth as independent ones, (clusters, classes)."""
        both = zip(self.sums, self.items, strict=True)
        each = [x["row"] / (item + (x["row"] - item) * self.correlation).clip(item) for x, item in both]
        return np.asarray(np.max(each, axis=0))

    @cached_property
    def accuracy(self) -> PooledAccuracy:
        """The share of right answers, classes counting about alike: of patterns of right and wrong by system."""
        weight = self._independent / (self._independent.sum(axis=0) + 1.0)
        shares = []
        for x in self.sums:
            with np.errstate(invalid="ignore", divide="ignore"):
                share = x["tp"] / x["row"]
            shares.append(np.where(np.isnan(share), 0.5, share))
        k = self.classes_known
        if len(shares) > FEW_SYSTEMS:
            coins = np.random.Generator(np.random.SFC64([self.state.seed, k])).random((64, *self.present.shape))
            patterns = np.stack([(coins < s) for s in shares], axis=-1).reshape(-1, len(shares))
            right, which = np.unique(patterns, axis=0, return_inverse=True)
            each = np.broadcast_to(weight / 64.0, (64, *weight.shape)).ravel()
            counts = np.asarray(np.bincount(np.ravel(which), each), dtype=float)
            return PooledAccuracy(right, counts, 1.0, k / 3.0)
        right = np.array(list(product((True, False), repeat=len(shares))))
        weights = [
            float((weight * np.prod([s if r else 1.0 - s for r, s in zip(row, shares, strict=True)], axis=0)).sum())
            for row in right
        ]
        return PooledAccuracy(right, np.array(weights), 1.0, k / 3.0)


@dataclass(frozen=True, eq=False, repr=False)
class ClassesOfClusters(AllOfClusters):
    """The same of a tally of classes: made-up clusters that look like real ones."""

    def correlation_of(self, system: int) -> float:
        """The correlation of right answers, or of patterns (truth, answer) where that is larger."""
        x, item, counts = self.sums[system], self.items[system], self.state.evidence.parts[system].counts
        right = ClusterSums.of_hits(x["tp"].sum(axis=1), x["n"][:, 0], item).correlation
        return max(right, pattern_correlation(counts.astype(float), item))

    @cached_property
    def hosts(self) -> tuple[Array, tuple[Array, ...]]:
        """The share of its weight that a host has, and for each system its items by (host, class)."""
        many = self.present.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.present / np.maximum(self.present.sum(axis=1, keepdims=True), 1.0)).sum(axis=0) / many
        rho, alone = self.correlation, np.eye(self.classes_known)
        share = rho * np.where(many > 0, share, 1.0) + 1.0 - rho
        items = []
        for x, item in zip(self.sums, self.items, strict=True):
            there = (x["row"] > 0).astype(float)
            own = there.sum(axis=0)
            whole = there.T @ x["row"] / np.maximum(own, 1.0)[:, None]
            whole = np.where((own > 0)[:, None], whole, float(x["n"].mean()) * alone)
            items.append(rho * whole + (1.0 - rho) * item * alone)
        return share, tuple(items)

    def weights(self, p: float) -> Array:
        """The prior's weight on (host, answer of the host's items), where a share p of them is right."""
        k = self.classes_known
        share, _ = self.hosts
        if not self.pooled:
            return self.state.prior.cells(k) * share[:, None]
        z = max(1.0, 2.0 / float(share.sum()))
        cells = np.where(np.eye(k, dtype=bool), p, (1.0 - p) / (k - 1))
        return np.asarray(cells * share[:, None] * z)

    def additions(self, rng: np.random.Generator, n: int) -> list[Sums]:
        """Made-up clusters with an answer of every system."""
        p = self.accuracy.draw(rng, n) if self.pooled else np.zeros((len(self.sums), n))
        if len(self.sums) == 1:
            return [self._alone(rng, n, p[0])]
        return self._together(rng, n, p)

    def _alone(self, rng: np.random.Generator, n: int, p: Array) -> Sums:
        """All (host, answer) pairs, or hosts whose wrong answers go to a few classes where there are many."""
        k, (share, (items,)) = self.classes_known, self.hosts
        if k > FEW_CLASSES:
            return self._together(rng, n, p[None])[0]
        shapes = np.broadcast_to(self.weights(0.5)[None], (n, k, k))
        if self.pooled:
            z = max(1.0, 2.0 / float(share.sum()))
            off = ((1.0 - p) / (k - 1))[:, None, None]
            shapes = np.where(np.eye(k, dtype=bool), p[:, None, None], off) * (share[:, None] * z)
        mass = rng.standard_gamma(np.maximum(shapes, 1e-12))
        right = np.einsum("nii->ni", mass)
        wrong = mass * (1.0 - np.eye(k))
        return _settled(right, wrong.sum(axis=2), np.einsum("nij,i->nj", wrong, np.diag(items)), items)

    def _together(self, rng: np.random.Generator, n: int, p: Array) -> list[Sums]:
        """Atoms of every host's weight, each with an answer of every system: right, or one of the others."""
        k, (_, items) = self.classes_known, self.hosts
        cells = self.weights(0.5)
        total = cells.sum(axis=1)
        rate = np.diag(cells) / total
        shares, rest = atoms(rng, total, n)
        mass = rng.standard_gamma(total[:, None], (k, n))
        parts = shares * mass[:, None, :]  # (hosts, atoms, draws)
        out = []
        for s, own in enumerate(items):
            chance = np.broadcast_to(p[s][None, None] if self.pooled else rate[:, None, None], parts.shape)
            hit = rng.random(parts.shape) < chance
            right = np.where(hit, parts, 0.0).sum(axis=1).T
            missed = np.where(hit, 0.0, parts)
            to = rng.integers(1, k, parts.shape)
            at = (np.arange(k)[:, None, None] + to) % k + k * np.arange(n)
            weigh = missed * np.diag(own)[:, None, None]
            answers = np.asarray(np.bincount(at.ravel(), weigh.ravel(), n * k), dtype=float).reshape(n, k)
            wrong = missed.sum(axis=1).T
            if rest is not None:
                for found, more in zip((right, wrong, answers), _apart(rng, cells, rest * mass, own), strict=True):
                    found += more
            out.append(_settled(right, wrong, answers, own))
        return out

    def centre(self, system: int) -> Array:
        """The metric of one system at the mean of all masses."""
        return self._of(self.state.evidence.parts[system])._own_centre

    @cached_property
    def _own_centre(self) -> Array:
        x, p = self.sums[0], float(self.accuracy.centre()[0]) if self.pooled else 0.0
        k, (_, (items, *_rest)) = self.classes_known, self.hosts
        weights = self.weights(p)
        off = weights * (1.0 - np.eye(k))
        row, tp, col = _settled(np.diag(weights)[None], off.sum(axis=1)[None], (off.T @ np.diag(items))[None], items)
        sums = tuple(x[name].sum(axis=0)[None] + more for name, more in (("row", row), ("tp", tp), ("col", col)))
        total = x["n"].sum(axis=0)[None] + self.added_items(row)
        return np.asarray(self.measured(sums, total)[0])

    @cached_property
    def _shift(self) -> Array | None:
        """How far the draws of one system are moved: those of a pooled metric are moved to the centre."""
        if not self.pooled or not np.isfinite(self.metric.bounds).all():
            return None
        n = min(20_000, self.most_draws)
        return move_to(super().plain_draws(n, self.state.seed)[:, 0], self._own_centre, self.metric.bounds)

    def plain_draws(self, n: int, seed: int) -> Array:
        """The draws, moved where they are to be; each system by what it is moved alone."""
        x = super().plain_draws(n, seed)
        for s, part in enumerate(self.state.evidence.parts):
            shift = self._of(part)._shift
            if shift is not None:
                x[:, s] = moved(x[:, s], shift, self.metric.bounds)
        return x

    def _of(self, part: Any) -> ClassesOfClusters:
        """The same question to one system."""
        if len(self.sums) == 1:
            return self
        key = ("alone", self.metric, part.systems)
        if key not in self.state.kept:
            (at,) = [i for i, p in enumerate(self.state.evidence.parts) if p is part]
            alone = self.state.seeing(self.state.evidence.system(part.systems[0]))
            self.state.kept[key] = ClassesOfClusters(alone, self.metric, self.asked, (self.wholes[at],))
        return self.state.kept[key]  # type: ignore[no-any-return]

    @property
    def design_effect(self) -> float:
        """By the slopes of the formula along one more item of each pattern (truth, answer)."""
        part = self.state.evidence.parts[0]
        whole = {c: v.sum(axis=1) for c, v in part.by_class(lost=bool(self.metric.average)).items()}
        k = self.classes_known
        slopes = np.zeros(len(part.cells))
        for j, (y, z) in enumerate(part.cells.tolist()):
            step = {c: np.zeros(k) for c in CELLS}
            step["tn"] += 1.0
            for at, cell in ((y, "tp" if y == z else "fn"), *(((z, "fp"),) if z not in (y, -1) else ())):
                step["tn"][at] -= 1.0
                step[cell][at] += 1.0
            with np.errstate(all="ignore"):
                value = self.wholes[0].formula(**{c: whole[c] + 1e-20j * step[c] for c in CELLS})
            slopes[j] = float(np.imag(value)) * 1e20
        counts = part.counts.astype(float)
        squares = counts if part.squares is None else part.squares
        return influence(counts, counts.sum(axis=0), squares.sum(axis=0), slopes)


def _apart(rng: np.random.Generator, cells: Array, mass: Array, items: Array) -> Sums:
    """Right and wrong masses of hosts, and answers to their items: a mass of each host, dealt by the prior's cells."""
    dealt = rng.standard_gamma(np.maximum(cells, 1e-12), (mass.shape[1], *cells.shape))
    dealt *= (mass.T / dealt.sum(axis=2))[:, :, None]
    right, wrong = np.einsum("nii->ni", dealt), dealt * (1.0 - np.eye(len(cells)))
    return right, wrong.sum(axis=2), np.einsum("nij,i->nj", wrong, np.diag(items))


def _settled(right: Array, wrong: Array, answers: Array, items: Array) -> Sums:
    """What made-up clusters add: `right` and `wrong` masses of hosts, and the answers that the hosts' own items get."""
    k = len(items)
    other = items * (1.0 - np.eye(k))
    hit = right @ items
    spread = wrong @ ((other.sum(axis=1, keepdims=True) - other) / (k - 1))
    return hit + wrong @ items, hit, hit + answers + spread


@dataclass(frozen=True, eq=False, repr=False)
class LabelsOfClusters(AllOfClusters):
    """The same of items with many labels: mass of its own for every label."""

    def correlation_of(self, system: int) -> float:
        """The correlation of the labels that items have right, as a share of those that are true or answered."""
        part = self.state.evidence.parts[system]
        cells = item_cells(part)
        both = cells["tp"] + 0.5 * (cells["fp"] + cells["fn"])
        return ClusterSums.of_patterns(part.counts, cells["tp"], both, self.items[system]).correlation

    @cached_property
    def sizes(self) -> tuple[Array, ...]:
        """Of each system: items with a label in a made-up cluster, by the clusters that have any; else by all."""
        found, rho = [], self.correlation
        for x, item in zip(self.sums, self.items, strict=True):
            there = (x["row"] > 0).sum(axis=0)
            whole = np.where(there > 0, x["row"].sum(axis=0) / np.maximum(there, 1), float(x["n"].mean()))
            found.append(rho * whole + (1.0 - rho) * np.minimum(item, whole))
        return tuple(found)

    @property
    def _weight(self) -> float:
        """The prior's, on the true items of every label."""
        if self.pooled:
            return 1.0
        prior = self.state.prior
        return 2.0 * MICRO / self.classes_known if prior.name == "even" else 2.0 * float(prior.weight or 0.0)

    def centre(self, system: int) -> Array:
        """The metric at the mean of all masses."""
        p = float(self.accuracy.centre()[system]) if self.pooled else 0.5
        own = (self._weight * self.sizes[system])[None]
        row, tp, col = (self.sums[system][name].sum(axis=0)[None] for name in ("row", "tp", "col"))
        total = self.sums[system]["n"].sum(axis=0)[None] + self.added_items(own)
        return np.asarray(self.measured((row + own, tp + p * own, col + own), total)[0])

    def additions(self, rng: np.random.Generator, n: int) -> list[Sums]:
        """True items, of which a share is right, and as many false answers as are wrong there."""
        k, weight = self.classes_known, self._weight
        p = self.accuracy.draw(rng, n) if self.pooled else np.full((len(self.sums), n), 0.5)
        mass = rng.standard_gamma(weight, (n, k))
        out = []
        for share, size in zip(p, self.sizes, strict=True):
            own = mass * size
            a, b = (np.maximum(weight * x, 1e-9)[:, None] for x in (share, 1.0 - share))
            good = own * rng.beta(a, b, (n, k))
            false = rng.standard_gamma(np.broadcast_to(b, (n, k))) * size
            out.append((own, good, good + false))
        return out
