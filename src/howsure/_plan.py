"""How many items to label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from howsure.catalogue import known
from howsure.errors import BadSetting
from howsure.messages.language import option, spelled
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import probability, short
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.posterior import Posterior, posterior
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope
from howsure.results.verbs import EXAMPLE, Data, DataGiven, Option, Verb, WebQuestion
from howsure.validate import (
    check_kind,
    check_level,
    check_seed,
    finite,
    one_metric,
    plain_number,
    typed_number,
    whole_from,
)
from howsure.verbs.future_widths import Foresight, Glimpse, Goal, Kind, expected_table
from howsure.verbs.inputs import INTERVAL, LEVEL, entered, is_made

# -- plan words
#
# A plan in a sentence.

_ONE: Final = {"items": "item", "clusters": "cluster", "queries": "query"}


def verdict(p: Any) -> str:
    """How many to label and what they give, or what a given number gives."""
    units, sure = f"{p.n:,} {p.unit if p.n != 1 else _ONE[p.unit]}", f"with probability {p.assurance:g}"
    if p.given:
        return f"With {units} {_given(p, sure)}"
    kind, value, needed = (p.goal[key] for key in ("kind", "value", "probability"))
    if kind == "width":
        said = f"then the {_percent(p.level)} interval of {p.metric} is at most {value:g} wide {sure}"
    elif kind == "difference":
        said = f"then P(first better) is at least {needed:g} {sure}, if it is better by {value:g} in {p.metric}"
    else:
        said = f"then {_claim(p)} is at least {needed:g} {sure}"
    average = "it is never so on average" if p.n_average is None else f"{p.n_average:,} would do on average"
    return f"Label {units}: {said} ({average})"


def _given(p: Any, sure: str) -> str:
    kind, value, needed = (p.goal[key] for key in ("kind", "value", "probability"))
    if p.smallest is not None:
        shown = f"P(first better) is then at least {needed:g} {sure}"
        return f"a difference of {short(p.smallest)} in {p.metric} is the smallest that shows: {shown}"
    if kind == "width":
        wide = f"is {short(p.width_average)} wide on average, and at most {short(p.width_assured)} {sure}"
        said = f"the {_percent(p.level)} interval of {p.metric} {wide}"
        return said if value is None else f"{said}; at most {value:g} with probability {short(p.power)}"
    reached = f"is at least {needed:g} with probability {short(p.power)}"
    if kind == "difference":
        return f"P(first better) {reached}, if it is better by {value:g} in {p.metric}"
    return f"{_claim(p)} {reached}"


def _claim(p: Any) -> str:
    sign = ">" if p.goal["kind"] == "above" else "<"
    return f"P({p.metric} {sign} {p.goal['value']:g})"


def _percent(level: float) -> str:
    return f"{100 * level:.12g}%"


# -- planning
#
# plan: how many items to label, for an interval of a width, to show a claim, or to tell two systems apart.
#
# Future data come from a pilot, with all that it leaves open, or from expected measures; they are analysed alone, with
# the prior, level and kind of interval that they will have. `n` is by assurance: with at least that probability over
# the future data the goal is reached (Adcock 1997; O'Hagan & Stevens 2001); `n_average` is where it is reached on
# average.

_GOALS: Final = ("width", "above", "below", "difference")
_SMALLEST_STEPS: Final = 14


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """How many units to label, or what so many give; `curve` are points of n around it, `goal` what is to be reached.

    With n given: `power` is the probability of reaching the goal, and without a goal there are `width_average` and
    `width_assured`, or of two systems `smallest`, the smallest difference that is shown with the assurance.
    """

    metric: str
    goal: dict[str, Any]
    n: int
    n_average: int | None
    assurance: float
    level: float
    interval: str
    unit: str
    curve: tuple[dict[str, Any], ...]
    power: float | None = None
    power_error: float = 0.0
    width_average: float | None = None
    width_assured: float | None = None
    smallest: float | None = None
    given: bool = False  # whether n was given
    posterior: Posterior | None = field(default=None, repr=False)
    design: dict[str, Any] = field(default_factory=dict)
    notes: Notes = ()

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return verdict(self)

    def _measures(self) -> list[Any]:
        return known([self.metric])

    def _make(self) -> dict[str, Any]:
        assert self.posterior is not None  # noqa: S101 - narrows the type
        p = self.posterior
        made = envelope(
            "howsure.plan/1", list(self.curve), prior=p.prior_document, level=self.level, interval=self.interval,
            seed=p.seed, data=self.design, notes=self.notes,
        )  # fmt: skip
        own = ("metric", "goal", "n", "n_average", "assurance", "unit", "power", "width_average", "width_assured",
               "smallest", "verdict")  # fmt: skip
        return made | {k: getattr(self, k) for k in own} | {"error": {"power": self.power_error}}

    def __repr__(self) -> str:
        return f"Plan({self.verdict})"


def plan(
    *,
    metric: Any = None,
    metrics: Any = None,
    pilot: Any = None,
    expected: Any = None,
    width: float | None = None,
    above: float | None = None,
    below: float | None = None,
    difference: float | None = None,
    disagreement: float | None = None,
    n: int | None = None,
    assurance: float = 0.8,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    seed: int | None = None,
) -> Plan:
    """The smallest n that reaches a goal with probability `assurance`, or what a given n reaches.

    Goals: an interval of `width`; P(measure > `above`) or P(measure < `below`) of at least `level`; that the first of
    two systems is shown to be better, if it is better by `difference`. It is shown from P(better) = 1 - (1 - level)/2
    on, .975 at 95%, where compare says "is better". Future items come from a `pilot` (evidence or a posterior: its
    uncertainty counts) or from `expected` measures. Two systems have the same items if the pilot has both or
    `disagreement` (the share of items on which they differ) is given, else n items each. Of clustered pilots n counts
    clusters, of graded ones items such as queries. With `n` and no goal: the width,
    or the smallest difference. `metric` and `metrics` mean the same: one metric.

    Parameters
    ----------
    metric
        The one metric, such as f1.
    expected
        Metrics that you expect, in place of a pilot.
    width
        Goal: an interval of at most this width.
    above
        Goal: show that the metric is above this.
    below
        Goal: show that the metric is below this.
    difference
        Goal: show which of two systems that differ by this is better. P(better) is then at least 0.975 at level 0.95.
    disagreement
        Two systems on the same items: the share on which their predictions differ.
    n
        What this many items give, in place of how many are needed.
    assurance
        Probability of reaching the goal.

    Examples
    --------
    >>> plan(expected={"rate": 0.8}, width=0.1).n
    263
    """
    wanted = _goal(width, above, below, difference, n)
    share = _share(assurance, "assurance")
    asked = one_metric("plan", metric, metrics)
    question, stated, settings = _design(asked, pilot, expected, prior, seed)
    full = Goal(*wanted, check_level(settings[0] if level is None else level),
                check_kind(settings[1] if interval is None else interval), share)  # fmt: skip
    apart = None if disagreement is None else _share(disagreement, "disagreement")
    design = _Design(question, stated, apart, expected)
    design.check(full, n)
    if n is None:
        return _smallest_n(design, full)
    return _given_n(design, full, _whole(n))


# -- what is asked


def _goal(
    width: float | None, above: float | None, below: float | None, difference: float | None, n: int | None
) -> tuple[Kind, float | None]:
    """The one goal that was given."""
    given = {k: v for k, v in zip(_GOALS, (width, above, below, difference), strict=True) if v is not None}
    if len(given) > 1:
        first, second = list(given)[:2]
        raise BadSetting(f"a plan has one goal: leave out {option(first)} or {option(second)}.")
    if not given and n is None:
        told = ", ".join(option(k) for k in _GOALS)
        raise BadSetting(f"give the goal of the plan, one of {told}; or {option('n')}, to see what so many items give.")
    for name, x in given.items():
        if math.isnan(finite(x)):
            raise BadSetting(f"{option(name)} must be a number; got {x!r}.")
        if name in ("width", "difference") and not finite(x) > 0:
            raise BadSetting(f"{option(name)} must be above 0; got {x!r}.")
    kind = next(iter(given), "width")
    return kind, None if not given else finite(given[kind])  # type: ignore[return-value]


def _share(x: Any, name: str) -> float:
    found = finite(x)
    if not 0 < found < 1:
        hint = f" Did you mean {found / 100:g}?" if 1 < found < 100 else ""
        raise BadSetting(f"{option(name)} lies between 0 and 1, such as 0.8; got {x!r}.{hint}")
    return found


def _whole(n: Any) -> int:
    return whole_from(n, option("n"), 1)


def _design(
    metric: Any, pilot: Any, expected: Any, prior: Any, seed: int | None
) -> tuple[Estimand, Any, tuple[float, str]]:
    """The measure put to the pilot, or to the empty table that is expected, and the shares that are."""
    if (pilot is None) == (expected is None):
        both = f"{option('pilot')} and {option('expected')}"
        what = spelled(both, "a pilot (FILE, --counts, --rate, --matrix or --db) and --expected")
        raise BadSetting(
            f"give one of {what}: where the future items come from; got {'neither' if pilot is None else 'both'}."
        )
    if expected is not None:
        evidence, stated, asked = expected_table(expected, metric)
        p = posterior(evidence, "even" if prior is None else prior, seed=0 if seed is None else check_seed(seed))
        return p.resolve(asked), stated, (LEVEL, INTERVAL)
    if not is_made(pilot):
        raise BadSetting(f"{option('pilot')} is evidence or a posterior, such as hs.tally(y_true, y_pred) or "
                         f"hs.Tally.binary(tp=8, fp=2, fn=3, tn=87); got {type(pilot).__name__}.")  # fmt: skip
    given = entered("plan", pilot, None, {}, prior=prior, tolerance=None, seed=seed)
    p = given.posterior
    first = p.system(p.evidence.systems[0]) if len(p.evidence.systems) > 1 else p
    return p.resolve(first.default_metric if metric is None else metric), None, (given.level, given.interval)


@dataclass(frozen=True, eq=False)
class _Design:
    """Where future data come from."""

    question: Estimand
    stated: Any
    disagreement: float | None
    expected: Any

    @property
    def state(self) -> Any:
        return self.question.state

    @property
    def two(self) -> bool:
        """Whether the pilot is of two systems."""
        return len(self.state.evidence.systems) > 1

    @property
    def unit(self) -> str:
        """What n counts."""
        told = self.state.evidence.describe()
        return "clusters" if told.get("clusters") else "queries" if "queries" in told else "items"

    def foresight(self, goal: Goal) -> Foresight:
        """What is seen of that goal."""
        q, seed = self.question, self.state.seed
        if goal.kind == "difference":
            assert goal.value is not None  # noqa: S101 - narrows the type
            found = q.outlook_of_difference(goal.value, seed, self.disagreement, self.stated)
        else:
            found = q.outlook(seed, self.stated)
        return Foresight(found, goal)

    def check(self, goal: Goal, n: int | None) -> None:
        """Refuse what has no answer, or would change nothing."""
        name, many = self.question.asked, len(self.state.evidence.systems)
        if many > 2:
            raise BadSetting(f"a plan is for one system or for two; this pilot has {many}.")
        if self.two and goal.kind != "difference" and not (n is not None and goal.value is None):
            raise BadSetting(f"this pilot has two systems: give {option('difference')}, or a pilot of one system.")
        if self.two and self.disagreement is not None:
            raise BadSetting(f"this pilot tells on how many items its systems disagree: leave out "
                             f"{option('disagreement')}.")  # fmt: skip
        compared = goal.kind == "difference" or (n is not None and goal.value is None)
        if self.disagreement is not None and not compared:
            raise BadSetting(f"{option('disagreement')} is for two systems: give {option('difference')} too.")
        if goal.kind == "difference" and self.question.metric.better is None:
            raise BadSetting(f"{name} has no better and worse: two systems cannot be told apart by it.")
        if goal.kind != "width" and goal.interval != INTERVAL:
            raise BadSetting(
                f"{option('interval')} is for the width of intervals: leave it out, or give {option('width')}."
            )
        self._check_range(goal, name)

    def _check_range(self, goal: Goal, name: str) -> None:
        low, high = self.question.metric.bounds
        if goal.value is None:
            return
        if goal.kind == "width" and goal.value >= high - low:
            told = f"{name} runs from {low:g} to {high:g}, so that any interval is narrower than {goal.value:g}"
            raise BadSetting(f"{told}; give a smaller {option('width')}.")
        if goal.kind == "difference" and goal.value >= high - low:
            told = f"{name} runs from {low:g} to {high:g}: two systems never differ by {goal.value:g}"
            raise BadSetting(f"{told}; give a smaller {option('difference')}.")
        if goal.kind in ("above", "below") and not low < goal.value < high:
            raise BadSetting(f"{name} runs from {low:g} to {high:g}: {option(goal.kind)} lies between these; got "
                             f"{goal.value:g}.")  # fmt: skip

    def ceiling(self, goal: Goal) -> float:
        """The assurance that no number of items can exceed: P(the claim is true) in what the design leaves open."""
        if goal.kind not in ("above", "below") or goal.value is None:
            return 1.0
        if self.stated is None:
            over = float(self.question.distribution.sf(goal.value))
            return over if goal.kind == "above" else 1.0 - over
        at = self.value
        return float(at > goal.value if goal.kind == "above" else at < goal.value)

    @property
    def value(self) -> float:
        """The expected value of the measure."""
        evidence = replace(self.state.evidence, counts=np.asarray(self.stated))
        return float(replace(self.question, state=self.state.seeing(evidence)).score)

    def document(self) -> dict[str, Any]:
        """What is told of it."""
        told = (
            {"expected": {str(k): plain_number(x) for k, x in self.expected.items()}}
            if self.expected is not None
            else dict(self.state.evidence.describe())
        )
        told.pop("chi_square", None)
        return told | {"pilot": self.expected is None, "disagreement": self.disagreement}

    def notes(self, goal: Goal) -> Notes:
        """What the numbers rest on."""
        pilot = self.state.evidence.notes if self.expected is None else ()
        found = [*pilot, note("future-alone") if self.stated is None else note("future-stated")]
        if goal.kind == "difference":
            form = "same" if self.two or self.disagreement is not None else "apart"
            found.append(note("future-pairs", form=form))
            found.append(note("shown-better", needed=goal.needed, share=f"{100 * goal.level:.12g}%"))
        return tuple(found)


# -- the smallest n, and what a given n gives


def _smallest_n(design: _Design, goal: Goal) -> Plan:
    top = design.ceiling(goal)
    if top <= goal.assurance:
        raise BadSetting(_unreachable(design, goal, top))
    seen = design.foresight(goal)
    n = seen.smallest(seen.assured)
    if n is None:
        most = seen.outlook.most
        raise BadSetting(f"no n up to {most:,} reaches that: {_at_most(seen.at(most), goal, design)}.")
    average = None if goal.kind in ("above", "below") and top <= goal.level else seen.smallest(seen.averaged)
    last = seen.at(n) if seen.outlook.exact else seen.at(n, 1, 1)
    return _made(design, goal, seen, n, average, last, False)


def _unreachable(design: _Design, goal: Goal, top: float) -> str:
    assert goal.value is not None  # noqa: S101 - narrows the type
    name, sign = design.question.asked, ">" if goal.kind == "above" else "<"
    claim = f"{name} {sign} {goal.value:g}"
    if design.stated is not None:
        return f"no n shows {claim}: the expected {name} is {short(design.value)}."
    return (f"no n shows {claim} with assurance {goal.assurance:g}: after this pilot it is true with probability "
            f"{short(top)} only, and no assurance can exceed that.")  # fmt: skip


def _at_most(p: Glimpse, goal: Goal, design: _Design) -> str:
    if goal.kind == "width":
        return f"so many {design.unit} give an interval {p.width_assured:.3g} wide"
    return f"so many {design.unit} reach it with probability {short(p.power)}"


def _given_n(design: _Design, goal: Goal, n: int) -> Plan:
    if goal.value is None and (design.two or design.disagreement is not None):
        return _smallest_difference(design, goal, n)
    seen = design.foresight(goal)
    if n > seen.outlook.most:
        raise BadSetting(f"a plan looks at {seen.outlook.most:,} {design.unit} at most; got {option('n', n)}.")
    return _made(design, goal, seen, n, None, seen.at(n), True)


def _smallest_difference(design: _Design, goal: Goal, n: int) -> Plan:
    """The smallest difference that n items show with the assurance: by bisection on its logarithm."""
    low, high = design.question.metric.bounds
    span = high - low if np.isfinite([low, high]).all() else 1.0
    least, most, found = 1e-5 * span, 0.5 * span, None
    for _ in range(_SMALLEST_STEPS):
        middle = float(np.sqrt(least * most))
        asked = replace(goal, kind="difference", value=middle)
        try:
            seen = design.foresight(asked)
            reached = seen.assured(seen.at(n, 2)) >= 0
        except BadSetting:  # out of reach: too large
            most = middle
            continue
        if reached:
            most, found = middle, seen
        else:
            least = middle
    if found is None:
        raise BadSetting(f"no difference that such systems can have is shown by {n:,} {design.unit} with assurance "
                         f"{goal.assurance:g}; give more.")  # fmt: skip
    made = _made(design, found.goal, found, n, None, found.at(n), True)
    return replace(made, smallest=found.goal.value)


def _made(
    design: _Design, goal: Goal, seen: Foresight, n: int, average: int | None, last: Glimpse, given: bool
) -> Plan:  # fmt: skip
    return Plan(
        metric=design.question.asked, goal=goal.document(), n=n, n_average=average,
        assurance=goal.assurance, level=goal.level, interval=goal.interval, unit=design.unit,
        curve=tuple(p.row() for p in seen.curve(n)), power=last.power, power_error=last.error,
        width_average=last.width_average, width_assured=last.width_assured, given=given,
        posterior=design.state, design=design.document(), notes=design.notes(goal),
    )  # fmt: skip


# -- what is shown

_TITLES: Final = {
    "width_average": "width on average",
    "width_assured": "width at {assurance:g}",
    "p_average": "mean P",
    "power": "P(reached)",
}


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return widths, or the probability of reaching the goal, by the number of items."""
    del rows
    used = {k: title.format(assurance=result["assurance"]) for k, title in _TITLES.items()}
    used = {k: title for k, title in used.items() if any(r[k] is not None for r in result["rows"])}
    size = TableColumn("n", result["unit"], lambda r: f"{r['n']:,}", "count")
    chances = {k: title for k, title in used.items() if k in ("p_average", "power")}
    widths = {k: title for k, title in used.items() if k not in chances}
    return col.last_first([size, *col.fields(widths, short), *col.fields(chances, probability)])


