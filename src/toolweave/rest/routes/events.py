"""`/api/v1/events`: one stream of changes, so that pages need not poll.

Events only name the topics that changed. The first event has the version of every topic, so a
client that reconnects, to whichever process, compares them and misses nothing.
"""

from typing import Annotated

import anyio
from fastapi import APIRouter, Query, Response
from starlette.types import Send

from toolweave.app.change_feed import TOPICS, ChangeFeed
from toolweave.rest.auth import Authenticator
from toolweave.rest.routing import Routes, event_schema
from toolweave.rest.stream import EventStream, SentEvent

LONGEST_S = 86_400

Seconds = Annotated[
    int | None,
    Query(
        ge=0,
        le=LONGEST_S,
        description="Seconds to stream; 0 returns the current versions only; default: no limit",
    ),
]


class ChangeStream(EventStream):
    """Sends the versions of all topics, then those that change."""

    def __init__(self, topics: ChangeFeed, seconds: int | None = None) -> None:
        super().__init__()
        self._topics = topics
        self._seconds = seconds

    async def write(self, send: Send) -> None:
        """Send changes."""
        with self._topics.listening():
            known = dict(await self._topics.now())
            await self.send_event(send, SentEvent(0, "now", known))
            with anyio.move_on_after(self._seconds):
                await self._tell_changes(send, known)

    async def _tell_changes(self, send: Send, known: dict[str, str]) -> None:
        number = 0
        while (fresh := await self._topics.since(known)) is not None:
            known.update(fresh)
            number += 1
            await self.send_event(send, SentEvent(number, "changed", dict(fresh)))


def event_routes(topics: ChangeFeed, authenticator: Authenticator) -> APIRouter:
    """The endpoint."""

    async def follow_changes(seconds: Seconds = None) -> Response:
        """Stream changes by topic: servers, workflows, runs and all others."""
        return ChangeStream(topics, seconds)

    event = event_schema(["now", "changed"], "A version for each topic: " + ", ".join(TOPICS))
    routes = Routes(authenticator, "/api/v1/events", "events")
    routes.stream("GET", "", follow_changes, event)
    return routes.router()
