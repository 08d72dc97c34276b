"""Does it pass? Requirements, and an exit code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Unpack

import numpy as np

from howsure._compare import compare
from howsure.catalogue import known
from howsure.catalogue.metric import Measure
from howsure.errors import BadSetting, UnknownName, listing, nearest
from howsure.evidence import protocol
from howsure.evidence.protocol import Evidence, number
from howsure.evidence.slices import Slices
from howsure.messages.language import option
from howsure.messages.notes import BLOCKING, DEPENDENT, SHARED_ITEMS, Note, Notes, at_level, merged, note
from howsure.messages.numbers import count, error_at, probability
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.render import columns as col
from howsure.render.kinds import Answers, Directions, ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import EXAMPLE, FOUR, Data, DataGiven, Option, Verb, WebQuestion
from howsure.validate import ColumnsAndTarget, check_kind, check_level, spells
from howsure.verbs.comparison import Comparison
from howsure.verbs.inputs import Entered, entered, is_made
from howsure.verbs.requirements import Requirement, short
from howsure.verbs.requirements import requirements as read
from howsure.verbs.rows import Row, unlike_scales
from howsure.verbs.slices import sliced

# -- sides
#
# What a gate judges: one system, and its baseline on the same items or on others; all items, or a slice of them.

NAMES: Final = ("new", "baseline")
Where = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Sides:
    """The posterior of one system, and the baseline's on other items or that of both on the same."""

    judged: Posterior
    joint: Posterior | None = None
    other: Posterior | None = None
    names: tuple[str, str] = NAMES
    kept: dict[Where, Sides] = field(default_factory=dict, repr=False)

    @property
    def compared(self) -> bool:
        """Whether there is a baseline."""
        return self.joint is not None or self.other is not None

    def slice(self, where: Where) -> Sides:
        """The same of the items that a requirement speaks of; of all of them where it names no slice."""
        if where not in self.kept:
            joint, other = (None if p is None else _of_slice(p, where) for p in (self.joint, self.other))
            judged = _of_slice(self.judged, where) if joint is None else joint.system(self.names[0])
            self.kept[where] = Sides(judged, joint, other, self.names)
        return self.kept[where]

    def comparison(self, metric: Any, level: float, kind: str) -> Comparison:
        """The judged system against the baseline."""
        found: Comparison
        if self.joint is not None:
            found = compare(self.joint, *self.names, metric=metric, level=level, interval=kind)
        else:
            found = compare(self.judged, self.other, names=self.names, metric=metric, level=level, interval=kind)
        return found


# -- what is given


def sides_of(
    data: Any, baseline: Any, asked: Sequence[Requirement], told: dict[str, Any], own: dict[str, Any]
) -> tuple[Entered, Sides]:
    """What to judge, and the settings that came with it."""
    if told.get("by") is not None:
        raise BadSetting(f"a requirement names its slice, as in 'f1 > 0.8 in region=north': leave out {option('by')}.")
    if not is_made(data) and not told and isinstance(data, (list, tuple)):
        raise BadSetting("gate needs evidence, or data with columns: hs.gate(hs.tally(y_true, y_pred), [...]).")
    if baseline is None:
        given = _read(data, asked, told, own)
        return given, _of_systems(given.posterior)
    if is_made(data) and is_made(baseline):
        given, other = (entered("gate", x, None, told, **own) for x in (data, baseline))
        for p in (given.posterior, other.posterior):
            if len(p.evidence.systems) > 1:
                raise BadSetting(f"{option('baseline')} goes with evidence of one system; got {_systems(p)}.")
        return given, Sides(given.posterior, None, other.posterior)
    given = _read(_joined(data, baseline), asked, told, own)
    return given, _of_systems(given.posterior)


def _joined(data: Any, baseline: Any) -> dict[str, Any]:
    """Two files by the names of their systems."""
    from howsure.io.files import is_paths
    from howsure.io.formats import system_names

    if not is_paths(data) or not is_paths(baseline):
        kinds = " and ".join(type(x).__name__ for x in (data, baseline))
        raise BadSetting(
            f"{option('baseline')} is a file beside a file, or evidence beside evidence of other items; got {kinds}. "
            "Two systems on the same items are one data set: pred=['new', 'old']."
        )
    plain = all(isinstance(x, (str, bytes)) or hasattr(x, "__fspath__") for x in (data, baseline))
    names = system_names([str(data), str(baseline)]) if plain else NAMES
    return dict(zip(names if len(set(names)) == 2 else NAMES, (data, baseline), strict=True))


