"""`POST /api/v1/edit/build`: a model proposes a change of the workflow in the request.

The answer is streamed as server-sent events, each tool call as it happens, and stops when the
client disconnects. Nothing is saved, run or applied.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field
from starlette.types import Send

from toolweave.app.running_studio import RunningStudio
from toolweave.assistant.conversation import ChatEvent
from toolweave.assistant.home_models import OnDemandModelCaller
from toolweave.authoring.builder import EarlierExchange, WorkflowBuilder
from toolweave.catalog.tool_service import ToolService
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.chat import PRINTED
from toolweave.rest.routes.edit import EditRequest
from toolweave.rest.routing import Routes, event_schema
from toolweave.rest.stream import EventStream, SentEvent

MAX_REQUEST = 20_000
MAX_EARLIER = 20
_EVENTS = ["answer", "call", "end", "error", "proposal", "result", "text"]


class EarlierRequest(RequestBody):
    """An earlier request, and what the model answered."""

    request: str = Field(max_length=MAX_REQUEST)
    answer: str = Field(max_length=MAX_REQUEST)


class BuildRequest(EditRequest):
    """A workflow, and how it should change."""

    request: str = Field(
        min_length=1, max_length=MAX_REQUEST, description="What the workflow should do"
    )
    earlier: list[EarlierRequest] = Field(
        default_factory=list[EarlierRequest],
        max_length=MAX_EARLIER,
        description="Earlier requests about this workflow, the oldest first",
    )
    model: str | None = Field(
        None, max_length=64, pattern=PRINTED, description="The model; the default one if missing"
    )


class _Building(EventStream):
    """Streams what the model does, and its proposal."""

    def __init__(self, builder: WorkflowBuilder, request: str) -> None:
        super().__init__()
        self._builder = builder
        self._request = request
        self._count = 0

    async def write(self, send: Send) -> None:
        """Let the model work; each event is sent as it happens."""

        async def tell(event: ChatEvent) -> None:
            self._count += 1
            await self.send_event(send, SentEvent(self._count, event.type, event.as_json()))

        await self._builder.build(self._request, tell)


class _Handlers:
    """The handler."""

    def __init__(self, studio: RunningStudio, catalog: ToolService) -> None:
        self._studio = studio
        self._catalog = catalog

    async def build_workflow(
        self, body: Annotated[BuildRequest, Depends(BuildRequest.read)]
    ) -> Response:
        """Ask a model for a change of a workflow; its tool calls and its proposal are streamed."""
        builder = WorkflowBuilder(
            self._studio.authoring,
            self._catalog,
            OnDemandModelCaller(self._studio.home),
            (await body.loaded()).workflow,
            model=body.model,
            earlier=tuple(EarlierExchange(one.request, one.answer) for one in body.earlier),
        )
        return _Building(builder, body.request)


def build_routes(
    studio: RunningStudio, authenticator: Authenticator, catalog: ToolService
) -> APIRouter:
    """The endpoint."""
    handlers = _Handlers(studio, catalog)
    routes = Routes(authenticator, "/api/v1/edit", "edit")
    routes.stream("POST", "/build", handlers.build_workflow, event_schema(_EVENTS))
    return routes.router()
