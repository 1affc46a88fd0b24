"""`/api/v1/events`: one stream that says what changed, so that no page has to keep asking.

Only that something changed is told, by topic. The first event has the version of every topic, so
whoever was away, or asks another process by now, compares them and has missed nothing.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.types import Send

from toolweave.app.change_feed import TOPICS, ChangeFeed
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.response_models import KEYED, Responses, responses
from toolweave.rest.stream import EventStream, SentEvent

ALL = "/api/v1/events"
LONGEST_S = 86_400

Seconds = Annotated[
    int | None,
    Query(
        ge=0,
        le=LONGEST_S,
        description="How long to listen; 0 tells how things stand and ends, without it for ever",
    ),
]


class ChangeStream(EventStream):
    """Tells the versions of all topics, then those that change."""

    def __init__(
        self,
        topics: ChangeFeed,
        is_welcome: Callable[[], Awaitable[bool]],
        seconds: int | None = None,
    ) -> None:
        super().__init__(_none())
        self._topics = topics
        self._is_welcome = is_welcome
        self._seconds = seconds

    async def write(self, send: Send) -> None:
        """Tell it all, for as long as somebody listens who may."""
        with self._topics.listening():
            known = dict(await self._topics.now())
            await self.send_event(send, SentEvent(0, "now", known))
            with anyio.move_on_after(self._seconds):
                await self._tell_changes(send, known)

    async def _tell_changes(self, send: Send, known: dict[str, str]) -> None:
        number = 0
        while (fresh := await self._topics.since(known)) is not None:
            if not await self._is_welcome():
                return
            known.update(fresh)
            number += 1
            await self.send_event(send, SentEvent(number, "changed", dict(fresh)))


def event_routes(topics: ChangeFeed, authenticator: Authenticator) -> APIRouter:
    """The one endpoint; it wants `workflows:read`."""
    router = APIRouter(tags=["events"])

    async def follow_changes(request: Request, seconds: Seconds = None) -> Response:
        """Tell what changes from now on, by topic: servers, workflows, runs and all else."""

        async def is_welcome() -> bool:
            # A key that was revoked meanwhile hears no more.
            return await authenticator.is_valid(request)

        return ChangeStream(topics, is_welcome, seconds)

    router.add_api_route(
        ALL,
        follow_changes,
        methods=["GET"],
        dependencies=[Depends(authenticator.require("workflows:read"))],
        responses=_STREAM,
        openapi_extra=openapi.keyed(),
    )
    return router


async def _none() -> AsyncIterator[SentEvent]:
    for event in ():
        yield event


_STREAM: Responses = responses(None, 422, *KEYED)
_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": ["now", "changed"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "A version for each topic: " + ", ".join(TOPICS),
        },
    },
}
_STREAM[200]["content"] = {"text/event-stream": {"schema": _EVENT}}
