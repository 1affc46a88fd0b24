"""`/metrics`: how the engine does, for Prometheus; a key that may check the health may read it."""

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from toolweave.app.running_studio import RunningStudio
from toolweave.rest.auth import Authenticator

TYPE = "text/plain; version=0.0.4"


def metrics_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The one endpoint; what it gives is Prometheus's own format and no part of the OpenAPI."""
    router = APIRouter()

    async def show_metrics() -> Response:
        """Runs by status, what waits, how long steps take."""
        return Response(await studio.engine.metrics(), media_type=TYPE)

    router.add_api_route(
        "/metrics",
        show_metrics,
        dependencies=[Depends(authenticator.require("health:check"))],
        include_in_schema=False,
    )
    return router
