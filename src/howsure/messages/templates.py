"""Sentences of notes that are templates over their facts; marks such as <missing=drop> become options.

A count is written {count:row is|rows are}, with its noun and verb, or {count:=is|are} for the word alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any, Final

from howsure.errors import plural

LEFT_OUT: Final = ("ids-missing", "ids-twice", "ids-unmatched", "truths-disagree", "clusters-unmatched")


SHIFTED: Final = (
    ", instead of {tested} among the items tested: that share, which may have been set by design, is not used; recall "
    "and specificity are assumed to be the same in both"
)

_MORE: Final = "more {unit}: about this many more {unit} like these"
_BASELINE: Final = ", and as many times more of the baseline's,"
_SETTLED: Final = " give an 80% chance of a decision"
_SLICED: Final = "; of a requirement in a slice they are {unit} of that slice"

SENTENCES: Final[dict[str, str]] = {
    "missing-dropped/outcome": "{count:missing outcome was|missing outcomes were} left out",
    "missing-dropped/value": "{count:,} of {total:item|items} {count:=was|were} left out: a value is missing",
    "missing-dropped/score": (
        "{count:,} of {total:item|items} {count:=was|were} left out: a truth or a score is missing"
    ),
    "missing-dropped/amount": "{count:row|rows} without a {what} {count:=was|were} left out",
    "missing-dropped/cluster": "{count:item|items} without a cluster {count:=was|were} left out",
    "missing-dropped/judged": "{count:item|items} without a {what} {count:=was|were} left out",
    "report-extra": "charts and a whole report instead of a table: pip install 'howsure[charts]'",
    "missing-wrong": "{count:,} missing {what}{count:= is|s are} counted as wrong",
    "log-older": (
        "{count:older log|older logs} of the same task and model {count:=was|were} left out ({first}); give {count:=it|"
        "them} by name to compare"
    ),
    "log-skipped": "{count:skipped sample was|skipped samples were} left out: {count:=it was|they were} not to be run",
    "many-classes": (
        "more classes ({count:,}) than were simulated ({most}): intervals of averages over so many classes hold the "
        "true value too seldom, except that of macro-recall (docs/explanation/coverage.md)"
    ),
    "no-common-label": (
        "no predicted label{system} occurs among the true labels: are these the right columns, and labels spelled "
        "alike? (true labels {truths}; predictions {answers})"
    ),
    "shifted-labels": (
        "predictions{system} are the true labels {by:+d} for {share:.0%} of items (true labels {truths}, predictions "
        "{answers}): if one column counts classes from 0 and the other from 1, make both count from the same number"
    ),
    "shifted-labels/row": (
        "predictions{system} are the true labels of the {row} row for {share:.0%} of the first {rows:row|rows}: are "
        "the columns one row apart? Join predictions to true labels by an id"
    ),
    "id-predictions/column": (
        "predictions{system} are the values of column {column!r}, which looks like ids: name the column of predictions "
        "with <pred>"
    ),
    "id-predictions/unique": (
        "of {count:prediction|predictions}{system}, {single:,} {single:=occurs|occur} only once, though true labels "
        "repeat: is this a column of ids or of free text rather than of predicted labels?"
    ),
    "threshold-extreme": (
        "threshold {threshold:g} calls {called:,} of {total:item|items} positive: is the threshold on the scale of the "
        "scores?"
    ),
    "auc-reversed": (
        "the whole {level} interval of {of} is below 0.5, worse than guessing: are the scores reversed? "
        "If low scores mean positive, use 1 - score, or name the other class with <positive>"
    ),
    "unlike-scales": (
        "values of {first} and {second} hardly overlap (the middle 90% of {first} is {low:.3g} to {high:.3g}, all "
        "values of {second} are {least:.3g} to {most:.3g}): are both on the same scale? If not, rescale one of them "
        "first"
    ),
    "no-true-negatives": (
        "tn is 0, as in retrieval and extraction, which have no true negatives: {names} are not shown; ask for one "
        "with <metric>"
    ),
    "similar-labels": "labels {first!r} and {second!r} differ only in case, blanks or type; are they the same class?",
    "joined-labels": (
        "label {label!r} counts as one class, though {part!r} is a class too; if items have several labels, "
        "name what is between them with <sep>"
    ),
    "word-for-missing": "label {label!r} counts as a class; if it means that none was given, leave the field empty",
    "binned/one": "scores are counted in {bins:bin|bins}, with edges from {ends}",
    "binned/several": "scores are counted in up to {bins:bin|bins} for each of {scores} scores, with edges from {ends}",
    "ids-missing": "{count:row has|rows have} no id (in {where})",
    "ids-twice": "{count:id occurs|ids occur} more than once in {where} ({first})",
    "ids-unmatched/only": "{count:id is|ids are} only in {where} ({first})",
    "ids-unmatched/some": "{count:id is|ids are} not in every file ({first})",
    "ids-unmatched/system": "{count:item has|items have} no row for some system ({first})",
    "truths-disagree": "{count:id has|ids have} truths that disagree ({first})",
    "clusters-unmatched": "{count:cluster is|clusters are} not in every system ({first})",
    "ids-repeat": "{ids:value|values} of {column!r} {ids:=has|have} several rows; if these belong together, such as "
    "answers to one question, give that column as <cluster>",
    "repeated-units/units": (
        "rows may not be independent: {column!r} has {count:value|values} in {rows:row|rows}. If rows with the same "
        "{column} belong together, such as samples of one question, give {way}; otherwise give {free}"
    ),
    "repeated-units/systems": (
        "rows of several systems may be mixed: {column!r} has {count:value|values} in {rows:row|rows}. Give {way}, or "
        "take one system with {one}; if rows are independent, give {free}"
    ),
    "rows-independent": "rows count as independent, because you gave <independent_rows>",
    "clusters-cross-slices": (
        "clusters lie in several slices, {count:cluster|clusters} in {parts:,} parts. Each slice is resampled by the "
        "parts in it, as if it were alone; scores of slices that share clusters go up and down together"
    ),
    "slices-share-items": (
        "there is no row for all items: {column!r} has {count:value|values} in {rows:row|rows}, each at most once in a "
        "slice, so slices share items, and all rows together are not independent"
    ),
    "between-shares-items": (
        "slices may hold the same items: {column!r} has {count:value|values} in {rows:row|rows}, each at most once in "
        "a slice. If so, compare them as two systems on the same items: {way}"
    ),
    "largest-gap": (
        "of {slices} slices of {column!r}, {first} and {second} are furthest apart in {of}. The difference is "
        "partially pooled, so that slices that are alike show none: a slice of median precision is moved {moved:.0%} "
        "of the way to the mean of all"
    ),
    "future-alone": (
        "future items come from what the pilot leaves open; they are analysed alone, without the items of the pilot"
    ),
    "future-stated": "future items come from a population in which the measures are exactly as expected",
    "future-pairs/same": "both systems answer the same items, which are labelled once",
    "future-pairs/apart": "each system is tested on n items of its own, and the second makes more errors of every kind",
    "table-taken": "read table {table!r}, the only one in the database",
    "strata": (
        "a sample of {count:stratum|strata}: each has its own posterior, and they are weighted by their population "
        "sizes"
    ),
    "prevalence-shifted/fixed": "for a prevalence of {share:g}" + SHIFTED,
    "prevalence-shifted/range": "for a prevalence between {low:g} and {high:g}, all values as likely" + SHIFTED,
    "prevalence-shifted/counted": "for the prevalence of a target, {positives:,} of {items:item|items}" + SHIFTED,
    "judge-one-class": (
        "all human labels of the {validated:,} validated items are the same, so nothing is known of the judge's "
        "{what}: it comes from the prior alone; validate more items"
    ),
    "judge-shared": (
        "one validation for all systems: the judge is taken to have the same recall and specificity for each of them; "
        "if it favours one, validate items of every system"
    ),
    "judge-external": (
        "the validation is from elsewhere: the judge is taken to have the same recall and specificity here as there"
    ),
    "all-validated": "every item has a human label: the judge is not needed",
    "no-data": "the table is empty: these numbers come from the prior alone",
    "clusters": "whole clusters are resampled: {count:,} of them",
    "folds": (
        "folds share training data, so their scores are correlated: the mean of {folds:,} scores is counted as "
        "{times:.3g} times as uncertain (in variance) as that of independent ones, for tests on {share:.3g} of the "
        "data each (Nadeau & Bengio 2003)"
    ),
    "few-folds/mean": "{count:fold leaves|folds leave} 1 degree of freedom: the t law has no mean and no standard "
    "deviation; use the median",
    "few-folds/std": "{count:fold leaves|folds leave} 2 degrees of freedom: the t law has no standard deviation",
    "same-scores": "all {count:score|scores} of {system} are {value:g}: its own {of} has no interval",
    "no-bounds": "a t law has no bounds: it puts a probability of up to {beyond:.2g} beyond what bounds of {low:g} and "
    "{high:g} allow",
    "samples-differ": (
        "clusters have from {least:,} to {most:,} samples: {of} counts every cluster alike, rate every sample"
    ),
    "next-clusters": (
        "{count:cluster comes|clusters come} next, not items: items of a cluster belong together, and how many each "
        "has comes with it"
    ),
    "next-weighted": "the next items are from the population that the weights stand for, and count 1 each",
    "full-recall": (
        "recall 1 takes in the prior's weight below all scores as well, so the interval is that of calling every item "
        "positive; <prior=none> uses the scores of these items alone"
    ),
    "not-whole/endless": (
        "nothing given limits n: these are ranges over all tables, whole or not; to list the tables give n, as in n=200"
    ),
    "not-whole/large": "n is too large to list tables of whole numbers: these are ranges over all tables, whole or not",
    "not-whole/unsure": (
        "no table of whole numbers was found, but with counts this large there may be one: these are ranges over all "
        "tables, whole or not"
    ),
    "not-whole/long": (
        "the search for tables of whole numbers would take too long: these are ranges over all tables, whole or not"
    ),
    "shown-better": (
        "a system is shown to be better from P(better) {needed:g} on: the equal-tailed {share} interval of the "
        "difference then excludes 0, and compare says that it is better"
    ),
    "few-digits": "{read}; keep zeros that were printed, as in {more}",
    "incomplete/tables": "there are more tables than were listed; raise <most>, or give more digits",
    "incomplete/solutions": "there are more solutions than were listed; raise <most>",
    "identical/slices": (
        "in {count:slice|slices} {first} and {second} differ by the same value, or not at all, on every item: the "
        "interval there has width only because of the prior"
    ),
    "prior-from-data/alike-slices": (
        "in {count:slice|slices} all values are the same: the prior has weight {weight:g} on each bound there"
    ),
    "prior-from-data/slices": (
        "differences have their own prior: weight {half:g} on plus and on minus the largest seen in the slice, and "
        "{weight:g} on no difference; their mean need not equal the difference of the means"
    ),
    "one-sided/slices": (
        "in {count:slice|slices} one system has the larger value on every item where they differ: resampling these "
        "alone leaves no doubt of that; <prior=even> can"
    ),
    "one-sided": (
        "{system} has the larger value on every item where they differ: resampling those leaves no doubt of that; "
        "<prior=even> leaves some"
    ),
    "bins/no-bound": (
        "{metric} is computed from {bins:bin|bins} of scores; how far that is from its value for the scores themselves "
        "has no known bound"
    ),
    "hdi-unbounded": (
        "the density of {of} has no bound at either end of its range, so there is no single shortest interval; "
        "the equal-tailed interval is given"
    ),
    "hdi-beyond": (
        "the shortest interval of {of} goes on beyond the numbers there are and cannot be found; the equal-tailed "
        "interval is given"
    ),
    "rounds-to-edge": (
        "one end of the interval of {of} is closer to the end of its range than a number can show; low_gap and "
        "high_gap say how close, as far as a number can"
    ),
    "beyond-numbers": (
        "the interval of {of} goes on beyond the largest numbers there are, some 1e304: that end is given as infinite. "
        "So small a prior weight leaves a ratio all but open; a larger one, such as <prior=even>, does not"
    ),
    "shrunk-empty": (
        "{count:slice has|slices have} nothing that {of} counts: {count:=its|their} law is that of any slice like these"
    ),
    "infinite-mean": "the mean of {of} is infinite: its tail is too heavy; use the median",
    "unbounded": "{of} is unbounded: its mean may not exist, and draws cannot show whether it does; use the median",
    "no-mean": "the difference of {of} has no mean: both are infinite",
    "priors-differ": "the two have different priors: {first} for the first, {second} for the second",
    "pairs-prior": (
        "pairs and groups use the prior for two systems, P(best) and ranks the prior for all of them: on {of} no prior "
        "of this weight can be both"
    ),
    "gate-direction": "{of} is better when it is {better}: is {asked} what you mean?",
    "gate-difference": "not worse: score and interval are of the difference, {first} - {second}",
    "gate-more/same": _MORE + _SETTLED,
    "gate-more/both": _MORE + _BASELINE + _SETTLED,
    "gate-more/same-sliced": _MORE + _SETTLED + _SLICED,
    "gate-more/both-sliced": _MORE + _BASELINE + _SETTLED + _SLICED,
    "gate-near": (
        "{of}: the draws cannot tell on which side of the probability that is needed it lies; a smaller <tolerance> may"
    ),
    "configured": "options were read from {file}",
    "no-direction": "{of} has no better direction: only the difference is given",
    "simultaneous": (
        "simultaneous: tails of {tail:.2g} at each of {points:point|points} hold whole curves, as {draws:,} draws show"
    ),
    "no-interval": "no interval at {count:,} of {points:point|points}: the draws are 0/0, infinite or all the same",
    "no-width": "every draw equals the score at {count:,} of {points:point|points}: no width there",
    "nothing": "{metric} is best when no item is called positive",
    "only-common": "{count:,} of {total:judged query|judged queries} left out: not in every run",
    "ties": "scores are rounded to single precision (float32) before they are compared: pytrec-eval's rule",
    "foreign": (
        "{metric} is computed by ir-measures, by its rules: unjudged documents are not relevant, and a query that a "
        "run lacks or that has no relevant document counts as 0; its bounds are not known here"
    ),
    "peer/beta": (
        "{metric}: recall has weight beta² = {weight:g}, as in every F here; ir-measures and trec_eval use beta "
        "itself as that weight, so their value is SetF(beta={root:.6g}) here"
    ),
    "peer/recall": "{metric} is at exactly that recall; ir-measures rounds it to {theirs}",
    "peer/negative": (
        "{metric}: a document with a negative grade counts as unjudged, as in trec_eval; in ir-measures it is judged"
    ),
    "peer/ties": (
        "{metric}: documents with equal scores are ranked by descending id, as in trec_eval; ir-measures ranks them by "
        "ascending id for this measure, so its value may differ"
    ),
    "peer/order": (
        "{metric}: documents with equal scores are ranked by descending id, as in trec_eval; ir-measures keeps them in "
        "the order of the run, so its value may differ"
    ),
    "micro": (
        "{metric} adds up its counts over queries; whole queries are resampled, and the prior's queries have the mean "
        "size"
    ),
    "unjudged-view/relevant": (
        "{metric}: as if every retrieved document that nobody judged had the highest grade; runs that did not retrieve "
        "it have then missed it, so measures that divide by the number of relevant documents may fall"
    ),
    "unjudged-view/rate": (
        "{metric}: unjudged documents have each grade as often as the judged ones of their query (weight 2 on all "
        "queries together); judges see the best-ranked documents first, so these rates are likely too high"
    ),
}


WEIGHTED: Final = {
    "counts": "each cell and class has Kish's effective size of its items, (sum of weights)²/(sum of squared weights)",
    "clusters": "each cluster counts with the weights of its items",
    "items": "each counts with its weight; together they have Kish's effective size, "
    "(sum of weights)²/(sum of squared weights)",
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
    """The numbers of a note, for programs, if it has some that are given nowhere else."""
    if code != "slices-alike":
        return None
    columns = [facts["of" if name == "metric" else name] for name in _ALIKE]
    return [dict(zip(_ALIKE, values, strict=True)) for values in zip(*columns, strict=True)]


def slices_alike(f: Mapping[str, Any]) -> str:
    """How many slices look different, how many would if all were alike, and how many stand out beyond that."""
    lines = numbers("slices-alike", f) or []
    far = f"a {f['what']} further from that of all items than 95% of random parts of the data of the same size"
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
    head = f"slices with {far} (if all were alike), and those that stand out beyond that, marked *"
    return f"{head}: {'; '.join(each[:8])}{more}"


def _about(x: float) -> str:
    return "none" if x < 0.005 else f"about {x:,.0f}" if x >= 10 else f"about {x:.2g}"


def shrunk(f: Mapping[str, Any]) -> str:
    """How far the rates of slices lie apart, and how far one of the usual size is moved towards the others."""
    lines = list(zip(f["of"], f["spread"], f["items"], f["moved"], strict=True))
    head = "slices lend strength to each other: mean and interval are moved towards what they share"
    if len(lines) == 1:
        ((_, spread, items, moved),) = lines
        usual = f"a slice of the median size ({plural(items, 'item')}) is moved {100 * moved:.0f}% of the way"
        return f"{head}; true rates differ between slices by {_apart(spread)}, so {usual}"
    each = [
        f"{of} {_apart(spread)}, {100 * moved:.0f}% at {plural(items, 'item')}" for of, spread, items, moved in lines
    ]
    return f"{head}; how much true rates differ, and how far a slice of the median size is moved: {'; '.join(each)}"


def _apart(x: float) -> str:
    return f"about ±{x:.2g}" if x >= 1e-4 else "less than ±0.0001"


def columns_taken(f: Mapping[str, Any], way: str) -> str:
    """Which columns were taken by their usual names, and the way to count passes and fails that are there also."""
    called = {"truth": "true label", "pred": "prediction", "outcome": "outcome", "score": "score", "on": "id"}
    parts = [f"column {f[role]!r} as the {what}" for role, what in called.items() if role in f]
    said = f"using {' and '.join([', '.join(parts[:-1]), parts[-1]] if parts[1:] else parts)}"
    return f"{said}; for passes and fails give {way}" if "also" in f else said
