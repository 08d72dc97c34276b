"""The page itself, its style and script, and the Vega bundle; all from this machine."""

from __future__ import annotations

import asyncio
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from howsure import atomic
from howsure.web import uploads
from howsure.web.answers import Job, refusal
from howsure.web.api import Serving, respond

_TYPES: Final = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}  # fmt: skip
_PLACES: Final = {
    "/": "index.html", "/page.css": "page.css", "/page.js": "page.js", "/panels.js": "panels.js",
    "/file.js": "file.js", "/parts.js": "parts.js", "/icon.svg": "icon.svg", "/api": "api.html", "/api.js": "api.js",
}  # fmt: skip
_BUNDLE_TIME: Final = 120.0

router: Final = APIRouter(include_in_schema=False)


@cache
def _static(name: str) -> tuple[bytes, str, str]:
    """A file of ours, its type and its tag; the style ends with the colours of charts on dark paper."""
    held = files("howsure.web").joinpath("static", name).read_bytes()
    if name == "page.css":
        from howsure.charts.chart import dark_rules

        held += f"\n@media (prefers-color-scheme: dark) {{ {dark_rules('.drawn')} }}\n".encode()
    return held, _TYPES[name[name.rindex(".") :]], f'"{hashlib.sha256(held).hexdigest()[:20]}"'


def _page(name: str) -> Any:
    async def page(request: Request) -> Response:
        held, kind, tag = _static(name)
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(held, headers=headers, media_type=kind)

    return page


for _place, _name in _PLACES.items():
    router.add_api_route(_place, _page(_name), methods=["GET", "HEAD"])


@router.get("/report/{name}")
async def report(request: Request, name: str, save: bool = False) -> Response:
    """A report that was made a moment ago."""
    serving: Serving = request.app.state.serving
    page = serving.reports.page(name)
    if page is None:
        return respond(refusal(404, "not-found", "this report is no longer kept; make it again."))
    headers = {"content-disposition": 'attachment; filename="report.html"'} if save else {}
    return Response(page, headers=headers, media_type="text/html")


class Bundle:
    """Vega as one script: made once for each version of its maker, and kept beside the files of servers."""

    def __init__(self) -> None:
        self._made: bytes | None = None
        self._lock = asyncio.Lock()

    async def script(self, serving: Serving) -> bytes | None:
        """The script; the first call may take seconds."""
        async with self._lock:
            if self._made is None:
                self._made = await asyncio.to_thread(_kept) or await self._make(serving)
            return self._made

    async def _make(self, serving: Serving) -> bytes | None:
        never: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        reply = await serving.workers.run(Job("bundle", None), never, _BUNDLE_TIME)
        if reply.status != 200:
            return None
        await asyncio.to_thread(_keep, reply.body)
        return reply.body


def _bundle_path() -> Any:
    from importlib.metadata import version

    return uploads.root() / f"vega-{version('vl-convert-python')}.js"


def _kept() -> bytes | None:
    path = _bundle_path()
    return path.read_bytes() if path.is_file() else None


def _keep(script: bytes) -> None:
    with atomic.whole(_bundle_path()) as place:
        place.write_bytes(script)


@router.get("/vega.js")
async def vega(request: Request) -> Response:
    """What draws the charts."""
    script = await request.app.state.bundle.script(request.app.state.serving)
    if script is None:
        return respond(refusal(503, "busy", "charts cannot be drawn yet; load the page again."))
    return Response(script, headers={"cache-control": "private, max-age=86400"}, media_type=_TYPES[".js"])
