"""Hits and misses, tables of two classes, and two equal systems, by rule for the prior's made-up clusters.

Rules. seen: of the size that the correlation seen gives, and the distribution is stretched (the rule of the package).
whole: as large as the mean cluster (the rule until version 0.2). t: the linear part, with a residual for each cluster.
ignored: items as if they were independent.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from bench.clusters import rules
from bench.clusters.simulated import DRAWS, Array, Case, Record, cells_of, gammas, groups, mean_size, weighted


def rates(case: Case, tests: int) -> Record:
    """Outcomes: hits and misses."""
    rng, out = case.rng("rates"), Record()
    n = case.items(tests, rng)
    hits = rng.binomial(n, case.chances(n, rng))
    x, mean, part = np.stack([hits, n - hits], axis=1), n.mean(axis=1), rules.share(hits, n)
    for some, width in groups(tests):
        base, prior = weighted(x[some], rng), gammas(rng, 1.0, (2, DRAWS))
        for rule, sizes in (("whole", mean[some]), ("seen", (part * mean)[some])):
            c = base + prior * sizes[:, None, None].astype(np.float32)
            draws = c[:, 0] / c.sum(axis=1)
            if rule == "seen":
                centre = (hits[some].sum(axis=1) + sizes) / (n[some].sum(axis=1) + 2 * sizes)
                draws = rules.stretched(draws, centre, rules.stretch_factor(case.clusters, part[some]))
            out.add(rule, "rate", draws, case.rate, width)
        count = x[some].sum(axis=2)[..., None] + 1.0
        c = gammas(rng, count, (*count.shape[:2], DRAWS))
        out.add("ignored", "rate", c[:, 0] / c.sum(axis=1), case.rate, width)
    out.normal("t", "rate", *rules.linear(lambda a, b: a / (a + b), x), case.clusters - 1.0, case.rate)
    return out


FORMULAS: dict[str, Callable[[Array, Array, Array, Array], Array]] = {
    "recall": lambda tp, _fp, fn, _tn: tp / (tp + fn),
    "specificity": lambda _tp, fp, _fn, tn: tn / (tn + fp),
    "precision": lambda tp, fp, _fn, _tn: tp / (tp + fp),
    "f1": lambda tp, fp, fn, _tn: 2 * tp / (2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "balanced-accuracy": lambda tp, fp, fn, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "phi": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / np.sqrt(tp + fn) / np.sqrt(tn + fp) / np.sqrt(tp + fp) / np.sqrt(tn + fn)
    ),
}


def measure(name: str, cells: Array) -> Array:
    """A metric of cells, which are the first axis."""
    with np.errstate(all="ignore"):
        return np.asarray(FORMULAS[name](*cells))


PARTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {  # cells that take part in a metric, and hits among them
    "recall": ((0, 2), (0,)),
    "specificity": ((1, 3), (3,)),
    "precision": ((0, 1), (0,)),
    "f1": ((0, 1, 2), (0,)),
    "accuracy": ((0, 1, 2, 3), (0, 3)),
    "balanced-accuracy": ((0, 1, 2, 3), (0, 3)),
    "phi": ((0, 1, 2, 3), (0, 3)),
}


def row_sizes(x: Array) -> tuple[Array, Array]:
    """Of positives and of negatives: items a cluster among clusters that have any; all items where there are none."""
    pos, neg = x[:, 0] + x[:, 2], x[:, 1] + x[:, 3]
    mean = mean_size(pos + neg, np.ones(len(x)))
    return mean_size(pos, mean), mean_size(neg, mean)


def tables(case: Case, tests: int) -> Record:
    """Measures of two classes; accuracy has the rule of outcomes."""
    rng, out = case.rng("tables"), Record()
    n = case.items(tests, rng)
    pos = case.positives(n, rng)
    x = cells_of(pos, n - pos, case.chances(n, rng), rng)
    s, r = case.share, case.rate
    shares = np.array([s * r, (1 - s) * (1 - r), s * (1 - r), (1 - s) * r])
    true = {name: float(measure(name, shares)) for name in PARTS}
    part = {name: _part(x, *PARTS[name]) for name in PARTS}
    for some, width in groups(tests):
        own = {name: (share[some], factor[some]) for name, (share, factor) in part.items()}
        _table_group(x[some], true, own, out, width, rng)
    for name in PARTS:
        out.normal("t", name, *rules.linear(FORMULAS[name], x), case.clusters - 1.0, true[name])
    return out


def _part(x: Array, part: tuple[int, ...], hits: tuple[int, ...]) -> tuple[Array, Array]:
    """By the items that take part in a metric: a made-up cluster as a share of the mean one, and the stretch."""
    items, right = x[:, part].sum(axis=1), x[:, hits].sum(axis=1)
    share = rules.share(right, items)
    return share, rules.stretch_factor((items > 0).sum(axis=1), share)


def _table_group(
    x: Array,
    true: dict[str, float],
    part: dict[str, tuple[Array, Array]],
    out: Record,
    width: bool,
    rng: np.random.Generator,
) -> None:
    base, half, one = weighted(x, rng), gammas(rng, 0.5, (4, DRAWS)), gammas(rng, 1.0, (2, DRAWS))
    right, n, rows = x[:, 0] + x[:, 3], x.sum(axis=1), np.stack(row_sizes(x) * 2, axis=1)
    shares = np.stack([rules.share(x[:, 0], x[:, 0] + x[:, 2]), rules.share(x[:, 3], x[:, 1] + x[:, 3])] * 2, axis=1)
    both = np.stack([base[:, 0] + base[:, 3], base[:, 1] + base[:, 2]], axis=1)
    for rule, name in product(("whole", "seen"), PARTS):
        share, factor = part[name]
        sizes = rows * np.maximum(shares, share[:, None]) if rule == "seen" else rows
        draws = measure(name, (base + half * sizes[..., None].astype(np.float32)).swapaxes(0, 1))
        centre = measure(name, (x.sum(axis=2) + 0.5 * sizes).T)
        if name == "accuracy":
            size = n.mean(axis=1) * (share if rule == "seen" else 1.0)
            table = both + one * size[:, None, None].astype(np.float32)
            draws = table[:, 0] / table.sum(axis=1)
            centre = (right.sum(axis=1) + size) / (n.sum(axis=1) + 2 * size)
        if rule == "seen":
            draws = rules.stretched(draws, centre, factor, -1.0 if name == "phi" else 0.0)
        out.add(rule, name, draws, true[name], width)
    count = x.sum(axis=2)[..., None] + 0.5
    alone = gammas(rng, count, (*count.shape[:2], DRAWS)).swapaxes(0, 1)
    for name in PARTS:
        out.add("ignored", name, measure(name, alone), true[name], width)


# -- two systems


PAIRED = {"rate": "accuracy", "recall": "recall", "precision": "precision", "f1": "f1"}


def pairs(case: Case, tests: int) -> Record:
    """Two equal systems on the same clusters."""
    rng, out = case.rng("pairs"), Record()
    x = two_systems(case, tests, rng)
    for some, _ in groups(tests):
        _compare(x[some], out, rng)
    flat = x.reshape(tests, 8, -1)
    for name, metric in PAIRED.items():
        found = FORMULAS[metric]
        gap = rules.linear(lambda *c, found=found: found(*c[:4]) - found(*c[4:]), flat)
        out.rejected("t", name, *gap, case.clusters - 1.0)
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
    second = np.clip(second - case.behind, 0.0, 1.0)
    return np.stack([cells_of(pos, n - pos, p, rng), cells_of(pos2, n2 - pos2, second, rng)], axis=1)


def _compare(x: Array, out: Record, rng: np.random.Generator) -> None:
    base = weighted(x.reshape(len(x), 8, -1), rng).reshape(-1, 2, 4, DRAWS)
    half = gammas(rng, 0.5, (2, 2, DRAWS))
    pos, neg = x[:, :, [0, 2]].sum(axis=2), x[:, :, [1, 3]].sum(axis=2)
    rows = np.stack([np.stack(row_sizes(x[:, s]), axis=1) for s in (0, 1)], axis=1)  # (tests, systems, truths)
    apart = {name: _differing(*(x[:, :, list(y)].sum(axis=2) for y in PARTS[PAIRED[name]])) for name in PAIRED}
    by_row = np.stack([_differing(pos, x[:, :, 0]), _differing(neg, x[:, :, 3])], axis=1)[:, None]
    size = (pos + neg).mean(axis=2)
    found = _gaps(base, x, half, size, dict.fromkeys(PAIRED, rows), np.ones(len(x)), rng)
    for name, (draws, _) in found.items():
        out.difference("whole", name, draws)
    sizes = {name: rows * np.maximum(by_row, share[:, None, None]) for name, share in apart.items()}
    found = _gaps(base, x, half, size * apart["rate"][:, None], sizes, _truths(x), rng)
    for name, (draws, centre) in found.items():
        part = x[:, :, list(PARTS[PAIRED[name]][0])].sum(axis=2)
        factor = rules.stretch_factor((part > 0).any(axis=1).sum(axis=1), apart[name])
        out.difference("seen", name, rules.stretched(draws, centre, factor, -1.0))


Gap = tuple[Array, Array]  # draws, and the difference at the mean of all masses


def _gaps(
    base: Array,
    x: Array,
    half: Array,
    size: Array,
    sizes: dict[str, Array],
    times: Array,
    rng: np.random.Generator,
) -> dict[str, Gap]:
    """Of every metric, with made-up clusters of these sizes."""
    found = {"rate": _rate_gap(base, x, half, size), "recall": _recall_gap(base, x, half, sizes["recall"][:, :, 0])}
    return found | {name: _table_gap(name, base, x, sizes[name], times, rng) for name in ("precision", "f1")}


def _differing(part: Array, hits: Array) -> Array:
    """A made-up cluster on which the systems differ: items and hits are (tests, systems, clusters)."""
    here = (part > 0).all(axis=1)
    rate = hits / np.maximum(part, 1)
    return rules.difference_share(
        np.where(here, np.abs(rate[:, 0] - rate[:, 1]), 0.0), np.where(here, part.mean(axis=1), 0.0)
    )


def _truths(x: Array) -> Array:
    """The mean number of truths of a cluster, over both systems."""
    there = np.stack([x[:, :, [0, 2]].sum(axis=2) > 0, x[:, :, [1, 3]].sum(axis=2) > 0])
    return np.asarray((there.sum(axis=(0, 3)) / np.maximum(there.any(axis=0).sum(axis=2), 1)).mean(axis=1))


def _rate_gap(base: Array, x: Array, half: Array, size: Array) -> Gap:
    more = np.stack([half[0].sum(axis=0), half[:, 0].sum(axis=0)])
    draws = (base[:, :, 0] + base[:, :, 3] + size[..., None] * more) / (
        base.sum(axis=2) + size[..., None] * half.sum(axis=(0, 1))
    )
    seen = (x[:, :, [0, 3]].sum(axis=(2, 3)) + size) / (x.sum(axis=(2, 3)) + 2 * size)
    return draws[:, 0] - draws[:, 1], seen[:, 0] - seen[:, 1]


def _recall_gap(base: Array, x: Array, half: Array, size: Array) -> Gap:
    """Half on each pattern in which one system is right and the other wrong."""
    better = np.stack([half[0, 1], half[1, 0]])
    tp, fn = base[:, :, 0] + better * size[..., None], base[:, :, 2] + better[::-1] * size[..., None]
    draws = tp / (tp + fn)
    seen = (x[:, :, 0].sum(axis=2) + 0.5 * size) / (x[:, :, [0, 2]].sum(axis=(2, 3)) + size)
    return draws[:, 0] - draws[:, 1], seen[:, 0] - seen[:, 1]


def _table_gap(name: str, base: Array, x: Array, sizes: Array, times: Array, rng: np.random.Generator) -> Gap:
    """Precision or F1, under the product rule; its weights are `times` those of independent items."""
    g = gammas(rng, 0.25 * times[:, None], (2, 2, 2, len(x), DRAWS))
    by = np.stack([g.sum(axis=2), g.sum(axis=1)])  # system, truth, right or wrong, test, draw
    cells = np.stack([by[:, 0, 0], by[:, 1, 1], by[:, 0, 1], by[:, 1, 0]], axis=1)
    at = sizes[..., [0, 1, 0, 1]]
    draws = measure(name, np.moveaxis(base + np.moveaxis(cells, 2, 0) * at[..., None], 2, 0))
    seen = measure(name, np.moveaxis(x.sum(axis=3) + 0.5 * times[:, None, None] * at, 2, 0))
    return draws[:, 0] - draws[:, 1], seen[:, 0] - seen[:, 1]
