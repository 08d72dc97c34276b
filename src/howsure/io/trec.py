"""TREC judgments (qrels) and runs: from files, plain or packed, from frames, and from dicts of dicts."""

from __future__ import annotations

import glob
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from reprlib import repr as _short
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure import duck
from howsure.arrays import Array, Integers
from howsure.distributions.ordering import (
    above_and_level,
    all_falling,
    changes,
    matches,
    order_by,
    single,
    sort_segments,
    starts_of,
    within_segments,
)
from howsure.errors import BadLabels, BadSetting, listing
from howsure.evidence.rankings import Judgments, RankedRun, sorted_judgments
from howsure.io.lines import HIGHEST, Irregular, Lines, Rows, grouped, lines_and_comments, numbered, plain, read_lines
from howsure.io.streams import literal
from howsure.io.where import spelled_sql

# -- fields
#
# Columns of regular TREC files by DuckDB: fields one blank, or one tab, apart.


def columns(con: Any, path: Path, names: tuple[str, ...], wanted: str, number: str) -> dict[str, Any]:
    """Columns of a plain file whose fields are one blank (or one tab) apart; Irregular where they are not."""
    import duckdb

    kinds = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    value = f"{spelled_sql(number)} AS {number}"
    text = (
        f"SELECT {wanted} FROM (SELECT * REPLACE ({value}) FROM read_csv($1, delim=$2, header=false, "
        f"auto_detect=false, quote='', escape='', compression='none', columns={{{kinds}}}))"
    )
    try:
        return con.execute(text, [[glob.escape(literal(str(path)))], _delimiter(path)]).fetchnumpy()  # type: ignore[no-any-return]
    except duckdb.Error:
        raise Irregular from None


def _delimiter(path: Path) -> str:
    first = next((line for _, line in numbered(path) if line.strip()), "")
    return "\t" if "\t" in first and " " not in first.strip() else " "


# -- records
#
# Judgments and runs in memory: dicts of dicts, frames of any engine, lists of records, all as dicts of dicts.

Dicts = Mapping[str, Mapping[str, Any]]

_QUERY: Final = ("query_id", "qid", "q_id", "query", "topic", "topic_id", "query-id")
_DOCUMENT: Final = ("doc_id", "docno", "docid", "document", "doc", "corpus-id", "did", "document_id")
GRADE: Final = ("relevance", "label", "rel", "grade", "score")
SCORE: Final = ("score", "similarity", "sim")


def as_dicts(source: Any, values: Sequence[str], name: str, example: str) -> Dicts:
    """Numbers by query and document, from columns of these names."""
    if isinstance(source, Mapping):
        if all(type(x) is dict or isinstance(x, Mapping) for x in source.values()):
            return _by_text(source, name)
        raise BadSetting(f"{name} as a mapping goes from query to document to number, such as {example}.")
    if isinstance(source, Iterator):  # ir_measures and ir_datasets read files one record at a time
        source = list(source)
    rows = _records(source, values) if are_records(source) else _frame(source, values, name, example)
    return grouped(*rows, name)


def _by_text(source: Mapping[Any, Mapping[Any, Any]], name: str) -> Dicts:
    """Ids as text, as files and frames have them."""
    with suppress(TypeError):  # which join raises for an id that is no text: the fastest way to look at all of them
        for docs in (source, *source.values()):
            "".join(docs)
        return source
    text = {str(q): {str(d): x for d, x in docs.items()} for q, docs in source.items()}
    if len(text) < len(source) or any(len(text[str(q)]) < len(docs) for q, docs in source.items()):
        raise BadLabels(f"{name} has ids that are the same as text, such as 1 and '1'; keep one of them.")
    return text


def are_records(source: Any) -> bool:
    """ir_measures' and ir_datasets' named tuples."""
    return isinstance(source, (list, tuple)) and all(hasattr(x, "query_id") and hasattr(x, "doc_id") for x in source)


def _records(source: Any, values: Sequence[str]) -> Rows:
    key = next((v for v in values if source and hasattr(source[0], v)), values[0])
    queries, documents = [str(x.query_id) for x in source], [str(x.doc_id) for x in source]
    return queries, documents, [getattr(x, key, None) for x in source]


