"""From counted patterns to a Tally: what every way in has in common, as array work on codes.

A source counts its rows by (slices, truth, answers) and hands over the distinct patterns as coded columns; here
missing labels are refused, dropped or kept as wrong, labels are settled, and the counts find their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.counting import MOST, within
from howsure.errors import BadCounts, BadLabels, NeedsPositive, UnknownName, listing, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.layout import THRESHOLD, Axis
from howsure.evidence.outcomes import Outcomes
from howsure.labels import Label, check_labels, completed, find, plain, usual_positive
from howsure.notes import Notes, note
from howsure.slices import Slices, distinct, level_order

Codes = NDArray[np.int64]

MISSING_KINDS: Final = ("refuse", "drop", "wrong")
SCORES: Final = "{} holds {!r}: these look like scores; give a threshold, such as y_score >= 0.5, or see hs.curve."
MOST_ENTRIES: Final = 400_000_000  # slices times patterns
PASS: Final = frozenset({"true", "1", "yes", "y", "pass", "passed", "t"})
FAIL: Final = frozenset({"false", "0", "no", "n", "fail", "failed", "f"})
_NA_TYPES: Final = ("NAType", "NaTType")


# -- coded columns


@dataclass(frozen=True, eq=False)
class Column:
    """Distinct plain values, and for each row the place of its value; -1 is a missing one."""

    levels: tuple[Any, ...]
    codes: Codes


@dataclass(frozen=True, eq=False)
class Counted:
    """Patterns with their counts: slice columns, truths (none for outcomes) and the answers of each system."""

    slices: tuple[Column, ...]
    truth: Column | None
    answers: tuple[Column, ...]
    counts: NDArray[Any]
    squares: NDArray[np.float64] | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """All of them: slices, truth, answers."""
        return (*self.slices, *(() if self.truth is None else (self.truth,)), *self.answers)

    def with_columns(self, columns: Sequence[Column], counts: Any, squares: Any) -> Counted:
        """The same roles for other columns."""
        s, t = len(self.slices), 0 if self.truth is None else 1
        truth = columns[s] if t else None
        return Counted(tuple(columns[:s]), truth, tuple(columns[s + t :]), counts, squares)


def lost(x: Any) -> bool:
    """Whether a value is a missing one: None, NaN, NA or NaT."""
    return x is None or type(x).__name__ in _NA_TYPES or (isinstance(x, float) and x != x)


def coded(values: Any) -> Column:
    """A column of codes from an array (masked or not) or a list.

    >>> c = coded(["b", None, "a", "b"])
    >>> c.levels, c.codes.tolist()
    (('b', 'a'), [0, -1, 1, 0])
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubf":
        return _coded_numbers(values)
    items = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        place = {x: i for i, x in enumerate(dict.fromkeys(items))}
        raw = np.fromiter(map(place.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        raise BadLabels("labels must be plain values such as text, whole numbers or booleans.") from None
    return _with_plain_levels(list(place), raw)


def _coded_numbers(values: NDArray[Any]) -> Column:
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.asarray(np.ma.getdata(values))
    if data.dtype.kind == "b":
        data = data.view(np.int8)
        levels, raw = np.array([False, True]), data.astype(np.int64)
    elif data.dtype.kind in "iu" and data.size and int(data.max()) - int(data.min()) <= 4 * data.size + 1024:
        low, high = int(data.min()), int(data.max())
        raw = (data - data.dtype.type(low)).astype(np.int64)
        levels = np.arange(high - low + 1, dtype=object) + low if high > 2**62 else np.arange(low, high + 1)
    else:
        levels, raw = np.unique(data, return_inverse=True)
        raw = raw.reshape(-1).astype(np.int64)
    if mask is not None and mask.any():
        raw = np.where(mask, -1, raw)
    used = np.zeros(len(levels), dtype=bool)
    used[raw[raw >= 0]] = True
    to = np.cumsum(used) - 1
    return _with_plain_levels(levels[used].tolist(), np.where(raw < 0, -1, to[raw]))


def _with_plain_levels(levels: list[Any], raw: Codes) -> Column:
    """Levels as plain values; those that are one value (1 and 1.0) become one, missing ones become -1."""
    place: dict[Any, int] = {}
    to = np.empty(len(levels) + 1, dtype=np.int64)
    to[-1] = -1
    for i, level in enumerate(levels):
        value = _plain(level)
        to[i] = -1 if lost(value) else place.setdefault(value, len(place))
    return Column(tuple(place), to[raw])


def _plain(level: Any) -> Any:
    if isinstance(level, Decimal):
        return int(level) if level == level.to_integral_value() else float(level)
    return plain(level)


def merged(pieces: Sequence[Counted]) -> Counted:
    """Pieces counted apart, as one; equal patterns are added up."""
    if len(pieces) == 1:
        return pieces[0]
    columns = [_stacked(parts) for parts in zip(*(p.columns for p in pieces), strict=True)]
    counts = np.concatenate([p.counts for p in pieces])
    rows, inverse = distinct([c.codes + 1 for c in columns], [len(c.levels) + 1 for c in columns])
    total = np.zeros(len(rows), dtype=counts.dtype)
    np.add.at(total, inverse, counts)
    squares = None
    if pieces[0].squares is not None:
        squares = np.zeros(len(rows))
        np.add.at(squares, inverse, np.concatenate([p.squares for p in pieces if p.squares is not None]))
    kept = [Column(c.levels, rows[:, i] - 1) for i, c in enumerate(columns)]
    return pieces[0].with_columns(kept, total, squares)


def _stacked(parts: Sequence[Column]) -> Column:
    place: dict[Any, int] = {}
    codes = []
    for part in parts:
        to = np.array([*(place.setdefault(x, len(place)) for x in part.levels), -1], dtype=np.int64)
        codes.append(to[part.codes])
    return Column(tuple(place), np.concatenate(codes))


# -- missing labels


def check_missing(missing: Any) -> str:
    """One of refuse, drop and wrong."""
    if missing not in MISSING_KINDS:
        hint = nearest(str(missing), MISSING_KINDS)
        raise UnknownName(f"missing={missing!r} is not known.{hint} Give 'refuse', 'drop' or 'wrong'.")
    return str(missing)


def without_missing(c: Counted, missing: str) -> tuple[Counted, Notes]:
    """Patterns with missing labels refused, dropped, or kept with an answer that is never right; and a note."""
    truth = np.zeros(len(c.counts), dtype=bool) if c.truth is None else c.truth.codes < 0
    answer = np.any([a.codes < 0 for a in c.answers], axis=0)
    if not truth.any() and not answer.any():
        return c, ()
    truths, answers = (many(c.counts[x].sum()) for x in (truth, answer))
    facts: dict[str, Any] = {"form": "label", "truths": _number(c.counts[truth].sum())}
    facts["predictions"] = _number(c.counts[answer].sum())
    said = f"{truths} missing truths and {answers} missing predictions"
    what = "prediction"
    if c.truth is None:
        said, what = f"{answers} missing outcomes", "outcome"
        facts = {"form": "outcome", "count": _number(c.counts[answer].sum())}
    if missing == "refuse":
        raise BadLabels(
            f"there are {said}. Give missing='drop' to leave these items out, or 'wrong' to count a missing "
            f"{what} as wrong."
        )
    if missing == "wrong":
        if truth.any():
            raise BadLabels(
                f"there are {truths} missing truths; an item without a truth cannot be scored. Give missing='drop'."
            )
        return c, (note("missing-wrong", count=_number(c.counts[answer].sum()), what=what),)
    keep = ~(truth | answer)
    if not keep.any():
        raise BadLabels(f"there are {said}, and no items are left without them.")
    columns = [Column(x.levels, x.codes[keep]) for x in c.columns]
    squares = None if c.squares is None else c.squares[keep]
    return c.with_columns(columns, c.counts[keep], squares), (note("missing-dropped", **facts),)


def _number(count: Any) -> int | float:
    value = float(count)
    return int(count) if value.is_integer() else value


def many(count: Any) -> str:
    """A count with all of its digits."""
    value = float(count)
    return f"{int(count):,}" if value.is_integer() else f"{value:,}"


# -- labels


def known_labels(
    truths: set[Label], answers: Sequence[set[Label]], labels: Sequence[Label] | None
) -> tuple[Label, ...]:
    """The labels in order: as given, else those that occur, with 0/1, False/True or -1/1 completed."""
    seen = truths.union(*answers)
    _refuse_scores(seen)
    if labels is not None:
        known = tuple(_spelled(x, seen) for x in check_labels(labels))
        unknown = sorted((x for x in seen if same_kind(x, known) not in known), key=str)
        if unknown:
            where = "y_true" if unknown[0] in truths else "the predictions"
            hint = nearest(str(unknown[0]), [str(x) for x in known])
            raise BadLabels(f"label {unknown[0]!r} in {where} is not among labels= ({listing(known)}).{hint}")
        return known
    for mine in answers:
        if truths and mine and _kinds(truths).isdisjoint(_kinds(mine)):
            raise BadLabels(
                f"truths and predictions do not match: truths such as {min(truths, key=str)!r}, predictions such as "
                f"{min(mine, key=str)!r}. Give both in one type."
            )
    try:
        return completed(seen)
    except TypeError:
        raise BadLabels(f"labels of mixed types cannot be ordered: {listing(seen)}. Give labels=.") from None


def _spelled(label: Label, seen: set[Label]) -> Label:
    """The label that occurs with that spelling: '1' from a command line is the number 1 of the data."""
    if label in seen or not isinstance(label, str):
        return label
    if all(isinstance(x, int) and not isinstance(x, bool) for x in seen) and label.lstrip("-").isdigit():
        return int(label)
    return next((x for x in seen if str(x) == label), label)


def _kinds(values: set[Label]) -> set[str]:
    return {"text" if isinstance(x, str) else "number" if isinstance(x, (int, bool)) else "other" for x in values}


def same_kind(x: Label, known: tuple[Label, ...]) -> Label:
    """True and 1 are one label: take the spelling that the labels use."""
    if isinstance(x, (bool, int)) and x in known:
        return known[known.index(x)]
    return x


def _refuse_scores(seen: set[Label]) -> None:
    for x in seen:
        if isinstance(x, float):
            raise BadLabels(SCORES.format("the data", x) if np.isfinite(x) else "labels must be finite.")


def similar_labels(known: Iterable[Label]) -> Notes:
    """A question about labels that differ only by case or blanks.

    >>> similar_labels(["Spam", "spam ", "ham"])
    (note(code='similar-labels', facts=(('first', 'Spam'), ('second', 'spam '))),)
    """
    first: dict[str, str] = {}
    for label in known:
        if isinstance(label, str):
            other = first.setdefault(" ".join(label.casefold().split()), label)
            if other is not label:
                return (note("similar-labels", first=other, second=label),)
    return ()


# -- to a Tally


def settle(
    c: Counted,
    systems: tuple[str, ...],
    by: tuple[str, ...] = (),
    *,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    missing: str = "refuse",
) -> Tally:
    """The Tally of patterns of truths and answers."""
    c, notes = without_missing(_some(c), missing)
    assert c.truth is not None  # noqa: S101 - narrows the type
    known = known_labels(present(c.truth), [present(a) for a in c.answers], labels)
    if labels is None:
        notes += similar_labels(known)
    cells = [_placed(x, known) for x in (c.truth, *c.answers)]
    codes, counts, squares, batch = _scattered(c, cells, [len(known) + 1] * len(cells), by)
    fixed = labels is not None
    t = Tally(
        cells=codes - 1, counts=counts, labels=known, systems=systems, batch=batch, squares=squares, notes=notes,
        labels_given=fixed,
    )  # fmt: skip
    t = t.with_positive(positive) if positive is not None else replace(t, positive=usual_positive(known))
    return t.tidy()


def settle_outcomes(
    c: Counted, systems: tuple[str, ...], by: tuple[str, ...] = (), *, missing: str = "refuse"
) -> Outcomes:
    """Passes and fails, joint for several systems."""
    c = _some(c)
    passed = [_passed(a, name) for a, name in zip(c.answers, systems, strict=True)]
    c, notes = without_missing(replace(c, answers=tuple(passed)), missing)
    cells = [np.maximum(a.codes, 0) for a in c.answers]  # a missing outcome that is kept is a fail
    codes, counts, squares, batch = _scattered(c, cells, [2] * len(cells), by)
    return Outcomes(cells=codes, counts=counts, systems=systems, batch=batch, squares=squares, notes=notes).tidy()


def _passed(a: Column, name: str) -> Column:
    """true/false, 1/0, yes/no and pass/fail as codes 1 and 0."""
    to = np.empty(len(a.levels) + 1, dtype=np.int64)
    to[-1] = -1
    for i, level in enumerate(a.levels):
        text = str(level).strip().lower()
        if text not in PASS | FAIL:
            raise BadLabels(
                f"outcome {name!r} holds {level!r}; outcomes are true/false, 1/0, yes/no or pass/fail. "
                "For classes give truth= and pred=."
            )
        to[i] = int(text in PASS)
    return Column((0, 1), to[a.codes])


def settle_scores(
    c: Counted,
    system: str,
    by: tuple[str, ...],
    thresholds: tuple[float, ...],
    *,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    missing: str = "refuse",
) -> Tally:
    """2x2 tables of a score at each threshold; the one answer column holds how many thresholds the score reaches."""
    c, notes = without_missing(_some(c), missing)
    assert c.truth is not None  # noqa: S101 - narrows the type
    truths = present(c.truth)
    known = known_labels(truths, [], labels)
    positive = positive_of(known, positive)
    others = [x for x in known if x != positive]
    rest = others[0] if len(others) == 1 else "rest"
    steps = len(thresholds)
    is_yes = (_placed(c.truth, known) - 1 == known.index(positive)).astype(np.int64)
    (a,) = c.answers
    reached = np.array([*(int(x) for x in a.levels), steps + 1], dtype=np.int64)[a.codes]  # the last: no score
    codes, counts, squares, batch = _scattered(c, [is_yes, reached], [2, steps + 2], by)
    order = np.argsort(np.argsort(thresholds, kind="stable"), kind="stable")
    parts = [_by_threshold(x, codes, steps, order) for x in (counts, squares)]
    pattern = np.array([(y, z) for y in (0, 1) for z in (-1, 0, 1)])
    t = Tally(
        cells=pattern, counts=parts[0], labels=(rest, positive), systems=(system,), positive=positive, batch=batch,
        squares=parts[1], notes=notes, positive_given=True,
    )  # fmt: skip
    if steps > 1:
        t = replace(t, batch=(*batch, (THRESHOLD, tuple(thresholds))))
    else:
        t = replace(t, counts=_one(t.counts), squares=_one(t.squares))
    return t.tidy()


def _one(x: Any) -> Any:
    return None if x is None else x[..., 0, :]


def _by_threshold(values: Any, codes: Codes, steps: int, order: Codes) -> Any:
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


def positive_of(known: tuple[Label, ...], positive: Label | None) -> Label:
    """The class that scores speak for: as given, or by the usual rule."""
    if positive is not None:
        return known[find(positive, known)]
    usual = usual_positive(known)
    if usual is None:
        raise NeedsPositive(f"a score speaks for one class: give positive=, one of {listing(known)}.")
    return usual


def _some(c: Counted) -> Counted:
    if len(c.counts) == 0 or not (c.counts > 0).any():
        raise BadLabels("there are no items: the data are empty.")
    if c.squares is None and int(c.counts.max()) > MOST:
        within(c.counts)
    return c


def _used(column: Column) -> list[int]:
    """The codes that occur, in order, -1 first."""
    return (np.flatnonzero(np.bincount(column.codes + 1, minlength=len(column.levels) + 1)) - 1).tolist()


def present(column: Column) -> set[Label]:
    """The labels that occur."""
    return {column.levels[i] for i in _used(column) if i >= 0}


def _placed(column: Column, known: tuple[Label, ...]) -> Codes:
    """Codes that point into the labels, from 1 on; 0 is a missing answer."""
    place = {label: i + 1 for i, label in enumerate(known)}
    to = np.array([*(place.get(same_kind(x, known), 0) for x in column.levels), 0], dtype=np.int64)
    return to[column.codes]


def _scattered(
    c: Counted, cells: Sequence[Codes], sizes: Sequence[int], by: tuple[str, ...]
) -> tuple[Codes, NDArray[Any], NDArray[Any] | None, tuple[Axis, ...]]:
    """Distinct cells, counts of shape (slices, cells) or (cells,), squares, and the batch axis."""
    codes, cell = distinct(cells, sizes)
    if not by:
        add = _adder((len(codes),), (cell,))
        return codes, add(c.counts), None if c.squares is None else add(c.squares), ()
    ordered = [_in_level_order(x) for x in c.slices]
    rows, at = distinct([x.codes for x in ordered], [len(x.levels) for x in ordered])
    if len(rows) * len(codes) > MOST_ENTRIES:
        raise BadCounts(
            f"{len(rows):,} slices of {len(codes):,} patterns do not fit in memory; slice by fewer columns, or tally "
            "one class against the rest."
        )
    add = _adder((len(rows), len(codes)), (at, cell))
    axis = Slices(by, tuple(x.levels for x in ordered), rows)
    return codes, add(c.counts), None if c.squares is None else add(c.squares), ((axis.name, axis),)


def _adder(shape: tuple[int, ...], at: tuple[Codes, ...]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    def add(values: NDArray[Any]) -> NDArray[Any]:
        out = np.zeros(shape, dtype=values.dtype)
        np.add.at(out, at, values)
        return out

    return add


def _in_level_order(column: Column) -> Column:
    """Levels that occur, sorted; missing ones are a slice of their own, the last."""
    used = _used(column)
    present = {column.levels[i]: i for i in used if i >= 0}
    ordered = level_order(present)
    to = np.zeros(len(column.levels) + 1, dtype=np.int64)
    for new, level in enumerate(ordered):
        to[present[level]] = new
    to[-1] = len(ordered)
    return Column((*ordered, *((None,) if used and used[0] < 0 else ())), to[column.codes])
