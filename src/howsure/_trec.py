"""TREC runs against judgments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure._compare import compare
from howsure._leaderboard import Leaderboard, leaderboard, not_tuned, ranked_columns
from howsure._score import Report, score, score_columns
from howsure.arrays import Array, Mask
from howsure.errors import BadLabels, BadSetting, UnknownName, listing, nearest
from howsure.evidence.graded import Graded, Mean
from howsure.evidence.rankings import Judgments, RankedRun
from howsure.io.streams import OnDisk, on_disk
from howsure.io.trec import TIES, Qrels, Run, are_records, rank, read_qrels, read_run
from howsure.messages.language import option
from howsure.messages.notes import Notes, note
from howsure.posteriors.posterior import Posterior, posterior
from howsure.ranking.field import Asked, Field
from howsure.ranking.ir_measures_bridge import Foreign, foreign, is_measure
from howsure.ranking.measures import FAMILIES, RunMeasure
from howsure.ranking.names import parse
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result
from howsure.results.verbs import DataGiven, Option, Verb
from howsure.validate import check_seed, flag, metrics_given
from howsure.verbs.comparison import Comparison

# -- telling
#
# What is to be said of runs and measures: notes, and the account of lines and queries read, kept and left out.


def lacking(m: Asked) -> str:
    """Why a query has no value under a measure."""
    if not isinstance(m, RunMeasure):
        return "ir-measures gives none"
    return m.declared.undefined or "no document is relevant"


# -- the account


def account(field: Field, m: Asked, kept: Mask) -> dict[str, Any]:
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


def _where(holds: Mask, queries: Iterable[str]) -> list[str]:
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


# -- queries
#
# trec: judgments and runs to Graded, one value for each query, run and measure.

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

    Parameters
    ----------
    only_common
        Leave out queries that a run lacks; by default they count as 0.
    no_relevant
        Queries without a relevant document: leave them out of AP, R, nDCG and their like, or count 0 as trec_eval.
    unjudged
        Unjudged documents: not relevant; also as if all were; or relevant as often as judged ones.
    ties
        Order by score as it is, or rounded to float32 as pytrec-eval does; then by document id.

    Examples
    --------
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
        from howsure.io.formats import system_names

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
    from howsure.io.streams import stream_names

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


# -- evaluation
#
# Evaluation: runs on several measures in one document, with ranks and the comparisons asked for.


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """A report of all measures, a leaderboard of each where there are several runs, and comparisons of pairs."""

    report: Report
    boards: tuple[Leaderboard, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def posterior(self) -> Posterior:
        """Of all runs and measures."""
        return self.report.posterior

    @cached_property
    def notes(self) -> Notes:
        """The comparisons in words, what is to be said of the measures, and how ranks were found."""
        ranks = tuple(n for board in self.boards[:1] for n in board.notes if n.code == "sampled")
        weight = self.posterior.prior.outcome()[0]
        own = (note("prior-from-data", form="pairs", weight=weight),) if self.comparisons and weight else ()
        return (*map(_told, self.comparisons), *own, *self.report.notes, *ranks)

    def _measures(self) -> Iterable[Any]:
        return self.report._measures()

    def _make(self) -> dict[str, Any]:
        made = self.report.to_dict() | {"schema": "howsure.trec/1"}
        made["data"] = {**made["data"], "measures": list(self.posterior.evidence.measures)}
        if not self.boards:
            return made
        boards = [board.to_dict() for board in self.boards]
        made["rows"] = [row for board in boards for row in board["rows"]]
        made["pairs"] = [pair for board in boards for pair in board["pairs"]]
        made["verdict"] = boards[0]["verdict"]
        made["comparisons"] = [row for c in self.comparisons for row in c.to_dict()["rows"]]
        made["notes"] = [n.document for n in self.notes]
        return made

    def __repr__(self) -> str:
        return repr(self.boards[0]) if self.boards else repr(self.report)


def evaluate(
    items: Graded, pairs: Sequence[tuple[str, str]] = (), *, equal_within: float | None = None, prior: Any = "even",
    seed: int = 0, **how: Any,
) -> Evaluation:  # fmt: skip
    """Every measure of the runs; the pairs that are named are compared, and the only two where there are no more."""
    if len(items.systems) == 1 and (pairs or equal_within is not None):
        stray = "compare" if pairs else "equal_within"
        raise BadSetting(f"{option(stray)} is for two runs or more; got one.")
    unknown = next((name for pair in pairs for name in pair if name not in items.systems), None)
    if unknown is not None:
        raise BadSetting(f"no run named {unknown!r}; there are {listing(items.systems)}.")
    p = posterior(items, prior, seed=seed)
    report = score(p, **how)
    if len(items.systems) == 1:
        return Evaluation(report, (), ())
    if not pairs and len(items.systems) == 2:
        pairs = [(items.systems[0], items.systems[1])]
    if equal_within is not None and not pairs:
        raise BadSetting(f"{option('equal_within')} is for runs that are compared: name two with {option('compare')}.")
    boards = tuple(leaderboard(p, metric=m, **how) for m in items.measures)
    compared = tuple(
        compare(p, a, b, metric=m, equal_within=equal_within, **how) for a, b in pairs for m in items.measures
    )
    return Evaluation(report, boards, compared)


def _told(c: Comparison) -> Any:
    """A comparison in one sentence."""
    low, high = c.difference.interval(c.level, kind=c.interval)
    first, second, same = (int(x) for x in c.wins.counts) if c.wins is not None else (0, 0, 0)
    gap = (float(c.first.score) - float(c.second.score), float(low), float(high))
    return note("comparison", verdict=c.verdict, systems=c.systems, gap=gap, wins=(first, second, same))


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> Sequence[TableColumn]:
    """Return the columns of one run, which are those of scores, or of several that are ranked."""
    if len(result["data"]["systems"]) < 2:
        return score_columns(result, rows)
    ranked = [replace(x, shown=x.shown and x.key != "rank") for x in ranked_columns(result)]
    return [col.words("metric"), col.words("run", "system"), *ranked]


def _title(_result: ResultDict, systems: list[str]) -> str:
    return f"Which of {len(systems)} runs is best?" if len(systems) > 1 else "How good is this run?"


_JUDGMENTS: Final = (
    "Judgments are right, and documents that nobody judged are treated as the notes say.",
    "Runs that found relevant documents which were never judged: they score too low.",
)


def _typed(
    _given: DataGiven, *, qrels: Any, runs: Any, name: Sequence[str] = (), compare: Sequence[tuple[str, str]] = (),
    **keywords: Any,
) -> Evaluation:  # fmt: skip
    """The command: the values of all queries, scored, ranked and compared."""
    if name:
        if len(name) != len(runs) or len(set(name)) != len(name):
            raise BadSetting(f"give one different --name per run, {len(runs)} here; got {listing(name)}")
        runs = dict(zip(name, runs, strict=True))
    own = {k: keywords.pop(k) for k in ("metrics", "only_common", "no_relevant", "unjudged", "ties") if k in keywords}
    seed = {"seed": keywords["seed"]} if "seed" in keywords else {}
    return evaluate(trec(qrels, runs, **own, **seed), compare, **keywords)


VERB: Final = Verb(
    trec,
    help="""Every metric with its interval over queries, P(best), and comparisons.

    Lines of QRELS are: query 0 document grade; lines of a RUN: query Q0 document rank score tag. Packed files
    (.gz, .bz2, .xz) are read too.""",
    table={
        "qrels": Option(reads="file", argument=True, required=True),
        "runs": Option(reads="file", argument=True, required=True, many=True, metavar="RUN..."),
        "name": Option("The name of a run; one per run, in order.", metavar="NAME", many=True),
        "metrics": Option(
            "A metric, such as nDCG@10, AP, P(rel=2)@5 or ndcg_cut_10; repeat. The first one ranks the runs."
        ),
        "no_relevant": Option(choices=BARREN, default="drop"),
        "unjudged": Option(choices=VIEWS, default="not"),
        "ties": Option(choices=tuple(TIES), default="score"),
        "compare": Option("Two runs to compare on every metric; repeat.", metavar="A B", many=True, parts=2),
        "equal_within": Option("Also the probability that two runs differ by at most this much."),
        "prior": Option("even, none or a weight on either end of the values seen."),
        "level": Option(),
        "interval": Option(),
    },
    typed=_typed,
    kinds=(
        ResultKind(
            "trec",
            _columns,
            bars="row",
            charts=later("charts.systems:evaluation"),
            title=_title,
            answers=later("report.opening:ranked"),
            assumptions=not_tuned,
            labels=_JUDGMENTS,
            unit="query",
        ),
    ),
    examples=("examples/wine.qrels examples/wine-full.run",),
)
