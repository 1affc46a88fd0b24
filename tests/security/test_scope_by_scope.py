"""With each scope alone, limited or not: what MCP lists can be called, and nothing else can."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.security.controls import Control

from rest.house import house_in
from rest.test_authorization import EVERY_TOOL, SHOWS_APPS, mcp_client, published, refused_code
from toolweave.access.authorization import RESOURCES
from toolweave.access.keys import SCOPES

pytestmark = pytest.mark.anyio

FORBIDDEN = -32003
PUBLISHED = {"greet", "pause", "ask"}
# A limited key cannot be created with these.
NEVER_LIMITED = {"workflows:write", "servers:admin", "admin"}
# One of each kind; what is not there is not found, which is no refusal.
READ = {
    "catalog": "toolweave://catalog/types",
    "apps": "ui://toolweave/greet",
    "workflows": "toolweave://workflows/greet",
    "runs": "toolweave://runs/cccccccc-cccc-4ccc-8ccc-cccccccccccc",
    "documents": "toolweave://documents/none.md",
    "recordings": "toolweave://recordings/none",
    "libraries": "toolweave://libraries/none/resources/none",
}


async def is_readable(client: Client, uri: str) -> bool:
    try:
        await client.read_resource(uri)
    except MCPError as error:
        return error.error.code != FORBIDDEN
    return True


async def test_what_mcp_lists_can_be_called_and_nothing_else(
    tmp_path: Path, control: Control
) -> None:
    """`tools:read` opens the door, so each key has it; `greet` is the tool of limited keys."""
    assert RESOURCES.keys() == READ.keys()
    callable_by: dict[str, set[str]] = {}
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        await published(house)
        for scope in SCOPES:
            for tools in ((), ("greet",)):
                if tools and scope in NEVER_LIMITED:
                    continue
                name = f"{scope} {'limited' if tools else 'full'}"
                _, text = await house.keys.create("one", list({"tools:read", scope}), tools)
                key: dict[str, Any] = {"X-API-Key": text}
                async with mcp_client(house, key, extensions=SHOWS_APPS) as client:
                    listed = {tool.name for tool in (await client.list_tools()).tools}
                    # What a key may not see is refused like a tool that does not exist.
                    refused = {FORBIDDEN, await refused_code(client, "no_such_tool")}
                    callable_by[name] = {
                        tool
                        for tool in EVERY_TOOL | PUBLISHED
                        if await refused_code(client, tool) not in refused
                    }
                    assert listed == callable_by[name], name
                    uris = {str(one.uri) for one in (await client.list_resources()).resources}
                    kinds = {kind for kind in READ if any(f"//{kind}/" in uri for uri in uris)}
                    readable = {k for k, uri in READ.items() if await is_readable(client, uri)}
                    assert kinds <= readable, name
    control(
        "an administrator calls everything", callable_by["admin full"] == EVERY_TOOL | PUBLISHED
    )
    assert callable_by["tools:read full"] == set()
    assert "greet" in callable_by["workflows:run limited"]
    assert not any(
        (PUBLISHED - {"greet"}) & found for name, found in callable_by.items() if "limited" in name
    )
