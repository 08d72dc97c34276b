"""scikit-learn's classification report, with an interval beside each number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, overload

import numpy as np

from howsure.catalogue import Metric, parse
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, plural
from howsure.evidence.classes import Tally
from howsure.io.label_arrays import of_arrays
from howsure.messages.numbers import count
from howsure.messages.user_text import visible
from howsure.posteriors.posterior import Posterior, posterior
from howsure.validate import AUTO, Label, check_kind, check_labels, check_level
from howsure.verbs.inputs import is_table

_COLUMNS: Final = {"precision": "precision", "recall": "recall", "f1-score": "f1"}  # heading -> measure
Found = tuple[float, float, float]  # score, low, high; NaN where there is none


@dataclass(frozen=True)
class _Line:
    """A row of the report."""

    name: str
    found: Mapping[str, Found]
    support: Any


@dataclass(frozen=True)
class _Reported:
    """A posterior, the places of the classes to be shown, and how to show their numbers."""

    posterior: Posterior
    chosen: list[int]
    level: float
    interval: str
    undefined: float

    @property
    def cells(self) -> dict[str, Any]:
        """The counts of the classes to be shown."""
        return {name: np.asarray(x)[self.chosen] for name, x in self.posterior.evidence.by_class().items()}

    @property
    def whole(self) -> bool:
        """Whether all classes are shown."""
        return len(self.chosen) == len(self.posterior.evidence.labels)

    @property
    def support(self) -> Any:
        """True items of each class that is shown."""
        return self.cells["tp"] + self.cells["fn"]

    def found(self, metric: str | Metric) -> list[Found]:
        """A measure: once, or of every class."""
        q = self.posterior.resolve(metric)
        low, high = q.distribution.interval(self.level, kind=self.interval)
        score = np.where(np.isnan(q.score), self.undefined, q.score)
        return list(zip(*(np.atleast_1d(x).tolist() for x in (score, low, high)), strict=True))

    def of_classes(self, metric: str) -> list[Found]:
        """A measure of the classes to be shown, each against the rest."""
        labels, prior = self.posterior.evidence.labels, self.posterior.prior
        if not (prior.two_level or prior.table is not None or "*" in labels):
            every = self.found(f"{metric}:*")
            return [every[i] for i in self.chosen]
        return [self.found(parse(metric).of(labels[i]))[0] for i in self.chosen]


@overload
def classification_report(
    y_true: Any, y_pred: Any, *, labels: Sequence[Label] | None = None, target_names: Sequence[str] | None = None,
    sample_weight: Any = None, digits: int = 2, output_dict: Literal[False] = False, zero_division: float = math.nan,
    level: float = 0.95, interval: str = AUTO, prior: Any = "even", tolerance: float = 0.02,
) -> str: ...  # fmt: skip
@overload
def classification_report(
    y_true: Any, y_pred: Any, *, labels: Sequence[Label] | None = None, target_names: Sequence[str] | None = None,
    sample_weight: Any = None, digits: int = 2, output_dict: Literal[True], zero_division: float = math.nan,
    level: float = 0.95, interval: str = AUTO, prior: Any = "even", tolerance: float = 0.02,
) -> dict[str, Any]: ...  # fmt: skip
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Label] | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: float = math.nan,
    level: float = 0.95,
    interval: str = AUTO,
    prior: Any = "even",
    tolerance: float = 0.02,
) -> str | dict[str, Any]:
    """scikit-learn's classification report, each number with its interval.

    Truths and answers are labels, tables of 0 and 1 (a column per label), or lists of label sets. A dictionary has the
    keys of scikit-learn's, and beside each number its ends: precision, precision_low, precision_high. What is 0/0 is
    undefined (shown as "-", nan in the dictionary), or 0 with zero_division=0; averages take 0 for it either way, as
    scikit-learn's do by default (with nan they leave it out). Averages over some of the classes, chosen by `labels`,
    come without intervals.

    >>> print(classification_report(list("aabbbb"), list("aabbba")))
                   precision            recall          f1-score   support
    ...
    >>> classification_report([0, 1, 1], [0, 1, 0], output_dict=True)["accuracy"]
    0.6666666666666666
    """
    t, shown = _evidence(y_true, y_pred, labels, sample_weight)
    p, chosen = posterior(t, prior, tolerance=tolerance), [t.labels.index(x) for x in shown]
    asked = _Reported(p, chosen, check_level(level), check_kind(interval), _zero_division(zero_division))
    lines = _class_lines(asked, _names(shown, target_names))
    averages = _averages(asked, lines)
    if output_dict:
        return _document(lines, averages)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
        raise BadSetting(f"digits= is a whole number from 0 to 15; got {digits!r}.")
    kind = "" if asked.interval == AUTO else f" {asked.interval}"
    told = f"{100 * asked.level:.12g}%{kind} intervals, prior {asked.posterior.prior.name}"
    told += "" if asked.whole else "; averages over some of the classes have none"
    return _text(lines, averages, digits, told)


def _zero_division(value: Any) -> float:
    if isinstance(value, (int, float)) and (value == 0 or math.isnan(value)):
        return float(value)
    raise BadSetting(f"zero_division= is 0, or nan for undefined (the default); got {value!r}.")


def _evidence(y_true: Any, y_pred: Any, labels: Any, weight: Any) -> tuple[Any, tuple[Label, ...]]:
    """What was observed, and the classes to be shown."""
    wanted = None if labels is None else check_labels(labels)
    if is_table(y_true) or _are_sets(y_true):
        if weight is not None:
            raise BadSetting("sample_weight= goes with one label per item; these have any number of them.")
        many = Tally.multilabel(y_true, y_pred)
        return many, many.labels if wanted is None else _known(wanted, many.labels)
    t: Any = of_arrays(y_true, y_pred, weight=weight)
    occurs = np.asarray(sum(x for name, x in t.by_class().items() if name != "tn")) > 0
    seen = tuple(x for x, here in zip(t.labels, occurs.tolist(), strict=True) if here)
    shown = seen if wanted is None else wanted
    every = (*shown, *(x for x in seen if x not in shown))
    if every != t.labels:
        t = of_arrays(y_true, y_pred, weight=weight, labels=every)
    return t, shown


def _are_sets(y: Any) -> bool:
    return isinstance(y, (list, tuple)) and len(y) > 0 and isinstance(y[0], (set, frozenset, list, tuple))


def _known(wanted: tuple[Label, ...], labels: tuple[Label, ...]) -> tuple[Label, ...]:
    unknown = next((x for x in wanted if x not in labels), None)
    if unknown is not None:
        raise UnknownName(f"labels= names {unknown!r}, which is not among the labels: {listing(labels)}.")
    return wanted


def _names(shown: tuple[Label, ...], target_names: Any) -> list[str]:
    if target_names is None:
        return [str(x) for x in shown]
    names = [str(x) for x in target_names]
    if len(names) != len(shown):
        raise BadLabels(
            f"target_names= has {plural(len(names), 'name')} for {plural(len(shown), 'class', 'classes')}, "
            f"{listing(shown)}."
        )
    return names


def _class_lines(asked: _Reported, names: list[str]) -> list[_Line]:
    columns = {heading: asked.of_classes(metric) for heading, metric in _COLUMNS.items()}
    support = asked.support.tolist()
    return [
        _Line(name, {heading: found[i] for heading, found in columns.items()}, support[i])
        for i, name in enumerate(names)
    ]


def _averages(asked: _Reported, lines: list[_Line]) -> list[_Line]:
    """Accuracy, or the micro average where items have many labels or some classes are left out; and the others."""
    total = asked.support.sum().item()
    several = type(asked.posterior.evidence) is not Tally
    if not asked.whole:
        return [_Line(f"{kind} avg", found, total) for kind, found in _of_some(asked.cells).items()]
    kinds = ["micro", "macro", "weighted", "samples"] if several else ["macro", "weighted"]
    first = [] if several else [_Line("accuracy", {"f1-score": asked.found("accuracy")[0]}, total)]
    if len(lines) == 1 and not several:
        return [*first, *(_Line(f"{kind} avg", lines[0].found, total) for kind in kinds)]
    found = {kind: {h: asked.found(f"{kind}-{m}")[0] for h, m in _COLUMNS.items()} for kind in kinds}
    return [*first, *(_Line(f"{kind} avg", own, total) for kind, own in found.items())]


def _of_some(cells: Mapping[str, Any]) -> dict[str, dict[str, Found]]:
    """Averages over some of the classes, by their formulas: 0/0 counts as 0."""
    tp, fp, fn = (np.asarray(cells[x], dtype=float) for x in ("tp", "fp", "fn"))

    def all_three(a: Any, b: Any, c: Any) -> dict[str, Any]:
        with np.errstate(invalid="ignore"):
            found = {"precision": a / (a + b), "recall": a / (a + c), "f1-score": 2 * a / (2 * a + b + c)}
        return {heading: np.nan_to_num(x) for heading, x in found.items()}

    each, weights = all_three(tp, fp, fn), tp + fn
    made = {
        "micro": all_three(tp.sum(), fp.sum(), fn.sum()),
        "macro": {heading: x.mean() for heading, x in each.items()},
        "weighted": {
            heading: np.nan_to_num((weights * x).sum() / (weights.sum() or np.nan)) for heading, x in each.items()
        },
    }
    return {kind: {h: (float(x), math.nan, math.nan) for h, x in own.items()} for kind, own in made.items()}


def _document(lines: list[_Line], averages: list[_Line]) -> dict[str, Any]:
    """The keys of scikit-learn's dictionary, and the ends of intervals beside them."""
    names = [line.name for line in (*lines, *averages)]
    twice = next((x for i, x in enumerate(names) if x in names[:i]), None)
    if twice is not None:
        raise BadLabels(f"two rows are named {twice!r}: a dictionary needs a name for each; give target_names=.")
    found: dict[str, Any] = {}
    for line in (*lines, *averages):
        if line.name == "accuracy" and list(line.found) == ["f1-score"]:
            found |= _flat({"accuracy": line.found["f1-score"]})
        else:
            found[line.name] = {**_flat(line.found), "support": line.support}
    return found


