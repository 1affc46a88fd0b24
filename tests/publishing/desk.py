"""An MCP server over a real home in this process, and clients of either era connected to it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp import Client
from mcp.server import Server

from toolweave.app.ground import Ground, open_ground
from toolweave.app.live_catalog import CountingToolbox, LiveCatalog
from toolweave.app.workbench import Workbench, open_workbench
from toolweave.mcp_server.changes import Changes
from toolweave.mcp_server.contributions import contributed
from toolweave.mcp_server.server import build_server
from toolweave.settings import Settings

Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")


@dataclass(frozen=True)
class Desk:
    """What a test needs: the rooms, and clients."""

    ground: Ground
    workbench: Workbench
    server: Server[Any]

    def client(self, mode: Mode = "auto", **more: Any) -> Client:
        """A client in memory."""
        return Client(self.server, mode=mode, **more)


@asynccontextmanager
async def desk_in(home: Path) -> AsyncGenerator[Desk]:
    """Everything but the wire."""
    settings = Settings(home=home)
    async with open_ground(settings, environ={}) as ground, open_workbench(ground) as workbench:

        async def rooms() -> Workbench:
            return workbench

        catalog, changes = LiveCatalog(ground), Changes()
        toolbox = CountingToolbox(catalog, ground)
        yield Desk(ground, workbench, build_server(catalog, toolbox, changes, contributed(rooms)))
