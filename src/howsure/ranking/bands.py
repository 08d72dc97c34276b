"""Lines and bands over a curve: intervals at every threshold, or at given recalls and fallouts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Index, Integers
from howsure.catalogue import Metric
from howsure.catalogue.forms import Linear
from howsure.distributions import beta_interpolation, ranked
from howsure.distributions.moebius import Moebius
from howsure.distributions.ranked import Cuts
from howsure.errors import BadSetting
from howsure.evidence import protocol
from howsure.evidence.classes import Tally
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import ends
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.score_samples import CurvePoints, score_draws
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.validate import check_seed

_LINES: Final = 20  # points that people are shown
_GRID: Final = 500  # thresholds at which a simultaneous band is held against the draws
_JOINT: Final = 4_000  # draws at least where the ends of a simultaneous band are draws: its tails are thin
_RATES: Final = {"recall": ranked.at_recall, "fallout": ranked.at_fallout}


@dataclass(frozen=True, eq=False)
class Line:
    """CurvePoints of a curve: x, y and the threshold of each; unpacks to the three arrays."""

    x_name: str
    y_name: str
    x: Array
    y: Array
    thresholds: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.x, self.y, self.thresholds))

    def __repr__(self) -> str:
        return f"Line({self.y_name} against {self.x_name}, {self.x.size:,} points)"


@dataclass(frozen=True, eq=False)
class CurveBand(Result):
    """Intervals of a measure along a line: arrays `x`, `score`, `low` and `high`."""

    line: Line
    low: Array
    high: Array
    level: float
    simultaneous: bool
    route: str
    notes: Notes
    posterior: Posterior

    @property
    def x(self) -> Array:
        """Thresholds, or the recalls or fallouts that were given."""
        return self.line.x

    @property
    def score(self) -> Array:
        """The measure of the items themselves; NaN where it is 0/0."""
        return self.line.y

    def _make(self) -> dict[str, Any]:
        p, name = self.posterior, self.line.x_name
        columns = zip(self.x.tolist(), self.score.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        rows = [
            {"metric": self.line.y_name, name: real(x), "score": real(s), "low": real(a), "high": real(b)}
            for x, s, a, b in columns
        ]
        made = envelope(
            "howsure.band/1", rows, prior=p.prior_document, level=self.level, interval="equal-tailed", seed=p.seed,
            data=p.evidence.describe(), notes=self.notes, account=protocol.document([p.evidence]),
        )  # fmt: skip
        return made | {"along": name, "simultaneous": self.simultaneous, "route": self.route}

    def page(self) -> dict[str, Any]:
        """The document for people: of many points a few."""
        document = self._document
        size = len(document["rows"])
        if size <= _LINES:
            return document
        at = np.linspace(0, size - 1, _LINES).round().astype(int)
        note = {
            "code": "thinned",
            "level": "note",
            "text": f"{_LINES} of {size:,} points are shown; JSON and CSV have all",
        }
        return document | {"rows": [document["rows"][i] for i in at], "notes": [*document["notes"], note]}

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "pointwise"
        return f"CurveBand({self.line.y_name} against {self.line.x_name}, {self.x.size:,} points, {kind}, {self.route})"


@dataclass(frozen=True)
class Drawn:
    """What draws tell of a band: the tail of each point, and ends where there is no exact law."""

    tail: float
    low: Array
    high: Array
    notes: Notes


def spread(t: Tally, points: int | None) -> Index:
    """Places of thresholds, evenly spaced among the items that they find, the first and the last among them."""
    size = t.shape[0]
    if points is None or size <= points:
        return np.arange(size)
    found = np.asarray(t.tp, dtype=float) + np.asarray(t.fp, dtype=float)
    wanted = np.linspace(found[0], found[-1], points)
    return np.unique(np.clip(np.searchsorted(found, wanted), 0, size - 1))


def closed(m: Metric, weighted: bool) -> bool:
    """Whether a measure has a closed law at every threshold; with scales of their own no more than two cells have."""
    form = m.reading.form
    if not weighted or not isinstance(form, Linear):
        return m.route == "closed form"
    return m.route == "closed form" and sum(bool(t or b) for t, b in zip(form.top, form.bottom, strict=True)) == 2


def sure_band(line: Line, law: Distribution, level: float, tail: float, notes: Notes, p: Posterior) -> CurveBand:
    """Ends from the exact law of the table at each threshold, with that tail on either side."""
    p_low, p_high = np.array([[tail], [1.0 - tail]]), np.array([[1.0 - tail], [tail]])
    inner = law.law
    if isinstance(inner, Moebius) and beta_interpolation.fits(inner.a, inner.b, p_low, p_high):
        low, high = inner.value(*beta_interpolation.quantiles(inner.a, inner.b, p_low, p_high))
    else:
        low, high = (np.asarray(x, dtype=float) for x in law.interval(1.0 - 2.0 * tail, kind="equal-tailed"))
    return CurveBand(line, low, high, level, bool(notes), law.route, (*law.notes, *notes), p)


def drawn_band(p: Posterior, m: Metric, at: Index, level: float, simultaneous: bool) -> Drawn:
    """Draws of the whole curve at thresholds: the tails that hold all of it at once, and the ends they give."""
    grid = at[np.unique(np.linspace(0, at.size - 1, min(at.size, _GRID)).round().astype(np.intp))]
    ends = grid if simultaneous and score_draws(p).weight and p.evidence.clusters is None else at
    n = _number(p, ends.size, _JOINT if simultaneous and ends is at else 1_000)
    drawn = _measured(m, _at_thresholds(p, ends, n))
    return _of_draws(drawn, level, simultaneous)


def _at_thresholds(p: Posterior, ends: Index, n: int) -> CurvePoints:
    draws, seed = score_draws(p), check_seed(p.seed)
    if draws.sparse:
        return draws.at_cuts(ends, n, seed)
    units = p.evidence.tidy.orders[0]

    def every(c: Cuts) -> Array:
        tp, fp = np.take(c.up, units.found[ends], axis=1).T, np.take(c.down, units.alarms[ends], axis=1).T
        return np.concatenate([tp, fp, c.positives[None], c.negatives[None]])

    tp, fp, totals = np.split(draws.through(every, n, seed)[0], [ends.size, 2 * ends.size])
    return CurvePoints(tp, fp, *totals)


def _measured(m: Metric, c: CurvePoints) -> Array:
    with np.errstate(all="ignore"):
        value = m.formula(tp=c.tp, fp=c.fp, fn=c.positives - c.tp, tn=c.negatives - c.fp)
    return np.broadcast_to(np.asarray(value, dtype=float), c.tp.shape)


def _number(p: Posterior, points: int, least: int = 1_000) -> int:
    """Draws that fit the budget, and the memory."""
    return max(least, min(score_draws(p).number, 20_000, max(1_000, 20_000_000 // points)))


def _of_draws(drawn: Array, level: float, simultaneous: bool) -> Drawn:
    """Ends of each point at the tail that keeps all points of a draw inside with the level's probability."""
    n = drawn.shape[1]
    tail, notes = 0.5 * (1.0 - level), ()
    if simultaneous:
        tail = _joint_tail(drawn, level)
        notes = (note("simultaneous", tail=tail, points=len(drawn), draws=n),)  # type: ignore[assignment]
    low, high = np.quantile(drawn, [tail, 1.0 - tail], axis=1, method="weibull")  # rank k has the tail k/(n + 1)
    sampled = () if simultaneous else (note("sampled", form="band", draws=n),)
    return Drawn(tail, low, high, (*notes, *sampled))


