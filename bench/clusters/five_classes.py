"""Measures of five classes together, by rule for the prior's made-up clusters.

whole: the mean of the clusters that have class i, with all their truths, all answers right or all wrong; the weight
is that of the class times its mean share among the classes of a cluster, two in all at least where classes count
alike (the rule until version 0.2). seen: the same with the part of the correlation seen, a single item of class i
with the rest, and the distribution is stretched (the rule of the package); the correlation is the larger of that of
right answers and of patterns (truth, answer). t: the linear part, with a residual for each cluster. ignored: items as
if they were independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.clusters import rules
from bench.clusters.simulated import DRAWS, GROUP, Array, Case, Record, gammas, groups, weighted

Sums = tuple[Array, Array, Array]  # right answers, truths, answers; classes first

K = 5
EQUAL = ("macro-f1", "macro-precision", "macro-recall")  # pooled prior
SHARED = ("weighted-f1", "kappa")  # prior `even` as it is
EVEN = np.where(np.eye(K, dtype=bool), 1 / K, 1 / (K * (K - 1)))[..., None, None]


def class_counts(case: Case, tests: int, rng: np.random.Generator) -> Array:
    """Items by truth and answer, (tests, clusters, K, K)."""
    n = case.items(tests, rng)
    share = np.ones(K) / K if case.share else 1 / np.arange(1, K + 1) / (1 / np.arange(1, K + 1)).sum()
    draw = rng.multinomial(1 if case.truth == "one" else n, share, n.shape)
    truths = draw * n[..., None] if case.truth == "one" else draw
    right = rng.binomial(truths, case.chances(n, rng)[..., None])
    steps = np.full(K - 1, 1 / (K - 1))
    if case.also == "alike":  # the wrong answers of a cluster and truth are all the same
        shifts = rng.multinomial(1, steps, right.shape) * (truths - right)[..., None]
    else:
        shifts = rng.multinomial(truths - right, steps)
    shifts = np.concatenate([right[..., None], shifts], axis=-1)  # the answer is so many classes after the truth
    at = (np.arange(K) - np.arange(K)[:, None]) % K
    return np.take_along_axis(shifts, np.broadcast_to(at, shifts.shape), axis=-1)


def true_sums(case: Case) -> Sums:
    share = np.ones(K) / K if case.share else 1 / np.arange(1, K + 1) / (1 / np.arange(1, K + 1)).sum()
    return share * case.rate, share, share * case.rate + (1 - case.rate) / (K - 1) * (1 - share)


def class_measures(right: Array, truths: Array, answers: Array) -> dict[str, Array]:
    """Measures of all classes, which are the first axis."""
    with np.errstate(all="ignore"):
        f1, n = np.nan_to_num(2 * right / (truths + answers)), truths.sum(axis=0)
        agree, chance = right.sum(axis=0) / n, (truths * answers).sum(axis=0) / n**2
        return {
            "macro-f1": f1.mean(axis=0),
            "macro-precision": np.nan_to_num(right / answers).mean(axis=0),
            "macro-recall": np.nan_to_num(right / truths).mean(axis=0),
            "weighted-f1": (f1 * truths).sum(axis=0) / n,
            "kappa": (agree - chance) / (1 - chance),
        }


def centre(many: Array, right: Array) -> Array:
    """The pooled share of right answers: of `many` units a class so many right, classes counting about alike."""
    a = 1 / (many + 1)
    return np.asarray(((a * right).sum(axis=-1) + 0.5) / ((a * many).sum(axis=-1) + 1))


def spread(p: Array) -> Array:
    """Weight 1 a class, p of it on right answers: (K, K, *p.shape)."""
    return np.where(np.eye(K, dtype=bool)[(..., *[None] * p.ndim)], p, (1 - p) / (K - 1))


def pure(g: Array, size: Array) -> Sums:
    """Pseudo-clusters of one truth: g is (truth, answer, tests, draws), size (tests, K)."""
    c = g * size.T[:, None, :, None].astype(np.float32)
    return np.einsum("iigd->igd", c), c.sum(axis=1), c.sum(axis=0)


def whole(g: Array, made: Array) -> Sums:
    """Pseudo-clusters like the mean cluster that has the class, all right or all wrong; made is (tests, K, K).

    Wrong answers of the class itself go where g has them, those of the other truths evenly to all other classes.
    """
    made, off = made.astype(np.float32), 1 - np.eye(K, dtype=np.float32)
    right, all_ = np.einsum("iigd->igd", g), g.sum(axis=1)
    hits, truths = np.einsum("igd,gil->lgd", right, made), np.einsum("igd,gil->lgd", all_, made)
    own = np.einsum("ijgd,gi->jgd", g * off[..., None, None], np.einsum("gii->gi", made))
    rest = np.einsum("igd,gil->lgd", all_ - right, made * off) / (K - 1)
    return hits, truths, hits + own + rest.sum(axis=0) - rest


def moved(draws: Array, to: Array) -> Array:
    """Draws moved on the logit scale so that their mean is the given one."""
    p: Array = np.clip(draws.astype(np.float32), 1e-6, 1 - 1e-6)
    y, shift, to = np.log(p) - np.log1p(-p), np.zeros((len(p), 1), dtype=np.float32), to.astype(np.float32)
    for _ in range(12):
        p = 1 / (1 + np.exp(-(y + shift)))
        step = (p.mean(axis=1, keepdims=True) - to) / np.maximum((p * (1 - p)).mean(axis=1, keepdims=True), 1e-12)
        shift = shift - np.clip(step, -1, 1)
        if np.all(np.abs(step) < 1e-4):
            break
    return 1 / (1 + np.exp(-(y + shift)))


@dataclass(frozen=True)
class Group:
    """Some simulated tests: drawn sums, sums of the items themselves, and what the made-up clusters are made of."""

    base: Array  # (right, truths or answers; class; test; draw)
    seen: Array  # the same without draws
    p: Array  # the pooled share of right answers, (tests,)
    weight: Array  # of made-up clusters, as a share of those of independent items, (tests, K)
    made: Array  # their make-up: by class they stand for and truth, (tests, K, K)
    factor: Array | None  # how far distributions are stretched

    @staticmethod
    def of(x: Array, rng: np.random.Generator) -> dict[str, Group]:
        """By rule, from items by truth and answer, (tests, clusters, K, K)."""
        right = np.einsum("gcii->gic", x)
        truths, answers = x.sum(axis=3).swapaxes(1, 2), x.sum(axis=2).swapaxes(1, 2)
        drawn = weighted(np.concatenate([right, truths, answers], axis=1), rng).reshape(-1, 3, K, DRAWS)
        base, seen = np.moveaxis(drawn, (1, 2), (0, 1)), np.stack([right, truths, answers]).sum(axis=3).swapaxes(1, 2)
        has = (truths > 0).astype(float)
        many, mean = has.sum(axis=2), truths.sum(axis=(1, 2)) / truths.shape[2]
        none = many == 0
        host = np.where(none, 1.0, (has / has.sum(axis=1, keepdims=True)).sum(axis=2) / np.maximum(many, 1))
        made = np.einsum("gic,glc->gil", has, truths) / np.maximum(many, 1)[..., None]
        made = np.where(none[..., None], mean[:, None, None] * np.eye(K), made)
        hits, n = right.sum(axis=1), truths.sum(axis=1)
        rho = np.maximum(rules.correlation(hits, n), rules.pattern_correlation(x.reshape(*x.shape[:2], K * K)))
        out = {}
        for rule, r in (("whole", np.ones(len(x))), ("seen", rho)):
            worth = truths / np.maximum(1 + (truths - 1) * r[:, None, None], 1)
            p = centre(worth.sum(axis=2), (worth * right / np.maximum(truths, 1)).sum(axis=2))
            weight = r[:, None] * host + 1 - r[:, None]
            both = r[:, None, None] * made + (1 - r)[:, None, None] * np.eye(K)
            part = 1 - np.maximum(1 - 1 / mean, 0.0) * (1 - r)
            factor = rules.stretch_factor(x.shape[1], part) if rule == "seen" else None
            out[rule] = Group(base, seen, p, weight, both, factor)
        return out

    @property
    def pooled(self) -> Array:
        """Weights where classes count alike: two in all at least."""
        return self.weight * np.maximum(1.0, 2.0 / self.weight.sum(axis=1))[:, None]

    def with_prior(self, to: Array, g: Array) -> dict[str, Array]:
        """Measures of the sums and the made-up clusters with these Gammas (or weights)."""
        return class_measures(*(u + v for u, v in zip(to, whole(g, self.made), strict=True)))

    def draws(self, rng: np.random.Generator) -> dict[str, Array]:
        """Of every measure, (tests, draws)."""
        weights = self.pooled.T[:, None, :, None]
        got = self.with_prior(self.base, gammas(rng, spread(accuracies(self.p, rng)) * weights))
        to = self.with_prior(self.seen[..., None], spread(self.p[:, None]) * weights)
        even = EVEN * self.weight.T[:, None, :, None]
        shared = self.with_prior(self.base, gammas(rng, even, (K, K, len(self.p), DRAWS)))
        at = self.with_prior(self.seen[..., None], even)
        found = {name: moved(got[name], to[name]) for name in EQUAL} | {name: shared[name] for name in SHARED}
        if self.factor is None:
            return found
        middle = {name: (to if name in EQUAL else at)[name][:, 0] for name in found}
        return {k: rules.stretched(x, middle[k], self.factor, -1.0 if k == "kappa" else 0.0) for k, x in found.items()}


def accuracies(p: Array, rng: np.random.Generator) -> Array:
    """Draws of the share of right answers around the pooled one, (tests, draws)."""
    size = (len(p), DRAWS)
    return np.clip(rng.beta((p * K / 3)[:, None], ((1 - p) * K / 3)[:, None], size), 1e-6, 1 - 1e-6)


def classes(case: Case, tests: int) -> Record:
    """Measures of five classes together."""
    rng, out = case.rng("classes"), Record()
    true = {k: float(v) for k, v in class_measures(*true_sums(case)).items()}
    for _, width in groups(tests):
        x = class_counts(case, GROUP, rng)
        for rule, group in Group.of(x, rng).items():
            for name, draws in group.draws(rng).items():
                out.add(rule, name, draws, true[name], width)
        cells = x.reshape(GROUP, case.clusters, K * K).swapaxes(1, 2)
        for name in (*EQUAL, *SHARED):
            out.normal("t", name, *rules.linear(of_counts(name), cells), case.clusters - 1.0, true[name])
        if width:
            ignored(out, x.sum(axis=1), true, rng)
    return out


def of_counts(name: str) -> Callable[..., Array]:
    """A measure of the items by truth and answer."""

    def found(*cells: Array) -> Array:
        x = np.array(cells).reshape(K, K, -1)
        return class_measures(np.einsum("iit->it", x), x.sum(axis=1), x.sum(axis=0))[name]

    return found


def ignored(out: Record, counts: Array, true: dict[str, float], rng: np.random.Generator) -> None:
    """The same as if items were independent: counts are (tests, K, K)."""
    c = np.moveaxis(counts, 0, -1)[..., None]
    p, one = centre(counts.sum(axis=2), np.einsum("gii->gi", counts)), np.ones((len(counts), K))
    got = class_measures(*pure(gammas(rng, c + spread(accuracies(p, rng))), one))
    to = class_measures(*pure(c + spread(p[:, None]), one))
    shared = class_measures(*pure(gammas(rng, c + EVEN, (K, K, len(counts), DRAWS)), one))
    for name in EQUAL:
        out.add("ignored", name, moved(got[name], to[name]), true[name], True)
    for name in SHARED:
        out.add("ignored", name, shared[name], true[name], True)
