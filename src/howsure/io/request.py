"""Request: what is wanted of which columns, checked once, the same for arrays, frames, files and databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest, no_column
from howsure.io.groups import Form, Grouping, Key
from howsure.messages.language import option, spelled
from howsure.validate import Label, finite, flag

Kind = Literal["classes", "label sets", "outcomes", "cuts", "scores", "values", "judged outcomes", "judged classes"]
Better = Literal["higher", "lower"]

_SHARED: Final = frozenset({"between", "cluster", "count", "independent_rows", "missing", "where"})
_JOINED: Final = frozenset({"item", "system"})
_JUDGED: Final = frozenset({"judge", "human", "between", "by", "count", "missing", "where"})
OPTIONS: Final[dict[Kind, frozenset[str]]] = {  # which options each kind takes
    "classes": _SHARED | _JOINED | {"truth", "pred", "by", "weight", "labels", "positive", "sep"},
    "label sets": _SHARED | _JOINED | {"truth", "pred", "labels", "sep"},
    "outcomes": _SHARED | _JOINED | {"outcome", "by", "weight"},
    "cuts": _SHARED | {"truth", "score", "threshold", "by", "weight", "labels", "positive"},
    "scores": _SHARED | {"truth", "score", "weight", "positive", "bins"},
    "values": _SHARED | _JOINED | {"value", "by", "weight", "bounds", "better"},
    "judged outcomes": _JUDGED,
    "judged classes": _JUDGED | {"pred", "labels", "positive"},
}
_CALLED: Final = {
    "classes": "classes", "label sets": "sets of labels", "outcomes": "outcomes", "cuts": "scores with a threshold",
    "scores": "scores", "values": "graded values", "judged outcomes": "verdicts", "judged classes": "a judge's labels",
}  # fmt: skip
_ANSWERS: Final[dict[str, Kind]] = {"pred": "classes", "outcome": "outcomes", "value": "values", "score": "scores"}
_VERDICTS: Final[dict[str, Kind]] = {**_ANSWERS, "judge": "judged outcomes"}
_OTHERS: Final = (("pred", "label sets"), ("score", "cuts"), ("pred", "judged classes"))
_ONE: Final = (
    "truth",
    "between",
    "cluster",
    "weight",
    "count",
    "system",
    "sep",
)  # roles of one column; sep is one text as well
_SEVERAL: Final = ("by", "item")  # roles that may have several columns
_GROUPED: Final = {  # roles whose values are grouped by as they are, and the names of their keys
    "by": "slice", "between": "between", "cluster": "cluster", "system": "system", "item": "item",
    "humans": "human", "judge": "judge",
}  # fmt: skip
MISSING: Final = ("refuse", "drop", "wrong", "bounds")
MOST_BINS: Final = 1_000_000
LARGEST: Final = 1e100  # of values and bounds: their squares stay within floating point


@dataclass(frozen=True)
class Wanted:
    """What the caller takes, beyond columns: messages suggest nothing else."""

    caller: str = ""  # as messages name it
    least: int = 1  # systems
    most: int = 12
    cuts: bool = False  # scores at a threshold
    by: bool = True  # slices


@dataclass(frozen=True)
class Request:
    """The columns by role, and how they are to be taken. Counting is one group-by of `grouping`."""

    kind: Kind
    answers: tuple[str, ...]
    truth: str | None = None
    by: tuple[str, ...] = ()
    between: str | None = None  # a column whose values are compared
    cluster: str | None = None
    weight: str | None = None
    count: str | None = None
    where: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = ()
    positive: Label | None = None
    labels: Sequence[Label] | None = None
    missing: str = "refuse"
    item: tuple[str, ...] = ()
    system: str | None = None
    sep: str | None = None
    bins: int | None = None
    better: Better | None = "higher"
    bounds: tuple[float, float] | None = None
    judge: str | None = None  # the judge's labels, of items that are classified
    humans: tuple[str, ...] = ()  # human labels of a validated part, one column for each column of verdicts
    names: tuple[str, ...] = ()  # shown for the answers, where they are given
    independent_rows: bool = False  # whether the user says so
    roles: tuple[str, ...] = tuple(_ANSWERS)  # those that may hold the answers
    wanted: Wanted = Wanted()

    @property
    def systems(self) -> tuple[str, ...]:
        """What the systems are called."""
        if self.names and self.between is None:
            return self.names
        nameless = self.kind in ("scores", "values", "judged outcomes") and len(self.answers) == 1
        return ("system",) if nameless else self.answers

    @property
    def role(self) -> str:
        """The option that names the answers."""
        return next(role for role, kind in _VERDICTS.items() if self.kind == kind or (role, self.kind) in _OTHERS)

    @property
    def patterns(self) -> bool:
        """Whether some of the answers may be named by a pattern."""
        return any(is_pattern(name) for name in self.answers)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Everything that is grouped by, in its role."""
        own = ((name, as_names(getattr(self, role))) for role, name in _GROUPED.items())
        found = [Key(f"{name}{i}", x) for name, columns in own for i, x in enumerate(columns)]
        blank = self.sep is not None
        found += [Key("truth", self.truth, blank=blank)] if self.truth is not None else []
        found += [replace(self.answer(i), column=x) for i, x in enumerate(self.answers)]
        return (*found, *([Key("weight0", self.weight, "number")] if self._each_weight and self.weight else []))

    def answer(self, i: int) -> Key:
        """The key of an answer, without its column."""
        if self.kind == "cuts":
            return Key(f"answer{i}", "", "steps", self.thresholds)
        form: Form = "number" if self.kind in ("scores", "values") else "label"
        return Key(f"answer{i}", "", form, blank=self.sep is not None)

    @property
    def _each_weight(self) -> bool:
        """Values and paired items keep the weight of each item: Kish's size of a sum of weights is another one."""
        return self.kind == "values" or self.paired

    @property
    def paired(self) -> bool:
        """Whether rows of several systems are paired by item; values keep their pairs in clusters too."""
        return self.system is not None and bool(self.item) and (self.cluster is None or self.kind == "values")

    @property
    def amount(self) -> str | None:
        """The column that is added up, if any: weights or counts."""
        return self.count if self.weight is None else None if self._each_weight else self.weight

    @property
    def what(self) -> str:
        """What the amounts are."""
        return "weight" if self.weight is not None else "count"

    @property
    def grouping(self) -> Grouping:
        """The group-by that counts what is wanted."""
        return Grouping(self.keys, self.amount, (), self.where, self.missing in ("drop", "bounds"))


