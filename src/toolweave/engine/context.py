"""What a running step is handed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toolweave.catalog.node import NodeInput, Resumed, RunFacts
from toolweave.clock import Clock
from toolweave.engine.events import Key
from toolweave.engine.metrics import Meter
from toolweave.errors import Unavailable
from toolweave.tools.tool import ToolCaller, ToolProgress

Listener = Callable[[str, Key, ToolProgress], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class EngineServices:
    """What the engine hands on to steps; `app` fills it."""

    tools: ToolCaller
    clock: Clock
    # By name: `http`, `stores`, `model`, …
    resources: Mapping[str, object] = field(default_factory=dict[str, object])
    on_progress: Listener | None = None
    meter: Meter = field(default_factory=Meter)


@dataclass(frozen=True, slots=True)
class StepContext:
    """A `NodeContext` of one try of one step."""

    given: NodeInput
    run: RunFacts
    place: Key
    attempt: int
    resumed: Resumed | None
    services: EngineServices
    on_progress: Callable[[ToolProgress], None] | None = None

    @property
    def key(self) -> str:
        """The same for every try of this very step."""
        return f"{self.run.id}/{self.place}"

    @property
    def tools(self) -> ToolCaller:
        """The one gate."""
        return self.services.tools

    def now(self) -> datetime:
        """The time."""
        return self.services.clock.now()

    async def progress(self, progress: ToolProgress) -> None:
        """Tell whoever watches how far it is."""
        if self.on_progress is not None:
            self.on_progress(progress)
        if self.services.on_progress is not None:
            await self.services.on_progress(self.run.id, self.place, progress)

    def resource(self, name: str) -> object:
        """A room's service, by name.

        Raises:
            Unavailable: `RESOURCE_MISSING`.
        """
        found = self.services.resources.get(name)
        if found is None:
            raise Unavailable("RESOURCE_MISSING", f"nothing here provides {name!r} to nodes")
        return found
