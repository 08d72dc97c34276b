"""Is the first system better than the second?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, Unpack, overload

import numpy as np

from howsure._wins import check_margin, compare_wins, win_counts
from howsure.catalogue import Metric
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.messages.language import option
from howsure.messages.notes import SHARED_ITEMS, merged
from howsure.messages.numbers import beside, count, ends, probability, short, width_of
from howsure.posteriors.posterior import Posterior
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result
from howsure.results.verbs import EXAMPLE, Data, DataGiven, Option, Verb, WebQuestion, sorting
from howsure.validate import ColumnsAndTarget, check_kind, check_level, integer, metrics_given, places
from howsure.verbs import comparison
from howsure.verbs.comparison import Comparison, grouped, page
from howsure.verbs.inputs import (
    Entered,
    answered,
    are_estimators,
    are_paths,
    entered,
    is_made,
    is_made_by_name,
    wanted,
)
from howsure.verbs.rows import Row
from howsure.verbs.slices import SORTS_OF_PAIRS, check_sort, sliced

# -- several
#
# Several: results of one verb on several measures, as one document.

One = str | Metric
Many = list[Any] | tuple[Any, ...]  # of names and Metrics; no Sequence, since a name is one of texts
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Several(Result):
    """Comparisons, or leaderboards, of the same systems on several measures; by the name of a measure, each alone."""

    parts: tuple[Any, ...]

    def __getitem__(self, metric: str) -> Any:
        for part in self.parts:
            if str(metric) in (str(part.metric), part.asked):
                return part
        raise UnknownName(f"no measure {metric!r} here; there are {listing([str(p.metric) for p in self.parts])}.")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def _library(self) -> str | None:
        return self.parts[0]._library  # type: ignore[no-any-return]

    def _make(self) -> dict[str, Any]:
        made = [part._document for part in self.parts]
        notes = _together(self.parts, made)
        whole: dict[str, Any] = made[0] | {
            "rows": grouped(made) if "slice" in made[0]["rows"][0] else [row for x in made for row in x["rows"]],
            "notes": notes,
        }
        if "between" in made[0]["data"] and any(x["data"]["systems"] != made[0]["data"]["systems"] for x in made):
            whole["data"] = made[0]["data"] | {"systems": list(NAMES)}
        if "pairs" in made[0]:
            whole["pairs"] = [pair for document in made for pair in document["pairs"]]
            whole["verdict"] = "; ".join(document["verdict"] for document in made)
        return whole

    def page(self) -> dict[str, Any]:
        """The document for people: of many slices only the first and the last in their order."""
        sliced = any(row.get("slice") for row in self._document["rows"])
        return page(self._document, len(self.parts)) if sliced else self._document

    def _outlines(self) -> Mapping[str, Callable[[], Any]]:
        """One measure of several is drawn as it would be alone."""
        found: Mapping[str, Callable[[], Any]] = self.parts[0]._outlines() if len(self.parts) == 1 else {}
        return found

    def _measures(self) -> list[Any]:
        return [m for part in self.parts for m in part._measures()]

    def __repr__(self) -> str:
        return "\n".join(repr(part) for part in self.parts)


def _together(parts: Sequence[Any], made: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The notes of all documents, each once; those that say the same of several measures are one."""
    own = [[(n, n.document) for n in part.notes] for part in parts]
    kept = merged(n for each, document in zip(own, made, strict=True) for n, x in each if x in document["notes"])
    told = [x for each in own for _, x in each]
    rest = [x for document in made for x in document["notes"] if x not in told]
    return list({(x["code"], x["text"]): x for x in [*(n.document for n in kept), *rest]}.values())


