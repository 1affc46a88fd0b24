"""REST and MCP behind one guard: the composition, and the key every MCP request must show."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from toolweave import nodes
from toolweave.access.keys import Keys
from toolweave.app.ground import Ground
from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.toolbox import Toolbox
from toolweave.errors import ToolweaveError
from toolweave.mcp_server.server import build_server
from toolweave.rest.app import create_app
from toolweave.rest.auth import Doorkeeper, Rates
from toolweave.rest.guard import refused
from toolweave.storage.files import write_private

SERVICE_TOKEN = "service.token"


@dataclass(frozen=True, slots=True)
class Address:
    """Where we listen, and the other names we are reached by."""

    host: str
    port: int
    also: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        """What to type into a browser."""
        return f"http://{_in_url(self.host)}:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """Values of `Host` we answer to."""
        own = [self.host, "127.0.0.1", "localhost", "::1"] if self.is_loopback else [self.host]
        return [*(f"{_in_url(name)}:{self.port}" for name in dict.fromkeys(own)), *self.also]

    @property
    def origins(self) -> list[str]:
        """Values of `Origin` whose pages may ask."""
        return [f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")]


@asynccontextmanager
async def open_app(ground: Ground, address: Address) -> AsyncGenerator[ASGIApp]:
    """The whole application over an open ground."""
    keys = Keys(ground.database, ground.clock)
    rates = Rates(ground.clock, per_second=ground.settings.rate_per_s, burst=ground.settings.burst)
    doorkeeper = Doorkeeper(keys, rates)
    knowledge = Knowledge(Catalog(node.spec for node in nodes.discover()))
    server = build_server(knowledge)
    inner = server.streamable_http_app(
        streamable_http_path="/",
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    token = None
    if address.is_loopback:
        token = await anyio.to_thread.run_sync(service_token, ground.settings.home)
    async with server.session_manager.run():
        yield create_app(
            Toolbox(knowledge),
            doorkeeper,
            hosts=address.hosts,
            origins=address.origins,
            service_token=token,
            mcp=_Keyed(inner, doorkeeper),
        )


class _Keyed:
    """The MCP endpoint, for those with a key that may execute tools."""

    def __init__(self, app: ASGIApp, doorkeeper: Doorkeeper) -> None:
        self._app = app
        self._doorkeeper = doorkeeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it with 401, 403 or 429."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                await self._doorkeeper.admit(headers, "tools:execute")
            except ToolweaveError as error:
                answer = refused(error.status, error.code, error.message)
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def service_token(home: Path) -> str:
    """The token of programs on this machine: made once, readable by the user alone."""
    path = home / SERVICE_TOKEN
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        write_private(path, token + "\n")
        return token


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
