"""Requests as they are described: every setting of the address known and given once, JSON in UTF-8, its keys too."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from howsure.errors import listing, nearest
from howsure.render.harmless import visible
from howsure.web.answering import quoted
from howsure.web.guarding import Refused


class CheckedRoute(APIRoute):
    """A path of the API, of which nothing that is sent is passed over."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer, known = super().get_route_handler(), _settings(self.dependant.query_params)

        async def checked(request: Request) -> Response:
            refuse_odd(known, [name for name, _ in request.query_params.multi_items()])
            return await answer(_Read(request.scope, request.receive))

        return checked


class _Read(Request):
    """A request whose JSON is read as it is described."""

    async def json(self) -> Any:
        """What it holds."""
        return read(await self.body())


def _settings(fields: Iterable[Any]) -> dict[str, bool]:
    """The settings of an address, and whether each may be given several times."""
    found: dict[str, bool] = {}
    for field in fields:
        kind = field.field_info.annotation
        own = kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else None
        if own is None:
            found[field.alias] = "list[" in str(kind)
        else:
            found |= {name: "list[" in str(x.annotation) for name, x in own.items()}
    return found


def refuse_odd(known: dict[str, bool], given: Sequence[str]) -> None:
    """Refuse a setting that is not known, or that is there twice and cannot be."""
    for name in given:
        told = visible(quoted(name))
        if name not in known:
            there = f" Known: {listing(known, 40)}." if known else " There are none here."
            raise Refused(422, "bad-request", f"no setting {told} in the address.{nearest(name, known)}{there}")
        if not known[name] and given.count(name) > 1:
            raise Refused(422, "bad-request", f"the setting {told} of the address is given twice; give it once.")


def read(body: bytes) -> Any:
    """A body as JSON; what cannot be read as such is an error of json."""
    if b"\0" in body[:4]:  # as in UTF-16 and UTF-32; no JSON has it
        raise Refused(400, "not-json", "the body is not JSON: it must be in UTF-8.")
    return json.loads(body.decode("utf-8-sig"), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values of one key none would be the right one."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Refused(422, "bad-request", f"{visible(quoted(key))} is given twice in the body; give it once.")
        found[key] = value
    return found
