"""Small workflows and kinds of nodes to run in tests."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import anyio

from toolweave.catalog.node import Iteration, NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.node_kind import NodeKind
from toolweave.engine.engine import Engine
from toolweave.errors import Limited, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow import if_
from toolweave.nodes.prompt import end, start
from toolweave.testing.clock import FakeClock
from toolweave.tools.tool import Content, ToolCall, ToolResult
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Node, Workflow

Behaviour = Callable[[NodeContext], Awaitable[Outcome | Wait]]


@dataclass
class Scripted:
    """A kind of node whose behaviour is looked up by the id of the node; notes every try."""

    behaviours: dict[str, Behaviour]
    tried: list[str] = field(default_factory=list[str])

    async def run(self, context: NodeContext) -> Outcome | Wait:
        step = context.key.partition("/")[2]
        self.tried.append(step)
        behaviour = self.behaviours.get(step.rpartition("/")[2], passes)
        return await behaviour(context)


class Each:
    """A loop over the `items` of its data, else over what came in; its result is every turn's."""

    def items(self, given: NodeInput) -> list[Json] | None:
        return given.listing("items") if "items" in given.config else _listed(given.incoming)

    def continues(self, given: NodeInput, done: int, last: Json) -> bool:
        raise AssertionError((given, done, last))

    def width(self, given: NodeInput) -> int:
        return given.whole("width") if "width" in given.config else 1

    def names(self, given: NodeInput, index: int, item: Json) -> JsonObject:
        return {"item": item}

    def stops(self, given: NodeInput, failed: Iteration) -> bool:
        return given.flag("stops")

    def finish(self, given: NodeInput, turns: list[Iteration]) -> Outcome:
        results: list[Json] = [
            {"failed": turn.error["code"]} if turn.error else turn.value for turn in turns
        ]
        return Outcome(results, ("done",))


def _listed(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


class Kinds:
    """A few real kinds, and `once`, `keyed`, `each` of the test."""

    def __init__(self, **behaviours: Behaviour) -> None:
        self.scripted = Scripted(behaviours)
        if_spec = if_.node.spec
        self._kinds = {
            "start": NodeKind(start.plain, "pure"),
            "end": NodeKind(end.plain, "pure"),
            "FLOW.IF": NodeKind(if_.node, if_spec.effect, if_spec),
            "once": NodeKind(self.scripted, "once"),
            "askUserQuestion": NodeKind(self.scripted, "once"),
            "keyed": NodeKind(self.scripted, "keyed"),
            "each": NodeKind(Each(), "pure"),
        }

    def of(self, node: Node) -> NodeKind | None:
        return self._kinds.get(node.ref or node.type)


class EchoTools:
    """A gate whose tools answer with their arguments."""

    async def call(self, call: ToolCall, *, on_progress: object = None) -> ToolResult:
        return ToolResult((Content("text", text="ok"),), structured=dict(call.arguments))


async def passes(context: NodeContext) -> Outcome:
    return Outcome(context.given.incoming)


def gives(value: Json, *ports: str) -> Behaviour:
    async def behave(_context: NodeContext) -> Outcome:
        return Outcome(value, ports or ("output",))

    return behave


def fails(times: int, error: ToolweaveError | None = None) -> Behaviour:
    """Fails so many times, then passes on."""
    left = [times]

    async def behave(context: NodeContext) -> Outcome:
        if left[0]:
            left[0] -= 1
            raise error or Unavailable("TEST_FAILED", "the test wants it to fail")
        return Outcome(context.given.incoming)

    return behave


def busy(times: int) -> Behaviour:
    return fails(times, Limited("TEST_BUSY", "come back later"))


def waits(seconds: float | None = None, question: dict[str, Json] | None = None) -> Behaviour:
    """Waits once, then gives why it went on."""

    async def behave(context: NodeContext) -> Outcome | Wait:
        if context.resumed is None:
            until = None if seconds is None else context.now() + timedelta(seconds=seconds)
            return Wait(until, question, memory="kept")
        resumed = context.resumed
        return Outcome({"by": resumed.by, "reply": resumed.reply, "memory": resumed.memory})

    return behave


def meets(barrier: "Barrier") -> Behaviour:
    async def behave(context: NodeContext) -> Outcome:
        await barrier.wait()
        return Outcome(context.given.incoming)

    return behave


class Barrier:
    """Opens when so many wait at it."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._open = anyio.Event()

    async def wait(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._open.set()
        await self._open.wait()


def workflow(nodes: dict[str, Any], edges: Sequence[str]) -> Workflow:
    """Nodes by id: a type, or `(type, data)`; edges `a > b` or `a.port > b`."""
    listed = [
        {
            "id": identity,
            "name": identity,
            "type": what if isinstance(what, str) else what[0],
            "data": {} if isinstance(what, str) else what[1],
            "position": {"x": 0, "y": 0},
        }
        for identity, what in nodes.items()
    ]
    connections = [_edge(index, text) for index, text in enumerate(edges)]
    document: dict[str, Any] = {
        "id": "w",
        "name": "test",
        "nodes": listed,
        "connections": connections,
    }
    return read(document).workflow


def _edge(index: int, text: str) -> dict[str, Json]:
    source, target = (part.strip() for part in text.split(">"))
    node, _, port = source.partition(".")
    return {
        "id": f"e{index}",
        "from": node,
        "to": target,
        "fromPort": port or "output",
        "toPort": "input",
    }


def catalog(subtype: str, **config: Json) -> tuple[str, dict[str, Json]]:
    """A node of the type FLOW."""
    return ("FLOW", {"subtype": subtype, "configurations": config})


async def until_silent(observer: Engine, clock: FakeClock) -> None:
    """Let a lease expire for an engine that looks at it as often as a service does."""
    for _ in range(4):
        await observer.unfinished()
        await clock.advance(observer.journal.hold_s / 3)
