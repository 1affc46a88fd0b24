"""The catalog follows the registry and the lockfile, and survives both being broken."""

import logging
from pathlib import Path

import anyio
import pytest

from mcp_server.approving import approve, definition, ground_of
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.catalog.usage import UsageCounts
from toolweave.errors import Unavailable
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject

pytestmark = pytest.mark.anyio


def live_in(catalog: LiveCatalog) -> list[str]:
    return [name for name in catalog.knowledge.catalog.types()["TOOL"] if name.startswith("MCP:")]


async def test_only_approved_tools_of_enabled_servers_are_there(tmp_path: Path) -> None:
    async with ground_of(tmp_path) as home:
        catalog = LiveCatalog(home)
        assert await catalog.refresh() is False
        await approve(home, "one", definition("a"), definition("b"))
        assert await catalog.refresh() is True
        assert await catalog.refresh() is False
        assert live_in(catalog) == ["MCP:one/a", "MCP:one/b"]
        await home.registry.disable("one")
        assert await catalog.refresh() is True
        assert live_in(catalog) == []
        await home.registry.enable("one")
        home.lockfile.unpin("one")
        assert await catalog.refresh() is False
        assert live_in(catalog) == []


async def test_a_tool_that_cannot_be_called_hides_no_other(tmp_path: Path) -> None:
    async with ground_of(tmp_path) as home:
        broken = {"name": "broken", "inputSchema": {"type": 5}}
        await approve(home, "one", broken, definition("good"))
        catalog = LiveCatalog(home)
        await catalog.refresh()
        assert live_in(catalog) == ["MCP:one/good"]


async def test_without_a_ground_the_built_in_nodes_are_there() -> None:
    catalog = LiveCatalog(None)
    assert await catalog.refresh() is False
    assert len(catalog.knowledge.catalog) >= 39


async def test_a_broken_lockfile_is_logged_once_and_what_was_known_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with ground_of(tmp_path) as home:
        catalog = LiveCatalog(home)
        await approve(home, "one", definition("a"))
        await catalog.refresh()
        whole = await anyio.Path(home.lockfile.path).read_bytes()
        await anyio.Path(home.lockfile.path).write_bytes(b"{")
        with caplog.at_level(logging.ERROR):
            assert [await catalog.refresh() for _ in range(5)] == [False] * 5
        assert [record.message for record in caplog.records] == ["catalog not refreshed"]
        assert live_in(catalog) == ["MCP:one/a"]
        await anyio.Path(home.lockfile.path).write_bytes(whole)
        assert await catalog.refresh() is False
        await approve(home, "two", definition("b"))
        assert await catalog.refresh() is True
        assert live_in(catalog) == ["MCP:one/a", "MCP:two/b"]


async def test_a_failure_while_reading_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ground_of(tmp_path) as home:
        catalog = LiveCatalog(home)
        await approve(home, "one", definition("a"))

        def broken(*_: object) -> None:
            raise Unavailable("STORAGE_BROKEN", "no")

        with monkeypatch.context() as patch:
            patch.setattr("toolweave.authoring.live_catalog.read_tool", broken)
            assert await catalog.refresh() is False
        assert await catalog.refresh() is True
        assert live_in(catalog) == ["MCP:one/a"]


async def asked_in(home: Home) -> dict[str, int]:
    return await UsageCounts(home.database, home.clock).counts()


@pytest.mark.requirement("004:future.usage-analytics")
async def test_questions_are_counted_per_node_and_saved_at_the_end(tmp_path: Path) -> None:
    async with ground_of(tmp_path) as home:
        catalog = LiveCatalog(home)
        toolbox = CountingToolService(catalog, home)
        known: list[Json] = [
            {"node_type": "FLOW", "subtype": "IF"},
            {"node_type": "flow", "subtype": "loop"},
        ]
        unknown: JsonObject = {"node_type": "FLOW", "subtype": "NO_SUCH_THING"}
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(toolbox.keep_saving)
            await anyio.wait_all_tasks_blocked()
            toolbox.call("get_node_details", {"nodes": [*known, unknown]})
            toolbox.call("get_node_details", {"nodes": known[:1]})
            toolbox.call("get_node_details", {"nodes": []})
            toolbox.call("search_nodes", {"query": "slack"})
            assert await asked_in(home) == {}
            tasks.cancel_scope.cancel()
        assert await asked_in(home) == {
            "FLOW.IF": 2,
            "FLOW.LOOP": 1,
            "tool:get_node_details": 2,
            "tool:search_nodes": 1,
        }
