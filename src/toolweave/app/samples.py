"""The sample workflow, and the built-in server it calls: there for whoever has nothing yet.

The server is this very program, so that it is trusted without a question; one of the same name
that runs anything else is left alone, and ours gets another name.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import anyio.to_thread

from toolweave.app.studio import Studio
from toolweave.errors import NotFound
from toolweave.json_text import Json, read
from toolweave.servers.definition import CommandServer, Server, definition_hash
from toolweave.workflow.formats.load import read as read_workflow

FILE = Path(__file__).parent / "sample.json"
SERVER = "demo"


@dataclass(frozen=True, slots=True)
class Sample:
    """What there is now."""

    workflow: str
    server: str


async def open_sample(studio: Studio) -> Sample:
    """Make sure that the sample is stored and its server approved, with its tools pinned."""
    server = await _server(studio)
    await _pinned(studio, server)
    name = await _stored(studio, server.name)
    return Sample(name, server.name)


def _definition() -> CommandServer:
    return CommandServer(command=sys.executable, args=("-m", "toolweave.cli.main", "demo-server"))


async def _server(studio: Studio) -> Server:
    """Our server, approved and on, under the first name that is free or already its own."""
    registry, ours = studio.home.registry, _definition()
    known = {server.name: server for server in await registry.list()}
    name = next(one for one in _names() if one not in known or known[one].definition == ours)
    if name not in known:
        known[name] = await registry.add(name, ours)
    server = known[name]
    if server.is_approved and server.enabled:
        return server
    return await registry.approve(name, definition_hash(ours))


def _names() -> Iterator[str]:
    yield SERVER
    yield from (f"{SERVER}-{number}" for number in count(2))


async def _pinned(studio: Studio, server: Server) -> None:
    lockfile = studio.home.lockfile
    if await anyio.to_thread.run_sync(lockfile.pins, server.name):
        return
    tools = await studio.gate.tools(server.name)
    live = await studio.connections.use(server)
    description = live.connection.description
    await anyio.to_thread.run_sync(
        lambda: lockfile.pin(server.name, tools, description=description)
    )


async def _stored(studio: Studio, server: str) -> str:
    """The sample as it is stored; one that somebody changed stays as they left it."""
    document = await anyio.to_thread.run_sync(_document, server)
    workflow = read_workflow(document).workflow
    try:
        return (await studio.home.workflows.load(workflow.name)).name
    except NotFound:
        await studio.home.workflows.save(workflow, over=None)
        return workflow.name


def _document(server: str) -> Json:
    text = FILE.read_bytes().replace(b'"SERVER"', f'"{server}"'.encode())
    return read(text)
