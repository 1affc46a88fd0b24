"""The contract a node fulfils: what the `node` of a module in the room `nodes` is.

A pure node computes; another one runs, and may ask to be run again later (`Wait`). A node that is
no entry of the catalog (`start`, `prompt`, `mcp`, …) has `types` instead of a specification.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from toolweave.catalog.node_input import Attached as Attached
from toolweave.catalog.node_input import NodeInput
from toolweave.catalog.resources.record import Resources
from toolweave.catalog.spec import Effect, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import ToolCaller, ToolProgress

OUTPUT_PORT = "output"
ERROR_PORT = "error"
# A node that leaves by it ends its run.
STOPPED = "stopped"
# In the memory of a wait: the process that keeps a call open, whose answer the step waits for.
CALL_HOLDER = "callHolder"


# Not frozen, as every step of every run makes one: that would take three times as long.
@dataclass(slots=True)
class Outcome:
    """A node's output and the ports it leaves by."""

    value: Json
    ports: tuple[str, ...] = (OUTPUT_PORT,)
    # What a tool said beside its structured content, as blocks; expressions do not see it.
    content: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Not done yet: run the node again at a time, on an answer, or at the first of both."""

    until: datetime | None = None
    # The question to a person; shown wherever people answer.
    question: JsonObject | None = None
    # Handed back as `memory` of the next run.
    memory: Json = None
    # What the next run does to the world, where a node works in parts that differ in it.
    effect: Effect | None = None
    # Whether `memory` is one more entry of a list, which the next run is handed whole. An entry is
    # shown to observers; its `usage` (tokens, cost_usd) is summed for the run.
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Resumed:
    """Why a node that waited is run again."""

    by: Literal["timer", "answer"]
    reply: Json = None
    memory: Json = None
    effect: Effect | None = None
    # Who answered, through which door, and when, as that door says; never part of the reply.
    who: str | None = None
    via: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The run a node is part of."""

    id: str
    workflow: str
    started_at: datetime


class NodeContext(Protocol):
    """The context of a node with effects; it reaches the outside world only through it."""

    @property
    def given(self) -> NodeInput: ...

    @property
    def run(self) -> RunFacts: ...

    @property
    def key(self) -> str:
        """An idempotency key for other systems: the same for every attempt of this step."""
        ...

    @property
    def attempt(self) -> int:
        """1 for the first try."""
        ...

    @property
    def resumed(self) -> Resumed | None: ...

    @property
    def tools(self) -> ToolCaller: ...

    def now(self) -> datetime: ...

    async def progress(self, progress: ToolProgress) -> None:
        """Report progress."""
        ...

    @property
    def resources(self) -> Resources:
        """HTTP, files, databases, mail, models and whatever else nodes may use."""
        ...


class NodeCode(Protocol):
    """A kind of node: its specification, beside the code that runs it."""

    @property
    def spec(self) -> NodeSpec:
        """Everything about it but its code."""
        ...


class DialectNode(Protocol):
    """A kind of node that is no entry of the catalog."""

    @property
    def types(self) -> tuple[str, ...]: ...

    @property
    def effect(self) -> Effect: ...


@runtime_checkable
class Pure(Protocol):
    """Returns the same output for the same input, and can be repeated."""

    def compute(self, given: NodeInput) -> Outcome: ...


@runtime_checkable
class Effectful(Protocol):
    """Does something in the world, or waits for it."""

    async def run(self, context: NodeContext) -> Outcome | Wait: ...


@runtime_checkable
class ChoosesEffect(Protocol):
    """The effect depends on the configuration: reads may be repeated, writes may not."""

    def effect_of(self, config: JsonObject) -> Effect: ...


@runtime_checkable
class Calling(Protocol):
    """Calls another workflow and resumes when it ends; that run has its own limits."""

    @property
    def calls_workflows(self) -> bool: ...


@runtime_checkable
class Gathering(Protocol):
    """Waits for all branches that lead to it, or for as long as one of its settings says."""

    @property
    def gathers_by(self) -> str: ...


@runtime_checkable
class Heavy(Protocol):
    """Computes for long on large inputs; it runs in a worker thread."""

    @property
    def may_be_heavy(self) -> bool: ...


@runtime_checkable
class StopRequested(Protocol):
    """Can end its run: by leaving through `stopped`, or by failing with `FLOW_STOPPED`."""

    @property
    def may_stop(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Iteration:
    """How one turn of a loop ended."""

    value: Json = None
    error: JsonObject | None = None


@runtime_checkable
class Looping(Protocol):
    """Repeats the nodes at its port `loop`, then leaves by `done`."""

    def items(self, given: NodeInput) -> list[Json] | None:
        """What it goes through; nothing where `continues` decides each time."""
        ...

    def continues(self, given: NodeInput, done: int, last: Json) -> bool:
        """Whether there is another turn, after `done` of them."""
        ...

    def width(self, given: NodeInput) -> int:
        """How many turns may run at the same time."""
        ...

    def names(self, given: NodeInput, index: int, item: Json) -> JsonObject:
        """What its body may name, beside `loop`."""
        ...

    def stops(self, given: NodeInput, failed: Iteration) -> bool:
        """Whether a failed turn fails the whole loop."""
        ...

    def finish(self, given: NodeInput, turns: list[Iteration]) -> Outcome:
        """What it gives after the last turn."""
        ...
