"""Settings as plain Python, whichever library their type is of: numbers, whole numbers, True or False."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from howsure.errors import BadSetting, UnknownName, listing, nearest
from howsure.language import option


def finite(x: Any) -> float:
    """One number as a double; NaN for what is none, or is infinite, or beyond any double.

    A shorter float is the number that it is written as: 0.9 of 32 bits is 0.9, not 0.8999999762.

    >>> finite(3), finite(True), finite("3"), finite(10**400), finite(np.float32(0.9))
    (3.0, nan, nan, nan, 0.9)
    """
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        return math.nan
    try:
        found = float(x) if isinstance(x, (int, float, np.integer)) else float(str(x))
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def integer(x: Any) -> int | None:
    """One whole number; None for what is none, floats among them.

    >>> integer(np.int64(3)), integer(True), integer(3.0)
    (3, None, None)
    """
    return None if isinstance(x, bool) or not isinstance(x, (int, np.integer)) else int(x)


def whole_from(x: Any, what: str, least: int) -> int:
    """A whole number from the least one on, or one sentence about what it is not.

    >>> whole_from(np.int64(5), "seed", 0)
    5
    """
    found = integer(x)
    if found is None or found < least:
        raise BadSetting(f"{what} must be a whole number, {least} or more; got {x!r}.")
    return found


def decisive(level: float) -> float:
    """P(better) from which on a system is called better: then the equal-tailed interval of the level excludes 0.

    >>> decisive(0.95), decisive(0.9)
    (0.975, 0.95)
    """
    return round(0.5 + level / 2.0, 12)


def flag(x: Any, name: str) -> bool:
    """True or False, for nothing else is: 'no' would be taken for yes.

    >>> flag(np.True_, "chance")
    True
    """
    if not isinstance(x, (bool, np.bool_)):
        raise BadSetting(f"{option(name)} takes True or False; got {x!r}.")
    return bool(x)


def plain(x: Any) -> Any:
    """The same, but for a number of numpy's, which is one of Python's.

    >>> plain(np.float32(0.8)), plain(np.int64(3)), plain("0.80")
    (0.8, 3, '0.80')
    """
    if isinstance(x, np.floating):
        return float(str(x))
    return x.item() if isinstance(x, np.generic) else x


def several(
    x: Any, name: str, need: str, alone: type | tuple[type, ...] = (), otherwise: str = "for the usual ones"
) -> list[Any]:
    """One thing or several, as a list; texts and what is of the types in `alone` are one.

    >>> several("f1", "metrics", "names"), several(("f1", "f2"), "metrics", "names")
    (['f1'], ['f1', 'f2'])
    """
    if isinstance(x, (str, alone)):
        return [x]
    if not isinstance(x, Iterable) or isinstance(x, (bytes, bytearray, Mapping)):
        raise BadSetting(f"{option(name)} must be {need}; got {x!r}.")
    found = list(x)
    if not found:
        raise BadSetting(f"{option(name)} is empty; leave it out {otherwise}.")
    return found


# -- metric= and metrics=, which mean the same in every verb


def metrics_given(
    metric: Any,
    metrics: Any,
    otherwise: str = "for the usual one",
    need: str = "names, Metrics or a list of them",
    alone: type | tuple[type, ...] = (),
) -> Any:
    """What `metric=` or `metrics=` asks for: one metric, or a list of several; None if neither is given.

    One metric is a name, or an object with a direction or of the types in `alone`.

    >>> metrics_given("f1", None), metrics_given(None, ("f1", "f2")), metrics_given(None, None)
    ('f1', ['f1', 'f2'], None)
    """
    if metric is not None and metrics is not None:
        shown = " and ".join(repr(x if isinstance(x, (str, list, tuple)) else str(x)) for x in (metric, metrics))
        raise BadSetting(f"metric= and metrics= mean the same; got {shown}. Leave out one of them.")
    name, given = ("metrics", metrics) if metric is None else ("metric", metric)
    if given is None or isinstance(given, (str, alone)) or hasattr(given, "better"):
        return given
    return several(given, name, need, (), otherwise)


def one_metric(verb: str, metric: Any, metrics: Any, need: str = "a name or a Metric") -> Any:
    """The metric of a verb that takes no more than one; None if none is given.

    >>> one_metric("plan", None, "f1"), one_metric("plan", ["f1"], None)
    ('f1', 'f1')
    """
    found = metrics_given(metric, metrics, need=need)
    if not isinstance(found, list):
        return found
    if len(found) > 1:
        shown = listing([str(x) for x in found])
        raise BadSetting(f"{verb} takes one metric; got {len(found)}: {shown}. Give {option('metric', str(found[0]))}.")
    return found[0]


# -- settings that many verbs have

AUTO: Final = "auto"  # equal-tailed, but up to the end of the range if the score is there
KINDS: Final = (AUTO, "equal-tailed", "hdi")
_LEAST_LEVELS: Final = {"hdi": 0.01}  # the density is too level about its mode for less
_LEAST_LEVEL: Final = 1e-6


def check_level(level: float, kind: str = AUTO) -> float:
    """The level, if it lies strictly between 0 and 1, and is none that nobody needs and no search finds."""
    found = finite(level)
    if not 0 < found < 1:
        hint = f" Did you mean {found / 100:g}?" if 50 <= found < 100 else ""
        raise BadSetting(f"a level lies between 0 and 1, such as 0.95; got {level!r}.{hint}")
    least = _LEAST_LEVELS.get(kind, _LEAST_LEVEL)
    if found < least:
        what = "a shortest interval" if kind == "hdi" else "an interval"
        raise BadSetting(f"{what} of level {level!r} is a point to all intents; give a level from {least:g} on.")
    return found


def check_draws(n: int) -> int:
    """The number of draws, if it is a whole number from 1 on."""
    return whole_from(n, "the number of draws", 1)


def check_seed(seed: int) -> int:
    """The seed, if it is a whole number from 0 on."""
    return whole_from(seed, "seed", 0)


def check_kind(kind: str) -> str:
    """The kind of interval, spelled as it is known."""
    name = str(kind).strip().lower().replace("_", "-")
    if name not in KINDS:
        raise UnknownName(f"no interval kind {kind!r}.{nearest(name, KINDS)} Give 'auto', 'equal-tailed' or 'hdi'.")
    return name
