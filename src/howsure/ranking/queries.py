"""trec: judgments and runs to Items, one value for each query, run and measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import check_seed
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.items import Items, Mean
from howsure.ingest.records import are_records
from howsure.ingest.trec import TIES, Qrels, Run, rank, read_qrels, read_run
from howsure.kernels.draws import generator
from howsure.language import option
from howsure.notes import Notes, note
from howsure.ranking.engine import View
from howsure.ranking.ir_measures_bridge import Foreign, foreign, is_measure
from howsure.ranking.measures import RunMeasure, parse
from howsure.ranking.unjudged import VERSIONS, Pool
from howsure.rankings import Judgments, RankedRun

Array = NDArray[np.float64]
Asked = RunMeasure | Foreign

DEFAULT: Final = ("nDCG@10", "AP", "P@10", "RR", "R@100")
VIEWS: Final = ("not", "bounds", "rate")


def trec(
    qrels: Any,
    runs: Any,
    *,
    metrics: Iterable[str] | str | None = None,
    only_common: bool = False,
    unjudged: str = "not",
    ties: str = "score",
    seed: int = 0,
) -> Items:
    """Values of every query, as Items for score, compare and leaderboard; the first measure is the default of these.

    `qrels` and each run of `runs`, {"bm25": run, …}, are TREC files (packed too), frames, or dicts of dicts. A judged
    query that is missing from a run counts as 0; `only_common` leaves it out. Documents go by score, then by id, both
    falling, as in trec_eval; ties="float32" rounds scores first, as pytrec-eval does. Unjudged documents are not
    relevant; unjudged="bounds" adds each measure as if all were, "rate" takes them to be relevant as often as judged
    ones.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d1": 0}}
    >>> runs = {"a": {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d1": 0.8, "d3": 0.1}}}
    >>> v = trec(qrels, runs, metrics=["AP", "P@1"])
    >>> v, v.only("map").values[:, 0].tolist()
    (Items(2 items, AP, P@1), [1.0, 0.5])
    """
    if ties not in TIES:
        raise UnknownName(f"no rule {ties!r} for ties.{nearest(str(ties), TIES)} Give 'score' or 'float32'.")
    if unjudged not in VIEWS:
        told, hint = option("unjudged", unjudged), nearest(str(unjudged), VIEWS)
        raise UnknownName(f"{told} is not known.{hint} Give 'not', 'bounds' or 'rate'.")
    check_seed(seed)
    asked = _asked(metrics, unjudged)
    judged = read_qrels(qrels)
    named = [read_run(source, name) for name, source in _named(runs).items()]
    rankings = [_ranked(run, judged, ties) for run in named]
    common = np.all([r.retrieved > 0 for r in rankings], axis=0)
    if only_common and not common.any():
        raise BadLabels(f"the runs {listing([r.name for r in named])} have no judged query in common.")
    kept = common if only_common else np.ones(len(judged.queries), dtype=bool)
    rated = tuple(m for m in asked if isinstance(m, RunMeasure) and m.unjudged == "rate" and not m.micro)
    own = judged.judgments.only(kept), tuple(r.only(kept) for r in rankings)
    field = Field(judged, tuple(named), *own, seed, ties, rated)
    notes = _notes(field, rankings, kept, only_common, ties)
    parts = [_items(field, m, names, (*notes, *_told(field, m))) for m, names in asked.items()]
    return replace(parts[0], rest=tuple(parts[1:]))


@dataclass(frozen=True, eq=False)
class Field:
    """Judgments, and the rankings of all runs."""

    qrels: Qrels
    runs: tuple[Run, ...]
    judgments: Judgments
    rankings: tuple[RankedRun, ...]
    seed: int
    ties: str
    rated: tuple[RunMeasure, ...]  # the measures that take unjudged documents at the rate of the judged

    @cached_property
    def _views(self) -> dict[Any, Any]:
        return {}

    def views(self, level: int) -> list[View]:
        """Every run with the grade from which documents are relevant."""
        if level not in self._views:
            self._views[level] = [View(self.judgments, r, level) for r in self.rankings]
        return list(self._views[level])

    @cached_property
    def pool(self) -> Pool:
        """The unjudged documents of all runs."""
        return Pool.of(self.qrels.by_query, self.judgments, [run.dicts for run in self.runs], self.ties)

    @cached_property
    def bounded(self) -> tuple[Judgments, list[RankedRun]]:
        """As if every unjudged document had the highest grade."""
        return self.pool.filled(self.pool.highest)

    @cached_property
    def drawn(self) -> dict[RunMeasure, Array]:
        """Values (queries, runs, versions) with grades of unjudged documents drawn at the rates of the judged ones."""
        rng = generator(self.seed, 70_001, self.judgments.grade, self.pool.query)
        out: dict[RunMeasure, list[list[Array]]] = {m: [] for m in self.rated}
        for _ in range(VERSIONS):  # one at a time: a version is as large as the runs
            judgments, rankings = self.pool.filled(self.pool.drawn(rng))
            levels = {m.parameters["rel"] for m in self.rated}
            views = {level: [View(judgments, r, level) for r in rankings] for level in levels}
            for m, values in out.items():
                values.append([m.values(v) for v in views[m.parameters["rel"]]])
        return {m: np.array(values).transpose(2, 1, 0) for m, values in out.items()}


def _asked(metrics: Any, unjudged: str) -> dict[Asked, tuple[str, ...]]:
    """The measures, each with the names it was asked by."""
    alone = isinstance(metrics, (str, RunMeasure)) or is_measure(metrics)
    if metrics is not None and not alone and not isinstance(metrics, Iterable):
        raise BadSetting(f"{option('metrics')} takes names such as nDCG@10, or a list of them; got {metrics!r}.")
    given = DEFAULT if metrics is None else [metrics] if alone else list(metrics)
    if not given:
        raise BadSetting(f"{option('metrics')} is empty; leave it out for the default measures.")
    found: dict[Asked, tuple[str, ...]] = {}
    for text in given:
        try:
            m: Asked = parse(str(text) if is_measure(text) else text)
        except UnknownName as error:
            m = foreign(str(text), error)
        ways: list[Asked] = [m]
        if isinstance(m, RunMeasure) and m.kind != "Judged" and m.unjudged == "not":
            ways = _WAYS[unjudged](m)
        for way in ways:
            found[way] = (*found.get(way, ()), str(text)) if way == m else found.get(way, ())
    return found


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
        named = {_stem(runs): runs}
    elif isinstance(runs, Sequence) and all(isinstance(x, (str, Path)) for x in runs):
        from howsure.ingest.sniffing import system_names

        stems = [_stem(x) for x in runs]
        names = stems if len(set(stems)) == len(stems) else system_names([str(x) for x in runs])
        if len(set(names)) < len(names):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise BadLabels(f"the run {twice!r} is given twice; give it once, or each one a name of its own.")
        named = dict(zip(names, runs, strict=True))
    elif isinstance(runs, (list, tuple)) and not are_records(runs):
        raise BadSetting("several runs that are no files need names: {'bm25': run, …}; got a list without.")
    else:
        named = {"run": runs}
    if not named:
        raise BadLabels("no runs were given; give {'bm25': run, …}, files or frames or dicts.")
    return named


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
            "check that both name their queries alike."
        )
    return found


# -- values


def _items(field: Field, m: Asked, asked: tuple[str, ...], notes: Notes) -> Items:
    """The items of one measure: queries without a value are left out."""
    sizes = versions = None
    if isinstance(m, Foreign):
        values = np.stack([m.values(field.qrels.by_query, run.dicts, field.judgments.queries) for run in field.runs], 1)
    elif m.micro:
        tops, sizes = (np.stack(x, axis=1) for x in zip(*map(m.tallies, _views(field, m)), strict=True))
        values = np.divide(tops, sizes, out=np.zeros_like(tops), where=sizes > 0)
        if not sizes.any(axis=0).all():
            raise BadLabels(f"{m} has nothing to divide by: no documents at all.")
    elif m.unjudged == "rate":
        versions = field.drawn[m]
        versions[np.isnan(m.taking("not").values(field.views(m.parameters["rel"])[0]))] = np.nan
        values = versions.mean(axis=2)
    else:
        values = np.stack([m.values(v) for v in _views(field, m)], axis=1)
        if m.unjudged == "relevant":  # of the queries that the measure itself has, or the two could not be compared
            values[np.isnan(m.taking("not").values(field.views(m.parameters["rel"])[0]))] = np.nan
    kept = np.asarray(~np.isnan(values).any(axis=1))
    if kept.sum() < 2:
        why = "" if kept.all() else f": {len(kept) - int(kept.sum()):,} have no document that is relevant"
        text = f"a mean with its posterior needs two queries or more; {m} has {int(kept.sum())} with a value{why}."
        raise BadLabels(text)
    bounds = None if isinstance(m, Foreign) else (0.0, 1.0)
    ids = field.judgments.queries
    if not kept.all():
        ids = tuple(q for q, k in zip(ids, kept.tolist(), strict=True) if k)
    mean = Mean(better="higher", bounds=bounds or (-np.inf, np.inf), called=str(m), aliases=_aliases(m, asked),
                trec_eval=m.trec_eval, undefined="no queries")  # fmt: skip
    return Items(
        values[kept], tuple(run.name for run in field.runs), ids, measure=mean, bounds=bounds, notes=notes,
        sizes=None if sizes is None else sizes[kept], versions=None if versions is None else versions[kept],
    )  # fmt: skip


def _views(field: Field, m: RunMeasure) -> list[View]:
    level = m.parameters["rel"]
    if m.unjudged == "not":
        return field.views(level)
    if m.unjudged == "rate":
        raise BadSetting(
            f"{m} pools its tallies, which are not drawn; give {m.taking('relevant')} or {m.taking('not')}."
        )
    judgments, rankings = field.bounded
    return [View(judgments, r, level) for r in rankings]


def _aliases(m: Asked, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Other names: those asked for, trec_eval's, and the usual ones."""
    found = [*asked, *([m.trec_eval] if m.trec_eval else [])]
    if isinstance(m, RunMeasure) and not m.given and not m.micro:
        found += [str(m).replace(m.kind, name, 1) for name in m.declared.aliases]
    return tuple(dict.fromkeys(x for x in found if x != str(m)))


# -- what is to be said


def _notes(field: Field, rankings: list[RankedRun], kept: Any, only_common: bool, ties: str) -> Notes:
    notes = []
    total = len(field.qrels.queries)
    for run, ranking in zip(field.runs, rankings, strict=True):
        missing = [q for q, n in zip(field.qrels.queries, ranking.retrieved.tolist(), strict=True) if not n]
        if missing and not only_common:
            first = tuple(missing[:4])
            notes.append(note("missing-queries", run=run.name, count=len(missing), total=total, first=first))
        if ranking.facts["unjudged_queries"]:
            notes.append(note("queries-without-judgments", run=run.name, count=ranking.facts["unjudged_queries"]))
    if only_common and not kept.all():
        notes.append(note("only-common", count=total - int(kept.sum()), total=total))
    barren = [q for q, n in zip(field.judgments.queries, field.judgments.relevant(1).tolist(), strict=True) if not n]
    if barren:
        notes.append(note("no-relevant", count=len(barren), first=tuple(barren[:6]), level=1))
    unjudged = _unjudged(field)
    if unjudged:
        notes.append(note("unjudged", runs=unjudged))
    if ties == "float32":
        notes.append(note("ties"))
    return tuple(notes)


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


def _told(field: Field, m: Asked) -> Notes:
    """Rules that the numbers of a measure depend on, named."""
    if not isinstance(m, RunMeasure):
        return (note("foreign", metric=str(m)),)
    level = m.parameters["rel"]
    notes = list(_of_level(field.judgments, m, level)) if level > 1 else []
    if m.rule is not None:
        notes.append(note("recall-rule", metric=str(m), rule=m.rule))
    if m.micro:
        notes.append(note("micro", metric=str(m)))
    if m.unjudged != "not":
        notes.append(note("unjudged-view", metric=str(m), form=m.unjudged))
    return tuple(notes)


def _of_level(judgments: Judgments, m: RunMeasure, level: int) -> Notes:
    """Queries without a document of a higher level of relevance, where the measure has no value for them."""
    highest = int(judgments.grade.max(initial=0))
    if highest < level:
        raise BadSetting(
            f"no document has grade {level} or a higher one, so {m} tells nothing; the highest is {highest}."
        )
    barren = [q for q, n in zip(judgments.queries, judgments.relevant(level).tolist(), strict=True) if not n]
    if not barren or not m.recall_based:
        return ()
    return (note("no-relevant", count=len(barren), first=tuple(barren[:6]), level=level, metric=str(m)),)