def _read(data: Any, asked: Sequence[Requirement], told: dict[str, Any], own: dict[str, Any]) -> Entered:
    """What is given, counted by the columns that requirements name."""
    columns = slice_columns(asked)
    if is_made(data) or not columns:
        return entered("gate", data, None, told, **own)
    with slicing(columns):
        return entered("gate", data, None, {**told, "by": columns}, **own)


def slice_columns(asked: Sequence[Requirement]) -> list[str]:
    """The columns that requirements name their slices by, each once."""
    return list(dict.fromkeys(column for r in asked for column, _ in r.where))


@contextmanager
def slicing(columns: Sequence[str]) -> Iterator[None]:
    """A refusal of slices says that a requirement asked for them."""
    try:
        yield
    except BadSetting as error:
        if columns and option("by") in str(error):
            raise BadSetting(f"'in {columns[0]}=...' takes slices, as {option('by')} does: {error}") from None
        raise


def _of_systems(p: Posterior) -> Sides:
    """One system; of two the first is judged, and the second is the baseline."""
    names = p.evidence.systems
    if len(names) == 1:
        return Sides(p)
    if len(names) > 2:
        raise BadSetting(f"gate judges one system, or one against a baseline; got {_systems(p)}: take one or two.")
    return Sides(p.system(names[0]), p, None, (names[0], names[1]))


def _systems(p: Posterior) -> str:
    return f"{len(p.evidence.systems)} systems, {listing(p.evidence.systems)}"


def refuse_idle_baseline(asked: Sequence[Requirement]) -> None:
    """A baseline that no requirement speaks of."""
    if not any(r.compares for r in asked):
        raise BadSetting(f"{option('baseline')} is for requirements with 'not worse', and there is none: leave it out.")


def check_sides(sides: Sides, asked: Sequence[Requirement]) -> None:
    """Refuse a requirement that lacks its baseline, and a second system that none speaks of."""
    comparing = next((r for r in asked if r.compares), None)
    if comparing is not None and not sides.compared:
        way = f"give {option('baseline')}, or data of two systems, the new one first"
        raise BadSetting(f"{str(comparing)!r} needs a baseline: {way}.")
    if comparing is None and sides.compared:
        first, second = sides.names
        told = f"{second!r} would be the baseline of {first!r}, but no requirement says 'not worse'"
        raise BadSetting(f"{told}: give one system, or require that.")


# -- slices


def _of_slice(p: Posterior, where: Where) -> Posterior:
    """The posterior of all items, or of those with some values in some columns."""
    axis = sliced(p.evidence)
    if axis is None and where:
        raise BadSetting(f"'in {_told(where)}' needs slices, and this evidence has none: tally by={where[0][0]!r}.")
    if axis is not None:
        slices: Any = p.evidence.batch[axis][1]
        p = p.seeing(p.evidence.together(axis, _places(slices, where) if where else None))
    if p.evidence.shape:
        raise BadSetting(f"gate judges one table; this evidence is a batch of shape {p.evidence.shape}.")
    return p


def _told(where: Where) -> str:
    return ", ".join(f"{column}={value}" for column, value in where)


def _places(slices: Slices, where: Where) -> list[int]:
    """Where these values are among the slices."""
    here = np.ones(len(slices), dtype=bool)
    for column, value in where:
        here &= _having(slices, column, value)
    if not here.any():
        raise UnknownName(f"no item is in {_told(where)}; slices: {listing(_named(slices, where))}.")
    return [int(k) for k in np.flatnonzero(here)]


def _having(slices: Slices, column: str, value: str) -> Any:
    """Which slices have a value in a column; a text that spells it will do."""
    if column not in slices.columns:
        told = f"no slices by {column!r}.{nearest(column, slices.columns)}"
        raise UnknownName(f"{told} There are slices by {listing(slices.columns)}.")
    at = slices.columns.index(column)
    there = [x for x in slices.levels[at] if x is not None]
    same = [x is not None and (str(x) == value or spells(value, x)) for x in slices.levels[at]]
    if not any(same):
        told = f"no slice {column}={value}.{nearest(value, map(str, there))}"
        raise UnknownName(f"{told} Values of {column!r}: {listing(map(str, there), most=10)}.")
    return np.array(same)[slices.codes[:, at]]


