"""MEMORY.CONVERSATION_BUFFER, on both databases."""

import anyio
import pytest
from tests.nodes.memory.running import Memory

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._conversations import MAX_SUMMARY
from toolweave.nodes.memory.conversation_buffer import node

pytestmark = pytest.mark.anyio

PLAIN: JsonObject = {"auto_summarize": False, "max_messages": 3}


def contents(value: JsonObject) -> list[Json]:
    messages = value["messages"]
    assert isinstance(messages, list)
    return [one["content"] for one in messages if isinstance(one, dict)]


async def say(memory: Memory, config: JsonObject, *texts: str) -> JsonObject:
    value: JsonObject = {}
    for text in texts:
        value = await memory.buffer(config, {"message": text})
    return value


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
async def test_a_message_is_kept_with_its_role_and_metadata(memory: Memory, role: str) -> None:
    inputs: JsonObject = {"message": "Hello.\0", "role": role, "metadata": {"channel": "chat"}}
    value = await memory.buffer({}, inputs)
    expected = {"role": role, "content": "Hello.\0", "metadata": {"channel": "chat"}}
    assert value["messages"] == [expected]
    assert (await memory.buffer({}, {}))["messages"] == [expected]


async def test_without_a_summary_the_oldest_is_dropped(memory: Memory) -> None:
    value = await say(memory, PLAIN, "a", "b", "c")
    assert (contents(value), value["buffer_full"]) == (["a", "b", "c"], True)
    value = await say(memory, PLAIN, "d")
    assert (contents(value), value["total_messages"]) == (["b", "c", "d"], 3)
    assert value["summary"] == ""


async def test_the_oldest_become_a_summary_when_fewer_than_five_places_are_left(
    memory: Memory,
) -> None:
    config: JsonObject = {"max_messages": 12, "auto_summarize": True, "summarize_count": 3}
    value = await say(memory, config, *(f"Text {n}. And more." for n in range(7)))
    assert (value["total_messages"], value["summary"]) == (7, "")
    value = await say(memory, config, "Text 7.")
    assert contents(value)[0] == "Text 3. And more."
    assert value["summary"] == "user: Text 0.\nuser: Text 1.\nuser: Text 2."
    assert value["summary_metadata"] == {
        "method": "rules: the first sentence of each message",
        "messages_summarized": 3,
        "summarized_at": "2026-01-01T00:00:00.000Z",
    }
    value = await say(memory, config, "Text 8.", "Text 9.", "Text 10.")
    metadata = value["summary_metadata"]
    assert isinstance(metadata, dict)
    assert metadata["messages_summarized"] == 6


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 10])
async def test_a_small_buffer_keeps_its_newest_messages(memory: Memory, size: int) -> None:
    config: JsonObject = {"max_messages": size, "auto_summarize": True, "summarize_count": 2}
    value: JsonObject = {}
    for number in range(15):
        value = await say(memory, config, f"m{number}")
        assert contents(value)[-1] == f"m{number}"
        assert len(contents(value)) <= size
    metadata = value["summary_metadata"]
    assert isinstance(metadata, dict)
    assert metadata["messages_summarized"] == 15 - len(contents(value))


async def test_a_summary_does_not_grow_without_end(memory: Memory) -> None:
    config: JsonObject = {"max_messages": 2, "auto_summarize": True, "summarize_count": 1}
    value = await say(memory, config, *(f"{n} " + "word " * 200 for n in range(60)))
    assert len(str(value["summary"])) <= MAX_SUMMARY
    assert "58 word" in str(value["summary"])
    assert "user: 0 word" not in str(value["summary"])


async def test_every_node_has_a_conversation_of_its_own(memory: Memory) -> None:
    await memory.buffer({}, {"message": "a"}, name="first")
    assert contents(await memory.buffer({}, {}, name="second")) == []
    assert contents(await memory.buffer({}, {}, name="first")) == ["a"]
    elsewhere = await memory.run(node, {}, {}, workflow="another", name="first")
    assert contents(elsewhere) == []


async def test_a_node_in_a_loop_has_one_conversation_over_all_turns(memory: Memory) -> None:
    for turn in range(3):
        await memory.buffer({}, {"message": f"m{turn}"}, name=f"loop#{turn}/note")
    assert contents(await memory.buffer({}, {}, name="note")) == ["m0", "m1", "m2"]


async def test_nodes_that_name_the_same_conversation_share_it(memory: Memory) -> None:
    shared: JsonObject = {"metadata": {"conversation_id": "c-7"}}
    await memory.buffer({}, {"message": "a", **shared}, name="first")
    value = await memory.buffer({}, {"message": "b", "role": "assistant", **shared}, name="second")
    assert contents(value) == ["a", "b"]
    other: JsonObject = {"metadata": {"conversation_id": 8}}
    assert contents(await memory.buffer({}, other, name="first")) == []


@pytest.mark.parametrize("name", ["", True, 1.5, ["a"], "\ud800"])
async def test_a_conversation_is_named_by_a_text(plain_memory: Memory, name: Json) -> None:
    with pytest.raises(Invalid):
        await plain_memory.buffer({}, {"message": "a", "metadata": {"conversation_id": name}})
    assert contents(await plain_memory.buffer({}, {})) == []


async def test_a_step_that_is_tried_again_adds_nothing(memory: Memory) -> None:
    await memory.buffer(PLAIN, {"message": "a"}, step="run-a")
    value = await memory.buffer(PLAIN, {"message": "a"}, step="run-a")
    assert contents(value) == ["a"]
    await say(memory, PLAIN, "b", "c", "d")
    again = await memory.buffer(PLAIN, {"message": "a"}, step="run-a")
    assert contents(again) == ["b", "c", "d"]


async def test_messages_said_at_the_same_time_are_all_there(memory: Memory) -> None:
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(say, memory, PLAIN | {"max_messages": 50}, f"m{number}")
    value = await memory.buffer({}, {})
    assert {str(one) for one in contents(value)} == {f"m{number}" for number in range(20)}


async def test_a_buffer_made_smaller_shows_the_newest(memory: Memory) -> None:
    await say(memory, {}, "a", "b", "c")
    value = await memory.buffer({"max_messages": 2}, {})
    assert (contents(value), value["buffer_full"]) == (["b", "c"], True)


@pytest.mark.parametrize("example", node.spec.examples, ids=lambda one: one.name)
async def test_the_examples_of_the_specification_give_what_they_say(
    memory: Memory, example: object
) -> None:
    index = next(n for n, one in enumerate(node.spec.examples) if one is example)
    one = node.spec.examples[index]
    value = await memory.run(node, one.configurations, one.input_params)
    assert one.expected_output is not None
    assert {name: value[name] for name in one.expected_output} == one.expected_output