def _joint_tail(drawn: Array, level: float) -> float:
    """The tail at each point with which whole curves lie inside with that probability, points of no spread aside.

    A new draw and the n at hand are exchangeable: between the k-th lowest and highest draw of each point it lies
    everywhere unless it ranks k or less somewhere, which the draws themselves do in the share that is read off here. On
    a line between two k, since few draws have few ranks.
    """
    moving = drawn[drawn.max(axis=1) > drawn.min(axis=1)]
    n = drawn.shape[1]
    if not len(moving):
        return 0.5 * (1.0 - level)
    depth = _depth(moving, min(n // 2, int(0.5 * (1.0 - level) * n) + 2))
    lost = np.cumsum(np.bincount(depth, minlength=n + 1)) / n  # at depth 0 none
    after = int(np.searchsorted(lost, 1.0 - level))
    place = after - 1 + (1.0 - level - lost[after - 1]) / (lost[after] - lost[after - 1])
    return float(min(place / (n + 1), 0.5 * (1.0 - level)))


def _depth(drawn: Array, deepest: int) -> Integers:
    """How far each draw is from the end of the draws at the point where it is nearest, up to a depth."""
    n = drawn.shape[1]
    depth = np.full(n, n // 2 + 1)
    for side in (drawn, -drawn):
        part = np.argpartition(side, deepest, axis=1)[:, : deepest + 1]
        value = np.take_along_axis(side, part, axis=1)
        order = np.argsort(value, axis=1)
        part, value = np.take_along_axis(part, order, axis=1), np.take_along_axis(value, order, axis=1)
        tied = (value[:, 1:] == value[:, :-1]).any(axis=1)  # by number, the same draws at every point
        if tied.any():
            part[tied] = np.argsort(side[tied], axis=1, kind="stable")[:, : deepest + 1]
        for rank in range(deepest, 0, -1):
            at = part[:, rank - 1]
            depth[at] = np.minimum(depth[at], rank)
    return depth


def at_rate(p: Posterior, here: Cuts, m: Metric, rate: str, levels: Any, level: float, simultaneous: bool) -> CurveBand:
    """A measure where recall or fallout has given values, by the Bayesian bootstrap."""
    x = _levels(levels, rate)
    score = _measured(m, CurvePoints(*_RATES[rate](here, x), here.positives, here.negatives))[:, 0]
    n = _number(p, x.size, _JOINT if simultaneous else 1_000)
    drawn = _measured(m, score_draws(p).at_rate(rate, x, n, check_seed(p.seed)))
    found = _of_draws(drawn, level, simultaneous)
    line = Line(rate, str(m), x, score, np.full(x.size, np.nan))
    low, high, notes = spoken(line, found)
    if score_draws(p).weight and rate == "recall" and (x == 1.0).any():
        notes = (*notes, note("full-recall"))
    return CurveBand(line, low, high, level, simultaneous, "sampled", notes, p)


def spoken(line: Line, found: Drawn) -> tuple[Array, Array, Notes]:
    """The ends, left out where draws are 0/0 or all the same but not what the items have: they tell nothing there."""
    still = found.low == found.high
    silent = ~np.isfinite(found.low + found.high) | (still & (line.y != found.low))
    low, high = (np.where(silent, np.nan, x) for x in (found.low, found.high))
    notes = list(found.notes)
    if silent.any():
        notes.append(note("no-interval", count=int(silent.sum()), points=silent.size))
    if (still & ~silent).any():
        notes.append(note("no-width", count=int((still & ~silent).sum()), points=silent.size))
    return low, high, tuple(notes)


def _levels(levels: Any, rate: str) -> Array:
    try:
        x = np.atleast_1d(np.asarray(levels, dtype=float))
    except (TypeError, ValueError):
        x = np.array([np.nan])
    if x.ndim != 1 or not x.size or not ((x >= 0) & (x <= 1)).all() or (rate == "recall" and (x == 0).any()):
        least = "above 0" if rate == "recall" else "from 0"
        raise BadSetting(f"{rate}= must be numbers {least} to 1; got {levels!r}.")
    return x


def few_digits(low: float, high: float) -> float:
    """The number above low, up to high, with the fewest decimals: as a threshold it cuts where high does."""
    for digits in range(17):
        if not math.isfinite(high * 10.0**digits):
            break
        short = math.floor(high * 10.0**digits) / 10.0**digits
        if low < short <= high:
            return short
    return high


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    along = result["along"]
    title = f"{col.level_of(result)}{' simultaneous' if result['simultaneous'] else ''}"
    return [
        TableColumn(along, along, lambda r: f"{r[along]:.6g}"),
        col.score(str(rows[0]["metric"])),
        TableColumn("interval", title, col.plain_interval, "interval"),
    ]


def _headline(result: ResultDict) -> str:
    """Return where the curve is highest."""
    rows, along = result["rows"], result["along"]
    known = [row for row in rows if row["score"] is not None and row["low"] is not None]
    if not known:
        return f"{rows[0]['metric']} at {len(rows)} values of {along}"
    top = max(known, key=lambda row: row["score"])
    span = f"{col.level_of(result)} {' to '.join(ends(top['low'], top['high']))}"
    return f"{top['metric']} is highest at {along} {top[along]:.6g}: {col.value(top, 'score', '')} ({span})"


KIND: Final = ResultKind(
    "band", _columns, headline=_headline, charts=later("charts.thresholds:band"), title="How sure is the curve?"
)