def _named(slices: Slices, where: Where) -> list[str]:
    """The slices that there are, by the columns asked for."""
    at = [slices.columns.index(column) for column, _ in where]
    rows = dict.fromkeys(tuple(row[k] for k in at) for row in slices.codes.tolist())
    return [
        _told(tuple((slices.columns[k], str(slices.levels[k][c])) for k, c in zip(at, r, strict=True))) for r in rows
    ]


# -- gate
#
# hs.gate: does it pass? Each requirement passes, fails or is inconclusive, by its posterior probability.

# -- more items
#
# How many more items would likely settle a question that is open: P(above) between 1 - p and p.
#
# Future items are drawn from what is known now (the posterior predictive), and an answer is one of pass and fail. On
# the scale on which the posterior is normal, P now is Φ(z₀). With r times as many items more, the posterior's mean
# moves by a normal amount and its spread falls such that the z of then is normal with mean z₀√(1+r) and variance r;
# it is settled when that lies beyond ±z, z = Φ⁻¹(p). The chance of that rises with r, from 0 to 1. No moment is
# needed: z₀ is that of the exact P, whatever the scale. How well it holds: docs/how-to/gate.md.

ASSURANCE: Final = 0.8  # how likely so many items settle it
_HALVINGS: Final = 60


def growth(probability: float, needed: float, assurance: float = ASSURANCE) -> float | None:
    """How many times as many items more settle it, with that assurance; None where it is settled already.

    >>> round(growth(0.5, 0.95), 1), growth(0.97, 0.95)
    (42.2, None)
    """
    from scipy.special import ndtri

    least = min(probability, 1.0 - probability)
    if not 1.0 - needed < least:
        return None
    now, then = abs(float(ndtri(least))), float(ndtri(needed))
    low, high = 0.0, (then / float(ndtri(1.0 - assurance / 2.0))) ** 2  # the most that it takes, from 1/2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _settled(now, then, middle) < assurance else (low, middle)
    return high


def _settled(now: float, then: float, r: float) -> float:
    """The chance that r times as many items more give an answer."""
    from scipy.special import ndtr

    mean, std = now * math.sqrt(1.0 + r), math.sqrt(r)
    return float(ndtr((mean - then) / std) + ndtr((-mean - then) / std))


def more_items(probability: float, needed: float, size: float) -> int | None:
    """So many more, to two digits and rounded up; `size` is that of the items or clusters and of the prior's weight."""
    times = growth(probability, needed)
    if times is None or not size > 0:
        return None
    exact = times * size
    unit = 10.0 ** max(0, math.floor(math.log10(max(exact, 1.0))) - 1)
    return int(math.ceil(exact / unit) * unit)


# -- rulings
#
# One requirement against its posterior: P(it holds), the answer, and how many more items would likely give one.

PASS: Final = "pass"
FAIL: Final = "fail"
OPEN: Final = "inconclusive"
_COMPUTED: Final = 1e-6  # an error below is none of draws


