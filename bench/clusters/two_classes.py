"""Hits and misses, tables of two classes, and two equal systems, by rule for the size of the prior's pseudo-clusters.

Rules. row: items of the truth a cluster, among clusters that have any. mean: all items a cluster. cell: items of the
cell a cluster, among clusters that have any. two: one pseudo-cluster all right and one all wrong, of mean make-up.
one: single items. none: no prior. ignored: items as if they were independent.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.clusters.simulated import DRAWS, Array, Case, Record, cells_of, gammas, groups, mean_size, weighted


def rates(case: Case, tests: int) -> Record:
    """Outcomes: hits and misses."""
    rng, out = case.rng("rates"), Record()
    n = case.items(tests, rng)
    hits = rng.binomial(n, case.chances(n, rng))
    x = np.stack([hits, n - hits], axis=1)
    mean = n.mean(axis=1)
    size = {
        "mean": np.stack([mean, mean], axis=1),
        "cell": mean_size(x, mean[:, None]),
        "one": np.ones((tests, 2)),
        "none": np.zeros((tests, 2)),
    }
    for part, width in groups(tests):
        base, prior = weighted(x[part], rng), gammas(rng, 1.0, (2, DRAWS))
        count = x[part].sum(axis=2)[..., None] + 1.0
        for rule in (*size, "ignored"):
            if rule == "ignored":
                c = gammas(rng, count, (*count.shape[:2], DRAWS))
            else:
                c = base + prior * size[rule][part][..., None].astype(np.float32)
            out.add(rule, "rate", c[:, 0] / c.sum(axis=1), case.rate, width)
    return out


def measures(tp: Array, fp: Array, fn: Array, tn: Array) -> Iterator[tuple[str, Array]]:
    pos, neg, yes, no = tp + fn, tn + fp, tp + fp, fn + tn
    with np.errstate(all="ignore"):
        recall, specificity = tp / pos, tn / neg
        yield "recall", recall
        yield "specificity", specificity
        yield "precision", tp / yes
        yield "f1", 2 * tp / (yes + pos)
        yield "accuracy", (tp + tn) / (pos + neg)
        yield "balanced-accuracy", (recall + specificity) / 2
        yield "phi", (tp * tn - fp * fn) / np.sqrt(pos) / np.sqrt(neg) / np.sqrt(yes) / np.sqrt(no)


def row_sizes(x: Array) -> tuple[Array, Array]:
    """Of positives and of negatives: items a cluster among clusters that have any; all items where there are none."""
    pos, neg = x[:, 0] + x[:, 2], x[:, 1] + x[:, 3]
    mean = mean_size(pos + neg, np.ones(len(x)))
    return mean_size(pos, mean), mean_size(neg, mean)


def cell_sizes(x: Array) -> dict[str, Array]:
    """The size of a pseudo-cluster in each cell, (tests, 4), by rule."""
    pos, neg = x[:, 0] + x[:, 2], x[:, 1] + x[:, 3]
    rows = np.stack(row_sizes(x) * 2, axis=1)
    composition = np.stack([pos.mean(axis=1), neg.mean(axis=1)] * 2, axis=1)
    return {
        "row": rows,
        "mean": np.repeat((pos + neg).mean(axis=1)[:, None], 4, axis=1),
        "cell": mean_size(x, rows),
        "two": composition,
        "one": np.ones(rows.shape),
        "none": np.zeros(rows.shape),
    }


def tables(case: Case, tests: int) -> Record:
    """Measures of two classes; accuracy under "mean" is the rule of outcomes."""
    rng, out = case.rng("tables"), Record()
    n = case.items(tests, rng)
    pos = case.positives(n, rng)
    x = cells_of(pos, n - pos, case.chances(n, rng), rng)
    s, r = case.share, case.rate
    true = {k: float(v) for k, v in measures(*np.array([s * r, (1 - s) * (1 - r), s * (1 - r), (1 - s) * r]))}
    size = cell_sizes(x)
    for part, width in groups(tests):
        base, half = weighted(x[part], rng), gammas(rng, 0.5, (4, DRAWS))
        right, wrong = gammas(rng, 1.0, (2, DRAWS))
        count = x[part].sum(axis=2)[..., None] + 0.5
        for rule in (*size, "ignored"):
            if rule == "ignored":
                c = gammas(rng, count, (*count.shape[:2], DRAWS))
            else:
                prior = np.stack([right, wrong, wrong, right]) if rule == "two" else half
                c = base + prior * size[rule][part][..., None].astype(np.float32)
            for name, draws in measures(*c.swapaxes(0, 1)):
                out.add(rule, name, draws, true[name], width)
    return out


def pairs(case: Case, tests: int) -> Record:
    """Two equal systems on the same clusters: rate, recall and F1."""
    rng, out = case.rng("pairs"), Record()
    x = two_systems(case, tests, rng)
    mean, rows = (np.stack(y, axis=1) for y in zip(*(sizes_of(x[:, s]) for s in (0, 1)), strict=True))
    for part, _ in groups(tests):
        base = weighted(x[part].reshape(len(x[part]), 8, -1), rng).reshape(-1, 2, 4, DRAWS)
        quarter, half = gammas(rng, 0.25, (2, 2, 2, DRAWS)), gammas(rng, 0.5, (2, 2, DRAWS))
        for rule in ("product", "one", "none"):
            s, m = (y[part] * (rule == "product") + (rule == "one") for y in (rows, mean))
            compared(out, rule, base + joint(quarter, s))
            hits = (
                base[:, :, 0] + base[:, :, 3] + m[..., None] * np.stack([half[0].sum(axis=0), half[:, 0].sum(axis=0)])
            )
            rate = hits / (base.sum(axis=2) + m[..., None] * half.sum(axis=(0, 1)))
            out.difference(rule, "rate", rate[:, 0] - rate[:, 1])
        s, better = rows[part, :, 0, None], np.stack([half[0, 1], half[1, 0]])  # one system right, the other wrong
        tp, fn = base[:, :, 0] + better * s, base[:, :, 2] + better[::-1] * s
        out.difference("one row", "recall", np.subtract(*np.moveaxis(tp / (tp + fn), 1, 0)))
        count = x[part].sum(axis=3)[..., None]
        compared(out, "ignored", gammas(rng, count + 0.5, (*count.shape[:3], DRAWS)))
        g = gammas(rng, count[:, :, [0, 1]] + count[:, :, [3, 2]] + 1.0, (len(count), 2, 2, DRAWS))
        out.difference("ignored", "rate", np.subtract(*np.moveaxis(g[:, :, 0] / g.sum(axis=2), 1, 0)))
    return out


def two_systems(case: Case, tests: int, rng: np.random.Generator) -> Array:
    """Cells of both, (tests, 2, 4, clusters). `fewer`: the second has a third of the samples, and they are its own."""
    n = case.items(tests, rng)
    pos, p = case.positives(n, rng), case.chances(n, rng)
    n2, pos2 = n, pos
    if case.also == "fewer":
        n2 = np.maximum(n // 3, 1)
        pos2 = n2 * (pos > 0) if case.truth == "one" else case.positives(n2, rng)
    second = p if case.also == "common" else case.chances(n, rng)
    return np.stack([cells_of(pos, n - pos, p, rng), cells_of(pos2, n2 - pos2, second, rng)], axis=1)


def sizes_of(x: Array) -> tuple[Array, Array]:
    """The mean size of a cluster, and those of both truths, (tests, 2)."""
    return x.sum(axis=1).mean(axis=1), np.stack(row_sizes(x), axis=1)


def joint(g: Array, size: Array) -> Array:
    """Cells of both systems, (tests, 2, 4, draws), from patterns (truth, first, second), positive and right first."""
    by = np.stack([g.sum(axis=2), g.sum(axis=1)])  # system, truth, right or wrong
    cells = np.stack([by[:, 0, 0], by[:, 1, 1], by[:, 0, 1], by[:, 1, 0]], axis=1)
    return cells * size[..., [0, 1, 0, 1], None].astype(np.float32)


def compared(out: Record, rule: str, c: Array) -> None:
    """Recall and F1 of both systems from their cells; 0/0 is 0 for both."""
    tp, fp, fn, _ = np.moveaxis(c, 2, 0)
    for name, top, bottom in (("recall", tp, tp + fn), ("f1", 2 * tp, 2 * tp + fp + fn)):
        out.difference(rule, name, np.subtract(*np.moveaxis(top / np.maximum(bottom, 1e-30), 1, 0)))
