"""The door for hooks, as `toolweave serve` has it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI, Request
from starlette.responses import Response
from tests.triggers.hosting import Host, hosting

from toolweave.errors import ToolweaveError
from toolweave.rest.auth import RateLimiter
from toolweave.rest.error_responses import error_response
from toolweave.rest.guard import Guard
from toolweave.rest.routes.hooks import hook_routes
from toolweave.testing.clock import FakeClock

HOST = "127.0.0.1:8765"


@dataclass(frozen=True)
class Served:
    host: Host
    client: httpx2.AsyncClient

    async def post(self, path: str, **more: Any) -> httpx2.Response:
        return await self.client.post(f"/hooks{path}", **more)


@asynccontextmanager
async def serving(home: Path, *, burst: int = 10_000) -> AsyncGenerator[Served]:
    """The door for hooks behind the guard, as `toolweave serve` has it."""
    async with hosting(home, clock=FakeClock()) as host:
        api = FastAPI(openapi_url=None, redirect_slashes=False)
        rates = RateLimiter(host.clock, per_second=50, burst=burst)
        api.include_router(hook_routes(host.triggers, rates, host.clock))

        @api.exception_handler(ToolweaveError)
        async def tell(request: Request, error: ToolweaveError) -> Response:
            return error_response(request.scope, error)

        assert tell
        app = Guard(api, hosts=[HOST], origins=[f"http://{HOST}"])
        transport = httpx2.ASGITransport(app, client=("203.0.113.7", 50_000))
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            yield Served(host, client)
