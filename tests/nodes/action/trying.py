"""ACTION nodes tried one by one: with their defaults, in the context of a real step."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from tests.engine.building import EchoTools

from toolweave.access.mask import Masker
from toolweave.access.secret_destinations import Destination
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.node import Effectful, NodeCode, NodeInput, Outcome, Pure, RunFacts
from toolweave.catalog.resources.record import Resources
from toolweave.catalog.spec import Field
from toolweave.engine.context import EngineServices, StepContext
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.resources.http import NodeHttpClient
from toolweave.testing.clock import FakeClock


class Secrets:
    """A vault of a few secrets."""

    def __init__(self, **known: str) -> None:
        self._known = {name.replace("_", "-"): value for name, value in known.items()}

    async def use(self, name: str, to: Destination) -> str:
        if name not in self._known:
            raise NotFound("SECRET_NOT_FOUND", f"the vault has no secret {name!r}")
        return self._known[name]


def secret_texts(**known: str) -> SecretTexts:
    return SecretTexts(Secrets(**known), Masker())


@asynccontextmanager
async def web(*, allow_private: bool = True, **known: str) -> AsyncGenerator[NodeHttpClient]:
    """The resource `http`; it may reach this machine unless a test says otherwise."""
    http = NodeHttpClient(secret_texts(**known), allow_private=allow_private)
    try:
        yield http
    finally:
        await http.aclose()


def given(node: NodeCode, config: JsonObject, inputs: JsonObject) -> NodeInput:
    defaults = {
        one.name: one.default for one in node.spec.all_configurations if one.default is not None
    }
    names: JsonObject = {"data": inputs.get("data"), "context": {}, "variables": {}, **inputs}
    return NodeInput({**defaults, **config}, inputs, inputs.get("data"), names)


def compute(node: NodeCode, config: JsonObject, **inputs: Json) -> JsonObject:
    """What a pure node gives; exactly the outputs that its specification names."""
    assert isinstance(node, Pure)
    assert node.spec.effect == "pure"
    return checked(node, node.compute(given(node, config, inputs)))


async def run(
    node: NodeCode, config: JsonObject, resources: Resources, **inputs: Json
) -> JsonObject:
    """What a node with effects gives; exactly the outputs that its specification names."""
    assert isinstance(node, Effectful)
    clock = FakeClock()
    context = StepContext(
        given(node, config, inputs),
        RunFacts("run-1", "test", clock.now()),
        "n",
        1,
        None,
        EngineServices(EchoTools(), clock, resources),
    )
    outcome = await node.run(context)
    assert isinstance(outcome, Outcome)
    return checked(node, outcome)


def checked(node: NodeCode, outcome: Outcome) -> JsonObject:
    assert outcome.ports == ("output",)
    assert isinstance(outcome.value, dict)
    assert outcome.value.keys() == {one.name for one in node.spec.outputs}
    return outcome.value


def field(node: NodeCode, name: str) -> Field:
    return next(one for one in node.spec.configurations if one.name == name)


def code_of(caught: pytest.ExceptionInfo[ToolweaveError]) -> str:
    return caught.value.code
