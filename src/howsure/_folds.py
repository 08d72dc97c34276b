"""hs.compare_folds: systems compared by scores of cross-validation, whose folds share training data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from howsure._compare import interval_of_difference, of_difference, p_better, sides
from howsure._wins import EVEN, check_margin
from howsure.arrays import Array
from howsure.catalogue import described
from howsure.distributions.sampling import generator
from howsure.distributions.student import Student
from howsure.errors import BadCounts, BadLabels, BadSetting, HowsureError, UnknownName, listing
from howsure.io.request import check_bounds
from howsure.messages import verdicts
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import probability, within
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.outlines import outline
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import Verb
from howsure.validate import check_level, finite, one_metric, places, refuse_unlike

# -- fold scores
#
# Scores of cross-validation as they are given: lists, arrays of repeats by folds, frames; to one table of numbers.


LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One column per system, one row per fold of every repeat."""

    values: Array
    systems: tuple[str, ...]
    repeats: int | None  # where the scores came as repeats by folds


def read(scores: Any) -> FoldScores:
    """The scores of two systems or more, on the same folds."""
    given = _by_system(scores)
    found = {str(name): _numbers(str(name), own) for name, own in given.items()}
    if len(found) < len(given):
        raise BadLabels(f"every system needs a name of its own; got {listing(given)}.")
    if len(found) < 2:
        only = "; got none" if not found else f"; got {listing(found)} alone"
        raise BadLabels(f"folds compares systems: give the scores of two or more{only}.")
    shapes = {name: x.shape for name, x in found.items()}
    first = next(iter(shapes))
    odd = next((name for name in shapes if shapes[name] != shapes[first]), None)
    if odd is not None:
        one, two = (" x ".join(map(str, shapes[x])) for x in (first, odd))
        raise BadLabels(f"all systems need scores of the same folds: {first!r} has {one}, and {odd!r} has {two}.")
    shape = shapes[first]
    if int(np.prod(shape)) < 2:
        raise BadCounts(f"folds needs the scores of 2 folds or more; got {int(np.prod(shape))}.")
    values = np.stack([x.ravel() for x in found.values()], axis=1)
    return FoldScores(values, tuple(found), shape[0] if len(shape) == 2 else None)


def share_tested(given: Any, scores: FoldScores) -> float:
    """The share of the data that each fold tests on: as given, or 1 of all folds of a repeat."""
    folds = None if scores.repeats is None else len(scores.values) // scores.repeats
    if given is None and folds is not None and folds > 1:
        return 1.0 / folds
    if given is None:
        raise BadSetting(
            f"folds needs {option('test_share')}, the share of the data that each fold tests on, such as 0.1 for "
            "10-fold cross-validation; or give the scores as an array of repeats x folds."
        )
    if not 0 < finite(given) < 1:
        hint = f" Did you mean {1 / given:g}?" if finite(given) > 1 else ""
        raise BadSetting(f"{option('test_share')} is a share of the data, between 0 and 1; got {given!r}.{hint}")
    return finite(given)


def _by_system(scores: Any) -> Mapping[Any, Any]:
    if isinstance(scores, Mapping):
        return scores
    names = getattr(scores, "columns", None)
    if names is None or isinstance(scores, type):
        raise BadSetting(
            "folds needs scores by system, {'a': [...], 'b': [...]}, or a data frame with a column per system; got "
            f"{type(scores).__name__}."
        )
    if len(set(names)) < len(names):
        raise BadLabels(f"every system needs a name of its own; got columns {listing(names)}.")
    return {name: scores[name] for name in names}


