"""Texts of the notes that a function puts together from their facts, by code."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from howsure.errors import listing, plural
from howsure.messages.language import option, spelled, spoken
from howsure.messages.numbers import at_least, count, probability, short, within
from howsure.messages.templates import LEFT_OUT, SENTENCES, WEIGHTED, columns_taken, filled, shrunk, slices_alike

# -- choice words
#
# Words of the notes on a chosen threshold: its optimism and its limits.


def _optimism(f: Mapping[str, Any]) -> str:
    if f["how"] == "none":
        return f"{f['metric']} is measured on the items that the threshold was chosen on, so it looks too good"
    how = {
        "folds": "by choosing on four fifths of the items and testing on the rest",
        "split": "by choosing on half of the items and testing on the other half",
        "resample": "by choosing again on samples from the posterior",
    }
    way = "lower" if f["optimism"] < 0 else "higher"  # of costs and errors the good side is the lower one
    much = f"{short(abs(f['optimism']))} ± {short(f['error'])}"
    text = f"choosing on these items makes {f['metric']} look {way} by {much}"
    moved = "is shifted by that" if f["moved"] else "comes from the items tested on"
    return f"{text} (found {how[f['how']]}); the corrected row {moved}"


def _limit(f: Mapping[str, Any]) -> str:
    if f.get("asked") is not None:
        sure = f"{f['metric']} is {f['side']} {f['value']:g} in the population with probability {probability(f['p'])}"
        return f"{sure} ({f['asked']:g} was asked for); on these items it is {short(f['score'])}"
    kept = f"{f['metric']} is {f['side']} {f['value']:g} on these items"
    return f"{kept}, and in the population with probability {probability(f['p'])}"


def _limit_of_many(f: Mapping[str, Any]) -> str:
    return (
        f"one of many thresholds can keep a limit on {f['metric']} by luck: of limits on precision with 0.9 asked for, "
        "0.73 to 0.95 were kept in simulated tests with 100 positive items, and 0.04 to 0.91 with 30"
    )


def _limit_at_item(f: Mapping[str, Any]) -> str:
    return (
        f"with so few items the threshold follows single ones: allowing for that, the limit on {f['metric']} is kept "
        f"with probability {probability(f['p'])} at least"
    )


def _by_default(f: Mapping[str, Any]) -> str:
    way = spelled("choose(name)", "--best NAME")
    return f"no measure was named, so the threshold is the best one for {f['metric']}; {way} takes another measure"


def _limits(f: Mapping[str, Any]) -> str:
    kept = " and ".join(f"{m} {side} {value:g}" for m, side, value in f["limits"])
    return f"in {short(f['p'])} of the draws no threshold keeps {kept}"


CHOICE_TEXTS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "optimism": _optimism,
    "limit": _limit,
    "limit-of-many": _limit_of_many,
    "limit-at-item": _limit_at_item,
    "limits": _limits,
    "by-default": _by_default,
}


# -- class words
#
# Words of the notes on measures of many classes.


def _of_all(f: Mapping[str, Any]) -> str:
    names = f["of"]
    are = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} of all {f['classes']:,} classes together"
    return f"{are}; {names[0]}:{f['positive']} is of {f['positive']} against the rest"


CLASS_TEXTS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {"of-all-classes": _of_all}


# -- judge words
#
# Words of the notes on a judge: how it did on validated items, whether it helps, and the estimate beside it.


def _judge(f: Mapping[str, Any]) -> str:
    of = f" of {f['system']}" if f["system"] is not None else ""
    where = "items from elsewhere" if f["external"] else f"of {plural(f['items'], 'item')}"
    rates = " and ".join(f"{name} {short(f[name])}" for name in ("recall", "specificity") if f[name] is not None)
    return f"judge{of}: {rates} on {f['validated']:,} {where} that have a human label"


def _weak(f: Mapping[str, Any]) -> str:
    of = f" of {f['system']}" if f["system"] is not None else ""
    why = {"here": "by the human labels alone the interval is about as wide", "external": "it errs too often to tell"}
    said = f"the judge hardly helps with {f['of']}{of}: {why[f['where']]}"
    if f["more"] is None:
        return f"{said}; not even a human label of every item would halve it: it takes more items"
    return f"{said}; about {plural(f['more'], 'more human label')} would halve it"


def _powered(f: Mapping[str, Any]) -> str:
    each = [
        f"{'' if system is None else system + ' '}{within(mean, low, high)}" for system, mean, low, high in f["rates"]
    ]
    level = f"{100 * f['level']:.12g}%"
    return f"prediction-powered estimate (PPI++; {level} confidence, may leave [0, 1]): {', '.join(each)}"


JUDGE_TEXTS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "judge": _judge, "judge-weak": _weak, "ppi": _powered,
}  # fmt: skip


# -- log words
#
# Words of the notes on logs of evaluation harnesses, and on what is missing.


def _read(f: Mapping[str, Any]) -> str:
    tasks = f"{len(f['tasks']):,} tasks ({_few(f['tasks'])})" if len(f["tasks"]) > 1 else f["tasks"][0]
    filtered = f", answers under {_few(f['filters'])}" if f["filters"] else ""
    return f"read from logs of {f['harness']}: {_few(f['scorers'])} of {tasks}{filtered}"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _reported(f: Mapping[str, Any]) -> str:
    rates = " and ".join(short(x) + ("" if system is None else f" for {system}") for system, x in f["rates"])
    return f"{f['harness']} itself reports {rates}: {f['counts']}; here every sample counts alike"


def _ended(f: Mapping[str, Any]) -> str:
    why = "" if f["status"] is None else f"the run ended as {f['status']!r}: "
    missing = f"{f['count']:,} of {plural(f['total'], 'sample')} {'is' if f['count'] == 1 else 'are'} not in the log"
    return f"{f['task']}: {why}{missing}"


def _lost(f: Mapping[str, Any]) -> str:
    of = "" if f["system"] is None else f" of {f['system']}"
    one = f["count"] == 1
    if f["ends"] is None:
        low, high = (
            ("if the 1 lost sample fails", "if it passes")
            if one
            else (f"if the {f['count']:,} lost samples all fail", "if all pass")
        )
    else:
        ends = [f"{x:g}" for x in f["ends"]]
        whose = "the lost value is" if one else f"all {f['count']:,} lost values are"
        low, high = f"if {whose} {ends[0]}", f"if {ends[1]}"
    kept = "nothing is left" if f["score"] is None else short(f["score"])
    what = "rate" if f["ends"] is None else f"mean {f['of']}"
    return f"{what}{of} {kept} ({short(f['low'])} {low}, {short(f['high'])} {high})"


_LISTED: Final = 6
LOG_TEXTS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "log-read": _read, "log-reported": _reported, "log-ended": _ended, "missing-bounds": _lost,
}  # fmt: skip


# -- pair words
#
# Words of the notes on items that go together: two systems on the same items, clusters, and rows of one id.

_MOST: Final = 8  # measures that a note tells of


def _pairing(f: Mapping[str, Any]) -> str:
    """Who alone is right, once where measures agree on it, and what pairing changed for each of them."""
    of, what, (a, b) = f["of"], f["what"], f["systems"]
    counts: dict[Any, list[str]] = {}
    for name, won, right in zip(of, f["won"], f["right"], strict=True):
        counts.setdefault((won, right), []).append(name)
    told = [_won(won, right, a, b) + ("" if len(counts) == 1 else f" ({', '.join(x)})") for (won, right), x in
            counts.items() if won is not None]  # fmt: skip
    said = f"on the same {what}, {'; '.join(told)}" if told else f"both were tested on the same {what}"
    each = [_apart(*x) for x in zip(f["here"], f["apart"], f["error"], strict=True)]
    named = each if len(of) == 1 else [f"{x} for {name}" for name, x in zip(of, each, strict=True)]
    more = f" and others for {plural(len(named) - _MOST, 'more measure')}" if len(named) > _MOST else ""
    shown = ", ".join(named[:_MOST]) + more
    return f"{said}; had they been tested on different {what}, P({a} better) would be {shown}"


def _won(won: tuple[float, float], right: bool, a: str, b: str) -> str:
    first, second = map(count, won)
    of = "" if all(float(x).is_integer() for x in won) else "items of weight "
    how, alone = ("alone is right on", "alone ") if right else ("has the better value on", "")
    return f"{a} {how} {of}{first} and {b} {alone}on {second}"


def _apart(here: float, apart: float, error: float) -> str:
    said, other = probability(here, error), probability(apart, error)
    return "the same" if said == other else f"{other} instead of {said}"


def _design(f: Mapping[str, Any]) -> str:
    """An effect below 1 is mostly chance, and no gain."""
    found = sorted(zip(f["effect"], f["of"], f["worth"], strict=True))
    shown = found if len(found) <= 3 else (found[0], found[-1])
    each = [f"{effect:.3g} for {name} ({_worth(effect, worth)})" for effect, name, worth in shown]
    told = (" to " if len(found) > 3 else ", ").join(each)
    return f"design effect, {plural(round(f['items']), 'item')} in {plural(f['clusters'], 'cluster')}: {told}"


def _worth(effect: float, worth: float) -> str:
    none = "no loss: items of one cluster are no more alike than others"
    return none if effect <= 1.0 else f"worth {worth:,.0f} independent items"


def _column(name: str, column: str) -> str:
    """An option with a column, quoted as a shell needs it."""
    return option(name, spelled(column, shlex.quote(column)))


def _repeated(f: Mapping[str, Any]) -> str:
    """What repeats, and what to type about it."""
    column, free = f["column"], option("independent_rows", True)
    if f["what"] == "systems":
        unit = spelled("id", "ID") if f["unit"] is None else f["unit"]
        way = f"{_column('system', column)}{spelled(', ', ' ')}{_column('item', unit)}"
        facts = {**f, "way": way, "one": _column("where", f"{column}={f['first']}")}
    else:
        own = _column("cluster", column)
        apart = "" if f["by"] is None else f" with {option('where', f['by'] + '=VALUE')} in place of {option('by')}"
        facts = {**f, "way": own + apart}
    return filled(SENTENCES[f"repeated-units/{f['what']}"], {**facts, "free": free})


PAIR_TEXTS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "pairing": _pairing, "design-effect": _design, "repeated-units": _repeated,
}  # fmt: skip


# -- wording
#
# The words of notes: one sentence for each code, made of its facts, in the reader's language.
#
# A sentence is a template over the facts; marks such as <missing=drop> become options as the reader writes them.
# Where a code has several forms, the fact `form` says which.

Join = Callable[[list[Any]], Any]


def _chained(parts: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(x for part in parts for x in part))


def _listed(parts: list[Any]) -> tuple[Any, ...]:
    return tuple(x for part in parts for x in part)


def _spanned(parts: list[str]) -> str:
    """Shares as a range; one of no items tells nothing."""
    known = sorted({x for x in parts if x != "none"}, key=float)
    return " to ".join(dict.fromkeys((known[0], known[-1]))) if known else "none"


GATHERED: Final[dict[str, tuple[int, dict[str, Join]]]] = {  # from how many notes on, and facts that are joined then
    "undefined-score": (3, {"of": _chained, "when": _chained}),
    "sampled": (3, {"of": _chained, "ends": max}),
    "interval-to-end": (2, {"of": _chained}),
    "bins": (3, {"of": _listed, "within": _listed}),
    "prior": (2, {"of": _chained}),
    "of-all-classes": (2, {"of": _chained}),
    "design-effect": (2, {"of": _listed, "effect": _listed, "worth": _listed}),
    "pairing": (2, dict.fromkeys(("of", "here", "apart", "error", "won", "right"), _listed)),
    "prevalence-shifted": (2, {"tested": _spanned}),
    "shrunk": (2, dict.fromkeys(("of", "spread", "items", "moved"), _listed)),
    "slices-alike": (2, dict.fromkeys(("of", "system", "slices", "found", "expected", "marked"), _listed)),
}


def sentence(code: str, facts: Mapping[str, Any]) -> str:
    """The words of a note."""
    if "text" in facts:
        return str(facts["text"])
    if facts.get("form") == "rows":
        return _rows(facts)
    if code in _WORDS and f"{code}/{facts.get('form')}" not in SENTENCES:
        return _WORDS[code](facts)
    said = told(code, facts)
    return f"left out: {said}" if code in LEFT_OUT else said


def told(code: str, facts: Mapping[str, Any]) -> str:
    """What is known of a code that has a template, without what was done about it."""
    form = facts.get("form")
    template = SENTENCES[code if form is None else f"{code}/{form}"]
    return filled(spoken(template), facts)


def missing_labels(truths: float, predictions: float) -> str:
    """How many labels are missing, and which; what is not missing is not told.

    >>> missing_labels(0, 1), missing_labels(2, 1)
    ('1 missing prediction', '2 missing truths and 1 missing prediction')
    """
    each = ((truths, "missing truth"), (predictions, "missing prediction"))
    return " and ".join(plural(n, name) for n, name in each if n) or "missing labels of weight 0"


def _dropped(f: Mapping[str, Any]) -> str:
    truths, predictions = f["truths"], f["predictions"]
    return f"{missing_labels(truths, predictions)} {'was' if truths + predictions == 1 else 'were'} left out"


_LOST: Final = {  # why rows were left out
    "system": "as rows of other systems or slices", "missing": "for missing values",
    "weightless": "because their whole cluster has weight or count 0", "disagree": "because their truths disagree",
    "unmatched": "because some system lacks the item", "twice": "because their ids occur more than once",
}  # fmt: skip


def _rows(f: Mapping[str, Any]) -> str:
    """What became of the rows that were read."""
    where = " ".join(option("where", x) for x in f["where"])
    why = [(f"by {where}" if x == "where" else _LOST[x], f"{many:,}") for x, many in f["lost"]]
    said = ", ".join(f"{many} {'' if i else 'left out '}{x}" for i, (x, many) in enumerate(why))
    return f"{plural(f['read'], 'row')} read: {said}; {f['kept']:,} kept"


def _follow(f: Mapping[str, Any]) -> str:
    way = spelled(".stratified(sizes) of a tally by stratum", "--stratum with --population")
    said = f"weights follow the {f['what']}: they differ a lot from class to class. If items were drawn by it, strata"
    return f"{said} and their population sizes say more than weights do: {way}"


def _labels(f: Mapping[str, Any]) -> str:
    if f["independent"]:
        return "labels are treated as independent, each with its own table (Zhang, Wang & Zhao 2015)"
    return "labels of one item stay together: whole items are resampled"


def _empty(f: Mapping[str, Any]) -> str:
    named, alone = listing(f["labels"]), "numbers come from the prior alone, and"
    if len(f["labels"]) == 1:
        return f"class {named} has no {f['what']}: its {alone} it counts as a class in every average"
    return f"classes {named} have no {f['what']}: their {alone} each counts as a class in every average"


def _coverage(f: Mapping[str, Any]) -> str:
    from howsure.messages.coverage import reason

    return (
        f"{reason('classes', f['why'])}: 95% intervals of {f['metric']} held the true value in {f['low']} to "
        f"{f['high']}% of simulated tests of this kind (docs/explanation/coverage.md)"
    )


def _undefined(f: Mapping[str, Any]) -> str:
    names: Sequence[str] = f["of"]
    if len(names) == 1:
        some = "" if f["single"] else " for some tables"
        return f"{names[0]} is undefined{some} ({f['when'][0]}); its posterior is not"
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"0/0: {shown} are undefined here; their posteriors are not"


def _to_end(f: Mapping[str, Any]) -> str:
    names: Sequence[str] = f["of"]
    be = "is" if len(names) == 1 else "are"
    return (
        f"{', '.join(names)} {be} at an end of the range: the interval runs to that end and holds "
        f"{100 * f['holds']:.12g}%"
    )


def _sampled(f: Mapping[str, Any]) -> str:
    if f.get("form") == "ranks":
        floor = f"those below {f['floor']:.1g} may be 0"
        return f"ranks are sampled with {f['draws']:,} draws: probabilities are within {f['probability']:.1g}; {floor}"
    if f.get("form") == "band":
        return f"the ends are sampled with {f['draws']:,} draws"
    names: Sequence[str] = f["of"]
    be = "is" if len(names) == 1 else "are"
    return (
        f"{', '.join(names)} {be} sampled with {f['draws']:,} draws: interval ends are within {f['ends']:.1g}, "
        f"probabilities within {f['probability']:.1g}"
    )


def _bins(f: Mapping[str, Any]) -> str:
    if f.get("form") == "no-bound":
        return filled(SENTENCES["bins/no-bound"], f)
    names, within = f["of"], f["within"]
    if len(names) < 3:
        said = f"{names[0]} is computed from {plural(f['bins'], 'bin')} of scores"
        return f"{said}, and within {within[0]:g} of its value for the scores themselves"
    each = ", ".join(f"{name} within {x:g}" for name, x in zip(names, within, strict=True))
    return f"computed from {plural(f['bins'], 'bin')} of scores; compared with the scores themselves: {each}"


def _next_undefined(f: Mapping[str, Any]) -> str:
    some = "" if f["single"] else " in some tables"
    return f"{f['of']} is 0/0 with probability {short(f['p'])}{some}; all else is given that it is not"


def _empty_cell(f: Mapping[str, Any]) -> str:
    some = "a cell is empty" if f["single"] else "some tables have an empty cell"
    return (
        f"{some}: the score of {f['of']} follows the rule {f['rule']}, which moves 1/2 into it and keeps the "
        "margins; the posterior needs no rule"
    )


def _delong(f: Mapping[str, Any]) -> str:
    of = f" of {'the difference' if f['system'] == 'difference' else f['system']}" if f["system"] else ""
    if f["error"] == 0.0:
        return f"DeLong's standard error{of} is 0 here: no interval"
    from statistics import NormalDist

    reach = NormalDist().inv_cdf(0.5 + 0.5 * f["interval_level"]) * f["error"]
    low, high = max(f["value"] - reach, f["least"]), min(f["value"] + reach, 1.0)
    share = f"{100 * f['interval_level']:.12g}%"
    return (
        f"DeLong's {share} interval{of}, as a check: {f['value']:.3f} [{low:.3f}, {high:.3f}], standard error "
        f"{f['error']:.2g}"
    )


def _identical(f: Mapping[str, Any]) -> str:
    same = "have the same value" if f["by"] is None else f"differ by {f['by']:g}"
    at = f["largest"]
    weights = "" if at is None else f", with weight 1/2 on {at:g} and on -{at:g}, and 1 on no difference"
    width = f"the interval has width only because of the prior{weights}"
    return f"{f['first']} and {f['second']} {same} on every item: {width}"


def _from_data(f: Mapping[str, Any]) -> str:
    form, weight = f["form"], f["weight"]
    if form == "pairs":
        return (
            f"differences have their own prior: weight {weight / 2:g} on plus and on minus the largest seen, and "
            f"{weight:g} on no difference; their mean need not equal the difference of the means"
        )
    if form in ("difference", "joint"):
        at, what = f["largest"], "the largest seen" if f["seen"] else "the whole range"
        where = (
            f"on {at:g} and on -{at:g}" if form == "difference" else f"on items that differ by {at:g}, and by -{at:g}"
        )
        return (
            f"differences have their own prior: weight {weight / 2:g} {where} ({what}), and {weight:g} on no "
            "difference; their mean need not equal the difference of the means"
        )
    way = "a tenth of the way to its bound" if form == "bounds" else "out by a tenth of the range seen"
    whole = ", each a made-up cluster (docs/how-to/clusters.md)" if f["clusters"] else ""
    if form == "alike":
        return f"prior {f['prior']}: weight {weight:g} on each bound{whole}, because all values are the same"
    seen = f"weight {weight:g} on the smallest and on the largest value seen"
    own = ", in every slice by its own values" if f.get("slices") else ""
    return f"prior {f['prior']}: {seen}, each moved {way}{whole}{own}"


_PRIORS: Final = {
    "hits": "prior even: weight 1 on a hit and 1 on a miss",
    "right-wrong": "accuracy, error-rate and micro averages: weight 1 on right and 1 on wrong answers",
    "added-up": "micro averages: weight 1/2 on each cell of the summed table of all labels",
    "item-ends": "subset-accuracy: weight 1 on items that are entirely right and 1 on others",
    "item-values": "averages over items: weight 1 on the smallest and on the largest value of an item, each moved a "
    "tenth of the way to its bound",
    "item-pairs": "hamming-loss: weight 1 on each end of its range, shared by the labels",
    "pooled": "weight 1 per class, split into right and wrong as in all classes together; calibrated "
    "(docs/explanation/priors.md)",
    "shared": "weight 1 on right and 1 on wrong answers, shared equally among their cells",
    "shared-by-labels": "weight 1/2 on each cell, shared by the labels",
    "each-label": "weight 1/2 on each cell of every label",
    "lent": "prior shared: weight 1/2 on a hit and 1/2 on a miss, and as many items more of the rate that slices share "
    "as they tell (docs/how-to/partial-pooling.md)",
    "none": "prior none: the Bayesian bootstrap of the items",
    "judge-verdicts": "prior even: weight 1/2 on each verdict with each human label",
    "judge-labels": "prior even: weight 1/4 on each combination of the judge's label, the human label and the answer",
}


def _prior(f: Mapping[str, Any]) -> str:
    whole = ", each unit of weight a made-up cluster (docs/how-to/clusters.md)" if f.get("clusters") else ""
    return _weight(f) + whole


def _weight(f: Mapping[str, Any]) -> str:
    rule = f["rule"]
    if rule == "cells":
        return f"prior even: weight 1/2 on each cell of the 2x2 table{' of class against rest' if f['classes'] else ''}"
    if rule == "scores":
        where = "on positive and on negative items, both above and below all scores"
        if f.get("of"):
            where += ": part of it there, the rest with the highest and the lowest item of the class"
        return f"{_of(f)}prior {f['prior']}: weight {f['weight']:g} {where}"
    return f"{_of(f)}{_PRIORS[rule]}"


def _of(f: Mapping[str, Any]) -> str:
    return f"{', '.join(f['of'])}: " if f.get("of") else ""


def _confusions(f: Mapping[str, Any]) -> str:
    said = [f"{y} taken for {z} {within(m, a, b)}" for y, z, m, a, b in f["shares"]]
    return f"most frequent mistakes, as shares of the true class: {'; '.join(said)}"


def _chance(f: Mapping[str, Any]) -> str:
    return f"P(better than chance) of {listing(f['of'])} is a share of draws, within {f['within']:.1g}"


def _rule(f: Mapping[str, Any]) -> str:
    return f"{f['metric']} by the rule {f['rule']}: {f['meaning']}"


def _none(f: Mapping[str, Any]) -> str:
    return f"calling no item positive is best with probability {short(f['p'])}"


def _best_of_many(f: Mapping[str, Any]) -> str:
    way = spelled("curve.choose", "--best")
    return (
        f"{f['metric']} of these items is the best over all thresholds, so it looks too good; mean and interval take "
        "the threshold of one draw and the value of another: in most simulated tests 95% intervals of max-f1 held the "
        f"best F1 of the population {f['low']} to {f['high']}% of the time (docs/explanation/coverage.md); {way} shows "
        "what to expect of a threshold chosen on these items"
    )


def _best(f: Mapping[str, Any]) -> str:
    return f"{at_least(f['threshold'])} has the highest F1 on these items"


def _pairs(f: Mapping[str, Any]) -> str:
    from howsure.messages import verdicts

    first, second, p = f["first"], f["second"], f["p_better"]
    if p < 0.5:
        first, second, p = second, first, 1.0 - p
    if p - 0.5 <= f["error"]:
        return f"{first} and {second} are even on {f['metric']}, on the same items"
    return (
        f"{verdicts.better(first, second, f['metric'], p, probability(p, f['error']), f['level'])}, on the same items"
    )


def _queries(many: int) -> str:
    return plural(many, "query", "queries")


def _missing_queries(f: Mapping[str, Any]) -> str:
    shown = listing(f["first"][:3]) + (f" and {f['count'] - 3} more" if f["count"] > 3 else "")
    lacks = f"{f['run']} lacks {f['count']:,} of {plural(f['total'], 'judged query', 'judged queries')} ({shown})"
    how = ("it counts", "it") if f["count"] == 1 else ("they count", "them")
    return f"{lacks}: {how[0]} as 0; {option('only_common', True)} leaves {how[1]} out"


def _without_judgments(f: Mapping[str, Any]) -> str:
    return f"ignored {_queries(f['count'])} of {f['run']} without judgments"


def _no_relevant(f: Mapping[str, Any]) -> str:
    shown = listing(f["first"][:5]) + (f" and {f['count'] - 5} more" if f["count"] > 5 else "")
    plain = f["level"] == 1
    what = "without a relevant document" if plain else f"without a document of grade {f['level']} or more"
    text = f"{'' if plain else f['metric'] + ': '}{_queries(f['count'])} {what} ({shown})"
    where = " measures that divide by the number of relevant documents, such as AP, R and nDCG" if plain else ""
    if f["zero"]:
        return f"{text}: 0{' in' if plain else ''}{where}, as in trec_eval"
    return f"{text}: left out{' of' if plain else ''}{where}; {option('no_relevant', 'zero')} counts them as 0"


def _no_value(f: Mapping[str, Any]) -> str:
    shown = listing(f["first"][:3]) + (f" and {f['count'] - 3} more" if f["count"] > 3 else "")
    return f"{f['metric']}: {_queries(f['count'])} without a value ({shown}) left out of all runs: {f['why']}"


def _counts(f: Mapping[str, Any]) -> str:
    sums = ", ".join(f"{run} {total:,.0f}" for run, total in f["sums"])
    said = f"{f['metric']} is the mean per judged query; trec_eval and ir-measures give the sum over the run's queries"
    return f"{said}; the sums over all judged queries are {sums}"


def _unjudged(f: Mapping[str, Any]) -> str:
    said = []
    for run, lost, retrieved, early in f["runs"]:
        hint = "; check that both use the same document ids" if lost == retrieved else ""
        said.append(f"{run} {lost:,} of {retrieved:,} ({early:.1%} of the first 10{hint})")
    return f"documents that nobody judged: {'; '.join(said)}"


def _comparison(f: Mapping[str, Any]) -> str:
    (a, b), (mean, low, high), (first, second, same) = f["systems"], f["gap"], f["wins"]
    counts = f"queries won: {a} {first:,}, {b} {second:,}, same {same:,}"
    return f"{f['verdict']}; {a} - {b} {within(mean, low, high)}; {counts}"


_RECALL: Final = {
    "ceil": "r·R of them rounded up",
    "trec_eval-9": "r·R + 0.9 of them rounded down",
    "trec_eval-10": "r·R of them rounded to the nearest",
}


def _recall_rule(f: Mapping[str, Any]) -> str:
    return f"{f['metric']}: recall r of R relevant documents means {_RECALL[f['rule']]} (rule {f['rule']})"


def _fractions(f: Mapping[str, Any]) -> str:
    del f
    way = spelled("give them as text, with integers=True", "leave out --exact")
    return f"not all cells are whole numbers; if the values were rounded, {way}"


_WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "weighted": lambda f: f"weighted items: {WEIGHTED[f['of']]}", "weights-follow": _follow,
    "labels": _labels, "missing-dropped": _dropped, "empty-class": _empty, "coverage": _coverage,
    "undefined-score": _undefined, "sampled": _sampled,
    "interval-to-end": _to_end, "bins": _bins, "zero-cell": _empty_cell, "delong": _delong,
    "next-undefined": _next_undefined,
    "identical": _identical, "prior": _prior, "confusions": _confusions, "chance-sampled": _chance,
    "rule": _rule, **CHOICE_TEXTS, **JUDGE_TEXTS, **PAIR_TEXTS,
    **CLASS_TEXTS, **LOG_TEXTS,
    "none": _none, "best": _best, "best-of-many": _best_of_many, "pairs": _pairs,
    "missing-queries": _missing_queries, "queries-without-judgments": _without_judgments,
    "no-value": _no_value, "counts": _counts,
    "no-relevant": _no_relevant, "unjudged": _unjudged, "recall-rule": _recall_rule, "comparison": _comparison,
    "prior-from-data": _from_data, "fractions": _fractions, "slices-alike": slices_alike,
    "shrunk": shrunk,
    "columns-guessed": lambda f: columns_taken(f, option("outcome", f.get("also"))),
}  # fmt: skip
