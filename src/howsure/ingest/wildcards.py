"""Columns named by a pattern, such as model_*: all that match, in the order of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from howsure.errors import UnknownName, listing
from howsure.ingest.groups import Source
from howsure.ingest.request import Request, check_answers, check_names, is_pattern
from howsure.language import option


def written_out(request: Request, source: Source) -> Request:
    """The request with the columns that its patterns mean; columns that have another role are not among them."""
    names = list(source.names())
    others = {k.column for k in request.keys if not k.name.startswith("answer")} | {request.weight, request.count}
    free = [name for name in dict.fromkeys(names) if name not in others]
    found = [name for given in request.answers for name in _meant(given, names, free, request)]
    return check_names(check_answers(replace(request, answers=tuple(dict.fromkeys(found)))))


def _meant(given: str, names: Sequence[str], free: Sequence[str], request: Request) -> list[str]:
    """The columns that one name means: a column that is called so, else those that match; no * reaches over a dot."""
    if given in names or not is_pattern(given):
        return [given]
    found = [name for name in free if name.count(".") == given.count(".") and fnmatchcase(name, given)]
    if not found:
        raise UnknownName(f"no column matches {option(request.role, given)}. Columns: {listing(names, most=20)}.")
    return found
