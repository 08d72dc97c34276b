"""Roles of columns: taken by pattern or by their usual names where that is clear, else asked for with a list of all.

Columns of probabilities, or of other numbers, that are given as predictions are refused, with what to write instead.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Final, NoReturn

import numpy as np

from howsure.errors import BadLabels, BadSetting, NoColumn, Remedy, UnknownName, listing, plural
from howsure.io import where as conditions
from howsure.io.columns import Column, typed
from howsure.io.files import source_of
from howsure.io.first_rows import (
    MOST,
    ROWS,
    SYSTEMS,
    USUAL,
    Head,
    Role,
    guess,
    is_id,
    listed,
    plain_name,
    usual_id,
    usual_names,
)
from howsure.io.groups import Groups, Source
from howsure.io.request import OPTIONS, Kind, Request, Wanted, check_answers, check_names, is_pattern, one_name
from howsure.io.where import mentioned
from howsure.messages.language import option, spelled, spoken
from howsure.messages.notes import Note, Notes, note
from howsure.validate import FAIL, PASS, in_order, usual_positive
from howsure.validate import completed as completed_labels

# -- wildcards
#
# Columns named by a pattern, such as model_*: all that match, in the order of the data.


def written_out(request: Request, source: Source) -> Request:
    """The request with the columns that its patterns mean; columns that have another role are not among them.

    A star alone means no ids and no columns of conditions either.
    """
    names = list(source.names())
    others = {k.column for k in request.keys if not k.name.startswith("answer")} | {request.weight, request.count}
    free = [name for name in dict.fromkeys(names) if name not in others]
    told = {*guess(names, "id"), *(name for text in request.where for name in mentioned(text))}
    rest = [name for name in free if name not in told]
    each = [_meant(given, names, rest if given == "*" else free, request) for given in request.answers]
    found = tuple(dict.fromkeys(name for own in each for name in own))
    if request.names and set(request.names) <= set(found):  # some of the columns, in the order asked for
        return check_answers(replace(request, answers=request.names, names=()))
    if len(request.names) not in (0, len(found)):
        raise BadSetting(
            f"{plural(len(found), 'column matches', 'columns match')} {option(request.role, request.answers[0])}: give "
            f"{option('names')} one name for each, or some of {listing(found, most=20)} to take only these."
        )
    return check_names(check_answers(replace(request, answers=found)))


def _meant(given: str, names: Sequence[str], free: Sequence[str], request: Request) -> list[str]:
    """The columns that one name means: a column that is called so, else those that match; no * reaches over a dot."""
    if given in names or not is_pattern(given):
        return [given]
    found = [name for name in free if name.count(".") == given.count(".") and fnmatchcase(name, given)]
    if not found:
        raise UnknownName(f"no column matches {option(request.role, given)}. Columns: {listing(names, most=20)}.")
    return found


# -- layouts
#
# Layouts of files that howsure knows by the names of their columns, though these names give no roles.
#
# A refusal says what such a file holds and what to type, also if howsure cannot use the file as it is.


@dataclass(frozen=True)
class Layout:
    """What a file holds, in which columns, and what to do with it; `roles` are the options that these columns have."""

    columns: tuple[str, ...]
    what: str
    advice: str
    python: str = ""
    shell: str = ""
    roles: tuple[str, ...] = ()

    @property
    def uses(self) -> dict[str, list[str]]:
        """The options that each column may be meant for."""
        return {x: list(self.roles[i : i + 1]) for i, x in enumerate(self.columns)}

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What to write instead; nothing where that takes other data."""
        if self.roles:
            return (Remedy(dict(zip(self.roles, self.columns, strict=True)), verb="score", example=True),)
        return () if self.python else (Remedy({"value": "COLUMN"}, example=True),)

    @property
    def way(self) -> str:
        """What to write on other data, in words."""
        return spelled(f"\nGive {self.python}.", f"\nType, for example:\n  {self.shell}") if self.python else ""


