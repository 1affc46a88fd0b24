"""Runs a memory node as the engine would, one step after the other."""

import itertools

from tests.engine.building import EchoTools

from toolweave.catalog.node import Effectful, NodeCode, NodeInput, Outcome, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices, StepContext
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory.conversation_buffer import node as buffer_node
from toolweave.nodes.memory.key_value_store import node as keys_node
from toolweave.nodes.memory.vector_database import node as vectors_node
from toolweave.resources.stores import OpenStores
from toolweave.testing.clock import FakeClock


class Memory:
    """The three nodes, on some stores."""

    def __init__(self, stores: OpenStores, clock: FakeClock) -> None:
        self.stores = stores
        self.clock = clock
        self._numbers = itertools.count(1)

    async def run(
        self,
        node: NodeCode,
        config: JsonObject,
        inputs: JsonObject,
        *,
        step: str | None = None,
        workflow: str = "w",
        name: str = "node",
    ) -> JsonObject:
        """The value a node gives; each call is a step of its own unless told otherwise."""
        assert isinstance(node, Effectful)
        defaults = {field.name: field.default for field in node.spec.all_configurations}
        services = EngineServices(EchoTools(), self.clock, Resources(stores=self.stores))
        run = RunFacts(step or f"run-{next(self._numbers)}", workflow, self.clock.now())
        given = NodeInput({**defaults, **config}, inputs)
        outcome = await node.run(StepContext(given, run, name, 1, None, services))
        assert isinstance(outcome, Outcome)
        value = outcome.value
        assert isinstance(value, dict)
        assert list(value) == [field.name for field in node.spec.outputs]
        return value

    async def keys(
        self, operation: str, key: str | None = None, value: Json = None, **more: Json
    ) -> JsonObject:
        """One operation of MEMORY.KEY_VALUE_STORE; `config`, `options` and `step` as wanted."""
        config, options, step = more.get("config"), more.get("options"), more.get("step")
        assert isinstance(config, dict)
        inputs: JsonObject = {"operation": operation, "value": value}
        if key is not None:
            inputs["key"] = key
        if options is not None:
            inputs["options"] = options
        return await self.run(keys_node, config, inputs, step=step if step is None else str(step))

    async def buffer(
        self, config: JsonObject, inputs: JsonObject, *, step: str | None = None, name: str = "node"
    ) -> JsonObject:
        """MEMORY.CONVERSATION_BUFFER."""
        return await self.run(buffer_node, config, inputs, step=step, name=name)

    async def vectors(
        self,
        operation: str,
        inputs: JsonObject,
        config: JsonObject | None = None,
        step: str | None = None,
    ) -> JsonObject:
        """MEMORY.VECTOR_DATABASE on our own database, with 256 dimensions unless told otherwise."""
        settings: JsonObject = {"vector_dimension": 256, "similarity_threshold": 0.05}
        return await self.run(
            vectors_node, settings | (config or {}), {"operation": operation, **inputs}, step=step
        )
