"""The knowledge tools as clients see them: names, steering texts, schemas, and their size."""

import pytest
from tests.catalog.builders import our_knowledge

from toolweave.catalog.budget import tokens
from toolweave.catalog.spec import NODE_TYPES
from toolweave.catalog.tool_definitions import EXAMPLES, GUIDANCE, QUESTIONS, TAGS, listed, strict
from toolweave.catalog.tool_service import ask
from toolweave.json_text import Json, JsonObject
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool

TOOLS = {str(question["name"]): read_tool("toolweave", strict(question)) for question in QUESTIONS}


def properties_of(tool: Tool) -> JsonObject:
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    return properties


def test_the_three_tools_list_in_a_thousand_tokens() -> None:
    assert [entry["name"] for entry in listed()] == [
        *("get_node_types", "get_node_details", "search_nodes")
    ]
    assert tokens({"tools": list[Json](listed())}) <= 1_000


def test_every_tool_says_that_it_only_reads() -> None:
    for entry in listed():
        assert entry["annotations"] == {"readOnlyHint": True, "openWorldHint": False}


def test_every_definition_is_sound() -> None:
    for tool in TOOLS.values():
        assert tool.problems == ()
        assert tool.input_schema["additionalProperties"] is False


def test_get_node_types_says_the_seeds_words() -> None:
    text = TOOLS["get_node_types"].description
    assert text.startswith("Get all available workflow node types and their subtypes")
    assert text.endswith(
        "🎯 IMPORTANT: HUMAN_IN_THE_LOOP nodes have built-in AI response analysis - DO NOT create "
        "separate IF or AI_AGENT nodes for HIL response classification."
    )


def test_get_node_details_says_the_seeds_words() -> None:
    text = TOOLS["get_node_details"].description
    assert text.startswith(
        "Get detailed specifications for workflow nodes including parameters, ports, and examples"
    )
    assert text.endswith(
        "🤖 KEY FEATURE: HUMAN_IN_THE_LOOP nodes include integrated AI response analysis with "
        "confirmed/rejected/unrelated/timeout output ports - eliminating need for separate "
        "IF/AI_AGENT nodes."
    )


def test_the_guidance_is_the_seeds() -> None:
    assert GUIDANCE == (
        "❌ ANTI-PATTERN: HIL → AI_AGENT → IF. "
        "✅ CORRECT: Single HIL node with built-in AI analysis."
    )


def test_the_filter_names_the_eight_types_but_leaves_spelling_to_us() -> None:
    shown = properties_of(read_tool("toolweave", listed()[0]))["type_filter"]
    assert isinstance(shown, dict)
    assert shown["enum"] == list(NODE_TYPES)
    assert check_arguments(TOOLS["get_node_types"], {"type_filter": "trigger"}) == []


def test_get_node_details_takes_what_the_seed_says() -> None:
    tool = TOOLS["get_node_details"]
    node: JsonObject = {"node_type": "FLOW", "subtype": "IF"}
    assert check_arguments(tool, {"nodes": [node]}) == []
    assert check_arguments(tool, {"nodes": [node], "include_examples": False}) == []
    properties = properties_of(tool)
    for name in ("include_examples", "include_schemas"):
        given = properties[name]
        assert isinstance(given, dict)
        assert (given["type"], given["default"]) == ("boolean", True)
    node_only: JsonObject = {"node_type": "FLOW"}
    wrong: list[JsonObject] = [
        {},
        {"nodes": []},
        {"nodes": node},
        {"nodes": ["FLOW.IF"]},
        {"nodes": [node_only]},
        {"nodes": list[Json]([node] * 201)},
        {"nodes": [node], "include_examples": "yes"},
        {"nodes": [node], "max_tokens": 49},
        {"nodes": [node], "max_tokens": 100_001},
        {"nodes": [node], "more": 1},
    ]
    assert all(check_arguments(tool, arguments) for arguments in wrong)


@pytest.mark.parametrize("name", list(TOOLS))
def test_every_usage_example_is_answered_as_declared(name: str) -> None:
    assert TAGS[name]
    for example in EXAMPLES[name]:
        assert check_arguments(TOOLS[name], example) == []
        answer = ask(our_knowledge(), name, example)
        assert check_output(TOOLS[name], answer) == []
        assert any(answer.values())
