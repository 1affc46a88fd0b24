"""The probe of the process: needs no key, and nothing that is slow to load."""

from starlette.responses import Response

PROBE_PATH = "/health"
ALIVE = b'{"healthy":true}'


async def alive() -> Response:
    """Check whether the process is running; needs no key."""
    return Response(ALIVE, media_type="application/json")
