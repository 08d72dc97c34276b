"""Columns that nobody named: taken by their usual names where that is clear, else asked for with a list of all columns.

What is given is never changed. Truths with predictions come first, then outcomes, then truths with scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, NoReturn

from howsure.errors import BadSetting, NoColumn, UnknownName
from howsure.ingest import conditions
from howsure.ingest.groups import Source
from howsure.ingest.guessing import USUAL, Role, guess, usual_id
from howsure.ingest.heads import MOST, ROWS, Head, listed
from howsure.ingest.request import OPTIONS, Kind
from howsure.labels import completed as completed_labels
from howsure.labels import usual_positive
from howsure.language import TYPED, again, corrected, instead, option, spelled, verb
from howsure.notes import Note, Notes, note

Named = dict[str, Any]

_NEEDS: Final[dict[str, tuple[Role, ...]]] = {  # what each kind of answers needs, in the order of preference
    "pred": ("truth", "pred"), "outcome": ("outcome",), "score": ("truth", "score"),
}  # fmt: skip
_ANSWERS: Final = ("pred", "outcome", "value", "score")
_CALLED: Final = {"truth": "the truth", "pred": "the predictions", "outcome": "the outcomes", "score": "the scores"}
_ELSEWHERE: Final = ("by", "cluster", "weight", "count", "item", "system", "on")
_SYSTEMS: Final = 12  # that a suggestion names


# -- what is lacking


def lacking(given: Mapping[str, Any], roles: Sequence[str]) -> bool:
    """Whether a column that is needed is not named; `roles` are those that answers may have."""
    named = [role for role in _ANSWERS if role in given]
    if not named:
        return True
    return len(named) == 1 and named[0] in roles and named[0] in ("pred", "score") and "truth" not in given


def lacking_ids(given: Mapping[str, Any]) -> bool:
    """Whether there is one row per item and system, and nothing says which rows are the same item."""
    return "system" in given and "item" not in given and "cluster" not in given


def with_ids(given: Named, source: Source) -> tuple[Named, Notes]:
    """The same with the one column that has a usual name of an id, if there is one, and a note that says so."""
    found = usual_id([[x for x in source.heading() if isinstance(x, str) and x not in _used(given)]])
    return (given, ()) if found is None else ({**given, "item": found}, (note("columns-guessed", on=found),))


def completed(given: Named, roles: Sequence[str], sources: Sequence[Source]) -> tuple[Named, Note]:
    """The columns by role with those that were lacking, and a note that says so; a column must be in all sources."""
    return _Unnamed.of(given, roles, sources).completed()


def one_guess(notes: Sequence[Note]) -> Notes:
    """What was taken for several roles is told in one note."""
    own = [n for n in notes if n.code == "columns-guessed"]
    facts = {name: x for n in own for name, x in n.facts}
    return (*([note("columns-guessed", **facts)] if own else []), *(n for n in notes if n not in own))


@dataclass(frozen=True)
class _Unnamed:
    """What was given, what may be wanted, and where to look."""

    given: Named
    roles: tuple[str, ...]
    sources: Sequence[Source]
    names: tuple[str, ...]  # in all sources, and not used for something else
    head: Head  # of those that have usual names

    @classmethod
    def of(cls, given: Named, roles: Sequence[str], sources: Sequence[Source]) -> _Unnamed:
        first, *rest = ([x for x in source.heading() if isinstance(x, str)] for source in sources)
        free = [x for x in first if all(x in own for own in rest) and x not in _used(given)]
        usual = [x for x in dict.fromkeys(free) if any(guess([x], role) for role in USUAL)]
        head = Head(sources[0].called, sources[0].first(usual, ROWS), len(first))
        return cls(given, _possible(given, roles), sources, tuple(free), head)

    def completed(self) -> tuple[Named, Note]:
        """The first way that is there; it must be clear."""
        ways = [(role, self._found(role)) for role in _NEEDS if role in self.roles]
        there = [(role, found) for role, found in ways if all(found.values())]
        if len(there) > 1 and there[0][0] == "pred" and self._sentences(there[0][1]):
            there = there[1:]
        if not there:
            self._refuse(self._unnamed())
        for role, columns in there[0][1].items():
            if len(columns) > 1:
                self._refuse(f"{_joined(list(map(repr, columns)), 'and')} could {_both(columns)} be {_CALLED[role]}")
        taken = {role: columns[0] for role, columns in there[0][1].items() if role not in self.given}
        if there[0][0] in taken and verb() in ("compare", "leaderboard") and self._alone:
            self._refuse(f"{verb()} needs two systems, and {taken[there[0][0]]!r} is one")
        others = {role: own[role][0] for role, own in there[1:] if len(own[role]) == 1}
        also = others.get("outcome") if "pred" in taken else None
        return {**self.given, **taken}, note("columns-guessed", **taken, **({"also": also} if also else {}))

    @property
    def _alone(self) -> bool:
        """Whether there is one file, with one system in it."""
        return len(TYPED.get().files) == 1 and "system" not in self.given

    def _found(self, role: str) -> dict[str, list[str]]:
        """The candidates for each column that a kind of answers needs."""
        found = {}
        for need in _NEEDS[role]:
            own = [self.given[need]] if need in self.given else guess(self.names, need)
            if need == "outcome":
                own = [x for x in own if self.head.passes(x) or not self.head.known(x)]
            found[str(need)] = own
        return found

    def _sentences(self, found: Mapping[str, Sequence[str]]) -> bool:
        """Whether truths and predictions are texts rather than classes."""
        return any(self.head.free(x) for x in (found["truth"][0], found["pred"][0]))

    def _unnamed(self) -> str:
        """What is lacking, in words."""
        called = self.sources[0].called
        role = next((x for x in _ANSWERS if x in self.given), None)
        if role is not None:
            said = f"{option(role)} needs {option('truth')}, the column of the right answers"
            return f"{said}, and no column of {called} has a usual name for it"
        if self.roles == ("value",):
            return f"{option('value')} is needed: the name of a column"
        if "truth" not in self.given and not guess(self.names, "truth") and "pred" in self.roles:
            return f"no columns of {called} have usual names, such as label and pred, or passed"
        usual = [_CALLED[x].removeprefix("the ") for x in _NEEDS if x in self.roles]
        return f"no column of {called} has a usual name for {_joined(usual, 'or')}"

    # -- refusals

    def _refuse(self, said: str) -> NoReturn:
        head = _head(self.sources[0])
        found = _suggested(head, self.given, self.roles)
        uses = _uses(head, self.roles, self.given.get("truth", found.get("truth")))
        way = spelled(f"Give {again(found)}.", f"Type, for example:\n  {again(found)}")
        role = next((x for x in _ANSWERS if x in found), None)
        if verb() in ("compare", "leaderboard") and self._alone and role is not None and len(found[role]) == 1:
            said = f"{said}: give a second file, or a second column with {option(role)}; one system is for score"
            way = f"Type, for example:\n  {instead('score', found)}"
        raise BadSetting(f"{said}. Columns:{listed(head, uses)}\n{way}")


def refuse_unknown(error: NoColumn, source: Source) -> NoReturn:
    """A column that is not there: the command lists those that are."""
    if spelled("names", "list") == "names":
        raise error
    head = _head(source)
    truth = next(iter(guess(head.values, "truth")), None)
    roles = ("score",) if verb() == "curve" else _ANSWERS
    near = get_close_matches(error.column, error.names, n=1)
    again = corrected(error.column, near[0]) if near else None
    way = f"\nType:\n  {again}" if again is not None else ""
    raise UnknownName(f"{error.said} Columns:{listed(head, _uses(head, roles, truth))}{way}")


def _head(source: Source) -> Head:
    """The first rows of the columns that a list shows."""
    names = [x for x in source.heading() if isinstance(x, str)]
    once = [x for x in names if names.count(x) == 1]
    shown = {x: i for i, x in enumerate(once)}
    usual = [x for x in once if any(guess([x], role) for role in USUAL)]
    picked = sorted({*once[:MOST], *usual[: MOST // 2]}, key=lambda x: (x not in usual, shown[x]))[:MOST]
    return Head(source.called, source.first(sorted(picked, key=lambda x: shown[x]), ROWS), len(names))


def _joined(parts: Sequence[str], word: str) -> str:
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _both(columns: Sequence[str]) -> str:
    return "both" if len(columns) == 2 else "all"


def _used(given: Mapping[str, Any]) -> set[str]:
    """Columns that are named already, in any role or condition."""
    named = [given[x] for x in (*_ELSEWHERE, *_ANSWERS, "truth") if x in given]
    where = given.get("where", ())
    told = [where] if isinstance(where, str) else [x for x in where if isinstance(x, str)]
    each = [x for own in named for x in ([own] if isinstance(own, str) else own if isinstance(own, Iterable) else [])]
    return {*(x for x in each if isinstance(x, str)), *(x for text in told for x in conditions.mentioned(text))}


def _possible(given: Mapping[str, Any], roles: Sequence[str]) -> tuple[str, ...]:
    """The kinds of answers that all given options go with."""
    kinds: dict[str, Kind] = {"pred": "classes", "outcome": "outcomes", "value": "values", "score": "scores"}
    if "threshold" in given:
        kinds["score"] = "cuts"
    own = [x for x in _ANSWERS if x in given]
    options = {x for x in given if any(x in known for known in OPTIONS.values())} - {"item", "system"}
    return tuple(x for x in own or roles if options <= OPTIONS[kinds[x]] | {x}) or tuple(roles)


# -- suggestions


def _suggested(head: Head, given: Mapping[str, Any], roles: Sequence[str]) -> Named:
    """Columns that may be meant, by their names and values; what was given is left out."""
    free = [x for x in head.values if x not in _used(given) and x not in guess(head.values, "id")]
    truths = [given["truth"]] if "truth" in given else [*guess(free, "truth"), *(x for x in free if _classes(head, x))]
    ways = {"pred": _predictions, "outcome": _passes, "score": _numbers, "value": _grades}
    for role in (x for x in ("pred", "outcome", "score", "value") if x in roles):
        if role in given:
            mine = given[role] if isinstance(given[role], str) else next(iter(given[role]))
            truth = next((x for x in truths if head.alike(mine, x)), next(iter(truths), "COLUMN"))
            return {"truth": truth}
        found = ways[role](head, free, truths)
        if found:
            return {name: x for name, x in found.items() if name not in given}
    needs = _NEEDS.get(roles[0], (roles[0],))
    lacks = {x: next(iter(truths), "COLUMN") if x == "truth" else "COLUMN" for x in needs}
    return {name: x for name, x in lacks.items() if name not in given}


def _classes(head: Head, name: str) -> bool:
    """Whether values repeat as those of classes do."""
    return 1 < len(head.labels(name)) <= max(2, len(head.known(name)) // 2)


def _some(columns: Sequence[str]) -> list[str]:
    """As many as the verb takes."""
    return list(columns[: 2 if verb() == "compare" else _SYSTEMS])


def _predictions(head: Head, free: Sequence[str], truths: Sequence[str]) -> Named:
    for truth in truths:
        usual = guess(free, "pred")
        several = verb() in ("compare", "leaderboard")
        alike = [x for x in free if x != truth and x not in guess(free, "truth") and head.alike(x, truth)]
        found = usual[:1] if usual and not several else [*usual, *(x for x in alike if x not in usual)]
        if found:
            return {"truth": truth, "pred": _some(found)}
    return {}


def _passes(head: Head, free: Sequence[str], _truths: Sequence[str]) -> Named:
    others = {x for role in ("truth", "pred") for x in guess(free, role)}
    words = [x for x in free if head.passes(x) and x not in others]
    found = [x for x in guess(free, "outcome") if x in words] or words
    return {"outcome": _some(found)} if found else {}


def _numbers(head: Head, free: Sequence[str], truths: Sequence[str]) -> Named:
    found = guess(free, "score") or [x for x in free if head.fractions(x)]
    found = [x for x in found if x not in truths]
    named = bool(truths) and (truths[0] not in free or bool(guess(truths[:1], "truth")))
    if not found or not truths or not (named or verb() == "curve"):
        return {}
    one = verb() == "score" and head.within_one(found[0])
    own = {"score": found[0], "threshold": 0.5} if one else {"score": _some(found)}
    return {"truth": truths[0], **own, **_speaking_for(head, truths[0], found[0])}


def _speaking_for(head: Head, truth: str, score: str) -> Named:
    """The class that scores speak for, where it is not the usual one."""
    usual = usual_positive(completed_labels(set(head.labels(truth)))) if head.labels(truth) else None
    highest = head.highest(truth, score)
    return {} if usual is not None or highest is None else {"positive": highest}


def _grades(head: Head, free: Sequence[str], _truths: Sequence[str]) -> Named:
    found = [x for x in free if head.kind(x) in ("number", "whole number") and not guess([x], "truth")]
    return {"value": _some(found)} if found else {}


def _uses(head: Head, roles: Sequence[str], truth: str | None) -> dict[str, list[str]]:
    """The options that each column may be meant for."""
    tests: dict[str, Callable[[str], bool]] = {
        "truth": lambda x: x == truth or bool(guess([x], "truth")),
        "pred": lambda x: bool(guess([x], "pred")) or (truth in head.values and head.alike(x, str(truth))),
        "outcome": head.passes,
        "item": lambda x: bool(guess([x], "id")),
        "score": head.fractions,
        "value": lambda x: head.kind(x) == "whole number",
        "by": lambda x: _classes(head, x),
    }
    several = set(roles) & {"pred", "outcome", "value"}
    by = [] if verb() == "leaderboard" else ["by"]
    takes = {*roles, *(["item", *by] if several else []), *(["truth"] if roles != ("value",) else [])}
    found = {x: next((option_ for option_, test in tests.items() if test(x)), None) for x in head.values}
    both = {"score": ("score", "value")}
    return {x: [y for y in both.get(str(use), (use,)) if y in takes] for x, use in found.items() if use is not None}
