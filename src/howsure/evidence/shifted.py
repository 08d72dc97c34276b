"""ShiftedTally: a tally whose measures are asked of a target in which positives have another share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from howsure.errors import BadCounts, BadLabels, BadSetting, NeedsPositive, listing
from howsure.evidence import patterns
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.protocol import as_json, number
from howsure.messages.language import option, spelled
from howsure.validate import Label, finite

LEAST = 1e-12  # of a share that is known
UNNAMED = {0, 1}  # the labels of four counts, which have no names of their own


@dataclass(frozen=True)
class TargetShare:
    """The share of a class in a target: a number, a range taken as uniform, or the counts of a sample of it."""

    label: Label
    low: float
    high: float
    counts: tuple[float, float] | None = None  # items of the class and of the other, in a sample of the target
    outcomes: bool = False  # these are hits and misses, not truths

    @property
    def share(self) -> float:
        """The share that point scores are taken at."""
        return 0.5 * (self.low + self.high)

    @property
    def form(self) -> str:
        """How it is known."""
        return "counted" if self.counts is not None else "fixed" if self.low == self.high else "range"

    @property
    def facts(self) -> dict[str, Any]:
        """What is told of it in notes and documents."""
        if self.counts is not None:
            return {"positives": number(self.counts[0]), "items": number(sum(self.counts))}
        return {"share": self.low} if self.form == "fixed" else {"low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftedTally(Tally):
    """Counts of two classes, and the target that measures are asked of: recall and specificity carry over to it.

    >>> t = Tally.binary(tp=90, fp=5, fn=10, tn=95)
    >>> shifted(t, 0.01)
    ShiftedTally(tp=90, fp=5, fn=10, tn=95; prevalence 0.01)
    """

    target: TargetShare

    def describe(self) -> dict[str, Any]:
        """As of the tally, with the target."""
        told = {"form": self.target.form, "class": as_json(self.target.label), **self.target.facts}
        return super().describe() | {"prevalence": told}

    def unshifted(self) -> Tally:
        """What was tested."""
        return Tally(**{f.name: getattr(self, f.name) for f in fields(Tally)})

    def __add__(self, other: object) -> Self:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, ShiftedTally) or other.target != self.target:
            raise BadLabels("a shifted tally is added to one with the same target only; add the tallies, then shift.")
        return patterns.tallies(self, other)  # type: ignore[no-any-return]

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShiftedTally):
            return NotImplemented if not isinstance(other, Tally) else False
        return self.target == other.target and self.unshifted() == other.unshifted()

    __hash__ = None

    def __repr__(self) -> str:
        told = {"fixed": "{share:g}", "range": "{low:g} to {high:g}", "counted": "as of {positives:,} in {items:,}"}
        said = told[self.target.form].format(**self.target.facts)
        return f"ShiftedTally({super().__repr__()[len('Tally(') : -1]}; prevalence {said})"

    def to_dict(self) -> dict[str, Any]:
        """Refused: what travels is the tally."""
        raise BadCounts("a shifted tally cannot be written as JSON: send the tally, and shift it there.")


def shifted(evidence: Any, prevalence: Any) -> ShiftedTally:
    """The same answers, asked of a target with this share of positives."""
    if not isinstance(evidence, Tally):
        what = type(evidence).__name__
        raise BadSetting(
            f"{option('prevalence')} needs truths and answers of classes, item by item: their recall and specificity "
            f"carry over to the target; {_KINDS.get(what, what)} has none."
        )
    label = evidence.positive
    if isinstance(prevalence, Mapping):
        label, prevalence = _of_labels(evidence, prevalence)
    if len(evidence.labels) < 2:
        needed = f"Give {option('labels')}."
        raise BadLabels(f"{option('prevalence')} needs two classes; only {listing(evidence.labels)} occurs. {needed}")
    if label is None:
        several = f"the positive class, whose share it is: one of {listing(evidence.labels)}"
        raise NeedsPositive(f"{option('prevalence')} needs {several}. {_named(evidence.labels[-1])}.")
    two = evidence if len(evidence.labels) == 2 else evidence.versus_rest(label)
    own = {f.name: getattr(two, f.name) for f in fields(Tally)}
    return ShiftedTally(**own, target=_target(label, prevalence))


_KINDS = {
    "Outcomes": "a rate of passes",
    "Multilabel": "a set of labels per item",
    "Stratified": "a stratified sample, whose shares are known,",
    "Clustered": "a sample of clusters",
    "Graded": "a mean of values",
    "Sliced": "a sample of clusters, or a mean of values,",
    "Scored": "a score without a threshold",
    "JudgedOutcomes": "a sample with a judge's verdicts",
    "JudgedTally": "a sample with a judge's labels",
}


def _named(label: Label) -> str:
    """How to say which class is positive."""
    return f"Take {spelled(f'tally.with_positive({label!r})', option('positive', label))}"


def _of_labels(t: Tally, shares: Mapping[Any, Any]) -> tuple[Label, Any]:
    """The class that a target tells the share of, and its share, from the shares of both classes."""
    if len(t.labels) != 2:
        raise BadSetting(
            f"shares of several classes are known for two classes only; these are {len(t.labels)}. "
            f"{_named(t.labels[-1])}, and its share alone: {option('prevalence', 0.01)}."
        )
    found = {t.labels[t.find(k)]: _share(v) for k, v in shares.items()}
    if len(found) != 2 or abs(sum(found.values()) - 1.0) > 1e-9:
        raise BadSetting(
            f"{option('prevalence')} needs the shares of both classes, {listing(t.labels)}, which add up to 1; got "
            f"{shares!r}."
        )
    label = t.positive if t.positive is not None else t.labels[1]
    return label, found[label]


def _target(label: Label, given: Any) -> TargetShare:
    if isinstance(given, (Tally, Outcomes)):
        return _counted(label, given)
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)) and len(given) == 2:
        low, high = (_share(x, closed=True) for x in given)
        if not low < high:
            what = "give the one number alone" if low == high else "give the smaller one first"
            raise BadSetting(
                f"{option('prevalence')} as a range runs from a share to a higher one; got {low:g} to {high:g}: {what}."
            )
        return TargetShare(label, low, high)
    share = _share(given)
    return TargetShare(label, share, share)


def _share(given: Any, closed: bool = False) -> float:
    """A share above 0 and below 1, of a range also 0 and 1."""
    value = finite(given)
    if LEAST <= value <= 1.0 - LEAST or (closed and value in (0, 1)):
        return value
    if 0 < value < 1:
        raise BadSetting(f"{option('prevalence')} must be at least {LEAST:g} from 0 and from 1; got {given!r}.")
    hint = f" Did you mean {given / 100:g}?" if 1 < value < 100 else ""
    ways = spelled("(0.005, 0.02), or a Tally of the target", "0.005..0.02, or positives of items: 12/3000")
    raise BadSetting(
        f"{option('prevalence')} is the share of positives in the target, above 0 and below 1, such as 0.01, or a "
        f"range, such as {ways}; got {given!r}.{hint}"
    )


def _counted(label: Label, given: Tally | Outcomes) -> TargetShare:
    """From a sample of the target: its truths, or passes that stand for positives."""
    if given.shape or given.weighted:
        what = "weighted" if given.weighted else "a batch of tables"
        raise BadSetting(f"the target of {option('prevalence')} must be one table of unweighted items; this is {what}.")
    if isinstance(given, Outcomes):
        if len(given.systems) > 1:
            raise BadSetting(f"the target of {option('prevalence')} must be one rate; got {len(given.systems)}.")
        here = given.cells[:, 0] == 1
    else:
        here = given.cells[:, 0] == _row(label, given)
    yes, no = (float(given.counts[where].sum()) for where in (here, ~here))
    if not yes + no:
        raise BadSetting(f"the target of {option('prevalence')} has no items: give a sample with some, or a range.")
    share = yes / (yes + no)
    return TargetShare(label, share, share, (yes, no), isinstance(given, Outcomes))


def _row(label: Label, given: Tally) -> int:
    """The truth row of the class in a sample of the target."""
    if label in given.labels:
        return given.labels.index(label)
    if set(given.labels) == UNNAMED:
        return given.labels.index(1)
    raise BadLabels(
        f"the target of {option('prevalence')} has no class {label!r}: its classes are {listing(given.labels)}."
    )
