"""The application: pages and API behind the guard, with workers that live as long as it does."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import AsyncIterator
from typing import Any, Final, get_type_hints

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from howsure.errors import nearest
from howsure.messages.user_text import visible
from howsure.version import VERSION
from howsure.web import api, pages
from howsure.web.answers import quoted, refusal
from howsure.web.api import respond
from howsure.web.guard import Guard, Refused
from howsure.web.uploads import Folder, Reports, sockets
from howsure.web.workers import Workers

_QUEUE: Final = 200
_CODES: Final = {400: "bad-request", 404: "not-found", 405: "method", 406: "not-acceptable"}
_SAID: Final = {
    "missing": "is needed", "extra_forbidden": "is not known here", "int_type": "must be a whole number",
    "int_parsing": "must be a whole number", "int_from_float": "must be a whole number",
    "float_type": "must be a number", "float_parsing": "must be a number", "finite_number": "must be a finite number",
    "string_type": "must be a text", "bool_type": "must be true or false", "list_type": "must be a list",
    "literal_error": "must be {expected}", "less_than_equal": "may be {le:,.15g} at most",
    "greater_than_equal": "must be {ge:,.15g} at least", "less_than": "must be below {lt:,.15g}",
    "greater_than": "must be above {gt:,.15g}", "int_parsing_size": "is too large",
    "bool_parsing": "must be true or false",
    "model_type": "must be an object", "model_attributes_type": "must be an object", "dict_type": "must be an object",
    "too_long": "may have {max_length:,} entries at most", "too_short": "must have {min_length:,} or more entries",
    "string_too_long": "may have {max_length:,} characters at most", "string_unicode": "must be a text of Unicode",
    "string_too_short": "must have {min_length:,} or more characters",
}  # fmt: skip
_OTHERWISE: Final = "is not as the API describes it, at /api"
_OURS: Final = re.compile(r"(body|query|path|float|int|constrained-\w+|\w+\[.*\])$")  # of a place, not of the question
_ABOUT: Final = (
    "How sure are you of that score? The documents of the command, as an API. Every error has one shape: "
    '{"error": {"code": ..., "message": ...}}, and the message is what the command would say.'
)


def application(hosts: frozenset[str] | None = None, token: str | None = None, workers: int | None = None) -> Guard:
    """The application of ASGI; `hosts` are the names of this machine that it answers to."""
    app = FastAPI(
        title="howsure", version=VERSION, description=_ABOUT, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", lifespan=_lifespan, redirect_slashes=False,
    )  # fmt: skip
    app.state.workers = workers or max(2, min(4, os.cpu_count() or 2))
    app.include_router(pages.router)
    app.include_router(api.router)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    return Guard(app, hosts, token)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    folder = Folder()
    sockets()
    workers = Workers(app.state.workers, _QUEUE)
    app.state.serving = api.Serving(workers, folder, Reports())
    app.state.bundle = pages.Bundle()
    workers.start()
    try:
        yield
    finally:
        await workers.stop()
        folder.close()


async def _invalid(request: Request, error: Any) -> Response:
    """What does not fit the description, in one sentence."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return respond(refusal(400, "not-json", f"the body is not JSON: {first['ctx']['error']}."))
    place = visible(".".join(str(x) for x in first["loc"] if not _OURS.match(str(x)))) or "the body"  # a key may be any
    told = f"{place} {_SAID.get(first['type'], _OTHERWISE).format(**first.get('ctx') or {})}"
    got = "" if first["type"] == "missing" else f"; got {quoted(first.get('input'))}"
    near = _meant(request, first["loc"]) if first["type"] == "extra_forbidden" else ""
    return respond(refusal(422, "bad-request", f"{told}{got}.{near}"))


def _meant(request: Request, place: tuple[Any, ...]) -> str:
    """The nearest name that a question takes: lists of measures are `metrics` in JSON, and `metric`, repeated, in an
    address.
    """
    question = get_type_hints(request.scope["endpoint"]).get("question")
    known = getattr(question, "model_fields", {}) if len(place) == 2 else {}
    return nearest(str(place[-1]), list(known))


def _unread(cause: BaseException | None) -> str:
    """Why a body could not even be read as JSON."""
    if isinstance(cause, RecursionError):
        return "the body is not a question: its lists or objects are nested too deeply."
    if isinstance(cause, UnicodeDecodeError):
        return "the body is not JSON: it must be in UTF-8."
    if isinstance(cause, ValueError):
        return "the body is not a question: a number in it has too many digits."
    return "the body cannot be read as JSON."


async def _refused(request: Request, error: Any) -> Response:
    code = error.code if isinstance(error, Refused) else _CODES.get(error.status_code, "refused")
    said = {
        404: f"there is nothing at {quoted(request.url.path)}; the API is described at /api.",
        405: f"{request.method} is not taken at {quoted(request.url.path)}.",
    }.get(error.status_code, str(error.detail))
    if error.status_code == 400 and not isinstance(error, Refused):
        said = _unread(error.__cause__)
    found = respond(refusal(error.status_code, code, said))
    found.headers.update(error.headers or {})
    if error.status_code == 408:  # the rest of the body may never come
        found.headers["connection"] = "close"
    return found


async def _failed(_request: Request, error: Exception) -> Response:
    return respond(refusal(500, "bug", f"this is a bug in howsure ({type(error).__name__})."))