def each_measure(
    posteriors: Sequence[Posterior],
    asked: Any,
    made: Callable[[Any], R],
    joint: Posterior | None = None,
) -> R | Several:
    """What a verb makes of one metric, the default one if none is given, or all that it makes of a list.

    `asked` is one metric, a list of them or None, as metrics_given finds it. `posteriors` are those of each system;
    what several metrics share is worked out once, of the joint one too.
    """
    first = posteriors[0]
    if not isinstance(asked, list):
        alone = first.spelled_out([first.default_metric if asked is None else asked])
        if len(alone) > 1:
            raise BadSetting(f"{asked} is a metric for each of {len(alone)} classes: give metrics=[{asked!r}].")
        return made(alone[0])
    every = first.spelled_out(asked)
    for p in posteriors:
        p.questions(every)
    if joint is not None:
        joint.together(every)
    return Several(tuple(made(m) for m in every))


# -- verbs
#
# compare: two pieces of evidence, or two systems on the same items.

NAMES = ("first", "second")


class PairSettings(ColumnsAndTarget, total=False):
    """What compare takes besides its data and its measures."""

    equal_within: float | None
    prior: Any
    names: tuple[str, str] | None
    level: float | None
    interval: str | None
    method: str
    draws: int | None
    tolerance: float | None
    seed: int | None
    sort: str | None
    between: str | None


