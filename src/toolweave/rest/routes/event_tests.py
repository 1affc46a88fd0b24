"""`POST /api/v1/edit/trigger` and `/api/v1/triggers/listen`: a trigger while it is edited."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.routes.edit import EditRequest
from toolweave.rest.routing import Routes
from toolweave.triggers.activation import hooks_of
from toolweave.triggers.listing import draft_line
from toolweave.triggers.service import Triggers
from toolweave.triggers.trigger_line import TriggerLine


class EditedTriggerRequest(EditRequest):
    """A trigger of a workflow document."""

    node: str = Field(min_length=1, max_length=200, description="Its id")


class ListenRequest(EditedTriggerRequest):
    """A trigger to listen for; `listener` continues an earlier request."""

    listener: str | None = Field(
        None, pattern="^[0-9a-f]{32}$", description="The listener of the last response"
    )


class ListenResponse(JsonRecord):
    """The event; null if none arrived yet: ask again with `listener`."""

    listener: str
    paths: list[str]
    # Any: what the trigger outputs for the event.
    event: dict[str, Any] | None


class _Handlers:
    """The handlers."""

    def __init__(self, home: Home, triggers: Triggers) -> None:
        self._home = home
        self._triggers = triggers

    async def describe_trigger(
        self, body: Annotated[EditedTriggerRequest, Depends(EditedTriggerRequest.read)]
    ) -> TriggerLine:
        """Show the address or the next times of a trigger, as the document has it."""
        loaded = await body.loaded()
        return await draft_line(self._home, loaded.workflow, body.node)

    async def listen(
        self, body: Annotated[ListenRequest, Depends(ListenRequest.read)]
    ) -> ListenResponse:
        """Wait some seconds for one event of a trigger, active or not, and return it."""
        listeners = self._triggers.listeners
        if body.listener is None:
            loaded = await body.loaded()
            listener = await self._triggers.listen(loaded.workflow, body.node)
        else:
            listener = listeners.get(body.listener)
        event = await listeners.wait(listener) if body.listener is not None else None
        return ListenResponse(
            listener=listener.id,
            paths=[f"/hooks{path}" for path in hooks_of(listener.trigger)],
            event=event,
        )


_TEXTS = {
    404: "The document has no such trigger, or nobody listens any more.",
    409: "Another workflow uses the path.",
}


def event_test_routes(
    home: Home, triggers: Triggers, authenticator: Authenticator
) -> tuple[APIRouter, ...]:
    """The two endpoints."""
    handlers = _Handlers(home, triggers)
    edit = Routes(authenticator, "/api/v1/edit", "edit", 404, texts=_TEXTS)
    edit.add("POST", "/trigger", handlers.describe_trigger)
    listening = Routes(authenticator, "/api/v1/triggers", "triggers", 404, 409, texts=_TEXTS)
    listening.add("POST", "/listen", handlers.listen)
    return edit.router(), listening.router()
