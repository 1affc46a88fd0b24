"""A node run by another node: an agent uses its tools and memories in its own name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toolweave.catalog.node import Attached, NodeContext, NodeInput, Resumed, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import ToolCaller, ToolProgress


@dataclass(frozen=True, slots=True)
class AttachedContext:
    """A `NodeContext` that is another one's, but for what it is given and its key."""

    outer: NodeContext
    given: NodeInput
    key: str
    resumed: Resumed | None = None

    @property
    def run(self) -> RunFacts:
        """The run of both."""
        return self.outer.run

    @property
    def attempt(self) -> int:
        """The try of both."""
        return self.outer.attempt

    @property
    def tools(self) -> ToolCaller:
        """The one gate."""
        return self.outer.tools

    def now(self) -> datetime:
        """The time."""
        return self.outer.now()

    async def progress(self, progress: ToolProgress) -> None:
        """Report progress through the outer node."""
        await self.outer.progress(progress)

    @property
    def resources(self) -> Resources:
        """What both may use."""
        return self.outer.resources


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What an attached node is used for: its inputs, and a word that tells uses apart."""

    word: str
    inputs: JsonObject = field(default_factory=dict[str, Json])


def within(context: NodeContext, attached: Attached, use: ToolUse) -> AttachedContext:
    """The context of an attached node; its key ends with its id, as a step's own does."""
    names: Mapping[str, Json] = context.given.names
    given = NodeInput(attached.config, {**attached.inputs, **use.inputs}, None, names)
    return AttachedContext(context, given, f"{context.key}/{use.word}/{attached.id}")
