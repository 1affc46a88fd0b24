"""Thousands of live tools: complete lists where no budget is stated, and a loop that goes on."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from click.testing import CliRunner
from mcp import Client
from mcp_types import TextResourceContents

from faults.cost import MAX_STALL_S, measured
from mcp_server.approving import approve, definition, ground_of
from rest.process import environ_of
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.catalog.tool_service import ToolService
from toolweave.cli.main import cli
from toolweave.home import Home
from toolweave.mcp_server import resources
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.tools.read_tool import read_tool

pytestmark = pytest.mark.anyio

THOUSAND = [f"tool_{number:04}" for number in range(1_000)]
NAMES = [f"MCP:box/{name}" for name in THOUSAND]


def wide(name: str) -> dict[str, Any]:
    """A tool as large as real ones are."""
    field = {"type": "string", "description": f"What {name} does with it. " * 5}
    properties = {f"field_{number}": field for number in range(12)}
    return {**definition(name), "inputSchema": {"type": "object", "properties": properties}}


@asynccontextmanager
async def box_of(home: Path, tools: list[dict[str, Any]]) -> AsyncGenerator[Home]:
    async with ground_of(home) as opened:
        await approve(opened, "box", *tools)
        yield opened


async def test_the_resource_of_all_types_leaves_nothing_out(tmp_path: Path) -> None:
    async with box_of(tmp_path, [definition(name) for name in THOUSAND]) as opened:
        catalog = LiveCatalog(opened)
        await catalog.refresh()
        server = build_server(catalog, CountingToolService(catalog, opened), Changes())
        async with Client(server) as client:
            for uri in (resources.TYPES, resources.PREFIX + "TOOL"):
                (content,) = (await client.read_resource(uri)).contents
                assert isinstance(content, TextResourceContents)
                shown = json.loads(content.text)
                assert set(shown["TOOL"]) >= set(NAMES)
                assert not {"left_out", "get_the_rest"} & set(shown)


async def test_pages_of_resources_together_have_every_tool_once(tmp_path: Path) -> None:
    async with box_of(tmp_path, [definition(name) for name in THOUSAND]) as opened:
        catalog = LiveCatalog(opened)
        await catalog.refresh()
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = resources.page(resources.entries(catalog.knowledge), cursor)
        assert len(page.resources) <= resources.PAGE
        found += [resource.name for resource in page.resources]
        if (cursor := page.next_cursor) is None:
            break
    assert len(found) == len(set(found)) == 1 + 9 + len(catalog.knowledge.catalog)
    assert {f"TOOL.{name}" for name in NAMES} <= set(found)


async def test_the_command_lists_every_type_and_nothing_that_is_none(tmp_path: Path) -> None:
    async with box_of(tmp_path, [definition(name) for name in THOUSAND]):
        pass

    def run(*arguments: str) -> str:
        ran = CliRunner().invoke(cli, ["catalog", "types", *arguments], env=environ_of(tmp_path))
        assert ran.exit_code == 0, ran.output
        return ran.stdout

    shown = json.loads(await anyio.to_thread.run_sync(run, "--json"))
    assert set(shown["TOOL"]) >= set(NAMES)
    assert len(shown) == 9
    only = json.loads(await anyio.to_thread.run_sync(run, "--json", "--type", "tool"))
    assert only == {"TOOL": shown["TOOL"]}
    table = await anyio.to_thread.run_sync(run)
    assert "left_out" not in table
    assert "".join(NAMES[-1:]) in "".join(table.split())


async def test_the_tool_that_states_a_budget_still_keeps_to_it(tmp_path: Path) -> None:
    async with box_of(tmp_path, [definition(name) for name in THOUSAND]) as opened:
        catalog = LiveCatalog(opened)
        await catalog.refresh()
    toolbox = ToolService(lambda: catalog.knowledge)
    for arguments in ({}, {"max_tokens": 300}, {"max_tokens": 300}):
        result: Any = toolbox.call("get_node_types", dict(arguments))
        answer = result["structuredContent"]
        assert len(json.dumps(answer)) <= 4 * 1.2 * arguments.get("max_tokens", 2_000)
        assert not {"left_out", "get_the_rest"} & set(answer)
        assert result["_meta"]["toolweave/left_out"]["TOOL"] > 500


async def test_tools_that_are_as_they_were_are_not_read_again(tmp_path: Path) -> None:
    async with box_of(tmp_path, [definition(name) for name in THOUSAND[:3]]) as opened:
        catalog = LiveCatalog(opened)
        await catalog.refresh()
        before = [catalog.knowledge.catalog.get("TOOL", name) for name in NAMES[:3]]
        changed = {**definition(THOUSAND[1]), "description": "Does something else."}
        tools = [definition(THOUSAND[0]), changed, definition("more")]
        opened.lockfile.pin("box", [read_tool("box", tool) for tool in tools])
        assert await catalog.refresh() is True
        now = catalog.knowledge.catalog
        assert now.get("TOOL", NAMES[0]) is before[0]
        assert getattr(now.get("TOOL", NAMES[1]), "summary", "") == "Does something else."
        assert now.get("TOOL", NAMES[2]) is None
        assert now.get("TOOL", "MCP:box/more") is not None


@pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc")
async def test_the_loop_goes_on_while_thousands_of_tools_are_read(tmp_path: Path) -> None:
    tools = [wide(f"tool_{number:04}") for number in range(600)]
    async with box_of(tmp_path, tools), ground_of(tmp_path) as opened:
        catalog = LiveCatalog(opened)
        with anyio.fail_after(60):
            async with measured() as cost:
                assert await catalog.refresh() is True
                found: Any = catalog.knowledge.search("tool_0599")
                assert await catalog.refresh() is False
    assert found["results"][0]["subtype"] == "MCP:box/tool_0599"
    assert cost.stall_s <= MAX_STALL_S
