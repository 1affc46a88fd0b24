"""The whole HTTP application in this process, over a real home, with a clock tests can move."""

import io
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import orjson
from starlette.types import ASGIApp

from toolweave.access.keys import ApiKeys
from toolweave.home import Home, open_home
from toolweave.serve.http import SERVICE_TOKEN, ListenAddress, open_app
from toolweave.settings import Settings

HOST = "127.0.0.1:8765"
BASE = f"http://{HOST}"
ALL_SCOPES = (
    *("tools:read", "tools:execute", "health:check"),
    *("workflows:read", "workflows:write", "workflows:run"),
)


@dataclass
class MovedClock:
    """Stands still until it is moved; sleeping is real, and short."""

    seconds: float = 1_000.0

    def now(self) -> datetime:
        return datetime(2026, 11, 16, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(min(seconds, 0.02))


@dataclass(frozen=True)
class House:
    """What a test needs: a client, keys, the rooms below, the log."""

    app: ASGIApp
    client: httpx2.AsyncClient
    home: Home
    keys: ApiKeys
    clock: MovedClock
    logged: io.StringIO = field(repr=False)

    async def key(self, *scopes: str) -> dict[str, str]:
        """The header of a new key."""
        _, text = await self.keys.create("test", list(scopes or ALL_SCOPES))
        return {"X-API-Key": text}

    def service_token(self) -> dict[str, str]:
        """The header of a program of this machine."""
        path = self.home.settings.home / SERVICE_TOKEN
        return {"X-Service-Token": path.read_text(encoding="ascii").strip()}

    async def invoke(
        self, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]
    ) -> httpx2.Response:
        """One call over the external pair."""
        body = {"name": name, "arguments": arguments}
        return await self.client.post("/api/v1/mcp/invoke", json=body, headers=dict(headers))

    def log_lines(self) -> list[dict[str, Any]]:
        """Everything logged so far."""
        return [orjson.loads(line) for line in self.logged.getvalue().splitlines()]


@asynccontextmanager
async def house_in(
    home: Path,
    *,
    host: str = "127.0.0.1",
    peer: str = "127.0.0.1",
    rate_per_s: float = 50.0,
    burst: int = 200,
    reaches_private: bool = False,
    directory: Path | None = None,
    database: str | None = None,
) -> AsyncGenerator[House]:
    """Open it; the client speaks from `peer`."""
    clock, logged = MovedClock(), io.StringIO()
    settings = Settings(
        home=home,
        rate_per_s=rate_per_s,
        burst=burst,
        allow_private_http=reaches_private,
        database=database,
    )
    address = ListenAddress(host, 8765, also=(HOST,))
    async with (
        open_home(settings, clock=clock, environ={}, directory=directory or home) as opened,
        open_app(opened, address, log=logged) as app,
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app, client=(peer, 50_000)), base_url=BASE
        ) as client,
    ):
        keys = ApiKeys(opened.database, clock)
        yield House(app, client, opened, keys, clock, logged)
