"""`/api/v1/signals`: deliver events of other programs to waiting runs."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.access.keys import ApiKey
from toolweave.access.secret_text import SecretTexts
from toolweave.app.running_studio import RunningStudio
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses
from toolweave.triggers.event_delivery import EventDelivery

ALL = "/api/v1/signals"
VIA = "rest"
PRINTED = r"^[^\x00-\x1f\x7f]+$"


class SignalRequest(RequestBody):
    """An event."""

    event: str = Field(
        min_length=1, max_length=200, pattern=PRINTED, description="Its name, such as `order.paid`"
    )
    # Any: the data of the event.
    data: Any = Field(None, description="Its data; steps wait for parts of it by `match`")


class SignalResponse(BaseModel):
    """The runs that waited for the event."""

    runs: list[str]


class _Handlers:
    """The handler."""

    def __init__(self, studio: RunningStudio) -> None:
        home = studio.home
        secrets = SecretTexts(home.vault, home.masker)
        self._event_delivery = EventDelivery(studio.engine, secrets, home.clock)

    async def send_signal(
        self, body: Annotated[SignalRequest, Depends(SignalRequest.read)], request: Request
    ) -> Response:
        """Deliver an event to all runs that wait for it."""
        key: ApiKey = request.state.key
        if key.tools is not None:
            key.require_tool(None)  # such a key only controls its own runs
        delivered = await self._event_delivery.event(body.event, body.data, by=key.name, via=VIA)
        return JsonResponse({"runs": list(delivered.runs)}, 202)


def signal_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint; it needs `workflows:run`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix=ALL, tags=["runs"])
    router.add_api_route(
        "",
        handlers.send_signal,
        methods=["POST"],
        dependencies=[Depends(authenticator.require("workflows:run"))],
        responses=responses(SignalResponse, *KEYED, *READING, status=202),
        status_code=202,
        openapi_extra=openapi.keyed(SignalRequest),
    )
    return router
