"""Tools of a server that somebody approves elsewhere appear in every connected client."""

import uuid
from contextlib import AsyncExitStack

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from mcp_server.approving import approve, definition, ground_of
from mcp_server.doors import Door
from servers.rooms import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]

TOOL = "toolweave://catalog/TOOL"


class Heard:
    """Whether a client was told that the list of resources is another."""

    def __init__(self) -> None:
        self.changed = anyio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, types.ResourceListChangedNotification):
            self.changed.set()
            self.changed = anyio.Event()


async def listen(client: Client, heard: Heard, stack: AsyncExitStack) -> None:
    """In the modern era a client hears only what it subscribed to."""
    subscription = await stack.enter_async_context(
        client.listen(resources_list_changed=True, resource_subscriptions=[TOOL])
    )
    kinds = {type(await anext(subscription)) for _ in range(2)}
    assert kinds == {ResourcesListChanged, ResourceUpdated}
    heard.changed.set()


async def resources_of(client: Client) -> set[str]:
    return {str(each.uri) for each in (await client.list_resources()).resources}


async def test_an_approved_server_is_announced_and_its_tools_are_nodes(door: Door) -> None:
    name, heard = f"server-{uuid.uuid4().hex[:8]}", Heard()
    subtype, uri = f"MCP:{name}/up/side:down", f"{TOOL}/MCP%3A{name}%2Fup%2Fside%3Adown"
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(door.client(heard))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        assert uri not in await resources_of(client)
        changed = heard.changed
        if door.mode == "auto":
            tasks.start_soon(listen, client, heard, stack)
            await anyio.sleep(0.3)  # until the subscription is acknowledged
        async with ground_of(door.home) as home:
            await approve(home, name, definition("up/side:down"))
            with anyio.fail_after(60):
                await changed.wait()

            async def is_listed() -> bool:
                return uri in await resources_of(client)

            # What was announced may be what the test before left behind.
            await eventually(is_listed)
            found = await client.call_tool("search_nodes", {"query": "reverse the text"})
            assert subtype in str(found.structured_content)
            read = await client.read_resource(uri)
            assert subtype in str(read.contents[0])
            ref = types.ResourceTemplateReference(
                type="ref/resource", uri="toolweave://catalog/{node_type}/{subtype}"
            )
            typed = {"name": "subtype", "value": f"mcp:{name}"}
            assert (await client.complete(ref, typed)).completion.values == [subtype]
            again = heard.changed
            await home.registry.disable(name)
            if door.mode == "legacy":
                with anyio.fail_after(60):
                    await again.wait()
                assert uri not in await resources_of(client)
        tasks.cancel_scope.cancel()
