"""The API: each verb of the command as a path, its document as the answer; described by OpenAPI."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from howsure.results import verbs
from howsure.web import models, questions
from howsure.web.answers import Job, Reply
from howsure.web.guard import CheckedRoute, Refused
from howsure.web.uploads import Folder, NotKept, Reports
from howsure.web.workers import Workers

_QUESTION_TIME: Final = 20.0
_FILE_TIME: Final = 60.0

_REFUSED: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": models.ErrorAnswer, "description": told}
    for status, told in {
        400: "The body is not what it says it is.",
        401: "The token is missing, where one is needed.",
        403: "Another site, or another name of this machine.",
        408: "The body did not arrive in time.",
        413: "More than is taken.",
        415: "Another type of body.",
        422: "The question cannot be answered; the message is that of the command.",
        500: "A bug in howsure.",
        503: "Too many questions at once, or one that takes too long.",
        507: "No room on the disk for the file.",
    }.items()
}
_WRITTEN: Final = {
    kind: {"schema": {"type": "string"}} for kind in models.MEDIA_TYPES.values() if kind != "application/json"
}
_ANSWER: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "model": models.FullAnswer | models.BareDocument,  # a schema beside the model would hold as well as it
        "description": "The answer; with format=json, its document alone.",
        "content": _WRITTEN,
    },
    **_REFUSED,
}


@dataclass(frozen=True)
class Serving:
    """What requests share."""

    workers: Workers
    folder: Folder
    reports: Reports


router: Final = APIRouter(prefix="/api", route_class=CheckedRoute)


async def _run(request: Request, job: Job, limit: float) -> Reply:
    """Have a job done as long as somebody waits for it."""
    serving: Serving = request.app.state.serving
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        return await serving.workers.run(job, gone, limit)
    finally:
        gone.cancel()


async def _disconnected(request: Request) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        while (await request.receive())["type"] != "http.disconnect":
            pass


def respond(reply: Reply) -> Response:
    """A reply as a response."""
    headers = {"retry-after": "1"} if reply.status == 503 else {}
    return Response(reply.body, reply.status, headers, media_type=reply.kind)


async def _ask(request: Request, verb: str, question: Any, form: str) -> Response:
    return respond(await _run(request, Job(verb, question, form, question.charts), _QUESTION_TIME))


def _described(summary: str) -> dict[str, Any]:
    return {"responses": _ANSWER, "summary": summary, "response_class": Response}


def _add(name: str) -> None:
    """The path of a verb, which takes its questions."""

    async def ask(request: Request, question: Any, format: models.Format = "answer") -> Response:  # noqa: A002
        return await _ask(request, name, question, format)

    ask.__name__, ask.__doc__ = name, questions.model(name).__doc__
    ask.__annotations__["question"] = questions.model(name)
    router.post(f"/{name}", **_described(verbs.summary(name).rstrip(".")))(ask)


for _name in questions.asking():
    _add(_name)


# -- the catalogue

_LISTED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The document of howsure metrics.", "content": {"application/json": {"schema": {
        "type": "object", "required": ["schema", "rows"]}}}},
    **_REFUSED,
}  # fmt: skip


@router.get("/metrics", responses=_LISTED, summary="Every measure", response_class=Response)
async def metrics(request: Request) -> Response:
    """Name, formula, range, synonyms, meaning and source of each."""
    return respond(await _run(request, Job("metrics", None), _QUESTION_TIME))


@router.get("/metrics/{name}", responses=_LISTED, summary="One measure", response_class=Response)
async def metric(request: Request, name: Annotated[str, Path(max_length=models.MOST_TEXT)]) -> Response:
    """A measure by its name, or by one of its synonyms."""
    return respond(await _run(request, Job("metrics", name), _QUESTION_TIME))


# -- files

_BYTES: Final = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        "description": "The bytes of a CSV, JSON lines or Parquet file, plain or packed.",
    }
}


@router.post(
    "/file/preview",
    responses={200: {"model": models.FilePreview}, **_REFUSED},
    summary="The columns of a file",
    openapi_extra=_BYTES,
    response_class=Response,
)
async def preview(request: Request, name: Annotated[str, Query(max_length=models.MOST_TEXT)] = "data") -> Response:
    """Kinds, first values, and what the command would take for what."""
    async with _kept(request, name) as folder:
        return respond(await _run(request, Job("preview", None, folder=folder), _FILE_TIME))


async def file(request: Request, verb: str, question: models.FileColumns) -> Response:
    """Its columns are named by options of the command; those with usual names are found."""
    serving: Serving = request.app.state.serving
    asked: Any = question
    async with _kept(request, asked.name) as folder:
        job = Job(verb, asked, asked.format, asked.charts, folder, asked.report)
        reply = await _run(request, job, _FILE_TIME)
    if reply.report is None:
        return respond(reply)
    told = {**json.loads(reply.body), "report": serving.reports.keep(reply.report)}
    return respond(Reply(200, reply.kind, json.dumps(told, ensure_ascii=False).encode()))


file.__annotations__ |= {
    "verb": Literal[questions.of_files()],
    "question": Annotated[questions.file_model(), Query()],
}
router.post("/file/{verb}", openapi_extra=_BYTES, **_described("A question about a file"))(file)


@contextlib.asynccontextmanager
async def _kept(request: Request, name: str) -> AsyncIterator[str]:
    """The folder of what was sent; where there is no room for it, that is neither a bug nor the asker's doing."""
    serving: Serving = request.app.state.serving
    try:
        async with serving.folder.file(name, _pieces(request)) as folder:
            yield folder
    except NotKept as error:
        raise Refused(*((507, "no-room") if error.full else (503, "not-kept")), str(error)) from None


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body as it comes; half a file is none."""
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "cut", "the file did not arrive whole.")
        more = message.get("more_body", False)
        if message.get("body"):
            yield message["body"]
