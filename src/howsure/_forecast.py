"""What the next items will show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure._compare import Many, One, Several, each_measure
from howsure.distributions.future_scores import DrawnScores
from howsure.errors import BadSetting, UnknownName, listing, plural
from howsure.evidence import protocol
from howsure.evidence.protocol import as_json, number
from howsure.evidence.slices import slice_of
from howsure.messages.language import option
from howsure.messages.notes import Notes, merged, note
from howsure.messages.numbers import count, percentage, probability, within
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution, Interval, number_or_array
from howsure.posteriors.estimand import Estimand, NextScore
from howsure.posteriors.future_items import MOST_OF_TWO, called, difference_apart, draws_of_tables
from howsure.posteriors.posterior import Posterior
from howsure.render import columns as col
from howsure.render.kinds import Answers, Directions, ResultDict, ResultKind, TableColumn, later
from howsure.results.outlines import step_outline
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import EXAMPLE, Data, Option, Verb, WebQuestion
from howsure.validate import (
    ColumnsAndTarget,
    check_kind,
    check_level,
    finite,
    metrics_given,
    places,
    reached,
    refuse_beyond,
)
from howsure.verbs.comparison import page
from howsure.verbs.inputs import answered, are_estimators, entered, is_made, is_made_by_name

if TYPE_CHECKING:
    from howsure.charts.chart import Chart


# -- score limits
#
# Limits of scores to come: the values whose probabilities a prediction tells, one for all measures or by measure.

AnyForecast = Any  # howsure._forecast.Forecast


@dataclass(frozen=True)
class ScoreLimit:
    """A score whose probability is wanted: one for all measures, or by measure."""

    name: str
    given: Any

    def of(self, d: AnyForecast) -> float | None:
        """The limit of a measure."""
        if isinstance(self.given, Mapping):
            found = next((v for k, v in self.given.items() if str(k) in (d.asked, str(d.metric))), None)
        else:
            found = self.given
        if found is None:
            return None
        value = finite(found)
        if not -1e300 < value < 1e300:
            told = f"{option(self.name)} must be a finite number, or a mapping from metric to number"
            raise BadSetting(f"{told}; got {found!r}.")
        low, high = reached(d.metric)
        both = len(d.systems) > 1  # a difference goes as far as its measure is wide, either way
        bounds = (low - high, high - low) if both else (low, high)
        refuse_beyond(f"a difference of {d.asked}" if both else d.asked, bounds, value, self.name)
        return value

    def refuse_unused(self, parts: Sequence[AnyForecast]) -> None:
        """A mapping that names a measure which is not asked for."""
        known = [x for d in parts for x in (d.asked, str(d.metric))]
        unused = [str(k) for k in (self.given if isinstance(self.given, Mapping) else ()) if str(k) not in known]
        if unused:
            shown = listing(list(dict.fromkeys(d.asked for d in parts)))
            raise UnknownName(f"{option(self.name)} names {unused[0]!r}, which is not among the measures: {shown}.")


# -- forecast
#
# forecast: the distribution of the score that the next n items will show, or of the next difference of two systems.

MOST: Final = 1_000_000_000  # items to come
MOST_NUMBERS: Final = 50_000_000  # tables times items
NAMES: Final = ("first", "second")
SAID: Final = 1e-4  # P(undefined) from which on it is said


class NextSettings(ColumnsAndTarget, total=False):
    """What forecast takes besides its data, its measures and n."""

    below: Any
    above: Any
    prior: Any
    names: tuple[str, str] | None
    level: float | None
    tolerance: float | None
    seed: int | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Forecast(Result, Distribution):
    """The law of a score to be observed: `cdf` is P(score <= x), and there is no density; `undefined` is P(0/0).

    Everything else is given that the score is defined. Its quantiles and interval ends are values that the score can
    take, and the interval holds its level or more.
    """

    n: int  # items to come, or clusters of them
    unit: str
    undefined: Any
    level: float
    posteriors: tuple[Posterior, ...] = field(repr=False)
    question: Estimand = field(repr=False)
    systems: tuple[str, ...]  # two for a difference, first less second
    paired: bool
    below: float | None = None
    above: float | None = None

    __hash__ = None  # type: ignore[assignment]

    @property
    def metric(self) -> Any:
        """The measure."""
        return self.question.metric

    @property
    def asked(self) -> str:
        """The name asked for."""
        return self.question.asked

    # -- a law of steps

    def prob_below(self, x: ArrayLike) -> Any:
        """P(score < x)."""
        if isinstance(self.law, DrawnScores):
            return number_or_array(self.law.below(np.asarray(x, dtype=float)))
        return self.cdf(np.nextafter(np.asarray(x, dtype=float), -np.inf))

    def pdf(self, x: ArrayLike) -> Any:
        """Refused: the next items show one of finitely many scores."""
        del x
        raise BadSetting(f"{self.name} has steps and no density; ask for cdf(x), which is P(score <= x), or sf(x).")

    @property
    def mode(self) -> Any:
        """Refused, as the density is."""
        raise BadSetting(f"{self.name} has steps and no density, so it has no mode; ask for median or mean.")

    def interval(self, level: float | None = None, *, kind: str = "equal-tailed") -> Interval:
        """The equal-tailed interval: it holds its level or more, and may be a single score."""
        wanted = check_level(self.level if level is None else level)
        if check_kind(kind) != "equal-tailed":
            raise BadSetting(f"{self.name} has steps and no density, so it has no hdi; ask for kind='equal-tailed'.")
        low, high, below, above = (number_or_array(x) for x in self.law.equal_tailed(wanted))
        return Interval(low, high, wanted, "equal-tailed", below, above)

    # -- looks

    def plot(
        self, kind: str | None = None, *, level: float | None = None, interval: str = "equal-tailed",
        above: float | None = None,
    ) -> Chart:  # fmt: skip
        """The probability of each score, with the interval; `level` and `above` take the place of its own."""
        self.interval(level, kind=interval)  # what it cannot be is refused
        wanted, limit = self.level if level is None else level, self.above if above is None else float(above)
        return Result.plot(replace(self, level=wanted, above=limit), kind)

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        marks = [x for x in (self.below, self.above) if x is not None]
        return {} if self.shape else {"steps": lambda: step_outline(self, self.level, self.n, marks)}

    # -- document

    @cached_property
    def remarks(self) -> Notes:
        """What is to be said of it and of the data that it rests on."""
        prior = self.question.prior_note
        found = [*([] if prior is None else [prior]), *self.question.remarks, *self.notes]
        if self.unit != "item":
            found.append(note("next-clusters", count=self.n))
        lost = float(np.max(self.undefined))
        if lost >= SAID:
            found.append(note("next-undefined", of=self.name, p=lost, single=not self.shape))
        if self.ess is not None:
            ends = max(float(np.max(x)) for x in self.end_errors(self.level, "equal-tailed"))
            off, chance = (float(f"{x:.1g}") for x in (ends, float(np.max(self.error.probability))))
            found.append(note("sampled", of=(self.asked,), draws=self.ess, ends=off, probability=chance))
        if np.isinf(np.asarray(self.mean)).any():
            found.append(note("infinite-mean", of=self.name))
        return merged(found)

    @property
    def _library(self) -> str | None:
        return self.posteriors[0].library

    def _make(self) -> dict[str, Any]:
        p, several = self.posteriors[0], len(self.systems) > 1
        data = {"systems": list(self.systems), "paired": self.paired, "n": None}
        if len(self.posteriors) == 1:
            data = {**p.evidence.describe(), **({"paired": True} if several else {})}
        return envelope(
            "howsure.forecast/1", self._rows(), prior=p.prior_document, level=self.level, interval="equal-tailed",
            seed=p.seed, data=data, notes=self.remarks,
            account=protocol.document(x.evidence for x in self.posteriors),
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        low, high, *_ = self.interval()
        left, right = self.end_errors(self.level, "equal-tailed")
        p_below = np.nan if self.below is None else self.prob_below(self.below)
        p_above = np.nan if self.above is None else self.prob_above(self.above)
        columns = {
            "score": self._score(), "mean": self.mean, "std": self.std, "median": self.median, "low": low,
            "high": high, "p_below": p_below, "p_above": p_above, "p_undefined": self.undefined,
            "value": self.error.value, "probability": self.error.probability, "mean error": self.mean_error(),
            "low error": left, "high error": right,
        }  # fmt: skip
        full = {k: np.broadcast_to(np.asarray(v, dtype=float), self.shape) for k, v in columns.items()}
        return [self._row(at, {k: v[at] for k, v in full.items()}) for at in np.ndindex(self.shape)]

    def _score(self) -> Any:
        """What the items seen so far show."""
        if len(self.systems) < 2:
            return self.question.score
        sides = (self.posteriors[0].system(x) for x in self.systems) if self.paired else self.posteriors
        first, second = (p.resolve(self.question.metric).score for p in sides)
        return first - second

    def _row(self, at: tuple[int, ...], values: Mapping[str, Any]) -> dict[str, Any]:
        evidence, both = self.posteriors[0].evidence.only(self.metric), len(self.systems) > 1
        shown = ("score", "mean", "std", "median", "low", "high")
        return {
            "metric": str(self.metric),
            "asked": self.asked,
            "system": None if both or self.systems == ("system",) else self.systems[0],
            "first": self.systems[0] if both else None,
            "second": self.systems[1] if both else None,
            "slice": slice_of(evidence, at) or None,
            "class": as_json(self.metric.label),
            "n": number(evidence.totals[at]) if len(self.posteriors) == 1 else None,
            "next": self.n,
            "unit": self.unit,
            **{k: real(values[k]) for k in shown},
            "below": self.below,
            "p_below": real(values["p_below"]),
            "above": self.above,
            "p_above": real(values["p_above"]),
            "p_undefined": real(values["p_undefined"]),
            "error": {
                **{k: real(values[k]) for k in ("value", "probability")},
                **{k: real(values[f"{k} error"]) for k in ("mean", "low", "high")},
                **({} if self.law.n is None else {"floor": self.law.floor}),
            },
            "route": self.route,
            "range": [real(x) for x in self.range],
            "infinite": [k for k in shown if np.isinf(values[k])],
        }

    def page(self) -> dict[str, Any]:
        """The document for people: of many tables only the first and the last."""
        return page(self._document)

    def __repr__(self) -> str:
        if self.shape:
            return f"{visible(self.name)} batch {self.shape}, {self.route}"
        low, high = self.interval()
        known = np.isfinite(self.mean)
        middle, off = (self.mean, self.mean_error()) if known else (self.median, self.median_error)
        told = within(middle, low, high, float(off), self.end_errors(self.level, "equal-tailed"))
        return f"{visible(self.name)} {told} {100 * self.level:.12g}% equal-tailed, {self.route}"


# -- the verb


@overload
def forecast(
    first: Any, second: Any = None, third: Any = None, *, n: int, metric: One | None = None,
    metrics: One | None = None, **settings: Unpack[NextSettings],
) -> Forecast: ...  # fmt: skip
@overload
def forecast(
    first: Any, second: Any = None, third: Any = None, *, n: int, metric: Many, **settings: Unpack[NextSettings]
) -> Several: ...
@overload
def forecast(
    first: Any, second: Any = None, third: Any = None, *, n: int, metrics: Many, **settings: Unpack[NextSettings]
) -> Several: ...
def forecast(
    first: Any, second: Any = None, third: Any = None, *, n: int, metric: One | Many | None = None,
    metrics: One | Many | None = None, below: float | Mapping[str, float] | None = None,
    above: float | Mapping[str, float] | None = None, prior: Any = None,
    names: tuple[str, str] | None = None, level: float | None = None, tolerance: float | None = None,
    seed: int | None = None, **columns: Unpack[ColumnsAndTarget],
) -> Forecast | Several:  # fmt: skip
    """What will the next n items show? The law of the observed score, which has more spread than the posterior.

    Takes what score takes: evidence, a posterior, truths and predictions, a frame, a file. Two systems give the law of
    the difference, first less second: of the same items, forecast(joint, "a", "b", n=500), or of n items each,
    forecast(pa, pb, n=500). Of evidence with clusters n counts clusters.

    Parameters
    ----------
    n
        How many items come next. Of clustered evidence it counts clusters.
    below
        Also the chance of less than this. It is 0 for differences unless given.
    above
        Also the chance of more than this. It is 0 for differences unless given.

    Examples
    --------
    >>> from howsure.evidence.classes import Tally
    >>> d = forecast(Tally.binary(tp=80, fp=20, fn=30, tn=870), n=500, metric="f1")
    >>> d
    f1 of the next 500 items 0.757 [0.634, 0.860] 95% equal-tailed, closed form
    >>> round(d.prob_below(0.75), 12)
    0.420847614017
    """
    size, told, limits = _size(n), dict(columns), (ScoreLimit("below", below), ScoreLimit("above", above))
    asked = metrics_given(metric, metrics)
    if not is_made(first) and are_estimators(first):
        first, second, told = answered("forecast", first, second, third, columns, asked)
        third = None
    own: dict[str, Any] = {"prior": prior, "tolerance": tolerance, "seed": seed}
    if second is None and is_made_by_name(first):
        if len(first) != 2:
            got = "one file twice" if len(first) == 1 else len(first)
            raise BadSetting(f"forecast takes one system, or the difference of two; got {got}.")
        names, (first, second) = tuple(first), tuple(first.values())
    if is_made(first) and is_made(second):
        if third is not None:
            raise BadSetting("forecast takes one system, or the difference of two; got three.")
        pair = [entered("forecast", x, None, told, **own) for x in (first, second)]
        wanted = check_level(pair[0].level if level is None else level)
        both, shown = (pair[0].posterior, pair[1].posterior), _named(names)
        made = each_measure(both, asked, lambda m: _apart(both, shown, m, size, wanted))
    else:
        if names is not None:
            raise BadSetting(f"{option('names')} is for two tallies; systems of the same items have names.")
        given, chosen = _chosen(first, second, third, told, own)
        wanted = check_level(given.level if level is None else level)
        p = given.posterior.pick(chosen)
        each = [p.system(name) for name in chosen]
        made = each_measure(each, asked, lambda m: _together(p, m, size, wanted), p)
    return _limited(made, limits)


def _size(n: Any) -> int:
    """How many items are to come."""
    value = finite(n)
    if not (value >= 1 and value.is_integer()):
        raise BadSetting(f"{option('n')} is how many items come next, a whole number from 1 on; got {n!r}.")
    if value > MOST:
        raise BadSetting(f"{option('n')} is how many items come next, at most {MOST:,}; got {n!r}.")
    return int(value)


def _chosen(
    first: Any, second: Any, third: Any, told: Mapping[str, Any], own: Mapping[str, Any]
) -> tuple[Any, tuple[str, ...]]:
    """The posterior of the data, and the one system or the two that are meant."""
    made = is_made(first)
    named = (second, third) if made else third if isinstance(third, (tuple, list)) else (third,)
    asked = tuple(x for x in named if x is not None)
    bad = next((x for x in asked if not isinstance(x, str)), None)
    if bad is not None:
        raise BadSetting(f"forecast takes one system, or two by their names; got {type(bad).__name__}.")
    given = entered("forecast", first, None if made else second, told, **own)
    systems = given.posterior.evidence.systems
    places(asked, systems)
    chosen = asked or systems
    if len(chosen) > 2:
        raise BadSetting(
            f"forecast takes one system, or the difference of two: name them; there are {listing(chosen)}."
        )
    if len(set(chosen)) < len(chosen):
        raise BadSetting(f"forecast needs two different systems; got {listing(chosen)}.")
    return given, tuple(chosen)


def _named(names: Any) -> tuple[str, str]:
    given = NAMES if names is None else () if isinstance(names, str) else tuple(str(x) for x in names)
    if len(set(given)) != 2 or len(given) != 2:
        raise BadSetting(f"{option('names')} must be two different names; got {names!r}.")
    return given[0], given[1]


def _together(p: Posterior, metric: Any, n: int, level: float) -> Forecast:
    """One system, or two on the same next items."""
    question, systems = p.resolve(metric), p.evidence.systems
    _refuse_many(question, n)
    found = question.next_score(n) if len(systems) == 1 else question.next_difference(n)
    return _made(found, question, n, level, (p,), systems, paired=len(systems) > 1)


def _apart(both: tuple[Posterior, Posterior], names: tuple[str, str], metric: Any, n: int, level: float) -> Forecast:
    """Two systems, each on n items of its own."""
    one, two = (p.resolve(metric) for p in both)
    if type(one) is not type(two):
        kinds = " and ".join(type(p.evidence).__name__ for p in both)
        raise BadSetting(f"evidence of two kinds cannot be compared: {kinds}; give two of the same kind.")
    one.matches(two)
    _refuse_many(one, n)
    parts = [q.next_score(n) for q in (one, two)]
    found = difference_apart(parts[0], parts[1], draws_of_tables(both[0]), both[0].seed)
    return _made(found, one, n, level, both, names, paired=False)


def _refuse_many(question: Estimand, n: int) -> None:
    tables = int(np.prod(question.state.evidence.shape, dtype=int))
    if tables > 1 and tables * min(n, MOST_OF_TWO) > MOST_NUMBERS:
        raise BadSetting(f"{plural(tables, 'slice')} with {plural(n, 'item')} to come in each are too many at once.")


def _made(
    found: NextScore, question: Estimand, n: int, level: float, posteriors: tuple[Posterior, ...],
    systems: tuple[str, ...], paired: bool,
) -> Forecast:  # fmt: skip
    of = question.asked if len(systems) == 1 else f"{systems[0]} - {systems[1]}, {question.asked}"
    name = called(of, n, found.unit) if paired or len(systems) == 1 else f"{called(of, n, found.unit)} each"
    return Forecast(
        name, found.law, found.route, found.sampler, False, found.notes, None if len(systems) > 1 else question._point,
        n=n, unit=found.unit, undefined=number_or_array(found.undefined), level=level, posteriors=posteriors,
        question=question, systems=systems, paired=paired,
    )  # fmt: skip


def _limited(made: Forecast | Several, limits: tuple[ScoreLimit, ScoreLimit]) -> Forecast | Several:
    """The same with the scores whose probabilities are wanted; a difference is held against 0."""
    parts: tuple[Forecast, ...] = made.parts if isinstance(made, Several) else (made,)
    for limit in limits:
        limit.refuse_unused(parts)
    found = []
    for d in parts:
        below, above = (limit.of(d) for limit in limits)
        if len(d.systems) > 1 and below is None and above is None:
            below = above = 0.0
        found.append(replace(d, below=below, above=above))
    return Several(tuple(found)) if isinstance(made, Several) else found[0]


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    sliced, of_two = col.slices(rows), any(r["first"] for r in rows)
    columns = [col.words("system")] if any(r["system"] for r in rows) else []
    columns += [
        *sliced,
        col.metric(),
        col.items(result, shown=bool(sliced)),
        col.score(f"{rows[0]['first']} - {rows[0]['second']} so far" if of_two else "score so far"),
        TableColumn("next", f"next {rows[0]['unit']}s", lambda r: count(r["next"]), "count"),
        *(
            replace(x, shown=x.key == "mean", leaves=None if x.key == "mean" else x.leaves)
            for x in col.moments("mean", "median", "std")
        ),
        TableColumn("interval", col.level_of(result), col.plain_interval, "interval"),
        *(col.limit(side, rows) for side in ("below", "above") if any(r[side] is not None for r in rows)),
        TableColumn("undefined", "P(undefined)", lambda r: probability(r["p_undefined"]), "probability", shown=False),
    ]
    return [*columns, col.route()]


def _headline(result: ResultDict) -> str:
    """Return the probability of a target, or what the next items will show."""
    from howsure.render import findings
    from howsure.render.tables import units

    rows = result["rows"]
    row = findings.headlines(result)[0]
    what = (
        f"{row['asked']} of {row['system']}" if row["system"] and len(result["data"]["systems"]) > 1 else row["asked"]
    )
    if row["first"]:
        what = f"{row['asked']}: {row['first']} minus {row['second']}"
    items = f"the next {units(row['next'], row['unit'])}"
    if len(rows) > 1 and row["slice"] and not row.get("overall"):
        return f"{what} of {items} in {count(len(rows))} slices"
    for side, falls in (("below", "falls below"), ("above", "exceeds")):
        if row[side] is not None:
            error = row["error"].get("probability")
            return f"{percentage(row[f'p_{side}'], error)} chance that {what} {falls} {row[side]:g} in {items}"
    return f"{what} of {items}: {col.value(row, 'mean', 'infinite')} ({col.level_of(result)} {findings.span(row)})"


def _title(result: ResultDict, _systems: list[str]) -> str:
    first = result["rows"][0]
    return f"What will the next {count(first['next'])} {first['unit']}s show?"


def _answers(result: ResultDict, directions: Directions) -> Answers:
    from howsure.render import findings
    from howsure.report.opening import first_few, targets_of

    level = findings.percent(result["level"])
    expected = []
    for row in result["rows"]:
        what = f"{row['asked']}: {row['first']} minus {row['second']}" if row.get("first") else findings.named(row)
        ends = findings.span(row).replace(" to ", " and ")
        expected.append(f"{what} will be between {ends} ({level} interval).")
    targets = targets_of(result["rows"], directions, result["level"])
    return [("What is to be expected?", first_few(expected, "row")), *targets]


_SAME_POPULATION: Final = (
    "The next items come from the same population.",
    "A change of users, of labels or of the system.",
)


VERB: Final = Verb(
    forecast,
    help="""`howsure forecast preds.csv --n 500 --below 0.75` finds columns that have the usual names. Two systems give
    their next difference, first minus second. With --cluster, --n counts clusters.""",
    data=Data(tables="several", without=("bins", "judge", "human", "stratum", "population")),
    table={
        "n": Option(metavar="500", reads="whole", required=True),
        "below": Option(metavar="0.75|f1=0.75", reads="limits", many=True),
        "above": Option(metavar="0.8|f1=0.8", reads="limits", many=True),
    },
    kinds=(
        ResultKind(
            "forecast",
            _columns,
            headline=_headline,
            bars="row",
            charts=later("charts.decisions:forecast"),
            title=_title,
            answers=_answers,
            assumptions=lambda _: [_SAME_POPULATION],
        ),
    ),
    question=WebQuestion(("table", "pair"), example={"rate": {"hits": 40, "of": 50}, "n": 20, "below": 0.7}),
    examples=(
        f"{EXAMPLE} --pred tree --n 200 --metric f1 --below 0.9",
        f"{EXAMPLE} --pred logistic --pred tree --n 200",
        "--rate 47/50 --n 20",
    ),
)