def _numbers(name: str, own: Any) -> Array:
    """The scores of one system: a list, or a table of repeats by folds; of scikit-learn's cross_validate its tests."""
    given = own["test_score"] if isinstance(own, Mapping) and "test_score" in own else own
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise BadSetting(f"the scores of {name!r} must be a list or an array of numbers; got {type(given).__name__}.")
    refuse_unlike(given, f"the scores of {name!r}", BadSetting)
    try:
        array = np.asarray(given if hasattr(given, "__array__") else list(given))
        numbers = array.astype(float)
    except (TypeError, ValueError):
        raise BadSetting(f"the scores of {name!r} must be numbers, one for each fold, or repeats x folds.") from None
    if array.dtype.kind not in "iuf" and not all(isinstance(x, (int, float)) for x in array.ravel()):
        raise BadSetting(f"the scores of {name!r} must be numbers; got {array.ravel().tolist()[0]!r}.")
    if numbers.ndim not in (1, 2):
        raise BadSetting(f"the scores of {name!r} must be a list, or repeats x folds; got {numbers.ndim} dimensions.")
    lost = ~(np.abs(numbers) <= LARGEST)
    if lost.any():
        at = int(np.argmax(lost.ravel()))
        raise BadCounts(
            f"the score of fold {at + 1} of {name!r} is {numbers.ravel()[at]:g}; every fold needs a number. Did a fit "
            "fail?"
        )
    return numbers


# -- folding
#
# folds: which of two learning algorithms is better, from the scores of cross-validation.
#
# Training sets of folds overlap, so their scores are correlated, and as independent numbers they look surer than they
# are. The variance of their mean is taken as (1/J + r/(1 - r))·s², with J scores and the share r of the data that each
# fold tests on (Nadeau & Bengio 2003). Under a flat prior on the mean and the logarithm of the spread the mean then has
# Student's t law with J - 1 degrees of freedom (Corani & Benavoli 2015; Benavoli, Corani, Demšar & Zaffalon 2017).

Better = Literal["higher", "lower"]

STREAM: Final = 90_031
INTERVAL: Final = "equal-tailed"  # and the shortest: the law is symmetric
EXACT: Final = 1e-12  # error of a probability
ROUNDING: Final = 64 * float(np.finfo(float).eps)


class Shares(NamedTuple):
    """P(first better by more than the margin), P(within it), P(second better by more); together 1."""

    better: float
    equal: float
    worse: float