@overload
def compare(
    first: Any, second: Any = None, third: Any = None, *, metric: One | None = None, metrics: One | None = None,
    **settings: Unpack[PairSettings],
) -> Comparison: ...  # fmt: skip
@overload
def compare(
    first: Any, second: Any = None, third: Any = None, *, metric: Many, **settings: Unpack[PairSettings]
) -> Several: ...
@overload
def compare(
    first: Any, second: Any = None, third: Any = None, *, metrics: Many, **settings: Unpack[PairSettings]
) -> Several: ...
def compare(
    first: Any,
    second: Any = None,
    third: Any = None,
    *,
    metric: One | Many | None = None,
    metrics: One | Many | None = None,
    equal_within: float | None = None,
    prior: Any = None,
    names: tuple[str, str] | None = None,
    level: float | None = None,
    interval: str | None = None,
    method: str = "exact",
    draws: int | None = None,
    tolerance: float | None = None,
    seed: int | None = None,
    sort: str | None = None,
    between: str | None = None,
    **columns: Unpack[ColumnsAndTarget],
) -> Comparison | Several:
    """Is the first better than the second?

    Two logs or files: compare("old", "new"). Independent tests: compare(ta, tb). The same items: compare(joint,
    "a", "b"), compare(y, {"a": za, "b": zb}), or the columns of a frame, a file or a database: compare(frame,
    truth="label", pred=["a", "b"]). Fitted estimators are asked for their answers: compare({"a": one, "b": two}, X,
    y). `metric` and `metrics` mean the same: a name gives one comparison, a list several, and ["f1:*"] one for each
    class. Settings that are not given are those of a curve or posterior that is, else the usual ones. Of two
    systems in a column (`system=`) the one with the better score is the first, unless you name them. The verdict is
    "is better" from P(better) = 1 - (1 - level)/2 on (.975 at 95%: the equal-tailed interval of the difference then
    excludes 0) and "is probably better" from .9 on.

    Parameters
    ----------
    method
        How the probability is found: exact, or sample. The second is that of Goutte & Gaussier: a share of `draws`.
    draws
        With sample: the number of draws.
    sort
        Order of slices of --by. A row of all items comes first.
    between
        Compare the values of this column, such as sex, for one system. Two values are two systems tested on different
        items, or on the same clusters; of three or more those furthest apart are compared, partially pooled; `names`
        chooses two of them.

    Examples
    --------
    >>> from howsure.evidence.classes import Tally
    >>> a = Tally.binary(tp=3, fp=2, fn=0, tn=0)
    >>> b = Tally.binary(tp=10, fp=10, fn=0, tn=0)
    >>> round(compare(a, b, metric="precision").p_better, 12)
    0.652222372209
    """
    margin, drawn, told = check_margin(equal_within), _drawn(method, draws), dict(columns)
    asked = metrics_given(metric, metrics)
    if third is None and isinstance(first, (str, Path)) and isinstance(second, (str, Path)):
        from howsure.io.entrance import as_systems

        first, second = as_systems(first, second), None
    if not is_made(first) and are_estimators(first):
        first, second, told = answered("compare", first, second, third, columns, asked)
        third = None
    own: dict[str, Any] = {"tolerance": tolerance, "seed": seed}
    if between is not None:
        if drawn is not None or sort is not None:
            stray = option("method") if sort is None else option("sort")
            raise BadSetting(f"{option('between')} compares two slices of one system: leave out {stray}.")
        slices = _slices(first, (second, third), between, told, prior, names, own)
        if isinstance(slices, Entered):  # they share clusters
            joint, how = slices.posterior, _settings(slices, level, interval)
            if len(joint.evidence.systems) > 2:
                way = f"name two with {option('names')}"
                raise BadSetting(f"slices {listing(joint.evidence.systems, most=20)} share clusters: {way}.")
            joint = joint if names is not None else joint.pick(leader_first(joint, asked))
            each = [joint.system(name) for name in joint.evidence.systems]
            return each_measure(
                each, asked, lambda m: replace(_paired(joint, m, how, margin), slices_of=between), joint
            )
        how = _settings(next(iter(slices.values())), level, interval)
        kept = {name: x.posterior for name, x in slices.items()}
        kept = kept if names is not None else _leader_first(kept, asked)
        return each_measure(list(kept.values()), asked, lambda m: _between(kept, between, m, how, margin))
    if second is None and is_made_by_name(first):
        names, (first, second) = _two_of(first)
    if is_made(first) and is_made(second):
        if third is not None:
            raise BadSetting("compare needs two; for three or more use leaderboard.")
        both = prior if isinstance(prior, tuple) and len(prior) == 2 else (prior, prior)
        one, two = (
            entered("compare", x, None, told, prior=w, **own) for x, w in zip((first, second), both, strict=True)
        )
        pair, shown, settings = (one.posterior, two.posterior), _named(names), _settings(one, level, interval)
        order = check_sort(sort, pair[0].evidence, SORTS_OF_PAIRS)
        return each_measure(pair, asked, lambda m: replace(_apart(pair, shown, m, settings, margin, drawn), sort=order))
    given, chosen = _joint(first, second, third, told, asked, prior, own)
    if drawn is not None:
        raise BadSetting("method='sample' is for systems tested on different items; these have the same items.")
    if names is not None:
        way = "call them otherwise where they are made, in their columns or in {name: answers}"
        raise BadSetting(
            f"{option('names')} is for two tallies; the systems of these items have names, {listing(chosen)}: {way}."
        )
    p, settings = given.posterior.pick(chosen), _settings(given, level, interval)
    order, each = check_sort(sort, p.evidence, SORTS_OF_PAIRS), [p.system(name) for name in chosen]
    return each_measure(each, asked, lambda m: replace(_paired(p, m, settings, margin), sort=order), p)


def _drawn(method: Any, draws: Any) -> int | None:
    """How many draws the paper's own method takes; None for the exact one."""
    if method not in ("exact", "sample"):
        raise UnknownName(f"no method {method!r}.{nearest(str(method), ('exact', 'sample'))} Give 'exact' or 'sample'.")
    if draws is not None and (integer(draws) or 0) < 100:
        raise BadSetting(f"draws must be a whole number, 100 or more; got {draws!r}.")
    if draws is not None and method == "exact":
        raise BadSetting(f"{option('draws')} goes with {option('method', 'sample')}; an exact comparison has none.")
    return None if method == "exact" else 10_000 if draws is None else int(draws)


def _settings(given: Entered, level: Any, interval: Any) -> tuple[float, str]:
    return (
        check_level(given.level if level is None else level),
        check_kind(given.interval if interval is None else interval),
    )