@dataclass(frozen=True, eq=False)
class Ruling:
    """A requirement with its answer: the law it is put to, P(it holds), and how far that may be off."""

    requirement: Requirement
    metric: str
    law: Distribution  # of the measure, or of its difference from the baseline
    score: float
    probability: float
    error: float
    n: Any
    size: float  # units and the prior's weight
    unit: str  # what is exchangeable, and what `more` counts: items, or clusters of them
    notes: Notes = ()
    reason: str | None = None  # the code of a warning on which no requirement passes

    @property
    def _slack(self) -> float:
        """How far draws leave the probability open."""
        return self.error if self.error > _COMPUTED else 0.0

    @property
    def status(self) -> str:
        """`pass`, `fail` or `inconclusive`; the last if draws cannot tell, or the data cannot carry the question."""
        p = self.requirement.p
        if self.probability + self._slack <= 1.0 - p and self.reason not in DEPENDENT:
            return FAIL
        return PASS if self.probability - self._slack >= p and self.reason is None else OPEN

    @property
    def near(self) -> bool:
        """Whether more draws may give the answer, rather than more items."""
        p = self.requirement.p
        high, low = self.probability + self._slack, self.probability - self._slack
        return self.status == OPEN and self.reason is None and (high >= p or low <= 1.0 - p)

    @property
    def more(self) -> int | None:
        """How many more units settle it with probability 0.8; None where it is settled, or needs draws first."""
        if self.status != OPEN or self.reason is not None:
            return None
        return more_items(self.probability, self.requirement.p, self.size)

    def document(self, level: float, kind: str) -> dict[str, Any]:
        """The row of the document."""
        r, d = self.requirement, self.law
        ends, off = d.interval(level, kind=kind), d.end_errors(level, kind)
        return {
            "requirement": str(r), "status": self.status, "reason": self.reason, "metric": self.metric,
            "asked": r.metric, "slice": dict(r.where) or None, "kind": r.kind, "sign": r.sign,
            "limit": None if r.compares else r.number, "margin": r.number if r.compares else None,
            "p": r.p, "probability": real(self.probability), "n": self.n, "score": real(self.score),
            "mean": real(d.mean), "std": real(d.std), "median": real(d.median),
            "low": real(ends.low), "high": real(ends.high),
            "low_gap": real(ends.low_gap), "high_gap": real(ends.high_gap), "more": self.more,
            "more_unit": None if self.more is None else self.unit,
            "error": {
                "value": real(d.error.value), "probability": real(self.error),
                "mean": real(d.mean_error()) if d.route == "sampled" else real(d.error.value),
                "low": real(off[0]), "high": real(off[1]),
            },
            "route": d.route, "range": [real(x) for x in d.range],
            "infinite": _endless(
                score=self.score, mean=d.mean, std=d.std, median=d.median, low=ends.low, high=ends.high
            ),
        }  # fmt: skip


def _endless(**numbers: Any) -> list[str]:
    """The names of numbers that have no end, with a minus where they are below all others."""
    return [f"{'-' if x < 0 else ''}{name}" for name, x in numbers.items() if np.isinf(x)]


def judged(sides: Sides, r: Requirement, level: float, kind: str) -> list[Ruling]:
    """The answers to a requirement; f1:* has one for each class."""
    return [_judged(sides, r.of(str(m)), level, kind) for m in sides.judged.spelled_out([r.metric])]


def _judged(sides: Sides, r: Requirement, level: float, kind: str) -> Ruling:
    question = sides.judged.resolve(r.metric)
    if question.classes is not None:
        raise BadSetting(f"{r.metric} is a measure of every class: require each by its name, as in 'f1:spam > 0.8'.")
    r = r.of(question.asked)
    own = sides.judged.evidence.only(question.metric)
    check(r, question.metric)
    if r.compares:
        law, score, found, error, notes = _against(sides, r, level, kind)
    else:
        row, law = Row(question, level, kind), question.distribution
        score, found, notes = float(row.score), holds(law, r.sign, r.number), (*row.notes, *_odd(r, question.metric))
        error = _off(found, law)
    prior = question.prior_note
    told = notes if prior is None else (prior, *notes)
    units, unit = _units(own)
    size = units + float(sides.judged.prior_document["total"])
    return Ruling(r, str(question.metric), law, score, found, error, number(own.totals), size, unit, told)


def _units(own: Evidence) -> tuple[float, str]:
    """How many there are of what is exchangeable, and what it is; the prior's weight is in these too."""
    clusters = own.describe().get("clusters")
    return (float(own.totals), "items") if clusters is None else (float(clusters), "clusters")


def _against(sides: Sides, r: Requirement, level: float, kind: str) -> tuple[Distribution, float, float, float, Notes]:
    """Not worse than the baseline by more than the margin; to be equal is not to be worse."""
    c = sides.comparison(r.metric, level, kind)
    law, up = c.difference, c.metric.better == "higher"
    notes = (*unlike_scales((c.first, c.second)), *at_level(law.notes, level), *c.first.notes, *c.second.notes)
    score = float(c.first.score) - float(c.second.score)
    if r.number == 0.0 and c.route != "sampled":  # known better than by the law of the difference
        return law, score, float(c.p_better), float(c.gap.error), notes
    found = holds(law, ">=" if up else "<=", -r.number if up else r.number)
    return law, score, found, _off(found, law), notes


