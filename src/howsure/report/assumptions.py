"""What a result rests on and what would break it: sentences that are true of this result, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from howsure.render.kinds import Assumption, ResultDict, ResultKind, kind_of
from howsure.report.opening import elsewhere, judged, several, units_of

_CELL_WEIGHTS: Final = {"jeffreys": 0.5, "uniform": 1.0}  # others that put the same on every cell are named by it


def assumptions(result: ResultDict, measures: Sequence[Any] = ()) -> list[Assumption]:
    """Return each assumption with what would break it; the measures are those of the result."""
    kind = kind_of(result)
    own = list(kind.assumptions(result))
    if not kind.sampled:
        return own or [_arithmetic(result)]
    return [*_sampling(result, kind), *_labels(result, kind), *_settings(result, kind, measures), *own]


def _sampling(result: ResultDict, kind: ResultKind) -> Iterator[Assumption]:
    data, codes = result.get("data") or {}, {n["code"] for n in result.get("notes") or ()}
    units = several(kind.unit)
    if data.get("clusters"):
        yield (
            "Clusters were drawn independently of each other; items within one may go together.",
            "Clusters that share items or sources: then there are fewer independent ones than counted.",
        )
    else:
        yield (
            f"The {units} were drawn independently of each other.",
            f"Near duplicates, several {units} of one user, document or day: intervals are then too narrow."
            + (" Name what goes together as a cluster." if kind.clusters else ""),
        )
    yield (
        "Results apply only to data like this sample.",
        "Other users, other times, or items that were picked by hand: a score on those may be another.",
    )
    if data.get("weighted") or "weights" in codes:
        yield (
            "Weights are what was intended: how many items of the population each one stands for.",
            "Weights that depend on the answers of the system.",
        )
    if data.get("prevalence"):
        yield (
            "Within each class the target is like the test; only the share of positives is another.",
            "Positives that are harder, or negatives that are easier, in the target than in the test.",
        )


def _labels(result: ResultDict, kind: ResultKind) -> Iterator[Assumption]:
    data = result.get("data") or {}
    if kind.labels is not None:
        yield kind.labels
    elif judged(result):
        yield from _validation(result)
    elif data.get("outcome"):
        yield "A pass is a pass: each outcome was recorded right.", "Graders that err, or that know the system."
    elif data.get("value", "") != "" and "bounds" in data:
        yield "The values mean the same on every item.", "Graders whose scale drifts from item to item."
    elif "same" not in data:  # wins have no labels
        yield (
            "The labels that are called truth are right.",
            "Wrong labels count as mistakes of the system, or hide them; an error that both share goes unseen.",
        )


def _validation(result: ResultDict) -> Iterator[Assumption]:
    """What a correction of a judge rests on."""
    yield (
        "Labels of people are right; those of the judge need not be.",
        "People who err, or who saw what the judge said: the correction then leads to their errors.",
    )
    if elsewhere(result):
        yield (
            "The judge has the same recall and specificity on these items as on those that people labelled elsewhere.",
            "Items that are harder for the judge here than there, or another version of the judge.",
        )
    else:
        yield (
            "The items that people labelled are a random part of all items, or were chosen by the judge's label alone.",
            "People who labelled the easy, the odd or the disputed items: there the judge errs at another rate.",
        )


def _settings(result: ResultDict, kind: ResultKind, measures: Sequence[Any]) -> Iterator[Assumption]:
    data, rows, prior = result.get("data") or {}, result["rows"], result.get("prior")
    systems = len(data.get("systems") or ())
    if prior and prior.get("name"):
        yield (
            f"Before the data, what was known is the prior {prior['name']}{_worth(result, kind, measures)}.",
            "Fails if there are very few items: the prior then matters. Compare the other priors where shown.",
        )
    if systems > 1 and data.get("paired"):
        yield "All systems answered the same items.", "Items that only some systems got, or in another form."
    elif systems > 1 and data.get("paired") is False:
        yield (
            "The systems were tested on different items, drawn from one population.",
            "Tests of different difficulty: then the difference is one of tests.",
        )
    if any(row.get("slice") for row in rows):
        yield (
            "Slices were chosen before anyone saw the scores.",
            "Looking for the worst of many slices: some look bad by chance alone. Test those again on new items.",
        )


def _worth(result: ResultDict, kind: ResultKind, measures: Sequence[Any]) -> str:
    """How much the prior weighs in the measures shown: these need not all have the same.

    Averages in which classes count alike have weight 1 per class under `even` (docs: priors); a prior with the same
    weight on every cell weighs more on the table of all classes than on that of a class against the rest.
    """
    data, prior, notes = result.get("data") or {}, result["prior"], result.get("notes") or ()
    name, total, classes = prior["name"], prior.get("total"), len(data.get("labels") or ())
    if any(n["code"] == "labels" for n in notes):  # sets of labels: each measure has a rule of its own
        return "; what it weighs in each measure is told below" if any(n["code"] == "prior" for n in notes) else ""
    if total is None:
        return ""
    unit = "cluster" if data.get("clusters") else kind.unit
    named = dict.fromkeys(map(str, measures))
    alike = dict.fromkeys(str(m) for m in measures if getattr(m, "classes_count_alike", False) and m.label is None)
    if name == "even" and alike and classes != 2:
        each = f"{_many(classes, unit)} in all: 1 per class" if classes else f"1 {unit} per class"
        others = len(alike) < len(named)
        return (
            f", worth {_many(total, unit)} in all, but for {', '.join(alike)} {each}" if others else f", worth {each}"
        )
    if (weight := _cell_weight(name)) and total > 4 * weight:
        one, whole = _many(4 * weight, unit), _many(total, unit)
        return f", worth {one} in all for one class against the rest, and {whole} for all classes together"
    return f", worth {_many(total, unit)} in all"


def _cell_weight(name: str) -> float | None:
    """The weight of a cell under a prior that has the same on every one."""
    try:
        return _CELL_WEIGHTS.get(name) or float(name)
    except ValueError:
        return None


def _many(number: float, unit: str) -> str:
    """Return so many units, and parts of them: 2 items, 4.5 queries."""
    return units_of(number, unit) if float(number).is_integer() else f"{number:.4g} {several(unit)}"


def _arithmetic(result: ResultDict) -> Assumption:
    """Return what relations of metrics rest on."""
    return (
        "The relation holds by arithmetic; the band around it rests on independent items and the prior."
        if result.get("prior")
        else "These are relations that hold by arithmetic; nothing was sampled.",
        "Holding a value constant that changes with the threshold in reality.",
    )