def _joint(
    first: Any, second: Any, third: Any, columns: Mapping[str, Any], metrics: Any, prior: Any, own: Mapping[str, Any]
) -> tuple[Entered, tuple[str, str]]:
    """The posterior of several systems on the same items, and the names of two."""
    made = is_made(first)
    answers = None if made or not isinstance(second, Mapping) else second
    asked = _asked(third if answers is not None else (second, third))
    if not made and answers is None and not columns and not are_paths(first):
        raise BadSetting("compare needs two tallies, a joint tally with two names, or truths and {name: predictions}.")
    given = entered("compare", first, answers, columns, prior=prior, **own)
    systems = given.posterior.evidence.systems
    places(asked, systems)
    if not asked and len(systems) > 2:
        said = f"compare needs two systems; this data has {len(systems)}: {listing(systems, most=20)}"
        raise BadSetting(f"{said}. Name two, or use leaderboard.")
    chosen = tuple(asked or systems)
    if not asked and len(systems) == 2 and columns.get("system") is not None:
        chosen = leader_first(given.posterior, metrics)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise BadSetting(f"compare needs two different systems; got {listing(chosen)}.")
    return given, (chosen[0], chosen[1])


def leader_first(p: Posterior, metrics: Any) -> tuple[str, ...]:
    """The two systems of a column, which has no order: first the one with the better score, so that it has the lead."""
    axis, systems = sliced(p.evidence), tuple(p.evidence.systems)
    whole = p if axis is None else p.whole(axis)
    first, second = (whole.system(name) for name in systems)
    given = first.default_metric if metrics is None else metrics
    asked = first.spelled_out(given if isinstance(given, (list, tuple)) else [given])[0]
    one, two = first.resolve(asked), second.resolve(asked)
    behind = one.score < two.score if one.metric.better == "higher" else one.score > two.score
    return systems[::-1] if one.metric.better is not None and bool(np.all(behind)) else systems


def _asked(names: Any) -> tuple[str, ...]:
    """The names of two systems, if they were given."""
    if isinstance(names, str):
        raise BadSetting(f"compare needs two names of systems, such as ('a', 'b'); got {names!r}.")
    listed = tuple(x for x in names or () if x is not None)
    if not all(isinstance(x, str) for x in listed):
        bad = next(x for x in listed if not isinstance(x, str))
        _refuse_frame(bad)
        raise BadSetting(
            "compare needs two tallies of one kind, a joint tally with two names, or truths and {name: predictions}; "
            f"got {type(bad).__name__}."
        )
    return listed


def _refuse_frame(x: Any) -> None:
    """A second frame: what to give in its place."""
    from howsure.io.frames import is_frame

    if is_frame(x):
        apart = "of different items give hs.tally(a, truth=..., pred=...) and the same of b"
        raise BadSetting(f"two frames are compared as tallies: {apart}; of the same items merge them, with pred=[...].")


def _two_of(systems: Mapping[str, Any]) -> tuple[tuple[str, str], tuple[Any, Any]]:
    """The names and the evidence of two systems."""
    if len(systems) != 2:
        raise BadSetting(f"compare needs two systems; got {len(systems)}; more are for leaderboard.")
    first, second = systems
    return (first, second), (systems[first], systems[second])


def _named(names: Any) -> tuple[str, str]:
    if names is None:
        return NAMES
    given = () if isinstance(names, str) else tuple(str(x) for x in names)
    if len(set(given)) != 2 or len(given) != 2:
        raise BadSetting(f"{option('names')} must be two different names; got {names!r}.")
    return given[0], given[1]


