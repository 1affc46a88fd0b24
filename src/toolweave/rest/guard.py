"""Checks before any route: Host and Origin, body size, request id, log line.

Plain ASGI, because it also protects the MCP endpoint.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolweave.errors import Denied, Invalid, TimedOut, ToolweaveError
from toolweave.rest.auth import key_invalid
from toolweave.rest.error_responses import error_response
from toolweave.rest.open_requests import OpenRequests

logger = logging.getLogger("toolweave.rest")

MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_BODY_S = 60.0
WATCH_S = 1.0  # how often late bodies are looked for
REQUEST_ID = "X-Request-ID"
CLIENT_GONE = 499


# What is logged of a request beside its address.
LOGGED = ("request_id", "client", "client_name", "tool")


class Guard:
    """Refuses other hosts (421), other origins (403) and oversized bodies (413); hides exceptions.

    Routes put what the log line shows into the request's state: `client`, a key's id, and `tool`.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Sequence[str],
        origins: Sequence[str],
        requests: OpenRequests | None = None,
    ) -> None:
        """`requests` ends those of revoked keys."""
        self._app = app
        self._answer = partial(requests.answer, app) if requests else app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower() for origin in origins)
        self._bodies = BodyLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # not supported
        elif scope["type"] == "http":
            await self._pass(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = f"req-{uuid.uuid4()}"
        answer = _Answer(send, state["request_id"])
        try:
            if (refused := self._refused(scope["headers"])) is not None:
                # What follows on this connection may be the rest of this request.
                closing = error_response(scope, refused, {"Connection": "close"})
                await closing(scope, receive, answer)
            else:
                await self._answer(scope, self._bodies.bounded(receive), answer)
        except asyncio.CancelledError:
            task = cast("asyncio.Task[Any]", asyncio.current_task())
            if "is_revoked" not in state or task.uncancel():
                raise
            if answer.status is None:
                await error_response(scope, key_invalid())(scope, receive, answer)
            else:
                await answer.end()
        except Exception:
            logger.exception("request failed", extra=_log_fields(scope, state))
            if answer.status is None:
                await error_response(scope, internal_error())(scope, receive, answer)
        finally:
            took_ms = round((time.perf_counter() - started) * 1000, 2)
            status = CLIENT_GONE if answer.status is None else answer.status
            is_error = status >= 400 or bool(state.get("is_error"))
            facts = {"status": status, "is_error": is_error, "took_ms": took_ms}
            extra = {**_log_fields(scope, state), **facts}
            logger.info("request", extra=extra)

    def _refused(self, headers: list[tuple[bytes, bytes]]) -> ToolweaveError | None:
        hosts: list[str] = []
        has_other_origin, has_encoding = False, False
        length: str | None = None
        for name, value in headers:
            if name == b"host":
                hosts.append(value.decode("latin-1").lower())
            elif name == b"origin":
                is_own = value.decode("latin-1").lower() in self._origins
                has_other_origin = has_other_origin or not is_own
            elif name == b"content-length":
                length = value.decode("latin-1")
            elif name == b"transfer-encoding":
                has_encoding = True
        # Of two hosts, another program on the way may read the other one.
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return Denied(
                "HOST_DENIED",
                "this server does not serve that host",
                hint="`toolweave serve --allow-host NAME` allows another host name",
            )
        if has_other_origin:
            return Denied("ORIGIN_DENIED", "requests from pages of other origins are not allowed")
        if length is not None and has_encoding:
            # A proxy that reads the other one sees other requests than we do.
            message = "`Content-Length` and `Transfer-Encoding` contradict each other"
            return Invalid("REQUEST_INVALID", message, hint="send one of them")
        is_bounded = length is None or (length.isdecimal() and len(length) <= 15)
        return None if is_bounded and int(length or "0") <= MAX_BODY_BYTES else too_large()


class _Answer:
    """Sends a response with the request id in its headers, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status: int | None = None
        self._is_stream = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self._request_id
        else:
            self._is_stream = message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """End a stream of events."""
        if self._is_stream:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class BodyTooLarge(Exception):
    """A body without a declared length exceeds the limit."""


def too_large() -> ToolweaveError:
    """Return the error for a body over the limit."""
    return Invalid("BODY_TOO_LARGE", f"the body is too large; the limit is {MAX_BODY_BYTES} bytes")


def internal_error() -> ToolweaveError:
    """Return the error for an internal fault; its details are only in the log."""
    return ToolweaveError(
        "INTERNAL", "internal error; the log has the details under the request id"
    )


def _log_fields(scope: Scope, state: dict[str, Any]) -> dict[str, Any]:
    fields = {"method": scope["method"], "path": scope["path"][:200]}
    return fields | {key: state[key] for key in LOGGED if key in state}


class BodyLimits:
    """Limits the size of bodies and the time that they may take to arrive.

    One timer serves all requests: a timer or cancel scope for each would cost more than the rest.
    """

    def __init__(self) -> None:
        self._deadlines: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._is_watching = False

    def bounded(self, receive: Receive) -> Receive:
        """Return `receive` with the limits of one body."""
        seen, is_complete, deadline = 0, False, time.monotonic() + MAX_BODY_S

        async def receive_bounded() -> Message:
            nonlocal seen, is_complete
            if is_complete:
                return await receive()  # until the client disconnects
            task = cast("asyncio.Task[Any]", asyncio.current_task())
            self._deadlines[task] = deadline
            if not self._is_watching:
                self._watch()
            try:
                message = await receive()
            except asyncio.CancelledError:
                if task not in self._late or task.uncancel():
                    raise
                text = f"the body did not arrive within {MAX_BODY_S:g} seconds"
                raise TimedOut("BODY_TOO_SLOW", text) from None
            finally:
                del self._deadlines[task]
                self._late.discard(task)
            seen += len(message.get("body", b""))
            is_complete = not message.get("more_body", False)
            if seen > MAX_BODY_BYTES:
                raise BodyTooLarge
            return message

        return receive_bounded

    def _watch(self) -> None:
        self._is_watching = True
        asyncio.get_running_loop().call_later(WATCH_S, self._interrupt_late)

    def _interrupt_late(self) -> None:
        self._is_watching = False
        now = time.monotonic()
        for task, deadline in self._deadlines.items():
            if deadline <= now and task not in self._late:
                self._late.add(task)
                task.cancel()
        if self._deadlines:
            self._watch()
