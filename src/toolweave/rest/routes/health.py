"""Probes without a key, and engine metrics for Prometheus."""

from contextlib import suppress

import anyio
from fastapi import APIRouter, Depends, Response

from toolweave.app.running_studio import RunningStudio
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.rest import response_models
from toolweave.rest.auth import Authenticator
from toolweave.rest.probe import PROBE_PATH, alive

READY = b'{"ready":true}'
READY_S = 2.0
METRICS_TYPE = "text/plain; version=0.0.4"


def health_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The probes of the process and its database, and the metrics, which OpenAPI leaves out."""
    router = APIRouter(tags=["health"])

    async def ready() -> Response:
        """Check whether the database answers; needs no key."""
        database, found = studio.home.database, None
        with suppress(ToolweaveError), anyio.move_on_after(READY_S):
            found = await database.row(database.dialect.find_table, "schema_version")
        if found is None:
            raise Unavailable("STORAGE_UNREACHABLE", "the database does not answer")
        return Response(READY, media_type="application/json")

    router.add_api_route("/ready", ready, responses=response_models.READY)
    router.add_api_route(PROBE_PATH, alive, responses=response_models.ALIVE)
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
