"""Sentences of notes that are templates over their facts; marks such as <missing=drop> become options."""

from __future__ import annotations

from typing import Final

LEFT_OUT: Final = ("ids-missing", "ids-twice", "ids-unmatched", "truths-disagree", "clusters-unmatched")


SENTENCES: Final[dict[str, str]] = {
    "missing-dropped/label": "{truths:,} missing truths and {predictions:,} missing predictions were left out",
    "missing-dropped/outcome": "{count:,} missing outcomes were left out",
    "missing-dropped/value": "{count:,} of {total:,} items were left out: a value is missing",
    "missing-dropped/score": "{count:,} of {total:,} items were left out: a truth or a score is missing",
    "missing-dropped/amount": "{count:,} rows without a {what} were left out",
    "missing-dropped/cluster": "{count:,} items without a cluster were left out",
    "missing-wrong": "{count:,} missing {what}s are counted as wrong",
    "similar-labels": "labels {first!r} and {second!r} differ only by case, blanks or type; are they one class?",
    "binned/one": "scores are counted in {bins:,} bins, with edges from {ends}",
    "binned/several": "scores are counted in up to {bins:,} bins for each of {scores} scores, with edges from {ends}",
    "ids-missing": "{count:,} rows have no id (in {where})",
    "ids-twice": "{count:,} ids occur more than once in {where} ({first})",
    "ids-unmatched/only": "{count:,} ids are only in {where} ({first})",
    "ids-unmatched/some": "{count:,} ids are not in every file ({first})",
    "ids-unmatched/system": "{count:,} items have no row of some system ({first})",
    "truths-disagree": "{count:,} ids have truths that disagree ({first})",
    "clusters-unmatched": "{count:,} clusters are not in every system ({first})",
    "ids-repeat": "{ids:,} values of {column!r} have several rows; if these belong together, such as answers to one "
    "question, give that column as <cluster>",
    "strata": (
        "a sample of {count} strata: each has a posterior of its own, and they are put together by their population "
        "sizes"
    ),
    "no-data": "the table is empty: these are the prior's own numbers",
    "clusters": "whole clusters are resampled: {count:,} of them",
    "full-recall": (
        "at recall 1 the prior's weight below all scores is found too: the interval is that of calling every item "
        "positive; prior none is about these items' scores alone"
    ),
    "incomplete/tables": "there are more tables than were listed; raise <most>, or give more digits",
    "incomplete/solutions": "there are more solutions than were listed; raise <most>",
    "one-sided": (
        "{system} has the larger value on every item where they differ: resampling them alone cannot doubt that; "
        "<prior=even> can"
    ),
    "bins/no-bound": "{metric} is that of {bins:,} bins of scores; there is no bound for its distance from theirs",
    "hdi-unbounded": (
        "the density of {of} has no bound at either end of its range, so there is no single shortest interval; "
        "the equal-tailed interval is given"
    ),
    "rounds-to-edge": (
        "an end of the interval of {of} is closer to the end of its range than numbers can show; see its gap"
    ),
    "infinite-mean": "the mean of {of} is infinite: its tail is too heavy; use the median",
    "unbounded": "{of} has no bound: its mean may not exist, and a sample cannot tell; use the median",
    "no-mean": "the difference of {of} has no mean: both are infinite",
    "priors-differ": "the two have different priors: {first} the first, {second} the second",
    "pairs-prior": (
        "pairs and groups have the prior of two systems, P(best) and ranks that of all together: no prior of this "
        "weight is both on {of}"
    ),
    "no-direction": "{of} has no better direction: only the difference is given",
    "simultaneous": (
        "simultaneous: tails of {tail:.2g} at each of {points:,} points hold whole curves, by {draws:,} draws"
    ),
    "no-interval": "no interval at {count:,} of {points:,} points: the draws are 0/0, infinite or all the same",
    "no-width": "no draw differs from the items at {count:,} of {points:,} points: no width there",
    "nothing": "{metric} is best where no item is called positive",
    "only-common": "{count:,} of {total:,} judged queries left out: some run lacks them",
    "ties": "scores are rounded to single precision (float32) before they are compared: pytrec-eval's rule",
    "foreign": (
        "{metric} is computed by ir-measures, by its rules: unjudged documents are not relevant, a query that a run "
        "lacks or that has no relevant document counts as 0; its bounds are not known here"
    ),
    "peer/beta": (
        "{metric}: recall has weight beta² = {weight:g}, as F has everywhere here; ir-measures and trec_eval take beta "
        "itself for that weight, so that theirs is SetF(beta={root:.6g}) here"
    ),
    "peer/recall": "{metric} is at that recall; ir-measures rounds it to {theirs}",
    "peer/negative": (
        "{metric}: a document of a negative grade was not judged, as in trec_eval; ir-measures takes it for judged"
    ),
    "peer/ties": (
        "{metric}: documents of one score go by id, falling, as in trec_eval; ir-measures has them rising for this "
        "measure, and its value may differ"
    ),
    "peer/order": (
        "{metric}: documents of one score go by id, falling, as in trec_eval; ir-measures has them in the order of the "
        "run, and its value may differ"
    ),
    "micro": (
        "{metric} adds up its tallies over queries; whole queries are resampled, and the prior's have the mean size"
    ),
    "unjudged-view/relevant": (
        "{metric}: as if every document that a run retrieved and nobody judged had the highest grade; it is then also "
        "missed where another run has it, so measures that divide by the relevant documents may fall"
    ),
    "unjudged-view/rate": (
        "{metric}: unjudged documents have grades as often as the judged ones of their query (weight 2 on all queries "
        "together); judges see the best-ranked documents first, so that is likely too often"
    ),
}


WEIGHTED: Final = {
    "counts": "cells and classes each have Kish's size of their own items, (sum of weights)²/(sum of squared weights)",
    "clusters": "a cluster counts with the weights of its items",
    "items": "each counts with its weight; all have Kish's size, (sum of weights)²/(sum of squared weights)",
}