def as_names(given: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """None, one name or several, as a tuple."""
    return () if given is None else (given,) if isinstance(given, str) else given


def make(
    *,
    roles: Sequence[str] = tuple(_ANSWERS),
    names: Sequence[str] = (),
    missing: Any = "refuse",
    better: Any = "higher",
    **given: Any,
) -> Request:
    """A checked request from what a user gave: columns by role, and settings; options of other kinds are refused.

    `roles` are those that may hold the answers: pred, outcome, value and score.

    >>> make(truth="label", pred=["a", "b"], by="region").grouping.columns
    ('region', 'label', 'a', 'b')
    """
    asked = {name: x for name, x in given.items() if x is not None}
    role, found = _kind(asked, roles)
    _refuse_strays(found, asked, better)
    answers = column_names(asked[role], role)
    columns: dict[str, Any] = {role: one_name(asked, role) for role in _ONE}
    columns |= {role: column_names(asked[role], role) for role in _SEVERAL if role in asked}
    request = Request(
        kind=found,
        answers=answers,
        where=conditions_given(asked.get("where")),
        thresholds=_thresholds(asked.get("threshold")),
        positive=asked.get("positive"),
        labels=asked.get("labels"),
        missing=check_missing(missing, found),
        bins=_bins(asked.get("bins")),
        better=better,
        bounds=check_bounds(asked.get("bounds")),
        independent_rows=flag(asked.get("independent_rows", False), "independent_rows"),
        **columns,
        **_judging(asked, found, len(answers)),
    )
    if request.paired and request.count is not None:
        raise BadSetting(f"with one row per item and system, leave out {option('count')}.")
    return named(check_answers(request), names)


def is_pattern(name: str) -> bool:
    """Whether a name may stand for several columns.

    >>> is_pattern("model_*"), is_pattern("model_a")
    (True, False)
    """
    return any(sign in name for sign in "*?[")


def check_answers(request: Request) -> Request:
    """The same, once it has as many columns of answers as it takes."""
    many = len(request.answers)
    if request.system is not None and many != 1:
        raise BadSetting(f"with {option('system')} give {option(request.role)} one column; got {many}.")
    if request.between is not None and many != 1:
        told = f"{option('between')} compares slices of one system"
        raise BadSetting(f"{told}: give one {option(request.role)}; got {many}.")
    if request.kind == "cuts" and many != 1:
        told, at = f"{option('score')} with {option('threshold')} needs one column", f"f1@{request.thresholds[0]:g}"
        way = spelled(f"compare them with metric='{at}'", f"give --metric {at}")
        raise BadSetting(f"{told}; for several, on the same items, {way} and leave out {option('threshold')}.")
    return request


def named(request: Request, names: Sequence[str]) -> Request:
    """The same with other names for its systems, one for each; of systems that the data name, those to take."""
    found = replace(request, names=tuple(str(x) for x in names))
    if request.system is None and request.between is None and not request.patterns:
        return check_names(found)
    if len(set(found.names)) < len(found.names):
        raise BadSetting(f"systems need different names; got {listing(found.names)}.")
    return found


def check_names(request: Request) -> Request:
    """The same, once its names are one for each system, all different."""
    many, shown = len(request.answers), request.names
    if shown and (len(shown) != many or len(set(shown)) != len(shown)):
        raise BadSetting(f"give one different name per system, {many} here; got {listing(shown)}.")
    return request


def _kind(asked: dict[str, Any], roles: Sequence[str]) -> tuple[str, Kind]:
    """Which column holds the answers, and what they are."""
    given = [role for role in _ANSWERS if role in asked]
    if "judge" in asked or "human" in asked:
        return _judged_kind(asked, given)
    if len(given) != 1 or given[0] not in roles:
        got, wanted = " and ".join(option(x) for x in given) or "none", [option(x) for x in roles]
        if len(wanted) == 1 and not given:
            raise BadSetting(f"{wanted[0]} is needed: the name of a column.")
        need = wanted[0] if len(wanted) == 1 else f"one of {', '.join(wanted[:-1])} and {wanted[-1]}"
        raise BadSetting(f"give {need}; got {got}.")
    (role,) = given
    found: Kind = "cuts" if role == "score" and "threshold" in asked else _ANSWERS[role]
    if found in ("classes", "scores", "cuts") and "truth" not in asked:
        raise BadSetting(f"{option(role)} needs {option('truth')}, the column of the right answers.")
    return role, found


def _judged_kind(asked: dict[str, Any], given: Sequence[str]) -> tuple[str, Kind]:
    """A judge's verdicts on outputs, or its labels of items that systems classify."""
    if "judge" not in asked or "human" not in asked:
        raise BadSetting(f"give both {option('judge')}, labels of all items, and {option('human')}, those of people.")
    if "truth" in asked:
        raise BadSetting(f"{option('human')} is the truth of judged items: leave out {option('truth')}.")
    if given not in ([], ["pred"]):
        raise BadSetting(f"a judge goes with {option('pred')} or alone: leave out {option(given[-1])}.")
    return ("pred", "judged classes") if given else ("judge", "judged outcomes")


def _judging(asked: dict[str, Any], kind: Kind, systems: int) -> dict[str, Any]:
    """The column of the judge's labels, where systems answer, and those of human labels."""
    humans = column_names(asked["human"], "human") if "human" in asked else ()
    if not humans:
        return {}
    if kind == "judged outcomes":
        if len(humans) != systems:
            pair = f"{option('human')} per column of {option('judge')}"
            raise BadSetting(f"give one column of {pair}; got {len(humans)}.")
        return {"humans": humans}
    (judge, *others) = column_names(asked["judge"], "judge")
    if others or len(humans) != 1:
        raise BadSetting(f"with {option('pred')} give {option('judge')} and {option('human')} one column each.")
    return {"judge": judge, "humans": humans}


def _refuse_strays(kind: Kind, asked: dict[str, Any], better: Any) -> None:
    """Options that the kind does not take, and those that do not go together."""
    if kind == "outcomes" and not {"truth", "positive", "labels"}.isdisjoint(asked):
        told = f"{option('truth')}, {option('positive')} and {option('labels')}"
        raise BadSetting(f"outcomes have no classes: leave out {told}.")
    if "threshold" in asked and "score" not in asked:
        raise BadSetting(f"{option('threshold')} needs {option('score')}, the column it cuts.")
    torn = next((x for x in ("by", "between", "weight", "positive") if x in asked), None)
    if kind == "classes" and "sep" in asked and torn is not None:
        raise BadSetting(f"{option('sep')} makes sets of labels, which cannot be combined with {option(torn)}.")
    strays = [x for x in asked if x not in OPTIONS[kind]]
    if better != "higher" and "better" not in OPTIONS[kind]:
        strays.append("better")
    if strays:
        refuse_stray(kind, strays[0])
    if better not in ("higher", "lower", None):
        raise BadSetting(f"{option('better')} is 'higher', 'lower' or None; got {better!r}.")
    if "weight" in asked and "count" in asked:
        raise BadSetting(f"give {option('weight')} or {option('count')}, not both.")
    if "count" in asked and "item" in asked and ("system" in asked or kind == "values"):
        raise BadSetting(f"with {option('item')} every row is one item: leave out {option('count')}.")
    if asked.get("independent_rows") and "cluster" in asked:
        raise BadSetting(f"give {option('cluster')} or {option('independent_rows')}, not both.")
    if "between" in asked and (stray := next((x for x in ("by", "system") if x in asked), None)):
        raise BadSetting(f"{option('between')} compares slices of one system: leave out {option(stray)}.")
    if "system" in asked and "item" not in asked and "cluster" not in asked:
        told = f"{option('item')}, the column that says which rows are the same item"
        raise BadSetting(f"{option('system')} also needs {told}, or {option('cluster')}.")


def refuse_stray(kind: Kind, name: str) -> None:
    """One sentence about an option that a kind does not take."""
    way = f"; take one slice with {option('where')}" if name == "by" else ""
    raise BadSetting(f"for {_CALLED[kind]} leave out {option(name)}{way}.")


def one_name(asked: dict[str, Any], role: str) -> str | None:
    """The one name that was given for a role, if any."""
    if role not in asked:
        return None
    if not isinstance(asked[role], str):
        what = "a text" if role == "sep" else "the name of a column"
        raise BadSetting(f"{option(role)} must be {what}; got {_short(asked[role])}.")
    if not asked[role]:
        raise BadSetting(f"{option(role)} is empty; give it a value or leave it out.")
    return str(asked[role])


def column_names(given: Any, role: str) -> tuple[str, ...]:
    """One name of a column, or several, all different."""
    found = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (given,)
    if not found:
        raise BadSetting(f"{option(role)} is empty; name a column or leave it out.")
    for name in found:
        if not isinstance(name, str):
            raise BadSetting(f"{option(role)} must be the name of a column; got {_short(name)}.")
        if found.count(name) > 1:
            raise BadSetting(f"{option(role)} names column {name!r} twice.")
    return found


def _short(x: Any) -> str:
    """A number as it is, anything larger by its type."""
    return repr(x) if isinstance(x, (int, float)) else type(x).__name__


def conditions_given(where: Any) -> tuple[str, ...]:
    """Conditions on rows, as texts; a list of none was meant to hold some."""
    found = () if where is None else (where,) if isinstance(where, str) else where
    if not isinstance(found, (list, tuple)) or not all(isinstance(x, str) for x in found):
        raise BadSetting(f"{option('where')} must be a condition such as 'region=north', or a list; got {where!r}.")
    if where is not None and not found:
        raise BadSetting(f"{option('where')} is empty; give a condition such as 'region=north', or leave it out.")
    return tuple(found)


def check_missing(missing: Any, kind: Kind = "classes") -> str:
    """One of refuse and drop; and of wrong, where an answer can be."""
    bounded, wrong = kind in ("outcomes", "values"), kind in ("classes", "outcomes", "cuts")
    known = [*MISSING[:2], *(["wrong"] if wrong else []), *(["bounds"] if bounded else [])]
    if not isinstance(missing, str) or missing not in known:
        told = " or ".join((", ".join(repr(x) for x in known[:-1]), repr(known[-1])))
        here = " here" if isinstance(missing, str) and missing in MISSING else ""
        given = f"{option('missing', missing)} is not known{here}"
        raise UnknownName(f"{given}.{nearest(str(missing), known)} Give {told}.")
    return str(missing)


def _thresholds(threshold: Any) -> tuple[float, ...]:
    if threshold is None:
        return ()
    found = np.atleast_1d(np.asarray(threshold, dtype=object)).ravel().tolist()
    for x in found:
        if finite(x) != finite(x):  # NaN: no finite number
            raise BadSetting(f"a threshold must be a finite number; got {x!r}.")
    if not found or len(set(found)) != len(found):
        raise BadSetting(f"thresholds must be one or more different numbers; got {listing(map(float, found))}.")
    return tuple(float(x) for x in found)


def _bins(bins: Any) -> int | None:
    if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int) or not 2 <= bins <= MOST_BINS):
        raise BadSetting(f"{option('bins')} must be a whole number from 2 to {MOST_BINS:,}; got {bins!r}.")
    return bins


def check_bounds(bounds: Any) -> tuple[float, float] | None:
    """Two numbers, or None."""
    if bounds is None:
        return None
    try:
        low, high = (float(x) for x in bounds)
    except (TypeError, ValueError, OverflowError):
        low, high = 0.0, 0.0
    if not -np.inf < low < high < np.inf:
        raise BadSetting(f"bounds must be two finite numbers, the lower first, such as (0, 1); got {bounds!r}.")
    if max(-low, high) > LARGEST:
        raise BadSetting(f"bounds must lie between {-LARGEST:g} and {LARGEST:g}; got {bounds!r}.")
    return low, high


def check_column(column: str, names: Sequence[str], where: str) -> None:
    """One column that must be there, once."""
    if names.count(column) > 1:
        raise BadLabels(f"column {column!r} of {where} is named twice; every column that is read needs its own name.")
    if column not in names:
        raise no_column(column, names, where)