@dataclass(frozen=True, eq=False)
class Folds(Result):
    """Learning algorithms compared by the scores of the same folds; of more than two, pair by pair.

    `folds["a"]` is the law of the mean score of one, `folds.pair("a", "b")` two of several.
    """

    scores: FoldScores
    test_share: float
    metric: str = "score"
    better: Better = "higher"
    equal_within: float | None = None
    bounds: tuple[float, float] | None = None
    level: float = 0.95

    # -- systems

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems; of more than two those with the better mean score first."""
        return self.scores.systems

    @property
    def folds(self) -> int:
        """The number of scores per system, over all repeats."""
        return len(self.scores.values)

    def __getitem__(self, system: str) -> Distribution:
        (at,) = places((system,), self.systems)
        if self._scales[at] == 0:
            value = self.scores.values[0, at]
            raise BadCounts(
                f"all {self.folds:,} scores of {system!r} are {value:g}: they cannot tell how sure that is."
            )
        return self._law(f"{self.metric} of {system}", self.scores.values[:, at])

    def pair(self, first: str, second: str) -> Folds:
        """Two of the systems."""
        if first == second:
            raise BadSetting(f"a pair needs two different systems; got {first!r} twice.")
        at = list(places((first, second), self.systems))
        kept = FoldScores(self.scores.values[:, at], (first, second), self.scores.repeats)
        return replace(self, scores=kept)

    @cached_property
    def pairs(self) -> tuple[Folds, ...]:
        """All pairs, each in the order of the systems."""
        return tuple(self.pair(a, b) for a, b in combinations(self.systems, 2)) if len(self.systems) > 2 else (self,)

    # -- laws

    @property
    def inflation(self) -> float:
        """The variance of the mean over that of as many independent scores."""
        return 1.0 + self.folds * self.test_share / (1.0 - self.test_share)

    @cached_property
    def _scales(self) -> Array:
        """Of each system's own mean; 0 where its scores are all the same."""
        return np.array([0.0 if _same(x) else x.std(ddof=1) for x in self.scores.values.T])

    def _law(self, name: str, values: Array) -> Distribution:
        scale = values.std(ddof=1) * np.sqrt(self.inflation / self.folds)
        law = Student(np.asarray(values.mean()), np.asarray(scale), np.asarray(self.folds - 1.0))
        draw = partial(_draws, law)
        return Distribution(name, law, "closed form", draw, notes=self._few, point=partial(np.mean, values))

    @cached_property
    def difference(self) -> Distribution:
        """The law of first - second."""
        self._two("difference")
        return self._law(f"difference of {self.metric}", self.scores.values[:, 0] - self.scores.values[:, 1])

    def _two(self, what: str) -> None:
        if len(self.systems) != 2:
            one, two = self.systems[:2]
            many = f"{len(self.systems)} systems have {len(self.pairs)} pairs"
            raise BadSetting(f"{many}: take one, such as .pair({one!r}, {two!r}).{what}.")

    # -- answers

    @cached_property
    def _chances(self) -> tuple[float, float]:
        below, above = (float(x) for x in self.difference.law.tails(np.zeros(())))
        return (above, below) if self.better == "higher" else (below, above)

    @property
    def p_better(self) -> float:
        """P(first better than second)."""
        self._two("p_better")
        return self._chances[0]

    @property
    def p_worse(self) -> float:
        """P(first worse than second); p_better + p_worse = 1."""
        self._two("p_worse")
        return self._chances[1]

    @property
    def shares(self) -> Shares | None:
        """P(better by more than equal_within), P(within it), P(worse by more); None without a margin."""
        self._two("shares")
        if self.equal_within is None:
            return None
        law = self.difference.law
        low, high = (
            float(law.tails(np.asarray(-self.equal_within))[0]),
            float(law.tails(np.asarray(self.equal_within))[1]),
        )
        first, second = (high, low) if self.better == "higher" else (low, high)
        inside = float(law.tails(np.asarray(self.equal_within))[0]) - low
        return Shares(first, min(max(inside, 0.0), 1.0), second)

    @property
    def p_equal(self) -> float | None:
        """P(the two differ by at most equal_within); None when that was not given."""
        found = self.shares
        return None if found is None else found.equal

    @property
    def verdict(self) -> str:
        """The finding in words; of several systems that of the first two."""
        if len(self.systems) > 2:
            return f"{self.systems[0]} leads {len(self.systems)} systems on {self.metric}; {self.pairs[0].verdict}"
        (a, b), (p, rest) = self.systems, self._chances
        if abs(p - 0.5) <= EVEN:
            said = verdicts.even(a, b, self.metric, probability(0.5))
        else:
            first, other, p, rest = (a, b, p, rest) if p >= 0.5 else (b, a, rest, p)
            said = verdicts.better(first, other, self.metric, p, probability(p, EXACT, rest=rest), self.level)
        if self.equal_within is None or self.p_equal is None:
            return said
        within, beyond = (probability(x, EXACT, rest=1.0 - x) for x in (self.p_equal, 1.0 - self.p_equal))
        return f"{said}; {verdicts.within('they', self.equal_within, self.p_equal, within, beyond, self.level)}"

    # -- what is to be said

    @property
    def notes(self) -> Notes:
        """How folds were counted, and what a few of them, equal scores and bounds do."""
        found = [note("folds", folds=self.folds, share=self.test_share, times=self.inflation), *self._few]
        for name, scale, first in zip(self.systems, self._scales, self.scores.values[0], strict=True):
            if scale == 0:
                found.append(note("same-scores", of=self.metric, system=name, count=self.folds, value=float(first)))
        if self.bounds is not None:
            low, high = self.bounds
            found.append(note("no-bounds", low=low, high=high, beyond=self._beyond))
        return tuple(found)

    @property
    def _few(self) -> Notes:
        if self.folds > 3:
            return ()
        return (note("few-folds", count=self.folds, form="mean" if self.folds == 2 else "std"),)

    @property
    def _beyond(self) -> float:
        """The most probability that a law puts where its measure cannot be."""
        low, high = self.bounds or (-np.inf, np.inf)
        laws = [(pair.difference.law, low - high, high - low) for pair in self.pairs]
        laws += [(self[x].law, low, high) for x, s in zip(self.systems, self._scales, strict=True) if s > 0]
        return max(float(law.tails(np.asarray(a))[0] + law.tails(np.asarray(b))[1]) for law, a, b in laws)

    # -- document

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        if len(self.systems) > 2:
            return {}
        found: dict[str, Callable[[], Any]] = {"difference": lambda: outline(self.difference, self.level, above=0.0)}
        if (self._scales > 0).all():
            found["systems"] = lambda: [outline(self[name], self.level, label=name) for name in self.systems]
        return found

    def _make(self) -> dict[str, Any]:
        repeats = self.scores.repeats
        data = {
            "systems": list(self.systems), "paired": True, "folds": self.folds, "repeats": repeats,
            "test_share": self.test_share, "bounds": None if self.bounds is None else list(self.bounds),
        }  # fmt: skip
        made = envelope(
            "howsure.folds/1", [pair._row() for pair in self.pairs], level=self.level, interval=INTERVAL,
            data=data, notes=self.notes,
        )  # fmt: skip
        return made | ({"verdict": self.verdict} if len(self.systems) > 2 else {})

    def _row(self) -> dict[str, Any]:
        d, shares = self.difference, self.shares
        first, second = (self._side(name) for name in self.systems)
        return {
            "metric": self.metric, "better": self.better, "paired": True, "first": first, "second": second,
            "slice": None, "p_better": self.p_better, "p_worse": self.p_worse, "p_equal": self.p_equal,
            "equal_within": self.equal_within, "shares": None if shares is None else shares._asdict(),
            "difference": {"score": d.score, **self._numbers(d)},
            "error": {"value": d.error.value, "probability": EXACT}, "route": d.route, "verdict": self.verdict,
        }  # fmt: skip

    def _side(self, name: str) -> dict[str, Any]:
        (at,) = places((name,), self.systems)
        known = None if self._scales[at] == 0 else self[name]
        empty = dict.fromkeys(("mean", "std", "median", "low", "high"))
        return {
            "metric": self.metric, "system": name, "score": float(self.scores.values[:, at].mean()),
            **(empty if known is None else self._numbers(known)),
            "error": None if known is None else {"value": known.error.value, "probability": EXACT},
            "route": None if known is None else known.route,
        }  # fmt: skip

    def _numbers(self, d: Distribution) -> dict[str, float | None]:
        low, high = d.interval(self.level)
        return {"mean": real(d.mean), "std": real(d.std), "median": d.median, "low": low, "high": high}

    def __repr__(self) -> str:
        if len(self.systems) > 2:
            return visible(self.verdict)
        d = self.difference
        low, high = d.interval(self.level)
        told = within(d.score, low, high, errors=(d.error.value, d.error.value))
        return f"{visible(self.verdict)}; difference {told}"