def _rows(result: ResultDict) -> list[Any]:
    """Return the chosen number of items and some around it."""
    chosen = {result["n"], result["n_average"]}
    return [r for i, r in enumerate(result["rows"]) if r["n"] in chosen or i % 3 == 0]


def _notes(result: ResultDict, texts: list[str]) -> list[str]:
    error = result["error"]["power"]
    told = f"P(reached) is a share of future data sets that were drawn: it may be off by {short(error)}"
    return [*texts, told] if error > 1e-6 else texts


_LIKE_THE_PILOT: Final = (
    "Future items are like those of the pilot, or as expected.",
    "A pilot of easy items, or expectations that were hopes: the plan is then too small.",
)


_EXPECTED: Final = "recall=.8,precision=.7,prevalence=.1"


def _typed(given: DataGiven, *, expected: str | None = None, **keywords: Any) -> Plan:
    if expected is not None:
        return plan(expected=_typed_metrics(expected), **keywords)
    return plan(pilot=given.evidence(), **keywords)


def _typed_metrics(text: str) -> dict[str, float]:
    """recall=.8,precision=.7 as metrics and values."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (x.strip() for x in part.partition("="))
        try:
            number = typed_number(value)
        except ValueError:
            number, equals = 0.0, ""
        if not equals or not name:
            raise BadSetting(f"--expected needs measures and values, such as {_EXPECTED}; got {part.strip()!r}")
        if name in found:
            raise BadSetting(f"--expected gives {name} twice in {text!r}")
        found[name] = number
    return found


VERB: Final = Verb(
    plan,
    help="""Give a pilot (a FILE, --counts, --rate, --matrix or --db) or what you expect (--expected), and one goal:
    --width, --above, --below or --difference. With --n it is the reverse: what so many items give.""",
    data=Data(
        without=(
            "by",
            "sep",
            "weight",
            "bins",
            "judge",
            "human",
            "independent",
            "names",
            "stratum",
            "population",
            "prevalence",
        )
    ),
    table={
        "pilot": None,
        "expected": Option(metavar=_EXPECTED, group="Instead of FILE"),
        "metrics": Option("The one metric, such as f1.", default="that of compare"),
    },
    typed=_typed,
    instead={
        "--by": " Take one slice at a time with --where COLUMN=VALUE.",
        "--prevalence": " It is one of the measures of --expected: recall=0.8,precision=0.7,prevalence=0.1.",
    },
    kinds=(
        ResultKind(
            "plan",
            _columns,
            _rows,
            notes=_notes,
            headline=lambda result: str(result["verdict"]),
            about=lambda _: [],
            every_note=True,
            charts=later("charts.decisions:plan"),
            title="How many items have to be labelled?",
            assumptions=lambda _: [_LIKE_THE_PILOT],
        ),
    ),
    question=WebQuestion(
        ("table", "expected"),
        example={"metrics": ["f1"], "expected": {"recall": 0.8, "precision": 0.7, "prevalence": 0.1}, "width": 0.05},
    ),
    examples=(
        "--metric f1 --expected recall=.8,precision=.7,prevalence=.1 --width .05",
        f"{EXAMPLE} --pred tree --metric f1 --above .85",
        "--expected rate=.8 --difference .05 --disagreement .1",
    ),
)
