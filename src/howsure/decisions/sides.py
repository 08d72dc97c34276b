"""What a gate judges: one system, and its baseline on the same items or on others; all items, or a slice of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from howsure._compare import compare
from howsure.decisions.requirements import Requirement
from howsure.errors import BadSetting, UnknownName, listing, nearest
from howsure.evidence.slices import Slices
from howsure.messages.language import option
from howsure.posteriors.posterior import Posterior
from howsure.results.comparison import Comparison
from howsure.results.inputs import Entered, entered, is_made
from howsure.results.slices import sliced
from howsure.validate import spells

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
    from howsure.io.format import system_names
    from howsure.io.paths import is_paths

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