def _frame(source: Any, values: Sequence[str], name: str, example: str) -> Rows:
    import narwhals as nw

    try:
        frame = nw.from_native(source)
    except TypeError:
        raise BadSetting(
            f"{name} is a file, a frame, or a mapping such as {example}; got {type(source).__name__}."
        ) from None
    have = frame.collect_schema().names()
    chosen = [_column(have, names, name) for names in (_QUERY, _DOCUMENT, values)]
    picked = frame.select(chosen)
    eager = picked.collect() if isinstance(picked, nw.LazyFrame) else picked
    for column in chosen[:2]:
        (gaps,) = np.nonzero(eager[column].is_null().to_numpy())
        if gaps.size:
            raise BadLabels(f"{name} has no {column} in row {int(gaps[0]) + 1:,}; fill it in or leave the row out.")
    query, document, value = (eager[c].to_list() for c in chosen)
    return list(map(str, query)), list(map(str, document)), value


def _column(have: Sequence[str], names: Sequence[str], name: str) -> str:
    lower = {x.lower(): x for x in have}
    found = next((lower[x] for x in names if x in lower), None)
    if found is None:
        raise BadLabels(f"{name} needs a column named {names[0]} (or {', '.join(names[1:])}); it has {listing(have)}.")
    return found


# -- trec
#
# TREC judgments (qrels) and runs: from files, plain or packed, from frames, and from dicts of dicts.
#
# A file is read by DuckDB, and only numbers come back: the score of each line and 64-bit hashes of its query and of its
# (query, document). Names are read where hashes match, so that a match is one of names, and where scores tie. What
# DuckDB cannot read goes through a reader of lines, which takes any white space and names the line that is wrong.

TIES: Final = ("score", "float32")


# -- judgments


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments by query and document."""

    by_query: Dicts
    name: str = "qrels"
    opened: Any = None
    hashed: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
    comments: int = 0

    @cached_property
    def engine(self) -> Any:
        """A DuckDB for the files that are ranked by these judgments: the one that read them, or a new one."""
        return duck.connect() if self.opened is None else self.opened

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Queries with a judgment."""
        return tuple(q for q, judged in self.by_query.items() if judged)

    @cached_property
    def query(self) -> Integers:
        """The query of each judgment, as its place in `queries`."""
        return np.repeat(np.arange(len(self.queries)), [len(self.by_query[q]) for q in self.queries])

    @cached_property
    def grade(self) -> Integers:
        """The grade of each judgment, in the order of the dicts."""
        return _grades(self.by_query, self.queries, self.name)

    @property
    def documents(self) -> Iterable[Any]:
        """The document of each judgment."""
        return chain.from_iterable(self.by_query[q] for q in self.queries)

    @cached_property
    def judgments(self) -> Judgments:
        """The grades alone, as the engine takes them."""
        return sorted_judgments(self.queries, self.query, self.grade)

    @cached_property
    def hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """DuckDB's hashes of each query, and of each (query, document)."""
        if self.hashed is not None:
            return self.hashed
        names = np.array([str(q) for q in self.queries], dtype=object)
        judged = {
            "i": np.arange(len(self.query)),
            "q": names[self.query],
            "d": np.array([str(d) for d in self.documents], dtype=object),
        }
        import duckdb

        try:
            self.engine.register("judged", judged)
            found = self.engine.execute("SELECT i, hash(q) AS a, hash(q, d) AS b FROM judged").fetchnumpy()
        except duckdb.Error:  # names that are not UTF-8
            raise Irregular from None
        order = np.argsort(found["i"])
        first = np.searchsorted(self.query, np.arange(len(self.queries)))
        return found["a"][order][first], found["b"][order]


