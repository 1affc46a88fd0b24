"""Who may: keys that are limited to some published tools, over MCP and over REST."""

from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from rest.drawn import drawn, greeting, pausing
from rest.house import BASE, House, house_in
from rest.test_authorization import mcp_client
from rest.test_authorization import published as published_with_a_question
from rest.test_servers import approved
from toolweave.errors import Invalid
from toolweave.testing.server import ScriptedServer, a_tool, answers

pytestmark = pytest.mark.anyio

SCOPES = ["tools:read", "workflows:read", "workflows:run"]


async def put(house: House, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await house.client.put(f"/api/v1/{path}", json=body, headers=await house.key())
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def published(house: House) -> None:
    """Two tools; what one of them does is changed after it was published."""
    for name in ("greet", "pause"):
        document = greeting() if name == "greet" else pausing()
        await put(house, f"workflows/{name}", {"document": document})
        await put(house, f"published/{name}", {"description": f"Does {name}."})
    changed = greeting()
    changed["nodes"][1]["data"]["prompt"] = "Go away, {{who}}!"
    key = await house.key()
    kept = (await house.client.get("/api/v1/workflows/greet", headers=key)).json()
    await put(house, "workflows/greet", {"document": changed, "revision": kept["revision"]})


async def test_a_limited_key_sees_and_runs_its_tools_only(tmp_path: Any) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        _, text = await house.keys.create("limited", SCOPES, ["greet"])
        headers = {"X-API-Key": text}
        listed = (await house.client.get("/api/v1/published", headers=headers)).json()
        assert [one["tool"] for one in listed["published"]] == ["greet"]
        runs = "/api/v1/runs"
        started = {"workflow": "greet", "inputs": {"who": "Ada"}}
        made = await house.client.post(runs, json=started, headers=headers)
        assert made.status_code == 202, made.text
        for body in ({"workflow": "pause"}, {"workflow": "nope"}, {"document": greeting()}):
            refused = await house.client.post(runs, json=body, headers=headers)
            assert refused.status_code == (404 if "workflow" in body else 403), refused.text
        other = await house.client.post(
            runs, json={"workflow": "pause", "inputs": {"who": "x"}}, headers=await house.key()
        )
        path = f"{runs}/{other.json()['id']}/cancel"
        assert (await house.client.post(path, headers=headers)).status_code == 404
        assert (await house.client.post(path, headers=await house.key())).status_code == 202


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_mcp_the_key_decides_what_is_listed(tmp_path: Any, mode: Any) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        _, text = await house.keys.create("limited", SCOPES, ["greet"])
        async with connected(house, text, mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "greet" in names
            assert "pause" not in names
            result = await client.call_tool("greet", {"who": "Ada"})
            assert result.structured_content == {"result": "Hello, Ada!"}  # as it was published
            with pytest.raises(MCPError):
                await client.call_tool("pause", {"who": "Ada"})
            with pytest.raises(MCPError, match="workflows:write"):
                await client.call_tool("publish_workflow", {"name": "pause"})
            again = {"name": "greet", "inputs": {"who": "Ada"}}
            result = await client.call_tool("run_workflow", again)
            assert result.structured_content == {"result": "Hello, Ada!"}  # not as the file is now
            denied = await client.call_tool("run_workflow", {"name": "pause"})
            assert denied.structured_content["code"] == "WORKFLOW_NOT_FOUND"


async def test_a_limited_key_cannot_write_workflows(tmp_path: Any) -> None:
    async with house_in(tmp_path / "home") as house:
        with pytest.raises(Invalid) as caught:
            await house.keys.create("odd", ["workflows:write"], ["greet"])
    assert caught.value.code == "KEY_TOOLS_USELESS"


async def test_publishing_refuses_bad_names_and_broken_workflows(tmp_path: Any) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        key = await house.key()
        broken = greeting("broken")
        broken["connections"][-1]["to"] = "nowhere"
        await put(house, "workflows/broken", {"document": broken})
        for name, body, code in (
            ("nope", {}, "WORKFLOW_NOT_FOUND"),
            ("broken", {}, "WORKFLOW_INVALID"),
            ("greet", {"tool": "1 2"}, "BODY_INVALID"),
            ("greet", {"tool": "run_status"}, "TOOL_NAME_TAKEN"),
            ("greet", {"tool": "pause"}, "TOOL_NAME_TAKEN"),
        ):
            answer = await house.client.put(f"/api/v1/published/{name}", json=body, headers=key)
            assert answer.json()["error"]["code"] == code
        gone = await house.client.delete("/api/v1/published/greet", headers=key)
        again = await house.client.delete("/api/v1/published/greet", headers=key)
        assert (gone.status_code, again.json()["error"]["code"]) == (204, "NOT_PUBLISHED")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("tools", [(), ("ask",)])
async def test_who_may_call_a_tool_may_read_the_result_of_its_run(
    tmp_path: Any, mode: Any, tools: tuple[str, ...]
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published_with_a_question(house)
        _, text = await house.keys.create("caller", ["tools:read", "workflows:run"], tools)
        async with mcp_client(house, {"X-API-Key": text}, mode=mode) as client:
            told = (await client.call_tool("ask", {})).structured_content
            run = {"run_id": told["run_id"]}
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"run_status", "run_result", "run_respond", "run_cancel"} <= names
            shown = await client.call_tool("run_status", run)
            assert shown.structured_content["status"] == "waiting"
            await client.call_tool("run_cancel", run)
            with anyio.fail_after(60):
                while shown.structured_content["status"] in {"waiting", "running"}:
                    shown = await client.call_tool("run_status", run)
            ended = await client.call_tool("run_result", run)
            assert ended.structured_content["status"] == "cancelled"
            with pytest.raises(MCPError, match="workflows:read"):
                await client.call_tool("explain_run", run)
            guessed = await client.call_tool("run_result", {"run_id": run["run_id"][:8]})
            assert guessed.structured_content["code"] == "RUN_UNKNOWN"
        reader = await house.key("tools:read", "workflows:read")
        async with mcp_client(house, reader) as client:
            short = await client.call_tool("run_result", {"run_id": run["run_id"][:8]})
            assert short.structured_content["status"] == "cancelled"
        async with mcp_client(house, await house.key("tools:read", "tools:execute")) as client:
            with pytest.raises(MCPError, match="workflows:read"):
                await client.call_tool("run_result", run)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_key_that_may_not_read_prompts_lists_none(tmp_path: Any, mode: Any) -> None:
    async with (
        house_in(tmp_path / "home") as house,
        mcp_client(house, await house.key("tools:read"), mode=mode) as client,
    ):
        assert (await client.list_prompts()).prompts == []
        with pytest.raises(MCPError, match="workflows:read"):
            await client.get_prompt("any.prompt")


# What a published tool wants of a key, and no more.
CALLER = ["tools:read", "workflows:run"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_who_may_call_a_tool_may_read_the_large_media_of_its_answer(
    tmp_path: Path, mode: Any
) -> None:
    picture = b"\x89PNG" + bytes(5 * 1024 * 1024)
    image = {"type": "image", "data": b64encode(picture).decode(), "mimeType": "image/png"}
    server = ScriptedServer(tmp_path / "s", a_tool("paint"))
    server.on_call("paint", [answers({"content": [image]})])
    data = {"serverId": "mine", "toolName": "paint", "mode": "detailed"}
    called: dict[str, Any] = {
        "subtype": "SUBWORKFLOW",
        "configurations": {"workflow": "inner", "output": "result"},
        "inputParams": {"data": {}},
    }
    steps: dict[str, dict[str, Any]] = {
        "inner": {"id": "t", "type": "mcp", "name": "T", "data": data},
        "outer": {"id": "call", "type": "FLOW", "name": "Call", "data": called},
    }
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await approved(house, server, await house.key("servers:admin", "tools:read"))
        for name, step in steps.items():
            await put(house, f"workflows/{name}", {"document": drawn(name, step)})
            await put(house, f"published/{name}", {})
        _, text = await house.keys.create("limited", CALLER, ["outer"])
        _, other = await house.keys.create("limited", CALLER, ["another"])
        async with connected(house, text, mode) as client:
            [link] = (await client.call_tool("outer", {})).content
            assert isinstance(link, types.ResourceLink)
            [read] = (await client.read_resource(link.uri)).contents
        assert isinstance(read, types.BlobResourceContents)
        assert b64decode(read.blob) == picture
        async with connected(house, other, mode) as client:
            with pytest.raises(MCPError, match="there is no run"):
                await client.read_resource(link.uri)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_answer_after_progress_has_links_where_its_event_would_be_too_large(
    tmp_path: Path, mode: Any
) -> None:
    pictures = [b"\x89PNG" + bytes(size) for size in (2 * 1024 * 1024, 100 * 1024)]
    text, rest = "x" * 400_000, {"type": "text", "text": "Two pictures."}
    images = [
        {"type": "image", "data": b64encode(one).decode(), "mimeType": "image/png"}
        for one in pictures
    ]
    file = {"type": "resource", "resource": {"uri": "file:///long.txt", "text": text}}
    server = ScriptedServer(tmp_path / "s", a_tool("paint"))
    server.on_call("paint", [answers({"content": [rest, *images, file]})])
    data = {"serverId": "mine", "toolName": "paint", "mode": "detailed"}
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        del total, message
        heard.append(progress)

    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await approved(house, server, await house.key("servers:admin", "tools:read"))
        step = {"id": "t", "type": "mcp", "name": "T", "data": data}
        await put(house, "workflows/paint", {"document": drawn("paint", step)})
        await put(house, "published/paint", {})
        _, key = await house.keys.create("limited", CALLER, ["paint"])
        async with connected(house, key, mode) as client:
            plain = await client.call_tool("paint", {})
            assert heard == []
            answer = await client.call_tool("paint", {}, progress_callback=hear)
            said, link, small, long = answer.content
            assert isinstance(link, types.ResourceLink)
            assert isinstance(long, types.ResourceLink)
            [read] = (await client.read_resource(link.uri)).contents
            [words] = (await client.read_resource(long.uri)).contents
    # The control: an answer without progress is sent whole.
    assert [one.type for one in plain.content] == ["text", "image", "image", "resource"]
    assert heard
    assert isinstance(read, types.BlobResourceContents)
    assert (b64decode(read.blob), read.mime_type) == (pictures[0], "image/png")
    assert (link.mime_type, link.size) == ("image/png", len(pictures[0]))
    assert isinstance(words, types.BlobResourceContents)
    assert (b64decode(words.blob).decode(), long.name) == (text, "file:///long.txt")
    assert said.model_dump(exclude_none=True) == rest
    assert isinstance(small, types.ImageContent)


@asynccontextmanager
async def connected(house: House, key: str, mode: Any) -> AsyncGenerator[Client]:
    transport = httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000))
    async with (
        httpx2.AsyncClient(transport=transport, headers={"X-API-Key": key}, timeout=30) as http,
        Client(streamable_http_client(f"{BASE}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client
