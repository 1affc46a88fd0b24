"""`run_status`, `run_result`, `run_respond`, `run_cancel`: runs by id, for clients of any kind."""

from typing import Any

import anyio
import pytest
from mcp import Client

from publishing.desk import MODES, Desk, Mode
from rest.drawn import greeting
from toolweave.catalog.budget import tokens
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.mcp_server.tool_list import DEFAULT, listed
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio


async def asked(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    content: dict[str, Any] = result.structured_content
    return {**content, "is_error": result.is_error}


async def until(client: Client, run: str, status: str) -> dict[str, Any]:
    with anyio.fail_after(60):
        while True:
            shown = await asked(client, "run_status", run_id=run)
            if shown["status"] == status:
                return shown
            await anyio.sleep(0.01)


def test_all_default_tools_list_in_two_thousand_tokens() -> None:
    assert tokens({"tools": list[Json](listed())}) <= 2_000
    for offered in DEFAULT:
        assert read_tool("toolweave", offered.definition).problems == ()


@pytest.mark.parametrize("mode", MODES)
async def test_a_run_is_looked_at_by_its_id(desk: Desk, mode: Mode) -> None:
    engine = desk.studio.engine
    run = await engine.runs.start(RunRequest(read(greeting()).workflow, {"who": "Ada"}))
    async with desk.client(mode) as client:
        await until(client, run, "success")
        result = await asked(client, "run_result", run_id=run)
        assert result["status"] == "success"
        assert result["intermediateResults"]
        small = await asked(client, "run_result", run_id=run, max_tokens=120)
        assert tokens({k: v for k, v in small.items() if k != "is_error"}) <= 120
        missing = await asked(client, "run_status", run_id="nope")
        assert (missing["is_error"], missing["code"]) == (True, "RUN_UNKNOWN")
        wrong = await asked(client, "run_status", run="x")
        assert (wrong["is_error"], wrong["code"]) == (True, "REQUEST_INVALID")
        assert {problem["pointer"] for problem in wrong["problems"]} == {"/run", "/run_id"}


@pytest.mark.parametrize("mode", MODES)
async def test_every_default_tool_has_a_title_and_says_what_it_does(desk: Desk, mode: Mode) -> None:
    async with desk.client(mode) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
    assert len(tools) == len(DEFAULT)
    assert all(tool.title for tool in tools.values())
    reading = {
        name for name, one in tools.items() if one.annotations and one.annotations.read_only_hint
    }
    running = {name for name, one in tools.items() if one.annotations is None}
    assert {"get_node_types", "get_workflow", "run_status", "prompts_get"} <= reading
    # Clients assume the worst of a tool without hints.
    assert running == {"run_workflow", "flows_execute", "run_respond", "test_node"}
