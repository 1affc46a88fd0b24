"""`/metrics`: engine metrics for Prometheus; needs `health:check`."""

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from toolweave.app.running_studio import RunningStudio
from toolweave.rest.auth import Authenticator

TYPE = "text/plain; version=0.0.4"


def metrics_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint; it uses the Prometheus format and is not part of OpenAPI."""
    router = APIRouter()

    async def show_metrics() -> Response:
        """Return runs by status, queue sizes and step durations."""
        return Response(await studio.engine.metrics(), media_type=TYPE)

    router.add_api_route(
        "/metrics",
        show_metrics,
        dependencies=[Depends(authenticator.require("health:check"))],
        include_in_schema=False,
    )
    return router
