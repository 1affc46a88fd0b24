"""What tools that run workflows need: the rooms, opened when first used, and what is published."""

from dataclasses import dataclass, field

from toolweave.app.publishing import Published
from toolweave.mcp_server.calls import Rooms

# Most clients give up after a minute.
WAIT_S = 45.0
# With tasks, a run that takes longer gets a handle.
SOON_S = 2.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call waits for its run, and a caller with tasks before it gets a handle."""

    wait_s: float = WAIT_S
    soon_s: float = SOON_S


@dataclass(frozen=True, slots=True)
class Desk:
    """One home, as the MCP server uses it."""

    rooms: Rooms
    published: Published
    # What the state of a question is sealed with; nothing: with one of this process.
    seal_key: str | None = None
    patience: Patience = field(default_factory=Patience)
