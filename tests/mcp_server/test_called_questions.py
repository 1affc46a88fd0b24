"""A question of a workflow that a published workflow calls reaches the client that called."""

import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from mcp_server.approving import ground_of
from mcp_server.doors import Door
from publishing.drawing import asking
from rest.drawn import drawn
from toolweave.authoring.environment import known_built_in
from toolweave.home import Home, workflow_store
from toolweave.publishing.service import PublicationRequest, publish, unpublish
from toolweave.workflow.formats.load import read

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]


def call(workflow: str) -> dict[str, Any]:
    """A step that runs another workflow."""
    settings = {"workflow": workflow, "output": "result"}
    data = {
        "subtype": "SUBWORKFLOW",
        "configurations": settings,
        "inputParams": {"data": "{{ {} }}"},
    }
    return {"id": "call", "type": "FLOW", "name": "Call", "data": data}


def looped(name: str, workflow: str) -> dict[str, Any]:
    """Runs another workflow for each of two items."""
    each = {"subtype": "FOR_EACH", "inputParams": {"data": "{{ [1, 2] }}"}}
    document = drawn(name, {"id": "each", "type": "FLOW", "name": "Each", "data": each})
    document["nodes"].append({**call(workflow), "position": {"x": 0, "y": 200}})
    document["connections"][1]["fromPort"] = "done"
    body = {"id": "body", "from": "each", "to": "call", "fromPort": "loop", "toPort": "input"}
    document["connections"].append(body)
    return document


@asynccontextmanager
async def published(home: Home, *names: str) -> AsyncGenerator[None]:
    """Publish workflows for the body only: the server of these tests is shared."""
    for name in names:
        await publish(home, known_built_in(), PublicationRequest(name))
    try:
        yield
    finally:
        for name in names:
            await unpublish(home, name)


async def test_questions_of_called_workflows_reach_the_client_at_every_depth(door: Door) -> None:
    asked: list[str] = []

    async def red(_: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": "Red"})

    suffix = uuid.uuid4().hex[:8]
    inner, middle, outer, each = (
        f"{word}{suffix}" for word in ("inner", "middle", "outer", "each")
    )
    documents = [
        asking(inner),
        drawn(middle, call(inner)),
        drawn(outer, call(middle)),
        looped(each, inner),
    ]
    async with ground_of(door.home) as home:
        for document in documents:
            await workflow_store(home.settings).save(read(document).workflow, over=None)
        async with (
            published(home, middle, outer, each),
            door.client(elicitation_callback=red, cache=None) as client,
        ):
            with anyio.fail_after(90):
                once = await client.call_tool(middle, {})
                deep = await client.call_tool(outer, {})
                twice = await client.call_tool(each, {})
    assert asked == ["Which colour?"] * 4
    for answered in (once, deep):
        assert answered.structured_content["answer"] == "Red", answered
    assert [one["answer"] for one in twice.structured_content["results"]] == ["Red", "Red"]


async def test_a_client_without_forms_answers_by_the_step_of_the_called_workflow(
    door: Door,
) -> None:
    suffix = uuid.uuid4().hex[:8]
    inner, outer = f"inner{suffix}", f"outer{suffix}"
    async with ground_of(door.home) as home:
        for document in (asking(inner), drawn(outer, call(inner))):
            await workflow_store(home.settings).save(read(document).workflow, over=None)
        async with published(home, outer), door.client(cache=None) as client:
            with anyio.fail_after(60):
                parked = (await client.call_tool(outer, {})).structured_content
                run: dict[str, Any] = {"run_id": parked["run_id"]}
                status = (await client.call_tool("run_status", run)).structured_content
                reply = {**run, "step": parked["asks"][0]["step"], "reply": {"answer": "Blue"}}
                taken = (await client.call_tool("run_respond", reply)).structured_content
                ended = taken["status"]
                while ended not in {"success", "failed"}:
                    ended = (await client.call_tool("run_status", run)).structured_content["status"]
    assert [one["step"] for one in parked["asks"]] == ["call/ask"]
    assert [one["step"] for one in status["asks"]] == ["call/ask"]
    assert ended == "success"
