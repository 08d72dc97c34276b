"""Labels settled on the distinct values: which there are, in which order, which is positive, which look alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadLabels, NeedsPositive, listing, nearest
from howsure.ingest.columns import EXACT, Codes, Column, refuse_many
from howsure.labels import Label, check_labels, completed, find, spells, usual_positive, whole
from howsure.language import option, spelled
from howsure.notes import Note, Notes, note
from howsure.slices import level_order


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
    number = whole(label)
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


def odd_predictions(cells: Codes, counts: NDArray[Any], known: tuple[Label, ...], systems: Sequence[str]) -> Notes:
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


def _shifted(cells: Codes, counts: NDArray[Any], known: tuple[Label, ...], of: str) -> Notes:
    """Warn if nearly all predictions are one more, or one less, than two or more true labels."""
    numbers: list[int] = []
    for x in known:  # most labels are words: the first one ends it
        number = x if type(x) is int else whole(x) if isinstance(x, str) else None
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


def _unique(cells: Codes, counts: NDArray[Any], of: str) -> Notes:
    """Warn if nearly every predicted value occurs once, though true labels repeat; weights do not tell how often."""
    n = counts.sum()
    if counts.dtype.kind == "f" or n < _LEAST["unique"]:
        return ()
    each = np.bincount(cells[cells[:, 1] >= 0, 1], counts[cells[:, 1] >= 0])
    single, truths = int((each == 1).sum()), np.unique(cells[counts > 0, 0]).size
    if single < _NEARLY_ALL * n or 2 * truths > n:
        return ()
    return (note("id-predictions", form="unique", system=of, single=single, count=int(n)),)


LEAST_IDS: Final = 10  # distinct values
NEARLY_ALIKE: Final = 0.98  # of the rows of two columns
APART: Final = 0.2  # how much more often predictions agree with the next row than with their own


def doubtful(truth: Column, answers: Sequence[Column], sizes: Codes) -> list[set[str]]:
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


def placed(column: Column, known: tuple[Label, ...]) -> Codes:
    """Codes that point into the labels, from 1 on; 0 is a missing answer."""
    place = {label: i + 1 for i, label in enumerate(known)}
    to = np.array([*(place.get(same_kind(x, known), 0) for x in column.levels), 0], dtype=np.int64)
    return to[column.codes]


def two_classes(column: Column, known: tuple[Label, ...], positive: Label | None) -> tuple[Codes, tuple[Label, Label]]:
    """1 where the label is the positive one, else 0; and the names of both classes, the positive one last."""
    chosen = positive_of(known, positive)
    others = [x for x in known if x != chosen]
    rest = others[0] if len(others) == 1 else "rest"
    yes = np.array([*(same_kind(x, known) == chosen for x in column.levels), False], dtype=np.int64)
    return yes[column.codes], (rest, chosen)
