"""Columns named by a pattern, such as model_*: all that match, in the order of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from howsure.errors import BadSetting, UnknownName, listing, plural
from howsure.ingest.conditions import mentioned
from howsure.ingest.groups import Source
from howsure.ingest.guessing import guess
from howsure.ingest.request import Request, check_answers, check_names, is_pattern
from howsure.language import option


def written_out(request: Request, source: Source) -> Request:
    """The request with the columns that its patterns mean; columns that have another role are not among them.

    A star alone means no ids and no columns of conditions either.
    """
    names = list(source.names())
    others = {k.column for k in request.keys if not k.name.startswith("answer")} | {request.weight, request.count}
    free = [name for name in dict.fromkeys(names) if name not in others]
    told = {*guess(names, "id"), *(name for text in request.where for name in mentioned(text))}
    rest = [name for name in free if name not in told]
    each = [_meant(given, names, rest if given == "*" else free, request) for given in request.answers]
    found = tuple(dict.fromkeys(name for own in each for name in own))
    if request.names and set(request.names) <= set(found):  # some of the columns, in the order asked for
        return check_answers(replace(request, answers=request.names, names=()))
    if len(request.names) not in (0, len(found)):
        raise BadSetting(
            f"{plural(len(found), 'column matches', 'columns match')} {option(request.role, request.answers[0])}: give "
            f"{option('names')} one name for each, or some of {listing(found, most=20)} to take only these."
        )
    return check_names(check_answers(replace(request, answers=found)))


def _meant(given: str, names: Sequence[str], free: Sequence[str], request: Request) -> list[str]:
    """The columns that one name means: a column that is called so, else those that match; no * reaches over a dot."""
    if given in names or not is_pattern(given):
        return [given]
    found = [name for name in free if name.count(".") == given.count(".") and fnmatchcase(name, given)]
    if not found:
        raise UnknownName(f"no column matches {option(request.role, given)}. Columns: {listing(names, most=20)}.")
    return found