def compare_folds(
    scores: Any,
    *,
    test_share: float | None = None,
    metric: str | None = None,
    metrics: str | None = None,
    better: Better | None = None,
    equal_within: float | None = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
) -> Folds:
    """Which learning algorithm is better on data sets of this size, by the scores of cross-validation.

    `scores` holds one number for each fold, of the same folds for all systems: {"a": [...], "b": [...]}, arrays of
    repeats x folds, or a data frame with a column per system; what scikit-learn's cross_val_score returns. `test_share`
    is the share of the data that each fold tests on, 0.1 for 10-fold cross-validation; it is known from repeats x
    folds. `metric`, or `metrics`, is the one name that results show ("score"); `better` is "higher" or "lower", and
    without it the direction of a measure that is known by this name, else higher.

    >>> f = compare_folds(
    ...     {"a": [0.91, 0.88, 0.93, 0.90], "b": [0.86, 0.87, 0.88, 0.85]}, test_share=0.25, metric="accuracy"
    ... )
    >>> round(f.p_better, 3), f.verdict
    (0.96, 'a is probably better than b on accuracy (probability 0.960)')
    """
    if better not in (None, "higher", "lower"):
        raise BadSetting(f"{option('better')} is 'higher' or 'lower'; got {better!r}.")
    wished = one_metric("compare_folds", metric, metrics, need="the name of the scores, such as 'accuracy'")
    name = "score" if wished is None else wished
    if not isinstance(name, str) or not name.strip():
        raise UnknownName(f"{option('metric')} is the name of the scores, such as 'accuracy'; got {name!r}.")
    direction = _direction(name) if better is None else better
    found, limits = read(scores), check_bounds(bounds)
    share = share_tested(test_share, found)
    if limits is not None and not ((limits[0] <= found.values) & (found.values <= limits[1])).all():
        odd = found.values[~((limits[0] <= found.values) & (found.values <= limits[1]))][0]
        raise BadCounts(f"a score of {odd:g} lies beyond {option('bounds', bounds)}.")
    _refuse_without_spread(found)
    if len(found.systems) > 2:
        found = _ranked(found, direction)
    margin = check_margin(equal_within)
    return Folds(found, share, name, direction, margin, limits, check_level(level))


