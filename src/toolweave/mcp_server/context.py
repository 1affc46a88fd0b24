"""What tools that run workflows need: the studio, opened when first used, and its publications."""

from dataclasses import dataclass, field
from typing import Self

from toolweave.library.store import LibraryStore
from toolweave.mcp_server.tool_call import OpenStudio
from toolweave.publishing.service import Published
from toolweave.settings import Settings


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long a call waits for its run, and how soon a caller with task support gets a task."""

    # Most clients give up after a minute.
    wait_s: float = 45.0
    # With task support, a longer run becomes a task.
    soon_s: float = 2.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The configured limits."""
        return cls(settings.mcp_wait_s, settings.mcp_soon_s)


@dataclass(frozen=True, slots=True)
class McpContext:
    """One home, as the MCP server uses it."""

    studio: OpenStudio
    published: Published
    # Signs the state of a question; without one, a key of this process is used.
    seal_key: str | None = None
    wait_limits: WaitLimits = field(default_factory=WaitLimits)
    # Without them, those of the studio are used, which is opened for it.
    libraries: LibraryStore | None = None
