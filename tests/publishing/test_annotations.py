"""What a published tool declares about its effects, and the names it keeps."""

import base64
import struct
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from publishing.desk import MODES, Desk, Mode
from rest.drawn import asking_mcp, drawn, greeting, pausing
from toolweave import json_text
from toolweave.publishing.service import unpublish
from toolweave.publishing.tool_annotations import annotations_of
from toolweave.publishing.tool_icon import FAMILIES, family_of, icon
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import convert, read

pytestmark = pytest.mark.anyio

UNKNOWN = (False, True, False, True)
NOTHING = (True, False, True, False)
READS = (True, False, True, True)


def step(kind: str, subtype: str, **settings: Any) -> dict[str, Any]:
    data = {"subtype": subtype, "configurations": settings}
    return drawn("w", {"id": "a", "type": kind, "name": "A", "data": data})


def hints(annotations: dict[str, Any]) -> tuple[bool, ...]:
    names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    return tuple(annotations[name] for name in names)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (greeting(), NOTHING),
        (pausing(), NOTHING),
        (step("ACTION", "HTTP_REQUEST", method="GET", url="https://a.example"), READS),
        (step("ACTION", "HTTP_REQUEST", url="https://a.example"), READS),
        (step("ACTION", "HTTP_REQUEST", method="POST", url="https://a.example"), UNKNOWN),
        (step("ACTION", "HTTP_REQUEST", method="{{ trigger.m }}"), UNKNOWN),
        (step("ACTION", "WEB_SEARCH"), READS),
        (step("ACTION", "FILE_READ"), NOTHING),
        (step("ACTION", "FILE_WRITE"), UNKNOWN),
        (step("ACTION", "RUN_COMMAND"), UNKNOWN),
        (step("FLOW", "SUBWORKFLOW"), UNKNOWN),
        (step("FLOW", "NO_SUCH"), UNKNOWN),
        (step("HUMAN_IN_THE_LOOP", "FORM"), (False, False, False, True)),
        (asking_mcp("nowhere", "echo"), UNKNOWN),
    ],
)
async def test_the_worst_node_decides(
    desk: Desk, document: dict[str, Any], expected: tuple[bool, ...]
) -> None:
    known = await desk.studio.authoring.tools.known()
    assert hints(annotations_of(read(document).workflow, known)) == expected


@pytest.mark.parametrize(
    ("document", "family"),
    [
        (greeting(), "prompt"),
        (drawn("w"), "flow"),
        (pausing(), "prompt"),
        (asking_mcp("nowhere", "echo"), "mcp"),
        (step("ACTION", "HTTP_REQUEST"), "action"),
        (step("AI_AGENT", "EXTRACT"), "ai"),
    ],
)
def test_the_most_telling_node_is_the_icon(document: dict[str, Any], family: str) -> None:
    text = json_text.write(convert(read(document).workflow, "toolweave"))
    assert family_of(text) == family


@pytest.mark.parametrize("family", FAMILIES)
def test_every_icon_is_a_small_picture(family: str) -> None:
    entry = icon(family)
    kind, _, data = str(entry["src"]).partition(",")
    picture = base64.b64decode(data)
    assert kind == "data:image/png;base64"
    assert picture.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", picture[16:24]) == (48, 48)
    assert len(picture) <= 1_500


@pytest.mark.parametrize("mode", MODES)
async def test_a_published_tool_has_a_title_an_icon_and_hints(desk: Desk, mode: Mode) -> None:
    await desk.publish(greeting("Say hello"))
    async with desk.client(mode) as client:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "say_hello"]
    assert tool.title == "Say hello"
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is True
    (shown,) = tool.icons or []
    assert shown.model_dump(by_alias=True, exclude_none=True) == icon("prompt")


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"readOnlyHint": True, "openWorldHint": False}, NOTHING),
        ({"readOnlyHint": True, "destructiveHint": True}, READS),
        ({"destructiveHint": False, "idempotentHint": True}, (False, False, True, True)),
        ({"readOnlyHint": "yes"}, UNKNOWN),
        (None, UNKNOWN),
    ],
)
async def test_a_call_has_the_hints_of_its_tool(
    desk: Desk, declared: dict[str, Any] | None, expected: tuple[bool, ...]
) -> None:
    raw: dict[str, Any] = {"name": "echo", "inputSchema": {"type": "object"}}
    tool = read_tool("box", raw if declared is None else raw | {"annotations": declared})
    here = await desk.studio.authoring.tools.known()
    known = KnownEnvironment(here.catalog, here.now, lambda server: [tool])
    assert hints(annotations_of(read(asking_mcp()).workflow, known)) == expected
    free = asking_mcp()
    free["nodes"][1]["data"]["mode"] = "fullNaturalLanguage"
    assert hints(annotations_of(read(free).workflow, known)) == UNKNOWN


@pytest.mark.parametrize("mode", MODES)
async def test_a_new_name_keeps_the_old_one_until_it_is_removed(desk: Desk, mode: Mode) -> None:
    await desk.publish(greeting(), tool="hello")
    async with desk.client(mode) as client:

        async def names() -> list[str]:
            tools = [one for one in (await client.list_tools()).tools if one.title == "greet"]
            for tool in tools:
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is True
                assert tool.annotations.open_world_hint is False
                called = await client.call_tool(tool.name, {"who": "Ada"})
                assert called.structured_content is not None
                assert "Hello, Ada!" in str(called.structured_content)
            return [tool.name for tool in tools]

        assert await names() == ["hello"]
        made = await client.call_tool("publish_workflow", {"name": "greet", "tool": "welcome"})
        assert made.structured_content is not None
        assert made.structured_content["alsoPublishedAs"] == ["hello"]
        assert await names() == ["hello", "welcome"]
        # Without a name it is published again under both; `welcome` is the current one.
        assert (await desk.publish_again("greet")).tool == "welcome"
        assert await names() == ["hello", "welcome"]
        assert [one.tool for one in await unpublish(desk.home, "welcome")] == ["welcome"]
        assert await names() == ["hello"]
        assert (await desk.publish_again("greet")).tool == "hello"
        await desk.publish_again("greet", tool="welcome")
        await desk.publish_again("greet", tool="hi", only=True)
        assert await names() == ["hi"]
        with pytest.raises(MCPError, match="no tool 'hello'"):
            await client.call_tool("hello", {"who": "Ada"})