def _refuse_without_spread(found: FoldScores) -> None:
    for i, j in combinations(range(len(found.systems)), 2):
        one, two = found.values[:, i], found.values[:, j]
        if np.ptp(one - two) <= ROUNDING * max(np.abs(one).max(), np.abs(two).max()):
            by = float(np.median(one - two))
            apart = "have the same score" if abs(by) <= ROUNDING * np.abs(one).max() else f"differ by {by:g}"
            a, b = found.systems[i], found.systems[j]
            raise BadCounts(
                f"{a!r} and {b!r} {apart} in every fold: without a spread there is no telling how sure that is. "
                "Compare their out-of-fold predictions with hs.compare instead."
            )


def _direction(metric: str) -> Better:
    """Of a measure that is known by this name; scores that nobody knows are better the higher they are."""
    try:
        return described(metric).better or "higher"
    except HowsureError:
        return "higher"


def _ranked(found: FoldScores, better: Better) -> FoldScores:
    mean = found.values.mean(axis=0)
    order = np.argsort(-mean if better == "higher" else mean, kind="stable")
    return replace(found, values=found.values[:, order], systems=tuple(found.systems[i] for i in order))


def _same(values: Array) -> bool:
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def _draws(law: Student, n: int, seed: int) -> Array:
    rng = generator(seed, STREAM, law.centre, law.scale, law.freedom)
    return np.asarray(law.centre + law.scale * rng.standard_t(float(law.freedom), n))


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return two systems as compare shows them, several pair by pair; with a margin the three shares."""
    names = result["data"]["systems"]
    two, margin = len(names) == 2, rows[0]["equal_within"]
    a, b = names if two else ("first", "second")
    pair = [
        TableColumn(key, side, lambda r, side=side: str(r[side]["system"]), "words")  # type: ignore[misc]
        for key, side in (("leader", "first"), ("other", "second"))
    ]
    columns = [
        *([col.words("metric")] if two else pair),
        TableColumn("first", a if two else "first score", lambda r: sides(r)[0], shown=two),
        TableColumn("second", b if two else "second score", lambda r: sides(r)[1], shown=two),
        TableColumn("difference", "difference", lambda r: sides(r)[2]),
        TableColumn("std", "std of the difference", _std, shown=False, leaves=2),
        TableColumn("interval", col.level_of(result), interval_of_difference, "interval"),
        TableColumn("better", f"P({a} better)", p_better, "probability", shown=margin is None),
    ]
    if margin is not None:
        shares = {"better": f"P({a} by > {margin:g})", "equal": f"P(within {margin:g})",
                  "worse": f"P({b} by > {margin:g})"}  # fmt: skip
        columns += [
            TableColumn(f"share-{k}", title, partial(_share, key=k), "probability") for k, title in shares.items()
        ]
    return [*columns, col.route()]


def _std(row: dict[str, Any]) -> str:
    return "infinite" if row["difference"]["std"] is None else of_difference(row, "std")


def _share(row: dict[str, Any], key: str) -> str:
    return probability(row["shares"][key], row["error"]["probability"])


def _title(_result: ResultDict, systems: list[str]) -> str:
    two = len(systems) == 2
    return f"Is {systems[0]} better than {systems[1]}?" if two else f"Which of {len(systems)} systems is best?"


_ASSUMPTIONS: Final = (
    (
        "Scores of folds go together, because these share training data: as much as the share that is tested.",
        "Very small folds, or learning algorithms that change a lot with a few training items.",
    ),
    ("Differences of folds are about normal.", "A few folds that are far from all others."),
    (
        "All algorithms had the same folds, and the data are a random sample.",
        "Preprocessing or tuning that saw the test folds.",
    ),
)


VERB: Final = Verb(
    compare_folds,
    kinds=(
        ResultKind(
            "folds",
            _columns,
            bars="difference",
            charts=later("charts.systems:folds"),
            title=_title,
            answers=later("report.opening:pairs"),
            sampled=False,
            assumptions=lambda _: _ASSUMPTIONS,
        ),
    ),
)
