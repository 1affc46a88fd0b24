"""An MCP server over a real home in this process, and clients of either era connected to it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mcp import Client
from mcp.server import Server

from toolweave.app.running_studio import RunningStudio, open_running_studio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.home import Home, open_home
from toolweave.mcp_server.context import McpContext as desk_of
from toolweave.mcp_server.context import WaitLimits
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.publishing.service import PublicationRequest, Published, publish
from toolweave.publishing.store import Publication
from toolweave.settings import Settings
from toolweave.tasks import background
from toolweave.workflow.formats.load import read

Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")


@dataclass(frozen=True)
class Desk:
    """What a test needs: the rooms, and clients."""

    home: Home
    studio: RunningStudio
    published: Published
    server: Server[Any]

    async def publish(self, document: dict[str, Any], **more: Any) -> Publication:
        """Save a workflow and publish it."""
        workflow = read(document).workflow
        await self.studio.home.workflows.save(workflow, over=None)
        published = await self.publish_again(workflow.name, **more)
        return published

    async def publish_again(self, name: str, **more: Any) -> Publication:
        """Publish what is stored."""
        known = await self.studio.authoring.tools.known()
        published = await publish(self.home, known, PublicationRequest(name, **more))
        self.published.nudge()
        return published

    def client(self, mode: Mode = "auto", **more: Any) -> Client:
        """A client in memory."""
        return Client(self.server, mode=mode, cache=None, **more)


@asynccontextmanager
async def desk_in(home: Path, patience: WaitLimits | None = None) -> AsyncGenerator[Desk]:
    """Everything but the wire."""
    settings = Settings(home=home)
    async with open_home(settings, environ={}) as opened, open_running_studio(opened) as studio:

        async def rooms() -> RunningStudio:
            return studio

        catalog, changes = LiveCatalog(opened), Changes()
        toolbox, published = CountingToolService(catalog, opened), studio.published
        desk = desk_of(rooms, published, None, patience or WaitLimits())
        server = build_server(catalog, toolbox, changes, desk)
        async with background() as tasks:
            tasks.start_soon(published.follow, changes.tools_changed)
            tasks.start_soon(changes.subscriptions.run)
            yield Desk(opened, studio, published, server)
