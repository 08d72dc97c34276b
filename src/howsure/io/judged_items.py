"""Items that a judge labelled, and people in part: from columns, or from arrays and counts, to what was observed.

A missing human label means that nobody validated the item, and is no gap in the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from howsure.arrays import Integers, Mask
from howsure.errors import BadLabels, BadSetting, NeedsPositive, listing, plural
from howsure.evidence.classes import Tally
from howsure.evidence.judged import JudgedItems, JudgedOutcomes, JudgedTally, code
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.protocol import number
from howsure.io.columns import Column, coded
from howsure.io.groups import Groups
from howsure.io.label_arrays import as_column
from howsure.io.request import Request
from howsure.io.units import known_labels, passed_codes, scattered, similar_labels, some_items, two_classes, unweighed
from howsure.messages.language import option, spelled
from howsure.messages.notes import Notes, note
from howsure.validate import Label, usual_positive

J = TypeVar("J", bound=JudgedItems)

# -- columns


def settled(g: Groups, request: Request, library: str | None) -> JudgedItems:
    """The evidence of what was counted."""
    g = some_items(g)
    found = _verdicts(g, request) if request.kind == "judged outcomes" else _classified(g, request)
    made: JudgedItems = replace(found, library=library, notes=(*found.notes, *unweighed(g, request)))
    return check(made)


def _verdicts(g: Groups, request: Request) -> JudgedOutcomes:
    """Passes and fails by the judge and by people, of each system."""
    judges = [passed_codes(a, x, "verdict") for a, x in zip(g.answers, request.answers, strict=True)]
    people = [passed_codes(a, x, "human label") for a, x in zip(g.named("human"), request.humans, strict=True)]
    g = g.with_labels(
        **{f"answer{i}": x for i, x in enumerate(judges)}, **{f"human{i}": x for i, x in enumerate(people)}
    )
    g, notes = _without_missing(g, request, np.any([a.missing for a in judges], axis=0), "verdict")
    cells = [code(a.codes, h.codes) for a, h in zip(g.answers, g.named("human"), strict=True)]
    codes, counts, _, batch = scattered(g, cells, [6] * len(cells), request)
    return JudgedOutcomes(
        cells=codes, counts=counts, systems=request.systems, batch=batch, notes=notes, account=g.account
    ).tidy()


def _classified(g: Groups, request: Request) -> JudgedTally:
    """A class by the judge and by people, and the answers of systems."""
    (human,), (judge,) = g.named("human"), g.named("judge")
    if any(c.sets for c in (human, judge, *g.answers)):
        raise BadLabels("a judge's labels are corrected for two classes; these are lists of labels.")
    lost = np.any([judge.missing, *(a.missing for a in g.answers)], axis=0)
    g, notes = _without_missing(g, request, lost, "label of the judge or of a system")
    (human,), (judge,) = g.named("human"), g.named("judge")
    known = known_labels({*human.present, *judge.present}, [a.present for a in g.answers], request.labels)
    if request.labels is None:
        notes += similar_labels(known)
    columns = [_two(x, known, request.positive) for x in (human, judge, *g.answers)]
    labels = columns[0][1]
    (yes, said, *answers) = (x[0] for x in columns)
    first = code(said, np.where(human.missing, -1, yes))
    codes, counts, _, batch = scattered(g, [first, *answers], [6] + [2] * len(answers), request)
    return JudgedTally(
        cells=codes, counts=counts, classes=labels, systems=request.systems, batch=batch, notes=notes,
        account=g.account,
    ).tidy()  # fmt: skip


def _two(column: Column, known: tuple[Label, ...], positive: Label | None) -> tuple[Integers, tuple[Label, Label]]:
    if positive is None and usual_positive(known) is None:
        many = "two classes" if len(known) == 2 else "one class against the rest"
        told = f"a judge's labels are corrected for {many}: name the positive one with {option('positive')}"
        raise NeedsPositive(f"{told}, one of {listing(known)}.")
    return two_classes(column, known, positive)


def _without_missing(g: Groups, request: Request, lost: Mask, what: str) -> tuple[Groups, Notes]:
    """Items without a verdict, or an answer, refused or dropped."""
    if not lost.any():
        return g, ()
    count = number(g.counts[lost].sum())
    if request.missing != "drop":
        told = f"{plural(count, 'item has', 'items have')} no {what}"
        raise BadLabels(f"{told}; give {option('missing', 'drop')} to leave them out.")
    if not (g.counts[~lost] > 0).any():
        raise BadLabels(f"no item has a {what}.")
    return g.leaving(lost), (note("missing-dropped", form="judged", count=count, what=what),)


# -- what a validation must hold


def check(e: J) -> J:
    """The same, once the judge of every system can be told from its validated items."""
    for name in e.systems:
        of = "" if len(e.systems) == 1 else f" of {name}"
        if not e.system(name).judge_table().sum():
            told = f"no item{of} has a human label"
            raise BadLabels(f"{told}: label some of them, taken at random, so that the judge can be checked.")
    return e


# -- arrays and counts


def of_arrays(judged: Any, validation: Any, external: bool) -> JudgedOutcomes:
    """Verdicts on items that nobody validated, and (human, judge) of those that people did; by system, if named."""
    systems = _systems(judged)
    several = isinstance(judged, Mapping) or len(systems) > 1
    if isinstance(validation, Mapping):
        validation = {str(name): own for name, own in validation.items()}
        _refuse_other_systems(systems, validation)
        pairs = [_pair(validation[name], name if several else None) for name in systems]
    else:
        pairs = [_pair(validation, None)]
    shared = len(systems) > 1 and not isinstance(validation, Mapping)
    if shared and external:
        told = "one validation for several systems carries recall and specificity over already"
        raise BadSetting(f"{told}: leave out {option('external')}.")
    blocks = [*_judged_blocks(judged, systems), *_validated_blocks(pairs, len(systems), shared)]
    cells, counts = (np.concatenate(x) for x in zip(*blocks, strict=True))
    notes = (note("judge-shared"),) if shared else (note("judge-external"),) if external else ()
    found = JudgedOutcomes(
        cells=cells, counts=counts, systems=systems, external=external or shared, shared=shared, notes=notes
    )
    return check(found.tidy())


def _systems(judged: Any) -> tuple[str, ...]:
    if isinstance(judged, Outcomes):
        return judged.systems
    if not isinstance(judged, Mapping):
        return ("system",)
    if not judged:
        raise BadLabels("no verdicts were given.")
    return tuple(str(x) for x in judged)


def _refuse_other_systems(systems: Sequence[str], validation: Mapping[Any, Any]) -> None:
    named = [str(x) for x in validation]
    if sorted(named) != sorted(systems):
        told = f"got {listing(systems)} and {listing(named)}"
        raise BadLabels(f"judged and validation must name the same systems; {told}.")


def _verdict_codes(x: Any, what: str) -> Integers:
    """0 and 1 of one array; none may be missing."""
    column = passed_codes(coded(as_column(x, what)), what, "verdict")
    if column.missing.any():
        raise BadLabels(f"{what}: {plural(int(column.missing.sum()), 'label is', 'labels are')} missing.")
    return column.codes


def _judged_blocks(judged: Any, systems: Sequence[str]) -> list[tuple[Integers, Integers]]:
    """Codes and counts of what nobody validated: arrays are of the same items, counts of different ones."""
    if isinstance(judged, Outcomes):
        _refuse_batch(judged)
        return [(code(judged.cells, -1), judged.counts.astype(np.int64))]
    each = list(judged.values()) if isinstance(judged, Mapping) else [judged]
    if any(isinstance(x, Outcomes) for x in each):
        return [
            _alone(_counted(x, name), k, len(systems)) for k, (x, name) in enumerate(zip(each, systems, strict=True))
        ]
    names = [f"verdicts of {name!r}" if isinstance(judged, Mapping) else "judged" for name in systems]
    columns = [_verdict_codes(x, name) for x, name in zip(each, names, strict=True)]
    if len({len(x) for x in columns}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in zip(systems, columns, strict=True))
        told = f"systems judged on the same items have as many verdicts; got {sizes}"
        raise BadLabels(f"{told}. Of different items, correct each system and compare the posteriors.")
    return [_rows([code(x, -1) for x in columns])]


def _counted(x: Any, name: str) -> tuple[Integers, Integers]:
    if not isinstance(x, Outcomes):
        return _rows([code(_verdict_codes(x, f"verdicts of {name!r}"), -1)])
    _refuse_batch(x)
    x.single()
    return code(x.cells, -1), x.counts.astype(np.int64)


def _refuse_batch(x: Outcomes | Tally) -> None:
    if x.shape or x.weighted:
        raise BadSetting(f"correct takes a single table without weights; got {x!r}.")


def _rows(columns: Sequence[Integers]) -> tuple[Integers, Integers]:
    """Distinct rows and their counts."""
    cells, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return cells.astype(np.int64).reshape(-1, len(columns)), counts.astype(np.int64)


def _alone(block: tuple[Integers, Integers], k: int, systems: int) -> tuple[Integers, Integers]:
    """What one system alone was judged on."""
    cells = np.full((len(block[0]), systems), -1, dtype=np.int64)
    cells[:, k] = block[0][:, 0]
    return cells, block[1]


def _pair(given: Any, name: str | None) -> Integers | tuple[Integers, Integers]:
    """Codes of validated items, one each; of a table its codes and counts."""
    of = "" if name is None else f" of {name!r}"
    if isinstance(given, Tally):
        _refuse_batch(given)
        if len(given.labels) != 2 or given.cells.shape[1] != 2 or given.positive is None:
            raise BadSetting(
                f"validation{of} as a Tally needs two classes, a positive one and one judge; got {given!r}."
            )
        yes = given.cells == given.labels.index(given.positive)
        if (given.cells < 0).any():
            raise BadSetting(f"validation{of} has missing answers; leave these items out.")
        return code(yes[:, [1]].astype(np.int64), yes[:, [0]]), given.counts.astype(np.int64)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        ways = spelled("(human, judge), two arrays of the same items, or hs.tally(human, judge)", "two columns")
        raise BadSetting(f"validation{of} must be {ways}; got {type(given).__name__}.")
    human, judge = (
        _verdict_codes(x, f"validation{of}, {what}") for x, what in zip(given, ("human", "judge"), strict=True)
    )
    if len(human) != len(judge):
        told = f"got {plural(len(human), 'human label')} but {plural(len(judge), 'verdict')}"
        raise BadLabels(f"validation{of} needs both of every item; {told}.")
    return np.asarray(code(judge, human))


def _validated_blocks(pairs: Sequence[Any], systems: int, shared: bool) -> list[tuple[Integers, Integers]]:
    """Arrays of one length are of the same items; others, and counts, of different ones."""
    if shared:
        cells, counts = pairs[0] if isinstance(pairs[0], tuple) else _rows([pairs[0]])
        return [(np.repeat(cells, systems, axis=1), counts)]
    if not any(isinstance(x, tuple) for x in pairs) and len({len(x) for x in pairs}) == 1:
        return [_rows(pairs)]
    each = [x if isinstance(x, tuple) else _rows([x]) for x in pairs]
    return [_alone(x, k, systems) for k, x in enumerate(each)]
