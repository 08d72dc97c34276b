"""The one entrance: arrays, frames, files and databases, with columns named by role, to the evidence they hold."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from howsure.errors import BadLabels, BadSetting, NoColumn, UnknownName, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.clusters import Clustered
from howsure.evidence.graded import Graded
from howsure.evidence.judged import JudgedItems
from howsure.evidence.label_sets import Multilabel
from howsure.evidence.outcomes import Outcomes
from howsure.evidence.scored import Scored
from howsure.evidence.sliced import Sliced
from howsure.evidence.strata import Stratified
from howsure.io import graded_values, judged_items, label_arrays, scored
from howsure.io.columns import lost, unarrowed
from howsure.io.damaged_files import refuse_columns
from howsure.io.database import Database, is_connection
from howsure.io.files import Files, by_spark, is_paths, listed, may_be_logs, source_of
from howsure.io.first_rows import Role, guess, is_id
from howsure.io.frames import Frame, is_frame
from howsure.io.groups import Groups, Source
from howsure.io.memory import Table
from howsure.io.request import OPTIONS, Request, Wanted, make, refuse_stray
from howsure.io.roles import completed, lacking, lacking_ids, one_guess, refuse_scores, refuse_unknown, with_ids
from howsure.io.row_checks import FILTER, IDS, misaligned, refuse_filters, repeated
from howsure.io.streams import on_disk
from howsure.io.systems import between_slices, by_system, chosen, matched, paired, repeating
from howsure.io.units import doubtful, settle
from howsure.messages.language import option
from howsure.messages.notes import SHARED_ITEMS, Note, Notes, note

Asked = Literal["table", "values", "scores"]
MADE: Final = (Tally, Outcomes, Multilabel, Clustered, Stratified, Graded, Sliced, Scored, JudgedItems)
PLACES: Final[dict[str, frozenset[str]]] = {  # which options of reading each place takes
    "arrays": frozenset(), "frames": frozenset({"names", "unmatched"}),
    "databases": frozenset({"names", "unmatched", "table", "query"}),
    "files": frozenset({"names", "unmatched", "engine", "remote", "watch", "task", "filter", "scorer"}),
    "files of systems": frozenset({"on", "unmatched", "engine", "remote", "watch", "task", "filter", "scorer"}),
}  # fmt: skip
_GUESSED: Final[tuple[Role, ...]] = ("pred", "score")
_COLUMNS: Final = ("truth", "pred", "score", "outcome", "value", "judge", "human")
_OF_PATHS: Final = frozenset("./\\*?")  # what a name of a file has mostly, and a label hardly
_DEFAULTS: Final = (("missing", "refuse"), ("better", "higher"), ("unmatched", "refuse"), ("independent_rows", False))
COLUMNS: Final = frozenset().union(*OPTIONS.values())
READING: Final = frozenset().union(*PLACES.values())
USUAL: Final = Wanted()
_ROLES: Final[dict[Asked | None, tuple[str, ...]]] = {
    None: ("pred", "outcome", "value", "score"), "table": ("pred", "outcome", "score"), "values": ("value",),
    "scores": ("score",),
}  # fmt: skip
_OF_ARRAYS: Final[dict[Asked | None, frozenset[str]]] = {  # what arrays take; all else names columns
    "table": frozenset({"labels", "positive", "weight", "cluster", "missing"}),
    "scores": frozenset({"positive", "weight", "cluster", "missing"}),
    "values": frozenset({"weight", "cluster", "missing", "bounds", "better"}),
}


def evidence(
    data: Any, second: Any = None, *, kind: Asked | None = None, wanted: Wanted = USUAL, **options: Any
) -> Any:
    """What was observed: a Tally, Outcomes, Multilabel, Clustered, Graded or Scored, of whatever holds it.

    Two arrays are truths and answers (of classes; of scores with kind="scores"), a mapping of answers has systems; one
    array, or a mapping from system to array, are graded values. A mapping with columns named, a frame of any engine, an
    iterator of frames, paths and a database (a DB-API connection or an address, with table= or query=) take the names
    of columns; a mapping from system to path is files of several systems, joined on the ids of items (on=) or matched
    by cluster. `kind` narrows what may be asked for: "table", "values" or "scores"; `wanted` is what the caller takes.
    OPTIONS says which options each kind takes, PLACES which those of reading.

    >>> evidence([1, 0, 1], [1, 1, 1])
    Tally(tp=2, fp=1, fn=0, tn=0)
    >>> evidence({"y": [1, 0, 1], "p": [0.9, 0.4, 0.3]}, truth="y", score="p")
    Scored(3 items, 2 positive)
    """
    given = {name: x for name, x in options.items() if x is not None or name == "better"}
    given = {name: x for name, x in given.items() if (name, x) not in _DEFAULTS}
    unknown = next((name for name in given if name not in COLUMNS | READING), None)
    if unknown is not None:
        hint = nearest(unknown, COLUMNS | READING)
        raise UnknownName(f"there is no option {option(unknown)}.{hint}")
    if isinstance(data, MADE):
        return _made(data, second, given)
    columns = {name: x for name, x in given.items() if name in COLUMNS}
    place = {name: x for name, x in given.items() if name in READING}
    if second is None and (is_paths(data) or _of_systems(data, columns)):
        found = _of_logs(data, kind, columns, place, wanted)
        if found is not None:
            return found
    what = kind or ("values" if second is None else "table")
    named = [name for name in columns if name not in frozenset().union(*_OF_ARRAYS.values())]
    if second is not None or not (named or _has_columns(data, kind, columns)):
        _refuse_places("arrays", place, data)
        return _of_arrays(data, second, what, columns)
    cut = kind != "table" or "threshold" in columns  # tables are made of scores only where they are cut
    return _of_columns(data, [x for x in _ROLES[kind] if cut or x != "score"], columns, place, wanted)


def _has_columns(data: Any, kind: Asked | None, columns: Mapping[str, Any]) -> bool:
    """Whether it can have columns, though none is named; texts alone may also be values that are none."""
    own = is_paths(data) or _of_systems(data, columns) or is_table(data, columns)
    return is_connection(data) or _is_address(data) or (own and kind != "values") or is_frame(data)


def is_table(data: Any, given: Mapping[str, Any]) -> bool:
    """Whether a mapping holds columns: those that are named, a truth and its answers under usual names, or outcomes.

    >>> is_table({"y_true": [1, 0], "pred": [1, 1]}, {}), is_table({"a": [1, 0], "b": [1, 1]}, {})
    (True, False)
    >>> is_table({"task_id": [7, 8], "passed": [1, 0]}, {})
    True
    """
    if not isinstance(data, Mapping) or not all(_is_column(x) for x in data.values()):
        return False
    keys = [str(x) for x in data]
    named = [x for role in _COLUMNS if isinstance(own := given.get(role), (str, list, tuple)) for x in listed(own)]
    usual = bool(guess(keys, "truth")) and any(guess(keys, role) for role in _GUESSED)
    usual = usual or (len(guess(keys, "outcome")) == 1 and any(map(is_id, keys)))
    return set(named) <= set(keys) if named else usual


def _is_column(x: Any) -> bool:
    return hasattr(x, "__len__") and not isinstance(x, (str, bytes, Path, Mapping))


def refuse_texts(systems: Mapping[Any, Any]) -> None:
    """Refuse a mapping to lists of texts that are no paths: they may be columns of labels."""
    if not all(_is_column(x) for x in systems.values()):
        return
    texts = [str(x) for own in systems.values() for x in own]
    if any(set(x) & _OF_PATHS or x == "-" or Path(x).exists() for x in texts):
        return
    told = f"{next(iter(systems))!r} holds texts such as {texts[0]!r}, which are not names of files"
    way = f"if they are labels, name the columns with {option('truth')} and {option('pred')}"
    raise BadSetting(f"{told}; {way}.")


def _of_systems(data: Any, columns: Mapping[str, Any]) -> bool:
    """Whether it is a mapping from system to path."""
    paths = isinstance(data, Mapping) and len(data) > 0 and all(is_paths(x) for x in data.values())
    return paths and not is_table(data, columns)


def _is_address(data: Any) -> bool:
    """Whether it is the address of a database; what has no colon is none."""
    if not isinstance(data, str) or ":" not in data:
        return False
    from howsure.io.addresses import is_address

    return is_address(data)


def _made(data: Any, second: Any, given: Mapping[str, Any]) -> Any:
    """Evidence that is made already takes no options of its making."""
    if second is not None:
        raise BadSetting(f"give {type(data).__name__}, or truths and predictions, not both.")
    stray = next(iter(given), None)
    if stray is not None:
        raise BadSetting(
            f"{option(stray)} is for making evidence from data; this {type(data).__name__} is already made."
        )
    return data


def _refuse_places(where: str, place: Mapping[str, Any], data: Any) -> None:
    """Options of reading that the place does not take."""
    stray = next((name for name in place if name not in PLACES[where]), None)
    if stray in ("table", "query"):
        told = f"{option('table')} and {option('query')} are for a database connection"
        raise BadSetting(f"{told}; got {type(data).__name__}.")
    if stray is not None:
        *takers, last = (name for name, own in PLACES.items() if stray in own)
        known = f"{', '.join(takers)} and {last}" if takers else last
        raise BadSetting(f"{option(stray)} is for {known}, not for {where}; leave it out.")


# -- logs


def are_logs(paths: Sequence[str | Path], columns: Mapping[str, Any]) -> bool:
    """Whether some of these are logs, or are to be read as such."""
    if not may_be_logs(paths) and not {"task", "filter", "scorer"} & set(columns):
        return False
    from howsure.io.logs.columns import reads

    return reads(paths, columns)


def as_systems(*paths: str | Path) -> Any:
    """Paths of one system each, as evidence() takes them: logs know their systems, other files are named by path."""
    from howsure.io.formats import system_names

    texts = [str(p) for p in paths]
    return texts if are_logs(texts, {}) else dict(zip(system_names(texts), texts, strict=True))


def _of_logs(data: Any, kind: Asked | None, columns: dict[str, Any], place: dict[str, Any], wanted: Wanted) -> Any:
    """The evidence in logs of evaluation harnesses, by way of their columns; None if these are other files."""
    paths = [p for x in data.values() for p in listed(x)] if isinstance(data, Mapping) else listed(data)
    if not may_be_logs(paths) and not {"task", "filter", "scorer"} & set(place):
        return None
    from howsure.io.logs.columns import CHOICES, logged

    options = columns | {x: place[x] for x in CHOICES if x in place}
    found = logged(data, options, place.get("names", ()), kind)
    if found is None:
        return None
    own = {x: y for x, y in place.items() if x == "unmatched"} | ({"unmatched": "drop"} if found.names else {})
    own |= {"names": found.names} if found.names else {}
    made = _of_columns(found.columns, _ROLES[kind], dict(found.options), own, wanted)
    return _noted(made, (*found.notes, *made.notes))


# -- arrays


def _of_arrays(data: Any, second: Any, kind: Asked, given: dict[str, Any]) -> Any:
    stray = next((name for name in given if name not in _OF_ARRAYS[kind]), None)
    if stray == "bins" and kind == "scores":
        raise BadSetting(f"{option('bins')} is for frames, files and databases; arrays are used as they are.")
    if stray in ("labels", "positive", "bounds", "better", "bins"):
        refuse_stray("classes" if kind == "table" else kind, stray)
    if stray is not None:
        call = "hs.curve(y_true, scores)" if kind == "scores" else "hs.tally(y_true, y_pred)"
        way = f"got {type(data).__name__}" if kind == "values" else f"with arrays write {call}"
        raise BadSetting(f"{option(stray)} names a column of a frame; {way}.")
    if kind != "table":
        label_arrays.refuse_shuffled(data, second, given)
    if kind == "values":
        return graded_values.of_arrays(data, given)
    if kind == "scores":
        return scored.of_arrays(data, second, given)
    if second is None:
        raise BadLabels(f"y_pred must be a sequence of labels; got {second!r}.")
    return label_arrays.of_arrays(data, second, **given)


# -- columns


def _of_columns(data: Any, roles: Sequence[str], columns: dict[str, Any], place: dict[str, Any], wanted: Wanted) -> Any:
    systems = _of_systems(data, columns)
    if systems:
        refuse_texts(data)
    where = "files of systems" if systems else "files" if is_paths(data) else "frames"
    where = "databases" if is_connection(data) or _is_address(data) else where
    if where == "frames" and isinstance(data, Mapping):
        _refuse_frames(data, place)
    _refuse_places(where, place, data)
    if where == "frames" and isinstance(data, (list, tuple)) and not all(is_frame(x) for x in data):
        told = f"{option(next(iter(columns)))} names a column of a frame, a file or a database"
        raise BadSetting(f"{told}; got {type(data[0]).__name__}. For arrays write hs.tally(y_true, y_pred).")
    lacks, nameless = lacking(columns, roles), not systems and lacking_ids(columns)
    request = None if lacks or nameless else _request(columns, roles, place, systems, wanted)
    with _opened(data, where, place, lacks) as (kept, sources, notes):
        if nameless:
            columns, guessed = with_ids(columns, sources[0])
            notes = (*guessed, *notes)
        if lacks:
            columns, taken = completed(columns, roles, sources, wanted)
            notes = (taken, *notes)
        if request is None:
            request = _request(columns, roles, place, systems, wanted)
        if systems:
            from howsure.io.pairing import of_systems

            found: Any = of_systems(kept, request, place)
            notes = (*notes, *_repeated_in_files(kept, request, found, place))
        else:
            found = counted(sources[0], request, place.get("unmatched", "refuse"))
            if isinstance(sources[0], Files) and isinstance(found, Multilabel):
                refuse_columns(sources[0].files, found.n)
    if request.independent_rows:
        notes = (*notes, note("rows-independent"))
    own = () if isinstance(found, dict) else found.notes
    return _noted(found, one_guess((*notes, *own))) if notes else found


def _repeated_in_files(files: Mapping[Any, Any], request: Request, found: Any, place: Mapping[str, Any]) -> Notes:
    """A warning about the rows of the first file, whose items are those of the others, if it can be read again."""
    first = next(iter(files.values()))
    if by_spark(place) or not all(Path(p).is_file() for p in listed(first)):
        return ()
    with source_of(first, {}) as source:
        on = listed(place.get("on", ()))
        return repeated(source, request, found, [x for x in source.heading() if x not in on])


def _noted(found: Any, notes: Notes) -> Any:
    """With these notes; those of clusters are those of their tables."""
    if isinstance(found, dict):
        return {name: _noted(x, (*notes, *x.notes)) for name, x in found.items()}
    return found.noted(notes) if isinstance(found, Clustered) else replace(found, notes=notes)


def _request(
    columns: dict[str, Any], roles: Sequence[str], place: Mapping[str, Any], systems: bool, wanted: Wanted
) -> Request:
    """What is wanted, once every column that is needed is named."""
    request = make(roles=roles, names=place.get("names", ()), **columns)
    if (
        place.get("unmatched", "refuse") != "refuse"
        and request.system is None
        and request.between is None
        and not systems
    ):
        raise BadSetting(f"{option('unmatched')} goes with {option('system')}, or with files of several systems.")
    return replace(request, roles=tuple(roles), wanted=wanted)


@contextlib.contextmanager
def _opened(data: Any, where: str, place: Mapping[str, Any], lacks: bool) -> Iterator[tuple[Any, list[Source], Notes]]:
    """What holds the rows; files of systems only where their columns must be looked at, and then they are kept."""
    with contextlib.ExitStack() as stack:
        if where == "files of systems":
            if lacks:
                data = stack.enter_context(_kept(data))
            yield data, [stack.enter_context(source_of(x, place)) for x in data.values()] if lacks else [], ()
        elif where == "files":
            yield data, [stack.enter_context(source_of(data, place))], ()
        elif where == "databases" and isinstance(data, str):
            from howsure.io.addresses import opened

            source, notes = stack.enter_context(opened(data, place.get("table"), place.get("query")))
            yield data, [source], tuple(notes)
        elif where == "databases":
            yield data, [Database(data, place.get("table"), place.get("query"))], ()
        else:
            yield data, [_table(data) if isinstance(data, Mapping) else Frame(data)], ()


@contextlib.contextmanager
def _kept(files: Mapping[Any, Any]) -> Iterator[dict[Any, Any]]:
    """The files of each system, such that they can be read more than once."""
    with on_disk([p for x in files.values() for p in listed(x)]) as places:
        each = iter(places)
        yield {name: [next(each).path for _ in listed(x)] for name, x in files.items()}


def _refuse_frames(data: Mapping[Any, Any], place: Mapping[str, Any]) -> None:
    """Frames of several systems must be one before they come here."""
    if any(is_frame(x) for x in data.values()):
        on = place.get("on", "id")
        merged = f"merge them first, as in a.merge(b, on={on!r}), with a column of {option('pred')} for each"
        raise BadSetting(f"frames of several systems are not joined: {merged}; or stack them, with {option('system')}.")


def _table(data: Mapping[Any, Any]) -> Table:
    """A mapping from names to columns of one length."""
    columns = {str(name): x if isinstance(x, np.ndarray) else _listed(x) for name, x in data.items()}
    if len({len(x) for x in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {len(x)}" for name, x in columns.items())
        raise BadLabels(f"columns must have the same length; got {sizes}.")
    return Table(columns)


def _listed(x: Any) -> Any:
    """The values of a column; of a series of 32-bit floats they stay such, since conditions round as they did."""
    if str(getattr(x, "dtype", "")).lower() not in ("float32", "float[pyarrow]"):
        own = unarrowed(x)
        return own if isinstance(own, np.ndarray) else list(own)
    return np.array([np.nan if lost(v) else v for v in x], dtype=np.float32)


def counted(source: Source, request: Request, unmatched: str = "refuse") -> Any:
    """The evidence that a request asks of a source; what some system in rows of its own lacks is refused or dropped.

    Rows that may not be independent are warned of.
    """
    if request.patterns:
        from howsure.io.roles import written_out

        request = written_out(request, source)
    try:
        source.check(request.grouping.columns)
    except NoColumn as error:
        refuse_unknown(error, source, request)
    heading = source.heading()
    if FILTER in heading:
        refuse_filters(source, request)
    found = _counted(source, request, unmatched)
    if isinstance(found, dict):  # of slices, which may share items
        within = replace(request, by=(str(request.between),))
        own = repeated(source, within, next(iter(found.values())), heading)
        notes = tuple(_of_shared(x, str(request.between)) for x in own)
        return _noted(found, notes) if notes else found
    notes = repeated(source, request, found, heading)
    return _noted(found, (*found.notes, *notes)) if notes else found


def _of_shared(n: Note, between: str) -> Note:
    """Of slices that may share items: how to pair them."""
    if n.code != SHARED_ITEMS:
        return n
    way = f"{option('system', between)} {option('item', n['column'])}"
    return note("between-shares-items", column=n["column"], count=n["count"], rows=n["rows"], way=way)


def _counted(source: Source, request: Request, unmatched: str) -> Any:
    if request.kind == "scores":
        g, finished = scored.of_source(source, request)
        return finished(g, request) if request.between is None else between_slices(g, request, finished, unmatched)
    g = source.grouped(request.grouping, request.what)
    refuse_scores(g, request)
    if request.between is not None:
        own = partial(_settled, library=source.library)
        return between_slices(g, request, own, unmatched, source.library)
    notes = repeating(g, request) if request.kind != "values" and request.system is None else ()
    labelled = request.kind == "classes" and request.system is None and request.truth is not None
    doubted = doubtful(g.truth, g.answers, g.sizes) if labelled else []
    warnings = misaligned(source, request, doubted) if any(doubted) else ()
    if request.system is not None:
        g = chosen(g, request)
        if not request.paired:
            return matched(by_system(g, request), request, unmatched, source.library)
        g, request, notes = paired(g, request, unmatched)
        notes += repeating(g, request) if len(request.item) > 1 else ()
    found = _settled(g, request, source.library)
    named = {n["system"] for n in warnings if n.code == IDS}  # which the counts alone could not tell
    kept = [n for n in found.notes if n.code != IDS or n["system"] not in named]
    return _noted(found, (*warnings, *kept, *notes)) if warnings or notes else found


def _settled(g: Groups, request: Request, library: str | None) -> Any:
    """The evidence of what was counted."""
    if request.kind == "values":
        return graded_values.settled(g, request, library)
    return (judged_items.settled if request.humans else settle)(g, request, library)
