"""`/api/v1/samples`: a sample workflow, and the built-in server it calls."""

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import BaseModel

from toolweave.app.studio import Studio
from toolweave.demo.sample import open_sample
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.response_models import KEYED, responses


class SampleResponse(BaseModel):
    """The name of the sample workflow, and its server."""

    workflow: str
    server: str


class _Handlers:
    """The handler."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def make_sample(self) -> Response:
        """Store the sample workflow and approve the built-in server, unless both exist.

        Only Toolweave's own program is approved here.
        """
        studio = self._studio
        made = await open_sample(studio.home, studio.gate, studio.connections)
        return JsonResponse({"workflow": made.workflow, "server": made.server})


def sample_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoint; it approves a server and stores a workflow, so it needs `admin`."""
    router = APIRouter(prefix="/api/v1/samples", tags=["samples"])
    router.add_api_route(
        "",
        _Handlers(studio).make_sample,
        methods=["POST"],
        dependencies=[Depends(authenticator.require("admin"))],
        responses=responses(SampleResponse, 409, *KEYED),
        openapi_extra=openapi.KEYED,
    )
    return router
