"""The skills extension: workflows as skills, with digests, for both eras and limited keys."""

import hashlib
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict, TypeAdapter

from publishing.desk import MODES, Desk, Mode
from rest.drawn import drawn

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
