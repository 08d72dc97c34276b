"""Rank several systems, with P(best)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from howsure._compare import Many, One, Several, each_measure
from howsure.arrays import Array
from howsure.distributions.protocol import Law
from howsure.distributions.rank_integrals import ranked
from howsure.errors import BadSetting
from howsure.evidence import protocol
from howsure.messages import verdicts
from howsure.messages.language import option
from howsure.messages.notes import Notes, merged, note
from howsure.messages.numbers import probability
from howsure.messages.user_text import visible
from howsure.messages.verdicts import decisive
from howsure.posteriors.distribution import Error
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.posterior import Posterior
from howsure.posteriors.sampling import MOST_DRAWS, MOST_NUMBERS
from howsure.render import columns as col
from howsure.render.kinds import Assumption, ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import EXAMPLE, Data, Option, Verb, WebQuestion
from howsure.validate import ColumnsAndTarget, check_draws, check_kind, check_level, finite, integer, metrics_given
from howsure.verbs.comparison import draws_apart, gap, most_draws
from howsure.verbs.inputs import Entered, answered, are_paths, entered, is_made
from howsure.verbs.rows import Row, row_documents, told_alike, unlike_scales

# -- standing
#
# Where systems stand: the probability of every rank.
#
# Of two systems by their difference, of independent ones by integrals, of more on the same items by joint draws.

Places = NDArray[np.int32]

SIGMAS: Final = 3.0
MOST_INTEGRALS: Final = 40  # systems; their cost grows with the square, that of draws does not


@dataclass(frozen=True, eq=False)
class Standing:
    """P(system i has rank r) and P(system i better than j); systems that tie share their ranks equally."""

    ranks: Array
    pairs: Array
    error: float  # of the probabilities of ranks
    pairs_error: float
    draws: Array | None = None  # of the measure, (draws, systems), where ranks are their shares
    drawn: int | None = None  # the number of draws behind the ranks, if any
    floor: float | None = None  # what these cannot tell from 0, if that is not the rule of three of the error

    @property
    def expected(self) -> Array:
        """The mean rank of each system, 1 the best."""
        return np.asarray(1.0 + self.ranks @ np.arange(self.ranks.shape[1]))

    def ordered(self, order: list[int]) -> Standing:
        """The systems in another order."""
        draws = None if self.draws is None else self.draws[:, order]
        return replace(self, ranks=self.ranks[order], pairs=self.pairs[np.ix_(order, order)], draws=draws)


def by_difference(pairs: Array, error: float, drawn: int | None = None) -> Standing:
    """Of two systems: the better one is the best."""
    first = np.array([pairs[0, 1], pairs[1, 0]])
    return Standing(np.stack([first, first[::-1]], axis=1), pairs, error, error, drawn=drawn)


def by_laws(laws: Sequence[Law], lower_is_better: bool) -> Standing | None:
    """Of independent systems, from their laws; None where these cannot tell."""
    found = None if len(laws) > MOST_INTEGRALS else ranked(laws)
    if found is None:
        return None
    fewest = min((x.n for x in laws if x.n is not None), default=None)
    ranks, pairs = (found.above[:, ::-1], found.pairs.T) if lower_is_better else (found.above, found.pairs)
    floor = None if fewest is None else max(x.floor for x in laws)
    ranks, pairs = (np.clip(x, 0.0, 1.0) for x in (ranks, pairs))  # integrals are off by a little
    return Standing(ranks, pairs, found.error, found.error, drawn=fewest, floor=floor)


def by_draws(draws: Array, lower_is_better: bool, pairs: tuple[Array, float] | None) -> Standing:
    """Shares of the draws; none is ever 0 or 1: one more draw is dealt as if nothing were known."""
    x = draws if lower_is_better else -draws
    n, many = x.shape
    ahead, tied = _places(x)
    ranks = _doubted(_shares(ahead, tied), 1.0 / many, n)
    error = _error(ranks.cumsum(axis=1), n)
    if pairs is None:
        table = _doubted(_wins(ahead, bool((tied > 1).any())), 0.5, n)
        np.fill_diagonal(table, 0.5)
        pairs = table, _error(table, n)
    return Standing(ranks, pairs[0], error, pairs[1], draws, n)


def _places(x: Array) -> tuple[Places, Places]:
    """How many systems are before each system in each draw, and how many share its place; one row for each system."""
    ahead, tied = np.empty(x.T.shape, dtype=np.int32), np.empty(x.T.shape, dtype=np.int32)
    for k, row in enumerate(x):
        ordered = np.sort(row)
        ahead[:, k] = np.searchsorted(ordered, row)
        tied[:, k] = np.searchsorted(ordered, row, side="right") - ahead[:, k]
    return ahead, tied


def _shares(ahead: Places, tied: Places) -> Array:
    """The share of the draws in which each system has each rank; those that are tied share theirs out."""
    many, n = ahead.shape
    found = np.zeros((many, many))
    for size in np.unique(tied):
        for i in range(many):
            first = np.bincount(ahead[i, tied[i] == size], minlength=many)
            found[i] += np.convolve(first, np.ones(size))[:many] / size
    return np.asarray(found / n)


def _wins(ahead: Places, ties: bool) -> Array:
    """The share of the draws in which each system is before each other; a tie is half of one."""
    many, n = ahead.shape
    table = np.zeros((many, many))
    for i in range(many):
        below = np.count_nonzero(ahead[i] < ahead[i + 1 :], axis=1)
        even = np.count_nonzero(ahead[i] == ahead[i + 1 :], axis=1) if ties else 0
        table[i, i + 1 :] = below + 0.5 * even
        table[i + 1 :, i] = n - table[i, i + 1 :]
    return np.asarray(table / n)


def _doubted(share: Array, prior: float, n: int) -> Array:
    return np.asarray((n * share + prior) / (n + 1.0))


def _error(p: Array, n: int) -> float:
    """Three standard errors of any of these shares, and what a share of nothing may hide."""
    return min(1.0, float(SIGMAS * np.sqrt((p * (1.0 - p)).max() / n) + 1.0 / n))


# -- ranks
#
# Many systems at once: P(best), the distribution of ranks, all pairs, and groups that cannot be told apart.
#
# Pairs are what `compare` says of two systems. Ranks of systems on different items are integrals, of those on the same
# items shares of joint draws.

DRAWS: Final = 20_000
FEWEST_DRAWS: Final = 100
MOST_NAMED: Final = 3  # systems in a verdict
DOUBT: Final = 0.005  # error of ranks that more draws are worth
MOST_PAIRS: Final = 300  # that are compared one by one
TOPS: Final = (1, 3, 5, 10)  # places whose probabilities a document gives, where there are more systems than that


@dataclass(frozen=True, eq=False)
class Leaderboard(Result):
    """Systems in the order of their expected rank."""

    rows: tuple[Row, ...]
    standing: Standing
    paired: bool
    apart: float
    posterior: Posterior
    pairs_differ: bool = False  # whether pairs have another prior than ranks

    @property
    def metric(self) -> Any:
        """The measure."""
        return self.rows[0].metric

    @property
    def asked(self) -> str:
        """The name asked for."""
        return self.rows[0].asked

    @property
    def level(self) -> float:
        """Of the intervals."""
        return self.rows[0].level

    @property
    def interval(self) -> str:
        """The kind of the intervals."""
        return self.rows[0].kind

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best expected rank first."""
        return tuple(str(row.system) for row in self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The same as systems."""
        return self.systems

    @property
    def draws(self) -> Array | None:
        """Draws of the measure of every system, where ranks are shares of them."""
        return self.standing.draws

    @property
    def rank_probabilities(self) -> Array:
        """P(system i has rank r), one row per system; systems that tie share their ranks equally."""
        return self.standing.ranks

    @property
    def p_best(self) -> Array:
        """P(each system is the best); a tie for the first place is shared."""
        return self.standing.ranks[:, 0]

    def p_top(self, k: int) -> Array:
        """P(each system is among the best k); systems that tie share the places left, so that the sum is k."""
        if not 1 <= (integer(k) or 0) <= len(self.rows):
            raise BadSetting(f"k must be a whole number from 1 to {len(self.rows)}, the number of systems; got {k!r}.")
        return self.standing.ranks[:, :k].sum(axis=1) if k < len(self.rows) else np.ones(len(self.rows))

    @property
    def expected_rank(self) -> Array:
        """The mean rank of each system, 1 the best; ties share their ranks."""
        return self.standing.expected

    @property
    def pairs(self) -> Array:
        """P(system i better than system j), as `compare` has it; a half on the diagonal."""
        return self.standing.pairs

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """A new group starts where the first system of the last one is better with the stated probability."""
        groups, lead = [1], 0
        for i in range(1, len(self.rows)):
            if self.pairs[lead, i] >= self.apart:
                lead = i
                groups.append(groups[-1] + 1)
            else:
                groups.append(groups[-1])
        return tuple(groups)

    @property
    def error(self) -> Error:
        """Bounds: of the measure of any system, and three standard errors of any probability here, at most."""
        worst = max(self.standing.error, self.standing.pairs_error)
        return Error([row.distribution.error.value for row in self.rows], worst)

    @property
    def _share_error(self) -> float:
        """The largest error of a share of the draws; that of computed ranks, where there are none."""
        return self.standing.error if self.draws is None else min(1.0, 1.5 / float(np.sqrt(len(self.draws))))

    @property
    def _doubt(self) -> Array:
        """How far P(best) of each may by chance be from the highest: shares of draws vary against each other."""
        both = np.minimum(self.p_best + self.p_best.max(), 1.0)
        return np.asarray(2.0 * self._share_error * np.sqrt(both))

    @cached_property
    def notes(self) -> Notes:
        """How ranks were found, and what is to be said of the systems."""
        own = [*unlike_scales(self.rows), *(n for row in self.rows for n in row.warnings)]
        if self.standing.drawn is not None:
            found = self.standing
            floor = 3 / self.standing.drawn if found.floor is None else found.floor
            own.append(note("sampled", form="ranks", draws=found.drawn, probability=found.error, floor=floor))
        if self.pairs_differ:
            own.append(note("pairs-prior", of=self.asked))
        return merged([*own, *(n for row in self.rows for n in row.question.remarks)])

    @property
    def _library(self) -> str | None:
        return self.posterior.library

    @property
    def verdict(self) -> str:
        """The finding in words."""
        best = int(np.argmax(self.p_best))
        level = self.p_best[best] - self.p_best <= self._doubt
        if level.sum() > 1:
            names = sorted(name for name, here in zip(self.systems, level, strict=True) if here)
            who = f"{', '.join(names[:-1])} and {names[-1]}"
            if len(names) > MOST_NAMED:
                who = f"{len(names)} of {len(self.systems)} systems"
            p = probability(float(self.p_best[level].mean()), self._share_error, self.standing.floor)
            return verdicts.level(who, len(self.systems), self.asked, p)
        lead = float(self.p_best[best])
        shown = probability(lead, self._share_error, self.standing.floor)
        return verdicts.best(self.systems[best], len(self.systems), self.asked, lead, shown, self.level)

    def _make(self) -> dict[str, Any]:
        p = self.posterior
        rows = []
        top = {str(k): self.p_top(k) for k in TOPS if k < len(self.rows)}
        for i, own in enumerate(self.rows):
            (row,) = row_documents([own])
            extra = {
                "p_best": real(self.p_best[i]),
                "p_top": {k: real(p[i]) for k, p in top.items()},
                "expected_rank": real(self.expected_rank[i]),
                "group": self.groups[i],
            }
            row["error"] = row["error"] | {"best": self._share_error, "best_floor": self.standing.floor}
            rows.append(row | extra | {"ranks": [real(x) for x in self.rank_probabilities[i]]})
        same = self.paired and len({row["n"] for row in rows}) == 1
        data = {"systems": list(self.systems), "paired": self.paired, "n": rows[0]["n"] if same else None}
        document = envelope(
            "howsure.leaderboard/1", rows, prior=p.prior_document, level=self.level, interval=self.interval,
            seed=p.seed, notes=self.notes,
            data=data | told_alike(self.rows, self.paired),
            account=protocol.document(row.question.state.evidence for row in self.rows),
        )  # fmt: skip
        document["pairs"] = [
            {"metric": str(self.metric), "first": a, "second": b, "p_better": real(self.pairs[i, j])}
            for i, a in enumerate(self.systems)
            for j, b in enumerate(self.systems)
            if i < j
        ]
        return document | {"verdict": self.verdict}

    def __repr__(self) -> str:
        return visible(self.verdict)


class RankSettings(ColumnsAndTarget, total=False):
    """What leaderboard takes besides its data and its measures."""

    prior: Any
    apart: float | None
    level: float | None
    interval: str | None
    draws: int | None
    tolerance: float | None
    seed: int | None


@overload
def leaderboard(
    data: Any, y_pred: Any = None, y: Any = None, *, metric: One | None = None, metrics: One | None = None,
    **settings: Unpack[RankSettings],
) -> Leaderboard: ...  # fmt: skip
@overload
def leaderboard(
    data: Any, y_pred: Any = None, y: Any = None, *, metric: Many, **settings: Unpack[RankSettings]
) -> Several: ...
@overload
def leaderboard(
    data: Any, y_pred: Any = None, y: Any = None, *, metrics: Many, **settings: Unpack[RankSettings]
) -> Several: ...
def leaderboard(
    data: Any,
    y_pred: Any = None,
    y: Any = None,
    *,
    metric: One | Many | None = None,
    metrics: One | Many | None = None,
    prior: Any = None,
    apart: float | None = None,
    level: float | None = None,
    interval: str | None = None,
    draws: int | None = None,
    tolerance: float | None = None,
    seed: int | None = None,
    **columns: Unpack[ColumnsAndTarget],
) -> Leaderboard | Several:
    """Rank the systems of joint evidence, or of a mapping from name to evidence (tested on different items).

    Truths and a mapping from system to predictions, or the columns of a frame, a file or a database, will do too; and
    fitted estimators, which are asked for their answers: leaderboard({"a": one, "b": two}, X, y). `metric` and
    `metrics` mean the same: a name gives one leaderboard, a list several, and ["f1:*"] one for each class.

    Parameters
    ----------
    apart
        P(better) that starts a new group.
    draws
        Rank by this many draws, even if not needed. Without it ranks are computed where they can be.

    Examples
    --------
    >>> from howsure.evidence.outcomes import Outcomes
    >>> t = {"a": Outcomes.rate(hits=40, of=50), "b": Outcomes.rate(hits=30, of=50), "c": Outcomes.rate(hits=48, of=50)}
    >>> leaderboard(t).systems
    ('c', 'a', 'b')
    """
    n = None if draws is None else check_draws(draws)
    if n is not None and n < FEWEST_DRAWS:
        raise BadSetting(f"{option('draws')} must be at least {FEWEST_DRAWS}; got {n}.")
    if apart is not None and not 0.5 < finite(apart) < 1:
        raise BadSetting(f"{option('apart')} is a probability between 0.5 and 1; got {apart!r}.")
    own: dict[str, Any] = {"prior": prior, "tolerance": tolerance, "seed": seed}
    asked = metrics_given(metric, metrics)
    data, y_pred, told = answered("leaderboard", data, y_pred, y, columns, asked)
    given, systems = _given(data, y_pred, told, own)
    first = next(iter(systems.values()))
    settings = (
        check_level(first.level if level is None else level),
        check_kind(first.interval if interval is None else interval),
    )
    limit = decisive(settings[0]) if apart is None else finite(apart)
    known = {name: x.posterior for name, x in systems.items()}
    joint = None if given is None else given.posterior
    return each_measure(list(known.values()), asked, lambda m: _ranked(joint, known, m, n, settings, limit), joint)


def _given(
    data: Any, y_pred: Any, columns: Mapping[str, Any], own: Mapping[str, Any]
) -> tuple[Entered | None, dict[str, Entered]]:
    """The joint posterior, if it is one, and that of each system."""
    joint: Entered | None = None
    if isinstance(data, Mapping) and not is_made(data) and data and all(is_made(x) for x in data.values()):
        if y_pred is not None:
            raise BadSetting("give a mapping from name to evidence, or truths and predictions, not both.")
        systems = {str(k): entered("leaderboard", x, None, columns, **own) for k, x in data.items()}
        kinds = {type(x.posterior.evidence).__name__ for x in systems.values()}
        if len(kinds) > 1:
            raise BadSetting(f"a leaderboard needs evidence of one kind; got {' and '.join(sorted(kinds))}.")
    else:
        if not is_made(data) and y_pred is None and not columns and not are_paths(data):
            raise BadSetting(
                "leaderboard needs a joint tally, items of several systems, or a mapping from name to tally (or items)."
            )
        joint = entered("leaderboard", data, y_pred, columns, **own)
        p = joint.posterior
        systems = {name: Entered(p.system(name), joint.level, joint.interval) for name in p.evidence.systems}
    if len(systems) < 2:
        raise BadSetting(f"a leaderboard needs two or more systems; got {len(systems)}.")
    if any(x.posterior.evidence.shape for x in systems.values()):
        raise BadSetting(f"a leaderboard needs single tables, not batches: leave out {option('by')}.")
    return joint, systems


def _ranked(
    joint: Posterior | None, known: Mapping[str, Posterior], metric: Any, n: int | None, settings: tuple[float, str],
    apart: float,
) -> Leaderboard:  # fmt: skip
    first = next(iter(known.values()))
    questions = {name: p.resolve(metric) for name, p in known.items()}
    most = max(DRAWS, min(MOST_DRAWS, MOST_NUMBERS // len(questions)))
    if n is not None and n > most:
        raise BadSetting(f"{option('draws')} is at most {most:,} for {len(questions)} systems; got {n:,}.")
    lead, *others = questions.values()
    for other in others:
        lead.matches(other)
    if lead.metric.better is None:
        raise BadSetting(f"{lead.metric} has no better direction: there is nothing to rank by.")
    whole = None if joint is None else joint.resolve(metric)
    if joint is None or whole is None:
        found = _apart(list(questions.values()), n)
    else:
        found = _together(whole, _pairs(joint, metric, whole), n)
    order = found.expected.argsort(kind="stable").tolist()
    listed = [list(known)[k] for k in order]
    rows = tuple(Row(questions[name], *settings, None, name) for name in listed)
    differ = whole is not None and whole.pairs_differ
    return Leaderboard(rows, found.ordered(order), joint is not None, apart, joint or first, differ)


def _pairs(joint: Posterior, asked: Any, whole: Estimand) -> tuple[Array, float] | None:
    """P(system i above j) by the laws that compare has for two; None where draws of all are to tell it."""
    systems = joint.evidence.systems
    many = range(len(systems))
    at_once = whole.pair_chances()
    drawn = whole.differences_drawn and len(many) > whole.drawn_pairs
    if at_once is not None or drawn or len(many) * (len(many) - 1) > 2 * MOST_PAIRS:
        return at_once
    table, error = np.full((len(many), len(many)), 0.5), 0.0
    for i, j in combinations(many, 2):
        gap = joint.pick((systems[i], systems[j])).resolve(asked).difference()
        if gap.route == "sampled" and len(many) > whole.drawn_pairs:
            return None
        table[i, j], table[j, i], error = gap.above, gap.below, max(error, gap.error)
    return table, error


def _together(whole: Estimand, pairs: tuple[Array, float] | None, n: int | None) -> Standing:
    """Systems on the same items: two by their difference, more by joint draws, of which doubt takes more."""
    lower = whole.metric.better == "lower"
    if pairs is not None and lower:
        pairs = pairs[0].T, pairs[1]
    if n is None and pairs is not None and len(pairs[0]) == 2:
        return by_difference(*pairs)
    found = by_draws(whole.joint_draws(most_draws(n or DRAWS, whole), whole.state.seed), lower, pairs)
    if n is None and found.error > DOUBT and whole.joint_budget > DRAWS:
        return by_draws(whole.joint_draws(whole.joint_budget, whole.state.seed), lower, pairs)
    return found


def _apart(questions: list[Estimand], n: int | None) -> Standing:
    """Systems tested on different items: two by their difference, more by integrals, or by draws where asked."""
    lower = questions[0].metric.better == "lower"
    if n is None and len(questions) == 2:
        found = gap(questions[0], questions[1])
        up, down = (found.below, found.above) if lower else (found.above, found.below)
        drawn = found.difference.law.n if found.route == "sampled" else None
        return by_difference(np.array([[0.5, up], [down, 0.5]]), found.error, drawn)
    alone = questions[0].linked_draws(questions[1:]) is None
    standing = by_laws([q.distribution.law for q in questions], lower) if n is None and alone else None
    if standing is not None:
        return standing
    n = most_draws(n or DRAWS, *questions)
    seed = questions[0].state.seed
    return by_draws(np.stack(draws_apart(questions, n, seed), axis=1), lower, None)


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    several = len({r["metric"] for r in rows}) > 1
    return [
        *([col.metric()] if several else []),
        col.words("system"),
        *ranked_columns(result, "score" if several else str(rows[0]["asked"])),
    ]


def ranked_columns(result: ResultDict, title: str = "score") -> list[TableColumn]:
    """Return the columns of systems that are ranked, after their names."""
    return [
        col.items(result | {"data": {}}),
        col.score(title),
        *col.moments(),
        col.intervals(result),
        TableColumn("best", "P(best)", _p_best, "probability"),
        TableColumn("rank", "expected rank", lambda r: f"{r['expected_rank']:.2f}", leaves=6),
        TableColumn("group", "group", lambda r: str(r["group"]), "count", leaves=7),
        col.route(),
    ]


def _p_best(row: dict[str, Any]) -> str:
    return probability(row["p_best"], col.error_of(row, "best"), col.error_of(row, "best_floor"))


def not_tuned(result: ResultDict) -> list[Assumption]:
    """Return what is assumed of several systems."""
    told = (
        "The systems were not tuned on these items.",
        "Many versions tried on the same test: the best one looks better than it is.",
    )
    return [told] if len(result["data"]["systems"]) > 2 else []


VERB: Final = Verb(
    leaderboard,
    help="""Give columns of one file (--pred a --pred b, or --pred 'model_*'), or several files, a system each, whose
    items are joined by id or --on. Columns with the usual names (truth or label, pred, passed, ...) are found.""",
    data=Data(least=2, by=False, tables="several"),
    table={
        "apart": Option(reads="number", default="as 'is better' needs"),
        "draws": Option(reads="whole", group="Less common"),
    },
    instead={
        "--by": " Take one slice at a time with --where COLUMN=VALUE; of two systems, compare takes --by.",
    },
    kinds=(
        ResultKind(
            "leaderboard",
            _columns,
            bars="row",
            charts=later("charts.systems:leaderboard"),
            title=lambda _, systems: f"Which of {len(systems)} systems is best?",
            answers=later("report.opening:ranked"),
            assumptions=not_tuned,
            clusters=True,
        ),
    ),
    question=WebQuestion(
        ("systems",),
        example={"systems": {"a": {"rate": {"hits": 47, "of": 50}}, "b": {"rate": {"hits": 40, "of": 50}}}},
    ),
    examples=(
        f"{EXAMPLE} --pred logistic --pred tree --pred texture",
        "--rate 47/50 --rate 40/50 --rate 44/50",
    ),
)
