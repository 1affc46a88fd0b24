"""Runs as tasks of the modern era, long runs for everybody else, and lists that change."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.extension import advertise
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from pydantic import BaseModel

from publishing.desk import MODES, Desk, Mode, desk_in
from publishing.drawing import asking
from rest.drawn import greeting, pausing
from toolweave.mcp_server.context import WaitLimits
from toolweave.mcp_server.tasks import EXTENSION
from toolweave.publishing.service import unpublish
from toolweave.publishing.store import PublishedStore

pytestmark = pytest.mark.anyio

IMPATIENT = WaitLimits(wait_s=0.05, soon_s=0.05)


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncGenerator[Desk]:
    """A desk whose calls wait for nothing."""
    async with desk_in(tmp_path / "home", IMPATIENT) as opened:
        yield opened


class Told(BaseModel, extra="allow"):
    """Any result."""

    def __getitem__(self, name: str) -> Any:
        return (self.model_extra or {})[name]


async def asked(client: Client, method: str, **params: Any) -> Told:
    """A request past the client's types, which know no tasks."""
    request = types.Request[dict[str, Any], str](method=method, params=params)
    return await client.session.send_request(request, Told)  # type: ignore[arg-type]


async def until(client: Client, task: str, status: str) -> Told:
    with anyio.fail_after(60):
        while True:
            found = await asked(client, "tasks/get", taskId=task)
            if found["status"] == status:
                return found
            await anyio.sleep(0.01)


async def test_a_task_is_asked_answered_and_gives_its_result(desk: Desk) -> None:
    await desk.publish(asking("ask"), tasks="always")
    async with desk.client(extensions=[advertise(EXTENSION)]) as client:
        made = await asked(client, "tools/call", name="ask", arguments={})
        assert (made["resultType"], made["status"]) == ("task", "working")
        task = made["taskId"]
        waiting = await until(client, task, "input_required")
        assert waiting["inputRequests"]["ask"]["method"] == "elicitation/create"
        wrong = {"ask": {"action": "accept", "content": {"answer": "Green"}}, "odd": 5}
        assert (await asked(client, "tasks/update", taskId=task, inputResponses=wrong))[
            "resultType"
        ] == "complete"
        right = {"ask": {"action": "accept", "content": {"answer": "Red"}}}
        await asked(client, "tasks/update", taskId=task, inputResponses=right)
        done = await until(client, task, "completed")
        assert done["result"]["structuredContent"]["answer"] == "Red"
        with pytest.raises(MCPError) as caught:
            await asked(client, "tasks/get", taskId="nope")
        assert caught.value.error.code == types.INVALID_PARAMS


async def test_a_task_is_cancelled(hasty: Desk) -> None:
    await hasty.publish(pausing("pause"))
    async with hasty.client(extensions=[advertise(EXTENSION)]) as client:
        made = await asked(client, "tools/call", name="pause", arguments={"who": "Ada"})
        await asked(client, "tasks/cancel", taskId=made["taskId"])
        stopped = await until(client, made["taskId"], "cancelled")
        assert stopped["taskId"] == made["taskId"]


@pytest.mark.parametrize("mode", MODES)
async def test_without_tasks_a_long_run_gives_its_id_and_goes_on(hasty: Desk, mode: Mode) -> None:
    await hasty.publish(pausing("pause"))
    async with hasty.client(mode) as client:
        told = (await client.call_tool("pause", {"who": "Ada"})).structured_content
        assert told["status"] in {"running", "waiting"}
        run = {"run_id": told["run_id"]}
        stopped = (await client.call_tool("run_cancel", run)).structured_content
        assert stopped["run_id"] == told["run_id"]
        with anyio.fail_after(60):
            while True:
                found = (await client.call_tool("run_status", run)).structured_content
                if found["status"] == "cancelled":
                    break
                await anyio.sleep(0.01)


async def test_a_hundred_published_tools_are_called_at_once(desk: Desk) -> None:
    made = await desk.publish(greeting("greet 0"))
    table = PublishedStore(desk.home.database)
    for number in range(1, 100):
        slug = f"greet-{number}"
        await table.put(replace(made, tool=f"greet_{number}", slug=slug, workflow=slug))
    answers: dict[int, Any] = {}

    async def call(client: Client, number: int) -> None:
        result = await client.call_tool(f"greet_{number}", {"who": str(number)})
        answers[number] = result.structured_content

    for mode in MODES:
        answers.clear()
        async with desk.client(mode) as client:
            with anyio.fail_after(100):
                async with anyio.create_task_group() as tasks:
                    for number in range(100):
                        tasks.start_soon(call, client, number)
        assert answers == {number: {"result": f"Hello, {number}!"} for number in range(100)}


class Heard:
    """Whether a client of the older era was told that tools are others."""

    def __init__(self) -> None:
        self.changed = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()


async def test_clients_of_the_older_era_are_told_of_new_and_old_tools(desk: Desk) -> None:
    heard = Heard()
    async with desk.client("legacy", message_handler=heard) as client:
        await client.list_tools()
        for change in (desk.publish(greeting()), unpublish(desk.home, "greet")):
            heard.changed = anyio.Event()
            await change
            with anyio.fail_after(60):
                await heard.changed.wait()
        assert "greet" not in {tool.name for tool in (await client.list_tools()).tools}


async def test_subscribers_of_the_modern_era_are_told_too(desk: Desk) -> None:
    async with desk.client() as client, client.listen(tools_list_changed=True) as subscription:
        with anyio.fail_after(60):
            await desk.publish(greeting())
            assert isinstance(await anext(subscription), ToolsListChanged)
        assert "greet" in {tool.name for tool in (await client.list_tools()).tools}
