"""J6: an AI client drafts a workflow, repairs it by what is reported, runs and publishes it."""

from typing import Any

import anyio
import pytest
from mcp import Client

from publishing.desk import MODES, Desk, Mode
from rest.drawn import greeting
from toolweave.catalog.budget import tokens
from toolweave.mcp_server.tool_list import APP_ONLY, DEFAULT
from toolweave.publishing.store import RESERVED

pytestmark = pytest.mark.anyio


async def asked(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a call gives; one that is refused has a code."""
    content: dict[str, Any] = (await client.call_tool(tool, arguments)).structured_content
    return content


def drafted() -> dict[str, Any]:
    """A greeting whose last edge leads to a node that is not there."""
    draft = greeting("greet people")
    draft["connections"][-1]["to"] = "ende"
    return draft


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_authors_a_tool_from_the_catalog_to_its_first_call(
    desk: Desk, mode: Mode
) -> None:
    async with desk.client(mode) as client:
        with anyio.fail_after(60):
            assert "FLOW" in await asked(client, "get_node_types")
            node = {"node_type": "FLOW", "subtype": "IF"}
            assert (await asked(client, "get_node_details", nodes=[node]))["nodes"]
            assert (await asked(client, "search_nodes", query="wait for a day"))["results"]
            wrong = await asked(client, "validate_workflow", workflow=drafted())
            assert wrong["valid"] is False
            saved = await asked(client, "save_workflow", workflow=drafted())
            assert saved["valid"] is False
            (problem,) = [one for one in saved["problems"] if one["severity"] == "error"]
            meaning = await asked(client, "explain_problem", code=problem["code"])
            assert meaning["meaning"]
            refused = await asked(client, "run_workflow", name="greet people")
            assert refused["code"] == "WORKFLOW_INVALID"
            patched = await asked(
                client,
                "patch_workflow",
                name="greet people",
                patch=problem["patch"],
                revision=saved["revision"],
            )
            assert patched["valid"] is True
            ran = await asked(client, "run_workflow", name="greet people", inputs={"who": "Ada"})
            assert ran == {"result": "Hello, Ada!"}
            made = await asked(client, "publish_workflow", name="greet people", tool="greeter")
            assert made["inputSchema"]["required"] == ["who"]
            assert "greeter" in {tool.name for tool in (await client.list_tools()).tools}
            assert await asked(client, "greeter", who="Bob") == {"result": "Hello, Bob!"}


async def test_nobody_overwrites_what_they_have_not_seen(desk: Desk) -> None:
    async with desk.client() as client:
        first = await asked(client, "save_workflow", workflow=greeting())
        again = await asked(client, "save_workflow", workflow=greeting())
        assert again["code"] == "WORKFLOW_NAME_TAKEN"
        change = {"op": "replace", "path": "/description", "value": "Hi"}
        change["op"] = "add"
        late = {"name": "greet", "patch": [change], "revision": "0" * 64}
        assert (await asked(client, "patch_workflow", **late))["code"] == "WORKFLOW_CHANGED"
        done = await asked(client, "patch_workflow", **{**late, "revision": first["revision"]})
        assert done["revision"] != first["revision"]
        gone = {**late, "patch": [{"op": "remove", "path": "/nope"}]}
        assert (await asked(client, "patch_workflow", **gone))["code"] == "PATCH_IMPOSSIBLE"


async def test_answers_stay_within_their_budget(desk: Desk) -> None:
    broken = greeting()
    broken["connections"] = [
        {"id": f"e{n}", "from": "start", "to": f"nowhere-{n}", "fromPort": "output"}
        for n in range(50)
    ]
    async with desk.client() as client:
        small = await asked(client, "validate_workflow", workflow=broken, max_tokens=200)
        assert tokens(small) <= 200
        assert small["left_out"] > 0
        assert tokens(await asked(client, "validate_workflow", workflow=broken)) <= 2_000
        assert (await asked(client, "validate_workflow", workflow={}))["valid"] is False
        unknown = await asked(client, "explain_problem", code="EDGE_TARGT_UNKNOWN")
        assert unknown["code"] == "CODE_UNKNOWN"


def test_no_published_tool_can_have_the_name_of_one_of_ours() -> None:
    valid = {offered.name for offered in (*DEFAULT, *APP_ONLY) if "/" not in offered.name}
    assert valid <= RESERVED, "name your tools in publishing/store.py, too"