def _flat(found: Mapping[str, Found]) -> dict[str, float]:
    return {
        name: x
        for heading, own in found.items()
        for name, x in zip((heading, f"{heading}_low", f"{heading}_high"), own, strict=True)
    }


def _text(lines: list[_Line], averages: list[_Line], digits: int, told: str) -> str:
    """Right-aligned columns, as scikit-learn has them."""
    every = [
        [visible(line.name), *(_cell(line.found.get(h), digits) for h in _COLUMNS), _support(line.support)]
        for line in (*lines, *averages)
    ]
    head = ["", *_COLUMNS, "support"]
    wide = [max(len(x) for x in column) for column in zip(head, *every, strict=True)]
    wide[0] = max(wide[0], len("weighted avg"))

    def row(cells: list[str]) -> str:
        return "  ".join(f"{x:>{w}}" for x, w in zip(cells, wide, strict=True))

    top, bottom = every[: len(lines)], every[len(lines) :]
    return "\n".join([row(head), "", *map(row, top), "", *map(row, bottom), "", told, ""])


def _cell(found: Found | None, digits: int) -> str:
    if found is None:
        return ""
    score, low, high = found
    shown = "-" if math.isnan(score) else f"{score:.{digits}f}"
    return shown if math.isnan(low) else f"{shown} [{low:.{digits}f}, {high:.{digits}f}]"


def _support(n: float) -> str:
    return count(n).replace(",", "")
