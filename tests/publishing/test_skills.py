"""The skills extension: workflows as skills, with digests, for both eras and limited keys."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict, TypeAdapter

from publishing.desk import MODES, Desk, Mode
from publishing.test_keys import SCOPES, published
from rest.drawn import drawn
from rest.house import BASE, House, house_in
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

EXTENSION = "io.modelcontextprotocol/skills"
ROOT = "skill://toolweave"


class Params(types.RequestParams):
    uri: str | None = None
    cursor: str | None = None


class Ask(types.Request[Params, Literal["skills/list", "skills/get", "resources/directory/read"]]):
    method: Literal["skills/list", "skills/get", "resources/directory/read"]
    params: Params


class Found(types.Result):
    model_config = ConfigDict(extra="allow")


async def ask(
    client: Any, method: str, uri: str | None = None, cursor: str | None = None
) -> dict[str, Any]:
    params = {"uri": uri, "cursor": cursor}
    request = Ask.model_validate({"method": method, "params": params})
    found = await client.session.send_request(request, TypeAdapter(Found))
    return found.model_dump(by_alias=True)


@asynccontextmanager
async def mcp_client(house: House, headers: dict[str, str], mode: Mode) -> AsyncGenerator[Client]:
    transport = httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000))
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{BASE}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
async def test_a_workflow_is_a_skill_whose_files_have_their_digests(desk: Desk, mode: Mode) -> None:
    await desk.publish(drawn("Plan a trip"))
    async with desk.client(mode) as client:
        capabilities = client.session.server_capabilities
        assert capabilities is not None
        assert (capabilities.extensions or {})[EXTENSION] == {"directoryRead": True}
        (skill,) = (await ask(client, "skills/list"))["skills"]
        assert skill["uri"] == f"{ROOT}/plan-a-trip/SKILL.md"
        assert skill["frontmatter"]["name"] == "plan-a-trip"
        assert (await ask(client, "skills/get", skill["uri"]))["skill"] == skill
        for file in skill["resources"]:
            (content,) = (await client.read_resource(file["uri"])).contents
            assert isinstance(content, types.TextResourceContents)
            data = content.text.encode()
            assert file["size"] == len(data)
            assert file["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert data.startswith(b"---\n")
        inside = await ask(client, "resources/directory/read", f"{ROOT}/plan-a-trip")
        assert [one["name"] for one in inside["resources"]] == ["SKILL.md"]


@pytest.mark.parametrize("mode", MODES)
async def test_an_unknown_skill_file_or_folder_is_refused(desk: Desk, mode: Mode) -> None:
    await desk.publish(drawn("Plan a trip"))
    async with desk.client(mode) as client:
        assert (await ask(client, "skills/get", f"{ROOT}/plan-a-trip/SKILL.md"))["skill"]
        for method in ("skills/get", "resources/directory/read"):
            with pytest.raises(MCPError) as refused:
                await ask(client, method, f"{ROOT}/other/SKILL.md")
            assert refused.value.code == types.INVALID_PARAMS
        with pytest.raises(MCPError) as refused:
            await client.read_resource(f"{ROOT}/plan-a-trip/../../secret")
        assert refused.value.code == types.INVALID_PARAMS


async def test_a_cursor_that_is_not_ours_is_refused_and_no_internal_error(desk: Desk) -> None:
    await desk.publish(drawn("Plan a trip"))
    async with desk.client("auto") as client:
        assert len((await ask(client, "skills/list"))["skills"]) == 1
        for cursor in ("9" * 5_000, "000000001" + "9" * 5_000, "-1", "²", "1"):
            with pytest.raises(MCPError) as refused:
                await ask(client, "skills/list", cursor=cursor)
            assert refused.value.code == types.INVALID_PARAMS
            with pytest.raises(MCPError) as refused:
                await client.list_resources(cursor=cursor + "x" if cursor == "1" else cursor)
            assert refused.value.code == types.INVALID_PARAMS


def helped(name: str) -> dict[str, Any]:
    """A workflow whose skill has a folder: a sub-agent is a file of its own."""
    data = {"description": "Helps", "prompt": "Help with {{who}}."}
    return drawn(name, {"id": "helper", "type": "subAgent", "name": "helper", "data": data})


@pytest.mark.parametrize("mode", MODES)
async def test_the_folders_of_a_skill_are_listed_and_their_files_read(
    desk: Desk, mode: Mode
) -> None:
    await desk.studio.home.workflows.save(read(helped("Plan a trip")).workflow, over=None)
    async with desk.client(mode) as client:
        (skill,) = (await ask(client, "skills/list"))["skills"]
        top = (await ask(client, "resources/directory/read", f"{ROOT}/plan-a-trip"))["resources"]
        assert [(one["name"], one["mimeType"]) for one in top] == [
            ("SKILL.md", "text/markdown"),
            ("agents", "inode/directory"),
        ]
        (file,) = (await ask(client, "resources/directory/read", top[1]["uri"]))["resources"]
        assert file["mimeType"] == "text/markdown"
        assert file["uri"] in [one["uri"] for one in skill["resources"]]
        (content,) = (await client.read_resource(file["uri"])).contents
        assert isinstance(content, types.TextResourceContents)
        assert "Help with" in content.text


@pytest.mark.parametrize("mode", MODES)
async def test_a_limited_key_sees_the_skill_of_its_published_workflow_only(
    tmp_path: Path, mode: Mode
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)  # `greet` was changed after it was published
        _, limited = await house.keys.create("limited", SCOPES, ["greet"])
        other = f"{ROOT}/pause/SKILL.md"
        async with mcp_client(house, await house.key(), mode) as client:  # the positive control
            found = (await ask(client, "skills/list"))["skills"]
            assert [one["frontmatter"]["name"] for one in found] == ["greet", "pause"]
            assert (await ask(client, "skills/get", other))["skill"]
            assert await client.read_resource(other)
            (now,) = (await client.read_resource(f"{ROOT}/greet/SKILL.md")).contents
            assert "Go away" in str(now)
        async with mcp_client(house, {"X-API-Key": limited}, mode) as client:
            (skill,) = (await ask(client, "skills/list"))["skills"]
            assert skill["frontmatter"]["name"] == "greet"
            (content,) = (await client.read_resource(skill["uri"])).contents
            assert "Hello" in str(content)
            assert "Go away" not in str(content)
            for method in ("skills/get", "resources/directory/read"):
                with pytest.raises(MCPError):
                    await ask(client, method, other)
            with pytest.raises(MCPError):
                await client.read_resource(other)
        async with mcp_client(house, await house.key("tools:read"), mode) as client:
            assert (await ask(client, "skills/list"))["skills"] == []
