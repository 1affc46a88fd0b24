"""What tools that run workflows need: the rooms, opened when first used, and what is published."""

from dataclasses import dataclass, field
from typing import Self

from toolweave.library.store import LibraryStore
from toolweave.mcp_server.tool_call import Rooms
from toolweave.publishing.service import Published
from toolweave.settings import Settings


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long a call waits for its run, and a caller with tasks before it gets a handle."""

    # Most clients give up after a minute.
    wait_s: float = 45.0
    # With tasks, a run that takes longer gets a handle.
    soon_s: float = 2.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """As it is set."""
        return cls(settings.mcp_wait_s, settings.mcp_soon_s)


@dataclass(frozen=True, slots=True)
class McpContext:
    """One home, as the MCP server uses it."""

    rooms: Rooms
    published: Published
    # What the state of a question is sealed with; nothing: with one of this process.
    seal_key: str | None = None
    patience: WaitLimits = field(default_factory=WaitLimits)
    # Without one, the libraries of the rooms are used, and those are opened for it.
    shelf: LibraryStore | None = None