def _grades(by_query: Dicts, queries: Sequence[str], name: str) -> Integers:
    try:
        raw = np.fromiter(chain.from_iterable(by_query[q].values() for q in queries), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raw = np.array([np.nan])
    if not ((raw == np.floor(raw)) & (np.abs(raw) <= HIGHEST)).all():
        for q in queries:
            for document, grade in by_query[q].items():
                if not _is_grade(grade):
                    raise BadLabels(
                        f"a grade of relevance is a whole number, at most {HIGHEST:,}; {name} gives {_short(grade)} to "
                        f"document {document!r} of query {q!r}."
                    )
    return raw.astype(np.int64)


def _is_grade(x: Any) -> bool:
    try:
        return float(x) == int(x) and abs(int(x)) <= HIGHEST
    except (TypeError, ValueError, OverflowError):
        return False


def read_qrels(source: Any, name: str = "qrels") -> Qrels:
    """Judgments of any kind."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, (str, Path)):
        qrels = _qrels_file(duck.connect(), Path(source))
    else:
        qrels = Qrels(as_dicts(source, GRADE, name, "{'q1': {'d1': 1, 'd7': 0}}"), name)
    if not qrels.queries:
        raise BadLabels(f"{qrels.name} holds no judgments; a line of qrels is: query 0 document grade.")
    return qrels


def _qrels_file(con: Any, path: Path) -> Qrels:
    broken = f"({_COMMENT} OR i IS NULL OR d IS NULL OR regexp_matches(q || i || d, '[[:space:]]')) AS broken"
    wanted = f"q, d, r, hash(q) AS a, hash(q, d) AS b, {broken}"
    try:
        with plain(path) as file:
            found = columns(con, file, _QRELS, wanted, "r")
            if len(found["r"]) and len(Lines(file)) != len(found["r"]):
                raise Irregular
        grade = np.ma.getdata(found["r"])
        lost = found["broken"].any() or np.ma.getmaskarray(found["r"]).any() or not len(grade)
        if lost or not ((grade == np.floor(grade)) & (np.abs(grade) <= HIGHEST)).all():
            raise Irregular
        by_query = grouped(list(found["q"]), list(found["d"]), grade.astype(np.int64).tolist(), str(path))
    except (Irregular, BadLabels):
        by_query, comments = lines_and_comments(path, "qrels")  # which names the line that is wrong
        return Qrels(by_query, str(path), con, comments=comments)
    first = np.flatnonzero(found["a"][1:] != found["a"][:-1]) + 1
    together = len(first) + 1 == len(by_query)  # each query's lines: then the dicts have the order of the file
    hashed = (found["a"][np.append(0, first)], found["b"]) if together else None
    return Qrels(by_query, str(path), con, hashed)


# -- runs


@dataclass(frozen=True, eq=False)
class Run:
    """One run: a file, or dicts of dicts of scores."""

    name: str
    path: Path | None = None
    given: Dicts | None = None

    @cached_property
    def dicts(self) -> Dicts:
        """Scores by query and document."""
        if self.given is not None:
            return self.given
        assert self.path is not None  # noqa: S101 - one of the two is there
        return _run_dicts(self.path)


def read_run(source: Any, name: str) -> Run:
    """A run of any kind; files are read when they are ranked."""
    if isinstance(source, Run):
        return source
    if isinstance(source, (str, Path)):
        return Run(name, path=Path(source))
    return Run(name, given=as_dicts(source, SCORE, f"run {name!r}", "{'q1': {'d1': 12.5, 'd7': 3.1}}"))


def rank(run: Run, qrels: Qrels, ties: str = "score") -> RankedRun:
    """The ranks of the judged documents in a run: by score, then by document id, both falling, as trec_eval.

    ties="float32" rounds scores to single precision first, as pytrec-eval does.
    """
    if run.path is not None:
        try:
            with plain(run.path) as file:
                return _rank_file(file, qrels, ties)
        except Irregular:
            found, comments = lines_and_comments(run.path, "run")
            return _rank_dicts(found, qrels, ties, str(run.path), comments)
    return _rank_dicts(run.dicts, qrels, ties, f"run {run.name!r}")


def _rank_dicts(run: Dicts, qrels: Qrels, ties: str, name: str, comments: int = 0) -> RankedRun:
    here = [run.get(q, {}) for q in qrels.queries]
    sizes = np.fromiter(map(len, here), dtype=np.int64, count=len(here))
    scores, own = _scores(here, qrels, sizes, name)

    def documents(rows: Integers) -> list[str]:
        starts, out = starts_of(sizes), []
        whose = np.searchsorted(starts, rows, side="right") - 1
        for q in np.unique(whose).tolist():
            every = list(here[q])
            out += [str(every[i]) for i in (rows[whose == q] - starts[q]).tolist()]
        return out

    def hits(at: Integers) -> list[str]:
        every = list(qrels.documents)
        return [str(every[i]) for i in found[at].tolist()]

    other = sum(1 for q in run if q not in qrels.by_query or not qrels.by_query[q])
    facts = {"queries": sum(1 for d in here if d), "unjudged_queries": other, "comments": comments}
    facts["lines"] = sum(map(len, run.values()))
    (found,) = np.nonzero(~np.isnan(own) & (qrels.grade >= 0))
    return _placed(scores, sizes, qrels.query[found], own[found], qrels.grade[found], ties, facts, documents, hits)


def _scores(here: Sequence[Mapping[str, Any]], qrels: Qrels, sizes: Integers, name: str) -> tuple[Array, Array]:
    """All scores as one array, and the score of each judged document, NaN where it was not retrieved.

    One pass, a query at a time: its dict is still in the cache when the judged documents are looked up.
    """
    scores, at = np.empty(int(sizes.sum())), 0
    own: list[float | None] = []
    try:
        for query, documents, size in zip(qrels.queries, here, sizes.tolist(), strict=True):
            struct.pack_into(f"{size}d", scores, at, *documents.values())  # type: ignore[arg-type]
            own += map(documents.get, qrels.by_query[query])
            at += 8 * size
    except (struct.error, TypeError, ValueError, OverflowError):
        scores = np.full(1, np.nan)
    if not np.isfinite(scores).all():
        for q, documents in zip(qrels.queries, here, strict=True):
            for document, score in documents.items():
                if isinstance(score, str) or not _finite(score):
                    raise BadLabels(
                        f"scores are finite numbers; {name} gives {_short(score)} to document {document!r} of "
                        f"query {q!r}."
                    )
    return scores, np.array(own, dtype=np.float64)


def _finite(x: Any) -> bool:
    try:
        return bool(np.isfinite(float(x)))
    except (TypeError, ValueError, OverflowError):
        return False


Names = Callable[[Integers], list[str]]


def _placed(
    scores: Array, sizes: Integers, query: Integers, own: Array, grade: Integers, ties: str, facts: dict[str, Any],
    documents: Names, hits: Names,
) -> RankedRun:  # fmt: skip
    """Ranks from scores; only where scores tie are names looked at: `documents` of lines, `hits` of judged ones."""
    if ties == "float32":
        scores, own = single(scores), single(own)
    if all_falling(scores, sizes):  # as most runs are: read backwards they rise
        above, level = above_and_level(scores[::-1], sizes[::-1], len(sizes) - 1 - query, own)
    else:
        above, level = above_and_level(sort_segments(scores, sizes), sizes, query, own)
    place = above + 1
    (tied,) = np.nonzero(level > 1)
    if tied.size:
        rows, whose = _equals(scores, sizes, query[tied], own[tied])
        place[tied] += _ahead(whose, scores[rows], documents(rows), query[tied], hits(tied))
    order = order_by(query, place)
    facts = {**facts, "tied": int(tied.size), "retrieved": int(sizes.sum())}
    return RankedRun(sizes, query[order], place[order], grade[order], above[order], level[order], facts=facts)


def _equals(scores: Array, sizes: Integers, query: Integers, own: Array) -> tuple[Integers, Integers]:
    """Lines whose score is that of one of the tied documents given, and their queries."""
    starts, rows = starts_of(sizes), []
    first = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
    for a, b in zip(first, [*first[1:], len(query)], strict=True):
        start, end = starts[query[a]], starts[query[a] + 1]
        rows.append(start + np.flatnonzero(np.isin(scores[start:end], own[a:b])))
    sizes = np.fromiter(map(len, rows), dtype=np.int64)
    return np.concatenate(rows), np.repeat(query[first], sizes)


def _ahead(whose: Integers, score: Array, names: list[str], query: Integers, hits: list[str]) -> Integers:
    """How many documents of the same score go ahead of each hit: those with a greater id."""
    by_name = np.empty(len(names), dtype=np.int64)
    by_name[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(len(names))
    order = np.lexsort((by_name, score, whose))
    group = np.cumsum(changes(whose[order], score[order])) - 1
    place = within_segments(group, int(group[-1]) + 1)
    ahead = dict(
        zip(zip(whose[order].tolist(), (names[i] for i in order.tolist()), strict=True), place.tolist(), strict=True)
    )
    return np.array([ahead[key] for key in zip(query.tolist(), hits, strict=True)], dtype=np.int64)


# -- run files


_QRELS: Final = ("q", "i", "d", "r")
_RUN: Final = ("q", "i", "d", "r", "s", "t")
_COMMENT: Final = "q IS NULL OR starts_with(q, '#')"
_BROKEN: Final = f"({_COMMENT} OR i IS NULL OR d IS NULL OR r IS NULL OR s IS NULL OR t IS NULL) AS broken"


def _rank_file(path: Path, qrels: Qrels, ties: str) -> RankedRun:
    found = columns(qrels.engine, path, _RUN, f"s, hash(q) AS a, hash(q, d) AS b, {_BROKEN}", "s")
    score, whose, which = (np.ma.getdata(found[k]) for k in ("s", "a", "b"))
    total, whole = len(score), np.sort(which)
    if found["broken"].any() or not np.isfinite(score).all() or (whole[1:] == whole[:-1]).any() or not len(score):
        raise Irregular
    code, others = _codes(whose, qrels.hashes[0])
    lines = np.arange(len(code))
    if not (code[1:] >= code[:-1]).all() or others:
        lines = np.argsort(code, kind="stable")
        lines = lines[np.searchsorted(code[lines], 0) :]
        score, which, code = score[lines], which[lines], code[lines]
    at, hit = matches(which, qrels.hashes[1])
    seen = qrels.grade[at] >= 0
    at, hit = at[seen], hit[seen]
    sizes = np.bincount(code, minlength=len(qrels.queries))
    facts = {"queries": int((sizes > 0).sum()), "unjudged_queries": others, "comments": 0, "lines": total}
    text, judged = Lines(path), list(qrels.documents)
    if len(text) != total or text.mixed or not _same_names(text, lines, code, hit, at, qrels, judged):
        raise Irregular

    def documents(rows: Integers) -> list[str]:
        return [x[2].decode() for x in text.names(lines[rows])]

    def hits(which: Integers) -> list[str]:
        return [str(judged[i]) for i in at[which].tolist()]

    return _placed(score, sizes, code[hit], score[hit], qrels.grade[at], ties, facts, documents, hits)


def _same_names(
    text: Lines, lines: Integers, code: Integers, hit: Integers, at: Integers, qrels: Qrels, judged: Sequence[Any]
) -> bool:
    """Whether lines whose hashes match have the names that match: two names may have one hash.

    Looked at are the judged documents found, with their queries, and every line at which another query starts.
    """
    queries = [str(q).encode() for q in qrels.queries]
    (heads,) = np.nonzero((np.diff(code, prepend=-1) != 0) | (np.diff(lines, prepend=-1) != 1))
    starts = zip(text.names(lines[heads]), code[heads].tolist(), strict=True)
    found = zip(text.names(lines[hit]), code[hit].tolist(), at.tolist(), strict=True)
    return (
        bool((qrels.query[at] == code[hit]).all())
        and all(x[0] == queries[q] for x, q in starts)
        and all(x[0] == queries[q] and x[2] == str(judged[i]).encode() for x, q, i in found)
    )


def _codes(whose: NDArray[np.uint64], known: NDArray[np.uint64]) -> tuple[Integers, int]:
    """The place of each line's query among the judged ones (-1 for others), and how many others there are."""
    first = np.flatnonzero(np.diff(whose, prepend=whose[0] + np.uint64(1)))  # a new query starts here
    place = {h: k for k, h in enumerate(known.tolist())}
    heads = whose[first].tolist()
    code = np.array([place.get(h, -1) for h in heads], dtype=np.int64)
    others = len({h for h in heads if h not in place})
    return np.repeat(code, np.diff(first, append=len(whose))), others


def _run_dicts(path: Path) -> Dicts:
    """All of a run file as dicts; for what needs every document by name."""
    try:
        with duck.connect() as con, plain(path) as file:
            found = columns(con, file, _RUN, f"q, d, s, {_BROKEN}", "s")
            score = np.ma.getdata(found["s"])
            if found["broken"].any() or not np.isfinite(score).all() or not len(score) or Lines(file).mixed:
                raise Irregular
    except Irregular:
        return read_lines(path, "run")
    return grouped(list(found["q"]), list(found["d"]), score.tolist(), str(path))
