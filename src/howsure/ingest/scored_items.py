"""Truths and scores to Scored: arrays in the order given, or what an engine counted, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, BadSetting, plural
from howsure.evidence.account import Account
from howsure.evidence.layout import number
from howsure.evidence.scored import Scored
from howsure.ingest import binning
from howsure.ingest.columns import Array, as_numbers, coded
from howsure.ingest.groups import Groups, Source, many, refuse_nothing
from howsure.ingest.label_arrays import as_column, as_weights, cluster_column, refuse_twins
from howsure.ingest.labelling import known_labels, two_classes
from howsure.ingest.request import Request, check_missing
from howsure.ingest.settling import unweighed, without_clusters, without_weightless
from howsure.labels import Label
from howsure.language import option
from howsure.notes import note


def of_arrays(y_true: Any, scores: Any, settings: Mapping[str, Any]) -> Scored:
    """Truths and scores in the order given; a weight, a cluster and settings may be given too."""
    weight, cluster = settings.get("weight"), settings.get("cluster")
    if scores is None:
        raise BadSetting("a curve needs truths and scores: hs.curve(y_true, scores).")
    given = dict(scores) if isinstance(scores, Mapping) else {"system": scores}
    if not given:
        raise BadLabels("no scores were given.")
    names = tuple(str(x) for x in given)
    refuse_twins(names, list(given))
    called = [f"scores of {x!r}" for x in given] if isinstance(scores, Mapping) else ["scores"]
    labels = {"truth": coded(as_column(y_true, "y_true"))}
    parts = [as_numbers(x, name, apart=True) for name, x in zip(called, given.values(), strict=True)]
    n = len(labels["truth"])
    for name, x in zip(called, parts, strict=True):
        if len(x) != n:
            raise BadLabels(f"got {plural(n, 'truth')} but {len(x):,} {name}; give one of each per item.")
    weights = None if weight is None else as_weights(weight, n)
    if cluster is not None:
        labels["cluster0"] = cluster_column(cluster, n)
    counts = np.ones(n, dtype=np.int64) if weights is None else weights
    numbers = {f"answer{i}": x for i, x in enumerate(parts)}
    squares = None if weights is None else weights**2
    groups = Groups(labels, counts, squares, numbers, rows=np.ones(n, dtype=np.int64), account=Account(n))
    answers = tuple(numbers)
    missing = check_missing(settings.get("missing", "refuse"), "scores")
    request = Request(
        kind="scores", answers=answers, truth="truth", names=names, positive=settings.get("positive"),
        cluster=None if cluster is None else "cluster", missing=missing,
    )  # fmt: skip
    return settle_scores(groups, request, counted=False)


def of_source(source: Source, request: Request) -> Scored:
    """Rows counted by an engine: distinct scores in order, or bins of them."""
    found, bins = binning.scores(source, request)
    made = settle_scores(found, request, counted=True)
    if bins is not None:
        made = replace(made, bins=bins.size, notes=(*made.notes, bins.note))
    return replace(made, library=source.library)


def settle_scores(g: Groups, request: Request, *, counted: bool) -> Scored:
    """The Scored of groups; those that an engine counted are put in order."""
    if not counted and not len(g):
        raise BadLabels("there are no items: truths and scores are empty.")
    refuse_nothing(g)
    none = np.zeros(len(g), dtype=bool)
    g, _, _, notes = without_clusters(g, request, none, none)
    values = g.values()
    truths = g.truth.missing
    lost = truths | np.isnan(values).any(axis=1)
    gone = number(g.counts[lost].sum())
    if gone and request.missing == "refuse":
        what = "no truth" if truths.any() else "a score that is missing or NaN"
        told = (
            f"{many(gone)} of {plural(g.total, 'row' if counted else 'item')} {'has' if gone == 1 else 'have'} {what}"
        )
        raise BadLabels(f"{told}; give {option('missing', 'drop')} to leave them out.")
    if gone:
        notes = (*notes, note("missing-dropped", form="score", count=gone, total=g.total))
    notes = (*notes, *unweighed(g, request))
    g = without_weightless(g.leaving(lost))
    account = g.account
    g = g.at(g.counts > 0)
    if not len(g):
        raise BadLabels("there are no items: no row has a truth and a score.")
    g = g.at(_order(g)) if counted else g
    values = g.values()
    known = known_labels(g.truth.present, [], None)
    if len(known) < 2:
        raise BadLabels(f"all items are {known[0]!r}: a curve needs items of both classes.")
    yes, labels = two_classes(g.truth, known, request.positive)
    _refuse(values, yes.astype(bool), labels)
    clusters = None
    if "cluster0" in g.labels:
        clusters = g.labels["cluster0"].in_order().codes
        if clusters.max() == 0:
            raise BadLabels("all items are in one cluster: whole clusters are resampled, so two or more are needed.")
    plain = g.squares is None and bool((g.counts == 1).all())
    counts = None if plain else g.counts.astype(float)
    return Scored(
        yes.astype(bool), values, request.systems, labels, counts, g.squares, clusters, notes, account=account
    )


def _order(g: Groups) -> NDArray[np.int64]:
    """Rows by cluster, truth and scores, whatever order an engine gave them in."""
    ordered = [x.in_order().codes for x in (*g.named("cluster"), g.truth)]
    return np.lexsort((*g.values().T[::-1], *ordered[::-1]))


def _refuse(values: Array, truth: NDArray[np.bool_], labels: tuple[Label, Label]) -> None:
    """Scores that are infinite, and truths of one class only."""
    if not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise BadLabels(f"scores must be finite numbers; got {bad:g}. Replace it, or leave those items out.")
    if truth.all() or not truth.any():
        raise BadLabels(
            f"all {len(truth):,} items are {labels[int(truth[0])]!r}: a curve needs items of both classes, "
            f"{labels[0]!r} and {labels[1]!r}."
        )
