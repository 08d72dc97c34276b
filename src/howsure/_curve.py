"""Scores at every threshold, and the best threshold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Unpack

import numpy as np

from howsure._score import score_columns
from howsure.arrays import Array, Index
from howsure.catalogue import Metric, parse, utility
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.retrieval import DEFAULT, Ranking, table_metric
from howsure.distributions import ranked
from howsure.distributions.ranked import Cuts
from howsure.errors import BadSetting
from howsure.evidence import protocol
from howsure.evidence.classes import Tally
from howsure.evidence.protocol import THRESHOLD, number
from howsure.evidence.scored import Scored
from howsure.messages.notes import Notes, merged, note
from howsure.messages.numbers import probability, short, stated
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.score_control import FEW_PAIRED, pair_draws
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.thresholds import tally_at
from howsure.ranking import bands, thresholds
from howsure.ranking.bands import CurveBand, Line, at_rate, closed, drawn_band, few_digits, spoken, spread, sure_band
from howsure.ranking.limits import Given
from howsure.ranking.thresholds import Choice, choose
from howsure.render.kinds import Answers, Directions, ResultDict, ResultKind, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import EXAMPLE, Data, DataGiven, Option, Verb, WebQuestion
from howsure.validate import AUTO, Columns, check_kind, check_level, metrics_given, whole_from
from howsure.verbs.inputs import answered, entered
from howsure.verbs.rows import Row, row_documents

# -- marking
#
# Cuts of a curve that are marked on it: the thresholds that were asked for, else the one with the highest F1.


def marked(items: Scored, asked: Iterable[Row], best: Callable[[], float]) -> list[dict[str, Any]]:
    """Where thresholds stand on the curve of one system, cells and rates; a rate of no items is null.

    Several systems have none: a threshold of one means nothing to another.
    """
    if len(items.systems) > 1:
        return []
    found = [getattr(row.question.metric, "threshold", None) for row in asked]
    wanted = list(dict.fromkeys(t for t in found if t is not None))
    why, places = ("asked", wanted) if wanted else ("highest f1", [best()])
    cells = tally_at(items, places).named()
    rates = {name: np.asarray(parse(name).at(cells)) for name in ("recall", "fallout", "precision")}
    return [
        {"threshold": real(t), "why": why}
        | {name: number(x[i]) for name, x in cells.items()}
        | {name: real(x[i]) for name, x in rates.items()}
        for i, t in enumerate(places)
    ]


# -- curves
#
# Curve: a classifier with scores at every threshold, with exact pointwise bands and simultaneous ones.


_SHOWN: Final = ("precision@recall=0.9", "recall@fpr=0.1")
_POINTS: Final = 200  # of the curve that a document holds
_TOLD: Final = 4  # systems whose pairs are put into words
_FEW: Final = 400  # thresholds of a band that has no closed form


@dataclass(frozen=True, eq=False)
class Curve(Result):
    """Scores of one or more systems on the same items, at every threshold; prints as a table.

    >>> c = curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1])
    >>> c.tally.tp.tolist(), c.tally.fp.tolist()
    ([1, 2, 2, 3, 3, 3], [0, 0, 1, 1, 2, 3])
    >>> c["recall@0.6"]
    recall@0.6 1.000 [0.464, 1.000] 95% to-end, closed form
    """

    posterior: Posterior
    level: float = 0.95
    interval: str = AUTO
    asked: tuple[Any, ...] | None = None
    _parts: dict[str, Curve] = field(default_factory=dict, repr=False, compare=False)

    @property
    def items(self) -> Scored:
        """The scored items."""
        return self.posterior.evidence  # type: ignore[no-any-return]

    @property
    def _library(self) -> str | None:
        return self.items.library

    # -- systems

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.items.systems

    def system(self, name: str) -> Curve:
        """The curve of one system."""
        if name not in self._parts:
            own = self.posterior.system(name)
            self._parts[name] = replace(self, posterior=own, _parts={})
        return self._parts[name]

    def __getitem__(self, metric: Any) -> Distribution:
        """The posterior of a measure: auc, AP, BEP, AP11, max-f1, f1@0.5, precision@recall=0.9, …"""
        return self.posterior[metric]

    def _single(self) -> None:
        if len(self.systems) > 1:
            raise BadSetting(
                f"this curve holds {len(self.systems)} systems: choose one with curve.system({self.systems[0]!r})."
            )

    # -- points

    @cached_property
    def tally(self) -> Tally:
        """The 2x2 tables at every distinct score, from the highest down: a batch with the axis threshold."""
        self._single()
        return tally_at(self.items)

    @property
    def thresholds(self) -> Array:
        """The distinct scores, from the highest down."""
        self._single()
        return self.items.orders[0].thresholds

    @property
    def roc(self) -> Line:
        """Fallout and recall at every threshold, after finding nothing (threshold infinity)."""
        c = {k: np.append(0.0, v) for k, v in self._cells.items() if k in ("tp", "fp")}
        x, y = (c[k] / c[k][-1] for k in ("fp", "tp"))
        return Line("fallout", "recall", x, y, np.append(np.inf, self.thresholds))

    @property
    def precision_recall(self) -> Line:
        """Recall and precision at every threshold."""
        c = self._cells
        return Line("recall", "precision", c["tp"] / c["tp"][-1], c["tp"] / (c["tp"] + c["fp"]), self.thresholds)

    @property
    def _cells(self) -> dict[str, Array]:
        return {k: v.astype(float) for k, v in self.tally.named().items()}

    def metric(self, name: str | Metric) -> Line:
        """Any measure of a 2x2 table at every threshold; NaN where it is 0/0."""
        m = table_metric(name)
        return Line("threshold", str(name), self.thresholds, np.asarray(m.at(self.tally.named())), self.thresholds)

    @cached_property
    def crossings(self) -> tuple[dict[str, float], ...]:
        """Where precision equals recall: the break-even point, and the threshold at which it is reached.

        There is one: p - r = tp·(R - found)/(R·found) changes its sign only where as many are found as are positive.
        The origin, tp = 0, is none.
        """
        self._single()
        c = self._point_cuts
        found = np.add(*(x[0] for x in c.every))
        cut = min(int(np.searchsorted(found, c.positives[0] * (1 - ranked.SLACK))), self.thresholds.size - 1)
        return ({"value": float(ranked.break_even(c)[0]), "threshold": float(self.thresholds[cut])},)

    @cached_property
    def _point_cuts(self) -> Cuts:
        d = self.items
        amounts = d.amounts[None]
        return Cuts.weigh(d.orders[0], amounts[:, d.truth], amounts[:, ~d.truth])

    @property
    def _closed(self) -> bool:
        """Whether tables at thresholds have laws of their own: of independent items under a prior such as even."""
        return self.items.clusters is None and bool(score_draws(self.posterior).weight)

    # -- bands

    @cached_property
    def tables(self) -> Posterior:
        """The posterior of the tables at all thresholds, each as if it were alone."""
        if not self._closed:
            raise BadSetting("tables have laws of their own for independent items and a prior such as even.")
        return self.posterior.seeing(self.tally)

    def band(
        self, metric: str | Metric, *, level: float | None = None, simultaneous: bool = False, points: int | None = None
    ) -> CurveBand:
        """The interval of a measure at every threshold: exact, from the table there, without draws.

        Measures without a closed form take 400 thresholds, evenly spaced among the items, or as many as `points`.
        A simultaneous band holds the whole curve with that probability: wider tails, found by the Bayesian bootstrap.

        >>> c = curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1])
        >>> c.band("recall").high.round(3).tolist()
        [0.823, 0.961, 0.961, 1.0, 1.0, 1.0]
        """
        self._single()
        level = self.level if level is None else check_level(level)
        m = table_metric(metric)
        loose = not self._closed
        exact = not loose and closed(m, self.items.weighted)
        at = spread(self.tally, whole_from(points, "points=", 2) if points is not None else None if exact else _FEW)
        draw = drawn_band(self.posterior, m, at, level, simultaneous) if simultaneous or loose else None
        whole = at.size == self.thresholds.size
        cells, where = self.tally.named(), self.thresholds if whole else self.thresholds[at]
        score = np.asarray(m.at(cells if whole else {k: v[at] for k, v in cells.items()}))
        line = Line("threshold", str(metric), where, score, where)
        if loose and draw is not None:
            told = spoken(line, draw)
            return CurveBand(line, *told[:2], level, simultaneous, "sampled", told[2], self.posterior)
        law = self._at(at)[m]
        tail = 0.5 * (1.0 - level) if draw is None else draw.tail
        return sure_band(line, law, level, tail, () if draw is None else draw.notes, self.posterior)

    def _at(self, at: Index) -> Posterior:
        """The posterior of the tables at some thresholds."""
        t = self.tally
        if at.size == t.shape[0]:
            return self.tables
        return self.tables.seeing(t.at(at, ((THRESHOLD, tuple(self.thresholds[at])),)))

    def at(
        self,
        *,
        recall: Any = None,
        fallout: Any = None,
        metric: str | Metric | None = None,
        level: float | None = None,
        simultaneous: bool = False,
    ) -> CurveBand:
        """A measure where recall (or fallout) has these values: precision at a recall, recall at a fallout.

        >>> c = curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1])
        >>> c.at(recall=[0.5, 1.0]).score.tolist()
        [1.0, 0.75]
        """
        self._single()
        if (recall is None) == (fallout is None):
            raise BadSetting("give either recall= or fallout=, the values to look at.")
        rate, levels = ("recall", recall) if fallout is None else ("fallout", fallout)
        m = table_metric(metric if metric is not None else "precision" if rate == "recall" else "recall")
        level = self.level if level is None else check_level(level)
        return at_rate(self.posterior, self._point_cuts, m, rate, levels, level, simultaneous)

    # -- a threshold

    def choose(
        self,
        metric: str | Metric | None = None,
        *,
        at_least: Given = None,
        at_most: Given = None,
        correct: str | None = "folds",
        level: float | None = None,
        interval: str | None = None,
    ) -> Choice:
        """The threshold at which a measure (f1, or a cost: hs.utility) is best, among those that keep the limits.

        A limit is a number that these items have to keep, {"recall": 0.9}, or a pair, {"recall": (0.9, 0.95)}: recall
        is at least 0.9 in the population with probability 0.95.
        The threshold has a posterior, and so has the measure there; choosing on these items flatters it, which is
        corrected by choosing again: on four fifths ("folds"), on samples from the posterior ("resample") or on halves
        ("split"), and trying it on others.

        >>> c = curve([1, 1, 0, 1, 0, 1, 0, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
        >>> best = c.choose("f1", at_least={"recall": 0.7})
        >>> best.threshold, best.cells
        (0.5, {'tp': 4, 'fp': 2, 'fn': 0, 'tn': 4})
        """
        found = choose(
            self.posterior, metric, at_least=at_least, at_most=at_most, correct=correct,
            level=self.level if level is None else check_level(level),
            interval=self.interval if interval is None else check_kind(interval),
        )  # fmt: skip
        return replace(found, curve=self)

    # -- document

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The measures of the summary, with their intervals."""
        out: list[Row] = []
        for name in self.systems:
            own = self if len(self.systems) == 1 else self.system(name)
            wanted = own.asked if own.asked is not None else own._summary
            system = None if len(self.systems) == 1 else name
            out += [Row(q, self.level, self.interval, None, system) for q in own.posterior.questions(wanted)]
        return tuple(out)

    @cached_property
    def best(self) -> float:
        """The threshold with the highest F1 of these items, in few digits."""
        cut = int(ranked.best(self._point_cuts, parse("f1").formula, rising=True)[1][0])
        cut = min(max(cut, 0), self.thresholds.size - 1)
        high, top = float(self.thresholds[cut]), float(self.thresholds[0])
        return few_digits(
            float(self.thresholds[cut + 1]) if cut + 1 < self.thresholds.size else high - 0.1 * (top - high), high
        )

    @property
    def _summary(self) -> tuple[Any, ...]:
        at = f"{self.best!r}"
        return (*DEFAULT, *_SHOWN, *(f"{name}@{at}" for name in ("precision", "recall", "fpr")))

    @cached_property
    def pairs(self) -> tuple[dict[str, Any], ...]:
        """For every two systems and measure of the summary: P(first better), and the interval of the difference."""
        names = [m for m in self._common if m.better is not None]
        if len(self.systems) < 2 or not names:
            return ()
        p, tail = self.posterior, 0.5 * (1.0 - self.level)
        every = score_draws(p).of(names, score_draws(p).number, p.seed)
        found = []
        for (i, a), (j, b) in combinations(enumerate(self.systems), 2):
            for m, x in zip(names, every, strict=True):
                gap = x[:, i] - x[:, j]
                if m.area and len(self.systems) <= FEW_PAIRED:  # by the prior of two systems, as in compare
                    gap = np.subtract(*pair_draws(p.pick((a, b)), m).of([m], len(x), p.seed)[0].T)
                better = float((gap > 0).mean() + 0.5 * (gap == 0).mean())
                better = (gap.size * (better if m.better == "higher" else 1.0 - better) + 0.5) / (gap.size + 1.0)
                low, high = np.quantile(gap, [tail, 1.0 - tail])
                found.append({"metric": str(m), "first": a, "second": b, "p_better": better, "difference": gap.mean(),
                              "low": low, "high": high})  # fmt: skip
        return tuple({k: float(v) if isinstance(v, np.floating) else v for k, v in x.items()} for x in found)

    @property
    def _common(self) -> tuple[Ranking, ...]:
        """Measures that all systems are asked for; a threshold of one means nothing to another."""
        wanted = self.asked if self.asked is not None else (*DEFAULT, *_SHOWN)
        return tuple(self.posterior.measure(x) for x in wanted)  # type: ignore[misc]

    @property
    def notes(self) -> Notes:
        """What is to be said of the summary."""
        own = [n for row in self.rows if (n := row.question.prior_note) is not None]
        own += [n for row in self.rows for n in row.notes]
        if self.asked is None:  # the threshold was not given: it has the highest F1
            own = [n for n in own if n.code != "threshold-extreme"]
        if self.asked is None and len(self.systems) == 1:
            own.append(note("best", threshold=self.best))
        if self.pairs and len(self.systems) <= _TOLD:
            first = [x for x in self.pairs if x["metric"] == self.pairs[0]["metric"]]
            error = 1.5 / float(np.sqrt(score_draws(self.posterior).number))
            shown = ("metric", "first", "second", "p_better")
            own += [note("pairs", error=error, level=self.level, **{k: x[k] for k in shown}) for x in first]
        return merged(own)

    def _make(self) -> dict[str, Any]:
        p, rows = self.posterior, protocol.document([self.items])
        made = envelope(
            "howsure.curve/1", row_documents(self.rows), prior=p.prior_document, level=self.level, account=rows,
            interval=self.interval, seed=p.seed, data=self.items.describe(), notes=self.notes,
        )  # fmt: skip
        made["pairs"] = [dict(x) for x in self.pairs]
        made["cuts"] = marked(self.items, self.rows if self.asked else (), lambda: self.best)
        made["points"] = [x for name in self.systems for x in self.system(name)._point_documents(name)]
        return made

    def _point_documents(self, system: str) -> list[dict[str, Any]]:
        """Thresholds evenly spaced among the items: cells, rates and their intervals."""
        at = spread(self.tally, _POINTS)
        cells = {k: v[at] for k, v in self.tally.named().items()}
        columns: dict[str, Any] = {}
        for name in ("recall", "fallout", "precision"):
            columns[name] = np.asarray(parse(name).at(cells))
            if self._closed:
                got = self._at(at)[name].interval(self.level, kind=self.interval)
                columns |= {f"{name}_low": got.low, f"{name}_high": got.high}
        return [
            {"system": system if len(self.systems) > 1 or system != "system" else None, "threshold": real(t)}
            | {k: number(v[i]) for k, v in cells.items()}
            | {k: real(v[i]) for k, v in columns.items()}
            for i, t in enumerate(self.thresholds[at])
        ]

    def __repr__(self) -> str:
        of = {s: f"auc {short(float(self.system(s).posterior.point('auc')))}" for s in self.systems}
        return f"Curve({', '.join(f'{visible(s)}: {x}' if len(of) > 1 else x for s, x in of.items())}; {self.items!r})"


def curve(
    data: Any,
    scores: Any = None,
    y: Any = None,
    *,
    metric: Any = None,
    metrics: Any = None,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
    **columns: Unpack[Columns],
) -> Curve:
    """The curves of a classifier with scores: ROC, precision-recall and any measure against the threshold.

    Arrays, lists, Series: curve(y_true, scores); a mapping of scores holds several systems on the same items. Frames of
    any engine, files and databases: curve(frame, truth="label", score="p"). Items with equal scores go together. `bins`
    counts the scores of files in so many bins. A fitted estimator is asked for its scores: curve(estimator, X, y).
    `metric` and `metrics` mean the same, a name or several.
    Settings that are not given are those of a posterior that is, else the usual ones.

    Parameters
    ----------
    metric
        A metric, such as auc, AP, f1@0.5 or precision@recall=0.9; repeat for more.
    prior
        even, none, or a weight per cell.

    Examples
    --------
    >>> curve([1, 0, 1, 0], {"a": [0.9, 0.2, 0.4, 0.6], "b": [0.8, 0.3, 0.5, 0.1]})
    Curve(a: auc 0.750, b: auc 1.000; Scored(4 items, 2 positive, 2 systems))
    """
    data, scores, told = answered("curve", data, scores, y, columns)
    given = entered("curve", data, scores, told, kind="scores", prior=prior, tolerance=tolerance, seed=seed)
    p = given.posterior
    if not isinstance(p.evidence, Scored):
        raise BadSetting(f"a curve needs truths and scores: hs.curve(y_true, scores); got {type(p.evidence).__name__}.")
    wished = metrics_given(metric, metrics, "for the default table")
    asked = None if wished is None else tuple(wished) if isinstance(wished, list) else (wished,)
    for name in asked or ():
        p.resolve(name)
    wanted = check_level(given.level if level is None else level)
    return Curve(p, wanted, check_kind(given.interval if interval is None else interval), asked)


# -- what is shown


def _answers(result: ResultDict, directions: Directions) -> Answers:
    from howsure.render.findings import sentence
    from howsure.report.opening import first_few, scores

    chosen = [sentence(n["text"]) for n in result["notes"] if n["code"] == "best"]
    pairs = [
        stated(f"P({p['first']} better than {p['second']} on {p['metric']})", probability(p.get("p_better"))) + "."
        for p in result.get("pairs") or ()
    ]
    own = [(question, told) for question, told in scores(result, directions) if question != "Which is best?"]
    return [*own, ("Which is best?", first_few(pairs, "pair", "in the document")),
            ("Which threshold?", first_few(chosen, "threshold", "in the notes"))]  # fmt: skip


# -- the command: a curve, its best threshold or its band


_LIMIT: Final = "recall=0.9, or 'recall=0.9 with 0.95' for a limit in the population with that probability"
_OTHER_DATA: Final = (
    "task", "filter", "scorer",
    "pred", "outcome", "judge", "human", "value", "bounds", "better", "by", "sep", "threshold", "stratum", "population",
    "on", "system", "unmatched", "independent", "counts", "rate", "matrix", "rows", "labels", "prevalence",
)  # fmt: skip


def _typed(
    given: DataGiven, *, best: str | None = None, cost: str | None = None, band: str | None = None,
    at_least: Sequence[str] = (), at_most: Sequence[str] = (), simultaneous: bool = False, correct: str | None = None,
    **keywords: Any,
) -> Result:  # fmt: skip
    chosen = [name for name, x in (("--band", band), ("--best", best), ("--cost", cost)) if x is not None]
    if len(chosen) > 1:
        raise BadSetting(f"give one of {' and '.join(chosen)}")
    limited = bool(at_least or at_most)
    if band is not None and (limited or correct):
        raise BadSetting("--at-least, --at-most and --correct choose a threshold: leave out --band")
    if correct and not (best or cost or limited):
        raise BadSetting("--correct goes with --best, --cost, --at-least or --at-most")
    chosen += ["--at-least" if at_least else "--at-most"] if limited and not chosen else []
    least, most = _typed_limits("--at-least", at_least, given), _typed_limits("--at-most", at_most, given)
    if simultaneous and band is None:
        raise BadSetting("--simultaneous goes with --band")
    if chosen and "metrics" in keywords:
        raise BadSetting(f"{chosen[0]} replaces the summary: leave out --metric")
    if band is not None and keywords.get("interval") == "hdi":
        raise BadSetting("a band is equal-tailed: leave out --interval")
    made = curve(given.evidence(), **keywords)
    if chosen and len(made.systems) > 1:
        raise BadSetting(f"{chosen[0]} is for one score: give one --score")
    if best is not None or cost is not None or limited:
        metric: Any = best if cost is None else utility(**_weights(cost), cost=True)
        return made.choose(metric, at_least=least, at_most=most, correct=correct or "folds")
    return made if band is None else made.band(band, simultaneous=simultaneous)


def _typed_limits(flag: str, texts: Sequence[str], given: DataGiven) -> dict[str, Any] | None:
    """recall=0.9, or 'recall=0.9 with 0.95': a number, or a pair of a number and a probability."""
    if texts and "with" in given.files:
        raise BadSetting(f"put the limit in quotes: {flag} '{texts[-1]} with 0.9'")
    found: dict[str, Any] = {}
    for text in texts:
        limit, *asked = re.split(r"\s+with\b", text, maxsplit=1)
        ((name, value),) = _named_number(limit, _LIMIT, text).items()
        if name in found:
            raise BadSetting(f"{flag} has two limits on {name}: give one")
        found[name] = (value, *(_named_number(f"with={x}", _LIMIT, text)["with"] for x in asked)) if asked else value
    return found or None


def _weights(text: str) -> dict[str, float]:
    """fp=1,fn=5: what an item in each cell costs."""
    found = {k: v for part in text.split(",") for k, v in _named_number(part, "--cost fp=1,fn=5").items()}
    unknown = next((k for k in found if k not in CELLS), None)
    if unknown is not None:
        raise BadSetting(f"--cost needs tp, fp, fn or tn, such as fp=1,fn=5; got {unknown!r}")
    return found


def _named_number(text: str, example: str, whole: str | None = None) -> dict[str, float]:
    name, _, value = (x.strip() for x in text.partition("="))
    try:
        return {name: float(value)}
    except ValueError:
        raise BadSetting(f"give a name and a number, such as {example}; got {(whole or text)!r}") from None


VERB: Final = Verb(
    curve,
    help="""`howsure curve preds.csv` finds columns with the usual names, such as truth or label, and score or prob;
    name others with --truth and --score. It shows AUC, average precision, break-even, 11-point precision and the best
    F1.""",
    data=Data(kind="scores", without=_OTHER_DATA),
    table={
        "metrics": Option("A metric, such as auc or f1@0.5; repeat for more."),
        "best": Option("The threshold at which a metric is best.", metavar="NAME"),
        "cost": Option("The threshold with the lowest cost per item.", metavar="fp=1,fn=5"),
        "at_least": Option(
            "Best with that on these items, or 'recall=.9 with .95': in the population, with that probability.",
            metavar="recall=0.9",
            many=True,
        ),
        "at_most": Option("The same from above; repeat both for more.", metavar="fallout=0.1", many=True),
        "band": Option("The interval of a metric at every threshold.", metavar="NAME"),
        "simultaneous": Option("With --band: for the whole curve at once.", reads="flag", group="Less common"),
        "correct": Option(
            "With --best or --cost: how choosing on the same items is corrected: folds (default), resample, split, "
            "none.",
            metavar="HOW",
            choices=("folds", "resample", "split", "none"),
            group="Less common",
        ),
    },
    typed=_typed,
    instead={
        "--pred": " curve takes scores: give --score and the name of their column.",
        "--by": " Take one slice at a time with --where COLUMN=VALUE, or cut the scores: "
        "howsure score --score COLUMN --threshold 0.5 --by COLUMN.",
        "--prevalence": " Cut the scores first: howsure score --score COLUMN --threshold 0.5 --prevalence 0.1.",
        "--threshold": " A threshold is part of a measure: --metric f1@0.5.",
        "--above": " That is for score: howsure score --score COLUMN --threshold 0.5 --above 0.8.",
    },
    kinds=(
        ResultKind(
            "curve",
            score_columns,
            bars="row",
            charts=later("charts.thresholds:curve"),
            title="How good are the scores at every threshold?",
            answers=_answers,
            assumptions=thresholds.chosen,
        ),
        bands.KIND,
        thresholds.KIND,
    ),
    question=WebQuestion(
        ("scores",),
        example={"truth": [1, 0, 1, 1, 0], "scores": [0.9, 0.2, 0.4, 0.8, 0.5], "metrics": ["auc", "f1@0.5"]},
        also=("best",),
        then={"best": "choose"},
    ),
    examples=(
        f"{EXAMPLE} --score p_tree",
        f"{EXAMPLE} --score p_tree --best f1",
        f"{EXAMPLE} --score p_tree --best precision --at-least recall=0.9",
    ),
)
