"""From whatever a server sends to a `Tool`."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.tools.text import hidden_characters
from toolweave.tools.tool import Tool, tool_hash

ENTRY: JsonObject = {
    "name": "get_weather",
    "description": "Weather of a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "execution": {"taskSupport": "optional"},
}


def an_entry(changes: JsonObject) -> JsonObject:
    return ENTRY | changes


def found(tool: Tool) -> list[tuple[str, str, str]]:
    return [(p.severity, p.code, p.pointer) for p in tool.problems]


def test_a_good_entry_becomes_a_tool_with_everything_kept() -> None:
    tool = read_tool("weather", ENTRY)
    assert (tool.server, tool.name, tool.description) == (
        "weather",
        "get_weather",
        "Weather of a city.",
    )
    assert tool.input_schema is ENTRY["inputSchema"]
    assert tool.output_schema is ENTRY["outputSchema"]
    assert tool.raw is ENTRY
    assert [parameter.name for parameter in tool.parameters] == ["city"]
    assert tool.problems == ()


@pytest.mark.parametrize("entry", [None, [], "tool", 3, True])
def test_what_is_no_object_is_an_unusable_tool(entry: Json) -> None:
    tool = read_tool("server", entry)
    assert found(tool) == [("error", "MCP_TOOL_SCHEMA_INVALID", "")]
    assert (tool.name, tool.raw) == ("", {"name": ""})


@pytest.mark.parametrize("name", [None, "", 3, []])
def test_a_tool_without_a_name_is_unusable(name: Json) -> None:
    tool = read_tool("server", an_entry({"name": name}))
    assert found(tool) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/name")]


@pytest.mark.parametrize("schema", [None, [], "object", True])
def test_an_input_schema_that_is_no_object_makes_it_unusable(schema: Json) -> None:
    tool = read_tool("server", an_entry({"inputSchema": schema}))
    assert found(tool) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/inputSchema")]
    assert (tool.input_schema, tool.parameters) == ({}, ())


def test_an_input_schema_of_another_type_makes_it_unusable() -> None:
    tool = read_tool("server", an_entry({"inputSchema": {"type": "string"}}))
    assert found(tool) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/inputSchema/type")]


def test_a_flaw_in_the_input_schema_is_named_by_its_place_in_the_entry() -> None:
    tool = read_tool(
        "server", an_entry({"inputSchema": {"properties": {"a": {"type": "x"}, "b": {}}}})
    )
    assert found(tool) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/inputSchema/properties/a/type")]
    assert [parameter.name for parameter in tool.parameters] == ["a", "b"]


@pytest.mark.parametrize("schema", [{"type": "x"}, 3, {"$ref": "https://example.com"}])
def test_a_flaw_in_the_output_schema_is_only_a_warning(schema: Json) -> None:
    tool = read_tool("server", an_entry({"outputSchema": schema}))
    assert tool.is_usable
    assert [severity for severity, _, _ in found(tool)] == ["warning"]
    assert found(tool)[0][2].startswith("/outputSchema")


def test_no_output_schema_may_be_said_with_null() -> None:
    tool = read_tool("server", an_entry({"outputSchema": None}))
    assert (tool.output_schema, tool.problems) == (None, ())


def test_a_description_that_is_no_text_is_a_warning() -> None:
    tool = read_tool("server", an_entry({"description": ["text"]}))
    assert found(tool) == [("warning", "MCP_TOOL_SCHEMA_INVALID", "/description")]
    assert tool.description == ""


def test_a_missing_description_is_no_problem() -> None:
    entry = {key: value for key, value in ENTRY.items() if key != "description"}
    tool = read_tool("server", entry)
    assert (tool.description, tool.problems) == ("", ())


def test_a_very_long_description_is_a_warning_and_kept() -> None:
    tool = read_tool("server", an_entry({"description": "x" * 1025}))
    assert found(tool) == [("warning", "MCP_TOOL_LIMIT_EXCEEDED", "/description")]
    assert len(tool.description) == 1025


@pytest.mark.parametrize("text", ["\ud800", "x" * 2_000_000])
def test_a_definition_that_cannot_be_kept_is_reduced_to_its_name(text: str) -> None:
    tool = read_tool("server", an_entry({"description": text}))
    assert not tool.is_usable
    assert tool.raw == {"name": "get_weather"}
    assert len(tool_hash(tool)) == 64


@pytest.mark.parametrize(
    "hidden",
    [
        "\u202e",
        "\u200b",
        "\u2066",
        "\x00",
        "\x1b",
        "\u00ad",
        "\ufeff",
        "\u2060",
        "\U000e0041",
        "\ue000",
        "a\u200db",
        "\ufe00",
    ],
)
def test_a_hidden_character_is_flagged_and_the_text_kept(hidden: str) -> None:
    text = f"Reads a file.{hidden} Then more."
    tool = read_tool("server", an_entry({"description": text}))
    assert found(tool) == [("warning", "TOOL_TEXT_SUSPICIOUS", "/description")]
    assert tool.description == text
    assert tool.is_usable


def test_hidden_characters_are_found_wherever_they_are() -> None:
    schema: Json = {
        "properties": {
            "a\u200b": {"description": "x\u202e", "enum": ["ok", "b\u200b"]},
        }
    }
    tool = read_tool("server", an_entry({"name": "t\u200b", "inputSchema": schema}))
    assert {pointer for _, code, pointer in found(tool) if code == "TOOL_TEXT_SUSPICIOUS"} == {
        "/name",
        "/inputSchema/properties/a\u200b",
        "/inputSchema/properties/a\u200b/description",
        "/inputSchema/properties/a\u200b/enum/1",
    }


def test_thousands_of_hidden_characters_are_a_few_problems() -> None:
    hidden: JsonObject = {str(number): "\u200b" for number in range(500)}
    entry = an_entry({"description": "\u200b" * 1000, "_meta": hidden})
    assert len(read_tool("server", entry).problems) == 20


@pytest.mark.parametrize(
    "text",
    ["plain\ttext\r\n", "日本語 ünï", "👩\u200d💻 ❤\ufe0f\u200d🔥 ⚠\ufe0f", "→ • … “quoted”"],
)
def test_ordinary_text_of_any_language_hides_nothing(text: str) -> None:
    assert hidden_characters(text) == []


def test_hidden_characters_are_named_once_each() -> None:
    assert hidden_characters("a\u202eb\u202ec\x07") == [
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "U+0007 unnamed",
    ]


def test_one_bad_tool_leaves_the_others_alone() -> None:
    entries: list[Json] = [ENTRY, {"name": "bad"}, ENTRY]
    tools = [read_tool("server", entry) for entry in entries]
    assert [tool.is_usable for tool in tools] == [True, False, True]
