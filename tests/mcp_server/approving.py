"""Servers as another process registers, approves and pins them; nothing of them is started."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from toolweave.home import Home, open_home
from toolweave.servers.definition import CommandServer, definition_hash
from toolweave.settings import Settings
from toolweave.tools.read_tool import read_tool


def definition(name: str) -> dict[str, Any]:
    """A tool as a server lists it."""
    return {
        "name": name,
        "description": f"Reverse the text, as {name}.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
    }


@asynccontextmanager
async def ground_of(home: Path) -> AsyncGenerator[Home]:
    """The rooms of `home`, as a second process opens them."""
    async with open_home(Settings(home=home), environ={}, directory=home) as opened:
        yield opened


async def approve(opened: Home, name: str, *tools: dict[str, Any]) -> None:
    """Register `name`, approve it, and pin its tools."""
    command = CommandServer(command="no-such-program")
    await opened.registry.add(name, command)
    await opened.registry.approve(name, definition_hash(command))
    opened.lockfile.pin(name, [read_tool(name, tool) for tool in tools])
