"""From groups to evidence: what every way in has in common, as array work on codes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from howsure.arrays import AnyArray, Integers, Mask
from howsure.errors import BadCounts, BadLabels, BadSetting, NeedsPositive, UnknownName, listing, nearest, plural
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered, Observed
from howsure.evidence.label_sets import Multilabel
from howsure.evidence.label_sets import distinct as distinct_sets
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.protocol import THRESHOLD, Axis, number
from howsure.evidence.sliced import Sliced, slices_of_clusters
from howsure.evidence.slices import Slices, distinct, level_order
from howsure.io.columns import EXACT, Column, lost, refuse_many
from howsure.io.first_rows import ROWS
from howsure.io.groups import Groups, many, refuse_nothing
from howsure.io.request import OPTIONS, Request, refuse_stray
from howsure.messages.language import option, spelled
from howsure.messages.notes import Note, Notes, note
from howsure.messages.texts import missing_labels
from howsure.posteriors.thresholds import extreme_thresholds
from howsure.validate import (
    FAIL,
    PASS,
    Label,
    check_labels,
    completed,
    find,
    in_order,
    plain_label,
    spells,
    usual_positive,
    whole_number,
    within,
)

# -- labelling
#
# Labels settled on the distinct values: which there are, in which order, which is positive, which look alike.


def known_labels(
    truths: set[Label], answers: Sequence[set[Label]], labels: Sequence[Label] | None
) -> tuple[Label, ...]:
    """The labels in order: as given, else those that occur, with 0/1, False/True or -1/1 completed."""
    seen = truths.union(*answers)
    refuse_many(len(seen), len(answers))
    _refuse_scores(seen)
    if labels is not None:
        known = tuple(_spelled(x, seen) for x in check_labels(labels))
        unknown = sorted((x for x in seen if same_kind(x, known) not in known), key=str)
        if unknown:
            where = spelled("y_true", "the truths") if unknown[0] in truths else "the predictions"
            hint = nearest(str(unknown[0]), [str(x) for x in known])
            among = f"{option('labels')} ({listing(known)})"
            raise BadLabels(f"label {unknown[0]!r} in {where} is not among {among}.{hint}")
        return known
    refuse_other_types(truths, answers)
    try:
        return completed(seen)
    except TypeError:
        raise BadLabels(f"labels of mixed types cannot be ordered: {listing(seen)}. Give {option('labels')}.") from None


def refuse_other_types(truths: set[Label], answers: Sequence[set[Label]]) -> None:
    """Refuse truths and predictions of which none can be equal, such as texts and numbers."""
    for mine in answers:
        if truths and mine and _kinds(truths).isdisjoint(_kinds(mine)):
            raise BadLabels(
                f"truths and predictions do not match: truths such as {min(truths, key=str)!r}, predictions such as "
                f"{min(mine, key=str)!r}. Give both the same type."
            )


def _spelled(label: Label, seen: set[Label]) -> Label:
    """The label that occurs with that spelling: '1' from a command line is the number 1 of the data."""
    if label in seen or not isinstance(label, str):
        return label
    number = whole_number(label)
    if number is not None and all(isinstance(x, int) and not isinstance(x, bool) for x in seen):
        return number
    if seen and all(isinstance(x, bool) for x in seen) and label.strip().lower() in ("true", "false"):
        return label.strip().lower() == "true"
    return next((x for x in seen if str(x) == label or spells(label, x)), label)


def _kinds(values: set[Label]) -> set[str]:
    return {"text" if isinstance(x, str) else "number" if isinstance(x, (int, bool)) else "other" for x in values}


def same_kind(x: Label, known: tuple[Label, ...]) -> Label:
    """True and 1 are one label: take the spelling that the labels use."""
    if isinstance(x, (bool, int)) and x in known:
        return known[known.index(x)]
    return x


def look_like_scores(where: str, x: float) -> BadLabels:
    """One sentence about a fraction among labels."""
    python = "give a threshold, such as y_score >= 0.5, or see hs.curve(y_true, y_score)"
    command = "give --score and --threshold in place of --pred, or see howsure curve"
    return BadLabels(f"{where} holds {x!r}: these look like scores; {spelled(python, command)}.")


def _refuse_scores(seen: set[Label]) -> None:
    for x in seen:
        if isinstance(x, float) and np.isfinite(x):
            raise look_like_scores("the data", x)
        if isinstance(x, float):
            raise BadLabels(f"labels must be finite; got {x!r}.")


_MISSING: Final = ("NA", "N/A", "NaN", "null", "None")


def similar_labels(known: Iterable[Label]) -> Notes:
    """Questions about labels that look alike, or like several in one, and about one that usually stands for none."""
    labels = list(known)
    words = [x for x in labels if x in _MISSING] if len(labels) > 1 else []
    return (*_alike(labels), *_joined(labels), *(note("word-for-missing", label=x) for x in words))


def nothing_in_common(truths: set[Label], answers: Sequence[set[Label]], systems: Sequence[str]) -> Notes:
    """Warn about predictions of which none is a true label, so that none can be right.

    One truth and one answer, such as 1 and 0, may well be all mistakes.

    >>> nothing_in_common({"no", "yes"}, [{"n", "y"}, {"yes"}], ("a", "b"))[0].text
    "no predicted label of a occurs among the true labels: are these the right columns, and labels spelled alike? ..."
    >>> nothing_in_common({1}, [{0}], ("system",))
    ()
    """
    said = []
    for system, own in zip(systems, answers, strict=True):
        if truths and own and len(truths | own) > 2 and not truths & own:
            shown = [listing(level_order(x)[:5]) for x in (truths, own)]
            of = f" of {system}" if len(systems) > 1 else ""
            said.append(note("no-common-label", system=of, truths=shown[0], answers=shown[1]))
    return tuple(said)


_LEAST: Final = {"shifted": 5, "unique": 10}  # items from which on a pattern is no accident
_NEARLY_ALL: Final = 0.9


def odd_predictions(cells: Integers, counts: AnyArray, known: tuple[Label, ...], systems: Sequence[str]) -> Notes:
    """Warn about predictions that are the true labels shifted by one, or that hardly ever repeat, as ids do.

    `cells` has a row (truth, answer of each system) for each pattern, `counts` how many items show it.

    >>> cells = np.array([(0, 1), (1, 2), (2, 3)])
    >>> [n.code for n in odd_predictions(cells, np.array([9, 9, 9]), (0, 1, 2, 3), ("system",))]
    ['shifted-labels']
    """
    many = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
    found: list[Note] = []
    for i, system in enumerate(systems):
        of, both = f" of {system}" if len(systems) > 1 else "", cells[:, [0, i + 1]]
        found += (*_shifted(both, many, known, of), *_unique(both, many, of))
    return tuple(found)


def _shifted(cells: Integers, counts: AnyArray, known: tuple[Label, ...], of: str) -> Notes:
    """Warn if nearly all predictions are one more, or one less, than two or more true labels."""
    numbers: list[int] = []
    for x in known:  # most labels are words: the first one ends it
        number = x if type(x) is int else whole_number(x) if isinstance(x, str) else None
        if number is None or abs(number) > EXACT:
            return ()
        numbers.append(number)
    if len(known) < 3 or counts.sum() < _LEAST["shifted"]:
        return ()
    there = (cells[:, 1] >= 0) & (counts > 0)
    truth, answer = np.array(numbers, dtype=np.int64)[cells[there]].T
    for by in (1, -1):
        moved = answer - truth == by
        share = float(counts[there][moved].sum() / counts.sum())
        if share >= _NEARLY_ALL and np.unique(truth[moved]).size > 1:
            ends = [f"{x.min()} to {x.max()}" for x in (truth, answer)]
            return (note("shifted-labels", system=of, by=by, share=share, truths=ends[0], answers=ends[1]),)
    return ()


def _unique(cells: Integers, counts: AnyArray, of: str) -> Notes:
    """Warn if nearly every predicted value occurs once, though true labels repeat; weights do not tell how often."""
    n = counts.sum()
    if counts.dtype.kind == "f" or n < _LEAST["unique"]:
        return ()
    each = np.bincount(cells[cells[:, 1] >= 0, 1], counts[cells[:, 1] >= 0])
    single, truths = int((each == 1).sum()), np.unique(cells[counts > 0, 0]).size
    if single < _NEARLY_ALL * n or 2 * truths > n:
        return ()
    return (note("id-predictions", form="unique", system=of, single=single, count=int(n)),)


_LEAST_ROWS: Final = 20
LEAST_IDS: Final = 10  # distinct values
NEARLY_ALIKE: Final = 0.98  # of the rows of two columns
APART: Final = 0.2  # how much more often predictions agree with the next row than with their own


def doubtful(truth: Column, answers: Sequence[Column], sizes: Integers) -> list[set[str]]:
    """Return what the counts leave possible for each system: predictions that are `ids`, or `shifted` by a row."""
    if truth.sets:
        return []
    place = {level: i for i, level in enumerate(truth.levels)}
    total, shape = sizes.sum(), len(truth.levels) + 2
    found = []
    for answer in answers:
        at = np.array([*(place.get(x, -2) for x in answer.levels), -1])[answer.codes]
        right = sizes[at == truth.codes].sum()
        gaps = np.abs(np.bincount(at + 2, sizes, shape) - np.bincount(truth.codes + 2, sizes, shape)).sum()
        moved = gaps <= 2 + (1 - NEARLY_ALIKE) * total  # a shift takes one label out and brings one in
        ids = {"ids"} if 2 * right < total and len(answer.present) >= LEAST_IDS else set()
        found.append(ids | ({"shifted"} if moved and right < (1 - APART) * total else set()))
    return found


def of_another_row(truth: Sequence[Any], answer: Sequence[Any], of: str = "") -> Notes:
    """Warn if predictions are the true labels of the next row, or of the row before.

    Predictions that follow from the true label of their own row, such as two classes swapped, are another mistake.

    >>> truth = [0, 1, 1, 0, 1, 0, 0] * 4
    >>> [n["row"] for n in of_another_row(truth, [*truth[1:], 0])], of_another_row(truth, [1 - x for x in truth])
    (['next'], ())
    """
    n = len(truth)
    if n < _LEAST_ROWS or (own := _agreement(truth, answer)) > 1 - APART:
        return ()
    least = max(NEARLY_ALIKE, own + APART)
    for row, share in (("next", _agreement(truth[1:], answer[:-1])), ("previous", _agreement(truth[:-1], answer[1:]))):
        if share >= least and len(set(zip(truth, answer, strict=True))) > len(set(truth)) + 1:  # the end may be filled
            return (note("shifted-labels", form="row", system=of, row=row, share=share, rows=n),)
    return ()


def _agreement(one: Sequence[Any], other: Sequence[Any]) -> float:
    """Return the share of rows in which both are alike."""
    return float(sum(map(operator.eq, one, other)) / len(one))


def head_of(column: Any) -> list[Any]:
    """Return the first rows of a column as plain labels, None where one is missing."""
    head = column[:ROWS].tolist() if isinstance(column, np.ndarray) else list(column[:ROWS])
    if set(map(type, head)) <= {int, str, bool}:
        return head
    return [None if lost(x) else plain_label(x) for x in head]


def _alike(known: Iterable[Label]) -> Notes:
    """A question about labels that differ only by case or blanks, or in how they spell a number or a truth value.

    >>> _alike(["Spam", "spam ", "ham"])
    (Note(code='similar-labels', facts=(('first', 'Spam'), ('second', 'spam '))),)
    """
    first: dict[str, Label] = {}
    for label in known:
        if isinstance(label, (str, bool, int)):
            said = " ".join(str(label).casefold().split())
            said = re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", said)
            other = first.setdefault({"true": "1", "false": "0"}.get(said, said), label)
            if other is not label:
                return (note("similar-labels", first=other, second=label),)
    return ()


def _joined(known: Iterable[Label]) -> Notes:
    """A question about a label that looks like a list of labels, one of which is a label of its own.

    >>> _joined(["a;b", "b", "c"])
    (Note(code='joined-labels', facts=(('label', 'a;b'), ('part', 'b'))),)
    """
    words = [x for x in known if isinstance(x, str)]
    for label, sep in ((x, sep) for x in words for sep in ";|" if sep in x):
        part = next((p for x in label.split(sep) if (p := x.strip()) in words), None)
        if part is not None:
            return (note("joined-labels", label=label, part=part),)
    return ()


def positive_of(known: tuple[Label, ...], positive: Label | None) -> Label:
    """The class that scores speak for: as given, or by the usual rule."""
    if positive is not None:
        return known[find(positive, known)]
    usual = usual_positive(known)
    if usual is None:
        raise NeedsPositive(f"scores are for one class: name it with {option('positive')}, one of {listing(known)}.")
    return usual


def placed(column: Column, known: tuple[Label, ...]) -> Integers:
    """Codes that point into the labels, from 1 on; 0 is a missing answer."""
    place = {label: i + 1 for i, label in enumerate(known)}
    to = np.array([*(place.get(same_kind(x, known), 0) for x in column.levels), 0], dtype=np.int64)
    return to[column.codes]


def two_classes(
    column: Column, known: tuple[Label, ...], positive: Label | None
) -> tuple[Integers, tuple[Label, Label]]:
    """1 where the label is the positive one, else 0; and the names of both classes, the positive one last."""
    chosen = positive_of(known, positive)
    others = [x for x in known if x != chosen]
    rest = others[0] if len(others) == 1 else "rest"
    yes = np.array([*(same_kind(x, known) == chosen for x in column.levels), False], dtype=np.int64)
    return yes[column.codes], (rest, chosen)


# -- settling
#
# From groups to evidence: what every way in has in common, as array work on codes.
#
# Missing labels are refused, dropped or kept as wrong, labels are settled, and the counts find their places: tables of
# classes, of outcomes, of sets of labels, and of scores at thresholds; by slices, or by clusters.

MOST_ENTRIES: Final = 400_000_000  # slices times patterns
_GRADES: Final = frozenset({"c", "i"})  # letters of one family: beside them N is not a no


def settle(g: Groups, request: Request, library: str | None = None) -> Observed | Clustered | Sliced:
    """The table of what was counted; with clusters, what each system showed in every cluster."""
    table = by_cluster(g, request, library)
    return table if request.cluster is None else of_clusters({x: table.system(x) for x in table.systems}, request)


def of_clusters(tables: Mapping[str, Observed], request: Request) -> Clustered | Sliced:
    """Tables by cluster, one for each system; or by slice and cluster, where slices are asked for."""
    return slices_of_clusters(tables) if request.by else Clustered.of(tables)


def by_cluster(g: Groups, request: Request, library: str | None = None) -> Observed:
    """The table of what was counted, the clusters (if there are any) its batch axis."""
    g = without_weightless(some_items(g))
    if request.sep is not None:
        g = split(g, request.sep)
    makers: dict[str, Callable[[Groups, Request], Observed]] = {"outcomes": _outcomes, "cuts": _cuts}
    found = makers.get(request.kind, _classes)(g, request)
    return replace(found, library=library, notes=(*found.notes, *unweighed(g, request)))


def some_items(g: Groups) -> Groups:
    """The same, once there are items."""
    refuse_nothing(g)
    if not len(g) or not (g.counts > 0).any():
        empty = len(g) and g.squares is not None
        raise BadLabels("all weights are 0." if empty else "there are no items: the data are empty.")
    if g.squares is None:
        within(g.counts)
    return g


# -- missing values


def unweighed(g: Groups, request: Request) -> Notes:
    """A note on rows that were left out because they have no weight, or no count."""
    return (note("missing-dropped", form="amount", count=g.unweighed, what=request.what),) if g.unweighed else ()


def without_weightless(g: Groups) -> Groups:
    """The same without clusters whose rows all weigh, or count, 0: a cluster has items, and some weight."""
    if "cluster0" not in g.labels:
        return g
    codes = g.labels["cluster0"].codes + 1
    return g.leaving(np.bincount(codes, g.counts)[codes] <= 0, "weightless")


def without_missing(g: Groups, request: Request, answer: Mask) -> tuple[Groups, Notes]:
    """Groups in which a label is missing refused, dropped, or kept with an answer that is never right; and a note."""
    truth = g.labels["truth"].missing if "truth" in g.labels else np.zeros(len(g), dtype=bool)
    g, truth, answer, notes = without_clusters(g, request, truth, answer)
    if not truth.any() and not answer.any():
        return g, notes
    outcome = request.kind == "outcomes"
    truths, answers = (number(g.counts[x].sum()) for x in (truth, answer))
    said = plural(answers, "missing outcome") if outcome else missing_labels(truths, answers)
    be = "is" if said.startswith("1 ") else "are"
    what = "outcome" if outcome else "prediction"
    if request.missing == "refuse":
        sets = any(x.sets for x in g.labels.values())  # which cannot be wrong as a whole
        wrong = "" if truth.any() or sets else f", or 'wrong' to count a missing {what} as wrong"
        raise BadLabels(f"there {be} {said}. Give {option('missing', 'drop')} to leave such items out{wrong}.")
    if request.missing == "wrong":
        if truth.any():
            raise BadLabels(
                f"there {be} {missing_labels(truths, 0)}; an item without a truth cannot be scored. Give "
                f"{option('missing', 'drop')}."
            )
        return g, (*notes, note("missing-wrong", count=answers, what=what))
    keep = ~(truth | answer)
    if not (g.counts[keep] > 0).any():
        raise BadLabels(f"there {be} {said}, and no other item is left.")
    g = without_weightless(g.leaving(~keep))
    if outcome and request.missing == "bounds":
        return g, notes  # which tells how many
    if outcome:
        return g, (*notes, note("missing-dropped", form="outcome", count=answers))
    return g, (*notes, note("missing-dropped", form="label", truths=truths, predictions=answers))


def without_lost(
    g: Groups, request: Request, lost: Mask, lacks: str, form: str, row: str = "item", **facts: Any
) -> tuple[Groups, Notes]:
    """Rows that lack something refused in a sentence, or left out with a note when asked."""
    gone, total = number(g.counts[lost].sum()), g.total
    if gone and request.missing == "refuse":
        told = f"{many(gone)} of {plural(total, row)} {'has' if gone == 1 else 'have'} {lacks}"
        raise BadLabels(f"{told}; give {option('missing', 'drop')} to leave them out.")
    return g.leaving(lost), (note("missing-dropped", form=form, count=gone, **facts),) if gone else ()


def missing_bounds(values: AnyArray, lost: AnyArray, counts: AnyArray, request: Request) -> Notes:
    """What the mean of each system would be if all that it lacks were the lowest, and if all were the highest.

    `values` and `lost` have a row for each system. The mean of what is left is of items that no system lacks.
    """
    if request.missing != "bounds":
        return ()
    ends, kept, found = request.bounds or (0.0, 1.0), ~lost.any(axis=0), list[Note]()
    for name, own, gone in zip(request.systems, values, lost, strict=True):
        many, total = float(counts[gone].sum()), float(counts.sum())
        if many:
            known = float(counts @ np.where(gone, 0, own))
            low, high = ((known + end * many) / total for end in ends)
            mean = float(counts[kept] @ own[kept] / counts[kept].sum()) if counts[kept].any() else None
            shown = None if request.kind == "outcomes" else ends
            alone = request.systems in (request.answers, ("system",)) and len(request.systems) == 1
            of = {"system": None if alone else name, "of": request.answers[0], "ends": shown}
            found.append(note("missing-bounds", **of, count=number(many), score=mean, low=low, high=high))  # type: ignore[arg-type]
    return tuple(found)


def without_clusters(g: Groups, request: Request, *flags: Mask) -> tuple[Groups, Mask, Mask, Notes]:
    """Items without a cluster refused, or dropped when asked; two columns of flags go with them."""
    one, two = flags
    if "cluster0" not in g.labels or not (lost := g.labels["cluster0"].missing).any():
        return g, one, two, ()
    count = number(g.counts[lost].sum())
    if request.missing not in ("drop", "bounds"):
        raise BadLabels(
            f"{plural(count, 'item has', 'items have')} no cluster; every item needs one. Give "
            f"{option('missing', 'drop')} to leave them out."
        )
    if lost.all():
        raise BadLabels("no item has a cluster.")
    found = note("missing-dropped", form="cluster", count=count)
    return g.leaving(lost), one[~lost], two[~lost], (found,)


# -- tables


def _classes(g: Groups, request: Request) -> Observed:
    """Truths and answers: of classes, or of sets of labels where the columns hold these."""
    answer = np.any([a.missing for a in g.answers], axis=0)
    if any(c.sets for c in (g.truth, *g.answers)):
        return _label_sets(g, request, answer)
    g, notes = without_missing(g, request, answer)
    known = known_labels(g.truth.present, [a.present for a in g.answers], request.labels)
    notes = (*nothing_in_common(g.truth.present, [a.present for a in g.answers], request.systems), *notes)
    if request.labels is None:
        notes += similar_labels(known)
    cells = [placed(x, known) for x in (g.truth, *g.answers)]
    codes, counts, squares, batch = scattered(g, cells, [len(known) + 1] * len(cells), request)
    notes = (*odd_predictions(codes - 1, counts, known, request.systems), *notes)
    t = Tally(
        cells=codes - 1, counts=counts, labels=known, systems=request.systems, batch=batch, squares=squares,
        notes=notes, labels_given=request.labels is not None, account=g.account,
    )  # fmt: skip
    if request.positive is not None:
        return t.with_positive(request.positive).tidy()
    return replace(t, positive=usual_positive(known)).tidy()


def _outcomes(g: Groups, request: Request) -> Outcomes:
    """Passes and fails, joint for several systems."""
    passed = [passed_codes(a, name) for a, name in zip(g.answers, request.answers, strict=True)]
    g = g.with_labels(**{f"answer{i}": a for i, a in enumerate(passed)})
    lost = np.array([a.missing for a in passed])
    bounds = missing_bounds(np.array([a.codes for a in passed]), lost, g.counts, request) if lost.any() else ()
    g, notes = without_missing(g, request, np.asarray(lost.any(axis=0)))
    notes = (*bounds, *notes) if bounds else notes
    cells = [np.maximum(a.codes, 0) for a in g.answers]  # a missing outcome that is kept is a fail
    codes, counts, squares, batch = scattered(g, cells, [2] * len(cells), request)
    found = Outcomes(
        cells=codes, counts=counts, systems=request.systems, batch=batch, squares=squares, notes=notes,
        account=g.account,
    )  # fmt: skip
    return found.tidy()


def passed_codes(a: Column, name: str, what: str = "outcome") -> Column:
    """true/false, 1/0, yes/no, pass/fail and C/I (correct, incorrect) as codes 1 and 0."""
    to = np.empty(len(a.levels) + 1, dtype=np.int64)
    to[-1] = -1
    letters = {text for level in a.levels if len(text := str(level).strip().lower()) == 1 and text.isalpha()}
    for i, level in enumerate(a.levels):
        text = str(level).strip().lower()
        if text in letters - _GRADES and letters & _GRADES:
            raise BadLabels(
                f"{what} {name!r} holds {level!r} beside C and I (correct, incorrect), where N means no answer and P "
                f"partly right: leave such items out with {option('where')}, or turn them into C or I."
            )
        if text not in PASS | FAIL:
            raise BadLabels(
                f"{what} {name!r} holds {level!r}; {what}s are true/false, 1/0, yes/no, pass/fail or C/I. For classes "
                f"give {option('truth') if what == 'outcome' else option('judge')} and {option('pred')}."
            )
        to[i] = int(text in PASS)
    return Column((0, 1), to[a.codes])


def _cuts(g: Groups, request: Request) -> Tally:
    """2x2 tables of a score at each threshold; the one answer holds how many thresholds the score reaches."""
    if request.cluster is not None and len(request.thresholds) > 1:
        raise BadSetting(f"with {option('cluster')} give one {option('threshold')}.")
    if max(map(abs, request.thresholds)) >= EXACT:
        raise BadSetting(f"a threshold must be below 2^53 ({EXACT}) in size; larger numbers are rounded.")
    g, notes = without_missing(g, request, np.isnan(g.numbers["answer0"]))
    steps = len(request.thresholds)
    known = known_labels(g.truth.present, [], request.labels)
    yes, labels = two_classes(g.truth, known, request.positive)
    reached = np.nan_to_num(g.numbers["answer0"], nan=steps + 1).astype(np.int64)  # the last: no score
    codes, counts, squares, batch = scattered(g, [yes, reached], [2, steps + 2], request)
    order = np.argsort(np.argsort(request.thresholds, kind="stable"), kind="stable")
    tables = [_by_threshold(x, codes, steps, order) for x in (counts, squares)]
    notes += extreme_thresholds(request.thresholds, tables[0].reshape(-1, steps, 2, 3)[..., 1:].sum(axis=0))
    if steps > 1:
        batch = (*batch, (THRESHOLD, request.thresholds))
    else:
        tables = [None if x is None else x[..., 0, :] for x in tables]
    pattern = np.array([(y, z) for y in (0, 1) for z in (-1, 0, 1)])
    return Tally(
        cells=pattern, counts=tables[0], labels=labels, systems=request.systems, positive=labels[1], batch=batch,
        squares=tables[1], notes=notes, positive_given=True, account=g.account,
    ).tidy()  # fmt: skip


def _by_threshold(values: Any, codes: Integers, steps: int, order: Integers) -> Any:
    """(…, threshold, pattern): at its place in the order a threshold is reached by all scores that count as many."""
    if values is None:
        return None
    table = np.zeros((*values.shape[:-1], 2, steps + 2), dtype=values.dtype)
    table[..., codes[:, 0], codes[:, 1]] = values
    none, reached = table[..., steps + 1], table[..., : steps + 1]
    above = np.flip(np.cumsum(np.flip(reached, -1), axis=-1), -1)[..., 1:]  # at least 1, 2, … thresholds reached
    total = reached.sum(axis=-1, keepdims=True)
    parts = np.stack([np.broadcast_to(none[..., None], above.shape), total - above, above], axis=-1)
    flat = np.moveaxis(parts, -3, -2)[..., order, :, :]
    return flat.reshape(*flat.shape[:-2], 6)


# -- sets of labels


def split(g: Groups, sep: str) -> Groups:
    """Texts with a sign between the labels, as sets of labels."""

    def parts(column: Column) -> Column:
        if column.sets:
            raise BadSetting(f"{option('sep')} splits texts; these are lists of labels already.")
        sets = [frozenset(p for x in str(level).split(sep) if (p := x.strip())) for level in column.levels]
        return column.relevelled(sets)

    answers = {f"answer{i}": parts(a) for i, a in enumerate(g.answers)}
    return g.with_labels(truth=parts(g.truth), **answers)


def _label_sets(g: Groups, request: Request, answer: Mask) -> Multilabel:
    columns = (g.truth, *g.answers)
    plain = next((i for i, c in enumerate(columns) if c.present and not c.sets), None)
    if plain is not None:
        others = (str(request.truth), *request.answers)
        lists = others[next(i for i, c in enumerate(columns) if c.sets)]
        raise BadLabels(
            f"column {lists!r} holds lists of labels and column {others[plain]!r} does not; make both lists."
        )
    for name in ("by", "weight", "positive"):
        if name not in OPTIONS["label sets"] and getattr(request, name) not in (None, ()):
            refuse_stray("label sets", name)
    if request.missing == "wrong":
        raise UnknownName(f"{option('missing', 'wrong')} is not known for lists of labels. Give 'refuse' or 'drop'.")
    g, notes = without_missing(g, request, answer)
    columns = (g.truth, *g.answers)
    seen: set[Any] = set().union(*(c.present for c in columns))
    known = _labels(set().union(*seen), request.labels)
    place = {label: i for i, label in enumerate(known)}
    coded = {x: tuple(sorted(place[v] for v in x)) for x in seen}
    order = {codes: i for i, codes in enumerate(sorted(coded.values()))}  # whatever order an engine gave them in
    cells = [np.array([*(order[coded[x]] if x in coded else -1 for x in c.levels), -1])[c.codes] for c in columns]
    codes, counts, _, batch = scattered(g, cells, [len(order)] * len(cells), request)
    return Multilabel(
        cells=codes, counts=counts, labels=known, systems=request.systems, sets=distinct_sets(order), batch=batch,
        labels_given=request.labels is not None, notes=notes, account=g.account,
    )  # fmt: skip


def _labels(seen: set[Label], labels: Sequence[Label] | None) -> tuple[Label, ...]:
    known = in_order(seen) if labels is None else check_labels(labels)
    unknown = sorted(str(x) for x in seen if x not in known)
    if unknown:
        hint = nearest(unknown[0], [str(x) for x in known])
        raise UnknownName(f"label {unknown[0]!r} is not among {option('labels')}.{hint} Given: {listing(known)}.")
    if not known:
        raise BadLabels(f"no label occurs; give {option('labels')}.")
    return known


# -- places


def scattered(
    g: Groups, cells: Sequence[Integers], sizes: Sequence[int], request: Request
) -> tuple[Integers, AnyArray, AnyArray | None, tuple[Axis, ...]]:
    """Distinct cells, counts of shape (slices, cells) or (cells,), squares, and the batch axis."""
    codes, cell = distinct(cells, sizes)
    by = request.by if request.cluster is None else (*request.by, request.cluster)
    if not by:
        add = _adder((len(codes),), (cell,))
        return codes, add(g.counts), None if g.squares is None else add(g.squares), ()
    axis, at = slices_of(by, [*g.named("slice"), *g.named("cluster")])
    if len(axis) * len(codes) > MOST_ENTRIES:
        what = "slices" if request.cluster is None else "clusters"
        raise BadCounts(
            f"{len(axis):,} {what} of {len(codes):,} patterns do not fit in memory; take fewer {what}, or tally one "
            "class against the rest."
        )
    add = _adder((len(axis), len(codes)), (at, cell))
    return codes, add(g.counts), None if g.squares is None else add(g.squares), ((axis.name, axis),)


def slices_of(names: tuple[str, ...], columns: Sequence[Column]) -> tuple[Slices, Integers]:
    """The slices that occur in some columns, and for each row its place among them."""
    ordered = [x.in_order() for x in columns]
    rows, at = distinct([x.codes for x in ordered], [len(x.levels) for x in ordered])
    return Slices(names, tuple(x.levels for x in ordered), rows), at


def _adder(shape: tuple[int, ...], at: tuple[Integers, ...]) -> Callable[[AnyArray], AnyArray]:
    def add(values: AnyArray) -> AnyArray:
        out = np.zeros(shape, dtype=values.dtype)
        np.add.at(out, at, values)
        return out

    return add
