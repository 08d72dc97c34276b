"""Files of several systems on the same items, joined on their ids; never by the order of rows.

Ids that occur twice or are missing, ids that not every file has, and truths that disagree are counted and the first
five listed; they are refused, or left out with a note when the user says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from howsure.errors import BadFile, BadSetting, UnknownName, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.outcomes import Outcomes
from howsure.ingest import files
from howsure.ingest.files import Reader, Watch
from howsure.ingest.request import SUM, Request
from howsure.ingest.sniffing import Source
from howsure.notes import Note, note

LISTED = 5


@dataclass(frozen=True)
class Trouble:
    """Items that cannot be paired: how many, which (the first few), and why."""

    code: str
    count: int
    first: tuple[str, ...]
    why: str

    @property
    def text(self) -> str:
        """In words."""
        more = ", …" if self.count > len(self.first) else ""
        return f"{self.count:,} {self.why} ({', '.join(self.first)}{more})"

    @property
    def note(self) -> Note:
        """As a note that they were left out."""
        return note(self.code, count=self.count, first=self.first, why=self.why)


def tally_joined(
    paths: Sequence[str | Path],
    request: Request,
    columns: Sequence[str],
    on: Sequence[str],
    where: Sequence[str] = (),
    unmatched: str = "refuse",
    watch: Watch | None = None,
) -> Tally | Outcomes:
    """The joint Tally of systems whose answers are in files of their own; `columns` names the answer in each file.

    `request.answers` are the names of the systems. Slices and weights are read from the first file.
    """
    with files.opened(paths) as (con, sources):
        if len(sources) != len(columns):
            raise BadSetting(f"{len(sources)} files were found for {len(columns)} systems; give one file a system.")
        with watch(con) if watch is not None else contextlib.nullcontext():
            troubles = load(con, sources, request, columns, on, where, unmatched)
            found = _counted(con, len(sources), request)
    kind = "json" if _all_json(sources) else "csv"
    tally = request.settle(request.counted(files.decoded(kind, request, found)))
    return replace(tally, notes=(*(t.note for t in troubles), *tally.notes))


def load(
    con: Any,
    sources: Sequence[Source],
    request: Request,
    columns: Sequence[str],
    on: Sequence[str],
    where: Sequence[str],
    unmatched: str,
) -> list[Trouble]:
    """The files as tables file0, file1, … and the ids that can be paired as `good`; what is left out, if allowed."""
    if unmatched not in ("refuse", "drop"):
        hint = nearest(unmatched, ("refuse", "drop"))
        raise UnknownName(f"unmatched={unmatched!r} is not known.{hint} Give 'refuse' or 'drop'.")
    if not on:
        raise BadSetting("files are joined on ids: name the columns that identify an item.")
    plain = not _all_json(sources)
    for i, r in enumerate(_readers(con, sources, request, columns, on, where)):
        _load(con, i, r, request, columns[i], on, where, plain)
    troubles = _troubles(con, [repr(s.path) for s in sources], request)
    if troubles and unmatched == "refuse":
        said = "; ".join(t.text for t in troubles)
        raise BadFile(f"the items cannot be paired: {said}. Mend the files, or give --unmatched drop.")
    return troubles


def _all_json(sources: Sequence[Source]) -> bool:
    """Files of different kinds or types meet as text."""
    return {s.kind for s in sources} == {"json"}


def _readers(
    con: Any, sources: Any, request: Request, columns: Sequence[str], on: Sequence[str], where: Sequence[str]
) -> list[Reader]:
    from howsure.ingest import conditions

    own = [conditions.parse(w).column for w in where]
    truth = [] if request.truth is None else [request.truth]
    extra = [*request.by, *([] if request.amount is None else [request.amount])]
    found = []
    for i, (source, column) in enumerate(zip(sources, columns, strict=True)):
        wanted = [*on, *truth, column, *own, *(extra if i == 0 else ())]
        r = files.reader(con, [source], wanted)
        for name in wanted:
            if name not in own:
                r.sql(name)
        found.append(r)
    return found


def _load(
    con: Any, i: int, r: Reader, request: Request, column: str, on: Sequence[str], where: Sequence[str], plain: bool
) -> None:
    """The columns of one file as a table of its own; ids as one text."""
    bound = dict(r.bound)
    say = r.text if plain else r.sql
    ids = ", ".join(r.text(x) for x in on)
    missing = " OR ".join(f"{r.text(x)} IS NULL" for x in on)
    key = r.text(on[0]) if len(on) == 1 else f"CAST(to_json([{ids}]) AS VARCHAR)"
    parts = [f"CASE WHEN {missing} THEN NULL ELSE {key} END AS id", f"{say(column)} AS answer"]
    if request.truth is not None:
        parts.append(f"{say(request.truth)} AS truth")
    if i == 0:
        parts += [f"{say(x)} AS slice{k}" for k, x in enumerate(request.by)]
        parts += files.amount(r, request)
    query = f"CREATE TEMP TABLE file{i} AS SELECT {', '.join(parts)} FROM {r.table}{files.filters(r, where, bound)}"
    con.execute(query, bound)


def _troubles(con: Any, shown: Sequence[str], request: Request) -> list[Trouble]:
    """What stands in the way; the table `good` holds the ids that can be paired."""
    many = len(shown)
    found = []
    for i, name in enumerate(shown):
        (empty,) = con.execute(f"SELECT count(*) FROM file{i} WHERE id IS NULL").fetchone()
        if empty:
            found.append(Trouble("ids-missing", empty, (f"in {name}",), "rows have no id"))
        twice = f"SELECT id FROM file{i} WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1"
        found += _listed(con, twice, "ids-twice", f"ids occur more than once in {name}")
    distinct = [f"SELECT DISTINCT id, {i} AS file FROM file{i} WHERE id IS NOT NULL" for i in range(many)]
    every = " UNION ALL ".join(distinct)
    con.execute(f"CREATE TEMP TABLE places AS SELECT id, count(*) AS n, min(file) AS file FROM ({every}) GROUP BY id")
    if many == 2:
        for i, name in enumerate(shown):
            only = f"SELECT id FROM places WHERE n = 1 AND file = {i}"
            found += _listed(con, only, "ids-unmatched", f"ids are only in {name}")
    else:
        found += _listed(con, f"SELECT id FROM places WHERE n < {many}", "ids-unmatched", "ids are not in every file")
    unique = " INTERSECT ".join(
        f"SELECT id FROM file{i} WHERE id IS NOT NULL GROUP BY id HAVING count(*) = 1" for i in range(many)
    )
    con.execute(f"CREATE TEMP TABLE good AS {unique}")
    if request.truth is not None:
        found += _disagreeing(con, many)
    return found


def _disagreeing(con: Any, many: int) -> list[Trouble]:
    joins = " ".join(f"JOIN file{i} USING (id)" for i in range(many))
    differ = " OR ".join(f"file{i}.truth IS DISTINCT FROM file0.truth" for i in range(1, many))
    con.execute(f"CREATE TEMP TABLE differ AS SELECT id FROM good {joins} WHERE {differ}")
    found = _listed(con, "SELECT id FROM differ", "truths-disagree", "ids have truths that disagree")
    if found:
        con.execute("DELETE FROM good WHERE id IN (SELECT id FROM differ)")
    return found


def _listed(con: Any, query: str, code: str, why: str) -> list[Trouble]:
    (count,) = con.execute(f"SELECT count(*) FROM ({query})").fetchone()
    if not count:
        return []
    first = con.execute(f"SELECT id FROM ({query}) ORDER BY id LIMIT {LISTED}").fetchall()
    return [Trouble(code, count, tuple(_short(row[0]) for row in first), why)]


def _short(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:23] + "…")


def _counted(con: Any, many: int, request: Request) -> dict[str, Any]:
    """One group-by of the joined files."""
    keys = [f"file0.slice{k} AS slice{k}" for k in range(len(request.by))]
    keys += ["file0.truth AS truth"] if request.truth is not None else []
    keys += [f"file{i}.answer AS answer{i}" for i in range(many)]
    joins = " ".join(f"JOIN file{i} USING (id)" for i in range(many))
    inner = f"SELECT {', '.join([*keys, *([f'file0.{SUM}'] if request.amount is not None else [])])} FROM good {joins}"
    names = ", ".join(name for name, _ in request.keys)
    query = f"SELECT {names}, {files.aggregates(request)} FROM ({inner}) GROUP BY {names}"
    found: dict[str, Any] = con.execute(query).fetchnumpy()
    return found
