"""MEMORY.KEY_VALUE_STORE in our own database, of both kinds, and the examples of its spec."""

import pytest
from tests.nodes.memory.conftest import Secrets
from tests.nodes.memory.running import Memory

from toolweave.json_text import JsonObject
from toolweave.nodes.memory._sql_keys import REMEMBERED_S
from toolweave.nodes.memory.key_value_store import node
from toolweave.storage.database import Database

pytestmark = pytest.mark.anyio


async def test_a_step_that_is_tried_again_does_not_undo_a_later_one(
    memory: Memory,
) -> None:
    config: JsonObject = {"storage_backend": "sqlite"}
    await memory.keys("set", "a", "first", config=config, step="run-first")
    await memory.keys("set", "a", "second", config=config, step="run-second")
    again = await memory.keys("set", "a", "first", config=config, step="run-first")
    assert (again["success"], again["exists"]) == (True, True)
    assert (await memory.keys("get", "a", config=config))["value"] == "second"


async def test_a_refused_step_may_succeed_when_it_is_tried_again(memory: Memory) -> None:
    config: JsonObject = {"storage_backend": "sqlite", "max_keys": 1}
    await memory.keys("set", "a", 1, config=config)
    refused = await memory.keys("set", "b", 2, config=config, step="run-b")
    await memory.keys("delete", "a", config=config)
    again = await memory.keys("set", "b", 2, config=config, step="run-b")
    assert (refused["success"], again["success"]) == (False, True)
    assert (await memory.keys("get", "b", config=config))["value"] == 2


async def test_steps_are_forgotten_after_a_while(memory: Memory, database: Database) -> None:
    config: JsonObject = {"storage_backend": "sqlite"}
    await memory.keys("set", "a", 1, config=config, step="run-old")
    await memory.clock.advance(REMEMBERED_S + 1)
    await memory.keys("delete", "a", config=config, step="run-new")
    assert await database.rows("SELECT step FROM memory_steps") == [("run-new/node",)]


@pytest.mark.parametrize("index", range(len(node.spec.examples)))
async def test_the_examples_of_the_specification_run(
    memory: Memory, secrets: Secrets, index: int, request: pytest.FixtureRequest
) -> None:
    example = node.spec.examples[index]
    if example.configurations["storage_backend"] == "redis":
        secrets.values["redis-url"] = request.getfixturevalue("redis_server").url
    value = await memory.run(node, example.configurations, example.input_params)
    assert value["success"] is True
    expected = example.expected_output or {}
    assert {name: value[name] for name in expected} == expected
