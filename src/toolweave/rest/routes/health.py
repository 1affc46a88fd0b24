"""Liveness probes: no key, and no other information."""

from fastapi import APIRouter
from fastapi.responses import Response

from toolweave.rest import response_models

ALIVE = b'{"healthy":true}'


async def alive() -> Response:
    """Check whether the process is running; needs no key."""
    return Response(ALIVE, media_type="application/json")


def health_routes() -> APIRouter:
    """The probe at its two addresses."""
    router = APIRouter(tags=["health"])
    router.add_api_route("/health", alive, responses=response_models.ALIVE)
    router.add_api_route(
        "/api/v1/public/health", alive, responses=response_models.ALIVE, name="probe"
    )
    return router
