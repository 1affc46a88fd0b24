"""A step whose tool answers with a task: after a restart it is polled, not called again."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from publishing.desk import Desk, desk_in
from publishing.test_calls import ended
from publishing.test_tool_questions import FORM
from rest.drawn import drawn
from servers.rooms import eventually
from toolweave.servers.definition import definition_hash
from toolweave.testing.server import ScriptedServer, a_tool, begins

pytestmark = pytest.mark.anyio

DONE: dict[str, Any] = {"content": [{"type": "text", "text": "built"}]}


@pytest.fixture
def server(tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "s", a_tool("build"), era="modern")
    ask: dict[str, Any] = {"message": "How long?", "mode": "form", "requestedSchema": FORM}
    server.on_call("build", [begins(DONE, polls=2, ask=ask, pollIntervalMs=50)])
    return server


async def published(desk: Desk, server: ScriptedServer) -> None:
    await desk.home.registry.add("mine", server.definition)
    await desk.home.registry.approve("mine", definition_hash(server.definition))
    desk.home.lockfile.pin("mine", await desk.studio.gate.tools("mine"))
    call = {"serverId": "mine", "toolName": "build", "mode": "detailed"}
    await desk.publish(drawn("build", {"id": "t", "type": "mcp", "name": "T", "data": call}))


async def test_after_a_restart_the_task_goes_on_and_its_question_is_answered_once(
    tmp_path: Path, server: ScriptedServer
) -> None:
    async with desk_in(tmp_path / "home") as first:
        await published(first, server)
        async with first.client() as client:
            with anyio.fail_after(60):
                run = (await client.call_tool("build", {})).structured_content["run_id"]
    async with desk_in(tmp_path / "home") as second, second.client() as client:
        with anyio.fail_after(60):
            await client.call_tool("run_respond", {"run_id": run, "reply": {"days": 2}})
            await ended(client, run)
            found = (await client.call_tool("run_result", {"run_id": run})).structured_content
    assert found["finalResult"]["text"] == "built"
    assert len(server.heard("tools/call")) == 1
    (update,) = server.heard("tasks/update")
    assert update["inputResponses"] == {"q": {"action": "accept", "content": {"days": 2}}}


async def test_cancelling_the_run_cancels_the_task(tmp_path: Path, server: ScriptedServer) -> None:
    async with desk_in(tmp_path / "home") as desk:
        await published(desk, server)
        async with desk.client() as client:
            with anyio.fail_after(60):
                run = (await client.call_tool("build", {})).structured_content["run_id"]
                assert server.heard("tasks/cancel") == []
                await client.call_tool("run_cancel", {"run_id": run})
                await eventually(lambda: server.heard("tasks/cancel"))
    assert [one["taskId"] for one in server.heard("tasks/cancel")] == ["build-1"]
