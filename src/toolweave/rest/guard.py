"""What every request passes before any route: Host and Origin, size, request id, log line.

Plain ASGI, because it stands before the MCP endpoint as well.
"""

import logging
import time
import uuid
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolweave.json_text import write

logger = logging.getLogger("toolweave.rest")

MAX_BODY_BYTES = 4 * 1024 * 1024
REQUEST_ID = "X-Request-ID"


class Guard:
    """Refuses requests for other hosts or from other origins (421 / 403) and oversized bodies."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = f"req-{uuid.uuid4()}"
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 500

        async def stamped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).setdefault(REQUEST_ID, request_id)
            await send(message)

        refusal = self._refusal(headers)
        try:
            await (refusal or self._app)(scope, _bounded(receive), stamped)
        finally:
            logger.info(
                "request",
                extra={
                    "request_id": request_id,
                    "method": scope["method"],
                    "path": scope["path"],
                    "status": status,
                    "took_ms": round((time.perf_counter() - started) * 1000, 2),
                },
            )

    def _refusal(self, headers: Headers) -> Response | None:
        if headers.get("host", "").lower() not in self._hosts:
            return refused(421, "HOST_DENIED", "this server does not answer for that host")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            return refused(403, "ORIGIN_DENIED", "pages of other origins may not ask here")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return refused(413, "BODY_TOO_LARGE", f"at most {MAX_BODY_BYTES} bytes are read")
        return None


class BodyTooLarge(Exception):
    """A body without a length went over the limit."""


def refused(status: int, code: str, message: str, **headers: str) -> Response:
    """A refusal in the one shape errors have."""
    body = write({"error": {"code": code, "message": message}})
    return Response(body, status, headers=headers, media_type="application/json")


def _bounded(receive: Receive) -> Receive:
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MAX_BODY_BYTES:
            raise BodyTooLarge
        return message

    return bounded
