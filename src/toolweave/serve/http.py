"""Composes REST and MCP into one HTTP application."""

import logging
import os
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TextIO

import anyio
from starlette.types import ASGIApp

from toolweave.access.keys import ApiKeys
from toolweave.app.change_feed import ChangeFeed
from toolweave.app.running_studio import RunningStudio, open_running_studio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.cli.studio_socket import open_command_socket
from toolweave.home import FILES, WORKFLOWS, Home
from toolweave.modules import load_module
from toolweave.patterns import pattern
from toolweave.people.replies import open_replies
from toolweave.rest.auth import Authenticator, RateLimiter
from toolweave.rest.guard import Guard
from toolweave.rest.log import logged_to
from toolweave.rest.open_requests import OpenRequests
from toolweave.serve.mcp_door import McpDoor
from toolweave.serve.rest_parts import RestParts
from toolweave.serve.studio_app import StudioApp
from toolweave.storage.files import sweep_temporary, write_private
from toolweave.tasks import background, keep_going
from toolweave.triggers.service import open_triggers

logger = logging.getLogger(__name__)

SERVICE_TOKEN = "service.token"
CONNECT_AFTER_S = 0.5
# Slow to load: FastAPI and every route.
REST = "toolweave.serve.rest_endpoint"

_TOKEN = pattern(r"[A-Za-z0-9_-]{43}")
_PORT = pattern(r":\d+$")


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """The address to listen on, and other host names of this server."""

    host: str
    port: int
    also: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_everywhere(self) -> bool:
        """Whether it means all addresses of this machine."""
        return self.host in {"0.0.0.0", "::"}

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{_in_url(self.host)}:{self.port}"

    @property
    def browsable(self) -> str:
        """The base URL for a browser on this machine."""
        if not self.is_everywhere:
            return self.url
        return f"http://{_in_url('::1' if ':' in self.host else '127.0.0.1')}:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """Accepted values of `Host`."""
        names = [self.host]
        if self.is_loopback or self.is_everywhere:
            names += ["127.0.0.1", "localhost", "::1"]
        own = [f"{_in_url(name)}:{self.port}" for name in dict.fromkeys(names)]
        # A name without a port is accepted as it is (behind a proxy) and with our port.
        more = [f"{name}:{self.port}" for name in self.also if not _PORT.search(name)]
        return [*own, *self.also, *more]

    @property
    def origins(self) -> list[str]:
        """Accepted values of `Origin`."""
        return [f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")]


@asynccontextmanager
async def open_app(
    home: Home,
    address: ListenAddress,
    *,
    log: TextIO | None = None,
    is_ending: Callable[[], bool] = lambda: False,
    serves_commands: bool = False,
    on_loaded: Callable[[], None] = lambda: None,
) -> AsyncGenerator[ASGIApp]:
    """Return the application of an open home; endless streams end once `is_ending` returns true.

    With `serves_commands` it also does the work of `toolweave call` and `run` of this home.
    `on_loaded` is called when everything that the page needs is loaded.
    """
    settings = home.settings
    rates = RateLimiter(home.clock, per_second=settings.rate_per_s, burst=settings.burst)
    authenticator = Authenticator(ApiKeys(home.database, home.clock), rates)
    catalog = LiveCatalog(home)
    tool_service = CountingToolService(catalog, home)
    token = None
    if address.is_loopback:
        token = await anyio.to_thread.run_sync(service_token, settings.home)
    for folder in (settings.home, settings.home / WORKFLOWS, settings.home / FILES):
        await anyio.to_thread.run_sync(sweep_temporary, folder)
    with logged_to(log or sys.stderr):
        await catalog.refresh()
        async with (
            open_running_studio(home) as studio,
            open_triggers(home, studio.engine) as triggers,
            open_replies(home, studio.engine, studio.gate) as replies,
            _open_topics(studio, is_ending) as topics,
            open_command_socket(studio) if serves_commands else nullcontext(),
            background() as tasks,
        ):
            mcp = McpDoor(catalog, tool_service, studio, authenticator)
            tasks.start_soon(mcp.run)
            tasks.start_soon(keep_going, partial(catalog.follow, mcp.resources_changed))
            tasks.start_soon(keep_going, tool_service.keep_saving)
            parts = RestParts(
                studio, tool_service, authenticator, rates, topics, triggers, replies, token, mcp
            )
            app = StudioApp(partial(_create_rest, parts), on_loaded)
            tasks.start_soon(app.load)
            tasks.start_soon(keep_going, partial(_connect_servers, studio, app))
            tasks.start_soon(keep_going, partial(studio.published.follow, mcp.tools_changed))
            requests = OpenRequests(authenticator.keys)
            tasks.start_soon(keep_going, requests.run)
            hosts, origins = address.hosts, address.origins
            yield Guard(app, hosts=hosts, origins=origins, requests=requests)


def _create_rest(parts: RestParts) -> ASGIApp:
    return load_module(REST).create_endpoint(parts)


async def _connect_servers(studio: RunningStudio, app: StudioApp) -> None:
    """Keep the enabled servers connected; their start must not delay the first answers."""
    await app.loaded.wait()
    await studio.home.clock.sleep(CONNECT_AFTER_S)
    await studio.connections.follow()


@asynccontextmanager
async def _open_topics(
    studio: RunningStudio, is_ending: Callable[[], bool]
) -> AsyncGenerator[ChangeFeed]:
    topics = ChangeFeed(studio, is_ending=is_ending)
    async with topics.running():
        yield topics


def service_token(home: Path) -> str | None:
    """The token for programs on this machine, created once and readable only by the user.

    A damaged token, or one that others can read, is replaced; `None` if it cannot be kept private.
    """
    path = home / SERVICE_TOKEN
    for _ in range(3):
        with suppress(FileExistsError):
            write_private(path, secrets.token_urlsafe(32) + "\n")
        if (token := _read_token(path)) is not None:
            return token
        path.unlink(missing_ok=True)
    logger.warning("cannot write a private file in the home; the internal endpoints are disabled")
    return None


def _read_token(path: Path) -> str | None:
    is_private = os.name != "posix" or not path.stat().st_mode & 0o077
    text = path.read_bytes().decode("ascii", "replace").strip()
    return text if is_private and _TOKEN.fullmatch(text) else None


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
