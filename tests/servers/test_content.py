"""Raw answers of `tools/call` as results, also those nobody should send."""

import base64
from typing import Any

import pytest

from toolweave.json_text import write
from toolweave.servers.content import MAX_BLOCKS, MAX_PROBLEMS, read_result
from toolweave.tools.tool import Content

PNG = base64.b64encode(b"\x89PNG").decode()


def blocks(*content: Any) -> dict[str, Any]:
    return {"content": list(content)}


def test_every_kind_of_block_is_read() -> None:
    result = read_result(
        blocks(
            {"type": "text", "text": "hello"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "audio", "data": PNG, "mimeType": "audio/wav"},
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "An a",
                "mimeType": "text/css",
            },
            {"type": "resource", "resource": {"uri": "file:///b", "text": "body"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": PNG, "mimeType": "x/y"}},
        ),
        "server",
    )
    assert result.content == (
        Content("text", text="hello"),
        Content("image", data=b"\x89PNG", mime_type="image/png"),
        Content("audio", data=b"\x89PNG", mime_type="audio/wav"),
        Content(
            "link", uri="file:///a", mime_type="text/css", name="a", title="A", description="An a"
        ),
        Content("resource", text="body", uri="file:///b"),
        Content("resource", data=b"\x89PNG", uri="file:///c", mime_type="x/y"),
    )
    assert (result.problems, result.is_error, result.structured) == ((), False, None)


@pytest.mark.parametrize(
    "block",
    [
        None,
        7,
        "text",
        [],
        {},
        {"type": "hologram"},
        {"type": "text"},
        {"type": "text", "text": 7},
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "image", "data": 7, "mimeType": "image/png"},
        {"type": "image", "data": PNG},
        {"type": "image", "data": PNG, "mimeType": {}},
        {"type": "resource"},
        {"type": "resource", "resource": "file:///a"},
        {"type": "resource", "resource": ["file:///a"]},
        {"type": "resource", "resource": {"uri": "file:///a"}},
        {"type": "resource", "resource": {"uri": 7, "text": "x"}},
    ],
    ids=str,
)
def test_a_block_that_cannot_be_read_is_a_problem_and_hides_no_other(block: object) -> None:
    result = read_result(blocks({"type": "text", "text": "good"}, block), "server")
    assert [content.text for content in result.content] == ["good"]
    (problem,) = result.problems
    assert (problem.code, problem.pointer) == ("MCP_OUTPUT_INVALID", "/content/1")
    assert problem.severity == "warning"


def test_a_wrong_type_of_a_media_type_is_left_out() -> None:
    result = read_result(
        blocks(
            {"type": "resource_link", "uri": "file:///a", "mimeType": 7},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "x", "mimeType": []}},
        ),
        "server",
    )
    assert [content.mime_type for content in result.content] == [None, None]


@pytest.mark.parametrize("raw", [{}, {"content": None}, {"content": "text"}, {"content": {}}])
def test_an_answer_without_content_is_a_problem_that_names_the_server(raw: dict[str, Any]) -> None:
    result = read_result(raw, "weather")
    assert result.content == ()
    assert [problem.pointer for problem in result.problems] == ["/content"]
    assert "'weather'" in result.problems[0].message


def test_a_flood_of_bad_blocks_is_a_few_problems() -> None:
    result = read_result(blocks(*[7] * 100_000), "server")
    assert result.content == ()
    assert len(result.problems) == MAX_PROBLEMS + 1
    assert result.problems[-1].pointer == "/content"


def test_more_blocks_than_anybody_reads_are_cut_and_told() -> None:
    result = read_result(blocks(*[{"type": "text", "text": ""}] * (MAX_BLOCKS + 1)), "server")
    assert len(result.content) == MAX_BLOCKS
    assert [problem.pointer for problem in result.problems] == ["/content"]


@pytest.mark.parametrize(
    ("value", "pointer"),
    [({"a": [1, 2**70]}, "/a/1"), ({"a": float("inf")}, "/a"), (float("nan"), "")],
)
def test_structured_content_that_could_not_be_passed_on_is_a_problem(
    value: object, pointer: str
) -> None:
    result = read_result(blocks() | {"structuredContent": value}, "server")
    assert result.structured is None
    assert [problem.pointer for problem in result.problems] == [f"/structuredContent{pointer}"]
    assert write(result.structured) == "null"


@pytest.mark.parametrize(
    ("meta", "tokens"),
    [
        ({"tokensUsed": 12}, 12),
        ({"tokensUsed": 0}, 0),
        ({"tokensUsed": -1}, None),
        ({"tokensUsed": True}, None),
        ({"tokensUsed": "12"}, None),
        ({}, None),
        ("nonsense", None),
    ],
)
def test_tokens_are_kept_when_the_tool_reports_them(meta: object, tokens: int | None) -> None:
    assert read_result(blocks() | {"_meta": meta}, "server").tokens_used == tokens


@pytest.mark.parametrize(("raw", "is_error"), [(True, True), (False, False), ("yes", False)])
def test_only_true_is_an_error_of_the_tool(raw: object, is_error: bool) -> None:
    assert read_result(blocks() | {"isError": raw}, "server").is_error is is_error