_KNOWN: Final = (
    Layout(
        ("model_a", "model_b", "winner"),
        "pairwise preferences",
        "howsure does not rank systems by preferences yet; for one pair of systems, count wins, losses and ties",
        "hs.compare_wins(WINS, LOSSES, TIES)",
        "howsure compare --wins WINS,LOSSES,TIES",
    ),
    Layout(
        ("tp", "fp", "fn"),
        "a table of counts in each row",
        "howsure does not read such rows yet; add up each column, which takes all items as independent",
        "hs.Tally.binary(tp=TP, fp=FP, fn=FN, tn=0)",
        "howsure score --counts tp=TP,fp=FP,fn=FN,tn=0",
    ),
    Layout(
        ("errors", "words"),
        "word errors",
        "howsure has no word error rate yet; for the mean rate of rows, add a column of errors / words as <value>",
    ),
    Layout(
        ("judge", "human"),
        "labels by a judge and by humans",
        "human labels of some items correct the labels of the judge",
        roles=("judge", "human"),
    ),
)


def recognised(names: Iterable[str]) -> Layout | None:
    """Return the layout whose columns are all among some names; case, hyphens and underscores do not matter.

    >>> recognised(["id", "Model A", "model_b", "winner"]).what
    'pairwise preferences'
    >>> recognised(["label", "pred"]) is None
    True
    """
    known = {plain_name(x): x for x in names}
    for layout in _KNOWN:
        columns = tuple(known[x] for x in map(plain_name, layout.columns) if x in known)
        if len(columns) == len(layout.columns):
            return replace(layout, columns=columns, advice=spoken(layout.advice))
    return None


# -- unnamed
#
# Columns that nobody named: taken by their usual names where that is clear, else asked for with a list of all columns.
#
# What is given is never changed. Truths with predictions come first, then outcomes, then truths with scores.

Named = dict[str, Any]

_NEEDS: Final[dict[str, tuple[Role, ...]]] = {  # what each kind of answers needs, in the order of preference
    "pred": ("truth", "pred"), "outcome": ("outcome",), "score": ("truth", "score"),
}  # fmt: skip
_ANSWERS: Final = ("pred", "outcome", "value", "score")
_CALLED: Final = {"truth": "the truth", "pred": "the predictions", "outcome": "the outcomes", "score": "the scores"}
_ELSEWHERE: Final = ("cluster", "weight", "count", "item", "system", "on")


# -- what is lacking


def lacking(given: Mapping[str, Any], roles: Sequence[str]) -> bool:
    """Whether a column that is needed is not named; `roles` are those that answers may have."""
    if "judge" in given or "human" in given:
        return False
    named = [role for role in _ANSWERS if role in given]
    if not named:
        return True
    return len(named) == 1 and named[0] in roles and named[0] in ("pred", "score") and "truth" not in given


def lacking_ids(given: Mapping[str, Any]) -> bool:
    """Whether there is one row per item and system, and nothing says which rows are the same item."""
    return "system" in given and "item" not in given and "cluster" not in given


def with_ids(given: Named, source: Source) -> tuple[Named, Notes]:
    """The same with the one column that has a usual name of an id, if there is one, and a note that says so."""
    used = {*_used(given), *_texts(given.get("by"))}
    found = usual_id([[x for x in source.heading() if isinstance(x, str) and x not in used]])
    return (given, ()) if found is None else ({**given, "item": found}, (note("columns-guessed", on=found),))


