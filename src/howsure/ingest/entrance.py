"""The one entrance: arrays, frames, files and databases, with columns named by role, to the evidence they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np

from howsure.errors import BadLabels, BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.items import Items
from howsure.evidence.label_sets import Multilabel
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.scored import Scored
from howsure.evidence.strata import Stratified
from howsure.ingest import graded_values, label_arrays, scored_items
from howsure.ingest.files import Watch
from howsure.ingest.frames import Frame, is_frame
from howsure.ingest.groups import Source
from howsure.ingest.memory import Table
from howsure.ingest.paths import is_paths, source_of
from howsure.ingest.request import Request, make
from howsure.ingest.settling import settle
from howsure.ingest.sql import Database, is_connection
from howsure.ingest.systems import by_system, matched, paired, repeating
from howsure.language import option

Asked = Literal["table", "values", "scores"]
MADE: Final = (Tally, Outcomes, Multilabel, Clustered, Stratified, Items, Scored)

_ROLES: Final[dict[Asked | None, tuple[str, ...]]] = {
    None: ("pred", "outcome", "value", "score"), "table": ("pred", "outcome", "score"), "values": ("value",),
    "scores": ("score",),
}  # fmt: skip
_NAMED: Final = ("truth", "pred", "outcome", "value", "score", "threshold", "by", "count", "item", "system", "where",
                 "sep")  # fmt: skip
PLACES: Final[dict[str, frozenset[str]]] = {  # which options of reading each place takes
    "arrays": frozenset(), "frames": frozenset({"names", "unmatched"}),
    "database": frozenset({"table", "query", "names", "unmatched"}),
    "files": frozenset({"names", "engine", "remote", "watch", "unmatched"}),
    "files of systems": frozenset({"on", "unmatched", "engine", "remote", "watch"}),
}  # fmt: skip


def evidence(
    data: Any,
    second: Any = None,
    *,
    kind: Asked | None = None,
    truth: Any = None,
    pred: Any = None,
    outcome: Any = None,
    value: Any = None,
    score: Any = None,
    threshold: Any = None,
    by: Any = None,
    cluster: Any = None,
    weight: Any = None,
    count: Any = None,
    missing: Any = "refuse",
    where: Any = None,
    labels: Any = None,
    positive: Any = None,
    sep: Any = None,
    bounds: Any = None,
    better: Any = "higher",
    bins: Any = None,
    item: Any = None,
    system: Any = None,
    names: Sequence[str] | None = None,
    on: Any = None,
    unmatched: str | None = None,
    table: str | None = None,
    query: str | None = None,
    engine: str | None = None,
    remote: str | None = None,
    watch: Watch | None = None,
) -> Any:
    """What was observed: a Tally, Outcomes, Multilabel, Clustered, Items or Scored, of whatever holds it.

    Two arrays are truths and answers (of classes; of scores with kind="scores"), a mapping of answers has systems; one
    array, or a mapping from system to array, are graded values. A mapping with columns named, a frame of any engine, an
    iterator of frames, paths and a DB-API connection (with table= or query=) take the names of columns; a mapping from
    system to path is files of several systems, joined on the ids of items (on=) or matched by cluster. `kind` narrows
    what may be asked for: "table", "values" or "scores".

    >>> evidence([1, 0, 1], [1, 1, 1])
    Tally(tp=2, fp=1, fn=0, tn=0)
    >>> evidence({"y": [1, 0, 1], "p": [0.9, 0.4, 0.3]}, truth="y", score="p")
    Scored(3 items, 2 positive)
    """
    columns: dict[str, Any] = {
        "truth": truth, "pred": pred, "outcome": outcome, "value": value, "score": score, "threshold": threshold,
        "by": by, "cluster": cluster, "weight": weight, "count": count, "where": where, "labels": labels,
        "positive": positive, "sep": sep, "bounds": bounds, "bins": bins, "item": item, "system": system,
    }  # fmt: skip
    place: dict[str, Any] = {
        "names": names, "on": on, "unmatched": unmatched, "table": table, "query": query, "engine": engine,
        "remote": remote, "watch": watch,
    }  # fmt: skip
    settings = {"missing": missing, "better": better}
    if isinstance(data, MADE):
        return _made(data, second, columns | place)
    named = [name for name in _NAMED if columns[name] is not None]
    if second is not None or (not named and not _has_columns(data)):
        return _of_arrays(data, second, kind, columns | settings, place, named)
    roles = _ROLES[kind]
    if is_connection(data):
        _refuse_places("database", place, data)
        request = make(roles=roles, names=names or (), **columns, **settings)
        return counted(Database(data, table, query), request, unmatched)
    return _of_columns(data, roles, columns | settings, place)


def _made(data: Any, second: Any, options: dict[str, Any]) -> Any:
    """Evidence that is made already takes no options of its making."""
    stray = next((name for name, x in options.items() if x is not None), None)
    if second is not None:
        raise BadSetting(f"give {type(data).__name__}, or truths and predictions, not both.")
    if stray is not None:
        raise BadSetting(f"{option(stray)} belongs to the making of {type(data).__name__}; this one is made already.")
    return data


def _has_columns(data: Any) -> bool:
    return is_paths(data) or is_connection(data) or is_frame(data)


def _refuse_places(where: str, place: Mapping[str, Any], data: Any) -> None:
    """Options of reading that the place does not take."""
    stray = next((name for name, x in place.items() if x is not None and name not in PLACES[where]), None)
    if stray is None:
        return
    if stray in ("table", "query"):
        told = f"{option('table')} and {option('query')} go with a database connection"
        raise BadSetting(f"{told}; got {type(data).__name__}.")
    takers = [name for name, own in PLACES.items() if stray in own]
    called = {"database": "a database connection", "files of systems": "files of several systems, {'a': 'a.jsonl'}"}
    others = " and ".join(called.get(x, x) for x in takers)
    raise BadSetting(f"{option(stray)} goes with {others}, not with {where}.")


# -- arrays


def _of_arrays(
    data: Any, second: Any, kind: Asked | None, given: dict[str, Any], place: dict[str, Any], named: list[str]
) -> Any:
    call = "hs.curve(y_true, scores)" if kind == "scores" else "hs.tally(y_true, y_pred)"
    if named:
        told = f"{option(named[0])} names a column"
        raise BadSetting(f"{told} of a frame; {_what(data, kind, call)}.")
    _refuse_places("arrays", place, data)
    if kind == "values" or (kind is None and second is None):
        stray = next((x for x in ("labels", "positive", "bins") if given[x] is not None), None)
        if stray is not None:
            make(value="values", **{stray: given[stray]})
        cluster = None if given["cluster"] is None else "cluster"
        made = make(value="values", bounds=given["bounds"], missing=given["missing"], better=given["better"])
        request = replace(made, answers=("",), cluster=cluster)
        return graded_values.of_arrays(data, request, given["weight"], given["cluster"])
    for name in ("bounds", "bins") if kind != "scores" else ("bounds", "labels"):
        if given[name] is not None:
            raise BadSetting(f"{option(name)} does not go with {call}: leave it out.")
    if given["bins"] is not None:
        raise BadSetting(f"{option('bins')} is for frames, files and databases; arrays are taken as they are.")
    settings = {name: given[name] for name in ("positive", "weight", "cluster", "missing")}
    if kind == "scores":
        return scored_items.of_arrays(data, second, **settings)
    if second is None:
        raise BadLabels(f"y_pred must be a sequence of labels; got {second!r}.")
    return label_arrays.of_arrays(data, second, labels=given["labels"], **settings)


def _what(data: Any, kind: Asked | None, call: str) -> str:
    if kind == "values":
        return f"the data given is not a frame but {type(data).__name__}"
    return f"with arrays write {call}"


# -- columns


def _of_columns(data: Any, roles: Sequence[str], given: dict[str, Any], place: dict[str, Any]) -> Any:
    if isinstance(data, Mapping) and data and all(is_paths(x) for x in data.values()):
        _refuse_places("files of systems", place, data)
        from howsure.ingest.pairing import of_systems

        return of_systems(data, make(roles=roles, **given), place)
    if is_paths(data):
        _refuse_places("files", place, data)
        request = make(roles=roles, names=place["names"] or (), **given)
        with source_of(data, place) as source:
            return counted(source, request, place["unmatched"])
    _refuse_places("frames", place, data)
    request = make(roles=roles, names=place["names"] or (), **given)
    if isinstance(data, Mapping):
        return counted(_table(data), request, place["unmatched"])
    return counted(Frame(data), request, place["unmatched"])


def _table(data: Mapping[Any, Any]) -> Table:
    """A mapping from names to columns of one length."""
    columns = {str(name): x if isinstance(x, np.ndarray) else list(x) for name, x in data.items()}
    if len({len(x) for x in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in columns.items())
        raise BadLabels(f"columns must have one length; got {sizes}.")
    return Table(columns)


def counted(source: Source, request: Request, unmatched: str | None = None) -> Any:
    """The evidence that a request asks of a source."""
    by_cluster = request.cluster is not None and not (request.item and request.kind == "values")
    if unmatched is not None and not (request.system is not None and by_cluster):
        told = f"systems that are matched by {option('cluster')}; {option('missing', 'drop')} leaves out items"
        raise BadSetting(f"{option('unmatched')} goes with files of several systems, or with {told}.")
    source.check(request.grouping.columns)
    if request.kind == "scores":
        return scored_items.of_source(source, request)
    g = source.grouped(request.grouping, request.what)
    notes = repeating(g, request) if request.kind != "values" and request.system is None else ()
    if request.system is not None:
        if by_cluster:
            return matched(by_system(g, request), request, unmatched or "refuse", library=source.library)
        g, request = paired(g, request)
        notes = repeating(g, request) if len(request.item) > 1 else ()
    if request.kind == "values":
        found: Any = graded_values.settle_values(g, request, source.library)
    else:
        found = settle(g, request, source.library)
    return replace(found, notes=(*found.notes, *notes)) if notes else found
