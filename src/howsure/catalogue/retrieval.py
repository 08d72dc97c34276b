"""Measures of a ranking by scores: one declaration each. To add a measure, add one entry here.

name = base ["@" point]. `auc`, `AP`, `BEP`, `AP11`; rules in brackets as for runs: `BEP(rule='nearest')`,
`AP11(rule='trec_eval-10')`, or `BEP@nearest` for short. Any measure of a 2x2 table becomes one of scores: at a
threshold (`f1@0.5`), at a point of the curve (`precision@recall=0.9`, `recall@fallout=0.1`), or at its best threshold
(`max-f1`, `min-error-rate`). parse(str(m)) == m.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Index
from howsure.catalogue import names, repeated
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.metric import Better, Metric
from howsure.distributions import binned, ranked
from howsure.distributions.ranked import Cuts
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import spelled

Evaluate = Callable[[Cuts], Array]


@dataclass(frozen=True)
class Ranking:
    """A measure of a ranking: a function of the weights found at its cuts.

    >>> parse("roc_auc")
    Ranking('auc')
    """

    name: str
    evaluate: Evaluate = field(compare=False, repr=False)
    better: Better = "higher"
    meaning: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    text: str = field(default="", compare=False)
    latex: str = field(default="", compare=False)
    bound: Evaluate | None = field(default=None, compare=False, repr=False)  # what bins of scores can do to it
    rules: dict[str, Evaluate] = field(default_factory=dict, compare=False, repr=False)
    rule: str = ""  # which of the rules; the first is the default
    area: bool = False  # under a curve: the prior's weight lies mostly with the outermost items
    base: Metric | None = None  # a measure of a 2x2 table
    threshold: float | None = None  # where it is cut
    best_cut: Callable[[Cuts], Index] | None = field(default=None, compare=False, repr=False)  # of the best of all
    at_cut: Callable[[Cuts, Index], Array] | None = field(default=None, compare=False, repr=False)
    label: None = None
    subject: str = field(default="scores", init=False, repr=False)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Ranking({self.name!r})"

    @property
    def undefined(self) -> str:
        """When the point score is 0/0."""
        return "never" if self.base is None else self.base.undefined

    @property
    def needs_positive(self) -> bool:
        """A ranking ranks one class above the other."""
        return True

    @property
    def best_of(self) -> bool:
        """Whether it is the best over all thresholds."""
        return self.best_cut is not None

    @property
    def unbounded(self) -> bool:
        """Whether it is a ratio or odds, with no upper end."""
        return self.bounds == (0.0, math.inf)

    @property
    def route(self) -> str:
        """How its posterior is computed."""
        return "sampled" if self.threshold is None or self.base is None else self.base.route


RULES: Final = {
    "crossing": "where precision equals recall, on the line between the cuts around it",
    "r-precision": "precision at the first cut that finds as many items as are positive",
    "nearest": "mean of precision and recall at the cut where they differ least",
    "ceil": "highest precision at recalls of at least 0.1, …, 1.0, and precision at the first positive item for 0.0",
    "trec_eval-9": "highest precision from floor(level x positives + 0.9) positive items on",
    "trec_eval-10": "highest precision from round(level x positives) positive items on",
}


def _eleven(c: Cuts, rule: str) -> Array:
    return np.asarray(ranked.eleven_points(c, rule).mean(axis=0))


def _with_rules(function: Callable[[Cuts, str], Array], *rules: str) -> dict[str, Evaluate]:
    return {rule: partial(function, rule=rule) for rule in rules}  # type: ignore[call-arg]


BREAK_EVEN = _with_rules(ranked.break_even, "crossing", "r-precision", "nearest")
ELEVEN = _with_rules(_eleven, "ceil", "trec_eval-9", "trec_eval-10")

DECLARED: Final = (
    Ranking("auc", ranked.auc, meaning="probability that a positive item scores above a negative one, ties by half",
            source="Hanley & McNeil 1982; Powers 2007 2.3", aliases=("roc-auc", "auroc", "c-statistic", "concordance"),
            text="sum (fp_k - fp_k-1)·(tp_k + tp_k-1)/2 / (positives·negatives)",
            latex=r"\sum_k (F_k - F_{k-1}) (R_k + R_{k-1}) / 2", bound=binned.auc, area=True),
    Ranking("AP", ranked.average_precision, meaning="mean precision at the cuts, by their gain in recall",
            source="Buckley & Voorhees 2000", aliases=("average-precision", "auprc", "pr-auc"),
            text="sum (recall_k - recall_k-1)·precision_k", latex=r"\sum_k (R_k - R_{k-1}) P_k",
            bound=binned.average_precision, area=True),
    Ranking("BEP", BREAK_EVEN["crossing"], meaning="precision where it equals recall", source="Ishioka 2.2",
            aliases=("break-even", "break-even-point", "breakeven"), text="precision = recall", latex="P = R",
            rules=BREAK_EVEN, rule="crossing", bound=binned.break_even),
    Ranking("AP11", ELEVEN["ceil"], meaning="mean precision at the recalls 0.0, 0.1, …, 1.0", source="Ishioka 2.2",
            aliases=("11-point", "11pt-avg", "eleven-point"), text="mean of precision at recall 0.0, 0.1, …, 1.0",
            latex=r"\frac{1}{11} \sum_{j=0}^{10} P(j / 10)", rules=ELEVEN, rule="ceil",
            bound=partial(binned.eleven_points, rule="ceil")),
)  # fmt: skip

DEFAULT: Final = ("auc", "AP", "BEP", "AP11", "max-f1")
_POINTS: Final = {"recall": ranked.at_recall, "fallout": ranked.at_fallout}
_BOUNDS: Final = {"recall": binned.at_recall, "fallout": binned.at_fallout}
_TURNED: Final = {"miss-rate": "recall", "specificity": "fallout"}  # 1 minus these
_BEST = re.compile(r"^(max|min)[-_ ](.+)$", re.IGNORECASE)
_RULED = re.compile(r"""^([\w\s-]+)\((?:\s*rule\s*=)?\s*(["']?)([^"'()=]*)\2\s*\)$""", re.IGNORECASE)


@lru_cache(maxsize=1)
def _known() -> dict[str, Ranking]:
    return {name.lower(): m for m in DECLARED for name in (m.name, *m.aliases)}


def rankings() -> tuple[Ranking, ...]:
    """Every measure of a ranking that has a name of its own, and one of each kind that is made of others."""
    made = ("max-f1", "precision@recall=0.9", "recall@fallout=0.1", "f1@0.5")
    return (*DECLARED, *(parse(x) for x in made))


def is_ranking(name: str) -> bool:
    """Whether a name reads as that of a measure of scores."""
    base = re.split(r"[@(]", name)[0]
    return _plain(base) in _known() or "@" in name or _BEST.match(name.strip()) is not None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def parse(name: Any) -> Ranking:
    """The measure of a name.

    >>> [str(parse(x)) for x in ("ROC_AUC", "bep@Nearest", "sensitivity@fpr=.1", "MAX_F1", "F1@0.5")]
    ['auc', "BEP(rule='nearest')", 'recall@fallout=0.1', 'max-f1', 'f1@0.5']
    """
    if isinstance(name, Ranking):
        return name
    if isinstance(name, Metric):
        raise BadSetting(f"scores have no {name} without a threshold: ask for {name}@0.5 or max-{name}.")
    if repeated.is_repeated(name):
        raise repeated.refused(repeated.parse(name))
    if not isinstance(name, str):
        raise UnknownName(f"a metric is a name; got {name!r}.")
    return _parse(name)


@lru_cache(maxsize=1024)
def _parse(name: str) -> Ranking:
    ruled = _RULED.match(name.strip())
    base, at, point = (ruled[1], "@", ruled[3]) if ruled else name.strip().partition("@")
    own = _known().get(_plain(base))
    if own is None and ruled:
        base, at, point = name.strip(), "", ""
    if own is not None:
        return _ruled(own, point, name) if at else own
    if at:
        return _at(_table(base, name), point.strip(), name)
    found = _BEST.match(base.strip())
    if found:
        return _best(found[1].lower(), _table(found[2], name))
    metric = _table(base, name)
    raise BadSetting(f"scores have no {metric} without a threshold: ask for {metric}@0.5 or max-{metric}.")


def _table(name: str, asked: str) -> Metric:
    """The measure of a 2x2 table that this one is made of."""
    try:
        return table_metric(name.strip())
    except UnknownName:
        if told := names.elsewhere(name):
            raise UnknownName(told) from None
        before, _, after = asked.partition(name) if name else ("", "", "")
        slip = names.slip_of_f(name, before, after)
        hint = slip or nearest(asked, [*_known(), *(str(m) for m in DECLARED), "max-f1"])
        raise UnknownName(f"no metric of scores named {asked!r}.{hint} See: howsure metrics") from None


def of_table(name: str | Metric) -> Metric:
    """A measure of a table; a measure of scores or of samples is told from a name that is not known."""
    if repeated.is_repeated(name):
        raise repeated.refused(repeated.parse(name))
    try:
        return names.parse(name)
    except UnknownName:
        base = str(name).partition(":")[0]
        if names.is_average(base) or not is_ranking(base):
            raise
    if hint := repeated.near(base):
        raise UnknownName(f"no metric named {name!r}.{hint} See: howsure metrics")
    raise UnknownName(
        f"{base} is a measure of scores, not of a table of counts: see {spelled('hs.curve', 'howsure curve')}."
    )


def table_metric(name: Any) -> Metric:
    """A measure of a 2x2 table, which a threshold makes of scores."""
    metric = of_table(name)
    if metric.over_classes or metric.any_of or metric.label is not None or metric.name == "rate":
        raise BadSetting(f"{metric} is not a measure of a 2x2 table, and scores have two classes: positive and rest.")
    return metric


def _ruled(m: Ranking, rule: str, asked: str) -> Ranking:
    """The same measure by another rule."""
    wanted = rule.strip().lower().removeprefix("rule=")
    spelled = {x.replace("_", "-"): x for x in m.rules}
    if not m.rules:
        raise UnknownName(f"{m} has no points or rules; got {asked!r}.")
    if wanted.replace("_", "-") not in spelled:
        hint = nearest(wanted, m.rules)
        raise UnknownName(f"{m} has no rule {rule!r}.{hint} Give one of {', '.join(m.rules)}.")
    chosen = spelled[wanted.replace("_", "-")]
    if chosen == m.rule:
        return m
    bound = partial(binned.eleven_points, rule=chosen) if m.name == "AP11" else None
    return replace(m, name=f"{m.name}(rule={chosen!r})", evaluate=m.rules[chosen], rule=chosen, aliases=(), bound=bound)


def _cells(c: Cuts, tp: Array, fp: Array) -> dict[str, Array]:
    return dict(zip(CELLS, (tp, fp, c.positives - tp, c.negatives - fp), strict=True))


def _valued(metric: Metric, c: Cuts, tp: Array, fp: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(metric.formula(**_cells(c, tp, fp)), dtype=float)


def _at_cut(c: Cuts, metric: Metric, value: float) -> Array:
    return _valued(metric, c, *ranked.at_threshold(c, value))


def _at_point(c: Cuts, metric: Metric, rate: str, level: float) -> Array:
    tp, fp = _POINTS[rate](c, np.array([level]))
    return _valued(metric, c, tp[0], fp[0])


def _at_best(c: Cuts, metric: Metric, sign: float, rising: bool) -> Array:
    return ranked.best(c, metric.formula, sign, rising)[0]


def _best_cut(c: Cuts, metric: Metric, sign: float, rising: bool) -> Index:
    return ranked.best(c, metric.formula, sign, rising)[1]


def _at_given_cut(c: Cuts, cut: Index, metric: Metric) -> Array:
    return ranked.value_at(c, metric.formula, cut)


def _at(metric: Metric, point: str, asked: str) -> Ranking:
    """A measure at a threshold, or where another rate has a value."""
    rate, equals, number = point.rpartition("=")
    if equals and rate.strip().lower() in ("threshold", "score"):
        equals = ""
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadSetting(f"{asked!r} needs a threshold such as {metric}@0.5, or a point such as {metric}@recall=0.9.")
    return _at_rate(metric, rate, value, asked) if equals else at_threshold(metric, value)


def at_threshold(metric: Metric, value: float) -> Ranking:
    """A measure of the items that score at least the threshold."""
    name = f"{metric}@{_number(value)}"
    meaning = f"{metric} of the items that score {_number(value)} or more"
    return Ranking(
        name, partial(_at_cut, metric=metric, value=value), metric.better, meaning, metric.source,
        bounds=metric.bounds, text=metric.text, latex=metric.latex, base=metric, threshold=value,
        bound=partial(binned.at_threshold, threshold=value, formula=metric.formula),
    )  # fmt: skip


def _at_rate(metric: Metric, rate: str, value: float, asked: str) -> Ranking:
    at = str(of_table(rate.strip()))
    kept = _TURNED.get(at, at)
    if kept not in _POINTS:
        names = ", ".join((*_POINTS, *_TURNED))
        raise BadSetting(f"a point of the curve is given by {names}, or by a threshold; got {asked!r}.")
    level = 1.0 - value if at in _TURNED else value
    if not (0.0 < level <= 1.0 if kept == "recall" else 0.0 <= level <= 1.0):
        near = f" Did you mean {value / 100:g}?" if 10 <= value <= 100 else ""
        raise BadSetting(f"{at} lies between 0 and 1 (recall above 0); got {asked!r}.{near}")
    if str(metric) in (at, kept) or _TURNED.get(str(metric)) == kept:
        raise BadSetting(f"{asked!r} asks for {metric} at a given {metric}.")
    name = f"{metric}@{at}={_number(value)}"
    meaning = f"{metric} where {at} is {_number(value)}, on the line between the cuts around it"
    return Ranking(
        name, partial(_at_point, metric=metric, rate=kept, level=level), metric.better, meaning,
        "Davis & Goadrich 2006", bounds=metric.bounds, text=metric.text, latex=metric.latex, base=metric,
        bound=partial(_BOUNDS[kept], level=level, formula=metric.formula),
    )  # fmt: skip


def _best(which: str, metric: Metric) -> Ranking:
    usual = {"higher": "max", "lower": "min"}.get(metric.better or "", which)
    if which != usual:
        raise BadSetting(
            f"the best {metric} is the {'highest' if usual == 'max' else 'lowest'}: ask for {usual}-{metric}."
        )
    sign = 1.0 if which == "max" else -1.0
    rising = no_better_with_alarms(metric, sign)
    word = "highest" if which == "max" else "lowest"
    return Ranking(
        f"{which}-{metric}", partial(_at_best, metric=metric, sign=sign, rising=rising), metric.better,
        f"{word} {metric} over all thresholds", metric.source, bounds=metric.bounds,
        text=f"{which} over thresholds of {metric.text}", latex=rf"\{which}_t {metric.latex}",
        base=metric, bound=partial(binned.best, formula=metric.formula, sign=sign) if rising else None,
        best_cut=partial(_best_cut, metric=metric, sign=sign, rising=rising),
        at_cut=partial(_at_given_cut, metric=metric),
    )  # fmt: skip


@lru_cache(maxsize=256)
def no_better_with_alarms(metric: Metric, sign: float) -> bool:
    """Whether one more false alarm (tn to fp) never makes the measure better: then the best cut ends on a positive."""
    rng = np.random.default_rng(5)
    tp, fp, fn, tn = 10.0 ** rng.uniform(-2.0, 2.0, (4, 400))
    step = tn * rng.uniform(0.0, 1.0, 400)
    with np.errstate(all="ignore"):
        here = np.asarray(metric.formula(tp=tp, fp=fp, fn=fn, tn=tn), dtype=float)
        there = np.asarray(metric.formula(tp=tp, fp=fp + step, fn=fn, tn=tn - step), dtype=float)
    return bool((sign * (there - here) <= 1e-12 * (np.abs(here) + np.abs(there))).all())


def _number(x: float) -> str:
    return f"{x:g}" if float(f"{x:g}") == x else repr(x)
