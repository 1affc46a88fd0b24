"""Tools and results as values: hashes, and how a result is shown."""

from dataclasses import fields, replace

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Content, TaskHandle, ToolCall, ToolResult, tool_hash

ENTRY: JsonObject = {
    "name": "a",
    "title": "A",
    "description": "d",
    "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}, "y": {}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}


def hash_of(entry: JsonObject, server: str = "server") -> str:
    return tool_hash(read_tool(server, entry))


def test_the_hash_does_not_depend_on_the_order_of_keys_or_the_server() -> None:
    turned = dict(reversed(ENTRY.items()))
    assert hash_of(turned, "other") == hash_of(ENTRY)
    assert len(hash_of(ENTRY)) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"name": "b"},
        {"description": "d "},
        {"inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}},
        {"outputSchema": {}},
        {"annotations": {"readOnlyHint": False}},
        {"annotations": None},
    ],
)
def test_every_word_a_person_approves_is_in_the_hash(change: JsonObject) -> None:
    assert hash_of(ENTRY | change) != hash_of(ENTRY)


def test_what_is_not_approved_is_not_in_the_hash() -> None:
    other: JsonObject = {"title": "B", "_meta": {"x": 1}}
    assert hash_of(ENTRY | other) == hash_of(ENTRY)


def test_a_missing_part_is_not_the_same_as_null() -> None:
    without = {key: value for key, value in ENTRY.items() if key != "outputSchema"}
    assert hash_of(without) != hash_of(ENTRY | {"outputSchema": None})


def text(content: str, mime_type: str | None = None) -> Content:
    return Content("text", text=content, mime_type=mime_type)


IMAGE = Content("image", data=b"png", mime_type="image/png")


@pytest.mark.parametrize(
    ("content", "structured", "expected"),
    [
        ((), None, "text"),
        ((text("plain words"),), None, "text"),
        ((text("42"),), None, "text"),
        ((text("{broken"),), None, "text"),
        ((text(' {"a": 1}'),), None, "json"),
        ((text("[1, 2]"),), None, "json"),
        ((text("words"),), {"a": 1}, "json"),
        ((text("# Title\n\nWords"),), None, "markdown"),
        ((text("- one\n- two"),), None, "markdown"),
        ((text("see [here](https://example.com)"),), None, "markdown"),
        ((text("```\ncode\n```"),), None, "markdown"),
        ((text("plain", "text/markdown"),), None, "markdown"),
        ((text("caption"), IMAGE), {"a": 1}, "image"),
    ],
)
def test_a_result_is_shown_as_the_richest_thing_in_it(
    content: tuple[Content, ...], structured: Json, expected: str
) -> None:
    assert ToolResult(content, structured=structured).content_type == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (ToolResult(()), "inline"),
        (ToolResult((text("a line"),)), "inline"),
        (ToolResult((text("x" * 121),)), "block"),
        (ToolResult((text("two\nlines"),)), "block"),
        (ToolResult((text("{}"),)), "block"),
        (ToolResult((), structured={"a": 1}), "block"),
        (ToolResult((), structured={"a": "x" * 2_000}), "collapsed"),
        (ToolResult((text("x" * 2_001),)), "collapsed"),
        (ToolResult((text("\n" * 40),)), "collapsed"),
        (ToolResult((IMAGE,)), "block"),
    ],
)
def test_a_result_takes_the_room_it_needs(result: ToolResult, expected: str) -> None:
    assert result.display == expected


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "hostile", ["[" * 5_000_000, "|" * 5_000_000, "{" * 2_000_000, "*" * 5_000_000]
)
def test_hostile_text_is_classified_at_once(hostile: str) -> None:
    assert ToolResult((text(hostile),)).content_type == "text"


def test_text_blocks_are_one_text() -> None:
    assert ToolResult((text("a"), IMAGE, text("b"))).text == "a\nb"


def test_every_call_has_an_id_of_its_own() -> None:
    assert ToolCall("s", "t").id != ToolCall("s", "t").id


def test_measured_result_keeps_everything_but_time_and_problems() -> None:
    problem = Problem("MCP_OUTPUT_INVALID", "/x", "wrong")
    whole = ToolResult(
        (Content("text", text="a"),),
        {"a": 1},
        is_error=True,
        took_ms=1.0,
        tokens_used=7,
        problems=(),
        task=TaskHandle("t", 1.0),
    )
    unlike = ToolResult(())
    # Each field differs from its default, so that none that is left out goes unnoticed.
    others = [one.name for one in fields(ToolResult) if one.name != "problems"]
    assert all(getattr(whole, name) != getattr(unlike, name) for name in others)
    assert whole.measured(2.5, (problem,)) == replace(whole, took_ms=2.5, problems=(problem,))
