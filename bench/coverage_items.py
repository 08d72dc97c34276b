"""The part of the coverage study that is not about tables: many labels an item."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

import howsure as hs
from bench.coverage_cases import Size
from bench.coverage_counting import DRAWS, RESAMPLES, SEED, Array, Hits, ends
from howsure.catalogue import parse
from howsure.posteriors import priors
from howsure.posteriors.class_samples import Bounded, centres, move_to, moved
from howsure.posteriors.over_items import LabelDrawing


def of_labels(k: int, n: int, size: Size) -> dict[str, Any]:
    """Items with many labels, some items harder than others, label l on a share 0.4/(1 + l/2) of them."""
    rng = np.random.default_rng([SEED, 2, k, n])
    names = ("macro-f1", "micro-f1", "samples-f1")

    def items(m: int) -> tuple[Any, Any]:
        topic, ease = rng.random((m, 1)), rng.normal(0.0, 1.0, (m, 1))
        share = 0.4 / (1 + 0.5 * np.arange(k)) * (0.5 + topic)
        truth = rng.random((m, k)) < share
        found = rng.random((m, k)) < ndtr(0.9 + ease)
        false = rng.random((m, k)) < 0.5 * share * ndtr(-0.9 - ease)
        return truth, np.where(truth, found, false)

    macro = parse("macro-f1")
    measure = Bounded(macro.formula, *macro.bounds)

    def values(truth: Any, answer: Any, weights: Array) -> Array:
        """Macro, micro and samples F1 of items with weights (items, draws)."""
        tp, row, col = ((x.T.astype(float) @ weights) for x in (truth & answer, truth, answer))
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.nan_to_num(2 * (truth & answer).sum(axis=1) / (truth.sum(axis=1) + answer.sum(axis=1)))
        flat = 2 * tp.sum(axis=0) / (row.sum(axis=0) + col.sum(axis=0))
        cells = {"tp": tp, "fp": col - tp, "fn": row - tp, "tn": weights.sum(axis=0) - row - col + tp}
        return np.stack([measure(cells), flat, each @ weights / weights.sum(axis=0)])

    real = np.mean([values(*items(200_000), np.ones((200_000, 1)))[:, 0] for _ in range(5)], axis=0)
    methods = {x: Hits() for x in ("even", "labels apart", "percentile")}
    for i in range(size.many):
        truth, answer = items(n)
        t = hs.Tally.multilabel(truth.astype(int), answer.astype(int), labels=range(k))
        drawing = LabelDrawing(t, priors.make("even"), True)
        draws = [measure(x.cells(0)) for x in drawing.plan().draws(DRAWS, i)]
        x = np.concatenate(draws)
        shift = move_to(x, centres(t, drawing, measure), (0.0, 1.0))
        methods["even"].add("macro-f1", *ends(moved(x, shift, (0.0, 1.0))), real[0])
        p = hs.posterior(t)
        for j in (1, 2):
            got = p[names[j]].interval()
            methods["even"].add(names[j], got.low, got.high, real[j])
        apart = hs.Tally.multilabel(truth.astype(int), answer.astype(int), labels=range(k), independent=True)
        draws = [measure(y.cells(0)) for y in LabelDrawing(apart, priors.make("even"), True).plan().draws(DRAWS, i)]
        x = np.concatenate(draws)
        methods["labels apart"].add("macro-f1", *ends(x), real[0])
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T.astype(float)
        for name, low, high, true in zip(names, *ends(values(truth, answer, drawn)), real, strict=True):
            methods["percentile"].add(name, low, high, true)
    return {"k": k, "n": n, "methods": {x: h.document() for x, h in methods.items()}}
