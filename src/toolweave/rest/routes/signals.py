"""`/api/v1/signals`: deliver events of other programs to waiting runs."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from toolweave.access.secret_text import SecretTexts
from toolweave.app.running_studio import RunningStudio
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes
from toolweave.triggers.event_delivery import EventDelivery

PRINTED = r"^[^\x00-\x1f\x7f]+$"


class SignalRequest(RequestBody):
    """An event."""

    event: str = Field(
        min_length=1, max_length=200, pattern=PRINTED, description="Its name, such as `order.paid`"
    )
    # Any: the data of the event.
    data: Any = Field(None, description="Its data; steps wait for parts of it by `match`")


class SignalResponse(JsonRecord):
    """The runs that waited for the event."""

    runs: list[str]


def signal_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint."""
    home = studio.home
    delivery = EventDelivery(studio.engine, SecretTexts(home.vault, home.masker), home.clock)

    async def send_signal(
        body: Annotated[SignalRequest, Depends(SignalRequest.read)], request: Request
    ) -> SignalResponse:
        """Deliver an event to all runs that wait for it."""
        by = key_of(request).name
        delivered = await delivery.event(body.event, body.data, by=by, via="rest")
        return SignalResponse(runs=list(delivered.runs))

    routes = Routes(authenticator, "/api/v1/signals", "runs")
    routes.add("POST", "", send_signal, status=202)
    return routes.router()
