"""Several systems tested on the same items: their tables share n and the margin of truths, and wins link them.

Wins of a over b are items that a alone gets right; so the errors of b less those of a are the wins of a less those of
b, and the wins must find room among the positives and the negatives of both tables. Goutte & Gaussier's Tables 1 and 2
give back the counts behind them in this way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np

from howsure.catalogue.expressions import CELLS
from howsure.errors import BadCounts, BadSetting
from howsure.evidence.protocol import number
from howsure.messages.language import option
from howsure.messages.notes import note
from howsure.relations.integers import Found, whole_tables
from howsure.relations.quantities import quantity
from howsure.relations.region import Outcome
from howsure.relations.solution import CellCounts, Solution
from howsure.relations.values import Given, givens
from howsure.results.result import Result, envelope, real
from howsure.validate import places

Choice = tuple[tuple[int, ...], ...]
_SHARED: Final = ("n", "positives", "negatives", "prevalence")
_INCOMPLETE: Final = note("incomplete", form="solutions")


@dataclass(frozen=True)
class Link:
    """Items that one of two systems alone gets right; `same` where it is given."""

    first: str
    second: str
    only_first: int
    only_second: int
    same: int | None = None


@dataclass(frozen=True)
class JointSolution(Result):
    """Whole-number tables of several systems that agree with every report and with the wins."""

    given: Mapping[str, tuple[Given, ...]]
    shared: tuple[Given, ...]
    links: tuple[Link, ...]
    choices: tuple[Choice, ...]
    complete: bool
    reason: str = ""

    @property
    def status(self) -> str:
        """unique, several or infeasible."""
        return "infeasible" if not self.choices else "unique" if len(self.choices) == 1 and self.complete else "several"

    @cached_property
    def tables(self) -> tuple[dict[str, CellCounts], ...]:
        """Every solution: the table of each system."""
        return tuple(
            {name: dict(zip(CELLS, t, strict=True)) for name, t in zip(self.given, choice, strict=True)}
            for choice in self.choices
        )

    @property
    def table(self) -> dict[str, CellCounts]:
        """The table of each system, when there is one solution."""
        if self.status != "unique":
            raise BadSetting(f"there is no single solution: {self.why}")
        return self.tables[0]

    @property
    def why(self) -> str:
        """The answer in a sentence."""
        if self.reason:
            return self.reason
        more = "" if self.complete else " or more"
        if self.status == "unique":
            return f"one set of tables of the {self._systems} has these values."
        return f"{len(self.choices):,}{more} sets of tables of the {self._systems} have these values."

    @property
    def _systems(self) -> str:
        return "system" if len(self.given) == 1 else f"{len(self.given)} systems"

    def _make(self) -> dict[str, Any]:
        rows = [
            {"solution": i, "system": name, **cells, "n": sum(cells.values()), **_metrics_of(cells)}
            for i, choice in enumerate(self.tables, 1)
            for name, cells in choice.items()
        ]
        more = () if self.complete else (_INCOMPLETE,)
        return envelope("howsure.solve/2", rows, notes=more) | {
            "status": self.status,
            "why": self.why,
            "systems": list(self.given),
            "integers": True,
            "complete": self.complete,
            "tables": [dict(choice) for choice in self.tables],
        }

    def __repr__(self) -> str:
        return f"JointSolution({self.status}: {self.why.rstrip('.')})"


def _metrics_of(cells: CellCounts) -> dict[str, float | None]:
    table = np.array([cells[c] for c in CELLS], dtype=float)
    return {name: real(quantity(name).at(table)) for name in ("f1", "precision", "recall")}


def solve_together(
    metrics: Mapping[str, Mapping[str, Any]],
    shared: tuple[Given, ...],
    wins: Mapping[tuple[str, str], tuple[int, ...]],
    most: int,
    ties: str,
) -> JointSolution:
    """The whole-number tables of several systems on the same items."""
    for one in shared:
        if one.name not in _SHARED:
            raise BadSetting(f"systems share {', '.join(_SHARED)}; give {one.name} for each system.")
    own = {name: _own(name, part, shared, ties) for name, part in metrics.items()}
    links = _links(wins, tuple(own))
    longest = (100 if links else 10) * most  # wins may single out one pair of very many
    found = {name: whole_tables((*part, *shared), longest) for name, part in own.items()}
    lists: dict[str, list[tuple[int, ...]]] = {
        name: list(map(tuple, f.tables.astype(np.int64).tolist())) for name, f in found.items()
    }
    for name, rows in lists.items():
        if not rows and not found[name].complete:
            raise BadSetting(f"the search for tables of {name} was too large; give n, a margin or more digits.")
        if not rows:
            known = (*own[name], *shared)
            why = Solution(known, Outcome(), integers=True).why
            return JointSolution(own, shared, links, (), True, f"{name}: {why}")
    return _join(own, shared, links, lists, found, most)


def _own(name: str, part: Mapping[str, Any], shared: tuple[Given, ...], ties: str) -> tuple[Given, ...]:
    """What one system reports; it may repeat what all share."""
    if not part:
        raise BadSetting(f"system {name!r} has no values: give some, such as {{'f1': '0.87'}}, or leave it out.")
    own = givens(part, None, {}, ties=ties)
    for one in own:
        for same in shared:
            if one.name == same.name and (one.low > same.high or one.high < same.low):
                raise BadSetting(f"{one.name} is {same.shown} for all systems, but {one.shown} for {name!r}.")
    return own


def _join(
    own: Mapping[str, tuple[Given, ...]],
    shared: tuple[Given, ...],
    links: tuple[Link, ...],
    lists: Mapping[str, list[tuple[int, ...]]],
    found: Mapping[str, Found],
    most: int,
) -> JointSolution:
    choices: list[Choice] = []
    complete = all(f.complete for f in found.values())
    for choice in _choices(list(lists), lists, links):
        if len(choices) == most:
            complete = False
            break
        choices.append(choice)
    if not choices and not complete:
        raise BadSetting(
            "the search was too large and found no tables that fit together; give a margin or more digits."
        )
    reason = "" if choices else _misfit(lists, links)
    return JointSolution(own, shared, links, tuple(choices), complete, reason)


def _misfit(lists: Mapping[str, list[tuple[int, ...]]], links: tuple[Link, ...]) -> str:
    """Which systems cannot go together: two by their wins, two by their margins, or more of them."""
    message = "each system alone can have these values, but "
    for x in links:
        pair = {name: lists[name] for name in (x.first, x.second)}
        if next(_choices(list(pair), pair, ()), None) is None:
            continue
        if next(_choices(list(pair), pair, (x,)), None) is None:
            return f"{message}the wins {x.only_first} and {x.only_second} of {x.first} and {x.second} do not fit them."
    for a, b in combinations(lists, 2):
        pair = {a: lists[a], b: lists[b]}
        if next(_choices([a, b], pair, ()), None) is None:
            return f"{message}{a} and {b} cannot have them on the same items: no n and positives serve both."
    return f"{message}together they cannot: the margins or the wins do not fit."


def _choices(names: list[str], lists: Mapping[str, list[tuple[int, ...]]], links: tuple[Link, ...]) -> Iterator[Choice]:
    """Tables system by system; each next one is looked up by n, positives and, where wins link it, its errors."""
    index: dict[tuple[str, bool], dict[tuple[int, ...], list[tuple[int, ...]]]] = {}

    def found(name: str, tied: bool, key: tuple[int, ...]) -> list[tuple[int, ...]]:
        if (name, tied) not in index:
            made = index[name, tied] = {}
            for t in lists[name]:
                tp, fp, fn, tn = t
                own = (tp + fp + fn + tn, tp + fn, fp + fn) if tied else (tp + fp + fn + tn, tp + fn)
                made.setdefault(own, []).append(t)
        return index[name, tied].get(key, [])

    def deeper(chosen: dict[str, tuple[int, ...]]) -> Iterator[Choice]:
        if len(chosen) == len(names):
            yield tuple(chosen[name] for name in names)
            return
        name, tied = _next(names, chosen, links)
        if not chosen:
            options = lists[name]
        else:
            base = next(iter(chosen.values()))
            key: tuple[int, ...] = (sum(base), base[0] + base[2])
            if tied:
                key = (*key, _errors(name, chosen, tied[0]))
            options = found(name, bool(tied), key)
        for t in options:
            both = {**chosen, name: t}
            if all(fits(both[x.first], both[x.second], x) for x in tied):
                yield from deeper(both)

    yield from deeper({})


def _next(names: list[str], chosen: Mapping[str, Any], links: tuple[Link, ...]) -> tuple[str, list[Link]]:
    """The next system, one with wins against those chosen if there is one, and these wins."""
    left = [name for name in names if name not in chosen]
    ties = {
        name: [x for x in links if {x.first, x.second} <= {*chosen, name} and name in (x.first, x.second)]
        for name in left
    }
    best = max(left, key=lambda name: len(ties[name]))
    return best, ties[best]


def _errors(name: str, chosen: Mapping[str, tuple[int, ...]], link: Link) -> int:
    """The errors of a system that wins tie to a chosen one."""
    gain = link.only_first - link.only_second  # errors of the second less those of the first
    if name == link.second:
        t = chosen[link.first]
        return t[1] + t[2] + gain
    t = chosen[link.second]
    return t[1] + t[2] - gain


def fits(a: tuple[int, ...], b: tuple[int, ...], link: Link) -> bool:
    """Whether a can be right alone on so many items and b on so many, some of them positive and the others not."""
    first, second = link.only_first, link.only_second
    if (b[1] + b[2]) - (a[1] + a[2]) != first - second:
        return False
    if link.same is not None and first + second + link.same != sum(a):
        return False
    gain = a[0] - b[0]  # positives that a alone gets right, less those that b alone does
    low = max(0, gain, first - min(a[3], b[1]), second + gain - min(b[3], a[1]))
    high = min(first, second + gain, a[0], b[2], min(b[0], a[2]) + gain)
    return low <= high


def _links(wins: Mapping[tuple[str, str], tuple[int, ...]], names: tuple[str, ...]) -> tuple[Link, ...]:
    if not isinstance(wins, Mapping):
        raise BadSetting(f"{option('wins')} maps a pair of systems, such as ('a', 'b'), to their wins; got {wins!r}.")
    out: dict[frozenset[str], Link] = {}
    for pair, counts in wins.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise BadSetting(
                f"{option('wins')} maps a pair of systems, such as ('a', 'b'), to their wins; got {pair!r}."
            )
        places(pair, names)
        whole = isinstance(counts, (tuple, list)) and len(counts) in (2, 3)
        if not whole or any(isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < 0 for x in counts):
            raise BadCounts(
                f"wins of {pair[0]} and {pair[1]} are two or three counts, such as (17, 4); got {counts!r}."
            )
        if frozenset(pair) in out:
            raise BadSetting(f"wins of {pair[0]} and {pair[1]} are given twice: give them once, in either order.")
        out[frozenset(pair)] = Link(*pair, *(int(number(x)) for x in counts))
    return tuple(out.values())
