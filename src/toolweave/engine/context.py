"""The context of a running step."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime

from toolweave.access.mask import hide_in_use
from toolweave.catalog.node import NodeInput, Resumed, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.clock import Clock
from toolweave.engine.events import Key
from toolweave.engine.metrics import Meter
from toolweave.engine.step_pool import StepPool
from toolweave.storage.shared_limits import SharedLimits
from toolweave.tools.tool import ToolCaller, ToolProgress

ServerQueues = Callable[[], Awaitable[Mapping[str, str]]]
Listener = Callable[[str, Key, ToolProgress], Awaitable[None]]

# `RUN/STEP` of the step that the current task executes; resources that serve every step read it.
current_step: ContextVar[str] = ContextVar("current_step", default="")


# Not frozen: the resource `workflows` needs the engine, which is created with these services.
@dataclass(slots=True)
class EngineServices:
    """What the engine provides to steps; `app` fills it."""

    tools: ToolCaller
    clock: Clock
    resources: Resources = field(default_factory=Resources)
    on_progress: Listener | None = None
    # The limits of workflows; none where runs are only replayed.
    limits: SharedLimits | None = None
    meter: Meter = field(default_factory=Meter)
    # Computes heavy steps: more at once would keep the event loop from its turn.
    heavy: StepPool = field(default_factory=StepPool)
    # The queues of servers, by the server's name; nothing for servers without a queue.
    server_queues: ServerQueues | None = None


@dataclass(frozen=True, slots=True)
class StepContext:
    """The `NodeContext` of one attempt of one step."""

    given: NodeInput
    run: RunFacts
    place: Key
    attempt: int
    resumed: Resumed | None
    services: EngineServices
    on_progress: Callable[[ToolProgress], None] | None = None

    @property
    def key(self) -> str:
        """The same for every attempt of this step."""
        return f"{self.run.id}/{self.place}"

    @property
    def tools(self) -> ToolCaller:
        """The gate of tool calls."""
        return self.services.tools

    def now(self) -> datetime:
        """The current time."""
        return self.services.clock.now()

    async def progress(self, progress: ToolProgress) -> None:
        """Report the progress of the step, without the secrets that it uses."""
        if progress.message is not None:
            progress = replace(progress, message=hide_in_use(progress.message))
        if self.on_progress is not None:
            self.on_progress(progress)
        if self.services.on_progress is not None:
            await self.services.on_progress(self.run.id, self.place, progress)

    @property
    def resources(self) -> Resources:
        """The resources of nodes."""
        return self.services.resources