def completed(given: Named, roles: Sequence[str], sources: Sequence[Source], wanted: Wanted) -> tuple[Named, Note]:
    """The columns by role with those that were lacking, and a note that says so; a column must be in all sources."""
    for role in ("truth", "sep"):
        one_name(given, role)
    return _Unnamed.of(given, roles, sources, wanted).completed()


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
    spare: tuple[str, ...]  # those of slices and conditions, for what nothing else is there
    head: Head  # of those that have usual names
    wanted: Wanted

    @classmethod
    def of(cls, given: Named, roles: Sequence[str], sources: Sequence[Source], wanted: Wanted) -> _Unnamed:
        first, *rest = ([x for x in source.heading() if isinstance(x, str)] for source in sources)
        shared, used, others = set(first).intersection(*rest), _used(given), _spare(given)  # once: columns may be many
        free = [x for x in first if x in shared and x not in used]
        head = Head(sources[0].called, sources[0].first(usual_names(free), ROWS), len(first))
        spare, names = [x for x in free if x in others], tuple(x for x in free if x not in others)
        return cls(given, _possible(given, roles), sources, names, tuple(spare), head, wanted)

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
        if there[0][0] in taken and self._one_of_two:
            self._refuse(f"{self.wanted.caller} needs two systems, and {taken[there[0][0]]!r} is one")
        others = {role: own[role][0] for role, own in there[1:] if len(own[role]) == 1}
        also = others.get("outcome") if "pred" in taken else None
        return {**self.given, **taken}, note("columns-guessed", **taken, **({"also": also} if also else {}))

    @property
    def _one_of_two(self) -> bool:
        """Whether two systems are needed and the data are of one, if one column has its answers."""
        return self.wanted.least > 1 and len(self.sources) == 1 and "system" not in self.given

    def _found(self, role: str) -> dict[str, list[str]]:
        """The candidates for each column that a kind of answers needs."""
        found = {}
        for need in _NEEDS[role]:
            own = [self.given[need]] if need in self.given else self._usual(need)
            found[str(need)] = own
        return found

    def _usual(self, role: Role) -> list[str]:
        """The columns with a usual name for a role whose values do not speak against it."""
        for names in (self.names, self.spare):
            found = [x for x in guess(names, role) if role != "outcome" or not self._no_outcomes(x)]
            if found:
                return found
        return []

    def _no_outcomes(self, name: str) -> bool:
        """Whether values speak against it; those of a column with a condition may be left out by it."""
        return name not in self.spare and bool(self.head.known(name)) and not self.head.passes(name)

    def _sentences(self, found: Mapping[str, Sequence[str]]) -> bool:
        """Whether truths and predictions are texts rather than classes."""
        return any(self.head.free(x) for x in (found["truth"][0], found["pred"][0]))

    def _unnamed(self) -> str:
        """What is lacking, in words."""
        called = self._lacking().called
        role = next((x for x in _ANSWERS if x in self.given), None)
        if role is not None:
            said = f"{option(role)} needs {option('truth')}, the column of the right answers"
            return f"{said}, and no column of {called} has a usual name for it"
        if self.roles == ("value",):
            return f"{option('value')} is needed: the name of a column"
        other = next(
            (x for x in guess(self.names, "outcome") if "outcome" in self.roles and self._no_outcomes(x)), None
        )
        if other is not None and "truth" not in self.given:
            held = listing(sorted({str(x) for x in self.head.known(other)}), 4)
            return f"{other!r} of {self.sources[0].called} holds {held}; outcomes are passes and fails, such as 1 and 0"
        if "truth" not in self.given and not self._usual("truth") and "pred" in self.roles:
            if self._usual("pred"):
                return f"no column of {called} has a usual name for the truth, such as label"
            return f"no columns of {called} have usual names, such as label and pred, or passed"
        usual = [_CALLED[x].removeprefix("the ") for x in _NEEDS if x in self.roles]
        return f"no column of {called} has a usual name for {_joined(usual, 'or')}"

    def _lacking(self) -> Source:
        """The first source whose own columns do not do; the first of all where none is to blame alone."""
        for source in self.sources if len(self.sources) > 1 else ():
            alone = _Unnamed.of(self.given, self.roles, [source], self.wanted)
            if not any(all(alone._found(role).values()) for role in _NEEDS if role in self.roles):
                return source
        return self.sources[0]

    # -- refusals

    def _refuse(self, said: str) -> NoReturn:
        head = head_of(self._lacking())
        found = self._together([suggested(head_of(x), self.given, self.roles, self.wanted) for x in self.sources])
        uses = uses_of(head, self.roles, self.given.get("truth", found.get("truth")), self.wanted)
        remedies: tuple[Remedy, ...] = (Remedy(found, example=True),)
        role = next((x for x in _ANSWERS if x in found), None)
        if self._one_of_two and role is not None and len(found[role]) == 1:
            said, remedies = self._one_system(head, said, role, found)
        layout = None if {*_ANSWERS, "truth"} & self.given.keys() else recognised(self.names)
        if layout is not None:
            said = f"{head.called} holds {layout.what} ({', '.join(layout.columns)}): {layout.advice}"
            remedies = layout.remedies
            uses |= layout.uses
        way = "" if layout is None else layout.way
        raise BadSetting(f"{said}. Columns:{listed(head, uses)}{way}", remedies=remedies)

    def _one_system(self, head: Head, said: str, role: str, found: Named) -> tuple[str, tuple[Remedy, ...]]:
        """What to say and type if a file has one column of answers: a column may say which system gave them."""
        usual = [plain_name(x) for x in SYSTEMS]
        system = next((x for x in self.names if plain_name(x) in usual and len(head.labels(x)) > 1), None)
        if system is None:
            said = f"{said}: give a second file, or a second column with {option(role)}; one system is for score"
            return said, (Remedy(found, verb="score", example=True),)
        item = next((x for x in head.values if x not in _used(found) and head.once_each(x, system)), "COLUMN")
        said = f"{said}; {system!r} may say which system each row is of, and {option('item')} names the id of items"
        return said, (Remedy({**found, "system": system, "item": item}, example=True),)

    @staticmethod
    def _together(each: Sequence[Named]) -> Named:
        """What is suggested for several sources: answers that have another name in each are named one by one."""
        role = next((x for x in _ANSWERS if x in each[0]), None)
        if role is None or any(x.keys() != each[0].keys() for x in each) or all(x == each[0] for x in each):
            return each[0]
        return {**each[0], role: [next(iter(x[role])) if isinstance(x[role], list) else x[role] for x in each]}


