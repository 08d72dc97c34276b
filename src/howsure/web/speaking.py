"""How HTTP is spoken: by uvicorn's protocol, but what is no HTTP is refused in the one shape of errors."""

from __future__ import annotations

from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from howsure.web.answering import refusal

_SAID: Final = "this is no request of HTTP that can be read; its head may also be too long."


class JsonProtocol(H11Protocol):
    """The protocol of uvicorn that reads and writes requests."""

    def send_400_response(self, msg: str) -> None:
        """Say that a request cannot be read, and close; no application has seen it."""
        del msg  # in plain text, and for whoever runs a server
        reply = refusal(400, "not-http", _SAID)
        headers = [("content-type", reply.kind), ("content-length", str(len(reply.body))), ("connection", "close")]
        for part in (h11.Response(status_code=400, headers=headers), h11.Data(data=reply.body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(part) or b"")
        self.transport.close()
