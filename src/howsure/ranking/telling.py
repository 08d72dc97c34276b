"""What is to be said of runs and measures: notes, and the account of lines and queries read, kept and left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import BadSetting
from howsure.notes import Notes, note
from howsure.ranking.field import Array, Asked, Field
from howsure.ranking.measures import RunMeasure
from howsure.rankings import Judgments, RankedRun


def lacking(m: Asked) -> str:
    """Why a query has no value under a measure."""
    if not isinstance(m, RunMeasure):
        return "ir-measures gives none"
    return m.declared.undefined or "no document is relevant"


# -- the account


def account(field: Field, m: Asked, kept: NDArray[np.bool_]) -> dict[str, Any]:
    """Lines of the files and judged queries: read, kept for this measure, and left out, with the reasons."""
    every, common = len(field.qrels.queries), len(kept)
    why = "no-relevant" if isinstance(m, RunMeasure) and m.recall_based else "no-value"
    lost = {"missing-in-run": every - common, why: common - int(kept.sum())}
    of_runs = [_of_run(run.name, *x) for run, *x in zip(field.runs, field.whole, field.rankings, strict=True)]
    sources = [_of_judgments(field), *of_runs]
    reasons = dict.fromkeys(reason for x in sources for reason in x["left_out"])
    rows = _entry(sum(x["kept"] for x in sources), {r: sum(x["left_out"].get(r, 0) for x in sources) for r in reasons})
    return {"rows": rows | {"of": sources}, "queries": {str(m): _entry(int(kept.sum()), lost)}}


def _of_judgments(field: Field) -> dict[str, Any]:
    judged, kept = int((field.qrels.grade >= 0).sum()), len(field.judgments.grade)
    unjudged = len(field.qrels.grade) - judged  # of a negative grade
    lost = {"comment": field.qrels.comments, "negative-grade": unjudged, "missing-in-run": judged - kept}
    return {"name": field.qrels.name} | _entry(kept, lost)


def _of_run(name: str, whole: RankedRun, ranking: RankedRun) -> dict[str, Any]:
    every, kept = int(whole.retrieved.sum()), int(ranking.retrieved.sum())
    lost = {"comment": whole.facts["comments"], "unjudged-query": whole.facts["lines"] - every}
    return {"name": name} | _entry(kept, lost | {"missing-in-run": every - kept})


def _entry(kept: int, lost: dict[str, int]) -> dict[str, Any]:
    left_out = {reason: count for reason, count in lost.items() if count}
    return {"read": kept + sum(left_out.values()), "kept": kept, "left_out": left_out}


# -- notes


def notes_of_all(field: Field, only_common: bool) -> Notes:
    """What holds for every measure."""
    notes = []
    total, common = len(field.qrels.queries), len(field.judgments.queries)
    for run, ranking in zip(field.runs, field.whole, strict=True):
        missing = _where(ranking.retrieved == 0, field.qrels.queries)
        if missing and not only_common:
            first = tuple(missing[:4])
            notes.append(note("missing-queries", run=run.name, count=len(missing), total=total, first=first))
        if ranking.facts["unjudged_queries"]:
            notes.append(note("queries-without-judgments", run=run.name, count=ranking.facts["unjudged_queries"]))
    if common < total:
        notes.append(note("only-common", count=total - common, total=total))
    barren = _where(field.judgments.relevant(1) == 0, field.judgments.queries)
    if barren:
        notes.append(_barren(field, barren, 1))
    unjudged = _unjudged(field)
    if unjudged:
        notes.append(note("unjudged", runs=unjudged))
    if field.ties == "float32":
        notes.append(note("ties"))
    return tuple(notes)


def _where(holds: NDArray[np.bool_], queries: Iterable[str]) -> list[str]:
    return [q for q, h in zip(queries, holds.tolist(), strict=True) if h]


def _barren(field: Field, queries: list[str], level: int, **of: Any) -> Any:
    facts = {"count": len(queries), "first": tuple(queries[:6]), "level": level, **of}
    return note("no-relevant", zero=field.barren_as_zero, **facts)


def _unjudged(field: Field) -> tuple[tuple[str, int, int, float], ...]:
    """How many of the documents retrieved nobody judged: run, how many, of how many, share of the first ten."""
    found = []
    for run, ranking in zip(field.runs, field.rankings, strict=True):
        retrieved = int(ranking.retrieved.sum())
        lost = retrieved - len(ranking.rank)
        first = int(np.minimum(ranking.retrieved, 10).sum())
        early = first - int((ranking.rank <= 10).sum())
        if lost:
            found.append((run.name, lost, retrieved, early / first))
    return tuple(found)


def notes_of(field: Field, m: Asked, values: Array) -> Notes:
    """Rules that the numbers of a measure depend on, named; and the queries that it has no value for."""
    recall_based = isinstance(m, RunMeasure) and m.recall_based
    lost = [] if recall_based else _where(np.asarray(np.isnan(values).any(axis=1)), field.judgments.queries)
    notes = []
    if lost:
        notes.append(note("no-value", metric=str(m), count=len(lost), first=tuple(lost[:4]), why=lacking(m)))
    if not isinstance(m, RunMeasure):
        return (note("foreign", metric=str(m)), *notes)
    notes += _of_level(field, m, m.parameters["rel"])
    if m.rule is not None:
        notes.append(note("recall-rule", metric=str(m), rule=m.rule))
    if m.micro:
        notes.append(note("micro", metric=str(m)))
    if m.unjudged != "not":
        notes.append(note("unjudged-view", metric=str(m), form=m.unjudged))
    if m.declared.counts:
        sums = tuple((run.name, float(x)) for run, x in zip(field.runs, np.nansum(values, axis=0), strict=True))
        notes.append(note("counts", metric=str(m), sums=sums))
    return (*notes, *_peers(field, m))


def _of_level(field: Field, m: RunMeasure, level: int) -> Notes:
    """Queries without a document of a higher level of relevance, where the measure divides by their number."""
    if level < 2:
        return ()
    judgments: Judgments = field.judgments
    highest = int(judgments.grade.max(initial=0))
    if highest < level:
        raise BadSetting(
            f"no document has grade {level} or a higher one, so {m} is of no use; the highest is {highest}."
        )
    barren = _where(judgments.relevant(level) == 0, judgments.queries)
    return (_barren(field, barren, level, metric=str(m)),) if barren and m.recall_based else ()


def _peers(field: Field, m: RunMeasure) -> Notes:
    """Where a measure of this name has another value in ir-measures or trec_eval."""
    if m.kind == "SetF" and m.parameters["beta"] != 1.0:
        return (
            note(
                "peer", form="beta", metric=str(m), weight=m.parameters["beta"] ** 2, root=m.parameters["beta"] ** 0.5
            ),
        )
    if m.kind == "IPrec" and (100 * m.at).denominator > 1:
        return (note("peer", form="recall", metric=str(m), theirs=f"{float(m.at):.2f}"),)
    if m.kind == "Judged" and field.qrels.grade.min(initial=0) < 0:
        return (note("peer", form="negative", metric=str(m)),)
    tied = any(ranking.facts["tied"] for ranking in field.rankings)
    if tied and m.unjudged == "not" and (m.kind == "Judged" or (m.kind == "RR" and m.at is not None)):
        return (note("peer", form="ties", metric=str(m)),)
    if tied and m.kind == "Accuracy":
        return (note("peer", form="order", metric=str(m)),)
    return ()
