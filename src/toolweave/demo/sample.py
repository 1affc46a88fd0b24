"""The sample workflow and the built-in server it calls.

The server is part of this program, so it is approved without asking. A server of the same name
with another definition is left alone; the sample's server then gets another name.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import anyio.to_thread

from toolweave.clock import timestamp
from toolweave.errors import NotFound
from toolweave.home import Home
from toolweave.json_text import Json, read
from toolweave.servers.connections import Connections
from toolweave.servers.definition import CommandServer, Server, definition_hash
from toolweave.servers.gate import Gate
from toolweave.workflow.formats.load import read as read_workflow

FILE = Path(__file__).parent / "sample.json"
SERVER = "demo"


@dataclass(frozen=True, slots=True)
class Sample:
    """The names of the stored workflow and its server."""

    workflow: str
    server: str


async def open_sample(home: Home, gate: Gate, connections: Connections) -> Sample:
    """Store the sample unless it is stored, and approve its server with its tools pinned."""
    server = await _server(home)
    await _pin(home, gate, connections, server)
    name = await _stored(home, server.name)
    return Sample(name, server.name)


def _definition() -> CommandServer:
    return CommandServer(command=sys.executable, args=("-m", "toolweave.cli.main", "demo-server"))


async def _server(home: Home) -> Server:
    """The built-in server, approved and enabled, under the first name that is free or its own."""
    registry, ours = home.registry, _definition()
    known = {server.name: server for server in await registry.list()}
    name = next(one for one in _names() if one not in known or known[one].definition == ours)
    if name not in known:
        known[name] = await registry.add(name, ours)
    server = known[name]
    if server.is_approved and server.enabled:
        return server
    return await registry.approve(name, definition_hash(ours), by="toolweave demo")


def _names() -> Iterator[str]:
    yield SERVER
    yield from (f"{SERVER}-{number}" for number in count(2))


async def _pin(home: Home, gate: Gate, connections: Connections, server: Server) -> None:
    lockfile = home.lockfile
    if await anyio.to_thread.run_sync(lockfile.pins, server.name):
        return
    tools = await gate.tools(server.name)
    live = await connections.use(server)
    description = live.connection.description
    await anyio.to_thread.run_sync(
        lambda: lockfile.pin(server.name, tools, description=description)
    )


async def _stored(home: Home, server: str) -> str:
    """The name of the stored sample; a sample that was edited is kept."""
    document = await anyio.to_thread.run_sync(_document, server)
    workflow = read_workflow(document).workflow
    try:
        return (await home.workflows.load(workflow.name)).name
    except NotFound:
        now = timestamp(home.clock.now())
        await home.workflows.save(replace(workflow, created_at=now, updated_at=now), over=None)
        return workflow.name


def _document(server: str) -> Json:
    text = FILE.read_bytes().replace(b'"SERVER"', f'"{server}"'.encode())
    return read(text)
