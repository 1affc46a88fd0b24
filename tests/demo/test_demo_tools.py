"""Each tool of the demo server, through every door."""

import base64
import json
import struct
import zlib
from typing import Any

import anyio
import jsonschema_rs
import pytest
from mcp import Client, MCPError, types

from demo.doors import Door
from toolweave.tools.read_tool import read_tool

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("demo")]

ORDER: dict[str, Any] = {
    "customer": {"name": "Ada", "address": {"street": "1 Mill", "city": "Bath", "country": "GB"}},
    "items": [
        {"sku": "AB-1234", "quantity": 3, "unit_price": 0.1, "options": {"colour": "red"}},
        {"sku": "CD-5678", "unit_price": 2.5},
    ],
    "payment": {"method": "invoice", "reference": "PO-7"},
    "labels": {"gift": True, "shelf": 12},
}


async def call(client: Client, name: str, /, **arguments: Any) -> types.CallToolResult:
    with anyio.fail_after(60):
        return await client.call_tool(name, arguments)


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


async def good(client: Client, name: str, /, **arguments: Any) -> types.CallToolResult:
    result = await call(client, name, **arguments)
    assert not result.is_error, text_of(result)
    return result


async def test_each_era_negotiates_its_version(client: Client, door: Door) -> None:
    assert client.protocol_version == ("2026-07-28" if door.mode == "auto" else "2025-11-25")
    assert client.server_info is not None
    assert client.server_info.name == "toolweave-demo"


