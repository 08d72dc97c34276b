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

from howsure.web import models
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


@router.post("/score", **_described("A score with its interval"))
async def score(request: Request, question: models.ScoreQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """Four counts, k of n or a matrix: the posterior of any measure."""
    return await _ask(request, "score", question, format)


@router.post("/compare", **_described("Is the first system better than the second?"))
async def compare(request: Request, question: models.CompareQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """Two tables of other items, answers on the same items, or wins."""
    return await _ask(request, "compare", question, format)


@router.post("/leaderboard", **_described("Rank several systems"))
async def leaderboard(
    request: Request,
    question: models.LeaderboardQuestion,
    format: models.Format = "answer",  # noqa: A002
) -> Response:
    """P(best), expected ranks, and groups that cannot be told apart."""
    return await _ask(request, "leaderboard", question, format)


@router.post("/plan", **_described("How many items to label"))
async def plan(request: Request, question: models.PlanQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """A pilot or expected measures, and a goal."""
    return await _ask(request, "plan", question, format)


@router.post("/forecast", **_described("What the next items will show"))
async def forecast(request: Request, question: models.ForecastQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """The score of the next n items, with the interval that will hold it; of two systems, their next difference."""
    return await _ask(request, "forecast", question, format)


@router.post("/gate", **_described("Are the requirements met?"))
async def gate(request: Request, question: models.GateQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """Requirements such as f1 > 0.8 with 0.95: each passes, fails, or is inconclusive."""
    return await _ask(request, "gate", question, format)


@router.post("/solve", **_described("The tables behind reported measures"))
async def solve(request: Request, question: models.SolveQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """Digits as printed, or exact values."""
    return await _ask(request, "solve", question, format)


@router.post("/tradeoff", **_described("What recall costs in precision"))
async def tradeoff(request: Request, question: models.TradeoffQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """At constant accuracy and prevalence; with counts, the posterior of the curve."""
    return await _ask(request, "tradeoff", question, format)


@router.post("/curve", **_described("Scores at every threshold"))
async def curve(request: Request, question: models.CurveQuestion, format: models.Format = "answer") -> Response:  # noqa: A002
    """Truths and scores; measures such as auc, f1@0.5 or precision@recall=0.9."""
    return await _ask(request, "curve", question, format)


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


@router.post("/file/{verb}", openapi_extra=_BYTES, **_described("A question about a file"))
async def file(
    request: Request,
    verb: Literal["score", "compare", "leaderboard", "curve", "forecast", "gate"],
    question: Annotated[models.FileQuestion, Query()],
) -> Response:
    """Its columns are named by options of the command; those with usual names are found."""
    serving: Serving = request.app.state.serving
    async with _kept(request, question.name) as folder:
        job = Job(verb, question, question.format, question.charts, folder, question.report)
        reply = await _run(request, job, _FILE_TIME)
    if reply.report is None:
        return respond(reply)
    told = {**json.loads(reply.body), "report": serving.reports.keep(reply.report)}
    return respond(Reply(200, reply.kind, json.dumps(told, ensure_ascii=False).encode()))


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
