"""Paths as a source, read by DuckDB (one GROUP BY per group of files that one query reads), or by Spark when asked."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np

from howsure import duck
from howsure.errors import BadFile, BadLabels, BadSetting, HowsureError, NoCommonId
from howsure.io import where as conditions
from howsure.io.columns import EXACT, MISSING, Column, as_numbers, coarse, refuse_mixed, refuse_no_number, spelt
from howsure.io.damaged_files import checked, explained
from howsure.io.first_rows import ROWS, Head, usual_id, usual_names
from howsure.io.formats import Reader, apart, expanded, reader, refuse_lacking, sniff
from howsure.io.groups import (
    COUNT,
    DUCKDB,
    GIVEN,
    STATUS,
    Grouping,
    Groups,
    Source,
    alike,
    beyond,
    kept_rows,
    merged,
    read,
    sql_groups,
    sql_rows,
    status_sql,
)
from howsure.io.streams import File, is_stream, on_disk
from howsure.io.where import Judged
from howsure.messages.language import option
from howsure.messages.notes import Note, note

# -- files
#
# Files as a source, through DuckDB, embedded: one GROUP BY per group of files, and only the groups come back.
#
# CSV columns are read as text, JSON fields as JSON; what the labels are is settled on their few distinct values.

_NO_FIELD: Final = "*"  # not found among the first records, so that all are looked at
Watch = Callable[[Any], contextlib.AbstractContextManager[None]]


@contextlib.contextmanager
def opened(paths: Sequence[str | Path], watch: Watch | None = None) -> Iterator[Files]:
    """One or more files, which are shards of one data set; what can be read once only is kept on disk meanwhile."""
    import duckdb

    with contextlib.ExitStack() as stack:
        places = stack.enter_context(on_disk(expanded([str(p) for p in paths])))
        found = [sniff(x.path, x.shown) for x in places]
        con = stack.enter_context(duck.connect())
        try:
            with checked(found):
                yield Files(con, found, watch)
        except (duckdb.ParserException, duckdb.CatalogException, duckdb.InternalException):
            raise  # our own mistake
        except duckdb.Error as error:
            raise BadFile(explained(str(error), found)) from None


@dataclass(frozen=True, eq=False)
class Files:
    """Files that a connection reads."""

    con: Any
    files: list[File]
    watch: Watch | None = None
    library: str | None = None
    eager: bool = False
    looked: set[tuple[str, str]] = field(default_factory=set)  # columns that all files of a group are known to have

    def names(self) -> list[str]:
        """The columns that there are, of JSON all fields of all records; where files differ, those of the first."""
        every = reader(self.con, self.files[:1], [_NO_FIELD])
        return list(dict.fromkeys([*every.names, *every.place]))

    @property
    def called(self) -> str:
        """What they are, in messages."""
        return repr(self.files[0].shown) if len(self.files) == 1 else f"files such as {self.files[0].shown!r}"

    def heading(self) -> list[str]:
        """The columns that all files have, of JSON those of the first records."""
        first, *rest = (r.names for r in self._readers([]))
        shared = set(first).intersection(*rest)
        return [x for x in first if x in shared]

    def first(self, columns: Sequence[str], rows: int) -> dict[str, list[Any]]:
        """The first rows of the first file."""
        if not columns:
            return {}
        r = reader(self.con, self.files[:1], columns)
        query = f"SELECT {', '.join(r.plain(x) for x in columns)} FROM {r.table} LIMIT {int(rows)}"
        found = self.con.execute(query, dict(r.bound)).fetchall()
        return {name: _said(r.kind, [row[i] for row in found]) for i, name in enumerate(columns)}

    def check(self, columns: Sequence[str]) -> None:
        """Refuse columns that are not there."""
        for r in self._readers(columns):
            for column in columns:
                r.sql(column)

    def grouped(self, grouping: Grouping, what: str = "weight") -> Groups:
        """The distinct rows of the keys, counted."""
        pieces, loose = self.pieces(grouping, what)
        return merged(alike(pieces, grouping, loose))

    def pieces(self, grouping: Grouping, what: str = "weight") -> tuple[list[Groups], list[bool]]:
        """The same for each group of files, their labels not yet typed, and which of these are texts that may spell."""
        keys = [k.name for k in grouping.keys]
        pieces, loose = [], []
        for r in self._readers(grouping.columns, grouping.where):
            bound = dict(r.bound)
            judged = [x for _, x in r.judged(grouping.where, bound)]
            filtered = _counts_itself(r, judged)
            own = [] if filtered or not judged else [STATUS]
            source = f"{r.table}{r.filters(grouping.where, bound)}" if filtered else r.table
            rows = sql_rows(grouping, source, r.label, r.number, DUCKDB, status_sql(judged) if own else None)
            found = self.run(sql_groups(grouping, rows, bool(own)), bound)
            raw = dict(zip([*keys, *own, *grouping.aggregates], found.values(), strict=True))
            self._refuse_text(r, grouping, kept_rows(raw)[0])
            for column in beyond(grouping, kept_rows(raw)[0]):
                refuse_rounded(self.con, r, column)
            piece = read(grouping, raw, what, partial(_READ.get(r.kind, _as_is), grouping))
            pieces.append(self._accounted(r, grouping, piece, filtered))
            loose.append(r.kind == "csv")
        return pieces, loose

    def _accounted(self, r: Reader, grouping: Grouping, g: Groups, filtered: bool) -> Groups:
        """Rows that conditions left out are counted where the group-by did not; those that cannot be judged refused."""
        if g.account is None or not grouping.where:
            return g
        if filtered:
            (total,) = self.con.execute(f"SELECT count(*) FROM {r.table}", dict(r.bound)).fetchone()
            account = replace(g.account, read=int(total)).without("where", total - g.account.read)
            return replace(g, account=account)
        if g.account.left_out.get("missing") and not grouping.drop:
            refuse_unreadable(self.con, r, grouping.where)
        return g

    def distinct(self, grouping: Grouping) -> int:
        """About how many there are."""
        keys = ", ".join(k.name for k in grouping.keys)
        queries = [
            (f"SELECT approx_count_distinct(hash({keys})) AS n FROM ({rows})", bound)
            for rows, bound in self._rows(grouping)
        ]
        return sum(int(self.run(*query)["n"][0]) for query in queries)

    def sizes(self, columns: Sequence[str], where: Sequence[str]) -> dict[str, tuple[int, int]]:
        """About how many values each column has, and in how many rows; nothing if several queries would be needed."""
        try:
            first, *rest = self._readers(columns, where)
        except HowsureError:  # some of several files lack a column
            return {}
        plain = [x for x in columns if x not in first.nested and x in first.place]
        if rest or not plain:
            return {}
        bound = dict(first.bound)
        texts = ", ".join(f"{first.text(x)} AS c{i}" for i, x in enumerate(plain))
        counts = ", ".join(f"approx_count_distinct(c{i}) AS n{i}, count(c{i}) AS m{i}" for i in range(len(plain)))
        query = f"SELECT {counts} FROM (SELECT {texts} FROM {first.table}{first.filters(where, bound)})"
        row = {name: int(x[0]) for name, x in self.run(query, bound).items()}
        return {x: (row[f"n{i}"], row[f"m{i}"]) for i, x in enumerate(plain)}

    def run(self, query: str, bound: dict[str, Any]) -> dict[str, Any]:
        """The columns of a query, watched over where somebody does."""
        with self.watch(self.con) if self.watch is not None else contextlib.nullcontext():
            return dict(self.con.execute(query, bound).fetchnumpy())

    def _readers(self, columns: Sequence[str], where: Sequence[str] = ()) -> list[Reader]:
        sought = [*columns, *(x for w in where for x in conditions.mentioned(w))]
        ordered = sorted(self.files, key=lambda s: s.group)
        groups = [list(x) for _, x in groupby(ordered, key=lambda s: s.group)]
        for x in groups:
            new = [c for c in sought if (x[0].path, c) not in self.looked]
            if new:
                refuse_lacking(self.con, x, columns, where)
            self.looked.update((x[0].path, c) for c in new)
        return [reader(self.con, part, columns, where) for x in groups for part in apart(self.con, x, sought)]

    def _rows(self, grouping: Grouping) -> Iterator[tuple[str, dict[str, Any]]]:
        """The query for the rows that are kept of each group of files, with the bound values."""
        for r in self._readers(grouping.columns, grouping.where):
            bound = dict(r.bound)
            source = f"{r.table}{r.filters(grouping.where, bound)}"
            yield sql_rows(grouping, source, r.label, r.number, DUCKDB), bound

    def _refuse_text(self, r: Reader, grouping: Grouping, raw: Mapping[str, Any]) -> None:
        """Text that spells no number is looked for where numbers are missing."""
        for column in lacking(grouping, raw):
            refuse_text(self.con, r, column, grouping.where)


def common_id(files: Files) -> tuple[tuple[str, ...], list[Note]]:
    """The id that all files have under a usual name, and a note that it was taken."""
    found = usual_id([reader(files.con, [s], []).names for s in files.files])
    if found is None:
        error = NoCommonId(
            f"{len(files.files)} files have no column in common that is called id, item, qid or doc_id: name the id "
            f"that joins their items with {option('on')}, or what groups them with {option('cluster')}; rows are never "
            "paired by their order."
        )
        error.repeated = _repeated(files)
        raise error
    return (found,), [note("columns-guessed", on=found)]


def _repeated(files: Files) -> str | None:
    """The column whose values occur several times in each file, and in all files: it may say what rows belong to."""
    first, *rest = (replace(files, files=[x]) for x in files.files)
    shared = set(first.heading()).intersection(*(own.heading() for own in rest))
    usual = set(usual_names(shared))
    names = [x for x in first.heading() if x in shared and x.isprintable() and x not in usual]
    heads = [Head(own.called, own.first(names, ROWS)) for own in (first, *rest)]
    several = [x for x in names if all(0 < 2 * len(h.labels(x)) <= len(h.known(x)) for h in heads)]
    return max(several, key=lambda x: len(heads[0].labels(x)), default=None)


def lacking(grouping: Grouping, raw: Mapping[str, Any]) -> list[str]:
    """The columns read as numbers, in what an engine counted, of which some are missing."""
    keys = [k for k in grouping.keys if k.form != "label"]
    found = [k.column for k in keys if np.isnan(as_numbers(raw[k.name], k.column)).any()]
    if grouping.amount is not None and (np.asarray(raw[COUNT]) != np.asarray(raw[GIVEN])).any():
        found.append(grouping.amount)
    return list(dict.fromkeys(found))


def _counts_itself(r: Reader, judged: Sequence[Judged]) -> bool:
    """Whether a file tells how many rows it has: then those that fail need not be looked at."""
    return r.kind == "parquet" and bool(judged) and all(x.unreadable is None for x in judged)


def refuse_unreadable(con: Any, r: Reader, where: Sequence[str]) -> None:
    """Refuse a text that an order cannot take, in a row that no other condition leaves out."""
    bound = dict(r.bound)
    judged = r.judged(where, bound)
    open_ = [f"({x.holds}{'' if x.unreadable is None else f' OR {x.unreadable}'})" for _, x in judged]
    for c, x in judged:
        if x.unreadable is not None:
            tests = " AND ".join([*open_, x.unreadable])
            query = f"SELECT {r.text(c.column)} FROM {r.table} WHERE {tests} LIMIT 1"
            said = con.execute(query, bound).fetchone()
            if said is not None:
                conditions.refuse_unreadable(c, said[0])


def refuse_text(con: Any, r: Reader, column: str, where: Sequence[str]) -> None:
    """Refuse a column of numbers with a text that spells none."""
    if column in r.numeric:
        return
    bound = dict(r.bound)
    inner = f"SELECT {r.text(column)} AS t, {r.number(column)} AS x FROM {r.table}{r.filters(where, bound)}"
    words = ", ".join(f"'{x}'" for x in MISSING)
    said = con.execute(
        f"SELECT t FROM ({inner}) WHERE x IS NULL AND lower(trim(t)) NOT IN ({words}) LIMIT 1", bound
    ).fetchone()
    if said is not None:
        refuse_no_number(column, said[0])


def refuse_rounded(con: Any, r: Reader, column: str) -> None:
    """Refuse a column with a whole number that doubles do not tell from others."""
    inner = f"SELECT trim({r.text(column)}) AS t, {r.number(column)} AS x FROM {r.table}"
    tests = f"abs(x) >= {EXACT} AND regexp_full_match(t, '[+-]?[0-9]+')"
    if con.execute(f"SELECT t FROM ({inner}) WHERE {tests} LIMIT 1", dict(r.bound)).fetchone() is not None:
        raise coarse(f"column {column!r}")


def from_json(grouping: Grouping, columns: dict[str, Column]) -> dict[str, Column]:
    """Keys with the values that their JSON texts are."""
    of = {k.name: k.column for k in grouping.labels}
    return {name: c.relevelled(_values(c.levels, of[name])) for name, c in columns.items()}


def _from_csv(grouping: Grouping, columns: dict[str, Column]) -> dict[str, Column]:
    """Texts as they are; a byte of 0 is no text."""
    of = {k.name: k.column for k in grouping.labels}
    for name, column in columns.items():
        said = next((x for x in column.levels if isinstance(x, str) and "\0" in x), None)
        if said is not None:
            raise BadLabels(f"column {of[name]!r} holds {said[:40]!r}, with a NUL byte; is the file damaged?")
    return columns


def _said(kind: str, values: list[Any]) -> list[Any]:
    """Plain values: what texts of CSV spell, and what those of JSON are."""
    if kind == "json":
        return [None if x is None else json.loads(x) for x in values]
    return spelt(values) if kind == "csv" else values


def _as_is(_grouping: Grouping, columns: dict[str, Column]) -> dict[str, Column]:
    return columns


_READ: Final = {"json": from_json, "csv": _from_csv}


def _values(levels: Sequence[str], column: str) -> list[Any]:
    values = [json.loads(text) for text in levels]
    record = next((x for x in values if isinstance(x, dict)), None)
    if record is not None:
        inside = next(iter(record), "field")
        raise BadLabels(f"column {column!r} holds records; name one of their fields, such as {column}.{inside}.")
    text = [x for x in values if isinstance(x, str)]
    other = [x for x in values if x is not None and not isinstance(x, str)]
    if text and other:
        refuse_mixed(column, min(text), other[0])
    return values


# -- paths


def is_paths(data: Any) -> bool:
    """One path, or several."""
    several = isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(x, (str, Path)) for x in data)
    return isinstance(data, (str, Path)) or several


LOGS: Final = (".eval", ".json", ".jsonl", ".xml")  # suffixes that logs of evaluation harnesses have


def may_be_logs(paths: Sequence[str | Path]) -> bool:
    """Whether some path is a folder, or has the suffix of a log: all that other files pay for logs."""
    return any(str(p).lower().endswith(LOGS) or os.path.isdir(p) for p in paths)  # noqa: PTH112 - of any length


def listed(paths: Any) -> list[str | Path]:
    """One path, or several, as a list."""
    return [paths] if isinstance(paths, (str, Path)) else list(paths)


def check_remote(place: Mapping[str, Any]) -> None:
    """A server is for Spark."""
    if place.get("remote") is not None:
        told = f"the address of a Spark Connect server; it goes with {option('engine', 'spark')}"
        raise BadSetting(f"{option('remote')} is {told}.")


def by_spark(place: Mapping[str, Any]) -> bool:
    """Whether Spark reads the files, and not DuckDB."""
    engine = place.get("engine")
    if not isinstance(engine, (str, type(None))) or engine not in (None, "duckdb", "spark"):
        raise BadSetting(f"{option('engine')} is 'duckdb' or 'spark'; got {engine!r}.")
    return engine == "spark"


@contextlib.contextmanager
def source_of(paths: Any, place: Mapping[str, Any]) -> Iterator[Source]:
    """The files, which are shards of one data set; `place` may have engine, remote and watch."""
    if by_spark(place):
        from howsure.io.spark import SparkFiles

        once = next((p for p in listed(paths) if is_stream(p)), None)
        if once is not None:
            told = f"{str(once)!r} can be read only once, and Spark reads files and folders"
            raise BadSetting(f"{told}; write it to a file, or leave out {option('engine')}.")
        yield SparkFiles([str(p) for p in listed(paths)], place.get("remote"))
        return
    check_remote(place)
    with opened(listed(paths), place.get("watch")) as files:
        yield files
