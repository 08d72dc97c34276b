"""trec: judgments and runs to Graded, one value for each query, run and measure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.graded import Graded, Mean
from howsure.ingest.records import are_records
from howsure.ingest.streams import OnDisk, on_disk
from howsure.ingest.trec import TIES, Qrels, Run, rank, read_qrels, read_run
from howsure.language import option
from howsure.notes import Notes
from howsure.ranking.field import Asked, Field
from howsure.ranking.ir_measures_bridge import Foreign, foreign, is_measure
from howsure.ranking.measures import FAMILIES, RunMeasure
from howsure.ranking.naming import parse
from howsure.ranking.telling import account, lacking, notes_of, notes_of_all
from howsure.rankings import RankedRun
from howsure.settings import check_seed, flag, metrics_given

DEFAULT: Final = ("nDCG@10", "AP", "P@10", "RR", "R@100")
VIEWS: Final = ("not", "bounds", "rate")
BARREN: Final = ("drop", "zero")


def trec(
    qrels: Any,
    runs: Any,
    *,
    metric: Iterable[str] | str | None = None,
    metrics: Iterable[str] | str | None = None,
    only_common: bool = False,
    no_relevant: str = "drop",
    unjudged: str = "not",
    ties: str = "score",
    seed: int = 0,
) -> Graded:
    """Values of every query, as Graded for score, compare and leaderboard; the first measure is the default of these.

    `metric` and `metrics` mean the same, a name or several.

    `qrels` and each run of `runs`, {"bm25": run, …}, are TREC files (packed too), frames, or dicts of dicts. A judged
    query that is missing from a run counts as 0; `only_common` leaves it out. A query without relevant documents is
    left out of measures that divide by their number; no_relevant="zero" counts it as 0, as trec_eval does.

    Documents go by score, then by id, both falling, as in trec_eval; ties="float32" rounds scores first, as pytrec-eval
    does. Unjudged documents are not relevant; unjudged="bounds" adds each measure as if all were, "rate" takes them to
    be relevant as often as judged ones.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d1": 0}}
    >>> runs = {"a": {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d1": 0.8, "d3": 0.1}}}
    >>> v = trec(qrels, runs, metrics=["AP", "P@1"])
    >>> v, v.only("map").values[:, 0].tolist()
    (Graded(2 items, AP, P@1), [1.0, 0.5])
    """
    if ties not in TIES:
        raise UnknownName(f"no rule {ties!r} for ties.{nearest(str(ties), TIES)} Give 'score' or 'float32'.")
    if unjudged not in VIEWS:
        told, hint = option("unjudged", unjudged), nearest(str(unjudged), VIEWS)
        raise UnknownName(f"{told} is not known.{hint} Give 'not', 'bounds' or 'rate'.")
    if no_relevant not in BARREN:
        told, hint = option("no_relevant", no_relevant), nearest(str(no_relevant), BARREN)
        raise UnknownName(f"{told} is not known.{hint} Give 'drop' or 'zero'.")
    seed, only_common = check_seed(seed), flag(only_common, "only_common")
    asked = _asked(metric, metrics, unjudged)
    given = [qrels, *(sources := _named(runs)).values()]
    with on_disk([x for x in given if isinstance(x, (str, Path))]) as files:
        places = iter(files)
        held = [next(places) if isinstance(x, (str, Path)) else x for x in given]
        judged = _judged(held[0])
        named = [
            read_run(x.path if isinstance(x, OnDisk) else x, name) for name, x in zip(sources, held[1:], strict=True)
        ]
        return _valued(asked, judged, named, only_common, ties, seed, no_relevant == "zero")


def _judged(source: Any) -> Qrels:
    if not isinstance(source, OnDisk):
        return read_qrels(source)
    return replace(read_qrels(source.path), name=source.shown)


def _valued(
    asked: Mapping[Asked, tuple[str, ...]], judged: Qrels, named: Sequence[Run], only_common: bool, ties: str,
    seed: int, zero: bool,
) -> Graded:  # fmt: skip
    """The values of all measures."""
    rankings = [_ranked(run, judged, ties) for run in named]
    common = np.all([r.retrieved > 0 for r in rankings], axis=0)
    if only_common and not common.any():
        raise BadLabels(f"the runs {listing([r.name for r in named])} have no judged query in common.")
    kept = common if only_common else np.ones(len(judged.queries), dtype=bool)
    rated = tuple(m for m in asked if isinstance(m, RunMeasure) and m.unjudged == "rate" and not m.micro)
    own = judged.judgments.only(kept), tuple(r.only(kept) for r in rankings)
    field = Field(judged, tuple(named), *own, seed, ties, rated, zero, tuple(rankings))
    notes = notes_of_all(field, only_common)
    parts = [_items(field, m, names, notes) for m, names in asked.items()]
    return replace(parts[0], rest=tuple(parts[1:]))


def _asked(metric: Any, metrics: Any, unjudged: str) -> dict[Asked, tuple[str, ...]]:
    """The measures, each with the names it was asked by."""
    theirs = tuple(type(x) for x in (metric, metrics) if is_measure(x))
    need = "names such as nDCG@10, or a list of them"
    wished = metrics_given(metric, metrics, "for the default measures", need, theirs)
    given: Sequence[Any] = DEFAULT if wished is None else wished if isinstance(wished, list) else [wished]
    found: dict[Asked, tuple[str, ...]] = {}
    for text in given:
        m, name = _measure(text)
        ways: list[Asked] = [m]
        if isinstance(m, RunMeasure) and m.kind != "Judged" and not m.declared.counts and m.unjudged == "not":
            ways = _WAYS[unjudged](m)
        for way in ways:
            found[way] = (*found.get(way, ()), name) if way == m else found.get(way, ())
    return found


def _measure(given: Any) -> tuple[Asked, str]:
    """Our own measure of a name, or of a measure of ir-measures; else one of ir-measures. And what it was asked by."""
    if is_measure(given):
        theirs, name = foreign(given), str(foreign(given))
        if hasattr(given, "runtime_impl"):  # declared by the user, whatever its name
            return theirs, name
        with contextlib.suppress(UnknownName):
            return parse(name), name
        return theirs, name
    try:
        return parse(given), str(given)
    except UnknownName as error:
        theirs = foreign(given, error, FAMILIES)
    with contextlib.suppress(UnknownName):  # once parameters that are the default are gone
        return parse(str(theirs)), str(given)
    return theirs, str(given)


_WAYS: Final[dict[str, Callable[[RunMeasure], list[Asked]]]] = {
    "not": lambda m: [m],
    "bounds": lambda m: [m, m.taking("relevant")],
    "rate": lambda m: [m.taking("rate")],
}


def _named(runs: Any) -> dict[str, Any]:
    """Runs by name: a mapping from name to run, a list of files, or one run alone."""
    if isinstance(runs, Mapping):
        depth_two = all(
            isinstance(x, Mapping) and not any(isinstance(y, Mapping) for y in list(x.values())[:1])
            for x in runs.values()
        )
        if runs and depth_two:
            return {"run": runs}
        named = {str(k): v for k, v in runs.items()}
        if len(named) < len(runs):
            raise BadLabels(f"runs need different names; got {listing(list(runs))}.")
    elif isinstance(runs, (str, Path)):
        named = {_called([runs])[0]: runs}
    elif isinstance(runs, Sequence) and all(isinstance(x, (str, Path)) for x in runs):
        from howsure.ingest.sniffing import system_names

        stems = _called(runs)
        names = stems if len(set(stems)) == len(stems) else system_names([str(x) for x in runs])
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise BadLabels(f"the run {twice!r} is given twice; give it once, or give each its own name.")
        named = dict(zip(names, runs, strict=True))
    elif isinstance(runs, (list, tuple)) and not are_records(runs):
        raise BadSetting("several runs that are not files need names: {'bm25': run, …}; got a list without.")
    else:
        named = {"run": runs}
    if not named:
        raise BadLabels("no runs were given; give {'bm25': run, …}, files or frames or dicts.")
    return named


def _called(paths: Sequence[str | Path]) -> list[str]:
    from howsure.ingest.streams import stream_names

    return [own or _stem(x) for own, x in zip(stream_names(paths), paths, strict=True)]


def _stem(path: Any) -> str:
    """bm25 of runs/bm25.txt.gz."""
    name = Path(path).name
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    for suffix in (".txt", ".run", ".trec", ".res", ".tsv"):
        name = name.removesuffix(suffix)
    return name or str(path)


def _ranked(run: Run, qrels: Qrels, ties: str) -> RankedRun:
    found = rank(run, qrels, ties)
    if not found.facts["queries"]:
        raise BadLabels(
            f"run {run.name!r} has none of the {len(qrels.queries):,} judged queries, such as {qrels.queries[0]!r}; "
            "check that both use the same query ids."
        )
    return found


# -- values


def _items(field: Field, m: Asked, asked: tuple[str, ...], notes: Notes) -> Graded:
    """The items of one measure: queries without a value are left out."""
    values, sizes, versions = field.values(m)
    kept = np.asarray(~np.isnan(values).any(axis=1))
    if kept.sum() < 2:
        why = "" if kept.all() else f"; {len(kept) - int(kept.sum()):,} have none: {lacking(m)}"
        text = f"the posterior of a mean needs two or more queries; {m} has {int(kept.sum())} with a value{why}."
        raise BadLabels(text)
    bounds = None if isinstance(m, Foreign) or m.declared.counts else (0.0, 1.0)
    ids = field.judgments.queries
    if not kept.all():
        ids = tuple(q for q, k in zip(ids, kept.tolist(), strict=True) if k)
    mean = Mean(better="higher", bounds=bounds or (-np.inf, np.inf), called=str(m), aliases=_aliases(m, asked),
                trec_eval=m.trec_eval, undefined="no queries")  # fmt: skip
    return Graded(
        values[kept], tuple(run.name for run in field.runs), ids, measure=mean, bounds=bounds,
        notes=(*notes, *notes_of(field, m, values)), lines=account(field, m, kept),
        sizes=None if sizes is None else sizes[kept], versions=None if versions is None else versions[kept],
    )  # fmt: skip


def _aliases(m: Asked, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Other names: those asked for, trec_eval's, and the usual ones."""
    found = [*asked, *([m.trec_eval] if m.trec_eval else [])]
    if isinstance(m, RunMeasure) and not m.given and not m.micro:
        found += [str(m).replace(m.kind, name, 1) for name in m.declared.aliases]
    return tuple(dict.fromkeys(x for x in found if x != str(m)))
