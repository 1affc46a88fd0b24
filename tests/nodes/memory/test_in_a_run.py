"""Memory nodes in real runs: what one run keeps, the next one finds."""

from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest
from tests.engine.building import EchoTools, workflow

from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.resources.stores import OpenStores
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio


@pytest.fixture
async def engine(
    database: Database, stores: OpenStores, clock: FakeClock
) -> AsyncGenerator[Engine]:
    services = EngineServices(EchoTools(), clock, Resources(stores=stores))
    made = Engine(
        database, Journal(database, clock), NodeRegistry(), services=services, checker=Unchecked()
    )
    async with made.running():
        yield made


def remember(subtype: str, config: JsonObject, inputs: JsonObject) -> tuple[str, JsonObject]:
    return ("MEMORY", {"subtype": subtype, "configurations": config, "inputParams": inputs})


# Any: a test looks into what came out, whatever it is.
async def ran(engine: Engine, graph: Workflow, inputs: JsonObject) -> Any:
    run = await engine.runs.start(RunRequest(graph, inputs))
    with anyio.fail_after(60):
        assert await engine.advance(run) == "success"
    return result_of(await engine.state(run))


async def test_a_value_of_one_run_is_there_in_the_next(engine: Engine) -> None:
    config: JsonObject = {"storage_backend": "sqlite", "key_prefix": "seen:"}
    before: JsonObject = {"operation": "get", "key": "{{ trigger.who }}"}
    after: JsonObject = {"operation": "set", "key": "{{ trigger.who }}", "value": {"n": 1}}
    graph = workflow(
        {
            "start": "start",
            "before": remember("KEY_VALUE_STORE", config, before),
            "after": remember("KEY_VALUE_STORE", config, after),
            "end": ("end", {}),
        },
        ["start > before", "before > after", "before > end", "after > end"],
    )
    found: list[Json] = []
    for _ in range(2):
        result = await ran(engine, graph, {"who": "ann"})
        found.append(result["before"]["value"])
    assert found == [None, {"n": 1}]


async def test_a_conversation_goes_on_over_runs(engine: Engine) -> None:
    inputs: JsonObject = {"message": "{{ trigger.text }}"}
    graph = workflow(
        {"start": "start", "talk": remember("CONVERSATION_BUFFER", {}, inputs)}, ["start > talk"]
    )
    await ran(engine, graph, {"text": "first"})
    result = await ran(engine, graph, {"text": "second"})
    assert [one["content"] for one in result["messages"]] == ["first", "second"]


async def test_what_was_stored_is_found_by_another_node(engine: Engine) -> None:
    config: JsonObject = {"vector_dimension": 128, "similarity_threshold": 0.1}
    store: JsonObject = {"operation": "store", "items": [{"id": "a", "content": "green tea"}]}
    search: JsonObject = {"operation": "search", "query": "{{ trigger.query }}"}
    graph = workflow(
        {
            "start": "start",
            "store": remember("VECTOR_DATABASE", config, store),
            "search": remember("VECTOR_DATABASE", config, search),
        },
        ["start > store", "store > search"],
    )
    result = await ran(engine, graph, {"query": "tea"})
    assert [one["content"] for one in result["results"]] == ["green tea"]
