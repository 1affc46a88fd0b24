"""Switching modes by the mode rules: what is preserved, cleared and brought back."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady
from tests.workflow.mcp_nodes import (
    NOW,
    NOW_STAMP,
    STAMP,
    a_node,
    a_tool,
    described,
    detailed,
    seed_message,
    tasked,
)

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import Tool
from toolweave.workflow.mode_check import check_mode
from toolweave.workflow.mode_switch import switch_mode
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.modes import (
    KEPT_TASK,
    MODES,
    PARAM_CONFIG,
    PRESERVED,
    TASK_CONFIG,
    Mode,
    tool_fields,
)

VALUES: JsonObject = {"region": "us-east-1", "resource_type": "api"}
WORDS = "List all S3 buckets in the us-east-1 region"
TASK = "Find AWS documentation about S3 bucket policies"


def test_from_detailed_to_described_parameters() -> None:
    node = detailed(**{TASK_CONFIG: {"taskDescription": "stray"}})
    data = switch_mode(node, "naturalLanguageParam", now=NOW).data
    assert data["mode"] == "naturalLanguageParam"
    assert data[PRESERVED] == {
        "parameterValues": VALUES,
        "timestamp": NOW_STAMP,
        "toolName": "get_regional_availability",
    }
    assert data[PARAM_CONFIG] == {"description": "", "timestamp": NOW_STAMP}
    assert TASK_CONFIG not in data
    assert data[KEPT_TASK] == {"taskDescription": "stray"}
    assert data["toolName"] == "get_regional_availability"
    assert [p.code for p in check_mode(a_node(data), NOW)] == ["MCP_NL_DESC_EMPTY"]


def test_without_preserved_values_detailed_begins_empty() -> None:
    data = switch_mode(described(), "detailed", now=NOW).data
    assert data["parameterValues"] == {}


@pytest.mark.parametrize(
    ("name", "hint"),
    [("list", "it was 'list' before"), (None, "give a tool of the node's server")],
)
def test_leaving_a_described_task_needs_a_tool(name: str | None, hint: str) -> None:
    kept: JsonObject = {"parameterValues": {}, "timestamp": STAMP, "toolName": name}
    with pytest.raises(Invalid) as raised:
        switch_mode(tasked(**{PRESERVED: kept}), "detailed", now=NOW)
    assert (raised.value.code, raised.value.hint) == ("MCP_TOOL_REQUIRED", hint)


def test_between_the_language_modes_words_values_and_tool_come_back() -> None:
    kept: JsonObject = {"parameterValues": VALUES, "timestamp": STAMP}
    node = described(**{PRESERVED: kept})
    task = switch_mode(node, "fullNaturalLanguage", now=NOW, available_tools=[a_tool()])
    assert task.data["mode"] == "fullNaturalLanguage"
    assert task.data["toolName"] == ""
    assert task.data[PRESERVED] == kept
    begun = task.data[TASK_CONFIG]
    assert isinstance(begun, dict)
    assert begun["taskDescription"] == ""
    back = switch_mode(task, "naturalLanguageParam", now=NOW)
    left = {key: value for key, value in back.data.items() if key != KEPT_TASK}
    assert left == node.data
    assert back.data[KEPT_TASK] == begun


def test_a_task_that_never_had_a_tool_needs_one_for_its_parameters() -> None:
    with pytest.raises(Invalid) as raised:
        switch_mode(tasked(), "naturalLanguageParam", now=NOW)
    assert raised.value.code == "MCP_TOOL_REQUIRED"
    data = switch_mode(tasked(), "naturalLanguageParam", now=NOW, tool=a_tool("x")).data
    assert data["toolName"] == "x"


@pytest.mark.parametrize("tools", [None, []])
def test_a_task_cannot_be_described_without_tools(tools: list[Tool] | None) -> None:
    with pytest.raises(Invalid) as raised:
        switch_mode(detailed(), "fullNaturalLanguage", now=NOW, available_tools=tools)
    assert raised.value.code == "MCP_TOOL_LIST_EMPTY"
    assert raised.value.message == seed_message("000:MCP_TOOL_LIST_EMPTY")


def test_a_task_takes_two_hundred_tools_at_most() -> None:
    tools = [a_tool()] * 201
    switch_mode(detailed(), "fullNaturalLanguage", now=NOW, available_tools=tools[:200])
    with pytest.raises(Invalid) as raised:
        switch_mode(detailed(), "fullNaturalLanguage", now=NOW, available_tools=tools)
    assert raised.value.code == "MCP_TOOL_LIST_TOO_LONG"


def test_words_are_given_while_switching() -> None:
    data = switch_mode(detailed(), "naturalLanguageParam", now=NOW, description=WORDS).data
    assert data[PARAM_CONFIG] == {"description": WORDS, "timestamp": NOW_STAMP}
    assert list(check_mode(a_node(data), NOW)) == []


def test_switching_to_the_same_mode_changes_only_what_is_given() -> None:
    node = described()
    assert switch_mode(node, "naturalLanguageParam", now=NOW) is node
    assert switch_mode(node, "naturalLanguageParam", now=NOW, description=WORDS) is node
    data = switch_mode(node, "naturalLanguageParam", now=NOW, description="Other words").data
    assert data == node.data | {
        PARAM_CONFIG: {"description": "Other words", "timestamp": NOW_STAMP}
    }
    assert switch_mode(detailed(), "detailed", now=NOW).data == detailed().data


def test_a_task_can_get_new_words_although_its_file_has_no_snapshot() -> None:
    node = tasked(**{TASK_CONFIG: {"taskDescription": "old", "timestamp": STAMP}})
    data = switch_mode(node, "fullNaturalLanguage", now=NOW, description=TASK).data
    assert data[TASK_CONFIG] == {"taskDescription": TASK, "timestamp": NOW_STAMP}
    with pytest.raises(Invalid):
        switch_mode(node, "fullNaturalLanguage", now=NOW, available_tools=[])


def test_another_tool_takes_the_values_it_knows_and_the_first_tool_gets_its_own_back() -> None:
    zones = a_tool("list_zones", region={"type": "string"}, limit={"type": "integer"})
    other = switch_mode(detailed(), "detailed", now=NOW, tool=zones)
    assert other.data["parameterValues"] == {"region": "us-east-1"}
    set_anew = a_node({**other.data, "parameterValues": {"region": "eu", "limit": 3}})
    back = switch_mode(set_anew, "detailed", now=NOW, tool=a_tool())
    assert back.data["parameterValues"] == VALUES
    again = switch_mode(back, "detailed", now=NOW, tool=zones)
    assert again.data["parameterValues"] == {"region": "eu", "limit": 3}


def test_a_tool_with_unreadable_parameters_takes_no_values_of_another() -> None:
    kept: JsonObject = {"parameterValues": VALUES, "timestamp": STAMP, "toolName": "other"}
    data = switch_mode(described(**{PRESERVED: kept, "parameters": 5}), "detailed", now=NOW).data
    assert data["parameterValues"] == {}
    listed = described(**{PRESERVED: kept, "parameters": [5, {"name": "region"}]})
    data = switch_mode(listed, "detailed", now=NOW).data
    assert data["parameterValues"] == {"region": "us-east-1"}


def test_the_same_tool_is_refreshed_and_keeps_its_values() -> None:
    tool = a_tool(region={"type": "string"}, more={"type": "boolean"})
    data = switch_mode(detailed(), "detailed", now=NOW, tool=tool).data
    assert data["parameterValues"] == VALUES
    assert data["parameters"] == tool_fields(tool)["parameters"]


def test_values_without_a_tool_are_preserved_too() -> None:
    node = detailed(toolName="")
    data = switch_mode(node, "fullNaturalLanguage", now=NOW, available_tools=[a_tool()]).data
    assert data[PRESERVED] == {"parameterValues": VALUES, "timestamp": NOW_STAMP}
    back = switch_mode(a_node(data), "detailed", now=NOW, tool=a_tool("any"))
    assert back.data["parameterValues"] == VALUES


def test_a_broken_mode_is_left_as_if_it_were_detailed() -> None:
    node = detailed(mode="turbo")
    data = switch_mode(node, "naturalLanguageParam", now=NOW, description=WORDS).data
    assert data["mode"] == "naturalLanguageParam"
    assert list(check_mode(a_node(data), NOW)) == []


@pytest.mark.parametrize("config", [5, None])
def test_a_broken_configuration_is_begun_anew(config: Json) -> None:
    node = described(**{PARAM_CONFIG: config})
    data = switch_mode(node, "naturalLanguageParam", now=NOW, description=WORDS).data
    assert data[PARAM_CONFIG] == {"description": WORDS, "timestamp": NOW_STAMP}


def test_what_cannot_be_switched_is_refused() -> None:
    prompt = Node(NodeId("p"), "prompt", "p")
    with pytest.raises(Invalid) as raised:
        switch_mode(prompt, "detailed", now=NOW)
    assert raised.value.code == "MCP_NODE_VALIDATION_FAILED"
    with pytest.raises(Invalid) as raised:
        switch_mode(detailed(), "turbo", now=NOW)  # pyright: ignore[reportArgumentType]
    assert raised.value.code == "MCP_INVALID_MODE"
    with pytest.raises(Invalid) as raised:
        switch_mode(described(), "detailed", now=NOW, description=WORDS)
    assert raised.value.code == "MCP_MODE_CONFIG_MISMATCH"


@dataclass
class Memory:
    """What a user would expect to find again."""

    values: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    words: dict[Mode, str] = field(default_factory=dict[Mode, str])


TOOLS = [a_tool("one"), a_tool("two", region={"type": "string"}), a_tool("three")]
_STEPS = st.lists(
    st.tuples(
        st.sampled_from(MODES),
        st.sampled_from(TOOLS),
        st.none() | st.text(min_size=1, max_size=12),
        st.dictionaries(st.sampled_from(["region", "resource_type", "x"]), JSON, max_size=2),
        st.booleans(),
    ),
    max_size=10,
)


@steady(300)
@given(_STEPS)
def test_whatever_the_way_nothing_is_lost(
    steps: list[tuple[Mode, Tool, str | None, JsonObject, bool]],
) -> None:
    node = a_node({**tool_fields(TOOLS[0]), "parameterValues": {}, "unknown": {"kept": True}})
    memory = Memory({"one": {}})
    for mode, tool, words, values, sets_values in steps:
        is_new = node.data.get("mode", "detailed") != mode
        node = switch_mode(
            node,
            mode,
            now=NOW,
            tool=None if mode == "fullNaturalLanguage" else tool,
            description=None if mode == "detailed" else words,
            available_tools=TOOLS if is_new and mode == "fullNaturalLanguage" else None,
        )
        if mode == "detailed":
            if tool.name in memory.values:
                assert node.data["parameterValues"] == memory.values[tool.name]
            if sets_values:
                node = a_node({**node.data, "parameterValues": values})
            found = node.data["parameterValues"]
            assert isinstance(found, dict)
            memory.values[tool.name] = found
        else:
            key = {"naturalLanguageParam": PARAM_CONFIG, "fullNaturalLanguage": TASK_CONFIG}[mode]
            config = node.data[key]
            assert isinstance(config, dict)
            if words is not None:
                memory.words[mode] = words
            word_key = "description" if key == PARAM_CONFIG else "taskDescription"
            assert config[word_key] == memory.words.get(mode, "")
        assert node.data["unknown"] == {"kept": True}
        codes = {p.code for p in check_mode(node, NOW) if p.severity == "error"}
        assert codes <= {"MCP_NL_DESC_EMPTY", "MCP_NL_DESC_TOO_SHORT"}
