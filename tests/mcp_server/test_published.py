"""A published workflow over real processes: stdio and HTTP, both eras, progress and questions."""

import uuid
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.context import ClientRequestContext

from mcp_server.approving import ground_of
from mcp_server.doors import Door
from publishing.drawing import asking, counting
from toolweave.authoring.environment import known_built_in
from toolweave.home import workflow_store
from toolweave.publishing.service import PublicationRequest, publish, unpublish
from toolweave.workflow.formats.load import read

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]


class Heard:
    """Whether a client was told that tools are others."""

    def __init__(self) -> None:
        self.changed = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()


async def red(_: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    assert params.message == "Which colour?"
    return types.ElicitResult(action="accept", content={"answer": "Red"})


async def test_a_workflow_published_elsewhere_is_called_here(door: Door) -> None:
    heard, done = Heard(), list[float]()
    suffix = uuid.uuid4().hex[:8]
    documents: list[dict[str, Any]] = [asking(f"ask {suffix}"), counting(f"count {suffix}")]
    ask, count = (f"{word}_{suffix}" for word in ("ask", "count"))

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        done.append(progress)

    async with door.client(heard, elicitation_callback=red, cache=None) as client:
        before = {tool.name for tool in (await client.list_tools()).tools}
        assert ask not in before
        async with ground_of(door.home) as home:
            for document in documents:
                workflow = read(document).workflow
                await workflow_store(home.settings).save(workflow, over=None)
                await publish(home, known_built_in(), PublicationRequest(workflow.name))
            with anyio.fail_after(60):
                if door.mode == "legacy":
                    await heard.changed.wait()
                answered = await client.call_tool(ask, {})
                counted = await client.call_tool(count, {}, progress_callback=progressed)
            names = {tool.name for tool in (await client.list_tools()).tools}
            for document in documents:
                await unpublish(home, document["name"])
            left = {tool.name for tool in (await client.list_tools()).tools}
    assert answered.structured_content["answer"] == "Red"
    assert counted.is_error is False
    assert done == [1, 2, 3, 4, 5]
    assert {ask, count} <= names
    assert left.isdisjoint({ask, count})