def holds(law: Distribution, sign: str, limit: float) -> float:
    """P(the law is on that side of the limit); only draws can lie on it."""
    if law.ess is not None and sign in (">=", "<"):
        limit = float(np.nextafter(limit, -np.inf))
    return float(law.sf(limit) if sign[0] == ">" else law.cdf(limit))


def _off(found: float, law: Distribution) -> float:
    """How far a probability may be off: of draws, at its own size."""
    error = float(law.error.probability)
    return error if law.law.n is None else error_at(found, error, law.law.floor)


def check(r: Requirement, metric: Measure) -> None:
    """Refuse a limit that the measure cannot be on both sides of, and a margin of no meaning, or that none exceeds."""
    if r.compares and metric.better is None:
        told = f"{metric} has no better direction, so {str(r)!r} means nothing"
        raise BadSetting(f"{told}: give a limit, as in '{r.metric} > 0.5'.")
    low, high = metric.bounds
    hint = f" Did you mean {short(r.number)}%?" if (low, high) == (0.0, 1.0) and 1 < r.number <= 100 else ""
    if r.compares and not r.number < high - low:
        raise BadSetting(f"{r.metric} cannot differ by {short(r.number)}: give a smaller margin.{hint}")
    if not r.compares and not low < r.number < high:
        told = f"{r.metric} lies between {short(low)} and {short(high)}"
        raise BadSetting(f"{told}, so {str(r)!r} asks nothing: give a limit between them.{hint}")


def _odd(r: Requirement, metric: Measure) -> Notes:
    """A limit against the measure's direction, which may be a slip."""
    against = {"above": "lower", "below": "higher"}[r.kind]
    return (note("gate-direction", of=r.metric, better=against, asked=str(r)),) if metric.better == against else ()


# -- the verb
#
# gate: does it pass? Each requirement has three answers, pass, fail and inconclusive, by its posterior probability.


@dataclass(frozen=True, eq=False)
class Gate(Result):
    """Requirements with their answers; prints as a table. `status` is `pass`, `fail` or `inconclusive`."""

    sides: Sides
    level: float
    interval: str
    rows: tuple[Ruling, ...]
    told: Notes = ()  # of where the requirements came from

    @property
    def status(self) -> str:
        """Any fail is a fail, else any inconclusive is inconclusive."""
        found = {row.status for row in self.rows}
        return next(x for x in (FAIL, OPEN, PASS) if x in found)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        every, word = len(self.rows), self.status.capitalize()
        reason = next((row.reason for row in self.rows if row.reason and row.status == OPEN), None)
        if self.status == OPEN and reason is not None:
            return f"{word}: {BLOCKING[reason]}"
        if self.status == PASS:
            every_one = {1: "the requirement holds", 2: "both requirements hold"}
            return f"{word}: {every_one.get(every, f'all {every} requirements hold')}"
        counts = {"failed": self._many(FAIL), "passed": self._many(PASS), "undecided": self._many(OPEN)}
        return f"{word}: {', '.join(f'{n} {what}' for what, n in counts.items() if n)}"

    def _blocked(self) -> Gate:
        """The same with the answers left open that the data cannot carry."""
        sides = [x for x in (self.sides.joint or self.sides.judged, self.sides.other) if x is not None]
        notes = [n for side in sides for n in side.evidence.notes]
        return replace(self, rows=tuple(_blocked(row, notes) for row in self.rows))

    def _many(self, status: str) -> int:
        return sum(row.status == status for row in self.rows)

    def noted(self, *notes: Any) -> Gate:
        """The same with more to be said."""
        return replace(self, told=(*self.told, *notes))

    @cached_property
    def notes(self) -> Notes:
        """What is to be said, each thing once."""
        own = [note("gate-near", of=str(row.requirement)) for row in self.rows if row.near]
        if any(row.requirement.compares for row in self.rows):
            own.append(note("gate-difference", first=self.sides.names[0], second=self.sides.names[1]))
        form = "same" if self.sides.other is None else "both"
        left = [row for row in self.rows if row.more is not None]
        sliced = any(row.requirement.where for row in left)
        own += [note("gate-more", form=f"{form}-sliced" if sliced else form, unit=row.unit) for row in left]
        told = [n for row in self.rows for n in row.notes if n.code != SHARED_ITEMS or row.reason == SHARED_ITEMS]
        return merged([*self.told, *own, *told])

    @property
    def _library(self) -> str | None:
        return self.sides.judged.library

    @property
    def _kind(self) -> str:
        return "gate"

    def _measures(self) -> list[Any]:
        return known(row.metric for row in self.rows)

    def _make(self) -> dict[str, Any]:
        whole = self.sides.slice(()).judged
        compared = self.sides.compared
        data = {**whole.evidence.describe(), "paired": self.sides.joint is not None if compared else None}
        made = envelope(
            "howsure.gate/1", [row.document(self.level, self.interval) for row in self.rows],
            prior=whole.prior_document, level=self.level, interval=self.interval, seed=whole.seed,
            data=data | ({"systems": list(self.sides.names)} if compared else {}),
            notes=self.notes, account=protocol.document([(self.sides.joint or whole).evidence]),
        )  # fmt: skip
        return made | {"status": self.status, "verdict": self.verdict}

    def to_junit(self) -> str:
        """JUnit XML, a test case for each requirement; one that is inconclusive is an error."""
        return self._render("junit")

    def __bool__(self) -> bool:
        raise BadSetting("a gate has three answers, so it is neither true nor false: look at its .status.")

    def __repr__(self) -> str:
        each = "; ".join(
            f"{row.requirement}: {row.status} ({probability(row.probability, row.error)})" for row in self.rows
        )
        return f"Gate({visible(f'{self.status}; {each}')})"


