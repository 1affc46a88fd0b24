"""`run_status`, `run_result`, `run_respond`, `run_cancel`: runs by id, for clients of any kind."""

from itertools import pairwise
from typing import Any

import anyio
import pytest
from mcp import Client

from publishing.desk import MODES, Desk, Mode
from rest.drawn import greeting
from toolweave.catalog.budget import tokens
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, write
from toolweave.mcp_server.tool_list import DEFAULT, listed
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.load import load, read

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
        # The result comes before the steps.
        assert (small["status"], small["finalResult"]) == ("success", result["finalResult"])
        assert small["left_out"] > 0
        missing = await asked(client, "run_status", run_id="nope")
        assert (missing["is_error"], missing["code"]) == (True, "RUN_UNKNOWN")
        wrong = await asked(client, "run_status", run="x")
        assert (wrong["is_error"], wrong["code"]) == (True, "REQUEST_INVALID")
        assert {problem["pointer"] for problem in wrong["problems"]} == {"/run", "/run_id"}


async def test_a_small_answer_keeps_the_status_and_the_error_of_a_run(desk: Desk) -> None:
    engine = desk.studio.engine
    workflow = read(greeting()).workflow
    long = await engine.runs.start(RunRequest(workflow, {"who": "Ada" * 400}))
    steps = [
        *({"id": f"set{n}", "type": "ACTION", "subtype": "SET_FIELDS"} for n in range(9)),
        {
            "id": "stop",
            "type": "FLOW",
            "subtype": "STOP",
            "configurations": {"outcome": "error", "message": "no"},
        },
    ]
    document = {
        "name": "stops",
        "nodes": [{"id": "begin", "type": "TRIGGER", "subtype": "MANUAL"}, *steps],
        "connections": [
            {"from_node": one, "to_node": other}
            for one, other in pairwise(["begin", *(str(step["id"]) for step in steps)])
        ],
    }
    failing = await engine.runs.start(RunRequest(load(write(document)).workflow, {}))
    async with desk.client() as client:
        await until(client, long, "success")
        await until(client, failing, "partial")
        found = await asked(client, "run_result", run_id=long, max_tokens=200)
        assert found["status"] == "success"
        assert found["omitted"] == ["initialVariables", "finalResult"]
        failed = await asked(client, "run_result", run_id=failing, max_tokens=250)
        assert (failed["status"], failed["error"]["failedAt"]["nodeId"]) == ("partial", "stop")
        assert "partialResults" not in failed["error"]
        whole = await asked(client, "run_result", run_id=failing, max_tokens=20_000)
        assert whole["error"]["partialResults"] == whole["intermediateResults"]


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
