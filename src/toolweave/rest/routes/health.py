"""Liveness probes without a key, and engine metrics for Prometheus."""

from fastapi import APIRouter, Depends, Response

from toolweave.app.running_studio import RunningStudio
from toolweave.rest import response_models
from toolweave.rest.auth import Authenticator

ALIVE = b'{"healthy":true}'
METRICS_TYPE = "text/plain; version=0.0.4"


async def alive() -> Response:
    """Check whether the process is running; needs no key."""
    return Response(ALIVE, media_type="application/json")


def health_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The probe at its two addresses, and the metrics, which are not part of OpenAPI."""
    router = APIRouter(tags=["health"])
    router.add_api_route("/health", alive, responses=response_models.ALIVE)
    router.add_api_route(
        "/api/v1/public/health", alive, responses=response_models.ALIVE, name="probe"
    )

    async def show_metrics() -> Response:
        """Return runs by status, queue sizes and step durations."""
        return Response(await studio.engine.metrics(), media_type=METRICS_TYPE)

    router.add_api_route(
        "/metrics",
        show_metrics,
        dependencies=[Depends(authenticator.gate("GET", "/metrics"))],
        include_in_schema=False,
    )
    return router