def refuse_unknown(error: NoColumn, source: Source, request: Request) -> NoReturn:
    """A column that is not there: the command lists those that are."""
    if spelled("names", "list") == "names":
        raise error
    head = head_of(source)
    truth = next(iter(guess(head.values, "truth")), None)
    near = get_close_matches(error.column, error.names, n=1)
    uses = uses_of(head, request.roles, truth, request.wanted)
    remedies = [Remedy(word=(error.column, x)) for x in near]
    raise UnknownName(f"{error.said} Columns:{listed(head, uses)}", remedies=remedies)


def head_of(source: Source) -> Head:
    """The first rows of the columns that a list shows."""
    names = [x for x in source.heading() if isinstance(x, str)]
    times = Counter(names)
    once = [x for x in names if times[x] == 1]
    shown, usual = {x: i for i, x in enumerate(once)}, usual_names(once)
    picked = sorted({*once[:MOST], *usual[: MOST // 2]}, key=lambda x: (x not in usual, shown[x]))[:MOST]
    return Head(source.called, source.first(sorted(picked, key=lambda x: shown[x]), ROWS), len(names))


def _joined(parts: Sequence[str], word: str) -> str:
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _both(columns: Sequence[str]) -> str:
    return "both" if len(columns) == 2 else "all"


def _used(given: Mapping[str, Any]) -> set[str]:
    """Columns that are named already, in a role that goes with no other."""
    return {x for role in (*_ELSEWHERE, *_ANSWERS, "truth") for x in _texts(given.get(role))}


def _spare(given: Mapping[str, Any]) -> set[str]:
    """Columns of slices and conditions; they may have another role besides."""
    told = (x for text in _texts(given.get("where")) for x in conditions.mentioned(text))
    return {*_texts(given.get("by")), *told}


def _texts(given: Any) -> list[str]:
    """One text, or several; what is none is left to those who check it."""
    several = [given] if isinstance(given, str) else given if isinstance(given, Iterable) else []
    return [x for x in several if isinstance(x, str)]


def _possible(given: Mapping[str, Any], roles: Sequence[str]) -> tuple[str, ...]:
    """The kinds of answers that all given options go with."""
    kinds: dict[str, Kind] = {"pred": "classes", "outcome": "outcomes", "value": "values", "score": "scores"}
    if "threshold" in given:
        kinds["score"] = "cuts"
    own = [x for x in _ANSWERS if x in given]
    options = {x for x in given if any(x in known for known in OPTIONS.values())} - {"item", "system"}
    return tuple(x for x in own or roles if options <= OPTIONS[kinds[x]] | {x}) or tuple(roles)


# -- suggestions


def suggested(head: Head, given: Mapping[str, Any], roles: Sequence[str], wanted: Wanted) -> Named:
    """Columns that may be meant, by their names and values; what was given is left out.

    Columns of slices and conditions are meant only where no other has a usual name for a role, or nothing is found.
    """
    free = [x for x in head.values if x not in _used(given) and not is_id(x)]
    first = [x for x in free if x not in _spare(given)]
    usual = [x for role in USUAL if not guess(first, role) for x in guess(free, role)]
    found = _among(head, given, roles, [x for x in free if x in first or x in usual], wanted)
    return _shown(found if "COLUMN" not in found.values() else _among(head, given, roles, free, wanted))


def _shown(found: Named) -> Named:
    """Names that can be typed; others are left to the reader."""
    typed = {name: [_typed(y) for y in x] if isinstance(x, list) else _typed(x) for name, x in found.items()}
    return {name: list(dict.fromkeys(x)) if isinstance(x, list) else x for name, x in typed.items()}


def _typed(x: Any) -> Any:
    return x if not isinstance(x, str) or x.isprintable() else "COLUMN"


def _among(head: Head, given: Mapping[str, Any], roles: Sequence[str], free: Sequence[str], wanted: Wanted) -> Named:
    sep = given.get("sep") or next((y for y in map(head.separator, free) if y is not None), None)
    head = replace(head, sep=sep)
    truths = [given["truth"]] if "truth" in given else guess(free, "truth")
    ways = {"pred": _predictions, "outcome": _passes, "score": _numbers, "value": _grades}
    for role in (x for x in ("pred", "outcome", "score", "value") if x in roles):
        if role in given:
            mine = given[role] if isinstance(given[role], str) else next(iter(given[role]))
            alike = (x for x in (*truths, *free) if head.alike(mine, x))
            return {"truth": next(alike, next(iter(truths), "COLUMN"))}
        found = ways[role](head, free, truths, wanted)
        if found:
            between = {"sep": sep} if role == "pred" and sep is not None and head.separator(found["truth"]) else {}
            return {name: x for name, x in {**found, **between}.items() if name not in given}
    usual = {str(x): truths if x == "truth" else guess(free, x) for x in _NEEDS.get(roles[0], ())}
    lacks = {x: next(iter(own), "COLUMN") for x, own in (usual or {roles[0]: []}).items()}
    return {name: x for name, x in lacks.items() if name not in given}


def _classes(head: Head, name: str) -> bool:
    """Whether values repeat as those of classes do."""
    return 1 < len(head.labels(name)) <= max(2, len(head.known(name)) // 2)


def _predictions(head: Head, free: Sequence[str], truths: Sequence[str], wanted: Wanted) -> Named:
    """One column has a usual name, or was given; the other has one too, or holds the same labels."""
    usual = guess(free, "pred")
    for truth in truths:
        alike = [x for x in free if x not in (truth, *usual, *guess(free, "truth")) and head.alike(x, truth)]
        found = usual[:1] if usual and wanted.least == 1 else [*usual, *alike]
        if found:
            return {"truth": truth, "pred": list(found[: wanted.most])}
    unnamed = (x for x in free if x not in usual and usual and _classes(head, x) and head.alike(usual[0], x))
    other = None if truths else next(unnamed, None)
    return {} if other is None else {"truth": other, "pred": list(usual[: wanted.most])}


def _passes(head: Head, free: Sequence[str], _truths: Sequence[str], wanted: Wanted) -> Named:
    others = {x for role in ("truth", "pred") for x in guess(free, role)}
    words = [x for x in free if head.passes(x) and x not in others]
    usual = guess(free, "outcome")
    found = [x for x in usual if x in words] or words
    if found or not usual:
        return {"outcome": list(found[: wanted.most])} if found else {}
    others = {x for x in map(str, head.known(usual[0])) if x.strip().lower() not in PASS | FAIL}
    some = len(others) == 1 and len(head.labels(usual[0])) > 1
    return {"outcome": usual[:1], "where": f"{usual[0]}!={others.pop()}"} if some else {}


def _numbers(head: Head, free: Sequence[str], truths: Sequence[str], wanted: Wanted) -> Named:
    found = guess(free, "score") or [x for x in free if head.fractions(x) and x not in truths]
    if not found or not truths:
        return {}
    one = wanted.cuts and head.within_one(found[0])
    own = {"score": found[0], "threshold": 0.5} if one else {"score": list(found[: wanted.most])}
    return {"truth": truths[0], **own, **_speaking_for(head, truths[0], found[0])}


def _speaking_for(head: Head, truth: str, score: str) -> Named:
    """The class that scores speak for, where it is not the usual one."""
    usual = usual_positive(completed_labels(set(head.labels(truth)))) if head.labels(truth) else None
    highest = head.highest(truth, score)
    return {} if usual is not None or highest is None else {"positive": highest}


def _grades(head: Head, free: Sequence[str], _truths: Sequence[str], wanted: Wanted) -> Named:
    found = [x for x in free if head.kind(x) in ("number", "whole number") and not guess([x], "truth")]
    if wanted.least > 1:  # grades of several systems are on one scale
        found = [x for x in found if head.overlap(x, found[0])]
    return {"value": list(found[: wanted.most])} if found else {}


def uses_of(head: Head, roles: Sequence[str], truth: str | None, wanted: Wanted) -> dict[str, list[str]]:
    """The options that each column may be meant for."""
    tests: dict[str, Callable[[str], bool]] = {
        "truth": lambda x: x == truth or bool(guess([x], "truth")),
        "pred": lambda x: bool(guess([x], "pred")) or (truth in head.values and head.alike(x, str(truth))),
        "outcome": head.passes,
        "item": is_id,
        "score": head.fractions,
        "value": lambda x: head.kind(x) == "whole number",
        "by": lambda x: _classes(head, x),
    }
    several = set(roles) & {"pred", "outcome", "value"}
    by = ["by"] if wanted.by else []
    takes = {*roles, *(["item", *by] if several else []), *(["truth"] if roles != ("value",) else [])}
    found = {x: next((option_ for option_, test in tests.items() if test(x)), None) for x in head.values}
    both = {"score": ("score", "value")}
    return {x: [y for y in both.get(str(use), (use,)) if y in takes] for x, use in found.items() if use is not None}


# -- scores given as predictions

_LARGEST: Final = 1e300  # of numbers that are looked at as such


def refuse_scores(g: Groups, request: Request) -> None:
    """Refuse truths and predictions that are fractions."""
    if request.kind != "classes" or request.sep is not None or g.truth.sets:
        return
    told = _fraction(g.truth)
    if told is not None:
        way = f"Scores go with {option('score')}, graded values with {option('value')}."
        raise BadLabels(f"column {request.truth!r} holds {told} as a truth; truths are labels. {way}")
    for name, answer in zip(request.answers, g.answers, strict=True):
        x = None if answer.sets or (request.labels is not None and _has_texts(answer)) else _fraction(answer)
        if x is not None:
            _refuse_scores(g, request, name, answer, x)


def _has_texts(column: Column) -> bool:
    return any(isinstance(x, str) for x in column.present)


def _values_of(column: Column) -> Mapping[Any, Any]:
    """The distinct values as numbers, of texts those that they spell; nothing where one is none."""
    levels = [column.levels[i] for i in column.used if i >= 0]
    values = typed(levels) if all(isinstance(x, str) for x in levels) else {x: x for x in levels}
    known = {x: v for x, v in values.items() if v is not None}
    return known if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known.values()) else {}


def _fraction(column: Column) -> Any:
    """The least value that is no whole number, as it is written, where all are numbers."""
    numbers = {x: v for x, v in _values_of(column).items() if math.isfinite(v)}
    if not all(abs(v) < _LARGEST for v in numbers.values()):
        return None  # names
    found = {x: v for x, v in numbers.items() if isinstance(v, float) and not v.is_integer()}
    return min(found, key=lambda x: found[x], default=None)


def _refuse_scores(g: Groups, request: Request, name: str, answer: Column, x: Any) -> NoReturn:
    truths = in_order(frozenset(g.truth.present))
    said = f"column {name!r} holds {x}"
    if len(truths) > 2:
        told = f"{said}, which is no label of {request.truth!r} ({listing(truths)})"
        raise BadLabels(f"{told}; give a column of labels, or graded values as {option('value')}.")
    own: dict[str, Any] = {"truth": request.truth, "score": name}
    if request.positive is None and usual_positive(completed_labels(set(truths))) is None:
        own["positive"] = _highest(g, answer)
    elif request.positive is not None:
        own["positive"] = request.positive
    cut = {**own, "threshold": _middle(_values_of(answer))}
    way = f"{option('score')} and {option('threshold')} in place of {option('pred')}"
    curve = spelled("hs.curve", "howsure curve")
    raise BadLabels(
        f"{said}: these look like scores; give {way}, or see {curve}.",
        remedies=[]
        if request.system is not None
        else [Remedy(cut, ("pred",), verb="score"), Remedy(own, verb="curve")],
    )


def _highest(g: Groups, answer: Column) -> Any:
    """The class whose numbers are the highest on average."""
    numbers = _values_of(answer)
    values = np.array([*(float(numbers.get(x, np.nan)) for x in answer.levels), np.nan])[answer.codes]
    used = ~np.isnan(values) & ~g.truth.missing
    means = {
        x: np.average(values[used & own], weights=g.counts[used & own])
        for i, x in enumerate(g.truth.levels)
        if g.counts[used & (own := g.truth.codes == i)].sum() > 0
    }
    return max(means, key=lambda x: means[x], default=next(iter(g.truth.levels), None))


def _middle(numbers: Mapping[Any, Any]) -> float:
    """A threshold to begin with: half of probabilities, 0 between numbers below and above it, else the median."""
    low, high = min(numbers.values()), max(numbers.values())
    if low >= 0 and high <= 1:
        return 0.5
    return 0.0 if low < 0 < high else float(f"{np.median(list(numbers.values())):.3g}")


# -- a look at a file before it is counted

_PREVIEWED: Final = ("pred", "outcome", "value", "score")
_PREVIEW_WANTED: Final = Wanted("score", cuts=True)
_EXAMPLES: Final = 5
_LONGEST_EXAMPLE: Final = 60


def preview(path: str) -> dict[str, Any]:
    """The columns of a file, with what each may be; `clear` says whether names alone tell what is meant."""
    with source_of(path, {}) as source:
        head = head_of(source)
        message = None
        try:
            guessed, _ = completed({}, _PREVIEWED, [source], _PREVIEW_WANTED)
        except BadSetting as refused:
            guessed = {} if recognised(head.values) else suggested(head, {}, _PREVIEWED, _PREVIEW_WANTED)
            message = refused.message.split(" Columns:")[0].rstrip(".") + "."
    uses = uses_of(head, _PREVIEWED, guessed.get("truth"), _PREVIEW_WANTED)
    return {
        "file": path,
        "columns": [_column(head, name, uses.get(name, [])) for name in head.values],
        "guessed": {role: x for role, x in guessed.items() if x != "COLUMN"},
        "clear": message is None,
        "message": message,
    }


def _column(head: Head, name: str, uses: list[str]) -> dict[str, Any]:
    known = head.known(name)
    shown = list(dict.fromkeys(str(x)[:_LONGEST_EXAMPLE] for x in known))
    return {
        "name": name,
        "kind": head.kind(name),
        "examples": shown[:_EXAMPLES],
        "values": len(shown),
        "uses": uses,
    }