def _apart(
    both: tuple[Posterior, Posterior], names: tuple[str, str], metric: Any, settings: tuple[float, str],
    margin: float | None, draws: int | None,
) -> Comparison:  # fmt: skip
    """Two systems tested on different items."""
    if type(both[0].evidence) is not type(both[1].evidence):
        kinds = " and ".join(type(p.evidence).__name__ for p in both)
        raise BadLabels(f"evidence of two kinds cannot be compared: {kinds}; give two of the same kind.")
    one, two = (p.resolve(metric) for p in both)
    one.matches(two)
    axes = [sliced(p.evidence) for p in both]
    _refuse_other_slices(both, axes)
    shapes = tuple(p.evidence.shape for p in both)
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise BadLabels(f"the batches do not match: shapes {shapes[0]} and {shapes[1]}.") from None
    rows = [Row(q, *settings, None, name) for q, name in zip((one, two), names, strict=True)]
    overall = None
    if axes[0] is not None and axes[0] == axes[1] and not any(map(_share_items, both)):
        first, second = (p.seeing(p.evidence.together(axes[0])) for p in both)
        overall = _apart((first, second), names, metric, settings, margin, draws)
    return Comparison(rows[0], rows[1], comparison.gap(one, two, draws), both[0], margin, overall=overall)


def _refuse_other_slices(both: tuple[Posterior, Posterior], axes: list[int | None]) -> None:
    """Slices are compared by name: both sides need the same ones."""
    if axes[0] is None or axes[1] is None:
        return
    one, two = ([str(x) for x in p.evidence.batch[k][1]] for p, k in zip(both, axes, strict=True) if k is not None)
    only = sorted({*one} ^ {*two})
    if only or one != two:
        where = "first" if only and only[0] in one else "second"
        found = f"{only[0]!r} is only in the {where}" if only else "their columns differ"
        way = f"take those that both have, with {option('where')}"
        raise BadLabels(f"slices are compared one by one, and {found}: {way}.")


def _paired(p: Posterior, metric: Any, settings: tuple[float, str], margin: float | None) -> Comparison:
    """Two systems on the same items."""
    joint = p.resolve(metric)
    rows = [Row(p.system(name).resolve(metric), *settings, None, name) for name in p.evidence.systems]
    axis = sliced(p.evidence)
    overall = (
        None
        if axis is None or _share_items(p)
        else _paired(p.seeing(p.evidence.together(axis)), metric, settings, margin)
    )
    return Comparison(rows[0], rows[1], joint.difference(), p, margin, joint, overall=overall)


# -- slices of one system


def _slices(
    data: Any, rest: Sequence[Any], between: str, columns: Mapping[str, Any], prior: Any, names: Any,
    own: Mapping[str, Any],
) -> dict[str, Entered] | Entered:  # fmt: skip
    """The posterior of each slice by its name; of all where they share clusters."""
    from howsure.io.entrance import evidence

    if any(x is not None for x in rest):
        raise BadSetting(f"{option('between')} compares slices of one system; give one set of data and its columns.")
    given = tuple(names) if isinstance(names, (list, tuple)) else ()
    if is_made(data):
        start = entered("compare", data, None, columns, prior=prior, **own)
        p = start.posterior
        if len(p.evidence.systems) > 1 and p.evidence.describe().get("clusters"):  # slices that share clusters
            return start
        k = next((k for k, (name, _) in enumerate(p.evidence.batch) if name == between), None)
        if k is None or len(p.evidence.shape) > 1 or len(p.evidence.systems) > 1:
            raise BadSetting(f"{option('between')} needs one system in slices of {between!r}; got {p.evidence!r}.")
        found: Any = {str(x): p.evidence.together(k, [i]) for i, x in enumerate(p.evidence.batch[k][1])}
        made = {name: replace(start, posterior=p.seeing(x)) for name, x in found.items()}
    else:
        if not isinstance(data, Mapping) or not all(is_made(x) for x in data.values()):
            taken = wanted("compare", Data(most=1))
            data = evidence(data, wanted=taken, between=between, names=given or None, **columns)
        if not isinstance(data, Mapping):
            return entered("compare", data, None, {}, prior=prior, **own)
        made = {str(name): entered("compare", x, None, {}, prior=prior, **own) for name, x in data.items()}
    places(given, tuple(made))
    return {name: made[name] for name in given or made}


