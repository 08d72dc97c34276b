"""Judgments and runs in memory: dicts of dicts, frames of any engine, lists of records, all as dicts of dicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np

from howsure.errors import BadLabels, BadSetting, listing
from howsure.ingest.lines import Rows, grouped

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
