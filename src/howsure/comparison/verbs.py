"""compare: two tallies, or two systems of one joint tally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.catalogue import Metric
from howsure.comparison import independent, paired
from howsure.comparison.result import Comparison, Side, check_margin, direction_note
from howsure.distribution import Note, check_kind, check_level
from howsure.document import Measure, Notes, Source
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.items import Items
from howsure.labels import places
from howsure.model import Known, Posterior, posterior
from howsure.render.numbers import probability
from howsure.scored import Scored, scored_of
from howsure.table import Tally


def compare(
    first: Any,
    second: Any = None,
    third: Any = None,
    *,
    metric: str | Metric | None = None,
    equal_within: float | None = None,
    prior: Any = "even",
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    interval: str = "equal-tailed",
    method: str = "exact",
    draws: int = 10_000,
    positive: Any = None,
    tolerance: float = 0.02,
    seed: int = 0,
) -> Comparison:
    """Is the first better than the second?

    Independent tests: compare(ta, tb). The same items: compare(joint, "a", "b"), or compare(y, {"a": za, "b": zb}).
    method="sample" is Goutte & Gaussier's own: the share of `draws` draws.

    >>> a = Tally.binary(tp=3, fp=2, fn=0, tn=0)
    >>> b = Tally.binary(tp=10, fp=10, fn=0, tn=0)
    >>> round(compare(a, b, metric="precision").p_better, 12)
    0.652222372209
    """
    check_level(level)
    settings = {"level": level, "interval": check_kind(interval), "equal_within": check_margin(equal_within)}
    if method not in ("exact", "sample"):
        raise UnknownName(f"no method {method!r}.{nearest(str(method), ('exact', 'sample'))} Give 'exact' or 'sample'.")
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 100:
        raise BadSetting(f"draws must be a whole number, 100 or more; got {draws!r}.")
    own: dict[str, Any] = {"tolerance": tolerance, "seed": seed}
    first, second = scored_of(first), scored_of(second)
    if isinstance(first, KINDS) and isinstance(second, KINDS):
        if third is not None:
            raise BadSetting("compare takes two tallies; for three and more use leaderboard.")
        if type(first) is not type(second):
            raise BadSetting("a tally of classes, graded items and scores cannot be compared; give two of one kind.")
        one, two = (of_class(t, positive) for t in (first, second))
        return _independent((one, two), names, metric, prior, settings, own, draws if method == "sample" else None)
    joint, a, b = _joint(first, second, third, positive)
    if method == "sample":
        raise BadSetting("method='sample' is for systems tested on different items; these have the same items.")
    if names != ("first", "second"):
        raise BadSetting(f"names= is for two tallies; the systems of these items have names: {a!r} and {b!r}.")
    return _paired(joint, a, b, metric, prior, settings, own)


KINDS = (Tally, Items, Scored)


def of_class(data: Any, positive: Any) -> Any:
    """The data, with the positive class that was asked for."""
    if positive is None:
        return data
    if isinstance(data, Scored):
        raise BadSetting("positive= belongs to the making of the curve; this one is made already.")
    if isinstance(data, Items):
        raise BadSetting("graded values have no positive class.")
    return data.with_positive(positive)


def _joint(first: Any, second: Any, third: Any, positive: Any) -> tuple[Source, str, str]:
    """One joint tally (or the items of several systems) and the names of the two systems."""
    joint: Source
    if isinstance(first, KINDS):
        joint, asked = first, [x for x in (second, third) if x is not None]
    elif isinstance(second, Mapping):
        from howsure.ingest.arrays import tally

        joint, asked = tally(first, second, positive=positive), [] if third is None else list(third)
    else:
        raise BadSetting("compare needs two tallies, a joint tally with two names, or truths and {name: predictions}.")
    joint = of_class(joint, positive)
    places(asked, joint.systems)
    if not asked and len(joint.systems) > 2:
        raise BadSetting(
            f"compare takes two systems; this data has {len(joint.systems)}: name two, or use leaderboard."
        )
    chosen = asked or list(joint.systems)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise BadSetting(f"compare needs two different systems; got {listing(chosen)}.")
    if isinstance(joint, (Items, Scored)):
        return joint.chosen(*chosen), chosen[0], chosen[1]
    at = [0, *(joint.systems.index(x) + 1 for x in chosen)]
    two = Tally(
        joint.cells[:, at], joint.counts, joint.labels, tuple(chosen), joint.positive, joint.batch, joint.squares,
        joint.outcome, joint.notes, joint.fixed, joint.chosen, joint.sets, joint.independent,
    )  # fmt: skip
    return two._tidy(), chosen[0], chosen[1]


def default_metric(t: Source) -> str:
    """f1 for a positive class, macro-f1 for many, rate for outcomes, the mean of graded values, auc of scores."""
    if isinstance(t, Scored):
        return "auc"
    if isinstance(t, Items):
        return t.measure.name
    if t.outcome:
        return "rate"
    return "f1" if t.positive is not None else "macro-f1" if len(t.labels) > 1 else "accuracy"


def _independent(
    tallies: tuple[Any, Any],
    names: Any,
    metric: Any,
    prior: Any,
    settings: dict[str, Any],
    own: dict[str, Any],
    draws: int | None,
) -> Comparison:
    a, b = _names(names)
    both = prior if isinstance(prior, tuple) and len(prior) == 2 else (prior, prior)
    laws: list[Known] = [posterior(t, w, **own) for t, w in zip(tallies, both, strict=True)]
    m = laws[0].measure(metric if metric is not None else default_metric(tallies[0]))
    sides = tuple(_side(n, p, m, settings) for n, p in zip((a, b), laws, strict=True))
    _same_classes(tallies, laws, m)
    try:
        np.broadcast_shapes(tallies[0].shape, tallies[1].shape)
    except ValueError:
        raise BadLabels(f"the batches do not match: shapes {tallies[0].shape} and {tallies[1].shape}.") from None
    found = independent.outcome(sides[0].distribution, sides[1].distribution, own["tolerance"], own["seed"], draws)
    return _result(m, sides, False, found, settings, direction_note(m))


def _same_classes(tallies: tuple[Any, Any], laws: list[Known], m: Measure) -> None:
    """Refuse to compare measures of different classes."""
    one, two = tallies
    if isinstance(one, Scored):
        if one.positive != two.positive:
            raise BadLabels(f"the positive classes differ: {one.positive!r} and {two.positive!r}; give both the same.")
        return
    if isinstance(one, Items) or one.outcome != two.outcome:
        if not isinstance(one, Items):
            raise BadLabels("a tally of outcomes and a tally of classes cannot be compared.")
        return
    first, second = set(one.labels), set(two.labels)
    numbers = {0, 1}  # four counts have no names of their own
    if first == second or one.outcome or (numbers in (first, second) and len(first) == len(second) == 2):
        return
    whole = isinstance(laws[0], Posterior) and isinstance(m, Metric) and laws[0].view(m).kind == "classes"
    if whole or one.positive != two.positive:
        here, there = (listing(sorted(map(str, x))) for x in (first - second or first, second - first or second))
        raise BadLabels(
            f"the two tallies have different classes: {here} in the first, {there} in the second; "
            "give both the same labels=."
        )


def _names(names: Any) -> tuple[str, str]:
    given = () if isinstance(names, str) else tuple(str(x) for x in names)
    if len(set(given)) != 2 or len(given) != 2:
        raise BadSetting(f"names takes two different names; got {names!r}.")
    return given[0], given[1]


def _side(name: str, p: Known, metric: Measure, settings: dict[str, Any]) -> Side:
    return Side(name, p, metric, settings["level"], settings["interval"])


def _paired(
    joint: Any, a: str, b: str, metric: Any, prior: Any, settings: dict[str, Any], own: dict[str, Any]
) -> Comparison:
    p: Known = posterior(joint, prior, **own)
    m = p.measure(metric if metric is not None else default_metric(joint))
    sides = tuple(_side(name, p.system(name), m, settings) for name in (a, b))
    found = paired.outcome(p, m, own["tolerance"], own["seed"])
    result = _result(m, sides, True, found, settings, direction_note(m))
    return replace(result, joint=p, gain=lambda: _gain(m, sides, found, own))


def _gain(m: Measure, sides: tuple[Side, ...], found: tuple[Any, ...], own: dict[str, Any]) -> Notes:
    """What pairing told: the probability as if the systems had been tested on different items."""
    if np.ndim(found[0]) or m.better is None:
        return ()
    apart = independent.chances(sides[0].distribution, sides[1].distribution, own["tolerance"], own["seed"])
    at = 0 if m.better == "higher" else 1
    here, there = (probability(x) for x in ((found[0], apart[0]), (found[1], apart[1]))[at])
    text = f"the same items: {here}; as if tested on different items it would be {there}"
    return (Note("pairing", text),)


def _result(
    m: Measure,
    sides: tuple[Side, ...],
    paired_: bool,
    found: tuple[Any, ...],
    settings: dict[str, Any],
    notes: Notes,
) -> Comparison:
    above, below, difference, route, error, between = found
    notes = (*notes, *difference.notes)
    return Comparison(
        m, sides[0], sides[1], paired_, above, below, difference, route, error,
        settings["level"], settings["interval"], settings["equal_within"], between, notes,
    )  # fmt: skip
