"""A whole studio in a folder of its own, with servers registered, approved and pinned."""

import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import anyio

from hostile.catalogue import GOOD_STDIO, Vice
from toolweave.app.studio import Studio, open_studio
from toolweave.errors import ToolweaveError
from toolweave.home import open_home
from toolweave.servers.definition import CommandServer, Definition, definition_hash
from toolweave.settings import Limits, Retry, Settings
from toolweave.tasks import background
from toolweave.tools.tool import ToolCall, ToolResult

GOOD = "good"
HOSTILE = "hostile"
RETRY = Retry((0.1, 0.2, 0.3))  # what is retried is the same after shorter delays


@asynccontextmanager
async def studio_in(
    home: Path,
    limits: Mapping[str, float] = MappingProxyType({}),
    *,
    health_every_s: float = 30.0,
    keeps_trying: bool = False,
) -> AsyncGenerator[Studio]:
    """Open everything over a real SQLite file in `home`."""
    settings = Settings(
        home=home,
        health_every_s=health_every_s,
        retry=RETRY,
        limits=replace(Limits(calls_per_session=-1), **limits),
    )
    async with (
        open_home(settings, environ={}, directory=home) as opened,
        open_studio(opened, keeps_trying=keeps_trying) as studio,
    ):
        yield studio


def command_of(vice: Vice, *extra: str) -> CommandServer:
    """A definition that starts a stdio program of the catalogue."""
    command, *args = vice.argv(*extra)
    return CommandServer(command=command, args=tuple(args))


async def approve(studio: Studio, name: str, definition: Definition) -> None:
    """Register a server and approve its definition."""
    await studio.home.registry.add(name, definition)
    await studio.home.registry.approve(name, definition_hash(definition))


async def pin(studio: Studio, name: str) -> None:
    """Approve what the server lists now."""
    studio.home.lockfile.pin(name, await studio.gate.tools(name))


async def add_good(studio: Studio, name: str = GOOD) -> None:
    """A server nothing is wrong with, warm."""
    await approve(studio, name, command_of(GOOD_STDIO))
    await pin(studio, name)
    assert (await echo(studio, name)).text == "hi"


async def echo(studio: Studio, name: str = GOOD) -> ToolResult:
    """Call the tool that always works."""
    return await studio.gate.call(ToolCall(name, "echo", {"text": "hi"}))


@dataclass(slots=True)
class Neighbour:
    """How a good server fared meanwhile."""

    answers: int = 0
    failures: list[ToolweaveError] = field(default_factory=list[ToolweaveError])

    def assert_unaffected(self) -> None:
        """It answered, and every time."""
        assert self.failures == []
        assert self.answers > 0


@asynccontextmanager
async def calling(studio: Studio, *names: str) -> AsyncGenerator[Neighbour]:
    """Call the good servers `names` over and over for as long as this is entered."""
    seen = Neighbour()

    async def call_for_ever(name: str) -> None:
        while True:
            try:
                with anyio.CancelScope(shield=True):
                    assert (await echo(studio, name)).text == "hi"
                seen.answers += 1
            except ToolweaveError as error:
                seen.failures.append(error)
            await anyio.sleep(0.05)

    async with background() as tasks:
        for name in names or (GOOD,):
            tasks.start_soon(call_for_ever, name)
        yield seen


def python(code: str) -> CommandServer:
    """A definition that runs `code`."""
    return CommandServer(command=sys.executable, args=("-c", code))