def _leader_first(every: dict[str, Posterior], metrics: Any) -> dict[str, Posterior]:
    """Two slices in the order of their scores; more as they are."""
    (one, a), *others = every.items()
    if len(others) != 1:
        return every
    ((two, b),) = others
    given = a.default_metric if metrics is None else metrics
    found = a.spelled_out(given if isinstance(given, (list, tuple)) else [given])[0]
    x, y = a.resolve(found), b.resolve(found)
    behind = {"higher": x.score < y.score, "lower": x.score > y.score, None: False}[x.metric.better]
    return {two: b, one: a} if behind else every


def _between(
    every: Mapping[str, Posterior], column: str, metric: Any, settings: tuple[float, str], margin: float | None
) -> Comparison:
    """Two slices; of more those that are furthest apart."""
    from howsure.verbs.largest_gap import PooledSlices

    questions = {name: p.resolve(metric) for name, p in every.items()}
    listed, asked = list(every), list(questions.values())
    for other in asked[1:]:
        asked[0].matches(other)
    if len(listed) == 2:
        one, two = every.values()
        found = _apart((one, two), (listed[0], listed[1]), metric, settings, margin, None)
        return replace(found, slices_of=column)
    together = PooledSlices(tuple(asked))
    first, second = together.furthest[::-1] if asked[0].metric.better == "lower" else together.furthest
    rows = [Row(asked[k], *settings, None, listed[k]) for k in (first, second)]
    gap = together.gap(first, second)
    return Comparison(rows[0], rows[1], gap, every[listed[first]], margin, slices_of=column, pooled=together)


def _share_items(p: Posterior) -> bool:
    """Whether slices share items: then they add up to no sample, and nothing is said of all items."""
    return any(n.code == SHARED_ITEMS for n in p.evidence.notes)


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    a, b = result["data"]["systems"]
    unlike = [
        r for r in rows if "between" in result["data"] and (r["first"]["system"], r["second"]["system"]) != (a, b)
    ]
    sliced, wins = col.slices(rows), any("wins" in r["first"] for r in rows)
    moments = [
        TableColumn(k, f"{k} {of}difference", partial(of_difference, key=k), shown=False, leaves=leaves)
        for k, of, leaves in (("mean", "", 5), ("median", "", 4), ("std", "of the ", 2))
    ]
    columns = [
        *sliced,
        TableColumn("metric", "metric", lambda r: str(r["first"].get("asked") or r["metric"]), "words"),
        *([TableColumn("slices", "slices", _of_slices, "words")] if unlike else []),
        *([] if wins else [replace(col.items(result, shown=bool(sliced)), cell=_n_of_pair)]),
        TableColumn("first", a, lambda r: sides(r)[0]),
        TableColumn("second", b, lambda r: sides(r)[1]),
        TableColumn("difference", "difference of win rates" if wins else "difference", lambda r: sides(r)[2]),
        *moments,
        TableColumn("interval", col.level_of(result), interval_of_difference, "interval"),
        TableColumn("better", f"P({a} better)", p_better, "probability"),
    ]
    if any(r["p_equal"] is not None for r in rows):
        title = f"P(within {rows[0]['equal_within']:g})"
        columns.append(TableColumn("equal", title, _p_equal, "probability"))
    return [*columns, col.route()]


def _of_slices(row: dict[str, Any]) -> str:
    return f"{row['first']['system']}, {row['second']['system']}"


def _n_of_pair(row: dict[str, Any]) -> str:
    one, two = (count(row[side]["n"]) for side in ("first", "second"))
    return one if one == two else f"{one}, {two}"


