"""Rooms for tests of servers and calls: a real database, real processes, a clock to move."""

import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio

from toolweave.app.studio import Studio, open_studio
from toolweave.clock import Clock
from toolweave.home import open_home
from toolweave.servers.definition import Definition, Server, definition_hash
from toolweave.settings import Limits, Retry, Settings

ENVIRON = MappingProxyType({"TOOLWEAVE_VAULT_KEY": base64.b64encode(b"k" * 32).decode()})


@asynccontextmanager
async def a_studio(
    home: Path,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
    keeps_trying: bool = False,
    waits_s: tuple[float, ...] = (1.0, 5.0, 15.0),
    health_every_s: float = 30.0,
    database: str | None = None,
    **limits: Any,  # fields of `Limits`
) -> AsyncGenerator[Studio]:
    """Everything, opened in `home`, with none of this machine's environment."""
    settings = Settings(
        home=home,
        database=database,
        health_every_s=health_every_s,
        limits=Limits(**limits),
        retry=Retry(waits_s),
    )
    async with (
        open_home(settings, clock=clock, environ={**ENVIRON, **environ}, directory=home) as opened,
        open_studio(opened, keeps_trying=keeps_trying) as studio,
    ):
        yield studio


async def approved(studio: Studio, name: str, definition: Definition) -> Server:
    """Register a server and approve it, which enables it."""
    await studio.home.registry.add(name, definition)
    return await studio.home.registry.approve(name, definition_hash(definition))


async def pinned(studio: Studio, name: str, definition: Definition) -> Server:
    """Register, approve, connect, and approve the tools it lists."""
    server = await approved(studio, name, definition)
    studio.home.lockfile.pin(name, await studio.gate.tools(name))
    return server


async def eventually(is_so: Callable[[], object | Awaitable[object]]) -> None:
    """Wait for what another process, or another task, does in its own time."""
    with anyio.fail_after(60):
        while True:
            found = is_so()
            if await found if isawaitable(found) else found:
                return
            await anyio.sleep(0.005)
