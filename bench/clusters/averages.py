"""Label sets and averages over classes, by the package itself: fewer tests, because each is a posterior.

The rule before is not in the package any more. The usual t interval has one residual for each cluster, as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import howsure as hs
from bench.clusters import rules
from bench.clusters.simulated import DRAWS, Array, Case, Record

LABELS = np.array(list("abcde"))
K = len(LABELS)
SETS = ("micro-f1", "macro-f1", "samples-f1", "exact-match")


def label_sets(case: Case, tests: int) -> Record:
    """Items with any of five labels, each decided rightly with the chance of the cluster."""
    rng, out = case.rng("labels"), Record()
    true = _true_values(case)
    for test in range(tests):
        truth, said, cluster = _sets(case, rng, 1)
        data = _clustered(truth, {"a": said[0]}, cluster)
        for name in SETS:
            out.add("seen", name, _draws(data, name, test).T, true[name], True)
            out.normal("t", name, *_linear(name, truth, said, cluster), case.clusters - 1.0, true[name])
    return out


def averages(case: Case, tests: int) -> Record:
    """Two equal systems: label sets, and five classes with one predicted class for each item."""
    rng, out = case.rng("averages"), Record()
    for test in range(tests):
        truth, said, cluster = _sets(case, rng, 2)
        data = _clustered(truth, dict(zip("ab", said, strict=True)), cluster)
        for name in SETS[:2]:
            out.difference("seen", f"{name} of labels", _gap(data, name, test))
            out.rejected("t", f"{name} of labels", *_linear(name, truth, said, cluster), case.clusters - 1.0)
        truth, said, cluster = _classes(case, rng)
        data = hs.tally(truth, dict(zip("ab", said, strict=True)), cluster=cluster)
        out.difference("seen", "macro-f1 of classes", _gap(data, "macro-f1", test))
        sets = [_one_hot(x) for x in (truth, *said)]
        gap = _linear("macro-f1", sets[0], sets[1:], cluster)
        out.rejected("t", "macro-f1 of classes", *gap, case.clusters - 1.0)
    return out


def _draws(data: Any, name: str, test: int) -> Array:
    """Of the package's distribution, (draws, systems)."""
    found: Array = hs.posterior(data).resolve(name).joint_draws(DRAWS, test)
    return found


def _gap(data: Any, name: str, test: int) -> Array:
    first, second = _draws(data, name, test).T
    return (first - second)[None]


# -- data


def _clusters(case: Case, rng: np.random.Generator, systems: int) -> tuple[Array, list[Array]]:
    """The cluster of each item, and the chance of each system to be right there."""
    n = case.items(1, rng)
    first = case.chances(n, rng)
    chances = [first, *(first if case.also == "common" else case.chances(n, rng) for _ in range(systems - 1))]
    return np.repeat(np.arange(case.clusters), n[0]), [np.repeat(p[0], n[0]) for p in chances]


def _sets(case: Case, rng: np.random.Generator, systems: int) -> tuple[Array, list[Array], Array]:
    """True labels, those of each system, and clusters: tables of 0 and 1, (items, labels)."""
    cluster, chances = _clusters(case, rng, systems)
    truth = rng.random((len(cluster), K)) < case.share
    return truth, [truth ^ (rng.random(truth.shape) >= p[:, None]) for p in chances], cluster


def _classes(case: Case, rng: np.random.Generator) -> tuple[Array, list[Array], Array]:
    """True classes, those of two systems, and clusters."""
    cluster, chances = _clusters(case, rng, 2)
    truth = rng.integers(0, K, len(cluster))
    wrong = [(truth + rng.integers(1, K, len(truth))) % K for _ in chances]
    return truth, [np.where(rng.random(len(p)) < p, truth, w) for p, w in zip(chances, wrong, strict=True)], cluster


def _clustered(truth: Array, said: dict[str, Array], cluster: Array) -> hs.Clustered:
    columns = {name: [LABELS[row].tolist() for row in x] for name, x in {"truth": truth, **said}.items()}
    frame = pl.DataFrame(columns | {"cluster": cluster})
    return hs.tally(frame, truth="truth", pred=list(said), cluster="cluster")  # type: ignore[return-value]


def _one_hot(labels: Array) -> Array:
    return labels[:, None] == np.arange(K)


# -- metrics


def _by_item(truth: Array, said: Array) -> Array:
    """What an item adds: hits, wrong and missed labels; its F1 (0 without labels), whether all is right, and one."""
    both, either = truth & said, truth.sum(axis=1) + said.sum(axis=1)
    f1 = np.where(either > 0, 2 * both.sum(axis=1) / np.maximum(either, 1), 0.0)
    whole = np.stack([f1, (truth == said).all(axis=1), np.ones(len(truth))], axis=1)
    return np.concatenate([both, said & ~truth, truth & ~said, whole], axis=1).astype(float)


def _formula(name: str) -> Callable[..., Array]:
    def found(*parts: Array) -> Array:
        x = np.array(parts)
        hits, wrong, missed = x[:K], x[K : 2 * K], x[2 * K : 3 * K]
        values = {
            "micro-f1": lambda: 2 * hits.sum(axis=0) / (2 * hits + wrong + missed).sum(axis=0),
            "macro-f1": lambda: (2 * hits / (2 * hits + wrong + missed)).mean(axis=0),
            "samples-f1": lambda: x[3 * K] / x[3 * K + 2],
            "exact-match": lambda: x[3 * K + 1] / x[3 * K + 2],
        }
        return np.asarray(values[name]())

    return found


def _linear(name: str, truth: Array, said: list[Array], cluster: Array) -> tuple[Array, Array]:
    """Value and standard error of a metric, or of the difference of two systems."""
    formula, parts = _formula(name), [_by_item(truth, x) for x in said]
    items = np.concatenate(parts, axis=1)
    sums = np.array([np.bincount(cluster, x) for x in items.T])[None]
    if len(said) == 1:
        return rules.linear(formula, sums)
    half = parts[0].shape[1]
    return rules.linear(lambda *x: formula(*x[:half]) - formula(*x[half:]), sums)


def _true_values(case: Case) -> dict[str, float]:
    """From 400,000 items."""
    rng = case.rng("labels, true values")
    many = 400_000
    p = case.chances(np.ones((1, many), dtype=int), rng)[0]
    truth = rng.random((many, K)) < case.share
    sums = _by_item(truth, truth ^ (rng.random((many, K)) >= p[:, None])).sum(axis=0)
    return {name: float(_formula(name)(*sums)) for name in SETS}