def sides(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return both scores and their difference, which add up as they are shown."""
    one, two, gap = row["first"], row["second"], row["difference"].get("score")
    if "wins" in one:
        ends = row["difference"]
        return count(one["wins"]), count(two["wins"]), short(gap, width=width_of(ends["low"], ends["high"]))
    if one["score"] is None or two["score"] is None:
        a, b = col.value(one, "score", "undefined"), col.value(two, "score", "undefined")
        apart = {("infinite", b): "infinite", (a, "infinite"): "-infinite"}
        return a, b, "undefined" if a == b or "undefined" in (a, b) else apart[a, b]
    return beside(one["score"], two["score"])


def of_difference(row: dict[str, Any], key: str) -> str:
    """Return a number of the difference."""
    gap, error = row["difference"], row["error"]
    return short(gap[key], error=error.get(key, error["value"]), width=width_of(gap["low"], gap["high"], gap[key]))


def interval_of_difference(row: dict[str, Any]) -> str:
    """Return the interval of the difference."""
    gap, error = row["difference"], row["error"]
    left, right = (error.get(key, error["value"]) for key in ("low", "high"))
    low, high = ends(gap["low"], gap["high"], errors=(left, right))
    if (gap["low"] is None) != (gap["high"] is None):  # an end beyond all numbers; without both it is undefined
        low, high = "-infinite" if gap["low"] is None else low, "infinite" if gap["high"] is None else high
    return f"[{low}, {high}]"


def p_better(row: dict[str, Any]) -> str:
    """Return the probability that the first is better."""
    return probability(row["p_better"], row["error"]["probability"], rest=row["p_worse"])


def _p_equal(row: dict[str, Any]) -> str:
    return probability(row["p_equal"], row["error"].get("equal", row["error"]["probability"]))


def _title(_result: ResultDict, systems: list[str]) -> str:
    return f"Is {systems[0]} better than {systems[1]}?"


def _typed(given: DataGiven, *, wins: str | None = None, **keywords: Any) -> Result:
    """The command: items won in place of data, and systems of a column in the order of their scores."""
    if wins is not None:
        first, second, same = win_counts(wins)
        return compare_wins(first, second, same, names=_named(given.names or None), **keywords)
    run: Any = compare  # its overloads take no mapping of keywords
    if "between" in keywords:
        slices = given.reading(between=keywords["between"])
        return run(slices.evidence(), names=given.names or None, **keywords)  # type: ignore[no-any-return]
    found: Any = given.evidence()
    if "system" not in given.columns or given.names:
        return run(found, **keywords)  # type: ignore[no-any-return]
    own = {k: keywords.pop(k) for k in ("prior", "tolerance", "seed") if k in keywords}
    p = entered("compare", found, None, {}, **own).posterior
    return run(p, *leader_first(p, keywords.get("metrics")), **keywords)  # type: ignore[no-any-return]


VERB: Final = Verb(
    compare,
    help="""Give two columns of one file (--pred a --pred b), or two files, a system each; items are joined by id or
    --on. Columns with the usual names (truth or label, pred, passed, ...) are found.

    A system "is better" from P(better) = 1 - (1 - level)/2 on, 0.975 at 95%: the equal-tailed interval of the
    difference then excludes 0. From 0.9 on it "is probably better". howsure plan aims at the same.""",
    data=Data(least=2, most=2, tables="several"),
    table={
        "wins": Option(
            "Items won by the first, by the second, and ties.",
            metavar="17,4,3278",
            group="Instead of FILE",
            alone=("metrics", "prior", "tolerance", "seed", "sort"),
        ),
        "between": Option(metavar="COLUMN", group="Columns of FILE"),
        "sort": sorting("difference"),
        "method": None,
        "draws": None,
    },
    typed=_typed,
    kinds=(
        ResultKind(
            "compare",
            _columns,
            bars="difference",
            charts=later("charts.systems:compare"),
            title=_title,
            answers=later("report.opening:pairs"),
            clusters=True,
        ),
    ),
    question=WebQuestion(("pair", "items", "wins"), example={"wins": {"first": 17, "second": 4, "same": 3278}}),
    examples=(
        f"{EXAMPLE} --pred logistic --pred tree",
        "examples/neighbours.jsonl examples/logistic.jsonl --outcome passed --cluster question",
        "--wins 17,4,3278",
    ),
)
