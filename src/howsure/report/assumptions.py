"""What a result rests on and what would break it: sentences that are true of this document, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from howsure.messages.numbers import count
from howsure.report.opening import elsewhere, judged, kind_of

Document = dict[str, Any]
Pair = tuple[str, str]  # what is assumed, and what would break it
_CELL_WEIGHTS: Final = {"jeffreys": 0.5, "uniform": 1.0}  # others that put the same on every cell are named by it
_RELATIONS: Final = ("solve", "tradeoff", "mixture", "surface", "eleven-point", "identities", "association")


def assumptions(document: Document, measures: Sequence[Any] = ()) -> list[Pair]:
    """Each with what would break it; the measures are those of the document."""
    kind = kind_of(document)
    if kind in _RELATIONS:
        return list(_relations(document, kind))
    if kind == "folds":
        return list(_folds())
    return [*_sampling(document, kind), *_labels(document, kind), *_settings(document, kind, measures)]


def _sampling(document: Document, kind: str) -> Iterator[Pair]:
    data, codes = document.get("data") or {}, {n["code"] for n in document.get("notes") or ()}
    unit = "queries" if kind == "trec" else "items"
    if data.get("clusters"):
        yield (
            "Clusters were drawn independently of each other; items within one may go together.",
            "Clusters that share items or sources: then there are fewer independent ones than counted.",
        )
    else:
        yield (
            f"The {unit} were drawn independently of each other.",
            f"Near duplicates, several {unit} of one user, document or day: intervals are then too narrow."
            + (" Name what goes together as a cluster." if kind in ("score", "compare", "leaderboard", "gate") else ""),
        )
    yield (
        f"What is said holds for the population that these {unit} are a random sample of.",
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


def _labels(document: Document, kind: str) -> Iterator[Pair]:
    data = document.get("data") or {}
    if kind == "trec":
        yield (
            "Judgments are right, and documents that nobody judged are treated as the notes say.",
            "Runs that found relevant documents which were never judged: they score too low.",
        )
    elif judged(document):
        yield from _validation(document)
    elif data.get("outcome"):
        yield "A pass is a pass: each outcome was recorded right.", "Graders that err, or that know the system."
    elif data.get("value", "") != "" and "bounds" in data:
        yield "The values mean the same on every item.", "Graders whose scale drifts from item to item."
    elif kind != "compare" or "same" not in data:
        yield (
            "The labels that are called truth are right.",
            "Wrong labels count as mistakes of the system, or hide them; an error that both share goes unseen.",
        )


def _validation(document: Document) -> Iterator[Pair]:
    """What a correction of a judge rests on."""
    yield (
        "Labels of people are right; those of the judge need not be.",
        "People who err, or who saw what the judge said: the correction then leads to their errors.",
    )
    if elsewhere(document):
        yield (
            "The judge has the same recall and specificity on these items as on those that people labelled elsewhere.",
            "Items that are harder for the judge here than there, or another version of the judge.",
        )
    else:
        yield (
            "The items that people labelled are a random part of all items, or were chosen by the judge's label alone.",
            "People who labelled the easy, the odd or the disputed items: there the judge errs at another rate.",
        )


def _settings(document: Document, kind: str, measures: Sequence[Any]) -> Iterator[Pair]:
    data, rows, prior = document.get("data") or {}, document["rows"], document.get("prior")
    systems = len(data.get("systems") or ())
    if prior and prior.get("name"):
        yield (
            f"Before the data, what was known is the prior {prior['name']}{_worth(document, kind, measures)}.",
            "Very few items, or very rare classes: there the prior is heard. Compare the other priors where shown.",
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
    if kind in ("leaderboard", "trec") and systems > 2:
        yield (
            "The systems were not tuned on these items.",
            "Many versions tried on the same test: the best one looks better than it is.",
        )
    yield from _of_kind(document, kind)


def _worth(document: Document, kind: str, measures: Sequence[Any]) -> str:
    """How much the prior weighs in the measures shown: these need not all have the same.

    Averages in which classes count alike have weight 1 per class under `even` (docs/priors.md); a prior with the same
    weight on every cell weighs more on the table of all classes than on that of a class against the rest.
    """
    data, prior, notes = document.get("data") or {}, document["prior"], document.get("notes") or ()
    name, total, classes = prior["name"], prior.get("total"), len(data.get("labels") or ())
    if any(n["code"] == "labels" for n in notes):  # sets of labels: each measure has a rule of its own
        return "; what it weighs in each measure is told below" if any(n["code"] == "prior" for n in notes) else ""
    if total is None:
        return ""
    unit = "cluster" if data.get("clusters") else "query" if kind == "trec" else "item"
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
    """2 items, 1 query.

    >>> _many(2, "item"), _many(1, "query"), _many(4.5, "query")
    ('2 items', '1 query', '4.5 queries')
    """
    several = "queries" if unit == "query" else f"{unit}s"
    shown = count(number) if float(number).is_integer() else f"{number:.4g}"
    return f"{shown} {unit if number == 1 else several}"


def _of_kind(document: Document, kind: str) -> Iterator[Pair]:
    if kind in ("curve", "threshold") and any(n["code"] in ("best", "best-of-many") for n in document["notes"]):
        yield (
            "A threshold that was chosen on these items is judged on others.",
            "Reading the score at the best threshold as what it will be: it was picked because it looked good.",
        )
    if kind == "forecast":
        yield "The next items come from the same population.", "A change of users, of labels or of the system."
    if kind == "plan":
        yield (
            "Future items are like those of the pilot, or as expected.",
            "A pilot of easy items, or expectations that were hopes: the plan is then too small.",
        )
    if kind == "gate":
        yield (
            "Requirements were set before the test.",
            "Testing again and again until it passes: some test will.",
        )


def _relations(document: Document, kind: str) -> Iterator[Pair]:
    if kind == "solve":
        yield (
            "All reported values are of one table, and rounded as usual.",
            "Values of different test sets, averages over classes or runs, or a misprint.",
        )
    elif kind == "association":
        yield "The table counts independent items.", "Items that go together: standard errors are then too small."
    else:
        yield (
            "These are relations that hold by arithmetic; nothing was sampled."
            if not document.get("prior")
            else "The relation holds by arithmetic; the band around it rests on independent items and the prior.",
            "Holding a value constant that changes with the threshold in reality.",
        )


def _folds() -> Iterator[Pair]:
    yield (
        "Scores of folds go together, because these share training data: as much as the share that is tested.",
        "Very small folds, or learning algorithms that change a lot with a few training items.",
    )
    yield "Differences of folds are about normal.", "A few folds that are far from all others."
    yield (
        "All algorithms had the same folds, and the data are a random sample.",
        "Preprocessing or tuning that saw the test folds.",
    )
