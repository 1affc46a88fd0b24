"""Media in the results of tools: what a block says of itself, structured content, large ones."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from publishing.desk import MODES, Desk, Mode
from rest.drawn import drawn
from servers.offering import PIXEL, RESOURCES, an_offering_server
from toolweave.engine import run_media
from toolweave.engine.retention import Retention, prune
from toolweave.servers.definition import definition_hash
from toolweave.testing.server import ScriptedServer, a_tool, answers
from toolweave.tools.content_value import says_beside
from toolweave.tools.tool import Content, ToolResult

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
SMALL = base64.b64encode(PNG).decode()
ICON = {"src": "https://a.test/i.png", "mimeType": "image/png", "sizes": ["48x48"]}
NOTED: list[dict[str, Any]] = [
    {"type": "text", "text": "For people.", "annotations": {"audience": ["user"], "priority": 1.0}},
    {
        "type": "image",
        "data": SMALL,
        "mimeType": "image/png",
        "annotations": {"priority": 0.5, "lastModified": "2026-11-17T09:00:00Z"},
        "_meta": {"a.test/camera": {"lens": 50}},
    },
    {
        "type": "resource",
        "resource": {"uri": "file:///a.txt", "text": "a", "_meta": {"a.test/line": 3}},
        "annotations": {"audience": ["assistant"]},
        "_meta": {"a.test/outer": True},
    },
    {
        "type": "resource_link",
        "uri": "https://a.test/c.pdf",
        "name": "c",
        "title": "The report",
        "size": 1234,
        "icons": [ICON],
        "annotations": {"audience": ["user"]},
        "_meta": {"a.test/pages": 12},
    },
]


async def published(desk: Desk, folder: Path, result: dict[str, Any], **tool: Any) -> None:
    """A workflow `draw` that ends with what a tool of a server answers."""
    server = ScriptedServer(folder, a_tool("draw", **tool))
    server.on_call("draw", *[[answers(result)]] * 4)
    await desk.home.registry.add("mine", server.definition)
    await desk.home.registry.approve("mine", definition_hash(server.definition))
    desk.home.lockfile.pin("mine", await desk.studio.gate.tools("mine"))
    call = {"serverId": "mine", "toolName": "draw", "mode": "detailed"}
    await desk.publish(drawn("draw", {"id": "t", "type": "mcp", "name": "T", "data": call}))


def as_json(result: types.CallToolResult) -> list[dict[str, Any]]:
    return [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in result.content]


def an_image(data: bytes) -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/png"}


@pytest.mark.parametrize("mode", MODES)
async def test_what_a_block_says_of_itself_reaches_the_caller(
    desk: Desk, mode: Mode, tmp_path: Path
) -> None:
    await published(desk, tmp_path / "s", {"content": NOTED})
    async with desk.client(mode) as client:
        answer = await client.call_tool("draw", {})
    assert as_json(answer) == NOTED
    # The bytes are sent once, not as base64 to read, too.
    assert answer.structured_content is not None
    image = answer.structured_content["content"][1]
    assert (image["type"], image["bytes"], "data" in image) == ("image", len(PNG), False)


async def test_the_bytes_are_sent_once_also_beside_a_text_that_is_very_long(
    desk: Desk, tmp_path: Path
) -> None:
    content = [{"type": "text", "text": "x" * 20_000}, an_image(PNG)]
    await published(desk, tmp_path / "s", {"content": content})
    async with desk.client() as client:
        answer = await client.call_tool("draw", {})
    assert as_json(answer) == content
    assert "data" not in answer.structured_content["content"][1]


async def test_an_invalid_remark_is_dropped_and_the_block_kept(desk: Desk, tmp_path: Path) -> None:
    wrong: dict[str, Any] = {
        **an_image(PNG),
        "annotations": {"audience": ["root"], "priority": 7, "lastModified": 3},
        "_meta": {"a": "x" * 20_000},
    }
    link = {"type": "resource_link", "uri": "a:b", "name": "b"}
    bad_link = {**link, "size": -1, "icons": [{"src": "javascript:alert(1)"}, "no"]}
    await published(desk, tmp_path / "s", {"content": [wrong, bad_link]})
    async with desk.client() as client:
        assert as_json(await client.call_tool("draw", {})) == [an_image(PNG), link]


@pytest.mark.parametrize("mode", MODES)
async def test_structured_content_text_and_media_are_all_kept(
    desk: Desk, mode: Mode, tmp_path: Path
) -> None:
    data, beside = {"celsius": 3}, [{"type": "text", "text": "It is cold."}, an_image(PNG)]
    schema = {"type": "object", "properties": {"celsius": {"type": "integer"}}}
    result = {"content": beside, "structuredContent": data}
    await published(desk, tmp_path / "s", result, outputSchema=schema)
    async with desk.client(mode) as client:
        answer = await client.call_tool("draw", {})
    assert as_json(answer) == beside
    assert answer.structured_content == data


async def test_text_that_repeats_the_structured_content_is_not_added(
    desk: Desk, tmp_path: Path
) -> None:
    text = {"type": "text", "text": '{"celsius": 3}'}
    await published(desk, tmp_path / "s", {"content": [text], "structuredContent": {"celsius": 3}})
    async with desk.client() as client:
        run = (await client.call_tool("draw", {})).meta["toolweave/run"]  # type: ignore[index]
        found = await client.call_tool("run_result", {"run_id": run})
    assert found.structured_content["finalResult"] == {"celsius": 3}


@pytest.mark.parametrize("mode", MODES)
async def test_large_media_is_a_link_that_the_caller_can_read(
    desk: Desk, mode: Mode, tmp_path: Path
) -> None:
    picture, sound = PNG + bytes(6 * MIB), b"RIFF" + bytes(5 * MIB)
    audio = {**an_image(sound), "type": "audio", "mimeType": "audio/wav"}
    small = an_image(PNG)
    await published(desk, tmp_path / "s", {"content": [an_image(picture), audio, small]})
    async with desk.client(mode) as client:
        shown, played, last = as_json(await client.call_tool("draw", {}))
        assert last == small  # the control: a small one stays where it is
        for link, data, kind in ((shown, picture, "image/png"), (played, sound, "audio/wav")):
            assert (link["type"], link["mimeType"], link["size"]) == (
                *("resource_link", kind, len(data)),
            )
            (read,) = (await client.read_resource(link["uri"])).contents
            assert isinstance(read, types.BlobResourceContents)
            assert (read.mime_type, base64.b64decode(read.blob) == data) == (kind, True)
        digest = hashlib.sha256(picture).hexdigest()
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource(shown["uri"].replace(digest, "0" * 64))
    await prune(desk.home.database, Retention(days=None, runs=0), desk.home.clock.now())
    assert await desk.home.database.rows("SELECT run FROM media") == []


async def test_a_run_with_too_much_media_fails_with_the_limit(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_media, "MAX_RUN_BYTES", 9 * MIB)
    parts = [an_image(PNG + bytes([n]) + bytes(5 * MIB)) for n in range(2)]
    await published(desk, tmp_path / "s", {"content": parts})
    async with desk.client() as client:
        answer = await client.call_tool("draw", {})
    assert answer.is_error
    assert answer.structured_content["error"]["code"] == "MEDIA_LIMIT"


SAID: dict[str, Any] = {
    "content": [{"type": "text", "text": "It will rain.", "annotations": {"priority": 1.0}}],
    "structuredContent": {"degrees": 7},
}


@pytest.mark.parametrize("mode", MODES)
async def test_the_text_beside_structured_content_is_passed_on(
    desk: Desk, tmp_path: Path, mode: Mode
) -> None:
    await published(desk, tmp_path, SAID)
    async with desk.client(mode) as client:
        answer = await client.call_tool("draw", {})
        assert answer.structured_content == {"degrees": 7}
        [text] = answer.content
        assert isinstance(text, types.TextContent)
        assert (text.text, text.annotations and text.annotations.priority) == ("It will rain.", 1.0)
        assert answer.meta is not None
        told = await client.call_tool("run_result", {"run_id": answer.meta["toolweave/run"]})
    assert told.structured_content is not None
    assert told.structured_content["finalResult"] == {"degrees": 7}
    assert told.structured_content["finalContent"][0]["text"] == "It will rain."
    by_node = {one["nodeId"]: one for one in told.structured_content["intermediateResults"]}
    assert by_node["t"]["output"] == {"degrees": 7}
    assert by_node["t"]["content"][0]["text"] == "It will rain."


@pytest.mark.parametrize(
    ("structured", "texts", "is_kept"),
    [
        ({"a": 1}, ['{"a": 1}'], False),
        ({"result": "x"}, ["x"], False),
        ({"result": [1, 2]}, ["1", "2"], False),
        ({"result": ["a", "b"]}, ["a", "b"], False),
        ({"result": 7}, ["7"], False),
        ({"a": 1}, ['{"a": 2}'], True),
        ({"a": 1, "b": "x"}, ["x"], True),
        ({"a": 1}, [], False),
    ],
)
def test_text_that_repeats_structured_content_is_not_kept_twice(
    structured: dict[str, Any], texts: list[str], is_kept: bool
) -> None:
    result = ToolResult(tuple(Content("text", text=one) for one in texts), structured)
    assert says_beside(result) is is_kept


@pytest.mark.parametrize("mode", MODES)
async def test_large_text_beside_structured_content_is_a_link(
    desk: Desk, tmp_path: Path, mode: Mode
) -> None:
    text = "A long report.\n" * (5 * MIB // 15)
    result = {"content": [{"type": "text", "text": text}], "structuredContent": {"degrees": 7}}
    await published(desk, tmp_path, result)
    async with desk.client(mode) as client:
        answer = await client.call_tool("draw", {})
        assert answer.structured_content == {"degrees": 7}
        [link] = answer.content
        assert isinstance(link, types.ResourceLink)
        assert (link.mime_type, link.size) == ("text/plain", len(text))
        [read] = (await client.read_resource(link.uri)).contents
    assert isinstance(read, types.BlobResourceContents)
    assert base64.b64decode(read.blob).decode() == text


@pytest.mark.parametrize("mode", MODES)
async def test_a_resource_that_a_workflow_reads_stays_one(
    desk: Desk, tmp_path: Path, mode: Mode
) -> None:
    large = base64.b64encode(PNG + bytes(5 * MIB)).decode()
    part = {"uri": "notes://large", "mimeType": "image/png", "blob": large}
    held = [*RESOURCES, {"uri": "notes://large", "name": "large", "contents": [part]}]
    server = an_offering_server(tmp_path / "s", resources=held)
    await desk.home.registry.add("notes", server.definition)
    await desk.home.registry.approve("notes", definition_hash(server.definition))
    for name in ("today", "logo", "large"):
        uri = {"server": "notes", "uri": f"notes://{name}", "max_bytes": 16 * MIB}
        data = {"subtype": "RESOURCE", "configurations": uri}
        await desk.publish(drawn(name, {"id": "r", "type": "MCP", "name": "R", "data": data}))
    async with desk.client(mode) as client:
        text = (await client.call_tool("today", {})).structured_content
        [image] = (answer := await client.call_tool("logo", {})).content
        [link] = (await client.call_tool("large", {})).content
    assert text is not None
    assert text["text"] == "Buy bread."
    assert isinstance(image, types.EmbeddedResource)
    assert image.resource == types.BlobResourceContents(
        uri="notes://logo", mime_type="image/png", blob=PIXEL
    )
    assert PIXEL not in str(answer.structured_content)  # its bytes are sent once
    assert isinstance(link, types.ResourceLink)
    assert (link.name, link.size) == ("notes://large", 5 * MIB + len(PNG))


async def test_the_text_of_a_called_workflow_is_passed_on(desk: Desk, tmp_path: Path) -> None:
    await published(desk, tmp_path, SAID)
    call: dict[str, Any] = {
        "configurations": {"workflow": "draw", "output": "result"},
        "inputParams": {"data": {}},
    }
    node = {"id": "sub", "type": "FLOW", "name": "S", "data": {"subtype": "SUBWORKFLOW", **call}}
    await desk.publish(drawn("calls-draw", node))
    async with desk.client() as client:
        answer = await client.call_tool("calls_draw", {})
    assert answer.structured_content == {"degrees": 7}
    assert [getattr(one, "text", None) for one in answer.content] == ["It will rain."]
