"""compare: two pieces of evidence, or two systems on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np

from howsure.columns import ColumnsAndTarget
from howsure.comparison import independent
from howsure.comparison.result import Comparison
from howsure.comparison.several import Many, One, Several, each_measure
from howsure.comparison.wins import check_margin
from howsure.entering import Entered, entered, is_made
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.estimators import answered, are_estimators
from howsure.labels import places
from howsure.language import option
from howsure.model.posterior import Posterior
from howsure.notes import SHARED_ITEMS
from howsure.rows import Row
from howsure.settings import check_kind, check_level, integer, metrics_given
from howsure.slice_order import SORTS_OF_PAIRS, check_sort, sliced

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
    **columns: Unpack[ColumnsAndTarget],
) -> Comparison | Several:
    """Is the first better than the second?

    Independent tests: compare(ta, tb). The same items: compare(joint, "a", "b"), compare(y, {"a": za, "b": zb}), or the
    columns of a frame, a file or a database: compare(frame, truth="label", pred=["a", "b"]). Fitted estimators are
    asked for their answers: compare({"a": one, "b": two}, X, y). `metric` and `metrics` mean the same: a name gives one
    comparison, a list several, and ["f1:*"] one for each class. method="sample" is that of Goutte & Gaussier: the share
    of `draws` (10,000) draws. Settings that are not given are those of a curve or posterior that is, else the usual
    ones. Slices (`by=`) are listed from those where the first is most surely worse on (`sort`: worse, better, name, n
    or difference), after a row of all items. Of two systems in a column (`system=`) the one with the better score is
    the first, unless you name them. The verdict is "is better" from P(better) = 1 - (1 - level)/2 on (.975 at 95%: the
    equal-tailed interval of the difference excludes 0) and "is probably better" from .9 on.

    >>> from howsure.evidence.classes import Tally
    >>> a = Tally.binary(tp=3, fp=2, fn=0, tn=0)
    >>> b = Tally.binary(tp=10, fp=10, fn=0, tn=0)
    >>> round(compare(a, b, metric="precision").p_better, 12)
    0.652222372209
    """
    margin, drawn, told = check_margin(equal_within), _drawn(method, draws), dict(columns)
    asked = metrics_given(metric, metrics)
    if not is_made(first) and are_estimators(first):
        first, second, told = answered("compare", first, second, third, columns, asked)
        third = None
    own: dict[str, Any] = {"tolerance": tolerance, "seed": seed}
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
    if not made and answers is None and not columns:
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
    from howsure.ingest.frames import is_frame

    if is_frame(x):
        apart = "of different items give hs.tally(a, truth=..., pred=...) and the same of b"
        raise BadSetting(f"two frames are compared as tallies: {apart}; of the same items merge them, with pred=[...].")


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
    return Comparison(rows[0], rows[1], independent.gap(one, two, draws), both[0], margin, overall=overall)


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


def _share_items(p: Posterior) -> bool:
    """Whether slices share items: then they add up to no sample, and nothing is said of all items."""
    return any(n.code == SHARED_ITEMS for n in p.evidence.notes)
