"""Sentences of notes that are templates over their facts; marks such as <missing=drop> become options.

A count is written {count:row is|rows are}, with its noun and verb, or {count:=is|are} for the word alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any, Final

from howsure.errors import plural

LEFT_OUT: Final = ("ids-missing", "ids-twice", "ids-unmatched", "truths-disagree", "clusters-unmatched")


SENTENCES: Final[dict[str, str]] = {
    "missing-dropped/outcome": "{count:missing outcome was|missing outcomes were} left out",
    "missing-dropped/value": "{count:,} of {total:item|items} {count:=was|were} left out: a value is missing",
    "missing-dropped/score": (
        "{count:,} of {total:item|items} {count:=was|were} left out: a truth or a score is missing"
    ),
    "missing-dropped/amount": "{count:row|rows} without a {what} {count:=was|were} left out",
    "missing-dropped/cluster": "{count:item|items} without a cluster {count:=was|were} left out",
    "missing-wrong": "{count:,} missing {what}{count:= is|s are} counted as wrong",
    "similar-labels": "labels {first!r} and {second!r} differ only by case, blanks or type; are they one class?",
    "word-for-missing": "label {label!r} is taken as a class; if it says that one is missing, leave the field empty",
    "binned/one": "scores are counted in {bins:bin|bins}, with edges from {ends}",
    "binned/several": "scores are counted in up to {bins:bin|bins} for each of {scores} scores, with edges from {ends}",
    "ids-missing": "{count:row has|rows have} no id (in {where})",
    "ids-twice": "{count:id occurs|ids occur} more than once in {where} ({first})",
    "ids-unmatched/only": "{count:id is|ids are} only in {where} ({first})",
    "ids-unmatched/some": "{count:id is|ids are} not in every file ({first})",
    "ids-unmatched/system": "{count:item has|items have} no row of some system ({first})",
    "truths-disagree": "{count:id has|ids have} truths that disagree ({first})",
    "clusters-unmatched": "{count:cluster is|clusters are} not in every system ({first})",
    "ids-repeat": "{ids:value|values} of {column!r} {ids:=has|have} several rows; if these belong together, such as "
    "answers to one question, give that column as <cluster>",
    "table-taken": "the database has one table, {table!r}, which was taken",
    "strata": (
        "a sample of {count:stratum|strata}: each has a posterior of its own, and they are put together by their "
        "population sizes"
    ),
    "no-data": "the table is empty: these are the prior's own numbers",
    "clusters": "whole clusters are resampled: {count:,} of them",
    "full-recall": (
        "at recall 1 the prior's weight below all scores is found too: the interval is that of calling every item "
        "positive; prior none is about these items' scores alone"
    ),
    "not-whole/endless": (
        "nothing given bounds n: these are ranges over all tables, whole or not; give n, such as n=200, for the tables"
    ),
    "not-whole/large": "n is too large to list tables of whole numbers: these are ranges over all tables, whole or not",
    "not-whole/unsure": (
        "no table of whole numbers was found, which is not certain with counts this large: these are ranges over all "
        "tables, whole or not"
    ),
    "not-whole/long": (
        "the search for tables of whole numbers would take too long: these are ranges over all tables, whole or not"
    ),
    "few-digits": "{read}: write zeros that were printed too, as in {more}",
    "deprecated": "leave out {option}, which will be gone in the next release: {instead}",
    "incomplete/tables": "there are more tables than were listed; raise <most>, or give more digits",
    "incomplete/solutions": "there are more solutions than were listed; raise <most>",
    "one-sided": (
        "{system} has the larger value on every item where they differ: resampling them alone leaves no doubt of that; "
        "<prior=even> can"
    ),
    "bins/no-bound": "{metric} is that of {bins:bin|bins} of scores; there is no bound for its distance from theirs",
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
        "simultaneous: tails of {tail:.2g} at each of {points:point|points} hold whole curves, by {draws:,} draws"
    ),
    "no-interval": "no interval at {count:,} of {points:point|points}: the draws are 0/0, infinite or all the same",
    "no-width": "no draw differs from the items at {count:,} of {points:point|points}: no width there",
    "nothing": "{metric} is best where no item is called positive",
    "only-common": "{count:,} of {total:judged query|judged queries} left out: some run lacks them",
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


class _Count:
    """A number in a template; a format such as row is|rows are takes the words for one or for several."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, form: str) -> str:
        if "|" not in form:
            return format(self.value, form)
        one, several = form.removeprefix("=").split("|")
        if form.startswith("="):
            return one if self.value == 1 else several
        return plural(self.value, one, several)


def filled(template: str, facts: Mapping[str, Any]) -> str:
    """A template with its facts, each count with the words for one or for several.

    >>> filled("{n:row is|rows are} odd, {m:row is|rows are} not", {"n": 1, "m": 2})
    '1 row is odd, 2 rows are not'
    """
    return template.format(**{k: _Count(x) if isinstance(x, Number) else x for k, x in facts.items()})


# -- slices

_ALIKE: Final = ("metric", "system", "slices", "found", "expected", "marked")


def numbers(code: str, facts: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The numbers of a note, for programs, where it has some that are told nowhere else."""
    if code != "slices-alike":
        return None
    columns = [facts["of" if name == "metric" else name] for name in _ALIKE]
    return [dict(zip(_ALIKE, values, strict=True)) for values in zip(*columns, strict=True)]


def slices_alike(f: Mapping[str, Any]) -> str:
    """How many slices look different, how many would if all were alike, and how many stand out beyond that."""
    lines = numbers("slices-alike", f) or []
    far = f"a {f['what']} further from that of all items than 95% of random parts of the data of their size"
    if len(lines) == 1:
        (x,) = lines
        have = f"{x['found']:,} of {plural(x['slices'], 'slice')} {'has' if x['found'] == 1 else 'have'}"
        marks = f"{x['marked']:,} {'stands' if x['marked'] == 1 else 'stand'} out beyond that, marked *"
        would = f"if all slices were alike, {_about(x['expected'])} would"
        return f"{have} {far}; {would}; {marks if x['marked'] else 'none stands out beyond that'}"
    each = [
        f"{x['system'] + ' ' if x['system'] else ''}{x['metric']} {x['found']:,} ({_about(x['expected'])}), "
        f"{x['marked']:,} marked"
        for x in lines
    ]
    more = f"; and {plural(len(each) - 8, 'measure')} more" if len(each) > 8 else ""
    told = f"slices with {far} (if all were alike), and those that stand out beyond that, marked *"
    return f"{told}: {'; '.join(each[:8])}{more}"


def _about(x: float) -> str:
    return "none" if x < 0.005 else f"about {x:,.0f}" if x >= 10 else f"about {x:.2g}"


def columns_taken(f: Mapping[str, Any], way: str) -> str:
    """Which columns were taken by their usual names, and the way to count passes and fails that are there also."""
    called = {"truth": "truth", "pred": "predictions", "outcome": "outcomes", "score": "scores", "on": "ids"}
    parts = [f"{what} from {f[role]!r}" for role, what in called.items() if role in f]
    said = f"took {' and '.join([', '.join(parts[:-1]), parts[-1]] if parts[1:] else parts)}"
    return f"{said}; for passes and fails give {way}" if "also" in f else said
