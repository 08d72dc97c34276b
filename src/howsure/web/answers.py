"""What a worker does with a job: the call, the result dict, its finding, charts and lines."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from howsure.errors import BadSetting, HowsureError
from howsure.messages.language import SPOKEN, Typed, at_shell
from howsure.messages.user_text import laid_out
from howsure.render import findings
from howsure.render.formats import TEXTS, Detail
from howsure.render.kinds import kind_of
from howsure.results import verbs
from howsure.web import questions, shapes, uploads
from howsure.web.models import MEDIA_TYPES
from howsure.web.questions import Posed

# -- finding
#
# What a document says, as the one sentence that stands above everything on the page.

Document = dict[str, Any]


def of(document: Document) -> str:
    """The finding of a document of any command.

    >>> of({"schema": "howsure.solve/2", "why": "no table has these digits.", "tables": []})
    'No table has these digits.'
    """
    finding = kind_of(document).finding
    if finding is None:
        return findings.sentence(_usual(document).strip().rstrip("."))
    said = finding(document).strip().rstrip(".")  # it begins with no name of the user's
    return findings.sentence(said[:1].upper() + said[1:])


def _usual(document: Document) -> str:
    """A verdict where there is one, else the headline of the report."""
    rows = document.get("rows") or [{}]
    said = document.get("verdict") or rows[0].get("verdict")
    if said is not None:
        return str(said)
    row = findings.headlines(document)[0] if "asked" in rows[0] else {}
    return findings.of_row(row, document["level"]) if row.get("low") is not None else ""


# -- answering
#
# What a worker does with a job: the call, the document, its finding, charts and lines; errors are answers too.

_LOG: Final = logging.getLogger("howsure.web")
_JSON: Final = "application/json"
_MEMORY: Final = (
    "what was asked is too large for the memory of this machine; ask for fewer slices, classes or measures at once."
)
_LONGEST: Final = 80  # characters of what a message quotes
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True)
class Reply:
    """What goes back to who asked; `report` is a page to be kept for a while, where one was asked for."""

    status: int
    kind: str
    body: bytes
    report: str | None = None


@dataclass(frozen=True)
class Job:
    """A question to be answered."""

    verb: str
    question: Any
    form: str = "answer"
    charts: bool = False
    folder: str | None = None  # that of the file, if there is one
    report: bool = False


def refusal(status: int, code: str, message: str) -> Reply:
    """The one shape of errors; whatever a message quotes, it is of a length to be read."""
    said = {"error": {"code": code, "message": laid_out(message)}}
    return Reply(status, _JSON, json.dumps(said, ensure_ascii=False).encode())


def quoted(given: Any) -> str:
    """What was given, without its middle where it is long.

    >>> quoted("a"), len(quoted("a" * 10**6))
    ("'a'", 80)
    """
    text = repr(given)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 23]}...{text[-20:]}"


def answer(job: Job) -> Reply:
    """The reply to a job, whatever happens."""
    spoken = SPOKEN.set("command")
    try:
        return _WAYS.get(job.verb, _asked)(job)
    except HowsureError as error:
        return _refused(error, Typed())
    except MemoryError:
        return refusal(422, "too-large", _MEMORY)
    except Exception as error:  # noqa: BLE001 - the trace is logged, and the server goes on
        _LOG.exception("a bug in howsure")
        return refusal(500, "bug", f"this is a bug in howsure ({type(error).__name__}).")
    finally:
        SPOKEN.reset(spoken)


def _refused(error: HowsureError, typed: Typed) -> Reply:
    return refusal(422, _CAPITAL.sub("-", type(error).__name__).lower(), at_shell(error, typed))


def _asked(job: Job) -> Reply:
    """A question whose numbers came with it, or in a file that was sent."""
    unused = "charts" if job.charts else "report" if job.report else None
    if unused is not None and job.form != "answer":
        raise BadSetting(f"{unused} goes with the full answer: leave out {unused}, or format={job.form}.")
    if job.folder is None:
        return _given(job, questions.asked(job.verb, job.question))
    name = next(x.name for x in Path(job.folder).iterdir())
    here = Path.cwd()
    os.chdir(job.folder)  # so that messages and notes call the file by its label
    try:
        return _given(job, questions.of_file(job.verb, name, job.question), (uploads.own_name(job.question.name),))
    finally:
        os.chdir(here)


def _given(job: Job, asked: Posed, files: tuple[str, ...] = ()) -> Reply:
    try:
        return _written(job, asked, asked.run(), files)
    except HowsureError as error:
        return _refused(error, Typed(asked.words, files))


def _written(job: Job, asked: Posed, result: Any, files: tuple[str, ...]) -> Reply:
    shapes.refuse_many("slices", int((result.page().get("hidden") or {}).get("tables", 0)))
    if job.form in {f.name for f in TEXTS}:
        text = _page(asked, result, files) if job.form == "html" else result.to_text(job.form)
        return Reply(200, MEDIA_TYPES[job.form], text.encode())
    if job.form in MEDIA_TYPES:
        return Reply(200, MEDIA_TYPES[job.form], result.plot().written(job.form))
    document = result.to_dict()
    drawn = _drawn(result) if job.charts else None
    told = {
        "document": document,
        "finding": of(document),
        "table": _table(result.page()),
        "lines": {"python": asked.python(result), "shell": asked.shell, "files": asked.files},
        "charts": drawn,
        "report": None,
    }
    body = json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
    return Reply(200, _JSON, body, _page(asked, result, files) if job.report else None)


def _table(document: dict[str, Any]) -> dict[str, Any]:
    """What the command shows, as texts."""
    from howsure.render.tables import text_table

    t = text_table(document)
    return {
        "headline": t.headline,
        "columns": t.titles,
        "right": t.right,
        "rows": t.rows,
        "notes": (*([t.about] if t.about else []), *t.notes),
    }


def _drawn(result: Any) -> list[dict[str, Any]]:
    """The charts that there are."""
    return [
        {
            "name": c.name,
            "title": c.title,
            "says": c.says,
            "caption": c.caption,
            "spec": c.bare,
            "narrow": c.bare_narrow,
        }
        for c in result.charts().values()
    ]


def _page(asked: Posed, result: Any, files: tuple[str, ...]) -> str:
    """The report, which tells the command that writes it; in memory, as a worker may be ended at any time."""
    typed = Typed((*asked.words, "--out", "report.html"), files)
    return str(result._render("html", Detail(typed=typed)))


def _metrics(job: Job) -> Reply:
    from howsure.catalogue import metrics
    from howsure.catalogue.repeated import repeated
    from howsure.catalogue.retrieval import rankings
    from howsure.ranking.names import described
    from howsure.render import listing

    name = job.question
    document = listing.document(described(name) if name else [*metrics(), *rankings(), *repeated()], bool(name))
    return Reply(200, _JSON, listing.render(document, "json").encode())


def _preview(job: Job) -> Reply:
    from howsure.io.roles import preview

    if job.folder is None:
        raise BadSetting("a file is needed.")
    path = next(iter(Path(job.folder).iterdir()))
    here = Path.cwd()
    os.chdir(job.folder)
    try:
        return Reply(200, _JSON, json.dumps(preview(path.name), ensure_ascii=False, allow_nan=False).encode())
    finally:
        os.chdir(here)


def _bundle(_job: Job) -> Reply:
    """Vega, Vega-Lite and vega-embed as one script that sets window.vegaEmbed."""
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its stub wants a snippet, without which it sets window.vegaEmbed
    return Reply(200, "text/javascript", bundle().encode())


def _warm(_job: Job) -> Reply:
    """A first answer is slow: a worker gives one before it is asked."""
    first = questions.asking()[0]
    question = verbs.verb(first).question
    example = {} if question is None else question.example
    return answer(Job(first, questions.model(first)(**example), charts=True))


_WAYS: Final[dict[str, Callable[[Job], Reply]]] = {
    "metrics": _metrics, "preview": _preview, "bundle": _bundle, "warm": _warm,
}  # fmt: skip
