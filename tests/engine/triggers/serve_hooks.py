"""A process that hosts triggers and answers hooks, composed as `toolweave serve` is.

`python -m tests.engine.triggers.serve_hooks`; says where it listens as its first line on stderr.
"""

import socket
import sys

import anyio
import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import Response

from toolweave.app.ground import open_ground
from toolweave.app.running import open_engine
from toolweave.app.studio import open_studio
from toolweave.app.triggering import open_triggers
from toolweave.errors import ToolweaveError
from toolweave.rest.auth import Rates
from toolweave.rest.guard import Guard
from toolweave.rest.refusals import refusal
from toolweave.rest.routes.hooks import hook_routes
from toolweave.settings import from_environment


async def serve() -> None:
    """Serve until killed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        async with (
            open_ground(from_environment()) as ground,
            open_studio(ground) as studio,
            open_engine(studio, keeps_time=True) as engine,
            open_triggers(ground, engine) as triggers,
        ):
            api = FastAPI(openapi_url=None)
            rates = Rates(ground.clock, per_second=1000, burst=1000)
            api.include_router(hook_routes(triggers, rates, ground.clock))
            api.add_exception_handler(ToolweaveError, _tell)
            app = Guard(api, hosts=[host], origins=[])
            server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
            sys.stderr.write(f"listening on http://{host}\n")
            sys.stderr.flush()
            await server.serve(sockets=[listener])


async def _tell(request: Request, error: Exception) -> Response:
    assert isinstance(error, ToolweaveError)
    return refusal(request.scope, error)


if __name__ == "__main__":
    anyio.run(serve)
