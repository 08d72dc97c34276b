"""Files of several systems: joined on the ids of their items, never by the order of rows, or matched by cluster.

Ids that occur twice or are missing, ids that not every file has, and truths that disagree are counted and the first
five listed; they are refused, or left out with a note when the user says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadFile, BadLabels, BadSetting, plural
from howsure.evidence.clusters import Clustered, Observed
from howsure.evidence.graded import Graded
from howsure.evidence.protocol import Account
from howsure.evidence.sliced import LISTED, Sliced
from howsure.io import graded_values, units
from howsure.io.columns import Column, agreed, typed
from howsure.io.files import (
    Files,
    by_spark,
    check_remote,
    common_id,
    from_json,
    listed,
    opened,
    refuse_text,
    refuse_unreadable,
    source_of,
)
from howsure.io.formats import Reader, reader
from howsure.io.groups import (
    KEPT,
    STATUS,
    SUM,
    Grouping,
    Groups,
    Key,
    alike,
    left_out,
    merged,
    read,
    sql_groups,
    status_sql,
)
from howsure.io.request import Request, column_names
from howsure.io.roles import refuse_scores
from howsure.io.row_checks import of_filters
from howsure.io.streams import refuse_twice
from howsure.io.systems import check_unmatched, matched
from howsure.messages.language import option, spelled
from howsure.messages.notes import Note, note
from howsure.messages.texts import told

_SPELLINGS: Final = (  # what all texts of a column spell, and how each is written; one 1.10, a name, keeps all of them
    (
        r"[+-]?(0|[1-9][0-9]*)(\.0+|\.[0-9]*[1-9])?([eE][+-]?[0-9]+)?",
        r"regexp_replace(ltrim(trim({}), '+'), '\.0+$', '')",
    ),
    (r"(?i)true|false", "lower(trim({}))"),
)


def of_systems(
    files: Mapping[str, Any], request: Request, place: Mapping[str, Any]
) -> Observed | Clustered | Graded | Sliced:
    """One file (or several) for each system: joined on ids where they are named, else matched by cluster."""
    names = tuple(str(x) for x in files)
    paths = [listed(x) for x in files.values()]
    refuse_twice([p for group in paths for p in group])
    if len(request.answers) not in (1, len(names)):
        raise BadSetting(
            f"{len(names)} files need one column of answers for all, or one per file; got {len(request.answers)}."
        )
    columns = request.answers * len(names) if len(request.answers) == 1 else request.answers
    on = column_names(place["on"], "on") if "on" in place else ()
    unmatched = place.get("unmatched", "refuse")
    if request.kind in ("cuts", "scores"):
        takes = f"{option('pred')}, {option('outcome')} or {option('value')}"
        raise BadSetting(f"files of several systems need {takes}; put the columns of {option('score')} into one file.")
    if request.humans:
        told = f"put the columns of {option('judge')} and {option('human')} of all systems into one file"
        raise BadSetting(f"files of several systems have no judge: {told}.")
    if request.system is not None or request.item:
        stray = option("system" if request.system is not None else "item")
        raise BadSetting(f"each file holds a system, and {option('on')} joins their items: leave out {stray}.")
    if request.cluster is not None:
        own = replace(request, names=names, answers=columns, item=on)
        return clusters_joined(paths, own, columns, request.cluster, unmatched, place)
    if by_spark(place):
        raise BadSetting(f"files joined on ids are read by {option('engine', 'duckdb')}.")
    check_remote(place)
    if request.kind == "values" and request.count is not None:
        raise BadSetting(f"with {option('on')} every row is one item: leave out {option('count')}.")
    return joined(paths, replace(request, answers=columns, names=names), on, unmatched, place)


def clusters_joined(
    paths: Sequence[Any],
    request: Request,
    columns: Sequence[str],
    cluster: str,
    unmatched: str = "refuse",
    place: Mapping[str, Any] | None = None,
) -> Clustered | Graded | Sliced:
    """Systems in files of their own, matched by cluster; `columns` names the answer in each file.

    Ids may repeat and the numbers of samples may differ: each file is counted by itself.
    """
    pieces: list[Groups] = []
    loose: list[bool] = []
    ends = []
    for path, column in zip(paths, columns, strict=True):
        own = replace(request, answers=(column,), cluster=cluster, names=())
        with source_of(path, place or {}) as source:
            source.check(own.grouping.columns)
            found, free = (
                source.pieces(own.grouping, own.what)
                if isinstance(source, Files)
                else ([source.grouped(own.grouping, own.what)], [False])
            )
        pieces, loose = [*pieces, *found], [*loose, *free]
        ends.append(len(pieces))
    pieces = alike(pieces, own.grouping, loose)
    parts = {
        name: merged(pieces[start:end]) for name, start, end in zip(request.systems, [0, *ends], ends, strict=False)
    }
    shown = replace(request, answers=tuple(columns[:1]) if len(set(columns)) == 1 else tuple(columns), cluster=cluster)
    return matched(parts, shown, unmatched)


@dataclass(frozen=True)
class Trouble:
    """Items that cannot be paired: why, how many, in which file, and the first few."""

    why: str
    count: int
    where: str = ""
    first: str = ""

    @property
    def text(self) -> str:
        """In words."""
        return told(self.note.code, dict(self.note.facts))

    @property
    def note(self) -> Note:
        """As a note that they were left out."""
        code, _, form = self.why.partition("/")
        facts = {"form": form, "where": self.where, "first": self.first}
        return note(code, count=self.count, **{name: x for name, x in facts.items() if x})


def joined(
    paths: Sequence[Sequence[str | Path]], request: Request, on: Sequence[str], unmatched: str, place: Mapping[str, Any]
) -> Observed | Clustered | Graded | Sliced:
    """The joint evidence of systems whose answers are in files of their own.

    Slices, weights and counts are in one file or in several, which must agree. Values keep the ids of their items.
    """
    with opened([p for group in paths for p in group], place.get("watch")) as files:
        many = len(request.answers)
        if len(files.files) != many:
            raise BadSetting(f"{len(files.files)} files were found for {many} systems; give one file for each.")
        on, guessed = (on, []) if on else common_id(files)
        troubles, account, held = _load(files, request, on, check_unmatched(unmatched))
        notes = [*guessed, *(t.note for t in troubles), *_repeating(files, on)]
        item = (Key("item0", "id"),) if request.kind == "values" else ()
        grouping = replace(request.grouping, keys=(*item, *request.keys), where=())
        raw = _counted(files, grouping, many, held)
    kind = "json" if _all_json(files) else "csv"
    found = read(grouping, raw, request.what, partial(_decoded, kind, grouping, len(on)))
    refuse_scores(found, request)
    account = account.without("missing", found.unweighed * many)
    found = replace(found, rows=found.sizes * many, account=account)  # each item has a row in each file
    if request.kind == "values":
        made: Any = graded_values.settled(found, replace(request, item=("id",)))
    else:
        made = units.settle(found, request)
    found_all: Observed | Clustered | Graded | Sliced = replace(made, notes=(*notes, *made.notes))
    return found_all


def _all_json(files: Files) -> bool:
    """Files of different kinds or types meet as text."""
    return {s.kind for s in files.files} == {"json"}


def _shared(request: Request) -> dict[str, str]:
    """What the files that have it must agree on, beside ids and truths: names in the tables, and columns."""
    amount = request.weight or request.count
    found = {f"slice{k}": x for k, x in enumerate(request.by)}
    return found if amount is None else {**found, SUM: amount}


def _load(
    files: Files, request: Request, on: Sequence[str], drop: bool
) -> tuple[list[Trouble], Account, dict[str, list[int]]]:
    """The files as tables file0, file1, … and the ids that can be paired as `good`; what is left out, if allowed.

    Last, the places of the files that have each shared column.
    """
    account = Account(0, {}, request.where)
    con, plain, many = files.con, not _all_json(files), len(files.files)
    readers, held = _readers(files, request, on)
    for i, (r, column) in enumerate(zip(readers, request.answers, strict=True)):
        account += _load_one(con, i, r, replace(request, answers=(column,)), on, plain)
    every = {name: list(range(many)) for name in (*(f"on{k}" for k in range(len(on))), "truth")}
    if request.truth is None:
        del every["truth"]
    slices = {name: own for name, own in held.items() if name != SUM and len(own) > 1}
    _spell_alike(con, {**every, **slices})
    for i in range(many):
        _name_items(con, i, len(on))
    troubles = _troubles(con, [repr(s.shown) for s in files.files], request)
    if troubles and not drop:
        said = "; ".join(t.text for t in troubles)
        told = f"Correct the files, or give {option('unmatched', 'drop')} to leave them out"
        apart = all(t.why.startswith("ids-unmatched") for t in troubles)
        if apart and con.execute("SELECT 1 FROM good LIMIT 1").fetchone() is None:
            way = spelled("make evidence of each file", "give --independent")
            told = f"No id is in every file: is {option('on')} the right column? If they hold different items, {way}"
        if any(t.why == "ids-twice" for t in troubles):
            told += f"; if rows of one id belong together, give {option('cluster')} instead of {option('on')}"
            told += of_filters(replace(files, files=files.files[:1]), request, on)
        raise BadFile(f"the items cannot be paired: {said}. {told}.")
    _refuse_differing(con, request, held)
    return troubles, _paired_account(con, many, account, request.truth is not None), held


def _readers(files: Files, request: Request, on: Sequence[str]) -> tuple[list[Reader], dict[str, list[int]]]:
    """A reader for each file, and the places of those that have each shared column: one or more."""
    truth = [] if request.truth is None else [request.truth]
    shared = _shared(request)
    readers = []
    for file, column in zip(files.files, request.answers, strict=True):
        own = [*on, *truth, column]
        r = reader(files.con, [file], [*own, *shared.values()], request.where)
        for name in own:
            r.sql(name)
        readers.append(r)
    held = {name: [i for i, r in enumerate(readers) if x in r.place] for name, x in shared.items()}
    for name, own_files in held.items():
        for i in own_files or [0]:
            readers[i].sql(shared[name])
    return readers, held


def _refuse_differing(con: Any, request: Request, held: Mapping[str, list[int]]) -> None:
    """An item has one weight or count, and lies in one slice; a weight that a file lacks is missing, and no other."""
    for name, column in _shared(request).items():
        joins = " ".join(f"JOIN file{i} USING (id)" for i in held[name])
        differs = "<>" if name == SUM else "IS DISTINCT FROM"
        pairs = [(i, j) for k, i in enumerate(held[name]) for j in held[name][k + 1 :]]
        differ = " OR ".join(f"file{i}.{name} {differs} file{j}.{name}" for i, j in pairs) or "FALSE"
        for found in _listed(con, f"SELECT id FROM good {joins} WHERE {differ}", "differ"):
            raise BadLabels(
                f"column {column!r} differs between the files in {plural(found.count, 'item')} ({found.first}); an "
                "item needs one value: correct the files, or keep the column in only one of them."
            )


def _paired_account(con: Any, many: int, account: Account, truths: bool) -> Account:
    """What became of the rows of all files: those whose ids can be paired are kept."""
    for i in range(many):
        (total,) = con.execute(f"SELECT count(*) FROM file{i}").fetchone()
        (good,) = con.execute(f"SELECT count(*) FROM file{i} WHERE id IN (SELECT id FROM good)").fetchone()
        twice = f"SELECT count(*) AS n FROM file{i} WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1"
        (doubled,) = con.execute(f"SELECT coalesce(sum(n), 0) FROM ({twice})").fetchone()
        query = f"SELECT count(*) FROM file{i} WHERE id IN (SELECT id FROM differ)"
        (differ,) = con.execute(query).fetchone() if truths else (0,)
        account = account.without("twice", doubled).without("disagree", differ)
        account = account.without("unmatched", total - good - doubled - differ)
    return account


def _load_one(con: Any, i: int, r: Reader, request: Request, on: Sequence[str], plain: bool) -> Account:
    """The columns of one file as a table of its own; ids as texts. What became of its rows."""
    bound = dict(r.bound)
    say = r.text if plain else r.sql
    parts = [f"{r.text(x)} AS on{k}" for k, x in enumerate(on)]
    (answer,) = request.answers
    parts.append(f"{r.number(answer) if request.kind == 'values' else say(answer)} AS answer")
    if request.truth is not None:
        parts.append(f"{say(request.truth)} AS truth")
    shared = {name: x for name, x in _shared(request).items() if x in r.place}
    parts += [f"{r.number(x) if name == SUM else say(x)} AS {name}" for name, x in shared.items()]
    own = status_sql([x for _, x in r.judged(request.where, bound)]) if request.where else str(KEPT)
    rows = f"SELECT {', '.join(parts)}, {own} AS {STATUS} FROM {r.table}"
    con.execute(f"CREATE TEMP TABLE read{i} AS {rows}", bound)
    account = _judged(con, i, request.where)
    if account.left_out.get("missing") and request.missing not in ("drop", "bounds"):
        refuse_unreadable(con, r, request.where)
    numbers = [("answer", answer)] if request.kind == "values" else []
    for name, column in (*numbers, *((SUM, x) for name, x in shared.items() if name == SUM)):
        if con.execute(f"SELECT 1 FROM read{i} WHERE {name} IS NULL LIMIT 1").fetchone() is not None:
            refuse_text(con, r, column, request.where)
    return account


def _judged(con: Any, i: int, where: tuple[str, ...]) -> Account:
    """The rows that the conditions keep stay in the table."""
    found = dict(con.execute(f"SELECT {STATUS}, count(*) FROM read{i} GROUP BY {STATUS}").fetchall())
    if set(found) - {KEPT}:
        con.execute(f"DELETE FROM read{i} WHERE {STATUS} <> {KEPT}")
    lost = left_out(list(found), list(found.values()))
    return Account(sum(found.values()), {}, where).without("where", lost["where"]).without("missing", lost["missing"])


def _spell_alike(con: Any, columns: Mapping[str, list[int]]) -> None:
    """One spelling for each value of a column whose texts, in all its files, are numbers or true/false."""
    for column, places in columns.items():
        for pattern, spelling in _SPELLINGS:
            said = spelling.format(column)
            bad = f"NOT regexp_full_match(trim({column}), '{pattern}')"
            if any(con.execute(f"SELECT 1 FROM read{i} WHERE {bad} LIMIT 1").fetchone() for i in places):
                continue
            for i in places:
                con.execute(f"UPDATE read{i} SET {column} = {said} WHERE {column} <> {said}")
            break


def _name_items(con: Any, i: int, many: int) -> None:
    """The table or view file…: what was read, with the id of each item as one text."""
    if many == 1:
        con.execute(f"CREATE TEMP VIEW file{i} AS SELECT *, on0 AS id, on0 AS part FROM read{i}")
        return
    parts = [f"on{k}" for k in range(many)]
    missing = " OR ".join(f"{x} IS NULL" for x in parts)
    key = f"CASE WHEN {missing} THEN NULL ELSE CAST(to_json([{', '.join(parts)}]) AS VARCHAR) END AS id"
    con.execute(f"CREATE TEMP TABLE file{i} AS SELECT *, {key}, on0 AS part FROM read{i}")
    con.execute(f"DROP TABLE read{i}")


def _troubles(con: Any, shown: Sequence[str], request: Request) -> list[Trouble]:
    """What stands in the way; the table `good` holds the ids that can be paired."""
    many = len(shown)
    found = []
    for i, name in enumerate(shown):
        (empty,) = con.execute(f"SELECT count(*) FROM file{i} WHERE id IS NULL").fetchone()
        if empty:
            found.append(Trouble("ids-missing", empty, name))
        twice = f"SELECT id FROM file{i} WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1"
        found += _listed(con, twice, "ids-twice", name)
    distinct = [f"SELECT DISTINCT id, {i} AS file FROM file{i} WHERE id IS NOT NULL" for i in range(many)]
    every = " UNION ALL ".join(distinct)
    con.execute(f"CREATE TEMP TABLE places AS SELECT id, count(*) AS n, min(file) AS file FROM ({every}) GROUP BY id")
    if many == 2:
        for i, name in enumerate(shown):
            only = f"SELECT id FROM places WHERE n = 1 AND file = {i}"
            found += _listed(con, only, "ids-unmatched/only", name)
    else:
        found += _listed(con, f"SELECT id FROM places WHERE n < {many}", "ids-unmatched/some")
    unique = " INTERSECT ".join(
        f"SELECT id FROM file{i} WHERE id IS NOT NULL GROUP BY id HAVING count(*) = 1" for i in range(many)
    )
    con.execute(f"CREATE TEMP TABLE good AS {unique}")
    if request.truth is not None:
        found += _disagreeing(con, many)
    return found


def _disagreeing(con: Any, many: int) -> list[Trouble]:
    joins = " ".join(f"JOIN file{i} USING (id)" for i in range(many))
    differ = " OR ".join(f"file{i}.truth IS DISTINCT FROM file0.truth" for i in range(1, many)) or "FALSE"
    con.execute(f"CREATE TEMP TABLE differ AS SELECT id FROM good {joins} WHERE {differ}")
    found = _listed(con, "SELECT id FROM differ", "truths-disagree")
    if found:
        con.execute("DELETE FROM good WHERE id IN (SELECT id FROM differ)")
    return found


def _listed(con: Any, query: str, why: str, where: str = "") -> list[Trouble]:
    (count,) = con.execute(f"SELECT count(*) FROM ({query})").fetchone()
    if not count:
        return []
    rows = con.execute(f"SELECT id FROM ({query}) ORDER BY id LIMIT {LISTED}").fetchall()
    first = ", ".join(_short(row[0]) for row in rows) + (", …" if count > LISTED else "")
    return [Trouble(why, count, where, first)]


def _short(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:23] + "…")


def _repeating(files: Files, on: Sequence[str]) -> list[Note]:
    """A question about items that several columns tell apart: those with the same first one may belong together."""
    if len(on) < 2:
        return []
    query = "SELECT part FROM good JOIN file0 USING (id) GROUP BY part HAVING count(*) > 1"
    (many,) = files.con.execute(f"SELECT count(*) FROM ({query})").fetchone()
    return [note("ids-repeat", column=on[0], ids=many)] if many else []


def _counted(files: Files, grouping: Grouping, many: int, held: Mapping[str, list[int]]) -> dict[str, Any]:
    """One group-by of the joined files; an amount that one of its files lacks is missing."""
    place = {"item0": "id", "truth": "file0.truth", **{name: f"file{own[0]}.{name}" for name, own in held.items()}}
    place |= {f"answer{i}": f"file{i}.answer" for i in range(many)}
    if SUM in held:
        there = " AND ".join(f"file{i}.{SUM} IS NOT NULL" for i in held[SUM])
        place[SUM] = place["weight0"] = f"CASE WHEN {there} THEN {place[SUM]} END"
    names = [*(k.name for k in grouping.keys), *([SUM] if grouping.amount is not None else [])]
    picked = [f"{place[name]} AS {name}" for name in names]
    joins = " ".join(f"JOIN file{i} USING (id)" for i in range(many))
    found = files.run(sql_groups(grouping, f"SELECT {', '.join(picked)} FROM good {joins}"), {})
    return dict(zip([*(k.name for k in grouping.keys), *grouping.aggregates], found.values(), strict=True))


def _decoded(kind: str, grouping: Grouping, parts: int, columns: dict[str, Column]) -> dict[str, Column]:
    """Keys with levels of their own types; ids were put together as text."""
    ids = columns.pop("item0", None)
    if kind == "json":
        found = from_json(grouping, columns)
    else:
        (found,) = agreed([columns], [True], {k.name: k.column for k in grouping.labels})
    if ids is not None:
        own = typed(ids.levels, names=True) if parts == 1 else {x: tuple(json.loads(x)) for x in ids.levels}
        found["item0"] = Column(tuple(own[x] for x in ids.levels), ids.codes)
    return found