async def test_every_tool_is_described_and_its_schemas_compile(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [
        *("echo", "greet", "word_count", "markdown_report", "fail", "add", "summarize_numbers"),
        *("make_order", "weather", "draw", "countdown", "slow", "ask"),
        *("remember", "recall", "counter"),
    ]
    for tool in tools:
        assert tool.description is not None
        assert tool.description.endswith(".")
        for schema in (tool.input_schema, tool.output_schema or {"type": "object"}):
            assert schema["type"] == "object"
            jsonschema_rs.meta.validate(schema)


async def test_our_own_reader_finds_nothing_wrong_with_any_tool(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        raw = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
        assert read_tool("demo", raw).problems == ()


async def test_annotations_tell_effects_from_reads(client: Client) -> None:
    hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    writing = {name for name, hint in hints.items() if hint and hint.read_only_hint is False}
    assert writing == {"remember", "counter"}
    remember, counter = hints["remember"], hints["counter"]
    assert remember is not None
    assert (remember.destructive_hint, remember.idempotent_hint) == (True, True)
    assert counter is not None
    assert (counter.destructive_hint, counter.idempotent_hint) == (False, False)


async def test_echo_returns_the_text_unchanged(client: Client) -> None:
    text = "tabs\tand\nlines, ünï 🙂"
    assert text_of(await good(client, "echo", text=text)) == text


async def test_add_returns_the_sum_structured_and_as_text(client: Client) -> None:
    result = await good(client, "add", a=1.5, b=2)
    assert result.structured_content == {"sum": 3.5}
    assert text_of(result) == "3.5"


async def test_add_of_too_large_numbers_is_a_tool_error(client: Client) -> None:
    result = await call(client, "add", a=1.7e308, b=1.7e308)
    assert result.is_error
    assert "too large" in text_of(result)


async def test_greet_speaks_english_unless_told_otherwise(client: Client) -> None:
    assert text_of(await good(client, "greet", name="Ada")) == "Hello, Ada!"
    assert text_of(await good(client, "greet", name="{}", language="de")) == "Hallo, {}!"


async def test_word_count_ranks_words_by_frequency_then_alphabet(client: Client) -> None:
    result = await good(client, "word_count", text="b a B\nc a", top=2)
    assert result.structured_content == {
        "words": 5,
        "lines": 2,
        "characters": 9,
        "most_frequent": [{"word": "a", "count": 2}, {"word": "b", "count": 2}],
    }


async def test_summarize_numbers_gives_all_six_figures(client: Client) -> None:
    result = await good(client, "summarize_numbers", numbers=[4, 1, 1, 10])
    assert result.structured_content == {
        "count": 4,
        "sum": 16,
        "minimum": 1,
        "maximum": 10,
        "mean": 4,
        "median": 2.5,
    }


async def test_summarize_numbers_whose_sum_overflows_is_a_tool_error(client: Client) -> None:
    result = await call(client, "summarize_numbers", numbers=[1.7e308, 1.7e308])
    assert result.is_error


async def test_make_order_prices_in_cents_and_keeps_the_unions_and_maps(client: Client) -> None:
    result = await good(client, "make_order", **ORDER)
    order = result.structured_content
    assert order == {
        "order_id": order["order_id"],
        "status": "quoted",
        "customer": "Ada",
        "ship_to": "1 Mill, Bath, GB",
        "lines": [
            {"sku": "AB-1234", "quantity": 3, "total": 0.3},
            {"sku": "CD-5678", "quantity": 1, "total": 2.5},
        ],
        "total": 2.8,
        "currency": "EUR",
        "payment": {"method": "invoice", "reference": "PO-7", "due_in_days": 30},
        "priority": "normal",
        "note": None,
        "labels": {"gift": True, "shelf": 12},
    }
    assert json.loads(text_of(result)) == order
    again = await good(client, "make_order", **ORDER)
    assert again.structured_content["order_id"] == order["order_id"]
    other = await good(client, "make_order", **ORDER | {"note": "ring twice"})
    assert other.structured_content["order_id"] != order["order_id"]


async def test_make_order_refuses_what_no_variant_of_the_union_allows(client: Client) -> None:
    result = await call(client, "make_order", **ORDER | {"payment": {"method": "barter"}})
    assert result.is_error
    assert "/payment" in text_of(result)


async def test_weather_is_the_same_for_the_same_city_and_says_it_is_made_up(
    client: Client,
) -> None:
    result = await good(client, "weather", city="Bath", days=14)
    forecast = result.structured_content
    assert forecast["made_up"] is True
    assert [day["day"] for day in forecast["days"]] == list(range(1, 15))
    assert all(day["low_c"] < day["high_c"] for day in forecast["days"])
    assert "(made up)" in text_of(result)
    again = await good(client, "weather", city="BATH", days=14)
    assert again.structured_content["days"] == forecast["days"]
    other = await good(client, "weather", city="Oslo", days=14)
    assert other.structured_content["days"] != forecast["days"]


async def test_draw_returns_a_png_of_the_size_and_colour_asked_for(client: Client) -> None:
    result = await good(client, "draw", width=3, height=2, color="#FF8000")
    (image,) = result.content
    assert isinstance(image, types.ImageContent)
    assert image.mime_type == "image/png"
    assert pixels(base64.b64decode(image.data)) == [[(255, 128, 0)] * 3] * 2


async def test_draw_of_an_ellipse_leaves_the_corners_white(client: Client) -> None:
    result = await good(client, "draw", width=9, height=7, color="#000000", shape="ellipse")
    (image,) = result.content
    assert isinstance(image, types.ImageContent)
    rows = pixels(base64.b64decode(image.data))
    assert rows[0][0] == rows[-1][-1] == (255, 255, 255)
    assert rows[3][4] == rows[3][0] == (0, 0, 0)


def pixels(png: bytes) -> list[list[tuple[int, ...]]]:
    """A reader of its own, so that the writer is not compared with itself."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length) == (zlib.crc32(kind + data),)
        chunks[kind] = data
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour_type = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour_type) == (8, 2)
    raw = zlib.decompress(chunks[b"IDAT"])
    stride = 1 + 3 * width
    rows = [raw[y * stride : (y + 1) * stride] for y in range(height)]
    assert all(row[0] == 0 for row in rows)
    return [[tuple(row[x : x + 3]) for x in range(1, stride, 3)] for row in rows]


async def test_markdown_report_has_headings_text_and_bullets(client: Client) -> None:
    sections = [{"heading": "One", "text": "First.", "bullets": ["a", "b"]}, {"heading": "Two"}]
    result = await good(client, "markdown_report", title="Report", sections=sections)
    assert text_of(result) == "# Report\n\n## One\n\nFirst.\n\n- a\n- b\n\n## Two\n"


async def test_slow_answers_after_its_wait(client: Client) -> None:
    assert text_of(await good(client, "slow", seconds=0.01)) == "Waited 0.01 s."


async def test_fail_is_a_tool_error_with_the_message(client: Client) -> None:
    result = await call(client, "fail", message="no luck")
    assert result.is_error
    assert text_of(result) == "no luck"


async def test_what_is_remembered_is_recalled_and_replaced(client: Client, door: Door) -> None:
    key = f"note-{door.transport}-{door.mode}"
    await good(client, "remember", key=key, value="one")
    await good(client, "remember", key=key, value="two")
    assert text_of(await good(client, "recall", key=key)) == "two"


async def test_recall_of_a_misspelt_key_names_the_close_one(client: Client, door: Door) -> None:
    key = f"shopping-{door.transport}-{door.mode}"
    await good(client, "remember", key=key, value="milk")
    result = await call(client, "recall", key=key + "s")
    assert result.is_error
    assert f"did you mean '{key}'?" in text_of(result)


async def test_counter_counts_every_call_for_each_name(client: Client, door: Door) -> None:
    name = f"count-{door.transport}-{door.mode}"
    counts = [await good(client, "counter", name=name) for _ in range(3)]
    assert [result.structured_content["count"] for result in counts] == [1, 2, 3]
    other = await good(client, "counter", name=name + "-other")
    assert other.structured_content == {"name": name + "-other", "count": 1}


async def test_wrong_arguments_are_a_tool_error_that_names_every_fault(client: Client) -> None:
    result = await call(client, "add", a="1", c=2)
    assert result.is_error
    text = text_of(result)
    assert "/a" in text
    assert "'c'" in text
    assert "b" in text


async def test_an_unknown_tool_is_a_protocol_error_with_a_suggestion(client: Client) -> None:
    with pytest.raises(MCPError, match="did you mean 'echo'") as caught:
        await call(client, "ecko")
    assert caught.value.code == types.INVALID_PARAMS