def _blocked(row: Ruling, notes: Sequence[Note]) -> Ruling:
    """An answer that is open for a reason, where a warning gives one; slices that share items can be judged singly."""
    codes = [n.code for n in (*notes, *row.notes) if n.code in BLOCKING]
    if row.requirement.where:
        codes = [x for x in codes if x != SHARED_ITEMS]
    return replace(row, reason=codes[0]) if codes else row


def gate(
    data: Any,
    requirements: Any,
    *,
    baseline: Any = None,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
    **columns: Unpack[ColumnsAndTarget],
) -> Gate:
    """Does it pass? Each requirement passes if it holds with its probability, and fails if the opposite does.

    A requirement is a text: "f1 > 0.8 with 0.95", "recall:fraud > 0.9 in region=north with 0.9", or, against a
    baseline, "f1 not worse by 0.01 with 0.9" (0.95 and a margin of 0 unless given). `data` is evidence, a posterior, or
    a frame, a file or a database with its columns named. A baseline is the second of two systems in the data, another
    file joined on the ids of items (`on=`), or evidence or a posterior of different items.

    Parameters
    ----------
    baseline
        What 'not worse' is against. The items of a file are joined by id or --on.

    Examples
    --------
    >>> from howsure.evidence.classes import Tally
    >>> t = Tally.binary(tp=80, fp=20, fn=30, tn=870)
    >>> gate(t, ["f1 > 0.7 with 0.9", "recall > 0.8"]).status
    'fail'
    """
    asked = read(requirements)
    if baseline is not None:
        refuse_idle_baseline(asked)
    own: dict[str, Any] = {"prior": prior, "tolerance": tolerance, "seed": seed}
    given, sides = sides_of(data, baseline, asked, {k: v for k, v in columns.items() if v is not None}, own)
    wanted = check_level(given.level if level is None else level)
    kind = check_kind(given.interval if interval is None else interval)
    check_sides(sides, asked)
    rows = [row for r in asked for row in judged(sides.slice(r.where), r, wanted, kind)]
    return Gate(sides, wanted, kind, tuple(rows))._blocked()


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return the columns of requirements; of a margin, score and interval are those of the difference."""
    return [
        col.words("requirement"),
        col.words("status"),
        TableColumn("probability", "P", _probability, "probability"),
        col.items(result),
        replace(col.score(), key="measured"),
        *col.moments("mean", "median", "std"),
        TableColumn("ends", col.level_of(result), _interval, "interval"),
        *_more(rows),
        col.route(),
    ]


def _probability(row: dict[str, Any]) -> str:
    return probability(row["probability"], col.error_of(row, "probability"))


def _interval(row: dict[str, Any]) -> str:
    return col.interval(row) if row["margin"] is None else col.plain_interval(row)


def _more(rows: Sequence[Any]) -> list[TableColumn]:
    """Return the column of how many more items, or clusters, would settle it."""
    left = [r for r in rows if r["more"] is not None]
    units = {r["more_unit"]: None for r in left}
    title = f"more {' or '.join(units)}{' of the slice' if all(r['slice'] for r in left) else ''}"
    cell = TableColumn("more", title, lambda r: "" if r["more"] is None else count(r["more"]), "count")
    return [cell] if units else []


def _answers(result: ResultDict, _directions: Directions) -> Answers:
    from howsure.render.findings import sentence
    from howsure.report.opening import chance, first_few

    others = [
        f"{row['requirement']}: {row['status']}, it holds with probability {chance(row['probability'], row)}."
        for row in result["rows"]
        if row["status"] != "pass"
    ]
    verdict = [sentence(result["verdict"])]
    return [("Does it pass?", verdict), ("What does not pass?", first_few(others, "requirement"))]


_SET_BEFORE: Final = (
    "Requirements were set before the test.",
    "Testing again and again until it passes: some test will.",
)


def _typed(given: DataGiven, *, require: Sequence[str] = (), baseline: str | None = None, **keywords: Any) -> Gate:
    """The command: requirements and a baseline may come from a settings file, data have names of columns."""
    if not require:
        raise BadSetting("gate needs a requirement, such as --require 'f1 > 0.8 with 0.95', or a file with some")
    if "with" in given.files:
        raise BadSetting(f"put the whole requirement in quotes: --require '{require[-1]} with 0.95'")
    asked = read(require)
    if "baseline" in given.configured and not any(x.compares for x in asked):
        baseline = None
    if baseline is not None:
        refuse_idle_baseline(asked)
        given = given.beside(baseline)
    columns = slice_columns(asked)
    if columns:
        given = given.reading(by=tuple(columns))
    with slicing(columns):
        found = given.evidence()
    judged, other = found.values() if isinstance(found, dict) else (found, None)
    made = gate(judged, asked, baseline=other, **keywords)
    return made if given.settings_file is None else made.noted(note("configured", file=given.settings_file))


VERB: Final = Verb(
    gate,
    help="""Exit code 0 if all requirements pass, 1 if one fails, 3 if one is inconclusive.

    A requirement passes if it holds with the probability after `with` (0.95 unless given), fails if the opposite does,
    and is inconclusive between. Requirements and other options may stand in howsure.toml or pyproject.toml.""",
    data=Data(without=("by",)),
    table={
        "require": Option(
            "'f1 > 0.8 with 0.95', 'recall:spam > 0.9 in region=north', or 'f1 not worse by 0.01'; repeat for more.",
            metavar="TEXT",
            example="f1 > 0.8 with 0.95",
            many=True,
        ),
        "baseline": Option(metavar="FILE"),
    },
    typed=_typed,
    configured=True,
    instead={
        "--by": " A requirement names its slice: --require 'recall > 0.9 in region=north'.",
        "--above": " A requirement has its limit: --require 'f1 > 0.8 with 0.95'.",
        "--metric": " A requirement names its measure: --require 'f1 > 0.8 with 0.95'.",
    },
    kinds=(
        ResultKind(
            "gate",
            _columns,
            charts=later("charts.decisions:gate"),
            title="Does it pass?",
            answers=_answers,
            assumptions=lambda _: [_SET_BEFORE],
            clusters=True,
        ),
    ),
    question=WebQuestion(
        example={"counts": FOUR, "require": ["f1 > 0.7 with 0.95", "recall > 0.6"]},
        also=("require",),
        only=("level", "interval", "prior", "tolerance", "seed"),
    ),
    examples=(
        f"{EXAMPLE} --pred logistic --require 'f1 > 0.9 with 0.95'",
        f"{EXAMPLE} --pred logistic --pred tree --require 'f1 not worse by 0.01'",
    ),
    codes={"pass": 0, "fail": 1, "inconclusive": 3},
)
